"""Datasets in other processes and threads, and at the exit of the interpreter."""

from __future__ import annotations

import concurrent.futures
import copy
import gc
import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tacore

pytestmark = pytest.mark.timeout(300)


def product(num_tables: int) -> str:
    """A long query that statistics cannot shorten: a cross join of 5-row tables without a match."""
    tables = ", ".join(f"data t{n}" for n in range(num_tables))
    terms = " + ".join(f"sin(t{n}.cloud_cover)" for n in range(num_tables))
    return f"SELECT count(*) AS n FROM {tables} WHERE {terms} > 99"


ENDLESS = product(14)


def run(code: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False, **options
    )


def clean(done: subprocess.CompletedProcess[str]) -> None:
    """Checks that a process succeeded without output: no leak, no crash, no unraisable exception."""
    assert (done.returncode, done.stderr) == (0, "")


def total(dataset: tacore.TacoDataset) -> tuple[int, bytes]:
    """Runs a query, navigation and a read on a dataset in another process."""
    rows = dataset.sql("SELECT * FROM data WHERE id <> 'asia'").data
    return len(rows), dataset.data.read_bytes("asia/item_1")


def of_frame(rows: tacore.TacoDataFrame) -> list[bytes]:
    return [bytes(rows.read_bytes(at)) for at in range(len(rows))]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_datasets_and_frames_can_be_sent_to_processes(golden: Path, method: str) -> None:
    dataset = tacore.load(golden / "nested.tacozip")
    frame = dataset.data.read("asia")[1:]
    expected = total(dataset)
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        futures = [pool.submit(total, dataset) for _ in range(4)] + [
            pool.submit(total, dataset.sql("SELECT * FROM data"))
        ]
        frames = [pool.submit(of_frame, frame) for _ in range(4)]
        assert [future.result(120) for future in futures] == [expected] * 5
        assert [future.result(120) for future in frames] == [of_frame(frame)] * 4


def test_closures_over_datasets_can_be_pickled(golden: Path) -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    dataset = tacore.load(golden / "cascade_tacocat", backend="polars").filter_bbox(-10, 35, 5, 44, level=2)
    rows = dataset.data.read(0)
    task = cloudpickle.loads(cloudpickle.dumps(lambda: (list(dataset.data), list(rows), dataset._backend)))
    assert task() == (list(dataset.data), list(rows), "polars")


def test_errors_can_be_pickled(golden: Path, tmp_path: Path) -> None:
    for act in (lambda: tacore.load(tmp_path / "x.zip"), lambda: tacore.load(golden / "flat.tacozip").read(9)):
        with pytest.raises(tacore.TacoError) as caught:
            act()
        again = pickle.loads(pickle.dumps(caught.value))
        assert type(again) is type(caught.value) and str(again) == str(caught.value)
        assert (again.message, again.path, again.level) == (caught.value.message, caught.value.path, caught.value.level)


def test_a_dataset_is_pickled_as_its_path_and_steps(golden: Path) -> None:
    dataset = tacore.load(golden / "nested.tacozip")
    dataset.data._native()
    assert len(pickle.dumps(dataset)) < 1000 and len(pickle.dumps(dataset.data)) < 1000
    for each in (copy.copy(dataset), copy.deepcopy(dataset), pickle.loads(pickle.dumps(dataset))):
        assert each.id == dataset.id and total(each) == total(dataset)
    gone = pickle.dumps(tacore.concat([dataset, dataset]).sql("SELECT * FROM data LIMIT 4").data[1:3])
    assert len(pickle.loads(gone)) == 2


