"""Pixels of a raster on a grid of other pixels, which starts at the same corner.

Pixels are areas: pixel i of an axis reaches from i to i + 1, and its centre is i + 0.5. With `step` pixels of the
raster for each pixel of the grid, the centre of pixel i of the grid is at (i + 0.5) * step in the raster.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

from ._errors import TacoQueryError

# A difference of positions, in pixels, that comes from rounding.
_EPSILON = 1e-6
# A pixel whose neighbours with a value have a smaller weight in all has none.
_MIN_WEIGHT = 1e-6


class Axis(NamedTuple):
    """The part of a batch, along one axis, that has pixels of a sample."""

    step: float
    """Number of pixels of the raster for each pixel of the batch."""
    first: int
    """First pixel of the grid that is taken."""
    length: int
    """Number of pixels that are taken."""
    before: int
    """Number of pixels of padding before them."""


def fit_axis(length: int, size: int, fit: str, step: float, share: float | None) -> Axis:
    """Fits one axis of a raster into a batch.

    Args:
        length: Length of the raster in pixels.
        size: Length of the batch in pixels.
        fit: "crop", "pad" or "resample".
        step: Number of pixels of the raster for each pixel of the batch; not for "resample".
        share: Position of a random crop, from 0 to less than 1; None: the middle.

    Raises:
        TacoQueryError: The raster is shorter than the batch, and is to be cropped.
    """
    if fit == "resample":
        return Axis(length / size, 0, size, 0)
    found = length if step == 1 else max(1, math.floor(length / step + _EPSILON))
    if found >= size:
        spare = found - size
        return Axis(step, spare // 2 if share is None else int(share * (spare + 1)), size, 0)
    if fit == "crop":
        raise TacoQueryError(
            f"has {found} pixels along an axis, and {size} are wanted; "
            'fit="pad" fills the rest, fit="resample" enlarges the sample'
        )
    return Axis(step, 0, found, (size - found) // 2)


class Taps(NamedTuple):
    """The pixels of a raster, along one axis, of which resampling computes the pixels of a batch."""

    first: int
    """First pixel of the raster that is used."""
    length: int
    """Number of pixels that are used."""
    index: Any
    """Array of shape (taps, pixels of the batch): pixels of the raster, counted from `first`."""
    weight: Any
    """Weights of these pixels, of shape (taps, pixels of the batch), float32, with a sum of 1."""


@lru_cache(maxsize=512)
def nearest(length: int, axis: Axis) -> Taps:
    """The pixel of the raster that has the centre of each pixel of the batch; of two, the second."""
    import numpy

    centres = (axis.first + numpy.arange(axis.length) + 0.5) * axis.step
    index = numpy.minimum(numpy.floor(centres + _EPSILON).astype("int64"), length - 1)
    return _taps(index[None], numpy.ones((1, axis.length)))


@lru_cache(maxsize=512)
def bilinear(length: int, axis: Axis) -> Taps:
    """Weights that decrease linearly with the distance from the centre: to 0 at the next pixel of the raster or, where
    the pixels of the batch are larger, of the batch, so that all pixels of the raster count. Beyond the edge there are
    no pixels, and the others have the whole weight."""
    import numpy

    radius = max(axis.step, 1.0)
    centres = (axis.first + numpy.arange(axis.length) + 0.5) * axis.step
    index = numpy.floor(centres - radius + 0.5).astype("int64") + numpy.arange(math.ceil(2 * radius) + 1)[:, None]
    weight = numpy.maximum(0, 1 - numpy.abs(index + 0.5 - centres) / radius)
    weight[(index < 0) | (index >= length)] = 0
    is_used = (weight > 0).any(axis=1)
    index, weight = numpy.clip(index[is_used], 0, length - 1), weight[is_used]
    return _taps(index, weight / weight.sum(axis=0))


def _taps(index: Any, weight: Any) -> Taps:
    first = int(index.min())
    return Taps(first, int(index.max()) + 1 - first, index - first, weight.astype("float32"))


def select(pixels: Any, rows: Taps, columns: Taps) -> Any:
    """Pixels by the taps of :func:`nearest`: an array of shape (bands, rows, columns) of the same type."""
    return pixels.take(rows.index[0], 1).take(columns.index[0], 2)


def blend(pixels: Any, rows: Taps, columns: Taps) -> Any:
    """Pixels by the taps of :func:`bilinear`.

    Args:
        pixels: Array of float32 of shape (bands, rows, columns), NaN for no data, as which infinite
            numbers count, too.

    Returns:
        An array of float32. Pixels without data have no weight; NaN where there are no others.
    """
    import numpy

    is_valid = numpy.isfinite(pixels)
    if is_valid.all():
        return _weighted(_weighted(pixels, rows, 1), columns, 2)
    total = _weighted(_weighted(numpy.where(is_valid, pixels, numpy.float32(0)), rows, 1), columns, 2)
    weight = _weighted(_weighted(is_valid.astype("float32"), rows, 1), columns, 2)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        return numpy.where(weight > _MIN_WEIGHT, total / weight, numpy.float32(numpy.nan))


def _weighted(pixels: Any, taps: Taps, axis: int) -> Any:
    out = None
    for index, weight in zip(taps.index, taps.weight):
        part = pixels.take(index, axis)
        part *= weight[:, None] if axis == 1 else weight
        if out is None:
            out = part
        else:
            out += part
    return out
