"""Batches of pixels for training: in any framework by :class:`Loader`, in PyTorch also by :class:`TorchDataset` and
:class:`TorchIterableDataset`.

::

    import tacore
    from tacore.loader import Loader

    rows = tacore.load("cloudsen12.tacozip").sql("SELECT * FROM data WHERE split = 'train'").data
    for image, label in Loader(rows, ["s2/3,4,10", "label"], batch_size=32, seed=0):
        ...  # (32, 3, height, width), (32, 1, height, width)

Threads of the core read, decode and convert; the interpreter is free meanwhile. Arrays are numpy.ndarray where NumPy is
installed, else `raster.Tensor`, which anything that speaks DLPack takes; ``torch.from_numpy(image)`` copies nothing.
"""

from __future__ import annotations

import atexit
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _core
from ._aliases import renamed
from ._arrays import array
from ._dataframe import TacoDataFrame
from ._dataset import TacoDataset, rows_of
from ._errors import in_words
from .raster import Bands, SampleFailure, ScaleLike, WindowLike, skips, tensor_options

if TYPE_CHECKING:
    from ._torch import TorchDataset, TorchIterableDataset

__all__ = ["Batch", "Input", "Loader", "TorchDataset", "TorchIterableDataset"]


@dataclass(frozen=True)
class Input:
    """One array of each batch: which FILE of a sample, and what of its pixels.

    As text: "label", "s2/3,4,10" (bands 3, 4 and 10 of `s2`), "s1/vv/1", "3,4,10" (of samples that are FILEs
    themselves), "" (all of such a sample). The last part is bands when it is numbers alone: the FILE `7` is
    ``Input("7")``.

    Attributes:
        path: Ids below the sample, joined by `/`; "": the sample itself.
        bands: As the others here, what `raster.Raster.read` takes.
    """

    path: str = ""
    bands: Bands = None
    window: WindowLike = None
    dtype: Any = None
    scale: ScaleLike = None
    fill: float | None = None

    @classmethod
    def parse(cls, text: str) -> Input:
        """The inverse of the text above."""
        path, _, last = text.rpartition("/")
        numbers = last.split(",")
        if all(number.isascii() and number.isdigit() for number in numbers):
            return cls(path, [int(number) for number in numbers])
        return cls(text)

    def _options(self) -> _core.TensorOptions:
        return tensor_options(self.bands, self.window, self.dtype, self.scale, self.fill)


InputLike = str | Input
#: One, several, or several with names.
Inputs = InputLike | Sequence[InputLike] | Mapping[str, InputLike]
Rows = TacoDataset | TacoDataFrame


class Batch(tuple[Any, ...]):
    """The arrays of a batch, shape (samples, bands, height, width), in the order of the inputs.

    ``image, label = batch`` takes them apart; by name they are ``batch["label"]``: names are those of a mapping of
    inputs, else their texts or paths. They own their memory: no later batch writes to it.

    Attributes:
        names: Of the inputs.
        positions: Of each sample: its row.
        failures: Samples that `on_error="skip"` left out; `positions` may even be empty then.
        next_start: `Loader(start=...)` of what follows, once all ranks are through this step.
    """

    names: tuple[str, ...]
    positions: list[int]
    failures: list[SampleFailure]
    next_start: int

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return super().__getitem__(key)
        if key not in self.names:
            raise KeyError(f"no input {key!r}; there are {', '.join(self.names)}")
        return super().__getitem__(self.names.index(key))

    def as_dict(self) -> dict[str, Any]:
        """The arrays by name."""
        return dict(zip(self.names, self))

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name!r}: {value.dtype} {tuple(value.shape)}" for name, value in zip(self.names, self))
        return f"<Batch of {len(self.positions)}: {shapes}>"


