"""Ray and Spark themselves; test_distributed.py runs everything on threads, processes, Dask and a double of Ray.

Neither is needed by tacore: without them these tests skip. Spark needs Java 17.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import tacore
from moto_server import Moto, python_with_moto
from tacore import distributed
from tacore.datamodel import Sample, Taco, Tortilla
from test_distributed import ABOUT, EXAMPLES, PARTS, broken, contents, dies, expected, part, tiff  # noqa: F401

sys.path.append(str(Path(__file__).resolve().parents[1] / "remote"))

from server import Server  # noqa: E402

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


def test_a_table_is_sorted_and_split_as_by_one_thread(engine: Any, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from test_sorted_parts import make, write_table

    write_table(tmp_path / "table", [40, 30, 50])
    splits = distributed.Splits(shares={"train": 0.7, "test": 0.3}, cell_km=500)
    found = []
    for output, client in (("one", ThreadPoolExecutor(1)), ("many", engine)):
        parts = distributed.parts_of_table(tmp_path / "table", make, order="hilbert", num_partitions=4, **ABOUT)
        options = {"index": "both", "split": splits, "on_error": "report"}
        made = distributed.create_partitions(parts, tmp_path / output, client, **options)
        found.append((contents(tmp_path / output), made.splits, made.failures))
    assert found[0] == found[1] and len(found[0][2]) > 0  # rows without a place are in no cell


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


FLAT = EXAMPLES / "landsat.tacozip"


def test_functions_of_pixels_run_there(engine: Any, tmp_path: Path) -> None:
    factor = 2
    made = distributed.map_samples(FLAT, lambda pixels: int(pixels.sum()) * factor, engine, num_tasks=5)
    assert made == distributed.map_samples(FLAT, lambda pixels: int(pixels.sum()) * factor)
    with pytest.raises(tacore.TacoCreationError, match=r"sample 'tile_r0_c0' \(row 0\): ZeroDivisionError"):
        distributed.map_samples(FLAT, lambda pixels: 1 // 0, engine)
    with pytest.raises(tacore.TacoCreationError, match=r"(rows 0 to 15|the job): "):
        distributed.map_samples(FLAT, lambda pixels: os._exit(1), engine, num_tasks=1)


def test_subsets_and_validation_of_one_dataset_run_there(engine: Any, tmp_path: Path) -> None:
    rows = tacore.load(EXAMPLES / "landsat_nested.tacozip").sql("SELECT * FROM data ORDER BY id DESC LIMIT 5")
    distributed.export_partitions(rows, tmp_path / "there", engine, num_partitions=3)
    distributed.export_partitions(rows, tmp_path / "here", num_partitions=3)
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
    assert distributed.validate_dataset(tmp_path / "there", engine, deep=True, assets=True, num_tasks=3) == []


def test_a_budget_holds_there(engine: Any) -> None:
    with Server(EXAMPLES) as server:
        budget = distributed.Budget(concurrent_requests=2)
        made = distributed.compute_statistics(server.url("landsat.tacozip"), engine, budget=budget, num_tasks=5)
        here = distributed.compute_statistics(FLAT)
        assert [band.__getstate__() for band in made.bands] == [band.__getstate__() for band in here.bands]
        assert budget.used == (len(server.requests), server.sent)
        server.clear()
        few = distributed.Budget(requests=3)
        with pytest.raises(tacore.TacoIOError, match="the budget is used up"):
            distributed.map_samples(
                server.url("landsat_nested.tacozip"), lambda a: 1, engine, inputs="optical", budget=few
            )
        assert len(server.requests) == few.used.requests <= 3


# ----------------------------------------------------------------------------------------- the datasource of Ray Data


def test_ray_data_reads_rows_bytes_and_arrays(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray.data")
    dataset = tacore.load(FLAT)
    ids = [row["id"] for row in dataset.data]
    source = tacore.ray.TacoDatasource(FLAT, inputs={"image": "3,1"}, with_bytes=True, columns=["id", "split"])
    made = ray.read_datasource(source, override_num_blocks=3)
    assert made.schema().names == ["id", "split", "data", "image"]
    for number, row in enumerate(made.sort("id").take_all()):
        assert row["id"] == ids[number] and row["data"] == dataset.data.read_bytes(number)
        assert (row["image"] == tacore.raster.read_tensor(dataset, number, bands=[3, 1])).all()
    assert number == 15 and made.count() == 16
    sums = made.map_batches(lambda batch: {"sum": batch["image"].sum(axis=(1, 2, 3))}).sum("sum")
    assert sums == sum(int(tacore.raster.read_tensor(dataset, n, bands=[3, 1]).sum()) for n in range(16))
    empty = tacore.ray.TacoDatasource(dataset.sql("SELECT * FROM data WHERE false"))
    assert ray.read_datasource(empty).count() == 0
    # Samples of different shapes, and of one type.
    nested = tacore.load(EXAMPLES / "landsat_nested.tacozip").data.read(0)
    files = [dataset.data.read_bytes(0), nested.read_bytes("mask")]
    path = tmp_path / "mixed.tacozip"
    tacore.create(Taco(Tortilla([Sample(id=f"s{n}", path=each) for n, each in enumerate(files)]), **ABOUT), path)
    rows = ray.read_datasource(tacore.ray.TacoDatasource(path, inputs="", columns=["id"])).sort("id").take_all()
    assert [row["pixels"].shape for row in rows] == [(6, 64, 64), (1, 64, 64)]


def test_errors_of_ray_data_say_what_is_wrong(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray.data")
    with pytest.raises(tacore.TacoQueryError, match="no column 'nothing'"):
        tacore.ray.TacoDatasource(FLAT, columns=["nothing"])
    with pytest.raises(tacore.TacoValidationError, match="is a Column"):
        tacore.ray.TacoDatasource(FLAT, inputs=tacore.loader.Column("split"))
    with pytest.raises(tacore.TacoSchemaError, match="have a column 'split'"):
        tacore.ray.TacoDatasource(FLAT, inputs={"split": ""})
    path = tmp_path / "bad.tacozip"
    tacore.create(Taco(Tortilla([Sample(id="a", path=tiff(1)), Sample(id="b", path=b"none")]), **ABOUT), path)
    with pytest.raises(Exception, match=r"sample 'b' \(row 1\)"):
        ray.read_datasource(tacore.ray.TacoDatasource(path, inputs="")).take_all()


# ----------------------------------------------------------------------------------------- the data source of Spark


def test_spark_reads_bytes_and_arrays(spark: Any) -> None:
    numpy = pytest.importorskip("numpy")
    dataset = tacore.load(FLAT)
    ids = [row["id"] for row in dataset.data]
    reader = spark.read.format("taco").option("inputs", '{"image": "3,1"}').option("bytes", "true")
    made = reader.option("rows_per_partition", "3").load(str(FLAT))
    assert made.rdd.getNumPartitions() == 6
    rows = made.select("id", "image", "image_shape", "image_dtype", "data").orderBy("id").collect()
    for number, row in enumerate(rows):
        assert row.id == ids[number] and row.data == dataset.data.read_bytes(number)
        pixels = numpy.frombuffer(row.image, row.image_dtype).reshape(row.image_shape)
        assert (pixels == tacore.raster.read_tensor(dataset, number, bands=[3, 1])).all()
    assert len(rows) == 16 and made.where("split = 'test'").count() > 0
    assert spark.read.format("taco").option("inputs", '""').load(str(FLAT)).select("pixels_shape").first()[0] == [
        6,
        64,
        64,
    ]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"inputs": "{"}, "'inputs' is {"),
        ({"inputs": "7"}, "'inputs' is 7"),
        ({"inputs": '{"split": ""}'}, "have a column 'split'"),
        ({"bytes": "maybe"}, "'bytes' is 'maybe'"),
        ({"inputs": '""', "rows_per_partition": "0"}, "'rows_per_partition' is '0'"),
        ({"inputs": '"optical"'}, "sample 'tile_r0_c0'"),
    ],
)
def test_wrong_options_of_the_reader_are_told(spark: Any, options: dict[str, str], text: str) -> None:
    with pytest.raises(Exception, match=text):
        spark.read.format("taco").options(**options).load(str(FLAT)).collect()


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
