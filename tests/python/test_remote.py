"""Remote datasets from Python: options, threads, pickles, the disk cache, and Ctrl-C. tests/remote has the rest."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import tacore
from tacore import describe, raster
from tacore.loader import Loader

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
    assert remote.sql("SELECT count(*) AS n FROM level1").data[0] == local.sql("SELECT count(*) AS n FROM level1").data[0]
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
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
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
