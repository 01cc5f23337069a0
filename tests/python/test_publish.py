"""tacore.publish: folders for platforms. Uploads are tested in tests/remote/uploads.py."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
import tacore


@pytest.fixture
def titled(golden: Path, tmp_path: Path) -> Path:
    """A dataset that has what Zenodo requires."""
    path = tmp_path / "titled.tacozip"
    path.write_bytes((golden / "nested.tacozip").read_bytes())
    tacore.transform.edit(path, {"title": "A title"}, progress=False)
    return path


def test_folder_has_the_files_that_the_result_names(titled: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    done = tacore.publish(titled, site, "zenodo", published="2026-11-25", progress=False)
    assert {file.name for file in done.files} == {path.name for path in site.iterdir()}
    for file in done.files:
        data = (site / file.name).read_bytes()
        assert (file.size, file.sha256, file.state) == (len(data), hashlib.sha256(data).hexdigest(), "prepared")
    assert done.num_bytes_sent == 0
    assert os.path.samefile(site / "titled.tacozip", titled)  # a hard link
    subprocess.run(["sha256sum", "--strict", "--quiet", "-c", "CHECKSUMS"], cwd=site, check=True)
    deposit = json.loads((site / ".zenodo.json").read_text())
    assert (deposit["title"], deposit["license"], deposit["publication_date"]) == ("A title", "mit", "2026-11-25")
    assert tacore.load(str(site / "titled.tacozip")).id == tacore.load(str(titled)).id


def test_files_are_copied_to_another_file_system(titled: Path, tmp_path: Path) -> None:
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system")
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        site = Path(folder) / "site"
        tacore.publish(titled, site, "huggingface", progress=False)
        copy = site / "titled.tacozip"
        assert copy.read_bytes() == titled.read_bytes() and not os.path.samefile(copy, titled)
        assert int(copy.stat().st_mtime) == int(titled.stat().st_mtime)


def test_dry_run_leaves_nothing(titled: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    done = tacore.publish(titled, tmp_path / "site", "huggingface", dry_run=True, progress=False)
    assert "README.md" in {file.name for file in done.files}
    assert sorted(tmp_path.iterdir()) == before


def test_all_faults_are_told_at_once(golden: Path, tmp_path: Path) -> None:
    with pytest.raises(tacore.TacoValidationError, match=r"\(1\) .*no title.*\(2\) Zenodo stores no folders.*") as told:
        tacore.publish(golden / "nested", tmp_path / "site", "zenodo", published="2026", progress=False)
    assert "taco convert" in str(told.value)
    with pytest.raises(tacore.TacoValidationError, match="--to is 'https://x.org'; hf://datasets/OWNER/NAME expected"):
        tacore.publish(golden / "nested", tmp_path / "site", "huggingface", to="https://x.org", progress=False)
    with pytest.raises(tacore.TacoQueryError, match="platform is 'dryad'; 'huggingface', 'zenodo' or"):
        tacore.publish(golden / "nested", tmp_path / "site", "dryad", progress=False)  # type: ignore[arg-type]
    assert not (tmp_path / "site").exists()


def test_symbolic_links_out_of_the_dataset_are_refused(golden: Path, tmp_path: Path) -> None:
    dataset = tmp_path / "nested"
    shutil.copytree(golden / "nested", dataset)
    (tmp_path / "private").write_text("secret")
    item = dataset / "DATA" / "asia" / "item_0"
    item.unlink()
    item.symlink_to(tmp_path / "private")
    with pytest.raises(
        tacore.TacoValidationError, match=r"DIR-2: is a symbolic link to .*private.*, which is not below DATA/"
    ):
        tacore.publish(dataset, tmp_path / "site", "huggingface", progress=False)
    assert not (tmp_path / "site").exists()


def test_limits_of_zenodo_and_the_hub(golden: Path, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    for i in range(95):
        (folder / f"{i}.tacozip").write_bytes((golden / "nested.tacozip").read_bytes())
    tacore.create_tacocat(sorted(folder.glob("*.tacozip")), folder, progress=False)
    with pytest.raises(tacore.TacoValidationError, match="no folders"):
        tacore.publish(folder / ".tacocat", tmp_path / "site", "zenodo", published="2026", progress=False)
    tacore.create_tacollection(sorted(folder.glob("*.tacozip")), folder, progress=False)
    with pytest.raises(tacore.TacoValidationError, match="the dataset has 96 files; at most 91 expected"):
        tacore.publish(folder / "TACOLLECTION.json", tmp_path / "site", "zenodo", published="2026", progress=False)


def test_progress_cancels(titled: Path, tmp_path: Path) -> None:
    with pytest.raises(tacore.TacoIOError, match="stopped"):
        tacore.publish(titled, tmp_path / "site", "huggingface", progress=lambda done, total: False)
    assert not (tmp_path / "site").exists()


def test_upload_needs_a_token(titled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_TOKEN_PATH", str(tmp_path / "none"))
    with pytest.raises(tacore.TacoIOError, match="set HF_TOKEN"):
        tacore.publish(titled, tmp_path / "site", "huggingface", to="hf://datasets/lab/a", progress=False)
    with pytest.raises(tacore.TacoIOError, match=r"none: the token cannot be read"):
        tacore.publish(
            titled,
            tmp_path / "site",
            "huggingface",
            to="hf://datasets/lab/a",
            token_file=tmp_path / "none",
            progress=False,
        )
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize(
    ("url", "loaded"),
    [
        ("", "titled.tacozip"),
        ("https://host/data", "https://host/data/titled.tacozip"),
        ("hf://datasets/lab/titled", "hf://datasets/lab/titled/titled.tacozip"),
    ],
)
def test_examples_load_from_where_the_folder_will_be(titled: Path, tmp_path: Path, url: str, loaded: str) -> None:
    site = tmp_path / "site"
    tacore.publish(titled, site, "huggingface", base_url=url, progress=False)
    assert f'tacore.load("{loaded}")' in (site / "README.md").read_text()
    assert f"tacore.load(&quot;{loaded}&quot;)" in (site / "index.html").read_text()
