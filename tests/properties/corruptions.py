#!/usr/bin/env python3
"""Changes the meaning of a valid dataset, one thing at a time, and counts what `taco validate --deep` does not find.

    corruptions.py [PART OF A NAME]

All bytes agree with each other: tables, sizes, CRC-32s and offsets are those of what is written. What is not found and has no
reason in MISSED fails, and so do more than MOST of them. Exits with 77 without pyarrow, shapely or NumPy.
"""
import collections
import copy
import datetime
import fnmatch
import json
import re
import shutil
import struct
import sys
import tempfile
from pathlib import Path

import check  # which skips where something is missing
import claims
import make
import pyarrow as pa
import pyarrow.parquet as pq
import shapely
import tacore
from claims import changed, plus, put, replaced, swapped
from tacore import validator

MOST = 5
# What is not found, by name, and why. What is no corruption, or a matter of taste, is not among the cases.
MISSED = {"streaming: rows: two swapped": "the order of the rows says nothing: a chunk is found by its id"}

# The rule that finds it, where another could as well.
RULES = {"ZIP: level ?: two columns *": "SCH-9", "FOLDER: level ?: two columns id": "SCH-9", "ZIP: * internal:source_file": "SCH-6",
         "FOLDER: * internal:*": "SCH-6", "* NUL": "ID-1", "ZIP: field_schema: a level more": "SCH-5",
         "ZIP: labels:classes: one category twice": "COL-15", "ZIP: * beside the extent": "COL-16",
         "TACO 0.2: *data_split*": "V1-8", "TACO 0.2: * id: NUL": "V1-4", "TACO 0.2: * id with NUL": "V1-4",
         "TACO 0.2: COLLECTION: labels: one category twice": "V1-11"}

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/data/landsat_nested.tacozip"
NAN = float("nan")
CHILDREN = ["a.tif", "inside", "z.tif"]


# ------------------------------------------------------------------------------------------------------------ 2.0

def columns(size, x):
    """All that extensions say of samples of a degree each."""
    centres = [(x + 2 * i, 10 + i) for i in range(size)]
    times = [(19358 + i) * 86400 * 10 ** 6 for i in range(size)]
    moments = {name: pa.array([t + add * 3600 * 10 ** 6 for t in times], pa.int64()).cast(pa.timestamp("us"))
               for name, add in (("time_start", 0), ("time_middle", 1), ("time_end", 2))}
    boxes = [shapely.to_wkb(shapely.box(a - 0.5, b - 0.5, a + 0.5, b + 0.5)) for a, b in centres]
    points = pa.array([shapely.to_wkb(shapely.Point(*c)) for c in centres], pa.binary())
    return {"cloud": pa.array([10.0 + i for i in range(size)]), "count": pa.array(range(size), pa.int64()),
            "stac:crs": pa.array(["EPSG:4326"] * size), "stac:tensor_shape": pa.array([[1, 1, 1]] * size, pa.list_(pa.int64())),
            "stac:geotransform": pa.array([[a - 0.5, 1.0, 0.0, b + 0.5, 0.0, -1.0] for a, b in centres],
                                          pa.list_(pa.float64())),
            "stac:centroid": points, **{f"stac:{name}": values for name, values in moments.items()},
            "istac:crs": pa.array(["EPSG:4326"] * size), "istac:geometry": pa.array(boxes, pa.binary()),
            "istac:centroid": points, **{f"istac:{name}": values for name, values in moments.items()},
            "geotiff:stats": pa.array([[[0, 9, 5, 2, 100, 2, 5, 7, 9]]] * size, pa.list_(pa.list_(pa.float32())))}


def nested():
    """FOLDERs of FILEs and a FOLDER of FILEs."""
    below = len(CHILDREN)
    levels = [make.Level(["west", "east"], [True] * 2, [None] * 2, [None] * 2, columns(2, -60)),
              make.Level(CHILDREN * 2, [name == "inside" for name in CHILDREN] * 2, [0] * below + [1] * below,
                         [None if name == "inside" else check.tiff(i) for i, name in enumerate(CHILDREN * 2)],
                         columns(2 * below, -60)),
              make.Level(["b.tif", "c.tif"] * 2, [False] * 4, [1, 1, 4, 4], [check.tiff(20 + i) for i in range(4)],
                         columns(4, -60))]
    inside = [("b.tif", None), ("c.tif", None)]
    return make.World(levels, [[[(name, inside if name == "inside" else None) for name in CHILDREN]], [inside]],
                      {"spatial": [-61.0, 9.0, -47.0, 16.0], "temporal": ["2023-01-01T00:00:00Z", "2023-01-31T00:00:00Z"]})


def column(name, values, kind=None):
    """A table in which a column has other values, of another type; shorter lists go on as the column does."""
    def change(table):
        at = table.column_names.index(name)
        old = table.column(at)
        made = values(old.to_pylist()) if callable(values) else [*values, *old.to_pylist()[len(values):]][:len(table)]
        return table.set_column(at, name, pa.array(made, kind or old.type))
    return change


def cast(name, kind):
    return lambda table: table.set_column(table.column_names.index(name), name, table.column(name).cast(kind, safe=False))


def without(name):
    return lambda table: table.drop_columns([name])


def with_column(name, values, kind=None):
    return lambda table: table.append_column(name, pa.array([values] * len(table), kind))


def twice(name):
    return lambda table: table.append_column(name, table.column(name))


def take(*rows):
    return lambda table: table.take(pa.array(rows))


