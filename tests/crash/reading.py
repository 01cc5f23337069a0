#!/usr/bin/env python3
"""Proves that what reads a dataset does it whole, or says what it could not read: never fewer rows, bytes or facts.

    reading.py TOOL FAULTS [CASE...]     FAULTS is the library made of faults.cpp; CASE is a name or a pattern, `query/*`

A case is COMMAND/CONTAINER. The command is run once undisturbed, then once for each of its calls on files, to look at,
open or read them or to write to standard output, with that call failing: it must end with an error that names the file
and the reason. Then all of them are interrupted or move less than they were asked for, which nobody may notice.
"""
import errno
import os
import sys
from pathlib import Path

from datasets import datasets_of
from disturbed import each, run, run_cases, start

DISK = [errno.EIO]
REASONS = {"open": [errno.EIO, errno.EACCES, errno.EMFILE], "open_folder": [errno.EIO, errno.EACCES],
           "stat": [errno.EIO, errno.EACCES], "write": [errno.EIO, errno.ENOSPC]}
EVERY = ["zip", "folder", "taco", "tortilla", "split", "streaming", "headed", "index", "around", "index-file", "collect"]
V2 = ["zip", "folder", "index", "index-file", "collect"]


class World:
    """A dataset, and a file that standard output goes to, both watched."""

    def __init__(self, tool, scratch, container):
        self.tool, self.scratch = tool, scratch
        datasets = datasets_of(tool)
        self.dataset, self.watched = datasets.paths[container], datasets.folder
        self.out = self.watched / "out"
        self.out.mkdir(exist_ok=True)
        self.sample, self.raster = (None, None) if container == "flat" else (datasets.sample(container), datasets.raster(container))

    def run(self, arguments, name, do="", at=0):
        return run([self.tool, *arguments], self.watched, self.scratch / f"{name}.log", do, at, looks=True,
                   stdout=self.out / name, folder=self.watched)


COMMANDS = {
    "info": (lambda w: ["info", w.dataset], EVERY),
    "sources": (lambda w: ["info", w.dataset, "--sources"], ["index", "collect"]),
    "ls": (lambda w: ["ls", w.dataset, w.sample], EVERY),
    "query": (lambda w: ["query", w.dataset, "SELECT * FROM data", "-f", "csv"], EVERY),
    "join": (lambda w: ["query", w.dataset, "SELECT a.id, b.id FROM data a, level1 b ORDER BY ALL", "--bbox=-80,-80,80,80", "-f", "json"], V2),
    "read": (lambda w: ["read", w.dataset, w.raster], EVERY),
    "npy": (lambda w: ["read", w.dataset, w.raster, "--npy"], EVERY),
    "vsi": (lambda w: ["read", w.dataset, w.raster, "--vsi"], V2),
    "preview": (lambda w: ["preview", w.dataset, w.raster], ["zip", "headed"]),
    "validate": (lambda w: ["validate", w.dataset], EVERY),
    "deep": (lambda w: ["validate", w.dataset, "--deep"], EVERY),
    "stats": (lambda w: ["stats", w.dataset], ["flat"]),
    "compute": (lambda w: ["stats", w.dataset, "--compute", "--child", Path(w.raster).name, "--jobs", "1"], EVERY),
    "diff": (lambda w: ["diff", w.dataset, w.dataset, "--jobs", "1"], ["zip", "folder", "streaming", "collect"]),
}
COMMANDS |= {form: (lambda w, form=form: ["describe", w.dataset, "--as", form], ["zip", "folder", "around", "collect", "taco"])
             for form in ("stac", "croissant", "datacite", "card", "markdown", "html")}
CASES = {f"{command}/{container}": command for command, (_, containers) in COMMANDS.items() for container in containers}


def read(world, command):
    arguments = COMMANDS[command][0](world)
    whole = world.run(arguments, "whole")
    assert whole.code == 0, (arguments, whole.code, whole.errors)
    assert {name for name, _ in whole.calls} >= {"open", "pread", "stat"}, whole.calls

    def at(n):
        reasons = REASONS.get(whole.calls[n - 1][0], DISK)
        number = reasons[n % len(reasons)]
        done = world.run(arguments, str(n), f"fail {number}", n)
        # Threads of a query come in any order, and may come to an end with fewer calls.
        call = done.calls[n - 1] if n <= len(done.calls) else None
        if call is None or is_idle(call, world):
            assert same(done, whole), (call, done.code, done.errors)
            return
        said = done.errors + (done.output.decode(errors="replace") if arguments[0] == "validate" else "")
        assert done.code != 0, f"{call} was not missed{'' if same(done, whole) else ', and the output is another'}"
        assert done.code == (2 if command == "diff" else 1) and os.strerror(number) in said, (call, done.code, said)
        assert any(name in said for name in names_of(call[1], world, arguments[0])), (call, said)
    count = each(len(whole.calls), at)
    hindered = world.run(arguments, "short", "short")
    assert same(hindered, whole), ("short", hindered.code, hindered.errors)
    return count + 1


def is_idle(call, world):
    """A call whose failure loses nothing: on the folder of relative paths, or on standard output's target."""
    name, path = call
    return name == "cwd" or name == "stat" and path.startswith(str(world.out))


def names_of(path, world, command):
    """What errors call a file: `validate` names those of a dataset as its tables do."""
    if path.startswith(str(world.out)):
        return ["standard output"]
    path = path.rstrip("/")
    return [path, os.path.relpath(path, world.dataset)] if command == "validate" else [path]


def same(a, b):
    return (a.code, a.output, a.errors) == (b.code, b.output, b.errors)


def main():
    tool, faults, *patterns = sys.argv[1:]
    start(Path(tool).resolve(), Path(faults).resolve())

    def attempt(name, scratch):
        command, container = name.split("/")
        return read(World(Path(tool).resolve(), scratch, container), command)
    return run_cases(CASES, patterns, attempt)


if __name__ == "__main__":
    sys.exit(main())
