"""What a reader must give back of a dataset: a function per fact, which raises AssertionError when it does not hold."""
import base64
import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

os.environ["HOME"] = os.devnull  # DuckDB, which tacoreader imports, keeps no extension there, so it downloads none
import tacoreader

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))
import trees
from tool_server import ToolServer
from trees import COLUMNS, TYPES, levels, paths, without_padding
from writers import COLLECTION, place_as_wkb

TOOL = None  # the program `taco`; this and the next two are set by main() of check.py
VALUE_WRITER = None  # the program `write_values`
SERVER: ToolServer = None  # runs TOOL


class Skip(Exception):
    pass


@dataclass
class Dataset:
    """A dataset on disk and the tree that it holds."""
    path: Path
    roots: list
    columns: list = field(default_factory=lambda: list(COLUMNS))
    source: Path = None  # what it was made of

    @property
    def is_folder(self):
        return self.path.is_dir() and not self.is_index

    @property
    def is_index(self):
        return self.path.name == ".tacocat"

    @property
    def parts(self):
        """The ZIP files of the dataset: none of a folder."""
        return sorted(self.path.parent.glob("*.tacozip")) if self.is_index else [] if self.is_folder else [self.path]

    @cached_property
    def opened(self):
        return tacoreader.load(str(self.path))


def equal(what, actual, expected):
    assert actual == expected, f"{what}\n  found    {actual!r}\n  expected {expected!r}"


# --------------------------------------------------------------------------------------------------------- running taco


def run(*command):
    if command[0] == TOOL:
        return SERVER.run(command)
    return subprocess.run([str(word) for word in command], capture_output=True, timeout=300)


def taco(*words):
    done = run(TOOL, *words, "--quiet")
    assert done.returncode == 0, f"taco {' '.join(map(str, words))}: exit {done.returncode}: {done.stderr.decode()}"
    return done.stdout


def findings(path):
    done = run(TOOL, "validate", path, "--deep", "--json", "--quiet")
    assert done.returncode in (0, 1), done.stderr.decode()
    return json.loads(done.stdout)


# ------------------------------------------------------------------------------------------------------- facts for taco


def taco_query(dataset):
    """`taco query` gives the rows of every level, in order, with their values."""
    for level, nodes in enumerate(levels(dataset.roots)):
        rows = json.loads(taco("query", dataset.path, f"SELECT * FROM level{level}", "-f", "json"))
        equal(f"ids and types of level {level}", [(r["id"], r["type"]) for r in rows], [(n.id, n.type) for n in nodes])
        for name in dataset.columns:
            found = [from_json(row[name], TYPES[name]) for row in rows]
            equal(f"{name} of level {level}", found, [node.values[name] for node in nodes])


def from_json(value, arrow_type):
    """A value as `taco query -f json` prints it, in Python's terms."""
    if value is None:
        return None
    if pa.types.is_binary(arrow_type):
        return base64.b64decode(value)
    if pa.types.is_date(arrow_type):
        return date.fromisoformat(value)
    if pa.types.is_timestamp(arrow_type):
        return datetime.fromisoformat(value.removesuffix("Z"))
    return value


def taco_info(dataset):
    """`taco info` gives the collection, and the rows and Arrow types of each level."""
    told = json.loads(taco("info", dataset.path, "--json"))
    equal("collection", {key: told["collection"][key] for key in COLLECTION}, COLLECTION)
    equal("rows", [level["rows"] for level in told["levels"]], [len(nodes) for nodes in levels(dataset.roots)])
    for level in told["levels"]:
        types = {column["name"]: column["type"] for column in level["columns"]}
        for name in dataset.columns:
            equal(f"type of {name}", types.get(name), arrow_name(TYPES[name]))


def arrow_name(arrow_type):
    return str(arrow_type).replace("element:", "item:")


def taco_ls(dataset):
    """`taco ls` gives the samples, and the children of every FOLDER."""
    equal("root", listed(dataset.path), ids_and_types(dataset.roots))
    for path, node in paths(dataset.roots):
        if node.children is not None:
            equal(f"children of {path}", listed(dataset.path, path), ids_and_types(node.children))


def listed(*words):
    return [(row["id"], row["type"]) for row in json.loads(taco("ls", *words, "--json"))]


def ids_and_types(nodes):
    return [(node.id, node.type) for node in without_padding(nodes)]


def taco_read(dataset):
    """`taco read` gives the bytes of every FILE."""
    for path, node in paths(dataset.roots):
        if node.children is None:
            equal(f"bytes of {path}", taco("read", dataset.path, path), node.data)