def wkb(shape):
    return shapely.to_wkb(shape)


STATS = {"min above max": [9, 1, 5, 2, 100, 2, 5, 7, 9], "mean outside": [0, 9, 50, 2, 100, 2, 5, 7, 9],
         "negative std": [0, 9, 5, -2, 100, 2, 5, 7, 9], "120 % of pixels": [0, 9, 5, 2, 120, 2, 5, 7, 9],
         "percentiles that fall": [0, 9, 5, 2, 100, 7, 5, 2, 9], "three values": [0, 9, 5], "std above the range":
         [0, 9, 5, 50, 100, 2, 5, 7, 9], "NaN as mean": [0, 9, NAN, 2, 100, 2, 5, 7, 9]}


def field_changes():
    """(name, change of a table) for columns of extensions."""
    out = [("crs: hello", column("stac:crs", ["hello"])), ("crs: empty", column("stac:crs", [""])),
           ("crs: a number", column("stac:crs", lambda v: [4326] * len(v), pa.int64())),
           ("shape: negative", column("stac:tensor_shape", [[1, -1, 1]])),
           ("shape: a size of 0", column("stac:tensor_shape", [[1, 0, 1]])),
           ("shape: empty", column("stac:tensor_shape", [[]])), ("shape: of one size", column("stac:tensor_shape", [[64]])),
           ("shape: text", column("stac:tensor_shape", lambda v: ["1,1,1"] * len(v), pa.string())),
           ("geotransform: five numbers", column("stac:geotransform", [[0.0, 1.0, 0.0, 0.0, 0.0]])),
           ("geotransform: zeros", column("stac:geotransform", [[0.0] * 6])),
           ("geotransform: NaN", column("stac:geotransform", [[0.0, NAN, 0.0, 0.0, 0.0, -1.0]])),
           ("geotransform: text", column("stac:geotransform", lambda v: ["x"] * len(v), pa.string())),
           ("statistics: one list", column("geotiff:stats", lambda v: [[1.0]] * len(v), pa.list_(pa.float32()))),
           ("statistics: text", column("geotiff:stats", lambda v: ["0..9"] * len(v), pa.string()))]
    out += [(f"statistics: {name}", column("geotiff:stats", [[band]])) for name, band in STATS.items()]
    for family in ("stac", "istac"):
        name = f"{family}:centroid"
        out += [(f"{name}: longitude 200", column(name, [wkb(shapely.Point(200, 5))])),
                (f"{name}: latitude 95", column(name, [wkb(shapely.Point(3, 95))])),
                (f"{name}: NaN", column(name, [wkb(shapely.Point(NAN, 5))])),
                (f"{name}: a polygon", column(name, [wkb(shapely.box(-60, 10, -59, 11))])),
                (f"{name}: cut WKB", column(name, [b"\1\1"])), (f"{name}: no bytes", column(name, [b""])),
                (f"{name}: WKT", column(name, lambda v: ["POINT (1 2)"] * len(v), pa.string())),
                (f"{name}: a number", column(name, lambda v: [7] * len(v), pa.int64()))]
        start, middle, end = (f"{family}:time_{which}" for which in ("start", "middle", "end"))
        early, late = datetime.datetime(2010, 1, 1), datetime.datetime(2040, 1, 1)
        out += [(f"{family}: end before start", column(end, [early])), (f"{family}: start after end", column(start, [late])),
                (f"{family}: middle before start", column(middle, [early])),
                (f"{family}: middle after end", column(middle, [late])),
                (f"{start}: date32", cast(start, pa.date32())), (f"{start}: int64", cast(start, pa.int64())),
                (f"{start}: text", column(start, lambda v: ["2023-01-01"] * len(v), pa.string())),
                (f"{start}: before the extent", column(start, [early]))]
    out += [("istac:geometry: cut", column("istac:geometry", [wkb(shapely.Point(1, 2))[:12]])),
            ("istac:geometry: text", column("istac:geometry", lambda v: ["POINT (1 2)"] * len(v), pa.string())),
            ("istac:geometry: beside the extent", column("istac:geometry", [wkb(shapely.box(50, 50, 51, 51))])),
            ("stac:centroid: beside the extent", column("stac:centroid", [wkb(shapely.Point(50, 50))])),
            ("istac:crs: hello", column("istac:crs", ["hello"]))]
    return out


