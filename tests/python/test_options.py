"""Options of Python's functions have the names, defaults and descriptions of the list of options of the library."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tacore
from tacore import _core, datamodel, raster, transform, v1, validator
from tacore.loader import Loader

FLAT = Path(__file__).resolve().parents[2] / "examples" / "data" / "landsat.tacozip"
LISTS = _core.option_lists()
#: Of each function the list, and what of it the function does not take.
FUNCTIONS: list[tuple[Callable[..., Any], str, set[str]]] = [
    (tacore.create, "create", set()),
    (tacore.create_tacocat, "create_tacocat", set()),
    (tacore.create_tacollection, "create_tacollection", set()),
    (tacore.export, "export", {"split_size", "group_by", "consolidate"}),
    (transform.replay, "replay", set()),
    (transform.convert, "create", {"split_size", "group_by", "order", "consolidate", "max_concurrent_requests"}),
    (tacore.zip2folder, "create", {"split_size", "group_by", "order", "consolidate"}),
    (tacore.folder2zip, "create", {"split_size", "group_by", "order", "consolidate", "max_concurrent_requests"}),
    (tacore.list_datasets, "list_datasets", set()),
    (tacore.write_site, "write_site", set()),
    (transform.edit, "edit", set()),
    (transform.diff, "diff", set()),
    (tacore.publish, "publish", set()),
    (transform.sync, "sync", set()),
    (tacore.create_sidecar, "create_sidecar", set()),
    (tacore.create_key, "create_key", set()),
    (tacore.sign, "sign", set()),
    (tacore.verify, "verify", set()),
    (raster.make_tog, "make_tog", set()),
    (raster.with_togs, "with_togs", set()),
    (raster.write_tiff_index, "write_tiff_index", set()),
    (tacore.load, "load", set()),
    (datamodel.Tortilla.from_table, "from_table", set()),
    (validator.validate, "validate", set()),
    (validator.doctor, "doctor", set()),
    (raster.stored_summary, "stored_summary", set()),
    (raster.compute_statistics, "compute_statistics", set()),
    (raster.preview, "preview", set()),
    (Loader, "Loader", set()),
    (v1.create, "v1.create", set()),
    (v1.compile, "v1.create", set()),
    (v1.convert, "create", {"max_concurrent_requests"}),
    (v1.tortilla2taco, "v1.convert", {"parquet"}),
    (v1.taco2tortilla, "v1.convert", {"parquet"}),
    (v1.join, "v1.convert", set()),
]
CASES = [pytest.param(*each, id=f"{each[0].__module__}.{each[0].__name__}") for each in FUNCTIONS]


@pytest.mark.parametrize(("function", "name", "left_out"), CASES)
def test_functions_have_the_options_of_the_list(function: Callable[..., Any], name: str, left_out: set[str]) -> None:
    parameters = inspect.signature(function).parameters
    for option, default, _ in LISTS[name]:
        assert (option in parameters) != (option in left_out), option
        # Where C++ writes several files by default, Python says their size; one file is 0.
        if option in left_out or option in ("parquet", "split_size"):
            continue
        assert (parameters[option].default or None) == (default or None), option


@pytest.mark.parametrize(("function", "name", "left_out"), CASES)
def test_options_are_described_as_in_the_list(function: Callable[..., Any], name: str, left_out: set[str]) -> None:
    text = " ".join((function.__doc__ or "").split())
    for option, _, description in LISTS[name]:
        if f" {option}: " in text and "As " not in text.split(f" {option}: ")[1][:3]:
            assert f"{option}: {description.rstrip('.')}" in text, option


def test_the_default_split_size_is_the_same_everywhere() -> None:
    for function, size in ((tacore.create, "4GB"), (v1.create, "20GB")):
        assert inspect.signature(function).parameters["split_size"].default == size
    assert {default for name, default, _ in LISTS["create"] if name == "split_size"} == {None}


def test_values_of_a_wrong_type_are_refused_with_the_name_of_the_option() -> None:
    for call in (
        lambda: transform.diff("a", "b", jobs="two"),
        lambda: transform.diff("a", "b", jobs=2**40),
        lambda: raster.compute_statistics(tacore.load(FLAT), jobs="two"),
        lambda: Loader(tacore.load(FLAT), jobs="two"),
    ):
        with pytest.raises(TypeError, match="^jobs: the value has the wrong type or is out of range: ('two'|1099511627776)$"):
            call()
    with pytest.raises(ValueError, match="on_error is 'ignore'; 'raise' or 'skip' is expected"):
        raster.compute_statistics(tacore.load(FLAT), on_error="ignore")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: tacore.zip2folder(5, "out"), "zip2folder: .*: input=5, output=<str>, jobs=0, progress=True"),
        (lambda: tacore.load(FLAT).filter_bbox(0, 0, 1, 1, level=0, geometry_col=1.5),
         "TacoDataset.filter_bbox: .*=1.5, level=0; expected geometry_col: str$"),
        (lambda: tacore.load(FLAT).stats_mean(0, id=[7]), "TacoDataset.stats_mean: .*, id=\\[7\\]"),
        (lambda: tacore.concat([tacore.load(FLAT)] * 2, 5), "concat: .*: datasets=<list>, column_mode=5"),
        (lambda: tacore.load(FLAT).data.with_column(5, "1"), "TacoDataFrame.with_column: .*: name=5, expression=<str>"),
        (lambda: validator.validate(FLAT, deep="yes"), "validate: .*deep=<str>.*; expected deep: bool$"),
        (lambda: datamodel.Scaling(padding=[1.5, 1, 1, 1]), "Scaling: .*padding=\\[1.5, 1, 1, 1\\]"),
        (lambda: datamodel.MajorTOM(dist_km="far"), "MajorTOM: .*dist_km=<str>"),
        (lambda: datamodel.Change(time_before=2**70, time_after=1), "Change: .*time_before=11805"),
        (lambda: datamodel.Sample("\ud800", b"x"), "Sample: .*id=<str>, path=<bytes>"),
        (lambda: datamodel.Tortilla([datamodel.Sample("a", b"x")], 1.5), "Tortilla: .*pad_to=1.5"),
        (lambda: raster.read_tensor(tacore.load(FLAT), 0, bands=2**70), "read_tensor: .*bands=1180"),
        (lambda: raster.Histogram().add("text"), "add: a value has the wrong type or is out of range: "),
        (lambda: raster.Histogram.decode(5), "decode: .*: 0=5"),
    ],
)
def test_a_value_of_a_wrong_type_is_said_with_the_function_that_was_called(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(TypeError, match=f"^{said}") as refused:
        call()
    assert isinstance(refused.value, tacore.TacoValidationError)
    assert "overload" not in str(refused.value) and "_core" not in str(refused.value)


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda rows: raster.open_raster(None), TypeError,
         "open_raster: a path, a dataset or frame with a key, a Sample or a Raster is expected, not NoneType"),
        (lambda rows: raster.read_tensor(rows, 0, bands="red"), TypeError,
         r"bands is 'red'; the number of a band, from 1, or a list such as \[4, 3, 2\] is expected"),
        (lambda rows: raster.read_tensor(rows, 0, bands=[1.5]), TypeError, r"bands is \[1.5\]; the number of a band"),
        (lambda rows: raster.read_tensor(rows, 0, window="left"), ValueError, "window is 'left'; whole numbers"),
        (lambda rows: raster.read_tensor(rows, 0, window=5), ValueError, "window is 5; whole numbers"),
        (lambda rows: raster.read_tensor(rows, 0, scale="big"), ValueError,
         "scale is 'big'; a factor, .factor, offset."),
        (lambda rows: raster.read_tensor(rows, 0, scale=(1, 2, 3)), ValueError, r"scale is \(1, 2, 3\); a factor"),
        (lambda rows: rows.stats_mean(band="x"), TypeError, "band is 'x'; an integer is expected"),
        (lambda rows: tacore.load(FLAT).flatten("x"), TypeError, "level is 'x'; an integer is expected"),
        (lambda rows: tacore.concat(5), tacore.TacoQueryError, "concat: a list of datasets is expected, not int"),
        (lambda rows: rows.map("split"), tacore.TacoQueryError, r"map: columns is 'split'; a list of names"),
        (lambda rows: rows.plot(0, child=5), TypeError, "plot: child is 5; a path of ids"),
        (lambda rows: rows.filter("nothing > 1"), tacore.TacoQueryError, r'"nothing" not found(?!.*internal:)'),
        (lambda rows: rows.with_column("x", "stac:crs"), tacore.TacoQueryError,
         'a name with a colon needs quotes: "stac:crs"'),
        (lambda rows: rows["nothing"], KeyError, "there is no column 'nothing'; the columns are id, type"),
        (lambda rows: rows.nothing, AttributeError,
         "'TacoDataFrame' object has no attribute 'nothing', nor has its table of pyarrow$"),
        (lambda rows: rows.split, AttributeError, r"'split' is a column: frame\['split'\]$"),
        (lambda rows: tacore.load(FLAT).split, AttributeError,
         r"'TacoDataset' object .* 'split' is a column: dataset\['split'\]$"),
    ],
)  # fmt: skip
def test_mistyped_arguments_are_refused_with_what_is_expected(
    call: Callable[[Any], Any], kind: type, said: str
) -> None:
    for package in ("pyarrow", "matplotlib", "folium"):
        pytest.importorskip(package)
    with pytest.raises(kind, match=said):
        call(tacore.load(FLAT).data)


def test_a_text_which_may_be_secret_is_not_said() -> None:
    with pytest.raises(TypeError) as refused:
        transform.diff("https://user:word@host/a.tacozip", 5)  # type: ignore[arg-type]
    assert "word" not in str(refused.value)


def test_former_names_are_refused_with_the_present_ones() -> None:
    calls: list[tuple[Callable[..., Any], str, str]] = [
        (tacore.create, "quiet", "progress"),
        (transform.convert, "workers", "jobs"),
        (transform.diff, "quiet", "progress"),
        (tacore.create_tacocat, "quiet", "progress"),
        (tacore.set_storage_options, "limit", "max_concurrent_requests"),
    ]
    for function, old, now in calls:
        with pytest.raises(TypeError, match=f"'{old}'; .* called '{now}'"):
            function(**{old: 1})
    for module, old, now in (
        (transform, "taco_of", "to_taco"),
        (v1, "profiles_of", "profiles"),
        (raster, "write_headers", "write_tiff_index"),
        (datamodel, "with_header", "with_tiff_index"),
    ):
        with pytest.raises(AttributeError, match=f"'{old}'; it is called '{now}'"):
            getattr(module, old)
