"""Datasets: lazy queries (specification, section 7.2)."""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, SupportsFloat, SupportsIndex

from . import _backend, _core, _verbose  # noqa: F401  (messages go to the logger from here on)
from ._core import Dataset as CoreDataset
from ._dataframe import Key, Origin, TacoDataFrame
from ._errors import TacoBackendError, TacoError, TacoQueryError
from ._schema import PITSchema
from ._statistics import Statistics, small

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Time = str | dt.datetime | dt.date | tuple[dt.datetime | dt.date | str | None, dt.datetime | dt.date | str | None]


class TacoDataset(Statistics):
    """A lazy query over a dataset (specification, 7.2.2): made by :func:`load` and by its own methods.

    An immutable value: every method returns a new dataset and runs nothing; rows are computed once, when `data` is
    first asked for. Safe from several threads, can be pickled, and used after a fork. A process that unpickles it opens
    the same version of the files anew, else a TacoError is raised, and has the same rows: a pickle keeps what
    ``random()`` or a sample gave. Filters change none of what its attributes say, but for `pit_schema`, whose root counts rows.
    """

    __slots__ = ("__weakref__", "_backend", "_frames", "_opened", "_recipe")

    def __init__(self, core: _core.Dataset, recipe: Any, backend: str) -> None:
        self._opened: _core.Dataset | None = core
        self._recipe = recipe
        self._backend = backend
        self._frames: dict[str, TacoDataFrame] = {}

    # What it is.

    @property
    def id(self) -> str:
        return str(self._described("id", ""))

    @property
    def version(self) -> str:
        """`dataset_version`, "unknown" where there is none."""
        return str(self._described("dataset_version", "unknown"))

    @property
    def description(self) -> str:
        return str(self._described("description", ""))

    @property
    def tasks(self) -> list[str]:
        return list(self._described("tasks", []))

    @property
    def extent(self) -> dict[str, Any]:
        """``{"spatial": [west, south, east, north], "temporal": [start, end]}``, either may be absent."""
        return dict(self._described("extent", {}) or {})

    @property
    def providers(self) -> list[dict[str, Any]]:
        return list(self._described("providers", []))

    @property
    def licenses(self) -> list[str]:
        return list(self._described("licenses", []))

    @property
    def title(self) -> str | None:
        return self._described("title", None)  # type: ignore[no-any-return]

    @property
    def curators(self) -> list[dict[str, Any]] | None:
        return self._described("curators", None)  # type: ignore[no-any-return]

    @property
    def keywords(self) -> list[str] | None:
        return self._described("keywords", None)  # type: ignore[no-any-return]

    @property
    def field_schema(self) -> dict[str, list[list[str]]]:
        """``{"level0": [[name, type, description], ...]}``."""
        return dict(self._described("taco:field_schema", {}))

    @property
    def collection(self) -> dict[str, Any]:
        """COLLECTION.json, parsed anew each time: changing it changes no dataset."""
        return dict(json.loads(self._core.collection_json or "{}"))

    @property
    def pit_schema(self) -> PITSchema:
        """The tree. Its root counts the rows of this view, so a filtered dataset runs its query."""
        return PITSchema._parse(self._core.pit_schema_json())

    # Its rows.

    @property
    def data(self) -> TacoDataFrame:
        """The rows: `id`, `type`, user columns and `internal:gdal_vsi`; after a filter below the root also the columns
        that join levels. Raises TacoQueryError when the query does not run."""
        return self._frame("data")

    @property
    def data_raw(self) -> TacoDataFrame:
        """The rows with every `internal:*` column."""
        return self._frame("data_raw")

    def read(self, key: Key) -> Any:
        """``data.read(key)``."""
        return self._frame("data").read(key)

    def sql(self, query: str) -> TacoDataset:
        """One read-only SELECT over `data` (this view) and `level0`, `level1`, ...

        Raises:
            TacoQueryError: At once for anything else; when rows are asked for, if it does not bind.
        """
        if not isinstance(query, str):
            raise TacoQueryError(f"sql: a query is text, not {type(query).__name__}")
        return self._step("sql", query)

    def filter_bbox(
        self,
        minx: SupportsFloat,
        miny: SupportsFloat,
        maxx: SupportsFloat,
        maxy: SupportsFloat,
        geometry_col: str = "auto",
        level: SupportsIndex = 0,
    ) -> TacoDataset:
        """The samples whose geometry meets a box, in degrees (WGS 84, edges included).

        Args:
            minx: West; greater than `maxx` for a box over the antimeridian.
            miny: South.
            maxx: East.
            maxy: North.
            geometry_col: "auto" takes `istac:geometry`, `stac:centroid` or `istac:centroid`, as published readers do: a
                centroid is a point, so samples that only reach into the box are not found. "footprint" tests what a
                sample covers: `istac:geometry`, else its grid (`stac:crs`, `stac:geotransform`, `stac:tensor_shape`),
                else the centroid, with a warning that counts those.
            level: Level that is tested. Below the root: the samples that have such a descendant; `read()` then shows
                only what survives down to that level.

        Raises:
            TacoQueryError: No such column or level, bounds that are not finite.
        """
        try:
            bounds = [float(bound) for bound in (minx, miny, maxx, maxy)]
        except (TypeError, ValueError) as error:
            raise TacoQueryError(f"filter_bbox: four numbers are expected: {error}") from error
        return self._step("filter_bbox", *bounds, geometry_col, small(level, "Level"))

    def filter_datetime(self, datetime_range: Time, time_col: str = "auto", level: SupportsIndex = 0) -> TacoDataset:
        """The samples of a time, both ends included.

        Args:
            datetime_range: "2023-01-01/2023-12-31" (a bound without a time of day is the whole UTC day, `..` leaves a
                side open), one date or datetime (its UTC day), or a tuple of two datetimes, of which one may be None and leaves
                its side open; naive ones are UTC.
            time_col: "auto" takes `istac:time_start` or `stac:time_start`.
            level: As in :meth:`filter_bbox`.

        Raises:
            TacoQueryError: No such column or level, text of another form, an end before the start.
        """
        return self._step("filter_datetime", _time_range(datetime_range), time_col, small(level, "Level"))

    # Its navigation.

    def navigation_columns(self, describe: bool = False) -> list[str] | dict[str, str]:
        """The columns that navigation uses in this container, sorted; with `describe` each with its purpose."""
        columns = dict(self._core.navigation_columns())
        return columns if describe else list(columns)

    def is_rsut(self) -> bool:
        """False once a query dropped a navigation column or used a deeper level, or a filter left samples with
        different children; true otherwise, without looking at the data."""
        return self._core.is_rsut()

    def verify_rsut(self) -> bool:
        """Looks: all samples of this view have the same child ids."""
        return self._core.verify_rsut()

    def close(self) -> None:
        """Lets go of the files of this dataset; the ones that it was made from, or made, stay usable. Twice is once."""
        self._opened = None
        self._recipe = (self._recipe[0][:2],)  # which holds the dataset before it, where a query drew rows
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

    @property
    def _core(self) -> CoreDataset:
        if self._opened is None:
            raise TacoError(f"{self._name()} is closed")
        return self._opened

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        """The collection as a GeoJSON Feature: the box of its extent, over the antimeridian in two parts."""
        from ._geo import dataset_feature

        return dataset_feature(self)

    def _statistics_core(self) -> CoreDataset:
        return self._core

    def _frame(self, kind: str) -> TacoDataFrame:
        """A copy of one frame: what is set in it stays there; a table that no one can write to is made once."""
        core = self._core
        frame = self._frames.get(kind)
        if frame is None:
            made = TacoDataFrame(getattr(core, kind)(), Origin(self._recipe, (kind,), core.format), self._backend)
            frame = self._frames.setdefault(kind, made)
        return frame.__copy__()

    def _name(self) -> str:
        return str(self._recipe[0][1])

    def _described(self, key: str, default: Any) -> Any:
        # The documents of versions before 2.0 have other names and forms.
        described = self._core.model() if self._core.is_v1 else self.collection
        value = described.get(key)
        return default if value is None else value

    def _step(self, method: str, *arguments: Any) -> TacoDataset:
        core = getattr(self._core, method)(*arguments)
        recipe = (*self._recipe, (method, *arguments))
        if method == "sql" and _core.draws(core):
            recipe = (*recipe, ("drawn", _Drawn(core)))
        return TacoDataset(core, recipe, self._backend)


