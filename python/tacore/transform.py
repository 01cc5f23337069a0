"""Operations on whole datasets: export, conversion, edit, diff, publishing, sync.

They run in C++ threads without the GIL. Ctrl-C, or a `progress` callback that returns False or raises, cancels them.
Output is written atomically.
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
    "Published",
    "PublishedFile",
    "RepairResult",
    "Replay",
    "ReplayDifference",
    "SampleChange",
    "SyncResult",
    "ValueChange",
    "apply_repairs",
    "convert",
    "diff",
    "edit",
    "export",
    "folder2zip",
    "inverse_repairs",
    "propose_repairs",
    "publish",
    "replay",
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
    order: str = "",
    provenance: bool = False,
    max_concurrent_requests: int = 100,
    **parquet: Any,
) -> Path:
    """Writes a subset of a dataset as a new dataset (specification, 7.1.3).

    The subset consists of the samples that the filters and queries of the dataset select, in their order, with their
    descendants and metadata, including columns that a query added. Bytes are copied directly from one container to the
    other; those of a ZIP are verified against its CRC-32s. The collection is that of the dataset, with the tree and the
    extent of the subset, `taco:subset_of` and `taco:subset_date`.

    Args:
        dataset: Dataset, path of a dataset, or frame of samples with the columns to keep.
        output: Path of the new dataset. Missing parent folders are created.
        output_format: "auto" writes a ZIP if `output` ends in `.tacozip` or `.zip`, else a FOLDER. "zip" requires such
            an ending, "folder" removes it. Another name of this argument is `mode`.
        jobs: Number of threads; 0 means one for each processor.
        progress: True shows a bar, False nothing. A callable is called periodically with (bytes done, bytes in all);
            the work is cancelled when it returns False or raises.
        temp_dir: Folder for the unfinished output, on the same file system; by default that of the output.
        overwrite: Replace existing output atomically.
        strict: Refuse samples that are left with different children, instead of padding them.
        id: Id of the new dataset; by default that of the old one.
        order: Order of the samples: hilbert (neighbours on the globe together, with bounding boxes) or time; by default
            as given. Samples without a location or time are last.
        provenance: Record the sources, filters, queries and options in COLLECTION.json, so that a replay makes the same
            bytes. The level tables of the sources are read whole for it. See :func:`replay`.
        max_concurrent_requests: Maximal number of HTTP requests in flight.
        **parquet: Options of the Parquet files: `compression`, `compression_level`, `row_group_size`,
            `data_page_size`, `write_statistics`, `use_dictionary`, `use_content_defined_chunking`, `min_chunk_size`,
            `max_chunk_size`. Names and meaning are those of pyarrow. With ``covering=True``, bounding boxes of the
            geometries and a page index are added, by which readers find the samples of a place without reading others. With ``id_index=True``, the same of
            an id.

    The keywords `workers`, `limit` and `quiet` of the published packages are accepted for `jobs`,
    `max_concurrent_requests` and ``progress=False``.

    Returns:
        The path of the new dataset.

    Raises:
        TacoValidationError: `output` exists, or an argument is not allowed; with `provenance`, the export cannot be done
            again: a frame, a TACOLLECTION.json, random(), a query that leaves the order of rows open.
        TacoQueryError: There are no rows, or the frame has columns that were set in Python.
        TacoNavigationError: A query dropped the columns that lead to the samples (use ``SELECT *``), used deeper
            levels, or repeats a sample.
        TacoSchemaError: A column cannot be stored as metadata; with `strict`, samples have different children.
        TacoIOError: A sample cannot be read, the output cannot be written, or `progress` returned False.
        TypeError: A keyword is unknown.

    Example:
        >>> tacore.export(dataset.sql("SELECT * FROM data WHERE split = 'test'"), "test.tacozip")
    """
    path = container_path(output, output_format)
    options = {
        "jobs": jobs,
        "temp_dir": temp_dir,
        "overwrite": overwrite,
        "strict": strict,
        "id": id,
        "order": order,
        "provenance": provenance,
        "max_concurrent_requests": max_concurrent_requests,
        "parquet": parquet,
    }
    with parents(path):
        _core.export_dataset(core_dataset(dataset), path, options, callback("Exporting", progress))
    return path


@dataclass(frozen=True)
class ReplayDifference:
    """What differs between an export and its replay.

    Attributes:
        path: The file or FOLDER of the export.
        entry: What is in it, such as "DATA/a/b" or "METADATA/level0.parquet"; "" if unknown.
        sample: Path of ids of a sample, "a/b"; "" if the entry is another one.
        offset: First byte of the file that differs, or of that of the entry in a FOLDER; None if unknown.
        what: The difference in words, such as "has 12 bytes, 10 in the export".
    """

    path: str
    entry: str
    sample: str
    offset: int | None
    what: str


@dataclass(frozen=True)
class Replay:
    """The result of :func:`replay`.

    Attributes:
        paths: Paths of the new containers; empty without `output`.
        tool_version: Version of tacore that made the export.
        num_bytes: Bytes of the files that were compared.
        num_differences: Number of differences; 0 if the replay has the same bytes.
        differences: The first 100 of them.
    """

    paths: list[Path]
    tool_version: str
    num_bytes: int
    num_differences: int
    differences: list[ReplayDifference]

    @property
    def identical(self) -> bool:
        """True if the replay has the same bytes as the export."""
        return self.num_differences == 0


def replay(
    path: PathLike,
    output: PathLike | None = None,
    *,
    sources: PathLike | Sequence[PathLike] = (),
    base_path: PathLike | None = None,
    overwrite: bool = False,
    jobs: int = 0,
    temp_dir: PathLike | None = None,
    max_concurrent_requests: int = 100,
    progress: bool | Progress = True,
) -> Replay:
    """Makes an export again from the provenance that it states (``export(..., provenance=True)``), and compares the bytes
    of both.

    Id, version, Merkle root and metadata of each source are compared before anything is written. The data of a source
    are not: where they changed, the result names the samples. An export that another version of tacore made is replayed
    with a warning.

    Args:
        path: Path of the export, local or remote: a ZIP, a FOLDER, or one of several ZIPs or the folder of their index.
        output: Where the new export stays; by default it is made in a temporary folder, compared and removed.
        sources: Paths of the sources; by default the files of their names beside the export.
        base_path: Folder of the ZIP files of a TACOCAT or TACOLLECTION.json, if it is not the folder of the index.
        overwrite: Replace existing output atomically.
        jobs: Number of threads; 0 means one for each processor.
        temp_dir: Folder for the unfinished output, on the same file system; without output that of the temporary export.
        max_concurrent_requests: Maximal number of HTTP requests in flight.
        progress: As for :func:`export`.

    Raises:
        TacoValidationError: The export has no provenance; a source is missing, another one, or changed; `output` is not
            allowed.
        TacoFormatError: The provenance is none that tacore writes, or a dataset is damaged.
        TacoIOError: Reading or writing failed, or `progress` returned False.
        TacoError: Also as for :func:`export`.

    Example:
        >>> tacore.export(dataset.filter_bbox(-77, -13, -76, -11), "lima.tacozip", provenance=True)
        >>> transform.replay("lima.tacozip").identical
    """
    made = None if output is None else local_path(output)
    options = {
        "output": made,
        "sources": [os.fspath(each) for each in ([sources] if isinstance(sources, (str, os.PathLike)) else sources)],
        "base_path": base_path,
        "overwrite": overwrite,
        "jobs": jobs,
        "temp_dir": temp_dir,
        "max_concurrent_requests": max_concurrent_requests,
    }
    paths, tool_version, num_bytes, num_differences, differences = _core.replay(
        path, options, callback("Replaying", progress)
    )
    return Replay(
        [Path(each) for each in paths],
        tool_version,
        num_bytes,
        num_differences,
        [ReplayDifference(*each) for each in differences],
    )


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
    """Converts a ZIP to a FOLDER, or a FOLDER to a ZIP (specification, 7.1.4).

    Samples, metadata, padding and COLLECTION.json do not change; wrong offsets are corrected. A dataset of a version
    before 2.0 is converted to 2.0; `tacore.v1.convert` has more options. Arguments and errors are those of
    :func:`export`.

    Raises:
        TacoValidationError: Also if input and output have the same container, or `input` is an index.

    Example:
        >>> transform.convert("chips.tacozip", "chips")
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
    """Converts a ZIP to a FOLDER (specification, 7.1.4). Arguments and errors are those of :func:`export`.

    Raises:
        TacoValidationError: Also if `input` is not a ZIP, or `output` ends in `.tacozip` or `.zip`.
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
    """Converts a FOLDER to a ZIP (specification, 7.1.4). Arguments and errors are those of :func:`export`.

    Raises:
        TacoValidationError: Also if `input` is not a FOLDER, or `output` does not end in `.tacozip` or `.zip`.
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
    """Changes the metadata of a dataset atomically; the data of samples does not change.

    Programs that have the dataset open continue to read the old version. Ids, types and the tree cannot be changed.

    Args:
        path: Path of a ZIP, a FOLDER, an index (its collection), or a Tortilla or TACO before 2.0.
        collection: New values of members of COLLECTION.json. A value that JSON cannot express raises TypeError.
        unset: Members of COLLECTION.json to remove.
        drop: Metadata columns to remove, before `columns` are added.
        columns: One or several tables whose columns become metadata: the path of a `.parquet`, `.csv` or `.jsonl` file,
            or an object with `__arrow_c_stream__` (a TacoDataFrame, pyarrow, polars, pandas; needs pyarrow). The column
            `id` assigns rows to samples; below level 0, `internal:relative_path` or `id` has their paths, "tile/band".
            Samples that are not listed keep their values, and get null in a new column.
        level: Level of `drop` and `columns`.
        jobs: Number of threads; 0 means one for each processor.
        temp_dir: As for :func:`export`.
        progress: As for :func:`export`.
        **parquet: As for :func:`export`, for the tables that change.

    Raises:
        TacoValidationError: There is no change, a member cannot be changed, or a rule would be broken.
        TacoSchemaError: A column does not exist or is not allowed; a sample is listed twice, or does not exist.
        TacoFormatError: The dataset or a table is damaged.
        TacoIOError: Reading or writing failed, `progress` returned False, or the dataset was replaced meanwhile.

    Example:
        >>> transform.edit("chips.tacozip", {"title": "Chips"}, columns="clouds.csv")  # id,cloud_cover
    """
    members = [(name, json.dumps(value, ensure_ascii=False)) for name, value in dict(collection or {}).items()]
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


