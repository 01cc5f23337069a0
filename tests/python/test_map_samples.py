"""Functions of pixels on engines give what a loop over the files gives."""

from __future__ import annotations

import os
import pickle
import random
import struct
import time
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
pytest.importorskip("pyarrow")
import numpy

import tacore
from tacore import distributed, transform
from tacore.datamodel import Sample, Taco, Tortilla
from tacore.loader import Column, Input
from test_distributed import ABOUT, EXAMPLES, client, dask_client, processes, tiff  # noqa: F401

FLAT = EXAMPLES / "landsat.tacozip"
NESTED = EXAMPLES / "landsat_nested.tacozip"


def statistics(pixels: Any) -> dict[str, Any]:
    return {"mean": float(pixels.mean()), "size": pixels.size, "corner": pixels[:, 0, 0], "text": f"{pixels.max()}"}


def share(image: Any, mask: Any) -> float:
    return float((image[0] > image[1]).mean() + mask.sum())


def named(image: Any, split: Any) -> dict[str, Any]:
    return {"top": int(image.max()), "of": split}


def slow_of_odd(pixels: Any) -> int:
    time.sleep(0.001 * (int(pixels[0, 0, 0]) % 3))
    return int(pixels.sum())


def raises(pixels: Any) -> int:
    raise KeyError(f"no {pixels.shape}")


def dies(pixels: Any) -> int:
    os._exit(1)


def as_read_by_rasterio(path: Path, child: str = "") -> list[Any]:
    """The pixels of each sample, by another reader."""
    rasterio = pytest.importorskip("rasterio")
    rows = tacore.load(path).data
    out = []
    for row in range(len(rows)):
        where = rows.read(row).read(child) if child else rows.read(row)
        with rasterio.open(where) as raster:
            out.append(raster.read())
    return out


def test_the_result_is_that_of_a_loop(client: Any) -> None:  # noqa: F811
    expected = [statistics(pixels) for pixels in as_read_by_rasterio(FLAT)]
    ids = [row["id"] for row in tacore.load(FLAT).data]
    for num_tasks in (None, 1, 3, 1000):
        made = distributed.map_samples(FLAT, statistics, client, num_tasks=num_tasks)
        assert made.ids == ids and made.positions == list(range(len(ids))) and made.failures == []
        assert list(made.columns) == ["mean", "size", "corner", "text"]
        for name, values in made.columns.items():
            assert all(numpy.array_equal(value, row[name]) for value, row in zip(values, expected, strict=True))
        table = made.to_arrow()
        assert table.column_names == ["id", "mean", "size", "corner", "text"]
        assert str(table.schema.field("corner").type) == "list<item: uint8>"
        assert table["mean"].to_pylist() == [row["mean"] for row in expected]


def test_inputs_are_those_of_a_loader(client: Any) -> None:  # noqa: F811
    images, masks = as_read_by_rasterio(NESTED, "optical"), as_read_by_rasterio(NESTED, "mask")
    made = distributed.map_samples(NESTED, share, client, inputs=["optical/4,3", "mask"], name="wet", num_tasks=4)
    assert made.columns == {"wet": [share(a[[3, 2]], b) for a, b in zip(images, masks, strict=True)]}
    rows = tacore.load(NESTED).data
    inputs = {"image": Input("optical", 1, dtype="float32"), "split": Column("split")}
    made = distributed.map_samples(rows, named, client, inputs=inputs, num_tasks=2)
    assert made.columns["of"] == [row["split"] for row in rows]
    assert made.columns["top"] == [int(image[0].max()) for image in images]


def test_filters_and_random_rows_are_kept(client: Any) -> None:  # noqa: F811
    view = tacore.load(FLAT).sql("SELECT * FROM data ORDER BY random() LIMIT 7")
    made = distributed.map_samples(view, slow_of_odd, client, num_tasks=5)
    assert made.ids == [row["id"] for row in view.data]
    sums = dict(zip((row["id"] for row in tacore.load(FLAT).data), map(slow_of_odd, as_read_by_rasterio(FLAT))))
    assert made.columns["value"] == [sums[id] for id in made.ids]


