"""Work on many machines gives the results of one machine."""

from __future__ import annotations

import functools
import gc
import importlib
import itertools
import os
import pickle
import random
import struct
import sys
import types
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import tacore
from tacore import _core, _engines, _row_tasks, distributed, raster
from tacore.datamodel import Sample, Taco, Tortilla

EXAMPLES = Path(__file__).parents[2] / "examples" / "data"
ABOUT: dict[str, Any] = {
    "id": "made",
    "dataset_version": "1.0.0",
    "description": "Made by a test",
    "licenses": ["MIT"],
    "providers": [{"name": "tacore"}],
    "tasks": ["other"],
}


def part(first: int, count: int, **metadata: Any) -> Taco:
    samples = [Sample(id=f"s{n}", path=str(n).encode(), number=n, **metadata) for n in range(first, first + count)]
    return Taco(Tortilla(samples), **ABOUT)


def broken(name: str) -> Taco:
    raise KeyError(name)


def refused() -> Taco:
    return Taco(Tortilla([Sample(id="a", path=b"")]), **{**ABOUT, "tasks": ["none-of-them"]})


def dies() -> Taco:
    os._exit(1)


PARTS = {
    "one": functools.partial(part, 0, 3),
    "two": functools.partial(part, 3, 2),
    "three": functools.partial(part, 5, 4),
}


class FakeRay(types.ModuleType):
    """Of the module `ray` what is used: tasks by `remote`, results by `get`."""

    class _Remote:
        def __init__(self, function: Callable[..., Any]) -> None:
            self._function = function

        def remote(self, *arguments: Any) -> bytes:
            function, arguments = pickle.loads(pickle.dumps((self._function, arguments)))
            return pickle.dumps(function(*arguments))

    def __init__(self) -> None:
        super().__init__("ray")
        self.cancelled = 0

    def remote(self, function: Callable[..., Any]) -> _Remote:
        return self._Remote(function)

    def get(self, reference: bytes) -> Any:
        return pickle.loads(reference)

    def cancel(self, reference: bytes) -> None:
        self.cancelled += 1

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0}


