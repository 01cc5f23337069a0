#!/usr/bin/env python3
"""Reads datasets from a server with and without a cache (docs/remote.md), while the server, the folder of the cache or
the tool itself misbehaves.

    check_cache.py TOOL [NAME...]     only the checks of these names

Whatever happens, what the tool prints is what it prints without a cache, or it fails with an error.
"""
import hashlib
import os
import random
import resource
import shutil
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote, urlsplit

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
TOOL = None
ABOUT = ["--id", "big", "--description", "D", "--license", "MIT", "--provider", "P", "--task", "other"]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        path = unquote(urlsplit(self.path).path)
        with server.lock:
            server.requests.append(path)
            number = len(server.requests)
        fault = server.fault(path, number) if server.fault else None
        file = server.root / path.lstrip("/")
        if fault == "reset":
            self.connection.close()
            self.close_connection = True
            return
        if isinstance(fault, int):
            return self.answer(fault, {}, b"")
        if not file.is_file():
            return self.answer(404, {}, b"")
        body = file.read_bytes()
        headers = {"ETag": '"' + hashlib.sha1(body).hexdigest() + '"'} if fault != "no validator" else {}
        if fault == "no-store":
            headers["Cache-Control"] = "private, No-Store"
        if fault == "no length":
            self.send_response(200)
            self.send_header("ETag", headers["ETag"])
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = True
            return
        first, last = 0, len(body) - 1
        wanted = self.headers.get("Range", "")
        if not wanted.startswith("bytes=") or "," in wanted:
            return self.answer(200, headers, body)
        begin, end = wanted[6:].split("-")
        if begin:
            first, last = int(begin), min(int(end), last)
        else:
            first = max(0, len(body) - int(end))
        headers["Content-Range"] = f"bytes {first}-{last}/{len(body)}"
        part = body[first:last + 1]
        self.answer(206, headers, part, cut=fault == "cut")

    def answer(self, status, headers, body, cut=False):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:len(body) // 2] if cut else body)
        self.close_connection = self.close_connection or cut

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Serves a folder. `fault(path, number)` says what goes wrong with a request."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, root, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.root, self.requests, self.lock, self.fault = root, [], threading.Lock(), None
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    @property
    def port(self):
        return self.server_address[1]

    def stop(self):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):  # a client that was killed
            super().handle_error(request, client_address)


class Place:
    """A folder that is served, the cache, and the tool."""

    def __init__(self, folder):
        self.root, self.cache = folder / "served", folder / "cache"
        self.root.mkdir()
        self.server = Server(self.root)
        self.port = self.server.port

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def start(self, *words, cache=True, **options):
        environment = {k: v for k, v in os.environ.items() if k != "TACO_CACHE_DIR"}
        if cache:
            environment["TACO_CACHE_DIR"] = str(self.cache)
        return subprocess.Popen([TOOL, *map(str, words), "--max-tries", "2"], env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **options)

    def run(self, *words, code=0, **options):
        process = self.start(*words, **options)
        out, err = process.communicate(timeout=120)
        err = err.decode()
        assert process.returncode == code, f"{words}: exit {process.returncode}, expected {code}: {err}"
        return out, err

    def same(self, *words):
        """Output with the cache equals output without it."""
        expected = self.run(*words, cache=False)[0]
        assert self.run(*words)[0] == expected, f"{words}: other output with the cache"
        return expected

    def counted(self, *words):
        self.server.requests.clear()
        out, _ = self.run(*words)
        return out, list(self.server.requests)

    def go_down(self):
        self.server.stop()

    def come_up(self):
        self.server = Server(self.root, self.port)

    def cached(self, kind="files"):
        """The pieces, or all files."""
        found = [path for path in (self.cache / kind).rglob("*") if path.is_file()]
        return [path for path in found if path.name != "about"] if kind == "files" else found

    def clear(self):
        shutil.rmtree(self.cache, ignore_errors=True)


