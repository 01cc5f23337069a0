"""Random datasets of TACO 2.0 with every legal oddity, written by hand with struct, zlib and pyarrow.

    world = make.dataset(random.Random(seed))                 the samples, level by level, and nothing else
    make.write_zip(world, path, make.options(rng))            the same samples as a ZIP, a FOLDER, parts with their index
    make.py SEED FOLDER                                       writes what the tests see for a seed

No code of tacore is used, and none of the writers of tests/golden, so that an error of theirs is not repeated here.
"""
import datetime
import json
import random
import struct
import sys
import zlib
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import shapely
from shapely import affinity

PADDING = "__TACOPAD__"
ODD_IDS = ["\u00e9", "e\u0301", "with space", "it's", 'say "x"', "100%", "%41", "a.b", "A", "a", "007", "12", "new\nline", "日本語",
           "x" * 200, "-dash", "select", "a,b", "#1", "a&b=c", "[x]", "tab\there", "ж", "b.tif"]
ODD_COLUMNS = ["select", "file_row_number", "größe", "with space", 'quo"te', "Cloud", "cloud", "a.b", "x:y", "日本", "rowid",
               "filename", "data", "level0", "_1", ""]


@dataclass
class Level:
    """Samples of one level, in the order of the table: `parents` are positions in the level above."""
    ids: list
    folders: list
    parents: list
    data: list
    columns: dict = field(default_factory=dict)

    def __len__(self):
        return len(self.ids)


@dataclass
class World:
    """A dataset without a container. `patterns` are those of taco:pit_schema."""
    levels: list
    patterns: list
    extent: dict

    def path(self, level, row):
        above = self.levels[level].parents[row] if level else None
        return (self.path(level - 1, above) if level else ()) + (self.levels[level].ids[row],)

    def children(self, level, row):
        below = self.levels[level + 1].parents if level + 1 < len(self.levels) else []
        return [child for child, parent in enumerate(below) if parent == row]


# ------------------------------------------------------------------------------------------------------------ values

def numbers(rng):
    return rng.choice([0.0, -0.0, 10.0, 30.0, 49.5, 50.0, 50.5, 1e300, -7.25, float("nan"), float("inf"), -float("inf"),
                       rng.uniform(-100, 100)])


def text(rng):
    return rng.choice(["", "a", "b", "Z", "é", "null", "NaN", "x" * 300, "50", "it's", "\x00z", "new\nline"])


def integers(bits, signed=True):
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    near = [v for v in (0, 1, 49, 50, 51, low, high, (1 << 53) + 1) if low <= v <= high]
    return lambda rng: rng.choice([*near, rng.randint(low, high), rng.randint(max(low, -100), 100)])


def cast(kind):
    """Whole numbers, as a type that Python has no value for."""
    return lambda values: pa.array(values, pa.int64()).cast(kind)


def moments(rng):
    return rng.choice([0, 1, -1, -(10 ** 9), rng.randint(-(10 ** 9), 2 * 10 ** 9)])


def of_type(kind):
    return lambda values: pa.array(values, kind)


def nested(rng):
    return [rng.choice([None, numbers(rng)]) for _ in range(rng.randint(0, 3))]


