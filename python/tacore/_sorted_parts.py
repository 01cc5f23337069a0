"""Partitions of a table in the order of places, sorted by many machines, none of which holds all rows.

A sample sort. Each task of the first round sorts some rows by their place and writes them as a run: blocks of rows in
this order. Of the first row of each block the driver finds where the order has to be cut into parts of about equal
weight. Each task of the second round, which makes a partition, reads from each run the blocks of its range.
"""

from __future__ import annotations

import hashlib
import heapq
import importlib
import itertools
import json
import logging
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core, _dataset
from ._destination import WORK, Destination, parsed, use_storage
from ._engines import Runner, run
from ._errors import TacoCreationError, TacoFormatError, TacoIOError, TacoSchemaError
from ._fingerprint import fingerprint
from ._progress import Progress
from ._sample_parts import Failure, SamplePart, cuts, made_samples

if TYPE_CHECKING:
    from ._table_parts import Row, Rows
    from .datamodel import Sample, Taco

#: Columns of geometries that tables have, in degrees of longitude and latitude, the first that is there.
_PLACES = ("istac:geometry", "stac:centroid", "istac:centroid", "geometry")
#: Columns beside those of the table: the position of the place on the curve, the run, the number of the row in its file,
#: and why it has no place. The run is that of rows that were read from it.
_KEY, _RUN, _ROW, _FAULT = "__tacore:key", "__tacore:run", "__tacore:row", "__tacore:fault"
_NO_PLACE = 2**64 - 1
#: Blocks of a run: at most so many, of at least so many rows, since small ones take longer to write; but so many for
#: each part as make parts of about equal size.
_BLOCKS, _ROWS_OF_BLOCK = 512, 256
_BLOCKS_OF_PART = 16
_CONCURRENT_READS = 16

#: Where a row is in the order of all: its key, its run, and its row in the file.
_At = tuple[int, int, int]
_BEGIN: _At = (-1, 0, 0)
_END: _At = (2**64, 0, 0)


class Sorting(NamedTuple):
    """What all parts of a sorted table share."""

    runs: list[Rows]
    schema: Any
    place: str
    weight: str | None  # a column of numbers
    num_parts: int
    made_of: str  # the fingerprint of all that


class SortedPart(SamplePart):
    """A part of a sorted table, before it is sorted. create_partitions() replaces it by a RangePart."""

    def __init__(
        self, sorting: Sorting, number: int, make: Callable[[Row], Sample] | None, about: Mapping[str, Any]
    ) -> None:
        super().__init__(make, about)
        self.sorting = sorting
        self.number = number

    def fingerprint_of(self) -> list[Any]:
        return [self.sorting.made_of, self.number, self._make, self._about]

    def __repr__(self) -> str:
        return f"<SortedPart {self.number + 1} of {self.sorting.num_parts}>"

    def make(self, on_error: str) -> tuple[Taco, list[Failure]]:
        raise TacoCreationError("the rows of a part of a sorted table are known to create_partitions() alone")

    def of_range(self, destination: Destination, rows: Range) -> RangePart:
        return RangePart(destination, rows, self._make, self._about)


class Range(NamedTuple):
    """The rows from `begin` to `end` in the order of all, and the bytes of each run that have them."""

    begin: _At
    end: _At
    offsets: array[int]
    sizes: array[int]


