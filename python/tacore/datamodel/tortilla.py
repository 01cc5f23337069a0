"""Tortillas and their extensions."""

from typing import Any

from . import _places
from ._builtin import MajorTOM, SpatialGrouping
from ._extension import TortillaExtension
from ._geo_enrich import GeoEnrich
from ._places import compute_z_order, get_geoenrich_products, morton_encode, morton_key, normalize_coords
from ._tortilla import Tortilla

__all__ = [
    "GeoEnrich",
    "MajorTOM",
    "SpatialGrouping",
    "Tortilla",
    "TortillaExtension",
    "compute_z_order",
    "get_geoenrich_products",
    "morton_encode",
    "morton_key",
    "normalize_coords",
]


def __getattr__(name: str) -> Any:
    if name == "PRODUCT_SCHEMA":
        return getattr(_places, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
