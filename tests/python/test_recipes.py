"""Datasets made as in published recipes, of which only names are changed.

Each recipe is a program for the published packages, run with `tacore` for `tacotoolbox` and `tacoreader`.
"""

from __future__ import annotations

import sys
import textwrap
import types
from pathlib import Path
from typing import Any

import pytest

import tacore
from tacore import raster
from tacore.validator import validate

pytest.importorskip("pyarrow")
SCENE = Path(__file__).parents[2] / "examples" / "data" / "scene" / "optical.tif"

# Flat, one raster with its header and statistics for each sample, a ZIP for each cell of a grid.
PRETRAINING = """
import concurrent.futures
import pathlib

import pyarrow as pa
import tacotoolbox
from tacotoolbox.datamodel import Sample, Taco, Tortilla
from tacotoolbox.datamodel.sample import STAC, GeotiffStats, Header, SampleExtension
from tacotoolbox.datamodel.taco import Labels, OpticalData, Provider, Publications
from tacotoolbox.datamodel.tortilla import MajorTOM


class Satellite(SampleExtension):
    platform: str
    zenith: float

    def get_schema(self):
        return pa.schema([pa.field("satellite:platform", pa.string()), pa.field("satellite:zenith", pa.float32())])

    def get_field_descriptions(self):
        return {"satellite:platform": "Platform", "satellite:zenith": "Zenith angle, degrees"}

    def _compute(self, sample):
        return pa.table({"satellite:platform": [self.platform], "satellite:zenith": [self.zenith]}, self.get_schema())


def build(n):
    sample = Sample(id=f"goes_{n:04d}", path=pathlib.Path(RASTER), cloud_fraction=n / 10)
    sample.extend_with(Header())
    sample.extend_with(
        STAC(
            crs="EPSG:4326",
            tensor_shape=(6, 16, 16),
            geotransform=(-60.0 + 20 * (n % 2), 0.01, 0.0, 10.0 + n / 100, 0.0, -0.01),
            time_start=1_600_000_000_000_000 + n,
        )
    )
    sample.extend_with(GeotiffStats())
    sample.extend_with(Satellite(platform="GOES-16", zenith=float(n)))
    return sample


with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
    samples = list(pool.map(build, range(6)))
tortilla = Tortilla(samples=samples)
tortilla.extend_with(MajorTOM(dist_km=1000))
taco = Taco(
    tortilla=tortilla,
    id="goes-pretraining",
    dataset_version="0.1.0",
    description="Geostationary patches",
    licenses=["CC0-1.0"],
    providers=[Provider(name="A lab", roles=["producer"], url="https://example.org")],
    tasks=["foundation-model"],
    title="GOES patches",
    keywords=["clouds"],
)
taco.extend_with(Labels(label_classes=[{"name": "clear", "category": 0}, {"name": "cloud", "category": 1}]))
taco.extend_with(OpticalData(sensor="landsat8oli"))
taco.extend_with(Publications(publications=[{"doi": "10.1000/xyz", "citation": "A. Author, 2024"}]))
made = tacotoolbox.create(
    taco=taco,
    output=pathlib.Path(OUTPUT) / "goes.tacozip",
    output_format="zip",
    split_size=None,
    group_by="majortom:code",
    consolidate=True,
    row_group_size=122_880,
    compression="zstd",
    compression_level=22,
    use_dictionary=False,
    write_statistics=False,
    data_page_size=256 * 1024,
)
"""

