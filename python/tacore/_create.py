"""Datasets are written, and indexed (specification, 7.1.3)."""

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
    """It could not be written: something could not be read or written."""


class _ConsolidationIOError(TacoConsolidationError, TacoIOError):
    """The index could not be written: something could not be read or written."""


class _ConsolidationFormatError(TacoConsolidationError, TacoFormatError):
    """The index could not be written: an input is no dataset."""


class _GroupError(TacoCreationError, TacoSchemaError):
    """There is no such column to group by."""


class Validation(NamedTuple):
    """What stands in the way of :func:`create`, and what it would write.

    Attributes:
        issues: A sentence each; none: `create` has nothing against it.
        num_samples: Of all levels, padding included.
        num_bytes: Of all FILEs.
        parts: The containers, in order.
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
    overwrite: bool = False,
    jobs: int = 0,
    max_concurrent_requests: int = 100,
    progress: bool | _progress.Progress = True,
    **parquet: Any,
) -> list[Path]:
    """Writes a dataset (specification, 7.1.3). All of it appears whole, or nothing does.

    The same samples give the same bytes, whatever `jobs` is. The folder of `output` is made when it is missing.

    Args:
        taco: What is written; it stays usable.
        output: A name that ends in ``.zip`` or ``.tacozip``, in any case, gives ZIPs, another a FOLDER.
        output_format: "auto"; "zip", which refuses another name; "folder" takes the ending of a ZIP away.
        split_size: Bytes of samples in each file, such as 4GB; none writes one file of any size. Only create splits
            by default: at 4GB, .taco and .tortilla at 20GB. Units are powers of 1024; a larger dataset becomes
            ``x_part0001.tacozip``, ... A FOLDER is never divided.
        group_by: Columns of level 0: one ZIP for each combination of their values. Each may be divided further.
        consolidate: Write the index .tacocat when there are several ZIPs.
        temp_dir: Folder in which the output is made, on the same file system; by default its own folder.
        overwrite: Replace existing output atomically. A folder is replaced only if it is empty or a dataset.
        jobs: Number of threads; 0 means one for each processor.
        max_concurrent_requests: Maximal number of HTTP requests in flight.
        progress: True shows a bar, False nothing. A callable is called periodically with (bytes done, bytes in all);
            the work is cancelled when it returns False or raises.
        **parquet: As for :func:`export`.

    Returns:
        The containers, in order; the index is not among them.

    Raises:
        TacoValidationError: Before anything is written: the output exists, a name or option that cannot be, the
            collection breaks rules (all are told).
        TacoSchemaError: The tree of the samples breaks one.
        TacoCreationError: No column to group by; it could not be read or written (also a TacoIOError and OSError).
        TypeError: Another keyword.
    """
    target, options = plan(
        output,
        output_format,
        split_size,
        group_by,
        consolidate,
        temp_dir=temp_dir,
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
    """:func:`create` by what :func:`plan` gave, in a folder that is there."""
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
    **parquet: Any,
) -> Validation:
    """Checks what :func:`create` checks, and tells all of it. Writes nothing. Arguments are those of `create`."""
    target, options = plan(
        output,
        output_format,
        split_size,
        group_by,
        consolidate,
        temp_dir=temp_dir,
        overwrite=overwrite,
        parquet=parquet,
    )
    found = _core.validate_taco(_taco_core(taco), str(target), options)
    parts = [Path(path) for path in found["parts"]]
    return Validation(found["issues"], found["num_samples"], found["num_bytes"], parts)


def make_compliant(taco: Taco) -> tuple[Taco, list[str]]:
    """A copy whose samples :func:`create` takes, and what was changed, a sentence each.

    Children stand in code-point order where FOLDERs have them in different orders, and padding stands for those that
    are missing.

    Raises:
        TacoSchemaError: What no padding mends.
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
    jobs: int = 0,
    progress: bool | _progress.Progress = True,
    **parquet: Any,
) -> None:
    """Writes an index over TACO ZIPs (specification, 6.5 and 7.1.3), the folder ``.tacocat``. Samples stay where they
    are; rows name their ZIP in `internal:source_file`.

    Args:
        inputs: The ZIPs (also as `tacozips`).
        output: Folder of the index; by default the folder of the inputs. Also as `output_dir`, `output_path`.
        parquet_kwargs: As `parquet`.
        validate_schema: Require the same columns in all inputs. Otherwise the index has those of all.
        overwrite: Replace existing output atomically.
        single_file: Write the single file __TACOCAT__, which only tacore opens, not .tacocat/.
        jobs: Number of threads; 0 means one for each processor.
        progress: As for :func:`create`.
        **parquet: As of :func:`create`.

    Raises:
        TacoConsolidationError: An index is there, `output` is a file, inputs that cannot be indexed together or read.
        TacoFileNotFoundError: An input is not there.
        TacoSchemaError: Columns or trees that differ; with file, level and types.
        TacoValidationError: No inputs, or inputs in several folders and no `output`.
    """
    names = _inputs(inputs)
    folder = "" if output is None else os.fspath(local_path(output))
    _check_output(names, folder, overwrite)
    options = {
        "output": folder,
        "validate_schema": validate_schema,
        "single_file": single_file,
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
    overwrite: bool = False,
    jobs: int = 0,
    progress: bool | _progress.Progress = True,
) -> None:
    """Writes ``TACOLLECTION.json`` (specification, 6.6 and 7.1.3): the collections of ZIPs and FOLDERs merged.

    Args:
        inputs: Their paths (also as `tacozips`).
        output: Folder of the index; by default the folder of the inputs. Or the document in it. Also as `output_dir`,
            `output_path`.
        validate_schema: Require the same columns in all inputs. Otherwise the field schema is that of all.
        overwrite: Replace existing output atomically.
        jobs: Number of threads; 0 means one for each processor.
        progress: As for :func:`create`.

    Raises:
        As :func:`create_tacocat`.
    """
    names = _inputs(inputs)
    folder = "" if output is None else os.fspath(local_path(output))
    if folder.endswith(".json"):
        folder, name = os.path.split(folder)
        if name != _TACOLLECTION:
            raise TacoValidationError(f"{output}: the document is always called {_TACOLLECTION}; a folder is expected")
        folder = folder or "."
    options = {"output": folder, "validate_schema": validate_schema, "overwrite": overwrite, "jobs": jobs}
    with _as_consolidation_error():
        if folder:
            os.makedirs(folder, exist_ok=True)
        _core.create_tacollection(names, options, _progress.callback("Merging", progress))


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
        raise TacoValidationError(f"{target}: a FOLDER is not grouped; the name of a ZIP expected with group_by")
    return target, others


def _inputs(given: Sequence[PathLike]) -> list[str]:
    if isinstance(given, (str, os.PathLike)):
        raise TypeError("inputs: a list of paths is expected")
    if not given:
        raise TacoValidationError("No input files provided")
    return [os.fspath(name) for name in given]


def _check_output(names: Sequence[str], folder: str, overwrite: bool) -> None:
    """What the published writers call errors of consolidation."""
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
    """With the place of the error it stands for."""
    for name in ("message", "path", "offset", "level"):
        setattr(raised, name, getattr(error, name))
    if isinstance(raised, OSError):
        raised.errno = error.errno
    return raised
