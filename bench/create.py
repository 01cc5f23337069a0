#!/usr/bin/env python3
"""Measures `taco create` beside cp, zip, Python's zipfile and the published toolbox.

    create.py TACO FOLDER [CASE...]     Markdown on stdout; sources and results lie in FOLDER, about 6 GB

Needs numpy and pyarrow, and tacotoolbox for its rows. A case is big, small, tiny, files, nested or rows. All sides of a
case run in turns, which goes first rotates; a time ends when `sync -f` of the results has. The two in Python are timed
without the start of Python and its imports. Memory is the most that was resident.
"""
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

ABOUT = ["--id", "bench", "--description", "Made for a benchmark", "--license", "CC0-1.0", "--provider", "tacore", "--task",
         "segmentation"]

# A virtual machine gives free memory back to its host, and gets it page by page: several seconds for 2 GB, for whoever
# comes first. So this much is taken and freed before each run, by a process of its own: what is measured would inherit it.
TAKE_MEMORY = f"bytes([1]) * {3 << 30}"


def timed(command, output):
    """Seconds with sync, MB resident. What runs in Python prints its own seconds."""
    if output.is_dir():
        shutil.rmtree(output)
    output.unlink(missing_ok=True)
    subprocess.run(["sync", "-f", output.parent], check=True)
    subprocess.run([sys.executable, "-c", TAKE_MEMORY], check=True)
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said, errors = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, f"{command}: {errors.decode()[-2000:]}"
    subprocess.run(["sync", "-f", output.parent], check=True)
    seconds = float(said.split()[-1]) if command[0] == sys.executable else time.perf_counter() - began
    return seconds, usage.ru_maxrss / 1024


def peer_zipfile(source, output):
    import zipfile
    began = time.perf_counter()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_STORED) as out:
        for path in sorted(Path(source).iterdir()):
            out.write(path, path.name)
    return began


def peer_tacotoolbox(source, output):
    import tacotoolbox
    from tacotoolbox.datamodel import Sample, Taco, Tortilla
    from tacotoolbox.taco.datamodel import Provider
    began = time.perf_counter()
    samples = [Sample(id=path.name, path=path) for path in sorted(Path(source).iterdir())]
    taco = Taco(id="bench", dataset_version="1.0.0", description="Made for a benchmark", licenses=["CC0-1.0"],
                providers=[Provider(name="tacore")], tasks=["other"], tortilla=Tortilla(samples=samples))
    tacotoolbox.create(taco, str(output))
    return began


def run_peer(name, source, output):
    began = globals()["peer_" + name](source, output)
    subprocess.run(["sync", "-f", Path(output).parent], check=True)
    print("\n", time.perf_counter() - began)


def sides(taco, source, out, peers):
    python = [sys.executable, str(Path(__file__).resolve()), "--peer"]
    known = {
        "taco create, ZIP": ([taco, "create", source, out / "taco.tacozip", *ABOUT], out / "taco.tacozip"),
        "taco create, .taco": ([taco, "create", source, out / "taco.taco", "--no-stats",
                               "--datetime", "2020-01-01/2020-12-31", *ABOUT], out / "taco.taco"),
        "taco create, FOLDER": ([taco, "create", source, out / "taco", *ABOUT], out / "taco"),
        "cp -r": (["cp", "-r", source, out / "copy"], out / "copy"),
        "Python zipfile, stored": ([*python, "zipfile", source, out / "python.zip"], out / "python.zip"),
        "zip -0": (["zip", "-0", "-q", "-r", out / "zip.zip", source], out / "zip.zip"),
        "tacotoolbox.create, ZIP": ([*python, "tacotoolbox", source, out / "toolbox.tacozip"], out / "toolbox.tacozip"),
    }
    return {name: known[name] for name in peers}


