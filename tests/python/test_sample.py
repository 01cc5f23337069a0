"""Samples: what the Python layer adds."""

from __future__ import annotations

import copy
import dataclasses
import datetime as dt
import decimal
import gc
import io
import os
import pickle
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import tacore
from tacore.datamodel import Sample, SampleExtension, Tortilla
from toolbox import flat

polars = pytest.importorskip("polars")
pandas = pytest.importorskip("pandas")
pydantic = pytest.importorskip("pydantic")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.bin"
    path.write_bytes(b"12345")
    return path


def test_the_type_of_a_sample_comes_from_its_path(file: Path) -> None:
    assert Sample(id="a", path=file).type == "FILE"
    assert Sample(id="a", path=str(file), type="FILE").type == "FILE"
    assert Sample(id="a", path=Tortilla(flat()), type="auto").type == "FOLDER"


@pytest.mark.parametrize("given", ["FOLDER", "file", ""])
def test_another_type_is_refused(file: Path, given: Any) -> None:
    with pytest.raises(ValueError, match="Type mismatch" if given == "FOLDER" else "'auto' is expected"):
        Sample(id="a", path=file, type=given)
    with pytest.raises(tacore.TacoValidationError, match="Type mismatch"):
        Sample(id="a", path=Tortilla(flat()), type="FILE")


@pytest.mark.parametrize("id", [1, None, b"a"])
def test_an_id_is_text(id: Any) -> None:
    with pytest.raises(TypeError, match="id"):
        Sample(id=id, path=b"")


def test_a_path_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="does not exist") as caught:
        Sample(id="a", path=tmp_path / "missing")
    assert isinstance(caught.value, FileNotFoundError)
    assert isinstance(caught.value, tacore.TacoToolboxError)
    tacore.set_storage_options(max_tries=1)
    try:
        with pytest.raises(tacore.TacoIOError, match="http://127.0.0.1:1/x.tif"):
            Sample(id="a", path="http://127.0.0.1:1/x.tif")
    finally:
        tacore.set_storage_options()


