#!/usr/bin/env python3
"""How fast is reading from a server, and how much of what comes is needed?

    remote.py BUILD PEER FOLDER [--rows N] [--samples N] [--rounds N] [--latencies MS...] [--cases open|queries|samples|bytes...]

prints Markdown. It needs NumPy, pyarrow and nginx; PEER is a Python 3.11 with tacoreader 2.4 (and DuckDB below 2), rasterio
and pycurl. nginx serves FOLDER on the loopback, where datasets are made that are not there (about 4 GB); latency_proxy.py adds
round-trip times. Each run is a process, in turns; which goes first rotates. Requests and bytes are those that the server
counted, of the first run; steps are how often a side waited for an answer before it asked on.
"""
import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import imagery
from create import ABOUT
from latency_proxy import Proxy
from web_server import WebServer

HERE = Path(__file__).resolve().parent
BAND = "4"
# What GDAL's documentation has on reading from servers, as far as it helps here: VSI_CACHE adds a request a sample, and
# CPL_VSIL_CURL_USE_HEAD=NO one at the start. An array comes in one request where a sample fits what is read when it is opened.
GDAL = {"GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR", "CPL_VSIL_CURL_ALLOWED_EXTENSIONS": ".tacozip", "GDAL_HTTP_MULTIPLEX": "YES",
        "GDAL_HTTP_MERGE_CONSECUTIVE_RANGES": "YES"}
WHOLE = "1200000"  # more than a sample
AS_IT_COMES = "rasterio, one after another, no option set"
INGESTED = {"all": {"": WHOLE}, BAND: {"": "16384", ", all ingested": WHOLE}}
RECORDED_AT = 200  # milliseconds: what is under way at once arrives together, what depends on an answer so much later


# Datasets.


def make_metadata(build, python, root, rows):
    for count in (100, rows, 100 * rows):
        if not (root / f"flat_{count}.tacozip").exists():
            generate(python, root / f"flat_{count}.tacozip", "--rows", count)
    for count in (rows, 100 * rows):
        folder = root / f"cat_{count}"
        if not (folder / ".tacocat").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            for part in range(4):
                options = ["--kind", "nested", "--rows", count // 4, "--shared-meta", "--seed", part]
                generate(python, folder / f"part{part}.tacozip", *options)
            parts = sorted(folder.glob("*.tacozip"))
            subprocess.run([build / "bin" / "taco", "index", *parts, "-o", folder, "--quiet"], check=True)


def generate(python, output, *options):
    subprocess.run([python, HERE / "generate.py", *map(str, options), output], check=True)


def make_images(build, root, count):
    """A ZIP with the column `taco:header`, and one without."""
    import numpy as np
    if (root / f"images_{count}.tacozip").exists():
        return
    folder = root / "images"
    folder.mkdir()
    for number, data in enumerate(imagery.files(np.random.default_rng(1), count, 3)):
        (folder / f"sample_{number:06}.tif").write_bytes(data)
    command = [build / "bin" / "taco", "create", folder]
    subprocess.run([*command, root / f"images_header_{count}.tacozip", *ABOUT, "--extensions", "header", "--quiet"], check=True)
    subprocess.run([*command, root / f"images_{count}.tacozip", *ABOUT, "--quiet"], check=True)
    shutil.rmtree(folder)


def places_of(build, dataset):
    """Offset and size of each sample."""
    sql = 'SELECT "internal:offset" AS a, "internal:size" AS b FROM data'
    command = [build / "bin" / "taco", "query", dataset, sql, "--format", "json"]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return [(int(row["a"]), int(row["b"])) for row in rows]


# Runs.


class Bench:
    def __init__(self, args, server, scratch):
        self.args, self.server, self.scratch = args, server, scratch
        self.build, self.peer, self.root = Path(args.build).resolve(), args.peer, server.root

    def url(self, name, port=None, scheme="http"):
        return f"{scheme}://127.0.0.1:{port or self.server.port}/{name}"

    def warm_url(self, name, scheme="http"):
        port = self.server.tls_other_port if scheme == "https" else self.server.other_port
        return f"{scheme}://127.0.0.1:{port}/{name}"

    def run(self, *command, **environment):
        """What a side said, and the requests that it made."""
        self.server.requests()
        own = {"HOME": os.devnull, "CURL_CA_BUNDLE": str(self.server.certificate), "TACOREADER_CACHE_DIR": str(self.scratch / "cache"), "PYTHONPATH": str(self.build / "python")}
        shutil.rmtree(self.scratch / "cache", ignore_errors=True)
        done = subprocess.run([self.peer, HERE / "remote_sides.py", *map(str, command)], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, **own, **environment})
        if done.returncode != 0:
            raise SystemExit(f"{command} failed")
        return {name: float(value) for name, value in map(str.split, done.stdout.splitlines())}, self.server.requests()

    def in_turns(self, sides):
        """For each side its runs, and the requests of the first."""
        results = {name: [] for name in sides}
        requests = {}
        for turn in range(self.args.rounds):
            names = list(sides)
            for name in names[turn % len(names):] + names[:turn % len(names)]:
                command, environment = sides[name]
                said, made = self.run(*command, **environment)
                results[name].append(said)
                requests.setdefault(name, made)
                print(f"{name}: {said}", file=sys.stderr, flush=True)
        return results, requests

    def latencies(self, schemes=("http",)):
        """(title, scheme, port), with the proxy running."""
        for scheme in schemes:
            direct, note = (self.server.tls_port, ", https") if scheme == "https" else (self.server.port, "")
            for milliseconds in self.args.latencies:
                if milliseconds == 0:
                    yield f"loopback{note}", scheme, direct
                else:
                    for megabytes in self.args.bandwidths:
                        wide = f", {megabytes} MB/s" if megabytes else ""
                        with Proxy(direct, milliseconds, megabytes) as proxy:
                            yield f"{milliseconds} ms{wide}{note}", scheme, proxy.port


