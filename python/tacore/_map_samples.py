"""Functions of pixels, computed for all samples of a dataset by an engine: arrays in, columns out."""

from __future__ import annotations

import os
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ._backend import require
from ._budget import Budget, budgeted, counted_here
from ._columns import cells_of
from ._engines import renamed_error, run
from ._errors import TacoCreationError, TacoError, TacoQueryError, TacoSchemaError, TacoValidationError
from ._output import PathLike, container_path, parents
from ._progress import callback
from ._row_tasks import frame_of, range_name, row_ranges, sent_rows
from ._sample_arrays import read_samples, sample_text
from ._tables import is_protected
from .loader import Column, Input, Inputs, named_inputs

if TYPE_CHECKING:
    import pyarrow

    from ._dataframe import TacoDataFrame
    from ._dataset import TacoDataset
    from ._row_tasks import SentRows


class MapFailure(NamedTuple):
    """A sample without a result.

    Attributes:
        position: Its row.
        id: Its id.
        message: The error.
    """

    position: int
    id: str
    message: str


@dataclass(frozen=True, repr=False)
class MappedSamples:
    """Result of :func:`tacore.distributed.map_samples`: a table with a row for each sample that has a result, in the
    order of the samples.

    It is accepted where a table is: by ``tacore.transform.edit(path, columns=result)``, which writes it into the
    dataset, and by ``pyarrow.table``, ``polars.DataFrame`` and ``pandas.DataFrame.from_arrow`` (with pyarrow).

    Attributes:
        positions: Row of each sample.
        ids: Id of each sample.
        columns: Values of each column, one for each sample.
        failures: Samples without a result, if `on_error` is "report".
    """

    positions: list[int]
    ids: list[str]
    columns: dict[str, list[Any]]
    failures: list[MapFailure] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.positions)

    def to_arrow(self) -> pyarrow.Table:
        """The columns `id` and `columns` as a pyarrow.Table. Numbers and arrays of NumPy keep their types.

        Raises:
            TacoBackendError: pyarrow is not installed.
            TacoSchemaError: The values of a column have no common type that Arrow has.
        """
        require("pyarrow", "a table of results")
        import pyarrow

        return pyarrow.table({
            "id": pyarrow.array(self.ids, pyarrow.string()),
            **{name: self._array(name, values) for name, values in self.columns.items()},
        })  # fmt: skip

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The table as an Arrow C stream."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<MappedSamples: {len(self)} samples{failed}, columns {', '.join(self.columns)}>"

    def _array(self, name: str, values: list[Any]) -> Any:
        import pyarrow

        try:
            return pyarrow.array(values)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, pyarrow.ArrowNotImplementedError, OverflowError) as error:
            raise TacoSchemaError(
                f"column {name!r}: its values have no common type: {str(error).strip()}; values of one type are "
                f"expected, and are{self._types(values)}"
            ) from error

    def _types(self, values: list[Any]) -> str:
        first: dict[str, str] = {}
        for id, value in zip(self.ids, values):
            first.setdefault(type(value).__name__, id)
        return "".join(f" {kind} (sample {id!r})" for kind, id in list(first.items())[:5])


def map_samples(
    dataset: TacoDataset | TacoDataFrame | PathLike,
    function: Callable[..., Any],
    client: Any = None,
    *,
    inputs: Inputs = "",
    name: str = "value",
    on_error: str = "raise",
    output: PathLike | None = None,
    num_tasks: int | None = None,
    budget: Budget | None = None,
    progress: bool | Callable[[int, int], object] = True,
) -> MappedSamples:
    """Calls a function with the arrays of each sample, on many machines, and makes columns of what it returns.

    The result does not depend on the engine, nor on the number of tasks and machines. Samples may differ in shape and
    type. An engine may repeat tasks: the function should have no effects but its result.

    Args:
        dataset: Dataset, frame, or path of a dataset. Tasks open the same version of it again.
        function: Function of the arrays of one sample: one positional argument for each input, in order; of a mapping
            of inputs, keyword arguments by its names. It returns a dict of values by column, the same columns for each
            sample, or a single value. Values are None, bool, int, float, str, bytes, dates and times, numbers and
            one-dimensional arrays of NumPy, and lists. With processes it must be a function that can be pickled, with
            Dask, Ray and Spark it may be a closure. With threads it is called from several at once.
        client: Dask client, `ray`, Spark session or Executor that runs the tasks (see the module).
        inputs: As for :class:`tacore.loader.Loader`: "s2/3,4,10", an Input, a Column, a list or a mapping of these; "":
            all bands of samples that are FILEs. Arrays of files have the shape (bands, height, width).
        name: Column of the results of a function that returns single values.
        on_error: raise: the error of a sample that cannot be read, or for which the function fails, with its id; report:
            such samples are left out, and listed as failures.
        output: Path of a new dataset: these samples with their data and metadata, as :func:`tacore.export` writes them,
            and with the results as columns; samples without a result have null. To add the columns to the dataset
            itself see :class:`MappedSamples`.
        num_tasks: Maximal number of tasks; None: four for each processor of the client.
        budget: Limits of the requests to servers, and their count.
        progress: True shows a bar, False nothing. A callable is called with (tasks done, tasks in all); the work is
            cancelled when it returns False.

    Raises:
        TacoQueryError: There are no samples, an option is unknown, or a column cannot be read.
        TacoCreationError: The function failed, or a worker was lost. A note of the error has the function's traceback.
        TacoSchemaError: The function returned other columns for another sample, or a name that metadata cannot have.
        TacoValidationError: `output` exists.
        TacoIOError: The budget is used up: the error says what was used, and where the work stopped.
        TacoError: A sample cannot be read.

    Example:
        >>> def ndvi(red, nir):
        ...     return {"ndvi": float(((nir - red) / (nir + red)).mean()), "dark": int((red < 100).sum())}
        >>> inputs = {"red": Input("s2", 4, dtype="float32"), "nir": Input("s2", 8, dtype="float32")}
        >>> made = tacore.distributed.map_samples("chips.tacozip", ndvi, client, inputs=inputs)
        >>> tacore.transform.edit("chips.tacozip", columns=made)
    """
    if on_error not in ("raise", "report"):
        raise TacoQueryError(f"on_error is {on_error!r}; 'raise' or 'report' is expected")
    require("numpy", "map_samples")
    named = named_inputs(inputs)
    if all(isinstance(each, Column) for each in named.values()):
        raise TacoQueryError(
            "all inputs are columns, and the function is one of pixels; SQL computes columns of others"
        )
    path = None if output is None else _new_path(output)
    from ._dataset import opened_rows

    with counted_here(budget, "opening the dataset"):
        frame = opened_rows(dataset)
        if len(frame) == 0:
            raise TacoQueryError("there are no samples to map")
        if "id" not in frame.columns:
            raise TacoQueryError("the rows have no column 'id', by which results belong to samples; select it, too")
        ids = cells_of(frame, "id")
    with budgeted(client, budget) as runner:
        rows = sent_rows(frame, runner)
        by_name = isinstance(inputs, Mapping)
        tasks = [
            (range_name(*each), (rows, *each, function, named, by_name, on_error))
            for each in row_ranges(frame, num_tasks, runner)
        ]
        found = (result for part in run(runner, _map, tasks, callback("Mapping", progress)) for result in part)
        made = _merged(found, ids, name, on_error)
    if path is not None:
        with counted_here(budget, "writing the new dataset"):
            _write(frame, made, path)
    return made


