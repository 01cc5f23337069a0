#!/usr/bin/env python3
"""Runs the cells of docs/tutorial.ipynb and writes their output into it. Needs nbclient, ipykernel and
matplotlib.

The test `python.docs` runs the cells too, and looks at what is written.
"""

import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
notebook = ROOT / "docs" / "tutorial.ipynb"

with tempfile.TemporaryDirectory() as folder:
    (Path(folder) / "examples").symlink_to(ROOT / "examples")
    made = nbformat.read(notebook, as_version=4)
    NotebookClient(made, resources={"metadata": {"path": folder}}, record_timing=False).execute()
    for cell in made.cells:
        if cell.cell_type == "code":  # progress bars tell how fast this machine is
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
    text = nbformat.writes(made)
# Where it ran is nobody's business.
for place in (folder, str(ROOT)):
    text = text.replace(f"{place}/", "")
notebook.write_text(text + "\n", "utf-8")
