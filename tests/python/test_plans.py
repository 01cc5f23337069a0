"""Export and conversion in steps: plans, tasks, and what is made of them."""

from __future__ import annotations

import dataclasses
import http.server
import json
import pickle
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from test_transform import tree

import tacore
from tacore import transform
from tacore.validator import validate

ZIPS = ["flat", "flat_plain", "nested", "nested_padded", "six_levels", "odd_names", "odd_names_nested", "stats",
        "stale_gdal_vsi", "no_current_id", "string_parent_id", "permuted_offsets", "header_absent", "times",
        "polygons"]  # fmt: skip


def finished(plan: tacore.ExportPlan | tacore.Folder2ZipPlan) -> Path:
    for task in getattr(plan, "tasks", ()):
        tacore.execute(task)
    return tacore.finalize(plan)


def collection(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = tacore.load(path).collection
    found.pop("taco:subset_date", None)
    fields = found["taco:field_schema"]  # the writer describes columns of the standard in its own words
    return {**found, "taco:field_schema": {level: [each[:2] for each in rows] for level, rows in fields.items()}}


def assert_same_samples(made: Path, expected: Path) -> None:
    found = transform.diff(expected, made)
    assert (found.columns, found.samples) == ([], [])
    assert str(tree(tacore.load(made))) == str(tree(tacore.load(expected)))  # as text: NaN differs from NaN


def assert_equal(made: Path, expected: Path) -> None:
    """The same samples, bytes, metadata and description, also by the rules of a deep check."""
    faults = [[(each.rule, each.message) for each in validate(path, deep=True)] for path in (made, expected)]
    assert faults[0] == faults[1]
    assert_same_samples(made, expected)
    assert collection(made) == collection(expected)
    if made.is_dir():
        names = [sorted(str(path.relative_to(root)) for path in root.rglob("*")) for root in (made, expected)]
        assert names[0] == names[1]


# -------------------------------------------------------------------------------------------------------------- export


@pytest.mark.parametrize("name", [*ZIPS, "flat_padded", "uneven_children", "mixed_level1"])
def test_a_planned_export_equals_an_export(golden: Path, tmp_path: Path, name: str) -> None:
    dataset = tacore.load(golden / f"{name}.tacozip")
    assert_equal(
        finished(tacore.plan_export(dataset, tmp_path / "made")), tacore.export(dataset, tmp_path / "expected")
    )


@pytest.mark.parametrize(
    "select",
    [
        lambda each: each.sql("SELECT *, upper(region) AS shout FROM data WHERE region <> 'ASIA' ORDER BY id DESC"),
        lambda each: each.filter_datetime("2023-01-02/2023-02-01", level=1),
        lambda each: each.data.head(1),
        lambda each: tacore.concat([each, each]),
        lambda each: each._core.path,
    ],
)
def test_a_subset_is_planned(golden: Path, tmp_path: Path, select: Callable[[Any], Any]) -> None:
    dataset = select(tacore.load(golden / "nested.tacozip"))
    plan = tacore.plan_export(dataset, tmp_path / "made")
    assert_equal(finished(plan), tacore.export(dataset, tmp_path / "expected"))


@pytest.mark.parametrize("source", ["cascade_tacocat", "nested"])
def test_other_containers_are_planned(golden: Path, tmp_path: Path, source: str) -> None:
    plan = tacore.plan_export(tacore.load(golden / source), tmp_path / "made")
    assert_equal(finished(plan), tacore.export(golden / source, tmp_path / "expected"))


def test_a_plan_says_what_will_be_done(golden: Path, tmp_path: Path) -> None:
    dataset = tacore.load(golden / "nested.tacozip").sql("SELECT * FROM data WHERE id <> 'africa'")
    plan = tacore.plan_export(dataset, tmp_path / "made")
    first = plan.tasks[0]
    assert (first.src, first.size) == (str(golden / "nested.tacozip"), 11)
    assert first.dest == str(tmp_path / "made" / "DATA" / "asia" / "item_0")
    assert (plan.source, plan.output) == (str(golden / "nested.tacozip"), tmp_path / "made")
    assert len(plan.tasks) == 6
    assert [level.num_rows for level in plan.levels] == [2, 6]
    assert plan.levels[0]["internal:current_id"].to_pylist() == [0, 1]
    assert plan.levels[1]["internal:parent_id"].to_pylist() == [0, 0, 0, 1, 1, 1]
    assert sorted(plan.local_metadata) == ["DATA/asia/", "DATA/europe/"]
    assert plan.collection["taco:subset_of"] == "nested"
    assert not (tmp_path / "made").exists()


def test_plans_and_tasks_are_values(golden: Path, tmp_path: Path) -> None:
    task = tacore.CopyTask("a", "b", 1, 2)
    assert task == tacore.CopyTask(src="a", dest="b", offset=1, size=2) and len({task, task}) == 1
    assert tacore.CopyTask("a", "b") == pickle.loads(pickle.dumps(tacore.CopyTask("a", "b")))
    assert task.model_copy(update={"dest": "c"}) == tacore.CopyTask("a", "c", 1, 2)
    plan = tacore.plan_export(tacore.load(golden / "flat.tacozip"), tmp_path / "made")
    for value, name in ((task, "src"), (tacore.ZipEntry("a", "DATA/a"), "arc_path"), (plan, "tasks")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, name, "x")
    assert tacore.ExportPlan(tasks=(), source="s", output=tmp_path).levels == ()
    assert tacore.Zip2FolderPlan(tasks=(), source="s", output=tmp_path).local_metadata == {}


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_tasks_run_in_threads_and_processes(golden: Path, tmp_path: Path, pool: Callable[..., Any]) -> None:
    plan = tacore.plan_export(tacore.load(golden / "nested.tacozip"), tmp_path / "made")
    with pool(2) as workers:
        list(workers.map(tacore.execute, plan.tasks))
    assert_equal(tacore.finalize(plan), tacore.export(golden / "nested.tacozip", tmp_path / "expected"))


def test_a_changed_plan_is_carried_out_as_it_is(golden: Path, tmp_path: Path) -> None:
    plan = tacore.plan_export(tacore.load(golden / "flat.tacozip"), tmp_path / "made")
    rows = plan.levels[0].append_column("extra", pa.array(range(5)))
    changed = plan.model_copy(update={"levels": (rows,), "collection": {**plan.collection, "title": "Changed"}})
    dataset = tacore.load(finished(changed))
    assert dataset.title == "Changed"
    assert dataset.data.to_arrow()["extra"].to_pylist() == [0, 1, 2, 3, 4]


@pytest.fixture
def url(golden: Path) -> Iterator[str]:
    """A server of the golden files that knows ranges."""

    class Ranges(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            data = (golden / self.path.lstrip("/")).read_bytes()
            start, end = 0, len(data)
            asked = self.headers.get("Range")
            if asked:
                first, _, last = asked.removeprefix("bytes=").partition("-")
                start = int(first) if first else max(0, len(data) - int(last))
                end = min(len(data), int(last) + 1) if first and last else len(data)
            self.send_response(206 if asked else 200)
            self.send_header("Content-Length", str(end - start))
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(data)}")
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data[start:end])

        do_HEAD = do_GET

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_remote_samples_are_copied(golden: Path, tmp_path: Path, url: str) -> None:
    plan = tacore.plan_zip2folder(f"{url}/nested.tacozip", tmp_path / "made")
    assert plan.source == plan.tasks[0].src == f"{url}/nested.tacozip"
    assert_equal(finished(plan), tacore.zip2folder(golden / "nested.tacozip", tmp_path / "expected"))


