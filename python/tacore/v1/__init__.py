"""Functions for the formats before TACO 2.0: Tortilla 0.5.0 (`.tortilla`) and TACO 0.2.0 (`.taco`).

Such files are opened by :func:`tacore.load`, as any dataset. A chunk of a raster is read by ``frame.read("lrf::2")``,
or by :func:`read_chunk`. Scripts for the published packages of 0.x run with other imports: ``tacore.v1 as tacoreader``,
``tacore.v1 as tacotoolbox``, ``tacore.v1.tortilla as pytortilla``.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

from .. import _core
from .._aliases import aliases, former
from .._arrays import array
from .._core import BandHistogram
from .._dataframe import TacoDataFrame
from .._dataset import TacoDataset, rows_of
from .._dataset import load as _load
from .._errors import TacoFormatError
from .._output import local_path
from .._progress import Progress, callback
from ..transform import core_dataset
from . import datamodel, edit, specification, tortilla
from .datamodel import Collection, CollectionLike, json_of
from .tortilla.datamodel import Samples

if TYPE_CHECKING:
    from ..datamodel import Taco, Tortilla
    from ._table import TortillaDataFrame

__all__ = [
    "BadSample",
    "BandHistogram",
    "ComponentHistogram",
    "compile",
    "convert",
    "create",
    "datamodel",
    "edit",
    "histograms",
    "join",
    "load",
    "load_metadata",
    "profiles",
    "read_chunk",
    "sanity_check",
    "specification",
    "taco2tortilla",
    "tortilla",
    "tortilla2taco",
]
if find_spec("pandas"):
    __all__ += ["TortillaDataFrame"]

_missing = former(__name__, profiles_of="profiles")


def __getattr__(name: str) -> Any:
    if name in ("TortillaDataFrame", "TortillaDataSeries"):  # subclasses of pandas, which is loaded only for them
        from . import _table

        return getattr(_table, name)
    return _missing(name)


PathLike = str | os.PathLike[str]
Rows = TacoDataset | TacoDataFrame


class ComponentHistogram(NamedTuple):
    """Histogram of all rasters that have the same path below each sample."""

    component: str
    """Path of the rasters below each sample: "lrf", "a/x"; "." if the samples themselves are rasters."""
    bands: list[BandHistogram]
    """Histogram of each band."""
    num_samples: int
    """Number of samples that were counted."""
    is_relative: bool
    """Whether the file stores counts relative to the largest one: then samples have wrong weights in sums."""


class BadSample(NamedTuple):
    """A sample that :func:`sanity_check` cannot read."""

    path: str
    """Path of ids from the root down: "a/b"."""
    reason: str
    """Text of the error."""


def load(
    file: PathLike | Sequence[PathLike],
    *,
    collection: bool = False,
    **storage_options: Any,
) -> TortillaDataFrame | TacoDataFrame | tuple[TortillaDataFrame | TacoDataFrame, dict[str, Any]]:
    """Opens `.tortilla` and `.taco` files as a table, as the published readers of 0.x do.

    :func:`tacore.load` returns a lazy dataset instead, and opens all parts of one, whichever part is named; here a part
    is opened alone: in a loop over the parts each sample comes once.

    Args:
        file: Path or URL of a file; or a list of them, whose rows are joined and sorted by `tortilla:id`; or
            "tacofoundation:NAME", the files of a published data set. Their URLs are those of the publishers' registry,
            or of the file or URL in ``TACO_REGISTRY``; a copy of the registry is cached for a day.
        collection: Return ``(table, collection)``, as in the specification of 0.2.0.
        **storage_options: Options for URLs, those of :func:`tacore.set_storage_options`.

    Returns:
        A :class:`TortillaDataFrame`, a subclass of `pandas.DataFrame`; without pandas a
        :class:`~tacore.TacoDataFrame` of the backend. With `collection` a tuple of it and of the collection, a dict.

    Raises:
        ValueError: `file` is no path or list of paths, or the list is empty.
        TacoNavigationError: The registry has no data set of this name.
        TacoIOError: A file does not exist (also a FileNotFoundError), or cannot be read.
        TacoFormatError: A file is not of these formats, or is damaged. It is also a ValueError.

    Example:
        >>> table = tacore.v1.load("clouds.taco")
        >>> train = table[table["tortilla:data_split"] == "train"]
        >>> path = train.read(0)
    """
    file = _registered(file)
    dataset = _open(file, storage_options)
    table: Any = dataset.data
    if find_spec("pandas"):
        from ._table import to_table

        table = to_table(table)
        if isinstance(file, (list, tuple)):
            table = table.sort_values("tortilla:id", kind="stable")
    return (table, dataset.collection) if collection else table


def load_metadata(file: PathLike | Sequence[PathLike], **storage_options: Any) -> dict[str, Any]:
    """Reads the collection of a `.taco` as a dict: its JSON as it is stored. Of a list of files, that of the first.

    Arguments and errors are those of :func:`load`; TacoFormatError also if the file has no collection, as a `.tortilla`.

    Example:
        >>> tacore.v1.load_metadata("clouds.taco")["id"]
        'clouds'
    """
    file = _registered(file)
    first: Any = file[0] if isinstance(file, (list, tuple)) and file else file
    collection = _open(first, storage_options).collection
    if not collection:
        raise TacoFormatError(f"{os.fspath(first)}: the file has no collection; only a .taco has one")
    return collection


def _registered(file: Any) -> Any:
    """The files of a data set of the registry; anything else unchanged."""
    from ._registry import PREFIX, parts_of

    return parts_of(file.removeprefix(PREFIX)) if isinstance(file, str) and file.startswith(PREFIX) else file


def _open(file: Any, storage_options: dict[str, Any]) -> TacoDataset:
    """The files as one dataset: only these, without other parts of a set."""
    paths = list(file) if isinstance(file, (list, tuple)) else [file]
    if not paths or not all(isinstance(path, (str, os.PathLike)) for path in paths):
        raise ValueError(f"a path or a list of paths is expected, not {file!r}")
    dataset = _load(paths, allow_partial=True, storage_options=storage_options or None)
    if not dataset._core.is_v1:
        raise TacoFormatError(
            f"{os.fspath(paths[0])}: a dataset of TACO 2.0, which tacore.load opens; .tortilla or .taco expected"
        )
    return dataset


def _create_of_samples(
    collection: CollectionLike,
    samples: Samples,
    output: PathLike,
    nworkers: int = 4,
    chunk_size: str = "20GB",
    chunk_size_iter: str = "100MB",
    quiet: bool = False,
) -> Path | list[Path]:
    """`create` of tacotoolbox 0.5."""
    return tortilla.write(samples, output, json_of(collection), nworkers, chunk_size, "Writing", quiet)


_create_of_samples.__qualname__ = "create"  # in errors
_P = ParamSpec("_P")
_R = TypeVar("_R")


def _or_of_samples(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorates `create`: a Collection first, or Samples, are arguments of the published function."""

    @functools.wraps(function)
    def call(*arguments: _P.args, **keywords: _P.kwargs) -> _R:
        if any(isinstance(each, (Collection, Samples)) for each in (*arguments[:2], keywords.get("samples"))):
            written: Any = _create_of_samples(*arguments, **keywords)  # type: ignore[arg-type]
            return written  # type: ignore[no-any-return]
        return function(*arguments, **keywords)

    return call


