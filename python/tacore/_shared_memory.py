"""Memory that a worker of a DataLoader shares with the main process, and uses again once that has released it.

PyTorch makes new shared memory for each batch, whose pages the system has to clear and map: for large batches that
takes as long as the pixels in them. A segment here is a file without a name that the worker keeps. Its first page is a
header, whose first byte is 1 from the moment that the worker sends a tensor in it, until the receiver has no view of
that tensor any more.
"""

from __future__ import annotations

import math
import mmap
import os
import weakref
from multiprocessing.reduction import DupFd, ForkingPickler
from typing import Any

import torch
from torch.multiprocessing.reductions import reduce_tensor

__all__ = ["SharedMemory", "is_supported"]

#: Segments that a worker keeps although they are not needed at the moment.
_MOST_SPARE = 4

is_supported = hasattr(os, "memfd_create")


class SharedMemory:
    """The segments of a worker. For one thread."""

    def __init__(self) -> None:
        self._segments: list[_Segment] = []

    def tensor(self, dtype: str, shape: list[int]) -> Any:
        """A tensor in shared memory, whose content is not specified; it is sent without a copy, once."""
        kind = getattr(torch, dtype)
        size = math.prod(shape) * kind.itemsize
        free = [each for each in self._segments if each.is_free()]
        segment = next((each for each in free if each.size >= size), None)
        if segment is None:
            segment = _Segment(size)
            self._segments.append(segment)
        for spare in [each for each in free if each is not segment][_MOST_SPARE:]:
            self._segments.remove(spare)
        tensor = torch.frombuffer(segment.lend(), dtype=kind, count=math.prod(shape)).view(shape).as_subclass(_Lent)
        tensor.lease = (segment, tensor.data_ptr(), tuple(shape), kind)
        return tensor

    def copy(self, values: Any) -> Any:
        """The same tensor in shared memory."""
        return self.tensor(str(values.dtype).removeprefix("torch."), list(values.shape)).copy_(torch.as_tensor(values))


class _Segment:
    """Memory of the worker, and whether it or a receiver uses it."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.file = os.memfd_create("tacore-batch")
        weakref.finalize(self, os.close, self.file)
        os.ftruncate(self.file, mmap.PAGESIZE + size)
        self.memory = mmap.mmap(self.file, mmap.PAGESIZE + size)
        self.is_lent = False

    def is_free(self) -> bool:
        return not self.is_lent and self.memory[0] == 0

    def lend(self) -> memoryview:
        """The memory behind the header, lent until no tensor of this process has it."""
        view = memoryview(self.memory)[mmap.PAGESIZE :]
        self.is_lent = True
        weakref.finalize(view, self._take_back).atexit = False
        return view

    def _take_back(self) -> None:
        self.is_lent = False


class _Lent(torch.Tensor):  # type: ignore[misc]
    """A tensor in a segment. Only multiprocessing knows it: what is computed from it, and its pickle, are plain tensors."""

    __torch_function__ = torch._C._disabled_torch_function_impl
    lease: tuple[_Segment, int, tuple[int, ...], Any]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.as_subclass(torch.Tensor).__reduce_ex__(protocol)


class _Received(mmap.mmap):
    """A segment in the process that received it, where the tensor and its views hold it."""

    process = 0

    def __del__(self) -> None:
        if self.process == os.getpid():  # not a forked child, which has no say in what its parent uses
            self[0] = 0


def _send(tensor: _Lent) -> Any:
    segment, address, shape, kind = tensor.lease
    is_as_lent = tensor.data_ptr() == address and tuple(tensor.shape) == shape and tensor.dtype == kind
    if not is_as_lent or not tensor.is_contiguous() or segment.memory[0] != 0:
        return reduce_tensor(tensor.as_subclass(torch.Tensor))
    segment.memory[0] = 1
    return _receive, (DupFd(segment.file), segment.size, str(kind).removeprefix("torch."), shape)


def _receive(file: Any, size: int, dtype: str, shape: tuple[int, ...]) -> Any:
    number = file.detach()
    try:
        memory = _Received(number, mmap.PAGESIZE + size)
    finally:
        os.close(number)
    memory.process = os.getpid()
    return torch.frombuffer(memory, dtype=getattr(torch, dtype), count=math.prod(shape), offset=mmap.PAGESIZE).view(
        shape
    )


ForkingPickler.register(_Lent, _send)
