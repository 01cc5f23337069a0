"""Coordinate reference systems by pyproj. The C++ library calls this, from any of its threads."""

from __future__ import annotations

import math
import threading
from functools import lru_cache
from typing import Any

from ._errors import TacoSchemaError

try:
    import pyproj
    from pyproj.exceptions import CRSError, ProjError
except ImportError as error:
    raise TacoSchemaError(
        "a coordinate system other than EPSG:4326, EPSG:3857 and the UTM zones of WGS 84, ETRS89, NAD83 and SIRGAS 2000 "
        f"needs pyproj: pip install pyproj ({error})"
    ) from error

_DEGREE = math.radians(1)
_local = threading.local()


def is_geographic(crs: str) -> bool:
    """Whether coordinates are longitudes and latitudes in degrees. Raises TacoSchemaError."""
    known = _crs(crs)
    return known.is_geographic and all(
        abs(axis.unit_conversion_factor - _DEGREE) < 1e-9 for axis in known.axis_info[:2]
    )


def to_wgs84(crs: str, x: float, y: float) -> tuple[float, float]:
    """(longitude, latitude) of a point in degrees; x is always easting or longitude. Raises TacoSchemaError."""
    try:
        lon, lat = _transformer(crs).transform(x, y, errcheck=True)
    except ProjError as error:
        raise TacoSchemaError(f"CRS '{crs}': no longitude and latitude for ({x}, {y}): {error}") from error
    if not (math.isfinite(lon) and math.isfinite(lat)):
        raise TacoSchemaError(f"CRS '{crs}': no longitude and latitude for ({x}, {y})")
    return lon, lat


@lru_cache(maxsize=256)
def _crs(crs: str) -> Any:
    try:
        return pyproj.CRS.from_user_input(crs)
    except CRSError as error:
        raise TacoSchemaError(f"Invalid CRS: '{crs}' is not known: {error}") from error


def _transformer(crs: str) -> Any:
    """The transformer of this thread: a transformer must not be used by several threads."""
    known = _local.__dict__.setdefault("transformers", {})
    if crs not in known:
        if len(known) >= 256:
            known.clear()
        known[crs] = pyproj.Transformer.from_crs(_crs(crs), "EPSG:4326", always_xy=True)
    return known[crs]
