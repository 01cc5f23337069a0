"""Operations of frames on tables of pyarrow, polars and pandas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ._backend import require

#: Methods that select, drop or reorder rows of the table: their results are frames again.
ROW_METHODS: dict[str, frozenset[str]] = {
    "pyarrow": frozenset({"drop_null", "filter", "slice", "sort_by", "take"}),
    "polars": frozenset({
        "bottom_k", "drop_nans", "drop_nulls", "filter", "gather_every", "limit", "remove", "reverse", "sample",
        "slice", "sort", "top_k", "unique",
    }),
    "pandas": frozenset({
        "drop", "drop_duplicates", "dropna", "nlargest", "nsmallest", "query", "sample", "sort_index", "sort_values",
        "take", "truncate",
    }),
}  # fmt: skip
#: Methods that keep every row in its position, and change columns.
COLUMN_METHODS: dict[str, frozenset[str]] = {
    "pyarrow": frozenset({
        "add_column", "append_column", "cast", "combine_chunks", "drop", "drop_columns", "flatten", "remove_column",
        "rename_columns", "replace_schema_metadata", "select", "set_column", "unify_dictionaries",
    }),
    "polars": frozenset({
        "cast", "clone", "drop", "fill_nan", "fill_null", "hstack", "interpolate", "rechunk", "rename",
        "shift", "shrink_to_fit", "with_row_index",
    }),
    "pandas": frozenset({
        "add_prefix", "add_suffix", "assign", "astype", "bfill", "convert_dtypes", "copy", "eval", "ffill", "fillna",
        "filter", "infer_objects", "interpolate", "mask", "rename", "rename_axis", "replace", "reset_index", "round",
        "select", "select_dtypes", "set_axis", "set_index", "where",
    }),
}  # fmt: skip
#: Methods of polars that keep every row in its position if their arguments are names; expressions may reorder the rows
#: of all columns, or of each column differently.
EXPRESSION_METHODS = frozenset({"select", "select_seq", "with_columns", "with_columns_seq"})
#: Methods that change a table in place.
IN_PLACE: dict[str, frozenset[str]] = {
    "pyarrow": frozenset(),
    "polars": frozenset({"drop_in_place", "extend", "insert_column", "replace_column"}),
    "pandas": frozenset({"insert", "isetitem", "pop", "update"}),
}
#: Methods that rename columns.
RENAMES = frozenset({"add_prefix", "add_suffix", "rename", "rename_columns", "set_axis"})
_ROW = "tacore:row"
#: Columns that contain the path of the dataset.
PATHS = frozenset({"internal:gdal_vsi", "internal:subfile"})
#: Columns that identify a row.
OWN = PATHS | {"id"}


def is_protected(name: object) -> bool:
    return isinstance(name, str) and (name in ("id", "type") or name.startswith("internal:"))


def check_not_protected(names: Iterable[object]) -> None:
    for name in names:
        if is_protected(name):
            raise ValueError(f"Cannot modify protected column {name!r}")


def make(backend: str, rows: Any) -> Any:
    """A table of the rows of an object with `__arrow_c_stream__`."""
    if backend == "polars":
        require("polars", 'the backend "polars"')
        import polars

        return polars.DataFrame(rows)
    require("pyarrow", f'the backend "{backend}"')
    import pyarrow

    table = pyarrow.RecordBatchReader.from_stream(rows).read_all()
    if backend == "pyarrow":
        return table
    require("pandas", 'the backend "pandas"')
    return table.to_pandas()


def convert(rows: Any, backend: str, to: str) -> Any:
    """The rows of a frame as a table of the library `to`; a copy if that is the frame's own table and can be
    changed."""
    if backend == to and to != "pandas":
        return _own(backend, rows._native())
    if backend == "pandas" and (to == "pandas" or rows._changed):  # pandas lacks null in numbers, and some types
        table = rows._native()
        if to == "pandas":
            return table.copy()
        require("pyarrow", f"to_{to.replace('py', '')}()")
        import pyarrow

        arrow = pyarrow.Table.from_pandas(table, preserve_index=False)
        return arrow if to == "pyarrow" else make(to, arrow)
    return make(to, rows._native() if rows._changed else rows._core)  # whose columns of WKB are of type binary


def columns(backend: str, table: Any) -> list[str]:
    return list(table.column_names) if backend == "pyarrow" else list(table.columns)


def take(backend: str, table: Any, rows: Sequence[int]) -> Any:
    """The rows at these positions."""
    if backend == "pyarrow":
        return table.take(list(rows))
    if backend == "polars":
        return table[list(rows)]
    return table.iloc[list(rows)]


def with_column(backend: str, table: Any, name: str, values: Any) -> Any:
    """A table with this column added, or replaced if there is one of this name."""
    if backend == "pandas":
        return table.assign(**{name: values})
    if backend == "polars":
        import polars

        values = values.alias(name) if isinstance(values, (polars.Expr, polars.Series)) else _column(values, name)
        return table.with_columns(values)
    import pyarrow

    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        values = pyarrow.repeat(pyarrow.scalar(values), len(table))
    array = values if isinstance(values, pyarrow.ChunkedArray) else pyarrow.array(values)
    if name in table.column_names:
        return table.set_column(table.column_names.index(name), name, array)
    return table.append_column(name, array)


def call(
    backend: str, table: Any, method: str, arguments: Sequence[Any], keywords: dict[str, Any]
) -> tuple[Any, Sequence[int] | None]:
    """Calls a method of a table. Returns its result and, if that consists of rows of the table, their positions.

    Raises:
        ValueError: The method would change the table in place, or the result has other values in read-only columns.
    """
    if method in IN_PLACE[backend] or keywords.get("inplace"):
        raise ValueError(f"{method}: a frame cannot be changed in place; use the result of a method, or set frame[name]")
    if backend == "polars" and method in EXPRESSION_METHODS:
        return _expressed(table, method, arguments, keywords)
    leaves_rows = method in ROW_METHODS[backend]
    if leaves_rows and keywords.get("axis") not in (1, "columns"):
        return _rows_of(backend, table, method, arguments, keywords)
    result = getattr(_own(backend, table), method)(*arguments, **keywords)
    if (
        not (leaves_rows or method in COLUMN_METHODS[backend])
        or not isinstance(result, type(table))
        or len(result) != len(table)
        or (method == "shift" and not OWN.intersection(result.columns))  # without them a move is not detected
    ):
        return result, None
    if method in RENAMES:
        check_not_protected(name for name in columns(backend, table) if name not in columns(backend, result))
    check_kept(backend, table, result)
    return result, range(len(table))


def _expressed(
    table: Any, method: str, arguments: Sequence[Any], keywords: dict[str, Any]
) -> tuple[Any, Sequence[int] | None]:
    """As :func:`call`, for a method with expressions; positions are known if a column identifies each row."""
    flat = [each for given in arguments for each in (given if isinstance(given, (list, tuple)) else [given])]
    if not keywords and all(isinstance(each, str) and not each.startswith("^") for each in flat):
        return getattr(table, method)(*arguments), range(len(table))
    result = getattr(_numbered("polars", table), method)(*arguments, **keywords)
    rows: Sequence[int] = range(len(table))
    if _ROW in result.columns:  # reordered like the other columns
        result, numbers = _tracked("polars", result)
        if numbers is not None and None not in numbers and list(numbers) != list(rows):
            rows = numbers
    if len(result) != len(table) or not OWN.intersection(result.columns):
        return result, None
    check_kept("polars", table if isinstance(rows, range) else table[list(rows)], result)
    return result, rows


def item(backend: str, table: Any, key: Any) -> tuple[Any, Sequence[int] | None]:
    """``table[key]``, returned as by :func:`call`."""
    # Tables of pyarrow take lists of names by a method only.
    result = table.select(key) if backend == "pyarrow" and are_names(key) else table[key]
    if not isinstance(result, type(table)) or isinstance(key, tuple):
        return result, None
    if are_names(key):
        return result, range(len(table))
    result, rows = _tracked(backend, _numbered(backend, table)[key])
    return (table[key], None) if rows is None else (result, rows)


def indexed(table: Any, indexer: str, key: Any) -> tuple[Any, Sequence[int] | None]:
    """``table.indexer[key]`` of pandas, returned as by :func:`call`."""
    result = getattr(table, indexer)[key]
    if not isinstance(result, type(table)) or isinstance(key, tuple):
        return result, None
    return _tracked("pandas", getattr(_numbered("pandas", table), indexer)[key])


def edited(table: Any, indexer: str, key: Any, values: Any) -> Any:
    """A pandas table after ``table.indexer[key] = values``, which must have the same rows."""
    changed = table.copy()
    getattr(changed, indexer)[key] = values
    if len(changed) != len(table):
        raise ValueError(f"{indexer}: rows cannot be added to a frame")
    check_kept("pandas", table, changed)
    return changed


def check_kept(backend: str, before: Any, after: Any) -> None:
    """Raises ValueError if a read-only column of `after` differs from that of `before`, which has the same rows."""
    names, shown = set(columns(backend, before)), columns(backend, after)
    for name in filter(is_protected, shown):
        if name not in names or shown.count(name) > 1 or not values(after[name]).equals(values(before[name])):
            check_not_protected([name])


def values(column: Any) -> Any:
    """The values of a column, without the index of pandas."""
    return column.array if hasattr(column, "array") else column


def _own(backend: str, table: Any) -> Any:
    """A shallow copy of a table for the user: methods of pandas and polars may change it."""
    if backend == "pandas":
        return table.copy(deep=False)
    return table.clone() if backend == "polars" else table


def are_names(key: Any) -> bool:
    return isinstance(key, list) and bool(key) and all(isinstance(each, str) for each in key)


def _rows_of(
    backend: str, table: Any, method: str, arguments: Sequence[Any], keywords: dict[str, Any]
) -> tuple[Any, Sequence[int] | None]:
    if method in ("drop_duplicates", "drop_nulls", "dropna", "unique") and not arguments:
        keywords = {"subset": columns(backend, table), **keywords}  # without the column of row numbers
    return _tracked(backend, getattr(_numbered(backend, table), method)(*arguments, **keywords))


def _numbered(backend: str, table: Any) -> Any:
    """The table with an additional column of row numbers; in polars a struct, which selectors of numbers skip."""
    if backend == "pandas":
        return table.assign(**{_ROW: range(len(table))})
    if backend == "polars":
        import polars

        return table.with_columns(polars.struct(n=polars.int_range(len(table))).alias(_ROW))
    import pyarrow

    return table.append_column(_ROW, pyarrow.array(range(len(table)), pyarrow.int64()))


def _tracked(backend: str, result: Any) -> tuple[Any, Sequence[int] | None]:
    if backend == "pyarrow":
        return result.drop([_ROW]), result[_ROW].to_pylist()
    if backend == "polars":
        return result.drop(_ROW), result[_ROW].struct.field("n").to_list()
    if _ROW not in result.columns:
        return result, None
    numbers = result[_ROW]
    if numbers.isna().any():  # a mask of cells, not of rows
        return result, None
    return result.drop(columns=_ROW), numbers.tolist()


def _column(values: Any, name: str) -> Any:
    import polars

    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        return polars.lit(values).alias(name)
    return polars.Series(name, values)
