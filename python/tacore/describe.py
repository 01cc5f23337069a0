"""Descriptions of a dataset for catalogues, search engines, people and GIS programs: STAC, Croissant, DataCite,
GeoParquet, Markdown, HTML and dataset cards.

Every function takes a dataset, or the path of a dataset of any container and version. The same dataset gives the same
bytes. Links are relative to the folder that contains a local dataset (for a FOLDER, to the FOLDER itself), unless
`base_url`, the URL of that folder, is given. Extents are those of the samples that the filters of the dataset select;
unknown values are "unknown" or left out. A warning counts samples whose time cannot be read, or whose CRS is unknown:
for these the centroid replaces the footprint (with pyproj more CRSs are known, see `STAC`). Descriptions never have the
user, password or query of a URL.
"""

from __future__ import annotations

import importlib.util
import json
import os
import queue
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from . import _core, _progress, _verbose  # noqa: F401  (messages go to the logger from here on)
from ._errors import TacoDocumentationError, TacoFileNotFoundError, TacoFormatError, TacoIOError, TacoSchemaError
from ._output import PathLike, local_path

if TYPE_CHECKING:
    from ._dataset import TacoDataset

    Described = Union[TacoDataset, PathLike]

__all__ = [
    "DatasetSummary",
    "collection2croissant",
    "collection2datacard",
    "collection2datacite",
    "collection2html",
    "collection2markdown",
    "collection2stac",
    "footer2geoparquet",
    "footer2geoparquetstac",
    "footer2stac",
    "generate_html",
    "generate_markdown",
    "list_datasets",
    "viewer_page",
    "write_descriptions",
    "write_site",
    "write_stac",
    "write_viewer_tables",
]

_GREEN = "#4CAF50"


def collection2stac(dataset: Described, base_url: str = "") -> dict[str, Any]:
    """Describes a dataset as a STAC 1.1 Collection, whose extent covers all its Items.

    STAC requires an extent: if it is unknown, it is the globe or all times, with the member `"taco:extent": "unknown"`.

    Args:
        dataset: Dataset, or path of a dataset.
        base_url: URL of the folder of the dataset.

    Raises:
        TacoError: The dataset cannot be opened (as for :func:`tacore.load`) or read; so for all functions here.
    """
    return dict(json.loads(_core.collection2stac(_opened(dataset), _options(base_url=base_url))))


def collection2croissant(
    dataset: Described, base_url: str = "", published: str = "", *, checksums: bool = True
) -> dict[str, Any]:
    """Describes a dataset as Croissant 1.1 (JSON-LD), from which mlcroissant loads samples.

    The record set `levelN` is the table of a level; `samples` has the metadata of each sample and the content of its
    files: `data` of a FILE, `optical` and `mask` of a FOLDER with these files. PNG and JPEG are loaded as pictures,
    other files as bytes, which rasterio opens. mlcroissant reads all samples into memory, and needs a new
    `mlcroissant.Dataset` for a second record set with files.

    `samples` is left out where mlcroissant could not load it: of samples with more than 13 files, whose record sets
    `files/NAME` have `id` and `content` each; of a FOLDER with a `base_url`, as a server does not list its files; of an index without `.tacocat/`, or whose ZIPs repeat an id; and of a Tortilla or TACO before 2.0. Of
    these, Croissant tools read level 0 from `NAME.parquet` beside them, which :func:`footer2geoparquet` writes.

    Args:
        dataset: Dataset, or path of a dataset.
        base_url: URL of the folder of the dataset.
        published: Date of publication, as for :func:`collection2datacite`.
        checksums: State the SHA-256 of each local file, which is read whole for it; remote files have none, and a
            warning says so. mlcroissant requires it.

    Example:
        >>> Path("croissant.json").write_text(json.dumps(tacore.describe.collection2croissant("chips.tacozip")))
        >>> for record in mlcroissant.Dataset("croissant.json").records("samples"):
        ...     pixels = rasterio.MemoryFile(record["samples/data"]).open().read()  # of a TIFF
    """
    options = _options(base_url=base_url, published=published, checksums=checksums)
    return dict(json.loads(_core.collection2croissant(_opened(dataset), options)))


