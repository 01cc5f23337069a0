"""Places where many machines put the partitions of a dataset: a folder that all can access, or an object store.

Beside the partitions there is the folder `.parts`. It has the plan, and for each finished partition a record with its
size and SHA-256, which is written last: a partition without one is unfinished.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import tempfile
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from . import _core, _dataset
from ._errors import TacoIOError, TacoValidationError
from ._output import PathLike, local_path

WORK = ".parts"
_ENDING = ".tacozip"
_INDEX = ".tacocat"
_COLLECTION = "COLLECTION.json"  # of an index, which it makes visible
_CATALOGUE = "TACOLLECTION.json"
_WHOLE = 2**62
_CONCURRENT_REQUESTS = 16


class Bytes(NamedTuple):
    """The size and the SHA-256 of a file."""

    size: int
    sha256: str


class Index(NamedTuple):
    """What makes many partitions one dataset: the rows of all in `.tacocat`, bounds of each in TACOLLECTION.json, or
    both."""

    kind: str  # "tacocat", "tacollection" or "both"
    validate_schema: bool
    parquet: dict[str, Any]

    @property
    def has_rows(self) -> bool:
        return self.kind != "tacollection"

    @property
    def has_bounds(self) -> bool:
        return self.kind != "tacocat"

    def write_rows(self, paths: Sequence[str | Path], folder: str | Path) -> None:
        options = {"validate_schema": self.validate_schema, "parquet": self.parquet}
        _core.create_tacocat(paths, {**options, "output": folder, "overwrite": True}, None)

    def write_bounds(self, paths: Sequence[str | Path], folder: str | Path, only_checks: bool = False) -> None:
        """Bounds are stated where all partitions have the same columns; not if this `only_checks` the partitions."""
        options = {"validate_schema": self.validate_schema, "bounds": self.validate_schema and not only_checks}
        _core.create_tacollection(paths, {**options, "output": folder, "overwrite": True}, None)


class Destination(ABC):
    """What both kinds of places can do. Names are those of partitions, without ending. Objects are sent to workers."""

    #: The path that the caller gave.
    shown: str
    #: A name for the plan, of the folder in `.parts` that has what belongs to this plan alone.
    plan: str

    @abstractmethod
    def check(self, overwrite: bool) -> None:
        """Raises TacoError for a place that cannot be used. Changes nothing."""

    @abstractmethod
    def open(self) -> None:
        """Called by the driver before all that writes."""

    @abstractmethod
    def existing(self, names: Sequence[str], is_new: bool) -> str | None:
        """The path of something that is not of the plan: partitions of these names, which have no record, and, where
        the plan `is_new`, an index. None if there is nothing."""

    @abstractmethod
    def clear(self) -> None:
        """Removes what killed workers left unfinished. For the driver, before or after all tasks."""

    @abstractmethod
    def read(self, file: str, offset: int = 0, size: int = _WHOLE) -> bytes | None:
        """Bytes of a file in `.parts`; None if it does not exist."""

    @abstractmethod
    def write(self, file: str, data: bytes) -> None:
        """Writes a file in `.parts` in one step."""

    @abstractmethod
    def remove(self, file: str) -> None:
        """Removes a file in `.parts`, if it is there."""

    @abstractmethod
    def unfinished(self, name: str) -> AbstractContextManager[Path]:
        """A new path on this machine for a ZIP that is being made. What is there at the end is removed."""

    @abstractmethod
    def store(self, made: Path, name: str) -> Bytes:
        """Puts a complete ZIP in its place, in one step. Several workers may do it at the same time."""

    @abstractmethod
    def has(self, name: str, stored: Bytes) -> bool:
        """Whether the partition is there, with these bytes."""

    @abstractmethod
    def path(self, name: str) -> str:
        """Where the partition can be read now."""

    @abstractmethod
    def publish(self, names: Sequence[str], index: Index) -> PathLike:
        """Makes the index, and all visible. Returns the path of the index."""


class Folder(Destination):
    """A folder. Finished partitions wait in a folder of the plan in `.parts`, until all are there."""

    def __init__(self, root: Path, plan: str) -> None:
        self.shown = str(root)
        self._root = root.absolute()
        self._work = self._root / WORK
        self.plan = plan[:16]
        self._waiting = self._work / self.plan

    def check(self, overwrite: bool) -> None:
        if self._root.exists() and not self._root.is_dir():
            raise TacoValidationError(f"{self.shown}: is a file; a folder is expected")

    def open(self) -> None:
        with _as_io_error(self._waiting):
            self._waiting.mkdir(parents=True, exist_ok=True)

    def existing(self, names: Sequence[str], is_new: bool) -> str | None:
        paths = [*(f"{name}{_ENDING}" for name in names), *([_INDEX, _CATALOGUE] if is_new else [])]
        return next(
            (path for path in (os.path.join(self.shown, path) for path in paths) if os.path.lexists(path)), None
        )

    def clear(self) -> None:
        for path in self._work.iterdir():
            if path.suffix not in (".json", ".ids") and path != self._waiting:
                _remove(path)

    def read(self, file: str, offset: int = 0, size: int = _WHOLE) -> bytes | None:
        try:
            with open(self._work / file, "rb") as stream:
                stream.seek(offset)
                return stream.read(min(size, os.fstat(stream.fileno()).st_size))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write(self, file: str, data: bytes) -> None:
        with _as_io_error(self._work / file), _unfinished(self._work, os.path.basename(file)) as path:
            with open(path, "xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(path, self._work / file)

    def remove(self, file: str) -> None:
        _remove(self._work / file)

    def unfinished(self, name: str) -> AbstractContextManager[Path]:
        return _unfinished(self._work, f"{name}{_ENDING}")

    def store(self, made: Path, name: str) -> Bytes:
        waiting = self._waiting / f"{name}{_ENDING}"
        with _as_io_error(waiting):
            stored = _bytes_of(made)
            os.replace(made, waiting)
        return stored

    def has(self, name: str, stored: Bytes) -> bool:
        path = Path(self.path(name))
        try:
            return path.stat().st_size == stored.size and _bytes_of(path) == stored
        except FileNotFoundError:
            return False

    def path(self, name: str) -> str:
        waiting = self._waiting / f"{name}{_ENDING}"
        return str(waiting if waiting.exists() else self._root / waiting.name)

    def publish(self, names: Sequence[str], index: Index) -> PathLike:
        paths = [Path(self.path(name)) for name in names]
        all_wait = all(path.parent == self._waiting for path in paths)
        if all_wait:  # so that an error of the index leaves everything as it was
            if index.has_rows:
                index.write_rows(paths, self._waiting)
            else:
                index.write_bounds(paths, self._waiting, only_checks=True)
                (self._waiting / _CATALOGUE).unlink()
        for path in paths:
            path.replace(self._root / path.name)
        made = [self._root / path.name for path in paths]
        for name, file in ((_INDEX, f"{_INDEX}/{_COLLECTION}"), (_CATALOGUE, _CATALOGUE)):
            is_of_these = not all_wait and _sources(self._root / file) == [path.name for path in made]
            if (self._root / name).exists() and not is_of_these:  # of partitions that were replaced
                (self._root / name).replace(self._work / f"{uuid.uuid4().hex}.replaced")
        if index.has_rows and all_wait:
            (self._waiting / _INDEX).replace(self._root / _INDEX)
        elif index.has_rows:
            index.write_rows(made, self._root)
        if index.has_bounds:  # of the files in their places, for which they are proved then
            index.write_bounds(made, self._root)
        self.clear()
        return Path(self.shown, _INDEX if index.has_rows else _CATALOGUE)


class Store(Destination):
    """A place in an object store, `s3://BUCKET/PREFIX`. A finished partition is visible at once, but it belongs to a
    dataset only when the index is there."""

    def __init__(self, root: str, plan: str) -> None:
        self.shown = root
        self.plan = plan[:16]
        self._root = root.rstrip("/")

    def check(self, overwrite: bool) -> None:
        if overwrite:
            raise TacoValidationError(
                f"{self.shown}: an object store cannot replace a dataset in one step; another prefix is expected"
            )
        _core.has_stored_files(self._root, [])

    def open(self) -> None:
        pass

    def existing(self, names: Sequence[str], is_new: bool) -> str | None:
        if not is_new:  # a partition may be there, and its record not yet
            return None
        files = [*(f"{name}{_ENDING}" for name in names), f"{_INDEX}/{_COLLECTION}", _CATALOGUE]
        with ThreadPoolExecutor(_CONCURRENT_REQUESTS) as threads:
            found = threads.map(lambda file: _core.read_stored_file(self._root, file, 0, 1), files)
            there = [file for file, data in zip(files, found, strict=True) if data is not None]
        return f"{self._root}/{there[0]}" if there else None

    def clear(self) -> None:
        _core.discard_unfinished_uploads(self._root)

    def read(self, file: str, offset: int = 0, size: int = _WHOLE) -> bytes | None:
        return _core.read_stored_file(self._root, f"{WORK}/{file}", offset, size)

    def write(self, file: str, data: bytes) -> None:
        with _unfinished(None, os.path.basename(file)) as path:
            path.write_bytes(data)
            _core.store_file(self._root, f"{WORK}/{file}", path)

    def remove(self, file: str) -> None:
        _core.remove_stored_file(self._root, f"{WORK}/{file}")

    def unfinished(self, name: str) -> AbstractContextManager[Path]:
        return _unfinished(None, f"{name}{_ENDING}")

    def store(self, made: Path, name: str) -> Bytes:
        return Bytes(*_core.store_file(self._root, f"{name}{_ENDING}", made))

    def has(self, name: str, stored: Bytes) -> bool:
        return bool(_core.has_stored_files(self._root, [(f"{name}{_ENDING}", *stored)])[0])

    def path(self, name: str) -> str:
        return f"{self._root}/{name}{_ENDING}"

    def publish(self, names: Sequence[str], index: Index) -> PathLike:
        paths = [self.path(name) for name in names]
        files = []
        with tempfile.TemporaryDirectory(prefix="tacore-") as folder:
            with _without_messages_of(folder):  # that its partitions are elsewhere: it will be beside them
                if index.has_rows:
                    index.write_rows(paths, folder)
                    made = [f"{_INDEX}/{name}" for name in sorted(os.listdir(Path(folder, _INDEX)))]
                    files += sorted(made, key=lambda file: file.endswith(f"/{_COLLECTION}"))
                if index.has_bounds:
                    index.write_bounds(paths, folder)
                    files.append(_CATALOGUE)
            for file in files:
                _core.store_file(self._root, file, Path(folder, file))
        self.clear()
        return f"{self._root}/{_INDEX if index.has_rows else _CATALOGUE}"


def destination_of(output: PathLike, plan: str) -> Destination:
    """Raises TacoValidationError for a URL that is not one of S3."""
    text = os.fsdecode(output)
    return Store(text, plan) if text.startswith("s3://") else Folder(local_path(output), plan)


def use_storage(storage: dict[str, Any]) -> None:
    """Sets the options of the driver for remote paths in this process, which may be another one."""
    if storage and storage != _dataset._storage_options:
        _dataset.set_storage_options(**storage)


def parsed(data: bytes | None) -> dict[str, Any] | None:
    """The object of a JSON text; None for a damaged one."""
    try:
        out = None if data is None else json.loads(data)
    except ValueError:
        return None
    return out if isinstance(out, dict) else None


@contextmanager
def _as_io_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        out = TacoIOError(f"{path}: cannot write: {os.strerror(error.errno or 0)}")
        out.path, out.errno = str(path), error.errno
        raise out from error


@contextmanager
def _unfinished(folder: Path | None, name: str) -> Iterator[Path]:
    """A path of this name in a new folder, which is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="tacore-", dir=folder, ignore_cleanup_errors=True) as unfinished:
        yield Path(unfinished, name)


@contextmanager
def _without_messages_of(folder: str) -> Iterator[None]:
    def is_of_others(record: logging.LogRecord) -> bool:
        return not record.getMessage().startswith(folder)

    logger = logging.getLogger("tacore")
    logger.addFilter(is_of_others)
    try:
        yield
    finally:
        logger.removeFilter(is_of_others)


def _sources(collection: Path) -> list[str] | None:
    """The files that an index is of; None if there is none."""
    try:
        return list(json.loads(collection.read_bytes())["taco:sources"]["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _bytes_of(path: Path) -> Bytes:
    with open(path, "rb") as file:
        return Bytes(os.fstat(file.fileno()).st_size, hashlib.file_digest(file, "sha256").hexdigest())


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
