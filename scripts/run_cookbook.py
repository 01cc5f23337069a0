#!/usr/bin/env python3
"""Runs the blocks of docs/cookbook.md as the test `python.docs` does, and puts the pictures that they save into
docs/pictures. Needs the packages of tests/python/requirements.txt.
"""

import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))
from test_docs import run, steps

page = ROOT / "docs" / "cookbook.md"
found, left_out = steps(page.read_text("utf-8"))
with tempfile.TemporaryDirectory() as folder:
    run(page, found, Path(folder))
    for picture in sorted(Path(folder).glob("*.png")):
        shutil.copy(picture, ROOT / "docs" / "pictures" / picture.name)
print("".join(f"{number} blocks need {package}\n" for package, number in left_out.items()), end="")
