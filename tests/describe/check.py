#!/usr/bin/env python3
"""Proves that others accept what `taco describe` writes.

    check.py TOOL LIBRARY [CASE...]

TOOL is the program `taco`, LIBRARY is made of support/tool_server.cpp, CASE is a name or a pattern, such as '*/stac'.

Cases are called DATASET/FORM. Every golden dataset and example is described in every form, and each form is given to a
validator or reader of its own: pystac, stac-check, stac-geoparquet, geopandas, mlcroissant, the schema of DataCite, the
cards of huggingface_hub, datasets, html5lib. All of them together are a catalogue, the case archive/site. What a dataset has
no place or time for is refused, which is checked as well.

Needs the packages of requirements.txt; `run` makes an environment that has them. Works in a temporary folder.
"""
import base64
import contextlib
import datetime
import fnmatch
import functools
import hashlib
import http.server
import json
import os
import re
import shutil
import sys
import tempfile
import threading
import traceback
import urllib.robotparser
import warnings
import zipfile
import zlib
from pathlib import Path

SCRATCH = Path(tempfile.mkdtemp(prefix="tacore-describe-"))
os.environ["CROISSANT_CACHE"] = str(SCRATCH / "croissant")  # read when mlcroissant is imported
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HOME"] = str(SCRATCH / "hub")
os.environ["TQDM_DISABLE"] = "1"
os.environ.pop("SOURCE_DATE_EPOCH", None)

import geopandas
import html5lib
import jsonschema
import lxml.etree
import mlcroissant
import numpy
import pandas
import pyarrow.parquet
import pyproj
import pystac
import pystac.extensions.projection
import rasterio
import rdflib
import shapely
import stac_geoparquet.arrow
import stac_validator.utilities
import yaml
from datacite import schema45
from datasets import disable_progress_bars, load_dataset
from huggingface_hub import DatasetCard
from stac_check.lint import Linter

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tests" / "support"))
from sampled import sampled
from tool_server import ToolServer

disable_progress_bars()
NO_TIME = "STAC requires one"
NO_PLACE = "no sample of the level has a location"
HOSTILE = "</script><script>alert('\"&é\U0001f600')</script> `a|b` *c* # ---\n- x: {y}\t[z](javascript:1) \\ %s"

# --------------------------------------------------------------------------------------------------------------- datasets


def hostile(folder):
    """Texts that every form has to escape, and ids that are awkward in URLs."""
    rows = []
    for number, name in enumerate(["a b#c?.txt", "é%41&'\".txt", "<b>.txt"]):
        (folder / name).write_text(f"sample {number}")
        place = {"type": "Point", "coordinates": [179.5 - number, -10.0]}
        rows.append({"type": "Feature", "geometry": place,
                     "properties": {"id": name, "path": str(folder / name), "istac:time_start": "2020-01-01T00:00:00Z",
                                    "note": HOSTILE, "title": "not a title", "datetime": 5}})
    (folder / "rows.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": rows}))
    people = [{"name": HOSTILE, "organization": HOSTILE, "email": "a@b.c", "role": "producer"}]
    (folder / "collection.json").write_text(json.dumps({
        "id": "hostile", "title": HOSTILE[:200], "description": HOSTILE + "\n\n" + HOSTILE, "licenses": [HOSTILE, "mit"],
        "providers": people, "curators": people, "tasks": ["segmentation"], "keywords": [HOSTILE, "yes", "null", "1.0"],
        "publications": [{"doi": "10.1234/" + HOSTILE, "citation": HOSTILE, "summary": HOSTILE}],
        "labels:classes": [{"name": HOSTILE, "category": "0", "description": HOSTILE}],
        "optical:bands": [{"name": HOSTILE, "description": HOSTILE}], "rai:data_biases": HOSTILE}))
    taco("create", folder / "rows.geojson", folder / "hostile.tacozip", "--collection", folder / "collection.json")
    return folder / "hostile.tacozip"


