"""Partitions from the files of a table."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import tacore
from tacore import _table_parts, distributed
from tacore.datamodel import Sample
from test_distributed import ABOUT, client, contents, dask_client, processes  # noqa: F401

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
dataset = pytest.importorskip("pyarrow.dataset")

THREADS = ThreadPoolExecutor(2)


def make(row: dict[str, Any]) -> Sample:
    if row["cloud"] is None:
        raise ValueError("no cloud cover")
    return Sample(row["id"], row["assets"]["visual"]["href"].encode(), cloud=row["cloud"])


def items(first: int, count: int, *without_cloud: int) -> Any:
    """Rows as stac-geoparquet has them."""
    numbers = range(first, first + count)
    return pa.table(
        {
            "id": [f"s{n}" for n in numbers],
            "cloud": pa.array([None if n in without_cloud else n / 2 for n in numbers], pa.float64()),
            "assets": [{"visual": {"href": f"s3://b/{n}.tif", "type": "image/tiff"}} for n in numbers],
        }
    )


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Three files in two folders."""
    for name, rows in (("year=2020/b", items(0, 3)), ("year=2020/a", items(3, 2)), ("year=2021/a", items(5, 4, 6))):
        path = tmp_path / "table" / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rows, path)
    return tmp_path / "table"


def ids(path: Any) -> list[str]:
    found: list[str] = tacore.load(path).data.to_arrow()["id"].to_pylist()
    return found


def test_each_file_is_a_partition(client: Any, table: Path, tmp_path: Path) -> None:
    parts = distributed.parts_of_table(table, make, prefix="t", **ABOUT)
    with pytest.raises(
        tacore.TacoValidationError, match="partition t0003: sample s6, row 1 of .*: ValueError: no cloud"
    ):
        distributed.create_partitions(parts, tmp_path / "raise", client)
    made = distributed.create_partitions(parts, tmp_path / "made", client, on_error="report")
    assert made.failures == [("t0003", "s6", "ValueError: no cloud cover")]
    # The files are in the order of their paths.
    assert ids(made.path) == ["s3", "s4", "s0", "s1", "s2", "s5", "s7", "s8"]
    again = distributed.create_partitions(
        distributed.parts_of_table(str(table), make, prefix="t", **ABOUT), tmp_path / "made", client, on_error="report"
    )
    assert again == made._replace(num_kept=3)


def test_all_kinds_of_tables_give_the_same(table: Path, tmp_path: Path) -> None:
    files = sorted(table.rglob("*.parquet"))
    kinds = {"list": files, "dataset": dataset.dataset(table, partitioning="hive"), "folder": table}
    found = set()
    for name, each in kinds.items():
        made = distributed.create_partitions(
            distributed.parts_of_table(each, make, **ABOUT), tmp_path / name, THREADS, on_error="report"
        )
        assert made.num_samples == 8
        found.add(tuple(sorted(contents(tmp_path / name).items())))
    assert len(found) == 1


def test_columns_of_the_folders_are_columns_of_the_rows(table: Path, tmp_path: Path) -> None:
    def with_year(row: dict[str, Any]) -> Sample:
        return Sample(row["id"], b"", year=row["year"])

    parts = distributed.parts_of_table(table, with_year, **ABOUT)
    path = distributed.create_partitions(parts, tmp_path / "made", THREADS).path
    assert tacore.load(path).data.to_arrow()["year"].to_pylist() == [2020] * 5 + [2021] * 4


def test_without_a_function_the_columns_are_those_of_a_table_of_samples(tmp_path: Path) -> None:
    for n in range(4):
        (tmp_path / f"{n}.bin").write_bytes(bytes([n]))
    folder = tmp_path / "table"
    folder.mkdir()
    for n in range(2):
        rows = {"id": [f"a{n}", f"b{n}"], "path": [str(tmp_path / f"{k}.bin") for k in (2 * n, 2 * n + 1)], "k": [n, n]}
        pq.write_table(pa.table(rows), folder / f"{n}.parquet")
    path = distributed.create_partitions(distributed.parts_of_table(folder, **ABOUT), tmp_path / "made", THREADS).path
    rows = tacore.load(path).data
    assert rows.to_arrow().select(["id", "k"]).to_pylist() == [
        {"id": "a0", "k": 0}, {"id": "b0", "k": 0}, {"id": "a1", "k": 1}, {"id": "b1", "k": 1},
    ]  # fmt: skip
    assert [rows.read_bytes(n) for n in range(4)] == [b"\0", b"\1", b"\2", b"\3"]


