"""Frames over pyarrow, polars and pandas tables: results, protected columns and Python's protocols."""

from __future__ import annotations

import copy
import datetime as dt
import decimal
import math
import pickle
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tacore
from tacore import TacoDataFrame, _core

pa = pytest.importorskip("pyarrow")
pc = pytest.importorskip("pyarrow.compute")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")
np = pytest.importorskip("numpy")

BACKENDS = ["pyarrow", "polars", "pandas"]
IDS = ["valencia", "madrid", "new_york", "tokyo", "suva"]


def flat(golden: Path, backend: str) -> Any:
    return tacore.load(golden / "flat.tacozip", backend=backend).data


@pytest.fixture(params=BACKENDS)
def rows(golden: Path, request: pytest.FixtureRequest) -> Any:
    return flat(golden, request.param)


@pytest.fixture
def arrow(golden: Path) -> Any:
    return flat(golden, "pyarrow")


@pytest.fixture
def polars(golden: Path) -> Any:
    return flat(golden, "polars")


@pytest.fixture
def pandas(golden: Path) -> Any:
    return flat(golden, "pandas")


def navigates(found: Any, expected: list[str], golden: Path) -> None:
    """The result is a frame whose rows lead to these samples."""
    assert isinstance(found, TacoDataFrame) and len(found) == len(expected)
    whole = tacore.load(golden / "flat.tacozip").data
    assert [found.read(at) for at in range(len(found))] == [whole.read(name) for name in expected]
    assert found.columns == _columns(found._native()) == list(next(iter(found), found.columns))
    if "id" in found.columns:
        assert [row["id"] for row in found] == expected
    again = pickle.loads(pickle.dumps(found))
    assert list(again) == list(found) and [again.read(at) for at in range(len(again))] == [
        whole.read(n) for n in expected
    ]


Step = Callable[[Any], Any]

POLARS_ROWS: dict[str, tuple[Step, list[int]]] = {
    "filter": (lambda d: d.filter(pl.col("cloud_cover") > 30), [2, 3, 4]),
    "filter by sql": (lambda d: d.filter("cloud_cover > 30"), [2, 3, 4]),
    "filter numbers": (lambda d: d.filter(pl.all_horizontal(pl.selectors.numeric() > 30)), [2, 3, 4]),
    "sort": (lambda d: d.sort("cloud_cover", descending=True), [4, 3, 2, 1, 0]),
    "sort twice": (lambda d: d.sort("id").sort("cloud_cover"), [0, 1, 2, 3, 4]),
    "limit": (lambda d: d.limit(2), [0, 1]),
    "slice": (lambda d: d.slice(1, 2), [1, 2]),
    "reverse": (lambda d: d.reverse(), [4, 3, 2, 1, 0]),
    "unique": (lambda d: d.unique(maintain_order=True), [0, 1, 2, 3, 4]),
    "unique subset": (lambda d: d.unique(subset=["type"], keep="first"), [0]),
    "unique of twins": (lambda d: d[[0, 0, 1]].unique(maintain_order=True), [0, 1]),
    "drop_nulls": (lambda d: d.drop_nulls(), [0, 1, 2, 3, 4]),
    "top_k": (lambda d: d.top_k(1, by="cloud_cover"), [4]),
    "gather_every": (lambda d: d.gather_every(2), [0, 2, 4]),
    "select": (lambda d: d.select("cloud_cover"), [0, 1, 2, 3, 4]),
    "select all": (lambda d: d.select(pl.all()), [0, 1, 2, 3, 4]),
    "with_columns": (lambda d: d.with_columns(x=pl.col("cloud_cover") * 2).filter(pl.col("x") > 100), [4]),
    "cast": (lambda d: d.cast({"cloud_cover": pl.Int64}), [0, 1, 2, 3, 4]),
    "drop": (lambda d: d.drop("id", "cloud_cover")[1:2], [1]),
    "rename": (lambda d: d.rename({"cloud_cover": "x"}).sort("x").tail(1), [4]),
    "columns": (lambda d: d[["id", "cloud_cover"]], [0, 1, 2, 3, 4]),
    "rows": (lambda d: d[[3, 1]], [3, 1]),
    "one row": (lambda d: d[2], [2]),
    "numpy rows": (lambda d: d[np.array([4, 0])], [4, 0]),
}

