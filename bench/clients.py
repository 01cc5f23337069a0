#!/usr/bin/env python3
"""How fast is each client beside Python: 20 times opening and the first row, a million rows as a table, and 1,000 chips as arrays?

    clients.py FOLDER PYTHONPATH CLIENTS     FOLDER: for 200 MB of data, kept; CLIENTS: build/release/clients, where the tests of the
                                             clients installed them. Run by itself, on a quiet machine

Each side is one process that repeats a task and tells the seconds of each time; the two run alternately, five times. Python gives a
pandas.DataFrame and NumPy arrays, R a data.frame and arrays, Node columns and typed arrays,
Julia vectors and arrays, Octave a struct of columns and arrays. Opening is of a new handle in a process that has opened another before.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

NUM_ROWS, NUM_CHIPS, ROUNDS = 1_000_000, 1_000, 5

PYTHON = """
import json, sys, time
import numpy, pandas, tacore
from tacore import raster
folder, task = sys.argv[1:]
def first_row():
    for _ in range(20):
        n = len(tacore.load(folder + "/chips.tacozip").sql("SELECT * FROM data LIMIT 1").data.to_pandas())
    return n
def table():
    return len(rows.data.to_pandas())
def arrays():
    return sum(raster.read_tensor(chips, i).shape[0] for i in range(len(chips)))
tacore.load(folder + "/chips.tacozip").data.to_pandas()
chips = tacore.load(folder + "/chips.tacozip").data
times = []
for _ in range(4):
    rows = tacore.load(folder + "/rows.tacozip")
    start = time.perf_counter()
    result = globals()[task]()
    times.append(time.perf_counter() - start)
print(json.dumps([times[1:], result]))
"""
R = """
suppressMessages(library(tacore))
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
tasks <- list(
  first_row = function() {
    for (i in 1:20) n <- nrow(taco_rows(taco_sql(taco_open(file.path(folder, "chips.tacozip")), "SELECT * FROM data LIMIT 1")))
    n
  },
  table = function() nrow(taco_rows(rows)),
  arrays = function() { n <- 0; for (i in seq_len(nrow(chips))) n <- n + dim(taco_pixels(chips, i))[3]; n })
chips <- taco_rows(taco_open(file.path(folder, "chips.tacozip")))
times <- numeric()
for (i in 1:4) {
  rows <- taco_open(file.path(folder, "rows.tacozip"))
  began <- Sys.time()
  result <- tasks[[arguments[2]]]()
  times <- c(times, as.numeric(Sys.time() - began, units = "secs"))
}
cat(sprintf("[[%s], %d]", paste(sprintf("%.6f", times[-1]), collapse = ", "), as.integer(result)), "\\n")
"""
NODE = """
import { open } from "@tacore/node";
const [folder, task] = process.argv.slice(2);
const chips = await (await open(folder + "/chips.tacozip")).rows();
let rows;
const tasks = {
  async first_row() {
    for (let i = 0; i < 20; ++i) rows = await (await open(folder + "/chips.tacozip")).sql("SELECT * FROM data LIMIT 1").rows();
    return rows.length;
  },
  async table() { return (await rows.rows()).length; },
  async arrays() { let n = 0; for (const chip of chips) n += (await chip.pixels()).shape[0]; return n; },
  async arrays_at_once() { return (await Promise.all([...chips].map((chip) => chip.pixels()))).reduce((n, each) => n + each.shape[0], 0); },
};
const times = [];
let result;
for (let i = 0; i < 4; ++i) {
  rows = await open(folder + "/rows.tacozip");
  const start = performance.now();
  result = await tasks[task]();
  times.push((performance.now() - start) / 1000);
}
console.log(JSON.stringify([times.slice(1), result]));
"""
JULIA = """
using Tacore
folder, task = ARGS
const chips = rows(Tacore.open(joinpath(folder, "chips.tacozip")))
function first_row()
    n = 0
    for i in 1:20 n = length(rows(sql(Tacore.open(joinpath(folder, "chips.tacozip")), "SELECT * FROM data LIMIT 1"))) end
    n
end
table() = length(rows(dataset[]))
arrays() = sum(size(pixels(chips, i), 3) for i in 1:length(chips))
const dataset = Ref{Any}()
const times = Float64[]
result = 0
for i in 1:4
    dataset[] = Tacore.open(joinpath(folder, "rows.tacozip"))
    push!(times, @elapsed global result = Dict("first_row" => first_row, "table" => table, "arrays" => arrays)[task]())
end
println("[[", join(times[2:end], ","), "],", result, "]")
"""
OCTAVE = """
arguments = argv ();
folder = arguments{1};
task = arguments{2};
ds = tacore.open ([folder, '/chips.tacozip']);
chips = ds.rows ();
times = zeros (1, 4);
for i = 1:4
  ds = tacore.open ([folder, '/rows.tacozip']);
  start = tic ();
  switch (task)
    case 'first_row'
      for k = 1:20
        one = tacore.open ([folder, '/chips.tacozip']);
        result = one.sql ('SELECT * FROM data LIMIT 1').rows ().count;
      end
    case 'table'
      t = ds.rows ().table ();
      result = numel (t.id);
    case 'arrays'
      result = 0;
      for k = 1:chips.count
        result += size (chips.pixels (k), 3);
      end
  end
  times(i) = toc (start);