def collection2datacite(dataset: Described, base_url: str = "", published: str = "") -> dict[str, Any]:
    """Describes a dataset as DataCite 4.5, which requires the year of publication.

    Args:
        dataset: Dataset, or path of a dataset.
        base_url: URL of the folder of the dataset.
        published: Date of publication, YYYY or YYYY-MM-DD; "": the member `published` or `datePublished` of
            COLLECTION.json, else the date of the environment variable SOURCE_DATE_EPOCH.

    Raises:
        TacoSchemaError: The year of publication is unknown.
        TacoValidationError: `published` has another form.
    """
    options = _options(base_url=base_url, published=published)
    return dict(json.loads(_core.collection2datacite(_opened(dataset), options)))


def collection2datacard(
    dataset: Described, base_url: str = "", published: str = "", *, viewer_tables: Sequence[str] = ()
) -> str:
    """Makes a dataset card for Hugging Face: YAML between two lines `---`, then Markdown.

    Args:
        dataset: Dataset, or path of a dataset.
        base_url: URL of the folder of the dataset.
        published: Date of publication, as for :func:`collection2datacite`.
        viewer_tables: What :func:`write_viewer_tables` returned: the card lists these tables as `configs`, from which
            the viewer of the Hub and `datasets.load_dataset` know them.
    """
    options = _options(base_url=base_url, published=published, viewer_tables=list(viewer_tables))
    return _core.collection2datacard(_opened(dataset), options)


def collection2markdown(
    dataset: Described, base_url: str = "", example_path: PathLike | None = None, published: str = ""
) -> str:
    """Describes a dataset in Markdown: the dataset card without its YAML.

    Args:
        dataset: Dataset, path of a dataset, or path of a COLLECTION.json, complete or not, whose dataset is not read.
        base_url: URL of the folder of the dataset.
        example_path: Path that the code examples load; None: the URL of the dataset, else its name.
        published: Date of publication, as for :func:`collection2datacite`.

    Raises:
        TacoDocumentationError: The COLLECTION.json is invalid.
    """
    options = _options(base_url=base_url, example_path=example_path, published=published)
    return _described(_core.collection2markdown, dataset, options)


def collection2html(
    dataset: Described,
    base_url: str = "",
    accent_colour: str = _GREEN,
    example_path: PathLike | None = None,
    catalogue_url: str = "",
    published: str = "",
    thumbnails: int = 12,
    viewer_url: str = "",
) -> str:
    """Describes a dataset as a self-contained HTML page: pictures of samples, map, counts of splits and classes, stored
    statistics of bands, how to load it, tree, columns, people and citation. The page loads nothing from a network.

    Args:
        dataset: As for :func:`collection2markdown`.
        base_url: URL of the folder of the dataset, for download links of the partitions of an index.
        accent_colour: Accent colour, `#RRGGBB`; any other text gives the default.
        example_path: As for :func:`collection2markdown`.
        catalogue_url: URL of a link back to a catalogue; "": no link.
        published: Date of publication, as for :func:`collection2datacite`.
        thumbnails: Maximal number of samples shown as pictures, spread evenly over all rows; 0: none. Their pixels are
            read, also from a server. Samples that are no rasters are not shown. All pictures together add at most 1.2 MB
            to the page.
        viewer_url: URL of the page of :func:`viewer_page`, or its path from this page; "": no link.

    Example:
        >>> page = tacore.describe.collection2html("chips.tacozip", base_url="https://host/data", thumbnails=6)
    """
    options = _options(
        base_url=base_url,
        thumbnails=thumbnails,
        accent_colour=accent_colour,
        example_path=example_path,
        catalogue_url=catalogue_url,
        published=published,
        viewer_url=viewer_url,
    )
    return _described(_core.collection2html, dataset, options)