@pytest.fixture(scope="module")
def dask_client() -> Iterator[Any]:
    dask = pytest.importorskip("distributed")
    # A process of a busy machine may take longer than the usual 30 s to answer, and would count as lost.
    patient = importlib.import_module("dask").config.set({"distributed.comm.timeouts.connect": "300s"})
    with (
        patient,
        dask.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        dask.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.fixture(params=["default", "threads", "processes", "ray", "dask"])
def client(request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param == "dask":
        yield request.getfixturevalue("dask_client")
    elif request.param == "ray":
        yield FakeRay()
    elif request.param == "processes":
        yield request.getfixturevalue("processes")
    elif request.param == "threads":
        with ThreadPoolExecutor(2) as pool:
            yield pool
    else:
        yield None


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a dataset, without the records of its creation."""
    files = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if not name.startswith(".parts/")}


# ---------------------------------------------------------------------------------------------------------- partitions


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files that one machine writes, one after another."""
    folder = tmp_path_factory.mktemp("expected")
    for name, make in PARTS.items():
        tacore.create(make(), folder / f"{name}.tacozip")
    tacore.create_tacocat([folder / f"{name}.tacozip" for name in PARTS], folder)
    return contents(folder)


def test_partitions_and_index_equal_those_of_one_machine(
    client: Any, tmp_path: Path, expected: dict[str, bytes]
) -> None:
    seen: list[tuple[int, int]] = []
    made = distributed.create_partitions(PARTS, tmp_path / "new", client, progress=lambda *at: seen.append(at))
    assert made == distributed.Partitions(tmp_path / "new" / ".tacocat", 9, 0, [])
    assert contents(tmp_path / "new") == expected
    assert os.listdir(tmp_path) == ["new"]
    assert seen == [(1, 3), (2, 3), (3, 3)]
    dataset = tacore.load(made.path)
    assert dataset.data.to_arrow()["number"].to_pylist() == list(range(9))
    assert [dataset.data.read_bytes(n) for n in range(9)] == [str(n).encode() for n in range(9)]


@pytest.mark.parametrize("has_frozen", [False, True])
def test_older_objects_are_hidden_from_the_search_for_cycles_only_while_a_part_is_made(
    tmp_path: Path, has_frozen: bool
) -> None:
    seen = []

    def make() -> Taco:
        seen.append(gc.get_freeze_count())
        return next(iter(PARTS.values()))()

    if has_frozen:
        gc.freeze()
    before = gc.get_freeze_count()
    try:
        with ThreadPoolExecutor(1) as pool:
            distributed.create_partitions({"p": make}, tmp_path / "out", pool, progress=False)
        after = gc.get_freeze_count()
        # Objects that were frozen before may be freed meanwhile, but no object is added to them.
        assert (before - 1000 < after <= seen[0] <= before) if has_frozen else (after == 0 and seen[0] > 1000)
    finally:
        gc.unfreeze()


def test_datasets_and_lists_are_accepted_as_partitions(client: Any, tmp_path: Path) -> None:
    distributed.create_partitions([part(0, 2), part(2, 1)], tmp_path, client, prefix="p", compression="snappy")
    assert sorted(os.listdir(tmp_path)) == [".parts", ".tacocat", "p0001.tacozip", "p0002.tacozip"]
    assert tacore.load(tmp_path).data.to_arrow()["number"].to_pylist() == [0, 1, 2]


@pytest.mark.parametrize(("num_partitions", "sizes"), [(1, [7]), (3, [2, 3, 2]), (7, [1] * 7), (100, [1] * 7)])
def test_one_dataset_is_split_with_all_its_columns(
    client: Any, tmp_path: Path, num_partitions: int, sizes: list[int]
) -> None:
    taco = part(0, 7)
    taco.tortilla.extend_with({"score": [n / 2 for n in range(6)] + [None]})
    taco.extend_with({"mine:key": [1]})
    distributed.create_partitions(taco, tmp_path, client, num_partitions=num_partitions)
    parts = [tacore.load(path) for path in sorted(tmp_path.glob("*.tacozip"))]
    assert [len(each.data) for each in parts] == sizes
    rows = tacore.load(tmp_path).data.to_arrow()
    assert rows["number"].to_pylist() == list(range(7))
    assert rows["score"].to_pylist() == [n / 2 for n in range(6)] + [None]
    assert tacore.load(tmp_path).collection["mine:key"] == [1]


def test_a_failing_part_is_named_and_nothing_is_visible(client: Any, tmp_path: Path) -> None:
    def made(parts: Any, name: str, **options: Any) -> distributed.Partitions:
        return distributed.create_partitions(parts, tmp_path / name, client, **options)

    with pytest.raises(tacore.TacoCreationError, match="partition bad: KeyError: 'x'") as caught:
        made({**PARTS, "bad": functools.partial(broken, "x")}, "1")
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(tacore.TacoValidationError, match="partition bad: .*none-of-them"):
        made({"bad": refused, **PARTS}, "2")
    with pytest.raises(tacore.TacoIOError, match="stopped"):
        made(PARTS, "3", progress=lambda done, total: False)
    with pytest.raises(ZeroDivisionError):
        made(PARTS, "4", progress=lambda done, total: 1 // 0)
    other = {**PARTS, "other": functools.partial(part, 9, 1, extra=1)}
    with pytest.raises(tacore.TacoSchemaError, match="extra .* missing in partition one and int64 in partition other"):
        made(other, "5")
    for name in "12345":
        assert os.listdir(tmp_path / name) == [".parts"]
    index = made(other, "6", validate_schema=False).path
    assert tacore.load(index).data.to_arrow()["extra"].to_pylist() == [None] * 9 + [1]


def test_existing_files_are_replaced_only_with_overwrite(tmp_path: Path) -> None:
    (tmp_path / "one.tacozip").write_bytes(b"of others")
    with pytest.raises(tacore.TacoValidationError, match="exists already") as caught:
        distributed.create_partitions(PARTS, tmp_path)
    assert caught.value.path == str(tmp_path / "one.tacozip")
    assert os.listdir(tmp_path) == ["one.tacozip"]
    distributed.create_partitions(PARTS, tmp_path, overwrite=True)
    before = contents(tmp_path)
    with pytest.raises(tacore.TacoValidationError, match="another plan, which differs in partition one"):
        distributed.create_partitions({"one": functools.partial(part, 100, 1)}, tmp_path)
    with pytest.raises(tacore.TacoCreationError):
        distributed.create_partitions({"one": functools.partial(broken, "x")}, tmp_path, overwrite=True)
    assert contents(tmp_path) == before
    distributed.create_partitions({"one": functools.partial(part, 100, 1)}, tmp_path, overwrite=True)
    assert tacore.load(tmp_path).data.to_arrow()["number"].to_pylist() == [100]


@pytest.mark.parametrize("parts", [{}, [], {"a/b": part}, {"": part}, {".a": part}])
def test_parts_need_names(tmp_path: Path, parts: Any) -> None:
    with pytest.raises(tacore.TacoValidationError):
        distributed.create_partitions(parts, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_unknown_clients_are_refused(tmp_path: Path) -> None:
    for client in ("dask", 4, object()):
        with pytest.raises(TypeError, match=r"dask\.distributed\.Client"):
            distributed.create_partitions(PARTS, tmp_path, client)
    with pytest.raises(tacore.TacoValidationError, match="num_partitions"):
        distributed.create_partitions(PARTS, tmp_path, num_partitions=2)
    assert os.listdir(tmp_path) == []


def test_a_lost_worker_is_an_error(tmp_path: Path) -> None:
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(tacore.TacoCreationError, match="partition gone"),
    ):
        distributed.create_partitions({"gone": dies}, tmp_path, pool)
    assert os.listdir(tmp_path) == [".parts"]


def test_dask_survives_a_lost_worker(tmp_path: Path, expected: dict[str, bytes]) -> None:
    dask = pytest.importorskip("distributed")
    with (
        dask.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        dask.Client(cluster) as client,
    ):
        killed: list[int] = []

        def kill(done: int, total: int) -> None:
            if not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], 9)

        distributed.create_partitions(PARTS, tmp_path, client, progress=kill)
    assert killed and contents(tmp_path) == expected


def test_the_current_dask_client_is_used(dask_client: Any, tmp_path: Path) -> None:
    pid = os.getpid()
    distributed.create_partitions({"a": lambda: part(os.getpid() != pid, 1)}, tmp_path)  # a closure
    assert tacore.load(tmp_path).data.to_arrow()["number"].to_pylist() == [1]


def test_ray_is_selected_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, bytes]) -> None:
    try:
        import ray  # noqa: F401
    except ImportError:
        with pytest.raises(tacore.TacoBackendError, match="pip install ray"):
            distributed.create_partitions(PARTS, tmp_path, "ray")
    fake = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", fake)
    monkeypatch.setattr(_engines, "require", lambda *_: None)
    distributed.create_partitions(PARTS, tmp_path, "ray")
    assert contents(tmp_path) == expected
    assert fake.cancelled == 0


