"""Errors of tacore. Every class derives from :class:`TacoError` and, where there is one, from the matching class of
Python (ValueError, OSError, LookupError)."""

from __future__ import annotations

import functools
import reprlib
import sys
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any, TypeVar

__all__ = [
    "TacoBackendError",
    "TacoBridgeError",
    "TacoConsolidationError",
    "TacoCreationError",
    "TacoDocumentationError",
    "TacoError",
    "TacoExecuteError",
    "TacoFileNotFoundError",
    "TacoFinalizeError",
    "TacoFormatError",
    "TacoIOError",
    "TacoNavigationError",
    "TacoPlanError",
    "TacoQueryError",
    "TacoSchemaError",
    "TacoToolboxError",
    "TacoValidationError",
]

R = TypeVar("R")


class TacoError(Exception):
    """Base class of all errors of tacore.

    Attributes:
        message: Text of the error without path, level and byte offset.
        path: Path of the dataset or file, as the caller wrote it; None if unknown.
        offset: Byte offset in `path`; None if it does not apply.
        level: Level of the hierarchy, 0 is the root; None if it does not apply.
    """

    message: str = ""
    path: str | None = None
    offset: int | None = None
    level: int | None = None


TacoToolboxError = TacoError
TacoBridgeError = TacoError


class TacoFormatError(TacoError, ValueError):
    """A file or value violates its format, or the specification."""


class TacoSchemaError(TacoError, ValueError):
    """Columns, types or trees of samples do not match."""


class TacoIOError(TacoError, OSError):
    """Opening, reading or writing failed. `errno` is set if the operating system returned one."""

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.args, {**self.__dict__, "errno": self.errno})


def _restored(kind: type[TacoIOError], arguments: tuple[Any, ...], attributes: dict[str, Any]) -> TacoIOError:
    error = kind(*arguments)
    for name, value in attributes.items():
        setattr(error, name, value)
    return error


class TacoFileNotFoundError(TacoIOError, FileNotFoundError):
    """A file or dataset does not exist."""


class TacoQueryError(TacoError, ValueError):
    """A query cannot be run: invalid SQL, an unknown column or level, or an invalid argument."""


class TacoNavigationError(TacoError, LookupError):
    """`read()` found no sample of this id or position, or the rows cannot be navigated."""


class TacoBackendError(TacoError, ValueError):
    """A table library is unknown, or a package is not installed."""


class TacoValidationError(TacoError, ValueError):
    """The dataset to be written breaks a rule, or an argument is not allowed; nothing was written."""


class TacoCreationError(TacoError):
    """A dataset could not be written."""


class TacoConsolidationError(TacoError):
    """An index over datasets could not be written."""


class TacoDocumentationError(TacoError, ValueError):
    """A description could not be made; if it could not be written, the error is also a TacoIOError."""


class TacoPlanError(TacoError, ValueError):
    """An export or a conversion cannot be planned; nothing was written."""


class TacoExecuteError(TacoIOError):
    """A task of a plan failed; it can be executed again."""


class TacoFinalizeError(TacoIOError):
    """The output of a plan could not be completed."""


class WrongTypeError(TacoValidationError, TypeError):
    """An argument has a type that the C++ library does not take."""


def checked(function: Callable[..., R]) -> Callable[..., R]:
    """A function of the bindings whose errors about types do not list C++ overloads, but name the function that the
    user called, and its arguments: numbers as they are, of others, which may be secret, the type. Where the output exists,
    they name the option that replaces it."""

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> R:
        try:
            return function(*arguments, **keywords)
        except TacoError as error:
            called = _called(sys._getframe(1)) if error.message == "exists already" else None
            if called and "overwrite" in called[1]:
                error.message += "; overwrite=True replaces it"
                error.args = (f"{error.args[0]}; overwrite=True replaces it",)
            raise
        except (TypeError, RuntimeError) as error:
            if "incompatible function arguments" not in str(error) and str(error) != "std::bad_cast":
                raise
            called = _called(sys._getframe(1))
            name, given, types = called or (function.__name__, {str(at): each for at, each in enumerate(arguments)}, {})
            said = ", ".join(f"{each}={_said(value)}" for each, value in given.items() if value is not None)
            wrong = [
                f"{each}: {types[each]}" for each, value in given.items() if not _may_be(value, types.get(each, ""))
            ]
            expected = f"; expected {', '.join(wrong)}" if wrong else ""
            raise WrongTypeError(f"{name}: a value has the wrong type or is out of range: {said}{expected}") from None

    return call


def check_all(core: ModuleType) -> None:
    """Makes all functions and methods of the bindings checked() ones. Constructors cannot be replaced."""
    for owner in (core, *(each for each in vars(core).values() if isinstance(each, type))):
        for name, function in list(vars(owner).items()):
            kind = type(function).__name__
            if kind in ("nb_func", "nb_method") and not name.startswith("_"):
                is_static = kind == "nb_func" and owner is not core
                setattr(owner, name, staticmethod(checked(function)) if is_static else checked(function))


def _called(frame: FrameType | None) -> tuple[str, dict[str, Any], dict[str, str]] | None:
    """Name, arguments and their annotations of the function of tacore that was called from outside; None if there is
    none."""
    outermost = None
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "tacore":
        if frame.f_globals["__name__"] not in ("tacore._aliases", __name__):
            outermost = frame
        frame = frame.f_back
    if outermost is None:
        return None
    code = outermost.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    given = {name: outermost.f_locals.get(name) for name in names}
    owner = given.pop("self", None)
    scope = outermost.f_globals if owner is None else {code.co_name: getattr(type(owner), code.co_name, None)}
    types = {name: str(type) for name, type in getattr(scope.get(code.co_name), "__annotations__", {}).items()}
    if owner is None:
        return code.co_name, given, types
    kind = type(owner).__name__
    return kind if code.co_name == "__init__" else f"{kind}.{code.co_name}", given, types


_SIMPLE: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "float": (int, float),
    "int": (int,),
    "None": (type(None),),
    "str": (str,),
}


def _may_be(value: Any, annotation: str) -> bool:
    """Whether a value has the type of an annotation, if that is a simple one."""
    parts = annotation.split(" | ")
    if not all(part in _SIMPLE for part in parts):
        return True
    return isinstance(value, tuple(kind for part in parts for kind in _SIMPLE[part]))


def _said(value: Any) -> str:
    items = value if isinstance(value, (list, tuple)) else (value,)
    is_shown = all(isinstance(item, (int, float)) for item in items)
    return reprlib.repr(value) if is_shown else f"<{type(value).__name__}>"