def link_changes(level):
    """(name, change of the table of a level) for what leads to samples and between them."""
    rows = {0: 2, 1: 6, 2: 4}[level]
    last = rows - 1
    whole, every = ("internal:current_id", "internal:offset", "internal:size"), list(range(rows))
    out = [(f"no {name}", without(name)) for name in ("id", "type", "internal:current_id", "internal:offset", "internal:size")]
    out += [(f"{name}: null", column(name, [None])) for name in ("id", "type", *whole)]
    out += [(f"{name}: {value}", column(name, [value])) for name in whole for value in (-1, 1 << 40, 77)]
    out += [(f"{name}: one more", column(name, plus(1))) for name in whole[1:]]
    out += [(f"{name}: one less", column(name, plus(-1))) for name in whole[1:]]
    out += [(f"{name}: two swapped", column(name, swapped(0, last))) for name in ("id", *whole[:2])]
    out += [(f"{name}: text", cast(name, pa.string())) for name in whole]
    out += [(f"{name}: double", cast(name, pa.float64())) for name in whole]
    out += [("type: LINK", column("type", ["LINK"])), ("type: lowercase", column("type", lambda v: [x.lower() for x in v])),
            ("type: the other", column("type", lambda v: [{"FILE": "FOLDER", "FOLDER": "FILE"}[v[0]], *v[1:]])),
            ("id: binary", cast("id", pa.binary())), ("id: numbers", column("id", lambda v: list(range(len(v))), pa.int64())),
            ("two columns id", twice("id")), ("two columns cloud", twice("cloud")),
            ("internal:source_file", with_column("internal:source_file", "x.tacozip")),
            ("internal:gdal_vsi", with_column("internal:gdal_vsi", "/vsisubfile/1_2,x")),
            ("a column that taco:field_schema does not list", with_column("other", 1)),
            ("no column cloud", without("cloud")), ("cloud: int64", cast("cloud", pa.int64())),
            ("rows: the last is gone", take(*every[:-1])), ("rows: the first is gone", take(*every[1:])),
            ("rows: the last twice", take(*every, last)), ("rows: two swapped", take(1, 0, *every[2:])),
            ("rows: none", lambda table: table.slice(0, 0))]
    for name, made in {"empty": "", "slash": "a/b", "..": "..", ".": ".", "NUL": "a\0b", "__meta__": "__meta__", "colon": "a:b",
                       "newline": "a\nb", "another": "other"}.items():
        out.append((f"id: {name}", column("id", [made])))
    out += [("id: twice the same", column("id", lambda v: [v[1], *v[1:]]))]
    if level:
        parent, path = "internal:parent_id", "internal:relative_path"
        out += [(f"no {name}", without(name)) for name in (parent, path)]
        out += [(f"{name}: null", column(name, [None])) for name in (parent, path)]
        out += [(f"{parent}: {value}", column(parent, [value])) for value in (-1, 77)]
        out += [(f"{parent}: another", column(parent, lambda v: [v[-1], *v[1:]])),
                (f"{parent}: all of the first", column(parent, lambda v: [v[0]] * len(v))),
                (f"{parent}: two swapped", column(parent, swapped(0, last))),
                (f"{parent}: text", cast(parent, pa.string())), (f"{parent}: double", cast(parent, pa.float64())),
                (f"{path}: of another", column(path, swapped(0, last))), (f"{path}: empty", column(path, [""])),
                (f"{path}: with DATA/", column(path, lambda v: ["DATA/" + v[0], *v[1:]])),
                (f"{path}: climbs", column(path, lambda v: ["../" + v[0], *v[1:]]))]
    else:
        out += [("internal:parent_id: another", column("internal:parent_id", [1]))]
    if level == 1:
        out += [("internal:relative_path: a FOLDER without slash", column(
                    "internal:relative_path", lambda v: [x.rstrip("/") for x in v])),
                ("rows: a child behind the others", take(1, 2, 3, 4, 5, 0))]
    return out


def members(*path):
    def put_in(document, value):
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value
    return put_in


