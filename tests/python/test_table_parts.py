"""Partitions from the files of a table."""

from __future__ import annotations

import functools
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import tacore
from tacore import distributed
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