end
printf ('[[%f,%f,%f],%d]\\n', times(2:4), result);
"""


def make_data(folder: Path) -> None:
    """Chips are those of the Landsat example, copied; rows have the columns of a common dataset, strings included."""
    import numpy as np
    import pyarrow as pa
    import tacore
    from tacore.datamodel import Taco, Tortilla

    about = ("a", "1.0.0", "Benchmark", ["CC0-1.0"], [{"name": "P"}], ["other"])
    example = tacore.load(Path(__file__).resolve().parents[1] / "examples/data/landsat.tacozip").data
    chips = [example.read_bytes(i % len(example)) for i in range(NUM_CHIPS)]
    table = pa.table({"id": [f"chip_{i}" for i in range(NUM_CHIPS)], "data": chips})
    tacore.create(Taco(Tortilla.from_table(table), *about), folder / "chips.tacozip", overwrite=True, progress=False)
    random = np.random.default_rng(0)
    table = pa.table(
        {
            "id": [f"sample_{i:07d}" for i in range(NUM_ROWS)],
            "data": pa.array([b"x"] * NUM_ROWS, pa.binary()),
            "cloud": random.random(NUM_ROWS),
            "year": random.integers(2000, 2025, NUM_ROWS).astype("int32"),
            "count": random.integers(0, 2**40, NUM_ROWS),
            "split": [("train", "validation", "test")[i % 3] for i in range(NUM_ROWS)],
            "scene": [f"LC08_{i // 50:06d}_2020" for i in range(NUM_ROWS)],
            "time": pa.array(random.integers(0, 10**15, NUM_ROWS)).cast(pa.timestamp("us")),
            "is_day": random.random(NUM_ROWS) < 0.5,
        }
    )
    tacore.create(Taco(Tortilla.from_table(table), *about), folder / "rows.tacozip", overwrite=True, progress=False)


def run(command: list[str], environment: dict[str, str]) -> tuple[list[float], int]:
    # Octave 7.3 ends with a message of its own, and a status that says nothing.
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("[[")]
    if not lines:
        sys.exit(f"{command}: {done.stdout}{done.stderr}")
    times, result = json.loads(lines[-1])
    return times, result


def main() -> None:
    folder, python_path, clients = Path(sys.argv[1]).resolve(), sys.argv[2], Path(sys.argv[3]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "rows.tacozip").exists():
        sys.path[:0] = python_path.split(os.pathsep)
        make_data(folder)
    (folder / "side.py").write_text(PYTHON)
    (folder / "side.R").write_text(R)
    (folder / "side.jl").write_text(JULIA)
    (folder / "side.m").write_text(OCTAVE)
    root = Path(__file__).resolve().parents[1]
    julia = shutil.which("julia") or str(root / "build/julia/julia")
    node = clients / "node" / "user" / "side.mjs"  # beside the installed package
    node.write_text(NODE)
    sides = {"Python": ([sys.executable, "-B", str(folder / "side.py"), str(folder)], {"PYTHONPATH": python_path}),
             "R": (["Rscript", "--vanilla", str(folder / "side.R"), str(folder)], {"R_LIBS": str(clients / "r" / "library")}),
             "Node": (["node", str(node), str(folder)], {}),
             "Julia": ([julia, str(folder / "side.jl"), str(folder)],
                       {"JULIA_LOAD_PATH": f"{root}/clients/julia:@stdlib", "JULIA_DEPOT_PATH": str(clients / "julia" / "depot"),
                        "TACORE_HOME": str(clients.parent / "capi" / "tacore-c")}),
             "Octave": (["octave-cli", "--no-init-file", "-p", str(clients / "octave" / "folder" / "inst"), str(folder / "side.m"),
                         str(folder)], {})}  # fmt: skip
    sides = {name: side for name, side in sides.items() if shutil.which(side[0][0])}
    print("| task | side | best (s) | median (s) | ratio of medians to Python |\n|---|---|---|---|---|")
    for task in ("first_row", "table", "arrays"):
        times: dict[str, list[float]] = {name: [] for name in sides}
        results = set()
        for round_ in range(ROUNDS):
            for name in list(sides)[:: 1 if round_ % 2 else -1]:
                command, environment = sides[name]
                found, result = run([*command, task], environment)
                times[name] += found
                results.add(result)
        assert len(results) == 1, results
        if task == "arrays":  # what Node's users write, where the others wait for each
            command, environment = sides["Node"]
            runs = [run([*command, "arrays_at_once"], environment) for _ in range(ROUNDS)]
            times["Node, asked for at once"] = [each for found, _ in runs for each in found]
            results |= {result for _, result in runs}
            assert len(results) == 1, results
        for name, found in times.items():
            ratio = statistics.median(found) / statistics.median(times["Python"])
            print(f"| {task} | {name} | {min(found):.4f} | {statistics.median(found):.4f} | {ratio:.2f} |")


main()
