"""Pixels of samples: rasters, tensors, statistics, previews, TIFF indexes and TOGs.

TIFF and BigTIFF with ZSTD, deflate, LZW or no compression and integer or floating-point pixels of 8 to 64 bits are
decoded by tacore, without GDAL; other rasters by rasterio, if it is installed. It is imported on first use.

Arrays are numpy.ndarray if NumPy is installed, else :class:`Tensor`, which supports DLPack and the buffer protocol. In
both cases pixels are decoded directly into this memory, without a copy. Bands count from 1.
"""

from __future__ import annotations

import contextlib
import operator
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
from ._errors import TacoError, checked
from ._output import local_path
from ._progress import Progress, callback

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

    from .datamodel import Sample, Tortilla

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
    "with_togs",
    "write_tiff_index",
]

__getattr__ = former(__name__, write_headers="write_tiff_index", HeaderFileResult="TiffIndexFileResult")

Key = SupportsIndex | str
#: A file or a path for GDAL, a dataset or frame with a key, a sample to be written, or an open raster.
Source: TypeAlias = "str | os.PathLike[str] | TacoDataFrame | TacoDataset | Sample | Raster"
Bands = SupportsIndex | Sequence[SupportsIndex] | None
#: (x, y, width, height) in pixels from the upper left corner, or a rasterio.windows.Window.
WindowLike = Any
#: A factor, (factor, offset), or a list of these, one for each band.
ScaleLike = Any


class RasterInfo(NamedTuple):
    """Properties of a raster; sizes in pixels."""

    width: int
    height: int
    bands: int
    """Number of bands."""
    dtype: str
    """Type of pixels, named as in NumPy: "uint8", "float32", ..."""
    nodata: float | None
    """No data value of all bands, which may be NaN; None if there is none."""
    format: str
    """Name of the GDAL driver of the format: "GTiff", ..."""
    block_width: int
    """Width of a tile or strip."""
    block_height: int
    """Height of a tile or strip."""
    compression: str
    """Compression, named as in GDAL: "ZSTD", "DEFLATE", "LZW", "NONE", ..."""
    interleave: str
    """Interleaving of bands: "PIXEL", "BAND" or "TILE"."""
    predictor: int
    """TIFF predictor: 1 none, 2 horizontal, 3 floating point."""


class Georeference(NamedTuple):
    """Georeference of a raster."""

    crs: str
    """Coordinate reference system: "EPSG:32719", else WKT; "" if the file has none."""
    geotransform: tuple[float, float, float, float, float, float] | None
    """Affine map from pixel corners to the CRS, in GDAL's order: x, width of a pixel, skew, y, skew, height of a pixel
    (negative: to the south); None if the file has none."""


class SampleFailure(NamedTuple):
    """A sample that was left out, and the reason."""

    position: int
    """Row of the sample."""
    message: str
    """Text of the error."""


class FrameStatistics(NamedTuple):
    """Statistics of the pixels of many samples together."""

    bands: list[BandStatistics]
    """Statistics of each band."""
    num_samples: int
    """Number of samples that were counted."""
    failures: list[SampleFailure]
    """Samples that could not be read."""


class BandSummary(NamedTuple):
    """Stored statistics of a band, aggregated by :func:`stored_summary`; NaN for those that no sample stores."""

    band: int
    """Number of the band, from 1."""
    mean: float
    std: float
    min: float
    max: float
    quantiles: list[float]
    """Quantiles, in the order of the argument."""
    is_approximate: bool
    """Whether the quantiles are means of the quantiles of samples, which may differ much from the quantiles of all
    pixels. False if they come from stored histograms, or from a single sample."""
    quantile_error: float
    """Largest possible error of quantiles from stored histograms; NaN for others."""
    classes: list[float]
    """Share of each class, 0 to 1, of a categorical band; such a band has none of the statistics above."""


class TiffIndexFileResult(NamedTuple):
    """Result of :func:`write_tiff_index`."""

    path: str
    """Path of the index file."""
    num_headers: int
    """Number of TIFFs in the index."""
    num_others: int
    """Number of FILEs that are not TIFFs, or are TIFFs that only GDAL decodes."""
    num_broken: int
    """Number of TIFFs whose directory cannot be read; a warning names each."""


