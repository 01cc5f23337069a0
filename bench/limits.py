#!/usr/bin/env python3
"""How long does an epoch take where the server limits requests, compared with what the limit needs? And an index of remote parts?

    limits.py TACO FOLDER [--samples 50000] [--quota 3000] [--window 5] [--parts 1000]

The server is one process on the loopback. It allows `quota` requests in each `window` seconds, counted from the first one, tells
of it as huggingface.co does (RateLimit, RateLimit-Policy, rounded up to seconds), and answers 429 beyond. Hugging Face has windows
of 300 seconds; a shorter one makes the rounding weigh more. The package is the one on PYTHONPATH.
"""
import argparse
import asyncio
import json
import math
import mmap
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

SIZE = 64  # pixels


class Limited(asyncio.Protocol):
    """A connection. `state` is shared by all."""

    def __init__(self, state):
        self.state, self.rest = state, b""

    def connection_made(self, transport):
        self.transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data):
        self.rest += data
        while (end := self.rest.find(b"\r\n\r\n")) >= 0:
            lines, self.rest = self.rest[:end].decode().split("\r\n"), self.rest[end + 4:]
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
            self.transport.write(self.state.answer(lines[0].split()[1], headers.get("range", "")))


class Server:
    def __init__(self, folder, quota, window, has_parts):
        self.folder, self.quota, self.window, self.has_parts = Path(folder), quota, window, has_parts
        self.files, self.end, self.left = {}, 0.0, 0
        self.num_good = self.num_refused = self.num_bytes = 0

    def file(self, path):
        if path not in self.files:
            try:
                with open(self.folder / path.lstrip("/"), "rb") as file:
                    self.files[path] = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
            except OSError:
                self.files[path] = None
        return self.files[path]

    def answer(self, path, wanted):
        now = time.monotonic()
        told = ""
        if self.quota:
            if now >= self.end:
                self.end, self.left = now + self.window, self.quota
            is_refused = self.left == 0
            self.left -= not is_refused
            told = (f'RateLimit: "resolvers";r={self.left};t={math.ceil(self.end - now)}\r\n'
                    f'RateLimit-Policy: "fixed window";"resolvers";q={self.quota};w={math.ceil(self.window)}\r\n')
            if is_refused:
                self.num_refused += 1
                return f"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n{told}\r\n".encode()
        self.num_good += 1
        data = self.file(path)
        if data is None:
            return f"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n{told}\r\n".encode()
        ranges = []
        for part in wanted.removeprefix("bytes=").split(","):
            first, _, last = part.partition("-")
            begin = int(first) if first else max(0, len(data) - int(last))
            ranges.append((begin, min(len(data), int(last) + 1) if first and last else len(data)))
        if len(ranges) > 1 and not self.has_parts:
            ranges = ranges[:1]
        told += f'ETag: "{len(data)}"\r\n'
        if len(ranges) == 1:
            begin, end = ranges[0]
            body = data[begin:end]
            told += f"Content-Range: bytes {begin}-{end - 1}/{len(data)}\r\n"
        else:
            body = b"".join(b"\r\n--X\r\nContent-Range: bytes %d-%d/%d\r\n\r\n" % (begin, end - 1, len(data)) + data[begin:end]
                            for begin, end in ranges) + b"\r\n--X--\r\n"
            told += "Content-Type: multipart/byteranges; boundary=X\r\n"
        self.num_bytes += len(body)
        return f"HTTP/1.1 206 Partial Content\r\nContent-Length: {len(body)}\r\n{told}\r\n".encode() + body

    def __enter__(self):
        self.loop, ready = asyncio.new_event_loop(), threading.Event()

        async def serve():
            self.server = await self.loop.create_server(lambda: Limited(self), "127.0.0.1", 0)
            self.port = self.server.sockets[0].getsockname()[1]
            ready.set()

        def run():
            self.loop.create_task(serve())
            self.loop.run_forever()

        threading.Thread(target=run, daemon=True).start()
        ready.wait()
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"


