"""Programs of others, as they are written for the published reader: `import tacore as tacoreader`."""

from __future__ import annotations

import concurrent.futures
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import tacore as tacoreader
import tacore.raster  # noqa: F401
import tacore.v1  # noqa: F401


def parse(path: str) -> tuple[str, int, int]:
    """Parses a VSI path as user code does."""
    found = re.fullmatch(r"/vsisubfile/(\d+)_(\d+),(.+)", path)
    assert found
    return found[3], int(found[1]), int(found[2])


def read_range(path: str) -> bytes:
    name, offset, size = parse(path)
    with open(name, "rb") as file:
        file.seek(offset)
        return file.read(size)


class Training:
    """The loop of a training on CloudSEN12: samples by position, children by position."""

    def __init__(self, path: str, index: list[int]) -> None:
        self.ds = tacoreader.load(path)
        self.index = index

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, i: int) -> tuple[bytes, bytes]:
        image = self.ds.read(self.index[i]).read(0)
        label = self.ds.data.read(self.index[i]).read(1)
        return read_range(image), read_range(label)


def test_a_training_loop_reads_samples_by_position(golden: Path) -> None:
    training = Training(str(golden / "nested.tacozip"), [2, 0])
    assert [training[i] for i in range(len(training))] == [
        (b"europe/item_0", b"europe/item_1"),
        (b"africa/item_0", b"africa/item_1"),
    ]


def test_samples_are_read_by_id_as_in_loaders(golden: Path) -> None:
    ds = tacoreader.load(str(golden / "nested.tacozip"))
    rows = ds.data
    ids = rows.to_arrow()["id"].to_pylist()
    bytes_of = {name: [read_range(rows.read(name).read(f"item_{n}")) for n in range(3)] for name in ids}
    assert bytes_of["asia"] == [b"asia/item_0", b"asia/item_1", b"asia/item_2"]


def reload_and_read(arguments: tuple[str, int]) -> list[bytes]:
    """Methane projects: each worker opens the dataset again."""
    path, position = arguments
    sub = tacoreader.load(path).data.read(position)
    return [read_range(sub.read(n)) for n in range(len(sub))]


def test_workers_of_a_pool_load_the_dataset_again(golden: Path) -> None:
    path = str(golden / "nested.tacozip")
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        results = list(pool.map(reload_and_read, [(path, n) for n in range(3)]))
    assert results[1] == [b"asia/item_0", b"asia/item_1", b"asia/item_2"]


def test_a_filtered_frame_converts_to_pandas_through_arrow(golden: Path) -> None:
    pd = pytest.importorskip("pandas")
    ds = tacoreader.load(str(golden / "flat.tacozip"))
    found = ds.filter_datetime("2023-01-01/2023-03-31").filter_bbox(-10, 35, 5, 44)
    table = found.data.to_arrow().to_pandas()
    assert isinstance(table, pd.DataFrame) and table["id"].tolist() == ["valencia", "madrid"]
    assert found.data.to_pandas().equals(table)


def test_files_of_a_cascade_filter_are_read(golden: Path) -> None:
    ds = tacoreader.load(str(golden / "cascade_tacocat"))
    files = []
    found = ds.filter_datetime("2023-01-01/2023-12-31").filter_bbox(-10, 35, 5, 44, level=1)
    for i in range(len(found.data)):
        country = found.data.read(i)
        for j in range(len(country)):
            cities = country.read(j)
            files += [cities.read(k) for k in range(len(cities))]
    assert [read_range(path) for path in files] == [b"europe/country_0/city_0", b"europe/country_0/city_1"]


def test_padding_may_be_excluded_by_hand(golden: Path) -> None:
    ds = tacoreader.load(str(golden / "flat_padded.tacozip"))
    again = ds.sql("SELECT * FROM data WHERE id NOT LIKE '\\_\\_TACOPAD\\_\\_%' ESCAPE '\\'")
    assert len(again.data) == len(ds.data) == 3


def test_levels_are_joined_in_sql(golden: Path) -> None:
    ds = tacoreader.load(str(golden / "nested.tacozip"))
    query = """
        SELECT l1.id, l1."internal:gdal_vsi" AS path, l0.region
        FROM level1 l1 JOIN level0 l0 ON l1."internal:parent_id" = l0."internal:current_id"
        WHERE l0.region = 'ASIA' ORDER BY l1.id
    """
    files = ds.sql(query)
    assert [read_range(path) for path in files.data.to_arrow()["path"].to_pylist()] == [
        b"asia/item_0", b"asia/item_1", b"asia/item_2",
    ]  # fmt: skip
    assert not files.is_rsut()


@pytest.mark.parametrize("backend", ["pyarrow", "polars", "pandas"])
def test_the_documented_tour_works(golden: Path, backend: str) -> None:
    pytest.importorskip(backend)
    tacoreader.use(backend)
    try:
        with tacoreader.load(str(golden / "flat.tacozip")) as dataset:
            assert dataset.id == "flat" and dataset.pit_schema.root["n"] == 5
            cloud_free = dataset.sql("SELECT * FROM data WHERE cloud_cover < 30")
            tdf = cloud_free.data
            assert len(tdf) == 2 and len(tdf.columns) == tdf.shape[1]
            assert isinstance(tdf.read(0), str) and tdf.read(tdf["id"][1] if backend != "pyarrow" else "madrid")
            merged = tacoreader.concat([cloud_free, dataset.sql("SELECT * FROM data WHERE cloud_cover > 60")])
            assert len(merged.data) == 3
            assert "internal:source_path" in merged.data_raw.columns
    finally:
        tacoreader.use("pyarrow")
    tacoreader.clear_cache()


