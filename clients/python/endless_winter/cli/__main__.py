"""``python -m endless_winter.cli`` is ``ew``."""

from endless_winter.cli.main import main

if __name__ == "__main__":
    main()
