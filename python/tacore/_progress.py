"""A line on stderr for long work."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable

Progress = Callable[[int, int], object]


def bar(what: str, quiet: bool = False) -> Progress | None:
    """A callback (done, total) that shows a bar; None where stderr is no terminal, or messages are switched off."""
    if quiet or not sys.stderr.isatty() or not logging.getLogger("tacore").isEnabledFor(logging.ERROR):
        return None
    last = 0.0

    def show(done: int, total: int) -> None:
        nonlocal last
        now, finished = time.monotonic(), done >= total
        if now - last < 0.1 and not finished:
            return
        last = now
        share = done / total if total else 1.0
        full = int(share * 30)
        end = "\n" if finished else ""
        sys.stderr.write(f"\r{what} [{'#' * full}{'.' * (30 - full)}] {share:4.0%}{end}")
        sys.stderr.flush()

    return show


def callback(what: str, quiet: bool = False, progress: bool | Progress = True) -> Progress | None:
    """What users say of progress: their own callback, or a bar unless they want none."""
    if callable(progress):
        return progress
    return bar(what, quiet or not progress)
