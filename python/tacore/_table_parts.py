"""Partitions of a dataset from the files of a table, each read on the machine that makes the partition."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ._backend import require
from ._errors import TacoQueryError
from ._sample_parts import Failure, SamplePart, made_samples

if TYPE_CHECKING:
    from .datamodel import Sample, Taco

Row = dict[str, Any]


def parts_of_table(
    table: Any,
    make: Callable[[Row], Sample] | None = None,
    *,
    prefix: str = "part",
    **about: Any,
) -> dict[str, Callable[[], Taco]]:
    """Makes the parts of :func:`create_partitions` from a partitioned table: one for each of its files.

    Only the list of files is read here; rows are read where a partition is made. A file that was changed makes another
    plan.

    Args:
        table: Path or URL of a Parquet file or of a folder of such files (also with partitions like `year=2024`), a
            list of Parquet files, a `pyarrow.dataset.Dataset`, or a `deltalake.DeltaTable`. stac-geoparquet is Parquet.
        make: Function of a row, a dict, that returns its sample. By default the columns are those of
            :meth:`tacore.datamodel.Tortilla.from_table`: id, path and metadata.
        prefix: Prefix of the names of partitions: `{prefix}0001`, ..., in the order of the files' paths.
        **about: Fields of the collection, as of :class:`tacore.datamodel.Taco`: id, dataset_version, ...

    Raises:
        TacoBackendError: pyarrow is not installed.
        TacoQueryError: The table cannot be opened, or has no files.

    Example:
        >>> def make(item):  # a row of stac-geoparquet
        ...     return Sample(item["id"], item["assets"]["visual"]["href"], cloud=item["eo:cloud_cover"])
        >>> parts = tacore.distributed.parts_of_table("items/", make, id="s2", dataset_version="1.0.0", ...)
        >>> tacore.distributed.create_partitions(parts, "s3://bucket/s2", client, on_error="report")
    """
    dataset = _dataset_of(table)
    fragments = sorted(dataset.get_fragments(), key=lambda fragment: fragment.path)
    if not fragments:
        raise TacoQueryError(f"{table}: the table has no files")
    parts = [TablePart(fragment, dataset.schema, make, about) for fragment in fragments]
    return {f"{prefix}{number:04}": part for number, part in enumerate(parts, 1)}


class TablePart(SamplePart):
    """A function that makes a Taco from the rows of a file; see :func:`parts_of_table`."""

    def __init__(
        self, fragment: Any, schema: Any, make: Callable[[Row], Sample] | None, about: Mapping[str, Any]
    ) -> None:
        super().__init__(about)
        self._fragment = fragment
        self._schema = schema
        self._make = make
        found = fragment.filesystem.get_file_info(fragment.path)
        #: The version of the file.
        self._version = [fragment.path, found.size, found.mtime_ns, str(fragment.partition_expression)]

    def fingerprint_of(self) -> list[Any]:
        return [self._version, self._make, self._about]

    def __repr__(self) -> str:
        return f"<TablePart of {self._fragment.path}>"

    def make(self, on_error: str) -> tuple[Taco, list[Failure]]:
        from .datamodel import Taco, Tortilla

        table = self._read()
        if self._make is None:
            return Taco(Tortilla.from_table(table), **self._about), []
        rows = [
            (str(row.get("id", f"row {number}")), f"row {number} of {self._fragment.path}", row)
            for number, row in enumerate(table.to_pylist())
        ]
        samples, failures = made_samples(rows, self._make, on_error)
        return self._taco(samples, failures, f"{self._fragment.path}: no row")

    def _read(self) -> Any:
        path, size, changed, _ = self._version
        found = self._fragment.filesystem.get_file_info(path)
        if [found.size, found.mtime_ns] != [size, changed]:
            raise TacoQueryError(f"{path}: the file was changed since the plan was made; run the call again")
        return self._fragment.to_table(schema=self._schema)


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