class Loader:
    """Batches from the samples of a dataset or frame, an epoch of them each time it is iterated over.

    ``for image, label in Loader(rows, ["s2", "label"], batch_size=32, seed=0): ...`` gives every sample once.

    The order of samples depends on the rows, `seed` and the epoch alone. It is cut into steps of batch_size *
    world_size samples, a step into a batch for each rank, and step k of a rank is that of its shard k % count: no
    sample is lost and none comes twice, whatever the number of processes.

    Every rank has the same number of batches, none of them empty: the last step may be shorter, and where it would have
    fewer samples than ranks, the step before gives it some. Where that cannot be (batches of one sample, or fewer
    samples than ranks in all) it is an error, unless `drop_last` or `pad` says what becomes of that step.

    Each pass that comes to its end is followed by the next epoch. :meth:`state_dict` says where a pass is; with it, or
    with ``start=batch.next_start``, another loader goes on from there, with any batch_size and world_size.

    The first row that can be opened fixes the shape and type of each input. Can be pickled, with the rows that it has;
    a child process that was forked or spawned iterates over its copy. One thread at a time may ask a pass for batches.

    Args:
        rows: A dataset, or a frame.
        inputs: :class:`Input` or its text; several in a sequence; or a mapping from names to them.
        batch_size: Samples in a batch.
        shuffle: None: when there is a `seed`. True without one takes seed 0.
        seed: Shuffles by this number and the epoch.
        epoch: The first one.
        start: Samples of the first epoch's order that all ranks together are through with: `Batch.next_start`.
        drop_last: Leaves out the last step unless all ranks have a whole batch in it.
        pad: Repeats samples of the last step where it has fewer than ranks.
        rank: Of `world_size` trainings side by side.
        world_size: Their number.
        shard: (index, count): of `count` loaders that share the batches of one rank, this one gives the batches
            `index`, `index + count`, ... only.
        jobs: Number of threads that read and decode; 0 means one for each processor, more for a remote dataset. It
            does not change which samples come.
        prefetch: Batches that are made ahead; 0: none, the calling thread reads. They, and those you hold, are what
            memory is needed for.
        on_error: "raise", or "skip" to leave out a sample that cannot be read, has no such child, or not the shape and
            type of the others; `Batch.failures` tells.

    Raises:
        TacoQueryError: Options that make no sense, or leave ranks without a batch.
        TacoError: What opening the first row raises. A pass raises what reading a sample does, with its id.
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
        self._rows = rows_of(rows)
        self._inputs = named_inputs(inputs)
        self._batch_size = batch_size
        if shuffle is None:
            shuffle = seed is not None
        self._seed = (seed or 0) if shuffle else None
        self._drop_last = drop_last
        self._pad = pad
        index, count = shard
        self._share = (rank, world_size, index, count)
        self._jobs = jobs
        self._prefetch = prefetch
        self._skip = skips(on_error)
        self._begin = _Place(epoch, start)
        self._now = self._begin
        self._latest = 0
        self._made: _core.BatchLoader | None = None
        self._next_pass()

    @property
    def epoch(self) -> int:
        """Of the pass that is under way, else of the next."""
        return self._now.epoch

    def set_epoch(self, epoch: int) -> None:
        """Which epoch the next pass is of, from its beginning; of the epoch that a state leads into, from there."""
        if epoch != self._begin.epoch:
            self._go_to(_Place(epoch))

    def state_dict(self) -> dict[str, Any]:
        """Where the pass that was begun last is, after the batch that it gave last: whole numbers and None."""
        return {"epoch": self._now.epoch, "start": self._now.start, "turn": self._now.turn, "seed": self._seed}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """The next pass goes on from there.

        A loader of one of several shards takes what the loader of the same shard gave.

        Raises:
            ValueError: The state is of another seed, whose order is another one.
        """
        if state["seed"] != self._seed:
            raise ValueError(f"the state is of seed {state['seed']}, this loader has {self._seed}")
        self._go_to(_Place(state["epoch"], state["start"], state["turn"]))

    def __len__(self) -> int:
        """Batches of the next pass, for this rank and shard."""
        return self._next_pass().num_batches()

    def __iter__(self) -> Iterator[Batch]:
        made, self._made = self._next_pass(), None
        self._now = self._begin
        self._latest += 1
        return _Pass(self, made, self._latest)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": None}

    def __repr__(self) -> str:
        inputs = ", ".join(repr(name) for name in self._inputs)
        return f"<Loader of {len(self._rows)} samples, [{inputs}] in batches of {self._batch_size}>"

    def _shared_out(self, rank: int, world_size: int, index: int, count: int, jobs: int) -> None:
        """Makes this the loader of one process of several, where it was that of none."""
        self._share = (rank, world_size, index, count)
        self._jobs = jobs
        self._made = None

    def _go_to(self, place: _Place) -> None:
        self._begin = self._now = place
        self._latest += 1  # a pass that is under way says no more where this is
        self._made = None

    def _next_pass(self) -> _core.BatchLoader:
        if self._made is None:
            rank, world_size, index, count = self._share
            turn = index if self._begin.turn is None else self._begin.turn
            given = {
                "batch_size": self._batch_size,
                "seed": self._seed,
                "epoch": self._begin.epoch,
                "start": self._begin.start,
                "rank": rank,
                "world_size": world_size,
                "shard": (index, count),
                "jobs": self._jobs,
                "prefetch": self._prefetch,
            }
            with in_words("Loader", given):
                self._made = _core.BatchLoader(
                    self._rows._core,
                    [(each.path, each._options()) for each in self._inputs.values()],
                    self._batch_size,
                    self._seed,
                    self._begin.epoch,
                    self._begin.start,
                    self._drop_last,
                    self._pad,
                    [rank, world_size, turn, count],
                    self._jobs,
                    self._prefetch,
                    self._skip,
                )
        return self._made

    def _gave(self, number: int, next_start: int) -> None:
        if number != self._latest:
            return
        # Counted from behind its own step, the next step of a shard is that of the last one in turn.
        count = self._share[3]
        self._now = _Place(self._now.epoch, next_start, count - 1 if count > 1 else None)

    def _ended(self, number: int) -> None:
        if number == self._latest:
            self._go_to(_Place(self._now.epoch + 1))


@dataclass(frozen=True)
class _Place:
    """Where a pass begins. Steps count from `start`; `turn` is what the shard is for them, None its own number."""

    epoch: int
    start: int = 0
    turn: int | None = None


class _Pass(Iterator[Batch]):
    """Batches of an epoch, the pass of this number of its loader."""

    def __init__(self, loader: Loader, made: _core.BatchLoader, number: int) -> None:
        self._loader = loader
        self._number = number
        self._made: _core.BatchLoader | None = made
        self._names = tuple(loader._inputs)
        _running.add(self)

    def __next__(self) -> Batch:
        if self._made is None:
            raise StopIteration
        found = self._made.next()
        if found is None:
            self._made = None
            self._loader._ended(self._number)
            raise StopIteration
        tensors, positions, failures, next_start = found
        batch = Batch(array(tensor) for tensor in tensors)
        batch.names = self._names
        batch.positions = positions
        batch.failures = [SampleFailure(*failure) for failure in failures]
        batch.next_start = next_start
        self._loader._gave(self._number, next_start)
        return batch

    def close(self) -> None:
        self._made = None


# Threads that need the interpreter must have ended before it does.
_running: weakref.WeakSet[_Pass] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for each in list(_running):
        each.close()


def named_inputs(inputs: Inputs) -> dict[str, Input]:
    """Inputs by name, in order. Raises TypeError, ValueError for a name that comes twice."""
    if isinstance(inputs, (str, Input)):
        inputs = [inputs]
    pairs = inputs.items() if isinstance(inputs, Mapping) else [(_name(each), each) for each in inputs]
    out: dict[str, Input] = {}
    for name, each in pairs:
        if not isinstance(each, (str, Input)):
            raise TypeError(f"an input is an Input or text, not {type(each).__name__}")
        if name in out:
            raise ValueError(f"two inputs {name!r}; a mapping gives them names")
        out[name] = Input.parse(each) if isinstance(each, str) else each
    return out


def _name(each: InputLike) -> str:
    return each.path if isinstance(each, Input) else each


def __getattr__(name: str) -> Any:
    if name not in ("TorchDataset", "TorchIterableDataset"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _torch

    return getattr(_torch, name)
