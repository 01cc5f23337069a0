"""Distributed work: creation of partitions and their index, statistics, and validation on many machines.

The results are the same as on one machine, bit by bit. The argument `client` is one of:

- a `dask.distributed.Client`; None: the current one,
- the module `ray`, after `ray.init()`,
- a `concurrent.futures.Executor`; None without a Dask client: threads, one for each processor.

Other machines need tacore, and the same files under the same paths; options of :func:`tacore.set_storage_options` are
sent to them. An error of a task is raised with the same class, and the name of its partition or dataset before the
message; tasks that have not started are cancelled.

Example:
    >>> client = dask.distributed.Client("scheduler:8786")
    >>> tacore.distributed.compute_statistics("chips/", client, child="optical")
"""

from __future__ import annotations

import copy
import importlib
import os
import pickle
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from . import _core
from ._aliases import renamed
from ._backend import require
from ._errors import TacoCreationError, TacoError, TacoIOError, TacoQueryError, TacoValidationError
from ._output import PathLike, local_path
from ._progress import Progress, callback
from .validator import Issue

if TYPE_CHECKING:
    from ._dataframe import TacoDataFrame
    from ._dataset import TacoDataset
    from .datamodel import Taco
    from .raster import Bands, FrameStatistics

    #: A dataset to be written, or a function that makes it on the machine that writes it.
    Part = Union[Taco, Callable[[], Taco]]

__all__ = ["compute_statistics", "create_partitions", "validate"]


@renamed(quiet="'progress'")
def create_partitions(
    parts: Taco | Sequence[Part] | Mapping[str, Part],
    output_dir: PathLike,
    client: Any = None,
    *,
    num_partitions: int | None = None,
    prefix: str = "part",
    validate_schema: bool = True,
    overwrite: bool = False,
    progress: bool | Callable[[int, int], object] = True,
    **parquet: Any,
) -> Path:
    """Writes the partitions of a dataset in parallel, each as one ZIP, and an index of them.

    The ZIPs are written to a temporary folder in `output_dir` and renamed when all are complete, the index last: after
    an error nothing is left. The same parts give the same bytes, on any machines.

    Args:
        parts: Datasets; or functions without arguments that return a dataset on the machine that writes it, so that
            samples are not sent (functools.partial of a function; with Dask and Ray also closures). A mapping gives
            names to the partitions. A single dataset is split.
        output_dir: Folder of the partitions, which all machines can access; it is created if it does not exist.
        client: Dask client, `ray` or Executor that runs the tasks (see the module).
        num_partitions: For a single dataset: number of partitions of consecutive samples; at most one for each sample.
        prefix: Prefix of names, if `parts` is not a mapping: `{prefix}0001.tacozip`, ...
        validate_schema: As for :func:`tacore.create_tacocat`.
        overwrite: Replace existing partitions and an existing index.
        progress: True shows a bar, False nothing. A callable is called with (partitions done, partitions in all); the
            work is cancelled when it returns False.
        **parquet: As for :func:`tacore.export`, for partitions and index.

    Returns:
        The path of the index, `output_dir/.tacocat`.

    Raises:
        TacoValidationError: There are no parts; a name occurs twice or has a slash; a file exists; or
            :func:`tacore.create` refuses a part.
        TacoSchemaError: Columns or trees of parts differ.
        TacoCreationError: A function failed (its exception is the cause), or a worker was lost.
        TacoIOError: Reading or writing failed, or the work was cancelled.
    """
    named = _named(_split(parts, num_partitions), prefix)
    output = local_path(output_dir)
    output.mkdir(parents=True, exist_ok=True)
    targets = [output / f"{name}.tacozip" for name in named]
    index = output / ".tacocat"
    if not overwrite:
        for path in (*targets, index):
            if path.exists():
                raise _located(TacoValidationError(f"{path}: exists already"), path)
    staging = Path(tempfile.mkdtemp(prefix=".tacore-", dir=output))
    try:
        made = [staging / target.name for target in targets]
        tasks = [
            (f"partition {name}", (part, str(path), parquet))
            for (name, part), path in zip(named.items(), made, strict=True)
        ]
        for _ in _run(client, _create, tasks, callback("Creating", progress)):
            pass
        _core.create_tacocat(made, {"output": staging, "validate_schema": validate_schema, "parquet": parquet}, None)
        for path, target in zip(made, targets, strict=True):
            path.replace(target)
        if index.exists():
            index.replace(staging / "old")
        (staging / ".tacocat").replace(index)
    finally:
        _remove(staging)
    return index


