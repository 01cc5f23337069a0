"""Partitions in the order of places: many machines sort as one does, and none holds all rows."""

from __future__ import annotations

import functools
import os
import random
import struct
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
import tacore
from moto_server import Moto
from tacore import _core, _sorted_parts, _table_parts, distributed
from tacore.datamodel import Sample, Taco, Tortilla
from tacore.distributed import Splits
from test_distributed import ABOUT, client, contents, dask_client, processes  # noqa: F401
from test_partitions import bucket, counted, moto  # noqa: F401

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

THREADS = ThreadPoolExecutor(2)


def point(lon: float, lat: float) -> bytes:
    return struct.pack("<BIdd", 1, 1, lon, lat)


def hilbert(lon: float, lat: float) -> int:
    """The textbook's position on a Hilbert curve of 2^31 by 2^31 cells, whose first quarter is the south-west."""
    n = 1 << 31
    x = min(int((lon + 180) / 360 * n), n - 1)
    y = min(int((lat + 90) / 180 * n), n - 1)
    out = 0
    s = n // 2
    while s > 0:
        right, upper = int(bool(x & s)), int(bool(y & s))
        out += s * s * ((3 * right) ^ upper)
        if not upper:
            if right:
                x, y = n - 1 - x, n - 1 - y
            x, y = y, x
        s //= 2
    return out


def rows_of(first: int, count: int) -> list[dict[str, Any]]:
    """Rows in no order of place; some are at the same place, some at none."""
    out = []
    for n in range(first, first + count):
        source = random.Random(n)
        place = source.choice([(n % 3, 5), (source.uniform(-180, 179), source.uniform(-90, 90))])
        none = n % 11 == 7
        out.append(
            {"id": f"s{n}", "geometry": None if none else point(*place), "n": n, "bytes": source.choice([1, 10, 100])}
        )
    return out


def make(row: dict[str, Any]) -> Sample:
    if row["n"] == 1000:
        raise ValueError("no data")
    sample = Sample(row["id"], str(row["n"]).encode(), n=row["n"])
    sample.extend_with(
        _core.Columns.of_values({"stac:centroid": [row["geometry"]]}).typed([("stac:centroid", "binary", "")])
    )
    return sample