def test_unpickling_without_the_file_is_an_error(golden: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.tacozip"
    path.write_bytes((golden / "flat.tacozip").read_bytes())
    pickled = pickle.dumps(tacore.load(path).data)
    path.unlink()
    with pytest.raises(FileNotFoundError, match="x.tacozip"):
        pickle.loads(pickled)


# Pickles: what shows, or an error.

RANDOM = [
    "SELECT * FROM data ORDER BY random() LIMIT 5",
    "SELECT * FROM data USING SAMPLE 5",
    "SELECT * FROM data WHERE random() < 0.5",
    "SELECT id, type, random() AS r FROM data ORDER BY r",
    'SELECT *, random() AS r, "internal:gdal_vsi" FROM data',
    # Equal rows may come in another order, as do those of joins.
    "SELECT * FROM data ORDER BY type",
    "SELECT d.* FROM data d JOIN level0 l ON d.id = l.id",
    "SELECT DISTINCT ON (type) * FROM data",
]
LANDSAT = Path(__file__).parents[2] / "examples" / "data" / "landsat.tacozip"


def shown(frame: Any) -> list[Any]:
    """The rows and the samples that they read, if any."""
    try:
        places = [frame.read(at) for at in range(len(frame))]
    except tacore.TacoNavigationError:
        places = [None] * len(frame)
    return list(zip(frame, places))


@pytest.mark.parametrize("query", RANDOM)
def test_a_pickled_frame_keeps_its_rows(query: str) -> None:
    """random() is not evaluated again."""
    view = tacore.load(LANDSAT).sql(query)
    for frame in (view.data, view.data[1:4], view.data.filter("random() < 0.7"), view.data.with_column("x", "random()")):
        again = pickle.loads(pickle.dumps(frame))
        assert shown(again) == shown(frame) and again.columns == frame.columns
        assert shown(pickle.loads(pickle.dumps(again))) == shown(frame)
        assert shown(again[::-1]) == shown(frame[::-1])
        if "SELECT *" in query and len(frame) > 1:
            assert again.read_bytes(1) == frame.read_bytes(1)


@pytest.mark.parametrize("name", ["nested.tacozip", "nested", "cascade_tacocat", "flat_padded.tacozip"])
def test_children_and_views_of_every_container_can_be_pickled(golden: Path, name: str) -> None:
    dataset = tacore.load(golden / name)
    views = [dataset, dataset.sql("SELECT * FROM data ORDER BY random()"), tacore.concat([dataset, dataset])]
    views.append(tacore.concat([views[1], dataset]).sql("SELECT * FROM data USING SAMPLE 3"))
    for view in views:
        for frame in (view.data, view.data_raw, view.data.filter("random() >= 0")):
            again = pickle.loads(pickle.dumps(frame))
            assert list(again) == list(frame)
            for at in range(len(frame)):
                found, expected = again.read(at), frame.read(at)
                if isinstance(expected, str):
                    assert found == expected
                else:
                    assert list(found) == list(expected)
                    assert list(pickle.loads(pickle.dumps(expected))) == list(expected)
                    if isinstance(expected.read(0), str):
                        assert pickle.loads(pickle.dumps(expected)).read_bytes(0) == expected.read_bytes(0)


@pytest.mark.parametrize("query", RANDOM)
def test_a_pickled_dataset_keeps_its_rows(query: str) -> None:
    """Pickled before or after its rows were computed, and in views derived later."""
    drawn = tacore.load(LANDSAT).sql(query)
    views = [drawn, drawn.sql("SELECT * FROM data"), drawn.sql("SELECT * FROM data LIMIT 2")]
    if "SELECT *" in query:
        views += [tacore.concat([drawn, drawn]), drawn.filter_bbox(-180, -90, 180, 90)]
    for view in views:
        again = pickle.loads(pickle.dumps(view))
        assert shown(again.data) == shown(view.data)
        assert shown(pickle.loads(pickle.dumps(again)).data) == shown(view.data)
        assert list(again.sql("SELECT id FROM data").data) == list(view.sql("SELECT id FROM data").data)
    drawn.close()
    assert shown(pickle.loads(pickle.dumps(views[1])).data) == shown(views[1].data)


def test_a_pickled_frame_has_the_children_of_its_rows(golden: Path) -> None:
    view = tacore.load(golden / "nested.tacozip").sql("SELECT * FROM data ORDER BY random() LIMIT 1")
    view = view.filter_bbox(-180, -90, 180, 90, level=1)
    for _ in range(5):
        again = pickle.loads(pickle.dumps(view.data))
        assert list(again) == list(view.data) and list(again.read(0)) == list(view.data.read(0))


def test_a_pickle_of_a_folder_records_its_file_versions(golden: Path, tmp_path: Path) -> None:
    """Files of a FOLDER have no checksum, but a size and a modification time."""
    path = tmp_path / "f"
    shutil.copytree(golden / "nested", path)
    dataset = tacore.load(path)
    pickled = [pickle.dumps(each) for each in (dataset, dataset.data, dataset.data.read(0))]
    for each in pickled:
        pickle.loads(each)
    file = next(each for each in sorted(path.glob("DATA/*/*")) if each.name != "__meta__")
    os.utime(file, (1e9, 1e9))
    for each in pickled:
        with pytest.raises(tacore.TacoError, match="changed since it was pickled"):
            pickle.loads(each)


def test_row_keys_are_pickled_instead_of_tables(golden: Path) -> None:
    rows = tacore.load(golden / "flat.tacozip").sql("SELECT * FROM data ORDER BY random()").data
    assert len(rows._core.serialize()) < 4000
    assert b"valencia" not in rows._core.serialize()
    assert b"valencia" in rows.with_column("id2", "id")._core.serialize()
    for wrong in (b"", b"nonsense", rows._core.serialize()[:-40]):
        with pytest.raises(tacore.TacoError):
            tacore._core.deserialize(tacore.load(golden / "flat.tacozip")._core, wrong)


def test_columns_set_in_python_stay_with_their_rows() -> None:
    """The visible id belongs to the pixels that are read."""
    frame = tacore.load(LANDSAT).sql("SELECT * FROM data ORDER BY random() LIMIT 8").data
    frame["w"] = list(range(8))
    again = pickle.loads(pickle.dumps(frame))
    whole = tacore.load(LANDSAT).data
    for at, row in enumerate(again):
        assert row["w"] == at and again.read_bytes(at) == whole.read_bytes(row["id"])


def of_shown(frame: Any) -> Any:
    return shown(frame)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_have_the_rows_of_their_parent(method: str) -> None:
    """TorchDataset, Loader and rasters hold such frames."""
    from tacore import raster
    from tacore.loader import TorchDataset

    frame = tacore.load(LANDSAT).sql("SELECT * FROM data ORDER BY random() LIMIT 6").data
    data = TorchDataset(frame)
    opened = raster.open_raster(frame, 2)
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        found = [pool.submit(of_shown, frame) for _ in range(4)]
        samples = [pool.submit(data.__getitem__, at) for at in range(6)]
        pixels = pool.submit(opened.read)
        assert [future.result(120) for future in found] == [shown(frame)] * 4
        for at in range(6):
            assert (samples[at].result(120)[0] == raster.read_tensor(frame, at)).all()
        assert (pixels.result(120) == raster.read_tensor(frame, 2)).all()


def replaced(path: Path, how: str) -> None:
    """The same dataset in another version: other rows, other pixels of equal size, or another collection."""
    data = bytearray(LANDSAT.read_bytes())
    if how == "rows":
        rows = tacore.load(LANDSAT).sql("SELECT * FROM data ORDER BY id DESC LIMIT 9")
        tacore.export(rows, path, overwrite=True, progress=False)
        return
    if how == "pixels":
        samples = tacore.transform.to_taco(tacore.load(LANDSAT))
        made = [tacore.datamodel.Sample(id=each.id, path=bytes(each.read_bytes()[:-1] + b"\1")) for each in samples.tortilla]
        tacore.create(
            tacore.datamodel.Taco(tacore.datamodel.Tortilla(made), **about()), path, overwrite=True
        )
        return
    path.unlink()
    path.write_bytes(data)
    tacore.transform.edit(path, {"title": "another"}, progress=False)


def about() -> dict[str, Any]:
    return {
        "id": "landsat", "dataset_version": "1", "description": "d", "licenses": ["MIT"],
        "providers": [{"name": "p"}], "tasks": ["other"],
    }  # fmt: skip


@pytest.mark.parametrize("how", ["rows", "pixels", "collection"])
def test_a_replaced_file_is_not_unpickled(tmp_path: Path, how: str) -> None:
    """Unpickling opens the same version of the file or is an error."""
    from tacore import raster
    from tacore.loader import Loader

    path = tmp_path / "x.tacozip"
    if how == "pixels":  # columns of equal values before and after
        made = [
            tacore.datamodel.Sample(id=each.id, path=each.read_bytes())
            for each in tacore.transform.to_taco(tacore.load(LANDSAT)).tortilla
        ]
        tacore.create(tacore.datamodel.Taco(tacore.datamodel.Tortilla(made), **about()), path)
    else:
        path.write_bytes(LANDSAT.read_bytes())
    dataset = tacore.load(path)
    random = dataset.sql("SELECT * FROM data ORDER BY random()").data
    objects = [dataset, dataset.data, dataset.data[2:4], random, raster.open_raster(dataset, 0), Loader(dataset.data)]
    pickled = [pickle.dumps(each) for each in objects]
    for each in pickled:
        pickle.loads(each)
    replaced(path, how)
    for each in pickled:
        with pytest.raises(tacore.TacoError, match="changed since it was pickled") as caught:
            pickle.loads(each)
        assert caught.value.path == str(path)
    with pytest.raises(tacore.TacoError, match="changed since it was pickled"):
        pickle.loads(pickle.dumps(dataset.data))  # what is open is still the old one
    assert len(dataset.data) == 16


def test_a_pickled_raster_of_a_replaced_file_is_an_error(tmp_path: Path) -> None:
    from tacore import raster

    rows = tacore.load(LANDSAT).data
    path = tmp_path / "x.tif"
    path.write_bytes(rows.read_bytes(0))
    opened = raster.open_raster(path)
    pickled = pickle.dumps(opened)
    assert (pickle.loads(pickled).read() == opened.read()).all()
    path.unlink()
    path.write_bytes(rows.read_bytes(1))
    with pytest.raises(tacore.TacoError, match="changed since it was pickled"):
        pickle.loads(pickled)
    with pytest.raises(tacore.TacoError, match="changed since it was opened"):
        pickle.dumps(opened)


def test_a_relative_path_is_resolved_when_it_is_loaded(
    golden: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another folder may have a dataset of the same name."""
    from tacore import raster

    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (here / "x.tacozip").write_bytes(LANDSAT.read_bytes())
    (there / "x.tacozip").write_bytes((golden / "flat.tacozip").read_bytes())
    (here / "x.tif").write_bytes(tacore.load(LANDSAT).data.read_bytes(0))
    monkeypatch.chdir(here)
    dataset = tacore.load("x.tacozip", backend="pyarrow")
    frame = dataset.data
    changed = dataset.data
    changed["w"] = 1
    opened = raster.open_raster("x.tif")
    monkeypatch.chdir(there)
    again = pickle.loads(pickle.dumps(frame))
    assert [row["id"] for row in again] == [row["id"] for row in frame]
    assert again.read(0).endswith(f",{here}/x.tacozip") and again.read_bytes(0) == frame.read_bytes(0)
    assert pickle.loads(pickle.dumps(dataset)).id == dataset.id
    assert all(row["internal:gdal_vsi"].endswith(f",{here}/x.tacozip") for row in pickle.loads(pickle.dumps(changed)))
    assert (pickle.loads(pickle.dumps(opened)).read() == raster.read_tensor(again, 0)).all()


def test_remote_options_are_pickled(golden: Path) -> None:
    """The options in force when the dataset was loaded."""
    code = f"""
import pickle, sys, tacore
tacore.set_storage_options(headers={{"Authorization": "Bearer x"}}, max_tries=2)
dataset = tacore.load({str(golden / "flat.tacozip")!r})
tacore.set_storage_options()
kind, path, base, partial, remote, *more = dataset._recipe[0]
assert remote == {{"headers": {{"Authorization": "Bearer x"}}, "max_tries": 2}}, remote
assert pickle.loads(pickle.dumps(dataset))._recipe[0][4] == remote
assert tacore.load({str(golden / "flat.tacozip")!r}, storage_options={{"timeout": 3}})._recipe[0][4] == {{"timeout": 3}}
"""
    clean(run(code))


# Forks.


def in_child(work: Callable[[], bool]) -> None:
    """Runs `work` in a forked child, which must succeed in time."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(60)
            code = 0 if work() else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


def test_a_forked_child_reads_what_its_parent_opened(golden: Path) -> None:
    dataset = tacore.load(golden / "nested.tacozip")
    rows, expected = dataset.data, total(dataset)
    for _ in range(3):
        in_child(
            lambda: total(dataset) == expected and rows.read_bytes("asia/item_0") == b"asia/item_0" and list(rows) != []
        )
    in_child(lambda: [in_child(lambda: total(dataset) == expected)] == [None])
    assert total(dataset) == expected


def test_a_process_can_fork_while_other_threads_work(golden: Path) -> None:
    dataset = tacore.load(golden / "nested.tacozip")
    expected, stop = total(dataset), threading.Event()

    def work() -> None:
        while not stop.is_set():
            total(tacore.load(golden / "nested.tacozip"))

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    try:
        for _ in range(5):
            in_child(lambda: total(dataset) == expected and total(tacore.load(golden / "nested.tacozip")) == expected)
    finally:
        stop.set()
        [thread.join() for thread in threads]


# Threads.


def test_sixteen_threads_read_one_dataset(golden: Path) -> None:
    dataset = tacore.load(golden / "nested.tacozip")
    rows, expected = dataset.data, total(dataset)

    def work(n: int) -> Any:
        ids = [row["id"] for row in dataset.filter_datetime("2000-01-01/..", level=1).data]
        name = list(rows)[n % 3]["id"]
        return (
            total(dataset) == expected and rows.read(n % 3).read_bytes(0) == rows.read_bytes(f"{name}/item_0") and ids
        )

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(160)))


