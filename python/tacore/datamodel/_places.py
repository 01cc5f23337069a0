"""Functions of places that modules of the published writer have beside their extensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from .._errors import TacoSchemaError
from ._builtin import ISTAC, STAC
from ._geo_enrich import _PRODUCTS


def raster_centroid(
    crs: str, geotransform: Sequence[float], raster_shape: Sequence[int], sample_id: str | None = None
) -> bytes:
    """Returns the centre of a regular grid as WKB Point of longitude and latitude, in degrees (WGS 84).

    Args:
        crs: Coordinate reference system, as for :class:`STAC`.
        geotransform: Affine map from pixels to the CRS, six numbers in GDAL's order.
        raster_shape: Rows and columns of the grid.
        sample_id: Id of the sample, for error messages.

    Raises:
        TacoSchemaError: The CRS is unknown, or the shape or the geotransform is invalid; it is a ValueError.

    Example:
        >>> raster_centroid("EPSG:32630", (500000, 10, 0, 4400000, 0, -10), (256, 256))
    """
    stac = STAC(crs=crs, geotransform=geotransform, tensor_shape=raster_shape, time_start=0, sample_id=sample_id)
    assert stac.centroid is not None
    return stac.centroid


def geometry_centroid(
    crs: str, geometry: bytes, check_antimeridian: bool = False, sample_id: str | None = None
) -> bytes:
    """Returns the planar centroid of a geometry as WKB Point of longitude and latitude, in degrees (WGS 84).

    Args:
        crs: Coordinate reference system of the geometry, as for :class:`STAC`.
        geometry: The geometry as WKB, not empty.
        check_antimeridian: In a geographic CRS, take the shorter way between two longitudes.
        sample_id: Id of the sample, for error messages.

    Raises:
        TacoSchemaError: The CRS is unknown, or the geometry is invalid or empty; it is a ValueError.

    Example:
        >>> geometry_centroid("EPSG:4326", shapely.box(0, 40, 1, 41).wkb)
    """
    istac = ISTAC(crs=crs, geometry=geometry, time_start=0, check_antimeridian=check_antimeridian, sample_id=sample_id)
    assert istac.centroid is not None
    return istac.centroid


def normalize_coords(lon: float, lat: float) -> tuple[float, float]:
    """Returns longitude and latitude (degrees) as numbers from 0 to 1: of -180 to 180, and of -90 to 90."""
    return (lon + 180) / 360, (lat + 90) / 180


def morton_encode(x: float, y: float) -> int:
    """Returns the place of a point, 0 to 1 in both directions, on the Z-order curve by which :class:`SpatialGrouping` sorts."""
    return _core.zorder(x * 360 - 180, y * 180 - 90)


def compute_z_order(lon: float, lat: float) -> int:
    """Returns the place of a point, in degrees, on the Z-order curve by which :class:`SpatialGrouping` sorts."""
    return _core.zorder(lon, lat)


def morton_key(lon: float, lat: float, bits: int = 24) -> int:
    """Returns the place of a point on a Z-order curve.

    Args:
        lon: Longitude in degrees.
        lat: Latitude in degrees.
        bits: Bits of each coordinate, 1 to 32: the key has twice as many.

    Raises:
        TacoSchemaError: `bits` is out of range, or a coordinate is.
    """
    if not 1 <= bits <= 32:
        raise TacoSchemaError(f"bits is {bits}; 1 to 32 expected")
    x, y = normalize_coords(lon, lat)
    if not (0 <= x <= 1 and 0 <= y <= 1):
        raise TacoSchemaError(f"the point {lon}, {lat} is not on the globe: -180 to 180, -90 to 90 expected")
    most = (1 << bits) - 1
    column, row = int(x * most), int(y * most)
    return sum((column >> bit & 1) << 2 * bit | (row >> bit & 1) << 2 * bit + 1 for bit in range(bits))


def get_geoenrich_products() -> list[dict[str, Any]]:
    """Returns the variables of :class:`GeoEnrich`: for each its `name`, the `asset` of Earth Engine, the `band`, which is None for
    the only one, and whether the asset `is_collection`."""
    return [{"name": name, **product._asdict()} for name, product in _PRODUCTS.items()]


def __getattr__(name: str) -> Any:
    if name == "PRODUCT_SCHEMA":  # types of pyarrow, which may not be installed
        import pyarrow

        return {each: pyarrow.string() if each.startswith("admin_") else pyarrow.float32() for each in _PRODUCTS}
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
