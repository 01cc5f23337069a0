"""Names of keywords and functions: those of the published packages are accepted, former names of tacore are refused."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def aliases(**names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator that accepts other names of parameters, here {other: name}; giving both raises TypeError.

    `quiet=True` means ``progress=False``; None as number of threads means the default.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = list(function.__code__.co_varnames)

        @functools.wraps(function)
        def call(*arguments: P.args, **keywords: P.kwargs) -> R:
            for other in names.keys() & keywords.keys():
                name, value = names[other], keywords.pop(other)
                if other == "quiet":
                    if value and not callable(keywords.get(name)):
                        keywords[name] = False
                    continue
                if name in keywords or parameters.index(name) < len(arguments):
                    raise TypeError(f"{function.__name__}() got both {name!r} and {other!r}, which are the same")
                if value is not None or name != "jobs":
                    keywords[name] = value
            return function(*arguments, **keywords)

        return call

    return decorate


def renamed(**names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator that refuses former names of parameters by a TypeError with the present name."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*arguments: P.args, **keywords: P.kwargs) -> R:
            for other in names.keys() & keywords.keys():
                raise TypeError(f"{function.__qualname__}() has no option {other!r}; it is called {names[other]}")
            return function(*arguments, **keywords)

        return call

    return decorate


def former(module: str, **names: str) -> Callable[[str], Any]:
    """Makes a `__getattr__` for a module that refuses former names by an AttributeError with the present name."""

    def missing(name: str) -> Any:
        now = f"; it is called {names[name]!r}" if name in names else ""
        raise AttributeError(f"module {module!r} has no attribute {name!r}{now}")

    return missing
