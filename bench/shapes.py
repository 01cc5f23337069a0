#!/usr/bin/env python3
"""Generates large datasets: samples all over the globe, in parts, with next to no data.

    shapes.py --rows 10000000 --parts 10 FOLDER              part00000.tacozip, ... along a Hilbert curve over the globe
    shapes.py --rows 10000000 --parts 10 --order none FOLDER   the same places in random order
    shapes.py --rows 1000000000 --parts 1000 --compact FOLDER   times of whole days, and numbers that are encoded as
                                                             differences: a billion rows take 14 GB instead of 30
    shapes.py --shape L FOLDER                               a shape of published datasets:

                 samples                                    parts
    S  MethaneSET   60,903 FOLDERs of 5 children, of which one has a child of its own   38
    M  Major TOM    2,250,000 FOLDERs of 4 FILEs                                      1,000
    L  TerraMesh    9,089,536 FOLDERs of 8 FILEs                                        889
    XL              1e9 FILEs, --compact                                              1,000

Each part is a stretch of the curve, so that all are written one after another, in the memory of one. The first samples of each part can
be read; all others share one hole in their ZIP: their offsets and sizes are valid ranges of it, but they have no entries of their own.
Columns of level 0: id, a point, a time, cloud cover, split and land cover; of FILEs below: id and cloud cover.
"""
import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute

import generate

BITS = 24
SHAPES = {
    "S": {"rows": 60_903, "parts": 38, "children": 5, "grandchild": True},
    "M": {"rows": 2_250_000, "parts": 1000, "children": 4},
    "L": {"rows": 9_089_536, "parts": 889, "children": 8},
    "XL": {"rows": 10**9, "parts": 1000, "compact": True},
}
SIZE = 64


def places(positions):
    """Longitudes and latitudes of positions on a Hilbert curve of 2^BITS by 2^BITS cells."""
    x, y = np.zeros(len(positions), np.int64), np.zeros(len(positions), np.int64)
    rest = positions.copy()
    for bit in range(BITS):
        side = np.int64(1) << bit
        right, upper = rest >> 1 & 1, (rest ^ rest >> 1) & 1
        turned, mirrored = upper == 0, (upper == 0) & (right == 1)
        x, y = np.where(mirrored, side - 1 - x, x), np.where(mirrored, side - 1 - y, y)
        x, y = np.where(turned, y, x), np.where(turned, x, y)
        x, y = x + side * right, y + side * upper
        rest >>= 2
    return (x + 0.5) / 2**BITS * 360 - 180, (y + 0.5) / 2**BITS * 180 - 90


def points(lon, lat):
    wkb = np.zeros(len(lon), np.dtype([("order", "u1"), ("kind", "<u4"), ("x", "<f8"), ("y", "<f8")]))
    wkb["order"], wkb["kind"], wkb["x"], wkb["y"] = 1, 1, lon, lat
    return generate.fixed_strings(wkb.view(np.uint8).reshape(len(lon), 21), pa.binary())


class Slots:
    """Where samples lie: the first ones in entries of their own, the others in one hole."""

    def __init__(self, archive, count, entries):
        self.archive, self.entries = archive, entries
        self.data = generate.Data(archive, count, 0, SIZE)

    def offsets(self, paths, start):
        """Of the samples at `paths` (below DATA/), the first of which is number `start`."""
        out = self.data.base + (start + np.arange(len(paths))) % self.data.slots * SIZE
        for i, path in enumerate(paths.slice(0, max(0, self.entries - start)).to_pylist()):
            out[i], _ = self.archive.add("DATA/" + path, path.encode().ljust(SIZE, b"."))
        return out