def viewer_page(
    dataset: TacoDataset | PathLike | None = None,
    folder: PathLike = ".",
    base_url: str = "",
    servers: Sequence[str] = (),
) -> str:
    """Makes the page that shows a dataset in the browser: samples on a map and in a table, filters, and pixels.

    It is one HTML file for a web server, which has the dataset as well; ``dataset.view()`` shows the same page at once.
    It may read its own server, that of the dataset and `servers`, and no others.

    Args:
        dataset: Dataset without filters, or path of a dataset; None: a page for any dataset, which is dropped on it or
            named by ``page.html?url=URL``.
        folder: Folder that the page will be written to: it opens a local dataset by its path from there.
        base_url: URL of the folder of the dataset, where it is not beside the page.
        servers: Other servers that may be read, such as those that the server of the dataset redirects to:
            "https://cdn.example.org", "https://*.example.org".

    Returns:
        The text of the page.

    Raises:
        TacoQueryError: The dataset has filters or another query.
        TacoValidationError: A browser cannot read the dataset by its URL, or a text in `servers` is no server.

    Example:
        >>> page = tacore.describe.viewer_page("site/landsat.tacozip", "site")
        >>> pathlib.Path("site/index.html").write_text(page)
    """
    opened = None if dataset is None else _opened(dataset)
    return _core.viewer_page(opened, local_path(folder), base_url, list(servers))


def generate_markdown(
    input: Described, output: PathLike = "README.md", dataset_example_path: PathLike | None = None
) -> Path:
    """Writes the Markdown of :func:`collection2markdown` to a file; an existing file is replaced.

    Args:
        input: Dataset, path of a dataset, or path of a COLLECTION.json.
        output: Path of the file.
        dataset_example_path: Path that the code examples load; None: the name of the dataset, for a COLLECTION.json
            `ID.tacozip`.

    Returns:
        The path of the file.

    Raises:
        TacoFileNotFoundError: `input` does not exist.
        TacoDocumentationError: The COLLECTION.json is invalid (also a ValueError), or the file cannot be written (also
            an OSError).
        TacoValidationError: `output` would replace a file of the dataset. A new file in a FOLDER dataset is allowed.
    """
    path, described = _apart(output, input)
    return _written(collection2markdown(described, example_path=dataset_example_path), path)


def generate_html(
    input: Described,
    output: PathLike = "index.html",
    inline_deps: bool = True,
    catalogue_url: str = "https://tacofoundation.github.io/catalogue",
    download_base_url: str | None = None,
    theme_color: str = _GREEN,
    dataset_example_path: PathLike | None = None,
) -> Path:
    """Writes the page of :func:`collection2html` to a file; an existing file is replaced.

    Args:
        input: Dataset, path of a dataset, or path of a COLLECTION.json.
        output: Path of the file.
        inline_deps: Accepted for compatibility, without effect: the page has no dependencies.
        catalogue_url: URL of a link back to a catalogue; "": no link.
        download_base_url: URL of the folder of the dataset, for download links of the partitions of an index.
        theme_color: Accent colour, `#RRGGBB`; any other text gives the default.
        dataset_example_path: As for :func:`generate_markdown`.

    Returns:
        The path of the file.

    Raises:
        TacoError: As for :func:`generate_markdown`.
    """
    path, described = _apart(output, input)
    page = collection2html(described, download_base_url or "", theme_color, dataset_example_path, catalogue_url)
    return _written(page, path)


def footer2stac(dataset: Described, level: int = 0, base_url: str = "") -> Iterator[dict[str, Any]]:
    """Yields a STAC 1.1 Item for each sample of a level: for level 0, of the rows that filters select; for a deeper
    level, of all stored rows.

    The FILEs of a FOLDER are the assets of its Item. A thread makes up to a few hundred Items ahead, and none is kept:
    without filters, memory does not grow with their number.

    Args:
        dataset: Dataset, or path of a dataset.
        level: Level of the samples; 0 is the root.
        base_url: URL of the folder of the dataset.

    Returns:
        An iterator of dicts. Errors below are raised by its first or a later step.

    Raises:
        TacoQueryError: There is no such level.
        TacoSchemaError: The level has no columns of times, and the dataset no temporal extent; STAC requires a time.

    Example:
        >>> for item in tacore.describe.footer2stac("chips.tacozip", base_url="https://host/data"):
        ...     print(item["id"], item["bbox"])
    """
    return _Items(_opened(dataset), level, _options(base_url=base_url))


