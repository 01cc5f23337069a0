"""Ray and Spark themselves; test_distributed.py runs everything on threads, processes, Dask and a double of Ray.

Neither is needed by tacore: without them these tests skip. Spark needs Java 17.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tacore
from moto_server import Moto, python_with_moto
from tacore import distributed
from test_distributed import ABOUT, EXAMPLES, PARTS, broken, contents, dies, expected, part  # noqa: F401

# Workers import this file and its neighbours.
os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])


@pytest.fixture(scope="module", params=["ray", "spark", "spark context"])
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param == "ray":
        ray = pytest.importorskip("ray")
        ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
        yield ray
        ray.shutdown()
        return
    session = request.getfixturevalue("spark")
    yield session if request.param == "spark" else session.sparkContext


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master("local[2]")
    for name, value in {"ui.enabled": "false", "driver.host": "127.0.0.1", "driver.bindAddress": "127.0.0.1"}.items():
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    session.dataSource.register(tacore.spark.TacoDataSource)
    yield session
    session.stop()


def test_partitions_equal_those_of_one_machine(engine: Any, tmp_path: Path, expected: dict[str, bytes]) -> None:
    made = distributed.create_partitions(PARTS, tmp_path, engine)
    assert made == distributed.Partitions(tmp_path / ".tacocat", 9, 0, [])
    assert contents(tmp_path) == expected
    assert distributed.create_partitions(PARTS, tmp_path, engine) == made._replace(num_kept=3)


def test_closures_reach_the_workers(engine: Any, tmp_path: Path) -> None:
    pid = os.getpid()
    distributed.create_partitions({"a": lambda: part(os.getpid() != pid, 1)}, tmp_path, engine)
    assert tacore.load(tmp_path).data.to_arrow()["number"].to_pylist() == [1]


def test_errors_name_their_partition(engine: Any, tmp_path: Path) -> None:
    parts = {**PARTS, "bad": functools.partial(broken, "x")}
    with pytest.raises(tacore.TacoCreationError, match="partition bad: KeyError: 'x'"):
        distributed.create_partitions(parts, tmp_path, engine)
    made = distributed.create_partitions(parts, tmp_path, engine, on_error="report")
    assert made.num_samples == 9 and made.failures == [("bad", None, "KeyError: 'x'")]


def test_a_lost_worker_is_an_error_and_finished_partitions_are_kept(engine: Any, tmp_path: Path) -> None:
    # Spark fails all tasks of a job together.
    with pytest.raises(tacore.TacoCreationError, match=r"(partition gone|the job): "):
        distributed.create_partitions({"gone": dies}, tmp_path / "a", engine)
    assert os.listdir(tmp_path / "a") == [".parts"]


def test_statistics_and_validation_run_there(engine: Any) -> None:
    path = EXAMPLES / "landsat.tacozip"
    there = distributed.compute_statistics(path, engine, num_tasks=3)
    here = tacore.raster.compute_statistics(tacore.load(path))
    assert [band.__getstate__() for band in there.bands] == [band.__getstate__() for band in here.bands]
    assert distributed.validate([path], engine) == {str(path): []}


# ----------------------------------------------------------------------------------------- the data source of Spark


def frame(spark: Any, first: int, count: int, num_partitions: int, **columns: Any) -> Any:
    rows = [{"id": f"s{n}", "data": str(n).encode(), "number": n, **columns} for n in range(first, first + count)]
    types = "id string, data binary, number long" + "".join(f", {name} string" for name in columns)
    return spark.createDataFrame(rows, types).coalesce(1).repartitionByRange(num_partitions, "number")


def writer(rows: Any, mode: str = "append", **options: str) -> Any:
    return rows.write.format("taco").mode(mode).options(collection=json.dumps(ABOUT), **options)


def test_rows_of_spark_become_a_dataset_and_come_back(spark: Any, tmp_path: Path) -> None:
    writer(frame(spark, 0, 10, 3)).save(str(tmp_path / "made"))
    dataset = tacore.load(tmp_path / "made")
    rows = dataset.data
    assert rows.to_arrow()["number"].to_pylist() == list(range(10))
    assert [rows.read_bytes(n) for n in range(10)] == [str(n).encode() for n in range(10)]
    assert len(list((tmp_path / "made").glob("*.tacozip"))) == 3
    back = spark.read.format("taco").load(str(tmp_path / "made"))
    assert [row.number for row in back.orderBy("number").collect()] == list(range(10))
    assert back.where("number > 6").count() == 3
    assert [row.asDict() for row in back.select("id", "internal:gdal_vsi").orderBy("id").limit(2).collect()] == [
        {"id": f"s{n}", "internal:gdal_vsi": rows.to_arrow()["internal:gdal_vsi"][n].as_py()} for n in range(2)
    ]


def test_the_same_rows_are_kept_and_others_need_overwrite(spark: Any, tmp_path: Path) -> None:
    place = str(tmp_path / "made")
    writer(frame(spark, 0, 10, 3)).save(place)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "made").glob("*.tacozip")}
    whole = contents(tmp_path / "made")
    writer(frame(spark, 0, 10, 3)).save(place)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "made").glob("*.tacozip")} == before
    assert contents(tmp_path / "made") == whole
    with pytest.raises(Exception, match="another plan"):
        writer(frame(spark, 0, 10, 3), prefix="q").save(place)
    writer(frame(spark, 0, 10, 2), "overwrite", prefix="q").save(place)
    assert tacore.load(place).data.to_arrow()["number"].to_pylist() == list(range(10))


def test_the_data_source_writes_to_a_store(spark: Any) -> None:
    if python_with_moto() is None:
        pytest.skip("moto is not installed: the test remote.moto does that")
    with Moto() as server:
        server.make_bucket("made")
        keys = {"endpoint": server.url, "region": "us-east-1", "access_key_id": "id", "secret_access_key": "secret"}
        rows = frame(spark, 0, 10, 3)
        for _ in range(2):
            writer(rows, storage_options=json.dumps(keys)).save("s3://made/chips")
        dataset = tacore.load("s3://made/chips/.tacocat", storage_options=keys)
        assert dataset.data.to_arrow()["number"].to_pylist() == list(range(10))
        reader = spark.read.format("taco").option("storage_options", json.dumps(keys))
        assert reader.load("s3://made/chips/.tacocat").count() == 10


def test_errors_of_the_data_source_say_what_is_wrong(spark: Any, tmp_path: Path) -> None:
    rows = frame(spark, 0, 4, 2)
    with pytest.raises(Exception, match='the option "collection" is missing'):
        rows.write.format("taco").mode("append").save(str(tmp_path / "a"))
    with pytest.raises(Exception, match="'parquet' is no JSON"):
        writer(rows, parquet="{").save(str(tmp_path / "b"))
    with pytest.raises(Exception, match="the id 's1' is in partition part000. and in partition part000."):
        writer(rows.union(frame(spark, 1, 1, 1))).save(str(tmp_path / "c"))
    with pytest.raises(Exception, match="there are no rows"):
        writer(rows.where("number > 100")).save(str(tmp_path / "e"))
    with pytest.raises(Exception, match="partition part000[12]: .*id"):
        writer(rows.drop("id")).save(str(tmp_path / "d"))
    assert [name for name in os.listdir(tmp_path / "c") if name != ".parts"] == []
    with pytest.raises(Exception, match="nowhere"):
        spark.read.format("taco").load(str(tmp_path / "nowhere"))