def propose_repairs(
    path: PathLike, *, base_path: PathLike | None = None, jobs: int = 0, progress: bool | Progress = True
) -> dict[str, Any]:
    """Compares the metadata of a dataset with its files, and proposes what would repair it. The dataset does not change.

    Args:
        path: Path of a ZIP, a FOLDER or a TACOCAT.
        base_path: Folder of the ZIP files of a TACOCAT, if it is not the folder of the index.
        jobs: Number of threads; 0 means one for each processor.
        progress: True shows a progress bar; a function is called with the number of files that are read, and of all, and
            stops the work with TacoIOError by returning False.

    Returns:
        The plan, as docs/format.md describes it. Each of its `repairs` has `number`, `rule`, `reason`, `confidence` from 0
        to 1, `accepted`, `level`, `columns`, and `changes` with old and new values of rows. `accepted` is False for what no
        file proves.

    Raises:
        TacoValidationError: The dataset is a TACOLLECTION.json, whose datasets are repaired one by one.
        TacoFormatError: The dataset is damaged.
        TacoIOError: Reading failed, or `progress` returned False.

    Example:
        >>> plan = transform.propose_repairs("chips.tacozip")
        >>> [(each["number"], each["reason"]) for each in plan["repairs"]]
    """
    text = _core.propose_repairs(path, base_path or "", {"jobs": jobs}, callback("Comparing", progress))
    plan: dict[str, Any] = json.loads(text)
    return plan


