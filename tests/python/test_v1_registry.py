"""Named data sets: `tacore.v1.load("tacofoundation:NAME")`, with a registry on a server of this test."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

import tacore
from tacore import v1

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "v1"
PARTS = sorted(str(path) for path in (GOLDEN / "parts").glob("*.tortilla"))
SETS = {"clouds-l1c": [str(GOLDEN / "nested.taco")], "one": str(GOLDEN / "flat.taco"), "parts": PARTS}


class Server(HTTPServer):
    answer = (200, json.dumps(SETS).encode())
    requests = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/tacos.json"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.requests += 1
        status, body = self.server.answer
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture()
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as made:
        monkeypatch.setenv("TACO_REGISTRY", made.url)
        monkeypatch.setenv("TACO_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def test_a_name_opens_its_files_and_the_registry_is_asked_once(server: Server) -> None:
    assert len(v1.load("tacofoundation:clouds-l1c")) == len(tacore.load(GOLDEN / "nested.taco").data)
    assert len(v1.load("tacofoundation:one")) == len(tacore.load(GOLDEN / "flat.taco").data)
    assert len(v1.load("tacofoundation:parts")) == len(tacore.load(PARTS[0]).data)
    assert v1.load_metadata("tacofoundation:one") == v1.load_metadata(GOLDEN / "flat.taco")
    assert server.requests == 1


def test_an_old_copy_is_renewed_and_used_without_a_connection(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    v1.load("tacofoundation:one")
    (copy,) = (tmp_path / "cache").iterdir()
    os.utime(copy, (0, 0))
    v1.load("tacofoundation:one")
    assert server.requests == 2
    os.utime(copy, (0, 0))
    server.answer = (503, b"")
    v1.load("tacofoundation:one")
    assert server.requests == 3
    assert "the copy in" in caplog.text


def test_a_copy_that_was_damaged_is_fetched_again(server: Server, tmp_path: Path) -> None:
    v1.load("tacofoundation:one")
    (copy,) = (tmp_path / "cache").iterdir()
    copy.write_bytes(copy.read_bytes()[:5])
    assert len(v1.load("tacofoundation:one")) == 5
    assert server.requests == 2


def test_without_a_connection_and_a_copy_the_error_says_what_to_do(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer = (404, b"no")
    with pytest.raises(tacore.TacoIOError, match=r"cannot be read: HTTP Error 404.*TACO_REGISTRY"):
        v1.load("tacofoundation:one")
    monkeypatch.setenv("TACO_REGISTRY", "http://127.0.0.1:1/tacos.json")
    with pytest.raises(tacore.TacoIOError, match="Connection refused"):
        v1.load("tacofoundation:one")
    monkeypatch.setenv("TACO_REGISTRY", "ftp://127.0.0.1/tacos.json")
    with pytest.raises(tacore.TacoIOError, match="http:// or https:// expected"):
        v1.load("tacofoundation:one")
    monkeypatch.setenv("TACO_REGISTRY", "nowhere.json")
    with pytest.raises(tacore.TacoIOError, match=r"nowhere\.json: the registry"):
        v1.load("tacofoundation:one")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[1]", "a JSON object .* expected, not list"),
        (b'{"a": 1}', "a: a URL or a list of URLs expected, not 1"),
        (b'{"a": []}', "a: a URL or a list of URLs expected"),
        (b'{"a": [1]}', "a: a URL or a list of URLs expected"),
    ],
)
def test_a_damaged_registry_is_an_error_and_not_kept(server: Server, tmp_path: Path, body: bytes, message: str) -> None:
    server.answer = (200, body)
    with pytest.raises(tacore.TacoFormatError, match=message):
        v1.load("tacofoundation:a")
    assert not (tmp_path / "cache").exists()


def test_unknown_names_and_registries_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sets.json").write_text(json.dumps(SETS))
    monkeypatch.setenv("TACO_REGISTRY", str(tmp_path / "sets.json"))
    assert len(v1.load("tacofoundation:one")) == 5
    with pytest.raises(tacore.TacoNavigationError, match="has no data set 'clouds-l1'; did you mean clouds-l1c?"):
        v1.load("tacofoundation:clouds-l1")
    with pytest.raises(tacore.TacoNavigationError, match="its names are clouds-l1c, one, parts"):
        v1.load("tacofoundation:zzz")
