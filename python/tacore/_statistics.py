"""Aggregated statistics from the statistics that samples store (specification of June 2025, section 8.3)."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

from ._errors import TacoQueryError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Values = float | npt.NDArray[np.float32] | list[float]

Bands = SupportsIndex | Sequence[SupportsIndex] | None


class Statistics:
    """Statistics of many samples, aggregated from stored statistics: methods of datasets and frames.

    Bands count from 0 in these methods, as in the published package; everywhere else in tacore they count from 1:
    `dataset.stats_mean(band=3)` is the mean of band 4.

    For each band `geotiff:stats` stores either min, max, mean, std, valid % and percentiles (continuous) or the share
    of each class (categorical). TACO 0.2.0 stores `stats:*` without percentiles, which are then NaN. The weight of a
    sample is its number of valid pixels: `stac:tensor_shape`, else the size of its TIFF, times valid %.
    :func:`tacore.raster.stored_summary` returns all statistics together, and marks approximate ones.

    Args:
        band: Band, counted from 0: the result is a number. For several bands the result is an array of float32 in their
            order (a list if NumPy is not installed), and for None that of all bands.
        level: Level of the rows; only for datasets.
        id: Below level 0: id of the samples whose children are aggregated.

    Raises:
        TacoQueryError: There are no statistics; a band or level does not exist; samples differ in their number of bands
            or in kind (continuous, categorical); the statistic does not exist for that kind; `id` is missing below
            level 0.
    """

    __slots__ = ()

    def _statistics_core(self) -> Any:
        raise NotImplementedError

    def _aggregate(self, which: str, band: Bands, level: SupportsIndex, id: str | None) -> Values:
        single, bands = _bands(band)
        core = self._statistics_core()
        level = small(level, "Level")

        def ask(of: list[int]) -> Any:
            if which == "categorical":
                return core.categorical(of, level, id or "")
            return core.statistics(which, of, level, id or "")

        try:
            values = ask([each + 1 for each in bands])
        except TacoQueryError:
            _check_range(bands, len(ask([])))  # in the numbers of the caller
            raise
        if single and which != "categorical":
            return _number(values[0])
        found: Values = _float32(values[0] if single else values)
        return found

    def stats_mean(self, band: Bands = None, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Bands count from 0. Mean, weighted by the number of valid pixels."""
        return self._aggregate("mean", band, level, id)

    def stats_std(self, band: Bands = None, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Bands count from 0. Standard deviation of all pixels together (of the population)."""
        return self._aggregate("std", band, level, id)

    def stats_min(self, band: Bands = None, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Bands count from 0. Smallest value."""
        return self._aggregate("min", band, level, id)

    def stats_max(self, band: Bands = None, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Bands count from 0. Largest value."""
        return self._aggregate("max", band, level, id)

    def stats_p25(self, band: Bands = None, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Bands count from 0. Mean of the 25th percentiles of the samples: an approximation."""
        return self._aggregate("p25", band, level, id)

    def stats_p50(self, band: Bands = None, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Bands count from 0. Mean of the medians of the samples: an approximation."""
        return self._aggregate("p50", band, level, id)

    def stats_median(self, band: Bands = None, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Bands count from 0. Mean of the medians of the samples, as :meth:`stats_p50`: an approximation."""
        return self._aggregate("p50", band, level, id)

    def stats_p75(self, band: Bands = None, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Bands count from 0. Mean of the 75th percentiles of the samples: an approximation."""
        return self._aggregate("p75", band, level, id)

    def stats_p95(self, band: Bands = None, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Bands count from 0. Mean of the 95th percentiles of the samples: an approximation."""
        return self._aggregate("p95", band, level, id)

    def stats_categorical(self, band: Bands = None, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Bands count from 0. Share of each class, 0 to 1, weighted by the number of pixels: shape (classes,), for
        several bands (bands, classes)."""
        return self._aggregate("categorical", band, level, id)


def small(number: SupportsIndex, what: str) -> int:
    """A level or band as an int. Raises TacoQueryError if it is beyond 32 bits, TypeError if it is not an integer."""
    try:
        value = operator.index(number)
    except TypeError:
        raise TypeError(f"{what.lower()} is {number!r}; an integer is expected") from None
    if not -(2**31) <= value < 2**31 - 1:
        raise TacoQueryError(f"{what} {value} does not exist")
    return value


def _check_range(bands: list[int], count: int) -> None:
    for band in bands:
        if not 0 <= band < count:
            raise TacoQueryError(f"Band {band} out of range [0, {count - 1}]: bands of stats_* count from 0") from None


def _bands(band: Bands) -> tuple[bool, list[int]]:
    """Whether a single band is requested, and the list of bands; empty: all."""
    if band is None:
        return False, []
    if not isinstance(band, Iterable):
        return True, [small(band, "Band")]
    bands = [small(each, "Band") for each in band]
    if not bands:
        raise TacoQueryError("band is an empty list; use None for all bands")
    return False, bands


def _number(value: float) -> float:
    """A float; where NumPy is installed one of NumPy, which has `item()` as the published package's has."""
    try:
        import numpy as np
    except ImportError:
        return value
    return np.float64(value)


def _float32(values: Any) -> Values:
    try:
        import numpy as np
    except ImportError:
        return values  # type: ignore[no-any-return]
    return np.asarray(values, dtype=np.float32)
