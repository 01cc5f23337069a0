"""Operations that make one dataset from another."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tacore
from tacore import _core, _progress
from tacore import transform as tf
from tacore.validator import validate


def tree(dataset: Any, path: Any = ()) -> dict[str, tuple[dict[str, Any], bytes]]:
    """Metadata and bytes of all samples by their paths."""
    frame = dataset.data if isinstance(dataset, tacore.TacoDataset) else dataset
    out: dict[str, tuple[dict[str, Any], bytes]] = {}
    rows = frame.to_arrow().to_pylist()
    for n, row in enumerate(rows):
        name = "/".join([*path, row["id"]])
        values = {key: value for key, value in row.items() if not key.startswith("internal:")}
        if row["type"] == "FOLDER":
            out[name] = (values, b"")
            out |= tree(frame.read(n), (*path, row["id"]))
        else:
            out[name] = (values, frame.read_bytes(n))
    return out


def is_clean(path: Path) -> bool:
    return validate(path, deep=True) == []


def copies(source: Path, folder: Path, *names: str) -> list[Path]:
    return [Path(shutil.copy(source, folder / name)) for name in names]


# -------------------------------------------------------------------------------------------------------------- export


@pytest.mark.parametrize("place", ["s3://b/e", "gs://b/e", "https://h.example/e", "hf://datasets/o/n/e", "/vsis3/b/e"])
def test_a_url_as_output_is_refused_before_anything_is_made(
    golden: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tacore.zip2folder(golden / "flat.tacozip", "made", quiet=True)
    dataset = tacore.load(golden / "flat.tacozip")
    taco = tf.to_taco(dataset)
    calls: list[Callable[[Any], Any]] = [
        lambda to: tacore.create(taco, to(".tacozip"), progress=False),
        lambda to: tacore.create(taco, to(""), progress=False),
        lambda to: tacore.export(dataset, to(".tacozip"), quiet=True),
        lambda to: tf.convert(folder, to(".tacozip"), progress=False),
        lambda to: tacore.zip2folder(golden / "flat.tacozip", to(""), quiet=True),
        lambda to: tacore.folder2zip(folder, to(".tacozip"), quiet=True),
        lambda to: tacore.generate_markdown(dataset, to(".md")),
        lambda to: tacore.generate_html(dataset, to(".html")),
        lambda to: tacore.describe.write_stac(dataset, to("")),
        lambda to: tacore.describe.write_descriptions(dataset, to("")),
        lambda to: tacore.describe.footer2geoparquet(dataset, to(".parquet")),
        lambda to: tacore.create_tacocat([golden / "flat.tacozip"], to("")),
        lambda to: tacore.create_tacollection([golden / "flat.tacozip"], to("")),
    ]
    # Also after a Path has taken a slash of it.
    forms: list[Callable[[str], Any]] = [lambda ending: place + ending, lambda ending: Path(place + ending)]
    for call in calls:
        for form in forms:
            with pytest.raises((tacore.TacoValidationError, tacore.TacoIOError), match="cannot be written"):
                call(form)
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


def test_a_strict_export_is_refused_where_children_differ(golden: Path, tmp_path: Path) -> None:
    source = tacore.load(golden / "uneven_children.tacozip")
    with pytest.raises(tacore.TacoSchemaError):
        tacore.export(source, tmp_path / "strict.tacozip", strict=True)
    assert list(tmp_path.iterdir()) == []
    assert tree(tacore.load(tacore.export(source, tmp_path / "padded.tacozip"))) == tree(source)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A FOLDER of sparse files of 100 MB."""
    folder = tmp_path_factory.mktemp("large") / "large"
    tacore.export(Path(__file__).parents[1] / "golden" / "nested.tacozip", folder)
    for file in sorted((folder / "DATA").glob("*/item_0")):
        os.truncate(file, 100 << 20)
    return folder


