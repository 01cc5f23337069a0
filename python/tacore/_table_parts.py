"""Partitions of a dataset from the files of a table, each read on the machine that makes the partition."""

from __future__ import annotations

import bisect
import importlib
import itertools
import os
import statistics
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from ._backend import require
from ._errors import TacoQueryError, TacoValidationError
from ._sample_parts import Failure, SamplePart, made_samples
from ._sorted_parts import SortedPart, sorting_of

if TYPE_CHECKING:
    from .datamodel import Sample, Taco

Row = dict[str, Any]

#: A file is divided that is so many times as large as the usual one, and no piece is smaller than this.
_MUCH_LARGER = 4
_LEAST_PIECE = 1 << 20
#: Rows that a worker sorts at a time.
_ROWS_OF_RUN = 1 << 18
_CONCURRENT_READS = 16


def parts_of_table(
    table: Any,
    make: Callable[[Row], Sample] | None = None,
    *,
    num_partitions: int | None = None,
    rows_per_part: int | None = None,
    order: str = "",
    place: str | None = None,
    weight: str | None = None,
    prefix: str = "part",
    **about: Any,
) -> dict[str, Callable[[], Taco]]:
    """Makes the parts of :func:`create_partitions` from a partitioned table: one for each of its files, and several for
    a Parquet file that is more than four times as large as the median of the files, and than 1 MB.

    Only the list of files is read here, and the footers of those that are divided; rows are read where a partition is
    made. A file that was changed makes another plan.

    Args:
        table: Path or URL of a Parquet file or of a folder of such files (also with partitions like `year=2024`), a
            list of Parquet files, a `pyarrow.dataset.Dataset`, or a `deltalake.DeltaTable`. stac-geoparquet is Parquet.
        make: Function of a row, a dict, that returns its sample. By default the columns are those of
            :meth:`tacore.datamodel.Tortilla.from_table`: id, path and metadata.
        num_partitions: Number of parts of consecutive rows of the files together, at most one for each row.
        rows_per_part: Maximal number of rows of a part; each file is divided by itself. With `order`, the mean number.
        order: hilbert: parts are ranges of a Hilbert curve over the globe, so that neighbours are in one part, and
            samples are in this order, with bounding boxes, as :func:`tacore.create` with this order has them. Rows are
            sorted by the workers, and are beside the partitions until these are finished. Rows without a place are last.
        place: Column of the places, WKB in degrees of longitude and latitude; None: istac:geometry, stac:centroid,
            istac:centroid or geometry, the first that is there.
        weight: Column of numbers, such as the bytes of a file: parts get about equal sums. None: equal numbers of rows.
        prefix: Prefix of the names of partitions: `{prefix}0001`, ..., in the order of the files' paths. The parts of
            one file are `{prefix}0001-01`, ..., so that others keep their names.
        **about: Fields of the collection, as of :class:`tacore.datamodel.Taco`: id, dataset_version, ...

    Raises:
        TacoBackendError: pyarrow is not installed.
        TacoQueryError: The table cannot be opened, or has no files or no rows.
        TacoValidationError: A number is less than 1, both are given, or files that are no Parquet have to be divided.
        TacoSchemaError: With `order`: it is another word, or the table has no such column.

    Example:
        >>> def make(item):  # a row of stac-geoparquet
        ...     return Sample(item["id"], item["assets"]["visual"]["href"], cloud=item["eo:cloud_cover"])
        >>> parts = tacore.distributed.parts_of_table("items/", make, id="s2", dataset_version="1.0.0", ...)
        >>> tacore.distributed.create_partitions(parts, "s3://bucket/s2", client, on_error="report")
    """
    for name, given in (("num_partitions", num_partitions), ("rows_per_part", rows_per_part)):
        if given is not None and given < 1:
            raise TacoValidationError(f"{name} is {given}; at least 1 is expected")
    if num_partitions is not None and rows_per_part is not None:
        raise TacoValidationError("num_partitions and rows_per_part are given; one of them is expected")
    dataset = _dataset_of(table)
    files = [_rows_of(fragment) for fragment in sorted(dataset.get_fragments(), key=lambda each: each.path)]
    if not files:
        raise TacoQueryError(f"{table}: the table has no files")
    if order:
        return _in_order(
            files, dataset.schema, (order, place, weight), num_partitions, rows_per_part, prefix, make, about
        )
    if num_partitions is not None:
        divided = dict(enumerate(_divided_together(files, num_partitions), 1))
        named = {f"{prefix}{number:04}": pieces for number, pieces in divided.items()}
    else:
        named = {}
        for number, pieces in enumerate(_divided_apart(files, rows_per_part), 1):
            for piece, rows in enumerate(pieces, 1):
                named[f"{prefix}{number:04}" + (f"-{piece:02}" if len(pieces) > 1 else "")] = [rows]
    return {name: TablePart(pieces, dataset.schema, make, about) for name, pieces in named.items()}


