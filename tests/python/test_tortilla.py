"""Tortillas: what the Python layer adds."""

from __future__ import annotations

import copy
import csv
import datetime as dt
import pickle
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import tacore
from tacore.datamodel import MajorTOM, Sample, SampleExtension, Taco, Tortilla, TortillaExtension
from toolbox import flat, nested, point

polars = pytest.importorskip("polars")
pandas = pytest.importorskip("pandas")


def test_no_samples_and_equal_ids_are_refused() -> None:
    with pytest.raises(ValueError):
        Tortilla([])
    with pytest.raises(ValueError, match="x"):
        Tortilla([Sample(id="x", path=b""), Sample(id="x", path=b"")])
    with pytest.raises(TypeError):
        Tortilla([b"x"])  # type: ignore[list-item]


@pytest.mark.parametrize(("pad_to", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError), ("2", TypeError)])
def test_an_invalid_pad_to_is_refused(pad_to: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        Tortilla(flat(3), pad_to=pad_to)


def test_a_file_before_a_folder_is_a_warning() -> None:
    folder = Sample(id="f", path=Tortilla(flat()))
    with pytest.warns(UserWarning, match="FOLDERs before FILEs"):
        Tortilla([Sample(id="a", path=b""), folder])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Tortilla([folder, Sample(id="a", path=b"")])


def test_export_metadata_numbers_rows_at_each_depth() -> None:
    tree = Tortilla(nested(2))
    assert (Tortilla(flat()).depth, tree.depth) == (0, 1)
    assert Tortilla([Sample(id="x", path=tree)]).depth == 2
    rows = tree.export_metadata(deep=1)
    assert rows["id"].to_pylist() == ["a", "b", "a", "b"]
    assert rows["internal:parent_id"].to_pylist() == [0, 0, 1, 1]
    assert rows["internal:current_id"].to_pylist() == [0, 1, 2, 3]
    texts = set()
    for deep in (-1, 2, 6):
        with pytest.raises(ValueError) as caught:
            tree.export_metadata(deep)
        texts.add(str(caught.value))
    assert len(texts) == 3


class Numbers(TortillaExtension):
    answer: Any = None
    key: str = "n:row"

    def get_schema(self) -> Any:
        return {self.key: polars.Int32}

    def get_field_descriptions(self) -> dict[str, str]:
        return {self.key: "Of the row"}

    def _compute(self, tortilla: Tortilla) -> Any:
        return self.answer


@pytest.mark.parametrize(
    "answer",
    [
        {"n:row": [0, 1, 2]},
        [{"n:row": 0}, {"n:row": 1}, {"n:row": 2}],
        pa.table({"n:row": [0, 1, 2]}),
        polars.DataFrame({"n:row": [0, 1, 2]}),
        pandas.DataFrame({"n:row": [0, 1, 2]}),
        {"n:row": np.arange(3)},
    ],
)
def test_columns_of_an_extension_have_its_types(answer: Any) -> None:
    tortilla = Tortilla(flat(3))
    assert tortilla.extend_with(Numbers(answer=answer)) is tortilla
    assert tortilla.fields() == [("n:row", "int32", "Of the row")]
    assert tortilla.column("n:row") == [0, 1, 2]


def test_an_extension_with_wrong_rows_or_names_is_refused() -> None:
    tortilla = Tortilla(flat(3, k=1))
    before = tortilla.export_metadata()
    with pytest.raises(ValueError, match="Extension returned 2 rows, expected 3"):
        tortilla.extend_with(Numbers(answer={"n:row": [1, 2]}))
    with pytest.raises(ValueError, match="k"):
        tortilla.extend_with(Numbers(answer={"k": [1, 2, 3]}, key="k"))
    for wrong in (None, 5):
        with pytest.raises(TypeError):
            tortilla.extend_with(Numbers(answer=wrong))
    assert tortilla.export_metadata().equals(before)


@pytest.mark.parametrize("name", ["schema_only", "return_none"])
def test_schema_only_gives_a_null_for_each_sample(name: str) -> None:
    tortilla = Tortilla(flat(3)).extend_with(Numbers(**{name: True})).extend_with(MajorTOM(**{name: True}))
    assert tortilla.column("n:row") == [None] * 3 and tortilla.column("majortom:code") == [None] * 3
    assert [kind for _, kind, _ in tortilla.fields()] == ["int32", "string"]


def test_pop_removes_a_column_and_returns_it_as_a_table() -> None:
    tortilla = Tortilla(flat(3)).extend_with({"k": pa.array([1, 2, 3], pa.int8()), "o": ["a", None, "c"]})
    assert tortilla.pop("k").equals(pa.table({"k": pa.array([1, 2, 3], pa.int8())}))
    assert [name for name, _, _ in tortilla.fields()] == ["o"]
    with pytest.raises(ValueError, match="Cannot pop core field"):
        tortilla.pop("id")
    with pytest.raises(KeyError, match="does not exist"):
        tortilla.pop("k")


@pytest.mark.parametrize(
    "table",
    [
        {"k": [1, 2, 3, 4]},
        [{"k": 1}, {"k": 2}, {"k": 3}, {"k": 4}],
        pa.table({"k": [1, 2, 3, 4]}),
        polars.DataFrame({"k": [1, 2, 3, 4]}),
        pandas.DataFrame({"k": [1, 2, 3, 4]}),
    ],
)
def test_tables_of_any_library_extend_a_tortilla(table: Any) -> None:
    assert Tortilla(flat(4)).extend_with(table).column("k") == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="expected 3"):
        Tortilla(flat(3)).extend_with(table)


