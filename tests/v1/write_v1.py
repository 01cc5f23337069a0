#!/usr/bin/env python3
"""Writes Tortilla 0.5.0 and TACO 0.2.0 files as the published tools did, with pyarrow, struct and json alone.

    write_v1.py KIND OUT [KIND OUT]...     KIND is one of KINDS, or `list`; OUT a file, for partitions a folder
    write_v1.py golden FOLDER              the files of tests/golden/v1

As a module: Sample, tortilla(), partitions() and read(), which is as independent. Exits with 77 without pyarrow.
"""
import io
import json
import math
import struct
import sys
from pathlib import Path

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    print("skipped: pyarrow is not installed")
    sys.exit(77)

# The collection as the published tool writes it: all keys, in this order, null when unset.
REFERENCE_COLLECTION = {
    "id": "demo", "dataset_version": "1.0.0", "description": "Two images — for tests", "licenses": ["cc-by-4.0"],
    "extent": {"spatial": [[-10.0, 35.0, 5.0, 45.0]], "temporal": ["2020-01-01T00:00:00Z", "2020-12-31T00:00:00Z"]},
    "providers": [{"name": "Ada", "organization": "Somewhere", "emails": [{"value": "ada@example.org", "roles": None}],
                   "roles": ["producer"], "links": [{"href": "https://example.org", "rel": None, "type": None,
                                                     "title": None}]}],
    "task": "super-resolution", "taco_version": "0.4.0", "title": "Demo", "curators": None, "keywords": ["test"],
    "split_strategy": "manual", "discuss_link": None,
    "raw_link": {"href": "https://example.org/raw", "rel": None, "type": None, "title": None},
    "optical_data": {"sensor": "sentinel2msi", "bands": [{"name": "B02", "index": 1, "common_name": "blue",
                     "description": None, "unit": None, "center_wavelength": 496.5, "full_width_half_max": 53.0}]},
    "labels": None, "scientific": None}
# And as the specification has it: flat extents, milliseconds, keys that are set.
SPEC_COLLECTION = {
    "id": "demo", "taco_version": "0.2.0", "dataset_version": "1.0.0", "description": "Two images",
    "licenses": ["CC-BY-4.0"], "extent": {"spatial": [-10.0, 35.0, 5.0, 45.0],
                                          "temporal": [1577836800000, 1609372800000]},
    "providers": [{"organization": "Somewhere", "roles": ["producer"]}], "curators": [{"name": "Ada"}],
    "task": "Super Resolution", "x:unknown": {"kept": True}}
COLUMNS = ("tortilla:id", "tortilla:file_format", "tortilla:data_split", "tortilla:offset", "tortilla:length")


class Sample:
    """An id, its bytes, and its columns by name: `Sample("a", b"..", "BYTES", {"stac:crs": "EPSG:4326"})`."""

    def __init__(self, id, data, file_format="GTiff", columns=None, split=None):
        self.id, self.data, self.file_format, self.columns, self.split = id, data, file_format, columns or {}, split


def table(samples, offsets, types, index):
    values = {name: [] for name in COLUMNS}
    for sample in samples:
        for name in sample.columns:
            values.setdefault(name, [])
    for sample, offset in zip(samples, offsets):
        own = dict(zip(COLUMNS, (sample.id, sample.file_format, sample.split, offset, len(sample.data))))
        for name, column in values.items():
            column.append(own[name] if name in own else sample.columns.get(name))
    if index:
        values["__index_level_0__"] = list(range(len(samples)))
    return pa.table({name: pa.array(column, types.get(name)) for name, column in values.items()})


def parquet(rows, row_group=None, metadata=None):
    out = io.BytesIO()
    rows = rows.replace_schema_metadata({"pandas": json.dumps({"columns": []}), **(metadata or {})})
    pq.write_table(rows, out, compression="zstd", use_dictionary=False, version="2.6", row_group_size=row_group)
    return out.getvalue()


