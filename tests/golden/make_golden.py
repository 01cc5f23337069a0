#!/usr/bin/env python3
"""Makes the golden datasets: one small file or folder per fact, the name is the fact.

    make_golden.py OUTPUT_FOLDER

Needs pyarrow (the version pinned in cmake/pyarrow-requirements.txt gives the same bytes). The containers are written by the
small writer below, not by the library under test: docs/format.md describes the bytes. Prints a Markdown table of the facts.
"""
import json
import struct
import sys
import zlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

# ---------------------------------------------------------------------------------------------------------------- ZIP

DOS_TIME, DOS_DATE = 0, (2026 - 1980) << 9 | 1 << 5 | 1  # 2026-01-01 00:00:00
HEADER_NAME, HEADER_PAYLOAD = "TACO_HEADER", 116
UINT32_MAX = 0xFFFFFFFF


@dataclass
class Entry:
    name: str
    data: bytes
    mode: int = 0o100644
    crc: int | None = None  # None: the right one

    def checksum(self):
        return zlib.crc32(self.data) if self.crc is None else self.crc


def local_size(name, zip64):
    return 30 + len(name.encode()) + (20 if zip64 and name != HEADER_NAME else 0)


def zip_bytes(entries, zip64=False, comment=b""):
    """A stored ZIP. zip64: every record that may carry ZIP64 fields does (TACO_HEADER has its payload at a fixed place)."""
    out, directory = BytesIO(), BytesIO()
    for entry in entries:
        name, size, offset = entry.name.encode(), len(entry.data), out.tell()
        flags = 0 if entry.name.isascii() else 0x0800
        wide = zip64 and entry.name != HEADER_NAME
        version = 45 if wide else 10
        size32 = UINT32_MAX if wide else size
        extra = struct.pack("<HHQQ", 1, 16, size, size) if wide else b""
        common = (flags, 0, DOS_TIME, DOS_DATE, entry.checksum(), size32, size32, len(name))
        out.write(struct.pack("<4sHHHHHIIIHH", b"PK\3\4", version, *common, len(extra)) + name + extra + entry.data)
        if wide:
            extra = struct.pack("<HHQQQ", 1, 24, size, size, offset)
        directory.write(struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 0x033F, version, *common, len(extra), 0, 0, 0,
                                    entry.mode << 16, UINT32_MAX if wide else offset) + name + extra)
    start, records, count = out.tell(), directory.getvalue(), len(entries)
    out.write(records)
    if zip64:
        end64 = out.tell()
        out.write(struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(records), start))
        out.write(struct.pack("<4sIQI", b"PK\6\7", 0, end64, 1))
    end = (0xFFFF, 0xFFFF, UINT32_MAX, UINT32_MAX) if zip64 else (count, count, len(records), start)
    out.write(struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, *end, len(comment)) + comment)
    return out.getvalue()


def header_payload(ranges):
    pairs = [number for pair in ranges for number in pair]
    return struct.pack("<B3x14Q", len(ranges), *pairs, *[0] * (14 - len(pairs)))


# --------------------------------------------------------------------------------------------------------------- tree


@dataclass
class Node:
    id: str
    data: bytes | None = None   # a FILE
    children: list | None = None  # a FOLDER
    values: dict = field(default_factory=dict)
    # set by `levels`
    current: int = 0
    parent: int = 0
    path: str = ""
    offset: int = 0
    size: int = 0

    @property
    def type(self):
        return "FILE" if self.children is None else "FOLDER"

    @property
    def entry(self):
        """Where the row points: the file, or the table of the folder's children."""
        return f"DATA/{self.path}" + ("" if self.children is None else "/__meta__")


def file(id, data=None, /, **values):
    return Node(id, data=(f"data of {id}".encode() if data is None else data), values=values)


def folder(id, /, *children, **values):
    return Node(id, children=list(children), values=values)


def padding(number):
    return Node(f"__TACOPAD__{number}", data=b"")


def levels(roots):
    """The rows of each level, numbered; children follow their parents' order."""
    rows, all_levels = roots, []
    for current, node in enumerate(roots):
        node.current, node.parent, node.path = current, current, node.id
    while rows:
        all_levels.append(rows)
        below = []
        for parent in rows:
            for node in parent.children or []:
                node.current, node.parent, node.path = len(below), parent.current, f"{parent.path}/{node.id}"
                below.append(node)
        rows = below
    return all_levels


def depth_first(nodes):
    for node in nodes:
        yield node
        yield from depth_first(node.children or [])


