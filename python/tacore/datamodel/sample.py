"""Samples and their extensions."""

from ._builtin import (
    ISTAC,
    RAI,
    STAC,
    Change,
    Flood,
    GeotiffStats,
    Header,
    LandCover,
    Methane,
    Scaling,
    Split,
    Stats,
    TACOTIFFHeader,
)
from ._extension import SampleExtension
from ._places import geometry_centroid, raster_centroid
from ._sample import Sample

__all__ = [
    "ISTAC",
    "RAI",
    "STAC",
    "Change",
    "Flood",
    "GeotiffStats",
    "Header",
    "LandCover",
    "Methane",
    "Sample",
    "SampleExtension",
    "Scaling",
    "Split",
    "Stats",
    "TACOTIFFHeader",
    "geometry_centroid",
    "raster_centroid",
]
