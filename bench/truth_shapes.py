#!/usr/bin/env python3
"""Generates datasets with known faults in their metadata, each beside a clean twin.

    truth_shapes.py FOLDER                   250,000, 12,500 x 12 and 16,666 x 6 samples
    truth_shapes.py FOLDER --scale 0.004     a small one, for tests

FOLDER gets clean/NAME.tacozip, faulty/NAME.tacozip, truth.json and truth/*.parquet, which say what is wrong where. The
shape is that of a published dataset of tiles of 10 km, whose metadata had these nine faults (in the datasets named):

    1  burst            rows of level 0 describe other tiles: all but one, by one permutation
    2  burst            frames of Sentinel-2 have dates, product ids, scores and sun angles of other tiles' frames
    3  single, monthly  microseconds among milliseconds
    4  single           geotransforms of Sentinel-2 have wrong origins
    5  single           paths of land cover lead to a copy of the file
    6  single           rows of Landsat 8 have the metadata of another order
    7  monthly, burst   paths of elevation and land cover name folders
    8  all              soil is 0 where there is no data
    9  all              descriptions state wrong units

With --kept there is also kept/NAME.tacozip: what a repair makes of the faulty copy that leaves 8 and 9, which are guesses.
All else is right: twin and copy have the same files in the same order. Files are GeoTIFFs of less than 1 kB, in the UTM
zone of their tile. The same seed and scale give the same bytes.

Names: `file_path` has the path of a row's file below DATA/ (`path` itself is a name that TACO reserves).
"""

from __future__ import annotations

import argparse
import copy
import csv
import json
import resource
import struct
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyproj
import tacore
from tacore.datamodel import Taco, Tortilla
from tacore.datamodel.taco import Extent

# Samples of the published dataset, and how many of their rows are wrong.
SAMPLES = {"single": 250_000, "monthly": 12_500, "burst": 16_666}
MONTHS, BURST = 12, 6
SHARE_OF_MICROSECONDS = 15_116 / 250_000
SHARE_OF_GEOTRANSFORMS = 247_040 / 250_000
SPARED_TILES = 28 / 16_666  # 99,996 - 99,822 frames are right: those of 29 tiles, of which one is also right at level 0
INLINE = 2000  # rows of a fault whose values are also in truth.json

# Boxes in degrees that stand for land: country, region, west, south, east, north, people per km2, USD per person.
LAND = [
    ("Brazil", "South America", -70, -30, -40, 0, 25, 9e3),
    ("Argentina", "South America", -70, -52, -58, -24, 16, 12e3),
    ("Peru", "South America", -79, -17, -71, -2, 26, 7e3),
    ("Colombia", "South America", -77, 0, -68, 10, 45, 6e3),
    ("Mexico", "North America", -110, 18, -95, 30, 65, 10e3),
    ("United States", "North America", -122, 31, -82, 48, 36, 60e3),
    ("Canada", "North America", -130, 50, -65, 68, 4, 48e3),
    ("Greenland", "North America", -50, 62, -30, 78, 0.02, 50e3),
    ("Spain", "Europe", -8, 37, 0, 43, 94, 30e3),
    ("France", "Europe", 0, 43, 7, 49, 119, 42e3),
    ("Germany", "Europe", 7, 48, 14, 54, 232, 47e3),
    ("Poland", "Europe", 14.2, 49, 23, 54, 124, 17e3),
    ("Norway", "Europe", 8, 59, 14, 68, 15, 85e3),
    ("Russia", "Asia", 40, 50, 135, 68, 8, 11e3),
    ("Kazakhstan", "Asia", 50, 43, 80, 49.9, 7, 10e3),
    ("Algeria", "Africa", -2, 20, 8, 36, 18, 4e3),
    ("Egypt", "Africa", 25, 22, 34, 31, 100, 4e3),
    ("Nigeria", "Africa", 4, 6, 13, 13, 220, 2e3),
    ("Congo", "Africa", 14, -10, 29, 4, 40, 6e2),
    ("Kenya", "Africa", 34, -3, 40, 4, 90, 2e3),
    ("South Africa", "Africa", 18, -33, 30, -23, 48, 6e3),
    ("Iran", "Asia", 46, 28, 60, 37, 52, 5e3),
    ("India", "Asia", 72, 12, 86, 28, 460, 2e3),
    ("China", "Asia", 86.5, 24, 118, 42.5, 148, 12e3),
    ("Japan", "Asia", 136, 35, 140, 40, 338, 40e3),
    ("Indonesia", "Asia", 110, -3, 117, 2, 150, 4e3),
    ("Australia", "Oceania", 116, -35, 148, -20, 3, 58e3),
    ("New Zealand", "Oceania", 171, -44, 175, -40, 19, 44e3),
]
SEAS = [(-45, -30, 0, 45), (60, -40, 95, 0), (-170, -40, -100, 40), (150, 5, 179, 45)]
CLASSES = {
    10: "tree cover",
    20: "shrubland",
    30: "grassland",
    40: "cropland",
    50: "built-up",
    60: "bare",
    70: "snow and ice",
    80: "permanent water",
    90: "herbaceous wetland",
}
NO_DATA_OF_LAND_COVER = {"single": 80, "monthly": 0, "burst": 0}
SOIL = ["soil:ph", "soil:clay", "soil:sand", "soil:organic_carbon", "soil:bulk_density"]


# --- Arrow arrays made of NumPy arrays ---------------------------------------------------------------------------------


def fixed(values: np.ndarray, kind: pa.DataType) -> pa.Array:
    """An array of binaries or texts of one length, from a matrix of bytes with a row for each."""
    count, width = values.shape
    offsets = np.arange(0, (count + 1) * width, width, dtype=np.int32) if count else np.zeros(1, np.int32)
    return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(values))])


def lists(values: np.ndarray, kind: pa.DataType) -> pa.Array:
    """An array of lists of one length."""
    count, width = values.shape
    return pa.ListArray.from_arrays(
        pa.array(np.arange(0, (count + 1) * width, width, dtype=np.int32)), pa.array(values.reshape(-1), kind)
    )


def wkb_points(lon: np.ndarray, lat: np.ndarray) -> pa.Array:
    out = np.zeros(len(lon), np.dtype([("order", "u1"), ("kind", "<u4"), ("x", "<f8"), ("y", "<f8")]))
    out["order"], out["kind"], out["x"], out["y"] = 1, 1, lon, lat
    return fixed(out.view(np.uint8).reshape(len(lon), -1), pa.binary())


def wkb_rings(rings: np.ndarray) -> pa.Array:
    """Polygons of one closed ring: (count, points, 2)."""
    count, points, _ = rings.shape
    kind = [("order", "u1"), ("kind", "<u4"), ("rings", "<u4"), ("points", "<u4"), ("xy", "<f8", (points, 2))]
    out = np.zeros(count, np.dtype(kind))
    out["order"], out["kind"], out["rings"], out["points"], out["xy"] = 1, 3, 1, points, rings
    return fixed(out.view(np.uint8).reshape(count, -1), pa.binary())


