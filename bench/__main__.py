"""``python -m bench``."""

from bench import bench

bench(prog_name="python -m bench")
