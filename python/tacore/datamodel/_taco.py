"""Tacos: datasets to be written (specification, 5.4 and 7.1.1)."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import json
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core as library
from .._errors import TacoValidationError
from .._model import Model
from ._columns import columns_of, model_of, table_of
from ._extension import TacoExtension, one_row
from ._tortilla import Tortilla, _wrapped

if TYPE_CHECKING:
    import pyarrow

    from .._create import Validation


class TaskType(str, enum.Enum):
    """Machine-learning tasks of a dataset, those of the published writers. A member can be used as text."""

    REGRESSION = "regression"
    CLASSIFICATION = "classification"
    SCENE_CLASSIFICATION = "scene-classification"
    DETECTION = "detection"
    OBJECT_DETECTION = "object-detection"
    SEGMENTATION = "segmentation"
    SEMANTIC_SEGMENTATION = "semantic-segmentation"
    INSTANCE_SEGMENTATION = "instance-segmentation"
    PANOPTIC_SEGMENTATION = "panoptic-segmentation"
    SIMILARITY_SEARCH = "similarity-search"
    GENERATIVE = "generative"
    IMAGE_CAPTIONING = "image-captioning"
    SUPER_RESOLUTION = "super-resolution"
    DENOISING = "denoising"
    INPAINTING = "inpainting"
    COLORIZATION = "colorization"
    STYLE_TRANSFER = "style-transfer"
    DEBLURRING = "deblurring"
    DEHAZING = "dehazing"
    FOUNDATION_MODEL = "foundation-model"
    OTHER = "other"

    def __str__(self) -> str:
        return self.value


@dataclasses.dataclass
class Contact(Model):
    """A provider or curator: a person or organization (specification, 5.5.2).

    Args:
        name: Name of the person. `name` or `organization` is required.
        organization: Name of the organization.
        email: E-mail address, with an ``@``.
        role: Role, such as "producer".
        roles: Several roles, as in published collections.
        url: Web address, ``http://`` or ``https://``.
        links: Further objects, which are stored unchanged.

    Raises:
        TacoValidationError: A value breaks one of these rules.
    """

    name: str | None = None
    organization: str | None = None
    email: str | None = None
    role: str | None = None
    roles: list[str] | None = None
    url: str | None = None
    links: list[dict[str, str]] | None = None

    def __post_init__(self) -> None:
        if not self.name and not self.organization:
            raise TacoValidationError("a contact has neither name nor organization; one of them expected")
        if self.email is not None and "@" not in self.email:
            raise TacoValidationError(f"contact {self._called()}: email {self.email!r} has no @")
        if self.url is not None and not self.url.startswith(("http://", "https://")):
            raise TacoValidationError(f"contact {self._called()}: url {self.url!r} must start with http:// or https://")

    def _called(self) -> str:
        return repr(self.name or self.organization)


Provider = Contact
Curator = Contact


@dataclasses.dataclass
class Extent(Model):
    """Spatial and temporal extent of a dataset.

    Args:
        spatial: West, south, east and north in degrees (WGS 84); west > east crosses the antimeridian.
        temporal: Start and end as ISO 8601 text or datetimes, both with a time zone, or both without (then UTC).

    Raises:
        TacoValidationError: A value is out of range, south is above north, or the end is before the start.
    """

    spatial: Sequence[float] | None = None
    temporal: Sequence[str | dt.datetime | dt.date] | None = None

    def __post_init__(self) -> None:
        if self.spatial is not None:
            self.spatial = _box(self.spatial)
        if self.temporal is not None:
            self.temporal = _times(self.temporal)


class Taco(Model):
    """A dataset to be written: a Tortilla and its collection (specification, 7.1.1).

    The collection is checked when the Taco is made, and again when it is written. Further keys of COLLECTION.json are
    read as attributes, or by ``taco[key]`` if the name is no identifier (``labels:classes``).

    Args:
        tortilla: Samples of the dataset.
        id: Id of the dataset: lower-case letters, digits, ``_`` and ``-``.
        dataset_version: Version of the data.
        description: Description, text or Markdown.
        licenses: Licences, at least one; preferably SPDX identifiers.
        providers: Persons and organizations that made the data: at least one :class:`Contact`, or a dict of its fields.
        tasks: Tasks: at least one :class:`TaskType` or its text.
        taco_version: Accepted for compatibility: datasets are always written as 2.0.0.
        title: Title, at most 250 characters.
        curators: Persons and organizations that made the dataset from the data.
        keywords: Keywords for searches.
        extent: An :class:`Extent` or a dict of its fields; None: computed from the STAC or ISTAC columns of the
            samples, or the globe without them.
        **more: Further keys, as :meth:`extend_with` takes them in a dict.

    Raises:
        TacoValidationError: The collection or the tree of the samples breaks rules; the message lists all.
        TacoSchemaError: COLLECTION.json cannot store a key or value.

    Example:
        >>> taco = Taco(tortilla, id="chips", dataset_version="1.0.0", description="Chips", licenses=["CC-BY-4.0"],
        ...             providers=[{"name": "Our lab"}], tasks=["segmentation"])
        >>> tacore.create(taco, "chips.tacozip")
    """

    tortilla: Tortilla
    id: str
    dataset_version: str
    description: str
    licenses: list[str]
    providers: list[Contact]
    tasks: list[str]
    taco_version: str
    title: str | None
    curators: list[Contact] | None
    keywords: list[str] | None

    def __init__(
        self,
        /,
        tortilla: Tortilla,
        id: str,
        dataset_version: str,
        description: str,
        licenses: Sequence[str],
        providers: Sequence[Contact | Mapping[str, Any]],
        tasks: Sequence[TaskType | str],
        taco_version: str = "2.0.0",
        title: str | None = None,
        curators: Sequence[Contact | Mapping[str, Any]] | None = None,
        keywords: Sequence[str] | None = None,
        extent: Extent | Mapping[str, Any] | None = None,
        **more: Any,
    ) -> None:
        if not isinstance(tortilla, Tortilla):
            raise TypeError(f"a Taco is made of a Tortilla, not of {type(tortilla).__name__}")
        self.tortilla = tortilla
        self.id = id
        self.dataset_version = dataset_version
        self.description = description
        self.licenses = _texts(licenses, "licenses")
        self.providers = _contacts(providers)
        self.tasks = [str(task) for task in _texts(tasks, "tasks")]
        self.taco_version = "2.0.0"
        if taco_version != self.taco_version:
            warnings.warn(
                f"taco_version {taco_version!r} is not written: the dataset is one of {self.taco_version}",
                UserWarning,
                stacklevel=2,
            )
        self.title = title
        self.curators = None if curators is None else _contacts(curators)
        self.keywords = None if keywords is None else _texts(keywords, "keywords")
        self.extent = extent
        self._more: dict[str, Any] = {}
        self.extend_with(more)
        faults = self._core.faults()
        if faults:
            count = f"{len(faults)} rule{'s' if len(faults) > 1 else ''}"
            raise TacoValidationError(f"dataset {id!r} breaks {count}: " + "; ".join(faults))

    @property
    def extent(self) -> Extent:
        """Extent of the dataset: the given one, else that of the samples. Raises TacoSchemaError for invalid
        geometries."""
        return self._extent if self._extent is not None else Extent(**self.tortilla._core.extent())

    @extent.setter
    def extent(self, extent: Extent | Mapping[str, Any] | None) -> None:
        self._extent = Extent(**extent) if isinstance(extent, Mapping) else extent

    @property
    def size_bytes(self) -> int:
        """Size of all FILEs in bytes."""
        return self.tortilla.size_bytes

    @property
    def collection(self) -> dict[str, Any]:
        """Content of COLLECTION.json, without the tree and the field schema that :func:`tacore.create` adds; a copy."""
        return {**self._model(), "extent": dataclasses.asdict(self.extent), **self._more}

    def extend_with(self, extension: Any) -> None:
        """Adds keys of COLLECTION.json; an existing key gets the new value.

        Args:
            extension: A :class:`TacoExtension`, a dict, a table of one row, a dataclass or a Pydantic model.

        Raises:
            TacoSchemaError: A key is an argument of the constructor, the table does not have one row, or JSON cannot
                express a value. The Taco does not change.
        """
        native = getattr(extension, "_core", None)
        what = type(extension).__name__
        if isinstance(native, library.TacoExtension) and not extension._is_off():
            values = native.compute(self._core)
        elif isinstance(extension, TacoExtension):
            values = extension._values(self)
        elif isinstance(extension, Mapping):
            values = dict(extension)
        elif callable(extension) and hasattr(extension, "get_schema"):
            values = one_row(columns_of(extension(self), what), what)
        else:
            values = model_of(extension) or one_row(columns_of(extension, what), what)
        more = {**self._more, **{str(key): _plain(value) for key, value in values.items()}}
        self._made(more)
        self._more = more

    def describe_fields(self, table: str | os.PathLike[str]) -> None:
        """Describes metadata columns as a table says, so that descriptions, cards and pages of the dataset show it.

        The description of a column becomes "Elevation (m)" or "Land cover; 0 = water, 1 = forest", at each level that
        has the column. If one column has classes, they also become the key ``labels:classes``, unless the Taco has it.

        Args:
            table: Path of a ``.csv``, ``.tsv``, ``.jsonl`` or ``.parquet`` file with a row for each column: `name` (or
                `column`), and `description`, `unit` and `classes` (``0=water;1=forest``), each of which may be missing.

        Raises:
            TacoSchemaError: The table has other columns, or rows have faults, such as an unknown name: the message lists
                the first 20 by their lines. The Taco does not change.
            TacoFormatError, TacoIOError: The table cannot be read.

        Example:
            >>> Path("fields.csv").write_text("name,description,unit\\nelevation,Height above sea level,m\\n")
            >>> taco.describe_fields("fields.csv")
        """
        tortilla, document = library.describe_fields(self._core, os.fspath(table))
        labels = {key: value for key, value in json.loads(document).items() if key.startswith("labels:")}
        self.tortilla = _wrapped(tortilla)
        self._more = {**self._more, **labels}

    def validate(self, output: str | os.PathLike[str], **options: Any) -> Validation:
        """Runs all checks of :func:`tacore.create` with this output and these options, without writing. Returns all
        reasons why it would fail, and the files that it would write."""
        from .._create import validate

        return validate(self, output, **options)

    def make_compliant(self) -> tuple[Taco, list[str]]:
        """Returns a copy whose samples :func:`tacore.create` accepts, and the changes, one sentence each: children are
        sorted in code-point order if FOLDERs have them in different orders, and padding replaces missing children.

        Raises:
            TacoSchemaError: Padding cannot give all samples the same tree.
        """
        from .._create import make_compliant

        return make_compliant(self)

    def export_metadata(self) -> pyarrow.Table:
        """Returns :attr:`collection` as a table of one row; without pyarrow as an object with
        ``__arrow_c_stream__``."""
        return table_of(library.Columns.of_row(self.collection))

    def __getitem__(self, key: str) -> Any:
        """Value of a key that was added. Raises KeyError if it does not exist."""
        return self._more[key]

    def __getattr__(self, name: str) -> Any:
        more = self.__dict__.get("_more", {})
        if name in more:
            return more[name]
        raise AttributeError(f"a Taco has no attribute or key {name!r}")

    def __len__(self) -> int:
        """Number of samples of level 0."""
        return len(self.tortilla)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<Taco {self.id!r} {self.dataset_version}, {len(self)} samples, {self.size_bytes} bytes>"

    def _fields(self) -> dict[str, Any]:
        """The arguments of the constructor, and the keys that were added."""
        names = ("tortilla", "id", "dataset_version", "description", "licenses", "extent", "providers", "tasks", "taco_version",
                 "title", "curators", "keywords")  # fmt: skip
        return {**{name: getattr(self, name) for name in names}, **self._more}

    def _given_fields(self) -> dict[str, Any]:
        return {**self._fields(), "extent": self._extent}

    def _defaults(self) -> dict[str, Any]:
        return {"taco_version": "2.0.0", "title": None, "curators": None, "keywords": None, "extent": None}

    @property
    def _core(self) -> library.Taco:
        """The Taco of the C++ library."""
        return self._made(self._more)

    def _model(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "dataset_version": self.dataset_version,
            "description": self.description,
            "licenses": list(self.licenses),
            "providers": [_contact_fields(each) for each in self.providers],
            "tasks": [str(task) for task in self.tasks],
            "taco_version": self.taco_version,
            "title": self.title,
            "curators": None if self.curators is None else [_contact_fields(each) for each in self.curators],
            "keywords": self.keywords,
        }

    def _made(self, more: Mapping[str, Any]) -> library.Taco:
        model = {key: value for key, value in self._model().items() if value is not None}
        if self._extent is not None:
            model["extent"] = dataclasses.asdict(self._extent)
        return library.Taco(self.tortilla._core, json.dumps(model, default=str), dict(more))


def _contacts(given: Sequence[Contact | Mapping[str, Any]]) -> list[Contact]:
    return [_contact(each) for each in given]


def _contact(given: Any) -> Contact:
    if isinstance(given, Contact):
        return given
    fields = dict(given) if isinstance(given, Mapping) else model_of(given)
    if fields is None:
        raise TypeError(
            f'a contact is a Contact or a dict of its fields, such as {{"name": "A lab"}}, not {type(given).__name__}'
        )
    known = [field.name for field in dataclasses.fields(Contact)]
    unknown = [key for key in fields if key not in known]
    if unknown:
        raise TacoValidationError(f"a contact has fields {', '.join(unknown)}; there are: {', '.join(known)}")
    return Contact(**fields)


def _contact_fields(contact: Any) -> dict[str, Any]:
    return {key: value for key, value in dataclasses.asdict(_contact(contact)).items() if value is not None}


def _texts(given: Sequence[str], what: str) -> list[str]:
    if isinstance(given, str) or not all(isinstance(each, str) for each in given):
        raise TacoValidationError(f"{what}: {given!r}; a list of text expected")
    return list(given)


def _plain(value: Any) -> Any:
    """A value in which dataclasses, models and enumerations are replaced by dicts and values."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    found = model_of(value)
    return value if found is None else found


