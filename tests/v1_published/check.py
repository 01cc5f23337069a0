#!/usr/bin/env python3
"""Tortilla 0.5.0 and TACO 0.2.0 to and from the published packages: pytortilla and tacotoolbox write, tacoreader reads.

    check.py TOOL
"""
import json
import subprocess
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")
import pytortilla  # noqa: E402
import tacoreader  # noqa: E402
import tacotoolbox  # noqa: E402
from pytortilla.datamodel import Sample, Samples  # noqa: E402

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "data"
COLLECTION = {
    "id": "chips", "dataset_version": "1.0.0", "description": "Chips", "licenses": ["cc-by-4.0"],
    "extent": {"spatial": [[-35.0, -9.0, -34.0, -7.0]], "temporal": [["2000-01-01T00:00:00Z", "2000-12-31T00:00:00Z"]]},
    "providers": [{"name": "Ada", "roles": ["producer"]}], "task": "super-resolution",
    "optical_data": {"sensor": "landsat7etm"},
    "labels": {"label_classes": [{"name": "water", "category": 0}]}}
TOOL = None


def taco(*arguments):
    run = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, check=False)
    assert run.returncode == 0, f"taco {' '.join(map(str, arguments))}: {run.stderr.decode()}"
    return run.stdout


def rows(path, sql="SELECT * FROM data"):
    return json.loads(taco("query", path, sql, "--format", "json"))


def stac(i):
    return {"crs": "EPSG:32725", "geotransform": (288776.25 + i, 28.5, 0, 9120760.75, 0, -28.5), "raster_shape": (64, 64),
            "time_start": 946684800 + i}


def tiles(folder):
    """Three rasters as files, by id."""
    out = {}
    for row in json.loads(taco("ls", EXAMPLES / "landsat.tacozip", "--json"))[:3]:
        out[row["id"]] = folder / f"{row['id']}.tif"
        out[row["id"]].write_bytes(taco("read", EXAMPLES / "landsat.tacozip", row["id"]))
    return out


def samples_of(files):
    return Samples(samples=[Sample(id=id, file_format="GTiff", path=str(path), data_split="train", stac_data=stac(i),
                                   cloud=i / 4) for i, (id, path) in enumerate(files.items())])


def nested_samples(folder, files):
    inner = folder / "inner.tortilla"
    pytortilla.create(samples_of(files), str(inner), quiet=True)
    return Samples(samples=[Sample(id=f"img{i}", file_format="TORTILLA", path=str(inner), stac_data=stac(i))
                            for i in range(2)])


def content(subfile):
    """What GDAL opens."""
    places, path = subfile.removeprefix("/vsisubfile/").split(",", 1)
    offset, length = map(int, places.split("_"))
    with open(path, "rb") as file:
        file.seek(offset)
        return file.read(length)


def published_flat(folder):
    """tacore reads, checks and converts a file that pytortilla writes."""
    files = tiles(folder)
    path = folder / "flat.tortilla"
    pytortilla.create(samples_of(files), str(path), quiet=True)
    found = rows(path)
    assert [row["id"] for row in found] == list(tacoreader.load(str(path))["tortilla:id"]), found
    for row in found:
        assert taco("read", path, row["id"]) == files[row["id"]].read_bytes()
        assert row["cloud"] == list(files).index(row["id"]) / 4 and "__index_level_0__" not in row
    taco("validate", path)
    taco("convert", path, folder / "flat.tacozip", "--quiet")
    for id, file in files.items():
        assert taco("read", folder / "flat.tacozip", id) == file.read_bytes()


def published_nested(folder):
    """tacore reads, checks and converts a nested TACO that tacotoolbox writes, with a collection."""
    files = tiles(folder)
    path = folder / "nested.taco"
    tacotoolbox.create(tacotoolbox.datamodel.Collection(**COLLECTION), nested_samples(folder, files), str(path), quiet=True)
    info = json.loads(taco("info", path, "--json"))
    assert info["id"] == "chips" and info["format"] == "taco", info
    for i in range(2):
        for id, file in files.items():
            assert taco("read", path, f"img{i}/{id}") == file.read_bytes()
    assert len(rows(path, "SELECT id FROM level1")) == 6
    taco("validate", path)
    taco("convert", path, folder / "new.tacozip", "--quiet")
    taco("convert", folder / "new.tacozip", folder / "back.taco", "--quiet")
    assert tacoreader.load_metadata(str(folder / "back.taco"))["optical_data"] == tacoreader.load_metadata(str(path))["optical_data"]
    read_by_published(folder / "back.taco", path)


