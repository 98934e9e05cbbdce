"""The option that is a module's own, besides ``--with``: a file under its name (plugin.py)."""
