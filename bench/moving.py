#!/usr/bin/env python3
"""How long do the calls that public scripts make most take in the published packages, and how long here?

    moving.py BUILD FOLDER [ROUNDS]     prints Markdown, the table of docs/moving.md; tacore lies in BUILD/python

Installs the published packages in FOLDER, in environments of their own, and makes datasets there, where they are
missing (together about 1.5 GB). Both sides run the same code on the same files, only the import differs, and must give
the same results. Each run is a process, in turns; which side goes first alternates. A process makes all calls on a
small dataset first, so imports and first uses are not in the times. The page cache is warm, and nothing is synced to
the disk.

HOME leads nowhere, so that tacoreader does not try to download a DuckDB extension at each `load`: where that fails it
takes half a second. Without the extension tacoreader has no filter_bbox.
"""

import importlib
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

SIZES = {"small": 100, "large": 10_000}  # rows of level 0
CHILDREN = ("image", "label", "mask")
READS = 1000
PARTS = 20
ABOUT = {
    "id": "moving",
    "dataset_version": "1.0.0",
    "description": "Made for a benchmark",
    "licenses": ["CC0-1.0"],
    "tasks": ["classification"],
}
PACKAGES = {  # tacobridge 0.3.0 does not work with the newest tacoreader
    "2.4": ["tacoreader==2.4.21", "tacotoolbox==0.26.9", "duckdb<2", "pandas", "nanobind-backend"],
    "export": ["tacoreader==2.4.13", "tacobridge==0.3.0", "duckdb<2"],
    "0.x": ["tacoreader==0.5.6", "pandas", "pyarrow"],
}
NAMES = {"2.4": "tacoreader 2.4.21, tacotoolbox 0.26.9", "export": "tacobridge 0.3.0", "0.x": "tacoreader 0.5.6"}


# Datasets, made by tacore.


