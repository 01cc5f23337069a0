"""Aggregations of the statistics that samples store (specification of June 2025, section 8.3)."""

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
    """Statistics of many samples, from what the samples store: the methods that datasets and frames share.

    Bands count from 0 in these methods, as in the published package; everywhere else in tacore they count from 1:
    `dataset.stats_mean(band=3)` is of band 4.

    Samples store for each band in `geotiff:stats` either min, max, mean, std, valid % and percentiles (continuous) or
    the share of each class (categorical), in TACO 0.2.0 `stats:*` without percentiles: these are NaN then. A sample
    weighs as many pixels as are valid: `stac:tensor_shape`, else the size of its TIFF, times valid %.
    :func:`tacore.raster.stored_summary` gives all statistics at once, and marks those that are approximate.

    Args:
        band: One band, counted from 0, gives a number. Several give float32 values in their order (a list where NumPy
            is not installed), and None gives all bands.
        level: Level of the rows; only datasets have levels.
        id: At a level below the root: the id of the samples whose children are aggregated.

    Raises:
        TacoQueryError: No statistics, a band out of range, samples that disagree in bands or kind, the wrong kind, a
            level that does not exist, no `id` below the root.
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
            return float(values[0])
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
        """Bands count from 0. The same as :meth:`stats_p50`."""
        return self._aggregate("p50", band, level, id)

    def stats_p75(self, band: Bands = None, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Bands count from 0. Mean of the 75th percentiles of the samples: an approximation."""
        return self._aggregate("p75", band, level, id)

    def stats_p95(self, band: Bands = None, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Bands count from 0. Mean of the 95th percentiles of the samples: an approximation."""
        return self._aggregate("p95", band, level, id)

    def stats_categorical(self, band: Bands = None, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Bands count from 0. Share of each class, weighted by the number of pixels: shape (classes,), and of
        several bands (bands, classes)."""
        return self._aggregate("categorical", band, level, id)


def small(number: SupportsIndex, what: str) -> int:
    """A number that may be a level or a band. Raises TacoQueryError for one that cannot be."""
    value = operator.index(number)
    if not -(2**31) <= value < 2**31 - 1:
        raise TacoQueryError(f"{what} {value} does not exist")
    return value


def _check_range(bands: list[int], count: int) -> None:
    for band in bands:
        if not 0 <= band < count:
            raise TacoQueryError(f"Band {band} out of range [0, {count - 1}]: bands of stats_* count from 0") from None


def _bands(band: Bands) -> tuple[bool, list[int]]:
    """Whether it is one, and its number or theirs; no number stands for all."""
    if band is None:
        return False, []
    if not isinstance(band, Iterable):
        return True, [small(band, "Band")]
    bands = [small(each, "Band") for each in band]
    if not bands:
        raise TacoQueryError("no band is asked for")
    return False, bands


def _float32(values: Any) -> Values:
    try:
        import numpy as np
    except ImportError:
        return values  # type: ignore[no-any-return]
    return np.asarray(values, dtype=np.float32)
