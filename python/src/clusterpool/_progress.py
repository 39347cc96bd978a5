"""Shows a training's progress: a bar of tqdm if that is installed, else lines."""

from __future__ import annotations

import re
from typing import Any


class Progress:
    """Gets the lines that the program writes; shows them if ``shown``, and keeps those that are no progress."""

    EPOCH = re.compile(r"epoch +(\d+)/(\d+) +(.*)")

    def __init__(self, shown: bool) -> None:
        self._shown = shown
        self._bar: Any = None

    def line(self, text: str) -> None:
        """Show a line."""
        if not self._shown:
            return
        epoch = self.EPOCH.match(text)
        if epoch is None:
            print(text, flush=True)
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            print(text, flush=True)
            return
        if self._bar is None:
            self._bar = tqdm(total=int(epoch[2]), unit="epoch")
        self._bar.set_postfix_str(re.sub(r" {2,}", ", ", epoch[3]), refresh=False)
        self._bar.update(int(epoch[1]) - self._bar.n)

    def close(self) -> None:
        """End the bar."""
        if self._bar is not None:
            self._bar.close()
