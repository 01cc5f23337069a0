"""Metadata for responsible AI from Earth Engine, for samples of 0.x."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from ... import _progress
from ..._errors import TacoSchemaError
from ...datamodel._columns import columns_of
from ...datamodel._geo_enrich import _PRODUCTS, _ask, _images, _Product

_GRIDS = "projects/sat-io/open-datasets/GRIDDED_HDI_GDP/{}_1990_2015_{}v2"
_LAYERS = {
    "ele": _PRODUCTS["elevation"],
    "cisi": _PRODUCTS["cisi"],
    "gdp": _Product(_GRIDS.format("GDP_PPP", "5arcmin_"), "b26"),
    "hdi": _Product(_GRIDS.format("HDI", ""), "b26"),
    "gmi": _Product("projects/sat-io/open-datasets/GHM/ghm_v15_2017_300_60land"),
    "pop": _PRODUCTS["population"],
    "admin0": _PRODUCTS["admin_countries"],
    "admin1": _PRODUCTS["admin_states"],
    "admin2": _PRODUCTS["admin_districts"],
}
_BATCH = 100
#: Metres of a pixel of the administrative layers: 0.005 degrees.
_ADMIN_SCALE = 556.5974539663679


def rai_of(centroids: Mapping[str, str], scale: float, quiet: bool) -> dict[str, dict[str, Any]]:
    """The fields of `RAI` of each sample.

    Args:
        centroids: WKT point of each sample, by id.
        scale: Scale of Earth Engine's mean in metres.
        quiet: Show no progress bar.

    Raises:
        TacoSchemaError: A centroid is not a point.
        ImportError: pytortilla, which contains the names of countries, states and districts, is not installed.
    """
    names = {f"admin{level}": _names(level) for level in range(3)}
    mean, mode = _images(_LAYERS, "include_rai_metadata")
    points = [(row, *_point(*each)) for row, each in enumerate(centroids.items())]
    ids = list(centroids)
    show = _progress.bar("Earth Engine", quiet)
    out = {}
    for start in range(0, len(points), _BATCH):
        batch = points[start : start + _BATCH]
        means, modes = _ask([mean], batch, scale), _ask([mode], batch, _ADMIN_SCALE)
        for row, values in means.items():
            numbers = {name: value or 0 for name, value in values.items()}
            texts = {name: names[name].get(code, "missing") for name, code in modes[row].items()}
            out[ids[row]] = numbers | texts
        if show is not None:
            show(start + len(batch), len(points))
    return out


def _point(id: str, text: str) -> tuple[float, float]:
    found = re.fullmatch(r"POINT *\( *(\S+) +(\S+) *\)", text)
    if not found:
        raise TacoSchemaError(f"sample {id!r}: stac:centroid is {text!r}, POINT (longitude latitude) expected")
    return float(found[1]), float(found[2])


def _names(level: int) -> dict[Any, Any]:
    package = find_spec("pytortilla")
    if package is None or not package.submodule_search_locations:
        raise ImportError(
            "include_rai_metadata needs the names of countries, states and districts, which come with the published package:"
            " pip install --no-deps pytortilla==0.5.0"
        )
    import pyarrow.parquet

    path = os.path.join(package.submodule_search_locations[0], "datamodel", "data", f"rai_admin{level}.parquet")
    columns = columns_of(pyarrow.parquet.read_table(path), path)
    return dict(zip(columns.objects(f"admin_code{level}"), columns.objects("name")))
