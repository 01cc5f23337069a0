"""One dataset, validated by many machines, has the violations that one machine finds."""

from __future__ import annotations

import os
import re
import shutil
import struct
import sys
import zipfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import tacore
from tacore import _core, distributed, transform, validator
from tacore.datamodel import Tortilla
from test_distributed import EXAMPLES, client, dask_client, processes  # noqa: F401
from toolbox import make_taco, nested

sys.path.append(str(Path(__file__).resolve().parents[1] / "remote"))

from server import Server  # noqa: E402
from spoil import Rule  # noqa: E402

NESTED = EXAMPLES / "landsat_nested.tacozip"


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset whose metadata contradicts its files in some rows."""
    path = tmp_path_factory.mktemp("faulty") / "faulty.tacozip"
    shutil.copy(EXAMPLES / "landsat.tacozip", path)
    lines = '{"id": "tile_r0_c1", "stac:crs": "EPSG:32724"}\n{"id": "tile_r3_c0", "stac:crs": "EPSG:4326"}\n'
    (path.parent / "wrong.jsonl").write_text(lines)
    transform.edit(path, columns=path.parent / "wrong.jsonl")
    return path


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of which a sample has other bytes than it should."""
    path = tmp_path_factory.mktemp("damaged") / "damaged.tacozip"
    data = bytearray((EXAMPLES / "landsat.tacozip").read_bytes())
    at = data.index(b"II", data.index(b"DATA/"))
    data[at + 100 : at + 4000] = bytes(3900)
    path.write_bytes(data)
    return path


@pytest.fixture(scope="module")
def paths(golden: Path, faulty: Path, damaged: Path) -> list[Path]:
    datasets = ["flat.tacozip", "permuted_offsets.tacozip", "nested", "no_such.tacozip"]
    return [faulty, damaged, EXAMPLES / "landsat.tacozip", NESTED, *(golden / name for name in datasets)]


def test_any_number_of_threads_finds_the_faults_of_any_folder_in_their_order(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    tacore.create(make_taco(Tortilla(nested(300))), whole, output_format="folder", progress=False)
    archive = tmp_path / "archive.tacozip"
    tacore.create(make_taco(Tortilla(nested(300))), archive, progress=False)
    faulty = [0, 7, 63, 64, 65, 190, 299]
    for number in faulty:
        shutil.copy(whole / "DATA" / "folder_1" / "__meta__", whole / "DATA" / f"folder_{number}" / "__meta__")
    with zipfile.ZipFile(archive) as entries:
        at = {entry.filename: entry for entry in entries.infolist()}
    with archive.open("r+b") as file:
        for number in faulty:
            entry = at[f"DATA/folder_{number}/__meta__"]
            file.seek(entry.header_offset)
            names = struct.unpack("<26x2H", file.read(30))
            file.seek(entry.header_offset + 30 + sum(names) + entry.file_size - 40)
            file.write(bytes(40))
    # In the folder only values of __meta__ are wrong, which are compared with `deep`.
    for path, rule, options in ((whole, "MET-2", {"deep": True}), (archive, "MET-1", {})):
        found = [validator.validate(path, jobs=jobs, **options) for jobs in (1, 2, 5)]
        assert found[0] == found[1] == found[2]
        assert {issue.rule for issue in found[0]} == {rule}
        folders = [re.findall(r"folder_(\d+)/__meta__", issue.message) for issue in found[0]]
        assert list(dict.fromkeys(number for [number] in folders)) == [str(number) for number in faulty]


@pytest.mark.parametrize(
    "options",
    [{}, {"assets": True}, {"deep": True}, {"deep": True, "assets": True}, {"assets": True, "sample_size": 5}],
)
def test_the_violations_are_those_that_one_machine_finds(
    client: Any,
    paths: list[Path],
    options: dict[str, Any],  # noqa: F811
) -> None:
    for path in paths:
        here = validator.validate(path, **options)
        for num_tasks in (1, 3):
            assert distributed.validate_dataset(path, client, num_tasks=num_tasks, **options) == here
    if options.get("assets") and "sample_size" not in options:
        assert validator.validate(paths[0], **options)


def test_an_index_is_divided_too(client: Any, faulty: Path, tmp_path: Path) -> None:  # noqa: F811
    distributed.export_partitions(faulty, tmp_path, num_partitions=3)
    here = validator.validate(tmp_path, deep=True, assets=True)
    assert any(issue.rule == "AST-2" for issue in here)
    assert distributed.validate_dataset(tmp_path, client, deep=True, assets=True, num_tasks=4) == here


def test_tasks_read_the_headers_and_the_driver_does_not(server: Server) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        budget = distributed.Budget()
        path = server.url("landsat_nested.tacozip")
        assert distributed.validate_dataset(path, pool, assets=True, num_tasks=2, budget=budget) == []
    assert budget.used == (len(server.requests), server.sent)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(EXAMPLES) as running:
        yield running


def test_a_server_that_fails_and_a_budget_that_is_used_up_stop_the_job(client: Any, server: Server) -> None:  # noqa: F811
    path = server.url("landsat_nested.tacozip")
    with pytest.raises(tacore.TacoIOError, match="used up"):
        distributed.validate_dataset(path, client, assets=True, num_tasks=3, budget=distributed.Budget(requests=2))
    tacore.set_storage_options(max_tries=1)
    try:
        # The driver opens the dataset; what the tasks ask after that fails.
        server.clear()
        tacore.load(path)
        server.rules = [Rule("hang_up", "*", at=len(server.requests) + 1, times=1000)]
        server.clear()
        with pytest.raises(tacore.TacoIOError):
            distributed.validate_dataset(path, client, assets=True, num_tasks=3)
    finally:
        tacore.set_storage_options()


def test_a_dataset_that_is_replaced_meanwhile_is_an_error(faulty: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.tacozip"
    shutil.copy(faulty, path)

    def replace(done: int, total: int) -> None:
        shutil.copy(NESTED, tmp_path / "new")
        os.replace(tmp_path / "new", path)

    with pytest.raises(tacore.TacoError, match="changed since"):
        distributed.validate_dataset(path, assets=True, num_tasks=2, progress=replace)


def test_wrong_arguments_and_a_lost_worker() -> None:
    with pytest.raises(tacore.TacoQueryError, match="num_tasks"):
        distributed.validate_dataset(NESTED, num_tasks=0)
    with pytest.raises(tacore.TacoIOError, match="stopped"):
        distributed.validate_dataset(NESTED, assets=True, progress=lambda done, total: False)
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=os._exit, initargs=(1,)) as pool,
        pytest.raises(tacore.TacoCreationError, match="part 1 of 2"),
    ):
        distributed.validate_dataset(NESTED, pool, assets=True, num_tasks=2)
    with pytest.raises(ValueError, match="part 2 of 2"):
        _core.validate_part(str(NESTED), 2, 2, False, {})
