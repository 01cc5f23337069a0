"""Samples for the tests of what writes datasets."""

from __future__ import annotations

import struct
from typing import Any

from tacore.datamodel import STAC, Sample, Taco, Tortilla


def make_taco(tortilla: Tortilla, **more: Any) -> Taco:
    fields: dict[str, Any] = {
        "id": "made",
        "dataset_version": "1.0.0",
        "description": "Made by a test",
        "licenses": ["CC-BY-4.0"],
        "providers": [{"name": "A test"}],
        "tasks": ["classification"],
        **more,
    }
    return Taco(tortilla, **fields)


def flat(count: int = 4, **metadata: Any) -> list[Sample]:
    return [Sample(id=f"s{n}", path=bytes([n]) * (n + 1), **metadata) for n in range(count)]


def nested(count: int = 3, ids: tuple[str, ...] = ("a", "b"), prefix: str = "folder_") -> list[Sample]:
    out = []
    for n in range(count):
        children = [Sample(id=id, path=f"{n}{id}".encode(), child=n) for id in ids]
        out.append(Sample(id=f"{prefix}{n}", path=Tortilla(children), number=n))
    return out


def placed(lon: float, lat: float, start: int = 0, id: str = "s", **more: Any) -> Sample:
    sample = Sample(id=id, path=b"x")
    sample.extend_with(
        STAC(
            crs="EPSG:4326",
            tensor_shape=(1, 2, 2),
            geotransform=(lon - 1, 1, 0, lat + 1, 0, -1),
            time_start=start,
            centroid=point(lon, lat),
            **more,
        )
    )
    return sample


def point(lon: float, lat: float) -> bytes:
    return struct.pack("<BIdd", 1, 1, lon, lat)
