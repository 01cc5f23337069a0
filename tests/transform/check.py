#!/usr/bin/env python3
"""Proves `taco export`, `convert` and `concat` against a reader and a selection of its own.

    check.py TOOL [CASE...]     CASE is a name or a pattern, such as 'export/nested*'
    check.py TOOL --long        300 random datasets in place of 10, others each time

Datasets are those of tests/golden and random trees that `taco create` makes. What is expected is computed from their
Parquet files, ZIP directories and folders alone: a dataset is a list of samples, each a path, type, metadata and bytes.
Needs pyarrow.
"""
import datetime
import fnmatch
import hashlib
import json
import math
import random
import shutil
import subprocess
import sys
import tempfile
import traceback
import zipfile
from pathlib import Path

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    print("skipped: pyarrow is not installed")
    sys.exit(77)

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
PADDING = "__TACOPAD__"
# Trees that are not regular, which create() writes only padded; columns that differ in case only, of which one is renamed.
IRREGULAR, TWINS = ["uneven_children.tacozip"], ["odd_names.tacozip"]


class Files:
    """The files of a ZIP or FOLDER, by name."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path) if path.is_file() else None
        self.path = path

    def read(self, name):
        return self.zip.read(name) if self.zip else (self.path / name).read_bytes()

    def has(self, name):
        return name in self.zip.namelist() if self.zip else (self.path / name).is_file()


def is_metadata(column):
    return column not in ("id", "type", "path") and not column.startswith("internal:")


def plain(value):
    """A value that compares: NaN equals itself, dictionaries have an order."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, dict):
        return tuple((key, plain(item)) for key, item in value.items())
    return tuple(map(plain, value)) if isinstance(value, (list, tuple)) else value


class Sample:
    def __init__(self, files, row, parent):
        self.id, self.type, self.parent = row["id"], row["type"], parent
        self.path = f"{parent.path}/{self.id}" if parent else self.id
        self.metadata = {key: plain(value) for key, value in row.items()
                         if is_metadata(key)}
        self.data = None
        if self.type == "FILE":
            data = files.read(f"DATA/{self.path}")
            self.data = f"{len(data)} bytes {hashlib.sha256(data).hexdigest()}"

    def is_padding(self):
        return self.id.startswith(PADDING) or bool(self.parent and self.parent.is_padding())

    def facts(self, path=None):
        return path or self.path, self.type, dict(self.metadata), self.data


class Dataset:
    """Samples by level, as the level tables have them; nothing is believed that they need not say."""

    def __init__(self, path):
        files = Files(Path(path))
        self.collection_bytes = files.read("COLLECTION.json")
        self.collection = json.loads(self.collection_bytes)
        self.levels, self.schemas = [], []
        while files.has(name := f"METADATA/level{len(self.levels)}.parquet"):
            table = pq.ParquetFile(pa.BufferReader(files.read(name))).read(use_threads=False)
            above = self.levels[-1] if self.levels else []
            by_id = {sample.id: sample for sample in above}
            rows = table.to_pylist()
            parents = [r.get("internal:parent_id") for r in rows]
            by_number = dict(zip(self.numbers, above)) if self.levels else {}
            self.numbers = [r.get("internal:current_id", k) for k, r in enumerate(rows)]
            self.levels.append([Sample(files, row, (by_id if isinstance(p, str) else by_number)[p] if above else None)
                                for row, p in zip(rows, parents)])
            self.schemas.append({f.name: f.type for f in table.schema if is_metadata(f.name)})

    def facts(self, keep=lambda sample: True):
        """The samples that export must write: neither padding nor descendants of dropped samples."""
        return [[s.facts() for s in level if not s.is_padding() and keep(root_of(s))] for level in self.levels]


def root_of(sample):
    return root_of(sample.parent) if sample.parent else sample


class World:
    def __init__(self, tool, scratch):
        self.tool, self.scratch = tool, scratch

    def taco(self, *arguments, fails=False):
        done = subprocess.run([self.tool, *map(str, arguments)], capture_output=True, text=True)
        assert (done.returncode != 0) == fails, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stderr

    def valid(self, path):
        said = self.taco("validate", "--deep", path, "--json")
        assert not said or "0 errors" in said, said
        return Dataset(path)


