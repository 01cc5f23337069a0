"""Module of the published writer for tortillas; see :mod:`tacore.datamodel`."""

from ._published import add_modules

_EXTENSIONS = ("geoenrich", "majortom", "spatial_grouping")

add_modules(
    __name__,
    {"datamodel": "datamodel.tortilla", **{f"extensions.{name}": "datamodel.tortilla" for name in _EXTENSIONS}},
)
