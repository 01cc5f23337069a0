"""`__geo_interface__` of datasets and frames."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
import struct
from pathlib import Path
from typing import Any

import pytest
import tacore
from tacore._geo import _plain, box, geometry


def strict(value: Any) -> Any:
    """The value after a round trip through JSON without NaN."""
    return json.loads(json.dumps(value, allow_nan=False))


def test_the_geometry_of_a_dataset_is_its_extent(golden: Path) -> None:
    feature = strict(tacore.load(golden / "flat.tacozip").__geo_interface__)
    assert (feature["type"], feature["id"], feature["bbox"]) == ("Feature", "flat", [-180, -90, 180, 90])
    assert feature["geometry"]["type"] == "Polygon" and feature["properties"]["tasks"] == ["other"]
    ring = feature["geometry"]["coordinates"][0]
    assert len(ring) == 5 and ring[0] == ring[-1]


def test_an_extent_over_the_antimeridian_is_two_boxes(golden: Path) -> None:
    feature = strict(tacore.load(golden / "antimeridian_extent.tacozip").__geo_interface__)
    assert feature["bbox"] == [170, -20, -170, -10]
    assert feature["geometry"] == box(170, -20, -170, -10) and feature["geometry"]["type"] == "MultiPolygon"
    assert [max(x for x, _ in part[0]) for part in feature["geometry"]["coordinates"]] == [180, -170]


@pytest.mark.parametrize("name", ["null_extent", "no_extent"])
def test_a_dataset_without_extent_has_no_geometry(golden: Path, name: str) -> None:
    feature = strict(tacore.load(golden / f"{name}.tacozip").__geo_interface__)
    assert feature["geometry"] is None and "bbox" not in feature


@pytest.mark.parametrize("backend", ["pyarrow", "polars", "pandas"])
def test_a_frame_is_a_feature_collection_of_its_rows(golden: Path, backend: str) -> None:
    pytest.importorskip(backend)
    rows = tacore.load(golden / "flat.tacozip", backend=backend).data
    features = strict(rows[:2].__geo_interface__)["features"]
    assert [feature["id"] for feature in features] == ["valencia", "madrid"]
    assert features[0]["geometry"] == {"type": "Point", "coordinates": [-0.376, 39.47]}
    assert features[0]["properties"]["istac:time_start"] == "2023-01-01T00:00:00"
    assert features[0]["properties"]["internal:gdal_vsi"] == rows.read(0)
    rows["when"] = [dt.datetime(2023, 1, 1, tzinfo=dt.timezone.utc)] * 5
    rows["never"] = [None] * 4 + [dt.datetime(2023, 1, 1)]
    rows["none"] = [math.nan, 1.0, None, math.inf, 2.0]
    features = strict(rows.__geo_interface__)["features"]
    assert features[0]["properties"]["when"] == "2023-01-01T00:00:00Z"
    assert [feature["properties"]["never"] for feature in features] == [None] * 4 + ["2023-01-01T00:00:00"]
    assert [feature["properties"]["none"] for feature in features] == [None, 1, None, None, 2]


def test_a_frame_without_geometry_has_no_such_attribute(golden: Path) -> None:
    rows = tacore.load(golden / "stats_flat.tacozip").data
    assert not hasattr(rows, "__geo_interface__")
    assert not hasattr(tacore.load(golden / "flat.tacozip").data.select(["id"]), "__geo_interface__")


def test_geometries_of_every_kind_equal_those_of_shapely(golden: Path) -> None:
    shapely = pytest.importorskip("shapely")
    rows = tacore.load(golden / "polygons.tacozip").data
    seen = set()
    for row, feature in zip(rows, rows.__geo_interface__["features"]):
        wkb, found = row["istac:geometry"], strict(feature["geometry"])
        if wkb is None:
            assert found is None
            continue
        expected = shapely.from_wkb(wkb)
        assert (
            found is None
            if expected.is_empty and expected.geom_type == "Point"
            else found["type"] == expected.geom_type
        )
        if found is not None and not expected.is_empty:
            assert shapely.geometry.shape(found).equals(shapely.force_2d(expected) if not expected.has_z else expected)
            seen.add(expected.geom_type)
    assert {"Polygon", "MultiPolygon", "LineString"} <= seen


WKT = [
    "POINT (1 2)", "POINT Z (1 2 3)", "LINESTRING (0 0, 1 1, 2 0)", "LINESTRING Z (0 0 1, 1 1 2)", "MULTIPOINT (0 0, 1 1)",
    "MULTILINESTRING ((0 0, 1 1), (2 2, 3 3))", "POLYGON ((0 0, 1 0, 1 1, 0 0), (0.1 0.1, 0.2 0.1, 0.2 0.2, 0.1 0.1))",
    "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))",
    "GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (0 0, 1 1), GEOMETRYCOLLECTION (POINT (3 4)))",
]  # fmt: skip


@pytest.mark.parametrize("wkt", WKT)
@pytest.mark.parametrize("byte_order", [0, 1])
@pytest.mark.parametrize("flavor", ["iso", "extended"])
def test_wkb_is_read_in_both_byte_orders_and_variants(wkt: str, byte_order: int, flavor: str) -> None:
    shapely = pytest.importorskip("shapely")
    shape = shapely.set_srid(shapely.from_wkt(wkt), 4326)
    wkb = shapely.to_wkb(shape, byte_order=byte_order, flavor=flavor, include_srid=flavor == "extended")
    assert strict(geometry(wkb)) == strict(shapely.geometry.mapping(shape))


def test_measures_of_coordinates_are_dropped() -> None:
    iso = struct.pack("<BIddd", 1, 2001, 1.0, 2.0, 9.0)
    extended = struct.pack(">BIdddd", 0, 0xC0000001, 1.0, 2.0, 3.0, 9.0)
    assert geometry(iso) == {"type": "Point", "coordinates": [1, 2]}
    assert geometry(extended) == {"type": "Point", "coordinates": [1, 2, 3]}
    assert geometry("POINT M (1 2 9)") == {"type": "Point", "coordinates": [1, 2]}


def test_a_row_without_location_has_no_geometry() -> None:
    empty = struct.pack("<BIdd", 1, 1, math.nan, math.nan)
    for value in (None, math.nan, empty, "POINT EMPTY", [], [1.0]):
        assert geometry(value) is None


def hostile() -> list[Any]:
    point = struct.pack("<BIdd", 1, 1, 1.0, 2.0)
    nested = struct.pack("<BII", 1, 7, 1) * 100 + point
    return [
        b"", b"\x01", b"\x02" + point[1:], point[:-1], struct.pack("<BI", 1, 99), struct.pack("<BI", 1, 4001) + point,
        struct.pack("<BII", 1, 2, 2**32 - 1), struct.pack("<BII", 1, 3, 2**32 - 1), struct.pack("<BII", 1, 4, 2**31),
        struct.pack("<BII", 1, 6, 1) + point, nested, "x", "POINT", "POINT (a b)", "LINESTRING (0 0, 1 1)",
    ]  # fmt: skip


@pytest.mark.parametrize("value", hostile())
def test_hostile_geometries_are_format_errors(value: Any) -> None:
    with pytest.raises(tacore.TacoFormatError):
        geometry(value)


def test_a_geometry_truncated_anywhere_is_a_format_error() -> None:
    shapely = pytest.importorskip("shapely")
    for wkt in WKT:
        wkb = shapely.to_wkb(shapely.from_wkt(wkt))
        for size in range(len(wkb)):
            with pytest.raises(tacore.TacoFormatError):
                geometry(wkb[:size])


def test_properties_are_json_values() -> None:
    numpy = pytest.importorskip("numpy")
    value = {
        "a": numpy.float32(1.5), "b": numpy.array([1, 2]), "c": b"\0", "d": dt.date(2023, 1, 1), "e": dt.time(1),
        "f": dt.timedelta(seconds=1), "g": decimal.Decimal("1.5"), "h": [math.inf, {"x": numpy.int64(1)}], "i": True,
    }  # fmt: skip
    assert strict(_plain(value)) == {
        "a": 1.5, "b": [1, 2], "c": "AA==", "d": "2023-01-01", "e": "01:00:00", "f": 1.0, "g": "1.5",
        "h": [None, {"x": 1}], "i": True,
    }  # fmt: skip