@_or_of_samples
def create(
    samples: Taco | Tortilla,
    output: PathLike,
    collection: CollectionLike | None = None,
    *,
    overwrite: bool = False,
    split_size: int | str | None = "20GB",
    first_part: int = 0,
    stats: bool = True,
    streaming: bool = False,
    allow_non_tog: bool = False,
    histograms: bool = True,
    block_size: int = 0,
    zstd_level: int = 13,
    jobs: int = 0,
    temp_dir: PathLike | None = None,
    progress: bool | Progress = True,
    **parquet: Any,
) -> list[Path]:
    """Writes a Tortilla with a collection, or a Taco, as TACO 0.2.0; a Tortilla without a collection as Tortilla 0.5.0.

    A Taco must follow the rules of 2.0. A Tortilla and its `collection` are checked by the rules of 0.2.0 only: FOLDERs
    may have different children, the task may be ``general`` or none, and a contact may have several e-mails::

        tortilla = Tortilla([Sample("a", Tortilla([Sample("x", b"1")])), Sample("b", b"2")])
        collection = {
            "id": "chips", "dataset_version": "1.0.0", "description": "Chips", "licenses": ["MIT"],
            "providers": [{"name": "Lab", "emails": ["a@lab.org", "b@lab.org"]}], "task": "general",
            "extent": {"spatial": [-10, 35, 5, 45], "temporal": [1577836800000, 1609459200000]},
        }
        tacore.v1.create(tortilla, "chips.taco", collection)

    ``create(collection, samples, output, nworkers=4, chunk_size="20GB", chunk_size_iter="100MB", quiet=False)``, the form
    of tacotoolbox 0.5 with ``tortilla.datamodel.Samples``, writes these with a ``datamodel.Collection``, as
    :func:`tacore.v1.tortilla.create` does.

    FOLDERs become nested Tortillas; columns of places and times get the names and units of those versions. All files
    are written atomically; the same samples give the same bytes.

    Args:
        samples: The samples to write.
        output: Path of the file, which ends in `.taco` or `.tortilla`.
        collection: Collection of a Tortilla that is written as `.taco`: a dict of its members by their names in 0.2.0
            or 2.0, or JSON text. Members of the extent that it lacks are computed from the samples.
        overwrite: Replace existing output atomically.
        split_size: Maximal size of the samples in each file, such as 20GB; none writes one file of any size. Only
            create splits by default: at 20GB. A larger dataset becomes `x.0000.part.taco`, ...
        first_part: Number of the first of several files: 0, or 1 as Tortilla 0.5.0 says.
        stats: Store the statistics of the bands of GeoTIFFs: stats:mean, stats:min, stats:max, stats:std.
        streaming: Write a streaming file: its footer has all levels and the chunks of the GeoTIFFs, which become TOGs.
        allow_non_tog: With streaming: accept samples that are not GeoTIFFs; they get no chunks.
        histograms: Store the histograms of all rasters, with streaming.
        block_size: With streaming: side of the tiles in pixels; 0 takes that of the source, or 512 if it has none.
        zstd_level: With streaming: ZSTD level, 1 to 22.
        jobs: Number of threads; 0 means one for each processor.
        temp_dir: Folder for the unfinished output, on the same file system; by default that of the output.
        progress: True shows a bar, False nothing. A callable is called periodically with (bytes done, bytes in all);
            the work is cancelled when it returns False or raises.
        parquet: Options of the Parquet files, as for :func:`tacore.export`.

    Returns:
        Paths of the files: one, or several if the dataset is split.

    Raises:
        TacoValidationError: Before anything is written: `output` exists or has another ending, or a rule of 0.2.0 is
            broken.
        TacoFormatError: `collection` is not a JSON object, or a member has the wrong type.
        TacoSchemaError: A GeoTIFF cannot be decoded, or these versions do not support a column.
        TacoIOError: A sample cannot be read, or the output cannot be written.
    """
    options = {
        "overwrite": overwrite,
        "split_size": split_size or 0,
        "first_part": first_part,
        "stats": stats,
        "streaming": streaming,
        "allow_non_tog": allow_non_tog,
        "histograms": histograms,
        "block_size": block_size,
        "zstd_level": zstd_level,
        "jobs": jobs,
        "temp_dir": temp_dir,
        "parquet": parquet,
    }
    if not isinstance(getattr(samples, "_core", None), (_core.Tortilla, _core.Taco)):
        raise TypeError(f"a Tortilla or a Taco is expected, not {type(samples).__name__}")
    core: Any = samples._core
    to = os.fspath(local_path(output))
    if collection is None:
        return _paths(_core.v1_create(core, to, options, callback("Writing", progress)))
    if not isinstance(core, _core.Tortilla):
        raise TypeError("a Taco has its own collection; a Tortilla with a collection, or a Taco alone is expected")
    return _paths(_core.v1_create(core, to, json_of(collection), options, callback("Writing", progress)))


