"""Reading: argument and result types, error classes, table libraries, texts and logs of the Python layer.

What a dataset answers is tested in C++ (src/dataset, src/query).
"""

from __future__ import annotations

import datetime as dt
import json
import logging
import math
import re
import shutil
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import tacore
from tacore import _html

BACKENDS = ["pyarrow", "polars", "pandas"]


@pytest.fixture
def flat(shared: Path) -> tacore.TacoDataset:
    return tacore.load(shared / "golden/v2/zip/flat.tacozip")


@pytest.fixture
def nested(golden: Path) -> tacore.TacoDataset:
    return tacore.load(golden / "nested.tacozip")


def ids(rows: Any) -> list[str]:
    return [row["id"] for row in rows]


def paths(folder: Path, copy_of: Path, name: str) -> Path:
    """A copy under another name."""
    target = folder / name
    shutil.copytree(copy_of, target) if copy_of.is_dir() else shutil.copy(copy_of, target)
    return target


# Loading.


def test_load_takes_text_paths_and_lists_of_both(golden: Path) -> None:
    path = golden / "flat.tacozip"
    for given in (str(path), path, [str(path)], [path], (path,)):
        assert len(tacore.load(given).data) == 5
    assert len(tacore.load([str(path), path]).data) == 10


def test_an_empty_list_is_a_value_error_and_a_query_error() -> None:
    with pytest.raises(tacore.TacoQueryError, match="empty list") as caught:
        tacore.load([])
    assert isinstance(caught.value, ValueError)


def test_a_missing_file_is_a_file_not_found_error_that_names_it(tmp_path: Path) -> None:
    missing = tmp_path / "missing.tacozip"
    with pytest.raises(FileNotFoundError, match="missing.tacozip") as caught:
        tacore.load(missing)
    assert isinstance(caught.value, tacore.TacoIOError)
    assert "scheme" not in str(caught.value)


def test_a_format_error_has_the_path(golden: Path, tmp_path: Path) -> None:
    folder = paths(tmp_path, golden / "nested", "set")
    (folder / "COLLECTION.json").write_text("{")
    with pytest.raises(tacore.TacoFormatError, match="set") as caught:
        _ = tacore.load(folder).pit_schema
    assert str(folder) in str(caught.value.path)


def test_base_path_is_a_str_or_a_path(golden: Path, tmp_path: Path) -> None:
    for base in (tmp_path, str(tmp_path)):
        rows = tacore.load(golden / "cascade_tacocat" / ".tacocat", base_path=base).data
        assert all(f",{tmp_path}/cascade_part" in row["internal:gdal_vsi"] for row in rows)


def test_a_path_may_have_any_letters(golden: Path, tmp_path: Path) -> None:
    rows = tacore.load(paths(tmp_path, golden / "nested.tacozip", "ü\n.tacozip")).data
    assert all("ü\n" in row["internal:gdal_vsi"] for row in rows)
    assert rows.read_bytes("asia/item_1") == b"asia/item_1"


def test_an_explicit_backend_overrides_what_use_set(golden: Path) -> None:
    path = golden / "flat.tacozip"
    tacore.use("polars")
    try:
        before = tacore.load(path)
        tacore.use("pandas")
        assert type(before.data._native()).__module__.startswith("polars")
        assert type(tacore.load(path, backend="pyarrow").data._native()).__module__.startswith("pyarrow")
    finally:
        tacore.use("pyarrow")


def test_an_unknown_backend_is_an_error_at_once(golden: Path) -> None:
    for call in (lambda: tacore.load(golden / "flat.tacozip", backend="x"), lambda: tacore.use("x")):
        with pytest.raises(tacore.TacoBackendError, match="pip install"):
            call()
    for name in BACKENDS:
        tacore.use(name)
        assert tacore.get_backend() == name
    tacore.use("pyarrow")


# Metadata and life cycle.


