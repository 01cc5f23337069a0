"""Writers of 0.x by the calls of scripts for pytortilla and tacotoolbox; tests/v1_published/check.py compares their files
with those of the published packages."""

from __future__ import annotations

import datetime as dt
import importlib.util
import inspect
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tacore
from tacore import v1
from tacore.v1 import edit, tortilla
from tacore.v1.datamodel import Collection
from tacore.v1.specification import Contact, Extent, OpticalData, SpectralBand
from tacore.v1.tortilla.datamodel import RAI, STAC, Sample, Samples

numpy = pytest.importorskip("numpy")
pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

ROOT = Path(__file__).resolve().parents[2]
GRID: dict[str, Any] = {
    "crs": "EPSG:32725",
    "raster_shape": (64, 64),
    "geotransform": (288776.25, 28.5, 0, 9120760.75, 0, -28.5),
}

TIMES = [["2020-01-01T00:00:00Z", "2020-12-31T00:00:00Z"]]


def _scripts() -> Any:
    spec = importlib.util.spec_from_file_location("scripts", ROOT / "tests" / "v1_published" / "scripts.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["scripts"] = module
    spec.loader.exec_module(module)
    return module


scripts = _scripts()
TACORE = scripts.Packages(tortilla, v1, v1)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Three rasters, by name."""
    rows = tacore.load(ROOT / "examples" / "data" / "landsat.tacozip").data
    folder = tmp_path_factory.mktemp("rasters")
    out = {}
    for row, name in enumerate(rows.to_arrow()["id"].to_pylist()[:3]):
        out[name] = folder / f"{name}.tif"
        out[name].write_bytes(rows.read_bytes(row))
    return out


@pytest.fixture
def names_of_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables that come with pytortilla, with the codes of the layers of `scripts.EarthEngine`."""
    data = tmp_path / "pytortilla" / "datamodel" / "data"
    data.mkdir(parents=True)
    (tmp_path / "pytortilla" / "__init__.py").touch()
    code = len("projects/ee-csaybar-real/assets/admin0")
    for level in range(3):
        table = pyarrow.table({f"admin_code{level}": [0, code], "name": ["no", f"place {level}"]})
        parquet.write_table(table, data / f"rai_admin{level}.parquet")
    monkeypatch.syspath_prepend(tmp_path)


def make(files: dict[str, Path], **more: Any) -> Samples:
    return Samples(samples=[{"id": id, "file_format": "GTiff", "path": path, **more} for id, path in files.items()])


def fails(error: type[Exception], match: str, call: Callable[[], object]) -> None:
    with pytest.raises(error, match=match):
        call()


def test_a_tortilla_of_tortillas_has_the_metadata_of_its_samples(files: dict[str, Path], tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="'2016', which is 2016 seconds after 1970"):
        *parts, path = scripts.burn_scars(TACORE, files, tmp_path)
    table = v1.load(path)
    assert list(table["tortilla:id"]) == ["sample_0", "sample_1", "sample_2"]
    assert list(table["tortilla:file_format"]) == ["TORTILLA"] * 3
    assert list(table["tortilla:data_split"]) == ["train", "test", "validation"]
    assert list(table["stac:time_start"]) == [2016.0] * 3
    assert list(table["stac:centroid"]) == ["POINT (-34.907933 -7.958105)"] * 3
    for row, (part, raster) in enumerate(zip(parts, files.values())):
        inner = table.read(row)
        assert list(inner["tortilla:id"]) == ["image", "label"]
        assert list(inner["stac:time_start"]) == [local(2018, 6, 1)] * 2
        assert content(inner.read(1)) == raster.read_bytes()
        offset, length, _ = table.get_internal_path(table.iloc[row])
        assert path.read_bytes()[offset : offset + length] == part.read_bytes()


def local(*date: int) -> float:
    """Seconds since 1970 of a day without a time zone, as published packages count them."""
    return dt.datetime(*date).timestamp()


def content(place: str) -> bytes:
    """What GDAL opens."""
    where, _, path = place.removeprefix("/vsisubfile/").partition(",")
    offset, size = map(int, where.split("_"))
    return Path(path).read_bytes()[offset : offset + size]


def test_columns_of_some_samples_are_null_in_others(files: dict[str, Path], tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="'2020'"):
        first, second, _ = scripts.detection(TACORE, files, tmp_path)
    assert "lon" not in v1.load(first).columns
    table = v1.load(second)
    assert table["lon"].isna().tolist() == table["stac:crs"].isna().tolist() == [False, True]
    assert list(table["tortilla:file_format"]) == ["GTiff", "HDF5"]


def test_values_of_numpy_and_pandas_are_stored(files: dict[str, Path], tmp_path: Path) -> None:
    (path,) = scripts.floods(TACORE, files, tmp_path)
    assert path == tmp_path / "new" / "floods.tortilla"
    table = v1.load(path)
    assert list(table["stac:time_start"]) == [1514764800.0, 1549166706.25, 1609372800.0]
    assert list(table["stac:time_end"]) == [local(2018, 1, 2), 1549170000.0, local(2021, 1, 1)]
    assert list(table["aoi"]) == [1, 2, 3]
    assert [list(each) for each in table["labels"]] == [["a", "b"], [], ["c"]]
    for name, missing in (("lon", 2), ("ems_code", 1), ("date", 1)):
        assert table[name].isna().tolist() == [row == missing for row in range(3)]
    assert table["date"][0] == pandas.Timestamp("2018-01-01")
    assert list(table["add_test_split"]) == [True, False, True]


def test_earth_engine_gives_rai(files: dict[str, Path], names_of_places: None) -> None:
    samples = make(files, stac_data={**GRID, "time_start": 5, "centroid": "POINT (10.5 -20)"}, cloud=1)
    with scripts.EarthEngine():
        assert samples.include_rai_metadata(sample_footprint=100, cache=False, quiet=True) is samples
    found = samples.samples[0].rai_data
    assert found is not None
    assert found.ele == len("projects/sat-io/open-datasets/GLO-30") + 10.5 / 100 - 20
    assert (found.admin0, found.admin1, found.admin2) == ("place 0", "place 1", "place 2")
    assert samples.samples[2].cloud == 1


def test_rai_needs_its_packages(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    samples = make(files, stac_data={**GRID, "time_start": 5})
    monkeypatch.setitem(sys.modules, "ee", None)
    fails(ImportError, "earthengine-api", samples.include_rai_metadata)
    with scripts.EarthEngine():
        fails(tacore.TacoSchemaError, "has no stac_data", make(files).include_rai_metadata)
        if importlib.util.find_spec("pytortilla") is None:
            fails(ImportError, "come with the published package", samples.include_rai_metadata)


def test_models_check_and_convert_their_fields() -> None:
    stac = STAC(**{**GRID, "raster_shape": numpy.array([3, 4]), "geotransform": ["1", 2, 0, 4, 0, -6]}, time_start=True)
    assert (stac.raster_shape, stac.geotransform, stac.time_start) == ((3, 4), (1.0, 2.0, 0.0, 4.0, 0.0, -6.0), 1)
    assert [type(each) for each in (*stac.raster_shape, *stac.geotransform)] == [int] * 2 + [float] * 6
    utc = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    assert STAC(**GRID, time_start=utc, time_end="2020-01-01T00:00:00Z").time_end == 1577836800.0
    assert STAC(**GRID, time_start=dt.date(2020, 1, 1)).time_start == dt.datetime(2020, 1, 1).timestamp()
    sample = Sample(id="a", file_format="GTiff", path="a.tif", stac_data=stac, cloud=0.5)
    assert (sample.path, sample.cloud, sample.stac_data) == (Path("a.tif"), 0.5, stac)
    assert sample.model_dump()["cloud"] == 0.5
    assert sample.model_copy(update={"cloud": 1}).cloud == 1
    assert pickle.loads(pickle.dumps(sample)) == sample
    assert repr(sample).startswith("Sample(id='a', file_format='GTiff', path=")
    assert list(inspect.signature(STAC).parameters) == [*GRID, "time_start", "centroid", "time_end"]
    with pytest.warns(UserWarning, match="STAC has no field more"):
        STAC(**GRID, time_start=1, more=2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: STAC(**GRID), "STAC.time_start is missing"),
        (lambda: STAC(**{**GRID, "crs": 4326}, time_start=1), "STAC.crs is 4326, text expected"),
        (lambda: STAC(**{**GRID, "crs": None}, time_start=1), "STAC.crs is None"),
        (lambda: STAC(**{**GRID, "raster_shape": (1, 2, 3)}, time_start=1), "has 3 items, 2 expected"),
        (lambda: STAC(**{**GRID, "raster_shape": (1, 2.5)}, time_start=1), r"raster_shape\[1\] is 2.5, an integer"),
        (lambda: STAC(**{**GRID, "geotransform": 5}, time_start=1), "geotransform is 5, a list expected"),
        (lambda: STAC(**GRID, time_start="2020-13-01"), "time_start is '2020-13-01', seconds since 1970"),
        (lambda: STAC(**GRID, time_start=None), "time_start is None"),
        (lambda: STAC(**GRID, time_start=pandas.NaT), "time_start is NaT"),
        (lambda: STAC(**GRID, time_start=5, time_end=4), "time_end is 4, a time not before time_start 5"),
        (lambda: RAI(ele=1), "RAI.cisi is missing"),
        (lambda: Sample(id=1, file_format="GTiff", path="a"), "Sample.id is 1, text expected"),
        (lambda: Sample(id="a", file_format="GTiff", path=b"a"), "Sample.path is b'a', a path expected"),
        (lambda: Sample(id="a", file_format="GTiff", path="a", data_split="val"), "'train' or 'validation' or 'test'"),
        (lambda: Sample(id="a", file_format="GTiff", path="a", stac_data=5), "a STAC or a dict of its fields"),
        (lambda: Samples(samples=[5]), r"Samples.samples\[0\] is 5, a Sample or a dict"),
        (lambda: Samples(samples="a"), "Samples.samples is 'a', a list expected"),
    ],
)
def test_a_wrong_field_is_a_value_error_that_names_it(call: Callable[[], object], message: str) -> None:
    fails(tacore.TacoSchemaError, message, call)
    assert issubclass(tacore.TacoSchemaError, ValueError)


