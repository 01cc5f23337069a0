"""Partitions made by many machines: after any interruption the same call ends in the bytes of an undisturbed run."""

from __future__ import annotations

import errno
import functools
import itertools
import json
import os
import random
import resource
import signal
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
import tacore
from moto_server import Moto, python_with_moto
from tacore import _core, _partitions, _sample_parts, _together, distributed
from tacore._fingerprint import fingerprint
from tacore.datamodel import Sample, Taco, Tortilla
from test_distributed import ABOUT, PARTS, client, contents, dask_client, expected, part, processes  # noqa: F401


# Not None, which is the client of Dask where another test has one.
THREADS = ThreadPoolExecutor(2)


def records(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / ".parts").iterdir())


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the partitions that are written, in this process."""
    names: list[str] = []
    write_zip = _partitions._write_zip

    def write(taco: Taco, path: Path, parquet: dict[str, Any]) -> None:
        names.append(path.stem)
        write_zip(taco, path, parquet)

    monkeypatch.setattr(_partitions, "_write_zip", write)
    return names


# ---------------------------------------------------------------------------------------------------------- resumption


def test_the_same_call_keeps_what_is_finished(tmp_path: Path, counted: list[str], expected: dict[str, bytes]) -> None:
    with pytest.raises(tacore.TacoIOError, match="stopped"):
        distributed.create_partitions(PARTS, tmp_path, THREADS, progress=lambda done, total: False)
    assert os.listdir(tmp_path) == [".parts"]
    counted.clear()
    made = distributed.create_partitions(PARTS, tmp_path, THREADS)
    assert made.num_kept + len(counted) == 3 and made.num_kept >= 1
    assert contents(tmp_path) == expected
    counted.clear()
    assert distributed.create_partitions(PARTS, tmp_path, THREADS) == made._replace(num_kept=3)
    assert counted == [] and contents(tmp_path) == expected
    assert records(tmp_path)[:3] == [
        ".plan.json",
        next(name for name in records(tmp_path) if len(name) == 16),
        "one.ids",
    ]


@pytest.mark.parametrize("how", ["missing", "damaged", "short", "no record", "bad record", "other record", "no ids"])
def test_what_is_wrong_is_made_again(tmp_path: Path, counted: list[str], expected: dict[str, bytes], how: str) -> None:
    distributed.create_partitions(PARTS, tmp_path, THREADS)
    counted.clear()
    path, record = tmp_path / "two.tacozip", tmp_path / ".parts" / "two.json"
    data = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "damaged":
        path.write_bytes(data[:100] + bytes([data[100] ^ 1]) + data[101:])
    elif how == "short":
        path.write_bytes(data[:-1])
    elif how == "no record":
        record.unlink()
        with pytest.raises(tacore.TacoValidationError, match=r"two\.tacozip: exists already"):
            distributed.create_partitions(PARTS, tmp_path, THREADS)
        path.unlink()
    elif how == "bad record":
        record.write_bytes(record.read_bytes()[:20])
    elif how == "other record":
        record.write_text(json.dumps({**json.loads(record.read_text()), "fingerprint": "0"}))
    else:
        (tmp_path / ".parts" / "two.ids").unlink()
    assert distributed.create_partitions(PARTS, tmp_path, THREADS).num_kept == 2
    assert counted == ["two"] and contents(tmp_path) == expected


def test_a_repeated_task_is_harmless(tmp_path: Path, expected: dict[str, bytes]) -> None:
    """Dask repeats the tasks of a lost worker; and a slow one may end after its repetition."""
    distributed.create_partitions(PARTS, tmp_path, THREADS)
    plan = json.loads((tmp_path / ".parts" / ".plan.json").read_text())
    destination = _partitions.destination_of(tmp_path, fingerprint(plan))
    destination.open()
    for record in (tmp_path / ".parts").glob("*.json"):
        if record.name != ".plan.json":
            record.unlink()
    for name, each in PARTS.items():
        found, was_kept = _partitions.make_part(each, name, plan[name], destination, "raise", {}, {})
        assert not was_kept and found["size"] == len(expected[f"{name}.tacozip"])
    assert distributed.create_partitions(PARTS, tmp_path, THREADS).num_kept == 3
    assert contents(tmp_path) == expected


def test_a_plan_is_of_arguments_and_options(tmp_path: Path) -> None:
    distributed.create_partitions(PARTS, tmp_path, THREADS)
    for others, options, name in (
        ({**PARTS, "two": functools.partial(part, 3, 3)}, {}, "two"),
        ({**PARTS, "four": functools.partial(part, 9, 3)}, {}, "four"),
        ({"one": PARTS["one"]}, {}, "two"),
        (PARTS, {"compression": "snappy"}, "one"),
    ):
        with pytest.raises(tacore.TacoValidationError, match=f"another plan, which differs in partition {name}"):
            distributed.create_partitions(others, tmp_path, THREADS, **options)
    (tmp_path / ".parts" / "left").mkdir()
    distributed.create_partitions(PARTS, tmp_path, THREADS, compression="snappy", overwrite=True)
    assert not (tmp_path / ".parts" / "left").exists()


def test_one_dataset_is_divided_by_bytes() -> None:
    assert _sample_parts.cuts([10, 1, 1, 1, 1, 10], 2) == [0, 3, 6]
    assert _sample_parts.cuts([100, 1, 1, 1], 2) == [0, 1, 4]
    assert _sample_parts.cuts([1, 1, 1, 100], 3) == [0, 2, 3, 4]
    source = random.Random(1)
    for _ in range(300):
        sizes = [source.choice([0, 1, 10, source.randrange(1000)]) for _ in range(source.randrange(1, 40))]
        num_parts = source.randrange(1, 45)
        cuts = _sample_parts.cuts(sizes, num_parts)
        assert cuts[0] == 0 and cuts[-1] == len(sizes) and len(cuts) == min(num_parts, len(sizes)) + 1
        assert all(begin < end for begin, end in itertools.pairwise(cuts))
        # A cut is half a sample off at most, unless parts have to be of one sample.
        share = sum(size + 1 for size in sizes) / (len(cuts) - 1)
        if num_parts <= len(sizes) / 3 and max(sizes) < share:
            assert all(sum(sizes[begin:end]) <= share + max(sizes) for begin, end in itertools.pairwise(cuts))


# --------------------------------------------------------------------------------------------------------- fingerprints


class Named:
    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def method(self) -> None:
        pass


def test_equal_values_have_equal_fingerprints_in_every_process(tmp_path: Path) -> None:
    import subprocess
    import sys

    script = (
        "from test_partitions import *; import functools\n"
        "print(fingerprint([functools.partial(part, 1, x={'b', 'a', 'cc'}), part(0, 2), Path('/a'), 1.5, Named(a=1, b=[2])]))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={
                **os.environ,
                "PYTHONHASHSEED": seed,
                "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
            },
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "123"
    }
    assert len(found) == 1


def test_other_values_have_other_fingerprints() -> None:
    def makes(number: int) -> Any:
        return lambda: part(number, 1)

    cycle: list[Any] = [1]
    cycle.append(cycle)
    values = [
        None, 0, False, 0.0, "", b"", "0", [], (), {}, set(), [[]], [0], (0,), {0: 1}, {1: 0}, {"a": 1, "b": 2}, cycle,
        part, broken_part, functools.partial(part, 1), functools.partial(part, 2), functools.partial(part, first=1),
        makes(1), makes(2), lambda: part(1, 1), Named(a=1), Named(a=2), Named(b=1), Named(a=1).method, Named,
        "a".join, "b".join, len, os, Path("a"), Path("b"), part(0, 1), part(0, 2), part(0, 1, extra=1),
    ]  # fmt: skip
    assert len({fingerprint(value) for value in values}) == len(values)
    assert fingerprint(makes(1)) == fingerprint(makes(1))
    assert fingerprint(part(0, 1)) == fingerprint(part(0, 1))


def broken_part() -> Taco:
    raise ValueError("no such tile")


# ------------------------------------------------------------------------------------------------- all partitions together


def test_an_id_in_two_partitions_is_told_with_both(client: Any, tmp_path: Path) -> None:
    parts = {**PARTS, "four": functools.partial(part, 4, 1)}
    with pytest.raises(tacore.TacoValidationError, match="the id 's4' is in partition two and in partition four"):
        distributed.create_partitions(parts, tmp_path, client)
    assert os.listdir(tmp_path) == [".parts"]


def test_ids_are_compared_by_ranges_of_their_hashes(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_together, "_HASHES_AT_ONCE", 10)
    parts = [functools.partial(part, 100 * n, 100) for n in range(3)]
    assert distributed.create_partitions(parts, tmp_path / "a", client).num_samples == 300
    for twice in (0, 37, 299):
        with pytest.raises(
            tacore.TacoValidationError, match=f"'s{twice}' is in partition part000{1 + twice // 100} .* part0004"
        ):
            distributed.create_partitions([*parts, functools.partial(part, twice, 1)], tmp_path / str(twice), client)


def test_equal_hashes_of_other_ids_are_no_repetition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_together, "_HASH", "length(id)")
    assert distributed.create_partitions(PARTS, tmp_path, THREADS).num_samples == 9


# ---------------------------------------------------------------------------------------------- samples that cannot be written


def with_missing(first: int, count: int, *missing: int) -> Taco:
    """Some files are removed before they are read."""
    folder = Path(tempfile.mkdtemp())
    samples = list(part(first, count).tortilla)
    for n in missing:
        path = folder / f"gone-{n}"
        path.write_bytes(b"soon gone")
        samples[n - first] = Sample(id=f"s{n}", path=path, number=n)
        path.unlink()
    folder.rmdir()
    return Taco(Tortilla(samples), **ABOUT)


def test_a_sample_that_cannot_be_written_is_reported(client: Any, tmp_path: Path) -> None:
    parts = {"a": functools.partial(with_missing, 20, 4, 21, 23), "none": broken_part, **PARTS}
    with pytest.raises(tacore.TacoError, match=r"partition a: sample s21: .*gone-21"):
        distributed.create_partitions({"a": parts["a"]}, tmp_path / "raise", client)
    made = distributed.create_partitions(parts, tmp_path / "report", client, on_error="report")
    assert [failure[:2] for failure in made.failures] == [("a", "s21"), ("a", "s23"), ("none", None)]
    assert ["gone-21" in made.failures[0].message, made.failures[2].message] == [
        True,
        "ValueError: no such tile",
    ]
    rows = tacore.load(made.path).data.to_arrow()
    assert rows["id"].to_pylist() == ["s20", "s22", *(f"s{n}" for n in range(9))]
    assert made.num_samples == 11
    # What was reported is known of finished partitions, too; without report it is tried again.
    again = distributed.create_partitions(parts, tmp_path / "report", client, on_error="report")
    assert again == made._replace(num_kept=4)
    with pytest.raises(tacore.TacoError, match=r"partition a: sample s21: .*gone-21"):
        distributed.create_partitions(parts, tmp_path / "report", client)


def test_the_error_of_a_child_names_its_sample(tmp_path: Path) -> None:
    path = tmp_path / "child.bin"
    path.write_bytes(b"soon gone")
    folders = [
        Sample(id=f"f{n}", path=Tortilla([Sample(id="a", path=b"1"), Sample(id="b", path=path if n else b"2")]))
        for n in range(2)
    ]
    taco = Taco(Tortilla(folders), **ABOUT)
    path.unlink()
    with pytest.raises(tacore.TacoError, match=r"partition p0001: sample f1: .*child\.bin"):
        distributed.create_partitions([taco], tmp_path / "raise", THREADS, prefix="p")
    made = distributed.create_partitions([taco], tmp_path / "report", THREADS, on_error="report")
    assert [failure[:2] for failure in made.failures] == [("part0001", "f1")]


def test_a_full_disk_is_an_error_and_not_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(taco: Taco, path: Path, parquet: dict[str, Any]) -> None:
        raise tacore.TacoIOError("cannot write") from None

    def with_number(*arguments: Any) -> None:
        try:
            full(*arguments)
        except tacore.TacoIOError as error:
            error.errno = errno.ENOSPC
            raise

    monkeypatch.setattr(_partitions, "_write_zip", with_number)
    with pytest.raises(tacore.TacoIOError, match="partition one: cannot write"):
        distributed.create_partitions(PARTS, tmp_path, THREADS, on_error="report")


def limit_files() -> None:
    """As a full disk: no file of this process may be longer."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


