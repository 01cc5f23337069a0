"""Subsets written by many machines have the samples of an export, and the same bytes whoever writes them."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import tacore
from moto_server import Moto, python_with_moto
from tacore import _partitions, distributed, transform
from tacore.datamodel import Sample, Taco, Tortilla
from test_distributed import ABOUT, EXAMPLES, client, contents, dask_client, processes, tiff  # noqa: F401

sys.path.append(str(Path(__file__).resolve().parents[1] / "remote"))

from server import Server  # noqa: E402

NESTED = EXAMPLES / "landsat_nested.tacozip"
QUERY = "SELECT * FROM data WHERE id <> 'tile_r1_c2' ORDER BY id DESC"


def subset(path: Any = NESTED) -> tacore.TacoDataset:
    return tacore.load(path).sql(QUERY)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one thread writes."""
    folder = tmp_path_factory.mktemp("expected")
    with ThreadPoolExecutor(1) as pool:
        distributed.export_partitions(subset(), folder, pool, num_partitions=3)
    return contents(folder)


def test_the_samples_are_those_of_an_export(tmp_path: Path) -> None:
    made = distributed.export_partitions(subset(), tmp_path / "parts", num_partitions=3)
    tacore.export(subset(), tmp_path / "one.tacozip")
    assert made.num_samples == len(subset().data) == len(tacore.load(made.path).data)
    difference = transform.diff(tmp_path / "one.tacozip", tmp_path / "parts")
    assert [change.name for change in difference.collection] == ["taco:subset_date"]
    assert not difference.samples and not difference.columns
    assert [row["id"] for row in tacore.load(made.path).data] == [row["id"] for row in subset().data]
    assert tacore.validator.validate(tmp_path / "parts", deep=True) == []


def test_the_bytes_do_not_depend_on_the_engine(client: Any, tmp_path: Path, expected: dict[str, bytes]) -> None:  # noqa: F811
    made = distributed.export_partitions(subset(), tmp_path, client, num_partitions=3)
    assert contents(tmp_path) == expected
    # The same call has nothing to do, whichever engine runs it; nor has one that opens the dataset again.
    again = distributed.export_partitions(subset(), tmp_path, num_partitions=3)
    assert again == made._replace(num_kept=3) and contents(tmp_path) == expected


def test_an_interrupted_export_goes_on(tmp_path: Path, expected: dict[str, bytes]) -> None:
    with pytest.raises(tacore.TacoIOError, match="stopped"), ThreadPoolExecutor(1) as pool:
        distributed.export_partitions(subset(), tmp_path, pool, num_partitions=3, progress=lambda done, _: done < 2)
    assert os.listdir(tmp_path) == [".parts"]
    made = distributed.export_partitions(subset(), tmp_path, num_partitions=3)
    assert made.num_kept >= 1 and contents(tmp_path) == expected


def test_another_number_query_or_version_is_another_plan(tmp_path: Path) -> None:
    source = tmp_path / "source.tacozip"
    source.write_bytes(NESTED.read_bytes())
    distributed.export_partitions(subset(source), tmp_path / "made", num_partitions=2)
    with pytest.raises(tacore.TacoValidationError, match="another plan"):
        distributed.export_partitions(subset(source), tmp_path / "made", num_partitions=3)
    with pytest.raises(tacore.TacoValidationError, match="another plan"):
        distributed.export_partitions(source, tmp_path / "made", num_partitions=2)
    transform.edit(source, {"title": "Another"})
    with pytest.raises(tacore.TacoValidationError, match="another plan"):
        distributed.export_partitions(subset(source), tmp_path / "made", num_partitions=2)


def test_a_dataset_that_is_replaced_meanwhile_is_an_error(processes: Any, tmp_path: Path) -> None:  # noqa: F811
    source = tmp_path / "source.tacozip"
    source.write_bytes(NESTED.read_bytes())
    rows = subset(source).data
    source.unlink()
    source.write_bytes((EXAMPLES / "landsat.tacozip").read_bytes())
    with pytest.raises(tacore.TacoError, match=r"partition part0001: .*changed since"):
        distributed.export_partitions(rows, tmp_path / "made", processes, num_partitions=2)
    assert os.listdir(tmp_path / "made") == [".parts"]


