"""Indexes over parts: `taco index` against tacotoolbox.create_tacocat, and against a few lines of Python that do the same."""
import contextlib
import io
import json
import random
import warnings
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
from tacotoolbox.tacocat import create_tacocat

import facts
from facts import equal, taco

SOURCE_FILE = "internal:source_file"
PLACES = ("internal:offset", "internal:size")


def part_levels(part):
    """The level tables of a ZIP, and its collection."""
    with zipfile.ZipFile(part) as archive:
        names = sorted(name for name in archive.namelist() if name.startswith("METADATA/"))
        tables = [pq.ParquetFile(pa.BufferReader(archive.read(name))).read(use_threads=False) for name in names]
        return tables, json.loads(archive.read("COLLECTION.json"))


def index_levels(folder):
    return [pq.read_table(path) for path in sorted(folder.glob("level*.parquet"))]


def same_as_published(dataset, permuted):
    """Both indexes over the same parts hold the same rows, and the same collection; the order of columns is ours.

    Published writers permute places below level 0, which only we repair: those are left out where parts are theirs.
    """
    theirs = dataset.path.parent / "theirs"
    theirs.mkdir()
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        create_tacocat(dataset.parts, theirs)
    ours, published = index_levels(dataset.path), index_levels(theirs / ".tacocat")
    equal("number of levels", len(ours), len(published))
    for level, (our, other) in enumerate(zip(ours, published)):
        equal(f"columns of level {level}", sorted(our.column_names), sorted(other.column_names))
        names = [name for name in our.column_names if not (permuted and level > 0 and name in PLACES)]
        for name in names:
            equal(f"type of {name} at level {level}", our.schema.field(name).type, other.schema.field(name).type)
            equal(f"{name} of level {level}", our[name].to_pylist(), other[name].to_pylist())
    our, other = (json.loads((folder / "COLLECTION.json").read_text()) for folder in (dataset.path, theirs / ".tacocat"))
    other["taco:pit_schema"].pop("shape", None)  # of the first part alone; no key of the specification
    for key in sorted({*our, *other} - {"taco:field_schema", "taco:sources", "extent", "providers", "curators"}):
        equal(f"{key} of the collection", our.get(key), other.get(key))
    for key in ("count", "ids", "files"):
        equal(f"{key} of the sources", our["taco:sources"][key], other["taco:sources"][key])
    equal("spatial extent", our["extent"]["spatial"], other["extent"]["spatial"])


# ------------------------------------------------------------------------------------------------ by a few lines of Python


WIDENED = {("int32", "int64"): pa.int64(), ("int32", "double"): pa.float64(), ("int64", "double"): pa.float64()}
TYPES = {"int32": pa.int32(), "int64": pa.int64(), "double": pa.float64(), "string": pa.string(), "bool": pa.bool_()}


class Clash(Exception):
    pass


def naive_level(parts):
    """The rows of all parts as columns of Python values, {name: (type, values)}; `parts` are names and tables."""
    types = {}
    for _, table in parts:
        for field in table.schema:
            known = types.setdefault(field.name, field.type)
            if known != field.type:
                both = WIDENED.get((str(known), str(field.type))) or WIDENED.get((str(field.type), str(known)))
                if both is None:
                    raise Clash(field.name)
                types[field.name] = both
    order = [*(n for n in types if not n.startswith("internal:")), *(n for n in types if n.startswith("internal:"))]
    out = {}
    for name in order:
        values = []
        for _, table in parts:
            found = table[name].to_pylist() if name in table.column_names else [None] * table.num_rows
            is_real = types[name] == pa.float64()
            values += [float(value) if is_real and value is not None else value for value in found]
        out[name] = types[name], values
    out[SOURCE_FILE] = pa.string(), [name for name, table in parts for _ in range(table.num_rows)]
    return out


def random_rows(generator, columns, number, is_nested, has_nulls):
    """A table for `taco create`: one to five roots, each of which may have two children."""
    ids, paths = [], []
    for root in range(generator.randint(1, 5)):
        ids.append(f"s{number}_{root}")
        paths.append(None if is_nested else "bytes")
        if is_nested:
            ids += [f"{ids[-1]}/red", f"{ids[-1]}/green"]
            paths += ["bytes", "bytes"]
    make = {"int32": lambda: generator.randint(-9, 9), "int64": lambda: generator.randint(-2**50, 2**50),
            "double": generator.random, "string": lambda: generator.choice(["ä", "b", ""]),
            "bool": lambda: generator.random() < 0.5}
    # What no sample of a level has a value for is no column of that level.
    made = {name: pa.array([None if has_nulls and generator.random() < 0.2 else make[kind]() for _ in ids], TYPES[kind])
            for name, kind in columns}
    return pa.table({"id": ids, "path": paths, **made})


def random_index(scratch, seed):
    """Random parts, some of other columns: what `taco index` makes of them, or refuses, is what Python does."""
    generator = random.Random(seed)
    (scratch / "bytes").write_bytes(b"bytes")
    is_nested, is_strict = generator.random() < 0.4, generator.random() < 0.4
    kinds = {name: generator.choice(sorted(TYPES)) for name in ("a", "b", "c", "Z:z")}
    parts = []
    for number in range(generator.randint(1, 6)):
        columns = [(name, kind) for name, kind in kinds.items() if is_strict or generator.random() < 0.7]
        generator.shuffle(columns)
        if not is_strict:
            columns = [(name, generator.choice(["int32", "int64", "double", kind]) if kind not in ("string", "bool")
                        or generator.random() < 0.05 else kind) for name, kind in columns]
        pq.write_table(random_rows(generator, columns, number, is_nested, not is_strict), scratch / "table.parquet")
        parts.append(scratch / f"{generator.randint(0, 99)}_{number}.tacozip")
        taco("create", scratch / "table.parquet", parts[-1], "--id", "parts", "--description", "Random", "--license", "MIT",
             "--provider", "interop", "--task", "other")
    levels = [part_levels(part)[0] for part in parts]
    command = ["index", *parts, *([] if is_strict else ["--allow-different-columns"]), "--jobs", generator.randint(1, 4)]
    try:
        expected = [naive_level([(part.name, tables[k]) for part, tables in zip(parts, levels)])
                    for k in range(len(levels[0]))]
    except Clash as clash:
        done = facts.run(facts.TOOL, *command)
        assert done.returncode == 1 and f"column '{clash}'" in done.stderr.decode(), (clash, done.stderr)
        assert not (scratch / ".tacocat").exists()
        return
    taco(*command)
    found = index_levels(scratch / ".tacocat")
    equal("number of levels", len(found), len(expected))
    for k, (table, columns) in enumerate(zip(found, expected)):
        equal(f"columns of level {k}", table.column_names, list(columns))
        for name, (kind, values) in columns.items():
            equal(f"type of {name} at level {k}", table.schema.field(name).type, kind)
            equal(f"{name} of level {k}", table[name].to_pylist(), values)
    collections = [part_levels(part)[1] for part in parts]
    merged = json.loads((scratch / ".tacocat" / "COLLECTION.json").read_text())
    equal("n", merged["taco:pit_schema"]["root"]["n"], sum(c["taco:pit_schema"]["root"]["n"] for c in collections))
    equal("files", merged["taco:sources"]["files"], [part.name for part in parts])
    # As one file: the same tables, byte for byte.
    taco(*command, "--single-file")
    whole = b"".join((scratch / ".tacocat" / name).read_bytes()
                     for name in (*(f"level{k}.parquet" for k in range(len(found))), "COLLECTION.json"))
    assert (scratch / "__TACOCAT__").read_bytes()[128:] == whole, "the file differs from the folder"
