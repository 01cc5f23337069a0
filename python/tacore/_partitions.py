"""Creation of the partitions of a dataset by many machines, which can be interrupted at any time.

The driver makes a plan, and writes it. A task makes one partition, puts it in its place, and then its record. A task
that finds a record of the same fingerprint, and the partition with the bytes that it states, does nothing: so repeated
tasks and a second run of the same call are harmless.
"""

from __future__ import annotations

import contextlib
import copy
import errno
import gc
import itertools
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from . import _core, _dataset
from ._aliases import renamed
from ._destination import Bytes, Destination, Index, destination_of, parsed, use_storage
from ._engines import Runner, renamed_error, run, runner_of
from ._errors import TacoCreationError, TacoError, TacoValidationError
from ._fingerprint import fingerprint
from ._output import PathLike
from ._progress import Progress, callback
from ._sample_parts import SamplePart, cuts, message_of
from ._sorted_parts import RangePart, SortedPart, Sorting, ranges_of, remove_runs
from ._together import Record, Together, check_ids, facts_of

if TYPE_CHECKING:
    from ._splits import Splits
    from .datamodel import Sample, Taco

    #: A dataset to be written, or a function that makes it on the machine that writes it.
    Part = Union[Taco, Callable[[], Taco]]

_PLAN = ".plan.json"


class PartitionFailure(NamedTuple):
    """A sample that is not in the dataset, because it could not be written.

    Attributes:
        partition: Name of its partition.
        id: Id of the sample; None: the whole partition could not be made.
        message: The error.
    """

    partition: str
    id: str | None
    message: str


class Partitions(NamedTuple):
    """Result of :func:`tacore.distributed.create_partitions`.

    Attributes:
        path: Path of the index, for :func:`tacore.load`.
        num_samples: Number of samples of level 0.
        num_kept: Number of partitions that an earlier run had finished.
        failures: Samples that are missing, if `on_error` is "report".
        splits: Number of samples of each split, with `split`.
    """

    path: PathLike
    num_samples: int
    num_kept: int
    failures: list[PartitionFailure]
    splits: dict[str, int] = {}


