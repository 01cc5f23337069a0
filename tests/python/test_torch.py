"""Datasets for PyTorch: with PyTorch where it is installed, else with a stand-in for its protocol."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tacore
from tacore import raster
from tacore.loader import Input, Loader, TorchDataset, TorchIterableDataset

numpy = pytest.importorskip("numpy")
try:
    import torch
except ImportError:
    torch = None

needs_torch = pytest.mark.skipif(torch is None, reason="PyTorch is not installed")
ROOT = Path(__file__).resolve().parents[2]
NESTED = ROOT / "examples" / "data" / "landsat_nested.tacozip"
FLAT = ROOT / "examples" / "data" / "landsat.tacozip"
INPUTS = ["optical/3,4", Input("dem", dtype="float32"), "mask"]


def as_arrays(sample: Any) -> list[Any]:
    return [numpy.asarray(each) for each in sample]


def double(sample: Any) -> Any:
    return [2 * each for each in sample]


def ids_of(batches: Any) -> list[int]:
    """The sums of pixels, which identify the samples of FLAT."""
    return [int(numpy.asarray(sample).astype("int64").sum()) for (batch,) in batches for sample in batch]


def in_order(**options: Any) -> list[int]:
    return ids_of(tuple(batch) for batch in Loader(tacore.load(FLAT), **options))


# The protocol.


def test_a_sample_has_its_pixels() -> None:
    rows = tacore.load(NESTED).data
    data = TorchDataset(rows, INPUTS)
    assert len(data) == 6
    for index in (0, -1, numpy.int64(2)):
        optical, dem, mask = as_arrays(data[index])
        children = rows.read(range(6)[index])
        assert (optical == raster.read_tensor(children, "optical", bands=[3, 4])).all()
        assert (dem == raster.read_tensor(children, "dem")).all()
        assert dem.dtype == numpy.float32
        assert (mask == raster.read_tensor(children, "mask")).all()
    for wrong in (6, -7):
        with pytest.raises(IndexError):
            data[wrong]
    with pytest.raises(TypeError):
        data[1.5]


def test_getitems_reads_a_batch_in_one_call() -> None:
    data = TorchDataset(tacore.load(NESTED), INPUTS, jobs=3)
    for batch in (data.__getitems__([4, 0, 4]), copy.copy(data).__getitems__([4, 0, 4])):
        assert len(batch) == 3
        for sample, index in zip(batch, [4, 0, 4]):
            for got, expected in zip(as_arrays(sample), as_arrays(data[index])):
                assert (got == expected).all()


def test_batches_of_a_derived_class_have_its_samples() -> None:
    class Derived(TorchDataset):
        def __getitem__(self, index: Any) -> Any:
            return index, super().__getitem__(index)

    assert [index for index, _ in Derived(tacore.load(FLAT)).__getitems__([3, -1])] == [3, 15]


def test_samples_of_a_batch_may_be_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "x.tacozip"
    data = bytearray(FLAT.read_bytes())
    offset, size = map(int, tacore.load(FLAT).data.read(3).removeprefix("/vsisubfile/").split(",")[0].split("_"))
    data[offset : offset + size] = b"\0" * size
    path.write_bytes(data)
    broken = TorchDataset(tacore.load(path))
    with pytest.raises(tacore.TacoError, match="row 3"):
        broken.__getitems__([2, 3])
    assert len(broken.__getitems__([2, 4])) == 2
    data[:] = FLAT.read_bytes()
    first, size = map(int, tacore.load(FLAT).data.read(0).removeprefix("/vsisubfile/").split(",")[0].split("_"))
    data[first : first + size] = b"\0" * size
    path.write_bytes(data)
    unknown = TorchDataset(tacore.load(path))  # the first row does not tell the shape
    for got, expected in zip(unknown.__getitems__([5, 9]), (5, 9)):
        assert (numpy.asarray(got[0]) == raster.read_tensor(tacore.load(FLAT).data, expected)).all()


def test_samples_of_named_inputs_are_dicts_and_transforms_see_them() -> None:
    named = TorchDataset(tacore.load(NESTED), {"x": "optical", "y": "mask"})
    assert list(named[0]) == ["x", "y"]
    data = TorchDataset(tacore.load(NESTED), "dem", transform=double)
    plain = TorchDataset(tacore.load(NESTED), "dem")
    assert (numpy.asarray(data[1][0]) == 2 * numpy.asarray(plain[1][0])).all()
    assert (numpy.asarray(data.__getitems__([1])[0][0]) == numpy.asarray(data[1][0])).all()


def test_an_unreadable_sample_is_raised() -> None:
    with pytest.raises(tacore.TacoNavigationError, match="nothing"):
        TorchDataset(tacore.load(NESTED), "nothing")[0]
    with pytest.raises(tacore.TacoNavigationError, match="FILE"):
        TorchDataset(tacore.load(FLAT), "dem")[0]
    with pytest.raises(tacore.TacoQueryError):
        TorchDataset(tacore.load(FLAT), "7").__getitems__([0, 1])


def test_datasets_survive_pickling() -> None:
    data = TorchDataset(tacore.load(NESTED), INPUTS, transform=double)
    data.__getitems__([0])
    again = pickle.loads(pickle.dumps(data))
    for got, expected in zip(as_arrays(again.__getitems__([3])[0]), as_arrays(data[3])):
        assert (got == expected).all()


def test_batches_equal_those_of_a_loader() -> None:
    data = TorchIterableDataset(tacore.load(FLAT), batch_size=3, seed=2)
    assert len(data) == 6
    assert ids_of(data) == in_order(seed=2)
    assert ids_of(data) == in_order(seed=2, epoch=1)
    data.set_epoch(1)
    assert ids_of(pickle.loads(pickle.dumps(data))) == in_order(seed=2, epoch=1)
    named = TorchIterableDataset(
        tacore.load(NESTED), {"x": "optical"}, transform=lambda batch: batch["x"], batch_size=4
    )
    assert [tuple(batch.shape) for batch in named] == [(4, 6, 64, 64), (2, 6, 64, 64)]


def test_ranks_are_given_together() -> None:
    with pytest.raises(ValueError, match="only one of rank and world_size is given"):
        TorchIterableDataset(tacore.load(FLAT), rank=1)
    shares = [TorchIterableDataset(tacore.load(FLAT), batch_size=3, rank=rank, world_size=2) for rank in range(2)]
    assert sorted(ids_of(shares[0]) + ids_of(shares[1])) == sorted(in_order())
    assert len(shares[0]) == 3


def test_a_stream_resumes_from_its_state() -> None:
    data = TorchIterableDataset(tacore.load(FLAT), batch_size=3, seed=2)
    passing = iter(data)
    first = [next(passing), next(passing)]
    state = data.state_dict()
    again = TorchIterableDataset(tacore.load(FLAT), batch_size=5, seed=2)
    again.load_state_dict(state)
    assert ids_of(first) + ids_of(again) == in_order(seed=2)
    assert ids_of(again) == in_order(seed=2, epoch=1)


def test_skipped_samples_are_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "x.tacozip"
    data = bytearray(FLAT.read_bytes())
    where = tacore.load(FLAT).data.read(3).removeprefix("/vsisubfile/").split(",")[0]
    offset, size = (int(number) for number in where.split("_"))
    data[offset : offset + size] = b"\0" * size
    path.write_bytes(data)
    batches = list(TorchIterableDataset(tacore.load(path), batch_size=4, on_error="skip"))
    assert sum(len(batch[0]) for batch in batches) == 15
    assert "row 3" in caplog.text


def test_datasets_follow_the_protocol_without_torch() -> None:
    code = """