def compare(title, sides, rounds, samples):
    print(f"\n### create: {title}\n\nload {os.getloadavg()[0]:.2f} when started\n")
    results = {name: [] for name in sides}
    names = list(sides)
    for k in range(rounds):
        for name in names[k % len(names):] + names[:k % len(names)]:
            command, output = sides[name]
            results[name].append(timed([str(word) for word in command], output))
            print(f"{name}: {results[name][-1][0]:.2f} s", file=sys.stderr, flush=True)
            if output.is_dir():
                shutil.rmtree(output)
            elif k + 1 < rounds:
                output.unlink()
    first = statistics.median(s for s, _ in results[names[0]])
    print("| side | best | median | N | samples/s | memory | median / that of the first |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, runs in results.items():
        seconds = [s for s, _ in runs]
        median = statistics.median(seconds)
        print(f"| {name} | {min(seconds):.2f} s | {median:.2f} s | {len(runs)} | {samples / median:,.0f} | "
              f"{max(m for _, m in runs):.0f} MB | {median / first:.2f} |", flush=True)


def write_files(folder, count, size):
    if folder.is_dir() and len(os.listdir(folder)) == count:
        return folder
    folder.mkdir(exist_ok=True)
    block = os.urandom(size + count)
    for k in range(count):
        (folder / f"s{k:07}").write_bytes(block[k:k + size])
    return folder


def write_table(path, rows, children):
    """Rows of id, path and attributes; the paths lead to 1,000 small files. `children`: so many below each root."""
    if path.exists():
        return path
    import generate
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
    write_files(path.parent / "bits", 1000, 64)
    random, numbers = np.random.default_rng(1), np.arange(rows)
    ids = generate.numbered("sample_", 0, rows, 8)
    columns = generate.attributes(random, rows)
    if children:
        names = pa.array(generate.CHILD_NAMES[:children]).take(pa.array(numbers % children))
        ids = pc.binary_join_element_wise(ids.take(pa.array(numbers // children)), names, "/")
        columns = {"cloud_cover": columns["cloud_cover"]}
    paths = pa.array([f"bits/s{k:07}" for k in range(1000)]).take(pa.array(numbers % 1000))
    pq.write_table(pa.table({"id": ids, "path": paths, **columns}), path)
    return path


def main():
    if sys.argv[1] == "--peer":
        return run_peer(*sys.argv[2:])
    taco, folder, *chosen = sys.argv[1:]
    taco, folder = Path(taco).resolve(), Path(folder).resolve()
    out = folder / "out"
    out.mkdir(parents=True, exist_ok=True)
    has_toolbox = subprocess.run([sys.executable, "-c", "import tacotoolbox"], capture_output=True).returncode == 0
    toolbox = ["tacotoolbox.create, ZIP"] if has_toolbox else []
    both = ["taco create, ZIP", "taco create, .taco", "taco create, FOLDER"]
    cases = {
        "big": ("2,000 files of 1 MB", lambda: write_files(folder / "big", 2000, 1_000_000),
                [*both, "cp -r", "Python zipfile, stored", "zip -0", *toolbox], 5, 2000),
        "small": ("10,000 files of 1 kB", lambda: write_files(folder / "small", 10_000, 1000),
                  [*both, "cp -r", "Python zipfile, stored", "zip -0", *toolbox], 5, 10_000),
        "tiny": ("a table of 1e6 samples of 64 B, 5 columns", lambda: write_table(folder / "flat6.parquet", 10**6, 0),
                 both[:2], 3, 10**6),
        "files": ("a folder of 100,000 files of 64 B", lambda: write_files(folder / "files", 100_000, 64), both[:2], 3,
                  100_000),
        "nested": ("a table of 1e5 folders of 2 samples", lambda: write_table(folder / "nested5.parquet", 2 * 10**5, 2), both, 3,
                   200_000),
        "rows": ("a table of 1e7 samples of 64 B, 5 columns", lambda: write_table(folder / "flat7.parquet", 10**7, 0),
                 both[:2], 1, 10**7),
    }
    for name in chosen or cases:
        title, make, peers, rounds, samples = cases[name]
        source = make()
        compare(title, sides(taco, source, out, peers), rounds, samples)
        shutil.rmtree(out)
        out.mkdir()


if __name__ == "__main__":
    main()
