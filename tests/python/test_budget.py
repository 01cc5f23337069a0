"""One budget of requests for all workers, as the server counts them."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")

import tacore
from moto_server import Moto, python_with_moto
from tacore import _core, distributed, raster
from tacore.datamodel import Sample, Taco, Tortilla
from tacore.distributed import Budget
from test_distributed import ABOUT, EXAMPLES, client, dask_client, processes, states, tiff  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "remote"))

from server import Server  # noqa: E402

NUM_SAMPLES = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Samples that are large enough to be read with a request each, or for some together."""
    path = tmp_path_factory.mktemp("served")
    samples = [Sample(id=f"s{n}", path=tiff(n) + bytes(200_000)) for n in range(NUM_SAMPLES)]
    tacore.create(Taco(Tortilla(samples), **ABOUT), path / "many.tacozip")
    return path


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    with Server(folder) as running:
        yield running
    tacore.set_storage_options()
    assert limits_are_lifted()


def limits_are_lifted() -> bool:
    """This process has no limits left from a job."""
    with Server(EXAMPLES) as other:
        for _ in range(3):
            tacore.load(other.url("landsat.tacozip"))
    return True


def total(pixels: Any) -> float:
    return float(pixels.sum(dtype="f8"))


def expected(folder: Path) -> list[float]:
    return distributed.map_samples(folder / "many.tacozip", total, num_tasks=1).columns["value"]


def test_the_count_is_that_of_the_server(client: Any, server: Server, folder: Path) -> None:  # noqa: F811
    budget = Budget()
    made = distributed.map_samples(server.url("many.tacozip"), total, client, num_tasks=6, budget=budget)
    assert made.columns["value"] == expected(folder)
    assert budget.used == (len(server.requests), server.sent)
    assert sum(each.num_tasks for each in budget.workers) == 6
    assert all(":" in each.worker and each.requests >= 0 for each in budget.workers)
    assert f"{budget.used.requests} requests and {budget.used.bytes} bytes used" in repr(budget)
    # The same budget goes on with another call.
    distributed.compute_statistics(server.url("many.tacozip"), client, budget=budget)
    assert budget.used == (len(server.requests), server.sent)


def test_local_files_use_nothing(client: Any, folder: Path) -> None:  # noqa: F811
    budget = Budget(requests=0, bytes=0)
    assert distributed.map_samples(folder / "many.tacozip", total, client, budget=budget).columns == {
        "value": expected(folder)
    }
    assert budget.used == (0, 0) and budget.workers


def test_a_budget_that_suffices_changes_nothing(client: Any, server: Server, folder: Path) -> None:  # noqa: F811
    free = Budget()
    distributed.map_samples(server.url("many.tacozip"), total, client, num_tasks=6, budget=free)
    server.clear()
    budget = Budget(requests=3 * free.used.requests, bytes=3 * free.used.bytes, concurrent_requests=4)
    made = distributed.map_samples(server.url("many.tacozip"), total, client, num_tasks=6, budget=budget)
    assert made.columns["value"] == expected(folder)
    assert budget.used == (len(server.requests), server.sent)


@pytest.mark.parametrize("share", [0.2, 0.5])
@pytest.mark.parametrize("what", ["requests", "bytes"])
def test_a_budget_that_is_used_up_stops_the_job(
    client: Any,
    server: Server,
    what: str,
    share: float,  # noqa: F811
) -> None:
    free = Budget()
    distributed.map_samples(server.url("many.tacozip"), total, client, num_tasks=6, budget=free)
    server.clear()
    most = max(int(getattr(free.used, what) * share) - 1, 1)
    budget = Budget(**{what: most})
    with pytest.raises(tacore.TacoIOError, match=r"(rows \d+ to \d+|opening the dataset): the budget is used up: "):
        distributed.map_samples(server.url("many.tacozip"), total, client, num_tasks=6, budget=budget)
    found = {"requests": len(server.requests), "bytes": server.sent}[what]
    assert found <= most
    assert budget.used == (len(server.requests), server.sent)


def test_the_error_says_what_was_used_and_where(server: Server) -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(tacore.TacoIOError) as caught:
        distributed.map_samples(server.url("many.tacozip"), total, pool, num_tasks=60, budget=Budget(bytes=3_000_000))
    words = str(caught.value)
    assert words.startswith("rows ") and "of 3000000 bytes are used" in words and "of 60 tasks are done" in words


def test_skipped_samples_do_not_hide_a_budget_that_is_used_up(client: Any, server: Server) -> None:  # noqa: F811
    for call in (distributed.compute_statistics, lambda *a, **k: distributed.map_samples(a[0], total, *a[1:], **k)):
        on_error = "skip" if call is distributed.compute_statistics else "report"
        with pytest.raises(tacore.TacoIOError, match="used up"):
            call(server.url("many.tacozip"), client, num_tasks=3, on_error=on_error, budget=Budget(requests=10))