def tortilla(samples, collection=None, *, partitions=1, types=None, index=True, row_group=None, gap=0, order=None,
             generation=2, magic=None):
    """The bytes of a file: a TACO when there is a collection. `types` are Arrow's by column, `gap` bytes lie before
    each sample, `order` is that of the data, `generation` 1 has one format for all samples, in the header."""
    data, offsets = b"", [0] * len(samples)
    for i in order or range(len(samples)):
        data += b"\xee" * gap
        offsets[i] = 200 + len(data)
        data += samples[i].data
    rows = table(samples, offsets, types or {}, index)
    if generation == 1:
        rows = rows.drop_columns(["tortilla:file_format"])
    footer = parquet(rows, row_group)
    text = b"" if collection is None else json.dumps(collection, separators=(",", ":"), ensure_ascii=False).encode()
    header = struct.pack("<QQ", 200 + len(data), len(footer))
    if generation == 1:
        header += samples[0].file_format.encode().ljust(24)
    header += struct.pack("<Q", partitions)
    if collection is not None:
        header += struct.pack("<QQ", 200 + len(data) + len(footer), len(text))
    magic = magic or (b"#y" if collection is None or generation == 1 else b"WX")
    return (magic + header).ljust(200, b"\0") + data + footer + text


def nested(id, samples, columns=None, split=None, **options):
    return Sample(id, tortilla(samples, **options), "TORTILLA", columns, split)


def partition_names(stem, suffix, count, first=0):
    return [f"{stem}.{i:04d}.part{suffix}" for i in range(first, first + count)]


def read(data, base=0):
    """All samples as (path, columns, bytes) from the first row on, those of a nested one behind it, without bytes."""
    data = data if isinstance(data, bytes) else Path(data).read_bytes()
    offset, length = struct.unpack_from("<QQ", data, base + 2)
    out = []
    for row in pq.ParquetFile(pa.BufferReader(data[base + offset:base + offset + length])).read(use_threads=False).to_pylist():
        begin = base + int(row["tortilla:offset"])
        if row.get("tortilla:file_format") == "TORTILLA":
            out.append((row["tortilla:id"], row, None))
            out += [(row["tortilla:id"] + "/" + path, *rest) for path, *rest in read(data, begin)]
        else:
            out.append((row["tortilla:id"], row, data[begin:begin + row["tortilla:length"]]))
    return out


def collection(data):
    """The COLLECTION of a TACO."""
    data = data if isinstance(data, bytes) else Path(data).read_bytes()
    offset, length = struct.unpack_from("<QQ", data, 26)
    return json.loads(data[offset:offset + length])


# --- Files for tests: small, every one the same each time ---

def stac(i, shape="stac:raster_shape", **others):
    return {"stac:crs": "EPSG:32630", "stac:geotransform": [500000.0 + i, 10.0, 0.0, 4500000.0, 0.0, -10.0],
            shape: [4, 4 + i], "stac:time_start": 1600000000 + 86400 * i, "stac:time_end": None,
            "stac:centroid": f"POINT ({-3.0 + i} {41.5 + i % 40})", **others}


def leaves(count, prefix="s", shape="stac:raster_shape", **others):
    splits = ("train", "validation", "test")
    return [Sample(f"{prefix}{i}", bytes([65 + i % 26]) * (10 + i), "GTiff", stac(i, shape, **others), splits[i % 3])
            for i in range(count)]


def pair(i):
    return [Sample("lrf", b"A" * (10 + i), columns={"cloud": i / 4}), Sample("hrf", b"B" * 20, columns={"cloud": None})]


def deep(depth, i):
    inside = deep(depth - 1, i) if depth > 1 else pair(i)
    return [nested("a", inside), nested("b", inside)] if depth > 1 else inside


def odd_types():
    rows = [Sample("a", b"one", columns={"stac:time_start": -86400.5, "stac:time_end": None, "n": 1, "empty": []}),
            Sample("ünï, code", b"", columns={"stac:time_start": 1.25, "n": None, "f": math.nan, "empty": None}),
            Sample("c", b"three", "BYTES", {"stac:time_start": None, "n": 3, "f": 0.1})]
    return tortilla(rows, types={"tortilla:id": pa.large_string(), "stac:time_end": pa.null(), "n": pa.int32(),
                                 "tortilla:data_split": pa.null(), "tortilla:offset": pa.float64(),
                                 "tortilla:file_format": pa.dictionary(pa.int8(), pa.string()),
                                 "empty": pa.list_(pa.float32())}, row_group=2)


