"""Columns as inputs of a loader: types, classes, nulls, and the sample that each value belongs to."""

from __future__ import annotations

import datetime as dt
import os
import pickle
import subprocess
import sys
from decimal import Decimal
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import tacore
from tacore import raster
from tacore.datamodel import Taco, Tortilla
from tacore.loader import Column, Loader, TorchDataset, TorchIterableDataset

numpy = pytest.importorskip("numpy")

ROOT = Path(__file__).resolve().parents[2]
NESTED = ROOT / "examples" / "data" / "landsat_nested.tacozip"
FLAT = ROOT / "examples" / "data" / "landsat.tacozip"
COVERS = ["forest", "water", "urban"]
#: The metadata of six samples.
VALUES: dict[str, list[Any]] = {
    "cover": ["water", "forest", "forest", "urban", "water", "forest"],
    "count": [3, 1, 4, 1, 5, 9],
    "share": [0.25, float("nan"), -1.0, 0.0, 1e300, 2.5],
    "is_day": [True, False, True, True, False, False],
    "code": [20, 10, 10, 30, 20, 10],
    "bands": [[1.5, 2.5], [3.5, 4.5], [5.5, 6.5], [7.5, 8.5], [9.5, 0.5], [1.0, 2.0]],
    "boxes": [[[1, 2, 3, 4]], [], [[5, 6, 7, 8], [1, 1, 2, 2]], [[0, 0, 1, 1]], [], [[9, 9, 9, 9]]],
    "time": [dt.datetime(2020, 1, day, 12, 30, 0, 5) for day in range(1, 7)],
    "partly": [7, None, 8, None, 9, 10],
    "partly_cover": ["water", None, "forest", "water", "water", None],
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of six tiles, whose metadata are VALUES."""
    folder = tmp_path_factory.mktemp("columns")
    tiles = tacore.load(FLAT).data
    ids = [f"chip_{at}" for at in range(6)]
    for at, id in enumerate(ids):
        (folder / id).write_bytes(tiles.read_bytes(at))
    taco = Taco(
        Tortilla.from_columns(ids, [folder / id for id in ids], VALUES), id="chips", dataset_version="1.0.0",
        description="Chips", licenses=["CC-BY-4.0"], providers=[{"name": "Somebody"}], tasks=["classification"],
    )  # fmt: skip
    tacore.create(taco, folder / "chips.tacozip")
    return folder / "chips.tacozip"


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("count", "int64"), ("share", "float64"), ("is_day", "bool"), ("bands", "float64"), ("time", "datetime64[us]")],
)
def test_values_keep_their_type(path: Path, name: str, dtype: str) -> None:
    found = Column(name).read(path)
    assert found.dtype == dtype
    numpy.testing.assert_array_equal(found, numpy.array(VALUES[name], dtype))


def test_other_values_are_objects(path: Path) -> None:
    cover = Column("cover").read(path)
    assert cover.dtype == object and cover.tolist() == VALUES["cover"]
    boxes = Column("boxes").read(path)
    assert boxes.shape == (6,)
    assert [box.tolist() for box in boxes] == VALUES["boxes"]


@pytest.mark.parametrize("backend", ["pyarrow", "polars", "pandas"])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "uint64", "float32", "bool"])
def test_columns_that_were_set_in_python_keep_their_type(path: Path, backend: str, dtype: str) -> None:
    pytest.importorskip(backend)
    rows = tacore.load(path, backend=backend).data
    values = numpy.array([1, 0, 3, 1, 5, 1]).astype(dtype)
    rows["mine"] = values
    found = Column("mine").read(rows)
    assert found.dtype == dtype
    assert (found == values).all()
    some = rows[[4, 1]] if backend == "polars" else rows.take([4, 1])
    assert Column("mine").read(some).tolist() == values[[4, 1]].tolist()


def test_values_of_sql_have_its_types(path: Path) -> None:
    rows = tacore.load(path).sql(
        "SELECT *, CAST(count AS TINYINT) AS small, CAST(count AS FLOAT) AS single, 0.5 AS half, "
        "[CAST(count AS USMALLINT), 2] AS pair FROM data"
    )
    found = {name: Column(name).read(rows) for name in ("small", "single", "half", "pair")}
    assert {name: str(each.dtype) for name, each in found.items()} == {
        "small": "int8",
        "single": "float32",
        "half": "float64",  # DECIMAL(2, 1) in SQL
        "pair": "uint16",
    }
    assert found["pair"].tolist() == [[count, 2] for count in VALUES["count"]]
    assert Decimal(found["half"][0]) == Decimal("0.5")


def test_classes_are_numbered_in_their_order(path: Path) -> None:
    found = Column("cover", classes=COVERS).read(path)
    assert (found.dtype, found.tolist()) == ("int64", [1, 0, 0, 2, 1, 0])
    assert Column("code", classes=[10, 20, 30]).read(path).tolist() == [1, 0, 0, 2, 1, 0]
    assert Column("cover", classes=COVERS, dtype="uint8").read(path).dtype == "uint8"
    assert Column("cover", classes=COVERS) == Column("cover", classes=tuple(COVERS))


def test_nulls_are_filled(path: Path) -> None:
    assert Column("partly", fill=-1).read(path).tolist() == [7, -1, 8, -1, 9, 10]
    found = Column("partly", dtype="float32", fill=float("nan")).read(path)
    assert found.dtype == "float32" and numpy.isnan(found).tolist() == [False, True, False, True, False, False]
    assert Column("partly_cover", classes=COVERS, fill=-100).read(path).tolist() == [1, -100, 0, 1, 1, -100]
    assert Column("partly_cover", fill="unknown").read(path)[1] == "unknown"


def test_types_can_be_converted(path: Path) -> None:
    assert Column("count", dtype="float32").read(path).dtype == "float32"
    assert Column("count", dtype=numpy.int16).read(path).dtype == "int16"
    microseconds = (VALUES["time"][0] - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)
    assert Column("time", dtype="int64").read(path)[0] == microseconds


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (Column("covr"), r"Column\('covr'\): the rows have no column 'covr'; did you mean 'cover'\?"),
        (
            Column("mask"),
            r"no column 'mask'; their columns are id, type, .*\. A FILE of each sample is an input as text",
        ),
        (
            Column("cover", classes=COVERS[:2]),
            r"the value 'urban' of sample 'chip_3' \(row 3\) is not one of the classes, which are 'forest', 'water'",
        ),
        (Column("bands", classes=[1.5]), "classes are for single values, and this column has lists"),
        (
            Column("partly"),
            r"2 of 6 samples have no value \(null\), the first is sample 'chip_1' \(row 1\); "
            r"give Column\('partly', fill=\.\.\.\), or leave these samples out: .*WHERE \"partly\" IS NOT NULL",
        ),
        (Column("partly_cover", classes=COVERS), r"2 of 6 samples have no value"),
        (Column("partly", fill=0.5), r"fill=0.5 is not a value of type int64"),
        (Column("partly", fill="none"), "fill='none' is not a value of type int64"),
        (Column("partly", dtype="uint8", fill=300), "fill=300 is not a value of type uint8"),
        (
            Column("cover", dtype="float32"),
            r"cannot be converted to float32 .*classes: Column\('cover', classes=\['forest', 'urban', 'water'\]\)",
        ),
    ],
)
def test_what_cannot_be_read_is_told(path: Path, column: Column, words: str) -> None:
    for read in (column.read, lambda rows: Loader(rows, ["", column]), lambda rows: TorchDataset(rows, column)):
        with pytest.raises(tacore.TacoQueryError, match=words):
            read(path)


def test_a_null_within_a_list_of_integers_is_told(path: Path) -> None:
    rows = tacore.load(path).sql("SELECT *, [count, NULL] AS pair FROM data")
    with pytest.raises(tacore.TacoQueryError, match=r"Column\('pair'\): a list has a value that is no number"):
        Column("pair").read(rows)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"name": 3}, TypeError, "the name of a column is text, not int"),
        ({"name": "a", "classes": "water"}, TypeError, "classes is 'water'; a list of the classes is expected"),
        ({"name": "a", "classes": 3}, TypeError, "classes is 3; a list"),
        ({"name": "a", "classes": []}, ValueError, "classes is empty"),
        ({"name": "a", "classes": ["x", "y", "x"]}, ValueError, "classes has 'x' twice"),
    ],
)
def test_wrong_columns_are_refused(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Column(**arguments)


def test_columns_need_numpy(path: Path) -> None:
    code = """
import sys
sys.modules["numpy"] = None
import tacore
from tacore.loader import Column, Loader
assert len(list(Loader(sys.argv[1], batch_size=4))) == 2
try:
    Loader(sys.argv[1], ["", Column("count")])
except tacore.TacoBackendError as error:
    assert str(error).startswith("Column('count') needs numpy: pip install numpy"), error
else:
    raise AssertionError
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code, path], check=True, env=environment)