# Name: how values are drawn, how they become an array.
KINDS = {
    "bool": (lambda rng: rng.random() < 0.5, of_type(pa.bool_())),
    **{f"int{b}": (integers(b), of_type(getattr(pa, f"int{b}")())) for b in (8, 16, 32, 64)},
    **{f"uint{b}": (integers(b, False), of_type(getattr(pa, f"uint{b}")())) for b in (8, 16, 32, 64)},
    "float": (lambda rng: rng.choice([numbers(rng), 0.5]) if rng.random() < 0.9 else 1.5, of_type(pa.float32())),
    "double": (numbers, of_type(pa.float64())),
    "halffloat": (lambda rng: rng.choice([0.5, 1.5, float("nan"), -2.0]),
                  lambda values: pa.array(values, pa.float32()).cast(pa.float16())),
    "string": (text, of_type(pa.string())),
    "large_string": (text, of_type(pa.large_string())),
    "string_view": (text, of_type(pa.string_view())),
    "dictionary": (text, lambda values: pa.array(values, pa.string()).dictionary_encode()),
    "binary": (lambda rng: rng.randbytes(rng.randint(0, 9)), of_type(pa.binary())),
    "fixed_binary": (lambda rng: rng.randbytes(4), of_type(pa.binary(4))),
    "decimal": (lambda rng: Decimal(rng.randint(-10 ** 8, 10 ** 8)) / 100, of_type(pa.decimal128(12, 2))),
    "date32": (lambda rng: rng.randint(-40000, 40000), lambda values: pa.array(values, pa.int32()).cast(pa.date32())),
    "time64": (lambda rng: rng.randint(0, 86399999999), cast(pa.time64("us"))),
    "duration": (moments, cast(pa.duration("us"))),
    **{f"timestamp_{unit}": (lambda rng, scale=scale: moments(rng) * scale + rng.randint(0, scale - 1),
                             cast(pa.timestamp(unit)))
       for unit, scale in (("ms", 10 ** 3), ("us", 10 ** 6), ("ns", 10 ** 9))},
    "timestamp_us_utc": (lambda rng: moments(rng) * 10 ** 6 + 7, cast(pa.timestamp("us", "UTC"))),
    "timestamp_ns_utc": (lambda rng: moments(rng) * 10 ** 9 + 1, cast(pa.timestamp("ns", "UTC"))),
    "timestamp_us_lima": (lambda rng: moments(rng) * 10 ** 6, cast(pa.timestamp("us", "America/Lima"))),
    "list": (nested, of_type(pa.list_(pa.float64()))),
    "large_list": (nested, of_type(pa.large_list(pa.float32()))),
    "fixed_list": (lambda rng: [rng.random(), 1.0], of_type(pa.list_(pa.float64(), 2))),
    "lists": (lambda rng: [nested(rng) for _ in range(rng.randint(0, 2))], of_type(pa.list_(pa.list_(pa.float64())))),
    "struct": (lambda rng: {"a": rng.choice([None, 1, 2]), "b": text(rng)},
               of_type(pa.struct({"a": pa.int64(), "b": pa.string()}))),
    "map": (lambda rng: {"k": 1, text(rng): rng.choice([None, 2])},
            lambda values: pa.array([None if v is None else list(v.items()) for v in values],
                                    pa.map_(pa.string(), pa.int32()))),
}


def column(rng, size, kind, nulls=None, empty=()):
    """`empty` are rows of padding, which are null."""
    draw, make = KINDS[kind]
    share = rng.choice([0, 0, 0.3, 1]) if nulls is None else nulls
    return make([None if row in empty or rng.random() < share else draw(rng) for row in range(size)])


# ------------------------------------------------------------------------------------------------------------ places

def geometry(rng, lon, lat):
    """Around a place, of any type; sometimes large, sometimes a point, beyond 180 degrees, or nothing at all."""
    half = rng.choice([0.01, 0.5, 2, 15])
    x, y = lon + rng.uniform(-3, 3), max(-89.0, min(89.0, lat + rng.uniform(-3, 3)))
    half = min(half, 90 - abs(y))
    square = shapely.box(x - half, y - half, x + half, y + half)
    kind = rng.randrange(10)
    if kind == 0:
        return shapely.Point(x, y)
    if kind == 1:
        return shapely.LineString([(x - half, y - half), (x, y + half), (x + half, y - half)])
    if kind == 2:
        return affinity.rotate(square, rng.uniform(0, 90))
    if kind == 3:
        return square.difference(shapely.box(x - half / 2, y - half / 2, x + half / 2, y + half / 2))
    if kind == 4:
        return shapely.MultiPoint([(x - half, y), (x + half, y + half)])
    if kind == 5:
        return shapely.MultiPolygon([square, affinity.translate(square, 3 * half, 0)])
    if kind == 6:
        return shapely.GeometryCollection([shapely.Point(x, y), square])
    if kind == 7:
        return shapely.force_3d(square, 5.0)
    if kind == 8 and rng.random() < 0.3:
        return rng.choice([shapely.Polygon(), shapely.Point(), shapely.MultiPolygon()])
    return square


def wkb(rng, shape):
    if rng.random() < 0.2 and not shape.is_empty:
        return shapely.to_wkb(shapely.set_srid(shape, 4326), include_srid=True, flavor="extended")
    return shapely.to_wkb(shape, flavor=rng.choice(["iso", "extended"]), byte_order=rng.choice([0, 1]))