def test_log_messages_of_sixteen_threads_do_not_deadlock(golden: Path) -> None:
    clean_but_loud = run(
        f"""
import concurrent.futures, gc, io, logging, tacore
tacore.verbose("debug")
logger = logging.getLogger("tacore")
logger.handlers[0].setStream(io.StringIO())
def work(n):
    dataset = tacore.load({str(golden / "nested.tacozip")!r})
    len(dataset.sql(f"SELECT * FROM data LIMIT {{n % 4}}").data)
    dataset.data.read_bytes("asia/item_1")
    tacore.verbose("debug" if n % 2 else "info")
    gc.collect()
    return repr(dataset)
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    assert len(set(pool.map(work, range(200)))) == 1
assert "SELECT" in logger.handlers[0].stream.getvalue()
"""
    )
    clean(clean_but_loud)


def test_log_messages_do_not_deadlock_readers_of_arrow_streams(golden: Path) -> None:
    polars = pytest.importorskip("polars")
    assert polars
    clean(
        run(
            f"""
import concurrent.futures, io, logging, polars, tacore
tacore.verbose("debug")
logging.getLogger("tacore").handlers[0].setStream(io.StringIO())
def work(n):
    dataset = tacore.load({str(golden / "cascade_tacocat")!r}, backend="polars" if n % 2 else "pyarrow")
    return len(dataset.sql("SELECT * FROM level1").data._native()) + len(polars.DataFrame(dataset.data)) + len(
        tacore._core.rows(dataset.data_raw)
    )
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    assert set(pool.map(work, range(200))) == {{16}}
"""
        )
    )


