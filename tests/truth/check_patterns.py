#!/usr/bin/env python3
"""Plants patterns in clean datasets, one at a time, and has `taco validate --assets` find them, and nothing else.

    check_patterns.py TOOL [CASE...]

Each case makes a dataset with rasterio and NumPy, states which rules should be told, and of which samples; beside it are
near misses, which are as they should be: of them nothing may be told. Exit code 77 without the packages of zoo.py.
"""

import datetime as dt
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

try:
    import numpy as np
    import pyarrow as pa
    import pyproj  # noqa: F401
    import rasterio
    import shapely  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from zoo import Made, Row, Values, below, day, facts, noise, tif, write

CASES: dict[str, Callable[[np.random.Generator], tuple[Made, dict[str, set[str]]]]] = {}
STATS = {"geotiff:stats": pa.list_(pa.list_(pa.float32()))}


def case(make):
    CASES[make.__name__] = make
    return make


def grid(k: int, pixel: float = 10.0) -> tuple[float, ...]:
    """A place of its own for each number, all over zone 33."""
    return (300_000 + 8_000 * (k % 40), pixel, 0, 1_000_000 + 20_000 * (k // 40), 0, -pixel)


def placed(k: int, pixels: np.ndarray, place: int | None = None, **options) -> bytes:
    return tif(pixels, "EPSG:32633", grid(k if place is None else place), **options)


def scene(random: np.random.Generator, side: int = 64, bands: int = 3, kind: str = "uint16") -> np.ndarray:
    """Fields of several sizes and fine texture, as fields, woods and roofs have."""
    out = np.zeros((bands, side, side))
    for size in (4, 8, 16, 32):
        coarse = random.normal(0, 1, (bands, size, size))
        out += np.kron(coarse, np.ones((1, side // size, side // size)))
    out += random.normal(0, 0.7, out.shape)
    return (
        np.clip(1500 + 300 * out, 1, 10_000).astype(kind)
        if kind == "uint16"
        else np.clip(128 + 20 * out, 0, 255).astype(kind)
    )


def scenes(random: np.random.Generator, count: int = 30) -> list[Row]:
    rows = []
    for k in range(count):
        data = placed(k, scene(random), compress="deflate")
        rows.append((f"s{k:02d}", data, facts(data, **{"stac:time_start": day(3 * k)})))
    return rows


def added(rows: list[Row], name: str, pixels: np.ndarray, place: int, when: int, **options) -> list[Row]:
    data = placed(place, pixels, **options)
    return [*rows, (name, data, facts(data, **{"stac:time_start": day(when)}))]


def pixels_of(data: bytes) -> np.ndarray:
    with rasterio.io.MemoryFile(data) as memory, memory.open() as file:
        return file.read()


# --- Pixels that GDAL decodes -------------------------------------------------------------------------------------------


def of_gdal(random: np.random.Generator) -> list[Row]:
    """Compressions and formats that tacore leaves to GDAL."""
    rows = []
    for k in range(12):
        image = scene(random, kind="uint8")
        options = [{"compress": "jpeg"}, {"compress": "lzma"}, {"driver": "PNG"}, {"driver": "JPEG"}][k % 4]
        tiles = {} if "driver" in options else {"tiled": True, "blockxsize": 16, "blockysize": 16}
        name = f"s{k:02d}" + {"PNG": ".png", "JPEG": ".jpg"}.get(options.get("driver"), ".tif")
        rows.append((name, placed(k, image, **options, **tiles), {}))
    return rows


@case
def formats_of_gdal(random):
    return Made(of_gdal(random)), {}


@case
def cut_off_pixels(random):
    rows = of_gdal(random)
    for k in (0, 1, 2):  # JPEG and LZMA in TIFF, PNG: the header stays whole
        name, data, columns = rows[k]
        rows[k] = (name, data[: len(data) * 2 // 3], columns)
    return Made(rows), {"AST-10": {"s00.tif", "s01.tif", "s02.png"}}


# --- Files that show the same -------------------------------------------------------------------------------------------


@case
def saved_again(random):
    rows = scenes(random)
    again = added(rows, "again", pixels_of(rows[7][1]), 7, 21, compress="lzw", tiled=True, blockxsize=16, blockysize=16)
    return Made(again), {"AST-29": {"again"}}


@case
def saved_again_elsewhere(random):
    rows = scenes(random)
    return Made(added(rows, "again", pixels_of(rows[7][1]), 500, 80, compress="lzw")), {"AST-29": {"again"}}


@case
def saved_again_at_another_time(random):
    rows = scenes(random)
    return Made(added(rows, "again", pixels_of(rows[7][1]), 7, 80, compress="lzw")), {"AST-29": {"again"}}


@case
def saved_as_reflectance(random):
    rows = scenes(random)
    scaled = (pixels_of(rows[7][1]) * 0.0001).astype("float32")
    return Made(added(rows, "again", scaled, 7, 21)), {"AST-29": {"again"}}


@case
def saved_with_loss(random):
    rows = []
    for k in range(30):
        data = placed(k, scene(random, 128, kind="uint8"), compress="deflate")
        rows.append((f"s{k:02d}", data, facts(data, **{"stac:time_start": day(3 * k)})))
    kept = pixels_of(rows[7][1]).astype(float)
    lossy = np.clip(np.round(kept / 4) * 4 + random.normal(0, 1.5, kept.shape), 0, 255).astype("uint8")
    return Made(added(rows, "again", lossy, 7, 21, compress="lzw")), {"AST-29": {"again"}}


@case
def series_of_one_place(random):
    """Near miss: images of one place are alike, at other times."""
    ground, rows = scene(random), []
    for k in range(20):
        image = np.clip(ground + random.normal(0, 30, ground.shape), 1, 10_000).astype("uint16")
        data = placed(0, image)
        rows.append((f"t{k:02d}", data, facts(data, **{"stac:time_start": day(17 * k + k * k)})))
    return Made(rows), {}


@case
def bands_of_one_scene(random):
    """Near miss: samples are bands, of one place and time, which are alike."""
    rows = []
    for k in range(10):
        blue = scene(random, bands=1)
        for band in range(3):
            image = np.clip(blue * (1 + 0.1 * band) + random.normal(0, 10, blue.shape), 1, 10_000).astype("uint16")
            data = placed(k, image)
            rows.append((f"{'bgr'[band]}{k}", data, facts(data, **{"stac:time_start": day(3 * k)})))
    return Made(rows), {}


@case
def equal_previews(random):
    """Near miss: what is coarse is the same, what is fine is not."""
    coarse, rows = np.kron(random.normal(0, 1, (3, 8, 8)), np.ones((1, 8, 8))), []
    for k in range(40):
        image = np.clip(3000 + 500 * coarse + random.normal(0, 300, (3, 64, 64)), 1, 10_000).astype("uint16")
        data = placed(k, image)
        rows.append((f"p{k:02d}", data, facts(data)))
    return Made(rows), {}


@case
def smooth_fields(random):
    """Near miss: slopes of temperature are alike everywhere."""
    y, x = np.mgrid[0:64, 0:64]
    rows = []
    for k in range(60):
        field = 280 + 0.01 * k + 0.05 * y + 0.02 * x + 0.0001 * random.normal() * x * y
        data = placed(k, field[None].astype("float32"))
        rows.append((f"f{k:02d}", data, facts(data)))
    return Made(rows), {}


@case
def equal_maps(random):
    """Near miss: hundreds of equal masks, of maps of classes, and of flat rasters."""
    half, rows = np.zeros((1, 32, 32), np.uint8), []
    half[0, :, 16:] = 1
    classes = random.integers(0, 9, (1, 32, 32)).astype(np.uint8)
    for k in range(300):
        pixels = [half, classes, np.full((1, 32, 32), 7, np.uint8)][k % 3]
        data = placed(k, pixels, compress=["deflate", "lzw"][k % 2])
        rows.append((f"m{k:03d}", data, facts(data)))
    return Made(rows), {}


# --- Classes ------------------------------------------------------------------------------------------------------------

WORDS = "name,description,unit,classes\nlabel,Land cover,,0=water;1=forest;2=crops;3=bare\n"
CLASSES = [{"name": name, "category": str(k)} for k, name in enumerate(["water", "forest", "crops", "bare"])]


def labelled(random, count: int, **columns) -> list[Row]:
    return [(f"l{k:04d}", b"x", {name: values[k] for name, values in columns.items()}) for k in range(count)]


@case
def undeclared_label(random):
    labels = random.integers(0, 4, 50).tolist()
    labels[17] = 9
    return Made(labelled(random, 50, label=labels), fields=WORDS), {"AST-14": {"l0017"}}


@case
def undeclared_label_by_name(random):
    labels = random.choice(["water", "forest", "crops", "bare"], 50).tolist()
    labels[17] = "crop"
    return Made(labelled(random, 50, label=labels), about={"labels:classes": CLASSES}), {"AST-30": {"l0017"}}


@case
def labels_of_other_classes(random):
    """Near miss: the declared classes are those of something else."""
    labels = random.choice(["meadow", "river", "road"], 50).tolist()
    return Made(labelled(random, 50, label=labels), about={"labels:classes": CLASSES}), {}


def class_map(random, k: int, pixels: np.ndarray, **columns) -> Row:
    data = placed(k, pixels[None].astype(np.uint8), nodata=255)
    return (f"map{k:02d}", data, facts(data, **columns))


@case
def undeclared_pixels(random):
    rows = []
    for k in range(40):
        pixels = random.integers(0, 4, (20, 20))
        if k == 11:
            pixels[3, 5] = 77
        rows.append(class_map(random, k, pixels))
    return Made(rows, about={"labels:classes": CLASSES}), {"AST-30": {"map11"}}


@case
def pixels_of_an_image(random):
    """Near miss: an image of one band has other values than the classes nearly everywhere; 255 is no data."""
    rows = [class_map(random, k, random.integers(0, 255, (20, 20))) for k in range(40)]
    return Made(rows, about={"labels:classes": CLASSES}), {}


def shares(pixels: np.ndarray, values) -> list[float]:
    return [float((pixels == value).mean()) for value in values]


@case
def wrong_shares(random):
    rows = []
    for k in range(12):
        pixels = random.choice(4, (20, 20), p=[0.5, 0.3, 0.15, 0.05])
        stated = shares(pixels, [3, 1, 0, 2])  # in the order of whoever wrote them
        if k == 5:
            stated = [stated[0], stated[1] + 0.25, stated[2] - 0.25, stated[3]]
        rows.append(class_map(random, k, pixels, **{"geotiff:stats": [stated]}))
    return Made(rows, types=STATS), {"AST-13": {"map05"}}


@case
def shares_without_the_largest(random):
    """What the published toolbox writes."""
    rows = []
    for k in range(12):
        pixels = random.choice(4, (20, 20), p=[0.5, 0.3, 0.15, 0.05])
        if k == 5:
            pixels[:10] = 3
        stated = shares(pixels, range(4))
        if k == 5:
            stated = [each / (1 - stated[3]) for each in stated[:3]] + [0.0]
        rows.append(class_map(random, k, pixels, **{"geotiff:stats": [stated]}))
    return Made(rows, types=STATS), {"AST-36": {"map05"}}


@case
def shares_of_some_classes(random):
    """Near miss: shares of two classes of four, of nine classes, and of rasters without a pixel."""
    rows = []
    for k in range(12):
        pixels = random.integers(0, 9 if k % 2 else 4, (20, 20))
        stated = shares(pixels, range(9) if k % 2 else [2, 0])
        if k == 4:
            pixels[:], stated = 255, [float("nan")] * 2
        rows.append(class_map(random, k, pixels, **{"geotiff:stats": [stated]}))
    return Made(rows, types=STATS), {}


@case
def wrong_fractions(random):
    rows = []
    for k in range(12):
        pixels = random.choice(4, (20, 20), p=[0.5, 0.3, 0.15, 0.05])
        stated = shares(pixels, range(4))
        if k == 5:
            stated[0], stated[1] = stated[1], stated[0]
        image = placed(k, noise(random, (3, 20, 20)))
        target = placed(k, pixels[None].astype(np.uint8), nodata=255)
        files = [("image", image, facts(image)), ("target", target, facts(target))]
        rows += below(f"map{k:02d}", files, **{"landcover:fractions": stated})
    return Made(rows, about={"labels:classes": CLASSES}), {"AST-13": {"map05/target"}}


@case
def fractions_of_other_classes(random):
    rows = []
    for k in range(12):
        pixels = random.integers(0, 4, (20, 20))
        rows.append(
            class_map(random, k, pixels, **{"landcover:fractions": shares(pixels, range(4))[: 3 if k == 5 else 4]})
        )
    rows[5][2]["landcover:fractions"] = [0.3, 0.3, 0.4]
    return Made(rows, about={"labels:classes": CLASSES}), {"AST-14": {"map05"}}


def split_rows(random, labels) -> list[Row]:
    count = len(labels)
    return labelled(
        random, count, label=list(labels), split=[["train", "train", "train", "test"][k % 4] for k in range(count)]
    )


@case
def class_missing_in_test(random):
    labels = random.choice(["a", "b", "c"], 2000, p=[0.6, 0.3, 0.1])
    labels[[k for k in range(2000) if k % 4 == 3 and labels[k] == "c"]] = "a"
    return Made(split_rows(random, labels.tolist())), {"AST-33": {"'c' is in none of 500 rows of split 'test'"}}


@case
def rare_class_missing_in_test(random):
    """Near miss: of 6 rows, all may be in one split."""
    labels = np.array(["a", "b"])[random.integers(0, 2, 2000)].astype("<U4")
    labels[[0, 4, 8, 12, 16, 20]] = "rare"
    return Made(split_rows(random, labels.tolist())), {}


@case
def one_class(random):
    labels = ["a"] * 1995 + ["b"] * 5
    return Made(split_rows(random, [labels[k] for k in random.permutation(2000)])), {"AST-33": {"1995 of 2000 rows"}}


@case
def unused_class(random):
    return Made(split_rows(random, random.integers(0, 3, 1200).tolist()), fields=WORDS), {
        "AST-33": {"'bare' (3) is in none of 1200"}
    }


@case
def unused_class_of_few(random):
    """Near miss: too few rows to say so; a class with 98 % of the rows."""
    labels = np.where(random.random(600) < 0.98, 0, random.integers(1, 3, 600))
    return Made(split_rows(random, labels.tolist()), fields=WORDS), {}


# --- Series -------------------------------------------------------------------------------------------------------------


def monthly(random, change: Callable[[int, list[dt.datetime]], None]) -> Made:
    rows = []
    for k in range(40):
        year = 2018 + k % 4
        times = [
            dt.datetime(year, month, int(random.integers(1, 28)), 10, int(random.integers(0, 60)))
            for month in range(1, 13)
        ]
        change(k, times)
        rows += below(f"s{k:02d}", [(f"m{m + 1:02d}", b"x", {"stac:time_start": time}) for m, time in enumerate(times)])
    return Made(rows)


@case
def month_twice(random):
    def change(k, times):
        if k == 23:
            times[5] = times[4] + dt.timedelta(hours=5)

    return monthly(random, change), {"AST-31": {"s23/m01"}}


@case
def months_by_the_weather(random):
    """Near miss: every fifth series has gaps."""

    def change(k, times):
        if k % 5 == 0:
            times[5] = times[4]

    return monthly(random, change), {}


@case
def months_near_the_date_line(random):
    """Near miss: the morning of the first of March is in February yet by UTC, and the last afternoon of May in June."""

    def change(k, times):
        if k == 23:
            times[2] = times[2].replace(day=1)
            times[7] = times[7].replace(day=1, hour=11, minute=20)
            times[:] = [time - dt.timedelta(hours=11.5) for time in times]
        if k == 24:
            times[4] = times[4].replace(day=31, hour=16)
            times[:] = [time + dt.timedelta(hours=11.5) for time in times]

    return monthly(random, change), {}


@case
def day_missing(random):
    rows = []
    for k in range(100):
        if k != 61:
            data = placed(0, noise(random, (1, 12, 12)))
            rows.append(
                (f"d{dt.date(2020, 1, 1) + dt.timedelta(days=k)}", data, facts(data, **{"stac:time_start": day(k)}))
            )
    return Made(rows), {"AST-31": {"d2020-03-03"}}


@case
def passes(random):
    """Near miss: every pass of five days, if there were no clouds."""
    rows = []
    for k in np.flatnonzero(random.random(150) < 0.6):
        data = placed(0, noise(random, (1, 12, 12)))
        rows.append((f"d{k:03d}x{7 * k}", data, facts(data, **{"stac:time_start": day(5 * int(k))})))
    return Made(rows), {}


@case
def numbers_missing(random):
    rows = [(f"tile_03_{k:05d}.bin", b"x", {"n": k}) for k in range(400) if k not in (7, 300)]
    return Made(rows), {"AST-31": {"7, 300"}}


@case
def numbers_chosen(random):
    """Near miss: 300 of 400 numbers; and two numbers in each id."""
    chosen = random.permutation(400)[:300]
    return Made([(f"{k:05d}", b"x", {"n": int(k)}) for k in sorted(chosen)]), {}


@case
def numbers_of_grids(random):
    rows = [(f"r{r:02d}_c{c:02d}", b"x", {"n": r}) for r in range(15) for c in range(15) if (r, c) != (3, 3)]
    return Made(rows), {}


# --- Jumps --------------------------------------------------------------------------------------------------------------


def with_stats(random, shift: Callable[[int, np.ndarray, np.ndarray], None], count: int = 400) -> Made:
    """Rows of nine numbers for each of four bands, of scenes that are dark, bright and cloudy."""
    rows = []
    for k in range(count):
        bright = np.where(random.random() < 0.3, random.uniform(1500, 6000), random.uniform(1, 400))
        least = bright * random.uniform(0.3, 1, 4) + random.uniform(1, 60, 4)
        mean = least + random.uniform(400, 2500, 4)
        shift(k, least, mean)
        stats = [
            [low, 3 * mid, mid, mid / 4, 100, (low + mid) / 2, mid, 1.5 * mid, 2 * mid]
            for low, mid in zip(least.tolist(), mean.tolist())
        ]
        rows.append((f"j{7 * k}", b"x", {"geotiff:stats": stats, "stac:time_start": day(4 * k)}))
    return Made(rows, types=STATS)


@case
def offset_since(random):
    def shift(k, least, mean):
        if k >= 230:
            least += 1000
            mean += 1000

    return with_stats(random, shift), {"AST-32": {"on, the least values of all 4 bands begin"}}


@case
def unit_since(random):
    def shift(k, least, mean):
        if k < 120:
            least /= 10_000
            mean /= 10_000

    return with_stats(random, shift), {"AST-32": {"samples), and between"}}


@case
def seasons_and_trends(random):
    """Near miss: summer and winter, and years that become brighter."""

    def shift(k, least, mean):
        season = 400 * np.sin(k / 14.5)
        least += 500 + season + 2 * k
        mean += 500 + season + 2 * k

    return with_stats(random, shift), {}


@case
def another_region(random):
    """Near miss: since a date, images are of a desert, by which each band has become brighter in its own way."""

    def shift(k, least, mean):
        if k >= 230:
            least += np.array([300, 900, 1500, 2200])
            mean += np.array([300, 900, 1500, 2200])

    return with_stats(random, shift), {}


# --- Places and constant columns ---------------------------------------------------------------------------------------


def around(random, crowded: float) -> Made:
    rows = []
    lon, lat = random.uniform(-175, 175, 300), random.uniform(-55, 65, 300)
    for k in range(1200):
        at = int(random.integers(0, 2) if random.random() < crowded else random.integers(0, 300))
        x, y = float(lon[at] + random.uniform(0, 0.001)), float(lat[at])
        data = tif(np.full((1, 2, 2), k % 200 + 1, "uint8"), "EPSG:4326", (x, 0.001, 0, y, 0, -0.001))
        rows.append((f"{k % 7}{chr(97 + k % 26)}{k}", data, facts(data)))
    return Made(rows)


@case
def crowded_places(random):
    return around(random, 0.7), {"AST-34": {"of 1200 samples lie in 2 of"}}


@case
def even_places(random):
    return around(random, 0.3), {}


def measured(random, count: int = 120, days: int = 60, **columns) -> Made:
    rows: list[Row] = []
    for k in range(count):
        values: Values = {name: value(k) for name, value in columns.items()}
        rows.append((f"x{3 * k}", b"x", {"stac:time_start": day(k % days, 10.5 + k / 977), **values}))
    return Made(rows)


@case
def one_sun(random):
    made = measured(random, **{"view:sun_elevation": lambda k: 43.1, "cloud_cover": lambda k: 12.5})
    return made, {"AST-35": {"view:sun_elevation", "cloud_cover"}}


@case
def one_scene(random):
    """Near miss: tiles of few scenes have the numbers of these; cloudless images were chosen."""
    sun = {"view:sun_elevation": lambda k: 43.1, "eo:cloud_cover": lambda k: 12.5}
    return measured(random, days=5, **sun), {}


@case
def without_clouds(random):
    return measured(random, **{"eo:cloud_cover": lambda k: 0.0, "sun_elevation": lambda k: 30.0 + k % 9}), {}


@case
def impossible_soil(random):
    made = measured(random, **{"soil:carbon": lambda k: 5.0 * k * 3 + 1, "soil:clay": lambda k: float(k % 90)})
    made.fields = (
        "name,description,unit,classes\nsoil:carbon,Organic carbon in the soil,g/kg,\nsoil:clay,Clay in the soil,%,\n"
    )
    return made, {"AST-22": {"soil:carbon"}}


@case
def possible_soil(random):
    made = measured(random, **{"soil:carbon": lambda k: 15.0 * k, "soil:clay": lambda k: 7.0 * k})
    made.fields = 'name,description,unit,classes\nsoil:carbon,"Organic carbon in the soil, times 5",g/kg,\nsoil:clay,Clay in the soil,g/kg,\n'
    return made, {}


SOIL = (
    "name,description,unit,classes\nsoil:phh2o,pH of the soil in water,,\nsoil:bdod,Bulk density of the soil,kg/m3,\n"
    "soil:carbon,Organic carbon in the soil,g/kg,\nsoil:clay,Clay in the soil,%,\nsoil:sand,\"Sand, times 10\",%,\n"
)


def soil(random, density):
    columns = {"soil:phh2o": lambda k: 40.0 + k % 45, "soil:bdod": density, "soil:carbon": lambda k: 5.0 + k % 60}
    made = measured(random, **columns, **{"soil:clay": lambda k: float(k % 90), "soil:sand": lambda k: float(k % 97)})
    made.fields = SOIL
    return made


@case
def scaled_soil(random):
    """Carbon, whose own values tell nothing, is named beside two columns that are scaled without saying so."""
    return soil(random, lambda k: 90.0 + k % 60), {"AST-25": {"soil:phh2o: ", "soil:bdod: ", "soil:carbon: "}}


@case
def half_scaled_soil(random):
    """Near miss: one scaled column is no family."""
    return soil(random, lambda k: 900.0 + 10 * (k % 60)), {"AST-25": {"soil:phh2o: "}}


def findings(tool: str, path: Path) -> list[dict]:
    done = subprocess.run(
        [tool, "validate", "--assets", "--pixels", "--json", path], capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return [each for each in json.loads(done.stdout) if each["rule"].startswith("AST-")]


def check(name: str, found: list[dict], expected: dict[str, set[str]]) -> list[str]:
    faults = [f"{name}: {each['rule']} {each['message']}" for each in found if each["rule"] not in expected]
    for rule, words in expected.items():
        here = [each for each in found if each["rule"] == rule]
        is_error = rule in ("AST-10", "AST-13", "AST-14")
        faults += [f"{name}: {each['severity']}" for each in here if (each["severity"] == "error") != is_error]
        if len(here) != len(words):
            faults.append(f"{name}: {len(here)} of {rule}, {len(words)} expected: {[each['message'] for each in here]}")
        for word in words:
            if not any(word in each["message"] for each in here):
                faults.append(f"{name}: no {rule} says {word!r}: {[each['message'] for each in here]}")
    return faults


def main():
    tool, *only = sys.argv[1:]
    faults = []
    with tempfile.TemporaryDirectory() as scratch:
        for number, (name, make) in enumerate(CASES.items()):
            if only and name not in only:
                continue
            made, expected = make(np.random.default_rng([20261130, number]))
            path = Path(scratch) / f"{name}.tacozip"
            write(path, name, made)
            faults += check(name, findings(tool, path), expected)
            if only:
                print(json.dumps(findings(tool, path), indent=1))
    assert len(CASES) >= 40
    print(f"{len(CASES)} cases, {len(faults)} faults")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
