"""Batches of pixels and labels for training: :class:`Loader` for any framework, :class:`MixedLoader` for several
datasets at once; :class:`TorchDataset` and :class:`TorchIterableDataset` for PyTorch.

::

    import tacore
    from tacore.loader import Column, Loader

    rows = tacore.load("cloudsen12.tacozip").sql("SELECT * FROM data WHERE split = 'train'").data
    for image, mask, cover in Loader(rows, ["s2/3,4,10", "label", Column("cloud_cover")], batch_size=32, seed=0):
        ...  # (32, 3, height, width), (32, 1, height, width), (32,)

C++ threads read, decode and convert without holding the GIL. Arrays are numpy.ndarray if NumPy is installed, else
`raster.Tensor`, which supports DLPack; ``torch.from_numpy(image)`` copies nothing.
"""

from __future__ import annotations

import atexit
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _core
from ._aliases import renamed
from ._arrays import array
from ._columns import Column
from ._dataframe import TacoDataFrame
from ._dataset import Path, RequestPlan, TacoDataset, load, opened_rows  # noqa: F401  (the published module of this name has load)
from ._errors import TacoNavigationError, checked
from .raster import Bands, SampleFailure, ScaleLike, WindowLike, tensor_options

if TYPE_CHECKING:
    from ._mixed import MixedBatch, MixedFailure, MixedLoader
    from ._sources import Source
    from ._torch import TorchDataset, TorchIterableDataset

__all__ = [
    "Batch", "Column", "Input", "Loader", "MixedBatch", "MixedFailure", "MixedLoader", "Source", "TorchDataset",
    "TorchIterableDataset",
]  # fmt: skip


@dataclass(frozen=True)
class Input:
    """An input of a model: one array of each batch, read from one FILE of each sample.

    An input can also be written as text: "label", "s2/3,4,10" (bands 3, 4 and 10 of `s2`), "s1/vv/1", "3,4,10" (bands
    of samples that are FILEs themselves), "" (all bands of such samples). The last part of the text is a list of bands
    if it consists of numbers: the FILE `7` is ``Input("7")``. A column of the frame is a :class:`Column`, not text.

    Attributes:
        path: Ids below the sample, joined by `/`; "": the sample itself.
        bands: Bands, from 1, as for :meth:`tacore.raster.Raster.read`.
        window: Window (x, y, width, height) in pixels, as there.
        dtype: Type of the array, as there.
        scale: Factor and offset, as there.
        fill: Value that replaces no data, as there.

    Example:
        >>> Input("s2", bands=[4, 3, 2], dtype="float32", scale=0.0001)
    """

    path: str = ""
    bands: Bands = None
    window: WindowLike = None
    dtype: Any = None
    scale: ScaleLike = None
    fill: float | None = None

    @classmethod
    def parse(cls, text: str) -> Input:
        """The input that a text such as "s2/3,4,10" describes."""
        path, _, last = text.rpartition("/")
        numbers = last.split(",")
        if all(number.isascii() and number.isdigit() for number in numbers):
            return cls(path, [int(number) for number in numbers])
        return cls(text)

    def _options(self) -> _core.TensorOptions:
        return tensor_options(self.bands, self.window, self.dtype, self.scale, self.fill)


InputLike = str | Input | Column
#: One input, several inputs, or several inputs by name.
Inputs = InputLike | Sequence[InputLike] | Mapping[str, InputLike]
#: Dataset or frame of the samples; or its path, or a list of paths, as for :func:`tacore.load`.
Rows = TacoDataset | TacoDataFrame | Path | Sequence[Path]


class Batch(tuple[Any, ...]):
    """A tuple of the arrays of a batch, one for each input: of an :class:`Input` of shape (samples, bands, height,
    width), of a :class:`Column` of shape (samples) or (samples, n).

    ``image, label = batch`` unpacks it, and ``batch["label"]`` is the array of one input: names are those of a mapping
    of inputs, else the texts, paths or columns of the inputs. ``dict(batch)`` is a dict of the arrays, and
    ``model(**batch)`` passes them by name. The arrays own their memory: later batches do not overwrite them.

    Attributes:
        names: Names of the inputs, in the order of the arrays.
        positions: Row of each sample. ``labels[batch.positions]`` selects from an array with a value for each row.
        failures: Samples that `on_error="skip"` left out. If all samples failed, `positions` is empty.
        next_start: Value of `Loader(start=...)` that continues after this step of all ranks.
    """

    names: tuple[str, ...]
    positions: list[int]
    failures: list[SampleFailure]
    next_start: int

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        if key not in self.names:
            raise KeyError(f"no input {key!r}; the inputs are {', '.join(self.names)}")
        return super().__getitem__(self.names.index(key))

    def keys(self) -> tuple[str, ...]:
        """The names of the inputs, by which ``dict(batch)`` and ``**batch`` take the arrays."""
        return self.names

    def as_dict(self) -> dict[str, Any]:
        """The arrays as a dict by name."""
        return dict(zip(self.names, self))

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name!r}: {value.dtype} {tuple(value.shape)}" for name, value in zip(self.names, self))
        return f"<Batch of {len(self.positions)}: {shapes}>"


