"""What `import tacore` loads, and how."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

OTHERS = ["numpy", "pyarrow", "polars", "pandas", "torch", "xarray", "dask", "rasterio", "pyproj", "pydantic", "IPython"]


def run(code: str, **environment: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_importing_loads_neither_the_library_nor_packages_of_others() -> None:
    loaded = set(run("import sys, tacore; print(*sys.modules)").split())
    assert not loaded & {"tacore._core", "tacore._dataset", *OTHERS}


def test_a_dataset_needs_no_package_of_others(golden: Path) -> None:
    code = f"import sys, tacore; len(tacore.load({str(golden / 'flat.tacozip')!r}).data); print(*sys.modules)"
    loaded = set(run(code).split())
    assert "tacore._core" in loaded
    assert not loaded & set(OTHERS)


@pytest.mark.parametrize("first", ["from tacore import load", "import tacore._core", "from tacore import _core",
                                   "import tacore.raster", "from tacore import *"])  # fmt: skip
def test_the_first_import_may_be_any(first: str, golden: Path) -> None:
    assert run(f"{first}\nimport tacore\nprint(len(tacore.load({str(golden / 'flat.tacozip')!r}).data))") == "5\n"


def test_loading_the_library_keeps_how_others_are_loaded() -> None:
    code = "import sys, tacore; before = sys.getdlopenflags(); tacore.load; print(before == sys.getdlopenflags())"
    assert run(code) == "True\n"


def test_many_threads_load_it_once(golden: Path) -> None:
    code = (
        "import threading, tacore\n"
        "found = []\n"
        f"def use(): found.append(len(tacore.load({str(golden / 'flat.tacozip')!r}).data))\n"
        "threads = [threading.Thread(target=use) for _ in range(16)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "print(found == [5] * 16)"
    )
    assert run(code) == "True\n"


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    import tacore

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tacore.nothing  # noqa: B018
    assert not hasattr(tacore, "__wrapped__")
