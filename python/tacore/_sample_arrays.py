"""The arrays of consecutive samples, one sample after another, also where their shapes differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import _core
from ._arrays import array
from ._errors import TacoError
from .loader import Column, Input, Loader, column_hints, files_of, read_columns

if TYPE_CHECKING:
    from ._dataframe import TacoDataFrame

#: Samples that are read together: neighbours on a server take one request.
_NEAR, _FAR = 4, 16


def sample_text(rows: TacoDataFrame, row: int, first: int = 0) -> str:
    """The words for a sample in messages. `first`: row that row 0 is elsewhere."""
    return f"sample {rows._core.text(row, 'id')!r} (row {first + row})"


def read_samples(
    rows: TacoDataFrame, inputs: Mapping[str, Input | Column]
) -> Iterator[tuple[int, dict[str, Any] | TacoError]]:
    """Yields (row, arrays by name) of all samples, in order; the error of a sample that cannot be read in place of its
    arrays."""
    columns = read_columns(rows, inputs)
    at = 0
    for row, pixels in _read_files(rows, files_of(inputs)):
        while at < row:  # what a batch leaves out has another shape than the first sample, or cannot be read
            yield at, _with_columns(inputs, columns, at, _read_alone(rows, at, files_of(inputs)))
            at += 1
        yield row, _with_columns(inputs, columns, row, pixels)
        at = row + 1
    for row in range(at, len(rows)):
        yield row, _with_columns(inputs, columns, row, _read_alone(rows, row, files_of(inputs)))


def _read_files(rows: TacoDataFrame, files: list[Input]) -> Iterator[tuple[int, list[Any]]]:
    """The samples whose arrays have the shapes and types of those of the first one that can be opened."""
    is_far = _is_remote(rows)
    try:
        batches = Loader(
            rows, {str(number): each for number, each in enumerate(files)}, batch_size=_FAR if is_far else _NEAR,
            jobs=0 if is_far else 1, prefetch=1, on_error="skip",
        )  # fmt: skip
        for batch in batches:
            for number, row in enumerate(batch.positions):
                yield row, [each[number] for each in batch]
    except TacoError:  # no sample can be opened: each says why
        return


def _read_alone(rows: TacoDataFrame, row: int, files: list[Input]) -> list[Any] | TacoError:
    try:
        with column_hints(rows, files):
            return [array(_core.open_input(rows._core, row, each.path).read(each._options())) for each in files]
    except TacoError as error:
        return error


def _with_columns(
    inputs: Mapping[str, Input | Column], columns: Mapping[str, Any], row: int, pixels: list[Any] | TacoError
) -> dict[str, Any] | TacoError:
    if isinstance(pixels, TacoError):
        return pixels
    of_files = iter(pixels)
    return {name: columns[name][row] if name in columns else next(of_files) for name in inputs}


def _is_remote(rows: TacoDataFrame) -> bool:
    path = str(rows._origin.recipe[0][1])
    return "://" in path or path.startswith("/vsi")
