"""Methods of Pydantic models, as the templates of the published packages call them; Pydantic itself is the oracle."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

import tacore
from tacore.datamodel import STAC, Contact, Extent, Sample, SampleExtension, Taco, Tortilla

SHAPE: dict[str, Any] = {"crs": "EPSG:32630", "tensor_shape": (3, 256, 256), "time_start": "2024-01-31"}
HERE = (500000, 10, 0, 4400000, 0, -10)
ELSEWHERE = (600000, 10, 0, 4400000, 0, -10)


def made_taco(**more: Any) -> Taco:
    samples = [Sample("a", b"abc", **{"stac:crs": "EPSG:4326"})]
    return Taco(Tortilla(samples), "chips", "1.0.0", "Chips", ["CC-BY-4.0"], [{"name": "Lab"}], ["segmentation"], **more)


def test_a_sample_is_dumped_with_its_metadata(tmp_path: Path) -> None:
    (tmp_path / "a.tif").write_bytes(b"abc")
    sample = Sample("a", tmp_path / "a.tif", **{"stac:crs": "EPSG:4326", "taken": dt.datetime(2024, 1, 31)})
    assert sample.model_dump() == {"id": "a", "path": tmp_path / "a.tif", "type": "FILE", "stac:crs": "EPSG:4326",
                                   "taken": sample["taken"]}  # fmt: skip
    assert sample.model_dump()["stac:crs"] == "EPSG:4326"
    as_json = sample.model_dump(mode="json", include={"id", "path", "taken"})
    assert as_json["path"] == str(tmp_path / "a.tif") and as_json["taken"].startswith("2024-01-31T00:00:00")
    assert json.loads(sample.model_dump_json(exclude={"path"}))["id"] == "a"


def test_a_taco_is_dumped_as_its_collection() -> None:
    taco = made_taco(keywords=["a"], **{"labels:classes": ["x"]})
    dumped = taco.model_dump(exclude={"tortilla"}, mode="json")
    assert dumped["id"] == "chips" and dumped["labels:classes"] == ["x"] and dumped["title"] is None
    assert dumped["providers"] == [{"name": "Lab", "organization": None, "email": None, "role": None, "roles": None, "url": None,
                                    "links": None}]  # fmt: skip
    assert json.loads(json.dumps(dumped)) == dumped
    assert taco.model_dump(include={"providers"}, exclude_none=True) == {"providers": [{"name": "Lab"}]}
    assert taco.model_dump(exclude={"tortilla": True, "extent": {"temporal"}})["extent"].keys() == {"spatial"}
    assert taco.model_dump()["tortilla"] is taco.tortilla
    assert taco.model_fields_set >= {"tortilla", "id", "keywords"} and "title" not in taco.model_fields_set
    with pytest.raises(TypeError, match="a Tortilla cannot be stored in JSON"):
        taco.model_dump_json()


def test_a_copy_has_new_values_and_computes_what_depends_on_them() -> None:
    stac = STAC(geotransform=HERE, **SHAPE)
    named = stac.model_copy(update={"sample_id": "a"})
    assert named.sample_id == "a" and stac.sample_id is None and named.centroid == stac.centroid
    moved = stac.model_copy(update={"geotransform": ELSEWHERE})
    assert moved.centroid == STAC(geotransform=ELSEWHERE, **SHAPE).centroid != stac.centroid
    given = STAC(geotransform=HERE, centroid=moved.centroid, **SHAPE).model_copy(update={"geotransform": ELSEWHERE})
    assert given.centroid == moved.centroid
    with pytest.raises(tacore.TacoSchemaError):
        stac.model_copy(update={"crs": "EPSG:nothing"})
    with pytest.raises(TypeError):
        stac.model_copy(update={"no_such_field": 1})


def test_copies_of_samples_and_tacos_leave_the_first_as_it_was() -> None:
    sample = Sample("a", b"abc", cloud=0.5)
    copied = sample.model_copy(update={"id": "b", "cloud": 0.25, "label": 3})
    assert (copied.id, copied.cloud, copied.label, copied.read_bytes()) == ("b", 0.25, 3, b"abc")
    assert (sample.id, sample.cloud, sample.keys()) == ("a", 0.5, ["cloud"])
    taco = made_taco()
    other = taco.model_copy(update={"title": "Chips of a scene"})
    assert other.title == "Chips of a scene" and taco.title is None and other.id == taco.id
    with pytest.raises(tacore.TacoValidationError):
        taco.model_copy(update={"id": "Not An Id"})


def test_fields_are_checked_when_they_come_from_a_dict() -> None:
    extent = Extent.model_validate({"spatial": [-10, 35, 5, 45]})
    assert Extent.model_validate(extent) is extent and extent.spatial == [-10, 35, 5, 45]
    with pytest.raises(tacore.TacoValidationError):
        Contact.model_validate({"email": "nobody"})


def test_a_dataset_is_dumped_and_not_changed(golden: Path) -> None:
    dataset = tacore.load(golden / "nested.tacozip")
    dumped = json.loads(dataset.model_dump_json())
    assert dumped["id"] == dataset.id and dumped["pit_schema"] == dataset.collection["taco:pit_schema"]
    assert len(dataset.model_copy()) == len(dataset)
    with pytest.raises(TypeError, match="description of a dataset is that of its files"):
        dataset.model_copy(update={"id": "other"})


def test_an_extension_of_pydantic_keeps_its_methods_and_agrees_with_ours() -> None:
    pydantic = pytest.importorskip("pydantic")

    class Fields:
        threshold: float = 0.5
        names: list[str] | None = None

        def get_schema(self) -> dict[str, str]:
            return {"cloud": "float"}

        def _compute(self, sample: Sample) -> dict[str, float]:
            return {"cloud": self.threshold}

    class Ours(SampleExtension):
        threshold: float = 0.5
        names: list[str] | None = None
        get_schema, _compute = Fields.get_schema, Fields._compute

    class Theirs(SampleExtension, pydantic.BaseModel):  # type: ignore[name-defined, misc]
        schema_only: bool = False
        return_none: bool = False
        threshold: float = 0.5
        names: list[str] | None = None
        get_schema, _compute = Fields.get_schema, Fields._compute

    ours, theirs = Ours(threshold=0.25), Theirs(threshold=0.25)
    for options in ({}, {"exclude_none": True}, {"exclude_defaults": True}, {"include": {"names"}}, {"exclude": {"names"}},
                    {"mode": "json"}):  # fmt: skip
        assert ours.model_dump(**options) == theirs.model_dump(**options), options
    assert json.loads(ours.model_dump_json()) == json.loads(theirs.model_dump_json())
    assert ours.model_copy(update={"threshold": 1.0}).threshold == theirs.model_copy(update={"threshold": 1.0}).threshold == 1.0
    with pytest.raises(pydantic.ValidationError):
        Theirs.model_validate({"threshold": "much"})
