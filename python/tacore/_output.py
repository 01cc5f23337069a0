"""Paths of output."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Union

from ._errors import TacoValidationError

PathLike = Union[str, "os.PathLike[str]"]
# A URL that was a Path has only one slash left. A single letter before the colon is a drive.
_REMOTE = re.compile("[A-Za-z][A-Za-z0-9+.-]+:/|/vsi[a-z0-9]")
_ZIP_SUFFIXES = (".tacozip", ".zip")


def local_path(output: PathLike) -> Path:
    """A local path for output.

    Raises:
        TacoValidationError: The path is a URL or a path for GDAL. (`Path` removes a slash of `s3://`, so that otherwise
            a local folder `s3:` would be written.)
    """
    text = os.fsdecode(output)
    if _REMOTE.match(text):
        raise TacoValidationError(f"{text}: remote paths cannot be written; write to a local path, and upload that")
    return Path(text)


def container_path(output: PathLike, output_format: str) -> Path:
    """The path of a container in this format.

    Args:
        output: Path given by the user.
        output_format: "auto" keeps the name: a ZIP ends in `.tacozip` or `.zip`, any other name is a FOLDER. "folder"
            removes the ending of a ZIP.

    Raises:
        TacoValidationError: The format is unknown, "zip" has a name with another ending, or the path is a URL.
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
    """Creates missing parent folders of `path`; they are removed again if the body fails."""
    made: list[Path] = []
    for folder in reversed(path.absolute().parents):
        try:
            folder.mkdir()
            made.append(folder)
        except OSError:  # the folder exists; or it cannot be created, which the writer reports
            pass
    try:
        yield
    except BaseException:
        for folder in reversed(made):
            try:
                folder.rmdir()
            except OSError:  # the folder has other files
                break
        raise
