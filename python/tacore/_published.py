"""Modules of the published packages, for programs that import from them."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from typing import Any

_FRAME = {"TacoDataFrame": "_dataframe.TacoDataFrame"}
_INDEX = {"create_tacocat": "_create.create_tacocat", "TacoCatWriter": "_create.TacoCatWriter"}
_PLANS = {name: f"plans.{name}" for name in ("plan_export", "plan_zip2folder", "plan_folder2zip")}
_TRANSFORM = {name: f"transform.{name}" for name in ("export", "zip2folder", "folder2zip")}

#: Modules that only share names with those of tacore: {module: {its name: home in tacore}}. `tacore.concat`, `create`,
#: `execute` and `finalize` are functions as well: as an attribute the function, in an import statement the module.
SMALL_MODULES = {
    "api": _TRANSFORM,
    "concat": {"concat": "_dataset.concat"},
    "create": {"create": "_create.create"},
    "dataframe": _FRAME,
    "dataframe.base": _FRAME,
    "dataframe.pandas": {"TacoDataFramePandas": "_dataframe.TacoDataFrame"},
    "dataframe.polars": {"TacoDataFramePolars": "_dataframe.TacoDataFrame"},
    "dataframe.pyarrow": {"TacoDataFrameArrow": "_dataframe.TacoDataFrame"},
    "dataset": {"TacoDataset": "_dataset.TacoDataset"},
    "docs": {name: f"describe.{name}" for name in ("generate_html", "generate_markdown")},
    "execute": {"execute": "plans.execute"},
    "finalize": {"finalize": "plans.finalize"},
    "plan": _PLANS,
    "schema": {"PITSchema": "_schema.PITSchema"},
    "tacocat": _INDEX,
}


class _Names(types.ModuleType):
    """A module whose names are found when they are used: importing it loads nothing."""

    def __getattr__(self, name: str) -> Any:
        home, _, found = SMALL_MODULES[self.__name__.removeprefix("tacore.")].get(name, "").rpartition(".")
        if not found:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"tacore.{home}"), found)


def add_small_modules() -> None:
    """Makes SMALL_MODULES importable. Only modules inside of others become attributes; see `tacore.__getattr__`."""
    for short in SMALL_MODULES:
        name = f"tacore.{short}"
        module = _Names(name)
        module.__spec__, module.__path__ = ModuleSpec(name, None, is_package=True), []
        sys.modules[name] = module
        parent, _, last = name.rpartition(".")
        if parent != "tacore":
            setattr(sys.modules[parent], last, module)


def add_modules(package: str, homes: Mapping[str, str]) -> None:
    """Adds submodules (dotted names) to `package` that have the public names of modules of tacore."""
    sys.modules[package].__path__ = []
    for name, home in homes.items():
        parent = package
        for part in name.split("."):
            here = f"{parent}.{part}"
            if here not in sys.modules:
                module = module_from_spec(ModuleSpec(here, None, is_package=True))
                sys.modules[here] = module
                setattr(sys.modules[parent], part, module)
            parent = here
        source = importlib.import_module(f"tacore.{home}")
        names = {each: getattr(source, each) for each in source.__all__}
        if hasattr(source, "__getattr__"):  # names that are made on demand
            names["__getattr__"] = source.__getattr__
        sys.modules[parent].__dict__.update(names)