def test_attributes_and_their_defaults(golden: Path, tmp_path: Path) -> None:
    folder = paths(tmp_path, golden / "nested", "set")
    collection = json.loads((folder / "COLLECTION.json").read_text())
    (folder / "COLLECTION.json").write_text(json.dumps({k: collection[k] for k in ("id", "taco:pit_schema")}))
    dataset = tacore.load(folder)
    assert (dataset.id, dataset.version, dataset.description) == (collection["id"], "unknown", "")
    assert (dataset.tasks, dataset.extent, dataset.providers, dataset.licenses) == ([], {}, [], [])
    assert (dataset.title, dataset.curators, dataset.keywords, dataset.field_schema) == (None, None, None, {})
    assert repr(dataset) == "<TacoDataset 'nested'>\n├── Version: unknown\n└── Level 0: 3 rows"
    dataset._repr_html_()


def test_returned_collections_are_copies(nested: tacore.TacoDataset) -> None:
    first, second = nested.collection, nested.collection
    assert first == second and first is not second
    first["extent"]["spatial"] = None
    nested.pit_schema.to_dict()["hierarchy"].clear()
    nested.field_schema.clear()
    nested.tasks.append("x")
    assert nested.collection == second
    assert nested.pit_schema.max_depth() == 1


def test_navigation_columns_are_a_list_or_a_dict_of_descriptions(nested: tacore.TacoDataset) -> None:
    columns = nested.navigation_columns()
    assert columns == ["id", "internal:current_id", "internal:offset", "internal:size", "type"]
    described = nested.navigation_columns(describe=True)
    assert isinstance(described, dict) and list(described) == columns and all(described.values())


def test_repr_names_the_dataset_and_states_that_it_is_filtered(flat: tacore.TacoDataset) -> None:
    text = repr(flat)
    assert "TacoDataset" in text and flat.id in text and "2023-01-01 → 2023-05-01" in text
    assert "(filtered)" not in text
    assert "(filtered)" in repr(flat.sql("SELECT * FROM data LIMIT 2"))


@pytest.mark.parametrize(
    "name", ["dates_only_extent", "null_extent", "half_open_extent", "no_extent", "antimeridian_extent", "flat"]
)
def test_repr_and_html_never_fail(golden: Path, name: str) -> None:
    dataset = tacore.load(golden / f"{name}.tacozip")
    for each in (dataset, dataset.sql("SELECT * FROM data WHERE false")):
        assert repr(each) and each._repr_html_() and each.__geo_interface__
        assert repr(each.data) and each.data._repr_html_()
    assert "Sample -1" not in each._repr_html_()


@pytest.mark.parametrize(
    ("when", "shown"),
    [
        ("2023-01-01T00:00:00Z", "2023-01-01"),
        ("2023-01-01T00:00:00+00:00", "2023-01-01"),
        ("2023-01-01T00:00:00.000Z", "2023-01-01"),
        ("2023-01-01T10:20:30.5Z", "2023-01-01 10:20:30"),
        ("2023-01-01T10:20:30-05:00", "2023-01-01 15:20:30"),
        ("2023-01-01T10:20Z", "2023-01-01 10:20:00"),
        ("soon", "soon"),
        (None, ".."),
        ("2023-01-01", "2023-01-01"),
    ],
)
def test_midnight_is_shown_as_a_date(when: str, shown: str) -> None:
    from tacore._repr import time_text

    assert time_text(when) == shown


def hostile(golden: Path, tmp_path: Path) -> tacore.TacoDataset:
    folder = paths(tmp_path, golden / "nested", "set")
    collection = json.loads((folder / "COLLECTION.json").read_text())
    attack = "<script>alert('x')</script>&\""
    for key in ("title", "description", "dataset_version"):
        collection[key] = attack
    collection |= {"tasks": [attack], "licenses": [attack], "keywords": [attack]}
    (folder / "COLLECTION.json").write_text(json.dumps(collection))
    return tacore.load(folder)


def test_html_escapes_metadata(golden: Path, tmp_path: Path) -> None:
    page = hostile(golden, tmp_path)._repr_html_()
    assert "<script" not in page and "&lt;script&gt;" in page


