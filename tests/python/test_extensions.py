"""Extensions: what the Python layer adds."""

from __future__ import annotations

import copy
import datetime as dt
import pickle
import re
import struct
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import tacore
from tacore.datamodel import (
    ISTAC,
    RAI,
    STAC,
    SUPPORTED_SENSORS,
    Change,
    Flood,
    GeoEnrich,
    GeotiffStats,
    Header,
    LabelClass,
    Labels,
    LandCover,
    MajorTOM,
    Methane,
    OpticalData,
    Publication,
    Publications,
    RaiStatement,
    Sample,
    SampleExtension,
    Scaling,
    SpatialGrouping,
    SpectralBand,
    Split,
    SplitStrategy,
    Tortilla,
    check_convention,
    flood_labels,
    optical_bands,
    with_folder_places,
    with_geotiff_stats,
    with_stac,
)
from toolbox import flat, make_taco, placed, point

polars = pytest.importorskip("polars")
pandas = pytest.importorskip("pandas")
pydantic = pytest.importorskip("pydantic")

SCENE = Path(__file__).resolve().parents[2] / "examples" / "data" / "scene"
STAC_COLUMNS = {
    "stac:crs": pa.string(),
    "stac:tensor_shape": pa.list_(pa.int64()),
    "stac:geotransform": pa.list_(pa.float64()),
    "stac:time_start": pa.timestamp("us"),
    "stac:centroid": pa.binary(),
    "stac:time_end": pa.timestamp("us"),
    "stac:time_middle": pa.timestamp("us"),
}


def stac(**more: Any) -> STAC:
    fields: dict[str, Any] = {
        "crs": "EPSG:4326",
        "tensor_shape": (3, 10, 20),
        "geotransform": (0, 1, 0, 10, 0, -1),
        "time_start": 0,
    }
    return STAC(**{**fields, **more})


def extended(*extensions: Any) -> dict[str, Any]:
    sample = Sample(id="s", path=b"")
    for extension in extensions:
        sample.extend_with(extension)
    keys = sample.keys()
    return {key: sample[key] for key in keys}


def columns(extension: Any) -> dict[str, pa.DataType]:
    table = extension(Sample(id="s", path=b""))
    return dict(zip(table.column_names, table.schema.types))


# Extensions in Python.


@pytest.mark.parametrize(
    "schema",
    [
        {"e:i": polars.Int8, "e:f": polars.List(polars.Float32), "e:t": polars.Datetime("us")},
        {"e:i": pa.int8(), "e:f": pa.list_(pa.float32()), "e:t": pa.timestamp("us")},
        {"e:i": "int8", "e:f": "list<item: float>", "e:t": "timestamp[us]"},
        pa.schema([("e:i", pa.int8()), ("e:f", pa.list_(pa.float32())), ("e:t", pa.timestamp("us"))]),
        polars.DataFrame(schema={"e:i": polars.Int8, "e:f": polars.List(polars.Float32), "e:t": polars.Datetime("us")}),
    ],
)
@pytest.mark.parametrize("kind", ["dict", "rows", "arrow", "polars", "pandas", "model", "null"])
def test_a_schema_and_a_row_may_have_any_form(schema: Any, kind: str) -> None:
    row = {"e:i": 5, "e:f": [1.5], "e:t": dt.datetime(2020, 1, 1)}
    answers = {
        "dict": lambda: row,
        "rows": lambda: [row],
        "arrow": lambda: pa.Table.from_pylist([row]),
        "polars": lambda: polars.DataFrame([row]),
        "pandas": lambda: pandas.DataFrame([row]),
        "model": lambda: pydantic.create_model("M", **{key: (Any, value) for key, value in row.items()})(),
        "null": lambda: dict.fromkeys(row),
    }

    class Made(SampleExtension):
        def get_schema(self) -> Any:
            return schema

        def _compute(self, sample: Sample) -> Any:
            return answers[kind]()

    expected = pa.schema([("e:i", pa.int8()), ("e:f", pa.list_(pa.float32())), ("e:t", pa.timestamp("us"))])
    for extension in (Made(), Made(schema_only=True), Made(return_none=True)):
        table = extension(Sample(id="s", path=b""))
        assert table.schema.equals(expected)
        assert table.to_pylist()[0] == (row if extension._is_off() is False and kind != "null" else dict.fromkeys(row))