import sys
sys.modules["torch"] = None
import numpy, tacore
from tacore.loader import TorchDataset, TorchIterableDataset
rows = tacore.load(sys.argv[1])
assert isinstance(TorchDataset(rows)[0][0], numpy.ndarray)
assert [len(batch[0]) for batch in TorchIterableDataset(rows, batch_size=6)] == [6, 6, 4]
"""
    subprocess.run(
        [sys.executable, "-c", code, FLAT], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )


def test_torch_is_imported_for_its_datasets_only() -> None:
    code = """
import sys, tacore
from tacore.loader import Loader
list(Loader(tacore.load(sys.argv[1])))
assert "torch" not in sys.modules
"""
    subprocess.run(
        [sys.executable, "-c", code, FLAT], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )


class Info:
    """What PyTorch tells a worker."""

    def __init__(self, worker: int, num_workers: int, base_seed: int) -> None:
        self.id, self.num_workers, self.seed = worker, num_workers, base_seed + worker


class FakeTorch:
    """Of the module `torch` what the datasets ask: which worker this is, and for tensors."""

    def __init__(self) -> None:
        self.info: Info | None = None
        self.utils = SimpleNamespace(data=SimpleNamespace(get_worker_info=lambda: self.info))
        self.from_dlpack = numpy.from_dlpack

    def epoch(self, data: Any, num_workers: int, base_seed: int, stop_after: int = 10**9) -> list[int]:
        """The samples of a DataLoader with newly started workers, at most that many batches of each."""
        streams = []
        for worker in range(num_workers):
            copied = pickle.loads(pickle.dumps(data))  # of the main process
            self.info = Info(worker, num_workers, base_seed)
            streams.append((self.info, iter(copied)))
        out: list[int] = []
        turn = 0
        for _ in range(stop_after):
            if not streams:
                break
            self.info, stream = streams[turn]
            batch = next(stream, None)
            if batch is None:
                streams.pop(turn)
            else:
                out += ids_of([batch])
                turn += 1
            turn = turn % len(streams) if streams else 0
        self.info = None
        return out


@pytest.fixture
def fake_torch(monkeypatch: pytest.MonkeyPatch) -> FakeTorch:
    from tacore import _torch

    fake = FakeTorch()
    monkeypatch.setattr(_torch, "torch", fake)
    monkeypatch.setattr(_torch, "_distributed", lambda: None)
    return fake


@pytest.mark.parametrize("num_workers", [1, 2, 3])
@pytest.mark.parametrize("sets_epoch", [False, True])
@pytest.mark.parametrize("base_seeds", [range(10, 14), [7] * 4])
def test_new_workers_after_a_resume_train_whole_epochs(
    fake_torch: FakeTorch, num_workers: int, sets_epoch: bool, base_seeds: Any
) -> None:
    """After a resume, all later epochs are whole."""
    data = TorchIterableDataset(tacore.load(FLAT), batch_size=3, seed=2)
    passing = iter(data)
    done = [next(passing), next(passing)]
    state = data.state_dict()
    again = TorchIterableDataset(tacore.load(FLAT), batch_size=3, seed=2)
    again.load_state_dict(state)
    lengths, epochs = [], []
    for epoch, base_seed in enumerate(base_seeds):
        if sets_epoch:
            again.set_epoch(epoch)
        lengths.append(len(again))
        epochs.append(fake_torch.epoch(again, num_workers, base_seed))
    assert ids_of(done) + epochs[0] == in_order(seed=2)
    assert epochs[1:] == [in_order(seed=2, epoch=epoch) for epoch in (1, 2, 3)]
    assert lengths == [4, 6, 6, 6]
    assert again.state_dict()["epoch"] == 4
    assert ids_of(again) == in_order(seed=2, epoch=4)  # and in this process


def test_an_unfinished_pass_of_workers_starts_again(fake_torch: FakeTorch) -> None:
    data = TorchIterableDataset(tacore.load(FLAT), batch_size=3, seed=2)
    assert fake_torch.epoch(data, 2, 1, stop_after=3) == in_order(seed=2)[:9]
    assert fake_torch.epoch(data, 2, 1) == in_order(seed=2)
    data.set_epoch(0)
    assert fake_torch.epoch(data, 2, 2) == in_order(seed=2)
    assert ids_of(data) == in_order(seed=2, epoch=1)
    assert fake_torch.epoch(data, 2, 3) == in_order(seed=2, epoch=2)


def test_options_of_the_data_loader_are_refused() -> None:
    with pytest.raises(TypeError, match="'num_workers' is no option here: the DataLoader assigns batches"):
        TorchIterableDataset(tacore.load(FLAT), num_workers=2)


# PyTorch itself.


@needs_torch
def test_resume_with_fresh_workers() -> None:
    first = TorchIterableDataset(tacore.load(FLAT), batch_size=3, seed=2)
    passing = iter(first)
    next(passing)
    data = TorchIterableDataset(tacore.load(FLAT), batch_size=3, seed=2)
    data.load_state_dict(first.state_dict())
    batches = torch.utils.data.DataLoader(data, batch_size=None, num_workers=2)
    assert [len(ids_of(batches)) for _ in range(4)] == [13, 16, 16, 16]


@needs_torch
def test_tensors_share_the_memory_of_the_core() -> None:
    data = TorchDataset(tacore.load(NESTED), ["optical", "dem"])
    optical, dem = data[0]
    assert isinstance(data, torch.utils.data.Dataset)
    assert isinstance(optical, torch.Tensor)
    assert (optical.dtype, dem.dtype) == (torch.uint8, torch.int16)
    (batch,) = next(iter(Loader(tacore.load(FLAT), batch_size=4)))
    assert torch.from_numpy(batch).data_ptr() == batch.ctypes.data
    tensor = raster.open_raster(tacore.load(FLAT), 0)._core.read(raster.tensor_options(None, None, None, None, None))
    assert torch.from_dlpack(tensor).data_ptr() == numpy.asarray(tensor).ctypes.data
    view = torch.from_dlpack(tensor)
    kept = view.clone()
    del tensor
    assert torch.equal(view, kept)


@needs_torch
def test_default_collate_takes_a_whole_batch_as_it_is() -> None:
    rows = tacore.load(NESTED)
    inputs = {"x": "optical", "name": tacore.loader.Column("id"), "y": "mask"}
    data, plain = TorchDataset(rows, inputs), TorchDataset(rows, list(inputs.values()))
    collate = torch.utils.data.default_collate
    samples, tuples = data.__getitems__([4, 1, 2]), plain.__getitems__([4, 1, 2])
    expected = collate([data[index] for index in (4, 1, 2)])

    def check(found: Any, whole: bool) -> None:
        assert type(found) is dict and list(found) == list(inputs)
        assert found["name"] == expected["name"]
        for name in ("x", "y"):
            assert type(found[name]) is torch.Tensor
            assert torch.equal(found[name], expected[name])
            assert (found[name].data_ptr() == samples[0][name].data_ptr()) is whole

    check(collate(samples), True)
    listed = collate(tuples)
    assert type(listed) is list
    check(dict(zip(inputs, listed)), False)
    assert listed[0].data_ptr() == tuples[0][0].data_ptr()
    # What is not the whole batch, or was changed, is collated sample by sample.
    assert torch.equal(collate(samples[1:])["x"], expected["x"][1:])
    assert torch.equal(collate(samples[::-1])["x"], expected["x"].flip(0))
    both = collate(samples + data.__getitems__([0]))
    assert both["x"].shape[0] == 4
    samples[1]["x"] = samples[1]["x"] + 1
    assert torch.equal(collate(samples)["x"][1], expected["x"][1] + 1)
    again = data.__getitems__([4, 1, 2])
    for sample in again:
        sample["more"] = 1
    assert collate(again)["more"].tolist() == [1, 1, 1]
    assert type(pickle.loads(pickle.dumps(again[0]))) is dict
    assert type(pickle.loads(pickle.dumps(tuples[0]))) is tuple


def as_they_are(samples: Any) -> Any:
    return samples


@needs_torch
@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("collate", [None, as_they_are])
def test_batches_of_workers_are_never_overwritten(method: str, collate: Any) -> None:
    """Workers use the memory of released batches again, and only of those."""
    expected = torch.stack([sample[0] for sample in TorchDataset(tacore.load(FLAT)).__getitems__(range(16))])
    batches = torch.utils.data.DataLoader(
        TorchDataset(tacore.load(FLAT)), batch_size=3, num_workers=2, collate_fn=collate,
        multiprocessing_context=method, persistent_workers=True,
    )  # fmt: skip
    held: list[Any] = []
    for epoch in range(4):
        for number, batch in enumerate(batches):
            batch = [sample[0] for sample in batch] if collate else list(batch[0])
            for slot, sample in enumerate(batch):
                assert torch.equal(sample, expected[3 * number + slot])
            if epoch % 2 == 0:
                held.append((number, batch[-1]))
        if epoch == 1:
            child = os.fork()  # which releases its copies of what this process holds
            if child == 0:
                held.clear()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
    for number, sample in held:
        assert torch.equal(sample, expected[min(3 * number + 2, 15)])


@needs_torch
def test_batches_of_a_stream_of_workers_are_never_overwritten() -> None:
    data = TorchIterableDataset(tacore.load(FLAT), batch_size=3, seed=2)
    batches = torch.utils.data.DataLoader(data, batch_size=None, num_workers=2, persistent_workers=True)
    held = [batch for _ in range(3) for batch in batches]
    assert ids_of(held) == [number for epoch in range(3) for number in in_order(seed=2, epoch=epoch)]


def answer(pipe: Any) -> None:
    kept = []
    for order in iter(pipe.recv, "end"):
        if isinstance(order, str):
            kept.clear()
        else:
            kept.append(order)
        pipe.send([each.sum().item() for each in kept])


@needs_torch
def test_shared_memory_is_used_again_when_the_receiver_has_released_it() -> None:
    from tacore._shared_memory import SharedMemory

    context = torch.multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    child = context.Process(target=answer, args=(there,))
    child.start()
    memory = SharedMemory()

    def send(value: int) -> int:
        tensor = memory.tensor("int32", [2, 3])
        address: int = tensor.data_ptr()
        tensor.fill_(value)
        here.send(tensor)
        assert here.recv()[-1] == 6 * value
        return address

    first = send(1)
    second = send(2)
    assert first != second
    here.send("release")
    assert here.recv() == []
    assert {send(3), send(4)} == {first, second}
    unsent = memory.tensor("uint8", [24])
    address = unsent.data_ptr()
    part = unsent[3:]
    assert type(part) is type(unsent + 1) is torch.Tensor
    del unsent
    assert memory.tensor("uint8", [24]).data_ptr() != address  # a view has it
    del part
    assert memory.tensor("uint8", [24]).data_ptr() == address
    changed = memory.tensor("int32", [2, 3]).fill_(5)
    changed.resize_(2)
    here.send(changed)
    assert here.recv()[-1] == 10
    here.send("end")
    child.join()
    assert type(pickle.loads(pickle.dumps(memory.tensor("int32", [2])))) is torch.Tensor


@needs_torch
def test_dtypes_of_torch_are_known() -> None:
    data = TorchDataset(tacore.load(FLAT), Input(dtype=torch.float32))
    assert data[0][0].dtype == torch.float32


@needs_torch
@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_data_loader_reads_every_sample_once(num_workers: int, method: str) -> None:
    data = TorchDataset(tacore.load(FLAT))
    data.__getitems__([0, 1])  # threads of this process do not go along
    how = {"num_workers": num_workers, "multiprocessing_context": method if num_workers else None}
    batches = torch.utils.data.DataLoader(data, batch_size=5, shuffle=True, **how)
    assert sorted(ids_of(batches)) == sorted(in_order())


@needs_torch
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_share_a_stream(method: str) -> None:
    data = TorchIterableDataset(tacore.load(FLAT), batch_size=3, seed=2)
    for num_workers in (0, 2, 3):
        how = {"num_workers": num_workers, "multiprocessing_context": method if num_workers else None}
        data.set_epoch(4)
        batches = torch.utils.data.DataLoader(data, batch_size=None, **how)
        assert len(batches) == 6
        assert ids_of(batches) == in_order(seed=2, epoch=4)


@needs_torch
def test_persistent_workers_continue_with_the_next_epoch() -> None:
    data = TorchIterableDataset(tacore.load(FLAT), batch_size=3, seed=2)
    batches = torch.utils.data.DataLoader(data, batch_size=None, num_workers=2, persistent_workers=True)
    for epoch in range(3):
        assert ids_of(batches) == in_order(seed=2, epoch=epoch)


@needs_torch
@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("num_done", [1, 2, 3, 5])
def test_a_stateful_data_loader_resumes(num_workers: int, num_done: int) -> None:
    stateful = pytest.importorskip("torchdata.stateful_dataloader").StatefulDataLoader
    options = {"batch_size": None, "num_workers": num_workers}
    first = stateful(TorchIterableDataset(tacore.load(FLAT), batch_size=3, seed=2), **options)
    passing = iter(first)
    done = [next(passing) for _ in range(num_done)]
    state = pickle.loads(pickle.dumps(first.state_dict()))
    del passing
    again = stateful(TorchIterableDataset(tacore.load(FLAT), batch_size=3, seed=2), **options)
    again.load_state_dict(state)
    assert ids_of(done) + ids_of(again) == in_order(seed=2)


def share_of(rank: int, folder: str, queue: Any) -> None:
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    data = TorchIterableDataset(tacore.load(FLAT), batch_size=2, seed=9)
    batches = torch.utils.data.DataLoader(data, batch_size=None, num_workers=2, multiprocessing_context="spawn")
    queue.put((rank, [ids_of([batch]) for batch in batches]))
    torch.distributed.destroy_process_group()


@needs_torch
def test_ranks_of_torch_distributed_share_a_stream(tmp_path: Path) -> None:
    context = torch.multiprocessing.get_context("spawn")
    queue = context.Queue()
    ranks = [context.Process(target=share_of, args=(rank, str(tmp_path), queue)) for rank in range(2)]
    for each in ranks:
        each.start()
    shares = dict(queue.get(timeout=120) for _ in ranks)
    for each in ranks:
        each.join()
    dealt = [number for step in zip(shares[0], shares[1]) for share in step for number in share]
    assert dealt == in_order(seed=9)
