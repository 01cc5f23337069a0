"""One budget of requests for all tasks of a job, wherever they run.

The driver gives each task a share of what is left; the C++ library holds the process of the task to the shares of the
tasks that run in it, and counts. A task returns what its process has used. A task whose share is too small is repeated
when the others are done, with all that is left; if that is too small as well, the budget is used up.
"""

from __future__ import annotations

import operator
import os
import socket
import threading
import uuid
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from . import _core
from ._engines import Function, Runner, runner_of
from ._errors import TacoError, TacoIOError, TacoQueryError


class Use(NamedTuple):
    """HTTP requests that were sent to read files.

    Attributes:
        requests: Number of requests, redirects and repeated ones among them.
        bytes: Bytes of the responses, without their headers.
    """

    requests: int
    bytes: int


class WorkerUse(NamedTuple):
    """What one process has used of a :class:`Budget`.

    Attributes:
        worker: Name of the machine and number of the process, "node3:4711".
        num_tasks: Number of tasks that it has finished, repeated ones among them.
        requests: Number of requests, redirects and repeated ones among them.
        bytes: Bytes of the responses, without their headers.
    """

    worker: str
    num_tasks: int
    requests: int
    bytes: int


class Budget:
    """What the functions of :mod:`tacore.distributed` may request from servers, all workers together.

    A budget counts, also without any limit. The same one can be passed to several calls: they share it. It is not for
    calls that run at the same time.

    Counted are the requests that tacore sends to read files, not uploads, nor what GDAL reads for it; of a worker that
    is lost, and of tasks that the engine repeats by itself, only what is reported. Requests that others send in a
    process of a worker, while a task of the job runs there, are held to the limits and counted, too. The disk cache
    (`cache_dir`) saves requests as elsewhere.

    Args:
        requests: The most requests; None: no limit.
        bytes: The most bytes of responses. A request for more than what is left is not sent; None: no limit.
        requests_per_second: The most requests in a second, evenly spaced in each process; None: no limit.
        concurrent_requests: The most requests in flight. At most so many tasks run at a time; None: no limit but
            `max_concurrent_requests` of each dataset (:func:`tacore.set_storage_options`).

    Raises:
        TacoQueryError: A number is out of range: 0 or more, for the last two more than 0.

    Example:
        >>> budget = tacore.distributed.Budget(bytes=10**12, requests_per_second=100)
        >>> tacore.distributed.compute_statistics("s3://bucket/chips.tacozip", client, budget=budget)
        >>> budget.used
        Use(requests=20412, bytes=8312440122)
    """

    def __init__(
        self,
        *,
        requests: int | None = None,
        bytes: int | None = None,
        requests_per_second: float | None = None,
        concurrent_requests: int | None = None,
    ) -> None:
        self._limits = Share(
            _whole("requests", requests, 0),
            _whole("bytes", bytes, 0),
            requests_per_second,
            _whole("concurrent_requests", concurrent_requests, 1),
        )
        if requests_per_second is not None and not 1 / 86400 <= requests_per_second < float("inf"):
            raise TacoQueryError(
                f"requests_per_second is {requests_per_second!r}; at least one request in 24 hours is expected"
            )
        self._id = uuid.uuid4().hex
        self._workers: dict[str, WorkerUse] = {}

    @property
    def used(self) -> Use:
        """What all workers have used together."""
        return Use(sum(each.requests for each in self.workers), sum(each.bytes for each in self.workers))

    @property
    def workers(self) -> list[WorkerUse]:
        """What each process has used, in the order of their first reports. The driver is one, too."""
        return list(self._workers.values())

    def __repr__(self) -> str:
        names = ("requests", "bytes", "requests_per_second", "concurrent_requests")
        limits = [f"{name}={limit!r}" for name, limit in zip(names, self._limits) if limit is not None]
        return f"<Budget({', '.join(limits)}): {self.used.requests} requests and {self.used.bytes} bytes used>"

    def _take(self, report: Report) -> None:
        """Takes note of what a process has used."""
        before = self._workers.get(report.process)
        num_tasks = (before.num_tasks if before else 0) + report.is_task
        # Reports of the tasks of a process may arrive in another order.
        requests, bytes = (max(now, then) for now, then in zip(report.use, before[2:] if before else (0, 0)))
        self._workers[report.process] = WorkerUse(report.worker, num_tasks, requests, bytes)

    def _left(self) -> Use:
        """What may still be used, of numbers without a limit any."""
        return Use(*(
            limit if limit is None else max(limit - used, 0) for limit, used in zip(self._limits[:2], self.used)
        ))  # type: ignore[arg-type] # fmt: skip

    def _used_up(self) -> str:
        parts = [
            f"{used} of {limit} {name}" if limit is not None else f"{used} {name}"
            for name, used, limit in zip(Use._fields, self.used, self._limits)
        ]
        return f"the budget is used up: {' and '.join(parts)} are used"