def test_more_partitions_than_rows_and_wrong_arguments(tmp_path: Path) -> None:
    made = distributed.export_partitions(
        subset(), tmp_path / "a", num_partitions=1000, prefix="p", compression="snappy"
    )
    assert made.num_samples == len(list((tmp_path / "a").glob("p*.tacozip")))
    with pytest.raises(tacore.TacoValidationError, match="num_partitions"):
        distributed.export_partitions(subset(), tmp_path / "b", num_partitions=0)
    with pytest.raises(tacore.TacoQueryError, match="no samples"):
        distributed.export_partitions(subset().sql("SELECT * FROM data WHERE false"), tmp_path / "b", num_partitions=1)
    with pytest.raises(TypeError, match="num_partitions"):
        distributed.export_partitions(subset(), tmp_path / "b")  # type: ignore[call-arg]
    frame = subset().data
    frame["new"] = list(range(len(frame)))
    with pytest.raises(tacore.TacoQueryError, match="set in Python"):
        distributed.export_partitions(frame, tmp_path / "b", num_partitions=1)
    assert not (tmp_path / "b").exists()


def test_a_sample_that_cannot_be_read_is_told_or_reported(tmp_path: Path) -> None:
    path = tmp_path / "some.tacozip"
    samples = [Sample(id=f"s{n}", path=tiff(n) + b"mark%02d" % n) for n in range(6)]
    tacore.create(Taco(Tortilla(samples), **ABOUT), path)
    data = bytearray(path.read_bytes())
    data[data.index(b"mark03")] ^= 1  # the CRC-32 of its entry is now wrong
    path.write_bytes(data)
    with pytest.raises(tacore.TacoError, match="partition part0002: .*s3"):
        distributed.export_partitions(path, tmp_path / "made", num_partitions=2)
    made = distributed.export_partitions(path, tmp_path / "made", num_partitions=2, on_error="report")
    assert made.num_samples == 5 and [each[:2] for each in made.failures] == [("part0002", "s3")]


def exits(*_: Any) -> None:
    os._exit(1)


def test_a_lost_worker_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_partitions, "_taco_of", exits)
    with (
        ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool,
        pytest.raises(tacore.TacoCreationError, match="partition part0001"),
    ):
        distributed.export_partitions(subset(), tmp_path, pool, num_partitions=2)
    assert os.listdir(tmp_path) == [".parts"]


def test_from_a_server_within_a_budget(client: Any, tmp_path: Path, expected: dict[str, bytes]) -> None:  # noqa: F811
    with Server(EXAMPLES) as server:
        budget = distributed.Budget()
        rows = subset(server.url("landsat_nested.tacozip"))
        server.clear()
        distributed.export_partitions(rows, tmp_path / "a", client, num_partitions=3, budget=budget)
        assert budget.used == (len(server.requests), server.sent) and budget.used.requests > 0
        assert contents(tmp_path / "a") == expected
        for on_error in ("raise", "report"):
            with pytest.raises(tacore.TacoIOError, match="used up"):
                distributed.export_partitions(
                    rows, tmp_path / "b", client, num_partitions=3, on_error=on_error,
                    budget=distributed.Budget(requests=1),
                )  # fmt: skip
            assert os.listdir(tmp_path / "b") == [".parts"]
        made = distributed.export_partitions(rows, tmp_path / "b", client, num_partitions=3)
        assert made.failures == [] and contents(tmp_path / "b") == expected


def test_from_a_store_to_a_store(expected: dict[str, bytes]) -> None:
    if python_with_moto() is None:
        pytest.skip("moto is not installed: the test remote.moto does that")
    with Moto() as moto:
        moto.make_bucket("made")
        moto.ask("PUT", "/made/source.tacozip", NESTED.read_bytes())
        tacore.set_storage_options(
            endpoint=moto.url, region="us-east-1", access_key_id="id", secret_access_key="secret", max_tries=2
        )
        try:
            rows = subset("s3://made/source.tacozip")
            with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
                distributed.export_partitions(rows, "s3://made/chips", pool, num_partitions=3)
            keys = [key for key in moto.keys("made") if key.startswith("chips/") and "/.parts/" not in key]
            assert {key.removeprefix("chips/"): moto.read("made", key) for key in keys} == expected
        finally:
            tacore.set_storage_options()
