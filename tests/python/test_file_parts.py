"""Partitions from the files below a place."""

from __future__ import annotations

import fnmatch
import os
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import tacore
from moto_server import Moto
from tacore import distributed
from tacore.datamodel import Sample
from test_distributed import ABOUT, client, contents, dask_client, processes  # noqa: F401
from test_partitions import bucket, moto  # noqa: F401

THREADS = ThreadPoolExecutor(2)
#: Names with a space, a character that URLs quote, and capitals; and their contents.
FILES = {
    "2020/a.tif": b"aaa",
    "2020/b c.tif": b"b" * 50,
    "2021/x/é&.tif": b"x" * 20,
    "2021/y.TIF": b"y",
    "2022/z.tif": b"zz",
    "Z.tif": b"z" * 30,
    "readme.txt": b"not a raster",
}
RASTERS = sorted(name for name in FILES if name.endswith(".tif"))


def make(path: str) -> Sample:
    name = path.rpartition("/")[2]
    if name.startswith("b"):
        raise ValueError("no place")
    return Sample(name.removesuffix(".tif"), path, letter=name[0])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        path = tmp_path / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path / "files"


def rows(path: Any) -> list[tuple[str, bytes]]:
    data = tacore.load(path).data
    ids = data.to_arrow()["id"].to_pylist()
    return [(id, data.read_bytes(row)) for row, id in enumerate(ids)]


def test_files_are_samples_in_the_order_of_their_names(client: Any, folder: Path, tmp_path: Path) -> None:
    parts = distributed.parts_of_files(folder, pattern="*.tif", num_partitions=3, prefix="f", **ABOUT)
    made = distributed.create_partitions(parts, tmp_path / "made", client)
    expected = [(name.removesuffix(".tif").replace("/", "_"), FILES[name]) for name in RASTERS]
    assert list(parts) == ["f0001", "f0002", "f0003"] and rows(made.path) == expected
    again = distributed.parts_of_files(str(folder) + "/", pattern="*.tif", num_partitions=3, prefix="f", **ABOUT)
    assert distributed.create_partitions(again, tmp_path / "made", client) == made._replace(num_kept=3)


def test_a_function_makes_the_samples_and_its_errors_are_reported(client: Any, folder: Path, tmp_path: Path) -> None:
    parts = distributed.parts_of_files(folder, make, pattern="*.tif", num_partitions=2, **ABOUT)
    with pytest.raises(
        tacore.TacoValidationError,
        match=r"partition part0001: sample 2020/b c\.tif, /.*/2020/b c\.tif: ValueError: no place",
    ):
        distributed.create_partitions(parts, tmp_path / "raise", client)
    made = distributed.create_partitions(parts, tmp_path / "report", client, on_error="report")
    assert made.failures == [("part0001", "2020/b c.tif", "ValueError: no place")]
    found = tacore.load(made.path).data.to_arrow()
    assert found["id"].to_pylist() == ["a", "é&", "z", "Z"] and found["letter"].to_pylist() == ["a", "é", "z", "Z"]


def test_a_store_gives_the_dataset_of_a_folder(
    client: Any, moto: Moto, bucket: str, folder: Path, tmp_path: Path  # noqa: F811
) -> None:  # fmt: skip
    import urllib.parse

    for name, data in FILES.items():
        moto.ask("PUT", f"/{bucket}/files/{urllib.parse.quote(name)}", data)
    moto.ask("PUT", f"/{bucket}/files/empty.tif/", b"")  # as consoles make folders
    moto.ask("PUT", f"/{bucket}/files2/other.tif", b"beside")
    found = []
    for place in (folder, f"s3://{bucket}/files", f"s3://{bucket}/files/"):
        parts = distributed.parts_of_files(place, make, pattern="*.tif", num_partitions=2, **ABOUT)
        output = tmp_path / str(len(found))
        made = distributed.create_partitions(parts, output, client, on_error="report")
        assert [failure.id for failure in made.failures] == ["2020/b c.tif"]
        found.append(contents(output))
    # The ZIPs of a folder have the times of its files.
    assert rows(tmp_path / "0" / ".tacocat") == rows(tmp_path / "1" / ".tacocat")
    assert found[0].keys() == found[1].keys() and found[1] == found[2]
    parts = distributed.parts_of_files(f"s3://{bucket}/files", make, pattern="*.tif", num_partitions=2, **ABOUT)
    distributed.create_partitions(parts, f"s3://{bucket}/made", client, on_error="report")
    assert {name: moto.read(bucket, f"made/{name}") for name in found[1]} == found[1]


def test_a_listing_of_many_pages_is_complete(moto: Moto, bucket: str) -> None:  # noqa: F811
    names = {f"{random.Random(n).randrange(10**6):06}-{n}.tif" for n in range(1050)}
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: moto.ask("PUT", f"/{bucket}/many/{name}", b"1"), sorted(names)))
    parts = distributed.parts_of_files(f"s3://{bucket}/many", num_partitions=7, **ABOUT)
    found = [file.name for part in parts.values() for file in part._files]
    assert found == sorted(names) and {len(part._files) for part in parts.values()} == {150}


