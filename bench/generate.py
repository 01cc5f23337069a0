#!/usr/bin/env python3
"""Generates datasets for the benchmarks: a fixed seed, real-looking metadata, next to no data.

    generate.py --rows 1000000 --kind flat OUTPUT.tacozip
    generate.py --rows 1000000 --kind nested --children 10 OUTPUT.tacozip
    generate.py --rows 2000 --kind imagery OUTPUT.tacozip

--rows counts level 0 rows (flat) or level 1 rows (nested: rows / children folders). Level 0 has 11 columns, ZSTD, content-defined
chunking, row groups of 65536. Up to --entries samples get real entries in the ZIP (a few bytes each; --size for more). Beyond
that, samples share one large stored entry of zeros, a hole in the file: their offsets and sizes are valid ranges of it.
Nested datasets have a `__meta__` entry per folder only when they have real entries, and not with --shared-meta; else all folders
point at one.
"""
import argparse
import json
import struct
import sys
import time
import zlib
from io import BytesIO

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq

import imagery

ROW_GROUP = 65536
TIME_AND_DATE = (0, (2026 - 1980) << 9 | 1 << 5 | 1)
CHILD_NAMES = ["s2", "s1", "dem", "label", "mask", "l8", "era5", "lst", "ndvi", "qa"]
UINT32_MAX = 0xFFFFFFFF


class ZipFile:
    """A stored ZIP, written in one pass; ZIP64 only where a field overflows."""

    def __init__(self, path):
        self.out, self.directory, self.count = open(path, "wb"), BytesIO(), 0

    def add(self, name, data=b"", *, hole=0, crc=None, mode=0o100644):
        """`hole` zeros follow as a hole. Returns (offset, size) of the payload."""
        start, size = self.out.tell(), len(data) + hole
        crc = zlib.crc32(data) if crc is None else crc
        raw, wide = name.encode(), size >= UINT32_MAX
        self.out.write(struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 45 if wide else 10, 0, 0, *TIME_AND_DATE, crc,
                                   *[min(size, UINT32_MAX)] * 2, len(raw), 20 if wide else 0) + raw)
        if wide:
            self.out.write(struct.pack("<HHQQ", 1, 16, size, size))
        payload = self.out.tell()
        self.out.write(data)
        self.out.seek(hole, 1)
        values = ([size, size] if wide else []) + ([start] if start >= UINT32_MAX else [])
        extra = struct.pack(f"<HH{len(values)}Q", 1, 8 * len(values), *values) if values else b""
        self.directory.write(struct.pack(
            "<4sHHHHHHIIIHHHHHII", b"PK\1\2", 0x033F, 45 if values else 10, 0, 0, *TIME_AND_DATE, crc,
            *[min(size, UINT32_MAX)] * 2, len(raw), len(extra), 0, 0, 0, mode << 16, min(start, UINT32_MAX)) + raw + extra)
        self.count += 1
        return payload, size

    def close(self, header):
        start, records = self.out.tell(), self.directory.getvalue()
        records = bytearray(records)
        struct.pack_into("<I", records, 16, zlib.crc32(header))  # TACO_HEADER is the first record
        self.out.write(records)
        if self.count > 65534 or start + len(records) >= UINT32_MAX:
            end64 = self.out.tell()
            self.out.write(struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, self.count, self.count, len(records), start))
            self.out.write(struct.pack("<4sIQI", b"PK\6\7", 0, end64, 1))
        count = min(self.count, 0xFFFF)
        self.out.write(struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, count, count, min(len(records), UINT32_MAX),
                                   min(start, UINT32_MAX), 0))
        self.out.seek(14)
        self.out.write(struct.pack("<I", zlib.crc32(header)))
        self.out.seek(41)
        self.out.write(header)
        self.out.close()


