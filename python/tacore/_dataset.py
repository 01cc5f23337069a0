"""Datasets: lazy queries (specification, section 7.2)."""

from __future__ import annotations

import datetime as dt
import json
import logging
import operator
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, SupportsFloat, SupportsIndex, overload

from . import _backend, _core, _tables, _verbose  # noqa: F401  (messages go to the logger from here on)
from ._core import Dataset as CoreDataset
from ._dataframe import Key, Origin, TacoDataFrame
from ._errors import TacoBackendError, TacoError, TacoQueryError
from ._model import Model
from ._schema import PITSchema
from ._statistics import Statistics, small

if TYPE_CHECKING:
    import geopandas
    import pandas
    import polars
    import pyarrow
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ._view import DatasetViewer
    from .raster import Bands

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Time = str | dt.datetime | dt.date | tuple[dt.datetime | dt.date | str | None, dt.datetime | dt.date | str | None]


class TacoDataset(Statistics, Model):
    """A lazy query over a dataset (specification, 7.2.2), returned by :func:`load` and by its own methods.

    A TacoDataset is immutable: every filter and query returns a new dataset and runs nothing; rows are computed once, on
    the first access to `data`. It is also the table of its rows: ``len(dataset)``, ``dataset["id"]``, iteration,
    ``dataset.to_pandas()`` and other attributes of a table are those of ``dataset.data``. Attributes such as `extent`
    describe the whole dataset, whatever its filters; only the root of `pit_schema` counts the rows of the query.

    A TacoDataset can be used from several threads, pickled, and used after a fork. Unpickling opens the same version of
    the files again, or raises a TacoError. An unpickled dataset has the same rows, also those of a query with
    ``random()`` or a sample.

    Example:
        >>> dataset = tacore.load("chips.tacozip").filter_datetime("2023-06-01/2023-08-31")
        >>> rows = dataset.sql("SELECT * FROM data WHERE split = 'train'").data
    """

    __slots__ = ("__weakref__", "_backend", "_frames", "_opened", "_recipe")

    def __init__(self, core: _core.Dataset, recipe: Any, backend: str) -> None:
        self._opened: _core.Dataset | None = core
        self._recipe = recipe
        self._backend = backend
        self._frames: dict[str, TacoDataFrame] = {}

    # Members of COLLECTION.json.

    @property
    def id(self) -> str:
        """Id of the dataset."""
        return str(self._described("id", ""))

    @property
    def version(self) -> str:
        """Version of the dataset (`dataset_version`); "unknown" if it has none."""
        return str(self._described("dataset_version", "unknown"))

    @property
    def description(self) -> str:
        """Description of the dataset, text or Markdown."""
        return str(self._described("description", ""))

    @property
    def tasks(self) -> list[str]:
        """Machine-learning tasks of the dataset, such as "segmentation"."""
        return list(self._described("tasks", []))

    @property
    def extent(self) -> dict[str, Any]:
        """Extent as ``{"spatial": [west, south, east, north], "temporal": [start, end]}``, in degrees (WGS 84) and ISO
        8601; either may be absent."""
        return dict(self._described("extent", {}) or {})

    @property
    def providers(self) -> list[dict[str, Any]]:
        """Persons and organizations that made the data."""
        return list(self._described("providers", []))

    @property
    def licenses(self) -> list[str]:
        """Licences, as SPDX identifiers or other text."""
        return list(self._described("licenses", []))

    @property
    def title(self) -> str | None:
        """Title of the dataset, if it has one."""
        return self._described("title", None)  # type: ignore[no-any-return]

    @property
    def curators(self) -> list[dict[str, Any]] | None:
        """Persons and organizations that made the dataset from the data."""
        return self._described("curators", None)  # type: ignore[no-any-return]

    @property
    def keywords(self) -> list[str] | None:
        """Keywords for searches."""
        return self._described("keywords", None)  # type: ignore[no-any-return]

    @property
    def field_schema(self) -> dict[str, list[list[str]]]:
        """Metadata columns of each level: ``{"level0": [[name, type, description], ...]}``."""
        return dict(self._described("taco:field_schema", {}))

    @property
    def collection(self) -> dict[str, Any]:
        """COLLECTION.json as a dict: a copy, whose changes do not affect the dataset."""
        return dict(json.loads(self._core.collection_json or "{}"))

    @property
    def pit_schema(self) -> PITSchema:
        """Tree of the samples. Its root counts the rows of this dataset, so a filtered dataset runs its query."""
        return PITSchema._parse(self._core.pit_schema_json())

    # Rows.

    @property
    def data(self) -> TacoDataFrame:
        """Rows of the dataset: `id`, `type`, metadata and `internal:gdal_vsi`; after a filter below the root also the
        columns that join levels. Raises TacoQueryError if the query fails."""
        return self._frame("data")

    @property
    def data_raw(self) -> TacoDataFrame:
        """Rows of the dataset with all `internal:*` columns."""
        return self._frame("data_raw")

    def read(self, key: Key) -> Any:
        """The same as ``data.read(key)``: see :meth:`TacoDataFrame.read`."""
        return self._frame("data").read(key)

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
        """Plots samples with matplotlib: see :meth:`TacoDataFrame.plot`."""
        return self._frame("data").plot(key, bands=bands, child=child, size=size, ax=ax, categorical=categorical)

    def map(self, columns: Sequence[str] | None = None, *, library: str | None = None, ax: Axes | None = None) -> Any:
        """Draws a map of the samples: see :meth:`TacoDataFrame.map`."""
        return self._frame("data").map(columns, library=library, ax=ax)

    def view(self, *, port: int = 0, height: int = 700) -> DatasetViewer:
        """Shows the dataset in a browser: its samples on a map and in a table, filters, and pixels.

        In a notebook the page is the result of the cell. It is served on 127.0.0.1, under a random path, until
        ``close()`` or the end of the process, and only the files of this dataset are. The browser has to run on the
        same machine, or the port to be forwarded to it.

        Args:
            port: Port of this machine; 0: any that is free.
            height: Height of the page in a notebook, in pixels.

        Raises:
            TacoQueryError: The dataset has filters, an SQL query, or rows of its own: a page shows whole datasets, and
                has filters itself.
            TacoIOError: The port is taken.

        Example:
            >>> tacore.load("landsat.tacozip").view()
            <DatasetViewer http://127.0.0.1:40321/5e0c.../>
        """
        from ._view import DatasetViewer

        return DatasetViewer(self, operator.index(port), operator.index(height))

    @overload
    def sql(self, query: str, *, explain: Literal[False] = False) -> TacoDataset: ...
    @overload
    def sql(self, query: str, *, explain: Literal[True]) -> RequestPlan: ...
    def sql(self, query: str, *, explain: bool = False) -> TacoDataset | RequestPlan:
        """Selects rows by SQL: one read-only SELECT of DuckDB.

        Args:
            query: The SELECT. Its tables are `data` (the rows of this dataset); `level0`, `level1`, ... (all stored
                rows of a level); and `l0`, `l1`, ... (the rows of a level that are left after the filters of this
                dataset, each with the columns of its ancestors: `l1` has "l1:id", "l1:internal:gdal_vsi", ... and
                "l0:id", ...). Column names with a colon need double quotes: ``SELECT * FROM data WHERE "stac:crs" =
                ...``
            explain: Return the requests that reading the rows of the query needs (:meth:`plan`), not the query.

        Raises:
            TacoQueryError: `query` is not a single SELECT (raised here), or has unknown columns (raised by `data`).

        Example:
            >>> dataset.sql("SELECT * FROM data WHERE cloud_cover < 10 ORDER BY cloud_cover LIMIT 100")
        """
        out = self._step("sql", _text(query, "sql: a query"))
        return out.plan() if explain else out

    def plan(self) -> RequestPlan:
        """The requests that :attr:`data` sends for this dataset, with its filters and queries.

        The columns that the filters test are read, to find the row groups with rows that pass; the numbers include
        them, as `data` reads these columns again. For an epoch of training see :meth:`tacore.loader.Loader.plan`.

        Raises:
            TacoQueryError: A query fails.
            TacoIOError: The server does not respond.

        Example:
            >>> dataset.filter_bbox(-10, 35, 5, 45).plan()
            RequestPlan(requests=3, bytes=412077, partitions=1)
        """
        return RequestPlan(*self._core.plan())

    def sort(self, by: str, descending: bool = False) -> TacoDataset:
        """Sorts the samples by a column. The sort is stable; nulls are last.

        Args:
            by: Column of level 0, as "stac:time_start" or "l0:stac:time_start"; or of a deeper level, as
                "l1:cloud_cover": samples are then sorted by their least value below them (descending: the greatest),
                and the rows of :meth:`flatten` by their own.
            descending: Put the greatest value first.

        Raises:
            TacoQueryError: There is no such column or level.

        Example:
            >>> dataset.sort("stac:time_start").limit(100)
        """
        return self._step("sort", _text(by, "sort: a column"), bool(descending))

    def limit(self, n: SupportsIndex) -> TacoDataset:
        """Selects the first `n` samples. :meth:`flatten` then has at most `n` rows, too.

        Raises:
            TacoQueryError: `n` is negative, or not an integer.
        """
        try:
            count = operator.index(n)
        except TypeError as error:
            raise TacoQueryError(f"limit: a number of rows is an integer, not {n!r}") from error
        return self._step("limit", min(count, 2**63 - 1) if count >= 0 else max(count, -1))

    def with_column(self, name: str, expression: str) -> TacoDataset:
        """Adds or replaces a column of level 0, computed by an SQL expression over the columns of `data`.

        Raises:
            TacoQueryError: The column is `id`, `type` or `internal:*`, which cannot be changed; or `expression` is not
                one expression (raised here), or has unknown columns (raised by `data`).

        Example:
            >>> dataset.with_column("ratio", "cloud_cover / 100").sort("ratio")
        """
        return self._step("with_column", _text(name, "with_column: a name"), _text(expression, "with_column: SQL"))

    def flatten(self, level: SupportsIndex | None = None) -> Any:
        """Makes a table of the FILEs of one level, each with the columns of its ancestors.

        The table has the FILEs that are left after the filters of this dataset, in the order of its samples. Its
        columns are those of the FILE and of each level above, "l1:id", ... "l0:id", ..., without `internal:*`, and
        last `gdal_vsi`, the path with which GDAL and rasterio open the FILE.

        Args:
            level: Level of the FILEs; None: the deepest.

        Returns:
            A table of the backend: a pyarrow.Table, or a DataFrame of polars or pandas.

        Raises:
            TacoQueryError: There is no such level, or a query has rows that are not samples of level 0.
            TacoBackendError: The backend is not installed.

        Example:
            >>> files = dataset.filter_datetime("2023-06-01/2023-08-31").flatten()
            >>> with rasterio.open(files["gdal_vsi"][0].as_py()) as raster:
            ...     pixels = raster.read()
        """
        found = self._core.flatten(None if level is None else small(level, "Level"))
        return _tables.make(self._backend, found)

    def filter_bbox(
        self,
        minx: SupportsFloat,
        miny: SupportsFloat,
        maxx: SupportsFloat,
        maxy: SupportsFloat,
        geometry_col: str = "auto",
        level: SupportsIndex = 0,
    ) -> TacoDataset:
        """Selects the samples whose geometry intersects a bounding box, in degrees (WGS 84, edges included).

        Args:
            minx: West; greater than `maxx` for a box over the antimeridian.
            miny: South.
            maxx: East.
            maxy: North.
            geometry_col: Column to test. "auto" is `istac:geometry`, `stac:centroid` or `istac:centroid`, as in the
                published reader: a centroid is a point, so samples that only reach into the box are not found.
                "footprint" tests the area that a sample covers: `istac:geometry`, else its grid (`stac:crs`,
                `stac:geotransform`, `stac:tensor_shape`), else the centroid; a warning counts samples tested by their
                centroid.
            level: Level of the column. Below level 0: samples with at least one matching descendant are selected, and
                `read()` shows only matching descendants, down to that level.

        Raises:
            TacoQueryError: There is no such column or level, or a bound is not finite.

        Example:
            >>> dataset.filter_bbox(-34.87, -8.01, -34.84, -7.98, geometry_col="footprint")
        """
        try:
            bounds = [float(bound) for bound in (minx, miny, maxx, maxy)]
        except (TypeError, ValueError) as error:
            raise TacoQueryError(f"filter_bbox: four numbers are expected: {error}") from error
        return self._step("filter_bbox", *bounds, geometry_col, small(level, "Level"))

    def filter_datetime(self, datetime_range: Time, time_col: str = "auto", level: SupportsIndex = 0) -> TacoDataset:
        """Selects the samples acquired in a time interval, both ends included.

        Args:
            datetime_range: Text such as "2023-01-01/2023-12-31" (a bound without a time of day is the whole UTC day,
                `..` leaves a side open); one date or datetime (its whole UTC day); or a tuple of two datetimes, of
                which one may be None and leaves its side open. Naive datetimes are UTC.
            time_col: Column to test. "auto" is `istac:time_start` or `stac:time_start`.
            level: As in :meth:`filter_bbox`.

        Raises:
            TacoQueryError: There is no such column or level, the text has another form, or the end is before the start.

        Example:
            >>> dataset.filter_datetime("2023-06-01/..")
        """
        return self._step("filter_datetime", _time_range(datetime_range), time_col, small(level, "Level"))

    # The dataset as a table: that of `data`.

    def __len__(self) -> int:
        """Number of rows of the query."""
        return len(self._frame("data"))

    def __bool__(self) -> bool:
        """True, also without rows: ``if dataset`` runs no query."""
        return True

    @property
    def columns(self) -> list[str]:
        """Names of the columns of `data`, in order."""
        return self._frame("data").columns

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns of `data`."""
        return self._frame("data").shape

    def head(self, n: int = 5) -> TacoDataFrame:
        """The first `n` rows; if `n` is negative, all but the last `-n`."""
        return self._frame("data").head(n)

    def tail(self, n: int = 5) -> TacoDataFrame:
        """The last `n` rows; if `n` is negative, all but the first `-n`."""
        return self._frame("data").tail(n)

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a pyarrow.Table: see :meth:`TacoDataFrame.to_arrow`."""
        return self._frame("data").to_arrow()

    def to_polars(self) -> polars.DataFrame:
        """The rows as a polars.DataFrame: see :meth:`TacoDataFrame.to_polars`."""
        return self._frame("data").to_polars()

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas.DataFrame: see :meth:`TacoDataFrame.to_pandas`."""
        return self._frame("data").to_pandas()

    def to_geopandas(self, geometry: str | None = None) -> geopandas.GeoDataFrame:
        """The rows as a geopandas.GeoDataFrame: see :meth:`TacoDataFrame.to_geopandas`."""
        return self._frame("data").to_geopandas(geometry)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows as an Arrow C stream: see :meth:`TacoDataFrame.__arrow_c_stream__`."""
        return self._frame("data").__arrow_c_stream__(requested_schema)

    def __getitem__(self, key: Any) -> Any:
        """The same as ``data[key]``: see :meth:`TacoDataFrame.__getitem__`."""
        return self._frame("data")[key]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yields each row as a dict {column: value}."""
        return iter(self._frame("data"))

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __getattr__(self, name: str) -> Any:
        """Attributes and methods of the table of `data`, such as `iloc` of pandas."""
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        try:
            return getattr(self._frame("data"), name)
        except AttributeError as error:
            said = str(error).replace("'TacoDataFrame' object", "'TacoDataset' object").replace("frame[", "dataset[")
            raise AttributeError(said, name=name, obj=self) from error

    # Navigation.

    def navigation_columns(self, describe: bool = False) -> list[str] | dict[str, str]:
        """Names of the columns that navigation uses in this container, sorted; with `describe` a dict of names and
        purposes."""
        columns = dict(self._core.navigation_columns())
        return columns if describe else list(columns)

    def is_rsut(self) -> bool:
        """Whether all samples are known to have the same children, without reading data. False after a query that
        dropped a navigation column or used a deeper level, and after a filter that leaves samples with different
        children."""
        return self._core.is_rsut()

    def verify_rsut(self) -> bool:
        """Whether all samples of this dataset have the same child ids; reads all ids."""
        return self._core.verify_rsut()

    def close(self) -> None:
        """Closes the files of this dataset. Datasets made from it, or from which it was made, stay usable. A second
        call does nothing."""
        self._opened = None
        self._recipe = (self._recipe[0][:2],)  # the rest holds the dataset before it, if a query drew random rows
        self._frames.clear()

    def __enter__(self) -> TacoDataset:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> Any:
        if self._opened is None:
            raise TacoError(f"{self._name()} is closed")
        return _restored, (self._recipe, _core.file_versions(self._opened), self._backend)

    def __copy__(self) -> TacoDataset:
        return TacoDataset(self._core, self._recipe, self._backend)

    def __deepcopy__(self, memo: dict[int, Any]) -> TacoDataset:
        return self.__copy__()

    def __repr__(self) -> str:
        from ._repr import dataset_text

        return dataset_text(self)

    def _repr_html_(self) -> str:
        from ._html import dataset_html

        return dataset_html(self)

    def _fields(self) -> dict[str, Any]:
        names = (
            "id",
            "version",
            "description",
            "tasks",
            "extent",
            "providers",
            "licenses",
            "title",
            "curators",
            "keywords",
        )
        return {**{name: getattr(self, name) for name in names}, "pit_schema": self.collection.get("taco:pit_schema"),
                "field_schema": self.field_schema}  # fmt: skip

    def _defaults(self) -> dict[str, Any]:
        return {}

    def _with(self, fields: dict[str, Any]) -> TacoDataset:
        if fields != self._fields():
            raise TypeError("the description of a dataset is that of its files: tacore.transform.edit changes them")
        return self.__copy__()

    @property
    def _core(self) -> CoreDataset:
        if self._opened is None:
            raise TacoError(f"{self._name()} is closed")
        return self._opened

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        """GeoJSON Feature of the dataset: the box of its extent, split at the antimeridian, and its main attributes."""
        from ._geo import dataset_feature

        return dataset_feature(self)

    def _statistics_core(self) -> CoreDataset:
        return self._core

    def _frame(self, kind: str) -> TacoDataFrame:
        """A copy of a frame, so that columns set in it stay in it; copies share a table that cannot be changed."""
        core = self._core
        frame = self._frames.get(kind)
        if frame is None:
            made = TacoDataFrame(getattr(core, kind)(), Origin(self._recipe, (kind,), core.format), self._backend)
            frame = self._frames.setdefault(kind, made)
            if not len(frame):
                self._tell_place()
        return frame.__copy__()

    def _tell_place(self) -> None:
        """Warns of a box that lies beside the dataset, which is why there are no samples."""
        boxes = [step[1:5] for step in self._recipe if step[0] == "filter_bbox"]
        try:
            west, south, east, north = extent = [float(bound) for bound in self.extent["spatial"]] if boxes else []
        except (KeyError, TypeError, ValueError):  # not stated, or not as the specification has it
            return
        if not _is_beside(boxes[-1], extent):
            return
        x, y, to_x, to_y = boxes[-1]
        swapped = "" if _is_beside((y, x, to_y, to_x), extent) else "; are longitude and latitude swapped?"
        logging.getLogger("tacore").warning(
            f"no sample: the dataset covers longitude {west:g} to {east:g}, latitude {south:g} to {north:g}, and the box "
            f"is longitude {x:g} to {to_x:g}, latitude {y:g} to {to_y:g}{swapped}"
        )

    def _name(self) -> str:
        return str(self._recipe[0][1])

    def _described(self, key: str, default: Any) -> Any:
        # Collections of versions before 2.0 have other names and forms.
        described = self._core.model() if self._core.is_v1 else self.collection
        value = described.get(key)
        return default if value is None else value

    def _step(self, method: str, *arguments: Any) -> TacoDataset:
        core = getattr(self._core, method)(*arguments)
        recipe = (*self._recipe, (method, *arguments))
        if _core.varies(core):  # in place of the rows of steps before it
            recipe = (*(step for step in recipe if step[0] != "drawn"), ("drawn", _Drawn(core)))
        return TacoDataset(core, recipe, self._backend)


class _Drawn:
    """The rows of a query that may give others, or in another order, when it is run again; a pickle stores them."""

    def __init__(self, rows: _core.Dataset | bytes) -> None:
        self._rows = rows

    def rows(self) -> bytes:
        return self._rows if isinstance(self._rows, bytes) else _core.serialize_drawn(self._rows)

    def __reduce__(self) -> Any:
        return _Drawn, (self.rows(),)


class RequestPlan(NamedTuple):
    """The HTTP requests and bytes that an operation on a remote dataset needs, if no request has to be repeated. For
    local files both are 0.

    Attributes:
        requests: Number of HTTP requests, redirects among them.
        bytes: Bytes of the responses, without their headers.
        partitions: Number of files whose rows or samples are read.
    """

    requests: int
    bytes: int
    partitions: int


def plan_opening(
    path: Path, base_path: Path | None = None, *, storage_options: Mapping[str, Any] | None = None
) -> RequestPlan:
    """The requests of :func:`load` for a remote dataset, which is opened to count them.

    Args:
        path: URL or path of the dataset.
        base_path: As of :func:`load`.
        storage_options: As of :func:`load`.

    Raises:
        TacoIOError: The path does not exist, or the server does not respond.
        TacoFormatError: The path is not a dataset.

    Example:
        >>> tacore.plan_opening("https://host/chips.tacozip")
        RequestPlan(requests=2, bytes=39954, partitions=1)
    """
    base = "" if base_path is None else os.fsdecode(base_path)
    remote = None if storage_options is None else dict(storage_options)
    return RequestPlan(*_core.plan_opening(os.fsdecode(path), base, remote))


def load(
    path: Path | Sequence[Path],
    base_path: Path | None = None,
    backend: str | None = None,
    cache: bool = True,
    *,
    allow_partial: bool = False,
    storage_options: Mapping[str, Any] | None = None,
    verify: bool = True,
    trust_bounds: bool = False,
    trust_sidecar: bool = False,
) -> TacoDataset:
    """Opens a dataset of any container (specification, 7.2.1): `.tacozip` and `.zip`, a FOLDER, `.tacocat/` or the
    folder that contains it, `__TACOCAT__`, `TACOLLECTION.json`, `.tortilla` and `.taco`.

    Only headers, COLLECTION.json and the footers of the tables are read. The path of one part of a `.tortilla` or
    `.taco` opens all its parts; :func:`tacore.v1.load` opens one part alone.

    Args:
        path: Local path or URL of the dataset; or a list of paths, which are loaded and concatenated (:func:`concat`).
        base_path: Folder of the ZIP files of a TACOCAT or TACOLLECTION.json, if it is not the folder of the index.
        backend: Table library of frames: "pyarrow", "polars" or "pandas"; None: that of :func:`use`.
        cache: False disables the disk cache that `cache_dir` or ``TACO_CACHE_DIR`` enables (docs/remote.md). Local
            files are never cached.
        allow_partial: Open a .tortilla or .taco in several parts although some are missing. If `path` is a list, only
            the listed parts are opened.
        storage_options: Options for remote paths, those of :func:`set_storage_options`; None: the options set there.
            These options are part of a pickle of the dataset; credentials of the environment are not.
        verify: Verify samples of a ZIP against their local headers and CRC-32 checksums.
        trust_bounds: Use the bounds in a TACOLLECTION.json although nothing proves them here; wrong ones hide rows.
        trust_sidecar: Use the side-cars beside a dataset although nothing proves them here; wrong ones give wrong rows.
            Filters then open only the datasets that may have such rows (:func:`create_tacollection`). Without this
            option bounds are used where this user wrote or validated them on this machine, and no dataset changed since.

    Raises:
        TacoIOError: The path does not exist (also a FileNotFoundError), or cannot be read.
        TacoFormatError: The path is not a dataset, or the dataset is damaged.
        TacoQueryError: The list is empty.
        TacoBackendError: The backend is unknown.

    Example:
        >>> dataset = tacore.load("s3://bucket/chips.tacozip", storage_options={"anonymous": True})
    """
    name = _backend.check_backend(backend) if backend else _backend.get_backend()
    base = "" if base_path is None else os.fsdecode(base_path)
    where: Any
    if isinstance(path, (list, tuple)):
        if not path:
            raise TacoQueryError("load: an empty list of paths")
        where = [os.fsdecode(each) for each in path]
    else:
        where = os.fsdecode(path)  # type: ignore[arg-type]
    remote = None if storage_options is None else dict(storage_options)
    if not cache:
        remote = {**(_storage_options if remote is None else remote), "cache_size": 0}
    core = _core.load(where, base, allow_partial, remote, verify, trust_bounds, trust_sidecar)
    # Another process may have another working folder, and does not have the options of set_storage_options().
    there = [_absolute(each) for each in where] if isinstance(where, list) else _absolute(where)
    in_force = (dict(_storage_options) or None) if remote is None else remote
    recipe = (("load", there, _absolute(base) if base else base, allow_partial, in_force, verify, trust_bounds, trust_sidecar),)
    return TacoDataset(core, recipe, name)


_storage_options: dict[str, Any] = {}


def set_storage_options(**options: Any) -> None:
    """Sets the default options for remote paths in this process; they replace those of an earlier call.

    Credentials that are not given are taken from the environment variables of each store, and from the credentials
    files of AWS and Hugging Face (docs/remote.md).

    Args:
        **options: `headers` (a dict of HTTP headers); `endpoint`, `region`, `access_key_id`, `secret_access_key`,
            `session_token`, `profile` (of an S3 store); `anonymous` (True: use no credentials); `token` (of Hugging
            Face); `max_concurrent_requests` (HTTP requests in flight, default 100), `max_tries` (tries of each request,
            default 5), `max_requests_per` (the most requests to a server in a time, such as ``"3000/5min"``, by default
            no limit of our own), `timeout` (seconds to connect, and seconds at less than 1,000 bytes per second,
            default 30); `cache_dir` (folder of the disk cache), `cache_size` (its largest size in bytes, default 1 GiB).

    Raises:
        TypeError: An option is unknown, or its value has the wrong type.
        TacoQueryError: A number is out of range.

    Example:
        >>> tacore.set_storage_options(anonymous=True, cache_dir="/tmp/taco-cache")
    """
    global _storage_options
    _core.set_remote_options(options)
    _storage_options = options


def concat(
    datasets: Sequence[TacoDataset], column_mode: str = "intersection", *, mode: str | None = None
) -> TacoDataset:
    """Concatenates datasets with compatible trees, in their order (specification, 7.2.4).

    The result has the rows that the filters of each input select. The inputs do not change, and may be closed
    afterwards.

    Args:
        datasets: At least two datasets.
        column_mode: Treatment of columns that only some inputs have: "intersection" drops them, "fill_missing" fills
            them with null, both with a warning; "strict" raises.
        mode: Another name of `column_mode`.

    Raises:
        TacoQueryError: There are fewer than two datasets, or the mode is unknown.
        TacoSchemaError: The trees or the types of columns differ.
        TacoBackendError: The datasets have different backends.

    Example:
        >>> both = tacore.concat([tacore.load("europe.tacozip"), tacore.load("africa.tacozip")])
    """
    if not isinstance(datasets, Iterable) or isinstance(datasets, (str, bytes, TacoDataset)):
        raise TacoQueryError(f"concat: a list of datasets is expected, not {type(datasets).__name__}")
    datasets = list(datasets)
    for each in datasets:
        if not isinstance(each, TacoDataset):
            raise TacoQueryError(f"concat: datasets are expected, not {type(each).__name__}")
    backends = sorted({dataset._backend for dataset in datasets})
    if len(backends) > 1:
        raise TacoBackendError(f"concat: datasets have different backends: {', '.join(backends)}")
    recipes = tuple(dataset._recipe for dataset in datasets)
    recipe = (("concat", "<concatenated>", recipes, mode or column_mode),)
    core = _core.concat([dataset._core for dataset in datasets], mode or column_mode)
    return TacoDataset(core, recipe, backends[0])


def clear_cache() -> None:
    """Empties the disk cache of remote files: that of :func:`set_storage_options`, else that of ``TACO_CACHE_DIR``.

    Open datasets stay usable. Other files in the folder stay.
    """
    folder = _storage_options.get("cache_dir") or os.environ.get("TACO_CACHE_DIR")
    if not folder:
        return
    for part in ("files", "sets", "new"):
        shutil.rmtree(os.path.join(folder, part), ignore_errors=True)


def _restored(recipe: Any, versions: Any, backend: str) -> TacoDataset:
    core = _core_of(recipe)
    check_versions(versions, _core.file_versions(core))
    return TacoDataset(core, recipe, backend)


def check_versions(pickled: Sequence[tuple[Any, str]], found: Sequence[tuple[Any, str]]) -> None:
    """Raises TacoError for the first file whose version changed. Both arguments list the (path, version) of each
    file."""
    if [version for _, version in pickled] == [version for _, version in found]:
        return
    changed = (path for (path, now), (_, before) in zip(found, pickled) if now != before)
    path = next(changed, found[0][0])
    error = TacoError(f"{path}: changed since it was pickled")
    error.message, error.path = "changed since it was pickled", path
    raise error


def asks_query(recipe: Any) -> bool:
    """Whether a recipe, or a recipe of a concatenated dataset, has an SQL step."""
    (kind, *how), *steps = recipe
    return any(step[0] in ("sql", "with_column") for step in steps) or (
        kind == "concat" and any(map(asks_query, how[1]))
    )


def rows_of(rows: Any) -> TacoDataFrame:
    """The rows of a dataset; a frame itself."""
    if isinstance(rows, TacoDataset):
        return rows.data
    if isinstance(rows, TacoDataFrame):
        return rows
    raise TypeError(f"a dataset or a frame is expected, not {_kind(rows)}")


def opened_rows(rows: Any) -> TacoDataFrame:
    """The rows of a dataset, or of the dataset that a path or a list of paths opens; a frame itself."""
    if isinstance(rows, (TacoDataset, TacoDataFrame)):
        return rows_of(rows)
    paths = rows if isinstance(rows, (list, tuple)) else [rows]
    if not all(isinstance(path, (str, bytes, os.PathLike)) for path in paths):
        raise TypeError(f"a dataset, a frame, a path or a list of paths is expected, not {_kind(rows)}")
    return load(rows).data


def dataset_of(frame: TacoDataFrame) -> TacoDataset:
    """The whole dataset that a frame was selected from, opened again."""
    recipe = frame._origin.recipe[:1]
    return TacoDataset(_core_of(recipe), recipe, frame._backend)


def _kind(rows: Any) -> str:
    """The type of an argument that has no samples, and for a table what to pass instead."""
    library, name = type(rows).__module__.partition(".")[0], type(rows).__name__
    if library not in ("pandas", "polars", "pyarrow"):
        return name
    return (
        f"{library}.{name}, a table from which no sample can be read: pass the dataset, or rows of it selected by "
        "dataset.sql(...), or by methods of dataset.data, such as filter, whose results are frames"
    )


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise TacoQueryError(f"{what} is text, not {type(value).__name__}")
    return value


def _absolute(path: str) -> str:
    """A local path as an absolute path; other paths unchanged."""
    is_local = "://" not in path and not path.startswith("/vsi")
    return os.path.join(os.getcwd(), path) if is_local else path


def _core_of(recipe: Any) -> _core.Dataset:
    """Runs a recipe: the call that opened a dataset, and the calls after it."""
    (kind, *how), *steps = recipe
    if kind == "load":
        core = _core.load(*how)
    else:
        _, recipes, mode = how
        core = _core.concat([_core_of(each) for each in recipes], mode)
    for method, *arguments in steps:
        core = _core.with_drawn(core, arguments[0].rows()) if method == "drawn" else getattr(core, method)(*arguments)
    return core


def _time_range(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dt.datetime):
        return _utc(value).date().isoformat()
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, tuple) and len(value) == 2 and value != (None, None):
        return "/".join(_bound(each) for each in value)
    raise TacoQueryError(
        f"Invalid datetime input {value!r}; text, a date, a datetime or a tuple of two datetimes is expected"
    )


def _bound(value: Any) -> str:
    if value is None:
        return ".."
    if isinstance(value, dt.datetime):
        return _utc(value).isoformat()
    if isinstance(value, (str, dt.date)):
        return str(value)
    raise TacoQueryError(f"Invalid datetime input {value!r}; a datetime is expected")


def _utc(value: dt.datetime) -> dt.datetime:
    return value.replace(tzinfo=dt.timezone.utc) if value.tzinfo is None else value.astimezone(dt.timezone.utc)


def _is_beside(box: Sequence[float], extent: Sequence[float]) -> bool:
    """Whether boxes have no common point. A box over the antimeridian may have one with any other."""
    if box[0] > box[2] or extent[0] > extent[2]:
        return False
    return box[2] < extent[0] or extent[2] < box[0] or box[3] < extent[1] or extent[3] < box[1]
