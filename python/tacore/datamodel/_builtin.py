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
    """STAC and ISTAC, whose attributes `centroid` and `time_middle` get the values that are computed from the
    others."""

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
    """`stac:*`: place and time of a sample on a regular grid (`stac:crs`, `stac:tensor_shape`, `stac:geotransform`,
    `stac:time_start`, `stac:centroid`, `stac:time_end`, `stac:time_middle`).

    EPSG:4326, EPSG:3857 and the UTM zones of WGS 84, ETRS89, NAD83 (from zone 6 on) and SIRGAS 2000 are built in; every
    other CRS needs pyproj.

    Args:
        crs: A code (``EPSG:32630``), WKT, PROJ string or PROJJSON.
        tensor_shape: At least two sizes in pixels; the last two are rows and columns.
        geotransform: The affine map from pixels to the CRS, six numbers in GDAL's order.
        time_start: See :data:`Time`.
        centroid: WKB Point of longitude and latitude. None: the centre of the grid; the attribute then has it.
        time_end: Not before the start.
        time_middle: None: halfway between start and end, if there is an end; the attribute then has it, in the form of
            `time_start`.
        sample_id: Error messages begin with it.

    Raises:
        TacoSchemaError: An unknown CRS, or an impossible shape, time or place.

    Example:
        >>> sample.extend_with(STAC(crs="EPSG:32630", tensor_shape=(3, 256, 256),
        ...                         geotransform=(500000, 10, 0, 4400000, 0, -10), time_start="2024-01-31"))
    """

    _maker = staticmethod(_core.stac)

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


class ISTAC(_OfPlace):
    """`istac:*`: place and time of a sample without a regular grid (`istac:crs`, `istac:geometry`, `istac:time_start`,
    `istac:time_end`, `istac:time_middle`, `istac:centroid`).

    Args:
        crs: As of :class:`STAC`.
        geometry: The footprint as WKB in `crs`, not empty.
        time_start: See :data:`Time`.
        time_end: Not before the start.
        time_middle: None: halfway between start and end, if there is an end.
        centroid: WKB Point of longitude and latitude; None: the planar centroid of the geometry.
        check_antimeridian: In a geographic CRS, take the shorter way between two longitudes: an edge from 179 to -179
            then crosses the antimeridian.
        sample_id: Error messages begin with it.

    Raises:
        TacoSchemaError: An unknown CRS, or an impossible geometry, time or place.

    Example:
        >>> sample.extend_with(ISTAC(crs="EPSG:4326", geometry=shapely.box(0, 40, 1, 41).wkb, time_start="2024-01-31"))
    """

    _maker = staticmethod(_core.istac)

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


class GeotiffStats(_OfSample):
    """`geotiff:stats` of a GeoTIFF: for each band the exact min, max, mean, std, valid %, p25, p50, p75 and p95 of its
    valid pixels, scaled by `scaling:*` of the sample; for each categorical band the share of each class.

    Args:
        categorical: Pixels are classes.
        class_values: The possible classes, in the order of the shares.
        approx: Read the pixels once, which makes percentiles approximate.
        histograms: Also the column `geotiff:histogram`.

    Raises:
        TacoSchemaError: Class values without `categorical`, or `categorical` without them; when computed, also a FOLDER
            and a file that is no GeoTIFF.

    Example:
        >>> sample.extend_with(GeotiffStats(categorical=True, class_values=[0, 1, 2]))
    """

    _maker = staticmethod(_core.geotiff_stats)

    categorical: bool = False
    class_values: Sequence[int] | None = None
    approx: bool = False
    histograms: bool = False


class Stats(_OfSample):
    """`stats:mean`, `stats:min`, `stats:max` and `stats:std` of TACO 0.2.0: a number for each band of a GeoTIFF.

    Example:
        >>> sample.extend_with(Stats())
    """

    _maker = staticmethod(_core.stats)


class Scaling(_OfSample):
    """`scaling:*`: physical value = stored value * scale_factor + scale_offset.

    Args:
        scale_factor: One number for all bands, or one for each; not 0.
        scale_offset: The same; any number.
        padding: Pixels of padding: top, right, bottom, left.

    Raises:
        TacoSchemaError: A factor of 0, or padding of another length.

    Example:
        >>> sample.extend_with(Scaling(scale_factor=0.0001, scale_offset=-0.1))  # Sentinel-2 reflectance
    """

    _maker = staticmethod(_core.scaling)

    scale_factor: float | Sequence[float] | None = None
    scale_offset: float | Sequence[float] | None = None
    padding: Sequence[int] | None = None


class Split(_OfSample):
    """`split`: the use of a sample. Raises TacoSchemaError for another word.

    Args:
        split: "train", "test" or "validation".

    Example:
        >>> sample.extend_with(Split(split="train"))
    """

    _maker = staticmethod(_core.split)

    split: SplitName


