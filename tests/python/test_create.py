"""Writing: what the Python layer adds."""

from __future__ import annotations

import datetime as dt
import importlib
import json
import os
import pickle
import shutil
import signal
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import tacore
from tacore.datamodel import STAC, Header, Sample, Tortilla
from tacore.tacocat import TacoCatWriter
from toolbox import flat, make_taco, nested, placed

GB = 1024**3


def rows(path: Path) -> list[bytes]:
    data = tacore.load(path).data
    return [data.read_bytes(n) for n in range(len(data))]


@pytest.mark.parametrize("name", ["x.zip", "x.tacozip", "x.ZIP", "x.TacoZip", "x", "x.folder"])
def test_the_suffix_of_the_output_decides_the_format(tmp_path: Path, name: str) -> None:
    made = tacore.create(make_taco(Tortilla(flat())), tmp_path / name)
    assert made == [tmp_path / name]
    assert made[0].is_dir() is not name.lower().endswith("zip")
    assert rows(made[0]) == [bytes([n]) * (n + 1) for n in range(4)]


def test_an_explicit_format_overrides_the_suffix(tmp_path: Path) -> None:
    taco = make_taco(Tortilla(flat()))
    assert tacore.create(taco, tmp_path / "x.zip", output_format="folder") == [tmp_path / "x"]
    for wrong in ("tar", "ZIP", ""):
        with pytest.raises(tacore.TacoValidationError, match="Invalid format"):
            tacore.create(taco, tmp_path / "y.zip", output_format=wrong)
    with pytest.raises(tacore.TacoValidationError, match="ends in"):
        tacore.create(taco, tmp_path / "y", output_format="zip")


@pytest.mark.parametrize("name", ["x.tacozip", "x"])
def test_an_existing_output_is_replaced_only_with_overwrite(tmp_path: Path, name: str) -> None:
    tacore.create(make_taco(Tortilla(flat(2))), tmp_path / name)
    with pytest.raises(tacore.TacoValidationError, match="exists"):
        tacore.create(make_taco(Tortilla(flat(3))), tmp_path / name)
    assert len(rows(tmp_path / name)) == 2
    tacore.create(make_taco(Tortilla(flat(3))), tmp_path / name, overwrite=True)
    assert len(rows(tmp_path / name)) == 3


def test_an_existing_output_is_told_with_the_option_that_replaces_it(tmp_path: Path) -> None:
    [path] = tacore.create(make_taco(Tortilla(flat())), tmp_path / "x.tacozip")
    dataset = tacore.load(path)
    for name in ("y.tacozip", "y.parquet"):
        (tmp_path / name).touch()
    for write in (
        lambda: tacore.create(make_taco(Tortilla(flat())), path),
        lambda: tacore.export(dataset, tmp_path / "y.tacozip", progress=False),
        lambda: tacore.describe.footer2geoparquet(dataset, tmp_path / "y.parquet"),
    ):
        with pytest.raises(tacore.TacoError, match=r"exists already; overwrite=True replaces it$") as caught:
            write()
        assert str(caught.value).endswith(caught.value.message)


@pytest.mark.parametrize("size", [3, "3", "3B", " 3 b ", "0.003 KiB", "3.0"])
def test_parts_are_filled_in_order(tmp_path: Path, size: Any) -> None:
    made = tacore.create(make_taco(Tortilla(flat(4))), tmp_path / "x.tacozip", split_size=size)
    assert [path.name for path in made] == [f"x_part000{n}.tacozip" for n in (1, 2, 3)]
    assert [len(rows(path)) for path in made] == [2, 1, 1]
    whole = tacore.load(tmp_path / ".tacocat").data
    assert [whole.read_bytes(n) for n in range(4)] == [bytes([n]) * (n + 1) for n in range(4)]


def test_a_name_that_is_split_into_several_files_is_announced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("WARNING", "tacore"):
        tacore.create(make_taco(Tortilla(flat(4))), tmp_path / "x.tacozip", split_size=3)
        (told,) = [record.getMessage() for record in caplog.records if "written as" in record.getMessage()]
        assert "3 ZIPs" in told and "x_part0001.tacozip to x_part0003.tacozip" in told and ".tacocat" in told
        caplog.clear()
        tacore.create(make_taco(Tortilla(flat(4))), tmp_path / "y.tacozip")
        assert not [record for record in caplog.records if "written as" in record.getMessage()]