# ------------------------------------------------------------------------------------------------------------- tables

# The types of the columns that Arrow cannot infer.
TYPES = {
    "istac:centroid": pa.binary(), "stac:centroid": pa.binary(), "istac:geometry": pa.binary(),
    "istac:time_start": pa.timestamp("us"), "stac:time_start": pa.timestamp("us"),
    "geotiff:stats": pa.list_(pa.list_(pa.float32())), "stac:tensor_shape": pa.list_(pa.int64()),
}
PARQUET = dict(compression="zstd", store_schema=False, write_statistics=True)


def user_columns(nodes, types):
    names = list(dict.fromkeys(name for node in nodes for name in node.values))
    return {name: pa.array([node.values.get(name) for node in nodes], {**TYPES, **types}.get(name)) for name in names}


def table(nodes, level, columns, internal):
    columns = {"id": pa.array([n.id for n in nodes], pa.string()), "type": pa.array([n.type for n in nodes]), **columns}
    paths = [n.path + ("/" if n.children is not None else "") for n in nodes]
    known = {
        "current_id": [n.current for n in nodes], "parent_id": [n.parent for n in nodes],
        "offset": [n.offset for n in nodes], "size": [n.size for n in nodes],
        "relative_path": paths if level else None,
    }
    for name in internal:
        if known[name] is not None:
            columns[f"internal:{name}"] = pa.array(known[name])
    return pa.table(columns)


def parquet(rows, **options):
    out = BytesIO()
    pq.write_table(rows, out, **{**PARQUET, **options})
    return out.getvalue()


# --------------------------------------------------------------------------------------------------------- collection


def type_name(arrow_type):
    return f"list<item: {type_name(arrow_type.value_type)}>" if pa.types.is_list(arrow_type) else str(arrow_type)


def pattern(groups):
    """Children of one position: ids and types from the largest group without padding."""
    real = [[node for node in group if not node.id.startswith("__TACOPAD__")] for group in groups]
    largest = groups[max(range(len(groups)), key=lambda i: len(real[i]))]
    described = {"n": sum(map(len, groups)), "type": [n.type for n in largest], "id": [n.id for n in largest]}
    inner = []
    for position, node in enumerate(largest):
        if node.children is not None:
            inner.append([g[position].children for g in groups if position < len(g) and g[position].children is not None])
    return described, inner


def pit_schema(roots):
    hierarchy, depth = {}, 1
    positions = [[root.children for root in roots if root.children is not None]]
    while positions and positions[0]:
        described = [pattern(groups) for groups in positions]
        hierarchy[str(depth)] = [one for one, _ in described]
        positions = [groups for _, inner in described for groups in inner]
        depth += 1
    return {"root": {"n": len(roots), "type": roots[0].type}, "hierarchy": hierarchy}


def collection(name, roots, tables, **keys):
    hidden = ("internal:offset", "internal:size", "internal:source_file")
    fields = {f"level{k}": [[f.name, type_name(f.type), ""] for f in rows.schema if f.name not in hidden]
              for k, rows in enumerate(tables)}
    return {
        "id": name, "dataset_version": "1.0.0", "description": "Golden dataset of the tacore tests", "licenses": ["MIT"],
        "providers": [{"name": "tacore", "organization": None, "email": None, "role": "producer"}], "tasks": ["other"],
        "taco_version": "2.0.0", "title": None, "curators": None, "keywords": None,
        "extent": {"spatial": [-180.0, -90.0, 180.0, 90.0], "temporal": None},
        "taco:pit_schema": pit_schema(roots), "taco:field_schema": fields, **keys,
    }


def json_bytes(document):
    return json.dumps(document, indent=4, ensure_ascii=False).encode()


# --------------------------------------------------------------------------------------------------------- containers

ZIP_COLUMNS = ("current_id", "parent_id", "offset", "size", "relative_path")


@dataclass
class Made:
    data: bytes
    tables: list
    collection: dict


