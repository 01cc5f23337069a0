"""Where a dataset is written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Union

from ._errors import TacoValidationError

PathLike = Union[str, "os.PathLike[str]"]
# One slash is left of a URL that was a Path. A letter alone before the colon is a drive.
_REMOTE = re.compile("[A-Za-z][A-Za-z0-9+.-]+:/|/vsi[a-z0-9]")
_ZIP_SUFFIXES = (".tacozip", ".zip")


def local_path(output: PathLike) -> Path:
    """A path of this machine, to be written.

    Raises:
        TacoValidationError: For a URL or a path of GDAL's: `Path` takes a slash of `s3://`, and a local folder `s3:`
            would be written.
    """
    text = os.fsdecode(output)
    if _REMOTE.match(text):
        raise TacoValidationError(f"{text}: cannot be written there; write to a local path, and upload that")
    return Path(text)


def container_path(output: PathLike, output_format: str) -> Path:
    """The name of a container of this format.

    Args:
        output: As the user gave it.
        output_format: "auto" keeps the name: a ZIP ends in `.tacozip` or `.zip`, anything else is a FOLDER. "folder"
            takes the ending of a ZIP away.

    Raises:
        TacoValidationError: For another format, for "zip" with another name, and for a URL.
    """
    path = local_path(output)
    is_zip = path.suffix.lower() in _ZIP_SUFFIXES
    if output_format == "zip" and not is_zip:
        raise TacoValidationError(f"{path}: the name of a ZIP ends in .tacozip or .zip")
    if output_format == "folder" and is_zip:
        return path.with_suffix("")
    if output_format not in ("auto", "zip", "folder"):
        raise TacoValidationError(f"Invalid format: {output_format!r}; 'auto', 'zip' or 'folder' is expected")
    return path


@contextmanager
def parents(path: Path) -> Iterator[None]:
    """Makes the folders around `path`; when the body fails, they go again."""
    made: list[Path] = []
    for folder in reversed(path.absolute().parents):
        try:
            folder.mkdir()
            made.append(folder)
        except OSError:  # there already; or it cannot be, which the writer says
            pass
    try:
        yield
    except BaseException:
        for folder in reversed(made):
            try:
                folder.rmdir()
            except OSError:  # someone else's files are in it
                break
        raise
