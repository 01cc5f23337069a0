#!/usr/bin/env python3
"""Disturbs each call of `taco sign`: the dataset is the old one or the new one, and the files beside it are right or absent.

    signing.py TOOL FAULTS     FAULTS is the library made of faults.cpp

After each failure there is an error that says why, and nothing else; signing again makes everything, which is verified.
"""
import errno
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from disturbed import each, quiet_run, run, run_cases, start

TOOL, FAULTS = sys.argv[1:3]
GOLDEN = Path(__file__).resolve().parents[1] / "golden"
SIDE = (".merkle", ".proof", ".proof.minisig")
DISTURBANCES = ("kill", f"fail {errno.ENOSPC}", f"fail {errno.EIO}", f"signal {signal.SIGINT.value}")


def content(path):
    if path.is_file():
        return path.read_bytes()
    return [(one, one.read_bytes()) for one in sorted(path.rglob("*")) if one.is_file() and one.suffix != ".part"]


class World:
    """A dataset that is signed in a folder of its own, and what an undisturbed run makes of it."""

    def __init__(self, name, scratch):
        self.source, self.scratch, self.key = GOLDEN / name, scratch, scratch / "key"
        quiet_run([TOOL, "keygen", str(self.key), "--no-password"])
        first = self.fresh("undisturbed")
        self.old = self.relative(first)
        done = self.sign(first)
        assert done.code == 0, done.errors
        self.calls, self.new = done.calls, self.relative(first)
        self.side = {suffix: self.beside(first, suffix).read_bytes() for suffix in SIDE}
        assert [name for name, _ in self.calls].count("rename") == 4, self.calls

    def fresh(self, name):
        out = self.scratch / name
        out.mkdir()
        copy = shutil.copytree if self.source.is_dir() else shutil.copyfile
        copy(self.source, out / self.source.name)
        return out

    def relative(self, out):
        found = content(out / self.source.name)
        return found if isinstance(found, bytes) else [(path.relative_to(out), data) for path, data in found]

    def beside(self, out, suffix):
        return out / (self.source.name + suffix)

    def sign(self, out, do="", at=0):
        command = [TOOL, "sign", out / self.source.name, "--key", self.key, "--jobs", "1", "--overwrite", "--quiet"]
        return run(command, out, out.with_suffix(".log"), do, at)

    def is_complete(self, out, is_killed):
        dataset = self.relative(out)
        assert dataset in (self.old, self.new), "the dataset is neither old nor new"
        there = [suffix for suffix in SIDE if self.beside(out, suffix).exists()]
        assert all(self.beside(out, suffix).read_bytes() == self.side[suffix] for suffix in there), "a file beside it is not whole"
        assert dataset == self.new or not there, "a signature of what is not there"
        left = {path.name for path in out.iterdir()} - {self.source.name, *(self.source.name + suffix for suffix in SIDE)}
        assert is_killed or not left, left
        return dataset == self.new and len(there) == len(SIDE)


def sign(name, scratch):
    world = World(name, scratch)

    def at(n):
        for do in DISTURBANCES:
            out = world.fresh(f"out{n}_{do.replace(' ', '_')}")
            done = world.sign(out, do, n)
            is_complete = world.is_complete(out, do == "kill")
            assert done.code != 0 or is_complete, (do, world.calls[n - 1])
            if done.code != 0 and do.startswith("fail"):
                assert done.code == 1 and os.strerror(int(do.split()[1])) in done.errors, (do, world.calls[n - 1], done.errors)
            again = world.sign(out)
            assert again.code == 0 and world.is_complete(out, False), (do, world.calls[n - 1], again.errors)
            verified = subprocess.run([TOOL, "verify", out / world.source.name, "--key", f"{world.key}.pub"], capture_output=True)
            assert verified.returncode == 0, verified.stderr
            shutil.rmtree(out)
    return len(DISTURBANCES) * each(len(world.calls), at)


start(TOOL, FAULTS)
sys.exit(run_cases(["nested.tacozip", "nested"], [], sign))