def write_descriptions(
    dataset: Described,
    directory: PathLike,
    base_url: str = "",
    *,
    accent_colour: str = _GREEN,
    catalogue_url: str = "",
    published: str = "",
    thumbnails: int = 12,
    overwrite: bool = False,
) -> Path:
    """Writes all descriptions of a dataset to a new folder, atomically, with links from one to the others: the page
    `index.html`, `viewer.html` (:func:`viewer_page`), `README.md` (the dataset card), `croissant.json`,
    `datacite.json`, `samples.parquet` (level 0, as GeoParquet if it has places) and `stac/` (`collection.json`,
    `items/{id}.json`).

    What the dataset lacks a time, a place or a year of publication for is left out, with a warning.

    Args:
        dataset: Dataset, or path of a dataset.
        directory: Path of the folder.
        base_url: URL of the folder of the dataset; "": links to the data are relative to `directory`.
        accent_colour: As for :func:`collection2html`.
        catalogue_url: As for :func:`collection2html`.
        published: Date of publication, as for :func:`collection2datacite`.
        thumbnails: As for :func:`collection2html`.
        overwrite: Replace an existing folder that has an index.html and a croissant.json; nothing else is ever replaced.

    Returns:
        The path of the folder.

    Raises:
        TacoIOError: The folder exists and `overwrite` is not set, is no such folder, or cannot be written.
        TacoValidationError: The folder is, or lies in, a file or folder of the dataset.

    Example:
        >>> site = tacore.describe.write_descriptions("chips.tacozip", "site", base_url="https://host/data")
        >>> sorted(path.name for path in site.iterdir())
        ['README.md', 'croissant.json', 'datacite.json', 'index.html', 'samples.parquet', 'stac', 'viewer.html']
    """
    path = local_path(directory)
    options = _options(
        base_url=base_url,
        accent_colour=accent_colour,
        catalogue_url=catalogue_url,
        published=published,
        thumbnails=thumbnails,
        overwrite=overwrite,
    )
    _core.write_descriptions(_opened(dataset), path, options)
    return path


def write_stac(
    dataset: Described, directory: PathLike, level: int = 0, base_url: str = "", *, overwrite: bool = False
) -> Path:
    """Writes a static STAC catalogue to a new folder, atomically: `collection.json` and, linked with it,
    `items/{id}.json` for each sample of a level.

    Args:
        dataset: Dataset, or path of a dataset.
        directory: Path of the folder.
        level: Level of the samples; 0 is the root.
        base_url: URL of the folder of the dataset; "": links to the data are relative.
        overwrite: Replace an existing folder, if it has a collection.json.

    Returns:
        The path of the folder.

    Raises:
        TacoIOError: The folder exists, or cannot be written.
        TacoSchemaError: As for :func:`footer2stac`.
    """
    path = local_path(directory)
    _core.write_stac(_opened(dataset), path, level, _options(base_url=base_url, overwrite=overwrite))
    return path


def footer2geoparquet(
    dataset: Described, output: PathLike, level: int = 0, base_url: str = "", *, overwrite: bool = False, **parquet: Any
) -> Path:
    """Writes a level as GeoParquet 1.1, atomically: its columns, `taco:vsi`, `geometry` (WKB, longitude and latitude)
    and `bbox`. Rows are those of :func:`footer2stac`.

    Args:
        dataset: Dataset, or path of a dataset.
        output: Path of the file.
        level: Level of the samples; 0 is the root.
        base_url: URL of the folder of the dataset.
        overwrite: Replace an existing file.
        **parquet: As for :func:`tacore.export`.

    Returns:
        The path of the file.

    Raises:
        TacoIOError: The file exists, or cannot be written.
        TacoQueryError: There is no such level.
        TacoSchemaError: The level has no column of geometries or centroids.

    Example:
        >>> tacore.describe.footer2geoparquet("chips.tacozip", "chips.parquet")
        >>> geopandas.read_parquet("chips.parquet").plot()
    """
    options = _options(base_url=base_url, overwrite=overwrite, parquet=parquet)
    path = local_path(output)
    _core.footer2geoparquet(_opened(dataset), level, path, options)
    return path


