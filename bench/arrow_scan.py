"""Would DuckDB be as fast over an Arrow scan of a level table as over its Parquet file?

    PYTHONPATH=build/python python3 bench/arrow_scan.py FOLDER    # needs 200 MB there

Writes a table of a million samples once; then runs each query over the file and over a pyarrow Dataset of it, which
takes the filters and the columns of the query, in turns, with two threads each.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq

ROWS, ROUNDS, THREADS = 1_000_000, 7, 2
QUERIES = {
    "count of a range, 5 % of the rows": "SELECT count(*) FROM {} WHERE cloud < 5",
    "two columns, 5 % of the rows": "SELECT id, cloud FROM {} WHERE cloud < 5",
    "all columns, 5 % of the rows": "SELECT * FROM {} WHERE cloud < 5",
    "groups of a text column": "SELECT split, avg(cloud), count(*) FROM {} GROUP BY split",
    "one id": "SELECT * FROM {} WHERE id = 'sample_0765432'",
    "first ten rows": "SELECT id FROM {} LIMIT 10",
}


def write(path: Path) -> None:
    random = np.random.default_rng(1)
    columns = {
        "id": [f"sample_{row:07d}" for row in range(ROWS)],
        "type": ["FILE"] * ROWS,
        "cloud": random.random(ROWS) * 100,
        "mean": random.normal(size=ROWS),
        "split": np.array(["train", "val", "test"])[random.integers(0, 3, ROWS)],
        "stac:time_start": random.integers(0, 2**40, ROWS),
        "stac:centroid": [random.bytes(21) for _ in range(ROWS)],
        "internal:offset": np.arange(ROWS) * 4096,
        "internal:size": random.integers(1000, 4096, ROWS),
    }
    pq.write_table(pa.table(columns), path, compression="zstd", row_group_size=122_880)


def seconds(run: Callable[[], pa.Table]) -> tuple[float, int]:
    begin = time.perf_counter()
    rows = run().num_rows
    return time.perf_counter() - begin, rows


def main(folder: Path) -> None:
    path = folder / "level0.parquet"
    if not path.exists():
        write(path)
    pa.set_cpu_count(THREADS)
    connection = duckdb.connect(config={"threads": THREADS})
    connection.register("level0", pa.dataset.dataset(path))
    print(f"DuckDB {duckdb.__version__}, pyarrow {pa.__version__}, {ROWS} rows, N = {ROUNDS}; milliseconds\n")
    print("| query | Parquet, best | median | Arrow scan, best | median | ratio of medians |\n|---|---|---|---|---|---|")
    for name, query in QUERIES.items():
        times: dict[str, list[float]] = {f"'{path}'": [], "level0": []}
        rows = set()
        for _ in range(ROUNDS):
            for source, taken in times.items():
                took, count = seconds(lambda: connection.execute(query.format(source)).to_arrow_table())
                taken.append(took * 1e3)
                rows.add(count)
        assert len(rows) == 1, f"{name}: both sides have the same rows"
        cells = [f"{value:.1f}" for each in times.values() for value in (min(each), statistics.median(each))]
        parquet, arrow = (statistics.median(each) for each in times.values())
        print(f"| {name} | {' | '.join(cells)} | {arrow / parquet:.2f} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
