#!/usr/bin/env python3
"""Proves that what writes leaves what was there, or what is new, whole.

    check.py TOOL FAULTS [CASE...]     FAULTS is the library made of faults.cpp; CASE is a name or a pattern, `kill/*`

A case is FAULT/TARGET, TARGET one of zip, large (a ZIP with a sample of several pieces), folder, tortilla, taco (those of
0.2.0), tortilla-set (of two files), index (`.tacocat`), index-file (`__TACOCAT__`), collect (TACOLLECTION.json), and
`-over` where an older dataset is replaced; or edit-KIND-TARGET, KIND being title, columns or repair; or from-TARGET, which
comes out of a chunk store, and `put`, into one; or tog and header, a file each; or one of copies.py, made of a dataset. The
tool is run once undisturbed, then once for each of its calls that is counted, with that call disturbed: the target must be
absent, old or complete. Complete is what the undisturbed run made, which `taco validate --deep` passes. Calls are counted
with --jobs 1, so that they come in one order.
"""
import base64
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from copies import COPIES, CopyWorld
from disturbed import each, quiet_run, run_cases, start
from worlds import ABOUT, EditWorld, RasterWorld, SetWorld, StoreWorld, World, content

TARGETS = ["zip", "large", "folder", "zip-over", "folder-over", "tortilla", "taco", "taco-over"]
FROM_STORE = ["from-zip", "from-large", "from-folder-over"]
INDEX_TARGETS = ["index", "index-file", "collect", "index-over", "index-file-over"]


def is_inner_folder(path):
    """The unpublished folder of an index, a set or a publication: if it cannot be opened to be synced, that is left to the file
    system."""
    return path.endswith((".part/.tacocat/", ".part/")) or ".part/site/" in path


def kill(world):
    calls, published = world.calls()

    def at(n):
        out = world.fresh(f"out{n}")
        run = world.create(out, "kill", n)
        assert run.code == -signal.SIGKILL, (run.code, run.errors)
        expected = world.before if n <= published else "complete"
        assert world.state(out) == expected, f"{calls[n - 1]}: {world.state(out)}, expected {expected}"
        again = world.create(out)
        is_refused = world.runs_once and n > published and again.code == 1 and "was made already" in again.errors
        assert (again.code == 0 or is_refused) and world.state(out) == "complete", f"the second run: {again.errors}"
        # One that has nothing to do tidies nothing up: the next one that writes does.
        assert is_refused or world.leftovers(out) == [], (calls[n - 1], world.leftovers(out))
    return each(len(calls), at)


def fail(world):
    calls, published = world.calls()

    def at(n):
        for number in world.reasons(n, errno.ENOSPC, errno.EIO):
            out = world.fresh(f"out{n}_{number}")
            run = world.create(out, f"fail {number}", n)
            # What is not needed: blocks shared, a copy in the kernel or a link where there can be a copy, the time of it,
            # direct writes beside those through the cache (the same file is opened again), a look whether a temporary folder is
            # held by a run (this one made it), syncing a folder that cannot be opened, tidying up.
            if run.code == 0:
                name, path = calls[n - 1]
                is_again = (name == "open" and not {(name, path), ("mkdir", path)}.isdisjoint(calls[:n - 1])
                            or name == "open_folder" and is_inner_folder(path))
                has_other_way = name in ("futimens", "clone", "kernel_write", "link")
                assert n > published or has_other_way or is_again, f"{calls[n - 1]} was not missed"
                assert world.state(out) == "complete"
                continue
            assert run.code == 1, (calls[n - 1], run.code, run.errors)
            assert world.state(out) == (world.before if n <= published else "complete"), calls[n - 1]
            assert world.leftovers(out) == [], (calls[n - 1], world.leftovers(out))
            assert os.strerror(number) in run.errors and world.told(out) in run.errors, run.errors
    return len(world.reasons(0, 1, 2)) * each(len(calls), at)


def stop(world):
    """A signal stops the tool between any two calls up to the one that publishes."""
    calls, published = world.calls()

    def at(n):
        out = world.fresh(f"out{n}")
        number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[n % 3]
        run = world.create(out, f"signal {number.value}", n)
        assert run.code in (-number, 0), (run.code, run.errors)
        if n < published + world.dies_at_once:
            assert run.code != 0 and world.state(out) == world.before, f"{calls[n - 1]}: {world.state(out)}"
        else:
            assert world.state(out) == "complete", f"{calls[n - 1]}: {world.state(out)}"
        assert world.leftovers(out) == [], world.leftovers(out)
        told = [line for line in run.errors.splitlines() if "no sample has a location" not in line]
        assert told == [], run.errors
    return each(len(calls), at)