# FOLDERs of two rasters, split by a rule, one ZIP; documents are made of it.
FINETUNE = """
import datetime
import pathlib

import tacotoolbox
from tacotoolbox.datamodel import Sample, Taco, Tortilla
from tacotoolbox.datamodel.sample import STAC, GeotiffStats, Split
from tacotoolbox.datamodel.tortilla import MajorTOM


def patch(n):
    children = Tortilla([
        with_stats(Sample(id="geo_patch", path=RASTER)),
        with_stats(Sample(id="cloudsat_aligned", path=RASTER)),
    ])
    sample = Sample(id=f"patch_{n}", path=children)
    day = datetime.datetime(2020, 1, 1 + n)
    sample.extend_with(
        STAC(crs="EPSG:32618", tensor_shape=(6, 16, 16), geotransform=(3e5 + n, 30, 0, 4e6, 0, -30), time_start=day)
    )
    sample.extend_with(Split(split="test" if day.day % 3 == 0 else "train"))
    sample.extend_with({"cloud:top_height": [1.5 * n, None], "cloud:count": n})
    return sample


def with_stats(sample):
    sample.extend_with(GeotiffStats())
    return sample


order = [10, 2, 1, 0]  # as_completed: ids are not in order
tortilla = Tortilla([patch(n) for n in order])
tortilla.extend_with(MajorTOM(dist_km=1000))
taco = Taco(
    tortilla=tortilla,
    id="cloud-finetune",
    dataset_version="0.1.0",
    description="Aligned patches",
    licenses=["CC0-1.0"],
    providers=[{"name": "A lab"}],
    tasks=["regression"],
)
made = tacotoolbox.create(taco, str(pathlib.Path(OUTPUT) / "finetune.tacozip"), split_size=None, consolidate=True)
tacotoolbox.generate_html(made[0], pathlib.Path(OUTPUT) / "index.html")
tacotoolbox.generate_markdown(made[0], pathlib.Path(OUTPUT) / "README.md")
"""

# Rows of a table as metadata of samples, groups by country, an index made by hand, a subset for tests.
TABLE = """
import pathlib

import pyarrow as pa
import tacotoolbox
import tacotoolbox as tacoreader
from tacotoolbox.datamodel import Sample, Taco, Tortilla
from tacotoolbox.datamodel.sample import SampleExtension


class Row(SampleExtension):
    row: dict

    def get_schema(self):
        return pa.schema([("site:country", pa.string()), ("plume:rate", pa.float64())])

    def _compute(self, sample):
        return pa.Table.from_pylist([self.row], schema=self.get_schema())


rows = [{"site:country": c, "plume:rate": r} for c, r in [("es", 1.0), ("fr", None), ("es", 2.5), ("it", 0.5)]]
samples = []
for n, row in enumerate(rows):
    leaves = Tortilla([Sample(id=f"{name}.tif", path=f"{n} {name}".encode()) for name in ("target", "mask", "plume")])
    scene = Sample(id=f"scene_{n}.tif", path=leaves)
    scene.extend_with(Row(row=row))
    samples.append(scene)
taco = Taco(
    tortilla=Tortilla(samples),
    id="methane",
    dataset_version="1.0.0",
    description="Scenes",
    licenses=["CC-BY-4.0"],
    providers=[{"name": "A lab"}],
    tasks=["detection"],
    extent={"spatial": [-10.0, 35.0, 20.0, 60.0], "temporal": ["2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"]},
)
out = pathlib.Path(OUTPUT)
made = tacotoolbox.create(taco, out / "methane.tacozip", group_by="site:country", consolidate=False)
tacotoolbox.create_tacocat(inputs=[str(path) for path in made], output=str(out))
tacotoolbox.create_tacollection(made, out)
dataset = tacoreader.load(str(out / ".tacocat"))
subset = dataset.sql("SELECT * FROM data WHERE \\"plume:rate\\" > 0.75")
tacotoolbox.export(subset, out / "subset.tacozip", workers=2, progress=False)
tacotoolbox.zip2folder(out / "subset.tacozip", out / "subset")
"""


