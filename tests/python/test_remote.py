"""Remote datasets from Python: options, threads, pickles, the disk cache, and Ctrl-C. tests/remote has the rest."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from toolbox import make_taco

import tacore
from tacore import describe, raster
from tacore.datamodel import Sample, Tortilla
from tacore.loader import Loader, TorchDataset

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "examples" / "data"
NESTED = "landsat_nested.tacozip"
LANDSAT = DATA / "landsat.tacozip"
sys.path.append(str(ROOT / "tests" / "remote"))

from server import Server  # noqa: E402
from spoil import Rule  # noqa: E402


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(DATA) as running:
        yield running


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    yield
    tacore.set_storage_options()


def ids(dataset: tacore.TacoDataset) -> list[object]:
    return [row["id"] for row in dataset.data]


def test_a_remote_dataset_equals_the_local_one(server: Server) -> None:
    local, remote = tacore.load(DATA / NESTED), tacore.load(server.url(NESTED))
    assert len(server.requests) == 1
    assert ids(remote) == ids(local)
    assert (
        remote.sql("SELECT count(*) AS n FROM level1").data[0] == local.sql("SELECT count(*) AS n FROM level1").data[0]
    )
    assert remote.data.read(0).read("optical").startswith("/vsisubfile/")
    ours, theirs = (raster.read_tensor(d.data, "tile_r1_c1/optical") for d in (remote, local))
    assert bytes(memoryview(ours).cast("B")) == bytes(memoryview(theirs).cast("B"))


def test_options_apply_to_one_call_or_to_all(server: Server) -> None:
    tacore.load(server.url(NESTED), storage_options={"headers": {"X-Key": "one"}})
    assert {request.headers.get("x-key") for request in server.requests} == {"one"}
    tacore.set_storage_options(headers={"X-Key": "all"})
    server.clear()
    tacore.load(server.url(NESTED))
    assert {request.headers.get("x-key") for request in server.requests} == {"all"}
    for wrong, error in (
        ({"header": {}}, TypeError),
        ({"limit": 9}, TypeError),
        ({"max_concurrent_requests": "many"}, Exception),
        ({"max_concurrent_requests": 0}, tacore.TacoQueryError),
    ):
        with pytest.raises(error):
            tacore.load(server.url(NESTED), storage_options=wrong)
        with pytest.raises(error):
            tacore.set_storage_options(**wrong)


def test_a_pickle_opens_the_dataset_with_its_options(server: Server) -> None:
    dataset = tacore.load(server.url(NESTED), storage_options={"headers": {"X-Key": "one"}})
    server.clear()
    assert ids(pickle.loads(pickle.dumps(dataset))) == ids(dataset)
    assert {request.headers.get("x-key") for request in server.requests} == {"one"}


@pytest.mark.parametrize("backend", ["pyarrow", "polars", "pandas"])
def test_shown_text_has_no_credentials(server: Server, backend: str) -> None:
    pytest.importorskip(backend)
    tacore.use(backend)
    try:
        dataset = tacore.load(server.url("landsat.tacozip").replace("://", "://bob:hidden@"))
        opened = raster.open_raster(dataset.data, 0)
        shown = [repr(dataset), dataset._repr_html_(), repr(dataset.data), dataset.data._repr_html_(), repr(opened)]
        shown += [opened.name, str(describe.collection2stac(dataset)), describe.collection2datacard(dataset)]
        shown += map(str, describe.footer2stac(dataset))
        assert [text for text in shown if "hidden" in text or "bob" in text] == []
        assert "://bob:hidden@" in next(iter(dataset.data))["internal:gdal_vsi"]  # GDAL needs it
    finally:
        tacore.use("pyarrow")


def test_errors_name_the_request(server: Server) -> None:
    with pytest.raises(FileNotFoundError, match="nothing.tacozip"):
        tacore.load(server.url("nothing.tacozip"))
    server.rules.append(Rule("status", "*.tacozip"))
    with pytest.raises(tacore.TacoIOError, match=r"bytes=-32768.*500"):
        tacore.load(server.url(NESTED), storage_options={"max_tries": 1})


def test_the_cache_is_used_bypassed_and_cleared(server: Server, tmp_path: Path) -> None:
    def count(**options: bool) -> int:
        server.clear()
        tacore.load(server.url(NESTED), **options).data.read(0).read_bytes(0)
        return len(server.requests)

    tacore.set_storage_options(cache_dir=str(tmp_path / "cache"))
    assert count() == 2
    assert count() == 1  # whether it is still the same
    assert count(cache=False) == 2
    tacore.clear_cache()
    assert count() == 2


def test_other_threads_run_during_a_request(server: Server) -> None:
    server.rules.append(Rule("status", "*.tacozip", times=1))
    done = threading.Event()
    thread = threading.Thread(target=lambda: (tacore.load(server.url(NESTED)), done.set()))
    thread.start()
    thread.join(30)
    assert done.is_set()


def test_ctrl_c_interrupts_a_wait_for_a_silent_server(server: Server) -> None:
    server.rules.append(Rule("stall", "*.tacozip"))
    script = f"import tacore\nprint('go', flush=True)\ntacore.load({server.url(NESTED)!r})\n"
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "go\n"
    while not server.requests:
        pass
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert "KeyboardInterrupt" in errors, errors


def test_public_objects_of_other_stores_are_read_over_https(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without GDAL."""
    (tmp_path / "bucket").mkdir()
    (tmp_path / "bucket" / "a b.tacozip").write_bytes((DATA / NESTED).read_bytes())
    with Server(tmp_path) as server:
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", server.url("").rstrip("/"))
        for url in ("gs://bucket/a b.tacozip", "/vsigs/bucket/a b.tacozip"):
            remote = tacore.load(url)
            assert ids(remote) == ids(tacore.load(DATA / NESTED))
            assert remote.data.read(0).read("optical").endswith(",/vsigs/bucket/a b.tacozip")
            assert len(pickle.loads(pickle.dumps(remote.data))) == 6
        with pytest.raises(FileNotFoundError, match="nothing.tacozip"):
            tacore.load("gs://bucket/nothing.tacozip")
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT", raising=False)
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME", raising=False)
    for url in ("az://container/x.tacozip", "azure://container/x.tacozip", "/vsiaz/container/x.tacozip"):
        with pytest.raises(tacore.TacoIOError, match="AZURE_STORAGE_ACCOUNT"):
            tacore.load(url)


