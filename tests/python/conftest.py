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


#: What `client` of test_distributed.py may be.
ENGINES = ["default", "threads", "processes", "ray", "dask"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Outside of `check long`, what is tested with every engine runs with two of them, others for each test."""

    def is_run(item: pytest.Item) -> bool:
        engine = getattr(item, "callspec", None) and item.callspec.params.get("client")
        if engine not in ENGINES or "TACORE_LONG_TESTS" in os.environ or item.path.name == "test_distributed.py":
            return True
        first = zlib.crc32(item.nodeid.replace(engine, "").encode())
        return (ENGINES.index(engine) + first) % len(ENGINES) in (0, 2)

    left_out = [item for item in items if not is_run(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if is_run(item)]


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
