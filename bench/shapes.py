#!/usr/bin/env python3
"""Generates large datasets: flat samples all over the globe, in parts, with next to no data.

    shapes.py --rows 10000000 --parts 10 FOLDER              part00000.tacozip, ... along a Hilbert curve over the globe
    shapes.py --rows 10000000 --parts 10 --order none FOLDER   the same places in random order
    shapes.py --rows 1000000000 --parts 1000 --compact FOLDER   times of whole days, and numbers that are encoded as
                                                             differences: a billion rows take 14 GB instead of 30

Each part is a stretch of the curve, so that all are written one after another, in the memory of one. The first samples of each part can
be read; all others share one hole in their ZIP: their offsets and sizes are valid ranges of it, but they have no entries of their own.
Columns: id, a point, a time, cloud cover, split and land cover.
"""
import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa

import generate

BITS = 24


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


def write_part(path, random, part, args):
    rows = args.rows // args.parts
    archive = generate.ZipFile(path)
    archive.add("TACO_HEADER", bytes(116))
    data = generate.Data(archive, rows, 0, 64)
    numbers = ["internal:current_id", "internal:parent_id", "internal:offset"] if args.compact else []
    level = generate.Level(args.zstd_level, {"id": "DELTA_BYTE_ARRAY"} | dict.fromkeys(numbers, "DELTA_BINARY_PACKED")
                           if args.compact else {})
    low, high = (part * 4**BITS // args.parts, (part + 1) * 4**BITS // args.parts) if args.order == "hilbert" else (0, 4**BITS)
    positions = random.integers(low, high, rows)
    if args.order == "hilbert":
        positions.sort()
    for start, stop in generate.slices(rows):
        count, first = stop - start, part * rows
        columns = generate.attributes(random, count)
        columns["stac:centroid"] = points(*places(positions[start:stop]))
        if args.compact:
            columns["stac:time_start"] = columns["stac:time_start"].cast(pa.date32(), safe=False).cast(pa.timestamp("us"))
        numbers = np.arange(start, stop)
        ids = generate.numbered("sample_", first + start, first + stop, 10)
        offsets = data.base + numbers % data.slots * 64
        for i, name in enumerate(ids.slice(0, max(0, args.entries - start)).to_pylist()):
            offsets[i], _ = archive.add("DATA/" + name, name.encode().ljust(64, b"."))
        level.append({"id": ids, "type": pa.repeat("FILE", count),
                      **columns, "internal:current_id": numbers, "internal:parent_id": numbers,
                      "internal:offset": offsets,
                      "internal:size": pa.repeat(np.int64(64), count)})
    generate.finish(archive, "bench_shapes", [level], {"root": {"n": rows, "type": "FILE"}, "hierarchy": {}})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--order", choices=["hilbert", "none"], default="hilbert")
    parser.add_argument("--zstd-level", type=int, default=3)
    parser.add_argument("--compact", action="store_true")
    parser.add_argument("--entries", type=int, default=1000, help="samples at the beginning of each part that can be read")
    parser.add_argument("--seed", type=int, default=20260101)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for part in range(args.parts):
        write_part(args.folder / f"part{part:05d}.tacozip", np.random.default_rng(args.seed + part), part, args)


if __name__ == "__main__":
    main()
