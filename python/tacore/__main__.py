"""The command `taco`: `taco ...` or `python -m tacore ...`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    """Becomes the program `taco` that lies in the package, with the arguments of this process."""
    tool = Path(__file__).parent / "bin" / "taco"
    if not tool.exists():
        sys.exit(f"taco: {tool} does not exist: this package was built without the program (CMake option TACORE_TOOL)")
    os.execv(tool, ["taco", *sys.argv[1:]])


if __name__ == "__main__":
    main()