def interleaved(parts: list[pa.Array | None]) -> pa.Array:
    """Row k of each part in turn, for all k; None stands for nulls."""
    kind = next(part.type for part in parts if part is not None)
    count = next(len(part) for part in parts if part is not None)
    arrays = [pa.nulls(count, kind) if part is None else part for part in parts]
    order = np.arange(count * len(parts)).reshape(len(parts), count).T.reshape(-1)
    return pa.concat_arrays(arrays).take(pa.array(order))


def replaced(column: pa.Array, rows: np.ndarray, values: pa.Array) -> pa.Array:
    """The column with other values in some rows, which ascend."""
    take = np.arange(len(column))
    take[rows] = len(column) + np.arange(len(rows))
    return pa.concat_arrays([column, values.cast(column.type)]).take(pa.array(take))


# --- Places ------------------------------------------------------------------------------------------------------------


class Grid:
    """The Major TOM grid, as the columns `majortom:code` have it: points at most 10 km apart."""

    def __init__(self, distance: float = 10.0, radius: float = 6378.137) -> None:
        self.distance, self.radius = distance, radius
        self.rows = int(np.ceil(np.pi * radius / distance))

    def columns(self, row: np.ndarray) -> np.ndarray:
        """Number of cells in the rows, which count from the equator."""
        circle = 2 * np.pi * self.radius * np.cos(np.radians(row * 180.0 / self.rows))
        return np.maximum(1, np.ceil(circle / self.distance)).astype(np.int64)

    def cell(self, lon: np.ndarray, lat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        row = np.ceil(lat * self.rows / 180).astype(np.int64) - 1
        return row, np.ceil(lon * self.columns(row) / 360).astype(np.int64) - 1

    def middle(self, row: np.ndarray, column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return (column + 0.5) * 360 / self.columns(row), (row + 0.5) * 180 / self.rows

    @staticmethod
    def codes(row: np.ndarray, column: np.ndarray) -> list[str]:
        return [
            f"{abs(r):04d}{'D' if r < 0 else 'U'}_{abs(c):04d}{'L' if c < 0 else 'R'}"
            for r, c in zip(row.tolist(), column.tolist())
        ]


def project(epsg: np.ndarray, x: np.ndarray, y: np.ndarray, inverse: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Degrees to metres in the UTM zone of each row, or back."""
    out_x, out_y = np.empty(len(x)), np.empty(len(y))
    order = np.argsort(epsg, kind="stable")
    for code, start, count in zip(*np.unique(epsg[order], return_index=True, return_counts=True)):
        rows = order[start : start + count]
        way = pyproj.Transformer.from_crs(4326, int(code), always_xy=True)
        out_x[rows], out_y[rows] = way.transform(x[rows], y[rows], direction="INVERSE" if inverse else "FORWARD")
    return out_x, out_y


def mgrs(epsg: np.ndarray, x: np.ndarray, y: np.ndarray, lat: np.ndarray) -> list[str]:
    """Names of the squares of 100 km, such as 32UQD."""
    zone = epsg % 100
    east, north = (x // 1e5).astype(int) - 1, (y // 1e5).astype(int)
    bands, sets, rows = "CDEFGHJKLMNPQRSTUVWX", ("ABCDEFGH", "JKLMNPQR", "STUVWXYZ"), "ABCDEFGHJKLMNPQRSTUV"
    band = np.minimum((lat + 80) // 8, 19).astype(int)
    return [
        f"{z:02d}{bands[b]}{sets[(z - 1) % 3][e]}{rows[(n + (5 if z % 2 == 0 else 0)) % 20]}"
        for z, b, e, n in zip(zone.tolist(), band.tolist(), east.tolist(), north.tolist())
    ]


@dataclass
class Raster:
    """Grids of the files of one kind, one for each tile."""

    epsg: np.ndarray
    x: np.ndarray  # of the upper left corner
    y: np.ndarray
    pixel: float
    shape: tuple[int, int, int]

    def centre(self) -> tuple[np.ndarray, np.ndarray]:
        half_x, half_y = self.shape[2] * self.pixel / 2, self.shape[1] * self.pixel / 2
        return project(self.epsg, self.x + half_x, self.y - half_y, inverse=True)

    def ring(self) -> np.ndarray:
        """Outlines in degrees: (count, 5, 2), closed, counter-clockwise."""
        right, down = self.shape[2] * self.pixel, self.shape[1] * self.pixel
        corners = [(0, 0), (0, down), (right, down), (right, 0), (0, 0)]
        points = [project(self.epsg, self.x + dx, self.y - dy, inverse=True) for dx, dy in corners]
        return np.stack([np.stack(point, 1) for point in points], 1)

    def columns(self) -> dict[str, pa.Array]:
        count = len(self.x)
        grid = np.zeros((count, 6))
        grid[:, 0], grid[:, 1], grid[:, 3], grid[:, 5] = self.x, self.pixel, self.y, -self.pixel
        names = pa.array([f"EPSG:{code}" for code in self.epsg.tolist()])
        return {
            "stac:crs": names,
            "stac:geotransform": lists(grid, pa.float64()),
            "stac:tensor_shape": lists(np.tile(np.array(self.shape), (count, 1)), pa.int64()),
            "stac:centroid": wkb_points(*self.centre()),
        }


@dataclass
class Tiles:
    """Where the samples are, and what is there."""

    lon: np.ndarray
    lat: np.ndarray
    codes: list[str]
    land: np.ndarray  # number of the box of LAND; -1: sea; -2: Antarctica
    epsg: np.ndarray
    square: list[str]
    s2: Raster
    window: np.ndarray  # row and column of the tile in its product

    def __len__(self) -> int:
        return len(self.lon)


def choose_tiles(random: np.random.Generator, count: int, max_latitude: float) -> Tiles:
    """Cells of the grid in random order, each once: 90 % on land, 6 % at sea, 4 % in Antarctica if the latitude allows."""
    grid = Grid()
    boxes = np.array([row[2:6] for row in LAND], float)
    area = (boxes[:, 2] - boxes[:, 0]) * (np.sin(np.radians(boxes[:, 3])) - np.sin(np.radians(boxes[:, 1])))
    kinds = random.choice(3, 2 * count + 100, p=[0.9, 0.06, 0.04] if max_latitude > 80 else [0.93, 0.07, 0])
    box = boxes[random.choice(len(boxes), len(kinds), p=area / area.sum())]
    sea = np.array(SEAS, float)[random.integers(0, len(SEAS), len(kinds))]
    box = np.where((kinds == 1)[:, None], sea, box)
    box = np.where((kinds == 2)[:, None], np.array([-170.0, -79.5, 170.0, -72.0]), box)
    lon = random.uniform(box[:, 0], box[:, 2])
    low, high = np.sin(np.radians(box[:, 1])), np.sin(np.radians(box[:, 3]))
    lat = np.degrees(np.arcsin(random.uniform(low, high)))
    row, column = grid.cell(lon, lat)
    lon, lat = grid.middle(row, column)
    _, first = np.unique(row * 10**6 + column, return_index=True)
    first = np.sort(first)
    first = first[np.abs(lat[first]) < max_latitude][:count]
    if len(first) < count:
        raise SystemExit("too few cells: choose a smaller scale")
    row, column, lon, lat = row[first], column[first], lon[first], lat[first]

    land = np.full(count, -1)
    for number in reversed(range(len(LAND))):
        west, south, east, north = LAND[number][2:6]
        land[(lon >= west) & (lon < east) & (lat >= south) & (lat < north)] = number
    land[lat < -60] = -2
    zone = np.clip((lon + 180) // 6, 0, 59).astype(np.int64) + 1
    epsg = np.where(lat >= 0, 32600, 32700) + zone
    x, y = project(epsg, lon, lat)
    # Sentinel-2 products begin at multiples of 60 m, about 100 km apart.
    left, top = np.floor(x // 1e5 * 1e5 / 60) * 60, np.ceil((y // 1e5 + 1) * 1e5 / 60) * 60
    window = np.stack([np.floor((top - y) / 10), np.floor((x - left) / 10)], 1).astype(np.int64)
    s2 = Raster(epsg, left + window[:, 1] * 10, top - window[:, 0] * 10, 10.0, (3, 9, 9))
    return Tiles(lon, lat, grid.codes(row, column), land, epsg, mgrs(epsg, x, y, lat), s2, window)


def tile_columns(random: np.random.Generator, tiles: Tiles, cover: np.ndarray, no_data: int) -> dict[str, pa.Array]:
    """Level 0: each a smooth function of the place and some noise."""
    count, lat, lon = len(tiles), np.radians(tiles.lat), np.radians(tiles.lon)
    dry = tiles.land < 0
    centre = tiles.s2.centre()
    kelvin = 300 - 48 * np.sin(lat) ** 2 + 3 * np.cos(3 * lon) + random.normal(0, 0.8, count)
    kelvin = np.where(tiles.land == -2, kelvin - 25, kelvin)
    wet = 0.25 + 1.6 * np.cos(lat) ** 2 * (0.6 + 0.4 * np.sin(2 * lon + 3 * lat)) + random.gamma(2, 0.08, count)

    def soil(values: np.ndarray, low: int, high: int) -> pa.Array:
        return pa.array(np.clip(np.round(values), low, high).astype(np.int32), mask=dry)

    people = np.array([row[6] for row in LAND])[tiles.land] * 107 * random.lognormal(-0.7, 1.2, count)
    people = np.where(dry, 0, np.round(people)).astype(np.int64)
    product = people * np.array([row[7] for row in LAND])[tiles.land] * random.lognormal(0, 0.15, count)
    names = np.array([row[:2] for row in LAND] + [("Antarctica", "Antarctica"), ("", "")])
    place = names[np.where(tiles.land == -1, len(LAND) + 1, np.where(tiles.land == -2, len(LAND), tiles.land))]
    return {
        "majortom:code": pa.array(tiles.codes),
        "istac:crs": pa.array(["EPSG:4326"] * count),
        "istac:geometry": wkb_rings(tiles.s2.ring()),
        "istac:centroid": wkb_points(*centre),
        "split": pa.array(random.choice(["train", "validation", "test"], count, p=[0.9, 0.05, 0.05])),
        "soil:ph": soil(62 - 14 * (wet - 0.7) + random.normal(0, 2, count), 38, 92),
        "soil:clay": soil(22 + 8 * np.sin(4 * lon) + random.normal(0, 5, count), 0, 80),
        "soil:sand": soil(45 - 12 * np.sin(4 * lon) + random.normal(0, 8, count), 0, 98),
        "soil:organic_carbon": soil(12 * (wet - 0.75) + random.normal(0, 3, count), 0, 120),
        "soil:bulk_density": soil(140 - 15 * (wet - 0.5) + random.normal(0, 6, count), 60, 170),
        "climate:temperature": pa.array(kelvin.astype(np.float32)),
        "climate:precipitation": pa.array(wet.astype(np.float32)),
        "admin:country": pa.array(place[:, 0], mask=tiles.land == -1),
        "admin:region": pa.array(place[:, 1], mask=tiles.land == -1),
        "population": pa.array(people),
        "gdp": pa.array(np.where(tiles.land == -1, np.nan, product)),
        "land_cover": pa.array(cover.astype(np.int32), mask=cover == no_data),
        "window:row_off": pa.array(tiles.window[:, 0].astype(np.int32)),
        "window:col_off": pa.array(tiles.window[:, 1].astype(np.int32)),
        "window:height": pa.array(np.full(count, 9, np.int32)),
        "window:width": pa.array(np.full(count, 9, np.int32)),
    }


# --- Files -------------------------------------------------------------------------------------------------------------


class Template:
    """GeoTIFFs of one kind: a single strip, of which grid, zone, time and pixels differ from file to file."""

    def __init__(self, kind: str, shape: tuple[int, int, int], pixel: float, no_data: str, dated: bool) -> None:
        self.dtype, (bands, rows, columns) = np.dtype(kind).newbyteorder("<"), shape
        form = {"u": 1, "i": 2, "f": 3}[self.dtype.kind]
        tags: list[tuple[int, int, bytes]] = [  # number, type, values
            (256, 3, struct.pack("<H", columns)),
            (257, 3, struct.pack("<H", rows)),
            (258, 3, struct.pack("<H", 8 * self.dtype.itemsize) * bands),
            (259, 3, struct.pack("<H", 1)),
            (262, 3, struct.pack("<H", 1)),
            (273, 4, bytes(4)),
            (277, 3, struct.pack("<H", bands)),
            (278, 3, struct.pack("<H", rows)),
            (279, 4, struct.pack("<I", bands * rows * columns * self.dtype.itemsize)),
            (284, 3, struct.pack("<H", 1)),
            (339, 3, struct.pack("<H", form) * bands),
            (33550, 12, struct.pack("<3d", pixel, pixel, 0)),
            (33922, 12, bytes(48)),
            (34735, 3, struct.pack("<16H", 1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 0)),
            (42113, 2, no_data.encode() + b"\0"),
        ]
        if dated:
            tags.append((306, 2, bytes(20)))
        if bands > 1:
            tags.append((338, 3, struct.pack("<H", 0) * (bands - 1)))
        tags.sort()
        sizes = {2: 1, 3: 2, 4: 4, 12: 8}
        at = 8 + 2 + 12 * len(tags) + 4
        self.places: dict[int, int] = {}
        entries, behind = b"", b""
        for number, form, values in tags:
            entries += struct.pack("<HHI", number, form, len(values) // sizes[form])
            if len(values) <= 4:
                self.places[number] = 10 + len(entries)
                entries += values.ljust(4, b"\0")
            else:
                self.places[number] = at + len(behind)
                entries += struct.pack("<I", at + len(behind))
                behind += values + bytes(len(values) % 2)
        head = struct.pack("<2sHIH", b"II", 42, 8, len(tags)) + entries + bytes(4) + behind
        self.pixels_at = len(head)
        made = bytearray(head + bytes(bands * rows * columns * self.dtype.itemsize))
        struct.pack_into("<I", made, self.places[273], self.pixels_at)
        self.bytes = bytes(made)
        if len(self.bytes) >= 1000:
            raise ValueError(f"a file of {len(self.bytes)} bytes")

    def files(self, raster: Raster, pixels: np.ndarray, times: np.ndarray | None = None) -> pa.Array:
        """`pixels`: (count, rows, columns, bands). `times`: milliseconds since 1970, which are rounded down."""
        count = len(raster.x)
        out = np.tile(np.frombuffer(self.bytes, np.uint8), (count, 1))

        def patch(at: int, values: np.ndarray) -> None:
            raw = np.ascontiguousarray(values).view(np.uint8).reshape(count, -1)
            out[:, at : at + raw.shape[1]] = raw

        corner = np.zeros((count, 6), "<f8")
        corner[:, 3], corner[:, 4] = raster.x, raster.y
        patch(self.places[33922], corner)
        patch(self.places[34735] + 30, raster.epsg.astype("<u2"))
        patch(self.pixels_at, pixels.astype(self.dtype).reshape(count, -1))
        if times is not None:
            text = np.datetime_as_string((times // 1000).astype("datetime64[s]")).astype("S19")
            letters = text.view(np.uint8).reshape(count, 19).copy()
            letters[:, [4, 7]], letters[:, 10] = ord(":"), ord(" ")
            patch(self.places[306], letters)
        return fixed(out, pa.binary())


def tif_name(paths: list[str], name: str) -> pa.Array:
    return pa.array([f"{path}/{name}" for path in paths])


# --- Acquisitions ------------------------------------------------------------------------------------------------------


def day_numbers(random: np.random.Generator, lat: np.ndarray, first_year: int, years: int) -> np.ndarray:
    """Days since 1970; far from the equator in summer, when the sun is up."""
    year = random.integers(0, years, len(lat))
    summer = np.where(lat > 0, 172, 355)
    day = np.where(np.abs(lat) > 55, summer + random.integers(-40, 9, len(lat)), random.integers(0, 365, len(lat)))
    return (np.datetime64(str(first_year), "D").astype(int) + np.round(year * 365.25).astype(int) + day).astype(
        np.int64
    )


def moments(random: np.random.Generator, days: np.ndarray, lon: np.ndarray, hour: float) -> np.ndarray:
    """Milliseconds since 1970, near an hour of local solar time."""
    seconds = (hour - lon / 15) * 3600 + random.normal(0, 500, len(days))
    return days * 86_400_000 + np.round(seconds * 1000).astype(np.int64)


def sun(times: np.ndarray, lon: np.ndarray, lat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Azimuth and elevation in degrees, to about a degree."""
    day = (times / 86_400_000 + 10) % 365.25
    declination = np.radians(-23.44 * np.cos(2 * np.pi * day / 365.25))
    hour = np.radians(((times / 3_600_000) % 24 + lon / 15 - 12) * 15)
    phi = np.radians(lat)
    up = np.sin(phi) * np.sin(declination) + np.cos(phi) * np.cos(declination) * np.cos(hour)
    north = np.sin(declination) * np.cos(phi) - np.cos(declination) * np.sin(phi) * np.cos(hour)
    azimuth = np.degrees(np.arctan2(-np.cos(declination) * np.sin(hour), north)) % 360
    return azimuth.astype(np.float32), np.degrees(np.arcsin(np.clip(up, -1, 1))).astype(np.float32)


def stamps(milliseconds: np.ndarray) -> list[str]:
    """20200131T235959 and so on."""
    text = np.datetime_as_string((milliseconds // 1000).astype("datetime64[s]"))
    return [value.replace("-", "").replace(":", "") for value in text.tolist()]


def s2_columns(random: np.random.Generator, tiles: Tiles, times: np.ndarray, orbit: np.ndarray) -> dict[str, pa.Array]:
    days = times // 86_400_000
    made = times + random.integers(3_600_000, 800 * 86_400_000, len(times))
    names = [
        f"S2{'AB'[day // 5 % 2]}_MSIL2A_{begun}_N0500_R{turn:03d}_T{square}_{done}"
        for day, begun, turn, square, done in zip(
            days.tolist(), stamps(times), orbit.tolist(), tiles.square, stamps(made), strict=True
        )
    ]
    return acquisition_columns(random, tiles, times, names)


def l8_columns(random: np.random.Generator, tiles: Tiles, times: np.ndarray) -> dict[str, pa.Array]:
    path = (np.floor((-tiles.lon + 295) % 360 / 360 * 233) + 1).astype(int)
    row = np.clip(np.round(60 - tiles.lat * 0.72), 1, 122).astype(int)
    made = times + random.integers(10, 300, len(times)) * 86_400_000
    names = [
        f"LC08_L2SP_{p:03d}{r:03d}_{begun[:8]}_{done[:8]}_02_T1"
        for p, r, begun, done in zip(path.tolist(), row.tolist(), stamps(times), stamps(made), strict=True)
    ]
    return acquisition_columns(random, tiles, times, names)


def acquisition_columns(
    random: np.random.Generator, tiles: Tiles, times: np.ndarray, names: list[str]
) -> dict[str, pa.Array]:
    azimuth, elevation = sun(times, tiles.lon, tiles.lat)
    cloud = np.round(100 * random.beta(0.4, 1.4, len(times)), 2).astype(np.float32)
    return {
        "stac:time_start": pa.array(times * 1000).cast(pa.timestamp("us")),
        "time_ms": pa.array(times),
        "product_id": pa.array(names),
        "cloud_score": pa.array(cloud),
        "sun_azimuth": pa.array(azimuth),
        "sun_elevation": pa.array(elevation),
    }


FRAME = ["stac:time_start", "time_ms", "product_id", "cloud_score", "sun_azimuth", "sun_elevation"]


def reflectances(random: np.random.Generator, count: int, shape: tuple[int, int, int]) -> np.ndarray:
    """A colour for each file and noise for each pixel; 0 would be no data."""
    bands, rows, columns = shape
    colour = random.integers(300, 4000, (count, 1, 1, bands), dtype=np.int32)
    return np.maximum(1, colour + random.integers(-250, 250, (count, rows, columns, bands), dtype=np.int32))


# --- Datasets ----------------------------------------------------------------------------------------------------------


@dataclass
class Shape:
    """A dataset: its tree and files, and the columns of each level."""

    name: str
    ids: pa.Array  # paths, level by level
    data: pa.ChunkedArray  # null for a FOLDER
    levels: list[dict[str, pa.Array]]
    children: list[list[str]]  # names below level 0, by level; those of level 2 with their FOLDERs
    extent: list[float]  # west, south, east, north, around all tiles; stated, so the same in twin and copy


class Makers:
    """Files and columns of the tiles of one dataset."""

    def __init__(self, random: np.random.Generator, tiles: Tiles, name: str) -> None:
        count = len(tiles)
        self.random, self.tiles, self.name = random, tiles, name
        self.samples = [str(number) for number in range(count)]
        self.no_data = NO_DATA_OF_LAND_COVER[name]
        s2 = tiles.s2
        # Landsat's pixels of 30 m begin at odd multiples of 15 m; elevation was resampled to multiples of 30 m.
        left, top = np.floor((s2.x - 15) / 30) * 30 + 15, np.ceil((s2.y - 15) / 30) * 30 + 15
        self.l8 = Raster(s2.epsg, left, top, 30.0, (2, 4, 4))
        self.dem = Raster(s2.epsg, np.floor(s2.x / 30) * 30, np.ceil(s2.y / 30) * 30, 30.0, (1, 4, 4))
        self.lc = Raster(s2.epsg, s2.x, s2.y, 10.0, (1, 9, 9))
        self.s2_files = Template("uint16", s2.shape, 10.0, "0", dated=True)
        self.cover, self.lc_data = self._land_cover()
        self.dem_data = self._elevation()
        self.level0 = tile_columns(random, tiles, self.cover, self.no_data)

    def _land_cover(self) -> tuple[np.ndarray, pa.Array]:
        """The class of most pixels of each tile, and the files."""
        count, random, land = len(self.tiles), self.random, self.tiles.land
        usual = random.choice([10, 20, 30, 40, 50, 60, 90], count, p=[0.3, 0.1, 0.2, 0.2, 0.05, 0.1, 0.05])
        usual = np.where(land == -2, 70, np.where(land == -1, self.no_data, usual))
        other = random.choice([10, 30, 60, 80], count)
        other = np.where(land < 0, usual, other)
        pixels = np.repeat(usual, 81).reshape(count, 81)
        few = random.random((count, 81)) < 0.3
        few[:, 40:] = False
        pixels = np.where(few, other[:, None], pixels)
        files = Template("uint8", (1, 9, 9), 10.0, str(self.no_data), dated=False)
        return usual, files.files(self.lc, pixels.reshape(count, 9, 9, 1))

    def _elevation(self) -> pa.Array:
        count, tiles = len(self.tiles), self.tiles
        height = 400 + 350 * np.sin(np.radians(7 * tiles.lon)) * np.cos(np.radians(9 * tiles.lat))
        height = np.where(tiles.land == -2, height + 2200, np.where(tiles.land == -1, 0, height))
        rough = np.where(tiles.land == -1, 0, 12)
        pixels = height[:, None] + rough[:, None] * self.random.normal(0, 1, (count, 16))
        files = Template("float32", (1, 4, 4), 30.0, "-9999", dated=False)
        return files.files(self.dem, pixels.reshape(count, 4, 4, 1))

    def paths(self, name: str) -> pa.Array:
        return tif_name(self.samples, name)

    def rasters(self, folders: list[str]) -> dict[str, dict[str, pa.Array]]:
        """Columns of the files of elevation and land cover, by their paths."""
        count = len(self.tiles)
        year = pa.array(np.full(count, np.datetime64("2021-01-01", "us")))
        lc = {**self.lc.columns(), "stac:time_start": year}
        known = {"dem/main.tif": self.dem.columns(), "lc/data.tif": lc, "wc/data.tif": lc}
        return {path: {**known[path], "file_path": self.paths(path)} for path in folders}

    def shape(
        self,
        level1: dict[str, Any],
        level2: dict[str, Any],
        columns1: list[str],
        columns2: list[str],
        data: dict[str, Any],
    ) -> Shape:
        """Of the rows of a tile: columns by path, with {} for a FOLDER."""
        count = len(self.tiles)
        levels = [self.level0]
        for rows, names in ((level1, columns1), (level2, columns2)):
            levels.append({name: interleaved([row.get(name) for row in rows.values()]) for name in names})
        ids = [pa.array(self.samples)]
        payloads: list[pa.Array] = [pa.nulls(count, pa.binary())]
        for rows in (level1, level2):
            ids.append(interleaved([self.paths(name) for name in rows]))
            step = 20_000  # tiles in a chunk, of less than 2 GB
            for start in range(0, count, step):
                parts = [data[name].slice(start, step) if name in data else None for name in rows]
                short = min(step, count - start)
                parts = [pa.nulls(short, pa.binary()) if part is None else part for part in parts]
                payloads.append(interleaved(parts))
        children = [[], list(level1), list(level2)]
        lat = self.tiles.lat
        extent = [-180, lat.min() - 0.05, 180, lat.max() + 0.05]
        extent = [float(round(each, 2)) for each in extent]
        return Shape(self.name, pa.concat_arrays(ids), pa.chunked_array(payloads), levels, children, extent)


GRID_COLUMNS = ["stac:crs", "stac:geotransform", "stac:tensor_shape", "stac:centroid"]


def make_single(random: np.random.Generator, count: int) -> Shape:
    tiles = choose_tiles(random, count, 83)
    make = Makers(random, tiles, "single")
    s2_times = moments(random, day_numbers(random, tiles.lat, 2017, 6), tiles.lon, 10.5)
    l8_times = s2_times + random.integers(-12, 13, count) * 86_400_000 - random.integers(300_000, 2_000_000, count)
    s2 = {**tiles.s2.columns(), **s2_columns(random, tiles, s2_times, random.integers(1, 144, count))}
    l8 = {**make.l8.columns(), **l8_columns(random, tiles, l8_times)}
    l8_files = Template("uint16", make.l8.shape, 30.0, "0", dated=True)
    level1 = {
        "dem": {},
        "lc": {},
        "wc": {},
        "s2.tif": {**s2, "file_path": make.paths("s2.tif")},
        "l8.tif": {**l8, "file_path": make.paths("l8.tif")},
    }
    level2 = make.rasters(["dem/main.tif", "lc/data.tif", "wc/data.tif"])
    data = {
        "dem/main.tif": make.dem_data,
        "lc/data.tif": make.lc_data,
        "wc/data.tif": make.lc_data,
        "s2.tif": make.s2_files.files(tiles.s2, reflectances(random, count, tiles.s2.shape), s2_times),
        "l8.tif": l8_files.files(make.l8, reflectances(random, count, make.l8.shape), l8_times),
    }
    below = [*GRID_COLUMNS, "stac:time_start", "file_path"]
    return make.shape(level1, level2, [*GRID_COLUMNS, *FRAME, "file_path"], below, data)


def make_frames(make: Makers, days: list[np.ndarray], names: list[str], orbit: np.ndarray) -> tuple[dict, dict]:
    """Columns and files of several frames of Sentinel-2, by path."""
    random, tiles, columns, data = make.random, make.tiles, {}, {}
    for day, name in zip(days, names, strict=True):
        times = moments(random, day, tiles.lon, 10.5)
        columns[name] = {
            **tiles.s2.columns(),
            **s2_columns(random, tiles, times, orbit),
            "acquired": pa.array(times).cast(pa.timestamp("ms")),
            "file_path": make.paths(name),
        }
        data[name] = make.s2_files.files(tiles.s2, reflectances(random, len(tiles), tiles.s2.shape), times)
    return columns, data


def make_monthly(random: np.random.Generator, count: int) -> Shape:
    tiles = choose_tiles(random, count, 58)
    make = Makers(random, tiles, "monthly")
    year = random.integers(2018, 2023, count)
    days = []
    for month in range(1, MONTHS + 1):
        first = (year - 1970) * 12 + month - 1
        days.append(
            first.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) + random.integers(0, 28, count)
        )
    names = [f"s2/m{month:02d}.tif" for month in range(1, MONTHS + 1)]
    frames, data = make_frames(make, days, names, random.integers(1, 144, count))
    others = make.rasters(["dem/main.tif", "lc/data.tif", "wc/data.tif"])
    kinds = {"dem": "elevation", "lc": "land cover", "wc": "land cover", "s2": "optical"}
    level1 = {name: {"modality": pa.array([kind] * count)} for name, kind in kinds.items()}
    data |= {"dem/main.tif": make.dem_data, "lc/data.tif": make.lc_data, "wc/data.tif": make.lc_data}
    columns2 = [*GRID_COLUMNS, *FRAME, "acquired", "file_path"]
    return make.shape(level1, {**others, **frames}, ["modality"], columns2, data)


def make_burst(random: np.random.Generator, count: int) -> Shape:
    tiles = choose_tiles(random, count, 83)
    make = Makers(random, tiles, "burst")
    first = day_numbers(random, tiles.lat, 2018, 5)
    names = [f"s2_{number}.tif" for number in range(BURST)]
    frames, data = make_frames(make, [first + 5 * k for k in range(BURST)], names, random.integers(1, 144, count))
    level1 = {"dem": {}, "lc": {}, "wc": {}, **frames}
    level2 = make.rasters(["dem/main.tif", "lc/data.tif", "wc/data.tif"])
    data |= {"dem/main.tif": make.dem_data, "lc/data.tif": make.lc_data, "wc/data.tif": make.lc_data}
    below = [*GRID_COLUMNS, "stac:time_start", "file_path"]
    return make.shape(level1, level2, [*GRID_COLUMNS, *FRAME, "file_path"], below, data)


# --- Descriptions ------------------------------------------------------------------------------------------------------

DESCRIPTIONS = {  # description, unit
    "majortom:code": ("Cell of the Major TOM grid of 10 km", ""),
    "soil:ph": ("Soil pH in water, times 10", ""),
    "soil:clay": ("Clay in the soil", "%"),
    "soil:sand": ("Sand in the soil", "%"),
    "soil:organic_carbon": ("Organic carbon in the soil, times 5", "g/kg"),
    "soil:bulk_density": ("Bulk density of the soil, divided by 10", "kg/m3"),
    "climate:temperature": ("Mean temperature of the year at 2 m", "K"),
    "climate:precipitation": ("Precipitation in a year", "m"),
    "admin:country": ("Country of the centre; null at sea", ""),
    "admin:region": ("Region of the centre; null at sea", ""),
    "population": ("People in the cell; 0 where nobody lives", ""),
    "gdp": ("Gross domestic product of the cell; NaN at sea", "USD of 2015"),
    "land_cover": ("Most frequent class of lc/data.tif, whose no data is {no_data}", ""),
    "window:row_off": ("First row of the tile in its product", "pixel"),
    "window:col_off": ("First column of the tile in its product", "pixel"),
    "window:height": ("Rows of the tile", "pixel"),
    "window:width": ("Columns of the tile", "pixel"),
    "time_ms": ("Acquisition, milliseconds since 1970 (UTC)", "ms"),
    "acquired": ("Acquisition (UTC)", ""),
    "product_id": ("Name of the product that the tile was cut from", ""),
    "cloud_score": ("Clouds in the tile", "%"),
    "sun_azimuth": ("Azimuth of the sun, from north to east", "degree"),
    "sun_elevation": ("Elevation of the sun", "degree"),
    "file_path": ("Path of the file below DATA/", ""),
    "modality": ("What the folder has", ""),
}
WRONG = {  # fault 9: what the faulty copy says instead
    "soil:ph": ("Soil pH in water", ""),
    "soil:organic_carbon": ("Organic carbon in the soil", "g/kg"),
    "soil:bulk_density": ("Bulk density of the soil", "kg/m3"),
    "climate:temperature": ("Mean temperature of the year at 2 m", "degC"),
    "climate:precipitation": ("Precipitation in a year", "mm"),
    "gdp": ("Gross domestic product per person; NaN at sea", "USD of 2015"),
}
WRONG_NO_DATA = 0  # of land cover, in all three


def describe(taco: Taco, shape: Shape, wrong: bool) -> None:
    no_data = WRONG_NO_DATA if wrong else NO_DATA_OF_LAND_COVER[shape.name]
    known = {column for level in shape.levels for column in level}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fields.csv"
        with path.open("w", newline="") as out:
            rows = csv.writer(out)
            rows.writerow(["name", "description", "unit", "classes"])
            for name, (text, unit) in (DESCRIPTIONS | (WRONG if wrong else {})).items():
                classes = {key: label for key, label in CLASSES.items() if key != no_data}
                listed = ";".join(f"{key}={label}" for key, label in classes.items()) if name == "land_cover" else ""
                if name in known:
                    rows.writerow([name, text.format(no_data=no_data), unit, listed])
        taco.describe_fields(path)


# --- Faults ------------------------------------------------------------------------------------------------------------


@dataclass
class Record:
    """What one fault changed in one level; `rows` are those of the faulty copy."""

    fault: int
    name: str
    level: int
    columns: list[str]
    rows: np.ndarray
    more: dict[str, Any] = field(default_factory=dict)


def derangement(random: np.random.Generator, items: np.ndarray) -> np.ndarray:
    """A random order of the items in which none is at its old place."""
    if len(items) < 2:
        raise SystemExit("too few tiles: choose a larger scale")
    while True:
        out = random.permutation(items)
        same = np.flatnonzero(out == items)
        if not len(same):
            return out
        out[same] = out[np.roll(same, 1)]  # several: around among themselves
        if len(same) > 1:
            return out
        swap = (same[0] + 1) % len(items)
        out[[same[0], swap]] = out[[swap, same[0]]]
        if not (out == items).any():
            return out


def child_rows(shape: Shape, level: int, child: str) -> np.ndarray:
    """Rows of a level that belong to one child of each tile, in the order of the tiles."""
    names = shape.children[level]
    return np.arange(len(shape.levels[0]["split"])) * len(names) + names.index(child)


def zero_filled(level: dict[str, pa.Array]) -> dict[str, pa.Array]:
    """Level 0 with zeros in the place of soil that is null."""
    return level | {name: pc.fill_null(level[name], pa.scalar(0, level[name].type)) for name in SOIL}


class Faults:
    """Plants faults in a copy of the levels, and records them."""

    def __init__(self, random: np.random.Generator, shape: Shape) -> None:
        self.random, self.shape = random, shape
        self.levels = [dict(level) for level in shape.levels]
        self.records: list[Record] = []
        self.count = len(shape.levels[0]["split"])

    def record(self, fault: int, name: str, level: int, columns: list[str], rows: np.ndarray, **more: Any) -> None:
        self.records.append(Record(fault, name, level, columns, np.sort(rows), more))

    def zero_soil(self) -> None:
        """8: all five are 0 where pH is 0. Other zeros are measured."""
        self.levels[0] = level = zero_filled(self.levels[0])
        rows = np.flatnonzero(np.asarray(level["soil:ph"]) == 0)
        self.record(8, "zero_for_null", 0, SOIL, rows, true_rows=rows.tolist())

    def permute_tiles(self) -> None:
        """1 and 2: one permutation of tiles; the frames of some tiles are spared, which are cycles of it."""
        order = self.random.permutation(self.count)
        spared = max(2, round(SPARED_TILES * self.count))
        fixed_point, kept, moved = order[:1], np.sort(order[1 : 1 + spared]), np.sort(order[1 + spared :])
        source = np.arange(self.count)
        source[kept], source[moved] = derangement(self.random, kept), derangement(self.random, moved)
        level = self.levels[0]
        columns = [name for name in level if name not in ("split", "istac:crs")]
        for name in columns:
            level[name] = level[name].take(pa.array(source))
        for record in self.records:  # what was zero has moved, too
            if record.fault == 8:
                rows = np.flatnonzero(np.isin(source, record.rows))
                record.rows, record.more["true_rows"] = rows, source[rows].tolist()
        rows = np.flatnonzero(source != np.arange(self.count))
        self.record(1, "permuted_tiles", 0, columns, rows, permutation=source.tolist(), fixed=fixed_point.tolist())

        names = [name for name in self.shape.children[1] if name.startswith("s2")]
        frames = source.copy()
        frames[kept] = kept
        total = np.arange(self.count * len(self.shape.children[1]))
        for name in names:
            rows = child_rows(self.shape, 1, name)
            total[rows] = rows[frames]
        level = self.levels[1]
        for name in FRAME:
            level[name] = level[name].take(pa.array(total))
        rows = np.flatnonzero(total != np.arange(len(total)))
        self.record(2, "permuted_frames", 1, FRAME, rows, tiles=frames.tolist(), permutation=total.tolist())

    def microseconds(self, level_number: int, children: list[str], column: str, share: float) -> None:
        """3: some values are 1,000 times too large."""
        rows = np.sort(np.concatenate([child_rows(self.shape, level_number, name) for name in children]))
        chosen = np.sort(self.random.choice(rows, max(2, round(share * len(rows))), replace=False))
        level = self.levels[level_number]
        values = level[column].take(pa.array(chosen)).cast(pa.int64())
        level[column] = replaced(level[column], chosen, pc.multiply(values, 1000))
        self.record(3, "time_unit", level_number, [column], chosen, factor=1000)

    def move_grids(self) -> None:
        """4: origins are off by 1 pixel to some hundred km, in whole pixels."""
        rows = child_rows(self.shape, 1, "s2.tif")
        chosen = np.sort(self.random.choice(rows, round(SHARE_OF_GEOTRANSFORMS * len(rows)), replace=False))
        level = self.levels[1]
        grid = np.array(level["stac:geotransform"].take(pa.array(chosen)).flatten()).reshape(-1, 6).copy()
        distance = 10 * np.round(10 ** self.random.uniform(0, np.log10(40_000), len(chosen)))
        turn = self.random.uniform(0, 2 * np.pi, len(chosen))
        east, north = 10 * np.round(distance * np.cos(turn) / 10), 10 * np.round(distance * np.sin(turn) / 10)
        east = np.where((east == 0) & (north == 0), 10, east)
        grid[:, 0], grid[:, 3] = grid[:, 0] + east, grid[:, 3] + north
        level["stac:geotransform"] = replaced(level["stac:geotransform"], chosen, lists(grid, pa.float64()))
        self.record(4, "geotransform", 1, ["stac:geotransform"], chosen)

    def lead_to_copy(self) -> None:
        """5: lc/data.tif has the path of its copy."""
        self._paths(5, "path_of_copy", ["lc/data.tif"], lambda path: path.replace("/lc/", "/wc/"))

    def name_folders(self) -> None:
        """7: N/dem in place of N/dem/main.tif."""
        self._paths(7, "path_of_folder", ["dem/main.tif", "lc/data.tif"], lambda path: path.rpartition("/")[0])

    def _paths(self, fault: int, name: str, children: list[str], change: Any) -> None:
        level = self.levels[2]
        rows = np.sort(np.concatenate([child_rows(self.shape, 2, child) for child in children]))
        changed = [change(path) for path in level["file_path"].take(pa.array(rows)).to_pylist()]
        level["file_path"] = replaced(level["file_path"], rows, pa.array(changed))
        self.record(fault, name, 2, ["file_path"], rows)

    def shuffle_landsat(self) -> None:
        """6: all metadata of the rows but their paths is that of rows in another order."""
        rows = child_rows(self.shape, 1, "l8.tif")
        order = self.random.permutation(self.count)
        total = np.arange(self.count * len(self.shape.children[1]))
        total[rows] = rows[order]
        level = self.levels[1]
        columns = [name for name in level if name != "file_path"]
        for name in columns:
            level[name] = level[name].take(pa.array(total))
        moved = np.flatnonzero(total != np.arange(len(total)))
        self.record(6, "scrambled_level", 1, columns, moved, tiles=order.tolist(), permutation=total.tolist())


def plant(random: np.random.Generator, shape: Shape) -> Faults:
    faults = Faults(random, shape)
    faults.zero_soil()
    if shape.name == "single":
        faults.microseconds(1, ["s2.tif"], "time_ms", SHARE_OF_MICROSECONDS)
        faults.move_grids()
        faults.lead_to_copy()
        faults.shuffle_landsat()
    elif shape.name == "monthly":
        frames = [name for name in shape.children[2] if name.startswith("s2/")]
        faults.microseconds(2, frames, "time_ms", SHARE_OF_MICROSECONDS)
        faults.microseconds(2, frames, "acquired", SHARE_OF_MICROSECONDS)
        faults.name_folders()
    else:
        faults.permute_tiles()
        faults.name_folders()
    return faults


# --- Output ------------------------------------------------------------------------------------------------------------


def write(path: Path, shape: Shape, base: Tortilla, levels: list[dict[str, pa.Array]], wrong: bool) -> None:
    tortilla = copy.copy(base)
    for number, level in enumerate(levels):
        if level:
            tortilla.extend_with(pa.table(level), level=number)
    taco = Taco(
        tortilla,
        id=f"elliot_{shape.name}",
        dataset_version="1.0.0",
        title=f"Tiles of 10 km, {shape.name}",
        description="Synthetic tiles with the shape of a published dataset: optical frames, elevation, land cover",
        licenses=["CC0-1.0"],
        providers=[{"name": "tacore"}],
        tasks=["other"],
        extent=Extent(spatial=shape.extent, temporal=["2016-12-01T00:00:00Z", "2023-12-31T00:00:00Z"]),
    )
    describe(taco, shape, wrong)
    tacore.create(taco, path, split_size=None, overwrite=True, progress=False)


def plain(value: Any) -> Any:
    """A value of Arrow as JSON: WKB in hexadecimal, times as integers in the unit of their column."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and np.isnan(value):
        return "NaN"
    return value


def values_of(column: pa.Array) -> list[Any]:
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.int64())
    return [plain(value) for value in column.to_pylist()]


def explain(folder: Path, shape: Shape, faults: Faults) -> list[dict[str, Any]]:
    """The records as JSON, with their values in Parquet files."""
    (folder / "truth").mkdir(exist_ok=True)
    starts = np.cumsum([0, *(faults.count * max(1, len(names)) for names in shape.children)])
    out = []
    for record in faults.records:
        rows, clean, faulty = pa.array(record.rows), shape.levels[record.level], faults.levels[record.level]
        paths = shape.ids.take(pa.array(record.rows + starts[record.level]))
        table, changed = {"row": rows, "path": paths}, {}
        for name in record.columns:
            old, new = clean[name].take(rows), faulty[name].take(rows)
            table[f"true:{name}"], table[f"faulty:{name}"] = old, new
            changed[name] = sum(a != b for a, b in zip(values_of(old), values_of(new)))
        called = f"{shape.name}-{record.fault}-{record.columns[0].replace(':', '_')}.parquet"
        pq.write_table(pa.table(table), folder / "truth" / called, compression="zstd")
        entry = {
            "fault": record.fault,
            "name": record.name,
            "dataset": shape.name,
            "level": record.level,
            "columns": record.columns,
            "num_rows": len(record.rows),
            "changed": changed,
            "values": f"truth/{called}",
            "rows": record.rows.tolist(),
            **record.more,
        }
        if len(record.rows) <= INLINE:
            entry["paths"] = paths.to_pylist()
            entry["true"] = {name: values_of(table[f"true:{name}"]) for name in record.columns}
            entry["faulty"] = {name: values_of(table[f"faulty:{name}"]) for name in record.columns}
        out.append(entry)
    return out


def collection_of(path: Path) -> Any:
    return tacore.load(path).collection


def wrong_words(name: str, clean: Any, faulty: Any) -> dict[str, Any]:
    """Fault 9: all places where the two COLLECTION.json differ."""
    found: list[dict[str, Any]] = []

    def walk(a: Any, b: Any, at: str) -> None:
        if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
            for key in a:
                walk(a[key], b[key], f"{at}/{key}")
        elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b) and at != "/labels:classes":
            for number, pair in enumerate(zip(a, b)):
                walk(*pair, f"{at}/{number}")
        elif a != b:
            found.append({"pointer": at, "true": a, "faulty": b})

    walk(clean, faulty, "")
    for entry in found:
        parts = entry["pointer"].split("/")
        if parts[1] == "taco:field_schema":
            entry["level"] = int(parts[2].removeprefix("level"))
            entry["column"] = clean["taco:field_schema"][parts[2]][int(parts[3])][0]
    columns = [entry["column"] for entry in found if "column" in entry]
    return {"fault": 9, "name": "wrong_units", "dataset": name, "level": 0, "columns": columns, "changes": found}


MAKERS = {"single": make_single, "monthly": make_monthly, "burst": make_burst}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scale", type=float, default=1.0, help="1: as many samples as the published dataset")
    parser.add_argument("--kept", action="store_true", help="also make kept/, in which only faults 8 and 9 are left")
    parser.add_argument("--seed", type=int, default=20261129)
    parser.add_argument(
        "--only", choices=MAKERS, action="append", help="make only these; truth.json is then theirs alone"
    )
    args = parser.parse_args()
    for name in ("clean", "faulty", "kept") if args.kept else ("clean", "faulty"):
        (args.folder / name).mkdir(parents=True, exist_ok=True)
    truth: dict[str, Any] = {"version": 1, "seed": args.seed, "scale": args.scale, "datasets": {}, "faults": []}
    for number, (name, make) in enumerate(MAKERS.items()):
        if args.only and name not in args.only:
            continue
        began = time.monotonic()
        count = max(30, round(SAMPLES[name] * args.scale))
        shape = make(np.random.default_rng([args.seed, number]), count)
        faults = plant(np.random.default_rng([args.seed, number, 1]), shape)
        base = Tortilla.from_table(pa.table({"id": shape.ids, "data": shape.data}))
        clean, faulty = args.folder / "clean" / f"{name}.tacozip", args.folder / "faulty" / f"{name}.tacozip"
        write(clean, shape, base, shape.levels, wrong=False)
        write(faulty, shape, base, faults.levels, wrong=True)
        if args.kept:
            some = [zero_filled(shape.levels[0]), *shape.levels[1:]]
            write(args.folder / "kept" / f"{name}.tacozip", shape, base, some, wrong=True)
        truth["datasets"][name] = {
            "clean": f"clean/{name}.tacozip",
            "faulty": f"faulty/{name}.tacozip",
            **({"kept": f"kept/{name}.tacozip"} if args.kept else {}),
            "samples": count,
            "children": shape.children[1:],
        }
        truth["faults"] += explain(args.folder, shape, faults)
        truth["faults"].append(wrong_words(name, collection_of(clean), collection_of(faulty)))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(
            f"{name}: {count} samples, {clean.stat().st_size / 1e6:.1f} and {faulty.stat().st_size / 1e6:.1f} MB, "
            f"{time.monotonic() - began:.1f} s, at most {memory:.1f} GB of memory so far",
            file=sys.stderr,
        )
        del shape, faults, base
    truth["faults"].sort(key=lambda entry: entry["fault"])
    with (args.folder / "truth.json").open("w") as out:
        json.dump(truth, out, separators=(",", ":"), allow_nan=False)
        out.write("\n")


if __name__ == "__main__":
    main()
