"""Parts of a dataset whose samples a function of the caller makes, one by one, on the machine that writes the part."""

from __future__ import annotations

import bisect
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ._errors import TacoError, TacoSchemaError, TacoValidationError

if TYPE_CHECKING:
    from .datamodel import Sample, Taco

_T = TypeVar("_T")
#: The name of a sample that could not be made, and the error.
Failure = tuple[str, str]


class SamplePart(ABC):
    """A function that makes a Taco. Objects are sent to workers.

    Args:
        make: Makes a sample of an item of the part; None: the item says all.
        about: Fields of the collection.
    """

    def __init__(self, make: Callable[[Any], Sample] | None, about: Mapping[str, Any]) -> None:
        self._make = make
        self._about = dict(about)

    @abstractmethod
    def fingerprint_of(self) -> list[Any]:
        """What the fingerprint of a plan is made of."""

    @abstractmethod
    def make(self, on_error: str) -> tuple[Taco, list[Failure]]:
        """The Taco, and the samples that are not in it, if `on_error` is "report"."""

    def __call__(self) -> Taco:
        return self.make("raise")[0]

    def _taco(self, samples: Sequence[Sample], failures: list[Failure], where: str) -> tuple[Taco, list[Failure]]:
        from .datamodel import Taco, Tortilla

        if not samples:
            raise TacoSchemaError(f"{where} gives a sample" + (f": {failures[0][1]}" if failures else ""))
        return Taco(Tortilla(samples), **self._about), failures


def made_samples(
    items: Iterable[tuple[str, str, _T]], make: Callable[[_T], Sample], on_error: str, call: Callable[..., Any] = map
) -> tuple[list[Sample], list[Failure]]:
    """The samples of items (name, where it is, argument of `make`), and those that have none, if `on_error` is
    "report". `call` is map, or the method of a pool that calls `make` in several threads."""

    def made(item: tuple[str, str, _T]) -> Sample | Exception:
        try:
            return make(item[2])
        except Exception as error:
            return error

    samples: list[Sample] = []
    failures: list[Failure] = []
    items = list(items)
    for (name, where, _), found in zip(items, call(made, items), strict=True):
        if not isinstance(found, Exception):
            samples.append(found)
            continue
        message = message_of(found)
        if on_error == "raise":
            raise TacoValidationError(f"sample {name}, {where}: {message}") from found
        failures.append((name, message))
    return samples, failures


def message_of(error: Exception) -> str:
    return str(error) if isinstance(error, TacoError) else f"{type(error).__name__}: {error}"


def cuts(sizes: Sequence[int], num_parts: int) -> list[int]:
    """Where consecutive samples are divided into parts of about equal bytes, each of a sample at least; from 0 to the
    number of samples."""
    num_parts = max(min(num_parts, len(sizes)), 1)
    ends = list(itertools.accumulate((size + 1 for size in sizes), initial=0))  # empty samples count, too
    out = [0]
    for part in range(1, num_parts):
        aim = ends[-1] * part / num_parts
        at = bisect.bisect_left(ends, aim)
        nearest = at if ends[at] - aim < aim - ends[at - 1] else at - 1
        out.append(min(max(nearest, out[-1] + 1), len(sizes) - num_parts + part))
    return [*out, len(sizes)]
