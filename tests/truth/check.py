#!/usr/bin/env python3
"""Plants the nine faults of a published dataset, and has them found and repaired: `taco validate --assets`, `taco repair`.

    check.py TOOL [SCALE [SEED]]

bench/truth_shapes.py plants them, and knows nothing of the tool. What is held:

    clean/    no finding at all
    faulty/   each fault is found, by its rule, in its level and columns; direct contradictions as errors
    repaired  the bytes of kept/, in which a person has not agreed to faults 8 and 9; with --accept all the tables of clean/
    undone    the bytes of faulty/

Exit code 77 without the packages that the generator needs.
"""
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

try:
    import numpy  # noqa: F401
    import pyarrow  # noqa: F401
    import pyproj  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

GENERATOR = Path(__file__).resolve().parents[2] / "bench" / "truth_shapes.py"
# Of each fault: the rules, and whether a file contradicts the metadata.
RULES = {1: ["AST-20", "AST-5", "AST-6"], 2: ["AST-20"], 3: ["AST-21"], 4: ["AST-3"], 5: ["AST-26"], 6: ["AST-20", "AST-3", "AST-5"],
         7: ["AST-26"], 8: ["AST-24"], 9: ["AST-25"]}
ERRORS = {1, 4, 6}


def run(*command, codes=(0,)):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode in codes, f"{command}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def findings(tool, path):
    return [each for each in json.loads(run(tool, "validate", "--assets", "--json", path, codes=(0, 1))) if each["rule"].startswith("AST-")]


def check_found(tool, path, faults):
    found = findings(tool, path)
    for fault in faults:
        for rule in RULES[fault["fault"]]:
            here = [each for each in found if each["rule"] == rule and each["level"] == fault["level"]]
            assert here, f"fault {fault['fault']} of {path}: no {rule} at level {fault['level']}"
        told = " ".join(each["message"] for each in found if each["rule"] in RULES[fault["fault"]])
        if fault["fault"] in (1, 2, 6, 8):
            for column in fault["columns"]:
                changed = fault["changed"][column]
                assert changed == 0 or column in told, f"fault {fault['fault']} of {path}: {column} is not named"
        if fault["fault"] == 9:
            named = {each["message"].split(":", 1)[0] + ":" + each["message"].split(":", 2)[1] for each in found if each["rule"] == "AST-25"}
            for column in set(fault["columns"]):
                assert any(column in name for name in named), f"fault 9 of {path}: {column} is not named"
        if fault["fault"] in ERRORS:
            assert any(each["severity"] == "error" for each in found)


def metadata(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name.startswith("METADATA/") or name.endswith("__meta__")}


def check_repaired(tool, folder, name, scratch):
    copy, plan = scratch / f"{name}.tacozip", scratch / f"{name}.json"
    for accepted, twin in (((), "kept"), (("--accept", "all"), "clean")):
        shutil.copy(folder / "faulty" / f"{name}.tacozip", copy)
        run(tool, "repair", copy, "-o", plan, "--overwrite")
        run(tool, "repair", copy, "--apply", plan, *accepted)
        if accepted:
            assert metadata(copy) == metadata(folder / twin / f"{name}.tacozip"), f"{name}: the tables are not those of the clean twin"
        else:
            assert copy.read_bytes() == (folder / twin / f"{name}.tacozip").read_bytes(), f"{name}: not the bytes of the twin"
        assert not [each for each in findings(tool, copy) if each["severity"] == "error"]
        run(tool, "repair", copy, "--undo", plan, *accepted)
        assert copy.read_bytes() == (folder / "faulty" / f"{name}.tacozip").read_bytes(), f"{name}: not what it was"


def main():
    tool, scale, seed = (*sys.argv[1:4], *("0.002", "7")[len(sys.argv) - 2:])[:3]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "set"
        run(sys.executable, "-B", GENERATOR, folder, "--scale", scale, "--seed", seed, "--kept")
        truth = json.loads((folder / "truth.json").read_text())
        assert {fault["fault"] for fault in truth["faults"]} == set(range(1, 10))
        for name in truth["datasets"]:
            assert findings(tool, folder / "clean" / f"{name}.tacozip") == [], f"{name}: a false alarm"
            check_found(tool, folder / "faulty" / f"{name}.tacozip", [fault for fault in truth["faults"] if fault["dataset"] == name])
            check_repaired(tool, folder, name, Path(scratch))
            print(f"{name}: found, repaired and undone", flush=True)


if __name__ == "__main__":
    main()
