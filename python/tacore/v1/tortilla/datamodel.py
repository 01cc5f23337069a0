"""Samples of a Tortilla, with the names of pytortilla 0.5: `Sample`, `Samples`, and the metadata `STAC` and `RAI`."""

from __future__ import annotations

import datetime as dt
import importlib
import numbers
import re
import struct
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..._backend import require
from ..._errors import TacoSchemaError
from ...datamodel import raster_centroid
from ...datamodel._sample import MissingFileError
from .._fields import Fields

if TYPE_CHECKING:
    import pandas

__all__ = ["RAI", "STAC", "Sample", "Samples"]


class STAC(Fields):
    """Place and time of a sample on a regular grid, which become the columns `stac:*`.

    Args:
        crs: Coordinate reference system: a code (``EPSG:32630``), WKT, PROJ string or PROJJSON.
        raster_shape: Numbers of rows and columns.
        geotransform: Affine map from pixels to the CRS, six numbers in GDAL's order.
        time_start: Start of acquisition in seconds since 1970, or a datetime, date or text in ISO 8601, which become such
            a number; without a time zone they are local times, as in the published package.
        centroid: WKT point of longitude and latitude; None: the centre of the grid, with six decimals.
        time_end: End of acquisition, as `time_start`, and not before it.

    Raises:
        TacoSchemaError: A field is missing or has another type, or the end is before the start.

    Example:
        >>> STAC(crs="EPSG:32630", raster_shape=(256, 256), geotransform=(500000, 10, 0, 4400000, 0, -10),
        ...      time_start="2024-01-31")
    """

    crs: str
    raster_shape: tuple[int, int]
    geotransform: tuple[float, float, float, float, float, float]
    time_start: Any
    centroid: str | None = None
    time_end: Any = None

    def _check(self) -> None:
        self.time_start = _seconds(self.time_start, "STAC.time_start")
        if self.time_end is None:
            return
        self.time_end = _seconds(self.time_end, "STAC.time_end")
        if self.time_start > self.time_end:
            raise TacoSchemaError(
                f"STAC.time_end is {self.time_end}, a time not before time_start {self.time_start} expected"
            )

    def _columns(self) -> dict[str, Any]:
        return {
            "stac:crs": self.crs,
            "stac:geotransform": self.geotransform,
            "stac:raster_shape": self.raster_shape,
            "stac:time_start": self.time_start,
            "stac:time_end": self.time_end,
            "stac:centroid": self.centroid if self.centroid is not None else self._centre(),
        }

    def _centre(self) -> str:
        lon, lat = struct.unpack_from("<dd", raster_centroid(self.crs, self.geotransform, self.raster_shape), 5)
        return f"POINT ({round(lon, 6)} {round(lat, 6)})"


class RAI(Fields):
    """Metadata for responsible AI, which become the columns `rai:*`. TacoSchemaError is raised if one is missing.

    Args:
        ele: Elevation.
        cisi: Critical infrastructure spatial index.
        gdp: Gross domestic product.
        hdi: Human development index.
        gmi: Global human modification index.
        pop: Population.
        admin0: Country.
        admin1: State or province.
        admin2: District.
    """

    ele: int | float
    cisi: int | float
    gdp: int | float
    hdi: int | float
    gmi: int | float
    pop: int | float
    admin0: str
    admin1: str
    admin2: str


class Sample(Fields):
    """A file, or a Tortilla, with metadata.

    Args:
        id: Name of the sample: not empty, without ``/``, ``\\`` and ``:``, not starting with ``__``.
        file_format: Name of GDAL's driver, such as GTiff; ``BYTES``; or ``TORTILLA`` for the path of a `.tortilla`, whose
            samples are then those of this one.
        path: Path of the file.
        data_split: "train", "validation" or "test".
        stac_data: Place and time: a :class:`STAC` or a dict of its fields.
        rai_data: A :class:`RAI` or a dict of its fields.
        **metadata: Further columns by name; None: no value.

    Raises:
        TacoSchemaError: A field is missing or has another type.

    Example:
        >>> Sample(id="image", file_format="GTiff", path="image.tif", data_split="train", cloud_cover=12.5)
    """

    id: str
    file_format: str
    path: Path
    data_split: Literal["train", "validation", "test"] | None = None
    stac_data: STAC | None = None
    rai_data: RAI | None = None

    def _take(self, unknown: Mapping[str, Any]) -> None:
        vars(self).update(unknown)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def export_metadata(self) -> dict[str, Any]:
        """Returns the columns of the sample by name, as they are written but for the offset, which is 0 here.

        Raises:
            TacoSchemaError: The centroid cannot be computed, since the CRS is unknown.
            FileNotFoundError: The file does not exist.
        """
        return {
            "internal:path": str(self.path.resolve()),
            "tortilla:id": self.id,
            "tortilla:file_format": self.file_format,
            "tortilla:data_split": self.data_split,
            "tortilla:offset": 0,
            "tortilla:length": self.path.stat().st_size,
            **(self.stac_data._columns() if self.stac_data else {}),
            **({f"rai:{name}": value for name, value in self.rai_data._fields().items()} if self.rai_data else {}),
            **{
                name: value
                for name, value in self._fields().items()
                if name not in self._signature.parameters and value is not None
            },
        }