def read_by_published(path, original):
    """Every sample of `path`, as tacoreader finds it, has the bytes that tacore reads from `original`."""
    roots = tacoreader.load(str(path))
    for i, id in enumerate(roots["tortilla:id"]):
        sample = roots.read(i)
        if isinstance(sample, str):
            assert content(sample) == taco("read", original, id), id
            continue
        for k, child in enumerate(sample["tortilla:id"]):
            assert content(sample.read(k)) == taco("read", original, f"{id}/{child}"), f"{id}/{child}"


def published_parts(folder):
    """A set of partitions by pytortilla is one dataset."""
    files = tiles(folder)
    size = max(file.stat().st_size for file in files.values()) // 1000 + 1
    parts = pytortilla.create(samples_of(files), str(folder / "set.tortilla"), chunk_size=f"{size}KB", quiet=True)
    assert len(parts) == 3, parts
    assert sorted(row["id"] for row in rows(parts[1])) == sorted(files)
    taco("convert", parts[0], folder / "one.tortilla", "--quiet")
    read_by_published(folder / "one.tortilla", parts[0])


def ours(folder):
    """tacoreader and tacotoolbox read, compile and edit what tacore writes."""
    for name in ("landsat", "landsat_nested"):
        original = EXAMPLES / f"{name}.tacozip"
        for suffix in (".tortilla", ".taco"):
            path = folder / f"{name}{suffix}"
            taco("convert", original, path, "--quiet")
            read_by_published(path, original)
            frame = tacoreader.load(str(path))
            some = folder / f"some{suffix}{name}.tortilla"
            tacoreader.compile(frame.iloc[1:3], str(some), quiet=True)
            assert sorted(row["id"] for row in rows(some)) == sorted(frame["tortilla:id"][1:3])
    path = folder / "landsat.taco"
    assert tacoreader.load_metadata(str(path))["id"] == "landsat"
    tacotoolbox.edit.edit_collection(str(path), tacotoolbox.datamodel.Collection(**COLLECTION))
    assert json.loads(taco("info", path, "--json"))["id"] == "chips"
    read_by_published(path, EXAMPLES / "landsat.tacozip")
    tacotoolbox.taco2tortilla(str(path))
    assert json.loads(taco("info", path, "--json"))["format"] == "tortilla"


def ours_split(folder):
    """tacoreader joins partitions that tacore writes."""
    taco("convert", EXAMPLES / "landsat.tacozip", folder / "set.taco", "--split-size", "60kB", "--quiet")
    parts = sorted(folder.glob("set.*.part.taco"))
    assert len(parts) > 2, parts
    frame = tacoreader.load([str(part) for part in parts])
    assert sorted(frame["tortilla:id"]) == sorted(row["id"] for row in rows(EXAMPLES / "landsat.tacozip"))


def ours_streaming(folder):
    """A streaming TACO is a plain TACO for readers without streaming support."""
    for i in range(2):
        (folder / "source" / f"img{i}").mkdir(parents=True)
        for id, file in tiles(folder).items():
            (folder / "source" / f"img{i}" / id).write_bytes(file.read_bytes())
    about = {**COLLECTION, "curators": [{"name": "Ada"}], "taco_version": "0.2.0"}
    (folder / "about.json").write_text(json.dumps(about))
    path = folder / "stream.taco"
    taco("create", folder / "source", path, "--collection", folder / "about.json", "--streaming", "--quiet")
    read_by_published(path, path)


CASES = (published_flat, published_nested, published_parts, ours, ours_split, ours_streaming)


def main():
    global TOOL
    TOOL = sys.argv[1]
    failed = 0
    for case in CASES:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                case(Path(scratch).resolve())
                print(f"{case.__name__}: as expected", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED {case.__name__}\n{traceback.format_exc()}", flush=True)
    print(f"{len(CASES) - failed} of {len(CASES)} cases passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
