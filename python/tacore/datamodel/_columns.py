"""Conversion of metadata (dicts, tables, dataclasses, models) to columns."""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _core
from .._errors import TacoSchemaError

Field = tuple[str, str, str]  # name, Arrow name of the type, description

_PYTHON_TYPES = {bool: "bool", int: "int64", float: "double", str: "string", bytes: "binary"}


def columns_of(data: Any, what: str) -> _core.Columns:
    """Columns of a table, a mapping of values (one row) or of columns, rows, a dataclass or a Pydantic model.

    Raises:
        TypeError: The data has another type; the message begins with `what`, the function that returned it.
    """
    found = _row_of(data)
    if found is not None:
        return _core.Columns.of_row(found)
    if isinstance(data, _core.Columns):
        return data
    if hasattr(data, "__arrow_c_stream__"):
        return _plain(data)
    if hasattr(data, "to_dict") and hasattr(data, "columns"):  # pandas before 2.2
        return _core.Columns.of_values(data.to_dict("list"))
    if isinstance(data, (list, tuple)):
        return rows_of(data, what)
    raise TypeError(
        f"{what} returned {type(data).__name__}; a dict, a table with __arrow_c_stream__ (pyarrow, polars, pandas), "
        "rows, a dataclass or a Pydantic model is expected"
    )


def rows_of(rows: Sequence[Any], what: str) -> _core.Columns:
    """Columns of rows, each a mapping, a dataclass or a model; null where one lacks a field."""
    found = [_row_of(row) for row in rows]
    if any(row is None for row in found):
        raise TypeError(f"{what} returned a list; its items must be dicts, dataclasses or Pydantic models")
    names = dict.fromkeys(name for row in found if row is not None for name in row)
    return _core.Columns.of_values({name: [(row or {}).get(name) for row in found] for name in names})


def model_of(data: Any) -> dict[str, Any] | None:
    """The fields of a dataclass or a Pydantic model, None for anything else."""
    if dataclasses.is_dataclass(data) and not isinstance(data, type):
        return dataclasses.asdict(data)
    if hasattr(data, "model_dump") and not isinstance(data, type):
        return dict(data.model_dump())
    return None


def schema_of(schema: Any, descriptions: Mapping[str, str] | None = None) -> list[Field]:
    """Names, types and descriptions of the fields of `get_schema()`: a mapping of names to types (names of Arrow types,
    pyarrow or polars types, Python classes), a pyarrow schema, or an object with `__arrow_c_schema__` or
    `__arrow_c_stream__`."""
    texts = descriptions or {}
    if isinstance(schema, Mapping):
        found = [(str(name), _type_name(kind)) for name, kind in schema.items()]
    elif hasattr(schema, "__arrow_c_schema__"):
        found = [(name, kind) for name, kind, _ in _core.Columns.of_schema(schema).fields()]
    elif hasattr(schema, "__arrow_c_stream__"):
        found = [(name, kind) for name, kind, _ in _plain(schema).fields()]
    else:
        raise TypeError(f"get_schema returned {type(schema).__name__}; a dict of names to types or a schema expected")
    return [(name, kind, texts.get(name, "")) for name, kind in found]


def table_of(rows: Any) -> Any:
    """A pyarrow.Table of an object with `__arrow_c_stream__`; without pyarrow the object itself."""
    if importlib.util.find_spec("pyarrow") is None:
        return rows
    import pyarrow

    return pyarrow.RecordBatchReader.from_stream(rows).read_all()


def pack(columns: _core.Columns) -> list[tuple[str, str, str, list[Any]]]:
    """Columns as a list that can be pickled."""
    return [(*field, columns.objects(field[0])) for field in columns.fields()]


def unpack(packed: list[tuple[str, str, str, list[Any]]]) -> _core.Columns:
    columns = _core.Columns.of_values({name: values for name, _, _, values in packed})
    return columns.typed([(name, kind, text) for name, kind, text, _ in packed])


class Stream:
    """An Arrow C stream, which can be read once."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self._capsule


def _row_of(data: Any) -> dict[str, Any] | None:
    return dict(data) if isinstance(data, Mapping) else model_of(data)


def _type_name(kind: Any) -> str:
    if isinstance(kind, str):
        return kind
    if isinstance(kind, type) and kind in _PYTHON_TYPES:
        return _PYTHON_TYPES[kind]
    if hasattr(kind, "__arrow_c_schema__"):
        import pyarrow

        schema = pyarrow.schema([("", kind)])
    elif importlib.util.find_spec("polars") is not None:
        import polars

        return str(_plain(polars.DataFrame(schema={"": kind})).fields()[0][1])
    else:
        raise TacoSchemaError(f"{kind!r} is not a type; the name of an Arrow type, a pyarrow or polars type expected")
    return str(_core.Columns.of_schema(schema).fields()[0][1])


def _plain(table: Any) -> _core.Columns:
    """Columns of a table; large lists and text become plain ones, except from pyarrow, whose users chose the type."""
    columns = _core.Columns.of_table(table)
    if type(table).__module__.startswith("pyarrow"):
        return columns
    return columns.typed([(name, kind.replace("large_", ""), text) for name, kind, text in columns.fields()])