def footer2geoparquetstac(
    dataset: Described, output: PathLike, level: int = 0, base_url: str = "", *, overwrite: bool = False, **parquet: Any
) -> Path:
    """Writes the Items of :func:`footer2stac` as stac-geoparquet 1.0. Arguments, result and errors are those of
    :func:`footer2geoparquet`."""
    options = _options(base_url=base_url, overwrite=overwrite, parquet=parquet)
    path = local_path(output)
    _core.footer2geoparquetstac(_opened(dataset), level, path, options)
    return path


def write_viewer_tables(
    dataset: Described, folder: PathLike, base_url: str = "", *, overwrite: bool = False, **parquet: Any
) -> list[str]:
    """Writes the samples of level 0 as Parquet tables that the viewer of the Hugging Face Hub shows, atomically; it
    cannot read the tables inside of a ZIP.

    The new folder has a file `SPLIT.parquet` for each value of the column `split` (or `tortilla:data_split`), and
    `unassigned.parquet` for samples without one; a dataset without splits has `train.parquet` alone, as the Hub names
    them. Columns are those of :func:`footer2geoparquet`, with `geometry` and `bbox` only if samples have locations.
    Pixels are not in the tables: the viewer shows metadata, and `taco:vsi` is the path of each sample for GDAL.

    Args:
        dataset: Dataset, or path of a dataset.
        folder: Path of the folder, beside the card.
        base_url: URL of the folder of the dataset, for `taco:vsi`.
        overwrite: Replace an existing folder, if all of its files are Parquet.
        **parquet: As for :func:`tacore.export`.

    Returns:
        The paths of the files from the parent folder of `folder`, training first, for :func:`collection2datacard`.

    Raises:
        TacoIOError: The folder exists, or cannot be written.

    Example:
        >>> tables = tacore.describe.write_viewer_tables("chips.tacozip", "publish/table")
        >>> tables
        ['table/train.parquet', 'table/validation.parquet', 'table/test.parquet']
        >>> card = tacore.describe.collection2datacard("chips.tacozip", viewer_tables=tables)
        >>> Path("publish/README.md").write_text(card)
        >>> datasets.load_dataset("publish")["train"].column_names
    """
    options = _options(base_url=base_url, overwrite=overwrite, parquet=parquet)
    return list(_core.write_viewer_tables(_opened(dataset), local_path(folder), options))


@dataclass(frozen=True)
class DatasetSummary:
    """A dataset in a listing.

    Attributes:
        path: Path or URL that :func:`tacore.load` opens.
        format: Container: "zip", "folder", "tacocat", "tacollection", "tortilla" or "taco".
        id: Id of the dataset; if it has none, the name of its file.
        title: Name in a list, else the title, else the id.
        version: Version of the dataset; "unknown" or "" if it is not stated.
        description: Description of the dataset.
        licenses: Licences, SPDX identifiers where they have one.
        tasks: Machine-learning tasks, such as "segmentation".
        keywords: Keywords of the dataset.
        num_samples: Number of samples of level 0.
        num_bytes: Size of all its files; None for remote FOLDERs and indexes.
        extent: ``{"spatial": [west, south, east, north], "temporal": [start, end]}`` in degrees (WGS 84) and RFC 3339;
            either may be absent, and an open start or end is None.
    """

    path: str
    format: str
    id: str
    title: str
    version: str
    description: str
    licenses: list[str]
    tasks: list[str]
    keywords: list[str]
    num_samples: int
    num_bytes: int | None
    extent: dict[str, Any] = field(default_factory=dict)


