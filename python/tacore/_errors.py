"""What tacore raises. Every class derives from :class:`TacoError` and from what Python raises in its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

__all__ = [
    "TacoBackendError",
    "TacoConsolidationError",
    "TacoCreationError",
    "TacoDocumentationError",
    "TacoError",
    "TacoFileNotFoundError",
    "TacoFormatError",
    "TacoIOError",
    "TacoNavigationError",
    "TacoQueryError",
    "TacoSchemaError",
    "TacoToolboxError",
    "TacoValidationError",
]


@contextmanager
def in_words(what: str, given: Mapping[str, Any]) -> Iterator[None]:
    """Says of arguments that the library does not take what they are; the text of its bindings lists its overloads."""
    try:
        yield
    except TypeError as error:
        if "incompatible function arguments" not in str(error):
            raise
        said = ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
        raise TypeError(f"{what}: a value of another type or out of range: {said}") from None


class TacoError(Exception):
    """Base of all.

    Attributes:
        message: The text without path, level and byte.
        path: Dataset or file, as the caller wrote it; None when unknown.
        offset: Byte offset in `path`; None when it does not apply.
        level: Level of the hierarchy, 0 = root; None when it does not apply.
    """

    message: str = ""
    path: str | None = None
    offset: int | None = None
    level: int | None = None


TacoToolboxError = TacoError


class TacoFormatError(TacoError, ValueError):
    """Bytes are not what the specification says."""


class TacoSchemaError(TacoError, ValueError):
    """Columns or the tree disagree."""


class TacoIOError(TacoError, OSError):
    """Open, read or write failed. `errno` is set where the system told one."""

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.args, {**self.__dict__, "errno": self.errno})


def _restored(kind: type[TacoIOError], arguments: tuple[Any, ...], attributes: dict[str, Any]) -> TacoIOError:
    error = kind(*arguments)
    for name, value in attributes.items():
        setattr(error, name, value)
    return error


class TacoFileNotFoundError(TacoIOError, FileNotFoundError):
    """There is nothing at this path."""


class TacoQueryError(TacoError, ValueError):
    """A query that cannot be run: SQL, unknown column or level, bad filter argument."""


class TacoNavigationError(TacoError, LookupError):
    """`read()`: no such id or position, or rows that cannot be navigated."""


class TacoBackendError(TacoError, ValueError):
    """A table library that is not known, or not installed."""


class TacoValidationError(TacoError, ValueError):
    """What is to be written breaks a rule; nothing was written."""


class TacoCreationError(TacoError):
    """A dataset could not be written."""


class TacoConsolidationError(TacoError):
    """An index over datasets could not be written."""


class TacoDocumentationError(TacoError, ValueError):
    """A description could not be made; where it could not be written, also a TacoIOError."""