def test_samples_have_unique_ids_and_files(files: dict[str, Path], tmp_path: Path) -> None:
    sample = make(files).samples[0]
    fails(tacore.TacoSchemaError, "two samples of the id", lambda: Samples(samples=[sample, sample]))
    lost = Sample(id="a", file_format="GTiff", path=tmp_path / "lost.tif")
    fails(FileNotFoundError, "lost.tif does not exist", lambda: Samples(samples=[lost]))


def test_metadata_is_a_table_of_pandas_and_files_are_checked(files: dict[str, Path]) -> None:
    samples = make(files, data_split="train", stac_data={**GRID, "time_start": 5}, cloud=None)
    table = samples.export_metadata(nworkers=2, chunk_size=1)
    leading = ["internal:path", "tortilla:id", "tortilla:file_format", "tortilla:data_split", "tortilla:offset"]
    assert list(table.columns)[:5] == leading
    assert "cloud" not in table.columns
    assert list(table["tortilla:length"]) == [path.stat().st_size for path in files.values()]

    def read(path: Path) -> None:
        if path == list(files.values())[1]:
            raise OSError

    assert samples.deep_validator(read, max_workers=2) == [list(files.values())[1]]
    assert samples.deep_validator(lambda path: path.read_bytes()) == []


def test_a_tortilla_is_split_and_replaced(files: dict[str, Path], tmp_path: Path) -> None:
    size = max(path.stat().st_size for path in files.values()) // 1000 + 1
    titles: list[str] = []
    path = tmp_path / "x.tortilla"
    paths = tortilla.create(
        make(files), path, 2, f"{size} kb", "1MB", tortilla_message=lambda: titles.append("") or "Baking", quiet=True
    )
    assert titles == [""]
    assert paths == [tmp_path / f"x.000{part}.part.tortilla" for part in range(3)]
    assert list(v1.load(paths)["tortilla:id"]) == list(files)
    for _ in range(2):
        assert tortilla.create(make(files, cloud=1), path, quiet=True) == path
    assert list(v1.load(path)["cloud"]) == [1, 1, 1]


