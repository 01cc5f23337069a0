"""Navigates from the samples of a nested dataset to their children, and reads the bytes of a file.

    navigate.py PATH

DEMONSTRATES:
* a filter on level 1 (the files of each tile), which selects tiles
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
    # read() returns the children of a FOLDER, or the path of a FILE for GDAL; read_bytes() returns the bytes of a FILE.
    children = rows.read(0)
    file = children.read("optical")
    data = rows.read_bytes("tile_r1_c1/optical")
    print(f"{len(rows)} samples, the first at {file.split(',')[0]}: {len(data)} bytes")
    print_children(dataset)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: navigate.py PATH")
    show_first(sys.argv[1])