@aliases(dataframe="view", nworkers="jobs", quiet="progress")
def compile(
    view: Any,
    output: PathLike,
    chunk_size_iter: int | str | None = None,
    jobs: int = 0,
    overwrite: bool = False,
    *,
    split_size: int | str | None = None,
    first_part: int = 0,
    stats: bool = True,
    streaming: bool = False,
    allow_non_tog: bool = False,
    histograms: bool = True,
    block_size: int = 0,
    zstd_level: int = 13,
    temp_dir: PathLike | None = None,
    progress: bool | Progress = True,
    **parquet: Any,
) -> list[Path]:
    """Writes the rows of a dataset after its filters, of a frame, or of a table of :func:`load`, in their order, as one
    `.tortilla` or `.taco`. The collection is that of the dataset; statistics are not computed.

    Other arguments, result and errors are those of :func:`create`. `dataframe`, `nworkers` and `quiet` are accepted as
    in the published package, whose `chunk_size_iter` has no effect here.

    Raises:
        TacoQueryError: The columns of a table were changed in Python, or its rows come from several loads.

    Example:
        >>> tacore.v1.compile(dataset.sql("SELECT * FROM data WHERE split = 'test'"), "test.taco")
    """
    options = {
        "overwrite": overwrite,
        "split_size": split_size or 0,
        "first_part": first_part,
        "stats": stats,
        "streaming": streaming,
        "allow_non_tog": allow_non_tog,
        "histograms": histograms,
        "block_size": block_size,
        "zstd_level": zstd_level,
        "jobs": jobs,
        "temp_dir": temp_dir,
        "parquet": parquet,
    }
    return _paths(
        _core.v1_compile(
            core_dataset(_frame(view, is_written=True)),
            os.fspath(local_path(output)),
            options,
            callback("Writing", progress),
        )
    )