def test_the_path_of_bytes_is_a_temporary_file(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "temp"
    sample = Sample(id="a", path=b"data", temp_dir=folder)
    path = sample.path
    assert isinstance(path, Path) and path.parent == folder and path.read_bytes() == b"data"
    assert sample.path == path
    sample.cleanup()
    sample.cleanup()
    assert not path.exists() and sample.size_bytes == 0
    empty = Sample(id="a", path=b"", temp_dir=folder)
    assert isinstance(empty.path, Path) and empty.path.stat().st_size == 0


def test_the_temporary_file_is_removed_with_its_sample(tmp_path: Path) -> None:
    sample = Sample(id="a", path=b"data", temp_dir=tmp_path)
    path = sample.path
    assert isinstance(path, Path) and path.exists()
    del sample
    gc.collect()
    assert not path.exists()


def test_a_file_of_the_user_is_kept(file: Path) -> None:
    sample = Sample(id="a", path=file)
    sample.cleanup()
    del sample
    gc.collect()
    assert file.read_bytes() == b"12345"


def test_a_refused_sample_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        Sample(id="a/b", path=b"data", temp_dir=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies_outlive_the_original(tmp_path: Path, again: Any) -> None:
    sample = Sample(id="a", path=b"data", temp_dir=tmp_path, k=np.int8(3), t=dt.datetime(2020, 1, 1), e=None)
    _ = sample.path
    before = sample.export_metadata()
    other = again(sample)
    sample.cleanup()
    del sample
    gc.collect()
    assert other.read_bytes() == b"data"
    assert other.path.read_bytes() == b"data"
    assert other.export_metadata().equals(before)
    other.extend_with({"only": 1})


def test_a_folder_can_be_pickled(file: Path) -> None:
    child = Sample(id="c", path=file)
    child.extend_with(pa.table({"x:y": pa.array([1.5], pa.float32())}))
    folder = Sample(id="f", path=Tortilla([child]), n=1)
    again = pickle.loads(pickle.dumps(folder))
    assert again.type == "FOLDER" and again.n == 1
    assert isinstance(again.path, Tortilla) and again.path[0].path == file
    assert again.path.export_metadata().equals(folder.path.export_metadata())  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "data", [bytearray(b"ab"), memoryview(b"ab"), np.frombuffer(b"ab", np.uint8), io.BytesIO(b"ab"), b"ab"]
)
def test_every_buffer_type_is_accepted_as_bytes(data: Any) -> None:
    assert Sample(id="a", path=data).read_bytes() == b"ab"


@pytest.mark.parametrize("data", [None, 3, 1.5, ["x"], io.StringIO("text")])
def test_data_of_other_types_are_refused(data: Any) -> None:
    with pytest.raises(TypeError):
        Sample(id="a", path=data)


def test_keywords_are_metadata() -> None:
    other = Sample(id="a", path=b"")
    other.extend_with({"k": 1, "n:k": "x"})
    assert Sample(id="a", path=b"", k=1, **{"n:k": "x"}).export_metadata().equals(other.export_metadata())


@pytest.mark.parametrize("key", ["a b", "id"])
def test_an_invalid_key_is_refused_and_changes_nothing(key: str) -> None:
    sample = Sample(id="a", path=b"", k=1)
    before = sample.export_metadata()
    with pytest.raises(tacore.TacoSchemaError):
        sample.extend_with({"good": 2, key: 1})
    assert sample.export_metadata().equals(before)


@pytest.mark.parametrize("key", ["a", "A_1", "ns:k", "ns:é", "_x"])
def test_valid_keys_are_accepted(key: str) -> None:
    assert Sample(id="a", path=b"", **{key: 1})[key] == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda rows: pa.Table.from_pylist(rows),
        lambda rows: pa.Table.from_pylist(rows).to_batches()[0],
        lambda rows: polars.DataFrame(rows),
        lambda rows: pandas.DataFrame(rows),
    ],
)
def test_one_row_tables_of_any_library_are_metadata(make: Any) -> None:
    sample = Sample(id="a", path=b"")
    sample.extend_with(make([{"x": 1, "s": "t", "l": ["u", "v"]}]))
    assert (sample.x, sample.s, list(sample.l)) == (1, "t", ["u", "v"])
    names = {field.name: str(field.type) for field in sample.export_metadata().schema}
    assert names["x"] == "int64" and names["s"] == "string" and names["l"].startswith("list<")
    with pytest.raises(ValueError, match="exactly one row"):
        sample.extend_with(make([{"y": 1}, {"y": 2}]))
    assert "y" not in sample


def test_a_table_keeps_its_types() -> None:
    table = pa.table({"i": pa.array([1], pa.int16()), "f": pa.array([1], pa.float32()), "n": pa.nulls(1, pa.string())})
    sample = Sample(id="a", path=b"")
    sample.extend_with(table)
    assert sample.export_metadata().drop(["id", "type", "path"]).equals(table)


UTC = dt.timezone.utc