class Share(NamedTuple):
    """What the tasks of a process may use; None: any number."""

    requests: int | None
    bytes: int | None
    per_second: float | None
    concurrent: int | None


class Report(NamedTuple):
    """What a process has used of a budget so far."""

    process: str
    worker: str
    use: Use
    is_refused: bool
    """Whether requests were not sent while the task ran, since the shares were used up."""
    is_task: bool = True


@contextmanager
def budgeted(client: Any, budget: Budget | None) -> Iterator[Runner]:
    """The engine of a client, whose tasks keep to a budget."""
    with runner_of(client) as runner:
        yield runner if budget is None else _BudgetRunner(runner, budget)


@contextmanager
def counted_here(budget: Budget | None, what: str) -> Iterator[None]:
    """Holds what the driver requests in the body to the budget. Raises TacoIOError, which says what it was for."""
    if budget is None:
        yield
        return
    share = Share(*budget._left(), *budget._limits[2:])
    token = _begin(budget._id, share)
    error: Exception | None = None
    try:
        yield
    except TacoError as caught:
        error = caught
        raise
    finally:
        report = _end(token)
        budget._take(report._replace(is_task=False))
        if report.is_refused:
            raise TacoIOError(f"{what}: {budget._used_up()}") from error


class _Running(NamedTuple):
    """A task that has begun."""

    number: int
    future: Any
    share: Share
    is_alone: bool
    """No other task has a share: this one has all that is left."""