@pytest.mark.parametrize("on_error", ["raise", "report"])
def test_a_worker_without_space_is_an_error(tmp_path: Path, expected: dict[str, bytes], on_error: str) -> None:
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=limit_files) as pool,
        pytest.raises(tacore.TacoError, match=r"partition one: .*one\.tacozip.*: File too large"),
    ):
        distributed.create_partitions(PARTS, tmp_path, pool, on_error=on_error)
    assert os.listdir(tmp_path) == [".parts"]
    assert all(path.name == ".plan.json" or path.is_dir() for path in (tmp_path / ".parts").iterdir())
    distributed.create_partitions(PARTS, tmp_path, THREADS, on_error=on_error)
    assert contents(tmp_path) == expected


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(tacore.TacoValidationError, match="file: is a file; a folder is expected"):
        distributed.create_partitions(PARTS, tmp_path / "file", THREADS)
    with pytest.raises(tacore.TacoIOError, match="cannot write: Not a directory") as caught:
        distributed.create_partitions(PARTS, tmp_path / "file" / "below", THREADS)
    assert caught.value.errno == errno.ENOTDIR


def test_nothing_that_could_be_made_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        tacore.TacoCreationError, match="no partition could be made; the first: partition a: ValueError: no s"
    ):
        distributed.create_partitions({"a": broken_part, "b": broken_part}, tmp_path, THREADS, on_error="report")
    with pytest.raises(tacore.TacoValidationError, match="on_error is 'skip'"):
        distributed.create_partitions(PARTS, tmp_path, THREADS, on_error="skip")