def convert(
    input: PathLike,
    output: PathLike,
    collection: CollectionLike = "",
    *,
    overwrite: bool = False,
    split_size: int | str | None = None,
    group_by: str | Sequence[str] = (),
    order: str = "",
    consolidate: bool = True,
    jobs: int = 0,
    temp_dir: PathLike | None = None,
    progress: bool | Progress = True,
    **parquet: Any,
) -> list[Path]:
    """Converts a dataset to another version or container, by the name of `output`: `.tortilla`, `.taco`, `.tacozip`,
    `.zip`, else a FOLDER.

    Bytes of samples and values of metadata do not change; columns get the names and types of the other version. Parts
    are joined. Required members of a collection of 2.0 that are missing get default values, with a warning.

    Args:
        input: Path of the dataset.
        output: Path of the new dataset.
        collection: Members that replace those of the collection of the input, of datasets before 2.0 or for `.taco`.
        overwrite: Replace existing output atomically.
        split_size: Maximal size of the samples in each file, such as 4GB; none writes one file of any size. Only
            create splits by default: at 4GB, .taco and .tortilla at 20GB.
        group_by: Columns of level 0: one ZIP for each combination of their values.
        order: Order of the samples: hilbert (neighbours on the globe together, with bounding boxes) or time; by default
            as given. For 2.0 only.
        consolidate: Write the index .tacocat when there are several ZIPs.
        jobs: Number of threads; 0 means one for each processor.
        temp_dir: Folder for the unfinished output, on the same file system; by default that of the output.
        progress: As for :func:`create`.
        parquet: Options of the Parquet files.

    Raises:
        TacoError: As for :func:`tacore.load` and :func:`create`; TacoSchemaError if padding cannot give all samples the
            same tree.

    Example:
        >>> tacore.v1.convert("chips.taco", "chips.tacozip")
    """
    options = {
        "overwrite": overwrite,
        "split_size": split_size or 0,
        "order": order,
        "consolidate": consolidate,
        "jobs": jobs,
        "temp_dir": temp_dir,
        "group_by": group_by,
        "parquet": parquet,
    }
    to = os.fspath(local_path(output))
    return _paths(
        _core.v1_convert(os.fspath(input), to, json_of(collection), options, callback("Converting", progress))
    )


@aliases(tortilla="input")
def tortilla2taco(
    input: PathLike,
    collection: CollectionLike,
    output: PathLike | None = None,
    *,
    overwrite: bool = False,
    temp_dir: PathLike | None = None,
    progress: bool | Progress = True,
) -> Path:
    """Converts a Tortilla 0.5.0 to a TACO 0.2.0 by a new header and a collection at its end.

    Samples are neither read nor changed.

    Args:
        input: Path of the Tortilla. If it is one of several parts, only this part is converted.
        collection: Collection of the TACO, as for :func:`create`, or a ``datamodel.Collection``.
        output: Path that ends in `.taco`; None: `input` itself is replaced atomically.
        overwrite: Replace existing output atomically.
        temp_dir: Folder for the unfinished output, on the same file system; by default that of the output.
        progress: As for :func:`create`.

    Raises:
        TacoValidationError: The input is a TACO already; the collection breaks a rule of 0.2.0; or `output` has another
            ending, or exists.
        TacoFormatError: The input is not a Tortilla.
        TacoIOError: The input cannot be read, or the output cannot be written.
    """
    to = os.fspath(input if output is None else local_path(output))
    options = {"overwrite": overwrite, "temp_dir": temp_dir}
    _core.v1_tortilla2taco(os.fspath(input), to, json_of(collection), options, callback("Converting", progress))
    return Path(to)


@aliases(taco="input")
def taco2tortilla(
    input: PathLike,
    output: PathLike | None = None,
    *,
    overwrite: bool = False,
    temp_dir: PathLike | None = None,
    progress: bool | Progress = True,
) -> Path:
    """Converts a TACO 0.2.0 to a Tortilla 0.5.0, which has no collection. Arguments and errors are those of
    :func:`tortilla2taco`."""
    to = os.fspath(input if output is None else local_path(output))
    options = {"overwrite": overwrite, "temp_dir": temp_dir}
    _core.v1_taco2tortilla(os.fspath(input), to, options, callback("Converting", progress))
    return Path(to)