def taco_vsi(dataset):
    """`taco read --vsi` gives a path that leads to the bytes of every FILE."""
    for path, node in paths(dataset.roots):
        if node.children is None:
            vsi = taco("read", dataset.path, path, "--vsi").decode().removesuffix("\n")
            equal(f"bytes of {path} at {vsi}", bytes_at(vsi), node.data)


def taco_validate(dataset, known=()):
    """`taco validate --deep` finds no error but the known defects of the writer."""
    errors = [issue for issue in findings(dataset.path) if issue["severity"] == "error"]
    equal("rules that are broken", {issue["rule"] for issue in errors} - set(known), set())
    equal("known defects that are there", {issue["rule"] for issue in errors}, set(known))


def taco_validate_own(dataset):
    """`taco validate --deep` finds nothing at all."""
    equal("findings", findings(dataset.path), [])


def taco_validate_converted(dataset):
    """`taco validate --deep` finds only what the unchanged COLLECTION.json had before."""
    def found(path):
        return [(issue["rule"], issue["severity"], issue["message"]) for issue in findings(path)]
    equal("findings", found(dataset.path), [issue for issue in found(dataset.source) if issue[0].startswith("COL-")])


TACO_FACTS = [taco_query, taco_info, taco_ls, taco_read, taco_vsi]


# ------------------------------------------------------------------------------------------------- facts for tacoreader


def tacoreader_rows(dataset):
    """tacoreader gives the ids, types and values of the root."""
    table = dataset.opened.data.to_arrow()
    compare_rows("the root", table, dataset.roots, dataset.columns)


def tacoreader_types(dataset):
    """tacoreader gives the Arrow types of the values, at the root and among children."""
    for path, _, frame in walk(dataset):
        schema = frame.to_arrow().schema
        types = {name: schema.field(name).type for name in dataset.columns}
        equal(f"types beside {path}", types, {name: TYPES[name] for name in dataset.columns})


def tacoreader_children(dataset):
    """tacoreader's read() gives the children of every FOLDER, with their values."""
    for path, node, frame in walk(dataset):
        if node.children is not None:
            compare_rows(f"children of {path}", frame.read(node.id).to_arrow(), node.children, dataset.columns)


def tacoreader_bytes(dataset):
    """tacoreader's read() gives a path that leads to the bytes of every FILE."""
    for path, node, frame in walk(dataset):
        if node.children is None:
            equal(f"bytes of {path}", bytes_at(frame.read(node.id)), node.data)


def tacoreader_collection(dataset):
    """tacoreader gives the collection."""
    equal("collection", {key: dataset.opened.collection[key] for key in COLLECTION}, COLLECTION)
    equal("rows by the schema", dataset.opened.pit_schema.root["n"], len(dataset.roots))


def walk(dataset):
    """(path of ids, node, the frame that has its row) of every visible node."""
    def below(frame, nodes, prefix):
        for node in without_padding(nodes):
            yield prefix + node.id, node, frame
            if node.children is not None:
                yield from below(frame.read(node.id), node.children, f"{prefix}{node.id}/")

    yield from below(dataset.opened.data, dataset.roots, "")


def compare_rows(where, table, nodes, columns):
    rows = [row for row in table.to_pylist() if not row["id"].startswith(trees.PADDING)]  # its read() shows padding
    equal(f"ids and types of {where}", [(r["id"], r["type"]) for r in rows], ids_and_types(nodes))
    for name in columns:
        equal(f"{name} of {where}", [r[name] for r in rows], [n.values[name] for n in without_padding(nodes)])


def bytes_at(path):
    """The bytes that GDAL would read: /vsisubfile/OFFSET_SIZE,FILE or a plain path."""
    if not path.startswith("/vsisubfile/"):
        return Path(path).read_bytes()
    place, file = path.removeprefix("/vsisubfile/").split(",", 1)
    offset, size = map(int, place.split("_"))
    with open(file, "rb") as source:
        source.seek(offset)
        return source.read(size)


TACOREADER_FACTS = [tacoreader_rows, tacoreader_types, tacoreader_children, tacoreader_bytes, tacoreader_collection]


# ------------------------------------------------------------------------------------------------ facts for other tools


