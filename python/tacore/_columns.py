"""Columns of a frame as arrays, one value for each sample."""

from __future__ import annotations

import datetime as dt
import difflib
import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from . import _core
from ._backend import require
from ._dataset import opened_rows
from ._errors import TacoQueryError
from .raster import dtype_name

if TYPE_CHECKING:
    from ._dataframe import TacoDataFrame
    from .loader import Rows

# Numbers and lists of numbers, as Arrow, polars and pandas write their types in lower case.
_NUMBERS = re.compile(r"(?:(?:large_|fixed_size_)?list<\w+: |list\(|array\()*(bool|u?int\d+|halffloat|float\d*|double)")
_OF_NUMPY = {"double": "float64", "float": "float32", "halffloat": "float16"}
_NUM_SHOWN = 20


@dataclass(frozen=True)
class Column:
    """An input of a model: one value of each sample, from a column of the frame, for example its label.

    The array has one value for each sample. Numbers and booleans keep their type: int64, float64, ...; decimals are
    float64. Lists of n numbers are an array of shape (samples, n); lists of different lengths are an array of objects,
    one NumPy array for each sample. Times are datetime64[us] in UTC; text, bytes and the rest are arrays of objects.

    Attributes:
        name: Name of the column.
        classes: Names of the classes, in order: the array has the position of each value in this list, as int64. Use
            the same list for training and validation, so that a class has the same number in both.
        dtype: Type of the array, of NumPy or PyTorch; None: as above. Times are converted to microseconds since 1970.
        fill: Value in the array where the column has no value (null); None: that is an error. With `classes` it is a
            position in the array, for example -100, which losses of PyTorch ignore.

    Raises:
        TypeError: `name` is not text, or `classes` is one text instead of a list.
        ValueError: `classes` is empty or has a value twice.

    Example:
        >>> Loader(rows, {"image": "", "label": Column("land_cover", classes=["forest", "water"])}, batch_size=32)
    """

    name: str
    classes: Sequence[Any] | None = None
    dtype: Any = None
    fill: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"Column: the name of a column is text, not {type(self.name).__name__}")
        if self.classes is None:
            return
        if isinstance(self.classes, (str, bytes)) or not hasattr(self.classes, "__iter__"):
            raise TypeError(f"{self._call()}: classes is {self.classes!r}; a list of the classes is expected")
        object.__setattr__(self, "classes", tuple(self.classes))
        if not self.classes:
            raise ValueError(f"{self._call()}: classes is empty")
        twice = [each for at, each in enumerate(self.classes) if each in self.classes[:at]]
        if twice:
            raise ValueError(f"{self._call()}: classes has {twice[0]!r} twice")

    def read(self, rows: Rows) -> Any:
        """Reads the column of all rows at once.

        Args:
            rows: Dataset or frame of the samples, or a path, as for :class:`Loader`.

        Returns:
            A numpy.ndarray of length (samples), in the order of the rows.

        Raises:
            TacoQueryError: There is no such column; a value is not among the classes; a row has no value, and there
                is no `fill`; or a value does not fit the type. The error names the row.
            TacoBackendError: NumPy is not installed.

        Example:
            >>> numpy.bincount(Column("land_cover", classes=["forest", "water"]).read(rows))  # samples of each class
        """
        require("numpy", self._call())
        import numpy

        frame = opened_rows(rows)
        cells = self._cells(frame)
        known = [cell for cell in cells if cell is not None]
        if self.classes is not None:
            array = self._indices(frame, cells, known)
        else:
            try:
                array = _array(known, _dtype(frame, self.name))
            except TypeError as error:
                raise TacoQueryError(f"{self._call()}: a list has a value that is no number ({error})") from error
        if self.dtype is not None:
            try:
                array = array.astype(dtype_name(self.dtype))
            except (TypeError, ValueError, OverflowError) as error:
                raise TacoQueryError(
                    f"{self._call()}: values cannot be converted to {dtype_name(self.dtype)} ({error})"
                    + (f"; {self._with_classes(known)}" if isinstance(known[0], str) else "")
                ) from error
        if len(known) == len(cells):
            return array
        return self._filled(frame, array, numpy.array([cell is None for cell in cells]))

    def _filled(self, frame: TacoDataFrame, known: Any, is_null: Any) -> Any:
        """The array of all rows, of that of the rows that have a value."""
        import numpy

        if self.fill is None:
            raise TacoQueryError(
                f"{self._call()}: {int(is_null.sum())} of {len(is_null)} samples have no value (null), the first is "
                f"{_sample(frame, int(is_null.argmax()))}; give {self._call()[:-1]}, fill=...), or leave these samples "
                f"out: dataset.sql('SELECT * FROM data WHERE \"{self.name}\" IS NOT NULL')"
            )
        out = numpy.empty((len(is_null), *known.shape[1:]), known.dtype)
        out[~is_null] = known
        try:
            out[is_null] = operator.index(self.fill) if out.dtype.kind in "iu" else self.fill
        except (TypeError, ValueError, OverflowError) as error:
            raise TacoQueryError(
                f"{self._call()}: fill={self.fill!r} is not a value of type {out.dtype}; another fill, or dtype= with a "
                "type that has it, is expected"
            ) from error
        return out

    def _cells(self, frame: TacoDataFrame) -> list[Any]:
        if self.name not in frame.columns:
            near = difflib.get_close_matches(self.name, frame.columns, 1)
            raise TacoQueryError(
                f"{self._call()}: the rows have no column {self.name!r}"
                + (f"; did you mean {near[0]!r}?" if near else f"; their columns are {', '.join(frame.columns)}.")
                + ' A FILE of each sample is an input as text, such as "mask"'
            )
        return cells_of(frame, self.name)

    def _indices(self, frame: TacoDataFrame, cells: list[Any], known: list[Any]) -> Any:
        import numpy

        classes = self.classes or ()
        index = {value: at for at, value in enumerate(classes)}
        try:
            return numpy.array([index[value] for value in known], "int64")
        except KeyError as missing:
            value = missing.args[0]
            raise TacoQueryError(
                f"{self._call()}: the value {value!r} of {_sample(frame, cells.index(value))} is not one of the "
                f"classes, which are {listed(classes)}"
            ) from None
        except TypeError:
            raise TacoQueryError(f"{self._call()}: classes are for single values, and this column has lists") from None

    def _with_classes(self, known: list[Any]) -> str:
        return f"text becomes numbers by its classes: {self._call()[:-1]}, classes=[{listed(sorted(set(known)))}])"

    def _call(self) -> str:
        return f"Column({self.name!r})"