# name: system, geotransform of GDAL, columns, rows
GRIDS = {
    "globe": ("EPSG:4326", (-180, 1, 0, 90, 0, -1), 360, 180), "from_greenwich": ("EPSG:4326", (0, 1, 0, 90, 0, -1), 360, 180),
    "wide": ("EPSG:4326", (-100, 1, 0, 50, 0, -1), 200, 20), "dateline": ("EPSG:4326", (170, 1, 0, 10, 0, -1), 20, 10),
    "beyond": ("EPSG:4326", (190, 1, 0, 10, 0, -1), 10, 10), "south_up": ("EPSG:4326", (10, 1, 0, 40, 0, 1), 10, 10),
    "utm_1": ("EPSG:32601", (200000, 1000, 0, 5e6, 0, -1000), 300, 300),
    "utm_60": ("EPSG:32660", (500000, 1000, 0, 5e6, 0, -1000), 300, 300),
    "utm_turned": ("EPSG:32633", (500000, 700, 700, 5e6, 700, -700), 100, 100),
    "utm_south": ("EPSG:32733", (500000, 1000, 0, 8e6, 0, -1000), 100, 100),
    "mercator": ("EPSG:3857", (-2e7, 1e5, 0, 1e7, 0, -1e5), 400, 200),
    "mercator_small": ("EPSG:3857", (1e6, 10, 0, 6e6, 0, -10), 256, 256),
    "south_pole": ("EPSG:3031", (-2e6, 1e4, 0, 2e6, 0, -1e4), 400, 400),
    "north_pole_70": ("EPSG:3413", (-2e6, 1e4, 0, 2e6, 0, -1e4), 400, 400),
    "north_pole_71": ("EPSG:3995", (-2e6, 1e4, 0, 2e6, 0, -1e4), 400, 400),
    "ups": ("EPSG:32661", (1e6, 1e4, 0, 3e6, 0, -1e4), 200, 200),
    "off_centre": ("EPSG:3031", (-5e5, 1e4, 0, 3e6, 0, -1e4), 400, 400),
    "at_the_pole": ("EPSG:3031", (0, 1e4, 0, 2e6, 0, -1e4), 200, 200),
    "beside_the_pole": ("EPSG:3031", (1e5, 1e4, 0, 2e6, 0, -1e4), 300, 400),
    "laea": ("EPSG:3035", (2.5e6, 1e4, 0, 5.5e6, 0, -1e4), 400, 400),
    "sinusoidal": ("ESRI:54008", (1e6, 1e4, 0, 5e6, 0, -1e4), 100, 100),
}


def grids(folder):
    """Grids of which the corners say too little."""
    rows = []
    for name, (crs, transform, columns, height) in GRIDS.items():
        (folder / name).write_text(name)
        rows.append({"id": name, "path": str(folder / name), "stac:crs": crs, "stac:time_start": "2020-01-01T00:00:00Z",
                     "stac:geotransform": [float(number) for number in transform], "stac:tensor_shape": [height, columns]})
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    about = ("--id", "grids", "--license", "MIT", "--provider", "x", "--task", "other", "--title", "Grids", "--description", "D")
    taco("create", folder / "rows.jsonl", folder / "grids.tacozip", *about)
    return folder / "grids.tacozip"


ABOUT = ("--license", "MIT", "--provider", "x", "--task", "semantic-segmentation", "--description", "D",
         "--dataset-version", "1.0.0")


def picture(path, bands, driver, dtype="uint8", **how):
    """Random pixels, of another seed for each path; smooth ones for JPEG, of which decoders differ a little."""
    numbers = numpy.random.default_rng(zlib.crc32(str(path.relative_to(SCRATCH)).encode()))
    pixels = numbers.integers(0, numpy.iinfo(dtype).max, (bands, 16, 24), dtype)
    if driver == "JPEG":
        pixels[:] = numpy.linspace(*numbers.integers(0, 255, 2), 24)
    path.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
        with rasterio.open(path, "w", driver=driver, width=24, height=16, count=bands, dtype=dtype, **how) as out:
            out.write(pixels)


def chips(folder):
    """PNGs with a class and a split each."""
    with open(folder / "rows.csv", "w") as rows:
        rows.write("id,path,label,split\n")
        for number, bands in enumerate((1, 3, 4, 1)):
            name = f"chip_{number}.png"
            picture(folder / name, bands, "PNG", "uint16" if number == 3 else "uint8")
            rows.write(f"{name},{folder / name},{number % 2},{('train', 'train', 'test', '')[number]}\n")
    (folder / "fields.csv").write_text("name,description,classes\nlabel,Land cover,0=water;1=forest\n")
    taco("create", folder / "rows.csv", folder / "chips.tacozip", "--id", "chips", *ABOUT, "--fields", folder / "fields.csv")
    return folder / "chips.tacozip"


def pairs(folder):
    """FOLDERs of an image with four bands of 16 bits, a picture and a mask."""
    for number in range(4):
        place = folder / "in" / f"pair_{number}"
        picture(place / "image [a].tif", 4, "GTiff", "uint16", compress="deflate")
        picture(place / "quicklook.jpg", 3, "JPEG")
        picture(place / "mask.png", 1, "PNG")
    taco("create", folder / "in", folder / "pairs.tacozip", "--id", "pairs", *ABOUT)
    return folder / "pairs.tacozip"


def pairs_folder(folder):
    taco("convert", pairs(folder), folder / "pairs_folder")
    return folder / "pairs_folder"


def index_of(folder, parts):
    """An index of ZIPs with some of the pairs, by a name and a condition each."""
    whole, out = pairs(folder), folder / "index"
    out.mkdir()
    for name, condition in parts.items():
        taco("export", whole, out / name, f"SELECT * FROM data WHERE {condition}")
    taco("index", *(out / name for name in parts))
    return out


def pairs_index(folder):
    return index_of(folder, {"first.tacozip": "id < 'pair_2'", "second.tacozip": "id >= 'pair_2'"})


