"""The extensions that come with tacore (specification, 5.3), by the names of the published writers."""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

from .. import _core
from .._errors import TacoSchemaError
from ._extension import Native, SampleExtension, TacoExtension, TortillaExtension
from ._taco import _plain
from ._tortilla import Tortilla, _wrapped

if TYPE_CHECKING:
    from .._dataset import TacoDataset
    from ._sample import Sample
    from ._taco import Taco

#: Microseconds since 1970, a datetime (naive: UTC), a date, a NumPy datetime64, or text in RFC 3339.
Time = Union[int, str, "dt.datetime", "dt.date", Any]
SplitName = Literal["train", "test", "validation"]
SplitStrategyType = Literal["random", "stratified", "manual", "other", "none", "unknown"]


class _OfSample(Native, SampleExtension):
    def _compute(self, sample: Sample) -> Any:
        return self._core.compute(sample._core)


class _OfPlace(_OfSample):
    """STAC and ISTAC, whose attributes have what is computed of the others."""

    def __post_init__(self) -> None:
        super().__post_init__()
        made: Any = self
        if made.centroid is not None and (made.time_middle is not None or made.time_end is None):
            return
        columns = self._core.compute(_core.Sample("sample", b"", {}))
        found = {name.partition(":")[2]: name for name, _, _ in columns.fields()}
        if made.centroid is None:
            made.centroid = columns.objects(found["centroid"])[0]
        if made.time_middle is None and made.time_end is not None:
            middle = columns.objects(found["time_middle"])[0]
            made.time_middle = _microseconds(middle) if isinstance(made.time_start, int) else middle


class _OfTortilla(Native, TortillaExtension):
    def _compute(self, tortilla: Tortilla) -> Any:
        return self._core.compute(tortilla._core)


class _OfTaco(Native, TacoExtension):
    def _compute(self, taco: Taco) -> Any:
        return self._core.compute(taco._core)


class STAC(_OfPlace):
    """A sample on a regular grid: `stac:crs`, `stac:tensor_shape`, `stac:geotransform`, `stac:time_start`,
    `stac:centroid`, `stac:time_end`, `stac:time_middle`.

    EPSG:4326, EPSG:3857 and the UTM zones of WGS 84, ETRS89, NAD83 (from zone 6 on) and SIRGAS 2000 are known without
    pyproj, all others need it.

    Args:
        crs: A code (``EPSG:32630``), WKT, PROJ string or PROJJSON.
        tensor_shape: At least two sizes in pixels; the last two are rows and columns.
        geotransform: Pixel to CRS, six numbers in GDAL's order.
        time_start: See :data:`Time`.
        centroid: WKB Point of longitude and latitude; None: the centre of the grid, which the attribute then has.
        time_end: Not before the start.
        time_middle: None: halfway, when there is an end; the attribute then has it, as `time_start` is given.
        sample_id: Put before messages.

    Raises:
        TacoSchemaError: A CRS that is not known, a shape, time or place that cannot be.
    """

    crs: str
    tensor_shape: Sequence[int]
    geotransform: Sequence[float]
    time_start: Time
    centroid: bytes | None = None
    time_end: Time | None = None
    time_middle: Time | None = None
    sample_id: str | None = None

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], time_start: Time, **more: Any) -> STAC:
        """CRS, shape and geotransform of a raster; `more` are the other fields. Raises as :func:`tacore.raster.open`,
        and TacoSchemaError for a raster without them."""
        crs, shape, geotransform = _core.raster_stac(os.fspath(path))
        return cls(crs=crs, tensor_shape=shape, geotransform=geotransform, time_start=time_start, **more)

    def _make(self) -> Any:
        return _core.stac(
            self.crs,
            list(self.tensor_shape),
            list(self.geotransform),
            self.time_start,
            self.time_end,
            self.time_middle,
            self.centroid,
            self.sample_id or "",
        )