def cells_of(frame: TacoDataFrame, name: str) -> list[Any]:
    """The values of a column as Python objects, None for null."""
    if not frame._changed:
        selected: Any = frame._core.select([name])
    else:
        table = frame._native()
        selected = table[[name]] if frame._backend == "pandas" else table.select([name])
    return [row[name] for row in _core.rows(selected)]


def listed(values: Sequence[Any]) -> str:
    """Values in a message, which says no more than the first ones of many."""
    shown = ", ".join(map(repr, values[:_NUM_SHOWN]))
    return shown + (", ..." if len(values) > _NUM_SHOWN else "")


def _array(values: list[Any], dtype: str | None) -> Any:
    """An array of the values of a column, of which none is None."""
    import numpy

    first = values[0] if values else None
    while isinstance(first, list):
        first = next(iter(first), None)
    if isinstance(first, (dt.datetime, dt.date)):
        # NumPy has no time zones; the times of rows with one are in UTC.
        return numpy.array([each.replace(tzinfo=None) if isinstance(each, dt.datetime) else each for each in values],
                           "datetime64[us]")  # fmt: skip
    if isinstance(first, Decimal):
        dtype = "float64"
    if dtype is not None or isinstance(first, (bool, int, float)):
        try:
            return numpy.array(values, dtype)
        except ValueError:  # lists of different lengths
            return _objects([numpy.array(each, dtype) for each in values])
    return _objects(values)


def _objects(values: list[Any]) -> Any:
    import numpy

    out = numpy.empty(len(values), object)
    for at, value in enumerate(values):  # not at once: NumPy would take lists apart
        out[at] = value
    return out


def _dtype(frame: TacoDataFrame, name: str) -> str | None:
    """The NumPy type of a column of numbers or of lists of numbers; None for other columns, and if it is unknown."""
    if not frame._changed:
        kind = dict(frame._core.columns)[name]
    elif frame._backend == "pyarrow":
        kind = str(frame._native().schema.field(name).type)
    else:
        kind = str(frame._native()[name].dtype)
    found = _NUMBERS.match(kind.lower())
    return None if found is None else _OF_NUMPY.get(found[1], found[1])


def _sample(frame: TacoDataFrame, position: int) -> str:
    """The words for a sample in messages, as in those of the C++ library."""
    if "id" not in frame.columns:
        return f"row {position}"
    return f"sample {frame._core.text(position, 'id')!r} (row {position})"
