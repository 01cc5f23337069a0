#!/usr/bin/env python3
"""Holds `taco sign` and `taco verify` against docs/format.md, as oracle.py beside this file reads it, and against minisign.

    check.py TOOL [ROUNDS [SEED] | --long]     --long: 400 rounds in place of 15, and another seed each time

Random datasets of tests/oracle/make.py in both containers: the root and the trees are those of the oracle, whatever the
container and the way of Parquet. Then one byte is changed, of the data, tables, collection, trees, statement or signature: it is
found, unless the oracle finds the same values in the file. A sample is verified over HTTP as here, with few bytes. Failures of
the disk leave all or nothing. Exit code 77 without pyarrow and shapely; what minisign verifies is left out without it.
"""

import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "oracle"), str(HERE.parent / "remote")]
try:
    import make
    import oracle
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
from server import Server

TOOL = sys.argv[1]
MINISIGN = shutil.which("minisign")
GAP = 64 << 10
SIDE = (".merkle", ".proof", ".proof.minisig")


def run(*arguments, code=0, **more):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, timeout=120, **more)
    assert code is None or done.returncode == code, (
        arguments,
        done.returncode,
        code,
        done.stdout[-2000:],
        done.stderr[-2000:],
    )
    return done


def sign(path, key, *more, **how):
    return run("sign", path, "--key", key, "--quiet", *more, **how)


def verify(path, *more, **how):
    return run("verify", path, *more, "--quiet", **how)


def minisign(*arguments, input=""):
    return subprocess.run(["minisign", *map(str, arguments)], input=input, capture_output=True, text=True, timeout=120)


def beside(path, suffix):
    return path.with_name(path.name + suffix)


class Counter:
    def __init__(self):
        self.signed = self.refused = self.found = self.harmless = 0


def one_dataset(rng, folder, key, count):
    """True when the dataset could be signed."""
    world = make.dataset(rng, odd=rng.random() < 0.2)
    how = make.options(rng)
    how.permuted = how.permuted and rng.random() < 0.2
    how_folder = make.Options(how.parquet, old=how.old, gap_ids=how.gap_ids, slashes=how.slashes)
    paths = [folder / "set.tacozip", folder / "set"]
    make.write_zip(world, paths[0], how, rng)
    make.write_folder(world, paths[1], how_folder)
    roots = set()
    for path in paths:
        before = content(path)
        done = sign(path, key, code=None)
        if done.returncode != 0:
            known = (
                "contradicts itself",
                "in order expected",
                "differ in case",
                "breaks",
                "is not unique",
                "internal:parent_id is not",
            )
            assert done.returncode == 1 and any(why in done.stderr for why in known), done
            assert content(path) == before and not any(beside(path, suffix).exists() for suffix in SIDE)
            count.refused += 1
            return False
        root, trees = oracle.proof(path)
        assert root == oracle.stated(path), "another root than that of the oracle"
        assert trees == beside(path, ".merkle").read_bytes(), "other trees than those of the oracle"
        assert json.loads(beside(path, ".proof").read_text()) == {
            "taco_proof": 1,
            "dataset": "random",
            "version": "1.0.0",
            "merkle_root": root,
        }
        verify(path, "--key", f"{key}.pub")
        if MINISIGN:
            done = minisign("-V", "-p", f"{key}.pub", "-m", beside(path, ".proof"))
            assert done.returncode == 0 and root in done.stdout, done
        again = {suffix: beside(path, suffix).read_bytes() for suffix in SIDE}
        sign(path, key, "--overwrite")
        assert again == {suffix: beside(path, suffix).read_bytes() for suffix in SIDE}, (
            "signed again, it is another signature"
        )
        roots.add((root, tuple(again.values())))
        count.signed += 1
    return len(roots) == 1


def content(path):
    if path.is_file():
        return path.read_bytes()
    return {one.relative_to(path): one.read_bytes() for one in sorted(path.rglob("*")) if one.is_file()}


def entry_at(path, at):
    """The name of the entry of a ZIP that has this byte in its data, or None; and that data."""
    with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
        for entry in archive.infolist():
            file.seek(entry.header_offset + 26)
            begin = entry.header_offset + 30 + sum(struct.unpack("<HH", file.read(4)))
            if begin <= at < begin + entry.file_size:
                return entry.filename, begin, entry.file_size
    return None, 0, 0


