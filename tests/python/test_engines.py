"""Ray and Spark themselves; test_distributed.py runs everything on threads, processes, Dask and a double of Ray.

Neither is needed by tacore: without them these tests skip. Spark needs Java 17.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tacore
from tacore import distributed
from test_distributed import EXAMPLES, PARTS, broken, contents, dies, expected, part  # noqa: F401

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
    sql = pytest.importorskip("pyspark.sql")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master("local[2]")
    for name, value in {"ui.enabled": "false", "driver.host": "127.0.0.1", "driver.bindAddress": "127.0.0.1"}.items():
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session if request.param == "spark" else session.sparkContext
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