def tiff(number):
    tags = [(256, 3, 1, SIZE), (257, 3, 1, SIZE), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8 + 2 + 9 * 12 + 4),
            (277, 3, 1, 1), (278, 3, 1, SIZE), (279, 4, 1, SIZE * SIZE)]
    head = struct.pack("<2sHIH", b"II", 42, 8, len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags) + bytes(4)
    return head + b"".join(struct.pack("<I", number * 31 + i) for i in range(SIZE * SIZE // 4))


def create(taco, target, numbers, scratch):
    if target.exists():
        return
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    for number in numbers:
        (scratch / f"s{number:07d}.tif").write_bytes(tiff(number))
    about = ["--id", "limits", "--description", "Limits", "--license", "CC0-1.0", "--provider", "bench", "--task", "other"]
    subprocess.run([taco, "create", scratch, target, *about, "--quiet"], check=True)
    shutil.rmtree(scratch)


def epochs(options, name):
    """One line for each kind of epoch; each in a process of its own, as limits are those of a process."""
    program = ("import sys, time; begin = time.monotonic(); import tacore; from tacore.loader import Loader; "
               "seed = None if sys.argv[2] == 'none' else int(sys.argv[2]); "
               "print(sum(len(b.positions) for b in Loader(tacore.load(sys.argv[1]), batch_size=32, seed=seed)), "
               "time.monotonic() - begin)")
    print("| order, server | requests | refused | MB | seconds | needed by the limit | ratio |\n|---|---|---|---|---|---|---|")
    for seed, has_parts, quota in (("none", True, 0), ("1", True, 0), ("none", True, options.quota), ("1", True, options.quota),
                                   ("1", False, options.quota)):
        with Server(options.folder, quota, options.window, has_parts) as server:
            done = subprocess.run([sys.executable, "-c", program, server.url(name), seed], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            count, seconds = done.stdout.split()
            assert int(count) == options.samples
            needed = (server.num_good - 1) // quota * options.window if quota else 0
            kind = ("in order" if seed == "none" else "shuffled") + (", multipart" if has_parts else ", single ranges")
            ratio = f"{float(seconds) / needed:.2f}" if needed else ""
            print(f"| {kind}{'' if quota else ', no limit'} | {server.num_good:,} | {server.num_refused} | "
                  f"{server.num_bytes / 1e6:.0f} | {float(seconds):.1f} | {needed} | {ratio} |", flush=True)


def index(options, taco):
    parts = Path(options.folder) / "parts"
    parts.mkdir(exist_ok=True)
    for number in range(options.parts):
        create(taco, parts / f"part{number:04d}.tacozip", range(number * 4, number * 4 + 4), Path(options.folder) / "scratch")
    out = Path(options.folder) / "index"
    with Server(options.folder, 0, 0, True) as server:
        urls = [server.url(f"parts/part{number:04d}.tacozip") for number in range(options.parts)]
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        begin = time.monotonic()
        subprocess.run([taco, "index", *urls, "-o", out, "--quiet"], check=True)
        print(f"\nindex of {options.parts} remote parts: {server.num_good} requests, {time.monotonic() - begin:.1f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("taco")
    parser.add_argument("folder")
    parser.add_argument("--samples", type=int, default=50_000)
    parser.add_argument("--quota", type=int, default=3000)
    parser.add_argument("--window", type=float, default=5)
    parser.add_argument("--parts", type=int, default=1000)
    options = parser.parse_args()
    folder = Path(options.folder)
    folder.mkdir(exist_ok=True)
    name = f"limits_{options.samples}.tacozip"
    create(options.taco, folder / name, range(options.samples), folder / "scratch")
    with Server(folder, 0, 0, True) as server:
        done = subprocess.run([options.taco, "plan", server.url(name), "--epoch", "--batch-size", "32", "--seed", "1", "--json"],
                              check=True, capture_output=True, text=True)
        plan = json.loads(done.stdout)
        print("planned, shuffled, multipart:", {key: plan["opening"][key] + plan["epoch"][key] for key in ("requests", "bytes")})
    epochs(options, name)
    index(options, options.taco)


if __name__ == "__main__":
    main()