class Raster:
    """A raster that is open for reading, returned by :func:`open_raster`.

    A Raster is immutable, and can be used from several threads and after a fork. It can be pickled: unpickling opens
    the same raster again, or raises a TacoError if its file has changed.

    Example:
        >>> raster = open_raster(rows, "tile_3/optical")
        >>> raster.read([4, 3, 2], window=(0, 0, 64, 64)).shape
        (3, 64, 64)
    """

    __slots__ = ("_core", "_origin")

    def __init__(self, core: _core.Raster, origin: tuple[Any, ...]) -> None:
        self._core = core
        self._origin = origin

    @property
    def name(self) -> str:
        """Path for GDAL, with `***` instead of credentials; the column `internal:gdal_vsi` of a frame has them."""
        return _core.redact(self._core.name)

    @property
    def info(self) -> RasterInfo:
        """Properties of the raster. Raises TacoIOError if the no data value has to be read from the file, and cannot
        be."""
        return RasterInfo(*self._core.info())

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape (bands, height, width)."""
        info = self.info
        return info.bands, info.height, info.width

    @property
    def dtype(self) -> str:
        """Type of pixels, named as in NumPy: "uint8", "float32", ..."""
        return self.info.dtype

    @property
    def georeference(self) -> Georeference:
        """CRS and geotransform. Raises TacoIOError or TacoFormatError if they cannot be read."""
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
        """Reads pixels as an array of shape (bands, height, width).

        Args:
            bands: Bands, from 1, in any order, also repeated; None: all. A single number gives an array of one band,
                which has three axes, too.
            window: (x, y, width, height) in pixels from the upper left corner, or a rasterio Window; None: the whole
                raster.
            dtype: Type of the array, "uint8" to "float64" or a dtype of NumPy or PyTorch; None: that of the file, or
                float32 with a `scale`. For an integer type, values are rounded to the nearest (halves away from zero)
                and clipped to its range; NaN becomes 0.
            scale: Factor, (factor, offset), or a list of these, one for each band: the result is value * factor +
                offset, computed in double precision. ``BandStatistics.scale()`` returns one.
            fill: Value that replaces no data, after scaling; None: no data is not replaced.
            out: Writable array of that shape and type, with contiguous rows, which is filled and returned; None: a new
                array.

        Raises:
            TacoQueryError: A band or the window is outside the raster, `fill` is outside the range of the type, the
                number of scales is not that of the bands, or `out` has another shape or type.
            TacoFormatError: The file is damaged.
            TacoIOError: The file cannot be read.

        Example:
            >>> raster.read([4, 3, 2], window=(0, 0, 256, 256), dtype="float32", scale=0.0001)
        """
        options = tensor_options(bands, window, dtype, scale, fill)
        if out is None:
            return array(self._core.read(options))
        self._core.read_into(options, out)
        return out

    def plot(
        self,
        bands: Bands = None,
        *,
        size: int = 512,
        ax: Axes | None = None,
        categorical: bool | None = None,
        title: str | None = None,
    ) -> Axes:
        """Plots the raster with matplotlib, and shows nothing: call ``matplotlib.pyplot.show()`` in a script.

        Bands are those of :func:`preview`, with its stretch of the contrast. A categorical raster, such as a mask, has a
        colour for each value, and a colour bar. Axes have the coordinates of the CRS, if the raster is not rotated.

        Args:
            bands: Numbers of the bands, from 1: one for grey, three for red, green and blue; None: the first three, or
                the first of fewer.
            size: Maximal width and height of the plotted image in pixels.
            ax: Axes to draw into; None: those of a new figure.
            categorical: Whether values are classes; None: one band of uint8 with at most 20 different values is
                categorical.
            title: Title; None: the name of the file.

        Returns:
            The matplotlib.axes.Axes.

        Raises:
            TacoBackendError: matplotlib is not installed.
            TacoQueryError: A band does not exist, or a categorical raster is wanted and this is none.

        Example:
            >>> open_raster("optical.tif").plot([4, 3, 2]).figure.savefig("optical.png")
        """
        from ._plot import plot_raster

        return plot_raster(self, bands, size, ax, categorical, title)

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
    """The file of a raster; `state` is None unless it is a local file."""

    path: str
    state: tuple[int, int, int] | None

    @classmethod
    def at(cls, path: str) -> _File:
        state = None
        if "://" not in path and not path.startswith("/vsi"):
            path = os.path.join(os.getcwd(), path)
            with contextlib.suppress(OSError):  # opening the file raises it
                state = _state(os.stat(path))
        return cls(path, state)

    def version(self) -> tuple[int, int] | None:
        """Size and CRC-32 of both ends of the file, which identify its version on all machines."""
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
    """Opens a raster. Only the TIFF directory is read, and nothing if the dataset stores TIFF indexes.

    Args:
        source: A file, or a path for GDAL; a dataset or frame, with a `key`; a `datamodel.Sample` to be written; or an
            open raster, which is returned.
        key: Position of the row, from 0; its id; or a path of ids ("tile/optical"), as for :meth:`TacoDataFrame.read`.

    Raises:
        TacoIOError: The file does not exist or cannot be read; or rasterio is needed and not installed.
        TacoFormatError: The raster is damaged, has complex numbers, or bands that differ in type or no data.
        TacoNavigationError: There is no such row, or it is a FOLDER.

    Example:
        >>> raster = open_raster(tacore.load("chips.tacozip"), "tile_3/optical")
    """
    if isinstance(source, Raster):
        return source
    rows = source.data if isinstance(source, TacoDataset) else source
    if isinstance(rows, TacoDataFrame):
        if key is None:
            raise TypeError("open_raster: a dataset or frame needs a key, the position or id of a row")
        where = key if isinstance(key, str) else rows._position(key)
        return Raster(_core.open_raster(rows._core, where), (rows, where))
    if key is not None:
        raise TypeError("open_raster: a key is given, but the source is no dataset or frame")
    if isinstance(rows, (str, os.PathLike)):
        file = _File.at(os.fspath(rows))
        return Raster(_core.open_raster(os.fspath(rows)), (file,))
    core: Any = getattr(rows, "_core", None)
    if not isinstance(core, _core.Sample):
        raise TypeError(
            "open_raster: a path, a dataset or frame with a key, a Sample or a Raster is expected, not "
            f"{type(source).__name__}"
        )
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
    """Reads pixels of a raster as an array of shape (bands, height, width).

    Arguments and errors are those of :func:`open_raster` and :meth:`Raster.read`.

    Example:
        >>> read_tensor(dataset, "tile_3/optical", bands=[3, 4], window=(0, 0, 64, 64), dtype="float32")
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
    """Reads all FILEs of a frame, such as the children of a FOLDER, as an array of shape (rows, bands, height, width).

    Arguments are those of :meth:`Raster.read`.

    Raises:
        TacoQueryError: There are no rows; two samples, which are named, differ in shape or type; also as for
            :meth:`Raster.read`.
        TacoNavigationError: A row is a FOLDER.
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
    """Computes exact statistics of the valid pixels (finite, not no data) of each band, in one pass and bounded memory.

    Args:
        source: A raster; or a dataset or frame, for statistics of the pixels of all samples together, each pixel with
            equal weight. The result does not depend on `jobs`.
        bands: Numbers of the bands, from 1, in the order of the result; by default all.
        child: Ids below each sample, joined by /, such as optical or a/b; by default the samples themselves. This and
            the options below are for rows.
        jobs: Number of threads; 0 means one for each processor.
        on_error: raise: a sample that cannot be read is an error; skip: it is left out, and listed as a failure.
        progress: For rows: True shows a bar, False nothing. A callable is called periodically with (samples done,
            samples in all); the work is cancelled when it returns False or raises.

    Returns:
        For a raster a list of BandStatistics, one for each band; for rows a FrameStatistics.

    Raises:
        TacoQueryError: There are no rows, or samples differ in their number of bands and `bands` is None.
        TacoIOError, TacoFormatError: A raster cannot be read; the error has the id of its sample.

    Example:
        >>> found = compute_statistics(dataset, child="optical", bands=[3, 4])
        >>> [(band.mean, band.std) for band in found.bands]
    """
    rows = source.data if isinstance(source, TacoDataset) else source
    if not isinstance(rows, TacoDataFrame):
        return _core.compute_statistics(open_raster(rows)._core, _bands(bands))
    options = {"bands": _bands(bands), "child": child, "jobs": jobs, "on_error": on_error}
    made = _core.compute_statistics(rows._core, options, callback("Counting", progress))
    return FrameStatistics(made[0], made[1], [SampleFailure(*failure) for failure in made[2]])


def stored_statistics(rows: TacoDataFrame | TacoDataset) -> list[BandStatistics]:
    """Aggregates the stored statistics of all rows (`geotiff:stats`, `stats:*`, `geotiff:histogram`) for each band. No
    pixels are read; rows without statistics are left out.

    Raises:
        TacoQueryError: No row has statistics, or rows differ in their number of bands.
        TacoFormatError: A histogram is damaged.
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
    """Aggregates all stored statistics of the samples for each band, and marks approximate quantiles. No pixels are
    read.

    Args:
        rows: Dataset or frame of the samples.
        bands: Numbers of the bands, from 1, in the order of the result; by default all.
        quantiles: Probabilities from 0 to 1; by default 0.25, 0.5, 0.75 and 0.95, which samples may store. Others are
            available only from stored histograms: `geotiff:histogram`, or those of a streaming TACO 0.2.0.
        level: With id: level of the children. This and the options below are for a dataset.
        id: With level: id of the sample whose children are aggregated.
        child: Ids below each sample, joined by /, such as optical or a/b; by default the samples themselves.

    Raises:
        TacoQueryError: There are no statistics; samples differ in their number of bands or in kind; a band does not
            exist; or a quantile is not stored.
        TacoFormatError: A histogram is damaged.

    Example:
        >>> stored_summary(dataset, child="optical", bands=[4, 1])[0].mean  # of band 4 of the children "optical"
    """
    if not isinstance(rows, (TacoDataset, TacoDataFrame)):
        raise TypeError(f"a dataset or a frame is expected, not {type(rows).__name__}")
    found = _core.stored_summary(rows._statistics_core(), _bands(bands), list(quantiles), level, id or "", child)
    return [BandSummary(*band) for band in found]


