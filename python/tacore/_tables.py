"""Tables of pyarrow, polars and pandas: what frames need of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ._backend import require

#: Methods that leave rows of the table, in whatever order: frames keep their navigation through them.
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
#: Methods that leave every row in its place, with other columns.
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
#: Methods of polars that leave every row in its place when they are given names; expressions may move the rows of
#: columns, all alike or each for itself.
EXPRESSION_METHODS = frozenset({"select", "select_seq", "with_columns", "with_columns_seq"})
#: Methods that change a table itself.
IN_PLACE: dict[str, frozenset[str]] = {
    "pyarrow": frozenset(),
    "polars": frozenset({"drop_in_place", "extend", "insert_column", "replace_column"}),
    "pandas": frozenset({"insert", "isetitem", "pop", "update"}),
}
#: Methods that give columns other names.
RENAMES = frozenset({"add_prefix", "add_suffix", "rename", "rename_columns", "set_axis"})
_ROW = "tacore:row"
#: Columns with the path of the dataset.
PATHS = frozenset({"internal:gdal_vsi", "internal:subfile"})
#: Columns that tell a row from others.
OWN = PATHS | {"id"}


def is_protected(name: object) -> bool:
    return isinstance(name, str) and (name in ("id", "type") or name.startswith("internal:"))


def check_not_protected(names: Iterable[object]) -> None:
    for name in names:
        if is_protected(name):
            raise ValueError(f"Cannot modify protected column {name!r}")


def make(backend: str, rows: Any) -> Any:
    """A table of the rows that an object with `__arrow_c_stream__` gives."""
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
    """A table of a library, of the rows of a frame; of the frame's own library a copy where tables can change."""
    if backend == to and to != "pandas":
        return _own(backend, rows._native())
    if backend == "pandas" and (to == "pandas" or rows._changed):  # pandas has neither null in numbers nor all types
        table = rows._native()
        if to == "pandas":
            return table.copy()
        require("pyarrow", f"to_{to.replace('py', '')}()")
        import pyarrow

        arrow = pyarrow.Table.from_pandas(table, preserve_index=False)
        return arrow if to == "pyarrow" else make(to, arrow)
    return make(to, rows)


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
    """A table with this column, in the place of the one that has its name."""
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
    """Calls a method of a table: its result and, when that is rows of the table, their positions.

    Raises:
        ValueError: It would change the table in place, or the result has other values in protected columns.
    """
    if method in IN_PLACE[backend] or keywords.get("inplace"):
        raise ValueError(f"{method}: a frame is not changed in place; take a result, or set frame[name]")
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
        or (method == "shift" and not OWN.intersection(result.columns))  # nothing says that rows are not where they were
    ):
        return result, None
    if method in RENAMES:
        check_not_protected(name for name in columns(backend, table) if name not in columns(backend, result))
    check_kept(backend, table, result)
    return result, range(len(table))


def _expressed(
    table: Any, method: str, arguments: Sequence[Any], keywords: dict[str, Any]
) -> tuple[Any, Sequence[int] | None]:
    """Rows of the table where each is known by a column that is its own; else a table of polars."""
    flat = [each for given in arguments for each in (given if isinstance(given, (list, tuple)) else [given])]
    if not keywords and all(isinstance(each, str) and not each.startswith("^") for each in flat):
        return getattr(table, method)(*arguments), range(len(table))
    result = getattr(_numbered("polars", table), method)(*arguments, **keywords)
    rows: Sequence[int] = range(len(table))
    if _ROW in result.columns:  # moved along with the others
        result, numbers = _tracked("polars", result)
        if numbers is not None and None not in numbers and list(numbers) != list(rows):
            rows = numbers
    if len(result) != len(table) or not OWN.intersection(result.columns):
        return result, None
    check_kept("polars", table if isinstance(rows, range) else table[list(rows)], result)
    return result, rows


def item(backend: str, table: Any, key: Any) -> tuple[Any, Sequence[int] | None]:
    """``table[key]``, as :func:`call` has it."""
    result = table[key]
    if not isinstance(result, type(table)) or isinstance(key, tuple):
        return result, None
    if are_names(key):
        return result, range(len(table))
    result, rows = _tracked(backend, _numbered(backend, table)[key])
    return (table[key], None) if rows is None else (result, rows)


def indexed(table: Any, indexer: str, key: Any) -> tuple[Any, Sequence[int] | None]:
    """``table.indexer[key]`` of pandas, as :func:`call` has it."""
    result = getattr(table, indexer)[key]
    if not isinstance(result, type(table)) or isinstance(key, tuple):
        return result, None
    return _tracked("pandas", getattr(_numbered("pandas", table), indexer)[key])


def edited(table: Any, indexer: str, key: Any, values: Any) -> Any:
    """A pandas table after ``table.indexer[key] = values``, which must have the same rows."""
    changed = table.copy()
    getattr(changed, indexer)[key] = values
    if len(changed) != len(table):
        raise ValueError(f"{indexer}: a frame gets no new rows")
    check_kept("pandas", table, changed)
    return changed


def check_kept(backend: str, before: Any, after: Any) -> None:
    """Raises ValueError when a protected column of `after`, whose rows are those of `before`, is not as it was."""
    names, shown = set(columns(backend, before)), columns(backend, after)
    for name in filter(is_protected, shown):
        if name not in names or shown.count(name) > 1 or not values(after[name]).equals(values(before[name])):
            check_not_protected([name])


def values(column: Any) -> Any:
    """The cells of a column."""
    return column.array if hasattr(column, "array") else column  # without the index of pandas


def _own(backend: str, table: Any) -> Any:
    """A table of the caller's own, over the same columns: pandas and polars have methods that change it."""
    if backend == "pandas":
        return table.copy(deep=False)
    return table.clone() if backend == "polars" else table


def are_names(key: Any) -> bool:
    return isinstance(key, list) and bool(key) and all(isinstance(each, str) for each in key)


def _rows_of(
    backend: str, table: Any, method: str, arguments: Sequence[Any], keywords: dict[str, Any]
) -> tuple[Any, Sequence[int] | None]:
    if method in ("drop_duplicates", "drop_nulls", "dropna", "unique") and not arguments:
        keywords = {"subset": columns(backend, table), **keywords}  # and not the numbers of the rows
    return _tracked(backend, getattr(_numbered(backend, table), method)(*arguments, **keywords))


def _numbered(backend: str, table: Any) -> Any:
    """With the number of each row in a column that goes along; in polars one that selectors of numbers pass by."""
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
    if numbers.isna().any():  # of a mask of cells, not of rows
        return result, None
    return result.drop(columns=_ROW), numbers.tolist()


def _column(values: Any, name: str) -> Any:
    import polars

    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        return polars.lit(values).alias(name)
    return polars.Series(name, values)
