#!/usr/bin/env python3
"""Gives the libraries of an installed package names and symbols of their own.

    make_private.py LIBRARIES MODULE...   a folder of shared libraries, and what is linked with them

Two things join copies of a library in one process, and a Python process has several of Arrow's and DuckDB's:
- the dynamic linker takes a loaded library of the same SONAME for the one that is needed, whatever its version;
- symbols of binding GNU_UNIQUE are one in a process, in all libraries: registries of one copy serve the other.
So SONAMEs, and all that names them, get the prefix `tc_` for `lib`, and GNU_UNIQUE becomes WEAK. Versions of glibc's and
libstdc++'s symbols for which an older one does the same are lowered on the way, which is what lets the wheel run on older
systems.

Every edit is made in place and has the length of what was there. ELF, 64 bits, little endian.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PREFIX, PRIVATE_PREFIX = b"lib", b"tc_"
PT_LOAD, PT_DYNAMIC = 1, 2
DT_NEEDED, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SONAME, DT_RPATH, DT_RUNPATH = 1, 5, 6, 10, 14, 15, 29
DT_GNU_HASH, DT_VERSYM, DT_VERDEF, DT_VERDEFNUM = 0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFD
DT_VERNEED, DT_VERNEEDNUM = 0x6FFFFFFE, 0x6FFFFFFF
SYMBOL_SIZE = 24
STB_WEAK, STB_GNU_UNIQUE = 2, 10
X86_64, AARCH64 = 62, 183

# Version -> (the older one, the only symbols of which that is known to do the same).
# hypot: 2.35 stopped to set errno. condition_variable::wait: 3.4.30 only became noexcept.
OLDER = {
    X86_64: {
        b"GLIBC_2.35": (b"GLIBC_2.2.5", {b"hypot"}),
        b"GLIBCXX_3.4.30": (b"GLIBCXX_3.4.11", {b"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE"}),
    },
    AARCH64: {
        b"GLIBC_2.35": (b"GLIBC_2.17", {b"hypot"}),
        b"GLIBCXX_3.4.30": (b"GLIBCXX_3.4.11", {b"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE"}),
    },
}


class Needed(NamedTuple):
    """One version of a library that is needed; `at` is the place of its record."""

    at: int
    hash: int
    index: int
    name: int


class Library:
    """A shared library in memory. Raises ValueError for what is none, or is damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bytes = bytearray(path.read_bytes())
        if self.bytes[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path}: no 64-bit little-endian ELF")
        self.machine = self.number("<H", 18)
        self.segments = list(self._segments())
        self.dynamic = list(self._dynamic())
        self.tags = dict(self.dynamic)
        if not {DT_STRTAB, DT_STRSZ, DT_SYMTAB, DT_GNU_HASH} <= self.tags.keys():
            raise ValueError(f"{path}: no strings, symbols or hashes")
        self.strings = self.offset(self.tags[DT_STRTAB])
        self.symbols = self.offset(self.tags[DT_SYMTAB])
        self.symbol_count = self._symbol_count()

    def number(self, form: str, at: int) -> int:
        try:
            return int(struct.unpack_from(form, self.bytes, at)[0])
        except struct.error:
            raise ValueError(f"{self.path}: byte {at} is beyond its end") from None

    def _segments(self) -> Iterator[tuple[int, int, int, int]]:
        """(type, file offset, address, size in the file)"""
        start, size, count = self.number("<Q", 32), self.number("<H", 54), self.number("<H", 56)
        for at in range(start, start + size * count, size):
            yield self.number("<I", at), self.number("<Q", at + 8), self.number("<Q", at + 16), self.number("<Q", at + 32)

    def _dynamic(self) -> Iterator[tuple[int, int]]:
        for kind, start, _, size in self.segments:
            if kind == PT_DYNAMIC:
                for at in range(start, start + size, 16):
                    tag = self.number("<Q", at)
                    if tag == 0:
                        return
                    yield tag, self.number("<Q", at + 8)

    def offset(self, address: int) -> int:
        for kind, start, first, size in self.segments:
            if kind == PT_LOAD and first <= address < first + size:
                return address - first + start
        raise ValueError(f"{self.path}: address {address:#x} is in no segment")

    def _symbol_count(self) -> int:
        """Only the hash table tells: one more than the last index of its longest-reaching chain."""
        at = self.offset(self.tags[DT_GNU_HASH])
        buckets, first, bloom = self.number("<I", at), self.number("<I", at + 4), self.number("<I", at + 8)
        bucket = at + 16 + 8 * bloom
        last = max((self.number("<I", bucket + 4 * i) for i in range(buckets)), default=0)
        if last < first:  # no symbol is defined: those before `first` are all
            return first
        chain = bucket + 4 * buckets
        while not self.number("<I", chain + 4 * (last - first)) & 1:
            last += 1
        return last + 1

    def text(self, name: int) -> bytes:
        if name >= self.tags[DT_STRSZ]:
            raise ValueError(f"{self.path}: name {name} is beyond the names")
        return bytes(self.bytes[self.strings + name : self.bytes.index(b"\0", self.strings + name)])

    def libraries(self, *tags: int) -> list[int]:
        return [value for tag, value in self.dynamic if tag in tags]

    def soname(self) -> bytes:
        return self.text(self.tags[DT_SONAME]) if DT_SONAME in self.tags else b""

    def versions_needed(self) -> Iterator[tuple[int, list[Needed]]]:
        """(name of the library, its versions)"""
        at = self.offset(self.tags[DT_VERNEED]) if DT_VERNEED in self.tags else 0
        for _ in range(self.tags.get(DT_VERNEEDNUM, 0)):
            record, versions = at + self.number("<I", at + 8), []
            for _ in range(self.number("<H", at + 2)):
                versions.append(Needed(record, self.number("<I", record), self.number("<H", record + 6),
                                       self.number("<I", record + 8)))  # fmt: skip
                record += self.number("<I", record + 12)
            yield self.number("<I", at + 4), versions
            at += self.number("<I", at + 12)

    def versions_defined(self) -> Iterator[int]:
        at = self.offset(self.tags[DT_VERDEF]) if DT_VERDEF in self.tags else 0
        for _ in range(self.tags.get(DT_VERDEFNUM, 0)):
            record = at + self.number("<I", at + 12)
            for _ in range(self.number("<H", at + 6)):
                yield self.number("<I", record)
                record += self.number("<I", record + 4)
            at += self.number("<I", at + 16)

    def symbol_names(self) -> list[int]:
        return [self.number("<I", self.symbols + SYMBOL_SIZE * i) for i in range(self.symbol_count)]

    def unique_symbols(self) -> list[int]:
        """Places of the byte that holds the binding."""
        places = (self.symbols + SYMBOL_SIZE * i + 4 for i in range(self.symbol_count))
        return [at for at in places if self.bytes[at] >> 4 == STB_GNU_UNIQUE]

    # Edits.

    def rename_libraries(self, names: dict[bytes, bytes]) -> None:
        """Linkers store a text that ends another one only once: nothing else may use what is renamed."""
        own = {*self.libraries(DT_NEEDED, DT_SONAME), *(file for file, _ in self.versions_needed())}
        others = {*self.symbol_names(), *self.libraries(DT_RPATH, DT_RUNPATH)}
        others |= {need.name for _, versions in self.versions_needed() for need in versions}
        defined = list(self.versions_defined())
        if defined and DT_SONAME in self.tags:
            own.add(defined[0])  # the first version has the name of the library
            defined.pop(0)
        others |= set(defined)
        for name in own:
            old = self.text(name)
            if old in names:
                shared = [other for other in (own | others) - {name} if name < other <= name + len(old)]
                if shared or name in others:
                    raise ValueError(f"{self.path}: {old.decode()} is also a part of another name")
                start = self.strings + name
                self.bytes[start : start + len(old)] = names[old]

    def weaken(self) -> None:
        for at in self.unique_symbols():
            self.bytes[at] = STB_WEAK << 4 | self.bytes[at] & 15

    def lower_versions(self) -> None:
        by_text = {self.text(n.name): n for _, versions in self.versions_needed() for n in versions}
        for version, (older, known) in OLDER.get(self.machine, {}).items():
            if version not in by_text or older not in by_text:
                continue
            need, target = by_text[version], by_text[older]
            if self._symbols_of(need.index) <= known:
                struct.pack_into("<I", self.bytes, need.at, target.hash)
                struct.pack_into("<I", self.bytes, need.at + 8, target.name)

    def _symbols_of(self, version: int) -> set[bytes]:
        table = self.offset(self.tags[DT_VERSYM])
        return {self.text(name) for i, name in enumerate(self.symbol_names())
                if self.number("<H", table + 2 * i) & 0x7FFF == version}  # fmt: skip


