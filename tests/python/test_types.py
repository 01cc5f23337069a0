"""The types of the package, by mypy --strict: of its own files, and of the examples as their users would check them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tacore

pytest.importorskip("mypy")
ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(tacore.__file__).parent
EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))


def mypy(*args: str | Path, cache: Path) -> str:
    """The messages of mypy about files or packages; empty without errors."""
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml", "--cache-dir", cache]
    done = subprocess.run([*command, *args], cwd=PACKAGE.parents[0], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.fixture(scope="module")
def cache() -> Path:
    """Kept in the build tree: a second run is ten times faster."""
    return PACKAGE.parents[1] / "mypy_cache"


@pytest.mark.skipif(not (PACKAGE / "_core.pyi").exists(), reason="the stub of _core is not built")
def test_the_package_is_typed(cache: Path) -> None:
    assert mypy("-p", "tacore", cache=cache) == ""


@pytest.mark.skipif(not (PACKAGE / "_core.pyi").exists(), reason="the stub of _core is not built")
def test_the_examples_are_typed(cache: Path) -> None:
    assert EXAMPLES
    assert mypy(*EXAMPLES, cache=cache) == ""


def test_a_wrong_type_is_found(cache: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text('import tacore\n\nrows: int = tacore.load("x").data\ntacore.load("x").sql(5)\n')
    complaints = mypy(wrong, cache=cache)
    assert "wrong.py:3" in complaints and "wrong.py:4" in complaints


def test_the_package_has_a_py_typed_marker() -> None:
    assert (PACKAGE / "py.typed").exists()
    stub = PACKAGE / "_core.pyi"
    if stub.exists():
        core = {line.split("(")[0] for line in stub.read_text().splitlines()}
        assert "def load" in core and "class Dataset:" in core
