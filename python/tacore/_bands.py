"""Bands of a sensor, found by name or wavelength."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from . import _core
from ._dataframe import TacoDataFrame
from ._dataset import TacoDataset, dataset_of
from ._errors import TacoQueryError
from .datamodel import SUPPORTED_SENSORS, OpticalData, SpectralBand

#: Bands of a raster in order: names, objects, or dicts of their fields.
Bands = Sequence[str | SpectralBand | Mapping[str, Any]]
_NM = 1000  # nanometres in a micrometre
# A band of unknown width has the wavelengths within this distance of its centre, in nm.
_HALF_WIDTH = 10.0


def bands_of(sensor: str | None, bands: Bands | None, rows: TacoDataset | TacoDataFrame) -> list[SpectralBand]:
    """The spectral bands of the rasters of a source, in their order.

    Args:
        sensor: Sensor, also with a list of its bands; None: that of the dataset.
        bands: Bands in the order of the raster, names or objects; None: all of the sensor.
        rows: Rows of a dataset whose COLLECTION.json has the bands if neither of the others is given.

    Raises:
        TacoSchemaError: The sensor, or a band of it, is unknown.
        TacoQueryError: Nothing says which bands the rasters have.
    """
    if bands is not None:
        known = [] if sensor is None else _of_sensor(sensor)
        return [_band(each) if not isinstance(each, str) else _named(each, known) for each in bands]
    if sensor is not None:
        return _of_sensor(sensor)
    about = (rows if isinstance(rows, TacoDataset) else dataset_of(rows)).collection
    of_v1 = about.get("optical_data") or {}
    found = about.get("optical:bands") or of_v1.get("bands")
    if found:
        return [_band(each) for each in found]
    sensor = about.get("optical:sensor") or of_v1.get("sensor")
    if sensor in SUPPORTED_SENSORS:
        return _of_sensor(sensor)
    raise TacoQueryError(
        "the dataset does not say which bands its rasters have (no optical:bands in its COLLECTION.json); give "
        'Source(sensor="sentinel2msi"), or the bands of the raster in order: Source(bands=["blue", "red"])'
    )


def _of_sensor(sensor: str) -> list[SpectralBand]:
    return [_band(each) for each in OpticalData(sensor=sensor).bands or ()]


def _named(name: str, known: Sequence[SpectralBand]) -> SpectralBand:
    return known[find_band(name, known)] if known else SpectralBand(name=name)


def _band(given: SpectralBand | Mapping[str, Any]) -> SpectralBand:
    if isinstance(given, SpectralBand):
        return given
    names = {field.name for field in dataclasses.fields(SpectralBand)}
    return SpectralBand(**{name: value for name, value in given.items() if name in names})


def find_band(wanted: str | float, bands: Sequence[SpectralBand]) -> int:
    """Finds a band by its name, by a common name (of TACO, or of the eo extension of STAC), or by a wavelength in
    micrometres. Of several bands with the wavelength, the one with the nearest centre is taken.

    Returns:
        Index in `bands`.

    Raises:
        TacoQueryError: No band matches, or several have the common name; the error lists the bands.
    """
    if isinstance(wanted, str):
        for names in (_names, _common_names):
            found = [at for at, band in enumerate(bands) if wanted.strip().lower() in names(band)]
            if found:
                break
    else:
        near = [(distance, at) for at, band in enumerate(bands) if (distance := _distance(wanted, band)) is not None]
        found = [at for distance, at in near if distance == min(near)[0]]
    if len(found) == 1:
        return found[0]
    what = f"band {wanted!r}" if isinstance(wanted, str) else f"band at {wanted} micrometres"
    if found:
        several = ", ".join(bands[at].name for at in found)
        raise TacoQueryError(f"several bands match the {what}: {several}; give the name of one, or its wavelength")
    if isinstance(wanted, str):
        has_wavelengths = any(band.center_wavelength for band in bands)
        hint = "; a wavelength in micrometres, such as 0.865, matches the band that has it" if has_wavelengths else ""
    else:
        hint = "; a number is a wavelength in micrometres, not the number of a band"
    raise TacoQueryError(f"no {what}; the bands are {', '.join(map(_said, bands))}{hint}")


def _names(band: SpectralBand) -> set[str]:
    return {band.name.lower()}


def _common_names(band: SpectralBand) -> set[str]:
    common = (band.common_name or "").lower()
    return {common, _core.eo_common_name(common)} - {""}


def _distance(wavelength: float, band: SpectralBand) -> float | None:
    """Distance in nm of a wavelength in micrometres from the centre of a band; None if the band does not have it."""
    if not band.center_wavelength:
        return None
    distance = abs(wavelength * _NM - band.center_wavelength)
    half_width = band.full_width_half_max / 2 if band.full_width_half_max else _HALF_WIDTH
    return distance if distance <= half_width else None


def _said(band: SpectralBand) -> str:
    about = [band.common_name or "", _core.eo_common_name(band.common_name or "")]
    if about[0].lower() == about[1]:
        about.pop()
    if band.center_wavelength:
        about.append(f"{band.center_wavelength / _NM:g}")
    return f"{band.name} ({', '.join(filter(None, about))})" if any(about) else band.name