def make_zip(name, roots, *, without=(), keys=None, drop_keys=(), types=None, options=None, edit=None, header="right",
             extra=(), zip64=False, comment=b""):
    """without: internal columns to leave out; keys, drop_keys: of COLLECTION.json; edit(table, level) changes a level;
    header: right, absent, stale or bad_crc; extra: entries that no row names, before METADATA/."""
    internal = [column for column in ZIP_COLUMNS if column not in without]
    rows = levels(roots)
    columns = [user_columns(nodes, types or {}) for nodes in rows]
    options = options or {}
    entries = [] if header == "absent" else [Entry(HEADER_NAME, bytes(HEADER_PAYLOAD), mode=0o644)]
    cursor = sum(local_size(e.name, zip64) + len(e.data) for e in entries)

    def append(entry):
        nonlocal cursor
        entries.append(entry)
        start = cursor + local_size(entry.name, zip64)
        cursor = start + len(entry.data)
        return start, len(entry.data)

    for node in depth_first(roots):
        if node.children is None:
            node.offset, node.size = append(Entry(node.entry, node.data))
    for nodes in reversed(rows):
        for node in sorted((n for n in nodes if n.children is not None), key=lambda n: n.path + "/"):
            kids = node.children
            part = {c: pa.array([columns[rows_of(rows, kids)][c][k.current].as_py() for k in kids],
                                columns[rows_of(rows, kids)][c].type) for c in columns[rows_of(rows, kids)]}
            node.offset, node.size = append(Entry(node.entry, parquet(table(kids, 0, part, ("offset", "size")), **options)))
    for entry in extra:
        append(entry)
    tables = [table(nodes, level, columns[level], internal) for level, nodes in enumerate(rows)]
    if edit:
        tables = [edit(t, level) for level, t in enumerate(tables)]
    ranges = [append(Entry(f"METADATA/level{k}.parquet", parquet(t, **options))) for k, t in enumerate(tables)]
    document = {**collection(name, roots, tables), **(keys or {})}
    for key in drop_keys:
        del document[key]
    ranges.append(append(Entry("COLLECTION.json", json_bytes(document))))
    if header == "stale":
        ranges = [(157, 60 + i) for i, _ in enumerate(ranges)]  # in the file, but not what they say
    if header != "absent":
        entries[0].data = header_payload(ranges)
    if header == "bad_crc":
        entries[0].crc = 0xDEADBEEF
    return Made(zip_bytes(entries, zip64, comment), tables, document)


def rows_of(rows, nodes):
    return next(level for level, candidates in enumerate(rows) if any(c is nodes[0] for c in candidates))


def write_folder(target, name, roots):
    rows = levels(roots)
    columns = [user_columns(nodes, {}) for nodes in rows]
    tables = [table(n, k, columns[k], ("current_id", "parent_id", "relative_path")) for k, n in enumerate(rows)]
    for node in depth_first(roots):
        path = target / node.entry
        path.parent.mkdir(parents=True, exist_ok=True)
        if node.children is None:
            path.write_bytes(node.data)
            continue
        level = rows_of(rows, node.children)
        keep = [k.current for k in node.children]
        part = {c: values.take(pa.array(keep)) for c, values in columns[level].items()}
        path.write_bytes(parquet(table(node.children, 0, part, ())))
    (target / "METADATA").mkdir(exist_ok=True)
    for k, rows_of_level in enumerate(tables):
        (target / f"METADATA/level{k}.parquet").write_bytes(parquet(rows_of_level))
    (target / "COLLECTION.json").write_bytes(json_bytes(collection(name, roots, tables)))


# ------------------------------------------------------------------------------------------------------------ geometry


def xy(*numbers):
    return struct.pack(f"<{len(numbers)}d", *numbers)


def wkb_point(lon, lat):
    return struct.pack("<BI", 1, 1) + xy(lon, lat)


def wkb_polygon(*rings):
    body = b"".join(struct.pack("<I", len(ring)) + b"".join(xy(*corner) for corner in ring) for ring in rings)
    return struct.pack("<BII", 1, 3, len(rings)) + body


def wkb_box(west, south, east, north, *holes):
    def ring(w, s, e, n):
        return [(w, s), (e, s), (e, n), (w, n), (w, s)]
    return wkb_polygon(ring(west, south, east, north), *[ring(*hole) for hole in holes])


def wkb_multi(kind, *parts):
    return struct.pack("<BII", 1, kind, len(parts)) + b"".join(parts)


# --------------------------------------------------------------------------------------------------------------- facts

FACTS = []


def fact(function):
    FACTS.append(function)
    return function


def day(year, month, number):
    return datetime(year, month, number)


CITIES = [("valencia", -0.376, 39.470), ("madrid", -3.704, 40.417), ("new_york", -74.006, 40.713),
          ("tokyo", 139.692, 35.690), ("suva", 178.442, -18.142)]


