"""Module of the published writer for samples; see :mod:`tacore.datamodel`."""

from ._published import add_modules

_EXTENSIONS = ("geotiff_stats", "istac", "scaling", "split", "stac", "tacotiff")

add_modules(
    __name__,
    {
        "datamodel": "datamodel.sample",
        "validators._base": "validator",
        "validators.tacotiff": "validator",
        **{f"extensions.{name}": "datamodel.sample" for name in _EXTENSIONS},
    },
)
