#!/usr/bin/env python3
"""Proves that `taco create`, `edit`, `index`, `collect`, `sync`, `tog` and `header` leave what was there, or what is new, whole.

    check.py TOOL FAULTS [CASE...]     FAULTS is the library made of faults.cpp; CASE is a name or a pattern, `kill/*`

A case is FAULT/TARGET, TARGET one of zip, large (a ZIP with a sample of several pieces), folder, tortilla, taco (those of
0.2.0), tortilla-set (of two files), index (`.tacocat`),
index-file (`__TACOCAT__`), collect (TACOLLECTION.json), and `-over` where an older dataset is replaced; or
edit-KIND-TARGET, KIND being title or columns; or from-TARGET, which comes out of a chunk store, and `put`, into one; or tog and header, a file each. The tool is run once undisturbed, then once for each of its calls that is
counted, with that call disturbed: the target must be absent, old or complete. Complete is what the undisturbed run
made, which `taco validate --deep` passes. Calls are counted with --jobs 1, so that they come in one order.
"""
import errno
import fnmatch
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ABOUT = ["--id", "chips", "--license", "MIT", "--provider", "Our lab", "--task", "segmentation", "--jobs", "1"]
NAMES = {"folder": "set", "tortilla": "set.tortilla", "taco": "set.taco", "tortilla-set": "set.tortilla"}
TARGETS = ["zip", "large", "folder", "zip-over", "folder-over", "tortilla", "taco", "taco-over"]
INDEXES = {"index": (".tacocat", ["index"]), "index-file": ("__TACOCAT__", ["index", "--single-file"]),
           "collect": ("TACOLLECTION.json", ["collect"])}
FROM_STORE = ["from-zip", "from-large", "from-folder-over"]
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "data" / "landsat.tacozip"
INDEX_TARGETS = ["index", "index-file", "collect", "index-over", "index-file-over"]


class Run:
    """The tool, disturbed: what it says and does."""

    def __init__(self, code, errors, calls):
        self.code, self.errors, self.calls = code, errors, calls


class World:
    """Folders of one target: source, `out` which the tool writes to, and what old and new datasets look like."""

    def __init__(self, tool, faults, scratch, target):
        self.tool, self.faults, self.scratch = tool, faults, scratch
        self.over = target.endswith("-over")
        kind = target.removesuffix("-over")
        self.name, self.index = INDEXES.get(kind, (NAMES.get(kind, "set.tacozip"), None))
        self.source = scratch / "source"
        write_source(self.source, kind == "large")
        base = []
        if self.index:
            self.source = self.write_parts(scratch / "parts")
            base = ["--base-path", self.source]
        self.old = self.make("old", "An older one") if self.over else None
        self.new = self.make("new", "The new one")
        if self.name.endswith(("set", ".tacozip")) or self.index:
            quiet_run([self.tool, "validate", scratch / "new" / self.name, "--deep", *base])

    def write_parts(self, folder):
        """The inputs of an index: each root of the source in a ZIP of its own."""
        folder.mkdir()
        for root in sorted(self.source.iterdir()):
            (self.scratch / "one").mkdir()
            root.rename(self.scratch / "one" / root.name)
            quiet_run([self.tool, "create", self.scratch / "one", folder / f"{root.name}.tacozip", "--description", "D", *ABOUT])
            shutil.rmtree(self.scratch / "one")
        return folder

    def command(self, source, path, description):
        overwrite = ["--overwrite"] if path.exists() else []
        if not self.index:
            times = ["--datetime", "2020-01-01/2020-12-31"] if path.suffix == ".taco" else []
            return [self.tool, "create", source, path, "--description", description, *ABOUT, *times, *overwrite]
        parts = sorted(source.iterdir())
        chosen = parts if description == "The new one" else parts[:1]
        return [self.tool, *self.index, *chosen, "-o", path.parent, "--jobs", "1", "--quiet", *overwrite]

    def make(self, folder, description):
        (self.scratch / folder).mkdir()
        path = self.scratch / folder / self.name
        quiet_run(self.command(self.source, path, description))
        return content(path)

    def fresh(self, name):
        """A folder to write to, with the old dataset in it."""
        out = self.scratch / name
        out.mkdir()
        if self.over:
            copy = shutil.copytree if (self.scratch / "old" / self.name).is_dir() else shutil.copyfile
            copy(self.scratch / "old" / self.name, out / self.name)
        return out

    def create(self, out, do="", at=0, watch=None, source=None):
        log = out.with_suffix(".log")
        log.unlink(missing_ok=True)
        return self.run(self.command(source or self.source, out / self.name, "The new one"), do, at, watch or out, log)

    def run(self, command, do, at, watch, log):
        done = subprocess.run(
            command,
            env={**os.environ, "LD_PRELOAD": str(self.faults), "FAULT_FOLDER": str(watch), "FAULT_LOG": str(log),
                 "FAULT_DO": do, "FAULT_AT": str(at)}, capture_output=True, text=True, timeout=60)
        calls = [line.split(" ", 1) for line in log.read_text().splitlines()] if log.exists() else []
        return Run(done.returncode, done.stderr, calls)

    def state(self, out):
        found = content(out / self.name)
        names = {None: "absent", **({self.old: "old"} if self.over else {}), self.new: "complete"}
        assert found in names, f"{self.name} is neither absent nor old nor complete"
        return names[found]

    @property
    def before(self):
        return "old" if self.over else "absent"

    def told(self, out):
        """What errors name."""
        return str(out / self.name)

    def leftovers(self, out):
        return sorted(path.name for path in out.rglob("*") if path.parent == out and path.name != self.name or path.suffix == ".part")

    def calls(self):
        """What an undisturbed run does, and which of it publishes the dataset (from 1)."""
        run = self.create(self.fresh("undisturbed"))
        assert run.code == 0, run.errors
        names = [name for name, _ in run.calls]
        # The files of an index get their names in a folder that nobody sees, which is renamed last.
        assert names.count("rename") == (len(list((self.scratch / "new" / self.name).iterdir())) + 1
                                         if self.name == ".tacocat" else 1), run.calls
        return run.calls, len(names) - names[::-1].index("rename")