class ISTAC(_OfPlace):
    """A sample without a regular grid: `istac:crs`, `istac:geometry`, `istac:time_start`, `istac:time_end`,
    `istac:time_middle`, `istac:centroid`.

    Args:
        crs: As of :class:`STAC`.
        geometry: WKB in `crs`, not empty.
        time_start: See :data:`Time`.
        time_end: Not before the start.
        time_middle: None: halfway, when there is an end.
        centroid: WKB Point of longitude and latitude; None: the planar centroid of the geometry.
        check_antimeridian: Longitudes of a geographic system take the shorter way: an edge from 179 to -179 crosses
            the antimeridian.
        sample_id: Put before messages.

    Raises:
        TacoSchemaError: A CRS that is not known, a geometry, time or place that cannot be.
    """

    crs: str
    geometry: bytes
    time_start: Time
    time_end: Time | None = None
    time_middle: Time | None = None
    centroid: bytes | None = None
    check_antimeridian: bool = False
    sample_id: str | None = None

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], time_start: Time, **more: Any) -> ISTAC:
        """The footprint of a raster in EPSG:4326, and its centre. Raises as :meth:`STAC.from_file`."""
        crs, geometry, centroid = _core.raster_istac(os.fspath(path))
        return cls(crs=crs, geometry=geometry, centroid=centroid, time_start=time_start, **more)

    def _make(self) -> Any:
        return _core.istac(
            self.crs,
            self.geometry,
            self.time_start,
            self.time_end,
            self.time_middle,
            self.centroid,
            self.check_antimeridian,
            self.sample_id or "",
        )


class GeotiffStats(_OfSample):
    """`geotiff:stats` of a GeoTIFF: for each band min, max, mean, std, valid %, p25, p50, p75, p95 of its valid pixels,
    scaled as `scaling:*` of the sample says; of a categorical one the share of each class. Exact.

    Args:
        categorical: Pixels are classes.
        class_values: What they can be, in the order of the shares.
        approx: One pass, where exact percentiles may take another.
        histograms: Also the column `geotiff:histogram`.

    Raises:
        TacoSchemaError: Classes where there are none, or none where they are needed; on computing also a FOLDER and
            another format.
    """

    categorical: bool = False
    class_values: Sequence[int] | None = None
    approx: bool = False
    histograms: bool = False

    def _make(self) -> Any:
        return _core.geotiff_stats(self.categorical, list(self.class_values or ()), self.approx, self.histograms)


class Stats(_OfSample):
    """The columns of 0.2.0: `stats:mean`, `stats:min`, `stats:max` and `stats:std`, a number for each band."""

    def _make(self) -> Any:
        return _core.stats()


class Scaling(_OfSample):
    """How stored numbers become physical ones, ``packed * factor + offset``: `scaling:scale_factor`,
    `scaling:scale_offset`, `scaling:padding`.

    Args:
        scale_factor: One number, or one for each band; not 0.
        scale_offset: The same; any number.
        padding: Pixels: top, right, bottom, left.

    Raises:
        TacoSchemaError: A factor of 0, padding of another length.
    """

    scale_factor: float | Sequence[float] | None = None
    scale_offset: float | Sequence[float] | None = None
    padding: Sequence[int] | None = None

    def _make(self) -> Any:
        padding = None if self.padding is None else list(self.padding)
        return _core.scaling(self.scale_factor, self.scale_offset, padding)


class Split(_OfSample):
    """`split`: what a sample is for. Raises TacoSchemaError for another word.

    Args:
        split: "train", "test" or "validation".
    """

    split: SplitName

    def _make(self) -> Any:
        return _core.split(self.split)


class Header(_OfSample):
    """`taco:header`: where the tiles of a TacoTIFF lie, so that readers need nothing before the pixels. On computing
    raises TacoSchemaError, with all reasons, for a TIFF that cannot have one."""

    def _make(self) -> Any:
        return _core.header()


TACOTIFFHeader = Header


class RAI(_OfSample):
    """`rai:*`: who and what lives where a sample was taken, over its footprint (STAC or ISTAC).

    Args:
        layers: By elevation, cisi, gdp, hdi, gmi, pop, admin0, admin1, admin2, any may be missing: objects with
            ``value(crs, geometry)`` (the mean over a footprint in WKB, or the name of the largest part, None without
            data), `source` and `version`.

    Raises:
        TacoSchemaError: Other names; on computing a sample without a footprint, a value of the wrong kind.
    """

    layers: Mapping[str, Any]

    def _make(self) -> Any:
        return _core.rai(dict(self.layers))