def simple(row: dict[str, Any]) -> Sample:
    if row["n"] < 0:
        raise ValueError("negative")
    return Sample(row["id"], b"", n=row["n"], year=row["year"])


def write_tables(folder: Path, source: random.Random) -> list[int]:
    """Files of random numbers of rows in row groups of random sizes, and the numbers in the order of paths."""
    numbers: list[int] = []
    for n in range(source.randrange(1, 6)):
        path = folder / f"year={2000 + n}" / "rows.parquet"
        path.parent.mkdir(parents=True)
        rows = range(len(numbers), len(numbers) + source.choice([int(n == 0), 1, 7, source.randrange(1, 60)]))
        numbers += rows
        table = pa.table({"id": pa.array([f"s{k}" for k in rows], pa.string()), "n": pa.array(rows, pa.int64())})
        pq.write_table(table, path, row_group_size=source.randrange(1, 20))
    return numbers


@pytest.mark.parametrize("seed", range(12))
def test_parts_of_rows_are_the_table_in_its_order(tmp_path: Path, seed: int) -> None:
    check_parts_of_rows(tmp_path, random.Random(seed), THREADS)


def test_each_engine_gives_the_same_parts_of_rows(client: Any, tmp_path: Path) -> None:
    check_parts_of_rows(tmp_path, random.Random(3), client)


def check_parts_of_rows(tmp_path: Path, source: random.Random, client: Any) -> None:
    numbers = write_tables(tmp_path / "table", source)
    assert numbers, "another seed"
    most = source.randrange(1, 20)
    num_parts = source.randrange(1, 12)
    together = distributed.parts_of_table(tmp_path / "table", simple, num_partitions=num_parts, **ABOUT)
    apart = distributed.parts_of_table(tmp_path / "table", simple, rows_per_part=most, **ABOUT)
    full = {name: each for name, each in apart.items() if each._pieces[0].read(each._schema).num_rows}
    sizes = [len(each().tortilla) for each in together.values()]
    assert len(sizes) == min(num_parts, len(numbers)) and max(sizes) - min(sizes) <= 1
    assert max(len(each().tortilla) for each in full.values()) <= most
    for name, parts in (("together", together), ("apart", full)):
        made = distributed.create_partitions(parts, tmp_path / name, client)
        rows = tacore.load(made.path).data.to_arrow()
        assert rows["n"].to_pylist() == numbers
        assert rows["year"].to_pylist() == sorted(rows["year"].to_pylist())


def test_names_of_the_parts_of_a_file_do_not_depend_on_the_others(tmp_path: Path) -> None:
    for name, count in (("a", 5), ("b", 12), ("c", 3)):
        pq.write_table(items(0, count), tmp_path / f"{name}.parquet")
    parts = distributed.parts_of_table(tmp_path, make, rows_per_part=5, **ABOUT)
    names = ["part0001", "part0002-01", "part0002-02", "part0002-03", "part0003"]
    assert list(parts) == names
    pq.write_table(items(0, 11), tmp_path / "d.parquet")
    more = distributed.parts_of_table(tmp_path, make, rows_per_part=5, **ABOUT)
    assert list(more) == [*names, "part0004-01", "part0004-02", "part0004-03"]
    assert all(more[name].fingerprint_of() == parts[name].fingerprint_of() for name in names)


def test_a_much_larger_file_is_divided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(4):
        pq.write_table(items(100 * n, 50), tmp_path / f"{n}.parquet", compression="none", use_dictionary=False)
    large = items(1000, 2000)
    pq.write_table(large, tmp_path / "large.parquet", compression="none", use_dictionary=False, row_group_size=100)
    assert len(distributed.parts_of_table(tmp_path, make, **ABOUT)) == 5  # small ones are as they are
    monkeypatch.setattr(_table_parts, "_LEAST_PIECE", 1)
    parts = distributed.parts_of_table(tmp_path, make, **ABOUT)
    pieces = [name for name in parts if name.startswith("part0005")]
    assert list(parts)[:4] == [f"part000{n}" for n in range(1, 5)] and 10 < len(pieces) < 60
    made = distributed.create_partitions(parts, tmp_path / "made", THREADS)
    assert ids(made.path)[200:] == large["id"].to_pylist()