def same_ids(folder):
    return index_of(folder, {"a.tacozip": "id < 'pair_2'", "b.tacozip": "id < 'pair_1'"})


def collection_of_parts(folder):
    """A TACOLLECTION.json: the index of a TACOCAT without its tables."""
    shutil.copytree(ROOT / "tests/golden/cascade_tacocat", folder / "parts")
    (folder / "parts/.tacocat/COLLECTION.json").rename(folder / "parts/TACOLLECTION.json")
    shutil.rmtree(folder / "parts/.tacocat")
    return folder / "parts/TACOLLECTION.json"


def index_file(folder):
    """An index in one file, whose tables are those of its ZIPs."""
    shutil.copytree(ROOT / "tests/golden/cascade_tacocat", folder / "parts")
    shutil.rmtree(folder / "parts/.tacocat")
    return folder / "parts/__TACOCAT__"


def archive(folder):
    """All other datasets in one folder."""
    for name, make in datasets().items():
        (folder / name).mkdir()
        make(folder / name)
    return folder


def partitions(folder):
    """The last of a dataset in several files."""
    shutil.copytree(ROOT / "tests/golden/v1/parts", folder / "parts")
    return sorted((folder / "parts").iterdir())[-1]


def golden(name):
    def copy(folder):
        source = ROOT / name
        target = folder / source.name
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
        return target
    return copy


def datasets():
    found = sorted((ROOT / "tests/golden").iterdir())
    names = [path for path in found if path.suffix in (".tacozip", ".zip") or path.is_dir() and path.name != "v1"]
    names += sorted((ROOT / "examples/data").glob("*.tacozip"))
    out = {path.stem if path.suffix else path.name + "_folder": golden(str(path.relative_to(ROOT))) for path in names}
    before_2 = sorted((ROOT / "tests/golden/v1").glob("*.taco")) + sorted((ROOT / "tests/golden/v1").glob("*.tortilla"))
    out |= {"v1_" + path.name: golden(str(path.relative_to(ROOT))) for path in before_2}
    return {**out, "tacollection": collection_of_parts, "index_file": index_file, "hostile": hostile, "partitions": partitions, "grids": grids,
            "chips": chips, "pairs": pairs, "pairs_folder": pairs_folder, "pairs_index": pairs_index, "same_ids": same_ids}


# ------------------------------------------------------------------------------------------------------------------ tools


def taco(*arguments):
    return taco_bytes(*arguments).decode()


def taco_bytes(*arguments):
    done = SERVER.run([SERVER.tool, *arguments])
    if done.returncode:
        raise Refused(done.stderr.decode())
    return done.stdout


class Refused(Exception):
    pass


def describe(dataset, form, output, *more):
    """What the tool wrote, which it writes again in the same bytes."""
    taco("describe", dataset, "--as", form, "-o", output, *more)
    if output.is_file():
        before = output.read_bytes()
        taco("describe", dataset, "--as", form, "-o", output, "--overwrite", *more)
        assert output.read_bytes() == before, "other bytes the second time"
    return output


@functools.cache
def query(dataset, sql):
    return json.loads(taco("query", dataset, sql, "-f", "json"))


@functools.cache
def collection_of(dataset):
    return json.loads(taco("info", dataset, "--json"))["collection"]


def columns_of(dataset):
    """The columns of level 0."""
    return [column for column in json.loads(taco("columns", dataset, "--json")) if column["level"] == 0]


def title_of(dataset):
    collection = collection_of(dataset)
    return collection.get("title") or collection.get("id") or dataset.name.split(".")[0]  # a Tortilla has no collection


def validate_item(item):
    """Against the core schemas, which pystac carries; those of extensions would have to be fetched."""
    pystac.validation.validate_dict({**item, "stac_extensions": []})
    for key in ("proj:shape", "proj:transform"):
        assert len(item["properties"].get(key, [0, 0])) in (2, 6)


def check_grid(item):
    """Pixels of the grid lie in its footprint and box, by PROJ and GEOS."""
    has = item["properties"]
    if item["geometry"]["type"] == "Point" or not {"proj:code", "proj:shape", "proj:transform"} <= set(has):
        return
    (rows, columns), (a, b, c, d, e, f) = has["proj:shape"], has["proj:transform"]
    column, row = numpy.meshgrid((numpy.arange(20) + 0.5) / 20 * columns, (numpy.arange(20) + 0.5) / 20 * rows)
    x, y = a * column + b * row + c, d * column + e * row + f
    to_degrees = pyproj.Transformer.from_crs(has["proj:code"], "OGC:CRS84", always_xy=True)
    lon, lat = (value.ravel() for value in to_degrees.transform(x, y))
    lon = (lon + 180) % 360 - 180
    points = shapely.points(lon, lat)
    lost = int((~shapely.intersects(shapely.geometry.shape(item["geometry"]), points)).sum())
    assert lost == 0, f"{item['id']}: {lost} of 400 pixels are not in the footprint"
    for x, y in zip(lon, lat):
        assert in_box(item["bbox"], (x, y, x, y)), f"{item['id']}: {x}, {y} is not in {item['bbox']}"


