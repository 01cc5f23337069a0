"""Datasets: load, filters, queries, navigation, life cycle."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

import tacore


def test_a_dataset_has_the_attributes_of_its_collection(golden: Path) -> None:
    dataset = tacore.load(golden / "flat.tacozip")
    collection = dataset.collection
    assert dataset.id == collection["id"]
    assert dataset.version == collection["dataset_version"]
    assert dataset.tasks == collection["tasks"]
    assert dataset.pit_schema.root["n"] == len(dataset.data)
    collection["extent"].clear()
    assert dataset.collection["extent"]


def test_a_chain_of_filters_and_queries_is_one_query(golden: Path) -> None:
    dataset = tacore.load(golden / "flat.tacozip")
    some = dataset.sql("SELECT * FROM data WHERE cloud_cover < 50").sql("SELECT * FROM data WHERE cloud_cover > 5")
    rows = some.data.to_arrow()
    assert 0 < len(rows) < len(dataset.data)
    assert all(5 < value < 50 for value in rows["cloud_cover"].to_pylist())
    assert len(some.data) == some.pit_schema.root["n"]


def test_folders_are_frames_and_files_are_paths(golden: Path) -> None:
    rows = tacore.load(golden / "nested.tacozip").data
    children = rows.read(0)
    assert isinstance(children, tacore.TacoDataFrame)
    path = children.read(children.to_arrow()["id"][0].as_py())
    assert path.startswith("/vsisubfile/")
    assert isinstance(children.read_bytes(0), bytes)


@pytest.mark.parametrize("key", [1.5, None, True, b"x"])
def test_a_key_is_a_position_or_an_id(golden: Path, key: object) -> None:
    with pytest.raises(tacore.TacoNavigationError):
        tacore.load(golden / "flat.tacozip").data.read(key)


def test_an_error_has_its_path(tmp_path: Path) -> None:
    broken = tmp_path / "broken.tacozip"
    broken.write_bytes(b"PK\x03\x04" + b"\0" * 200)
    with pytest.raises(tacore.TacoFormatError) as caught:
        tacore.load(broken)
    assert caught.value.path == str(broken)
    with pytest.raises(FileNotFoundError) as missing:
        tacore.load(tmp_path / "missing.tacozip")
    assert isinstance(missing.value, tacore.TacoIOError)


def test_datasets_and_frames_survive_pickling(golden: Path) -> None:
    dataset = tacore.load(golden / "nested.tacozip").sql("SELECT * FROM data ORDER BY id DESC")
    for again in (pickle.loads(pickle.dumps(dataset)), copy.deepcopy(dataset)):
        assert again.data.to_arrow().equals(dataset.data.to_arrow())
    children = dataset.data[1:].read(0)[1:]
    again = pickle.loads(pickle.dumps(children))
    assert again.to_arrow().equals(children.to_arrow())
    assert again.read_bytes(0) == children.read_bytes(0)


def test_a_closed_dataset_is_an_error_and_its_children_stay_usable(golden: Path) -> None:
    with tacore.load(golden / "flat.tacozip") as dataset:
        child = dataset.sql("SELECT * FROM data LIMIT 1")
    with pytest.raises(tacore.TacoError, match="closed"):
        _ = dataset.data
    assert len(child.data) == 1


def test_file_urls_are_paths(golden: Path, tmp_path: Path) -> None:
    path = tmp_path / "a b%.tacozip"
    path.write_bytes((golden / "flat.tacozip").read_bytes())
    rows = tacore.load(path).data
    for url in (path.as_uri(), f"file://localhost{path.as_uri()[7:]}", f"file://{path}"):
        found = tacore.load(url).data
        assert [row["id"] for row in found] == [row["id"] for row in rows] and found.read(0) == rows.read(0)
    assert len(tacore.load([path.as_uri(), path.as_uri()]).data) == 2 * len(rows)
    with pytest.raises(FileNotFoundError, match="another machine"):
        tacore.load("file://elsewhere/a.tacozip")
    with pytest.raises(FileNotFoundError):
        tacore.load((tmp_path / "nothing").as_uri())


def test_stores_that_only_gdal_reads_are_an_error_that_names_the_remedy() -> None:
    for url in ("oss://bucket/x.tacozip", "swift://bucket/x.tacozip", "/vsioss/bucket/x.tacozip"):
        with pytest.raises(tacore.TacoIOError, match=r"needs GDAL.*tacore_gdal.*https://"):
            tacore.load(url)
