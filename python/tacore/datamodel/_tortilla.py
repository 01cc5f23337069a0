"""Tortillas: lists of samples to be written (specification, 5.2 and 7.1.1)."""

from __future__ import annotations

import os
import re
import shlex
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import _core
from .._errors import TacoError, TacoSchemaError, checked
from ._columns import Field, Stream, columns_of, pack, table_of, unpack
from ._extension import SampleExtension, TortillaExtension, check_rows
from ._sample import Sample, check_field, wrapped

if TYPE_CHECKING:
    import pyarrow

_PADDING = "__TACOPAD__"
_Compute = Callable[[Iterable[Sample]], Iterable[_core.Columns]]


# A word of a shell, and what stands before the options of the tool at the end of a message on names of columns.
_WORD = r"""(?:"[^"]*"|(?:'[^']*'|\\')+|[^\s"'])+"""
_NAMED = re.compile(
    r"(.*(?:\? |have the ids: |has the (?:id|path)s: |rename (?:it|them): |table too: |such as ))"
    rf"(--(?:id-column|path-column|rename|separator) {_WORD}(?: --rename {_WORD})*)",
    re.DOTALL,
)


def _in_python(message: str) -> str:
    """A message whose options of the tool, such as ``--rename "land cover"=cover`` at its end, are arguments."""
    message = re.sub(
        r"(^|: )--(id|path|time)-column: |(^|: )--rename: ",
        lambda found: f"{found[1]}{found[2]}_column: " if found[2] else f"{found[3]}rename: ",
        message,
        count=1,
    )
    named = _NAMED.fullmatch(message)
    if named is None:
        return message
    try:
        words = shlex.split(named[2])
    except ValueError:  # a name with quotes of its own
        return message
    given: dict[str, Any] = {}
    for option, value in zip(words[::2], words[1::2]):
        name = option.removeprefix("--").replace("-", "_")
        if name == "rename":
            old, _, new = value.rpartition("=")
            given.setdefault(name, {})[old] = new
        else:
            given[name] = value
    return named[1] + ", ".join(f"{name}={value!r}" for name, value in given.items())