class Fields(SampleExtension):
    threshold: float
    names: list[str] = []  # noqa: RUF012
    described: int = pydantic.Field(default=3, description="Of Pydantic")
    made: dict[str, int] = pydantic.Field(default_factory=dict)

    def get_schema(self) -> Any:
        return {"f:x": float, "f:n": int, "f:s": str}

    def _compute(self, sample: Sample) -> Any:
        self.names.append(sample.id)
        return {"f:x": self.threshold, "f:n": self.described, "f:s": self.names[0]}


class Checked(SampleExtension, pydantic.BaseModel):
    number: int = 1

    def get_schema(self) -> Any:
        return pa.schema([("c:n", pa.int16())])

    def _compute(self, sample: Sample) -> Any:
        return {"c:n": self.number}


class CheckedToo(pydantic.BaseModel, SampleExtension):
    number: int = pydantic.Field(default=1, ge=0)

    def get_schema(self) -> Any:
        return pa.schema([("c:n", pa.int16())])

    def _compute(self, sample: Sample) -> Any:
        return {"c:n": self.number}


class Plain(SampleExtension):
    def __init__(self, number: int) -> None:
        self.number = number

    def get_schema(self) -> Any:
        return {"p:n": "int64"}

    def _compute(self, sample: Sample) -> Any:
        return {"p:n": self.number}


def test_annotated_fields_are_keyword_arguments() -> None:
    assert extended(Fields(threshold=1)) == {"f:x": 1.0, "f:n": 3, "f:s": "s"}
    assert Fields(threshold=1).names == []
    with pytest.raises(TypeError):
        Fields()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Fields(threshold=1, unknown=2)  # type: ignore[call-arg]
    assert extended(Plain(4)) == {"p:n": 4}
    assert pickle.loads(pickle.dumps(Fields(threshold=2))).threshold == 2


@pytest.mark.parametrize("cls", [Checked, CheckedToo])
def test_pydantic_may_check_the_fields(cls: Any) -> None:
    assert extended(cls(number="7")) == {"c:n": 7}
    assert extended(cls(return_none=True)) == {"c:n": None} == extended(cls(schema_only=True))
    with pytest.raises(pydantic.ValidationError):
        cls(number="many")


def test_an_extension_without_its_methods_is_abstract() -> None:
    class Half(SampleExtension):
        def get_schema(self) -> Any:
            return {}

    with pytest.raises(TypeError, match="abstract"):
        Half()  # type: ignore[abstract]


# Those that come with it.


@pytest.mark.parametrize("name", ["schema_only", "return_none"])
@pytest.mark.parametrize(
    "make", [stac, lambda **off: Split(split="train", **off), lambda **off: GeotiffStats(**off), Header]
)
def test_schema_only_gives_nulls_with_the_schema(make: Any, name: str) -> None:
    table = make(**{name: True})(Sample(id="s", path=b""))
    assert table.num_rows == 1 and all(value is None for value in table.to_pylist()[0].values())
    assert table.column_names == list(make().get_schema())


def test_stac_has_its_columns_with_descriptions() -> None:
    assert columns(stac()) == STAC_COLUMNS
    assert list(stac().get_field_descriptions()) == list(STAC_COLUMNS)


@pytest.mark.parametrize("wrong", [{"tensor_shape": (5,)}, {"crs": "nonsense"}, {"geotransform": (float("nan"),) * 6}])
def test_invalid_stac_values_are_errors_with_the_sample_id(wrong: Any) -> None:
    with pytest.raises(ValueError, match="the_id"):
        stac(sample_id="the_id", **wrong)