def crc_of_zeros(size):
    """CRC-32 of `size` zero bytes in O(log size): appending zeros is a linear map of the register, here by squaring it."""
    def times(matrix, vector):
        result, i = 0, 0
        while vector:
            if vector & 1:
                result ^= matrix[i]
            vector, i = vector >> 1, i + 1
        return result
    one_bit = [0xEDB88320] + [1 << i for i in range(31)]
    operator, register, bits = one_bit, UINT32_MAX, size * 8
    while bits:
        if bits & 1:
            register = times(operator, register)
        operator, bits = [times(operator, column) for column in operator], bits >> 1
    return register ^ UINT32_MAX


def numbered(prefix, start, stop, width):
    """prefix00000042 ..: digits by arithmetic, a hundred times faster than formatting."""
    numbers = np.arange(start, stop, dtype=np.int64)
    text = np.empty((len(numbers), len(prefix) + width), np.uint8)
    text[:, :len(prefix)] = np.frombuffer(prefix.encode(), np.uint8)
    for k in range(width):
        text[:, -1 - k] = 48 + numbers // 10**k % 10
    return fixed_strings(text, pa.string())


def fixed_strings(text, kind):
    count, width = text.shape
    offsets = np.arange(0, (count + 1) * width, width, dtype=np.int32) if width else np.zeros(count + 1, np.int32)
    return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(text))])


def points(random, count):
    """WKB points, even on the sphere."""
    wkb = np.zeros(count, np.dtype([("order", "u1"), ("kind", "<u4"), ("x", "<f8"), ("y", "<f8")]))
    wkb["order"], wkb["kind"] = 1, 1
    wkb["x"] = random.uniform(-180, 180, count)
    wkb["y"] = np.degrees(np.arcsin(random.uniform(-1, 1, count)))
    return fixed_strings(wkb.view(np.uint8).reshape(count, 21), pa.binary())


def words(random, count, choices, chances=None):
    index = random.choice(len(choices), count, p=chances).astype(np.int8)
    return pa.DictionaryArray.from_arrays(index, pa.array(choices)).cast(pa.string())


def attributes(random, count):
    """The five user columns: none is sorted."""
    start, end = np.datetime64("2015-06-23", "us").astype(np.int64), np.datetime64("2025-01-01", "us").astype(np.int64)
    return {
        "stac:centroid": points(random, count),
        "stac:time_start": pa.array(random.integers(start, end, count)).cast(pa.timestamp("us")),
        "cloud_cover": pa.array(np.round(100 * random.beta(0.4, 1.2, count), 2)),
        "split": words(random, count, ["train", "validation", "test"], [0.8, 0.1, 0.1]),
        "land_cover": words(random, count, ["cropland", "forest", "grassland", "shrubland", "urban", "water", "wetland",
                                            "snow", "bare"]),
    }


def undecided(columns, start):
    """Of a row group, the first row changed so that footer statistics cannot rule out padding: ids on both sides of `__TACOPAD__`, an
    empty sample, a null in every user column."""
    first = {"id": f"0_{start:08d}", "internal:size": 0}
    return {name: column if name == "type" or (name.startswith("internal:") and name not in first) else
            pa.concat_arrays([pa.array([first.get(name)], column.type), column.slice(1)])
            for name, column in ((name, pa.array(column)) for name, column in columns.items())}


class Level:
    """Writes one level, a row group at a time, into memory. `encodings`: of columns that have no dictionary."""

    def __init__(self, compression_level, encodings=None):
        self.out, self.writer, self.compression_level = BytesIO(), None, compression_level
        self.schema, self.encodings = None, encodings or {}

    def append(self, columns):
        table = pa.table(columns)
        if self.writer is None:
            self.schema = table.schema
            self.writer = pq.ParquetWriter(self.out, table.schema, compression="zstd", compression_level=self.compression_level,
                                           use_content_defined_chunking=True, column_encoding=self.encodings or None,
                                           use_dictionary=not self.encodings or [name for name in columns if name not in self.encodings])
        self.writer.write_table(table, row_group_size=ROW_GROUP)

    def finish(self):
        self.writer.close()
        return self.out.getvalue()