@renamed(quiet="'progress'", output_dir="'output'")
def create_partitions(
    parts: Taco | Sequence[Part] | Mapping[str, Part],
    output: PathLike,
    client: Any = None,
    *,
    num_partitions: int | None = None,
    prefix: str = "part",
    split: Splits | None = None,
    index: str = "tacocat",
    validate_schema: bool = True,
    on_error: str = "raise",
    overwrite: bool = False,
    progress: bool | Callable[[int, int], object] = True,
    **parquet: Any,
) -> Partitions:
    """Writes the partitions of a dataset in parallel, each as one ZIP, and an index of them.

    It can be interrupted at any time: the same call continues. Partitions that are finished are verified by their size
    and SHA-256, and kept; unfinished ones are made again. The dataset is visible when all are complete, the index last.
    The same parts give the same bytes, on any machines, after any interruptions.

    Args:
        parts: Datasets; or functions without arguments that return a dataset on the machine that writes it, so that
            samples are not sent (functools.partial of a function; with Dask, Ray and Spark also closures). A mapping
            gives names to the partitions; :func:`parts_of_table` makes one from a table, :func:`parts_of_files` from the
            files below a place. A single dataset is split.
        output: Folder of the partitions, which all machines can access; it is created if it does not exist. Or a
            place in an object store, s3://BUCKET/PREFIX, with the options of :func:`tacore.set_storage_options`. Its
            folder `.parts` has the plan and the records of this function.
        client: Dask client, `ray`, Spark session or Executor that runs the tasks (see the module).
        num_partitions: For a single dataset: number of partitions of consecutive samples, of about equal bytes; at most
            one for each sample.
        prefix: Prefix of names, if `parts` is not a mapping: `{prefix}0001.tacozip`, ...
        split: Adds the column `split`, as :class:`Splits` does on one machine.
        index: What makes the partitions one dataset. tacocat: the folder .tacocat, with the rows of all. tacollection:
            TACOLLECTION.json with the bounds of each partition (:func:`tacore.create_tacollection`), a kilobyte for
            each, for more than 1e8 samples. both.
        validate_schema: As for :func:`tacore.create_tacocat`. Without it TACOLLECTION.json has no bounds.
        on_error: raise: a sample that cannot be written is an error; report: it is left out, and listed as a failure.
            The same call with raise tries such samples again.
        overwrite: Replace existing partitions and an existing index of another plan, all at the end. Not in an object
            store, which cannot replace them in one step.
        progress: True shows a bar, False nothing. A callable is called with (partitions done, partitions in all); the
            work is cancelled when it returns False.
        **parquet: As for :func:`tacore.export`, for partitions and index.

    Returns:
        The path of the index, and what is not in it.

    Raises:
        TacoValidationError: There are no parts; a name occurs twice or has a slash; a file exists, or the partitions of
            another plan; two samples have the same id, also in different partitions; or :func:`tacore.create` refuses a
            part.
        TacoSchemaError: Columns or trees of parts differ, or a sample has no group for `split`.
        TacoFormatError: A place, by which rows are sorted, is not WKB.
        TacoCreationError: A function failed (its exception is the cause), or a worker was lost.
        TacoIOError: Reading or writing failed, or the work was cancelled.

    Example:
        >>> parts = {f"y{year}": functools.partial(make_year, year) for year in range(2016, 2026)}
        >>> made = tacore.distributed.create_partitions(parts, "s3://bucket/chips", dask_client)
        >>> tacore.load(made.path)
    """
    if on_error not in ("raise", "report"):
        raise TacoValidationError(f"on_error is {on_error!r}; 'raise' or 'report' is expected")
    if index not in ("tacocat", "tacollection", "both"):
        raise TacoValidationError(f"index is {index!r}; 'tacocat', 'tacollection' or 'both' is expected")
    named = _named(_split(parts, num_partitions), prefix)
    sorting = _sorting_in(named.values())
    if sorting is not None:
        parquet = {"covering": True, **parquet}
    more: list[Any] = [] if split is None else [split]
    if split is not None and split.exact:  # what a partition has depends on all
        more.append(fingerprint([fingerprint(part) for part in named.values()]))
    plan = {name: fingerprint((part, sorted(parquet.items()), *more)) for name, part in named.items()}
    destination = destination_of(output, fingerprint(plan))
    storage = dict(_dataset._storage_options)
    with runner_of(client) as runner:
        claim(destination, plan, overwrite)
        destination.clear()
        together = Together(destination, validate_schema)
        job = _Job(runner, destination, plan, on_error, storage, together, callback("Creating", progress), {})
        try:
            if sorting is not None or (split is not None and split.exact):
                job.find()  # so that only what has to be made needs the work before
            if sorting is not None and len(job.made) < len(named):
                named = job.sort(sorting, named)
            if split is not None and split.exact and len(job.made) < len(named):
                split = job.fit(split, named)
            job.make({name: part for name, part in named.items() if name not in job.made}, parquet, split)
            made = {name: job.made[name] for name in plan}
            out = finish(runner, destination, made, Index(index, validate_schema, parquet))
            if sorting is not None:
                remove_runs(destination, sorting)
        except BaseException:
            with contextlib.suppress(TacoError, OSError):  # the first error says more
                destination.clear()
            raise
    if split is not None:
        split._tell_balance(out.splits)
    return out


