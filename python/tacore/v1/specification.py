"""Parts of a collection of TACO 0.2.0, with the names of tacotoolbox 0.5: members of :class:`tacore.v1.datamodel.Collection`.

Every class takes its fields as keywords; a dict of them may be given in its place. Wrong fields raise TacoSchemaError.
"""

from __future__ import annotations

import re
from typing import Literal

from .._errors import TacoSchemaError
from ..datamodel import SUPPORTED_SENSORS
from ..datamodel import OpticalData as _OpticalData
from ._fields import Fields

__all__ = [
    "Address",
    "Contact",
    "Extent",
    "HyperLink",
    "Info",
    "LabelClass",
    "Labels",
    "Link",
    "OpticalData",
    "Publication",
    "Scientific",
    "SpectralBand",
    "SplitStrategy",
    "Task",
]

SplitStrategy = Literal["random", "stratified", "manual", "other", "none", "unknown"]
Task = Literal[
    "regression",
    "classification",
    "scene-classification",
    "detection",
    "object-detection",
    "segmentation",
    "semantic-segmentation",
    "instance-segmentation",
    "panoptic-segmentation",
    "similarity-search",
    "generative",
    "image-captioning",
    "super-resolution",
    "denoising",
    "inpainting",
    "colorization",
    "style-transfer",
    "deblurring",
    "dehazing",
    "general",
]


class Link(Fields):
    """A link to something related."""

    href: str
    rel: str
    type: str | None = None
    title: str | None = None


class HyperLink(Fields):
    """A link; one with an empty `href` is not written."""

    href: str
    rel: str | None = None
    type: str | None = None
    title: str | None = None


class Info(Fields):
    """An e-mail address, or a telephone number such as +34600000000, with its roles."""

    value: str
    roles: list[str] | None = None

    def _check(self) -> None:
        if not re.fullmatch(r"\+[1-9]\d{3,14}|[^@\s]+@[^@\s]+\.[^@\s]+", self.value):
            raise TacoSchemaError(f"Info.value is {self.value!r}, an e-mail address or +NUMBER expected")


class Address(Fields):
    """A postal address."""

    deliveryPoint: list[str] | None = None
    city: str | None = None
    administrativeArea: str | None = None
    postalCode: str | None = None
    country: str | None = None


class Contact(Fields):
    """A person or organization: `name` or `organization` is required."""

    name: str | None = None
    organization: str | None = None
    identifier: str | None = None
    position: str | None = None
    logo: Link | None = None
    phones: list[Info] | None = None
    emails: list[Info] | None = None
    addresses: list[Address] | None = None
    links: list[Link] | None = None
    contactInstructions: str | None = None
    roles: list[str] | None = None

    def _check(self) -> None:
        if not self.name and not self.organization:
            raise TacoSchemaError("Contact has neither name nor organization, one of them expected")


class Extent(Fields):
    """Boxes and intervals of a dataset; the file stores the box around all boxes, and the interval around all intervals.

    Args:
        spatial: Boxes: west, south, east and north in degrees, or six numbers with heights.
        temporal: Intervals: start and end as text in RFC 3339, in UTC.

    Example:
        >>> Extent(spatial=[[-10, 35, 5, 45]], temporal=[["2020-01-01T00:00:00Z", "2020-12-31T23:59:59Z"]])
    """

    spatial: list[list[float]]
    temporal: list[list[str]]

    def _check(self) -> None:
        for name, found in (("spatial", self.spatial), ("temporal", self.temporal)):
            if not found:
                raise TacoSchemaError(f"Extent.{name} is empty, at least one item expected")
        for box in self.spatial:
            if len(box) not in (4, 6) or not all(-180 <= edge <= 180 for edge in box):
                raise TacoSchemaError(f"Extent.spatial has {box}, 4 or 6 numbers from -180 to 180 expected")
        for interval in self.temporal:
            if len(interval) != 2 or not all(time.endswith(("Z", "+00:00")) for time in interval):
                raise TacoSchemaError(f"Extent.temporal has {interval}, start and end in RFC 3339, in UTC, expected")


class LabelClass(Fields):
    """A class of labels; `category` is its value in the label rasters."""

    name: str
    category: str | int
    description: str | None = None


class Labels(Fields):
    """The classes of the labels of a dataset."""

    label_classes: list[LabelClass]
    label_description: str | None = None


class Publication(Fields):
    """A publication that describes a dataset; one with an empty field is not written."""

    doi: str
    citation: str
    summary: str


class Scientific(Fields):
    """How a dataset is cited, and its publications."""

    doi: str
    citation: str
    summary: str
    publications: list[Publication]


class SpectralBand(Fields):
    """A band of an optical sensor; wavelengths are in nm."""

    name: str
    index: int | None = None
    common_name: str | None = None
    description: str | None = None
    unit: str | None = None
    center_wavelength: float | None = None
    full_width_half_max: float | None = None


class OpticalData(Fields):
    """The optical sensor of a dataset, and its bands.

    Args:
        sensor: Name of a sensor. For those of ``tacore.datamodel.SUPPORTED_SENSORS``, also with some of their bands
            (``sentinel2msi[B04, B03]``), the attribute `bands` is then the list of bands.
        bands: :class:`SpectralBand` objects or dicts of their fields.

    Raises:
        TacoSchemaError: There is no sensor, or a known sensor does not have a band.
    """

    sensor: str | None = None
    bands: list[SpectralBand] | None = None

    def _check(self) -> None:
        if self.sensor is None:
            raise TacoSchemaError("OpticalData.sensor is missing; it is required")
        if self.bands is None and self.sensor.partition("[")[0].strip().lower() in SUPPORTED_SENSORS:
            known = _OpticalData(sensor=self.sensor)
            self.sensor = known.sensor
            self.bands = [SpectralBand(**vars(band)) for band in known.bands or ()]