# Opening.


def steps_of(requests):
    """Requests in steps that went out together, as lists of (method, path, range)."""
    steps, began = [], 0.0
    for request in requests:
        if not steps or request.began - began > RECORDED_AT / 2000:
            steps.append([])
            began = request.began
        steps[-1].append((request.method, request.path, request.range))
    return steps


def recorded(bench, side, name, warm, *arguments):
    """The requests of a side in steps."""
    with Proxy(bench.server.port, RECORDED_AT) as proxy:
        _, requests = bench.run(side, bench.url(name, proxy.port), bench.warm_url(warm), *arguments)
    return steps_of(requests)


def compare_open(bench):
    rows = bench.args.rows
    make_metadata(bench.build, bench.peer, bench.root, rows)
    print("\n### open and first row, and the path of the first FILE\n")
    print("| dataset | round trip | side | requests | steps | kB | open, median | first row, best | median | ratio | first FILE, median | "
          "ratio | N |")
    print(f"|{' --- |' * 13}")
    warm = {"flat": "flat_100.tacozip", "cat": f"cat_{rows}/.tacocat"}
    for name in ["flat_100.tacozip", f"flat_{rows}.tacozip", f"flat_{100 * rows}.tacozip", f"cat_{rows}/.tacocat",
                 f"cat_{100 * rows}/.tacocat"]:
        kind = name[:name.index("_")]
        steps = {"tacore": recorded(bench, "open-tacore", name, warm[kind])}
        caches = {"": "no-cache"} if kind == "flat" else {", cache=False": "no-cache", ", cold cache": "cache"}
        for note, cache in caches.items():
            steps[f"tacoreader{note}"] = recorded(bench, "open-tacoreader", name, warm[kind], cache)
            for connections in ("kept", "new"):
                steps[f"its requests by libcurl, connections {connections}{note}"] = steps[f"tacoreader{note}"]
            (bench.scratch / f"steps_{cache}.json").write_text(json.dumps(steps[f"tacoreader{note}"]))
        for title, scheme, port in bench.latencies(("http", "https")):
            url, warm_url = bench.url(name, port, scheme), bench.warm_url(warm[kind], scheme)
            sides = {"tacore": (("open-tacore", url, warm_url), {})}
            for note, cache in caches.items():
                sides[f"tacoreader{note}"] = (("open-tacoreader", url, warm_url, cache), {})
                command = ("replay", bench.url("", port, scheme)[:-1], bench.warm_url("", scheme)[:-1], bench.scratch / f"steps_{cache}.json")
                for connections in ("kept", "new"):  # the published reader makes a new one for each
                    sides[f"its requests by libcurl, connections {connections}{note}"] = ((*command, connections), {})
            results, requests = bench.in_turns(sides)
            ours = {what: statistics.median(run[what] for run in results["tacore"]) for what in ("row", "first")}
            for side, runs in results.items():
                # All that the published reader asks for is asked for when it opens.
                medians = {what: statistics.median(run.get(what, run["row"]) for run in runs) for what in ("opened", "row", "first")}
                made = requests[side]
                counts = f"{len(made)} | {len(steps[side])} | {sum(request.bytes for request in made) / 1e3:.1f}"
                print(f"| {name} | {title} | {side} | {counts} | {1e3 * medians['opened']:.1f} ms | "
                      f"{1e3 * min(run['row'] for run in runs):.1f} ms | {1e3 * medians['row']:.1f} ms | "
                      f"{medians['row'] / ours['row']:.2f} | {1e3 * medians['first']:.1f} ms | "
                      f"{medians['first'] / ours['first']:.2f} | {len(runs)} |", flush=True)