class Rows(NamedTuple):
    """Consecutive rows of a file of a table."""

    fragment: Any
    version: tuple[Any, ...]  # of the file: path, size, time of change, and the columns that its folders state
    begin: int = 0
    end: int | None = None  # None: all rows

    @property
    def path(self) -> str:
        return str(self.fragment.path)

    @property
    def num_rows(self) -> int:
        return _num_rows(self) if self.end is None else self.end - self.begin

    def read(self, schema: Any) -> Any:
        """The rows as a pyarrow.Table. Raises TacoQueryError when the file was changed."""
        found = self.fragment.filesystem.get_file_info(self.path)
        if (found.size, found.mtime_ns) != self.version[1:3]:
            raise TacoQueryError(f"{self.path}: the file was changed since the plan was made; run the call again")
        if self.end is None:
            return self.fragment.to_table(schema=schema)
        ends = [*itertools.accumulate(group.num_rows for group in self.fragment.row_groups)]
        first = bisect.bisect_right(ends, self.begin)
        last = bisect.bisect_left(ends, self.end)
        groups = self.fragment.subset(row_group_ids=list(range(first, last + 1)))
        return groups.to_table(schema=schema).slice(
            self.begin - (ends[first - 1] if first else 0), self.end - self.begin
        )


class TablePart(SamplePart):
    """A function that makes a Taco from rows of files; see :func:`parts_of_table`."""

    def __init__(
        self, pieces: Sequence[Rows], schema: Any, make: Callable[[Row], Sample] | None, about: Mapping[str, Any]
    ) -> None:
        super().__init__(make, about)
        self._pieces = list(pieces)
        self._schema = schema

    def fingerprint_of(self) -> list[Any]:
        return [[list(piece[1:]) for piece in self._pieces], self._make, self._about]

    def __repr__(self) -> str:
        return f"<TablePart of {self._pieces[0].path}>"

    def make(self, on_error: str) -> tuple[Taco, list[Failure]]:
        from .datamodel import Taco, Tortilla

        tables = [piece.read(self._schema) for piece in self._pieces]
        if self._make is None:
            table = importlib.import_module("pyarrow").concat_tables(tables)
            return Taco(Tortilla.from_table(table), **self._about), []
        items = []
        for piece, table in zip(self._pieces, tables, strict=True):
            for number, row in enumerate(table.to_pylist(), piece.begin):
                items.append((str(row.get("id", f"row {number}")), f"row {number} of {piece.path}", row))
        samples, failures = made_samples(items, self._make, on_error)
        return self._taco(samples, failures, f"{self._pieces[0].path}: no row")


def _rows_of(fragment: Any) -> Rows:
    found = fragment.filesystem.get_file_info(fragment.path)
    return Rows(fragment, (fragment.path, found.size, found.mtime_ns, str(fragment.partition_expression)))


