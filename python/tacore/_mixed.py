"""Batches of samples of several datasets."""

from __future__ import annotations

import bisect
import itertools
import math
import os
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, SupportsIndex, cast

from . import _core
from ._arrays import array
from ._backend import require
from ._columns import Column, listed
from ._dataset import RequestPlan
from ._errors import TacoError, TacoQueryError, TacoSchemaError, checked
from ._sources import Form, Mask, OpenSource, Source, about
from .loader import Batch, Input, Loader, named_inputs
from .raster import ScaleLike

# Threads that read remote samples: most of the time each waits for its one request.
_REMOTE_THREADS = 32


class MixedFailure(NamedTuple):
    """A sample that was left out, and the reason."""

    source: int
    """Index of the source."""
    position: int
    """Row of the sample in the source."""
    message: str
    """Text of the error."""


class MixedBatch(Batch):
    """A :class:`Batch` of samples of several sources: "image" of shape (samples, bands, height, width), float32, then
    the other inputs.

    Attributes:
        sources: Index of the source of each sample.
        positions: Row of each sample in its source, after `split`.
        failures: Samples that `on_error="skip"` left out.
    """

    sources: list[int]
    failures: list[MixedFailure]  # type: ignore[assignment]


class MixedLoader(Loader):
    """Iterates over batches of the samples of several datasets, with the same bands on a grid of the same shape.

    Order, epochs, ranks, shards, :meth:`state_dict` and pickling are those of :class:`Loader`; the order is that of all
    sources together. It depends only on the sources, `balance`, `num_samples`, `seed` and the epoch, and so do random
    crops: a resumed loader gives the same bytes.

    With equal weights and without `balance`, each sample is taken once in an epoch. Else samples are taken as often as
    their weights say, rounded down or up at random: a weight of 2 takes each sample twice, a weight of 0.5 half of the
    samples, others in each epoch.

    Images are float32. No data, numbers that are not finite, and padding are `fill`; no data have no weight in
    resampling. Pixels are resampled in the coordinate reference system of each sample: nothing is reprojected.

    Args:
        sources: The sources; batches have their indices.
        bands: Bands of the batches, in order. Text is the name of a band ("B04"), or a common name, of the sensor
            ("red edge 4") or of STAC ("nir08"); a number is a wavelength in micrometres (0.865), for the band that has
            it nearest to its centre.
        size: Height and width of the batches in pixels; one number for both.
        fit: crop: samples are cut to the size; pad: larger samples are cut, and smaller ones are in the middle of
            `fill`; resample: the whole sample is resampled to the size.
        crop: center: the middle is cut out; random: a place that depends on `seed`, epoch and position in the order.
        resampling: Method for images: bilinear or nearest. With bilinear, larger pixels are means, weighted by the
            distance from their centre, as with GDAL.
        resolution: Width and height of a pixel of the batches in metres, to which samples are resampled before they are
            cut; None: pixels stay as they are. CRS must be in metres, or sources have a `pixel_size`.
        scale: statistics: each band of each source gets mean 0 and standard deviation 1; or a factor, (factor, offset),
            or a list of these, for all sources alike; None: values stay as they are stored.
        statistics_split: Value of the column `split` of the samples of whose stored statistics "statistics" is made,
            also if other samples are loaded; None: all.
        fill: Value of an image, after scaling, where it has no data, and beyond the edge of a sample.
        balance: A :class:`Column`, or the name of an input that is one: all of its values are equally frequent in an
            epoch, over all sources together; its `fill` is a value, too.
        num_samples: Number of samples in an epoch; None: the sum of the weights of all samples, rounded; with `balance`
            the number of all samples.
        batch_size, shuffle, seed, epoch, start, drop_last, pad, rank, world_size, shard, jobs, prefetch, on_error: As
            for :class:`Loader`. Threads are of Python, but hold the GIL only between reads.

    Raises:
        ValueError: An option is none of those above; options contradict each other; or sources have different inputs.
        TacoQueryError: A source has no samples, lacks a band, or its sensor or statistics are unknown; the error names
            the source, and says what it has. Also as for :class:`Loader`.
        TacoSchemaError: An image has another number of bands than the sensor. A pass raises it for each sample, too.
        TacoBackendError: NumPy is not installed.

    Example:
        >>> label = Column("land_cover", classes=["forest", "water"])
        >>> s2 = Source("s2.tacozip", image="optical", inputs={"label": label}, split="train")
        >>> l8 = Source("l8.tacozip", sensor="landsat8oli", inputs={"label": label}, split="train", weight=2)
        >>> loader = MixedLoader([s2, l8], ["red", "green", 0.865], size=224, scale="statistics", batch_size=32, seed=0)
        >>> for batch in loader:
        ...     train_step(torch.from_numpy(batch["image"]), torch.from_numpy(batch["label"]))
    """

    def __init__(
        self,
        sources: Sequence[Source],
        bands: Sequence[str | float],
        *,
        size: SupportsIndex | tuple[int, int],
        fit: str = "crop",
        crop: str = "center",
        resampling: str = "bilinear",
        resolution: float | None = None,
        scale: ScaleLike = None,
        statistics_split: str | None = "train",
        fill: float = 0.0,
        balance: str | Column | None = None,
        num_samples: int | None = None,
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
        require("numpy", "MixedLoader")
        _check_one_of("fit", fit, "crop", "pad", "resample")
        _check_one_of("crop", crop, "center", "random")
        _check_one_of("resampling", resampling, "bilinear", "nearest")
        if isinstance(scale, str):
            _check_one_of("scale", scale, "statistics")
        if fit == "resample" and resolution is not None:
            raise ValueError('fit="resample" makes pixels of any size, and resolution wants one: choose one of them')
        if fit == "resample" and crop == "random":
            raise ValueError('fit="resample" takes whole samples, and crop="random" a part of each: choose one of them')
        if resolution is not None and not 0 < resolution < math.inf:
            raise ValueError(f"resolution is {resolution}; a positive number of metres is expected")
        if isinstance(sources, Source) or not sources:
            raise ValueError("sources: a list of one or more Source(...) is expected")
        if isinstance(bands, (str, float)) or not bands:
            raise ValueError('bands: a list of names or wavelengths is expected, such as ["red", 0.865]')
        height, width = (int(size), int(size)) if isinstance(size, SupportsIndex) else size
        if height < 1 or width < 1:
            raise ValueError(f"size is {height} x {width}; 1 or more pixels are expected")
        form = Form(height, width, fit, crop == "random", resampling, resolution, float(fill))
        self._form = form
        self._inputs = _common_inputs(sources, fit)
        masks = [name for name, each in self._inputs.items() if isinstance(each, Input)]
        self._sources = [
            OpenSource(number, source, masks, list(bands), scale, statistics_split, form)
            for number, source in enumerate(sources)
        ]
        self._masks = _masks(self._sources, on_error)
        self._columns = {
            name: _joined(self._sources, [named_inputs(source.inputs)[name] for source in sources])
            for name, each in self._inputs.items()
            if isinstance(each, Column)
        }
        self._strata, self._weights = self._sampling(balance)
        total = len(self._weights) if balance is not None else round(float(self._weights.sum()))
        self._num_samples = max(total, 1) if num_samples is None else num_samples
        if self._num_samples < 1:
            raise ValueError(f"num_samples is {num_samples}; 1 or more is expected")
        #: Seed of what does not depend on `shuffle`.
        self._draw = seed or 0
        self._set_order(
            shuffle, seed, epoch, start, rank, world_size, shard, batch_size=batch_size, drop_last=drop_last, pad=pad,
            jobs=jobs, prefetch=prefetch, on_error=on_error,
        )  # fmt: skip

    def plan(self) -> RequestPlan:
        """Not available: the samples of a MixedLoader are read one by one.

        Raises:
            TacoQueryError: Always. :meth:`Loader.plan` of each source says what its samples take.
        """
        raise TacoQueryError("the requests of a MixedLoader are not planned; Loader(...).plan() plans those of a source")

    def __iter__(self) -> Iterator[MixedBatch]:
        return cast(Iterator[MixedBatch], super().__iter__())

    @property
    def num_samples(self) -> int:
        """Number of samples in an epoch, of all ranks and shards together."""
        return self._num_samples

    def state_dict(self) -> dict[str, Any]:
        """State of the latest pass, after its latest batch; see :meth:`Loader.state_dict`."""
        return {**super().state_dict(), "num_samples": self._num_samples}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Makes the next pass continue from a state; see :meth:`Loader.load_state_dict`.

        Raises:
            ValueError: The state has another seed, or another number of samples, and so another order.
        """
        if state["num_samples"] != self._num_samples:
            raise ValueError(
                f"the state is of epochs of {state['num_samples']} samples, this loader has {self._num_samples}: its "
                "sources, weights or num_samples are others"
            )
        super().load_state_dict(state)

    def __repr__(self) -> str:
        count = len(self._sources)
        inputs = ", ".join(map(repr, ["image", *self._inputs]))
        return (
            f"<MixedLoader of {self._num_samples} samples of {count} source{'s' * (count > 1)}, [{inputs}] in batches "
            f"of {self._options['batch_size']}>"
        )

    def _sampling(self, balance: str | Column | None) -> tuple[Any, Any]:
        """Group of each sample, whose share of an epoch is exact but for rounding; and weight of each sample."""
        import numpy

        lengths = [len(source.rows) for source in self._sources]
        sources = numpy.repeat(numpy.arange(len(lengths)), lengths)
        weights = numpy.repeat(numpy.array([source.weight for source in self._sources], "float64"), lengths)
        if balance is None:
            return sources, weights
        if isinstance(balance, str) and balance not in self._columns:
            raise ValueError(
                f"balance is {balance!r}, which is no input that is a Column; give Column({balance!r}) for a column of "
                "all sources"
            )
        values = self._columns[balance] if isinstance(balance, str) else _joined(self._sources, balance)
        if values.ndim != 1:
            raise ValueError("balance: the column has lists, and one value for each sample is expected")
        _, classes = numpy.unique(values, return_inverse=True)
        return classes, weights / numpy.bincount(classes, weights)[classes]

    def _order(self, epoch: int) -> Any:
        """Samples of an epoch in order: positions in all sources, one after the other."""
        import numpy

        size = len(self._weights)
        # Samples of a group lie beside each other, in random order, on an axis where each is as long as it is to be
        # taken. The marks at 0, 1, 2, ... on it, moved by a random distance, fall into a sample so often.
        along = numpy.lexsort((_random(self._draw, epoch, 0, size), self._strata))
        ends = numpy.cumsum(self._weights[along])
        ends *= self._num_samples / ends[-1]
        ends[-1] = self._num_samples
        # Whole numbers stay whole: the distance is a multiple of 2 ** -16.
        distance = float(_random(self._draw, epoch, 1, 1)[0] >> numpy.uint64(48)) / 2**16
        counts = numpy.empty(size, "int64")
        counts[along] = numpy.diff(numpy.floor(ends + distance), prepend=0)
        taken = numpy.repeat(numpy.arange(size), counts)
        if self._seed is None:
            return taken
        return taken[numpy.argsort(_random(self._seed, epoch, 2, len(taken)), kind="stable")]

    def _make_pass(self, shard: int, num_shards: int, options: dict[str, Any]) -> _Reading:
        for name in ("jobs", "prefetch"):
            if options[name] < 0:
                raise TacoQueryError(f"{name} is {options[name]}, 0 or more expected")
        batches = checked(_core.plan_batches)(self._num_samples, shard, num_shards, options)
        return _Reading(self._sources, self._masks, self._form, batches, self._order, self._draw, options)

    def _batch(self, found: Any) -> MixedBatch:
        import numpy

        arrays, taken, failures, next_start = found
        pixels = iter(arrays)
        image = next(pixels)
        rest = (self._columns[name][taken] if name in self._columns else next(pixels) for name in self._inputs)
        batch = MixedBatch((image, *rest))
        batch.names = ("image", *self._inputs)
        offsets = _offsets(self._sources)
        sources = numpy.searchsorted(offsets, taken, "right") - 1
        batch.sources = sources.tolist()
        batch.positions = (taken - numpy.array(offsets)[sources]).tolist()
        batch.failures = failures
        batch.next_start = next_start
        return batch

    def _rows_of(self, batch: Batch) -> list[dict[str, Any]]:
        places = zip(batch.sources, batch.positions)  # type: ignore[attr-defined]
        return [next(iter(self._sources[source].rows._rows([position]))) for source, position in places]


class _Making:
    """A batch that is being read. Its threads write to different samples of it."""

    def __init__(self, arrays: list[Any], taken: Any, bits: Any, next_start: int) -> None:
        self.arrays = arrays
        self.taken = taken
        self.bits = bits
        self.next_start = next_start
        self.errors: list[BaseException | None] = [None] * len(taken)
        #: Samples that no thread has begun; taking one is atomic.
        self.slots = iter(range(len(taken)))
        self.threads: list[Future[None]] = []


class _Reading:
    """The batches of one pass: the methods of _core.BatchLoader, for several sources."""

    _pool: ThreadPoolExecutor | None = None

    def __init__(
        self, sources: list[OpenSource], masks: list[Mask], form: Form, batches: list[tuple[int, int, int]],
        order: Any, seed: int, options: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self._sources = sources
        self._offsets = _offsets(sources)
        self._masks = masks
        # Threads do not refer to the pass: when the caller drops it, its pool ends.
        self._work = _Work(sources, self._offsets, masks)
        self._batches = batches
        self._order = order
        self._taken: Any = None
        self._key = (seed, options["epoch"], 3)
        self._prefetch = options["prefetch"]
        self._skips = options["on_error"] == "skip"
        self._jobs = options["jobs"] or max(
            os.cpu_count() or 1, _REMOTE_THREADS * any(each.is_remote for each in sources)
        )
        size = [form.height, form.width]
        kinds = [("float32", [len(sources[0].bands), *size])]
        kinds += [(mask.dtype, [mask.num_bands, *size]) for mask in masks]
        self._memory = _core.BatchMemory(kinds, self._prefetch + 1)
        self._making: deque[_Making] = deque()
        self._num_begun = 0
        self._process = 0
        self._lock = threading.Lock()

    def __del__(self) -> None:
        if self._pool is not None and self._process == os.getpid():
            self._pool.shutdown(wait=False, cancel_futures=True)

    def num_batches(self) -> int:
        return len(self._batches)

    def next(self) -> Any:
        """The next batch as (arrays, samples, failures, next_start); None at the end."""
        if not self._lock.acquire(blocking=False):
            raise TacoQueryError(
                "another thread is waiting for the next batch of this loader; one thread at a time expected"
            )
        try:
            return self._next()
        finally:
            self._lock.release()

    def _next(self) -> Any:
        if self._taken is None:
            self._taken = self._order(self._key[1])
            self._process = os.getpid()
            if self._prefetch:
                self._pool = ThreadPoolExecutor(self._jobs, "tacore")
        if self._process != os.getpid():
            raise TacoQueryError("this loader belongs to the parent process; a forked child makes a new one")
        self._begin(max(self._prefetch, 1))
        if not self._making:
            return None
        made = self._making[0]
        for thread in made.threads:
            thread.result()
        if self._pool is None:
            self._work.run(made)
        error = next((each for each in made.errors if each and not (self._skips and isinstance(each, TacoError))), None)
        if error is not None:
            raise error
        self._making.popleft()
        self._begin(self._prefetch)  # while the caller uses the batch
        return self._kept(made)

    def _begin(self, num_batches: int) -> None:
        """Begins batches until so many are being read."""
        while len(self._making) < num_batches and self._num_begun < len(self._batches):
            begin, count, next_start = self._batches[self._num_begun]
            made = _Making(
                [array(tensor) for tensor in self._memory.take(count)],
                self._taken[begin : begin + count],
                _random(*self._key, count, begin),
                next_start,
            )
            if self._pool is not None:
                made.threads = [self._pool.submit(self._work.run, made) for _ in range(min(self._jobs, count))]
            self._making.append(made)
            self._num_begun += 1

    def _kept(self, made: _Making) -> Any:
        """The batch without the samples that could not be read."""
        import numpy

        if not any(made.errors):
            return made.arrays, made.taken, [], made.next_start
        is_read = numpy.array([error is None for error in made.errors])
        failures = []
        for at, error in zip(made.taken.tolist(), made.errors):
            if error is not None:
                source = _source_at(self._offsets, at)
                failures.append(MixedFailure(source, at - self._offsets[source], str(error)))
        return [each[is_read] for each in made.arrays], made.taken[is_read], failures, made.next_start


class _Work(NamedTuple):
    """The work of a thread: reads samples of a batch that no other thread has begun, until there are none."""

    sources: list[OpenSource]
    offsets: list[int]
    masks: list[Mask]

    def run(self, made: _Making) -> None:
        for slot in made.slots:
            at = int(made.taken[slot])
            number = _source_at(self.offsets, at)
            try:
                out = [each[slot] for each in made.arrays]
                self.sources[number].read(at - self.offsets[number], int(made.bits[slot]), self.masks, out)
            except BaseException as error:  # raised where the batch is taken
                made.errors[slot] = error


# Setting up.


def _check_one_of(name: str, value: Any, *known: str) -> None:
    if value not in known:
        raise ValueError(f"{name} is {value!r}; {' or '.join(map(repr, known))} is expected")


def _common_inputs(sources: Sequence[Source], fit: str) -> dict[str, Input | Column]:
    """The inputs besides the image, of the first source; those of others have the same names and classes."""
    for source in sources:
        if not isinstance(source, Source):
            raise TypeError(f"sources: a Source(...) is expected, not {type(source).__name__}")
    all_inputs = [named_inputs(source.inputs) for source in sources]
    first = all_inputs[0]
    for number, inputs in enumerate(all_inputs):
        if inputs.keys() != first.keys():
            raise ValueError(
                f"source {number} has the inputs [{listed(list(inputs))}], and source 0 has [{listed(list(first))}]; "
                "all sources need inputs of the same names"
            )
        for name, each in inputs.items():
            if type(each) is not type(first[name]):
                raise ValueError(f"the input {name!r} is a Column in one source, and a FILE in another")
            if isinstance(each, Column) and each.classes != getattr(first[name], "classes", None):
                raise ValueError(
                    f"the input {name!r} has other classes in source {number} than in source 0: a class has the same "
                    "number in all sources only with one list of classes"
                )
            if isinstance(each, Input) and each.window is not None:
                raise ValueError(f"the input {name!r} has a window, and the loader cuts all inputs of a sample alike")
            if isinstance(each, Input) and each.fill is None and fit == "pad":
                raise ValueError(
                    f"the input {name!r} of source {number} needs a value for padding, such as Input({each.path!r}, "
                    "fill=255), which a loss is to ignore"
                )
    return first


def _masks(sources: list[OpenSource], on_error: str) -> list[Mask]:
    """Shape and type of each mask in all sources, by the first sample of each that can be opened."""
    import numpy

    found = [source.shapes(skip=on_error == "skip") for source in sources]
    out = []
    for number, masks in enumerate(zip(*found)):
        for source, mask in zip(sources, masks):
            if mask.num_bands != masks[0].num_bands:
                path = source.masks[number].path
                raise TacoSchemaError(
                    f"{source.name}: {path!r} has {mask.num_bands} bands, and {masks[0].num_bands} in source 0; "
                    f"Input({path!r}, bands=[...]) selects bands"
                )
        out.append(Mask(masks[0].num_bands, numpy.result_type(*(mask.dtype for mask in masks)).name))
    return out


def _joined(sources: list[OpenSource], columns: Column | Sequence[Any]) -> Any:
    """A column of all sources, one after the other."""
    import numpy

    each = [columns] * len(sources) if isinstance(columns, Column) else columns
    arrays = []
    for source, column in zip(sources, each):
        try:
            arrays.append(column.read(source.rows))
        except TacoError as error:
            raise about(error, source.name) from None
    kinds = {"number" if found.dtype.kind in "biuf" else found.dtype.kind for found in arrays}
    if len({(found.ndim, *found.shape[1:]) for found in arrays}) > 1 or len(kinds) > 1:
        kinds_found = ", ".join(f"{found.dtype} {found.shape[1:] or ''}".strip() for found in arrays)
        raise TacoSchemaError(f"Column({each[0].name!r}): the sources have values of different types: {kinds_found}")
    return numpy.concatenate(arrays)


def _offsets(sources: list[OpenSource]) -> list[int]:
    """Position of the first sample of each source among those of all."""
    return [0, *itertools.accumulate(len(source.rows) for source in sources[:-1])]


def _source_at(offsets: list[int], at: int) -> int:
    return bisect.bisect_right(offsets, at) - 1


def _random(seed: int, epoch: int, purpose: int, count: int, begin: int = 0) -> Any:
    """Random 64 bits for each of the numbers from `begin` on: the same on all machines, and in all versions."""
    import numpy

    key = numpy.zeros(1, "uint64")
    for part in (seed, epoch, purpose):
        key = _mixed(key ^ numpy.uint64(part % 2**64))
    return _mixed(_mixed(numpy.arange(begin, begin + count, dtype="uint64")) ^ key)


def _mixed(values: Any) -> Any:
    """The finaliser of SplitMix64: a bijection of 64 bits, well mixed."""
    import numpy

    values = values + numpy.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return values ^ (values >> numpy.uint64(31))