@pytest.mark.parametrize("num_samples", [NUM_SAMPLES, 3000])
@pytest.mark.parametrize("bands", [None, [1]])
def test_statistics_of_a_server_take_a_request_for_each_sample_at_most(
    tmp_path: Path,
    num_samples: int,
    bands: list[int] | None,
) -> None:
    """Also where samples are damaged, of which the fetching of several is given up."""
    path = tmp_path / "some.tacozip"
    samples = [Sample(id=f"s{n}", path=tiff(n % 50)) for n in range(num_samples)]
    tacore.create(Taco(Tortilla(samples), **ABOUT), path, progress=False)
    options: dict[str, Any] = {"bands": bands, "on_error": "skip", "progress": False}
    with Server(tmp_path) as server:
        whole = raster.compute_statistics(tacore.load(path), **options)
        found = raster.compute_statistics(tacore.load(server.url(path.name)), **options)
        assert found.num_samples == num_samples and states(found) == states(whole)
        assert len(server.requests) <= (num_samples if num_samples < 1024 else num_samples / 2) + 4
        data = bytearray(path.read_bytes())
        for number in (3, num_samples // 2):
            at = data.index(tiff(number % 50), data.index(f"DATA/s{number}".encode()))
            data[at : at + 4] = b"none"
        path.write_bytes(data)
        whole = raster.compute_statistics(tacore.load(path), **options)
        found = raster.compute_statistics(tacore.load(server.url(path.name)), **options)
        assert found.num_samples == num_samples - 2 and states(found)[0] == states(whole)[0]
        assert [failure.position for failure in found.failures] == [3, num_samples // 2]


def test_uneven_tasks_may_use_what_others_leave(server: Server, tmp_path: Path) -> None:
    """One task needs far more than an equal share; the budget as a whole suffices."""
    sizes = [2_000_000 if n < 10 else 1_000 for n in range(40)]
    samples = [Sample(id=f"s{n}", path=tiff(n) + bytes(size)) for n, size in enumerate(sizes)]
    tacore.create(Taco(Tortilla(samples), **ABOUT), tmp_path / "uneven.tacozip")
    with Server(tmp_path) as uneven, ThreadPoolExecutor(4) as pool:
        free = Budget()
        path = uneven.url("uneven.tacozip")
        distributed.compute_statistics(path, pool, num_tasks=4, budget=free)
        budget = Budget(bytes=free.used.bytes * 2)
        made = distributed.compute_statistics(path, pool, num_tasks=4, budget=budget)
        assert states(made) == states(distributed.compute_statistics(tmp_path / "uneven.tacozip"))
        assert budget.used.bytes <= free.used.bytes * 2


class Gauge:
    """The most requests at a time that a server has seen."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.now = self.most = 0
        self.times: list[float] = []

    def __call__(self, request: Any) -> None:
        with self.lock:
            self.times.append(time.monotonic())
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.01)
        with self.lock:
            self.now -= 1


@pytest.mark.parametrize("most", [1, 2, 5])
def test_requests_at_a_time_are_limited_over_all_workers(
    client: Any,
    folder: Path,
    most: int,  # noqa: F811
) -> None:
    gauge = Gauge()
    with Server(folder, guard=gauge) as server:
        budget = Budget(concurrent_requests=most)
        made = distributed.map_samples(server.url("many.tacozip"), total, client, num_tasks=8, budget=budget)
    assert made.columns["value"] == expected(folder)
    assert gauge.most <= most


def test_requests_per_second_are_limited_over_all_workers(client: Any, folder: Path) -> None:  # noqa: F811
    gauge = Gauge()
    with Server(folder, guard=gauge) as server:
        budget = Budget(requests_per_second=10)
        distributed.map_samples(server.url("many.tacozip"), total, client, num_tasks=4, budget=budget)
    # Each process may begin at once; of the rest, a busy machine may delay the first ones most.
    seconds = gauge.times[-1] - gauge.times[0]
    num_spaced = len(gauge.times) - 1 - len(budget.workers)
    assert num_spaced > 5 and seconds > 0.6 * num_spaced / 10


def test_numbers_out_of_range_are_refused() -> None:
    for wrong in ({"requests": -1}, {"bytes": 1.5}, {"bytes": "1"}, {"requests_per_second": 0},
                  {"requests_per_second": float("nan")}, {"concurrent_requests": 0}):  # fmt: skip
        with pytest.raises(tacore.TacoQueryError, match=next(iter(wrong))):
            Budget(**wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Budget(10)  # type: ignore[misc]


def test_the_limits_end_with_the_job(server: Server) -> None:
    with ThreadPoolExecutor(2) as pool, pytest.raises(tacore.TacoIOError, match="used up"):
        distributed.map_samples(server.url("many.tacozip"), total, pool, budget=Budget(requests=3))
    before = _core.remote_use()
    assert len(distributed.map_samples(server.url("many.tacozip"), total)) == NUM_SAMPLES
    assert _core.remote_use()[0] > before[0] and _core.remote_use()[2] == before[2]


def test_a_store_of_s3_is_counted_too(client: Any, folder: Path) -> None:  # noqa: F811
    if python_with_moto() is None:
        pytest.skip("moto is not installed: the test remote.moto does that")
    with Moto() as moto:
        moto.make_bucket("made")
        moto.ask("PUT", "/made/many.tacozip", (folder / "many.tacozip").read_bytes())
        tacore.set_storage_options(
            endpoint=moto.url, region="us-east-1", access_key_id="id", secret_access_key="secret", max_tries=2
        )
        try:
            budget = Budget()
            made = distributed.map_samples("s3://made/many.tacozip", total, client, num_tasks=4, budget=budget)
            assert made.columns["value"] == expected(folder)
            size = (folder / "many.tacozip").stat().st_size
            assert size - 10_000 < budget.used.bytes < 1.5 * size and 0 < budget.used.requests < 2 * NUM_SAMPLES
            with pytest.raises(tacore.TacoIOError, match="used up"):
                distributed.map_samples("s3://made/many.tacozip", total, client, budget=Budget(bytes=size // 2))
        finally:
            tacore.set_storage_options()


def test_processes_are_told_apart(server: Server) -> None:
    with ProcessPoolExecutor(2) as pool:
        budget = Budget()
        distributed.map_samples(server.url("many.tacozip"), total, pool, num_tasks=8, budget=budget)
    assert 2 <= len(budget.workers) <= 3  # one may be quicker than the other
    assert budget.used == (len(server.requests), server.sent)
