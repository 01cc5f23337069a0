"""Datasets for torchgeo: :class:`TacoNonGeoDataset`, a `NonGeoDataset` whose samples are those of a TACO dataset, and
:class:`TacoGeoDataset`, a `GeoDataset` that is queried by place and time.

They are subclasses of the classes of torchgeo 0.8 or newer, and work with its samplers, `stack_samples`, trainers, and
`&` and `|` of datasets. Both yield dicts as torchgeo expects them: see :func:`to_torchgeo`, which also converts the
batches of :class:`tacore.lightning.TacoDataModule`.

Example:
    >>> from tacore.torchgeo import TacoNonGeoDataset
    >>> dataset = TacoNonGeoDataset("chips.tacozip", {"image": "s2/4,3,2", "mask": "label"})
    >>> dataset.plot(dataset[0])
"""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, SupportsIndex

from . import _core
from ._backend import require
from ._dataset import opened_rows
from ._errors import TacoBackendError, TacoQueryError
from ._grid import TOLERANCE, Grid, grid_of, raster_at, read_mosaic
from ._torch import TorchDataset, torch
from .loader import Column, Input, InputLike, Rows, column_hints, named_inputs

try:
    bases: Any = importlib.import_module("torchgeo.datasets")
except ImportError:
    bases = None
NonGeoDataset: Any = object if bases is None else bases.NonGeoDataset
GeoDataset: Any = object if bases is None else bases.GeoDataset

__all__ = ["TacoGeoDataset", "TacoNonGeoDataset", "plot_sample", "to_torchgeo"]

Sample = dict[str, Any]
Transforms = Callable[[Sample], Sample]


class TacoNonGeoDataset(TorchDataset, NonGeoDataset):  # type: ignore[misc]
    """A `NonGeoDataset` of torchgeo: `dataset[i]` is a dict of the tensors of one sample.

    Args:
        rows: Dataset or frame of the samples; or a path or list of paths, which :func:`tacore.load` opens.
        inputs: Mapping from names to inputs, as for :class:`tacore.loader.Loader`: names that trainers of torchgeo use
            are "image", "mask" and "label".
        transforms: Function called with each sample, a dict; its result replaces the sample. Several threads call it
            at once.
        jobs: Number of threads that read a batch; 0: the number of processors divided by the workers of the DataLoader.

    Raises:
        TypeError: `inputs` is not a mapping.
        TacoError: As for :class:`tacore.loader.TorchDataset`.

    Example:
        >>> inputs = {"image": "s2/4,3,2", "label": Column("land_cover", classes=["forest", "water"])}
        >>> loader = DataLoader(TacoNonGeoDataset("chips.tacozip", inputs), batch_size=32, collate_fn=stack_samples)
    """

    def __init__(
        self,
        rows: Rows,
        inputs: Mapping[str, InputLike] = {"image": ""},
        *,
        transforms: Transforms | None = None,
        jobs: int = 0,
    ) -> None:
        super().__init__(rows, _with_types(inputs), jobs=jobs)
        self.transforms = transforms

    def __getitem__(self, index: SupportsIndex) -> Sample:
        sample = to_torchgeo(super().__getitem__(index))
        return sample if self.transforms is None else self.transforms(sample)

    def plot(self, sample: Sample, show_titles: bool = True, suptitle: str | None = None) -> Any:
        """Plots a sample: its images and masks side by side. See :func:`plot_sample`."""
        return plot_sample(sample, show_titles, suptitle)