class Samples(Fields):
    """The samples of a Tortilla, for :func:`tacore.v1.tortilla.create`.

    Args:
        samples: :class:`Sample` objects or dicts of their fields.

    Raises:
        TacoSchemaError: Two samples have the same id, or a value is no sample.
        FileNotFoundError: The file of a sample does not exist.

    Example:
        >>> Samples(samples=[Sample(id="a", file_format="GTiff", path="a.tif")])
    """

    samples: list[Sample]

    def _check(self) -> None:
        seen: set[str] = set()
        for sample in self.samples:
            if sample.id in seen:
                raise TacoSchemaError(f"Samples.samples has two samples of the id {sample.id!r}, unique ids expected")
            seen.add(sample.id)
            if not sample.path.exists():
                missing = MissingFileError(f"sample {sample.id!r}: Path {sample.path} does not exist")
                missing.path = str(sample.path)
                raise missing

    def export_metadata(self, nworkers: int = 4, chunk_size: int = 1000) -> pandas.DataFrame:
        """Returns :meth:`Sample.export_metadata` of all samples as a table. The arguments are accepted as in the
        published package, without effect.

        Raises:
            TacoBackendError: pandas is not installed.
        """
        require("pandas", "Samples.export_metadata")
        import pandas

        return pandas.DataFrame([sample.export_metadata() for sample in self.samples])

    def deep_validator(self, read_function: Callable[[Path], object], max_workers: int = 4) -> list[Path]:
        """Calls a function with the path of each sample, and returns the paths for which it raises, in order.

        Args:
            read_function: The function; several threads call it at once.
            max_workers: Number of threads.

        Example:
            >>> samples.deep_validator(lambda path: rasterio.open(path))
        """

        def is_bad(path: Path) -> bool:
            try:
                read_function(path)
            except Exception:  # noqa: BLE001  (any failure counts)
                return True
            return False

        paths = [sample.path for sample in self.samples]
        with ThreadPoolExecutor(max_workers) as threads:
            return [path for path, bad in zip(paths, threads.map(is_bad, paths)) if bad]

    def include_rai_metadata(self, sample_footprint: int = 5120, cache: bool = True, quiet: bool = False) -> Samples:
        """Gets the :class:`RAI` of all samples from Google Earth Engine, sets it in new samples, and returns this object.

        The package `ee` must be initialised (``ee.Initialize()``). The names of countries, states and districts are those
        that come with pytortilla 0.5, which must be installed; they are "missing" at sea.

        Args:
            sample_footprint: Scale of Earth Engine's mean in metres.
            cache: Accepted as in the published package, without effect.
            quiet: Show no progress bar.

        Raises:
            ImportError: The package `ee`, or pytortilla, is not installed.
            TacoSchemaError: A sample has no `stac_data`, or its centroid is not a point.
        """
        try:
            importlib.import_module("ee")
        except ImportError as error:
            raise ImportError("include_rai_metadata needs ee: pip install earthengine-api") from error
        from ._rai import rai_of

        lacking = [sample.id for sample in self.samples if sample.stac_data is None]
        if lacking:
            raise TacoSchemaError(f"sample {lacking[0]!r} has no stac_data, whose centroid is needed")
        centroids = {
            sample.id: sample.stac_data._columns()["stac:centroid"] for sample in self.samples if sample.stac_data
        }
        found = rai_of(centroids, sample_footprint, quiet)
        self.samples = [sample.model_copy(update={"rai_data": found[sample.id]}) for sample in self.samples]
        return self


def _seconds(time: Any, where: str) -> int | float:
    """Seconds since 1970 of a time, in the type of the published package."""
    if isinstance(time, int):
        return int(time)
    if isinstance(time, numbers.Real):
        return float(time)
    try:
        if isinstance(time, str):
            if time.strip().isdigit():
                warnings.warn(
                    f"{where} is {time!r}, which is {time} seconds after 1970; a date has dashes",
                    UserWarning,
                    stacklevel=4,
                )
            if re.fullmatch(r" *-?[0-9]+\.?[0-9]* *", time):
                return float(time)
            time = dt.datetime.fromisoformat(time)
        elif isinstance(time, dt.date) and not isinstance(time, dt.datetime):
            time = dt.datetime(time.year, time.month, time.day)
        if isinstance(time, dt.datetime):
            return time.timestamp()
    except ValueError:  # also that of NaT
        pass
    raise TacoSchemaError(f"{where} is {time!r}, seconds since 1970, a datetime or text in ISO 8601 expected")