# ---------------------------------------------------------------------------------------------------------- conversion


@pytest.mark.parametrize("name", ZIPS)
def test_a_planned_conversion_to_a_folder_equals_zip2folder(golden: Path, tmp_path: Path, name: str) -> None:
    expected = tacore.zip2folder(golden / f"{name}.tacozip", tmp_path / "expected")
    plan = tacore.plan_zip2folder(golden / f"{name}.tacozip", tmp_path / "made")
    made = finished(plan)
    for padding in [*made.rglob("__TACOPAD__*"), *expected.rglob("__TACOPAD__*")]:  # numbered from 0 or by position
        padding.rename(padding.with_name("__TACOPAD__0"))
    assert plan.source == str(golden / f"{name}.tacozip")
    assert_same_samples(made, expected)
    assert collection(made) == collection(expected)


def test_padding_of_level_0_is_left_out_of_a_folder(golden: Path, tmp_path: Path) -> None:
    made = finished(tacore.plan_zip2folder(golden / "flat_padded.tacozip", tmp_path / "made"))
    assert_same_samples(made, golden / "flat_padded.tacozip")
    assert validate(made, deep=True) == []
    assert list(made.rglob("__TACOPAD__*")) == []


@pytest.mark.parametrize("name", ZIPS)
def test_a_planned_conversion_to_a_zip_equals_folder2zip(golden: Path, tmp_path: Path, name: str) -> None:
    folder = tacore.zip2folder(golden / f"{name}.tacozip", tmp_path / "folder")
    plan = tacore.plan_folder2zip(folder, tmp_path / "new" / "made.tacozip")
    assert_equal(finished(plan), tacore.folder2zip(folder, tmp_path / "expected.tacozip"))
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["made.tacozip"]


