"""The repaired wheel, installed alone in a fresh environment: what it says of itself, what it holds, and its neighbours.

    check.py WHEEL PACKAGES OTHERS    folders of packages: pinned ones, and other versions of some
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import statistics
import subprocess
import sys
import zipfile
from pathlib import Path

import tacore

WHEEL, PACKAGES, OTHERS = (Path(arg) for arg in sys.argv[1:])
ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
INSTALLED = Path(tacore.__file__).parent
sys.path.insert(0, str(ROOT / "python"))
from make_private import DT_NEEDED, DT_RPATH, DT_RUNPATH, Library  # noqa: E402

# What every Linux with a glibc has, whatever its version.
SYSTEM = re.compile(rb"(libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|ld-linux[\w-]*)\.so\.\d+")


def check_metadata() -> None:
    about = importlib.metadata.metadata("tacore")
    version = (ROOT / "VERSION").read_text().strip()
    assert about["Name"] == "tacore" and about["Version"] == version == tacore.__version__
    assert about["Requires-Python"] == ">=3.11"
    assert about.get_all("Requires-Dist") == ["nanobind-backend<2,>=1.0"], about.get_all("Requires-Dist")
    assert about["License-Expression"] == "MIT"
    tag = re.fullmatch(r"tacore-[\d.]+-cp311-abi3-manylinux_2_(\d+)_(x86_64|aarch64)\.whl", WHEEL.name)
    assert tag, f"{WHEEL.name} is not for the stable ABI of CPython 3.11"
    assert int(tag[1]) <= 34, f"{WHEEL.name}: the glibc that it claims is newer than 2.34"


def check_files() -> None:
    with zipfile.ZipFile(WHEEL) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names} <= {"tacore", "tacore.libs", f"tacore-{tacore.__version__}.dist-info"}
    in_sources = {file.relative_to(ROOT / "python").as_posix() for file in (ROOT / "python/tacore").rglob("*.py")}
    missing = (in_sources | {"tacore/py.typed", "tacore/_core.pyi", "tacore/_version.py"}) - set(names)
    assert not missing, f"not in the wheel: {sorted(missing)}"
    assert {f"tacore/c/{name}" for name in ("include/tacore.h", "lib/libtacore_c.so", "lib/libtacore_c.so.1")} <= set(names)
    for part in ("arrow", "duckdb", "nanobind", "libdeflate0", "libzstd1", "nlohmann-json3-dev", "libcli11-dev"):
        assert any(name.startswith(f"tacore/lib/licenses/{part}-LICENSE") for name in names), f"no licence of {part}"
    assert not any(word in name.lower() for name in names for word in ("gdal", "libproj", "/test", "include/tacore/", ".cmake"))
    assert WHEEL.stat().st_size < 60e6, "the wheel has grown beyond 60 MB"


def check_libraries() -> None:
    link = INSTALLED / "c" / "lib" / "libtacore_c.so"  # a text for the linker
    found = [INSTALLED / "bin" / "taco", *(path for path in INSTALLED.rglob("*.so*") if path != link), *INSTALLED.with_name("tacore.libs").rglob("*.so*")]
    libraries = [Library(path) for path in found]
    own = {library.soname() for library in libraries}
    assert {b"tc_arrow", b"tc_parquet", b"tc_duckdb", b"tc_tacore"} <= {name.split(b".")[0] for name in own}
    for library in libraries:
        assert not library.unique_symbols(), f"{library.path}: {len(library.unique_symbols())} unique symbols"
        for need in map(library.text, library.libraries(DT_NEEDED)):
            assert need in own or SYSTEM.fullmatch(need), f"{library.path} needs {need.decode()}"
        for path in map(library.text, library.libraries(DT_RPATH, DT_RUNPATH)):
            assert all(part.startswith(b"$ORIGIN") for part in path.split(b":")), f"{library.path}: {path.decode()}"
        # Private of tacore, or of auditwheel with a hash in its name; or the C interface, of which one serves a process.
        name = library.soname()
        assert not name or name.startswith(b"tc_") or name == b"libtacore_c.so.1" or re.search(rb"-[0-9a-f]{8}\.so", name), name
    for file in [*(INSTALLED / "lib").glob("tc_tacore*"), *(INSTALLED / "c/lib").iterdir(), *INSTALLED.glob("_core*.so")]:
        assert str(ROOT).encode() not in file.read_bytes(), f"{file} names the place of the build"


def check_alone() -> None:
    """tacore works with no other package installed."""
    dataset = tacore.load(GOLDEN / "nested.tacozip")
    rows = dataset.sql("SELECT * FROM data LIMIT 2").data
    children = rows.read(0)
    assert len(rows) == 2 and isinstance(children, tacore.TacoDataFrame)
    assert isinstance(children.read_bytes(0), bytes)
    try:
        rows.to_arrow()
        raise AssertionError("there is a pyarrow")
    except tacore.TacoBackendError as error:
        assert "pip install pyarrow" in str(error)


def check_tool() -> None:
    """`taco` on the path and `python -m tacore` are the program, which works alone, and says what it lacks."""
    taco = Path(sys.executable).with_name("taco")
    for command in ([taco], [sys.executable, "-m", "tacore"]):
        done = subprocess.run([*command, "--version"], capture_output=True, text=True)
        assert done.stdout == f"taco {tacore.__version__}\n" and not done.stderr, done
    listed = subprocess.run([taco, "query", GOLDEN / "nested.tacozip", "SELECT id FROM data", "-f", "csv"], capture_output=True)
    assert listed.returncode == 0 and len(listed.stdout.splitlines()) > 1, listed
    assert subprocess.run([taco, "info", "none.tacozip"], capture_output=True).returncode == 1
    no_gdal = subprocess.run([taco, "info", "/vsioss/bucket/a.tacozip"], capture_output=True, text=True)
    assert "GDAL" in no_gdal.stderr and "Debian package" in no_gdal.stderr, no_gdal


def check_c_library() -> None:
    """The C interface in the wheel works beside other versions of Arrow and DuckDB, and can be linked."""
    done = subprocess.run([sys.executable, "-m", "tacore", "--c-library"], capture_output=True, text=True, check=True)
    folder = Path(done.stdout.strip())
    assert folder == INSTALLED / "c" and not done.stderr, done
    for folders in ((PACKAGES,), (OTHERS, PACKAGES)):
        script = [sys.executable, "-B", str(ROOT / "tests" / "capi" / "beside_others.py"), str(folder)]
        subprocess.run(script, env=environment(*folders), check=True, timeout=600)


def environment(*folders: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders)), "PYTHONDONTWRITEBYTECODE": "1"}


def check_neighbours() -> None:
    script = [sys.executable, "-X", "faulthandler", str(Path(__file__).with_name("clash.py"))]
    everything = ("pyarrow", "duckdb", "rasterio", "polars", "torch")
    for folders, packages in (((PACKAGES,), everything), ((OTHERS, PACKAGES), ("pyarrow", "duckdb"))):
        env = environment(*folders)
        for package in packages:
            if subprocess.run([sys.executable, "-c", f"import {package}"], env=env, capture_output=True).returncode:
                assert package == "torch", f"{package} cannot be imported"
                continue
            for place in ("first", "last"):
                subprocess.run([*script, package, place, str(GOLDEN)], env=env, check=True, timeout=300)


def print_import_time() -> None:
    """The best of many, each in a process of its own, of the processor's time, which the load of the machine changes less;
    byte code is there, as after an installation."""
    env = {**environment(), "PYTHONDONTWRITEBYTECODE": ""}
    for what, statement in (("import tacore", "import tacore"), ("with the first use", "import tacore; tacore.load")):
        code = f"import time; start = time.process_time(); {statement}; print(time.process_time() - start)"
        times = [float(subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True).stdout)
                 for _ in range(15)]  # fmt: skip
        print(f"{what}: {1000 * min(times):.1f} ms, median {1000 * statistics.median(times):.1f} ms")


def main() -> None:
    for check in (check_metadata, check_files, check_libraries, check_alone, check_tool, check_c_library, check_neighbours):
        check()
        print(f"{check.__name__[6:]}: passed")
    print_import_time()
    print(f"{WHEEL.name}: {WHEEL.stat().st_size / 1e6:.0f} MB, needs {importlib.metadata.requires('tacore')}")


main()
