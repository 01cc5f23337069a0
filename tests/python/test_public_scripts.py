"""The calls of public scripts that were written for the published packages; only their imports are changed.

Each test is named after its script. It quotes the calls of that script, over small datasets that are made here, and
compares what they give with the files of which these were made. Scripts that write 0.x are not among them.
"""

from __future__ import annotations

import concurrent.futures
import csv
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tacore as tacoreader
import tacore as tacotoolbox
import tacore.v1 as tacoreader_v1  # in the scripts for 0.x: `import tacore.v1 as tacoreader`
from tacore.datamodel import Sample, Taco, Tortilla
from tacore.datamodel.sample import STAC, GeotiffStats, Header, SampleExtension, TACOTIFFHeader
from tacore.datamodel.taco import Curator, Extent, Provider
from tacore.validator import TacoTIFF

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pydantic = pytest.importorskip("pydantic")
rasterio = pytest.importorskip("rasterio")
shapely = pytest.importorskip("shapely")

SCENE = Path(__file__).resolve().parents[2] / "examples" / "data" / "scene"
GEOTRANSFORM = (500000.0, 10.0, 0.0, 4400000.0, 0.0, -10.0)


def write_tiff(path: Path, value: int, bands: int = 1) -> Path:
    """A raster of 8 x 8 pixels of one value."""
    where = {"crs": "EPSG:32630", "transform": rasterio.Affine.from_gdal(*GEOTRANSFORM)}
    with rasterio.open(path, "w", "GTiff", 8, 8, bands, dtype="uint8", **where) as out:
        out.write(np.full((bands, 8, 8), value, "uint8"))
    return path


def first_pixel(path: str) -> int:
    """As scripts read what `read` returns."""
    with rasterio.open(path) as src:
        return int(src.read(1)[0, 0])


def bytes_at(path: str) -> bytes:
    """As scripts without GDAL read a part of a file: they parse its GDAL path."""
    found = re.match(r"/vsisubfile/(\d+)_(\d+),(.+)", path)
    assert found
    with open(found[3], "rb") as file:
        file.seek(int(found[1]))
        return file.read(int(found[2]))


def about(**more: Any) -> dict[str, Any]:
    return {
        "id": "chips",
        "dataset_version": "1.0.0",
        "description": "Chips",
        "licenses": ["CC-BY-4.0"],
        "providers": [Provider(name="Lab", roles=["producer"])],
        "tasks": ["semantic-segmentation"],
        **more,
    }


# 0.x: reading.


