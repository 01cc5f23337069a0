"""Frames: computed rows from which samples can be read (specification, section 7.2.3)."""

from __future__ import annotations

import difflib
import inspect
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from . import _core, _tables
from ._arrays import arrow_tensor
from ._errors import TacoBackendError, TacoNavigationError, TacoQueryError
from ._statistics import Statistics

if TYPE_CHECKING:
    import geopandas
    import pandas
    import polars
    import pyarrow
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .raster import Bands

Key = SupportsIndex | str
_BATCH = 1024


class Origin(NamedTuple):
    """The dataset of a frame and the calls that made it, by which another process makes it again."""

    recipe: Any
    steps: tuple[Any, ...]
    #: Container of the dataset.
    format: str

    def then(self, method: str, *arguments: Any) -> Origin:
        return self._replace(steps=(*self.steps, (method, *arguments)))

    def asks_query(self) -> bool:
        """Whether SQL is among the calls: it may give other rows when it runs again (random(), USING SAMPLE)."""
        from ._dataset import asks_query

        return asks_query(self.recipe) or any(step[0] in ("filter", "with_column") for step in self.steps)


class TacoDataFrame(Statistics):
    """Computed rows of a dataset (specification, 7.2.3), returned by `dataset.data` and by its own methods.

    A frame is a table of its backend (pyarrow, polars, pandas) from which samples can be read: it has all attributes
    and methods of that table, which is made on first use. Methods that filter, sort or slice rows return a
    TacoDataFrame; others, for example `group_by` or a join, return a table of the backend.

    Iterating over a frame yields its rows as dicts; ``name in frame`` tests for a column; two frames are equal only if
    they are the same object.

    The columns `id`, `type` and `internal:*` are read-only: changing them raises ValueError. :meth:`read` works even if
    they are not among the selected columns. A frame can be used from several threads, after a fork, after its dataset
    is closed, and pickled: unpickling gives the same rows of the same version of the files, or raises a TacoError.

    Example:
        >>> rows = tacore.load("chips.tacozip").data
        >>> path = rows.read("tile_1").read("optical")  # for rasterio.open(path)
    """

    __slots__ = ("__weakref__", "_backend", "_changed", "_core", "_made", "_origin")

    def __init__(self, core: _core.DataFrame, origin: Origin, backend: str, table: Any = None) -> None:
        self._core = core
        self._origin = origin
        self._backend = backend
        #: The table, under "table", once it is made, and tables of one column; copies of the frame share them where no
        #: one can write to them.
        self._made: dict[str, Any] = {} if table is None else {"table": table}
        #: Whether the table has columns that the core does not know.
        self._changed = table is not None

    # The table.

    def __len__(self) -> int:
        return len(self._core)

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        if self._changed:
            return _tables.columns(self._backend, self._native())
        return [name for name, _ in self._core.columns]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self), len(self.columns)

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a pyarrow.Table. Raises TacoBackendError if pyarrow is not installed."""
        return _tables.convert(self, self._backend, "pyarrow")

    def to_polars(self) -> polars.DataFrame:
        """The rows as a polars.DataFrame that shares its columns with the frame. Raises TacoBackendError if polars is
        not installed."""
        return _tables.convert(self, self._backend, "polars")  # type: ignore[no-any-return]

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas.DataFrame, a copy. Raises TacoBackendError if pandas or pyarrow is not installed."""
        return _tables.convert(self, self._backend, "pandas")  # type: ignore[no-any-return, unused-ignore]

    def to_geopandas(self, geometry: str | None = None) -> geopandas.GeoDataFrame:
        """The rows as a geopandas.GeoDataFrame with CRS EPSG:4326.

        Args:
            geometry: Column of geometries (WKB, points as WKT, or [longitude, latitude]), which becomes the active
                geometry; other columns keep their values. None: the first of `istac:geometry`, `stac:centroid` and
                `istac:centroid`. "footprint" adds a column `footprint`: the area that each sample covers, which is
                `istac:geometry`, else the outline of its grid (`stac:crs`, `stac:geotransform`, `stac:tensor_shape`),
                else its centroid.

        Raises:
            TacoBackendError: geopandas, pandas or pyarrow is not installed.
            TacoQueryError: There is no such column.
            TacoSchemaError: There is no column of geometries, or no location for a footprint; or the rows have
                geometries in different CRS.
            TacoFormatError: A value is not a geometry.

        Example:
            >>> rows.to_geopandas("footprint").plot(column="cloud_cover", legend=True)
        """
        from ._geo import geodataframe

        return geodataframe(self, geometry)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows as an Arrow C stream (PyCapsule interface). Columns of WKB have the extension type geoarrow.wkb with
        their CRS, which ``geopandas.GeoDataFrame.from_arrow(frame)`` reads; in ``polars.DataFrame(frame)`` they have
        this type, too, and in :meth:`to_polars` that of bytes."""
        from ._geo import geoarrow_stream

        return geoarrow_stream(self, self._native() if self._changed else self._core)

    # Navigation.

    def read(self, key: Key) -> Any:
        """Reads one sample: the path of a FILE, or the children of a FOLDER.

        Args:
            key: Position of the row, from 0; or its id (the first row with that id); or a path of ids from this frame
                down ("tile/sensor/band"). In TACO 0.2.0, "lrf::2" is chunk 2 of the raster `lrf`: the tiles of all its
                bands at one grid position, counted row by row.

        Returns:
            For a FILE, the path with which GDAL and rasterio open it ("/vsisubfile/157_1024,/data/a.tacozip"). For a
            FOLDER, a TacoDataFrame of its children. For a sample of format BYTES (before 2.0), its bytes. For a chunk,
            a pyarrow.Tensor of dimensions (band, y, x) if pyarrow is installed, else a NumPy array, else a
            `raster.Tensor`; pixels are not copied.

        Raises:
            TacoNavigationError: There is no such row, or a query dropped the columns that navigation needs.
            TacoQueryError: The raster does not have this chunk.
            TacoIOError: The children cannot be read.

        Example:
            >>> with rasterio.open(rows.read("tile_1/optical")) as raster:
            ...     pixels = raster.read()
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
        """Reads the bytes of one FILE, or of several FILEs.

        Args:
            key: Position, id or path of ids, as for :meth:`read`; or a sequence of positions, whose neighbouring byte
                ranges are read together.

        Returns:
            The bytes, or a list of bytes in the order of the positions.

        Raises:
            TacoNavigationError: As for :meth:`read`; also if the sample is a FOLDER.
            TacoIOError: The bytes cannot be read.
        """
        if isinstance(key, (str, bytes)) or not isinstance(key, Iterable):
            return self._core.read_bytes(key if isinstance(key, str) else self._position(key))
        return self._core.read_bytes([self._position(each) for each in key])

    def plot(
        self,
        key: Key | Sequence[Key] | None = None,
        *,
        bands: Bands = None,
        child: str = "",
        size: int = 512,
        ax: Axes | None = None,
        categorical: bool | None = None,
    ) -> Axes | Figure:
        """Plots samples with matplotlib, and shows nothing. The plot of pandas and polars is ``frame.to_pandas().plot``
        and ``frame.to_polars().plot``.

        Args:
            key: Position, id or path of ids of a sample, as for :meth:`read`, or a sequence of these; None: the first 9
                samples. Of a FOLDER all FILEs that are rasters are plotted, such as an image and its mask.
            bands: Numbers of the bands, from 1, as for :meth:`raster.Raster.plot`; in several panels, of rasters that
                have them.
            child: Ids below each sample, joined by /, such as optical; by default the samples themselves.
            size: Maximal width and height of each plotted image in pixels.
            ax: Axes to draw one raster into; None: those of a new figure.
            categorical: Whether values are classes, as for :meth:`raster.Raster.plot`; in several panels, of rasters
                with one band.

        Returns:
            The matplotlib.axes.Axes of one raster, or the matplotlib.figure.Figure of several.

        Raises:
            TacoBackendError: matplotlib is not installed.
            TacoQueryError: There are no samples, more than 64 panels, or several for `ax`; a band does not exist.
            TacoNavigationError, TacoIOError, TacoFormatError: As for :func:`raster.open_raster`.

        Example:
            >>> rows.plot(range(16), child="optical", bands=[4, 3, 2]).savefig("chips.png")
        """
        from ._plot import plot_rows

        return plot_rows(self, key, child, bands, size, ax, categorical)

    def map(self, columns: Sequence[str] | None = None, *, library: str | None = None, ax: Axes | None = None) -> Any:
        """Draws a map of the footprints of the samples, else of their centroids. The `map` of pandas, which calls a
        function for each value, is ``frame.to_pandas().map``.

        More than 2,000 samples are clusters of their centres on an interactive map. The browser that shows it loads its
        background from OpenStreetMap; the static map has a coarse outline of the land.

        Args:
            columns: Columns of the popup of a sample, beside its id; None: the first ones that are neither bytes nor
                lists.
            library: "folium" (interactive), "lonboard" (interactive, for very many samples; needs geopandas) or
                "matplotlib" (static); None: folium if it is installed, else matplotlib.
            ax: Axes of matplotlib to draw the static map into; None: those of a new figure.

        Returns:
            A folium.Map, a lonboard.Map or the matplotlib.axes.Axes; nothing is shown in a script.

        Raises:
            TacoSchemaError: No row has a location.
            TacoQueryError: A column or the library is unknown.
            TacoBackendError: The library is not installed.

        Example:
            >>> rows.map(["cloud_cover", "split"]).save("chips.html")
        """
        if callable(columns):
            raise TypeError(
                "map: draws a map of the samples; pandas' map of a function is frame.to_pandas().map(function)"
            )
        from ._map import draw_map

        return draw_map(self, columns, library, ax)

    # Selection of rows and columns; the results can be navigated.

    def head(self, n: int = 5) -> TacoDataFrame:
        """The first `n` rows; if `n` is negative, all but the last `-n`."""
        return self._rows(range(len(self))[:n])

    def tail(self, n: int = 5) -> TacoDataFrame:
        """The last `n` rows; if `n` is negative, all but the first `-n`."""
        return self._rows(range(len(self))[max(len(self) - n, 0) if n >= 0 else -n :])

    def filter(self, *arguments: Any, **keywords: Any) -> Any:
        """Selects the rows for which an SQL expression is true: ``filter("cloud_cover < 10")``. Other arguments are
        those of the backend's own `filter`.

        Raises:
            TacoQueryError: The SQL is invalid or has unknown columns, or the frame has columns that were set in Python.
        """
        if len(arguments) == 1 and isinstance(arguments[0], str) and not keywords:
            self._check_sql("filter")
            step = ("filter", arguments[0])
            return TacoDataFrame(self._core.filter(arguments[0]), self._origin.then(*step), self._backend)
        return self._call("filter", *arguments, **keywords)

    def with_column(self, name: str, expression: str) -> TacoDataFrame:
        """Adds or replaces a column, computed by an SQL expression: ``with_column("ratio", "nir / red")``.

        Raises:
            ValueError: The column is read-only.
            TacoQueryError: The SQL is invalid or has unknown columns, or the frame has columns that were set in Python.
        """
        _tables.check_not_protected([name])
        self._check_sql("with_column")
        step = ("with_column", name, expression)
        return TacoDataFrame(self._core.with_column(name, expression), self._origin.then(*step), self._backend)

    def __getitem__(self, key: Any) -> Any:
        """``frame[2:5]`` is a frame of these rows, ``frame[["id", "split"]]`` one of these columns; any other key is that
        of the backend's table."""
        if isinstance(key, slice) and not any(isinstance(each, str) for each in (key.start, key.stop)):
            return self._rows(range(*key.indices(len(self))))
        if isinstance(key, str) and "table" not in self._made and key in self.columns:
            return self._column(key)
        try:
            result, rows = _tables.item(self._backend, self._native(), _native_of(key))
        except KeyError as missing:
            if not isinstance(key, str):
                raise
            near = difflib.get_close_matches(key, self.columns, 1)
            hint = f"did you mean {near[0]!r}? The" if near else "the"
            raise KeyError(f"there is no column {key!r}; {hint} columns are {', '.join(self.columns)}") from missing
        return result if rows is None else self._again(result, rows)

    def __setitem__(self, name: str, values: Any) -> None:
        """Sets a column of this frame. Raises ValueError if the column is read-only."""
        if not isinstance(name, str):
            raise TypeError(f"a column is set by its name (str), not by {type(name).__name__}")
        _tables.check_not_protected([name])
        self._set(_tables.with_column(self._backend, self._native(), name, values))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yields each row as a dict {column: value}; times are datetimes, in UTC if the column has a time zone."""
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
        try:
            attribute = getattr(table, name)
        except AttributeError as missing:
            hint = f"; {name!r} is a column: frame[{name!r}]" if name in self.columns else ""
            raise AttributeError(
                f"'TacoDataFrame' object has no attribute {name!r}, nor has its table of {self._backend}{hint}",
                name=name,
                obj=self,
            ) from missing
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
        """GeoJSON FeatureCollection of the rows, with geometries of `istac:geometry`, `stac:centroid` or
        `istac:centroid`.

        Raises:
            AttributeError: The frame has none of these columns.
            TacoFormatError: A value is not a geometry.
        """
        from ._geo import frame_features

        return frame_features(self)

    def _statistics_core(self) -> _core.DataFrame:
        return self._core

    def _position(self, key: Any) -> int:
        """A position from an integer of any type, also of NumPy; a bool is refused."""
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
        except KeyError:  # several threads may make it, but all get the same; a lock would not survive a fork
            return self._made.setdefault("table", _tables.make(self._backend, self._core))

    def _column(self, name: str) -> Any:
        """A column, without the others: the paths of a large or remote dataset take seconds or requests."""
        alone = f"column {name}"
        if alone not in self._made:
            self._made.setdefault(alone, _tables.make(self._backend, self._core.select([name])))
        return self._made[alone][name]

    def _set(self, table: Any) -> None:
        self._made, self._changed = {"table": table}, True

    def _check_sql(self, what: str) -> None:
        if self._changed:
            raise TacoQueryError(f"{what}: SQL does not see columns that were set in Python")

    def _rows(self, positions: Sequence[int]) -> TacoDataFrame:
        """The rows at these positions, with the columns of this frame."""
        table = _tables.take(self._backend, self._native(), positions) if self._changed else None
        if isinstance(positions, range) and positions.step == 1:  # consecutive rows need no list of positions
            count, start = len(positions), positions.start
            return TacoDataFrame(
                self._core.limit(count, start), self._origin.then("limit", count, start), self._backend, table
            )
        rows = list(positions)
        return TacoDataFrame(self._core.take(rows), self._origin.then("take", rows), self._backend, table)

    def _call(self, method: str, *arguments: Any, **keywords: Any) -> Any:
        """Calls a method of the table; the result is a frame if it consists of rows of this one."""
        arguments = tuple(_native_of(each) for each in arguments)
        keywords = {name: _native_of(each) for name, each in keywords.items()}
        result, rows = _tables.call(self._backend, self._native(), method, arguments, keywords)
        return result if rows is None else self._again(result, rows)

    def _again(self, table: Any, rows: Sequence[int]) -> TacoDataFrame:
        """The frame of `table`, whose rows are these rows of this frame."""
        if isinstance(rows, range):  # all rows, with other columns
            return TacoDataFrame(self._core, self._origin, self._backend, table)
        frame = TacoDataFrame(self._core.take(rows), self._origin.then("take", rows), self._backend, table)
        frame._changed = self._changed or _tables.columns(self._backend, table) != self.columns
        return frame


class _Method:
    """A method of the table of a frame."""

    def __init__(self, frame: TacoDataFrame, name: str, method: Callable[..., Any]) -> None:
        self._frame = frame
        self.__name__ = name
        self.__doc__ = method.__doc__
        self.__wrapped__ = method

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._frame._call(self.__name__, *arguments, **keywords)


class _Indexer:
    """An indexer of pandas (`loc`, `iloc`, `at`, `iat`): rows that it selects are a frame, and it cannot set read-only
    columns."""

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
    check_versions(versions[-len(found) :], found)  # of an index TACOLLECTION.json, before its partitions are opened
    if rows is None:
        first, *steps = origin.steps
        core = getattr(dataset, first)()
        for method, *arguments in steps:
            core = getattr(core, method)(*arguments)
    else:
        core = _core.deserialize(dataset, rows)
    check_versions(versions, core.file_versions())
    if table is not None:
        # Paths relative to the folder of the other process are replaced by those of this one.
        for name in _tables.PATHS.intersection(_tables.columns(backend, table), (each for each, _ in core.columns)):
            column = _tables.make(backend, core.select([name]))[name]
            table = _tables.with_column(backend, table, name, _tables.values(column))
    return TacoDataFrame(core, origin, backend, table)
