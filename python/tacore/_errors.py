"""Errors of tacore. Every class derives from :class:`TacoError` and, where there is one, from the matching class of
Python (ValueError, OSError, LookupError)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

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


@contextmanager
def in_words(what: str, given: Mapping[str, Any]) -> Iterator[None]:
    """Replaces the TypeError of the bindings, which lists C++ overloads, by one that states the given arguments."""
    try:
        yield
    except TypeError as error:
        if "incompatible function arguments" not in str(error):
            raise
        said = ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
        raise TypeError(f"{what}: a value has the wrong type or is out of range: {said}") from None


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
