"""The statements of public scripts that write files of 0.x, over small inputs, and an Earth Engine for them.

A script is called with the packages as it imports them, the rasters to write (paths by name) and a folder, and returns
the paths of its files. tests/v1_published/check.py runs each with the published packages and with tacore, and compares the
files; tests/python/test_v1_writers.py runs them with tacore alone.
"""

from __future__ import annotations

import datetime
import os
import sys
import types
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd


class Packages(NamedTuple):
    pytortilla: Any
    tacotoolbox: Any
    tacoreader: Any


CRS = "EPSG:32725"
TRANSFORM = (288776.25, 28.5, 0.0, 9120760.75, 0.0, -28.5)


def burn_scars(packages: Packages, files: dict[str, Path], folder: Path) -> list[Path]:
    """Images with labels: a Tortilla of each, and one of these, with the metadata of the first sample of each."""
    tacotoolbox, tacoreader = packages.tacotoolbox, packages.tacoreader
    (folder / "tortilla").mkdir()
    made = []
    for idx, (name, split) in enumerate(zip(files, ["train", "test", "validation"])):
        stac = {"crs": CRS, "geotransform": TRANSFORM, "raster_shape": (64, 64), "time_start": "2018-06-01"}
        image_sample = tacotoolbox.tortilla.datamodel.Sample(
            id="image", path=str(files[name]), file_format="GTiff", data_split=split, stac_data=stac, tile=name
        )
        label_sample = tacotoolbox.tortilla.datamodel.Sample(
            id="label", path=str(files[name]), file_format="GTiff", data_split=split, stac_data=stac, tile=name
        )
        taco_samples = tacotoolbox.tortilla.datamodel.Samples(samples=[image_sample, label_sample])
        made.append(folder / "tortilla" / f"sample_{idx}.tortilla")
        tacotoolbox.tortilla.create(taco_samples, str(made[-1]), quiet=True)
    samples = []
    for tortilla_file in map(str, made):
        sample_data = tacoreader.load(tortilla_file).iloc[0]
        samples.append(
            tacotoolbox.tortilla.datamodel.Sample(
                id=os.path.basename(tortilla_file).split(".")[0],
                path=tortilla_file,
                file_format="TORTILLA",
                stac_data={
                    "crs": sample_data.get("stac:crs"),
                    "geotransform": sample_data.get("stac:geotransform"),
                    "raster_shape": sample_data.get("stac:raster_shape"),
                    "time_start": "2016",
                },
                data_split=sample_data["tortilla:data_split"],
                lon=sample_data.get("lon"),
                lat=sample_data.get("lat"),
            )
        )
    final_samples = tacotoolbox.tortilla.datamodel.Samples(samples=samples)
    final_path = folder / "burn_scars.tortilla"
    tacotoolbox.tortilla.create(final_samples, str(final_path), quiet=False, nworkers=1)
    return [*made, final_path]


def detection(packages: Packages, files: dict[str, Path], folder: Path) -> list[Path]:
    """Images with annotations that have no place, and values that some images lack."""
    tacotoolbox = packages.tacotoolbox
    annotations_file = folder / "annotations.HDF5"
    annotations_file.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    made = []
    for idx, name in enumerate(files):
        image_sample = tacotoolbox.tortilla.datamodel.Sample(
            id="image",
            path=files[name],
            file_format="GTiff",
            data_split="train",
            stac_data={"crs": CRS, "geotransform": TRANSFORM, "raster_shape": (64, 64), "time_start": "2020"},
            lon=np.float64(-34.9) if idx else None,
            lat=np.float64(-7.9) if idx else None,
        )
        annotations_sample = tacotoolbox.tortilla.datamodel.Sample(
            id="annotations", path=annotations_file, file_format="HDF5", data_split="train"
        )
        taco_samples = tacotoolbox.tortilla.datamodel.Samples(samples=[image_sample, annotations_sample])
        made.append(folder / f"sample_{idx}.tortilla")
        tacotoolbox.tortilla.create(taco_samples, made[-1], quiet=True)
    return made


