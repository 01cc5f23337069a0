"""Which library the tables that users see are of."""

from __future__ import annotations

import importlib
from typing import Literal

from ._errors import TacoBackendError

Backend = Literal["pyarrow", "polars", "pandas"]
_KNOWN: tuple[Backend, ...] = ("pyarrow", "polars", "pandas")
_current: Backend = "pyarrow"


def check_backend(name: str) -> Backend:
    """The name itself. Raises TacoBackendError for another than pyarrow, polars and pandas."""
    if name not in _KNOWN:
        raise TacoBackendError(
            f"Unknown backend {name!r}; one of {', '.join(_KNOWN)} is expected (pip install {_KNOWN[0]})"
        )
    return name


def use(backend: str) -> None:
    """Sets the library of the tables of datasets that are loaded from now on: pyarrow, polars or pandas.

    It is imported when a table is asked for, not before; navigation needs none of them.

    Raises:
        TacoBackendError: For another name.
    """
    global _current
    _current = check_backend(backend)


def get_backend() -> str:
    """What :func:`use` set; "pyarrow" at first."""
    return _current


def require(package: str, what: str) -> None:
    """Raises TacoBackendError, which says how to install it, when `package` cannot be imported."""
    try:
        importlib.import_module(package)
    except ImportError as error:
        raise TacoBackendError(f"{what} needs {package}: pip install {package} ({error})") from error