def test_a_failing_log_handler_does_not_stop_the_call(golden: Path) -> None:
    done = run(
        f"""
import logging, tacore
class Failing(logging.Handler):
    def emit(self, record):
        raise RuntimeError("handler")
logging.raiseExceptions = False
logger = logging.getLogger("tacore"); logger.addHandler(Failing()); logger.setLevel("DEBUG")
tacore.verbose("debug")
assert len(tacore.load({str(golden / "flat.tacozip")!r}).sql("SELECT * FROM data").data) == 5
"""
    )
    assert done.returncode == 0


# Ends.


@pytest.mark.parametrize(
    "code",
    [
        "rows = d.data; child = rows.read(0); table = child.to_arrow()",
        "box = [d]; box.append(box); frame = d.data; frame['x'] = 1; cycle = [frame]; cycle.append(cycle)",
        "import sys; sys.keep = [d, d.data, d.data.read(0), d.sql('SELECT * FROM data').data]",
        "import atexit; atexit.register(lambda: print(len(d.sql('SELECT * FROM data').data), file=open('/dev/null', 'w')))",
        "it = iter(d.data); next(it)",
        "method = d.data.slice; loc = d.data.to_pandas().loc",
        "stream = d.data.__arrow_c_stream__()",
        "import tacore._core as c; keep = c.DataFrame.read, c.Dataset.sql",
        "\ntry:\n    d.read(99)\nexcept Exception as error:\n    kept = error",
        "class Sub(tacore.TacoDataFrame): pass\nsub = Sub(d.data._core, d.data._origin, 'pyarrow'); sub.own = sub; sub.read(0)",
        "tacore.verbose('debug'); import logging; logging.disable(); len(d.data)",
    ],
)
def test_the_interpreter_exits_without_messages(golden: Path, code: str) -> None:
    clean(run(f"import tacore\nd = tacore.load({str(golden / 'nested.tacozip')!r})\n{code}"))


