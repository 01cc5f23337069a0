"""Blocks of rows with bytes and arrays, which the readers of Ray and Spark give out; test_engines.py has these."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
pytest.importorskip("pyarrow")

import tacore
from tacore import _row_blocks, raster
from tacore._row_blocks import check_names, payload_of, payload_of_json, read_blocks
from tacore.datamodel import Sample, Taco, Tortilla
from tacore.loader import Column, Input
from test_distributed import ABOUT, EXAMPLES, tiff

FLAT = EXAMPLES / "landsat.tacozip"


@pytest.mark.parametrize("size", [1, 50_000, 1 << 30])
def test_blocks_have_all_rows_in_order_whatever_their_size(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(_row_blocks, "_BLOCK", size)
    rows = tacore.load(FLAT).data
    payload = payload_of(True, {"image": "3,1", "all": Input("", dtype="float32")})
    assert payload.names() == ["data", "image", "all"] and payload.is_read()
    blocks = list(read_blocks(rows, ["id", "split"], payload, 0))
    assert len(blocks) == {1: 16, 1 << 30: 1}.get(size, len(blocks)) and 1 <= len(blocks) <= 16
    ids = [id for table, _ in blocks for id in table["id"].to_pylist()]
    assert ids == [row["id"] for row in rows]
    assert all(table.column_names == ["id", "split"] for table, _ in blocks)
    for name in payload.names():
        assert [len(values[name]) for _, values in blocks] == [len(table) for table, _ in blocks]
    images = [each for _, values in blocks for each in values["image"]]
    assert all((each == raster.read_tensor(rows, n, bands=[3, 1])).all() for n, each in enumerate(images))
    assert [each for _, values in blocks for each in values["data"]] == [rows.read_bytes(n) for n in range(16)]
    assert {str(each.dtype) for _, values in blocks for each in values["all"]} == {"float32"}


def test_rows_alone_are_one_block() -> None:
    rows = tacore.load(FLAT).data
    ((table, values),) = read_blocks(rows, ["id"], payload_of(False, None), 0)
    assert len(table) == 16 and values == {}
    assert list(read_blocks(rows[:0], ["id"], payload_of(True, ""), 0)) == []


def test_a_sample_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    samples = [Sample(id="a", path=tiff(1)), Sample(id="b", path=b"none")]
    tacore.create(Taco(Tortilla(samples), **ABOUT), tmp_path / "x.tacozip")
    rows = tacore.load(tmp_path / "x.tacozip").data
    with pytest.raises(tacore.TacoFormatError, match=r"sample 'b' \(row 8\)"):
        list(read_blocks(rows, ["id"], payload_of(False, ""), 7))
    nested = tacore.load(EXAMPLES / "landsat_nested.tacozip").data
    with pytest.raises(tacore.TacoNavigationError, match=r"sample '.*' \(row 0\)"):
        list(read_blocks(nested, ["id"], payload_of(True, None), 0))


def test_options_of_the_reader() -> None:
    assert payload_of_json("false", "") == payload_of(False, None)
    assert payload_of_json("true", '"3,1"') == payload_of(True, "3,1")
    assert payload_of_json("false", '{"a": "", "b": "s2/4"}') == payload_of(False, {"a": "", "b": "s2/4"})
    assert list(payload_of(False, ["", "mask"]).inputs) == ["pixels", "mask"]
    for wrong in (("maybe", ""), ("false", "{"), ("false", "7"), ("false", '["a", "a"]')):
        with pytest.raises(tacore.TacoValidationError, match="option"):
            payload_of_json(*wrong)
    with pytest.raises(tacore.TacoValidationError, match="is a Column"):
        payload_of(False, Column("split"))
    with pytest.raises(tacore.TacoSchemaError, match="have a column 'split'"):
        check_names(["id", "split"], payload_of(False, {"split": ""}))


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed: test_engines.py tests the datasource")
def test_the_datasource_of_ray_needs_ray() -> None:
    source: Any = tacore.ray.TacoDatasource
    with pytest.raises(tacore.TacoBackendError, match=r"ray\[data\]"):
        source(FLAT)