class RangePart(SamplePart):
    """A function that makes a Taco of the rows of a range."""

    def __init__(
        self, destination: Destination, rows: Range, make: Callable[[Row], Sample] | None, about: Mapping[str, Any]
    ) -> None:
        super().__init__(make, about)
        self._destination = destination
        self._range = rows

    def fingerprint_of(self) -> list[Any]:
        return []  # that of the SortedPart counts

    def read(self) -> RowsPart:
        """The same part, with its rows. Its errors are those of the destination, not of samples."""
        arrow = importlib.import_module("pyarrow")
        runs = [run for run, size in enumerate(self._range.sizes) if size]
        with ThreadPoolExecutor(_CONCURRENT_READS) as threads:
            tables = list(threads.map(self._rows_of_run, runs))
        order = [(name, "ascending") for name in (_KEY, _RUN, _ROW)]
        rows = arrow.concat_tables([table.replace_schema_metadata(None) for table in tables]).sort_by(order)
        paths = {run: table.schema.metadata[b"path"].decode() for run, table in zip(runs, tables, strict=True)}
        return RowsPart(rows, paths, self._make, self._about)

    def make(self, on_error: str) -> tuple[Taco, list[Failure]]:
        return self.read().make(on_error)

    def _rows_of_run(self, run: int) -> Any:
        """The rows of a run that are in the range, with the number of the run."""
        arrow = importlib.import_module("pyarrow")
        offset, size = self._range.offsets[run], self._range.sizes[run]
        file = _file_of(self._destination, run, "rows")
        data = self._destination.read(file, offset, size)
        if data is None or len(data) != size:
            path = f"{self._destination.shown}/{WORK}/{file}"
            raise TacoCreationError(f"{path}: is missing or was changed meanwhile; run the same call again")
        stream = arrow.BufferReader(data)
        blocks = []
        while stream.tell() < size:
            blocks.append(arrow.ipc.open_stream(stream).read_all())
        rows = arrow.concat_tables(blocks)
        at = list(zip(rows[_KEY].to_pylist(), itertools.repeat(run), rows[_ROW].to_pylist()))
        begin = bisect_left(at, self._range.begin)
        rows = rows.slice(begin, bisect_left(at, self._range.end) - begin)
        return rows.append_column(_RUN, arrow.array([run] * len(rows), arrow.uint64()))

    def __repr__(self) -> str:
        return f"<RangePart from {self._range.begin} on>"


class RowsPart(SamplePart):
    """A function that makes a Taco of sorted rows, with the columns of runs; `paths` are those of the runs' files."""

    def __init__(
        self, rows: Any, paths: dict[int, str], make: Callable[[Row], Sample] | None, about: Mapping[str, Any]
    ) -> None:
        super().__init__(make, about)
        self._rows = rows
        self._paths = paths

    def fingerprint_of(self) -> list[Any]:
        return []

    def make(self, on_error: str) -> tuple[Taco, list[Failure]]:
        from .datamodel import Taco, Tortilla

        table = self._rows.drop_columns([_KEY, _RUN, _ROW, _FAULT])
        numbers = self._rows[_ROW].to_pylist()
        ids = table["id"].to_pylist() if "id" in table.column_names else [None] * len(numbers)
        names = [f"row {row}" if id is None else str(id) for id, row in zip(ids, numbers, strict=True)]
        faults = self._rows[_FAULT].to_pylist()
        failures = [(name, fault) for name, fault in zip(names, faults, strict=True) if fault is not None]
        good = [position for position, fault in enumerate(faults) if fault is None]
        if self._make is None and good:
            return Taco(Tortilla.from_table(table.take(good)), **self._about), failures
        samples: list[Sample] = []
        if self._make is not None:
            runs = self._rows[_RUN].to_pylist()
            rows = table.to_pylist()
            items = [(names[at], f"row {numbers[at]} of {self._paths[runs[at]]}", rows[at]) for at in good]
            samples, more = made_samples(items, self._make, on_error)
            failures += more
        return self._taco(samples, failures, f"{', '.join(self._paths.values())}: no row of the range")


def sorting_of(
    runs: Sequence[Rows], schema: Any, order: str, place: str | None, weight: str | None, num_parts: int
) -> Sorting:
    """Raises TacoSchemaError where the table has no such columns."""
    if order != "hilbert":
        raise TacoSchemaError(f"order {order!r}; hilbert expected")
    if place is None:
        known = [name for name in _PLACES if name in schema.names]
        if not known:
            raise TacoSchemaError(
                f"the table has no column of places ({', '.join(_PLACES)}); its columns are {', '.join(schema.names)}"
            )
        place = known[0]
    _require(schema, place, "geometries as WKB", ("binary", "large_binary"))
    if weight is not None:
        _require(schema, weight, "numbers", ("int", "uint", "float", "double"))
    # Another version of this module, which cuts elsewhere, must not go on with what this one has finished.
    rules = [1, _BLOCKS, _ROWS_OF_BLOCK, _BLOCKS_OF_PART]
    made_of = fingerprint([[list(rows[1:]) for rows in runs], place, weight, num_parts, rules])
    return Sorting(list(runs), schema, place, weight, num_parts, made_of)


