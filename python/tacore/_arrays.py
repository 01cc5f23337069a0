"""Tensors as arrays of NumPy or pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import _core


def array(tensor: _core.Tensor) -> Any:
    """The same memory as a numpy.ndarray; the Tensor itself if NumPy is not installed."""
    try:
        import numpy
    except ImportError:
        return tensor
    return numpy.asarray(tensor)


def arrow_tensor(tensor: _core.Tensor) -> Any:
    """The same memory as a pyarrow.Tensor of dimensions (band, y, x); as :func:`array` if pyarrow is not installed."""
    try:
        import numpy
        import pyarrow
    except ImportError:
        return array(tensor)
    # Tensors of other shapes have axes of their own.
    names = ("band", "y", "x") if len(tensor.shape) == 3 else None
    return pyarrow.Tensor.from_numpy(numpy.asarray(tensor), dim_names=names)