@pytest.mark.parametrize(
    "time",
    [
        1577836800000000,
        np.int64(1577836800000000),
        dt.datetime(2020, 1, 1),
        dt.datetime(2020, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))),
        dt.date(2020, 1, 1),
        np.datetime64("2020-01-01"),
        np.datetime64("2020-01-01T00:00:00", "ns"),
        pandas.Timestamp("2020-01-01"),
        "2020-01-01",
        "2020-01-01T00:00:00Z",
    ],
)
def test_times_are_accepted_in_every_form(time: Any) -> None:
    assert extended(stac(time_start=time))["stac:time_start"] == dt.datetime(2020, 1, 1)


@pytest.mark.parametrize("time", [1.5, None, True, "yesterday", [1]])
def test_values_that_are_not_times_are_refused(time: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        stac(time_start=time)


def test_istac_has_its_columns_with_values() -> None:
    ring = [(0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (0.0, 2.0), (0.0, 0.0)]
    polygon = struct.pack("<BIII", 1, 3, 1, 5) + b"".join(struct.pack("<dd", *corner) for corner in ring)
    made = ISTAC(crs="EPSG:4326", geometry=polygon, time_start="2020-01-01", time_end="2020-01-03")
    assert list(columns(made)) == [
        f"istac:{name}" for name in ("crs", "geometry", "time_start", "time_end", "time_middle", "centroid")
    ]
    values = extended(made)
    assert values["istac:centroid"] == point(2, 1) and values["istac:time_middle"] == dt.datetime(2020, 1, 2)
    for wrong in ({"geometry": b"x"}, {"geometry": struct.pack("<BII", 1, 3, 0)}, {"crs": "nonsense"}):
        with pytest.raises(ValueError):
            ISTAC(**{"crs": "EPSG:4326", "geometry": polygon, "time_start": 0, **wrong})
    with pytest.raises(TypeError):
        ISTAC(crs="EPSG:4326", geometry="POINT (1 2)", time_start=0)  # type: ignore[arg-type]


def test_scaling_takes_numbers_lists_and_arrays() -> None:
    scalar, lists = Scaling(scale_factor=0.5, scale_offset=1), Scaling(scale_factor=[0.5, 2], scale_offset=1)
    assert columns(scalar)["scaling:scale_factor"] == pa.float32()
    assert columns(lists)["scaling:scale_offset"] == pa.list_(pa.float32())
    assert extended(lists)["scaling:scale_offset"] == [1.0]
    assert extended(Scaling(scale_factor=np.array([1, 2])))["scaling:scale_factor"] == [1, 2]
    assert extended(Scaling())["scaling:padding"] is None
    for wrong in ({"scale_factor": 0}, {"scale_factor": [1, 0]}, {"padding": [1, 2, 3]}):
        with pytest.raises(ValueError):
            Scaling(**wrong)


@pytest.mark.parametrize("word", ["Train", "val", ""])
def test_unknown_splits_are_refused(word: Any) -> None:
    assert extended(Split(split="test")) == {"split": "test"}
    with pytest.raises(ValueError):
        Split(split=word)


def test_geotiff_stats_of_one_raster_follow_its_scaling() -> None:
    sample = Sample(id="s", path=SCENE / "optical.tif")
    sample.extend_with(GeotiffStats())
    stats = getattr(sample, "geotiff:stats")
    assert all(len(band) == 9 and band[0] <= band[6] <= band[1] for band in stats)
    sample.extend_with(Scaling(scale_factor=0.5, scale_offset=1))
    sample.extend_with(GeotiffStats())
    assert sample["geotiff:stats"][0][2] == pytest.approx(stats[0][2] * 0.5 + 1, rel=1e-5)
    assert list(SCENE.glob("*.aux.xml")) == []
    with pytest.raises(ValueError, match="s"):
        GeotiffStats(categorical=True)
    with pytest.raises(tacore.TacoError, match="f"):
        Sample(id="f", path=Tortilla(flat())).extend_with(GeotiffStats())
    with pytest.raises(tacore.TacoError):
        Sample(id="no", path=b"no tiff").extend_with(GeotiffStats())


def test_with_stac_adds_the_stac_columns_of_all_rasters() -> None:
    tortilla = Tortilla([Sample(id="optical", path=SCENE / "optical.tif")])
    try:
        placed_ = with_stac(tortilla, time_start=dt.date(2020, 1, 1))
    except tacore.TacoSchemaError as error:
        pytest.skip(str(error))
    assert [name for name, _, _ in placed_.fields()] == list(STAC_COLUMNS)
    one = STAC.from_file(SCENE / "optical.tif", time_start="2020-01-01")
    assert one(Sample(id="s", path=b"")).to_pylist()[0]["stac:centroid"] == placed_.column("stac:centroid")[0]


def test_folders_get_the_place_and_time_of_their_children(tmp_path: Path) -> None:
    rasterio, shapely = pytest.importorskip("rasterio"), pytest.importorskip("shapely")
    pyproj = pytest.importorskip("pyproj")
    children = [Sample(id=name, path=SCENE / f"{name}.tif") for name in ("optical", "elevation")]
    without = with_stac(Tortilla([Sample(id="tile", path=Tortilla(children))]), "2024-06-01")
    tortilla = with_folder_places(without)
    assert without.fields() == [] and tortilla.column("istac:crs") == ["EPSG:4326"]
    assert tortilla.column("istac:time_start") == tortilla.column("istac:time_end") == [dt.datetime(2024, 6, 1)]
    with rasterio.open(SCENE / "optical.tif") as scene:
        left, bottom, right, top = scene.bounds
        to_degrees = pyproj.Transformer.from_crs(scene.crs, "EPSG:4326", always_xy=True).transform
    corners = [to_degrees(x, y) for x, y in ((left, top), (right, top), (right, bottom), (left, bottom))]
    [wkb] = tortilla.column("istac:geometry")
    assert shapely.hausdorff_distance(shapely.from_wkb(wkb), shapely.Polygon(corners)) < 1e-6  # 0.1 m
    [path] = tacore.create(make_taco(tortilla), tmp_path / "tiles.tacozip")
    lon, lat = corners[0]
    assert len(tacore.load(path).filter_bbox(lon - 1, lat - 1, lon + 1, lat + 1).filter_datetime("2024-06")) == 1
    assert with_folder_places(tortilla).fields() == tortilla.fields()  # they keep what they have


def test_with_geotiff_stats_gives_null_for_other_files() -> None:
    tortilla = with_geotiff_stats(Tortilla([Sample(id="o", path=SCENE / "optical.tif"), Sample(id="x", path=b"x")]))
    column = tortilla.column("geotiff:stats")
    assert column[1] is None and len(column[0][0]) == 9


def test_major_tom_gives_the_published_codes() -> None:
    places = {
        (48.8566, 2.3522): "0100km_0054U_0001R",
        (0, 0): "0100km_0001D_0001L",
        (-33.86, 151.2): "0100km_0038D_0139R",
    }
    tortilla = Tortilla([placed(lon, lat, id=f"s{n}") for n, (lat, lon) in enumerate(places)])
    assert tortilla.extend_with(MajorTOM()).column("majortom:code") == list(places.values())
    grid = MajorTOM(dist_km=100)
    assert grid.latlon2rowcol(45, 10) == ("0050U", "0007R")
    assert grid.latlon2rowcol([45, 0], [10, 0], integer=True) == ([50, -1], [7, -1])
    rows, cols, row_at, col_at = grid.latlon2rowcol([45], [10], return_idx=True)
    assert (rows, cols) == (["0050U"], ["0007R"]) and row_at == [50 + 94]
    assert col_at[0] > 7
    assert grid.rowcol2latlon("0050U", "0007R") == pytest.approx((44.776119402985074, 8.84210526315789))
    assert grid.rowcol2latlon(50, 7) == grid.rowcol2latlon("0050U", "0007R")
    with pytest.raises(ValueError):
        grid.rowcol2latlon("9999U", "0000R")
    with pytest.raises(ValueError):
        grid.latlon2rowcol([1, 2], [1])
    MajorTOM(dist_km=1)
    for wrong in ({"dist_km": 0}, {"dist_km": -1}, {"latitude_range": (10, 5)}):
        with pytest.raises(ValueError):
            MajorTOM(**wrong)


def test_grids_without_a_centroid_column_name_the_columns() -> None:
    for extension in (MajorTOM(), SpatialGrouping(target_count=1)):
        with pytest.raises(ValueError, match="cloud"):
            Tortilla(flat(2, cloud=1)).extend_with(extension)


def test_spatial_grouping_gives_codes_and_checks_its_limits() -> None:
    places = [(0, 0), (100, 0), (1, 1), (101, 1), (-100, -50)]
    tortilla = Tortilla([placed(lon, lat, id=f"s{n}") for n, (lon, lat) in enumerate(places)])
    tortilla.extend_with(SpatialGrouping(target_count=2))
    assert tortilla.column("spatialgroup:code") == ["sg0000", "sg0001", "sg0001", "sg0002", "sg0000"]
    for wrong in ({}, {"target_count": 0}, {"target_size": "big"}, {"target_size": "0GB"}):
        with pytest.raises(ValueError):
            SpatialGrouping(**wrong)
    assert SpatialGrouping(target_size=1024).target_size == 1024


class FakeImage:
    """As much of Earth Engine's images as is used: the sum of longitude and latitude, and codes."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def mosaic(self) -> FakeImage:
        return self

    def unmask(self, value: float) -> FakeImage:
        return self

    def select(self, band: str) -> FakeImage:
        return self

    def rename(self, name: str) -> FakeImage:
        return FakeImage([name])

    def reduceRegions(self, collection: list[Any], reducer: str, scale: float) -> Any:
        features = []
        for (lon, lat), properties in collection:
            values: dict[str, Any] = {}
            for position, name in enumerate(self.names):
                value: Any = lon + lat + position
                if reducer == "mode":
                    name = "mode" if position == 0 else f"mode_{position}"
                    value = 65535 if lon == 0 else 0
                values[name] = None if lon == 50 else value
            features.append({"properties": {**properties, **values}})
        return types.SimpleNamespace(getInfo=lambda: {"features": features})


@pytest.fixture
def ee(monkeypatch: pytest.MonkeyPatch) -> Any:
    fake: Any = types.ModuleType("ee")
    fake.__spec__ = types.SimpleNamespace(name="ee")

    class Image(FakeImage):
        def __init__(self, asset: str) -> None:
            super().__init__([asset])

        @staticmethod
        def cat(images: list[FakeImage]) -> FakeImage:
            return FakeImage([name for image in images for name in image.names])

    fake.Image, fake.ImageCollection = Image, FakeImage
    fake.Reducer = types.SimpleNamespace(mean=lambda: "mean", mode=lambda: "mode")
    fake.Geometry = types.SimpleNamespace(Point=lambda at: tuple(at))
    fake.Feature = lambda at, properties: (at, properties)
    fake.FeatureCollection = list
    monkeypatch.setitem(sys.modules, "ee", fake)
    return fake


def test_geo_enrich_samples_earth_engine_in_batches(ee: Any) -> None:
    samples = [placed(10, 5, id="a"), placed(0, 1, id="b"), placed(50, 1, id="c"), placed(-20, 4, id="d")]
    samples[3].extend_with({"stac:centroid": None})
    enrich = GeoEnrich(
        variables=["admin_countries", "temperature", "elevation"],
        batch_size=2,
        admin_names={"admin_countries": pa.table({"admin_code0": [0, 1], "name": ["Afghanistan", "Other"]})},
        show_progress=False,
    )
    tortilla = Tortilla(samples).extend_with(enrich)
    kinds = {name: kind for name, kind, _ in tortilla.fields() if name.startswith("geoenrich")}
    assert kinds == {
        "geoenrich:elevation": "float",
        "geoenrich:temperature": "float",
        "geoenrich:admin_countries": "string",
    }
    assert list(enrich.get_schema()) == list(kinds)
    assert tortilla.column("geoenrich:elevation") == [15.0, 1.0, None, None]
    assert tortilla.column("geoenrich:temperature") == [16.0, 2.0, None, None]
    assert tortilla.column("geoenrich:admin_countries") == ["Afghanistan", "Ocean/Sea/Lakes", None, None]


def test_invalid_options_of_geo_enrich_are_refused(ee: Any) -> None:
    with pytest.raises(ValueError, match=r"Invalid variables: \['nonsense'\]"):
        GeoEnrich(variables=["nonsense"])
    for wrong in ({"variables": []}, {"scale_m": 0.5}, {"batch_size": 0}):
        with pytest.raises(ValueError):
            GeoEnrich(**wrong)
    assert len(GeoEnrich().get_schema()) == 12
    with pytest.raises(ValueError, match="not found"):
        Tortilla(flat()).extend_with(GeoEnrich(variables=["elevation"]))
    states = GeoEnrich(variables=["elevation", "admin_states"])
    assert states.get_schema() == {"geoenrich:elevation": "float", "geoenrich:admin_states": "string"}
    with pytest.raises(ValueError, match="admin_states: names for Earth Engine's codes are missing"):
        Tortilla([placed(0, 0)]).extend_with(states)
    off = Tortilla(flat(2)).extend_with(GeoEnrich(variables=["elevation"], schema_only=True))
    assert off.column("geoenrich:elevation") == [None, None]


def test_without_earth_engine_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ee", raising=False)
    monkeypatch.setattr(tacore._backend.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(tacore.TacoBackendError, match="pip install"):
        Tortilla([placed(0, 0)]).extend_with(GeoEnrich(variables=["elevation"]))


class Layer:
    source = "A test"
    version = "1"

    def __init__(self, value: Any) -> None:
        self._value = value

    def value(self, crs: str, geometry: bytes) -> Any:
        assert geometry[0] == 1 and crs
        if isinstance(self._value, Exception):
            raise self._value
        return self._value


def test_python_layers_enrich_samples() -> None:
    enrich = GeoEnrich(layers={"elevation": Layer(3.5), "admin_countries": Layer("Peru")})
    tortilla = Tortilla([placed(-75, -10)]).extend_with(enrich)
    assert tortilla.column("geoenrich:elevation") == [3.5] and tortilla.column("geoenrich:admin_countries") == ["Peru"]
    sample = placed(-75, -10)
    sample.extend_with(RAI(layers={"elevation": Layer(5), "admin0": Layer(None)}))
    assert sample["rai:elevation"] == 5 and sample["rai:admin0"] is None and sample["rai:gdp"] is None
    with pytest.raises(RuntimeError, match="broken"):
        Tortilla([placed(0, 0)]).extend_with(GeoEnrich(layers={"elevation": Layer(RuntimeError("broken"))}))
    with pytest.raises(ValueError):
        RAI(layers={"nonsense": Layer(1)})


def test_labels_publications_and_strategies_are_written() -> None:
    taco = make_taco(Tortilla(flat()))
    taco.extend_with(Labels(label_classes=[LabelClass(name="w", category=3, description="Water")]))
    taco.extend_with(
        Publications(publications=[Publication(doi="10.1/x", citation="X"), {"doi": "y", "citation": "Y"}])
    )
    taco.extend_with(SplitStrategy(strategy="random"))
    taco.extend_with(RaiStatement(data_biases="many"))
    assert taco["labels:classes"] == [{"name": "w", "category": "3", "description": "Water"}]
    assert [each["doi"] for each in taco.publications] == ["10.1/x", "y"]
    assert taco["split:strategy"] == "random" and taco["rai:data_biases"] == "many"
    for wrong in (lambda: SplitStrategy(strategy="Random"), RaiStatement):  # type: ignore[arg-type]
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        Labels(label_classes=[{"nonsense": 1}])
    with pytest.raises(TypeError):
        Labels(label_classes=["w"])  # type: ignore[list-item]


def test_sensors_fill_in_their_bands() -> None:
    assert len(SUPPORTED_SENSORS) == 14
    assert sum(len(optical_bands(sensor)) for sensor in SUPPORTED_SENSORS) == 138
    taco = make_taco(Tortilla(flat()))
    taco.extend_with(OpticalData(sensor="landsat8oli[B02, B03]"))
    assert taco["optical:num_bands"] == 2 and taco["optical:bands"][0]["center_wavelength"] == 482.5
    taco.extend_with(OpticalData(sensor="mine", bands=[SpectralBand(name="x", index=1), {"name": "y"}]))
    assert [band["name"] for band in taco["optical:bands"]] == ["x", "y"]
    for wrong in ({}, {"bands": [{"name": "x"}]}, {"sensor": "unknown"}, {"sensor": "landsat8oli[B99]"}):
        with pytest.raises(ValueError):
            OpticalData(**wrong)


def test_conventions_add_their_columns() -> None:
    sample = Sample(id="s", path=b"")
    for extension in (
        LandCover(fractions=[0.25, 0.75]),
        Change(time_before="2020-01-01", time_after=dt.date(2021, 1, 1)),
        Methane(isplume=True, wind_u=1),
        Flood(event_id="e", water_fraction=0.5),
    ):
        sample.extend_with(extension)
    assert sample["landcover:fractions"] == [0.25, 0.75] and sample["flood:event_id"] == "e"
    with pytest.raises(ValueError):
        Change(time_before=1, time_after=0)
    taco = make_taco(Tortilla([sample]))
    assert check_convention("flood", taco) != []
    taco.extend_with(flood_labels())
    assert check_convention("flood", taco) == []
    with pytest.raises(ValueError):
        check_convention("nonsense", taco)


@pytest.mark.parametrize(
    "extension",
    [stac(), Split(split="train"), MajorTOM(dist_km=50), SplitStrategy(strategy="none"), GeotiffStats(approx=True)],
)
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_extensions_can_be_copied(extension: Any, again: Any) -> None:
    assert again(extension) == extension or vars(again(extension)).keys() == vars(extension).keys()
    assert again(extension).get_schema() == extension.get_schema()


def test_tacotiff_headers_and_validation_agree(shared: Path) -> None:
    from tacore.validator import TacoTIFF, TacotiffValidator, ValidationError

    sample = Sample(id="s", path=shared / "golden" / "tog" / "rgb_256x256_b128.tog.tif")
    try:
        sample.extend_with(Header())
    except tacore.TacoSchemaError:
        with pytest.raises(ValidationError):
            sample.validate_with(TacoTIFF())
    else:
        assert sample["taco:header"][:4] == b"LOVE"
        sample.validate_with(TacotiffValidator())
    other = Sample(id="o", path=SCENE / "optical.tif")
    with pytest.raises(ValidationError, match="is not a TacoTIFF"):
        other.validate_with(TacoTIFF())


def test_computed_values_are_attributes_of_an_extension() -> None:
    """As in the published writers."""
    how: dict[str, Any] = {
        "crs": "EPSG:32630",
        "tensor_shape": (1, 10, 10),
        "geotransform": (5e5, 10, 0, 4.4e6, 0, -10),
    }
    start, end = 1_700_000_000_000_000, 1_700_000_100_000_001
    stac = STAC(**how, time_start=start, time_end=end)
    assert stac.centroid is not None and len(stac.centroid) == 21
    assert stac.time_middle == (start + end) // 2
    sample = Sample(id="a", path=b"1")
    sample.extend_with(stac)
    assert sample["stac:centroid"] == stac.centroid
    assert STAC(**how, time_start=start).time_middle is None
    given = STAC(**how, time_start=start, time_end=end, time_middle=start, centroid=point(1, 2))
    assert (given.time_middle, given.centroid) == (start, point(1, 2))
    middle = STAC(**how, time_start=dt.datetime(2024, 1, 1), time_end=dt.datetime(2024, 1, 3)).time_middle
    assert isinstance(middle, dt.datetime) and middle.replace(tzinfo=None) == dt.datetime(2024, 1, 2)
    again = pickle.loads(pickle.dumps(stac))
    assert (again.centroid, again.time_middle) == (stac.centroid, stac.time_middle)
    istac = ISTAC(crs="EPSG:4326", geometry=point(3, 4), time_start=start, time_end=end)
    assert (istac.centroid, istac.time_middle) == (point(3, 4), (start + end) // 2)


def test_bands_of_a_sensor_are_attributes() -> None:
    assert len(OpticalData(sensor="sentinel2msi").bands) == 13
    some = OpticalData(sensor="landsat8oli[ B03 , B02 ]")
    assert (some.sensor, [band.name for band in some.bands]) == ("landsat8oli", ["B03", "B02"])
    assert some.bands[1].common_name == "blue"
    for sensor in SUPPORTED_SENSORS:
        assert OpticalData(sensor=sensor).bands == optical_bands(sensor)
    taco = make_taco(Tortilla(flat()))
    taco.extend_with(some)
    again = make_taco(Tortilla(flat()))
    again.extend_with(pickle.loads(pickle.dumps(some)))
    assert taco["optical:bands"] == again["optical:bands"] and taco["optical:sensor"] == "landsat8oli"


def test_return_none_and_schema_only_are_the_same_option() -> None:
    for off in (MajorTOM(return_none=True), MajorTOM(schema_only=True), GeoEnrich(variables=["gdp"], return_none=True)):
        assert off.schema_only is True and off.return_none is True
    assert MajorTOM().schema_only is False and GeoEnrich(variables=["gdp"]).schema_only is False


def test_conventions_of_a_dataset_are_checked(tmp_path: Path) -> None:
    taco = make_taco(Tortilla(flat()))
    tacore.create(taco, tmp_path / "x.tacozip")
    for convention in ("flood", "methane", "change", "land-cover"):
        found = check_convention(convention, tacore.load(tmp_path / "x.tacozip"))
        assert found and found == check_convention(convention, taco)


def test_a_value_of_another_type_is_a_readable_error() -> None:
    """The error does not list the overloads of the bindings."""
    for make in (
        lambda: Scaling(padding=[1.5, 1, 1, 1]),
        lambda: STAC(crs=3, tensor_shape=(1, 1), geotransform=(0,) * 6, time_start=0),
        lambda: tacore.raster.tensor_options(None, None, None, None, "x"),
    ):
        with pytest.raises(TypeError, match="a value has the wrong type") as caught:
            make()
        assert "incompatible" not in str(caught.value)


def test_the_page_of_extensions_lists_the_columns_of_the_library() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "extensions.md").read_text("utf-8")
    sections = re.findall(r"^### `(\w+)`: class `(\w+)`\n\n((?:\|.*\n)+)", page, re.MULTILINE)
    assert len(sections) == 15
    for extension, class_name, table in sections:
        assert hasattr(tacore.datamodel, class_name)
        listed = [[cell.strip(" `") for cell in row.split("|")[1:-1]] for row in table.splitlines()[2:]]
        assert listed == [list(column) for column in tacore._core.extension_columns(extension)]
