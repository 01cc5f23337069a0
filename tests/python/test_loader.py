"""Batches: pixels, order, memory and resuming."""

from __future__ import annotations

import gc
import os
import pickle
import re
import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import tacore
from tacore import raster
from tacore.loader import Input, Loader

numpy = pytest.importorskip("numpy")
pytestmark = pytest.mark.filterwarnings("ignore:Dataset has no geotransform")

ROOT = Path(__file__).resolve().parents[2]
NESTED = ROOT / "examples" / "data" / "landsat_nested.tacozip"
FLAT = ROOT / "examples" / "data" / "landsat.tacozip"


def flat() -> Any:
    return tacore.load(FLAT).data


def positions(loader: Loader) -> list[int]:
    return [position for batch in loader for position in batch.positions]


def test_batches_have_the_pixels_of_their_samples() -> None:
    rows = tacore.load(NESTED).data
    inputs = ["optical/3,4", Input("dem", window=(0, 0, 32, 16), dtype="float32", scale=(0.1, 1)), "mask"]
    names = []
    for batch in Loader(rows, inputs, batch_size=4, seed=3):
        optical, dem, mask = batch
        assert batch.names == ("optical/3,4", "dem", "mask")
        assert batch["mask"] is mask
        assert (dem.dtype, dem.shape[1:], mask.shape[1:]) == (numpy.float32, (1, 16, 32), (1, 64, 64))
        for slot, position in enumerate(batch.positions):
            children = rows.read(position)
            assert (optical[slot] == raster.read_tensor(children, "optical", bands=[3, 4])).all()
            assert (mask[slot] == raster.read_tensor(children, "mask")).all()
            expected = raster.read_tensor(children, "dem", window=(0, 0, 32, 16), scale=(0.1, 1))
            assert (dem[slot] == expected).all()
        names += batch.positions
    assert sorted(names) == list(range(6))
    with pytest.raises(KeyError, match="label"):
        batch["label"]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("label", Input("label")),
        ("s2/3,4,10", Input("s2", [3, 4, 10])),
        ("a/b/7", Input("a/b", [7])),
        ("3,4", Input("", [3, 4])),
        ("", Input()),
        ("s2/3,b", Input("s2/3,b")),
        ("s2/3,", Input("s2/3,")),
    ],
)
def test_inputs_can_be_given_as_text(text: str, meant: Input) -> None:
    assert Input.parse(text) == meant


def test_inputs_have_names() -> None:
    rows = tacore.load(NESTED)
    batch = next(iter(Loader(rows, {"x": "optical/1", "y": Input("mask")})))
    assert list(batch.as_dict()) == ["x", "y"]
    assert batch["y"] is batch[1]
    assert "x" in repr(batch)
    with pytest.raises(ValueError, match="names"):
        Loader(rows, ["mask", Input("mask")])
    with pytest.raises(TypeError):
        Loader(rows, [3])


def test_the_order_depends_on_seed_and_epoch_alone() -> None:
    first = positions(Loader(flat(), batch_size=5, seed=7))
    assert sorted(first) == list(range(16))
    assert first == positions(Loader(flat(), batch_size=2, seed=7, jobs=1, prefetch=1))
    assert first != positions(Loader(flat(), batch_size=5, seed=8))
    assert first == positions(Loader(flat(), shuffle=True, seed=7))
    assert positions(Loader(flat(), batch_size=5)) == list(range(16))
    assert positions(Loader(flat(), batch_size=5, shuffle=False, seed=7)) == list(range(16))
    assert positions(Loader(flat(), shuffle=True)) == positions(Loader(flat(), seed=0))


# The order of blocks, as the header of SampleOrder describes it and in no other way.

MASK = 2**64 - 1


def mixed_bits(value: int) -> int:
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def permuted(items: list[Any], key: int) -> list[Any]:
    half = (max(1, (len(items) - 1).bit_length()) + 1) // 2
    rounds = [mixed_bits((key + 0x9E3779B97F4A7C15 * number) & MASK) for number in range(1, 9)]
    out = []
    for at in range(len(items)):
        while True:
            left, right = at >> half, at & (2**half - 1)
            for each in rounds:
                left, right = right, left ^ (mixed_bits((right + each) & MASK) & (2**half - 1))
            at = left << half | right
            if at < len(items):
                break
        out.append(items[at])
    return out


