"""Splits of a dataset for training, by groups of samples that belong together."""

from __future__ import annotations

import copy
import hashlib
import itertools
import logging
import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ._errors import TacoSchemaError
from .datamodel import MajorTOM, Tortilla, TortillaExtension

_WORDS = ("train", "validation", "test")
_FAR = 0.25


class Splits(TortillaExtension):
    """Column `split`: train, validation or test, by a hash of the group of each sample.

    All samples of a group are in one split, so that none is known from training when it is tested. The split of a group
    depends on the group, the shares and the seed alone, so that many machines, which have some of the samples each,
    assign what one machine assigns; and samples that are added later do not change it. Shares are met on average:
    with n groups of equal size, a share p is off by about sqrt(p * (1 - p) / n). With `exact` they are met but for half
    of a group, however few or unequal groups are; the split of a group then depends on the sizes of all.

    Args:
        shares: Share of each split, in their order; together 1.
        by: Column of level 0 whose equal values are a group, such as a scene, a region or a patient; None: each sample
            is a group of its own, by its id.
        cell_km: Width of the cells of a grid (:class:`tacore.datamodel.MajorTOM`) in km, more than 0: all samples with
            the centroid in a cell are a group. Samples on two sides of the edge of a cell may be in different splits:
            choose cells that are much larger than samples.
        exact: Divide the groups, in the order of their hashes, where their samples add up to the shares. For this
            :func:`create_partitions` first counts the groups, and so makes all samples twice, but not their files.
        seed: Another number gives another assignment.

    Raises:
        TacoSchemaError: A share is not positive, their sum is not 1, a name is none of the three, or both `by` and
            `cell_km` are given, or neither with `exact`; when computed, there is no such column, or a sample has no value, or no centroid.

    Example:
        >>> splits = Splits(shares={"train": 0.8, "validation": 0.1, "test": 0.1}, cell_km=50)
        >>> tortilla = tortilla.extend_with(splits)                                                   # one machine
        >>> tacore.distributed.create_partitions(parts, "s3://bucket/chips", client, split=splits)    # many
    """

    shares: Mapping[str, float]
    by: str | None = None
    cell_km: float | None = None
    exact: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        unknown = [name for name in self.shares if name not in _WORDS]
        if unknown:
            raise TacoSchemaError(f"a split is called {unknown[0]!r}; train, validation or test is expected")
        values = list(self.shares.values())
        if not all(value > 0 for value in values) or not math.isclose(sum(values), 1, abs_tol=1e-9):
            raise TacoSchemaError(
                f"the shares of the splits are {values}; positive numbers with the sum 1 are expected"
            )
        if self.by is not None and self.cell_km is not None:
            raise TacoSchemaError("splits are by a column or by the cells of a grid; both are given")
        if self.exact and self.cell_km is None and self.by in (None, "id"):
            raise TacoSchemaError("exact shares are of groups of samples: by, a column, or cell_km is expected")
        self._of_groups: dict[str, str] | None = None
        ends = itertools.accumulate(values)
        self._ends = [(round(end * 2**64), name) for end, name in zip(ends, self.shares, strict=True)]
        self._grid = None if self.cell_km is None else MajorTOM(dist_km=self.cell_km, latitude_range=(-90, 90))

    def get_schema(self) -> dict[str, str]:
        return {"split": "string"}

    def fingerprint_of(self) -> list[Any]:
        """What the fingerprint of a plan is made of."""
        return [list(self.shares.items()), self.by, self.cell_km, self.exact, self.seed]

    def split_of(self, group: str) -> str:
        """The split of a group: where BLAKE2b of its text, as a number of 64 bits (big endian), keyed with the seed in
        decimal digits, lies among the shares; of fitted() ones the split that was assigned."""
        if self._of_groups is not None:
            return self._of_groups[group]
        return self._split_at(self._position(group), 2**64)

    def fitted(self, sizes: Mapping[str, int]) -> Splits:
        """These splits for groups of which all sizes are known, with exact shares."""
        out = copy.copy(self)
        out._of_groups = {}
        total, before = sum(sizes.values()), 0
        for group in sorted(sizes, key=lambda group: (self._position(group), group)):
            out._of_groups[group] = self._split_at(2 * before + sizes[group], 2 * total)  # that of its middle
            before += sizes[group]
        return out

    def _position(self, group: str) -> int:
        digest = hashlib.blake2b(group.encode(), digest_size=8, key=str(self.seed).encode()).digest()
        return int.from_bytes(digest, "big")

    def _split_at(self, at: int, whole: int) -> str:
        return next((name for end, name in self._ends if at * 2**64 < end * whole), self._ends[-1][1])

    def groups(self, tortilla: Tortilla) -> list[str | None]:
        """The group of each sample; None where it has none."""
        if self._grid is not None:
            return list(self._grid._columns(tortilla).objects("majortom:code"))
        if self.by is None or self.by == "id":
            return list(tortilla._core.ids())
        return [None if value is None or value != value else str(value) for value in tortilla.column(self.by)]

    def _compute(self, tortilla: Tortilla) -> dict[str, list[str]]:
        groups = self.groups(tortilla)
        if None in groups:
            id = tortilla._core.ids()[groups.index(None)]
            raise TacoSchemaError(f"sample {id!r}: {self._why_without()}")
        known = [group for group in groups if group is not None]
        splits = self.fitted(Counter(known)) if self.exact and self._of_groups is None else self
        return {"split": [splits.split_of(group) for group in known]}

    def _why_without(self) -> str:
        """What is said of a sample without a group."""
        what = "centroid" if self._grid is not None else f"value in the column {self.by!r}"
        return f"has no {what}, by which it would be assigned to a split"

    def _tell_balance(self, counts: Mapping[str, int]) -> None:
        """Logs a warning for each split whose share of the samples is far from the requested one."""
        total = sum(counts.values())
        for name, asked in self.shares.items():
            found = counts.get(name, 0) / max(total, 1)
            if abs(found - asked) > _FAR * asked:
                logging.getLogger("tacore").warning(
                    "split %s has %d of %d samples, %.1f %% where %.1f %% were asked for: groups are few, or of very "
                    "different sizes; another seed or smaller groups may fit better",
                    name, counts.get(name, 0), total, 100 * found, 100 * asked,
                )  # fmt: skip