def write_table(folder: Path, counts: list[int]) -> list[dict[str, Any]]:
    folder.mkdir(parents=True)
    schema = pa.schema([("id", "string"), ("geometry", "binary"), ("n", "int64"), ("bytes", "int64")])
    out: list[dict[str, Any]] = []
    for number, count in enumerate(counts):
        rows = rows_of(len(out), count)
        out += rows
        pq.write_table(pa.Table.from_pylist(rows, schema), folder / f"{number}.parquet", row_group_size=7)
    return out


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several runs of several blocks, in this process."""
    monkeypatch.setattr(_table_parts, "_ROWS_OF_RUN", 20)
    monkeypatch.setattr(_sorted_parts, "_ROWS_OF_BLOCK", 5)


def one_machine(rows: list[dict[str, Any]], path: Path) -> bytes:
    taco = Taco(Tortilla([make(row) for row in rows]), **ABOUT)
    tacore.create(taco, path, order="hilbert", progress=False)
    return path.read_bytes()


def ids(path: Any) -> list[str]:
    found: list[str] = tacore.load(path).data.to_arrow()["id"].to_pylist()
    return found


# -------------------------------------------------------------------------------------------------------------- order


@pytest.mark.parametrize("seed", range(10 if "TACORE_LONG_TESTS" in os.environ else 3))
def test_the_order_is_that_of_one_machine(tmp_path: Path, small: None, seed: int) -> None:
    source = random.Random(seed)
    rows = write_table(tmp_path / "table", [source.choice([0, 1, 9, 50]) for _ in range(source.randrange(1, 6))] + [3])
    one_machine(rows, tmp_path / "one.tacozip")
    for num_parts in (1, 2, source.randrange(1, 12), 500):
        parts = distributed.parts_of_table(tmp_path / "table", make, order="hilbert", num_partitions=num_parts, **ABOUT)
        made = distributed.create_partitions(parts, tmp_path / f"{num_parts}", THREADS)
        assert ids(made.path) == ids(tmp_path / "one.tacozip")
        assert len(parts) == min(num_parts, len(rows)) and made.num_samples == len(rows)


def test_one_partition_has_the_bytes_of_one_machine(client: Any, tmp_path: Path) -> None:
    rows = write_table(tmp_path / "table", [30, 40])
    expected = one_machine(rows, tmp_path / "part0001.tacozip")
    parts = distributed.parts_of_table(tmp_path / "table", make, order="hilbert", num_partitions=1, **ABOUT)
    distributed.create_partitions(parts, tmp_path / "made", client)
    assert (tmp_path / "made" / "part0001.tacozip").read_bytes() == expected


def test_parts_are_ranges_of_a_curve_of_about_equal_size(client: Any, tmp_path: Path) -> None:
    rows = write_table(tmp_path / "table", [130, 0, 200, 70])
    found = {}
    for number, output in enumerate((tmp_path / "a", tmp_path / "b")):
        parts = distributed.parts_of_table(tmp_path / "table", make, order="hilbert", num_partitions=8, **ABOUT)
        made = distributed.create_partitions(parts, output, client if number == 0 else THREADS, index="both")
        found[number] = contents(output)
    assert found[0] == found[1]
    keys = {
        row["id"]: hilbert(*struct.unpack("<dd", row["geometry"][5:])) if row["geometry"] else 2**64 for row in rows
    }
    order = [[keys[id] for id in ids(output / f"{name}.tacozip")] for name in parts]
    joined = [key for part in order for key in part]
    assert joined == sorted(joined) and len(joined) == 400
    assert all(40 <= len(part) <= 60 for part in order)
    # Equal places stay in the order of the table.
    numbers = {row["id"]: row["n"] for row in rows}
    pairs = [(keys[id], numbers[id]) for id in ids(made.path)]
    assert pairs == sorted(pairs)


@pytest.mark.parametrize("num_processes", [1, 4])
def test_any_number_of_processes_gives_the_same(tmp_path: Path, num_processes: int) -> None:
    write_table(tmp_path / "table", [40, 30, 50])
    splits = Splits(shares={"train": 0.7, "test": 0.3}, by="n")
    found = []
    with ProcessPoolExecutor(num_processes, mp_context=get_context("spawn")) as pool:
        for output, client in (("one", ThreadPoolExecutor(1)), ("many", pool)):
            parts = distributed.parts_of_table(tmp_path / "table", make, order="hilbert", num_partitions=6, **ABOUT)
            made = distributed.create_partitions(parts, tmp_path / output, client, index="both", split=splits)
            found.append((contents(tmp_path / output), made.splits))
    assert found[0] == found[1]


def test_positions_are_those_of_the_textbook() -> None:
    from array import array

    source = random.Random(1)
    places = [
        (-180, -90),
        (-180, 90),
        (179.9, -90),
        (0, 0),
        *((source.uniform(-180, 180), source.uniform(-90, 90)) for _ in range(500)),
    ]
    found = array("Q", _core.hilbert_positions([*(point(*place) for place in places), None]))
    assert list(found) == [*(hilbert(*place) for place in places), 2**64 - 1]
    with pytest.raises(tacore.TacoFormatError, match="geometry 1: "):
        _core.hilbert_positions([None, b"\1\2"])


def test_parts_have_about_equal_weights(tmp_path: Path, small: None) -> None:
    rows = write_table(tmp_path / "table", [300, 200])
    parts = distributed.parts_of_table(
        tmp_path / "table", make, order="hilbert", num_partitions=5, weight="bytes", place="geometry", **ABOUT
    )
    distributed.create_partitions(parts, tmp_path / "made", THREADS)
    weights = {row["id"]: row["bytes"] for row in rows}
    sums = [sum(weights[id] for id in ids(tmp_path / "made" / f"{name}.tacozip")) for name in parts]
    # A cut is at the first row of a block, of which a run of 20 rows has four here.
    assert sum(sums) == sum(weights.values()) and max(sums) - min(sums) < 0.4 * sum(sums) / 5


def test_the_number_of_parts_is_that_of_the_files_or_as_rows_say(tmp_path: Path) -> None:
    write_table(tmp_path / "table", [10, 20, 5])
    for options, count in (({}, 3), ({"rows_per_part": 10}, 4), ({"num_partitions": 2}, 2)):
        assert len(distributed.parts_of_table(tmp_path / "table", make, order="hilbert", **options, **ABOUT)) == count


# ---------------------------------------------------------------------------------------------------------- resumption


def runs(folder: Path) -> list[str]:
    return sorted(str(path.name) for path in (folder / ".parts").rglob("run*"))


@pytest.mark.parametrize("when", range(1, 7))
def test_an_interruption_changes_nothing(tmp_path: Path, small: None, counted: list[str], when: int) -> None:  # noqa: F811
    """The callback is called for each of three runs, and for each of four partitions."""
    write_table(tmp_path / "table", [20, 20, 15])
    new = functools.partial(
        distributed.parts_of_table, tmp_path / "table", make, order="hilbert", num_partitions=4, **ABOUT
    )
    distributed.create_partitions(new(), tmp_path / "expected", THREADS)
    assert runs(tmp_path / "expected") == []
    seen: list[tuple[int, int]] = []

    def stop(*at: int) -> bool:
        seen.append(at)
        return len(seen) < when

    with pytest.raises(tacore.TacoIOError, match="stopped"):
        distributed.create_partitions(new(), tmp_path / "made", THREADS, progress=stop)
    assert os.listdir(tmp_path / "made") == [".parts"] and all(at[1] == 4 for at in seen)
    written = {path: path.stat().st_mtime_ns for path in (tmp_path / "made" / ".parts").rglob("run*.rows")}
    assert len(written) >= min(when, 3)
    counted.clear()
    made = distributed.create_partitions(new(), tmp_path / "made", THREADS)
    assert made.num_kept >= when - 3 and len(counted) == 4 - made.num_kept
    assert contents(tmp_path / "made") == contents(tmp_path / "expected") and runs(tmp_path / "made") == []


def test_what_is_wrong_afterwards_is_sorted_and_made_again(
    tmp_path: Path, small: None, counted: list[str]  # noqa: F811
) -> None:  # fmt: skip
    write_table(tmp_path / "table", [20, 20, 15])
    parts = distributed.parts_of_table(tmp_path / "table", make, order="hilbert", num_partitions=4, **ABOUT)
    first = distributed.create_partitions(parts, tmp_path / "made", THREADS)
    before = contents(tmp_path / "made")
    counted.clear()
    assert distributed.create_partitions(parts, tmp_path / "made", THREADS) == first._replace(num_kept=4)
    (tmp_path / "made" / "part0003.tacozip").write_bytes(b"damaged")
    assert distributed.create_partitions(parts, tmp_path / "made", THREADS).num_kept == 3
    assert counted == ["part0003"] and contents(tmp_path / "made") == before


def test_a_run_that_is_cut_off_is_made_again_and_one_that_vanishes_is_told(
    tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(tmp_path / "table", [20, 20, 15])
    parts = distributed.parts_of_table(tmp_path / "table", make, order="hilbert", num_partitions=4, **ABOUT)
    expected = distributed.create_partitions(parts, tmp_path / "expected", THREADS)
    with pytest.raises(tacore.TacoIOError, match="stopped"):
        distributed.create_partitions(parts, tmp_path / "made", THREADS, progress=lambda *_: False)
    for path in (tmp_path / "made" / ".parts").rglob("run*.rows"):
        data = path.read_bytes()
        path.write_bytes(data[:-10] if "1" in path.name else data[:-10] + b"0123456789")
    next((tmp_path / "made" / ".parts").rglob("run0003.json")).write_bytes(b"{")
    ranges_of = _sorted_parts.ranges_of

    def losing(*arguments: Any) -> Any:
        out = ranges_of(*arguments)
        next((tmp_path / "made" / ".parts").rglob("run0002.rows")).unlink()
        return out

    with monkeypatch.context() as patched:
        patched.setattr("tacore._partitions.ranges_of", losing)
        with pytest.raises(
            tacore.TacoCreationError, match=r"partition part000.*run0002\.rows: is missing or was changed"
        ):
            distributed.create_partitions(parts, tmp_path / "made", THREADS)
    made = distributed.create_partitions(parts, tmp_path / "made", THREADS)
    assert contents(tmp_path / "made") == contents(tmp_path / "expected") and made.num_samples == expected.num_samples


def test_rows_that_cannot_be_removed_are_told_and_the_dataset_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: Any) -> None:
        raise tacore.TacoIOError("DELETE: AccessDenied")

    write_table(tmp_path / "table", [20, 20])
    monkeypatch.setattr("tacore._destination.Folder.remove", refuse)
    parts = distributed.parts_of_table(tmp_path / "table", make, order="hilbert", **ABOUT)
    made = distributed.create_partitions(parts, tmp_path / "made", THREADS)
    assert made.num_samples == len(ids(made.path)) == 40
    assert "sorted rows that are no longer needed cannot be removed: DELETE: AccessDenied" in caplog.text
    monkeypatch.undo()
    assert len(runs(tmp_path / "made")) == 4
    distributed.create_partitions(parts, tmp_path / "made", THREADS)
    assert runs(tmp_path / "made") == []


def test_a_changed_file_is_another_plan(tmp_path: Path) -> None:
    write_table(tmp_path / "table", [20, 20])
    parts = distributed.parts_of_table(tmp_path / "table", make, order="hilbert", num_partitions=2, **ABOUT)
    distributed.create_partitions(parts, tmp_path / "made", THREADS)
    pq.write_table(pq.read_table(tmp_path / "table" / "1.parquet").slice(1), tmp_path / "table" / "1.parquet")
    again = distributed.parts_of_table(tmp_path / "table", make, order="hilbert", num_partitions=2, **ABOUT)
    with pytest.raises(tacore.TacoValidationError, match="another plan, which differs in partition part0001"):
        distributed.create_partitions(again, tmp_path / "made", THREADS)
    with pytest.raises(tacore.TacoQueryError, match=r"rows of .*1\.parquet: .*the file was changed"):
        distributed.create_partitions(parts, tmp_path / "other", THREADS)


def test_other_rules_of_cutting_are_another_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise rows would be missing, or be in two partitions."""
    write_table(tmp_path / "table", [20, 20])
    new = functools.partial(
        distributed.parts_of_table, tmp_path / "table", make, order="hilbert", num_partitions=2, **ABOUT
    )
    with pytest.raises(tacore.TacoIOError, match="stopped"):
        distributed.create_partitions(new(), tmp_path / "made", THREADS, progress=lambda done, _: done < 1)
    monkeypatch.setattr(_sorted_parts, "_BLOCKS_OF_PART", 2)
    with pytest.raises(tacore.TacoValidationError, match="another plan"):
        distributed.create_partitions(new(), tmp_path / "made", THREADS)


