"""tacore beside one other package in one process: both do their work, before and after each other.

    clash.py PACKAGE first|last GOLDEN     tacore is imported first or last; GOLDEN is the folder tests/golden
"""

from __future__ import annotations

import importlib
import re
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE, PLACE, GOLDEN = sys.argv[1], sys.argv[2], Path(sys.argv[3])


def use_tacore() -> None:
    """Containers, Parquet, SQL, statistics and errors: what uses Arrow and DuckDB."""
    import tacore

    dataset = tacore.load(GOLDEN / "flat.tacozip")
    total = len(dataset.data)
    low = dataset.sql("SELECT * FROM data WHERE cloud_cover < 50")
    high = dataset.sql("SELECT * FROM data WHERE NOT cloud_cover < 50")
    assert 0 < len(low.data) < total == len(low.data) + len(high.data)
    assert len(low.data._core.encode("parquet")) > 100
    assert isinstance(tacore.load(GOLDEN / "nested.tacozip").data.read(0), tacore.TacoDataFrame)
    try:
        len(dataset.sql("SELECT nothing FROM data").data)
        raise AssertionError("a column that is not there was found")
    except tacore.TacoQueryError:
        pass
    try:
        tacore.load(GOLDEN / "no_such_file.tacozip")
        raise AssertionError("a file that is not there was opened")
    except tacore.TacoError:
        pass


@cache
def celsius() -> Any:
    """An extension type that is known to pyarrow only."""
    import pyarrow as pa

    class Celsius(pa.ExtensionType):
        def __init__(self) -> None:
            super().__init__(pa.float32(), "tests.celsius")

        def __arrow_ext_serialize__(self) -> bytes:
            return b""

        @classmethod
        def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, serialized: bytes) -> Celsius:
            return cls()

    pa.register_extension_type(Celsius())
    return Celsius()


def use_pyarrow() -> None:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    import tacore

    degrees_type = celsius()
    degrees = pa.ExtensionArray.from_storage(degrees_type, pa.array([1.5, 2.5, None], pa.float32()))
    table = pa.table({"a": [3, 1, 2], "text": ["x", None, "z"], "t": degrees})
    with tempfile.TemporaryDirectory() as folder:
        # Threads of pyarrow that hold a type of Python until after the end of the interpreter abort the process: none here.
        pq.write_table(table, f"{folder}/a.parquet", compression="zstd")
        back = pq.ParquetFile(f"{folder}/a.parquet").read(use_threads=False)
        assert back.schema.field("t").type.extension_name == "tests.celsius"
        assert back.equals(table)
        pq.write_table(table.drop_columns(["t"]), f"{folder}/b.parquet")
        assert ds.dataset(f"{folder}/b.parquet").to_table(filter=pc.field("a") > 1).num_rows == 2
    assert pc.sum(table["a"]).as_py() == 6
    assert pc.sort_indices(table["a"]).to_pylist() == [1, 2, 0]
    assert len(pc.list_functions()) > 100
    assert table.group_by("text").aggregate([("a", "sum")]).num_rows == 3

    # Tables cross between the two copies by the C interface, and Parquet by files.
    rows = tacore.load(GOLDEN / "flat.tacozip").data
    assert rows.to_arrow().num_rows == pa.table(rows).num_rows == len(rows)
    assert pq.ParquetFile(pa.BufferReader(rows._core.encode("parquet"))).read(use_threads=False).num_rows == len(rows)


def use_duckdb() -> None:
    import duckdb

    connection = duckdb.connect()
    answer = connection.sql("SELECT range % 3 AS k, sum(range) AS s FROM range(1000) GROUP BY k ORDER BY k").fetchall()
    assert [row[0] for row in answer] == [0, 1, 2] and sum(row[1] for row in answer) == 499500
    with tempfile.TemporaryDirectory() as folder:
        connection.sql(f"COPY (SELECT range AS a, 1.5 * range AS b FROM range(100)) TO '{folder}/a.parquet'")
        assert connection.sql(f"SELECT round(sum(b), 1) FROM '{folder}/a.parquet'").fetchall() == [(7425.0,)]
    try:
        connection.sql("SELECT nothing FROM range(3)")
        raise AssertionError("a column that is not there was found")
    except duckdb.Error:
        pass


def use_rasterio() -> None:
    import rasterio
    from rasterio.warp import transform

    import tacore

    raster = next(Path(GOLDEN).rglob("*.tif"), None) or GOLDEN.parents[1] / "examples/data/scene/optical.tif"
    with rasterio.open(raster) as opened:
        assert opened.read(1).size == opened.width * opened.height
        x, y = transform(opened.crs or "EPSG:31985", "EPSG:4326", [opened.bounds.left], [opened.bounds.top])
        assert len(x) == len(y) == 1
    path = tacore.load(GOLDEN.parents[1] / "examples/data/landsat.tacozip").data.read(0)
    with rasterio.open(path) as opened:
        assert opened.read(1).any()


def use_torch() -> None:
    import torch

    a = torch.arange(12.0).reshape(3, 4)
    assert float((a @ a.T).trace()) == float((a * a).sum())


def use_polars() -> None:
    import polars as pl

    import tacore

    rows = tacore.load(GOLDEN / "flat.tacozip").data
    assert pl.DataFrame(rows).height == len(rows)


def libraries() -> set[str]:
    """Files mapped as code. Those of both packages, each its own."""
    maps = Path("/proc/self/maps").read_text().splitlines()
    return {line.split()[-1] for line in maps if "r-xp" in line and re.search(r"(arrow|parquet|duckdb)[^/]*$", line)}


def main() -> None:
    work = [use_tacore, globals()[f"use_{PACKAGE}"]]
    if PLACE == "last":
        work.reverse()
        importlib.import_module(PACKAGE)
    import tacore

    for step in [*work, *work]:
        step()
    mine = {path for path in libraries() if "/tc_" in path}
    assert mine and all(Path(tacore.__file__).parent in Path(path).parents for path in mine), mine
    print(f"{PACKAGE} {importlib.import_module(PACKAGE).__version__}, tacore {PLACE}: {len(libraries())} libraries, "
          f"{len(mine)} of tacore")  # fmt: skip


main()
