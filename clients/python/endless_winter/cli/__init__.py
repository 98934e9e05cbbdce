"""The command ``ew``."""
