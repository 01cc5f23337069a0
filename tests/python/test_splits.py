"""Splits by groups: many machines assign what one machine assigns, and no group is in two splits."""

from __future__ import annotations

import functools
import hashlib
import logging
import math
import random
import struct
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import tacore
from tacore import distributed
from tacore.datamodel import Sample, Taco, Tortilla
from tacore.distributed import Splits
from test_distributed import ABOUT, client, contents, dask_client, part, processes  # noqa: F401
from test_partitions import Moto, bucket, counted, moto, stored  # noqa: F401

THREADS = ThreadPoolExecutor(2)
SHARES = {"train": 0.7, "validation": 0.1, "test": 0.2}


def samples(first: int, count: int) -> list[Sample]:
    """Samples of 40 scenes, in clusters of places."""
    out = []
    for n in range(first, first + count):
        source = random.Random(n % 40)
        lon, lat = source.uniform(-180, 180), source.choice([-89.9, 89.9, source.uniform(-85, 85)])
        shift = random.Random(n).uniform(-0.05, 0.05)
        sample = Sample(f"s{n}", str(n).encode(), scene=f"scene {n % 40}", orbit=n % 7)
        sample.extend_with({"stac:centroid": struct.pack("<BIdd", 1, 1, max(min(lon + shift, 180), -180), lat + shift)})
        out.append(sample)
    return out


def make(first: int, count: int) -> Taco:
    return Taco(Tortilla(samples(first, count)), **ABOUT)


PARTS = {f"p{n}": functools.partial(make, 30 * n, 30) for n in range(8)}
RULES = {
    "by id": Splits(shares=SHARES),
    "by a column": Splits(shares=SHARES, by="scene"),
    "by numbers": Splits(shares=SHARES, by="orbit", seed=3),
    "by cells": Splits(shares=SHARES, cell_km=50),
    "exact": Splits(shares=SHARES, by="scene", exact=True, seed=1),
}


def splits_of(path: Any) -> dict[str, str]:
    table = tacore.load(path).data.to_arrow()
    return dict(zip(table["id"].to_pylist(), table["split"].to_pylist(), strict=True))


@pytest.mark.parametrize("rule", RULES)
def test_many_machines_assign_what_one_machine_assigns(client: Any, tmp_path: Path, rule: str) -> None:
    whole = Taco(Tortilla(samples(0, 240)).extend_with(RULES[rule]), **ABOUT)
    [one] = tacore.create(whole, tmp_path / "one.tacozip", progress=False)
    made = distributed.create_partitions(PARTS, tmp_path / "many", client, split=RULES[rule])
    assert splits_of(made.path) == splits_of(one)
    assert made.splits == Counter(splits_of(one).values())


@pytest.mark.parametrize("rule", RULES)
def test_no_group_is_in_two_splits(tmp_path: Path, rule: str) -> None:
    splits = RULES[rule]
    made = distributed.create_partitions(PARTS, tmp_path, THREADS, split=splits)
    found = splits_of(made.path)
    groups = dict(zip([sample.id for sample in samples(0, 240)], splits.groups(Tortilla(samples(0, 240))), strict=True))
    of_group = defaultdict(set)
    for id, split in found.items():
        of_group[groups[id]].add(split)
    assert {len(each) for each in of_group.values()} == {1}
    assert len(of_group) == {"by id": 240, "by a column": 40, "by numbers": 7, "exact": 40}.get(rule, len(of_group))
    if rule == "by cells":
        assert None not in of_group and 20 <= len(of_group) < 120


@pytest.mark.parametrize("rule", ["by cells", "exact"])
def test_a_store_has_the_splits_of_a_folder(client: Any, moto: Moto, bucket: str, tmp_path: Path, rule: str) -> None:
    here = distributed.create_partitions(PARTS, tmp_path, THREADS, split=RULES[rule])
    there = distributed.create_partitions(PARTS, f"s3://{bucket}/many", client, split=RULES[rule])
    assert there.splits == here.splits
    assert stored(moto, bucket, "many/") == contents(tmp_path)
    assert splits_of(there.path) == splits_of(here.path)
    assert distributed.create_partitions(PARTS, f"s3://{bucket}/many", client, split=RULES[rule]).num_kept == len(PARTS)