def short(world):
    """Interrupted and short reads and writes are continued and change nothing."""
    edits = isinstance(world, EditWorld)
    for watch in ("out",) if edits else ("out", "source"):
        out = world.fresh(f"{watch}_short") if watch == "source" else world.fresh("out")
        run = world.create(out, "short", watch=world.source if watch == "source" else None)
        assert run.code == 0 and world.state(out) == "complete", run.errors
        moved = [name for name, _ in run.calls if name in ("read", "write", "pread", "pwrite")]
        assert len(moved) > world.min_moves, run.calls
    return 1 if edits else 2


def source(world):
    """Samples that cannot be read, or that changed since the dataset was planned, are errors."""
    first = world.fresh("first")
    run = world.create(first, watch=world.source)
    assert run.code == 0, run.errors
    calls = run.calls
    names = {name for name, _ in calls}
    assert "open" in names and names & {"read", "pread"}, calls
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
    """Each open and read of an input of an index is needed, so its failure is an error."""
    def at(n):
        for number in world.reasons(n, errno.EACCES, errno.EIO):
            out = world.fresh(f"out{n}_{number}")
            run = world.create(out, f"fail {number}", n, watch=world.source)
            said = run.errors
            assert run.code == 1 and os.strerror(number) in said and calls[n - 1][1] in said, (calls[n - 1], said)
            assert world.state(out) == world.before and world.leftovers(out) == [], calls[n - 1]
    return len(world.reasons(0, 1, 2)) * each(len(calls), at)


def inputs(world):
    """Each call on the input datasets is needed, so its failure is an error."""
    world.looks = True
    run = world.create(world.fresh("first"), watch=world.source)
    assert run.code == 0, run.errors
    names = {name for name, _ in run.calls}
    assert names >= {"open", "stat"} and names & {"read", "pread"}, run.calls
    return unreadable_inputs(world, run.calls)


def look(world):
    """A target that cannot be examined is an error before anything is lost."""
    world.looks = True
    calls, published = world.calls()
    looked = [n for n, (name, _) in enumerate(calls[:published], 1) if name in ("stat", "list", "seek")]

    def at(k):
        out = world.fresh(f"out{k}")
        run = world.create(out, f"fail {errno.EIO}", looked[k - 1])
        what = calls[looked[k - 1] - 1]
        assert run.code == 1, f"{what} was not missed"
        assert world.state(out) == world.before and world.leftovers(out) == [], (what, world.state(out), world.leftovers(out))
        assert os.strerror(errno.EIO) in run.errors and world.told(out) in run.errors, run.errors
    return each(len(looked), at)


def durable(world):
    """The order of calls: data is synced, then renamed, then the folder is synced."""
    calls, published = world.calls()
    names = [name for name, _ in calls]
    sync = max(i for i, name in enumerate(names[:published]) if name in ("fsync", "syncfs"))
    written = [i for i, name in enumerate(names) if name in ("write", "pwrite", "mkdir")]
    assert max(written) < sync < published, names
    after = [path for name, path in calls[published:] if name == "fsync"]
    assert after == [str(Path(calls[published - 1][1]).parent)], calls
    return 1


def put(world):
    """A put into a store keeps an older dataset whole, publishes a new one completely or not at all, and is resumed by
    the next put."""
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
    """A file system of 1 MiB is too small for the dataset."""
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
    said = [line for line in said if "no sample has a location" not in line]
    assert len(said) == 2 and "No space left on device" in said[0] and world.name in said[0], said
    assert said[1] == "exit 1", said
    return 1


def no_place(world):
    """An edit on a full or read-only file system leaves the old dataset and nothing else."""
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


