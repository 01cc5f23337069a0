"""A naive reader of every container in plain Python: zipfile, pyarrow and loops, no shortcut, nothing believed that is said twice.

    data = reader.load(path)          ZIP, FOLDER, .tacocat/, __TACOCAT__, TACOLLECTION.json, .tortilla, .taco, a list of these
    data.levels[1][0].values["cloud"], data.levels[0][0].children[2].bytes()

Rows come from the level tables, children from internal:parent_id, and bytes by the name of the entry or file: offsets, sizes,
headers, extents, statistics, counts and `__meta__` are never looked at. It shares no code with tacore, nor may it.
"""
import json
import re
import struct
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

PADDING = "__TACOPAD__"


class Row:
    """A sample: what its table says (`values`, of the user's columns), its parent, children, and bytes."""

    def __init__(self, id, folder, values, internal, parent, path, source, bytes):
        self.id, self.folder, self.values, self.internal = id, folder, values, internal
        self.parent, self.path, self.source, self.bytes, self.children = parent, path, source, bytes, []
        if parent is not None:
            parent.children.append(self)

    def root(self):
        return self if self.parent is None else self.parent.root()

    def __repr__(self):
        return f"{self.source}:{'/'.join(self.path)}"


class Data:
    """`levels` are rows in the order of the tables without padding; `types` those of the user's columns, by level."""

    def __init__(self, levels, types):
        self.levels, self.types = levels, types


def load(path):
    if isinstance(path, (list, tuple)):
        return joined([load(one) for one in path])
    path = Path(path)
    if path.is_dir():
        if (path / "METADATA").is_dir():
            return from_tables(*folder_tables(path), lambda row: (path / "DATA" / "/".join(row.path)).read_bytes())
        return index(path, [(path / f"level{k}.parquet").read_bytes() for k in range(6) if (path / f"level{k}.parquet").is_file()],
                     path.parent)
    if part := re.fullmatch(r"(.*)\.\d{4}\.part\.(\w+)", path.name):
        return joined([tortilla(one.read_bytes(), one.name) for one in sorted(path.parent.glob(f"{part[1]}.*.part.{part[2]}"))])
    data = path.read_bytes()
    if data[:8] == b"TACOCAT\0":
        places = struct.unpack_from("<12Q", data, 16)
        return index(path, [data[a:a + b] for a, b in zip(places[::2], places[1::2]) if b], path.parent)
    if data[:1] == b"{":
        return joined([load(path.parent / name) for name in json.loads(data)["taco:sources"]["files"]])
    if data[:2] in (b"#y", b"WX"):
        return joined([tortilla(data, path.name)])
    archive = zipfile.ZipFile(path)
    blobs = [archive.read(name) for name in sorted(archive.namelist()) if re.fullmatch(r"METADATA/level\d\.parquet", name)]
    return from_tables(list(map(table, blobs)), path.name, lambda row: archive.read("DATA/" + "/".join(row.path)))


def joined(parts):
    """The rows of several, one after the other."""
    depth = max(len(part.levels) for part in parts)
    return Data([[row for part in parts if k < len(part.levels) for row in part.levels[k]] for k in range(depth)],
                [common([part.types[k] for part in parts if k < len(part.types)]) for k in range(depth)])


def common(types):
    return {name: kind for name, kind in types[0].items() if all(name in other for other in types)}


def table(blob):
    return pq.ParquetFile(pa.BufferReader(blob)).read(use_threads=False)


def folder_tables(path):
    return [table(one.read_bytes()) for one in sorted((path / "METADATA").glob("level?.parquet"))], path.name


def index(path, blobs, base):
    archives = {}

    def read(row):
        if row.source not in archives:
            archives[row.source] = zipfile.ZipFile(base / row.source)
        return archives[row.source].read("DATA/" + "/".join(row.path))

    return from_tables(list(map(table, blobs)), path.name, read)


