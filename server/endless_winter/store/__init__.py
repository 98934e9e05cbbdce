"""The logs of games: records, the protocol of a store, SQLite and memory behind it."""