def test_any_name_of_a_column_is_kept(files: dict[str, Path], tmp_path: Path) -> None:
    names = ["cloud cover", "split", "type", "v1:x", "stac:tensor_shape", "tortilla:data", "é_%", "_a", "a:b:c", "x"]
    samples = make(files, **{name: position for position, name in enumerate(names)})
    table = v1.load(tortilla.create(samples, tmp_path / "x.tortilla", quiet=True))
    for position, name in enumerate(names):
        assert list(table["type_1" if name == "type" else name]) == [position] * 3


def test_wrong_calls_of_create_write_nothing(files: dict[str, Path], tmp_path: Path) -> None:
    new = tmp_path / "new" / "x.tortilla"
    create: Any = tortilla.create
    fails(tacore.TacoSchemaError, "no samples", lambda: create(Samples(samples=[]), new))
    fails(tacore.TacoValidationError, "chunk_size is '20', a number of KB", lambda: create(make(files), new, 1, "20"))
    fails(tacore.TacoValidationError, r"\.tortilla", lambda: create(make(files), new.with_suffix(".bin")))
    fails(tacore.TacoSchemaError, "a slash", lambda: create(Samples(samples=[make(files).samples[0].model_copy(
        update={"id": "a/b"})]), new))  # fmt: skip
    fails(TypeError, "Samples are expected, not list", lambda: create([], new))
    of_text = Sample(id="t", file_format="TORTILLA", path=__file__)
    fails(tacore.TacoValidationError, "is not one", lambda: create(Samples(samples=[of_text]), new))
    mixed = make(files)
    mixed.samples[0].x, mixed.samples[1].x = 1, "a"
    fails(tacore.TacoSchemaError, "field 'x' has int64 and string", lambda: create(mixed, new))
    nowhere = make(files, stac_data={**GRID, "crs": "nonsense", "time_start": 1})
    fails(tacore.TacoSchemaError, "nonsense", lambda: create(nowhere, new))
    assert not new.parent.exists()