# ---------------------------------------------------------------------------------------------------------- statistics


def states(made: Any) -> tuple[Any, ...]:
    return [band.__getstate__() for band in made.bands], made.num_samples, made.failures


def test_statistics_equal_those_of_one_machine_to_the_last_bit(client: Any) -> None:
    dataset = tacore.load(EXAMPLES / "landsat.tacozip")
    on_one = states(raster.compute_statistics(dataset))
    for num_tasks in (None, 1, 2, 3, 1000):
        assert states(distributed.compute_statistics(dataset, client, num_tasks=num_tasks)) == on_one
    some = dataset.data[1:4]
    assert states(distributed.compute_statistics(some, client, bands=[2, 1])) == states(
        raster.compute_statistics(some, bands=[2, 1])
    )
    assert states(distributed.compute_statistics(EXAMPLES / "landsat.tacozip", client)) == on_one


def test_statistics_are_of_the_visible_rows(client: Any) -> None:
    """Tasks do not evaluate random() again."""
    for query in ("SELECT * FROM data ORDER BY random() LIMIT 7", "SELECT * FROM data USING SAMPLE 5"):
        view = tacore.load(EXAMPLES / "landsat.tacozip").sql(query)
        assert states(distributed.compute_statistics(view, client, num_tasks=3)) == states(
            raster.compute_statistics(view)
        )