class Header(_OfSample):
    """`taco:header`: the positions of the tiles of a TacoTIFF, so that a reader requests nothing but the pixels. When
    computed, raises TacoSchemaError, with all reasons, for a TIFF that is no TacoTIFF.

    Example:
        >>> sample.extend_with(Header())
    """

    _maker = staticmethod(_core.header)


TACOTIFFHeader = Header


class RAI(_OfSample):
    """`rai:*`, for responsible AI: elevation, population, countries, ... over the footprint of a sample (from its STAC
    or ISTAC columns).

    Args:
        layers: By elevation, cisi, gdp, hdi, gmi, pop, admin0, admin1, admin2; any may be missing. A layer is an object
            with ``value(crs, geometry)`` (the mean over a footprint in WKB, or the name with the largest part of it;
            None without data), `source` and `version`.

    Raises:
        TacoSchemaError: Other names; when computed, a sample without a footprint and a value of the wrong kind.

    Example:
        >>> sample.extend_with(RAI(layers={"elevation": my_elevation_layer}))
    """

    layers: Mapping[str, Any]

    def _make(self) -> Any:
        return _core.rai(dict(self.layers))


class LandCover(_OfSample):
    """`landcover:fractions`: the share of each class in the valid pixels of a sample; their sum is 1.

    Example:
        >>> sample.extend_with(LandCover(fractions=[0.25, 0.75]))
    """

    _maker = staticmethod(_core.land_cover)

    fractions: Sequence[float] | None = None


class Change(_OfSample):
    """`change:time_before` and `change:time_after`, the later one: the times of both images of a pair.

    Example:
        >>> sample.extend_with(Change(time_before="2023-02-01", time_after="2023-02-11"))
    """

    _maker = staticmethod(_core.change)

    time_before: Time
    time_after: Time


class Methane(_OfSample):
    """`methane:*` and `plume:geometry`: one plume, or the absence of one. Flux rates are in kg/h, wind is in m/s to the
    east (u) and to the north (v), the geometry is WKB.

    Example:
        >>> sample.extend_with(Methane(isplume=True, ch4_fluxrate=1200.0, wind_source="ERA5"))
    """

    _maker = staticmethod(_core.methane)

    isplume: bool = False
    ch4_fluxrate: float | None = None
    ch4_fluxrate_std: float | None = None
    wind_u: float | None = None
    wind_v: float | None = None
    wind_source: str | None = None
    sector: str | None = None
    offshore: bool | None = None
    plume_geometry: bytes | None = None


class Flood(_OfSample):
    """`flood:*`: one event. Fractions are parts of the pixels, 0 to 1.

    Example:
        >>> sample.extend_with(Flood(event_id="EMSR600", water_fraction=0.4))
    """

    _maker = staticmethod(_core.flood)

    event_id: str
    event_time: Time | None = None
    source: str | None = None
    water_fraction: float | None = None
    permanent_water_fraction: float | None = None
    cloud_fraction: float | None = None


class MajorTOM(_OfTortilla):
    """`majortom:code`: the cell of the Major TOM grid around the centroid of each sample (`stac:centroid`, else
    `istac:centroid`); null without a centroid. The grid takes no memory, however fine it is.

    Args:
        dist_km: The least distance between grid points, > 0.
        latitude_range: In degrees; rows of the grid outside of it are left out.
        longitude_range: The same for columns.
        sep: The text between the parts of a code.
        R_EQUATOR_KM: The radius of the globe.

    Raises:
        TacoSchemaError: A distance or range without a grid; when computed, a Tortilla without a column of centroids.

    Example:
        >>> tortilla = tortilla.extend_with(MajorTOM(dist_km=10))
    """

    _maker = staticmethod(_core.majortom)

    dist_km: float = 100
    latitude_range: tuple[float, float] = (-85, 85)
    longitude_range: tuple[float, float] = (-180, 180)
    sep: str = "_"
    R_EQUATOR_KM: float = 6378.137

    def _make(self) -> Any:
        self._grid = _core.MajorTomGrid(*self._arguments())
        return super()._make()

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
        """The anchors, south-western corners in degrees, of cells given by labels or numbers. Raises TacoSchemaError
        for one that is not in the grid."""
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
    """`spatialgroup:code`: groups of neighbouring samples, ``sg0000``, ``sg0001``, ..., made by their centroids along a
    Z-order curve. One of the two limits is needed.

    Args:
        target_count: The most samples in a group.
        target_size: The most bytes in a group: ``4GB``, ``512MiB``, or a number.

    Raises:
        TacoSchemaError: No limit, or one that is not positive; when computed, a Tortilla without centroids.

    Example:
        >>> tortilla = tortilla.extend_with(SpatialGrouping(target_count=1000))
    """

    target_count: int | None = None
    target_size: str | int | None = None

    def _make(self) -> Any:
        return _core.spatial_grouping(self.target_count, None if self.target_size is None else str(self.target_size))