def _require(schema: Any, name: str, what: str, kinds: tuple[str, ...]) -> None:
    if name not in schema.names:
        raise TacoSchemaError(f"the table has no column {name!r}; its columns are {', '.join(schema.names)}")
    kind = schema.field(name).type
    text = str(getattr(kind, "storage_type", kind))
    if not text.startswith(kinds):
        raise TacoSchemaError(f"the column {name!r} of the table is {text}; {what} are expected")


def ranges_of(
    runner: Runner, destination: Destination, sorting: Sorting, on_error: str, progress: Progress | None
) -> list[Range]:
    """Sorts the rows of a table, unless an earlier run of the same plan has. Returns the range of each part."""
    storage = dict(_dataset._storage_options)
    total = sum(rows.num_rows for rows in sorting.runs)
    shared = sorting._replace(runs=[])
    tasks = []
    for number, rows in enumerate(sorting.runs):
        needed = -(-_BLOCKS_OF_PART * sorting.num_parts * rows.num_rows // total)
        num_blocks = max(min(_BLOCKS, rows.num_rows // _ROWS_OF_BLOCK), needed)
        tasks.append((f"rows of {rows.path}", (number, rows, shared, num_blocks, destination, on_error, storage)))
    runs = [_Blocks(*map(_numbers, each)) for each in run(runner, write_run, tasks, progress)]
    weights = _numbers(weight for _, weight in _merged(runs))
    places = cuts(weights, sorting.num_parts)[1:-1]
    inner = []
    merged = _merged(runs)
    for before, place in itertools.pairwise([-1, *places]):
        inner.append(next(itertools.islice(merged, place - before - 1, None))[0])
    return [_range(runs, begin, end) for begin, end in itertools.pairwise([_BEGIN, *inner, _END])]


def remove_runs(destination: Destination, sorting: Sorting) -> None:
    """Removes what ranges_of() wrote. Warns where a key may not remove: the dataset is complete without."""
    files = [_file_of(destination, run, kind) for run in range(len(sorting.runs)) for kind in ("json", "rows")]
    try:
        with ThreadPoolExecutor(_CONCURRENT_READS) as threads:
            list(threads.map(destination.remove, files))
    except TacoIOError as error:
        logging.getLogger("tacore").warning("sorted rows that are no longer needed cannot be removed: %s", error)


class _Blocks(NamedTuple):
    """The blocks of a run: key and number of the first row of each, where its bytes begin, and its weight. The last one
    of `offsets` is the end of the run."""

    keys: array[int]
    rows: array[int]
    weights: array[int]
    offsets: array[int]


def _numbers(values: Iterator[int] | Sequence[int]) -> array[int]:
    return array("Q", values)


def _merged(runs: Sequence[_Blocks]) -> Iterator[tuple[_At, int]]:
    """The first rows of all blocks in the order of all, with twice the weight that they stand for: half of the block
    before and half of their own, since blocks of other runs begin anywhere within them."""
    firsts = []
    for run, blocks in enumerate(runs):
        weights = [a + b for a, b in itertools.pairwise([0, *blocks.weights])]
        weights[-1] += blocks.weights[-1]
        firsts.append(zip(zip(blocks.keys, itertools.repeat(run), blocks.rows), weights))
    return heapq.merge(*firsts)


def _range(runs: Sequence[_Blocks], begin: _At, end: _At) -> Range:
    offsets, sizes = _numbers([]), _numbers([])
    for number, blocks in enumerate(runs):
        first = max(_find(bisect_right, blocks, number, begin) - 1, 0)
        last = max(_find(bisect_left, blocks, number, end), first)
        offsets.append(blocks.offsets[first])
        sizes.append(blocks.offsets[last] - blocks.offsets[first])
    return Range(begin, end, offsets, sizes)


def _find(bisect: Callable[..., int], blocks: _Blocks, run: int, at: _At) -> int:
    return bisect(range(len(blocks.keys)), at, key=lambda block: (blocks.keys[block], run, blocks.rows[block]))


def _file_of(destination: Destination, run: int, kind: str) -> str:
    return f"{destination.plan}/run{run + 1:04}.{kind}"


# Tasks.


def write_run(
    number: int,
    rows: Rows,
    sorting: Sorting,
    num_blocks: int,
    destination: Destination,
    on_error: str,
    storage: dict[str, Any],
) -> tuple[list[int], ...]:
    """Writes the rows as a run, unless it is there. Returns the fields of its _Blocks."""
    use_storage(storage)
    files = {kind: _file_of(destination, number, kind) for kind in ("json", "rows")}
    known = parsed(destination.read(files["json"]))
    if known is not None and not (known["has_faults"] and on_error == "raise"):
        data = destination.read(files["rows"])
        if data is not None and hashlib.sha256(data).hexdigest() == known["sha256"]:
            return tuple(known["blocks"])
    table, keys, weights = _sorted(rows, sorting, on_error)
    bounds = cuts(weights, num_blocks)
    data, offsets = _encoded(table, bounds)
    blocks = (
        [keys[begin] for begin in bounds[:-1]],
        table[_ROW].take(bounds[:-1]).to_pylist(),
        [sum(weights[begin:end]) for begin, end in itertools.pairwise(bounds)],
        offsets,
    )
    destination.write(files["rows"], data)
    has_faults = table[_FAULT].null_count < len(table)
    made = {"blocks": blocks, "sha256": hashlib.sha256(data).hexdigest(), "has_faults": has_faults}
    destination.write(files["json"], json.dumps(made).encode())
    return blocks


def _sorted(rows: Rows, sorting: Sorting, on_error: str) -> tuple[Any, list[int], list[int]]:
    """The rows in the order of their keys, with the columns of a run; and their keys and weights."""
    arrow = importlib.import_module("pyarrow")
    table = rows.read(sorting.schema)
    keys, faults = _keys(table[sorting.place])
    bad = [row for row, fault in enumerate(faults) if fault is not None]
    if bad and on_error == "raise":
        name = f"sample {table['id'][bad[0]]}, " if "id" in table.column_names else ""
        raise TacoFormatError(f"{name}row {rows.begin + bad[0]} of {rows.path}: {sorting.place}: {faults[bad[0]]}")
    numbers = arrow.array(range(rows.begin, rows.begin + len(table)), arrow.uint64())
    table = (
        table.append_column(_KEY, arrow.array(keys, arrow.uint64()))
        .append_column(_ROW, numbers)
        .append_column(_FAULT, arrow.array(faults, arrow.string()))
        .replace_schema_metadata({"path": rows.path})
        .sort_by([(_KEY, "ascending"), (_ROW, "ascending")])
    )
    stated = [1] * len(table) if sorting.weight is None else table[sorting.weight].to_pylist()
    weights = [max(int(each), 0) if each is not None and each == each else 0 for each in stated]
    return table, table[_KEY].to_pylist(), weights


def _keys(column: Any) -> tuple[list[int], list[str | None]]:
    """The positions of geometries on the curve, and why one has none that is no WKB."""
    geometries = column.to_pylist()
    found: list[int] = []
    faults: list[str | None] = [None] * len(geometries)
    try:
        found = list(array("Q", _core.hilbert_positions(geometries)))
    except TacoFormatError:
        for row, geometry in enumerate(geometries):
            try:
                found += array("Q", _core.hilbert_positions([geometry]))
            except TacoFormatError as error:
                found.append(_NO_PLACE)
                faults[row] = str(error).removeprefix("geometry 0: ")
    return found, faults


def _encoded(table: Any, bounds: Sequence[int]) -> tuple[bytes, list[int]]:
    """Blocks of rows, each an Arrow stream of its own; and where each begins, with the end."""
    arrow = importlib.import_module("pyarrow")
    codec = "zstd" if arrow.Codec.is_available("zstd") else None
    options = arrow.ipc.IpcWriteOptions(compression=codec)
    sink = arrow.BufferOutputStream()
    offsets = [0]
    for begin, end in itertools.pairwise(bounds):
        with arrow.ipc.new_stream(sink, table.schema, options=options) as writer:
            writer.write_table(table.slice(begin, end - begin))
        offsets.append(sink.tell())
    return sink.getvalue().to_pybytes(), offsets
