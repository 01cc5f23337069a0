"""Base class of the models of 0.x, whose annotated fields are keywords of the constructor; Pydantic is not needed."""

from __future__ import annotations

import inspect
import numbers
import types
import typing
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from .._errors import TacoSchemaError
from .._model import Model


class Fields(Model):
    """A model whose constructor checks its fields and converts them to their annotated types, as Pydantic does: dicts to
    models, arrays to lists or tuples, numbers of NumPy to those of Python.

    Raises:
        TacoSchemaError: A field is missing, or its value cannot be converted; it is a ValueError, as the published error.
    """

    _kinds: ClassVar[dict[str, Any]]
    _signature: ClassVar[inspect.Signature]

    def __init_subclass__(cls) -> None:
        cls._kinds = typing.get_type_hints(cls)
        cls._signature = cls.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # read by help()
            [
                inspect.Parameter(
                    name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=vars(cls).get(name, inspect.Parameter.empty),
                    annotation=kind,
                )
                for name, kind in inspect.get_annotations(cls).items()
            ]
        )

    def __init__(self, **given: Any) -> None:
        for name, parameter in self._signature.parameters.items():
            where = f"{type(self).__name__}.{name}"
            if name in given:
                value = converted(given.pop(name), self._kinds[name], where)
            elif parameter.default is inspect.Parameter.empty:
                raise TacoSchemaError(f"{where} is missing; it is required")
            else:
                value = parameter.default
            setattr(self, name, value)
        if given:
            self._take(given)
        self._check()

    def _take(self, unknown: Mapping[str, Any]) -> None:
        """Handles keywords that are not fields."""
        warnings.warn(f"{type(self).__name__} has no field {', '.join(unknown)}; left out", UserWarning, stacklevel=3)

    def _check(self) -> None:
        """Checks what the types of the fields do not say."""

    def _fields(self) -> dict[str, Any]:
        return dict(vars(self))

    def _defaults(self) -> dict[str, Any]:
        return {
            name: parameter.default
            for name, parameter in self._signature.parameters.items()
            if parameter.default is not inspect.Parameter.empty
        }

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._fields().items())})"


def converted(value: Any, kind: Any, where: str) -> Any:
    """The value as an object of a type. Raises TacoSchemaError, beginning with `where`, if that is not possible."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any or (isinstance(kind, type) and type(value) is kind):
        return value
    if origin in (typing.Union, types.UnionType):
        return _one_of(value, arguments, where)
    if origin is typing.Literal:
        for each in arguments:
            if isinstance(value, str) and value == each:
                return each
        raise _unexpected(value, where, " or ".join(map(repr, arguments)))
    if origin in (list, tuple):
        if not isinstance(value, Iterable) or isinstance(value, (str, bytes, Mapping)):
            raise _unexpected(value, where, "a list")
        items = list(value)
        if origin is list:
            return [converted(each, arguments[0], f"{where}[{at}]") for at, each in enumerate(items)]
        if len(items) != len(arguments):
            raise TacoSchemaError(f"{where} has {len(items)} items, {len(arguments)} expected: {value!r}")
        return tuple(converted(items[at], part, f"{where}[{at}]") for at, part in enumerate(arguments))
    if issubclass(kind, Fields):
        if isinstance(value, kind):
            return value
        if not isinstance(value, Mapping):
            raise _unexpected(value, where, f"a {kind.__name__} or a dict of its fields")
        return kind(**value)
    return _scalar(value, kind, where)


def _one_of(value: Any, kinds: tuple[Any, ...], where: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    rest = [kind for kind in kinds if kind is not type(None)]
    if type(value) in rest:
        return value
    for kind in rest[:-1]:
        try:
            return converted(value, kind, where)
        except TacoSchemaError:
            pass
    return converted(value, rest[-1], where)


def _scalar(value: Any, kind: type, where: str) -> Any:
    try:
        if kind is str and isinstance(value, str):
            return str(value)
        if kind is Path and not isinstance(value, bytes):
            return Path(value)
        if kind is float and isinstance(value, (numbers.Real, str)):
            return float(value)
        if kind is int and isinstance(value, numbers.Integral):
            return int(value)
        if kind is int and isinstance(value, (numbers.Real, str)) and float(value).is_integer():
            return int(float(value))
    except (TypeError, ValueError, OverflowError):
        pass
    names = {str: "text", Path: "a path", float: "a number", int: "an integer"}
    raise _unexpected(value, where, names[kind])


def _unexpected(value: Any, where: str, expected: str) -> TacoSchemaError:
    return TacoSchemaError(f"{where} is {value!r}, {expected} expected")