class SetWorld(World):
    """The same of two files that appear together."""

    def command(self, source, path, description):
        return [*super().command(source, path, description), "--split-size", "1KB"]

    def make(self, folder, description):
        (self.scratch / folder).mkdir()
        quiet_run(self.command(self.source, self.scratch / folder / self.name, description))
        return self.content(self.scratch / folder)

    def content(self, folder):
        return tuple((path.name, path.read_bytes()) for path in sorted(folder.glob("set.*"))) or None

    def state(self, out):
        found = self.content(out)
        assert found in (None, self.new), [name for name, _ in found]
        return "complete" if found else "absent"

    def told(self, out):
        return str(out)

    def leftovers(self, out):
        return sorted(path.name for path in out.rglob("*") if not path.name.startswith("set."))

    def calls(self):
        run = self.create(self.fresh("undisturbed"))
        names = [name for name, _ in run.calls]
        assert run.code == 0 and names.count("rename") == 4, run.calls  # in a folder of their own, then out of it
        return run.calls, len(names) - names[::-1].index("rename")


class EditWorld(World):
    """The same of `taco edit`: the dataset is there, and becomes another."""

    def __init__(self, tool, faults, scratch, target):
        _, self.kind, container = target.split("-")
        # Below level 0 the columns of a Tortilla are in nested ones, which stay.
        sample, self.level = ("a", "0") if container in ("taco", "tortilla") else ("a/red", "1")
        self.table = scratch / "table.csv"
        self.table.write_text(f"id,cloud\n{sample},0.5\n")
        super().__init__(tool, faults, scratch, f"{container}-over")

    def make(self, folder, description):
        if folder == "old":
            return super().make(folder, description)
        out = self.fresh(folder)
        quiet_run([self.tool, "edit", out / self.name, *self.changes()])
        return content(out / self.name)

    def changes(self):
        return ["--set", "title=New"] if self.kind == "title" else ["--columns", str(self.table), "--level", self.level, "--jobs", "1"]

    def command(self, source, path, description):
        if description != "The new one":
            return super().command(source, path, description)
        return [self.tool, "edit", path, *self.changes()]