def test_a_deeper_level_can_be_extended() -> None:
    tree = Tortilla(nested(2)).extend_with({"k": [1, 2, 3, 4]}, level=1)
    assert tree.column("k", level=1) == [1, 2, 3, 4]


class Length(SampleExtension):
    factor: int = 1

    def get_schema(self) -> Any:
        return {"length": "int32"}

    def _compute(self, sample: Sample) -> Any:
        if sample.id == "s9":
            raise RuntimeError("nine")
        return {"length": self.factor * len(sample.read_bytes())}


def test_samples_are_extended_in_parallel_and_in_order() -> None:
    tortilla = Tortilla(flat(9), pad_to=10)
    assert tortilla.extend_samples(Length(factor=2)).column("length") == [2 * n for n in range(1, 10)] + [None]
    assert tortilla.fields()[0][:2] == ("length", "int32")
    with ThreadPoolExecutor(2) as threads:
        assert Tortilla(flat(3)).extend_samples(Length(), executor=threads).column("length") == [1, 2, 3]


def test_sample_and_tortilla_extensions_are_not_interchangeable() -> None:
    with pytest.raises(TypeError, match="extend_samples"):
        Tortilla(flat(2)).extend_with(Length())
    with pytest.raises(TypeError, match="SampleExtension"):
        Tortilla(flat(2)).extend_samples(MajorTOM())  # type: ignore[arg-type]


def test_samples_are_extended_in_processes() -> None:
    import multiprocessing

    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as processes:
        assert Tortilla(flat(3)).extend_samples(Length(), executor=processes).column("length") == [1, 2, 3]


def test_an_error_in_one_sample_changes_nothing() -> None:
    tortilla = Tortilla(flat(12))
    with pytest.raises(RuntimeError, match="nine"):
        tortilla.extend_samples(Length())
    assert tortilla.fields() == []


def test_samples_are_made_from_tables_and_folders(tmp_path: Path) -> None:
    for name in ("t0/a.bin", "t0/b.bin", "t1/a.bin", "t1/b.bin"):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(name.encode())
    tree = Tortilla.from_folder(tmp_path / "in")
    assert [sample.id for sample in tree] == ["t0", "t1"] and tree[1].type == "FOLDER"
    child = tree[1].path
    assert isinstance(child, Tortilla) and child[0].read_bytes() == b"t1/a.bin"
    table = {
        "id": ["t0", "t0/a", "t1", "t1/a"],
        "path": [None, str(tmp_path / "in/t0/a.bin"), None, str(tmp_path / "in/t1/a.bin")],
        "cloud": [1, None, 2, None],
        "place": [point(1, 2), None, point(3, 4), None],
    }
    for rows in (pa.table(table), polars.DataFrame(table)):
        tree = Tortilla.from_table(rows)
        assert tree.column("cloud") == [1, 2] and tree[0].cloud == 1
        assert pickle.loads(pickle.dumps(tree)).export_metadata().equals(_plain(tree.export_metadata()))
    pandas.DataFrame(table).drop(columns="place").to_csv(tmp_path / "list.csv", index=False)
    assert Tortilla.from_table(tmp_path / "list.csv").depth == 1
    with pytest.raises(tacore.TacoSchemaError):
        Tortilla.from_table(pa.table({"path": ["x"]}))
    with pytest.raises(TypeError):
        Tortilla.from_table(5)


