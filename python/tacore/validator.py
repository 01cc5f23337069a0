"""Checks of samples before they are written, and of datasets that are."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from . import _core, _verbose  # noqa: F401  (messages go to the logger from here on)
from ._errors import TacoError, TacoFormatError, TacoSchemaError, TacoValidationError

if TYPE_CHECKING:
    from .datamodel import Sample

__all__ = ["Issue", "SampleValidator", "TacoTIFF", "TacotiffValidator", "ValidationError", "tacotiff", "validate"]

ValidationError = TacoValidationError


class Issue(NamedTuple):
    """One broken rule.

    Attributes:
        rule: Its number in docs/rules.md, such as "ZIP-3".
        is_error: False for a warning.
        message: What is wrong.
        path: The file, as it is named in messages; "" when unknown.
        offset: Byte in it; None when it does not apply.
        level: Level of the hierarchy; None when it does not apply.
    """

    rule: str
    is_error: bool
    message: str
    path: str
    offset: int | None
    level: int | None


def validate(
    path: str | os.PathLike[str],
    deep: bool = False,
    *,
    base_path: str | os.PathLike[str] | None = None,
    profiles: Sequence[str] = (),
) -> list[Issue]:
    """Every rule of the specification that a dataset breaks, in the order found; goes on after the first.

    Args:
        path: Of any container. One that cannot be opened breaks a rule.
        deep: Also read every byte: CRC-32, values, statistics of Parquet, pixels of TIFFs.
        base_path: As of :func:`tacore.load`.
        profiles: Before 2.0 only: "stac-tortilla", "rai-tortilla", whose fields are to be there.

    Raises:
        TacoQueryError: Another profile, or one of a dataset of 2.0.
    """
    base = "" if base_path is None else os.fspath(base_path)
    return [Issue(*found) for found in _core.validate_dataset(os.fspath(path), deep, base, list(profiles))]


class SampleValidator(ABC):
    """A check of samples, for :meth:`tacore.datamodel.Sample.validate_with`."""

    @abstractmethod
    def validate(self, sample: Sample) -> None:
        """Raises ValidationError when the sample is not as it should be."""

    def get_supported_extensions(self) -> list[str]:
        """Ends of the names of files that this is for."""
        return []

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class TacotiffValidator(SampleValidator):
    """A FILE is a TacoTIFF: a TIFF whose structure fits into `taco:header`, with tiles of one band each, ZSTD, no
    overviews, as ``taco tog`` writes them. Neither GDAL nor another package is needed."""

    def validate(self, sample: Sample) -> None:
        """Raises ValidationError with all reasons why it is none."""
        try:
            _core.header().compute(sample._core)
        except (TacoFormatError, TacoSchemaError) as error:
            raise ValidationError(f"sample {sample.id!r} is no TacoTIFF: {error}") from error
        except TacoError as error:
            raise ValidationError(str(error)) from error

    def get_supported_extensions(self) -> list[str]:
        """Those of TIFFs."""
        return [".tif", ".tiff"]


TacoTIFF = TacotiffValidator
tacotiff = TacotiffValidator()

# The published package has modules of these names.
sample = taco = tortilla = sys.modules[__name__]
for _name in ("sample", "taco", "tortilla"):
    sys.modules[f"{__name__}.{_name}"] = sys.modules[__name__]