def collection_changes():
    """(name, where, value) of a COLLECTION.json; a value of ... is none."""
    out = []
    for key in ("id", "dataset_version", "description", "licenses", "providers", "tasks", "taco_version", "taco:pit_schema",
                "taco:field_schema", "extent"):
        out += [(f"no {key}", (key,), ...), (f"{key}: null", (key,), None), (f"{key}: a number", (key,), 7)]
    out += [("id: spaces", ("id",), "My Dataset"), ("id: empty", ("id",), ""), ("description: empty", ("description",), ""),
            ("title: 251 characters", ("title",), "x" * 251), ("title: a list", ("title",), ["x"]),
            ("taco_version: 0.5.0", ("taco_version",), "0.5.0"), ("taco_version: 9", ("taco_version",), "9.9.9"),
            ("licenses: text", ("licenses",), "MIT"), ("licenses: none", ("licenses",), []),
            ("licenses: foo", ("licenses",), ["foo"]), ("licenses: numbers", ("licenses",), [7]),
            ("tasks: text", ("tasks",), "other"), ("tasks: none", ("tasks",), []), ("tasks: cooking", ("tasks",), ["cooking"]),
            ("keywords: text", ("keywords",), "cloud"), ("keywords: numbers", ("keywords",), [1]),
            ("providers: none", ("providers",), []), ("providers: no name", ("providers",), [{"roles": ["host"]}]),
            ("providers: a role", ("providers",), [{"name": "p", "roles": ["boss"]}]),
            ("providers: roles as text", ("providers",), [{"name": "p", "roles": "host"}]),
            ("providers: e-mail", ("providers",), [{"name": "p", "email": "nobody"}]),
            ("providers: text", ("providers",), ["p"]), ("curators: no name", ("curators",), [{"role": "x"}]),
            ("extent: no box", ("extent", "spatial"), None), ("extent: three numbers", ("extent", "spatial"), [1.0, 2.0, 3.0]),
            ("extent: longitude -190", ("extent", "spatial"), [-190.0, 9.0, -47.0, 16.0]),
            ("extent: south beyond north", ("extent", "spatial"), [-61.0, 16.0, -47.0, 9.0]),
            ("extent: NaN as text", ("extent", "spatial"), ["NaN", 9.0, -47.0, 16.0]),
            ("extent: beside all rows", ("extent", "spatial"), [1.0, 50.0, 2.0, 51.0]),
            ("extent: half of the rows", ("extent", "spatial"), [-61.0, 9.0, -56.0, 16.0]),
            ("extent: west of the rows, over 180 degrees", ("extent", "spatial"), [170.0, 9.0, -60.9, 16.0]),
            ("extent: end before start", ("extent", "temporal"), ["2023-02-01T00:00:00Z", "2022-01-31T00:00:00Z"]),
            ("extent: one time", ("extent", "temporal"), ["2023-02-01T00:00:00Z"]),
            ("extent: words", ("extent", "temporal"), ["yesterday", "today"]),
            ("extent: a day of many", ("extent", "temporal"), ["2023-01-01T00:00:00Z", "2023-01-02T00:00:00Z"]),
            ("optical:bands: a number", ("optical:bands",), 7), ("optical:bands: texts", ("optical:bands",), ["B01"]),
            ("optical:bands: no name", ("optical:bands",), [{"index": 1}]),
            ("optical:bands: wavelength", ("optical:bands",), [{"name": "B1", "center_wavelength": "red"}]),
            ("labels:classes: an object", ("labels:classes",), {"a": 1}),
            ("labels:classes: one category twice", ("labels:classes",), [{"name": n, "category": 1} for n in "ab"]),
            ("labels:classes: no category", ("labels:classes",), [{"name": "a"}]),
            ("publications: texts", ("publications",), ["10.1/x"]), ("publications: doi", ("publications",), [{"doi": 7}]),
            ("taco:sources in a dataset", ("taco:sources",), {"count": 1, "ids": ["a"], "files": ["a.tacozip"]}),
            ("field_schema: level 0 alone", ("taco:field_schema",), {"level0": [["cloud", "double", ""]]}),
            ("field_schema: another type", ("taco:field_schema", "level1", 0), ["cloud", "string", ""]),
            ("field_schema: another name", ("taco:field_schema", "level1", 0), ["clouds", "double", ""]),
            ("field_schema: a level more", ("taco:field_schema", "level3"), [["cloud", "double", ""]]),
            ("field_schema: of level 2, none", ("taco:field_schema", "level2"), [])]
    root, hierarchy = ("taco:pit_schema", "root"), ("taco:pit_schema", "hierarchy")
    out += [("pit_schema: no root", root, ...), ("pit_schema: no hierarchy", hierarchy, ...),
            ("pit_schema: root n 1", (*root, "n"), 1), ("pit_schema: root n 9", (*root, "n"), 9),
            ("pit_schema: root n -2", (*root, "n"), -2), ("pit_schema: root n text", (*root, "n"), "2"),
            ("pit_schema: root FILE", (*root, "type"), "FILE"), ("pit_schema: root LINK", (*root, "type"), "LINK"),
            ("pit_schema: no children", hierarchy, {}), ("pit_schema: no level 2", (*hierarchy, "2"), ...),
            ("pit_schema: no level 1", (*hierarchy, "1"), ...), ("pit_schema: level 3", (*hierarchy, "3"), [
                {"n": 1, "type": ["FILE"], "id": ["x"]}]), ("pit_schema: level one", (*hierarchy, "one"), []),
            ("pit_schema: level 1 n", (*hierarchy, "1", 0, "n"), 5), ("pit_schema: level 2 n", (*hierarchy, "2", 0, "n"), 5),
            ("pit_schema: ids in another order", (*hierarchy, "1", 0, "id"), CHILDREN[::-1]),
            ("pit_schema: another id", (*hierarchy, "1", 0, "id"), ["other", *CHILDREN[1:]]),
            ("pit_schema: an id less", (*hierarchy, "1", 0, "id"), CHILDREN[1:]),
            ("pit_schema: types swapped", (*hierarchy, "1", 0, "type"), ["FOLDER", "FILE", "FILE"]),
            ("pit_schema: all FILEs", (*hierarchy, "1", 0, "type"), ["FILE"] * 3),
            ("pit_schema: an empty pattern", (*hierarchy, "1", 0), {"n": 0, "type": [], "id": []}),
            ("pit_schema: one pattern twice", (*hierarchy, "2"), [{"n": 4, "type": ["FILE"] * 2, "id": ["b.tif", "c.tif"]}] * 2)]
    return out


def meta_changes():
    return [("no id", without("id")), ("no cloud", without("cloud")), ("no offset", without("internal:offset")),
            ("ids swapped", column("id", swapped(0, 2))), ("another id", column("id", ["other"])),
            ("types", column("type", ["FOLDER"])), ("rows in another order", take(2, 1, 0)), ("a row less", take(0, 1)),
            ("a row twice", take(0, 1, 2, 2)), ("offsets swapped", column("internal:offset", swapped(0, 2))),
            ("offset", column("internal:offset", plus(1))), ("size", column("internal:size", plus(-1))),
            ("another value", column("cloud", [77.0])), ("null for a value", column("cloud", [None])),
            ("another type", cast("cloud", pa.float32())), ("a column more", with_column("other", 1)),
            ("another centroid", column("stac:centroid", [wkb(shapely.Point(1, 2))])),
            ("two columns id", twice("id"))]


def without_member(document, path):
    document = copy.deepcopy(document)
    at = document
    for key in path[:-1]:
        at = at[key]
    del at[path[-1]]
    return document


def of_collection(path, value):
    return lambda document: without_member(document, path) if value is ... else changed(document, members(*path), value)


