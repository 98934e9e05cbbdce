"""Games as records: their whole logs shown again, exported, and verified. Needs no server."""