class TacoGeoDataset(GeoDataset):  # type: ignore[misc]
    """A `GeoDataset` of torchgeo: ``dataset[x0:x1, y0:y1, t0:t1]`` is a dict of tensors of the pixels in this box.

    The index has a polygon and a time for each sample. Polygons are those of the columns `stac:crs`,
    `stac:geotransform` and `stac:tensor_shape`; without these columns each raster is opened once. Times are those of `stac:time_start` and
    `stac:time_end` (or `istac:`) in UTC; a sample without them is of any time. A query takes slices of x and y in units of
    the CRS, with the resolution as step, and of times; what is left out is that of the whole dataset.

    Where several samples have a value, that of the first in order of the rows is taken. Pixels in the CRS and on the
    grid of the query are copied; others are resampled, images bilinear, other inputs nearest. Pixels that no sample has
    are `Input.fill`, else the no data value of the rasters, else 0.

    Args:
        rows: Dataset or frame of the samples; or a path or list of paths, which :func:`tacore.load` opens.
        inputs: Mapping from names to inputs, as for :class:`tacore.loader.Loader`, without columns and windows.
        crs: CRS of the index and of queries; None: that of the first sample.
        res: Pixel size in units of the CRS, a number or (x, y); None: that of the first sample.
        transforms: Function called with each sample, a dict; its result replaces the sample.

    Raises:
        TacoBackendError: torchgeo is not installed, or is older than 0.8.
        TypeError: `inputs` is not a mapping, or has a column or a window.
        TacoQueryError: There are no rows.
        TacoFormatError: A sample has no CRS or geotransform.
        IndexError: ``dataset[query]``: no sample is in this box and time.
        ValueError: ``dataset[query]``: a slice ends before it starts.

    Example:
        >>> dataset = TacoGeoDataset("scenes.tacozip", {"image": "s2/4,3,2", "mask": "clouds"})
        >>> for query in RandomGeoSampler(dataset, size=256, length=1000):
        ...     sample = dataset[query]
    """

    def __init__(
        self,
        rows: Rows,
        inputs: Mapping[str, InputLike] = {"image": ""},
        *,
        crs: Any = None,
        res: float | tuple[float, float] | None = None,
        transforms: Transforms | None = None,
    ) -> None:
        require("torchgeo", "TacoGeoDataset")
        version = importlib.metadata.version("torchgeo")
        if version.startswith(("0.1.", "0.2.", "0.3.", "0.4.", "0.5.", "0.6.", "0.7.")):  # queries were other objects
            raise TacoBackendError(
                f"TacoGeoDataset needs torchgeo 0.8 or newer, and {version} is installed: pip install --upgrade torchgeo"
            )
        self._rows = opened_rows(rows)
        if not len(self._rows):
            raise TacoQueryError("TacoGeoDataset: there are no rows; at least one sample is expected")
        self._inputs: dict[str, Input] = {}
        for name, each in _with_types(inputs).items():
            if isinstance(each, Column) or each.window is not None:
                what = "column, which belongs" if isinstance(each, Column) else "window, which belongs"
                raise TypeError(f"TacoGeoDataset: {name!r} is a {what} to whole samples; use TacoNonGeoDataset")
            self._inputs[name] = each
        self.transforms = transforms
        path = next(iter(self._inputs.values())).path
        with column_hints(self._rows, list(self._inputs.values())):
            self._grids = stored_grids(self._rows) or [
                grid_of(raster_at(self._rows, position, path)) for position in range(len(self._rows))
            ]
        snapped = [_snapped(grid) for grid in self._grids]
        self.index = _index(self._rows, snapped, crs)
        if res is None:
            res = _resolution(snapped[0], self.index.crs)
        self._res = res if isinstance(res, tuple) else (res, res)

    def __getitem__(self, query: Any) -> Sample:
        import numpy
        import shapely

        x, y, t = asked = self._slices(query)
        # Without the neighbours of a chip that only touch it.
        dx, dy = x.step * TOLERANCE, y.step * TOLERANCE
        box = shapely.box(x.start + dx, y.start + dy, x.stop - dx, y.stop - dy)
        found = numpy.sort(self.index.sindex.query(box, predicate="intersects"))
        times = self.index.index[found]
        found = found[(times.left <= _utc(t.stop)) & (times.right >= _utc(t.start))][:: t.step]
        if not len(found):
            raise IndexError(f"no sample is in the query {asked}; the dataset has {self.bounds}")
        positions = self.index["position"].to_numpy()[found]
        width, height = (max(round((part.stop - part.start) / part.step), 1) for part in (x, y))
        grid = Grid(_text(self.crs), (x.start, x.step, 0.0, y.stop, 0.0, -y.step), width, height)
        sample: Sample = {"crs": self.crs, "bounds": asked}
        for name, each in self._inputs.items():
            sample[name] = self._read(positions, name, each, grid)
        sample = to_torchgeo(sample)
        return sample if self.transforms is None else self.transforms(sample)

    def plot(self, sample: Sample, show_titles: bool = True, suptitle: str | None = None) -> Any:
        """Plots a sample: its images and masks side by side. See :func:`plot_sample`."""
        return plot_sample(sample, show_titles, suptitle)

    def _slices(self, query: Any) -> tuple[slice, slice, slice]:
        """The slices of x, y and time of a query, with those of the dataset where it leaves something out."""
        asked = query if isinstance(query, tuple) else (query,)
        whole = self.bounds
        if len(asked) > 3 or not all(isinstance(part, slice) for part in asked):
            raise TypeError(f"a query is dataset[x0:x1, y0:y1, t0:t1], not {query!r}")
        found = []
        for own, part in zip(whole, (*asked, *[slice(None)] * (3 - len(asked)))):
            named = (part.start, part.stop, part.step), (own.start, own.stop, own.step)
            found.append(slice(*(given if given is not None else default for given, default in zip(*named))))
            if found[-1].start > found[-1].stop:
                raise ValueError(f"a query from {found[-1].start} to {found[-1].stop}: the end is before the start")
        return found[0], found[1], found[2]

    def _read(self, positions: Any, name: str, each: Input, grid: Grid) -> Any:
        import numpy

        rasters = [(raster_at(self._rows, position, each.path), self._grids[position]) for position in positions]
        kind = numpy.dtype(each.dtype or ("float64" if each.scale is not None else rasters[0][0].dtype))
        nodata = rasters[0][0].info.nodata
        fill = each.fill if each.fill is not None else nodata if nodata is not None else 0
        pixels = read_mosaic(
            ((raster, grid_of(raster, stored)) for raster, stored in rasters),
            each, grid, "bilinear" if name.startswith("image") else "nearest",
        )  # fmt: skip
        pixels[numpy.isnan(pixels)] = fill
        array = pixels.astype(kind)
        return array if torch is None else torch.from_numpy(array)