def test_the_error_of_a_divided_file_names_the_row_of_the_file(tmp_path: Path) -> None:
    pq.write_table(items(0, 9, 7), tmp_path / "a.parquet", row_group_size=2)
    parts = distributed.parts_of_table(tmp_path, make, num_partitions=3, **ABOUT)
    with pytest.raises(
        tacore.TacoValidationError, match=r"partition part0003: sample s7, row 7 of .*a\.parquet: ValueError"
    ):
        distributed.create_partitions(parts, tmp_path / "raise", THREADS)
    made = distributed.create_partitions(parts, tmp_path / "report", THREADS, on_error="report")
    assert made.failures == [("part0003", "s7", "ValueError: no cloud cover")] and made.num_samples == 8


def test_what_cannot_be_divided_is_refused(tmp_path: Path) -> None:
    pq.write_table(items(0, 0), tmp_path / "a.parquet")
    with pytest.raises(tacore.TacoQueryError, match="the table has no rows"):
        distributed.parts_of_table(tmp_path, make, num_partitions=2, **ABOUT)
    for options, words in (
        ({"num_partitions": 0}, "num_partitions is 0; at least 1"),
        ({"rows_per_part": -1}, "rows_per_part is -1; at least 1"),
        ({"num_partitions": 1, "rows_per_part": 1}, "one of them"),
    ):
        with pytest.raises(tacore.TacoValidationError, match=words):
            distributed.parts_of_table(tmp_path, make, **options, **ABOUT)
    (tmp_path / "b.csv").write_text("id,path\na,b\n")
    csv = dataset.dataset(tmp_path / "b.csv", format="csv")
    with pytest.raises(tacore.TacoValidationError, match=r"b\.csv: its rows cannot be divided; a Parquet file"):
        distributed.parts_of_table(csv, rows_per_part=1, **ABOUT)


def test_a_changed_file_is_another_plan(table: Path, tmp_path: Path) -> None:
    parts = distributed.parts_of_table(table, make, **ABOUT)
    distributed.create_partitions(parts, tmp_path / "made", THREADS, on_error="report")
    file = table / "year=2021" / "a.parquet"
    pq.write_table(items(5, 5), file)
    with pytest.raises(tacore.TacoValidationError, match="another plan, which differs in partition part0003"):
        distributed.create_partitions(
            distributed.parts_of_table(table, make, **ABOUT), tmp_path / "made", THREADS, on_error="report"
        )
    with pytest.raises(tacore.TacoQueryError, match=r"partition part0003: .*a\.parquet: the file was changed"):
        distributed.create_partitions(parts, tmp_path / "other", THREADS)


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.parquet").write_text("no Parquet")
    for path, words in ((tmp_path / "none", "cannot be opened"), (tmp_path / "empty", "has no files"),
                        (tmp_path / "text.parquet", "cannot be opened"), (3, "cannot be opened")):  # fmt: skip
        with pytest.raises(tacore.TacoQueryError, match=words):
            distributed.parts_of_table(path, **ABOUT)
    pq.write_table(items(0, 1, 0), tmp_path / "bad.parquet")
    parts = distributed.parts_of_table(tmp_path / "bad.parquet", make, **ABOUT)
    with pytest.raises(
        tacore.TacoCreationError, match=r"no partition could be made; .*bad\.parquet: no row gives a sample"
    ):
        distributed.create_partitions(parts, tmp_path / "made", THREADS, on_error="report")


def test_tables_of_delta_are_read_as_their_latest_version(tmp_path: Path) -> None:
    deltalake = pytest.importorskip("deltalake")
    place = str(tmp_path / "delta")
    deltalake.write_deltalake(place, items(0, 3))
    deltalake.write_deltalake(place, items(3, 2), mode="append")
    deltalake.write_deltalake(place, items(10, 2), mode="overwrite")
    deltalake.write_deltalake(place, items(12, 1), mode="append")
    parts = distributed.parts_of_table(deltalake.DeltaTable(place), make, **ABOUT)
    assert len(parts) == 2
    made = distributed.create_partitions(parts, tmp_path / "made", THREADS)
    assert sorted(ids(made.path)) == ["s10", "s11", "s12"]
    divided = distributed.parts_of_table(deltalake.DeltaTable(place), make, rows_per_part=1, **ABOUT)
    assert len(divided) == 3
    assert ids(distributed.create_partitions(divided, tmp_path / "divided", THREADS).path) == ids(made.path)