class _BudgetRunner(Runner):
    """Runs tasks by another runner: at most as many at a time as it has processors, each with a share."""

    def __init__(self, runner: Runner, budget: Budget) -> None:
        self._runner = runner
        self._budget = budget
        self.is_one_job = runner.is_one_job
        self.is_here = runner.is_here

    def num_processors(self) -> int:
        most = self._budget._limits.concurrent
        found = self._runner.num_processors()
        return found if most is None else min(found, most)

    def start(self, function: Function, arguments: Sequence[tuple[Any, ...]], at_once: int | None = None) -> list[Any]:
        self._function = function
        self._arguments = arguments
        self._queue = deque(range(len(arguments)))
        self._running: deque[_Running] = deque()
        self._refused: deque[int] = deque()
        self._results: dict[int, Any] = {}
        self._width = self.num_processors()
        if self.is_one_job and arguments:  # all are sent together, and wait for each other: nothing is given back
            self._begin(list(self._queue), self._share(len(arguments), self._width))
            self._queue.clear()
        self._fill()
        return list(range(len(arguments)))

    def result(self, future: Any) -> Any:
        while future not in self._results:
            self._collect()
        return self._results.pop(future)

    def cancel(self, futures: Sequence[Any]) -> None:
        self._runner.cancel([each.future for each in self._running])
        self._running.clear()

    def _fill(self) -> None:
        while self._queue and len(self._running) < self._width:
            ways = self._width - len(self._running)
            self._begin([self._queue.popleft()], self._share(ways, ways))

    def _begin(self, numbers: list[int], share: Share, is_alone: bool = False) -> None:
        tasks = [(self._budget._id, share, self._function, self._arguments[number]) for number in numbers]
        futures = self._runner.start(_counted, tasks, self._width)
        self._running.extend(
            _Running(number, future, share, is_alone) for number, future in zip(numbers, futures, strict=True)
        )

    def _share(self, ways: int, ways_at_once: int) -> Share:
        """A part of what is neither used nor in the shares of running tasks."""
        limits = (*self._budget._left(), *self._budget._limits[2:])
        requests, bytes, per_second, concurrent = (
            None if limit is None else limit - sum(each.share[at] or 0 for each in self._running)
            for at, limit in enumerate(limits)
        )
        return Share(
            None if requests is None else max(int(requests) // ways, 0),
            None if bytes is None else max(int(bytes) // ways, 0),
            None if per_second is None else per_second / ways_at_once,
            None if concurrent is None else max(int(concurrent) // ways_at_once, 1),
        )

    def _collect(self) -> None:
        """Waits for the task that was begun first."""
        if not self._running:  # only refused ones are left
            self._begin([self._refused.popleft()], self._share(1, 1), is_alone=True)
        now = self._running.popleft()
        outcome, report = self._runner.result(now.future)
        self._budget._take(report)
        if not report.is_refused:
            self._results[now.number] = outcome
        elif now.is_alone:
            num_left = len(self._queue) + len(self._running) + len(self._refused) + 1
            num_all = len(self._arguments)
            raise TacoIOError(f"{self._budget._used_up()}; {num_all - num_left} of {num_all} tasks are done")
        else:
            self._refused.append(now.number)
        self._fill()


# In the processes of tasks.


class _Process:
    """What the running tasks of this process may use together, and what each job has used here."""

    def __init__(self) -> None:
        self.id = uuid.uuid4().hex
        self.name = f"{socket.gethostname()}:{os.getpid()}"
        self.running: dict[object, tuple[str, Share]] = {}
        #: Requests and bytes that are left of the shares.
        self.left = [0, 0]
        self.seen = (0, 0)
        self.used: dict[str, list[int]] = {}

    def count(self) -> None:
        """Adds what was used since the last call to the jobs that have running tasks."""
        now = _core.remote_use()[:2]
        for at, (new, old) in enumerate(zip(now, self.seen)):
            self.left[at] -= new - old
            for job in {job for job, _ in self.running.values()}:
                self.used.setdefault(job, [0, 0])[at] += new - old
        self.seen = now

    def limit(self) -> None:
        """Sets the limits of the process to those of the running tasks together."""
        shares = [share for _, share in self.running.values()]
        limits: list[Any] = [
            max(seen + left, 0) if any(share[at] is not None for share in shares) else None
            for at, (seen, left) in enumerate(zip(self.seen, self.left))
        ]
        for at in (2, 3):
            known = [share[at] for share in shares if share[at] is not None]
            limits.append(sum(known) if known else None)
        _core.set_remote_limits(*limits)


_lock = threading.Lock()
_process = _Process()


def _forget() -> None:
    """In a forked child: its tasks are others."""
    global _lock, _process
    _lock = threading.Lock()
    _process = _Process()


os.register_at_fork(after_in_child=_forget)


def _begin(job: str, share: Share) -> tuple[object, str, int]:
    token = object()
    with _lock:
        _process.count()
        if not _process.running:
            _process.left = [0, 0]
        _process.running[token] = (job, share)
        for at in (0, 1):
            _process.left[at] += int(share[at] or 0)
        _process.limit()
    return token, job, _core.remote_use()[2]


def _end(begun: tuple[object, str, int]) -> Report:
    token, job, num_refused = begun
    with _lock:
        _process.count()
        del _process.running[token]
        rest = [share for _, share in _process.running.values()]
        for at in (0, 1):  # a task does not leave to others what it has not used: the driver gives that away
            _process.left[at] = min(_process.left[at], sum(int(share[at] or 0) for share in rest))
        _process.limit()
        use = Use(*_process.used.get(job, (0, 0)))
        return Report(_process.id, _process.name, use, _core.remote_use()[2] > num_refused)


def _counted(job: str, share: Share, function: Function, arguments: tuple[Any, ...]) -> tuple[Any, Report]:
    """The result of a function, which returns its errors, and what the process has used."""
    begun = _begin(job, share)
    outcome = None
    try:
        outcome = function(*arguments)
    finally:
        report = _end(begun)
    return outcome, report


def _whole(name: str, value: Any, least: int) -> int | None:
    try:
        number = None if value is None else operator.index(value)
    except TypeError:
        number = -1
    if number is not None and number < least:
        raise TacoQueryError(f"{name} is {value!r}; a whole number, {least} or more, is expected")
    return number
