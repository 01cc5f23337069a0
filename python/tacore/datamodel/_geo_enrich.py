"""Geographic variables (elevation, climate, soil, population, ...) of samples, from Earth Engine or local layers."""

from __future__ import annotations

import importlib
import struct
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core, _progress
from .._backend import require
from .._errors import TacoSchemaError
from ._columns import columns_of
from ._extension import TortillaExtension

if TYPE_CHECKING:
    from ._tortilla import Tortilla


class _Product(NamedTuple):
    asset: str
    band: str | None = None
    is_collection: bool = False


_SOIL = "OpenLandMap/SOL/SOL_{}_M/v02"
_PRODUCTS = {
    "elevation": _Product("projects/sat-io/open-datasets/GLO-30", is_collection=True),
    "cisi": _Product("projects/sat-io/open-datasets/CISI/global_CISI"),
    "precipitation": _Product("projects/ee-csaybar-real/assets/precipitation"),
    "temperature": _Product("projects/ee-csaybar-real/assets/temperature"),
    "soil_clay": _Product(_SOIL.format("CLAY-WFRACTION_USDA-3A1A1A"), "b0"),
    "soil_sand": _Product(_SOIL.format("SAND-WFRACTION_USDA-3A1A1A"), "b0"),
    "soil_carbon": _Product(_SOIL.format("ORGANIC-CARBON_USDA-6A1C"), "b0"),
    "soil_bulk_density": _Product(_SOIL.format("BULKDENS-FINEEARTH_USDA-4A1H"), "b0"),
    "soil_ph": _Product(_SOIL.format("PH-H2O_USDA-4C1A2A"), "b0"),
    "gdp": _Product("projects/sat-io/open-datasets/GRIDDED_HDI_GDP/total_gdp_perCapita_1990_2022_5arcmin", "PPP_2022"),
    "human_modification": _Product("projects/sat-io/open-datasets/GHM/HM_1990_2020_OVERALL_300M", "constant", True),
    "population": _Product("projects/sat-io/open-datasets/hrsl/hrslpop", is_collection=True),
    "admin_countries": _Product("projects/ee-csaybar-real/assets/admin0"),
    "admin_states": _Product("projects/ee-csaybar-real/assets/admin1"),
    "admin_districts": _Product("projects/ee-csaybar-real/assets/admin2"),
}
_NOWHERE = 65535  # code of water in the admin layers
_WATER = "Ocean/Sea/Lakes"


class GeoEnrich(TortillaExtension):
    """Columns `geoenrich:<variable>`: geographic variables around the centroid of each sample (`stac:centroid`, else
    `istac:centroid`).

    The value is the mean of the variable as float; for `admin_*` it is the name of the most frequent unit. It is null
    where there is no data or no centroid. Values are computed from `layers`, if given, else requested from Google Earth
    Engine by the package `ee` (``pip install earthengine-api``), which must be initialised (``ee.Initialize``).

    Args:
        variables: Variables, some of the fifteen known ones; columns are in their fixed order. None: those of `layers`,
            else all (`admin_*` only with `admin_names`).
        scale_m: Scale of Earth Engine's reducers, or side of the square for layers, in metres; at least 1.
        batch_size: Number of points in a request.
        max_concurrency: Number of requests in flight.
        show_progress: Show a progress bar on stderr.
        admin_names: Names of units by code, for each `admin_*` variable (``{"admin_countries": {0: "Afghanistan",
            ...}}``): a dict, or a table with the columns `admin_code0`, ... and `name`. Earth Engine returns codes
            only.
        layers: Layer of each variable: an object with ``value(crs, geometry)``, `source` and `version`, as for
            :class:`RAI`.

    Raises:
        TacoSchemaError: A variable is unknown, or there are none; when computed, names of `admin_*` are missing, or the
            Tortilla has no column of centroids.
        TacoBackendError: When computed: the package `ee` is not installed.

    Example:
        >>> tortilla.extend_with(GeoEnrich(variables=["elevation", "population"]))
    """

    variables: Sequence[str] | None = None
    scale_m: float = 5120.0
    batch_size: int = 250
    max_concurrency: int = 8
    show_progress: bool = True
    admin_names: Mapping[str, Any] | None = None
    layers: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        self.schema_only = self.return_none = self._is_off()
        known = list(_PRODUCTS)
        invalid = sorted(set(self.variables or ()) - set(known))
        if invalid:
            raise TacoSchemaError(f"Invalid variables: {invalid}\nValid options: {sorted(known)}")
        for name in ("scale_m", "batch_size", "max_concurrency"):
            if not getattr(self, name) >= 1:
                raise TacoSchemaError(f"{name} is {getattr(self, name)}; at least 1 expected")
        there = [name for name in known if not name.startswith("admin_") or name in (self.admin_names or {})]
        there = known if self.layers is not None else there
        default = there if self.layers is None else list(self.layers)
        wanted = default if self.variables is None else self.variables
        self._active = [name for name in known if name in wanted]
        if not self._active:
            raise TacoSchemaError(f"no variables; some of {known} expected")
        self._lacking = [name for name in self._active if name not in there]

    def get_schema(self) -> dict[str, str]:
        """Names and Arrow types of the columns, in order."""
        return {f"geoenrich:{name}": "string" if name.startswith("admin_") else "float" for name in self._active}

    def get_field_descriptions(self) -> dict[str, str]:
        """Source of each variable."""
        if self.layers is not None:
            return {name: text for name, _, text in self._local().schema()}
        return {f"geoenrich:{name}": f"Earth Engine, {_PRODUCTS[name].asset}" for name in self._active}

    def _compute(self, tortilla: Tortilla) -> Any:
        if self.layers is not None:
            return self._local().compute(tortilla._core)
        if self._lacking:
            raise TacoSchemaError(
                f"{', '.join(self._lacking)}: names for Earth Engine's codes are missing in admin_names"
            )
        points = list(_centroids(tortilla))
        batches = list(_batches(points, self.batch_size))
        images = _images({name: _PRODUCTS[name] for name in self._active}, "GeoEnrich without layers")
        show = _progress.bar("Earth Engine", quiet=not self.show_progress)
        columns: dict[str, list[Any]] = {f"geoenrich:{name}": [None] * len(points) for name in self._active}
        with ThreadPoolExecutor(self.max_concurrency) as threads:
            answers = threads.map(lambda batch: _ask(images, batch, self.scale_m), batches)
            for done, (batch, rows) in enumerate(zip(batches, answers), 1):
                for row, values in rows.items():
                    for name in self._active:
                        columns[f"geoenrich:{name}"][row] = self._value(name, values.get(name))
                if show is not None:
                    show(done, len(batches))
        return _core.Columns.of_values(columns)

    def _local(self) -> Any:
        layers = self.layers or {}
        lacking = [name for name in self._active if name not in layers]
        if lacking:
            raise TacoSchemaError(f"no layer for {', '.join(lacking)}")
        return _core.geo_enrich({name: layers[name] for name in self._active}, float(self.scale_m))

    def _value(self, name: str, value: Any) -> Any:
        if value is None or not name.startswith("admin_"):
            return value if value is None else float(value)
        code = round(value)
        if code == _NOWHERE:
            return _WATER
        names = _names((self.admin_names or {})[name], list(_PRODUCTS).index(name) - 12)
        if code not in names:
            raise TacoSchemaError(f"{name}: code {code} has no name in admin_names")
        return names[code]