def full_temporary_folder(world):
    """An index is ordered by way of a temporary file where its table is larger than what is kept in memory, 256 MiB."""
    (world.scratch / "file.bin").write_bytes(b"x")
    with (world.scratch / "samples.jsonl").open("w") as table:
        for k in range(50_000):
            place = [k * 7919 % 360 - 180, 0.1, 0, k * 104_729 % 170 - 85, 0, -0.1]
            table.write(json.dumps({"id": f"s{k}", "path": "file.bin", "stac:crs": "EPSG:4326", "stac:tensor_shape": [1, 1],
                                    "stac:geotransform": place, "stac:time_start": "2020-01-01T00:00:00Z",
                                    "noise": base64.b64encode(os.urandom(6000)).decode()}) + "\n")
    samples = world.scratch / "samples.tacozip"
    made = subprocess.run([world.tool, "create", world.scratch / "samples.jsonl", samples, "--extensions", "stac", "--description", "D",
                           *ABOUT], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    temporary, out = world.scratch / "temporary", world.scratch / "out"
    temporary.mkdir()
    out.mkdir()
    script = 'mount -t tmpfs -o size=1m none "$1" || exit 77; TMPDIR=$1 "$2" index "$3" -o "$4" --order hilbert 2>&1; echo "exit $?"; ls -A "$1"'
    done = subprocess.run(["unshare", "-Urm", "sh", "-c", script, "sh", temporary, world.tool, samples, out], capture_output=True, text=True)
    if done.returncode == 77 or done.stderr.startswith("unshare:"):
        print("full_temporary_folder: skipped, no file system can be mounted")
        return 0
    assert done.stdout.splitlines() == [f"taco: {temporary}: temporary file cannot be written: No space left on device", "exit 1"], done.stdout
    assert not list(out.iterdir()), list(out.iterdir())
    return 1


FAULTS = {"kill": kill, "fail": fail, "stop": stop, "short": short, "source": source, "durable": durable}
CASES = {f"{fault}/{target}": (body, target) for fault, body in FAULTS.items() for target in TARGETS + INDEX_TARGETS}
CASES |= {f"{fault}/{target}": (body, target) for fault, body in FAULTS.items() if fault != "source"
          for target in ("edit-title-zip", "edit-title-large", "edit-title-folder", "edit-columns-zip", "edit-columns-folder", "edit-title-taco",
                        "edit-columns-taco", "edit-columns-tortilla", "edit-repair-zip", "edit-repair-folder")}
CASES |= {f"{fault}/tortilla-set": (FAULTS[fault], "tortilla-set") for fault in ("fail", "short", "source")}
CASES |= {f"no_place/{target}": (no_place, target) for target in ("zip", "folder")}
CASES |= {f"{fault}/{target}": (body, target) for fault, body in FAULTS.items() for target in FROM_STORE
          if fault not in ("source", "short")}
CASES |= {f"{fault}/{target}": (body, target) for fault, body in FAULTS.items() if fault != "source"
          for target in ("tog", "tog-over", "header", "header-over")}
CASES |= {"put/from-large": (put, "from-large")}
CASES |= {f"{fault}/{target}": (FAULTS[fault], target) for fault in ("fail", "short") for target in COPIES}
CASES |= {f"look/{target}": (look, target)
          for target in ("edit-title-zip", "edit-title-folder", "edit-columns-folder", "edit-title-taco", "csv", "stac", "site",
                         "export-zip")}
CASES |= {f"inputs/{target}": (inputs, target)
          for target in ("export-folder", "convert-new", "convert-parts", "concat", "compile-taco", "collection", "stac", "site", "parquet")}
CASES |= {f"{fault}/{target}": (FAULTS[fault], target) for fault in ("fail", "stop")
          for target in ("export-zip-over", "csv-over")}
CASES |= {f"{fault}/{target}": (FAULTS[fault], target) for fault in ("kill", "fail", "stop") for target in ("stac-over", "site-over")}
CASES |= {f"kill/{target}": (kill, target) for target in ("csv", "geoparquet")}
CASES |= {"stop/geoparquet": (stop, "geoparquet")}
CASES |= {f"full_disk/{target}": (full_disk, target) for target in ("zip", "folder")}
CASES |= {"full_temporary_folder/zip": (full_temporary_folder, "zip")}
WORLDS = {"edit-": EditWorld, "from-": StoreWorld, "tog": RasterWorld, "header": RasterWorld, "tortilla-set": SetWorld}


def main():
    # A shell that runs this in the background has it ignored, which the tool would inherit and rightly keep to.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # what nohup ignores
    tool, faults, *patterns = sys.argv[1:]
    start(Path(tool).resolve(), Path(faults).resolve())

    def attempt(name, scratch):
        body, target = CASES[name]
        is_copy = target.removesuffix("-over") in COPIES
        make = CopyWorld if is_copy else next((world for prefix, world in WORLDS.items() if target.startswith(prefix)), World)
        return body(make(Path(tool).resolve(), scratch, target))
    return run_cases(CASES, patterns, attempt)


if __name__ == "__main__":
    sys.exit(main())