def join(
    parts: Iterable[PathLike],
    output: PathLike,
    *,
    overwrite: bool = False,
    temp_dir: PathLike | None = None,
    progress: bool | Progress = True,
    **parquet: Any,
) -> Path:
    """Joins the parts of a dataset to one file, with the same bytes as :func:`create` writes without splitting.

    Args:
        parts: Paths of all parts, in their order.
        output: Path of the file, with the same ending as the parts.
        overwrite: Replace existing output atomically.
        temp_dir: Folder for the unfinished output, on the same file system; by default that of the output.
        progress: As for :func:`create`.
        parquet: Options of the Parquet files, of the footer.

    Raises:
        TacoValidationError: A part is missing, the parts belong to different datasets, or `output` has another ending
            or exists.
        TacoFormatError: A part is damaged.
        TacoIOError: A part cannot be read, or the output cannot be written.
    """
    to = os.fspath(local_path(output))
    options = {"overwrite": overwrite, "temp_dir": temp_dir, "parquet": parquet}
    _core.v1_join([os.fspath(part) for part in parts], to, options, callback("Joining", progress))
    return Path(to)


def read_chunk(rows: Rows, id: str, *, keep_padding: bool = False) -> Any:
    """Reads a chunk of a raster: the tiles of all its bands at one grid position, as an array (bands, height, width).

    In a streaming TACO one byte range is read; in other datasets also the directory of the TIFF.

    Args:
        rows: Dataset or frame of the samples.
        id: Id of the raster, or a path of ids, then `::` and the number of the tile, counted row by row from 0:
            "lrf::2".
        keep_padding: Return whole tiles at the edges of the image; pixels outside of the image are unspecified.

    Returns:
        A NumPy array if NumPy is installed, else a `raster.Tensor`. If the bands store several axes (time and bands,
        for example), the array has these axes instead of the first.

    Raises:
        TacoQueryError: `id` has another form, or the raster does not have this tile.
        TacoNavigationError: There is no such raster.
        TacoFormatError: The file is damaged.
        TacoIOError: The file cannot be read.
    """
    return array(_core.v1_read_chunk(rows_of(rows)._core, id, keep_padding))


def histograms(rows: Rows) -> list[ComponentHistogram]:
    """Sums the stored histograms of a streaming TACO over all samples of a dataset or frame. No pixels are read.

    Returns:
        A histogram for each component; an empty list if none are stored.

    Raises:
        TacoQueryError: The rows are not of level 0.
        TacoFormatError: A histogram is damaged, or datasets have histograms of different ranges.
    """
    return [ComponentHistogram(*each) for each in _core.v1_histograms(_core_of_rows(rows))]


def profiles(dataset: TacoDataset) -> list[str]:
    """Profiles of which a dataset has all columns: "stac-tortilla", "rai-tortilla", both or none; none for datasets of
    2.0."""
    if not isinstance(dataset, TacoDataset):
        raise TypeError(f"a dataset is expected, not {type(dataset).__name__}")
    return _core.v1_profiles(dataset._core)


@aliases(sample_metadata="rows", read_function="read", max_workers="jobs")
def sanity_check(
    rows: Any, read: Callable[[Any], object] | None = None, batch_size: int | None = None, jobs: int = 0
) -> list[BadSample]:
    """Reads all samples and their descendants, and lists those that cannot be read or whose container is damaged.

    Args:
        rows: Dataset or frame of the samples, or a table of :func:`load`.
        read: Function called with each FILE: its path for GDAL, or its bytes if its format is BYTES. An exception that
            it raises is reported as the reason. Several threads call it at once. None: all bytes are read.
        jobs: Number of threads; 0 means one for each processor.
        batch_size: Accepted as in the published package, without effect.

    `sample_metadata`, `read_function` and `max_workers` are the published names of the first three.
    """
    return [
        BadSample(*each) for each in _core.v1_sanity_check(rows_of(_frame(rows, is_written=False))._core, read, jobs)
    ]


def _core_of_rows(rows: Any) -> Any:
    if not isinstance(rows, (TacoDataset, TacoDataFrame)):
        raise TypeError(f"a dataset or a frame is expected, not {type(rows).__name__}")
    return rows._core


def _frame(rows: Any, is_written: bool) -> Any:
    """The frame of a table of :func:`load`; anything else unchanged."""
    made = sys.modules.get(f"{__name__}._table")  # without tables pandas is not loaded
    return made.to_rows(rows, is_written) if made and isinstance(rows, made.TortillaDataFrame) else rows


def _paths(all: Iterable[str]) -> list[Path]:
    return [Path(each) for each in all]
