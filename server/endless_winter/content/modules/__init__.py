"""What is printed of each module: a file under its name (plugin.py)."""
