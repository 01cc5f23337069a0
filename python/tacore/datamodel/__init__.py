"""Datasets to be written: samples, Tortillas, Tacos, and extensions (specification, 7.1.1 and 7.1.2)."""

from .._aliases import former
from . import sample, taco, tortilla
from ._builtin import (
    check_convention,
    flood_labels,
    optical_bands,
    with_folder_places,
    with_geotiff_stats,
    with_istac,
    with_sha256,
    with_stac,
    with_tiff_index,
)
from .sample import *
from .sample import __all__ as _of_sample
from .taco import *
from .taco import __all__ as _of_taco
from .tortilla import *
from .tortilla import __all__ as _of_tortilla

__all__ = [  # noqa: PLE0604
    "check_convention",
    "flood_labels",
    "optical_bands",
    "sample",
    "taco",
    "tortilla",
    "with_folder_places",
    "with_geotiff_stats",
    "with_istac",
    "with_sha256",
    "with_stac",
    "with_tiff_index",
    *_of_sample,
    *_of_taco,
    *_of_tortilla,
]

__getattr__ = former(__name__, with_header="with_tiff_index")
