"""Progress bar on stderr."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable

Progress = Callable[[int, int], object]


def _can_redraw() -> bool:
    """Whether stderr supports a carriage return: a terminal, or a notebook, whose stderr is an object of ipykernel."""
    return sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel")


def bar(what: str, quiet: bool = False) -> Progress | None:
    """A callback (done, total) that shows a progress bar; None if stderr cannot show it, or messages are disabled."""
    if quiet or not _can_redraw() or not logging.getLogger("tacore").isEnabledFor(logging.ERROR):
        return None
    last, is_over = 0.0, False

    def show(done: int, total: int) -> None:
        nonlocal last, is_over
        now, finished = time.monotonic(), done >= total
        if is_over or (now - last < 0.1 and not finished):  # the last step may be reported more than once
            return
        last, is_over = now, finished
        share = done / total if total else 1.0
        full = int(share * 30)
        end = "\n" if finished else ""
        sys.stderr.write(f"\r{what} [{'#' * full}{'.' * (30 - full)}] {share:4.0%}{end}")
        sys.stderr.flush()

    return show


def callback(what: str, progress: bool | Progress | None = True) -> Progress | None:
    """The progress callback: that of the user, or one that shows a progress bar, or None."""
    return progress if callable(progress) else bar(what, not progress)