class _Drawn:
    """The rows of a query that may give others when it is run again: a pickle keeps them."""

    def __init__(self, rows: _core.Dataset | bytes) -> None:
        self._rows = rows

    def rows(self) -> bytes:
        return self._rows if isinstance(self._rows, bytes) else _core.serialize_drawn(self._rows)

    def __reduce__(self) -> Any:
        return _Drawn, (self.rows(),)


def load(
    path: Path | Sequence[Path],
    base_path: Path | None = None,
    backend: str | None = None,
    cache: bool = True,
    *,
    allow_partial: bool = False,
    storage_options: Mapping[str, Any] | None = None,
    verify: bool = True,
) -> TacoDataset:
    """Opens a dataset, whatever its container (specification, 7.2.1).

    `.tacozip` and `.zip`, a FOLDER, `.tacocat/` or the folder around it, `__TACOCAT__`, `TACOLLECTION.json`,
    `.tortilla` and `.taco`. Reads headers, COLLECTION.json and the footers of its tables only. One part of a `.tortilla`
    or `.taco` stands for all of them: :func:`tacore.v1.load` opens one alone.

    Args:
        path: Where it is. Several are loaded and concatenated (:func:`concat`).
        base_path: TACOCAT and TACOLLECTION.json only: the folder of the ZIP files, when it is not the index's own.
        backend: As for :func:`use`, which sets what None means.
        cache: False: no disk cache, though `cache_dir` or ``TACO_CACHE_DIR`` names one (docs/remote.md). Files on this
            machine are never cached.
        allow_partial: `.tortilla` and `.taco` of several parts: take those that are there; of a list those listed.
        storage_options: How to reach a remote path, as for :func:`set_storage_options`, which sets what None means.
            What is in force, from here or from there, becomes part of a pickle of the dataset; credentials of the
            environment do not.
        verify: False: what is read of a sample in a ZIP is not held against its local header and CRC-32.

    Raises:
        TacoIOError: Nothing is there (also a FileNotFoundError), or it cannot be read.
        TacoFormatError: Something else is there.
        TacoQueryError: An empty list.
        TacoBackendError: A backend that is not known.
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
    core = _core.load(where, base, allow_partial, remote, verify)
    # In another process there is another folder, and nothing of set_storage_options().
    there = [_absolute(each) for each in where] if isinstance(where, list) else _absolute(where)
    in_force = (dict(_storage_options) or None) if remote is None else remote
    recipe = (("load", there, _absolute(base) if base else base, allow_partial, in_force, verify),)
    return TacoDataset(core, recipe, name)


_storage_options: dict[str, Any] = {}


def set_storage_options(**options: Any) -> None:
    """Sets how remote paths are reached where a call says nothing else.

    What is left out comes from the environment, under the names that the tools of each store know, and from the
    files of credentials of AWS and of the Hugging Face Hub; what is still unknown then is not used.

    Args:
        **options: `headers` (a dict, for http(s)); `endpoint`, `region`, `access_key_id`, `secret_access_key`,
            `session_token`, `profile` (for s3); `anonymous` (use no credentials); `token` (for hf);
            `max_concurrent_requests` (HTTP requests in flight, 100), `max_tries` (5), `timeout` (seconds to connect, and of silence, 30); `cache_dir` (a
            folder that keeps what was read), `cache_size` (its bytes, at most 1 GiB).

    Raises:
        TypeError: Another name, or a value of another type.
        TacoQueryError: A number out of range.
    """
    global _storage_options
    _core.set_remote_options(options)
    _storage_options = options


def concat(
    datasets: Sequence[TacoDataset], column_mode: str = "intersection", *, mode: str | None = None
) -> TacoDataset:
    """One dataset from several with compatible trees, in their order (specification, 7.2.4).

    Inputs keep their filters and stay as they are; they may be closed afterwards.

    Args:
        datasets: At least two.
        column_mode: What becomes of columns that not all have: "intersection" drops them, "fill_missing" fills them
            with null, both with a warning; "strict" raises.
        mode: Another name of `column_mode`.

    Raises:
        TacoQueryError: Fewer than two, or another mode.
        TacoSchemaError: They do not fit together.
        TacoBackendError: They have different backends.
    """
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
    """Removes what the disk cache of remote files has: that of :func:`set_storage_options`, else of ``TACO_CACHE_DIR``.

    What is open goes on, without it. Other files in the folder stay.
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
    """Raises TacoError for the first file that is not what it was: (path, version) of each."""
    if [version for _, version in pickled] == [version for _, version in found]:
        return
    changed = (path for (path, now), (_, before) in zip(found, pickled) if now != before)
    path = next(changed, found[0][0])
    error = TacoError(f"{path}: changed since it was pickled")
    error.message, error.path = "changed since it was pickled", path
    raise error


def asks_query(recipe: Any) -> bool:
    """Whether SQL is among the steps of a recipe, or of those that it joins."""
    (kind, *how), *steps = recipe
    return any(step[0] == "sql" for step in steps) or (kind == "concat" and any(map(asks_query, how[1])))


def rows_of(rows: Any) -> TacoDataFrame:
    """Those of a dataset, or a frame."""
    if isinstance(rows, TacoDataset):
        return rows.data
    if isinstance(rows, TacoDataFrame):
        return rows
    raise TypeError(f"a dataset or a frame is expected, not {type(rows).__name__}")


def _absolute(path: str) -> str:
    """A local path from the root; any other as it is."""
    is_local = "://" not in path and not path.startswith("/vsi")
    return os.path.join(os.getcwd(), path) if is_local else path


def _core_of(recipe: Any) -> _core.Dataset:
    """Runs a recipe: how a dataset was opened, and what was done to it then."""
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