class Tortilla:
    """A list of samples to be written, with their metadata: a tree of one to six levels (specification, 7.1.1).

    A Tortilla copies the metadata of its samples; later changes of a sample have no effect on it. Data is copied only
    when :func:`tacore.create` writes it.

    Args:
        samples: Samples, in order.
        pad_to: Add padding after the samples until their number is a multiple of this; None: no padding.
        strict_schema: True: all samples must have the same metadata fields, in any order, of the same types. False: the
            Tortilla has the fields of all samples, with null for missing ones, and integers become floating point where
            types differ. A bool as second positional argument is this argument, as in the published writers.

    Raises:
        TacoSchemaError: There are no samples, two have the same id, fields differ (the message names them), or `pad_to`
            is given for FOLDERs with different children.
        TacoValidationError: `pad_to` is less than 1.

    Example:
        >>> tortilla = Tortilla([Sample("a", "a.tif", split="train"), Sample("b", "b.tif", split="test")])
    """

    __slots__ = ("__weakref__", "_core", "_samples")

    def __init__(self, samples: Iterable[Sample], pad_to: int | None = None, strict_schema: bool = True) -> None:
        if isinstance(pad_to, bool):
            strict_schema, pad_to = pad_to, None
        given = tuple(samples)
        for sample in given:
            if not isinstance(sample, Sample):
                raise TypeError(f"a Tortilla is made of Samples, not of {type(sample).__name__}")
        _warn_of_order(given)
        self._core = checked(_core.Tortilla)([sample._core for sample in given], strict_schema)
        self._samples: tuple[Sample, ...] | None = given
        if pad_to is not None:
            self._set(self._core.pad_to(pad_to))

    @classmethod
    def from_folder(cls, path: str | os.PathLike[str]) -> Tortilla:
        """Makes a Tortilla of a directory: subdirectories become FOLDERs, files FILEs; siblings are sorted in
        code-point order.

        Raises:
            TacoIOError: The directory cannot be read.
            TacoSchemaError: There are entries other than files and directories, or more than six levels.
        """
        return _wrapped(_core.Tortilla.from_folder(os.fspath(path)))

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        separator: str | None = None,
        id_column: str | None = None,
        path_column: str | None = None,
        time_column: str | None = None,
        rename: Mapping[str, str] | None = None,
    ) -> Tortilla:
        """Makes a Tortilla of a table with the columns `id` (``tile/band`` for a child), `path` (of FILEs) and
        metadata.

        A table that is not a file may have the bytes of FILEs themselves, in a binary column `data` instead of `path`.
        Columns of STAC and ISTAC times (`stac:time_start`, ...) may have text, dates or years, which become timestamps
        in UTC.

        Args:
            table: Path of a ``.parquet``, ``.csv``, ``.tsv``, ``.jsonl`` or ``.geojson`` file, in which paths are
                relative to its folder; or a table of any library with the PyCapsule interface, with paths relative to
                the working folder.
            separator: Character between the values of a .csv or .tsv table, \\t for a tab; by default the one of , ; tab
                | in its header line.
            id_column: Column of the table with the ids; by default id.
            path_column: Column of the table with the paths; by default path.
            time_column: Column of the table with the acquisition times, which becomes stac:time_start.
            rename: Column of the table and its new name, for each column that is renamed.

        Raises:
            TacoSchemaError: A column is missing, has a name that is not allowed, or is renamed to one that exists; or
                rows have faults: the message lists the first 20 by their lines, and the number of all.
            TacoFormatError, TacoIOError: The table cannot be read.
            TacoValidationError: The separator is not one ASCII character.

        Example:
            >>> Tortilla.from_table(pandas.DataFrame({"id": ["a"], "path": ["a.tif"], "split": ["train"]}))
            >>> Tortilla.from_table("chips.csv", id_column="name", time_column="date", rename={"land cover": "cover"})
        """
        options = {
            "separator": separator,
            "id_column": id_column,
            "path_column": path_column,
            "time_column": time_column,
            "rename": None if rename is None else dict(rename),
        }
        try:
            if isinstance(table, (str, os.PathLike)):
                return _wrapped(_core.Tortilla.from_table(os.fspath(table), options))
            return _wrapped(_core.Tortilla.from_arrow(table, options))
        except TacoError as error:
            error.message = _in_python(error.message)
            error.args = tuple(_in_python(each) if isinstance(each, str) else each for each in error.args)
            raise

    @classmethod
    def from_columns(
        cls, ids: Iterable[str], paths: Iterable[str | os.PathLike[str]], metadata: Mapping[str, Any] | None = None
    ) -> Tortilla:
        """Makes a Tortilla of columns: the fastest way for millions of FILEs.

        Args:
            ids: Id of each sample.
            paths: Path of each sample.
            metadata: Metadata columns by name, or a table, with a value for each sample.

        Raises:
            TacoSchemaError: As for the constructor; or columns have different lengths.
            TacoIOError: A file does not exist.
        """
        columns = _core.Columns() if metadata is None else _columns_of(metadata)
        return _wrapped(_core.Tortilla.from_columns(list(ids), [os.fspath(path) for path in paths], columns))

    @property
    def samples(self) -> tuple[Sample, ...]:
        """The samples of level 0: the objects that the Tortilla was made of, or new objects if it was made
        otherwise."""
        if self._samples is None:
            self._samples = tuple(self._sample(row) for row in range(len(self)))
        return self._samples

    @property
    def metadata_table(self) -> pyarrow.Table:
        """Table of level 0; see :meth:`export_metadata`."""
        return self.export_metadata()

    @property
    def depth(self) -> int:
        """Number of the deepest level; 0 if no sample has children."""
        return self._core.depth

    @property
    def size_bytes(self) -> int:
        """Size of all FILEs in bytes."""
        return self._core.num_bytes

    def __len__(self) -> int:
        """Number of samples of level 0, padding included."""
        return self._core.num_samples()

    def __iter__(self) -> Iterator[Sample]:
        return iter(self.samples)

    def __getitem__(self, position: int) -> Sample:
        return self.samples[position]

    def fields(self, level: int = 0) -> list[Field]:
        """Lists (name, type, description) of each metadata field of a level. Raises TacoSchemaError if the level does
        not exist."""
        return list(self._core.fields(level))

    def column(self, key: str, level: int = 0) -> list[Any]:
        """Values of a metadata field, one for each sample of a level. Raises TacoSchemaError if the field or level does
        not exist."""
        return list(self._core.column(key, level))

    def export_metadata(self, deep: int = 0) -> pyarrow.Table:
        """Returns a level as a table: id, type, path (null for a FOLDER and for bytes) and metadata; below level 0 also
        `internal:parent_id`, the row of the parent, and `internal:current_id`. Without pyarrow it is an object with
        ``__arrow_c_stream__``.

        Args:
            deep: Number of the level; 0 is the root.

        Raises:
            TacoSchemaError: The level does not exist.
        """
        return table_of(Stream(self._core.export_metadata(deep)))

    def extend_with(self, extension: Any, level: int = 0) -> Tortilla:
        """Adds metadata columns, and returns this Tortilla.

        Args:
            extension: A :class:`TortillaExtension` (for level 0); or a value for each sample: a table of any library, a
                dict of columns, or a list of dicts, dataclasses or Pydantic models.
            level: Level of the columns; 0 is the root.

        Raises:
            TacoSchemaError: The number of rows is not that of the samples, or a field exists. The Tortilla does not
                change.

        Example:
            >>> tortilla.extend_with(MajorTOM(dist_km=100)).extend_with({"cloud_cover": [12.5, 3.0]})
        """
        if isinstance(extension, SampleExtension):
            raise TypeError(f"{type(extension).__name__} is an extension of single samples; use extend_samples()")
        if callable(extension) and level != 0:
            raise TacoSchemaError(f"an extension computes columns of level 0, not {level}")
        native = getattr(extension, "_core", None)
        if isinstance(native, _core.TortillaExtension) and not extension._is_off():
            self._extend(self._core.extend_by(native))
            return self
        if isinstance(extension, TortillaExtension):
            columns = extension._columns(self)
        elif callable(extension) and hasattr(extension, "get_schema"):
            columns = columns_of(extension(self), type(extension).__name__)
        else:
            columns = _columns_of(extension)
        check_rows(len(columns), self._core.num_samples(level))
        self._extend(self._core.extend_with(columns, level))
        return self

    def extend_samples(
        self, extension: SampleExtension, jobs: int | None = None, executor: Executor | None = None
    ) -> Tortilla:
        """Adds the columns of a sample extension, computed in parallel for each sample of level 0, and returns this
        Tortilla.

        Padding gets null. The samples themselves do not change. The first error is raised; the Tortilla does not change
        then.

        Args:
            extension: A :class:`SampleExtension`.
            jobs: Number of threads; None: one for each processor. Extensions of tacore, and most functions of rasterio
                and NumPy, run in parallel in threads.
            executor: Executor to use instead of threads: ``ProcessPoolExecutor`` for computations in Python itself (the
                extension must then be in a module that processes can import), or the executor of a Dask client.
        """
        if not isinstance(extension, SampleExtension):
            raise TypeError(f"a SampleExtension is expected, not {type(extension).__name__}")
        if executor is not None:
            packed = partial(_computed, extension)
            return self._extend_samples(extension, lambda work: map(unpack, executor.map(packed, work)))
        with ThreadPoolExecutor(jobs or os.cpu_count()) as threads:
            return self._extend_samples(extension, lambda work: threads.map(extension._columns, work))

    def pop(self, field: str) -> pyarrow.Table:
        """Removes a metadata field of level 0 and returns it as a table.

        Raises:
            TacoSchemaError: The field is `id`, `type` or `path`; or it does not exist (then also a KeyError).
        """
        names = [name for name, _, _ in self.fields()]
        check_field(field, names, "Tortilla")
        columns = self._core.columns().only(field)
        self._extend(self._core.pop(field))
        return table_of(columns)

    def pad(self) -> Tortilla:
        """Returns a copy with padding for each child that a FOLDER lacks and other FOLDERs at its position have
        (specification, 5.5 and 5.6). Readers hide padding.

        Raises:
            TacoSchemaError: Padding cannot give all samples the same tree; the message lists all reasons.
        """
        return _wrapped(self._core.pad())

    def __repr__(self) -> str:
        return f"<Tortilla of {len(self)} samples, {self.depth + 1} levels, {self.size_bytes} bytes>"

    def __copy__(self) -> Tortilla:
        return _wrapped(self._core, self._samples)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tortilla:
        samples = None if self._samples is None else tuple(sample.__copy__() for sample in self._samples)
        return _wrapped(self._core, samples)

    def __reduce__(self) -> Any:
        levels = [pack(self._core.columns(level)) for level in range(self.depth + 1)]
        return _restored, (_data(self._core), levels)

    def _set(self, core: _core.Tortilla) -> None:
        self._core, self._samples = core, None

    def _extend(self, core: _core.Tortilla) -> None:
        self._core = core  # the list of samples does not change

    def _sample(self, row: int) -> Sample:
        core, children = self._core.sample(row)
        return wrapped(core, None if children is None else _wrapped(children))

    def _extend_samples(self, extension: SampleExtension, compute: _Compute) -> Tortilla:
        ids = self._core.ids()
        work = [sample for sample, id in zip(self.samples, ids) if not id.startswith(_PADDING)]
        computed = iter(list(compute(work)))
        nulls = _core.Columns.of_nulls(extension._schema(), 1)
        rows = [nulls if id.startswith(_PADDING) else next(computed) for id in ids]
        self._extend(self._core.extend_with(_core.Columns.joined(rows)))
        return self


