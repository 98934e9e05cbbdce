"""The contract, version 1: generated beside the ``.proto`` files at build time."""