def test_an_export_to_zip_streams(large: Path, tmp_path: Path) -> None:
    program = f"""
import resource, tacore
dataset = tacore.load({str(large)!r})
dataset.data
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
seen = []
tacore.export(dataset, {str(tmp_path / "x.tacozip")!r}, progress=lambda *at: seen.append(at))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 64
    assert os.listdir(tmp_path) == ["x.tacozip"]


def test_an_export_gets_the_given_id(golden: Path, tmp_path: Path) -> None:
    both = tacore.concat([tacore.load(golden / "flat.tacozip"), tacore.load(golden / "flat_plain.tacozip")])
    assert len(tacore.load(tacore.export(both, tmp_path / "both", id="both")).data) == len(both.data)
    assert tacore.load(tmp_path / "both").id == "both"


@pytest.mark.parametrize(
    ("output", "output_format", "expected", "is_zip"),
    [
        ("a.tacozip", "auto", "a.tacozip", True),
        ("a.ZIP", "auto", "a.ZIP", True),
        ("a", "auto", "a", False),
        ("a.zip", "zip", "a.zip", True),
        ("a.tacozip", "folder", "a", False),
        ("a.b", "folder", "a.b", False),
    ],
)
def test_the_format_comes_from_the_suffix_or_an_argument(
    golden: Path, tmp_path: Path, output: str, output_format: str, expected: str, is_zip: bool
) -> None:
    path = tacore.export(golden / "flat.tacozip", tmp_path / "new" / "folders" / output, output_format)
    assert path == tmp_path / "new" / "folders" / expected
    assert path.is_file() == is_zip and path.exists()


def test_a_frame_is_exported_with_its_visible_rows_and_columns(golden: Path, tmp_path: Path) -> None:
    """Published compile() takes frames, and so do these."""
    dataset = tacore.load(golden / "nested.tacozip")
    some = dataset.data[::-1][:2]
    tacore.export(some, tmp_path / "some.tacozip")
    made = tacore.load(tmp_path / "some.tacozip").data
    assert [row["id"] for row in made] == [row["id"] for row in some]
    assert [made.read_bytes(f"{row['id']}/item_1") for row in made] == [
        some.read_bytes(f"{row['id']}/item_1") for row in some
    ]
    columns = dataset.data.with_column("twice", "length(region) * 2").filter("twice > 8").select(
        ["id", "twice"]
    )
    assert isinstance(columns, tacore.TacoDataFrame)
    random = dataset.sql("SELECT * FROM data ORDER BY random()").data
    for rows in (random, random.filter("random() < 0.9")):
        path = tacore.export(rows, tmp_path / "random.tacozip", overwrite=True) if len(rows) else None
        if path is not None:
            assert [row["id"] for row in tacore.load(path).data] == [row["id"] for row in rows]
    more = dataset.data.with_column("twice", "length(region) * 2")
    tacore.export(more, tmp_path / "more.tacozip")
    assert [row["twice"] for row in tacore.load(tmp_path / "more.tacozip").data] == [row["twice"] for row in more]
    assert [sample.id for sample in tacore.transform.to_taco(some).tortilla] == [row["id"] for row in some]
    with pytest.raises(tacore.TacoNavigationError, match="traced to its sample"):
        tacore.export(dataset.data.read(0), tmp_path / "children.tacozip")
    changed = dataset.data
    changed["x"] = 1
    with pytest.raises(tacore.TacoQueryError, match="set in Python"):
        tacore.export(changed, tmp_path / "changed.tacozip")
    with pytest.raises(TypeError, match="a dataset, a frame or the path"):
        tacore.export(7, tmp_path / "seven.tacozip")  # type: ignore[arg-type]


def test_arguments_have_the_order_of_the_published_packages(
    golden: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bool at that position switches the progress bar."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    dataset = tacore.load(golden / "flat.tacozip")
    tacore.export(dataset, tmp_path / "a.tacozip", "zip", 4, False)
    tacore.zip2folder(tmp_path / "a.tacozip", tmp_path / "b", 4, False)
    tacore.folder2zip(tmp_path / "b", tmp_path / "c.tacozip", False)
    assert terminal.getvalue() == ""
    tacore.zip2folder(tmp_path / "a.tacozip", tmp_path / "d", 4, True)
    assert "Extracting" in terminal.getvalue()


def test_a_refused_export_leaves_no_folders(golden: Path, tmp_path: Path) -> None:
    with pytest.raises(tacore.TacoValidationError, match="name of a ZIP"):
        tacore.export(golden / "flat.tacozip", tmp_path / "x", "zip")
    with pytest.raises(tacore.TacoValidationError, match="Invalid format"):
        tacore.export(golden / "flat.tacozip", tmp_path / "x", "tar")
    with pytest.raises(tacore.TacoValidationError, match="compression"):
        tacore.export(golden / "flat.tacozip", tmp_path / "new" / "folders" / "x", compression="rar")
    with pytest.raises(TypeError, match="compresion"):
        tacore.export(golden / "flat.tacozip", tmp_path / "new" / "x", compresion="zstd")
    for name in ("max_concurrent_requests", "limit"):
        with pytest.raises(tacore.TacoValidationError, match="max_concurrent_requests"):
            tacore.export(golden / "flat.tacozip", tmp_path / "x", **{name: 0})
    assert list(tmp_path.iterdir()) == []


def test_parquet_options_reach_the_tables(golden: Path, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    folder = tacore.export(golden / "flat.tacozip", tmp_path / "x", compression="snappy", row_group_size=2)
    metadata = pq.read_metadata(folder / "METADATA" / "level0.parquet")
    assert metadata.num_row_groups == 3
    assert metadata.row_group(0).column(0).compression == "SNAPPY"


def test_published_spellings_of_arguments_are_accepted(golden: Path, tmp_path: Path) -> None:
    tacore.export(dataset=golden / "nested.tacozip", output_path=tmp_path / "a", mode="folder")
    tacore.export(tacore.load(golden / "nested.tacozip"), tmp_path / "b", workers=1, progress=False)
    tacore.folder2zip(folder_path=tmp_path / "a", zip_output=tmp_path / "a.tacozip")
    tacore.folder2zip(source=tmp_path / "a", output=tmp_path / "b.tacozip", progress=False)
    tacore.zip2folder(zip_path=tmp_path / "a.tacozip", folder_output=tmp_path / "c", quiet=True)
    tacore.zip2folder(source=tmp_path / "a.tacozip", output=tmp_path / "d", workers=2)
    tacore.zip2folder(str(tmp_path / "a.tacozip"), str(tmp_path / "e"), 10, True)
    assert tree(tacore.load(tmp_path / "e")) == tree(tacore.load(tmp_path / "a"))
    with pytest.raises(TypeError, match="both 'output' and 'output_path'"):
        tacore.export(golden / "flat.tacozip", tmp_path / "x", output_path=tmp_path / "y")


def test_converters_refuse_inputs_of_the_other_format(golden: Path, tmp_path: Path) -> None:
    with pytest.raises(tacore.TacoValidationError):
        tacore.zip2folder(golden / "nested", tmp_path / "x")
    with pytest.raises(tacore.TacoValidationError):
        tacore.folder2zip(golden / "nested.tacozip", tmp_path / "x.tacozip")
    with pytest.raises(FileNotFoundError):
        tacore.folder2zip(tmp_path / "missing", tmp_path / "x.tacozip")
    with pytest.raises(tacore.TacoValidationError, match="index"):
        tf.convert(golden / "cascade_tacocat", tmp_path / "x")
    assert tf.convert(golden / "nested", tmp_path / "x.tacozip").is_file()
    assert tf.convert(golden / "nested.tacozip", tmp_path / "y").is_dir()


def test_path_names_that_are_not_utf_8_work(golden: Path, tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    path = tacore.export(golden / "flat.tacozip", name + ".tacozip")
    assert os.fsencode(path.name) == b"caf\xe9.tacozip" and path.is_file()
    assert validate(path) == []
    with pytest.raises(tacore.TacoValidationError) as caught:
        tacore.export(golden / "flat.tacozip", path)
    assert caught.value.path == str(path)


# ------------------------------------------------------------------------------------------------ progress and stopping


def long_work(large: Path, folder: Path) -> list[tuple[str, Callable[[Any], object]]]:
    index = copies(Path(__file__).parents[1] / "golden" / "nested.tacozip", folder, "a.tacozip", "b.tacozip")
    return [
        ("export", lambda call: tacore.export(large, folder / "new.tacozip", progress=call)),
        ("folder2zip", lambda call: tacore.folder2zip(large, folder / "new.tacozip", progress=call)),
        ("diff", lambda call: tf.diff(large, large, progress=call)),
        ("sync", lambda call: tf.sync(large, folder / "store", progress=call)),
        ("tacocat", lambda call: _core.create_tacocat(index, {}, call)),
        ("edit", lambda call: tf.edit(index[0], {"title": "T"}, progress=call)),
    ]


def test_progress_counts_up_to_the_total(large: Path, tmp_path: Path) -> None:
    for name, work in long_work(large, tmp_path):
        seen: list[tuple[int, int]] = []
        work(lambda done, total, seen=seen: seen.append((done, total)))
        assert seen, name
        assert [done for done, _ in seen] == sorted(done for done, _ in seen), name
        assert seen[-1][0] == seen[-1][1], name
        for made in ("new.tacozip", "store"):
            path = tmp_path / made
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def test_a_callback_can_cancel_and_no_file_is_left(large: Path, tmp_path: Path) -> None:
    for name, work in long_work(large, tmp_path):
        before = sorted(os.listdir(tmp_path))
        with pytest.raises(tacore.TacoIOError, match="stopped"):
            work(lambda done, total: False)
        with pytest.raises(ZeroDivisionError):
            work(lambda done, total: 1 / 0)
        left = [path for path in sorted(os.listdir(tmp_path)) if path in before or path != "store"]
        assert left == before, name  # but for what is stored, which the next sync finds
    with pytest.raises(tacore.TacoValidationError):
        tf.sync(tmp_path / "store" / "large", tmp_path / "back")


def test_ctrl_c_cancels_and_no_file_is_left(large: Path, tmp_path: Path) -> None:
    program = f"""
