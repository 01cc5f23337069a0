#!/usr/bin/env python3
"""Makes the first inputs of the fuzz targets from the golden datasets. Only the Python standard library.

    make_corpus.py GOLDEN_FOLDER CORPUS_FOLDER

What fuzzing found later lies beside them, as `found-*`: a file for each fault.
"""
import base64
import hashlib
import json
import struct
import sys
import zipfile
import zlib
from pathlib import Path

import make_parquet
import make_tiffs

SQL = [
    "SELECT * FROM data",
    "SELECT id, \"internal:gdal_vsi\" FROM data WHERE cloud_cover < 20 ORDER BY id LIMIT 3; -- done",
    "WITH a AS (SELECT * FROM level1) SELECT d.* FROM data d JOIN a ON a.\"internal:parent_id\" = d.\"internal:current_id\"",
    "SELECT count(*) FILTER (WHERE x IN (SELECT unnest([1, 2]))) OVER (PARTITION BY id) FROM data, range(3) UNION ALL VALUES (1)",
    "COPY data TO 'x'", "SELECT getenv('HOME')", "SELECT * FROM read_csv('x')", "SELECT $1", "DESCRIBE data", "SELECT 1; SELECT 2",
    "cloud_cover * 2 + CASE WHEN id LIKE 'a%' THEN 1 ELSE NULL END", "list_transform([1], x -> x + 1)", "(SELECT 1)", "a.b['c'][1:2]::INT[]",
    "SELECT /* ; */ ';' -- ;\n;", "FROM data PIVOT (sum(a) FOR b IN (1, 2))", "SELECT * FROM (DESCRIBE data)",
]
TIMES = [
    "2023-01-15", "2023-01-01/2023-02-15", "../2023-02-15", "2023-01-01/..", "2023-06-30T23:59:60Z", "2023-01-01T00:00:00.123456789+02:30",
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "2024-02-29 12:00", "2023-01-01T00:00+0200", "2023-13-01", "", "/",
]
PATHS = [
    "/vsisubfile/200_16,/data/a.tacozip", "/vsisubfile/5368709120_1,/vsis3/b/k,l.tacozip", "/vsisubfile/1,x", "/vsisubfile/1_2", "s3://bucket/key.tacozip",
    "gs://b/k", "https://example.org/a.zip?x=1", "/vsicurl/https://example.org/a", "hf://datasets/a/b", "../a/./b//c/", "/", "", "azure://c/b",
    "/vsisubfile/18446744073709551616_1,x",
]
WKT = [
    "POINT (1 2)", "point(1 2)", "POINT Z (1 2 3)", "SRID=4326;POINT(1e1 -2.5)", "POINT EMPTY", "POINT ZM (1 2 3 4)", "POINT M (1 2 3)", "POINT (1 2",
    "LINESTRING (0 0, 1 1)", "POINT (nan inf)", "POINT (180 91)",
]

# Members of COLLECTION in TACO 0.2.0: as its writers have them, as the specification has them, and older forms.
PERSON = {"name": "A", "organization": None, "emails": [{"value": "a@b.c", "roles": ["work"]}], "roles": ["host"], "links": [{"href": "https://a"}]}
COLLECTIONS = {
    "reference": {
        "id": "demo", "dataset_version": "1.0.0", "description": "d", "licenses": ["cc-by-4.0"],
        "extent": {"spatial": [[-10.0, -20.0, 30.0, 40.0]], "temporal": [["2020-01-01T00:00:00Z", "2021-01-01T00:00:00+00:00"]]},
        "providers": [PERSON], "task": "super-resolution", "taco_version": "0.4.0", "title": None, "curators": None, "keywords": None,
        "split_strategy": None, "discuss_link": None, "raw_link": None, "optical_data": None, "labels": None, "scientific": None,
    },
    "specification": {
        "id": "full", "taco_version": "0.2.0", "dataset_version": "1", "description": "d", "licenses": ["MIT", "CC0-1.0"],
        "extent": {"spatial": [170, -20, -170, 40], "temporal": [-1, 86400001]}, "providers": [PERSON], "curators": [{"organization": "O"}],
        "title": "T", "keywords": ["k"], "task": "General", "split_strategy": "manual", "raw_link": {"href": "https://r", "description": "raw"},
        "discuss_link": {"href": "doi:10.1/x"}, "optical_data": {"sensor": "landsat8oli[B01, B02]"},
        "labels": {"label_classes": [{"name": "a", "category": 0}, {"name": "b", "category": "0"}], "label_description": "what"},
        "scientific": {"doi": "10.1/x", "citation": "c", "summary": "s", "publications": [{"doi": "d", "citation": "c", "summary": "s"}]},
        "rai:dataBiases": "some", "rai:use_cases": "many", "my:key": {"n": 1},
    },
    "nested": {
        "id": "x", "licenses": "MIT", "extent": {"spatial": [[0, 0, 0, 1, 1, 9], [2, 2, 3, 3]], "temporal": [[0, 1.5], [None, "2020-01-01"]]},
        "providers": {"name": "A", "email": "a@b.c", "role": "host"}, "data_curator": ["B", {"organization": "C", "emails": "d@e.f"}],
        "tasks": ["Super Resolution", "denoising"], "sensors": [{"name": "aster", "bands": None}], "raw_link": "https://r",
    },
    "of-2": {
        "id": "x", "tasks": ["other"], "optical:sensor": "mine", "optical:bands": [{"name": "B1"}], "optical:num_bands": 1,
        "labels:classes": [], "publications": [{"doi": "d"}], "split:strategy": "none", "taco:pit_schema": {"root": {"n": 1, "type": "FILE"}},
    },
}

