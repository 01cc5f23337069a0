"""The blocks of the README and of docs/ run in order, each document in a folder of its own; the tutorial does, too.

They are the Python and console blocks of documents that have Python blocks. The output of commands is compared, and that of
a Python block with the block `text` after it, if there is one. A Python block after `<!-- needs torch -->` runs where that
package is installed; those that do not run are counted.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
import tacore

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from check_docs import commands

BLOCK = re.compile(
    r"(?:^<!-- needs (\w+) -->\n)?^```(python|console)\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WITH_BLOCKS = [document for document in DOCUMENTS if "\n```python\n" in document.read_text("utf-8")]
NOTEBOOKS = sorted((ROOT / "docs").glob("*.ipynb"))
TACO = Path(tacore.__file__).parent / "bin"

# Runs steps (line, code, output or None) of a document; code that begins with `$ ` are commands of one shell.
RUNNER = """
import contextlib, io, json, subprocess, sys

names = {"__name__": "__main__"}
for line, code, expected in json.loads(sys.argv[2]):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        if code.startswith("$ "):
            done = subprocess.run(["bash", "-ec", code[2:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            print(done.stdout, end="" if done.returncode == 0 else f"exit code {done.returncode}\\n")
        else:
            exec(compile("\\n" * line + code, sys.argv[1], "exec"), names)
    if expected is not None and printed.getvalue() != expected:
        sys.exit(f'"{sys.argv[1]}", line {line}: prints\\n{printed.getvalue()}and not\\n{expected}')
"""


def steps(text: str) -> tuple[list[tuple[int, str, str | None]], Counter[str]]:
    """The steps of a document, each with the number of the line before it, and the number of blocks that need a package
    which is not installed."""
    found: list[tuple[int, str, str | None]] = []
    left_out: Counter[str] = Counter()
    for match in BLOCK.finditer(text):
        needed, language, code, output = match.groups()
        line = text.count("\n", 0, match.start(3))
        if needed is not None and find_spec(needed) is None:
            left_out[needed] += 1
        elif language == "python":
            found.append((line, code, output))
        else:
            shell = commands(code)
            shown = "".join(f"{each}\n" for _, printed in shell for each in printed)
            found.append((line, "$ " + "\n".join(command for command, _ in shell), shown))
    return found, left_out


def cells(notebook: Path) -> list[str]:
    found = json.loads(notebook.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]


def run(name: Path, found: list[tuple[int, str, str | None]], folder: Path) -> None:
    """Runs steps in their own process and folder, where `examples` is that of the clone."""
    (folder / "examples").symlink_to(ROOT / "examples")
    script = [sys.executable, "-c", RUNNER, str(name), json.dumps(found)]
    environment = {**os.environ, "PATH": f"{TACO}:{os.environ['PATH']}", "MPLBACKEND": "Agg", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(script, cwd=folder, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr


def test_documents_have_blocks_to_run() -> None:
    assert {"README.md", "python.md", "cookbook.md"} <= {document.name for document in WITH_BLOCKS}
    assert NOTEBOOKS


@pytest.mark.parametrize("document", WITH_BLOCKS, ids=lambda path: path.name)
def test_the_blocks_of_a_document_run(document: Path, tmp_path: Path, subtests: pytest.Subtests) -> None:
    found, left_out = steps(document.read_text("utf-8"))
    run(document, found, tmp_path)
    for package, number in left_out.items():
        with subtests.test(package):
            pytest.skip(f"{number} blocks of {document.name} need {package}")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_the_cells_of_a_notebook_run(notebook: Path, tmp_path: Path) -> None:
    run(notebook, [(0, code, None) for code in cells(notebook)], tmp_path)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_has_output_and_no_machine_paths(notebook: Path) -> None:
    text = notebook.read_text("utf-8")
    found = json.loads(text)
    assert found["nbformat"] == 4
    assert any(cell.get("outputs") for cell in found["cells"])
    assert not any(output["output_type"] == "error" for cell in found["cells"] for output in cell.get("outputs", []))
    assert not re.search(r"/(home|tmp|root|Users)/", text)


FAILING = """# A

```python
print("a")
```

```text
a
```

```console
$ echo b \\
    c
b c
```
<!-- needs no_such_package -->
```python
1 / 0
```

"""


def test_a_failing_block_is_reported_with_its_line(tmp_path: Path) -> None:
    found, left_out = steps(FAILING + "```python\nassert 1 == 2\n```\n")
    assert len(found) == 3 and left_out == {"no_such_package": 1}
    with pytest.raises(AssertionError, match='x.md", line 22'):
        run(Path("x.md"), found, tmp_path)


@pytest.mark.parametrize("block", ["```python\nprint(1)\n```\n\n```text\n2\n```\n", "```console\n$ echo 1\n2\n```\n"])
def test_other_output_than_that_shown_is_reported(block: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r'x.md", line 21: prints\s+1\s+and not\s+2'):
        run(Path("x.md"), steps(FAILING + block)[0], tmp_path)
