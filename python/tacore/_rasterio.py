"""Rasters that tacore does not decode itself, read by rasterio. The C++ library calls this, from any of its threads."""

from __future__ import annotations

import errno
import math
import os
import re
import tempfile
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ._errors import TacoFileNotFoundError, TacoFormatError, TacoIOError

try:
    import numpy
    import rasterio
    from rasterio.errors import NotGeoreferencedWarning, RasterioError
    from rasterio.io import DatasetReader
    from rasterio.windows import Window
except ImportError as error:
    raise TacoIOError(
        f"this raster is not a TIFF that tacore decodes; rasterio is needed: pip install rasterio ({error})"
    ) from error

# Not needed: `geotransform` of such a raster is None.
warnings.filterwarnings("ignore", category=NotGeoreferencedWarning, module=re.escape(__name__))

# Only the file itself is read: no side-car files, no listing of folders. GDAL decodes in the calling thread.
_OPTIONS = {
    "GDAL_PAM_ENABLED": "NO",
    "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR",
    "GDAL_NUM_THREADS": "1",
    "GDAL_ERROR_ON_LIBJPEG_WARNING": "YES",
}
# Samples are untrusted: drivers that open other files or hosts named in a file are disabled.
_FOLLOWING = frozenset(
    "VRT DERIVED GTI WMS WMTS WCS HTTP PLMOSAIC PLSCENES STACIT STACTA OGCAPI NGW EEDAI DAAS RDA JPIPKAK "
    "KMLSUPEROVERLAY TileDB Rasterlite PostGISRaster GeoRaster MSSQLSpatial WEBSERVICE ISIS3 ISIS2 PDS4 PDS "
    "VICAR".upper().split()
)
_TYPES = frozenset(["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"])
_IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
# netCDF and HDF5 are read from real files only.
_NEEDS_A_FILE = (b"CDF", b"\x89HDF\r\n\x1a\n")
_SUBFILE = re.compile(r"/vsisubfile/(\d+)_(\d+),(.*)", re.DOTALL)
# Handles that were open when a process forked: closing one here would move the position in the parent's file.
_of_the_parent: list[Any] = []


class Raster:
    """An open raster: its properties as attributes, and :meth:`read`. It can be used from several threads, and after a
    fork."""

    def __init__(self, path: str) -> None:
        """Opens the raster. Raises TacoIOError, TacoFormatError."""
        self._path = path
        self._copy = _real_file(path)
        self._idle: list[tuple[int, Any]] = []
        with _environment():
            dataset = self._open()
            self._describe(dataset)
        self._idle.append((os.getpid(), dataset))

    def read(self, bands: Sequence[int], window: tuple[int, int, int, int], out: memoryview) -> None:
        """Fills `out` with pixels of shape (bands, height, width). Raises TacoIOError."""
        shape = (len(bands), window[3], window[2])
        pixels = numpy.frombuffer(out, dtype=self.dtype).reshape(shape)
        with _environment():
            dataset = self._take()
            try:
                dataset.read(list(bands), window=Window(*window), out=pixels)
            except (RasterioError, ValueError) as error:
                # The handle may have wrong blocks in its cache: it is not used again.
                raise TacoIOError(f"rasterio cannot read its pixels: {_reason(error)}") from error
        self._idle.append((os.getpid(), dataset))

    def _take(self) -> Any:
        """A handle for this thread: each is used by one thread at a time, and by one process."""
        while self._idle:
            try:
                process, dataset = self._idle.pop()
            except IndexError:  # another thread was faster
                break
            if process == os.getpid():
                return dataset
            _of_the_parent.append(dataset)
        return self._open()

    def _open(self) -> Any:
        path = self._path if self._copy is None else f"/proc/self/fd/{self._copy.fileno()}"
        try:
            return DatasetReader(path, driver=_drivers())
        except RasterioError as error:
            missing = _missing_file(self._path)
            if missing is not None:
                failure = TacoFileNotFoundError(missing)
                failure.errno = errno.ENOENT
                raise failure from error
            raise TacoFormatError(f"rasterio cannot read it: {_reason(error)}") from error

    def _describe(self, dataset: Any) -> None:
        if dataset.count == 0:
            inside = ", ".join(dataset.subdatasets)
            why = f"the file has subdatasets; open one of {inside}" if inside else "the file has no bands"
            raise TacoFormatError(why)
        types, nodata = dataset.dtypes, dataset.nodatavals
        if types[0] not in _TYPES:
            raise TacoFormatError(f"pixels of type {types[0]} are not supported")
        for band in range(1, dataset.count):
            if types[band] != types[0]:
                raise TacoFormatError(f"band {band + 1} has another type than band 1")
            if not _same(nodata[band], nodata[0]):
                raise TacoFormatError(f"band {band + 1} has another no data value than band 1")
        structure = dataset.tags(ns="IMAGE_STRUCTURE")
        self.width, self.height, self.bands = dataset.width, dataset.height, dataset.count
        self.dtype: str = types[0]
        self.nodata = None if nodata[0] is None else float(nodata[0])
        self.format: str = dataset.driver
        self.block_height, self.block_width = dataset.block_shapes[0]
        self.compression: str = structure.get("COMPRESSION", "NONE")
        self.interleave: str = structure.get("INTERLEAVE", "BAND")
        self.predictor = int(structure.get("PREDICTOR", 1))
        self.crs = _crs_text(dataset.crs)
        transform = dataset.transform
        # rasterio returns the identity if there is none.
        self.geotransform = None if tuple(transform)[:6] == _IDENTITY else transform.to_gdal()


def _environment() -> Any:
    return rasterio.Env(**_OPTIONS)


@lru_cache(maxsize=1)
def _drivers() -> list[str]:
    with rasterio.Env() as environment:
        return sorted(name for name in environment.drivers() if name.upper() not in _FOLLOWING)


def _real_file(path: str) -> Any:
    """An unnamed temporary copy of a sample in a format that GDAL cannot read inside of another file; None for other
    formats."""
    part = _SUBFILE.fullmatch(path)
    if part is None:
        return None
    offset, size, root = int(part[1]), int(part[2]), part[3]
    try:
        with open(root, "rb") as file:
            file.seek(offset)
            if not file.read(min(8, size)).startswith(_NEEDS_A_FILE):
                return None
            file.seek(offset)
            copy = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the raster)
            while size > 0:
                piece = file.read(min(size, 1 << 20))
                if not piece:
                    raise TacoIOError("the file ends before the end of the sample")
                copy.write(piece)
                size -= len(piece)
            copy.flush()
            return copy
    except FileNotFoundError:
        return None  # opening it will say so


def _missing_file(path: str) -> str | None:
    part = _SUBFILE.fullmatch(path)
    root = part[3] if part else path
    return None if root.startswith("/vsi") or os.path.exists(root) else "there is no such file"


def _same(a: float | None, b: float | None) -> bool:
    return a == b or (a is not None and b is not None and math.isnan(a) and math.isnan(b))


def _crs_text(crs: Any) -> str:
    if not crs:
        return ""
    known = crs.to_authority()
    return f"{known[0]}:{known[1]}" if known else str(crs.to_wkt(version="WKT2_2019"))


def _reason(error: Exception) -> str:
    return str(error.__cause__ or error)