def below(level, parents, ids, types, slots):
    """Adds a level with a row for each of `ids` in each FOLDER of `parents`, which are paths. Returns the paths of its rows."""
    width, paths = len(ids), []
    step = max(1, generate.ROW_GROUP // width)
    for start in range(0, len(parents), step):
        folders = parents.slice(start, step)
        number = np.arange(len(folders) * width)
        child = pa.array(ids).take(pa.array(number % width))
        path = pa.compute.binary_join_element_wise(folders.take(pa.array(number // width)), child, "/")
        number += start * width
        level.append({"id": child, "type": pa.array(types).take(pa.array(number % width)),
                      "cloud_cover": pa.array(np.round(number * 0.618 % 100, 2)), "internal:current_id": number,
                      "internal:parent_id": number // width, "internal:offset": slots.offsets(path, start * width),
                      "internal:size": pa.repeat(np.int64(SIZE), len(number)), "internal:relative_path": path})
        paths.append(path)
    return pa.concat_arrays(paths)


def write_part(path, random, part, args):
    first, rows = args.rows * part // args.parts, args.rows * (part + 1) // args.parts - args.rows * part // args.parts
    archive = generate.ZipFile(path)
    archive.add("TACO_HEADER", bytes(116))
    slots = Slots(archive, rows * max(1, args.children), args.entries)
    numbers = ["internal:current_id", "internal:parent_id", "internal:offset"] if args.compact else []
    level = generate.Level(args.zstd_level, {"id": "DELTA_BYTE_ARRAY"} | dict.fromkeys(numbers, "DELTA_BINARY_PACKED")
                           if args.compact else {})
    low, high = (part * 4**BITS // args.parts, (part + 1) * 4**BITS // args.parts) if args.order == "hilbert" else (0, 4**BITS)
    positions = random.integers(low, high, rows)
    if args.order == "hilbert":
        positions.sort()
    levels, pit, all_ids = [level], {"root": {"n": rows, "type": "FILE"}, "hierarchy": {}}, []
    for start, stop in generate.slices(rows):
        count = stop - start
        columns = generate.attributes(random, count)
        columns["stac:centroid"] = points(*places(positions[start:stop]))
        if args.compact:
            columns["stac:time_start"] = columns["stac:time_start"].cast(pa.date32(), safe=False).cast(pa.timestamp("us"))
        ids = generate.numbered("sample_", first + start, first + stop, 10)
        offsets = slots.offsets(ids, start) if not args.children else slots.data.base + np.arange(start, stop) % slots.data.slots * SIZE
        level.append({"id": ids, "type": pa.repeat("FOLDER" if args.children else "FILE", count),
                      **columns, "internal:current_id": np.arange(start, stop), "internal:parent_id": np.arange(start, stop),
                      "internal:offset": offsets,
                      "internal:size": pa.repeat(np.int64(SIZE), count)})
        all_ids.append(ids)
    if args.children:
        pit["root"]["type"] = "FOLDER"
        ids = generate.CHILD_NAMES[:args.children]
        types = ["FILE"] * args.children
        if args.grandchild:
            types[-1] = "FOLDER"
        levels.append(generate.Level(args.zstd_level))
        paths = below(levels[1], pa.concat_arrays(all_ids), ids, types, slots)
        pit["hierarchy"]["1"] = [{"n": rows * args.children, "type": types, "id": ids}]
        if args.grandchild:
            levels.append(generate.Level(args.zstd_level))
            parents = paths.take(pa.array(np.arange(rows) * args.children + args.children - 1))
            below(levels[2], parents, ["plume"], ["FILE"], slots)
            pit["hierarchy"]["2"] = [{"n": rows, "type": ["FILE"], "id": ["plume"]}]
    generate.finish(archive, "bench_shapes", levels, pit)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--order", choices=["hilbert", "none"], default="hilbert")
    parser.add_argument("--zstd-level", type=int, default=3)
    parser.add_argument("--compact", action="store_true")
    parser.add_argument("--children", type=int, default=0)
    parser.add_argument("--grandchild", action="store_true")
    parser.add_argument("--shape", choices=SHAPES, default=None)
    parser.add_argument("--entries", type=int, default=1000, help="samples at the beginning of each part that can be read")
    parser.add_argument("--seed", type=int, default=20260101)
    args = parser.parse_args()
    if args.shape:
        vars(args).update(SHAPES[args.shape])
    args.folder.mkdir(parents=True, exist_ok=True)
    for part in range(args.parts):
        write_part(args.folder / f"part{part:05d}.tacozip", np.random.default_rng(args.seed + part), part, args)


if __name__ == "__main__":
    main()
