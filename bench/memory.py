"""What a position weighs, counted in two ways."""

from __future__ import annotations

import enum
import gc
import sys
import tracemalloc
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bench.measure import Copyable

COPIES = 50
"""Of each position."""


def copy_size(positions: Sequence[Copyable]) -> float:
    """Bytes that one more copy takes, from the allocator's own count over many copies."""
    for position in positions:
        position.copy()  # what a first copy makes once and keeps is not part of a copy
    copies: list[object] = [None] * (COPIES * len(positions))
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(len(copies)):
            copies[number] = positions[number % len(positions)].copy()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (after - before) / len(copies)


def deep_size(root: object, *, shared: Iterable[object]) -> int:
    """Bytes of everything that can be reached from ``root``, without what ``shared`` reaches.

    Parts that copies share with each other count in full, so this is the weight of a position
    that stands alone.
    """
    known = set(_reach(shared, set()))
    return sum(sys.getsizeof(found) for found in _reach([root], known).values())


def _reach(roots: Iterable[object], known: set[int]) -> dict[int, object]:
    """Every object that can be reached and is not known, by identity; held, so ids stay unique."""
    found: dict[int, object] = {}
    stack = list(roots)
    while stack:
        item = stack.pop()
        if id(item) in known or id(item) in found or _is_everywhere(item):
            continue
        found[id(item)] = item
        stack.extend(gc.get_referents(item))
    return found


def _is_everywhere(item: object) -> bool:
    """What exists once in the process, whether or not there is a position."""
    if isinstance(item, int):
        return -5 <= item <= 256  # CPython's small ints
    return item is None or isinstance(
        item, (type, ModuleType, FunctionType, BuiltinFunctionType, enum.Enum)
    )
