"""Work on many machines: partitions made in parallel and indexed, statistics, validation.

Every function gives what it gives on one machine, to the last bit, whatever runs it:

- a `dask.distributed.Client`; None takes the one that is current,
- the module `ray`, after `ray.init()`,
- a `concurrent.futures.Executor`; None without a Dask client: threads, one for each processor.

Other machines need tacore, and the same files under the same paths; options of :func:`tacore.set_storage_options` travel.
What goes wrong in a task is raised here with the class that it has there and the name of its partition or dataset in front,
a dataset that it cannot open or that was changed too; the tasks that have not begun are dropped.
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

    #: A dataset to be written, or what makes one on the machine that writes it.
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
    """Writes partitions of a dataset side by side, one ZIP each, and an index over them.

    They are made in a folder of their own in `output_dir` and get their names when all are there, the index last: what
    fails leaves nothing. The same parts give the same bytes, whoever makes them.

    Args:
        parts: Datasets, or callables without arguments that make one where it is written, so that samples do not travel
            (functools.partial of a function; Dask and Ray take closures, too). A mapping gives their names. One dataset
            is split.
        output_dir: The folder, which all machines see. It is made.
        client: What runs it (see the module).
        num_partitions: For one dataset: how many, of consecutive samples; at most one for each sample.
        prefix: Of the names, where `parts` has none: `{prefix}0001.tacozip`, ...
        validate_schema: As for :func:`tacore.create_tacocat`.
        overwrite: Replace partitions and an index that are there.
        progress: True shows a bar, False nothing. A callable is called with (partitions done, partitions in all); the work is
            cancelled when it returns False.
        **parquet: As for :func:`tacore.export`, of partitions and index.

    Returns:
        The path of the index, `output_dir/.tacocat`.

    Raises:
        TacoValidationError: There are no parts, a name twice or with a slash; something is there already; a part that
            :func:`tacore.create` refuses.
        TacoSchemaError: Parts that do not fit together.
        TacoCreationError: A callable failed (its exception is the cause), or a worker was lost.
        TacoIOError: Reading or writing failed, or the work was stopped.
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
    """Exact statistics of the pixels of all samples: :func:`tacore.raster.compute_statistics` on many machines.

    A task counts the samples of consecutive rows. Moments are merged in the order of the rows and histograms add up, so
    that neither the number of tasks nor who runs them changes a bit.

    Args:
        dataset: Rows, or the path of a dataset. Tasks open the same version of it anew.
        client: What runs it (see the module).
        bands: From 1; None: all.
        child: Path of ids below each sample ("s2", "a/b"); "": the samples themselves.
        on_error: "raise", or "skip" to report samples that cannot be read.
        num_tasks: At most so many; None: four for each processor of the client.
        progress: True shows a bar, False nothing. A callable is called with (tasks done, tasks in all); the work is
            cancelled when it returns False.

    Raises:
        TacoError: As there.
    """
    from ._dataframe import TacoDataFrame
    from ._dataset import TacoDataset, load
    from .raster import FrameStatistics, SampleFailure, _bands, skips

    opened = dataset if isinstance(dataset, (TacoDataFrame, TacoDataset)) else load(dataset)
    frame = opened.data if isinstance(opened, TacoDataset) else opened
    if len(frame) == 0:
        raise TacoQueryError("there are no samples to compute statistics of")
    how = (_core.part_rows(len(frame)), _bands(bands), child, skips(on_error))
    with _runner(client) as runner:
        ranges = _ranges(len(frame), how[0], num_tasks or 4 * runner.num_processors())
        # Opened in the task, so that what fails there is told as the task's.
        rows = frame if runner.is_here else pickle.dumps(frame)
        tasks = [(f"rows {begin} to {end - 1}", (rows, begin, end, *how)) for begin, end in ranges]
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
    """Every rule that each of many datasets breaks: :func:`tacore.validator.validate` on many machines.

    Args:
        paths: Of the datasets.
        client: What runs it (see the module).
        deep: Also read every byte.
        progress: True shows a bar, False nothing. A callable is called with (datasets done, datasets in all); the work is
            cancelled when it returns False.

    Returns:
        The issues of each path, in the order given.
    """
    names = [os.fsdecode(path) for path in paths]
    tasks = [(name, (name, deep)) for name in names]
    return dict(zip(names, _run(client, _validate, tasks, callback("Validating", progress)), strict=True))