class LandCover(_OfSample):
    """`landcover:fractions`: the part of the valid pixels that each class has; their sum is 1."""

    fractions: Sequence[float] | None = None

    def _make(self) -> Any:
        return _core.land_cover(None if self.fractions is None else list(self.fractions))


class Change(_OfSample):
    """`change:time_before` and `change:time_after`, the later one."""

    time_before: Time
    time_after: Time

    def _make(self) -> Any:
        return _core.change(self.time_before, self.time_after)


class Methane(_OfSample):
    """`methane:*` and `plume:geometry`. Flux rates in kg/h, wind in m/s to the east and to the north, geometry as
    WKB."""

    isplume: bool = False
    ch4_fluxrate: float | None = None
    ch4_fluxrate_std: float | None = None
    wind_u: float | None = None
    wind_v: float | None = None
    wind_source: str | None = None
    sector: str | None = None
    offshore: bool | None = None
    plume_geometry: bytes | None = None

    def _make(self) -> Any:
        return _core.methane(
            self.isplume,
            self.ch4_fluxrate,
            self.ch4_fluxrate_std,
            self.wind_u,
            self.wind_v,
            self.wind_source,
            self.sector,
            self.offshore,
            self.plume_geometry,
        )


class Flood(_OfSample):
    """`flood:*`. Fractions are of the pixels, 0 to 1."""

    event_id: str
    event_time: Time | None = None
    source: str | None = None
    water_fraction: float | None = None
    permanent_water_fraction: float | None = None
    cloud_fraction: float | None = None

    def _make(self) -> Any:
        return _core.flood(
            self.event_id,
            self.event_time,
            self.source,
            self.water_fraction,
            self.permanent_water_fraction,
            self.cloud_fraction,
        )


class MajorTOM(_OfTortilla):
    """`majortom:code`: the cell of the Major TOM grid that the centroid of each sample is in (`stac:centroid`, else
    `istac:centroid`); null without one. Takes no memory, however fine the grid is.

    Args:
        dist_km: The least distance of anchors, > 0.
        latitude_range: Rows whose anchors lie outside are left out; degrees.
        longitude_range: And so are columns.
        sep: Between the parts of a code.
        R_EQUATOR_KM: The radius of the globe.

    Raises:
        TacoSchemaError: A distance or range without a grid; on computing neither column.
    """

    dist_km: float = 100
    latitude_range: tuple[float, float] = (-85, 85)
    longitude_range: tuple[float, float] = (-180, 180)
    sep: str = "_"
    R_EQUATOR_KM: float = 6378.137

    def _make(self) -> Any:
        where = (self.dist_km, self.latitude_range, self.longitude_range, self.sep, self.R_EQUATOR_KM)
        self._grid = _core.MajorTomGrid(*where)
        return _core.majortom(*where)

    def latlon2rowcol(self, lats: Any, lons: Any, return_idx: bool = False, integer: bool = False) -> Any:
        """Rows and columns of positions in degrees: labels (``0054U``, ``0001R``), or with `integer` numbers from the
        equator and Greenwich; with `return_idx` also their positions among the rows and columns of the grid. Lists for
        sequences."""
        if not hasattr(lats, "__len__"):
            return self._rowcol(lats, lons, return_idx, integer)
        if len(lats) != len(lons):
            raise TacoSchemaError(f"{len(lats)} latitudes and {len(lons)} longitudes; one for each expected")
        found = [self._rowcol(lat, lon, return_idx, integer) for lat, lon in zip(lats, lons)]
        return tuple(list(part) for part in zip(*found)) if found else ([],) * (4 if return_idx else 2)

    def rowcol2latlon(self, rows: Any, cols: Any) -> Any:
        """The anchors, south-western corners in degrees, of cells given by labels or numbers. Raises TacoSchemaError for
        one that is not in the grid."""
        if isinstance(rows, (str, int)) or not hasattr(rows, "__len__"):
            return self._grid.rowcol2latlon(rows, cols)
        if len(rows) != len(cols):
            raise TacoSchemaError(f"{len(rows)} rows and {len(cols)} columns; one for each expected")
        found = [self._grid.rowcol2latlon(row, col) for row, col in zip(rows, cols)]
        return tuple(list(part) for part in zip(*found)) if found else ([], [])

    def _rowcol(self, lat: float, lon: float, return_idx: bool, integer: bool) -> tuple[Any, ...]:
        row_label, col_label, row, col = self._grid.latlon2rowcol(float(lat), float(lon))
        cell = (row, col) if integer else (row_label, col_label)
        if not return_idx:
            return cell
        return (*cell, row - self._grid.first_row, col - self._grid.first_column(row))


