#!/usr/bin/env python3
"""Serves the files of the repository on loopback for the remote vectors: prints its URL, and ends with its standard input.

Below changed/ a file changes after the first answer; below dropped/ connections break.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/remote"))
from server import Server
from spoil import Rule


def file_of(request: Any) -> str | None:
    """The same files below changed/ and dropped/."""
    folder, _, rest = request.path.lstrip("/").partition("/")
    return rest if folder in ("changed", "dropped") else None


def main() -> None:
    rules = [Rule("etag", "*changed/*", at=2), Rule("hang_up", "*dropped/*")]
    with Server(ROOT, rules=rules, guard=file_of) as server:
        print(server.url("").rstrip("/"), flush=True)
        sys.stdin.read()


main()
