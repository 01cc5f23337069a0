"""Tortillas and their extensions."""

from ._builtin import MajorTOM, SpatialGrouping
from ._extension import TortillaExtension
from ._geo_enrich import GeoEnrich
from ._tortilla import Tortilla

__all__ = ["GeoEnrich", "MajorTOM", "SpatialGrouping", "Tortilla", "TortillaExtension"]