class StoreWorld(World):
    """The same of `taco sync`: the dataset comes out of a store, or goes into one."""

    def __init__(self, tool, faults, scratch, target):
        self.store = None
        super().__init__(tool, faults, scratch, target.removeprefix("from-"))
        if target.startswith("from-"):
            self.store = scratch / "store"
            quiet_run([self.tool, "sync", scratch / "new" / self.name, self.store])

    def command(self, source, path, description):
        if not self.store:
            return super().command(source, path, description)
        return [self.tool, "sync", self.store, path, "--jobs", "1", "--quiet", *(["--overwrite"] if path.exists() else [])]

    def put(self, store, do="", at=0):
        """The new dataset into `store`."""
        log = store.with_suffix(".log")
        log.unlink(missing_ok=True)
        return self.run([self.tool, "sync", self.scratch / "new" / self.name, store, "--jobs", "1", "--quiet"], do, at, store, log)


class RasterWorld(World):
    """The same of one file made of pixels: `tog`, and `header`, the file of headers beside a dataset."""

    def __init__(self, tool, faults, scratch, target):
        self.tool, self.faults, self.scratch = tool, faults, scratch
        self.kind, self.over, self.index = target.removesuffix("-over"), target.endswith("-over"), None
        self.name = "new.tif" if self.kind == "tog" else "new.headers"
        self.source = scratch / "source"
        self.source.mkdir()
        dataset = self.source / "set.tacozip"
        shutil.copyfile(EXAMPLE, dataset)
        first = json.loads(subprocess.run([tool, "ls", dataset, "--json"], capture_output=True, check=True).stdout)[0]["id"]
        quiet_run([tool, "read", dataset, first, "-o", self.source / "source.tif"])
        quiet_run([tool, "tog", self.source / "source.tif", self.source / "tiles.tif", "--block", "16"])
        quiet_run([tool, "create", self.source, scratch / "other.tacozip", "--description", "D", *ABOUT])
        self.old = self.make("old", "An older one") if self.over else None
        self.new = self.make("new", "The new one")

    def command(self, source, path, description):
        overwrite = ["--overwrite"] if path.exists() else []
        is_new = description == "The new one"
        if self.kind == "tog":
            return [self.tool, "tog", source / "source.tif", path, "--jobs", "1", *overwrite, *([] if is_new else ["--block", "32"])]
        dataset = source / "set.tacozip" if is_new else self.scratch / "other.tacozip"
        return [self.tool, "header", dataset, "-o", path, "--jobs", "1", "--quiet", *overwrite]


def write_source(folder, large):
    files = {"a/red": b"red of a", "a/green": b"", "b/red": b"red of b", "b/green": b"green of b"}
    if large:
        files = {"one": bytes(range(256)) * (18 << 10), "two": b"small"}
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (1700000000, 1700000000))


def content(path):
    """What a dataset is, to be compared: None when there is none. A process that is killed may leave an unfinished file."""
    if not path.exists():
        return None
    if path.is_file():
        return path.read_bytes()
    return tuple((str(p.relative_to(path)), p.read_bytes() if p.is_file() else None) for p in sorted(path.rglob("*"))
                 if p.suffix != ".part")


def is_inner_folder(path):
    """The folder of an index or a set that is not published yet: what cannot be opened to be synced is left to the file system."""
    return path.endswith((".part/.tacocat/", ".part/"))


def quiet_run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


def each(count, body):
    """body(1) to body(count), two at a time; failures are told with their number."""
    def attempt(n):
        try:
            body(n)
        except AssertionError as error:
            raise AssertionError(f"call {n}: {error}") from error
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(attempt, range(1, count + 1)))
    return count


def kill(world):
    calls, published = world.calls()

    def at(n):
        out = world.fresh(f"out{n}")
        run = world.create(out, "kill", n)
        assert run.code == -signal.SIGKILL, (run.code, run.errors)
        expected = world.before if n <= published else "complete"
        assert world.state(out) == expected, f"{calls[n - 1]}: {world.state(out)}, expected {expected}"
        again = world.create(out)
        assert again.code == 0 and world.state(out) == "complete", f"the second run: {again.errors}"
    return each(len(calls), at)