def _in_order(
    files: Sequence[Rows],
    schema: Any,
    by: tuple[str, str | None, str | None],
    num_parts: int | None,
    rows_per_part: int | None,
    prefix: str,
    make: Callable[[Row], Sample] | None,
    about: Mapping[str, Any],
) -> dict[str, Callable[[], Taco]]:
    runs = [
        piece._replace(end=piece.begin + piece.num_rows)
        for pieces in _divided_apart(files, _ROWS_OF_RUN)
        for piece in pieces
        if piece.num_rows
    ]
    total = sum(rows.num_rows for rows in runs)
    if total == 0:
        raise TacoQueryError(f"{files[0].path}: the table has no rows")
    if num_parts is None:
        num_parts = -(-total // rows_per_part) if rows_per_part else sum(map(len, _divided_apart(files, None)))
    num_parts = min(num_parts, total)
    sorting = sorting_of(runs, schema, *by, num_parts)
    return {f"{prefix}{number + 1:04}": SortedPart(sorting, number, make, about) for number in range(num_parts)}


def _divided_apart(files: Sequence[Rows], rows_per_part: int | None) -> list[list[Rows]]:
    """The pieces of each file."""
    if rows_per_part is not None:
        numbers = _numbers_of_rows(files)
        return [_pieces(file, rows, -(-rows // rows_per_part)) for file, rows in zip(files, numbers, strict=True)]
    sizes = [file.version[1] or 0 for file in files]
    usual = max(statistics.median_low(sizes), _LEAST_PIECE)
    return [
        _pieces(file, _num_rows(file), round(size / usual))
        if size > _MUCH_LARGER * usual and _is_parquet(file)
        else [file]
        for file, size in zip(files, sizes, strict=True)
    ]


def _divided_together(files: Sequence[Rows], num_parts: int) -> list[list[Rows]]:
    """The rows of all files in parts of about equal numbers of rows."""
    ends = [*itertools.accumulate(_numbers_of_rows(files))]
    num_parts = min(num_parts, ends[-1])
    out: list[list[Rows]] = []
    for number in range(num_parts):
        begin, end = ends[-1] * number // num_parts, ends[-1] * (number + 1) // num_parts
        pieces = []
        for file, before, after in zip(files, [0, *ends], ends):
            if max(begin, before) < min(end, after):
                pieces.append(file._replace(begin=max(begin, before) - before, end=min(end, after) - before))
        out.append(pieces)
    if not out:
        raise TacoQueryError(f"{files[0].path}: the table has no rows")
    return out


def _pieces(file: Rows, num_rows: int, count: int) -> list[Rows]:
    """Consecutive rows of a file in pieces of about equal numbers of rows."""
    count = min(count, num_rows)
    if count <= 1:
        return [file]
    bounds = [num_rows * number // count for number in range(count + 1)]
    return [file._replace(begin=begin, end=end) for begin, end in itertools.pairwise(bounds)]


def _is_parquet(file: Rows) -> bool:
    return hasattr(file.fragment, "row_groups")


def _numbers_of_rows(files: Sequence[Rows]) -> list[int]:
    with ThreadPoolExecutor(_CONCURRENT_READS) as threads:
        return list(threads.map(_num_rows, files))


def _num_rows(file: Rows) -> int:
    if not _is_parquet(file):
        raise TacoValidationError(f"{file.path}: its rows cannot be divided; a Parquet file is expected")
    return sum(group.num_rows for group in file.fragment.row_groups)


def _dataset_of(table: Any) -> Any:
    if hasattr(table, "get_fragments"):
        return table
    if hasattr(table, "to_pyarrow_dataset"):
        return table.to_pyarrow_dataset()
    require("pyarrow", "a partitioned table")
    dataset = importlib.import_module("pyarrow.dataset")
    try:
        source = [os.fsdecode(each) for each in table] if isinstance(table, (list, tuple)) else os.fsdecode(table)
        return dataset.dataset(source, format="parquet", partitioning="hive")
    except (OSError, ValueError, TypeError) as error:
        raise TacoQueryError(f"{table}: cannot be opened as a table: {error}") from error