# Queries.

QUERIES = {"one row": "SELECT * FROM data WHERE id = 'sample_00000050'",
           "a filter": "SELECT * FROM data WHERE cloud_cover < 1 AND split = 'test'",
           "the first of an order": "SELECT * FROM data ORDER BY cloud_cover, id LIMIT 10"}
# The join in the SQL of tacore, and the same join in the SQL of DuckDB over the Parquet tables.
JOIN = ('SELECT d.id FROM data d JOIN l1 ON l1."l0:id" = d.id WHERE d.cloud_cover < 1 AND l1."l1:id" = \'dem\'',
        ('SELECT d.id FROM level0 d JOIN level0 p ON p.id = d.id JOIN level1 l1 ON l1."internal:parent_id" = p."internal:current_id" '
         'AND l1."internal:source_file" = p."internal:source_file" WHERE d.cloud_cover < 1 AND l1.id = \'dem\''))


def compare_queries(bench):
    rows = bench.args.rows
    make_metadata(bench.build, bench.peer, bench.root, rows)
    print("\n### open and query: all columns\n")
    print("| dataset | query | round trip | side | requests | kB | best | median | ratio | N |")
    print(f"|{' --- |' * 10}")
    for name in ("flat_100.tacozip", f"flat_{rows}.tacozip", f"flat_{100 * rows}.tacozip", f"cat_{100 * rows}/.tacocat"):
        if not name.startswith(tuple(bench.args.kinds)):
            continue
        cache = "no-cache" if name.startswith("flat") else "cache"  # its defaults
        for title, scheme, port in bench.latencies():
            for what, sql in (QUERIES if name.startswith("flat") else {**QUERIES, "a join of levels": JOIN[0]}).items():
                given = bench.url(name, port, scheme), bench.warm_url(name, scheme), sql
                join = JOIN[1] if sql == JOIN[0] else ""
                sides = {"tacore": (("query-tacore", *given), {}), "download, then DuckDB": (("query-download", *given, join), {})}
                if rows <= 10_000 and not join:
                    sides["tacoreader"] = (("query-tacoreader", *given, cache), {})
                results, requests = bench.in_turns(sides)
                answers = {(run["rows"], run["checksum"]) for runs in results.values() for run in runs}
                assert len(answers) == 1, f"the sides found different rows: {answers}"
                medians = {side: statistics.median(run["seconds"] for run in runs) for side, runs in results.items()}
                for side, runs in results.items():
                    made = requests[side]
                    print(f"| {name} | {what} | {title} | {side} | {len(made)} | {sum(r.bytes for r in made) / 1e3:.1f} | "
                          f"{1e3 * min(run['seconds'] for run in runs):.1f} ms | {1e3 * medians[side]:.1f} ms | "
                          f"{medians[side] / medians['tacore']:.2f} | {len(runs)} |", flush=True)


