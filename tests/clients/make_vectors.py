#!/usr/bin/env python3
"""Makes the vectors: what every client must answer (README.md says how they are written).

    make_vectors.py --write LIBRARY     writes vectors/ and types.tacozip; LIBRARY is libtacore_c, for the order of batches alone
    make_vectors.py --check LIBRARY     makes them anew and compares; 77 when rasterio, shapely or pyarrow is not installed

Rows and bytes come from the naive reader of tests/oracle, filters from its loops, pixels and statistics from rasterio: nothing that
shares code with tacore. The order of batches is recorded of the core; run.py checks its properties, and every client gives
the same.
"""

from __future__ import annotations

import ctypes
import datetime
import decimal
import hashlib
import json
import math
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tests/oracle"))
try:
    import make
    import numpy
    import pyarrow as pa
    import questions
    import rasterio
    import reader
    from rasterio.windows import Window
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

TYPES = "tests/clients/types.tacozip"
LANDSAT, NESTED = "examples/data/landsat.tacozip", "examples/data/landsat_nested.tacozip"
G = "tests/golden/"
Vector = dict[str, Any]


# ------------------------------------------------------------------------------------------------------------------ values


def plain_type(kind: pa.DataType) -> str | None:
    """The type of TACORE_PLAIN, or None where there is none."""
    names = {pa.bool_(): "bool", pa.date32(): "date", pa.date64(): "date", pa.uint32(): "int64", pa.int64(): "int64",
             pa.uint64(): "int64", pa.string(): "string", pa.large_string(): "string", pa.binary(): "binary",
             pa.large_binary(): "binary", pa.float16(): "double", pa.float32(): "double", pa.float64(): "double"}  # fmt: skip
    if kind in names:
        return names[kind]
    if pa.types.is_integer(kind):
        return "int32"
    if pa.types.is_decimal(kind):
        return "double"
    if pa.types.is_timestamp(kind):
        return "timestamp"
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return "list" if plain_type(kind.value_type) else None
    if pa.types.is_struct(kind):
        return "struct" if all(plain_type(field.type) for field in kind) else None
    return None


