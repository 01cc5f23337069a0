"""Pixels of samples: what a raster is, tensors, statistics, previews, headers and TOGs.

TIFF and BigTIFF with ZSTD, deflate, LZW or no compression and integers or floating point of 8 to 64 bits are decoded
here, without GDAL; anything else by the rasterio of your environment, which is imported when it is first needed.

Arrays are numpy.ndarray where NumPy is installed, else :class:`Tensor`, which memoryview and anything that speaks
DLPack take. Either way they are the memory that was decoded into, not a copy. Bands count from 1.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, TypeAlias, overload

from . import _core
from ._aliases import former
from ._arrays import array
from ._core import BandStatistics, Histogram, Tensor
from ._dataframe import TacoDataFrame
from ._dataset import TacoDataset, rows_of
from ._errors import TacoError, in_words
from ._output import local_path
from ._progress import Progress, callback

if TYPE_CHECKING:
    import xarray

    from .datamodel import Sample

__all__ = [
    "BandStatistics",
    "BandSummary",
    "FrameStatistics",
    "Georeference",
    "Histogram",
    "Raster",
    "RasterInfo",
    "SampleFailure",
    "Tensor",
    "TiffIndexFileResult",
    "check_tacotiff",
    "compute_quantiles",
    "compute_statistics",
    "encode_png",
    "make_tog",
    "open_raster",
    "preview",
    "read_stack",
    "read_tensor",
    "stored_statistics",
    "stored_summary",
    "to_xarray",
    "write_tiff_index",
]

__getattr__ = former(__name__, write_headers="write_tiff_index", HeaderFileResult="TiffIndexFileResult")

Key = SupportsIndex | str
#: A file or the path under which GDAL opens a part of one, rows with a key, a sample to be written, an open raster.
Source: TypeAlias = "str | os.PathLike[str] | TacoDataFrame | TacoDataset | Sample | Raster"
Bands = SupportsIndex | Sequence[SupportsIndex] | None
#: (x, y, width, height) in pixels from the upper left corner, or a rasterio.windows.Window.
WindowLike = Any
#: A factor, (factor, offset), or a list of these, one for each band.
ScaleLike = Any


class RasterInfo(NamedTuple):
    """What a raster is. Sizes in pixels."""

    width: int
    height: int
    bands: int
    dtype: str
    nodata: float | None
    """Of all bands; NaN is one, too."""
    format: str
    """The GDAL driver that reads it: "GTiff", ..."""
    block_width: int
    block_height: int
    compression: str
    """As GDAL has it: "ZSTD", "DEFLATE", "LZW", "NONE", ..."""
    interleave: str
    """"PIXEL", "BAND" or "TILE"."""
    predictor: int
    """1 none, 2 horizontal, 3 floating point."""


class Georeference(NamedTuple):
    """Where a raster lies."""

    crs: str
    """"EPSG:32719", else WKT; "" where the file does not say."""
    geotransform: tuple[float, float, float, float, float, float] | None
    """Pixel corner to CRS, in GDAL's order: x, width of a pixel, skew, y, skew, height of a pixel (negative: south)."""


class SampleFailure(NamedTuple):
    """A sample that was left out."""

    position: int
    message: str


class FrameStatistics(NamedTuple):
    """Statistics of the pixels of many samples together."""

    bands: list[BandStatistics]
    num_samples: int
    """That are in them."""
    failures: list[SampleFailure]


class BandSummary(NamedTuple):
    """What samples store of a band, aggregated by :func:`stored_summary`; NaN where none stores it."""

    band: int
    """Counted from 1."""
    mean: float
    std: float
    min: float
    max: float
    quantiles: list[float]
    """In the order that was asked for."""
    is_approximate: bool
    """The quantiles are means of those of the samples, which may be far from the quantiles of all their pixels. False
    when they come from stored histograms, or from one sample."""
    quantile_error: float
    """From stored histograms: how far the quantiles may be off; else NaN."""
    classes: list[float]
    """Shares of the classes, of a categorical band, which has none of the above."""


