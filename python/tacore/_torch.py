"""Datasets for torch.utils.data. Without PyTorch they have the same methods and return NumPy arrays."""

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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, SupportsIndex

from . import _core
from ._aliases import renamed
from ._arrays import array
from ._dataset import opened_rows
from ._errors import TacoError, TacoSchemaError
from ._mixed import MixedLoader
from .loader import Batch, Inputs, Loader, Rows, _Place, column_hints, files_of, named_inputs, read_columns

torch: Any
try:
    torch = importlib.import_module("torch")
except ImportError:
    torch = None
Dataset: Any = object if torch is None else torch.utils.data.Dataset
IterableDataset: Any = object if torch is None else torch.utils.data.IterableDataset

__all__ = ["TorchDataset", "TorchIterableDataset"]


class TorchDataset(Dataset):  # type: ignore[misc]
    """A map-style dataset of PyTorch: `dataset[i]` is a tuple of one sample, with a tensor of shape (bands, height,
    width) for each :class:`Input`.

    ::

        data = TorchDataset("chips.tacozip", {"image": "s2/3,4,10", "label": Column("label", classes=["no", "yes"])})
        for batch in torch.utils.data.DataLoader(data, batch_size=32, shuffle=True, num_workers=4):
            batch["image"], batch["label"]  # (32, 3, height, width), (32)

    A :class:`Column` of numbers is a tensor of shape () or (n). Its other values are Python objects, as text is, which
    a DataLoader returns as a list; a time is a datetime, and a number with ``Column(..., dtype="int64")``.

    A DataLoader requests whole batches (`__getitems__`), whose samples are read together by threads of C++, in a worker
    process directly into the memory that it shares with the main process. Unless there is a transform, the collate
    function of PyTorch takes such a batch as it is, without a copy. Samples may differ in shape. The samples of a batch
    share its memory: a sample that is kept, keeps the batch. The dataset can be pickled; worker processes, forked or
    spawned, open the files themselves.

    Args:
        rows: Dataset or frame of the samples; or a path or list of paths, which :func:`tacore.load` opens.
        inputs: Inputs, as for :class:`Loader`. With a mapping, samples are dicts by its names; else tuples.
        transform: Function called with each sample; its result replaces the sample. Several threads call it at once.
        with_row: Whether the transform is called as ``transform(sample, row)``: `row` is a dict of all columns of the
            sample, {column: value}.
        jobs: Number of threads that read a batch; 0: the number of processors divided by the workers of the DataLoader.

    Raises:
        TacoQueryError: A column cannot be read: see :meth:`Column.read`.
        ValueError: `with_row` is set without a transform.
        IndexError: `dataset[i]`: there is no such row.
        TacoError: `dataset[i]`: the sample cannot be read; the error has its path.
    """

    #: Whether all samples are like the first, as far as is known.
    _is_uniform: bool
    _reader: Any
    _memory: Any
    _reader_process: int

    @renamed(threads="'jobs'")
    def __init__(
        self,
        rows: Rows,
        inputs: Inputs = "",
        *,
        transform: Callable[..., Any] | None = None,
        with_row: bool = False,
        jobs: int = 0,
    ) -> None:
        _check_with_row(with_row, transform)
        self._rows = opened_rows(rows)
        self._inputs = named_inputs(inputs)
        self._columns = read_columns(self._rows, self._inputs)
        self._is_named = isinstance(inputs, Mapping)
        self._transform = transform
        self._with_row = with_row
        self._jobs = jobs
        self._prepare()

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: SupportsIndex) -> Any:
        position = self._position(index)
        with column_hints(self._rows, self._files):
            tensors = iter(_core.read_inputs(self._rows._core, position, self._paths, self._options))
        return self._transformed(self._sample_of(position, map(_tensor, tensors)), position)

    def __getitems__(self, indices: Sequence[SupportsIndex]) -> list[Any]:
        """`[dataset[i] for i in indices]`, read in parallel."""
        positions = [self._position(index) for index in indices]
        is_ours = type(self).__getitem__ is TorchDataset.__getitem__  # a derived class may make other samples
        tensors = self._read_together(positions) if is_ours else None
        if tensors is None:
            return list(self._pool().map(self.__getitem__, positions))
        names = [name for name in self._inputs if name not in self._columns]
        together = _Together(dict(zip(names, tensors)), list(self._inputs))
        samples = [self._sample_of(*each) for each in zip(positions, zip(*together.parts.values()))]
        if self._transform is not None:
            return list(self._pool().map(self._transformed, samples, positions))
        if torch is None:
            return samples
        out = [_NamedOfBatch(each) if self._is_named else _OfBatch(each) for each in samples]
        for each in out:
            each.together = together
        return out

    def _position(self, index: SupportsIndex) -> int:
        position = operator.index(index)
        if not -len(self) <= position < len(self):
            raise IndexError(f"no sample {position}: the dataset has {len(self)} samples")
        return position % len(self)

    def _sample_of(self, position: int, tensors: Iterable[Any]) -> Any:
        """The sample whose pixels these are, one tensor for each input that is read from FILEs."""
        pixels = iter(tensors)
        values = (
            _column(self._columns[name][position]) if name in self._columns else next(pixels) for name in self._inputs
        )
        return _sample(values, self._inputs if self._is_named else None)

    def _transformed(self, sample: Any, position: int) -> Any:
        if self._transform is None:
            return sample
        return self._transform(sample, *self._rows._rows([position])) if self._with_row else self._transform(sample)

    def _read_together(self, positions: list[int]) -> list[Any] | None:
        """The pixels of a batch, a tensor for each input; None if its samples have to be read one by one, as they
        differ from the first row in shape or type, or that cannot be opened."""
        if not self._is_uniform or not positions or not self._files:
            return None
        if self._reader is None or self._reader_process != os.getpid():
            _, num_workers = _worker()
            inputs = list(zip(self._paths, self._options))
            try:
                self._reader = _core.BatchReader(self._rows._core, inputs, self._jobs, num_workers)
            except TacoError:
                self._is_uniform = False
                return None
            # What a transform returns is copied into shared memory later.
            is_sent = _worker_info() is not None and self._transform is None
            self._memory = _memory(self._reader.kinds(), is_sent)
            self._reader_process = os.getpid()
        tensors: list[Any] = self._memory(len(positions))
        try:
            self._reader.read(positions, tensors)
        except TacoSchemaError:
            self._is_uniform = False
            return None
        return tensors

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _OF_A_PROCESS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def _prepare(self) -> None:
        self._files = files_of(self._inputs)
        self._paths = [each.path for each in self._files]
        self._options = [each._options() for each in self._files]
        self._process = 0
        self._executor: ThreadPoolExecutor | None = None
        self._is_uniform = True
        self._reader = self._memory = None
        self._reader_process = 0

    def _pool(self) -> ThreadPoolExecutor:
        """The thread pool of this process: a forked process does not inherit threads."""
        if self._executor is None or self._process != os.getpid():
            _, num_workers = _worker()
            self._executor = ThreadPoolExecutor(_num_threads(self._jobs, num_workers))
            self._process = os.getpid()
        return self._executor


