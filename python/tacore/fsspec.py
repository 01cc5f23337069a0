"""A read-only file system of fsspec over a dataset: FOLDERs are directories, paths are ids joined by /.

Example:
    >>> files = tacore.fsspec.TacoFileSystem("chips.tacozip")  # or fsspec.filesystem("taco", fo="chips.tacozip")
    >>> files.glob("tile_*/optical")
    ['tile_1/optical', 'tile_2/optical']
    >>> with files.open("tile_1/optical") as file, rasterio.open(file) as raster:
    ...     pixels = raster.read()
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Mapping
from typing import Any, NoReturn

from . import _core
from ._backend import require
from ._dataset import Path, TacoDataset, load
from ._errors import TacoFileNotFoundError, TacoIOError, TacoNavigationError

require("fsspec", "tacore.fsspec")

from fsspec.spec import AbstractFileSystem

__all__ = ["TacoFileSystem"]


class TacoFileSystem(AbstractFileSystem):  # type: ignore[misc, unused-ignore]
    """The samples that the query of a dataset selects, as files that fsspec and libraries that use it read.

    A local file is read where it is asked for, also in the middle of a FILE; of a remote dataset a whole FILE is read
    when it is opened. Of several samples with the same id, the first is found. Everything that writes raises
    TacoIOError. A file system can be used from several threads.

    URLs are ``taco://tile_1/optical::chips.tacozip``.

    Args:
        fo: The dataset: an open one, with its filters, or its path or URL.
        target_protocol: Protocol of `fo`, if that has none: "s3", "https", ...; fsspec sets it for chained URLs.
        target_options: Options for remote paths, as `storage_options` of :func:`tacore.load`.

    Raises:
        TacoError: As for :func:`tacore.load`.
    """

    protocol = "taco"
    root_marker = ""
    cachable = False  # two queries of a dataset may look the same

    def __init__(
        self,
        fo: TacoDataset | Path,
        target_protocol: str | None = None,
        target_options: Mapping[str, Any] | None = None,
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        if isinstance(fo, str) and "://" not in fo and target_protocol not in (None, "file", "local"):
            fo = f"{target_protocol}://{fo}"
        self._dataset = fo if isinstance(fo, TacoDataset) else load(fo, storage_options=target_options or None)
        self._rows = self._dataset._core.data()

    def ls(self, path: str, detail: bool = True, **keywords: Any) -> list[Any]:
        """Lists a directory: the dicts of :meth:`info`, or the paths if not `detail`; of a file the file itself."""
        path = self._strip_protocol(path)
        found = self._find(path)
        if isinstance(found, _core.DataFrame):
            prefix = f"{path}/" if path else ""
            entries = [_entry(found, position, prefix) for position in range(len(found))]
        else:
            entries = [self.info(path)]
        return entries if detail else [entry["name"] for entry in entries]

    def info(self, path: str, **keywords: Any) -> dict[str, Any]:
        """Name, size in bytes and type ("file" or "directory") of a path; of a file also its path for GDAL (`vsi`).
        The size of a FILE of a remote FOLDER dataset is None: it is known when the FILE is read.

        Raises:
            FileNotFoundError: There is no such path; the error is also a TacoIOError.
        """
        path = self._strip_protocol(path)
        found = self._find(path)
        if isinstance(found, _core.DataFrame):
            return {"name": path, "size": 0, "type": "directory"}
        return _file(path, found)

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **keywords: Any) -> bytes:
        """Reads the bytes of a file from `start` to `end`, which count from the end if they are negative."""
        if start is None and end is None:
            return self._bytes(self._strip_protocol(path))
        with self._open(path) as file:
            size = file.seek(0, os.SEEK_END)
            first, last, _ = slice(start, end).indices(size)
            file.seek(first)
            return bytes(file.read(max(last - first, 0)))

    def _open(self, path: str, mode: str = "rb", *arguments: Any, **keywords: Any) -> Any:
        path = self._strip_protocol(path)
        if mode != "rb":
            self._refuse(path)
        found = self._find(path)
        if isinstance(found, _core.DataFrame):
            raise IsADirectoryError(errno.EISDIR, "a FOLDER is a directory, not a file", path)
        part = _local_part(found)
        return io.BytesIO(self._bytes(path)) if part is None else io.BufferedReader(_Part(*part))

    def _find(self, path: str) -> Any:
        """The frame of a directory; of a file its path for GDAL, or its bytes."""
        if not path:
            return self._rows
        try:
            return self._rows.read(path)
        except TacoNavigationError as missing:
            raise TacoFileNotFoundError(errno.ENOENT, f"there is no such sample: {missing}", path) from missing

    def _bytes(self, path: str) -> bytes:
        found = self._find(path)
        if isinstance(found, _core.DataFrame):
            raise IsADirectoryError(errno.EISDIR, "a FOLDER is a directory, not a file", path)
        return found if isinstance(found, bytes) else self._rows.read_bytes(path)

    def _refuse(self, *arguments: Any, **keywords: Any) -> NoReturn:
        raise TacoIOError(
            errno.EROFS, "a dataset is read-only; tacore.export writes selected samples, tacore.create a new dataset"
        )

    mkdir = makedirs = rmdir = rm = rm_file = _rm = mv = cp_file = put_file = pipe_file = touch = _refuse


class _Part(io.RawIOBase):
    """Bytes of a local file, from an offset on."""

    def __init__(self, path: str, offset: int, size: int) -> None:
        self._file = open(path, "rb", buffering=0)  # noqa: SIM115  (close() closes it)
        self._offset, self._size, self._at = offset, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = max(0, offset + (0, self._at, self._size)[whence])
        return self._at

    def readinto(self, buffer: Any) -> int:
        count = max(0, min(len(buffer), self._size - self._at))
        read = os.preadv(self._file.fileno(), [memoryview(buffer)[:count]], self._offset + self._at) if count else 0
        self._at += read
        return read

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def _local_part(found: Any) -> tuple[str, int, int] | None:
    """(path, offset, size) of a FILE in a local file, from its path for GDAL."""
    if not isinstance(found, str):
        return None
    offset, size, path = 0, -1, found
    if found.startswith("/vsisubfile/"):
        place, _, path = found.removeprefix("/vsisubfile/").partition(",")
        offset, size = (int(each) for each in place.split("_"))
    if path.startswith("/vsi"):
        return None
    return path, offset, os.stat(path).st_size if size < 0 else size


def _file(path: str, found: Any) -> dict[str, Any]:
    """The entry of a FILE. Only a remote file that is a FILE as a whole has no known size, for it is not asked for."""
    entry: dict[str, Any] = {"name": path, "size": None, "type": "file"}
    if not isinstance(found, str):
        return {**entry, "size": len(found)}
    part = _local_part(found)
    if part is not None:
        entry["size"] = part[2]
    elif found.startswith("/vsisubfile/"):
        entry["size"] = int(found.removeprefix("/vsisubfile/").partition(",")[0].partition("_")[2])
    return {**entry, "vsi": found}


def _entry(rows: _core.DataFrame, position: int, prefix: str) -> dict[str, Any]:
    path = f"{prefix}{rows.text(position, 'id')}"
    if rows.text(position, "type") == "FOLDER":
        return {"name": path, "size": 0, "type": "directory"}
    return _file(path, rows.read(position))
