"""Datasets for torchgeo: the pixels of a query, whatever grids the samples have, and torchgeo itself where it is
installed."""

from __future__ import annotations

import datetime as dt
import math
import pickle
from pathlib import Path
from typing import Any

import pytest

import tacore
from tacore import raster
from tacore._grid import Grid, grid_of, raster_at, read_mosaic
from tacore.datamodel import Taco, Tortilla
from tacore.loader import Column, Input
from tacore.torchgeo import TacoGeoDataset, TacoNonGeoDataset, plot_sample, stored_grids, to_torchgeo

numpy = pytest.importorskip("numpy")
rasterio = pytest.importorskip("rasterio")
# Of rasterio itself.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Use `@` matmul"),
    pytest.mark.filterwarnings("ignore:Dataset has no geotransform"),
]

ROOT = Path(__file__).resolve().parents[2]
NESTED = ROOT / "examples" / "data" / "landsat_nested.tacozip"
FLAT = ROOT / "examples" / "data" / "landsat.tacozip"
SPLITS = ["train", "validation", "test"]


def write_tiff(
    path: Path, pixels: Any, crs: str | None, west: float, north: float, size: float, nodata: Any = None
) -> Path:
    where = {} if crs is None else {"crs": crs, "transform": rasterio.Affine(size, 0, west, 0, -size, north)}
    bands, height, width = pixels.shape
    options = {"driver": "GTiff", "count": bands, "height": height, "width": width, "dtype": pixels.dtype}
    with rasterio.open(path, "w", nodata=nodata, **options, **where) as file:
        file.write(pixels)
    return path


def write_dataset(folder: Path, paths: list[Path], **metadata: list[Any]) -> Path:
    taco = Taco(
        Tortilla.from_columns([path.stem for path in paths], paths, metadata), id="scenes", dataset_version="1.0.0",
        description="Scenes", licenses=["CC-BY-4.0"], providers=[{"name": "Somebody"}], tasks=["segmentation"],
    )  # fmt: skip
    tacore.create(taco, folder / "scenes.tacozip")
    return folder / "scenes.tacozip"


# Rasters on a grid, which needs no torchgeo.


def grids(rows: Any, path: str) -> list[tuple[Any, Grid]]:
    opened = [raster_at(rows, position, path) for position in range(len(rows))]
    return [(each, grid_of(each)) for each in opened]


def test_the_columns_have_the_grids_of_the_rasters() -> None:
    rows = tacore.load(NESTED).data
    stored = stored_grids(rows)
    assert stored == [grid for _, grid in grids(rows, "optical")]
    with rasterio.open(rows.read(0).read("optical")) as file:
        left, bottom, right, top = file.bounds
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    numpy.testing.assert_allclose(stored[0].corners, corners, rtol=1e-12)
    assert stored[0].to_pixels(*stored[0].to_crs(3.25, 7.5)) == pytest.approx((3.25, 7.5))
    assert stored_grids(tacore.load(NESTED).sql('SELECT * EXCLUDE ("stac:crs") FROM data').data) is None


@pytest.mark.parametrize("place", [(0, 0, 192, 128), (60, 50, 20, 30), (-7, 100, 80, 90), (64, 64, 64, 64)])
def test_pixels_of_the_same_grid_are_copied(place: tuple[int, int, int, int]) -> None:
    """Compared with rasterio.merge over the paths of the same FILEs."""
    from rasterio.merge import merge

    rows = tacore.load(NESTED).data
    x, y, width, height = place
    whole = grids(rows, "optical")
    origin = min((grid.geotransform[0] for _, grid in whole)), max((grid.geotransform[3] for _, grid in whole))
    start = Grid("EPSG:31985", (origin[0], 28.5, 0, origin[1], 0, -28.5), 1, 1)
    grid = start.cut((x, y, width, height))
    found = read_mosaic(whole, Input(bands=[4, 1]), grid, "bilinear")
    west, north = grid.geotransform[0], grid.geotransform[3]
    bounds = (west, north - 28.5 * height, west + 28.5 * width, north)
    files = [rasterio.open(rows.read(position).read("optical")) for position in range(len(rows))]
    expected, _ = merge(files, bounds, (28.5, 28.5), indexes=[4, 1], nodata=0)
    for file in files:
        file.close()
    assert found.shape == (2, height, width)
    assert (numpy.nan_to_num(found, nan=0) == expected).all()
    assert numpy.isnan(found).any() == (x < 0 or y + height > 128)