class TiffIndexFileResult(NamedTuple):
    """What :func:`write_tiff_index` made."""

    path: str
    num_headers: int
    num_others: int
    """FILEs that are no TIFF, or one for GDAL."""
    num_broken: int
    """TIFFs whose directory cannot be read; a warning names each."""


class Raster:
    """A raster that is open for reading: made by :func:`open_raster`.

    Immutable. Safe from several threads, used after a fork, and can be pickled: a process that unpickles it opens the
    same raster anew, or raises a TacoError where its file was changed.
    """

    __slots__ = ("_core", "_origin")

    def __init__(self, core: _core.Raster, origin: tuple[Any, ...]) -> None:
        self._core = core
        self._origin = origin

    @property
    def name(self) -> str:
        """The path as GDAL has it, with `***` for credentials, which `internal:gdal_vsi` of a frame holds."""
        return _core.redact(self._core.name)

    @property
    def info(self) -> RasterInfo:
        """What it is. Raises TacoIOError when no data has to be looked up in the file, and cannot."""
        return RasterInfo(*self._core.info())

    @property
    def shape(self) -> tuple[int, int, int]:
        """(bands, height, width)."""
        info = self.info
        return info.bands, info.height, info.width

    @property
    def dtype(self) -> str:
        """As NumPy names it: "uint8", "float32", ..."""
        return self.info.dtype

    @property
    def georeference(self) -> Georeference:
        """Where it lies. Raises TacoIOError, TacoFormatError."""
        return Georeference(*self._core.georeference())

    def read(
        self,
        bands: Bands = None,
        window: WindowLike = None,
        dtype: Any = None,
        scale: ScaleLike = None,
        fill: float | None = None,
        out: Any = None,
    ) -> Any:
        """Pixels as an array of shape (bands, height, width).

        Args:
            bands: From 1, in this order, may repeat; None: all. A single number gives one band, and an array of three
                axes all the same.
            window: (x, y, width, height) in pixels from the upper left corner, or a rasterio Window; None: the whole.
            dtype: "uint8" to "float64", or NumPy's or PyTorch's object for it; None: the file's own, float32 when there
                is a `scale`. Values that do not fit an integer type are rounded to the nearest (halves away from zero)
                and kept within its range; NaN becomes 0 there.
            scale: value * factor + offset in double precision: a factor, (factor, offset), or a list of these, one for
                each band. ``BandStatistics.scale()`` gives one.
            fill: Takes the place of no data, after scaling. None: no data is a value.
            out: A writable array of that shape and type, rows next to each other, that is filled and returned.

        Raises:
            TacoQueryError: Bands or a window outside the raster, a `fill` that the type does not hold, another number
                of scales, an `out` that does not fit.
            TacoFormatError: The file lies.
            TacoIOError: It cannot be read.
        """
        options = tensor_options(bands, window, dtype, scale, fill)
        if out is None:
            return array(self._core.read(options))
        self._core.read_into(options, out)
        return out

    def __reduce__(self) -> Any:
        source, *key = self._origin
        if isinstance(source, _File):
            return _opened_again, (source.path, source.version())
        return open_raster, (source, *key)

    def __repr__(self) -> str:
        info = self.info
        return f"<Raster {info.format} {info.dtype} ({info.bands}, {info.height}, {info.width}) {self.name}>"


@dataclass(frozen=True)
class _File:
    """A file that a raster was opened from; without `state` where it is none of this machine's."""

    path: str
    state: tuple[int, int, int] | None

    @classmethod
    def at(cls, path: str) -> _File:
        state = None
        if "://" not in path and not path.startswith("/vsi"):
            path = os.path.join(os.getcwd(), path)
            with contextlib.suppress(OSError):  # which opening it tells
                state = _state(os.stat(path))
        return cls(path, state)

    def version(self) -> tuple[int, int] | None:
        """What tells this version of the file from others, on other machines too: its size, and a CRC-32 of its ends."""
        if self.state is None:
            return None
        with open(self.path, "rb") as file:
            if _state(os.fstat(file.fileno())) != self.state:
                raise TacoError(f"{self.path}: changed since it was opened")
            head = file.read(_END)
            file.seek(max(self.state[0] - _END, 0))
            return self.state[0], zlib.crc32(file.read(), zlib.crc32(head))


