"""Writer of Tortilla 0.5.0 with the names of pytortilla 0.5, for scripts that were written for it::

import tacore.v1.tortilla as pytortilla

samples = pytortilla.datamodel.Samples(samples=[
    pytortilla.datamodel.Sample(id="image", file_format="GTiff", path="image.tif", data_split="train")
])
pytortilla.create(samples, "images.tortilla")
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ... import _core
from ..._errors import TacoValidationError
from ..._output import local_path, parents
from ..._progress import callback
from ...datamodel import Tortilla
from . import datamodel
from .datamodel import Samples

__all__ = ["create", "datamodel"]

_UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15}
#: Of a sample, but not among the columns: the file, and what the writer computes.
_PLACES = ("internal:path", "tortilla:id", "tortilla:offset", "tortilla:length")


def create(
    samples: Samples,
    output: str | os.PathLike[str],
    nworkers: int = 4,
    chunk_size: str = "20GB",
    chunk_size_iter: str = "100MB",
    tortilla_message: Callable[[], str] | None = None,
    quiet: bool = False,
) -> Path | list[Path]:
    """Writes samples as Tortilla 0.5.0, atomically. Existing output is replaced, and missing folders are created.

    Args:
        samples: The samples.
        output: Path of the file, which ends in `.tortilla`.
        nworkers: Number of threads.
        chunk_size: Maximal size of the samples in each file, in KB, MB, GB, TB or PB of powers of 1000. A larger dataset
            becomes `x.0000.part.tortilla`, ...
        chunk_size_iter: Accepted as in the published package, without effect.
        tortilla_message: Function that returns the title of the progress bar.
        quiet: Show no progress bar.

    Returns:
        Path of the file; a list of paths if there are several.

    Raises:
        TacoValidationError: `output` has another ending, a sample of format TORTILLA is none, or `chunk_size` is no size.
        TacoSchemaError: There are no samples, an id is not allowed, or values of a column have different types.
        TacoIOError: A sample cannot be read, or the output cannot be written.
    """
    return write(
        samples, output, None, nworkers, chunk_size, tortilla_message() if tortilla_message else "Writing", quiet
    )


def write(
    samples: Samples,
    output: str | os.PathLike[str],
    collection: str | None,
    jobs: int,
    chunk_size: str,
    message: str,
    quiet: bool,
) -> Path | list[Path]:
    """Writes samples as a Tortilla, or with a collection (JSON text) as a TACO. Errors are those of :func:`create`."""
    if not isinstance(samples, Samples):
        raise TypeError(f"Samples are expected, not {type(samples).__name__}: make them by Samples(samples=[...])")
    options = {"overwrite": True, "split_size": _bytes(chunk_size), "stats": False, "jobs": jobs}
    core: Any = _tortilla(samples)._core
    write_core: Any = _core.v1_create
    path = local_path(output)
    arguments = (path.as_posix(),) if collection is None else (path.as_posix(), collection)
    with parents(path):
        written = [Path(each) for each in write_core(core, *arguments, options, callback(message, not quiet))]
    return written[0] if len(written) == 1 else written


def _tortilla(samples: Samples) -> Tortilla:
    rows = [sample.export_metadata() for sample in samples.samples]
    names = [name for name in dict.fromkeys(name for row in rows for name in row) if name not in _PLACES]
    columns = {_stored(name): [_value(row.get(name)) for row in rows] for name in names}
    ids, paths = [row["tortilla:id"] for row in rows], [row["internal:path"] for row in rows]
    return Tortilla.from_columns(ids, paths, columns)


def _stored(name: str) -> str:
    """The name under which the writer of 0.x gets a column: one that 2.0 forbids or gives a meaning is escaped, which the
    writer reverts, so that no rule or conversion of 2.0 applies to it (docs/format.md, "Columns")."""
    if re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) and name not in ("id", "type", "path", "split"):
        return name
    return "v1:" + re.sub(
        r"[\x00-\x7f]", lambda found: found[0] if found[0].isalnum() else f"_{ord(found[0]):02X}", name
    )


def _value(value: Any) -> Any:
    """The value of a cell: None where pandas sees none."""
    is_missing = (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in ("NaTType", "NAType")
    return None if is_missing else value


def _bytes(size: str) -> int:
    found = re.fullmatch(r"([0-9]+\.?[0-9]*) *([KMGTP]B)", str(size).strip().upper())
    if not found:
        raise TacoValidationError(f"chunk_size is {size!r}, a number of {', '.join(_UNITS)} expected")
    return int(float(found[1]) * _UNITS[found[2]])
