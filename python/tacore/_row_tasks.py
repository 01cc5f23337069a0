"""Rows of a frame, divided among the tasks of an engine."""

from __future__ import annotations

import functools
import pickle
from typing import TYPE_CHECKING, Union

from ._engines import Runner
from ._errors import TacoQueryError

if TYPE_CHECKING:
    from ._dataframe import TacoDataFrame

    #: A frame, as a task gets it.
    SentRows = Union[TacoDataFrame, bytes]


def sent_rows(frame: TacoDataFrame, runner: Runner) -> SentRows:
    """The frame for tasks: it is opened there, so that an error has the name of the task."""
    return frame if runner.is_here else pickle.dumps(frame)


def frame_of(rows: SentRows) -> TacoDataFrame:
    """In a task: the frame. Tasks of the same process open it once."""
    return _opened(rows) if isinstance(rows, bytes) else rows


@functools.lru_cache(maxsize=2)
def _opened(rows: bytes) -> TacoDataFrame:
    frame: TacoDataFrame = pickle.loads(rows)
    return frame


def ranges(num_rows: int, step: int, num_tasks: int) -> list[tuple[int, int]]:
    """Divides rows into consecutive ranges, in multiples of `step`, for at most `num_tasks` tasks."""
    num_parts = -(-num_rows // step)
    per_task = step * max(-(-num_parts // max(num_tasks, 1)), 1)
    return [(begin, min(begin + per_task, num_rows)) for begin in range(0, num_rows, per_task)]


def row_ranges(frame: TacoDataFrame, num_tasks: int | None, runner: Runner, step: int = 1) -> list[tuple[int, int]]:
    """The ranges of the rows of a frame, for at most `num_tasks` tasks; None: four for each processor."""
    if num_tasks is not None and num_tasks < 1:
        raise TacoQueryError(f"num_tasks is {num_tasks}; at least 1 is expected")
    return ranges(len(frame), step, num_tasks or 4 * runner.num_processors())


def range_name(begin: int, end: int) -> str:
    """The name of a task, for errors."""
    return f"rows {begin} to {end - 1}"