def list_datasets(
    path: PathLike, *, strict: bool = False, jobs: int = 0, progress: bool | _progress.Progress = True
) -> list[DatasetSummary]:
    """Lists the datasets of a folder, a list or a catalogue.

    Args:
        path: Path of a folder, which is searched with all folders below it, hidden ones aside, for datasets of all
            containers; of a list, a text file with a path or URL in each line, relative to its folder, and a title
            behind a tab if wanted (lines that begin with # are comments); or of a catalogue that :func:`write_site`
            wrote, or its catalog.json, also at a URL.
        strict: Fail at a dataset that cannot be read, instead of leaving it out with a warning.
        jobs: Number of threads; 0 means one for each processor.
        progress: Show a progress bar, or call this with the numbers of datasets that are done and of all.

    Returns:
        The datasets in the order of their paths, or of the list or catalogue. The partitions of a dataset, or those
        that an index lists, are one entry.

    Raises:
        TacoFormatError: There are none, or `path` is neither folder, list nor catalogue.
        TacoIOError: `path`, or what a list names, cannot be opened.

    Example:
        >>> for dataset in tacore.list_datasets("archive"):
        ...     print(dataset.id, dataset.num_samples, dataset.tasks)
    """
    options = {"strict": strict, "jobs": jobs}
    found = _core.list_datasets(path, options, _progress.callback("Listing", progress))
    return [DatasetSummary(**each) for each in found]


def write_site(
    path: PathLike,
    output: PathLike,
    *,
    title: str = "Datasets",
    base_url: str = "",
    data_url: str = "",
    accent_colour: str = _GREEN,
    thumbnails: int = 12,
    checksums: bool = True,
    strict: bool = False,
    overwrite: bool = False,
    jobs: int = 0,
    progress: bool | _progress.Progress = True,
) -> list[DatasetSummary]:
    """Writes a static web catalogue of many datasets to a new folder, atomically: `index.html` with a search, a STAC
    Catalog (`catalog.json`), and a page, STAC Collection and Croissant metadata of each dataset. docs/catalogue.md
    describes it.

    Args:
        path: Path of a folder or list, as for :func:`list_datasets`.
        output: Path of the folder of the catalogue.
        title: Title of the catalogue; by default Datasets.
        base_url: URL at which the catalogue will be published, for absolute links and sitemap.xml.
        data_url: URL at which the folder of the datasets is published; by default links to datasets are relative.
        accent_colour: Colour of the pages, #RRGGBB.
        thumbnails: Maximal number of samples that each page shows as pictures, which add at most 1.2 MB; 0: none.
        checksums: Let Croissant state the SHA-256 of each local file, which is read whole.
        strict: Fail at a dataset that cannot be read, instead of leaving it out with a warning.
        overwrite: Replace existing output atomically. Only a catalogue is replaced.
        jobs: Number of threads; 0 means one for each processor.
        progress: As for :func:`list_datasets`.

    Returns:
        The datasets of the catalogue.

    Raises:
        TacoIOError: `output` exists or cannot be written, or as for :func:`list_datasets`.
        TacoValidationError: `output` is in a dataset, or no catalogue that may be replaced; a URL is none.
        TacoFormatError: As for :func:`list_datasets`.

    Example:
        >>> tacore.write_site("archive", "archive/site", title="Our archive")
    """
    options = _options(
        title=title,
        base_url=base_url,
        data_url=data_url,
        accent_colour=accent_colour,
        thumbnails=thumbnails,
        checksums=checksums,
        strict=strict,
        overwrite=overwrite,
        jobs=jobs,
    )
    made = _core.write_site(path, local_path(output), options, _progress.callback("Describing", progress))
    return [DatasetSummary(**each) for each in made]


def _options(**given: Any) -> dict[str, Any]:
    options = {name: value for name, value in given.items() if value is not None}
    return {**options, "transformer": importlib.util.find_spec("pyproj") is not None}


def _apart(output: PathLike, dataset: Described) -> tuple[Path, Described]:
    """The path of an output text, which must not replace a file of the dataset; and the dataset, opened, or the path of
    a COLLECTION.json."""
    path, document = local_path(output), _document_path(dataset)
    if document is not None:
        _core.require_text_apart(path, document)
        return path, document
    opened = _loaded(dataset)
    _core.require_text_apart(path, opened._core)
    return path, opened


