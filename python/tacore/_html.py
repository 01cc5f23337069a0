"""HTML of datasets and frames in notebooks, without scripts and other files."""

from __future__ import annotations

import base64
import html
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _core
from ._errors import TacoError, TacoFormatError, TacoQueryError
from ._geo import GEOMETRIES, geometry
from ._repr import dataset_text, details, footer, spatial_text, temporal_text

if TYPE_CHECKING:
    from ._dataframe import TacoDataFrame
    from ._dataset import TacoDataset
    from ._schema import PITSchema

_ROWS = 20
_MAX_CELL = 60
#: What the thumbnails of a table may cost: reading a larger raster or more seconds is not worth a small picture.
_THUMBNAIL_SIZE = 48
_THUMBNAIL_VALUES = 1 << 23
_THUMBNAIL_SECONDS = 0.5
_COLOURS = {"TACO": "#FFB6C1", "FOLDER": "#90EE90", "FILE": "#DDA0DD", "": "none"}
_STYLE = """<style>
.taco-dataset-wrap, .taco-frame-wrap { font-family: var(--jp-ui-font-family, sans-serif); font-size: 13px;
  color: var(--jp-ui-font-color1, inherit); }
.taco-dataset-wrap .taco-header { font-size: 15px; padding: 4px 0 6px;
  border-bottom: 1px solid var(--jp-border-color2, #bbb); }
.taco-dataset-wrap details { margin: 4px 0; }
.taco-dataset-wrap summary { cursor: pointer; font-weight: 600; }
.taco-dataset-wrap ul { margin: 2px 0; }
.taco-dataset-wrap svg text { fill: var(--jp-ui-font-color1, currentColor); font-size: 11px; }
.taco-dataset-wrap svg line { stroke: var(--jp-border-color1, #999); }
.taco-frame-wrap { overflow-x: auto; }
.taco-thumbnail { width: 48px; height: 48px; object-fit: contain; image-rendering: pixelated; vertical-align: middle;
  margin: 0; }
.taco-strip figure { display: inline-block; margin: 4px 8px 4px 0; text-align: center; font-size: 11px; }
.taco-frame-wrap th, .taco-frame-wrap td { font-size: 13px; text-align: left; white-space: nowrap; padding: 2px 8px; }
</style>"""


def dataset_html(dataset: TacoDataset) -> str:
    if dataset._opened is None:
        return f"<pre>{escaped(dataset_text(dataset))}</pre>"
    schema = dataset.pit_schema
    n, levels = schema.root.get("n", 0), schema.max_depth() + 1
    name = escaped(dataset.title or dataset.id)
    count = f"{_count(n, 'sample')}, {_count(levels, 'level')}"
    dimensions = {"samples": n, "depth": schema.max_depth(), "format": dataset._core.format}
    return "\n".join([
        f'{_STYLE}<div class="taco-dataset-wrap">',
        f'<div class="taco-header"><b>{name}</b> <span>({count})</span></div>',
        _strip(dataset),
        _section("Dimensions", _items(dimensions.items()), is_open=True),
        _section("Hierarchy", _hierarchy(schema)),
        _section("Attributes", _items(_attributes(dataset).items())),
        _section("Fields", _fields(dataset, levels)),
        _svg(_tree(schema)),
        "</div>",
    ])  # fmt: skip


def frame_html(frame: TacoDataFrame) -> str:
    rows = list(frame.head(_ROWS))
    pictures = thumbnails(frame)
    has_pictures = bool(pictures)
    pictures += [""] * (len(rows) - len(pictures))
    column = [f"<td>{picture}</td>" * has_pictures for picture in pictures]
    head = "<th></th>" * has_pictures + "".join(f"<th>{escaped(name)}</th>" for name in frame.columns)
    cells = ["".join(f"<td>{cell(_located(name, value))}</td>" for name, value in row.items()) for row in rows]
    body = "\n".join(f"<tr>{picture}{values}</tr>" for picture, values in zip(column, cells))
    return (
        f'{_STYLE}<div class="taco-frame-wrap"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n'
        f"</table><div>{escaped(footer(frame, _ROWS))}</div></div>"
    )


def set_display_options(*, thumbnails: int = 5) -> None:
    """Sets how notebooks display datasets and frames, in this process.

    Args:
        thumbnails: Number of the first samples that are shown as small pictures, 0 to 20; 0 reads no pixels for
            display. Only rasters in local files of up to 8 million values are read, for at most half a second.

    Raises:
        TacoQueryError: The number is out of range.

    Example:
        >>> tacore.set_display_options(thumbnails=0)
    """
    global _thumbnails
    if not isinstance(thumbnails, int) or not 0 <= thumbnails <= _ROWS:
        raise TacoQueryError(f"thumbnails is {thumbnails!r}; an integer from 0 to {_ROWS} is expected")
    _thumbnails = thumbnails


