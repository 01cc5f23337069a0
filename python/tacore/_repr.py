"""Datasets and frames as text."""

from __future__ import annotations

import datetime as dt
import re
import shutil
import textwrap
from typing import TYPE_CHECKING, Any

from . import _core, _tables

if TYPE_CHECKING:
    from ._dataframe import TacoDataFrame
    from ._dataset import TacoDataset

_MAX_ROWS = 100
_NUM_FITTED = 20  # of tabular::fit()


def dataset_text(dataset: TacoDataset) -> str:
    if dataset._opened is None:
        return f"<TacoDataset {dataset._name()}, closed>"
    filtered = " (filtered)" if len(dataset._recipe) > 1 else ""
    lines = [f"Version: {dataset.version}"]
    if dataset.description:
        cut = dataset.description[:80] + ("..." if len(dataset.description) > 80 else "")
        lines.append(f"Description: {cut}")
    if dataset.tasks:
        lines.append(f"Tasks: {', '.join(dataset.tasks)}")
    extent = dataset.extent
    if spatial := spatial_text(extent.get("spatial"), 2):
        lines.append(f"Spatial Extent{filtered}: {spatial}")
    if temporal := temporal_text(extent.get("temporal")):
        lines.append(f"Temporal Extent{filtered}: {temporal}")
    lines += [f"{name}: {text}" for name, text in details(dataset)]
    root = dataset.pit_schema.root
    lines.append(f"Level 0{filtered}: {root['n']} rows")
    branches = ["├── " + line for line in lines[:-1]] + ["└── " + lines[-1]]
    return "\n".join([f"<TacoDataset '{dataset.id}'>", *branches])


def details(dataset: TacoDataset) -> list[tuple[str, str]]:
    """(name, text) of members of extensions: split strategy, sensor, labels, DOI, links; long texts are cut."""
    said = _core.collection_details(dataset._core)
    return [(name, _core.redact(text[:80] + ("..." if len(text) > 80 else ""))) for name, text in said]


def spatial_text(bounds: Any, digits: int) -> str:
    """`[west, south, east, north]` for people; "" for anything else."""
    try:
        west, south, east, north = (f"{float(bound):.{digits}f}°" for bound in bounds)
    except (TypeError, ValueError):
        return ""
    return f"[{west}, {south}, {east}, {north}]"


def temporal_text(bounds: Any) -> str:
    """`[start, end]` for people; "" for anything else."""
    if not isinstance(bounds, (list, tuple)) or len(bounds) != 2:
        return ""
    return f"{time_text(bounds[0])} → {time_text(bounds[1])}"


def time_text(time: Any) -> str:
    """A day when it is midnight, else to the second, in UTC: `2023-01-31`, `2023-01-31 12:00:00`; `..` for none."""
    if time is None:
        return ".."
    try:
        when = dt.datetime.fromisoformat(re.sub(r"\.\d+", "", str(time)).replace("Z", "+00:00"))
    except ValueError:
        return str(time)
    if when.tzinfo is not None:
        when = when.astimezone(dt.timezone.utc)
    return when.strftime("%Y-%m-%d" if when.time() == dt.time() else "%Y-%m-%d %H:%M:%S")


def frame_text(frame: TacoDataFrame) -> str:
    if frame._backend == "pyarrow" and not frame._changed:  # whose text is a schema, and columns one after the other
        width = shutil.get_terminal_size((100, 24)).columns
        lines, left_out = frame._core.fit(width)
        if left_out:
            lines += textwrap.wrap(f"Not shown: {', '.join(left_out)}", width)
        return "\n".join([*lines, footer(frame, _NUM_FITTED, "first and last 10")])
    shown = frame.head(_MAX_ROWS)
    try:
        table = str(_shown(shown))
    except Exception:  # noqa: BLE001  (the libraries for tables are optional)
        table = _core.redact(shown._core.encode("table").decode("utf-8", "replace").rstrip("\n"))
    return f"{table}\n{footer(frame, _MAX_ROWS)}"


def _shown(frame: TacoDataFrame) -> Any:
    """The table, with `***` for credentials in the paths of remote files."""
    table = frame._native()
    for name in (name for name in frame.columns if name.startswith("internal:")):
        values = [row[name] for row in frame]
        shown = [_core.redact(value) if isinstance(value, str) else value for value in values]
        if shown != values:
            table = _tables.with_column(frame._backend, table, name, shown)
    return table


def footer(frame: TacoDataFrame, shown: int, which: str = "") -> str:
    """One line about a frame, of which `shown` rows are displayed."""
    cut = f" (showing {which or f'first {shown}'})" if len(frame) > shown else ""
    rows = "row" if len(frame) == 1 else "rows"
    return f"[TacoDataFrame: {len(frame)} {rows}{cut}, format={frame._origin.format}, backend={frame._backend}]"
