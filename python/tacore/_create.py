"""Creation of datasets and of indexes over them (specification, 7.1.3)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core, _progress, _verbose  # noqa: F401  (messages go to the logger from here on)
from ._aliases import aliases, renamed
from ._errors import (
    TacoConsolidationError,
    TacoCreationError,
    TacoFormatError,
    TacoIOError,
    TacoSchemaError,
    TacoValidationError,
)
from ._output import PathLike, container_path, local_path, parents

if TYPE_CHECKING:
    from .datamodel import Taco

_TACOLLECTION = "TACOLLECTION.json"


class _CreationIOError(TacoCreationError, TacoIOError):
    """The dataset could not be written: a file cannot be read or written."""


class _ConsolidationIOError(TacoConsolidationError, TacoIOError):
    """The index could not be written: a file cannot be read or written."""


class _NoInputError(TacoConsolidationError, TacoValidationError):
    """Both classes that the published writers raise for an empty list."""


class _ConsolidationFormatError(TacoConsolidationError, TacoFormatError):
    """The index could not be written: an input is not a dataset."""


class _GroupError(TacoCreationError, TacoSchemaError):
    """The column of `group_by` does not exist."""


class Validation(NamedTuple):
    """Result of :meth:`Taco.validate`: the reasons why :func:`create` would fail, and the dataset that it would write.

    Attributes:
        issues: Reasons, one sentence each; empty if `create` would succeed.
        num_samples: Number of samples of all levels, padding included.
        num_bytes: Bytes of all FILEs.
        parts: Paths of the containers, in order.
    """

    issues: list[str]
    num_samples: int
    num_bytes: int
    parts: list[Path]


@renamed(quiet="'progress'", limit="'max_concurrent_requests'", workers="'jobs'")
def create(
    taco: Taco,
    output: PathLike,
    output_format: str = "auto",
    split_size: str | int | None = "4GB",
    group_by: str | Sequence[str] | None = None,
    consolidate: bool = True,
    temp_dir: PathLike | None = None,
    *,
    order: str = "",
    overwrite: bool = False,
    jobs: int = 0,
    max_concurrent_requests: int = 100,
    progress: bool | _progress.Progress = True,
    **parquet: Any,
) -> list[Path]:
    """Writes a dataset atomically (specification, 7.1.3).

    The same samples give the same bytes, whatever `jobs` is. Missing parent folders of `output` are created.

    Args:
        taco: Dataset to write; it stays usable.
        output: Path of the dataset. A name that ends in ``.zip`` or ``.tacozip`` (also in capitals) gives ZIPs, any
            other name a FOLDER.
        output_format: "auto" decides by the name; "zip" requires such an ending; "folder" removes it.
        split_size: Maximal size of the samples in each file, such as 4GB; none writes one file of any size. Only
            create splits by default: at 4GB, .taco and .tortilla at 20GB. Units are powers of 1024; a larger dataset
            becomes ``x_part0001.tacozip``, ... A FOLDER is never divided.
        group_by: Columns of level 0: one ZIP for each combination of their values. Each may be divided further.
        consolidate: Write the index .tacocat when there are several ZIPs.
        temp_dir: Folder for the unfinished output, on the same file system; by default that of the output.
        order: Order of the samples: hilbert (neighbours on the globe together, with bounding boxes) or time; by default
            as given. Samples without a location or time are last.
        overwrite: Replace existing output atomically. A folder is replaced only if it is empty or a dataset.
        jobs: Number of threads; 0 means one for each processor.
        max_concurrent_requests: Maximal number of HTTP requests in flight.
        progress: True shows a bar, False nothing. A callable is called periodically with (bytes done, bytes in all);
            the work is cancelled when it returns False or raises.
        **parquet: As for :func:`export`.

    Returns:
        Paths of the containers, in order, without the index.

    Raises:
        TacoValidationError: Before anything is written: the output exists, an argument is not allowed, or the
            collection breaks rules (all are listed).
        TacoSchemaError: The tree of the samples breaks a rule.
        TacoCreationError: A column of `group_by` does not exist; or a file cannot be read or written (then also a
            TacoIOError and OSError).
        TypeError: A keyword is unknown.

    Example:
        >>> [path] = tacore.create(taco, "chips.tacozip")
    """
    target, options = plan(
        output,
        output_format,
        split_size,
        group_by,
        consolidate,
        temp_dir=temp_dir,
        order=order,
        overwrite=overwrite,
        jobs=jobs,
        max_concurrent_requests=max_concurrent_requests,
        parquet=parquet,
    )
    with parents(target):
        return write(taco, target, options, _progress.callback(f"Writing {target.name}", progress), group_by)


def write(
    taco: Taco,
    target: Path,
    options: dict[str, Any],
    progress: _progress.Progress | None = None,
    group_by: str | Sequence[str] | None = None,
) -> list[Path]:
    """:func:`create` with the path and options that :func:`plan` returned, in an existing folder."""
    with _as_creation_error(taco, group_by):
        return [Path(path) for path in _core.create(_taco_core(taco), str(target), options, progress)]


def validate(
    taco: Taco,
    output: PathLike,
    output_format: str = "auto",
    split_size: str | int | None = "4GB",
    group_by: str | Sequence[str] | None = None,
    consolidate: bool = True,
    temp_dir: PathLike | None = None,
    overwrite: bool = False,
    order: str = "",
    **parquet: Any,
) -> Validation:
    """Runs all checks of :func:`create` and lists all faults, without writing. Arguments are those of `create`."""
    target, options = plan(
        output,
        output_format,
        split_size,
        group_by,
        consolidate,
        temp_dir=temp_dir,
        overwrite=overwrite,
        order=order,
        parquet=parquet,
    )
    found = _core.validate_taco(_taco_core(taco), str(target), options)
    parts = [Path(path) for path in found["parts"]]
    return Validation(found["issues"], found["num_samples"], found["num_bytes"], parts)


def make_compliant(taco: Taco) -> tuple[Taco, list[str]]:
    """Returns a copy of a Taco whose samples :func:`create` accepts, and the changes, one sentence each.

    Children are sorted in code-point order if FOLDERs have them in different orders, and missing children are replaced
    by padding.

    Raises:
        TacoSchemaError: Padding cannot give all samples the same tree.
    """
    import copy

    from .datamodel._tortilla import _wrapped

    tortilla, changes = _core.make_compliant(_taco_core(taco))
    if not changes:
        return taco, []
    out = copy.copy(taco)
    out.tortilla = _wrapped(tortilla)
    return out, list(changes)


@renamed(quiet="'progress'")
@aliases(tacozips="inputs", output_dir="output", output_path="output")
def create_tacocat(
    inputs: Sequence[PathLike],
    output: PathLike | None = None,
    parquet_kwargs: Mapping[str, Any] | None = None,
    validate_schema: bool = True,
    *,
    overwrite: bool = False,
    single_file: bool = False,
    order: str = "",
    jobs: int = 0,
    progress: bool | _progress.Progress = True,
    **parquet: Any,
) -> None:
    """Writes an index (the folder ``.tacocat``) with which many ZIPs open as one dataset (specification, 6.5 and
    7.1.3).

    The samples stay in their ZIPs, which the column `internal:source_file` of the index names.

    Args:
        inputs: Paths of the ZIPs. Another name of this argument is `tacozips`.
        output: Folder of the index; by default the folder of the inputs. Other names of this argument are `output_dir`
            and `output_path`.
        parquet_kwargs: Options of the Parquet files as a dict, in addition to `parquet`.
        validate_schema: Require the same columns in all inputs. Otherwise the index has the columns of all inputs.
        overwrite: Replace existing output atomically.
        single_file: Write one file, __TACOCAT__, instead of the folder .tacocat/; only tacore opens it.
        order: Order of the samples: hilbert (neighbours on the globe together, with bounding boxes) or time; by default
            ZIP by ZIP. Row numbers are those of this order. The tables of deeper levels stay ZIP by ZIP.
        jobs: Number of threads; 0 means one for each processor.
        progress: As for :func:`create`.
        **parquet: As for :func:`create`.

    Raises:
        TacoConsolidationError: The index exists, `output` is a file, or an input cannot be read or indexed.
        TacoFileNotFoundError: An input does not exist.
        TacoSchemaError: Columns or trees of inputs differ; the message has file, level and types.
        TacoValidationError: There are no inputs, or inputs are in several folders and `output` is missing.

    Example:
        >>> tacore.create_tacocat(["europe.tacozip", "africa.tacozip"])
        >>> dataset = tacore.load(".tacocat")
    """
    names = _inputs(inputs)
    folder = "" if output is None else os.fspath(local_path(output))
    _check_output(names, folder, overwrite)
    options = {
        "output": folder,
        "validate_schema": validate_schema,
        "single_file": single_file,
        "order": order,
        "overwrite": overwrite,
        "jobs": jobs,
        "parquet": {**(parquet_kwargs or {}), **parquet},
    }
    with _as_consolidation_error():
        if folder:
            os.makedirs(folder, exist_ok=True)
        _core.create_tacocat(names, options, _progress.callback("Indexing", progress))


@renamed(quiet="'progress'")
@aliases(tacozips="inputs", output_dir="output", output_path="output")
def create_tacollection(
    inputs: Sequence[PathLike],
    output: PathLike | None = None,
    validate_schema: bool = True,
    *,
    bounds: bool = False,
    overwrite: bool = False,
    jobs: int = 0,
    progress: bool | _progress.Progress = True,
) -> None:
    """Writes the catalogue file ``TACOLLECTION.json`` of many ZIPs and FOLDERs (specification, 6.6 and 7.1.3): their
    merged collections, without their rows.

    Args:
        inputs: Paths of the ZIPs and FOLDERs. Another name of this argument is `tacozips`.
        output: Folder of TACOLLECTION.json; by default the folder of the inputs. Or that file. Other
            names of this argument are `output_dir` and `output_path`.
        validate_schema: Require the same columns in all inputs. Otherwise the field schema has the columns of all
            inputs.
        bounds: Also state the bounds of the rows of each input: filters then open only the inputs they need. Filters by
            place, time and id do, and the number of a row leads to one input, so a dataset of a thousand inputs opens
            as fast as one. All ids, geometries and times are read. That the bounds are right is remembered in the
            user's cache (``~/.cache/tacore``) for local inputs, until one changes; others prove it by
            :func:`validate`, or set `trust_bounds` of :func:`load`.
        overwrite: Replace existing output atomically.
        jobs: Number of threads; 0 means one for each processor.
        progress: As for :func:`create`.

    Raises:
        TacoError: As for :func:`create_tacocat`.
    """
    names = _inputs(inputs)
    folder = "" if output is None else os.fspath(local_path(output))
    if folder.endswith(".json"):
        folder, name = os.path.split(folder)
        if name != _TACOLLECTION:
            raise TacoValidationError(f"{output}: the file must be called {_TACOLLECTION}; a folder is expected")
        folder = folder or "."
    options = {
        "output": folder,
        "validate_schema": validate_schema,
        "bounds": bounds,
        "overwrite": overwrite,
        "jobs": jobs,
    }
    with _as_consolidation_error():
        if folder:
            os.makedirs(folder, exist_ok=True)
        _core.create_tacollection(names, options, _progress.callback("Merging", progress))


def create_sidecar(
    path: PathLike, *, beside: bool = False, jobs: int = 0, progress: bool | _progress.Progress = True
) -> list[str]:
    """Makes the side-cars of a dataset: copies of its tables in the order of places (a Hilbert curve), with bounding
    boxes and an id index.

    Filters by place and by id then read the few pages that have such rows, also of datasets that others wrote, without
    bounds and without order. The dataset, its row numbers and the order of its rows do not change. A side-car
    needs up to twice the disk space of its table.

    Args:
        path: Path of the dataset.
        beside: Write the side-cars beside the dataset, in the folder PATH.sidecar, for other users. By default they are
            in the user's cache (``~/.cache/tacore``), and used as long as the dataset is the same file.
        jobs: Number of threads; 0 means one for each processor.
        progress: As for :func:`create`.

    Returns:
        Paths of the side-cars: one for level 0, and one for each lower level with geometries.

    Raises:
        TacoValidationError: The dataset can have no side-car: an index of datasets, one before 2.0.
        TacoIOError: A side-car cannot be written, or the server of a remote dataset states no version of its files.
        TacoSchemaError: A geometry is not WKB.

    Example:
        >>> tacore.create_sidecar("chips.tacozip")
        >>> tacore.load("chips.tacozip").filter_bbox(5.8, 45.8, 10.5, 47.8)
    """
    options = {"beside": beside, "jobs": jobs}
    return _core.create_sidecar(os.fspath(path), options, _progress.callback("Sorting", progress))


def check_sidecar(path: PathLike, *, progress: bool | _progress.Progress = True) -> list[str]:
    """Proves the side-cars beside a dataset, which are its publisher's claim: compares each row, index and bound with
    the tables, and remembers for this user on this machine that they are right, until one of the files changes.

    Args:
        path: Path of the dataset.
        progress: As for :func:`create`.

    Returns:
        Paths of the side-cars, which filters use from now on.

    Raises:
        TacoValidationError: A side-car is wrong, or there is none beside the dataset.
        TacoIOError: A file cannot be read, or a server states no version of it.

    Example:
        >>> tacore.check_sidecar("https://example.org/chips.tacozip")
    """
    return _core.check_sidecar(os.fspath(path), _progress.callback("Comparing", progress))


class TacoCatWriter:
    """Collects ZIPs for an index: :func:`create_tacocat` in steps, as in the published writer.

    Args:
        output_path: Path of the index, which ends in ``.tacocat``.
        parquet_kwargs: As for :func:`create_tacocat`.

    Example:
        >>> writer = TacoCatWriter("chips/.tacocat")
        >>> writer.add_dataset("chips/europe.tacozip")
        >>> writer.write()
    """

    def __init__(self, output_path: PathLike, parquet_kwargs: Mapping[str, Any] | None = None) -> None:
        self.output_path = local_path(output_path)
        if self.output_path.name != ".tacocat":
            raise TacoValidationError(f"{self.output_path}: the folder of an index is called .tacocat")
        self.parquet_kwargs = parquet_kwargs
        self.datasets: list[Path] = []

    def add_dataset(self, tacozip_path: PathLike) -> None:
        """Adds a ZIP.

        Raises:
            TacoFileNotFoundError: It does not exist.
            TacoConsolidationError: It cannot be opened, or is not a ZIP.
        """
        path = local_path(tacozip_path)
        with _as_consolidation_error():
            found = _core.load(path).format
        if found != "zip":
            raise TacoConsolidationError(f"{path}: a ZIP is expected, not a {found}")
        self.datasets.append(path)

    def write(self, validate_schema: bool = True) -> None:
        """Writes the index of all added ZIPs, and replaces an older one. Raises as :func:`create_tacocat`."""
        if not self.datasets:
            raise TacoConsolidationError("No datasets added: use add_dataset() first")
        create_tacocat(self.datasets, self.output_path.parent, self.parquet_kwargs, validate_schema, overwrite=True)


def _taco_core(taco: Any) -> Any:
    from .datamodel import Taco

    if not isinstance(taco, Taco):
        raise TypeError(f"a Taco is expected, not {type(taco).__name__}")
    return taco._core


def plan(
    output: PathLike,
    output_format: str,
    split_size: str | int | None,
    group_by: str | Sequence[str] | None,
    consolidate: bool,
    **others: Any,
) -> tuple[Path, dict[str, Any]]:
    """The path of the output, and the options of the library."""
    target = container_path(output, output_format)
    if target.suffix.lower() in (".zip", ".tacozip"):
        return target, {
            "split_size": 0 if split_size is None else _core.parse_size(str(split_size)),
            "group_by": group_by,
            "consolidate": consolidate,
            **others,
        }
    if group_by is not None:
        raise TacoValidationError(f"{target}: group_by is given for a FOLDER; a name in .tacozip or .zip expected")
    return target, others


def _inputs(given: Sequence[PathLike]) -> list[str]:
    if isinstance(given, (str, os.PathLike)):
        raise TypeError("inputs: a list of paths is expected")
    if not given:
        raise _NoInputError("No datasets: No input files provided")
    return [os.fspath(name) for name in given]


def _check_output(names: Sequence[str], folder: str, overwrite: bool) -> None:
    """Raises the consolidation errors of the published writers."""
    where = Path(folder or Path(names[0]).parent)
    if folder and where.exists() and not where.is_dir():
        raise TacoConsolidationError(f"{where}: output must be a directory, not a file")
    if (where / ".tacocat").exists() and not overwrite:
        raise TacoConsolidationError(f".tacocat already exists in {where}")


@contextlib.contextmanager
def _as_creation_error(taco: Taco, group_by: str | Sequence[str] | None) -> Iterator[None]:
    try:
        yield
    except TacoSchemaError as error:
        names = [name for name, _, _ in taco.tortilla.fields()]
        wanted = [group_by] if isinstance(group_by, str) else list(group_by or ())
        missing = [name for name in wanted if name not in ("id", "type", *names)]
        if not missing:
            raise
        text = f"Failed to group samples: Group column {missing[0]!r} not found. Available columns: {names}"
        raise _alike(_GroupError(text), error) from error
    except TacoIOError as error:
        raise _alike(_CreationIOError(str(error)), error) from error


@contextlib.contextmanager
def _as_consolidation_error() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except TacoIOError as error:
        raise _alike(_ConsolidationIOError(str(error)), error) from error
    except TacoFormatError as error:
        raise _alike(_ConsolidationFormatError(str(error)), error) from error


def _alike(raised: Any, error: Any) -> Any:
    """Copies message, path, offset and level of `error` to the error that replaces it."""
    for name in ("message", "path", "offset", "level"):
        setattr(raised, name, getattr(error, name))
    if isinstance(raised, OSError):
        raised.errno = error.errno
    return raised