PANDAS_ROWS: dict[str, tuple[Step, list[int]]] = {
    "query": (lambda d: d.query("cloud_cover > 30"), [2, 3, 4]),
    "sort_values": (lambda d: d.sort_values("cloud_cover", ascending=False), [4, 3, 2, 1, 0]),
    "reset": (lambda d: d.sort_values("cloud_cover", ascending=False).reset_index(drop=True), [4, 3, 2, 1, 0]),
    "ignore_index": (lambda d: d.sort_values("cloud_cover", ascending=False, ignore_index=True)[:1], [4]),
    "assign": (lambda d: d.assign(x=lambda t: t["cloud_cover"] * 2).query("x > 100"), [4]),
    "mask": (lambda d: d[d["cloud_cover"] > 30], [2, 3, 4]),
    "mask of attribute": (lambda d: d[d.cloud_cover > 30], [2, 3, 4]),
    "list mask": (lambda d: d[[True, False, False, False, True]], [0, 4]),
    "columns": (lambda d: d[["id", "cloud_cover"]], [0, 1, 2, 3, 4]),
    "filter columns": (lambda d: d.filter(like="cloud"), [0, 1, 2, 3, 4]),
    "drop column": (lambda d: d.drop(columns=["cloud_cover"]), [0, 1, 2, 3, 4]),
    "drop label": (lambda d: d.sort_values("cloud_cover", ascending=False).drop(4), [3, 2, 1, 0]),
    "dropna": (lambda d: d.dropna(how="all"), [0, 1, 2, 3, 4]),
    "dropna columns": (lambda d: d.dropna(axis=1), [0, 1, 2, 3, 4]),
    "drop_duplicates": (lambda d: d.drop_duplicates("type"), [0]),
    "drop twins": (lambda d: d.take([0, 0, 1]).drop_duplicates(), [0, 1]),
    "nlargest": (lambda d: d.nlargest(2, "cloud_cover"), [4, 3]),
    "sample": (lambda d: d.sample(5, random_state=1).sort_values("cloud_cover"), [0, 1, 2, 3, 4]),
    "astype": (lambda d: d.astype({"cloud_cover": "int64"}), [0, 1, 2, 3, 4]),
    "set_index": (lambda d: d.set_index("cloud_cover").sort_index(ascending=False)[:2], [4, 3]),
    "fillna": (lambda d: d.fillna({"cloud_cover": 0}), [0, 1, 2, 3, 4]),
    "copy": (lambda d: d.copy(), [0, 1, 2, 3, 4]),
    "by sql": (lambda d: d.filter("cloud_cover > 30"), [2, 3, 4]),
}

ARROW_ROWS: dict[str, tuple[Step, list[int]]] = {
    "filter": (lambda d: d.filter(pc.field("cloud_cover") > 30), [2, 3, 4]),
    "filter mask": (lambda d: d.filter(pc.greater(d["cloud_cover"], 30)), [2, 3, 4]),
    "filter by sql": (lambda d: d.filter("cloud_cover > 30"), [2, 3, 4]),
    "sort_by": (lambda d: d.sort_by([("cloud_cover", "descending")]), [4, 3, 2, 1, 0]),
    "sql after sort": (lambda d: d.sort_by([("cloud_cover", "descending")]).filter("cloud_cover > 30"), [4, 3, 2]),
    "take": (lambda d: d.take([3, 1, 1]), [3, 1, 1]),
    "slice": (lambda d: d.slice(1, 2), [1, 2]),
    "drop_null": (lambda d: d.drop_null(), [0, 1, 2, 3, 4]),
    "select": (lambda d: d.select(["cloud_cover"]), [0, 1, 2, 3, 4]),
    "columns": (lambda d: d[["id", "cloud_cover"]], [0, 1, 2, 3, 4]),
    "drop": (lambda d: d.drop(["cloud_cover", "id"]), [0, 1, 2, 3, 4]),
    "append_column": (lambda d: d.append_column("x", pa.array(range(5))).filter(pc.field("x") > 3), [4]),
    "rename_columns": (lambda d: d.rename_columns({"cloud_cover": "x"}), [0, 1, 2, 3, 4]),
    "cast": (lambda d: d.cast(d.schema), [0, 1, 2, 3, 4]),
}

