"""Datasets for torch.utils.data. Without PyTorch they serve whatever follows the same protocol, with NumPy arrays."""

from __future__ import annotations

import copy
import fcntl
import importlib
import json
import logging
import multiprocessing
import operator
import os
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, SupportsIndex

from . import _core
from ._aliases import renamed
from ._arrays import array
from ._dataset import rows_of
from .loader import Batch, Inputs, Loader, Rows, _Place, named_inputs

torch: Any
try:
    torch = importlib.import_module("torch")
except ImportError:
    torch = None
Dataset: Any = object if torch is None else torch.utils.data.Dataset
IterableDataset: Any = object if torch is None else torch.utils.data.IterableDataset

__all__ = ["TorchDataset", "TorchIterableDataset"]


class TorchDataset(Dataset):  # type: ignore[misc]
    """A map-style dataset: `dataset[i]` is the tensors of one sample, shape (bands, height, width).

    ::

        data = TorchDataset(rows, ["s2/3,4,10", "label"])
        for image, label in torch.utils.data.DataLoader(data, batch_size=32, shuffle=True, num_workers=4):
            ...

    A DataLoader asks for a batch at once (`__getitems__`): its samples are read side by side by threads. Samples may
    differ in shape. Can be pickled; worker processes, forked or spawned, read for themselves.

    Args:
        rows: A dataset, or a frame.
        inputs: As `Loader` takes them. With a mapping, samples are dicts by its names; else tuples.
        transform: Called with each sample; what it returns takes its place. Threads call it side by side.
        jobs: Number of threads that read a batch; 0 means the processors, divided by the DataLoader's workers.

    Raises:
        IndexError: (`dataset[i]`) No such row.
        TacoError: (`dataset[i]`) A sample that cannot be read, with its path.
    """

    @renamed(threads="'jobs'")
    def __init__(
        self,
        rows: Rows,
        inputs: Inputs = "",
        *,
        transform: Callable[[Any], Any] | None = None,
        jobs: int = 0,
    ) -> None:
        self._rows = rows_of(rows)
        self._inputs = named_inputs(inputs)
        self._is_named = isinstance(inputs, Mapping)
        self._transform = transform
        self._jobs = jobs
        self._prepare()

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: SupportsIndex) -> Any:
        position = operator.index(index)
        if not -len(self) <= position < len(self):
            raise IndexError(f"sample {position} of {len(self)}")
        tensors = _core.read_inputs(self._rows._core, position % len(self), self._paths, self._options)
        sample = _sample(map(_tensor, tensors), self._inputs if self._is_named else None)
        return sample if self._transform is None else self._transform(sample)

    def __getitems__(self, indices: Sequence[SupportsIndex]) -> list[Any]:
        """`[dataset[i] for i in indices]`, read side by side."""
        return list(self._pool().map(self.__getitem__, indices))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _OF_A_PROCESS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def _prepare(self) -> None:
        self._paths = [each.path for each in self._inputs.values()]
        self._options = [each._options() for each in self._inputs.values()]
        self._process = 0
        self._executor: ThreadPoolExecutor | None = None

    def _pool(self) -> ThreadPoolExecutor:
        """Threads do not go along with a fork."""
        if self._executor is None or self._process != os.getpid():
            _, num_workers = _worker()
            self._executor = ThreadPoolExecutor(_num_threads(self._jobs, num_workers))
            self._process = os.getpid()
        return self._executor


_OF_A_PROCESS = frozenset({"_paths", "_options", "_process", "_executor"})