@renamed(quiet="'progress'")
def compute_statistics(
    dataset: TacoDataset | TacoDataFrame | PathLike,
    client: Any = None,
    *,
    bands: Bands = None,
    child: str = "",
    on_error: str = "raise",
    num_tasks: int | None = None,
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
        progress: True shows a bar, False nothing. A callable is called with (tasks done, tasks in all); the work is
            cancelled when it returns False.

    Raises:
        TacoError: As for :func:`tacore.raster.compute_statistics`.
    """
    from ._dataframe import TacoDataFrame
    from ._dataset import TacoDataset, load
    from .raster import FrameStatistics, SampleFailure, _bands

    opened = dataset if isinstance(dataset, (TacoDataFrame, TacoDataset)) else load(dataset)
    frame = opened.data if isinstance(opened, TacoDataset) else opened
    if len(frame) == 0:
        raise TacoQueryError("there are no samples to compute statistics of")
    step = _core.part_rows(len(frame))
    options = {"bands": _bands(bands), "child": child, "on_error": on_error}
    with _runner(client) as runner:
        ranges = _ranges(len(frame), step, num_tasks or 4 * runner.num_processors())
        # Opened in the task, so that an error there has the name of the task.
        rows = frame if runner.is_here else pickle.dumps(frame)
        tasks = [(f"rows {begin} to {end - 1}", (rows, begin, end, step, options)) for begin, end in ranges]
        total = _Statistics()
        for part in _run(runner, _count, tasks, callback("Counting", progress)):
            total.add(*part)
    return FrameStatistics(total.bands(), total.num_samples, [SampleFailure(*each) for each in total.failures])


@renamed(quiet="'progress'")
def validate(
    paths: Sequence[PathLike],
    client: Any = None,
    *,
    deep: bool = False,
    progress: bool | Callable[[int, int], object] = True,
) -> dict[str, list[Issue]]:
    """Validates many datasets, as :func:`tacore.validator.validate` on many machines.

    Args:
        paths: Paths of the datasets.
        client: Dask client, `ray` or Executor that runs the tasks (see the module).
        deep: Also read every byte.
        progress: True shows a bar, False nothing. A callable is called with (datasets done, datasets in all); the work
            is cancelled when it returns False.

    Returns:
        A dict from each path to the list of its violations, in the order of `paths`.
    """
    names = [os.fsdecode(path) for path in paths]
    tasks = [(name, (name, deep)) for name in names]
    return dict(zip(names, _run(client, _validate, tasks, callback("Validating", progress)), strict=True))


# Functions that run in tasks.


def _create(part: Any, path: str, parquet: dict[str, Any]) -> None:
    from ._create import plan, write

    taco = part() if callable(part) else part
    # Under a unique name: the partitions of a lost worker are made again by others.
    made = f"{path}.{uuid.uuid4().hex}.tacozip"
    # Not create(), which would create the folder again after the work was cancelled.
    write(taco, *plan(made, "zip", None, None, False, parquet=parquet))
    os.replace(made, path)


#: (number of pixels, of valid pixels, min, max, mean, sum of squares) of a band.
_Moments = tuple[int, int, float, float, float, float]
#: The moments of the bands of each part; the histograms of all parts together; the number of samples; failures.
_Counted = tuple[list[list[_Moments]], list[_core.Histogram], int, list[tuple[int, str]]]


def _count(rows: TacoDataFrame | bytes, begin: int, end: int, step: int, options: dict[str, Any]) -> _Counted:
    frame = (pickle.loads(rows) if isinstance(rows, bytes) else rows)._core
    moments: list[list[_Moments]] = []
    histograms: list[_core.Histogram] = []
    num_samples = 0
    failures: list[tuple[int, str]] = []
    for first in range(begin, end, step):
        counted, num_counted, failed = _core.compute_statistics_part(frame, first, min(first + step, end), options)
        failures += failed
        if num_counted == 0:
            continue
        num_samples += num_counted
        moments.append([band.__getstate__()[:-1] for band in counted])
        _check_bands(histograms, counted)
        histograms = histograms or [_core.Histogram() for _ in counted]
        for histogram, band in zip(histograms, counted, strict=True):
            histogram.merge(band.histogram)
    return moments, histograms, num_samples, failures


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


def _ranges(num_rows: int, step: int, num_tasks: int) -> list[tuple[int, int]]:
    """Divides rows into consecutive ranges, in multiples of `step`, for at most `num_tasks` tasks."""
    num_parts = -(-num_rows // step)
    per_task = step * -(-num_parts // max(num_tasks, 1))
    return [(begin, min(begin + per_task, num_rows)) for begin in range(0, num_rows, per_task)]


def _remove(folder: Path) -> None:
    """Removes a folder, also files that a running task still writes to it."""
    for _ in range(20):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.1)


def _split(parts: Any, num_partitions: int | None) -> Any:
    from .datamodel import Taco, Tortilla

    if not isinstance(parts, Taco):
        if num_partitions is not None:
            raise TacoValidationError("num_partitions is for a single dataset; several datasets or functions are given")
        return parts
    samples = [parts.tortilla._sample(row) for row in range(len(parts.tortilla))]  # with the columns of the Tortilla
    out = []
    for begin, end in _ranges(len(samples), 1, num_partitions or 1):
        part = copy.copy(parts)
        part.tortilla = Tortilla(samples[begin:end])
        out.append(part)
    return out


def _named(parts: Any, prefix: str) -> dict[str, Any]:
    named = parts if isinstance(parts, Mapping) else {f"{prefix}{n:04}": part for n, part in enumerate(parts, 1)}
    if not named:
        raise TacoValidationError("there are no partitions to make")
    for name in named:
        if not name or name.startswith(".") or "/" in name or "\0" in name:
            raise TacoValidationError(f"{name!r} is not a partition name; a file name without ending is expected")
    return dict(named)


# Clients that run tasks.


class _Runner:
    """Runs tasks by concurrent.futures; Dask has the same methods."""

    def __init__(self, executor: Any) -> None:
        self._executor = executor
        #: Whether tasks run in this process.
        self.is_here = isinstance(executor, ThreadPoolExecutor)

    def num_processors(self) -> int:
        return int(getattr(self._executor, "_max_workers", None) or os.cpu_count() or 1)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return self._executor.submit(function, *arguments)

    def result(self, future: Any) -> Any:
        return future.result()

    def cancel(self, futures: Sequence[Any]) -> None:
        for future in futures:
            future.cancel()
        for future in futures:  # wait for running tasks, which may write files that must be removed
            if not future.cancelled():
                future.exception()


class _Dask(_Runner):
    def num_processors(self) -> int:
        return sum(self._executor.nthreads().values()) or 1

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        # Unpickled in the task: Dask does not report errors of unpickling a message, and waits for ever.
        pickler = importlib.import_module("cloudpickle")
        return self._executor.submit(_unpacked, pickler.dumps((function, arguments)), pure=False)

    def cancel(self, futures: Sequence[Any]) -> None:
        self._executor.cancel(list(futures), force=True)


class _Ray(_Runner):
    def num_processors(self) -> int:
        return int(self._executor.cluster_resources().get("CPU", 1))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return self._executor.remote(function).remote(*arguments)

    def result(self, future: Any) -> Any:
        return self._executor.get(future)

    def cancel(self, futures: Sequence[Any]) -> None:
        for future in futures:
            self._executor.cancel(future)


@contextmanager
def _runner(client: Any) -> Iterator[_Runner]:
    if isinstance(client, _Runner):
        yield client
    elif client is None and (current := _current_dask_client()) is not None:
        yield _Dask(current)
    elif client is None:
        with ThreadPoolExecutor() as threads:
            yield _Runner(threads)
    elif client == "ray" or getattr(client, "__name__", "") == "ray":
        if client == "ray":
            require("ray", 'the client "ray"')
            client = importlib.import_module("ray")
        yield _Ray(client)
    elif isinstance(client, Executor):
        yield _Runner(client)
    elif hasattr(client, "submit") and hasattr(client, "nthreads"):
        yield _Dask(client)
    else:
        raise TypeError(
            f"a dask.distributed.Client, the module ray or a concurrent.futures.Executor is expected, not {client!r}"
        )


def _current_dask_client() -> Any:
    """The current Dask client; None if there is none. Dask is not imported for this."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return distributed.get_client()
    except ValueError:
        return None


def _unpacked(packed: bytes) -> Any:
    function, arguments = pickle.loads(packed)
    return function(*arguments)


class _Failed:
    """An error of a task, returned as a value, because frameworks wrap exceptions in different ways."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _caught(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        return _Failed(error)


def _run(
    client: Any, function: Callable[..., Any], tasks: Sequence[tuple[str, tuple[Any, ...]]], progress: Progress | None
) -> Iterator[Any]:
    """Yields the results of tasks (name, arguments), in their order, until the first task that fails."""
    with _runner(client) as runner:
        futures = [runner.submit(_caught, function, arguments) for _, arguments in tasks]
        done = 0
        try:
            for (name, _), future in zip(tasks, futures, strict=True):
                result = _result(runner, name, future)
                done += 1
                if progress is not None and progress(done, len(tasks)) is False:
                    raise TacoIOError("stopped by the progress callback")
                yield result
        finally:
            runner.cancel(futures[done:])


def _result(runner: _Runner, name: str, future: Any) -> Any:
    try:
        result = runner.result(future)
    except TacoError as error:  # the inputs of the task could not be opened
        raise _renamed(error, name) from error
    except Exception as error:  # not of the task itself: it could not be sent, or its worker died
        raise TacoCreationError(f"{name}: {error or type(error).__name__}") from error
    if not isinstance(result, _Failed):
        return result
    if isinstance(result.error, TacoError):
        raise _renamed(result.error, name) from result.error
    raise TacoCreationError(f"{name}: {type(result.error).__name__}: {result.error}") from result.error


def _renamed(error: TacoError, name: str) -> TacoError:
    out = type(error)(f"{name}: {error}")
    out.__dict__.update(error.__dict__)
    if isinstance(error, TacoIOError) and isinstance(out, TacoIOError):
        out.errno = error.errno
    return out


def _located(error: TacoError, path: Path) -> TacoError:
    error.path = str(path)
    return error
