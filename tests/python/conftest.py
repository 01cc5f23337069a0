"""Fixtures shared by the tests of the Python package."""

from __future__ import annotations

import os
import signal
import zlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# A shell that runs the tests in the background has it ignored, and so would they.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Outside of `check long`, what is tested with every engine runs with two of them, others for each test."""
    if "TACORE_LONG_TESTS" in os.environ:
        return
    engines: dict[str, list[pytest.Item]] = {}  # the same test with each
    for item in items:
        engine = getattr(item, "callspec", None) and item.callspec.params.get("client")
        if engine and item.path.name != "test_distributed.py":
            name, _, parameters = item.nodeid.partition("[")
            others = [each for each in parameters.rstrip("]").split("-") if each != engine]
            engines.setdefault("-".join([name, *others]), []).append(item)
    left_out = set()
    for name, same in engines.items():
        first = zlib.crc32(name.encode())
        left_out |= set(same) - {same[first % len(same)], same[(first + 2) % len(same)]}
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def golden() -> Path:
    """Datasets in the repository."""
    return ROOT / "tests" / "golden"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Third-party files beside the repository."""
    path = ROOT.parent / "shared"
    if not path.is_dir():
        pytest.skip("there are no files of others beside this clone (../shared)")
    return path