def order_of_blocks(size: int, block: int, window: int, seed: int, epoch: int) -> list[int]:
    key = mixed_bits(mixed_bits(seed) ^ epoch)
    begin = mixed_bits(key ^ 0x52494E47) % size
    ring = [(begin + number) % size for number in range(size)]
    blocks = permuted([ring[at : at + block] for at in range(0, size, block)], key)
    windows, length = [], 4
    while blocks:
        windows.append(sum(blocks[: min(length, window)], []))
        blocks, length = blocks[min(length, window) :], 2 * length
    mixed = [permuted(each, mixed_bits(key ^ 0x57494E44) ^ number) for number, each in enumerate(windows)]
    return [row for each in mixed for row in each]


@pytest.mark.parametrize("block", [1, 2, 3, 5, 16, 40])
@pytest.mark.parametrize("window", [1, 2, 16])
def test_blocks_of_neighbours_are_shuffled_as_described(block: int, window: int) -> None:
    for seed, epoch in ((0, 0), (5, 1), (9, 3)):
        loader = Loader(flat(), batch_size=3, seed=seed, epoch=epoch, shuffle_block=block, shuffle_window=window)
        assert positions(loader) == order_of_blocks(16, min(block, 16), window, seed, epoch)


def test_an_order_of_blocks_resumes_from_its_state() -> None:
    options: dict[str, Any] = {"seed": 3, "shuffle_block": 3, "shuffle_window": 2}
    whole = positions(Loader(flat(), **options))
    for num_done in range(5):
        loaders = [Loader(flat(), batch_size=2, rank=rank, world_size=2, **options) for rank in range(2)]
        passes = [iter(loader) for loader in loaders]
        done = [row for _ in range(num_done - 1) for each in passes for row in next(each).positions]
        again = Loader(flat(), batch_size=3, **options)
        again.load_state_dict(pickle.loads(pickle.dumps(loaders[0].state_dict())))
        assert done + positions(again) == whole
    for wrong in ({"shuffle_block": 4}, {"shuffle_window": 3}, {"shuffle_block": 0}):
        with pytest.raises(ValueError, match="the state has shuffle_"):
            Loader(flat(), **{**options, **wrong}).load_state_dict(loaders[0].state_dict())
    with pytest.raises(ValueError, match="shuffle_block None"):
        Loader(flat(), **options).load_state_dict(Loader(flat(), seed=3).state_dict())
    assert set(Loader(flat(), seed=3).state_dict()) == {"epoch", "start", "turn", "seed"}


def test_each_pass_is_the_next_epoch() -> None:
    loader = Loader(flat(), batch_size=5, seed=7)
    passes = []
    for epoch in range(3):
        assert loader.epoch == epoch
        assert len(loader) == 4
        passes.append(positions(loader))
    assert passes == [positions(Loader(flat(), seed=7, epoch=epoch)) for epoch in range(3)]
    assert passes[0] != passes[1]
    loader.set_epoch(1)
    assert positions(loader) == passes[1]


def test_an_unfinished_pass_starts_again() -> None:
    loader = Loader(flat(), batch_size=5, seed=7)
    peeked = next(iter(loader)).positions
    assert next(iter(loader)).positions == peeked
    assert positions(loader)[:5] == peeked


@pytest.mark.parametrize("world_size", [1, 2, 3])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_ranks_and_shards_share_the_order(world_size: int, count: int) -> None:
    share = {"batch_size": 2, "seed": 1, "world_size": world_size}
    steps: dict[int, dict[int, list[int]]] = {}
    for rank in range(world_size):
        passes = [iter(Loader(flat(), rank=rank, shard=(index, count), **share)) for index in range(count)]
        step = 0
        while (batch := next(passes[step % count], None)) is not None:
            steps.setdefault(step, {})[rank] = batch.positions
            step += 1
    order = [position for _, ranks in sorted(steps.items()) for _, some in sorted(ranks.items()) for position in some]
    assert order == positions(Loader(flat(), seed=1))