def places(rng, size, centre, empty):
    """The columns that speak of places: either family, both, or none; what a centroid says need not be in the geometry."""
    def shapes():
        return [None if row in empty or rng.random() < 0.1 else geometry(rng, *rng.choice(centre)) for row in range(size)]

    out, found = {}, shapes()
    if rng.random() < 0.6:
        out["istac:geometry"] = pa.array([None if s is None else wkb(rng, s) for s in found], pa.binary())
    if rng.random() < 0.6:
        points = [None if s is None or s.is_empty else s.centroid for s in found]
        form = rng.choice(["wkb", "wkb", "wkt", "list"])
        if form == "wkb":
            out["stac:centroid"] = pa.array([None if p is None else shapely.to_wkb(p) for p in points], pa.binary())
        elif form == "wkt":
            out["stac:centroid"] = pa.array([None if p is None else f"POINT ({p.x!r} {p.y!r})" for p in points], pa.string())
        else:
            out["stac:centroid"] = pa.array([None if p is None else [p.x, p.y] for p in points], pa.list_(pa.float64()))
    if rng.random() < 0.2:
        out["istac:centroid"] = pa.array([None if s is None or s.is_empty else shapely.to_wkb(s.centroid) for s in shapes()],
                                         pa.binary())
    return out


def times(rng, size, empty):
    """Days of 2023, or of before 1970, in any type that a time has."""
    out = {}
    for family in ("istac", "stac"):
        if rng.random() < 0.5:
            continue
        first = rng.choice([1672531200, 1672531200, -2240524800])  # 2023, 2023, 1899
        seconds = [None if row in empty or rng.random() < 0.1 else first + rng.randint(0, 364) * 86400 +
                   rng.choice([0, 0, 1, 86399, 43200]) for row in range(size)]
        kind = rng.choice(["s", "ms", "us", "us", "ns", "us_utc", "date32", "text", "offset", "double", "int"])
        if kind in ("double", "int") and first < 0:
            kind = "us"
        if kind in ("s", "ms", "us", "ns"):
            scale = {"s": 1, "ms": 10 ** 3, "us": 10 ** 6, "ns": 10 ** 9}[kind]
            made = cast(pa.timestamp(kind))([None if s is None else s * scale + (scale > 1) for s in seconds])
        elif kind == "us_utc":
            made = cast(pa.timestamp("us", rng.choice(["UTC", "America/Lima"])))(
                [None if s is None else s * 10 ** 6 for s in seconds])
        elif kind == "date32":
            made = pa.array([None if s is None else s // 86400 for s in seconds], pa.int32()).cast(pa.date32())
        elif kind in ("text", "offset"):
            made = pa.array([None if s is None else rfc3339(s, 0 if kind == "text" else rng.choice([0, 5, -3]))
                             for s in seconds], pa.string())
        elif kind == "double":
            made = pa.array([None if s is None else rng.choice([float(s), float(s) + 0.5, float("nan")]) for s in seconds],
                            pa.float64())
        else:
            made = pa.array(seconds, pa.int64())
        out[f"{family}:time_start"] = made
    return out


def rfc3339(seconds, hours):
    zone = datetime.timezone(datetime.timedelta(hours=hours))
    return datetime.datetime.fromtimestamp(seconds, zone).isoformat().replace("+00:00", "Z")


# ------------------------------------------------------------------------------------------------------------ samples

def template(rng, depth):
    """The children of each sample of a level: (id, its children or None)."""
    count = rng.randint(1, 3 if depth < 3 else 2)
    names = rng.sample(ODD_IDS, k=count) if rng.random() < 0.5 else [f"{'ba'[i % 2]}{i}" for i in range(count)]
    deep = rng.randrange(len(names))
    out = [(name, template(rng, depth - 1) if depth > 1 and (i == deep or rng.random() < 0.3) else None)
           for i, name in enumerate(names)]
    if rng.random() < 0.15:
        out.append((PADDING + "0", None))
    return out


def dataset(rng, depth=None, odd=None):
    """The samples of a dataset. `odd` False leaves out what other writers than by hand refuse."""
    odd = rng.random() < 0.7 if odd is None else odd
    depth = rng.choice([1, 1, 2, 2, 2, 3, 3, 4, 6]) if depth is None else depth
    count = rng.choice([1, 2, 3, 5, 8, 12] if depth < 3 else [1, 2, 3])
    children = template(rng, depth - 1) if depth > 1 else None
    names = rng.sample(ODD_IDS, k=min(count, len(ODD_IDS))) if odd and rng.random() < 0.5 else \
        [f"s{i}" for i in rng.sample(range(100), k=count)]
    roots = [(name, children) for name in names]
    if depth == 1 and rng.random() < 0.2:
        roots.append((PADDING + "0", None))
    uneven = odd and rng.random() < 0.35
    levels, patterns, above = [], [], [(node, None) for node in roots]
    while above:
        level = Level([node[0] for node, _ in above], [node[1] is not None for node, _ in above],
                      [parent for _, parent in above], [])
        level.data = [None if folder else b"" if name.startswith(PADDING) or rng.random() < 0.1 else
                      rng.randbytes(rng.randint(1, 60)) for name, folder in zip(level.ids, level.folders)]
        levels.append(level)
        below = [(child, row) for row, (node, _) in enumerate(above) for child in node[1] or []
                 if not uneven or len(levels) == 1 and row == 0 or rng.random() < 0.8]
        if uneven and below and rng.random() < 0.5:  # a child more than others have, behind all of them in the table
            below.append((("stray", None), rng.choice([row for row, (node, _) in enumerate(above) if node[1]])))
        above = below
    centre = rng.sample([(10, 50), (-60, -20), (179.5, 10), (-179.5, -40), (0, 0), (30, 84), (100, -84)], k=2)
    names = ["cloud", *rng.sample(ODD_COLUMNS if odd else ["a", "b", "c"], k=rng.choice([0, 1, 2, 3]))]
    kinds = {name: rng.choice(list(KINDS)) for name in dict.fromkeys(names)}
    kinds["cloud"] = rng.choice(["double", "double", "float", "int64", "string", "timestamp_ns_utc"])
    if odd and rng.random() < 0.03:
        kinds.update({f"c{i}": rng.choice(["int32", "double", "string"]) for i in range(300)})
    for level in levels:
        told = rng.random() < 0.5  # padding has values, where a column has no nulls
        empty = {} if told else {row for row, name in enumerate(level.ids) if name.startswith(PADDING)}
        level.columns = {name: column(rng, len(level), kind, None if not told else 0, empty)
                         for name, kind in kinds.items()}
        level.columns |= places(rng, len(level), centre, empty) | times(rng, len(level), empty)
    world = World(levels, [], {"spatial": [-180.0, -90.0, 180.0, 90.0], "temporal": None})
    below = [roots[0][1]]
    while below and any(below):
        world.patterns.append([nodes for nodes in below if nodes])
        below = [child[1] for nodes in below if nodes for child in nodes if child[1]]
    world.extent = narrow_extent(rng, world)
    return world


def narrow_extent(rng, world):
    """What published writers state: the box of the centroids of level 0, and its times to the day; sometimes a lie."""
    if rng.random() < 0.15:
        return {"spatial": [1.0, 1.0, 1.5, 1.5], "temporal": ["2001-01-01T00:00:00Z", "2001-01-02T00:00:00Z"]}
    out = {"spatial": [-180.0, -90.0, 180.0, 90.0], "temporal": None}
    column = world.levels[0].columns.get("stac:centroid")
    if column is not None and column.type == pa.binary():
        points = [shapely.from_wkb(value.as_py()) for value in column if value.is_valid]
        if points:
            out["spatial"] = [min(p.x for p in points), min(p.y for p in points),
                              max(p.x for p in points), max(p.y for p in points)]
    column = world.levels[0].columns.get("stac:time_start")
    if column is not None and column.type == pa.timestamp("us"):
        found = [value.value for value in column if value.is_valid]
        if found:
            middle = rfc3339((min(found) + max(found)) // 2 // 10 ** 6, 0)
            out["temporal"] = [middle, middle]
    return out


def shuffled(rng, world):
    """The same samples in tables of another order below level 0; the children of one FOLDER keep their order."""
    levels, moved = [], {row: row for row in range(len(world.levels[0]))}
    for level in world.levels:
        order = list(range(len(level)))
        if levels:
            rng.shuffle(order)
            slots = {}
            for at, row in enumerate(order):
                slots.setdefault(level.parents[row], []).append(at)
            for at_list in slots.values():
                for at, row in zip(at_list, sorted(order[at] for at in at_list)):
                    order[at] = row
        levels.append(take(level, order, moved if levels else None))
        moved = {row: at for at, row in enumerate(order)}
    return replace(world, levels=levels)


def take(level, rows, moved=None):
    return Level([level.ids[row] for row in rows], [level.folders[row] for row in rows],
                 [level.parents[row] if moved is None else moved[level.parents[row]] for row in rows],
                 [level.data[row] for row in rows],
                 {name: pick(values, rows) for name, values in level.columns.items()})


def pick(values, rows):
    if pa.types.is_string_view(values.type):  # which pyarrow cannot take from
        return pa.array([values[row].as_py() for row in rows], values.type)
    return values.take(pa.array(rows, pa.int64()))


def part(rng, world, roots):
    """The dataset of some samples of level 0."""
    levels, kept = [], roots
    for number, level in enumerate(world.levels):
        moved = {row: at for at, row in enumerate(kept)}
        if number:
            kept_here = [row for row in range(len(level)) if level.parents[row] in moved]
            kept_here.sort(key=lambda row: moved[level.parents[row]])
            levels.append(take(level, kept_here, moved))
            kept = kept_here
        else:
            levels.append(take(level, kept))
    out = replace(world, levels=levels)
    out.extent = narrow_extent(rng, out)
    return out


# ------------------------------------------------------------------------------------------------------------ containers

@dataclass
class Options:
    """How a dataset is written, all of it legal."""
    parquet: dict
    extra: bool = False       # extra fields in local headers, now and then longer than a ZIP64 one
    zip64: bool = False       # ZIP64 fields that no number needs
    descriptors: bool = False # sizes and CRC-32 behind the data, in FILEs
    gaps: bool = False        # bytes between entries
    shuffle: bool = False     # the data of FILEs in another order than the rows
    permuted: bool = False    # published defect: below level 0 places are those of rows of sorted folders
    header: str = "right"     # absent: an ordinary ZIP; stale: one of a ZIP that was edited
    comment: bytes = b""
    old: bool = False         # before December 2025: no internal:current_id
    gap_ids: bool = False     # internal:current_id with gaps
    slashes: bool = True      # relative_path of a FOLDER ends with one


def options(rng):
    return Options(parquet_options(rng), *(rng.random() < 0.2 for _ in range(5)), permuted=rng.random() < 0.2,
                   header=rng.choice(["right"] * 8 + ["absent", "stale"]), comment=rng.choice([b""] * 5 + [b"hello"]),
                   old=rng.random() < 0.1, gap_ids=rng.random() < 0.1, slashes=rng.random() < 0.9)


def parquet_options(rng):
    return {"compression": rng.choice(["zstd", "zstd", "snappy", "none", "gzip", "lz4", "brotli"]),
            "data_page_version": rng.choice(["1.0", "1.0", "2.0"]), "write_statistics": rng.random() < 0.8,
            "write_page_index": rng.random() < 0.3, "row_group_size": rng.choice([None, None, 1, 2, 3]),
            "use_dictionary": rng.random() < 0.7, "data_page_size": rng.choice([None, 16])}


PLAIN = Options({"compression": "zstd"})


def parquet(table, more):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **more)
    return sink.getvalue().to_pybytes()


def current_ids(world, how):
    return [[row * (3 if how.gap_ids else 1) for row in range(len(level))] for level in world.levels]


def table_of(world, number, how, is_zip, place=None, is_meta=False, rows=None):
    """The table of a level, or that of one FOLDER's children: place[number][row] is (offset, size)."""
    level, current = world.levels[number], current_ids(world, how)
    rows = list(range(len(level))) if rows is None else rows
    arrays = {"id": pa.array([level.ids[row] for row in rows], pa.string()),
              "type": pa.array([("FILE", "FOLDER")[level.folders[row]] for row in rows], pa.string())}
    arrays |= {name: pick(values, rows) for name, values in level.columns.items()}
    if not is_meta:
        if not how.old:
            arrays["internal:current_id"] = pa.array([current[number][row] for row in rows], pa.int64())
        parents = [level.parents[row] for row in rows]
        arrays["internal:parent_id"] = pa.array(
            [(row if how.old else current[0][row]) for row in rows] if not number else
            [parent if how.old else current[number - 1][parent] for parent in parents], pa.int64())
    if is_zip:
        arrays["internal:offset"] = pa.array([place[number][row][0] for row in rows], pa.int64())
        arrays["internal:size"] = pa.array([place[number][row][1] for row in rows], pa.int64())
    if number and not is_meta:
        arrays["internal:relative_path"] = pa.array(
            ["/".join(world.path(number, row)) + ("/" if level.folders[row] and how.slashes else "") for row in rows],
            pa.string())
    return pa.table(list(arrays.values()), names=list(arrays))


def collection(world, id="random", **more):
    first = world.levels[0]
    hierarchy = {str(depth + 1): [{"n": len(world.levels[depth + 1]), "type": [("FILE", "FOLDER")[c is not None] for _, c in nodes],
                                   "id": [name for name, _ in nodes]} for nodes in patterns]
                 for depth, patterns in enumerate(world.patterns) if depth + 1 < len(world.levels)}
    return {"id": id, "dataset_version": "1.0.0", "description": "random", "licenses": ["CC-BY-4.0"],
            "providers": [{"name": "p", "roles": ["host"], "url": None, "links": None}], "tasks": ["other"],
            "taco_version": "2.0.0", "title": None, "curators": None, "keywords": None, "extent": world.extent,
            "taco:pit_schema": {"root": {"n": len(first), "type": ("FILE", "FOLDER")[first.folders[0]]}, "hierarchy": hierarchy},
            "taco:field_schema": {f"level{k}": [[name, str(values.type), ""] for name, values in level.columns.items()]
                                  for k, level in enumerate(world.levels)}, **more}


class Zip:
    """A stored ZIP. `add` gives the place of the payload."""

    def __init__(self, how, rng):
        self.how, self.rng, self.out, self.directory, self.count = how, rng, bytearray(), bytearray(), 0

    def add(self, name, data, is_odd=True):
        how, name, offset = self.how, name.encode(), len(self.out)
        crc, size = zlib.crc32(data), len(data)
        descriptor = is_odd and how.descriptors and self.rng.random() < 0.5
        wide = is_odd and how.zip64 and not descriptor
        extra = struct.pack("<HHQQ", 1, 16, size, size) if wide else b""
        if is_odd and how.extra:
            extra += struct.pack("<HHBI", 0x5455, 5, 1, 0) + (struct.pack("<HH", 0x9999, 300) + bytes(300)
                                                              if self.rng.random() < 0.2 else b"")
        flags = (0 if name.isascii() else 0x0800) | (8 if descriptor else 0)
        size32, version = 0xFFFFFFFF if wide else size, 45 if wide else 10
        told = (0, 0, 0) if descriptor else (crc, size32, size32)
        self.out += struct.pack("<4sHHHHHIIIHH", b"PK\3\4", version, flags, 0, 0, 0x5C21, *told, len(name), len(extra))
        self.out += name + extra
        place = len(self.out)
        self.out += data
        if descriptor:
            self.out += struct.pack("<4sIII", b"PK\7\x08", crc, size, size)
        if how.gaps and self.rng.random() < 0.3:
            self.out += bytes(self.rng.randint(1, 40))
        extra = struct.pack("<HHQQQ", 1, 24, size, size, offset) if wide else b""
        self.directory += struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 0x033F, version, flags, 0, 0, 0x5C21, crc, size32,
                                      size32, len(name), len(extra), 0, 0, 0, 0o100644 << 16,
                                      0xFFFFFFFF if wide else offset) + name + extra
        self.count += 1
        return place, size

    def bytes(self):
        begin = len(self.out)
        return bytes(self.out) + bytes(self.directory) + struct.pack(
            "<4sHHHHIIH", b"PK\5\6", 0, 0, self.count, self.count, len(self.directory), begin, len(self.how.comment)
        ) + self.how.comment


def header(ranges):
    return struct.pack("<B3x14Q", len(ranges), *(n for pair in ranges for n in pair), *[0] * (14 - 2 * len(ranges)))


def zip_bytes(world, how=PLAIN, rng=None, id="random", edit=lambda kind, key, value: value):
    """The file, and its tables. What edit("table", level, ..), ("meta", path, ..), ("collection", None, ..) and
    ("ranges", None, ..) gives is written instead."""
    rng = rng or random.Random(0)
    out = Zip(how, rng)
    if how.header != "absent":
        out.add("TACO_HEADER", bytes(116), is_odd=False)
    place = [[None] * len(level) for level in world.levels]
    files = [(number, row) for number, row in depth_first(world) if not world.levels[number].folders[row]]
    if how.shuffle:
        rng.shuffle(files)
    for number, row in files:
        place[number][row] = out.add("DATA/" + "/".join(world.path(number, row)), world.levels[number].data[row])
    folders = [(number, "DATA/" + "/".join(world.path(number, row)) + "/", row)
               for number, level in enumerate(world.levels) for row in range(len(level)) if level.folders[row]]
    for number, path, row in sorted(folders, key=lambda f: (-f[0], f[1])):
        children = world.children(number, row)
        below = min(number + 1, len(world.levels) - 1)
        meta = table_of(world, below, how, True, place, True, children)
        place[number][row] = out.add(path + "__meta__", parquet(edit("meta", path, meta), how.parquet))
    told = [published_order(world, number, place) if how.permuted and number else place[number]
            for number in range(len(world.levels))]
    tables = [edit("table", number, table_of(world, number, how, True, told)) for number in range(len(world.levels))]
    ranges = [out.add(f"METADATA/level{k}.parquet", parquet(t, how.parquet), is_odd=False) for k, t in enumerate(tables)]
    text = json.dumps(edit("collection", None, collection(world, id)), indent=4, ensure_ascii=False)
    ranges.append(out.add("COLLECTION.json", text.encode(), is_odd=False))
    ranges = edit("ranges", None, ranges)
    if how.header != "absent":
        payload = header(ranges if how.header == "right" else [(a + 5, b) for a, b in ranges])
        out.out[41:157] = payload
        out.out[14:18] = out.directory[16:20] = struct.pack("<I", zlib.crc32(payload))
    return out.bytes(), tables


def published_order(world, number, place):
    """Places in the order of sorted folders, pasted onto rows in the order of the tree."""
    level = world.levels[number]
    folders = sorted(set(level.parents), key=lambda row: "DATA/" + "/".join(world.path(number - 1, row)) + "/")
    return [place[number][row] for parent in folders for row in range(len(level)) if level.parents[row] == parent]


def depth_first(world, number=0, rows=None):
    for row in range(len(world.levels[number])) if rows is None else rows:
        yield number, row
        if world.levels[number].folders[row]:
            yield from depth_first(world, number + 1, world.children(number, row))


def write_zip(world, path, how=PLAIN, rng=None, id="random"):
    data, tables = zip_bytes(world, how, rng, id)
    Path(path).write_bytes(data)
    return tables


def write_folder(world, path, how=PLAIN):
    path = Path(path)
    (path / "METADATA").mkdir(parents=True)
    (path / "DATA").mkdir()
    for number, row in depth_first(world):
        name = path / "DATA" / "/".join(world.path(number, row))
        if world.levels[number].folders[row]:
            name.mkdir()
            meta = table_of(world, min(number + 1, len(world.levels) - 1), how, False, None, True, world.children(number, row))
            (name / "__meta__").write_bytes(parquet(meta, how.parquet))
        else:
            name.write_bytes(world.levels[number].data[row])
    for number in range(len(world.levels)):
        (path / f"METADATA/level{number}.parquet").write_bytes(parquet(table_of(world, number, how, False), how.parquet))
    (path / "COLLECTION.json").write_text(json.dumps(collection(world), indent=4, ensure_ascii=False))


def parts_of(rng, world, count=None):
    """The samples of level 0 dealt to parts, each with one or more, in any order; now and then one id in two parts."""
    rows = list(range(len(world.levels[0])))
    rng.shuffle(rows)
    count = min(len(rows), count or rng.randint(1, 4))
    cuts = sorted(rng.sample(range(1, len(rows)), k=count - 1)) if count > 1 else []
    groups = [sorted(rows[a:b]) for a, b in zip([0, *cuts], [*cuts, len(rows)])]
    if len(groups) > 1 and rng.random() < 0.2 and groups[0][0] not in groups[1]:
        groups[1].append(groups[0][0])
    parts = [part(rng, world, group) for group in groups]
    for one in parts:  # levels that no sample of the part has keep their table, which is empty
        one.levels = one.levels[:max(k + 1 for k in range(len(one.levels)) if len(one.levels[k]) or k == 0)]
    return parts if len({len(one.levels) for one in parts}) == 1 else [world]


def write_parts(rng, world, folder, how=PLAIN):
    """ZIPs, and beside them their index in all forms: .tacocat/, __TACOCAT__ and TACOLLECTION.json."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    parts = parts_of(rng, world)
    names = [f"p{number}.tacozip" for number in rng.sample(range(10), k=len(parts))]
    tables = [write_zip(one, folder / name, how, rng) for one, name in zip(parts, names)]
    merged = [pa.concat_tables(t.append_column("internal:source_file", pa.array([name] * len(t), pa.string()))
                               for t, name in zip(of_level, names)) for of_level in zip(*tables)]
    if len(parts) > 1 and rng.random() < 0.7:  # as published; of two names that SQL takes for one, the first keeps its name
        merged = [t.select(["id", "type", *sorted(c for c in t.column_names if c not in ("id", "type"))])
                  if len({c.lower() for c in t.column_names}) == len(t.column_names) and "" not in t.column_names else t
                  for t in merged]
    whole = collection(parts[0])
    whole["taco:pit_schema"]["root"]["n"] = sum(len(one.levels[0]) for one in parts)
    for depth, patterns in whole["taco:pit_schema"]["hierarchy"].items():
        for pattern in patterns:
            pattern["n"] = sum(len(one.levels[int(depth)]) for one in parts)
    whole["taco:sources"] = {"count": len(parts), "ids": ["random"] * len(parts), "files": names,
                             "extents": [{"file": name, "id": "random", **{k: v for k, v in one.extent.items() if v}}
                                         for one, name in zip(parts, names)]}
    write_index(folder, merged, whole, how)
    return [folder / name for name in names]


def write_v1(rng, world, path):
    """The same samples as a .tortilla or .taco, by the writer of tests/v1; in parts where the name says so. Gives the path."""
    tests = str(Path(__file__).resolve().parents[1] / "v1")
    if tests not in sys.path:
        sys.path.append(tests)
    import write_v1 as v1

    def samples(number, rows):
        level = world.levels[number]
        for row in rows:
            own = {name: raw(values[row]) for name, values in level.columns.items()}
            if level.folders[row]:
                yield v1.nested(level.ids[row], list(samples(number + 1, world.children(number, row))), own,
                                types=types(number + 1), index=False)
            else:
                yield v1.Sample(level.ids[row], level.data[row], "BYTES", own)

    def types(number):
        return {name: values.type for name, values in world.levels[number].columns.items()}

    path = Path(path)
    rows = list(range(len(world.levels[0])))
    count = min(len(rows), 3) if ".part" in path.name else 1
    more = {"collection": v1.SPEC_COLLECTION} if path.suffix == ".taco" else {}
    for number in range(count):
        name = path.name.replace(".part", f".{number:04}.part")
        (path.parent / name).write_bytes(v1.tortilla(list(samples(0, rows[number::count])), partitions=count, types=types(0),
                                                     index=rng.random() < 0.5, gap=rng.choice([0, 3]), **more))
    return path.parent / path.name.replace(".part", ".0000.part")


def raw(value):
    """A scalar that pa.array takes back exactly."""
    return value if pa.types.is_temporal(value.type) or pa.types.is_dictionary(value.type) else value.as_py()


def write_index(folder, tables, whole, how):
    (folder / ".tacocat").mkdir()
    blobs = [parquet(t, how.parquet) for t in tables]
    text = json.dumps(whole, indent=4)
    for number, blob in enumerate(blobs):
        (folder / f".tacocat/level{number}.parquet").write_bytes(blob)
    (folder / ".tacocat/COLLECTION.json").write_text(text)
    (folder / "TACOLLECTION.json").write_text(text)
    places, at = [], 128
    for blob in [*blobs, text.encode()]:
        places.append((at, len(blob)))
        at += len(blob)
    fixed = places[:-1] + [(0, 0)] * (6 - len(blobs)) + places[-1:]
    (folder / "__TACOCAT__").write_bytes(struct.pack("<8sII14Q", b"TACOCAT\0", 1, len(blobs) - 1,
                                                     *(n for pair in fixed for n in pair)) + b"".join(blobs) + text.encode())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    rng, folder = random.Random(int(sys.argv[1])), Path(sys.argv[2])
    folder.mkdir(parents=True)
    world, how = dataset(rng), options(rng)
    write_zip(world, folder / "a.tacozip", how, rng)
    write_folder(world, folder / "a", how)
    write_parts(rng, world, folder / "parts", how)
    print(how)


if __name__ == "__main__":
    main()
