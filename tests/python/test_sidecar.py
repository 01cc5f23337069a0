"""Side-cars of tables that other programs wrote: the same rows as without, of every type."""

from __future__ import annotations

import decimal
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tacore
from tacore.datamodel import Sample, Tortilla
from toolbox import make_taco

ROWS = 50_000
RANDOM = np.random.default_rng(29)
LON, LAT = RANDOM.uniform(-180, 180, ROWS), RANDOM.uniform(-90, 90, ROWS)
BOX = (10.0, 40.0, 14.0, 44.0)
INSIDE = np.flatnonzero((LON >= BOX[0]) & (LON <= BOX[2]) & (LAT >= BOX[1]) & (LAT <= BOX[3]))


def points() -> pa.Array:
    wkb = np.zeros(ROWS, np.dtype([("order", "u1"), ("kind", "<u4"), ("x", "<f8"), ("y", "<f8")]))
    wkb["order"], wkb["kind"], wkb["x"], wkb["y"] = 1, 1, LON, LAT
    return pa.array([bytes(row) for row in wkb.view(np.uint8).reshape(ROWS, 21)], pa.binary())


def columns() -> dict[str, pa.Array]:
    """Columns of types that writers use, with nulls, empty values and values that are no numbers."""
    numbers = np.arange(ROWS)
    nulls = numbers % 11 == 0
    seconds = (numbers * 1_000_003) % 1_700_000_000
    return {
        "text": pa.array([f"row {n}" if n % 7 else "" for n in numbers], pa.string(), mask=nulls),
        "large": pa.array([f"größe {n % 90}" for n in numbers], pa.large_string()),
        "kind": pa.array([f"kind {n % 5}" for n in numbers]).dictionary_encode(),
        "real": pa.array(np.where(numbers % 13 == 0, np.nan, numbers / 3), pa.float64(), mask=nulls),
        "small": pa.array((numbers % 200 - 100).astype(np.int8)),
        "unsigned": pa.array(numbers.astype(np.uint64) + 2**63),
        "flag": pa.array(numbers % 3 == 0, mask=nulls),
        "money": pa.array([decimal.Decimal(int(n)) / 100 for n in numbers], pa.decimal128(12, 2)),
        "day": pa.array(seconds // 86400, pa.int32()).cast(pa.date32()),
        "time": pa.array(seconds * 1_000_000, pa.timestamp("us", tz="UTC")),
        "precise": pa.array(seconds * 1_000_000_000 + 7, pa.timestamp("ns")),
        "list": pa.array([list(range(n % 4)) if n % 5 else None for n in numbers], pa.list_(pa.int32())),
        "pair": pa.array([{"a": int(n), "b": None if n % 2 else str(n)} for n in numbers]),
        "bytes": pa.array([bytes([n % 256]) * 3 for n in numbers], pa.binary(3)),
        "uuid": pa.array([int(n).to_bytes(16, "big") for n in numbers], pa.uuid()),
        "Cloud": pa.array(numbers % 100),
        "cloud": pa.array(numbers % 10),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A FOLDER whose table is to be written by others."""
    path = tmp_path_factory.mktemp("sidecar") / "samples"
    tacore.create(make_taco(Tortilla([Sample(id="one", path=b"x")])), path, progress=False)
    return path


def write_table(folder: Path, more: dict[str, pa.Array], **options: Any) -> None:
    table = pa.table(
        {
            "id": pa.array([f"s{n:05}" for n in range(ROWS)]),
            "type": pa.array(["FILE"] * ROWS),
            **more,
            "internal:current_id": pa.array(range(ROWS), pa.int64()),
            "internal:parent_id": pa.array(range(ROWS), pa.int64()),
        }
    )
    pq.write_table(table, folder / "METADATA" / "level0.parquet", **options)


def box(folder: Path, **options: Any) -> pa.Table:
    return pa.table(tacore.load(folder, **options).filter_bbox(*BOX).data)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"write_statistics": False, "use_dictionary": False, "compression": "zstd", "compression_level": 22},
        {"row_group_size": 3000, "data_page_version": "2.0", "compression": "snappy"},
        {"row_group_size": 10**6, "write_page_index": True, "compression": "gzip", "data_page_size": 20_000},
    ],
    ids=["pyarrow", "without statistics", "small row groups", "one row group"],
)
def test_rows_of_every_type_are_those_without_a_side_car(
    folder: Path,
    options: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    write_table(folder, {"stac:centroid": points(), **columns()}, **options)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "nothing"))
    plain = box(folder)
    assert plain["id"].to_pylist() == [f"s{n:05}" for n in INSIDE]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = tacore.create_sidecar(folder, progress=False)
    assert len(made) == 1 and Path(made[0]).is_relative_to(tmp_path / "cache")
    tacore.verbose("info")
    try:
        found = box(folder)
    finally:
        tacore.verbose(False)
    told = capfd.readouterr().err
    assert "of the side-car" in told and "not used" not in told
    assert found.schema.equals(plain.schema, check_metadata=True)
    for name in plain.column_names:
        assert repr(found[name].to_pylist()) == repr(plain[name].to_pylist()), name  # where NaN equals NaN
    restored = pickle.loads(pickle.dumps(tacore.load(folder).filter_bbox(*BOX).data))
    assert restored["id"].to_pylist() == found["id"].to_pylist()


def test_coordinates_in_a_structure(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    place = pa.StructArray.from_arrays([pa.array(LON), pa.array(LAT)], ["x", "y"])
    write_table(folder, {"stac:centroid": place})
    tacore.create_sidecar(folder, progress=False)
    assert box(folder)["id"].to_pylist() == [f"s{n:05}" for n in INSIDE]


def test_what_can_have_no_side_car(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    times = {"stac:centroid": points(), "time": columns()["precise"]}
    write_table(folder, times, use_deprecated_int96_timestamps=True)
    with pytest.raises(
        tacore.TacoValidationError, match="column 'time' is TIMESTAMP in queries, and would be TIMESTAMP_NS"
    ):
        tacore.create_sidecar(folder, progress=False)
    boxes = pa.StructArray.from_arrays([pa.array(LON, pa.float32())] * 4, ["xmin", "ymin", "xmax", "ymax"])
    write_table(folder, {"stac:centroid": points(), "bbox": boxes})
    with pytest.raises(tacore.TacoValidationError, match="'bbox' has the name that bounding boxes would have"):
        tacore.create_sidecar(folder, progress=False)
    write_table(folder, {"stac:centroid": pa.array([b"not WKB"] * ROWS)})
    with pytest.raises(tacore.TacoSchemaError, match="stac:centroid of row 0 is not a geometry"):
        tacore.create_sidecar(folder, progress=False)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_side_car_beside_a_dataset(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_table(folder, {"stac:centroid": points()})
    expected = [f"s{n:05}" for n in INSIDE]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "publisher"))
    assert tacore.create_sidecar(folder, beside=True, progress=False) == [f"{folder}.sidecar/level0.parquet"]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    assert box(folder)["id"].to_pylist() == expected
    assert box(folder, trust_sidecar=True)["id"].to_pylist() == expected
    assert tacore.check_sidecar(folder, progress=False) == [f"{folder}.sidecar/level0.parquet"]
    (Path(f"{folder}.sidecar") / "level0.parquet").unlink()
    with pytest.raises(tacore.TacoValidationError, match="no side-car beside the dataset"):
        tacore.check_sidecar(folder, progress=False)
