"""Fixtures shared by the tests of the Python package."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# A shell that runs the tests in the background has it ignored, and so would they.
signal.signal(signal.SIGINT, signal.default_int_handler)


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
