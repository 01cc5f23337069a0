"""Rasters, tensors and their statistics, beside rasterio and NumPy where these are installed."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import tacore
from tacore import raster

numpy = pytest.importorskip("numpy")
pytestmark = pytest.mark.filterwarnings("ignore:Dataset has no geotransform")

ROOT = Path(__file__).resolve().parents[2]
NESTED = ROOT / "examples" / "data" / "landsat_nested.tacozip"
FLAT = ROOT / "examples" / "data" / "landsat.tacozip"
SCENE = ROOT / "examples" / "data" / "scene" / "optical.tif"
IMAGERY = [
    "L7_ETMs", "RGB.byte", "RGBA.uint16", "all-nodata", "categorical_128x128", "cog", "cog_dateline", "cog_gcps",
    "cog_int16", "cog_nodata_nan", "cog_scale", "float_raster_with_nodata", "goes", "lc", "multitemporal_64x64",
    "olinda_dem_utm25s", "rgb_256x256", "scene_band1", "scene_band2", "single_band_128x128",
]  # fmt: skip


def write(path: Path, pixels: Any, **profile: Any) -> Path:
    rasterio = pytest.importorskip("rasterio")
    bands, height, width = pixels.shape
    profile = {"driver": "GTiff", "dtype": pixels.dtype, **profile}
    with rasterio.open(path, "w", count=bands, height=height, width=width, **profile) as out:
        out.write(pixels)
    return path


def some_pixels(dtype: str = "uint8") -> Any:
    return numpy.arange(3 * 40 * 50).astype(dtype).reshape(3, 40, 50)


@pytest.mark.parametrize("name", IMAGERY)
def test_pixels_equal_those_of_rasterio(shared: Path, name: str) -> None:
    rasterio = pytest.importorskip("rasterio")
    path = shared / "imagery" / f"{name}.tif"
    with rasterio.open(path) as peer:
        opened = raster.open_raster(path)
        info = opened.info
        assert opened.shape == (peer.count, peer.height, peer.width)
        assert (info.format, info.dtype) == (peer.driver, peer.dtypes[0])
        assert (info.block_height, info.block_width) == peer.block_shapes[0]
        assert info.nodata == (None if peer.nodata is None else pytest.approx(peer.nodata, rel=1e-6, nan_ok=True))
        assert opened.read().tobytes() == peer.read().tobytes()
        window = rasterio.windows.Window(7, 3, 5, 8)
        assert opened.read([1], window).tobytes() == peer.read([1], window=window).tobytes()
        where = opened.georeference
        assert where.geotransform is None or where.geotransform == pytest.approx(peer.transform.to_gdal(), rel=1e-15)
        if peer.crs and where.crs.startswith("EPSG:"):
            assert where.crs == peer.crs.to_string()


def test_a_sample_is_opened_by_position_id_and_path() -> None:
    dataset = tacore.load(NESTED)
    by_path = raster.read_tensor(dataset, "tile_r1_c2/optical")
    row = dataset.data.to_arrow()["id"].to_pylist().index("tile_r1_c2")
    children = dataset.data.read(row)
    assert (raster.read_tensor(children, "optical") == by_path).all()
    assert (raster.read_tensor(children, numpy.int64(0)) == by_path).all()
    assert (raster.read_tensor(children.read("optical")) == by_path).all()
    with pytest.raises(tacore.TacoNavigationError):
        raster.open_raster(dataset, "tile_r1_c2/nothing")
    with pytest.raises(tacore.TacoNavigationError):
        raster.open_raster(dataset, "tile_r1_c2")
    with pytest.raises(TypeError, match="key"):
        raster.open_raster(dataset)
    with pytest.raises(TypeError, match="key"):
        raster.open_raster(SCENE, 0)


def test_an_unwritten_sample_is_opened() -> None:
    from tacore.datamodel import Sample

    for sample in (Sample(id="a", path=SCENE), Sample(id="a", path=SCENE.read_bytes())):
        assert (raster.read_tensor(sample, bands=[2]) == raster.read_tensor(SCENE, bands=[2])).all()
    with pytest.raises(tacore.TacoFormatError):
        raster.open_raster(Sample(id="a", path=b"no raster"))


def test_bands_window_type_scale_and_fill_equal_numpy_results() -> None:
    whole = raster.read_tensor(SCENE)
    part = raster.read_tensor(SCENE, bands=[4, 1, 4], window=(10, 20, 30, 40))
    assert part.shape == (3, 40, 30)
    assert (part == whole[[3, 0, 3], 20:60, 10:40]).all()
    assert (raster.read_tensor(SCENE, bands=numpy.int8(2))[0] == whole[1]).all()
    scaled = raster.read_tensor(SCENE, bands=[1, 2], scale=[(0.5, -1), 2])
    assert scaled.dtype == numpy.float32
    assert (scaled == (whole[:2] * numpy.array([0.5, 2]).reshape(2, 1, 1) + [[[-1]], [[0]]]).astype("f4")).all()
    for dtype in ("int16", numpy.int16, numpy.dtype("int16")):
        assert raster.read_tensor(SCENE, dtype=dtype).dtype == numpy.int16


def test_no_data_pixels_get_the_fill_value(tmp_path: Path) -> None:
    pixels = some_pixels("int16")
    path = write(tmp_path / "x.tif", pixels, nodata=7)
    filled = raster.read_tensor(path, dtype="float32", fill=float("nan"))
    assert (numpy.isnan(filled) == (pixels == 7)).all()
    assert (raster.read_tensor(path, fill=-1) == numpy.where(pixels == 7, -1, pixels)).all()
    with pytest.raises(tacore.TacoQueryError, match="fill"):
        raster.read_tensor(path, fill=float("nan"))


def test_pixels_are_read_into_an_array_of_the_caller() -> None:
    out = numpy.zeros((2, 256, 256), "float32")
    assert raster.read_tensor(SCENE, bands=[1, 2], dtype="float32", out=out) is out
    assert (out == raster.read_tensor(SCENE, bands=[1, 2])).all()
    for wrong in (numpy.zeros((2, 256, 256), "uint8"), numpy.zeros((2, 255, 256), "float32")):
        with pytest.raises(tacore.TacoQueryError, match="out"):
            raster.read_tensor(SCENE, bands=[1, 2], dtype="float32", out=wrong)
    read_only = numpy.zeros((2, 256, 256), "float32")
    read_only.flags.writeable = False
    with pytest.raises(TypeError):
        raster.read_tensor(SCENE, bands=[1, 2], dtype="float32", out=read_only)
    assert not read_only.any()
    with pytest.raises(TypeError):  # rows are not next to each other
        raster.read_tensor(SCENE, bands=[1, 2], out=numpy.zeros((2, 256, 512), "uint8")[:, :, ::2])


@pytest.mark.parametrize(
    "how",
    [
        {"bands": [0]},
        {"bands": 7},
        {"window": (0, 0, 257, 1)},
        {"window": (-1, 0, 1, 1)},
        {"window": (2**62, 0, 2**62, 1)},
        {"dtype": "complex64"},
        {"scale": [1, 2]},
        {"fill": 256},
        {"scale": float("nan")},
        {"scale": (1, float("inf"))},
    ],
)
def test_options_that_do_not_fit_the_raster_are_query_errors(how: dict[str, Any]) -> None:
    with pytest.raises(tacore.TacoQueryError):
        raster.read_tensor(SCENE, **how)


@pytest.mark.parametrize(
    "how", [{"bands": []}, {"window": (0, 0, 1)}, {"window": (0.5, 0, 1, 1)}, {"scale": (1, 2, 3)}, {"scale": []}]
)
def test_invalid_options_are_value_errors(how: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        raster.read_tensor(SCENE, **how)


def core_tensor(**how: Any) -> Any:
    options = raster.tensor_options(*[how.get(name) for name in ("bands", "window", "dtype", "scale", "fill")])
    return raster.open_raster(SCENE)._core.read(options)


def test_memory_is_shared_and_outlives_the_tensor() -> None:
    tensor = core_tensor(dtype="float32")
    views = [numpy.asarray(tensor), numpy.from_dlpack(tensor), numpy.asarray(memoryview(tensor))]
    assert len({view.ctypes.data for view in views}) == 1
    assert views[0].ctypes.data % 64 == 0
    views[0][0, 0, 0] = 1234
    assert views[1][0, 0, 0] == views[2][0, 0, 0] == 1234
    expected = views[0].copy()
    del tensor
    gc.collect()
    for view in views:
        assert (view == expected).all()
    assert tuple(core_tensor().shape) == (6, 256, 256)
    assert core_tensor(window=(0, 0, 0, 0)).nbytes == 0
    assert numpy.asarray(core_tensor(window=(0, 0, 0, 0))).shape == (6, 0, 0)


@pytest.mark.parametrize("dtype", sorted(["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64",
                                          "float32", "float64"]))  # fmt: skip
def test_every_pixel_type_supports_buffers_and_dlpack(dtype: str) -> None:
    tensor = core_tensor(dtype=dtype)
    assert numpy.asarray(tensor).dtype == numpy.from_dlpack(tensor).dtype == numpy.dtype(dtype)
    view = memoryview(tensor)
    assert (view.c_contiguous, view.readonly, view.shape) == (True, False, tensor.shape)
    assert bytes(view) == numpy.asarray(tensor).tobytes()


def test_tensors_work_without_numpy(tmp_path: Path) -> None:
    code = """
