"""Frames as GeoDataFrames, and geometries in Arrow streams."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
import tacore
from tacore import _core
from tacore.datamodel import Sample, Taco, Tortilla

geopandas = pytest.importorskip("geopandas")
pyarrow = pytest.importorskip("pyarrow")
shapely = pytest.importorskip("shapely")

ROOT = Path(__file__).resolve().parents[2]
LANDSAT = ROOT / "examples" / "data" / "landsat.tacozip"
BACKENDS = ["pyarrow", "polars", "pandas"]


def written(folder: Path, columns: dict[str, list[Any]]) -> tacore.TacoDataset:
    """A dataset with these columns of metadata."""
    rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
    samples = [Sample(id=f"s{row}", path=b"x") for row in range(len(rows))]
    for sample, metadata in zip(samples, rows):
        sample.extend_with(metadata)
    taco = Taco(
        Tortilla(samples), id="places", dataset_version="1.0.0", description="Places", licenses=["CC-BY-4.0"],
        providers=[{"name": "Somebody"}], tasks=["other"],
        extent={"spatial": [-180, -90, 180, 90], "temporal": ["2020-01-01", "2020-12-31"]},
    )  # fmt: skip
    tacore.create(taco, folder / "places.tacozip", progress=False)
    return tacore.load(folder / "places.tacozip")


def wkb(x: float, y: float) -> bytes:
    return struct.pack("<BIdd", 1, 1, x, y)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_geometry_is_the_column_of_centroids(backend: str) -> None:
    pytest.importorskip(backend)
    dataset = tacore.load(LANDSAT, backend=backend)
    frame = dataset.to_geopandas()
    assert frame.crs == "EPSG:4326" and frame.geometry.name == "stac:centroid"
    assert list(frame.columns) == dataset.columns and len(frame) == 16
    for shape, row in zip(frame.geometry, dataset):
        assert shape.equals(shapely.from_wkb(row["stac:centroid"]))
    assert list(dataset.data[3:5].to_geopandas()["id"]) == [row["id"] for row in dataset.data[3:5]]


def test_a_footprint_is_the_outline_of_the_grid() -> None:
    rasterio = pytest.importorskip("rasterio")
    from rasterio.warp import transform_bounds

    dataset = tacore.load(LANDSAT)
    frame = dataset.to_geopandas("footprint")
    assert frame.geometry.name == "footprint" and frame.crs == "EPSG:4326"
    assert isinstance(frame["stac:centroid"].iloc[0], bytes)
    for shape, path in zip(frame.geometry, frame["internal:gdal_vsi"]):
        with rasterio.open(path) as raster:
            expected = transform_bounds(raster.crs, "EPSG:4326", *raster.bounds)
        assert shape.bounds == pytest.approx(expected, abs=1e-6)
        assert shape.geom_type == "Polygon"


def test_a_footprint_is_the_geometry_else_the_centroid(golden: Path) -> None:
    polygons = tacore.load(golden / "polygons.tacozip")
    frame = polygons.to_geopandas("footprint")
    stored = polygons.to_geopandas()
    assert frame.geometry[:3].equals(stored.geometry[:3]) and set(stored.geom_type) > {"Polygon", "MultiPolygon"}
    points = tacore.load(golden / "flat.tacozip")
    assert (points.to_geopandas("footprint").geometry.values == points.to_geopandas().geometry.values).all()


def test_points_are_read_from_lists(golden: Path) -> None:
    frame = tacore.load(golden / "lonlat_lists.tacozip").to_geopandas()
    assert frame.geometry[0].equals(shapely.Point(-0.376, 39.47))


def test_columns_set_in_python_and_an_index_are_kept() -> None:
    rows = tacore.load(LANDSAT, backend="pandas").data
    rows["number"] = range(16)
    some = rows.sort_values("mean_nir").set_index("id", drop=False)
    frame = some.to_geopandas("footprint")
    assert list(frame.index) == list(some.to_pandas()["id"]) and frame["number"].sum() == 120
    whole = rows.to_geopandas("footprint").set_index("id")
    assert all(frame.geometry[name].equals(whole.geometry[name]) for name in frame.index)


def test_geometries_in_another_crs_are_transformed(tmp_path: Path) -> None:
    pyproj = pytest.importorskip("pyproj")
    dataset = written(tmp_path, {"istac:crs": ["EPSG:32630"] * 2, "istac:geometry": [wkb(500000, 4400000)] * 2})
    frame = dataset.to_geopandas()
    x, y = pyproj.Transformer.from_crs(32630, 4326, always_xy=True).transform(500000, 4400000)
    assert frame.crs == "EPSG:4326" and frame.geometry[0].coords[0] == pytest.approx((x, y))
    marked = geopandas.GeoDataFrame.from_arrow(dataset)
    assert marked.crs == "EPSG:32630" and marked.geometry[0].coords[0] == (500000, 4400000)


def test_geometries_in_several_crs_have_none_in_a_stream_and_are_no_geodataframe(tmp_path: Path) -> None:
    columns = {"istac:crs": ["EPSG:32630", "EPSG:4326"], "istac:geometry": [wkb(500000, 4400000), wkb(1, 2)]}
    dataset = written(tmp_path, columns)
    assert geopandas.GeoDataFrame.from_arrow(dataset).crs is None
    with pytest.raises(tacore.TacoSchemaError, match=r'different CRS \(istac:crs\); geometry="footprint"'):
        dataset.to_geopandas()


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("typo", "no column 'typo'; geometry is a column of id, type"),
        ("type", "row 0, column 'type': a point .WKT. is expected, not 'FILE'"),
        ("cloud_cover", "row 0, column 'cloud_cover': .* is a number, where WKB"),
    ],
)
def test_a_column_without_geometries_is_refused(golden: Path, column: str, words: str) -> None:
    with pytest.raises((tacore.TacoQueryError, tacore.TacoFormatError), match=words):
        tacore.load(golden / "flat.tacozip").to_geopandas(column)


def test_a_frame_without_places_says_what_is_expected(golden: Path) -> None:
    dataset = tacore.load(golden / "nested.tacozip")
    with pytest.raises(tacore.TacoSchemaError, match="none of the columns istac:geometry, stac:centroid"):
        dataset.to_geopandas()
    with pytest.raises(tacore.TacoSchemaError, match="no row has a location"):
        dataset.to_geopandas("footprint")


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_stream_marks_geometries(backend: str) -> None:
    pytest.importorskip(backend)
    dataset = tacore.load(LANDSAT, backend=backend)
    rows = dataset.data
    rows["number"] = list(range(16))
    for source in (dataset, dataset.data[:4], rows):
        field = pyarrow.table(source).schema.field("stac:centroid")
        assert field.metadata[b"ARROW:extension:name"] == b"geoarrow.wkb"
        crs = {"crs": "EPSG:4326", "crs_type": "authority_code"}
        assert json.loads(field.metadata[b"ARROW:extension:metadata"]) == crs
        frame = geopandas.GeoDataFrame.from_arrow(source)
        assert frame.crs == "EPSG:4326" and (frame.geometry.values == source.to_geopandas().geometry.values).all()


def test_tables_of_the_backends_have_plain_bytes() -> None:
    polars = pytest.importorskip("polars")
    dataset = tacore.load(LANDSAT)
    assert dataset.to_arrow().schema.field("stac:centroid").metadata is None
    assert dataset.to_polars()["stac:centroid"].dtype == polars.Binary
    assert tacore.load(LANDSAT, backend="polars").data["stac:centroid"].dtype == polars.Binary


def test_duckdb_reads_marked_streams() -> None:
    duckdb = pytest.importorskip("duckdb")
    rows = tacore.load(LANDSAT).data  # noqa: F841  (DuckDB finds it by its name)
    assert duckdb.sql('SELECT count("stac:centroid"), count(*) FROM rows').fetchall() == [(16, 16)]


def test_marked_streams_can_be_dropped_and_have_other_metadata_kept() -> None:
    field = pyarrow.field("g", pyarrow.binary(), metadata={"mine": "kept"})
    table = pyarrow.table([pyarrow.array([b"x"])], schema=pyarrow.schema([field]))
    for _ in range(3):
        _core.geoarrow_stream(table, {"g": "{}"})  # is released without having been read
        schema = pyarrow.schema(pyarrow.RecordBatchReader.from_stream(table).schema)
    assert schema.field("g").metadata == {b"mine": b"kept"}
    plain = pyarrow.table({"g": [b"x"], "n": [1]})

    class Marked:
        def __arrow_c_stream__(self, requested: Any = None) -> Any:
            return _core.geoarrow_stream(plain, {"g": "{}", "n": "{}", "absent": "{}"})

    schema = pyarrow.table(Marked()).schema
    assert schema.field("g").metadata[b"ARROW:extension:metadata"] == b"{}" and schema.field("n").metadata is None
    with pytest.raises(TypeError, match="no __arrow_c_stream__"):
        _core.geoarrow_stream(5, {})


def test_the_outline_of_the_land_has_rings_in_degrees() -> None:
    rings = [shapely.Polygon(ring) for ring in _core.land_outline()]
    assert len(rings) == 127
    land = shapely.union_all([ring.buffer(0) for ring in rings])
    assert land.contains(shapely.Point(20, 0)) and land.contains(shapely.Point(-100, 40))  # Congo, Kansas
    assert not land.intersects(shapely.Point(-30, 30)) and land.bounds[2] <= 180  # the Atlantic
