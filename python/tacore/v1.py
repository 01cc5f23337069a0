"""What only Tortilla 0.5.0 (`.tortilla`) and TACO 0.2.0 (`.taco`) have. They are read as any dataset is: `tacore.load`.

A chunk of a raster is ``frame.read("lrf::2")``, or :func:`read_chunk`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._aliases import former
from ._arrays import array
from ._core import BandHistogram
from ._dataframe import TacoDataFrame
from ._dataset import TacoDataset, rows_of
from ._dataset import load as _load
from ._output import local_path
from ._progress import Progress, callback
from .transform import core_dataset

if TYPE_CHECKING:
    from .datamodel import Taco, Tortilla

__all__ = [
    "BadSample",
    "BandHistogram",
    "ComponentHistogram",
    "compile",
    "convert",
    "create",
    "histograms",
    "join",
    "load",
    "profiles",
    "read_chunk",
    "sanity_check",
    "taco2tortilla",
    "tortilla2taco",
]

__getattr__ = former(__name__, profiles_of="profiles")

PathLike = str | os.PathLike[str]
#: The members of a collection by their names in 0.2.0 or 2.0, or JSON text of it.
CollectionLike = Mapping[str, Any] | str
Rows = TacoDataset | TacoDataFrame


class ComponentHistogram(NamedTuple):
    """Of the rasters of one path below each sample."""

    component: str
    """"lrf", "a/x"; "." where the samples are rasters."""
    bands: list[BandHistogram]
    num_samples: int
    """That are in it."""
    is_relative: bool
    """The file has counts relative to the largest only: sums weigh samples wrongly."""


class BadSample(NamedTuple):
    """A sample that :func:`sanity_check` found wanting."""

    path: str
    """Ids from the root down: "a/b"."""
    reason: str


def load(path: PathLike, **options: Any) -> TacoDataset:
    """Opens one file, as the published readers of 0.x do: of a dataset in several parts the samples of this part alone.

    :func:`tacore.load` opens all parts of the dataset, whichever of them is named; a loop over the parts that loads
    each of them with it meets every sample once for each part.

    Args:
        path: A `.tortilla` or `.taco`, or any other dataset.
        options: As for :func:`tacore.load`.
    """
    return _load([path], allow_partial=True, **options)


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
    """Writes a Tortilla with a collection, or a Taco, as TACO 0.2.0; a Tortilla alone as Tortilla 0.5.0.

    A Taco keeps to the rules of 2.0. A Tortilla and its `collection` are checked by those of 0.2.0 alone: FOLDERs may have
    different children, the task may be ``general`` or none, and a contact may have several e-mails::

        tortilla = Tortilla([Sample("a", Tortilla([Sample("x", b"1")])), Sample("b", b"2")])
        collection = {
            "id": "chips", "dataset_version": "1.0.0", "description": "Chips", "licenses": ["MIT"],
            "providers": [{"name": "Lab", "emails": ["a@lab.org", "b@lab.org"]}], "task": "general",
            "extent": {"spatial": [-10, 35, 5, 45], "temporal": [1577836800000, 1609459200000]},
        }
        tacore.v1.create(tortilla, "chips.taco", collection)

    FOLDERs become nested Tortillas; places and times get the names and units of those versions. All files appear whole,
    or none does; the same samples give the same bytes.

    Args:
        samples: What is written.
        output: A name in `.taco` or `.tortilla`.
        collection: Of a Tortilla that becomes a `.taco`: its members by their names in 0.2.0 or 2.0, or JSON text. What it
            does not say of the extent comes from the samples.
        overwrite: Replace existing output atomically.
        split_size: Bytes of samples in each file, such as 20GB; none writes one file of any size. Only create splits
            by default: at 20GB. A larger dataset becomes `x.0000.part.taco`, ...
        first_part: Number of the first of several files: 0, or 1 as Tortilla 0.5.0 says.
        stats: Store the statistics of the bands of GeoTIFFs: stats:mean, stats:min, stats:max, stats:std.
        streaming: Store all levels and the chunks of the GeoTIFFs in the footer; they become TOGs.
        allow_non_tog: With streaming: keep samples that are no GeoTIFF, without chunks.
        histograms: With streaming: store the histograms of all rasters.
        block_size: With streaming: side of the tiles in pixels; 0 keeps that of the source, else 512.
        zstd_level: With streaming: ZSTD level, 1 to 22.
        jobs: Number of threads; 0 means one for each processor.
        temp_dir: Folder in which the output is made, on the same file system; by default its own folder.
        progress: True shows a bar, False nothing. A callable is called periodically with (bytes done, bytes in all);
            the work is cancelled when it returns False or raises.
        parquet: Options of the Parquet files, as for :func:`tacore.export`.

    Returns:
        The files, one unless they are split.

    Raises:
        TacoValidationError: Before anything is written: `output` is there, has another name, or a rule of 0.2.0 is
            broken.
        TacoFormatError: `collection` is no JSON object, or has members of other types.
        TacoSchemaError: A GeoTIFF that cannot be decoded, columns that those versions do not have.
        TacoIOError: Something cannot be read or written.
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
    core: Any = samples._core
    to = os.fspath(local_path(output))
    if collection is None:
        return _paths(_core.v1_create(core, to, options, callback("Writing", progress)))
    if not isinstance(core, _core.Tortilla):
        raise TypeError("a Taco has a collection of its own; a Tortilla and a collection are expected, or a Taco alone")
    return _paths(_core.v1_create(core, to, _json(collection), options, callback("Writing", progress)))