def cell(value: Any, kind: pa.DataType) -> Any:
    """A value of the reader in the form that README.md states."""
    name = plain_type(kind)
    if value is None:
        return None
    if name == "list":
        return [cell(each, kind.value_type) for each in value]
    if name == "struct":
        return {field.name: cell(value[field.name], field.type) for field in kind}
    if name == "binary":
        return bytes(value).hex()
    if name == "timestamp":
        if isinstance(value, datetime.datetime):  # within lists
            value = (value.replace(tzinfo=datetime.UTC) - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC))
            return value // datetime.timedelta(microseconds=1)
        assert value % 1000 == 0, "a timestamp has nanoseconds, which plain rows refuse"
        return whole(value // 1000)
    if name == "date" and isinstance(value, datetime.date):
        return (value - datetime.date(1970, 1, 1)).days
    if isinstance(value, decimal.Decimal) or name == "double":
        return real(float(value))
    return whole(value) if name in ("int32", "int64") else value


def whole(value: int) -> int | str:
    return value if abs(value) <= 2**53 else str(value)


def real(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def table_of(rows: list[Any], types: dict[str, pa.DataType]) -> dict[str, Any]:
    """Rows in the order of their table: number, ids, kinds, and the columns that plain rows can have."""
    columns = {name: {"type": plain_type(kind), "values": [cell(row.values[name], kind) for row in rows]}
               for name, kind in types.items() if plain_type(kind)}  # fmt: skip
    return {
        "num_rows": len(rows),
        "ids": [row.id for row in rows],
        "types": ["FOLDER" if row.folder else "FILE" for row in rows],
        "columns": columns,
    }


# ------------------------------------------------------------------------------------------------------------------ data


def write_types() -> None:
    """A dataset with a column of each type of Parquet that rows can have: nulls, limits, empty values."""
    def moments(unit: str, zone: str | None, values: list[int | None]) -> pa.Array:
        return pa.array(values, pa.int64()).cast(pa.timestamp(unit, tz=zone))
    rows = 5
    columns = {
        "a_bool": pa.array([True, None, False, True, None]),
        "an_int8": pa.array([-128, 127, None, 0, 1], pa.int8()),
        "a_uint8": pa.array([0, 255, 7, None, 1], pa.uint8()),
        "an_int16": pa.array([-32768, 32767, None, 0, 1], pa.int16()),
        "a_uint16": pa.array([0, 65535, None, 3, 1], pa.uint16()),
        "an_int32": pa.array([-(2**31) + 1, 2**31 - 1, None, 0, 1], pa.int32()),
        "a_uint32": pa.array([0, 2**32 - 1, None, 3, 1], pa.uint32()),
        "an_int64": pa.array([-(2**53), 2**53, None, 0, 1], pa.int64()),
        "a_large_int64": pa.array([-(2**63) + 1, 2**63 - 1, None, 2**53 + 1, 1], pa.int64()),
        "a_float": pa.array([0.1, -math.inf, None, math.nan, 3.4028234663852886e38], pa.float32()),
        "a_double": pa.array([0.1, -0.0, None, math.nan, 5e-324], pa.float64()),
        "a_decimal": pa.array([decimal.Decimal("1.37"), None, decimal.Decimal("-99999.99"), decimal.Decimal(0), None],
                              pa.decimal128(9, 2)),
        "a_text": pa.array(["", "é€𝄞", None, "a\nb\t\"c\"'\\", "x" * 300]),
        "a_category": pa.array(["a", None, "b", "a", "b"]).dictionary_encode(),
        "a_binary": pa.array([b"", bytes(range(256)), None, b"\0", b"\xff"]),
        "a_date": pa.array([0, -1, None, 20000, -141427], pa.int32()).cast(pa.date32()),
        "a_time_s": moments("ms", None, [0, -1000, None, 1_700_000_000_000, 1]),
        "a_time_us": moments("us", None, [0, -1, None, 1_700_000_000_000_001, -62_135_596_800_000_000]),
        "a_time_utc": moments("us", "UTC", [1, None, None, 1_700_000_000_123_456, 0]),
        "numbers": pa.array([[1, None, 3], [], None, [2**40], [0]], pa.list_(pa.int64())),
        "texts": pa.array([["a", ""], None, [None], [], ["é"]], pa.list_(pa.string())),
        "lists": pa.array([[[1.5], None, []], None, [], [[0.25, -1.0]], [[]]], pa.list_(pa.list_(pa.float32()))),
        "a_struct": pa.array([{"x": 1, "y": {"z": "a", "w": [True]}}, None, {"x": None, "y": None},
                              {"x": 3, "y": {"z": None, "w": []}}, {"x": 4, "y": {"z": "", "w": None}}],
                             pa.struct([("x", pa.int32()), ("y", pa.struct([("z", pa.string()), ("w", pa.list_(pa.bool_()))]))])),
        "all_null": pa.array([None] * rows, pa.float64()),
        "größe:x": pa.array([1, 2, 3, 4, None], pa.int32()),
    }  # fmt: skip
    ids = ["first", "zwei", "it's", "007", "日本"]
    data = [b"", b"one", bytes(1000), b"\x00\xff", "ü".encode()]
    level = make.Level(ids, [False] * rows, [None] * rows, data, columns)
    world = make.World([level], [], {"spatial": [-180.0, -90.0, 180.0, 90.0], "temporal": None})
    make.write_zip(world, ROOT / TYPES, id="types")


def data_of(path: str | list[str]) -> Any:
    return reader.load([ROOT / each for each in path] if isinstance(path, list) else ROOT / path)


def descend(rows: list[Any], at: int, child: str) -> Any:
    row = rows[at]
    for part in filter(None, child.split("/")):
        row = next(each for each in row.children if each.id == part)
    return row


# ------------------------------------------------------------------------------------------------------------------ vectors


def opening() -> list[Vector]:
    formats = {
        "zip": G + "flat.tacozip", "nested zip": G + "nested.tacozip", "folder": G + "nested", "padded": G + "nested_padded.tacozip",
        "padded folder": G + "nested_padded", "index": G + "cascade_tacocat/.tacocat", "old index": G + "cascade_tacocat/__TACOCAT__",
        "collection of datasets": G + "cascade_tacocat/TACOLLECTION.json", "six levels": G + "six_levels.tacozip",
        "odd names": G + "odd_names.tacozip", "odd nested names": G + "odd_names_nested.tacozip", "types": TYPES,
        "uneven": G + "uneven_children.tacozip", "tortilla": G + "v1/flat.tortilla", "nested tortilla": G + "v1/nested.tortilla",
        "taco of 0.x": G + "v1/nested.taco", "landsat": LANDSAT, "nested landsat": NESTED,
    }  # fmt: skip
    out = []
    for name, path in formats.items():
        data = data_of(path)
        out.append({"name": f"open: {name}", "open": path, "do": "open", "expect": {
            "num_rows": len(data.levels[0]), "num_levels": len(data.levels),
            "ids": [row.id for row in data.levels[0]],
            "types": ["FOLDER" if row.folder else "FILE" for row in data.levels[0]]}})  # fmt: skip
    return out


def rows() -> list[Vector]:
    out = []
    for path in (TYPES, G + "flat.tacozip", G + "nested.tacozip", G + "polygons.tacozip", G + "stats_flat.tacozip", G + "nested",
                 LANDSAT):  # fmt: skip
        data = data_of(path)
        out.append({"name": f"rows: {path}", "open": path, "do": "rows", "expect": table_of(data.levels[0], data.types[0])})
    data = data_of(G + "times.tacozip")
    types = {name: kind for name, kind in data.types[0].items() if name != "t_ns"}
    query = "SELECT * EXCLUDE (t_ns) FROM data"
    out.append({"name": "rows: times", "open": G + "times.tacozip", "filters": [{"sql": query}], "do": "rows",
                "expect": table_of(data.levels[0], types)})  # fmt: skip
    two = [G + "cascade_tacocat/cascade_part0001.tacozip", G + "cascade_tacocat/cascade_part0003.tacozip"]
    data = data_of(two)
    out.append({"name": "rows: two files", "open": two, "do": "rows", "expect": table_of(data.levels[0], data.types[0])})
    data = data_of(NESTED)
    optical = [row for row in data.levels[1] if row.id == "optical"]
    out.append({"name": "rows: a level", "open": NESTED, "filters": [{"sql": "SELECT * FROM level1 WHERE id = 'optical'"}],
                "do": "rows", "expect": {"num_rows": len(optical), "ids": [row.id for row in optical]}})  # fmt: skip
    return out


def filters() -> list[Vector]:
    out = []

    def add(name: str, path: str, steps: list[Vector], kept: list[Any]) -> None:
        out.append({"name": f"filter: {name}", "open": path, "filters": steps, "do": "rows",
                    "expect": {"num_rows": len(kept), "ids": [row.id for row in kept]}})  # fmt: skip

    flat, landsat = data_of(G + "flat.tacozip"), data_of(LANDSAT)
    spain = [-10, 36, 4, 44]
    add("box", G + "flat.tacozip", [{"bbox": spain}], questions.in_box(flat, 0, spain))
    narrow = [-0.5, 39, 0, 40]
    add("narrow box", G + "flat.tacozip", [{"bbox": narrow}], questions.in_box(flat, 0, narrow))
    crossing = [170, -90, -30, 90]
    add("box over the antimeridian", G + "flat.tacozip", [{"bbox": crossing}], questions.in_box(flat, 0, crossing))
    add("nothing", G + "flat.tacozip", [{"bbox": [100, 10, 101, 11]}], questions.in_box(flat, 0, [100, 10, 101, 11]))
    polygons = data_of(G + "polygons.tacozip")
    for box in ([0, 0, 10, 10], [170, -10, -170, 10], [-180, -90, 180, 90]):
        add(f"polygons {box}", G + "polygons.tacozip", [{"bbox": box}], questions.in_box(polygons, 0, box))
    add("time", G + "flat.tacozip", [{"datetime": "2023-02-01/2023-03-31"}],
        questions.in_time(flat, 0, "2023-02-01/2023-03-31"))  # fmt: skip
    add("open time", G + "flat.tacozip", [{"datetime": "2023-03-01/.."}], questions.in_time(flat, 0, "2023-03-01/.."))
    both = [row for row in questions.in_box(flat, 0, spain) if row in questions.in_time(flat, 0, "2023-01-15/2023-12-31")]
    add("box and time", G + "flat.tacozip", [{"bbox": spain}, {"datetime": "2023-01-15/2023-12-31"}], both)
    clear = [row for row in both if row.values["cloud_cover"] is not None and row.values["cloud_cover"] < 50]
    add("box, time and SQL", G + "flat.tacozip",
        [{"bbox": spain}, {"datetime": "2023-01-15/2023-12-31"}, {"sql": "SELECT * FROM data WHERE cloud_cover < 50"}],
        clear)  # fmt: skip
    wet = [row for row in landsat.levels[0] if row.values["water"] > 0.1]
    add("SQL", LANDSAT, [{"sql": "SELECT * FROM data WHERE water > 0.1"}], wet)
    ordered = sorted(landsat.levels[0], key=lambda row: (-row.values["vegetation"], row.id))[:4]
    add("SQL with order and limit", LANDSAT, [{"sql": "SELECT * FROM data ORDER BY vegetation DESC, id LIMIT 4"}], ordered)
    cascade = data_of(G + "cascade_tacocat/.tacocat")
    for level in range(len(cascade.levels)):
        if questions.first_of(cascade, level, questions.GEOMETRY):
            box = [-20, -40, 60, 40]
            kept = questions.roots_of(cascade, questions.in_box(cascade, level, box))
            add(f"box at level {level}", G + "cascade_tacocat/.tacocat", [{"bbox": box, "level": level}], kept)
    return out


def navigation() -> list[Vector]:
    out = []
    for path in (NESTED, G + "nested.tacozip", G + "nested", G + "six_levels.tacozip", G + "cascade_tacocat/.tacocat",
                 G + "v1/nested.taco", G + "odd_names_nested.tacozip", G + "nested_padded.tacozip"):  # fmt: skip
        data = data_of(path)
        for at in sorted({0, len(data.levels[0]) - 1}):
            row = data.levels[0][at]
            out.append({"name": f"children: {path}[{at}]", "open": path, "do": "children", "position": at,
                        "expect": {"num_rows": len(row.children), "ids": [each.id for each in row.children],
                                   "types": ["FOLDER" if each.folder else "FILE" for each in row.children]}})  # fmt: skip
            names = []
            while row.children:
                row = row.children[-1]
                names.append(row.id)
            if not any("/" in each for each in names):
                out.append(bytes_vector(path, data.levels[0], at, "/".join(names)))
    for path in (TYPES, G + "flat.tacozip", G + "odd_names.tacozip", G + "v1/flat.tortilla", G + "zip64_records.tacozip"):
        data = data_of(path)
        out += [bytes_vector(path, data.levels[0], at, "") for at, row in enumerate(data.levels[0]) if not row.folder]
    data = data_of(LANDSAT)
    wet = [row for row in data.levels[0] if row.values["water"] > 0.1]
    out.append({**bytes_vector(LANDSAT, wet, 2, ""), "name": "bytes: after a filter",
                "filters": [{"sql": "SELECT * FROM data WHERE water > 0.1"}]})  # fmt: skip
    return out


def bytes_vector(path: str, rows: list[Any], at: int, child: str) -> Vector:
    data = descend(rows, at, child).bytes()
    return {"name": f"bytes: {path}[{at}]/{child}", "open": path, "do": "bytes", "position": at, "child": child,
            "expect": {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}}  # fmt: skip


def pixels() -> list[Vector]:
    out = []
    cases: list[tuple[str, int, str, Vector]] = [
        (LANDSAT, 0, "", {}), (LANDSAT, 5, "", {"bands": [4, 3, 2]}), (LANDSAT, 5, "", {"bands": [1, 1]}),
        (LANDSAT, 15, "", {"window": [10, 20, 30, 7]}), (LANDSAT, 3, "", {"bands": [6], "window": [63, 63, 1, 1], "dtype": "int32"}),
        (LANDSAT, 3, "", {"dtype": "float64"}), (LANDSAT, 3, "", {"scale": 0.5, "bands": [2]}),
        (LANDSAT, 3, "", {"scale": [[0.0001, -0.1], [2, 0]], "bands": [2, 3]}),
        (NESTED, 1, "optical", {"bands": [4]}), (NESTED, 1, "mask", {}), (NESTED, 2, "dem", {}),
        (NESTED, 2, "dem", {"window": [0, 0, 16, 64], "dtype": "float32"}),
    ]  # fmt: skip
    for path, at, child, how in cases:
        content = descend(data_of(path).levels[0], at, child).bytes()
        with rasterio.MemoryFile(content) as memory, memory.open() as raster:
            bands = how.get("bands") or list(range(1, raster.count + 1))
            window = Window(*how["window"]) if "window" in how else None
            array = raster.read(bands, window=window)
        if "scale" in how:
            scales = how["scale"] if isinstance(how["scale"], list) else [[how["scale"], 0]] * len(bands)
            array = numpy.stack([(band.astype("float64") * factor + offset).astype("float32")
                                 for band, (factor, offset) in zip(array, scales)])  # fmt: skip
        array = numpy.ascontiguousarray(array.astype(how.get("dtype", array.dtype)))
        exact = "scale" not in how
        out.append({"name": f"pixels: {path}[{at}]/{child} {json.dumps(how)}", "open": path, "do": "pixels", "position": at,
                    "child": child, **how,
                    "expect": {"shape": list(array.shape), "dtype": str(array.dtype), "sum": float(array.astype("float64").sum()),
                               "first": [float(each) for each in array.reshape(array.shape[0], -1)[:, 0]],
                               **({"sha256": hashlib.sha256(array.tobytes()).hexdigest()} if exact else {"tolerance": 2e-6})}})  # fmt: skip
    return out


def statistics() -> list[Vector]:
    out = []
    data = data_of(LANDSAT)
    arrays = []
    for row in data.levels[0]:
        with rasterio.MemoryFile(row.bytes()) as memory, memory.open() as raster:
            assert raster.nodata is None
            arrays.append(raster.read().astype("float64"))
    for bands in ([1, 2, 3, 4, 5, 6], [4]):
        bands_of = [numpy.concatenate([array[band - 1].ravel() for array in arrays]) for band in bands]
        expect = [{"band": band, "num_pixels": int(values.size), "min": float(values.min()), "max": float(values.max()),
                   "mean": float(values.mean()), "std": float(values.std())} for band, values in zip(bands, bands_of)]  # fmt: skip
        out.append({"name": f"statistics: computed, bands {bands}", "open": LANDSAT, "do": "computed statistics", "bands": bands,
                    "expect": expect, "tolerance": 1e-9})  # fmt: skip
        stored = [{key: each[key] for key in ("band", "min", "max", "mean", "std")} for each in expect]
        out.append({"name": f"statistics: stored, bands {bands}", "open": LANDSAT, "do": "stored statistics", "bands": bands,
                    "expect": stored, "tolerance": 1e-5})  # fmt: skip
    return out


def errors() -> list[Vector]:
    def fails(name: str, code: str, text: str, **vector: Any) -> Vector:
        return {"name": f"error: {name}", **vector, "error": {"code": code, "text": text}}

    flat = {"open": G + "flat.tacozip"}
    return [
        fails("no such file", "NOT_FOUND", "none.tacozip", open="tests/none.tacozip", do="open"),
        fails("not a dataset", "FORMAT", "README.md", open="README.md", do="open"),
        fails("wrong SQL", "QUERY", "nothing", **flat, filters=[{"sql": "SELECT nothing FROM data"}], do="rows"),
        fails("not a SELECT", "QUERY", "", **flat, filters=[{"sql": "DROP TABLE data"}], do="rows"),
        fails("unknown column", "QUERY", "nothing", **flat, filters=[{"bbox": [0, 0, 1, 1], "column": "nothing"}], do="rows"),
        fails("unknown level", "QUERY", "", **flat, filters=[{"bbox": [0, 0, 1, 1], "level": 4}], do="rows"),
        fails("upside down", "QUERY", "", **flat, filters=[{"bbox": [0, 10, 1, -10]}], do="rows"),
        fails("not a time", "QUERY", "yesterday", **flat, filters=[{"datetime": "yesterday"}], do="rows"),
        fails("no such row", "NAVIGATION", "5", **flat, do="bytes", position=5, child=""),
        fails("no such child", "NAVIGATION", "nothing", open=NESTED, do="bytes", position=0, child="nothing"),
        fails("bytes of a FOLDER", "NAVIGATION", "FOLDER", open=NESTED, do="bytes", position=0, child=""),
        fails("children of a FILE", "NAVIGATION", "", **flat, do="children", position=0),
        fails("not a raster", "UNSUPPORTED", "", open=TYPES, do="pixels", position=1, child=""),
        fails("no such band", "QUERY", "7", open=LANDSAT, do="pixels", position=0, child="", bands=[7]),
        fails("window outside", "QUERY", "", open=LANDSAT, do="pixels", position=0, child="", window=[60, 60, 10, 10]),
        fails("unknown option", "ARGUMENT", "batch_sise", open=LANDSAT, do="batches", options={"batch_sise": 3}),
        fails("a time of day", "SCHEMA", "noon", **flat, filters=[{"sql": "SELECT *, TIME '12:00:00' AS noon FROM data"}], do="rows",
              plain=True),
    ]  # fmt: skip


def created() -> list[Vector]:
    """Datasets that a client writes, and what is read of them. What is expected is what was given."""
    collection = {"id": "chips", "dataset_version": "1.0.0", "description": "Chips", "licenses": ["MIT"],
                  "providers": [{"name": "P"}], "tasks": ["classification"]}  # fmt: skip
    contents = [b"", b"first", bytes(range(256)) * 5]
    table = {
        "id": {"type": "string", "values": ["a", "b", "c"]},
        "data": {"type": "binary", "values": [each.hex() for each in contents]},
        "label": {"type": "string", "values": ["water", None, "é"]},
        "cloud": {"type": "double", "values": [0.5, None, -1.25]},
        "count": {"type": "int32", "values": [1, None, -3]},
        "is_train": {"type": "bool", "values": [True, False, None]},
        "day": {"type": "date", "values": [19000, None, -1]},
        "moment": {"type": "timestamp", "values": [1_700_000_000_123_456, None, 0]},
    }
    columns = {name: column for name, column in table.items() if name not in ("id", "data")}
    out: list[Vector] = []
    for name, output in (("zip", "chips.tacozip"), ("folder", "chips")):
        out.append({"name": f"create: rows to a {name}", "do": "create", "rows": table, "output": output, "collection": collection,
                    "expect": {"table": {"num_rows": 3, "ids": ["a", "b", "c"], "types": ["FILE"] * 3, "columns": columns},
                               "bytes": [{"size": len(each), "sha256": hashlib.sha256(each).hexdigest()} for each in contents],
                               "is_valid": True}})  # fmt: skip
    nested = {"id": {"type": "string", "values": ["x/a", "x/b", "y/a", "y/b"]},
              "data": {"type": "binary", "values": ["00", "01", "02", "03"]}}  # fmt: skip
    out.append({"name": "create: a tree", "do": "create", "rows": nested, "output": "tree.tacozip", "collection": collection,
                "expect": {"table": {"num_rows": 2, "ids": ["x", "y"], "types": ["FOLDER", "FOLDER"], "columns": {}},
                           "bytes": [], "is_valid": True}})  # fmt: skip
    scene = sorted((ROOT / "examples/data/scene").iterdir())
    out.append({"name": "create: a folder", "do": "create", "from": "examples/data/scene", "output": "scene.tacozip",
                "collection": collection, "options": {"places": False},
                "expect": {"table": {"num_rows": len(scene), "types": ["FILE"] * len(scene), "columns": {}},
                           "bytes": [], "is_valid": True}})  # fmt: skip
    twice = {**table, "id": {"type": "string", "values": ["a", "a", "c"]}}
    out += [
        {"name": "create: an id twice", "do": "create", "rows": twice, "output": "no.tacozip", "collection": collection,
         "error": {"code": "SCHEMA", "text": "has the id of"}},
        {"name": "create: no licence", "do": "create", "rows": table, "output": "no.tacozip",
         "collection": {**collection, "licenses": []}, "error": {"code": "VALIDATION", "text": "licenses"}},
    ]  # fmt: skip
    return out


def remote() -> list[Vector]:
    """Over serve.py: `open` is a path on the server."""
    out = [{**vector, "name": f"remote {vector['name']}", "remote": True}
           for vector in [*opening(), *rows(), *navigation(), *pixels()]
           if vector["open"] in (LANDSAT, NESTED, G + "flat.tacozip", G + "nested", G + "cascade_tacocat/.tacocat")]  # fmt: skip
    missing = {"name": "remote error: no such file", "remote": True, "open": "tests/none.tacozip", "do": "open",
               "error": {"code": "NOT_FOUND", "text": "none.tacozip"}}  # fmt: skip
    changed = {"name": "remote error: changed", "remote": True, "open": "changed/" + LANDSAT, "do": "bytes",
               "position": 0, "child": "", "error": {"code": "IO", "text": "changed"}}  # fmt: skip
    dropped = {"name": "remote error: dropped", "remote": True, "open": "dropped/" + LANDSAT, "do": "open",
               "error": {"code": "IO", "text": "landsat.tacozip"}}  # fmt: skip
    return [*out, missing, changed, dropped]


def batches(library: ctypes.CDLL) -> list[Vector]:
    out = []
    for path, options in (
        (LANDSAT, {"batch_size": 5, "seed": 1}),
        (LANDSAT, {"batch_size": 5, "seed": 1, "epoch": 1}),
        (LANDSAT, {"batch_size": 5, "seed": 1, "start": 5}),
        (LANDSAT, {"batch_size": 3, "seed": 7, "drop_last": True, "inputs": ["4,3"]}),
        (LANDSAT, {"batch_size": 4, "rank": 1, "world_size": 2}),
        (NESTED, {"batch_size": 4, "inputs": ["optical/1,2", "mask"]}),
        (NESTED, {"batch_size": 2, "inputs": [{"path": "optical", "bands": [3], "window": [8, 4, 16, 12], "scale": 0.5}]}),
    ):  # fmt: skip
        out.append({"name": f"batches: {path} {json.dumps(options)}", "open": path, "do": "batches", "options": options,
                    "expect": recorded(library, path, options)})  # fmt: skip
    return out


def recorded(library: ctypes.CDLL, path: str, options: Vector) -> Vector:
    """Positions and starts of the core; shapes and sums of the same samples by rasterio."""
    paths, pointer = (ctypes.c_char_p * 1)(str(ROOT / path).encode()), ctypes.c_void_p
    dataset, frame, loader = pointer(), pointer(), pointer()
    assert library.tacore_open(paths, ctypes.c_size_t(1), None, ctypes.byref(dataset), None) == 0
    assert library.tacore_dataset_rows(dataset, 0, ctypes.byref(frame), None) == 0
    assert library.tacore_loader_new(frame, json.dumps(options).encode(), ctypes.byref(loader), None) == 0
    rows, out = data_of(path).levels[0], []
    inputs = options.get("inputs", [""])
    while True:
        batch, positions, size, start = pointer(), ctypes.POINTER(ctypes.c_int64)(), ctypes.c_size_t(), ctypes.c_int64()
        assert library.tacore_loader_next(loader, ctypes.byref(batch), None) == 0
        if not batch:
            return {"batches": out}
        library.tacore_batch_positions(batch, ctypes.byref(positions), ctypes.byref(size), ctypes.byref(start))
        at = positions[: size.value]
        arrays = [numpy.stack([read_input(rows[position], each) for position in at]) for each in inputs]
        out.append({"positions": list(at), "next_start": start.value,
                    "tensors": [{"shape": list(array.shape), "dtype": str(array.dtype), "sum": float(array.astype("float64").sum())}
                                for array in arrays]})  # fmt: skip


def read_input(row: Any, given: Any) -> Any:
    """What an input of the loader is, by rasterio."""
    if isinstance(given, str):
        path, _, last = given.rpartition("/")
        is_bands = bool(last) and set(last) <= set("0123456789,")
        given = {"path": path if is_bands else given, "bands": [int(each) for each in last.split(",")] if is_bands else None}
    content = descend([row], 0, given["path"]).bytes()
    with rasterio.MemoryFile(content) as memory, memory.open() as raster:
        array = raster.read(given.get("bands"), window=Window(*given["window"]) if "window" in given else None)
    return (array * numpy.float32(given["scale"])).astype("float32") if "scale" in given else array


def main() -> int:
    mode, library = sys.argv[1], ctypes.CDLL(sys.argv[2])
    if mode == "--write":
        write_types()
    made = {"opening": opening(), "rows": rows(), "filters": filters(), "navigation": navigation(), "pixels": pixels(),
            "statistics": statistics(), "errors": errors(), "created": created(), "batches": batches(library),
            "remote": remote()}  # fmt: skip
    differ = []
    for name, vectors in made.items():
        text = "".join(json.dumps(vector, ensure_ascii=False, allow_nan=False) + "\n" for vector in vectors)
        file = HERE / "vectors" / f"{name}.jsonl"
        if mode == "--write":
            file.write_text(text)
        elif file.read_text() != text:
            differ.append(file.name)
    names = [vector["name"] for vectors in made.values() for vector in vectors]
    assert len(names) == len(set(names)), "two vectors have one name"
    print(f"{len(names)} vectors" + (f"; other than written: {', '.join(differ)}" if differ else ""))
    return 1 if differ else 0


sys.exit(main())