def test_another_version_on_the_server_is_not_unpickled(tmp_path: Path) -> None:
    """The ETag tells versions of equal tables and sizes apart."""
    (tmp_path / "x.tacozip").write_bytes((DATA / NESTED).read_bytes())
    with Server(tmp_path) as server:
        pickled = pickle.dumps(tacore.load(server.url("x.tacozip")).data)
        assert len(pickle.loads(pickled)) == 6
        changed = bytearray((DATA / NESTED).read_bytes())
        changed[5000] ^= 1
        (tmp_path / "x.tacozip").write_bytes(changed)
        with pytest.raises(tacore.TacoError, match="changed since it was pickled"):
            pickle.loads(pickled)


def test_options_in_force_are_pickled(server: Server) -> None:
    """Another process has no options from set_storage_options()."""
    tacore.set_storage_options(headers={"X-Key": "in force"})
    rows = tacore.load(server.url(NESTED)).data
    tacore.set_storage_options()
    server.clear()
    assert len(pickle.loads(pickle.dumps(rows))) == 6
    assert {request.headers.get("x-key") for request in server.requests} == {"in force"}


COUNT, BLOCK = 90, 9


@pytest.fixture
def many(tmp_path: Path) -> Iterator[Server]:
    """A server with 90 samples of about 18 kB in `many.tacozip`, which sends one range with each response, as S3."""
    rows = tacore.load(LANDSAT).data
    samples = [Sample(id=f"s{number:03d}", path=rows.read(number % 16)) for number in range(COUNT)]
    (tmp_path / "served").mkdir()
    tacore.create(make_taco(Tortilla(samples)), tmp_path / "served" / "many.tacozip")
    with Server(tmp_path / "served") as running:
        running.rules.append(Rule("ignore_range", several=True))
        yield running