def stored_grids(rows: Any) -> list[Grid] | None:
    """The grids of samples by their columns; None if there are no such columns, or one has no value."""
    names = ["stac:crs", "stac:geotransform", "stac:tensor_shape"]
    if any(name not in rows.columns for name in names):
        return None
    grids = []
    for row in _core.rows(rows._core.select(names)):
        crs, geotransform, shape = (row[name] for name in names)
        if not crs or geotransform is None or shape is None:
            return None
        grids.append(Grid(crs, tuple(geotransform), shape[-1], shape[-2]))
    return grids


def to_torchgeo(sample: Mapping[str, Any]) -> Sample:
    """Converts the inputs of a sample or of a batch to the types and shapes that torchgeo expects.

    An input whose name begins with "image" becomes float32. Others become int64 or float32, and stay bool. An input
    whose name begins with "mask", of one band, loses the dimension of bands: its shape is (height, width), or (samples,
    height, width). What is neither a tensor nor an array stays as it is.

    Example:
        >>> TacoDataModule("chips.tacozip", {"image": "s2", "mask": "label"}, batch_size=32, transform=to_torchgeo)
    """
    out = {}
    for name, value in sample.items():
        kind = str(getattr(value, "dtype", "object")).removeprefix("torch.")
        if name.startswith("mask") and len(getattr(value, "shape", ())) >= 3 and value.shape[-3] == 1:
            value = value[..., 0, :, :]
        if "int" in kind or "float" in kind:
            wanted = "int64" if "int" in kind and not name.startswith("image") else "float32"
            value = value.astype(wanted) if torch is None else value.to(getattr(torch, wanted))
        out[name] = value
    return out


def plot_sample(sample: Mapping[str, Any], show_titles: bool = True, suptitle: str | None = None) -> Any:
    """Plots the images and masks of a sample side by side.

    The first three bands of an image are shown as red, green and blue (``"s2/4,3,2"`` selects them in this order), one
    of fewer bands in grey, stretched from the 2nd to the 98th percentile. A "prediction" that a model added to the
    sample is shown as well, and labels in the title.

    Args:
        sample: Sample of a dataset of this module: tensors or arrays by name.
        show_titles: Whether the name of each input is above it.
        suptitle: Title of the whole figure; None: the labels, if there are any.

    Returns:
        A matplotlib.figure.Figure.

    Raises:
        ValueError: The sample has neither an image nor a mask.
        TacoBackendError: matplotlib is not installed.
    """
    require("matplotlib", "plot")
    import numpy
    from matplotlib import pyplot

    values = {name: numpy.asarray(value) for name, value in sample.items() if hasattr(value, "shape")}
    shown = {name: value for name, value in values.items() if value.ndim in (2, 3)}
    if not shown:
        raise ValueError(f"plot: the sample has no image or mask, but {', '.join(sample)}")
    figure, axes = pyplot.subplots(1, len(shown), squeeze=False, figsize=(4 * len(shown), 4))
    for axis, (name, value) in zip(axes[0], shown.items()):
        if name.startswith("image"):
            bands = value[:3] if len(value) >= 3 else value[:1]
            low, high = numpy.nanpercentile(bands, (2, 98), axis=(1, 2), keepdims=True)
            stretched = numpy.clip((bands - low) / numpy.maximum(high - low, 1e-12), 0, 1)
            axis.imshow(numpy.moveaxis(stretched, 0, -1).squeeze(), cmap="gray")
        else:
            axis.imshow(value if value.ndim == 2 else value[0], interpolation="none")
        axis.axis("off")
        if show_titles:
            axis.set_title(name)
    labels = [f"{name}: {value}" for name, value in values.items() if value.ndim == 0]
    if suptitle is not None or labels:
        figure.suptitle(suptitle if suptitle is not None else ", ".join(labels))
    return figure