def _computed(extension: SampleExtension, sample: Sample) -> Any:
    return pack(extension._columns(sample))


def _columns_of(data: Any) -> _core.Columns:
    if isinstance(data, Mapping):
        return _core.Columns.of_values(dict(data))
    return columns_of(data, "Tortilla.extend_with")


def _wrapped(core: _core.Tortilla, samples: tuple[Sample, ...] | None = None) -> Tortilla:
    tortilla = Tortilla.__new__(Tortilla)
    tortilla._core, tortilla._samples = core, samples
    return tortilla


def _data(core: _core.Tortilla) -> list[tuple[str, Any]]:
    """The id of each sample, and its path or bytes; for a FOLDER such a list of its children."""
    out: list[tuple[str, Any]] = []
    for row in range(core.num_samples()):
        sample, children = core.sample(row)
        held = b"" if sample.size == 0 else None
        source = sample.vsi_path or held if children is None else _data(children)
        out.append((sample.id, sample.read_bytes() if source is None else source))
    return out


def _tree(data: list[tuple[str, Any]]) -> _core.Tortilla:
    samples = []
    for id, source in data:
        found = _tree(source) if isinstance(source, list) else source
        samples.append(_core.Sample(id, found, {}))
    return _core.Tortilla(samples, False)


def _restored(data: list[tuple[str, Any]], levels: list[Any]) -> Tortilla:
    core = _tree(data)
    for level, packed in enumerate(levels):
        if packed:
            core = core.extend_with(unpack(packed), level)
    return _wrapped(core)


def _warn_of_order(samples: tuple[Sample, ...]) -> None:
    types = [sample._core.is_folder for sample in samples]
    if True not in types or False not in types:
        return
    file, folder = types.index(False), len(types) - 1 - types[::-1].index(True)
    if file < folder:
        warnings.warn(
            f"Consider placing FOLDERs before FILEs: found FILE at position {file} before FOLDER at position {folder}",
            UserWarning,
            stacklevel=3,
        )