# ------------------------------------------------------------------------------------------------------- object stores


@pytest.fixture(scope="module")
def moto() -> Iterator[Moto]:
    if python_with_moto() is None:
        pytest.skip("moto is not installed: the test remote.moto does that")
    with Moto() as server:
        yield server


@pytest.fixture
def bucket(moto: Moto, request: pytest.FixtureRequest) -> Iterator[str]:
    """A new bucket. Its keys are options of tacore, which must reach the workers."""
    name = f"b{abs(hash(request.node.name))}"
    moto.make_bucket(name)
    options = {"endpoint": moto.url, "region": "us-east-1", "access_key_id": "id", "secret_access_key": "secret"}
    tacore.set_storage_options(**options, max_tries=2)
    yield name
    tacore.set_storage_options()


def stored(moto: Moto, bucket: str, prefix: str = "chips/") -> dict[str, bytes]:
    keys = [key.removeprefix(prefix) for key in moto.keys(bucket)]
    return {key: moto.read(bucket, prefix + key) for key in keys if not key.startswith(".parts/")}


def test_partitions_in_a_store_are_those_of_a_folder(
    client: Any, moto: Moto, bucket: str, expected: dict[str, bytes]
) -> None:
    made = distributed.create_partitions(PARTS, f"s3://{bucket}/chips", client)
    assert made == distributed.Partitions(f"s3://{bucket}/chips/.tacocat", 9, 0, [])
    assert stored(moto, bucket) == expected
    assert tacore.load(made.path).data.to_arrow()["number"].to_pylist() == list(range(9))
    assert distributed.create_partitions(PARTS, f"s3://{bucket}/chips/", client) == made._replace(num_kept=3)


