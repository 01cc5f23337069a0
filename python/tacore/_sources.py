"""Sources of a loader over several datasets, and how their samples are read."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from . import _core
from ._arrays import array
from ._bands import Bands, bands_of, find_band
from ._columns import Column, cells_of, listed
from ._dataframe import TacoDataFrame
from ._dataset import TacoDataset, load, rows_of
from ._errors import TacoError, TacoQueryError, TacoSchemaError
from ._resample import Axis, bilinear, blend, fit_axis, nearest, select
from .loader import Input, Rows, column_hints, named_inputs
from .raster import BandStatistics, BandSummary, ScaleLike, dtype_name, stored_summary, tensor_options


@dataclass(frozen=True)
class Source:
    """A dataset among those of a :class:`MixedLoader`.

    Attributes:
        rows: Dataset or frame of the samples; or a path or list of paths, which :func:`tacore.load` opens.
        image: Path of ids below the sample to the raster with the bands; "": the sample itself.
        inputs: Further inputs by name, the same names for all sources: a FILE with classes or another mask, as text or
            :class:`Input`, or a :class:`Column`. Masks cover the same area as the image, and are resampled to the
            nearest pixel. Their type is that of all sources together, unless the Input has a `dtype`; its `fill` is
            also the value of padding.
        sensor: Sensor of the images, one of `tacore.datamodel.SUPPORTED_SENSORS`, also with some of its bands in their
            order: "sentinel2msi[B04, B03, B02]". None: that of the dataset's COLLECTION.json.
        bands: Bands of the images in their order: names of bands, with `sensor` of its bands, or SpectralBand objects.
            None: all bands of the sensor.
        weight: How often each sample is taken in an epoch, relative to those of other sources: 2 is twice as often.
        split: Value of the column `split` of the samples that are taken; None: all.
        scale: Factor, (factor, offset), or a list of these, one for each band of the batch, for example to reflectance;
            None: `scale` of the loader.
        statistics: Statistics of each band of the images in their order, for ``scale="statistics"``; None: those that
            the samples store.
        pixel_size: Width and height of a pixel of the images in metres, for `resolution`; None: those of each file.

    Raises:
        ValueError: `weight` or `pixel_size` is not a positive number, or an input is called "image".

    Example:
        >>> Source("s2.tacozip", image="optical", inputs={"mask": Input("label", fill=255)}, split="train")
    """

    rows: Rows
    image: str = ""
    inputs: Mapping[str, str | Input | Column] = field(default_factory=dict)
    sensor: str | None = None
    bands: Bands | None = None
    weight: float = 1.0
    split: str | None = None
    scale: ScaleLike = None
    statistics: Sequence[BandStatistics | BandSummary] | None = None
    pixel_size: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("weight", self.weight), ("pixel_size", self.pixel_size)):
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"Source: {name} is {value}; a positive number is expected")
        if "image" in self.inputs:
            raise ValueError("Source: an input is called 'image', which is the name of the bands; give it another name")


class Form(NamedTuple):
    """What all images of a loader have in common."""

    height: int
    width: int
    fit: str
    is_random: bool
    resampling: str
    resolution: float | None
    fill: float


class Mask(NamedTuple):
    """A mask of a loader: its shape and type in all sources."""

    num_bands: int
    dtype: str


class _Reading(NamedTuple):
    """What is read of a raster of each sample."""

    path: str
    bands: tuple[int, ...]
    """Bands from 1; empty: all."""
    scale: tuple[tuple[float, float], ...]
    fill: float | None


class OpenSource:
    """A source of a loader, and how its samples are read. The same for all threads, and can be pickled."""

    def __init__(
        self, number: int, source: Source, masks: list[str], bands: list[str | float], scale: ScaleLike,
        statistics_split: str | None, form: Form,
    ) -> None:  # fmt: skip
        opened: Any = source.rows
        if not isinstance(opened, (TacoDataset, TacoDataFrame)):
            opened = load(opened)
        every = rows_of(opened)
        name = str(every._origin.recipe[0][1])
        self.name = f"source {number} ({name!r})"
        self.weight = source.weight
        self.image = source.image
        self.pixel_size = source.pixel_size
        inputs = named_inputs(source.inputs)
        self.masks = [each for each in map(inputs.__getitem__, masks) if isinstance(each, Input)]
        self.form = form
        try:
            self.rows = _of_split(every, source.split)
            if not len(self.rows):
                raise TacoQueryError("has no samples")
            known = bands_of(source.sensor, source.bands, opened)
            self.num_bands = len(known)
            self.bands = tuple(find_band(each, known) + 1 for each in bands)
            wanted = scale if source.scale is None else source.scale
            by_statistics = isinstance(wanted, str)
            scales = self._scale_of(source.statistics, opened, statistics_split) if by_statistics else _scales(wanted)
        except TacoError as error:
            raise about(error, self.name) from None
        #: The image, then the masks.
        self.inputs = [_Reading(source.image, self.bands, scales, form.fill)]
        for each in self.masks:
            self.inputs.append(_Reading(each.path, _bands(each.bands), _scales(each.scale), each.fill))

    def _scale_of(
        self, given: Sequence[Any] | None, opened: TacoDataset | TacoDataFrame, split: str | None
    ) -> tuple[tuple[float, float], ...]:
        """Scales that give each band mean 0 and standard deviation 1."""
        if given is None:
            found: Sequence[Any] = self._stored(opened, split)
        elif len(given) == self.num_bands:
            found = [given[band - 1] for band in self.bands]
        else:
            raise TacoQueryError(
                f"statistics has {len(given)} elements for {self.num_bands} bands; one for each band of the image is "
                "expected"
            )
        return tuple((1 / (band.std or 1.0), -band.mean / (band.std or 1.0)) for band in found)

    def _stored(self, opened: TacoDataset | TacoDataFrame, split: str | None) -> list[BandSummary]:
        try:
            if self.image and not isinstance(opened, TacoDataset):
                raise TacoQueryError("those of children can be had of a dataset, not of a frame")
            rows: TacoDataset | TacoDataFrame = opened
            if split is not None:
                selected = _of_split(rows_of(opened), split)  # raises for a split that has no samples
                quoted = split.replace("'", "''")
                is_dataset = isinstance(opened, TacoDataset)
                rows = opened.sql(f"SELECT * FROM data WHERE split = '{quoted}'") if is_dataset else selected
            found = stored_summary(rows, bands=list(self.bands), child=self.image)
        except TacoQueryError as error:
            raise self._no_statistics(split, str(error)) from None
        if any(math.isnan(band.mean) or math.isnan(band.std) for band in found):
            raise self._no_statistics(split, "a band has no mean or standard deviation")
        return found

    def _no_statistics(self, split: str | None, reason: str) -> TacoQueryError:
        child = f", child={self.image!r}" if self.image else ""
        of = f" of the split {split!r}" if split is not None else ""
        return TacoQueryError(
            f'scale="statistics": no stored statistics of the images{of}: {reason.rstrip(".")}. Compute them from the '
            f"rows of training, and give Source(statistics=tacore.raster.compute_statistics(rows{child}).bands)"
        )

    def shapes(self, skip: bool) -> list[Mask]:
        """Shape and type of each mask of the first sample; with `skip`, of the first that can be opened. What its
        rasters have is expected of all: such are read at once, others take longer."""
        for row in range(len(self.rows)):
            try:
                with column_hints(self.rows, self.masks):
                    rasters = [_core.open_input(self.rows._core, row, each.path) for each in self.inputs]
                    self.usual = [raster.info()[:4] for raster in rasters]
                    self._check_bands(rasters[0])
                break
            except TacoError as error:
                if not skip or row + 1 == len(self.rows):
                    raise self._about(error, row) from None
        self.is_remote = "/vsi" in rasters[0].name.removeprefix("/vsisubfile/")
        out = []
        for each, given, (_, _, num_bands, dtype) in zip(self.inputs[1:], self.masks, self.usual[1:]):
            if given.dtype is not None or given.scale is not None:
                dtype = dtype_name(given.dtype) or "float32"
            out.append(Mask(len(each.bands) or num_bands, dtype))
        return out

    def _check_bands(self, raster: _core.Raster) -> None:
        num_bands = raster.info()[2]
        if num_bands != self.num_bands:
            raise _said_of(raster, f"has {num_bands} bands, and {self.num_bands} are expected: those of the sensor, or "
                                   "of Source(bands=[...])")  # fmt: skip

    def _about(self, error: TacoError, row: int) -> TacoError:
        id = f" {self.rows._core.text(row, 'id')!r}" if "id" in self.rows.columns else ""
        return about(error, f"{self.name}, sample{id} (row {row})")

    def read(self, row: int, bits: int, masks: Sequence[Mask], out: Sequence[Any]) -> None:
        """Reads the image and the masks of a sample.

        Args:
            row: Row of the sample.
            bits: Random 64 bits, for the place of a random crop.
            masks: Shape and type of each mask.
            out: Arrays of shape (bands, height, width) of the image and each mask, which are filled.

        Raises:
            TacoError: The sample cannot be read, or does not fit; the error has the source and the id.
        """
        form = self.form
        shares = ((bits & 0xFFFFFFFF) / 2**32, (bits >> 32) / 2**32) if form.is_random else (None, None)
        try:
            if self._read_usual(row, shares, masks, out):
                return
            raster = _core.open_input(self.rows._core, row, self.inputs[0].path)
            self._check_bands(raster)
            width, height, _, dtype = raster.info()[:4]
            down, across = self._steps(raster)
            try:
                rows = fit_axis(height, form.height, form.fit, down, shares[0])
                columns = fit_axis(width, form.width, form.fit, across, shares[1])
            except TacoQueryError as error:
                raise _said_of(raster, str(error)) from None
            _read(raster, self.inputs[0], "float32", rows, columns, form.resampling, out[0])
            if dtype.startswith("float"):
                _fill_not_finite(out[0], form.fill)
            for each, mask, pixels in zip(self.inputs[1:], masks, out[1:]):
                raster = _core.open_input(self.rows._core, row, each.path)
                of_mask = raster.info()
                if not each.bands and of_mask[2] != mask.num_bands:
                    raise _said_of(
                        raster, f"has {of_mask[2]} bands; {mask.num_bands} expected, as of the other samples"
                    )
                of_rows = rows._replace(step=rows.step * of_mask[1] / height)
                of_columns = columns._replace(step=columns.step * of_mask[0] / width)
                _read(raster, each, mask.dtype, of_rows, of_columns, "nearest", pixels)
        except TacoError as error:
            raise self._about(error, row) from None

    def _read_usual(self, row: int, shares: Any, masks: Sequence[Mask], out: Sequence[Any]) -> bool:
        """Reads a sample whose rasters are as usual, by one call for each, if they are only to be cut. False if not."""
        form = self.form
        width, height = self.usual[0][:2]
        if form.resolution is not None or form.fit == "resample" or height < form.height or width < form.width:
            return False
        if any(usual[:2] != (width, height) for usual in self.usual):
            return False
        rows = fit_axis(height, form.height, form.fit, 1, shares[0])
        columns = fit_axis(width, form.width, form.fit, 1, shares[1])
        window = (columns.first, rows.first, columns.length, rows.length)
        dtypes = ("float32", *(mask.dtype for mask in masks))
        for each, usual, dtype, pixels in zip(self.inputs, self.usual, dtypes, out):
            options = _options(each.bands, window, dtype, each.scale, each.fill)
            if _core.read_or_open(self.rows._core, row, each.path, usual, options, pixels) is not None:
                return False
        if self.usual[0][3].startswith("float"):
            _fill_not_finite(out[0], form.fill)
        return True

    def _steps(self, raster: _core.Raster) -> tuple[float, float]:
        """Pixels of the image for each pixel of the batch: down and across."""
        resolution = self.form.resolution
        if resolution is None:
            return 1, 1
        if self.pixel_size is not None:
            return resolution / self.pixel_size, resolution / self.pixel_size
        crs, to_crs = raster.georeference()
        if to_crs is None:
            raise _said_of(raster, "has no geotransform, so that the size of its pixels is unknown; give "
                                   "Source(pixel_size=metres)")  # fmt: skip
        if _is_geographic(crs):
            raise _said_of(raster, f"has pixels in degrees ({crs[:20]}); give Source(pixel_size=metres)")
        return resolution / math.hypot(to_crs[2], to_crs[5]), resolution / math.hypot(to_crs[1], to_crs[4])


def _read(
    raster: _core.Raster, each: _Reading, dtype: str, rows: Axis, columns: Axis, resampling: str, out: Any
) -> None:  # fmt: skip
    """Reads a raster into its part of an array, and fills the rest."""
    import numpy

    inside = out[:, rows.before : rows.before + rows.length, columns.before : columns.before + columns.length]
    if inside.shape != out.shape:
        out.fill(each.fill or 0)
    if rows.step == columns.step == 1:
        window = (columns.first, rows.first, columns.length, rows.length)
        inside[...] = array(raster.read(_options(each.bands, window, dtype, each.scale, each.fill)))
        return
    width, height = raster.info()[:2]
    taps = bilinear if resampling == "bilinear" else nearest
    down, across = taps(height, rows), taps(width, columns)
    window = (across.first, down.first, across.length, down.length)
    if resampling == "nearest":
        pixels = array(raster.read(_options(each.bands, window, dtype, each.scale, each.fill)))
        inside[...] = select(pixels, down, across)
        return
    pixels = array(raster.read(_options(each.bands, window, dtype, each.scale, math.nan)))
    inside[...] = blend(pixels, down, across)
    numpy.copyto(inside, numpy.float32(each.fill or 0), where=numpy.isnan(inside))


def _fill_not_finite(pixels: Any, fill: float) -> None:
    import numpy

    is_finite = numpy.isfinite(pixels)
    if not is_finite.all():
        pixels[~is_finite] = fill


@lru_cache(maxsize=1024)
def _options(
    bands: tuple[int, ...], window: tuple[int, ...], dtype: str, scale: tuple[Any, ...], fill: float | None
) -> _core.TensorOptions:
    return tensor_options(bands or None, window, dtype, list(scale) or None, fill)


def _of_split(rows: TacoDataFrame, split: str | None) -> TacoDataFrame:
    """The rows whose column `split` has a value; None: all."""
    if split is None:
        return rows
    if "split" not in rows.columns:
        raise TacoQueryError(
            f"the rows have no column 'split', by which those of {split!r} are selected; select rows yourself, for "
            "example by dataset.sql(...), and pass split=None, statistics_split=None"
        )
    values = cells_of(rows, "split")
    at = [position for position, value in enumerate(values) if value == split]
    if not at:
        raise TacoQueryError(
            f"no sample has the split {split!r}; the splits are {listed(sorted(set(map(str, values))))}"
        )
    return rows if len(at) == len(rows) else rows._rows(at)


def _scales(given: ScaleLike) -> tuple[tuple[float, float], ...]:
    each = given if isinstance(given, list) else [] if given is None else [given]
    pairs = (scale if hasattr(scale, "__len__") else (scale, 0) for scale in each)
    return tuple((float(factor), float(offset)) for factor, offset in pairs)


def _bands(given: Any) -> tuple[int, ...]:
    return () if given is None else tuple(given) if isinstance(given, Sequence) else (given,)


def about(error: TacoError, what: str) -> TacoError:
    """The error, with words for the source or sample in front."""
    told = type(error)(f"{what}: {error}")
    told.__dict__.update(error.__dict__, message=f"{what}: {error.message or error}")
    return told


def _said_of(raster: _core.Raster, fault: str) -> TacoSchemaError:
    return TacoSchemaError(f"{_core.redact(raster.name)}: {fault}")


def _is_geographic(crs: str) -> bool:
    if re.fullmatch(r"EPSG:(32[67]\d\d|3857)", crs):
        return False
    try:
        from ._pyproj import is_geographic

        return is_geographic(crs)
    except TacoSchemaError:  # pyproj is not installed
        return crs.startswith(("EPSG:4", "GEOG"))
