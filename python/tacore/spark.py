"""The data source "taco" of Spark 4: datasets as DataFrames, and DataFrames of samples as datasets.

Example:
    >>> spark.dataSource.register(tacore.spark.TacoDataSource)
    >>> spark.read.format("taco").load("s3://bucket/chips/.tacocat").groupBy("split").count()
    >>> spark.read.format("taco").option("inputs", '{"image": "s2/4,3,2"}').load("chips.tacozip").mapInPandas(...)
    >>> samples.write.format("taco").option("collection", json.dumps(about)).mode("append").save("s3://bucket/chips")
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from . import _dataset
from ._destination import Index, destination_of
from ._engines import renamed_error, runner_of
from ._errors import TacoError, TacoValidationError
from ._fingerprint import fingerprint
from ._partitions import claim, finish, make_part
from ._row_blocks import Payload, check_names, payload_of_json, read_blocks
from ._together import Together

if TYPE_CHECKING:
    import pyarrow

    from ._dataset import TacoDataset
    from .datamodel import Taco

DataSource: Any = object
DataSourceReader: Any = object
DataSourceArrowWriter: Any = object
InputPartition: Any = object
WriterCommitMessage: Any = object
try:
    _source = importlib.import_module("pyspark.sql.datasource")
    DataSource, DataSourceReader = _source.DataSource, _source.DataSourceReader
    DataSourceArrowWriter, InputPartition = _source.DataSourceArrowWriter, _source.InputPartition
    WriterCommitMessage = _source.WriterCommitMessage
except (ImportError, AttributeError):  # no Spark, or one before 4.0
    pass

__all__ = ["TacoDataSource"]

#: Rows that a task reads, without and with the bytes or arrays of their samples.
_ROWS = 1 << 16
_ROWS_OF_PIXELS = 1 << 8


class TacoDataSource(DataSource):  # type: ignore[misc]
    """Reads and writes TACO datasets; register it with ``spark.dataSource.register``.

    Reading gives the rows of level 0. `internal:gdal_vsi` has the path of each sample for GDAL and rasterio. With the
    option `inputs` there are three columns for each input: its pixels as bytes, in the order of a NumPy array, and
    `NAME_dtype` and `NAME_shape`: ``numpy.frombuffer(row.NAME, row.NAME_dtype).reshape(row.NAME_shape)``.

    Writing makes a partition of the dataset, a ZIP, of each partition of the DataFrame that has rows, and the index
    last. Columns are those of :meth:`tacore.datamodel.Tortilla.from_table`: id, path or data, and metadata. The mode
    `overwrite` replaces a dataset in a folder. A job that failed can be run again: the rows are computed again, and
    partitions with the same rows are kept, as by :func:`tacore.distributed.create_partitions`.

    Options:
        inputs: Arrays to read of each sample, as for :class:`tacore.loader.Loader` but as JSON: "s2/3,4,10" in quotes, a
            list, or an object of names and texts. The input "" is called `pixels`.
        bytes: "true" adds the column `data`, the bytes of each sample; samples are FILEs.
        rows_per_partition: Rows that a task reads; by default 65536, and 256 with `inputs` or `bytes`.
        collection: Fields of the collection as JSON, those of :class:`tacore.datamodel.Taco`. Required to write.
        parquet: Options of Parquet files as JSON, as for :func:`tacore.export`.
        prefix: Prefix of the names of partitions; by default part.
        storage_options: Options of :func:`tacore.set_storage_options` as JSON; by default those in force.
    """

    @classmethod
    def name(cls) -> str:
        return "taco"

    def schema(self) -> Any:
        types = importlib.import_module("pyspark.sql.pandas.types")
        table = _opened(self._path(), self._storage()).limit(1).data.to_arrow()
        payload = self._payload()
        check_names(table.column_names, payload)
        return types.from_arrow_schema(_with_payload(table.slice(0, 0), payload, {}).schema)

    def reader(self, schema: Any) -> _Reader:
        payload = self._payload()
        rows = self.options.get("rows_per_partition", str(_ROWS_OF_PIXELS if payload.is_read() else _ROWS))
        if not rows.isascii() or not rows.isdigit() or int(rows) < 1:
            raise TacoValidationError(f"the option 'rows_per_partition' is {rows!r}; a number from 1 expected")
        return _Reader(self._path(), self._storage(), schema.fieldNames(), payload, int(rows))

    def writer(self, schema: Any, overwrite: bool) -> _Writer:
        about, parquet = self._json("collection"), self._json("parquet")
        if not about:
            raise TacoValidationError(
                'the option "collection" is missing; the fields of the collection as JSON expected'
            )
        return _Writer(self._path(), self._storage(), about, parquet, self.options.get("prefix", "part"), overwrite)

    def _path(self) -> str:
        path = self.options.get("path")
        if not path:
            raise TacoValidationError("the path is missing; load(PATH) or save(PATH) expected")
        return str(path)

    def _storage(self) -> dict[str, Any]:
        return self._json("storage_options") or dict(_dataset._storage_options)

    def _payload(self) -> Payload:
        return payload_of_json(self.options.get("bytes", "false").lower(), self.options.get("inputs", ""))

    def _json(self, option: str) -> dict[str, Any]:
        text = self.options.get(option, "{}")
        try:
            found = json.loads(text)
        except ValueError as error:
            raise TacoValidationError(f"the option {option!r} is no JSON: {error}") from error
        if not isinstance(found, dict):
            raise TacoValidationError(f"the option {option!r} is {text}; a JSON object expected")
        return found


class _Rows(InputPartition):  # type: ignore[misc]
    """Consecutive rows."""

    def __init__(self, first: int) -> None:
        self.first = first


class _Reader(DataSourceReader):  # type: ignore[misc]
    def __init__(
        self, path: str, storage: Mapping[str, Any], columns: list[str], payload: Payload, num_rows: int
    ) -> None:
        self._path = path
        self._storage = storage
        self._columns = columns
        self._payload = payload
        self._num_rows = num_rows

    def partitions(self) -> list[_Rows]:
        num_rows = len(_opened(self._path, self._storage).data)
        return [_Rows(first) for first in range(0, max(num_rows, 1), self._num_rows)]

    def read(self, partition: _Rows) -> Iterator[pyarrow.RecordBatch]:
        rows = _opened(self._path, self._storage).data[partition.first : partition.first + self._num_rows]
        of_rows = [name for name in self._columns if name in rows.columns]
        for table, values in read_blocks(rows, of_rows, self._payload, partition.first):
            yield from _with_payload(table, self._payload, values).select(self._columns).to_batches()


def _with_payload(table: pyarrow.Table, payload: Payload, values: Mapping[str, list[Any]]) -> pyarrow.Table:
    """The rows with the columns of their payload; without values, empty ones."""
    arrow = importlib.import_module("pyarrow")
    for name in payload.names():
        found = values.get(name, [])
        if name not in payload.inputs:
            table = table.append_column(name, arrow.array(found, arrow.binary()))
            continue
        columns = {
            name: arrow.array([each.tobytes() for each in found], arrow.binary()),
            f"{name}_dtype": arrow.array([str(each.dtype) for each in found], arrow.string()),
            f"{name}_shape": arrow.array([each.shape for each in found], arrow.list_(arrow.int32())),
        }
        for column, array in columns.items():
            table = table.append_column(column, array)
    return table


class _Made(WriterCommitMessage):  # type: ignore[misc]
    """A partition, with the result of make_part() as JSON; of a partition without rows, without a name."""

    def __init__(self, name: str = "", made: str = "") -> None:
        self.name = name
        self.made = made


class _Writer(DataSourceArrowWriter):  # type: ignore[misc]
    def __init__(
        self,
        path: str,
        storage: dict[str, Any],
        about: dict[str, Any],
        parquet: dict[str, Any],
        prefix: str,
        overwrite: bool,
    ) -> None:
        self._storage = storage
        self._about = about
        self._parquet = parquet
        self._prefix = prefix
        # The rows are known only where they are computed: they belong to the fingerprint of each partition.
        plan = {"*": fingerprint([about, parquet, prefix])}
        self._destination = destination_of(path, fingerprint(plan))
        _use(storage)
        claim(self._destination, plan, overwrite)
        self._destination.clear()

    def write(self, iterator: Iterator[pyarrow.RecordBatch]) -> _Made:
        arrow = importlib.import_module("pyarrow")
        batches = [batch for batch in iterator if batch.num_rows > 0]
        if not batches:
            return _Made()
        table = arrow.Table.from_batches(batches).combine_chunks()
        number = importlib.import_module("pyspark").TaskContext.get().partitionId()
        name = f"{self._prefix}{number + 1:04}"
        try:
            made_of = fingerprint([_bytes_of(table), self._about, self._parquet])
            made = make_part(
                lambda: _taco_of(table, self._about),
                name,
                made_of,
                self._destination,
                "raise",
                self._storage,
                self._parquet,
            )
        except TacoError as error:
            raise renamed_error(error, f"partition {name}") from error
        return _Made(name, json.dumps(made))

    def commit(self, messages: list[_Made]) -> None:
        _use(self._storage)
        made = {message.name: json.loads(message.made) for message in messages if message.name}
        if not made:
            raise TacoValidationError("there are no rows; at least one sample expected")
        with ThreadPoolExecutor() as threads, runner_of(threads) as runner:
            together = Together(self._destination, same_columns=True)
            for name, (record, _) in sorted(made.items()):
                together.add(name, record)
            finish(runner, self._destination, dict(sorted(made.items())), Index("tacocat", True, self._parquet))

    def abort(self, messages: list[_Made]) -> None:
        """What is finished is kept for the next run."""
        _use(self._storage)
        self._destination.clear()


def _use(storage: dict[str, Any]) -> None:
    if storage:
        _dataset.set_storage_options(**storage)


def _opened(path: str, storage: Mapping[str, Any]) -> TacoDataset:
    return _dataset.load(path, storage_options=storage or None)


def _taco_of(table: pyarrow.Table, about: dict[str, Any]) -> Taco:
    from .datamodel import Taco, Tortilla

    return Taco(Tortilla.from_table(table), **about)


def _bytes_of(table: pyarrow.Table) -> bytes:
    arrow = importlib.import_module("pyarrow")
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    out: bytes = sink.getvalue().to_pybytes()
    return out