import sys, time, tacore
def slow(done, total):
    print("at", done, flush=True)
    time.sleep(0.02)
try:
    tacore.export({str(large)!r}, {str(tmp_path / "new" / "x.tacozip")!r}, progress=slow)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(3)
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("at")
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    assert rest.endswith("interrupted\n")
    assert process.returncode == 3
    assert os.listdir(tmp_path) == []


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_progress_bar_is_shown_on_a_terminal_unless_it_is_off(
    golden: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shown(name: str, **how: Any) -> str:
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        tacore.export(golden / "flat.tacozip", tmp_path / name, **how)
        return terminal.getvalue()

    assert "Exporting [" in shown("a") and "100%" in shown("b")
    assert shown("c", quiet=True) == shown("d", progress=False) == ""
    seen: list[int] = []
    assert shown("e", quiet=True, progress=lambda done, total: seen.append(done)) == ""
    assert seen
    assert _progress.callback("x", progress=True) is not None


def test_the_progress_bar_ends_once_and_shows_in_notebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    class OutStream(io.StringIO):  # as ipykernel has it: no terminal
        __module__ = "ipykernel.iostream"

    for stream in (Terminal(), OutStream()):
        monkeypatch.setattr(sys, "stderr", stream)
        show = _progress.bar("Working")
        assert show
        for done in (1, 3, 3, 3):
            show(done, 3)
        assert stream.getvalue().count("100%") == stream.getvalue().count("\n") == 1


@pytest.mark.parametrize(
    "name", ["nested.tacozip", "nested_padded", "cascade_tacocat", "polygons.tacozip"]
)
def test_to_taco_gives_a_taco_that_can_be_written(golden: Path, tmp_path: Path, name: str) -> None:
    source = tacore.load(golden / name)
    taco = tf.to_taco(source)
    assert taco.id == source.id and len(taco) == len(source.data)
    assert taco["taco:subset_of"] == source.id
    tacore.create(taco, tmp_path / "created.tacozip")
    assert tree(tacore.load(tmp_path / "created.tacozip")) == tree(source)
    exported = tacore.export(source, tmp_path / "exported.tacozip")
    found = tf.diff(tmp_path / "created.tacozip", exported)
    assert {change.name for change in found.collection} <= {"taco:subset_date"} and not found.samples


def test_to_taco_accepts_datasets_before_2_0(golden: Path, tmp_path: Path) -> None:
    source = tacore.load(golden / "v1" / "nested.taco")
    tacore.create(tf.to_taco(source), tmp_path / "created.tacozip")
    tacore.export(source, tmp_path / "exported.tacozip")
    assert tree(tacore.load(tmp_path / "created.tacozip")) == tree(tacore.load(tmp_path / "exported.tacozip"))


def test_samples_of_a_dataset_can_be_extended(golden: Path, tmp_path: Path) -> None:
    taco = tf.to_taco(tacore.load(golden / "nested.tacozip").sql("SELECT * FROM data ORDER BY id LIMIT 2"))
    taco.tortilla.extend_with({"score": [1.5, 2.5]})
    taco.title = "Two"
    tacore.create(taco, tmp_path / "two.tacozip")
    made = tacore.load(tmp_path / "two.tacozip")
    assert made.data.to_arrow()["score"].to_pylist() == [1.5, 2.5] and made.title == "Two"
    assert len(made.data.read(0)) == 3
    with pytest.raises(tacore.TacoQueryError):
        tf.to_taco(tacore.load(golden / "flat.tacozip").sql("SELECT * FROM data WHERE false"))


# ----------------------------------------------------------------------------------------- edit, diff, sync, validation


def test_an_edit_changes_only_the_given_members_and_columns(golden: Path, tmp_path: Path) -> None:
    [path] = copies(golden / "nested.tacozip", tmp_path, "a.tacozip")
    opened = tacore.load(path)
    before = tree(opened)
    tf.edit(path, {"title": "Ünï", "keywords": ["a"], "mine:note": {"n": [1, 2.5, None]}}, drop=["region"])
    edited = tacore.load(path)
    assert edited.title == "Ünï" and edited.collection["mine:note"] == {"n": [1, 2.5, None]}
    assert "region" not in edited.data.columns
    assert [data for _, data in tree(edited).values()] == [data for _, data in before.values()]
    assert tree(opened) == before  # whoever has it open goes on reading it
    tf.edit(path, unset=["mine:note"])
    assert "mine:note" not in tacore.load(path).collection
    assert is_clean(path)


def test_columns_are_edited_from_files_and_tables(golden: Path, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    [path] = copies(golden / "nested.tacozip", tmp_path, "a.tacozip")
    (tmp_path / "more.csv").write_text("id,label\nasia,x\neurope,y\n")
    tf.edit(path, columns=[tmp_path / "more.csv", pa.table({"id": ["asia"], "score": pa.array([0.5], pa.float32())})])
    rows = {row["id"]: row for row in tacore.load(path).data.to_arrow().to_pylist()}
    assert [rows[id]["label"] for id in ("asia", "europe", "africa")] == ["x", "y", None]
    assert [rows[id]["score"] for id in ("asia", "europe", "africa")] == [0.5, None, None]
    tf.edit(path, columns=tacore.load(path).data.with_column("score", "2 * coalesce(score, 1)"))
    assert tacore.load(path).data.to_arrow()["score"].to_pylist().count(2.0) == 2
    tf.edit(path, columns=pa.table({"id": ["asia/item_0"], "depth": [1]}), level=1)
    assert "depth" in tacore.load(path).data.read("asia").columns


def test_repairs_are_proposed_made_and_undone(golden: Path, tmp_path: Path) -> None:
    [path] = copies(golden / "nested.tacozip", tmp_path, "a.tacozip")
    plan = tf.propose_repairs(path, progress=False)
    assert plan["repairs"] == [] and validate(path, assets=True, pixels=True) == []
    with pytest.raises(tacore.TacoValidationError, match="no repair of the plan is accepted"):
        tf.apply_repairs(path, plan, progress=False)
    before = tree(tacore.load(path))
    [old] = [row["region"] for row in tacore.load(path).data.to_arrow().to_pylist() if row["id"] == "asia"]
    row = tacore.load(path).data.to_arrow()["id"].to_pylist().index("asia")
    change = {"row": row, "sample": "asia", "old": [old], "new": ["A"]}
    repair = {"number": 1, "level": 0, "columns": ["region"], "confidence": 0.5, "accepted": False, "changes": [change]}
    plan["repairs"].append(repair)
    done = tf.apply_repairs(path, plan, accept=[1], progress=False)
    assert done == tf.RepairResult(num_repairs=1, num_left=0, num_values=1)
    assert tacore.load(path).data.to_arrow()["region"].to_pylist()[row] == "A"
    with pytest.raises(tacore.TacoValidationError, match="row .* is 'A'"):
        tf.apply_repairs(path, plan, accept="all", progress=False)
    tf.apply_repairs(path, tf.inverse_repairs(plan, accept="all"), progress=False)
    assert tree(tacore.load(path)) == before
    with pytest.raises(tacore.TacoFormatError):
        tf.inverse_repairs({"repairs": []})


def test_a_comparison_with_the_files_can_be_stopped(golden: Path) -> None:
    seen: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> bool:
        seen.append((done, total))
        return False

    with pytest.raises(tacore.TacoIOError):
        validate(golden / "nested.tacozip", assets=True, progress=stop)
    assert len(seen) == 1


def test_an_edit_that_breaks_a_rule_changes_nothing(golden: Path, tmp_path: Path) -> None:
    [path] = copies(golden / "nested.tacozip", tmp_path, "a.tacozip")
    before = path.read_bytes()
    for wrong in (
        lambda: tf.edit(path),
        lambda: tf.edit(path, {"tasks": ["none-of-them"]}),
        lambda: tf.edit(path, {"id": "other"}),
    ):
        with pytest.raises(tacore.TacoValidationError):
            wrong()
    with pytest.raises(tacore.TacoSchemaError):
        tf.edit(path, drop=["missing"])
    with pytest.raises(TypeError):
        tf.edit(path, {"title": object()})
    assert path.read_bytes() == before


def test_a_diff_lists_changed_members_columns_and_samples(golden: Path, tmp_path: Path) -> None:
    same = tf.diff(golden / "nested.tacozip", golden / "nested")
    assert not same and repr(same) == "<Diff: equal>"
    [path] = copies(golden / "nested.tacozip", tmp_path, "a.tacozip")
    table = tmp_path / "t.jsonl"
    table.write_text('{"id": "asia", "region": "east"}\n')
    tf.edit(path, {"title": "New"}, columns=table)
    found = tf.diff(golden / "nested.tacozip", path)
    assert found and found.num_changed == 1 and found.num_added == found.num_removed == 0
    assert [(change.name, change.b) for change in found.collection if change.name == "title"] == [("title", '"New"')]
    [sample] = found.samples
    assert (sample.change, sample.level, sample.path) == ("changed", 0, "asia")
    assert sample.fields == [tf.ValueChange("region", sample.fields[0].a, "east")]
    assert "changed asia" in repr(found)
    some = tacore.export(tacore.load(path).sql("SELECT * FROM data WHERE id <> 'asia'"), tmp_path / "some")
    assert tf.diff(path, some).num_removed == 4


def test_a_store_gives_back_every_byte(golden: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    first = tf.sync(golden / "nested.tacozip", store)
    assert first.num_bytes_moved > 0 and first.num_bytes_reused == 0
    second = tf.sync(golden / "nested.tacozip", store / "again")
    assert second.num_chunks_moved == 0 and second.num_chunks_reused == first.num_chunks_moved
    tf.sync(store / "again", tmp_path / "back.tacozip")
    assert (tmp_path / "back.tacozip").read_bytes() == (golden / "nested.tacozip").read_bytes()
    with pytest.raises(tacore.TacoValidationError):
        tf.sync(store / "again", tmp_path / "back.tacozip")
    tf.sync(store / "again", tmp_path / "back.tacozip", overwrite=True)
    with pytest.raises(tacore.TacoValidationError):
        tf.sync(store / "missing", tmp_path / "none.tacozip")
    # Another dataset of that name.
    with pytest.raises(tacore.TacoValidationError, match="has another dataset called 'again'"):
        tf.sync(golden / "flat.tacozip", store / "again")
    assert tf.sync(golden / "flat.tacozip", store / "again", overwrite=True).replaced == "again"


def test_validation_finds_damage(golden: Path, tmp_path: Path) -> None:
    assert is_clean(golden / "nested.tacozip")
    issues = validate(golden / "permuted_offsets.tacozip")
    assert {"OFF-1"} <= {issue.rule for issue in issues}
    assert any(issue.level == 1 for issue in issues)
    damaged = bytearray((golden / "flat.tacozip").read_bytes())
    damaged[int(tacore.load(golden / "flat.tacozip").data.read(0).split("/vsisubfile/")[1].split("_")[0])] ^= 1
    (tmp_path / "damaged.tacozip").write_bytes(damaged)
    assert validate(tmp_path / "damaged.tacozip") == []
    [issue] = validate(tmp_path / "damaged.tacozip", deep=True)
    assert issue.is_error and "CRC" in issue.message and issue.path == str(tmp_path / "damaged.tacozip")
    [missing] = validate(tmp_path / "missing.tacozip")
    assert missing.is_error
    with pytest.raises(tacore.TacoQueryError):
        validate(golden / "flat.tacozip", profiles=["stac-tortilla"])
    assert isinstance(validate(golden / "v1" / "flat.tortilla", profiles=["stac-tortilla"]), list)


def test_an_export_is_replayed_from_its_provenance(golden: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(golden / "nested", source)
    for name in ("made.tacozip", "made"):
        made = tf.export(tacore.load(source).sort("id").limit(2), tmp_path / name, progress=False, provenance=True)
        same = tf.replay(made, progress=False)
        assert same.identical and same.differences == [] and same.paths == []
        assert same.num_bytes > 0 and same.tool_version == tacore.__version__
        with pytest.raises(tacore.TacoIOError, match="stopped"):
            tf.replay(made, progress=lambda done, total: False)
        again = tf.replay(made, tmp_path / f"again-{name}", sources=source, progress=False)
        assert again.identical and again.paths == [tmp_path / f"again-{name}"]
    file = next(path for path in sorted((source / "DATA").rglob("*")) if path.is_file() and path.name != "__meta__")
    sample = file.relative_to(source / "DATA").as_posix()
    file.write_bytes(bytes(reversed(file.read_bytes())))
    changed = tf.replay(tmp_path / "made", progress=False)
    assert not changed.identical and changed.num_differences == 1
    assert changed.differences[0].sample == sample and changed.differences[0].offset == 0
    tf.edit(source, {"title": "Another"}, progress=False)
    with pytest.raises(tacore.TacoValidationError, match="has changed since the export: the SHA-256 of its metadata"):
        tf.replay(tmp_path / "made", progress=False)


def test_what_cannot_be_replayed_is_refused(golden: Path, tmp_path: Path) -> None:
    source = tacore.load(golden / "flat.tacozip")
    for dataset in (source.data, source.sql("SELECT * FROM data WHERE random() < 2")):
        with pytest.raises(tacore.TacoValidationError, match="no provenance can be recorded"):
            tf.export(dataset, tmp_path / "no.tacozip", provenance=True, progress=False)
    with pytest.raises(tacore.TacoValidationError, match="COLLECTION.json has no taco:subset_date"):
        tf.replay(golden / "flat.tacozip", progress=False)
    assert not list(tmp_path.iterdir())
