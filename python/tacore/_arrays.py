"""What pixels are handed out as."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import _core


def array(tensor: _core.Tensor) -> Any:
    """The same memory as a numpy.ndarray; the Tensor itself where NumPy is not installed."""
    try:
        import numpy
    except ImportError:
        return tensor
    return numpy.asarray(tensor)


def arrow_tensor(tensor: _core.Tensor) -> Any:
    """The same memory as a pyarrow.Tensor of dimensions (band, y, x); as above where pyarrow is not installed."""
    try:
        import numpy
        import pyarrow
    except ImportError:
        return array(tensor)
    # The axes that other shapes have are the sample's own.
    names = ("band", "y", "x") if len(tensor.shape) == 3 else None
    return pyarrow.Tensor.from_numpy(numpy.asarray(tensor), dim_names=names)
