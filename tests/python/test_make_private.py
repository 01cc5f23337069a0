"""python/make_private.py: two copies of a library in one process keep apart."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import make_private  # noqa: E402

sys.path.pop(0)  # tests that start other processes hand their path on: the package there is not built

# A registry as C++ libraries have them: a static variable of an inline function.
REGISTRY = """
template <class T> struct Registry { static int& count() { static int n = 0; return n; } };
extern "C" int add_to_registry() { return ++Registry<int>::count(); }
"""
USER = 'extern "C" int add_to_registry(); extern "C" int add() { return add_to_registry(); }'
# Loads both as Python loads modules, and counts: [1, 2] where the registry is one.
COUNT = "import ctypes, sys; print([ctypes.CDLL(path).add() for path in sys.argv[1:]])"

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")


def compile_library(source: str, out: Path, *options: str) -> None:
    command = ["g++", "-shared", "-fPIC", "-x", "c++", "-", "-x", "none", "-o", str(out), *options]
    subprocess.run(command, input=source, text=True, check=True)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`module.so`, and `lib/` with the library that it needs."""
    package = tmp_path_factory.mktemp("compiled") / "package"
    (package / "lib").mkdir(parents=True)
    compile_library(REGISTRY, package / "lib" / "libregistry.so.1.2", "-Wl,-soname,libregistry.so.1")
    (package / "lib" / "libregistry.so.1").symlink_to("libregistry.so.1.2")
    compile_library(USER, package / "module.so", "-Wl,-rpath,$ORIGIN/lib", str(package / "lib" / "libregistry.so.1"))
    return package


@pytest.fixture
def packages(compiled: Path, tmp_path: Path) -> list[Path]:
    """Two packages, each with its copy of one library."""
    return [Path(shutil.copytree(compiled, tmp_path / name, symlinks=True)) for name in ("one", "two")]


def counts(packages: list[Path]) -> list[int]:
    command = [sys.executable, "-c", COUNT, *(str(package / "module.so") for package in packages)]
    answer: list[int] = eval(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return answer


def run(package: Path) -> None:
    script = ROOT / "python" / "make_private.py"
    subprocess.run([sys.executable, script, package / "lib", package / "module.so"], check=True)


def test_copies_of_one_name_are_one_library_until_they_are_private(packages: list[Path]) -> None:
    assert counts(packages) == [1, 2]
    run(packages[0])
    assert counts(packages) == [1, 1]
    assert [file.name for file in (packages[0] / "lib").iterdir()] == ["tc_registry.so.1"]


def test_unique_symbols_join_libraries_of_different_names_until_they_are_weak(packages: list[Path]) -> None:
    names = {b"libregistry.so.1": b"tc_registry.so.1"}
    for file in (packages[0] / "module.so", packages[0] / "lib" / "libregistry.so.1.2"):
        library = make_private.Library(file)
        library.rename_libraries(names)
        file.write_bytes(library.bytes)
    (packages[0] / "lib" / "libregistry.so.1.2").rename(packages[0] / "lib" / "tc_registry.so.1")
    assert counts(packages) == [1, 2]
    library = make_private.Library(packages[0] / "lib" / "tc_registry.so.1")
    assert library.unique_symbols()
    library.weaken()
    library.path.write_bytes(library.bytes)
    assert counts(packages) == [1, 1]


def test_a_second_run_changes_nothing(packages: list[Path]) -> None:
    run(packages[0])
    before = {file: file.read_bytes() for file in packages[0].rglob("*.so*")}
    run(packages[0])
    assert {file: file.read_bytes() for file in packages[0].rglob("*.so*")} == before


def test_symbols_are_read_as_readelf_lists_them(packages: list[Path]) -> None:
    file = packages[0] / "lib" / "libregistry.so.1.2"
    library = make_private.Library(file)
    listed = subprocess.run(["readelf", "--dyn-syms", "-W", file], capture_output=True, text=True, check=True).stdout
    assert f"contains {library.symbol_count} entries" in listed
    unique = [line.split()[-1].encode() for line in listed.splitlines() if " UNIQUE " in line]
    found = [(at - 4 - library.symbols) // make_private.SYMBOL_SIZE for at in library.unique_symbols()]
    assert [library.text(library.symbol_names()[i]) for i in found] == unique


def test_a_version_is_lowered_only_for_symbols_that_are_known_to_be_the_same(tmp_path: Path) -> None:
    file = tmp_path / "libversions.so"
    compile_library('#include <cmath>\nextern "C" double f(double a) { return std::hypot(a, a) + std::fmod(a, 2); }', file)
    library = make_private.Library(file)
    if library.machine != make_private.X86_64 or b"GLIBC_2.35" not in library.bytes:
        pytest.skip("the C library of this system has no hypot of 2.35")
    library.lower_versions()
    needed = {library.text(need.name) for _, versions in library.versions_needed() for need in versions}
    assert b"GLIBC_2.35" not in needed
    file.write_bytes(library.bytes)
    call = f"import ctypes; f = ctypes.CDLL({str(file)!r}).f; f.restype = ctypes.c_double; f.argtypes = [ctypes.c_double]"
    assert subprocess.run([sys.executable, "-c", call + "; print(f(3.0))"], capture_output=True, text=True).stdout == (
        f"{(18.0**0.5) + 1.0}\n"
    )

    # The same version with a symbol that is not on the list stays.
    mine = {b"GLIBC_2.35": (b"GLIBC_2.2.5", {b"another"})}
    compile_library('#include <cmath>\nextern "C" double f(double a) { return std::hypot(a, a) + std::fmod(a, 2); }', file)
    library = make_private.Library(file)
    before = bytes(library.bytes)
    original = make_private.OLDER[make_private.X86_64]
    make_private.OLDER[make_private.X86_64] = mine
    try:
        library.lower_versions()
    finally:
        make_private.OLDER[make_private.X86_64] = original
    assert library.bytes == before


def test_a_name_that_ends_another_is_refused(packages: list[Path]) -> None:
    file = packages[0] / "lib" / "libregistry.so.1.2"
    library = make_private.Library(file)
    at = library.strings + library.tags[make_private.DT_SONAME]
    # The name of a symbol now points into the middle of the SONAME.
    struct.pack_into("<I", library.bytes, library.symbols + make_private.SYMBOL_SIZE * 1, at - library.strings + 3)
    with pytest.raises(ValueError, match="also a part of another name"):
        library.rename_libraries({b"libregistry.so.1": b"tc_registry.so.1"})


@pytest.mark.parametrize("size", [0, 5, 63, 200, 1000])
def test_a_truncated_library_is_refused(packages: list[Path], size: int) -> None:
    file = packages[0] / "lib" / "libregistry.so.1.2"
    os.truncate(file, size)
    with pytest.raises(ValueError, match="libregistry"):
        make_private.Library(file)