class Page(HTMLParser):
    """Counts elements, and sees that each one is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.append(tag)
        self.open.append(tag)
        assert not {"src", "href", "onclick", "onload"} & {name for name, _ in attrs}

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_tree_shows_whole_labels_and_has_room_for_them() -> None:
    root = _html._Node("dataset", "FOLDER", [_html._Node("Sample 4999", "FILE"), _html._Node("x" * 30, "FILE")])
    text = _html._svg(root)
    assert ">Sample 4999</text>" in text and f">{'x' * 23}…</text>" in text
    assert int(re.search(r'width="(\d+)"', text)[1]) > 24 * 7  # type: ignore[index]


def test_html_has_four_sections_and_a_tree(golden: Path) -> None:
    for name, lines in (("flat.tacozip", 0), ("nested.tacozip", 6), ("six_levels.tacozip", 5)):
        text = tacore.load(golden / name)._repr_html_()
        page = Page(text)
        for section in ("Dimensions", "Hierarchy", "Attributes", "Fields"):
            assert f"<summary>{section}</summary>" in text
        assert "style" in page.seen and "circle" in page.seen and "script" not in page.seen
        assert page.seen.count("line") >= lines
        assert "url(" not in text and "@import" not in text
    frame = tacore.load(golden / "nested_padded.tacozip").data._repr_html_()
    assert Page(frame).seen.count("tr") == 3


def test_a_long_level_is_shortened_in_the_middle(shared: Path) -> None:
    text = tacore.load(shared / "golden/v2/folder/deep")._repr_html_()
    assert ">Sample 0<" in text and ">Sample 1<" in text and ">Sample 19<" in text and "...(+17)" in text
    assert "Sample 2<" not in text


def test_a_with_block_closes_the_dataset_and_close_may_be_repeated(golden: Path) -> None:
    with tacore.load(golden / "flat.tacozip") as dataset:
        assert len(dataset.data) == 5
    dataset.close()
    with pytest.raises(tacore.TacoError, match="closed"):
        _ = dataset.data
    with pytest.raises(ZeroDivisionError), tacore.load(golden / "flat.tacozip"):
        raise ZeroDivisionError


def test_closing_a_dataset_leaves_derived_ones_open(golden: Path) -> None:
    parent = tacore.load(golden / "flat.tacozip")
    child = parent.sql("SELECT * FROM data WHERE cloud_cover > 20")
    sibling, grandchild = parent.sql("SELECT * FROM data LIMIT 1"), child.sql("SELECT * FROM data LIMIT 2")
    child.close()
    for use in (lambda: child.data, lambda: child.sql("SELECT 1"), lambda: child.id, child.is_rsut, child.__reduce__):
        with pytest.raises(tacore.TacoError, match="closed"):
            use()
    assert "closed" in repr(child) and "closed" in child._repr_html_()
    assert (len(parent.data), len(sibling.data), len(grandchild.data)) == (5, 1, 2)


@pytest.mark.parametrize("schema", [[], {"hierarchy": {}}, {"root": {"n": 1, "type": "X"}, "hierarchy": {}}])
def test_malformed_trees_are_schema_errors(schema: Any) -> None:
    with pytest.raises(tacore.TacoSchemaError):
        tacore.PITSchema(schema)


def test_trees_are_compared_without_their_counts(nested: tacore.TacoDataset) -> None:
    tree = nested.pit_schema
    assert tree.is_compatible(tree.with_n(99)) and tree.with_n(99).root["n"] == 99 and tree.root["n"] == 3
    assert (tree.max_depth(), tacore.PITSchema({"root": {"n": 1, "type": "FILE"}, "hierarchy": {}}).max_depth()) == (
        1,
        0,
    )
    assert not tree.is_compatible(tacore.PITSchema({"root": {"n": 3, "type": "FILE"}, "hierarchy": {}}))


# SQL.


@pytest.mark.parametrize("query", ["SELEC", "SELECT nothing FROM data", None, 5])
def test_text_that_is_not_a_select_is_a_query_error(flat: tacore.TacoDataset, query: Any) -> None:
    with pytest.raises(tacore.TacoQueryError) as caught:
        len(flat.sql(query).data)
    assert isinstance(caught.value, ValueError)
    assert len(flat.data) == 5


# Filters.


def test_bounds_may_be_texts_of_numbers(flat: tacore.TacoDataset) -> None:
    assert len(flat.filter_bbox("-0.5", 39.3, -0.2, 39.6).data) == 1  # type: ignore[arg-type]


def test_an_unknown_filter_column_is_a_query_error(flat: tacore.TacoDataset) -> None:
    with pytest.raises(tacore.TacoQueryError, match="not found"):
        len(flat.filter_bbox(0, 0, 1, 1, geometry_col="nothing").data)
    with pytest.raises(tacore.TacoQueryError, match="not found"):
        len(flat.filter_datetime("2023-01-01", time_col="nothing").data)


UTC = dt.timezone.utc


@pytest.mark.parametrize(
    ("when", "count"),
    [
        ("2023-01-01/2023-01-15", 1),
        ("2023-01-01/2023-02-15", 2),
        ("2023-01-01", 1),
        (dt.datetime(2023, 1, 1), 1),
        (dt.datetime(2023, 1, 1, 15, tzinfo=UTC), 1),
        (dt.datetime(2023, 1, 2, 1, tzinfo=dt.timezone(dt.timedelta(hours=2))), 1),
        (dt.date(2023, 1, 1), 1),
        ((dt.datetime(2023, 1, 1), dt.datetime(2023, 2, 15)), 2),
        ((dt.datetime(2023, 1, 1, 1, tzinfo=UTC), dt.datetime(2023, 2, 15, tzinfo=UTC)), 1),
        ((dt.date(2023, 1, 1), dt.date(2023, 1, 31)), 2),
        (("2023-01-01", "2023-01-31"), 2),
        ("../2023-01-31", 2),
        ((None, dt.date(2023, 1, 31)), 2),  # None leaves its side open
        ((dt.datetime(2023, 2, 1), None), 3),
        (("2023-02-01", None), 3),
    ],
)
def test_filter_datetime_takes_every_form_of_time(flat: tacore.TacoDataset, when: Any, count: int) -> None:
    assert len(flat.filter_datetime(when).data) == count


@pytest.mark.parametrize(
    "when",
    [
        5, None, [], 1.5, b"2023", {}, (), (dt.datetime(2023, 1, 1),), (1, 2), (None, None),
        (dt.datetime(2023, 1, 1),) * 3, [dt.datetime(2023, 1, 1)] * 2,
    ],
)  # fmt: skip
def test_times_of_other_types_are_query_errors(flat: tacore.TacoDataset, when: Any) -> None:
    with pytest.raises(tacore.TacoQueryError, match="Invalid datetime input"):
        flat.filter_datetime(when)


@pytest.mark.parametrize("when", ["yesterday", (dt.datetime(2023, 2, 1), dt.datetime(2023, 1, 1))])
def test_malformed_times_are_query_errors(flat: tacore.TacoDataset, when: Any) -> None:
    with pytest.raises(tacore.TacoQueryError):
        len(flat.filter_datetime(when).data)


@pytest.mark.parametrize("level", [-1, 2**40])
def test_unknown_levels_are_query_errors(flat: tacore.TacoDataset, level: int) -> None:
    for find in (
        lambda: flat.filter_bbox(0, 0, 1, 1, level=level),
        lambda: flat.filter_datetime("2023-01-01", level=level),
        lambda: flat.stats_mean(0, level=level, id="x"),
    ):
        with pytest.raises(tacore.TacoQueryError, match=r"Level .*does not exist"):
            found = find()
            len(found.data)


@pytest.mark.parametrize("bound", [math.nan, "north", None, [1]])
def test_bounds_that_are_not_finite_numbers_are_query_errors(flat: tacore.TacoDataset, bound: Any) -> None:
    with pytest.raises(tacore.TacoQueryError):
        len(flat.filter_bbox(bound, 0, 1, 1).data)


# Frames; more in test_frames.py.


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    pytest.importorskip(name)
    return name


def test_len_shape_head_and_tail_agree(golden: Path, backend: str) -> None:
    rows = tacore.load(golden / "flat.tacozip", backend=backend).data
    assert (len(rows), len(rows.columns)) == rows.shape == rows._native().shape
    assert (len(rows.head()), len(rows.tail()), len(rows.head(2)), len(rows.tail(99)), len(rows.head(-1))) == (
        5,
        5,
        2,
        5,
        4,  # As in pandas and polars
    )
    assert (ids(rows.head(2)), ids(rows.tail(2))) == (["valencia", "madrid"], ["tokyo", "suva"])


def test_repr_of_a_frame_hides_padding(golden: Path, backend: str) -> None:
    for name in ("nested_padded.tacozip", "nested_padded", "flat_padded.tacozip"):
        rows = tacore.load(golden / name, backend=backend).data
        frames = [rows] + [rows.read(at) for at in range(len(rows)) if "nested" in name]
        for frame in frames:
            text = repr(frame)
            assert f"[TacoDataFrame: {len(frame)} rows, format=" in text and f"backend={backend}]" in text
            assert "TACOPAD" not in text + frame._repr_html_() + str(list(frame)) + str(frame._native())
    assert "format=zip" in text


def test_a_frame_of_pyarrow_is_shown_as_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    dataset = tacore.load(Path(__file__).parents[2] / "examples/data/landsat.tacozip", backend="pyarrow")
    lines = repr(dataset.data).splitlines()
    assert lines[0].split()[:3] == ["id", "type", "mean_nir"]
    assert lines[2].split()[:3] == ["tile_r0_c0", "FILE", "76.720703125"]
    assert max(map(len, lines)) <= 60 and any(line.startswith("Not shown: ") for line in lines)
    assert lines[-1] == "[TacoDataFrame: 16 rows, format=zip, backend=pyarrow]"
    text = repr(dataset.sql("SELECT range AS n FROM range(100)").data)
    assert text.splitlines()[2:5] == [" 0", " 1", " 2"] and "..." in text and "(showing first and last 10)" in text


def test_read_takes_a_position_or_an_id(golden: Path, backend: str) -> None:
    rows = tacore.load(golden / "nested.tacozip", backend=backend).data
    children = rows.read("asia")
    assert isinstance(children, tacore.TacoDataFrame) and type(children._native()) is type(rows._native())
    assert rows.read(1).read(0) == children.read("item_0") == rows.read("asia/item_0")


@pytest.mark.parametrize("position", [-1, 3, 2**40, 2**70, -(2**70)])
def test_positions_out_of_range_are_navigation_errors(nested: tacore.TacoDataset, position: int) -> None:
    with pytest.raises(tacore.TacoNavigationError, match=rf"Position {position} out of range \[0, 2\]"):
        nested.data.read(position)
    with pytest.raises(tacore.TacoNavigationError):
        nested.data.read(0).read_bytes([0, position])


@pytest.mark.parametrize("key", [True, 1.5, None, b"x", [0], (0,), slice(1), {}, object()])
def test_keys_of_other_types_are_navigation_errors(nested: tacore.TacoDataset, key: Any) -> None:
    for read in (nested.data.read, nested.read):
        with pytest.raises(tacore.TacoNavigationError):
            read(key)


def test_numpy_integers_are_positions(nested: tacore.TacoDataset) -> None:
    numpy = pytest.importorskip("numpy")
    children = nested.data.read(numpy.int64(1))
    assert children.read(numpy.uint8(2)) == children.read(2)
    assert children.read_bytes(numpy.array([2, 0])) == [children.read_bytes(2), children.read_bytes(0)]
    for key in (numpy.bool_(True), numpy.float64(1)):
        with pytest.raises(tacore.TacoNavigationError):
            nested.data.read(key)


@pytest.fixture(scope="module")
def long_one(golden: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A FOLDER of 50,000 rows."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    count, folder = 50_000, tmp_path_factory.mktemp("long")
    (folder / "METADATA").mkdir()
    (folder / "DATA").mkdir()
    numbers = pa.array(range(count), pa.int64())
    columns = {"id": [f"s{n}" for n in range(count)], "type": ["FILE"] * count, "stats": [[[0.5] * 9] * 4] * count}
    columns |= {"internal:current_id": numbers, "internal:parent_id": numbers}
    pq.write_table(pa.table(columns), folder / "METADATA/level0.parquet")
    tree = {"root": {"n": count, "type": "FILE"}, "hierarchy": {}}
    (folder / "COLLECTION.json").write_text(json.dumps({"id": "long", "taco:pit_schema": tree}))
    return folder


#: Seconds, ten times what is promised: the machine may be busy. What grows with the rows takes longer.
QUICK, SOON = 0.05, 0.5


def best(work: Any, times: int = 20) -> float:
    """Seconds of the fastest of several runs, as the machine may be shared."""
    took = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
    return min(took)


def test_nothing_takes_longer_with_more_rows(long_one: Path, backend: str) -> None:
    dataset = tacore.load(long_one, backend=backend)
    rows = dataset.data
    rows.read("s0"), repr(rows), rows._repr_html_()  # what the first one makes
    assert best(lambda: dataset.data.read(49_999)) < QUICK
    assert best(lambda: rows.read("s49999")) < QUICK
    assert best(lambda: rows.head()) < QUICK and best(lambda: rows[10:20]) < QUICK
    assert best(lambda: repr(rows)) < SOON and best(rows._repr_html_) < SOON and best(lambda: next(iter(rows))) < SOON
    assert rows._made == {}, "no table of all rows is made for any of it"
    rows["x"] = 1
    assert best(lambda: rows.read(49_999)) < QUICK and best(lambda: repr(rows)) < SOON


def test_every_backend_converts_to_every_other(golden: Path, backend: str) -> None:
    rows = tacore.load(golden / "flat.tacozip", backend=backend).data
    for other, module in (("arrow", "pyarrow"), ("polars", "polars"), ("pandas", "pandas")):
        pytest.importorskip(module)
        table = getattr(rows, f"to_{other}")()
        assert type(table).__module__.split(".")[0] == module and len(table) == 5


def test_frames_outlive_their_dataset(golden: Path, backend: str) -> None:
    with tacore.load(golden / "nested.tacozip", backend=backend) as dataset:
        rows = dataset.data
        some = dataset.sql("SELECT * FROM data LIMIT 1").data
    assert rows.read(0).read_bytes(0) == some.read(0).read_bytes(0)
    assert len(rows._native()) == 3


# Statistics.


def test_statistics_are_float32_arrays_or_floats(flat: tacore.TacoDataset, shared: Path) -> None:
    numpy = pytest.importorskip("numpy")
    for name in ("mean", "std", "min", "max", "p25", "p50", "median", "p75", "p95"):
        for source in (flat, flat.data):
            found = getattr(source, f"stats_{name}")([0, 1, 2])
            assert found.dtype == numpy.float32 and found.shape == (3,)
            single = getattr(source, f"stats_{name}")(numpy.int64(1))
            assert isinstance(single, float) and single == pytest.approx(found[1], rel=1e-6)
    assert flat.stats_median(0) == flat.stats_p50(0) == pytest.approx(135.6, rel=1e-6)
    nested = tacore.load(shared / "golden/v2/zip/nested.tacozip")
    classes = nested.stats_categorical(0, level=1, id="europe")
    assert classes == pytest.approx([0.4, 0.33333334, 0.26666668], rel=1e-6)
    assert nested.stats_categorical([0, 1], level=1, id="europe").shape == (2, 3)


@pytest.mark.parametrize("band", [-1, 99, 2**40, [0, 99]])
def test_bands_out_of_range_are_query_errors(flat: tacore.TacoDataset, band: Any) -> None:
    with pytest.raises(tacore.TacoQueryError):
        flat.stats_mean(band)


def test_statistics_follow_the_view(flat: tacore.TacoDataset) -> None:
    one = flat.sql("SELECT * FROM data LIMIT 1")
    assert one.stats_mean(0) == one.data.stats_mean(0) == flat.data[:1].stats_mean(0) != flat.stats_mean(0)


# Concat.


def test_concat_refuses_invalid_inputs(golden: Path, nested: tacore.TacoDataset) -> None:
    with pytest.raises(tacore.TacoQueryError, match="at least 2"):
        tacore.concat([])
    with pytest.raises(tacore.TacoBackendError, match="different backends"):
        tacore.concat([nested, tacore.load(golden / "nested.tacozip", backend="pandas")])
    with pytest.raises(tacore.TacoQueryError):
        tacore.concat([nested, nested], column_mode="nothing")
    other = nested.sql("SELECT *, 1 AS extra FROM data")
    with pytest.raises(tacore.TacoSchemaError, match="extra") as caught:
        tacore.concat([nested, other], column_mode="strict")
    assert isinstance(caught.value, ValueError)
    with pytest.raises(tacore.TacoError):
        tacore.concat([nested, "x"])  # type: ignore[list-item]


def test_concat_takes_its_mode_under_either_name(nested: tacore.TacoDataset) -> None:
    other = nested.sql("SELECT *, 1 AS extra FROM data LIMIT 2")
    assert "extra" not in tacore.concat([nested, other]).data.columns
    for name in ("mode", "column_mode"):
        filled = tacore.concat([nested, other], **{name: "fill_missing"})
        assert [row["extra"] for row in filled.data] == [None, None, None, 1, 1]


def test_dropped_columns_are_a_warning_that_can_be_switched_off(
    golden: Path, nested: tacore.TacoDataset, caplog: pytest.LogCaptureFixture
) -> None:
    other = nested.sql("SELECT *, 1 AS extra FROM data")
    len(tacore.concat([nested, other]).data)
    assert any(record.levelno == logging.WARNING and "extra" in record.message for record in caplog.records)
    said = [
        run(
            f"import tacore; {before}; a = tacore.load({str(golden / 'nested')!r});"
            "len(tacore.concat([a, a.sql('SELECT *, 1 AS extra FROM data')]).data)"
        ).stderr
        for before in ("pass", "tacore.verbose(False)")
    ]
    assert "extra" in said[0] and said[1] == ""


# Messages.


def test_writing_is_logged(golden: Path, tmp_path: Path) -> None:
    """Counts at info, offsets at debug."""
    for level in ("info", "debug"):
        told = run(
            f"import tacore; tacore.verbose({level!r})\n"
            f"tacore.export({str(golden / 'nested.tacozip')!r}, {str(tmp_path / level)!r} + '.tacozip', progress=False)\n"
            f"tacore.zip2folder({str(tmp_path / level)!r} + '.tacozip', {str(tmp_path / level)!r}, progress=False)\n"
        ).stderr
        for path in (tmp_path / f"{level}.tacozip", tmp_path / level):
            assert f"{path}: wrote 2 levels with 3, 9 samples, 9 files, 111 bytes of data" in told, told
        assert ("level1 is" in told or "level 1 is" in told) == (level == "debug")


@pytest.mark.parametrize("level", [1, 0, "INFO", None, "x", 2, [], "warning"])
def test_unknown_log_levels_are_value_errors(level: Any) -> None:
    with pytest.raises(ValueError, match="Invalid verbose level"):
        tacore.verbose(level)


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)


def test_the_log_level_can_change_and_lines_are_logged_once(golden: Path) -> None:
    path = golden / "flat.tacozip"
    done = run(
        f"import sys, tacore\n"
        f"def work(mark):\n"
        f"    print(mark, file=sys.stderr, flush=True)\n"
        f"    len(tacore.load({str(path)!r}).sql('SELECT * FROM data WHERE cloud_cover > 7').data)\n"
        f"work('quiet')\n"
        f"tacore.verbose(); work('info'); tacore.verbose(); tacore.verbose('debug'); work('debug')\n"
        f"tacore.verbose(False); work('off')\n"
    )
    assert done.stdout == ""
    quiet, rest = done.stderr.split("info\n")
    info, rest = rest.split("debug\n", 1)
    debug, off = rest.rsplit("off\n", 1)
    assert (quiet, off) == ("quiet\n", "")
    assert "INFO [tacore]" in info and "DEBUG" not in info
    assert "DEBUG [tacore]" in debug and "cloud_cover > 7" in debug
    lines = info.splitlines()
    assert len(lines) == len(set(lines))