def test_parts_have_about_equal_bytes(tmp_path: Path) -> None:
    source = random.Random(3)
    for n in range(200):
        (tmp_path / f"{n:03}.bin").write_bytes(bytes(source.choice([0, 10, 500, 1000])))
    for num_parts in (1, 2, 7, 16):
        parts = distributed.parts_of_files(tmp_path, num_partitions=num_parts, **ABOUT)
        sizes = [sum(file.size for file in part._files) for part in parts.values()]
        assert len(sizes) == num_parts and max(sizes) - min(sizes) <= 2 * 1000
        names = [file.name for part in parts.values() for file in part._files]
        assert names == sorted(os.listdir(tmp_path))
    assert len(distributed.parts_of_files(tmp_path, **ABOUT)) == 1
    assert len(distributed.parts_of_files(tmp_path, num_partitions=10**6, **ABOUT)) == 200


def test_other_files_are_another_plan(folder: Path, tmp_path: Path) -> None:
    parts = distributed.parts_of_files(folder, pattern="*.tif", num_partitions=2, **ABOUT)
    distributed.create_partitions(parts, tmp_path / "made", THREADS)
    (folder / "Z.tif").write_bytes(b"longer than before " * 3)
    again = distributed.parts_of_files(folder, pattern="*.tif", num_partitions=2, **ABOUT)
    with pytest.raises(tacore.TacoValidationError, match="another plan, which differs in partition part000"):
        distributed.create_partitions(again, tmp_path / "made", THREADS)
    with pytest.raises(
        tacore.TacoError, match=r"Z\.tif: the file was changed since it was listed: it has 57 bytes, 30 "
    ):
        distributed.create_partitions(parts, tmp_path / "changed", THREADS)
    (folder / "Z.tif").unlink()
    with pytest.raises(tacore.TacoError, match=r"sample Z\.tif, .*: FileNotFoundError"):
        distributed.create_partitions(parts, tmp_path / "gone", THREADS)
    made = distributed.create_partitions(parts, tmp_path / "report", THREADS, on_error="report")
    assert [failure.id for failure in made.failures] == ["Z.tif"] and made.num_samples == len(RASTERS) - 1


@pytest.mark.parametrize("pattern", ["*", "*.tif", "202?/*", "2020/?.tif", "[Zr]*", "*.TIF"])
def test_patterns_are_those_of_a_shell(folder: Path, pattern: str) -> None:
    parts = distributed.parts_of_files(folder, pattern=pattern, **ABOUT)
    found = [file.name for part in parts.values() for file in part._files]
    assert found == [name for name in sorted(FILES) if fnmatch.fnmatchcase(name, pattern)] != []


def test_what_cannot_be_listed_is_an_error(
    moto: Moto, bucket: str, folder: Path, tmp_path: Path  # noqa: F811
) -> None:  # fmt: skip
    with pytest.raises(tacore.TacoQueryError, match="none of its 7 files matches '\\*.jp2'"):
        distributed.parts_of_files(folder, pattern="*.jp2", **ABOUT)
    with pytest.raises(tacore.TacoQueryError, match=f"s3://{bucket}/none: none of its 0 files"):
        distributed.parts_of_files(f"s3://{bucket}/none", **ABOUT)
    with pytest.raises(tacore.TacoIOError, match="NoSuchBucket"):
        distributed.parts_of_files("s3://no-such-bucket/a", **ABOUT)
    with pytest.raises(tacore.TacoIOError, match="none: its files cannot be listed"):
        distributed.parts_of_files(tmp_path / "none", **ABOUT)
    with pytest.raises(tacore.TacoValidationError, match="https://host/a"):
        distributed.parts_of_files("https://host/a", **ABOUT)
    with pytest.raises(tacore.TacoValidationError, match="num_partitions is 0"):
        distributed.parts_of_files(folder, num_partitions=0, **ABOUT)


def test_files_that_do_not_match_are_not_looked_at(folder: Path) -> None:
    (folder / "lock").symlink_to("nowhere")
    assert len(distributed.parts_of_files(folder, pattern="*.tif", num_partitions=99, **ABOUT)) == len(RASTERS)
    (folder / "gone.tif").symlink_to("nowhere")
    with pytest.raises(tacore.TacoIOError, match=r"its files cannot be listed: .*gone\.tif"):
        distributed.parts_of_files(folder, pattern="*.tif", **ABOUT)


def test_equal_ids_of_two_folders_are_told(folder: Path, tmp_path: Path) -> None:
    (folder / "2020_a.tif").write_bytes(b"the same id as 2020/a.tif")
    parts = distributed.parts_of_files(folder, pattern="*.tif", num_partitions=9, **ABOUT)
    with pytest.raises(
        tacore.TacoValidationError, match="the id '2020_a' is in partition part0001 and in partition part0003"
    ):
        distributed.create_partitions(parts, tmp_path / "made", THREADS)
