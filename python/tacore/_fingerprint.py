"""Fingerprints of Python values: equal for equal values in different processes, unlike hash() and some pickles."""

from __future__ import annotations

import functools
import hashlib
import types
from typing import Any


def fingerprint(value: Any) -> str:
    """The SHA-256 of a value, in hexadecimal digits.

    A function counts by its name, and by its code if it has no name of its own (a lambda, or a function in a function).
    Other objects count by what they would be pickled as; those that cannot be pickled, and so reach no other process,
    by their type. Code that a function calls does not count.
    """
    return _digest(value, {}).hex()


def _digest(value: Any, above: dict[int, int]) -> bytes:
    """`above`: the objects that contain this one, by their id, with their depth."""
    kind = type(value)
    if kind is bytes:
        return _hash("bytes", value)
    if value is None or kind in (bool, int, float, str):
        return _hash(kind.__name__, repr(value).encode("utf-8", "surrogatepass"))
    if id(value) in above:  # a cycle
        return _hash("above", str(above[id(value)]).encode())
    inside = {**above, id(value): len(above)}
    digests = functools.partial(_digests, above=inside)
    if kind in (tuple, list):
        return _hash(kind.__name__, *digests(value))
    if kind is dict:
        return _hash("dict", *(digest for item in value.items() for digest in digests(item)))
    if kind in (set, frozenset):
        return _hash("set", *sorted(digests(value)))
    if isinstance(value, functools.partial):
        return _hash("partial", *digests([value.func, value.args, value.keywords]))
    if isinstance(value, types.CodeType):
        return _hash("code", value.co_code, *digests([value.co_consts, value.co_names]))
    if isinstance(value, types.BuiltinFunctionType) and not isinstance(value.__self__, (types.ModuleType, type(None))):
        return _hash("method", *digests([value.__self__, value.__name__]))
    if isinstance(value, types.MethodType):
        return _hash("method", *digests([value.__self__, value.__func__]))
    if isinstance(value, types.FunctionType) and "<" in value.__qualname__:
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        return _hash("closure", *digests([value.__code__, value.__defaults__, value.__kwdefaults__, cells]))
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        return _hash("name", f"{value.__module__}.{value.__qualname__}".encode())
    if isinstance(value, types.ModuleType):
        return _hash("module", value.__name__.encode())
    if hasattr(kind, "fingerprint_of"):
        return _hash(kind.__qualname__, *digests(value.fingerprint_of()))
    try:
        reduced = value.__reduce_ex__(4)
    except TypeError:
        return _hash("type", f"{kind.__module__}.{kind.__qualname__}".encode())
    if isinstance(reduced, str):
        return _hash("global", f"{kind.__module__}.{reduced}".encode())
    rest = [None if part is None else list(part) for part in reduced[3:5]]  # iterators of items
    return _hash("object", *digests([*reduced[:3], *rest]))


def _digests(values: Any, above: dict[int, int]) -> list[bytes]:
    return [_digest(value, above) for value in values]


def _hash(kind: str, *parts: bytes) -> bytes:
    out = hashlib.sha256(kind.encode())
    for part in parts:
        out.update(len(part).to_bytes(8, "little"))
        out.update(part)
    return out.digest()