def python_zipfile(dataset):
    """Python opens every ZIP; its entries are stored, unique, and match their checksums."""
    for part in dataset.parts:
        with zipfile.ZipFile(part) as archive:
            equal("first bad entry", archive.testzip(), None)
            equal("compressed entries", [e.filename for e in archive.infolist() if e.compress_type], [])
            equal("names", len(set(archive.namelist())), len(archive.namelist()))


def unzip(dataset):
    """`unzip -t` finds no fault."""
    for part in dataset.parts:
        done = run(need("unzip"), "-t", part)
        equal("exit code", done.returncode, 0)
        assert b"No errors detected" in done.stdout, done.stdout


def zipinfo(dataset):
    """`zipinfo` lists as many entries as Python, without a warning."""
    for part in dataset.parts:
        done = run(need("zipinfo"), "-1", part)
        equal("exit code", done.returncode, 0)
        equal("warnings", done.stderr, b"")
        equal("entries", len(done.stdout.splitlines()), len(zipfile.ZipFile(part).namelist()))


def need(program):
    found = shutil.which(program)
    if not found:
        raise Skip(f"no {program} here")
    return found


def parquet_levels(dataset):
    """pyarrow opens every level table; it has the columns of the level with their types, and id and type first."""
    for level, nodes in enumerate(levels(dataset.roots)):
        found = [pq.read_table(source) for source in stored(dataset, f"METADATA/level{level}.parquet")]
        ids = [id for table in found for id in table["id"].to_pylist() if not id.startswith(trees.PADDING)]
        equal(f"ids of level {level}", ids, [node.id for node in nodes])
        for table in found:
            check_columns(table, dataset.columns)


def parquet_children(dataset):
    """pyarrow opens the `__meta__` of every FOLDER; it has the ids of the children."""
    for path, node in paths(dataset.roots):
        if node.children is not None:
            source, = stored(dataset, f"DATA/{path}/__meta__")
            table = pq.read_table(source)
            equal(f"ids of {path}", table["id"].to_pylist(), [child.id for child in node.children])
            check_columns(table, dataset.columns)


def padding_is_there(dataset, rows):
    """The level tables have that many rows, padding included."""
    found = [pq.read_table(source).num_rows for level in range(len(rows))
             for source in stored(dataset, f"METADATA/level{level}.parquet")]
    equal("rows with padding", found, rows)


def check_columns(table, columns):
    equal("first columns", table.column_names[:2], ["id", "type"])
    equal("types", {name: table.schema.field(name).type for name in columns}, {name: TYPES[name] for name in columns})


def stored(dataset, name):
    """The file of that name in each part."""
    if dataset.is_folder:
        return [dataset.path / name]
    found = []
    for part in dataset.parts:
        with zipfile.ZipFile(part) as archive:
            if name in archive.namelist():
                found.append(pa.BufferReader(archive.read(name)))
    return found


ZIP_FACTS = [python_zipfile, unzip, zipinfo]
PARQUET_FACTS = [parquet_levels, parquet_children]


# ------------------------------------------------------------------------------------------------- facts of one dataset


def title_is_kept(dataset):
    """tacoreader gives the title of the document."""
    equal("title", dataset.opened.title, "A title — «ü»")


def descriptions_are_kept(dataset):
    """The field schema has the descriptions of the samples' metadata, at each level."""
    for level in range(len(levels(dataset.roots))):
        fields = dataset.opened.field_schema[f"level{level}"]
        told = {name: text for name, _, text in fields if name in dataset.columns and text}
        equal(f"descriptions of level {level}", told, trees.VALUE_DESCRIPTIONS)


def places_are_kept(dataset):
    """The geometries of GeoJSON are in a binary column, as WKB."""
    table = dataset.opened.data.to_arrow()
    expected = [place_as_wkb(number) for number in range(table.num_rows)]
    assert any(table[name].to_pylist() == expected for name in table.column_names), f"no column of WKB: {table.schema}"


def gdal_in_zip(dataset):
    """GDAL opens the GeoTIFF through /vsizip/."""
    open_with_gdal(f"/vsizip/{{{dataset.path}}}/DATA/tile")


def gdal_subfile(dataset):
    """GDAL opens the GeoTIFF through the path that either reader gives."""
    open_with_gdal(dataset.opened.data.read("tile"))
    open_with_gdal(taco("read", dataset.path, "tile", "--vsi").decode().strip())


def open_with_gdal(path):
    done = run(need("gdalinfo"), "-checksum", path)
    equal(f"exit code for {path}: {done.stderr.decode()}", done.returncode, 0)
    assert b"Driver: GTiff" in done.stdout, done.stdout
