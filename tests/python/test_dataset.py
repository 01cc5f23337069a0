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


@pytest.mark.parametrize("backend", ["pyarrow", "polars", "pandas"])
def test_a_dataset_is_the_table_of_its_rows(golden: Path, backend: str) -> None:
    pytest.importorskip(backend)
    dataset = tacore.load(golden / "nested.tacozip", backend=backend)
    some = dataset.sql("SELECT * FROM data ORDER BY id LIMIT 2")
    rows = some.data
    assert len(some) == 2 and some.shape == (2, len(rows.columns)) and some.columns == rows.columns
    assert [row["id"] for row in some] == list(rows["id"].tolist() if backend == "pandas" else rows["id"].to_pylist()
                                               if backend == "pyarrow" else rows["id"].to_list())  # fmt: skip
    assert some.to_arrow().equals(rows.to_arrow()) and "id" in some and "nothing" not in some
    assert some.to_pandas().equals(rows.to_pandas()) and some.to_polars().equals(rows.to_polars())
    assert some.head(1).to_arrow().equals(some[0:1].to_arrow()) and some.tail(1).read(0) is not None
    assert len(dataset.sql("SELECT id FROM data")) == len(dataset)
    pandas = pytest.importorskip("pandas")
    assert list(pandas.DataFrame(some)["id"]) == list(some.to_pandas()["id"])
    if backend == "pandas":
        assert some.iloc[0]["id"] == rows.to_pandas().iloc[0]["id"]
        assert some[some["id"] == some.iloc[1]["id"]].read(0) is not None


def test_a_dataset_without_rows_is_still_true_and_an_unknown_attribute_is_an_error(golden: Path) -> None:
    dataset = tacore.load(golden / "nested.tacozip").sql("SELECT * FROM data LIMIT 0")
    assert dataset and len(dataset) == 0 and list(dataset) == []
    with pytest.raises(AttributeError, match="'TacoDataset' object has no attribute 'no_such_thing'"):
        dataset.no_such_thing  # noqa: B018
    assert not hasattr(dataset, "__no_such_protocol__")
    dataset.close()
    with pytest.raises(tacore.TacoError, match="is closed"):
        len(dataset)


def test_a_statistic_of_one_band_is_a_number_with_item() -> None:
    pytest.importorskip("numpy")
    dataset = tacore.load(Path(__file__).parents[2] / "examples/data/landsat.tacozip")
    mean = dataset.stats_mean(band=0)
    assert isinstance(mean, float) and mean.item() == float(mean)  # type: ignore[attr-defined]


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
