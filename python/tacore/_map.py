"""Maps of the samples of a frame: interactive by folium or lonboard, static by matplotlib."""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._backend import require
from ._errors import TacoQueryError, TacoSchemaError
from ._geo import footprints, geometry
from ._html import cell, escaped

if TYPE_CHECKING:
    from ._dataframe import TacoDataFrame

#: More footprints than these are drawn as clusters of centres, which browsers can still move.
_FOOTPRINTS = 2000
_COARSE = 4  # degrees of longitude of a map on which the outline of the land can be used
_COLUMNS = 12  # of a popup, by default
_BLUE = "#1f77b4"


def draw_map(frame: TacoDataFrame, columns: Sequence[str] | None, library: str | None, ax: Any) -> Any:
    if library is None:
        library = "folium" if ax is None and importlib.util.find_spec("folium") is not None else "matplotlib"
    if library not in _LIBRARIES:
        raise TacoQueryError(f"map: unknown library {library!r}; one of {', '.join(_LIBRARIES)} is expected")
    if ax is not None and library != "matplotlib":
        raise TacoQueryError(f'map: ax= is for library="matplotlib"; {library} draws no axes')
    require(library, "map()")
    shown = frame.columns
    if columns is not None and (isinstance(columns, str) or not isinstance(columns, Iterable)):
        raise TacoQueryError(f'map: columns is {columns!r}; a list of names such as ["split"] is expected')
    for name in columns or ():
        if name not in shown:
            raise TacoQueryError(f"map: there is no column {name!r}; the columns are {', '.join(shown)}")
    shapes = [None if wkb is None else geometry(wkb) for wkb in footprints(frame)]
    if not any(shapes):
        raise TacoSchemaError(
            "map: no row has a location (istac:geometry, stac:centroid, istac:centroid, or a grid of stac:crs, "
            "stac:geotransform and stac:tensor_shape); children may have one: rows.read(0).map()"
        )
    return _LIBRARIES[library](frame, list(columns) if columns is not None else None, shapes, ax)


def _folium(frame: TacoDataFrame, columns: list[str] | None, shapes: list[Any], ax: Any) -> Any:
    import folium
    from folium.plugins import FastMarkerCluster

    names = _popup_columns(frame) if columns is None else [*_id(frame), *(name for name in columns if name != "id")]
    rows = [(shape, row) for shape, row in zip(shapes, frame) if shape is not None]
    boxes = [_bounds(shape) for shape, _ in rows]
    drawn = folium.Map(prefer_canvas=True)
    if len(rows) <= _FOOTPRINTS:
        features = [
            {"type": "Feature", "geometry": shape, "properties": {name: _popup_text(row.get(name)) for name in names}}
            for shape, row in rows
        ]
        folium.GeoJson(
            {"type": "FeatureCollection", "features": features},
            marker=folium.CircleMarker(radius=5, weight=1),
            style_function=lambda _: {"color": _BLUE, "weight": 1, "fillOpacity": 0.2},
            highlight_function=lambda _: {"weight": 3, "fillOpacity": 0.4},
            popup=folium.GeoJsonPopup(names, [escaped(name) for name in names], max_width=500) if names else None,
            tooltip=folium.GeoJsonTooltip(names[:1], labels=False) if names else None,
        ).add_to(drawn)
    else:
        points = [[*_middle(shape)[::-1], *(_popup_text(row.get(name)) for name in names)] for shape, row in rows]
        popup = _POPUP % json.dumps([escaped(name) for name in names])
        FastMarkerCluster(points, callback=popup).add_to(drawn)  # type: ignore[no-untyped-call, unused-ignore]
    west, south = (min(box[side] for box in boxes) for side in (0, 1))
    east, north = (max(box[side] for box in boxes) for side in (2, 3))
    drawn.fit_bounds([[south, west], [north, east]])
    return drawn


#: A marker of the cluster; its popup is made when it is opened.
_POPUP = """function (row) {
  const names = %s;
  const text = () => names.map((name, i) => `<b>${name}</b>: ${row[i + 2]}`).join("<br>");
  return L.marker(L.latLng(row[0], row[1])).bindPopup(text, {maxWidth: 500});
};"""


def _lonboard(frame: TacoDataFrame, columns: list[str] | None, shapes: list[Any], ax: Any) -> Any:
    import lonboard

    names = _popup_columns(frame) if columns is None else columns
    table = frame.to_geopandas("footprint")
    is_drawn = table.geometry.notna() & (table.geom_type != "GeometryCollection")  # which lonboard refuses
    return lonboard.viz(table[[*names, table.geometry.name]][is_drawn])


