"""Geometries of datasets and frames: GeoJSON for `__geo_interface__`, GeoArrow for streams, GeoPandas."""

from __future__ import annotations

import base64
import datetime as dt
import importlib.util
import json
import math
import re
import struct
from typing import TYPE_CHECKING, Any

from . import _core
from ._backend import require
from ._errors import TacoFormatError, TacoQueryError, TacoSchemaError

if TYPE_CHECKING:
    import geopandas

    from ._dataframe import TacoDataFrame
    from ._dataset import TacoDataset

GEOMETRIES = ("istac:geometry", "stac:centroid", "istac:centroid")
#: The CRS of centroids, and of geometries whose CRS is not stated.
_WGS84 = "EPSG:4326"
_NAMES = ("Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection")
_MAX_NESTING = 32

GeoJson = dict[str, Any]


def dataset_feature(dataset: TacoDataset) -> GeoJson:
    bounds = dataset.extent.get("spatial")
    feature: GeoJson = {"type": "Feature", "id": dataset.id, "geometry": None}
    try:
        west, south, east, north = (float(bound) for bound in bounds)  # type: ignore[union-attr]
    except (TypeError, ValueError):
        pass
    else:
        feature["bbox"] = [west, south, east, north]
        feature["geometry"] = box(west, south, east, north)
    said: dict[str, Any] = {"title": dataset.title, "description": dataset.description, "version": dataset.version}
    said |= {"tasks": dataset.tasks, "temporal": dataset.extent.get("temporal")}
    feature["properties"] = {name: _plain(value) for name, value in said.items()}
    return feature


def frame_features(frame: TacoDataFrame) -> GeoJson:
    shown = frame.columns
    column = next((name for name in GEOMETRIES if name in shown), None)
    if column is None:
        raise AttributeError(f"__geo_interface__: the frame has none of the columns {', '.join(GEOMETRIES)}")
    return {"type": "FeatureCollection", "features": [_feature(row, column) for row in frame]}


def footprints(frame: TacoDataFrame) -> list[bytes | None]:
    """WKB of the footprint of each row in EPSG:4326, computed as descriptions do; None for a row without a location."""
    found: list[bytes | None] = _core.footprints(frame._core, importlib.util.find_spec("pyproj") is not None)
    return found


def geoarrow_stream(frame: TacoDataFrame, rows: Any) -> Any:
    """An Arrow C stream of `rows`, which are those of `frame`, whose columns of WKB are marked as geometries."""
    metadata, shown = {}, frame.columns
    for name in GEOMETRIES:
        if name in shown:
            crs = _crs(frame, name)
            is_code = crs is not None and re.fullmatch(r"\w+:\w+", crs)
            metadata[name] = json.dumps(
                {**({"crs": crs} if crs else {}), **({"crs_type": "authority_code"} if is_code else {})}
            )
    return _core.geoarrow_stream(rows, metadata) if metadata else rows.__arrow_c_stream__()


def geodataframe(frame: TacoDataFrame, column: str | None) -> geopandas.GeoDataFrame:
    require("geopandas", "to_geopandas()")
    import geopandas

    shown = frame.columns
    name = column or next((each for each in GEOMETRIES if each in shown), None)
    if name is None:
        raise TacoSchemaError(
            f"to_geopandas: the frame has none of the columns {', '.join(GEOMETRIES)}, its columns are "
            f'{", ".join(shown)}; name a column of geometries, or geometry="footprint" for the outlines of grids'
        )
    table = frame.to_pandas()
    crs: str | None = _WGS84
    if name == "footprint" and name not in shown:
        values: list[Any] = footprints(frame)
        if not any(values):
            raise TacoSchemaError("to_geopandas: no row has a location, of which a footprint could be made")
    elif name in shown:
        values, crs = list(table[name]), _crs(frame, name)
    else:
        raise TacoQueryError(
            f'to_geopandas: there is no column {name!r}; geometry is a column of {", ".join(shown)}, or "footprint"'
        )
    if crs is None:
        raise TacoSchemaError(
            'to_geopandas: the geometries of the rows have different CRS (istac:crs); geometry="footprint" has all in '
            "EPSG:4326"
        )
    shapes = geopandas.GeoSeries(_shapes(values, name), index=table.index, crs=crs).to_crs(_WGS84)
    return geopandas.GeoDataFrame(table.assign(**{name: shapes}), geometry=name)


