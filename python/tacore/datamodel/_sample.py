"""Samples to be written (specification, 5.1 and 7.1.1)."""

from __future__ import annotations

import contextlib
import os
import tempfile
import uuid
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union

from .. import _core
from .._errors import TacoFileNotFoundError, TacoSchemaError, TacoValidationError, checked
from .._model import Model
from ._columns import Stream, columns_of, model_of, pack, table_of, unpack
from ._extension import SampleExtension

if TYPE_CHECKING:
    import pyarrow

    from ..validator import SampleValidator
    from ._tortilla import Tortilla

SampleType = Literal["FILE", "FOLDER"]
Data = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, "Tortilla", Any]

CORE_FIELDS = ("id", "type", "path")
_TYPES = ("FILE", "FOLDER", "auto")
_make = checked(_core.Sample)


class MissingFileError(TacoFileNotFoundError, TacoValidationError):
    """The file of a sample does not exist."""


class NoFieldError(TacoSchemaError, KeyError):
    """A metadata field does not exist."""

    def __str__(self) -> str:
        return Exception.__str__(self)


class Sample(Model):
    """A sample to be written, with metadata: a FILE with data, or a FOLDER of other samples (specification, 7.1.1).

    Metadata fields are read as attributes, or by ``sample[key]`` if the name is no identifier (``stac:crs``) or is
    another attribute (``path``, ``pop``). A sample may be used by one thread at a time.

    Args:
        id: Name of the sample: not empty, without ``/``, ``\\`` and ``:``, not starting with ``__``.
        path: For a FILE: a path (absolute or relative to the working folder, or ``/vsisubfile/`` for a part of a file),
            or bytes (an object with the buffer protocol, or with ``read()``). For a FOLDER: a :class:`Tortilla`, which
            is copied.
        type: "FILE", "FOLDER", or "auto", which is derived from `path`. May precede `path`, as in the specification:
            ``Sample("a", "FILE", "a.tif")``.
        temp_dir: Folder of temporary files: for bytes beyond 256 MiB in the process, and for :attr:`path` of bytes. It
            is created if it does not exist; None: the system's temporary folder.
        **metadata: Metadata fields, as :meth:`extend_with` takes them in a dict.

    Raises:
        TacoValidationError: The path does not exist (also a FileNotFoundError), or `type` contradicts it.
        TacoSchemaError: The id or a key is not allowed.
        TypeError: Metadata cannot store a value.

    Example:
        >>> image = Sample("image", "tile_1/image.tif", cloud_cover=12.5)
        >>> tile = Sample("tile_1", Tortilla([image, Sample("mask", "tile_1/mask.tif", cloud_cover=None)]))
    """

    __slots__ = ("__weakref__", "_children", "_core", "_spilled", "_temp_dir")

    def __init__(
        self,
        /,
        id: str,
        path: Data,
        type: Literal["FILE", "FOLDER", "auto"] = "auto",
        temp_dir: str | os.PathLike[str] | None = None,
        **metadata: Any,
    ) -> None:
        from ._tortilla import Tortilla

        if not isinstance(id, str):
            raise TypeError(f"the id of a sample is text, not {_name(id)} {id!r}")
        if isinstance(path, str) and path in _TYPES and not (isinstance(type, str) and type in _TYPES):
            path, type = type, path
        children = path if isinstance(path, Tortilla) else None
        _check_type(id, type, "FILE" if children is None else "FOLDER")
        self._temp_dir = None if temp_dir is None else os.fspath(temp_dir)
        self._spilled: tuple[str, weakref.finalize[Any, Any]] | None = None
        self._children = children
        self._core: _core.Sample
        if children is not None:
            self._core = _make(id, children._core, metadata)
        elif isinstance(path, (str, os.PathLike)):
            self._core = _of_path(id, os.fspath(path), metadata)
        else:
            self._core = _make(id, _bytes_of(path), metadata, self._temp_dir or "")

    @property
    def id(self) -> str:
        """Name of the sample."""
        return self._core.id

    @property
    def type(self) -> SampleType:
        """Type of the sample: "FILE" or "FOLDER"."""
        return "FOLDER" if self._core.is_folder else "FILE"

    @property
    def path(self) -> Path | str | Tortilla:
        """Path of a FILE (a ``/vsisubfile/`` path as text for a part of a file), or the Tortilla of a FOLDER.

        For bytes it is the path of a temporary file, which is written on first access and removed with this sample.
        """
        if self._children is not None:
            return self._children
        if self._core.vsi_path != self._core.path:
            return self._core.vsi_path
        return Path(self._core.path or self._spill())

    @property
    def size_bytes(self) -> int:
        """Size of the data in bytes; for a FOLDER, of all its descendants."""
        return self._core.size

    def read_bytes(self) -> bytes:
        """Reads the data of a FILE. Raises TacoSchemaError for a FOLDER, TacoIOError if the file cannot be read."""
        return self._core.read_bytes()

    def cleanup(self) -> None:
        """Releases the bytes and removes the temporary file of a sample of bytes, which becomes an empty FILE. Copies,
        and Tortillas made of this sample, keep the bytes. A sample with a path does not change."""
        self._core.cleanup()
        if self._spilled is not None:
            self._spilled[1]()
            self._spilled = None

    def keys(self) -> list[str]:
        """Names of the metadata fields, in order."""
        return list(self._core.keys())

    @property
    def _extension_schemas(self) -> dict[str, pyarrow.DataType]:
        """Types of the metadata fields by name; needs pyarrow."""
        schema = self.export_metadata().schema
        return {name: schema.field(name).type for name in self.keys()}

    def __getitem__(self, key: str) -> Any:
        """Value of a metadata field. Raises KeyError if it does not exist."""
        return self._core.get(key)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._core.has(key)

    def __getattr__(self, name: str) -> Any:
        if name not in Sample.__slots__ and self._core.has(name):
            return self._core.get(name)
        raise AttributeError(f"a Sample has no attribute or field {name!r}")

    def extend_with(self, extension: Any, name: str | None = None) -> None:
        """Adds metadata fields; an existing field gets the new value and type.

        Args:
            extension: A dict; a table of one row (pyarrow, polars, pandas, or any with ``__arrow_c_stream__``); a
                :class:`SampleExtension`; or a dataclass or Pydantic model, whose fields get a namespace.
            name: Namespace of the fields of a dataclass or model; None: the name of its class in lower case.

        Raises:
            TacoSchemaError: A key is not allowed, or the table does not have one row. The sample does not change.
            TypeError: Metadata cannot store a value, or the extension has another type.

        Example:
            >>> sample.extend_with({"mission:orbit": 42})
        """
        native = getattr(extension, "_core", None)
        if isinstance(native, _core.SampleExtension) and not extension._is_off():
            self._core.extend_by(native)
            return
        columns = self._columns_of(extension, name)
        if len(columns) != 1 and columns.fields():
            raise TacoSchemaError(f"sample {self.id!r}: {len(columns)} rows; exactly one row expected")
        if columns.fields():
            self._core.extend_with(columns)

    def pop(self, field: str) -> pyarrow.Table:
        """Removes a metadata field and returns it as a table of one row.

        Raises:
            TacoSchemaError: The field is `id`, `type` or `path`; or it does not exist (then also a KeyError).
        """
        check_field(field, self.keys(), f"sample {self.id!r}")
        return table_of(self._core.pop(field))

    def export_metadata(self) -> pyarrow.Table:
        """Returns id, type, path (null for a FOLDER and for bytes) and metadata as a table of one row; without pyarrow
        as an object with ``__arrow_c_stream__``."""
        return table_of(Stream(self._core.export_metadata()))

    def validate_with(self, validator: SampleValidator) -> None:
        """Calls ``validator.validate(self)``, which raises TacoValidationError if the sample is invalid."""
        validator.validate(self)

    def __repr__(self) -> str:
        return f"<Sample {self.id!r}, {self.type}, {self.size_bytes} bytes, {len(self.keys())} fields>"

    def __copy__(self) -> Sample:
        return _wrapped(self._core.__copy__(), self._children, self._temp_dir)

    def __deepcopy__(self, memo: dict[int, Any]) -> Sample:
        return self.__copy__()

    def __reduce__(self) -> Any:
        return _restored, (self.id, self._data(), self._temp_dir, pack(self._core.metadata()))

    def _fields(self) -> dict[str, Any]:
        """`id`, `path`, `type` and the metadata fields."""
        return {"id": self.id, "path": self.path, "type": self.type, **{key: self[key] for key in self.keys()}}

    def _defaults(self) -> dict[str, Any]:
        return {}

    def _with(self, fields: dict[str, Any]) -> Sample:
        known = self._fields()
        if any(fields[name] != known[name] for name in CORE_FIELDS):
            data = fields["path"] if fields["path"] != known["path"] else self._data()
            copied = _restored(fields["id"], data, self._temp_dir, pack(self._core.metadata()))
        else:
            copied = self.__copy__()
        copied.extend_with({key: value for key, value in fields.items() if key not in CORE_FIELDS and
                            (key not in known or value is not known[key])})  # fmt: skip
        return copied

    def _data(self) -> Any:
        return self._children if self._children is not None else self._core.vsi_path or self._core.read_bytes()

    def _columns_of(self, extension: Any, name: str | None) -> _core.Columns:
        if isinstance(extension, SampleExtension):
            return extension._columns(self)
        if isinstance(extension, Mapping):
            return _core.Columns.of_row(dict(extension))
        what = f"sample {self.id!r}: {_name(extension)}"
        if callable(extension) and hasattr(extension, "get_schema"):
            return columns_of(extension(self), what)
        fields = model_of(extension)
        if fields is None:
            return columns_of(extension, what)
        space = name or _name(extension).lower()
        return _core.Columns.of_row({f"{space}:{key}": value for key, value in fields.items()})

    def _spill(self) -> str:
        if self._spilled is None:
            folder = self._temp_dir or tempfile.gettempdir()
            os.makedirs(folder, exist_ok=True)
            path = os.path.join(os.path.abspath(folder), uuid.uuid4().hex)
            finalizer = weakref.finalize(self, _remove, path, os.getpid())
            with open(path, "wb") as file:
                file.write(self._core.read_bytes())
            self._spilled = (path, finalizer)
        return self._spilled[0]