def make_big(folder, seed):
    """A ZIP and a FOLDER whose samples do not fit into the first answer."""
    generator = random.Random(seed)
    source = folder / f"source{seed}"
    source.mkdir()
    for i in range(6):
        (source / f"s{i}").write_bytes(generator.randbytes(90_000 + i))
    for name in ("big.tacozip", "big"):
        out = folder / f"{seed}-{name}"
        run = subprocess.run([TOOL, "create", source, out, *ABOUT], capture_output=True, check=False)
        assert run.returncode == 0, run.stderr.decode()
    return folder / f"{seed}-big.tacozip", folder / f"{seed}-big"


def put(source, target):
    if target.is_dir():
        shutil.rmtree(target)
    (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)


def serve_all(place):
    put(place.big[0], place.root / "a.tacozip")
    put(place.big[1], place.root / "folder")
    put(GOLDEN / "nested", place.root / "nested")
    put(GOLDEN / "cascade_tacocat", place.root / "index")


def questions(place):
    """Commands that read all kinds of containers."""
    everything = "SELECT * FROM data"
    return [
        ("query", place.url("a.tacozip"), everything),
        ("read", place.url("a.tacozip"), "s3"),
        ("query", place.url("folder"), everything),
        ("read", place.url("folder"), "s2"),
        ("query", place.url("nested"), everything),
        ("ls", place.url("nested"), "asia"),
        ("read", place.url("nested"), "asia/item_1"),
        ("query", place.url("index"), everything),
    ]


def check_warm(place):
    serve_all(place)
    for words in questions(place):
        expected = place.run(*words, cache=False)[0]
        out, cold = place.counted(*words)
        assert out == expected
        out, warm = place.counted(*words)
        assert out == expected
        assert len(warm) == len(set(warm)), f"{words}: more than one request for a file, {warm}"
        assert set(warm) == set(cold), f"{words}: {warm} and before {cold}"
        if words[0] == "read" and "a.tacozip" in words[1]:
            assert len(cold) > 1 == len(warm)


def check_changed(place):
    serve_all(place)
    before = [place.same(*words) for words in questions(place)[:4]]
    put(place.other[0], place.root / "a.tacozip")
    put(place.other[1], place.root / "folder")
    after = [place.same(*words) for words in questions(place)[:4]]
    assert before[1] != after[1] and before[3] != after[3]
    put(place.big[0], place.root / "a.tacozip")  # and back
    assert place.same(*questions(place)[1]) == before[1]


def check_offline(place):
    serve_all(place)
    expected = [place.same(*words) for words in questions(place)]
    place.go_down()
    for words, out in zip(questions(place), expected):
        found, err = place.run(*words)
        assert found == out, f"{words}: other output without a server"
        assert err.count("the server cannot be reached; reading from the cache, which may be outdated") == 1, err
        assert place.run(*words, cache=False, code=1)[0] == b""
    for words in [("read", place.url("a.tacozip"), "s4"), ("read", place.url("folder"), "s4")]:
        out, err = place.run(*words, code=1)
        assert out == b"" and "cannot connect to 127.0.0.1:" in err and "(2 tries)" in err, err
    place.come_up()
    out, err = place.run(*questions(place)[0])
    assert out == expected[0] and err == "", err


