#!/usr/bin/env python3
"""Writes the types of tacore._core, which has to be importable.   make_stub.py FILE

By nanobind's stubgen, for which an object that a function returns is an `object`, of which nothing is known to exist. It is
`Any` here: such functions return tuples, or one of several types.
"""

import sys
from pathlib import Path

from nanobind.stubgen import main

out = Path(sys.argv[1])
main(["--quiet", "--module", "tacore._core", "--output-file", str(out)])
text = out.read_text("utf-8").replace(") -> object: ...", ") -> Any: ...")
if "import Any" not in text and ", Any" not in text:
    text = f"from typing import Any\n{text}"
out.write_text(text, "utf-8")
