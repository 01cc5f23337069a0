"""Names of keywords and of functions: those of the published packages are accepted, former ones of tacore refused."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def aliases(**names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: each keyword stands for the parameter that it is given here; both at once are a TypeError.

    `quiet=True` stands for ``progress=False``, and None for the default of a number of threads.
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
    """A decorator: each keyword is a TypeError that tells what to write instead."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*arguments: P.args, **keywords: P.kwargs) -> R:
            for other in names.keys() & keywords.keys():
                raise TypeError(f"{function.__qualname__}() has no option {other!r}; it is called {names[other]}")
            return function(*arguments, **keywords)

        return call

    return decorate


def former(module: str, **names: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module some names of which have changed: they are an AttributeError that tells the new."""

    def missing(name: str) -> Any:
        now = f"; it is called {names[name]!r}" if name in names else ""
        raise AttributeError(f"module {module!r} has no attribute {name!r}{now}")

    return missing