@dataclass(frozen=True)
class RepairResult:
    """What :func:`apply_repairs` has done.

    Attributes:
        num_repairs: Number of repairs of the plan that were made.
        num_left: Number of repairs that were not accepted.
        num_values: Number of values that are now others.
    """

    num_repairs: int
    num_left: int
    num_values: int


def apply_repairs(
    path: PathLike,
    plan: Mapping[str, Any],
    *,
    accept: Sequence[int] | Literal["all"] = (),
    jobs: int = 0,
    temp_dir: PathLike | None = None,
    progress: bool | Progress = True,
    **parquet: Any,
) -> RepairResult:
    """Makes the accepted repairs of a plan atomically, as one :func:`edit`; the data of samples does not change.

    The plan of an index is made in its ZIPs, one by one, after all of it was compared with them. The index has the old
    values until :func:`create_tacocat` makes a new one, of which a warning tells.

    Args:
        path: Path of a ZIP, a FOLDER or a TACOCAT, which is changed in place.
        plan: The result of :func:`propose_repairs`, possibly changed.
        accept: Numbers of repairs to make although the plan does not accept them, or "all".
        jobs: Number of threads; 0 means one for each processor.
        temp_dir: As for :func:`export`.
        progress: As for :func:`export`.
        **parquet: As for :func:`export`, for the tables that change.

    Raises:
        TacoValidationError: Nothing is accepted, or a value of the dataset is not the old one of the plan.
        TacoFormatError: `plan` is no plan, or the dataset is damaged.
        TacoIOError: Reading or writing failed, `progress` returned False, or the dataset was replaced meanwhile.

    Example:
        >>> transform.apply_repairs("chips.tacozip", plan, accept=[3])
    """
    is_all, numbers = _accepted(accept)
    options = {"jobs": jobs, "temp_dir": temp_dir, "parquet": parquet}
    return RepairResult(
        *_core.apply_repairs(path, json.dumps(plan), is_all, numbers, options, callback("Repairing", progress))
    )


