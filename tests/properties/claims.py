#!/usr/bin/env python3
"""Changes one claim at a time in a valid dataset, and sees what becomes of what is asked of it.

    claims.py [PART OF A NAME]

A claim is what a file says that its data say as well: a place, a size, a CRC-32, an id, an order, a count, an extent, a
statistic, a unit, a flag. Each change must give the same answers, an error, or a warning: local, and from a server. The table
of all claims is printed. Where `taco validate --deep` alone finds it, or nothing, there is a reason in LISTED, else it fails.
Exits with 77 without pyarrow, shapely or NumPy.
"""
import fnmatch
import json
import random
import re
import shutil
import struct
import sys
import tempfile
import zlib
from dataclasses import replace
from pathlib import Path

import check  # the properties, which skip where something is missing
import make
import numpy
import pyarrow as pa
import pyarrow.parquet as pq
import shapely
import tacore
from ask import WARNINGS, at_vsi, cells, difference, ids, short, walk
from server import Server
from tacore import raster, validator

SEEN_BY_VALIDATE, BELIEVED, NOTHING = "validate", "SILENT", "(nothing)"
BYTES = ("children and bytes", "by path", "VSI paths", "pixels")
ALL = None
# Claims that answers follow without a word: the worst outcome that is known, of which questions, and why. Patterns.
LISTED = {
    "parent_id: *": (SEEN_BY_VALIDATE, ALL, "the only link that a query of a level has; rules LVL and MET"),
    "current_id of level 0: *": (SEEN_BY_VALIDATE, ALL, "as internal:parent_id"),
    "id of level 0: two rows swapped": (SEEN_BY_VALIDATE, ALL, "ids are what the table says; paths below say the other"),
    "type of level ?: *": (SEEN_BY_VALIDATE, ("rows", "rows of level 1"), "shown as stored; reading the sample is an error"),
    "relative_path: of another row": (SEEN_BY_VALIDATE, ALL, "of a FOLDER, where a path is the place and all that there is"),
    "order of level 1: *": (SEEN_BY_VALIDATE, ALL, "the order of the level is the order; rule MET-2"),
    "count of level 1: *": (SEEN_BY_VALIDATE, ALL, "SQL sees the rows of the level; rule MET-2"),
    "value of level 1 beside __meta__": (SEEN_BY_VALIDATE, ALL, "values are those of the level (deviations, 13)"),
    "unit: *": (SEEN_BY_VALIDATE, ALL, "a time is what the type says; the extent contradicts it"),
    "Parquet statistics: *": (SEEN_BY_VALIDATE, ALL, "as in any reader of Parquet (deviations, 68)"),
    "statistics: *": (SEEN_BY_VALIDATE, ALL, "a value that samples store, like any other"),
    "shape: another": (BELIEVED, ALL, "a value that samples store; pixels have the shape of the raster"),
    "shape: *": (SEEN_BY_VALIDATE, ALL, "a value that samples store, like any other"),
    "centroid: *": (SEEN_BY_VALIDATE, ALL, "a value that samples store, like any other"),
    "time_end before time_start": (SEEN_BY_VALIDATE, ALL, "a value that samples store, like any other"),
    "ZIP: CRC-32: one bit of a sample": (SEEN_BY_VALIDATE, ("pixels", "VSI paths"), "a part is read without the rest"),
    "a part made anew with other bytes of the same sizes": (BELIEVED, BYTES, "an index says nothing of bytes"),
    "source_file of level ?: *": (SEEN_BY_VALIDATE, ("rows of level 1", "boxes", "times"), "the link to the part"),
    "TACO 0.2: one bit of a sample": (BELIEVED, BYTES, "no checksums in files before 2.0"),
    "TACO 0.2: offset: *": (SEEN_BY_VALIDATE, ALL, "nothing else says where a sample lies in files before 2.0"),
    "TACO 0.2: length: *": (SEEN_BY_VALIDATE, ALL, "nothing else says how long a sample is in files before 2.0"),
    "TACO 0.2: file_format: *": (SEEN_BY_VALIDATE, ALL, "a sample is what its row says"),
    "TACO 0.2: id: *": (SEEN_BY_VALIDATE, ALL, "ids are what the table says; `read` takes the first (deviations, 140)"),
}


