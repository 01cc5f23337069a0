"""Engines that run tasks: threads and processes of concurrent.futures, Dask, Ray and Spark. Each has a scheduler of its
own; here they get the same few methods, and their errors the same form."""

from __future__ import annotations

import importlib
import os
import pickle
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

from ._backend import require
from ._errors import TacoCreationError, TacoError, TacoIOError
from ._progress import Progress

Function = Callable[..., Any]


class Runner:
    """Runs tasks by concurrent.futures; Dask has the same methods."""

    #: Whether all tasks are one job, whose failure tells nothing of a single task.
    is_one_job = False

    def __init__(self, executor: Any) -> None:
        self._executor = executor
        #: Whether tasks run in this process.
        self.is_here = isinstance(executor, ThreadPoolExecutor)

    def num_processors(self) -> int:
        return int(getattr(self._executor, "_max_workers", None) or os.cpu_count() or 1)

    def start(self, function: Function, arguments: Sequence[tuple[Any, ...]], at_once: int | None = None) -> list[Any]:
        """Begins a task for each tuple of arguments, and returns what result() takes. `at_once`: of one job, at most so
        many tasks at a time."""
        return [self.submit(function, *each) for each in arguments]

    def submit(self, function: Function, *arguments: Any) -> Any:
        return self._executor.submit(function, *arguments)

    def result(self, future: Any) -> Any:
        return future.result()

    def cancel(self, futures: Sequence[Any]) -> None:
        for future in futures:
            future.cancel()
        for future in futures:  # wait for running tasks, which may write files that must be removed
            if not future.cancelled():
                future.exception()


class _Dask(Runner):
    def num_processors(self) -> int:
        return sum(self._executor.nthreads().values()) or 1

    def submit(self, function: Function, *arguments: Any) -> Any:
        # Unpickled in the task: Dask does not report errors of unpickling a message, and waits for ever.
        return self._executor.submit(_unpacked, _packed("cloudpickle", function, arguments), pure=False)

    def cancel(self, futures: Sequence[Any]) -> None:
        self._executor.cancel(list(futures), force=True)


class _Ray(Runner):
    def num_processors(self) -> int:
        return int(self._executor.cluster_resources().get("CPU", 1))

    def submit(self, function: Function, *arguments: Any) -> Any:
        return self._executor.remote(function).remote(*arguments)

    def result(self, future: Any) -> Any:
        return self._executor.get(future)

    def cancel(self, futures: Sequence[Any]) -> None:
        for future in futures:
            self._executor.cancel(future)


class _Spark(Runner):
    """Runs all tasks as one Spark job, with a Spark partition for each; all results come at its end."""

    is_one_job = True

    def __init__(self, client: Any) -> None:
        super().__init__(getattr(client, "sparkContext", client))
        self._group = f"tacore-{uuid.uuid4().hex}"
        self._job: Any = None

    def num_processors(self) -> int:
        return int(self._executor.defaultParallelism)

    def start(self, function: Function, arguments: Sequence[tuple[Any, ...]], at_once: int | None = None) -> list[Any]:
        packed = [_packed("pyspark.cloudpickle", function, each) for each in arguments]
        thread = ThreadPoolExecutor(1)  # so that an interruption can cancel the job
        self._job = thread.submit(self._collect, packed, at_once or len(packed))
        thread.shutdown(wait=False)
        return list(range(len(packed)))

    def _collect(self, packed: list[bytes], at_once: int) -> list[Any]:
        self._executor.setJobGroup(self._group, "tacore", interruptOnCancel=True)
        parts = self._executor.parallelize(packed, max(min(at_once, len(packed)), 1))
        return [pickle.loads(each) for each in parts.mapPartitions(_unpacked_all).collect()]

    def result(self, future: Any) -> Any:
        return self._job.result()[future]

    def cancel(self, futures: Sequence[Any]) -> None:
        if not self._job.done():
            self._executor.cancelJobGroup(self._group)
            wait([self._job])


@contextmanager
def runner_of(client: Any) -> Iterator[Runner]:
    """The engine of a client, as the functions of :mod:`tacore.distributed` take it. Raises TypeError for others."""
    if isinstance(client, Runner):
        yield client
    elif client is None and (current := _current_dask_client()) is not None:
        yield _Dask(current)
    elif client is None:
        with ThreadPoolExecutor() as threads:
            yield Runner(threads)
    elif client == "ray" or getattr(client, "__name__", "") == "ray":
        if client == "ray":
            require("ray", 'the client "ray"')
            client = importlib.import_module("ray")
        yield _Ray(client)
    elif isinstance(client, Executor):
        yield Runner(client)
    elif type(client).__module__.startswith("pyspark.") and hasattr(client, "stop"):
        yield _Spark(client)
    elif hasattr(client, "submit") and hasattr(client, "nthreads"):
        yield _Dask(client)
    else:
        raise TypeError(
            "a dask.distributed.Client, the module ray, a SparkSession or a concurrent.futures.Executor is expected, "
            f"not {client!r}"
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


def _packed(pickler: str, function: Function, arguments: tuple[Any, ...]) -> bytes:
    """A call, pickled so that also closures and functions of a script reach another process, which has `pickler`."""
    packed: bytes = importlib.import_module(pickler).dumps((function, arguments))
    return packed


def _unpacked(packed: bytes) -> Any:
    function, arguments = pickle.loads(packed)
    return function(*arguments)


def _unpacked_all(packed: Iterator[bytes]) -> Iterator[bytes]:
    """For mapPartitions. An error of unpickling is a result, too, and not a failure of the job."""
    for each in packed:
        yield pickle.dumps(_caught(_unpacked, (each,)))


class _Failed:
    """An error of a task, returned as a value, because frameworks wrap exceptions in different ways."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _caught(function: Function, arguments: tuple[Any, ...]) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        return _Failed(error)


def run(
    client: Any, function: Function, tasks: Sequence[tuple[str, tuple[Any, ...]]], progress: Progress | None
) -> Iterator[Any]:
    """Yields the results of tasks (name, arguments), in their order, until the first task that fails."""
    with runner_of(client) as runner:
        futures = runner.start(_caught, [(function, arguments) for _, arguments in tasks])
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


def _result(runner: Runner, name: str, future: Any) -> Any:
    try:
        result = runner.result(future)
    except TacoError as error:  # the inputs of the task could not be opened
        raise renamed_error(error, name) from error
    except Exception as error:  # not of the task itself: it could not be sent, or its worker died
        name = "the job" if runner.is_one_job else name
        raise TacoCreationError(f"{name}: {error or type(error).__name__}") from error
    if not isinstance(result, _Failed):
        return result
    if isinstance(result.error, TacoError):
        raise renamed_error(result.error, name) from result.error
    raise TacoCreationError(f"{name}: {type(result.error).__name__}: {result.error}") from result.error


def renamed_error(error: TacoError, name: str) -> TacoError:
    """The error with a name before its message."""
    out = type(error)(f"{name}: {error}")
    out.__dict__.update(error.__dict__)
    if isinstance(error, TacoIOError) and isinstance(out, TacoIOError):
        out.errno = error.errno
    return out
