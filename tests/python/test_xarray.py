"""Rasters as arrays of xarray, and its engine "tacore"."""

from __future__ import annotations

import importlib
import pickle
import tomllib
from pathlib import Path
from typing import Any

import pytest

import tacore
from tacore import raster

numpy = pytest.importorskip("numpy")
xarray = pytest.importorskip("xarray")

ROOT = Path(__file__).resolve().parents[2]
NESTED = ROOT / "examples" / "data" / "landsat_nested.tacozip"
SCENE = ROOT / "examples" / "data" / "scene" / "optical.tif"


def test_an_array_has_the_coordinates_of_its_pixels() -> None:
    array = raster.to_xarray(tacore.load(NESTED), "tile_r1_c1/optical")
    opened = raster.open_raster(tacore.load(NESTED), "tile_r1_c1/optical")
    assert array.dims == ("band", "y", "x")
    assert array.shape == opened.shape
    assert list(array.band.values) == [1, 2, 3, 4, 5, 6]
    x, width, _, y, _, height = opened.georeference.geotransform
    assert float(array.x[0]) == x + width / 2
    assert float(array.y[-1]) == pytest.approx(y + height * (array.sizes["y"] - 0.5), rel=1e-15)
    assert array.attrs["crs"] == opened.georeference.crs
    assert array.attrs["transform"] == opened.georeference.geotransform
    assert array.spatial_ref.attrs["crs_wkt"] == opened.georeference.crs
    assert (array.values == opened.read()).all()


@pytest.mark.parametrize(
    "part",
    [
        (slice(None), slice(3, 20, 2), slice(None, None, -1)),
        (1, slice(5, 9), slice(10, 11)),
        (slice(4, 0, -2), 7, -1),
        ([0, 5, 5], slice(100, 103), [1, 200]),
        (slice(2, 2), slice(None), slice(None)),
        (slice(None), slice(30, 10, -7), slice(255, 200, -3)),
    ],
)
def test_a_subset_equals_that_of_the_whole_array(part: tuple) -> None:
    array, whole = raster.to_xarray(SCENE), raster.to_xarray(SCENE).load()
    assert (array[part].values == whole[part].values).all()
    assert array[part].shape == whole[part].shape


def test_only_the_window_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    read = raster.Raster.read

    def watched(self: raster.Raster, bands: list[int], window: tuple) -> object:
        asked.append((bands, window))
        return read(self, bands, window)

    array = raster.to_xarray(SCENE, bands=[4, 2])
    monkeypatch.setattr(raster.Raster, "read", watched)
    assert array[1, 8:16, 4:6].mean().values >= 0
    assert asked == [([2], (4, 8, 2, 8))]


def test_arrays_survive_pickling_and_are_cut_into_chunks() -> None:
    array = raster.to_xarray(SCENE)
    assert (pickle.loads(pickle.dumps(array)).values == array.values).all()
    pytest.importorskip("dask")
    chunked = raster.to_xarray(SCENE, chunks={"x": 100, "y": 100})
    assert chunked.chunks is not None
    assert float(chunked.mean()) == pytest.approx(float(array.mean()))


def test_bands_out_of_range_are_refused_when_opening() -> None:
    with pytest.raises(tacore.TacoQueryError):
        raster.to_xarray(SCENE, bands=[7])


def open_dataset(**keywords: Any) -> Any:
    from tacore._xarray import TacoBackend  # of the entry point that the next test reads

    return xarray.open_dataset(NESTED, engine=TacoBackend, **keywords)


def test_the_engine_is_an_entry_point() -> None:
    points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    for group, name in (("xarray.backends", "tacore"), ("fsspec.specs", "taco")):
        module, _, kind = points[group][name].replace(":", ".").rpartition(".")
        assert isinstance(getattr(importlib.import_module(module), kind), type)


def test_the_engine_opens_a_raster_lazily(monkeypatch: pytest.MonkeyPatch) -> None:
    rasterio = pytest.importorskip("rasterio")
    asked = []
    read = raster.Raster.read
    dataset = open_dataset(sample="tile_r1_c1/optical")
    monkeypatch.setattr(raster.Raster, "read", lambda self, *given: asked.append(given) or read(self, *given))
    assert list(dataset.data_vars) == ["band_data"] and dataset.band_data.dims == ("band", "y", "x")
    part = dataset.band_data[3, 10:20, 5:9].values
    assert asked == [([4], (5, 10, 4, 10))]
    with rasterio.open(tacore.load(NESTED).data.read("tile_r1_c1/optical")) as opened:
        assert (part == opened.read(4)[10:20, 5:9]).all()
        assert float(dataset.x[0]) == pytest.approx(opened.xy(0, 0)[0])
        assert rasterio.crs.CRS.from_user_input(dataset.spatial_ref.attrs["crs_wkt"]) == opened.crs


def test_the_engine_has_a_variable_for_each_band_on_request() -> None:
    dataset = open_dataset(sample="tile_r1_c1/optical", bands=[4, 2], band_as_variable=True)
    whole = raster.read_tensor(tacore.load(NESTED), "tile_r1_c1/optical")
    assert list(dataset.data_vars) == ["band_4", "band_2"] and dataset.band_4.dims == ("y", "x")
    assert (dataset.band_2.values == whole[1]).all()
    assert list(open_dataset(sample="tile_r1_c1/dem", drop_variables="spatial_ref").coords) == ["band", "x", "y"]
    pytest.importorskip("dask")
    chunked = open_dataset(sample="tile_r1_c1/optical", chunks={"x": 32})
    assert chunked.chunks["x"] == (32, 32) and (chunked.band_data.values == whole).all()


def test_the_engine_takes_datasets_and_says_what_it_needs() -> None:
    from tacore._xarray import TacoBackend

    green = tacore.load(NESTED).sql("SELECT * FROM data WHERE id = 'tile_r2_c3'")
    assert xarray.open_dataset(green, engine=TacoBackend, sample="tile_r2_c3/mask").sizes["band"] == 1
    with pytest.raises(tacore.TacoQueryError, match=r"sample= is missing, the id of a raster or a path of ids"):
        open_dataset()
    with pytest.raises(tacore.TacoNavigationError, match="tile_r9"):
        open_dataset(sample="tile_r9/optical")
    assert TacoBackend().guess_can_open(NESTED) and TacoBackend().guess_can_open("s3://a/.tacocat/")
    assert not TacoBackend().guess_can_open("a.nc") and not TacoBackend().guess_can_open(b"bytes")