def test_samples_may_differ_in_shape_and_type(client: Any, tmp_path: Path) -> None:  # noqa: F811
    flat, nested = tacore.load(FLAT).data, tacore.load(NESTED).data
    files = [flat.read_bytes(0), tiff(1), nested.read(0).read_bytes("mask"), flat.read_bytes(1), tiff(2), tiff(3)]
    samples = [Sample(id=f"s{n}", path=each) for n, each in enumerate(files)]
    tacore.create(Taco(Tortilla(samples), **ABOUT), tmp_path / "mixed.tacozip")
    expected = [(str(each.dtype), list(each.shape)) for each in as_read_by_rasterio(tmp_path / "mixed.tacozip")]
    assert len({str(each) for each in expected}) == 3
    for num_tasks in (1, 2, 6):
        made = distributed.map_samples(tmp_path / "mixed.tacozip", form, client, num_tasks=num_tasks)
        assert list(zip(made.columns["dtype"], made.columns["shape"], strict=True)) == expected


def form(pixels: Any) -> dict[str, Any]:
    return {"dtype": str(pixels.dtype), "shape": list(pixels.shape)}


def test_results_become_columns_of_the_dataset(client: Any, tmp_path: Path) -> None:  # noqa: F811
    made = distributed.map_samples(FLAT, statistics, client, output=tmp_path / "new" / "mapped.tacozip")
    assert os.listdir(tmp_path / "new") == ["mapped.tacozip"]
    rows, before = tacore.load(tmp_path / "new" / "mapped.tacozip").data, tacore.load(FLAT).data
    assert [rows.read_bytes(n) for n in range(len(rows))] == [before.read_bytes(n) for n in range(len(before))]
    assert rows.to_arrow().select(["id", "mean", "size", "text"]) == made.to_arrow().select(
        ["id", "mean", "size", "text"]
    )
    assert rows.to_arrow()["corner"].to_pylist() == [each.tolist() for each in made.columns["corner"]]
    copied = tmp_path / "copy.tacozip"
    copied.write_bytes(FLAT.read_bytes())
    transform.edit(copied, columns=made)
    assert tacore.load(copied).data.to_arrow()["mean"].to_pylist() == made.columns["mean"]
    assert {change.change for change in transform.diff(FLAT, copied).samples} <= {"changed"}
    assert not any(change.bytes for change in transform.diff(FLAT, copied).samples)
    assert tacore.validator.validate(tmp_path / "new" / "mapped.tacozip", deep=True) == []


def test_output_that_exists_or_fails_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "out.tacozip"
    path.write_bytes(b"of others")
    with pytest.raises(tacore.TacoValidationError, match="exists already"):
        distributed.map_samples(FLAT, dies, output=path)  # before any work
    assert path.read_bytes() == b"of others"
    with pytest.raises(tacore.TacoSchemaError, match="column 'value'.*sample 'tile_r0_c0'"):
        distributed.map_samples(FLAT, Mixed(), output=tmp_path / "a" / "b.tacozip")
    with pytest.raises(tacore.TacoValidationError, match="remote"):
        distributed.map_samples(FLAT, dies, output="s3://bucket/x.tacozip")
    assert os.listdir(tmp_path) == ["out.tacozip"]


class Mixed:
    """Text for some samples, numbers for others."""

    def __call__(self, pixels: Any) -> Any:
        return "a" if int(pixels.sum()) % 2 else 1


def damaged(path: Path) -> None:
    source = tacore.load(FLAT).data
    files = [source.read_bytes(0), b"no raster", source.read_bytes(1), source.read_bytes(2)[:900], source.read_bytes(3)]
    tacore.create(Taco(Tortilla([Sample(id=f"s{n}", path=each) for n, each in enumerate(files)]), **ABOUT), path)