_thumbnails = 5


def thumbnails(frame: TacoDataFrame) -> list[str]:
    """HTML images of the first samples, "" for a sample without one; an empty list if there is no image. It never
    raises: a table is displayed without pictures rather than not at all."""
    out, failures, end = [], 0, time.monotonic() + _THUMBNAIL_SECONDS
    for position in range(min(_thumbnails, len(frame))):
        if failures > 1 or time.monotonic() > end:  # others are not rasters, either
            break
        try:
            out.append(_thumbnail(frame._core, position))
        except Exception:  # noqa: BLE001  (any file can be damaged in any way)
            out.append("")
        failures += not out[-1]
    return out if any(out) else []


def _thumbnail(rows: _core.DataFrame, position: int) -> str:
    """The image of a sample, of a FOLDER of its first raster; "" if it is remote or large."""
    path = str(rows.text(position, "internal:gdal_vsi") or "").removeprefix("/vsisubfile/")
    if not path or "/vsi" in path or "://" in path:
        return ""
    found = rows.read(position)
    if isinstance(found, _core.DataFrame):
        files = [child for child in range(min(len(found), 8)) if found.text(child, "type") == "FILE"]
        for child in files:
            try:
                return _image(_core.open_raster(found, child))
            except TacoError:  # not a raster
                continue
        return ""
    return _image(_core.open_raster(rows, position))


def _image(raster: _core.Raster) -> str:
    width, height, bands = raster.info()[:3]
    if width * height * bands > _THUMBNAIL_VALUES:
        return ""
    png = _core.encode_png(raster.preview([], _THUMBNAIL_SIZE))
    return f'<img class="taco-thumbnail" alt="" src="data:image/png;base64,{base64.b64encode(png).decode()}">'


def _strip(dataset: TacoDataset) -> str:
    """The thumbnails of the first samples side by side, with their ids; "" if rows would have to be requested, or cannot
    be read."""
    recipe = str(dataset._recipe)
    if _thumbnails == 0 or "://" in recipe or "/vsi" in recipe:
        return ""
    try:
        frame = dataset.data
    except TacoError:
        return ""
    pictures = [
        f"<figure>{picture}<figcaption>{escaped(_cut(frame._core.text(position, 'id'), 16))}</figcaption></figure>"
        for position, picture in enumerate(thumbnails(frame))
        if picture
    ]
    return f'<div class="taco-strip">{"".join(pictures)}</div>' if pictures else ""


def escaped(value: object) -> str:
    """A value as the text of HTML."""
    # File names may be invalid UTF-8, HTML must be valid.
    return html.escape(str(value).encode("utf-8", "replace").decode("utf-8"))


def _cut(value: object, length: int) -> str:
    text = str(value)
    return text if len(text) <= length else text[:length] + "..."