def floods(packages: Packages, files: dict[str, Path], folder: Path) -> list[Path]:
    """Rows of a pandas table as metadata: numbers and times of NumPy and pandas, missing values, lists."""
    tacotoolbox = packages.tacotoolbox
    df = pd.DataFrame(
        {
            "path": [str(path) for path in files.values()],
            "split": ["train", "validation", "test"],
            "start": [pd.Timestamp(time) for time in ("2018-01-01", "2019-02-03 04:05:06.25", "2020-12-31")],
            "end": ["2018-01-02", "2019-02-03T05:00:00Z", "2021-01-01 00:00"],
            "lon": [-34.9, -34.8, np.nan],
            "ems_code": ["EMSR1", np.nan, "EMSR3"],
            "aoi": np.array([1, 2, 3], dtype="int32"),
            "is_additional_test": [True, False, True],
            "labels": [["a", "b"], [], ["c"]],
            "date": pd.to_datetime(["2018-01-01", None, "2020-12-31"]),
        }
    )
    modality_samples = []
    for idx, row in df.iterrows():
        sample = tacotoolbox.tortilla.datamodel.Sample(
            id=f"s1_{idx}",
            path=row["path"],
            file_format="GTiff",
            data_split=row["split"],
            stac_data={
                "crs": CRS,
                "geotransform": np.array(TRANSFORM),
                "raster_shape": np.array([64, 64]),
                "time_start": row["start"],
                "time_end": row["end"],
            },
            add_test_split=row["is_additional_test"],
            lon=row["lon"],
            ems_code=row["ems_code"],
            aoi=row["aoi"],
            labels=row["labels"],
            date=row["date"],
        )
        modality_samples.append(sample)
    taco_samples = tacotoolbox.tortilla.datamodel.Samples(samples=modality_samples)
    path = folder / "new" / "floods.tortilla"
    tacotoolbox.tortilla.create(taco_samples, path, quiet=True, nworkers=4)
    return [path]


def minicubes(packages: Packages, files: dict[str, Path], folder: Path) -> list[Path]:
    """Files of any format by pytortilla, and a TACO of them with metadata of a registry."""
    pytortilla, tacotoolbox, tacoreader = packages
    registry_df = pd.DataFrame(
        {"version": ["1.0", "1.1"], "cloud cover": [0.25, 0.5], "split": ["a", "b"], "n": [1, 2]}, index=["c0", "c1"]
    )
    made = []
    for cube_id in registry_df.index:
        created_samples = [
            pytortilla.datamodel.Sample(id=name, file_format="BYTES", path=path, data_split=None)
            for name, path in files.items()
        ]
        samples_obj = pytortilla.datamodel.Samples(samples=created_samples)
        made.append(folder / f"{cube_id}.tortilla")
        pytortilla.create(samples=samples_obj, output=made[-1])
    container = []
    for tortilla in made:
        data = tacoreader.load(tortilla.as_posix()).read(2)
        assert data == list(files.values())[2].read_bytes()
        container.append(
            pytortilla.datamodel.Sample(
                id=tortilla.stem,
                file_format="TORTILLA",
                path=tortilla,
                stac_data={
                    "crs": CRS,
                    "geotransform": TRANSFORM,
                    "raster_shape": (64, 64),
                    "time_start": datetime.datetime.fromtimestamp(1451606400.5),
                    "time_end": datetime.datetime.fromtimestamp(1472169600),
                },
                **registry_df.loc[tortilla.stem].to_dict(),
            )
        )
    samples = pytortilla.datamodel.Samples(samples=container)
    path = folder / "minicubes.taco"
    tacotoolbox.create(samples=samples, collection=tacotoolbox.datamodel.Collection(**MINICUBES), output=path)
    return [*made, path]


