#!/usr/bin/env python3
"""Measures `taco export` beside cp, and `taco convert` beside unzip and zip, and between versions beside cp.

    transform.py TACO FOLDER [CASE...]     Markdown on stdout; sources and results lie in FOLDER, about 8 GB

A case is big (2,000 samples of 1 MB) or small (100,000 of 1 kB). Sides and times are as in create.py.
"""
import shutil
import subprocess
import sys
from pathlib import Path

import create


def made(taco, folder, output):
    if not output.exists():
        subprocess.run([taco, "create", folder, output, *create.ABOUT, "--quiet"], check=True)
    return output


def main():
    taco, folder, *chosen = sys.argv[1:]
    taco, folder = Path(taco).resolve(), Path(folder).resolve()
    out = folder / "out"
    out.mkdir(parents=True, exist_ok=True)
    cases = {"big": ("2,000 samples of 1 MB", 2000, 1_000_000, 5), "small": ("100,000 samples of 1 kB", 100_000, 1000, 3)}
    for name in chosen or cases:
        title, count, size, rounds = cases[name]
        files = create.write_files(folder / name, count, size)
        zipped, plain = made(taco, files, folder / f"{name}.tacozip"), made(taco, files, folder / f"{name}_folder")
        create.compare(f"{title}, ZIP to ZIP", {
            "taco export": ([taco, "export", zipped, out / "export.tacozip"], out / "export.tacozip"),
            "taco export, half of it": ([taco, "export", zipped, out / "half.tacozip",
                                         "SELECT * FROM data WHERE id LIKE '%0' OR id LIKE '%2' OR id LIKE '%4' OR id LIKE "
                                         "'%6' OR id LIKE '%8'"], out / "half.tacozip"),
            "cp": (["cp", zipped, out / "copy.tacozip"], out / "copy.tacozip")}, rounds, count)
        create.compare(f"{title}, ZIP to FOLDER", {
            "taco convert": ([taco, "convert", zipped, out / "taco"], out / "taco"),
            "unzip": (["unzip", "-q", zipped, "-d", out / "unzip"], out / "unzip")}, rounds, count)
        create.compare(f"{title}, FOLDER to ZIP", {
            "taco convert": ([taco, "convert", plain, out / "taco.tacozip"], out / "taco.tacozip"),
            "zip -0": (["zip", "-0", "-q", "-r", out / "zip.zip", plain], out / "zip.zip")}, rounds, count)
        old = folder / f"{name}.tortilla"
        if not old.exists():
            subprocess.run([taco, "convert", zipped, old, "--quiet"], check=True)
        create.compare(f"{title}, Tortilla to ZIP", {
            "taco convert": ([taco, "convert", old, out / "new.tacozip"], out / "new.tacozip"),
            "cp": (["cp", old, out / "copy.tortilla"], out / "copy.tortilla")}, rounds, count)
        create.compare(f"{title}, ZIP to Tortilla", {
            "taco convert": ([taco, "convert", zipped, out / "old.tortilla"], out / "old.tortilla"),
            "cp": (["cp", zipped, out / "copy.tacozip"], out / "copy.tacozip")}, rounds, count)
        shutil.rmtree(out)
        out.mkdir()


if __name__ == "__main__":
    main()