def compile(
    view: Rows,
    output: PathLike,
    *,
    overwrite: bool = False,
    split_size: int | str | None = None,
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
    """Writes what a dataset shows after its filters, or the samples of a frame, as one Tortilla or TACO, as the name of `output` says, its rows in
    the order of the view. The collection is that of the view; statistics are not computed.

    Arguments, result and errors are those of :func:`create`.
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
    return _paths(_core.v1_compile(core_dataset(view), os.fspath(local_path(output)), options, callback("Writing", progress)))


def convert(
    input: PathLike,
    output: PathLike,
    collection: CollectionLike = "",
    *,
    overwrite: bool = False,
    split_size: int | str | None = None,
    group_by: str | Sequence[str] = (),
    consolidate: bool = True,
    jobs: int = 0,
    temp_dir: PathLike | None = None,
    progress: bool | Progress = True,
    **parquet: Any,
) -> list[Path]:
    """Writes a dataset in another version or container, told by the name of `output`: `.tortilla`, `.taco`, `.tacozip`,
    `.zip`, else a FOLDER.

    No byte of a sample changes, and no value of its metadata, which gets names and types of the other version.
    Partitions are joined. What 2.0 requires and nothing states is filled in, with a warning.

    Args:
        input: The dataset.
        output: The other.
        collection: What is put over the collection of the input; of datasets before 2.0, or for `.taco`.
        overwrite: Replace existing output atomically.
        split_size: Bytes of samples in each file, such as 4GB; none writes one file of any size. Only create splits
            by default: at 4GB, .taco and .tortilla at 20GB.
        group_by: Columns of level 0: one ZIP for each combination of their values.
        consolidate: Write the index .tacocat when there are several ZIPs.
        jobs: Number of threads; 0 means one for each processor.
        temp_dir: Folder in which the output is made, on the same file system; by default its own folder.
        progress: As for :func:`create`.
        parquet: Options of the Parquet files.

    Raises:
        TacoError: What `load` and `create` raise; TacoSchemaError where no padding makes a tree regular.
    """
    options = {
        "overwrite": overwrite,
        "split_size": split_size or 0,
        "consolidate": consolidate,
        "jobs": jobs,
        "temp_dir": temp_dir,
        "group_by": group_by,
        "parquet": parquet,
    }
    to = os.fspath(local_path(output))
    return _paths(_core.v1_convert(os.fspath(input), to, _json(collection), options, callback("Converting", progress)))


def tortilla2taco(
    input: PathLike,
    collection: CollectionLike,
    output: PathLike | None = None,
    *,
    overwrite: bool = False,
    temp_dir: PathLike | None = None,
    progress: bool | Progress = True,
) -> Path:
    """Makes a TACO of a Tortilla: another header, and a collection behind the rest.

    Samples are neither read nor changed.

    Args:
        input: The Tortilla. A part of a set is converted alone.
        collection: Of the TACO.
        output: A name in `.taco`; None: `input` itself, which is replaced in one step.
        overwrite: Replace existing output atomically.
        temp_dir: Folder in which the output is made, on the same file system; by default its own folder.
        progress: As for :func:`create`.

    Raises:
        TacoValidationError: It is a TACO already; the collection breaks a rule of 0.2.0; `output` has another name or is
            there.
        TacoFormatError: It is no Tortilla.
        TacoIOError: Something cannot be read or written.
    """
    to = os.fspath(input if output is None else local_path(output))
    options = {"overwrite": overwrite, "temp_dir": temp_dir}
    _core.v1_tortilla2taco(os.fspath(input), to, _json(collection), options, callback("Converting", progress))
    return Path(to)


def taco2tortilla(
    input: PathLike,
    output: PathLike | None = None,
    *,
    overwrite: bool = False,
    temp_dir: PathLike | None = None,
    progress: bool | Progress = True,
) -> Path:
    """The reverse of :func:`tortilla2taco`, which drops the collection. Arguments and errors are the same."""
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
    """Makes one file of the parts of a set, in their order: the one that :func:`create` writes as one file.

    Args:
        parts: All of them.
        output: A name in `.taco` or `.tortilla`, as theirs.
        overwrite: Replace existing output atomically.
        temp_dir: Folder in which the output is made, on the same file system; by default its own folder.
        progress: As for :func:`create`.
        parquet: Options of the Parquet files, of the footer.

    Raises:
        TacoValidationError: Another number of parts than they say, parts of different sets, another name, or `output` is there.
        TacoFormatError: What cannot be read.
        TacoIOError: Something cannot be read or written.
    """
    to = os.fspath(local_path(output))
    options = {"overwrite": overwrite, "temp_dir": temp_dir, "parquet": parquet}
    _core.v1_join([os.fspath(part) for part in parts], to, options, callback("Joining", progress))
    return Path(to)


def read_chunk(rows: Rows, id: str, *, keep_padding: bool = False) -> Any:
    """A chunk of a raster: the tiles of all its bands at one place, shape (bands, height, width).

    In a streaming TACO one range is read, elsewhere the directory of the TIFF, too.

    Args:
        rows: A dataset, or a frame.
        id: That of the raster, or a path of ids, then `::` and the number of the place, counted row by row: "lrf::2".
        keep_padding: The whole tile where the image ends inside of it; what lies beyond is unspecified.

    Returns:
        An array of NumPy where that is installed, else a `raster.Tensor`. Bands that were folded from several axes have
        these instead.

    Raises:
        TacoQueryError: Text of another form, or a number that the raster does not have.
        TacoNavigationError: No such raster.
        TacoFormatError: The file lies.
        TacoIOError: It cannot be read.
    """
    return array(_core.v1_read_chunk(rows_of(rows)._core, id, keep_padding))


def histograms(rows: Rows) -> list[ComponentHistogram]:
    """The precomputed histograms of a streaming TACO, of all samples of a dataset or frame together.

    No pixels are read. Empty when there are none.

    Raises:
        TacoQueryError: Rows that are not at level 0.
        TacoFormatError: Histograms that lie, or of datasets whose ranges differ.
    """
    return [ComponentHistogram(*each) for each in _core.v1_histograms(rows._core)]


def profiles(dataset: TacoDataset) -> list[str]:
    """Of "stac-tortilla" and "rai-tortilla" those whose fields are all there; empty for datasets of 2.0."""
    return _core.v1_profiles(dataset._core)


def sanity_check(rows: Rows, read: Callable[[Any], object] | None = None, *, jobs: int = 0) -> list[BadSample]:
    """Reads all samples and all below them, and tells those that cannot be read, or where a container is damaged.

    Args:
        rows: A dataset, or a frame.
        read: Called with the data of each FILE, the path that GDAL opens, or the bytes of one of format BYTES. Whatever
            it raises is the reason. Threads call it side by side. None: all bytes are read.
        jobs: Number of threads; 0 means one for each processor.
    """
    return [BadSample(*each) for each in _core.v1_sanity_check(rows_of(rows)._core, read, jobs)]


def _json(collection: CollectionLike) -> str:
    return collection if isinstance(collection, str) else json.dumps(collection)


def _paths(all: Iterable[str]) -> list[Path]:
    return [Path(each) for each in all]
