"""Other names of keywords, of drafts and of the reference packages."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def aliases(**names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: each keyword stands for the parameter that it is given here, and TypeError tells of both at once."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = list(function.__code__.co_varnames)

        @functools.wraps(function)
        def call(*arguments: P.args, **keywords: P.kwargs) -> R:
            for other in names.keys() & keywords.keys():
                name = names[other]
                if name in keywords or parameters.index(name) < len(arguments):
                    raise TypeError(f"{function.__name__}() got both {name!r} and {other!r}, which are the same")
                keywords[name] = keywords.pop(other)
            return function(*arguments, **keywords)

        return call

    return decorate
