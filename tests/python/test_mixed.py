"""One loader over several datasets: bands, grids, scaling, sampling, order and resuming."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
import threading
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import tacore
from tacore import raster
from tacore._bands import find_band
from tacore._resample import bilinear, blend, fit_axis
from tacore.datamodel import SUPPORTED_SENSORS, OpticalData, Sample, Taco, Tortilla, optical_bands
from tacore.loader import Column, Input, Loader, MixedLoader, Source, TorchIterableDataset

numpy = pytest.importorskip("numpy")
rasterio = pytest.importorskip("rasterio")

NODATA = 7
COVERS = ["forest", "water", "urban"]
LABEL = Column("cover", classes=COVERS)
BANDS = ["red", "green", 0.865]


def write_tiff(path: Path, pixels: Any, size: float = 10, crs: str = "EPSG:32630", nodata: float | None = None) -> Path:
    count, height, width = pixels.shape
    to_crs = rasterio.transform.from_origin(500000, 4400000, size, size)
    with rasterio.open(
        path, "w", driver="GTiff", count=count, height=height, width=width, dtype=pixels.dtype, crs=crs,
        transform=to_crs, nodata=nodata, compress="deflate",
    ) as file:  # fmt: skip
        file.write(pixels)
    return path


def create(path: Path, samples: list[Sample], *extensions: Any) -> Path:
    taco = Taco(
        Tortilla(samples), id="chips", dataset_version="1.0.0", description="Chips", licenses=["CC-BY-4.0"],
        providers=[{"name": "Somebody"}], tasks=["classification"],
    )  # fmt: skip
    for each in extensions:
        taco.extend_with(each)
    tacore.create(taco, path, progress=False)
    return path


class Data:
    """Two datasets, and the arrays that they were made of."""

    def __init__(self, folder: Path) -> None:
        random = numpy.random.default_rng(0)
        # Sentinel-2: FOLDERs of an image of 10 m, and of a mask of 20 m.
        self.s2 = [random.integers(0, 4000, (4, 48, 50), "uint16") for _ in range(10)]
        self.masks = [random.integers(0, 3, (1, 24, 25), "uint8") for _ in range(10)]
        self.s2_covers = [COVERS[at % 2] for at in range(10)]
        self.s2_splits = ["train" if at < 6 else "test" for at in range(10)]
        samples = []
        for at in range(10):
            image = Sample(id="optical", path=write_tiff(folder / f"i{at}.tif", self.s2[at]))
            image.extend_with(statistics_of(self.s2[at]))
            mask = Sample(id="mask", path=write_tiff(folder / f"m{at}.tif", self.masks[at], 20))
            mask.extend_with(statistics_of(self.masks[at]))
            sample = Sample(
                id=f"s{at}", path=Tortilla([image, mask]), cover=self.s2_covers[at], split=self.s2_splits[at]
            )
            samples.append(sample)
        sensor = OpticalData(sensor="sentinel2msi[B02, B03, B04, B8A]")
        self.s2_path = create(folder / "s2.tacozip", samples, sensor)
        # Landsat 8: FILEs of odd shape of 30 m, with no data, whose bands are in another order; nothing says which.
        self.l8 = [random.integers(10, 255, (3, 33, 41), "int16") for _ in range(7)]
        for pixels in self.l8:
            pixels[:, 5:12, 30:] = NODATA
        self.l8_covers = ["urban", "forest", "urban", "urban", "water", "urban", "urban"]
        samples = []
        for at in range(7):
            path = write_tiff(folder / f"l{at}.tif", self.l8[at], 30, nodata=NODATA)
            samples.append(Sample(id=f"l{at}", path=path, cover=self.l8_covers[at]))
        self.l8_path = create(folder / "l8.tacozip", samples)

    def sources(self, **options: Any) -> list[Source]:
        s2: dict[str, Any] = {"image": "optical", "inputs": {"label": LABEL}}
        l8: dict[str, Any] = {"sensor": "landsat8oli[B05, B04, B03]", "inputs": {"label": LABEL}}
        return [Source(self.s2_path, **s2, **options), Source(self.l8_path, **l8, **options)]

    def expected(self, source: int, row: int) -> Any:
        """Red, green and 0.865 micrometres of a sample, in its own pixels."""
        return self.s2[row][[2, 1, 3]] if source == 0 else self.l8[row][[1, 2, 0]]

    def cover(self, source: int, row: int) -> str:
        return (self.s2_covers, self.l8_covers)[source][row]


def statistics_of(pixels: Any) -> dict[str, Any]:
    """The column geotiff:stats: minimum, maximum, mean, standard deviation, valid percent and percentiles."""
    flat = pixels.reshape(len(pixels), -1).astype("float64")
    rows = [[b.min(), b.max(), b.mean(), b.std(), 100.0, *numpy.percentile(b, [25, 50, 75, 95])] for b in flat]
    return {"geotiff:stats": [[float(value) for value in row] for row in rows]}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    return Data(tmp_path_factory.mktemp("mixed"))


def middle(pixels: Any, height: int, width: int) -> Any:
    y, x = (pixels.shape[1] - height) // 2, (pixels.shape[2] - width) // 2
    return pixels[:, y : y + height, x : x + width]


def places(batches: Any) -> list[tuple[int, int]]:
    return [place for batch in batches for place in zip(batch.sources, batch.positions)]


def stream(batches: Any) -> list[bytes]:
    """All bytes of each sample, whatever the batches."""
    return [
        b"".join(numpy.ascontiguousarray(each[slot]).tobytes() for each in batch) + bytes(place)
        for batch in batches
        for slot, place in enumerate(zip(batch.sources, batch.positions))
    ]


# Bands.


def test_batches_have_the_same_bands_of_all_sources(data: Data) -> None:
    loader = MixedLoader(data.sources(), BANDS, size=(24, 30), batch_size=5, seed=1)
    seen = []
    for batch in loader:
        assert batch.names == ("image", "label") and batch["image"].dtype == numpy.float32
        assert batch["image"].shape == (len(batch.positions), 3, 24, 30)
        for slot, (source, row) in enumerate(zip(batch.sources, batch.positions)):
            expected = middle(data.expected(source, row), 24, 30).astype("float32")
            expected[expected == (NODATA if source == 1 else -1)] = 0
            assert (batch["image"][slot] == expected).all()
            assert COVERS[batch["label"][slot]] == data.cover(source, row)
            seen.append((source, row))
    assert sorted(seen) == [(0, row) for row in range(10)] + [(1, row) for row in range(7)]
    assert (len(loader), loader.num_samples) == (4, 17)


@pytest.mark.parametrize("sensor", SUPPORTED_SENSORS)
def test_each_band_of_each_sensor_is_found_by_its_name_and_its_centre(sensor: str) -> None:
    bands = optical_bands(sensor)
    for at, band in enumerate(bands):
        assert find_band(band.name.lower(), bands) == at
        assert band.center_wavelength is not None
        found = [each.name for each in bands if each.center_wavelength == band.center_wavelength]
        if len(found) == 1:
            assert find_band(band.center_wavelength / 1000, bands) == at


@pytest.mark.parametrize(
    ("sensor", "wanted", "found"),
    [
        ("sentinel2msi", "nir08", "B8A"),
        ("sentinel2msi", "Red edge 4", "B8A"),
        ("sentinel2msi", "nir", "B08"),
        ("sentinel2msi", 0.865, "B8A"),  # also within B08, whose centre is farther
        ("landsat8oli", 0.865, "B05"),
        ("landsat7etm", 0.865, "B04"),
        ("landsat8oli", "swir16", "B06"),
        ("aster", "b3n", "B3N"),
    ],
)
def test_a_band_is_found_by_common_names_and_wavelengths(sensor: str, wanted: Any, found: str) -> None:
    bands = optical_bands(sensor)
    assert bands[find_band(wanted, bands)].name == found


@pytest.mark.parametrize(
    ("sensor", "wanted", "words"),
    [
        ("landsat8oli", "nir08", r"no band 'nir08'; the bands are B01 \(coastal aerosol, coastal, 0.4425\), .*B05 "
                                 r"\(NIR, 0.8645\).*; a wavelength in micrometres, such as 0.865, matches"),
        ("sentinel2msi", 3.0, "no band at 3.0 micrometres; the bands are B01"),
        ("aster", "vnir", "several bands match the band 'vnir': B01, B02, B3N, B3B; give the name of one"),
    ],
)  # fmt: skip
def test_an_error_says_which_bands_there_are(sensor: str, wanted: Any, words: str) -> None:
    with pytest.raises(tacore.TacoQueryError, match=words):
        find_band(wanted, optical_bands(sensor))


def test_bands_are_named_by_the_source_where_the_dataset_does_not(data: Data) -> None:
    named = Source(data.l8_path, bands=["nir", "Red", {"name": "B03", "center_wavelength": 561.5, "index": 2}])
    (batch,) = MixedLoader([named], ["red", 0.5615], size=(33, 41), fill=NODATA, batch_size=7)
    assert (batch["image"] == numpy.stack(data.l8)[:, [1, 2]]).all()
    of_frame = Source(tacore.load(data.s2_path).data.head(2), image="optical")  # its bands are those of its dataset
    (batch,) = MixedLoader([of_frame], ["B8A"], size=(48, 50), batch_size=7)
    assert (batch["image"][:, 0] == numpy.stack(data.s2)[:2, 3]).all()


# Grids.


def test_smaller_samples_are_padded_and_larger_ones_cut(data: Data) -> None:
    sources = [
        Source(data.s2_path, image="optical", inputs={"mask": Input("mask", fill=255)}),
        Source(data.l8_path, bands=["B8A", "B04", "B03"], inputs={"mask": Input("", bands=[1], fill=255)}),
    ]
    for batch in MixedLoader(sources, ["B04"], size=(40, 46), fit="pad", fill=-1, batch_size=4):
        assert batch["mask"].dtype == numpy.int16  # of uint8 and int16
        for slot, (source, row) in enumerate(zip(batch.sources, batch.positions)):
            if source == 0:
                assert (batch["image"][slot, 0] == middle(data.s2[row], 40, 46)[2]).all()
                twice = data.masks[row].repeat(2, 1).repeat(2, 2)
                assert (batch["mask"][slot] == middle(twice, 40, 46)).all()
                continue
            expected = numpy.full((2, 40, 46), [[[-1]], [[255]]])
            expected[:, 3:36, 2:43] = data.l8[row][[1, 0]]
            expected[0][expected[0] == NODATA] = -1
            expected[1][expected[1] == NODATA] = 255
            assert (batch["image"][slot, 0] == expected[0]).all()
            assert (batch["mask"][slot, 0] == expected[1]).all()


def test_random_crops_are_parts_of_their_samples_and_depend_on_the_epoch(data: Data) -> None:
    loader = MixedLoader(data.sources()[:1], ["B04"], size=16, crop="random", batch_size=3, seed=5)
    corners = []
    for _ in range(8):
        for batch in loader:
            for slot, row in enumerate(batch.positions):
                views = numpy.lib.stride_tricks.sliding_window_view(data.s2[row][2], (16, 16))
                found = numpy.argwhere((views == batch["image"][slot, 0]).all(axis=(2, 3)))
                assert len(found) == 1
                corners.append(tuple(found[0]))
    ys, xs = zip(*corners)
    assert (min(ys), min(xs)) == (0, 0) or len(set(ys)) > 20
    assert max(ys) <= 48 - 16 and max(xs) <= 50 - 16 and len(set(corners)) > 60
    again = MixedLoader(data.sources()[:1], ["B04"], size=16, crop="random", batch_size=4, seed=5)
    loader.set_epoch(0)
    assert stream(again) == stream(loader)


def triangle(pixels: Any, height: int, width: int, step: tuple[float, float], corner: tuple[int, int] = (0, 0)) -> Any:
    """Bilinear resampling as a loop over the pixels of the result, with a weight for each pixel of the raster."""
    out = numpy.full((len(pixels), height, width), numpy.nan)
    for y in range(height):
        for x in range(width):
            at = [(corner[0] + y + 0.5) * step[0], (corner[1] + x + 0.5) * step[1]]
            reach = [max(each, 1.0) for each in step]
            for band, values in enumerate(pixels):
                total = weights = 0.0
                for j in range(max(0, int(at[0] - reach[0]) - 1), min(len(values), int(at[0] + reach[0]) + 2)):
                    for i in range(max(0, int(at[1] - reach[1]) - 1), min(len(values[0]), int(at[1] + reach[1]) + 2)):
                        down, across = abs(j + 0.5 - at[0]) / reach[0], abs(i + 0.5 - at[1]) / reach[1]
                        weight = max(0.0, 1 - down) * max(0.0, 1 - across)
                        if weight > 0 and not math.isnan(values[j, i]):
                            total, weights = total + weight * values[j, i], weights + weight
                if weights > 1e-6:
                    out[band, y, x] = total / weights
    return out


SIZES = [(33, 41), (32, 20), (11, 13), (1, 1), (66, 82), (50, 47), (7, 90)]


@pytest.mark.parametrize("size", SIZES)
def test_bilinear_resampling_is_that_of_a_loop_and_of_gdal(data: Data, size: tuple[int, int]) -> None:
    source = Source(data.l8_path, bands=["a", "b", "c"])
    loader = MixedLoader([source], ["b", "a"], size=size, fit="resample", fill=-99, batch_size=2)
    batch = next(iter(loader))
    height, width = size
    step = (33 / height, 41 / width)
    for slot in range(2):
        pixels = data.l8[slot][[1, 0]].astype("float64")
        pixels[pixels == NODATA] = numpy.nan
        expected = triangle(pixels, height, width, step)
        expected[numpy.isnan(expected)] = -99
        numpy.testing.assert_allclose(batch["image"][slot], expected, rtol=1e-5, atol=1e-3)
        if any(1 < each < 1 / 0.95 for each in step):  # which GDAL takes for 1
            continue
        of_gdal = with_gdal(data.l8[slot][[1, 0]], size, 30 * step[1], 30 * step[0], "bilinear")
        # GDAL has no data also where the pixel at the centre has none, though its neighbours do.
        numpy.testing.assert_allclose(batch["image"][slot][of_gdal != -99], of_gdal[of_gdal != -99], atol=1e-3)
        assert (of_gdal[batch["image"][slot] == -99] == -99).all()


def with_gdal(pixels: Any, size: tuple[int, int], width: float, height: float, method: str) -> Any:
    """Pixels of 30 m, resampled by GDAL to others of the same corner; -99 where there are no data."""
    from rasterio.warp import Resampling, reproject

    out = numpy.full((len(pixels), *size), -99, "float32")
    for band, of_band in zip(pixels.astype("float32"), out):  # together, only what is no data in all bands would be
        reproject(
            band, of_band, src_transform=rasterio.Affine(30, 0, 0, 0, -30, 0), src_crs="EPSG:32630", src_nodata=NODATA,
            dst_transform=rasterio.Affine(width, 0, 0, 0, -height, 0), dst_crs="EPSG:32630", dst_nodata=-99,
            resampling=Resampling[method],
        )  # fmt: skip
    return out


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("resampling", ["nearest", "bilinear"])
def test_nearest_resampling_of_images_and_of_all_masks_is_that_of_gdal(
    data: Data, size: tuple[int, int], resampling: str
) -> None:
    source = Source(data.l8_path, bands=["a", "b", "c"], inputs={"mask": Input("", bands=[3], fill=-1)})
    loader = MixedLoader([source], ["b"], size=size, fit="resample", resampling=resampling, fill=-99, batch_size=7)
    (batch,) = loader
    for slot, pixels in enumerate(data.l8):
        expected = with_gdal(pixels[[1, 2]], size, 30 * 41 / size[1], 30 * 33 / size[0], "nearest")
        assert resampling == "bilinear" or (batch["image"][slot, 0] == expected[0]).all()
        assert (batch["mask"][slot, 0] == numpy.where(expected[1] == -99, -1, expected[1])).all()


@pytest.mark.parametrize("resolution", [10, 20, 30, 45, 100])
def test_samples_are_resampled_to_a_resolution_and_then_cut(data: Data, resolution: float) -> None:
    source = Source(data.l8_path, bands=["a", "b", "c"])
    step = resolution / 30
    whole = (math.floor(33 / step + 1e-6), math.floor(41 / step + 1e-6))
    size = (whole[0] // 2 + 1, whole[1] // 2)
    batch = next(iter(MixedLoader([source], ["b"], size=size, resolution=resolution, fill=-99, batch_size=2)))
    pixels = data.l8[1][[1]].astype("float64")
    pixels[pixels == NODATA] = numpy.nan
    expected = triangle(pixels, *size, (step, step), ((whole[0] - size[0]) // 2, (whole[1] - size[1]) // 2))
    numpy.testing.assert_allclose(batch["image"][1], numpy.nan_to_num(expected, nan=-99), rtol=1e-5, atol=1e-3)
    sized = Source(data.l8_path, bands=["a", "b", "c"], pixel_size=30)
    same = MixedLoader([sized], ["b"], size=size, resolution=resolution, fill=-99, batch_size=2)
    assert (next(iter(same))["image"] == batch["image"]).all()


@pytest.mark.parametrize(("length", "size"), [(10, 3), (10, 10), (10, 23), (1, 5), (7, 1)])
def test_no_data_never_count_in_resampling(length: int, size: int) -> None:
    axis = fit_axis(length, size, "resample", 1, None)
    is_valid = numpy.random.default_rng(length * size).random((1, length, length)) < 0.5
    pixels = numpy.where(is_valid, 42, numpy.inf).astype("float32")  # as NaN
    found = blend(pixels, bilinear(length, axis), bilinear(length, axis))
    assert found.shape == (1, size, size)
    numpy.testing.assert_allclose(found[~numpy.isnan(found)], 42, rtol=1e-6)
    assert numpy.isnan(blend(pixels * numpy.nan, bilinear(length, axis), bilinear(length, axis))).all()


def test_pixels_of_numbers_that_are_not_finite_are_filled(tmp_path: Path) -> None:
    pixels = numpy.arange(40, dtype="float32").reshape(1, 5, 8)
    pixels[0, 2, 3:5] = numpy.nan, -numpy.inf
    path = create(tmp_path / "a.tacozip", [Sample(id="a", path=write_tiff(tmp_path / "a.tif", pixels))])
    for size in [(5, 8), (3, 4)]:
        (batch,) = MixedLoader([Source(path, bands=["a"])], ["a"], size=size, fill=-1)
        expected = middle(numpy.where(numpy.isfinite(pixels), pixels, -1), *size)
        assert (batch["image"][0] == expected).all()


# Scaling.


def test_bands_are_scaled_by_the_statistics_of_a_split(data: Data) -> None:
    train = numpy.stack(data.s2[:6]).astype("float64")
    means, stds = train.mean(axis=(0, 2, 3)), train.std(axis=(0, 2, 3))
    for split, count in [("train", 6), ("test", 4), (None, 10)]:
        source = Source(data.s2_path, image="optical", split=split)
        (batch,) = MixedLoader([source], ["B8A", "B02"], size=(48, 50), scale="statistics", batch_size=10)
        assert len(batch.positions) == count
        first = 6 if split == "test" else 0
        pixels = numpy.stack(data.s2[first : first + count])
        for band, number in enumerate([3, 0]):
            expected = (pixels[:, number] - means[number]) / stds[number]
            numpy.testing.assert_allclose(batch["image"][:, band], expected, atol=1e-4)
    found = raster.compute_statistics(tacore.load(data.l8_path), progress=False).bands
    source = Source(data.l8_path, bands=["a", "b", "c"], statistics=found)
    (batch,) = MixedLoader([source], ["c"], size=(33, 41), scale="statistics", fill=-99, batch_size=7)
    valid = batch["image"][batch["image"] != -99]
    assert (valid.mean(), valid.std()) == (pytest.approx(0, abs=1e-4), pytest.approx(1, abs=1e-4))


def test_scales_are_those_of_the_source_else_of_the_loader(data: Data) -> None:
    sources = [
        Source(data.s2_path, image="optical", scale=[(2, 1), (3, 0)]),
        Source(data.l8_path, bands=["x", "B04", "B03"]),
    ]
    for batch in MixedLoader(sources, ["B04", "B03"], size=20, scale=(0.5, -1), fill=0, batch_size=3):
        for slot, (source, row) in enumerate(zip(batch.sources, batch.positions)):
            pixels = middle((data.s2, data.l8)[source][row], 20, 20)[[2, 1] if source == 0 else [1, 2]].astype(
                "float64"
            )
            scaled = pixels * [[[2]], [[3]]] + [[[1]], [[0]]] if source == 0 else pixels * 0.5 - 1
            scaled[pixels == (NODATA if source == 1 else -1)] = 0
            numpy.testing.assert_allclose(batch["image"][slot], scaled, rtol=1e-6)


# Sampling.


def test_weights_say_how_often_samples_are_taken(data: Data) -> None:
    first, second = data.sources()
    sources = [Source(first.rows, image="optical", weight=2.0), Source(second.rows, sensor=second.sensor, weight=0.5)]
    loader = MixedLoader(sources, BANDS, size=8, batch_size=4, seed=3)
    assert loader.num_samples == 24  # 10 * 2 + 7 * 0.5, rounded to an even number
    drawn: Counter[tuple[int, int]] = Counter()
    for _ in range(40):
        epoch = Counter(places(loader))
        assert sum(epoch.values()) == 24
        assert all(count in (2, 3) for (source, _), count in epoch.items() if source == 0)
        assert all(count == 1 for (source, _), count in epoch.items() if source == 1)
        drawn += epoch
    shares = [count / 40 for (source, _), count in drawn.items() if source == 1]
    assert len(shares) == 7 and all(0.25 < share < 0.8 for share in shares)  # in each epoch others


@pytest.mark.parametrize("balance", ["label", LABEL, Column("cover")])
def test_classes_are_equally_frequent_over_all_sources(data: Data, balance: Any) -> None:
    for num_samples, least, most in [(None, 5, 6), (30, 10, 10), (7, 2, 3)]:
        loader = MixedLoader(
            data.sources(), BANDS, size=8, balance=balance, num_samples=num_samples, batch_size=4, seed=3
        )
        assert loader.num_samples == (num_samples or 17)
        for _ in range(3):
            covers = Counter(data.cover(*place) for place in places(loader))
            assert set(covers) == set(COVERS) and all(least <= count <= most for count in covers.values())


def test_each_sample_is_taken_once_and_the_order_depends_on_the_seed_and_the_epoch(data: Data) -> None:
    every = [(0, row) for row in range(10)] + [(1, row) for row in range(7)]
    loader = MixedLoader(data.sources(), BANDS, size=8, batch_size=4, seed=3)
    epochs = [places(loader) for _ in range(3)]
    assert all(sorted(epoch) == every for epoch in epochs) and epochs[0] != epochs[1] != epochs[2]
    other = MixedLoader(data.sources(), BANDS, size=8, batch_size=6, seed=3, epoch=1, jobs=3, prefetch=4)
    assert places(other) == epochs[1]
    assert places(MixedLoader(data.sources(), BANDS, size=8, batch_size=4, seed=4)) != epochs[0]
    assert places(MixedLoader(data.sources(), BANDS, size=8, batch_size=4)) == every
    # The order stays the same in all versions, as resumed trainings rely on it: that of numbers of SplitMix64.
    key = split_mix(split_mix(split_mix(0 ^ 3) ^ 1) ^ 2)
    assert epochs[1] == sorted(every, key=lambda place: split_mix(split_mix(every.index(place)) ^ key))


def split_mix(value: int) -> int:
    value = (value + 0x9E3779B97F4A7C15) % 2**64
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB % 2**64
    return value ^ (value >> 31)


@pytest.mark.parametrize(("world_size", "num_shards"), [(1, 1), (2, 1), (3, 2), (2, 3)])
def test_ranks_and_shards_divide_the_samples(data: Data, world_size: int, num_shards: int) -> None:
    seen = []
    for rank in range(world_size):
        lengths = []
        for index in range(num_shards):
            loader = MixedLoader(
                data.sources(), BANDS, size=8, batch_size=2, seed=3, rank=rank, world_size=world_size,
                shard=(index, num_shards), jobs=1,
            )  # fmt: skip
            batches = list(loader)
            lengths.append(len(batches))
            seen += places(batches)
        assert sum(lengths) == math.ceil(17 / (2 * world_size))
    assert sorted(seen) == [(0, row) for row in range(10)] + [(1, row) for row in range(7)]


# Resuming.

KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "shuffled": {"seed": 9},
    "random crops": {"seed": 9, "crop": "random"},
    "unshuffled random crops": {"seed": 9, "shuffle": False, "crop": "random"},
    "balanced": {"seed": 9, "balance": "label", "num_samples": 31, "crop": "random"},
    "weighted": {"seed": 9, "weights": (2.5, 0.4), "crop": "random"},
    "resampled": {"seed": 9, "fit": "resample"},
}


def make(data: Data, weights: Any = (1, 1), **options: Any) -> MixedLoader:
    first, second = data.sources()
    sources = [
        Source(first.rows, image="optical", inputs=first.inputs, weight=weights[0]),
        Source(second.rows, sensor=second.sensor, inputs=second.inputs, weight=weights[1]),
    ]
    return MixedLoader(sources, BANDS, **{"size": 12, "batch_size": 3, "jobs": 2, **options})


@pytest.mark.parametrize("kind", KINDS)
def test_a_resumed_loader_gives_the_same_bytes(data: Data, kind: str) -> None:
    loader = make(data, **KINDS[kind], epoch=2)
    expected = stream(list(loader)) + stream(loader)  # later batches do not overwrite earlier ones
    for stop in (0, 1, 3, len(make(data, **KINDS[kind])) - 1):
        first = make(data, **KINDS[kind], epoch=2)
        running = iter(first)
        begun = [next(running) for _ in range(stop)]
        state = first.state_dict()
        for second in (make(data, **KINDS[kind]), make(data, **KINDS[kind], batch_size=5, prefetch=0)):
            second.load_state_dict(pickle.loads(pickle.dumps(state)))
            assert second.epoch == 2
            assert stream(begun) + stream(second) + stream(second) == expected
        third = pickle.loads(pickle.dumps(first))  # a pickle has the state
        third.load_state_dict(state)
        assert stream(begun) + stream(third) == expected[: len(expected) // 2]
        if begun:
            fourth = make(data, **KINDS[kind], epoch=2, start=begun[-1].next_start)
            assert stream(begun) + stream(fourth) == expected[: len(expected) // 2]


@pytest.mark.parametrize("kind", ["random crops", "balanced"])
def test_shards_resume_with_their_own_batches(data: Data, kind: str) -> None:
    for index in range(3):
        options = {**KINDS[kind], "shard": (index, 3), "batch_size": 2}
        expected = stream(make(data, **options))
        first = make(data, **options)
        running = iter(first)
        begun = [next(running)]
        second = make(data, **options)
        second.load_state_dict(first.state_dict())
        assert stream(begun) + stream(second) == expected
    with pytest.raises(ValueError, match="the state has seed 1, this loader has seed 9"):
        make(data, seed=9).load_state_dict(make(data, seed=1).state_dict())
    with pytest.raises(
        ValueError, match="the state is of epochs of 17 samples, this loader has 27: its sources, weights"
    ):
        make(data, seed=9, weights=(2, 1)).load_state_dict(make(data, seed=9).state_dict())


def test_a_forked_process_has_passes_of_its_own(data: Data) -> None:
    loader = make(data, seed=4)
    expected = stream(make(data, seed=4))
    running = iter(loader)
    next(running)
    context = get_context("fork")
    queue = context.Queue()

    def child() -> None:
        try:
            next(running)
        except tacore.TacoQueryError as error:
            queue.put(str(error))
        loader.set_epoch(1)
        loader.set_epoch(0)
        queue.put(stream(loader) == expected)

    process = context.Process(target=child)
    process.start()
    assert queue.get(timeout=60) == "this loader belongs to the parent process; a forked child makes a new one"
    assert queue.get(timeout=60) is True
    process.join(60)
    assert process.exitcode == 0


def test_the_threads_of_a_pass_end_with_it(data: Data) -> None:
    def num_threads() -> int:
        return sum(thread.name.startswith("tacore") for thread in threading.enumerate())

    running = iter(make(data, batch_size=1, prefetch=4))
    next(running)
    assert num_threads() > 0
    threads = [thread for thread in threading.enumerate() if thread.name.startswith("tacore")]
    del running
    for thread in threads:
        thread.join(60)
    assert num_threads() == 0
    code = f"""