def inverse_repairs(plan: Mapping[str, Any], *, accept: Sequence[int] | Literal["all"] = ()) -> dict[str, Any]:
    """Makes the plan that undoes what :func:`apply_repairs` makes of a plan with the same `accept`.

    Args:
        plan: The result of :func:`propose_repairs`, possibly changed.
        accept: As for :func:`apply_repairs`.

    Raises:
        TacoFormatError: `plan` is no plan.

    Example:
        >>> transform.apply_repairs("chips.tacozip", transform.inverse_repairs(plan))
    """
    inverse: dict[str, Any] = json.loads(_core.inverse_repairs(json.dumps(plan), *_accepted(accept)))
    return inverse


def _accepted(accept: Sequence[int] | Literal["all"]) -> tuple[bool, list[int]]:
    return (True, []) if accept == "all" else (False, list(accept))


@dataclass(frozen=True)
class ValueChange:
    """A value that differs between two datasets, as text: JSON for the collection, as in CSV for metadata, the Arrow
    type for a column.

    Attributes:
        name: Name of the member or column.
        a: Value in the first dataset; None if it is null or missing.
        b: Value in the second dataset; None if it is null or missing.
    """

    name: str
    a: str | None
    b: str | None

    def __str__(self) -> str:
        return f"{self.name}: {self.a} -> {self.b}"