def fail(world):
    calls, published = world.calls()

    def at(n):
        for number in (errno.ENOSPC, errno.EIO):
            out = world.fresh(f"out{n}_{number}")
            run = world.create(out, f"fail {number}", n)
            # What is not needed: blocks shared, a copy in the kernel or a link where there can be a copy, the time of it,
            # direct writes beside those through the cache (the same file is opened again), syncing a folder that cannot be opened, tidying up.
            if run.code == 0:
                is_again = calls[n - 1][0] == "open" and (calls[n - 1] in calls[:n - 1] or is_inner_folder(calls[n - 1][1]))
                has_other_way = calls[n - 1][0] in ("futimens", "clone", "kernel_write", "link")
                assert n > published or has_other_way or is_again, f"{calls[n - 1]} was not missed"
                assert world.state(out) == "complete"
                continue
            assert run.code == 1, (calls[n - 1], run.code, run.errors)
            assert world.state(out) == (world.before if n <= published else "complete"), calls[n - 1]
            assert world.leftovers(out) == [], (calls[n - 1], world.leftovers(out))
            assert os.strerror(number) in run.errors and world.told(out) in run.errors, run.errors
    return 2 * each(len(calls), at)


def stop(world):
    """A signal: noticed between any two calls up to the one that publishes."""
    calls, published = world.calls()

    def at(n):
        out = world.fresh(f"out{n}")
        number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[n % 3]
        run = world.create(out, f"signal {number.value}", n)
        assert run.code in (-number, 0), (run.code, run.errors)
        if n < published:
            assert run.code != 0 and world.state(out) == world.before, f"{calls[n - 1]}: {world.state(out)}"
        else:
            assert world.state(out) == "complete"
        assert world.leftovers(out) == [], world.leftovers(out)
        assert run.errors == "", run.errors
    return each(len(calls), at)


def short(world):
    """Interrupted and short reads and writes cost time and nothing else."""
    edits = isinstance(world, EditWorld)
    for watch in ("out",) if edits else ("out", "source"):
        out = world.fresh(f"{watch}_short") if watch == "source" else world.fresh("out")
        run = world.create(out, "short", watch=world.source if watch == "source" else None)
        assert run.code == 0 and world.state(out) == "complete", run.errors
        moved = [name for name, _ in run.calls if name in ("read", "write", "pread", "pwrite")]
        assert len(moved) > 4, run.calls
    return 1 if edits else 2


def source(world):
    """Samples that cannot be read, or are no longer what they were when the dataset was planned."""
    first = world.fresh("first")
    run = world.create(first, watch=world.source)
    assert run.code == 0, run.errors
    calls = run.calls
    assert {name for name, _ in calls} >= {"open", "read"}, calls
    if world.index:
        return unreadable_inputs(world, calls)
    reasons = {"vanish": "No such file", "shrink": "shrank", "grow": "grew", f"fail {errno.EACCES}": "Permission denied",
               f"fail {errno.EIO}": "Input/output error"}
    told = set()

    def at(n):
        name, path = calls[n - 1]
        for k, (do, reason) in enumerate(reasons.items()):
            copy = world.scratch / f"source{n}_{k}"
            shutil.copytree(world.source, copy)
            out = world.fresh(f"out{n}_{k}")
            run = world.create(out, do, n, watch=copy, source=copy)
            if run.code == 0:  # what was needed had been read, or there was nothing to lose
                assert do in ("vanish", "shrink") and name == "read" or Path(path).stat().st_size == 0, (do, name, path)
                assert world.state(out) == "complete"
                continue
            told.add(do)
            where = str(copy / Path(path).relative_to(world.source))
            assert run.code == 1 and reason in run.errors and where in run.errors, (do, name, run.code, run.errors)
            assert world.state(out) == world.before and world.leftovers(out) == [], (do, name)
    count = each(len(calls), at) * len(reasons)
    assert told == set(reasons), f"never happened: {set(reasons) - told}"
    return count


def unreadable_inputs(world, calls):
    """Of an index: each open and read of an input is needed."""
    def at(n):
        for number in (errno.EACCES, errno.EIO):
            out = world.fresh(f"out{n}_{number}")
            run = world.create(out, f"fail {number}", n, watch=world.source)
            said = run.errors
            assert run.code == 1 and os.strerror(number) in said and calls[n - 1][1] in said, (calls[n - 1], said)
            assert world.state(out) == world.before and world.leftovers(out) == [], calls[n - 1]
    return 2 * each(len(calls), at)