def zip_cases(folder):
    path, world = folder / "z.tacozip", nested()

    def write(wanted=None, change=None, of=None):
        path.write_bytes(make.zip_bytes(of or world, edit=lambda kind, key, value: change(value)
                                        if (kind, key) == wanted else value)[0])
        return path

    def write_alike(level, change):
        """The change in the table, in each __meta__ and in taco:field_schema."""
        made = change(pa.table(world.levels[level].columns))

        def edit(kind, key, value):
            if kind == "collection":
                value["taco:field_schema"][f"level{level}"] = [[f.name, str(f.type), ""] for f in made.schema]
            if (kind, key) == ("table", level) or kind == "meta" and key.count("/") == level + 1:
                rows = make.current_ids(world, make.PLAIN)[level] if kind == "table" else below[key]
                for name in made.column_names:
                    at = value.column_names.index(name)
                    value = value.set_column(at, name, made.column(name).take(pa.array(rows)))
            return value

        path.write_bytes(make.zip_bytes(world, edit=edit)[0])
        return path

    below = {"DATA/" + "/".join(world.path(level, row)) + "/": world.children(level, row) for level in (0, 1)
             for row, is_folder in enumerate(world.levels[level].folders) if is_folder}
    yield None, write()
    for level in (0, 1, 2):
        for name, change in link_changes(level):
            yield f"level {level}: {name}", write(("table", level), change)
        for name, change in field_changes():
            yield f"level {level}: {name}", write_alike(level, change)
    for name, where, value in collection_changes():
        yield name, write(("collection", None), of_collection(where, value))
    for name, change in meta_changes():
        yield f"__meta__: {name}", write(("meta", "DATA/west/"), change)
    # Samples that are others in all tables, the schema of the tree and the archive.
    for name, ids in {"equal but for case": ["a.tif", "inside", "A.tif"], "NFC and NFD": ["\u00e9.tif", "inside", "e\u0301.tif"],
                      "another file's ending": ["a.tif", "inside", "z.png"]}.items():
        other = nested()
        other.levels[1].ids = ids * 2
        other.patterns[0] = [[(id, nodes) for id, (_, nodes) in zip(ids, other.patterns[0][0])]]
        yield f"ids of siblings: {name}", write(of=other)
    other = nested()
    other.levels[1].data[0] = b"text"
    yield "a TIFF that is text", write(of=other)
    other = nested()
    other.levels[1].data[0] = check.tiff(1)[:-2]
    yield "a TIFF that is cut", write(of=other)


def folder_cases(folder):
    """What a FOLDER has and a ZIP has not."""
    path, world = folder / "f", nested()

    def fresh(change=lambda: None):
        shutil.rmtree(path, ignore_errors=True)
        make.write_folder(world, path)
        change()
        return path

    yield None, fresh()
    file = path / "DATA/west/a.tif"
    for name, change in {
            "a FILE is gone": lambda: file.unlink(), "a FILE is a folder": lambda: (file.unlink(), file.mkdir()),
            "a FOLDER is gone": lambda: shutil.rmtree(path / "DATA/west"),
            "a FILE of no row": lambda: (path / "DATA/notes.txt").write_text("x"),
            "a FILE is a link out of it": lambda: (file.unlink(), file.symlink_to("/etc/hostname")),
            "a FILE is text": lambda: file.write_text("text"), "a FILE is empty": lambda: file.write_bytes(b""),
            "another file in METADATA": lambda: (path / "METADATA/level7.parquet").write_bytes(b"x"),
            "no __meta__": lambda: (path / "DATA/west/__meta__").unlink(),
            "__meta__ of another": lambda: shutil.copy(path / "DATA/west/inside/__meta__", path / "DATA/west/__meta__"),
            "no level2": lambda: (path / "METADATA/level2.parquet").unlink()}.items():
        yield name, fresh(change)
    for level in (0, 1):
        for name, change in (("two columns id", twice("id")), ("internal:source_file", with_column("internal:source_file", "x")),
                             ("internal:offset", with_column("internal:offset", 7))):
            yield f"level {level}: {name}", fresh(lambda: claims.rewrite(path / f"METADATA/level{level}.parquet", change))


# ------------------------------------------------------------------------------------------------------------ before 2.0

def v1_columns(i, **more):
    return {"stac:crs": "EPSG:4326", "stac:geotransform": [-60.5 + i, 1.0, 0.0, 10.5, 0.0, -1.0], "stac:raster_shape": [1, 1],
            "stac:time_start": 1600000000 + 86400 * i, "stac:time_end": 1600000000 + 86400 * i + 60,
            "stac:centroid": f"POINT ({-60.0 + i} 10.0)", "rai:pop": 12.0 + i,
            "internal:stats": [[0.0, 9.0, 5.0, 2.0, 100.0, 2.0, 5.0, 7.0, 9.0]], **more}


def v1_columns_bare(i):
    return {name: value for name, value in v1_columns(i).items() if name != "internal:stats"}


DOCUMENT = {"id": "demo", "taco_version": "0.2.0", "dataset_version": "1.0.0", "description": "Two images",
            "licenses": ["CC-BY-4.0"], "extent": {"spatial": [-61.0, 9.0, -50.0, 16.0],
                                                  "temporal": [1577836800000, 1609372800000]},
            "providers": [{"name": "Ada", "organization": "Somewhere", "roles": ["producer"]}], "curators": [{"name": "Ada"}],
            "task": "super-resolution"}