def test_workers_find_relative_paths(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers run in another working directory."""
    on_one = states(raster.compute_statistics(tacore.load(EXAMPLES / "landsat.tacozip")))
    monkeypatch.chdir(EXAMPLES)
    assert states(distributed.compute_statistics("landsat.tacozip", client)) == on_one


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_dataset_that_a_worker_cannot_open_is_an_error(client: Any, tmp_path: Path, how: str) -> None:
    """With Dask it used to hang."""
    if client is None or isinstance(client, ThreadPoolExecutor):
        pytest.skip("threads share what is open")
    path = tmp_path / "x.tacozip"
    path.write_bytes((EXAMPLES / "landsat.tacozip").read_bytes())
    rows = tacore.load(path).data
    path.unlink()
    if how == "replaced":
        path.write_bytes((EXAMPLES / "landsat_nested.tacozip").read_bytes())
    kind, text = (FileNotFoundError, "No such file") if how == "removed" else (tacore.TacoError, "changed since")
    with pytest.raises(kind, match=f"rows 0 to .*{text}"):
        distributed.compute_statistics(rows, client, num_tasks=2)


class Unopenable:
    """Fails where it is unpickled."""

    def __reduce__(self) -> Any:
        return refuse, ()


def refuse() -> None:
    raise tacore.TacoIOError("no such thing here")


def test_a_failure_while_a_task_is_unpickled_is_reported(dask_client: Any, tmp_path: Path) -> None:
    part = functools.partial(lambda unopened: unopened, Unopenable())
    with pytest.raises(tacore.TacoIOError, match="partition a: no such thing here"):
        distributed.create_partitions({"a": part}, tmp_path, dask_client)
    assert os.listdir(tmp_path) == [".parts"]


def tiff(seed: int) -> bytes:
    """8 x 8 random pixels, float32, whose sums depend on their order."""
    numbers = random.Random(seed)
    pixels = struct.pack("<64f", *(numbers.gauss(100, 5) for _ in range(64)))
    tags = {256: 8, 257: 8, 258: 32, 259: 1, 262: 1, 273: 8, 277: 1, 278: 8, 279: len(pixels), 339: 3}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
    return b"II*\0" + struct.pack("<I", 8 + len(pixels)) + pixels + struct.pack("<H", len(tags)) + entries + bytes(4)


def test_parts_of_several_rows_are_kept_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = [Sample(id=f"s{n}", path=tiff(n)) for n in range(2100)]
    tacore.create(Taco(Tortilla(samples), **ABOUT), tmp_path / "many.tacozip")
    rows = tacore.load(tmp_path / "many.tacozip").data[:2099]
    on_one = states(raster.compute_statistics(rows))
    assert _core.part_rows(len(rows)) == 2
    for num_tasks in (3, 7):
        assert states(distributed.compute_statistics(rows, num_tasks=num_tasks)) == on_one
    monkeypatch.setattr(_core, "part_rows", lambda num_rows: 1)
    assert states(distributed.compute_statistics(rows)) != on_one  # so it matters


def test_statistics_of_child_samples_report_progress(client: Any) -> None:
    dataset = tacore.load(EXAMPLES / "landsat_nested.tacozip")
    child = dataset.data.read(0).to_arrow()["id"][0].as_py()
    seen: list[tuple[int, int]] = []
    made = distributed.compute_statistics(
        dataset, client, child=child, num_tasks=2, progress=lambda *at: seen.append(at)
    )
    assert states(made) == states(raster.compute_statistics(dataset, child=child))
    assert seen == [(1, 2), (2, 2)]


def test_unreadable_samples_are_an_error_or_skipped(client: Any, tmp_path: Path) -> None:
    source = tacore.load(EXAMPLES / "landsat.tacozip").data
    data = [source.read_bytes(0), b"no raster", source.read_bytes(1), b"none"]
    path = tmp_path / "some.tacozip"
    tacore.create(Taco(Tortilla([Sample(id=f"s{n}", path=each) for n, each in enumerate(data)]), **ABOUT), path)
    made = distributed.compute_statistics(path, client, on_error="skip", num_tasks=2)
    on_one = raster.compute_statistics(tacore.load(path), on_error="skip")
    assert states(made) == states(on_one)
    assert [failure.position for failure in made.failures] == [1, 3]
    with pytest.raises(tacore.TacoError, match="rows 0 to 1: .*s1") as caught:
        distributed.compute_statistics(path, client, num_tasks=2)
    with pytest.raises(tacore.TacoError) as alone:
        raster.compute_statistics(tacore.load(path))
    assert type(caught.value) is type(alone.value) and caught.value.path == alone.value.path
    with pytest.raises(tacore.TacoQueryError, match="no samples"):
        distributed.compute_statistics(tacore.load(path).sql("SELECT * FROM data WHERE false"), client)


def test_samples_with_other_numbers_of_bands_are_refused(client: Any, tmp_path: Path) -> None:
    source = tacore.load(EXAMPLES / "landsat.tacozip").data
    nested = tacore.load(EXAMPLES / "landsat_nested.tacozip").data.read(0)
    shapes = {raster.open_raster(nested, n).shape[0]: nested.read_bytes(n) for n in range(len(nested))}
    shapes[raster.open_raster(source, 0).shape[0]] = source.read_bytes(0)
    if len(shapes) < 2:
        pytest.skip("all example rasters have as many bands")
    samples = [Sample(id=f"s{n}", path=each) for n, each in enumerate(shapes.values())]
    tacore.create(Taco(Tortilla(samples), **ABOUT), tmp_path / "x.tacozip")
    with pytest.raises(tacore.TacoQueryError, match="choose bands that all have"):
        distributed.compute_statistics(tmp_path / "x.tacozip", client, num_tasks=2)


# ---------------------------------------------------------------------------------------------------------- validation


def test_validation_of_many_datasets_equals_that_of_each(client: Any, golden: Path, tmp_path: Path) -> None:
    paths = [golden / name for name in ("flat.tacozip", "permuted_offsets.tacozip", "nested")] + [tmp_path / "missing"]
    found = distributed.validate(paths, client, deep=True)
    assert list(found) == [str(path) for path in paths]
    for path in paths:
        assert found[str(path)] == tacore.validator.validate(path, deep=True)
    assert found[str(golden / "flat.tacozip")] == [] != found[str(tmp_path / "missing")]


# -------------------------------------------------------------------------------------------------------------- errors


def test_errors_of_workers_arrive_unchanged(golden: Path) -> None:
    with pytest.raises(tacore.TacoFileNotFoundError) as caught:
        tacore.load(golden / "missing.tacozip")
    for error in (pickle.loads(pickle.dumps(caught.value)), _engines.renamed_error(caught.value, "rows 1 to 2")):
        assert type(error) is type(caught.value)
        assert (error.path, error.errno, error.message) == (
            caught.value.path, caught.value.errno, caught.value.message
        )  # fmt: skip
    assert str(error) == f"rows 1 to 2: {caught.value}"


def test_an_early_failure_stops_later_tasks(tmp_path: Path) -> None:
    class OneByOne(Executor):
        """Begins a task when it is asked for its result."""

        def __init__(self) -> None:
            self.begun = 0

        def submit(self, function: Any, /, *arguments: Any, **keywords: Any) -> Any:
            from concurrent.futures import Future

            executor = self

            class Later(Future[Any]):
                def result(self, timeout: float | None = None) -> Any:
                    executor.begun += 1
                    return function(*arguments)

            return Later()

    executor = OneByOne()
    parts = {"bad": functools.partial(broken, "x"), **PARTS}
    with pytest.raises(tacore.TacoCreationError):
        distributed.create_partitions(parts, tmp_path, executor)
    assert executor.begun == 1


def test_tasks_consist_of_whole_parts() -> None:
    for num_rows, step, num_tasks in itertools.product((1, 2, 7, 2099), (1, 2, 32), (1, 2, 5, 10000)):
        ranges = _row_tasks.ranges(num_rows, step, num_tasks)
        assert [row for begin, end in ranges for row in range(begin, end)] == list(range(num_rows))
        assert len(ranges) <= num_tasks
        assert all(begin % step == 0 for begin, _ in ranges)
