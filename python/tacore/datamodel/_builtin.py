"""Built-in extensions (specification, 5.3), with the names of the published writers."""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

from .. import _core
from .._errors import TacoSchemaError, checked
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
    """Base class of STAC and ISTAC, which compute the attributes `centroid` and `time_middle` if they are not given."""

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
    """Columns `stac:*`: footprint and time of a sample on a regular grid (`stac:crs`, `stac:tensor_shape`,
    `stac:geotransform`, `stac:time_start`, `stac:centroid`, `stac:time_end`, `stac:time_middle`).

    EPSG:4326, EPSG:3857 and the UTM zones of WGS 84, ETRS89, NAD83 (from zone 6 on) and SIRGAS 2000 are built in; every
    other CRS needs pyproj.

    Args:
        crs: Coordinate reference system: a code (``EPSG:32630``), WKT, PROJ string or PROJJSON.
        tensor_shape: Shape of the array in pixels, at least two sizes; the last two are rows and columns.
        geotransform: Affine map from pixels to the CRS, six numbers in GDAL's order.
        time_start: Start of acquisition: microseconds since 1970 (UTC), a datetime (naive: UTC), a date, a NumPy
            datetime64, or text in RFC 3339.
        centroid: WKB Point of longitude and latitude; None: the centre of the grid, which the attribute then has.
        time_end: End of acquisition, not before the start.
        time_middle: Middle of acquisition; None: halfway between start and end, if there is an end. The attribute then
            has this value, in the form of `time_start`.
        sample_id: Id of the sample, for error messages.

    Raises:
        TacoSchemaError: The CRS is unknown, or the shape, a time or the geotransform is invalid.

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
        """Makes the extension from CRS, shape and geotransform of a raster file; `more` are the other fields. Raises
        the errors of :func:`tacore.raster.open_raster`, and TacoSchemaError if the raster has no CRS or
        geotransform."""
        crs, shape, geotransform = _core.raster_stac(os.fspath(path))
        return cls(crs=crs, tensor_shape=shape, geotransform=geotransform, time_start=time_start, **more)


class ISTAC(_OfPlace):
    """Columns `istac:*`: footprint and time of a sample without a regular grid (`istac:crs`, `istac:geometry`,
    `istac:time_start`, `istac:time_end`, `istac:time_middle`, `istac:centroid`).

    Args:
        crs: Coordinate reference system, as for :class:`STAC`.
        geometry: Footprint as WKB in `crs`, not empty.
        time_start: Start of acquisition, as for :class:`STAC`.
        time_end: End of acquisition, not before the start.
        time_middle: Middle of acquisition; None: halfway between start and end, if there is an end.
        centroid: WKB Point of longitude and latitude; None: the planar centroid of the geometry.
        check_antimeridian: In a geographic CRS, take the shorter way between two longitudes: an edge from 179 to -179
            then crosses the antimeridian.
        sample_id: Id of the sample, for error messages.

    Raises:
        TacoSchemaError: The CRS is unknown, or the geometry or a time is invalid.

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
        """Makes the extension from the footprint of a raster file in EPSG:4326, and its centre. Raises the errors of
        :meth:`STAC.from_file`."""
        crs, geometry, centroid = _core.raster_istac(os.fspath(path))
        return cls(crs=crs, geometry=geometry, centroid=centroid, time_start=time_start, **more)


class GeotiffStats(_OfSample):
    """Column `geotiff:stats` of a GeoTIFF: for each band the exact min, max, mean, std, valid %, p25, p50, p75 and p95
    of its valid pixels, scaled by `scaling:*` of the sample; for a categorical band the share of each class.

    Args:
        categorical: True: pixel values are classes.
        class_values: The possible classes, in the order of the shares.
        approx: True: read the pixels only once, which makes percentiles approximate.
        histograms: True: also compute the column `geotiff:histogram`.

    Raises:
        TacoSchemaError: Only one of `categorical` and `class_values` is given; when computed, also if the sample is a
            FOLDER or not a GeoTIFF.

    Example:
        >>> sample.extend_with(GeotiffStats(categorical=True, class_values=[0, 1, 2]))
    """

    _maker = staticmethod(_core.geotiff_stats)

    categorical: bool = False
    class_values: Sequence[int] | None = None
    approx: bool = False
    histograms: bool = False