_END = 1 << 16


def _state(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_size, found.st_mtime_ns, found.st_ino


def _opened_again(path: str, version: tuple[int, int] | None) -> Raster:
    opened = open_raster(path)
    if version is not None and opened._origin[0].version() != version:
        raise TacoError(f"{path}: changed since it was pickled")
    return opened


def open_raster(source: Source, key: Key | None = None) -> Raster:
    """Opens a raster: little is read, nothing where the dataset has the structure of its rasters stored.

    Args:
        source: A file, or the path under which GDAL opens a part of one; a dataset or a frame, with a `key`; a
            `datamodel.Sample` that is to be written; an open raster, which is returned.
        key: Position, from 0, or id, or a path of ids from here ("tile/optical"), as :meth:`TacoDataFrame.read` has it.

    Raises:
        TacoIOError: There is no such file, or it cannot be read; rasterio is needed and not installed.
        TacoFormatError: A broken raster, complex numbers, or bands that differ in type or no data.
        TacoNavigationError: No such row, or a FOLDER.
    """
    if isinstance(source, Raster):
        return source
    rows = source.data if isinstance(source, TacoDataset) else source
    if isinstance(rows, TacoDataFrame):
        if key is None:
            raise TypeError("open_raster: rows need a key, the position or id of one")
        where = key if isinstance(key, str) else rows._position(key)
        return Raster(_core.open_raster(rows._core, where), (rows, where))
    if key is not None:
        raise TypeError("open_raster: only a dataset or a frame takes a key")
    if isinstance(rows, (str, os.PathLike)):
        file = _File.at(os.fspath(rows))
        return Raster(_core.open_raster(os.fspath(rows)), (file,))
    core: Any = getattr(rows, "_core", rows)
    return Raster(_core.open_raster(core), (rows,))


def read_tensor(
    source: Source,
    key: Key | None = None,
    *,
    bands: Bands = None,
    window: WindowLike = None,
    dtype: Any = None,
    scale: ScaleLike = None,
    fill: float | None = None,
    out: Any = None,
) -> Any:
    """Pixels of a raster as an array of shape (bands, height, width).

    ``read_tensor(dataset, "tile_3/optical", bands=[3, 4], window=(0, 0, 64, 64), dtype="float32")``

    Arguments and errors are those of :func:`open_raster` and :meth:`Raster.read`.
    """
    return open_raster(source, key).read(bands, window, dtype, scale, fill, out)


def read_stack(
    children: TacoDataFrame | TacoDataset,
    *,
    bands: Bands = None,
    window: WindowLike = None,
    dtype: Any = None,
    scale: ScaleLike = None,
    fill: float | None = None,
) -> Any:
    """The FILEs of a frame, such as the children of a FOLDER, as an array of shape (rows, bands, height, width).

    Arguments are those of :meth:`Raster.read`.

    Raises:
        TacoQueryError: No rows; two whose pixels differ in shape or type, which are named; as :meth:`Raster.read`.
        TacoNavigationError: A row that is a FOLDER.
    """
    return array(_core.read_stack(rows_of(children)._core, tensor_options(bands, window, dtype, scale, fill)))


@overload
def compute_statistics(
    source: TacoDataFrame | TacoDataset,
    *,
    bands: Bands = None,
    child: str = "",
    jobs: int = 0,
    on_error: str = "raise",
    progress: bool | Progress = True,
) -> FrameStatistics: ...


@overload
def compute_statistics(
    source: str | os.PathLike[str] | Raster | Sample, *, bands: Bands = None
) -> list[BandStatistics]: ...


def compute_statistics(
    source: Source,
    *,
    bands: Bands = None,
    child: str = "",
    jobs: int = 0,
    on_error: str = "raise",
    progress: bool | Progress = True,
) -> FrameStatistics | list[BandStatistics]:
    """Exact statistics of the valid pixels (finite, not no data) of each band, in one pass and bounded memory.

    Args:
        source: A raster: then a list with an entry for each band is returned. Or a dataset or a frame: of the pixels of
            all samples together, each pixel of equal weight; the result does not depend on `jobs`.
        bands: From 1; None: all.
        child: Rows only: path of ids below each sample ("s2", "a/b"); "": the samples themselves.
        jobs: Rows only: number of threads; 0 means one for each processor.
        on_error: Rows only: "raise", or "skip" to report samples that cannot be read.
        progress: Rows only: True shows a bar, False nothing. A callable is called periodically with (samples done,
            samples in all); the work is cancelled when it returns False or raises.

    Raises:
        TacoQueryError: No rows; samples that differ in their number of bands when all are asked for.
        TacoIOError, TacoFormatError: What cannot be read; of rows the first that cannot, with its id.
    """
    rows = source.data if isinstance(source, TacoDataset) else source
    if not isinstance(rows, TacoDataFrame):
        return _core.compute_statistics(open_raster(rows)._core, _bands(bands))
    skip = skips(on_error)
    made = _core.compute_statistics(rows._core, _bands(bands), child, jobs, skip, callback("Counting", progress))
    return FrameStatistics(made[0], made[1], [SampleFailure(*failure) for failure in made[2]])


def stored_statistics(rows: TacoDataFrame | TacoDataset) -> list[BandStatistics]:
    """Statistics of the samples together from what their rows store (`geotiff:stats`, `stats:*`, `geotiff:histogram`),
    an entry for each band. No pixels are read; rows without statistics are left out.

    Raises:
        TacoQueryError: There are none, or rows differ in their number of bands.
        TacoFormatError: A broken histogram.
    """
    return _core.stored_statistics(rows_of(rows)._core)


def stored_summary(
    rows: TacoDataFrame | TacoDataset,
    *,
    bands: Bands = None,
    quantiles: Iterable[float] = (),
    level: int = 0,
    id: str | None = None,
    child: str = "",
) -> list[BandSummary]:
    """All statistics that samples store, aggregated for each band and marked where they are only approximate. No pixels
    are read.

    ``stored_summary(dataset, child="optical", bands=[4, 1])[0].mean`` is the mean of band 4 of the children "optical".

    Args:
        bands: Counted from 1, one or several in the order of the result; None: all.
        quantiles: Shares from 0 to 1; none: 0.25, 0.5, 0.75 and 0.95, which samples may store. Others are read from
            stored histograms only: `geotiff:histogram`, or those of a streaming TACO 0.2.0.
        level, id: Of a dataset: the children, at this level, of the samples that have this id above it.
        child: Of a dataset: the sample at the end of these ids below each sample ("s2", "a/b"); "": the samples
            themselves.

    Raises:
        TacoQueryError: No statistics, samples that disagree in bands or kind, a band out of range, quantiles that
            nothing stored gives.
        TacoFormatError: A broken histogram.
    """
    found = _core.stored_summary(rows._statistics_core(), _bands(bands), list(quantiles), level, id or "", child)
    return [BandSummary(*band) for band in found]


def compute_quantiles(
    source: Source, probabilities: float | Iterable[float], key: Key | None = None, *, bands: Bands = None
) -> list[list[float]]:
    """Exact quantiles of the valid pixels of a raster: a list for each band, NaN where there are none.

    Args:
        source: As :func:`open_raster` takes it.
        probabilities: In [0, 1], by the rule of numpy.quantile.
        key: The same.
        bands: From 1; None: all.

    Raises:
        TacoQueryError: A probability outside [0, 1], a band that is not there.
    """
    wanted = [float(probabilities)] if isinstance(probabilities, (int, float)) else [float(p) for p in probabilities]
    return _core.compute_quantiles(open_raster(source, key)._core, wanted, _bands(bands))


def preview(source: Source, key: Key | None = None, *, bands: Bands = None, size: int = 512) -> Any:
    """A small picture: an array of uint8, shape (height, width, channels).

    Channels are grey or red, green, blue, and alpha where there is no data: it is transparent there. In each band the
    range from the 2nd to the 98th percentile goes from dark to bright. :func:`encode_png` makes a file of it.

    Args:
        source: As :func:`open_raster` takes it.
        key: The same.
        bands: From 1: one for grey, three for red, green, blue; None: the first three, or the first.
        size: Pixels of the longer side, at most; 1 to 16384.

    Raises:
        TacoQueryError: Another number of bands, or another size.
    """
    return array(open_raster(source, key)._core.preview(_bands(bands), size))


def encode_png(pixels: Any) -> bytes:
    """PNG of a picture: an array of uint8 or uint16, shape (height, width) or (height, width, channels) with 1 (grey),
    2 (grey, alpha), 3 (red, green, blue) or 4 channels, rows next to each other.

    Raises:
        TacoQueryError: Another shape or type.
        TacoValidationError: Sizes that PNG does not have.
    """
    return _core.encode_png(pixels)


def write_tiff_index(
    path: str | os.PathLike[str],
    output: str | os.PathLike[str] = "",
    *,
    base_path: str | os.PathLike[str] = "",
    overwrite: bool = False,
    jobs: int = 0,
    progress: bool | Progress = True,
) -> TiffIndexFileResult:
    """Reads the structure of every TIFF of a dataset once and writes it to a file beside it, so that opening a raster
    needs nothing but its pixels from then on. The dataset stays as it is.

    Args:
        path: Of the dataset.
        output: Index file; by default PATH.headers, the only name that readers look for.
        base_path: Folder of the ZIP files of a TACOCAT or TACOLLECTION.
        overwrite: Replace existing output atomically.
        jobs: Number of threads; 0 means one for each processor.
        progress: True shows a bar, False nothing. A callable is called periodically with (files done, files in all);
            the work is cancelled when it returns False or raises.

    Raises:
        TacoValidationError: There would be nothing in it.
        TacoIOError: The file exists, or a sample cannot be read.
    """
    options = {"output": output, "base_path": base_path, "overwrite": overwrite, "jobs": jobs}
    made = _core.write_tiff_index(os.fspath(path), options, callback("Indexing TIFFs", progress))
    return TiffIndexFileResult(*made)


def make_tog(
    input: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    block_size: int = 512,
    zstd_level: int = 13,
    predictor: int | None = None,
    overwrite: bool = False,
    jobs: int = 0,
    progress: bool | Progress = True,
) -> None:
    """Writes a raster as a TOG (TACO Optimized GeoTIFF).

    That is a BigTIFF in tiles, compressed with ZSTD, in which those of all bands at one place are neighbours. Pixels,
    no data, georeference and metadata stay as they are.

    Args:
        input: What :func:`open_raster` opens. Of what is no TIFF only pixels, no data and geotransform are kept.
        output: Appears whole, or not at all.
        block_size: Side of the tiles in pixels, a multiple of 16.
        zstd_level: ZSTD level, 1 to 22.
        predictor: TIFF predictor: 1 none, 2 any type, 3 floating point; by default 3 for floating point, else 2.
        overwrite: Replace existing output atomically.
        jobs: Number of threads; 0 means one for each processor.
        progress: True shows a bar, False nothing. A callable is called periodically with (bytes of pixels done, bytes in
            all); the work is cancelled when it returns False or raises.

    Raises:
        TacoQueryError: A block size, level or predictor that may not be.
        TacoSchemaError: A CRS that cannot be kept.
        TacoIOError: `output` exists, or something cannot be read or written.
    """
    to = os.fspath(local_path(output))
    options = {
        "block_size": block_size,
        "zstd_level": zstd_level,
        "predictor": predictor,
        "overwrite": overwrite,
        "jobs": jobs,
    }
    _core.make_tog(os.fspath(input), to, options, callback("Writing", progress))


def check_tacotiff(path: str | os.PathLike[str]) -> list[str]:
    """Why a file is no TacoTIFF (every TOG is one), a sentence for each fault; empty when it is one.

    Raises:
        TacoIOError: It cannot be read.
    """
    return _core.check_tacotiff(os.fspath(path))


def to_xarray(source: Source, key: Key | None = None, *, bands: Bands = None, chunks: Any = None) -> xarray.DataArray:
    """A raster as an xarray.DataArray of dimensions (band, y, x), whose pixels are read when they are used.

    ``to_xarray(dataset, "tile_3/optical")[:, :64, :64].mean("band").values`` reads one window.

    Coordinates are band numbers from 1 and, where the raster is not rotated, the `x` and `y` of pixel centres in its
    CRS; `spatial_ref` holds CRS and geotransform as CF and rioxarray have them. Attributes: `crs`, `transform` (GDAL's
    order), `nodata`, as far as they are known. Can be pickled.

    Args:
        source: As :func:`open_raster` takes it.
        key: The same.
        bands: From 1, in this order; None: all.
        chunks: As xarray's `chunk` takes it; needs dask.

    Raises:
        TacoBackendError: xarray (or NumPy) is not installed.
        TacoQueryError: A band that is not there.
    """
    from ._xarray import data_array

    return data_array(open_raster(source, key), _bands(bands), chunks)


def tensor_options(
    bands: Bands, window: WindowLike, dtype: Any, scale: ScaleLike, fill: float | None
) -> _core.TensorOptions:
    """What :meth:`Raster.read` takes, checked but for what depends on the raster."""
    given = {"bands": bands, "window": window, "dtype": dtype, "scale": scale, "fill": fill}
    with in_words("pixels", given):
        return _core.TensorOptions(_bands(bands), _window(window), _dtype(dtype), _scales(scale), fill)


def skips(on_error: str) -> bool:
    if on_error not in ("raise", "skip"):
        raise ValueError(f"on_error is {on_error!r}; 'raise' or 'skip' is expected")
    return on_error == "skip"


def _bands(bands: Bands) -> list[int]:
    if bands is None:
        return []
    if isinstance(bands, SupportsIndex) and not hasattr(bands, "__len__"):
        return [bands.__index__()]
    numbers = [band.__index__() for band in bands]  # type: ignore[union-attr]
    if not numbers:
        raise ValueError("bands is empty; None stands for all of them")
    return numbers


def _window(window: WindowLike) -> tuple[int, int, int, int] | None:
    if window is None:
        return None
    if hasattr(window, "col_off"):  # of rasterio
        window = (window.col_off, window.row_off, window.width, window.height)
    numbers = [int(number) for number in window]
    if len(numbers) != 4 or any(number != given for number, given in zip(numbers, window)):
        raise ValueError(f"window is {window!r}; whole numbers (x, y, width, height) are expected")
    return numbers[0], numbers[1], numbers[2], numbers[3]


def _dtype(dtype: Any) -> str | None:
    """The name of NumPy's, of PyTorch's ("torch.float32"), or as it is."""
    if dtype is None or isinstance(dtype, str):
        return dtype
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    return str(name).removeprefix("torch.")


def _scales(scale: ScaleLike) -> list[tuple[float, float]]:
    if scale is None:
        return []
    if not isinstance(scale, list):
        return [_scale(scale)]
    if not scale:
        raise ValueError("scale is an empty list; None stands for no scale")
    return [_scale(each) for each in scale]


def _scale(scale: Any) -> tuple[float, float]:
    if hasattr(scale, "__len__"):
        factor, offset = scale
        return float(factor), float(offset)
    return float(scale), 0.0