def rows_and_pixels(loader: Loader) -> list[tuple[list[int], bytes]]:
    return [(batch.positions, bytes(memoryview(batch[0]).cast("B"))) for batch in loader]


@pytest.mark.parametrize(
    "options", [{}, {"prefetch": 0}, {"jobs": 1}, {"prefetch": 20}, {"shuffle_window": 1}, {"start": 31}]
)
def test_a_block_is_one_request(many: Server, tmp_path: Path, options: dict[str, int]) -> None:
    shuffle: dict[str, Any] = {"batch_size": 8, "seed": 5, "shuffle_block": BLOCK, "shuffle_window": 3, **options}
    local = tacore.load(tmp_path / "served" / "many.tacozip")
    remote = tacore.load(many.url("many.tacozip"))
    planned = Loader(remote, **shuffle).plan()
    loader = Loader(remote, **shuffle)
    many.clear()
    assert rows_and_pixels(loader) == rows_and_pixels(Loader(local, **shuffle))
    asked = [request for request in many.requests if "," not in request.headers["range"]]  # else a refused try
    # The block that goes over the end of the ring has two ranges.
    assert len(asked) <= COUNT // BLOCK + 1
    assert len({request.headers["range"] for request in asked}) == len(asked)
    size = (tmp_path / "served" / "many.tacozip").stat().st_size
    assert sum(times_sent(many, size)) < 1.05 * size  # with the headers in front of blocks
    assert planned.requests - 6 <= len(asked) <= planned.requests


def test_ranks_and_shards_request_their_own_samples_of_a_block(many: Server) -> None:
    shuffle: dict[str, Any] = {"batch_size": 4, "seed": 5, "shuffle_block": BLOCK, "shuffle_window": 2}
    remote, seen = tacore.load(many.url("many.tacozip")), []
    for rank in range(2):
        for shard in range(2):
            seen += [
                row
                for batch in Loader(remote, rank=rank, world_size=2, shard=(shard, 2), **shuffle)
                for row in batch.positions
            ]
    assert sorted(seen) == list(range(COUNT))


def test_a_failing_block_is_told_or_read_again(many: Server, tmp_path: Path) -> None:
    shuffle: dict[str, Any] = {"batch_size": 8, "seed": 5, "shuffle_block": BLOCK, "shuffle_window": 3}
    expected = rows_and_pixels(Loader(tacore.load(tmp_path / "served" / "many.tacozip"), **shuffle))
    remote = tacore.load(many.url("many.tacozip"), storage_options={"max_tries": 1})
    loader = Loader(remote, **shuffle)
    many.rules.append(Rule("status", "*.tacozip", times=1))
    assert rows_and_pixels(loader) == expected  # the samples of that block, one by one
    many.rules.append(Rule("status", "*.tacozip"))
    with pytest.raises(tacore.TacoIOError, match=r"sample 's\d+' .*500"):
        rows_and_pixels(loader)