class Stats(_OfSample):
    """Columns `stats:mean`, `stats:min`, `stats:max` and `stats:std` of TACO 0.2.0: a number for each band of a
    GeoTIFF.

    Example:
        >>> sample.extend_with(Stats())
    """

    _maker = staticmethod(_core.stats)


class Scaling(_OfSample):
    """Columns `scaling:*`: physical value = stored value * scale_factor + scale_offset.

    Args:
        scale_factor: Factor: one number for all bands, or one for each band; not 0.
        scale_offset: Offset: one number for all bands, or one for each band.
        padding: Pixels of padding: top, right, bottom, left.

    Raises:
        TacoSchemaError: A factor is 0, or `padding` does not have four numbers.

    Example:
        >>> sample.extend_with(Scaling(scale_factor=0.0001, scale_offset=-0.1))  # Sentinel-2 reflectance
    """

    _maker = staticmethod(_core.scaling)

    scale_factor: float | Sequence[float] | None = None
    scale_offset: float | Sequence[float] | None = None
    padding: Sequence[int] | None = None


class Split(_OfSample):
    """Column `split`: the use of a sample in training. Raises TacoSchemaError for any other word.

    Args:
        split: "train", "test" or "validation".

    Example:
        >>> sample.extend_with(Split(split="train"))
    """

    _maker = staticmethod(_core.split)

    split: SplitName


class Header(_OfSample):
    """Column `taco:header`: the TIFF index of a TacoTIFF (byte ranges of its tiles), so that a reader requests only
    pixels. When computed, raises TacoSchemaError, with all reasons, if the sample is not a TacoTIFF.

    Example:
        >>> sample.extend_with(Header())
    """

    _maker = staticmethod(_core.header)


TACOTIFFHeader = Header


class RAI(_OfSample):
    """Columns `rai:*`, for responsible AI: elevation, population, countries, ... over the footprint of a sample (from
    its STAC or ISTAC columns).

    Args:
        layers: Layers by name: elevation, cisi, gdp, hdi, gmi, pop, admin0, admin1, admin2; any may be missing. A layer
            is an object with ``value(crs, geometry)`` (the mean over a footprint in WKB, or the name that covers the
            largest part of it; None without data), `source` and `version`.

    Raises:
        TacoSchemaError: A name is unknown; when computed, the sample has no footprint, or a value has the wrong type.

    Example:
        >>> sample.extend_with(RAI(layers={"elevation": my_elevation_layer}))
    """

    layers: Mapping[str, Any]

    def _make(self) -> Any:
        return _core.rai(dict(self.layers))


class LandCover(_OfSample):
    """Column `landcover:fractions`: the share of each class in the valid pixels of a sample; their sum is 1.

    Example:
        >>> sample.extend_with(LandCover(fractions=[0.25, 0.75]))
    """

    _maker = staticmethod(_core.land_cover)

    fractions: Sequence[float] | None = None


class Change(_OfSample):
    """Columns `change:time_before` and `change:time_after`: acquisition times of the earlier and the later image of a
    pair.

    Example:
        >>> sample.extend_with(Change(time_before="2023-02-01", time_after="2023-02-11"))
    """

    _maker = staticmethod(_core.change)

    time_before: Time
    time_after: Time


