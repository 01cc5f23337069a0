#!/usr/bin/env python3
"""What does it cost to find a sample by its id, where a table has an id index, and where it has none?

    shapes.py --rows 10000000 --parts 10 FOLDER; ids.py FOLDER

Makes two indexes of the parts, without and with `id_index`, in FOLDER/plain and FOLDER/ids, unless they are there. Each lookup is of
another id, in a dataset that is open; the two take turns. Also counts the requests and bytes of a server for each lookup, after
opening. Needs the Python package of the build and pyarrow.
"""
import argparse
import os
import random
import statistics
import sys
import time
from pathlib import Path

from pruning import Server, make_index, size_of, tacore

TASKS = {
    "SELECT * WHERE id": lambda d, name: len(d.sql(f"SELECT * FROM data WHERE id = '{name}'").data),
    "SELECT * WHERE id IN 10": lambda d, name: len(d.sql("SELECT * FROM data WHERE id IN (" + ", ".join(
        f"'{other}'" for other in name) + ")").data),
    "an id that no sample has": lambda d, name: len(d.sql(f"SELECT * FROM data WHERE id = 'no {name}'").data),
}


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("folder", type=Path)
    args.add_argument("--repeat", type=int, default=9)
    args = args.parse_args()
    indexes = {"plain": make_index(args.folder, "plain"), "ids": make_index(args.folder, "ids", "--parquet", "id_index=on")}
    opened = {name: tacore.load(str(path)) for name, path in indexes.items()}
    num_rows = len(opened["plain"])
    sizes = {name: os.path.getsize(path / "level0.parquet") / num_rows for name, path in indexes.items()}
    print(f"{num_rows:,} samples; level 0 has {sizes['plain']:.2f} bytes by row, with the id index {sizes['ids']:.2f}\n")
    chance = random.Random(29)
    names = opened["plain"].sql(f"SELECT id FROM data USING SAMPLE reservoir({20 * args.repeat} ROWS) REPEATABLE (29)").data["id"]
    names = list(names.to_pylist() if hasattr(names, "to_pylist") else names)
    print("| task | plain, best (ms) | median | id index, best (ms) | median | ratio of medians |")
    print("|---|---|---|---|---|---|")
    for what, task in TASKS.items():
        times = {name: [] for name in opened}
        for turn in range(args.repeat + 1):
            wanted = chance.sample(names, 10) if "IN" in what else chance.choice(names)
            for name, dataset in opened.items():
                began = time.perf_counter()
                rows = task(dataset, wanted)
                times[name].append((time.perf_counter() - began) * 1e3)
                assert rows == (0 if "no sample" in what else 10 if "IN" in what else 1), (what, name, rows)
        for name in times:
            times[name] = times[name][1:]
        middle = {name: statistics.median(all_times) for name, all_times in times.items()}
        both = [f"{min(times[name]):.2f} | {middle[name]:.2f}" for name in ("plain", "ids")]
        print(f"| {what} | {' | '.join(both)} | {middle['ids'] / middle['plain']:.3f} |")

    print("\n| of a server, after opening | requests | bytes |")
    print("|---|---|---|")
    with Server(args.folder) as server:
        remote = tacore.load(server.url("ids/.tacocat"))
        wanted = chance.choice(names)
        lookups = {f"{what}, {turn}": (lambda task=task: task(remote, chance.choice(names) if "IN" not in what else names[:10]))
                   for turn in ("first", "second") for what, task in list(TASKS.items())[::2]}
        lookups["path of an id: data.read()"] = lambda: remote.data.read(wanted)
        for what, task in lookups.items():
            before = len(server.requests)
            task()
            asked = server.requests[before:]
            print(f"| {what} | {len(asked)} | {sum(map(size_of, asked)):,} |")


if __name__ == "__main__":
    main()
