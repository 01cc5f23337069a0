#!/usr/bin/env python3
"""Proves that `taco create` uses ZIP64 exactly when it is needed, at each boundary.

    check.py TOOL

Samples of 4 GiB are holes in files, which stay holes in the archive. What is written is read by Python's zipfile, by the
fields of its records, by unzip and zipinfo where they are installed, and by `taco validate`. Exit code 77 where the
temporary folder has no sparse files.
"""
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

ABOUT = ["--id", "big", "--description", "D", "--license", "MIT", "--provider", "P", "--task", "other"]
LIMIT = 2**32 - 1  # this number itself is a sign: see ZIP64
HEADER = 157       # TACO_HEADER, where the first entry begins
FIRST = 30 + len("DATA/a")


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.returncode} {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def sparse(path, size):
    with open(path, "wb") as out:
        out.truncate(size)


def crcs_of_zeros(counts):
    """CRC-32 of so many zeros, each counted."""
    out, crc, done, block = {}, 0, 0, bytes(1 << 24)
    for count in sorted(counts):
        while done < count:
            step = min(len(block), count - done)
            crc = zlib.crc32(block if step == len(block) else block[:step], crc)
            done += step
        out[count] = crc
    return out


def at(path, offset, size):
    with open(path, "rb") as file:
        file.seek(offset)
        return file.read(size)


def extra_fields(extra):
    out = {}
    while extra:
        tag, size = struct.unpack_from("<HH", extra)
        out[tag] = extra[4:4 + size]
        extra = extra[4 + size:]
    return out


def check_entry(archive, info):
    """Its local and central record, field by field."""
    wide = info.file_size >= LIMIT
    local = at(archive, info.header_offset, 30 + len(info.filename) + 20)
    signature, version, flags, method, _, _, crc, packed, size, name, extra = struct.unpack_from("<4sHHHHHIIIHH", local)
    assert (signature, flags, method) == (b"PK\3\4", 0, 0), info
    assert version == (45 if wide else 10), (info, version)
    assert crc == info.CRC
    assert packed == size == (LIMIT if wide else info.file_size), (info, packed, size)
    assert extra == (20 if wide else 0), (info, extra)
    if wide:
        field = struct.unpack_from("<HHQQ", local, 30 + name)
        assert field == (1, 16, info.file_size, info.file_size), (info, field)
    far = info.header_offset >= LIMIT
    assert info.extract_version == (45 if wide or far else 10), (info, info.extract_version)


def check_directory_end(archive, num_entries):
    """The ZIP64 records exist exactly when a number or an entry needs them."""
    size = archive.stat().st_size
    signature, _, _, here, all_, length, offset, comment = struct.unpack("<4sHHHHIIH", at(archive, size - 22, 22))
    assert (signature, comment) == (b"PK\5\6", 0)
    locator = at(archive, size - 42, 20)
    has_zip64 = locator.startswith(b"PK\6\7")
    assert here == all_ == min(num_entries, 0xFFFF), (here, all_)
    if has_zip64:
        _, _, end, disks = struct.unpack("<4sIQI", locator)
        fields = struct.unpack("<4sQHHIIQQQQ", at(archive, end, 56))
        assert disks == 1 and fields[0] == b"PK\6\6" and fields[1] == 44, fields
        assert fields[6] == fields[7] == num_entries, fields
        directory, length64 = fields[9], fields[8]
        assert directory + length64 == end, fields
        assert offset == min(directory, LIMIT) and length == min(length64, LIMIT), (offset, length)
    else:
        directory = offset
        assert offset + length == size - 22
    return has_zip64, directory


def check(tool, archive):
    run(tool, "validate", archive)
    with zipfile.ZipFile(archive) as file:
        infos = file.infolist()
        for info in infos:
            check_entry(archive, info)
        small = [info.filename for info in infos if info.file_size < 1 << 20]
        for name in small:
            file.read(name)  # zipfile compares the CRC
    has_zip64, directory = check_directory_end(archive, len(infos))
    wide = any(info.extract_version == 45 for info in infos)
    assert has_zip64 == (wide or directory >= LIMIT or len(infos) > 0xFFFF), (has_zip64, wide, directory, len(infos))
    # unzip 6.0 takes what follows a size of exactly 2^32 - 1 for that of the next entry (docs/format.md).
    if shutil.which("unzip") and all(info.file_size != LIMIT for info in infos):
        said = run("unzip", "-tq", archive, *(small if len(small) < 100 else []))
        assert "No errors detected" in said, said
        names = run("unzip", "-Z1", archive).splitlines()
        assert names == [info.filename for info in infos]
    return infos


def sizes(tool, scratch, *counts):
    """Samples around 4 GiB, the first of 4 GiB, small ones behind each."""
    source = scratch / "source"
    source.mkdir()
    for k, count in enumerate(counts):
        sparse(source / f"{k}_big", count)
        (source / f"{k}_small").write_text(f"after {count}")
    with open(source / "0_big", "r+b") as first:  # data after a hole, and before one
        first.seek(1 << 31)
        first.write(b"island")
    archive = scratch / "sizes.tacozip"
    run(tool, "create", source, archive, "--split-size", "none", *ABOUT)
    assert archive.stat().st_blocks * 512 < 100 << 20, "holes were written"
    infos = {info.filename: info for info in check(tool, archive)}
    crcs = crcs_of_zeros(counts)
    for k, count in enumerate(counts):
        assert infos[f"DATA/{k}_big"].file_size == count
        if k > 0:
            assert infos[f"DATA/{k}_big"].CRC == crcs[count], count
        assert run(tool, "read", archive, f"{k}_small") == f"after {count}"
    island = HEADER + 30 + len("DATA/0_big") + 20 + (1 << 31)
    assert at(archive, island - 3, 12) == b"\0\0\0island\0\0\0"


def offsets(tool, scratch, offset):
    """The second entry begins at `offset`."""
    source = scratch / "source"
    source.mkdir()
    sparse(source / "a", offset - HEADER - FIRST)
    (source / "b").write_text("behind")
    archive = scratch / "offsets.tacozip"
    run(tool, "create", source, archive, "--split-size", "none", *ABOUT)
    infos = {info.filename: info for info in check(tool, archive)}
    assert infos["DATA/b"].header_offset == offset
    assert infos["DATA/b"].extract_version == (45 if offset >= LIMIT else 10)
    assert run(tool, "read", archive, "b") == "behind"


def entries(tool, scratch, count):
    """That many entries, three of which are no samples."""
    (scratch / "one").write_text("x")
    with open(scratch / "table.csv", "w") as out:
        out.write("id,path\n")
        out.writelines(f"s{k},one\n" for k in range(count - 3))
    archive = scratch / "entries.tacozip"
    run(tool, "create", scratch / "table.csv", archive, "--split-size", "none", *ABOUT)
    assert len(check(tool, archive)) == count
    run(tool, "validate", archive, "--deep")
    assert run(tool, "read", archive, f"s{count - 4}") == "x"


def main():
    tool = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="tacore-zip64-") as root:
        probe = Path(root) / "probe"
        sparse(probe, 1 << 30)
        if probe.stat().st_blocks * 512 > 1 << 20:
            print("skipped: no sparse files here")
            return 77
        cases = [("exactly 4 GiB - 1", sizes, (1 << 32, LIMIT)), ("sizes", sizes, (1 << 32, LIMIT - 1, LIMIT + 2))]
        cases += [(f"offset {offset}", offsets, (offset,)) for offset in (LIMIT - 1, LIMIT, LIMIT + 1)]
        cases += [(f"{count} entries", entries, (count,)) for count in (65_534, 65_535, 65_536)]
        for name, body, arguments in cases:
            scratch = Path(root) / name
            scratch.mkdir()
            body(tool, scratch, *arguments)
            print(f"{name}: passed", flush=True)
            shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