class _Job(NamedTuple):
    """The making of the partitions of a plan. `made` has the results of make_part() by their names."""

    runner: Runner
    destination: Destination
    plan: dict[str, str]
    on_error: str
    storage: dict[str, Any]
    together: Together
    told: Progress | None
    made: dict[str, tuple[Record, bool]]

    def find(self) -> None:
        """Adds the partitions that are finished."""
        tasks = [
            (f"partition {name}", (name, made_of, self.destination, self.on_error, self.storage))
            for name, made_of in self.plan.items()
        ]
        for name, record in zip(self.plan, run(self.runner, find_part, tasks, None), strict=True):
            if record is not None:
                self._add(name, (record, True))

    def sort(self, sorting: Sorting, parts: Mapping[str, SortedPart]) -> dict[str, RangePart]:
        """The parts with their ranges of the sorted rows."""
        ranges = ranges_of(self.runner, self.destination, sorting, self.on_error, lambda *_: self._tell(len(self.made)))
        return {name: part.of_range(self.destination, ranges[part.number]) for name, part in parts.items()}

    def fit(self, split: Splits, parts: Mapping[str, Any]) -> Splits:
        """The splits for the groups of all parts, which are counted once."""
        file = f"{self.destination.plan}/groups.json"
        sizes = parsed(self.destination.read(file))
        if sizes is None:
            tasks = [(f"partition {name}", (part, split, self.on_error, self.storage)) for name, part in parts.items()]
            counted = run(self.runner, count_groups, tasks, lambda *_: self._tell(len(self.made)))
            sizes = dict(sum(map(Counter, counted), Counter()))
            self.destination.write(file, json.dumps(sizes).encode())
        return split.fitted(sizes)

    def make(self, parts: Mapping[str, Any], parquet: dict[str, Any], split: Splits | None) -> None:
        """Adds the partitions of these parts."""
        options = (self.destination, self.on_error, self.storage, parquet, split)
        tasks = [(f"partition {name}", (part, name, self.plan[name], *options)) for name, part in parts.items()]
        num_found = len(self.made)
        results = run(self.runner, make_part, tasks, lambda done, _: self._tell(num_found + done))
        for name, result in zip(parts, results, strict=True):
            self._add(name, result)

    def _add(self, name: str, result: tuple[Record, bool]) -> None:
        self.made[name] = result
        if result[0]["size"]:
            self.together.add(name, result[0])

    def _tell(self, num_made: int) -> object:
        return None if self.told is None else self.told(num_made, len(self.plan))


def finish(
    runner: Runner,
    destination: Destination,
    made: Mapping[str, tuple[Record, bool]],
    index: Index,
) -> Partitions:
    """Compares the ids of all partitions, and makes them visible, with their index. `made`: the results of make_part(),
    by their names, which Together has compared."""
    failures = [PartitionFailure(name, *each) for name, (record, _) in made.items() for each in record["failures"]]
    finished = {name: record for name, (record, _) in made.items() if record["size"]}
    if not finished:
        first = failures[0]
        raise TacoCreationError(f"no partition could be made; the first: partition {first.partition}: {first.message}")
    check_ids(runner, destination, finished)
    path = destination.publish(list(finished), index)
    num_samples = sum(record["num_samples"] for record in finished.values())
    splits: Counter[str] = Counter()
    for record in finished.values():
        splits.update(record.get("splits", {}))
    num_kept = sum(was_kept for _, was_kept in made.values())
    return Partitions(path, num_samples, num_kept, failures, dict(splits))


# The plan.


def _split(parts: Any, num_partitions: int | None) -> Any:
    from .datamodel import Taco, Tortilla

    if not isinstance(parts, Taco):
        if num_partitions is not None:
            raise TacoValidationError("num_partitions is for a single dataset; several datasets or functions are given")
        return parts
    samples = [parts.tortilla._sample(row) for row in range(len(parts.tortilla))]  # with the columns of the Tortilla
    out = []
    for begin, end in itertools.pairwise(cuts([sample.size_bytes for sample in samples], num_partitions or 1)):
        part = copy.copy(parts)
        part.tortilla = Tortilla(samples[begin:end])
        out.append(part)
    return out


def _sorting_in(parts: Collection[Any]) -> Sorting | None:
    """How the parts are sorted; None where they are not. Raises TacoValidationError if they are not all of one table."""
    found = [part.sorting for part in parts if isinstance(part, SortedPart)]
    if not found:
        return None
    is_one = len({each.made_of for each in found}) == 1 and len(found) == found[0].num_parts == len(parts)
    if not is_one:
        raise TacoValidationError("parts in the order of places have to be all parts of one table, and no others")
    return found[0]


