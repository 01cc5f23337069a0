"""The page that shows a dataset: who may read what, in which forms."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import tacore


def read(url: str, **headers: str) -> bytes:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
        body: bytes = answer.read()
    return body


def status(url: str) -> int:
    try:
        read(url)
    except urllib.error.HTTPError as error:
        return error.code
    return 200


def config(page: str) -> dict[str, str]:
    found = re.search(r'id="config">([^<]*)<', page)
    assert found is not None
    out: dict[str, str] = json.loads(found.group(1))
    return out


@pytest.mark.parametrize("name", ["flat.tacozip", "nested", "cascade_tacocat", "v1/flat.taco", "v1/nested.tortilla"])
def test_the_page_opens_its_dataset(golden: Path, name: str) -> None:
    with tacore.load(golden / name).view() as viewer:
        page = config(read(viewer.url).decode())
        assert page["address"] == str(golden / name)
        path = golden / name
        if path.is_file():
            assert read(viewer.url + page["dataset"]) == path.read_bytes()
            assert read(viewer.url + page["dataset"], Range="bytes=10-19") == path.read_bytes()[10:20]
        else:
            folder = path if (path / "COLLECTION.json").exists() else path / ".tacocat"
            assert read(f"{viewer.url}{page['dataset']}/COLLECTION.json") == (folder / "COLLECTION.json").read_bytes()


def test_nobody_reads_without_the_token_and_nothing_after_the_end(golden: Path) -> None:
    dataset = tacore.load(golden / "flat.tacozip")
    viewer, other = dataset.view(), dataset.view()
    token = viewer.url.split("/")[3]
    assert re.fullmatch("[0-9a-f]{32}", token)
    assert viewer.url.split("/")[3] != other.url.split("/")[3]
    assert status(viewer.url) == 200
    for url in (
        viewer.url.replace(token, "0" * 32),
        viewer.url.replace(token + "/", ""),
        viewer.url.rstrip("/"),
        viewer.url + "files/../../etc/passwd",
        viewer.url + "files/%2e%2e/%2e%2e/etc/passwd",
        viewer.url + "files//etc/passwd",
    ):
        assert status(url) == 404, url
    assert viewer.url in repr(viewer)
    assert f'src="{viewer.url}"' in viewer._repr_html_()
    viewer.close()
    viewer.close()
    assert "closed" in repr(viewer)
    assert "iframe" not in viewer._repr_html_()
    with pytest.raises(urllib.error.URLError):
        read(viewer.url)
    assert status(other.url) == 200
    other.close()


def test_a_port_that_is_taken_or_none_is_an_error(golden: Path) -> None:
    dataset = tacore.load(golden / "flat.tacozip")
    with dataset.view() as viewer:
        port = int(viewer.url.split(":")[2].split("/")[0])
        with pytest.raises(tacore.TacoIOError, match=f"127.0.0.1:{port}"):
            dataset.view(port=port)
    for wrong in (-1, 65536):
        with pytest.raises(tacore.TacoValidationError, match="0 to 65535"):
            dataset.view(port=wrong)


def test_a_query_has_no_page(golden: Path) -> None:
    dataset = tacore.load(golden / "flat.tacozip")
    with pytest.raises(tacore.TacoQueryError, match="whole datasets"):
        dataset.limit(1).view()


def test_a_remote_dataset_is_read_by_the_library(golden: Path) -> None:
    with tacore.load(golden / "flat.tacozip").view() as near:
        # A private dataset as another user of this machine sees it: its URL holds what is secret.
        url = near.url + "files/flat.tacozip"
        with tacore.load(url).view() as viewer:
            page = config(read(viewer.url).decode())
            assert page["dataset"] == "files/flat.tacozip"
            assert read(viewer.url + page["dataset"]) == (golden / "flat.tacozip").read_bytes()


def test_a_page_in_a_file_knows_the_way_to_its_dataset(golden: Path, tmp_path: Path) -> None:
    page = tacore.describe.viewer_page(golden / "flat.tacozip", golden.parent)
    assert config(page) == {"dataset": "golden/flat.tacozip"}
    hosted = tacore.describe.viewer_page(
        tacore.load(golden / "nested"), tmp_path, "https://example.org/d/nested", ["https://*.cdn.org"]
    )
    assert config(hosted) == {"dataset": "https://example.org/d/nested"}
    assert "connect-src 'self' https://example.org https://*.cdn.org;" in hosted
    assert config(tacore.describe.viewer_page()) == {}
    with pytest.raises(tacore.TacoValidationError, match="is not a server"):
        tacore.describe.viewer_page(golden / "flat.tacozip", servers=["*"])
    with pytest.raises(tacore.TacoQueryError, match="whole datasets"):
        tacore.describe.viewer_page(tacore.load(golden / "flat.tacozip").limit(1))


def test_a_forked_child_leaves_the_page_of_its_parent_alone(golden: Path) -> None:
    code = f"""
import os, tacore, urllib.request
viewer = tacore.load({str(golden / "flat.tacozip")!r}).view()
child = os.fork()
if child == 0:
    raise SystemExit(3)  # closes what the process has opened
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), len(urllib.request.urlopen(viewer.url).read()) > 100_000)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "3 True\n")


def test_a_process_ends_while_a_page_is_open(golden: Path) -> None:
    code = f"""
import tacore, urllib.request
viewer = tacore.load({str(golden / "flat.tacozip")!r}).view()
print(len(urllib.request.urlopen(viewer.url).read()))
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 100_000
