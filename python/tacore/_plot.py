"""Plots of samples with matplotlib."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _core, raster
from ._backend import require
from ._dataframe import TacoDataFrame
from ._errors import TacoError, TacoQueryError

require("matplotlib", "plot()")

import matplotlib
import numpy
from matplotlib.colors import BoundaryNorm, ListedColormap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .raster import Bands, Raster

_SAMPLES = 9  # that are plotted by default
_PANELS = 64
_PANEL = 3.0  # inches
#: A raster of one band of uint8 with no more different values is categorical.
_CLASSES = 20
_PIXELS = 1 << 26  # of a band that is read whole to find classes


def plot_raster(
    opened: Raster, bands: Bands, size: int, ax: Axes | None, categorical: bool | None, title: str | None
) -> Axes:
    if ax is None:
        ax = _subplots(1, 1)[1][0]
    extent, where = _place(opened)
    numbers = raster._bands(bands)
    may_be = opened.dtype == "uint8" if categorical is None else categorical
    classes = _classes(opened, numbers, size) if may_be else None
    if classes is None and categorical:
        raise TacoQueryError(
            f"plot: categorical=True needs one band of integers with at most {_CLASSES} different values; "
            f"{opened.name} has {opened.info.bands} bands of {opened.dtype}: choose one by bands=, or leave categorical "
            "out"
        )
    if classes is None:
        pixels = raster.preview(opened, bands=bands, size=size)
        grey = pixels.shape[2] < 3
        if pixels.shape[2] == 2:  # grey and alpha
            pixels = pixels[:, :, [0, 0, 0, 1]]
        ax.imshow(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels, cmap="gray" if grey else None, vmin=0, vmax=255,
                  extent=extent)  # fmt: skip
    else:
        pixels, values = classes
        _draw_classes(ax, pixels, values, extent)
    ax.set_title(opened.name.rpartition("/")[2] if title is None else title)
    ax.set_xlabel(where[0])
    ax.set_ylabel(where[1])
    ax.ticklabel_format(useOffset=False, style="plain")
    ax.locator_params(axis="x", nbins=5)  # coordinates have up to seven digits
    return ax


def plot_rows(
    frame: TacoDataFrame, key: Any, child: str, bands: Bands, size: int, ax: Axes | None, categorical: bool | None
) -> Axes | Figure:
    is_one = isinstance(key, str) or (key is not None and not hasattr(key, "__len__"))
    keys = [key] if is_one else list(range(min(len(frame), _SAMPLES)) if key is None else key)
    if not keys:
        raise TacoQueryError("plot: there are no samples to plot")
    if len(keys) > _PANELS:
        raise TacoQueryError(f"plot: {len(keys)} samples are too many for a figure, which has at most {_PANELS} panels")
    rows = [_panels(frame, each, child) for each in keys]
    panels = [panel for row in rows for panel in row]
    if is_one and len(panels) == 1:
        opened, title = panels[0]
        return plot_raster(opened, bands, size, ax, categorical, title)
    if ax is not None:
        raise TacoQueryError(f"plot: ax= takes one raster, and {len(panels)} are plotted; name one by its path of ids")
    if len(panels) > _PANELS:
        raise TacoQueryError(
            f"plot: {len(panels)} rasters are too many for a figure, which has at most {_PANELS} panels"
        )
    columns = max(len(row) for row in rows)
    if columns == 1:
        columns = math.ceil(math.sqrt(len(panels)))
        rows = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    figure, axes = _subplots(len(rows), columns)
    for each in axes:
        each.set_axis_off()
    for number, row in enumerate(rows):
        for panel, (opened, title) in zip(axes[number * columns :], row):
            has_bands = opened.shape[0] >= max(raster._bands(bands), default=0)  # a mask has fewer than the image
            may_be = None if categorical and opened.shape[0] > 1 else categorical
            plot_raster(opened, bands if has_bands else None, size, panel, may_be, title)
    return figure


def _subplots(rows: int, columns: int) -> tuple[Figure, list[Axes]]:
    from matplotlib import pyplot

    size = (_PANEL * columns, _PANEL * rows) if rows * columns > 1 else None
    figure, axes = pyplot.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    return figure, list(axes.flat)


def _panels(frame: TacoDataFrame, key: Any, child: str) -> list[tuple[Raster, str]]:
    """(raster, title) of a sample: of a FOLDER those of its FILEs."""
    if not isinstance(child, str):
        raise TypeError(f"plot: child is {child!r}; a path of ids below each sample is expected")
    name = key if isinstance(key, str) else str(frame._core.text(frame._position(key), "id") or key)
    found = frame.read(key)
    if child:
        if not isinstance(found, TacoDataFrame):
            raise TacoQueryError(f"plot: {name} is a FILE and has no child {child!r}; leave out child=")
        frame, key, name = found, child, f"{name}/{child}"
        found = frame.read(key)
    if not isinstance(found, TacoDataFrame):
        return [(raster.open_raster(frame, key), name)]
    out, failure = [], None
    for position, row in enumerate(_core.rows(found._core.select(["id", "type"]))):
        try:
            if row["type"] == "FILE":
                out.append((raster.open_raster(found, position), f"{name}/{row['id']}"))
        except TacoError as error:  # a FOLDER may have other files beside rasters
            failure = error
    if not out:
        raise failure or TacoQueryError(f"plot: {name} has no FILEs; name a raster by its path of ids, or by child=")
    return out


def _place(opened: Raster) -> tuple[tuple[float, float, float, float] | None, tuple[str, str]]:
    """(left, right, bottom, top) of a raster in its CRS, and the labels of the axes; pixels if they are unknown."""
    crs, transform = opened.georeference
    _, height, width = opened.shape
    if transform is None or transform[2] != 0 or transform[4] != 0:
        return None, ("column (pixels)", "row (pixels)")
    x, pixel_width, _, y, _, pixel_height = transform
    extent = (x, x + width * pixel_width, y + height * pixel_height, y)
    if crs == "EPSG:4326":
        return extent, ("longitude (degrees)", "latitude (degrees)")
    shown = crs if 0 < len(crs) < 20 else "the CRS of the raster"
    return extent, (f"x ({shown})", f"y ({shown})")


def _classes(opened: Raster, bands: Sequence[int], size: int) -> tuple[Any, Any] | None:
    """Pixels of a categorical raster, with a mask for no data, and their different values; None for another raster."""
    count, height, width = opened.shape
    if len(bands or range(count)) != 1 or "int" not in opened.dtype or height * width > _PIXELS:
        return None
    pixels = opened.read(bands or 1)[0]
    valid = numpy.ones(pixels.shape, bool) if opened.info.nodata is None else pixels != opened.info.nodata
    values = numpy.unique(pixels[valid])
    if not 0 < len(values) <= _CLASSES:
        return None
    step = max(1, math.ceil(max(height, width) / size))  # nearest neighbours: the mean of two classes is none
    return numpy.ma.masked_array(pixels, ~valid)[::step, ::step], values


def _draw_classes(ax: Axes, pixels: Any, values: Any, extent: Any) -> None:
    """Draws each class in a colour, which the colour bar names."""
    tab20: Any = matplotlib.colormaps["tab20"]
    pairs = tab20.colors
    palette = [*pairs[0::2], *pairs[1::2]]
    # The colour of a value is the same in all rasters, if there is one for each.
    is_small = values[0] >= 0 and values[-1] < len(palette)
    colours = [palette[value] for value in (values if is_small else range(len(values)))]
    edges = numpy.arange(len(values) + 1) - 0.5
    ranks = numpy.ma.masked_array(numpy.searchsorted(values, pixels.filled(values[0])), pixels.mask)
    image = ax.imshow(ranks, cmap=ListedColormap(colours), norm=BoundaryNorm(edges, len(values)), extent=extent,
                      interpolation="nearest")  # fmt: skip
    bar = ax.figure.colorbar(image, ax=ax, ticks=range(len(values)), shrink=0.8)
    bar.set_ticklabels([str(value) for value in values])