def in_box(outer, inner):
    """Whether a box of STAC, which may cross the antimeridian, holds another."""
    (west, south, east, north), (left, bottom, right, top) = outer, inner
    if not (south <= bottom and top <= north):
        return False
    if east - west >= 360:
        return True
    width, reach = (east - west) % 360, (right - left) % 360
    return (left - west) % 360 + reach <= width + 1e-9


def check_extent(collection, items):
    """The extent holds all Items."""
    box, (begin, end) = collection.extent.spatial.bboxes[0], collection.extent.temporal.intervals[0]
    for item in items:
        assert item.bbox is None or in_box(box, item.bbox), (box, item.bbox)
        if "taco:time" in item.properties:
            continue
        first, last = item.common_metadata.start_datetime or item.datetime, item.common_metadata.end_datetime or item.datetime
        assert begin is None or begin <= first, (begin, first)
        assert end is None or last <= end, (last, end)


# ------------------------------------------------------------------------------------------------------------------ forms


def stac(dataset, folder):
    catalog = describe(dataset, "stac", folder / "catalog")
    document = json.loads((catalog / "collection.json").read_text("utf-8"))
    pystac.validation.validate_dict({**document, "stac_extensions": []})
    collection = pystac.Collection.from_file(str(catalog / "collection.json"))
    items = list(collection.get_items())
    samples = query(dataset, "SELECT id FROM data")
    assert [item.properties["taco:path"] for item in items] == [sample["id"] for sample in samples]
    assert len({item.id for item in items}) == len(items)
    for item in items:
        validate_item(item.to_dict())
        assert item.collection_id == collection.id
        if item.geometry and dataset.stem == "grids":
            check_grid(item.to_dict())
    check_extent(collection, items)
    for path in [catalog / "collection.json", *sorted((catalog / "items").iterdir())[:3]]:
        lint(path)
    for item in items[:3]:
        for asset in item.get_assets().values():
            path = Path(asset.get_absolute_href().removeprefix("file://"))
            content = Path(percent_decoded(path)).read_bytes()
            offset, size = asset.extra_fields.get("taco:offset", 0), asset.extra_fields.get("taco:size", len(content))
            whole = taco_bytes("read", dataset, asset.title)
            same_name = [other for other in items if other.properties["taco:path"] == item.properties["taco:path"]]
            assert len(same_name) > 1 or content[offset:offset + size] == whole, asset.title


# Advice of stac-check that a dataset without places, times or bands cannot follow, or a catalog that may be moved; it takes
# longitudes above 90 degrees for latitudes, and cuts the name of a file at its first dot.
ADVICE = ("link to 'self'", "summaries", "should have a geometry field", "setting the datetime field to null",
          "properties. Please consider", "links. Please consider", "Searchable identifiers", "lowercase characters",
          "may be in the wrong order", "Item file names should match their ids")


def lint(path):
    """What stac-check says of a file, with the core schemas that pystac carries."""
    found = Linter(str(path))
    assert found.valid_stac, (path, found.error_msg)
    advice = [line for line in found.best_practices_msg[1:] + found.geometry_errors_msg[1:] if line]
    advice = [line for line in advice if not any(known in line for known in ADVICE)]
    assert not advice, (path, advice)


def local_schema(url):
    """The file of a core schema. Those of extensions are not in any package: all is valid there."""
    if "stac-extensions" in url:
        return str(SCRATCH / "any.json")
    folder = Path(pystac.__file__).parent / "validation/jsonschemas"
    return str(folder / ("geojson" if "geojson" in url else "stac-spec/v1.1.0") / url.split("/")[-1].split("#")[0])


stac_validator.utilities._map_extension_url_to_local = local_schema
(SCRATCH / "any.json").write_text("{}")


def percent_decoded(path):
    from urllib.parse import unquote
    return unquote(str(path))


def stac_text(dataset, folder):
    document = json.loads(taco("describe", dataset, "--as", "stac"))
    pystac.validation.validate_dict({**document, "stac_extensions": []})
    assert document["title"] == title_of(dataset)
    assert not any(link["rel"] == "item" for link in document["links"])


def stac_table(dataset, folder):
    path = describe(dataset, "stac-geoparquet", folder / "items.parquet")
    items = list(stac_geoparquet.arrow.stac_table_to_items(pyarrow.parquet.read_table(path)))
    catalog = describe(dataset, "stac", folder / "same")
    key = json.loads(pyarrow.parquet.read_metadata(path).metadata[b"stac-geoparquet"])
    pystac.validation.validate_dict({**key["collections"][items[0]["collection"]], "stac_extensions": []})
    for item in items:
        validate_item(item)
        alone = json.loads((catalog / "items" / (item["id"] + ".json")).read_text("utf-8"))
        for name in ("bbox", "collection", "stac_extensions"):
            assert item.get(name) == alone.get(name) or name == "stac_extensions", name
        assert set(item["assets"]) == set(alone["assets"])
        assert (item["geometry"] or {}).get("type") == (alone["geometry"] or {}).get("type")
        assert instant(item) == instant(alone)
    check_geo(path)