import sys
sys.modules["numpy"] = None
from tacore import raster
pixels = raster.read_tensor(sys.argv[1], bands=1)
assert type(pixels).__name__ == "Tensor" and pixels.shape == (1, 256, 256) and pixels.dtype == "uint8"
sys.stdout.buffer.write(bytes(memoryview(pixels)))
assert raster.encode_png(raster.preview(sys.argv[1]))[:4] == b"\\x89PNG"
"""
    out = subprocess.run([sys.executable, "-c", code, SCENE], capture_output=True, check=True, env=environment())
    assert out.stdout == raster.read_tensor(SCENE, bands=1).tobytes()


def environment() -> dict[str, str]:
    package = str(Path(tacore.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])}


def test_rasters_survive_pickling() -> None:
    dataset = tacore.load(NESTED)
    for opened in (
        raster.open_raster(SCENE),
        raster.open_raster(dataset, "tile_r1_c1/dem"),
        raster.open_raster(dataset.data[2:].read(0), 1),
    ):
        again = pickle.loads(pickle.dumps(opened))
        assert again.name == opened.name
        assert (again.read() == opened.read()).all()


def test_stacks_are_one_array() -> None:
    rows = tacore.load(FLAT).data[3:7]
    stack = raster.read_stack(rows, bands=[1, 2], dtype="float32")
    assert stack.shape == (4, 2, 64, 64)
    for row in range(4):
        assert (stack[row] == raster.read_tensor(rows, row, bands=[1, 2])).all()
    with pytest.raises(tacore.TacoQueryError):
        raster.read_stack(rows[:0])
    with pytest.raises(tacore.TacoQueryError):
        raster.read_stack(tacore.load(NESTED).data.read(0))


def test_statistics_equal_those_of_numpy() -> None:
    whole = raster.read_tensor(SCENE).astype("float64")
    for band, pixels in zip(raster.compute_statistics(SCENE), whole):
        assert (band.count, band.num_pixels, band.valid_percent) == (pixels.size, pixels.size, 100)
        assert (band.min, band.max) == (pixels.min(), pixels.max())
        assert band.mean == pytest.approx(pixels.mean(), rel=1e-14)
        assert band.std == pytest.approx(pixels.std(), rel=1e-12)
        assert band.quantile(0.3) == numpy.quantile(pixels, 0.3)
        factor, offset = band.scale()
        assert abs((pixels * factor + offset).mean()) < 1e-9
        again = pickle.loads(pickle.dumps(band))
        assert again.histogram == band.histogram
        assert (again.mean, again.std) == (band.mean, band.std)
    quantiles = raster.compute_quantiles(SCENE, [0, 0.25, 1], bands=[3])
    assert quantiles == [list(numpy.quantile(whole[2], [0, 0.25, 1]))]


def test_statistics_of_rows_equal_those_of_all_their_pixels() -> None:
    dataset = tacore.load(NESTED)
    told: list[tuple[int, int]] = []
    made = raster.compute_statistics(
        dataset, child="dem", jobs=2, progress=lambda done, total: told.append((done, total))
    )
    pixels = numpy.stack(
        [raster.read_tensor(dataset, f"{name}/dem") for name in dataset.data.to_arrow()["id"].to_pylist()]
    )
    assert (made.num_samples, made.failures) == (len(pixels), [])
    assert made.bands[0].mean == pytest.approx(pixels.mean(), rel=1e-12)
    assert told[-1] == (len(pixels), len(pixels))
    joined = raster.compute_statistics(dataset.data[:2], child="dem").bands[0]
    joined.merge(raster.compute_statistics(dataset.data[2:], child="dem").bands[0])
    assert joined.histogram == made.bands[0].histogram
    stored = raster.stored_statistics(tacore.load(FLAT))
    assert [band.mean for band in stored] == pytest.approx(
        [band.mean for band in raster.compute_statistics(tacore.load(FLAT)).bands], rel=1e-5
    )


def test_quantiles_of_stored_statistics_are_marked_where_they_are_approximate() -> None:
    rows = tacore.load(FLAT)
    summary = raster.stored_summary(rows)
    assert [band.band for band in summary] == [1, 2, 3, 4, 5, 6]
    assert all(band.is_approximate for band in summary)
    assert [band.quantiles[1] for band in summary] == pytest.approx(list(rows.stats_p50()))
    true = raster.compute_statistics(rows).bands[5]
    assert summary[5].std == pytest.approx(true.std, rel=1e-5)
    assert abs(summary[5].quantiles[1] - true.quantile(0.5)) > 3
    one = raster.stored_summary(rows.data[:1], bands=6)[0]
    assert not one.is_approximate
    with pytest.raises(tacore.TacoQueryError, match="store no histograms"):
        raster.stored_summary(rows, quantiles=[0.5])
    nested = tacore.load(NESTED)
    assert len(raster.stored_summary(nested, child="optical")) == 6
    assert sum(raster.stored_summary(nested, child="mask")[0].classes) == pytest.approx(1)


def test_the_published_names_count_bands_from_0_and_say_so_first() -> None:
    rows = tacore.load(FLAT)
    summary = raster.stored_summary(rows)
    for name in ("mean", "std", "min", "max", "median", "p25", "p50", "p75", "p95", "categorical"):
        assert (getattr(rows, f"stats_{name}").__doc__ or "").startswith("Bands count from 0.")
    assert rows.stats_mean(0) == pytest.approx(summary[0].mean, rel=1e-6)
    assert list(rows.stats_mean()) == pytest.approx([band.mean for band in summary], rel=1e-6)
    assert rows.stats_mean(band=[5, 0]).tolist() == [rows.stats_mean(5), rows.stats_mean(0)]
    for band in (-1, 6):
        with pytest.raises(tacore.TacoQueryError, match=rf"Band {band} out of range \[0, 5\]"):
            rows.stats_mean(band)
    with pytest.raises(tacore.TacoQueryError, match="bands count from 1"):
        raster.stored_summary(rows, bands=0)


def test_stored_statistics_of_taco_files_weigh_by_pixels(tmp_path: Path) -> None:
    from tacore import datamodel

    small, large = numpy.full((1, 10, 10), 2, "uint8"), numpy.full((1, 40, 50), 44, "uint8")
    samples = [
        datamodel.Sample(id=name, path=write(tmp_path / f"{name}.tif", pixels))
        for name, pixels in (("small", small), ("large", large))
    ]
    made = tacore.v1.create(datamodel.Tortilla(samples=samples), tmp_path / "x.tortilla")
    rows = tacore.load(made[0] if isinstance(made, list) else made)
    assert rows.stats_mean(band=0) == pytest.approx((100 * 2 + 2000 * 44) / 2100)
    assert rows.stats_std() == pytest.approx(raster.compute_statistics(rows).bands[0].std)
    assert numpy.isnan(rows.stats_p50(0))


def test_the_callback_can_cancel_statistics() -> None:
    def fail(done: int, total: int) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        raster.compute_statistics(tacore.load(FLAT), progress=fail)
    with pytest.raises(tacore.TacoIOError):
        raster.compute_statistics(tacore.load(FLAT), progress=lambda done, total: False)
    with pytest.raises(ValueError, match="on_error"):
        raster.compute_statistics(tacore.load(FLAT), on_error="ignore")


def test_unreadable_samples_are_reported(golden: Path) -> None:
    made = raster.compute_statistics(tacore.load(NESTED), child="mask", on_error="skip")
    assert made.failures == []
    with pytest.raises(tacore.TacoError):
        raster.compute_statistics(tacore.load(golden / "flat.tacozip"))


def test_histograms_add_up_and_survive_pickling() -> None:
    whole, part = raster.Histogram(), raster.Histogram()
    whole.add([1.5, 2.5, 2.5, -1.0])
    part.add(1.5)
    rest = raster.Histogram()
    rest.add(2.5, 2)
    rest.add(-1.0)
    part.merge(rest)
    assert part == whole != raster.Histogram()
    assert whole.bins == [(-1.0, 1), (1.5, 1), (2.5, 2)]
    assert (whole.count, whole.min, whole.max, whole.bin_width, whole.error_bound) == (4, -1, 2.5, 0, 0)
    assert whole.quantile(0.5) == numpy.quantile([1.5, 2.5, 2.5, -1.0], 0.5)
    assert pickle.loads(pickle.dumps(whole)) == whole
    assert raster.Histogram.decode(whole.encode()) == whole
    with pytest.raises(tacore.TacoFormatError):
        raster.Histogram.decode(whole.encode()[:-1])
    with pytest.raises(tacore.TacoQueryError):
        whole.add(float("nan"))
    with pytest.raises(tacore.TacoQueryError):
        whole.quantile(1.5)


def test_previews_are_pictures() -> None:
    picture = raster.preview(SCENE, bands=[3, 2, 1], size=100)
    assert picture.dtype == numpy.uint8
    assert picture.shape[0] == picture.shape[1] <= 100
    assert picture.shape[2] == 3
    assert raster.encode_png(picture).startswith(b"\x89PNG\r\n")
    assert raster.encode_png(picture[:, :, 0].copy()).startswith(b"\x89PNG\r\n")
    with pytest.raises(tacore.TacoQueryError):
        raster.preview(SCENE, bands=[1, 2])
    for wrong in (numpy.zeros((4, 4), "float32"), numpy.zeros((4, 4, 5), "uint8"), numpy.zeros(4, "uint8")):
        with pytest.raises(tacore.TacoError):
            raster.encode_png(wrong)


def test_a_png_has_the_pixels(tmp_path: Path) -> None:
    pytest.importorskip("rasterio")
    pixels = numpy.moveaxis(some_pixels(), 0, 2).copy()
    path = tmp_path / "x.png"
    path.write_bytes(raster.encode_png(pixels))
    assert (raster.read_tensor(path) == some_pixels()).all()


def test_headers_are_written_beside_a_dataset(tmp_path: Path) -> None:
    path = tmp_path / "x.tacozip"
    path.write_bytes(NESTED.read_bytes())
    made = raster.write_tiff_index(path)
    assert made == (f"{path}.headers", 18, 0, 0)
    assert (raster.read_tensor(tacore.load(path), "tile_r1_c1/dem") ==
            raster.read_tensor(tacore.load(NESTED), "tile_r1_c1/dem")).all()  # fmt: skip
    with pytest.raises(tacore.TacoIOError):
        raster.write_tiff_index(path)
    raster.write_tiff_index(path, overwrite=True, jobs=1)


def test_a_tog_has_the_same_pixels(tmp_path: Path) -> None:
    path = tmp_path / "x.tif"
    raster.make_tog(SCENE, path, block_size=64, zstd_level=3)
    assert raster.check_tacotiff(path) == []
    assert raster.check_tacotiff(SCENE) != []
    assert raster.open_raster(path).info.interleave == "TILE"
    assert (raster.read_tensor(path) == raster.read_tensor(SCENE)).all()
    assert raster.open_raster(path).georeference == raster.open_raster(SCENE).georeference
    with pytest.raises(tacore.TacoQueryError):
        raster.make_tog(SCENE, tmp_path / "y.tif", block_size=50)


def test_samples_become_togs_whose_pixels_equal_those_of_rasterio(shared: Path, tmp_path: Path) -> None:
    rasterio = pytest.importorskip("rasterio")
    from tacore.datamodel import Sample, Tortilla, with_tiff_index

    paths = {name: shared / "imagery" / f"{name}.tif" for name in IMAGERY}
    text = Sample("about", b"no raster", k=1)
    folder = Sample("folder", Tortilla([Sample("image", paths["lc"].read_bytes()), Sample("about", b"text")]))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    seen: list[tuple[int, int]] = []
    flat = raster.with_togs(
        Tortilla([*(Sample(name, path, k=2) for name, path in paths.items()), text], strict_schema=False),
        temp_dir=temporary,
        progress=lambda done, num_bytes: seen.append((done, num_bytes)) or True,
    )
    nested = raster.with_togs(Tortilla([folder]), temp_dir=temporary, block_size=64, zstd_level=1, progress=False)
    assert seen[-1][0] == seen[-1][1]
    assert [sample.k for sample in flat.samples] == [2] * len(paths) + [1]
    assert flat.samples[-1].read_bytes() == b"no raster"
    with_tiff_index(flat)
    for sample, path in zip(flat.samples, paths.values(), strict=False):
        assert raster.check_tacotiff(sample.path) == []
        with rasterio.open(path) as source, rasterio.open(sample.path) as tog:
            assert tog.read().tobytes() == source.read().tobytes(), path
            assert (tog.dtypes, tog.transform, tog.crs) == (source.dtypes, source.transform, source.crs)
            assert str(tog.nodata) == str(source.nodata)
    image = nested.samples[0].path.samples[0]
    with rasterio.open(image.path) as tog, rasterio.open(paths["lc"]) as source:
        assert tog.read().tobytes() == source.read().tobytes()
        assert tog.block_shapes[0] == (64, 64)
    del flat, sample, nested, image
    gc.collect()
    assert list(temporary.iterdir()) == []


def test_a_sample_that_cannot_become_a_tog_is_named(tmp_path: Path) -> None:
    from tacore.datamodel import Sample, Tortilla

    samples = Tortilla([Sample("a", SCENE), Sample("b", SCENE.read_bytes()[:3000])])
    with pytest.raises(tacore.TacoFormatError, match="sample 'b': "):
        raster.with_togs(samples, temp_dir=tmp_path, progress=False)
    with pytest.raises(tacore.TacoQueryError, match="^block size 50"):
        raster.with_togs(Tortilla([Sample("a", SCENE)]), temp_dir=tmp_path, block_size=50, progress=False)
    with pytest.raises(tacore.TacoIOError):
        raster.with_togs(Tortilla([Sample("a", SCENE)]), temp_dir=tmp_path / "none", progress=False)
    assert list(tmp_path.iterdir()) == []


# What rasterio is for.


@pytest.mark.parametrize("driver", ["PNG", "JPEG", "GTiff"])
def test_other_formats_are_read_by_rasterio(tmp_path: Path, driver: str) -> None:
    rasterio = pytest.importorskip("rasterio")
    profile = {"compress": "jpeg"} if driver == "GTiff" else {}
    path = write(tmp_path / "x", some_pixels(), driver=driver, **profile)
    with rasterio.open(path) as peer:
        expected = peer.read()
    opened = raster.open_raster(path)
    assert opened.info.format == driver
    assert opened.georeference == ("", None)
    assert (opened.read([3, 1], (4, 5, 20, 10)) == expected[[2, 0], 5:15, 4:24]).all()
    assert (pickle.loads(pickle.dumps(opened)).read() == expected).all()
    results: list[bool] = []
    threads = [threading.Thread(target=lambda: results.append((opened.read() == expected).all())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 8


def test_rasterio_reads_in_a_child_what_its_parent_opened(tmp_path: Path) -> None:
    path = write(tmp_path / "x.png", some_pixels(), driver="PNG")
    opened = raster.open_raster(path)
    child = os.fork()
    if child == 0:
        os._exit(0 if (opened.read() == some_pixels()).all() else 1)
    assert (opened.read() == some_pixels()).all()
    assert os.waitpid(child, 0)[1] == 0


def test_files_that_are_not_numeric_rasters_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("rasterio")
    numbers = write(tmp_path / "complex.tif", some_pixels("complex64"))
    with pytest.raises(tacore.TacoFormatError, match="complex64") as caught:
        raster.open_raster(numbers)
    assert caught.value.path == str(numbers)
    text = tmp_path / "x.txt"
    text.write_text("no raster at all")
    with pytest.raises(tacore.TacoFormatError):
        raster.open_raster(text)
    with pytest.raises(FileNotFoundError):
        raster.open_raster(tmp_path / "missing.png")


def test_a_sample_that_refers_to_other_files_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("rasterio")
    write(tmp_path / "secret.tif", some_pixels()[:1])
    link = tmp_path / "x.vrt"
    link.write_text(
        '<VRTDataset rasterXSize="50" rasterYSize="40"><VRTRasterBand dataType="Byte" band="1"><SimpleSource>'
        f"<SourceFilename>{tmp_path}/secret.tif</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>"
    )
    with pytest.raises(tacore.TacoFormatError):
        raster.open_raster(link)


def test_a_damaged_raster_is_an_error(shared: Path) -> None:
    pytest.importorskip("rasterio")
    with pytest.raises(tacore.TacoIOError, match=r"corrupt\.tif"):
        raster.read_tensor(shared / "imagery" / "corrupt.tif")


def test_without_rasterio_the_error_says_what_to_install(tmp_path: Path) -> None:
    path = write(tmp_path / "x.png", some_pixels(), driver="PNG")
    code = """