def compute_quantiles(
    source: Source, probabilities: float | Iterable[float], key: Key | None = None, *, bands: Bands = None
) -> list[list[float]]:
    """Computes exact quantiles of the valid pixels of a raster: a list for each band, of NaN if it has no valid pixels.

    Args:
        source: Raster, as for :func:`open_raster`.
        probabilities: One or several probabilities from 0 to 1; quantiles are interpolated as by numpy.quantile.
        key: Position, id or path of ids of the raster, as for :func:`open_raster`.
        bands: Bands, from 1; None: all.

    Raises:
        TacoQueryError: A probability is not from 0 to 1, or a band does not exist.
    """
    wanted = [float(probabilities)] if isinstance(probabilities, (int, float)) else [float(p) for p in probabilities]
    return _core.compute_quantiles(open_raster(source, key)._core, wanted, _bands(bands))


def preview(source: Source, key: Key | None = None, *, bands: Bands = None, size: int = 512) -> Any:
    """Makes a small image of a raster: an array of uint8 of shape (height, width, channels).

    Channels are grey, or red, green and blue; if some pixels are no data, also alpha, and these are transparent. The
    contrast of each band is stretched from the 2nd to the 98th percentile. :func:`encode_png` encodes the image.

    Args:
        source: Raster, as for :func:`open_raster`.
        key: Position, id or path of ids of the raster, as for :func:`open_raster`.
        bands: Numbers of the bands, from 1: one for grey, three for red, green and blue; by default the first three, or
            the first of fewer.
        size: Maximal width and height in pixels, 1 to 16384.

    Raises:
        TacoQueryError: The number of bands is not 1 or 3, or `size` is out of range.

    Example:
        >>> Path("tile_3.png").write_bytes(encode_png(preview(dataset, "tile_3/optical", bands=[3, 2, 1])))
    """
    return array(open_raster(source, key)._core.preview(_bands(bands), size))


