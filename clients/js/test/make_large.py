#!/usr/bin/env python3
"""A dataset of many samples of one byte, with places, times, numbers and texts: for tests and measurements of large tables.

make_large.py ROWS OUTPUT.tacozip [seed]
"""

from __future__ import annotations

import sys

import numpy as np
import pyarrow as pa
import tacore
from tacore.datamodel import Taco, Tortilla

num_rows, output = int(sys.argv[1]), sys.argv[2]
random = np.random.default_rng(0)
wkb = np.zeros(num_rows, dtype=[("order", "u1"), ("type", "<u4"), ("x", "<f8"), ("y", "<f8")])
wkb["order"], wkb["type"] = 1, 1
wkb["x"], wkb["y"] = random.uniform(-180, 180, num_rows), np.degrees(np.arcsin(random.uniform(-1, 1, num_rows)))
places = pa.FixedSizeBinaryArray.from_buffers(pa.binary(21), num_rows, [None, pa.py_buffer(wkb.tobytes())])
table = pa.table(
    {
        "id": [f"sample_{i:07d}" for i in range(num_rows)],
        "data": pa.array([b"x"] * num_rows, pa.binary()),
        "stac:centroid": places.cast(pa.binary()),
        "stac:time_start": pa.array(np.sort(random.integers(0, 1_600_000_000, num_rows)) * 1_000_000).cast(pa.timestamp("us")),
        "cloud": random.random(num_rows),
        "year": random.integers(2000, 2025, num_rows).astype("int32"),
        "split": [("train", "validation", "test")[i % 3] for i in range(num_rows)],
        "scene": [f"LC08_{i // 50:06d}" for i in range(num_rows)],
    }
)
about = ("large", "1.0.0", "Many samples", ["CC0-1.0"], [{"name": "Example"}], ["other"])
tacore.create(Taco(Tortilla.from_table(table), *about), output, overwrite=True, progress=False)