def test_a_training_resumes_with_other_batch_and_world_sizes() -> None:
    whole = positions(Loader(flat(), seed=5))
    passes = [iter(Loader(flat(), batch_size=3, seed=5, rank=rank, world_size=2)) for rank in range(2)]
    batches = [next(each) for each in passes]
    assert {batch.next_start for batch in batches} == {6}
    rest = positions(Loader(flat(), batch_size=4, seed=5, start=6))
    assert [position for batch in batches for position in batch.positions] + rest == whole


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("num_done", [0, 1, 2])
def test_a_state_resumes_at_the_next_batch(count: int, num_done: int) -> None:
    for index in range(count):
        options: dict[str, Any] = {"batch_size": 2, "seed": 5, "shard": (index, count)}
        whole = [batch.positions for batch in Loader(flat(), **options)]
        loader = Loader(flat(), **options)
        stopped = iter(loader)
        for _ in range(num_done):
            next(stopped)
        resumed = Loader(flat(), **options)
        resumed.load_state_dict(pickle.loads(pickle.dumps(loader.state_dict())))
        assert len(resumed) == len(whole) - num_done
        assert [batch.positions for batch in resumed] == whole[num_done:]
        assert [batch.positions for batch in resumed] == [
            batch.positions for batch in Loader(flat(), epoch=1, **options)
        ]
    with pytest.raises(ValueError, match="seed"):
        Loader(flat(), seed=6).load_state_dict(loader.state_dict())


@pytest.mark.parametrize(("jobs", "prefetch"), [(1, 0), (1, 2), (2, 2), (4, 2)])
def test_the_number_of_threads_does_not_change_which_samples_come(jobs: int, prefetch: int) -> None:
    rows = tacore.load(FLAT)
    batches = list(Loader(rows, batch_size=2, jobs=jobs, prefetch=prefetch))
    assert sum(batch[0].shape[0] for batch in batches) == 16
    assert [position for batch in batches for position in batch.positions] == list(range(16))
    assert positions(Loader(rows, jobs=jobs, prefetch=prefetch, seed=3)) == positions(Loader(rows, seed=3))


def test_without_prefetch_the_calling_thread_reads() -> None:
    def num_threads() -> int:
        return len(os.listdir("/proc/self/task"))

    running = iter(Loader(tacore.load(FLAT), batch_size=2, prefetch=0))
    before = num_threads()
    next(running)
    assert num_threads() == before
    running = iter(Loader(tacore.load(FLAT), batch_size=2, jobs=3))
    next(running)
    assert num_threads() == before + 3


@pytest.mark.parametrize(
    ("old", "now"), [("worker", "shard=(index, count)"), ("num_workers", "jobs"), ("threads", "jobs")]
)
def test_former_option_names_are_refused_with_the_present_name(old: str, now: str) -> None:
    with pytest.raises(TypeError, match=f"no option '{old}'; it is called '?{re.escape(now)}"):
        Loader(flat(), **{old: 2})


def test_every_rank_has_the_same_number_of_batches() -> None:
    """Ranks of a training wait for each other in each step."""
    for world_size, batch_size in ((5, 3), (3, 5), (7, 4), (2, 3)):
        ranks = [
            [batch.positions for batch in Loader(flat(), batch_size=batch_size, rank=rank, world_size=world_size)]
            for rank in range(world_size)
        ]
        assert len({len(batches) for batches in ranks}) == 1
        assert all(len(batch) > 0 for batches in ranks for batch in batches)
        assert [position for step in zip(*ranks) for batch in step for position in batch] == list(range(16))
    with pytest.raises(tacore.TacoQueryError, match=r"1 sample for 3 ranks.*drop_last.*pad"):
        Loader(flat(), world_size=3)
    padded = [positions(Loader(flat(), rank=rank, world_size=3, pad=True)) for rank in range(3)]
    assert padded == [[0, 3, 6, 9, 12, 15], [1, 4, 7, 10, 13, 15], [2, 5, 8, 11, 14, 15]]