class Loader:
    """Iterates over batches of the samples of a dataset or frame; each pass is one epoch.

    The order of samples depends only on the rows, `seed` and the epoch. It is divided into steps of batch_size *
    world_size samples, each step into one batch for each rank, and the steps of a rank among its shards in turn. So
    every sample is loaded exactly once in each epoch, whatever the number of processes.

    Every rank has the same number of batches, and no batch is empty. The last step may be shorter; if it would have
    fewer samples than ranks, it takes some of the step before. If that is impossible (batches of one sample, or fewer
    samples than ranks), the loader raises TacoQueryError, unless `drop_last` or `pad` is set.

    With `shuffle_block`, blocks of so many samples that lie side by side in their files are shuffled instead of single
    samples: each is read from a server with one request. Each `shuffle_window` blocks, in their new order, are mixed,
    after first windows of 4, 8, ... blocks, since the first batch needs the first window. In
    a batch of n samples, each has about (n - 1) / `shuffle_window` neighbours of its own block. The blocks of up to 1.25
    windows are in memory, as they are stored. Requests are fewest for one rank and shard: another requests its own
    samples of each block.

    A complete pass is followed by a pass over the next epoch. :meth:`state_dict` stores the position of a pass; with
    it, or with ``start=batch.next_start``, another loader continues there, with any batch_size and world_size.

    The first row that can be opened determines the shape and type of each input. A loader can be pickled together with
    its rows; a forked or spawned process iterates over its own copy. Only one thread at a time may take batches from a
    pass.

    Args:
        rows: Dataset or frame of the samples; or a path or list of paths, which :func:`tacore.load` opens.
        inputs: One :class:`Input` or its text, or one :class:`Column`; a sequence of them; or a mapping from names to
            them. At least one is not a column.
        batch_size: Number of samples in a batch.
        shuffle: Whether samples are shuffled; None: if there is a `seed`. True without a seed means seed 0.
        seed: Seed of the order, combined with the number of the epoch.
        epoch: Number of the first epoch.
        shuffle_block: Number of neighbours that are shuffled as one block, and read from a server with one request; 0:
            each sample by itself.
        shuffle_window: Number of shuffled blocks whose samples are mixed.
        start: Number of samples in the order of the first epoch that all ranks together have loaded already:
            `Batch.next_start`.
        drop_last: Leave out the last step unless all ranks have a whole batch in it.
        pad: Repeat samples of the last step if it has fewer samples than ranks.
        rank: Rank of this process in distributed training, 0 to `world_size` - 1.
        world_size: Number of processes in distributed training.
        shard: (index, count): of `count` loaders that share the batches of one rank, this one loads the batches
            `index`, `index + count`, ... only.
        jobs: Number of threads that read and decode; 0 means one for each processor, more for a remote dataset. It
            does not affect the order of samples.
        prefetch: Number of batches that are made ahead; 0: the calling thread reads. Memory is needed for these
            batches and for those that the caller holds.
        on_error: raise: a sample that cannot be read is an error; skip: it is left out, and listed as a failure. The
            same holds for a sample that does not have the child, or differs in shape or type from the others.

    Raises:
        TacoQueryError: Options contradict each other, or leave ranks without a batch; or a column cannot be read: see
            :meth:`Column.read`.
        TacoError: The first row cannot be opened. A pass raises the error of a sample that cannot be read, with its id.

    Example:
        >>> inputs = {"image": "s2/4,3,2", "label": Column("land_cover", classes=["forest", "water"])}
        >>> for image, label in Loader("chips.tacozip", inputs, batch_size=32, seed=0):
        ...     train_step(torch.from_numpy(image), torch.from_numpy(label))
    """

    @renamed(
        threads="'jobs'",
        num_workers="'jobs'; prefetch=0 reads in the calling thread",
        worker="shard=(index, count)",
    )
    def __init__(
        self,
        rows: Rows,
        inputs: Inputs = "",
        *,
        batch_size: int = 1,
        shuffle: bool | None = None,
        seed: int | None = None,
        epoch: int = 0,
        shuffle_block: int = 0,
        shuffle_window: int = 16,
        start: int = 0,
        drop_last: bool = False,
        pad: bool = False,
        rank: int = 0,
        world_size: int = 1,
        shard: tuple[int, int] = (0, 1),
        jobs: int = 0,
        prefetch: int = 2,
        on_error: str = "raise",
    ) -> None:
        self._rows = opened_rows(rows)
        self._inputs = named_inputs(inputs)
        self._columns = read_columns(self._rows, self._inputs)
        if len(self._columns) == len(self._inputs):
            raise ValueError("a loader reads pixels, and all inputs are columns: Column(...).read(rows) reads a column")
        self._set_order(
            shuffle, seed, epoch, start, rank, world_size, shard, shuffle_block=shuffle_block,
            shuffle_window=shuffle_window, batch_size=batch_size, drop_last=drop_last, pad=pad, jobs=jobs,
            prefetch=prefetch, on_error=on_error,
        )  # fmt: skip

    def _set_order(
        self,
        shuffle: bool | None,
        seed: int | None,
        epoch: int,
        start: int,
        rank: int,
        world_size: int,
        shard: tuple[int, int],
        **options: Any,
    ) -> None:
        """The rest of __init__: `options` are those of the core for one pass."""
        if shuffle is None:
            shuffle = seed is not None
        self._seed = (seed or 0) if shuffle else None
        index, count = shard
        self._share = (rank, world_size, index, count)
        self._options = {"seed": self._seed, **options}
        self._begin = _Place(epoch, start)
        self._now = self._begin
        self._latest = 0
        self._made: Any = None
        self._next_pass()

    @property
    def epoch(self) -> int:
        """Epoch of the running pass; between passes, epoch of the next."""
        return self._now.epoch

    def set_epoch(self, epoch: int) -> None:
        """Sets the epoch of the next pass, which starts at its beginning. If a loaded state is in that epoch already,
        the pass continues from that state."""
        if epoch != self._begin.epoch:
            self._go_to(_Place(epoch))

    def state_dict(self) -> dict[str, Any]:
        """State of the latest pass, after its latest batch: a dict of integers and None."""
        place = {"epoch": self._now.epoch, "start": self._now.start, "turn": self._now.turn}
        return {**place, "seed": self._seed, **self._blocks()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Makes the next pass continue from a state.

        With several shards, a loader takes the state of the loader with the same shard.

        Raises:
            ValueError: The state has another seed or other blocks, and so another order.
        """
        for name, ours in {"seed": self._seed, **self._blocks()}.items():
            if state.get(name) != ours:
                raise ValueError(f"the state has {name} {state.get(name)}, this loader has {name} {ours}")
        if "shuffle_block" in state and not self._blocks():
            raise ValueError(f"the state has shuffle_block {state['shuffle_block']}, this loader has none")
        self._go_to(_Place(state["epoch"], state["start"], state["turn"]))

    def __len__(self) -> int:
        """Number of batches of the next pass, for this rank and shard."""
        return int(self._next_pass().num_batches())

    def plan(self) -> RequestPlan:
        """The requests of the next pass over a remote dataset, in this rank and shard, without reading its samples.

        The first sample and the addresses of all samples are read. Samples that are not requested together (those of
        more than 4 MiB, windows, bands, files of a FOLDER) each count as the first one.

        Raises:
            TacoIOError: The server does not respond.
            TacoQueryError: An option is out of range.

        Example:
            >>> Loader(dataset, batch_size=32, seed=1).plan()
            RequestPlan(requests=1567, bytes=204917504, partitions=1)
        """
        inputs = [(each.path, each._options()) for each in files_of(self._inputs)]
        return RequestPlan(*checked(_core.plan_requests)(self._rows._core, inputs, *self._place()))

    def __iter__(self) -> Iterator[Batch]:
        made, self._made = self._next_pass(), None
        self._now = self._begin
        self._latest += 1
        return _Pass(self, made, self._latest)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": None}

    def __repr__(self) -> str:
        inputs = ", ".join(repr(name) for name in self._inputs)
        return f"<Loader of {len(self._rows)} samples, [{inputs}] in batches of {self._options['batch_size']}>"

    def _shared_out(self, rank: int, world_size: int, index: int, count: int, jobs: int) -> None:
        """Sets rank, world size, shard and threads, when a DataLoader has started its processes."""
        self._share = (rank, world_size, index, count)
        self._options["jobs"] = jobs
        self._made = None

    def _blocks(self) -> dict[str, int]:
        """The options of blocks, if blocks are shuffled: without them, a state is what it always was."""
        names = ("shuffle_block", "shuffle_window") if self._options.get("shuffle_block") else ()
        return {name: self._options[name] for name in names}

    def _go_to(self, place: _Place) -> None:
        self._begin = self._now = place
        self._latest += 1  # a running pass no longer changes the position
        self._made = None

    def _next_pass(self) -> Any:
        """The batches of the next pass: an object with the methods of _core.BatchLoader."""
        if self._made is None:
            self._made = self._make_pass(*self._place())
        return self._made

    def _place(self) -> tuple[int, int, dict[str, Any]]:
        """Shard, number of shards and options of the next pass."""
        rank, world_size, index, count = self._share
        turn = index if self._begin.turn is None else self._begin.turn
        place = {"epoch": self._begin.epoch, "start": self._begin.start, "rank": rank, "world_size": world_size}
        return turn, count, {**self._options, **place}

    def _make_pass(self, shard: int, num_shards: int, options: dict[str, Any]) -> Any:
        files = files_of(self._inputs)
        inputs = [(each.path, each._options()) for each in files]
        with column_hints(self._rows, files):
            return checked(_core.BatchLoader)(self._rows._core, inputs, shard, num_shards, options)

    def _batch(self, found: Any) -> Batch:
        """The batch that the core has made."""
        tensors, positions, failures, next_start = found
        pixels = map(array, tensors)
        batch = Batch(
            self._columns[name][positions] if name in self._columns else next(pixels) for name in self._inputs
        )
        batch.names = tuple(self._inputs)
        batch.positions = positions
        batch.failures = [SampleFailure(*failure) for failure in failures]
        batch.next_start = next_start
        return batch

    def _rows_of(self, batch: Batch) -> list[dict[str, Any]]:
        """The row of each sample of a batch."""
        return list(self._rows._rows(batch.positions))

    def _gave(self, number: int, next_start: int) -> None:
        if number != self._latest:
            return
        # Counted from the end of its own step, the next step of a shard is that of the last shard in turn.
        count = self._share[3]
        self._now = _Place(self._now.epoch, next_start, count - 1 if count > 1 else None)

    def _ended(self, number: int) -> None:
        if number == self._latest:
            self._go_to(_Place(self._now.epoch + 1))


@dataclass(frozen=True)
class _Place:
    """Position where a pass begins. Steps count from `start`; `turn` is the index of the shard among these steps, None
    that of the loader."""

    epoch: int
    start: int = 0
    turn: int | None = None


class _Pass(Iterator[Batch]):
    """Iterator over the batches of one epoch: pass `number` of a loader."""

    def __init__(self, loader: Loader, made: Any, number: int) -> None:
        self._loader = loader
        self._number = number
        self._made = made
        _running.add(self)

    def __next__(self) -> Batch:
        if self._made is None:
            raise StopIteration
        found = self._made.next()
        if found is None:
            self._made = None
            self._loader._ended(self._number)
            raise StopIteration
        batch = self._loader._batch(found)
        self._loader._gave(self._number, batch.next_start)
        return batch

    def close(self) -> None:
        self._made = None


# Threads that use the interpreter must end before the interpreter does.
_running: weakref.WeakSet[_Pass] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for each in list(_running):
        each.close()


def named_inputs(inputs: Inputs) -> dict[str, Input | Column]:
    """Inputs by name, in order. Raises TypeError for another type, ValueError for a duplicate name."""
    if isinstance(inputs, (str, Input, Column)):
        inputs = [inputs]
    pairs = inputs.items() if isinstance(inputs, Mapping) else [(_name(each), each) for each in inputs]
    out: dict[str, Input | Column] = {}
    for name, each in pairs:
        if not isinstance(each, (str, Input, Column)):
            raise TypeError(f"an input is text, an Input or a Column, not {type(each).__name__}")
        if name in out:
            raise ValueError(f"two inputs are called {name!r}; pass a mapping with different names")
        out[name] = Input.parse(each) if isinstance(each, str) else each
    return out


def _name(each: InputLike) -> str:
    if isinstance(each, Column):
        return each.name
    return each.path if isinstance(each, Input) else each


def files_of(inputs: Mapping[str, Input | Column]) -> list[Input]:
    """The inputs that are read from FILEs, in order."""
    return [each for each in inputs.values() if isinstance(each, Input)]


def read_columns(rows: TacoDataFrame, inputs: Mapping[str, Input | Column]) -> dict[str, Any]:
    """The arrays of the inputs that are columns, with a value for each row."""
    return {name: each.read(rows) for name, each in inputs.items() if isinstance(each, Column)}


@contextmanager
def column_hints(rows: TacoDataFrame, files: Sequence[Input]) -> Iterator[None]:
    """Says in the error of a FILE that does not exist that a column has its name, and how to read that."""
    try:
        yield
    except TacoNavigationError as error:
        name = next((each.path for each in files if each.path in rows and f"'{each.path}'" in error.message), None)
        if name is None:
            raise
        hint = f"; write Column({name!r}) to read the column {name!r}"
        told = type(error)(str(error) + hint)
        told.__dict__.update(error.__dict__, message=error.message + hint)
        raise told from None


def __getattr__(name: str) -> Any:
    if name in ("TorchDataset", "TorchIterableDataset"):
        from . import _torch

        return getattr(_torch, name)
    if name in ("MixedBatch", "MixedFailure", "MixedLoader", "Source"):
        from . import _mixed

        return getattr(_mixed, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