def from_tables(tables, source, read):
    levels, types = [], []
    for number, one in enumerate(tables):
        names = one.column_names
        columns = [plain(one.column(k)) for k in range(len(names))]
        cell = dict(zip(names, columns))
        rows, above = [], {(row.source, row.key): row for row in levels[-1]} if levels else {}
        ids_above = {(row.source, row.id): row for row in levels[-1]} if levels else {}
        for at in range(len(one)):
            id, folder = cell["id"][at], cell["type"][at] == "FOLDER"
            internal = {name: cell[name][at] for name in names if name.startswith("internal:")}
            values = {name: columns[k][at] for k, name in enumerate(names)
                      if name not in ("id", "type") and not name.startswith("internal:")}
            part = internal.get("internal:source_file") or source
            parent = None
            if number:
                key = internal["internal:parent_id"]
                parent = above[(part, key)] if isinstance(key, int) else ids_above[(part, key)]
            row = Row(id, folder, values, internal, parent, (parent.path if parent else ()) + (id,), part, None)
            number_in_part = sum(other.source == part for other in rows)
            row.key = internal.get("internal:current_id", number_in_part)
            row.bytes = lambda row=row: read(row)
            rows.append(row)
        levels.append(rows)
        types.append({name: one.schema.field(k).type for k, name in enumerate(names)
                      if name not in ("id", "type") and not name.startswith("internal:")})
    hidden = [[row for row in rows if is_padding(row)] for rows in levels]
    for rows in hidden:
        for row in rows:
            if row.parent is not None:
                row.parent.children.remove(row)
    return Data([[row for row in rows if not is_padding(row)] for rows in levels], types)


def is_padding(row):
    return row.id.startswith(PADDING)


def tortilla(data, source, base=0, parent=None, levels=None, types=None):
    """A Tortilla or TACO of 0.x: a table at the end says where each sample lies, from the first byte of its own container."""
    levels, types = ([], []) if levels is None else (levels, types)
    depth = len(parent.path) if parent else 0
    while len(levels) <= depth:
        levels.append([])
        types.append({})
    offset, length = struct.unpack_from("<QQ", data, base + 2)
    one = table(data[base + offset:base + offset + length])
    names = [name for name in one.column_names if name != "__index_level_0__"]
    columns = {name: plain(one.column(name)) for name in names}
    types[depth].update({name: one.schema.field(name).type for name in names if not name.startswith("internal:")})
    for at in range(len(one)):
        values = {name: columns[name][at] for name in names}
        begin, size = base + int(values["tortilla:offset"]), int(values["tortilla:length"])
        if "tortilla:file_format" not in values:  # 2024: one format for all, in the header
            values["tortilla:file_format"] = data[base + 18:base + 42].strip(b"\0 ").decode()
            types[depth]["tortilla:file_format"] = pa.string()
        nested = values["tortilla:file_format"] == "TORTILLA"
        values["tortilla:offset"] = type(values["tortilla:offset"])(begin)
        row = Row(values["tortilla:id"], nested, values, {}, parent, (parent.path if parent else ()) + (values["tortilla:id"],),
                  source, lambda begin=begin, size=size: data[begin:begin + size])
        levels[depth].append(row)
        if nested:
            tortilla(data, source, begin, row, levels, types)
    return Data(levels, types)


def plain(column):
    """Values of Python that compare exactly: times and durations are nanoseconds, dates are days."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return plain(column.cast(kind.value_type))
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind) or pa.types.is_time(kind):
        scale = {"s": 10 ** 9, "ms": 10 ** 6, "us": 10 ** 3, "ns": 1}[kind.unit]
        number = pa.int32() if pa.types.is_time32(kind) else pa.int64()
        return [None if value is None else value * scale for value in column.cast(number).to_pylist()]
    if pa.types.is_date32(kind):
        return column.cast(pa.int32()).to_pylist()
    if pa.types.is_date64(kind):
        return [None if value is None else value // 86400000 for value in column.cast(pa.int64()).to_pylist()]
    return column.to_pylist()