def test_the_state_is_that_of_the_latest_pass() -> None:
    """The later of two passes sets the state."""
    loader = Loader(flat(), batch_size=2)
    first = iter(loader)
    for _ in range(4):
        next(first)
    second = iter(loader)
    next(second)
    next(first)
    assert loader.state_dict()["start"] == 2
    list(first)
    assert (loader.epoch, loader.state_dict()["start"]) == (0, 2)
    list(second)
    assert loader.epoch == 1


def test_the_epoch_of_a_state_may_be_set_again() -> None:
    """`set_epoch` before each epoch keeps a resumed position."""
    state = {"epoch": 3, "start": 10, "turn": None, "seed": 1}
    loader = Loader(flat(), batch_size=2, seed=1)
    loader.load_state_dict(state)
    counts = []
    for epoch in range(3, 6):
        loader.set_epoch(epoch)
        counts.append(len(positions(loader)))
    assert counts == [6, 16, 16]


def test_a_state_after_the_end_is_the_next_epoch() -> None:
    loader = Loader(flat(), batch_size=5, seed=1)
    positions(loader)
    resumed = Loader(flat(), batch_size=5, seed=1)
    resumed.load_state_dict(loader.state_dict())
    assert (resumed.epoch, positions(resumed)) == (1, positions(Loader(flat(), seed=1, epoch=1)))


def test_drop_last_omits_the_last_step() -> None:
    assert [len(batch.positions) for batch in Loader(flat(), batch_size=5)] == [5, 5, 5, 1]
    assert [len(batch.positions) for batch in Loader(flat(), batch_size=5, drop_last=True)] == [5, 5, 5]


def test_batches_own_their_memory() -> None:
    expected = [batch[0].copy() for batch in Loader(flat(), batch_size=4, seed=2)]
    loader = Loader(flat(), batch_size=4, seed=2)
    held = [batch[0] for batch in loader]
    addresses = {array.ctypes.data for array in held}
    del loader
    gc.collect()
    assert len(addresses) == len(held)
    for array, copy in zip(held, expected):
        assert array.flags.writeable
        assert (array == copy).all()


def test_memory_of_released_batches_is_reused() -> None:
    addresses = set()
    view = None
    loader = Loader(flat(), batch_size=1, prefetch=1)
    for epoch in range(4):
        for batch in loader:
            if view is None:
                view = batch[0][:, :, 5:7]
                kept = view.copy()
                continue
            assert not numpy.shares_memory(view, batch[0])
            addresses.add((epoch, batch[0].ctypes.data))
    assert max(sum(1 for at, _ in addresses if at == epoch) for epoch in range(4)) <= 6
    assert (view == kept).all()


def test_unreadable_samples_are_skipped_or_raised(golden: Path) -> None:
    mixed = tacore.load(golden / "flat.tacozip").data  # no rasters at all
    with pytest.raises(tacore.TacoError, match=r"row 0"):
        Loader(mixed)
    rows = tacore.load(NESTED).data
    with pytest.raises(tacore.TacoNavigationError, match="nothing"):
        Loader(rows, "nothing")
    with pytest.raises(tacore.TacoQueryError):
        Loader(rows, "optical/7")
    # Rows of another size stand for all that does not fit the first.
    both = tacore.concat([tacore.load(FLAT), tacore.load(FLAT)])
    assert len(positions(Loader(both, batch_size=5))) == 32


def damaged(tmp_path: Path) -> Any:
    """A FOLDER dataset, one of whose rasters is broken."""
    path = tmp_path / "x.tacozip"
    data = bytearray(FLAT.read_bytes())
    where = tacore.load(FLAT).data.read(3)
    offset, size = (int(number) for number in where.removeprefix("/vsisubfile/").split(",")[0].split("_"))
    data[offset : offset + size] = b"\0" * size
    path.write_bytes(data)
    return tacore.load(path).data


def test_a_broken_sample_is_named(tmp_path: Path) -> None:
    rows = damaged(tmp_path)
    loader = Loader(rows, batch_size=2)
    passing = iter(loader)
    next(passing)
    for _ in range(2):
        with pytest.raises(tacore.TacoError, match=r"\(row 3\)"):
            next(passing)
    assert loader.state_dict()["start"] == 2


