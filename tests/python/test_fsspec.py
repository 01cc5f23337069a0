"""The file system of fsspec over a dataset."""

from __future__ import annotations

import io
import pickle
import random
import sys
from pathlib import Path

import pytest
import tacore

fsspec = pytest.importorskip("fsspec")
from tacore.fsspec import TacoFileSystem  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "remote"))

from server import Server  # noqa: E402

NESTED = ROOT / "examples" / "data" / "landsat_nested.tacozip"


@pytest.fixture
def files() -> TacoFileSystem:
    return TacoFileSystem(NESTED)


def test_folders_are_directories_and_files_are_files(files: TacoFileSystem) -> None:
    rows = tacore.load(NESTED).data
    ids = [row["id"] for row in rows]
    assert files.ls("", detail=False) == ids == files.ls("/", detail=False)
    assert files.ls("tile_r1_c1", detail=False) == [f"tile_r1_c1/{name}" for name in ("optical", "dem", "mask")]
    assert files.info("tile_r1_c1") == {"name": "tile_r1_c1", "size": 0, "type": "directory"}
    entry = files.info("tile_r1_c1/dem")
    assert entry == files.ls("tile_r1_c1")[1] == files.ls("tile_r1_c1/dem")[0]
    assert entry["size"] == len(rows.read_bytes("tile_r1_c1/dem")) and entry["type"] == "file"
    assert entry["vsi"] == rows.read("tile_r1_c1/dem")
    assert files.isdir("tile_r1_c1") and files.isfile("tile_r1_c1/dem") and not files.exists("tile_r1_c1/nothing")


def test_samples_are_found_by_walk_and_glob(files: TacoFileSystem) -> None:
    walked = {f"{folder}/{name}" for folder, _, names in files.walk("") for name in names}
    assert walked == {f"{row['id']}/{name}" for row in tacore.load(NESTED) for name in ("optical", "dem", "mask")}
    assert files.glob("tile_r1_*/mask") == [f"tile_r1_c{column}/mask" for column in (1, 2, 3)]
    assert set(files.find("")) == walked and files.du("tile_r1_c1") == sum(
        entry["size"] for entry in files.ls("tile_r1_c1")
    )


def test_bytes_are_read_anywhere_in_a_file(files: TacoFileSystem) -> None:
    whole = tacore.load(NESTED).data.read_bytes("tile_r1_c1/optical")
    assert files.cat("tile_r1_c1/optical") == whole
    assert files.cat(["tile_r1_c1/optical"]) == {"tile_r1_c1/optical": whole}
    assert files.cat_file("tile_r1_c1/optical", -4) == whole[-4:] and files.cat_file("tile_r1_c1/optical", 9, 3) == b""
    draw = random.Random(0)
    with files.open("tile_r1_c1/optical") as file:
        for _ in range(200):
            start, count = draw.randrange(len(whole) + 10), draw.randrange(3000)
            assert file.seek(start) == start
            assert (
                file.read(count)
                == whole[start : start + count]
                == files.cat_file("tile_r1_c1/optical", start, start + count)
            )
        assert file.seek(-5, io.SEEK_END) == len(whole) - 5 and file.read() == whole[-5:]
        with pytest.raises(io.UnsupportedOperation):
            file.write(b"x")


def test_a_raster_is_opened_by_rasterio(files: TacoFileSystem) -> None:
    rasterio = pytest.importorskip("rasterio")
    with files.open("tile_r1_c1/optical") as file, rasterio.open(file) as opened:
        pixels = opened.read()
    assert (pixels == tacore.raster.read_tensor(tacore.load(NESTED), "tile_r1_c1/optical")).all()


def test_filters_of_a_dataset_are_those_of_its_files() -> None:
    dataset = tacore.load(NESTED).sql("SELECT * FROM data WHERE id = 'tile_r2_c3'")
    assert TacoFileSystem(dataset).ls("", detail=False) == ["tile_r2_c3"]
    assert len(TacoFileSystem(tacore.load(NESTED)).ls("")) == 6  # another query is not mistaken for it