def test_reserved_columns_have_their_types(tmp_path: Path) -> None:
    def made(**fields: Any) -> list[Path]:
        taco = make_taco(Tortilla([Sample(id="a", path=b"1", **fields)]))
        return tacore.create(taco, tmp_path / "x.tacozip", overwrite=True)

    for day in (dt.date(2020, 1, 1), "2020-01-01", "2020-01-01T01:00:00+01:00", dt.datetime(2020, 1, 1)):
        (path,) = made(**{"stac:time_start": day})
        assert tacore.load(path).data["stac:time_start"].to_pylist() == [dt.datetime(2020, 1, 1)]
    for field, wrong in (("stac:time_start", 18262), ("stac:time_start", "soon"), ("tortilla:data_split", 1), ("split", 2)):
        with pytest.raises(tacore.TacoSchemaError, match=f"level 0: column '{field}'"):
            made(**{field: wrong})


@pytest.mark.parametrize("size", ["0", 0, -1, "4XB", "", "GB", 1.5e400])
def test_an_invalid_size_is_refused(tmp_path: Path, size: Any) -> None:
    with pytest.raises(tacore.TacoValidationError):
        tacore.create(make_taco(Tortilla(flat())), tmp_path / "x.tacozip", split_size=size)


def test_a_dataset_that_fits_into_one_file_has_the_plain_name(tmp_path: Path) -> None:
    for name, size in (("a", "4GB"), ("b", None), ("c", "1 TiB"), ("d", 4 * GB)):
        made = tacore.create(make_taco(Tortilla(flat())), tmp_path / f"{name}.zip", split_size=size)
        assert made == [tmp_path / f"{name}.zip"]
    assert not (tmp_path / ".tacocat").exists()


def test_each_group_gets_a_file(tmp_path: Path) -> None:
    samples = flat(4)
    for sample, (where, year) in zip(samples, [("a/b", 1), (None, 1), ("a/b", 2), ("a/b", 1)]):
        sample.extend_with({"where": where, "year": year})
    taco = make_taco(Tortilla(samples))
    made = tacore.create(taco, tmp_path / "x.tacozip", group_by="where")
    assert [path.name for path in made] == ["x_a_b.tacozip", "x_None.tacozip"]
    assert [len(rows(path)) for path in made] == [3, 1]
    (tmp_path / "two").mkdir()
    made = tacore.create(taco, tmp_path / "two" / "x.tacozip", group_by=["where", "year"], consolidate=False)
    assert [path.name for path in made] == ["x_a_b_1.tacozip", "x_None_1.tacozip", "x_a_b_2.tacozip"]
    assert not (tmp_path / "two" / ".tacocat").exists()


def test_an_unknown_group_column_is_an_error_that_lists_the_columns(tmp_path: Path) -> None:
    with pytest.raises(tacore.TacoCreationError, match=r"'zz' not found.*cloud"):
        tacore.create(make_taco(Tortilla(flat(cloud=1))), tmp_path / "x.tacozip", group_by="zz")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(tacore.TacoValidationError, match="FOLDER"):
        tacore.create(make_taco(Tortilla(flat(cloud=1))), tmp_path / "x", group_by="cloud")