def _loaded(dataset: Described) -> TacoDataset:
    from ._dataset import TacoDataset, load

    if not isinstance(dataset, (TacoDataset, str, bytes, os.PathLike)):
        raise TypeError(f"a dataset or the path of one is expected, not {type(dataset).__name__}")
    return dataset if isinstance(dataset, TacoDataset) else load(dataset)


def _opened(dataset: Described) -> _core.Dataset:
    return _loaded(dataset)._core


def _described(form: Any, dataset: Described, options: dict[str, Any]) -> str:
    path = _document_path(dataset)
    if path is None:
        return str(form(_opened(dataset), options))
    try:
        return str(form(path.read_bytes(), path, options))
    except FileNotFoundError as error:
        missing = TacoFileNotFoundError(f"{path}: there is no such file")
        missing.path, missing.errno = str(path), error.errno
        raise missing from None
    except (TacoFormatError, TacoSchemaError) as error:
        invalid = TacoDocumentationError(f"Invalid JSON in {path}: {error.message}")
        invalid.path, invalid.message = str(path), error.message
        raise invalid from error


def _document_path(dataset: Described) -> Path | None:
    """The path if it is a COLLECTION.json, else None; TACOLLECTION.json is a dataset."""
    from ._dataset import TacoDataset

    if isinstance(dataset, TacoDataset):
        return None
    path = Path(dataset)
    return path if path.suffix == ".json" and path.name != "TACOLLECTION.json" else None


class _NotWrittenError(TacoDocumentationError, TacoIOError):
    """A description could not be written."""


def _written(text: str, path: Path) -> Path:
    try:
        beside = Path(os.fsdecode(_core.temporary_for(path)))
        try:
            with open(beside, "x", encoding="utf-8", newline="\n") as file:
                _core.hold_temporary(file.fileno(), beside, path)
                file.write(text)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        failed = _NotWrittenError(f"{path}: {error.strerror}")
        failed.path, failed.message, failed.errno = str(path), str(error.strerror), error.errno
        raise failed from error
    return path


class _Stopped(Exception):
    """The iterator of Items was closed."""


class _Made:
    """Queue of Items between the thread that makes them and the iterator."""

    def __init__(self) -> None:
        self.batches: queue.Queue[list[str]] = queue.Queue(4)
        self.error: BaseException | None = None
        self.stopped = False

    def put(self, batch: list[str]) -> None:
        while not self.stopped:
            with suppress(queue.Full):
                return self.batches.put(batch, timeout=0.1)
        raise _Stopped


class _Items(Iterator[dict[str, Any]]):
    """Iterator of Items, made a few batches ahead by a thread. The thread has no reference to the iterator, and ends
    when the iterator is garbage-collected."""

    _SIZE = 64

    def __init__(self, dataset: _core.Dataset, level: int, options: dict[str, Any]) -> None:
        self._made = _Made()
        self._batch: Iterator[str] = iter(())
        self._thread = threading.Thread(
            target=_make_items, args=(self._made, dataset, level, options), name="tacore items", daemon=True
        )
        self._started = False
        self._done = False

    def __iter__(self) -> _Items:
        return self

    def __next__(self) -> dict[str, Any]:
        if not self._started:
            self._started = True
            self._thread.start()
            weakref.finalize(self, _stop, self._made, self._thread)
        while True:
            for item in self._batch:
                return dict(json.loads(item))
            if self._done:
                raise StopIteration
            batch = self._made.batches.get()
            self._done = not batch
            self._batch = iter(batch)
            if self._done and self._made.error is not None:
                raise self._made.error


def _make_items(made: _Made, dataset: _core.Dataset, level: int, options: dict[str, Any]) -> None:
    batch: list[str] = []

    def write(name: str, item: str) -> None:
        batch.append(item)
        if len(batch) == _Items._SIZE:
            made.put(batch.copy())
            batch.clear()

    try:
        _core.footer2stac(dataset, level, write, options)
        if batch:
            made.put(batch)
    except _Stopped:
        return
    except BaseException as error:
        made.error = error
    with suppress(_Stopped):
        made.put([])  # the end


def _stop(made: _Made, thread: threading.Thread) -> None:
    made.stopped = True
    if thread is not threading.current_thread():
        thread.join()