def durable(world):
    """The order of the calls: what was written is synced, then named, then the name is synced."""
    calls, published = world.calls()
    names = [name for name, _ in calls]
    sync = max(i for i, name in enumerate(names[:published]) if name in ("fsync", "syncfs"))
    written = [i for i, name in enumerate(names) if name in ("write", "pwrite", "mkdir")]
    assert max(written) < sync < published, names
    after = [path for name, path in calls[published:] if name == "fsync"]
    assert after == [str(Path(calls[published - 1][1]).parent)], calls
    return 1


def put(world):
    """Chunks and manifest of a store: an older dataset stays whole, a new one is complete or not there, and the next put
    goes on."""
    new, old = world.scratch / "new" / world.name, world.scratch / "set0.tacozip"
    world.store = None
    old.write_bytes(world.make("old", "An older one"))
    base = world.scratch / "base"
    quiet_run([world.tool, "sync", old, base])

    def fresh(name):
        return shutil.copytree(base, world.scratch / name)

    def require(store, name, expected):
        back = store.with_suffix(".tacozip")
        quiet_run([world.tool, "sync", store / name, back, "--overwrite"])
        assert content(back) == content(expected), f"{name} is another"

    undisturbed = world.put(fresh("undisturbed"))
    calls = undisturbed.calls
    published = max(i for i, (name, _) in enumerate(calls, 1) if name == "rename")
    names = [name for name, _ in calls]
    assert undisturbed.code == 0 and calls[published - 1][1].endswith(".json"), calls
    syncs = [i for i, name in enumerate(names, 1) if name == "syncfs"]
    renames = [i for i, name in enumerate(names, 1) if name == "rename"]
    assert len(syncs) == 2 and syncs[0] < renames[0] and renames[-2] < syncs[1] < published, names  # synced, then named

    def at(n):
        for do in ("kill", f"fail {errno.ENOSPC}", f"signal {signal.SIGTERM.value}"):
            store = fresh(f"{do.replace(' ', '_')}{n}")
            run = world.put(store, do, n)
            is_tidy = not list(store.glob(".*"))
            assert is_tidy or do == "kill" or n > published, (do, calls[n - 1])
            if do.startswith("fail") and run.code != 0:
                assert run.code == 1 and os.strerror(errno.ENOSPC) in run.errors, (calls[n - 1], run.code, run.errors)
            has_it = (store / f"datasets/{world.name}.json").exists()
            assert has_it or n <= published, (do, calls[n - 1])
            if has_it:
                require(store, world.name, new)
            require(store, old.name, old)
            again = world.put(store)
            assert again.code == 0, again.errors
            require(store, world.name, new)
            assert not list(store.glob(".*")), list(store.glob(".*"))
    return 3 * each(len(calls), at)


def full_disk(world):
    """A file system of 1 MiB, which has no place for the dataset."""
    big = world.scratch / "big"
    big.mkdir()
    for k in range(3):
        (big / f"part{k}").write_bytes(bytes(700_000))
    disk = world.scratch / "disk"
    disk.mkdir()
    mount = ["unshare", "-Urm", "sh", "-c", 'mount -t tmpfs -o size=1m none "$1" || exit 77; cd "$1"; shift; "$@" 2>&1;'
             ' echo "exit $?"; ls -A', "sh", str(disk)]
    done = subprocess.run([*mount, str(world.tool), "create", str(big), str(disk / world.name), "--description", "D", *ABOUT],
                          capture_output=True, text=True)
    if done.returncode == 77 or done.stderr.startswith("unshare:"):
        print("full_disk: skipped, no file system can be mounted")
        return 0
    said = done.stdout.splitlines()
    assert len(said) == 2 and "No space left on device" in said[0] and world.name in said[0], said
    assert said[1] == "exit 1", said
    return 1


