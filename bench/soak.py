#!/usr/bin/env python3
"""Do memory and descriptors stay as they are over a million random reads, and is each read right?

    soak.py BUILD FOLDER [--reads N] [--threads N] [--minutes N] [--where local|remote...]     Markdown on stdout

Needs pyarrow and nginx. 2,000 files of random bytes lie in FOLDER as a ZIP, a FOLDER and a TACOCAT of four ZIPs, on the disk or
behind nginx on the loopback. Each read is of any of them, of one sample by position or, each tenth, of eight at once, and is
compared by its CRC-32; each thousandth opens its dataset anew. It ends after N reads or minutes. The first tenth opens more, so
that every thread has what the allocator keeps for it, and is not looked at. Exit code 1 when anything was wrong, or when the
mean of the last tenth of what follows is 2 % above that of its first, in memory or descriptors.
"""
import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from pathlib import Path

from create import ABOUT
from web_server import WebServer

FILES, PARTS, SIZE = 2000, 4, 16384
LIMIT = 1.02


def make(build, folder):
    """(path of each container below `folder`) and the CRC-32 of each sample, by id."""
    names = ["soak.tacozip", "soak", "parts/.tacocat"]
    source = folder / "source"
    if not all((folder / name).exists() for name in names):
        for old in (source, folder / "soak", folder / "parts"):
            shutil.rmtree(old, ignore_errors=True)
        (folder / "parts").mkdir(parents=True)
        numbers = random.Random(1)
        for k in range(FILES):
            path = source / str(k % PARTS) / f"sample_{k:05}.bin"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(numbers.randbytes(numbers.randint(1, SIZE)))
        taco = build / "bin" / "taco"
        everything = source / "all"
        everything.mkdir()
        for path in source.glob("?/*"):
            os.link(path, everything / path.name)
        for name in names[:2]:
            subprocess.run([taco, "create", everything, folder / name, *ABOUT, "--quiet", "--overwrite"], check=True)
        parts = [folder / "parts" / f"part{k}.tacozip" for k in range(PARTS)]
        for k, part in enumerate(parts):
            subprocess.run([taco, "create", source / str(k), part, *ABOUT, "--quiet"], check=True)
        subprocess.run([taco, "index", *parts, "--quiet"], check=True)
    return names, {path.name: zlib.crc32(path.read_bytes()) for path in source.glob("?/*")}


class Dataset:
    def __init__(self, path, crcs):
        import tacore
        self.path = path
        self.rows = tacore.load(path).data
        ids = self.rows.to_arrow()["id"].to_pylist()
        assert len(ids) == FILES, f"{path}: {len(ids)} rows"
        self.crcs = [crcs[name] if name in crcs else crcs[f"{name}.bin"] for name in ids]

    def is_right(self, positions):
        read = [self.rows.read_bytes(positions[0])] if len(positions) == 1 else self.rows.read_bytes(positions)
        return [zlib.crc32(each) for each in read] == [self.crcs[position] for position in positions]


class Soak:
    def __init__(self, paths, crcs, args):
        self.datasets = [Dataset(path, crcs) for path in paths]
        self.crcs, self.args = crcs, args
        self.counts, self.wrong, self.errors = [0] * args.threads, [], []
        self.is_stopped = self.is_warm = False

    def read_some(self, thread):
        numbers, share = random.Random(thread), self.args.reads // self.args.threads
        try:
            while self.counts[thread] < share and not self.is_stopped:
                chosen = numbers.choice(self.datasets)
                if numbers.random() < (0.001 if self.is_warm else 0.02):
                    chosen = Dataset(chosen.path, self.crcs)
                positions = [numbers.randrange(FILES) for _ in range(8 if numbers.random() < 0.1 else 1)]
                if not chosen.is_right(positions):
                    self.wrong.append((chosen.path, positions))
                self.counts[thread] += len(positions)
        except Exception as error:
            self.errors.append(error)
            self.is_stopped = True

    def run(self):
        """(reads, seconds, samples of memory in MB, of open descriptors)"""
        threads = [threading.Thread(target=self.read_some, args=(k,)) for k in range(self.args.threads)]
        began, memory, descriptors = time.monotonic(), [], []
        for thread in threads:
            thread.start()
        marks = 0
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.02)
            self.is_stopped |= time.monotonic() - began > 60 * self.args.minutes
            done = max(sum(self.counts) / self.args.reads, (time.monotonic() - began) / 60 / self.args.minutes)
            self.is_warm = done >= 0.1
            if self.is_warm and done >= (marks + 1) / 1000:
                marks = int(1000 * done)
                memory.append(resident_mb())
                descriptors.append(len(os.listdir("/proc/self/fd")))
        if self.errors:
            raise self.errors[0]
        return sum(self.counts), time.monotonic() - began, memory, descriptors


def resident_mb():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


def tenths(values):
    """Mean of the first tenth, and of the last."""
    count = max(1, len(values) // 10)
    return statistics.mean(values[:count]), statistics.mean(values[-count:])


def soak(where, paths, crcs, args):
    """Prints a row; whether all is well."""
    run = Soak(paths, crcs, args)
    reads, seconds, memory, descriptors = run.run()
    memory_before, memory_after = tenths(memory)
    open_before, open_after = tenths(descriptors)
    growth = memory_after / memory_before
    print(f"| {where} | {args.threads} | {reads:,} | {reads / seconds:,.0f} | {memory_before:.1f} MB | {memory_after:.1f} MB | "
          f"{100 * (growth - 1):+.2f} % | {open_before:.1f} | {open_after:.1f} | {len(run.wrong)} |", flush=True)
    parts = [memory[k * len(memory) // 10:(k + 1) * len(memory) // 10] for k in range(10)]
    print(f"{where}, MB by tenths:", *(f"{statistics.mean(part):.1f}" for part in parts if part), file=sys.stderr)
    for path, positions in run.wrong[:10]:
        print(f"wrong bytes: {path}, rows {positions}", file=sys.stderr)
    return not run.wrong and growth < LIMIT and open_after < LIMIT * open_before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("folder")
    parser.add_argument("--reads", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--where", nargs="+", choices=["local", "remote"], default=["local", "remote"])
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)  # each in a process of its own
    args = parser.parse_args()
    build, folder = Path(args.build).resolve(), Path(args.folder).resolve()
    names, crcs = make(build, folder)
    if args.child:
        sys.path.insert(0, str(build / "python"))
        sys.exit(not soak(args.child[0], [args.child[1] + name for name in names], crcs, args))
    print(f"{os.cpu_count()} cores; load {os.getloadavg()[0]:.2f} at the start\n")
    print("| where | threads | reads | reads/s | memory, first tenth | last tenth | growth | descriptors, first | last | wrong |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    failed = []
    options = ["--reads", str(args.reads), "--threads", str(args.threads), "--minutes", str(args.minutes)]
    with tempfile.TemporaryDirectory() as home, WebServer(folder, home) as server:
        for where in args.where:
            base = f"{folder}/" if where == "local" else f"http://127.0.0.1:{server.port}/"
            child = [sys.executable, __file__, str(build), str(folder), *options, "--child", where, base]
            if subprocess.run(child).returncode != 0:
                failed.append(where)
    sys.exit(f"not flat, or not right: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