@pytest.mark.parametrize(
    ("value", "type"),
    [
        (1, pa.int64()),
        (1.5, pa.float64()),
        (True, pa.bool_()),
        ("x", pa.string()),
        (b"x", pa.binary()),
        (bytearray(b"x"), pa.binary()),
        ([1, 2], pa.list_(pa.int64())),
        ((1.5, 2), pa.list_(pa.float64())),
        ({"a": 1, "b": [dt.date(2020, 1, 1)]}, pa.struct([("a", pa.int64()), ("b", pa.list_(pa.date32()))])),
        (dt.datetime(2020, 1, 1, 2), pa.timestamp("us")),
        (dt.datetime(2020, 1, 1, tzinfo=UTC), pa.timestamp("us", "UTC")),
        (dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=5))), pa.timestamp("us", "UTC")),
        (dt.date(1969, 12, 31), pa.date32()),
        (None, pa.null()),
        (np.int16(1), pa.int16()),
        (np.uint8(1), pa.uint8()),
        (np.float32(1), pa.float32()),
        (np.float64(1), pa.float64()),
        (np.bool_(True), pa.bool_()),
        (np.str_("x"), pa.string()),
        (np.array([1, 2], np.int32), pa.list_(pa.int32())),
        (np.zeros((2, 3), np.float32), pa.list_(pa.list_(pa.float32()))),
        (np.array(["2020-01-01"], "datetime64[us]"), pa.list_(pa.timestamp("us"))),
        (np.datetime64("2020-01-01T00:00:00.001", "ms"), pa.timestamp("ms")),
        (np.datetime64("2020-01-01", "D"), pa.date32()),
        (pa.scalar(1, pa.int8()), pa.int8()),
        (pandas.Timestamp("2020-01-01"), pa.timestamp("us")),
    ],
)
def test_the_type_of_a_field_comes_from_its_value(value: Any, type: pa.DataType) -> None:
    field = Sample(id="a", path=b"", k=value).export_metadata().schema.field("k")
    assert field.type.equals(type)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (dt.datetime(2020, 1, 2, 3, 4, 5, 6), dt.datetime(2020, 1, 2, 3, 4, 5, 6)),
        (dt.datetime(1, 1, 1), dt.datetime(1, 1, 1)),
        (dt.datetime(9999, 12, 31, 23, 59, 59, 999999), dt.datetime(9999, 12, 31, 23, 59, 59, 999999)),
        (dt.datetime(2020, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))), dt.datetime(2020, 1, 1, tzinfo=UTC)),
        (dt.date(1960, 2, 29), dt.date(1960, 2, 29)),
        (pandas.NaT, None),
        (pandas.NA, None),
        (np.datetime64("NaT"), None),
        (2**63 - 1, 2**63 - 1),
        (np.arange(3), [0, 1, 2]),
        (pandas.Series([1.5]), [1.5]),
    ],
)
def test_values_are_returned_with_their_type(value: Any, expected: Any) -> None:
    sample = Sample(id="a", path=b"", k=value)
    assert sample.k == expected and type(sample.k) is type(expected)


@pytest.mark.parametrize(
    "value", [decimal.Decimal("1.5"), uuid.uuid4(), Path("x"), 1j, {1: 2}, {1}, object(), np.timedelta64(1, "s")]
)
def test_a_value_of_an_unsupported_type_is_an_error_with_its_key(value: Any) -> None:
    with pytest.raises(TypeError, match="key 'k'"):
        Sample(id="a", path=b"", k=value)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, np.uint64(2**63)])
def test_numbers_beyond_64_bits_are_refused(value: Any) -> None:
    with pytest.raises(OverflowError, match="key 'k'"):
        Sample(id="a", path=b"", k=value)


def test_a_list_in_itself_is_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(ValueError, match="nested"):
        Sample(id="a", path=b"", k=value)


class Model(pydantic.BaseModel):
    x: int = 1
    y: str = "z"


@dataclasses.dataclass
class Record:
    x: int = 1
    y: str = "z"


@pytest.mark.parametrize("extension", [Model(), Record()])
def test_fields_of_models_are_prefixed_with_a_namespace(extension: Any) -> None:
    sample = Sample(id="a", path=b"")
    sample.extend_with(extension)
    sample.extend_with(extension, name="other")
    space = type(extension).__name__.lower()
    assert sample.export_metadata().column_names[3:] == [f"{space}:x", f"{space}:y", "other:x", "other:y"]


def test_an_extension_gives_one_row() -> None:
    class Bad(SampleExtension):
        answer: Any = None

        def get_schema(self) -> Any:
            return {"k": "int64"}

        def _compute(self, sample: Sample) -> Any:
            return self.answer

    sample = Sample(id="a", path=b"")
    for answer in (None, 5, "text"):
        with pytest.raises(TypeError):
            sample.extend_with(Bad(answer=answer))
    with pytest.raises(ValueError, match="exactly one row"):
        sample.extend_with(Bad(answer=[{"k": 1}, {"k": 2}]))
    with pytest.raises(ValueError, match="returned no k"):
        sample.extend_with(Bad(answer={"other": 1}))
    assert sample.keys() == []


