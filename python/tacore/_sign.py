"""Signatures of datasets, as the program minisign makes them, over all samples and metadata."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from . import _core, _progress, _verbose  # noqa: F401  (messages go to the logger from here on)
from ._output import PathLike


class SignResult(NamedTuple):
    """Result of :func:`sign`."""

    root: str
    """Merkle root: 64 hexadecimal digits."""
    files: list[str]
    """Paths of the trees, the statement and its signature."""
    num_samples: int
    """Number of samples of all levels."""


class VerifyResult(NamedTuple):
    """Result of :func:`verify`."""

    root: str
    """Merkle root: 64 hexadecimal digits; empty if only `taco:sha256` was compared."""
    key_id: str
    """Number of the key that signed, 16 hexadecimal digits; empty without `key`."""
    num_samples: int
    """Number of samples of all levels that were verified."""
    num_proof_bytes: int
    """Number of bytes that were read of the files beside the dataset."""


def create_key(
    path: PathLike, *, password: str | None = None, public_key: PathLike = "", overwrite: bool = False
) -> str:
    """Makes a pair of keys, in the files of the program minisign, and returns the public key: 56 characters, by which
    others :func:`verify` what is signed.

    Args:
        path: New file of the secret key; only its owner can read it.
        password: Encrypts the secret key. Using it then takes 1 GiB of memory and seconds of time, as in minisign.
            Without a password, whoever reads the file can sign.
        public_key: File of the public key; by default that of the secret key, with the suffix .pub.
        overwrite: Replace existing output atomically.

    Raises:
        TacoIOError: A file exists already, or cannot be written.

    Example:
        >>> tacore.create_key("release.key", password=getpass.getpass())
    """
    options = {"public_key": os.fspath(public_key), "overwrite": overwrite}
    return _core.create_key(os.fspath(path), password, options)


def sign(
    path: PathLike,
    key: PathLike,
    *,
    password: str | None = None,
    temp_dir: PathLike = "",
    overwrite: bool = False,
    jobs: int = 0,
    progress: bool | _progress.Progress = True,
) -> SignResult:
    """Signs a dataset, a ZIP or a folder, so that others can :func:`verify` it or any sample of it.

    The Merkle root over the data and metadata of all samples, and over COLLECTION.json, becomes a member of
    COLLECTION.json, `taco:merkle_root`; data and tables do not change. Three files appear beside the dataset:
    ``PATH.merkle`` with the trees, ``PATH.proof`` with the root, and ``PATH.proof.minisig``, the signature of
    ``PATH.proof``, which ``minisign -V`` verifies as well.

    Args:
        path: Path of the dataset.
        key: File of the secret key, as taco keygen or minisign made it.
        password: Password of the key, if it is encrypted.
        temp_dir: Folder for the unfinished output, on the same file system; by default that of the output.
        overwrite: Replace existing output atomically.
        jobs: Number of threads; 0 means one for each processor.
        progress: As for :func:`create`.

    Raises:
        TacoValidationError: The dataset contradicts itself, is an index or from before 2.0, or is signed already; the
            password is wrong or missing.
        TacoFormatError: A file is no key, or the dataset cannot be read.
        TacoSchemaError: A column has a type that has no form in a proof.
        TacoIOError: A file cannot be read or written.

    Example:
        >>> tacore.sign("chips.tacozip", "release.key", password=getpass.getpass())
    """
    options = {"temp_dir": os.fspath(temp_dir), "overwrite": overwrite, "jobs": jobs}
    callback = _progress.callback("Hashing", progress)
    return SignResult(*_core.sign(os.fspath(path), os.fspath(key), password, options, callback))


def verify(
    path: PathLike,
    key: PathLike = "",
    samples: Sequence[str] = (),
    *,
    jobs: int = 0,
    progress: bool | _progress.Progress = True,
) -> VerifyResult:
    """Verifies that a dataset, local or remote, is what was signed, or that samples of it are. Returns if it is.

    Without `samples` all data are read. With them, these samples are read, and a few hundred bytes of the trees for each
    factor of 16 in the number of samples. What other readers of a ZIP see in its central directory is compared by
    :func:`tacore.validator.validate`.

    Args:
        path: Path of the dataset.
        key: Public key of who must have signed: its file, or its 56 characters. Without it, damage is found, and not
            forgery.
        samples: Paths of ids of the samples to verify, with all below them, such as a or a/b; by default all samples.
        jobs: Number of threads; 0 means one for each processor.
        progress: As for :func:`create`.

    Raises:
        TacoValidationError: The dataset differs from what was signed, is not signed, or is signed by another key. The
            message names the first ten samples that differ.
        TacoNavigationError: There is no such sample.
        TacoFormatError: A file is no key, no signature or no file of trees, or the dataset cannot be read.
        TacoIOError: A file cannot be read.

    Example:
        >>> tacore.verify("https://example.org/chips.tacozip", "release.key.pub", ["scene_001/red"])
    """
    options = {"key": os.fspath(key), "samples": list(samples), "jobs": jobs}
    return VerifyResult(*_core.verify(os.fspath(path), options, _progress.callback("Verifying", progress)))