@dataclass(frozen=True)
class SampleChange:
    """A sample that was added, removed or changed.

    Attributes:
        change: "added", "removed" or "changed".
        level: Level of the sample; 0 is the root.
        path: Path of ids: "tile/band".
        fields: Metadata that differs.
        bytes: Description of how the data differs; "" if it does not.
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
    """Differences between two datasets, returned by :func:`diff`. It is true if there is any difference.

    Attributes:
        collection: Members of COLLECTION.json that differ.
        columns: (level, change) for each column whose type differs, or that only one dataset has.
        num_added: Number of samples, of all levels, that only the second dataset has.
        num_removed: Number of samples that only the first dataset has.
        num_changed: Number of samples that differ in metadata or bytes.
        samples: The first hundred samples of each kind.
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
    """Compares the content of two datasets of any containers.

    Row order, column order, padding and container-internal columns are ignored.

    Args:
        a: Path of the first (older) dataset.
        b: Path of the second (newer) dataset.
        quick: Compare sizes and CRC-32 checksums only, without reading the data.
        jobs: Number of threads; 0 means one for each processor.
        progress: As for :func:`export`.

    Raises:
        TacoError: A dataset cannot be opened (as for :func:`tacore.load`) or read.

    Example:
        >>> print(transform.diff("chips_v1.tacozip", "chips_v2.tacozip"))
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
class PublishedFile:
    """A file of a folder that :func:`publish` prepared.

    Attributes:
        name: Path relative to the folder.
        size: Size in bytes.
        sha256: SHA-256 as 64 hexadecimal digits.
        state: "prepared": it is in the folder; "sent": it was uploaded; "stored": the store had it already; "missing":
            it would be uploaded (`dry_run`).
    """

    name: str
    size: int
    sha256: str
    state: str


@dataclass(frozen=True)
class Published:
    """Result of :func:`publish`.

    Attributes:
        files: The files of the folder, in the order of the upload.
        num_bytes_sent: Bytes that were uploaded, without parts of files that the store had already.
    """

    files: list[PublishedFile]
    num_bytes_sent: int


def publish(
    dataset: PathLike,
    output: PathLike,
    platform: Literal["huggingface", "zenodo", "source-cooperative"],
    *,
    to: str | None = None,
    base_url: str | None = None,
    published: str | None = None,
    token_file: PathLike | None = None,
    create: bool = False,
    discard_unfinished: bool = False,
    dry_run: bool = False,
    overwrite: bool = False,
    jobs: int = 0,
    progress: bool | Progress = True,
) -> Published:
    """Prepares and checks a complete folder of a dataset for a platform, and uploads it.

    The folder has the files of the dataset (hard links, or copies on another file system), a card, a web page,
    Croissant, STAC and DataCite metadata, and CHECKSUMS for `sha256sum -c`. Keys and tokens come from the environment
    or a file. An interrupted upload is continued by the same call (docs/publishing.md).

    Args:
        dataset: Path of a local dataset.
        output: The new folder. When it exists and `to` is given, it is uploaded as it is, if it was prepared from the
            same files and has its checksums.
        platform: "huggingface", "zenodo" (prepared, not uploaded) or "source-cooperative".
        to: URL to upload to: hf://datasets/OWNER/NAME or s3://BUCKET/PREFIX; by default nothing is uploaded.
        base_url: URL of the folder on the platform, for links; by default that of the upload.
        published: Date of publication, YYYY or YYYY-MM-DD; by default what COLLECTION.json says.
        token_file: File with the token of the Hugging Face Hub; by default HF_TOKEN.
        create: Make the repository of the Hub when it does not exist.
        discard_unfinished: End unfinished uploads of S3, instead of continuing them.
        dry_run: Check all, list what would be uploaded, and leave nothing behind.
        overwrite: Replace existing output atomically. Only a folder that was prepared before is replaced.
        jobs: Number of threads; 0 means one for each processor.
        progress: As for :func:`export`.

    Raises:
        TacoValidationError: The dataset breaks rules, or lacks what the platform requires: all faults, before anything
            is written; or the folder exists.
        TacoQueryError: The platform is unknown.
        TacoIOError: A file cannot be read or written, or changes meanwhile; the store refuses it; or `progress`
            returned False.

    Example:
        >>> done = tacore.publish("chips.tacozip", "site", "zenodo", published="2026-11-25")
        >>> [file.name for file in done.files]
        >>> tacore.publish("chips.tacozip", "site", "huggingface", to="hf://datasets/lab/chips")
    """
    options = {
        "to": to or "",
        "base_url": base_url or "",
        "published": published or "",
        "token_file": "" if token_file is None else os.fsdecode(token_file),
        "create": create,
        "discard_unfinished": discard_unfinished,
        "dry_run": dry_run,
        "overwrite": overwrite,
        "jobs": jobs,
    }
    files, num_bytes = _core.publish(dataset, local_path(output), platform, options, callback("Publishing", progress))
    return Published([PublishedFile(*file) for file in files], num_bytes)


@dataclass(frozen=True)
class SyncResult:
    """Result of :func:`sync`.

    Attributes:
        num_chunks_moved: Number of chunks that were copied.
        num_bytes_moved: Bytes of these chunks.
        num_chunks_reused: Number of chunks that the store had already, or that occur several times.
        num_bytes_reused: Bytes of these chunks.
        replaced: Name of the dataset in the store that was replaced by this version; "" if none.
    """

    num_chunks_moved: int
    num_bytes_moved: int
    num_chunks_reused: int
    num_bytes_reused: int
    replaced: str = ""


@renamed(quiet="'progress'", workers="'jobs'")
def sync(
    source: PathLike,
    target: PathLike,
    *,
    overwrite: bool = False,
    jobs: int = 0,
    progress: bool | Progress = True,
) -> SyncResult:
    """Backs up a dataset to a deduplicating chunk store, or restores it from one. A store keeps each chunk of its
    datasets once.

    Args:
        source: Path of a ZIP or FOLDER, to back it up; or STORE or STORE/NAME, to restore the dataset NAME of a store.
        target: Path of the store, which is created if it does not exist, or STORE/NAME to store the dataset under
            another name; or path of the restored dataset, which gets the same bytes. Each chunk is verified against its
            SHA-256.
        overwrite: Replace existing output atomically. In a store, an older version, which has the same id and a sample
            in common, is always replaced; another dataset of the same name only if this is True.
        jobs: Number of threads; 0 means one for each processor.
        progress: As for :func:`export`.

    Raises:
        TacoValidationError: Source or target are not allowed, or the store has another dataset of the same name;
            nothing was written.
        TacoFormatError: The store is damaged, or of another version.
        TacoIOError: Reading or writing failed, or `progress` returned False.

    Example:
        >>> transform.sync("chips.tacozip", "store")  # back up
        >>> transform.sync("store/chips", "restored.tacozip")  # restore
    """
    run = _core.sync_from_store if _core.is_store(source) else _core.sync_to_store
    return SyncResult(*run(source, target, {"overwrite": overwrite, "jobs": jobs}, callback("Syncing", progress)))


def to_taco(dataset: TacoDataset | TacoDataFrame | PathLike, strict: bool = False) -> Taco:
    """Makes a Taco of the samples that a dataset selects, to change it and write it by :func:`tacore.create`.

    The samples are those that :func:`export` writes. Their bytes stay in the container until they are written.

    Args:
        dataset: Dataset, frame, or path of a dataset.
        strict: As for :func:`export`.

    Raises:
        TacoError: As for :func:`export`.
        TacoValidationError: The collection breaks rules for new datasets.

    Example:
        >>> taco = transform.to_taco("chips.tacozip")
        >>> taco.title = "Chips"
        >>> tacore.create(taco, "new.tacozip")
    """
    from .datamodel import Taco
    from .datamodel._tortilla import _wrapped

    core = core_dataset(dataset)
    tortilla, extent, document = _core.to_taco(core, strict)
    model = core.model()
    about = {name: model[name] for name in _ABOUT if name in model}
    more = {name: value for name, value in json.loads(document).items() if name not in (*_ABOUT, *_MADE)}
    return Taco(_wrapped(tortilla), extent=extent or None, **about, **more)


#: Members of COLLECTION.json that are attributes of a Taco, and those that are computed when it is written.
_ABOUT = (
    "id", "dataset_version", "description", "licenses", "providers", "tasks", "title", "curators", "keywords"
)  # fmt: skip
_MADE = ("taco_version", "extent", "taco:pit_schema", "taco:field_schema", "taco:sources", "_tacocat", "data_curator")


def core_dataset(dataset: TacoDataset | TacoDataFrame | PathLike) -> _core.Dataset:
    """The C++ dataset of a dataset, a path, or the rows of a frame. Raises TacoQueryError if a frame has columns that
    were set in Python."""
    from ._dataframe import TacoDataFrame
    from ._dataset import TacoDataset, load

    if isinstance(dataset, TacoDataFrame):
        if dataset._changed:
            raise TacoQueryError("the frame has columns that were set in Python; set columns to write by with_column()")
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
    """Writes tables that are not files to temporary files, which are removed afterwards."""
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
    if isinstance(table, TacoDataFrame):  # which has read-only columns, too
        rows = rows.select([name for name in rows.column_names if name == "id" or not is_protected(name)])
    pyarrow.parquet.write_table(rows, path)
    return path


def _changes(found: Sequence[Any]) -> list[ValueChange]:
    return [ValueChange(*change) for change in found]


def _cut(change: object) -> str:
    line = str(change)
    return line if len(line) <= 110 else line[:107] + "..."