def instant(item):
    text = item["properties"]["datetime"]
    return text and datetime.datetime.fromisoformat(text)


def geoparquet(dataset, folder):
    path = describe(dataset, "geoparquet", folder / "level0.parquet")
    frame = check_geo(path)
    assert list(frame["id"]) == [row["id"] for row in query(dataset, "SELECT id FROM data")]
    assert all(not text.startswith("/vsisubfile/") or not text.split(",", 1)[1].startswith("/")
               for text in frame["taco:vsi"]), "a path of this machine"


def check_geo(path):
    """The metadata of GeoParquet 1.1, and what geopandas makes of it."""
    geo = json.loads(pyarrow.parquet.read_metadata(path).metadata[b"geo"])
    assert geo["version"] == "1.1.0" and geo["primary_column"] == "geometry"
    column = geo["columns"]["geometry"]
    assert column["encoding"] == "WKB" and len(column["bbox"]) == 4 and "crs" not in column
    frame = geopandas.read_parquet(path)
    boxes = pyarrow.parquet.read_table(path, columns=["bbox"])["bbox"].to_pylist()
    assert frame.crs.to_string() in ("OGC:CRS84", "EPSG:4326")
    shapes = frame.geometry[frame.geometry.notna()]
    assert set(shapes.geom_type) <= {name.removesuffix(" Z") for name in column["geometry_types"]}
    for box, shape in zip(boxes, frame.geometry):
        assert (box is None) == (shape is None)
        if shape is not None and box["xmin"] <= box["xmax"] and -180 <= shape.bounds[0] and shape.bounds[2] <= 180:
            assert (box["xmin"], box["ymin"], box["xmax"], box["ymax"]) == shape.bounds
    # The covering column finds what lies in a box.
    least = shapes.bounds[["minx", "miny"]].min()
    geopandas.read_parquet(path, bbox=(least.minx, least.miny, least.minx, least.miny))
    return frame


def croissant(dataset, folder):
    beside = dataset if dataset.is_dir() and (dataset / "COLLECTION.json").exists() else dataset.parent
    if (dataset / ".tacocat").is_dir():
        beside = dataset
    table = dataset.with_name(dataset.name + ".parquet")
    if dataset.suffix in (".taco", ".tortilla"):  # only a table beside it can be read by others
        try:
            describe(dataset, "geoparquet", table)
        except Refused as refused:
            assert NO_PLACE in str(refused)
    path = describe(dataset, "croissant", beside / "croissant.json")
    data = mlcroissant.Dataset(jsonld=str(path))
    assert not data.metadata.issues.errors, data.metadata.issues.errors
    document = json.loads(path.read_text("utf-8"))
    assert table.exists() <= any(record_set["@id"] == "level0" for record_set in document["recordSet"])
    for record_set in document["recordSet"]:
        if not record_set["@id"].startswith("level"):
            continue
        level = record_set["@id"]
        wanted = [row["id"].encode() for row in query(dataset, f"SELECT id FROM {level}")]
        if unreadable(dataset, record_set):
            continue
        found = [row[level + "/id"] for row in data.records(level)]
        found = [text for text in found if not text.startswith(b"__TACOPAD__")]
        assert sorted(found) == sorted(wanted), (found, wanted)
    loads = check_samples(dataset, document, data)
    assert loads == (dataset.suffix not in (".taco", ".tortilla") and dataset.stem not in UNREADABLE and
                     dataset.name not in ("TACOLLECTION.json", "__TACOCAT__") and dataset.parent.name != "same_ids"), "samples"
    if loads and not (dataset / "COLLECTION.json").exists():  # a server does not list the files of a folder
        with server(beside) as url:
            path = describe(dataset, "croissant", folder / "remote.json", "--base-url", url)
            document = json.loads(path.read_text("utf-8"))
            assert all(file["contentUrl"].startswith(url) for file in document["distribution"]
                       if file["@type"] == "cr:FileObject" and "containedIn" not in file)
            assert check_samples(dataset, document, mlcroissant.Dataset(jsonld=document))
    (beside / "croissant.json").unlink()
    table.unlink(missing_ok=True)