import sys
sys.modules["rasterio"] = None
import tacore
from tacore import raster
try:
    raster.open_raster(sys.argv[1])
except tacore.TacoIOError as error:
    assert "pip install rasterio" in str(error), error
else:
    sys.exit("opened")
"""
    subprocess.run([sys.executable, "-c", code, path], check=True, env=environment())


def test_other_threads_run_while_pixels_are_read(tmp_path: Path) -> None:
    path = tmp_path / "large.tif"
    pixels = numpy.random.default_rng(0).integers(0, 1000, (8, 1024, 1024)).astype("uint16")
    write(path, pixels, tiled=True, compress="zstd", blockxsize=256, blockysize=256)
    opened = raster.open_raster(path)
    out = numpy.empty(opened.shape, "uint16")
    ticks: list[float] = []
    stop = threading.Event()

    def tick() -> None:
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    during = 0
    for _ in range(200):  # how many it takes depends on what else runs; with the lock held no number would do
        begin = time.perf_counter()
        opened.read(out=out)
        end = time.perf_counter()
        during += sum(begin < moment < end for moment in list(ticks))
        if during >= 3:
            break
    stop.set()
    thread.join()
    assert during >= 3
    assert (out == pixels).all()


def test_a_histogram_says_what_it_takes() -> None:
    from tacore.raster import Histogram

    with pytest.raises(TypeError, match=r"Histogram\(\) takes no arguments: it is empty"):
        Histogram(3)  # type: ignore[call-arg]
    assert pickle.loads(pickle.dumps(Histogram())) is not None