def test_the_rule_is_as_documented() -> None:
    splits = Splits(shares=SHARES, seed=12)
    for n in range(300):
        digest = hashlib.blake2b(f"group {n}".encode(), digest_size=8, key=b"12").hexdigest()
        share = int(digest, 16) / 2**64
        assert splits.split_of(f"group {n}") == ("train" if share < 0.7 else "validation" if share < 0.8 else "test")


def test_shares_are_met_on_average_and_another_seed_is_another_assignment() -> None:
    found = []
    for seed in range(3):
        splits = Splits(shares=SHARES, seed=seed)
        found.append([splits.split_of(f"g{n}") for n in range(20_000)])
        counts = Counter(found[-1])
        for name, share in SHARES.items():
            assert abs(counts[name] / 20_000 - share) < 4 * math.sqrt(share * (1 - share) / 20_000)
    same = sum(a == b for a, b in zip(found[0], found[1], strict=True)) / 20_000
    assert abs(same - sum(share**2 for share in SHARES.values())) < 0.02  # as by chance


def unequal(first: int, count: int) -> Taco:
    """Groups of 1, 2, ..., 12 samples, 78 in all."""
    of_sample = [f"g{group}" for group in range(1, 13) for _ in range(group)]
    found = [Sample(f"s{n}", b"", scene=of_sample[n]) for n in range(first, first + count)]
    return Taco(Tortilla(found), **ABOUT)


@pytest.mark.parametrize("seed", range(6))
def test_exact_shares_are_met_but_for_half_of_a_group(tmp_path: Path, seed: int) -> None:
    splits = Splits(shares=SHARES, by="scene", exact=True, seed=seed)
    parts = [functools.partial(unequal, first, 13) for first in range(0, 78, 13)]
    made = distributed.create_partitions(parts, tmp_path, THREADS, split=splits)
    # Each end of a share is in a group of 12 samples at most, which goes to the side of its middle.
    for name, share in SHARES.items():
        assert abs(made.splits.get(name, 0) - 78 * share) <= 12
    digests = {
        f"g{n}": hashlib.blake2b(f"g{n}".encode(), digest_size=8, key=str(seed).encode()).digest() for n in range(1, 13)
    }
    before, expected = 0, {}
    for group in sorted(digests, key=digests.__getitem__):
        middle = before + int(group[1:]) / 2
        expected[group] = "train" if middle < 54.6 else "validation" if middle < 62.4 else "test"
        before += int(group[1:])
    of_sample = [f"g{group}" for group in range(1, 13) for _ in range(group)]
    assert list(splits_of(made.path).values()) == [expected[group] for group in of_sample]
    one = Tortilla(unequal(0, 78).tortilla.samples).extend_with(splits)
    assert list(splits_of(made.path).values()) == one.column("split")


def test_exact_shares_are_those_of_all_parts_after_a_loss(tmp_path: Path, counted: list[str]) -> None:
    splits = RULES["exact"]
    expected = distributed.create_partitions(PARTS, tmp_path / "expected", THREADS, split=splits)
    for when in (3, 10):  # while groups are counted, and while partitions are made
        seen: list[int] = []

        def stop(*_: int, seen: list[int] = seen, when: int = when) -> bool:
            seen.append(1)
            return len(seen) < when

        with pytest.raises(tacore.TacoIOError, match="stopped"):
            distributed.create_partitions(PARTS, tmp_path / str(when), THREADS, split=splits, progress=stop)
        made = distributed.create_partitions(PARTS, tmp_path / str(when), THREADS, split=splits)
        assert made.splits == expected.splits and contents(tmp_path / str(when)) == contents(tmp_path / "expected")
    (tmp_path / "10" / "p3.tacozip").unlink()
    next((tmp_path / "10" / ".parts").rglob("groups.json")).unlink()
    counted.clear()
    assert distributed.create_partitions(PARTS, tmp_path / "10", THREADS, split=splits).num_kept == 7
    assert counted == ["p3"] and contents(tmp_path / "10") == contents(tmp_path / "expected")
    others = {**PARTS, "more": functools.partial(make, 240, 10)}
    distributed.create_partitions(others, tmp_path / "10", THREADS, split=splits, overwrite=True)
    assert len(counted) == 1 + 9  # another part may change the splits of all