def test_entries_name_the_files_of_samples(golden: Path, tmp_path: Path) -> None:
    plan = tacore.plan_folder2zip(golden / "nested", tmp_path / "made.tacozip")
    assert plan.entries[0] == tacore.ZipEntry(str(golden / "nested/DATA/africa/item_0"), "DATA/africa/item_0")
    assert [entry.arc_path for entry in plan.entries if "__meta__" in entry.arc_path] == []
    assert len(plan.entries) == 9
    assert sorted(plan.local_metadata) == ["DATA/africa/", "DATA/asia/", "DATA/europe/"]


# -------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize("plan", [tacore.plan_export, tacore.plan_zip2folder, tacore.plan_folder2zip])
def test_what_cannot_be_planned_is_said_before_anything_is_written(
    golden: Path, tmp_path: Path, plan: Callable[..., Any]
) -> None:
    good = golden / ("nested" if plan is tacore.plan_folder2zip else "nested.tacozip")
    (tmp_path / "there").touch()
    with pytest.raises(tacore.TacoPlanError, match="already exists"):
        plan(good, tmp_path / "there")
    with pytest.raises(tacore.TacoPlanError, match="cannot be written"):
        plan(good, "s3://bucket/made")
    with pytest.raises(tacore.TacoPlanError, match="nowhere"):
        plan(tmp_path / "nowhere", tmp_path / "made")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_datasets_that_cannot_be_planned_are_refused(golden: Path, tmp_path: Path) -> None:
    empty = tacore.load(golden / "flat.tacozip").sql("SELECT * FROM data WHERE cloud_cover > 1000")
    refused: list[tuple[Callable[[], Any], str]] = [
        (partial(tacore.plan_export, empty, tmp_path / "made"), "empty"),
        (partial(tacore.plan_zip2folder, golden / "nested", tmp_path / "made"), "a ZIP is expected, not a folder"),
        (partial(tacore.plan_zip2folder, golden / "uneven_children.tacozip", tmp_path / "made"), "different children"),
        (partial(tacore.plan_folder2zip, golden / "flat.tacozip", tmp_path / "made.tacozip"), "not found"),
    ]
    for call, words in refused:
        with pytest.raises(tacore.TacoPlanError, match=words):
            call()
    with pytest.raises(TypeError, match="a dataset, a frame or the path"):
        tacore.plan_export(5, tmp_path / "made")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a CopyTask is expected, not int"):
        tacore.execute(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a plan is expected, not CopyTask"):
        tacore.finalize(tacore.CopyTask("a", "b"))  # type: ignore[arg-type]


@pytest.mark.parametrize("lost", ["COLLECTION.json", "METADATA", "DATA"])
def test_a_folder_that_lacks_a_part_is_refused(golden: Path, tmp_path: Path, lost: str) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(golden / "nested", folder)
    if lost == "COLLECTION.json":
        (folder / lost).write_text("{")
    else:
        shutil.rmtree(folder / lost)
    with pytest.raises(tacore.TacoPlanError):
        tacore.plan_folder2zip(folder, tmp_path / "made.tacozip")


def test_a_task_copies_a_part_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "whole").write_bytes(b"hello world")
    parts = [
        (None, None, b"hello world"),
        (6, 5, b"world"),
        (0, 5, b"hello"),
        (6, None, b"world"),
        (None, 4, b"hell"),
        (3, 0, b""),
    ]
    for offset, size, expected in parts:
        tacore.execute(tacore.CopyTask(str(tmp_path / "whole"), str(tmp_path / "a/b/part"), offset, size))
        assert (tmp_path / "a/b/part").read_bytes() == expected
    assert [path.name for path in (tmp_path / "a/b").iterdir()] == ["part"]


