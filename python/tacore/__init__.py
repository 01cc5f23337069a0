"""TACO datasets of Earth observation data: open, query, navigate, decode, train from, and create them.

The functions of the specification (section 7) are in this module; others are in `tacore.raster`, `tacore.loader`,
`tacore.torchgeo`, `tacore.lightning`, `tacore.transform`, `tacore.plans`, `tacore.describe`, `tacore.v1`,
`tacore.distributed` and `tacore.spark`. Importing tacore loads no shared library; the first use does.

Example:
    >>> dataset = tacore.load("https://host/chips.tacozip")
    >>> rows = dataset.filter_bbox(-80, -18, -68, 0).sql("SELECT * FROM data WHERE cloud_cover < 10").data
    >>> image = tacore.raster.read_tensor(rows, "tile_1/optical", bands=[3, 4])
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

from ._backend import get_backend, use
from ._errors import (
    TacoBackendError,
    TacoBridgeError,
    TacoConsolidationError,
    TacoCreationError,
    TacoDocumentationError,
    TacoError,
    TacoExecuteError,
    TacoFileNotFoundError,
    TacoFinalizeError,
    TacoFormatError,
    TacoIOError,
    TacoNavigationError,
    TacoPlanError,
    TacoQueryError,
    TacoSchemaError,
    TacoToolboxError,
    TacoValidationError,
    check_all,
)
from ._published import SMALL_MODULES, add_small_modules

if TYPE_CHECKING:
    from . import (
        datamodel,
        describe,
        distributed,
        fsspec,
        lightning,
        loader,
        plans,
        raster,
        ray,
        spark,
        torchgeo,
        transform,
        v1,
        validator,
    )
    from ._create import check_sidecar, create, create_sidecar, create_tacocat, create_tacollection
    from ._dataframe import TacoDataFrame
    from ._dataset import RequestPlan, TacoDataset, clear_cache, concat, load, plan_opening, set_storage_options
    from ._html import set_display_options
    from ._schema import PITSchema
    from ._sign import SignResult, VerifyResult, create_key, sign, verify
    from ._verbose import verbose
    from .describe import DatasetSummary, generate_html, generate_markdown, list_datasets, write_site
    from .plans import (
        CopyTask,
        ExportPlan,
        Folder2ZipPlan,
        Zip2FolderPlan,
        ZipEntry,
        execute,
        finalize,
        plan_export,
        plan_folder2zip,
        plan_zip2folder,
    )
    from .transform import export, folder2zip, publish, zip2folder

# Modules of the names that need the C++ library, and are imported on first use.
_HOMES = {
    "CopyTask": "plans",
    "DatasetSummary": "describe",
    "ExportPlan": "plans",
    "Folder2ZipPlan": "plans",
    "PITSchema": "_schema",
    "RequestPlan": "_dataset",
    "SignResult": "_sign",
    "TacoDataFrame": "_dataframe",
    "TacoDataset": "_dataset",
    "VerifyResult": "_sign",
    "Zip2FolderPlan": "plans",
    "ZipEntry": "plans",
    "check_sidecar": "_create",
    "clear_cache": "_dataset",
    "concat": "_dataset",
    "create": "_create",
    "create_key": "_sign",
    "create_sidecar": "_create",
    "create_tacocat": "_create",
    "create_tacollection": "_create",
    "execute": "plans",
    "export": "transform",
    "finalize": "plans",
    "folder2zip": "transform",
    "generate_html": "describe",
    "generate_markdown": "describe",
    "list_datasets": "describe",
    "load": "_dataset",
    "plan_export": "plans",
    "plan_folder2zip": "plans",
    "plan_opening": "_dataset",
    "plan_zip2folder": "plans",
    "publish": "transform",
    "set_display_options": "_html",
    "set_storage_options": "_dataset",
    "sign": "_sign",
    "verbose": "_verbose",
    "verify": "_sign",
    "write_site": "describe",
    "zip2folder": "transform",
}
_MODULES = (
    "datamodel",
    "describe",
    "distributed",
    "fsspec",
    "lightning",
    "loader",
    "plans",
    "raster",
    "ray",
    "spark",
    "torchgeo",
    "transform",
    "v1",
    "validator",
)

__all__ = [  # noqa: RUF022
    "CopyTask",
    "DatasetSummary",
    "ExportPlan",
    "Folder2ZipPlan",
    "PITSchema",
    "RequestPlan",
    "SignResult",
    "TacoBackendError",
    "TacoBridgeError",
    "TacoConsolidationError",
    "TacoCreationError",
    "TacoDataFrame",
    "TacoDataset",
    "TacoDocumentationError",
    "TacoError",
    "TacoExecuteError",
    "TacoFileNotFoundError",
    "TacoFinalizeError",
    "TacoFormatError",
    "TacoIOError",
    "TacoNavigationError",
    "TacoPlanError",
    "TacoQueryError",
    "TacoSchemaError",
    "TacoToolboxError",
    "TacoValidationError",
    "VerifyResult",
    "Zip2FolderPlan",
    "ZipEntry",
    "check_sidecar",
    "clear_cache",
    "concat",
    "create",
    "create_key",
    "create_sidecar",
    "create_tacocat",
    "create_tacollection",
    "execute",
    "export",
    "finalize",
    "folder2zip",
    "generate_html",
    "generate_markdown",
    "get_backend",
    "list_datasets",
    "load",
    "plan_export",
    "plan_folder2zip",
    "plan_opening",
    "plan_zip2folder",
    "publish",
    "set_display_options",
    "set_storage_options",
    "sign",
    "use",
    "verbose",
    "verify",
    "write_site",
    "zip2folder",
]

add_small_modules()


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    elif name in _MODULES or name in SMALL_MODULES:
        value = importlib.import_module(f".{name}", __name__)
    elif name == "_core":
        value = _load_core()
    elif name == "__version__":
        from ._version import version as value
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def _load_core() -> Any:
    """Imports the C++ library with lazy binding. DuckDB alone has 24,000 functions, and by default Python makes the
    linker look up all of them when it loads the library, which is half of the loading time."""
    flags = sys.getdlopenflags()
    sys.setdlopenflags(os.RTLD_LAZY)
    try:
        core = importlib.import_module("._core", __name__)
    finally:
        sys.setdlopenflags(flags)
    check_all(core)
    return core


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, "__version__"})
