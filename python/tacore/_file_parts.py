"""Partitions of a dataset from the files below a place, a folder or an object store."""

from __future__ import annotations

import fnmatch
import itertools
import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._errors import TacoIOError, TacoQueryError, TacoValidationError
from ._output import PathLike, local_path
from ._sample_parts import Failure, SamplePart, cuts, made_samples

if TYPE_CHECKING:
    from .datamodel import Sample, Taco

_BYTES_OF_PART = 1 << 30
#: Files of a store that are opened at the same time.
_CONCURRENT_READS = 16


class _File(NamedTuple):
    """A file, by its name below the place, with slashes. Its version is another one after it was changed."""

    name: str
    size: int
    version: str


def parts_of_files(
    place: PathLike,
    make: Callable[[str], Sample] | None = None,
    *,
    pattern: str = "*",
    num_partitions: int | None = None,
    prefix: str = "part",
    **about: Any,
) -> dict[str, Callable[[], Taco]]:
    """Makes the parts of :func:`create_partitions` from the files below a place, such as rasters: consecutive files in
    the code-point order of their names, in parts of about equal bytes.

    Only names and sizes are read here, those of a store 1,000 by request; files are opened where a partition is made.
    Another listing makes another plan.

    Args:
        place: Folder, which workers must find under the same path, or a place in an object store, s3://BUCKET/PREFIX,
            with the options of :func:`tacore.set_storage_options`; a public bucket needs no key.
        make: Function of the path of a file that returns its sample. For files of a store it is called by several
            threads at a time. By default the id is the name of the file below `place`, without its ending, and with _
            for /.
        pattern: Only files whose name below `place` matches are taken: * stands for any characters, also /, ? for one,
            [ab] for one of these. Capital letters are told from small ones.
        num_partitions: Number of parts, at most one for each file; None: one for each GB (2^30 bytes) that is begun.
        prefix: Prefix of the names of partitions: `{prefix}0001`, ...
        **about: Fields of the collection, as of :class:`tacore.datamodel.Taco`: id, dataset_version, ...

    Raises:
        TacoValidationError: `place` is another URL, or `num_partitions` is less than 1.
        TacoIOError: The files cannot be listed.
        TacoQueryError: No file matches.

    Example:
        >>> def make(path):
        ...     sample = Sample(Path(path).stem, path)
        ...     sample.extend_with(STAC.from_file(path, time_start="2024-06-01"))
        ...     return sample
        >>> parts = tacore.distributed.parts_of_files("s3://bucket/scenes", make, pattern="*.tif", id="scenes", ...)
        >>> tacore.distributed.create_partitions(parts, "s3://bucket/chips", client, on_error="report")
    """
    if num_partitions is not None and num_partitions < 1:
        raise TacoValidationError(f"num_partitions is {num_partitions}; at least 1 is expected")
    root = os.fsdecode(place)
    is_remote = root.startswith("s3://")
    root = root.rstrip("/") if is_remote else os.path.abspath(local_path(root))
    files, num_files = (_stored_files if is_remote else _local_files)(root, pattern)
    if not files:
        raise TacoQueryError(f"{root}: none of its {num_files} files matches {pattern!r}")
    sizes = [file.size for file in files]
    num_parts = num_partitions or -(-sum(sizes) // _BYTES_OF_PART)
    pairs = itertools.pairwise(cuts(sizes, num_parts))
    return {
        f"{prefix}{number:04}": FilePart(root, files[begin:end], make, about)
        for number, (begin, end) in enumerate(pairs, 1)
    }


class FilePart(SamplePart):
    """A function that makes a Taco of files; see :func:`parts_of_files`."""

    def __init__(
        self, root: str, files: Sequence[_File], make: Callable[[str], Sample] | None, about: Mapping[str, Any]
    ) -> None:
        super().__init__(make, about)
        self._root = root
        self._files = list(files)

    def fingerprint_of(self) -> list[Any]:
        # The names are one text: the fingerprint of a list of names takes ten times as long.
        return [self._root, json.dumps(self._files), self._make, self._about]

    def __repr__(self) -> str:
        return f"<FilePart of {len(self._files)} files from {self._root}/{self._files[0].name} on>"

    def make(self, on_error: str) -> tuple[Taco, list[Failure]]:
        items = [(file.name, f"{self._root}/{file.name}", file) for file in self._files]
        if self._root.startswith("s3://"):
            with ThreadPoolExecutor(_CONCURRENT_READS) as threads:
                samples, failures = made_samples(items, self._sample, on_error, threads.map)
        else:
            samples, failures = made_samples(items, self._sample, on_error)
        return self._taco(samples, failures, f"{self._root}/{self._files[0].name} ...: no file")

    def _sample(self, file: _File) -> Sample:
        from .datamodel import Sample

        path = f"{self._root}/{file.name}"
        if not self._root.startswith("s3://"):
            _require_same(_local_file(self._root, file.name), file)
        if self._make is not None:
            return self._make(path)
        made = Sample(os.path.splitext(file.name)[0].replace("/", "_"), path)
        _require_same(file._replace(size=made.size_bytes), file)
        return made


def _require_same(now: _File, listed: _File) -> None:
    if now != listed:
        sizes = "" if now.size == listed.size else f": it has {now.size} bytes, {listed.size} expected"
        raise TacoQueryError(f"the file was changed since it was listed{sizes}; run the call again")


def _stored_files(root: str, pattern: str) -> tuple[list[_File], int]:
    """The files that match, in their order, and the number of all."""
    found = _core.list_stored_files(root)
    return [_File(*each) for each in found if fnmatch.fnmatchcase(each[0], pattern)], len(found)


def _local_files(root: str, pattern: str) -> tuple[list[_File], int]:
    def refuse(error: OSError) -> None:
        raise error

    names: list[str] = []
    try:
        for folder, _, inside in os.walk(root, onerror=refuse):
            below = os.path.relpath(folder, root).replace(os.sep, "/")
            names += inside if below == "." else [f"{below}/{name}" for name in inside]
        files = sorted(_local_file(root, name) for name in names if fnmatch.fnmatchcase(name, pattern))
    except OSError as error:
        listed = TacoIOError(f"{root}: its files cannot be listed: {error}")
        listed.path, listed.errno = root, error.errno
        raise listed from error
    return files, len(names)


def _local_file(root: str, name: str) -> _File:
    found = os.stat(f"{root}/{name}")
    return _File(name, found.st_size, str(found.st_mtime_ns))