def private_name(soname: bytes) -> bytes:
    if not soname.startswith(PREFIX):
        raise ValueError(f"{soname.decode()}: the name of a library begins with {PREFIX.decode()}")
    return PRIVATE_PREFIX + soname[len(PREFIX) :]


def make_private(library: Library, names: dict[bytes, bytes]) -> None:
    """Edits the file, whole or not at all, and looks at the outcome."""
    library.rename_libraries(names)
    library.weaken()
    library.lower_versions()
    part = library.path.with_name(library.path.name + ".part")
    part.write_bytes(library.bytes)
    done = Library(part)
    left = {done.text(name) for name in done.libraries(DT_NEEDED, DT_SONAME)} & names.keys()
    if left or done.unique_symbols() or done.symbol_count != library.symbol_count:
        raise ValueError(f"{library.path}: {sorted(left)} and {len(done.unique_symbols())} unique symbols are left")
    part.chmod(library.path.stat().st_mode & 0o7777)
    os.replace(part, library.path)


def main() -> None:
    folder, modules = Path(sys.argv[1]), [Path(arg) for arg in sys.argv[2:]]
    for link in folder.iterdir():  # wheels hold none
        if link.is_symlink():
            link.unlink()
    found = [Library(path) for path in sorted(folder.iterdir()) if ".so" in path.name]
    found = [library for library in found if not library.soname().startswith(PRIVATE_PREFIX)]
    names = {library.soname(): private_name(library.soname()) for library in found}
    for library in [*found, *map(Library, modules)]:
        make_private(library, names)
    for library in found:
        os.replace(library.path, folder / library.soname().decode())


if __name__ == "__main__":
    main()