# TacoTIFF headers of published fixtures.
HEADERS = {
    "rgb": "4c4f56450100000100000001000080008000030020030278030000000000000c000000fde90000c7e90000d9e90000bae90000f1e90000c5e90000"
           "d5e90000f0e90000f5e90000bfe90000e2e90000bce90000",
    "single_band": "4c4f564501008000000080000000800080000100200302c40200000000000001000000e5e90000",
    "multitemporal": "4c4f5645010040000000400000008000800004002003021803000000000000040000001f3c0000323c0000143c0000263c0000",
    "categorical": "4c4f564501008000000080000000800080000100080102c4020000000000000100000064190000",
}


def ring(order, *points):
    return struct.pack(order + "I", len(points)) + b"".join(struct.pack(order + "dd", *p) for p in points)


def geometries():
    square = [(0, 0), (10, 0), (10, 10), (0, 10), (0, 0)]
    point = struct.pack("<BIdd", 1, 1, -3.7, 40.4)
    yield "point", point
    yield "point-big-endian", struct.pack(">BIdd", 0, 1, -3.7, 40.4)
    yield "point-z-ewkb", struct.pack("<BIIddd", 1, 0xA0000001, 4326, 1, 2, 3)
    yield "point-zm-iso", struct.pack("<BIdddd", 1, 3001, 1, 2, 3, 4)
    yield "point-empty", struct.pack("<BIdd", 1, 1, float("nan"), float("nan"))
    yield "line", struct.pack("<BI", 1, 2) + ring("<", (170, 0), (190, 5))
    polygon = struct.pack("<BII", 1, 3, 2) + ring("<", *square) + ring("<", (2, 2), (3, 2), (3, 3), (2, 2))
    yield "polygon-hole", polygon
    yield "polygon-big-endian", struct.pack(">BII", 0, 3, 1) + ring(">", *square)
    yield "multipolygon", struct.pack("<BII", 1, 6, 2) + polygon + polygon
    yield "collection", struct.pack("<BII", 1, 7, 2) + point + struct.pack("<BII", 1, 4, 1) + point
    yield "nested", struct.pack("<BII", 1, 7, 1) * 20 + point
    yield "counts", struct.pack("<BII", 1, 3, 0xFFFFFFFF)


def directory_of(path):
    with zipfile.ZipFile(path) as archive:
        return archive.start_dir


def write(folder, target, name, data):
    out = folder / target / name
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(data.encode() if isinstance(data, str) else data)


def texts(folder):
    for target, lines in [("sql_inspect", SQL), ("time_range", TIMES), ("vsi_path", PATHS), ("wkt", WKT)]:
        for number, text in enumerate(lines):
            write(folder, target, f"{number:02}", text)


