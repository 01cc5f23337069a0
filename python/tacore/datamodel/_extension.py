"""Extensions: classes that compute metadata (specification, 7.1.2)."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from .. import _core
from .._errors import TacoSchemaError
from .._model import Model
from ._columns import Field, columns_of, schema_of, table_of

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    from ._sample import Sample
    from ._taco import Taco
    from ._tortilla import Tortilla
else:

    def dataclass_transform(**_: Any) -> Callable[[Any], Any]:
        return lambda cls: cls


_T = TypeVar("_T")


@dataclass_transform(kw_only_default=True, eq_default=False)
@dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=True)
class Extension(Model, ABC):
    """Base class of the three kinds of extensions.

    Annotated fields of a subclass are keywords of its constructor, as in a dataclass; a list, dict or set as a default
    is copied for each instance. A subclass may also have an ``__init__`` of its own, or derive from
    ``pydantic.BaseModel``, listed after this class.

    Attributes:
        schema_only: True: nothing is computed; the fields are null, with their types.
        return_none: Another name of `schema_only`.
    """

    schema_only: bool = False
    return_none: bool = False

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        is_base = cls.__module__ == __name__  # without a constructor, which would precede that of Pydantic
        of_pydantic = [base for base in cls.__mro__ if base.__module__.startswith("pydantic.")]
        if of_pydantic:
            for name in vars(Model):
                if name.startswith("model_"):
                    setattr(cls, name, next(vars(base)[name] for base in of_pydantic if name in vars(base)))
        elif not is_base:
            _make_fields(cls)

    @abstractmethod
    def get_schema(self) -> Any:
        """Names and types of the fields, in order: a dict of names to types (of polars or pyarrow, names of Arrow
        types, or `bool`, `int`, `float`, `str`, `bytes`), a pyarrow schema, or a table or schema with the PyCapsule
        interface."""

    def get_field_descriptions(self) -> Mapping[str, str]:
        """Descriptions of the fields by name, for `taco:field_schema`; any may be missing."""
        return {}

    def _schema(self) -> list[Field]:
        return schema_of(self.get_schema(), self.get_field_descriptions())

    def _is_off(self) -> bool:
        return bool(getattr(self, "schema_only", False) or getattr(self, "return_none", False))

    def _typed(self, data: Any) -> _core.Columns:
        """The result of `_compute` with the types of the schema. Raises TacoSchemaError if a field is missing."""
        schema = self._schema()
        columns = columns_of(data, f"{type(self).__name__}._compute")
        names = {name for name, _, _ in columns.fields()}
        missing = [name for name, _, _ in schema if name not in names]
        if missing:
            raise TacoSchemaError(
                f"{type(self).__name__}._compute returned no {', '.join(missing)}; get_schema() has these fields"
            )
        return columns.typed(schema)


class SampleExtension(Extension):
    """An extension that computes metadata of single samples.

    Example:
        >>> class Clouds(SampleExtension):
        ...     threshold: float = 0.5
        ...
        ...     def get_schema(self):
        ...         return {"cloud:percent": "float"}
        ...
        ...     def _compute(self, sample):
        ...         return {"cloud:percent": share_of_clouds(sample.path, self.threshold)}
    """

    @abstractmethod
    def _compute(self, sample: Sample) -> Any:
        """Computes the fields of one sample: a dict, a table of one row of any library, a dataclass or a Pydantic
        model."""

    def __call__(self, sample: Sample) -> Any:
        """Returns the fields as a table of one row (of pyarrow, if it is installed)."""
        return table_of(self._columns(sample))

    def _columns(self, sample: Sample) -> _core.Columns:
        if self._is_off():
            return _core.Columns.of_nulls(self._schema(), 1)
        columns = self._typed(self._compute(sample))
        if len(columns) != 1:
            raise TacoSchemaError(
                f"{type(self).__name__}._compute returned {len(columns)} rows for sample {sample.id!r}; "
                "exactly one row expected"
            )
        return columns


class TortillaExtension(Extension):
    """An extension that computes metadata of all samples of a Tortilla together."""

    @abstractmethod
    def _compute(self, tortilla: Tortilla) -> Any:
        """Computes a row for each sample: a table of any library, a dict of columns, or a list of dicts, dataclasses or
        Pydantic models."""

    def __call__(self, tortilla: Tortilla) -> Any:
        """Returns a table with a row for each sample (of pyarrow, if it is installed)."""
        return table_of(self._columns(tortilla))

    def _columns(self, tortilla: Tortilla) -> _core.Columns:
        if self._is_off():
            return _core.Columns.of_nulls(self._schema(), len(tortilla))
        data = self._compute(tortilla)
        if isinstance(data, Mapping):
            data = _core.Columns.of_values(dict(data))
        columns = self._typed(data)
        check_rows(len(columns), len(tortilla))
        return columns


class TacoExtension(Extension):
    """An extension that computes keys of COLLECTION.json."""

    @abstractmethod
    def _compute(self, taco: Taco) -> Any:
        """Computes the keys: one row, as for :class:`SampleExtension`."""

    def __call__(self, taco: Taco) -> Any:
        """Returns the keys as a table of one row (of pyarrow, if it is installed)."""
        return table_of(_core.Columns.of_row(self._values(taco)).typed(self._schema()))

    def _values(self, taco: Taco) -> dict[str, Any]:
        if self._is_off():
            return {name: None for name, _, _ in self._schema()}
        return one_row(self._typed(self._compute(taco)), type(self).__name__)


def one_row(columns: _core.Columns, what: str) -> dict[str, Any]:
    """The values of a table of one row by name. Raises TacoSchemaError if it has another number of rows."""
    if len(columns) != 1:
        raise TacoSchemaError(f"{what} returned {len(columns)} rows; exactly one row expected")
    return {name: columns.objects(name)[0] for name, _, _ in columns.fields()}


def check_rows(found: int, expected: int) -> None:
    if found != expected:
        raise TacoSchemaError(f"Extension returned {found} rows, expected {expected} (one per sample)")


def _make_fields(cls: type[Extension]) -> None:
    """Makes the class a dataclass. Field() of Pydantic and mutable defaults have the meaning that they have in
    Pydantic."""
    for name in inspect.get_annotations(cls):
        default = cls.__dict__.get(name)
        if type(default).__name__ == "FieldInfo":
            setattr(cls, name, _pydantic_field(default))
        elif isinstance(default, (list, dict, set)):
            setattr(cls, name, dataclasses.field(default_factory=partial(copy.deepcopy, default)))
    dataclasses.dataclass(kw_only=True, eq=False)(cls)


def _pydantic_field(info: Any) -> Any:
    if info.is_required():
        return dataclasses.field()
    return dataclasses.field(default_factory=partial(info.get_default, call_default_factory=True))


class Native(Extension):
    """An extension of the C++ library, which checks its fields and computes its values.

    A subclass names the function that makes it (`_maker`); its fields are the arguments, in their order.
    """

    _maker: ClassVar[Callable[..., Any]]
    _own_fields: ClassVar[list[str]]

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "_maker" in vars(cls):
            cls._own_fields = [field.name for field in dataclasses.fields(cls)][2:]  # after those of Extension

    def __post_init__(self) -> None:
        self.schema_only = self.return_none = self._is_off()
        self._given = self._fields()  # before a subclass computes those that are not given
        self._core = self._make()

    def _given_fields(self) -> dict[str, Any]:
        return dict(self._given)

    def _arguments(self) -> list[Any]:
        return [getattr(self, name) for name in self._own_fields]

    def _make(self) -> Any:
        return self._maker(*self._arguments())

    def get_schema(self) -> dict[str, str]:
        """Names and Arrow types of the fields."""
        return {name: kind for name, kind, _ in self._core.schema()}

    def get_field_descriptions(self) -> dict[str, str]:
        """Descriptions of the fields."""
        return {name: text for name, _, text in self._core.schema()}

    def _schema(self) -> list[Field]:
        return list(self._core.schema())

    def __reduce__(self) -> Any:
        return _remade, (type(self), {field.name: getattr(self, field.name) for field in dataclasses.fields(self)})


def _remade(cls: type[_T], fields: dict[str, Any]) -> _T:
    return cls(**fields)