def _box(given: Sequence[float]) -> list[float]:
    box = [float(edge) for edge in given]
    if len(box) != 4:
        raise TacoValidationError(f"spatial extent has {len(box)} numbers; exactly 4 expected: west, south, east and north")
    west, south, east, north = box
    if not (-180 <= west <= 180 and -180 <= east <= 180):
        raise TacoValidationError(f"spatial extent: Longitude is {west} to {east}; -180 to 180 expected")
    if not -90 <= south <= north <= 90:
        raise TacoValidationError(
            f"spatial extent has latitudes {south} and {north}; -90 <= south <= north <= 90 expected"
        )
    return box


def _times(given: Sequence[Any]) -> list[str]:
    if isinstance(given, str) or len(given) != 2:
        raise TacoValidationError(f"temporal extent {given!r}; start and end expected")
    start, end = (_time(each) for each in given)
    if (start.tzinfo is None) != (end.tzinfo is None):
        raise TacoValidationError(f"temporal extent {given!r} has one time with a time zone and one without")
    if start > end:
        raise TacoValidationError(f"temporal extent: the start must be before the end; it is {given[0]}, and the end {given[1]}")
    return [each if isinstance(each, str) else _rfc3339(time) for each, time in zip(given, (start, end))]


def _time(given: Any) -> dt.datetime:
    if isinstance(given, dt.datetime):
        return given
    if isinstance(given, dt.date):
        return dt.datetime(given.year, given.month, given.day)
    try:
        return dt.datetime.fromisoformat(str(given).replace("Z", "+00:00"))
    except ValueError:
        raise TacoValidationError(f"temporal extent: {given!r} is not a time in ISO 8601") from None


def _rfc3339(time: dt.datetime) -> str:
    utc = time.replace(tzinfo=dt.timezone.utc) if time.tzinfo is None else time.astimezone(dt.timezone.utc)
    return utc.isoformat().replace("+00:00", "Z")
