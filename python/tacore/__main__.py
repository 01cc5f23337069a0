"""The command `taco`: `taco ...` or `python -m tacore ...`.

`python -m tacore --c-library` prints the folder with `include/tacore.h` and `lib/libtacore_c.so.1`: what packages for other
languages, such as R, look for.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    """Becomes the program `taco` that lies in the package, with the arguments of this process."""
    if sys.argv[1:] == ["--c-library"]:
        print(Path(__file__).parent.absolute() / "c")
        sys.exit()
    tool = Path(__file__).parent / "bin" / "taco"
    if not tool.exists():
        sys.exit(f"taco: {tool} does not exist: this package was built without the program (CMake option TACORE_TOOL)")
    os.execv(tool, ["taco", *sys.argv[1:]])


if __name__ == "__main__":
    main()