# In batches.

INPUTS = {"image": "3,4", "cover": Column("cover", classes=COVERS), "bands": Column("bands", dtype="float32")}


def check(batch: Any) -> list[int]:
    """Checks that the values of a batch are those of its samples, and returns their positions."""
    assert batch.names == ("image", "cover", "bands")
    image, cover, bands = batch
    rows = tacore.load(FLAT).data
    for slot, position in enumerate(batch.positions):
        assert (image[slot] == raster.read_tensor(rows, position, bands=[3, 4])).all()
        assert COVERS[cover[slot]] == VALUES["cover"][position]
        assert bands[slot].tolist() == VALUES["bands"][position]
    return list(batch.positions)


@pytest.mark.parametrize("options", [{}, {"seed": 3}, {"seed": 3, "jobs": 1, "prefetch": 0}])
def test_values_are_those_of_the_samples_of_a_batch(path: Path, options: dict[str, Any]) -> None:
    loader = Loader(tacore.load(path), INPUTS, batch_size=4, **options)
    for _ in range(2):
        assert sorted(position for batch in loader for position in check(batch)) == list(range(6))


def test_values_follow_ranks_shards_padding_and_a_state(path: Path) -> None:
    seen = []
    for rank in range(2):
        for shard in range(2):
            options = {"batch_size": 1, "rank": rank, "world_size": 2, "shard": (shard, 2), "seed": 1, "pad": True}
            seen += [position for batch in Loader(path, INPUTS, **options) for position in check(batch)]
    assert sorted(seen) == list(range(6))
    padded = [
        at for rank in range(4) for b in Loader(path, INPUTS, rank=rank, world_size=4, pad=True) for at in check(b)
    ]
    assert len(padded) == 8
    loader = Loader(path, INPUTS, batch_size=2, seed=5)
    first = check(next(iter(loader)))
    again = Loader(path, INPUTS, batch_size=2, seed=5)
    again.load_state_dict(loader.state_dict())
    assert sorted(first + [position for batch in again for position in check(batch)]) == list(range(6))