def cities():
    return [file(name, **{"istac:centroid": wkb_point(lon, lat), "istac:time_start": day(2023, month, 1),
                          "cloud_cover": 12.5 * month}) for month, (name, lon, lat) in enumerate(CITIES, 1)]


def regions(ids=("africa", "asia", "europe"), items=3):
    """Ids in code-point order of `id/`; every file holds its own path."""
    def kids(k, name):
        return [file(f"item_{i}", f"{name}/item_{i}".encode(), **{
            "istac:centroid": wkb_point(10 * k + i, 5 * k - i), "istac:time_start": day(2023, k + 1, i + 1),
            "cloud_cover": float(10 * k + i)}) for i in range(items)]
    return [folder(name, *kids(k, name), region=name.upper()) for k, name in enumerate(ids)]


@fact
def flat(out):
    """5 FILE samples with WKB points, times (the first of January to May 2023) and cloud_cover 12.5 .. 62.5"""
    write(out / "flat.tacozip", make_zip("flat", cities()))


@fact
def flat_plain(out):
    """as flat, but the Parquet pages are PLAIN and uncompressed: what golden-errors/make_errors.py patches"""
    options = dict(compression="none", use_dictionary=False, write_statistics=False)
    write(out / "flat_plain.tacozip", make_zip("flat_plain", cities(), options=options))


@fact
def nested(out):
    """3 FOLDERs of 3 FILEs, as ZIP and as FOLDER; every file holds its own path"""
    write(out / "nested.tacozip", make_zip("nested", regions()))
    write_folder(out / "nested", "nested", regions())


@fact
def flat_padded(out):
    """3 real samples and 2 padding samples at the end: size 0, user columns null"""
    roots = cities()[:3] + [padding(0), padding(1)]
    write(out / "flat_padded.tacozip", make_zip("flat_padded", roots))


@fact
def nested_padded(out):
    """folder `one` has children a, b, c; folder `two` has a, padding, c. As ZIP and as FOLDER"""
    def roots():
        return [folder("one", *[file(c, score=float(i)) for i, c in enumerate("abc")]),
                folder("two", file("a", score=3.0), padding(0), file("c", score=5.0))]
    write(out / "nested_padded.tacozip", make_zip("nested_padded", roots()))
    write_folder(out / "nested_padded", "nested_padded", roots())


@fact
def mixed_level1(out):
    """level 1 has a FILE `label` and a FOLDER `bands`; only `bands` has children (level 2)"""
    roots = [folder(f"tile_{i}", folder("bands", file("red", gain=1.0 + i), file("nir", gain=2.0 + i), kind="bands"),
                    file("label", kind="label"), tile=i) for i in range(2)]
    write(out / "mixed_level1.tacozip", make_zip("mixed_level1", roots))


@fact
def uneven_children(out):
    """folders with 1, 3 and 2 children: the PIT rule is broken, navigation must still work"""
    roots = [folder(name, *[file(f"item_{i}", rank=i) for i in range(n)]) for name, n in (("a", 1), ("b", 3), ("c", 2))]
    write(out / "uneven_children.tacozip", make_zip("uneven_children", roots))


@fact
def six_levels(out):
    """levels 0 to 5, one FILE at the bottom: the TACO_HEADER is full (7 entries)"""
    node = file("leaf", depth=5)
    for depth in range(4, -1, -1):
        node = folder(f"level_{depth}", node, depth=depth)
    write(out / "six_levels.tacozip", make_zip("six_levels", [node]))


@fact
def permuted_offsets(out):
    """folders asia, europe, africa in this order: level 1 has the offsets of the sorted order, as the reference writes it"""
    roots = regions(("asia", "europe", "africa"))

    def edit(rows, level):
        if level == 0:
            return rows
        in_paths = sorted(rows["internal:relative_path"].to_pylist())
        order = [rows["internal:relative_path"].to_pylist().index(path) for path in in_paths]
        for name in ("internal:offset", "internal:size"):
            position = rows.schema.get_field_index(name)
            rows = rows.set_column(position, name, rows[name].take(pa.array(order)).combine_chunks())
        return rows
    write(out / "permuted_offsets.tacozip", make_zip("permuted_offsets", roots, edit=edit))


@fact
def no_current_id(out):
    """nested without internal:current_id and internal:relative_path (datasets before December 2025)"""
    write(out / "no_current_id.tacozip", make_zip("no_current_id", regions(), without=("current_id", "relative_path")))