def same_levels(found, expected, ordered=True):
    assert [len(level) for level in found] == [len(level) for level in expected], "other numbers of samples"
    for level, (a, b) in enumerate(zip(found, expected)):
        a, b = (a, b) if ordered else (sorted(a, key=lambda f: f[0]), sorted(b, key=lambda f: f[0]))
        for x, y in zip(a, b):
            assert x == y, f"level {level}: {x}, expected {y}"


def same_schemas(found, expected):
    plain_type = lambda t: t.value_type if pa.types.is_dictionary(t) else t
    for level, (a, b) in enumerate(zip(found, expected)):
        assert {k: plain_type(t) for k, t in a.items()} == {k: plain_type(t) for k, t in b.items()}, (level, a, b)
        assert list(a) == list(b), f"level {level}: columns {list(a)}, expected {list(b)}"


def trimmed(levels):
    """Without levels at the end that have no samples."""
    while levels and not levels[-1]:
        levels = levels[:-1]
    return levels


# ------------------------------------------------------------------------------------------------------------- datasets


def random_set(world, seed):
    """A regular tree of random depth and metadata, made by `taco create` from a table."""
    rng = random.Random(seed)
    depth, rows = rng.randrange(4), []
    names = [[f"{rng.choice('zyxab')}{level}{k}" for k in range(1 + rng.randrange(3))] for level in range(depth)]
    data = world.scratch / "data"
    data.mkdir()

    def add(prefix, level):
        leaf = level == depth or (level > 0 and level % 2 and prefix.endswith("0"))
        rows.append({"id": prefix, "path": f"data/f{len(rows)}" if leaf else None,
                     "cloud": rng.choice([None, rng.random(), math.nan]), "name": rng.choice(["", "ä", "x" * 40]),
                     "tags": [rng.randrange(9)] * rng.randrange(3),
                     "istac:time_start": datetime.datetime(2020, 1, 1 + rng.randrange(9))})
        if leaf:
            (world.scratch / rows[-1]["path"]).write_bytes(rng.randbytes(rng.choice([0, 1, 100, 5000])))
            return
        for name in names[level]:
            add(f"{prefix}/{name}", level + 1)

    ids = [f"s{k}" for k in range(2 + rng.randrange(30))]
    rng.shuffle(ids)
    for name in ids:
        add(name, 0)
    pq.write_table(pa.Table.from_pylist(rows), world.scratch / "table.parquet")
    out = world.scratch / rng.choice(["set.tacozip", "set"])
    world.taco("create", world.scratch / "table.parquet", out, "--id", "random", "--description", "D", "--license", "MIT",
               "--provider", "P", "--task", "other")
    return out


def golden_names():
    return sorted(p.name for p in GOLDEN.iterdir() if p.suffix == ".tacozip" or p.suffix == ".zip" or
                  (p / "COLLECTION.json").is_file())


# ---------------------------------------------------------------------------------------------------------------- cases


def convert(world, source):
    before = Dataset(source)
    first = world.scratch / ("first" if source.is_file() else "first.tacozip")
    second = world.scratch / ("second.tacozip" if source.is_file() else "second")
    world.taco("convert", source, first)
    world.taco("convert", first, second)
    expected = [[s.facts() for s in level] for level in before.levels]
    for made in (world.valid(first), world.valid(second)):
        same_levels([[s.facts() for s in level] for level in made.levels], expected)
        same_schemas(made.schemas, before.schemas)
        assert made.collection_bytes == before.collection_bytes
    # There and back again is the same to the last byte.
    third = world.scratch / ("third" if source.is_file() else "third.tacozip")
    world.taco("convert", second, third)
    if third.is_file():
        assert third.read_bytes() == first.read_bytes()
    else:
        names = lambda folder: sorted(p.relative_to(folder) for p in folder.rglob("*"))
        assert names(third) == names(first)
        assert all((third / n).is_dir() or (third / n).read_bytes() == (first / n).read_bytes() for n in names(first))