CASES = [
    pytest.param(backend, *case, id=f"{backend}: {name}")
    for backend, cases in (("polars", POLARS_ROWS), ("pandas", PANDAS_ROWS), ("pyarrow", ARROW_ROWS))
    for name, case in cases.items()
]


@pytest.mark.parametrize(("backend", "step", "expected"), CASES)
def test_operations_that_keep_rows_keep_navigation(golden: Path, backend: str, step: Step, expected: list[int]) -> None:
    before = flat(golden, backend)
    columns = before.columns
    navigates(step(before), [IDS[at] for at in expected], golden)
    assert before.columns == columns and [row["id"] for row in before] == IDS


@pytest.mark.parametrize(
    ("expected", "key"),
    [([1, 2], slice(1, 3)), ([4, 2, 0], slice(None, None, -2)), ([3, 4], slice(-2, None)), ([], slice(5, 9))],
)
def test_slices_are_frames(rows: Any, golden: Path, expected: list[int], key: slice) -> None:
    navigates(rows[key], [IDS[at] for at in expected], golden)
    navigates(rows[key][:1], [IDS[at] for at in expected[:1]], golden)


def test_polars_expressions_keep_rows_with_their_data(polars: Any, golden: Path) -> None:
    """The values of a row belong to the sample that it reads, or the result is a polars table."""
    by_cover = [at for _, at in sorted((row["cloud_cover"], at) for at, row in enumerate(polars))]
    for method in ("select", "select_seq", "with_columns", "with_columns_seq"):
        moved = getattr(polars, method)(pl.all().sort_by("cloud_cover", descending=True))
        navigates(moved, [IDS[at] for at in by_cover[::-1]], golden)
        assert [row["id"] for row in moved] == [IDS[at] for at in by_cover[::-1]]
    few = polars.drop("id", "type", "internal:gdal_vsi")
    navigates(few, IDS, golden)
    navigates(few.select("cloud_cover"), IDS, golden)
    for native in (
        few.select(pl.all().sort_by("cloud_cover")),
        few.select(pl.all().shuffle(1)),
        few.with_columns(pl.all().reverse()),
        few.select(pl.col("cloud_cover").reverse()),
        few.select("^cloud.*$"),
        few.shift(1),
    ):
        assert type(native) is pl.DataFrame
    navigates(polars.select("id", pl.col("cloud_cover") * 2), IDS, golden)
    assert type(polars.select(pl.col("cloud_cover").mean())) is pl.DataFrame


def test_indexers_of_pandas_give_frames(pandas: Any, golden: Path) -> None:
    navigates(pandas.iloc[1:3], IDS[1:3], golden)
    navigates(pandas.iloc[[4, 0]], [IDS[4], IDS[0]], golden)
    navigates(pandas.loc[pandas.cloud_cover > 30], IDS[2:], golden)
    navigates(pandas.loc[[3, 1]], [IDS[3], IDS[1]], golden)
    assert pandas.loc[2, "id"] == IDS[2] and pandas.iat[1, 0] == IDS[1]


def test_protected_columns_keep_their_names(rows: Any) -> None:
    """A protected column may be dropped, which hides it, but not renamed."""
    others = {
        "pyarrow": [lambda d: d.rename_columns(["x", *d.column_names[1:]])],
        "polars": [lambda d: d.rename({"id": "x"})],
        "pandas": [
            lambda d: d.rename(columns={"id": "x"}),
            lambda d: d.add_prefix("x"),
            lambda d: d.set_axis(list("abcdef"), axis=1),
        ],
    }
    for rename in others[rows._backend]:
        with pytest.raises(ValueError, match="Cannot modify protected column"):
            rename(rows)