def test_a_failed_create_leaves_no_files(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.write_bytes(b"12345")
    taco = make_taco(Tortilla([Sample(id="a", path=data)]))
    data.write_bytes(b"123")
    for name in ("out/x.tacozip", "out/x"):
        with pytest.raises(tacore.TacoCreationError, match="data") as caught:
            tacore.create(taco, tmp_path / name)
        assert isinstance(caught.value, OSError) and caught.value.path
    assert not (tmp_path / "out").exists()
    data.unlink()
    with pytest.raises(tacore.TacoCreationError):
        tacore.create(taco, tmp_path / "out" / "x")


def test_parquet_options_apply_to_the_tables(tmp_path: Path) -> None:
    import pyarrow.parquet

    taco = make_taco(Tortilla(flat()))
    options = {"compression": "snappy", "row_group_size": 2, "write_statistics": False}
    tacore.create(taco, tmp_path / "x", **options)
    footer = pyarrow.parquet.ParquetFile(tmp_path / "x" / "METADATA" / "level0.parquet").metadata
    assert footer.num_row_groups == 2 and footer.row_group(0).column(0).compression == "SNAPPY"
    assert footer.row_group(0).column(0).statistics is None
    with pytest.raises(TypeError, match="nonsense"):
        tacore.create(taco, tmp_path / "y", nonsense=1)
    with pytest.raises(tacore.TacoValidationError):
        tacore.create(taco, tmp_path / "y", compression="nonsense")
    assert not (tmp_path / "y").exists()


def test_missing_parent_folders_are_created(tmp_path: Path) -> None:
    assert tacore.create(make_taco(Tortilla(flat())), str(tmp_path / "a/b/c.zip")) == [tmp_path / "a/b/c.zip"]


def test_the_collection_has_the_members_of_the_taco(tmp_path: Path) -> None:
    taco = make_taco(Tortilla([placed(10, 20, 0)]), title="Ñ", more={"x": [1.5, float("nan")]})
    made = tacore.create(taco, tmp_path / "x")[0]
    collection = json.loads((made / "COLLECTION.json").read_text("utf-8"))
    assert list(collection)[:3] == ["id", "dataset_version", "description"]
    assert collection["title"] == "Ñ" and collection["more"] == {"x": [1.5, None]}
    assert collection["extent"] == taco.collection["extent"]
    assert collection["taco_version"] == "2.0.0"


def test_a_check_reports_all_issues_and_writes_nothing(tmp_path: Path) -> None:
    taco = make_taco(Tortilla(flat(4)))
    (tmp_path / "x_part0001.tacozip").touch()
    found = taco.validate(tmp_path / "x.tacozip", split_size=3)
    assert found.num_samples == 4 and found.num_bytes == 10 and len(found.parts) == 3
    assert len(found.issues) == 1 and "exists" in found.issues[0]
    assert taco.validate(tmp_path / "y.tacozip").issues == []
    taco.id = "A B"
    assert len(taco.validate(tmp_path / "y.tacozip", compression="no").issues) == 2
    with pytest.raises(tacore.TacoValidationError):
        tacore.create(taco, tmp_path / "y.tacozip")


def test_make_compliant_pads_a_tree_until_it_can_be_written(tmp_path: Path) -> None:
    taco = make_taco(Tortilla(nested(2)))
    assert taco.make_compliant() == (taco, [])
    taco.tortilla = Tortilla([nested(1)[0], *nested(1, ids=("b",), prefix="other")])
    with pytest.raises(tacore.TacoError):
        tacore.create(taco, tmp_path / "x")
    mended, changes = taco.make_compliant()
    assert len(changes) == 1 and "padding" in changes[0]
    tacore.create(mended, tmp_path / "x")
    assert len(tacore.load(tmp_path / "x").data.read("other0")) == 1


# Indexes.


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    taco = make_taco(Tortilla(nested(3)))
    return tacore.create(taco, tmp_path / "parts" / "x.tacozip", split_size=4, consolidate=False)


@pytest.mark.parametrize(
    "call",
    [
        lambda parts, out: tacore.create_tacocat(parts, out),
        lambda parts, out: tacore.create_tacocat(tacozips=parts, output_dir=out, compression="snappy"),
        lambda parts, out: tacore.create_tacocat(inputs=parts, output_path=out, parquet_kwargs={"row_group_size": 1}),
        lambda parts, out: tacore.create_tacocat(parts),
    ],
)
def test_an_index_has_the_rows_of_all_parts(parts: list[Path], call: Any) -> None:
    assert call(parts, parts[0].parent) is None
    index = parts[0].parent / ".tacocat"
    assert {path.name for path in index.iterdir()} == {"level0.parquet", "level1.parquet", "COLLECTION.json"}
    dataset = tacore.load(index)
    assert len(dataset.data) == 3 and dataset.data.read(2).read_bytes("b") == b"2b"
    assert dataset.collection["taco:pit_schema"]["root"]["n"] == 3
    assert set(dataset.data_raw.to_arrow()["internal:source_file"].to_pylist()) == {path.name for path in parts}


def test_invalid_inputs_of_an_index_are_refused(parts: list[Path], tmp_path: Path) -> None:
    with pytest.raises(tacore.TacoValidationError, match="No input"):
        tacore.create_tacocat([])
    with pytest.raises(tacore.TacoConsolidationError, match="No datasets"):
        tacore.create_tacocat([])
    with pytest.raises(FileNotFoundError):
        tacore.create_tacocat([tmp_path / "missing.tacozip"])
    (tmp_path / "file").touch()
    with pytest.raises(tacore.TacoConsolidationError, match="must be a directory"):
        tacore.create_tacocat(parts, tmp_path / "file")
    with pytest.raises(tacore.TacoConsolidationError):
        tacore.create_tacocat([tmp_path / "file"])
    with pytest.raises(TypeError):
        tacore.create_tacocat(parts, tacozips=parts)
    assert not (tmp_path / ".tacocat").exists()
    tacore.create_tacocat(parts)
    with pytest.raises(tacore.TacoConsolidationError, match="already exists"):
        tacore.create_tacocat(parts)
    tacore.create_tacocat(parts, overwrite=True)


def test_different_schemas_are_refused_unless_validation_is_off(tmp_path: Path) -> None:
    inputs = []
    for name, metadata in (("a", {"k": 1}), ("b", {"k": 1, "more": "x"})):
        inputs += tacore.create(make_taco(Tortilla(flat(**metadata))), tmp_path / f"{name}.tacozip")
    with pytest.raises(tacore.TacoSchemaError, match="more") as caught:
        tacore.create_tacocat(inputs)
    assert isinstance(caught.value, tacore.TacoToolboxError)
    tacore.create_tacocat(inputs, validate_schema=False)
    assert tacore.load(tmp_path).data.to_arrow()["more"].to_pylist() == [None] * 4 + ["x"] * 4


def test_parts_with_different_children_are_refused(parts: list[Path], tmp_path: Path) -> None:
    other = tacore.create(make_taco(Tortilla(nested(1, prefix="z"))), tmp_path / "other" / "y.tacozip")
    with pytest.raises(tacore.TacoValidationError):
        tacore.create_tacocat([*parts, *other])


def test_a_tacollection_lists_zips_and_folders(parts: list[Path], tmp_path: Path) -> None:
    other = tacore.create(make_taco(Tortilla(nested(1, prefix="z"))), tmp_path / "parts" / "folder")
    tacore.create_tacollection([*parts, *other])
    document = json.loads((parts[0].parent / "TACOLLECTION.json").read_text())
    assert document["taco:pit_schema"]["root"]["n"] == 4 and document["taco:sources"]["count"] == len(parts) + 1
    with pytest.raises(tacore.TacoError):
        tacore.create_tacollection(parts)
    document = tmp_path / "parts" / "TACOLLECTION.json"
    tacore.create_tacollection(tacozips=parts, output=document, overwrite=True)
    assert json.loads(document.read_text())["taco:pit_schema"]["root"]["n"] == 3
    with pytest.raises(ValueError, match="the file must be called"):
        tacore.create_tacollection(parts, tmp_path / "parts" / "COLLECTION.json")
    with pytest.raises(ValueError):
        tacore.create_tacollection([])


def test_bounds_are_used_where_they_are_proved_or_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def sample(number: int) -> Sample:
        place = struct.pack("<BIdd", 1, 1, 10.0 * number, 0.0)
        return Sample(id=f"s{number}", path=b"data", **{"stac:centroid": place})

    def found(**options: Any) -> list[str]:
        caplog.clear()
        data = tacore.load(tmp_path / "TACOLLECTION.json", **options).filter_bbox(15, -1, 25, 1).data
        restored = pickle.loads(pickle.dumps(data))
        assert restored["id"].to_pylist() == data["id"].to_pylist()
        return data["id"].to_pylist()

    paths = [tacore.create(make_taco(Tortilla([sample(n)])), tmp_path / f"p{n}.tacozip")[0] for n in range(9)]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tacore.create_tacollection(paths, bounds=True, progress=False)
    assert found() == ["s2"] and "bounds" not in caplog.text
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "nothing"))
    assert found() == ["s2"] and "nothing proves" in caplog.text
    paths[7].unlink()
    assert found(trust_bounds=True) == ["s2"]  # which does not open it
    with pytest.raises(tacore.TacoIOError, match="p7"):
        found()