def v1_cases(folder):
    """A .tortilla and a .taco, flat and nested."""
    tests = str(Path(__file__).resolve().parents[1] / "v1")
    sys.path.append(tests)
    import write_v1 as v1
    path = folder / "x.taco"

    def flat(count=3):
        return [v1.Sample(f"s{i}", check.tiff(i), "GTiff", v1_columns_bare(i), ("train", "validation", "test")[i % 3])
                for i in range(count)]

    def deep(inner=None):
        return [v1.nested(f"img{i}", (inner(i) if inner else
                                      [v1.Sample(name, check.tiff(i), "GTiff", {"cloud": i / 4}, "train")
                                       for name in ("lrf", "hrf")]), v1_columns_bare(i), "train", index=False)
                for i in range(2)]

    def write(samples=None, document=DOCUMENT, change=None, header=None, tail=b"", types=None):
        samples = flat() if samples is None else samples
        data = v1.tortilla(samples, document, index=False, types=types)
        fo, fl, dp, co, cl = struct.unpack_from("<5Q", data, 2)
        if change:
            table = pq.ParquetFile(pa.BufferReader(data[fo:fo + fl])).read(use_threads=False)
            made = v1.parquet(change(table))
            data = bytearray(data[:fo] + made + data[co:])
            struct.pack_into("<4Q", data, 10, len(made), dp, fo + len(made), cl)
        data = bytearray(data)
        for at, value in header or []:
            struct.pack_into("<Q", data, at, value)
        path.write_bytes(bytes(data) + tail)
        return path

    yield None, write()
    yield None, write(deep())
    offset, length, format, split = ("tortilla:offset", "tortilla:length", "tortilla:file_format", "tortilla:data_split")
    table_changes = [
        *((f"no {name}", without(name)) for name in ("tortilla:id", offset, length)),
        *((f"{name}: null", column(name, [None])) for name in ("tortilla:id", offset, length, format)),
        *((f"{name}: {value}", column(name, [value])) for name in (offset, length) for value in (-1, 1 << 40)),
        *((f"{name}: text", cast(name, pa.string())) for name in (offset, length)),
        *((f"{name}: with fractions", column(name, lambda v: [x + 0.5 for x in v], pa.float64())) for name in (offset, length)),
        ("offset: of the header", column(offset, [10])), ("offset: of another", column(offset, lambda v: [v[1], *v[1:]])),
        ("length: into the next", column(length, plus(20))),
        ("id: twice the same", column("tortilla:id", lambda v: [v[1], *v[1:]])), ("id: empty", column("tortilla:id", [""])),
        ("id: NUL", column("tortilla:id", ["a\0b"])), ("two columns id", twice("tortilla:id")),
        ("file_format: lowercase", column(format, ["Gtiff"])), ("file_format: of none", column(format, ["GTif"])),
        ("file_format: TORTILLA of a TIFF", column(format, ["TORTILLA"])),
        ("file_format: PNG of a TIFF", column(format, ["PNG"])),
        ("data_split: val", column(split, ["val"])), ("data_split: int", column(split, lambda v: list(range(len(v))), pa.int64())),
        ("data_split: Train", column(split, ["Train"])), ("data_split: empty", column(split, [""])),
        ("internal:subfile", with_column("internal:subfile", "/vsisubfile/1_2,x")),
        ("internal:gdal_vsi", with_column("internal:gdal_vsi", "/vsisubfile/1_2,x")),
        ("rows: none", lambda table: table.slice(0, 0)), ("rows: the last twice", take(0, 1, 2, 2)),
        ("stac:crs: int", column("stac:crs", lambda v: [4326] * len(v), pa.int64())), ("stac:crs: hello", column("stac:crs", ["hello"])),
        ("stac:geotransform: five", column("stac:geotransform", [[0.0] * 5])),
        ("stac:geotransform: zeros", column("stac:geotransform", [[0.0] * 6])),
        ("stac:geotransform: NaN", column("stac:geotransform", [[0.0, NAN, 0.0, 0.0, 0.0, 1.0]])),
        ("stac:geotransform: text", column("stac:geotransform", lambda v: ["x"] * len(v), pa.string())),
        ("stac:raster_shape: text", column("stac:raster_shape", lambda v: ["1,1"] * len(v), pa.string())),
        ("stac:raster_shape: one size", column("stac:raster_shape", [[1]])),
        ("stac:raster_shape: negative", column("stac:raster_shape", [[1, -1]])),
        ("stac:centroid: latitude 95", column("stac:centroid", ["POINT (1 95)"])),
        ("stac:centroid: longitude 200", column("stac:centroid", ["POINT (200 5)"])),
        ("stac:centroid: a word", column("stac:centroid", ["here"])),
        ("stac:centroid: int", column("stac:centroid", lambda v: [1] * len(v), pa.int64())),
        ("stac:time_start: text", column("stac:time_start", lambda v: ["2020"] * len(v), pa.string())),
        ("stac:time_start: milliseconds", column("stac:time_start", lambda v: [1000 * x for x in v])),
        ("stac:time_end: before the start", column("stac:time_end", [5])),
        ("rai:pop: text", column("rai:pop", lambda v: ["many"] * len(v), pa.string())),
        *((f"internal:stats: {name}", with_column("internal:stats", [[float(x) for x in band]], pa.list_(pa.list_(pa.float64()))))
          for name, band in STATS.items()),
        ("internal:stats: text", with_column("internal:stats", "x"))]
    for name, change in table_changes:
        yield f"flat: {name}", write(change=change)
        if name.startswith(("offset", "length", "id", "tortilla:", "no ")):
            yield f"nested: {name}", write(deep(), change=change)
    two = ("lrf", "hrf")

    def inner(of):
        return write(deep(of))

    def leaf(name, i, columns=None, format="GTiff", data=None):
        return v1.Sample(name, check.tiff(i) if data is None else data, format, columns if columns is not None else {"cloud": i / 4}, "train")

    yield "nested: another id in one", inner(lambda i: [leaf(("lrf", "other")[i], i), leaf("hrf", i)])
    yield "nested: one sample more in one", inner(lambda i: [leaf(name, i) for name in (*two, *["more"] * i)])
    yield "nested: another order in one", inner(lambda i: [leaf(name, i) for name in two[::1 - 2 * i]])
    yield "nested: another column in one", inner(lambda i: [leaf(name, i, {("cloud", "clouds")[i]: 1.0}) for name in two])
    yield "nested: another type in one", inner(lambda i: [leaf(name, i, {"cloud": (1.0, "x")[i]}) for name in two])
    yield "nested: twice the same id", inner(lambda i: [leaf("lrf", i), leaf("lrf", i)])
    yield "nested: id with NUL", inner(lambda i: [leaf("l\0rf", i), leaf("hrf", i)])
    yield "nested: one is deeper", inner(lambda i: [leaf("lrf", i), v1.nested("hrf", [leaf("x", i)], index=False) if i else leaf("hrf", i)])
    yield "nested: data_split int", inner(lambda i: [v1.Sample(name, check.tiff(i), "GTiff", {}, 7) for name in two])
    yield "GTiff that is text", write([leaf("a", 0, data=b"text")])
    yield "GTiff that is cut", write([leaf("a", 0, data=check.tiff(1)[:-2])])
    yield "BYTES that is a TORTILLA", write([v1.Sample("a", v1.tortilla(flat(), index=False), "BYTES", {}, "train")])
    for name, header in (("FO", [(2, 7)]), ("FL", [(10, 7)]), ("DP 0", [(18, 0)]), ("DP 3", [(18, 3)]), ("CO", [(26, 7)]),
                         ("CL", [(34, 7)])):
        yield f"header: {name}", write(header=header)
    nested_dp = write(deep()).read_bytes().index(b"#y", 200)
    yield "nested header: DP 7", write(deep(), header=[(nested_dp + 18, 7)])
    yield "bytes behind COLLECTION", write(tail=b"tail")
    classes = [{"name": "a", "category": 1}, {"name": "b", "category": 1}]
    for name, where, value in [
            *((f"no {key}", (key,), ...) for key in ("id", "dataset_version", "description", "licenses", "extent", "providers")),
            *((f"{key}: a number", (key,), 7) for key in ("id", "description", "licenses", "extent", "providers", "task")),
            ("task: cooking", ("task",), "cooking"), ("licenses: foo", ("licenses",), ["foo"]),
            ("extent: longitude -190", ("extent", "spatial"), [-190.0, 9.0, -50.0, 16.0]),
            ("extent: south beyond north", ("extent", "spatial"), [-61.0, 16.0, -50.0, 9.0]),
            ("extent: three numbers", ("extent", "spatial"), [1.0, 2.0, 3.0]),
            ("extent: end before start", ("extent", "temporal"), [1609372800000, 1577836800000]),
            ("providers: no name", ("providers",), [{"roles": ["producer"]}]),
            ("labels: one category twice", ("labels",), {"label_classes": classes}),
            ("labels: no classes", ("labels",), {"label_description": "x"}),
            ("labels: a number", ("labels",), 7), ("optical_data: no sensor", ("optical_data",), {"bands": [{"name": "a"}]}),
            ("optical_data: bands", ("optical_data",), {"sensor": "sentinel2msi", "bands": 3}),
            ("scientific: doi", ("scientific",), {"doi": 7}), ("split_strategy", ("split_strategy",), "coin"),
            ("raw_link", ("raw_link",), {"href": 7}), ("title: 251 characters", ("title",), "x" * 251),
            ("curators: no name", ("curators",), [{"role": "x"}])]:
        yield f"COLLECTION: {name}", write(document=of_collection(where, value)(DOCUMENT))