def test_a_broken_sample_is_skipped(tmp_path: Path) -> None:
    batches = list(Loader(damaged(tmp_path), batch_size=2, on_error="skip"))
    assert [batch.positions for batch in batches][:3] == [[0, 1], [2], [4, 5]]
    assert batches[1][0].shape[0] == 1
    assert [failure.position for failure in batches[1].failures] == [3]
    assert "row 3" in batches[1].failures[0].message
    assert not batches[0].failures


@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": 0},
        {"rank": 1},
        {"world_size": 0},
        {"shard": (2, 2)},
        {"jobs": -1},
        {"prefetch": -1},
        {"start": -1},
        {"shuffle_block": 4},
        {"seed": 1, "shuffle_block": -1},
        {"seed": 1, "shuffle_block": 4, "shuffle_window": 0},
    ],
)
def test_invalid_options_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(tacore.TacoQueryError):
        Loader(flat(), **options)


@pytest.mark.parametrize("wrong", [{"on_error": "ignore"}, {"seed": -1}, {"seed": 1.5}, {"batch": 3}])
def test_arguments_of_another_type_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        Loader(flat(), **wrong)
    assert "incompatible function arguments" not in str(caught.value)  # The words of the bindings


def test_an_input_that_is_not_rows_is_refused() -> None:
    for function in (raster.read_stack, raster.stored_statistics, tacore.v1.sanity_check):
        with pytest.raises(TypeError, match="a dataset or a frame is expected, not str"):
            function("x.tacozip")


def test_a_loader_of_a_view_has_its_rows() -> None:
    some = tacore.load(FLAT).sql("SELECT * FROM data ORDER BY id DESC LIMIT 3")
    (batch,) = Loader(some, batch_size=8)
    for slot in range(3):
        assert (batch[0][slot] == raster.read_tensor(some, slot)).all()


def in_a_child(loader: Loader, queue: Any) -> None:
    queue.put(positions(loader))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_loaders_can_be_sent_to_processes(method: str) -> None:
    context = get_context(method)
    loader = Loader(flat(), batch_size=3, seed=4)
    running = iter(loader)
    expected = list(next(running).positions)
    queue = context.Queue()
    child = context.Process(target=in_a_child, args=(loader, queue))
    child.start()
    got = queue.get(timeout=60)
    child.join()
    assert child.exitcode == 0
    assert got[:3] == expected
    assert got == positions(Loader(flat(), seed=4))
    assert got == expected + [position for batch in running for position in batch.positions]


def test_a_running_pass_is_not_inherited_by_a_fork() -> None:
    running = iter(Loader(flat(), batch_size=3))
    next(running)
    child = os.fork()
    if child == 0:
        try:
            next(running)
        except tacore.TacoQueryError:
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert len(list(running)) == 5


def test_rasterio_reads_for_the_threads_of_a_loader(tmp_path: Path) -> None:
    pytest.importorskip("rasterio")
    folder = png_dataset(tmp_path)
    expected = {batch.positions[0]: batch[0][0].copy() for batch in Loader(tacore.load(folder), jobs=1)}
    for batch in Loader(tacore.load(folder), batch_size=3, seed=1, jobs=4, prefetch=3):
        for slot, position in enumerate(batch.positions):
            assert (batch[0][slot] == expected[position]).all()
    # A pass that is left half way, at the latest by the interpreter, does not wait for the interpreter.
    code = """
import sys, tacore
from tacore.loader import Loader
running = iter(Loader(tacore.load(sys.argv[1]), batch_size=2, jobs=2))
next(running)
"""
    subprocess.run(
        [sys.executable, "-c", code, folder],
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def png_dataset(tmp_path: Path) -> Path:
    """The tiles of a dataset, as PNG files in the place of TIFFs."""
    path = tmp_path / "x.tacozip"
    data = bytearray(FLAT.read_bytes())
    rows = tacore.load(FLAT).data
    for row in range(len(rows)):
        png = raster.encode_png(numpy.moveaxis(raster.read_tensor(rows, row, bands=[1, 2, 3]), 0, 2).copy())
        offset, size = (int(number) for number in rows.read(row).removeprefix("/vsisubfile/").split(",")[0].split("_"))
        assert len(png) <= size
        data[offset : offset + size] = png.ljust(size, b"\0")
    path.write_bytes(data)
    return path
