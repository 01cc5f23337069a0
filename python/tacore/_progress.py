"""Progress bar on stderr, or of tqdm in a notebook."""

from __future__ import annotations

import importlib.util
import logging
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

Progress = Callable[[int, int], object]


def _is_notebook() -> bool:
    """Whether stderr is that of a notebook, an object of ipykernel."""
    return type(sys.stderr).__module__.startswith("ipykernel")


def bar(what: str, quiet: bool = False) -> Progress | None:
    """A callback (done, total) that shows a progress bar; None if stderr cannot show it, or messages are disabled."""
    if quiet or not logging.getLogger("tacore").isEnabledFor(logging.ERROR):
        return None
    if _is_notebook() and importlib.util.find_spec("tqdm") is not None:
        return _of_tqdm(what)
    if not _is_notebook() and not sys.stderr.isatty():  # nothing supports a carriage return
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


def _of_tqdm(what: str) -> Progress:
    """A progress bar of tqdm, which is a widget in notebooks that have widgets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are no widgets: its bar of text is good, too
        from tqdm.auto import tqdm

    made: list[Any] = []

    def show(done: int, total: int) -> None:
        if not made:
            made.append(tqdm(desc=what, total=total, unit_scale=True))
        bar = made[0]
        if bar.disable:  # the end was reported before
            return
        bar.total = total
        bar.update(done - bar.n)
        if done >= total:
            bar.close()

    return show


def callback(what: str, progress: bool | Progress | None = True) -> Progress | None:
    """The progress callback: that of the user, or one that shows a progress bar, or None."""
    return progress if callable(progress) else bar(what, not progress)
