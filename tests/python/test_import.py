"""What `import tacore` loads, and how."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

OTHERS = [
    "numpy", "pyarrow", "polars", "pandas", "geopandas", "torch", "xarray", "dask", "rasterio", "pyproj", "pydantic",
    "IPython", "matplotlib", "folium", "fsspec", "tqdm",
]  # fmt: skip


def run(code: str, **environment: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_importing_loads_neither_the_library_nor_other_packages() -> None:
    loaded = set(run("import sys, tacore; print(*sys.modules)").split())
    assert not loaded & {"tacore._core", "tacore._dataset", *OTHERS}


def test_a_dataset_needs_no_other_package(golden: Path) -> None:
    code = f"import sys, tacore; len(tacore.load({str(golden / 'flat.tacozip')!r}).data); print(*sys.modules)"
    loaded = set(run(code).split())
    assert "tacore._core" in loaded
    assert not loaded & set(OTHERS)


@pytest.mark.parametrize("first", ["from tacore import load", "import tacore._core", "from tacore import _core",
                                   "import tacore.raster", "from tacore import *"])  # fmt: skip
def test_any_submodule_may_be_imported_first(first: str, golden: Path) -> None:
    assert run(f"{first}\nimport tacore\nprint(len(tacore.load({str(golden / 'flat.tacozip')!r}).data))") == "5\n"


def test_loading_the_library_keeps_the_dlopen_flags() -> None:
    code = "import sys, tacore; before = sys.getdlopenflags(); tacore.load; print(before == sys.getdlopenflags())"
    assert run(code) == "True\n"


def test_many_threads_load_the_library_once(golden: Path) -> None:
    code = (
        "import threading, tacore\n"
        "found = []\n"
        f"def use(): found.append(len(tacore.load({str(golden / 'flat.tacozip')!r}).data))\n"
        "threads = [threading.Thread(target=use) for _ in range(16)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "print(found == [5] * 16)"
    )
    assert run(code) == "True\n"


def test_an_unknown_name_is_an_attribute_error() -> None:
    import tacore

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tacore.nothing  # noqa: B018
    assert not hasattr(tacore, "__wrapped__")