def no_place(world):
    """An edit where the file system is full, and where it cannot be written to: the old dataset is there, and nothing else."""
    big = world.scratch / "big"
    for k in range(3):
        (big / "a").mkdir(parents=True, exist_ok=True)
        (big / "a" / f"part{k}").write_bytes(bytes(200_000))
    disk = world.scratch / "disk"
    disk.mkdir()
    script = ('mount -t tmpfs -o size=1m none "$1" || exit 77; tool=$2; big=$3; set=$1/$4; shift 4; $tool create $big $set "$@"; '
              'cp -r $set $big.before; cat /dev/zero >$set.fill 2>/dev/null; '
              'try() { $tool edit $set "$@" 2>&1; echo "exit $?"; diff -r $set $big.before && ls -A "${set%/*}"; }; '
              'try --set title=New; try --level 1 --columns $big.csv; rm $set.fill; mount -o remount,ro "${set%/*}"; '
              'try --set title=New; try --level 1 --columns $big.csv')
    (world.scratch / "big.csv").write_text("id,cloud\na/part1,0.5\n")
    done = subprocess.run(["unshare", "-Urm", "sh", "-c", script, "sh", disk, world.tool, big, world.name, "--description", "D", *ABOUT],
                          capture_output=True, text=True)
    if done.returncode == 77 or done.stderr.startswith("unshare:"):
        print("no_place: skipped, no file system can be mounted")
        return 0
    said = done.stdout.splitlines()
    names = [world.name, f"{world.name}.fill"]
    for reason, left in (("No space left on device", names), ("No space left on device", names),
                         ("Read-only file system", names[:1]), ("Read-only file system", names[:1])):
        told, code, *listed = said[:2 + len(left)]
        assert reason in told and world.name in told and code == "exit 1" and sorted(listed) == left, said
        said = said[2 + len(left):]
    assert said == [], said
    return 4


FAULTS = {"kill": kill, "fail": fail, "stop": stop, "short": short, "source": source, "durable": durable}
CASES = {f"{fault}/{target}": (body, target) for fault, body in FAULTS.items() for target in TARGETS + INDEX_TARGETS}
CASES |= {f"{fault}/{target}": (body, target) for fault, body in FAULTS.items() if fault != "source"
          for target in ("edit-title-zip", "edit-title-large", "edit-title-folder", "edit-columns-zip", "edit-columns-folder", "edit-title-taco",
                        "edit-columns-taco", "edit-columns-tortilla")}
CASES |= {f"{fault}/tortilla-set": (FAULTS[fault], "tortilla-set") for fault in ("fail", "short", "source")}
CASES |= {f"no_place/{target}": (no_place, target) for target in ("zip", "folder")}
CASES |= {f"{fault}/{target}": (body, target) for fault, body in FAULTS.items() for target in FROM_STORE
          if fault not in ("source", "short")}
CASES |= {f"{fault}/{target}": (body, target) for fault, body in FAULTS.items() if fault != "source"
          for target in ("tog", "tog-over", "header", "header-over")}
CASES |= {"put/from-large": (put, "from-large")}
CASES |= {f"full_disk/{target}": (full_disk, target) for target in ("zip", "folder")}


def main():
    tool, faults, *patterns = sys.argv[1:]
    chosen = [name for name in CASES if not patterns or any(fnmatch.fnmatch(name, p) for p in patterns)]
    assert chosen, f"no case is called {patterns}"
    failed, skipped = 0, 0
    for name in chosen:
        body, target = CASES[name]
        with tempfile.TemporaryDirectory(prefix="tacore-crash-") as scratch:
            try:
                make = next((w for prefix, w in (("edit-", EditWorld), ("from-", StoreWorld), ("tog", RasterWorld), ("header", RasterWorld), ("tortilla-set", SetWorld)) if target.startswith(prefix)), World)
                count = body(make(Path(tool).resolve(), Path(faults).resolve(), Path(scratch).resolve(), target))
                skipped += count == 0
                print(f"{name}: {count} faults", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED {name}\n{traceback.format_exc()}", flush=True)
    # ctest calls the whole suite skipped when it reads the last of these: alone, so that no failure hides behind it.
    print(f"{len(chosen) - failed} of {len(chosen)} cases passed" if failed or not skipped else f"{skipped} SKIPPED")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