def test_a_store_keeps_what_is_finished(
    moto: Moto, bucket: str, counted: list[str], expected: dict[str, bytes]
) -> None:
    place = f"s3://{bucket}/chips"
    with pytest.raises(tacore.TacoIOError, match="stopped"):
        distributed.create_partitions(PARTS, place, THREADS, progress=lambda done, total: False)
    assert not any(".tacocat" in key for key in moto.keys(bucket))
    # An upload that a killed worker left, and a partition without its record.
    moto.ask("POST", f"/{bucket}/chips/two.tacozip?uploads=")
    assert moto.unfinished(bucket) == ["chips/two.tacozip"]
    distributed.create_partitions(PARTS, place, THREADS)
    assert moto.unfinished(bucket) == [] and stored(moto, bucket) == expected
    for key, change in (("one.tacozip", b"other bytes"), ("two.tacozip", None), (".parts/three.json", None)):
        if change is None:
            moto.remove(bucket, f"chips/{key}")
        else:
            moto.ask("PUT", f"/{bucket}/chips/{key}", change)
    counted.clear()
    assert distributed.create_partitions(PARTS, place, THREADS).num_kept == 0
    assert sorted(counted) == ["one", "three", "two"] and stored(moto, bucket) == expected


def test_a_store_is_not_overwritten(moto: Moto, bucket: str) -> None:
    with pytest.raises(tacore.TacoValidationError, match="another prefix"):
        distributed.create_partitions(PARTS, f"s3://{bucket}/chips", THREADS, overwrite=True)
    moto.ask("PUT", f"/{bucket}/chips/two.tacozip", b"of others")
    with pytest.raises(tacore.TacoValidationError, match=f"s3://{bucket}/chips/two.tacozip: exists already"):
        distributed.create_partitions(PARTS, f"s3://{bucket}/chips", THREADS)
    assert moto.keys(bucket) == ["chips/two.tacozip"]
    distributed.create_partitions(PARTS, f"s3://{bucket}/others", THREADS)
    with pytest.raises(tacore.TacoValidationError, match="another plan, which differs in partition two"):
        distributed.create_partitions({"one": PARTS["one"]}, f"s3://{bucket}/others", THREADS)


