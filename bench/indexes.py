#!/usr/bin/env python3
"""What does an index of many ZIPs cost, ZIP by ZIP and in the order of places: to make, to open, to ask, and to read a sample of?

    shapes.py --shape M --order none FOLDER; indexes.py FOLDER

Makes both indexes of the parts in FOLDER, and asks them in processes of their own, in turns: the files, and nginx on the loopback, which
counts requests and bytes. Needs the Python package of the build
and pyarrow.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet
from growth import run, size_of
from parts import CITY, milliseconds
from web_server import WebServer

ROOT = Path(__file__).resolve().parent.parent
TACO = ROOT / "build/release/bin/taco"
WAYS = {"ZIP by ZIP": [], "ZIP by ZIP, with boxes": ["--parquet", "covering=on"], "by place": ["--order", "hilbert"]}


def ask(path, first, question, name, row):
    """Opens an index and asks it one question three times, in this process, when a small one was opened before. The sample `name` is in
    row `row`."""
    sys.path[:0] = [str(ROOT / "build/release/python"), str(ROOT / "build/python")]
    import tacore

    tacore.load(first).data.head(1)
    dataset, opened = milliseconds(lambda: tacore.load(path))

    def first_file():
        node = dataset.data.read(row)
        return len(node.read_bytes([0])[0])

    tasks = {
        "open": lambda: "",
        "the first file of the sample of a row number": first_file,
        "the row of an id": lambda: len(dataset.sql(f"SELECT * FROM data WHERE id = '{name}'").data),
        "the rows of a city": lambda: len(dataset.filter_bbox(*CITY).data),
        "the number of files in a city": lambda: dataset.filter_bbox(*CITY).sql(
            'SELECT count(*) AS n FROM data d JOIN level1 c ON c."internal:parent_id" = d."internal:current_id" AND '
            'c."internal:source_file" = d."internal:source_file"').data["n"][0],
    }
    found, times = milliseconds(tasks[question], 3)
    print(json.dumps({"found": str(found), "open": opened[0], "first": times[0], "again": min(times[1:])}))


QUESTIONS = ["open", "the first file of the sample of a row number", "the row of an id", "the rows of a city", "the number of files in a city"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--ask", nargs=5, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.ask:
        return ask(*args.ask[:4], int(args.ask[4]))
    parts = sorted(args.folder.glob("part*.tacozip"))
    print("| index | to make it (s) | memory (MB) | size (MB) |\n|---|---|---|---|")
    indexes, rows = {}, {}
    for way, options in WAYS.items():
        here = args.folder / "indexes" / way.replace(" ", "_").replace(",", "")
        here.mkdir(parents=True, exist_ok=True)
        for part in parts:
            if not (here / part.name).exists():
                os.link(part, here / part.name)
        indexes[way] = here / ".tacocat"
        made = run([TACO, "--quiet", "index", *sorted(here.glob("part*.tacozip")), *options, "--overwrite"], os.environ)
        table = pyarrow.parquet.read_table(indexes[way] / "level0.parquet", columns=["id", "internal:source_file", "internal:current_id"])
        # One of the first in a part, which can be read.
        is_it = pc.and_(pc.equal(table["internal:source_file"], parts[len(parts) // 2].name), pc.equal(table["internal:current_id"], 7))
        rows[way] = pc.index(is_it, True).as_py()
        name = table["id"][rows[way]].as_py()
        print(f"| {way} | {made[0]:.1f} | {made[1]:.0f} | {size_of(indexes[way]) / 1e6:.1f} |", flush=True)
    print("\n| question | index | found | first time, best (ms) | median | again, best | requests | kB |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as home, WebServer(args.folder, home) as server:
        for question in QUESTIONS:
            answers = {way: [] for way in WAYS}
            for turn in range(args.turns):
                for way in WAYS if turn % 2 == 0 else reversed(WAYS):
                    answers[way].append(asked(indexes[way], parts[0], question, name, rows[way]))
            for way, found in answers.items():
                server.requests()
                url = f"http://127.0.0.1:{server.port}/{indexes[way].relative_to(args.folder)}"
                asked(url, f"http://127.0.0.1:{server.other_port}/{parts[0].name}", question, name, rows[way])
                requests = server.requests()
                first = [answer["open" if question == "open" else "first"] for answer in found]
                print(f"| {question} | {way} | {found[0]['found']} | {min(first):.1f} | {statistics.median(first):.1f} | "
                      f"{min(answer['again'] for answer in found):.2f} | {len(requests)} | "
                      f"{sum(request.bytes for request in requests) / 1e3:.0f} |", flush=True)


def asked(*question):
    done = subprocess.run([sys.executable, __file__, ".", "--ask", *map(str, question)], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


if __name__ == "__main__":
    main()
