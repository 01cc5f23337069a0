#!/usr/bin/env python3
"""Reads datasets through GDAL from servers that speak as object stores do (fakes.py): gs://, az://, azure://, oss://,
swift:// and paths of GDAL's own.

    check_gdal.py TOOL LIBRARY LOADER [CASE...]     CASE is a name or a pattern, such as 'Azure/*'

What `taco` says of each dataset must be what it says of the same files on the disk. Then keys are wrong, files are
missing, and servers fail: what comes out is the right data, or an error that says why.
"""
import fnmatch
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fakes

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
# Each with the id of a FILE in it; a ZIP, a FOLDER, an index, and those of the versions before.
DATASETS = {"flat.tacozip": "madrid", "nested.tacozip": "africa/item_1", "nested": "asia/item_2", "zips": "b1",
            "zips/.tacocat": "a0", "big.tacozip": "s5", "v1/nested.taco": "img1/hrf", "v1/mixed.tortilla": "note",
            "v1/parts/set.0001.part.tortilla": "s2"}
EACH = ["flat.tacozip", "nested", "zips"]
# Names of options for GDAL that this machine may have, and proxies.
LEFT_OUT = ("AWS_", "GS_", "CPL_", "GDAL_", "AZURE_", "OSS_", "SWIFT_", "VSI")


class Failed(Exception):
    pass


def require(condition, what):
    if not condition:
        raise Failed(what)