_OF_A_PROCESS = frozenset(
    {"_files", "_paths", "_options", "_process", "_executor", "_is_uniform", "_reader", "_memory", "_reader_process"}
)


class _Together:
    """The tensors of a batch, by name, and the parts of them that its samples are."""

    def __init__(self, tensors: dict[str, Any], names: list[str]) -> None:
        self.tensors = tensors
        self.names = names
        self.parts = {name: list(tensor) for name, tensor in tensors.items()}

    def consists_of(self, samples: Sequence[Any]) -> bool:
        """Whether these are all samples of this batch, in its order and with the tensors that they came with."""
        if any(sample.together is not self for sample in samples):
            return False
        if any(isinstance(sample, dict) and list(sample) != self.names for sample in samples):
            return False
        return all(
            len(samples) == len(parts) and all(sample.value(name) is part for sample, part in zip(samples, parts))
            for name, parts in self.parts.items()
        )


class _OfBatch(tuple[Any, ...]):
    """A sample that knows the batch that it is of. A pickle of it is a plain tuple."""

    together: _Together

    def value(self, name: str) -> Any:
        return self[self.together.names.index(name)]

    def __reduce__(self) -> Any:
        return tuple, (tuple(self),)


class _NamedOfBatch(dict[str, Any]):
    """The same of a sample with names."""

    together: _Together

    def value(self, name: str) -> Any:
        return self[name]

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


