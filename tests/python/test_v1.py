"""Tortilla 0.5.0 and TACO 0.2.0: chunks, histograms, and making them."""

from __future__ import annotations

import gc
import io
import json
import pickle
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from test_raster import environment

import tacore
from tacore import raster, v1

numpy = pytest.importorskip("numpy")

ROOT = Path(__file__).resolve().parents[2]
NESTED = ROOT / "examples" / "data" / "landsat_nested.tacozip"
FLAT = ROOT / "examples" / "data" / "landsat.tacozip"
ABOUT = {
    "id": "demo",
    "taco_version": "0.2.0",
    "dataset_version": "1.0.0",
    "description": "Two images",
    "licenses": ["CC-BY-4.0"],
    "extent": {"spatial": [-10.0, 35.0, 5.0, 45.0], "temporal": [1577836800000, 1609372800000]},
    "providers": [{"organization": "Somewhere", "roles": ["producer"]}],
    "curators": [{"name": "Ada"}],
    "task": "super-resolution",
}


@pytest.fixture(scope="module")
def streaming(tmp_path_factory: pytest.TempPathFactory) -> Path:
    (path,) = v1.compile(tacore.load(NESTED), tmp_path_factory.mktemp("v1") / "x.taco", streaming=True)
    return path


def test_a_conversion_warns_of_what_it_omits(
    streaming: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Histograms and the chunk table used to be dropped silently."""
    v1.convert(streaming, tmp_path / "x.tacozip")
    assert "the chunk table and histograms of a streaming file are not converted" in caplog.text


def test_a_chunk_is_a_tensor_of_arrow(streaming: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    rows = tacore.load(streaming).data
    chunk = rows.read("tile_r1_c1/optical::0")
    assert isinstance(chunk, pyarrow.Tensor)
    assert chunk.dim_names == ["band", "y", "x"]
    expected = raster.read_tensor(tacore.load(NESTED), "tile_r1_c1/optical")
    assert (chunk.to_numpy() == expected).all()
    assert chunk.to_numpy().ctypes.data == numpy.asarray(chunk.to_numpy().base).ctypes.data
    view = chunk.to_numpy()
    del chunk, rows
    gc.collect()
    assert (view == expected).all()


def test_a_chunk_is_an_array_of_numpy_without_arrow(streaming: Path) -> None:
    code = """
import sys
for name in sys.argv[2:]:
    sys.modules[name] = None
import tacore
chunk = tacore.load(sys.argv[1]).data.read("tile_r1_c1/optical::0")
print(type(chunk).__name__)
sys.stdout.flush()
sys.stdout.buffer.write(bytes(memoryview(chunk)))
"""
    expected = raster.read_tensor(tacore.load(NESTED), "tile_r1_c1/optical").tobytes()
    for without, name in ((["pyarrow"], b"ndarray"), (["pyarrow", "numpy"], b"Tensor"), (["numpy"], b"Tensor")):
        command = [sys.executable, "-c", code, str(streaming), *without]
        out = subprocess.run(command, check=True, capture_output=True, env=environment()).stdout
        assert out == name + b"\n" + expected


def test_a_chunk_has_the_pixels_of_its_part_of_the_raster(streaming: Path) -> None:
    rows = tacore.load(streaming).data
    expected = raster.read_tensor(rows, "tile_r2_c3/dem")
    assert (v1.read_chunk(rows, "tile_r2_c3/dem::0") == expected).all()
    assert (v1.read_chunk(rows.read("tile_r2_c3"), "dem::0") == expected).all()
    assert v1.read_chunk(tacore.load(streaming), "tile_r2_c3/dem::0", keep_padding=True).shape[0] == 1
    # Of a dataset that does not stream, too.
    assert (v1.read_chunk(tacore.load(NESTED), "tile_r2_c3/dem::0") == expected).all()


@pytest.mark.parametrize(
    ("id", "error"),
    [
        ("tile_r1_c1/optical::1", tacore.TacoQueryError),
        ("tile_r1_c1/optical::x", tacore.TacoError),
        ("tile_r1_c1/nothing::0", tacore.TacoNavigationError),
        ("tile_r1_c1::0", tacore.TacoError),
    ],
)
def test_an_unknown_chunk_is_an_error(streaming: Path, id: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        tacore.load(streaming).data.read(id)


def test_an_id_that_ends_like_a_chunk_is_read(golden: Path) -> None:
    for path in sorted((golden / "v1").glob("*.tortilla")):
        rows = tacore.load(path).data
        for id in rows.to_arrow()["id"].to_pylist():
            if "::" in id:
                assert isinstance(rows.read(id), (str, bytes, tacore.TacoDataFrame))


def test_histograms_equal_those_of_the_pixels(streaming: Path) -> None:
    dataset = tacore.load(streaming)
    found = {each.component: each for each in v1.histograms(dataset)}
    assert sorted(found) == ["dem", "mask", "optical"]
    assert found["optical"].num_samples == len(dataset.data) == 6
    band = found["dem"].bands[0]
    pixels = numpy.stack([raster.read_tensor(dataset, f"{id}/dem") for id in dataset.data.to_arrow()["id"].to_pylist()])
    assert (band.min, band.max, band.count) == (pixels.min(), pixels.max(), pixels.size)
    counts, _ = numpy.histogram(pixels.astype("float64"), 100, (band.min, band.max))
    assert band.counts == list(counts)
    width = (band.max - band.min) / 100
    assert abs(band.quantile(0.5) - numpy.median(pixels)) <= width
    assert abs(band.mean - pixels.mean()) <= width
    factor, offset = band.scale(0.0, 1.0)
    assert abs(band.min * factor + offset) < 1e-6
    assert pickle.loads(pickle.dumps(band)).counts == band.counts
    some = v1.histograms(dataset.data[:2])
    assert some[0].num_samples == 2
    assert v1.histograms(tacore.load(NESTED)) == []
    with pytest.raises(tacore.TacoQueryError):
        band.quantile(2)


def test_versions_are_converted_without_loss(tmp_path: Path) -> None:
    (taco,) = v1.convert(NESTED, tmp_path / "x.taco")
    (back,) = v1.convert(taco, tmp_path / "y.tacozip", {"title": "Another"})
    first, again = tacore.load(NESTED), tacore.load(back)
    assert again.title == "Another"
    assert v1.profiles(tacore.load(taco)) == ["stac-tortilla"]
    assert v1.profiles(first) == []
    for id in first.data.to_arrow()["id"].to_pylist():
        for child in ("optical", "dem", "mask"):
            assert again.data.read(id).read_bytes(child) == first.data.read(id).read_bytes(child)
    with pytest.raises(tacore.TacoError):
        v1.convert(NESTED, taco)
    v1.convert(NESTED, taco, overwrite=True, jobs=1, compression="snappy")


def test_a_view_is_compiled(tmp_path: Path) -> None:
    view = tacore.load(FLAT).sql("SELECT * FROM data ORDER BY id DESC LIMIT 3")
    told: list[tuple[int, int]] = []
    (path,) = v1.compile(view, tmp_path / "x.tortilla", progress=lambda done, total: told.append((done, total)))
    assert tacore.load(path).data.to_arrow()["id"].to_pylist() == view.data.to_arrow()["id"].to_pylist()
    assert told[-1][0] == told[-1][1]
    frame = tacore.load(FLAT).data[1:3]
    for name in ("f.taco", "f.tortilla"):
        (path,) = v1.compile(frame, tmp_path / name)
        assert [row["id"] for row in tacore.load(path).data] == [row["id"] for row in frame]
        assert tacore.load(path).data.read_bytes(1) == frame.read_bytes(1)
    with pytest.raises(TypeError, match="a dataset, a frame or the path"):
        v1.compile(3, tmp_path / "g.taco")  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        v1.compile(view, tmp_path / "y.tortilla", progress=lambda done, total: {}["stop"])
    assert not list(tmp_path.glob("y*"))
    with pytest.raises(tacore.TacoValidationError):
        v1.compile(view, tmp_path / "y.zip")
    with pytest.raises(TypeError, match="colour"):
        v1.compile(view, tmp_path / "y.taco", colour="red")


def test_parts_are_joined(tmp_path: Path) -> None:
    view = tacore.load(FLAT)
    (whole,) = v1.compile(view, tmp_path / "whole.tortilla")
    parts = v1.compile(view, tmp_path / "x.tortilla", split_size="64KB", first_part=1)
    assert len(parts) > 2
    assert ".0001." in parts[0].name
    # A loop over the parts sees each sample once.
    assert sum(len(v1.load(part)) for part in parts) == len(tacore.load(parts[0]).data) == len(view.data)
    joined = v1.join(parts, tmp_path / "joined.tortilla")
    assert joined.read_bytes() == whole.read_bytes()
    with pytest.raises(tacore.TacoValidationError):
        v1.join(parts[:2], tmp_path / "less.tortilla")
    with pytest.raises(tacore.TacoError, match="exists"):
        v1.join(parts, joined)


@pytest.mark.parametrize("collection", [ABOUT, json.dumps(ABOUT)])
def test_tortilla2taco_and_taco2tortilla_are_inverses(tmp_path: Path, golden: Path, collection: Any) -> None:
    source = golden / "v1" / "flat.tortilla"
    taco = v1.tortilla2taco(source, collection, tmp_path / "x.taco")
    assert tacore.load(taco).id == "demo"
    back = v1.taco2tortilla(taco, tmp_path / "x.tortilla")
    assert back.read_bytes() == source.read_bytes()
    with pytest.raises(tacore.TacoValidationError):
        v1.tortilla2taco(taco, collection, tmp_path / "y.taco")
    with pytest.raises(tacore.TacoFormatError):
        v1.tortilla2taco(back, "{", tmp_path / "y.taco")
    with pytest.raises(tacore.TacoFormatError):
        v1.tortilla2taco(NESTED, collection, tmp_path / "y.taco")
    # In place, under the name that it has.
    with pytest.raises(tacore.TacoError):
        v1.taco2tortilla(back)


def test_create_accepts_trees_and_collections_of_0_2_0(tmp_path: Path) -> None:
    from tacore.datamodel import Sample, Taco, Tortilla

    emails = [{"value": "a@lab.org", "roles": ["work"]}, {"value": "b@lab.org"}]
    about = {**ABOUT, "task": "general", "curators": [{"name": "Ada", "emails": emails}]}
    uneven = Tortilla([Sample("a", Tortilla([Sample("x", b"1"), Sample("y", b"2")])), Sample("b", b"3")])
    (path,) = v1.create(uneven, tmp_path / "x.taco", about)
    dataset = tacore.load(path)
    assert dataset.collection["task"] == "general"
    assert [mail["value"] for mail in dataset.collection["curators"][0]["emails"]] == ["a@lab.org", "b@lab.org"]
    assert dataset.data.read("a").read("y") and dataset.data["id"].to_pylist() == ["a", "b"]
    assert tacore.validator.validate(path, deep=True) == []
    without = {key: value for key, value in about.items() if key != "task"}
    v1.create(uneven, tmp_path / "y.taco", json.dumps(without))

    bad = {**without, "task": "foundation-model", "split_strategy": "by hand"}
    with pytest.raises(tacore.TacoValidationError, match=r"foundation-model.*split_strategy|split_strategy.*foundation"):
        v1.create(uneven, tmp_path / "z.taco", bad)
    with pytest.raises(tacore.TacoFormatError):
        v1.create(uneven, tmp_path / "z.taco", "[]")
    with pytest.raises(tacore.TacoValidationError, match=r"must end in \.taco"):
        v1.create(uneven, tmp_path / "z.tortilla", about)
    taco = Taco(Tortilla([Sample("a", b"1")]), "t", "1.0.0", "d", ["MIT"], [{"name": "p"}], ["other"])
    with pytest.raises(TypeError, match="a Taco has its own collection"):
        v1.create(taco, tmp_path / "z.taco", about)  # type: ignore[call-overload, unused-ignore]
    assert not list(tmp_path.glob("z*"))


def test_samples_are_written_as_a_file(tmp_path: Path) -> None:
    from tacore.datamodel import Sample, Taco, Tortilla

    scene = ROOT / "examples" / "data" / "scene" / "optical.tif"
    tortilla = Tortilla([Sample(id=f"s{n}", path=scene, cloud=n) for n in range(3)])
    (plain,) = v1.create(tortilla, tmp_path / "x.tortilla")
    rows = tacore.load(plain).data
    assert [int(rows._core.text(row, "cloud")) for row in range(3)] == [0, 1, 2]
    assert rows.read_bytes("s1") == scene.read_bytes()
    assert "stats:mean" in rows.columns
    people = [{"name": "Ada", "role": "producer"}]
    about = {"id": "demo", "dataset_version": "1.0.0", "description": "Scenes", "licenses": ["MIT"], "tasks": ["other"]}
    extent = {"spatial": [-10, 35, 5, 45], "temporal": ["2020-01-01T00:00:00Z", "2020-12-31T00:00:00Z"]}
    taco = Taco(tortilla=tortilla, providers=people, curators=people, extent=extent, **about)
    made = v1.create(taco, tmp_path / "x.taco", streaming=True, stats=False, jobs=1, compression="snappy")
    assert made == [tmp_path / "x.taco"]
    assert tacore.load(made[0]).id == "demo"
    chunk = v1.read_chunk(tacore.load(made[0]), "s2::0")
    assert (chunk == raster.read_tensor(scene)[:, : chunk.shape[1], : chunk.shape[2]]).all()
    with pytest.raises(tacore.TacoValidationError):
        v1.create(taco, tmp_path / "x.taco")
    with pytest.raises(tacore.TacoValidationError):
        v1.create(tortilla, tmp_path / "y.tacozip")


def test_bad_samples_are_reported(streaming: Path) -> None:
    dataset = tacore.load(streaming)
    assert v1.sanity_check(dataset) == []
    seen: list[str] = []
    names: set[int] = set()

    def read(path: str) -> None:
        seen.append(path)
        names.add(threading.get_ident())
        if "vsisubfile" not in path or len(raster.read_tensor(path)) == 1:
            raise ValueError("one band")

    bad = v1.sanity_check(dataset, read, jobs=2)
    assert len(seen) == 18
    assert len(bad) == 12
    assert bad[0].path == "tile_r1_c1/dem"
    assert bad[0].reason == "ValueError: one band"
    assert v1.sanity_check(dataset.data.read(0), read)[0].path.endswith("dem")


def test_samples_of_format_bytes_are_checked_as_bytes(golden: Path) -> None:
    kinds = set()
    rows = tacore.load(golden / "v1" / "mixed.tortilla")
    assert v1.sanity_check(rows, lambda data: kinds.add(type(data)), jobs=1) == []
    assert kinds <= {bytes, str}
    assert kinds


def test_several_chunks_form_a_raster(tmp_path: Path) -> None:
    """The last chunks end at the edge of the image."""
    tog = tmp_path / "lrf.tif"
    scene = ROOT / "examples" / "data" / "scene" / "optical.tif"
    raster.make_tog(scene, tog, block_size=144, zstd_level=1)
    pixels = tog.read_bytes()
    module = load_writer()
    path = tmp_path / "x.taco"
    path.write_bytes(module.tortilla([module.Sample("lrf", pixels)], module.SPEC_COLLECTION))
    rows = tacore.load(path).data
    chunks = [v1.read_chunk(rows, f"lrf::{place}") for place in range(4)]
    assert [chunk.shape for chunk in chunks] == [(6, 144, 144), (6, 144, 112), (6, 112, 144), (6, 112, 112)]
    assert (numpy.block([chunks[:2], chunks[2:]]) == raster.read_tensor(scene)).all()
    assert v1.read_chunk(rows, "lrf::3", keep_padding=True).shape == (6, 144, 144)
    with pytest.raises(tacore.TacoQueryError):
        v1.read_chunk(rows, "lrf::4")


def load_writer() -> Any:
    """The module that writes files as published tools do."""
    pytest.importorskip("pyarrow")
    import importlib.util

    spec = importlib.util.spec_from_file_location("write_v1", ROOT / "tests" / "v1" / "write_v1.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_column_without_a_name_survives_the_conversion_to_2(tmp_path: Path) -> None:
    """A column without a name used to be lost in the conversion to 2.0."""
    parquet = pytest.importorskip("pyarrow.parquet")
    arrow = pytest.importorskip("pyarrow")
    names = ["tortilla:id", "tortilla:file_format", "tortilla:offset", "tortilla:length", ""]
    sink = io.BytesIO()
    parquet.write_table(arrow.table([["a"], ["BYTES"], [200], [4], [7]], names=names), sink)
    header = b"#y" + struct.pack("<QQQ", 204, len(sink.getvalue()), 1)
    source = tmp_path / "x.tortilla"
    source.write_bytes(header.ljust(200, b"\0") + b"data" + sink.getvalue())
    (there,) = v1.convert(source, tmp_path / "x.tacozip")
    assert 7 in tacore.load(there).data.to_arrow().to_pylist()[0].values()
    (back,) = v1.convert(there, tmp_path / "back.tortilla")
    start, size = struct.unpack("<QQ", back.read_bytes()[2:18])
    footer = parquet.ParquetFile(arrow.BufferReader(back.read_bytes()[start : start + size])).read(use_threads=False)
    assert footer[""].to_pylist() == [7]
