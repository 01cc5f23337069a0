"""Thumbnails in notebooks, and progress bars there."""

from __future__ import annotations

import base64
import io
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tacore
from tacore import _html, _progress, raster

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "remote"))

from server import Server  # noqa: E402

FLAT = ROOT / "examples" / "data" / "landsat.tacozip"
NESTED = ROOT / "examples" / "data" / "landsat_nested.tacozip"
IMAGE = re.compile(r'src="data:image/png;base64,([^"]+)"')


@pytest.fixture(autouse=True)
def _defaults() -> Iterator[None]:
    yield
    tacore.set_display_options()


def images(html: str) -> list[Any]:
    opened = pytest.importorskip("PIL.Image")
    return [opened.open(io.BytesIO(base64.b64decode(text))) for text in IMAGE.findall(html)]


def test_a_table_shows_the_first_samples() -> None:
    numpy = pytest.importorskip("numpy")
    rows = tacore.load(FLAT).data
    found = images(rows._repr_html_())
    assert len(found) == 5
    assert (numpy.asarray(found[2]) == raster.preview(rows, 2, size=48)).all()
    assert len(re.findall("<td></td><td>tile", rows._repr_html_())) == 11  # the other rows have an empty cell
    tacore.set_display_options(thumbnails=2)
    assert len(images(rows._repr_html_())) == 2


def test_a_table_shows_points_as_text() -> None:
    shapely = pytest.importorskip("shapely")
    rows = tacore.load(FLAT).data
    point = shapely.from_wkb(next(iter(rows))["stac:centroid"])
    assert f"<td>POINT ({point.x:.5f} {point.y:.5f})</td>" in rows._repr_html_()
    with tacore.load(FLAT) as dataset:
        odd = dataset.sql("SELECT id, 'abc'::BLOB AS \"stac:centroid\" FROM data").data
        assert "<td>&lt;3 bytes&gt;</td>" in odd._repr_html_()


def test_a_folder_shows_its_first_raster_and_a_dataset_its_first_samples() -> None:
    numpy = pytest.importorskip("numpy")
    dataset = tacore.load(NESTED)
    expected = raster.preview(dataset, "tile_r1_c1/optical", size=48)
    for html in (dataset._repr_html_(), dataset.data._repr_html_()):
        assert (numpy.asarray(images(html)[0]) == expected).all() and len(images(html)) == 5
    assert "<figcaption>tile_r1_c1</figcaption>" in dataset._repr_html_()
    assert len(images(dataset.data.read(0)._repr_html_())) == 3


def test_no_pixel_is_read_when_it_is_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    tacore.set_display_options(thumbnails=0)
    monkeypatch.setattr(_html, "_thumbnail", lambda *given: pytest.fail("a thumbnail was made"))
    for shown in (tacore.load(FLAT), tacore.load(FLAT).data):
        assert "<img" not in shown._repr_html_()
    for wrong in (-1, 21, 2.5, "5"):
        with pytest.raises(tacore.TacoQueryError, match="an integer from 0 to 20 is expected"):
            tacore.set_display_options(thumbnails=wrong)


def test_samples_that_are_no_rasters_leave_the_table_as_it_was(golden: Path) -> None:
    html = tacore.load(golden / "flat.tacozip").data._repr_html_()
    assert "<img" not in html and html.count("<th>") == 6 and "madrid" in html


def test_a_thumbnail_that_fails_leaves_its_cell_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    made = _html._thumbnail
    calls = []

    def failing(rows: Any, position: int) -> str:
        calls.append(position)
        if position == 1:
            raise RuntimeError("damaged")
        return made(rows, position)

    monkeypatch.setattr(_html, "_thumbnail", failing)
    html = tacore.load(FLAT).data._repr_html_()
    assert html.count("<img") == 4 and html.count("tile_r") >= 16 and calls == [0, 1, 2, 3, 4]


def test_large_and_remote_rasters_and_slow_ones_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tacore.load(FLAT).data
    monkeypatch.setattr(_html, "_THUMBNAIL_VALUES", 100)
    assert "<img" not in rows._repr_html_()
    monkeypatch.undo()
    monkeypatch.setattr(_html, "_THUMBNAIL_SECONDS", -1.0)
    assert "<img" not in rows._repr_html_()

    class Remote:
        def text(self, position: int, name: str) -> str:
            return "/vsisubfile/0_9,/vsicurl/https://host/a.tacozip"

    assert _html._thumbnail(Remote(), 0) == ""  # nothing of it is read


def test_displaying_a_remote_dataset_takes_no_request() -> None:
    with Server(NESTED.parent) as server:
        dataset = tacore.load(server.url(NESTED.name))
        before = len(server.requests)
        assert "<img" not in dataset._repr_html_() and len(server.requests) == before


class _Notebook(io.StringIO):
    """stderr as ipykernel replaces it."""


_Notebook.__module__ = "ipykernel.iostream"


def test_a_notebook_has_the_bar_of_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    shown = _Notebook()
    monkeypatch.setattr(sys, "stderr", shown)
    logging.getLogger("tacore").setLevel(logging.WARNING)
    bar = _progress.callback("Counting")
    assert bar is not None
    for done in (0, 3, 10, 10, 10):  # the last step may be reported more than once
        bar(done, 10)
    assert "Counting: 100%" in shown.getvalue() and "10.0/10.0" in shown.getvalue()
    assert _progress.callback("Counting", False) is None


def test_a_notebook_without_tqdm_has_the_plain_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = _Notebook()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    bar = _progress.callback("Counting")
    assert bar is not None
    bar(10, 10)
    assert shown.getvalue() == f"\rCounting [{'#' * 30}] 100%\n"


def test_a_callable_is_called_and_a_script_has_no_bar() -> None:
    calls = []
    found = raster.compute_statistics(tacore.load(FLAT), progress=lambda done, total: calls.append((done, total)))
    assert found.num_samples == 16 and calls[-1] == (16, 16)
    code = f"import tacore; tacore.raster.compute_statistics(tacore.load({str(FLAT)!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