def records(golden, folder):
    for name in ["flat", "six_levels", "header_stale", "header_bad_crc"]:
        header = (golden / f"{name}.tacozip").read_bytes()[:157]
        write(folder, "taco_header", name, header)
    write(folder, "taco_header", "count-8", header[:41] + b"\x08" + header[42:])
    write(folder, "taco_header", "cut", header[:156])
    index = (golden / "cascade_tacocat/__TACOCAT__").read_bytes()[:128]
    write(folder, "tacocat_header", "cascade", index)
    write(folder, "tacocat_header", "depth-6", index[:12] + b"\x06" + index[13:])
    for name in ["flat.tacozip", "zip64_records.tacozip", "extra_entries.zip", "odd_names.tacozip"]:
        data, start = (golden / name).read_bytes(), directory_of(golden / name)
        # The whole archive, its payloads blank: offsets stay what they are.
        write(folder, "zip_directory", name, bytes(start) + data[start:] if start < 6000 else data[start:])
        with zipfile.ZipFile(golden / name) as archive:
            at = archive.infolist()[1].header_offset
        write(folder, "zip_local_header", name, data[at:at + 96])


def structure(order, extra=()):
    """A BigTIFF of two strips without pixels."""
    fields = sorted([(256, 3, 50), (257, 3, 30), (258, 3, 16), (259, 3, 5), (277, 3, 3), (278, 3, 15), (317, 3, 2), (339, 3, 2), *extra])
    end = 16 + 8 + 20 * (len(fields) + 2) + 8
    entry = lambda tag, kind, value: struct.pack(order + "HHQ", tag, kind, 1) + struct.pack(order + "H6x", value)
    places = [struct.pack(order + "HHQQ", 273, 16, 2, end), struct.pack(order + "HHQII", 279, 4, 2, 90, 91)]
    body = [entry(*field) for field in fields] + places
    body.sort(key=lambda raw: struct.unpack(order + "H", raw[:2]))
    head = (b"II" if order == "<" else b"MM") + struct.pack(order + "HHHQ", 43, 8, 0, 16)
    return head + struct.pack(order + "Q", len(body)) + b"".join(body) + bytes(8) + struct.pack(order + "QQ", 1000, 1100)


def headers(folder):
    write(folder, "tacotiff_header", "structure", structure("<"))
    write(folder, "tacotiff_header", "structure-big-endian", structure(">", [(284, 3, 1)]))
    write(folder, "tacotiff_header", "structure-cut", structure("<")[:-16])
    for name, text in HEADERS.items():
        write(folder, "tacotiff_header", name, bytes.fromhex(text))
    rgb = bytes.fromhex(HEADERS["rgb"])
    write(folder, "tacotiff_header", "cut", rgb[:50])
    write(folder, "tacotiff_header", "most-tiles", rgb[:6] + b"\xff" * 8 + b"\1\0\1\0\xff\xff" + rgb[20:])
    write(folder, "tacotiff_header", "far", rgb[:23] + b"\xff" * 7 + b"\x7f" + rgb[31:])


def documents(golden, folder):
    for name in ["flat", "nested", "six_levels", "antimeridian_extent", "null_extent", "half_open_extent", "mixed_level1"]:
        with zipfile.ZipFile(golden / f"{name}.tacozip") as archive:
            text = archive.read("COLLECTION.json")
        write(folder, "collection_json", name, text)
        write(folder, "pit_schema", name, json.dumps(json.loads(text)["taco:pit_schema"]))
    write(folder, "collection_json", "cascade", (golden / "cascade_tacocat/TACOLLECTION.json").read_bytes())