def collection(**more: Any) -> Collection:
    return Collection(**{**scripts.MINICUBES, **more})


def test_a_taco_of_tortillas_has_its_collection(files: dict[str, Path], tmp_path: Path) -> None:
    *parts, path = scripts.minicubes(TACORE, files, tmp_path)
    table, stored = v1.load(path, collection=True)
    assert list(table["tortilla:id"]) == ["c0", "c1"]
    assert list(table["cloud cover"]) == [0.25, 0.5]
    assert list(table["split"]) == ["a", "b"]
    assert list(table["stac:time_end"]) == [1472169600.0] * 2
    assert list(table["tortilla:length"]) == [part.stat().st_size for part in parts]
    assert stored == v1.load_metadata(path)
    kept = ("id", "dataset_version", "description", "licenses", "keywords", "task", "split_strategy", "scientific")
    assert {name: stored[name] for name in kept} == {name: scripts.MINICUBES[name] for name in kept}
    assert stored["extent"] == {"spatial": [-180.0, -60.0, 180.0, 80.0], "temporal": [1451606400000, 1672531199000]}
    assert [band["name"] for band in stored["optical_data"]["bands"]] == ["B02", "B03"]
    assert stored["curators"][0]["emails"] == [{"value": "ada@example.org", "roles": None}]


def test_a_taco_has_rai_and_missing_values(files: dict[str, Path], tmp_path: Path, names_of_places: None) -> None:
    with scripts.EarthEngine():
        *_, path = scripts.worldfloods(TACORE, files, tmp_path)
    table = v1.load(path)
    assert list(table["source"].isna()) == list(table["days_diff"].isna()) == [True, False]
    assert list(table["rai:admin2"]) == ["place 2"] * 2
    assert list(table["stac:time_start"]) == [1557136800.123456] * 2
    classes = v1.load_metadata(path)["labels"]["label_classes"]
    assert [(each["name"], each["category"]) for each in classes] == [("land", 0), ("water", "1")]


def test_parts_of_a_taco_have_the_collection_without_empty_links(files: dict[str, Path], tmp_path: Path) -> None:
    with pytest.warns(UserWarning) as told:
        paths = scripts.austria(TACORE, files, tmp_path)
    texts = [str(each.message) for each in told]
    assert "Contact has no field email; left out" in texts
    left_out = "discuss_link, raw_link, scientific.publications"
    assert f"collection 'sen2austria': left out, since a text is empty: {left_out}" in texts
    assert [path.name for path in paths] == [f"austria.000{part}.part.taco" for part in range(3)]
    stored = v1.load_metadata(paths)
    assert stored["raw_link"] is None
    assert stored["scientific"] == {"doi": "", "citation": "a", "summary": "", "publications": []}
    assert list(v1.load(paths)["corine"]) == [0, 1, 2]