@pytest.fixture(scope="module")
def tog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A TacoTIFF, which has a header."""
    path = tmp_path_factory.mktemp("tog") / "tog.tif"
    raster.make_tog(SCENE, path)
    return path


def run(recipe: str, output: Path, source: Path = SCENE) -> dict[str, Any]:
    program = textwrap.dedent(recipe).replace("tacotoolbox", "tacore").replace("tacoreader", "tacore")
    module = sys.modules["recipe"] = types.ModuleType("recipe")
    module.__dict__.update({"RASTER": str(source), "OUTPUT": str(output)})
    exec(compile(program, "recipe", "exec"), module.__dict__)
    return module.__dict__


def test_a_flat_dataset_is_grouped_by_grid_cells(tog: Path, tmp_path: Path) -> None:
    made = run(PRETRAINING, tmp_path, tog)["made"]
    assert len(made) == 2 and all(path.name.startswith("goes_1000km_") for path in made)
    dataset = tacore.load(tmp_path)
    rows = dataset.data.to_arrow()
    assert sorted(rows["id"].to_pylist()) == [f"goes_{n:04d}" for n in range(6)]
    for name in (
        "taco:header",
        "stac:centroid",
        "geotiff:stats",
        "satellite:zenith",
        "majortom:code",
        "cloud_fraction",
    ):
        assert rows[name].null_count == 0, name
    assert dataset.collection["labels:num_classes"] == 2 and dataset.collection["optical:sensor"] == "landsat8oli"
    descriptions = {row[0]: row[2] for row in dataset.field_schema["level0"]}
    assert descriptions["satellite:zenith"] == "Zenith angle, degrees"
    means = [row[0][2] for row in rows["geotiff:stats"].to_pylist()]
    assert means == pytest.approx([raster.compute_statistics(SCENE)[0].mean] * 6)
    assert dataset.data.read_bytes(0) == tog.read_bytes()
    assert [issue for path in [*made, tmp_path] for issue in validate(path, deep=True) if issue.is_error] == []


def test_aligned_patches_are_written_as_folders(tmp_path: Path) -> None:
    [path] = run(FINETUNE, tmp_path)["made"]
    dataset = tacore.load(path)
    rows = dataset.data.to_arrow().to_pylist()
    assert [row["id"] for row in rows] == ["patch_10", "patch_2", "patch_1", "patch_0"]
    assert {row["id"]: row["split"] for row in rows} == {
        "patch_10": "train", "patch_2": "test", "patch_1": "train", "patch_0": "train"
    }  # fmt: skip
    for n, row in enumerate(rows):
        assert row["cloud:top_height"] == [1.5 * row["cloud:count"], None]
        children = dataset.data.read(n)
        assert children.to_arrow()["id"].to_pylist() == ["geo_patch", "cloudsat_aligned"]
        assert children.read_bytes("cloudsat_aligned") == SCENE.read_bytes()
    assert dataset.stats_mean(band=0, level=1, id="patch_10") == pytest.approx(raster.compute_statistics(SCENE)[0].mean)
    assert "patch" in (tmp_path / "index.html").read_text("utf-8")
    assert (tmp_path / "README.md").read_text("utf-8").startswith("# ")
    assert [issue for issue in validate(path, deep=True) if issue.is_error] == []


def test_rows_of_a_table_are_grouped_by_country(tmp_path: Path) -> None:
    run(TABLE, tmp_path)
    dataset = tacore.load(tmp_path / ".tacocat")
    assert sorted(path.name for path in tmp_path.glob("methane*")) == [
        "methane_es.tacozip", "methane_fr.tacozip", "methane_it.tacozip"
    ]  # fmt: skip
    assert dataset.extent["spatial"] == [-10.0, 35.0, 20.0, 60.0]
    rows = {row["id"]: row["plume:rate"] for row in dataset.data.to_arrow().to_pylist()}
    assert rows == {"scene_0.tif": 1.0, "scene_1.tif": None, "scene_2.tif": 2.5, "scene_3.tif": 0.5}
    subset = tacore.load(tmp_path / "subset")
    assert subset.data.to_arrow()["id"].to_pylist() == ["scene_0.tif", "scene_2.tif"]
    assert subset.data.read("scene_2.tif").read_bytes("plume.tif") == b"2 plume"
    assert subset.collection["taco:subset_of"] == "methane"
    assert len(tacore.load(tmp_path / "TACOLLECTION.json").data) == 4
    assert [issue for path in (tmp_path, tmp_path / "subset") for issue in validate(path) if issue.is_error] == []
