"""Validation of datasets, and of samples before they are written."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core, _verbose  # noqa: F401  (messages go to the logger from here on)
from ._errors import TacoError, TacoFormatError, TacoSchemaError, TacoValidationError
from ._progress import Progress, callback

if TYPE_CHECKING:
    from .datamodel import Sample

__all__ = ["Issue", "SampleValidator", "TacoTIFF", "TacotiffValidator", "ValidationError", "tacotiff", "validate"]

ValidationError = TacoValidationError


class Issue(NamedTuple):
    """A violation of one rule.

    Attributes:
        rule: Id of the rule in docs/rules.md, such as "ZIP-3".
        is_error: True for an error, False for a warning.
        message: Description of the violation.
        path: Path of the file; "" if unknown.
        offset: Byte offset in the file; None if it does not apply.
        level: Level of the hierarchy; None if it does not apply.
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
    assets: bool = False,
    pixels: bool = False,
    sample_size: int = 0,
    seed: int = 0,
    jobs: int = 0,
    base_path: str | os.PathLike[str] | None = None,
    profiles: Sequence[str] = (),
    progress: bool | Progress = False,
) -> list[Issue]:
    """Validates a dataset against the specification, and lists all violations in the order found.

    Args:
        path: Path of a dataset of any container. A dataset that cannot be opened is a violation, too.
        deep: Read every byte, compare checksums and statistics, and decode TIFFs.
        assets: Also compare the metadata with the headers of the files: CRS, geotransform, shape, place, time. What
            contradicts a file is an error; patterns, such as rows that have the metadata of other rows, are warnings.
            At most one request for each file of a remote dataset; small neighbours are read together.
        pixels: As assets, and decode all pixels of TIFFs and compare them with their statistics.
        sample_size: With assets: number of samples to look at, drawn at random; 0 means all. If none of n has a fault,
            fewer than 3 / n of all have it, with a confidence of 95 %.
        seed: With sample_size: seed of the choice.
        jobs: Number of threads; 0 means one for each processor.
        base_path: Folder of the ZIP files of a TACOCAT or TACOLLECTION.json, if it is not the folder of the index.
        profiles: For versions before 2.0: profiles ("stac-tortilla", "rai-tortilla") whose columns are required.
        progress: With assets: True shows a progress bar; a function is called with the number of files that are read,
            and of all, and stops the work with TacoIOError by returning False.

    Returns:
        The violations; an empty list if there are none.

    Raises:
        TacoQueryError: A profile is unknown, or the dataset is of version 2.0 and has none.

    Example:
        >>> for issue in tacore.validator.validate("chips.tacozip", deep=True):
        ...     print(issue.rule, issue.message)
    """
    options: dict[str, Any] = {"assets": assets, "pixels": pixels, "sample_size": sample_size, "seed": seed, "jobs": jobs}
    if base_path is not None:
        options["base_path"] = os.fspath(base_path)
    found = _core.validate_dataset(os.fspath(path), deep, list(profiles), options, callback("Validating", progress))
    return [Issue(*each) for each in found]


class SampleValidator(ABC):
    """Base class of validators for :meth:`tacore.datamodel.Sample.validate_with`."""

    @abstractmethod
    def validate(self, sample: Sample) -> None:
        """Raises ValidationError if the sample is invalid."""

    def get_supported_extensions(self) -> list[str]:
        """File name extensions that this validator supports, such as ".tif"."""
        return []

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class TacotiffValidator(SampleValidator):
    """Checks that a FILE is a TacoTIFF: a TIFF with ZSTD tiles of one band each and no overviews, as ``taco tog``
    writes it, so that `taco:header` can store its structure. Neither GDAL nor another package is needed."""

    def validate(self, sample: Sample) -> None:
        """Raises ValidationError with all reasons if the sample is not a TacoTIFF."""
        try:
            _core.header().compute(sample._core)
        except (TacoFormatError, TacoSchemaError) as error:
            raise ValidationError(f"sample {sample.id!r} is not a TacoTIFF: {error}") from error
        except TacoError as error:
            raise ValidationError(str(error)) from error

    def get_supported_extensions(self) -> list[str]:
        """File name extensions of TIFFs."""
        return [".tif", ".tiff"]


TacoTIFF = TacotiffValidator
tacotiff = TacotiffValidator()

# The published package has modules of these names.
sample = taco = tortilla = sys.modules[__name__]
for _name in ("sample", "taco", "tortilla"):
    sys.modules[f"{__name__}.{_name}"] = sys.modules[__name__]
