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

Bands = SupportsIndex | Sequence[SupportsIndex]


class Statistics:
    """The methods that datasets and frames share.

    They read `geotiff:stats` (continuous: min, max, mean, std, valid %, percentiles of each band; categorical: class
    probabilities) or `stats:*` of TACO 0.2.0, and weigh rows by their number of pixels (`stac:tensor_shape`).

    Args:
        band: A band, counted from 0, gives a number; several give float32 values in their order (a list where NumPy is
            not installed).
        level: Level of the rows; only datasets have levels.
        id: At a level below the root: of the sample whose children are aggregated.

    Raises:
        TacoQueryError: No statistics, a band out of range, rows that disagree, the wrong kind, a level that is not
            there, no `id` below the root.
    """

    __slots__ = ()

    def _statistics_core(self) -> Any:
        raise NotImplementedError

    def _aggregate(self, which: str, band: Bands, level: SupportsIndex, id: str | None) -> Values:
        single, bands = _bands(band)
        core = self._statistics_core()
        level = small(level, "Level")
        if which == "categorical":
            values = core.categorical(bands, level, id or "")
        else:
            values = core.statistics(which, bands, level, id or "")
        if single and which != "categorical":
            return float(values[0])
        found: Values = _float32(values[0] if single else values)
        return found

    def stats_mean(self, band: Bands, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Mean, weighted by the number of pixels."""
        return self._aggregate("mean", band, level, id)

    def stats_std(self, band: Bands, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Standard deviation of all pixels, pooled from those of the samples."""
        return self._aggregate("std", band, level, id)

    def stats_min(self, band: Bands, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Least value."""
        return self._aggregate("min", band, level, id)

    def stats_max(self, band: Bands, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Greatest value."""
        return self._aggregate("max", band, level, id)

    def stats_p25(self, band: Bands, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Mean of the 25th percentiles of the samples: an approximation."""
        return self._aggregate("p25", band, level, id)

    def stats_p50(self, band: Bands, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Mean of the medians of the samples: an approximation."""
        return self._aggregate("p50", band, level, id)

    def stats_median(self, band: Bands, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """As :meth:`stats_p50`."""
        return self._aggregate("p50", band, level, id)

    def stats_p75(self, band: Bands, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Mean of the 75th percentiles of the samples: an approximation."""
        return self._aggregate("p75", band, level, id)

    def stats_p95(self, band: Bands, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Mean of the 95th percentiles of the samples: an approximation."""
        return self._aggregate("p95", band, level, id)

    def stats_categorical(self, band: Bands, level: SupportsIndex = 0, id: str | None = None) -> Values:
        """Class probabilities, weighted by the number of pixels: shape (classes,), of several bands (bands, classes)."""
        return self._aggregate("categorical", band, level, id)


def small(number: SupportsIndex, what: str) -> int:
    """A number that may be a level or a band. Raises TacoQueryError for one that cannot be."""
    value = operator.index(number)
    if not -(2**31) <= value < 2**31:
        raise TacoQueryError(f"{what} {value} does not exist")
    return value


def _bands(band: Bands) -> tuple[bool, list[int]]:
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