class Taco:
    """Runs the tool. Its answer is (exit code, what it wrote, what it complained)."""

    def __init__(self, tool, home):
        self.tool = tool
        self.base = {name: value for name, value in os.environ.items()
                     if not name.startswith(LEFT_OUT) and not name.lower().endswith("_proxy")}
        self.base.update(HOME=str(home), LC_ALL="C.UTF-8", TZ="UTC", NO_PROXY="*")

    def __call__(self, *arguments, environment=None):
        done = subprocess.run([self.tool, *map(str, arguments)], env={**self.base, **(environment or {})},
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
        return done.returncode, done.stdout, done.stderr.decode()


def commands(path, file_id):
    """What is asked of a dataset, as arguments."""
    yield "info", path, "--json"
    yield "ls", path, "--json"
    yield "query", path, "SELECT * FROM data", "-f", "csv"
    yield "validate", path, "--deep"
    if file_id:
        yield "read", path, file_id


def make_datasets(taco, folder):
    """Copies of the golden ones, an index of two ZIPs, and a ZIP larger than what is read at once."""
    for name in ["nested", "v1"]:
        shutil.copytree(GOLDEN / name, folder / name)
    for name in ["flat.tacozip", "nested.tacozip"]:
        shutil.copy(GOLDEN / name, folder / name)
    about = folder / "about.json"
    about.write_text('{"id": "chips", "description": "Chips", "licenses": ["MIT"], "providers": [{"name": "Our lab"}],'
                     ' "tasks": ["other"]}')
    values = random.Random(8)

    def make(name, ids, size):
        table = folder / "table.csv"
        table.write_text("id,path,cloud\n" + "".join(f"{i},{i}.bin,0.5\n" for i in ids))
        for i in ids:
            (folder / f"{i}.bin").write_bytes(values.randbytes(size))
        code, _, said = taco("create", table, folder / name, "--collection", about, "--quiet")
        require(code == 0, said)

    (folder / "zips").mkdir()
    make("zips/a.tacozip", ["a0", "a1"], 100)
    make("zips/b.tacozip", ["b0", "b1"], 100)
    make("big.tacozip", [f"s{i}" for i in range(8)], 70000)
    code, _, said = taco("index", folder / "zips/a.tacozip", folder / "zips/b.tacozip", "--quiet")
    require(code == 0, said)


class Check:
    def __init__(self, taco, load, folder):
        self.taco, self.load, self.folder = taco, load, folder  # load: load_gdal.cpp
        self.known = {}  # what is said of the local ones, by name
        self.lock = threading.Lock()

    def local(self, name, file_id):
        with self.lock:
            if name not in self.known:
                path = str(self.folder / name)
                answers = [self.taco(*arguments) for arguments in commands(path, file_id)]
                for (code, _, said), arguments in zip(answers, commands(path, file_id)):
                    require(code == 0, f"{arguments}: {said}")
                self.known[name] = [self.without(answer, f"{self.folder}/") for answer in answers]
            return self.known[name]

    @staticmethod
    def without(answer, *places):
        code, out, said = answer
        for place in places:
            out, said = out.replace(place.encode(), b"HERE/"), said.replace(place, "HERE/")
        # A local dataset proves the paths that it shows by its central directory; that of a remote one may not be at hand.
        said = "".join(line for line in said.splitlines(True) if "offsets of samples are not verified" not in line)
        return code, out, said

    # --- Cases: functions of a store ---

    def same(self, store):
        """Each dataset reads like the local one; stores other than two are asked for some only, as their code is shared."""
        names = [name for name in DATASETS if type(store) in (fakes.GoogleStorage, fakes.Azure) or name in EACH]
        for name in names if store.has_folders else names[:1]:
            file_id = DATASETS[name]
            expected = self.local(name, file_id)
            for path in (store.url(name), store.raw(name)):
                for arguments, known in zip(commands(path, file_id), expected):
                    if path != store.url(name) and arguments[0] not in ("query", "read"):
                        continue
                    answer = self.without(self.taco(*arguments, environment=store.environment),
                                          store.url(""), store.raw(""))
                    require(answer == known, f"{arguments}: {answer}, not {known}")
        require(all(request.status < 300 or request.status == 404 for request in store.requests),
                [request for request in store.requests if request.status >= 300])

    def exact(self, store):
        """A sample takes one range, with its local file header; opening also takes the range that gives GDAL the size."""
        with zipfile.ZipFile(self.folder / "big.tacozip") as archive:
            data = archive.read("DATA/s5")
        store.requests.clear()
        code, out, said = self.taco("read", store.url("big.tacozip"), "s5", environment=store.environment)
        require((code, out) == (0, data), f"{code}, {len(out)} bytes: {said}")
        ranges = [request.range for request in store.requests if request.method == "GET"]
        sizes = [int(r.split("-")[1]) + 1 - int(r.split("=")[1].split("-")[0]) for r in ranges if r]
        require(len(sizes) == len(ranges), f"a request for all: {store.requests}")
        whole = [size for size in sizes if len(data) <= size <= len(data) + 30 + len("DATA/s5") + 20]
        require(len(whole) == 1, f"not one of {len(data)} bytes: {store.requests}")
        require(sum(sizes) <= len(data) + 16384 + 32768 and len(store.requests) <= 5, f"{store.requests}")

    def missing(self, store):
        """A missing object is "no such file", however the store states it."""
        names = ["none.tacozip", "none", "none/.tacocat"] if store.has_folders else ["none.tacozip"]
        for name in names:
            code, out, said = self.taco("info", store.url(name), environment=store.environment)
            require(code == 1 and out == b"" and store.url(name) in said and "no such file" in said.lower(), said)

    def refused(self, store):
        """Wrong keys are an error with the HTTP status, which is not "no such file"."""
        for name in ["flat.tacozip", "nested"] if store.has_folders else ["flat.tacozip"]:
            store.requests.clear()
            code, out, said = self.taco("info", store.url(name), environment=store.refused())
            require(code == 1 and out == b"" and store.url(name) in said, said)
            require("HTTP status 403" in said or "HTTP status 401" in said, said)
            require("no such file" not in said.lower(), said)
            require(all(request.status in (401, 403) for request in store.requests), store.requests)

    def without_keys(self, store):
        """Without credentials nothing is read, and nothing hangs."""
        known = {name: value for name, value in store.environment.items()
                 if "ENDPOINT" in name or name in ("OSS_HTTPS", "OSS_VIRTUAL_HOSTING", "SWIFT_STORAGE_URL")}
        code, out, said = self.taco("info", store.url("flat.tacozip"), environment=known)
        require(code == 1 and out == b"" and store.url("flat.tacozip") in said, said)
        require("no such file" not in said.lower(), said)

    def faulty(self, store, faults, expected=None):
        """`taco read` of a sample while the server fails gives its bytes, or an error with these words."""
        with zipfile.ZipFile(self.folder / "big.tacozip") as archive:
            data = archive.read("DATA/s5")
        store.faults = list(faults)
        path = store.url("big.tacozip")
        code, out, said = self.taco("read", path, "s5", environment=store.environment)
        if expected is None:
            require((code, out) == (0, data), f"{code}, {len(out)} bytes: {said}")
            require(not store.faults, f"{len(store.faults)} faults were left")
        else:
            require(code == 1 and out == b"" and path in said and expected in said, f"{code}, {len(out)} bytes: {said}")

    def requests_to_read(self, store):
        store.requests.clear()
        self.faulty(store, [])
        return len(store.requests)

    def twice_500(self, store):
        """Two failures at each request are retried."""
        for place in range(self.requests_to_read(store)):
            self.faulty(store, [None] * place + [fakes.plain_error(500), fakes.plain_error(503)])

    def truncated(self, store):
        """A truncated body is requested again."""
        for place in range(self.requests_to_read(store)):
            self.faulty(store, [None] * place + [fakes.truncated])

    def always(self, store):
        """A permanent failure is an error after the allowed number of tries."""
        self.faulty(store, [fakes.plain_error(503)] * 50, "HTTP status 503 (5 tries)")
        require(len(store.faults) == 45, f"{50 - len(store.faults)} requests")
        self.faulty(store, [fakes.plain_error(404)], "no such file".capitalize())

    def given(self, store):
        """Options given to load apply to the dataset, not the options set globally."""
        path = store.url("flat.tacozip")
        code, out, said = self.load(path, 1, 30, environment=store.environment)
        require(code == 0 and out == b"5 samples\n", f"{out} {said}")
        store.faults = [fakes.plain_error(503)] * 50
        code, out, said = self.load(path, 2, 30, environment=store.environment)
        require(code == 1 and not out and "HTTP status 503 (2 tries)" in said, f"{out} {said}")
        require(len(store.faults) == 48, f"{50 - len(store.faults)} requests")
        # A server that says nothing: set for all is a day.
        left = threading.Event()
        store.faults = [lambda handler, _: left.wait()] * 2
        code, out, said = self.load(path, 1, 1, environment=store.environment)
        left.set()
        require(code == 1 and not out and path in said, f"{out} {said}")
        require(len(store.faults) == 1, f"{2 - len(store.faults)} requests")

    def late(self, store):
        """A file that changes while it is read is an error that says so."""
        last = self.requests_to_read(store) - 1
        fail, gone, forbidden = fakes.plain_error(500), fakes.plain_error(404), fakes.plain_error(403)
        self.faulty(store, [None] * last + [fail, gone], "the file changed while it was read: it is gone")
        self.faulty(store, [None] * last + [fail, forbidden], "HTTP status 403")

        def newer(handler, _):
            store.modified = "Tue, 03 Mar 2026 03:03:03 GMT"
            handler.answer(503, b"")
        self.faulty(store, [None] * last + [newer], "its modification time differs")

    def together(self, store):
        """The levels of a FOLDER are requested concurrently."""
        if not store.has_folders:
            return
        meeting = threading.Barrier(2, timeout=60)

        def meet(handler, data):
            try:
                meeting.wait()
                handler.well(data)
            except threading.BrokenBarrierError:
                handler.answer(400, b"")
        store.faults = [None] * (2 if store.opens_by_head else 1) + [meet, meet]  # COLLECTION.json, and both levels
        code, _, said = self.taco("info", store.url("nested"), environment=store.environment)
        require(code == 0 and not store.faults, said)

    def ignored_range(self, store):
        """A server that ignores Range gives no wrong bytes."""
        last = self.requests_to_read(store) - 1
        self.faulty(store, [None] * last + [fakes.whole])
        self.faulty(store, [None] * last + [fakes.whole, None] * 10, "expected")


CASES = ["same", "exact", "missing", "refused", "without_keys", "twice_500", "truncated", "always", "given", "late", "together",
         "ignored_range"]


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    tool, library, loader, *patterns = sys.argv[1:]
    if not Path(library).is_file():
        print("skipped: tacore_gdal is not built")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "served"
        folder.mkdir()
        taco = Taco(tool, scratch)
        make_datasets(taco, folder)
        check = Check(taco, Taco(loader, scratch), folder)

        def failures(kind):
            """The cases of one kind of store, in turn, each with a server of its own: how many fail."""
            failed = 0
            for case in CASES:
                name = f"{kind.__name__}/{case}"
                if patterns and not any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
                    continue
                with kind(folder) as store:
                    try:
                        getattr(check, case)(store)
                        said = f"ok      {name}\n"
                    except Exception as error:
                        failed += 1
                        said = f"FAILED  {name}: {error}\n{'' if isinstance(error, Failed) else traceback.format_exc()}"
                    print(said, end="", flush=True)
            return failed

        # All kinds side by side: most of the time is spent waiting until the next try.
        with ThreadPoolExecutor(len(fakes.STORES)) as pool:
            return 1 if sum(pool.map(failures, fakes.STORES)) else 0


if __name__ == "__main__":
    sys.exit(main())
