"""Rows that can be navigated (specification, section 7.2.3)."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from . import _core, _tables
from ._arrays import arrow_tensor
from ._errors import TacoBackendError, TacoNavigationError, TacoQueryError
from ._statistics import Statistics

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Key = SupportsIndex | str
_BATCH = 1024


class Origin(NamedTuple):
    """How a frame is made again in another process: of a dataset, by calls of the core one after another."""

    recipe: Any
    steps: tuple[Any, ...]
    #: The dataset's container.
    format: str

    def then(self, method: str, *arguments: Any) -> Origin:
        return self._replace(steps=(*self.steps, (method, *arguments)))

    def asks_query(self) -> bool:
        """Whether SQL is among the calls, which may give other rows when it runs again: random(), USING SAMPLE."""
        from ._dataset import asks_query

        return asks_query(self.recipe) or any(step[0] in ("filter", "with_column") for step in self.steps)


class TacoDataFrame(Statistics):
    """Computed rows (specification, 7.2.3): made by `dataset.data` and by its own methods.

    A table of the backend (pyarrow, polars, pandas) that can be navigated: attributes and methods that are not listed
    here are those of that table, which is made when it is first needed. Results that still are rows of it, in whatever
    order, are such a frame again; others, of a `group_by` or a join for example, are the backend's own.

    Iterating gives rows, as dicts; ``name in frame`` asks for a column; two frames are equal when they are one object.

    `id`, `type` and `internal:*` are protected: a ValueError meets what would change them. :meth:`read` finds its way
    even where a projection hides them. Safe from several threads, can be used after a fork and after its dataset is
    closed. A pickle of it has the same rows wherever it is opened, of the same version of the files, or opening it
    raises a TacoError.
    """

    __slots__ = ("__weakref__", "_backend", "_changed", "_core", "_made", "_origin")

    def __init__(self, core: _core.DataFrame, origin: Origin, backend: str, table: Any = None) -> None:
        self._core = core
        self._origin = origin
        self._backend = backend
        #: The table, under "table", once it is made; copies of the frame share it where no one can write to it.
        self._made: dict[str, Any] = {} if table is None else {"table": table}
        #: Whether the table has columns that the core does not know.
        self._changed = table is not None

    # The table.

    def __len__(self) -> int:
        return len(self._core)

    @property
    def columns(self) -> list[str]:
        """Names of the columns that show, in order."""
        if self._changed:
            return _tables.columns(self._backend, self._native())
        return [name for name, _ in self._core.columns]

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return len(self), len(self.columns)

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a pyarrow.Table. Raises TacoBackendError where pyarrow is not installed, as the next two do."""
        return _tables.convert(self, self._backend, "pyarrow")

    def to_polars(self) -> polars.DataFrame:
        """The rows as a polars.DataFrame, a copy that shares its columns."""
        return _tables.convert(self, self._backend, "polars")  # type: ignore[no-any-return]

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas.DataFrame, a copy; needs pyarrow, too."""
        return _tables.convert(self, self._backend, "pandas")  # type: ignore[no-any-return, unused-ignore]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows as an Arrow C stream (PyCapsule interface)."""
        source = self._native() if self._changed else self._core
        return source.__arrow_c_stream__(requested_schema)

    # Navigation.

    def read(self, key: Key) -> Any:
        """The data of a FILE, or the children of a FOLDER.

        Args:
            key: Position, from 0; or id, of the first row that has it; or a path of ids from here ("tile/sensor/band").
                "lrf::2" is chunk 2 of the raster `lrf`: the tiles of all its bands at one place, counted row by row.

        Returns:
            Of a FILE the path under which GDAL opens it ("/vsisubfile/157_1024,/data/a.tacozip"); of a FOLDER a
            TacoDataFrame. Before 2.0 a BYTES is its bytes. A chunk is a pyarrow.Tensor of dimensions (band, y, x) where
            pyarrow is installed, else an array of NumPy, else a `raster.Tensor`: its memory, not a copy.

        Raises:
            TacoNavigationError: No such row, or rows that a query stripped of what navigation needs.
            TacoQueryError: A raster that does not have this chunk.
            TacoIOError: The children cannot be read.
        """
        key = key if isinstance(key, str) else self._position(key)
        found: Any
        if isinstance(key, str) and "::" in key:
            found = _core.v1_read(self._core, key)
        else:
            found = self._core.read(key)
        if isinstance(found, _core.Tensor):
            return arrow_tensor(found)
        if isinstance(found, _core.DataFrame):
            return TacoDataFrame(found, self._origin.then("read", key), self._backend)
        return found

    def read_bytes(self, key: Key | Sequence[SupportsIndex]) -> bytes | list[bytes]:
        """The bytes of a FILE, or of several in the order of their positions; near ranges are read together.

        Raises:
            TacoNavigationError: As :meth:`read`, and for a FOLDER.
            TacoIOError: They cannot be read.
        """
        if isinstance(key, (str, bytes)) or not isinstance(key, Iterable):
            return self._core.read_bytes(key if isinstance(key, str) else self._position(key))
        return self._core.read_bytes([self._position(each) for each in key])

    # What keeps it.

    def head(self, n: int = 5) -> TacoDataFrame:
        """The first `n` rows; all but the last `-n` where that is negative."""
        return self._rows(range(len(self))[:n])

    def tail(self, n: int = 5) -> TacoDataFrame:
        """The last `n` rows; all but the first `-n` where that is negative."""
        return self._rows(range(len(self))[max(len(self) - n, 0) if n >= 0 else -n :])

    def filter(self, *arguments: Any, **keywords: Any) -> Any:
        """The rows for which an SQL expression is true: ``filter("cloud_cover < 10")``; or what the backend's own
        `filter` takes.

        Raises:
            TacoQueryError: For SQL that does not bind, or over a frame with columns that were set in Python.
        """
        if len(arguments) == 1 and isinstance(arguments[0], str) and not keywords:
            self._check_sql("filter")
            step = ("filter", arguments[0])
            return TacoDataFrame(self._core.filter(arguments[0]), self._origin.then(*step), self._backend)
        return self._call("filter", *arguments, **keywords)

    def with_column(self, name: str, expression: str) -> TacoDataFrame:
        """Adds a column, or replaces one, by an SQL expression over the columns.

        Raises:
            ValueError: For a protected column.
            TacoQueryError: For an expression that does not bind, or over a frame with columns that were set in Python.
        """
        _tables.check_not_protected([name])
        self._check_sql("with_column")
        step = ("with_column", name, expression)
        return TacoDataFrame(self._core.with_column(name, expression), self._origin.then(*step), self._backend)

    def __getitem__(self, key: Any) -> Any:
        """A slice gives rows; anything else is what the backend's table gives."""
        if isinstance(key, slice) and not any(isinstance(each, str) for each in (key.start, key.stop)):
            return self._rows(range(*key.indices(len(self))))
        result, rows = _tables.item(self._backend, self._native(), _native_of(key))
        return result if rows is None else self._again(result, rows)

    def __setitem__(self, name: str, values: Any) -> None:
        """Sets a column, in this frame only. Raises ValueError for a protected one."""
        if not isinstance(name, str):
            raise TypeError(f"a column is set by its name (str), not by {type(name).__name__}")
        _tables.check_not_protected([name])
        self._set(_tables.with_column(self._backend, self._native(), name, values))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows, one dict after another: {column: value}, times as datetime (UTC where they have a zone)."""
        for start in range(0, len(self), _BATCH):
            some = self._rows(range(start, min(start + _BATCH, len(self))))
            if some._changed and self._backend == "pandas":
                yield from some._native().to_dict("records")
            else:
                yield from _core.rows(some._native() if some._changed else some._core)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        try:
            table = self._native()
        except TacoBackendError as missing:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}: {missing}") from missing
        attribute = getattr(table, name)
        if self._backend == "pandas" and name in ("at", "iat", "iloc", "loc"):
            return _Indexer(self, name)
        return _Method(self, name, attribute) if inspect.isroutine(attribute) else attribute

    def __dir__(self) -> list[str]:
        try:
            return sorted({*super().__dir__(), *dir(self._native())})
        except TacoBackendError:
            return sorted(super().__dir__())

    # Python.

    def __reduce__(self) -> Any:
        rows = self._core.serialize() if self._origin.asks_query() else None
        table = self._native() if self._changed else None
        return _restored, (self._origin, self._core.file_versions(), rows, self._backend, table)

    def __copy__(self) -> TacoDataFrame:
        copied = TacoDataFrame(self._core, self._origin, self._backend)
        copied._made, copied._changed = self._made, self._changed
        if self._backend == "pandas":  # whose arrays can be written to
            copied._made = {"table": self._native().copy()} if self._changed else {}
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> TacoDataFrame:
        return self.__copy__()

    def __repr__(self) -> str:
        from ._repr import frame_text

        return frame_text(self)

    def _repr_html_(self) -> str:
        from ._html import frame_html

        return frame_html(self)

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        """The rows as a GeoJSON FeatureCollection, of `istac:geometry`, `stac:centroid` or `istac:centroid`.

        Raises:
            AttributeError: None of these columns shows.
            TacoFormatError: One holds no geometry.
        """
        from ._geo import frame_features

        return frame_features(self)

    def _statistics_core(self) -> _core.DataFrame:
        return self._core

    def _position(self, key: Any) -> int:
        """Whole numbers of any kind, NumPy's too, but no truth values."""
        try:
            position = operator.index(key)
        except TypeError:
            position = None
        if position is None or isinstance(key, bool):
            raise TacoNavigationError(f"a row has a position (int) or an id (str), not {type(key).__name__} {key!r}")
        if not -(2**63) <= position < 2**63:
            raise TacoNavigationError(f"Position {position} out of range [0, {len(self) - 1}]")
        return position

    def _native(self) -> Any:
        try:
            return self._made["table"]
        except KeyError:  # threads may make it twice, but all of them get one; a lock would not survive a fork
            return self._made.setdefault("table", _tables.make(self._backend, self._core))

    def _set(self, table: Any) -> None:
        self._made, self._changed = {"table": table}, True

    def _check_sql(self, what: str) -> None:
        if self._changed:
            raise TacoQueryError(f"{what}: SQL does not see columns that were set in Python")

    def _rows(self, positions: Sequence[int]) -> TacoDataFrame:
        """The rows at these positions, with the columns that show."""
        table = _tables.take(self._backend, self._native(), positions) if self._changed else None
        if isinstance(positions, range) and positions.step == 1:  # neighbours are not gathered one by one
            count, start = len(positions), positions.start
            return TacoDataFrame(
                self._core.limit(count, start), self._origin.then("limit", count, start), self._backend, table
            )
        rows = list(positions)
        return TacoDataFrame(self._core.take(rows), self._origin.then("take", rows), self._backend, table)

    def _call(self, method: str, *arguments: Any, **keywords: Any) -> Any:
        """A method of the table; a frame again when its result is rows of this one."""
        arguments = tuple(_native_of(each) for each in arguments)
        keywords = {name: _native_of(each) for name, each in keywords.items()}
        result, rows = _tables.call(self._backend, self._native(), method, arguments, keywords)
        return result if rows is None else self._again(result, rows)

    def _again(self, table: Any, rows: Sequence[int]) -> TacoDataFrame:
        """These rows of this one, as the table has them."""
        if isinstance(rows, range):  # all, with columns of another kind
            return TacoDataFrame(self._core, self._origin, self._backend, table)
        frame = TacoDataFrame(self._core.take(rows), self._origin.then("take", rows), self._backend, table)
        frame._changed = self._changed or _tables.columns(self._backend, table) != self.columns
        return frame