def _matplotlib(frame: TacoDataFrame, columns: list[str] | None, shapes: list[Any], ax: Any) -> Any:
    from matplotlib import pyplot
    from matplotlib.collections import PolyCollection

    if ax is None:
        ax = pyplot.subplots(layout="constrained")[1]
    boxes = [_bounds(shape) for shape in shapes if shape is not None]
    west, south, east, north = (end(box[side] for box in boxes) for side, end in enumerate((min, min, max, max)))
    margin = max((east - west) * 0.1, (north - south) * 0.1, 0.02)
    middle = (west + east) / 2, (south + north) / 2
    if east - west + 2 * margin > _COARSE:
        _draw_land(ax)
    else:  # the outline is too coarse for a closer look: where that is on the globe
        globe = ax.inset_axes((0.7, 0.02, 0.28, 0.14))
        _draw_land(globe)
        globe.set(xlim=(-180, 180), ylim=(-90, 90), xticks=[], yticks=[])
        globe.plot(*middle, marker="o", markersize=4, color="#d62728")
    rings = [ring for shape in shapes if shape is not None for ring in _outer_rings(shape)]
    area = PolyCollection(rings, facecolor=(0.12, 0.47, 0.71, 0.25), edgecolor=_BLUE, linewidth=0.8)
    ax.add_collection(area, autolim=False)
    # The footprint of a chip is less than a pixel of a map of the world, so each has a dot, too.
    middles = [_middle(shape) for shape in shapes if shape is not None]
    ax.scatter(*zip(*middles), s=20 if len(middles) < 200 else 3, color=_BLUE, alpha=0.6, linewidth=0)
    ax.set_xlim(max(west - margin, min(west, -180)), min(east + margin, max(east, 180)))
    ax.set_ylim(max(south - margin, -90), min(north + margin, 90))
    ax.set_aspect(1 / max(0.2, math.cos(math.radians(middle[1]))))  # a degree of longitude as long as it is there
    ax.set_xlabel("longitude (degrees)")
    ax.set_ylabel("latitude (degrees)")
    ax.ticklabel_format(useOffset=False, style="plain")
    ax.locator_params(axis="x", nbins=5)
    without = len(shapes) - len(boxes)
    ax.set_title(f"{len(boxes):,} samples" + (f", {without:,} without a location" if without else ""))
    return ax


def _draw_land(ax: Any) -> None:
    from matplotlib.collections import PolyCollection

    land = PolyCollection(_core.land_outline(), facecolor="#e8e6df", edgecolor="#b5b1a4", linewidth=0.5, zorder=0)
    ax.add_collection(land, autolim=False)


_LIBRARIES: dict[str, Callable[..., Any]] = {"folium": _folium, "lonboard": _lonboard, "matplotlib": _matplotlib}


def _id(frame: TacoDataFrame) -> list[str]:
    return ["id"] if "id" in frame.columns else []


def _popup_columns(frame: TacoDataFrame) -> list[str]:
    """The id and the first columns that a popup can show: neither bytes nor lists, nor the columns of navigation."""
    types = dict(frame._core.columns)
    plain = [
        name
        for name in frame.columns
        if not name.startswith("internal:") and name != "id"
        and not types.get(name, "").startswith(("binary", "large_", "list", "struct"))
    ]  # fmt: skip
    return [*_id(frame), *plain][:_COLUMNS]


def _popup_text(value: Any) -> str:
    return cell(f"{value:.6g}" if isinstance(value, float) else value)


def _positions(shape: dict[str, Any]) -> list[Any]:
    """The positions of a geometry, of whatever nesting."""
    if shape["type"] == "GeometryCollection":
        return [position for part in shape["geometries"] for position in _positions(part)]
    flat = [shape["coordinates"]]
    while flat and isinstance(flat[0][0], list):
        flat = [each for part in flat for each in part]
    return flat


def _bounds(shape: dict[str, Any]) -> tuple[float, float, float, float]:
    x, y = zip(*(position[:2] for position in _positions(shape)))
    return min(x), min(y), max(x), max(y)


def _middle(shape: dict[str, Any]) -> tuple[float, float]:
    """The centre of the bounds; of several polygons of the first one, as they may be the parts of a footprint that is
    cut at the antimeridian."""
    if shape["type"] == "MultiPolygon":
        shape = {"type": "Polygon", "coordinates": shape["coordinates"][0]}
    west, south, east, north = _bounds(shape)
    return (west + east) / 2, (south + north) / 2


def _outer_rings(shape: dict[str, Any]) -> list[Any]:
    if shape["type"] == "Polygon":
        return [[position[:2] for position in shape["coordinates"][0]]]
    if shape["type"] == "MultiPolygon":
        return [[position[:2] for position in polygon[0]] for polygon in shape["coordinates"]]
    return []
