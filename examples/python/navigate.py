"""Walks from the samples of a nested dataset down to the bytes of their files.

    navigate.py PATH

DEMONSTRATES:
* a filter on level 1, the files of each tile, which keeps whole tiles
* the children of a FOLDER, and the path that GDAL and rasterio open for a FILE
* reading the bytes of a FILE by a path of ids, without GDAL
* the tree, which is the same for every sample
"""

import sys

import tacore


def print_children(dataset: tacore.TacoDataset) -> None:
    for level, patterns in dataset.pit_schema.hierarchy.items():
        for pattern in patterns:
            for id in pattern["id"]:
                print(f"level {level}: {id}")


def show_first(path: str) -> None:
    dataset = tacore.load(path)
    near = dataset.filter_bbox(-34.87, -8.01, -34.84, -7.98, level=1)
    rows = near.sql("SELECT * FROM data WHERE vegetation > 0.2").data
    # A FOLDER gives its children, a FILE the path that GDAL opens; or take the bytes, by a path of ids.
    children = rows.read(0)
    file = children.read("optical")
    data = rows.read_bytes("tile_r1_c1/optical")
    print(f"{len(rows)} samples, the first at {file.split(',')[0]}: {len(data)} bytes")
    print_children(dataset)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: navigate.py PATH")
    show_first(sys.argv[1])