def test_samples_that_cannot_be_read_are_told_or_reported(client: Any, tmp_path: Path) -> None:  # noqa: F811
    damaged(tmp_path / "some.tacozip")
    for num_tasks in (1, 2, 5):
        with pytest.raises(
            tacore.TacoFormatError, match=r"rows 0 to .*: sample 's1' \(row 1\): |rows 1 to 1: sample 's1'"
        ):
            distributed.map_samples(tmp_path / "some.tacozip", slow_of_odd, client, num_tasks=num_tasks)
        made = distributed.map_samples(
            tmp_path / "some.tacozip", slow_of_odd, client, num_tasks=num_tasks, on_error="report"
        )
        assert made.positions == [0, 2, 4] and made.ids == ["s0", "s2", "s4"]
        assert [(each.position, each.id) for each in made.failures] == [(1, "s1"), (3, "s3")]
        assert (
            made.columns["value"]
            == distributed.map_samples(
                tacore.load(tmp_path / "some.tacozip").sql("SELECT * FROM data WHERE id NOT IN ('s1', 's3')"),
                slow_of_odd,
            ).columns["value"]
        )
    made = distributed.map_samples(
        tmp_path / "some.tacozip", slow_of_odd, client, on_error="report", output=tmp_path / "new.tacozip"
    )
    assert [row["value"] is None for row in tacore.load(tmp_path / "new.tacozip").data] == [
        False, True, False, True, False
    ]  # fmt: skip


def test_a_function_that_fails_is_told_with_its_sample_and_place(client: Any) -> None:  # noqa: F811
    with pytest.raises(tacore.TacoCreationError) as caught:
        distributed.map_samples(FLAT, raises, client, num_tasks=4)
    assert str(caught.value) == "rows 0 to 3: sample 'tile_r0_c0' (row 0): KeyError: 'no (6, 64, 64)'"
    assert "in raises" in "".join(caught.value.__notes__)
    made = distributed.map_samples(FLAT, raises, client, on_error="report")
    assert len(made) == 0 and made.columns == {} and len(made.failures) == 16
    assert made.failures[3].message == "sample 'tile_r0_c3' (row 3): KeyError: 'no (6, 64, 64)'"


class Columns:
    """Other columns for one sample."""

    def __init__(self, bad: Any) -> None:
        self.bad = bad

    def __call__(self, pixels: Any, split: Any) -> Any:
        return self.bad if split == "test" else {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("bad", "text"),
    [
        ({"a": 1}, "returned the columns a; for sample 'tile_r0_c0' it returned a, b"),
        ({"a": 1, "b": 2, "c": 3}, "returned the columns a, b, c; for sample"),
        ({}, "no columns"),
        ({"id": 1}, "the column 'id', which cannot be changed"),
        ({"internal:offset": 1}, "cannot be changed"),
        ({3: 1}, "a column 3; a name"),
        (7, "returned the columns value; for sample"),
    ],
)
def test_other_columns_are_an_error_whatever_the_tasks(client: Any, bad: Any, text: str) -> None:  # noqa: F811
    inputs = ["", Column("split")]
    first = next(n for n, row in enumerate(tacore.load(FLAT).data) if row["split"] == "test")
    for num_tasks in (1, 16):
        with pytest.raises(tacore.TacoSchemaError, match=rf"^sample '.*' \(row {first}\): .*{text}"):
            distributed.map_samples(FLAT, Columns(bad), client, inputs=inputs, num_tasks=num_tasks)
    made = distributed.map_samples(FLAT, Columns(bad), client, inputs=inputs, on_error="report")
    assert made.failures[0].position == first and set(made.columns) == {"a", "b"}


def test_a_lost_worker_is_an_error() -> None:
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(tacore.TacoCreationError, match="rows 0 to 15: "),
    ):
        distributed.map_samples(FLAT, dies, pool, num_tasks=1)


def test_closures_and_unpicklable_functions(dask_client: Any, processes: Executor) -> None:  # noqa: F811
    offset = 5
    made = distributed.map_samples(FLAT, lambda pixels: int(pixels[0, 0, 0]) + offset, dask_client)
    assert made.columns["value"] == [int(each[0, 0, 0]) + 5 for each in as_read_by_rasterio(FLAT)]
    with pytest.raises(tacore.TacoCreationError, match="rows 0 to .*pickle"):
        distributed.map_samples(FLAT, lambda pixels: 1, processes)


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_dataset_that_changes_is_an_error(processes: Executor, tmp_path: Path, how: str) -> None:  # noqa: F811
    path = tmp_path / "x.tacozip"
    path.write_bytes(FLAT.read_bytes())
    rows = tacore.load(path).data
    path.unlink()
    if how == "replaced":
        path.write_bytes(NESTED.read_bytes())
    kind, text = (FileNotFoundError, "No such file") if how == "removed" else (tacore.TacoError, "changed since")
    with pytest.raises(kind, match=f"rows 0 to .*{text}"):
        distributed.map_samples(rows, slow_of_odd, processes, num_tasks=2)