@fact
def string_parent_id(out):
    """nested; internal:parent_id holds the parent's id, a string, on both levels"""
    roots = regions()

    def edit(rows, level):
        parents = [root.id for root in roots]
        column = pa.array([parents[i] for i in rows["internal:parent_id"].to_pylist()])
        return rows.set_column(rows.schema.get_field_index("internal:parent_id"), "internal:parent_id", column)
    write(out / "string_parent_id.tacozip", make_zip("string_parent_id", roots, edit=edit))


@fact
def header_absent(out):
    """nested as a plain ZIP: no TACO_HEADER; METADATA/* and COLLECTION.json are there"""
    write(out / "header_absent.tacozip", make_zip("header_absent", regions(), header="absent"))


@fact
def header_stale(out):
    """flat whose TACO_HEADER names ranges that lie in the file but hold no tables; its CRC is right"""
    write(out / "header_stale.tacozip", make_zip("header_stale", cities(), header="stale"))


@fact
def header_bad_crc(out):
    """flat whose TACO_HEADER is right but has CRC-32 DEADBEEF in both records"""
    write(out / "header_bad_crc.tacozip", make_zip("header_bad_crc", cities(), header="bad_crc"))


@fact
def extra_entries(out):
    """flat named .zip, with entries that no row names, a directory entry and an archive comment"""
    extra = [Entry("DATA/", b"", mode=0o40755), Entry("DATA/unreferenced", b"nobody"), Entry("README.txt", b"read me\n"),
             Entry("__MACOSX/._x", b"\0")]
    write(out / "extra_entries.zip", make_zip("extra_entries", cities(), extra=extra, comment=b"a comment"))


@fact
def zip64_records(out):
    """nested; every record but TACO_HEADER's carries ZIP64 fields, and there is a ZIP64 end record"""
    write(out / "zip64_records.tacozip", make_zip("zip64_records", regions(), zip64=True))


@fact
def wkt_points(out):
    """istac:centroid is WKT text: spellings, Z, SRID, EMPTY, null, and two that are no points"""
    texts = {"valencia": "POINT (-0.376 39.470)", "tight": "point(2.35 48.85)", "spaced": "  Point  ( 10.0   50.0 ) ",
             "with_z": "POINT Z (139.692 35.690 44)", "with_srid": "SRID=4326;POINT (-74.006 40.713)",
             "exponent": "POINT (1e1 -2.5E1)", "empty": "POINT EMPTY", "null": None, "line": "LINESTRING (0 0, 1 1)",
             "nonsense": "somewhere"}
    roots = [file(name, **{"istac:centroid": text}) for name, text in texts.items()]
    write(out / "wkt_points.tacozip", make_zip("wkt_points", roots, types={"istac:centroid": pa.string()}))


@fact
def lonlat_lists(out):
    """stac:centroid is list<double> [lon, lat]; one has a height, one is empty, one is short, one is null"""
    lists = {name: [lon, lat] for name, lon, lat in CITIES}
    lists |= {"with_height": [-0.4, 39.5, 15.0], "empty": [], "short": [1.0], "null": None}
    roots = [file(name, **{"stac:centroid": value}) for name, value in lists.items()]
    write(out / "lonlat_lists.tacozip", make_zip("lonlat_lists", roots, types={"stac:centroid": pa.list_(pa.float64())}))


@fact
def polygons(out):
    """istac:geometry: polygons, a hole, a multipolygon over the antimeridian, lines, Z, EWKB, big-endian, empty, null"""
    shapes = {
        "box": wkb_box(-1, 39, 0, 40),
        "with_hole": wkb_box(10, 10, 20, 20, (12, 12, 18, 18)),
        "triangle": wkb_polygon([(30, 0), (40, 0), (30, 10), (30, 0)]),
        "fiji": wkb_multi(6, wkb_box(177, -19, 180, -16), wkb_box(-180, -19, -178, -16)),
        "beyond_180": wkb_box(178, 50, 183, 55),
        "line": struct.pack("<BII", 1, 2, 2) + xy(-10, -10, -5, -5),
        "points": wkb_multi(4, wkb_point(100, 10), wkb_point(110, 20)),
        "point_z": struct.pack("<BI", 1, 1001) + xy(60, 60, 7),
        "ewkb": struct.pack("<BII", 1, 0x20000001, 4326) + xy(70, -70),
        "big_endian": struct.pack(">BIdd", 0, 1, -60, 30),
        "collection": wkb_multi(7, wkb_point(-100, 50), wkb_box(-90, 45, -85, 50)),
        "empty": wkb_polygon(),
        "empty_point": wkb_point(float("nan"), float("nan")),
        "null": None,
    }
    roots = [file(name, **{"istac:geometry": shape}) for name, shape in shapes.items()]
    write(out / "polygons.tacozip", make_zip("polygons", roots))


