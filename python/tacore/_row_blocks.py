"""Rows with the bytes or the arrays of their samples, in blocks of bounded size, for readers of other engines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ._engines import renamed_error
from ._errors import TacoError, TacoSchemaError, TacoValidationError
from ._sample_arrays import read_samples, sample_text
from .loader import Column, Input, named_inputs

if TYPE_CHECKING:
    import pyarrow

    from ._dataframe import TacoDataFrame

#: A block ends with the sample that makes it as large as this, in bytes.
_BLOCK = 32 << 20
#: Column of the bytes of samples that are FILEs.
DATA = "data"


class Payload(NamedTuple):
    """What is read of the samples of rows."""

    with_bytes: bool
    inputs: dict[str, Input]

    def is_read(self) -> bool:
        return self.with_bytes or bool(self.inputs)

    def names(self) -> list[str]:
        """The columns that come to those of the rows."""
        return [*([DATA] if self.with_bytes else []), *self.inputs]


def payload_of(with_bytes: bool, inputs: Any) -> Payload:
    """Raises TacoValidationError where an input is a column: those of the rows are there anyway."""
    named = {} if inputs is None else named_inputs(inputs)
    for name, each in named.items():
        if isinstance(each, Column):
            raise TacoValidationError(f"the input {name!r} is a Column; the columns of rows are read as they are")
    return Payload(with_bytes, {name or "pixels": each for name, each in named.items() if isinstance(each, Input)})


def payload_of_json(with_bytes: str, inputs: str) -> Payload:
    """Of text options: "true" or "false", and JSON as inputs have it: a text, a list, or a mapping."""
    if with_bytes not in ("true", "false"):
        raise TacoValidationError(f"the option 'bytes' is {with_bytes!r}; 'true' or 'false' expected")
    try:
        return payload_of(with_bytes == "true", json.loads(inputs) if inputs else None)
    except (ValueError, TypeError) as error:
        raise TacoValidationError(
            f"the option 'inputs' is {inputs}; JSON expected: a text such as \"s2/3,4,10\", a list or an object of "
            f"these: {error}"
        ) from error


def check_names(columns: list[str], payload: Payload) -> None:
    """Raises TacoSchemaError where a column of the rows has the name of one of the payload."""
    for name in payload.names():
        if name in columns:
            raise TacoSchemaError(f"the rows have a column {name!r}; give the input another name: a mapping of inputs")


def read_blocks(
    rows: TacoDataFrame, columns: list[str], payload: Payload, first: int
) -> Iterator[tuple[pyarrow.Table, dict[str, list[Any]]]]:
    """Yields blocks of consecutive rows: a table of the columns, and the values of each column of the payload. `first`:
    row that row 0 is elsewhere."""
    table = rows.to_arrow().select(columns)
    if not payload.is_read():
        yield table, {}
        return
    begin, size = 0, 0
    values: dict[str, list[Any]] = {name: [] for name in payload.names()}
    for row, each in _read(rows, payload, first):
        for name, value in each.items():
            values[name].append(value)
            size += len(value) if isinstance(value, bytes) else value.nbytes
        if size >= _BLOCK:
            yield table.slice(begin, row + 1 - begin), values
            begin, size = row + 1, 0
            values = {name: [] for name in payload.names()}
    if begin < len(rows):
        yield table.slice(begin), values


def _read(rows: TacoDataFrame, payload: Payload, first: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
    arrays = read_samples(rows, payload.inputs) if payload.inputs else ((row, {}) for row in range(len(rows)))
    for row, each in arrays:
        try:
            if isinstance(each, TacoError):
                raise each
            yield row, {DATA: rows.read_bytes(row), **each} if payload.with_bytes else each
        except TacoError as error:
            raise renamed_error(error, sample_text(rows, row, first)) from error