def collections(folder):
    for name, members in COLLECTIONS.items():
        write(folder, "v1_collection", name, json.dumps(members))
    text = json.dumps(COLLECTIONS["specification"])
    write(folder, "v1_collection", "cut", text[:len(text) // 2])
    write(folder, "v1_collection", "deep", '{"extent":' + "[" * 70)
    write(folder, "v1_collection", "twice", '{"id":"a","id":"b","extent":{"spatial":[1e308,-1e308,9,9],"temporal":[1e300,-1]}}')


def tables(golden, folder):
    for name, level in [("flat", 0), ("flat_plain", 0), ("flat_padded", 0), ("nested", 1), ("snappy_v2pages", 1), ("times", 0),
                        ("polygons", 0), ("lonlat_lists", 0), ("stats_flat", 0), ("odd_names", 0)]:
        with zipfile.ZipFile(golden / f"{name}.tacozip") as archive:
            write(folder, "level_table", name, archive.read(f"METADATA/level{level}.parquet"))
    for kind in [make_parquet.good, make_parquet.lying]:
        for name, data in kind():
            write(folder, "level_table", f"{kind.__name__}-{name}", data)


def tiffs(folder):
    for kind in [make_tiffs.good, make_tiffs.odd, make_tiffs.bad]:
        for name, data in kind().items():
            write(folder, "tiff", f"{kind.__name__}-{name}.tif", data)


def tortillas(golden, folder):
    for path in sorted((golden / "v1").glob("*.t*")):
        data = path.read_bytes()
        write(folder, "open_tortilla", path.name, data)
        if path.stem in ("flat", "first"):
            write(folder, "tortilla_header", path.name, data[:200])
        offset, length = struct.unpack_from("<QQ", data, 2)
        if path.stem in ("flat", "types", "clash", "rai"):
            write(folder, "tortilla_footer", path.name, data[offset:offset + length])
    header = b"#y" + struct.pack("<QQQ", 230, 4451, 1)
    write(folder, "tortilla_header", "far", b"#y" + b"\xff" * 16 + header[18:].ljust(182, b"\0"))
    write(folder, "tortilla_header", "cut", header)
    write(folder, "tortilla_header", "partitions-0", header[:18].ljust(200, b"\0"))
    write(folder, "tortilla_header", "byte-50", header[:18] + b"GTiff".ljust(32) + bytes(150))


def histograms(folder):
    bits = lambda value: struct.unpack("<Q", struct.pack("<d", value))[0]

    def stored(numbers, exponent=-1074, shift=None, low=None, high=None):
        """Numbers with counts, as docs/format.md has it."""
        below = sorted((bits(-n), count) for n, count in numbers if n < 0)
        above = sorted((bits(n), count) for n, count in numbers if n >= 0)
        every = 0
        for magnitude, _ in below + above:
            every |= magnitude
        if shift is None:
            shift = (every & -every).bit_length() - 1 if every else 0
        low = min((n for n, _ in numbers), default=0.0) if low is None else low
        high = max((n for n, _ in numbers), default=0.0) if high is None else high
        out = struct.pack("<BhBdd", 1, exponent, shift, low, high)
        for side in [below, above]:
            out, before = out + make_parquet.varint(len(side)), 0
            for magnitude, count in side:
                out += make_parquet.varint(magnitude - before >> shift) + make_parquet.varint(count)
                before = magnitude
        return out

    few = [(-2.0, 3), (0.0, 1), (1.0, 200), (7.5, 1)]
    cases = {"few": stored(few), "empty": stored([]), "one": stored([(5.0, 1)]), "wide": stored([(-8.0, 2), (8.0, 3)], 3, None, -9.5, 15.0),
             "most": stored([(1.0, 2**64 - 1)]), "over": stored([(1.0, 2**64 - 1), (2.0, 1)]), "cut": stored(few)[:-1],
             "version": b"\2" + stored(few)[1:], "bins": stored(few)[:20] + make_parquet.varint(2**60), "shift": stored(few, shift=0),
             "denormal": stored([(5e-324, 4), (1e308, 1)]), "not-in-bin": stored(few, low=-3.0)}
    for name, data in cases.items():
        write(folder, "histogram", name, data)
    for name, low, high, value, counts in [
            ("even", 0.0, 100.0, 50.0, [1] * 100), ("one-value", 7.0, 7.0, 7.0, [9] + [0] * 99), ("full", -1e308, 1e308, 0.0, [2**32 - 1] * 100),
            ("least", -5e-324, 5e-324, 0.0, [1] * 100), ("outside", 0.0, 1.0, float("nan"), [0] * 100), ("too-few", 0.0, 1.0, 0.5, [1] * 99),
            ("infinite", 0.0, float("inf"), 0.5, [1] * 100), ("backwards", 1.0, 0.0, 0.5, [1] * 100)]:
        write(folder, "linear_histogram", name, struct.pack(f"<3d{len(counts)}I", low, high, value, *counts) + b"\0")


def places(folder):
    """What the tags of a TIFF say: pixel scale, tie points, matrix, keys, and GDAL's metadata."""
    def tags(scale=(), tie=(), matrix=(), keys=(), metadata=""):
        head = bytes([len(scale), len(tie), len(matrix), len(keys)])
        return (head + struct.pack(f"<{len(scale) + len(tie) + len(matrix)}d{len(keys)}H", *scale, *tie, *matrix, *keys) + metadata.encode())

    axes = ('<GDALMetadata><Item name="MD_METADATA">{&quot;md:pattern&quot;: &quot;(time band) h w -&gt; time band h w&quot;, '
            '&quot;md:coordinates_len&quot;: {&quot;time&quot;: 2, &quot;band&quot;: 3}, &quot;md:blockzsize&quot;: 1}</Item></GDALMetadata>')
    utm = [1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 2, 3072, 0, 1, 32718]
    cases = {"utm": tags([30, 30, 0], [0, 0, 0, 3e5, 8e6, 0], keys=utm, metadata=axes), "matrix": tags(matrix=[1.0] * 16),
             "cut-keys": tags(keys=[1, 1, 0, 9, 1024, 0, 1, 1]), "geographic": tags(keys=[1, 1, 0, 2, 1024, 0, 1, 2, 2048, 0, 1, 4326]),
             "custom": tags(keys=[1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 32767]), "infinite": tags([1e308] * 3, [1e308] * 6),
             "short-keys": tags(keys=[1, 1, 0]), "axes-lie": tags(metadata=axes.replace("2,", "9223372036854775807,")),
             "axes-cut": tags(metadata=axes[:90]), "axes-no-json": tags(metadata=axes.replace("{", "").replace("}", ""))}
    for name, data in cases.items():
        write(folder, "georeference", name, data)


def manifests(folder):
    def manifest(container, contents, **other):
        known = struct.pack("<B", container == "zip")
        for name, chunks in contents:
            known += struct.pack("<Q", len(name.encode())) + name.encode() + struct.pack("<Q", len(chunks))
            known += b"".join(bytes.fromhex(digest) + struct.pack("<I", size) for digest, size in chunks)
        document = {"version": 1, "container": container, "sha256": hashlib.sha256(known).hexdigest(),
                    "files": [{"name": name, "size": sum(size for _, size in chunks), "chunks": chunks} for name, chunks in contents]}
        return json.dumps({**document, **other})

    a, b = hashlib.sha256(b"a").hexdigest(), hashlib.sha256(b"b").hexdigest()
    zipped = [("a.tacozip", [[a, 5], [b, 1 << 20]])]
    for name, text in {
            "zip": manifest("zip", zipped), "folder": manifest("folder", [("COLLECTION.json", [[a, 9]]), ("DATA/x", []), ("DATA/y/z", [[b, 1]])]),
            "climbs": manifest("folder", [("DATA/../../x", [[a, 1]])]), "file-and-folder": manifest("folder", [("x", [[a, 1]]), ("x/y", [[a, 1]])]),
            "two": manifest("zip", zipped * 2), "none": manifest("folder", []), "chunk-0": manifest("zip", [("a", [[a, 0]])]),
            "chunk-huge": manifest("zip", [("a", [[a, 2**32 - 1]])]), "version-2": manifest("zip", zipped, version=2),
            "damaged": manifest("zip", zipped, sha256=a), "size": manifest("zip", zipped, files=[{"name": "a", "size": 2**64, "chunks": []}]),
            "deep": '{"version":' + "[" * 100, "cut": manifest("zip", zipped)[:200]}.items():
        write(folder, "chunk_manifest", name, text)


def provenances(folder):
    """As an export states them, and with what no export has."""
    parquet = {"compression": "zstd", "compression_level": None, "row_group_size": 65536, "use_content_defined_chunking": True,
               "min_chunk_size": 32768, "max_chunk_size": 131072, "data_page_size": 1048576, "write_statistics": True, "use_dictionary": None,
               "covering": False, "id_index": False}
    source = {"id": "chips", "dataset_version": "1.0.0", "file": "chips.tacozip", "metadata_sha256": "0" * 64}
    steps = [{"filter_bbox": [-77.5, -13, -76, 1e-300], "column": "auto", "level": 0},
             {"filter_datetime": "2023-06-01T00:00:00.000001Z/..", "column": "t", "level": 1},
             {"sql": "SELECT * FROM data"}, {"sort": "a", "level": 2, "descending": True}, {"limit": 2**63 - 1}]

    def provenance(selection=None, **other):
        return {"version": 1, "tool": "tacore", "tool_version": "0.1.0", "sources": [source, {**source, "merkle_root": "f" * 64}],
                "selection": selection or {"source": 0, "steps": steps}, "output": "lima.tacozip",
                "options": {"id": "", "strict": False, "order": "", "split_size": 0, "group_by": ["a"], "consolidate": True,
                            "parquet": parquet}, **other}

    one = {"source": 1, "steps": []}
    nested = one
    for _ in range(40):
        nested = {"concat": [nested, one], "column_mode": "fill_missing", "steps": [{"limit": 1}]}
    for name, document in {
            "whole": provenance(), "nested": provenance(nested), "climbs": provenance(output="../x"), "huge": provenance({"source": 2**64, "steps": []}),
            "concat-of-one": provenance({"concat": [one], "column_mode": "intersection", "steps": []}),
            "unknown-step": provenance({"source": 0, "steps": [{"shuffle": 1}]}), "no-box": provenance({"source": 0, "steps": [{"filter_bbox": [1, 2]}]}),
            "unknown": provenance(more=1), "version-2": provenance(version=2), "list": [], "null": None}.items():
        write(folder, "provenance", name, json.dumps(document))
    write(folder, "provenance", "cut", json.dumps(provenance())[:300])


def pages(folder):
    """The bytes behind an id and a type: the pages of the third column, with all that is behind them."""
    for kind in [make_parquet.good, make_parquet.lying]:
        for name, data in kind():
            if name.startswith(("plain", "v2", "dictionary", "page-", "gzip-un")):
                write(folder, "page_header", f"{kind.__name__}-{name}", data[data.index(b"FILE" + struct.pack("<I", 4)) + 20:][:1000])


def header_files(golden, folder):
    """Beside flat_plain.tacozip, whose samples are no TIFFs: what is in a header is none of this decoder's business."""
    with zipfile.ZipFile(golden / "flat_plain.tacozip") as archive:
        level = archive.read("METADATA/level0.parquet")
        names = sorted((i.filename[5:], i.file_size) for i in archive.infolist() if i.filename.startswith("DATA/"))
    length = struct.unpack("<I", level[-8:-4])[0]
    fingerprint = f"{len(names)} rows, {len(level)} bytes, footer {zlib.crc32(level[-8 - length:])}; ".encode()
    text = make_parquet.BYTE_ARRAY
    column = lambda name, values, is_text=True: make_parquet.Column(
        name, text, [make_parquet.page(make_parquet.text_values(*values), values=len(names))], text=is_text, values=len(names))

    def file(paths=[name.encode() for name, _ in names], dataset=fingerprint, sizes=[size for _, size in names]):
        numbers = make_parquet.page(struct.pack(f"<{len(sizes)}q", *sizes), values=len(names))
        return make_parquet.rows_of(
            len(names), column("id", paths), column("type", [b"FILE"] * len(names)), column("internal:relative_path", paths),
            column("internal:source_file", [b""] * len(names)), make_parquet.Column("internal:size", make_parquet.INT64, [numbers], values=len(names)),
            column("taco:header", [b"header of " + path for path in paths], False), column("dataset", [dataset] * len(names)))

    paths = [name.encode() for name, _ in names]
    write(folder, "header_file", "good", file())
    write(folder, "header_file", "another", file(dataset=b"another"))
    write(folder, "header_file", "sizes", file(sizes=[-1] * len(names)))
    write(folder, "header_file", "not-sorted", file(paths=paths[::-1]))
    write(folder, "header_file", "cut", file()[:300])
    write(folder, "header_file", "level", level)


def proofs(folder):
    """Files beside a signed dataset. No key here signs anything."""
    hashes = lambda count: b"".join(hashlib.sha256(b"%d" % i).digest() for i in range(count))
    start = lambda *rows: b"TACOTREE" + struct.pack("<II", 1, len(rows)) + b"".join(struct.pack("<Q", n) + hashes(1) for n in rows)
    line = lambda *parts: base64.b64encode(b"".join(parts)).decode()
    number, seed = bytes(range(8)), bytes(32)
    public = bytes.fromhex("3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29")
    signature = lambda kind: f"untrusted comment: x\n{line(kind, number, hashes(2))}\ntrusted comment: y\n{line(hashes(2))}\n"
    cases = {
        "trees": start(1, 2, 17) + hashes(2) + hashes(17 + 2), "trees-cut": start(40) + hashes(39), "trees-many": start(2 ** 40),
        "trees-empty": start(0), "signature": signature(b"ED"), "signature-plain": signature(b"Ed"), "signature-other": signature(b"XX"),
        "public": f"untrusted comment: x\n{line(b'Ed', number, public)}\n", "public-line": line(b"Ed", number, public),
        "secret": f"untrusted comment: x\n{line(b'Ed', bytes(2), b'B2', bytes(48), number, seed, public, bytes(32))}\n",
        "secret-locked": f"untrusted comment: x\n{line(b'EdScB2', bytes(48), number, seed, public, bytes(32))}\n",
        "collection": '{"id": "a", "taco:merkle_root": "' + "0a" * 32 + '"}', "collection-twice": '{"taco:merkle_root": "taco:merkle_root"}',
        "collection-inside": '{"a": {"taco:merkle_root": "' + "0a" * 32 + '"}}',
    }
    for name, data in cases.items():
        write(folder, "proof", name, data)


def table_files(folder):
    feature = lambda geometry, **more: {"type": "Feature", "geometry": geometry, "properties": {"path": "a.tif", "n": 1}, **more}
    collection = lambda *features: json.dumps({"type": "FeatureCollection", "features": features})
    point = {"type": "Point", "coordinates": [1.5, 2]}
    square = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}
    cases = {
        "csv": {"plain": "id,path,n,t\na,a.tif,1,2020-01-01\nb,b.tif,2.5,\n", "quoted": 'id,path\n"a ""x""\n",b\n', "ragged": "id,path\na\n", "empty": "",
                "names": "id,id\n1,2\n", "number": "id,n\na,99999999999999999999\n", "bytes": "id,path\n\udcff\udc80,x\n", "quote": 'id\n"a',
                "semicolons": '\ufeffid;path;v\r\na;"x;y";1,5\r\n\r\nb;"two\nlines";"2"\r\n', "unclear": "a,b;c|d\n1,2;3|4\n",
                "words": 'id,v\n"a\nb",1\n\nc,x\nd,2\n'},
        "tsv": {"plain": 'id\t"path"\tn\na\ta.tif\t007\n', "ragged": "id\tpath\na\nb\tc\td\n"},
        "jsonl": {"plain": '{"id": "a", "n": 1}\n{"id": "b", "n": null, "l": [1, 2]}\n', "types": '{"id": 1}\n{"id": "b"}\n', "deep": '{"a":' + "[" * 70,
                  "twice": '{"id": "a", "id": "b"}\n', "cut": '{"id": "a', "number": '{"n": 1e999}\n', "nested": '{"a": {"b": [{"c": 1}]}}\n'},
        "geojson": {"points": collection(feature(point, id="a"), feature(None, id="b")), "polygon": collection(feature(square)), "none": collection(),
                    "open-ring": collection(feature({"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1]]]})), "far": collection(feature({**point, "coordinates": [1e309, 0]})),
                    "short": collection(feature({**point, "coordinates": [1]})), "crs": json.dumps({"type": "FeatureCollection", "crs": 1, "features": []}),
                    "collection": collection(feature({"type": "GeometryCollection", "geometries": [point, square]})), "deep": '{"type":"FeatureCollection","features":' + "[" * 70,
                    "multi": collection(feature({"type": "MultiPolygon", "coordinates": [square["coordinates"]]})), "id": collection(feature(point, id={"a": 1}))},
    }
    for kind, files in cases.items():
        for name, text in files.items():
            write(folder, "table_file", f"{kind}-{name}", (kind + "\n" + text).encode("utf-8", "surrogateescape"))
    for name, data in make_parquet.good():
        write(folder, "table_file", f"parquet-{name}", b"parquet\n" + data)


def main():
    golden, folder = Path(sys.argv[1]), Path(sys.argv[2])
    texts(folder)
    headers(folder)
    records(golden, folder)
    documents(golden, folder)
    collections(folder)
    tables(golden, folder)
    tiffs(folder)
    tortillas(golden, folder)
    histograms(folder)
    places(folder)
    manifests(folder)
    provenances(folder)
    pages(folder)
    table_files(folder)
    header_files(golden, folder)
    proofs(folder)
    for name, data in geometries():
        write(folder, "wkb", name, data)
    for name in ["flat_plain", "nested_padded", "header_absent", "permuted_offsets", "flat_padded"]:
        write(folder, "open_zip", name, (golden / f"{name}.tacozip").read_bytes())


main()
