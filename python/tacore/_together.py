"""What must hold for all partitions of a dataset together, of which no machine holds all samples.

The driver compares the record of each finished partition with the records before it, so that most faults stop the work
before the other partitions are made. The last check, of all ids, runs in tasks.
"""

from __future__ import annotations

import bisect
import itertools
import sys
from array import array
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from . import _core, _dataset
from ._destination import WORK, Destination, use_storage
from ._engines import Runner, run
from ._errors import TacoCreationError, TacoSchemaError, TacoValidationError

if TYPE_CHECKING:
    from ._dataset import TacoDataset

#: What is known of a finished partition, as JSON.
Record = dict[str, Any]

#: The hash of an id, in SQL: 64 of the 128 bits of its MD5.
_HASH = "md5_number_lower(id)"
#: Ids are compared by these many ranges of their hashes, each of at most this number of hashes where that is possible.
_HASH_RANGES = 64
_RANGE_BITS = 64 - 6
_HASHES_AT_ONCE = 1 << 22
#: The driver remembers at most this number of hashes, the lowest, while partitions are made.
_HASHES_REMEMBERED = 1 << 18
_CONCURRENT_READS = 16


def facts_of(dataset: TacoDataset) -> tuple[Record, bytes]:
    """What a record has for the checks of this module, and the sorted hashes of the ids, which its file NAME.ids
    has."""
    (row,) = _core.rows(dataset.sql(f"SELECT list({_HASH} ORDER BY {_HASH}) AS hashes FROM data").data)
    hashes = array("Q", row["hashes"] or [])
    facts = {
        "num_samples": len(hashes),
        "columns": [dict(dataset._core.level_columns(level)) for level in range(len(dataset.field_schema))],
        "tree": _tree_of(dataset),
        "ends_of_md5s": [bisect.bisect_left(hashes, (n + 1) << _RANGE_BITS) for n in range(_HASH_RANGES)],
    }
    return facts, _bytes_of(hashes)


class Together:
    """The partitions that are finished so far.

    Args:
        destination: The place of their records.
        same_columns: Whether columns must be the same in all partitions; trees always must.
    """

    def __init__(self, destination: Destination, same_columns: bool) -> None:
        self._destination = destination
        self._same_columns = same_columns
        self._first: tuple[str, Record] | None = None
        self._names: list[str] = []
        # Of ids that occur twice some are below any limit, and all are where the dataset is small.
        self._limit = 1 << 64
        self._known: dict[int, int] = {}

    def add(self, name: str, record: Record) -> None:
        """Compares a partition with those before it. Raises TacoSchemaError or TacoValidationError, with the names of
        both, for other columns or another tree, and for an id of both, if its hash is among those that are
        remembered."""
        if self._first is None:
            self._first = (name, record)
        _compare_trees(*self._first, name, record)
        if self._same_columns:
            _compare_columns(*self._first, name, record)
        self._names.append(name)
        for hash in self._low_hashes(name, record):
            other = self._known.setdefault(hash, len(self._names) - 1)
            if other != len(self._names) - 1:
                _compare_ids(self._destination, self._names[other], name)
        while len(self._known) > _HASHES_REMEMBERED:
            self._limit >>= 1
            self._known = {hash: number for hash, number in self._known.items() if hash < self._limit}

    def _low_hashes(self, name: str, record: Record) -> list[int]:
        """The hashes of a partition below the limit."""
        end = record["ends_of_md5s"][min(self._limit - 1 >> _RANGE_BITS, _HASH_RANGES - 1)]
        # Hashes are as random numbers, so that these are nearly all below the limit.
        most = -(-record["num_samples"] * self._limit >> 64)
        end = min(end, most + 4 * int(most**0.5) + 16)
        hashes = _read(self._destination, name, 0, end)
        return list(hashes[: bisect.bisect_left(hashes, self._limit)])