def _crs(frame: TacoDataFrame, column: str) -> str | None:
    """The CRS of a column of geometries; None if it differs between rows."""
    if column != "istac:geometry" or "istac:crs" not in (name for name, _ in frame._core.columns):
        return _WGS84
    stated = "lower(coalesce(\"istac:crs\", ''))"
    if not len(frame._core.filter(f"{stated} NOT IN ('', 'epsg:4326', 'ogc:crs84')").limit(1)):
        return _WGS84
    found = {row["istac:crs"] for row in _core.rows(frame._core.select(["istac:crs"]))}
    return found.pop() if len(found) == 1 else None


def _shapes(values: list[Any], column: str) -> list[Any]:
    import shapely

    try:
        wkb = [None if _is_null(value) else bytes(value) for value in values]
        return list(shapely.from_wkb(wkb))
    except (TypeError, ValueError, shapely.errors.ShapelyError):  # text, lists, or a value that the message names
        pass
    out = []
    for row, value in enumerate(values):
        try:
            found = geometry(value)
            if found is None and isinstance(value, (bool, int, float)) and not _is_null(value):
                raise TacoFormatError(
                    f"{value!r} is a number, where WKB, a WKT point or [longitude, latitude] is expected"
                )
        except TacoFormatError as error:
            raise TacoFormatError(f"to_geopandas: row {row}, column {column!r}: {error}") from None
        out.append(None if found is None else shapely.geometry.shape(found))
    return out


def _is_null(value: Any) -> bool:
    return value is None or value != value


def box(west: float, south: float, east: float, north: float) -> GeoJson:
    """The polygon of a box; a MultiPolygon of two if it crosses the antimeridian (RFC 7946, 3.1.9)."""
    if west <= east:
        return {"type": "Polygon", "coordinates": [_ring(west, south, east, north)]}
    rings = [_ring(west, south, 180.0, north), _ring(-180.0, south, east, north)]
    return {"type": "MultiPolygon", "coordinates": [[ring] for ring in rings]}


def _ring(west: float, south: float, east: float, north: float) -> list[list[float]]:
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def _feature(row: dict[str, Any], column: str) -> GeoJson:
    feature: GeoJson = {"type": "Feature"}
    if "id" in row:
        feature["id"] = row["id"]
    feature["geometry"] = geometry(row[column])
    feature["properties"] = {
        name: _plain(value)
        for name, value in row.items()
        if name not in ("id", column) and (not name.startswith("internal:") or name == "internal:gdal_vsi")
    }
    return feature


def geometry(value: Any) -> GeoJson | None:
    """A geometry as GeoJSON, from WKB or EWKB, or a point as WKT or ``[lon, lat]``; None for null and an empty point.

    Raises:
        TacoFormatError: The value is not a geometry.
    """
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _Wkb(bytes(value)).read()
    if isinstance(value, str):
        return _wkt_point(value)
    if isinstance(value, (list, tuple)) or type(value).__name__ == "ndarray":
        return _point([float(each) for each in value])
    return None  # null, which is a number in pandas


def _point(numbers: list[float]) -> GeoJson | None:
    if len(numbers) < 2:
        return None
    return None if math.isnan(numbers[0]) else {"type": "Point", "coordinates": numbers[:3]}


