#!/usr/bin/env python3
"""Tortilla 0.5.0 and TACO 0.2.0 to and from the published packages: pytortilla and tacotoolbox write, tacoreader reads.

    check.py TOOL

The Python package is that beside TOOL in a build tree (or of PYTHONPATH); without it the cases that need it are left out.
"""
import datetime
import functools
import importlib.util
import json
import subprocess
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import pytortilla  # noqa: E402
import pytortilla.datamodel.main  # noqa: E402
import scripts  # noqa: E402
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


def cell(value):
    if isinstance(value, (np.ndarray, list, tuple)):
        return [cell(each) for each in value]
    return None if pd.isna(value) is True else value


def same_samples(published, made, level=0):
    """The tables have the same columns, values and bytes of samples, at all levels."""
    names = list(published.columns)
    if published["tortilla:data_split"].isna().all():
        names.remove("tortilla:data_split")  # row 310 of docs/deviations.md
    assert list(made.columns) == names, (names, list(made.columns))
    is_nested = list(published["tortilla:file_format"] == "TORTILLA")
    for name in set(names) - {"internal:subfile"}:
        # The footers of nested files differ, which are a part of their length, and before the samples that follow.
        if name in ("tortilla:offset", "tortilla:length") and any(is_nested) or (name, level > 0) == ("tortilla:offset", True):
            continue
        pairs = [(cell(a), cell(b)) for a, b in zip(published[name], made[name])]
        assert all(a == b and type(a) is type(b) for a, b in pairs), (name, pairs)
    for row in range(len(published)):
        a, b = published.read(row), made.read(row)
        if isinstance(a, pd.DataFrame):
            same_samples(a, b, level + 1)
        else:
            assert (a if isinstance(a, bytes) else content(a)) == (b if isinstance(b, bytes) else content(b)), row


def stated(value):
    """A value without members that are null, which the two writers leave out of different objects."""
    if isinstance(value, dict):
        return {name: stated(each) for name, each in value.items() if each is not None}
    return [stated(each) for each in value] if isinstance(value, list) else value


def same_collection(published, made):
    """COLLECTION says the same, but for what rows 126 and 311 of docs/deviations.md say."""
    assert published["title"] is None and made.pop("title")
    assert (published.pop("taco_version"), made.pop("taco_version")) == ("0.4.0", "0.2.0")
    times = [datetime.datetime.fromisoformat(time).timestamp() * 1000 for time in published["extent"]["temporal"][0]]
    assert made.pop("extent") == {"spatial": published.pop("extent")["spatial"][0], "temporal": times}
    for name in ("discuss_link", "raw_link"):
        if not published[name]["href"]:
            published[name] = None
    papers = published["scientific"]["publications"]
    published["scientific"]["publications"] = [paper for paper in papers if all(paper.values())]
    assert stated(published) == stated(made), (stated(published), stated(made))


def map_admin_codes(tables, codes):
    """As that of pytortilla, which fails with pandas 3."""
    return pd.DataFrame({f"admin{level}": codes[f"admin_code{level}"].map(tables[str(level)]["name"]) for level in range(3)})


def script(statements, folder):
    """tacore's writers make of a public script what the published writers make of it."""
    import tacore.v1
    import tacore.v1.tortilla

    pytortilla.datamodel.main.map_admin_codes = map_admin_codes
    files = tiles(folder)
    made = []
    for name, packages in (("published", scripts.Packages(pytortilla, tacotoolbox, tacoreader)),
                           ("tacore", scripts.Packages(tacore.v1.tortilla, tacore.v1, tacore.v1))):
        (folder / name).mkdir()
        with scripts.EarthEngine():
            made.append(statements(packages, files, folder / name))
    assert [path.name for path in made[0]] == [path.name for path in made[1]], made
    for published, ours in zip(*made):
        same_samples(tacoreader.load(str(published)), tacoreader.load(str(ours)))
        taco("validate", ours)
        if published.suffix == ".taco":
            same_collection(tacoreader.load_metadata(str(published)), tacoreader.load_metadata(str(ours)))


def edits(folder):
    """tacore edits a collection and columns as tacotoolbox does."""
    import tacore.v1

    files, made = tiles(folder), []
    for name, writer, toolbox, reader in (("published", pytortilla, tacotoolbox, tacoreader),
                                          ("tacore", tacore.v1.tortilla, tacore.v1, tacore.v1)):
        samples = [writer.datamodel.Sample(id=id, file_format="GTiff", path=path, stac_data=stac(i), data_split="test", cloud=i / 4)
                   for i, (id, path) in enumerate(files.items())]
        path = folder / f"{name}.taco"
        toolbox.create(toolbox.datamodel.Collection(**COLLECTION), writer.datamodel.Samples(samples=samples), path, quiet=True)
        changed = {**scripts.MINICUBES, "id": "other"}
        assert toolbox.edit.edit_collection(path, toolbox.datamodel.Collection(**changed)) == path
        table = reader.load(str(path))
        table["label"], table["stac:time_start"] = ["a", None, "c"], [1.5, 2.5, 3.5]
        assert toolbox.edit.edit_footer(str(path), table.drop(columns=["cloud"])) == path
        made.append(str(path))
    same_samples(*map(tacoreader.load, made))
    same_collection(*map(tacoreader.load_metadata, made))
    assert list(tacoreader.load(made[1])["label"].isna()) == [False, True, False]


GRID = {"crs": "EPSG:32725", "raster_shape": (64, 64), "geotransform": (288776.25, 28.5, 0, 9120760.75, 0, -28.5)}
TIMES = (5, 5.5, True, "2018-01-01", "2018-01-01T10:00:00Z", "2018-01-01 10:00", "2020", "1514764800.5", "abc", "", "2020-05",
         None, float("nan"), np.int64(5), np.float32(5.5), datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1),
         pd.Timestamp("2020-01-01"), pd.NaT, np.datetime64("2020-01-01"), -5)
