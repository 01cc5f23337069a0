"""The datasource of Ray Data: datasets as distributed datasets of rows, with the bytes or the arrays of their samples.

Example:
    >>> source = tacore.ray.TacoDatasource("s3://bucket/chips.tacozip", inputs={"image": "s2/4,3,2"})
    >>> ray.data.read_datasource(source).map_batches(predict).write_parquet("predictions")
"""

from __future__ import annotations

import functools
import importlib
import pickle
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._dataset import opened_rows
from ._errors import TacoBackendError, TacoQueryError
from ._row_blocks import Payload, check_names, payload_of, read_blocks
from ._row_tasks import frame_of, ranges

if TYPE_CHECKING:
    from .loader import Inputs
    from .loader import Rows as RowsLike

Datasource: Any = object
try:
    Datasource = importlib.import_module("ray.data.datasource").Datasource
except ImportError:  # no Ray, or one without Ray Data
    pass

__all__ = ["TacoDatasource"]

#: About so many bytes have the columns of a row.
_SIZE_OF_COLUMNS = 1000


class TacoDatasource(Datasource):  # type: ignore[misc]
    """Reads the rows of a dataset for ``ray.data.read_datasource``, consecutive rows in each of its read tasks.

    The columns are those of the rows; with `inputs` also an array of each input, which ``map_batches`` and
    ``iter_torch_batches`` give as one array where the samples of a batch have the same shape. Ray needs one type for
    all samples: an Input with `dtype` gives it.

    Args:
        dataset: Dataset or frame, or a path or list of paths. Tasks open the same version of it again.
        inputs: Arrays of the samples, as for :class:`tacore.loader.Loader`, without Column; "" alone is called
            `pixels`. None: no arrays.
        with_bytes: Add the column `data`, the bytes of each sample; samples are FILEs.
        columns: Columns of the rows to keep; None: all.

    Raises:
        TacoBackendError: Ray Data is not installed.
        TacoValidationError: An input is a Column.
        TacoSchemaError: The rows have a column with the name of an input.
        TacoQueryError: There is no such column.
        TacoError: The dataset cannot be opened. A read task raises the error of a sample that cannot be read, with its
            id.

    Example:
        >>> source = tacore.ray.TacoDatasource("chips.tacozip", inputs="", columns=["id", "split"])
        >>> ray.data.read_datasource(source).schema()
    """

    def __init__(
        self,
        dataset: RowsLike,
        *,
        inputs: Inputs | None = None,
        with_bytes: bool = False,
        columns: Sequence[str] | None = None,
    ) -> None:
        if Datasource is object:
            raise TacoBackendError("TacoDatasource needs Ray Data: pip install 'ray[data]'")
        super().__init__()
        frame = opened_rows(dataset)
        self._payload = payload_of(with_bytes, inputs)
        self._columns = list(frame.columns if columns is None else columns)
        for name in self._columns:
            if name not in frame.columns:
                raise TacoQueryError(f"the rows have no column {name!r}; their columns are {', '.join(frame.columns)}")
        check_names(self._columns, self._payload)
        self._num_rows = len(frame)
        self._row_size = _row_size(frame, self._payload) if self._num_rows else 0
        self._rows = pickle.dumps(frame)

    def estimate_inmemory_data_size(self) -> int | None:
        """The bytes of the arrays, as of the first sample; None where they are not known."""
        return None if self._row_size is None else self._row_size * self._num_rows

    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, data_context: Any = None
    ) -> list[Any]:
        """One task for each of at most `parallelism` ranges of rows."""
        read_task = importlib.import_module("ray.data.datasource").ReadTask
        metadata = importlib.import_module("ray.data.block").BlockMetadata
        tasks = []
        for begin, end in ranges(self._num_rows, 1, max(parallelism, 1)):
            size = None if self._row_size is None else self._row_size * (end - begin)
            about = metadata(num_rows=end - begin, size_bytes=size, exec_stats=None, input_files=None)
            read = functools.partial(_read, self._rows, begin, end, self._columns, self._payload)
            tasks.append(read_task(read, about, per_task_row_limit=per_task_row_limit))
        return tasks


def _row_size(frame: Any, payload: Payload) -> int | None:
    """The bytes of the payload of a row, as of the first one."""
    if payload.with_bytes:
        return None
    out = _SIZE_OF_COLUMNS
    for each in payload.inputs.values():
        width, height, num_bands, dtype = _core.open_input(frame._core, 0, each.path).info()[:4]
        out += width * height * num_bands * importlib.import_module("numpy").dtype(dtype).itemsize
    return out


def _read(rows: bytes, begin: int, end: int, columns: list[str], payload: Payload) -> Iterable[Any]:
    part = frame_of(rows)._rows(range(begin, end))
    return _blocks(part, begin, columns, payload)


def _blocks(part: Any, begin: int, columns: list[str], payload: Payload) -> Iterator[Any]:
    accessor = importlib.import_module("ray.data.block").BlockAccessor
    for table, values in read_blocks(part, columns, payload, begin):
        if not values:
            yield table
            continue
        arrays = accessor.batch_to_block({name: _stacked(each) for name, each in values.items()})
        for name in arrays.column_names:
            table = table.append_column(name, arrays[name])
        yield table


def _stacked(values: list[Any]) -> Any:
    """The values as one array where they have the same shape and type; else as an array of objects."""
    import numpy

    if isinstance(values[0], bytes):
        return values
    if len({(each.shape, each.dtype) for each in values}) == 1:
        return numpy.stack(values)
    out = numpy.empty(len(values), object)
    for at, each in enumerate(values):
        out[at] = each
    return out
