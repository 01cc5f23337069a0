"""What a dataset is, in the forms that catalogues, search engines, people and GIS programs read.

Every function takes a dataset, or the path of one of any kind and version. The same dataset gives the same bytes. Links
are relative to the folder of a local dataset unless there is a `base_url`, the URL of that folder (a FOLDER: its own).
Places and times are those of the samples that the dataset shows; what is not known is "unknown" or left out. A warning
counts samples whose time cannot be read, or whose coordinate system is not known: their centroid stands for their
footprint (pyproj knows more systems than tacore itself, see `STAC`). No user, password or query of a URL gets into a
description.
"""

from __future__ import annotations

import importlib.util
import json
import os
import queue
import threading
import weakref
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from . import _core, _verbose  # noqa: F401  (messages go to the logger from here on)
from ._errors import TacoDocumentationError, TacoFileNotFoundError, TacoFormatError, TacoIOError, TacoSchemaError
from ._output import PathLike, local_path

if TYPE_CHECKING:
    from ._dataset import TacoDataset

    Described = Union[TacoDataset, PathLike]

__all__ = [
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
    "write_stac",
]

_GREEN = "#4CAF50"


def collection2stac(dataset: Described, base_url: str = "") -> dict[str, Any]:
    """A STAC 1.1 Collection, whose extent holds all Items. STAC has no form for an extent that is not known: it is the
    globe or all times there, with `"taco:extent": "unknown"` beside it.

    Raises:
        TacoError: What :func:`tacore.load` raises, and for what cannot be read; so do all functions here.
    """
    return dict(json.loads(_core.collection2stac(_opened(dataset), _options(base_url=base_url))))


def collection2croissant(dataset: Described, base_url: str = "", published: str = "") -> dict[str, Any]:
    """Croissant 1.0 (JSON-LD), with a record set for each level that reads its table, and the SHA-256 of each local
    file, which is read whole for it; of remote files there is none, and a warning. `published` as for
    :func:`collection2datacite`.

    Of a Tortilla, or a TACO before 2.0, others can read none but that of level 0 which :func:`footer2geoparquet` wrote
    beside it as `NAME.parquet`.
    """
    options = _options(base_url=base_url, published=published)
    return dict(json.loads(_core.collection2croissant(_opened(dataset), options)))


def collection2datacite(dataset: Described, base_url: str = "", published: str = "") -> dict[str, Any]:
    """DataCite 4.5, which wants the year of publication.

    Args:
        dataset: A dataset, or its path.
        base_url: URL of the folder of the dataset.
        published: When it was published, YYYY or YYYY-MM-DD; "": the member `published` or `datePublished` of
            COLLECTION.json, else the date of SOURCE_DATE_EPOCH.

    Raises:
        TacoSchemaError: No year is known.
        TacoValidationError: Another text for `published`.
    """
    options = _options(base_url=base_url, published=published)
    return dict(json.loads(_core.collection2datacite(_opened(dataset), options)))


def collection2datacard(dataset: Described, base_url: str = "", published: str = "") -> str:
    """A dataset card as Hugging Face has them: YAML between two lines `---`, then Markdown."""
    return _core.collection2datacard(_opened(dataset), _options(base_url=base_url, published=published))


def collection2markdown(
    dataset: Described, base_url: str = "", example_path: PathLike | None = None, published: str = ""
) -> str:
    """The Markdown of the card alone.

    Args:
        dataset: Also the path of a COLLECTION.json alone, finished or not, whose dataset is not looked at.
        base_url: URL of the folder of the dataset.
        example_path: What the examples load; None: the dataset by its URL, else its name.
        published: As for :func:`collection2datacite`.

    Raises:
        TacoDocumentationError: A COLLECTION.json that is none.
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
) -> str:
    """A page that needs no other file, no network and no script, with map, tree, fields, people and citation.

    Args:
        dataset: As for :func:`collection2markdown`.
        base_url: URL of the folder of the dataset; parts of an index can then be downloaded.
        accent_colour: `#RRGGBB`; anything else is the default.
        example_path: As for :func:`collection2markdown`.
        catalogue_url: Where the page leads back to; "": nowhere.
        published: As for :func:`collection2datacite`.
    """
    options = _options(
        base_url=base_url,
        accent_colour=accent_colour,
        example_path=example_path,
        catalogue_url=catalogue_url,
        published=published,
    )
    return _described(_core.collection2html, dataset, options)


def generate_markdown(
    input: Described, output: PathLike = "README.md", dataset_example_path: PathLike | None = None
) -> Path:
    """Writes :func:`collection2markdown` to a file, in the place of one that is there.

    Args:
        input: A dataset, its path, or that of a COLLECTION.json.
        output: The file.
        dataset_example_path: What the examples load; None: the dataset by its name, of a COLLECTION.json
            `ID.tacozip`.

    Returns:
        The path of the file.

    Raises:
        TacoFileNotFoundError: There is no `input`.
        TacoDocumentationError: A COLLECTION.json that is none (a ValueError); no file can be written (an OSError).
        TacoValidationError: `output` would replace a file of the dataset. It may lie in the folder of a FOLDER.
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
    """Writes :func:`collection2html` to a file, in the place of one that is there.

    Args:
        input: A dataset, its path, or that of a COLLECTION.json.
        output: The file.
        inline_deps: Accepted for the sake of programs that say it: the page has no dependencies.
        catalogue_url: Where the page leads back to; "": nowhere.
        download_base_url: URL of the folder of the dataset; parts of an index can then be downloaded.
        theme_color: `#RRGGBB`; anything else is the default.
        dataset_example_path: As for :func:`generate_markdown`.

    Returns:
        The path of the file.

    Raises:
        TacoFileNotFoundError: There is no `input`.
        TacoDocumentationError: As for :func:`generate_markdown`.
        TacoValidationError: The same.
    """
    path, described = _apart(output, input)
    page = collection2html(described, download_base_url or "", theme_color, dataset_example_path, catalogue_url)
    return _written(page, path)