def test_an_interruption_and_other_parts_change_nothing(tmp_path: Path, counted: list[str]) -> None:
    splits = RULES["by a column"]
    expected = distributed.create_partitions(PARTS, tmp_path / "expected", THREADS, split=splits)
    with pytest.raises(tacore.TacoIOError, match="stopped"):
        distributed.create_partitions(
            PARTS, tmp_path / "made", THREADS, split=splits, progress=lambda done, _: done < 3
        )
    counted.clear()
    made = distributed.create_partitions(PARTS, tmp_path / "made", THREADS, split=splits)
    assert made.num_kept >= 3 and len(counted) == 8 - made.num_kept
    assert contents(tmp_path / "made") == contents(tmp_path / "expected") and made.splits == expected.splits
    others = [functools.partial(make, 60 * n, 60) for n in range(4)]
    assert splits_of(
        distributed.create_partitions(others, tmp_path / "others", THREADS, split=splits).path
    ) == splits_of(expected.path)
    for other in (None, Splits(shares=SHARES, by="scene", seed=1), Splits(shares=SHARES, by="orbit")):
        with pytest.raises(tacore.TacoValidationError, match="another plan"):
            distributed.create_partitions(PARTS, tmp_path / "made", THREADS, split=other)


def without(first: int, count: int, *rows: int) -> Taco:
    """Some samples have no scene."""
    found = [
        Sample(f"s{n}", b"", scene=None if n in rows else f"scene {n}") for n in range(first, first + count)
    ]  # fmt: skip
    return Taco(Tortilla(found), **ABOUT)


def test_a_sample_without_a_group_is_an_error_or_reported(client: Any, tmp_path: Path) -> None:
    parts = {"a": functools.partial(without, 0, 5), "b": functools.partial(without, 5, 5, 6, 9)}
    splits = Splits(shares=SHARES, by="scene")
    with pytest.raises(
        tacore.TacoSchemaError, match="partition b: sample 's6': has no value in the column 'scene', by which"
    ):
        distributed.create_partitions(parts, tmp_path / "raise", client, split=splits)
    made = distributed.create_partitions(parts, tmp_path / "report", client, split=splits, on_error="report")
    assert [failure[:2] for failure in made.failures] == [("b", "s6"), ("b", "s9")] and made.num_samples == 8
    assert sum(made.splits.values()) == 8
    parts["c"] = functools.partial(without, 10, 2, 10, 11)
    again = distributed.create_partitions(parts, tmp_path / "none", client, split=splits, on_error="report")
    assert ("c", None) in [failure[:2] for failure in again.failures] and again.num_samples == 8


def test_what_cannot_be_split_is_refused(tmp_path: Path) -> None:
    for options, words in (
        ({"shares": {"train": 0.5, "test": 0.4}}, "positive numbers with the sum 1"),
        ({"shares": {"train": 1.5, "test": -0.5}}, "positive numbers with the sum 1"),
        ({"shares": {}}, "positive numbers with the sum 1"),
        ({"shares": {"train": 0.5, "holdout": 0.5}}, "a split is called 'holdout'; train, validation or test"),
        ({"shares": SHARES, "by": "a", "cell_km": 5}, "both are given"),
        ({"shares": SHARES, "cell_km": -1}, ""),
        ({"shares": SHARES, "exact": True}, "by, a column, or cell_km is expected"),
        ({"shares": SHARES, "by": "id", "exact": True}, "by, a column, or cell_km is expected"),
    ):
        with pytest.raises(tacore.TacoSchemaError, match=words):
            Splits(**options)
    parts = [functools.partial(part, 0, 2)]
    for splits, words in (
        (Splits(shares=SHARES, by="scene"), "partition part0001: .*scene"),
        (Splits(shares=SHARES, cell_km=10), "partition part0001: .*centroid"),
    ):
        with pytest.raises(tacore.TacoSchemaError, match=words):
            distributed.create_partitions(parts, tmp_path / words[-5:], THREADS, split=splits)
    with pytest.raises(tacore.TacoSchemaError, match="partition part0001: .*split"):
        distributed.create_partitions(
            [functools.partial(part, 0, 2, split="train")], tmp_path / "twice", THREADS, split=Splits(shares=SHARES)
        )


def test_a_split_that_is_far_from_its_share_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "tacore")
    distributed.create_partitions(PARTS, tmp_path / "many", THREADS, split=Splits(shares={"train": 0.5, "test": 0.5}))
    assert "split" not in caplog.text
    few = Splits(shares={"train": 0.5, "test": 0.5}, by="number")
    distributed.create_partitions([functools.partial(part, 0, 1)], tmp_path / "few", THREADS, split=few)
    assert "split train has" in caplog.text and "where 50.0 % were asked for" in caplog.text