def export(world, source, seed=0):
    rng = random.Random(seed)
    before = Dataset(source)
    ids = [s.id for s in before.levels[0] if not s.is_padding()]
    for k, count in enumerate(sorted({1, len(ids), 1 + rng.randrange(len(ids))})):
        kept = set(rng.sample(ids, count))
        out = world.scratch / rng.choice([f"part{k}.tacozip", f"part{k}"])
        listed = ", ".join("'" + i.replace("'", "''") + "'" for i in sorted(kept))
        world.taco("export", source, out, f"SELECT * FROM data WHERE id IN ({listed})")
        made = world.valid(out)
        same_levels(made.facts(), trimmed(before.facts(lambda root: root.id in kept)))
        same_schemas(made.schemas, before.schemas)
        pit = made.collection["taco:pit_schema"]
        assert pit["root"]["n"] == count
        assert made.collection["taco:subset_of"] == before.collection["id"]
        assert made.collection["taco:subset_date"].endswith("Z")
        assert [s.path for s in made.levels[0]] == [s.path for s in before.levels[0] if s.id in kept], "another order"


def cascade(world, source, seed):
    """A filter of a deeper level keeps the ancestors of kept samples, and gaps are padded."""
    before = Dataset(source)
    level = seed % len(before.levels)
    start, end = datetime.datetime(2020, 1, 2), datetime.datetime(2020, 1, 5)
    kept = {s.path for s in before.levels[level] if start <= s.metadata["istac:time_start"] <= end}
    for above in range(level):
        kept |= {"/".join(path.split("/")[:above + 1]) for path in kept}
    survives = lambda path: "/".join(path.split("/")[:level + 1]) in kept
    if not kept:
        said = world.taco("export", source, world.scratch / "out", "--level", level, "--datetime", "2020-01-02/2020-01-05",
                          fails=True)
        assert "no samples are left" in said and not (world.scratch / "out").exists(), said
        return
    out = world.scratch / ("out.tacozip" if seed % 2 else "out")
    world.taco("export", source, out, "--level", level, "--datetime", "2020-01-02/2020-01-05")
    made = world.valid(out)
    expected = [[s.facts() for s in samples if survives(s.path)] for samples in before.levels]
    same_levels(trimmed(made.facts()), trimmed(expected))
    for number, samples in enumerate(made.levels[1:], 1):  # as many children everywhere, at their positions
        counts = {}
        for s in samples:
            counts.setdefault(s.parent.path, []).append(s)
        for children in counts.values():
            for position, s in enumerate(children):
                assert not s.id.startswith(PADDING) or s.id == f"{PADDING}{position}", (number, s.path)


def order(world, source, seed):
    """The rows of a query in its order, with one column added and one dropped."""
    before = Dataset(source)
    world.taco("export", source, world.scratch / "out",
               "SELECT * EXCLUDE (name), length(id) AS letters FROM data ORDER BY id DESC LIMIT 5")
    made = world.valid(world.scratch / "out")
    roots = sorted((s for s in before.levels[0] if not s.is_padding()), key=lambda s: s.id, reverse=True)[:5]
    assert [s.id for s in made.levels[0]] == [s.id for s in roots]
    assert list(made.schemas[0]) == [n for n in before.schemas[0] if n != "name"] + ["letters"]
    assert [s.metadata["letters"] for s in made.levels[0]] == [len(s.id) for s in roots]
    kept = {s.id for s in roots}
    same_levels(made.facts()[1:], trimmed(before.facts(lambda root: root.id in kept))[1:], ordered=False)