def test_create_takes_arguments_of_both_forms(files: dict[str, Path], tmp_path: Path) -> None:
    create: Any = v1.create
    made, path = collection(), tmp_path / "x.taco"
    calls: list[Callable[[], object]] = [
        lambda: create(made, make(files), path, 2, "20GB", "100MB", True),
        lambda: create(made, make(files), output=path, nworkers=1, quiet=True),
        lambda: create(samples=make(files), collection=made.model_dump(), output=path, quiet=True),
    ]
    texts = set()
    for call in calls:
        assert call() == path
        texts.add(path.read_bytes())
    assert len(texts) == 1
    (own,) = create(
        tacore.datamodel.Tortilla.from_columns(["a"], [__file__]), tmp_path / "y.taco", made, progress=False
    )
    assert v1.load_metadata(own) == v1.load_metadata(path)


def test_a_tortilla_becomes_a_taco_and_back(files: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "x.tortilla"
    tortilla.create(make(files), path, quiet=True)
    before = path.read_bytes()
    change: Any = v1.tortilla2taco
    assert change(tortilla=str(path), collection=collection(title="New")) == path
    assert v1.load_metadata(path)["title"] == "New"
    back: Any = v1.taco2tortilla
    assert back(taco=path) == path
    assert path.read_bytes() == before
    fails(tacore.TacoFormatError, "no collection", lambda: v1.load_metadata(path))


def test_optical_data_has_the_bands_of_a_known_sensor() -> None:
    some = OpticalData(sensor="sentinel2msi[B04, B03]")
    assert some.sensor == "sentinel2msi"
    assert [band.name for band in some.bands or ()] == ["B04", "B03"]
    assert len(OpticalData(sensor="landsat8oli").bands or ()) == 11
    assert OpticalData(sensor="neon-ais").bands is None
    assert OpticalData(sensor="neon-ais", bands=[{"name": "x", "index": "3"}]).bands == [
        SpectralBand(name="x", index=3)
    ]
    fails(tacore.TacoSchemaError, "B99", lambda: OpticalData(sensor="sentinel2msi[B99]"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Collection(id="x"), "Collection.dataset_version is missing"),
        (lambda: collection(id="My set"), "Collection.id is 'My set', lower-case letters, digits"),
        (lambda: collection(title="t" * 251), "Collection.title has 251 characters, at most 250"),
        (lambda: collection(task="guessing"), "Collection.task is 'guessing', 'regression' or"),
        (lambda: collection(split_strategy="any"), "Collection.split_strategy is 'any'"),
        (lambda: collection(licenses="MIT"), "Collection.licenses is 'MIT', a list expected"),
        (lambda: collection(providers=[{}]), "Contact has neither name nor organization"),
        (lambda: collection(providers=["me"]), r"providers\[0\] is 'me', a Contact or a dict"),
        (lambda: Contact(name="a", emails=[{"value": "a"}]), "Info.value is 'a', an e-mail address or \\+NUMBER"),
        (lambda: Contact(name="a", phones=[{"value": "0034"}]), "Info.value is '0034'"),
        (lambda: Extent(spatial=[], temporal=[]), "Extent.spatial is empty"),
        (lambda: Extent(spatial=[[0, 0, 1]], temporal=TIMES), "4 or 6 numbers from -180 to 180"),
        (lambda: Extent(spatial=[[0, 0, 1, 181]], temporal=TIMES), "4 or 6 numbers from -180 to 180"),
        (lambda: Extent(spatial=[[0, 0, 1, 1]], temporal=[["2020-01-01", "2021"]]), "start and end in RFC 3339"),
        (lambda: Extent(spatial=[[0, 0, 1, 1]], temporal=[[None, None]]), r"temporal\[0\]\[0\] is None, text"),
        (lambda: OpticalData(bands=[]), "OpticalData.sensor is missing"),
        (lambda: collection(labels={"label_classes": [{"name": "a"}]}), "LabelClass.category is missing"),
        (lambda: collection(scientific={"doi": "a"}), "Scientific.citation is missing"),
        (lambda: collection(raw_link={}), "HyperLink.href is missing"),
    ],
)
def test_a_wrong_member_is_a_value_error_that_names_it(call: Callable[[], object], message: str) -> None:
    fails(tacore.TacoSchemaError, message, call)