@pytest.mark.parametrize("name", ["nested", "nested.tacozip", "flat.tacozip", "six_levels.tacozip", "v1/flat.tortilla"])
def test_files_of_every_container_have_their_bytes(golden: Path, name: str) -> None:
    if not (golden / name).exists():
        pytest.skip(f"no {name}")
    dataset = tacore.load(golden / name)
    files = TacoFileSystem(dataset)
    found = files.find("")
    assert found
    for path in found:
        assert files.cat_file(path) == dataset.data.read_bytes(path) and files.size(path) == len(files.cat_file(path))
        with files.open(path) as file:
            assert file.read() == files.cat_file(path)


def test_a_remote_file_is_read_when_it_is_opened(golden: Path) -> None:
    local = tacore.load(NESTED).data
    with Server(NESTED.parent) as server:
        dataset = tacore.load(server.url(NESTED.name))
        files = TacoFileSystem(dataset)
        assert files.size("tile_r1_c1/dem") == len(local.read_bytes("tile_r1_c1/dem"))
        with files.open("tile_r1_c1/dem") as file:
            assert file.seek(4) == 4 and file.read() == local.read_bytes("tile_r1_c1/dem")[4:]
        without = server.url(NESTED.name).removeprefix("http://")  # as file systems of fsspec shorten it
        assert TacoFileSystem(without, target_protocol="http").ls("") == TacoFileSystem(dataset).ls("")
        assert "<img" not in dataset.data._repr_html_()  # a picture would take requests
    with Server(golden) as server:
        files = TacoFileSystem(server.url("nested"))
        paths = files.find("")
        assert paths and {entry["size"] for path in paths for entry in files.ls(path)} == {None}
        assert files.cat_file(paths[0]) == tacore.load(golden / "nested").data.read_bytes(paths[0])


def test_urls_are_chained() -> None:
    fsspec.register_implementation("taco", TacoFileSystem, clobber=True)
    whole = tacore.load(NESTED).data.read_bytes("tile_r1_c1/dem")
    for url in (f"taco://tile_r1_c1/dem::{NESTED}", f"taco://tile_r1_c1/dem::file://{NESTED}"):
        with fsspec.open(url) as file:
            assert file.read() == whole
    assert fsspec.filesystem("taco", fo=str(NESTED)).cat_file("taco://tile_r1_c1/dem") == whole


def test_a_file_system_is_pickled(files: TacoFileSystem) -> None:
    again = pickle.loads(pickle.dumps(files))
    assert again.ls("") == files.ls("")


def test_what_is_not_there_is_said(files: TacoFileSystem) -> None:
    with pytest.raises(FileNotFoundError, match="there is no such sample: .*: 'tile_r1_c1/nothing'") as error:
        files.open("tile_r1_c1/nothing")
    assert isinstance(error.value, tacore.TacoIOError)
    for read in (files.open, files.cat_file):
        with pytest.raises(IsADirectoryError, match="a FOLDER is a directory, not a file"):
            read("tile_r1_c1")


def test_writing_is_refused(files: TacoFileSystem, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    for write in (
        lambda: files.open("new", "wb"), lambda: files.pipe_file("new", b"x"), lambda: files.rm("tile_r1_c1"),
        lambda: files.mkdir("new"), lambda: files.makedirs("new"), lambda: files.mv("tile_r1_c1", "new"),
        lambda: files.put_file(tmp_path / "a", "new"), lambda: files.cp_file("tile_r1_c1/dem", "new"),
        lambda: files.touch("new"), lambda: files.rmdir("tile_r1_c1"), lambda: files.pipe("new", b"x"),
    ):  # fmt: skip
        with pytest.raises(tacore.TacoIOError, match="a dataset is read-only; tacore.export writes selected samples"):
            write()
