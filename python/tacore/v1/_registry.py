"""Registry of published data sets: names that `tacore.v1.load("tacofoundation:NAME")` opens."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import json
import logging
import os
import tempfile
import time
import urllib.request
from pathlib import Path

from .. import _core, _dataset
from .._errors import TacoFormatError, TacoIOError, TacoNavigationError

PREFIX = "tacofoundation:"
#: The file of the publishers: a JSON object {name: URL, or list of URLs of the parts}.
PUBLISHED = "https://huggingface.co/datasets/tacofoundation/main/raw/main/tacos.json"
_MAX_SIZE = 16 << 20
_TIMEOUT = 30.0
#: A copy on the disk is used for so long without asking the server.
_FRESH = 24 * 3600.0


def parts_of(name: str) -> list[str]:
    """The URLs or paths of the files of a named data set.

    The registry is the file at the URL or path in ``TACO_REGISTRY``, else that of the publishers. A copy is kept for a
    day in `cache_dir` of :func:`tacore.set_storage_options`, else in ``TACO_CACHE_DIR``, else in ``~/.cache/tacore``;
    without a connection an older copy is used, with a warning.

    Raises:
        TacoNavigationError: The registry has no such name.
        TacoIOError: The registry cannot be read, and there is no copy.
        TacoFormatError: The registry is not a JSON object of URLs.
    """
    where = os.environ.get("TACO_REGISTRY") or PUBLISHED
    sets = _parsed(_text(where), where)
    if name not in sets:
        near = difflib.get_close_matches(name, sets, 3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"its names are {', '.join(sorted(sets))}"
        raise TacoNavigationError(f"{_core.redact(where)} has no data set {name!r}; {hint}")
    return sets[name]


def _parsed(text: bytes, where: str) -> dict[str, list[str]]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise TacoFormatError(f"{_core.redact(where)}: not JSON: {error}") from error
    if not isinstance(found, dict):
        raise TacoFormatError(
            f"{_core.redact(where)}: a JSON object {{name: URLs}} expected, not {type(found).__name__}"
        )
    sets = {name: [urls] if isinstance(urls, str) else urls for name, urls in found.items()}
    for name, urls in sets.items():
        if not (isinstance(urls, list) and urls and all(isinstance(url, str) for url in urls)):
            raise TacoFormatError(f"{_core.redact(where)}: {name}: a URL or a list of URLs expected, not {urls!r}")
    return sets


def _text(where: str) -> bytes:
    if "://" not in where:
        try:
            return Path(where).read_bytes()
        except OSError as error:
            raise TacoIOError(f"{where}: the registry of data sets (TACO_REGISTRY) cannot be read: {error}") from error
    copy = _copy_of(where)
    with contextlib.suppress(OSError, TacoFormatError):  # a copy that was damaged is fetched again
        if 0 <= time.time() - copy.stat().st_mtime < _FRESH:
            kept = copy.read_bytes()
            _parsed(kept, where)
            return kept
    try:
        text = _download(where)
    except (OSError, ValueError) as error:
        with contextlib.suppress(OSError):
            old = copy.read_bytes()
            logging.getLogger("tacore").warning(
                "%s cannot be read (%s); the copy in %s is used", _core.redact(where), _core.redact(str(error)), copy
            )
            return old
        raise TacoIOError(
            f"{_core.redact(where)}: the registry of data sets cannot be read: {_core.redact(str(error))}. Without a connection, set"
            " TACO_REGISTRY to a copy of this file, or load the files of the data set by their paths"
        ) from error
    _parsed(text, where)  # a page of a proxy is not kept
    _keep(copy, text)
    return text


def _download(url: str) -> bytes:
    if not url.startswith(("http://", "https://")):
        raise ValueError("http:// or https:// expected")
    with urllib.request.urlopen(url, timeout=_TIMEOUT) as answer:
        text: bytes = answer.read(_MAX_SIZE + 1)
    if len(text) > _MAX_SIZE:
        raise ValueError(f"larger than {_MAX_SIZE} bytes")
    return text


def _copy_of(url: str) -> Path:
    folder = _dataset._storage_options.get("cache_dir") or os.environ.get("TACO_CACHE_DIR")
    if not folder:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tacore"
    return Path(folder) / f"registry-{hashlib.sha256(url.encode()).hexdigest()[:16]}.json"


def _keep(copy: Path, text: bytes) -> None:
    """Writes the copy, whole or not at all. A folder that cannot be written to only costs the next call a download."""
    with contextlib.suppress(OSError):
        copy.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=copy.parent, prefix=".registry-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text)
            os.replace(temporary, copy)
        except BaseException:
            os.unlink(temporary)
            raise
