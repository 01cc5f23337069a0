"""Signatures from Python; what is hashed is held against an oracle in tests/proof."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacore
from tacore import transform
from tacore.datamodel import Tortilla, with_sha256

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "data"


@pytest.fixture
def signed(tmp_path: Path) -> tuple[Path, str]:
    """A dataset in a ZIP, and the public key that signed it."""
    path = tmp_path / "set.tacozip"
    path.write_bytes((EXAMPLES / "landsat_nested.tacozip").read_bytes())
    public_key = tacore.create_key(tmp_path / "k")
    done = tacore.sign(path, tmp_path / "k", progress=False)
    assert len(done.root) == 64 and done.num_samples == 24
    assert [Path(file).name for file in done.files] == [
        "set.tacozip.merkle",
        "set.tacozip.proof",
        "set.tacozip.proof.minisig",
    ]
    assert tacore.load(path).collection["taco:merkle_root"] == done.root
    return path, public_key


def test_a_signed_dataset_and_its_samples_are_verified(signed: tuple[Path, str]) -> None:
    path, key = signed
    whole = tacore.verify(path, key, progress=False)
    assert whole.num_samples == 24 and whole == tacore.verify(path, f"{path.parent / 'k'}.pub", progress=False)
    first = tacore.load(path).data["id"].to_pylist()[0]
    one = tacore.verify(path, key, [first], jobs=1, progress=False)
    assert one.root == whole.root and one.key_id == whole.key_id and 1 < one.num_samples < 24
    assert tacore.verify(path, progress=False).key_id == ""
    with pytest.raises(tacore.TacoNavigationError, match="no sample 'none'"):
        tacore.verify(path, key, ["none"], progress=False)


def test_what_differs_is_told(signed: tuple[Path, str]) -> None:
    path, key = signed
    transform.edit(path, {"title": "Another"}, progress=False)
    with pytest.raises(tacore.TacoValidationError, match="COLLECTION.json differs"):
        tacore.verify(path, key, progress=False)
    with pytest.raises(tacore.TacoValidationError, match="exists already"):
        tacore.sign(path, path.parent / "k", progress=False)
    tacore.sign(path, path.parent / "k", overwrite=True, progress=False)
    tacore.verify(path, key, progress=False)
    other = tacore.create_key(path.parent / "other")
    with pytest.raises(tacore.TacoValidationError, match="it is by the key"):
        tacore.verify(path, other, progress=False)


def test_keys_have_passwords(tmp_path: Path, signed: tuple[Path, str]) -> None:
    tacore.create_key(tmp_path / "locked", password="hunter2", public_key=tmp_path / "open")
    assert "hunter2" not in (tmp_path / "locked").read_text() and (tmp_path / "open").exists()
    for password, reason in ((None, "no password was given"), ("Hunter2", "the password is wrong")):
        with pytest.raises(tacore.TacoValidationError, match=reason):
            tacore.sign(signed[0], tmp_path / "locked", password=password, overwrite=True, progress=False)
    tacore.sign(signed[0], tmp_path / "locked", password="hunter2", overwrite=True, progress=False)
    tacore.verify(signed[0], tmp_path / "open", progress=False)
    with pytest.raises(tacore.TacoIOError, match="exists already"):
        tacore.create_key(tmp_path / "locked")


def test_progress_can_stop_signing(signed: tuple[Path, str]) -> None:
    path, key = signed
    with pytest.raises(tacore.TacoIOError, match="stopped"):
        tacore.sign(path, path.parent / "k", overwrite=True, progress=lambda done, total: False)
    tacore.verify(path, key, progress=False)


def test_hashes_are_a_column(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a").write_bytes(b"abc")
    hashed = with_sha256(Tortilla.from_folder(tmp_path / "files"))
    assert hashed.column("taco:sha256")[0].hex() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