MINICUBES: dict[str, Any] = {
    "id": "minicubesvideo",
    "title": "Minicubes as video",
    "dataset_version": "1.0.0",
    "description": "## Minicubes\n\nas *video*",
    "licenses": ["cc-by-4.0"],
    "extent": {
        "spatial": [[-180.0, -60.0, 180.0, 80.0]],
        "temporal": [["2016-01-01T00:00:00Z", "2022-12-31T23:59:59Z"]],
    },
    "providers": [
        {
            "name": "Remote Sensing Centre",
            "roles": ["host"],
            "links": [{"href": "https://example.org/", "rel": "homepage", "type": "text/html"}],
        },
        {"name": "Laboratory", "roles": ["processor"]},
    ],
    "keywords": ["remote-sensing", "sentinel-2"],
    "task": "regression",
    "curators": [{"name": "Ada", "organization": "Laboratory", "emails": [{"value": "ada@example.org"}]}],
    "split_strategy": "none",
    "discuss_link": {"href": "https://example.org/discussions", "rel": "discussion", "type": "text/html"},
    "raw_link": {"href": "https://doi.org/10.1000/1", "rel": "source", "type": "text/html"},
    "optical_data": {"sensor": "sentinel2msi[B02, B03]"},
    "labels": {"label_classes": [], "label_description": "No classes."},
    "scientific": {
        "doi": "10.1000/2",
        "citation": "Minicubes 1.0.0",
        "summary": "Minicubes.",
        "publications": [{"doi": "10.1000/3", "citation": "@article{a}", "summary": "Ada et al."}],
    },
}


def worldfloods(packages: Packages, files: dict[str, Path], folder: Path) -> list[Path]:
    """Datetimes, a TACO of Tortillas with RAI of Earth Engine, and a collection with label classes."""
    tacotoolbox, tacoreader = packages.tacotoolbox, packages.tacoreader
    made = []
    for group in ("a", "b"):
        when = datetime.datetime.fromisoformat("2019-05-06T10:00:00.123456+00:00")
        samples = tacotoolbox.tortilla.datamodel.Samples(
            samples=[
                tacotoolbox.tortilla.datamodel.Sample(
                    id=name,
                    path=str(path),
                    file_format="GTiff",
                    data_split="train",
                    stac_data={
                        "crs": CRS,
                        "geotransform": TRANSFORM,
                        "raster_shape": (64, 64),
                        "time_start": when,
                        "time_end": when,
                    },
                )
                for name, path in files.items()
            ]
        )
        made.append(folder / f"{group}.tortilla")
        tacotoolbox.tortilla.create(samples, str(made[-1]), quiet=True)
    sample_tortillas = []
    for i, path in enumerate(made):
        sample_data = tacoreader.load(str(path))
        sample_data = sample_data.iloc[0]
        sample_tortillas.append(
            tacotoolbox.tortilla.datamodel.Sample(
                id=path.stem,
                path=str(path),
                file_format="TORTILLA",
                data_split="train",
                stac_data={
                    "crs": sample_data["stac:crs"],
                    "geotransform": sample_data["stac:geotransform"],
                    "raster_shape": sample_data["stac:raster_shape"],
                    "centroid": sample_data["stac:centroid"],
                    "time_start": sample_data["stac:time_start"],
                    "time_end": sample_data["stac:time_end"],
                },
                source="EMS" if i else float("nan"),
                days_diff=np.float64(i) if i else np.nan,
            )
        )
    samples_obj = tacotoolbox.tortilla.datamodel.Samples(samples=sample_tortillas)
    samples_obj = samples_obj.include_rai_metadata(sample_footprint=5120, cache=False, quiet=True)
    classes = [
        {"name": "land", "category": 0, "description": "Pixels without water"},
        {"name": "water", "category": "1"},
    ]
    collection_object = tacotoolbox.datamodel.Collection(
        **{
            **MINICUBES,
            "id": "worldfloods",
            "task": "semantic-segmentation",
            "optical_data": {"sensor": "neon-ais"},
            "labels": {"label_classes": classes},
        }
    )
    output = folder / "worldfloods.taco"
    tacotoolbox.create(samples=samples_obj, collection=collection_object, output=output)
    return [*made, output]


