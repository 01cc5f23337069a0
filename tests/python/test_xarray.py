"""Rasters as arrays of xarray."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import tacore
from tacore import raster

numpy = pytest.importorskip("numpy")
pytest.importorskip("xarray")

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