def test_a_store_sorts_as_a_folder(client: Any, moto: Moto, bucket: str, tmp_path: Path) -> None:  # noqa: F811
    write_table(tmp_path / "table", [40, 30])
    parts = distributed.parts_of_table(tmp_path / "table", make, order="hilbert", num_partitions=3, **ABOUT)
    with pytest.raises(tacore.TacoIOError, match="stopped"):
        distributed.create_partitions(parts, f"s3://{bucket}/chips", client, progress=lambda *_: False)
    assert any(key.endswith("run0001.rows") for key in moto.keys(bucket))
    distributed.create_partitions(parts, f"s3://{bucket}/chips", client)
    distributed.create_partitions(parts, tmp_path / "made", THREADS)
    expected = contents(tmp_path / "made")
    assert {name: moto.read(bucket, f"chips/{name}") for name in expected} == expected
    assert not any("run0" in key for key in moto.keys(bucket))


# -------------------------------------------------------------------------------------------------------------- faults


def test_a_row_whose_place_is_broken_is_an_error_or_reported(client: Any, tmp_path: Path) -> None:
    rows = rows_of(0, 40)
    rows[13]["geometry"] = b"\1\1"
    rows[30]["n"] = 1000
    (tmp_path / "table").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "table" / "a.parquet")
    parts = distributed.parts_of_table(tmp_path / "table", make, order="hilbert", num_partitions=3, **ABOUT)
    splits = Splits(shares={"train": 0.5, "test": 0.5})
    made = distributed.create_partitions(parts, tmp_path / "made", client, on_error="report", split=splits)
    failures = {failure.id: failure.message for failure in made.failures}
    assert set(failures) == {"s13", "s30"} and failures["s30"] == "ValueError: no data"
    assert "WKB is truncated" in failures["s13"]
    assert made.num_samples == 38 == sum(made.splits.values())
    # The runs of the report are not those of an error.
    with pytest.raises(tacore.TacoFormatError, match=r"sample s13, row 13 of .*a\.parquet: geometry: WKB is truncated"):
        distributed.create_partitions(parts, tmp_path / "made", client, split=splits)
    rows[13]["geometry"] = None
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "table" / "a.parquet")
    parts = distributed.parts_of_table(tmp_path / "table", make, order="hilbert", num_partitions=3, **ABOUT)
    with pytest.raises(tacore.TacoValidationError, match=r"sample s30, row 30 of .*a\.parquet: ValueError: no data"):
        distributed.create_partitions(parts, tmp_path / "raise", client)


