"""Validation of datasets, and of samples before they are written."""

from __future__ import annotations

import json
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

__all__ = [
    "CardItem",
    "Issue",
    "ReportCard",
    "SampleValidator",
    "TacoTIFF",
    "TacotiffValidator",
    "ValidationError",
    "doctor",
    "issues2html",
    "issues2sarif",
    "tacotiff",
    "validate",
]

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
        num_issues: More than 1 for the violations of a rule that are not told one by one.
        rows: Rows of level 0 of all samples that it is about; only of rules AST-*.
        places: Longitude and latitude of each of these, in degrees, where its file says where it lies; else None.
    """

    rule: str
    is_error: bool
    message: str
    path: str
    offset: int | None
    level: int | None
    num_issues: int = 1
    rows: Sequence[int] = ()
    places: Sequence[tuple[float, float] | None] = ()


def validate(
    path: str | os.PathLike[str],
    deep: bool = False,
    *,
    assets: bool = False,
    pixels: bool = False,
    key: str | os.PathLike[str] = "",
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
        pixels: As assets, and decode all pixels of rasters and compare them with their statistics.
        key: Public key of who must have signed: its file, or its 56 characters. All data are read. Hashes and Merkle
            root are verified with deep and pixels, too; the signature needs the key.
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
    options: dict[str, Any] = {
        "assets": assets,
        "pixels": pixels,
        "key": os.fspath(key),
        "sample_size": sample_size,
        "seed": seed,
        "jobs": jobs,
    }
    if base_path is not None:
        options["base_path"] = os.fspath(base_path)
    found = _core.validate_dataset(os.fspath(path), deep, list(profiles), options, callback("Validating", progress))
    return [Issue(*each) for each in found]


def issues2sarif(issues: Sequence[Issue], path: str | os.PathLike[str]) -> str:
    """Writes violations as SARIF 2.1.0, which code hosts and editors show.

    Args:
        issues: What :func:`validate` returned.
        path: Path of the dataset.

    Returns:
        JSON with the rules that are broken and a result for each issue, with its file, its byte, and the rows of its
        samples in `properties.rows`.

    Example:
        >>> issues = tacore.validator.validate("chips.tacozip", assets=True)
        >>> Path("chips.sarif").write_text(tacore.validator.issues2sarif(issues, "chips.tacozip"))
    """
    return _core.issues2sarif([tuple(each) for each in issues], os.fspath(path))


def issues2html(issues: Sequence[Issue], path: str | os.PathLike[str], *, pictures: int = 10) -> str:
    """Writes violations as a web page: the rules that are broken, a map of the samples with a fault, pictures of those
    with the most faults, and all messages. The page needs no other file and no network.

    Args:
        issues: What :func:`validate` returned.
        path: Path of the dataset. It is read for map and pictures; where it cannot be opened, they are left out.
        pictures: Maximal number of samples that are shown.

    Example:
        >>> issues = tacore.validator.validate("chips.tacozip", assets=True)
        >>> Path("faults.html").write_text(tacore.validator.issues2html(issues, "chips.tacozip"))
    """
    return _core.issues2html([tuple(each) for each in issues], os.fspath(path), pictures)


class CardItem(NamedTuple):
    """Something that a good dataset has.

    Attributes:
        part: "specification", "truth", "findable", "accessible", "interoperable", "reusable", "documentation" or
            "reading".
        principle: The FAIR principle, such as "R1.1"; "" for others.
        what: What a good dataset has.
        is_met: Whether this one has it.
        found: What it has.
        advice: What to do where it is not met.
        benefit: Where it is not met, how much this helps its users: 0 to 100. Above 60: the dataset is wrong, or cannot
            be read as it is.
    """

    part: str
    principle: str
    what: str
    is_met: bool
    found: str
    advice: str
    benefit: int


class ReportCard(NamedTuple):
    """What :func:`doctor` finds.

    Attributes:
        path: Path of the dataset.
        id: Its id.
        version: Its version.
        num_samples: Number of samples.
        num_checked: Number of samples whose files were compared with their metadata.
        items: What a good dataset has, by part.
        advice: The items that are not met, the most useful first.
        reading: How fast samples were read: inputs, num_samples, samples_per_second, seconds_to_first,
            num_bytes, requests_in_order and requests_shuffled (for each sample, from a server); None
            where no sample is a raster that can be read.
        issues: What :func:`validate` finds.
        html: The report card as a web page, which needs no other file; "" unless it was asked for.
    """

    path: str
    id: str
    version: str
    num_samples: int
    num_checked: int
    items: list[CardItem]
    advice: list[CardItem]
    reading: dict[str, Any] | None
    issues: list[Issue]
    html: str


def doctor(
    path: str | os.PathLike[str],
    *,
    deep: bool = False,
    pixels: bool = False,
    sample_size: int = 1000,
    read_size: int = 256,
    seed: int = 0,
    jobs: int = 0,
    base_path: str | os.PathLike[str] | None = None,
    html: bool = False,
    progress: bool | Progress = False,
) -> ReportCard:
    """Examines a dataset for its publisher: what is wrong with it, what others need to find, understand and reuse it
    (FAIR), how fast it is read, and what to do about it.

    The requests that a local dataset would take are counted at a web server on 127.0.0.1, in this process, that serves
    its files for this time. The dataset is not changed.

    Args:
        path: Path of a dataset of any container, which may be remote.
        deep: Read every byte, compare checksums and statistics, and decode TIFFs.
        pixels: Decode all pixels of rasters and compare them with their statistics.
        sample_size: Number of samples whose files are compared with their metadata, drawn at random; 0 means all.
        read_size: Number of samples that are read to measure the speed, drawn at random; 0 means none.
        seed: Seed of the choices.
        jobs: Number of threads; 0 means one for each processor.
        base_path: Folder of the ZIP files of a TACOCAT or TACOLLECTION.json, if it is not the folder of the index.
        html: Also write the report card as a web page.
        progress: True shows a progress bar; a function is called with the number of files that are read, and of all,
            and stops the work with TacoIOError by returning False.

    Example:
        >>> card = tacore.validator.doctor("chips.tacozip")
        >>> for item in card.advice:
        ...     print(item.benefit, item.what, "->", item.advice)
    """
    options: dict[str, Any] = {
        "deep": deep,
        "pixels": pixels,
        "sample_size": sample_size,
        "read_size": read_size,
        "seed": seed,
        "jobs": jobs,
    }
    if base_path is not None:
        options["base_path"] = os.fspath(base_path)
    text, issues, page = _core.examine_dataset(os.fspath(path), options, html, callback("Examining", progress))
    card = json.loads(text)
    items = [CardItem(**item) for item in card["items"]]
    return ReportCard(
        path=card["path"],
        id=card["id"],
        version=card["version"],
        num_samples=card["num_samples"],
        num_checked=card["num_checked"],
        items=items,
        advice=[items[number] for number in card["advice"]],
        reading=card["reading"],
        issues=[Issue(*each) for each in issues],
        html=page,
    )


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
