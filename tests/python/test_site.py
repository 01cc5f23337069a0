"""Listings and catalogues of many datasets."""

from __future__ import annotations

import dataclasses
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import tacore


@pytest.fixture
def archive(golden: Path, tmp_path: Path) -> Path:
    """A folder of datasets."""
    folder = tmp_path / "archive"
    folder.mkdir()
    shutil.copy(golden / "flat.tacozip", folder)
    shutil.copytree(golden / "nested", folder / "deep" / "nested")
    shutil.copytree(golden / "cascade_tacocat", folder / "index")
    return folder


def test_a_listing_says_what_load_says(archive: Path) -> None:
    listed = tacore.list_datasets(archive, progress=False)
    assert [Path(each.path).relative_to(archive).as_posix() for each in listed] == [
        "deep/nested",
        "flat.tacozip",
        "index",
    ]
    for each in listed:
        dataset = tacore.load(each.path)
        assert (each.id, each.version, each.description) == (dataset.id, dataset.version, dataset.description)
        assert (each.licenses, each.tasks, each.num_samples) == (dataset.licenses, dataset.tasks, dataset.num_rows)
        assert each.extent.get("temporal") == dataset.extent.get("temporal")
    assert listed[1].num_bytes == (archive / "flat.tacozip").stat().st_size
    sizes = [path.stat().st_size for path in (archive / "deep/nested").rglob("*") if path.is_file()]
    assert listed[0].num_bytes == sum(sizes)
    assert tacore.list_datasets(os.fspath(archive)) == listed


def test_a_catalogue_links_its_datasets_and_is_listed_again(archive: Path, tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    site = tmp_path / "site"
    made = tacore.write_site(archive, site, title="Ours", progress=lambda *call: calls.append(call))
    assert calls[-1] == (3, 3)
    assert [each.id for each in made] == ["nested", "flat", "cascade"]
    catalogue = json.loads((site / "catalog.json").read_text("utf-8"))
    children = [site / link["href"] for link in catalogue["links"] if link["rel"] == "child"]
    for path, each in zip(children, made):
        collection = json.loads(path.read_text("utf-8"))
        assert collection["id"] == each.id
        assert collection["extent"]["spatial"]["bbox"][0] == each.extent["spatial"]
        parent = next(link["href"] for link in collection["links"] if link["rel"] == "parent")
        assert (path.parent / parent).samefile(site / "catalog.json")
        assert all((path.parent / asset["href"]).is_file() for asset in collection["assets"].values())
    again = tacore.list_datasets(site)
    assert [dataclasses.replace(each, path="") for each in again] == [
        dataclasses.replace(each, path="") for each in made
    ]
    assert [tacore.load(each.path).id for each in again] == [each.id for each in made]


@pytest.fixture
def server(archive: Path) -> Iterator[str]:
    """The URL of a server of the archive."""
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=archive)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


def test_a_list_may_have_urls_and_a_catalogue_may_be_remote(archive: Path, server: str, tmp_path: Path) -> None:
    names = tmp_path / "datasets.txt"
    names.write_text(f"# ours\n{server}/flat.tacozip\tFlat\n\narchive/deep\n", "utf-8")
    flat, nested = tacore.list_datasets(names)
    assert (flat.path, flat.title, flat.id) == (f"{server}/flat.tacozip", "Flat", "flat")
    assert flat.num_bytes == (archive / "flat.tacozip").stat().st_size
    assert nested.path == str(archive / "deep/nested")
    tacore.write_site(names, archive / "site", data_url=server)
    remote = tacore.list_datasets(f"{server}/site/catalog.json")
    assert [each.path for each in remote] == [f"{server}/flat.tacozip", f"{server}/archive/deep/nested"]
    page = (archive / "site/datasets/flat/index.html").read_text("utf-8")
    assert f"{server}/flat.tacozip" in page
    (archive / "flat.tacozip").unlink()
    with pytest.raises(tacore.TacoIOError, match=rf"{server}/flat.tacozip"):
        tacore.write_site(names, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_errors_name_what_is_wrong(archive: Path, tmp_path: Path) -> None:
    (archive / "broken.tacozip").write_text("no ZIP")
    assert len(tacore.list_datasets(archive)) == 3
    with pytest.raises(tacore.TacoFormatError, match=r"broken\.tacozip"):
        tacore.list_datasets(archive, strict=True)
    with pytest.raises(tacore.TacoFormatError, match="no datasets found"):
        (tmp_path / "empty").mkdir()
        tacore.list_datasets(tmp_path / "empty")
    with pytest.raises(FileNotFoundError):
        tacore.list_datasets(tmp_path / "missing")
    with pytest.raises(tacore.TacoValidationError, match="the URL of the catalogue is 'ours'"):
        tacore.write_site(archive, tmp_path / "site", base_url="ours")
    with pytest.raises(tacore.TacoValidationError, match="remote paths cannot be written"):
        tacore.write_site(archive, "s3://bucket/site")
    tacore.write_site(archive, tmp_path / "site")
    with pytest.raises(tacore.TacoIOError, match="exists already"):
        tacore.write_site(archive, tmp_path / "site")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive", "empty", "site"]


def test_an_interruption_leaves_what_was_there(archive: Path, tmp_path: Path) -> None:
    for number in range(300):
        shutil.copy(archive / "flat.tacozip", archive / f"{number}.tacozip")
    site = tmp_path / "site"
    tacore.write_site(archive / "deep", site)

    def interrupt(done: int, total: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tacore.write_site(archive, site, overwrite=True, progress=interrupt)
    assert [each.id for each in tacore.list_datasets(site)] == ["nested"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive", "site"]


def test_a_process_that_is_killed_leaves_no_catalogue(archive: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    code = (
        "import os, signal, sys, tacore\n"
        "stop = lambda done, total: done != 2 or os.kill(os.getpid(), signal.SIGKILL)\n"
        "tacore.write_site(sys.argv[1], sys.argv[2], jobs=1, progress=stop)\n"
    )
    run = subprocess.run([sys.executable, "-c", code, archive, site], check=False)
    assert run.returncode == -signal.SIGKILL and not site.exists()
    assert tacore.write_site(archive, site)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive", "site"]  # the unfinished one is removed


def test_linked_data_of_the_pages_is_valid_json(archive: Path, tmp_path: Path) -> None:
    tacore.write_site(archive, tmp_path / "site", base_url="https://example.org/site")
    page = (tmp_path / "site/index.html").read_text("utf-8")
    text = page.split('<script type="application/ld+json">')[1].split("</script>")[0]
    data = json.loads(text)
    assert data["@type"] == "DataCatalog" and data["url"] == "https://example.org/site/"
    assert [each["url"] for each in data["dataset"]] == [
        f"https://example.org/site/datasets/{name}/index.html" for name in ("nested", "flat", "cascade")
    ]
