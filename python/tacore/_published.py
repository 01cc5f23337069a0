"""Modules of the published writer, for programs that import from them."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Mapping


def add_modules(package: str, homes: Mapping[str, str]) -> None:
    """Adds submodules (dotted names) to `package` that have the public names of modules of tacore."""
    sys.modules[package].__path__ = []
    for name, home in homes.items():
        parent = package
        for part in name.split("."):
            here = f"{parent}.{part}"
            if here not in sys.modules:
                module = types.ModuleType(here)
                module.__path__ = []
                sys.modules[here] = module
                setattr(sys.modules[parent], part, module)
            parent = here
        source = importlib.import_module(f"tacore.{home}")
        names = {each: getattr(source, each) for each in source.__all__}
        if hasattr(source, "__getattr__"):  # names that are made on demand
            names["__getattr__"] = source.__getattr__
        sys.modules[parent].__dict__.update(names)