def _named(parts: Any, prefix: str) -> dict[str, Any]:
    named = parts if isinstance(parts, Mapping) else {f"{prefix}{n:04}": part for n, part in enumerate(parts, 1)}
    if not named:
        raise TacoValidationError("there are no partitions to make")
    for name in named:
        if not name or name.startswith(".") or "/" in name or "\0" in name:
            raise TacoValidationError(f"{name!r} is not a partition name; a file name without ending is expected")
    return dict(named)


def claim(destination: Destination, plan: dict[str, str], overwrite: bool) -> None:
    """Writes the plan, unless it is there. Raises TacoValidationError where something else is."""
    destination.check(overwrite)
    before = parsed(destination.read(_PLAN))
    if not overwrite and before is not None and before != plan:
        name = next(name for name in (*plan, *before) if plan.get(name) != before.get(name))
        raise TacoValidationError(
            f"{destination.shown}: has partitions of another plan, which differs in partition {name}; the same call, "
            "another place or overwrite=True is expected"
        )
    # A folder gets partitions only after their records: those without are of others.
    names = [name for name in plan if before is None or destination.read(f"{name}.json") is None]
    if not overwrite and (path := destination.existing(names, is_new=before is None)) is not None:
        error = TacoValidationError(f"{path}: exists already")
        error.path = path
        raise error
    destination.open()
    if before != plan:
        destination.write(_PLAN, json.dumps(plan, indent=1).encode())


# Tasks.


def find_part(
    name: str, made_of: str, destination: Destination, on_error: str, storage: dict[str, Any]
) -> Record | None:
    """The record of a partition that is finished, and there with the bytes of the record."""
    use_storage(storage)
    known = parsed(destination.read(f"{name}.json"))
    is_meant = known is not None and known.get("fingerprint") == made_of and "ends_of_md5s" in known
    if known is None or not is_meant or (known["failures"] and on_error == "raise"):
        return None
    last = destination.read(f"{name}.ids", max(8 * (known["num_samples"] - 1), 0), 8)
    is_there = last is not None and len(last) == 8
    return known if is_there and destination.has(name, Bytes(known["size"], known["sha256"])) else None


@contextlib.contextmanager
def older_objects_aside() -> Iterator[None]:
    """Hides the objects that there are from Python's search for unused cycles until the work is done. It looks at all of
    them again and again while samples are made, and a Dask worker has some hundred thousand. Does nothing where others
    have frozen objects for good."""
    if gc.get_freeze_count() > 0:
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@older_objects_aside()
def make_part(
    part: Any,
    name: str,
    made_of: str,
    destination: Destination,
    on_error: str,
    storage: dict[str, Any],
    parquet: dict[str, Any],
    split: Splits | None = None,
) -> tuple[Record, bool]:
    """Makes a partition, unless it is finished. Returns its record, and whether it was finished. The size is 0 where it
    could not be made."""
    known = find_part(name, made_of, destination, on_error, storage)
    if known is not None:
        return known, True
    if isinstance(part, RangePart):
        part = part.read()
    with destination.unfinished(name) as path:
        try:
            taco, failures = _taco_of(part, on_error)
            if split is not None:
                taco, without = _with_splits(taco, split, on_error)
                failures += without
            failures += _write(taco, path, on_error, parquet)
        except Exception as error:
            if on_error == "raise" or _is_of_output(error, path):
                raise
            return {"size": 0, "num_samples": 0, "failures": [(None, message_of(error))]}, False
        dataset = _dataset.load(path)
        facts, hashes = facts_of(dataset)
        if split is not None:
            counted = dataset.sql("SELECT split, count(*) AS num_samples FROM data GROUP BY split ORDER BY split")
            facts["splits"] = {row["split"]: row["num_samples"] for row in _core.rows(counted.data)}
        stored = destination.store(path, name)._asdict()
        record = {"fingerprint": made_of, **stored, **facts, "failures": failures}
    destination.write(f"{name}.ids", hashes)
    destination.write(f"{name}.json", json.dumps(record).encode())
    return record, False


