"""The Merkle root of a dataset as docs/format.md defines it, in hashlib, zipfile and pyarrow.

    root, trees = oracle.proof(path)

It shares no code with tacore, nor may it. Rows come from the level tables, and bytes by the name of the entry or file.
"""

import hashlib
import json
import math
import re
import struct
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def sha256(data):
    return hashlib.sha256(data).digest()


def number(value):
    return struct.pack("<Q", value % 2**64)


def text(data):
    data = data.encode() if isinstance(data, str) else data
    return number(len(data)) + data


UNITS = {"s": b"s", "ms": b"m", "us": b"u", "ns": b"n"}


def encode(value, kind):
    """A pyarrow scalar."""
    t = pa.types
    if t.is_dictionary(kind):
        return encode(value.value if value.is_valid else pa.scalar(None, kind.value_type), kind.value_type)
    if not value.is_valid or t.is_null(kind):
        return b"N"
    if t.is_boolean(kind):
        return b"T" if value.as_py() else b"F"
    if t.is_integer(kind):
        return (b"I" if value.as_py() < 2**63 else b"U") + number(value.as_py())
    if t.is_floating(kind):
        real = float(value.as_py())
        return b"R" + (number(0x7FF8 << 48) if math.isnan(real) else struct.pack("<d", real))
    if t.is_string(kind) or t.is_large_string(kind) or t.is_string_view(kind):
        return b"S" + text(value.as_py())
    if t.is_binary(kind) or t.is_large_binary(kind) or t.is_binary_view(kind) or t.is_fixed_size_binary(kind):
        return b"B" + text(value.as_py())
    if t.is_timestamp(kind):
        return (b"Z" if kind.tz else b"Y") + UNITS[kind.unit] + number(value.value)
    if t.is_date32(kind):
        return b"D" + number(value.value)
    if t.is_time(kind):
        return b"H" + UNITS[kind.unit] + number(value.value)
    if t.is_duration(kind):
        return b"P" + UNITS[kind.unit] + number(value.value)
    if t.is_decimal(kind):
        unscaled = int(value.as_py().scaleb(kind.scale))
        return b"M" + number(kind.scale) + unscaled.to_bytes(16, "little", signed=True)
    if t.is_map(kind):
        pairs = value.values
        return b"L" + number(len(pairs)) + b"".join(encode(pairs[i], pairs.type) for i in range(len(pairs)))
    if t.is_list(kind) or t.is_large_list(kind) or t.is_fixed_size_list(kind):
        return b"L" + number(len(value)) + b"".join(encode(item, kind.value_type) for item in value.values)
    if t.is_struct(kind):
        return (
            b"O"
            + number(kind.num_fields)
            + b"".join(text(kind.field(i).name) + encode(value[i], kind.field(i).type) for i in range(kind.num_fields))
        )
    raise TypeError(kind)


def metadata(table):
    """Each row of a table."""
    names = sorted((name for name in table.column_names if not name.startswith("internal:")), key=str.encode)
    columns = [(text(name), table.column(name)) for name in names]
    return [
        number(len(columns)) + b"".join(name + encode(column[row], column.type) for name, column in columns)
        for row in range(len(table))
    ]


def tree_root(nodes):
    if not nodes:
        return sha256(b"")
    while len(nodes) > 1:
        nodes = [
            sha256(b"\1" + b"".join(nodes[i : i + 2])) if i + 1 < len(nodes) else nodes[i]
            for i in range(0, len(nodes), 2)
        ]
    return nodes[0]


class Dataset:
    """The collection, the level tables, and the data of a sample by its path."""

    def __init__(self, path):
        path = Path(path)
        if path.is_dir():
            self.collection = (path / "COLLECTION.json").read_bytes()
            blobs = [one.read_bytes() for one in sorted((path / "METADATA").glob("level?.parquet"))]
            self.data = lambda name: (path / "DATA" / name).read_bytes()
        else:
            archive = zipfile.ZipFile(path)
            self.collection = archive.read("COLLECTION.json")
            names = sorted(name for name in archive.namelist() if re.fullmatch(r"METADATA/level\d\.parquet", name))
            blobs = [archive.read(name) for name in names]
            self.data = lambda name: archive.read(f"DATA/{name}")
        self.tables = [pq.ParquetFile(pa.BufferReader(blob)).read(use_threads=False) for blob in blobs]


def leaves(dataset):
    """Of each level."""
    parents, paths, out = [], [], []
    for level, table in enumerate(dataset.tables):
        ids = table["id"].to_pylist()
        if level == 0:
            parents.append([0] * len(ids))
            paths.append(ids)
            continue
        above = dataset.tables[level - 1]
        keys = (
            above["internal:current_id"].to_pylist()
            if "internal:current_id" in above.column_names
            else list(range(len(above)))
        )
        row_of = {key: row for row, key in reversed(list(enumerate(keys)))}
        parents.append([row_of[key] for key in table["internal:parent_id"].to_pylist()])
        paths.append([f"{paths[-1][parent]}/{id}" for parent, id in zip(parents[-1], ids)])
    for level, table in enumerate(dataset.tables):
        rows, out_of_level = metadata(table), []
        below = parents[level + 1] if level + 1 < len(parents) else []
        for row, kind in enumerate(table["type"].to_pylist()):
            if kind == "FILE":
                padding = paths[level][row].rpartition("/")[2].startswith("__TACOPAD__")
                content = sha256(b"" if padding else dataset.data(paths[level][row]))
            else:
                count = below.count(row)
                content = number(below.index(row) if count else 0) + number(count)
            out_of_level.append(sha256(b"\0" + number(parents[level][row]) + rows[row] + content))
        out.append(out_of_level)
    return out


MEMBER = re.compile(rb'("taco:merkle_root": ")([0-9a-f]{64})(")')


def proof(path, is_signed=True):
    """The root, and the file of trees."""
    dataset = Dataset(path)
    collection, count = MEMBER.subn(rb"\g<1>" + b"0" * 64 + rb"\3", dataset.collection)
    assert count == 1 or not is_signed, count
    levels = leaves(dataset)
    stated = b"".join(number(len(level)) + tree_root(level) for level in levels)
    root = sha256(b"\2" + sha256(collection) + struct.pack("<I", len(levels)) + stated)
    trees = b"TACOTREE" + struct.pack("<II", 1, len(levels)) + stated
    for level in levels:
        while len(level) > 1:
            trees += b"".join(level)
            level = [tree_root(level[i : i + 16]) for i in range(0, len(level), 16)]
    return root.hex(), trees


def stated(path):
    return json.loads(Dataset(path).collection)["taco:merkle_root"]
