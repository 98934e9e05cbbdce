"""The server without input and output: games as folds of their logs, and rounds of commands.

Nothing in here knows of asyncio, clocks, sockets or files. Time comes in as numbers, randomness as
bytes; what is to be stored comes out as records of the store. docs/architecture.md has the way of
one choice.
"""
