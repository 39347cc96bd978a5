"""Many things in a few words, and texts as files have them."""

from __future__ import annotations

import collections


def some(texts: list[str], most: int = 6) -> str:
    """Join texts, of many the first ones."""
    return ", ".join(texts[:most]) + (f" and {len(texts) - most} more" if len(texts) > most else "")


def counted(counts: collections.Counter[str], most: int = 8) -> str:
    """Join names with their counts."""
    return some([f"{name} {count}" for name, count in sorted(counts.items()) if count], most)


def text_of(value: object) -> str:
    """Return a text of a file, which may be bytes, without the blanks and zeros that fill it."""
    return (value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)).strip(" \0")