def slices(count):
    for start in range(0, count, ROW_GROUP):
        yield start, min(start + ROW_GROUP, count)


def meta_bytes(columns):
    out = BytesIO()
    pq.write_table(pa.table(columns), out, compression="zstd")
    return out.getvalue()


def collection(name, pit, levels):
    fields = {f"level{k}": [[f.name, str(f.type), ""] for f in level.schema if f.name not in ("internal:offset", "internal:size")]
              for k, level in enumerate(levels)}
    return json.dumps({
        "id": name, "dataset_version": "1.0.0", "description": "Generated for benchmarks", "licenses": ["CC0-1.0"],
        "providers": [{"name": "tacore", "organization": None, "email": None, "role": "producer"}], "tasks": ["other"],
        "taco_version": "2.0.0", "title": None, "curators": None, "keywords": None,
        "extent": {"spatial": [-180.0, -90.0, 180.0, 90.0], "temporal": ["2015-06-23T00:00:00Z", "2025-01-01T00:00:00Z"]},
        "taco:pit_schema": pit, "taco:field_schema": fields}, indent=4).encode()


class Data:
    """Where samples lie: real entries while there are few, else slots of one hole."""

    def __init__(self, archive, count, entries, size):
        self.archive, self.size, self.real = archive, size, count <= entries
        if not self.real:
            self.slots = max(1, min(count, 2**31 // size))
            self.base, _ = archive.add("DATA/shared", hole=self.slots * size, crc=crc_of_zeros(self.slots * size))

    def place(self, names, start):
        """Offsets of the samples `names` (paths below DATA/), the first one being sample number `start`."""
        if not self.real:
            return self.base + np.arange(start, start + len(names), dtype=np.int64) % self.slots * self.size
        payload = lambda name: name.encode().ljust(self.size, b".")[:self.size]
        return np.array([self.archive.add("DATA/" + name, payload(name))[0] for name in names], np.int64)


def flat(archive, random, args):
    level = Level(args.zstd_level)
    data = Data(archive, args.rows, args.entries, args.size)
    for start, stop in slices(args.rows):
        ids, numbers = numbered("sample_", start, stop, 8), np.arange(start, stop)
        offsets = data.place(ids.to_pylist() if data.real else ids, start)
        columns = {"id": ids, "type": pa.repeat("FILE", stop - start), **attributes(random, stop - start),
                   "internal:current_id": numbers, "internal:parent_id": numbers, "internal:offset": offsets,
                   "internal:size": pa.repeat(np.int64(args.size), stop - start)}
        level.append(undecided(columns, start) if args.undecided else columns)
    return [level], {"root": {"n": args.rows, "type": "FILE"}, "hierarchy": {}}


def nested(archive, random, args):
    names = CHILD_NAMES[:args.children] + [f"extra_{k}" for k in range(len(CHILD_NAMES), args.children)]
    folders, width = args.rows // args.children, args.children
    data = Data(archive, folders * width, args.entries, args.size)
    top, below = Level(args.zstd_level), Level(args.zstd_level)
    files = pa.repeat("FILE", width)
    for start, stop in slices(folders * width):  # a row group may start inside a folder
        parent = np.arange(start, stop) // width
        child = pa.array(names).take(pa.array(np.arange(start, stop) % width))
        folder_ids = numbered("sample_", int(parent[0]), int(parent[-1]) + 1, 8)
        path = pa.compute.binary_join_element_wise(folder_ids.take(pa.array(parent - parent[0])), child, "/")
        offsets = data.place(path.to_pylist() if data.real else path, start)
        first = pa.array(offsets[:width]) if start == 0 else first
        count = stop - start
        columns = attributes(random, count)
        below.append({"id": child, "type": pa.repeat("FILE", count), "cloud_cover": columns["cloud_cover"],
                      "stac:time_start": columns["stac:time_start"], "internal:current_id": np.arange(start, stop),
                      "internal:parent_id": parent, "internal:offset": offsets,
                      "internal:size": pa.repeat(np.int64(args.size), count), "internal:relative_path": path})
    own_meta = data.real and not args.shared_meta
    children = pq.read_table(pa.BufferReader(below.finish())) if own_meta else None
    if not own_meta:  # the table of the first folder stands for all
        shared = archive.add("DATA/sample_00000000/__meta__", meta_bytes({
            "id": pa.array(names), "type": files, "internal:offset": first,
            "internal:size": pa.repeat(np.int64(args.size), width)}))
    for start, stop in slices(folders):
        count, ids = stop - start, numbered("sample_", start, stop, 8)
        if own_meta:
            local = children.drop_columns(["internal:current_id", "internal:parent_id", "internal:relative_path"])
            places = np.array([archive.add(f"DATA/{name}/__meta__", meta_bytes(local.slice((start + k) * width, width)))
                               for k, name in enumerate(ids.to_pylist())], np.int64)
        else:
            places = np.tile(np.array(shared, np.int64), (count, 1))
        numbers = np.arange(start, stop)
        top.append({"id": ids, "type": pa.repeat("FOLDER", count), **attributes(random, count), "internal:current_id": numbers,
                    "internal:parent_id": numbers, "internal:offset": places[:, 0], "internal:size": places[:, 1]})
    pit = {"root": {"n": folders, "type": "FOLDER"},
           "hierarchy": {"1": [{"n": folders * width, "type": ["FILE"] * width, "id": names}]}}
    return [top, below], pit


def images(archive, random, args):
    """Rasters that can be decoded (imagery.py), `--rows` of them."""
    level, ids = Level(args.zstd_level), numbered("sample_", 0, args.rows, 8)
    places = [archive.add(f"DATA/{name}", data)
              for name, data in zip(ids.to_pylist(), imagery.files(random, args.rows, args.zstd_level))]
    numbers, (offsets, sizes) = np.arange(args.rows), np.array(places, np.int64).T
    level.append({"id": ids, "type": pa.repeat("FILE", args.rows), **attributes(random, args.rows), "internal:current_id": numbers,
                  "internal:parent_id": numbers, "internal:offset": offsets, "internal:size": sizes})
    return [level], {"root": {"n": args.rows, "type": "FILE"}, "hierarchy": {}}


def finish(archive, name, levels, pit):
    """Writes the metadata; returns their offsets and sizes, COLLECTION.json last."""
    ranges = [archive.add(f"METADATA/level{k}.parquet", level.finish()) for k, level in enumerate(levels)]
    ranges.append(archive.add("COLLECTION.json", collection(name, pit, levels)))
    flattened = [number for pair in ranges for number in pair]
    archive.close(struct.pack("<B3x14Q", len(ranges), *flattened, *[0] * (14 - len(flattened))))
    return ranges


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--kind", choices=["flat", "nested", "imagery"], default="flat")
    parser.add_argument("--children", type=int, default=10, help="files of a folder (nested)")
    parser.add_argument("--entries", type=int, default=20_000, help="up to this many samples have entries of their own")
    parser.add_argument("--shared-meta", action="store_true", help="one `__meta__` for all folders (nested); they take time to write")
    parser.add_argument("--size", type=int, default=64, help="bytes of a sample")
    parser.add_argument("--zstd-level", type=int, default=13)
    parser.add_argument("--undecided", action="store_true", help="statistics that cannot rule out padding (flat)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    began = time.monotonic()
    archive = ZipFile(args.output)
    archive.add("TACO_HEADER", bytes(116), mode=0o644)
    levels, pit = {"flat": flat, "nested": nested, "imagery": images}[args.kind](archive, np.random.default_rng(args.seed), args)
    ranges = finish(archive, f"bench_{args.kind}", levels, pit)
    sizes = ", ".join(f"level{k} {size / 1e6:.1f} MB" for k, (_, size) in enumerate(ranges[:-1]))
    print(f"{args.output}: {sizes}, {time.monotonic() - began:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
