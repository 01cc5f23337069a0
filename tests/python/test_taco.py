"""Tacos: what the Python layer adds."""

from __future__ import annotations

import copy
import dataclasses
import datetime as dt
import pickle
from typing import Any

import pyarrow as pa
import pytest
import tacore
from tacore.datamodel import (
    Contact,
    Curator,
    Extent,
    LabelClass,
    Labels,
    Provider,
    Taco,
    TacoExtension,
    TaskType,
    Tortilla,
)
from toolbox import flat, make_taco, nested

pydantic = pytest.importorskip("pydantic")


def test_tasks_are_the_21_of_the_specification() -> None:
    assert make_taco(Tortilla(flat()), tasks=list(TaskType)).tasks == [task.value for task in TaskType]
    assert len(TaskType) == 21
    for wrong in (["nonsense"], [], "classification"):
        with pytest.raises(ValueError):
            make_taco(Tortilla(flat()), tasks=wrong)
    for key in ("licenses", "providers"):
        with pytest.raises(ValueError):
            make_taco(Tortilla(flat()), **{key: []})


def test_contacts_are_checked() -> None:
    assert Provider(name="x", url="https://x.org", roles=["host"], links=[{"href": "y"}]).roles == ["host"]
    assert Curator(organization="x").name is None
    for wrong in ({}, {"name": "x", "email": "at"}, {"name": "x", "url": "ftp://x"}):
        with pytest.raises(ValueError):
            Contact(**wrong)
    with pytest.raises(ValueError, match="rol"):
        make_taco(Tortilla(flat()), providers=[{"name": "x", "rol": "y"}])
    with pytest.raises(TypeError, match='such as {"name": "A lab"}, not str'):
        make_taco(Tortilla(flat()), providers=["Our lab"])
    taco = make_taco(Tortilla(flat()), providers=[{"organization": "o", "email": "a@b", "role": "r"}])
    assert taco.providers[0].email == "a@b"


@pytest.mark.parametrize("box", [[-180, -90, 180, 90], [170, 0, -170, 1], (0, 0, 0, 0)])
def test_a_given_extent_is_kept(box: Any) -> None:
    times = ["2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"]
    taco = make_taco(Tortilla(flat()), extent={"spatial": box, "temporal": times})
    assert taco.extent == Extent(spatial=list(box), temporal=times)
    assert taco.collection["extent"] == {"spatial": list(map(float, box)), "temporal": times}


@pytest.mark.parametrize(
    "wrong",
    [
        {"spatial": [0, 0, 1]},
        {"spatial": [float("nan"), 0, 0, 1]},
        {"temporal": ["yesterday", "2020-01-01"]},
        {"temporal": ["2020-01-01T00:00:00", "2020-01-01T00:00:00Z"]},
        {"temporal": ["2020-01-01"]},
    ],
)
def test_an_invalid_extent_is_refused(wrong: Any) -> None:
    with pytest.raises(tacore.TacoValidationError):
        Extent(**wrong)


def test_datetimes_are_accepted_as_times() -> None:
    zone = dt.timezone(dt.timedelta(hours=2))
    assert Extent(
        temporal=[dt.datetime(2020, 1, 1, 2, tzinfo=zone), dt.datetime(2021, 1, 1, tzinfo=zone)]
    ).temporal == [
        "2020-01-01T00:00:00Z",
        "2020-12-31T22:00:00Z",
    ]


def test_folders_with_different_children_are_refused() -> None:
    with pytest.raises(tacore.TacoValidationError):
        make_taco(Tortilla([*nested(1), *nested(1, ids=("a", "c"), prefix="other")]))


class Model(pydantic.BaseModel):
    m: int = 1


@dataclasses.dataclass
class Record:
    r: int = 1


class Computed(TacoExtension):
    rows: int = 1

    def get_schema(self) -> Any:
        return {"c:len": "int64", "c:names": "list<item: string>"}

    def _compute(self, taco: Taco) -> Any:
        return pa.table({"c:len": [len(taco)] * self.rows, "c:names": [["a", "b"]] * self.rows})


def test_dicts_tables_models_and_extensions_extend_a_dataset() -> None:
    taco = make_taco(Tortilla(flat()), plain=1)
    for extension in ({"k:x": [{"a": None}]}, pa.table({"t": [1.5]}), Model(), Record(), Computed()):
        taco.extend_with(extension)
    taco.extend_with(Labels(label_classes=[LabelClass(name="w", category=0), {"name": "x", "category": "1"}]))
    assert (taco.plain, taco.t, taco.m, taco.r) == (1, 1.5, 1, 1)
    assert taco["c:len"] == 4 and taco["c:names"] == ["a", "b"] and taco["k:x"] == [{"a": None}]
    assert getattr(taco, "labels:num_classes") == 2
    assert [each["category"] for each in taco["labels:classes"]] == ["0", "1"]
    assert taco.export_metadata()["plain"].to_pylist() == [1]
    taco.extend_with({"mixed": [1, "x"]})  # which JSON has, and no table
    with pytest.raises(tacore.TacoSchemaError, match="one type expected"):
        taco.export_metadata()


@pytest.mark.parametrize(
    "wrong",
    [{"id": "x"}, {"extent": {}}, {"k": b"x"}, {"tasks": []}, pa.table({"t": [1, 2]}), Computed(rows=2), 5, None],
)
def test_an_invalid_extension_changes_nothing(wrong: Any) -> None:
    taco = make_taco(Tortilla(flat()))
    before = taco.collection
    with pytest.raises((ValueError, TypeError)):
        taco.extend_with(wrong)
    assert taco.collection == before


def test_the_version_is_that_of_the_specification() -> None:
    with pytest.warns(UserWarning, match="'0.5.0' is not written"):
        assert make_taco(Tortilla(flat()), taco_version="0.5.0").taco_version == "2.0.0"


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_copies_are_equal_and_independent(again: Any) -> None:
    taco = make_taco(Tortilla(nested(2)), extra={"a": [1]}, curators=[Curator(name="c")])
    other = again(taco)
    assert other.collection == taco.collection and len(other) == 2
    other.extend_with({"only": 1})
    with pytest.raises(AttributeError):
        _ = taco.only


def test_a_list_of_samples_as_tortilla_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        make_taco(flat())  # type: ignore[arg-type]