def test_the_top_level_has_the_names_of_the_published_reader() -> None:
    names = ["TacoDataFrame", "TacoDataset", "clear_cache", "concat", "get_backend", "load", "use", "verbose"]
    assert all(hasattr(tacoreader, name) for name in names) and set(names) <= set(tacoreader.__all__)
    assert isinstance(tacoreader.__version__, str)


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("dataset", ["TacoDataset"]),
        ("schema", ["PITSchema"]),
        ("concat", ["concat"]),
        ("loader", ["load"]),
        ("dataframe", ["TacoDataFrame"]),
        ("dataframe.base", ["TacoDataFrame"]),
        ("dataframe.pandas", ["TacoDataFramePandas"]),
        ("dataframe.polars", ["TacoDataFramePolars"]),
        ("dataframe.pyarrow", ["TacoDataFrameArrow"]),
        ("create", ["create"]),
        ("tacocat", ["create_tacocat", "TacoCatWriter"]),
        ("docs", ["generate_html", "generate_markdown"]),
        ("datamodel.sample", ["Sample"]),
        ("validator.tortilla", ["ValidationError"]),
        ("api", ["export", "zip2folder", "folder2zip"]),
        ("plan", ["plan_export", "plan_zip2folder", "plan_folder2zip"]),
        ("execute", ["execute"]),
        ("finalize", ["finalize"]),
    ],
)
def test_modules_of_the_published_packages_have_their_names(module: str, names: list[str]) -> None:
    for name in names:
        found: dict[str, Any] = {}
        exec(f"from tacore.{module} import {name}", found)
        public = getattr(tacoreader, name, None)
        assert callable(found[name]) and public in (None, found[name])
        assert not isinstance(public, ModuleType)
    with pytest.raises(ImportError, match="nothing"):
        exec(f"from tacore.{module} import nothing")


def test_small_modules_are_attributes_unless_a_function_has_the_name() -> None:
    program = """
import importlib.util, tacore
assert tacore.dataset.TacoDataset is tacore.TacoDataset
assert tacore.dataframe.pandas.TacoDataFramePandas is tacore.TacoDataFrame
import tacore.concat, tacore.create, tacore.execute, tacore.finalize
assert all(callable(each) for each in (tacore.concat, tacore.create, tacore.execute, tacore.finalize))
assert importlib.util.find_spec("tacore.schema") is not None
assert not hasattr(tacore.schema, "__file__")
"""
    subprocess.run([sys.executable, "-c", program], check=True)


# Paths.


@pytest.mark.parametrize("as_bytes", [False, True])
def test_path_names_that_are_not_utf_8_work(golden: Path, tmp_path: Path, as_bytes: bool) -> None:
    name = os.fsencode(tmp_path) + b"/caf\xe9.tacozip"
    try:
        Path(os.fsdecode(name)).write_bytes((golden / "flat.tacozip").read_bytes())
    except OSError:
        pytest.skip("this file system has no such names")
    path: Any = name if as_bytes else os.fsdecode(name)
    rows = tacoreader.load(path).data
    assert rows.read(0).endswith("caf\udce9.tacozip") and rows.read_bytes(0) == read_range(rows.read(0))
    assert "caf" in rows._repr_html_() and rows._repr_html_().encode()
    assert next(iter(rows))["internal:gdal_vsi"] == rows.read(0)
    assert rows.__geo_interface__ and repr(rows).encode("utf-8", "surrogateescape")
    with pytest.raises(FileNotFoundError) as missing:
        tacoreader.load(os.fsdecode(name) + "x")
    assert missing.value.path == os.fsdecode(name) + "x"


def test_every_type_of_path_is_accepted(golden: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Somewhere:
        def __fspath__(self) -> str:
            return str(golden / "flat.tacozip")

    for path in (Somewhere(), [Somewhere()], os.fsencode(golden / "flat.tacozip"), f"{golden}//flat.tacozip"):
        assert len(tacoreader.load(path).data) == 5
    assert len(tacoreader.load(f"{golden}/nested/").data) == 3
    monkeypatch.setenv("HOME", str(golden))
    with pytest.raises(FileNotFoundError):
        tacoreader.load("~/flat.tacozip")  # as the published reader has it


@pytest.mark.parametrize("path", [None, 5, 1.5, [None], [5], {}, object()])
def test_a_value_that_is_not_a_path_is_a_type_error(path: Any) -> None:
    with pytest.raises(TypeError):
        tacoreader.load(path)


@pytest.mark.parametrize("path", ["", "a\0b", "/"])
def test_invalid_paths_are_tacore_errors(path: str) -> None:
    with pytest.raises(tacoreader.TacoError):
        tacoreader.load(path)


def test_cache_is_accepted(golden: Path) -> None:
    assert len(tacoreader.load(golden / "flat.tacozip", cache=False).data) == 5


@pytest.mark.parametrize(
    "call",
    [
        lambda: tacoreader.v1.histograms(3),
        lambda: tacoreader.v1.profiles(3),
        lambda: tacoreader.v1.create(3, "x.taco"),
        lambda: tacoreader.v1.sanity_check(3),
        lambda: tacoreader.v1.read_chunk(3, "a::0"),
        lambda: tacoreader.raster.stored_summary(3),
    ],
)
def test_what_is_no_dataset_is_told_in_words(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match=r"a (dataset|Tortilla).* is expected, not int"):
        call()
