"""All samples of a dataset as one xarray.Dataset, whose chunks are read lazily by Dask."""

from __future__ import annotations

import importlib
import math
import pickle
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._backend import require
from ._columns import Column, cells_of
from ._engines import renamed_error
from ._errors import TacoError, TacoQueryError, TacoSchemaError
from ._output import PathLike
from ._row_tasks import frame_of, ranges
from ._sample_arrays import read_samples, sample_text
from .loader import Input, Inputs, column_hints, named_inputs
from .raster import dtype_name

if TYPE_CHECKING:
    import xarray

    from ._dataframe import TacoDataFrame
    from ._dataset import TacoDataset

#: About so many bytes are in a chunk, unless the caller says otherwise.
_CHUNK = 64 << 20


def open_xarray(
    dataset: TacoDataset | TacoDataFrame | PathLike,
    inputs: Inputs = "",
    *,
    columns: Sequence[str] = (),
    rows_per_chunk: int | None = None,
) -> xarray.Dataset:
    """Opens the samples of a dataset as an xarray.Dataset of Dask arrays, read lazily, also on the workers of a cluster.

    Each input is a variable of dimensions (sample, band, y, x), a Column one of dimension (sample). Of several inputs
    that differ in bands, height or width, these dimensions have their names: band_s2, y_s2. All samples have the shape
    and type of the first one. Workers open the same version of the dataset again.

    Args:
        dataset: Dataset, frame, or path of a dataset.
        inputs: As for :class:`tacore.loader.Loader`; "": all bands of samples that are FILEs, as variable `band_data`.
        columns: Metadata columns that become coordinates of `sample`, beside `id`. Missing values are NaN.
        rows_per_chunk: Number of samples in a chunk, which one task reads; None: of about 64 MiB.

    Raises:
        TacoBackendError: xarray, dask or NumPy is not installed.
        TacoQueryError: There are no samples or no such column, or a number is out of range.
        TacoError: The first sample cannot be read. Computing raises the error of a sample that cannot be read, with its
            id, and TacoSchemaError for one of another shape or type.

    Example:
        >>> samples = tacore.distributed.open_xarray("chips.tacozip", "s2/4,3,2", columns=["cloud_cover"])
        >>> samples["s2"].where(samples.cloud_cover < 10, drop=True).mean(["sample", "y", "x"]).compute()
    """
    for package in ("numpy", "xarray", "dask.array"):
        require(package, "open_xarray")
    dask, arrays = (importlib.import_module(name) for name in ("dask", "dask.array"))
    import xarray

    from ._dataset import opened_rows

    frame = opened_rows(dataset)
    if len(frame) == 0:
        raise TacoQueryError("there are no samples to open")
    if rows_per_chunk is not None and rows_per_chunk < 1:
        raise TacoQueryError(f"rows_per_chunk is {rows_per_chunk}; at least 1 is expected")
    named = {name or "band_data": each for name, each in named_inputs(inputs).items()}
    files = {name: each for name, each in named.items() if isinstance(each, Input)}
    if not files:
        raise TacoQueryError("all inputs are columns, and an array of pixels is expected")
    forms = _forms(frame, files)
    if rows_per_chunk is None:
        size = sum(math.prod(form.shape) * form.dtype.itemsize for form in forms.values())
        rows_per_chunk = max(_CHUNK // max(size, 1), 1)
    rows = dask.delayed(pickle.dumps(frame))
    cuts = ranges(len(frame), min(rows_per_chunk, len(frame)), len(frame))
    chunks: dict[str, list[Any]] = {name: [] for name in files}
    read = dask.delayed(_read, nout=len(files))
    for begin, end in cuts:
        made = read(rows, begin, end, files, [(form.shape, str(form.dtype)) for form in forms.values()])
        for (name, form), each in zip(forms.items(), made):
            chunks[name].append(arrays.from_delayed(each, (end - begin, *form.shape), form.dtype))
    dimensions = _dimensions({name: form.shape for name, form in forms.items()})
    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {"id": ("sample", _coordinate(frame, "id"))} if "id" in frame.columns else {}
    for name, each in named.items():
        if isinstance(each, Column):
            values = each.read(frame)
            more = [f"{name}_{axis}" for axis in range(1, values.ndim)]
            variables[name] = (("sample", *more), values)
            continue
        band, y, x = dimensions[name]
        variables[name] = (("sample", band, y, x), arrays.concatenate(chunks[name]))
        bands = forms[name].bands
        if band not in coordinates:
            coordinates[band] = (band, bands)
    for column in columns:
        coordinates[column] = ("sample", _coordinate(frame, column))
    return xarray.Dataset(variables, coordinates)


class _Form:
    """Shape and type of the array of an input, of each sample, and the numbers of its bands."""

    def __init__(self, shape: tuple[int, ...], dtype: Any, bands: list[int]) -> None:
        self.shape = shape
        self.dtype = dtype
        self.bands = bands


def _forms(frame: TacoDataFrame, files: Mapping[str, Input]) -> dict[str, _Form]:
    """Those of the first sample, without reading its pixels."""
    import numpy

    out = {}
    with column_hints(frame, list(files.values())):
        for name, each in files.items():
            width, height, num_bands, dtype = _core.open_input(frame._core, 0, each.path).info()[:4]
            given: Any = each.bands
            bands = (
                list(range(1, num_bands + 1)) if given is None else [given] if isinstance(given, int) else list(given)
            )
            if each.window is not None:
                _, _, width, height = each.window
            if each.dtype is not None or each.scale is not None:
                dtype = dtype_name(each.dtype) or "float32"
            out[name] = _Form((len(bands), height, width), numpy.dtype(dtype), bands)
    return out


def _dimensions(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, list[str]]:
    """The names of the dimensions of each input: shared ones where all inputs agree."""
    axes = ("band", "y", "x")
    shared = [len({shape[at] for shape in shapes.values()}) == 1 for at in range(len(axes))]
    shared[0] = len(shapes) == 1  # equal numbers of bands are not the same bands
    return {name: [axis if is_shared else f"{axis}_{name}" for axis, is_shared in zip(axes, shared)] for name in shapes}


def _coordinate(frame: TacoDataFrame, column: str) -> Any:
    """The values of a column; NaN for numbers that are missing, None for others, of which xarray makes NaN."""
    import numpy

    if column not in frame.columns:
        raise TacoQueryError(f"the rows have no column {column!r}; their columns are {', '.join(frame.columns)}")
    cells = cells_of(frame, column)
    kinds = {type(cell) for cell in cells} - {type(None)}
    if kinds and kinds <= {int, float} and None in cells:
        return Column(column, dtype="float64", fill=math.nan).read(frame)
    if None in cells or kinds & {list, dict, bytes}:
        out = numpy.empty(len(cells), object)
        for at, cell in enumerate(cells):
            out[at] = cell
        return out
    values = Column(column).read(frame)
    return numpy.array(cells) if kinds == {str} else values


def _read(
    rows: bytes, begin: int, end: int, files: Mapping[str, Input], forms: list[tuple[tuple[int, ...], str]]
) -> list[Any]:
    """In a task: the arrays of a chunk."""
    import numpy

    part = frame_of(rows)._rows(range(begin, end))
    out = [numpy.empty((end - begin, *shape), dtype) for shape, dtype in forms]
    for row, arrays in read_samples(part, files):
        sample = sample_text(part, row, begin)
        if isinstance(arrays, TacoError):
            raise renamed_error(arrays, sample)
        for (name, pixels), (shape, dtype), chunk in zip(arrays.items(), forms, out):
            if pixels.shape != shape or str(pixels.dtype) != dtype:
                raise TacoSchemaError(
                    f"{sample}: {name} is {pixels.dtype} {pixels.shape}; {dtype} {shape} expected, as of the first sample"
                )
            chunk[row] = pixels
    return out