class _Method:
    """A method of a frame's table."""

    def __init__(self, frame: TacoDataFrame, name: str, method: Callable[..., Any]) -> None:
        self._frame = frame
        self.__name__ = name
        self.__doc__ = method.__doc__
        self.__wrapped__ = method

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._frame._call(self.__name__, *arguments, **keywords)


class _Indexer:
    """`loc` and its like of pandas: rows that they give are a frame again, what they set is guarded."""

    def __init__(self, frame: TacoDataFrame, name: str) -> None:
        self._frame = frame
        self._name = name

    def __getitem__(self, key: Any) -> Any:
        result, rows = _tables.indexed(self._frame._native(), self._name, key)
        return result if rows is None else self._frame._again(result, rows)

    def __setitem__(self, key: Any, values: Any) -> None:
        self._frame._set(_tables.edited(self._frame._native(), self._name, key, values))


def _native_of(value: Any) -> Any:
    return value._native() if isinstance(value, TacoDataFrame) else value


def _restored(origin: Origin, versions: Any, rows: bytes | None, backend: str, table: Any) -> TacoDataFrame:
    from ._dataset import _core_of, check_versions

    dataset = _core_of(origin.recipe)
    found = _core.file_versions(dataset)
    check_versions(versions[-len(found) :], found)  # of a TACOLLECTION.json only that, before its parts are opened
    if rows is None:
        first, *steps = origin.steps
        core = getattr(dataset, first)()
        for method, *arguments in steps:
            core = getattr(core, method)(*arguments)
    else:
        core = _core.deserialize(dataset, rows)
    check_versions(versions, core.file_versions())
    if table is not None:
        # Paths that were relative to another folder are those of this process.
        for name in _tables.PATHS.intersection(_tables.columns(backend, table), (each for each, _ in core.columns)):
            column = _tables.make(backend, core.select([name]))[name]
            table = _tables.with_column(backend, table, name, _tables.values(column))
    return TacoDataFrame(core, origin, backend, table)
