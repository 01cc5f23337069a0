"""Coordinate reference systems, by pyproj."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import tacore

pyproj = pytest.importorskip("pyproj")


def test_transformed_points_equal_those_of_pyproj() -> None:
    from tacore import _pyproj

    for crs in ("EPSG:32719", "EPSG:2056", pyproj.CRS("EPSG:31985").to_wkt(), "+proj=utm +zone=30 +datum=WGS84"):
        expected = pyproj.Transformer.from_crs(crs, "EPSG:4326", always_xy=True).transform(500000, 1200000)
        assert _pyproj.to_wgs84(crs, 500000, 1200000) == expected
        assert not _pyproj.is_geographic(crs)
    # x is the longitude, whatever order the authority has.
    assert _pyproj.to_wgs84("EPSG:4326", 7, 46) == (7, 46)
    assert _pyproj.is_geographic("EPSG:4326")
    assert not _pyproj.is_geographic("EPSG:4807")  # in grads


@pytest.mark.parametrize("crs", ["EPSG:999999", "nonsense", "", "/etc/passwd"])
def test_an_unknown_crs_is_a_schema_error(crs: str) -> None:
    from tacore import _pyproj

    with pytest.raises(tacore.TacoSchemaError, match="CRS"):
        _pyproj.is_geographic(crs)


def test_a_point_outside_the_projection_is_a_schema_error() -> None:
    from tacore import _pyproj

    with pytest.raises(tacore.TacoSchemaError, match="no longitude"):
        _pyproj.to_wgs84("EPSG:32630", 1e30, 1e30)


def test_each_thread_has_its_own_transformer() -> None:
    from tacore import _pyproj

    results: list[tuple[float, float]] = []
    work = [threading.Thread(target=lambda: results.append(_pyproj.to_wgs84("EPSG:32630", 5e5, 4e6))) for _ in range(8)]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert len(set(results)) == 1
    assert len(results) == 8


def test_utm_zones_and_wgs_84_need_no_pyproj() -> None:
    code = """
import struct, sys
sys.modules["pyproj"] = None
from tacore import datamodel as d
stac = dict(tensor_shape=(1, 10, 10), time_start="2023-01-01")
sample = d.Sample(id="a", path=b"1")
sample.extend_with(d.STAC(crs="EPSG:4326", geotransform=(0, .1, 0, 50, 0, -.1), **stac))
d.STAC(crs="EPSG:32630", geotransform=(500000, 10, 0, 4400000, 0, -10), **stac)
polygon = struct.pack("<BIII8d", 1, 3, 1, 4, 0, 0, 1, 0, 1, 1, 0, 0)
d.ISTAC(crs="OGC:CRS84", geometry=polygon, time_start="2023-01-01")
try:
    d.STAC(crs="EPSG:3035", geotransform=(4321000, 10, 0, 3210000, 0, -10), **stac)
except ValueError as error:
    assert "pip install pyproj" in str(error), error
else:
    sys.exit("made")
"""
    package = str(Path(tacore.__file__).parents[1])
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": package})


def test_without_pyproj_the_error_says_what_to_install() -> None:
    code = """
import sys
sys.modules["pyproj"] = None
import tacore
try:
    from tacore import _pyproj
except tacore.TacoSchemaError as error:
    assert "pip install pyproj" in str(error), error
else:
    sys.exit("imported")
"""
    package = str(Path(tacore.__file__).parents[1])
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": package})


def test_repeated_calls_from_core_threads_are_safe(tmp_path: Path) -> None:
    """pyproj's state of a non-Python thread used to be dropped after each call, and the next call crashed."""
    code = f"""
import pyproj
import tacore
from tacore import datamodel as d

systems = ("EPSG:2154", "EPSG:3035", "EPSG:2056", "EPSG:31370")
samples = []
for i in range(400):
    sample = d.Sample(id=f"s{{i}}", path=b"1")
    sample.extend_with({{"stac:crs": systems[i % 4], "stac:tensor_shape": [10, 10],
                        "stac:geotransform": [640000.0 + i, 600.0, 0.0, 2870000.0, 0.0, -600.0]}})
    samples.append(sample)
taco = d.Taco(tortilla=d.Tortilla(samples=samples), id="t", dataset_version="1.0.0", description="d", licenses=["MIT"],
              providers=[{{"name": "p"}}], tasks=["other"])
for _ in range(3):
    [path] = tacore.create(taco, {str(tmp_path / "t.tacozip")!r}, overwrite=True, progress=False)
box = tacore.load(path).collection["extent"]["spatial"]
for system in systems:
    x, y = pyproj.Transformer.from_crs(system, "EPSG:4326", always_xy=True).transform(643000, 2867000)
    assert box[0] <= x <= box[2] and box[1] <= y <= box[3], (system, box, x, y)
"""
    package = str(Path(tacore.__file__).parents[1])
    path = os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": path})
