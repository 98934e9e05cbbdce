"""The services of the contract: each method makes a command, or reads."""
