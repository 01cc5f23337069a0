"""What must hold for all partitions together: told with both of them, and as early as it is known."""

from __future__ import annotations

import functools
import hashlib
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import tacore
from tacore import _partitions, _together, distributed
from tacore.datamodel import Sample, Taco, Tortilla
from test_distributed import ABOUT, client, dask_client, part, processes  # noqa: F401
from test_partitions import counted  # noqa: F401

ONE_THREAD = ThreadPoolExecutor(1)


def folders(first: int, *ids: str, **metadata: Any) -> Taco:
    """Two FOLDERs with children of these ids; a capital one is a FOLDER with a FILE."""
    children = [
        Sample(id, Tortilla([Sample("leaf", b"1")]) if id.isupper() else b"2", **metadata) for id in ids
    ]  # fmt: skip
    return Taco(Tortilla([Sample(f"s{first + n}", Tortilla(children)) for n in range(2)]), **ABOUT)


DIFFERENCES: dict[str, tuple[Callable[[], Taco], Callable[[], Taco], str]] = {
    "types": (
        functools.partial(part, 0, 2, x=1),
        functools.partial(part, 2, 2, x="1"),
        "column x of level 0 is int64 in partition a and string in partition b",
    ),
    "columns": (
        functools.partial(part, 0, 2),
        functools.partial(part, 2, 2, x=1),
        "column x of level 0 is missing in partition a and int64 in partition b",
    ),
    "types of children": (
        functools.partial(folders, 0, "c", k=1),
        functools.partial(folders, 2, "c", k=1.5),
        "column k of level 1 is int64 in partition a and double in partition b",
    ),
    "levels": (
        functools.partial(folders, 0, "c"),
        functools.partial(part, 2, 2),
        "the tree of level 0 is FOLDER in partition a and FILE in partition b",
    ),
    "more levels": (
        functools.partial(folders, 0, "C"),
        functools.partial(folders, 2, "c"),
        r"the tree of level 1 is \[C \(FOLDER\)\] in partition a and \[c \(FILE\)\] in partition b",
    ),
    "ids of children": (
        functools.partial(folders, 0, "c", "d"),
        functools.partial(folders, 2, "c", "e"),
        r"the tree of level 1 is \[c \(FILE\), d \(FILE\)\] in partition a and \[c \(FILE\), e \(FILE\)\] in partition b",
    ),
}


@pytest.mark.parametrize("what", DIFFERENCES)
def test_a_difference_is_told_with_both_partitions(client: Any, tmp_path: Path, what: str) -> None:
    first, second, words = DIFFERENCES[what]
    with pytest.raises(tacore.TacoSchemaError, match=words):
        distributed.create_partitions({"a": first, "b": second}, tmp_path, client, on_error="report")
    assert os.listdir(tmp_path) == [".parts"]


def slow(first: int, count: int) -> Taco:
    time.sleep(0.05)
    return part(first, count)


@pytest.mark.parametrize("what", ["types", "ids of children", "ids"])
def test_a_fault_is_told_before_the_other_partitions_are_made(
    tmp_path: Path,
    counted: list[str],
    what: str,  # noqa: F811
) -> None:
    first, second, words = (
        (functools.partial(part, 0, 3), functools.partial(part, 2, 3), "the id 's2' is in partition a and in partition b, in rows 2 and 0")
        if what == "ids"
        else DIFFERENCES[what]
    )  # fmt: skip
    others = {f"c{n}": functools.partial(slow, 100 * n, 2) for n in range(1, 40)}
    with pytest.raises(tacore.TacoError, match=words):
        distributed.create_partitions({"a": first, "b": second, **others}, tmp_path, ONE_THREAD)
    # The thread goes on until the driver has compared; that takes less than half of the others.
    assert counted[:2] == ["a", "b"] and len(counted) < 20


def test_other_columns_are_allowed_where_the_caller_says_so(tmp_path: Path) -> None:
    parts = {"a": functools.partial(part, 0, 2, x=1), "b": functools.partial(part, 2, 2)}
    made = distributed.create_partitions(parts, tmp_path, ONE_THREAD, validate_schema=False)
    assert tacore.load(made.path).data.to_arrow()["x"].to_pylist() == [1, 1, None, None]
    others = {"a": parts["a"], "b": functools.partial(folders, 2, "c")}
    with pytest.raises(tacore.TacoSchemaError, match="the tree of level 0"):
        distributed.create_partitions(others, tmp_path / "tree", ONE_THREAD, validate_schema=False)


def test_what_an_earlier_run_made_is_compared(tmp_path: Path) -> None:
    """Also where an interruption came between the two partitions."""
    first, second, words = DIFFERENCES["types"]
    parts = {"a": first, "b": second}
    with pytest.raises(tacore.TacoIOError, match="stopped"):
        distributed.create_partitions(parts, tmp_path, ONE_THREAD, progress=lambda done, total: False)
    for _ in range(2):
        with pytest.raises(tacore.TacoSchemaError, match=words):
            distributed.create_partitions(parts, tmp_path, ONE_THREAD)


def test_the_hash_of_an_id_is_the_end_of_its_md5(tmp_path: Path) -> None:
    """In any version of the SQL engine: partitions may be made by several."""
    ids = ["a", "é b", "sample_00000001", "x" * 300]
    path = tacore.create(Taco(Tortilla([Sample(id, b"1") for id in ids]), **ABOUT), tmp_path / "set.tacozip")[0]
    _, hashes = _together.facts_of(tacore.load(path))
    assert hashes == b"".join(sorted((hashlib.md5(id.encode()).digest()[8:] for id in ids), key=lambda end: end[::-1]))


def test_few_hashes_are_remembered_and_nothing_escapes_the_last_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_together, "_HASHES_REMEMBERED", 64)
    most = 0
    add = _together.Together.add

    def watched(self: _together.Together, name: str, record: _together.Record) -> None:
        nonlocal most
        add(self, name, record)
        most = max(most, len(self._known))

    monkeypatch.setattr(_together.Together, "add", watched)
    parts = [functools.partial(part, 100 * n, 100) for n in range(8)]
    assert distributed.create_partitions(parts, tmp_path / "good", ONE_THREAD).num_samples == 800
    assert 16 <= most <= 64
    # A partition that is there twice is found at once, a single id at the latest when all are compared.
    monkeypatch.setattr(_partitions, "check_ids", lambda *_: pytest.fail("not found early"))
    with pytest.raises(tacore.TacoValidationError, match="is in partition part0001 and in partition part0009"):
        distributed.create_partitions([*parts, parts[0]], tmp_path / "twice", ONE_THREAD)
    monkeypatch.undo()
    monkeypatch.setattr(_together, "_HASHES_REMEMBERED", 64)
    for n in (5, 333, 799):
        with pytest.raises(
            tacore.TacoValidationError,
            match=f"the id 's{n}' is in partition part000{1 + n // 100} and in partition part0009, in rows {n % 100} and 0",
        ):
            distributed.create_partitions([*parts, functools.partial(part, n, 1)], tmp_path / str(n), ONE_THREAD)