def _count(n: Any, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _located(name: str, value: object) -> object:
    """A point of a column of geometries as text, with five digits, which is a metre; any other value unchanged."""
    if name not in GEOMETRIES or not isinstance(value, bytes):
        return value
    try:
        shape = geometry(value)
    except TacoFormatError:
        return value
    is_point = shape is not None and shape["type"] == "Point"
    return "POINT ({:.5f} {:.5f})".format(*shape["coordinates"]) if is_point and shape else value


def cell(value: object) -> str:
    """A value of a table as short text of HTML."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return escaped(f"<{_count(len(value), 'byte')}>")
    if isinstance(value, list) and len(value) > _MAX_CELL:
        value = f"{_cut(value[:_MAX_CELL], _MAX_CELL)} ({len(value)})"
    text = _core.redact(str(value))
    half = _MAX_CELL // 2
    return escaped(text if len(text) <= _MAX_CELL else f"{text[:half]}...{text[-half:]}")  # paths differ at both ends


def _section(title: str, content: str, is_open: bool = False) -> str:
    return f"<details{' open' if is_open else ''}><summary>{title}</summary>{content}</details>"


def _items(pairs: Iterable[tuple[str, object]]) -> str:
    return "<ul>" + "".join(f"<li><b>{escaped(name)}</b>: {escaped(value)}</li>" for name, value in pairs) + "</ul>"


def _hierarchy(schema: PITSchema) -> str:
    lines: list[tuple[str, object]] = [("Level 0", f"{schema.root.get('n', 0)} x {schema.root['type']}")]
    for depth, patterns in schema.hierarchy.items():
        if patterns:
            ids = ", ".join(f"{name} ({kind})" for name, kind in zip(patterns[0]["id"], patterns[0]["type"]))
            positions = f" x {len(patterns)} positions" if len(patterns) > 1 else ""
            lines.append((f"Level {depth}", f"{_cut(ids, 300)}{positions}"))
    return _items(lines)


def _attributes(dataset: TacoDataset) -> dict[str, str]:
    extent = dataset.extent
    said = {
        "id": dataset.id,
        "version": dataset.version,
        "description": _cut(dataset.description, 100),
        "tasks": ", ".join(map(str, dataset.tasks)),
        "spatial": spatial_text(extent.get("spatial"), 1),
        "temporal": temporal_text(extent.get("temporal")),
        "licenses": ", ".join(map(str, dataset.licenses)),
        "keywords": ", ".join(map(str, dataset.keywords or [])),
        **dict(details(dataset)),
    }
    return {name: value for name, value in said.items() if value}


def _fields(dataset: TacoDataset, levels: int) -> str:
    out = []
    for level in range(levels):
        columns = _items(dataset._core.level_columns(level))
        out.append(f"<details><summary>Level {level}</summary>{columns}</details>")
    return "".join(out)


@dataclass
class _Node:
    label: str
    kind: str
    children: list[_Node] = field(default_factory=list)
    x: float = 0


def _tree(schema: PITSchema) -> _Node:
    """Nodes of the root, of samples and, at each level, of the children of the first FOLDER."""
    n, kind = int(schema.root.get("n") or 0), schema.root["type"]
    root = node = _Node("TACO", "TACO")
    node.children = _shown([(f"Sample {at}", kind) for at in _ends(n)], n)
    for depth in range(1, schema.max_depth() + 1):
        folders = [child for child in node.children if child.kind == "FOLDER"]
        patterns = schema.hierarchy.get(str(depth))
        if not folders or not patterns:
            break
        node = folders[0]
        ids, kinds = patterns[0]["id"], patterns[0]["type"]
        node.children = _shown([(str(ids[at]), kinds[at]) for at in _ends(len(ids))], len(ids))
    return root


def _ends(size: int) -> Sequence[int]:
    return range(size) if size <= 4 else (0, 1, size - 1)


def _shown(labels: Sequence[tuple[str, str]], size: int) -> list[_Node]:
    nodes = [_Node(label, kind) for label, kind in labels]
    if size > len(nodes):
        nodes.insert(2, _Node(f"...(+{size - len(nodes)})", ""))
    return nodes


def _svg(root: _Node) -> str:
    """SVG of the tree: nodes of a level in a row, parents above the middle of their children."""
    marks: list[str] = []
    width, height = _place(root, 0, 0, marks)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img">{"".join(marks)}</svg>'
    )


def _place(node: _Node, left: float, depth: int, marks: list[str]) -> tuple[float, float]:
    """Draws a node and its descendants, starting at `left`; returns the right and the lower edge."""
    row, radius = 64.0, 12
    label = node.label if len(node.label) <= 24 else node.label[:23] + "…"
    column = max(84.0, 7.0 * len(label) + 12)
    y = 20 + depth * row
    right, bottom = left, y + 40
    for child in node.children:
        right, lower = _place(child, right, depth + 1, marks)
        bottom = max(bottom, lower)
    right = max(right, left + column)
    node.x = (node.children[0].x + node.children[-1].x) / 2 if node.children else left + column / 2
    if node.children:  # the label is beside the node
        right = max(right, node.x + radius + 4 + 7.0 * len(label))
    lines = [
        f'<line x1="{node.x:.0f}" y1="{y + radius:.0f}" x2="{child.x:.0f}" y2="{y + row - radius:.0f}"/>'
        for child in node.children
        if child.kind
    ]
    if node.kind:
        circle = f'<circle cx="{node.x:.0f}" cy="{y:.0f}" r="{radius}" fill="{_COLOURS[node.kind]}" stroke="#777"/>'
    else:
        circle = ""
    if node.children:  # beside the node, where no line passes
        place = f'x="{node.x + radius + 4:.0f}" y="{y + 4:.0f}"'
    else:
        place = f'x="{node.x:.0f}" y="{y + 26 if node.kind else y + 4:.0f}" text-anchor="middle"'
    text = f"<text {place}>{escaped(label)}</text>"
    marks.append("".join([*lines, "<g>", f"<title>{escaped(node.label)}</title>", circle, text, "</g>"]))
    return right, bottom