def streaming_cases(folder):
    """A streaming .taco whose table of chunks says something else than its TIFFs."""
    path, source = folder / "x.taco", folder / "made.taco"
    tacore.v1.compile(tacore.load(EXAMPLE).sql("SELECT * FROM data ORDER BY id LIMIT 2"), source, streaming=True, block_size=32)
    data = source.read_bytes()
    fo, fl, dp, co, cl = struct.unpack_from("<5Q", data, 2)
    parts, at = [], (fo, fl)
    while at:
        file = pq.ParquetFile(pa.BufferReader(data[at[0]:sum(at)]))
        said = {key: value for key, value in file.metadata.metadata.items() if key != b"ARROW:schema"}
        parts.append((file.read(), said))
        numbers = [int(n) for n in re.findall(rb"[0-9]+", said[b"pointer"])]
        begin, at = at[0], tuple(numbers) if numbers else None
    chunks = parts[-1][0]

    def write(change=lambda table: table):
        """The tables behind each other, those of chunks first, with their pointers."""
        out, pointer = bytearray(data[:begin]), parts[-1][1][b"pointer"]
        for number in reversed(range(len(parts))):
            table, said = parts[number]
            table, at = change(table) if number == len(parts) - 1 else table, len(out)
            said = {**said, b"pointer": pointer}
            if b"taco:footer" in said:  # of as many bytes as it will be
                for _ in range(3):
                    made = make.parquet(table.replace_schema_metadata(said), {"compression": "zstd"})
                    said[b"taco:footer"] = hint(said[b"taco:footer"], begin, at + len(made) - begin)
            made = make.parquet(table.replace_schema_metadata(said), {"compression": "zstd"})
            out += made
            pointer = re.sub(rb"[0-9]+, *[0-9]+", b"%d, %d" % (at, len(made)), parts[0][1][b"pointer"])
        struct.pack_into("<5Q", out, 2, at, len(made), dp, len(out), cl)
        path.write_bytes(bytes(out) + data[co:])
        return path

    def lists(name, change):
        return column(name, lambda v: [change(list(v[0])), *v[1:]])

    yield None, write()
    offset, length = "tortilla:offset", "tortilla:length"
    offsets, lengths, shape, valid = "chunk:band_offsets", "chunk:band_lengths", "chunk:shape", "chunk:valid"
    for name, change in {
            "ids of two swapped": column("tortilla:id", swapped(0, 1)), "ids: another number": column(
                "tortilla:id", lambda v: [v[0].replace("::0", "::77"), *v[1:]]),
            "places of two swapped": lambda t: column(length, swapped(0, 1))(column(offset, swapped(0, 1))(t)),
            "offset: one more": column(offset, plus(1)), "offset: one less": column(offset, plus(-1)),
            "length: one more": column(length, plus(1)), "length: one less": column(length, plus(-1)),
            "bands swapped": lists(offsets, lambda v: [v[1], v[0], *v[2:]]),
            "a band of no bytes": lists(lengths, lambda v: [0, *v[1:]]), "a band less": lambda t: lists(
                lengths, lambda v: v[:-1])(lists(offsets, lambda v: v[:-1])(t)),
            "band_lengths: one less": lists(lengths, lambda v: [v[0] - 1, *v[1:]]),
            "band_offsets: one more": lists(offsets, lambda v: [v[0] + 1, *v[1:]]),
            "shape: twice as high": lists(shape, lambda v: [v[0], 2 * v[1], v[2]]),
            "shape: a band less": lists(shape, lambda v: [v[0] - 1, *v[1:]]),
            "valid: too small": lists(valid, lambda v: [v[0] - 1, v[1]]), "valid: too large": lists(valid, lambda v: [v[0] + 99, v[1]]),
            "row": column("chunk:row", plus(1)), "col": column("chunk:col", plus(1)), "level": column("chunk:level", [0]),
            "parent": column("tortilla:parent", lambda v: [v[-1], *v[1:]]),
            "root": column("tortilla:root", lambda v: ["other", *v[1:]]),
            "dtype": column("chunk:dtype", ["int32"]), "compression": column("chunk:compression", [8]),
            "predictor": column("chunk:predictor", lambda v: [3 - v[0], *v[1:]]),
            "nodata": column("chunk:nodata", lambda v: [123.0, *v[1:]]),
            "a row less": take(*range(1, len(chunks))), "a row twice": take(*range(len(chunks)), 0),
            "rows: two swapped": take(1, 0, *range(2, len(chunks)))}.items():
        yield name, write(change)