class SpatialGrouping(_OfTortilla):
    """`spatialgroup:code`: groups of neighbours, ``sg0000``, ``sg0001``, ... along the Z-order curve, by centroid.

    Args:
        target_count: Samples of a group, at most.
        target_size: Bytes of a group, at most: ``4GB``, ``512MiB``, or a number. One of the two is needed.

    Raises:
        TacoSchemaError: No limit, or one that is not positive; on computing no centroids.
    """

    target_count: int | None = None
    target_size: str | int | None = None

    def _make(self) -> Any:
        return _core.spatial_grouping(self.target_count, None if self.target_size is None else str(self.target_size))


@dataclasses.dataclass(kw_only=True)
class LabelClass:
    """A class of labels; `category` is what stands for it in the data, stored as text."""

    name: str
    category: str | int
    description: str | None = None


class Labels(_OfTaco):
    """`labels:classes`, `labels:description` and `labels:num_classes`: what the labels of a dataset mean.

    Args:
        label_classes: :class:`LabelClass` objects, or dicts of their fields.
        label_description: Of all together.
    """

    label_classes: Sequence[LabelClass | Mapping[str, Any]]
    label_description: str | None = None

    def _make(self) -> Any:
        classes = [_fields(each, LabelClass) for each in self.label_classes]
        return _core.labels([(c["name"], c["category"], c["description"]) for c in classes], self.label_description)


@dataclasses.dataclass(kw_only=True)
class SpectralBand:
    """A band of an optical sensor; wavelengths in nm."""

    name: str
    index: int | None = None
    common_name: str | None = None
    description: str | None = None
    unit: str | None = None
    center_wavelength: float | None = None
    full_width_half_max: float | None = None


SUPPORTED_SENSORS: tuple[str, ...] = tuple(_core.optical_sensors())


def optical_bands(sensor: str) -> list[SpectralBand]:
    """The bands of one of SUPPORTED_SENSORS, in order. Raises TacoSchemaError for another."""
    names = [field.name for field in dataclasses.fields(SpectralBand)]
    return [SpectralBand(**dict(zip(names, band))) for band in _core.optical_bands(sensor)]


class OpticalData(_OfTaco):
    """`optical:sensor`, `optical:bands` and `optical:num_bands`.

    Args:
        sensor: One of SUPPORTED_SENSORS, or some of its bands: ``sentinel2msi[B04, B03, B02]``; any name with `bands`.
            The attributes `sensor` and `bands` then have the name alone, and the bands.
        bands: :class:`SpectralBand` objects, or dicts of their fields, instead of those of a known sensor.

    Raises:
        TacoSchemaError: Bands without a sensor; without bands an unknown sensor or band.
    """

    sensor: str | None = None
    bands: Sequence[SpectralBand | Mapping[str, Any]] | None = None

    def _make(self) -> Any:
        bands = [_fields(each, SpectralBand) for each in self.bands or ()]
        made = _core.optical_data(self.sensor or "", [tuple(band.values()) for band in bands])
        if self.sensor and not bands:  # the attributes have what that stands for
            self.sensor, _, some = (part.strip() for part in self.sensor.partition("["))
            known = {band.name: band for band in optical_bands(self.sensor)}
            names = [name.strip() for name in some.rstrip("] ").split(",")] if some else list(known)
            self.bands = [known[name] for name in names]
        return made


@dataclasses.dataclass(kw_only=True)
class Publication:
    """Something that describes a dataset."""

    doi: str
    citation: str
    summary: str | None = None


class Publications(_OfTaco):
    """`publications`: where a dataset is described.

    Args:
        publications: :class:`Publication` objects, or dicts of their fields.
    """

    publications: Sequence[Publication | Mapping[str, Any]]

    def _make(self) -> Any:
        return _core.publications([tuple(_fields(each, Publication).values()) for each in self.publications])