def rows_in(data):
    """The values of a table but for columns `internal:*`, of which what matters is compared by `taco verify`; None for what is no
    table."""
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        names = [name for name in file.schema_arrow.names if not name.startswith("internal:")]
        return oracle.metadata(file.read(names, use_threads=False))
    except (pa.ArrowException, OSError, ValueError):
        return None


def is_harmless(target, at, old, new):
    """Whether a change of this byte changes no value: ZIP records, which `taco validate` compares, the first of a signature's
    comments, which is not signed, and Parquet as it may also be written."""
    if target.suffix == ".minisig":
        return at < old.index(b"\n")
    name, data = target.name, (old, new)
    if target.suffix == ".tacozip":
        name, begin, size = entry_at(target, at)
        data = [whole[begin : begin + size] for whole in (old, new)]
    if name is None or name == "TACO_HEADER":
        return True  # the tables are found by name, then
    return name.endswith((".parquet", "__meta__")) and rows_in(data[0]) == rows_in(data[1]) is not None


def change_bytes(rng, path, key, count, times):
    """Changes a byte at a time, everywhere."""
    everything = [one for one in [path, *path.rglob("*")] if one.is_file()] if path.is_dir() else [path]
    for _ in range(times):
        target = rng.choice([*everything, *(beside(path, suffix) for suffix in SIDE)])
        data = bytearray(target.read_bytes())
        if not data:
            continue
        at = rng.randrange(len(data))
        data[at] ^= rng.randrange(1, 256)
        old = target.read_bytes()
        harmless = is_harmless(target, at, old, bytes(data))
        target.write_bytes(data)
        done = verify(path, "--key", f"{key}.pub", code=None)
        where = f"{target.name}, byte {at}: {old[at]} became {data[at]}"
        if done.returncode == 0:
            assert harmless, f"not found: {where}"
            count.harmless += 1
        else:
            assert done.returncode == 1 and done.stderr.startswith("taco: "), (where, done.stderr)
            count.found += 1
        target.write_bytes(old)
    verify(path, "--key", f"{key}.pub")


def check_random(rng, scratch, rounds, key):
    count = Counter()
    for number in range(rounds):
        folder = scratch / f"random{number}"
        folder.mkdir()
        if one_dataset(rng, folder, key, count):
            for path in (folder / "set.tacozip", folder / "set"):
                change_bytes(rng, path, key, count, 12)
        shutil.rmtree(folder)
    assert count.signed > rounds / 2 and count.found > count.harmless, vars(count)
    print(f"random: {vars(count)}")


def flat_dataset(folder, name, size, *more):
    files = folder / f"{name}-files"
    files.mkdir()
    for number in range(size):
        (files / f"s{number:06}").write_bytes(b"%d" % number)
    about = ["--id", name, "--description", "D", "--license", "MIT", "--provider", "P", "--task", "other", "--quiet"]
    run("create", files, folder / f"{name}.tacozip", *about, *more)
    shutil.rmtree(files)
    return folder / f"{name}.tacozip"