# Python.


def test_error_classes_derive_from_their_published_bases() -> None:
    for name in ("Validation", "Creation", "Consolidation", "Schema", "IO", "Documentation"):
        assert issubclass(getattr(tacore, f"Taco{name}Error"), tacore.TacoToolboxError)
    assert issubclass(tacore.TacoValidationError, ValueError) and issubclass(tacore.TacoSchemaError, ValueError)


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("datamodel", "Sample Tortilla Taco SampleExtension TortillaExtension TacoExtension"),
        ("datamodel.sample", "Sample STAC ISTAC GeotiffStats Scaling Split TACOTIFFHeader"),
        ("datamodel.tortilla", "Tortilla MajorTOM GeoEnrich SpatialGrouping"),
        ("datamodel.taco", "Taco Extent Provider Curator Labels LabelClass OpticalData Publications SplitStrategy"),
        ("validator.sample", "TacoTIFF TacotiffValidator SampleValidator ValidationError"),
        ("sample.datamodel", "Sample SampleExtension"),
        ("sample.extensions.stac", "STAC"),
        ("sample.extensions.istac", "ISTAC"),
        ("sample.extensions.geotiff_stats", "GeotiffStats"),
        ("sample.extensions.scaling", "Scaling"),
        ("sample.extensions.split", "Split"),
        ("sample.extensions.tacotiff", "Header"),
        ("sample.validators.tacotiff", "TacotiffValidator"),
        ("tortilla.datamodel", "Tortilla TortillaExtension"),
        ("tortilla.extensions.majortom", "MajorTOM"),
        ("tortilla.extensions.spatial_grouping", "SpatialGrouping"),
        ("tortilla.extensions.geoenrich", "GeoEnrich"),
        ("taco.datamodel", "Taco TacoExtension Provider Curator Extent TaskType"),
        ("taco.extensions.labels", "Labels LabelClass"),
        ("taco.extensions.opticaldata", "OpticalData SpectralBand"),
        ("taco.extensions.scientific", "Publications Publication"),
        ("taco.extensions.split", "SplitStrategy"),
    ],
)
def test_published_import_paths_work(module: str, names: str) -> None:
    code = f"from tacore.{module} import {', '.join(names.split())}"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
    assert importlib.import_module(f"tacore.{module}")