def _wkt_point(text: str) -> GeoJson | None:
    found = re.fullmatch(r"\s*(?:SRID=\d+;)?\s*POINT\s*(Z|M|ZM)?\s*(?:EMPTY|\(([^()]*)\))\s*", text, re.IGNORECASE)
    try:
        numbers = [float(each) for each in (found[2] or "").split()]  # type: ignore[index]
    except (TypeError, ValueError):
        raise TacoFormatError(f"a point (WKT) is expected, not {text[:40]!r}") from None
    return _point(numbers[:2] if (found and (found[1] or "").upper() == "M") else numbers)


class _Wkb:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def read(self) -> GeoJson | None:
        found = self._geometry(0)
        if found["type"] == "Point":
            return _point(found["coordinates"])
        return found

    def _geometry(self, nesting: int) -> GeoJson:
        order = self._take("<B")
        if order > 1 or nesting > _MAX_NESTING:
            where = f"at byte {self._at - 1}, nested {nesting} deep"
            raise TacoFormatError(f"WKB: byte order {order} (0 or 1 expected) {where}")
        endian = "><"[order]
        code = self._take(endian + "I")
        if code & 0x20000000:
            self._take(endian + "I")  # SRID
        kind, more = (code & 0x0FFFFFFF) % 1000, (code & 0x0FFFFFFF) // 1000
        if not 1 <= kind <= len(_NAMES) or more > 3:
            raise TacoFormatError(f"WKB: unknown geometry type {code} at byte {self._at - 4}")
        has_z = bool(code & 0x80000000) or more in (1, 3)
        has_m = bool(code & 0x40000000) or more in (2, 3)
        dimensions = 2 + has_z + has_m
        name = _NAMES[kind - 1]
        if name == "GeometryCollection":
            parts = [self._geometry(nesting + 1) for _ in range(self._count(endian, 5))]
            return {"type": name, "geometries": [part for part in parts if part.get("coordinates") != []]}
        return {"type": name, "coordinates": self._coordinates(kind, endian, dimensions, 2 + has_z, nesting)}

    def _coordinates(self, kind: int, endian: str, dimensions: int, kept: int, nesting: int) -> list[Any]:
        if kind == 1:
            numbers = self._positions(1, endian, dimensions, kept)[0]
            return [] if math.isnan(numbers[0]) else numbers
        if kind == 2:
            return self._positions(self._count(endian, 8 * dimensions), endian, dimensions, kept)
        if kind == 3:
            return [self._coordinates(2, endian, dimensions, kept, nesting) for _ in range(self._count(endian, 4))]
        parts = [self._geometry(nesting + 1) for _ in range(self._count(endian, 5))]
        if any(part["type"] != _NAMES[kind - 4] for part in parts):
            raise TacoFormatError(f"WKB: a {_NAMES[kind - 1]} has parts of another type")
        return [part["coordinates"] for part in parts if part["coordinates"]]

    def _positions(self, count: int, endian: str, dimensions: int, kept: int) -> list[list[float]]:
        size = count * dimensions
        try:
            numbers = struct.unpack_from(f"{endian}{size}d", self._data, self._at)
        except struct.error:
            raise self._short() from None
        self._at += 8 * size
        return [list(numbers[at : at + kept]) for at in range(0, size, dimensions)]

    def _count(self, endian: str, least: int) -> int:
        """Reads the number of parts that follow; each has at least `least` bytes."""
        count = int(self._take(endian + "I"))
        if count * least > len(self._data) - self._at:
            raise self._short()
        return count

    def _take(self, format: str) -> int:
        try:
            (value,) = struct.unpack_from(format, self._data, self._at)
        except struct.error:
            raise self._short() from None
        self._at += struct.calcsize(format)
        return int(value)

    def _short(self) -> TacoFormatError:
        return TacoFormatError(f"WKB: {len(self._data)} bytes end in the middle of a geometry")


def _plain(value: Any) -> Any:
    """A value as JSON can express it."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (dt.datetime, dt.date, dt.time)):
        text = value.isoformat().replace("+00:00", "Z")
        return None if text == "NaT" else text
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if hasattr(value, "tolist"):  # NumPy
        return _plain(value.tolist())
    return str(value)
