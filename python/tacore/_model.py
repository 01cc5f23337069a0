"""Methods of Pydantic models, which scripts for the published packages call on samples, tacos and extensions."""

from __future__ import annotations

import base64
import copy
import dataclasses
import datetime as dt
import enum
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar

_T = TypeVar("_T", bound="Model")
#: Names of fields; as a dict of names to True or to what is chosen of the field's own value.
Choice = Iterable[str] | Mapping[str, Any]


class Model:
    """Base class with the methods of Pydantic models, of the same names and results; Pydantic is not needed."""

    __slots__ = ()

    def _fields(self) -> dict[str, Any]:
        """The fields by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]

    def _given_fields(self) -> dict[str, Any]:
        """The arguments that make an equal object."""
        return self._fields()

    def _defaults(self) -> dict[str, Any]:
        return {each.name: each.default for each in dataclasses.fields(self)}  # type: ignore[arg-type]

    @property
    def model_fields_set(self) -> set[str]:
        """Names of the fields whose value is not the default."""
        defaults = self._defaults()
        return {name for name, value in self._given_fields().items() if not _same(value, defaults.get(name, ...))}

    def model_dump(
        self,
        *,
        mode: Literal["python", "json"] | str = "python",
        include: Choice | None = None,
        exclude: Choice | None = None,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        **_: Any,
    ) -> dict[str, Any]:
        """Returns the fields as a dict.

        Args:
            mode: "json": values that JSON can store (times in ISO 8601, bytes as text: UTF-8, else base64). "python": the
                values.
            include: Only these fields, a set of names, or a dict for fields of fields.
            exclude: All but these fields, in the same form.
            exclude_unset: As `exclude_defaults`.
            exclude_defaults: Without fields that have their default value.
            exclude_none: Without fields that are None, at all depths.
            **_: Other options of Pydantic, which have no effect.

        Raises:
            TypeError: A value cannot be stored in JSON, such as `tortilla`: exclude it.

        Example:
            >>> taco.model_dump(exclude={"tortilla"}, mode="json")
        """
        kept = self.model_fields_set if exclude_unset or exclude_defaults else None
        fields = {name: value for name, value in self._fields().items() if kept is None or name in kept}
        return _dumped(fields, mode == "json", include, exclude, exclude_none)

    def model_dump_json(self, *, indent: int | None = None, **options: Any) -> str:
        """Returns the fields as JSON; options are those of :meth:`model_dump`."""
        separators = (",", ":") if indent is None else None
        found = self.model_dump(**{**options, "mode": "json"})
        return json.dumps(found, indent=indent, ensure_ascii=False, separators=separators)

    def model_copy(self: _T, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> _T:
        """Returns a copy, with the values of `update` for some fields; unlike Pydantic it checks them, and computes anew what
        depends on them.

        Args:
            update: New values by the name of the field.
            deep: Copy the values, too.

        Raises:
            TacoError: As the constructor.
        """
        fields = self._given_fields()
        return self._with({**(copy.deepcopy(fields) if deep else fields), **(update or {})})

    def _with(self: _T, fields: dict[str, Any]) -> _T:
        return type(self)(**fields)

    @classmethod
    def model_validate(cls: type[_T], obj: Any) -> _T:
        """Makes an object of a dict of its fields; an object of this class is returned. Raises as the constructor."""
        return obj if isinstance(obj, cls) else cls(**obj)


def _dumped(
    fields: Mapping[str, Any], to_json: bool, include: Choice | None, exclude: Choice | None, drop_none: bool
) -> dict[str, Any]:
    out = {}
    for name, value in fields.items():
        inner_include = None if include is None else _inner(include, name)
        inner_exclude = None if exclude is None else _inner(exclude, name)
        if (include is not None and inner_include is None) or inner_exclude is True or (drop_none and value is None):
            continue
        part = _value(value, to_json, None if inner_include is True else inner_include, inner_exclude, drop_none)
        out[str(name) if to_json else name] = part
    return out


def _inner(choice: Choice, name: str) -> Any:
    """True for all of the field, what is chosen of it, or None when it is not chosen."""
    if not isinstance(choice, Mapping):
        return True if name in set(choice) else None
    found = choice.get(name)
    return True if found is ... or found is True else found or None


def _value(value: Any, to_json: bool, include: Any, exclude: Any, drop_none: bool) -> Any:
    if isinstance(value, Model):
        return _dumped(value._fields(), to_json, include, exclude, drop_none)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _dumped(dataclasses.asdict(value), to_json, include, exclude, drop_none)
    if isinstance(value, Mapping):
        return _dumped(value, to_json, include, exclude, drop_none)
    if isinstance(value, (list, tuple)):
        items = [_value(each, to_json, include, exclude, drop_none) for each in value]
        return items if to_json or isinstance(value, list) else tuple(items)
    return _json_value(value) if to_json else value


def _json_value(value: Any) -> Any:
    if value is None or isinstance(value, (str, bool, int, float)):
        return value.value if isinstance(value, enum.Enum) else value
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (dt.datetime, dt.date, dt.time)):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (bytes, bytearray)):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return base64.b64encode(value).decode()
    if hasattr(value, "tolist"):  # NumPy
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} cannot be stored in JSON; model_dump(exclude=...) leaves it out")


def _same(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:  # arrays
        return False