def test_values_of_skipped_samples_are_left_out(path: Path, tmp_path: Path) -> None:
    data = bytearray(path.read_bytes())
    where = tacore.load(path).data.read(3).removeprefix("/vsisubfile/").split(",")[0]
    offset, size = (int(number) for number in where.split("_"))
    data[offset : offset + size] = b"\0" * size
    damaged = tmp_path / "damaged.tacozip"
    damaged.write_bytes(data)
    batches = list(Loader(damaged, INPUTS, batch_size=2, on_error="skip"))
    assert [check(batch) for batch in batches] == [[0, 1], [2], [4, 5]]
    seen: list[Any] = []
    data_set = TorchIterableDataset(
        damaged, INPUTS, batch_size=2, on_error="skip", with_row=True,
        transform=lambda batch, rows: seen.append((batch["cover"].tolist(), [row["cover"] for row in rows])),
    )  # fmt: skip
    list(data_set)
    assert seen == [([1, 0], ["water", "forest"]), ([0], ["forest"]), ([1, 0], ["water", "forest"])]


def test_a_frame_that_was_filtered_has_its_own_values(path: Path) -> None:
    rows = tacore.load(path).sql("SELECT * FROM data WHERE count > 3 ORDER BY count DESC").data
    (batch,) = Loader(rows, ["", Column("count")], batch_size=8)
    assert batch["count"].tolist() == [9, 5, 4]
    assert (batch[0][0] == raster.read_tensor(tacore.load(FLAT).data, 5)).all()


def test_a_loader_of_columns_alone_is_refused(path: Path) -> None:
    with pytest.raises(ValueError, match=r"a loader reads pixels, and all inputs are columns: Column\(\.\.\.\)\.read"):
        Loader(path, Column("count"))
    assert int(TorchDataset(path, Column("count"))[5][0]) == 9


def test_batches_pass_their_arrays_by_name(path: Path) -> None:
    (batch,) = Loader(path, INPUTS, batch_size=6)
    assert {**batch}.keys() == dict(batch).keys() == INPUTS.keys()
    assert dict(batch)["cover"] is batch["cover"] is batch[1]
    batch["cover"][:] = 7  # the memory is that of the batch
    assert next(iter(Loader(path, INPUTS)))["cover"].tolist() == [1]


@pytest.mark.parametrize("rows", [FLAT, NESTED])
def test_the_name_of_a_column_as_a_file_is_told(rows: Path) -> None:
    words = r"'vegetation'.*; write Column\('vegetation'\) to read the column 'vegetation'"
    with pytest.raises(tacore.TacoNavigationError, match=words) as caught:
        Loader(rows, ["vegetation"])
    assert caught.value.path == str(rows) and caught.value.message in str(caught.value)
    with pytest.raises(tacore.TacoNavigationError, match=words):
        TorchDataset(rows, "vegetation")[0]
    with pytest.raises(tacore.TacoNavigationError) as other:
        Loader(NESTED, ["nothing"])
    assert "Column" not in str(other.value)