@fact
def times(out):
    """one instant per row in ten types: timestamps s ms us ns and UTC, date32, int64 s and ms, double s, RFC 3339 text"""
    epoch = datetime(1970, 1, 1)
    instants = [
        ("millennium", datetime(2000, 6, 30, 23, 59, 59, 999000), "2000-06-30T23:59:59.999Z"),
        ("new_year", day(2023, 1, 1), "2023-01-01T00:00:00Z"),
        ("noon", datetime(2023, 1, 15, 12, 30, 45, 123456), "2023-01-15T12:30:45.123456Z"),
        ("day_end", datetime(2023, 1, 15, 23, 59, 59, 999999), "2023-01-15T18:59:59.999999-05:00"),
        ("next_day", day(2023, 1, 16), "2023-01-16T05:30:00+05:30"),
        ("valentine", day(2023, 2, 14), "2023-02-14"),
        ("before_epoch", datetime(1965, 3, 18, 8, 34, 51), "1965-03-18 08:34:51"),
        ("null", None, None),
        ("word", None, "yesterday"), ("blank", None, ""), ("bad_month", None, "2023-13-45T00:00:00Z"),
    ]

    def ticks(instant, unit):
        return None if instant is None else (instant - epoch) // unit

    roots = []
    for name, instant, text in instants:
        micros = ticks(instant, timedelta(microseconds=1))
        roots.append(file(
            name, t_s=ticks(instant, timedelta(seconds=1)), t_ms=ticks(instant, timedelta(milliseconds=1)), t_us=micros,
            t_ns=None if micros is None else micros * 1000, t_utc=micros,
            t_date=None if instant is None else instant.date(), t_int_s=ticks(instant, timedelta(seconds=1)),
            t_int_ms=ticks(instant, timedelta(milliseconds=1)), t_double_s=None if micros is None else micros / 1e6,
            t_text=text, **{"istac:time_start": instant}))
    types = {"t_s": pa.timestamp("s"), "t_ms": pa.timestamp("ms"), "t_us": pa.timestamp("us"), "t_ns": pa.timestamp("ns"),
             "t_utc": pa.timestamp("us", tz="UTC"), "t_date": pa.date32(), "t_int_s": pa.int64(), "t_int_ms": pa.int64(),
             "t_double_s": pa.float64(), "t_text": pa.string()}
    options = dict(store_schema=True)  # Parquet has no seconds: only the Arrow schema keeps timestamp[s]
    write(out / "times.tacozip", make_zip("times", roots, types=types, options=options))


@fact
def odd_names(out):
    """columns and ids that need quoting, a keyword, `Id` beside `id`, ids that contain but do not start with TACOPAD"""
    ids = ["with space", "ünïcode_東京", "it's", "a,b", 'double"quote', "semi;colon", "percent%20", "hash#1", "question?",
           "[bracket]", "-dash", ".hidden", "abTACOPADcd", "x__TACOPAD__1", "select", "a_b"]
    columns = ["select", "my-col", "data", "Id", 'double"quote', "it's", "with space", "ünï", "semi;colon", "level0",
               "internal:custom"]
    roots = [file(name, name.encode(), **{column: i * 100 + k for k, column in enumerate(columns)})
             for i, name in enumerate(ids)]
    write(out / "odd_names.tacozip", make_zip("odd_names", roots))


@fact
def odd_names_nested(out):
    """FOLDER ids with apostrophe, comma, quote, space and unicode; the children have geotiff:stats"""
    names = ["a,b", "it's", 'q"q', "sp ace", "東京"]
    roots = [folder(name, file("image", name.encode(), **{"geotiff:stats": [[0, 10, float(i), 1, 100, 1, 2, 3, 4]]}))
             for i, name in enumerate(names)]
    write(out / "odd_names_nested.tacozip", make_zip("odd_names_nested", roots))


@fact
def stale_gdal_vsi(out):
    """a stored internal:gdal_vsi and a `path` column, both from another place: to be dropped and rebuilt"""
    roots = cities()
    for node in roots:
        node.values |= {"path": f"elsewhere/{node.id}.tif", "internal:gdal_vsi": "/vsisubfile/1_2,/elsewhere/old.tacozip"}
    write(out / "stale_gdal_vsi.tacozip", make_zip("stale_gdal_vsi", roots))


