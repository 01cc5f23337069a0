"""Export of a subset on many machines: each task writes consecutive rows as one partition of the new dataset."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._budget import Budget, budgeted, counted_here
from ._dataset import opened_rows
from ._errors import TacoQueryError, TacoValidationError
from ._fingerprint import fingerprint
from ._output import PathLike
from ._partitions import Partitions, create_partitions
from ._row_tasks import frame_of
from .transform import to_taco

if TYPE_CHECKING:
    from ._dataframe import TacoDataFrame
    from ._dataset import TacoDataset
    from .datamodel import Taco

#: Position of the options for remote paths among the arguments of tacore.load: another key is not another plan.
_OPTIONS = 3


def export_partitions(
    dataset: TacoDataset | TacoDataFrame | PathLike,
    output: PathLike,
    client: Any = None,
    *,
    num_partitions: int,
    prefix: str = "part",
    on_error: str = "raise",
    overwrite: bool = False,
    budget: Budget | None = None,
    progress: bool | Callable[[int, int], object] = True,
    **parquet: Any,
) -> Partitions:
    """Writes a subset of a dataset as a new one, in parallel: one ZIP for each of its partitions, and an index of them.

    The subset consists of the samples that the filters and queries of the dataset select, in their order, with their
    descendants and metadata, as of :func:`tacore.export`, but `taco:subset_date` is left out. The bytes do not depend
    on the engine and the machines; the number of partitions is part of what is written. Each task reads the samples of
    its own rows only.

    The work can be interrupted and continued like that of :func:`create_partitions`, which writes the partitions. A
    dataset that was replaced meanwhile makes another plan, which is an error.

    Args:
        dataset: Dataset, frame, or path of a dataset. Tasks open the same version of it again.
        output: Folder, or s3://BUCKET/PREFIX, as for :func:`create_partitions`.
        client: Dask client, `ray`, Spark session or Executor that runs the tasks (see the module).
        num_partitions: Number of partitions, of about as many rows each; at most one for each row.
        prefix: Prefix of the names of partitions: `{prefix}0001`, ...
        on_error: raise: a sample that cannot be read is an error; report: it is left out, and listed as a failure.
        overwrite: As for :func:`create_partitions`.
        budget: Limits of the requests to servers, and their count; uploads are not counted.
        progress: True shows a bar, False nothing. A callable is called with (partitions done, partitions in all); the
            work is cancelled when it returns False.
        **parquet: As for :func:`tacore.export`, for partitions and index.

    Returns:
        The path of the index, and what is not in it.

    Raises:
        TacoQueryError: There are no rows, or the frame has columns that were set in Python.
        TacoIOError: Also if the budget is used up: the error says what was used, and where the work stopped.
        TacoError: As for :func:`create_partitions`.

    Example:
        >>> clear = tacore.load("s3://bucket/s2/.tacocat").sql("SELECT * FROM data WHERE cloud_cover < 5")
        >>> tacore.distributed.export_partitions(clear, "s3://bucket/clear", client, num_partitions=200)
    """
    if num_partitions < 1:
        raise TacoValidationError(f"num_partitions is {num_partitions}; at least 1 is expected")
    with counted_here(budget, "opening the dataset"):
        frame = opened_rows(dataset)
        if len(frame) == 0:
            raise TacoQueryError("there are no samples to export")
        if frame._changed:
            raise TacoQueryError("the frame has columns that were set in Python; set columns to write by with_column()")
        made_of = _fingerprint(frame)
    with budgeted(client, budget) as runner:
        # Also for threads: a frame and its pickle differ in the names of list elements, and so in the bytes of tables.
        rows = pickle.dumps(frame)
        cuts = _cuts(len(frame), num_partitions)
        parts = {f"{prefix}{number:04}": _RowsPart(rows, each, made_of) for number, each in enumerate(cuts, 1)}
        return create_partitions(
            parts, output, runner, on_error=on_error, overwrite=overwrite, progress=progress, **parquet
        )


class _RowsPart:
    """A function that makes a Taco of consecutive rows; their bytes are read when it is written."""

    def __init__(self, rows: bytes, cut: tuple[int, int], made_of: str) -> None:
        self._rows = rows
        self._cut = cut
        self._made_of = made_of

    def fingerprint_of(self) -> list[Any]:
        """What the fingerprint of a plan is made of."""
        return [self._made_of, self._cut]

    def __call__(self) -> Taco:
        taco = to_taco(frame_of(self._rows)._rows(range(*self._cut)))
        taco._more.pop("taco:subset_date", None)  # the same bytes, whenever it is made
        return taco


def _cuts(num_rows: int, num_parts: int) -> list[tuple[int, int]]:
    num_parts = min(num_parts, num_rows)
    return list(itertools.pairwise(num_rows * part // num_parts for part in range(num_parts + 1)))


def _fingerprint(frame: TacoDataFrame) -> str:
    """The fingerprint of the rows of a frame: of the calls that made it, of its files, and of rows that a query drew."""
    (kind, *how), *steps = frame._origin.recipe
    if kind == "load":
        del how[_OPTIONS]
    rows = frame._core.serialize() if frame._origin.asks_query() else None
    return fingerprint([kind, how, steps, frame._origin.steps, frame._core.file_versions(), rows])