def test_the_interpreter_exit_does_not_wait_for_threads(golden: Path) -> None:
    for act in ("len(d.sql(Q).data)", "[list(d.sql('SELECT * FROM data').data) for _ in range(10**9)]"):
        started = time.monotonic()
        done = run(
            f"""
import threading, time, tacore
Q = {ENDLESS!r}
d = tacore.load({str(golden / "flat.tacozip")!r})
for _ in range(3):
    threading.Thread(target=lambda: {act}, daemon=True).start()
time.sleep(1)
"""
        )
        clean(done)
        assert time.monotonic() - started < 30


def test_repeated_use_leaks_no_memory(golden: Path) -> None:
    resource = pytest.importorskip("resource")

    def work() -> None:
        dataset = tacore.load(golden / "nested.tacozip")
        rows = dataset.sql("SELECT * FROM data WHERE id <> 'x'").data
        rows.read(0).read_bytes(0)
        list(rows)
        repr(rows)

    for _ in range(100):
        work()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(400):
        work()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000, "kilobytes"


def test_close_closes_the_file(golden: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.tacozip"
    path.write_bytes((golden / "flat.tacozip").read_bytes())

    def is_open() -> bool:
        return any(os.path.realpath(f"/proc/self/fd/{fd}") == str(path) for fd in os.listdir("/proc/self/fd"))

    dataset = tacore.load(path)
    dataset.data.read_bytes(0)
    dataset.close()
    gc.collect()
    assert not is_open()
    frame = tacore.load(path).data
    gone = weakref.ref(frame)
    del frame
    assert gone() is None and not is_open()


# Signals.


def test_ctrl_c_stops_a_query(golden: Path) -> None:
    done = run(
        f"""
import os, signal, threading, time, tacore
d = tacore.load({str(golden / "flat.tacozip")!r})
len(d.sql("SELECT * FROM data").data)
for act in (lambda: len(d.sql({ENDLESS!r}).data), lambda: d.sql({ENDLESS!r}).pit_schema):
    pressed = []
    threading.Timer(1, lambda: (pressed.append(time.monotonic()), os.kill(os.getpid(), signal.SIGINT))).start()
    try:
        act()
    except KeyboardInterrupt:
        assert time.monotonic() - pressed[0] < 30  # the query would run for days
    else:
        raise SystemExit("not stopped")
    assert len(d.sql("SELECT * FROM data WHERE cloud_cover > 30").data) == 3
"""
    )
    clean(done)


def test_other_signals_are_handled_and_the_query_continues(golden: Path) -> None:
    done = run(
        f"""
import signal, tacore
seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
d = tacore.load({str(golden / "flat.tacozip")!r})
for query in {[product(size) for size in range(8, 13)]!r}:  # one of them takes long enough, however fast this is
    seen.clear()
    assert next(iter(d.sql(query).data)) == {{"n": 0}}
    if len(seen) > 1:
        break
assert len(seen) > 1
def stop(*_):
    raise TimeoutError("enough")
signal.signal(signal.SIGALRM, stop)
try:
    len(d.sql({ENDLESS!r}).data)
except TimeoutError as error:
    assert str(error) == "enough" and error.__cause__ is None
signal.setitimer(signal.ITIMER_REAL, 0)
"""
    )
    clean(done)


def test_other_threads_run_during_a_query(golden: Path) -> None:
    done = run(
        f"""
import os, threading, time, tacore
d = tacore.load({str(golden / "flat.tacozip")!r})
threading.Thread(target=lambda: len(d.sql({ENDLESS!r}).data), daemon=True).start()
time.sleep(0.2)
for _ in range(100):  # would wait for days, if the query held the interpreter
    d.data.read(0); time.sleep(0.001)
os._exit(0)
"""
    )
    clean(done)