def test_an_unmodified_pandas_frame_has_exact_tables(tmp_path: Path) -> None:
    """pandas lacks nulls in integers and some types, so unmodified rows bypass it."""
    table = pa.table({
        "big": pa.array([2**53 + 1, None, 2**63 - 1]),
        "unsigned": pa.array([2**63 - 1, None, 0], pa.uint64()),
        "lists": pa.array([[1, None], None, []], pa.list_(pa.int64())),
        "real": pa.array([float("nan"), None, 1.0]),
    })  # fmt: skip
    from tacore.datamodel import Sample, Taco, Tortilla

    samples = Tortilla([Sample(id=f"s{n}", path=b"x") for n in range(3)])
    samples.extend_with(table)
    about: dict[str, Any] = {"id": "t", "dataset_version": "1", "description": "d", "licenses": ["MIT"]}
    tacore.create(Taco(samples, **about, providers=[{"name": "p"}], tasks=["other"]), tmp_path / "x.tacozip")
    frame = tacore.load(tmp_path / "x.tacozip", backend="pandas").data
    expected = tacore.load(tmp_path / "x.tacozip", backend="pyarrow").data.to_arrow()
    assert repr(frame.to_arrow().to_pylist()) == repr(expected.to_pylist())  # NaN is not equal to itself
    assert frame.to_arrow().schema.equals(expected.schema) and expected["big"].to_pylist() == [2**53 + 1, None, 2**63 - 1]
    assert repr(frame[1:].to_arrow().to_pylist()) == repr(expected[1:].to_pylist())
    assert frame.to_polars()["unsigned"].to_list() == [2**63 - 1, None, 0]


def test_pandas_values_are_not_shared_between_frames(golden: Path) -> None:
    """A write into an array of one frame does not appear in another frame."""
    dataset = tacore.load(golden / "flat.tacozip", backend="pandas")
    frame = dataset.data
    try:
        frame["id"].array[0] = "HACK"
    except ValueError:  # read-only
        pass
    copied = copy.copy(frame)
    copied["x"] = 1
    again = copy.copy(copied)
    again["x"].array[0] = 2
    assert copied["x"].tolist() == [1] * 5
    assert [row["id"] for row in dataset.data] == IDS
    assert dataset.data["id"].tolist() == IDS


@pytest.mark.parametrize("n", [-9, -5, -2, -1, 0, 1, 5, 9])
def test_negative_head_and_tail_count_from_the_other_end(golden: Path, n: int) -> None:
    """As in pandas and polars: all rows but that many."""
    for backend in BACKENDS:
        rows = flat(golden, backend)
        expected = rows.to_pandas()
        assert [row["id"] for row in rows.head(n)] == expected.head(n)["id"].tolist()
        assert [row["id"] for row in rows.tail(n)] == expected.tail(n)["id"].tolist()


def test_head_and_tail_are_frames(rows: Any, golden: Path) -> None:
    navigates(rows.head(np.int64(2)), IDS[:2], golden)
    navigates(rows.tail(2), IDS[-2:], golden)
    rows["x"] = [1, 2, 3, 4, 5]
    navigates(rows.head(2), IDS[:2], golden)
    assert [row["x"] for row in rows.tail(2)] == [4, 5]


def test_empty_frames_support_the_same_operations(golden: Path) -> None:
    for backend in BACKENDS:
        none = tacore.load(golden / "flat.tacozip", backend=backend).sql("SELECT * FROM data WHERE false").data
        assert not none and list(none) == [] and none.shape == (0, 6) and len(none[1:]) == 0
        assert len(none.to_arrow()) == len(none.to_polars()) == len(none.to_pandas()) == 0
        assert "0 rows" in repr(none) and none._repr_html_()


def test_results_that_are_not_rows_are_native_objects(arrow: Any, polars: Any, pandas: Any) -> None:
    assert isinstance(arrow.group_by("type").aggregate([("cloud_cover", "mean")]), pa.Table)
    assert isinstance(arrow.join(arrow.select(["id"]), "id"), pa.Table)
    assert isinstance(polars.group_by("type").len(), pl.DataFrame)
    assert isinstance(polars.join(polars, on="id"), pl.DataFrame)
    assert isinstance(polars.lazy(), pl.LazyFrame)
    assert isinstance(polars.select(pl.len()), pl.DataFrame)
    assert isinstance(pandas.groupby("type").mean(numeric_only=True), pd.DataFrame)
    assert isinstance(pandas.merge(pandas, on="id"), pd.DataFrame)
    assert isinstance(pandas.iloc[1:3, :2], pd.DataFrame) and pandas.iloc[0]["id"] == "valencia"
    assert pandas.loc[pandas.cloud_cover > 30, "id"].tolist() == IDS[2:] and pandas.at[0, "id"] == "valencia"
    assert isinstance(pandas.cloud_cover, pd.Series) and isinstance(polars["id"], pl.Series)
    assert isinstance(pandas.describe(), pd.DataFrame) and isinstance(pandas.T, pd.DataFrame)
    assert polars[0, "id"] == "valencia" and polars.item(1, "id") == "madrid"


