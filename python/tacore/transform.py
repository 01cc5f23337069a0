"""One dataset made of another: export, conversion, edit, diff, sync.

All of it runs in C++ threads without the interpreter, is stopped by Ctrl-C and by a `progress` that returns False or
raises, and writes its output whole or not at all.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from . import _core, _verbose  # noqa: F401  (messages go to the logger from here on)
from ._aliases import aliases, former, renamed
from ._backend import require
from ._errors import TacoQueryError
from ._output import PathLike, container_path, local_path, parents
from ._progress import Progress, callback

if TYPE_CHECKING:
    from ._dataframe import TacoDataFrame
    from ._dataset import TacoDataset
    from .datamodel import Taco

__all__ = [
    "Diff",
    "SampleChange",
    "SyncResult",
    "ValueChange",
    "convert",
    "diff",
    "edit",
    "export",
    "folder2zip",
    "sync",
    "to_taco",
    "zip2folder",
]

__getattr__ = former(__name__, taco_of="to_taco")


@aliases(output_path="output", mode="output_format", workers="jobs", limit="max_concurrent_requests", quiet="progress")
def export(
    dataset: TacoDataset | TacoDataFrame | PathLike,
    output: PathLike,
    output_format: str = "auto",
    jobs: int = 0,
    progress: bool | Progress = True,
    temp_dir: PathLike | None = None,
    *,
    overwrite: bool = False,
    strict: bool = False,
    id: str | None = None,
    max_concurrent_requests: int = 100,
    **parquet: Any,
) -> Path:
    """Writes what a dataset shows as a dataset of its own (specification, 7.1.3).

    The samples that its filters and queries show, in their order, with all their descendants that `read()` shows, and
    their metadata, columns that a query added included. Bytes are copied once, from container to container, and those
    of a ZIP are held against its checksums. The collection is that of the dataset with the tree and the extent of what
    is exported, `taco:subset_of` and `taco:subset_date`.

    Args:
        dataset: A dataset, the path of one, or a frame of its samples with the columns that are to be kept.
        output: The new one. Folders around it are made.
        output_format: "auto": a ZIP where `output` ends in `.tacozip` or `.zip`, else a FOLDER. "zip" is for such a
            name alone, "folder" takes its ending away. Draft name: `mode`.
        jobs: Number of threads; 0 means one for each processor.
        progress: True shows a bar, False nothing. A callable is called periodically with (bytes done, bytes in all);
            the work is cancelled when it returns False or raises.
        temp_dir: Folder for the unfinished output, on the same file system; by default that of the output.
        overwrite: Replace existing output atomically.
        strict: Refuse samples that are left with different children, instead of padding them.
        id: Id of the new dataset; by default that of the old one.
        max_concurrent_requests: Maximal number of HTTP requests in flight.
        **parquet: Options of the Parquet files: `compression`, `compression_level`, `row_group_size`,
            `data_page_size`, `write_statistics`, `use_dictionary`, `use_content_defined_chunking`, `min_chunk_size`,
            `max_chunk_size`. Names and meaning are those of pyarrow.

    `workers`, `limit` and `quiet`, as published packages have them, stand for `jobs`, `max_concurrent_requests` and
    ``progress=False``.

    Returns:
        The path of the new dataset.

    Raises:
        TacoValidationError: `output` is there, or another argument makes no sense.
        TacoQueryError: The dataset shows no rows; a frame with columns that were set in Python.
        TacoNavigationError: Its queries lost the places of the rows, used deeper levels, or repeat a sample.
        TacoSchemaError: Columns that are no metadata; with `strict`, different children.
        TacoIOError: Reading or writing failed, or `progress` returned False.
        TypeError: A keyword that nothing has.
    """
    path = container_path(output, output_format)
    options = {
        "jobs": jobs,
        "temp_dir": temp_dir,
        "overwrite": overwrite,
        "strict": strict,
        "id": id,
        "max_concurrent_requests": max_concurrent_requests,
        "parquet": parquet,
    }
    with parents(path):
        _core.export_dataset(core_dataset(dataset), path, options, callback("Exporting", progress))
    return path


@renamed(quiet="'progress'", workers="'jobs'")
def convert(
    input: PathLike,
    output: PathLike,
    *,
    overwrite: bool = False,
    jobs: int = 0,
    temp_dir: PathLike | None = None,
    progress: bool | Progress = True,
    **parquet: Any,
) -> Path:
    """Writes a ZIP as a FOLDER, or a FOLDER as a ZIP (specification, 7.1.4).

    Samples, metadata, padding and COLLECTION.json stay as they are; offsets that are wrong come out right. A dataset
    before 2.0 becomes one of 2.0; `tacore.v1.convert` does more. Arguments and errors as for :func:`export`.

    Raises:
        TacoValidationError: Also when both are of one kind, or `input` is an index.
    """
    options = {"overwrite": overwrite, "jobs": jobs, "temp_dir": temp_dir, "parquet": parquet}
    return _converted(_core.convert, input, output, options, callback("Converting", progress))


@aliases(
    source="input",
    zip_path="input",
    folder_output="output",
    workers="jobs",
    limit="max_concurrent_requests",
    quiet="progress",
)
def zip2folder(
    input: PathLike,
    output: PathLike,
    jobs: int = 0,
    progress: bool | Progress = True,
    *,
    overwrite: bool = False,
    max_concurrent_requests: int = 100,
    temp_dir: PathLike | None = None,
    **parquet: Any,
) -> Path:
    """Writes a ZIP as a FOLDER (specification, 7.1.4). As :func:`convert` and :func:`export`.

    Raises:
        TacoValidationError: Also when `input` is no ZIP, or `output` has the name of one.
    """
    options = {
        "overwrite": overwrite,
        "jobs": jobs,
        "max_concurrent_requests": max_concurrent_requests,
        "temp_dir": temp_dir,
        "parquet": parquet,
    }
    return _converted(_core.zip2folder, input, output, options, callback("Extracting", progress))


@aliases(source="input", folder_path="input", zip_output="output", workers="jobs", quiet="progress")
def folder2zip(
    input: PathLike,
    output: PathLike,
    progress: bool | Progress = True,
    temp_dir: PathLike | None = None,
    *,
    overwrite: bool = False,
    jobs: int = 0,
    **parquet: Any,
) -> Path:
    """Writes a FOLDER as a ZIP (specification, 7.1.4). As :func:`convert`.

    Raises:
        TacoValidationError: Also when `input` is no FOLDER, or `output` does not end in `.tacozip` or `.zip`.
    """
    options = {"overwrite": overwrite, "jobs": jobs, "temp_dir": temp_dir, "parquet": parquet}
    return _converted(_core.folder2zip, input, output, options, callback("Packing", progress))


@renamed(quiet="'progress'", workers="'jobs'")
def edit(
    path: PathLike,
    collection: Mapping[str, Any] | None = None,
    *,
    unset: Sequence[str] = (),
    drop: Sequence[str] = (),
    columns: Any = (),
    level: int = 0,
    jobs: int = 0,
    temp_dir: PathLike | None = None,
    progress: bool | Progress = True,
    **parquet: Any,
) -> None:
    """Changes metadata of a dataset, in one step: the old one is there, or the new one. Data stays as it is.

    Programs that have the old one open go on reading it. Ids, types and the tree cannot be changed.

    Args:
        path: A ZIP, a FOLDER, an index (its collection), a Tortilla or TACO before 2.0.
        collection: Members of COLLECTION.json and their new values; what JSON has no form for is a TypeError.
        unset: Members that go.
        drop: Columns of metadata that go, before others come.
        columns: A table whose columns become metadata, or several: the path of a `.parquet`, `.csv` or `.jsonl` file,
            or anything with `__arrow_c_stream__` (a TacoDataFrame, pyarrow, polars, pandas; needs pyarrow). `id` says
            which sample a row is, below level 0 `internal:relative_path` or `id` its path, "tile/band". Samples that
            are not listed keep their value, null in a new column.
        level: Of `drop` and `columns`.
        jobs: Number of threads; 0 means one for each processor.
        temp_dir: As for :func:`export`.
        progress: As for :func:`export`.
        **parquet: As for :func:`export`, of the tables that change.

    Raises:
        TacoValidationError: Nothing is to change, or what may not, or a rule would be broken.
        TacoSchemaError: A column that is not there or may not be; a sample twice, or one that there is not.
        TacoFormatError: The dataset or a table cannot be read.
        TacoIOError: Reading or writing failed, `progress` returned False, or the dataset was replaced meanwhile.
    """
    members = [(name, json.dumps(value, ensure_ascii=False)) for name, value in (collection or {}).items()]
    with _table_files(columns) as files:
        _core.edit(
            path,
            members,
            list(unset),
            level,
            list(drop),
            files,
            {"jobs": jobs, "temp_dir": temp_dir, "parquet": parquet},
            callback("Editing", progress),
        )


@dataclass(frozen=True)
class ValueChange:
    """A value in both datasets, as text: JSON of the collection, metadata as CSV has it, the Arrow type of a column.
    None: null, or there is none."""

    name: str
    a: str | None
    b: str | None

    def __str__(self) -> str:
        return f"{self.name}: {self.a} -> {self.b}"


@dataclass(frozen=True)
class SampleChange:
    """A sample that only one dataset has, or that differs.

    Attributes:
        change: "added", "removed" or "changed".
        level: Level of the sample, 0 = root.
        path: From DATA/, "tile/band".
        fields: Metadata that differs.
        bytes: How the data differs, in words; "" when it does not.
    """

    change: Literal["added", "removed", "changed"]
    level: int
    path: str
    fields: list[ValueChange] = field(default_factory=list)
    bytes: str = ""

    def __str__(self) -> str:
        details = [*map(str, self.fields), *([self.bytes] if self.bytes else [])]
        return f"{self.change} {self.path}" + (f" ({'; '.join(details)})" if details else "")


@dataclass(frozen=True, repr=False)
class Diff:
    """How one dataset became another; true when there is a difference.

    Attributes:
        collection: Members of COLLECTION.json.
        columns: (level, column and its types).
        num_added: Samples of all levels that only the second has.
        num_removed: Samples that only the first has.
        num_changed: Samples with other metadata or bytes.
        samples: The first hundred of each.
    """

    collection: list[ValueChange]
    columns: list[tuple[int, ValueChange]]
    num_added: int
    num_removed: int
    num_changed: int
    samples: list[SampleChange]

    def __bool__(self) -> bool:
        return bool(self.collection or self.columns or self.num_added or self.num_removed or self.num_changed)

    def __repr__(self) -> str:
        if not self:
            return "<Diff: equal>"
        lines = [f"<Diff: {self.num_added} samples added, {self.num_removed} removed, {self.num_changed} changed>"]
        lines += [f"  collection {_cut(change)}" for change in self.collection]
        lines += [f"  level {level} column {change}" for level, change in self.columns]
        lines += [f"  {_cut(change)}" for change in self.samples[:10]]
        if len(self.samples) > 10:
            lines.append("  ...")
        return "\n".join(lines)


@renamed(quiet="'progress'", workers="'jobs'")
def diff(
    a: PathLike,
    b: PathLike,
    quick: bool = False,
    *,
    jobs: int = 0,
    progress: bool | Progress = True,
) -> Diff:
    """Compares two datasets by what they hold, whatever their containers.

    Neither the order of rows and columns counts nor padding, nor what a container has for itself.

    Args:
        a: The one before.
        b: The one after.
        quick: Compare sizes and CRC-32 checksums only, without reading the data.
        jobs: Number of threads; 0 means one for each processor.
        progress: As for :func:`export`.

    Raises:
        TacoError: What :func:`tacore.load` raises, and for what cannot be read.
    """
    found = _core.diff(a, b, {"quick": quick, "jobs": jobs}, callback("Comparing", progress))
    return Diff(
        collection=_changes(found["collection"]),
        columns=[(level, ValueChange(*change)) for level, change in found["columns"]],
        num_added=found["num_added"],
        num_removed=found["num_removed"],
        num_changed=found["num_changed"],
        samples=[
            SampleChange(change, level, path, _changes(fields), how)
            for change, level, path, fields, how in found["samples"]
        ],
    )


@dataclass(frozen=True)
class SyncResult:
    """What a sync moved, and what was there before or came again."""

    num_chunks_moved: int
    num_bytes_moved: int
    num_chunks_reused: int
    num_bytes_reused: int
    replaced: str = ""  #: Name of a dataset in the store of which this is another version.


@renamed(quiet="'progress'", workers="'jobs'")
def sync(
    source: PathLike,
    target: PathLike,
    *,
    overwrite: bool = False,
    jobs: int = 0,
    progress: bool | Progress = True,
) -> SyncResult:
    """Puts a dataset into a chunk store, or makes it again from one; a store keeps each piece of its datasets once.

    Args:
        source: A ZIP or FOLDER; or STORE, STORE/NAME of a dataset in a store.
        target: The store, which is made where there is none, with STORE/NAME under another name; or the new dataset,
            byte for byte as it was, each chunk held against its SHA-256.
        overwrite: Replace existing output atomically. In a store an older version, with the same id and a
            sample in common, always is; another dataset of the same name only with this.
        jobs: Number of threads; 0 means one for each processor.
        progress: As for :func:`export`.

    Raises:
        TacoValidationError: What cannot be synced that way, also where the store has another dataset of the same
            name; nothing was written.
        TacoFormatError: A store that is damaged, or of another version.
        TacoIOError: Reading or writing failed, or `progress` returned False.
    """
    run = _core.sync_from_store if _core.is_store(source) else _core.sync_to_store
    return SyncResult(*run(source, target, {"overwrite": overwrite, "jobs": jobs}, callback("Syncing", progress)))


def to_taco(dataset: TacoDataset | TacoDataFrame | PathLike, strict: bool = False) -> Taco:
    """The samples that a dataset shows, to be changed and written again by :func:`tacore.create`.

    What :func:`export` writes: their bytes stay in their containers until then.

    Args:
        dataset: A dataset, or the path of one.
        strict: As for :func:`export`.

    Raises:
        TacoError: What :func:`export` raises for the dataset.
        TacoValidationError: Its collection breaks rules of new ones.
    """
    from .datamodel import Taco
    from .datamodel._tortilla import _wrapped

    core = core_dataset(dataset)
    tortilla, extent, document = _core.to_taco(core, strict)
    model = core.model()
    about = {name: model[name] for name in _ABOUT if name in model}
    more = {name: value for name, value in json.loads(document).items() if name not in (*_ABOUT, *_MADE)}
    return Taco(_wrapped(tortilla), extent=extent or None, **about, **more)


#: Members of COLLECTION.json that a Taco has, and those that are made when it is written.
_ABOUT = (
    "id", "dataset_version", "description", "licenses", "providers", "tasks", "title", "curators", "keywords"
)  # fmt: skip
_MADE = ("taco_version", "extent", "taco:pit_schema", "taco:field_schema", "taco:sources", "_tacocat", "data_curator")


def core_dataset(dataset: TacoDataset | TacoDataFrame | PathLike) -> _core.Dataset:
    """What the library takes: of a frame a view of its rows. Raises TacoQueryError for columns that it does not know."""
    from ._dataframe import TacoDataFrame
    from ._dataset import TacoDataset, load

    if isinstance(dataset, TacoDataFrame):
        if dataset._changed:
            raise TacoQueryError("a frame with columns that were set in Python; with_column() sets those that are written")
        return _core.to_dataset(dataset._core)
    if isinstance(dataset, TacoDataset):
        return dataset._core
    if isinstance(dataset, (str, bytes, os.PathLike)):
        return load(dataset)._core
    raise TypeError(f"a dataset, a frame or the path of a dataset is expected, not {type(dataset).__name__}")


def _converted(run: Any, input: PathLike, output: PathLike, options: dict[str, Any], progress: Progress | None) -> Path:
    path = local_path(output)
    with parents(path):
        run(input, path, options, progress)
    return path


@contextmanager
def _table_files(columns: Any) -> Iterator[list[PathLike]]:
    """Tables as files, for as long as they are needed."""
    tables = columns if isinstance(columns, (list, tuple)) else [columns]
    with tempfile.TemporaryDirectory(prefix="tacore-") as folder:
        yield [
            each if isinstance(each, (str, os.PathLike)) else _table_file(each, os.path.join(folder, f"{n}.parquet"))
            for n, each in enumerate(tables)
        ]


def _table_file(table: Any, path: str) -> str:
    require("pyarrow", "a table that is no file")
    import pyarrow
    import pyarrow.parquet

    from ._dataframe import TacoDataFrame
    from ._tables import is_protected

    rows = pyarrow.table(table)
    if isinstance(table, TacoDataFrame):  # it shows what cannot be edited, too
        rows = rows.select([name for name in rows.column_names if name == "id" or not is_protected(name)])
    pyarrow.parquet.write_table(rows, path)
    return path


def _changes(found: Sequence[Any]) -> list[ValueChange]:
    return [ValueChange(*change) for change in found]


def _cut(change: object) -> str:
    line = str(change)
    return line if len(line) <= 110 else line[:107] + "..."
