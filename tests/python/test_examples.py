"""examples/python: each prints what examples/expected/python says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ARGUMENTS = {"create": "made.tacozip", "navigate": "landsat_nested.tacozip", "train": "landsat_nested.tacozip"}


def run(script: Path, folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Runs an example in a folder with links to the data, where it may write."""
    for file in (EXAMPLES / "data").glob("*.tacozip"):
        (folder / file.name).symlink_to(file)
    return subprocess.run([sys.executable, script, *args], cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("name", sorted(file.stem for file in (EXAMPLES / "python").glob("*.py")))
def test_an_example_prints_the_expected_output(name: str, tmp_path: Path) -> None:
    if name == "train":
        pytest.importorskip("numpy")
    done = run(EXAMPLES / "python" / f"{name}.py", tmp_path, ARGUMENTS[name])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (EXAMPLES / "expected" / "python" / f"{name}.txt").read_text()


def test_an_example_without_arguments_prints_its_usage(tmp_path: Path) -> None:
    done = run(EXAMPLES / "python" / "navigate.py", tmp_path)
    assert done.returncode == 1 and done.stderr == "usage: navigate.py PATH\n"