def check_samples(dataset, document, data):
    """The record set `samples`: ids, metadata and the content of files, by zipfile, Pillow and rasterio. Whether it is
    there and can be read."""
    field_sets = {record_set["@id"]: record_set["field"] for record_set in document["recordSet"]}
    if "samples" not in field_sets or dataset.stem in UNREADABLE:
        return False
    fields = {field["name"].removeprefix("samples/"): field for field in field_sets["samples"]}
    files = {name: field for name, field in fields.items() if "field" in field["source"]}
    stored = stored_files(dataset)
    rows = list(data.records("samples"))
    ids = [row["samples/id"].decode() for row in rows]
    assert [name for name in ids if not name.startswith("__TACOPAD__")] == [row["id"] for row in query(dataset, "SELECT id FROM level0")]
    wanted = {path for path in stored if path.split("/")[0] in ids and "__TACOPAD__" not in path}
    known = {row["id"]: row for row in query(dataset, "SELECT * FROM level0")}
    exact = [column["name"] for column in columns_of(dataset) if column["type"] == "string" or "int" in column["type"].split("<")[0]]
    for name, row in zip(ids, rows):
        for column in exact if name in known else []:
            value = row[fields[column]["@id"]]
            assert (value.decode() if isinstance(value, bytes) else value) == known[name][column], (name, column)
        for asset, field in files.items():
            path = name if asset.rstrip("_") == "data" and name in stored else f"{name}/{asset}"
            content = row[field["@id"]]
            if path not in stored:
                assert content is None, path
            elif isinstance(content, bytes):
                assert content == stored[path], path
            else:
                assert path.endswith((".png", ".jpg")), path
                pixels = numpy.asarray(content, int)
                wrong = abs(pixels_of(stored[path]) - (pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)))
                assert wrong.max() <= (2 if path.endswith(".jpg") else 0), path
            wanted.discard(path)
    assert not wanted, f"no record has {wanted}"
    labels = {name for name, field in fields.items() if "cr:Label" in field["dataType"]}
    assert labels == LABELS.get(dataset.name, labels)
    return True


def pixels_of(content):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
        with rasterio.io.MemoryFile(content) as memory, memory.open() as source:
            return source.read().astype(int)


LABELS = {"chips.tacozip": {"label"}, "pairs.tacozip": {"mask.png"}, "pairs_folder": {"mask.png"}, "landsat_nested.tacozip": {"mask"}}


def stored_files(dataset):
    """The files of the samples by their paths, as a ZIP reader or the file system has them."""
    if (dataset / "DATA").is_dir():
        data = dataset / "DATA"
        return {str(path.relative_to(data)): path.read_bytes() for path in data.rglob("*") if path.is_file() and path.name != "__meta__"}
    out = {}
    for path in [dataset] if dataset.is_file() else sorted(dataset.glob("*.tacozip")):
        with zipfile.ZipFile(path) as file:
            out |= {name.removeprefix("DATA/"): file.read(name) for name in file.namelist()
                    if name.startswith("DATA/") and not name.endswith("__meta__")}
    return out


