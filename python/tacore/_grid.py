"""Pixels of several rasters on one grid."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from ._backend import require
from ._errors import TacoFormatError
from .raster import Raster, open_raster

if TYPE_CHECKING:
    from ._dataframe import TacoDataFrame
    from .loader import Input

Geotransform = tuple[float, float, float, float, float, float]
Window = tuple[int, int, int, int]

#: Pixels that differ by less than this share of their width are the same: STAC and TIFF round in different ways.
TOLERANCE = 0.01
# Pixels around a window that resampling needs.
_MARGIN = 2


class Grid(NamedTuple):
    """Pixels in a coordinate reference system."""

    crs: str
    """Coordinate reference system: "EPSG:32719" or WKT."""
    geotransform: Geotransform
    """Affine map from pixel corners to the CRS, in GDAL's order, as in :class:`tacore.raster.Georeference`."""
    width: int
    height: int

    @property
    def corners(self) -> list[tuple[float, float]]:
        """(x, y) of the four corners, in order around the grid."""
        ends = ((0, 0), (self.width, 0), (self.width, self.height), (0, self.height))
        return [self.to_crs(column, row) for column, row in ends]

    def to_crs(self, column: float, row: float) -> tuple[float, float]:
        """(x, y) of a position in pixels, (0, 0) is the upper left corner."""
        x, width, skew_x, y, skew_y, height = self.geotransform
        return x + column * width + row * skew_x, y + column * skew_y + row * height

    def to_pixels(self, x: float, y: float) -> tuple[float, float]:
        """(column, row) in pixels of a point: the inverse of :meth:`to_crs`."""
        left, width, skew_x, top, skew_y, height = self.geotransform
        area = width * height - skew_x * skew_y
        x, y = x - left, y - top
        return (x * height - y * skew_x) / area, (y * width - x * skew_y) / area

    def cut(self, window: Window) -> Grid:
        """The grid of a window (x, y, width, height) of this one."""
        x, y = self.to_crs(window[0], window[1])
        _, width, skew_x, _, skew_y, height = self.geotransform
        return Grid(self.crs, (x, width, skew_x, y, skew_y, height), window[2], window[3])


def raster_at(rows: TacoDataFrame, position: int, path: str) -> Raster:
    """Opens the raster of a sample: the sample itself, or the FILE of this path of ids below it."""
    return open_raster(rows.read(position), path) if path else open_raster(rows, position)


def grid_of(raster: Raster, stored: Grid | None = None) -> Grid:
    """The grid of a raster; `stored`, that of its sample, has what the file itself does not say.

    Raises:
        TacoFormatError: Neither has a CRS and a geotransform.
    """
    crs, geotransform = raster.georeference
    _, height, width = raster.shape
    if stored is not None and (stored.width, stored.height) == (width, height):
        crs, geotransform = crs or stored.crs, geotransform or stored.geotransform
    if not crs or geotransform is None:
        raise TacoFormatError(
            f"{raster.name}: has no {'geotransform' if crs else 'CRS'}, so its place on the ground is unknown; a TIFF "
            "with georeference, or the columns stac:crs, stac:geotransform and stac:tensor_shape are expected"
        )
    return Grid(crs, geotransform, width, height)


def read_mosaic(rasters: Iterable[tuple[Raster, Grid]], each: Input, grid: Grid, resampling: str) -> Any:
    """Reads rasters as one array on a grid.

    Where several rasters have a value, that of the first is taken. Rasters whose pixels are those of the grid are
    copied; others are resampled, which needs rasterio.

    Args:
        rasters: The rasters and their grids.
        each: Bands, scale and fill; not its window.
        grid: Grid of the result, without rotation.
        resampling: "nearest" or "bilinear".

    Returns:
        A numpy.ndarray of type float64 and shape (bands, height, width), NaN where no raster has a value.
    """
    import numpy

    out = None
    for raster, source in rasters:
        if out is None:
            asked: Any = each.bands
            bands = raster.shape[0] if asked is None else numpy.size(asked)
            out = numpy.full((bands, grid.height, grid.width), numpy.nan)
        shift = _shift(source, grid)
        window = _window(source, grid, _MARGIN if shift is None else 0)
        if window is None:
            continue
        pixels = raster.read(each.bands, window, "float64", each.scale, math.nan)
        if shift is None:
            pixels, at = _resampled(pixels, source.cut(window), grid, resampling), out
        else:
            x, y = shift[0] + window[0], shift[1] + window[1]
            at = out[:, y : y + window[3], x : x + window[2]]
        numpy.copyto(at, pixels, where=numpy.isnan(at))
    return out


def _shift(source: Grid, grid: Grid) -> tuple[int, int] | None:
    """(x, y) in `grid` of the upper left corner of a raster with the same pixels; None if it has others."""
    if source.crs != grid.crs:
        return None
    corners = [grid.to_pixels(x, y) for x, y in source.corners]
    x, y = round(corners[0][0]), round(corners[0][1])
    expected = [(x, y), (x + source.width, y), (x + source.width, y + source.height), (x, y + source.height)]
    differ = (abs(a - b) for found, same in zip(corners, expected) for a, b in zip(found, same))
    return (x, y) if max(differ) <= TOLERANCE else None


def _window(source: Grid, grid: Grid, margin: int) -> Window | None:
    """The window of a raster that covers a grid, and a margin; None if they have no pixel in common."""
    corners = [source.to_pixels(x, y) for x, y in _corners_in(grid, source.crs)]
    bounds = []
    for positions, length in zip(zip(*corners), (source.width, source.height)):
        low, high = min(positions) + TOLERANCE, max(positions) - TOLERANCE
        if high <= 0 or low >= length:
            return None
        first = math.floor(max(low - margin, 0))
        bounds.append((first, math.ceil(min(high + margin, length)) - first))
    (x, width), (y, height) = bounds
    return x, y, width, height


def _corners_in(grid: Grid, crs: str) -> list[tuple[float, float]]:
    if grid.crs == crs:
        return grid.corners
    require("rasterio", "pixels in another coordinate reference system")
    from rasterio.warp import transform_bounds

    xs, ys = zip(*grid.corners)
    west, south, east, north = transform_bounds(grid.crs, crs, min(xs), min(ys), max(xs), max(ys))
    return [(west, north), (east, north), (east, south), (west, south)]


def _resampled(pixels: Any, part: Grid, grid: Grid, resampling: str) -> Any:
    require("rasterio", "pixels on another grid")
    import numpy
    from rasterio.enums import Resampling
    from rasterio.transform import Affine
    from rasterio.warp import reproject

    out = numpy.full((len(pixels), grid.height, grid.width), numpy.nan)
    reproject(
        pixels, out,
        src_transform=Affine.from_gdal(*part.geotransform), src_crs=part.crs, src_nodata=math.nan,
        dst_transform=Affine.from_gdal(*grid.geotransform), dst_crs=grid.crs, dst_nodata=math.nan,
        resampling=Resampling[resampling],
    )  # fmt: skip
    return out