class TorchIterableDataset(IterableDataset):  # type: ignore[misc]
    """An iterable dataset of whole batches, tensors of shape (samples, bands, height, width).

    ::

        data = TorchIterableDataset(rows, ["s2/3,4,10", "label"], batch_size=32, seed=0)
        for image, label in torch.utils.data.DataLoader(data, batch_size=None):
            ...

    Threads of the core do the work: no worker processes are needed, and ``for image, label in data`` does as well.
    Order and shares are those of `Loader`: of the rank and number of processes of torch.distributed where it is
    initialized, and of the DataLoader's workers where there are some.

    A pass that comes to its end is followed by the next epoch, also where a DataLoader starts workers anew for each
    (`persistent_workers=False`); a pass that is left begins anew. `state_dict` and `load_state_dict` are what
    torchdata's StatefulDataLoader asks for.

    Args:
        rows: A dataset, or a frame.
        inputs: As `Loader` takes them. With a mapping, batches are dicts by its names; else tuples.
        transform: Called with each batch; what it returns takes its place.
        rank: None: that of torch.distributed, else 0.
        world_size: None: that of torch.distributed, else 1.
        jobs: Number of threads that read and decode; 0 means the processors, divided by the DataLoader's workers.
        options: Others of `Loader`: batch_size, shuffle, seed, epoch, start, drop_last, pad, prefetch, on_error.
            Samples that are left out are told to the logger "tacore".
    """

    @renamed(threads="'jobs'")
    def __init__(
        self,
        rows: Rows,
        inputs: Inputs = "",
        *,
        transform: Callable[[Any], Any] | None = None,
        rank: int | None = None,
        world_size: int | None = None,
        jobs: int = 0,
        **options: Any,
    ) -> None:
        for name in ("shard", "num_workers", "worker"):
            if name in options:
                raise TypeError(f"{name} is no option here: the DataLoader says which worker this is")
        if (rank is None) != (world_size is None):
            raise ValueError("rank and world_size go together")
        self._place = None if rank is None or world_size is None else (rank, world_size)
        self._jobs = jobs
        self._transform = transform
        self._is_named = isinstance(inputs, Mapping)
        rank, world_size = self._place or _distributed() or (0, 1)
        self._loader = Loader(rows, inputs, rank=rank, world_size=world_size, jobs=self._jobs, **options)
        self._passes = None if torch is None else _Passes()
        #: Counts where the main process moved the loader: what workers wrote down before is void then.
        self._version = 0
        #: The process whose loader knows its place, as a worker's does from its first pass on.
        self._process = 0

    def __len__(self) -> int:
        """Batches of the next pass, for this rank."""
        self._catch_up()
        loader = copy.copy(self._loader)
        self._share_out(loader, 0, 1)
        return len(loader)

    def __iter__(self) -> Iterator[Any]:
        info, passes = _worker_info(), self._passes
        self._share_out(self._loader, *_worker())
        if info is None or passes is None:
            self._catch_up()
            self._version += 1
            return self._batches(iter(self._loader))
        place = passes.begin(self._version, self._loader._begin, info)
        if self._process != os.getpid():
            self._loader._go_to(place)
            self._process = os.getpid()
        ended = self._loader.epoch + 1
        return self._batches(iter(self._loader), lambda: passes.end(self._version, ended, info))

    def set_epoch(self, epoch: int) -> None:
        """As `Loader.set_epoch`."""
        self._catch_up()
        before = self._loader._begin
        self._loader.set_epoch(epoch)
        if self._loader._begin != before:
            self._moved()

    def state_dict(self) -> dict[str, Any]:
        """As `Loader.state_dict`, for this rank and worker."""
        self._catch_up()
        return self._loader.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """As `Loader.load_state_dict`."""
        self._loader.load_state_dict(state)
        self._moved()

    def __getstate__(self) -> dict[str, Any]:
        # A worker that is spawned does not know of torch.distributed.
        return {**self.__dict__, "_place": self._place or _distributed(), "_process": 0}

    def _batches(self, batches: Iterator[Batch], then: Callable[[], None] | None = None) -> Iterator[Any]:
        for batch in batches:
            _tell_failures(batch)
            sample = _sample(map(_tensor, batch), batch.names if self._is_named else None)
            yield sample if self._transform is None else self._transform(sample)
        if then is not None:
            then()

    def _moved(self) -> None:
        if _worker_info() is None:
            self._version += 1
        else:
            self._process = os.getpid()

    def _catch_up(self) -> None:
        """In the main process: behind the passes that workers came to the end of."""
        place = None if self._passes is None or _worker_info() is not None else self._passes.place(self._version)
        if place is not None and place != self._loader._begin:
            self._loader._go_to(place)

    def _share_out(self, loader: Loader, worker: int, num_workers: int) -> None:
        rank, world_size = self._place or _distributed() or (0, 1)
        loader._shared_out(rank, world_size, worker, num_workers, _num_threads(self._jobs, num_workers))


