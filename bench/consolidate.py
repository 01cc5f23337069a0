#!/usr/bin/env python3
"""Measures `taco index` beside the create_tacocat of the published toolbox, on the same ZIPs.

    consolidate.py TACO FOLDER [CASE...]     Markdown on stdout; ZIPs and indexes lie in FOLDER, about 500 MB

Needs numpy and pyarrow, and tacotoolbox for its row. A case is flat (1,000 ZIPs of 1,000 rows), many or large (2).
Sides run in turns, which goes first rotates. taco syncs what it writes, the peer does not; it is timed without the start of
Python and its imports, but for CPU. CPU is that of all threads, memory the most that was resident.
"""
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from create import ABOUT, write_files


def run_peer(folder, output):
    """Prints its own seconds, without imports."""
    from tacotoolbox.tacocat import create_tacocat
    zips = sorted(Path(folder).glob("*.tacozip"))
    began = time.perf_counter()
    create_tacocat(zips, output)
    print("\n", time.perf_counter() - began)


def timed(command, output):
    """Seconds, MB resident, seconds of CPU. What runs in Python prints its own seconds."""
    if output.is_dir():
        shutil.rmtree(output)
    output.unlink(missing_ok=True)
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, command
    seconds = float(said.split()[-1]) if command[0] == sys.executable else time.perf_counter() - began
    return seconds, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def write_table(path, count, rows):
    """A table of `count` parts of `rows` samples with five attributes."""
    import generate
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    numbers = np.arange(count * rows)
    paths = pa.array([f"bits/s{k:07}" for k in range(1000)]).take(pa.array(numbers % 1000))
    columns = generate.attributes(np.random.default_rng(1), count * rows)
    table = {"id": generate.numbered("sample_", 0, count * rows, 8), "path": paths, **columns}
    pq.write_table(pa.table({**table, "part": pa.array(numbers // rows)}), path)


def write_zips(taco, folder, count, rows):
    if folder.is_dir() and len(list(folder.glob("*.tacozip"))) == count:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    write_files(folder.parent / "bits", 1000, 64)
    table = folder.parent / "table.parquet"
    # In a process of its own: what is measured would inherit its memory.
    subprocess.run([sys.executable, Path(__file__).resolve(), "--table", table, str(count), str(rows)], check=True)
    subprocess.run([taco, "create", table, folder / "x.tacozip", "--group-by", "part", "--no-consolidate", *ABOUT], check=True)
    table.unlink()
    return folder


def compare(title, sides, rounds):
    print(f"\n### {title}\n\nload {os.getloadavg()[0]:.2f} when started\n")
    results = {name: [] for name in sides}
    names = list(sides)
    for k in range(rounds):
        for name in names[k % len(names):] + names[:k % len(names)]:
            command, output = sides[name]
            results[name].append(timed([str(word) for word in command], output))
            print(f"{name}: {results[name][-1][0]:.2f} s", file=sys.stderr, flush=True)
    first = statistics.median(seconds for seconds, _, _ in results[names[0]])
    print("| side | best | median | N | CPU | memory | median / that of the first |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, runs in results.items():
        seconds, memory, cpu = zip(*runs)
        median = statistics.median(seconds)
        print(f"| {name} | {min(seconds):.2f} s | {median:.2f} s | {len(runs)} | {statistics.median(cpu):.2f} s | "
              f"{max(memory):.0f} MB | {median / first:.2f} |", flush=True)


def main():
    if sys.argv[1] == "--peer":
        return run_peer(*sys.argv[2:])
    if sys.argv[1] == "--table":
        return write_table(Path(sys.argv[2]), *map(int, sys.argv[3:]))
    taco, folder, *chosen = sys.argv[1:]
    taco, folder = Path(taco).resolve(), Path(folder).resolve()
    out = folder / "out"
    out.mkdir(parents=True, exist_ok=True)
    has_toolbox = subprocess.run([sys.executable, "-c", "import tacotoolbox"], capture_output=True).returncode == 0
    cases = {"flat": ("1,000 ZIPs of 1,000 rows", 1000, 1000, True), "many": ("10,000 ZIPs of 10 rows", 10_000, 10, False),
             "large": ("2 ZIPs of 500,000 rows", 2, 500_000, False)}
    for name in chosen or cases:
        title, count, rows, has_peer = cases[name]
        parts = write_zips(taco, folder / name, count, rows)
        zips = sorted(parts.glob("*.tacozip"))
        sides = {
            "taco index": ([taco, "index", *zips, "-o", out, "--quiet"], out / ".tacocat"),
            "taco index --single-file": ([taco, "index", *zips, "-o", out, "--quiet", "--single-file"], out / "__TACOCAT__"),
            "taco collect": ([taco, "collect", *zips, "-o", out, "--quiet"], out / "TACOLLECTION.json"),
        }
        if has_toolbox and has_peer:
            command = [sys.executable, Path(__file__).resolve(), "--peer", parts, out / "published"]
            sides["tacotoolbox.create_tacocat"] = (command, out / "published")
        compare(title, sides, 5)
    shutil.rmtree(out)


if __name__ == "__main__":
    main()