@pytest.mark.parametrize(
    ("crs", "size", "resampling"),
    [("EPSG:31985", 20, "nearest"), ("EPSG:4326", 2e-4, "nearest"), ("EPSG:31985", 35, "bilinear")],
)
def test_other_grids_are_resampled(crs: str, size: float, resampling: str) -> None:
    """Compared with a WarpedVRT of rasterio over one FILE."""
    from rasterio.enums import Resampling
    from rasterio.vrt import WarpedVRT
    from rasterio.warp import transform_bounds

    rows = tacore.load(NESTED).data
    path = rows.read(2).read("optical")
    with rasterio.open(path) as file:
        west, south, east, north = transform_bounds(file.crs, crs, *file.bounds)
        grid = Grid(
            crs, (west, size, 0.0, north, 0.0, -size), round((east - west) / size) + 3, round((north - south) / size)
        )
        options = {
            "crs": crs,
            "transform": rasterio.Affine.from_gdal(*grid.geotransform),
            "width": grid.width,
            "height": grid.height,
        }
        with WarpedVRT(
            file, resampling=Resampling[resampling], src_nodata=255, nodata=255, dtype="float64", **options
        ) as view:
            expected = view.read(4)
    opened = raster_at(rows, 2, "optical")
    found = read_mosaic([(opened, grid_of(opened))], Input(bands=4), grid, resampling)[0]
    is_known = ~numpy.isnan(found)
    assert 0.8 < is_known.mean() < 1
    assert (is_known == (expected != 255)).mean() > 0.98
    both = is_known & (expected != 255)
    numpy.testing.assert_allclose(found[both], expected[both], atol=1e-3)