def test_ten_thousand_samples_are_written(tmp_path: Path) -> None:
    data = b"x" * 1000
    samples = []
    for n in range(10_000):
        sample = Sample(id=f"s{n}", path=data)
        sample.extend_with(
            STAC(crs="EPSG:4326", tensor_shape=(3, 10, 10), geotransform=(0, 1, 0, 0, 0, -1), time_start=n)
        )
        samples.append(sample)
    tacore.create(make_taco(Tortilla(samples)), tmp_path / "x.tacozip", progress=False)
    assert len(tacore.load(tmp_path / "x.tacozip").data) == 10_000


def test_validate_detects_damage(tmp_path: Path) -> None:
    (made,) = tacore.create(make_taco(Tortilla(flat(3))), tmp_path / "x.tacozip")
    assert tacore.validator.validate(made, deep=True) == []
    broken = bytearray(made.read_bytes())
    broken[broken.index(b"\x02\x02\x02")] ^= 1
    made.write_bytes(broken)
    issues = tacore.validator.validate(made, deep=True)
    assert issues and all(issue.rule and issue.message for issue in issues) and issues[0].is_error
    assert tacore.validator.validate(tmp_path / "missing.tacozip") != []


def test_reports_and_the_report_card(tmp_path: Path) -> None:
    (made,) = tacore.create(make_taco(Tortilla(flat(30))), tmp_path / "x.tacozip")
    broken = made.read_bytes().replace(b"\x02\x02\x02", b"\x03\x02\x02", 1)
    made.write_bytes(broken)
    issues = tacore.validator.validate(made, deep=True)
    sarif = json.loads(tacore.validator.issues2sarif(issues, made))
    assert [each["ruleId"] for each in sarif["runs"][0]["results"]] == [issue.rule for issue in issues]
    page = tacore.validator.issues2html(issues, made, pictures=0)
    assert all(issue.rule in page for issue in issues)
    # What Python has made of an issue is the issue again.
    place = issues[0]._replace(rule="AST-3", num_issues=2, rows=[4, 7], places=[(2.5, -3.5), None])
    (result,) = json.loads(tacore.validator.issues2sarif([place], made))["runs"][0]["results"]
    assert result["properties"]["rows"] == [4, 7] and result["occurrenceCount"] == 2
    assert "1 sample with a fault, where its file lies" in tacore.validator.issues2html([place], made)
    with pytest.raises(TypeError, match="issue"):
        tacore.validator.issues2sarif([("AST-3", True)], made)  # type: ignore[list-item]

    card = tacore.validator.doctor(made, sample_size=0, html=True, progress=False)
    assert card.num_samples == card.num_checked == 30 and card.id == tacore.load(made).id
    assert card.issues == tacore.validator.validate(made, assets=True)
    assert card.advice == sorted((item for item in card.items if not item.is_met), key=lambda item: -item.benefit)
    assert card.html.startswith("<!DOCTYPE html>") and not tacore.validator.doctor(made).html
    with pytest.raises(tacore.TacoIOError):
        tacore.validator.doctor(made, progress=lambda done, total: False)