class SplitStrategy(_OfTaco):
    """`split:strategy`: how a dataset was split. Raises TacoSchemaError for another word.

    Args:
        strategy: "random", "stratified", "manual", "other", "none" or "unknown".
    """

    strategy: SplitStrategyType

    def _make(self) -> Any:
        return _core.split_strategy(self.strategy)


class RaiStatement(_OfTaco):
    """`rai:*` after Croissant RAI: what the makers of a dataset say about responsible use; free text. Raises
    TacoSchemaError when nothing is said at all."""

    data_collection: str | None = None
    data_collection_type: str | None = None
    data_collection_timeframe: str | None = None
    data_limitations: str | None = None
    data_biases: str | None = None
    personal_sensitive_information: str | None = None
    use_cases: str | None = None
    data_preprocessing_protocol: str | None = None
    data_annotation_protocol: str | None = None
    annotation_platform: str | None = None
    data_release_maintenance_plan: str | None = None

    def _make(self) -> Any:
        names = [field.name for field in dataclasses.fields(self)]
        return _core.rai_statement(
            {name: getattr(self, name) for name in names if isinstance(getattr(self, name), str)}
        )


def flood_labels() -> Labels:
    """The classes of flood masks: invalid, land, water and cloud, with categories 0 to 3."""
    names = ("invalid", "land", "water", "cloud")
    return Labels(label_classes=[LabelClass(name=name, category=at) for at, name in enumerate(names)])


def check_convention(convention: str, data: Tortilla | Taco | TacoDataset) -> list[str]:
    """What keeps a dataset from following a convention, a sentence each; nothing when it does.

    Args:
        convention: "land-cover", "change", "methane" or "flood".
        data: Of a Taco and a TacoDataset the classes are looked at too.
    """
    from .._dataset import TacoDataset
    from ..transform import to_taco

    made = to_taco(data) if isinstance(data, TacoDataset) else data
    return list(_core.check_convention(convention, made._core))


def with_stac(tortilla: Tortilla, time_start: Time | None = None, jobs: int = 0) -> Tortilla:
    """The STAC columns of all samples, at each level that has what they are computed from, or, with a time, whose
    FILEs are rasters; only their headers are read.

    Args:
        tortilla: Stays as it is.
        time_start: Of all samples, where a level has no `stac:time_start`.
        jobs: Threads that read; 0: one for each processor.

    Raises:
        TacoSchemaError: As :class:`STAC`, with the id of the sample; no level has these columns.
    """
    return _wrapped(_core.with_stac(tortilla._core, time_start, jobs))


def with_istac(tortilla: Tortilla, time_start: Time | None = None, jobs: int = 0) -> Tortilla:
    """The same for :class:`ISTAC`."""
    return _wrapped(_core.with_istac(tortilla._core, time_start, jobs))


def with_geotiff_stats(tortilla: Tortilla, stats: GeotiffStats | None = None, jobs: int = 0) -> Tortilla:
    """The columns of :class:`GeotiffStats` at each level that has TIFFs; null for FOLDERs, padding and other FILEs."""
    stats = stats or GeotiffStats()
    classes = list(stats.class_values or ())
    core = _core.with_geotiff_stats(tortilla._core, stats.categorical, classes, stats.approx, stats.histograms, jobs)
    return _wrapped(core)


def with_tiff_index(tortilla: Tortilla, skip_others: bool = False, jobs: int = 0) -> Tortilla:
    """The column of :class:`Header` at each level that has TIFFs; with `skip_others` null for a TIFF that cannot have
    one, instead of TacoSchemaError."""
    return _wrapped(_core.with_tiff_index(tortilla._core, skip_others, jobs))


def _microseconds(time: Any) -> int:
    """Since 1970; without a zone it is UTC."""
    epoch = dt.datetime(1970, 1, 1, tzinfo=time.tzinfo)
    return int((time - epoch) / dt.timedelta(microseconds=1))


def _fields(given: Any, cls: Any) -> dict[str, Any]:
    """The fields of a dataclass, in order, of an object of it or something alike."""
    found = _plain(given)
    if not isinstance(found, Mapping):
        raise TypeError(f"a {cls.__name__} or a dict of its fields is expected, not {type(given).__name__}")
    return dataclasses.asdict(cls(**found))
