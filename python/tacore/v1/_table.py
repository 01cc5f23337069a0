"""Tables of `tacore.v1.load`: pandas tables with the columns of the published reader, from which samples can be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas

from .._dataframe import Key, TacoDataFrame
from .._errors import TacoNavigationError, TacoQueryError

if TYPE_CHECKING:
    import geopandas

_PLACE = "internal:subfile"
#: Order of the columns in the published reader; others follow.
_PREFIXES = ("internal:", "tortilla:", "stac:", "rai:")
#: Columns of tacore that no Tortilla has.
_OURS = ("id", "type", "internal:gdal_vsi")


class _Source:
    """Rows of opened files, and their positions by place (`internal:subfile`)."""

    def __init__(self, rows: TacoDataFrame) -> None:
        self.rows = rows

    @cached_property
    def shared(self) -> set[str]:
        """The places of more than one row."""
        counts = Counter(place for place, name in self.positions if name is not None)
        return {place for place, count in counts.items() if count > 1}

    @cached_property
    def positions(self) -> dict[tuple[str, str | None], int]:
        """By place and id, since empty samples may share a place; and by place alone, of tables without ids."""
        table = self.rows._native()
        out: dict[tuple[str, str | None], int] = {}
        for position, (place, name) in enumerate(zip(table[_PLACE].tolist(), table["id"].tolist())):
            out.setdefault((place, name), position)
            out.setdefault((place, None), position)
        return out


class _Sources:
    """What tables and their rows share: the opened files, kept by all operations of pandas that make one of another."""

    _metadata = ["_sources"]  # noqa: RUF012  (read by pandas)
    _sources: tuple[_Source, ...] = ()

    def __finalize__(self, other: Any, method: str | None = None, **keywords: Any) -> Any:
        super().__finalize__(other, method=method, **keywords)  # type: ignore[misc]
        if method in ("concat", "merge"):
            parts = getattr(other, "objs", None) or [getattr(other, "left", None), getattr(other, "right", None)]
            each = (source for part in parts for source in getattr(part, "_sources", ()))
            self._sources = tuple(dict.fromkeys(each))
        return self

    def _find(self, row: Any) -> tuple[_Source, int]:
        """The source of a row, and its position there."""
        place = row.get(_PLACE)
        if place is None:
            raise TacoNavigationError(f"the row has no column {_PLACE!r}, which reading needs")
        for name in (row.get("tortilla:id"), None):
            for source in self._sources:
                if (place, name) in source.positions:
                    return source, source.positions[place, name]
        raise TacoNavigationError(f"{place} is not a row of a table of tacore.v1.load, or of its samples")

    def _read(self, row: Any) -> Any:
        source, position = self._find(row)
        found = source.rows.read(position)
        return to_table(found) if isinstance(found, TacoDataFrame) else found

    @staticmethod
    def get_internal_path(row: Any) -> tuple[int, int, str]:
        """Offset and size of a sample in bytes, and the path or URL of its file."""
        place = str(row[_PLACE])
        start, _, path = place.removeprefix("/vsisubfile/").partition(",")
        offset, _, size = start.partition("_")
        if not (place.startswith("/vsisubfile/") and offset.isdigit() and size.isdigit() and path):
            raise ValueError(f"{place}: /vsisubfile/OFFSET_SIZE,PATH expected")
        for prefix, scheme in (("/vsicurl/", ""), ("/vsis3/", "s3://"), ("/vsigs/", "gs://"), ("/vsiaz/", "az://"),
                               ("/vsioss/", "oss://"), ("/vsiswift/", "swift://")):  # fmt: skip
            if path.startswith(prefix):
                path = scheme + path.removeprefix(prefix)
        return int(offset), int(size), path


class TortillaDataSeries(_Sources, pandas.Series):  # type: ignore[misc]
    """A row, or a column, of a :class:`TortillaDataFrame`."""

    @property
    def _constructor(self) -> Any:
        return TortillaDataSeries

    @property
    def _constructor_expanddim(self) -> Any:
        return TortillaDataFrame

    def read(self) -> Any:
        """Reads the sample of this row: see :meth:`TortillaDataFrame.read`."""
        return self._read(self)


class TortillaDataFrame(_Sources, pandas.DataFrame):  # type: ignore[misc]
    """Samples of a `.tortilla` or `.taco`, a pandas table with the columns of the published reader, from
    :func:`tacore.v1.load`.

    All operations of pandas that keep rows, such as masks, `head`, `iloc`, `sort_values`, `reset_index`, `pandas.concat`
    and pickling, give tables from which samples can be read, as long as the column `internal:subfile` is kept.

    Example:
        >>> table = tacore.v1.load("clouds.taco")
        >>> train = table[table["tortilla:data_split"] == "train"].reset_index(drop=True)
        >>> path = train.read(0).read(1)  # of the second file in the first sample, for rasterio.open(path)
    """

    def __init__(self, data: Any = None, *arguments: Any, **keywords: Any) -> None:
        super().__init__(data, *arguments, **keywords)
        if isinstance(data, _Sources):
            self._sources = data._sources

    @property
    def _constructor(self) -> Any:
        return TortillaDataFrame

    @property
    def _constructor_sliced(self) -> Any:
        return TortillaDataSeries

    def read(self, idx: Key) -> Any:
        """Reads one sample.

        Args:
            idx: Position of the row, from 0 and whatever the index; negative positions count from the end. Or a
                `tortilla:id`, of which the first row is read.

        Returns:
            For a sample of format TORTILLA, the table of its samples; for one of format BYTES, its bytes; for others
            the path with which GDAL and rasterio open it.

        Raises:
            IndexError: There is no such position.
            TacoNavigationError: There is no such id, or the table lacks the column `internal:subfile`.
            TacoIOError: The sample cannot be read.
        """
        if isinstance(idx, str):
            rows = self[self["tortilla:id"] == idx]
            if not len(rows):
                raise TacoNavigationError(f"ID {idx!r} not found")
            return self._read(rows.iloc[0])
        if _PLACE not in self.columns:
            return self._read(self.iloc[idx])  # which says what is missing
        # One cell, or two where samples share a place: a whole row takes pandas several times as long.
        cells = {_PLACE: self[_PLACE].iat[idx]}
        if "tortilla:id" in self.columns and any(cells[_PLACE] in source.shared for source in self._sources):
            cells["tortilla:id"] = self["tortilla:id"].iat[idx]
        return self._read(cells)

    def to_geodataframe(self, inplace: bool = False) -> geopandas.GeoDataFrame:
        """The rows as a GeoDataFrame in EPSG:4326, whose geometry is the point of `stac:centroid`.

        Args:
            inplace: Accepted for programs of the published package; the result is always a new table.

        Raises:
            ImportError: geopandas is not installed.
            TacoQueryError: There is no column `stac:centroid`.
        """
        try:
            import geopandas
        except ImportError as error:
            raise ImportError("to_geodataframe needs geopandas, which is not installed") from error
        if "stac:centroid" not in self.columns:
            raise TacoQueryError(f"the table has no column 'stac:centroid'; its columns are {', '.join(self.columns)}")
        points = geopandas.GeoSeries.from_wkt(self["stac:centroid"].tolist(), index=self.index, crs="EPSG:4326")
        return geopandas.GeoDataFrame(pandas.DataFrame(self), geometry=points)


def to_table(rows: TacoDataFrame) -> TortillaDataFrame:
    """The table of a frame."""
    frame = TacoDataFrame(rows._core, rows._origin, "pandas")
    native = frame._native()
    names = [name for name in native.columns if name not in _OURS]
    first = [name for prefix in _PREFIXES for name in names if name.startswith(prefix)]
    table = TortillaDataFrame(native[[*first, *(name for name in names if name not in first)]].copy())
    table._sources = (_Source(frame),)
    return table


def to_rows(table: TortillaDataFrame, is_written: bool) -> TacoDataFrame:
    """The frame of the rows of a table, in their order. Its columns are those of the files, whatever the table has.

    Raises:
        TacoQueryError: The rows are of several loads; or, if they are to be written, a column was added, dropped or
            changed in Python.
    """
    found = list(_places(table))
    sources = dict.fromkeys(source for source, _ in found)
    if len(sources) != 1:
        raise TacoQueryError(
            f"the table has rows of {len(sources)} loads, expected 1; load several files by one list of their paths"
        )
    source = next(iter(sources))
    rows = source.rows._rows([position for _, position in found])
    if not is_written:
        return rows
    written = to_table(rows)
    changed = set(table.columns) ^ set(written.columns) or {
        name
        for name in table.columns
        if not pandas.Series(table[name].values).equals(pandas.Series(written[name].values))
    }
    if changed:
        raise TacoQueryError(
            f"the columns {', '.join(sorted(map(str, changed)))} differ from those of the files; only rows can be selected"
            " from a table: change columns with tacore.load and with_column(), or make samples for tacore.v1.create"
        )
    return rows


def _places(table: TortillaDataFrame) -> Iterator[tuple[_Source, int]]:
    if _PLACE not in table.columns:
        raise TacoNavigationError(f"the table has no column {_PLACE!r}, which locates its samples")
    columns = [name for name in (_PLACE, "tortilla:id") if name in table.columns]
    return (table._find(dict(zip(columns, row))) for row in zip(*(table[name].tolist() for name in columns)))