def _collated(samples: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """What default_collate makes of these samples, without a copy where they are a whole batch."""
    together = samples[0].together
    is_named = isinstance(samples[0], dict)
    if not together.consists_of(samples):
        return _collate([dict(each) if is_named else tuple(each) for each in samples], collate_fn_map=collate_fn_map)
    values = [
        together.tensors[name]
        if name in together.tensors
        else _collate([each.value(name) for each in samples], collate_fn_map=collate_fn_map)
        for name in together.names
    ]
    return dict(zip(together.names, values)) if is_named else values


_collate: Any = None
if torch is not None:
    with suppress(ImportError):  # an older PyTorch, which copies the samples
        _collating = importlib.import_module("torch.utils.data._utils.collate")
        _collate = _collating.collate
        _collating.default_collate_fn_map.update({_OfBatch: _collated, _NamedOfBatch: _collated})


class TorchIterableDataset(IterableDataset):  # type: ignore[misc]
    """An iterable dataset of PyTorch: yields whole batches, tuples with a tensor of shape (samples, bands, height,
    width) for each :class:`Input`. A :class:`Column` of numbers is a tensor of shape (samples) or (samples, n), another
    column a list.

    ::

        data = TorchIterableDataset(rows, ["s2/3,4,10", "label"], batch_size=32, seed=0)
        for image, label in torch.utils.data.DataLoader(data, batch_size=None):
            ...

    C++ threads do the work: worker processes are not needed, and ``for image, label in data`` works without a
    DataLoader. The order of samples is that of :class:`Loader`, divided among the ranks of torch.distributed, if it is
    initialized, and among the workers of the DataLoader, if it has any.

    A complete pass is followed by a pass over the next epoch, also if a DataLoader starts new workers for each pass
    (`persistent_workers=False`); after an incomplete pass the same epoch starts again. `state_dict` and
    `load_state_dict` support StatefulDataLoader of torchdata.

    Args:
        rows: Dataset or frame of the samples; or a path or list of paths, which :func:`tacore.load` opens. Or a
            :class:`MixedLoader`, with all of its options: its batches are dicts by name.
        inputs: Inputs, as for :class:`Loader`. With a mapping, batches are dicts by its names; else tuples.
        transform: Function called with each batch; its result replaces the batch.
        with_row: Whether the transform is called as ``transform(batch, rows)``: `rows` is a list of dicts {column:
            value}, one for each sample of the batch.
        rank: Rank of this process; None: that of torch.distributed, else 0.
        world_size: Number of processes; None: that of torch.distributed, else 1.
        jobs: Number of threads that read and decode; 0: the number of processors divided by the workers of the
            DataLoader.
        options: Other options of :class:`Loader`: batch_size, shuffle, seed, epoch, start, drop_last, pad, prefetch,
            on_error. Samples that are left out are logged as warnings of the logger "tacore".
    """

    @renamed(threads="'jobs'")
    def __init__(
        self,
        rows: Rows | MixedLoader,
        inputs: Inputs = "",
        *,
        transform: Callable[..., Any] | None = None,
        with_row: bool = False,
        rank: int | None = None,
        world_size: int | None = None,
        jobs: int = 0,
        **options: Any,
    ) -> None:
        for name in ("shard", "num_workers", "worker"):
            if name in options:
                raise TypeError(f"{name!r} is no option here: the DataLoader assigns batches to its workers")
        if (rank is None) != (world_size is None):
            raise ValueError("only one of rank and world_size is given; both or neither expected")
        _check_with_row(with_row, transform)
        self._place = None if rank is None or world_size is None else (rank, world_size)
        self._jobs = jobs
        self._transform = transform
        self._with_row = with_row
        self._is_named = isinstance(inputs, Mapping) or isinstance(rows, MixedLoader)
        if isinstance(rows, MixedLoader):
            self._loader: Loader = self._taken(rows, inputs, options)
        else:
            rank, world_size = self._place or _distributed() or (0, 1)
            self._loader = Loader(rows, inputs, rank=rank, world_size=world_size, jobs=self._jobs, **options)
        self._passes = None if torch is None else _Passes()
        #: Counts the moves of the loader by the main process, which invalidate earlier records of workers.
        self._version = 0
        #: The process whose loader has its position; a worker's has it from its first pass on.
        self._process = 0

    def _taken(self, loader: MixedLoader, inputs: Inputs, options: Mapping[str, Any]) -> Loader:
        """A copy of a loader, whose rank and threads are those of this dataset unless it has others."""
        if inputs != "" or options:
            name = "inputs" if inputs != "" else next(iter(options))
            raise TypeError(f"{name} is an option of the MixedLoader: give it there")
        rank, world_size, _, num_shards = loader._share
        if num_shards > 1:
            raise TypeError("the MixedLoader has a shard, and the DataLoader assigns batches to its workers")
        if world_size > 1 and self._place is None:
            self._place = rank, world_size
        self._jobs = self._jobs or loader._options["jobs"]
        return copy.copy(loader)

    def __len__(self) -> int:
        """Number of batches of the next pass, for this rank."""
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
        """Sets the epoch of the next pass; see :meth:`Loader.set_epoch`."""
        self._catch_up()
        before = self._loader._begin
        self._loader.set_epoch(epoch)
        if self._loader._begin != before:
            self._moved()

    def state_dict(self) -> dict[str, Any]:
        """State of this rank and worker; see :meth:`Loader.state_dict`."""
        self._catch_up()
        return self._loader.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Makes the next pass continue from a state; see :meth:`Loader.load_state_dict`."""
        self._loader.load_state_dict(state)
        self._moved()

    def __getstate__(self) -> dict[str, Any]:
        # torch.distributed is not initialized in a spawned worker.
        return {**self.__dict__, "_place": self._place or _distributed(), "_process": 0}

    def _batches(self, batches: Iterator[Batch], then: Callable[[], None] | None = None) -> Iterator[Any]:
        columns, memory = self._loader._columns, None if self._transform else _shared_memory()
        for batch in batches:
            _tell_failures(batch)
            values: list[Any] = []
            for name, value in zip(batch.names, batch):
                made = _column(value) if name in columns else _tensor(value)
                values.append(made if memory is None or name in columns else memory.copy(made))
            sample = _sample(values, batch.names if self._is_named else None)
            if self._transform is None:
                yield sample
            elif self._with_row:
                yield self._transform(sample, self._loader._rows_of(batch))
            else:
                yield self._transform(sample)
        if then is not None:
            then()

    def _moved(self) -> None:
        if _worker_info() is None:
            self._version += 1
        else:
            self._process = os.getpid()

    def _catch_up(self) -> None:
        """Moves the loader of the main process behind the passes that workers have completed."""
        place = None if self._passes is None or _worker_info() is not None else self._passes.place(self._version)
        if place is not None and place != self._loader._begin:
            self._loader._go_to(place)

    def _share_out(self, loader: Loader, worker: int, num_workers: int) -> None:
        rank, world_size = self._place or _distributed() or (0, 1)
        loader._shared_out(rank, world_size, worker, num_workers, _num_threads(self._jobs, num_workers))


class _Passes:
    """Record of the passes of DataLoader workers, in a temporary file of the main process.

    New workers are copies of the main process and cannot change it: only by this file do the workers of the next epoch
    know which epoch it is. A pass consists of all workers with one seed; the first worker records its position, and the
    last one that completes it the position after it.
    """

    def __init__(self) -> None:
        handle, path = tempfile.mkstemp(prefix="tacore-passes-")
        os.close(handle)
        self._name = os.path.basename(path)  # the process that unpickles this may have another temporary folder
        weakref.finalize(self, _remove, path, os.getpid())

    def begin(self, version: int, place: _Place, info: Any) -> _Place:
        """Position where the pass of a worker begins; `place` is the position of the main process."""
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
        """Records that a worker has completed its pass, and that `epoch` is next."""
        with self._record() as record:
            now = record.get("pass")
            if record.get("version") != version or now is None or now["begun"].get(str(info.id)) != os.getpid():
                return
            now["ended"].append(info.id)
            if len(now["ended"]) == info.num_workers:
                record["place"] = _numbers(_Place(epoch))

    def place(self, version: int) -> _Place | None:
        """Position where the next pass begins; None if workers recorded nothing of this version."""
        with self._record() as record:
            return _Place(*record["place"]) if record.get("version") == version else None

    @contextmanager
    def _record(self) -> Iterator[dict[str, Any]]:
        """The record of the main process of these workers: several processes, for example ranks, may have copies of one
        dataset."""
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
    """The seed that all workers of one pass share."""
    return int(getattr(info, "seed", info.id)) - int(info.id)


def _memory(kinds: list[tuple[str, list[int]]], is_sent: bool) -> Callable[[int], list[Any]]:
    """A function that gives tensors for a number of samples, of each of these kinds; with `is_sent` in memory that a
    worker shares with the main process."""
    memory = _shared_memory() if is_sent else None
    if memory is not None:
        return lambda count: [memory.tensor(dtype, [count, *shape]) for dtype, shape in kinds]
    pool = _core.BatchMemory(kinds, 2)
    return lambda count: [_tensor(each) for each in pool.take(count)]


def _shared_memory() -> Any:
    """A SharedMemory in a worker; None elsewhere, and where the system has none."""
    if _worker_info() is None:
        return None
    try:
        module: Any = importlib.import_module("tacore._shared_memory")
    except ImportError:
        return None
    return module.SharedMemory() if module.is_supported else None


def _tensor(pixels: Any) -> Any:
    """The same memory as a tensor of PyTorch, or without PyTorch as an array."""
    return array(pixels) if torch is None else torch.from_dlpack(pixels)


def _column(values: Any) -> Any:
    """The value of a column of one sample, or the array of those of a batch: numbers as a tensor (without PyTorch as an
    array) of its own memory, others as Python objects."""
    if not hasattr(values, "dtype"):
        return values
    if values.dtype.kind not in "biuf":
        return [_column(each) for each in values] if values.dtype.kind == "O" else values.tolist()
    import numpy

    copied = numpy.array(values)
    return copied if torch is None else torch.from_numpy(copied)


def _check_with_row(with_row: bool, transform: Any) -> None:
    if with_row and transform is None:
        raise ValueError("with_row passes the row to the transform, and there is no transform")


def _sample(values: Any, names: Any) -> Any:
    return tuple(values) if names is None else dict(zip(names, values))


def _worker_info() -> Any:
    """The WorkerInfo of this DataLoader worker; None in the main process."""
    return None if torch is None else torch.utils.data.get_worker_info()


def _worker() -> tuple[int, int]:
    """(index of this worker, number of workers) of the DataLoader; (0, 1) in the main process."""
    info = _worker_info()
    return (0, 1) if info is None else (info.id, info.num_workers)


def _distributed() -> tuple[int, int] | None:
    """(rank, world size) of torch.distributed; None if it is not initialized."""
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
