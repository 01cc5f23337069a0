"""Changes of `.tortilla` and `.taco` files, with the names of tacotoolbox 0.5; :func:`tacore.transform.edit` has more."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from .. import _core
from .._backend import require
from .._errors import TacoSchemaError, TacoValidationError
from ..transform import edit
from .datamodel import CollectionLike, json_of

if TYPE_CHECKING:
    import pandas

__all__ = ["collection", "edit_collection", "edit_footer"]

#: What locates a sample: the columns of a table of load(), of which others than these can change.
_FIXED = ("tortilla:id", "tortilla:file_format", "tortilla:offset", "tortilla:length")


def edit_collection(taco: str | os.PathLike[str], collection: CollectionLike) -> Path:
    """Replaces the collection of a `.taco`, atomically. Of a dataset in several parts, that of this part.

    Args:
        taco: Path of the file, which is written anew: it needs its size twice on the disk.
        collection: The new collection: a :class:`tacore.v1.datamodel.Collection`, a dict of its members or JSON text.

    Raises:
        TacoValidationError: The file is a Tortilla, or the collection breaks a rule of 0.2.0.
        TacoIOError: The file does not exist (also a FileNotFoundError), or cannot be read or written.

    Example:
        >>> edit_collection("chips.taco", collection.model_copy(update={"title": "Chips"}))
    """
    path = Path(taco).resolve()  # a link stays one
    document = json_of(collection)
    with tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as folder:
        without = os.path.join(folder, "x.tortilla")
        _core.v1_taco2tortilla(os.fspath(path), without, {}, None)
        _core.v1_tortilla2taco(without, os.fspath(path), document, {"overwrite": True}, None)
    return Path(taco)


#: The name in tacotoolbox 0.3.
collection = edit_collection


def edit_footer(taco: str | os.PathLike[str], dataframe: pandas.DataFrame) -> Path:
    """Replaces the columns of a `.taco` or `.tortilla`, atomically: those that the table lacks are removed.

    Args:
        taco: Path of the file; all parts of a dataset change together.
        dataframe: A table of :func:`tacore.v1.load`, or another of pandas, with a row for each sample, by `tortilla:id`.
            Columns `internal:*` and `geometry` are left out.

    Raises:
        TacoValidationError: The table has other samples than the file, or one of them twice; or it has other formats,
            offsets or lengths, which cannot be changed.
        TacoSchemaError: The name of a new column is not one that 2.0 allows, or its values have different types.
        TacoIOError: The file does not exist (also a FileNotFoundError), or cannot be read or written.

    Example:
        >>> table = tacore.v1.load("chips.taco")
        >>> table["cloud_cover"] = [12.5, 3.0]
        >>> edit_footer("chips.taco", table)
    """
    require("pandas", "edit_footer")
    import pandas

    from . import load

    if not isinstance(dataframe, pandas.DataFrame):
        raise TypeError(f"a pandas.DataFrame is expected, not {type(dataframe).__name__}")
    old = pandas.DataFrame(load(taco))
    new = pandas.DataFrame(dataframe)
    new = new[[name for name in new.columns if not name.startswith("internal:") and name != "geometry"]]
    if "tortilla:id" not in new.columns or sorted(new["tortilla:id"]) != sorted(old["tortilla:id"]):
        raise TacoValidationError(
            f"{os.fspath(taco)}: the table does not have the samples of the file, one row for each tortilla:id expected;"
            " tacore.v1.compile() writes some of the samples"
        )
    new = new.set_index("tortilla:id", drop=False).loc[old["tortilla:id"]].reset_index(drop=True)
    fixed = [name for name in _FIXED if name in new.columns and not new[name].equals(old[name])]
    if fixed:
        raise TacoValidationError(
            f"{os.fspath(taco)}: {', '.join(fixed)} cannot be changed; the table has other values"
        )
    names = [name for name in new.columns if name not in _FIXED]
    changed = [name for name in names if name not in old.columns or not new[name].equals(old[name])]
    drop = [name for name in old.columns if name not in (*names, *_FIXED) and not name.startswith("internal:")]
    if "id" in changed:
        raise TacoSchemaError(f"{os.fspath(taco)}: a column cannot be called 'id'; ids are tortilla:id")
    if changed or drop:
        table = new[changed].assign(id=new["tortilla:id"]) if changed else ()
        edit(taco, drop=drop, columns=table, progress=False)
    return Path(taco)