class Methane(_OfSample):
    """Columns `methane:*` and `plume:geometry`: a methane plume, or its absence. Flux rates are in kg/h, wind is in m/s
    to the east (u) and to the north (v), the geometry is WKB.

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
    """Columns `flood:*`: a flood event. Fractions are shares of the pixels, 0 to 1.

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
    """Column `majortom:code`: the cell of the Major TOM grid that contains the centroid of each sample
    (`stac:centroid`, else `istac:centroid`); null without a centroid. The grid is computed, and needs no memory.

    Args:
        dist_km: Least distance between grid points in km, more than 0.
        latitude_range: Range of latitudes in degrees; rows of the grid outside of it are left out.
        longitude_range: Range of longitudes in degrees; columns of the grid outside of it are left out.
        sep: Text between the parts of a code.
        R_EQUATOR_KM: Radius of the globe in km.

    Raises:
        TacoSchemaError: The distance or a range gives no grid; when computed, the Tortilla has no column of centroids.

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
        self._grid = checked(_core.MajorTomGrid)(*self._arguments())
        return super()._make()

    def latlon2rowcol(self, lats: Any, lons: Any, return_idx: bool = False, integer: bool = False) -> Any:
        """Grid cells of points.

        Args:
            lats: Latitude in degrees, or a sequence of latitudes.
            lons: Longitude in degrees, or a sequence of longitudes.
            return_idx: Also return the positions of rows and columns in the grid, from 0.
            integer: Return numbers, counted from the equator and Greenwich, instead of labels.

        Returns:
            Row and column as labels (``0054U``, ``0001R``) or numbers, and with `return_idx` their positions; for
            sequences, a list of each.
        """
        if not hasattr(lats, "__len__"):
            return self._rowcol(lats, lons, return_idx, integer)
        if len(lats) != len(lons):
            raise TacoSchemaError(f"{len(lats)} latitudes and {len(lons)} longitudes; one for each expected")
        found = [self._rowcol(lat, lon, return_idx, integer) for lat, lon in zip(lats, lons)]
        return tuple(list(part) for part in zip(*found)) if found else ([],) * (4 if return_idx else 2)

    def rowcol2latlon(self, rows: Any, cols: Any) -> Any:
        """Latitudes and longitudes in degrees of the anchors (south-western corners) of cells, by labels or numbers.
        Raises TacoSchemaError for a cell that is not in the grid."""
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
    """Column `spatialgroup:code`: groups of neighbouring samples, ``sg0000``, ``sg0001``, ..., formed by sorting their
    centroids along a Z-order curve. At least one of the two limits is required.

    Args:
        target_count: Maximal number of samples in a group.
        target_size: Maximal number of bytes in a group: ``4GB``, ``512MiB``, or a number.

    Raises:
        TacoSchemaError: No limit is given, or a limit is not positive; when computed, the Tortilla has no centroids.

    Example:
        >>> tortilla = tortilla.extend_with(SpatialGrouping(target_count=1000))
    """

    target_count: int | None = None
    target_size: str | int | None = None

    def _make(self) -> Any:
        return _core.spatial_grouping(self.target_count, None if self.target_size is None else str(self.target_size))


@dataclasses.dataclass(kw_only=True)
class LabelClass:
    """A class of labels. `category` is its value in the label rasters; it is stored as text."""

    name: str
    category: str | int
    description: str | None = None


class Labels(_OfTaco):
    """Keys `labels:classes`, `labels:description` and `labels:num_classes`: the classes of the labels of a dataset.

    Args:
        label_classes: Classes: :class:`LabelClass` objects, or dicts of their fields.
        label_description: Description of the labels as a whole.

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
    """A band of an optical sensor; wavelengths are in nm."""

    name: str
    index: int | None = None
    common_name: str | None = None
    description: str | None = None
    unit: str | None = None
    center_wavelength: float | None = None
    full_width_half_max: float | None = None


SUPPORTED_SENSORS: tuple[str, ...] = tuple(_core.optical_sensors())


def optical_bands(sensor: str) -> list[SpectralBand]:
    """Lists the bands of a sensor of SUPPORTED_SENSORS, in order. Raises TacoSchemaError for other sensors."""
    names = [field.name for field in dataclasses.fields(SpectralBand)]
    return [SpectralBand(**dict(zip(names, band))) for band in _core.optical_bands(sensor)]


