"""Export and conversion in steps, as in the published bridge: plan, copy each sample, finish.

A program that has its own way to copy (threads, processes, a cluster) runs :func:`execute` for each task of a plan in
any order, and :func:`finalize` at the end. :func:`tacore.export`, :func:`tacore.zip2folder` and
:func:`tacore.folder2zip` do everything in one call, faster and atomically; here the output is incomplete until
:func:`finalize` returns. Tables are those of pyarrow, which must be installed.

Example:
    >>> plan = tacore.plan_export(dataset, "subset")
    >>> with ThreadPoolExecutor(8) as threads:
    ...     list(threads.map(tacore.execute, plan.tasks))
    >>> tacore.finalize(plan)
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core, _verbose  # noqa: F401  (messages go to the logger from here on)
from ._backend import require
from ._dataset import TacoDataset, load
from ._errors import TacoError, TacoExecuteError, TacoFinalizeError, TacoPlanError
from ._model import Model
from ._output import PathLike, local_path, parents
from .transform import core_dataset

if TYPE_CHECKING:
    import pyarrow

    from ._dataframe import TacoDataFrame

__all__ = [
    "CopyTask",
    "ExportPlan",
    "Folder2ZipPlan",
    "Zip2FolderPlan",
    "ZipEntry",
    "execute",
    "finalize",
    "plan_export",
    "plan_folder2zip",
    "plan_zip2folder",
]


@dataclass(frozen=True)
class CopyTask(Model):
    """A sample to be copied by :func:`execute`.

    Attributes:
        src: Local path or URL of the file that has the bytes.
        dest: Local path of the copy.
        offset: First byte in `src`; None: 0.
        size: Number of bytes; None: up to the end of `src`.
    """

    src: str
    dest: str
    offset: int | None = None
    size: int | None = None


@dataclass(frozen=True)
class ZipEntry(Model):
    """A file to be packed into a ZIP.

    Attributes:
        src: Local path of the file.
        arc_path: Its path in the ZIP, such as "DATA/tile/band".
    """

    src: str
    arc_path: str


@dataclass(frozen=True)
class ExportPlan(Model):
    """Plan of :func:`plan_export` for a FOLDER.

    Attributes:
        tasks: Samples to copy. FILEs without bytes and padding have no task; :func:`finalize` makes them.
        source: Path of the dataset.
        output: Path of the new FOLDER.
        levels: Metadata of each level, as in `METADATA`.
        local_metadata: Metadata of the children of each FOLDER, by its path: "DATA/tile/".
        collection: COLLECTION.json.
    """

    tasks: tuple[CopyTask, ...]
    source: str
    output: Path
    levels: tuple[pyarrow.Table, ...] = ()
    local_metadata: dict[str, pyarrow.Table] = field(default_factory=dict)
    collection: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Zip2FolderPlan(ExportPlan):
    """Plan of :func:`plan_zip2folder`, with the attributes of :class:`ExportPlan`."""


@dataclass(frozen=True)
class Folder2ZipPlan(Model):
    """Plan of :func:`plan_folder2zip`. There is nothing to execute: :func:`finalize` packs the files.

    Attributes:
        entries: Files of the samples.
        source: Path of the FOLDER.
        output: Path of the new ZIP.
        levels: Metadata of each level.
        local_metadata: Metadata of the children of each FOLDER, by its path: "DATA/tile/".
        collection: COLLECTION.json.
    """

    entries: tuple[ZipEntry, ...]
    source: Path
    output: Path
    levels: tuple[pyarrow.Table, ...] = ()
    local_metadata: dict[str, pyarrow.Table] = field(default_factory=dict)
    collection: dict[str, Any] = field(default_factory=dict)


def plan_export(dataset: TacoDataset | TacoDataFrame | PathLike, output: PathLike) -> ExportPlan:
    """Plans the export of the samples that a dataset selects to a FOLDER: what :func:`tacore.export` writes.

    Args:
        dataset: Dataset, path of a dataset, or frame of samples.
        output: Path of the new FOLDER.

    Raises:
        TacoPlanError: `output` exists or is a URL, there are no samples, or they cannot be exported.
        TacoBackendError: pyarrow is not installed.

    Example:
        >>> plan = tacore.plan_export(dataset.filter_bbox(-10, 35, 5, 44), "spain")
        >>> sum(task.size for task in plan.tasks)
    """
    with _planned(output) as target:
        core = core_dataset(dataset)
        if len(core) == 0:
            raise TacoPlanError("the dataset is empty")
        if core.is_v1:
            raise TacoPlanError(f"{core.path}: a version before 2.0; tacore.export and tacore.v1.convert export it")
        tortilla, extent, document = _core.to_taco(core, False)
        levels, collection = _levels(tortilla), json.loads(document)
        collection.pop("taco:sources", None)
        collection["extent"] = {"spatial": extent.get("spatial"), "temporal": extent.get("temporal")}
        collection["taco:pit_schema"] = _pit_schema(levels)
        collection["taco:field_schema"] = _field_schema(tortilla, levels, collection.get("taco:field_schema", {}))
        tasks = tuple(_tasks(tortilla, target / "DATA"))
        return ExportPlan(tasks, core.path, target, levels, _local_metadata(levels), collection)


def plan_zip2folder(source: PathLike, output: PathLike) -> Zip2FolderPlan:
    """Plans the conversion of a ZIP to a FOLDER: what :func:`tacore.zip2folder` writes, without padding of level 0.

    Args:
        source: Path or URL of the ZIP.
        output: Path of the new FOLDER.

    Raises:
        TacoPlanError: `output` exists or is a URL; `source` cannot be opened or is not a ZIP; or its FOLDERs have
            different children, which only :func:`plan_export` fills in.
        TacoBackendError: pyarrow is not installed.
    """
    with _planned(output) as target:
        dataset = load(source)
        if dataset._core.format != "zip":
            raise TacoPlanError(f"{dataset._core.path}: a ZIP is expected, not a {dataset._core.format}")
        if not dataset.verify_rsut():
            raise TacoPlanError(f"{dataset._core.path}: FOLDERs have different children; plan_export fills in the rest")
        tortilla, _, _ = _core.to_taco(dataset._core, False)
        levels = _levels(tortilla)
        tasks = tuple(_tasks(tortilla, target / "DATA"))
        collection = {**dataset.collection, "taco:pit_schema": _pit_schema(levels)}
        return Zip2FolderPlan(tasks, os.fsdecode(source), target, levels, _local_metadata(levels), collection)


def plan_folder2zip(source: PathLike, output: PathLike) -> Folder2ZipPlan:
    """Plans the conversion of a FOLDER to a ZIP: what :func:`tacore.folder2zip` writes.

    Args:
        source: Path of the FOLDER.
        output: Path of the new ZIP.

    Raises:
        TacoPlanError: `output` exists or is a URL; `source` or a file in it is missing or cannot be read.
        TacoBackendError: pyarrow is not installed.
    """
    with _planned(output) as target:
        folder = local_path(source)
        if not folder.is_dir():
            raise TacoPlanError(f"{folder}: FOLDER not found")
        collection = json.loads((folder / "COLLECTION.json").read_text(encoding="utf-8"))
        tables = sorted(folder.glob("METADATA/level*.parquet"))  # there are six at most
        files = sorted(path for path in (folder / "DATA").rglob("*") if path.is_file())
        if not tables or not files:
            raise TacoPlanError(f"{folder}: {'METADATA/level0.parquet' if not tables else 'DATA'} not found")
        inner = [path.relative_to(folder) for path in files]
        return Folder2ZipPlan(
            tuple(ZipEntry(str(folder / path), path.as_posix()) for path in inner if path.name != "__meta__"),
            folder,
            target,
            tuple(_read_table(path) for path in tables),
            {f"{path.parent.as_posix()}/": _read_table(folder / path) for path in inner if path.name == "__meta__"},
            collection,
        )


def execute(task: CopyTask) -> None:
    """Copies the bytes of a task to its `dest`, whose folders are created. It can run in several threads and processes,
    and again after an error.

    The number of bytes is checked; CRC-32 checksums, which :func:`tacore.export` verifies, are not.

    Args:
        task: Task of an :class:`ExportPlan` or :class:`Zip2FolderPlan`.

    Raises:
        TacoExecuteError: The source cannot be read or is shorter than the task says, or `dest` cannot be written.
    """
    if not isinstance(task, CopyTask):
        raise TypeError(f"a CopyTask is expected, not {type(task).__name__}")
    try:
        source = task.src
        if task.offset is not None or task.size is not None:
            offset = task.offset or 0
            size = _core.Sample("whole", source, {}).size - offset if task.size is None else task.size
            source = f"/vsisubfile/{offset}_{size},{source}"
        data = _core.Sample("part", source, {}).read_bytes()
        dest = Path(task.dest)
        dest.parent.mkdir(parents=True, exist_ok=True)
        part = dest.with_name(f"__part__{dest.name}")  # not the name of a sample: ids do not begin with __
        part.write_bytes(data)
        part.replace(dest)
    except (TacoError, OSError) as error:
        raise TacoExecuteError(f"{task.src} cannot be copied to {task.dest}: {error}") from error


def finalize(plan: ExportPlan | Zip2FolderPlan | Folder2ZipPlan) -> Path:
    """Completes the output of a plan: writes the metadata beside the copied samples, or packs the ZIP.

    Args:
        plan: Plan whose tasks are all executed.

    Returns:
        The path of the new dataset.

    Raises:
        TacoFinalizeError: A task is not executed, or the output cannot be written.

    Example:
        >>> tacore.finalize(tacore.plan_folder2zip("chips", "chips.tacozip"))
    """
    if not isinstance(plan, (ExportPlan, Folder2ZipPlan)):
        raise TypeError(f"a plan is expected, not {type(plan).__name__}")
    try:
        if isinstance(plan, Folder2ZipPlan):
            above = plan.output.absolute().parent
            with parents(plan.output), tempfile.TemporaryDirectory(prefix=".tacore-", dir=above) as staging:
                folder = Path(staging)
                for entry in plan.entries:
                    link = folder / entry.arc_path
                    link.parent.mkdir(parents=True, exist_ok=True)
                    link.symlink_to(Path(entry.src).absolute())
                _write_metadata(plan, folder)
                _core.folder2zip(folder, plan.output, {})
            return plan.output
        for task in plan.tasks:
            if task.size not in (None, os.path.getsize(task.dest)):
                raise TacoFinalizeError(f"{task.dest}: the task is not executed: a file of {task.size} bytes expected")
        for path in _file_paths(plan.levels):
            dest = plan.output / "DATA" / path
            dest.parent.mkdir(parents=True, exist_ok=True)
            dest.touch()  # a FILE without bytes has no task
        _write_metadata(plan, plan.output)
    except TacoFinalizeError:
        raise
    except (TacoError, OSError) as error:
        raise TacoFinalizeError(f"{plan.output} cannot be completed: {error}") from error
    return plan.output


@contextmanager
def _planned(output: PathLike) -> Iterator[Path]:
    """The path of output that does not exist; an error of the body becomes a TacoPlanError."""
    require("pyarrow", "a plan")
    try:
        target = local_path(output)
        if target.exists():
            raise TacoPlanError(f"{target}: already exists")
        yield target
    except TacoPlanError:
        raise
    except (TacoError, OSError, ValueError) as error:
        raise TacoPlanError(str(error)) from error


def _levels(tortilla: _core.Tortilla) -> tuple[pyarrow.Table, ...]:
    """The tables of a Tortilla, with columns as in METADATA of a FOLDER."""
    import pyarrow

    from .datamodel._columns import Stream, table_of

    levels: list[pyarrow.Table] = []
    for depth in range(tortilla.depth + 1):
        ids, types = tortilla.ids(depth), tortilla.types(depth)
        numbers = pyarrow.array(range(len(ids)), pyarrow.int64())
        columns = {"id": ids, "type": types}
        if tortilla.fields(depth):
            stored = table_of(tortilla.columns(depth))
            columns |= dict(zip(stored.column_names, stored.columns))
        columns |= {"internal:current_id": numbers, "internal:parent_id": numbers}
        if depth:
            numbers = table_of(Stream(tortilla.export_metadata(depth)))["internal:parent_id"]
            folders = [path.rstrip("/") for path in _paths(levels[-1])]
            ends = ["/" if kind == "FOLDER" else "" for kind in types]
            paths = [f"{folders[at]}/{id}{end}" for at, id, end in zip(numbers.to_pylist(), ids, ends)]
            columns |= {"internal:parent_id": numbers, "internal:relative_path": paths}
        levels.append(pyarrow.table(columns))
    return tuple(levels)


def _tasks(tortilla: _core.Tortilla, folder: Path) -> Iterator[CopyTask]:
    for row in range(tortilla.num_samples()):
        sample, children = tortilla.sample(row)
        dest = folder / sample.id
        if children is not None:
            yield from _tasks(children, dest)
        elif sample.size:
            part = re.match(r"/vsisubfile/(\d+)_(\d+),", sample.vsi_path)
            offset, size = (int(part[1]), int(part[2])) if part else (None, None)
            yield CopyTask(sample.path, str(dest), offset, size)


def _paths(level: pyarrow.Table) -> list[str]:
    """The path of each sample of a level below DATA."""
    name = "internal:relative_path" if "internal:relative_path" in level.column_names else "id"
    paths: list[str] = level[name].to_pylist()
    return paths


def _file_paths(levels: tuple[pyarrow.Table, ...]) -> Iterator[str]:
    for level in levels:
        yield from (path for path, kind in zip(_paths(level), level["type"].to_pylist()) if kind == "FILE")


def _children(level: pyarrow.Table) -> Iterator[tuple[int, pyarrow.Table]]:
    """The rows of each parent, which are consecutive, without the columns that are in METADATA only."""
    names = [name for name in level.column_names if not name.startswith("internal:")]
    above = level["internal:parent_id"].to_pylist()
    starts = [row for row in range(len(above)) if row == 0 or above[row] != above[row - 1]]
    for start, end in zip(starts, [*starts[1:], len(above)]):
        yield above[start], level.slice(start, end - start).select(names)


def _local_metadata(levels: tuple[pyarrow.Table, ...]) -> dict[str, pyarrow.Table]:
    return {
        f"DATA/{folders[parent].rstrip('/')}/": children
        for folders, level in zip(map(_paths, levels), levels[1:])
        for parent, children in _children(level)
    }


def _pit_schema(levels: tuple[pyarrow.Table, ...]) -> dict[str, Any]:
    """The tree of the samples (specification, 5.5): for each FOLDER of a sample of level 0 the pattern of its
    children."""
    hierarchy: dict[str, list[dict[str, Any]]] = {}
    places: list[Any] = [()] * levels[0].num_rows  # of each row of a level in the tree of its sample
    for depth, level in enumerate(levels[1:], 1):
        patterns: dict[Any, dict[str, Any]] = {}
        below: list[Any] = []
        for parent, children in _children(level):
            ids, place = children["id"].to_pylist(), places[parent]
            pattern = patterns.setdefault(place, {"n": 0, "type": children["type"].to_pylist(), "id": list(ids)})
            pattern["n"] += len(ids)
            for position, (known, id) in enumerate(zip(pattern["id"], ids)):
                if known.startswith("__TACOPAD__"):
                    pattern["id"][position] = id
                below.append((*place, position))
        hierarchy[str(depth)] = list(patterns.values())
        places = below
    return {"root": {"n": levels[0].num_rows, "type": levels[0]["type"][0].as_py()}, "hierarchy": hierarchy}


def _field_schema(
    tortilla: _core.Tortilla, levels: tuple[pyarrow.Table, ...], stored: dict[str, Any]
) -> dict[str, list[list[str]]]:
    """Name, type and description of each column; descriptions are the stored ones."""
    out = {}
    for depth, level in enumerate(levels):
        texts = {name: text for name, _, text in stored.get(f"level{depth}", [])}
        kinds = {name: kind for name, kind, _ in tortilla.fields(depth)}
        columns = [(each.name, kinds.get(each.name, str(each.type))) for each in level.schema]
        out[f"level{depth}"] = [[name, kind, texts.get(name, "")] for name, kind in columns]
    return out


def _read_table(path: Path) -> pyarrow.Table:
    import pyarrow.parquet

    return pyarrow.parquet.read_table(path, partitioning=None)


def _write_metadata(plan: ExportPlan | Folder2ZipPlan, folder: Path) -> None:
    """Writes all tables, and COLLECTION.json last: without it the folder is no dataset."""
    import pyarrow.parquet

    tables = {f"METADATA/level{depth}.parquet": table for depth, table in enumerate(plan.levels)}
    tables |= {f"{path}__meta__": table for path, table in plan.local_metadata.items()}
    for name, table in tables.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(table, path, compression="zstd")
    text = json.dumps(plan.collection, indent=4, ensure_ascii=False)
    (folder / "COLLECTION.json").write_text(text, encoding="utf-8")
