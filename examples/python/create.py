"""Creates a dataset of two tiles, each a FOLDER of an image and its label, and reads it back.

    create.py OUTPUT

DEMONSTRATES:
* samples made of bytes (or of file paths), FOLDERs of samples, metadata as keywords
* STAC metadata (footprint and time), and an extension defined here
* the collection, whose extent is computed from the samples

SIMPLER EXAMPLES: navigate
"""

import datetime as dt
import sys
from pathlib import Path

import tacore
from tacore.datamodel import STAC, Sample, SampleExtension, Taco, Tortilla


class Brightness(SampleExtension):
    """The mean of the bytes of a sample, as an example of any computation on its file."""

    def get_schema(self) -> dict[str, str]:
        return {"demo:brightness": "float64"}

    def _compute(self, sample: Sample) -> dict[str, float]:
        data = Path(str(sample.path)).read_bytes()
        return {"demo:brightness": sum(data) / len(data)}


def tile(number: int) -> Sample:
    """A tile of 10 by 10 pixels of 0.001 degrees, east of the one before; its files are raw bytes, not rasters."""
    image = Sample(id="image", path=bytes([40 * number + 10] * 100))
    image.extend_with(Brightness())
    label = Sample(id="label", path=bytes([number] * 100))
    label.extend_with({"demo:brightness": None})
    made = Sample(id=f"tile_{number}", path=Tortilla([image, label]), cloud_cover=12.5 * number)
    made.extend_with(
        STAC(
            crs="EPSG:4326",
            tensor_shape=(1, 10, 10),
            geotransform=(-34.9 + 0.01 * number, 0.001, 0, -8.0, 0, -0.001),
            time_start=dt.datetime(2024, 6, 1 + number),
        )
    )
    return made


def make(output: str) -> None:
    taco = Taco(
        Tortilla([tile(0), tile(1)]),
        id="demo",
        dataset_version="1.0.0",
        description="Two artificial tiles",
        licenses=["CC0-1.0"],
        providers=[{"name": "The tacore authors", "role": "producer"}],
        tasks=["semantic-segmentation"],
    )
    [path] = tacore.create(taco, output, progress=False)
    dataset = tacore.load(path)
    print([round(degrees, 3) for degrees in dataset.extent["spatial"]])
    for id in ("tile_0", "tile_1"):
        children = dataset.read(id)
        print(id, len(children), len(children.read_bytes("image")))
    print([issue.message for issue in tacore.validator.validate(path, deep=True)])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: create.py OUTPUT")
    make(sys.argv[1])