def check_audit_paths(scratch, key):
    """Bytes for one sample, here and over HTTP; a row more or less than a full tree."""
    for size in (1, 2, 15, 16, 17, 255, 256, 257, 4097):
        path = flat_dataset(scratch, f"flat{size}", size)
        sign(path, key)
        root, trees = oracle.proof(path)
        assert trees == beside(path, ".merkle").read_bytes()
        depth = 0
        while 16**depth < size:
            depth += 1
        small = sum(beside(path, suffix).stat().st_size for suffix in SIDE[1:])
        with Server(scratch) as server:
            for number in {0, size // 2, size - 1}:
                for place in (path, server.url(path.name)):
                    server.clear()
                    found = json.loads(
                        verify(place, "--key", f"{key}.pub", "--sample", f"s{number:06}", "--json").stdout
                    )
                    assert found["merkle_root"] == root and found["num_samples"] == 1, found
                    assert found["num_proof_bytes"] <= small + 256 + 512 * depth, (size, found)
                asked = [request for request in server.requests if path.name + "." in request.path]
                assert len(asked) <= 3 + depth, server.list()
                # Ranges near each other are read with what is between them, so that there are fewer requests.
                sent = sum(request.sent for request in asked)
                assert sent <= found["num_proof_bytes"] + GAP * depth and bool(asked) == (place != path), server.list()
            here, there = (json.loads(verify(place, "--json").stdout) for place in (path, server.url(path.name)))
            assert here == there and here["num_samples"] == size
    print("audit paths: right")


def check_samples(scratch, key):
    """A changed sample is found by itself, and others are not held against it."""
    path = flat_dataset(scratch, "many", 300, "--extensions", "sha256")
    sign(path, key)
    data = path.read_bytes()
    at = data.index(b"DATA/s000123") + len("DATA/s000123")
    path.write_bytes(data[:at] + b"9" + data[at + 1 :])
    verify(path, "--sample", "s000122", "--sample", "s000124", "--key", f"{key}.pub")
    done = verify(path, "--sample", "s000123", code=1)
    assert "'s000123': " in done.stderr, done.stderr
    done = verify(path, code=1)
    assert "'s000122'" not in done.stderr and "'s000123': " in done.stderr, done.stderr
    path.write_bytes(data)
    # An edit, which nobody signed.
    table = scratch / "new.csv"
    table.write_text("id,cloud\ns000007,0.5\n")
    run("edit", path, "--columns", table, "--quiet")
    done = verify(path, "--key", f"{key}.pub", code=1)
    assert (
        "'s000000': its data or metadata are not those that were signed" in done.stderr
        and "290 more samples" in done.stderr
    ), done.stderr
    sign(path, key, "--overwrite")
    verify(path, "--key", f"{key}.pub")
    run("edit", path, "--set", "title=Another", "--quiet")
    done = verify(path, code=1)
    assert "so that COLLECTION.json differs" in done.stderr, done.stderr
    done = verify(path, "--sample", "s000007", code=1)
    assert "COLLECTION.json or " in done.stderr, done.stderr
    print("samples: right")


def check_foreign_files(scratch, key):
    """Files of another dataset, missing ones, short ones, and the key of somebody else."""
    mine, other = flat_dataset(scratch, "mine", 40), flat_dataset(scratch, "other", 41)
    for path in (mine, other):
        sign(path, key)
    run("keygen", scratch / "else.key", "--no-password")
    done = verify(mine, "--key", scratch / "else.key.pub", code=1)
    assert "it is by the key" in done.stderr, done.stderr
    for suffix in SIDE:
        right, wrong = beside(mine, suffix).read_bytes(), beside(other, suffix).read_bytes()
        for data, what in (
            (wrong, "foreign"),
            (right[:-1], "short"),
            (right[:100], "shorter"),
            (b"", "empty"),
            (right + b"x", "long"),
            (None, "missing"),
        ):
            if data is None:
                beside(mine, suffix).unlink()
            else:
                beside(mine, suffix).write_bytes(data)
            for sample in ([], ["--sample", "s000003"]):
                if suffix == ".merkle" and what == "missing" and not sample:
                    verify(mine, "--key", f"{key}.pub")  # everything is read, and the trees follow from it
                    continue
                if suffix.endswith("minisig") and what == "short":
                    continue  # the end of the last line
                done = verify(mine, "--key", f"{key}.pub", *sample, code=1)
                assert mine.name + suffix in done.stderr, (suffix, what, sample, done.stderr)
        beside(mine, suffix).write_bytes(right)
        verify(mine, "--key", f"{key}.pub")
    # Without a key, the root of the collection is believed, but not by whoever has the key.
    for suffix in SIDE[1:]:
        beside(mine, suffix).unlink()
    verify(mine)
    print("foreign files: refused")


def check_keys(scratch):
    """Keys of minisign here, and of ours there; passwords."""
    path = flat_dataset(scratch, "keys", 3)
    run("keygen", scratch / "a.key", "--no-password")
    assert (scratch / "a.key").stat().st_mode & 0o777 == 0o600
    run("keygen", scratch / "a.key", "--no-password", code=1)
    password = scratch / "password"
    password.write_text("p\u00e4ss\nnot this\n")
    run("keygen", scratch / "b.key", "--password-file", password)
    assert "\u00e4" not in (scratch / "b.key").read_text()
    sign(path, scratch / "b.key", "--password-file", password)
    done = sign(path, scratch / "b.key", "--overwrite", code=1, env={**os.environ, "TACO_KEY_PASSWORD": "wrong"})
    assert "the password is wrong" in done.stderr and "wrong," in done.stderr
    sign(path, scratch / "b.key", "--overwrite", env={**os.environ, "TACO_KEY_PASSWORD": "p\u00e4ss"})
    done = sign(path, scratch / "b.key", "--overwrite", code=2, start_new_session=True)
    assert "no terminal" in done.stderr
    text = (scratch / "a.key").read_text()
    for bad in (
        "",
        "x",
        text.replace("R", "S", 1),
        text[:100],
        text[::-1],
        text.replace("\n", "\n\n"),
        text[:150] + ("A" if text[150] != "A" else "B") + text[151:],
    ):
        (scratch / "bad.key").write_text(bad)
        done = sign(path, scratch / "bad.key", "--overwrite", code=1)
        assert "bad.key: " in done.stderr and text.split()[-1][40:] not in done.stderr, done.stderr
    if MINISIGN:
        for name, password, more in (("c", "", ["-W"]), ("d", "secret", [])):
            done = minisign(
                "-G",
                "-f",
                *more,
                "-p",
                scratch / f"{name}.pub",
                "-s",
                scratch / f"{name}.key",
                input=f"{password}\n{password}\n",
            )
            assert done.returncode == 0, done
            sign(path, scratch / f"{name}.key", "--overwrite", env={**os.environ, "TACO_KEY_PASSWORD": password})
            assert minisign("-V", "-p", scratch / f"{name}.pub", "-m", beside(path, ".proof")).returncode == 0
            verify(path, "--key", scratch / f"{name}.pub")
            verify(path, "--key", (scratch / f"{name}.pub").read_text().splitlines()[1])
        for name, password in (("a", ""), ("b", "p\u00e4ss")):
            # A signature of minisign by our key, with another comment, and one of the file as it is.
            for more in ([], ["-l"]):
                done = minisign(
                    "-S", *more, "-s", scratch / f"{name}.key", "-m", beside(path, ".proof"), input=f"{password}\n"
                )
                assert done.returncode == 0, done
                verify(path, "--key", scratch / f"{name}.key.pub")
    else:
        print("SKIPPED: no minisign")
    print("keys: right")


def limited(size):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def check_disk(scratch, key):
    """No space for the trees, or for the dataset: nothing changes. Stopped: all or nothing."""
    folder = scratch / "disk"
    folder.mkdir()
    path = flat_dataset(folder, "full", 2000)
    before = path.read_bytes()
    for size in (100, 50_000, len(before) - 1):
        done = sign(path, key, code=1, preexec_fn=limited(size))
        assert "File too large" in done.stderr, done.stderr
        assert path.read_bytes() == before and sorted(folder.iterdir()) == [path], size
    for delay in (0.0, 0.01, 0.02, 0.04, 0.08):
        process = subprocess.Popen(
            [TOOL, "sign", path, "--key", key, "--quiet", "--overwrite"],
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        process.wait()
        left = {one.name for one in folder.iterdir()} - {path.name, *(path.name + suffix for suffix in SIDE)}
        assert not left, left
        assert path.read_bytes() == before or oracle.stated(path) == oracle.proof(path)[0]
        if process.returncode == 0:
            verify(path, "--key", f"{key}.pub")
    print("full disk, interruption: nothing is left")


def main():
    rounds, seed = 15, 1
    if sys.argv[2:] == ["--long"]:
        rounds, seed = 400, random.randrange(10**9)
        print(f"seed {seed}", flush=True)
    elif len(sys.argv) > 2:
        rounds, seed = int(sys.argv[2]), int((*sys.argv[3:], "1")[0])
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        key = scratch / "test.key"
        run("keygen", key, "--no-password")
        rounds and check_random(random.Random(seed), scratch, rounds, key)
        check_audit_paths(scratch, key)
        check_samples(scratch, key)
        check_foreign_files(scratch, key)
        check_keys(scratch)
        check_disk(scratch, key)


main()