def columns(count):
    import numpy

    rng = numpy.random.default_rng(0)
    lon, lat = rng.uniform(-170, 170, count), rng.uniform(-80, 80, count)
    stats = rng.uniform(0, 255, (count, 4, 9)).astype("float32")
    stats[..., 4] = 100  # percent of the pixels are valid: published means do not weigh by that
    return {
        "stac:crs": ["EPSG:4326"] * count,
        "stac:tensor_shape": [[4, 64, 64]] * count,
        "stac:geotransform": [[x, 0.01, 0.0, y, 0.0, -0.01] for x, y in zip(lon, lat)],
        "stac:time_start": [numpy.datetime64("2020-01-01T00:00", "us") + int(hour) * 3600 * 10**6
                            for hour in rng.integers(0, 3 * 8760, count)],
        "stac:centroid": [f"POINT ({x} {y})" for x, y in zip(lon, lat)],
        "cloud_cover": rng.uniform(0, 100, count),
        "split": rng.choice(["train", "validation", "test"], count).tolist(),
        "part": [row * PARTS // count for row in range(count)],
        "geotiff:stats": stats.tolist(),
    }  # fmt: skip


def make(folder, count):
    import pyarrow
    import tacore
    from tacore import v1
    from tacore.datamodel import Taco, Tortilla

    files = folder / "files"
    files.mkdir(parents=True)
    for number in range(count):
        tiff_by_its_first_bytes = b"II*\0" + random.Random(number).randbytes(1000)
        (files / f"{number:06}").write_bytes(tiff_by_its_first_bytes)
    ids, paths = [f"s{number:06}" for number in range(count)], [files / f"{number:06}" for number in range(count)]
    extent = {"spatial": [-180, -90, 180, 90], "temporal": ["2020-01-01T00:00:00Z", "2023-01-01T00:00:00Z"]}
    about = {**ABOUT, "providers": [{"name": "tacore"}], "extent": extent}
    quiet = {"progress": False}
    flat = Taco(Tortilla.from_columns(ids, paths, columns(count)), **about)
    tacore.create(flat, folder / "flat.tacozip", **quiet)
    (folder / "parts").mkdir()
    tacore.create(flat, folder / "parts" / "x.tacozip", group_by="part", consolidate=False, **quiet)
    table = pyarrow.table({
        "id": [f"{name}/{child}" for name in ids[: count // 10] for child in CHILDREN],
        "path": [str(path) for path in paths[: count // 10] for _ in CHILDREN],
    })  # fmt: skip
    tacore.create(Taco(Tortilla.from_table(table), **about), folder / "nested.tacozip", **quiet)
    for name in ("flat", "nested"):
        v1.convert(folder / f"{name}.tacozip", folder / f"{name}.taco", **quiet)


# The calls. Each function is run by both sides, and returns what must be equal.


def rows_of(found):
    """Rows of a query: of a dataset or frame, or the table that sql() of tacoreader returns."""
    return found.to_arrow() if hasattr(found, "to_arrow") else found


def calls_of_2(package, folder, out):
    reader, toolbox = package("reader"), package("toolbox")
    from_toolbox = importlib.import_module(f"{toolbox.__name__}.datamodel")
    stac = importlib.import_module(f"{toolbox.__name__}.sample.extensions.stac")
    dataset, nested = reader.load(str(folder / "flat.tacozip")), reader.load(str(folder / "nested.tacozip"))
    rows, folders = dataset.data, nested.data
    chosen = random.Random(1).choices(range(len(rows)), k=READS)
    below = random.Random(1).choices(range(len(folders)), k=READS // 10)

    def create():
        samples = []
        for number in range(min(len(rows), 1000)):
            sample = from_toolbox.Sample(id=f"s{number:06}", path=folder / "files" / f"{number:06}")
            place = (number % 100, 0.01, 0, 50, 0, -0.01)
            more = {"tensor_shape": (4, 64, 64), "geotransform": place, "time_start": 1577836800000000}
            sample.extend_with(stac.STAC(crs="EPSG:4326", **more))
            samples.append(sample)
        tortilla = from_toolbox.Tortilla(samples=samples)
        taco = from_toolbox.Taco(tortilla=tortilla, providers=[{"name": "tacore"}], **ABOUT)
        toolbox.create(taco, str(out / "made.tacozip"))
        return len(samples)

    def consolidate():
        toolbox.create_tacocat(sorted((folder / "parts").glob("*.tacozip")), output=out)
        return len(list((out / ".tacocat").glob("level*.parquet")))

    return {
        "load": lambda: reader.load(str(folder / "flat.tacozip")).id,
        "load and all rows": lambda: rows_of(reader.load(str(folder / "flat.tacozip")).data).num_rows,
        "filter_datetime, rows": lambda: rows_of(dataset.filter_datetime("2021-01-01/2021-03-31").data).num_rows,
        "filter_bbox, rows": lambda: rows_of(dataset.filter_bbox(-20, -20, 20, 20).data).num_rows,
        "sql of three columns, rows": lambda: (
            rows_of(dataset.sql("SELECT id, cloud_cover, split FROM data WHERE cloud_cover < 10")).num_rows
        ),
        "sql of all columns, rows": lambda: rows_of(dataset.sql("SELECT * FROM data WHERE cloud_cover < 10")).num_rows,
        f"read a FILE, {READS:,} times": lambda: sum(rows.read(each).startswith("/vsisubfile/") for each in chosen),
        f"read a FOLDER and its child, {READS // 10} times": lambda: [
            folders.read(each).read("label").partition(",")[0] for each in below
        ],
        "stats_mean, of 4 bands one by one": lambda: [
            round(float(dataset.stats_mean(band=band)), 2) for band in range(4)
        ],
        "create, 1,000 samples with STAC": create,
        f"create_tacocat of {PARTS} ZIPs": consolidate,
    }


def calls_of_export(package, folder, out):
    dataset = package("reader").load(str(folder / "flat.tacozip"))
    view = dataset.filter_datetime("2021-01-01/2021-12-31")

    def export():
        package("bridge").export(view, str(out / "exported.tacozip"))
        return package("reader").load(str(out / "exported.tacozip")).pit_schema.root["n"]

    return {"export of a third of the samples": export}


def calls_of_v1(package, folder, out):
    reader = package("v1")
    nested = reader.load(str(folder / "nested.taco"))

    def load():
        table = reader.load(str(folder / "flat.taco"))
        return table[table["tortilla:data_split"] == "train"].reset_index(drop=True)

    train = load()
    chosen = random.Random(1).choices(range(len(train)), k=READS)
    below = random.Random(1).choices(range(len(nested)), k=READS // 10)

    def compile_():
        reader.compile(dataframe=train, output=str(out / "some.tortilla"), nworkers=4, quiet=True)
        return len(reader.load(str(out / "some.tortilla")))

    return {
        "v1: load and a mask": lambda: len(load()),
        f"v1: read a sample, {READS:,} times": lambda: [train.read(each) for each in chosen],
        f"v1: read a nested sample, {READS // 10} times": lambda: [nested.read(each).read(1) for each in below],
        "v1: compile of a third of the samples": compile_,
    }


CALLS = {"2.4": calls_of_2, "export": calls_of_export, "0.x": calls_of_v1}
MODULES = {
    "ours": {"reader": "tacore", "toolbox": "tacore", "bridge": "tacore", "v1": "tacore.v1"},
    "theirs": {"reader": "tacoreader", "toolbox": "tacotoolbox", "bridge": "tacobridge", "v1": "tacoreader"},
}


def run(side, group, folder):
    """Prints {call: [seconds, what it returned]} as JSON in the last line."""
    import logging
    import warnings

    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    found = {}
    for size in SIZES:
        out = folder / "out" / size  # tacoreader caches by path
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        calls = CALLS[group](lambda name: importlib.import_module(MODULES[side][name]), folder / size, out)
        for name, call in calls.items():
            began = time.perf_counter()
            try:
                answer = call()
            except Exception as error:  # the table shows it
                if side == "ours":
                    raise
                answer = {"error": type(error).__name__}
            found[name] = [time.perf_counter() - began, answer]
    print("\n" + json.dumps(found))


# Both sides.


def install(folder):
    """The Python of each environment."""
    pythons = {}
    for group, packages in PACKAGES.items():
        python = folder / f"published_{group}" / "bin" / "python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
            subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True, stdout=sys.stderr)
        pythons[group] = python
    return pythons


def measured(python, build, side, group, folder):
    environment = {**os.environ, "HOME": os.devnull, "PYTHONPATH": str(build / "python") if side == "ours" else ""}
    command = [python, __file__, "--side", side, group, folder]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def time_text(seconds):
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def compare(pythons, build, folder, rounds):
    print("| call | published, best | median | tacore, best | median | ratio of medians |")
    print("| --- | --- | --- | --- | --- | --- |")
    for group in PACKAGES:
        runs = {"ours": [], "theirs": []}
        for turn in range(rounds):
            for side in ("theirs", "ours") if turn % 2 else ("ours", "theirs"):
                python = pythons["2.4" if side == "ours" else group]
                runs[side].append(measured(python, build, side, group, folder))
        for call in runs["ours"][0]:
            seconds = {side: [each[call][0] for each in all] for side, all in runs.items()}
            answers = [runs[side][0][call][1] for side in ("theirs", "ours")]
            cells = [time_text(of(seconds[side])) for side in ("theirs", "ours") for of in (min, statistics.median)]
            ratio = statistics.median(seconds["theirs"]) / statistics.median(seconds["ours"])
            cells.append(f"{ratio:.0f} x" if ratio >= 10 else f"{ratio:.1f} x")
            if isinstance(answers[0], dict):
                cells = [answers[0]["error"], "", *cells[2:4], ""]
            elif answers[0] != answers[1]:
                raise SystemExit(f"{call}: the sides differ: {str(answers)[:500]}")
            print(f"| {call} | {' | '.join(cells)} |", flush=True)


def main():
    if sys.argv[1] == "--make":
        return make(Path(sys.argv[2]), int(sys.argv[3]))
    if sys.argv[1] == "--side":
        return run(sys.argv[2], sys.argv[3], Path(sys.argv[4]))
    build, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    pythons = install(folder)
    for name, count in SIZES.items():
        if not (folder / name / "nested.taco").exists():
            shutil.rmtree(folder / name, ignore_errors=True)
            environment = {**os.environ, "PYTHONPATH": str(build / "python")}
            subprocess.run([pythons["2.4"], __file__, "--make", folder / name, str(count)], check=True, env=environment)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}, N = {rounds}; {', '.join(NAMES.values())}\n")
    compare(pythons, build, folder, rounds)


if __name__ == "__main__":
    main()