def check_field(field: str, keys: list[str], where: str) -> None:
    """Raises TacoSchemaError unless the field can be removed."""
    if field in CORE_FIELDS:
        raise TacoSchemaError(f"{where}: Cannot pop core field {field!r}. Core fields are: {', '.join(CORE_FIELDS)}")
    if field not in keys:
        raise NoFieldError(
            f"{where}: Field {field!r} does not exist. Available extension fields: {', '.join(keys) or 'none'}"
        )


def wrapped(core: _core.Sample, children: Tortilla | None = None, temp_dir: str | None = None) -> Sample:
    sample = Sample.__new__(Sample)
    sample._core, sample._children, sample._temp_dir, sample._spilled = core, children, temp_dir, None
    return sample


_wrapped = wrapped


def _restored(id: str, data: Any, temp_dir: str | None, packed: Any) -> Sample:
    sample = Sample(id, data, temp_dir=temp_dir)
    if packed:
        sample._core.extend_with(unpack(packed))
    return sample


def _check_type(id: str, given: str, found: str) -> None:
    if given == "auto" or given == found:
        return
    if given not in ("FILE", "FOLDER"):
        raise TacoValidationError(f"sample {id!r}: type {given!r}; 'FILE', 'FOLDER' or 'auto' is expected")
    raise TacoValidationError(
        f"sample {id!r}: Type mismatch: specified type={given!r}, but its path implies type={found!r}"
    )


def _of_path(id: str, path: str, metadata: dict[str, Any]) -> _core.Sample:
    try:
        return _make(id, path, metadata)
    except TacoFileNotFoundError as error:
        missing = MissingFileError(f"sample {id!r}: Path {path} does not exist")
        missing.path, missing.errno = path, error.errno
        raise missing from None


def _bytes_of(data: Any) -> bytes:
    if isinstance(data, bytes):
        return data
    if callable(getattr(data, "read", None)):
        data = data.read()
    with contextlib.suppress(TypeError):
        return memoryview(data).tobytes()
    raise TypeError(
        f"the data of a sample is a path, bytes, a file that is open for reading bytes, or a Tortilla, not {_name(data)}"
    )


def _remove(path: str, process: int) -> None:
    if os.getpid() == process:  # a forked child has a copy of the finalizer, not of the file
        with contextlib.suppress(OSError):
            os.unlink(path)


def _name(value: object) -> str:
    return value.__class__.__name__