def austria(packages: Packages, files: dict[str, Path], folder: Path) -> list[Path]:
    """A TACO in several parts, whose collection has empty links, an e-mail under another name, and no publications yet."""
    tacotoolbox = packages.tacotoolbox
    dist_count_dict = {"dist_41": 0.5, "dist_83": 0.25}
    samples = tacotoolbox.tortilla.datamodel.Samples(
        samples=[
            tacotoolbox.tortilla.datamodel.Sample(
                id=name, path=path, file_format="GTiff", corine=i, scale_factor=4, **dist_count_dict
            )
            for i, (name, path) in enumerate(files.items())
        ]
    )
    empty = {"href": "", "rel": "source", "type": "text/html"}
    collection_object = tacotoolbox.datamodel.Collection(
        **{
            **MINICUBES,
            "id": "sen2austria",
            "task": "super-resolution",
            "providers": [{"name": "a", "roles": ["host"], "links": [empty]}],
            "curators": [{"name": "Ada", "organization": "Laboratory", "email": ["ada@example.org"]}],
            "discuss_link": empty,
            "raw_link": empty,
            "optical_data": {"sensor": "austrian_orthofoto_series"},
            "scientific": {
                "doi": "",
                "citation": "a",
                "summary": "",
                "publications": [{"doi": "", "citation": "a", "summary": ""}],
            },
        }
    )
    size = max(path.stat().st_size for path in files.values()) // 1000 + 1
    tacos = tacotoolbox.create(
        samples=samples,
        collection=collection_object,
        output=folder / "austria.taco",
        chunk_size=f"{size}KB",
        quiet=True,
    )
    return [Path(taco) for taco in tacos]


SCRIPTS = (burn_scars, detection, floods, minicubes, worldfloods, austria)


class EarthEngine(types.ModuleType):
    """The calls of `ee` that the scripts need, with layers whose values depend on their name and the place. With this as
    `sys.modules["ee"]`, published packages and tacore get the same."""

    def __init__(self) -> None:
        super().__init__("ee")
        self.Image, self.ImageCollection = _Image, _Image
        self.Geometry = types.SimpleNamespace(Point=lambda *at: at[0] if len(at) == 1 else list(at))
        self.Feature = lambda point, properties: {"at": point, "properties": properties}
        self.FeatureCollection = list
        self.Reducer = types.SimpleNamespace(mean=lambda: "mean", mode=lambda: "mode")

    def __enter__(self) -> Self:
        sys.modules["ee"] = self
        return self

    def __exit__(self, *_: object) -> None:
        del sys.modules["ee"]


class _Image:
    """An image: the asset, and its bands (name and value at longitude 0)."""

    def __init__(self, asset: Any) -> None:
        several = isinstance(asset, list)
        self.bands = [band for image in asset for band in image.bands] if several else [("b1", len(asset))]

    @staticmethod
    def cat(images: list[_Image]) -> _Image:
        return _Image(images)

    def mosaic(self) -> _Image:
        return self

    def unmask(self, _: int) -> _Image:
        return self

    def select(self, _: str) -> _Image:
        return self

    def rename(self, name: str) -> _Image:
        self.bands = [(name, self.bands[0][1])]
        return self

    def reduceRegions(self, collection: list[Any], reducer: str, scale: float) -> _Image:
        self.features = []
        for each in collection:
            at, properties = (each["at"], each["properties"]) if isinstance(each, dict) else (each, {})
            values = {name: value if reducer == "mode" else value + at[0] / scale + at[1] for name, value in self.bands}
            self.features.append({"properties": {**properties, **values}})
        return self

    def getInfo(self) -> dict[str, Any]:
        return {"features": self.features}