class _Passes:
    """What workers of DataLoaders wrote down of their passes, in a file of the main process.

    Workers that are started anew are copies of what the main process has, to which they can tell nothing: by the file
    alone do those of the next epoch know that it is the next. One pass is that of all workers with one seed; its place
    is settled by the first of them, and the place behind it by the last that comes to its end.
    """

    def __init__(self) -> None:
        handle, path = tempfile.mkstemp(prefix="tacore-passes-")
        os.close(handle)
        self._name = os.path.basename(path)  # the folder may be another one where this is unpickled
        weakref.finalize(self, _remove, path, os.getpid())

    def begin(self, version: int, place: _Place, info: Any) -> _Place:
        """Where the pass of a worker begins, for which `place` is that of the main process."""
        with self._record() as record:
            if record.get("version") != version:
                record.clear()
                record.update(version=version, place=_numbers(place))
            now = record.get("pass")
            if now is None or now["seed"] != _base_seed(info) or str(info.id) in now["begun"]:
                now = record["pass"] = {"seed": _base_seed(info), "place": record["place"], "begun": {}, "ended": []}
            now["begun"][str(info.id)] = os.getpid()
            return _Place(*now["place"])

    def end(self, version: int, epoch: int, info: Any) -> None:
        """A worker came to the end of its pass, which `epoch` follows."""
        with self._record() as record:
            now = record.get("pass")
            if record.get("version") != version or now is None or now["begun"].get(str(info.id)) != os.getpid():
                return
            now["ended"].append(info.id)
            if len(now["ended"]) == info.num_workers:
                record["place"] = _numbers(_Place(epoch))

    def place(self, version: int) -> _Place | None:
        """Where the next pass begins; None where workers wrote nothing of this version."""
        with self._record() as record:
            return _Place(*record["place"]) if record.get("version") == version else None

    @contextmanager
    def _record(self) -> Iterator[dict[str, Any]]:
        """That of the process whose workers they are: several, ranks for example, may have copies of one dataset."""
        parent = None if _worker_info() is None else multiprocessing.parent_process()
        process = str(os.getpid() if parent is None else parent.pid)
        path = os.path.join(tempfile.gettempdir(), self._name)
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            records = json.loads(file.read() or "{}")
            before = json.dumps(records)
            yield records.setdefault(process, {})
            if json.dumps(records) != before:
                file.seek(0)
                file.truncate()
                file.write(json.dumps(records))


def _remove(path: str, process: int) -> None:
    if process == os.getpid():  # not a forked child
        with suppress(OSError):
            os.remove(path)


def _numbers(place: _Place) -> list[int | None]:
    return [place.epoch, place.start, place.turn]


def _base_seed(info: Any) -> int:
    """What the workers of one pass have in common."""
    return int(getattr(info, "seed", info.id)) - int(info.id)


def _tensor(pixels: Any) -> Any:
    """The same memory as a tensor of PyTorch where that is installed."""
    return array(pixels) if torch is None else torch.from_dlpack(pixels)


def _sample(values: Any, names: Any) -> Any:
    return tuple(values) if names is None else dict(zip(names, values))


def _worker_info() -> Any:
    """What a DataLoader says of the worker that this process is; None in the main process."""
    return None if torch is None else torch.utils.data.get_worker_info()


def _worker() -> tuple[int, int]:
    """Of the DataLoader that this process works for: (worker, number of workers)."""
    info = _worker_info()
    return (0, 1) if info is None else (info.id, info.num_workers)


def _distributed() -> tuple[int, int] | None:
    """(rank, world size), None where nothing is distributed."""
    if torch is None or "torch.distributed" not in sys.modules or not torch.distributed.is_available():
        return None
    if not torch.distributed.is_initialized():
        return None
    return torch.distributed.get_rank(), torch.distributed.get_world_size()


def _num_threads(jobs: int, num_workers: int) -> int:
    return jobs or max(1, (os.cpu_count() or 1) // num_workers)


def _tell_failures(batch: Batch) -> None:
    for failure in batch.failures:
        logging.getLogger("tacore").warning("left out: %s", failure.message)
