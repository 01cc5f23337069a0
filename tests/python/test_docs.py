"""Every Python block of the README and of docs/ runs, one document after its own beginning; the tutorial does too."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?:^<!-- needs (\w+) -->\n)?^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WITH_BLOCKS = [document for document in DOCUMENTS if BLOCK.search(document.read_text("utf-8"))]
NOTEBOOKS = sorted((ROOT / "docs").glob("*.ipynb"))


def blocks(text: str) -> list[str]:
    """The blocks whose packages are installed, each at its own line, so that a traceback names the line."""
    found = []
    for match in BLOCK.finditer(text):
        needed, code = match.groups()
        if needed is None or find_spec(needed) is not None:
            found.append("\n" * text.count("\n", 0, match.start(2)) + code)
    return found


def cells(notebook: Path) -> list[str]:
    found = json.loads(notebook.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]


def run(name: Path, code: list[str], folder: Path) -> None:
    """Runs code in its own process and folder, where `examples` is that of the clone."""
    (folder / "examples").symlink_to(ROOT / "examples")
    steps = [f"exec(compile({block!r}, {str(name)!r}, 'exec'), names)" for block in code]
    script = "\n".join(["names = {'__name__': '__main__'}", *steps])
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_documents_have_blocks_to_run() -> None:
    assert {"README.md", "python.md"} <= {document.name for document in WITH_BLOCKS}
    assert NOTEBOOKS


@pytest.mark.parametrize("document", WITH_BLOCKS, ids=lambda path: path.name)
def test_the_blocks_of_a_document_run(document: Path, tmp_path: Path) -> None:
    run(document, blocks(document.read_text("utf-8")), tmp_path)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_the_cells_of_a_notebook_run(notebook: Path, tmp_path: Path) -> None:
    run(notebook, cells(notebook), tmp_path)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_has_output_and_no_machine_paths(notebook: Path) -> None:
    text = notebook.read_text("utf-8")
    found = json.loads(text)
    assert found["nbformat"] == 4
    assert any(cell.get("outputs") for cell in found["cells"])
    assert not any(output["output_type"] == "error" for cell in found["cells"] for output in cell.get("outputs", []))
    assert not re.search(r"/(home|tmp|root|Users)/", text)


def test_a_failing_block_is_reported_with_its_line(tmp_path: Path) -> None:
    text = "# A\n\n```python\na = 1\n```\n\n```python\nassert a == 2\n```\n<!-- needs no_such_package -->\n```python\n1 / 0\n```\n"
    assert len(blocks(text)) == 2
    with pytest.raises(AssertionError, match='x.md", line 8'):
        run(Path("x.md"), blocks(text), tmp_path)
