#!/usr/bin/env python3
"""Holds `taco edit` against a naive one: random trees and random edits, in both containers.

    check.py TOOL [ROUNDS [SEED]]

The naive edit is a list of rows in Python. After each edit, pyarrow and zipfile read what is there: levels, `__meta__`,
collection, field schema, TACO_HEADER, and the bytes at each offset; `taco validate --deep` has nothing against it, and
`taco diff` finds both containers equal. A refused edit changes nothing. Exit code 77 without pyarrow.
"""
import io
import json
import random
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

try:
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq
except ImportError:
    print("skipped: no pyarrow")
    sys.exit(77)

ABOUT = ["--id", "edited", "--description", "D", "--license", "MIT", "--provider", "P", "--task", "other"]
TYPES = {"whole": pa.int64(), "real": pa.float64(), "text": pa.string(), "list": pa.list_(pa.int64())}
MAKE = {"whole": lambda: random.randrange(-99, 99), "real": lambda: random.randrange(99) / 8 + 0.0625,
        "text": lambda: random.choice(["a", "b\u00e9", "", "long " * 9]), "list": lambda: [random.randrange(9)] * random.randrange(3)}
FIXED = {"id", "type"}


def run(*command, code=0):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == code, f"{command}: {done.returncode}, expected {code}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stderr


class Level:
    """Rows of a level: paths, and columns of metadata in order, each with its kind and values."""

    def __init__(self, paths):
        self.paths, self.columns = paths, {}


def random_levels(depth):
    names = random.sample(["a", "b", "c-d", "c.d", "c", "Z", "\u00e9", "10", "9"], random.randrange(1, 7))
    levels = [Level(names)]
    for _ in range(depth):
        children = random.sample(["x", "y", "z-1", "z", "A"], random.randrange(1, 4))
        levels.append(Level([f"{above}/{child}" for above in levels[-1].paths for child in children]))
    return levels


def write_sources(folder, levels):
    data = {}
    for path in levels[-1].paths:
        data[path] = random.randbytes(random.choice([0, 1, 50, 5000]))
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data[path])
    return data


def random_table(folder, level, is_root):
    """A table that lists some samples, as {path: {column: value}}, with the kinds of its columns."""
    listed = random.sample(level.paths, random.randrange(1, len(level.paths) + 1))
    if random.random() < 0.3:
        listed = list(level.paths)
    names = random.sample(["one", "two", "ns:three", "four"], random.randrange(1, 3))
    form = random.choice(["parquet", "csv", "jsonl"])
    kinds = {}
    for name in names:
        old = level.columns.get(name, (None,))[0]
        kinds[name] = old if old and random.random() < 0.7 else random.choice(list(TYPES))
        if form == "csv" and kinds[name] in ("list", "text"):
            kinds[name] = "real"
    rows = {path: {name: None if random.random() < 0.2 else MAKE[kinds[name]]() for name in names} for path in listed}
    for name in names:  # a column of the text forms has a type by its values
        if all(row[name] in (None, []) for row in rows.values()) or form == "csv" and kinds[name] == "text":
            rows[listed[0]][name] = {"list": [1], "text": "a"}.get(kinds[name]) or MAKE[kinds[name]]()
    path = folder / f"table.{form}"
    key = random.choice(["id", "internal:relative_path"]) if not is_root and form != "csv" else "id"
    records = [{key: at, **row} for at, row in rows.items()]
    if form == "jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    else:
        fields = [(key, pa.string())] + [(name, TYPES[kinds[name]]) for name in names]
        table = pa.Table.from_pylist(records, pa.schema(fields))
        (pq.write_table if form == "parquet" else pa.csv.write_csv)(table, path)
    return path, rows, kinds


def naive_edit(level, drop, rows, kinds):
    """The columns as they must be, or None where the edit must be refused."""
    columns = {name: (kind, list(values)) for name, (kind, values) in level.columns.items()}
    for name in drop:
        if columns.pop(name, None) is None:
            return None
    for name, kind in kinds.items():
        old_kind, values = columns.get(name, (None, [None] * len(level.paths)))
        keeps = [path for path in level.paths if path not in rows]
        if old_kind and keeps and old_kind != kind:
            if {old_kind, kind} != {"whole", "real"}:
                return None
            kind = "real"
        columns[name] = (kind, [rows[path][name] if path in rows else value for path, value in zip(level.paths, values)])
    return columns


