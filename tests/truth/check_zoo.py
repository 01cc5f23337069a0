#!/usr/bin/env python3
"""Counts the false alarms of `taco validate --assets --pixels` over clean datasets of many kinds: there must be none.

    check_zoo.py TOOL [FOLDER [zoo.py's options...]]    FOLDER: of a zoo that is there, or that stays there

zoo.py makes the datasets and knows nothing of the tool. No clean dataset has an error. A warning is accepted only where the
zoo says that it is fair, such as splits that share places by design. Exit code 77 without the packages that zoo.py needs.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy  # noqa: F401
    import pyarrow  # noqa: F401
    import pyproj  # noqa: F401
    import rasterio  # noqa: F401
    import shapely  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples" / "data"


def main():
    tool, *given = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(given[0]) if given else Path(scratch) / "zoo"
        if not (folder / "zoo.json").exists():
            command = [sys.executable, "-B", HERE / "zoo.py", folder, "--examples", EXAMPLES, *given[1:]]
            subprocess.run(command, check=True, capture_output=True)
        entries = json.loads((folder / "zoo.json").read_text())
        assert len(entries) >= 50, f"the zoo has {len(entries)} datasets only"
        alarms, num_fair = [], 0
        for entry in entries:
            path = folder / entry["path"]
            path = path / ".tacocat" if (path / ".tacocat").is_dir() else path
            done = subprocess.run([tool, "validate", "--assets", "--pixels", "--json", path], capture_output=True, text=True, check=False)
            assert done.returncode in (0, 1), (entry["path"], done.stderr)
            for issue in json.loads(done.stdout):
                is_ours = issue["rule"].startswith("AST-")
                is_fair = issue["severity"] == "warning" and entry["fair"]
                num_fair += is_ours and bool(is_fair)
                if is_ours and not is_fair or not is_ours and issue["severity"] == "error":
                    alarms.append(f"{entry['path']} ({entry['why']}): {issue['severity']} {issue['rule']} {issue['message']}")
        print(f"{len(entries)} datasets, {num_fair} fair warnings, {len(alarms)} false alarms")
        print("\n".join(alarms))
        return 1 if alarms else 0


if __name__ == "__main__":
    sys.exit(main())