SHAPES = ([3, 4], [3, 4.0], [3, 4.5], ("3", "4"), (1, 2, 3), 5, "34", np.array([3, 4]), {3: 1, 4: 1}, None, (None, 1), (True, 1))


def models(folder):
    """tacore's models have the values of the published ones, and refuse what these refuse, by a ValueError."""
    from tacore.v1.tortilla import datamodel as ours

    stac = pytortilla.datamodel.main.STAC
    of_stac = [{"time_start": time} for time in TIMES] + [{"time_start": 1, "time_end": time} for time in TIMES]
    of_stac += [{"time_start": 1, "raster_shape": shape} for shape in SHAPES]
    of_stac += [{"time_start": 1, "geotransform": value} for value in (np.arange(6.0), [1, 2, 3, 4, 5], ["1", 2, 3, 4, 5, 6])]
    of_stac += [{"time_start": 1, "crs": crs} for crs in (4326, None, "nonsense", np.str_("EPSG:4326"))]
    of_sample = [{}, {"id": 1}, {"id": None}, {"path": 5}, {"path": b"x"}, {"path": Path("x")}, {"data_split": "val"},
                 {"data_split": np.str_("train")}, {"data_split": float("nan")}, {"data_split": 1}, {"stac_data": 5},
                 {"rai_data": {"ele": 1}}, {"cloud": 1.5, "lat": None}, {"stac_data": {**GRID, "time_start": 1}}]
    numbers = dict.fromkeys(("ele", "cisi", "gdp", "hdi", "gmi", "pop"), 1) | dict.fromkeys(("admin0", "admin1", "admin2"), "a")
    of_rai = [{}, {"ele": 1.5}, {"ele": "1.5"}, {"ele": None}, {"ele": True}, {"ele": float("nan")}, {"admin0": 1}]
    sample = {"id": "a", "file_format": "GTiff", "path": "a.tif"}
    calls = [(stac, ours.STAC, {**GRID, **each}) for each in of_stac]
    calls += [(pytortilla.datamodel.main.RAI, ours.RAI, {**numbers, **each}) for each in of_rai]
    calls += [(Sample, ours.Sample, {**sample, **each}) for each in of_sample]
    calls += [(Sample, ours.Sample, {name: value for name, value in sample.items() if name != lost}) for lost in sample]
    of_us, of_them = tacotoolbox.specification, importlib.import_module("tacore.v1.specification")
    about = {name: value for name, value in scripts.MINICUBES.items() if name != "title"}  # which the published one loses
    changes = [{}, {"id": "My"}, {"id": 5}, {"task": "x"}, {"task": None}, {"licenses": "MIT"}, {"licenses": []},
               {"providers": [{}]}, {"providers": [{"name": "a", "emails": [{"value": "x"}]}]}, {"keywords": None},
               {"providers": [{"name": "a", "phones": [{"value": "+34600000000"}]}]}, {"split_strategy": "any"},
               *({"extent": {"spatial": boxes, "temporal": [["2020-01-01T00:00:00Z"] * 2]}}
                 for boxes in ([], [[0, 0, 1]], [[0, 0, 1, 181]], [[0, 0, 5, 1, 1, 6]], [0, 0, 1, 1])),
               {"extent": {"spatial": [[0, 0, 1, 1]], "temporal": [["2020-01-01", "2021-01-01"]]}},
               {"optical_data": {"bands": []}}, {"optical_data": {"sensor": "landsat8oli"}}, {"optical_data": {"sensor": "x"}},
               {"labels": {"label_classes": [{"name": "a", "category": "1"}, {"name": "b", "category": 2}]}},
               {"labels": {}}, {"scientific": {"doi": "a"}}, {"raw_link": {}}, {"raw_link": {"href": ""}},
               *({"optical_data": {"sensor": sensor}} for sensor in SENSORS)]
    calls += [(tacotoolbox.datamodel.Collection, importlib.import_module("tacore.v1.datamodel").Collection, {**about, **each})
              for each in changes]
    calls += [(getattr(of_us, name), getattr(of_them, name), {}) for name in ("Contact", "Extent", "HyperLink", "Labels",
                                                                              "OpticalData", "Scientific")]
    for published, made, fields in calls:
        found = []
        for model in (published, made):
            try:
                found.append(repr(model(**fields).model_dump()))
            except ValueError:
                found.append("ValueError")
        assert found[0] == found[1], (published.__name__, fields, found)


SENSORS = ("landsat1mss", "landsat2mss", "landsat3mss", "landsat4mss", "landsat5mss", "landsat4tm", "landsat5tm", "landsat7etm",
           "landsat8oli", "landsat9oli", "sentinel2msi", "eo1ali", "aster", "modis", "sentinel2msi[B02, B03]")


CASES = (published_flat, published_nested, published_parts, ours, ours_split, ours_streaming)
OF_PYTHON = (models, edits, *(functools.update_wrapper(functools.partial(script, each), each) for each in scripts.SCRIPTS))


def main():
    global TOOL
    TOOL = sys.argv[1]
    sys.path.append(str(Path(TOOL).resolve().parents[1] / "python"))
    cases = [*CASES, *(OF_PYTHON if importlib.util.find_spec("tacore") else ())]
    failed = 0
    for case in cases:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                case(Path(scratch).resolve())
                print(f"{case.__name__}: as expected", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED {case.__name__}\n{traceback.format_exc()}", flush=True)
    print(f"{len(cases) - failed} of {len(cases)} cases passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