@fact
def snappy_v2pages(out):
    """nested; Snappy, data page V2, row groups of 2 rows"""
    options = dict(compression="snappy", data_page_version="2.0", row_group_size=2)
    write(out / "snappy_v2pages.tacozip", make_zip("snappy_v2pages", regions(), options=options))


NAN = float("nan")


@fact
def stats(out):
    """geotiff:stats at level 1, a kind per folder: continuous (one row null), nan, categorical, one_pixel, all_null"""
    one = [[0, 100, 50, 10, 100, 40, 50, 60, 90], [-5, 5, 0, 2, 100, -1, 0, 1, 4]]
    two = [[10, 200, 50, 20, 90, 30, 50, 70, 95], [-9, 1, -4, 1, 90, -5, -4, -3, 0]]
    big = [100, 100]
    kinds = {
        "continuous": [(one, [2] + big), (two, [2] + big), (None, [2] + big)],
        "weighted": [(one, [2, 10, 10]), (two, [2, 30, 10]), ([], [2] + big)],
        "nan": [(one, [2] + big), ([two[0], [NAN] * 9], [2] + big), (two, None)],
        "categorical": [([[0.5, 0.25, 0.25]], [1, 10, 10]), ([[0.1, 0.3, 0.6]], [1, 30, 10]), (None, [1] + big)],
        "one_pixel": [([[7, 7, 7, 0, 100, 7, 7, 7, 7]], [1, 1, 1]), (None, [1, 1, 1]), (None, None)],
        "all_null": [(None, [1] + big), (None, [1] + big), ([], None)],
    }
    roots = [folder(name, *[file(f"item_{i}", **{"geotiff:stats": s, "stac:tensor_shape": shape})
                            for i, (s, shape) in enumerate(rows)]) for name, rows in kinds.items()]
    write(out / "stats.tacozip", make_zip("stats", roots))


@fact
def stats_flat(out):
    """geotiff:stats at level 0 and no stac:tensor_shape: equal weights; one row null"""
    rows = [[[0, 100, 50, 10, 100, 40, 50, 60, 90]], [[10, 200, 60, 20, 90, 30, 50, 70, 95]], None]
    write(out / "stats_flat.tacozip",
          make_zip("stats_flat", [file(f"item_{i}", **{"geotiff:stats": row}) for i, row in enumerate(rows)]))


@fact
def stats_ragged(out):
    """level 0: rows with 1 and 2 bands, and a categorical row among continuous ones"""
    band = [0, 100, 50, 10, 100, 40, 50, 60, 90]
    rows = {"one_band": [band], "two_bands": [band, band], "categorical": [[0.5, 0.5]]}
    write(out / "stats_ragged.tacozip",
          make_zip("stats_ragged", [file(name, **{"geotiff:stats": row}) for name, row in rows.items()]))


@fact
def extents(out):
    """COLLECTION.json with odd extents: dates only, nulls, half open, over the antimeridian, no key"""
    odd = {
        "dates_only_extent": {"spatial": [-5.0, 35.0, 5.0, 45.0], "temporal": ["2023-01-01", "2023-12-31"]},
        "null_extent": {"spatial": None, "temporal": None},
        "half_open_extent": {"spatial": [-5, 35, 5, 45], "temporal": ["2023-01-01T00:00:00.5+01:00", None]},
        "antimeridian_extent": {"spatial": [170.0, -20.0, -170.0, -10.0], "temporal": None},
    }
    for name, extent in odd.items():
        write(out / f"{name}.tacozip", make_zip(name, [file("a")], keys={"extent": extent}))
    write(out / "no_extent.tacozip", make_zip("no_extent", [file("a")], drop_keys=["extent", "taco:field_schema"]))