def _with_types(inputs: Any) -> dict[str, Input | Column]:
    """The inputs by name; images are read as float32."""
    if not isinstance(inputs, Mapping):
        raise TypeError(
            'inputs: a mapping from names to inputs is expected, such as {"image": "optical", "mask": "mask"}, not '
            f"{type(inputs).__name__}"
        )
    out = named_inputs(inputs)
    for name, each in out.items():
        if name.startswith("image") and isinstance(each, Input) and each.dtype is None:
            out[name] = replace(each, dtype="float32")
    return out


def _index(rows: Any, grids: list[Grid], crs: Any) -> Any:
    """The GeoDataFrame of a GeoDataset: polygons of the samples, and the intervals of their times as index."""
    import geopandas
    import pandas
    import shapely

    by_crs = defaultdict(list)
    for position, grid in enumerate(grids):
        by_crs[grid.crs].append(position)
    crs = grids[0].crs if crs is None else crs
    polygons: list[Any] = [None] * len(grids)
    for own, positions in by_crs.items():
        some = geopandas.GeoSeries([shapely.Polygon(grids[position].corners) for position in positions], crs=own)
        for position, polygon in zip(positions, some.to_crs(crs)):
            polygons[position] = polygon
    starts, ends = _times(rows)
    start, end = (
        pandas.DatetimeIndex(pandas.to_datetime(times, utc=True)).tz_localize(None) for times in (starts, ends)
    )
    start, end = start.as_unit("ns").fillna(pandas.Timestamp.min), end.as_unit("ns").fillna(pandas.Timestamp.max)
    index = pandas.IntervalIndex.from_arrays(start, end, closed="both", name="datetime")
    return geopandas.GeoDataFrame({"position": range(len(grids))}, index=index, geometry=polygons, crs=crs)


def _times(rows: Any) -> tuple[list[dt.datetime | None], list[dt.datetime | None]]:
    """First and last time of each sample; both None where it has none, and equal where it has one."""
    names = next((pair for pair in _TIMES if pair[0] in rows.columns), None)
    if names is None:
        return [None] * len(rows), [None] * len(rows)
    core, types = rows._core, dict(rows._core.columns)
    present = [name for name in names if name in types]
    for name in present:
        if types[name].startswith(("int", "uint", "float", "double")):  # before 2.0; as filter_datetime takes them
            core = core.with_column(name, f"make_timestamp(tacore_epoch(CAST(\"{name}\" AS BIGINT), '{name}'))")
    found = _core.rows(core.select(present))
    starts = [row[names[0]] for row in found]
    return starts, [row.get(names[1]) or start for row, start in zip(found, starts)]


_TIMES = (("istac:time_start", "istac:time_end"), ("stac:time_start", "stac:time_end"))


def _utc(time: Any) -> Any:
    """A time as a Timestamp of pandas, in UTC and without a time zone, as those of the index."""
    import pandas

    found = pandas.Timestamp(time)
    return found if found.tz is None else found.tz_convert(None)


def _snapped(grid: Grid) -> Grid:
    """The grid, rounded to a millionth of a pixel in binary, so that sums are exact: samplers of torchgeo compare the
    extent of a chip with its number of pixels * resolution, and leave out chips that rounding made smaller."""
    quantum = 2.0 ** math.floor(math.log2(min(_pixel_size(grid)) * 1e-6))
    x, width, skew_x, y, skew_y, height = (round(number / quantum) * quantum for number in grid.geotransform)
    return grid._replace(geotransform=(x, width, skew_x, y, skew_y, height))


def _pixel_size(grid: Grid) -> tuple[float, float]:
    """Width and height of a pixel in units of the CRS, also of a grid with rotation."""
    _, width, skew_x, _, skew_y, height = grid.geotransform
    return math.hypot(width, skew_y), math.hypot(skew_x, height)


def _resolution(grid: Grid, crs: Any) -> tuple[float, float]:
    """Pixel size of a grid in units of a CRS."""
    from rasterio.warp import calculate_default_transform

    if crs == grid.crs:
        return _pixel_size(grid)
    xs, ys = zip(*grid.corners)
    transform, _, _ = calculate_default_transform(
        grid.crs, crs, grid.width, grid.height, min(xs), min(ys), max(xs), max(ys)
    )
    return transform.a, -transform.e


def _text(crs: Any) -> str:
    """A CRS of pyproj as a grid has it."""
    known = crs.to_authority()
    return f"{known[0]}:{known[1]}" if known else str(crs.to_wkt())