PROTECTED: list[tuple[str, str, Step]] = [
    *[(backend, "set id", lambda d: d.__setitem__("id", ["x"] * 5)) for backend in BACKENDS],
    *[(backend, "set type", lambda d: d.__setitem__("type", "FOLDER")) for backend in BACKENDS],
    *[(backend, "set internal", lambda d: d.__setitem__("internal:new", 1)) for backend in BACKENDS],
    *[(backend, "with_column", lambda d: d.with_column("internal:gdal_vsi", "'x'")) for backend in BACKENDS],
    ("pyarrow", "set_column", lambda d: d.set_column(0, "id", pa.array(["x"] * 5))),
    ("pyarrow", "append", lambda d: d.append_column("internal:offset", pa.array(range(5)))),
    ("pyarrow", "rename", lambda d: d.drop(["id"]).rename_columns({"cloud_cover": "id"})),
    ("polars", "with_columns", lambda d: d.with_columns(id=pl.lit("x"))),
    ("polars", "select", lambda d: d.select(pl.col("id").str.to_uppercase(), "type")),
    ("polars", "sorted select", lambda d: d.select(pl.col("id", "cloud_cover").reverse())),
    ("polars", "shuffle each", lambda d: d.with_columns(pl.exclude("tacore:row").reverse())),
    ("polars", "rename", lambda d: d.rename({"cloud_cover": "internal:x"})),
    ("polars", "swap", lambda d: d.rename({"id": "type", "type": "id"})),
    ("polars", "shift", lambda d: d.shift(1)),
    ("polars", "insert_column", lambda d: d.insert_column(0, pl.Series("x", range(5)))),
    ("polars", "replace_column", lambda d: d.replace_column(0, pl.Series("id", ["x"] * 5))),
    ("polars", "drop_in_place", lambda d: d.drop_in_place("id")),
    ("polars", "extend", lambda d: d.extend(d)),
    ("pandas", "assign", lambda d: d.assign(id="x")),
    ("pandas", "loc", lambda d: d.loc.__setitem__((0, "id"), "x")),
    ("pandas", "iloc", lambda d: d.iloc.__setitem__((0, 0), "x")),
    ("pandas", "at", lambda d: d.at.__setitem__((0, "type"), "x")),
    ("pandas", "new row", lambda d: d.loc.__setitem__(9, d.to_pandas().loc[0])),
    ("pandas", "new column", lambda d: d.loc.__setitem__((slice(None), "internal:x"), 1)),
    ("pandas", "rename", lambda d: d.rename(columns={"cloud_cover": "internal:x"})),
    ("pandas", "replace", lambda d: d.replace("madrid", "x")),
    ("pandas", "where", lambda d: d.where(d["cloud_cover"] > 30)),
    ("pandas", "insert", lambda d: d.insert(0, "x", 1)),
    ("pandas", "pop", lambda d: d.pop("id")),
    ("pandas", "update", lambda d: d.update(d)),
    ("pandas", "sort in place", lambda d: d.sort_values("id", inplace=True)),
    ("pandas", "rename in place", lambda d: d.rename(columns={"id": "x"}, inplace=True)),
    ("pandas", "two of a name", lambda d: d.rename(columns={"cloud_cover": "id"})),
    ("pyarrow", "two of a name", lambda d: d.append_column("id", d["cloud_cover"])),
    ("pandas", "eval", lambda d: d.eval("id = type")),
]  # fmt: skip