@fact
def cascade_tacocat(out):
    """4 ZIPs of 1 x 2 x 2 with a `.tacocat` index, a `__TACOCAT__` file and TACOLLECTION.json; current_id restarts in each"""
    world = {
        "europe": ((9, 48), [("spain", (-4, 40), [(-3.704, 40.417), (2.173, 41.385)]),
                             ("france", (2, 47), [(2.352, 48.857), (4.835, 45.764)])]),
        "asia": ((100, 35), [("japan", (138, 37), [(139.692, 35.690), (135.502, 34.694)]),
                             ("india", (79, 22), [(77.209, 28.614), (72.878, 19.076)])]),
        "americas": ((-90, 20), [("usa", (-98, 39), [(-74.006, 40.713), (-118.244, 34.052)]),
                                 ("brazil", (-53, -10), [(-47.883, -15.794), (-34.881, -8.054)])]),
        "africa": ((20, 5), [("kenya", (38, 1), [(36.822, -1.292), (39.668, -4.043)]),
                             ("egypt", (30, 27), [(31.236, 30.044), (29.919, 31.200)])]),
    }
    target = out / "cascade_tacocat"
    parts = {}
    for number, (continent, (centre, countries)) in enumerate(world.items(), 1):
        nodes = []
        for c, (country, middle, places) in enumerate(countries):
            nodes.append(folder(f"country_{c}", *[
                file(f"city_{p}", f"{continent}/country_{c}/city_{p}".encode(), **{
                    "istac:centroid": wkb_point(*place), "istac:time_start": day(2023, 3 * number - 2 + c, 1 + 10 * p),
                    "cloud_cover": number * 10.0 + c * 2 + p}) for p, place in enumerate(places)], **{
                        "stac:centroid": wkb_point(*middle), "stac:time_start": day(2023, 3 * number - 2 + c, 1),
                        "country": country}))
        root = folder(continent, *nodes, **{"istac:centroid": wkb_point(*centre), "istac:time_start": day(2023, number, 1),
                                            "continent": continent})
        # Of all levels, so that a source that does not meet a filter holds nothing of it at any level.
        points = [centre, *(middle for _, middle, _ in countries), *sum([places for _, _, places in countries], [])]
        extent = {"spatial": [*map(min, zip(*points)), *map(max, zip(*points))],
                  "temporal": [f"2023-{min(number, 3 * number - 2):02}-01T00:00:00Z", f"2023-{3 * number - 1:02}-11T00:00:00Z"]}
        part = f"cascade_part{number:04}.tacozip"
        parts[part] = make_zip("cascade", [root], keys={"extent": extent})
        write(target / part, parts[part])

    tables = []
    for level in range(3):
        rows = []
        for name, part in parts.items():
            one = part.tables[level]
            rows.append(one.append_column("internal:source_file", pa.array([name] * one.num_rows)))
        joined = pa.concat_tables(rows).combine_chunks()
        tables.append(joined.select(["id", "type"] + sorted(joined.column_names[2:])))
    level_bytes = [parquet(t) for t in tables]

    boxes = [part.collection["extent"] for part in parts.values()]
    west, south = (min(box["spatial"][i] for box in boxes) for i in (0, 1))
    east, north = (max(box["spatial"][i] for box in boxes) for i in (2, 3))
    merged = json.loads(json.dumps(next(iter(parts.values())).collection))
    merged["extent"] = {"spatial": [west, south, east, north],
                        "temporal": [min(b["temporal"][0] for b in boxes), max(b["temporal"][1] for b in boxes)]}
    schema = merged["taco:pit_schema"]
    schema["root"]["n"] *= len(parts)
    for patterns in schema["hierarchy"].values():
        for one in patterns:
            one["n"] *= len(parts)
    sources = {"count": len(parts), "ids": ["cascade"] * len(parts), "files": list(parts),
               "extents": [{"file": name, "id": "cascade", **part.collection["extent"]} for name, part in parts.items()]}
    document = json_bytes({**merged, "taco:sources": sources})

    (target / ".tacocat").mkdir(exist_ok=True)
    for level, data in enumerate(level_bytes):
        (target / f".tacocat/level{level}.parquet").write_bytes(data)
    (target / ".tacocat/COLLECTION.json").write_bytes(document)
    (target / "TACOLLECTION.json").write_bytes(document)
    binary = {**merged, "_tacocat": {"version": 1, "num_datasets": len(parts), "dataset_sources": sorted(parts)}}
    (target / "__TACOCAT__").write_bytes(tacocat_file(level_bytes, json_bytes(binary)))


def tacocat_file(level_bytes, document):
    ranges, cursor = [], 128
    for data in level_bytes:
        ranges.append((cursor, len(data)))
        cursor += len(data)
    ranges += [(0, 0)] * (6 - len(level_bytes)) + [(cursor, len(document))]
    header = struct.pack("<8sII14Q", b"TACOCAT\0", 1, len(level_bytes) - 1, *[n for pair in ranges for n in pair])
    return header + b"".join(level_bytes) + document


def write(path, made):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(made.data)


def main(out):
    for function in FACTS:
        function(out)
        print(f"| `{function.__name__}` | {function.__doc__} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