def test_a_table_may_hold_the_bytes_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "b.bin").write_bytes(b"of a file")
    columns = {"id": ["a", "t/b", "t/c", "z"], "data": [b"in the table", None, b"", b"\0" * 5], "cloud": [1, 2, 3, None]}
    paths = [None, str(tmp_path / "b.bin"), None, None]
    # Views, large binaries and tables of several chunks are other arrays of Arrow.
    small = pa.table({**columns, "path": paths})
    large = small.set_column(1, "data", small["data"].cast(pa.large_binary()))
    for rows in (small, large, pa.concat_tables([small[:2], small[2:]])):
        tree = Tortilla.from_table(rows)
        below = tree[1].path
        assert isinstance(below, Tortilla) and [sample.id for sample in tree] == ["a", "t", "z"]
        found = [tree[0].read_bytes(), below[0].read_bytes(), below[1].read_bytes(), tree[2].read_bytes()]
        assert found == [b"in the table", b"of a file", b"", b"\0" * 5]
        assert "data" not in tree.fields() and tree.column("cloud") == [1, None, None]
    output = tmp_path / "out.tacozip"
    tree = Tortilla.from_table(pa.table({"id": ["x", "y"], "data": [b"1", b"22"]}))
    tacore.create(Taco(tree, "chips", "1.0.0", "Chips", ["MIT"], [{"name": "P"}], ["classification"]), output)
    rows = tacore.load(output).data
    assert [rows.read_bytes(i) for i in range(2)] == [b"1", b"22"]
    # Text of this name is metadata, as before.
    text = pa.table({"id": ["a"], "path": [str(tmp_path / "b.bin")], "data": ["text"]})
    assert Tortilla.from_table(text).column("data") == ["text"]


def test_rows_with_bytes_and_something_else_are_refused(tmp_path: Path) -> None:
    (tmp_path / "b.bin").write_bytes(b"b")
    columns = {"id": ["a", "t", "t/b", "z"], "data": [b"a", b"t", b"b", None],
               "path": [str(tmp_path / "b.bin"), None, None, None]}  # fmt: skip
    with pytest.raises(tacore.TacoSchemaError) as error:
        Tortilla.from_table(pa.table(columns))
    for fault in ("has a path and data; one", "has data and children; one", "has neither a path, data nor children"):
        assert fault in str(error.value)


def test_tables_with_other_names_and_separators_are_read(tmp_path: Path) -> None:
    (tmp_path / "007.bin").write_bytes(b"x")
    names: dict[str, Any] = {
        "id_column": "name",
        "path_column": "file",
        "time_column": "day",
        "rename": {"land cover": "cover"},
    }
    for separator in (",", ";", "\t", "|"):
        lines = (["name", "file", "land cover", "day"], ["007", "007.bin", "water", "2024-02"])
        (tmp_path / "list.csv").write_text("\r\n".join(separator.join(line) for line in lines), "utf-8-sig")
        tree = Tortilla.from_table(tmp_path / "list.csv", **names)
        assert tree[0].id == "007" and tree.column("cover") == ["water"]
        assert tree.column("stac:time_start") == [dt.datetime(2024, 2, 1)]
    path = str(tmp_path / "007.bin")
    rows = {"name": ["a"], "file": [path], "land cover": [1], "day": [dt.date(2024, 2, 29)]}
    for table in (pa.table(rows), pandas.DataFrame(rows), polars.DataFrame(rows)):
        tree = Tortilla.from_table(table, **names)
        assert [name for name, _, _ in tree.fields()] == ["cover", "stac:time_start"]
        assert tree.column("stac:time_start") == [dt.datetime(2024, 2, 29)]
    (tmp_path / "list.csv").write_text(f"id:path\na:{path}\n")
    assert Tortilla.from_table(tmp_path / "list.csv", separator=":")[0].id == "a"
    with pytest.raises(tacore.TacoValidationError, match="one ASCII character expected, such as ;"):
        Tortilla.from_table(tmp_path / "list.csv", separator="::")
    with pytest.raises(tacore.TacoValidationError, match="only .csv and .tsv tables have"):
        Tortilla.from_table(pa.table(rows), separator=";")
    with pytest.raises(tacore.TacoSchemaError, match="no column 'Name'; did you mean 'name'. The columns are name, file"):
        Tortilla.from_table(pa.table(rows), id_column="Name")
    with pytest.raises(TypeError, match="rename: the value has the wrong type"):
        Tortilla.from_table(pa.table(rows), rename={"name": 5})  # type: ignore[dict-item]