@pytest.mark.parametrize(
    ("src", "offset", "size"), [("none", None, None), ("whole", 6, 50), ("whole", 50, None), ("whole", -1, 5)]
)
def test_a_task_that_fails_leaves_nothing(tmp_path: Path, src: str, offset: int | None, size: int | None) -> None:
    (tmp_path / "whole").write_bytes(b"hello world")
    with pytest.raises(tacore.TacoExecuteError, match=src):
        tacore.execute(tacore.CopyTask(str(tmp_path / src), str(tmp_path / "part"), offset, size))
    assert [path.name for path in tmp_path.iterdir()] == ["whole"]


def test_a_task_without_a_place_for_its_copy_fails(tmp_path: Path) -> None:
    (tmp_path / "whole").write_bytes(b"hello")
    with pytest.raises(tacore.TacoExecuteError, match="cannot be copied to"):
        tacore.execute(tacore.CopyTask(str(tmp_path / "whole"), str(tmp_path / "whole" / "part")))


def test_an_output_is_not_completed_before_all_tasks_are_executed(golden: Path, tmp_path: Path) -> None:
    for source in ("nested.tacozip", "nested"):
        plan = tacore.plan_export(tacore.load(golden / source), tmp_path / source)
        for task in plan.tasks[1:]:
            tacore.execute(task)
        with pytest.raises(tacore.TacoFinalizeError):
            tacore.finalize(plan)
        assert not (plan.output / "COLLECTION.json").exists()
    Path(plan.tasks[0].dest).write_bytes(b"")
    plan = plan.model_copy(update={"tasks": [task.model_copy(update={"size": 13}) for task in plan.tasks[:1]]})
    with pytest.raises(tacore.TacoFinalizeError, match="a file of 13 bytes expected"):
        tacore.finalize(plan)


def test_files_that_are_there_are_kept(golden: Path, tmp_path: Path) -> None:
    plan = tacore.plan_export(tacore.load(golden / "nested.tacozip"), tmp_path / "made")
    for task in plan.tasks:
        tacore.execute(task)
    made = tacore.finalize(plan.model_copy(update={"tasks": ()}))
    assert_same_samples(made, golden / "nested.tacozip")


def test_a_zip_that_cannot_be_packed_leaves_nothing(golden: Path, tmp_path: Path) -> None:
    plan = tacore.plan_folder2zip(golden / "nested", tmp_path / "made.tacozip")
    broken = plan.model_copy(update={"entries": plan.entries[1:]})
    with pytest.raises(tacore.TacoFinalizeError, match="item_0"):
        tacore.finalize(broken)
    assert list(tmp_path.iterdir()) == []


def test_a_plan_is_stored_as_json_without_its_tables(golden: Path, tmp_path: Path) -> None:
    plan = tacore.plan_export(tacore.load(golden / "flat.tacozip"), tmp_path / "made")
    text = plan.model_dump_json(exclude={"levels", "local_metadata"})
    assert json.loads(text)["tasks"][0]["dest"] == plan.tasks[0].dest
