"""Datasets in other processes and threads, and what is left at the end."""

from __future__ import annotations

import concurrent.futures
import copy
import gc
import multiprocessing
import os
import pickle
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
    """A query that no statistics shorten: no row of a product of tables of 5 rows matches."""
    tables = ", ".join(f"data t{n}" for n in range(num_tables))
    terms = " + ".join(f"sin(t{n}.cloud_cover)" for n in range(num_tables))
    return f"SELECT count(*) AS n FROM {tables} WHERE {terms} > 99"


ENDLESS = product(14)


def run(code: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False, **options
    )


def clean(done: subprocess.CompletedProcess[str]) -> None:
    """It went well, and nothing was said: no leak, no crash, no unraisable exception."""
    assert (done.returncode, done.stderr) == (0, "")


def total(dataset: tacore.TacoDataset) -> tuple[int, bytes]:
    """What a process that got a dataset makes of it: a query, navigation and bytes."""
    rows = dataset.sql("SELECT * FROM data WHERE id <> 'asia'").data
    return len(rows), dataset.data.read_bytes("asia/item_1")


def of_frame(rows: tacore.TacoDataFrame) -> list[bytes]:
    return [bytes(rows.read_bytes(at)) for at in range(len(rows))]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_take_datasets_and_frames(golden: Path, method: str) -> None:
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


def test_closures_travel(golden: Path) -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    dataset = tacore.load(golden / "cascade_tacocat", backend="polars").filter_bbox(-10, 35, 5, 44, level=2)
    rows = dataset.data.read(0)
    task = cloudpickle.loads(cloudpickle.dumps(lambda: (list(dataset.data), list(rows), dataset._backend)))
    assert task() == (list(dataset.data), list(rows), "polars")


def test_errors_travel(golden: Path, tmp_path: Path) -> None:
    for act in (lambda: tacore.load(tmp_path / "x.zip"), lambda: tacore.load(golden / "flat.tacozip").read(9)):
        with pytest.raises(tacore.TacoError) as caught:
            act()
        again = pickle.loads(pickle.dumps(caught.value))
        assert type(again) is type(caught.value) and str(again) == str(caught.value)
        assert (again.message, again.path, again.level) == (caught.value.message, caught.value.path, caught.value.level)


def test_a_recipe_is_all_that_is_pickled(golden: Path) -> None:
    dataset = tacore.load(golden / "nested.tacozip")
    dataset.data._native()
    assert len(pickle.dumps(dataset)) < 1000 and len(pickle.dumps(dataset.data)) < 1000
    for each in (copy.copy(dataset), copy.deepcopy(dataset), pickle.loads(pickle.dumps(dataset))):
        assert each.id == dataset.id and total(each) == total(dataset)
    gone = pickle.dumps(tacore.concat([dataset, dataset]).sql("SELECT * FROM data LIMIT 4").data[1:3])
    assert len(pickle.loads(gone)) == 2


def test_unpickling_where_the_file_is_gone_says_so(golden: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.tacozip"
    path.write_bytes((golden / "flat.tacozip").read_bytes())
    pickled = pickle.dumps(tacore.load(path).data)
    path.unlink()
    with pytest.raises(FileNotFoundError, match="x.tacozip"):
        pickle.loads(pickled)


# Forks.


def in_child(work: Callable[[], bool]) -> None:
    """`work` in a forked child, which must end well and soon."""
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


def test_a_fork_while_other_threads_work(golden: Path) -> None:
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


def test_messages_of_sixteen_threads_do_not_lock_up(golden: Path) -> None:
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


def test_messages_do_not_lock_up_those_who_read_streams_with_the_interpreter(golden: Path) -> None:
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


def test_a_handler_that_fails_stops_nothing(golden: Path) -> None:
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
def test_nothing_is_said_at_the_end(golden: Path, code: str) -> None:
    clean(run(f"import tacore\nd = tacore.load({str(golden / 'nested.tacozip')!r})\n{code}"))


def test_the_end_does_not_wait_for_threads(golden: Path) -> None:
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


def test_nothing_grows(golden: Path) -> None:
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


def test_closing_lets_go_of_the_file(golden: Path, tmp_path: Path) -> None:
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


def test_other_signals_are_answered_and_the_query_goes_on(golden: Path) -> None:
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


def test_other_threads_run_while_one_waits(golden: Path) -> None:
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