def test_all_faults_of_a_table_are_told_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"x")
    rows = [("a", "a.bin", "2024"), ("a", "a.bin", "2024"), ("b", "none.bin", "soon"), ("", "a.bin", "")]
    lines = ["id,path,stac:time_start", *(",".join(row) for row in rows)]
    (tmp_path / "list.csv").write_text("\n\n".join(lines))
    with pytest.raises(tacore.TacoSchemaError) as told:
        Tortilla.from_table(tmp_path / "list.csv")
    head, *faults = str(told.value).splitlines()
    assert head.endswith("list.csv: 4 faults:")
    assert [fault.split(":")[0] for fault in faults] == [
        "  line 5 ('a') has the id of line 3",
        "  line 7, column 'stac",
        "  line 7 ('b'), column 'path'",
        "  line 9 has no id",
    ]
    table = pa.table(
        {"id": ["a", "b"], "path": [str(tmp_path / "a.bin"), None], "stac:time_start": ["2024", "31/01/2024"]}
    )
    with pytest.raises(
        tacore.TacoSchemaError, match="table: 2 faults:\n  row 1, column .*\n  row 1 \\('b'\\) has neither"
    ):
        Tortilla.from_table(table)


def test_lines_of_faults_are_those_of_the_csv_module(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    notes = ["x", "a;b,c", 'say "x"', "two\nlines", "\r\n\r\n", '5" tall', "", "|", '"']
    rows = [[f"s{i}", f"none{i}.bin", notes[random.integers(len(notes))]] for i in range(20)]
    with open(tmp_path / "list.csv", "w", newline="") as file:
        csv.writer(file, delimiter=";").writerows([["id", "path", "note"], *rows])
    expected = []
    with open(tmp_path / "list.csv", newline="") as file:
        reader = csv.reader(file, delimiter=";")
        next(reader)
        first = reader.line_num + 1
        for row in reader:
            expected.append(f"  line {first} ('{row[0]}'), column 'path'")
            first = reader.line_num + 1
    with pytest.raises(tacore.TacoSchemaError) as told:
        Tortilla.from_table(tmp_path / "list.csv")
    assert [line.split(":")[0] for line in str(told.value).splitlines()[1:]] == expected


def test_a_table_describes_the_columns_of_a_taco(tmp_path: Path) -> None:
    tree = Tortilla([Sample("a", b"x", label=0, height=2.5), Sample("b", b"y", label=1, height=1.5)])
    taco = Taco(tree, "chips", "1.0.0", "Chips", ["MIT"], [{"name": "P"}], ["classification"])
    fields = tmp_path / "fields.csv"
    fields.write_text("name,description,unit,classes\nlabel,Land cover,,0=water;1=forest\nheight,,m,\n")
    taco.describe_fields(fields)
    texts = {name: text for name, _, text in taco.tortilla.fields()}
    assert texts == {"label": "Land cover; 0 = water, 1 = forest", "height": "Unit: m"}
    assert [each["name"] for each in taco["labels:classes"]] == ["water", "forest"]
    (path,) = tacore.create(taco, tmp_path / "chips.tacozip", progress=False)
    collection = tacore.load(path).collection
    assert collection["labels:num_classes"] == 2 and collection["labels:description"] == "Land cover"
    assert ["height", "double", "Unit: m"] in [list(each) for each in collection["taco:field_schema"]["level0"]]
    fields.write_text("name,description\nlable,Land cover\n")
    with pytest.raises(tacore.TacoSchemaError, match="line 2 \\('lable'\\) is no column .*; did you mean 'label'?"):
        taco.describe_fields(fields)
    with pytest.raises(tacore.TacoIOError):
        taco.describe_fields(tmp_path / "none.csv")


def _plain(table: pa.Table) -> pa.Table:
    return table.cast(pa.schema([pa.field(f.name, f.type) for f in table.schema]))


def test_millions_of_samples_are_kept_as_columns(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"x")
    tortilla = Tortilla.from_columns(["a", "b"], [file, str(file)], {"k": np.array([1, 2], np.int16)})
    assert tortilla.fields() == [("k", "int16", "")] and len(tortilla) == 2
    with pytest.raises(ValueError):
        Tortilla.from_columns(["a"], [file, file])


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_copies_are_equal(again: Any) -> None:
    tree = Tortilla(nested(3), strict_schema=False).extend_with({"k": pa.array([1, None, 3], pa.int8())})
    padded = Tortilla(flat(3, k=b"x"), pad_to=2)
    for tortilla in (tree, padded):
        other = again(tortilla)
        for level in range(tortilla.depth + 1):
            assert other.export_metadata(level).equals(tortilla.export_metadata(level))
        assert other.size_bytes == tortilla.size_bytes
        other.extend_with({"only": list(range(len(other)))})
        assert "only" not in [name for name, _, _ in tortilla.fields()]


def test_strict_schema_is_the_second_argument_as_published() -> None:
    """A bool is not taken for pad_to."""
    uneven = [Sample(id="a", path=b"1", x=1), Sample(id="b", path=b"1")]
    assert Tortilla(uneven, False).column("x") == [1, None]
    assert len(Tortilla(uneven[:1], True)) == 1
    with pytest.raises(tacore.TacoSchemaError, match="lacks 'x'"):
        Tortilla(uneven, True)


def test_fields_are_matched_by_their_names() -> None:
    """Their order is that of the first sample."""

    def sample(id: str, **metadata: int) -> Sample:
        return Sample(id=id, path=b"1", **metadata)

    made = Tortilla([sample("a", x=1, y=2), sample("b", y=4, x=3)])
    assert [name for name, _, _ in made.fields()] == ["x", "y"]
    assert (made.column("x"), made.column("y")) == ([1, 3], [2, 4])
    folders = Tortilla(
        [
            Sample(id="f", path=Tortilla([sample("a", x=1, y=2)])),
            Sample(id="g", path=Tortilla([sample("a", y=4, x=3)])),
        ]
    )
    assert (folders.column("x", 1), folders.column("y", 1)) == ([1, 3], [2, 4])


def test_messages_on_tables_name_arguments_of_python(tmp_path: Path) -> None:
    table = tmp_path / "sites.csv"

    def refusal(header: str, **options: Any) -> str:
        table.write_text(header + "\n", encoding="utf-8")
        with pytest.raises(tacore.TacoSchemaError) as raised:
            Tortilla.from_table(table, **options)
        return str(raised.value)

    assert refusal("filename,label").endswith("did you mean 'filename'? id_column='filename'")
    said = refusal("filename,land cover,a b", id_column="filename", path_column="filename")
    assert said.endswith("rename them: rename={'land cover': 'land_cover', 'a b': 'a_b'}")
    assert ": time_column: no column 'dte'" in refusal("id,path,date", time_column="dte")
    # What the table itself says stays as it is, also where it looks like an option.
    said = refusal("id,path,a --b's\n1,/nothing --rename it's.tif,x")
    assert "--b's" in said or "a --b" in said
    table.write_text("id,path\nx,/nothing --rename it's.tif\n", encoding="utf-8")
    with pytest.raises(tacore.TacoIOError, match="/nothing --rename it's.tif"):
        Tortilla.from_table(table)