def test_a_window_of_another_grid_has_the_pixels_of_the_whole() -> None:
    rows = tacore.load(FLAT).data
    opened = raster_at(rows, 5, "")
    source = grid_of(opened)
    x, y = source.to_crs(20, 30)
    whole = Grid(source.crs, (source.geotransform[0], 10, 0, source.geotransform[3], 0, -10), 180, 180)
    at = [int((x - whole.geotransform[0]) // 10), int((whole.geotransform[3] - y) // 10)]
    part = whole.cut((*at, 40, 50))
    every = read_mosaic([(opened, source)], Input(), whole, "nearest")
    assert (read_mosaic([(opened, source)], Input(), part, "nearest") == every[:, at[1] :, at[0] :][:, :50, :40]).all()


def test_the_first_raster_with_a_value_is_taken(tmp_path: Path) -> None:
    first, second = numpy.full((1, 4, 4), 1, "int16"), numpy.full((1, 4, 4), 2, "int16")
    first[0, :2] = -9
    paths = [
        write_tiff(tmp_path / "a.tif", first, "EPSG:32719", 0, 40, 10, nodata=-9),
        write_tiff(tmp_path / "b.tif", second, "EPSG:32719", 20, 40, 10),
    ]
    opened = [raster.open_raster(str(path)) for path in paths]
    found = read_mosaic(
        [(each, grid_of(each)) for each in opened],
        Input(scale=(10, 1)),
        Grid("EPSG:32719", (0, 10, 0, 40, 0, -10), 7, 3),
        "nearest",
    )
    nan = math.nan
    expected = [[nan, nan, 21, 21, 21, 21, nan]] * 2 + [[11, 11, 11, 11, 21, 21, nan]]
    numpy.testing.assert_array_equal(found[0], expected)
    away = read_mosaic(
        [(opened[0], grid_of(opened[0]))], Input(), Grid("EPSG:32719", (40, 10, 0, 40, 0, -10), 2, 2), "nearest"
    )
    assert away.shape == (1, 2, 2) and numpy.isnan(away).all()


def test_a_raster_without_a_place_is_told(tmp_path: Path) -> None:
    plain = raster.open_raster(str(write_tiff(tmp_path / "a.tif", numpy.zeros((1, 4, 4), "uint8"), None, 0, 0, 1)))
    with pytest.raises(
        tacore.TacoFormatError, match=r"a\.tif: has no CRS, so its place on the ground is unknown; a TIFF"
    ):
        grid_of(plain)
    stored = Grid("EPSG:32719", (0, 10, 0, 40, 0, -10), 4, 4)
    assert grid_of(plain, stored) == stored
    with pytest.raises(tacore.TacoFormatError):
        grid_of(plain, stored._replace(width=5))


# Samples as torchgeo expects them.


def test_samples_have_the_types_that_torchgeo_expects() -> None:
    inputs = {
        "image": "optical/3,2,1",
        "image_dem": Input("dem", dtype="float64"),
        "mask": "mask",
        "label": Column("split", classes=SPLITS),
        "share": Column("vegetation"),
        "id": Column("id"),
    }
    dataset = TacoNonGeoDataset(NESTED, inputs)
    rows = tacore.load(NESTED).data
    for sample in (dataset[1], pickle.loads(pickle.dumps(dataset)).__getitems__([1])[0]):
        found = {
            name: (str(value.dtype).removeprefix("torch."), tuple(value.shape))
            for name, value in sample.items()
            if name != "id"
        }
        assert found == {
            "image": ("float32", (3, 64, 64)),
            "image_dem": ("float32", (1, 64, 64)),
            "mask": ("int64", (64, 64)),
            "label": ("int64", ()),
            "share": ("float32", ()),
        }
        children = rows.read(1)
        assert (numpy.asarray(sample["image"]) == raster.read_tensor(children, "optical", bands=[3, 2, 1])).all()
        assert (numpy.asarray(sample["mask"]) == raster.read_tensor(children, "mask")[0]).all()
        assert SPLITS[int(sample["label"])] == list(rows)[1]["split"]
        assert sample["id"] == list(rows)[1]["id"]
    doubled = TacoNonGeoDataset(NESTED, {"image": "dem"}, transforms=lambda sample: {"image": 2 * sample["image"]})
    assert (numpy.asarray(doubled[0]["image"]) == 2 * raster.read_tensor(rows.read(0), "dem").astype("float32")).all()


def test_batches_can_be_converted() -> None:
    batch = {
        "image": numpy.zeros((5, 3, 8, 9), "uint16"),
        "mask": numpy.zeros((5, 1, 8, 9), "uint8"),
        "mask_two": numpy.zeros((5, 2, 8, 9), "float64"),
        "label": numpy.zeros(5, "int32"),
        "is_day": numpy.zeros(5, bool),
        "id": ["a"] * 5,
    }
    torch = tacore.torchgeo.torch
    if torch is not None:
        batch = {name: torch.from_numpy(each) if name != "id" else each for name, each in batch.items()}
    found = {
        name: (str(each.dtype).removeprefix("torch."), tuple(each.shape)) if name != "id" else each
        for name, each in to_torchgeo(batch).items()
    }
    assert found == {
        "image": ("float32", (5, 3, 8, 9)),
        "mask": ("int64", (5, 8, 9)),
        "mask_two": ("float32", (5, 2, 8, 9)),
        "label": ("int64", (5,)),
        "is_day": ("bool", (5,)),
        "id": ["a"] * 5,
    }


@pytest.mark.parametrize("inputs", ["optical", ["optical"], Input("optical")])
def test_inputs_without_names_are_refused(inputs: Any) -> None:
    with pytest.raises(TypeError, match=r'a mapping from names to inputs is expected, such as \{"image": "optical", '):
        TacoNonGeoDataset(NESTED, inputs)


def test_samples_can_be_plotted() -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("agg")
    sample = {
        "image": numpy.random.default_rng(0).random((4, 8, 9)),
        "mask": numpy.eye(8),
        "label": numpy.int64(3),
        "id": "a",
    }
    figure = plot_sample(sample)
    assert [axis.get_title() for axis in figure.axes] == ["image", "mask"]
    assert figure.axes[0].images[0].get_array().shape == (8, 9, 3)
    assert figure.get_suptitle() == "label: 3"
    assert plot_sample(sample, show_titles=False, suptitle="A").get_suptitle() == "A"
    assert plot_sample({"image": numpy.full((1, 4, 4), 5)}).axes[0].images[0].get_array().shape == (4, 4)
    with pytest.raises(ValueError, match="the sample has no image or mask, but label, id"):
        plot_sample({"label": sample["label"], "id": "a"})


def test_geographic_datasets_need_torchgeo() -> None:
    try:
        import torchgeo  # noqa: F401
    except ImportError:
        with pytest.raises(tacore.TacoBackendError, match="TacoGeoDataset needs torchgeo: pip install torchgeo"):
            TacoGeoDataset(NESTED)


# torchgeo itself.


@pytest.fixture(scope="module")
def geo() -> Any:
    return pytest.importorskip("torchgeo.datasets", reason="torchgeo is not installed")


@pytest.fixture(scope="module")
def samplers(geo: Any) -> Any:
    return pytest.importorskip("torchgeo.samplers")


@pytest.fixture(scope="module")
def torch(geo: Any) -> Any:
    return pytest.importorskip("torch")


def test_a_non_geo_dataset_is_one_of_torchgeo(geo: Any, torch: Any) -> None:
    dataset = TacoNonGeoDataset(NESTED, {"image": "optical", "mask": "mask", "label": Column("split", classes=SPLITS)})
    assert isinstance(dataset, geo.NonGeoDataset)
    assert "type: NonGeoDataset\n    size: 6" in str(dataset)
    (batch,) = torch.utils.data.DataLoader(dataset, batch_size=6, num_workers=2, collate_fn=geo.stack_samples)
    assert (batch["image"].dtype, batch["image"].shape) == (torch.float32, (6, 6, 64, 64))
    assert (batch["mask"].dtype, batch["mask"].shape) == (torch.int64, (6, 64, 64))
    assert [SPLITS[label] for label in batch["label"]] == [row["split"] for row in tacore.load(NESTED)]


def test_queries_have_the_pixels_of_torchgeos_own_dataset(geo: Any, samplers: Any, torch: Any, tmp_path: Path) -> None:
    rows = tacore.load(NESTED).data
    for position in range(len(rows)):
        (tmp_path / f"{position}.tif").write_bytes(rows.read(position).read_bytes("optical"))
    own = geo.RasterDataset(tmp_path)
    dataset = TacoGeoDataset(NESTED, {"image": "optical", "mask": "mask"})
    assert isinstance(dataset, geo.GeoDataset)
    assert dataset.crs == own.crs
    assert dataset.res == pytest.approx(own.res)
    for found, expected in zip(dataset.bounds[:2], own.bounds[:2]):
        assert (found.start, found.stop, found.step) == pytest.approx((expected.start, expected.stop, expected.step))
    whole = dataset.bounds
    x, y = (part.start for part in whole[:2])
    for query in (
        (slice(None), slice(None)),
        (slice(x + 285, x + 2850), slice(y + 57, y + 1824 + 570)),
        (slice(x, x + 1824), slice(y, y + 1824)),
    ):
        found, expected = dataset[query]["image"], own[query]["image"]
        assert found.dtype == expected.dtype == torch.float32
        assert torch.equal(found, expected)
    assert dataset[x:]["mask"].shape == (128, 192)


@pytest.mark.parametrize("size", [64, 20, 100])
def test_samplers_of_torchgeo_work(geo: Any, samplers: Any, torch: Any, size: int) -> None:
    dataset = TacoGeoDataset(NESTED, {"image": "optical/1", "mask": "mask"})
    num = {64: 6, 20: 6 * 16, 100: 0}[size]
    grid = samplers.GridGeoSampler(dataset, size=size)
    assert len(list(grid)) == num
    if not num:
        return
    chosen = samplers.RandomGeoSampler(dataset, size=size, length=5, generator=torch.Generator().manual_seed(1))
    batches = samplers.RandomBatchGeoSampler(dataset, size=size, batch_size=3, length=6)
    for options in ({"sampler": grid}, {"sampler": chosen}, {"batch_sampler": batches}):
        for batch in torch.utils.data.DataLoader(dataset, collate_fn=geo.stack_samples, **options):
            assert batch["image"].shape[1:] == (1, size, size)
            assert batch["mask"].shape[1:] == (size, size)
    chips = list(samplers.PreChippedGeoSampler(dataset))
    assert len(chips) == 6
    rows = tacore.load(NESTED).data
    for position, query in enumerate(chips):
        assert (dataset[query]["mask"].numpy() == raster.read_tensor(rows.read(position), "mask")[0]).all()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_read_queries(geo: Any, samplers: Any, torch: Any, method: str) -> None:
    dataset = TacoGeoDataset(NESTED, {"image": "optical"})
    loader = torch.utils.data.DataLoader(
        dataset, sampler=samplers.GridGeoSampler(dataset, 32), batch_size=8, collate_fn=geo.stack_samples,
        num_workers=2, multiprocessing_context=method,
    )  # fmt: skip
    assert sum(len(batch["image"]) for batch in loader) == 24


def test_datasets_are_combined(geo: Any, samplers: Any) -> None:
    image, dem = TacoGeoDataset(NESTED, {"image": "optical"}), TacoGeoDataset(NESTED, {"mask": "dem"})
    both = image & dem
    query = next(iter(samplers.RandomGeoSampler(both, size=32, length=1)))
    assert both[query]["image"].shape == (6, 32, 32) and both[query]["mask"].shape == (32, 32)
    train, rest = (f"SELECT * FROM data WHERE split {sign} 'train'" for sign in ("=", "<>"))
    parts = [TacoGeoDataset(tacore.load(NESTED).sql(query), {"image": "optical"}) for query in (train, rest)]
    union = parts[0] | parts[1]
    query = tuple(slice(part.start, part.stop, step) for part, step in zip(image.bounds[:2], image.res))
    assert (union[query]["image"] == image[query]["image"]).all()


def test_scenes_of_two_zones_and_times(geo: Any, tmp_path: Path) -> None:
    """Two scenes beside each other, on both sides of the limit of two UTM zones."""
    paths = [
        write_tiff(tmp_path / "west.tif", numpy.full((1, 100, 100), 5, "uint8"), "EPSG:32718", 826000, 8000000, 100),
        write_tiff(tmp_path / "east.tif", numpy.full((1, 100, 100), 9, "uint8"), "EPSG:32719", 166000, 8000000, 100),
    ]
    times = [dt.datetime(2020, 1, 1), dt.datetime(2021, 6, 1, 12)]
    path = write_dataset(tmp_path, paths, **{"stac:time_start": times})
    dataset = TacoGeoDataset(path)
    assert dataset.crs.to_epsg() == 32718 and dataset.res == (100, 100)
    x, y, t = dataset.bounds
    assert (t.start, t.stop) == tuple(times)
    whole = dataset[:]["image"]
    assert {0, 5, 9} == set(numpy.unique(whole.round().numpy()))
    assert (whole == 5).sum() == 10000
    assert 9500 < (whole.round() == 9).sum() < 10500
    later = dataset[:, :, dt.datetime(2021, 1, 1) :]["image"]
    assert (later == 5).sum() == 0 and (later.round() == 9).sum() > 9500
    with pytest.raises(IndexError, match="no sample is in the query"):
        dataset[:, :, dt.datetime(2020, 2, 1) : dt.datetime(2020, 3, 1)]
    coarse = dataset[x.start : x.start + 10000 : 200, y.stop - 10000 : y.stop : 200]["image"]
    assert coarse.shape == (1, 50, 50)
    degrees = TacoGeoDataset(path, crs="EPSG:4326", res=0.001)
    assert degrees.crs.to_epsg() == 4326 and degrees.res == (0.001, 0.001)
    assert {0, 5, 9} == set(numpy.unique(degrees[:]["image"].round().numpy()))


@pytest.mark.parametrize("kind", ["timestamp", "zoned", "text", "taco"])
def test_times_of_any_type_are_in_utc(geo: Any, tmp_path: Path, kind: str) -> None:
    noon = dt.datetime(2000, 1, 1)
    path = FLAT
    if kind == "taco":  # seconds since 1970
        tacore.v1.compile(FLAT, tmp_path / "a.taco", overwrite=True)
        path = tmp_path / "a.taco"
    dataset = tacore.load(path)
    if kind == "zoned":
        dataset = dataset.with_column("stac:time_start", 'CAST("stac:time_start" AS TIMESTAMPTZ)')
    if kind == "text":
        dataset = dataset.with_column("stac:time_start", "'2000-01-01T03:00:00+03:00'")
    scenes = TacoGeoDataset(dataset)
    assert (scenes.bounds[2].start, scenes.bounds[2].stop) == (noon, noon)
    early = dt.datetime(2000, 1, 1, 2, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    assert scenes[:, :, early:early]["image"].shape[0] == 6
    with pytest.raises(IndexError):
        scenes[:, :, "2000-01-02":"2001-01-01"]


def test_a_rotated_scene_is_straightened(geo: Any, tmp_path: Path) -> None:
    """Rows of the raster run to the north, its columns to the east."""
    pixels = numpy.arange(12, dtype="uint8").reshape(1, 3, 4)
    options = {"driver": "GTiff", "count": 1, "height": 3, "width": 4, "dtype": "uint8", "crs": "EPSG:32719"}
    with rasterio.open(tmp_path / "a.tif", "w", transform=rasterio.Affine(0, 10, 500, 10, 0, 7000), **options) as file:
        file.write(pixels)
    dataset = TacoGeoDataset(write_dataset(tmp_path, [tmp_path / "a.tif"]), {"mask": ""})
    assert dataset.res == (10, 10)
    x, y, _ = dataset.bounds
    assert (x.start, x.stop, y.start, y.stop) == (500, 530, 7000, 7040)
    assert (dataset[:]["mask"].numpy() == pixels[0].T[::-1]).all()


def test_pixels_without_a_sample_are_filled(geo: Any, tmp_path: Path) -> None:
    pixels = numpy.arange(16, dtype="int16").reshape(1, 4, 4)
    path = write_dataset(tmp_path, [write_tiff(tmp_path / "a.tif", pixels, "EPSG:32719", 0, 40, 10, nodata=3)])
    outside = (slice(-10, 20), slice(20, 40))
    for each, fill in ((Input(), 3), (Input(fill=-1), -1)):
        found = TacoGeoDataset(path, {"mask": each})[outside]["mask"].tolist()
        assert found == [[fill, 0, 1], [fill, 4, 5]]
    assert TacoGeoDataset(path, {"mask": Input(fill=7)})[0:40, 30:40]["mask"].tolist() == [[0, 1, 2, 7]]


@pytest.mark.parametrize(
    ("query", "error", "words"),
    [
        (3, TypeError, r"a query is dataset\[x0:x1, y0:y1, t0:t1\], not 3"),
        ((slice(None),) * 4, TypeError, "a query is"),
        (slice(5, 1), ValueError, "a query from 5 to 1: the end is before the start"),
        (slice(0, 1), IndexError, "no sample is in the query"),
    ],
)
def test_wrong_queries_are_told(geo: Any, query: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        TacoGeoDataset(FLAT)[query]


def test_an_older_torchgeo_is_told(geo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda name: "0.7.2")
    with pytest.raises(
        tacore.TacoBackendError, match=r"needs torchgeo 0\.8 or newer, and 0\.7\.2 is installed: pip install"
    ):
        TacoGeoDataset(FLAT)


def test_only_the_samples_of_a_query_are_opened(geo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[int] = []

    def noted(rows: Any, position: int, path: str) -> Any:
        opened.append(position)
        return raster_at(rows, position, path)

    dataset = TacoGeoDataset(NESTED, {"image": "optical"})
    monkeypatch.setattr("tacore.torchgeo.raster_at", noted)
    x, y, _ = dataset.bounds
    dataset[x.start : x.start + 64 * x.step, y.start : y.start + 64 * y.step]
    assert len(opened) == 1
    dataset[:]
    assert len(opened) == 7


def test_what_no_query_can_have_is_refused(geo: Any) -> None:
    with pytest.raises(TypeError, match="'label' is a column, which belongs to whole samples; use TacoNonGeoDataset"):
        TacoGeoDataset(NESTED, {"image": "optical", "label": Column("split", classes=SPLITS)})
    with pytest.raises(TypeError, match="'image' is a window"):
        TacoGeoDataset(NESTED, {"image": Input("optical", window=(0, 0, 8, 8))})
    with pytest.raises(tacore.TacoQueryError, match="there are no rows"):
        TacoGeoDataset(tacore.load(NESTED).limit(0), {"image": "optical"})
    with pytest.raises(tacore.TacoNavigationError, match=r"write Column\('split'\)"):
        TacoGeoDataset(tacore.load(NESTED).sql('SELECT * EXCLUDE ("stac:crs") FROM data'), {"image": "split"})


@pytest.mark.filterwarnings("ignore")
def test_a_trainer_of_torchgeo_takes_all_three(geo: Any, samplers: Any, torch: Any, tmp_path: Path) -> None:
    lightning = pytest.importorskip("lightning.pytorch")
    from tacore.lightning import TacoDataModule

    task = pytest.importorskip("torchgeo.trainers").SemanticSegmentationTask(
        model="unet", backbone="resnet18", in_channels=6, task="multiclass", num_classes=3, loss="ce"
    )
    inputs = {"image": "optical", "mask": "mask"}
    chips, scenes = TacoNonGeoDataset(NESTED, inputs), TacoGeoDataset(NESTED, inputs)
    options = {"batch_size": 2, "collate_fn": geo.stack_samples}
    batches = torch.utils.data.DataLoader(chips, **options)
    drawn = torch.utils.data.DataLoader(scenes, sampler=samplers.RandomGeoSampler(scenes, 64, length=4), **options)
    module = TacoDataModule(NESTED, inputs, batch_size=2, transform=to_torchgeo)
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
    for given in ({"train_dataloaders": batches}, {"train_dataloaders": drawn}, {"datamodule": module}):
        evaluated = {} if "datamodule" in given else {"val_dataloaders": batches}
        trainer = lightning.Trainer(default_root_dir=tmp_path, accelerator="cpu", devices=1, max_epochs=1, **quiet)
        trainer.fit(task, **given, **evaluated)
        assert math.isfinite(trainer.callback_metrics["val_loss"])