def worked():
    inner = nested("img1", [Sample("lrf", b"A" * 10), Sample("hrf", b"B" * 20)])
    return [inner, Sample("note", b"hello bytes", "BYTES")]


KINDS = {
    "flat": lambda: tortilla(leaves(5)),
    "groups": lambda: tortilla(leaves(50), row_group=7, index=False),
    "tensor": lambda: tortilla(leaves(5, shape="stac:tensor_shape")),
    "rai": lambda: tortilla(leaves(3, **{"rai:ele": 12.5, "rai:cisi": 0.5, "rai:gdp": 1e9, "rai:hdi": 0.9,
                                         "rai:gmi": 0.1, "rai:pop": 12.0, "rai:admin0": "Spain",
                                         "rai:admin1": "Aragón", "rai:admin2": "missing"})),
    "nested": lambda: tortilla([nested(f"img{i}", pair(i), stac(i), "train") for i in range(3)]),
    "deep": lambda: tortilla([nested(f"img{i}", deep(3, i)) for i in range(2)]),
    "mixed": lambda: tortilla(worked()),
    "uneven": lambda: tortilla([nested("one", pair(0)), nested("two", pair(1) + [Sample("more", b"C", "BYTES")])]),
    "types": odd_types,
    "clash": lambda: tortilla([Sample("a", b"x", columns={"id": "mine", "type": 1, "path": "p", "internal:x": 2})]),
    "gaps": lambda: tortilla(leaves(5), gap=3, order=[3, 1, 4, 0, 2]),
    "first": lambda: tortilla(leaves(3), generation=1),
    "first_taco": lambda: tortilla(leaves(3), REFERENCE_COLLECTION, generation=1),
    "taco": lambda: tortilla(leaves(5, shape="stac:tensor_shape"), REFERENCE_COLLECTION),
    "spec_taco": lambda: tortilla(leaves(5, shape="stac:tensor_shape"), SPEC_COLLECTION),
    "nested_taco": lambda: tortilla([nested(f"img{i}", pair(i), stac(i)) for i in range(3)], REFERENCE_COLLECTION),
    "taco_inside": lambda: tortilla([nested(f"img{i}", pair(i), collection={"id": "x"}) for i in range(2)]),
}


# With ids that look like paths, which this reader does not tell from those.
ODD = {"ids": lambda: tortilla([Sample(name, name.encode(), "BYTES") for name in ("a:b", "c/d", "c_d", "__e", "f")])}


def in_parts(first, suffix=".tortilla", collection=None):
    """Three files by name: samples 0 and 1, 2 and 3, 4."""
    samples = leaves(5)
    files = [tortilla(samples[i:i + 2], collection, partitions=3) for i in (0, 2, 4)]
    return dict(zip(partition_names("set", suffix, 3, first), files))


PARTS = {"parts": lambda: in_parts(0), "parts_from_1": lambda: in_parts(1),
         "taco_parts": lambda: in_parts(0, ".taco", REFERENCE_COLLECTION)}


GOLDEN = {"flat": "flat.tortilla", "nested": "nested.tortilla", "types": "types.tortilla", "gaps": "gaps.tortilla",
          "first": "first.tortilla", "mixed": "mixed.tortilla", "uneven": "uneven.tortilla", "clash": "clash.tortilla",
          "ids": "ids.tortilla", "rai": "rai.tortilla", "taco": "flat.taco", "spec_taco": "spec.taco", "nested_taco": "nested.taco",
          "parts": "parts"}


def main():
    if sys.argv[1:] == ["list"]:
        return print(*KINDS, *ODD, *PARTS)
    if sys.argv[1:2] == ["golden"] and len(sys.argv) == 3:
        sys.argv[1:] = [word for kind, name in GOLDEN.items() for word in (kind, Path(sys.argv[2]) / name)]
    if len(sys.argv) < 3 or len(sys.argv) % 2 == 0:
        sys.exit(__doc__)
    for kind, out in zip(sys.argv[1::2], map(Path, sys.argv[2::2])):
        if kind in PARTS:
            out.mkdir(exist_ok=True)
            for name, data in PARTS[kind]().items():
                (out / name).write_bytes(data)
        else:
            out.write_bytes((KINDS | ODD)[kind]())


if __name__ == "__main__":
    main()
