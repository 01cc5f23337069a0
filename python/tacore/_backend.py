"""The table library of frames: pyarrow, polars or pandas."""

from __future__ import annotations

import importlib
from typing import Literal

from ._errors import TacoBackendError

Backend = Literal["pyarrow", "polars", "pandas"]
_KNOWN: tuple[Backend, ...] = ("pyarrow", "polars", "pandas")
_current: Backend = "pyarrow"


def check_backend(name: str) -> Backend:
    """Returns the name. Raises TacoBackendError unless it is pyarrow, polars or pandas."""
    if name not in _KNOWN:
        raise TacoBackendError(
            f"Unknown backend {name!r}; one of {', '.join(_KNOWN)} is expected (pip install {_KNOWN[0]})"
        )
    return name


def use(backend: str) -> None:
    """Sets the table library of frames of datasets that are loaded from now on.

    The library is imported when a table is first needed; navigation needs none.

    Args:
        backend: "pyarrow" (the default), "polars" or "pandas".

    Raises:
        TacoBackendError: The name is unknown.

    Example:
        >>> tacore.use("polars")
        >>> tacore.load("chips.tacozip").data.group_by("split").len()
    """
    global _current
    _current = check_backend(backend)


def get_backend() -> str:
    """Name of the table library that :func:`use` has set; by default "pyarrow"."""
    return _current


def require(package: str, what: str) -> None:
    """Raises TacoBackendError, with the command that installs the package, if it cannot be imported."""
    try:
        importlib.import_module(package)
    except ImportError as error:
        raise TacoBackendError(f"{what} needs {package}: pip install {package} ({error})") from error