def _names(given: Any, level: int) -> Mapping[int, str]:
    if isinstance(given, Mapping):
        return given
    columns = columns_of(given, "admin_names")
    return dict(zip(columns.objects(f"admin_code{level}"), columns.objects("name")))


def _images(products: Mapping[str, _Product], what: str) -> list[tuple[str, list[str], Any]]:
    """(name, variables, image with a band for each variable) of each reducer: the mode for `admin*`, else the mean.
    Raises TacoBackendError, which begins with `what`, if the package `ee` is not installed."""
    require("ee", what)
    ee = importlib.import_module("ee")
    out = []
    for reducer in ("mean", "mode"):
        names = [name for name in products if name.startswith("admin") == (reducer == "mode")]
        bands = []
        for name in names:
            asset, band, is_collection = products[name]
            image = ee.ImageCollection(asset).mosaic() if is_collection else ee.Image(asset)
            image = image.unmask(_NOWHERE if reducer == "mode" else 0)
            bands.append((image.select(band) if band else image).rename(name))
        if names:
            out.append((reducer, names, ee.Image.cat(bands)))
    return out


def _ask(images: Any, batch: Sequence[tuple[int, float, float]], scale: float) -> dict[int, dict[str, Any]]:
    """Requests the values of a batch: for each row, a dict by variable."""
    ee = importlib.import_module("ee")
    points = [ee.Feature(ee.Geometry.Point([lon, lat]), {"row": row}) for row, lon, lat in batch]
    out: dict[int, dict[str, Any]] = {row: {} for row, _, _ in batch}
    for reducer, names, image in images:
        reduce = getattr(ee.Reducer, reducer)()
        found = image.reduceRegions(collection=ee.FeatureCollection(points), reducer=reduce, scale=scale).getInfo()
        for feature in found["features"]:
            properties = feature["properties"]
            for position, name in enumerate(names):
                # A single band has the name of the reducer; several have their own, or that name with a number.
                numbered = f"{reducer}_{position}" if position else reducer
                out[properties["row"]][name] = properties.get(name, properties.get(numbered))
    return out


def _centroids(tortilla: Tortilla) -> Iterator[tuple[float, float] | None]:
    names = [name for name, _, _ in tortilla.fields()]
    column = next((name for name in ("stac:centroid", "istac:centroid") if name in names), None)
    if column is None:
        raise TacoSchemaError(
            f"Column 'stac:centroid' not found in tortilla metadata.\nAvailable columns: {names}\n"
            "Ensure samples have STAC extension applied."
        )
    return (_point(wkb) for wkb in tortilla.column(column))


def _point(wkb: bytes | None) -> tuple[float, float] | None:
    if wkb is None or len(wkb) < 21:
        return None
    order = "<" if wkb[0] == 1 else ">"
    (kind,) = struct.unpack_from(order + "I", wkb, 1)
    if kind & 0xFF != 1:
        return None
    lon, lat = struct.unpack_from(order + "dd", wkb, 9 if kind & 0x20000000 else 5)
    return lon, lat


def _batches(points: Sequence[tuple[float, float] | None], size: int) -> Iterator[list[tuple[int, float, float]]]:
    """Batches of (row, longitude, latitude), sorted along a Z-order curve; rows without a centroid are left out."""
    there = [(row, *point) for row, point in enumerate(points) if point is not None]
    there.sort(key=lambda at: _core.zorder(at[1], at[2]))
    for start in range(0, len(there), size):
        yield there[start : start + size]
