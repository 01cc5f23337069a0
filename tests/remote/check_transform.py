#!/usr/bin/env python3
"""Proves that what takes datasets apart takes those on a server: each command makes the same of both.

    check_transform.py TOOL [CASE...]     CASE is a name or a pattern, such as 'export*'

A folder of datasets is served by a server of this file on the loopback, which can also misbehave. Only the standard
library is needed.
"""
import contextlib
import fnmatch
import hashlib
import http.server
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.parse
import zipfile
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
EPOCH = "1700000000"


class Server(http.server.ThreadingHTTPServer):
    """Serves a folder with ranges and ETags. `fault(handler, path, begin, body)` may answer instead and say True."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, root):
        super().__init__(("127.0.0.1", 0), Handler)
        self.root, self.fault, self.most, self.now, self.lock = root, None, 0, 0, threading.Lock()
        self.num_requests = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address):
        pass  # a client that hung up


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 20

    def log_message(self, *_):
        pass

    def answer(self, status, headers, body=b""):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def do_GET(self):
        server = self.server
        with server.lock:
            server.now += 1
            server.num_requests += 1
            server.most = max(server.most, server.now)
        try:
            self.get()
        finally:
            with server.lock:
                server.now -= 1

    def get(self):
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        file = self.server.root / path.lstrip("/")
        if not file.is_file():
            return self.answer(404, {})
        status = file.stat()
        headers = {"ETag": f'"{status.st_mtime_ns:x}-{status.st_size:x}"', "Accept-Ranges": "bytes"}
        ranges = self.ranges(status.st_size)
        if ranges == []:
            return self.answer(416, headers | {"Content-Range": f"bytes */{status.st_size}"})
        with open(file, "rb") as stream:
            bodies = []
            for begin, end in ranges or [(0, status.st_size)]:
                stream.seek(begin)
                bodies.append(stream.read(end - begin))
        fault = self.server.fault
        if fault and fault(self, path, ranges[0][0] if ranges else 0, bodies[0], headers):
            return None
        if ranges is None:
            return self.answer(200, headers, bodies[0])
        spans = [f"bytes {begin}-{end - 1}/{status.st_size}" for begin, end in ranges]
        if len(ranges) == 1:
            return self.answer(206, headers | {"Content-Range": spans[0]}, bodies[0])
        parts = b"".join(b"\r\n--cut\r\nContent-Range: " + span.encode() + b"\r\n\r\n" + body
                         for span, body in zip(spans, bodies))
        kind = {"Content-Type": "multipart/byteranges; boundary=cut"}
        return self.answer(206, headers | kind, parts + b"\r\n--cut--\r\n")

    def ranges(self, size):
        """Half-open ranges that are asked for; None without any, [] when none is in the file."""
        given = self.headers.get("Range")
        if not given:
            return None
        out = []
        for first, last in re.findall(r"(\d*)-(\d*)", given.partition("=")[2]):
            begin = int(first) if first else max(0, size - int(last))
            end = min(size, int(last) + 1) if first and last else size
            if begin < end:
                out.append((begin, end))
        return out


def run(tool, *arguments, status=0, quiet=True):
    environment = dict(os.environ, SOURCE_DATE_EPOCH=EPOCH, NO_PROXY="*", no_proxy="*")
    command = [str(tool), *(["--quiet"] if quiet else []), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, env=environment)
    text = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    if done.returncode != status:
        called = " ".join(map(str, arguments))
        raise AssertionError(f"{called}: exit {done.returncode}, {status} expected\n" + "".join(text))
    return text


def without_times(path):
    """A file, of a ZIP without the times of its entries: a server does not tell those of files."""
    out = bytearray(path.read_bytes())
    if path.suffix not in (".tacozip", ".zip"):  # a chunk of one may look like one
        return bytes(out)
    with zipfile.ZipFile(path) as archive:
        at = archive.start_dir
        for entry in archive.infolist():
            out[entry.header_offset + 10:entry.header_offset + 14] = bytes(4)
            out[at + 12:at + 16] = bytes(4)
            at += 46 + sum(struct.unpack_from("<HHH", out, at + 28))
    return bytes(out)


def files(path):
    """What is at a path: names, and sums of the bytes."""
    if path.is_file():
        return {"": hashlib.sha256(without_times(path)).hexdigest()}
    return {str(each.relative_to(path)): hashlib.sha256(without_times(each)).hexdigest()
            for each in sorted(path.rglob("*")) if each.is_file()}


def equal(found, expected, what):
    if found == expected:
        return
    if isinstance(found, dict) and isinstance(expected, dict):
        names = sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))
        raise AssertionError(f"{what}: {len(names)} files differ, such as {names[:5]}")
    raise AssertionError(f"{what}: {str(found)[:2000]}\nexpected: {str(expected)[:2000]}")


COLLECTION = {
    "id": "made", "taco_version": "2.0.0", "dataset_version": "1.0.0", "description": "For a test",
    "licenses": ["CC-BY-4.0"], "providers": [{"name": "tacore", "roles": ["producer"]}], "tasks": ["other"],
    "extent": {"spatial": [-10, -10, 10, 10], "temporal": ["2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"]}}


class World:
    """The datasets, a server of them, and a place for what is made."""

    def __init__(self, tool, folder):
        self.tool, self.data, self.out = tool, folder / "data", folder / "out"
        self.data.mkdir()
        self.make()
        self.server = Server(self.data)

    def make(self):
        noise = random.Random(1)
        source = self.data / "source"
        for scene, sizes in {"a": (700, 3_000_000), "b": (0, 5_000_123), "c": (40_000, 1_100_000)}.items():
            (source / scene).mkdir(parents=True)
            for name, size in zip(("small.bin", "large.bin"), sizes):
                (source / scene / name).write_bytes(noise.randbytes(size))
        collection = self.data / "collection.json"
        collection.write_text(json.dumps(COLLECTION))
        create = lambda out, given=source: run(self.tool, "create", given, out, "--collection", collection)
        create(self.data / "nested.tacozip")
        create(self.data / "nested")
        many = self.data / "many_source"
        many.mkdir()
        for i in range(300):
            (many / f"s{i:03}.bin").write_bytes(noise.randbytes(noise.choice((10, 1000, 20_000, 60_000))))
        create(self.data / "many.tacozip", many)
        create(self.data / "many", many)
        for half in "xy":
            (self.data / f"half_{half}").mkdir()
            for i in range(5):
                (self.data / f"half_{half}" / f"{half}{i}.bin").write_bytes(noise.randbytes(5000 * i))
            (self.data / "parts").mkdir(exist_ok=True)
            create(self.data / "parts" / f"{half}.tacozip", self.data / f"half_{half}")
        zips = sorted((self.data / "parts").glob("*.tacozip"))
        run(self.tool, "index", *zips, "-o", self.data / "parts")
        run(self.tool, "index", *zips, "-o", self.data / "parts", "--single-file")
        (self.data / "collected").mkdir()
        for each in zips:
            shutil.copy(each, self.data / "collected")
        run(self.tool, "collect", *sorted((self.data / "collected").glob("*.tacozip")), "-o", self.data / "collected")
        run(self.tool, "convert", self.data / "nested.tacozip", self.data / "old.taco")
        run(self.tool, "convert", self.data / "nested.tacozip", self.data / "old.tortilla")
        run(self.tool, "convert", self.data / "many.tacozip", self.data / "split.tortilla", "--split-size", "2MB")
        shutil.copytree(GOLDEN, self.data / "golden")

    def both(self, name, *arguments):
        """Runs a command for a local and a remote input, and compares what both make: @ is the input's folder, > the
        name of the output."""
        made = []
        for place in (str(self.data), self.server.url):
            shutil.rmtree(self.out, ignore_errors=True)
            self.out.mkdir()
            given = [str(a).replace("@", place, 1) if str(a).startswith("@") else str(a) for a in arguments]
            given = [str(self.out / a[1:]) if a.startswith(">") else a for a in given]
            text = run(self.tool, *given)[0].replace(str(self.data), "@").replace(self.server.url, "@")
            made.append((files(self.out), text))
        equal(made[1][0], made[0][0], name)
        equal(made[1][1], made[0][1], name)
        return made[1]


# What makes another dataset of one: name -> arguments.
COPIES = {
    "export_zip": ("export", "@/nested.tacozip", ">x.tacozip"),
    "export_zip_as_folder": ("export", "@/nested.tacozip", ">x"),
    "export_folder": ("export", "@/nested", ">x.tacozip"),
    "export_folder_as_folder": ("export", "@/nested", ">x"),
    "export_many": ("export", "@/many.tacozip", ">x.tacozip"),
    "export_many_as_folder": ("export", "@/many.tacozip", ">x"),
    "export_many_of_folder": ("export", "@/many", ">x.tacozip"),
    "export_some": ("export", "@/many.tacozip", ">x.tacozip",
                    "SELECT * FROM data WHERE CAST(substr(id, 2, 3) AS INTEGER) % 7 = 0"),
    "export_with_limit": ("--max-concurrent-requests", "3", "export", "@/many.tacozip", ">x.tacozip"),
    "export_tacocat": ("export", "@/parts/.tacocat", ">x.tacozip"),
    "export_tacocat_file": ("export", "@/parts/__TACOCAT__", ">x"),
    "export_tacollection": ("export", "@/collected/TACOLLECTION.json", ">x.tacozip"),
    "export_v1": ("export", "@/old.taco", ">x.tacozip"),
    "export_permuted": ("export", "@/golden/permuted_offsets.tacozip", ">x.tacozip"),
    "export_six_levels": ("export", "@/golden/six_levels.tacozip", ">x"),
    "zip2folder": ("convert", "@/nested.tacozip", ">x"),
    "folder2zip": ("convert", "@/nested", ">x.tacozip"),
    "folder2zip_many": ("convert", "@/many", ">x.tacozip"),
    "padding": ("convert", "@/golden/nested_padded", ">x.tacozip"),
    "to_tortilla": ("convert", "@/nested.tacozip", ">x.tortilla"),
    "to_taco": ("convert", "@/nested", ">x.taco"),
    "taco_to_zip": ("convert", "@/old.taco", ">x.tacozip"),
    "tortilla_to_folder": ("convert", "@/old.tortilla", ">x"),
    "taco_to_tortilla": ("convert", "@/old.taco", ">x.tortilla"),
    "join": ("convert", "@/split.0000.part.tortilla", ">x.tortilla"),
    "join_to_zip": ("convert", "@/split.0001.part.tortilla", ">x.tacozip"),
    "compile": ("compile", "@/old.tortilla", ">x.tortilla"),
    "compile_zip": ("compile", "@/nested.tacozip", ">x.tortilla"),
    "concat": ("concat", "@/parts/x.tacozip", "@/parts/y.tacozip", ">x.tacozip"),
    "index": ("index", "@/parts/x.tacozip", "@/parts/y.tacozip", "-o", ">"),
    "index_file": ("index", "@/parts/x.tacozip", "@/parts/y.tacozip", "-o", ">", "--single-file"),
    "sync": ("sync", "@/nested.tacozip", ">store"),
    "sync_folder": ("sync", "@/nested", ">store"),
    "info": ("info", "@/nested.tacozip"),
    "validate": ("validate", "--deep", "@/nested.tacozip"),
    "validate_folder": ("validate", "--deep", "@/nested"),
    "validate_tacocat": ("validate", "--deep", "@/parts/.tacocat"),
    "validate_tacollection": ("validate", "--deep", "@/collected/TACOLLECTION.json"),
    "validate_v1": ("validate", "--deep", "@/split.0000.part.tortilla"),
    "diff": ("diff", "@/nested", "@/nested.tacozip"),
    "diff_v1": ("diff", "@/old.taco", "@/old.taco"),
    "describe": ("describe", "@/nested.tacozip", "--as", "markdown", "--base-url", "https://e.org"),
    "geoparquet": ("describe", "@/golden/polygons.tacozip", "--as", "geoparquet", "-o", ">x.parquet",
                   "--base-url", "https://e.org"),
}


def collect(world):
    """Inputs are named relative to base_path, which is the folder on the server."""
    world.out.mkdir()
    url = world.server.url + "/collected"
    _, warning = run(world.tool, "collect", url + "/x.tacozip", url + "/y.tacozip", "-o", world.out, quiet=False)
    assert url in warning, warning
    made, local = world.out / "TACOLLECTION.json", world.data / "collected" / "TACOLLECTION.json"
    equal(json.loads(made.read_text()), json.loads(local.read_text()), "TACOLLECTION.json")
    equal(run(world.tool, "ls", made, "--base-path", url)[0], run(world.tool, "ls", local)[0], "ls")
    run(world.tool, "collect", url + "/x.tacozip", local.parent / "y.tacozip", "-o", world.out, status=1)
    assert "a local folder" in run(world.tool, "collect", url + "/x.tacozip", status=1)[1]


def index_opens(world):
    world.out.mkdir()
    url = world.server.url + "/parts"
    _, warning = run(world.tool, "index", url + "/x.tacozip", url + "/y.tacozip", "-o", world.out, quiet=False)
    assert url in warning, warning
    made = world.out / ".tacocat"
    run(world.tool, "read", made, "y3.bin", "--base-path", url, "-o", world.out / "y3.bin")
    equal((world.out / "y3.bin").read_bytes(), (world.data / "half_y" / "y3.bin").read_bytes(), "y3.bin")
    assert "the same dataset" in run(world.tool, "index", url + "/x.tacozip", url + "/x.tacozip", "-o", world.out,
                                     "--overwrite", status=1)[1]


def create_of_urls(world):
    """Samples of a table may be URLs, of whole files and byte ranges."""
    world.out.mkdir()
    table = world.out / "t.csv"
    url = world.server.url
    entry = zipfile.ZipFile(world.data / "nested.tacozip").getinfo("DATA/a/small.bin")
    begin = entry.header_offset + 30 + len(entry.filename)
    part = f"/vsisubfile/{begin}_{entry.file_size},/vsicurl/{url}/nested.tacozip"
    table.write_text(f'id,path\nlarge,{url}/source/b/large.bin\nsmall,{url}/source/a/small.bin\npart,"{part}"\n')
    run(world.tool, "create", table, world.out / "x", "--collection", world.data / "collection.json")
    data = world.out / "x" / "DATA"
    for name, expected in {"large": "b/large.bin", "small": "a/small.bin", "part": "a/small.bin"}.items():
        equal((data / name).read_bytes(), (world.data / "source" / expected).read_bytes(), name)
    table.write_text(f"id,path\nnone,{url}/nothing.bin\n")
    error = run(world.tool, "create", table, world.out / "y", "--collection", world.data / "collection.json",
                status=1)[1]
    assert "nothing.bin" in error and "cannot open" in error, error


def sync_back(world):
    world.out.mkdir()
    for name in ("nested.tacozip", "nested"):
        run(world.tool, "sync", f"{world.server.url}/{name}", world.out / "store")
        run(world.tool, "sync", world.out / "store" / name, world.out / name)
        equal(files(world.out / name), files(world.data / name), name)


def refusals(world):
    """Outputs on a server are refused."""
    world.out.mkdir()
    url = world.server.url
    cases = {"edit": ("edit", url + "/nested.tacozip", "--set", "title=x"),
             "edit_v1": ("edit", url + "/old.taco", "--set", "title=x"),
             "in_place": ("convert", url + "/old.taco", url + "/old.taco"),
             "export": ("export", world.data / "nested.tacozip", url + "/x.tacozip"),
             "tortilla": ("convert", world.data / "nested.tacozip", url + "/x.tortilla"),
             "folder": ("convert", world.data / "nested.tacozip", url + "/x"),
             "index": ("index", world.data / "parts" / "x.tacozip", "-o", url + "/parts"),
             "header": ("index-tiffs", url + "/nested.tacozip")}
    for name, arguments in cases.items():
        error = run(world.tool, *arguments, status=1)[1]
        assert "it is remote" in error and "127.0.0.1" in error, f"{name}: {error}"


def limit(world):
    """No more concurrent requests than allowed, and several where they are."""
    world.out.mkdir()
    world.server.fault = lambda *_: time.sleep(0.02)  # else an answer may be there before the next request
    try:
        for most, name in ((3, "many.tacozip"), (3, "many"), (40, "many")):
            world.server.most = 0
            run(world.tool, "--max-concurrent-requests", most, "export", f"{world.server.url}/{name}",
                world.out / f"{most}_{name}.tacozip")
            assert 1 < world.server.most <= most, f"{world.server.most} requests at a time, {most} allowed"
    finally:
        world.server.fault = None


def merged(world):
    """Adjacent samples are fetched together: far fewer requests than samples."""
    world.out.mkdir()
    for name in ("x.tacozip", "x"):
        world.server.num_requests = 0
        run(world.tool, "export", f"{world.server.url}/many.tacozip", world.out / name)
        assert world.server.num_requests < 40, f"{world.server.num_requests} requests for 300 samples"


@contextlib.contextmanager
def fault(world, behaviour):
    world.server.fault = behaviour
    try:
        yield
    finally:
        world.server.fault = None


def is_data(path, begin):
    """Bytes of samples: neither what comes with opening a file nor the tables at the end of the ZIP."""
    return path.endswith("nested.tacozip") and 100_000 < begin < 9_000_000 or path.endswith("large.bin") and begin > 0


# Commands that copy bytes of nested.tacozip or nested.
COPYING = {name: COPIES[name] for name in ("export_zip", "export_zip_as_folder", "export_folder", "zip2folder",
                                           "to_tortilla", "sync", "sync_folder")}


def twice_500(world):
    """Transient errors are retried."""
    for name, arguments in COPYING.items():
        seen = {}

        def behaviour(handler, path, begin, _body, _headers, seen=seen):
            with world.server.lock:
                seen[path, begin] = seen.get((path, begin), 0) + 1
            if not is_data(path, begin) or seen[path, begin] > 2:
                return False
            handler.answer(500, {})
            return True

        with fault(world, behaviour):
            world.both(name, *arguments)
        assert any(is_data(*key) and count > 2 for key, count in seen.items()), name


def stop(world, behaviour, words):
    """With this fault every command ends with an error of these words and leaves no output."""
    for name, arguments in COPYING.items():
        shutil.rmtree(world.out, ignore_errors=True)
        world.out.mkdir()
        given = [a.replace("@", world.server.url, 1) if a.startswith("@") else a for a in arguments]
        given = [str(world.out / a[1:]) if a.startswith(">") else a for a in given]
        with fault(world, behaviour):
            error = run(world.tool, "--max-tries", "2", *given, status=1)[1]
        assert any(word in error for word in words) and world.server.url in error, f"{name}: {error}"
        left = [each for each in world.out.rglob("*") if not str(each).startswith(str(world.out / "store"))]
        assert not left, f"{name} left {left}"
        datasets = list((world.out / "store").glob("nested*")) if name.startswith("sync") else []
        assert not datasets, f"{name} left {datasets}"


def truncated(world):
    def behaviour(handler, path, begin, body, headers):
        if not is_data(path, begin):
            return False
        size = (world.data / path.lstrip("/")).stat().st_size
        span = f"bytes {begin}-{begin + len(body) - 1}/{size}"
        handler.answer(206, headers | {"Content-Range": span, "Content-Length": str(len(body))}, body[:len(body) // 2])
        handler.close_connection = True
        return True

    stop(world, behaviour, ("(2 tries)",))


def changed(world):
    """Another ETag halfway is an error, not a mixture."""
    def behaviour(_handler, path, begin, _body, headers):
        if is_data(path, begin):
            headers["ETag"] = '"another"'
        return False

    stop(world, behaviour, ("changed while it was read",))


def damaged(world):
    """A byte of a ZIP that is flipped in transfer is detected by its CRC-32."""
    def behaviour(handler, path, begin, body, headers):
        if not is_data(path, begin):
            return False
        size = (world.data / path.lstrip("/")).stat().st_size
        body = body[:len(body) // 2] + bytes([body[len(body) // 2] ^ 1]) + body[len(body) // 2 + 1:]
        handler.answer(206, headers | {"Content-Range": f"bytes {begin}-{begin + len(body) - 1}/{size}"}, body)
        return True

    world.out.mkdir()
    for name in ("x.tacozip", "x"):
        with fault(world, behaviour):
            error = run(world.tool, "export", world.server.url + "/nested.tacozip", world.out / name, status=1)[1]
        assert "CRC-32" in error, error
        assert not list(world.out.iterdir())


def own_functions():
    functions = (collect, index_opens, create_of_urls, sync_back, refusals, limit, merged, twice_500, truncated,
                 changed, damaged)
    return {function.__name__: function for function in functions}


def main():
    tool, patterns = Path(sys.argv[1]).resolve(), sys.argv[2:] or ["*"]
    cases = {name: lambda world, name=name, args=args: world.both(name, *args) for name, args in COPIES.items()}
    cases |= own_functions()
    chosen = [name for name in cases if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        world = World(tool, Path(folder))
        for name in chosen:
            shutil.rmtree(world.out, ignore_errors=True)
            try:
                cases[name](world)
            except Exception:
                failed.append(name)
                print(f"FAILED {name}\n{traceback.format_exc()}", flush=True)
    print(f"{len(chosen) - len(failed)} of {len(chosen)} passed" + (": failed " + ", ".join(failed) if failed else ""))
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