def encode_png(pixels: Any) -> bytes:
    """Encodes an image as PNG.

    Args:
        pixels: Array of uint8 or uint16 with contiguous rows, of shape (height, width) or (height, width, channels),
            with 1 (grey), 2 (grey, alpha), 3 (red, green, blue) or 4 channels (red, green, blue, alpha).

    Raises:
        TacoQueryError: The array has another shape or type.
        TacoValidationError: The image is larger than PNG allows, or empty.
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
    """Reads the headers of all TIFFs of a dataset and stores them in an index file beside it, so that reading a raster
    takes one request. The dataset itself does not change.

    Args:
        path: Path of the dataset.
        output: Index file; by default PATH.headers, the only name that readers look for.
        base_path: Folder of the ZIP files of a TACOCAT or TACOLLECTION.json, if it is not the folder of the index.
        overwrite: Replace existing output atomically.
        jobs: Number of threads; 0 means one for each processor.
        progress: True shows a bar, False nothing. A callable is called periodically with (files done, files in all);
            the work is cancelled when it returns False or raises.

    Raises:
        TacoValidationError: The dataset has no TIFF to index, or no CRC-32s by which an index can be verified.
        TacoIOError: The index file exists, or a sample cannot be read.
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
    """Converts a raster to a TOG (TACO Optimized GeoTIFF).

    A TOG is a BigTIFF of ZSTD tiles, in which the tiles of all bands at one grid position are adjacent. Pixels, no
    data, georeference and metadata are kept.

    Args:
        input: Path of a raster. Of a raster that is not a TIFF, only pixels, no data and geotransform are kept.
        output: Path of the TOG, which is written atomically.
        block_size: Side of the tiles in pixels, a multiple of 16.
        zstd_level: ZSTD level, 1 to 22.
        predictor: TIFF predictor: 1 none, 2 any type, 3 floating point; by default 3 for floating point, else 2.
        overwrite: Replace existing output atomically.
        jobs: Number of threads; 0 means one for each processor.
        progress: True shows a bar, False nothing. A callable is called periodically with (bytes of pixels done, bytes in
            all); the work is cancelled when it returns False or raises.

    Raises:
        TacoQueryError: The block size, ZSTD level or predictor is not allowed.
        TacoSchemaError: The input is not a TIFF, and its CRS cannot be stored in one: convert it to GeoTIFF first.
        TacoIOError: `output` exists, the input cannot be read, or the output cannot be written.

    Example:
        >>> make_tog("scene.tif", "scene_tog.tif", block_size=256)
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


def with_togs(
    tortilla: Tortilla,
    *,
    block_size: int = 0,
    zstd_level: int = 13,
    temp_dir: str | os.PathLike[str] | None = None,
    jobs: int = 0,
    progress: bool | Progress = True,
) -> Tortilla:
    """Returns a copy of a Tortilla whose GeoTIFFs are TOGs, at all levels.

    Several GeoTIFFs are converted at the same time, each as by :func:`make_tog`: pixels, no data, georeference and
    metadata are kept; overviews and masks are not. Metadata, TOGs, FOLDERs and FILEs that are not TIFF do not change.

    Args:
        tortilla: Samples; neither the Tortilla nor its files change.
        block_size: Side of the tiles of TOGs in pixels; 0 takes that of the source, or 512 if it has none. An image
            smaller than a tile gets one tile that is hardly larger than it.
        zstd_level: ZSTD level of TOGs, 1 to 22.
        temp_dir: Folder for the TOGs until they are written; by default TMPDIR. They need space there for as long as
            the returned Tortilla, or a sample of it, exists. A folder on the disk of the dataset is best.
        jobs: Number of threads; 0 means one for each processor.
        progress: True shows a bar, False nothing. A callable is called periodically with (bytes of FILEs done, bytes
            in all); the work is cancelled when it returns False or raises.

    Raises:
        TacoQueryError: The block size or ZSTD level is not allowed.
        TacoFormatError: A GeoTIFF is damaged, or cannot be decoded. All messages name the sample.
        TacoSchemaError: A GeoTIFF has a CRS that a TOG cannot store.
        TacoIOError: A file cannot be read or written.

    Example:
        >>> togs = with_togs(Tortilla.from_folder("chips"), temp_dir=".")
        >>> tacore.create(Taco(with_tiff_index(togs), ...), "chips.tacozip")
    """
    from .datamodel._tortilla import _wrapped

    options = {
        "block_size": block_size,
        "zstd_level": zstd_level,
        "temp_dir": None if temp_dir is None else os.fspath(temp_dir),
        "jobs": jobs,
    }
    return _wrapped(_core.with_togs(tortilla._core, options, callback("Converting", progress)))


def check_tacotiff(path: str | os.PathLike[str]) -> list[str]:
    """Checks whether a file is a TacoTIFF, as every TOG is. Returns a sentence for each fault, none if it is one.

    Raises:
        TacoIOError: The file cannot be read.
    """
    return _core.check_tacotiff(os.fspath(path))


def to_xarray(source: Source, key: Key | None = None, *, bands: Bands = None, chunks: Any = None) -> xarray.DataArray:
    """Opens a raster as an xarray.DataArray of dimensions (band, y, x), whose pixels are read lazily.

    Coordinates are band numbers from 1 and, unless the raster is rotated, `x` and `y` of pixel centres in its CRS;
    `spatial_ref` has CRS and geotransform, as CF and rioxarray define it. Attributes are `crs`, `transform` (in GDAL's
    order) and `nodata`, if they are known. The array can be pickled.

    Args:
        source: Raster, as for :func:`open_raster`.
        key: Position, id or path of ids of the raster, as for :func:`open_raster`.
        bands: Bands, from 1, in any order; None: all.
        chunks: Chunks, as for `xarray.DataArray.chunk`; needs dask.

    Raises:
        TacoBackendError: xarray or NumPy is not installed.
        TacoQueryError: A band does not exist.

    Example:
        >>> to_xarray(dataset, "tile_3/optical")[:, :64, :64].mean("band").values  # reads one window
    """
    from ._xarray import data_array

    return data_array(open_raster(source, key), _bands(bands), chunks)


_make_options = checked(_core.TensorOptions)


def tensor_options(
    bands: Bands, window: WindowLike, dtype: Any, scale: ScaleLike, fill: float | None
) -> _core.TensorOptions:
    """The options of :meth:`Raster.read`; conditions that depend on the raster are checked later."""
    return _make_options(_bands(bands), _window(window), dtype_name(dtype), _scales(scale), fill)


def _bands(bands: Bands) -> list[int]:
    if bands is None:
        return []
    try:
        if isinstance(bands, SupportsIndex) and not hasattr(bands, "__len__"):
            return [operator.index(bands)]
        numbers = [operator.index(band) for band in bands]  # type: ignore[union-attr]
    except TypeError:
        raise TypeError(
            f"bands is {bands!r}; the number of a band, from 1, or a list such as [4, 3, 2] is expected"
        ) from None
    if not numbers:
        raise ValueError("bands is an empty list; use None for all bands")
    return numbers


def _window(window: WindowLike) -> tuple[int, int, int, int] | None:
    if window is None:
        return None
    if hasattr(window, "col_off"):  # of rasterio
        window = (window.col_off, window.row_off, window.width, window.height)
    try:
        numbers = [int(number) for number in window]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 4 or any(number != given for number, given in zip(numbers, window)):
        raise ValueError(f"window is {window!r}; whole numbers (x, y, width, height) are expected")
    return numbers[0], numbers[1], numbers[2], numbers[3]


def dtype_name(dtype: Any) -> str | None:
    """The name of a dtype of NumPy or PyTorch ("torch.float32"); text unchanged."""
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
        raise ValueError("scale is an empty list; use None for no scale")
    return [_scale(each) for each in scale]


def _scale(scale: Any) -> tuple[float, float]:
    try:
        factor, offset = scale if hasattr(scale, "__len__") else (scale, 0.0)
        return float(factor), float(offset)
    except (TypeError, ValueError):
        raise ValueError(
            f"scale is {scale!r}; a factor, (factor, offset), or a list of these, one for each band, is expected"
        ) from None