@pytest.mark.parametrize("extension", [5, None, [1, 2], "text", object()])
def test_values_that_are_not_extensions_are_refused(extension: Any) -> None:
    with pytest.raises(TypeError):
        Sample(id="a", path=b"").extend_with(extension)


def test_pop_removes_a_field_and_returns_it_as_a_table() -> None:
    sample = Sample(id="a", path=b"", k=np.int8(1), other="x")
    assert sample.pop("k").equals(pa.table({"k": pa.array([1], pa.int8())}))
    assert sample.keys() == ["other"]
    for core in ("id", "type", "path"):
        with pytest.raises(ValueError, match="Cannot pop core field"):
            sample.pop(core)
    with pytest.raises(KeyError, match=r"Field 'k' does not exist.*other"):
        sample.pop("k")


def test_the_core_fields_come_first(file: Path) -> None:
    row = Sample(id="a", path=file, k=1).export_metadata()
    assert row.column_names == ["id", "type", "path", "k"]
    assert row.to_pylist()[0] == {"id": "a", "type": "FILE", "path": file.as_posix(), "k": 1}
    assert Sample(id="f", path=Tortilla(flat())).export_metadata()["path"].to_pylist() == [None]


@pytest.mark.parametrize("key", ["schema", "copy", "json", "pop", "extend_with", "keys", "_size_bytes", "__x", "self"])
def test_any_name_can_be_a_field(key: str) -> None:
    sample = Sample(id="a", path=b"", **{key: 5})
    assert sample[key] == 5 and sample.export_metadata()[key].to_pylist() == [5]
    assert pickle.loads(pickle.dumps(sample))[key] == 5


def test_a_missing_field_is_an_attribute_error() -> None:
    sample = Sample(id="a", path=b"")
    with pytest.raises(AttributeError, match="nothing"):
        _ = sample.nothing
    with pytest.raises(KeyError):
        _ = sample["nothing"]


def test_validate_with_runs_the_validator() -> None:
    class Small(tacore.validator.SampleValidator):
        def validate(self, sample: Sample) -> None:
            if sample.size_bytes > 2:
                raise tacore.validator.ValidationError("too large")

    Sample(id="a", path=b"12").validate_with(Small())
    with pytest.raises(tacore.TacoValidationError, match="too large"):
        Sample(id="a", path=b"123").validate_with(Small())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_does_not_remove_the_file(tmp_path: Path) -> None:
    sample = Sample(id="a", path=b"data", temp_dir=tmp_path)
    path = sample.path
    child = os.fork()
    if child == 0:
        sample.cleanup()
        os._exit(0)
    os.waitpid(child, 0)
    assert isinstance(path, Path) and path.read_bytes() == b"data"


def test_the_type_may_be_given_before_the_path(file: Path) -> None:
    """The text of the specification has id, type, path; the published writers id, path, type."""
    for sample in (Sample("a", "FILE", str(file)), Sample("a", str(file), "FILE"), Sample("a", "FILE", file)):
        assert (sample.type, sample.path) == ("FILE", file)
    assert Sample("a", "FILE", b"1").read_bytes() == b"1"
    assert Sample("f", "FOLDER", Tortilla([Sample("a", b"1")])).type == "FOLDER"
    with pytest.raises(tacore.TacoValidationError, match="Type mismatch"):
        Sample("a", "FOLDER", str(file))
    with pytest.raises(tacore.TacoValidationError, match="type 'nothing'"):
        Sample("a", str(file), "nothing")  # type: ignore[arg-type]


def test_field_types_have_their_published_names() -> None:
    sample = Sample(id="a", path=b"1", n=1)
    sample.extend_with({"text": "x"})
    assert sample._extension_schemas == {"n": pa.int64(), "text": pa.string()}