def in_a_child(data: Any, queue: Any) -> None:
    queue.put([position for batch in data for position in check(batch)])


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_columns_go_along_to_other_processes(path: Path, method: str) -> None:
    context = get_context(method)
    queue = context.Queue()
    child = context.Process(target=in_a_child, args=(Loader(path, INPUTS, batch_size=3, seed=4), queue))
    child.start()
    assert sorted(queue.get(timeout=60)) == list(range(6))
    child.join()
    assert child.exitcode == 0


# For PyTorch, and its protocol without it.


def test_samples_have_values_and_transforms_get_the_row(path: Path) -> None:
    inputs = {**INPUTS, "id": Column("id"), "boxes": Column("boxes"), "time": Column("time")}
    data = TorchDataset(path, inputs)
    for each in (data, pickle.loads(pickle.dumps(data))):
        for position, sample in enumerate([each[0], *each.__getitems__([1, 2])]):
            assert list(sample) == list(inputs)
            assert int(sample["cover"]) == COVERS.index(VALUES["cover"][position])
            assert sample["bands"].tolist() == VALUES["bands"][position]
            assert (sample["id"], sample["time"]) == (f"chip_{position}", VALUES["time"][position])
            assert sample["boxes"].tolist() == VALUES["boxes"][position]
    told = TorchDataset(path, "", transform=lambda sample, row: (sample[0].shape, row), with_row=True)
    shape, row = told[-1]
    assert tuple(shape) == (6, 64, 64)
    assert row["id"] == "chip_5" and row["bands"] == VALUES["bands"][5]
    assert list(row) == tacore.load(path).columns


def test_batches_of_a_stream_have_lists_of_other_values(path: Path) -> None:
    inputs = {"image": "", "id": Column("id"), "count": Column("count"), "time": Column("time")}
    batches = list(TorchIterableDataset(path, inputs, batch_size=4))
    assert [batch["id"] for batch in batches] == [[f"chip_{at}" for at in range(4)], ["chip_4", "chip_5"]]
    assert [batch["count"].tolist() for batch in batches] == [VALUES["count"][:4], VALUES["count"][4:]]
    assert batches[1]["time"] == VALUES["time"][4:]


@pytest.mark.parametrize("kind", [TorchDataset, TorchIterableDataset])
def test_a_row_without_a_transform_is_refused(path: Path, kind: Any) -> None:
    with pytest.raises(ValueError, match="with_row passes the row to the transform, and there is no transform"):
        kind(path, with_row=True)


@pytest.mark.parametrize("num_workers", [0, 2])
def test_a_data_loader_collates_labels(path: Path, num_workers: int) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    data = TorchDataset(path, {**INPUTS, "id": Column("id"), "is_day": Column("is_day")})
    (batch,) = torch.utils.data.DataLoader(data, batch_size=6, num_workers=num_workers)
    assert batch["cover"].dtype == torch.int64 and batch["cover"].tolist() == [1, 0, 0, 2, 1, 0]
    assert batch["bands"].shape == (6, 2) and batch["is_day"].dtype == torch.bool
    assert batch["id"] == [f"chip_{at}" for at in range(6)]
    loss = torch.nn.functional.cross_entropy(batch["image"].float().mean((2, 3)) @ torch.ones(2, 3), batch["cover"])
    assert torch.isfinite(loss)
    assert Column("count", dtype=torch.float32).read(path).dtype == "float32"


# Rows from a path.


def test_paths_are_opened(path: Path) -> None:
    for rows in (path, str(path), [str(path), path], str(path).encode()):
        num = 12 if isinstance(rows, list) else 6
        assert sum(len(batch.positions) for batch in Loader(rows, INPUTS, batch_size=4)) == num
        assert len(TorchDataset(rows)) == num
        assert sum(len(image) for (image,) in TorchIterableDataset(rows, batch_size=5)) == num
    with pytest.raises(tacore.TacoFileNotFoundError, match=r"nothing\.tacozip"):
        Loader("nothing.tacozip")


@pytest.mark.parametrize("kind", [Loader, TorchDataset, TorchIterableDataset, lambda rows: Column("id").read(rows)])
def test_tables_are_refused_with_what_to_pass(path: Path, kind: Any) -> None:
    for library in ("pyarrow", "polars", "pandas"):
        pytest.importorskip(library)
        table = getattr(tacore.load(path), f"to_{library.replace('py', '')}")()
        with pytest.raises(
            TypeError, match=rf"not {library}\.\w+, a table .* pass the dataset, or rows of it selected by"
        ):
            kind(table)
    for wrong in (3, None, [path, 3]):
        with pytest.raises(TypeError, match="a dataset, a frame, a path or a list of paths is expected, not"):
            kind(wrong)