def test_a_store_that_cannot_be_used_is_an_error(
    moto: Moto, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(tacore.TacoIOError, match="s3://none/chips.*NoSuchBucket"):
        distributed.create_partitions(PARTS, "s3://none/chips", THREADS)
    with pytest.raises(tacore.TacoValidationError, match="hf://.*remote paths cannot be written"):
        distributed.create_partitions(PARTS, "hf://datasets/a/b", THREADS)

    def vanishing() -> Taco:
        for key in moto.keys(bucket):
            moto.remove(bucket, key)
        moto.ask("DELETE", f"/{bucket}")
        return part(0, 3)

    with pytest.raises(tacore.TacoIOError, match=f"partition two: .*s3://{bucket}/chips/.*NoSuchBucket"):
        distributed.create_partitions({"two": vanishing}, f"s3://{bucket}/chips", THREADS)
    tacore.set_storage_options(endpoint=moto.url, region="us-east-1")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    with pytest.raises(tacore.TacoIOError, match="AWS_ACCESS_KEY_ID"):
        distributed.create_partitions(PARTS, f"s3://{bucket}/chips", THREADS)


@pytest.mark.parametrize("when", ["at the beginning", "meanwhile"])
def test_a_refused_key_is_an_error(when: str) -> None:
    if python_with_moto() is None:
        pytest.skip("moto is not installed: the test remote.moto does that")
    with Moto() as server:
        server.make_bucket("made")
        tacore.set_storage_options(
            endpoint=server.url, region="us-east-1", access_key_id="id", secret_access_key="secret", max_tries=2
        )

        def locking() -> Taco:
            server.lock()
            return part(0, 3)

        try:
            if when == "at the beginning":
                server.lock()
            words = "InvalidAccessKeyId" if when == "at the beginning" else "partition two: .*(403|InvalidAccessKeyId)"
            with pytest.raises(tacore.TacoIOError, match=words) as caught:
                distributed.create_partitions({"two": locking}, "s3://made/chips", THREADS, on_error="report")
            assert "secret" not in str(caught.value)
        finally:
            tacore.set_storage_options()