@pytest.fixture
def clouds(tmp_path: Path) -> Path:
    """Six samples of an image, whose pixels have the number of the sample, and of a label, which has it plus 100."""
    samples = []
    for n in range(6):
        image, label = write_tiff(tmp_path / f"image{n}.tif", n, 3), write_tiff(tmp_path / f"label{n}.tif", 100 + n)
        columns = {
            "split": ["train", "validation", "test"][n % 3],
            "real_proj_shape": 509 if n < 4 else 1000,
            "label_type": "high" if n % 2 == 0 else "scribble",
            "rai:admin0": ["Norway", "Chile"][n // 3],
        }
        sample = Sample(id=f"chip_{n}", path=Tortilla([Sample("image", image), Sample("label", label)]), **columns)
        time = 1577836800000000 + n * 86400000000
        sample.extend_with(STAC(crs="EPSG:32630", tensor_shape=(3, 8, 8), geotransform=GEOTRANSFORM, time_start=time))
        samples.append(sample)
    collection = {**about(providers=[{"name": "Lab"}], tasks=["semantic-segmentation"])}
    (path,) = tacoreader_v1.create(Tortilla(samples), tmp_path / "clouds.taco", collection, progress=False)
    return path


@pytest.fixture
def parts(tmp_path: Path) -> list[str]:
    """Five samples without children in two files or more, whose pixels have the number of the sample."""
    samples = [
        Sample(f"s{n}", write_tiff(tmp_path / f"s{n}.tif", n), split="train" if n < 3 else "test") for n in range(5)
    ]
    size = 2 * (tmp_path / "s0.tif").stat().st_size
    made = tacoreader_v1.create(Tortilla(samples), tmp_path / "set.tortilla", split_size=size, progress=False)
    assert len(made) > 1
    return [str(path) for path in made]


def test_opensr(clouds: Path) -> None:
    for reader in (tacoreader_v1, tacoreader):
        assert first_pixel(reader.load(str(clouds)).read(0).read(0)) == 0
        assert first_pixel(reader.load(str(clouds)).read(5).read(1)) == 105


def test_geo_bench(parts: list[str]) -> None:
    df = tacoreader_v1.load(parts)
    assert df["tortilla:id"].tolist() == ["s0", "s1", "s2", "s3", "s4"]
    df = df[df["tortilla:data_split"] == "test"].reset_index(drop=True)
    assert len(df) == 2
    assert [first_pixel(df.read(i)) for i in range(len(df))] == [3, 4]


def test_cloudsen12(clouds: Path) -> None:
    ds = tacoreader_v1.load(str(clouds))
    chosen = ds[(ds["real_proj_shape"] == 509) & (ds["label_type"] == "high") & (ds["tortilla:data_split"] == "train")]
    assert chosen["tortilla:id"].tolist() == ["chip_0"]
    validation = ds[ds["tortilla:data_split"] == "validation"]
    for idx, name in enumerate(["chip_1", "chip_4"]):
        sample = validation.read(idx)
        s2, target = sample.read(0), sample.read(1)
        assert validation.iloc[idx]["tortilla:id"] == name
        assert (first_pixel(s2), first_pixel(target)) == (int(name[-1]), 100 + int(name[-1]))


def test_mask_positions(clouds: Path) -> None:
    df = tacoreader_v1.load(str(clouds))
    mask = (df["tortilla:data_split"] == "test") & (df["label_type"] == "scribble")
    pos = np.where(mask.values)[0]
    assert pos.tolist() == [5]
    assert first_pixel(df.read(int(pos[0])).read(1)) == 105


def test_mados(parts: list[str]) -> None:
    assert tacoreader_v1.load(parts[0]).iloc[0]["tortilla:data_split"] == "train"
    assert tacoreader_v1.load(parts[-1]).iloc[-1]["tortilla:data_split"] == "test"
    # A part alone, although the others lie beside it.
    counts = [len(tacoreader_v1.load(part)) for part in parts]
    assert sum(counts) == 5 and max(counts) < 5


def test_benv2(clouds: Path) -> None:
    tor = tacoreader_v1.load(str(clouds))
    table = pd.DataFrame(tor.drop(columns=["internal:subfile"]))
    assert type(table) is pd.DataFrame
    assert "internal:subfile" not in table.columns and "internal:subfile" in tor.columns
    assert table["tortilla:id"].tolist() == [f"chip_{n}" for n in range(6)]
    assert table["stac:time_start"].diff().dropna().tolist() == [86400] * 5


class CloudDataset:
    """A map-style dataset, as PyTorch takes it."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, i: int) -> tuple[Any, Any]:
        sample = self.table.read(i)
        with rasterio.open(sample.read(0)) as image, rasterio.open(sample.read(1)) as label:
            return image.read(), label.read(1)


def test_lightning_data_module(clouds: Path) -> None:
    class CloudDataModule:
        def setup(self, stage: str | None = None) -> None:
            dataset = tacoreader_v1.load(str(clouds))
            self.train = CloudDataset(dataset[dataset["tortilla:data_split"] == "train"])
            self.val = CloudDataset(dataset[dataset["tortilla:data_split"] == "validation"])

    module = CloudDataModule()
    module.setup("fit")
    assert len(module.train) == len(module.val) == 2
    # A DataLoader sends its dataset to processes.
    for loaded in (module.val, pickle.loads(pickle.dumps(module.val))):
        image, label = loaded[1]
        assert image.shape == (3, 8, 8) and (image == 4).all() and (label == 104).all()


def test_sen2naipv2(clouds: Path, tmp_path: Path) -> None:
    frame = tacoreader_v1.load([str(clouds)]).head(3)
    assert len(frame) == 3
    for i in range(len(frame)):
        row = frame.iloc[i]
        assert row.get("stac:crs") == "EPSG:32630" and row.get("no:such") is None
        sub = frame.read(i)
        found = {sub.iloc[j]["tortilla:id"]: first_pixel(sub.read(j)) for j in range(len(sub))}
        assert found == {"image": i, "label": 100 + i}


def test_cloud_segmentation(clouds: Path) -> None:
    dataset = tacoreader_v1.load(str(clouds))
    assert len(dataset) == 6
    assert first_pixel(dataset.read(2).read(0)) == 2
    with rasterio.open(dataset.read(3).read(0)) as src, rasterio.open(dataset.read(3).read(1)) as dst:
        assert (src.count, dst.count) == (3, 1)
        assert src.profile["transform"].to_gdal() == GEOTRANSFORM
        assert (dst.read(1) == 103).all()


def test_mini_taco(clouds: Path, tmp_path: Path) -> None:
    ds = tacoreader_v1.load(str(clouds))
    subset = ds[ds["rai:admin0"].isin(["Norway"])]
    tacoreader_v1.compile(dataframe=subset, output=str(tmp_path / "mini.taco"), nworkers=4)
    mini = tacoreader_v1.load(str(tmp_path / "mini.taco"))
    assert len(mini) == 3 and mini["rai:admin0"].unique().tolist() == ["Norway"]
    for i in range(len(mini)):
        assert [bytes_at(mini.read(i).read(j)) for j in range(2)] == [bytes_at(ds.read(i).read(j)) for j in range(2)]
    assert tacoreader_v1.load_metadata(str(tmp_path / "mini.taco"))["id"] == "chips"


# 2.x: writing.


class Plume(SampleExtension, pydantic.BaseModel):
    """What a builder of a dataset writes for its own columns."""

    country: str = pydantic.Field(description="ISO code")
    rate: float = pydantic.Field(ge=0, description="Emission in kg/h")

    def get_schema(self) -> Any:
        return pa.schema([pa.field("plume:country", pa.string()), pa.field("plume:rate", pa.float32())])

    def get_field_descriptions(self) -> dict[str, str]:
        return {"plume:rate": "Emission in kg/h"}

    def _compute(self, sample: Sample) -> Any:
        return pa.Table.from_pylist(
            [{"plume:country": self.country, "plume:rate": self.rate}], schema=self.get_schema()
        )


@pytest.fixture
def tog(tmp_path: Path) -> Path:
    """A tiled GeoTIFF as the TacoTIFF profile wants it."""
    source = Tortilla([Sample("a", SCENE / "optical.tif")])
    (made,) = tacoreader_v1.create(source, tmp_path / "tog.tortilla", streaming=True, progress=False)
    path = tmp_path / "a.tif"
    path.write_bytes(tacoreader.load(made).data.read_bytes("a"))
    return path


@pytest.fixture
def methaneset(tmp_path: Path, tog: Path) -> Path:
    """The folder of a dataset with a ZIP for each country, and an index."""
    samples = []
    for n, country in enumerate(["DZ", "TM", "DZ"]):
        image = Sample(id="image", path=tog)
        image.extend_with(Header())
        image.extend_with(GeotiffStats())
        mask = Sample(id="mask", path=write_tiff(tmp_path / f"mask{n}.tif", n))
        sample = Sample(id=f"plume_{n}", path=Tortilla(samples=[image, mask], strict_schema=False))
        sample.extend_with(STAC(crs="EPSG:32630", tensor_shape=(6, 64, 64), geotransform=GEOTRANSFORM, time_start=n))
        sample.extend_with(Plume(country=country, rate=100.5 * n))
        samples.append(sample)
    taco = Taco(tortilla=Tortilla(samples=samples), **about(curators=[Curator(name="A. Curator")]))
    (tmp_path / "out").mkdir()
    made = tacotoolbox.create(taco, tmp_path / "out" / "set.tacozip", group_by="plume:country")
    assert sorted(path.name for path in made if path.suffix == ".tacozip") == ["set_DZ.tacozip", "set_TM.tacozip"]
    return tmp_path / "out"


def test_methaneset_build(methaneset: Path, tmp_path: Path, tog: Path) -> None:
    with pytest.raises(pydantic.ValidationError):
        Plume(country="DZ", rate=-1)
    # The script puts the columns of the index into an order that is easier to read.
    level0 = methaneset / ".tacocat" / "level0.parquet"
    table = pq.read_table(level0)
    first = ["id", "type", "plume:country", "plume:rate"]
    pq.write_table(table.select(first + [each for each in table.column_names if each not in first]), level0)

    ds = tacoreader.load(str(methaneset / ".tacocat"))
    assert ds.data.columns[:4] == first
    rows = ds.data.to_pandas().sort_values("id")
    assert rows["plume:rate"].tolist() == [0, 100.5, 201] and rows["plume:country"].tolist() == ["DZ", "TM", "DZ"]
    children = ds.data.read("plume_1")
    assert bytes_at(children.read("image")) == tog.read_bytes() and first_pixel(children.read("mask")) == 1
    table = children.to_arrow().to_pylist()
    assert table[0]["taco:header"][:4] == b"LOVE" and table[1]["taco:header"] is None
    with rasterio.open(tog) as src:
        assert [band[2] for band in table[0]["geotiff:stats"]] == pytest.approx(src.read().mean(axis=(1, 2)), rel=1e-5)

    tacotoolbox.generate_markdown(methaneset / ".tacocat" / "COLLECTION.json", tmp_path / "README.md")
    tacotoolbox.generate_html(methaneset / ".tacocat" / "COLLECTION.json", tmp_path / "index.html")
    for page in ("README.md", "index.html"):
        text = (tmp_path / page).read_text("utf-8")
        assert "chips" in text and "A. Curator" in text and "plume:rate" in text


def test_methaneset_dilution(methaneset: Path, tmp_path: Path) -> None:
    """The script lists the files of a published set in a CSV, and builds another of what it finds at these places."""
    ds = tacoreader.load(str(methaneset / ".tacocat"))
    with open(tmp_path / "places.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "rate", "image", "mask"])
        writer.writeheader()
        for i, row in enumerate(ds.data.to_arrow().to_pylist()):
            children = ds.data.read(i)
            places = {name: children.read(name) for name in ("image", "mask")}
            writer.writerow({"id": row["id"], "rate": row["plume:rate"], **places})

    samples = []
    for _, row in pd.read_csv(tmp_path / "places.csv").iterrows():
        inner = [Sample(id=name, path=bytes_at(row[name])) for name in ("image", "mask")]
        background = Sample(id=f"background_{row['id']}", path=Tortilla(samples=inner), source=row["id"])
        background.extend_with({"rate": float(row["rate"])})
        samples.append(background)
    made = tacotoolbox.create(Taco(tortilla=Tortilla(samples=samples), **about()), tmp_path / "diluted.tacozip")
    diluted = tacoreader.load(str(made[0]))
    assert sorted(diluted.data["id"].to_pylist()) == [f"background_plume_{n}" for n in range(3)]
    for n, rate in enumerate([0, 100.5, 201]):
        sample = diluted.data.read(f"background_plume_{n}")
        assert first_pixel(sample.read("mask")) == n
        assert bytes_at(sample.read("image")) == bytes_at(ds.data.read(f"plume_{n}").read("image"))
        found = diluted.sql(f"SELECT rate, source FROM data WHERE id = 'background_plume_{n}'").data.to_arrow()
        assert found.to_pylist() == [{"rate": rate, "source": f"plume_{n}"}]


def test_validate_with_tacotiff(tog: Path, tmp_path: Path) -> None:
    sample = Sample(id="a", path=tog)
    sample.validate_with(TacoTIFF())
    sample.extend_with(TACOTIFFHeader())
    assert sample["taco:header"][:4] == b"LOVE"
    with pytest.raises(tacotoolbox.TacoValidationError, match="ZSTD"):
        Sample(id="b", path=write_tiff(tmp_path / "b.tif", 1)).validate_with(TacoTIFF())


def sample_of(path: Path) -> Sample:
    """Runs in another process, which sends the sample back."""
    sample = Sample(id=path.stem, path=path)
    sample.extend_with(STAC(crs="EPSG:32630", tensor_shape=(1, 8, 8), geotransform=GEOTRANSFORM, time_start=0))
    sample.extend_with({"value": first_pixel(str(path))})
    return sample


def test_pickled_samples(tmp_path: Path) -> None:
    paths = [write_tiff(tmp_path / f"tile_{n}.tif", n) for n in range(4)]
    with concurrent.futures.ProcessPoolExecutor(max_workers=2) as pool:
        samples = list(pool.map(sample_of, paths))
    assert [sample.value for sample in samples] == [0, 1, 2, 3]
    made = tacotoolbox.create(Taco(tortilla=Tortilla(samples=samples), **about()), tmp_path / "x.tacozip")
    rows = tacoreader.load(str(made[0])).data
    assert [first_pixel(rows.read(n)) for n in range(4)] == [0, 1, 2, 3]
    assert rows["value"].to_pylist() == [0, 1, 2, 3] and set(rows["stac:crs"].to_pylist()) == {"EPSG:32630"}


def test_oceantaco(tmp_path: Path) -> None:
    """FOLDERs of days and regions, of files that each have a place; GDAL paths are parsed, not opened."""
    days = []
    for day in range(4):
        regions = []
        for region, lon in (("atlantic", -30.0), ("indian", 70.0)):
            sample = Sample(id=region, path=f"{day} {region}".encode(), sensor="ssh")
            sample.extend_with({"stac:centroid": shapely.to_wkb(shapely.Point(lon, 10))})
            regions.append(sample)
        days.append(Sample(id=f"day_{day}", path=Tortilla(samples=regions), **{
            "stac:time_start": pd.Timestamp("2024-01-01") + pd.Timedelta(days=day)}))  # fmt: skip
    made = tacotoolbox.create(Taco(tortilla=Tortilla(samples=days), **about()), tmp_path / "ocean.tacozip")

    dataset = tacoreader.load(str(made[0]))
    table = dataset.filter_datetime("2024-01-02/2024-01-03").filter_bbox(-40, 0, -20, 20, level=1).flatten()
    names = list(table.column_names)
    assert names[-1] == "gdal_vsi" and not any("internal:" in name for name in names)
    assert [name[:3] for name in names[:-1]] == sorted((name[:3] for name in names[:-1]), reverse=True)
    found = zip(*(table[name].to_pylist() for name in ("l0:id", "l1:id", "l1:sensor", "gdal_vsi")))
    assert [(day, region, sensor, bytes_at(path)) for day, region, sensor, path in found] == [
        ("day_1", "atlantic", "ssh", b"1 atlantic"),
        ("day_2", "atlantic", "ssh", b"2 atlantic"),
    ]
    whole_day = dataset.filter_datetime("2024-01-04").flatten()
    assert [bytes_at(path) for path in whole_day["gdal_vsi"].to_pylist()] == [b"3 atlantic", b"3 indian"]


def test_terrakit(tmp_path: Path) -> None:
    """Images and labels side by side as samples of one list; the label gets the place of its image."""
    samples = []
    for n in range(2):
        data_path = write_tiff(tmp_path / f"tile{n}.data.tif", n, 2)
        label_path = write_tiff(tmp_path / f"tile{n}.label.tif", 10 + n)
        with rasterio.open(data_path) as src:
            stac = STAC(
                crs=src.crs.to_string(),
                tensor_shape=(src.count, src.height, src.width),
                geotransform=src.transform.to_gdal(),
                time_start=1704067200000000 + n,
                sample_id=data_path.name,
            )
        data, label = Sample(id=data_path.name, path=data_path), Sample(id=label_path.name, path=label_path)
        data.extend_with(stac)
        label.extend_with(stac.model_copy(update={"sample_id": label_path.name}))
        samples += [data, label]
    extent = Extent(spatial=[-4, 39, -2, 40], temporal=["2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"])
    taco = Taco(tortilla=Tortilla(samples=samples), **about(extent=extent))
    made = tacotoolbox.create(taco, tmp_path / "terrakit.tacozip")
    rows = tacoreader.load(str(made[0])).data.to_arrow().to_pylist()
    assert [row["id"] for row in rows] == ["tile0.data.tif", "tile0.label.tif", "tile1.data.tif", "tile1.label.tif"]
    assert [first_pixel(row["internal:gdal_vsi"]) for row in rows] == [0, 10, 1, 11]
    assert rows[0]["stac:centroid"] == rows[1]["stac:centroid"] == rows[2]["stac:centroid"]
    assert [row["stac:time_start"].microsecond for row in rows] == [0, 0, 1, 1]
    assert tacoreader.load(str(made[0])).extent["spatial"] == [-4, 39, -2, 40]


def placed(id: str, path: Path, lon: float, lat: float) -> Sample:
    sample = Sample(id=id, path=path)
    degrees = (lon - 0.04, 0.01, 0, lat + 0.04, 0, -0.01)
    sample.extend_with(STAC(crs="EPSG:4326", tensor_shape=(1, 8, 8), geotransform=degrees, time_start=0))
    return sample


def test_recipe_level0(tmp_path: Path) -> None:
    """The recipe makes a table of level 0 of its samples before it writes them."""
    samples = [placed(f"s{n}", write_tiff(tmp_path / f"s{n}.tif", n), 10 * n, 5) for n in range(3)]
    level0 = pd.DataFrame([sample.model_dump() for sample in samples])
    assert level0["id"].tolist() == ["s0", "s1", "s2"] and level0["type"].unique().tolist() == ["FILE"]
    assert level0["path"].tolist() == [tmp_path / f"s{n}.tif" for n in range(3)]
    level0["split"] = np.where(shapely.get_x(shapely.from_wkb(level0["stac:centroid"])) > 5, "train", "test")
    for sample, split in zip(samples, level0["split"]):
        sample.extend_with({"split": split})
    made = tacotoolbox.create(Taco(tortilla=Tortilla(samples=samples), **about()), tmp_path / "x.tacozip")
    assert tacoreader.load(str(made[0])).data["split"].to_pylist() == ["test", "train", "train"]


@pytest.mark.parametrize("output", ["recipe.tacozip", "recipe"])
def test_taco_recipes(tmp_path: Path, output: str) -> None:
    """All recipes take the centroid of a sample from its dump, some to give it to its FOLDER."""
    sample = placed("image", write_tiff(tmp_path / "image.tif", 7), -70.5, -33.25)
    centroid = sample.model_dump()["stac:centroid"]
    point = shapely.from_wkb(centroid)
    assert (point.x, point.y) == pytest.approx((-70.5, -33.25))
    folder = Sample(id="tile", path=Tortilla(samples=[sample]))
    folder.extend_with({"stac:centroid": centroid, "lon": point.x})
    (made,) = tacotoolbox.create(Taco(tortilla=Tortilla(samples=[folder]), **about()), tmp_path / output)
    dataset = tacoreader.load(str(made))
    assert dataset.data["stac:centroid"].to_pylist() == [centroid]
    assert dataset.data["lon"].to_pylist() == pytest.approx([-70.5])
    assert len(dataset.filter_bbox(-71, -34, -70, -33).data) == 1
    assert len(dataset.filter_bbox(0, 0, 1, 1).data) == 0
    assert first_pixel(dataset.data.read("tile").read("image")) == 7


def test_cookiecutter_taco(tmp_path: Path) -> None:
    """The template writes the description of a dataset by itself, and makes its pages of that."""
    samples = [placed("a", write_tiff(tmp_path / "a.tif", 1), 1, 2)]
    taco = Taco(tortilla=Tortilla(samples=samples), **about(title="Chips of a scene", keywords=["chips"]))
    collection = taco.model_dump(exclude={"tortilla"}, mode="json")
    (tmp_path / "COLLECTION.json").write_text(json.dumps(collection, indent=4))
    assert "tortilla" not in collection
    assert (collection["id"], collection["title"], collection["tasks"]) == (
        "chips", "Chips of a scene", ["semantic-segmentation"])  # fmt: skip
    assert collection["providers"][0]["name"] == "Lab" and collection["providers"][0]["roles"] == ["producer"]
    assert collection["extent"]["spatial"] == pytest.approx([0.96, 1.96, 1.04, 2.04])
    write: Callable[..., Any]
    for write, name in ((tacotoolbox.generate_markdown, "README.md"), (tacotoolbox.generate_html, "index.html")):
        write(tmp_path / "COLLECTION.json", tmp_path / name)
        text = (tmp_path / name).read_text("utf-8")
        assert "Chips of a scene" in text and "Lab" in text and "CC-BY-4.0" in text