def concat(world, source, seed):
    """A dataset and a part of it: duplicate ids, and columns that one lacks."""
    before = Dataset(source)
    world.taco("export", source, world.scratch / "b.tacozip", "SELECT * EXCLUDE (cloud) FROM data ORDER BY id LIMIT 3")
    second = Dataset(world.scratch / "b.tacozip")
    for mode in ("intersection", "fill_missing"):
        out = world.scratch / f"{mode}.tacozip"
        said = world.taco("concat", source, world.scratch / "b.tacozip", out, "--mode", mode, "--id", "both")
        made = world.valid(out)
        assert made.collection["id"] == "both"
        twice = len(second.levels[0])
        assert f"{twice} sample{'s have' if twice > 1 else ' has'} the id of another" in said, said
        renamed = {s.id: s.id + "_2" for s in second.levels[0]}
        for level, samples in enumerate(made.levels):
            expected = [s.facts() for s in before.levels[level]]
            for s in second.levels[level]:
                path = renamed[root_of(s).id] + s.path[len(root_of(s).id):]
                expected.append(s.facts(path))
            for path, kind, metadata, data in expected:
                if level == 0 and mode == "intersection":
                    metadata.pop("cloud", None)
                elif level == 0:
                    metadata.setdefault("cloud", None)
            same_levels([[s.facts() for s in samples]], [expected])
    said = world.taco("concat", source, world.scratch / "b.tacozip", world.scratch / "no", "--mode", "strict", fails=True)
    assert "cloud" in said and not (world.scratch / "no").exists(), said


def hostile(world, bad_id, level):
    """Ids with path traversal are refused, and nothing is written anywhere."""
    source = world.scratch / "source" / "deep" / "set"
    shutil.copytree(GOLDEN / "nested", source)
    file = source / "METADATA" / f"level{level}.parquet"
    table = pq.read_table(file)
    for column in ("id", "internal:relative_path"):
        if column in table.column_names:
            values = table[column].to_pylist()
            values[0] = bad_id if column == "id" else values[0].rsplit("/", 1)[0] + "/" + bad_id
            index = table.column_names.index(column)
            table = table.set_column(index, table.field(index), pa.array(values, table.field(index).type))
    pq.write_table(table, file)
    (world.scratch / "source" / "evil").write_bytes(b"evil")
    before = sorted(p for p in world.scratch.rglob("*"))
    out = world.scratch / "out"
    out.mkdir()
    for arguments in (["convert", source, out / "x.tacozip"], ["export", source, out / "x"],
                      ["export", source, out / "x.tacozip"]):
        said = world.taco(*arguments, fails=True)
        assert "id" in said or "path" in said, said
    assert sorted(p for p in world.scratch.rglob("*") if p != out) == before


def cases(seeds):
    for bad_id in ("../../evil", "/etc/passwd", "..", "a\\b", "a/b", "__meta__", "nul\0byte", ""):
        for level in (0, 1):
            name = f"hostile/{bad_id!r}/{level}"
            yield name, lambda world, bad_id=bad_id, level=level: hostile(world, bad_id, level)
    for name in golden_names():
        if name not in IRREGULAR + TWINS:
            yield f"convert/{name}", lambda world, name=name: convert(world, GOLDEN / name)
        if name not in TWINS:
            yield f"export/{name}", lambda world, name=name: export(world, GOLDEN / name)
    for seed in seeds:
        yield f"convert/random{seed}", lambda world, seed=seed: convert(world, random_set(world, seed))
        yield f"export/random{seed}", lambda world, seed=seed: export(world, random_set(world, seed), seed)
        yield f"cascade/random{seed}", lambda world, seed=seed: cascade(world, random_set(world, seed), seed)
        yield f"order/random{seed}", lambda world, seed=seed: order(world, random_set(world, seed), seed)
        yield f"concat/random{seed}", lambda world, seed=seed: concat(world, random_set(world, seed), seed)


def main():
    tool, *patterns = sys.argv[1:]
    seeds = range(10)
    if patterns == ["--long"]:
        first = random.randrange(10**9)
        seeds, patterns = range(first, first + 300), []
        print(f"random datasets from {first} on", flush=True)
    chosen = [case for case in cases(seeds) if not patterns or any(fnmatch.fnmatch(case[0], p) for p in patterns)]
    assert chosen, f"no case is called {patterns}"
    failed = 0
    for name, body in chosen:
        scratch = Path(tempfile.mkdtemp(prefix="tacore-transform-"))
        try:
            body(World(Path(tool).resolve(), scratch))
        except Exception:
            failed += 1
            print(f"FAILED {name}\n{traceback.format_exc()}", flush=True)
        shutil.rmtree(scratch)
    print(f"{len(chosen) - failed} of {len(chosen)} cases passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
