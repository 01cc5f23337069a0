"""Rasters as arrays of xarray, and the engine "tacore" of `xarray.open_dataset`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ._backend import require
from ._dataset import TacoDataset, load
from ._errors import TacoQueryError

require("xarray", "to_xarray")

import numpy
import xarray
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

if TYPE_CHECKING:
    from .raster import Bands, Raster


class Pixels(BackendArray):  # type: ignore[misc, unused-ignore]
    """Backend array of xarray: reads one window for each access."""

    def __init__(self, raster: Raster, bands: list[int]) -> None:
        self.raster = raster
        self.bands = bands
        _, height, width = raster.shape
        self.shape = (len(bands), height, width)
        self.dtype = numpy.dtype(raster.dtype)

    def __getitem__(self, key: Any) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self._read)

    def _read(self, key: tuple[Any, ...]) -> Any:
        """Reads the window around the integers and slices of `key`, and cuts the result."""
        spans = [range(length)[part] if isinstance(part, slice) else part for part, length in zip(key, self.shape)]
        whole = [[part] if isinstance(part, int) else part for part in map(_as_index, spans)]
        if any(len(part) == 0 for part in whole):
            return numpy.empty([len(part) for part, cut in zip(whole, key) if isinstance(cut, slice)], self.dtype)
        bands = [self.bands[band] for band in whole[0]]
        (top, bottom), (left, right) = [(min(part), max(part) + 1) for part in whole[1:]]
        pixels = self.raster.read(bands, (left, top, right - left, bottom - top))
        rows, columns = (_within(cut, part) for cut, part in zip(key[1:], whole[1:]))
        return pixels[slice(None) if isinstance(key[0], slice) else 0, rows, columns]


def data_array(raster: Raster, bands: list[int], chunks: Any) -> xarray.DataArray:
    info, where = raster.info, raster.georeference
    bands = bands or list(range(1, info.bands + 1))
    raster.read(bands, (0, 0, 0, 0))  # refuses bands that are not there
    coordinates: dict[str, Any] = {"band": ("band", bands)}
    attributes: dict[str, Any] = {}
    if where.crs:
        attributes["crs"] = where.crs
    reference = {"crs_wkt": where.crs, "spatial_ref": where.crs} if where.crs else {}
    if where.geotransform is not None:
        x, width, skew_x, y, skew_y, height = attributes["transform"] = where.geotransform
        reference["GeoTransform"] = " ".join(repr(number) for number in where.geotransform)
        if skew_x == skew_y == 0:
            coordinates["x"] = ("x", x + (numpy.arange(info.width) + 0.5) * width)
            coordinates["y"] = ("y", y + (numpy.arange(info.height) + 0.5) * height)
    if reference:
        coordinates["spatial_ref"] = ((), 0, reference)
    if info.nodata is not None:
        attributes["nodata"] = info.nodata
    pixels = xarray.Variable(("band", "y", "x"), indexing.LazilyIndexedArray(Pixels(raster, bands)))
    out = xarray.DataArray(pixels, coords=coordinates, attrs=attributes)
    return out if chunks is None else out.chunk(chunks)


class TacoBackend(BackendEntrypoint):  # type: ignore[misc, unused-ignore]
    """Engine "tacore" of :func:`xarray.open_dataset`: a raster of a dataset, whose pixels are read lazily.

    The variable is `band_data` of dimensions (band, y, x), as rioxarray names it, with the coordinates and attributes
    of :func:`tacore.raster.to_xarray`.

    Example:
        >>> xarray.open_dataset("chips.tacozip", engine="tacore", sample="tile_3/optical", chunks={})
    """

    description = "Rasters in TACO datasets"
    open_dataset_parameters = ("filename_or_obj", "drop_variables", "sample", "bands", "band_as_variable",
                               "storage_options")  # fmt: skip

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: str | Iterable[str] | None = None,
        sample: str | int | None = None,
        bands: Bands = None,
        band_as_variable: bool = False,
        storage_options: Mapping[str, Any] | None = None,
    ) -> xarray.Dataset:
        """Opens a raster.

        Args:
            filename_or_obj: Path or URL of a dataset, or an open dataset.
            drop_variables: Names of variables to leave out.
            sample: Position of the sample, its id, or a path of ids ("tile_3/optical").
            bands: Bands, from 1, in any order; None: all.
            band_as_variable: Make a variable `band_N` of dimensions (y, x) of each band, instead of `band_data`.
            storage_options: Options for remote paths, as for :func:`tacore.load`.

        Raises:
            TacoQueryError: `sample` is missing, or a band does not exist.
            TacoError: As for :func:`tacore.load` and :func:`tacore.raster.open_raster`.
        """
        from .raster import to_xarray

        if sample is None:
            raise TacoQueryError(
                'open_dataset: sample= is missing, the id of a raster or a path of ids such as "tile_3/optical"'
            )
        opened = isinstance(filename_or_obj, TacoDataset)
        dataset = filename_or_obj if opened else load(filename_or_obj, storage_options=storage_options)
        pixels = to_xarray(dataset, sample, bands=bands)
        if band_as_variable:
            each = {f"band_{int(band)}": pixels.sel(band=band, drop=True) for band in pixels.band.values}
            out = xarray.Dataset(each, attrs=pixels.attrs)
        else:
            out = pixels.to_dataset(name="band_data")
        return out.drop_vars([drop_variables] if isinstance(drop_variables, str) else drop_variables or ())

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Whether the path has the ending of a dataset in one file or of an index."""
        if not isinstance(filename_or_obj, (str, os.PathLike)):
            return isinstance(filename_or_obj, TacoDataset)
        return os.fspath(filename_or_obj).rstrip("/").endswith((".tacozip", ".tacocat", ".tortilla"))


def _as_index(part: Any) -> Any:
    return part if isinstance(part, range) else int(part)


def _within(cut: Any, part: Any) -> Any:
    """The rows or columns of `cut` within the window that was read."""
    if not isinstance(cut, slice):
        return 0
    return slice(None, None, part.step)  # the window begins and ends with one of these rows or columns