@pytest.mark.parametrize(("backend", "step"), [pytest.param(b, s, id=f"{b}: {n}") for b, n, s in PROTECTED])
def test_protected_columns_cannot_be_changed(golden: Path, backend: str, step: Step) -> None:
    frame = flat(golden, backend)
    before, columns = frame._native(), frame.columns
    expected = r"Cannot modify protected column|cannot be changed in place|rows cannot be added"
    with pytest.raises(ValueError, match=expected):
        step(frame)
    assert frame._native() is before and frame.columns == columns == list(_columns(before))
    assert [row["id"] for row in frame] == IDS


def _columns(table: Any) -> list[str]:
    return list(table.column_names if isinstance(table, pa.Table) else table.columns)


def test_other_columns_can_be_changed(rows: Any, golden: Path) -> None:
    dataset = tacore.load(golden / "flat.tacozip", backend=rows._backend)
    frame = dataset.data
    frame["x"] = [5, 4, 3, 2, 1]
    frame["cloud_cover"] = 7
    frame["name"] = "same"
    assert frame.columns == [*rows.columns, "x", "name"] and frame.shape == (5, 8)
    assert [(row["x"], row["cloud_cover"], row["name"]) for row in frame][::4] == [(5, 7, "same"), (1, 7, "same")]
    navigates(frame[1:3], IDS[1:3], golden)
    assert dataset.data.columns == rows.columns, "set in one frame only"
    assert list(copy.copy(frame)) == list(frame) == list(pickle.loads(pickle.dumps(frame)))
    with pytest.raises(tacore.TacoQueryError, match="Python"):
        frame.filter("x > 1")
    with pytest.raises((ValueError, pl.exceptions.PolarsError)):
        frame["y"] = [1, 2]
    with pytest.raises(TypeError):
        frame[0] = 1
    with pytest.raises(AttributeError):
        frame.x_of_my_own = 1


def test_pandas_loc_sets_unprotected_columns(pandas: Any) -> None:
    pandas.loc[pandas["cloud_cover"] > 30, "cloud_cover"] = -1.0
    pandas.at[0, "cloud_cover"] = 99.0
    assert pandas["cloud_cover"].tolist() == [99.0, 25.0, -1.0, -1.0, -1.0]


def test_with_column_and_filter_take_sql_expressions(rows: Any, golden: Path) -> None:
    navigates(rows.with_column("x", "cloud_cover * 2").filter("x > 100"), IDS[4:], golden)
    for wrong in ("nothing > 1", "cloud_cover >", "1; DROP TABLE x"):
        with pytest.raises(tacore.TacoQueryError):
            rows.filter(wrong)


# What Python asks.


def test_rows_are_dicts(rows: Any) -> None:
    first, *_, last = list(rows)
    assert first["id"] == "valencia" and first["istac:time_start"] == dt.datetime(2023, 1, 1)
    assert isinstance(first["istac:centroid"], bytes) and last["cloud_cover"] == 62.5
    assert sum(1 for _ in rows) == len(rows) and next(iter(rows)) == first


def test_in_tests_column_names_and_frames_compare_by_identity(rows: Any) -> None:
    assert "id" in rows and "valencia" not in rows and 5 not in rows
    assert bool(rows) and rows != rows[:] and len({rows, rows}) == 1
    assert rows.equals(rows[:]) if rows._backend != "pandas" else rows.equals(rows.copy())


def test_unknown_attributes_are_attribute_errors(rows: Any) -> None:
    for name in ("nothing", "__array__", "__dataframe__", "_ipython_display_", "_repr_png_", "__array_interface__"):
        assert not hasattr(rows, name)
    assert {"read", "read_bytes", "columns", "head"} <= set(dir(rows))
    assert rows._made.get("table") is not None, "a name without underscore is looked for in the table"


def test_dunder_lookups_build_no_table(golden: Path) -> None:
    frame = tacore.load(golden / "flat.tacozip").data
    for name in ("__array__", "__wrapped__", "_ipython_canary_method_should_not_exist_", "__len__", "__dict__"):
        hasattr(frame, name)
    assert frame._made == {} and (len(frame), len(frame.columns)) == frame.shape and frame.read(0)
    assert frame._made == {}


def test_native_methods_keep_their_signature(polars: Any) -> None:
    import inspect

    assert "offset" in inspect.signature(polars.slice).parameters and polars.slice.__doc__


