"""A store of S3 that others wrote, moto, in a process of its own, for tests. tests/remote/run installs it."""

from __future__ import annotations

import os
import re
import subprocess
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Prints its URL, and ends with the process that started it.
_SERVER = """
import logging, sys
from moto.server import ThreadedMotoServer
for name in ("werkzeug", "moto"):
    logging.getLogger(name).setLevel(logging.CRITICAL)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print("http://%s:%d" % server.get_host_and_port(), flush=True)
sys.stdin.read()
"""


def python_with_moto() -> str | None:
    """The interpreter of the environment that has moto; None if there is none."""
    found = sorted(ROOT.glob("build/*/moto/bin/python"))
    return str(found[0]) if found else None


class Moto:
    """The server, while the context is open. It believes every key."""

    def __enter__(self) -> Moto:
        python = python_with_moto()
        assert python is not None
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self._process = subprocess.Popen(
            [python, "-c", _SERVER], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()

    def ask(self, method: str, path: str, data: bytes = b"") -> bytes:
        """The response; errors are urllib.error.HTTPError."""
        scope = "Credential=id/20200101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
        headers = {"Content-Type": "application/octet-stream", "Authorization": f"AWS4-HMAC-SHA256 {scope}"}
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as answer:
            body: bytes = answer.read()
        return body

    def make_bucket(self, name: str) -> None:
        self.ask("PUT", f"/{name}")

    def keys(self, bucket: str) -> list[str]:
        found = self.ask("GET", f"/{bucket}?list-type=2&max-keys=1000").decode()
        return re.findall("<Key>(.*?)</Key>", found)

    def read(self, bucket: str, key: str) -> bytes:
        return self.ask("GET", f"/{bucket}/" + urllib.parse.quote(key))

    def remove(self, bucket: str, key: str) -> None:
        self.ask("DELETE", f"/{bucket}/" + urllib.parse.quote(key))

    def lock(self) -> None:
        """From now on signatures are checked, and no key is known."""
        self.ask("POST", "/moto-api/reset-auth", b"0")

    def unfinished(self, bucket: str) -> list[str]:
        """The keys of unfinished uploads."""
        found = self.ask("GET", f"/{bucket}?uploads=").decode()
        return re.findall("<Key>(.*?)</Key>", found)