def check_damaged_pieces(place):
    serve_all(place)
    words = questions(place)[1:5:2] + questions(place)[6:]
    expected = [place.same(*question) for question in words]
    damages = {
        "cut": lambda data: data[:len(data) // 2],
        "garbled": lambda data: data[:-1] + bytes([data[-1] ^ 64]),
        "zeros": lambda data: bytes(len(data)),
    }
    for name, damage in damages.items():
        for kind in ("files", "sets"):
            for path in (place.cache / kind).rglob("*"):
                if path.is_file():
                    path.write_bytes(damage(path.read_bytes()))
        for question, out in zip(words, expected):
            assert place.run(*question)[0] == out, f"{name}: {question}"
        place.go_down()
        for question, out in zip(words, expected):  # replaced
            assert place.run(*question)[0] == out, f"{name}, then without a server: {question}"
        place.come_up()
    place.go_down()
    for path in place.cached():
        path.write_bytes(path.read_bytes()[:-1])
    for question in words[:2]:
        assert place.run(*question, code=1)[0] == b""


def check_two_processes(place):
    serve_all(place)
    expected = [place.run(*question, cache=False)[0] for question in questions(place)]
    for question, out in zip(questions(place), expected):
        processes = [place.start(*question) for _ in range(4)]
        for process in processes:
            found, err = process.communicate(timeout=120)
            told = [line for line in err.splitlines() if b"offsets of samples are not verified" not in line]
            assert process.returncode == 0 and found == out and told == [], err.decode()
    place.go_down()
    for question, out in zip(questions(place), expected):
        assert place.run(*question)[0] == out


def check_killed(place):
    """A run that is killed at its n-th request, for every n, with an empty cache and with that of the old version."""
    serve_all(place)
    outputs = {}
    for version, source in (("old", place.big[1]), ("new", place.other[1])):
        put(source, place.root / "folder")
        outputs[version] = place.run("read", place.url("folder"), "s2", cache=False)[0]
    words = ("read", place.url("folder"), "s2")
    for warm in (False, True):
        number = 0
        while True:
            number += 1
            place.clear()
            if warm:
                put(place.big[1], place.root / "folder")
                place.run(*words)
                put(place.other[1], place.root / "folder")
            place.server.requests.clear()
            process, ready = None, threading.Event()

            def kill(path, count, number=number):
                if count == number:
                    ready.wait(10)
                    process.kill()
                    time.sleep(0.05)
                return None

            place.server.fault = kill
            process = place.start(*words)
            ready.set()
            out, _ = process.communicate(timeout=120)
            place.server.fault = None
            if process.returncode == 0:
                break
            assert process.returncode == -9 and out == b""
            place.go_down()
            run = place.start(*words)
            out, err = run.communicate(timeout=120)
            good = [outputs["new"]] + [outputs["old"]] * warm
            assert (run.returncode == 0 and out in good) or (run.returncode == 1 and out == b""), f"{number}: {err.decode()}"
            place.come_up()
            assert place.run(*words)[0] == outputs["new"]
            place.go_down()
            assert place.run(*words)[0] == outputs["new"]
            place.come_up()
        assert number > 3, "nothing was killed"


def check_no_part_of_a_set(place):
    serve_all(place)
    query = ("query", place.url("nested"), "SELECT id FROM level1")
    level = "/nested/METADATA/level1.parquet"
    expected = place.run(*query, cache=False)[0]
    for fault in (404, 500, 403, "cut", "reset"):
        place.clear()
        place.server.fault = lambda path, _, fault=fault: fault if path == level else None
        out, _ = place.run(*query, code=1)
        assert out == b""
        abouts = "".join(path.read_text() for path in (place.cache / "files").rglob("about"))
        assert "nested/COLLECTION.json" in abouts and "METADATA" not in abouts, f"{fault}: {abouts}"
        place.go_down()
        out, err = place.run(*query, code=1)
        assert out == b"" and "cannot connect to 127.0.0.1:" in err, err
        place.come_up()
        assert place.run(*query)[0] == expected
        # What was whole before stays whole.
        place.server.fault = lambda path, _, fault=fault: fault if path == level else None
        if fault != "reset":
            assert place.run(*query, code=1)[0] == b""
        place.go_down()
        assert place.run(*query)[0] == expected
        place.come_up()


def check_versions_do_not_mix(place):
    """The dataset changes, the new COLLECTION.json arrives, and then nothing more does."""
    serve_all(place)
    read = ("read", place.url("folder"), "s2")
    place.run(*read)
    put(place.other[1], place.root / "folder")
    document = place.root / "folder" / "COLLECTION.json"
    document.write_text(document.read_text() + "\n")  # the two differ in their samples alone
    place.server.fault = lambda path, _: None if path.endswith("/COLLECTION.json") else "reset"
    for _ in range(2):
        out, err = place.run(*read, code=1)
        assert out == b"" and "level0.parquet" in err, err
    place.server.fault = None
    new = place.run(*read)[0]
    assert new == place.run(*read, cache=False)[0]
    place.go_down()
    assert place.run(*read)[0] == new


def check_errors_of_the_server(place):
    """An error response of a reachable server is reported, not replaced by the cache."""
    serve_all(place)
    read = ("read", place.url("a.tacozip"), "s3")
    expected = place.run(*read)[0]
    for status in (400, 401, 403, 404, 410, 500, 503):
        place.server.fault = lambda *_, status=status: status
        out, err = place.run(*read, code=1)
        assert out == b"" and str(status) in err, err
    place.server.fault = None
    assert place.run(*read)[0] == expected


def check_folder_that_cannot_be_written(place):
    serve_all(place)
    words = questions(place)[1]
    expected = place.run(*words, cache=False)[0]
    place.cache.write_text("a file")
    out, err = place.run(*words)
    assert out == expected and err.count("the cache cannot be written") == 1, err
    place.cache.unlink()

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    # As on a full disk: the abouts fit, the pieces do not. The signal stays ignored, as Python has it.
    out, err = place.run(*words, preexec_fn=small_files, restore_signals=False)
    assert out == expected and err.count("the cache cannot be written") == 1, err
    assert not [path for path in place.cached("new")], "a part of a file is left"
    place.clear()
    assert place.same(*words) == expected
    if os.geteuid() != 0:  # the superuser may write anywhere
        for path in [place.cache, *place.cache.rglob("*")]:
            path.chmod(0o500 if path.is_dir() else 0o400)
        try:
            out, warm = place.counted(*words)
            assert out == expected and len(warm) == 1
            place.run("read", place.url("a.tacozip"), "s4")
        finally:
            for path in [place.cache, *place.cache.rglob("*")]:
                path.chmod(0o700)
    else:
        print("as the superuser: folders that one may not write to are left out")


def check_what_may_not_be_kept(place):
    serve_all(place)
    for fault in ("no validator", "no-store", "no length"):
        place.clear()
        place.server.fault = lambda path, _, fault=fault: fault if (place.root / path[1:]).is_file() else None
        for words in questions(place)[:4]:
            place.same(*words)
        assert place.cached() == [], fault
        for about in (place.cache / "files").rglob("about"):
            assert "exists: 0" in about.read_text(), fault


def check_secrets(place):
    serve_all(place)
    signed = place.url("a.tacozip?X-Amz-Credential=SECRET1&X-Amz-Signature=SECRET2&part=7")
    place.run("read", signed, "s3", "--header", "Authorization: Bearer SECRET3")
    other = signed.replace("SECRET", "HIDDEN")
    place.server.requests.clear()
    place.run("read", other, "s3")
    assert len(place.server.requests) == 1, "another signature, the same file"
    place.run("read", place.url("a.tacozip").replace("//", "//user:SECRET4@"), "s3")
    found = 0
    for path in place.cache.rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
        if path.is_file():
            data = path.read_bytes()
            assert b"SECRET" not in data and b"HIDDEN" not in data and b"user" not in data, path
            found += 1
    assert found > 3
    assert place.cache.stat().st_mode & 0o777 == 0o700


CHECKS = [check_warm, check_changed, check_offline, check_damaged_pieces, check_two_processes, check_killed,
          check_no_part_of_a_set, check_versions_do_not_mix, check_errors_of_the_server,
          check_folder_that_cannot_be_written, check_what_may_not_be_kept, check_secrets]


def main():
    global TOOL
    TOOL = sys.argv[1]
    names = sys.argv[2:]
    with tempfile.TemporaryDirectory() as scratch:
        big, other = make_big(Path(scratch), 1), make_big(Path(scratch), 2)
        for check in CHECKS:
            name = check.__name__.removeprefix("check_")
            if names and name not in names:
                continue
            begin = time.monotonic()
            folder = Path(scratch) / name
            folder.mkdir()
            place = Place(folder)
            place.big, place.other = big, other
            check(place)
            place.server.fault = None
            place.server.stop()
            print(f"{name}: {time.monotonic() - begin:.1f} s", flush=True)


main()
