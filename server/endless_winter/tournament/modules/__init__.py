"""What a module has in [game] besides a switch: a file under its name (plugin.py)."""
