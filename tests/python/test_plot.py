"""Plots and maps of samples."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import tacore
from tacore import _map, raster

matplotlib = pytest.importorskip("matplotlib")
numpy = pytest.importorskip("numpy")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FLAT = ROOT / "examples" / "data" / "landsat.tacozip"
NESTED = ROOT / "examples" / "data" / "landsat_nested.tacozip"


@pytest.fixture(autouse=True)
def _closed() -> object:
    yield
    pyplot.close("all")


def test_an_image_is_drawn_where_it_is_in_its_crs() -> None:
    dataset = tacore.load(NESTED)
    ax = dataset.plot("tile_r1_c1/optical", bands=[4, 3, 2])
    with pytest.importorskip("rasterio").open(dataset.data.read("tile_r1_c1/optical")) as opened:
        bounds = opened.bounds
    assert ax.images[0].get_extent() == pytest.approx([bounds.left, bounds.right, bounds.bottom, bounds.top])
    assert (ax.images[0].get_array() == raster.preview(dataset, "tile_r1_c1/optical", bands=[4, 3, 2])).all()
    assert (ax.get_title(), ax.get_xlabel()) == ("tile_r1_c1/optical", "x (EPSG:31985)")


def test_a_mask_has_a_colour_for_each_class() -> None:
    dataset = tacore.load(NESTED)
    ax = dataset.plot("tile_r2_c3/mask")
    pixels = dataset.data.read("tile_r2_c3/mask")
    with pytest.importorskip("rasterio").open(pixels) as opened:
        values = opened.read(1)
    classes = numpy.unique(values)
    assert list(classes) == [0, 2]
    bar = ax.figure.axes[1]
    assert [label.get_text() for label in bar.get_yticklabels()] == ["0", "2"]
    drawn = ax.images[0].to_rgba(ax.images[0].get_array())
    water = matplotlib.colormaps["tab20"].colors[4]  # of value 2, also where value 1 is missing
    assert numpy.allclose(drawn[values == 2][:, :3], water) and not numpy.allclose(drawn[values == 0][:, :3], water)
    assert ax.images[0].get_cmap().N == 2


def test_elevation_is_grey_unless_it_is_called_categorical() -> None:
    dataset = tacore.load(NESTED)
    grey = dataset.plot("tile_r2_c3/dem")
    assert grey.images[0].get_cmap().name == "gray" and len(grey.figure.axes) == 1
    assert len(dataset.plot("tile_r2_c3/dem", categorical=True).figure.axes) == 2
    for choice, bars in ((None, 3), (True, 3), (False, 0)):
        figure = dataset.plot([2, 3, 4], child="mask", categorical=choice)
        assert sum(not ax.get_title() and ax.get_yticks().size > 0 and ax.axison for ax in figure.axes) == bars
    with pytest.raises(tacore.TacoQueryError, match=r"categorical=True needs one band of integers .* has 6 bands"):
        dataset.plot("tile_r2_c3/optical", categorical=True)


def test_several_samples_are_a_grid() -> None:
    figure = tacore.load(FLAT).plot(bands=[4, 3, 2])
    assert [ax.get_title() for ax in figure.axes] == [row["id"] for row in tacore.load(FLAT).data[:9]]
    assert len(tacore.load(FLAT).data.plot(["tile_r1_c0", 3]).axes) == 2


def test_a_folder_is_plotted_by_its_files() -> None:
    rows = tacore.load(NESTED).data
    figure = rows.plot([0, 1], bands=[4, 3, 2])
    titles = [ax.get_title() for ax in figure.axes if ax.get_title()]
    assert titles == [f"tile_r1_c{column}/{name}" for column in (1, 2) for name in ("optical", "dem", "mask")]
    assert rows.plot(0, child="mask").get_title() == "tile_r1_c1/mask"
    assert [ax.get_title() for ax in rows.plot(child="dem").axes][5] == "tile_r2_c3/dem"


def test_a_raster_is_drawn_into_given_axes() -> None:
    _, axes = pyplot.subplots(1, 2)
    opened = raster.open_raster(tacore.load(FLAT), 0)
    assert opened.plot(4, ax=axes[1], title="near infrared") is axes[1]
    assert axes[1].get_title() == "near infrared" and not axes[0].images
    with pytest.raises(tacore.TacoQueryError, match="ax= takes one raster, and 3 are plotted"):
        tacore.load(NESTED).plot(0, ax=axes[0])


@pytest.mark.filterwarnings("ignore:Dataset has no geotransform")
def test_a_raster_without_georeference_is_drawn_in_pixels(tmp_path: Path) -> None:
    rasterio = pytest.importorskip("rasterio")
    path = tmp_path / "plain.tif"
    with rasterio.open(path, "w", driver="GTiff", width=30, height=20, count=2, dtype="uint16", nodata=0) as out:
        out.write(numpy.arange(1200, dtype="uint16").reshape(2, 20, 30))
    ax = raster.open_raster(path).plot()
    assert ax.images[0].get_extent() == [-0.5, 29.5, 19.5, -0.5] and ax.get_xlabel() == "column (pixels)"
    assert ax.images[0].get_array()[0, 0, 3] == 0  # no data is transparent


def test_what_cannot_be_plotted_is_said(golden: Path) -> None:
    dataset = tacore.load(NESTED)
    with pytest.raises(tacore.TacoQueryError, match="there are no samples to plot"):
        dataset.limit(0).plot()
    with pytest.raises(tacore.TacoQueryError, match="65 samples are too many for a figure, which has at most 64"):
        tacore.load(FLAT).plot([0] * 65)
    with pytest.raises(tacore.TacoQueryError, match="tile_r0_c0 is a FILE and has no child 'mask'; leave out child="):
        tacore.load(FLAT).plot(0, child="mask")
    with pytest.raises(tacore.TacoNavigationError, match="nowhere"):
        dataset.plot("nowhere")
    with pytest.raises(tacore.TacoError):
        tacore.load(golden / "flat.tacozip").plot(0)  # no raster


def test_a_plot_without_matplotlib_says_what_to_install() -> None:
    code = (
        f"import sys, tacore; dataset = tacore.load({str(FLAT)!r}); len(dataset)\n"
        "sys.modules['matplotlib'] = None\n"
        "try:\n    dataset.plot(0)\n"
        "except tacore.TacoBackendError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("plot() needs matplotlib: pip install matplotlib")


def test_a_static_map_has_footprints_in_their_place() -> None:
    dataset = tacore.load(FLAT)
    ax = dataset.map(library="matplotlib")
    rasterio = pytest.importorskip("rasterio")
    from rasterio.warp import transform_bounds

    drawn = [path.vertices for path in ax.collections[0].get_paths()]
    assert len(drawn) == 16 and ax.get_title() == "16 samples"
    for corners, row in zip(drawn, dataset):
        with rasterio.open(row["internal:gdal_vsi"]) as opened:
            expected = transform_bounds(opened.crs, "EPSG:4326", *opened.bounds)
        assert [*corners.min(0), *corners.max(0)] == pytest.approx(expected, abs=1e-6)
        assert ax.get_xlim()[0] < expected[0] < expected[2] < ax.get_xlim()[1]
        assert ax.get_ylim()[0] < expected[1] < expected[3] < ax.get_ylim()[1]


def test_a_static_map_of_the_world_has_land_and_counts_what_has_no_place(golden: Path) -> None:
    _, ax = pyplot.subplots()
    assert tacore.load(golden / "polygons.tacozip").map(ax=ax) is ax  # axes are those of matplotlib
    assert len(ax.collections[0].get_paths()) == 127  # rings of land
    assert ax.get_title() == "11 samples, 3 without a location" and ax.get_xlim() == (-180, 180)
    # Footprints that are cut at the antimeridian have their dots there, and not in the middle of the map.
    dots = ax.collections[-1].get_offsets()
    assert sum(abs(x) > 170 for x, _ in dots) >= 2


def features(page: str) -> list[dict]:
    return json.JSONDecoder().raw_decode(page, page.index('"features": ') + len('"features": '))[0]


def test_an_interactive_map_has_footprints_and_escaped_columns(tmp_path: Path) -> None:
    pytest.importorskip("folium")
    rows = tacore.load(FLAT).with_column("note", "'<script>alert(1)</script>'").data
    page = rows.map(["note", "vegetation"]).get_root().render()
    found = features(page)
    assert len(found) == 16 and found[0]["geometry"]["type"] == "Polygon"
    assert list(found[0]["properties"])[:3] == ["id", "note", "vegetation"]
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in found[0]["properties"]["note"]
    shown = features(rows.map().get_root().render())[0]["properties"]
    assert (
        "stac:centroid" not in shown and "internal:gdal_vsi" not in shown and shown["split"] in ("train", "test", "val")
    )


def test_many_samples_are_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("folium")
    monkeypatch.setattr(_map, "_FOOTPRINTS", 15)
    page = tacore.load(FLAT).map(["split"]).get_root().render()
    assert "markerClusterGroup" in page and '["id", "split"]' in page and "FeatureCollection" not in page


def test_a_map_says_what_is_missing(golden: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tacore.load(golden / "nested.tacozip").data
    with pytest.raises(tacore.TacoSchemaError, match=r"no row has a location .*rows.read\(0\).map\(\)"):
        rows.map(library="matplotlib")
    assert rows.read(0).map(library="matplotlib").get_title().endswith("samples")
    with pytest.raises(tacore.TacoQueryError, match="unknown library 'leaflet'; one of folium, lonboard, matplotlib"):
        rows.map(library="leaflet")
    with pytest.raises(tacore.TacoQueryError, match="ax= is for library=.matplotlib.; folium draws no axes"):
        rows.map(library="folium", ax=pyplot.subplots()[1])
    with pytest.raises(tacore.TacoQueryError, match="no column 'clouds'; the columns are id, type"):
        rows.map(["clouds"], library="matplotlib")
    with pytest.raises(TypeError, match=r"frame.to_pandas\(\).map\(function\)"):
        tacore.load(golden / "flat.tacozip", backend="pandas").data.map(str)
    monkeypatch.setitem(sys.modules, "lonboard", None)
    with pytest.raises(tacore.TacoBackendError, match=r"map\(\) needs lonboard: pip install lonboard"):
        rows.map(library="lonboard")