# What runs on the other side.


def _create(part: Any, path: str, parquet: dict[str, Any]) -> None:
    from ._create import plan, write

    taco = part() if callable(part) else part
    # Under a name of its own: a worker that is lost leaves its partitions to others, which make them again.
    made = f"{path}.{uuid.uuid4().hex}.tacozip"
    # Not create(), which would make the folder again when the work was stopped meanwhile.
    write(taco, *plan(made, "zip", None, None, False, parquet=parquet))
    os.replace(made, path)


#: (pixels, valid ones, min, max, mean, sum of squares) of a band.
_Moments = tuple[int, int, float, float, float, float]
#: Of each part the moments of its bands; the histograms of all of them; how many samples; what failed.
_Counted = tuple[list[list[_Moments]], list[_core.Histogram], int, list[tuple[int, str]]]


def _count(
    rows: TacoDataFrame | bytes, begin: int, end: int, step: int, bands: list[int], child: str, skip: bool
) -> _Counted:
    frame = (pickle.loads(rows) if isinstance(rows, bytes) else rows)._core
    moments: list[list[_Moments]] = []
    histograms: list[_core.Histogram] = []
    num_samples = 0
    failures: list[tuple[int, str]] = []
    for first in range(begin, end, step):
        counted, num_counted, failed = _core.compute_statistics_part(
            frame, first, min(first + step, end), bands, child, skip
        )
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

    return validate(path, deep)


# How it comes together.


class _Statistics:
    """What tasks counted, in their order."""

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
    """Consecutive rows, in whole parts of `step`."""
    num_parts = -(-num_rows // step)
    per_task = step * -(-num_parts // max(num_tasks, 1))
    return [(begin, min(begin + per_task, num_rows)) for begin in range(0, num_rows, per_task)]


def _remove(folder: Path) -> None:
    """What a task writes there that cannot be stopped any more goes, too."""
    for _ in range(20):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.1)


def _split(parts: Any, num_partitions: int | None) -> Any:
    from .datamodel import Taco, Tortilla

    if not isinstance(parts, Taco):
        if num_partitions is not None:
            raise TacoValidationError("num_partitions is for one dataset; there are several, or what makes them")
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
            raise TacoValidationError(f"{name!r} is no name of a partition: a file name without ending is expected")
    return dict(named)


# What runs tasks.


class _Runner:
    """concurrent.futures, whose words Dask has, too."""

    def __init__(self, executor: Any) -> None:
        self._executor = executor
        #: Tasks run in this process.
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
        for future in futures:  # what has begun writes where nothing may be left
            if not future.cancelled():
                future.exception()


class _Dask(_Runner):
    def num_processors(self) -> int:
        return sum(self._executor.nthreads().values()) or 1

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        # Unpickled in the task: what fails while a message arrives, Dask never tells, and waits for ever.
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
    """None where nobody has made one: then Dask is not even imported."""
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
    """What a task raised: frameworks wrap exceptions in their own ways."""

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
    """The results of tasks, (name, arguments), in their order. The first that fails in that order ends it."""
    with _runner(client) as runner:
        futures = [runner.submit(_caught, function, arguments) for _, arguments in tasks]
        done = 0
        try:
            for (name, _), future in zip(tasks, futures, strict=True):
                result = _result(runner, name, future)
                done += 1
                if progress is not None and progress(done, len(tasks)) is False:
                    raise TacoIOError("stopped")
                yield result
        finally:
            runner.cancel(futures[done:])


def _result(runner: _Runner, name: str, future: Any) -> Any:
    try:
        result = runner.result(future)
    except TacoError as error:  # what the task needs could not be opened
        raise _renamed(error, name) from error
    except Exception as error:  # not the task's: it could not be sent, or its worker died
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