def test_ctrl_c_stops_and_cleans_up(tmp_path: Path) -> None:
    # Who starts tests in the background may have had the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    samples = [Sample(id=f"s{n}", path=os.urandom(1) * 2_000_000) for n in range(100)]
    taco = make_taco(Tortilla(samples))
    timer = threading.Timer(0.02, signal.raise_signal, [signal.SIGINT])
    try:
        timer.start()
        for n in range(50):
            tacore.create(taco, tmp_path / f"{n}.tacozip")
    except KeyboardInterrupt:
        pass
    else:
        pytest.fail("it went on")
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    assert all(tacore.validator.validate(path) == [] for path in tmp_path.iterdir())


def test_a_nested_dataset_is_made_as_in_published_recipes(tmp_path: Path) -> None:
    """As the published recipes make them: folders of two rasters, parts by cell."""
    folders = []
    for n, (lon, lat) in enumerate([(10, 10), (10.01, 10.01), (120, -30)]):
        children = []
        for id in ("geo_patch", "cloudsat_aligned"):
            child = Sample(id=id, path=f"{n}{id}".encode())
            child.extend_with(Header(schema_only=True))
            children.append(child)
        folder = Sample(id=f"z{9 - n}", path=Tortilla(children))
        folder.extend_with({"day": n})
        folder.extend_with(
            STAC(crs="EPSG:4326", tensor_shape=(1, 2, 2), geotransform=(lon, 1, 0, lat, 0, -1), time_start=n)
        )
        folders.append(folder)
    tortilla = tacore.datamodel.Tortilla(folders)
    tortilla.extend_with(tacore.datamodel.MajorTOM(dist_km=1000))
    made = tacore.create(
        make_taco(tortilla),
        tmp_path / "clouds.tacozip",
        split_size=None,
        group_by="majortom:code",
        row_group_size=122_880,
        compression="zstd",
        compression_level=22,
        use_dictionary=False,
        write_statistics=False,
        data_page_size=262_144,
    )
    assert len(made) == 2 and (tmp_path / ".tacocat").is_dir()
    assert tacore.load(tmp_path).data.read("z8").read_bytes("geo_patch") == b"1geo_patch"


def test_an_index_is_written_in_steps(golden: Path, tmp_path: Path) -> None:
    (tmp_path / ".tacocat").mkdir()
    writer = TacoCatWriter(tmp_path / ".tacocat", {"compression": "snappy", "compression_level": None})
    with pytest.raises(tacore.TacoConsolidationError, match="No datasets added"):
        writer.write()
    for source in sorted((golden / "cascade_tacocat").glob("*.tacozip")):
        writer.add_dataset(shutil.copy(source, tmp_path))
    with pytest.raises(FileNotFoundError):
        writer.add_dataset(tmp_path / "missing.tacozip")
    (tmp_path / "text").write_text("text")
    for other in (tmp_path / "text", golden / "nested"):
        with pytest.raises(tacore.TacoConsolidationError):
            writer.add_dataset(other)
    for _ in range(2):  # an older index is replaced
        writer.write()
        assert len(tacore.load(tmp_path / ".tacocat")) == len(tacore.load(golden / "cascade_tacocat"))
    with pytest.raises(tacore.TacoValidationError, match="is called .tacocat"):
        TacoCatWriter(tmp_path / "index")
