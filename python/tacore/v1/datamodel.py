"""Collection of TACO 0.2.0, with the names of tacotoolbox 0.5."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping
from typing import Any

from .._errors import TacoSchemaError
from ._fields import Fields
from .specification import (
    Contact,
    Extent,
    HyperLink,
    Labels,
    OpticalData,
    Scientific,
    SplitStrategy,
    Task,
)

__all__ = ["Collection"]


class Collection(Fields):
    """Metadata of a dataset. Members that are models may be dicts of their fields.

    Args:
        id: Name of the dataset: lower-case letters, digits, ``_`` and ``-``.
        dataset_version: Version, such as 1.0.0.
        description: What the dataset is.
        licenses: Licences; preferably SPDX identifiers.
        extent: Boxes and intervals.
        providers: Persons and organizations that made the data.
        task: Task of machine learning.
        taco_version: Accepted as in the published package: 0.2.0 is written.
        title: Title, at most 250 characters.
        curators: Persons and organizations that made the dataset from the data.
        keywords: Keywords for searches.
        split_strategy: How samples were assigned to splits.
        discuss_link: Where the dataset is discussed.
        raw_link: Where the raw data is.
        optical_data: Optical sensor and its bands.
        labels: Classes of the labels.
        scientific: How the dataset is cited.

    Raises:
        TacoSchemaError: A member is missing or wrong. Further rules of 0.2.0 are checked when a file is written.

    Example:
        >>> Collection(id="chips", dataset_version="1.0.0", description="Chips", licenses=["cc-by-4.0"],
        ...            extent={"spatial": [[-10, 35, 5, 45]], "temporal": [["2020-01-01T00:00:00Z", "2020-12-31T00:00:00Z"]]},
        ...            providers=[{"name": "Our lab"}], task="regression")
    """

    id: str
    dataset_version: str
    description: str
    licenses: list[str]
    extent: Extent
    providers: list[Contact]
    task: Task
    taco_version: str = "0.4.0"
    title: str | None = None
    curators: list[Contact] | None = None
    keywords: list[str] | None = None
    split_strategy: SplitStrategy | None = None
    discuss_link: HyperLink | None = None
    raw_link: HyperLink | None = None
    optical_data: OpticalData | None = None
    labels: Labels | None = None
    scientific: Scientific | None = None

    def _check(self) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", self.id):
            raise TacoSchemaError(f"Collection.id is {self.id!r}, lower-case letters, digits, _ and - expected")
        if self.title is not None and len(self.title) > 250:
            raise TacoSchemaError(f"Collection.title has {len(self.title)} characters, at most 250 expected")

    def _document(self) -> dict[str, Any]:
        """Returns what is written: the members without links and publications that are empty, which 0.2.0 does not
        allow; a warning names them."""
        out = self.model_dump(mode="json")
        dropped = [name for name in ("discuss_link", "raw_link") if out[name] and not out[name]["href"]]
        for name in dropped:
            out[name] = None
        if self.scientific:
            publications = out["scientific"]["publications"]
            out["scientific"]["publications"] = [each for each in publications if all(each.values())]
            dropped += ["scientific.publications"] * (out["scientific"]["publications"] != publications)
        if dropped:
            warnings.warn(
                f"collection {self.id!r}: left out, since a text is empty: {', '.join(dropped)}",
                UserWarning,
                stacklevel=4,
            )
        return out


#: A collection, its members by their names in 0.2.0 or 2.0, or JSON text of it.
CollectionLike = Collection | Mapping[str, Any] | str


def json_of(collection: CollectionLike) -> str:
    """The JSON text of a collection."""
    if isinstance(collection, str):
        return collection
    return json.dumps(collection._document() if isinstance(collection, Collection) else collection)
