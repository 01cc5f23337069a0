"""Validation of one dataset by many machines: they read its files, and the driver checks what they have read."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from . import _core, _dataset
from ._budget import Budget, budgeted, counted_here
from ._dataset import check_versions, load
from ._engines import run
from ._errors import TacoError, TacoIOError, TacoQueryError
from ._output import PathLike
from ._progress import callback
from .validator import Issue

#: (path, version) of each file of a dataset.
_Versions = list[tuple[Any, str]]


def validate_dataset(
    path: PathLike,
    client: Any = None,
    *,
    deep: bool = False,
    assets: bool = False,
    sample_size: int = 0,
    seed: int = 0,
    base_path: PathLike | None = None,
    num_tasks: int | None = None,
    budget: Budget | None = None,
    progress: bool | Callable[[int, int], object] = True,
) -> list[Issue]:
    """Validates one large dataset, as :func:`tacore.validator.validate` on many machines. The result is the same.

    What is done for each file is divided among the tasks: with `assets` the headers of the files are read, with `deep`
    the pixels of TIFFs decoded. All other checks are of tables, of several rows together, or of the container as a
    whole, and are made by the driver: structure, columns, patterns in the metadata, and with `deep` the CRC-32 of each
    entry of a ZIP, for which it reads all bytes once, and signatures. :func:`validate` divides many datasets, each of
    which one machine validates.

    Args:
        path: Path of a dataset of any container, which all machines can access.
        client: Dask client, `ray`, Spark session or Executor that runs the tasks (see the module).
        deep: Read every byte, compare checksums and statistics, and decode TIFFs.
        assets: Compare the metadata with the headers of the files.
        sample_size: With assets: number of samples to look at, drawn at random; 0 means all.
        seed: With sample_size: seed of the choice.
        base_path: Folder of the ZIP files of a TACOCAT or TACOLLECTION.json, if it is not the folder of the index.
        num_tasks: Maximal number of tasks; None: four for each processor of the client.
        budget: Limits of the requests to servers, and their count.
        progress: True shows a bar, False nothing. A callable is called with (tasks done, tasks in all); the work is
            cancelled when it returns False.

    Returns:
        The violations; an empty list if there are none.

    Raises:
        TacoIOError: A file cannot be read, for another reason than that it does not exist; the budget is used up; or the
            work was cancelled.
        TacoError: The dataset was replaced while it was validated.
        TacoCreationError: A worker was lost.

    Example:
        >>> tacore.distributed.validate_dataset("s3://bucket/chips.tacozip", client, assets=True)
        []
    """
    if num_tasks is not None and num_tasks < 1:
        raise TacoQueryError(f"num_tasks is {num_tasks}; at least 1 is expected")
    name, base = os.fsdecode(path), os.fsdecode(base_path or "")
    options = {"assets": assets, "sample_size": sample_size, "seed": seed, "base_path": base}
    versions = None
    with counted_here(budget, "opening the dataset"):
        if deep or assets:
            try:
                versions = _versions(name, base)
            except TacoError:  # a violation, which the validation tells
                versions = None
    parts: list[bytes] = []
    if versions is not None:
        with budgeted(client, budget) as runner:
            count = num_tasks or 4 * runner.num_processors()
            storage = dict(_dataset._storage_options)
            tasks = [
                (f"part {part + 1} of {count}", (name, part, count, deep, options, versions, storage))
                for part in range(count)
            ]
            parts = list(run(runner, _read_part, tasks, callback("Validating", progress)))
    if not all(parts):  # what is damaged cannot be divided
        parts = []
    with counted_here(budget, "checking the dataset"):
        found = _core.validate_dataset(name, deep, [], options, None, parts)
        if versions is not None:
            check_versions(versions, _versions(name, base))
    return [Issue(*each) for each in found]


def _versions(path: str, base: str) -> _Versions:
    found: _Versions = _core.file_versions(load(path, base or None)._core)
    return found


def _read_part(
    path: str, part: int, count: int, deep: bool, options: dict[str, Any], versions: _Versions, storage: dict[str, Any]
) -> bytes:
    """What one task reads; nothing where the dataset is damaged."""
    if storage and storage != _dataset._storage_options:
        _dataset.set_storage_options(**storage)
    check_versions(versions, _versions(path, options["base_path"]))
    try:
        return _core.validate_part(path, part, count, deep, options)
    except TacoIOError:
        raise
    except TacoError:
        return b""