class OpticalData(_OfTaco):
    """Keys `optical:sensor`, `optical:bands` and `optical:num_bands`: the sensor of a dataset and its bands.

    Args:
        sensor: Name of a sensor: one of SUPPORTED_SENSORS, also with some of its bands (``sentinel2msi[B04, B03,
            B02]``), or any name together with `bands`. The attribute `sensor` is then the name alone, and `bands` the
            list of bands.
        bands: :class:`SpectralBand` objects, or dicts of their fields, instead of the built-in bands of the sensor.

    Raises:
        TacoSchemaError: `bands` is given without `sensor`; or the sensor or a band is unknown.

    Example:
        >>> taco.extend_with(OpticalData(sensor="sentinel2msi[B04, B03, B02]"))
    """

    sensor: str | None = None
    bands: Sequence[SpectralBand | Mapping[str, Any]] | None = None

    def _make(self) -> Any:
        bands = [_fields(each, SpectralBand) for each in self.bands or ()]
        made = _core.optical_data(self.sensor or "", [tuple(band.values()) for band in bands])
        if self.sensor and not bands:  # the attributes get the name and the bands
            self.sensor, _, some = (part.strip() for part in self.sensor.partition("["))
            known = {band.name: band for band in optical_bands(self.sensor)}
            names = [name.strip() for name in some.rstrip("] ").split(",")] if some else list(known)
            self.bands = [known[name] for name in names]
        return made


@dataclasses.dataclass(kw_only=True)
class Publication:
    """A publication that describes a dataset."""

    doi: str
    citation: str
    summary: str | None = None


class Publications(_OfTaco):
    """Key `publications`: the publications that describe a dataset.

    Args:
        publications: :class:`Publication` objects, or dicts of their fields.

    Example:
        >>> taco.extend_with(Publications(publications=[{"doi": "10.1000/xyz", "citation": "Doe, J. (2024)"}]))
    """

    publications: Sequence[Publication | Mapping[str, Any]]

    def _make(self) -> Any:
        return _core.publications([tuple(_fields(each, Publication).values()) for each in self.publications])


class SplitStrategy(_OfTaco):
    """Key `split:strategy`: how samples were assigned to splits. Raises TacoSchemaError for any other word.

    Args:
        strategy: "random", "stratified", "manual", "other", "none" or "unknown".

    Example:
        >>> taco.extend_with(SplitStrategy(strategy="random"))
    """

    _maker = staticmethod(_core.split_strategy)

    strategy: SplitStrategyType


