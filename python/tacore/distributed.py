"""Distributed work: creation, functions of pixels, statistics, export and validation of datasets on many machines.

The results are the same as on one machine, bit by bit. The argument `client` is one of:

- a `dask.distributed.Client`; None: the current one,
- the module `ray`, after `ray.init()`,
- a `pyspark.sql.SparkSession` or its SparkContext,
- a `concurrent.futures.Executor`; None without a Dask client: threads, one for each processor.

Each engine schedules, and repeats tasks of lost workers, in its own way. Other machines need tacore, and the same files
under the same paths; options of :func:`tacore.set_storage_options` are sent to them. An error of a task is raised with
the same class, and the name of its partition or dataset before the message; tasks that have not started are cancelled.

Example:
    >>> client = dask.distributed.Client("scheduler:8786")
    >>> tacore.distributed.compute_statistics("chips/", client, child="optical")
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._aliases import renamed
from ._budget import Budget, Use, WorkerUse, budgeted, counted_here
from ._engines import run
from ._errors import TacoQueryError
from ._export_partitions import export_partitions
from ._map_samples import MapFailure, MappedSamples, map_samples
from ._file_parts import parts_of_files
from ._output import PathLike
from ._partitions import PartitionFailure, Partitions, create_partitions
from ._progress import callback
from ._row_tasks import frame_of, range_name, row_ranges, sent_rows
from ._splits import Splits
from ._table_parts import parts_of_table
from ._validate_dataset import validate_dataset
from ._xarray_samples import open_xarray
from .validator import Issue

if TYPE_CHECKING:
    from ._dataframe import TacoDataFrame
    from ._dataset import TacoDataset
    from ._row_tasks import SentRows
    from .raster import Bands, FrameStatistics

__all__ = [
    "Budget",
    "MapFailure",
    "MappedSamples",
    "PartitionFailure",
    "Partitions",
    "Use",
    "WorkerUse",
    "Splits",
    "compute_statistics",
    "create_partitions",
    "export_partitions",
    "map_samples",
    "open_xarray",
    "parts_of_files",
    "parts_of_table",
    "validate",
    "validate_dataset",
]


@renamed(quiet="'progress'")
def compute_statistics(
    dataset: TacoDataset | TacoDataFrame | PathLike,
    client: Any = None,
    *,
    bands: Bands = None,
    child: str = "",
    on_error: str = "raise",
    num_tasks: int | None = None,
    budget: Budget | None = None,
    progress: bool | Callable[[int, int], object] = True,
) -> FrameStatistics:
    """Computes exact statistics of the pixels of all samples, as :func:`tacore.raster.compute_statistics` on many
    machines.

    Each task counts the samples of consecutive rows. Moments are merged in the order of the rows, and histograms are
    added, so the result does not depend on the number of tasks or on the machines.

    Args:
        dataset: Dataset, frame, or path of a dataset. Tasks open the same version of it again.
        client: Dask client, `ray` or Executor that runs the tasks (see the module).
        bands: Numbers of the bands, from 1, in the order of the result; by default all.
        child: Ids below each sample, joined by /, such as optical or a/b; by default the samples themselves.
        on_error: raise: a sample that cannot be read is an error; skip: it is left out, and listed as a failure.
        num_tasks: Maximal number of tasks; None: four for each processor of the client.
        budget: Limits of the requests to servers, and their count.
        progress: True shows a bar, False nothing. A callable is called with (tasks done, tasks in all); the work is
            cancelled when it returns False.

    Raises:
        TacoError: As for :func:`tacore.raster.compute_statistics`.
    """
    from ._dataframe import TacoDataFrame
    from ._dataset import TacoDataset, load
    from .raster import FrameStatistics, SampleFailure, _bands

    with counted_here(budget, "opening the dataset"):
        opened = dataset if isinstance(dataset, (TacoDataFrame, TacoDataset)) else load(dataset)
        frame = opened.data if isinstance(opened, TacoDataset) else opened
        if len(frame) == 0:
            raise TacoQueryError("there are no samples to compute statistics of")
    step = _core.part_rows(len(frame))
    options = {"bands": _bands(bands), "child": child, "on_error": on_error}
    with budgeted(client, budget) as runner:
        rows = sent_rows(frame, runner)
        tasks = [
            (range_name(*each), (rows, *each, step, options)) for each in row_ranges(frame, num_tasks, runner, step)
        ]
        total = _Statistics()
        for part in run(runner, _count, tasks, callback("Counting", progress)):
            total.add(*part)
    return FrameStatistics(total.bands(), total.num_samples, [SampleFailure(*each) for each in total.failures])


@renamed(quiet="'progress'")
def validate(
    paths: Sequence[PathLike],
    client: Any = None,
    *,
    deep: bool = False,
    budget: Budget | None = None,
    progress: bool | Callable[[int, int], object] = True,
) -> dict[str, list[Issue]]:
    """Validates many datasets, as :func:`tacore.validator.validate` on many machines.

    Args:
        paths: Paths of the datasets.
        client: Dask client, `ray` or Executor that runs the tasks (see the module).
        deep: Also read every byte.
        budget: Limits of the requests to servers, and their count.
        progress: True shows a bar, False nothing. A callable is called with (datasets done, datasets in all); the work
            is cancelled when it returns False.

    Returns:
        A dict from each path to the list of its violations, in the order of `paths`.
    """
    names = [os.fsdecode(path) for path in paths]
    tasks = [(name, (name, deep)) for name in names]
    with budgeted(client, budget) as runner:
        return dict(zip(names, run(runner, _validate, tasks, callback("Validating", progress)), strict=True))


# Functions that run in tasks.


#: (number of pixels, of valid pixels, min, max, mean, sum of squares) of a band.
_Moments = tuple[int, int, float, float, float, float]
#: The moments of the bands of each part; the histograms of all parts together; the number of samples; failures.
_Counted = tuple[list[list[_Moments]], list[_core.Histogram], int, list[tuple[int, str]]]


def _count(rows: SentRows, begin: int, end: int, step: int, options: dict[str, Any]) -> _Counted:
    counted: _Counted = _core.compute_partial_statistics(frame_of(rows)._core, begin, end, step, options)
    return counted


def _validate(path: str, deep: bool) -> list[Issue]:
    from .validator import validate

    return validate(path, deep=deep)


# Merging of results.


class _Statistics:
    """Merges the results of tasks, in their order."""

    def __init__(self) -> None:
        self.num_samples = 0
        self.failures: list[tuple[int, str]] = []
        self._bands: list[_core.BandStatistics] = []
        self._histograms: list[_core.Histogram] = []

    def add(
        self,
        moments: list[list[_Moments]],
        histograms: list[_core.Histogram],
        num_samples: int,
        failures: list[tuple[int, str]],
    ) -> None:
        self.num_samples += num_samples
        self.failures += failures
        nothing = _core.Histogram().encode()
        for part in moments:
            _check_bands(self._bands, part)
            bands = [_band((*each, nothing)) for each in part]
            for mine, theirs in zip(self._bands, bands, strict=bool(self._bands)):
                mine.merge(theirs)
            self._bands = self._bands or bands
        for histogram, other in zip(self._histograms, histograms, strict=False):
            histogram.merge(other)
        self._histograms = self._histograms or histograms

    def bands(self) -> list[_core.BandStatistics]:
        return [
            _band((*band.__getstate__()[:-1], histogram.encode()))
            for band, histogram in zip(self._bands, self._histograms, strict=True)
        ]


def _band(state: tuple[Any, ...]) -> _core.BandStatistics:
    band = _core.BandStatistics.__new__(_core.BandStatistics)
    band.__setstate__(state)
    return band


def _check_bands(before: Sequence[object], now: Sequence[object]) -> None:
    if before and len(before) != len(now):
        raise TacoQueryError(
            f"samples differ in their number of bands: {len(before)} and {len(now)}; choose bands that all have"
        )