def test_without_a_function_the_columns_are_those_of_a_table_of_samples(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"a")
    places = [point(n * 10, 1) for n in (3, 1, 2)]
    rows = pa.table({"id": ["x", "y", "z"], "path": [str(tmp_path / "a.bin")] * 3, "stac:centroid": places})
    pq.write_table(rows, tmp_path / "t.parquet")
    parts = distributed.parts_of_table(tmp_path / "t.parquet", order="hilbert", num_partitions=2, **ABOUT)
    made = distributed.create_partitions(parts, tmp_path / "made", THREADS)
    tacore.create(Taco(Tortilla.from_table(rows), **ABOUT), tmp_path / "one.tacozip", order="hilbert", progress=False)
    assert ids(made.path) == ids(tmp_path / "one.tacozip") != ["x", "y", "z"]


def test_what_cannot_be_sorted_is_refused(tmp_path: Path) -> None:
    write_table(tmp_path / "table", [4, 4])
    of_table = functools.partial(distributed.parts_of_table, tmp_path / "table", make, **ABOUT)
    for options, words in (
        ({"order": "size"}, "order 'size'; hilbert expected"),
        ({"order": "hilbert", "place": "where"}, "no column 'where'; its columns are id, geometry, n, bytes"),
        ({"order": "hilbert", "place": "n"}, "column 'n' of the table is int64; geometries as WKB are expected"),
        ({"order": "hilbert", "weight": "id"}, "column 'id' of the table is string; numbers are expected"),
    ):
        with pytest.raises(tacore.TacoSchemaError, match=words):
            of_table(**options)
    pq.write_table(pa.table({"id": ["a"]}), tmp_path / "without.parquet")
    with pytest.raises(tacore.TacoSchemaError, match="has no column of places"):
        distributed.parts_of_table(tmp_path / "without.parquet", make, order="hilbert", **ABOUT)
    parts = of_table(order="hilbert")
    for mixed in (
        dict([next(iter(parts.items()))]),
        {**parts, "more": make},
        {**parts, **{f"b{k}": v for k, v in of_table(order="hilbert").items()}},
    ):
        with pytest.raises(tacore.TacoValidationError, match="have to be all parts of one table"):
            distributed.create_partitions(mixed, tmp_path / "made", THREADS)
    with pytest.raises(tacore.TacoCreationError, match="known to create_partitions"):
        next(iter(parts.values()))()