def world():
    """FOLDERs of two TIFFs each, whose ids are not in order, and all that is said of them."""
    roots = ["west", "east", "north"]
    count = 2 * len(roots)

    def column(values, kind):
        return pa.array(values, kind)

    def said(size, x, month):
        centres = [(x + 20 * i, 10 + i) for i in range(size)]
        start = [1672531200 * 10 ** 6 + 86400 * 10 ** 6 * (month + 30 * i) for i in range(size)]
        return {
            "cloud": column([10.0, float("nan"), 30.0, 60.0, 5.0, 90.0][:size], pa.float64()),
            "count": column([0x1122334455667700 + i for i in range(size)], pa.int64()),
            "stac:crs": column(["EPSG:4326"] * size, pa.string()),
            "stac:tensor_shape": column([[1, 1, 1]] * size, pa.list_(pa.int64())),
            "stac:geotransform": column([[a - 0.5, 1.0, 0.0, b + 0.5, 0.0, -1.0] for a, b in centres], pa.list_(pa.float64())),
            "stac:centroid": column([shapely.to_wkb(shapely.Point(*c)) for c in centres], pa.binary()),
            "stac:time_start": column(start, pa.int64()).cast(pa.timestamp("us")),
            "stac:time_end": column([s + 86400 * 10 ** 6 for s in start], pa.int64()).cast(pa.timestamp("us")),
            "geotiff:stats": column([[[i, i, i, 0.0, 100.0, i, i, i, i]] for i in range(size)],
                                    pa.list_(pa.list_(pa.float32()))),
        }

    levels = [make.Level(roots, [True] * 3, [None] * 3, [None] * 3, said(3, -60, 0)),
              make.Level(["b.tif", "a.tif"] * 3, [False] * count, [i // 2 for i in range(count)],
                         [check.tiff(i) for i in range(count)], said(count, -50, 5))]
    return make.World(levels, [[[("b.tif", None), ("a.tif", None)]]],
                      {"spatial": [-61.0, 9.0, 51.0, 16.0], "temporal": ["2023-01-01T00:00:00Z", "2023-12-31T00:00:00Z"]})


def shown(frame):
    """Its columns, but for places."""
    return {k: v for k, v in cells(frame).items() if not k.startswith(("internal:", "tortilla:offset", "tortilla:length"))}


QUESTIONS = {
    "rows": lambda d: shown(d.data),
    "rows of level 1": lambda d: shown(d.sql("SELECT * FROM level1").data),
    "children and bytes": lambda d: list(walk(d.data)),
    "by path": lambda d: [d.data.read_bytes(f"{a}/{b}") for a in ids(d.data) for b in ("a.tif", "b.tif")],
    "SQL of doubles": lambda d: [ids(d.sql(f"SELECT * FROM data WHERE cloud {c}").data) for c in ("< 50", "> 50")],
    "SQL of integers": lambda d: ids(d.sql(f"SELECT * FROM data WHERE \"count\" >= {0x1122334455667701}").data),
    "SQL of ids": lambda d: ids(d.sql("SELECT * FROM data WHERE id = 'west'").data),
    "boxes": lambda d: [ids(d.filter_bbox(x - 1, 5, x + 1, 20, level=k).data) for k, x in ((0, -60), (0, -20), (1, -30), (1, 30))],
    "times": lambda d: [ids(d.filter_datetime(f"2023-{m:02}-01/2023-{m:02}-28", level=k).data) for k in (0, 1)
                        for m in (1, 3)],
    "pixels": lambda d: [raster.read_tensor(d.data, f"{a}/{b}").tolist() for a in ids(d.data) for b in ("a.tif", "b.tif")],
    "means": lambda d: numpy.asarray(d.stats_mean(band=0, level=1)).round(5).tolist(),
}


REMOTE = ("rows", "children and bytes", "boxes")


def vsi(dataset):
    return [at_vsi(path) for path in dataset.sql("SELECT id, \"internal:gdal_vsi\" FROM level1").data.to_arrow()
            .column(1).to_pylist()]


def answers(path, remote=False):
    """{question: answer or error}, and the warnings."""
    questions = {name: QUESTIONS[name] for name in REMOTE} if remote else {**QUESTIONS, "VSI paths": vsi}
    WARNINGS.clear()
    failures = (tacore.TacoError, OSError, pa.ArrowException)  # pyarrow wraps what comes while it takes rows
    out = {}
    try:
        dataset = tacore.load(path)
    except failures as error:
        return dict.fromkeys(questions, f"error: {error}"), []
    for name, ask in questions.items():
        try:
            out[name] = ask(dataset)
        except failures as error:
            out[name] = f"error: {error}"
    return out, [text for text in WARNINGS.texts if "holds numbers" not in text]


def outcome(found, expected):
    """same, error, warning, or a list of the questions whose answers follow the changed claim silently."""
    answered, warnings = found
    kinds, wrong = set(), []
    for name, answer in answered.items():
        if answer == expected[name]:
            continue
        if isinstance(answer, str) and answer.startswith("error: "):
            kinds.add("error")
        elif warnings:
            kinds.add("warning")
        else:
            wrong.append(name)
    return wrong or "+".join(sorted(kinds)) or "same"


# ------------------------------------------------------------------------------------------------------------ changes

def replaced(table, name, change):
    """A table with other values in one column: change(list) gives them."""
    at = table.column_names.index(name)
    values = table.column(at).to_pylist()
    return table.set_column(at, name, pa.array(change(list(values)), table.schema.field(at).type))


def swapped(i, j):
    def change(values):
        values[i], values[j] = values[j], values[i]
        return values
    return change


def plus(number, at=0):
    def change(values):
        values[at] += number
        return values
    return change


def put(value, at=0):
    def change(values):
        values[at] = value
        return values
    return change


def table_claims(level_files):
    """(name, level, change of the table of a level) for tables of ZIP, FOLDER and index."""
    of_zip = level_files != "folder"
    out = []
    if of_zip:
        for k in (0, 1):
            out += [(f"offset of level {k}: two rows swapped", k, lambda t: replaced(t, "internal:offset", swapped(0, 1))),
                    (f"offset of level {k}: one byte later", k, lambda t: replaced(t, "internal:offset", plus(1))),
                    (f"offset of level {k}: negative", k, lambda t: replaced(t, "internal:offset", put(-5))),
                    (f"offset of level {k}: beyond the file", k, lambda t: replaced(t, "internal:offset", put(1 << 40))),
                    (f"size of level {k}: one byte less", k, lambda t: replaced(t, "internal:size", plus(-1))),
                    (f"size of level {k}: one byte more", k, lambda t: replaced(t, "internal:size", plus(1))),
                    (f"size of level {k}: none", k, lambda t: replaced(t, "internal:size", put(0))),
                    (f"offset and size of level {k}: those of another row", k, lambda t: replaced(
                        replaced(t, "internal:offset", lambda v: [v[1], *v[1:]]), "internal:size", lambda v: [v[1], *v[1:]]))]
    out += [("parent_id: another parent", 1, lambda t: replaced(t, "internal:parent_id", put(2, 1))),
            ("parent_id: no such parent", 1, lambda t: replaced(t, "internal:parent_id", put(77, 1))),
            ("parent_id: null", 1, lambda t: replaced(t, "internal:parent_id", put(None, 1))),
            ("current_id of level 0: two rows swapped", 0, lambda t: replaced(t, "internal:current_id", swapped(0, 1))),
            ("current_id of level 0: twice the same", 0, lambda t: replaced(t, "internal:current_id", put(0, 1))),
            ("relative_path: of another row", 1, lambda t: replaced(t, "internal:relative_path", swapped(0, 1))),
            ("relative_path: of nothing", 1, lambda t: replaced(t, "internal:relative_path", put("west/nothing"))),
            ("id of level 0: two rows swapped", 0, lambda t: replaced(t, "id", swapped(0, 1))),
            ("id of level 1: two rows swapped", 1, lambda t: replaced(t, "id", swapped(0, 1))),
            ("id of level 1: of nothing", 1, lambda t: replaced(t, "id", put("c.tif"))),
            ("type of level 0: a FILE", 0, lambda t: replaced(t, "type", put("FILE"))),
            ("type of level 1: a FOLDER", 1, lambda t: replaced(t, "type", put("FOLDER"))),
            ("order of level 1: two rows swapped", 1, lambda t: t.take(pa.array([1, 0, 2, 3, 4, 5]))),
            ("order of level 1: a child behind the others", 1, lambda t: t.take(pa.array([0, 2, 3, 4, 5, 1]))),
            ("count of level 1: the last row is gone", 1, lambda t: t.slice(0, len(t) - 1)),
            ("count of level 1: the last row twice", 1, lambda t: t.take(pa.array([0, 1, 2, 3, 4, 5, 5]))),
            ("value of level 1 beside __meta__", 1, lambda t: replaced(t, "cloud", put(11.0))),
            ("unit: times of level 0 are milliseconds", 0, lambda t: replaced(
                t, "stac:time_start", lambda v: [x.replace(year=1970) for x in v])),
            ("statistics: min above max", 1, lambda t: replaced(t, "geotiff:stats", put([[9, 1, 2, 0, 100, 1, 1, 1, 1]]))),
            ("statistics: mean outside", 1, lambda t: replaced(t, "geotiff:stats", put([[0, 0, 50, 0, 100, 0, 0, 0, 0]]))),
            ("statistics: more valid than all", 1, lambda t: replaced(t, "geotiff:stats", put([[0, 0, 0, 0, 700, 0, 0, 0, 0]]))),
            ("shape: negative", 1, lambda t: replaced(t, "stac:tensor_shape", put([1, -1, 1]))),
            ("shape: another", 1, lambda t: replaced(t, "stac:tensor_shape", put([1, 500, 500]))),
            ("centroid: latitude of 200", 0, lambda t: replaced(
                t, "stac:centroid", put(shapely.to_wkb(shapely.Point(1, 200))))),
            ("time_end before time_start", 0, lambda t: replaced(
                t, "stac:time_end", lambda v: [x.replace(year=1980) for x in v]))]
    return out


def collection_claims(has_sources):
    def at(*path):
        def put_in(document, value):
            for key in path[:-1]:
                document = document[key]
            document[path[-1]] = value
        return put_in

    out = [("extent: a box beside all samples", at("extent", "spatial"), [1.0, 50.0, 2.0, 51.0]),
           ("extent: the globe", at("extent", "spatial"), [-180.0, -90.0, 180.0, 90.0]),
           ("extent: a day before all samples", at("extent", "temporal"), ["1999-01-01T00:00:00Z", "1999-01-02T00:00:00Z"]),
           ("pit_schema: fewer roots", at("taco:pit_schema", "root", "n"), 2),
           ("pit_schema: more roots", at("taco:pit_schema", "root", "n"), 9),
           ("pit_schema: roots are FILEs", at("taco:pit_schema", "root", "type"), "FILE"),
           ("pit_schema: fewer children", at("taco:pit_schema", "hierarchy", "1", 0, "n"), 3),
           ("pit_schema: one child each", at("taco:pit_schema", "hierarchy", "1", 0), {"n": 3, "type": ["FILE"], "id": ["b.tif"]}),
           ("pit_schema: other ids", at("taco:pit_schema", "hierarchy", "1", 0, "id"), ["a.tif", "b.tif"]),
           ("pit_schema: children are FOLDERs", at("taco:pit_schema", "hierarchy", "1", 0, "type"), ["FOLDER", "FOLDER"]),
           ("pit_schema: no children", at("taco:pit_schema", "hierarchy"), {}),
           ("field_schema: another type", at("taco:field_schema", "level0"), [["cloud", "string", ""]]),
           ("taco_version: of the future", at("taco_version"), "9.9.9"),
           ("optical:bands: a number", at("optical:bands"), 7)]
    if has_sources:
        out += [("sources: extents beside all samples", at("taco:sources", "extents"), [
                    {"file": f"p{i}.tacozip", "id": "random", "spatial": [1.0, 50.0, 2.0, 51.0],
                     "temporal": ["1999-01-01T00:00:00Z", "1999-01-02T00:00:00Z"]} for i in range(2)]),
                ("sources: extents swapped", at("taco:sources", "extents"), [
                    {"file": "p0.tacozip", "id": "random", "spatial": [-25.0, 5.0, -10.0, 20.0]},
                    {"file": "p1.tacozip", "id": "random", "spatial": [-70.0, 5.0, -35.0, 20.0]}]),
                ("sources: bounds beside all samples", at("taco:sources", "bounds"), [
                    [{"num_rows": rows, "ids": ["0", "1"], "places": {name: [1.0, 50.0, 2.0, 51.0] for name in
                                                                      ("stac:centroid", "istac:geometry", "istac:centroid")},
                      "times": {"stac:time_start": [0, 1], "istac:time_start": None}}] * 2 for rows in (2, 1)]),
                ("sources: bounds of no rows", at("taco:sources", "bounds"), [[{"num_rows": 0}, {"num_rows": 0}]] * 2),
                ("sources: bounds of another shape", at("taco:sources", "bounds"), [{"num_rows": "2"}, 7]),
                ("sources: none has an extent", at("taco:sources", "extents"), []),
                ("sources: count", at("taco:sources", "count"), 7),
                ("sources: ids", at("taco:sources", "ids"), ["a", "b"]),
                ("sources: one file is not named", at("taco:sources", "files"), ["p0.tacozip"]),
                ("sources: a file that is not there", at("taco:sources", "files"), ["p0.tacozip", "p9.tacozip"]),
                ("sources: one file twice", at("taco:sources", "files"), ["p0.tacozip", "p0.tacozip"])]
    return out


def patch(data, at, form, *values):
    out = bytearray(data)
    struct.pack_into(form, out, at, *values)
    return bytes(out)


def records(data):
    """{name: (begin of its local header, of its data, of its record in the directory)} of a ZIP."""
    end = data.rindex(b"PK\5\6")
    count, _, at = struct.unpack_from("<HII", data, end + 10)
    out = {}
    for _ in range(count):
        name, extra, comment = struct.unpack_from("<HHH", data, at + 28)
        local = struct.unpack_from("<I", data, at + 42)[0]
        local_name, local_extra = struct.unpack_from("<HH", data, local + 26)
        out[data[at + 46:at + 46 + name].decode()] = (local, local + 30 + local_name + local_extra, at)
        at += 46 + name + extra + comment
    return out


def byte_claims(data):
    """(name, the bytes of a ZIP with one claim changed)."""
    found = records(data)
    local, begin, central = found["DATA/west/b.tif"]
    other = found["DATA/west/a.tif"]
    meta = found["DATA/west/__meta__"]
    level0 = found["METADATA/level0.parquet"]
    pairs = list(struct.unpack_from("<6Q", data, 45))

    def header(*numbers, count=3, crc=True):
        out = patch(data, 41, "<B3x6Q", count, *numbers)
        if crc:
            out = patch(out, 14, "<I", zlib.crc32(out[41:157]))
            out = patch(out, found["TACO_HEADER"][2] + 16, "<I", zlib.crc32(out[41:157]))
        return out

    footer_size = struct.unpack_from("<I", data, level0[1] + pairs[1] - 8)[0]
    footer = level0[1] + pairs[1] - 8 - footer_size
    high = (struct.pack("<q", 0x1122334455667700 + end) for end in (2, 0))  # the maximum becomes the minimum
    return [
        ("CRC-32: one bit of a sample", patch(data, begin + 122, "<B", data[begin + 122] ^ 1)),
        ("CRC-32: one bit of __meta__", patch(data, meta[1] + 60, "<B", data[meta[1] + 60] ^ 1)),
        ("CRC-32 of a local header", patch(data, local + 14, "<I", 1)),
        ("CRC-32 of the directory", patch(data, central + 16, "<I", 1)),
        ("CRC-32 of both", patch(patch(data, local + 14, "<I", 1), central + 16, "<I", 1)),
        ("size in a local header", patch(data, local + 18, "<II", 5, 5)),
        ("size in the directory", patch(data, central + 20, "<II", 5, 5)),
        ("name in a local header", patch(data, local + 30, "<15s", b"DATA/west/c.tif")),
        ("name in the directory", patch(data, central + 46, "<15s", b"DATA/west/c.tif")),
        ("names of two swapped in the directory", patch(patch(data, central + 46, "<15s", b"DATA/west/a.tif"),
                                                        other[2] + 46, "<15s", b"DATA/west/b.tif")),
        ("offset in the directory", patch(data, central + 42, "<I", other[0])),
        ("flag: encrypted", patch(data, local + 6, "<H", 1)),
        ("flag: descriptor that is not there", patch(data, local + 6, "<H", 8)),
        ("flag: encrypted, in the directory", patch(data, central + 8, "<H", 1)),
        ("method: deflated, in the local header", patch(data, local + 8, "<H", 8)),
        ("method: deflated, in the directory", patch(data, central + 10, "<H", 8)),
        ("mode: a symbolic link", patch(data, central + 38, "<I", 0o120777 << 16)),
        ("count of the end record", patch(data, data.rindex(b"PK\5\6") + 8, "<HH", 3, 3)),
        ("TACO_HEADER: CRC-32", patch(data, 14, "<I", 7)),
        ("TACO_HEADER: two entries", header(*pairs, count=2)),
        ("TACO_HEADER: levels swapped", header(*pairs[2:4], *pairs[:2], *pairs[4:])),
        ("TACO_HEADER: level 0 instead of 1", header(*pairs[:2], *pairs[:2], *pairs[4:])),
        ("TACO_HEADER: offset", header(pairs[0] + 5, *pairs[1:])),
        ("TACO_HEADER: length", header(pairs[0], pairs[1] - 1, *pairs[2:])),
        ("TACO_HEADER: __meta__ as level 1", header(*pairs[:2], meta[1], meta_size(data, meta), *pairs[4:])),
        ("Parquet statistics: maximum of integers too small", data[:footer] + data[footer:].replace(*high)),
    ]


def meta_size(data, record):
    return struct.unpack_from("<I", data, record[2] + 24)[0]


# ------------------------------------------------------------------------------------------------------------ containers

def zip_cases(folder):
    """(claim, path of the dataset) for a ZIP."""
    truth = world()

    def write(name, data):
        path = folder / "z.tacozip"
        path.write_bytes(data)
        return name, path

    yield write(NOTHING, make.zip_bytes(truth)[0])
    for name, level, change in table_claims("zip"):
        yield write(name, make.zip_bytes(truth, edit=lambda kind, key, value: change(value)
                                         if (kind, key) == ("table", level) else value)[0])
    for name, put_in, value in collection_claims(False):
        yield write(name, make.zip_bytes(truth, edit=lambda kind, key, v: changed(v, put_in, value)
                                         if kind == "collection" else v)[0])
    for name, change in meta_claims():
        yield write(name, make.zip_bytes(truth, edit=lambda kind, key, value: change(value)
                                         if (kind, key) == ("meta", "DATA/west/") else value)[0])
    for name, data in byte_claims(make.zip_bytes(truth)[0]):
        yield write(name, data)
    # The data in another order than the rows, with offsets that ascend all the same: those of other samples.
    moved = replace(make.PLAIN, shuffle=True)
    for seed in (1, 2):
        yield write(f"offset of level 1: ascending, of other rows ({seed})", make.zip_bytes(
            truth, moved, random.Random(seed), edit=lambda kind, key, value: replaced(value, "internal:offset", sorted)
            if (kind, key) == ("table", 1) else value)[0])


def changed(document, put_in, value):
    document = json.loads(json.dumps(document))
    put_in(document, value)
    return document


def meta_claims():
    return [("__meta__: children in another order", lambda t: t.take(pa.array([1, 0]))),
            ("__meta__: a child is gone", lambda t: t.slice(0, 1)),
            ("__meta__: ids swapped", lambda t: replaced(t, "id", swapped(0, 1))),
            ("__meta__: offsets swapped", lambda t: replaced(t, "internal:offset", swapped(0, 1))
             if "internal:offset" in t.column_names else t),
            ("__meta__: another value", lambda t: replaced(t, "cloud", put(11.0)))]


def rewrite(path, change):
    path.write_bytes(make.parquet(change(pq.ParquetFile(pa.BufferReader(path.read_bytes())).read(use_threads=False)), {"compression": "zstd"}))


def folder_cases(folder):
    truth, path = world(), folder / "f"

    def fresh():
        shutil.rmtree(path, ignore_errors=True)
        make.write_folder(truth, path)

    fresh()
    yield NOTHING, path
    for name, level, change in table_claims("folder"):
        fresh()
        rewrite(path / f"METADATA/level{level}.parquet", change)
        yield name, path
    for name, put_in, value in collection_claims(False):
        fresh()
        document = json.loads((path / "COLLECTION.json").read_text())
        (path / "COLLECTION.json").write_text(json.dumps(changed(document, put_in, value)))
        yield name, path
    for name, change in meta_claims():
        fresh()
        rewrite(path / "DATA/west/__meta__", change)
        yield name, path
    fresh()
    (path / "DATA/west/b.tif").unlink()
    yield "a file that is gone", path


def index_cases(folder):
    """An index and its parts, one of them changed after the other was made."""
    rng, truth, path = random.Random(3), world(), folder / "p"
    two = [make.part(rng, truth, rows) for rows in ([0, 1], [2])]
    for one in two:
        one.extent = truth.extent

    def fresh(edit_index=lambda level, t: t, edit_text=lambda d: d, edit_part=lambda kind, key, value: value, other=None):
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        tables = []
        for number, one in enumerate(two):
            data, found = make.zip_bytes(one)
            tables.append(found)
            if number == 0:
                data = other if other is not None else make.zip_bytes(one, edit=edit_part)[0]
            (path / f"p{number}.tacozip").write_bytes(data)
        merged = [edit_index(level, pa.concat_tables(
            t.append_column("internal:source_file", pa.array([f"p{number}.tacozip"] * len(t), pa.string()))
            for number, t in enumerate(of_level))) for level, of_level in enumerate(zip(*tables))]
        whole = make.collection(truth)
        whole["taco:sources"] = {"count": 2, "ids": ["random"] * 2, "files": ["p0.tacozip", "p1.tacozip"],
                                 "extents": [{"file": f"p{i}.tacozip", "id": "random", **truth.extent} for i in range(2)]}
        make.write_index(path, merged, edit_text(whole), make.PLAIN)

    def each(name, *names):
        for one in names or (".tacocat", "__TACOCAT__"):
            yield f"{one}, {name}", path / one

    fresh()
    yield from each(NOTHING, ".tacocat", "__TACOCAT__", "TACOLLECTION.json")
    for name, level, change in table_claims("index"):
        fresh(lambda k, t: change(t) if k == level else t)
        yield from each(name, ".tacocat")
    fresh(lambda k, t: replaced(t, "internal:source_file", swapped(0, 2)) if k == 0 else t)
    yield from each("source_file of level 0: two rows swapped")
    fresh(lambda k, t: replaced(t, "internal:source_file", put("p1.tacozip")) if k == 1 else t)
    yield from each("source_file of level 1: another part")
    fresh(lambda k, t: replaced(t, "internal:source_file", put(None)) if k == 0 else t)
    yield from each("source_file of level 0: null")
    for name, put_in, value in collection_claims(True):
        fresh(edit_text=lambda d: changed(d, put_in, value))
        yield from each(name, ".tacocat", "TACOLLECTION.json")
    # Parts that are no longer those of the index: the same samples, whose bytes lie elsewhere, or other values.
    turned = make.part(rng, truth, [1, 0])
    fresh(other=make.zip_bytes(turned)[0])
    yield from each("a part made anew with its samples in another order")
    fresh(edit_part=lambda kind, key, value: replaced(value, "cloud", put(77.0)) if (kind, key) == ("table", 0) else value)
    yield from each("a part edited: another value")
    swapped_bytes = replace(two[0], levels=[two[0].levels[0], replace(two[0].levels[1], data=two[0].levels[1].data[::-1])])
    fresh(other=make.zip_bytes(swapped_bytes)[0])
    yield from each("a part made anew with other bytes of the same sizes")


def v1_cases(folder):
    """A .taco of FOLDERs."""
    path = make.write_v1(random.Random(0), world(), folder / "t.taco")
    data = path.read_bytes()
    fo, fl, dp, co, cl = struct.unpack_from("<5Q", data, 2)
    footer = pq.ParquetFile(pa.BufferReader(data[fo:fo + fl])).read(use_threads=False)
    begin = footer.column("tortilla:offset").to_pylist()

    def write(name, data):
        path.write_bytes(data)
        return name, path

    yield write(NOTHING, data)
    for name, at, value in (("FO", 2, fo + 4), ("FL", 10, fl - 4), ("DP", 18, 3), ("CO", 26, co + 3), ("CL", 34, cl - 9)):
        yield write(f"header: {name}", patch(data, at, "<Q", value))
    yield write("header: magic of a Tortilla", b"#y" + data[2:])
    nested_fo = struct.unpack_from("<Q", data, begin[0] + 2)[0]
    yield write("nested header: FO", patch(data, begin[0] + 2, "<Q", nested_fo + 4))
    yield write("nested header: magic", patch(data, begin[0], "<2s", b"xx"))
    yield write("one bit of a sample", patch(data, begin[0] + 200 + 122, "<B", data[begin[0] + 200 + 122] ^ 1))
    for name, column, change in (
            ("offset: two rows swapped", "tortilla:offset", swapped(0, 1)), ("offset: one byte later", "tortilla:offset", plus(1)),
            ("length: one byte less", "tortilla:length", plus(-1)), ("length: beyond the file", "tortilla:length", put(1 << 40)),
            ("file_format: BYTES", "tortilla:file_format", put("BYTES")),
            ("id: twice the same", "tortilla:id", put("east"))):
        made = make.parquet(replaced(footer, column, change), {"compression": "zstd"})
        out = bytearray(data[:fo] + made + data[co:])
        struct.pack_into("<4Q", out, 10, len(made), dp, fo + len(made), cl)
        yield write(name, bytes(out))


CONTAINERS = {"ZIP": zip_cases, "FOLDER": folder_cases, "index": index_cases, "TACO 0.2": v1_cases}


def issues(path):
    """What `taco validate --deep` says: rules and messages."""
    try:
        return {(issue.rule, issue.message) for issue in validator.validate(path, deep=True)}
    except tacore.TacoError as error:
        return {("", str(error))}


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    scratch, failed, rows = Path(tempfile.mkdtemp(prefix="tacore-claims-")), 0, []
    with Server(scratch) as server:
        for container, cases in CONTAINERS.items():
            folder = scratch / container.replace(" ", "")
            folder.mkdir()
            expected, known = None, {}
            for name, path in cases(folder):
                container_of = (container, path.name)
                if name.endswith(NOTHING):  # the dataset as it is: what is right, and what validate says anyway
                    expected, _ = answers(path) if expected is None else (expected, None)
                    known[container_of] = issues(path)
                    name = name.replace(NOTHING, "nothing")
                title = f"{container}: {name}"
                if wanted not in title:
                    continue
                found = []
                for where, at in (("local", path), ("remote", server.url(str(path.relative_to(scratch))))):
                    every = answers(at, where == "remote")
                    result = outcome(every, expected)
                    if isinstance(result, list):
                        kind = SEEN_BY_VALIDATE if issues(path) - known[container_of] else BELIEVED
                        if not listed(title, kind, result):
                            failed += 1
                            one = next((name for name in result if not listed(title, kind, [name])), result[0])
                            print(f"\nFAILED {title}, {where}: {kind} in {', '.join(result)}\n  dataset:  {path}\n"
                                  f"  question: {one}\n  expected: {short(expected[one], 120)}\n"
                                  f"  found:    {short(every[0][one], 120)}\n"
                                  f"  differs:  {short(difference(every[0][one], expected[one]))}", flush=True)
                        result = kind
                    found.append(result)
                rows.append((title, *found))
    print(f"\n{'claim that is changed':<75} {'local':<14} remote")
    for row in rows:
        why = {SEEN_BY_VALIDATE, BELIEVED} & set(row[1:]) and (listed(row[0], SEEN_BY_VALIDATE) or listed(row[0], BELIEVED))
        print(f"{row[0]:<75} {row[1]:<14} {row[2]:<14} {why or ''}".rstrip())
    print(f"{len(rows)} claims, {failed} outcomes that are not listed")
    shutil.rmtree(scratch)
    sys.exit(1 if failed else 0)


def listed(title, kind, questions=()):
    """Why this outcome of a claim, for these questions, is accepted."""
    claim = re.sub(r"^[^:]*: (\S+, )?", "", title)
    return next((reason for pattern, (worst, of, reason) in LISTED.items()
                 if (fnmatch.fnmatchcase(title, pattern) or fnmatch.fnmatchcase(claim, pattern))
                 and worst in (kind, BELIEVED) and (of is ALL or set(questions) <= set(of))), None)


if __name__ == "__main__":
    main()
