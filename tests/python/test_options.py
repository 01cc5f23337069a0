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
    (transform.convert, "create", {"split_size", "group_by", "consolidate", "max_concurrent_requests"}),
    (tacore.zip2folder, "create", {"split_size", "group_by", "consolidate"}),
    (tacore.folder2zip, "create", {"split_size", "group_by", "consolidate", "max_concurrent_requests"}),
    (transform.edit, "edit", set()),
    (transform.diff, "diff", set()),
    (transform.sync, "sync", set()),
    (raster.make_tog, "make_tog", set()),
    (raster.write_tiff_index, "write_tiff_index", set()),
    (tacore.load, "load", set()),
    (validator.validate, "validate", set()),
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