@contextlib.contextmanager
def server(folder):
    """The files of a folder over HTTP."""
    handler = functools.partial(QuietHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


def unreadable(dataset, record_set):
    """Why mlcroissant cannot read the table: a ZIP with a wrong checksum, columns that Parquet may call alike and SQL may
    not, tables in several ZIPs, which it does not put together."""
    return (dataset.stem in UNREADABLE or
            any("fileSet" in field["source"] for field in record_set["field"]))


UNREADABLE = ("header_bad_crc", "odd_names")


def datacite_json(dataset, folder):
    path = describe(dataset, "datacite", folder / "datacite.json", "--published", "2023-11-14")
    document = json.loads(path.read_text("utf-8"))
    errors = [error.message for error in schema45.validator.iter_errors(document)]
    assert not errors, errors
    assert document["publicationYear"] == "2023"


def card(dataset, folder):
    path = describe(dataset, "card", folder / "README.md")
    text = path.read_text("utf-8")
    front = yaml.safe_load(text.split("---\n")[1])
    assert front["pretty_name"] == title_of(dataset)
    keywords = collection_of(dataset).get("keywords") or []
    assert set(keywords) <= set(front["tags"])
    assert all(isinstance(tag, str) for tag in front["tags"]) and all(isinstance(one, str) for one in front.get("license", []))
    data = DatasetCard(text).data
    assert data.pretty_name == front["pretty_name"] and data.size_categories and not data.get("configs")


def viewer(dataset, folder):
    """The tables that a card names, as `datasets` loads them, which is what the viewer of the Hub shows."""
    path = describe(dataset, "card", folder / "README.md", "--viewer-tables", "table")
    listed = DatasetCard(path.read_text("utf-8")).data.configs[0]["data_files"]
    assert sorted(part.name for part in folder.iterdir()) == ["README.md", "table"]
    assert {part["path"] for part in listed} == {f"table/{part.name}" for part in (folder / "table").iterdir()}
    shown = load_dataset(str(folder), cache_dir=tempfile.mkdtemp(dir=SCRATCH))
    assert list(shown) == [part["split"] for part in listed]
    level0 = columns_of(dataset)
    splits = [column["name"] for column in level0
              if column["name"] in ("split", "tortilla:data_split") and column["type"] == "string"]
    value = f"coalesce({', '.join(f'{chr(34)}{name}{chr(34)}' for name in splits)}, 'unassigned')" if splits else "'train'"
    wanted = {}
    for row in query(dataset, f"SELECT id, {value} AS part FROM data"):
        wanted.setdefault(row["part"], []).append(row["id"])
    assert {name: list(rows["id"]) for name, rows in shown.items()} == wanted
    for name, rows in shown.items():
        table = folder / "table" / f"{name}.parquet"
        assert len(rows.column_names) >= len(level0) and "taco:vsi" in rows.column_names
        assert not any(column.startswith("internal:") for column in rows.column_names)
        assert list(pandas.read_parquet(table)["id"]) == wanted[name]
        if b"geo" in (pyarrow.parquet.read_metadata(table).metadata or {}):
            check_geo(table)


def markdown(dataset, folder):
    text = describe(dataset, "markdown", folder / "README.md").read_text("utf-8")
    assert text.startswith("# ") and "\n## Structure\n" in text
    assert "<script" not in "".join(text.split("```")[::2])  # in code it is shown, not followed
    assert taco("describe", dataset, "--as", "card").endswith(text)


def html(dataset, folder):
    text = describe(dataset, "html", folder / "index.html").read_text("utf-8")
    page = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
    assert page.findtext(".//title").split() == title_of(dataset).split()
    scripts = page.findall(".//script")
    assert [script.get("type") for script in scripts] == ["application/ld+json", None]
    assert json.loads(scripts[0].text) == json.loads(taco("describe", dataset, "--as", "croissant"))
    policy = next(meta.get("content") for meta in page.findall(".//meta") if meta.get("http-equiv"))
    digest = base64.b64encode(hashlib.sha256(scripts[1].text.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"
    ids = [element.get("id") for element in page.iter() if element.get("id")]
    assert len(set(ids)) == len(ids)
    for element in page.iter():
        assert not {"onclick", "onload", "srcset"} & set(element.attrib), element.attrib
        assert element.get("src", "data:image/png;base64,").startswith("data:image/png;base64,") and element.tag != "link"
        if element.tag != "a":
            assert "href" not in element.attrib
        elif element.get("href").startswith("#"):
            assert element.get("href")[1:] in ids, element.get("href")
        else:
            assert element.get("href").split(":")[0] in ("http", "https", "mailto"), element.get("href")
    assert len(text) < 1_500_000
    assert "url(" not in text.split("<style>")[1].split("</style>")[0]


def everything(dataset, folder):
    """A folder whose files others read, and whose links lead to files."""
    site = describe(dataset, "all", folder / "site", "--published", "2023")
    page = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse((site / "index.html").read_text("utf-8"))
    links = [element.get("href") for element in page.iter("a") if not re.match("#|https?:|mailto:", element.get("href"))]
    assert all((site / percent_decoded(link)).is_file() for link in links), links  # also those to the parts of an index
    made = {path.name for path in site.iterdir()} - {"index.html"}
    assert made >= {"README.md", "croissant.json", "datacite.json", "samples.parquet"}
    assert made == {link.split("/")[0] for link in links} - {".."}, (made, links)
    assert DatasetCard((site / "README.md").read_text("utf-8")).data.pretty_name == title_of(dataset)
    assert not list(schema45.validator.iter_errors(json.loads((site / "datacite.json").read_text("utf-8"))))
    issues = mlcroissant.Dataset(jsonld=str(site / "croissant.json")).metadata.issues
    assert not issues.errors, issues.errors
    samples = query(dataset, "SELECT id FROM data")
    assert pyarrow.parquet.read_table(site / "samples.parquet")["id"].to_pylist() == [row["id"] for row in samples]
    if "stac" not in made:
        return
    collection = pystac.Collection.from_file(str(site / "stac" / "collection.json"))
    assert [item.properties["taco:path"] for item in collection.get_items()] == [row["id"] for row in samples]
    for link in collection.get_links("alternate"):
        assert Path(link.get_absolute_href()).is_file(), link
    for item in list(collection.get_items())[:3]:
        for asset in item.get_assets().values():
            assert Path(percent_decoded(asset.get_absolute_href().removeprefix("file://"))).exists(), asset


def site(archive, folder):
    base = "https://example.org/a/site/"
    path = folder / "site"
    taco("site", archive, "-o", path, "--base-url", base, "--title", HOSTILE)
    listed = json.loads(taco("info", path, "--json"))
    pages = {base, *(f"{base}datasets/{page.name}/index.html" for page in (path / "datasets").iterdir())}
    assert len(pages) == len(listed) + 1 > 40

    def local(url):
        """The file that a link leads to."""
        found = Path(percent_decoded(url.replace(base, f"{path}/", 1).removeprefix("file://")))
        return found / "index.html" if found.is_dir() and found.is_relative_to(path) else found

    catalogue = pystac.Catalog.from_file(str(path / "catalog.json"))
    children = list(catalogue.get_children())
    assert len({child.id for child in children}) == len(children) == len(listed)
    for one in (catalogue, *children):
        document = json.loads(local(one.get_self_href()).read_text("utf-8"))
        pystac.validation.validate_dict({**document, "stac_extensions": []})
        for link in one.links:
            if link.rel in ("root", "self", "parent", "child", "alternate"):
                assert local(link.get_absolute_href()).is_file(), link
    for child, each in zip(children, listed):
        assert child.get_parent() is catalogue and child.get_root() is catalogue
        assert child.title == each["title"]
        for asset in child.assets.values():
            assert local(asset.get_absolute_href()).exists(), asset.href
        croissant = path / "datasets" / child.id / "croissant.json"
        assert not mlcroissant.Dataset(jsonld=str(croissant)).metadata.issues.errors

    # The schema of sitemaps is in no package: what it says of these elements.
    root = lxml.etree.parse(path / "sitemap.xml").getroot()
    space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    assert root.tag == space + "urlset" and {url.tag for url in root} == {space + "url"}
    assert [element.tag for url in root for element in url] == [space + "loc"] * len(pages)
    assert {url.findtext(space + "loc") for url in root} == pages and all(local(page).is_file() for page in pages)
    robots = urllib.robotparser.RobotFileParser()
    robots.parse((path / "robots.txt").read_text("utf-8").splitlines())
    assert robots.can_fetch("*", base) and robots.site_maps() == [base + "sitemap.xml"]

    text = (path / "index.html").read_text("utf-8")
    page = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
    assert page.findtext(".//h1").split() == HOSTILE.split() == page.findtext(".//title").split()
    links = [link.get("href") for link in page.findall(".//li//a")]
    assert [(path / link).is_file() for link in links] == [True] * len(listed)
    metadata, search = page.findall(".//script")
    digest = base64.b64encode(hashlib.sha256(search.text.encode()).digest()).decode()
    policy = next(meta.get("content") for meta in page.findall(".//meta") if meta.get("http-equiv"))
    assert f"script-src 'sha256-{digest}'" in policy and "default-src 'none'" in policy and "unsafe" not in policy
    linked = json.loads(metadata.text)
    assert linked.pop("@context") == "https://schema.org/"  # which would be fetched
    graph = rdflib.Graph().parse(data=json.dumps({"@context": {"@vocab": "https://schema.org/"}, **linked}), format="json-ld")
    schema = rdflib.Namespace("https://schema.org/")
    assert len(list(graph.subjects(rdflib.RDF.type, schema.DataCatalog))) == 1
    found = list(graph.subjects(rdflib.RDF.type, schema.Dataset))
    assert len(found) == len(listed)
    for property in (schema.name, schema.description, schema.identifier, schema.url):
        assert all(graph.value(one, property) for one in found), property
    assert sorted(str(graph.value(one, schema.url)) for one in found) == sorted(pages - {base})


FORMS = {"stac": stac, "stac_text": stac_text, "stac_geoparquet": stac_table, "geoparquet": geoparquet,
         "croissant": croissant, "datacite": datacite_json, "card": card, "viewer": viewer, "markdown": markdown, "html": html,
         "all": everything}
# Where a form may be refused, and why.
REFUSALS = {"stac": [NO_TIME], "stac_geoparquet": [NO_TIME, NO_PLACE], "geoparquet": [NO_PLACE]}


def run_case(name, dataset, form):
    folder = SCRATCH / name
    folder.mkdir(parents=True)
    try:
        (site if form == "site" else FORMS[form])(dataset, folder)
    except Refused as refused:
        if not any(reason in str(refused) for reason in REFUSALS.get(form, [])):
            raise
        assert not [path for path in folder.iterdir()], "something was left behind"
        return "refused"
    return "ok"


def main():
    wanted = sys.argv[3:] or ["*"]
    failed, counts = [], {"ok": 0, "refused": 0}
    chosen = set(sampled((name, form) for name in datasets() for form in FORMS))
    for name, make in {**datasets(), "archive": archive}.items():
        forms = ["site"] if name == "archive" else [form for form in FORMS if sys.argv[3:] or (name, form) in chosen]
        cases = [form for form in forms if any(fnmatch.fnmatch(f"{name}/{form}", pattern) for pattern in wanted)]
        if not cases:
            continue
        folder = SCRATCH / "data" / name
        folder.mkdir(parents=True)
        dataset = make(folder)
        for form in cases:
            try:
                counts[run_case(f"{name}/{form}", dataset, form)] += 1
            except Exception:
                failed.append(f"{name}/{form}")
                print(f"FAILED {name}/{form}")
                traceback.print_exc(file=sys.stdout)
    print(f"{counts['ok']} cases passed, {counts['refused']} refused as they should, {len(failed)} failed", *failed)
    return bool(failed) or counts["ok"] == 0


if __name__ == "__main__":
    SERVER = ToolServer(*sys.argv[1:3])
    try:
        code = main()
    finally:
        shutil.rmtree(SCRATCH)
    sys.exit(code)
