"""Module of the published writer for tacos; see :mod:`tacore.datamodel`."""

from ._published import add_modules

_EXTENSIONS = ("labels", "opticaldata", "scientific", "split")

add_modules(
    __name__, {"datamodel": "datamodel.taco", **{f"extensions.{name}": "datamodel.taco" for name in _EXTENSIONS}}
)
