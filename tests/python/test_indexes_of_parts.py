"""The index of many partitions: the rows of all, or the bounds of each."""

from __future__ import annotations

import functools
import json
import os
import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import tacore
from moto_server import Moto
from tacore import distributed
from tacore.datamodel import Sample, Taco, Tortilla
from test_distributed import ABOUT, client, contents, dask_client, processes  # noqa: F401
from test_partitions import bucket, moto, stored  # noqa: F401

THREADS = ThreadPoolExecutor(2)


def point(lon: float, lat: float) -> bytes:
    return struct.pack("<BIdd", 1, 1, lon, lat)


def placed(number: int, **more: Any) -> Taco:
    """Five FOLDERs of two FILEs, from 20 * number degrees east on, one day each."""
    samples = []
    for n in range(5):
        children = Tortilla([Sample(name, f"{number}{n}{name}".encode()) for name in ("image", "mask")])
        sample = Sample(f"s{number}-{n}", children, **more)
        sample.extend_with(
            {"stac:centroid": point(20 * number + n, n), "stac:time_start": f"2024-01-{10 * number + n + 1:02}"}
        )
        samples.append(sample)
    return Taco(Tortilla(samples), **ABOUT)


PARTS = {f"p{number}": functools.partial(placed, number) for number in range(3)}
KINDS = {"tacocat": [".tacocat"], "tacollection": ["TACOLLECTION.json"], "both": [".tacocat", "TACOLLECTION.json"]}


def indexes(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name in (".tacocat", "TACOLLECTION.json"))


@pytest.mark.parametrize("kind", KINDS)
def test_each_index_has_what_all_partitions_have_together(client: Any, tmp_path: Path, kind: str) -> None:
    made = distributed.create_partitions(PARTS, tmp_path, client, index=kind)
    assert indexes(tmp_path) == KINDS[kind] and made.path == tmp_path / KINDS[kind][0]
    for name in KINDS[kind]:
        file = tmp_path / name / "COLLECTION.json" if name == ".tacocat" else tmp_path / name
        found = json.loads(file.read_text())
        assert found["taco:pit_schema"] == {
            "root": {"n": 15, "type": "FOLDER"},
            "hierarchy": {"1": [{"n": 30, "type": ["FILE", "FILE"], "id": ["image", "mask"]}]},
        }
        assert found["extent"]["spatial"] == [0, 0, 44, 4]
        assert [day[:10] for day in found["extent"]["temporal"]] == ["2024-01-01", "2024-01-25"]
        sources = found["taco:sources"]
        assert sources["files"] == ["p0.tacozip", "p1.tacozip", "p2.tacozip"]
        assert [each["spatial"] for each in sources["extents"]] == [[20 * n, 0, 20 * n + 4, 4] for n in range(3)]
        dataset = tacore.load(tmp_path / name)
        assert len(dataset.data) == 15
        assert dataset.filter_bbox(21, 0, 23, 9).data.to_arrow()["id"].to_pylist() == ["s1-1", "s1-2", "s1-3"]
        assert dataset.data.read("s2-4").read_bytes("mask") == b"24mask"
        assert tacore.validator.validate(tmp_path / name, deep=True) == []
        if name == "TACOLLECTION.json":
            assert [[level["num_rows"] for level in each] for each in sources["bounds"]] == [[5, 10]] * 3


def test_another_index_of_the_same_partitions_is_added(tmp_path: Path) -> None:
    distributed.create_partitions(PARTS, tmp_path, THREADS, index="tacollection")
    before = contents(tmp_path)
    made = distributed.create_partitions(PARTS, tmp_path, THREADS, index="tacocat")
    assert made.num_kept == 3 and indexes(tmp_path) == KINDS["both"]
    assert {**contents(tmp_path), **before} == contents(tmp_path)
    distributed.create_partitions(PARTS, tmp_path / "both", THREADS, index="both")
    assert contents(tmp_path / "both").items() <= contents(tmp_path).items()


def test_an_index_of_replaced_partitions_goes(tmp_path: Path) -> None:
    distributed.create_partitions(PARTS, tmp_path, THREADS, index="both")
    others = {name: PARTS[name] for name in ("p0", "p1")}
    with pytest.raises(tacore.TacoValidationError, match="another plan"):
        distributed.create_partitions(others, tmp_path, THREADS, index="tacollection")
    made = distributed.create_partitions(others, tmp_path, THREADS, index="tacollection", overwrite=True)
    assert indexes(tmp_path) == ["TACOLLECTION.json"] and len(tacore.load(made.path).data) == 10
    assert not any("TACO" in name or "tacocat" in name for name in os.listdir(tmp_path / ".parts"))


def test_an_index_of_others_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "TACOLLECTION.json").write_text("{}")
    for kind in KINDS:
        with pytest.raises(tacore.TacoValidationError, match=r"TACOLLECTION\.json: exists already"):
            distributed.create_partitions(PARTS, tmp_path, THREADS, index=kind)
    with pytest.raises(tacore.TacoValidationError, match="index is 'rows'; 'tacocat', 'tacollection' or 'both'"):
        distributed.create_partitions(PARTS, tmp_path, THREADS, index="rows")


def test_partitions_with_other_columns_have_no_bounds(tmp_path: Path) -> None:
    parts = {"a": PARTS["p0"], "b": functools.partial(placed, 1, cloud=0.5)}
    made = distributed.create_partitions(parts, tmp_path, THREADS, index="tacollection", validate_schema=False)
    assert "bounds" not in json.loads(Path(made.path).read_text())["taco:sources"]
    with pytest.raises(tacore.TacoSchemaError, match="column cloud of level 0 is missing in partition a"):
        distributed.create_partitions(parts, tmp_path / "same", THREADS, index="tacollection")


def test_a_full_disk_at_the_index_is_made_good_by_the_same_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    expected = tmp_path / "expected"
    distributed.create_partitions(PARTS, expected, THREADS, index="both")
    for step in ("create_tacocat", "create_tacollection"):
        folder = tmp_path / step
        with monkeypatch.context() as patched:
            patched.setattr(tacore._core, step, full)
            with pytest.raises(tacore.TacoIOError, match="No space left"):
                distributed.create_partitions(PARTS, folder, THREADS, index="both")
        assert distributed.create_partitions(PARTS, folder, THREADS, index="both").num_kept == 3
        assert contents(folder) == contents(expected)


def full(*arguments: Any) -> None:
    raise tacore.TacoIOError("cannot write: No space left on device")


@pytest.mark.parametrize("kind", KINDS)
def test_indexes_in_a_store_are_those_of_a_folder(
    moto: Moto, bucket: str, tmp_path: Path, kind: str  # noqa: F811
) -> None:  # fmt: skip
    made = distributed.create_partitions(PARTS, f"s3://{bucket}/chips", THREADS, index=kind)
    assert made.path == f"s3://{bucket}/chips/{KINDS[kind][0]}"
    distributed.create_partitions(PARTS, tmp_path, THREADS, index=kind)
    assert stored(moto, bucket) == contents(tmp_path)
    found = tacore.load(made.path, trust_bounds=True).filter_bbox(21, 0, 23, 9).data
    assert found.to_arrow()["id"].to_pylist() == ["s1-1", "s1-2", "s1-3"]
    assert found.read(0).read_bytes("image") == b"11image"