class RaiStatement(_OfTaco):
    """Keys `rai:*` of the Croissant RAI vocabulary: texts about the responsible use of a dataset. Raises
    TacoSchemaError if all texts are missing.

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
    """Returns the classes of flood masks: invalid, land, water and cloud, with categories 0 to 3."""
    names = ("invalid", "land", "water", "cloud")
    return Labels(label_classes=[LabelClass(name=name, category=at) for at, name in enumerate(names)])


def check_convention(convention: str, data: Tortilla | Taco | TacoDataset) -> list[str]:
    """Checks whether a dataset follows a convention. Returns one sentence for each fault, none if it follows it.

    Args:
        convention: "land-cover", "change", "methane" or "flood".
        data: Tortilla, Taco or TacoDataset; of the last two, `labels:classes` is checked, too.
    """
    from .._dataset import TacoDataset
    from ..transform import to_taco

    made = to_taco(data) if isinstance(data, TacoDataset) else data
    return list(_core.check_convention(convention, made._core))


def with_sha256(tortilla: Tortilla, jobs: int = 0) -> Tortilla:
    """Returns a copy of a Tortilla with the column `taco:sha256` at each level: the SHA-256 of the data of each FILE,
    and of the hashes of its children for a FOLDER. :func:`tacore.verify` finds damage by it.

    Args:
        tortilla: Samples, whose data are read; the Tortilla does not change.
        jobs: Number of threads; 0 means one for each processor.

    Raises:
        TacoSchemaError: A level has the column already.

    Example:
        >>> tortilla = with_sha256(Tortilla.from_folder("chips"))
    """
    return _wrapped(_core.with_sha256(tortilla._core, jobs))


def with_stac(tortilla: Tortilla, time_start: Time | None = None, jobs: int = 0) -> Tortilla:
    """Returns a copy of a Tortilla with the STAC columns of all samples.

    They are added at each level that has CRS, shape, geotransform and time as columns; with `time_start` also at levels
    whose FILEs are rasters, of which only the headers are read.

    Args:
        tortilla: Samples; the Tortilla does not change.
        time_start: Acquisition time of all samples at levels without the column `stac:time_start`.
        jobs: Number of threads that read; 0 means one for each processor.

    Raises:
        TacoSchemaError: As for :class:`STAC`, with the id of the sample; also if no level has these columns.

    Example:
        >>> tortilla = with_stac(Tortilla.from_folder("chips"), "2024-06-01")
    """
    return _wrapped(_core.with_stac(tortilla._core, time_start, jobs))


def with_istac(tortilla: Tortilla, time_start: Time | None = None, jobs: int = 0) -> Tortilla:
    """Returns a copy of a Tortilla with the columns of :class:`ISTAC`. Arguments and errors are those of
    :func:`with_stac`."""
    return _wrapped(_core.with_istac(tortilla._core, time_start, jobs))


def with_folder_places(tortilla: Tortilla) -> Tortilla:
    """Returns a copy of a Tortilla in which FOLDERs without place and time get those of their children, so that filters
    and maps of their level find them, as ``taco create`` does.

    The place is the footprint of the children where they agree, else the smallest box that contains them (`istac:crs`,
    `istac:geometry`); the time is from the first start to the last end (`istac:time_start`, `istac:time_end`). Levels that
    have such columns keep them.

    Args:
        tortilla: Samples whose children have places, for example from :func:`with_stac`; the Tortilla does not change.

    Raises:
        TacoFormatError: A geometry is not valid WKB.

    Example:
        >>> tortilla = with_folder_places(with_stac(Tortilla.from_folder("tiles"), "2024-06-01"))
    """
    return _wrapped(_core.with_folder_places(tortilla._core))


def with_geotiff_stats(tortilla: Tortilla, stats: GeotiffStats | None = None, jobs: int = 0) -> Tortilla:
    """Returns a copy of a Tortilla with the columns of :class:`GeotiffStats` at each level that has TIFFs; values are
    null for FOLDERs, padding and other FILEs.

    Args:
        tortilla: Samples; the Tortilla does not change.
        stats: Options of the statistics; None: the default ones.
        jobs: Number of threads; 0 means one for each processor.
    """
    stats = stats or GeotiffStats()
    return _wrapped(_core.with_geotiff_stats(tortilla._core, *[*stats._arguments(), jobs]))


def with_tiff_index(tortilla: Tortilla, skip_others: bool = False, jobs: int = 0) -> Tortilla:
    """Returns a copy of a Tortilla with the column of :class:`Header` at each level that has TIFFs.

    Args:
        tortilla: Samples; the Tortilla does not change.
        skip_others: True: the value is null for a TIFF that is not a TacoTIFF; False: TacoSchemaError is raised.
        jobs: Number of threads; 0 means one for each processor.
    """
    return _wrapped(_core.with_tiff_index(tortilla._core, skip_others, jobs))


def _microseconds(time: Any) -> int:
    """Microseconds since 1970 of a datetime; a naive one is UTC."""
    epoch = dt.datetime(1970, 1, 1, tzinfo=time.tzinfo)
    return int((time - epoch) / dt.timedelta(microseconds=1))


def _fields(given: Any, cls: Any) -> dict[str, Any]:
    """The fields of a dataclass `cls`, in order, from an instance, a dict or a model."""
    found = _plain(given)
    if not isinstance(found, Mapping):
        raise TypeError(f"a {cls.__name__} or a dict of its fields is expected, not {type(given).__name__}")
    return dataclasses.asdict(cls(**found))