def count_groups(part: Any, split: Splits, on_error: str, storage: dict[str, Any]) -> dict[str, int]:
    """The number of samples of each group of a part."""
    use_storage(storage)
    if isinstance(part, RangePart):
        part = part.read()
    try:
        groups = split.groups(_taco_of(part, on_error)[0].tortilla)
    except Exception:
        if on_error == "raise":
            raise
        return {}  # the part is reported when it is made
    return dict(Counter(group for group in groups if group is not None))


def _taco_of(part: Any, on_error: str) -> tuple[Taco, list[tuple[str, str]]]:
    if isinstance(part, SamplePart):
        return part.make(on_error)
    return part() if callable(part) else part, []


def _with_splits(taco: Taco, split: Splits, on_error: str) -> tuple[Taco, list[tuple[str, str]]]:
    """A Taco with the column `split`, and the samples that are not in it, because they have no group."""
    from .datamodel import Tortilla

    groups = split.groups(taco.tortilla) if on_error == "report" else []
    out = copy.copy(taco)
    failures = []
    if None in groups:
        ids = taco.tortilla._core.ids()
        failures = [(id, split._why_without()) for id, group in zip(ids, groups, strict=True) if group is None]
        kept = [taco.tortilla._sample(row) for row, group in enumerate(groups) if group is not None]
        if not kept:
            raise TacoValidationError(f"sample {ids[0]!r}: {split._why_without()}, and so has no other")
        out.tortilla = Tortilla(kept)
    else:
        out.tortilla = copy.copy(taco.tortilla)
    out.tortilla.extend_with(split)
    return out, failures


def _write(taco: Taco, path: Path, on_error: str, parquet: dict[str, Any]) -> list[tuple[str, str]]:
    """Writes a ZIP. Returns (id, message) of the samples that are not in it, because they cannot be written."""
    from .datamodel import Tortilla

    try:
        _write_zip(taco, path, parquet)
        return []
    except TacoError as error:
        if _is_of_output(error, path):
            raise
        first = _with_sample(error, taco)
    if on_error == "raise":
        raise first
    good = []
    failures = []
    for row in range(len(taco.tortilla)):
        sample = taco.tortilla._sample(row)
        alone = copy.copy(taco)
        alone.tortilla = Tortilla([sample])
        try:
            _write_zip(alone, path, parquet)
            good.append(sample)
        except TacoError as error:
            if _is_of_output(error, path):
                raise
            failures.append((sample.id, message_of(error)))
    if not good or not failures:
        raise first
    rest = copy.copy(taco)
    rest.tortilla = Tortilla(good)
    _write_zip(rest, path, parquet)
    return failures


def _with_sample(error: TacoError, taco: Taco) -> TacoError:
    """The error, with the id of the sample before its message, if it is about a file of a sample."""
    for row in range(len(taco.tortilla) if error.path else 0):
        sample = taco.tortilla._sample(row)
        if error.path in [*_files_of(sample)]:
            return renamed_error(error, f"sample {sample.id}")
    return error


def _files_of(sample: Sample) -> Iterator[str]:
    children = sample._children
    if children is None:
        yield sample._core.path
    else:
        for child in children:
            yield from _files_of(child)


def _write_zip(taco: Taco, path: Path, parquet: dict[str, Any]) -> None:
    from ._create import plan, write

    # Not create(), which would create the folder again after the work was cancelled.
    write(taco, *plan(path, "zip", None, None, False, overwrite=True, parquet=parquet))


def _is_of_output(error: Exception, path: Path) -> bool:
    """Whether an error is not one of a sample: the disk is full, or the output cannot be written."""
    if not isinstance(error, OSError):
        return False
    place = getattr(error, "path", None) or ""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS) or place.startswith(str(path.parent))
