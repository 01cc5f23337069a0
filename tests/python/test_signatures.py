"""signatures.txt lists every public name with its signature, so that none changes by accident.

python tests/python/test_signatures.py --update
"""

from __future__ import annotations

import enum
import importlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import tacore

WRITTEN = Path(__file__).with_name("signatures.txt")
OF_V1 = ("v1.datamodel", "v1.edit", "v1.specification", "v1.tortilla", "v1.tortilla.datamodel")


def public_names(module: ModuleType) -> list[str]:
    names = getattr(module, "__all__", None) or [
        name for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]  # fmt: skip
    return sorted(set(names))


def signature(value: Any) -> str:
    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""


def members(owner: type) -> Iterator[str]:
    """Methods, properties and attributes that a class of tacore defines, its bases in tacore included."""
    seen = set()
    for base in owner.__mro__:
        if not base.__module__.startswith("tacore"):
            continue
        for name, value in vars(base).items():
            if name.startswith("_") or name in seen:
                continue
            seen.add(name)
            if isinstance(value, (classmethod, staticmethod)):
                yield f".{name}{signature(value.__func__)} [{type(value).__name__}]"
            elif callable(value):
                yield f".{name}{signature(value)}"
            else:
                yield f".{name}"


def describe(name: str, value: Any) -> Iterator[str]:
    if inspect.ismodule(value):
        return
    if not inspect.isclass(value):
        yield f"{name}{signature(value)}"
        return
    # The bases of packages that may be missing are object then.
    optional = ("lightning", "pyspark", "torch", "torchgeo")
    bases = ", ".join(
        base.__name__
        for base in value.__bases__
        if base is not object and base.__module__.partition(".")[0] not in optional
    )
    yield f"class {name}{f'({bases})' if bases else ''}"
    if issubclass(value, enum.Enum):
        yield from (f"{name}.{member.name} = {member.value!r}" for member in value)
        return
    if {"__init__", "__signature__"} & vars(value).keys():
        yield f"{name}{signature(value)}"
    yield from sorted(f"{name}{member}" for member in members(value))


def signatures() -> list[str]:
    lines = [line for name in public_names(tacore) for line in describe(f"tacore.{name}", getattr(tacore, name))]
    for module_name in sorted([*tacore._MODULES, *OF_V1]):
        module = importlib.import_module(f"tacore.{module_name}")
        for name in public_names(module):
            lines += describe(f"tacore.{module_name}.{name}", getattr(module, name))
    return lines


def test_signatures_equal_the_recorded_ones() -> None:
    written, found = WRITTEN.read_text("utf-8").splitlines(), signatures()
    gone, new = [line for line in written if line not in found], [line for line in found if line not in written]
    changes = [f"- {line}" for line in gone] + [f"+ {line}" for line in new]
    assert not changes, "\n".join([*changes, f"meant? python {Path(__file__).name} --update"])
    assert written == found


def test_every_public_name_has_a_docstring() -> None:
    silent = [name for name in public_names(tacore) if not (getattr(tacore, name).__doc__ or "").strip()]
    assert not silent


def test_listed_names_exist() -> None:
    assert set(tacore.__all__) <= set(dir(tacore))
    for name in tacore.__all__:
        assert getattr(tacore, name) is not None


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit(__doc__)
    WRITTEN.write_text("".join(f"{line}\n" for line in signatures()), "utf-8")
