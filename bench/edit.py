#!/usr/bin/env python3
"""Measures `taco edit` beside cp of the same dataset, and `taco diff` beside cmp.

    edit.py TACO FOLDER [ROUNDS]     Markdown on stdout; about 6 GB in FOLDER

A ZIP and a FOLDER of 2,000 files of 1 MB. Sides run in turns, which goes first rotates; a time of what writes ends when
`sync -f` of the result has. `diff` and `cmp` read what is in the page cache, as far as it holds it.
"""
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from create import ABOUT, TAKE_MEMORY, write_files


def timed(command, folder):
    subprocess.run(["sync", "-f", folder], check=True)
    subprocess.run([sys.executable, "-c", TAKE_MEMORY], check=True)
    began = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, command
    subprocess.run(["sync", "-f", folder], check=True)
    return time.perf_counter() - began, usage.ru_maxrss / 1024


def compare(title, sides, folder, rounds):
    print(f"\n### {title}\n\nload {os.getloadavg()[0]:.2f} when started\n")
    results = {name: [] for name in sides}
    names = list(sides)
    for k in range(rounds):
        for name in names[k % len(names):] + names[:k % len(names)]:
            command = sides[name](k)
            results[name].append(timed(command, folder))
            print(f"{name}: {results[name][-1][0]:.2f} s", file=sys.stderr, flush=True)
    first = statistics.median(s for s, _ in results[names[0]])
    print("| side | best | median | N | memory | median / that of the first |\n| --- | --- | --- | --- | --- | --- |")
    for name, runs in results.items():
        seconds = [s for s, _ in runs]
        print(f"| {name} | {min(seconds):.2f} s | {statistics.median(seconds):.2f} s | {len(runs)} | {max(m for _, m in runs):.0f} MB "
              f"| {statistics.median(seconds) / first:.2f} |", flush=True)


def main():
    taco, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    folder.mkdir(parents=True, exist_ok=True)
    source, archive, tree = write_files(folder / "big", 2000, 1_000_000), folder / "set.tacozip", folder / "set"
    for output in (archive, tree):
        if not output.exists():
            subprocess.run([taco, "create", source, output, *ABOUT], check=True)
    table = folder / "clouds.csv"
    table.write_text("id,cloud\n" + "".join(f"s{k:07},{k / 8}\n" for k in range(2000)))

    def fresh_copy(k):
        (folder / "copy.tacozip").unlink(missing_ok=True)
        return ["cp", "--reflink=auto", archive, folder / "copy.tacozip"]
    compare("edit: 2,000 files of 1 MB", {
        "taco edit --set title, ZIP": lambda k: [taco, "edit", archive, "--set", f"title=Round {k}"],
        "taco edit --columns, ZIP": lambda k: [taco, "edit", archive, "--columns", table],
        "cp of the ZIP": fresh_copy,
        "taco edit --set title, FOLDER": lambda k: [taco, "edit", tree, "--set", f"title=Round {k}"],
        "taco edit --columns, FOLDER": lambda k: [taco, "edit", tree, "--columns", table],
    }, folder, rounds)
    # Both the same again.
    for output in (archive, tree):
        subprocess.run([taco, "edit", output, "--set", "title=Last"], check=True)
    fresh = folder / "copy.tacozip"
    fresh.unlink(missing_ok=True)
    subprocess.run(["cp", archive, fresh], check=True)
    compare("diff of equal datasets, 2,000 files of 1 MB", {
        "taco diff, two ZIPs": lambda k: [taco, "diff", archive, fresh],
        "taco diff, ZIP and FOLDER": lambda k: [taco, "diff", archive, tree],
        "taco diff --quick, two ZIPs": lambda k: [taco, "diff", archive, fresh, "--quick"],
        "cmp of the ZIPs": lambda k: ["cmp", archive, fresh],
    }, folder, rounds)


if __name__ == "__main__":
    main()
