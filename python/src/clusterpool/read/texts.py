"""Many things in a few words."""

from __future__ import annotations

import collections


def some(texts: list[str], most: int = 6) -> str:
    """Join texts, of many the first ones."""
    return ", ".join(texts[:most]) + (f" and {len(texts) - most} more" if len(texts) > most else "")


def counted(counts: collections.Counter[str], most: int = 8) -> str:
    """Join names with their counts."""
    return some([f"{name} {count}" for name, count in sorted(counts.items()) if count], most)