# Samples.


def sample_sides(bench, url, warm_url, count, bands, places):
    given = [url, warm_url, count, bands]
    sides = {"Loader": (("samples-loader", *given, 0), {})}
    for threads in (2, 16, 64):
        sides[f"Loader, {threads} threads"] = (("samples-loader", *given, threads), {})
    sides["read_tensor, 16 threads"] = (("samples-tensor", *given, 16), {})
    sides[AS_IT_COMES] = (("samples-rasterio", *given, 1, "threads", places), {})
    for note, ingested in INGESTED[bands].items():
        environment = {**GDAL, "GDAL_INGESTED_BYTES_AT_OPEN": ingested}
        for kind in ("threads", "processes"):
            for number in (2, 16):
                sides[f"rasterio, {number} {kind}{note}"] = (("samples-rasterio", *given, number, kind, places), environment)
    return sides


def compare_samples(bench):
    count = bench.args.samples
    make_images(bench.build, bench.root, count)
    print(f"\n### samples: {count} of 13 x 256 x 256 uint16 in random order, as arrays\n")
    print("Beside rasterio as it comes, and the best of it, tuned, with 2 threads or processes, and with 16.\n")
    print("| what | round trip | side | requests a sample | kB | samples/s best | median | beside 1 | beside 2 | beside 16 | N |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    places = bench.scratch / "places.json"
    for title, _, port in bench.latencies():
        for bands, what in (("all", "13 bands"), (BAND, "1 band")):
            name, plain = f"images_header_{count}.tacozip", f"images_{count}.tacozip"
            places.write_text(json.dumps(places_of(bench.build, bench.root / name)))
            sides = sample_sides(bench, bench.url(name, port), bench.warm_url(name), count, bands, places)
            sides["Loader, no header column"] = (
                ("samples-loader", bench.url(plain, port), bench.warm_url(plain), count, bands, 0), {})
            results, requests = bench.in_turns(sides)
            sums = {run["checksum"] for runs in results.values() for run in runs}
            assert len(sums) == 1, f"the sides read different pixels: {sums}"
            medians = {side: statistics.median(run["samples_per_second"] for run in runs) for side, runs in results.items()}
            peers = [medians[AS_IT_COMES]]
            peers += [max(median for side, median in medians.items() if side.startswith(f"rasterio, {number} "))
                      for number in (2, 16)]
            for side, runs in results.items():
                made = requests[side]
                print(f"| {what} | {title} | {side} | {len(made) / count:.2f} | {sum(r.bytes for r in made) / count / 1e3:.1f} | "
                      f"{max(run['samples_per_second'] for run in runs):.0f} | {medians[side]:.0f} | "
                      f"{' | '.join(f'{medians[side] / peer:.2f}' for peer in peers)} | {len(runs)} |", flush=True)


# Bytes.


def footer_and_columns(dataset, columns):
    """Bytes of what opening needs (header, footers, COLLECTION.json), and of these columns of level 0."""
    import struct

    import pyarrow.parquet as pq
    with open(dataset, "rb") as file:
        file.seek(41)
        count, *numbers = struct.unpack("<B3x14Q", file.read(116))
        ranges = list(zip(numbers[::2], numbers[1::2]))[:count]
        needed = 157 + ranges[-1][1]
        for offset, size in ranges[:-1]:
            file.seek(offset + size - 8)
            needed += 8 + struct.unpack("<I", file.read(4))[0]
        file.seek(ranges[0][0])
        footer = pq.read_metadata(memory_of(file.read(ranges[0][1])))
    chunks = 0
    for group in range(footer.num_row_groups):
        for k in range(footer.num_columns):
            chunk = footer.row_group(group).column(k)
            chunks += chunk.total_compressed_size if chunk.path_in_schema in columns else 0
    return needed, chunks


def memory_of(data):
    import pyarrow
    return pyarrow.BufferReader(data)


def block_bytes(path, places, rows, band):
    """Of the blocks of these samples: all, or those of one band."""
    import struct
    total = 0
    with open(path, "rb") as file:
        for row in rows:
            file.seek(places[row][0])
            data = file.read(places[row][1])
            entries = struct.unpack_from("<Q", data, 16)[0]
            for k in range(entries):
                tag, _, _, where = struct.unpack_from("<HHQQ", data, 24 + 20 * k)
                if tag == 325:
                    sizes = struct.unpack_from(f"<{imagery.BANDS}Q", data, where)
            total += sizes[band - 1] if band else sum(sizes)
    return total


def count_bytes(bench):
    rows, count, num = bench.args.rows, bench.args.samples, min(100, bench.args.samples)
    make_metadata(bench.build, bench.peer, bench.root, rows)
    make_images(bench.build, bench.root, count)
    print("\n### bytes: what the server sent, beside what is needed\n")
    print("Needed: the header, COLLECTION.json and Parquet footers; the columns that a query names; blocks of pixels.\n")
    print("| dataset | what | requests | bytes | needed | ratio |\n| --- | --- | --- | --- | --- | --- |")

    def row(name, what, command, needed):
        _, requests = bench.run(*command)
        fetched = sum(r.bytes for r in requests)
        print(f"| {name} | {what} | {len(requests)} | {fetched:,} | {needed:,} | {fetched / needed:.3f} |", flush=True)

    columns = ["cloud_cover", "split"]
    sql = "SELECT cloud_cover, split FROM data WHERE cloud_cover < 10"
    for name in (f"flat_{size}.tacozip" for size in (100, rows, 100 * rows)):
        opening, chunks = footer_and_columns(bench.root / name, columns)
        row(name, "open", ("bytes-open", bench.url(name)), opening)
        row(name, "open, and a query of two columns", ("bytes-query", bench.url(name), sql), opening + chunks)
    order = random.Random(num).sample(range(num), num)
    for name in (f"images_header_{count}.tacozip", f"images_{count}.tacozip"):
        places = places_of(bench.build, bench.root / name)
        navigation = {"internal:offset", "internal:size", "type", "id", "taco:header"}
        opening, chunks = footer_and_columns(bench.root / name, navigation)
        for bands, what, band in (("all", "13 bands", 0), (BAND, "1 band", int(BAND))):
            pixels = block_bytes(bench.root / name, places, order, band)
            command = ("bytes-samples", bench.url(name), num, bands)
            row(name, f"open, and {num} samples, {what}", command, opening + chunks + pixels)


CASES = {"open": compare_open, "queries": compare_queries, "samples": compare_samples, "bytes": count_bytes}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("peer")
    parser.add_argument("folder")
    parser.add_argument("--cases", nargs="+", choices=list(CASES), default=list(CASES))
    parser.add_argument("--rows", type=int, default=10_000, help="of the middle datasets; the large ones have 100 times as many")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--kinds", nargs="+", default=["flat_", "cat_"], help="of the datasets that are asked: how their names begin")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--latencies", type=int, nargs="+", default=[0, 20, 50], help="milliseconds of a round trip")
    parser.add_argument("--bandwidths", type=float, nargs="+", default=[0], help="megabytes a second, with a round trip; 0: as the loopback")
    args = parser.parse_args()
    folder = Path(args.folder).resolve()
    root, scratch = folder / "served", folder / "scratch"
    root.mkdir(parents=True, exist_ok=True)
    scratch.mkdir(exist_ok=True)
    with WebServer(root, folder / "nginx") as server:
        bench = Bench(args, server, scratch)
        print(f"{os.cpu_count()} cores; load {os.getloadavg()[0]:.2f} at the start")
        for case in args.cases:
            CASES[case](bench)


if __name__ == "__main__":
    main()
