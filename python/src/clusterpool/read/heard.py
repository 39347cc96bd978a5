"""What libraries say while they read a file, as texts that can be told with its name."""

from __future__ import annotations

import contextlib
import logging
import sys
import warnings
from collections.abc import Iterator


class _Kept(logging.Handler):
    """Keeps the texts of what is logged."""

    def __init__(self, texts: list[str]) -> None:
        super().__init__(logging.WARNING)
        self.texts = texts

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage().split("\n")[0])


@contextlib.contextmanager
def heard(packages: set[str]) -> Iterator[list[str]]:
    """Keep the warnings for users, and what loggers of packages warn of, in a list, which is whole at the end.

    Errors in the end of an object that a library did not finish are nobody's concern: that it could not be read is told.
    """
    texts: list[str] = []
    loggers = [one for name, one in logging.root.manager.loggerDict.items() if name.split(".")[0] in packages]
    before = [(one, one.handlers, one.propagate) for one in loggers if isinstance(one, logging.Logger)]
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    for one, _, _ in before:
        one.handlers, one.propagate = [_Kept(texts)], False
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            yield texts
    finally:
        sys.unraisablehook = hook
        for one, handlers, propagate in before:
            one.handlers, one.propagate = handlers, propagate
    doubts = [one for one in said if issubclass(one.category, (UserWarning, RuntimeWarning))]  # others are for those who program
    texts += [str(one.message).split("\n")[0] for one in doubts]