def hint(text, begin, size):
    """The same words with another range."""
    found = re.findall(rb"[0-9]+", text)
    assert len(found) == 2, text
    return re.sub(rb"[0-9]+", lambda _, numbers=iter((begin, size)): b"%d" % next(numbers), text)


CONTAINERS = {"ZIP": zip_cases, "FOLDER": folder_cases, "TACO 0.2": v1_cases, "streaming": streaming_cases}


def found_in(path):
    """(severity, rule, message) of what validate says."""
    return {(issue.is_error, issue.rule, issue.message) for issue in validator.validate(path, deep=True)}


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    scratch, missed, counts = Path(tempfile.mkdtemp(prefix="tacore-corruptions-")), [], collections.Counter()
    for container, cases in CONTAINERS.items():
        folder = scratch / container.replace(" ", "")
        folder.mkdir()
        known = set()
        for name, path in cases(folder):
            issues = found_in(path)
            if name is None:
                known |= issues
                continue
            title = f"{container}: {name}"
            if wanted not in title:
                continue
            new = issues - known
            rule = next((rule for pattern, rule in reversed(RULES.items()) if fnmatch.fnmatchcase(title, pattern)), None)
            if rule and rule not in {found for _, found, _ in new}:
                missed.append((f"{title}, by {rule}", None))
            kind = "error" if any(issue[0] for issue in new) else "warning" if new else "missed"
            counts[container, kind] += 1
            if wanted:
                print(title, *sorted((rule, message) for _, rule, message in new), sep="\n    ")
            if kind == "missed":
                reason = next((why for pattern, why in MISSED.items() if fnmatch.fnmatchcase(title, pattern)), None)
                missed.append((title, reason))
    print(f"{'':<12} {'changes':>8} {'missed':>8} {'only warned':>12}")
    for container in CONTAINERS:
        of = [counts[container, kind] for kind in ("error", "warning", "missed")]
        print(f"{container:<12} {sum(of):>8} {of[2]:>8} {of[1]:>12}")
    for title, reason in missed:
        print(f"{'missed' if reason else 'FAILED: missed'} {title}: {reason or 'no reason in MISSED'}")
    shutil.rmtree(scratch)
    sys.exit(1 if len(missed) > MOST or any(reason is None for _, reason in missed) else 0)


if __name__ == "__main__":
    main()