def test_rules_of_a_collection_are_checked_before_anything_is_written(files: dict[str, Path], tmp_path: Path) -> None:
    create: Any = v1.create
    path = tmp_path / "new" / "x.taco"
    wrong = collection(licenses=[])
    fails(tacore.TacoValidationError, "licenses is empty", lambda: create(wrong, make(files), path, quiet=True))
    fails(tacore.TacoValidationError, "taco", lambda: create(collection(), make(files), path.with_suffix(".x")))
    fails(TypeError, "Samples are expected, not list", lambda: create(collection(), [], path))
    fails(
        TypeError,
        r"create\(\) got an unexpected .*'overwrite'",
        lambda: create(wrong, make(files), path, overwrite=True),
    )
    assert not path.parent.exists()


@pytest.fixture
def taco(files: dict[str, Path], tmp_path: Path) -> Path:
    path = tmp_path / "x.taco"
    create: Any = v1.create
    return Path(create(collection(), make(files, cloud=1), path, quiet=True))


def test_a_collection_is_replaced(taco: Path) -> None:
    before = v1.load(taco)
    other = collection(id="other", title="Other", keywords=None)
    assert edit.edit_collection(str(taco), other) == taco
    stored = v1.load_metadata(taco)
    assert (stored["id"], stored["title"], stored["keywords"]) == ("other", "Other", None)
    assert v1.load(taco).equals(before)
    link = taco.with_name("link.taco")
    link.symlink_to(taco)
    assert edit.collection(link, {**other.model_dump(), "title": "Third"}) == link
    assert v1.load_metadata(taco)["title"] == "Third"
    assert link.is_symlink()
    assert sorted(each.name for each in taco.parent.iterdir()) == ["link.taco", "x.taco"]


def test_columns_are_replaced(taco: Path, tmp_path: Path, files: dict[str, Path]) -> None:
    stored = v1.load_metadata(taco)
    for path in (taco, Path(str(tortilla.create(make(files, cloud=1), tmp_path / "x.tortilla", quiet=True)))):
        table = v1.load(path)
        table["label"] = ["a", None, "c"]
        table["cloud"] = [0.5, 1, 2]
        table["tortilla:data_split"] = ["train", "test", "validation"]
        table["geometry"] = 0
        assert edit.edit_footer(path, table.iloc[::-1]) == path
        assert "geometry" in table.columns
        found = v1.load(path)
        assert list(found["cloud"]) == [0.5, 1, 2]
        assert found["label"].isna().tolist() == [False, True, False]
        assert list(found["tortilla:data_split"]) == ["train", "test", "validation"]
        assert [content(found.read(row)) for row in range(3)] == [each.read_bytes() for each in files.values()]
        edit.edit_footer(path, found.drop(columns=["label", "tortilla:offset"]))
        assert list(v1.load(path).columns) == [name for name in found.columns if name != "label"]
        before = path.read_bytes()
        edit.edit_footer(path, v1.load(path))
        assert path.read_bytes() == before
    assert v1.load_metadata(taco) == stored


def test_a_wrong_edit_changes_nothing(taco: Path, tmp_path: Path, files: dict[str, Path]) -> None:
    before, table = taco.read_bytes(), v1.load(taco)
    lost = tmp_path / "lost.taco"
    wrong = tacore.TacoValidationError
    fails(FileNotFoundError, "lost.taco", lambda: edit.edit_collection(lost, collection()))
    fails(FileNotFoundError, "lost.taco", lambda: edit.edit_footer(lost, table))
    fails(wrong, "licenses is empty", lambda: edit.edit_collection(taco, collection(licenses=[])))
    fails(wrong, "does not have the samples", lambda: edit.edit_footer(taco, table.head(2)))
    fails(wrong, "does not have the samples", lambda: edit.edit_footer(taco, table.drop(columns="tortilla:id")))
    fails(wrong, "tortilla:offset cannot be", lambda: edit.edit_footer(taco, table.assign(**{"tortilla:offset": 1})))
    fails(tacore.TacoSchemaError, "cannot be called 'id'", lambda: edit.edit_footer(taco, table.assign(id=1)))
    fails(tacore.TacoSchemaError, "'my col'", lambda: edit.edit_footer(taco, table.assign(**{"my col": 1})))
    fails(TypeError, "pandas.DataFrame is expected", lambda: edit.edit_footer(taco, [table]))
    fails(wrong, "dev", lambda: edit.edit_footer(taco, table.assign(**{"tortilla:data_split": "dev"})))
    assert taco.read_bytes() == before
    path = Path(str(tortilla.create(make(files), tmp_path / "x.tortilla", quiet=True)))
    fails(ValueError, "x.tortilla", lambda: edit.edit_collection(path, collection()))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["x.taco", "x.tortilla"]
