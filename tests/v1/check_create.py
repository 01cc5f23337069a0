#!/usr/bin/env python3
"""Proves what `taco create` writes as .tortilla and .taco with a reader of its own.

    check_create.py TOOL

The reader knows the 200 bytes of the header, Parquet and JSON; places come from footers alone. Needs pyarrow.
"""
import json
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    print("skipped: pyarrow is not installed")
    sys.exit(77)

ABOUT = ["--id", "chips", "--description", "Chips", "--license", "MIT", "--provider", "Our lab", "--datetime", "2020-01-01/2020-12-31"]
LEADING = ["tortilla:id", "tortilla:file_format", "tortilla:offset", "tortilla:length"]


class Container:
    """A `#y` or `WX` at byte `base` of a file."""

    def __init__(self, data, base=0):
        self.magic = data[base:base + 2]
        self.footer, self.footer_size, self.parts, self.collection, self.collection_size = struct.unpack_from("<5Q", data, base + 2)
        assert data[base + 42:base + 200] == bytes(158), "the free space is not zero"
        self.data, self.base = data, base
        self.table = pq.ParquetFile(pa.BufferReader(data[base + self.footer:base + self.footer + self.footer_size])).read(use_threads=False)
        self.rows = self.table.to_pylist()

    def samples(self, prefix=""):
        """Every FILE below, by path; what lies where is checked on the way."""
        out, next_byte = {}, 200
        for row in self.rows:
            offset, length, path = row["tortilla:offset"], row["tortilla:length"], prefix + row["tortilla:id"]
            assert offset == next_byte, f"{path} is at {offset}, {next_byte} expected"
            next_byte = offset + length
            if row["tortilla:file_format"] != "TORTILLA":
                out[path] = self.data[self.base + offset:self.base + offset + length]
                continue
            inner = Container(self.data, self.base + offset)
            assert inner.magic == b"#y" and inner.parts == 1 and inner.footer + inner.footer_size == length, path
            out |= inner.samples(path + "/")
        assert next_byte == self.footer, f"samples end at {next_byte}, the footer begins at {self.footer}"
        return out

    def check_columns(self):
        names = [name for name in self.table.schema.names if name != "tortilla:data_split"]
        assert names[:4] == LEADING, names
        assert not any(name.startswith(("internal:", "__")) for name in names), names
        assert all(str(self.table.schema.field(name).type) == "int64" for name in LEADING[2:])


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stderr}"


def write_samples(folder, rng):
    files = {}
    for k in range(40):
        depth = rng.randrange(4)
        path = "/".join([f"d{rng.randrange(3)}" for _ in range(depth)] + [f"f{k}"])
        files[path] = rng.randbytes(rng.choice([0, 1, 1000, 100_000, 3_000_000]))
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return files


def check_trees(tool, scratch, rng):
    source = scratch / "source"
    files = write_samples(source, rng)
    for kind, about in (("tortilla", []), ("taco", ABOUT)):
        whole = scratch / f"whole.{kind}"
        run(tool, "create", source, whole, *about, "--jobs", "1")
        data = whole.read_bytes()
        container = Container(data)
        container.check_columns()
        assert container.samples() == files, f"{kind}: other samples"
        end = container.footer + container.footer_size
        if kind == "taco":
            assert container.magic == b"WX" and container.collection == end
            assert end + container.collection_size == len(data)
            assert json.loads(data[end:])["id"] == "chips"
        else:
            assert container.magic == b"#y" and (container.collection, container.collection_size, end) == (0, 0, len(data))
        again = scratch / f"again.{kind}"
        run(tool, "create", source, again, *about, "--jobs", "8")
        assert again.read_bytes() == data, f"{kind}: other bytes the second time"
        check_parts(tool, scratch, source, kind, about, data)


def check_parts(tool, scratch, source, kind, about, whole):
    size = 2_000_000
    run(tool, "create", source, scratch / f"set.{kind}", *about, "--split-size", size)
    paths = sorted(scratch.glob(f"set.*.part.{kind}"))
    assert [path.name for path in paths] == [f"set.{i:04d}.part.{kind}" for i in range(len(paths))] and len(paths) > 2, paths
    parts = [Container(path.read_bytes()) for path in paths]
    assert all(part.parts == len(parts) for part in parts)
    assert b"".join(part.data[200:part.footer] for part in parts) == whole[200:Container(whole).footer]
    assert all(len(part.rows) == 1 or part.footer - 200 <= size for part in parts)
    joined = [sample for part in parts for sample in part.samples().items()]
    assert joined == list(Container(whole).samples().items())
    assert len({part.data[part.footer + part.footer_size:] for part in parts}) == 1, "parts differ in their collection"


def check_columns(tool, scratch):
    (scratch / "one.bin").write_bytes(b"1")
    (scratch / "table.csv").write_text("id,path,cloud,tortilla:data_split,stac:crs\na,one.bin,0.5,train,EPSG:4326\nb,one.bin,,,EPSG:4326\n")
    run(tool, "create", scratch / "table.csv", scratch / "table.tortilla")
    container = Container((scratch / "table.tortilla").read_bytes())
    container.check_columns()
    names = ["tortilla:id", "tortilla:file_format", "tortilla:data_split", *LEADING[2:], "stac:crs", "cloud"]
    assert container.table.schema.names == names, container.table.schema.names
    values = [(row["tortilla:data_split"], row["cloud"]) for row in container.rows]
    assert values == [("train", 0.5), (None, None)], values


def main():
    tool = Path(sys.argv[1]).resolve()
    for seed in range(4):
        with tempfile.TemporaryDirectory(prefix="tacore-v1-") as scratch:
            check_trees(tool, Path(scratch), random.Random(seed))
    with tempfile.TemporaryDirectory(prefix="tacore-v1-") as scratch:
        check_columns(tool, Path(scratch))
    print("5 cases passed")


if __name__ == "__main__":
    main()
