"""The table of `tacore.v1.load`, by the calls of programs for the published reader of 0.x."""

from __future__ import annotations

import copy
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest

import tacore
from tacore import v1

pandas = pytest.importorskip("pandas")

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "v1"
NESTED = GOLDEN / "nested.taco"
FLAT = GOLDEN / "flat.taco"


def test_load_gives_a_table_of_pandas_with_the_published_columns() -> None:
    table = v1.load(NESTED)
    assert isinstance(table, pandas.DataFrame)
    assert isinstance(table, v1.TortillaDataFrame)
    assert list(table.columns)[:4] == ["internal:subfile", "tortilla:id", "tortilla:file_format", "tortilla:data_split"]
    assert not {"id", "type", "internal:gdal_vsi"} & set(table.columns)
    dataset = tacore.load(NESTED)
    assert table["tortilla:id"].tolist() == dataset.data.to_arrow()["id"].to_pylist()
    again, collection = v1.load(NESTED, collection=True)
    assert again.equals(table)
    assert collection == dataset.collection == v1.load_metadata(NESTED) == v1.load_metadata([NESTED, FLAT])


@pytest.mark.parametrize(
    "make",
    [
        lambda table: table.head(2),
        lambda table: table[table["tortilla:id"] != "img1"].reset_index(drop=True),
        lambda table: table[table["tortilla:id"].isin(["img2"])],
        lambda table: table.iloc[::-1],
        lambda table: table.loc[[2, 0]],
        lambda table: table.sort_values("tortilla:id", ascending=False),
        lambda table: table[["tortilla:id", "internal:subfile"]],
        lambda table: table.assign(mine=1),
        lambda table: table.copy(),
        copy.deepcopy,
        lambda table: pickle.loads(pickle.dumps(table)),
        lambda table: type(table)(table),
        lambda table: pandas.concat([table, v1.load(FLAT)]).head(3),
        lambda table: table.merge(pandas.DataFrame({"tortilla:id": ["img1"], "x": [1]})),
    ],
)
def test_rows_of_a_table_are_read_after_any_operation_of_pandas(make: Any) -> None:
    rows = tacore.load(NESTED).data
    table = make(v1.load(NESTED))
    assert isinstance(table, v1.TortillaDataFrame)
    assert len(table)
    for position in range(len(table)):
        name = table.iloc[position]["tortilla:id"]
        expected = rows.read(name)
        for children in (table.read(position), table.read(name), table.iloc[position].read()):
            assert isinstance(children, v1.TortillaDataFrame)
            ids = children["tortilla:id"].tolist()
            assert ids == expected.to_arrow()["id"].to_pylist()
            assert [children.read(each) for each in range(len(ids))] == [expected.read(each) for each in ids]


def test_a_table_is_compiled_and_a_list_is_sorted_by_id(tmp_path: Path) -> None:
    table = v1.load(FLAT)
    chosen = table.iloc[[3, 1]]
    paths = v1.compile(dataframe=chosen, output=tmp_path / "some.taco", nworkers=2, chunk_size_iter="100MB", quiet=True)
    written = v1.load(paths[0])
    assert written["tortilla:id"].tolist() == chosen["tortilla:id"].tolist()
    bytes_of = tacore.load(FLAT).data.read_bytes
    assert tacore.load(paths[0]).data.read_bytes([0, 1]) == [bytes_of(3), bytes_of(1)]
    assert v1.load([paths[0]])["tortilla:id"].tolist() == sorted(written["tortilla:id"])
    assert v1.sanity_check(sample_metadata=chosen, read_function=str, max_workers=2, batch_size=400) == []
    assert v1.sanity_check(chosen.assign(mine=1).drop(columns=["tortilla:length"]), str, 400, 2) == []
    bad = v1.sanity_check(chosen, int)
    assert sorted(each.path for each in bad) == sorted(chosen["tortilla:id"])
    assert v1.compile(chosen, tmp_path / "some.taco", "100MB", 2, True) == paths
    for wrong, message in (
        (chosen.assign(mine=1), "the columns mine differ"),
        (chosen.drop(columns=["tortilla:length"]), "the columns tortilla:length differ"),
        (chosen.assign(**{"tortilla:id": "x"}), "the columns tortilla:id differ"),
        (pandas.concat([table, v1.load(NESTED)]), "rows of 2 loads"),
    ):
        with pytest.raises(tacore.TacoQueryError, match=message):
            v1.compile(wrong, tmp_path / "wrong.taco")
    assert not (tmp_path / "wrong.taco").exists()


def test_wrong_use_of_a_table_is_told() -> None:
    table = v1.load(NESTED)
    with pytest.raises(ValueError, match="a path or a list of paths is expected, not 3"):
        v1.load(3)
    with pytest.raises(ValueError, match="a path or a list of paths"):
        v1.load([])
    with pytest.raises(FileNotFoundError):
        v1.load("nowhere.taco")
    with pytest.raises(TypeError, match="colour"):
        v1.load(NESTED, colour="red")
    with pytest.raises(tacore.TacoFormatError, match=r"landsat\.tacozip: a dataset of TACO 2\.0"):
        v1.load(GOLDEN.parents[2] / "examples" / "data" / "landsat.tacozip")
    with pytest.raises(tacore.TacoFormatError, match="no collection"):
        v1.load_metadata(GOLDEN / "flat.tortilla")
    with pytest.raises(IndexError):
        table.read(3)
    with pytest.raises(tacore.TacoNavigationError, match="ID 'x' not found"):
        table.read("x")
    without = table.drop(columns=["internal:subfile"])
    with pytest.raises(tacore.TacoNavigationError, match="no column 'internal:subfile'"):
        without.read(0)
    with pytest.raises(tacore.TacoNavigationError, match="no column 'internal:subfile'"):
        v1.compile(without, "x.taco")
    with pytest.raises(tacore.TacoNavigationError, match="is not a row of a table"):
        table.assign(**{"internal:subfile": "/vsisubfile/0_1,elsewhere"}).read(0)
    assert table.get_internal_path(table.iloc[0]) == (200, 2445, str(NESTED))
    assert table.get_internal_path({"internal:subfile": "/vsisubfile/1_2,/vsis3/a/b"}) == (1, 2, "s3://a/b")
    with pytest.raises(ValueError, match="OFFSET_SIZE,PATH expected"):
        table.get_internal_path({"internal:subfile": "a.taco"})


def test_without_pandas_load_gives_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    rows = v1.load(NESTED)
    assert isinstance(rows, tacore.TacoDataFrame)
    assert isinstance(rows.read(0), tacore.TacoDataFrame)


def test_empty_samples_share_a_place_but_not_their_row(tmp_path: Path) -> None:
    samples = [
        tacore.datamodel.Sample(id=name, path=content) for name, content in (("a", b""), ("b", b""), ("c", b"xx"))
    ]
    (path,) = v1.create(tacore.datamodel.Tortilla(samples), tmp_path / "x.tortilla")
    table = v1.load(path)
    assert table["internal:subfile"].nunique() == 2
    (again,) = v1.compile(table.iloc[[1, 2, 0]], tmp_path / "y.tortilla")
    assert v1.load(again)["tortilla:id"].tolist() == ["b", "c", "a"]
    assert [v1.load(again).read(each) for each in range(3)] == [b"", b"xx", b""]
