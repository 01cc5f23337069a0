"""Descriptions, read back with other libraries in each form."""

from __future__ import annotations

import base64
import gc
import hashlib
import html.parser
import io
import json
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy
import pytest

import tacore
from tacore import describe
from tacore import transform as tf

LANDSAT = Path(__file__).resolve().parents[2] / "examples" / "data" / "landsat.tacozip"
DATASETS = [
    "flat.tacozip",
    "nested",
    "cascade_tacocat",
    "cascade_tacocat/TACOLLECTION.json",
    "v1/flat.taco",
    "v1/nested.tortilla",
]


class Page(html.parser.HTMLParser):
    """What a page has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def links(self) -> list[str]:
        return [str(attributes["href"]) for tag, attributes in self.tags if tag == "a"]


@pytest.fixture
def titled(golden: Path, tmp_path: Path) -> Path:
    """A dataset with every member that a text shows."""
    path = Path(shutil.copy(golden / "flat.tacozip", tmp_path / "titled.tacozip"))
    tf.edit(
        path,
        {
            "title": "Clouds </script><script>alert(1)</script> & more",
            "keywords": ["a|b"],
            "extent": {"spatial": [-10, 30, 20, 50], "temporal": ["2023-01-01T00:00:00Z", "2023-12-31T00:00:00Z"]},
        },
    )
    return path


def collection_file(dataset: Path, to: Path) -> Path:
    to.write_text(json.dumps(tacore.load(dataset).collection), "utf-8")
    return to


# ------------------------------------------------------------------------------------------------------- Markdown, HTML


def test_texts_are_generated_from_a_collection_file(golden: Path, titled: Path, tmp_path: Path) -> None:
    document = collection_file(titled, tmp_path / "COLLECTION.json")
    page = tacore.generate_html(document, tmp_path / "index.html", theme_color="#112233")
    text = page.read_text("utf-8")
    assert page == tmp_path / "index.html"
    assert "flat" in text and "#112233" in text
    readme = tacore.generate_markdown(document, tmp_path / "README.md")
    assert readme.read_text("utf-8").startswith("# Clouds ")
    assert '"flat.tacozip"' in readme.read_text("utf-8")
    tacore.generate_markdown(document, readme, dataset_example_path="/data/mine.tacozip")
    assert '"/data/mine.tacozip"' in readme.read_text("utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "COLLECTION.json",
        "README.md",
        "index.html",
        "titled.tacozip",
    ]


def test_a_missing_or_invalid_collection_is_an_error(tmp_path: Path) -> None:
    for generate in (tacore.generate_html, tacore.generate_markdown):
        with pytest.raises(FileNotFoundError) as missing:
            generate(tmp_path / "missing.json", tmp_path / "out")
        assert isinstance(missing.value, tacore.TacoError) and missing.value.path == str(tmp_path / "missing.json")
        for text in ("{", "[]", "{}", '{"id": 5}', '{"id": "x", "taco:pit_schema": {}}'):
            (tmp_path / "bad.json").write_text(text)
            with pytest.raises(tacore.TacoDocumentationError, match=r"Invalid JSON in .*bad\.json") as caught:
                generate(tmp_path / "bad.json", tmp_path / "out")
            assert isinstance(caught.value, ValueError) and isinstance(caught.value, tacore.TacoToolboxError)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.json"]


def test_a_text_that_cannot_be_written_is_an_error(golden: Path, tmp_path: Path) -> None:
    with pytest.raises(tacore.TacoDocumentationError) as caught:
        tacore.generate_markdown(golden / "flat.tacozip", tmp_path / "missing" / "README.md")
    assert isinstance(caught.value, tacore.TacoIOError) and isinstance(caught.value, OSError)
    assert caught.value.path == str(tmp_path / "missing" / "README.md") and caught.value.errno
    assert list(tmp_path.iterdir()) == []


def test_a_text_never_replaces_files_of_its_dataset(golden: Path, tmp_path: Path) -> None:
    archive = Path(shutil.copy(golden / "flat.tacozip", tmp_path / "flat.tacozip"))
    (tmp_path / "link").symlink_to(archive)
    folder = Path(shutil.copytree(golden / "nested", tmp_path / "nested"))
    (tmp_path / "to_nested").symlink_to(folder)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for generate in (tacore.generate_markdown, tacore.generate_html):
        for input, output in (
            (archive, archive),
            (archive, tmp_path / "link"),
            (tmp_path / "link", archive),
            (tacore.load(archive), archive),
            (folder, folder / "COLLECTION.json"),
            (folder, folder / "DATA" / "README.md"),
            (folder, tmp_path / "to_nested" / "METADATA" / "level0.parquet"),
            (folder / "COLLECTION.json", folder / "COLLECTION.json"),
            (folder / "COLLECTION.json", folder / "METADATA" / "README.md"),
        ):
            with pytest.raises(tacore.TacoValidationError, match="an input; choose another path"):
                generate(input, output)
        generate(folder, folder / "README.md")
        generate(folder / "COLLECTION.json", folder / "README.md")
        (folder / "README.md").unlink()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_accent_colour_has_variants_and_a_default(golden: Path) -> None:
    def colours(given: str) -> list[str]:
        style = describe.collection2html(golden / "flat.tacozip", accent_colour=given)
        return [re.findall(rf"--{name}:(#\w+)", style)[0] for name in ("accent", "accent-dark", "accent-light")]

    assert colours("#4CAF50") == colours("green") == colours("#12") == ["#4caf50", "#39833c", "#c9e7ca"]
    assert colours("#FF8000")[1] == "#bf6000"


def test_markup_in_a_dataset_is_escaped(titled: Path, tmp_path: Path) -> None:
    for input in (titled, collection_file(titled, tmp_path / "COLLECTION.json")):
        page = Page(tacore.generate_html(input, tmp_path / "index.html").read_text("utf-8"))
        scripts = [attributes.get("type") for tag, attributes in page.tags if tag == "script"]
        assert scripts == (["application/ld+json", None] if input == titled else [None])  # the last makes copy buttons
        assert "Clouds </script><script>alert(1)</script> & more" in page.text
        assert "None" not in page.text
        text = tacore.generate_markdown(input, tmp_path / "README.md").read_text("utf-8")
        assert "<script" not in "".join(text.split("```")[::2])


@pytest.mark.parametrize("name", DATASETS)
def test_every_kind_of_dataset_is_described(golden: Path, tmp_path: Path, name: str) -> None:
    page = Page(tacore.generate_html(golden / name, tmp_path / "index.html").read_text("utf-8"))
    opened = tacore.load(golden / name)
    title = opened.title or opened.id
    assert title in page.text
    assert not {"onclick", "onload"} & {key for _, attributes in page.tags for key in attributes}
    pictures = [attributes["src"] for _, attributes in page.tags if "src" in attributes]
    assert all(source is not None and source.startswith("data:image/png;base64,") for source in pictures)
    text = tacore.generate_markdown(opened, tmp_path / "README.md").read_text("utf-8")
    assert text.startswith("# ") and "None" not in text
    again = tacore.generate_markdown(golden / name, tmp_path / "AGAIN.md").read_text("utf-8")
    assert again == text


def test_a_dataset_of_one_file_has_a_map(titled: Path, tmp_path: Path) -> None:
    for input in (titled, collection_file(titled, tmp_path / "COLLECTION.json")):
        page = Page(tacore.generate_html(input, tmp_path / "index.html").read_text("utf-8"))
        assert "svg" in [tag for tag, _ in page.tags]


def test_a_page_has_as_many_pictures_as_asked_for() -> None:
    pillow = pytest.importorskip("PIL.Image")
    rasterio = pytest.importorskip("rasterio")
    dataset = tacore.load(LANDSAT)

    def pictures(**how: Any) -> list[bytes]:
        tags = Page(describe.collection2html(dataset, **how)).tags
        return [base64.b64decode(str(a["src"]).split(",")[1]) for tag, a in tags if tag == "img"]

    assert len(pictures()) == 12 and len(pictures(thumbnails=5)) == 5 and pictures(thumbnails=0) == []
    for row, png in zip((2, 6, 10, 14), pictures(thumbnails=4)):
        shown = numpy.asarray(pillow.open(io.BytesIO(png)), dtype=float)
        with rasterio.open(dataset.data.read(row)) as raster:
            expected = raster.read([3, 2, 1]).astype(float)  # the bands called red, green and blue
        for channel, band in zip(numpy.moveaxis(shown, -1, 0), expected):
            low, high = numpy.percentile(band, [2, 98], method="nearest")
            assert numpy.abs(channel - 255 * numpy.clip((band - low) / (high - low), 0, 1)).max() < 8


def test_a_page_links_to_the_given_catalogue(golden: Path, tmp_path: Path) -> None:
    index = golden / "cascade_tacocat" / ".tacocat" / "COLLECTION.json"

    def links(**how: Any) -> list[str]:
        return Page(tacore.generate_html(index, tmp_path / "index.html", **how).read_text("utf-8")).links()

    assert "https://tacofoundation.github.io/catalogue" in links()
    assert "https://example.org/all" in links(catalogue_url="https://example.org/all")
    assert not [link for link in links(catalogue_url="javascript:alert(1)") if "alert" in link]
    parts = [link for link in links(download_base_url="https://example.org/data/") if link.endswith(".tacozip")]
    assert len(parts) == 4 and all(link.startswith("https://example.org/data/") for link in parts)
    assert links(inline_deps=False) == links()


def test_a_description_is_that_of_the_view(golden: Path) -> None:
    dataset = tacore.load(golden / "flat.tacozip")
    some = dataset.sql("SELECT * FROM data LIMIT 2")
    assert "**Samples**: 2" in describe.collection2markdown(some)
    assert [item["properties"]["taco:path"] for item in describe.footer2stac(some)] == some.data.to_arrow()[
        "id"
    ].to_pylist()


# ---------------------------------------------------------------------------------------------------------------- forms


@pytest.mark.parametrize("name", DATASETS)
def test_collection2stac_gives_a_stac_collection(golden: Path, name: str) -> None:
    document = describe.collection2stac(golden / name)
    assert document["type"] == "Collection" and document["stac_version"].startswith("1.1")


def test_a_catalogue_has_a_collection_and_its_items(golden: Path, tmp_path: Path) -> None:
    dataset = tacore.load(golden / "flat.tacozip")
    folder = describe.write_stac(dataset, tmp_path / "catalogue")
    collection = json.loads((folder / "collection.json").read_text("utf-8"))
    links = [folder / link["href"] for link in collection["links"] if link["rel"] == "item"]
    items = [json.loads(link.read_text("utf-8")) for link in links]
    assert [item["properties"]["taco:path"] for item in items] == dataset.data.to_arrow()["id"].to_pylist()
    with pytest.raises(tacore.TacoIOError):
        describe.write_stac(dataset, folder)
    describe.write_stac(dataset, folder, overwrite=True, base_url="https://example.org/x")


def test_collection2croissant_gives_a_croissant_dataset(golden: Path) -> None:
    document = describe.collection2croissant(golden / "flat.tacozip")
    assert document["@type"] == "sc:Dataset" and document["conformsTo"] == "http://mlcommons.org/croissant/1.1"
    assert [each["@id"] for each in document["recordSet"]] == ["level0", "files/data", "samples"]


def test_all_descriptions_are_written_to_a_folder(tmp_path: Path) -> None:
    dataset = tacore.load(LANDSAT)
    site = describe.write_descriptions(dataset, tmp_path / "site", "https://host/d", published="2026", thumbnails=3)
    names = sorted(path.name for path in site.iterdir())
    assert names == [
        "README.md",
        "croissant.json",
        "datacite.json",
        "index.html",
        "samples.parquet",
        "stac",
        "viewer.html",
    ]
    assert (site / "README.md").read_text("utf-8") == describe.collection2datacard(dataset, "https://host/d", "2026")
    page = Page((site / "index.html").read_text("utf-8"))
    assert len([tag for tag, _ in page.tags if tag == "img"]) == 3
    assert {"stac/collection.json", "samples.parquet", "datacite.json"} <= set(page.links())
    with pytest.raises(tacore.TacoIOError, match="exists already; overwrite=True replaces it"):
        describe.write_descriptions(dataset, site)
    describe.write_descriptions(dataset, site, overwrite=True)
    assert not (site / "datacite.json").exists()  # without a year of publication
    with pytest.raises(tacore.TacoIOError, match=r"nothing else is replaced"):
        describe.write_descriptions(dataset, tmp_path, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_datacite_needs_a_publication_year(
    golden: Path, titled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    with pytest.raises(tacore.TacoSchemaError, match="published"):
        describe.collection2datacite(titled)
    assert str(describe.collection2datacite(titled, published="2026")["publicationYear"]) == "2026"
    assert describe.collection2croissant(titled, published="2026-11-23")["datePublished"] == "2026-11-23"
    for form in (describe.collection2markdown, describe.collection2datacard, describe.collection2html):
        assert "year = {2026}" in form(titled, published="2026-11-23")
        assert "year = " not in form(titled)
    with pytest.raises(tacore.TacoValidationError, match="YYYY"):
        describe.collection2markdown(titled, published="soon")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1600000000")
    assert str(describe.collection2datacite(golden / "flat.tacozip")["publicationYear"]) == "2020"


def test_croissant_has_the_sha256_of_a_file_and_is_not_live(golden: Path) -> None:
    document = describe.collection2croissant(golden / "flat.tacozip")
    assert document["isLiveDataset"] is False
    assert document["distribution"][0]["sha256"] == hashlib.sha256((golden / "flat.tacozip").read_bytes()).hexdigest()
    fast = describe.collection2croissant(golden / "flat.tacozip", checksums=False)
    assert not any("sha256" in file for file in fast["distribution"])


@pytest.mark.parametrize("name", DATASETS)
def test_the_code_example_of_a_description_runs(golden: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    text = describe.collection2markdown(golden / name)
    code = next(block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "import tacore\n" in block)
    monkeypatch.chdir((golden / name).parent if name != "cascade_tacocat" else golden)
    if name == "v1/flat.taco":
        assert 'pip install "tacoreader<1"' in text
    found: dict[str, Any] = {}
    exec(code, found)
    assert len(found["rows"]) == len(tacore.load(golden / name).data) and found["first"] is not None


def test_an_incomplete_collection_can_be_described(tmp_path: Path) -> None:
    draft = tmp_path / "COLLECTION.json"
    draft.write_text(json.dumps({"id": "x", "description": "Of clouds", "licenses": ["MIT"], "tasks": ["other"]}))
    assert "Of clouds" in tacore.generate_markdown(draft, tmp_path / "README.md").read_text("utf-8")
    assert "Of clouds" in Page(tacore.generate_html(draft, tmp_path / "index.html").read_text("utf-8")).text


def test_the_extent_of_a_collection_contains_its_items(golden: Path) -> None:
    for name in ("flat.tacozip", "nested"):
        for level in range(2 if name == "nested" else 1):
            west, south, east, north = describe.collection2stac(golden / name)["extent"]["spatial"]["bbox"][0]
            for item in describe.footer2stac(golden / name, level):
                if item["geometry"]:
                    left, bottom, right, top = item["bbox"]
                    assert south <= bottom and top <= north
                    assert (west <= left and right <= east) if west <= east else (west <= left or right <= east)


def test_v1_extensions_appear_in_texts(golden: Path) -> None:
    dataset = tacore.load(golden / "v1" / "flat.taco")
    for text in (repr(dataset), dataset._repr_html_()):
        assert "Split" in text and "manual" in text and "Sensor" in text


def test_a_dataset_card_is_yaml_front_matter_and_the_markdown(golden: Path) -> None:
    card = describe.collection2datacard(golden / "flat.tacozip")
    assert card.startswith("---\n")
    assert card.split("---\n", 2)[2].strip() == describe.collection2markdown(golden / "flat.tacozip").strip()


def test_the_card_names_a_table_for_each_split(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    landsat = Path(__file__).parents[2] / "examples" / "data" / "landsat.tacozip"
    tables = describe.write_viewer_tables(landsat, tmp_path / "table", "https://host/d", compression="snappy")
    assert tables == ["table/train.parquet", "table/validation.parquet", "table/test.parquet"]
    wanted: dict[str, list[str]] = {}
    for row in pa.table(tacore.load(landsat).data).to_pylist():
        wanted.setdefault(f"table/{row['split']}.parquet", []).append(row["id"])
    found = {path: pq.read_table(tmp_path / path) for path in tables}
    assert {path: table["id"].to_pylist() for path, table in found.items()} == wanted
    assert found[tables[0]]["taco:vsi"][0].as_py().endswith(",/vsicurl/https://host/d/landsat.tacozip")
    card = describe.collection2datacard(landsat, viewer_tables=tables)
    assert '  - split: "validation"\n    path: "table/validation.parquet"\n' in card.split("---\n")[1]
    with pytest.raises(tacore.TacoIOError, match="exists already"):
        describe.write_viewer_tables(landsat, tmp_path / "table")
    (tmp_path / "table" / "notes.txt").write_text("kept")
    with pytest.raises(tacore.TacoIOError, match="is not a folder of Parquet files alone; nothing else is replaced"):
        describe.write_viewer_tables(landsat, tmp_path / "table", overwrite=True)


def test_geoparquet_has_a_geometry_column(golden: Path, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    path = describe.footer2geoparquet(golden / "flat.tacozip", tmp_path / "a.parquet", compression="snappy")
    geo = json.loads(pq.read_metadata(path).metadata[b"geo"])
    assert geo["version"] == "1.1.0" and geo["primary_column"] == "geometry"
    assert pq.read_metadata(path).row_group(0).column(0).compression == "SNAPPY"
    items = describe.footer2geoparquetstac(golden / "flat.tacozip", tmp_path / "b.parquet")
    assert b"stac-geoparquet" in pq.read_metadata(items).metadata
    with pytest.raises(tacore.TacoIOError, match="exists"):
        describe.footer2geoparquet(golden / "flat.tacozip", path)
    describe.footer2geoparquet(golden / "flat.tacozip", path, overwrite=True)
    with pytest.raises(tacore.TacoSchemaError):
        describe.footer2geoparquet(golden / "nested", tmp_path / "c.parquet", 0)
    assert pq.read_metadata(describe.footer2geoparquet(golden / "nested", tmp_path / "c.parquet", 1)).num_rows == 9
    with pytest.raises(TypeError, match="compresion"):
        describe.footer2geoparquet(golden / "flat.tacozip", tmp_path / "d.parquet", compresion="x")


# ---------------------------------------------------------------------------------------------------------------- Items


@pytest.fixture
def many(golden: Path) -> tacore.TacoDataset:
    """1000 samples."""
    return tacore.concat([tacore.load(golden / "flat.tacozip")] * 200)


def test_footer2stac_gives_the_items_of_a_level(golden: Path) -> None:
    items = list(describe.footer2stac(golden / "nested", 1))
    assert [item["properties"]["taco:path"] for item in items][:2] == ["africa/item_0", "africa/item_1"]
    assert len({item["id"] for item in items}) == 9


def test_items_without_time_or_level_are_errors(golden: Path) -> None:
    with pytest.raises(tacore.TacoSchemaError, match="no time"):
        list(describe.footer2stac(golden / "no_extent.tacozip", 0))
    with pytest.raises(tacore.TacoQueryError, match="Level 7"):
        next(describe.footer2stac(golden / "nested", 7))


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "tacore items"]


def test_items_are_streamed_and_their_thread_ends(many: tacore.TacoDataset) -> None:
    items = describe.footer2stac(many)
    assert threads() == []
    first = next(items)
    assert threads() == ["tacore items"]  # 1000 are more than it makes ahead
    assert len([first, *items]) == 1000
    with pytest.raises(StopIteration):
        next(items)
    items = describe.footer2stac(many)
    next(items)
    del items
    gc.collect()
    assert threads() == []


def test_unread_items_do_not_block_the_interpreter_exit(golden: Path) -> None:
    program = f"""
import tacore
from tacore import describe
items = describe.footer2stac(tacore.concat([tacore.load({str(golden / "flat.tacozip")!r})] * 200))
next(items)
"""
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == ""
    assert time.monotonic() - began < 30