def test_ipython_completes_names_and_displays_frames(golden: Path) -> None:
    completer = pytest.importorskip("IPython.core.completer")
    formatters = pytest.importorskip("IPython.core.formatters")
    for backend in BACKENDS:
        frame = flat(golden, backend)
        complete = completer.IPCompleter(namespace={"frame": frame}, use_jedi=False)
        matches = complete.complete("frame.rea")[1]
        assert any("read_bytes" in match for match in matches)
        shown, _ = formatters.DisplayFormatter().format(frame)
        assert "<table" in shown["text/html"] and "TacoDataFrame" in shown["text/plain"]


def test_other_libraries_accept_a_frame_as_a_table(rows: Any) -> None:
    columns = rows.columns
    assert pa.table(rows).column_names == pl.DataFrame(rows).columns == list(pd.DataFrame(rows).columns) == columns
    assert pa.RecordBatchReader.from_stream(rows).read_all().num_rows == 5
    assert len(np.asarray(rows)) == 5 and np.asarray(rows["cloud_cover"]).tolist()[:2] == [12.5, 25.0]
    rows["x"] = 1
    assert pl.DataFrame(rows).columns == pa.table(rows).column_names == [*columns, "x"]


def test_duckdb_queries_a_frame(rows: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    assert duckdb.sql("SELECT id FROM rows WHERE cloud_cover > 30").fetchall() == [(name,) for name in IDS[2:]]


def test_the_table_is_built_once_with_many_threads(golden: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for backend in ("pyarrow", "polars"):  # what pandas has can be written to: each frame has its own
        dataset = tacore.load(golden / "flat.tacozip", backend=backend)
        start, seen = threading.Barrier(16), []

        def work(dataset: Any = dataset, start: Any = start, seen: Any = seen) -> None:
            start.wait()
            seen.append(dataset.data._native())

        threads = [threading.Thread(target=work) for _ in range(16)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert len({id(table) for table in seen}) == 1 and len(seen) == 16
        assert dataset.data._native() is seen[0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_column_of_a_new_frame_is_that_of_its_table(golden: Path, backend: str) -> None:
    table = flat(golden, backend)._native()
    for name in flat(golden, backend).columns:
        alone = flat(golden, backend)[name]
        assert type(alone) is type(table[name]) and alone.equals(table[name]), name
    frame = flat(golden, backend)
    before = list(frame["id"])
    frame["id_again"] = frame["id"]
    assert list(frame["id_again"]) == before == list(frame["id"])


def test_frames_are_garbage_collected(golden: Path) -> None:
    dataset = tacore.load(golden / "nested.tacozip")
    frame = dataset.data
    child = frame.read(0)
    gone = [weakref.ref(each) for each in (dataset, frame, child)]
    del dataset, frame, child
    assert [each() for each in gone] == [None] * 3


# Values of rows, without a library.


def test_rows_have_the_values_of_pyarrow() -> None:
    times = [dt.datetime(1969, 12, 31, 23, 59, 59, 999999), None, dt.datetime(2023, 1, 1, 12)]
    table = pa.table(
        {
            "bool": pa.array([True, None, False]),
            "int8": pa.array([-128, None, 127], pa.int8()),
            "uint64": pa.array([2**64 - 1, None, 0], pa.uint64()),
            "half": pa.array([np.float16(0.5), None, np.float16(-65504)], pa.float16()),
            "tiny half": pa.array([np.float16(6e-8), np.float16(math.inf), np.float16(1)], pa.float16()),
            "float": pa.array([1.5, None, -0.0], pa.float32()),
            "text": pa.array(["", None, "ü\U0001f600"]),
            "large": pa.array(["a", None, "b" * 100], pa.large_string()),
            "view": pa.array(["short", None, "longer than twelve bytes"], pa.string_view()),
            "bytes view": pa.array([b"short", None, b"longer than twelve bytes"], pa.binary_view()),
            "bytes": pa.array([b"\0\xff", None, b""]),
            "fixed": pa.array([b"abc", None, b"\0\0\0"], pa.binary(3)),
            "day": pa.array([dt.date(1969, 12, 31), None, dt.date(2023, 1, 1)]),
            "day64": pa.array([dt.date(1969, 12, 31), None, dt.date(2023, 1, 1)], pa.date64()),
            "us": pa.array(times, pa.timestamp("us")),
            "ms": pa.array([-1, None, 1672574400000], pa.timestamp("ms")),
            "s": pa.array([-1, None, 1672574400], pa.timestamp("s")),
            "utc": pa.array(times, pa.timestamp("us", "UTC")),
            "clock": pa.array([dt.time(23, 59, 59), None, dt.time(0)], pa.time32("s")),
            "clock us": pa.array([dt.time(23, 59, 59, 5), None, dt.time(0)], pa.time64("us")),
            "span": pa.array([dt.timedelta(days=-1), None, dt.timedelta(microseconds=5)]),
            "decimal": pa.array([decimal.Decimal("-123.45"), None, decimal.Decimal("0.01")], pa.decimal128(38, 2)),
            "decimal256": pa.array([decimal.Decimal("9" * 60), None, decimal.Decimal(-1)], pa.decimal256(70, 0)),
            "list": pa.array([[1, None], None, []], pa.list_(pa.int64())),
            "lists": pa.array([[[1.5], None], [], None], pa.large_list(pa.list_(pa.float64()))),
            "pair": pa.array([[1, 2], None, [3, None]], pa.list_(pa.int32(), 2)),
            "struct": pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": None}]),
            "map": pa.array([[("a", 1), ("b", None)], None, []], pa.map_(pa.string(), pa.int64())),
            "coded": pa.array(["x", None, "y"]).dictionary_encode(),
            "null": pa.nulls(3),
        }
    )
    assert _core.rows(table) == table.to_pylist()
    assert _core.rows(table.slice(1)) == table.slice(1).to_pylist()
    assert _core.rows(pa.concat_tables([table, table.slice(2)])) == table.to_pylist() + table.to_pylist()[2:]
    assert _core.rows(table.slice(0, 0)) == []
    assert math.isnan(_core.rows(pa.table({"x": [math.nan]}))[0]["x"])


def test_nanoseconds_are_truncated_and_values_beyond_python_are_errors() -> None:
    table = pa.table({"t": pa.array([1_500, -1], pa.timestamp("ns"))})
    epoch = dt.datetime(1970, 1, 1)
    assert [row["t"] for row in _core.rows(table)] == [epoch + dt.timedelta(microseconds=n) for n in (1, -1)]
    for far in (2**62, -(2**62)):
        with pytest.raises((ValueError, OverflowError)):
            _core.rows(pa.table({"t": pa.array([far], pa.timestamp("s"))}))
    with pytest.raises(TypeError):
        _core.rows(5)
    with pytest.raises(TypeError, match="Arrow type"):
        _core.rows(pa.table({"x": pa.array([pa.scalar((1, 2, 3), pa.month_day_nano_interval())])}))


NO_LIBRARY = """
import sys
sys.modules.update(dict.fromkeys({blocked}))  # importing them is an error
import tacore
for backend in ("pyarrow", "polars", "pandas"):
    rows = tacore.load({path!r}, backend=backend).data
    assert len(rows) == 5 and rows.shape == (5, 6) and rows.columns[0] == "id"
    assert rows.read("madrid") == rows[1:].read(0) and len(rows.read_bytes(0)) > 5
    assert [row["id"] for row in rows.filter("cloud_cover > 30").head(2)] == ["new_york", "tokyo"]
    assert "madrid" in repr(rows) and "5 rows" in repr(rows) and "madrid" in rows._repr_html_()
    assert len(rows.__geo_interface__["features"]) == 5
    assert "id" in rows and rows and isinstance(dir(rows), list) and not hasattr(rows, "nothing")
    try:
        rows["id"]
    except tacore.TacoBackendError as error:
        assert "pip install" in str(error)
    else:
        raise SystemExit("no error")
"""


def test_frames_work_without_any_library(golden: Path) -> None:
    blocked = {"pyarrow", "polars", "pandas", "numpy"}
    code = NO_LIBRARY.format(blocked=blocked, path=str(golden / "flat.tacozip"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