class _Result(NamedTuple):
    """What the function returned for a sample, or why it did not."""

    row: int
    value: Any
    fault: str | None


# Tasks.


def _map(
    rows: SentRows,
    begin: int,
    end: int,
    function: Callable[..., Any],
    inputs: Mapping[str, Input | Column],
    by_name: bool,
    on_error: str,
) -> list[_Result]:
    part = frame_of(rows)._rows(range(begin, end))
    out = []
    for row, arrays in read_samples(part, inputs):
        try:
            if isinstance(arrays, TacoError):
                raise arrays
            value = function(**arrays) if by_name else function(*arrays.values())
            out.append(_Result(begin + row, value, None))
        except Exception as error:
            told = _of_sample(error, sample_text(part, row, begin), error is arrays)
            if on_error == "raise":
                raise told from error
            out.append(_Result(begin + row, None, str(told) if error is not arrays else str(error)))
    return out


def _of_sample(error: Exception, sample: str, is_of_reading: bool) -> TacoError:
    """The error with the words for its sample, and where it arose in the function."""
    if is_of_reading and isinstance(error, TacoError):
        return renamed_error(error, sample)
    told = TacoCreationError(f"{sample}: {type(error).__name__}: {error}")
    frames = traceback.extract_tb(error.__traceback__)[1:]  # without this module
    told.add_note("".join(traceback.format_list(frames)).rstrip())
    return told


# The results of all tasks.


def _merged(found: Iterator[_Result], ids: list[str], name: str, on_error: str) -> MappedSamples:
    out = MappedSamples([], [], {})
    for row, value, fault in found:
        if fault is None:
            columns = value if isinstance(value, Mapping) else {name: value}
            fault = _fault_of(columns, out)
            if fault is not None and on_error == "raise":
                raise TacoSchemaError(f"sample {ids[row]!r} (row {row}): {fault}")
        if fault is not None:
            out.failures.append(MapFailure(row, ids[row], fault))
            continue
        out.positions.append(row)
        out.ids.append(ids[row])
        for each, cell in columns.items():
            out.columns.setdefault(each, []).append(cell)
    return out


def _fault_of(columns: Mapping[Any, Any], before: MappedSamples) -> str | None:
    """Why columns are not those of the samples before, or no columns at all."""
    if not columns:
        return "the function returned no columns; a dict of values by column, or a value, is expected"
    for each in columns:
        if not isinstance(each, str) or not each:
            return f"the function returned a column {each!r}; a name is expected"
        if is_protected(each):
            return f"the function returned the column {each!r}, which cannot be changed"
    if before.columns and columns.keys() != before.columns.keys():
        return (
            f"the function returned the columns {', '.join(sorted(columns))}; for sample {before.ids[0]!r} it returned "
            f"{', '.join(sorted(before.columns))}"
        )
    return None


# Writing.


def _new_path(output: PathLike) -> Path:
    path = container_path(output, "auto")
    if os.path.lexists(path):
        error = TacoValidationError(f"{path}: exists already")
        error.path = str(path)
        raise error
    return path


def _write(frame: TacoDataFrame, made: MappedSamples, path: Path) -> None:
    """Writes the rows with the results as a new dataset, in one step."""
    from .transform import edit, export

    table = made.to_arrow()
    with parents(path), tempfile.TemporaryDirectory(prefix="tacore-", dir=path.absolute().parent) as folder:
        unfinished = Path(folder, path.name)
        export(frame, unfinished, progress=False)
        if made.columns:
            edit(unfinished, columns=table, progress=False)
        _new_path(path)
        unfinished.rename(path)