def test_a_batch_of_a_torch_dataset_is_requested_together(many: Server, tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    local, remote = (TorchDataset(path) for path in (tmp_path / "served" / "many.tacozip", many.url("many.tacozip")))
    remote.__getitems__([0])  # the tables, and the first sample
    many.clear()
    chosen = [*range(40, 60), 7, 8, 7]
    for found, expected in zip(remote.__getitems__(chosen), local.__getitems__(chosen)):
        assert (numpy.asarray(found[0]) == numpy.asarray(expected[0])).all()
    assert len([request for request in many.requests if "," not in request.headers["range"]]) <= 2


def test_a_pass_over_blocks_can_be_left(many: Server) -> None:
    remote = tacore.load(many.url("many.tacozip"))
    for _ in range(5):
        running = iter(Loader(remote, batch_size=2, seed=1, shuffle_block=3, shuffle_window=4))
        next(running)
        running.close()


def test_a_plan_of_local_files_has_no_requests() -> None:
    assert tacore.plan_opening(LANDSAT) == (0, 0, 1)
    dataset = tacore.load(LANDSAT)
    assert dataset.sql("SELECT id FROM data WHERE split = 'test'", explain=True) == tacore.RequestPlan(0, 0, 1)
    assert dataset.filter_bbox(-35, -9, -34, -7).plan().requests == 0
    assert Loader(dataset, batch_size=4).plan().partitions == 1
    with pytest.raises(tacore.TacoQueryError, match="no_such_column"):
        dataset.sql("SELECT no_such_column FROM data", explain=True)
    with pytest.raises(FileNotFoundError):
        tacore.plan_opening("nothing.tacozip")


@pytest.mark.parametrize("text", ["3000", "0/5", "10/5days", "x/y"])
def test_a_budget_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(tacore.TacoQueryError, match="expected REQUESTS/TIME such as '3000/5min'"):
        tacore.load("http://127.0.0.1:1/a.tacozip", storage_options={"max_requests_per": text})


# Processes of one node, and their disk cache.

EPOCH = """
import hashlib, sys, tacore
from tacore.loader import Loader
path, cache, seed = sys.argv[1:]
if cache != "none":
    tacore.set_storage_options(cache_dir=cache)
pixels = {}
for batch in Loader(path, batch_size=8, seed=int(seed), shuffle_block=9, shuffle_window=2, jobs=4):
    pixels.update((row, bytes(memoryview(batch[0][slot]))) for slot, row in enumerate(batch.positions))
print(hashlib.sha256(b"".join(pixels[row] for row in sorted(pixels))).hexdigest())
"""


def epoch(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", EPOCH, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def results(processes: list[subprocess.Popen[str]]) -> set[str]:
    outputs = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes), outputs
    return {output for output, _ in outputs}


def times_sent(server: Server, size: int) -> list[int]:
    """How often each byte was sent in answer to a request after the one that opens the file."""
    times = [0] * size
    for request in server.requests:
        first, _, last = request.headers["range"].removeprefix("bytes=").partition("-")
        if "," in last or not first or not request.path.endswith(".tacozip"):
            continue  # refused by this server, the suffix of opening, and an index beside it that is not there
        for at in range(int(first), int(last) + 1):
            times[at] += 1
    return times


def test_processes_with_a_common_cache_request_each_byte_once(many: Server, tmp_path: Path) -> None:
    path = tmp_path / "served" / "many.tacozip"
    expected = results([epoch(path, "none", 1)])
    many.clear()
    assert results([epoch(many.url("many.tacozip"), tmp_path / "cache", 1) for _ in range(4)]) == expected
    assert max(times_sent(many, path.stat().st_size)) == 1
    many.clear()
    assert results([epoch(many.url("many.tacozip"), tmp_path / "cache", seed) for seed in (2, 3)]) == expected
    assert max(times_sent(many, path.stat().st_size)) == 0  # the next epochs, in another order
    cache = [file for file in (tmp_path / "cache").rglob("*") if file.is_file() and file.stat().st_size > 5000]
    damaged = cache[::3]
    size = sum(file.stat().st_size - 24 for file in damaged)  # which have a header of 24 bytes
    for file in damaged:
        file.write_bytes(file.read_bytes()[:-1] + b"?")
    many.clear()
    assert results([epoch(many.url("many.tacozip"), tmp_path / "cache", 1) for _ in range(4)]) == expected
    times = times_sent(many, path.stat().st_size)
    assert max(times) == 1
    assert size <= sum(times) < path.stat().st_size  # with small gaps, which are read along


def test_a_killed_process_does_not_hold_others_up(many: Server, tmp_path: Path) -> None:
    path = tmp_path / "served" / "many.tacozip"
    expected = results([epoch(path, "none", 1)])
    many.clear()
    many.rules.insert(0, Rule("stall", "*.tacozip", at=2, times=1))
    stalled = epoch(many.url("many.tacozip"), tmp_path / "cache", 1)
    while len(many.requests) < 2:
        time.sleep(0.01)
    waiting = epoch(many.url("many.tacozip"), tmp_path / "cache", 1)
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(2)
    stalled.kill()
    stalled.communicate()
    assert results([waiting]) == expected
