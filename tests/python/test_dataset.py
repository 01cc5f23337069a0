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


@pytest.mark.parametrize("backend", ["pyarrow", "polars", "pandas"])
def test_flatten_is_a_table_of_the_backend_with_the_files_that_read_finds(golden: Path, backend: str) -> None:
    library = pytest.importorskip(backend)
    dataset = tacore.load(golden / "nested.tacozip", backend=backend).sort("id", descending=True)
    files = dataset.flatten()
    assert isinstance(files, library.Table if backend == "pyarrow" else library.DataFrame)
    rows = (
        files.to_pylist()
        if backend == "pyarrow"
        else files.to_dicts()
        if backend == "polars"
        else files.to_dict("records")
    )
    found = [(row["l0:id"], row["l1:id"], row["gdal_vsi"]) for row in rows]
    ids = [row["id"] for row in dataset]
    assert ids == sorted(ids, reverse=True)
    assert found == [(id, child["id"], dataset.read(id).read(child["id"])) for id in ids for child in dataset.read(id)]
    assert list(files.columns if backend != "pyarrow" else files.column_names)[-1] == "gdal_vsi"
    assert len(dataset.flatten(level=0)) == 0  # its samples are FOLDERs


def test_datasets_that_are_sorted_limited_and_extended_survive_pickling(golden: Path) -> None:
    dataset = tacore.load(golden / "flat.tacozip")
    for some in (
        dataset.with_column("n", "length(id)").sort("n", True).limit(3),
        dataset.with_column("r", "random()").sort("r").limit(2),
        dataset.sql("SELECT *, random() AS r FROM data").limit(4),
    ):
        again = pickle.loads(pickle.dumps(some))
        assert again.to_arrow().equals(some.to_arrow()) and again.flatten().equals(some.flatten())
        assert pickle.loads(pickle.dumps(some.data)).to_arrow().equals(some.to_arrow())


def test_tables_of_sql_join_a_level_with_its_ancestors_after_the_filters(golden: Path) -> None:
    dataset = tacore.load(golden / "nested.tacozip").sql("SELECT * FROM data WHERE id = 'europe'")
    query = 'SELECT "l1:id", "l0:id", "l1:internal:gdal_vsi" FROM l1'
    rows = list(dataset.sql(query))
    assert [row["l1:internal:gdal_vsi"] for row in rows] == dataset.flatten()["gdal_vsi"].to_pylist()
    assert {row["l0:id"] for row in rows} == {"europe"}
    with pytest.raises(tacore.TacoQueryError, match=r"The tables are data, level0, level1, \.\.\., l0, l1"):
        len(dataset.sql("SELECT * FROM l5"))


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("sort", ("nothing",), "sort: no column 'nothing'"),
        ("sort", (3,), "sort: a column is text, not int"),
        ("sort", ("l4:id",), "Level 4 does not exist"),
        ("limit", (-1,), "limit: -1 rows; 0 or more expected"),
        ("limit", (-(2**70),), "limit: -1 rows; 0 or more expected"),
        ("limit", ("two",), "limit: a number of rows is an integer, not 'two'"),
        ("with_column", ("id", "1"), "Cannot modify protected column 'id'"),
        ("with_column", ("x", 1), "with_column: SQL is text, not int"),
        ("with_column", ("x", "1, 2"), "one expression expected"),
        ("flatten", (9,), "Level 9 does not exist: the deepest is 1"),
    ],
)
def test_arguments_of_sort_limit_with_column_and_flatten_that_do_not_fit_are_query_errors(
    golden: Path, method: str, arguments: tuple[object, ...], message: str
) -> None:
    with pytest.raises(tacore.TacoQueryError, match=message):
        getattr(tacore.load(golden / "nested.tacozip"), method)(*arguments)


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


def test_a_box_beside_the_dataset_is_told(caplog: pytest.LogCaptureFixture) -> None:
    dataset = tacore.load(Path(__file__).parents[2] / "examples/data/landsat.tacozip")
    assert len(dataset.filter_bbox(-8.03, -34.9, -7.9, -34.8).data) == 0
    said = caplog.messages.pop()
    assert said.startswith("no sample: the dataset covers longitude -34.8") and said.endswith("longitude and latitude swapped?")
    assert len(dataset.filter_bbox(10, 50, 11, 51).data) == 0
    assert caplog.messages[-1].endswith("and the box is longitude 10 to 11, latitude 50 to 51")
    caplog.clear()
    assert len(dataset.filter_bbox(-34.87, -8.01, -34.84, -7.98).data) > 0
    assert len(dataset.filter_bbox(-34.87, -8.01, -34.84, -7.98).sql("SELECT * FROM data WHERE false").data) == 0
    assert len(dataset.sql("SELECT * FROM data WHERE false").data) == 0
    assert caplog.messages == []