def footer2stac(dataset: Described, level: int = 0, base_url: str = "") -> Iterator[dict[str, Any]]:
    """A STAC 1.1 Item for each sample of a level: level 0 as the dataset shows it, a deeper one as it is stored.

    The FILEs of a FOLDER are the assets of its Item. Items are made in a thread a few hundred ahead of who takes them,
    and none is kept: memory does not grow with their number where the dataset has no filters.

    Args:
        dataset: A dataset, or its path.
        level: 0 = root.
        base_url: URL of the folder of the dataset.

    Returns:
        An iterator, whose thread ends with it.

    Raises:
        TacoQueryError: No such level; when the first Item is asked for, as all that follows.
        TacoSchemaError: A level without columns of times in a dataset without a temporal extent, for which STAC has no
            form.
    """
    return _Items(_opened(dataset), level, _options(base_url=base_url))


def write_stac(
    dataset: Described, directory: PathLike, level: int = 0, base_url: str = "", *, overwrite: bool = False
) -> Path:
    """A static catalogue in a new folder: `collection.json` and, linked with it, `items/{id}.json` of a level.

    It appears whole or not at all. Links to the data are relative to it unless there is a `base_url`.

    Returns:
        The path of the folder.

    Raises:
        TacoIOError: It is there and may not be replaced (no folder without a collection.json ever is).
        TacoSchemaError: As for :func:`footer2stac`.
    """
    path = local_path(directory)
    _core.write_stac(_opened(dataset), path, level, _options(base_url=base_url, overwrite=overwrite))
    return path


def footer2geoparquet(
    dataset: Described, output: PathLike, level: int = 0, base_url: str = "", *, overwrite: bool = False, **parquet: Any
) -> Path:
    """GeoParquet 1.1 of a level: its columns, `taco:vsi`, `geometry` (WKB, longitude and latitude) and `bbox`.

    Rows and memory are those of :func:`footer2stac`. The file appears whole or not at all.

    Args:
        dataset: A dataset, or its path.
        output: The file.
        level: 0 = root.
        base_url: URL of the folder of the dataset.
        overwrite: Replace a file that is there.
        **parquet: As for :func:`tacore.export`.

    Returns:
        The path of the file.

    Raises:
        TacoIOError: It is there and may not be replaced, or cannot be written.
        TacoQueryError: No such level.
        TacoSchemaError: A level without places.
    """
    options = _options(base_url=base_url, overwrite=overwrite, parquet=parquet)
    path = local_path(output)
    _core.footer2geoparquet(_opened(dataset), level, path, options)
    return path


def footer2geoparquetstac(
    dataset: Described, output: PathLike, level: int = 0, base_url: str = "", *, overwrite: bool = False, **parquet: Any
) -> Path:
    """The Items of :func:`footer2stac` as stac-geoparquet 1.0; all else is that of :func:`footer2geoparquet`."""
    options = _options(base_url=base_url, overwrite=overwrite, parquet=parquet)
    path = local_path(output)
    _core.footer2geoparquetstac(_opened(dataset), level, path, options)
    return path


def _options(**given: Any) -> dict[str, Any]:
    options = {name: value for name, value in given.items() if value is not None}
    return {**options, "transformer": importlib.util.find_spec("pyproj") is not None}


def _apart(output: PathLike, dataset: Described) -> tuple[Path, Described]:
    """Where a text is written, which replaces nothing of the dataset; and that, opened unless it is a document."""
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
    """That of a COLLECTION.json; TACOLLECTION.json is a dataset."""
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
    """Nobody takes any more Items."""


class _Made:
    """What the thread that makes Items and their taker share."""

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
    """Items, a few batches ahead. The thread holds no reference to this, so that it ends when nobody else does."""

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
        made.put([])  # the last


def _stop(made: _Made, thread: threading.Thread) -> None:
    made.stopped = True
    if thread is not threading.current_thread():
        thread.join()