@dataclasses.dataclass(kw_only=True)
class LabelClass:
    """One class of a dataset's labels. `category` is its value in the label rasters; it is stored as text."""

    name: str
    category: str | int
    description: str | None = None


class Labels(_OfTaco):
    """`labels:classes`, `labels:description` and `labels:num_classes`: the classes of a dataset's labels.

    Args:
        label_classes: :class:`LabelClass` objects, or dicts of their fields.
        label_description: The subject of all classes together.

    Example:
        >>> taco.extend_with(Labels(label_classes=[{"name": "water", "category": 1}]))
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
    """`optical:sensor`, `optical:bands` and `optical:num_bands`: the sensor of a dataset and its bands.

    Args:
        sensor: One of SUPPORTED_SENSORS, or some of its bands: ``sentinel2msi[B04, B03, B02]``; any name with `bands`.
            The attributes `sensor` and `bands` then have the name alone, and the bands.
        bands: :class:`SpectralBand` objects, or dicts of their fields, instead of the built-in bands of the sensor.

    Raises:
        TacoSchemaError: Bands without a sensor; without bands an unknown sensor or band.

    Example:
        >>> taco.extend_with(OpticalData(sensor="sentinel2msi[B04, B03, B02]"))
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
    """One work that describes a dataset."""

    doi: str
    citation: str
    summary: str | None = None


class Publications(_OfTaco):
    """`publications`: the works that describe a dataset.

    Args:
        publications: :class:`Publication` objects, or dicts of their fields.

    Example:
        >>> taco.extend_with(Publications(publications=[{"doi": "10.1000/xyz", "citation": "Doe, J. (2024)"}]))
    """

    publications: Sequence[Publication | Mapping[str, Any]]

    def _make(self) -> Any:
        return _core.publications([tuple(_fields(each, Publication).values()) for each in self.publications])


class SplitStrategy(_OfTaco):
    """`split:strategy`: how samples were assigned to splits. Raises TacoSchemaError for another word.

    Args:
        strategy: "random", "stratified", "manual", "other", "none" or "unknown".

    Example:
        >>> taco.extend_with(SplitStrategy(strategy="random"))
    """

    _maker = staticmethod(_core.split_strategy)

    strategy: SplitStrategyType


class RaiStatement(_OfTaco):
    """`rai:*` after the Croissant RAI vocabulary: texts about responsible use of a dataset. Raises TacoSchemaError when
    all texts are missing.

    Example:
        >>> taco.extend_with(RaiStatement(data_biases="Few samples at sea."))
    """

    _maker = staticmethod(_core.rai_statement)

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


def flood_labels() -> Labels:
    """The classes of flood masks: invalid, land, water and cloud, with categories 0 to 3."""
    names = ("invalid", "land", "water", "cloud")
    return Labels(label_classes=[LabelClass(name=name, category=at) for at, name in enumerate(names)])


def check_convention(convention: str, data: Tortilla | Taco | TacoDataset) -> list[str]:
    """Lists, one sentence each, how a dataset breaks a convention; the list is empty when it follows it.

    Args:
        convention: "land-cover", "change", "methane" or "flood".
        data: The `labels:classes` of a Taco and of a TacoDataset are checked too.
    """
    from .._dataset import TacoDataset
    from ..transform import to_taco

    made = to_taco(data) if isinstance(data, TacoDataset) else data
    return list(_core.check_convention(convention, made._core))


def with_stac(tortilla: Tortilla, time_start: Time | None = None, jobs: int = 0) -> Tortilla:
    """A copy of a Tortilla with the STAC columns of all samples, at each level that has CRS, shape, geotransform and
    time as columns, or, with `time_start`, whose FILEs are rasters; only the headers of these are read.

    Args:
        tortilla: Is not changed.
        time_start: The time of all samples at levels without `stac:time_start`.
        jobs: Threads that read; 0: one for each processor.

    Raises:
        TacoSchemaError: As :class:`STAC`, with the id of the sample; also when no level has these columns.
    """
    return _wrapped(_core.with_stac(tortilla._core, time_start, jobs))


def with_istac(tortilla: Tortilla, time_start: Time | None = None, jobs: int = 0) -> Tortilla:
    """The same for :class:`ISTAC`."""
    return _wrapped(_core.with_istac(tortilla._core, time_start, jobs))


def with_geotiff_stats(tortilla: Tortilla, stats: GeotiffStats | None = None, jobs: int = 0) -> Tortilla:
    """The columns of :class:`GeotiffStats` at each level that has TIFFs; null for FOLDERs, padding and other FILEs."""
    stats = stats or GeotiffStats()
    return _wrapped(_core.with_geotiff_stats(tortilla._core, *[*stats._arguments(), jobs]))


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
