"""Datasets for torch.utils.data. Without PyTorch they serve whatever follows the same protocol, with NumPy arrays."""

from __future__ import annotations

import copy
import importlib
import logging
import operator
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, SupportsIndex

from . import _core
from ._arrays import array
from ._dataset import TacoDataset
from .loader import Batch, Inputs, Loader, Rows, named_inputs

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
        threads: That read a batch; 0: the processors, divided by the DataLoader's workers.

    Raises:
        IndexError: (`dataset[i]`) No such row.
        TacoError: (`dataset[i]`) A sample that cannot be read, with its path.
    """

    def __init__(
        self, rows: Rows, inputs: Inputs = "", *, transform: Callable[[Any], Any] | None = None, threads: int = 0
    ) -> None:
        self._rows = rows.data if isinstance(rows, TacoDataset) else rows
        self._inputs = named_inputs(inputs)
        self._is_named = isinstance(inputs, Mapping)
        self._transform = transform
        self._threads = threads
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
            self._executor = ThreadPoolExecutor(_num_threads(self._threads, num_workers))
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

    A pass that comes to its end is followed by the next epoch. Workers that are started anew for each epoch
    (`persistent_workers=False`) begin with that of the process that starts them: call :meth:`set_epoch` there before
    each. `state_dict` and `load_state_dict` are what torchdata's StatefulDataLoader asks for.

    Args:
        rows: A dataset, or a frame.
        inputs: As `Loader` takes them. With a mapping, batches are dicts by its names; else tuples.
        transform: Called with each batch; what it returns takes its place.
        rank: None: that of torch.distributed, else 0.
        world_size: None: that of torch.distributed, else 1.
        threads: That read and decode; 0: the processors, divided by the DataLoader's workers.
        options: Others of `Loader`: batch_size, shuffle, seed, epoch, start, drop_last, prefetch, on_error. Samples
            that are left out are told to the logger "tacore".
    """

    def __init__(
        self,
        rows: Rows,
        inputs: Inputs = "",
        *,
        transform: Callable[[Any], Any] | None = None,
        rank: int | None = None,
        world_size: int | None = None,
        threads: int = 0,
        **options: Any,
    ) -> None:
        if (rank is None) != (world_size is None):
            raise ValueError("rank and world_size go together")
        self._place = None if rank is None or world_size is None else (rank, world_size)
        self._threads = threads
        self._transform = transform
        self._is_named = isinstance(inputs, Mapping)
        rank, world_size = self._place or _distributed() or (0, 1)
        self._loader = Loader(rows, inputs, rank=rank, world_size=world_size, threads=threads, **options)

    def __len__(self) -> int:
        """Batches of the next pass, for this rank."""
        loader = copy.copy(self._loader)
        self._share_out(loader, 0, 1)
        return len(loader)

    def __iter__(self) -> Iterator[Any]:
        self._share_out(self._loader, *_worker())
        for batch in self._loader:
            _tell_failures(batch)
            sample = _sample(map(_tensor, batch), batch.names if self._is_named else None)
            yield sample if self._transform is None else self._transform(sample)

    def set_epoch(self, epoch: int) -> None:
        """Which epoch the next pass is of, from its beginning."""
        self._loader.set_epoch(epoch)

    def state_dict(self) -> dict[str, Any]:
        """As `Loader.state_dict`, for this rank and worker."""
        return self._loader.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """As `Loader.load_state_dict`."""
        self._loader.load_state_dict(state)

    def __getstate__(self) -> dict[str, Any]:
        # A worker that is spawned does not know of torch.distributed.
        return {**self.__dict__, "_place": self._place or _distributed()}

    def _share_out(self, loader: Loader, worker: int, num_workers: int) -> None:
        rank, world_size = self._place or _distributed() or (0, 1)
        loader._shared_out(rank, world_size, worker, num_workers, _num_threads(self._threads, num_workers))


def _tensor(pixels: Any) -> Any:
    """The same memory as a tensor of PyTorch where that is installed."""
    return array(pixels) if torch is None else torch.from_dlpack(pixels)


def _sample(values: Any, names: Any) -> Any:
    return tuple(values) if names is None else dict(zip(names, values))


def _worker() -> tuple[int, int]:
    """Of the DataLoader that this process works for: (worker, number of workers)."""
    info = None if torch is None else torch.utils.data.get_worker_info()
    return (0, 1) if info is None else (info.id, info.num_workers)


def _distributed() -> tuple[int, int] | None:
    """(rank, world size), None where nothing is distributed."""
    if torch is None or "torch.distributed" not in sys.modules or not torch.distributed.is_available():
        return None
    if not torch.distributed.is_initialized():
        return None
    return torch.distributed.get_rank(), torch.distributed.get_world_size()


def _num_threads(threads: int, num_workers: int) -> int:
    return threads or max(1, (os.cpu_count() or 1) // num_workers)


def _tell_failures(batch: Batch) -> None:
    for failure in batch.failures:
        logging.getLogger("tacore").warning("left out: %s", failure.message)