def check_ids(runner: Runner, destination: Destination, records: Mapping[str, Record]) -> None:
    """Raises TacoValidationError that names a repeated id and its two partitions. No machine holds all ids: each task
    compares those of a range of hashes."""
    total = sum(record["num_samples"] for record in records.values())
    num_tasks = min(max(-(-total // _HASHES_AT_ONCE), 1), _HASH_RANGES)
    storage = dict(_dataset._storage_options)
    tasks = []
    for task in range(num_tasks):
        first, last = (_HASH_RANGES * n // num_tasks for n in (task, task + 1))
        pieces = []
        for name, record in records.items():
            ends = [0, *record["ends_of_md5s"]]
            pieces.append((name, ends[first], ends[last]))
        tasks.append((f"ids {task + 1} of {num_tasks}", (destination, storage, pieces)))
    for repeated in [_repeated(*tasks[0][1])] if num_tasks == 1 else run(runner, _repeated, tasks, None):
        for a, b in repeated:
            _compare_ids(destination, a, b)


# Trees and columns.


def _tree_of(dataset: TacoDataset) -> list[list[Any]]:
    """The types and ids of the children of each kind of FOLDER, as taco:pit_schema has them."""
    schema = dataset.collection.get("taco:pit_schema") or {}
    levels = schema.get("hierarchy", {})
    return [
        [schema.get("root", {}).get("type")],
        *([[each["type"], each["id"]] for each in levels[number]] for number in sorted(levels, key=int)),
    ]


def _compare_trees(first: str, known: Record, name: str, record: Record) -> None:
    for level, (a, b) in enumerate(itertools.zip_longest(known["tree"], record["tree"])):
        if a == b:
            continue
        if a is None or b is None:
            raise TacoSchemaError(
                f"partition {name} has {len(record['tree'])} levels, partition {first} has {len(known['tree'])}"
            )
        raise TacoSchemaError(
            f"the tree of level {level} is {_tree_text(a)} in partition {first} and {_tree_text(b)} in partition {name}"
        )


def _tree_text(level: list[Any]) -> str:
    return ", ".join(
        each if isinstance(each, str) else "[" + ", ".join(f"{id} ({kind})" for kind, id in zip(*each)) + "]"
        for each in level
    )


def _compare_columns(first: str, known: Record, name: str, record: Record) -> None:
    for level, (before, now) in enumerate(zip(known["columns"], record["columns"], strict=False)):
        for column in (*before, *now):
            if before.get(column) != now.get(column):
                says = [
                    f"{types.get(column, 'missing')} in partition {part}"
                    for part, types in ((first, before), (name, now))
                ]
                raise TacoSchemaError(f"column {column} of level {level} is {' and '.join(says)}")


# Ids.


def _bytes_of(hashes: Sequence[int]) -> bytes:
    out = array("Q", hashes)
    if sys.byteorder == "big":
        out.byteswap()
    return out.tobytes()


def _read(destination: Destination, name: str, begin: int, end: int) -> array[int]:
    """The sorted hashes [begin, end) of a partition."""
    data = destination.read(f"{name}.ids", 8 * begin, 8 * (end - begin)) if end > begin else b""
    if data is None or len(data) != 8 * (end - begin):
        path = f"{destination.shown}/{WORK}/{name}.ids"
        raise TacoCreationError(f"{path}: is missing or was changed meanwhile; run the same call again")
    hashes = array("Q", data)
    if sys.byteorder == "big":
        hashes.byteswap()
    return hashes


def _compare_ids(destination: Destination, a: str, b: str) -> None:
    """Raises TacoValidationError if both partitions have an id."""
    rows_of_a = {id: row for row, id in enumerate(_ids(_dataset.load(destination.path(a))))}
    for row, id in enumerate(_ids(_dataset.load(destination.path(b)))):
        if id in rows_of_a:
            raise TacoValidationError(
                f"the id {id!r} is in partition {a} and in partition {b}, in rows {rows_of_a[id]} and {row}; ids are "
                "unique in a dataset"
            )


def _repeated(
    destination: Destination, storage: dict[str, Any], pieces: Sequence[tuple[str, int, int]]
) -> list[tuple[str, str]]:
    """Pairs of partitions that have an equal hash, of at most 100 hashes."""
    use_storage(storage)
    with ThreadPoolExecutor(_CONCURRENT_READS) as threads:
        all_hashes = list(threads.map(lambda piece: _read(destination, *piece), pieces))
    # Sorting joins what is sorted already, many times as fast as heapq.merge().
    merged = sorted(itertools.chain.from_iterable(all_hashes))
    twice = {hash for hash, after in itertools.pairwise(merged) if hash == after}
    first: dict[int, str] = {}
    pairs: dict[tuple[str, str], None] = {}
    for (name, _, _), hashes in zip(pieces, all_hashes, strict=True):
        for hash in twice.intersection(hashes) if twice else ():
            if first.setdefault(hash, name) != name:
                pairs[first[hash], name] = None
    return list(itertools.islice(pairs, 100))


def _ids(dataset: TacoDataset) -> list[str]:
    """The ids of level 0."""
    return [row["id"] for row in _core.rows(dataset.sql("SELECT id FROM data").data)]