def test_wrong_arguments_are_told() -> None:
    for options, kind, text in (
        ({"on_error": "skip"}, tacore.TacoQueryError, "on_error"),
        ({"num_tasks": 0}, tacore.TacoQueryError, "num_tasks"),
        ({"inputs": Column("split")}, tacore.TacoQueryError, "all inputs are columns"),
        ({"inputs": [Column("nothing"), ""]}, tacore.TacoQueryError, "no column 'nothing'"),
        ({"inputs": 7}, TypeError, ""),
        ({"inputs": "optical"}, tacore.TacoError, "sample 'tile_r0_c0'"),
        ({"inputs": "99"}, tacore.TacoError, "sample 'tile_r0_c0'"),
        ({"client": "spork"}, TypeError, "expected"),
        ({"progress": lambda done, total: False}, tacore.TacoIOError, "stopped"),
    ):
        with pytest.raises(kind, match=text):
            distributed.map_samples(FLAT, slow_of_odd, **options)  # type: ignore[arg-type]
    with pytest.raises(tacore.TacoQueryError, match="no samples"):
        distributed.map_samples(tacore.load(FLAT).sql("SELECT * FROM data WHERE false"), slow_of_odd)
    with pytest.raises(tacore.TacoQueryError, match="no column 'id'"):
        distributed.map_samples(tacore.load(FLAT).sql("SELECT split FROM data"), slow_of_odd)
    with pytest.raises(TypeError, match="argument"):
        distributed.map_samples(FLAT, slow_of_odd, imputs="")  # type: ignore[call-arg]


def test_progress_and_values_of_all_kinds(client: Any) -> None:  # noqa: F811
    seen: list[tuple[int, int]] = []
    made = distributed.map_samples(FLAT, Kinds(), client, num_tasks=4, progress=lambda *at: seen.append(at))
    assert seen == [(n, 4) for n in range(1, 5)]
    types = {name: str(each) for name, each in zip(made.to_arrow().column_names, made.to_arrow().schema.types)}
    assert types == {
        "id": "string", "none": "null", "flag": "bool", "half": "float", "list": "list<item: int64>", "bytes": "binary",
    }  # fmt: skip
    assert pickle.loads(pickle.dumps(made)).columns == made.columns
    assert repr(made) == "<MappedSamples: 16 samples, columns none, flag, half, list, bytes>"


class Kinds:
    def __call__(self, pixels: Any) -> dict[str, Any]:
        return {"none": None, "flag": True, "half": numpy.float32(0.5), "list": [1, 2], "bytes": b"x"}


def test_random_numbers_of_tasks_and_samples(tmp_path: Path) -> None:
    source = random.Random(7)
    samples = [Sample(id=f"s{n}", path=tiff(n)) for n in range(50)]
    tacore.create(Taco(Tortilla(samples), **ABOUT), tmp_path / "many.tacozip")
    rows = tacore.load(tmp_path / "many.tacozip").data
    expected = [float(numpy.frombuffer(tiff(n)[8 : 8 + 256], "<f4").sum(dtype="f8")) for n in range(50)]
    assert struct.calcsize("<64f") == 256
    with ThreadPoolExecutor(4) as pool:
        for _ in range(20):
            begin = source.randrange(50)
            end = source.randrange(begin + 1, 51)
            made = distributed.map_samples(
                rows[begin:end], lambda pixels: float(pixels.sum(dtype="f8")), pool, num_tasks=source.randrange(1, 60)
            )
            assert made.columns["value"] == pytest.approx(expected[begin:end], rel=1e-12)
