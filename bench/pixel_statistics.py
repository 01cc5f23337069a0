#!/usr/bin/env python3
"""How fast are exact statistics of pixels beside those of GDAL and of NumPy?

    bench/pixel_statistics.py [--taco FILE] [--samples N] [--work DIR]

Makes a dataset of 13 x 256 x 256 samples (uint16, then float32; ZSTD where rasterio has it, else deflate), and computes
minimum, maximum, mean, spread and p25, p50, p75, p95 of each band: with `taco stats --compute` (all samples together),
with rasterio and NumPy (sample by sample), and with gdalinfo -stats (no percentiles). Best of three, in turn.
Needs numpy and rasterio; gdalinfo is left out where it is not installed.
"""
import argparse
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy
import rasterio

ROOT = Path(__file__).resolve().parent.parent


def make(folder, count, dtype):
    folder.mkdir(parents=True)
    random = numpy.random.default_rng(1)
    for i in range(count):
        field = random.normal(2000 + i, 300, (13, 256, 256))
        pixels = numpy.clip(field, 0, 65535).astype(dtype)
        with rasterio.open(folder / f"s{i:05}.tif", "w", driver="GTiff", width=256, height=256, count=13, dtype=dtype,
                           tiled=True, blockxsize=256, blockysize=256, interleave="band", compress="zstd",
                           predictor=2 if dtype == "uint16" else 3) as out:
            out.write(pixels)


def with_numpy(files):
    for file in files:
        with rasterio.open(file) as raster:
            pixels = raster.read()
        for band in pixels:
            band.min(), band.max(), band.mean(dtype="f8"), band.std(dtype="f8")
            numpy.percentile(band, [25, 50, 75, 95])


def with_gdal(files):
    for file in files:
        subprocess.run(["gdalinfo", "-stats", "--config", "GDAL_PAM_ENABLED", "NO", str(file)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--taco", default=ROOT / "build/release/bin/taco")
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--work")
    given = parser.parse_args()
    for dtype in ("uint16", "float32"):
        with tempfile.TemporaryDirectory(dir=given.work) as work:
            folder, dataset = Path(work, "samples"), Path(work, "samples.tacozip")
            make(folder, given.samples, dtype)
            files = sorted(folder.iterdir())
            subprocess.run([given.taco, "create", folder, dataset, "--id", "bench", "--dataset-version", "1",
                            "--description", "bench", "--license", "CC0-1.0", "--provider", "bench", "--task",
                            "other"], check=True, stdout=subprocess.DEVNULL)
            ways = {f"taco stats --compute --jobs {jobs}":
                    lambda jobs=jobs: subprocess.run([given.taco, "stats", dataset, "--compute", "--jobs", str(jobs)],
                                                     check=True, stdout=subprocess.DEVNULL) for jobs in (1, 2)}
            ways["rasterio and numpy"] = lambda: with_numpy(files)
            if shutil.which("gdalinfo"):
                ways["gdalinfo -stats"] = lambda: with_gdal(files)
            best = dict.fromkeys(ways, float("inf"))
            for _ in range(3):
                for name, run in ways.items():
                    start = time.perf_counter()
                    run()
                    best[name] = min(best[name], time.perf_counter() - start)
            for name, seconds in best.items():
                print(f"{dtype:8} {name:30} {given.samples / seconds:8.1f} samples/s")


if __name__ == "__main__":
    main()
