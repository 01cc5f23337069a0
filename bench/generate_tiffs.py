#!/usr/bin/env python3
"""Makes rasters as TACO datasets for training hold them: 13 bands of 256 x 256 pixels, uint16, ZSTD, predictor 2.

    generate_tiffs.py FOLDER [COUNT]     2,000 by default, 2.4 GB; the same pixels each time

Needs numpy and rasterio. A band has one tile: then INTERLEAVE=BAND of any GDAL and TILE of GDAL 3.11 lay out the same.
A band is a smooth field with noise, so that a sample takes 1.2 MB of its 1.7.
"""
import sys
from pathlib import Path

import numpy
import rasterio
from rasterio.transform import from_origin

BANDS, SIZE = 13, 256
KINDS = 32  # of noise; each sample shifts one of them


def main():
    folder, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    folder.mkdir(parents=True, exist_ok=True)
    random = numpy.random.default_rng(1)
    noise = random.normal(0, 100, (KINDS, BANDS, SIZE, SIZE))
    y, x = numpy.mgrid[0:SIZE, 0:SIZE] / SIZE
    for number in range(count):
        path = folder / f"sample_{number:05}.tif"
        if path.exists():
            continue
        waves = random.uniform(1, 5, (BANDS, 2, 1, 1))
        smooth = 3000 + 1000 * numpy.sin(waves[:, 0] * x + waves[:, 1] * y)
        pixels = smooth + numpy.roll(noise[number % KINDS], number, axis=(1, 2))
        part = path.with_suffix(".part")
        with rasterio.open(part, "w", driver="GTiff", width=SIZE, height=SIZE, count=BANDS, dtype="uint16",
                           crs="EPSG:32719", transform=from_origin(500000 + 2560 * number, 8000000, 10, 10), tiled=True,
                           blockxsize=256, blockysize=256, interleave="band", compress="zstd", zstd_level=9,
                           predictor=2) as out:
            out.write(pixels.round().astype("uint16"))
        part.rename(path)


main()