from tacore.loader import *
source = Source({str(data.l8_path)!r}, bands=["a", "b", "c"])
running = iter(MixedLoader([source], ["a"], size=8, batch_size=2, prefetch=3))
next(running)
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


# Errors.


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory, data: Data) -> Path:
    """Five samples, of which the second is no raster and the fourth is smaller."""
    folder = tmp_path_factory.mktemp("damaged")
    samples = []
    for at in range(5):
        path = write_tiff(folder / f"{at}.tif", data.l8[at][:, : 8 if at == 3 else 33])
        samples.append(Sample(id=f"d{at}", path=b"no raster" * 9 if at == 1 else path))
    return create(folder / "damaged.tacozip", samples)


@pytest.mark.parametrize("prefetch", [0, 2])
def test_samples_that_cannot_be_read_are_left_out_or_raise(data: Data, damaged: Path, prefetch: int) -> None:
    sources = [Source(data.l8_path, bands=["a", "b", "c"]), Source(damaged, bands=["a", "b", "c"])]
    options: dict[str, Any] = {"size": 16, "batch_size": 4, "prefetch": prefetch}
    batches = list(MixedLoader(sources, ["b"], on_error="skip", **options))
    assert places(batches) == [(0, row) for row in range(7)] + [(1, 0), (1, 2), (1, 4)]
    failures = [failure for batch in batches for failure in batch.failures]
    assert [failure[:2] for failure in failures] == [(1, 1), (1, 3)]
    assert "source 1 (" in failures[0].message and "sample 'd1' (row 1)" in failures[0].message
    assert "has 8 pixels along an axis, and 16 are wanted" in failures[1].message
    (last,) = batches[-1]["image"][-1:, 0]
    assert (last == middle(data.l8[4], 16, 16)[1]).all()
    running = iter(MixedLoader(sources, ["b"], **options))
    for _ in range(1):
        next(running)
    for _ in range(2):  # again at each further call
        with pytest.raises(tacore.TacoError, match=r"source 1 \(.*, sample 'd1' \(row 1\)"):
            while True:
                next(running)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"bands": []}, ValueError, "bands: a list of names or wavelengths is expected"),
        ({"bands": "red"}, ValueError, "bands: a list of names or wavelengths is expected"),
        ({"bands": ["red", "swir22"]}, tacore.TacoQueryError, r"source 0 \(.*s2.tacozip'\): no band 'swir22'; the"),
        ({"size": 0}, ValueError, "size is 0 x 0; 1 or more pixels are expected"),
        ({"fit": "stretch"}, ValueError, "fit is 'stretch'; 'crop' or 'pad' or 'resample' is expected"),
        ({"crop": "centre"}, ValueError, "crop is 'centre'; 'center' or 'random' is expected"),
        ({"resampling": "cubic"}, ValueError, "resampling is 'cubic'; 'bilinear' or 'nearest' is expected"),
        ({"scale": "stats"}, ValueError, "scale is 'stats'; 'statistics' is expected"),
        ({"fit": "resample", "resolution": 10}, ValueError, "choose one of them"),
        ({"fit": "resample", "crop": "random"}, ValueError, 'crop="random" a part of each: choose one of them'),
        ({"bands": [4, 3]}, tacore.TacoQueryError, "a number is a wavelength in micrometres, not the number of a band"),
        ({"resolution": -10}, ValueError, "resolution is -10; a positive number of metres is expected"),
        ({"num_samples": 0}, ValueError, "num_samples is 0; 1 or more is expected"),
        ({"balance": "cover"}, ValueError, r"balance is 'cover', which is no input that is a Column; give Column"),
        ({"balance": Column("missing")}, tacore.TacoQueryError, "source 0 .*no column 'missing'"),
        ({"batch_size": 0}, tacore.TacoQueryError, "batch_size is 0, at least 1 expected"),
        ({"rank": 2, "world_size": 2}, tacore.TacoQueryError, "rank is 2, 0 to 1 expected"),
        ({"jobs": -1}, tacore.TacoQueryError, "jobs is -1, 0 or more expected"),
        ({"on_error": "ignore"}, ValueError, "on_error is 'ignore'"),
        ({"scale": "statistics"}, tacore.TacoQueryError,
         r"source 1 .*no stored statistics of the images of the split 'train': the rows have no column 'split'"
         r".*Compute them from the rows of training, and give "
         r"Source\(statistics=tacore.raster.compute_statistics\(rows\).bands\)"),
        ({"scale": "statistics", "statistics_split": None}, tacore.TacoQueryError, "source 1 .*'geotiff:stats'"),
    ],
)  # fmt: skip
def test_an_error_says_what_is_expected(
    data: Data, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    options = {"bands": BANDS, "size": 8, **options}
    with pytest.raises(error, match=words):
        MixedLoader(data.sources(), options.pop("bands"), **options)


def test_an_error_names_the_source_that_does_not_fit(data: Data, tmp_path: Path) -> None:
    def expect(words: str, *sources: Source, error: type[Exception] = tacore.TacoError, **options: Any) -> None:
        with pytest.raises(error, match=words):
            list(MixedLoader(sources, ["B04"], **{"size": 8, **options}))

    s2, l8 = data.s2_path, data.l8_path
    unknown = (
        r"source 0 .*the dataset does not say which bands its rasters have .*give Source\(sensor=\"sentinel2msi\"\)"
    )
    expect(unknown, Source(l8))
    expect(r"sample 'l0' \(row 0\): .*l8.tacozip: has 3 bands, and 13 are expected", Source(l8, sensor="sentinel2msi"))
    expect("source 1 .*Unsupported sensor 'sentinel2'", Source(s2, image="optical"), Source(l8, sensor="sentinel2"))
    expect("no sample has the split 'val'; the splits are 'test', 'train'", Source(s2, image="optical", split="val"))
    expect("ID 'optic' not found", Source(s2, image="optic"))
    expect("statistics has 0 elements for 4 bands", Source(s2, image="optical", statistics=[]), scale="statistics")
    frame = Source(tacore.load(s2).data, image="optical")
    expect("those of children can be had of a dataset, not of a frame", frame, scale="statistics")
    one = Source(s2, image="optical", inputs={"label": LABEL})
    l8_bands: dict[str, Any] = {"bands": ["a", "B04", "c"]}
    expect(r"source 1 has the inputs \[\], and source 0 has \['label'\]", one, Source(l8, **l8_bands), error=ValueError)
    other = Source(l8, inputs={"label": Column("cover", classes=COVERS[::-1])}, **l8_bands)
    expect("the input 'label' has other classes in source 1", one, other, error=ValueError)
    ids = Source(l8, inputs={"label": Column("id")}, **l8_bands)
    expect("the input 'label' has other classes", one, ids, error=ValueError)
    mask = Source(s2, image="optical", inputs={"mask": "mask"})
    padding = r"the input 'mask' of source 0 needs a value for padding, such as Input\('mask', fill=255\)"
    expect(padding, mask, fit="pad", error=ValueError)
    bands = Source(l8, inputs={"mask": ""}, **l8_bands)
    expect(r"source 1 .*: '' has 3 bands, and 1 in source 0; Input\('', bands=\[...\]\) selects bands", mask, bands)
    degrees = write_tiff(tmp_path / "a.tif", data.l8[0], 0.001, "EPSG:4326")
    path = create(tmp_path / "degrees.tacozip", [Sample(id="a", path=degrees)])
    expect(
        r"has pixels in degrees \(EPSG:4326\); give Source\(pixel_size=metres\)",
        Source(path, **l8_bands),
        resolution=10,
    )
    with pytest.raises(ValueError, match=r"weight is 0; a positive number is expected"):
        Source(s2, weight=0)
    with pytest.raises(ValueError, match="an input is called 'image'"):
        Source(s2, inputs={"image": "mask"})
    with pytest.raises(TypeError, match=r"a Source\(...\) is expected, not str"):
        MixedLoader([str(s2)], ["B04"], size=8)  # type: ignore[list-item]
    with pytest.raises(ValueError, match=r"a list of one or more Source\(...\) is expected"):
        MixedLoader([], ["B04"], size=8)


def test_numpy_is_needed(data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = data.sources()
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(tacore.TacoBackendError, match="MixedLoader needs numpy: pip install numpy"):
        MixedLoader(sources, BANDS, size=8)


# PyTorch.


@pytest.mark.parametrize("num_workers", [0, 2])
def test_a_dataloader_of_torch_gives_its_batches(data: Data, num_workers: int) -> None:
    torch = pytest.importorskip("torch")
    rows = []

    def check(batch: dict[str, Any], of: list[dict[str, Any]]) -> dict[str, Any]:
        return {**batch, "ids": [row["id"] for row in of]}

    batches = TorchIterableDataset(make(data, seed=2, num_samples=18), transform=check, with_row=True)
    loader = torch.utils.data.DataLoader(batches, batch_size=None, num_workers=num_workers)
    for epoch in range(2):
        rows.clear()
        for batch in loader:
            assert isinstance(batch["image"], torch.Tensor) and batch["image"].shape[1:] == (3, 12, 12)
            assert batch["label"].dtype == torch.int64
            rows += batch["ids"]
        expected = [f"{'sl'[source]}{row}" for source, row in places(make(data, seed=2, num_samples=18, epoch=epoch))]
        assert rows == expected if num_workers == 0 else sorted(rows) == sorted(expected)
    with pytest.raises(TypeError, match="batch_size is an option of the MixedLoader: give it there"):
        TorchIterableDataset(make(data), batch_size=3)


def test_a_loader_of_one_source_gives_what_loader_gives(data: Data) -> None:
    whole = Loader(data.l8_path, Input("", bands=[2, 1], dtype="float32", fill=0), batch_size=3)
    mixed = MixedLoader([Source(data.l8_path, bands=["a", "b", "c"])], ["b", "a"], size=(33, 41), batch_size=3)
    for one, other in zip(whole, mixed, strict=True):
        assert (one[0] == other[0]).all() and one.positions == other.positions and one.next_start == other.next_start