class Dataset:
    """A container, read without the tool."""

    def __init__(self, path):
        self.path = path
        self.is_zip = path.suffix == ".tacozip"
        if self.is_zip:
            self.bytes = path.read_bytes()
            with zipfile.ZipFile(io.BytesIO(self.bytes)) as archive:
                assert archive.testzip() is None
                self.files = {name: archive.read(name) for name in archive.namelist()}
                self.names = archive.namelist()
        else:
            self.files = {str(p.relative_to(path)): p.read_bytes() for p in path.rglob("*") if p.is_file()}

    def table(self, name):
        return pq.ParquetFile(pa.BufferReader(self.files[name])).read(use_threads=False)

    def check(self, levels, data, members):
        collection = json.loads(self.files["COLLECTION.json"])
        for key, value in members.items():
            assert collection.get(key) == value, (key, collection.get(key), value)
        for path, value in data.items():
            assert self.files[f"DATA/{path}"] == value, path
        for k, level in enumerate(levels):
            self.check_level(k, level, k + 1 < len(levels), collection["taco:field_schema"][f"level{k}"])
        for k in range(len(levels) - 1):
            for path in levels[k].paths:
                self.check_meta(path, levels[k + 1])
        if self.is_zip:
            self.check_header(len(levels))

    def check_level(self, k, level, are_folders, schema):
        table = self.table(f"METADATA/level{k}.parquet")
        internal = ["internal:current_id", "internal:parent_id"] + ["internal:offset", "internal:size"] * self.is_zip
        internal += ["internal:relative_path"] * (k > 0)
        assert table.column_names == ["id", "type", *level.columns, *internal], table.column_names
        assert [name for name, *_ in schema] == [n for n in table.column_names if n not in ("internal:offset", "internal:size")]
        self.check_rows(table, level, level.paths)
        if self.is_zip:
            self.check_places(table, level.paths, are_folders)

    def check_meta(self, folder, below):
        table = self.table(f"DATA/{folder}/__meta__")
        paths = [path for path in below.paths if path.rsplit("/", 1)[0] == folder]
        assert table.column_names == ["id", "type", *below.columns] + ["internal:offset", "internal:size"] * self.is_zip
        self.check_rows(table, below, paths)
        if self.is_zip:
            self.check_places(table, paths, f"DATA/{paths[0]}/__meta__" in self.files)

    def check_rows(self, table, level, paths):
        assert table["id"].to_pylist() == [path.rsplit("/", 1)[-1] for path in paths]
        where = {path: row for row, path in enumerate(level.paths)}
        for name, (kind, values) in level.columns.items():
            assert table[name].to_pylist() == [values[where[path]] for path in paths], (name, table[name].to_pylist())
            assert table.schema.field(name).type == TYPES[kind], (name, kind, table.schema.field(name).type)

    def check_places(self, table, paths, are_folders):
        for path, at, size in zip(paths, table["internal:offset"].to_pylist(), table["internal:size"].to_pylist()):
            assert self.bytes[at:at + size] == self.files[f"DATA/{path}" + "/__meta__" * are_folders], path

    def check_header(self, num_levels):
        assert self.bytes[:4] == b"PK\3\4" and self.bytes[30:41] == b"TACO_HEADER" and self.bytes[41] == num_levels + 1
        names = [f"METADATA/level{k}.parquet" for k in range(num_levels)] + ["COLLECTION.json"]
        for i, name in enumerate(names):
            at, size = struct.unpack_from("<QQ", self.bytes, 45 + 16 * i)
            assert self.bytes[at:at + size] == self.files[name], name


def play(tool, folder):
    levels = random_levels(random.randrange(3))
    data = write_sources(folder / "source", levels)
    # The order of siblings is that of their names with a slash behind, as folders are read.
    for level in levels:
        level.paths.sort(key=lambda path: [part + "/" for part in path.split("/")])
    members = {"title": None}
    sets = [folder / "set.tacozip", folder / "set"]
    for path in sets:
        run(tool, "create", folder / "source", path, *ABOUT)
    num_refused = 0
    for step in range(random.randrange(2, 6)):
        k = random.randrange(len(levels))
        drop, rows, kinds, arguments = [], {}, {}, []
        if random.random() < 0.3:
            drop = [random.choice([*levels[k].columns] if random.random() < 0.8 and levels[k].columns else ["one", "two"])]
            arguments += ["--drop-column", drop[0]]
        if random.random() < 0.7:
            table, rows, kinds = random_table(folder, levels[k], k == 0)
            arguments += ["--columns", table]
        if arguments:
            arguments += ["--level", k]
        new_members = dict(members)
        if random.random() < 0.5 or not arguments:
            new_members["title"] = random.choice(["T", "\u00fc \"q\"", "x" * 200])
            new_members["my:key"] = {"n": random.randrange(9), "l": [None, 1.5, "\u00e9"]}
            arguments += ["--set", f"title={new_members['title']}", "--set-json", f"my:key={json.dumps(new_members['my:key'])}"]
        columns = naive_edit(levels[k], drop, rows, kinds)
        before = [Dataset(path).files for path in sets]
        for path in sets:
            run(tool, "edit", path, *arguments, code=1 if columns is None else 0)
        if columns is None:
            num_refused += 1
            assert [Dataset(path).files for path in sets] == before, "a refused edit changed something"
            continue
        levels[k].columns, members = columns, new_members
        for path in sets:
            Dataset(path).check(levels, data, members)
            run(tool, "validate", path, "--deep")
        run(tool, "diff", *sets)
    left = {path.name for path in folder.iterdir()} - {"source", "set", "set.tacozip", "table.csv", "table.jsonl", "table.parquet"}
    assert not left, left
    return step + 1, num_refused


def main():
    tool = Path(sys.argv[1]).resolve()
    rounds, seed = int(sys.argv[2]) if len(sys.argv) > 2 else 10, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    edits = refused = 0
    for k in range(rounds):
        random.seed(seed * 100_000 + k)
        with tempfile.TemporaryDirectory(prefix="tacore-edit-") as scratch:
            try:
                done = play(tool, Path(scratch))
            except Exception:
                print(f"FAILED round {k} of seed {seed}", flush=True)
                raise
        edits, refused = edits + done[0], refused + done[1]
    assert refused > 0, "nothing was refused"
    print(f"{edits} edits of {rounds} trees in two containers as expected, {refused} of them refused")


main()
