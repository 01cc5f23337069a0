"""Functions of places of the published writer's modules: pyproj and shapely are the oracles."""

from __future__ import annotations

import struct

import pytest

import tacore
from tacore.datamodel import (
    compute_z_order,
    geometry_centroid,
    get_geoenrich_products,
    morton_encode,
    morton_key,
    normalize_coords,
    raster_centroid,
)
from tacore.datamodel.tortilla import GeoEnrich

GRID = (500000.0, 10.0, 0.0, 4400000.0, 0.0, -10.0)


def point(wkb: bytes) -> tuple[float, float]:
    assert wkb[:5] == b"\x01\x01\x00\x00\x00"
    lon, lat = struct.unpack("<dd", wkb[5:])
    return lon, lat


def test_the_centre_of_a_grid_is_where_pyproj_has_it() -> None:
    pyproj = pytest.importorskip("pyproj")
    to_degrees = pyproj.Transformer.from_crs("EPSG:32630", "EPSG:4326", always_xy=True)
    expected = to_degrees.transform(500000 + 10 * 128, 4400000 - 10 * 64)
    assert point(raster_centroid("EPSG:32630", GRID, (128, 256))) == pytest.approx(expected, abs=1e-9)
    assert raster_centroid(crs="EPSG:32630", geotransform=GRID, raster_shape=(128, 256)) == raster_centroid(
        "EPSG:32630", GRID, [3, 128, 256]
    )


def test_the_centroid_of_a_geometry_is_where_shapely_has_it() -> None:
    shapely = pytest.importorskip("shapely")
    shape = shapely.Polygon([(0, 40), (3, 40), (3, 41), (1, 44)])
    expected = shapely.get_coordinates(shape.centroid)[0]
    assert point(geometry_centroid("EPSG:4326", shape.wkb)) == pytest.approx(tuple(expected), abs=1e-12)


@pytest.mark.parametrize("crs", ["INVALID", ""])
def test_an_error_is_a_value_error_that_names_the_sample(crs: str) -> None:
    with pytest.raises(ValueError, match="my_sample"):
        raster_centroid(crs, GRID, (2, 2), sample_id="my_sample")
    with pytest.raises(ValueError, match="my_sample"):
        geometry_centroid(crs, b"\x01\x01\x00\x00\x00" + struct.pack("<dd", 1, 2), sample_id="my_sample")


def test_a_key_interleaves_the_bits_of_longitude_and_latitude() -> None:
    for lon, lat in ((-180.0, -90.0), (180.0, 90.0), (10.0, 45.0), (-34.9, -8.0), (139.69, 35.68)):
        for bits in (1, 16, 24, 32):
            x, y = (int(part * ((1 << bits) - 1)) for part in normalize_coords(lon, lat))
            pairs = "".join(f"{a}{b}" for a, b in zip(f"{y:0{bits}b}", f"{x:0{bits}b}"))
            assert morton_key(lon, lat, bits) == int(pairs, 2)
    assert normalize_coords(0, 0) == (0.5, 0.5) and morton_encode(0.5, 0.5) == compute_z_order(0, 0)
    assert compute_z_order(-180, -90) == 0 < compute_z_order(0, 0) < compute_z_order(180, 90)
    for wrong in ((181, 0, 24), (0, float("nan"), 24), (0, 0, 0), (0, 0, 33)):
        with pytest.raises(tacore.TacoSchemaError):
            morton_key(*wrong)


def test_the_variables_are_those_that_geo_enrich_takes() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    import tacore.tortilla  # noqa: F401  (its submodules are those of the published package)
    from tacore.tortilla.extensions.geoenrich import PRODUCT_SCHEMA  # type: ignore[import-untyped, import-not-found, unused-ignore]

    names = [product["name"] for product in get_geoenrich_products()]
    assert list(PRODUCT_SCHEMA) == names and PRODUCT_SCHEMA["elevation"] == pyarrow.float32()
    assert PRODUCT_SCHEMA["admin_states"] == pyarrow.string()
    some = [name for name in names if not name.startswith("admin_")]
    assert list(GeoEnrich(variables=some).get_schema()) == [f"geoenrich:{name}" for name in some]
