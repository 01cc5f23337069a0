"""The trees of samples that check.py sends through the writers, and what any reader must give back of them."""
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

import pyarrow as pa

# One column of every simple type. The columns are the same at all levels, the values are not.
COLUMNS = {
    "n_bands": pa.int64(), "cloud": pa.float64(), "is_clear": pa.bool_(), "region": pa.string(),
    "seen": pa.timestamp("us"), "code": pa.binary(), "curve": pa.list_(pa.float64()), "test:gain": pa.float64(),
}
# One column of every kind that Value has, as write_values.cpp writes them.
VALUE_COLUMNS = {
    "v:whole": pa.int64(), "v:real": pa.float64(), "v:truth": pa.bool_(), "v:text": pa.string(),
    "v:binary": pa.binary(), "v:time": pa.timestamp("us"), "v:day": pa.date32(), "v:counts": pa.list_(pa.int64()),
    "v:pair": pa.struct({"name": pa.string(), "gain": pa.float64()}),
    "v:bands": pa.list_(pa.struct({"name": pa.string(), "wavelength": pa.float64()})),
}
VALUE_DESCRIPTIONS = {"v:whole": "a whole number", "v:day": "UTC", "v:bands": "all bands — «in order»"}
TYPES = {**COLUMNS, **VALUE_COLUMNS}
NEVER_NULL = {"region"}  # it groups
FIRST_SEEN = datetime(1969, 7, 20, 20, 17, 40, 7)
PADDING = "__TACOPAD__"


@dataclass
class Node:
    id: str
    data: bytes | None = None     # of a FILE
    children: list | None = None  # of a FOLDER
    values: dict = field(default_factory=dict)

    @property
    def type(self):
        return "FILE" if self.children is None else "FOLDER"

    @property
    def is_padding(self):
        return self.id.startswith(PADDING)


# A dict is folders and what they hold (None: a file), a list is files. Most ids are not in sorted order.
SHAPES = {
    "flat": ["z", "b", "tile 10", "tile 2", "äöü-日本", "a.dat"],
    "nested": {f"folder_{i}": ["red", "mask"] for i in range(12)},
    "sorted": {id: ["a", "b"] for id in ("one", "three", "two")},
    "reversed": {id: ["b", "a"] for id in ("日本", "ü", "z", "c", "b", "A")},
    "deep": {id: {"S2": ["B10", "B2"], "S1": ["VV", "VH"]} for id in ("tile_10", "tile_2", "tile_1")},
    "mixed": {id: {"images": {"red": None, "green": None}, "label": None} for id in ("b", "a")},
    "padded_flat": ["c", "a", "b", f"{PADDING}0", f"{PADDING}1"],
    "padded": {id: ["x", "y", "z", f"{PADDING}0"] for id in ("b", "a")},
    "uneven": {"all": {"b": ["x", "y", "z"], "a": ["x"]}},  # published writers look at the first two levels only
    "gaps": {"b": ["x", "y", "z", "w"], "a": ["x", "z"]},
}


def tree(name):
    roots = nodes(SHAPES[name])
    for number, node in enumerate(depth_first(roots)):
        node.values = dict.fromkeys(COLUMNS) if node.is_padding else values(number)
        if node.children is None:
            node.data = b"" if node.is_padding or number == 1 else f"{number}: bytes of {node.id}\n".encode() * 20
    return roots


def nodes(shape):
    if isinstance(shape, list):
        return [Node(id, data=b"") for id in shape]
    return [Node(id, data=b"") if below is None else Node(id, children=nodes(below)) for id, below in shape.items()]


def values(number):
    row = {
        "n_bands": 2**62 - number, "cloud": 0.1 * number - 1, "is_clear": number % 2 == 0,
        "region": ("north", "south")[number % 2], "seen": FIRST_SEEN + timedelta(days=97 * number),
        "code": bytes([number, 0, 255]), "curve": [0.5 * i for i in range(number % 3)], "test:gain": 1e-300 * number,
    }
    for place, name in enumerate(row):
        if name not in NEVER_NULL and (number + place) % 4 == 0:
            row[name] = None
    return row


def value_tree():
    """The samples of write_values.cpp."""
    roots = nodes({id: ["red", "nir"] for id in ("tile_10", "tile_2", "ü")})
    for number, node in enumerate(depth_first(roots)):
        node.values = value_row(number)
        if node.children is None:
            node.data = f"{number}: {node.id}".encode()
    return roots


def value_row(number):
    name, count = f"ñ {number}", number % 3
    row = {
        "v:whole": 2**62 - number, "v:real": 0.25 * number - 1, "v:truth": number % 2 == 0, "v:text": name,
        "v:binary": bytes([number, 0, 255]), "v:time": FIRST_SEEN + timedelta(days=97 * number),
        "v:day": date(1970, 1, 1) - timedelta(days=number), "v:counts": [i - 1 for i in range(count)],
        "v:pair": {"name": name, "gain": 0.5 * number},
        "v:bands": [{"name": f"B{i}", "wavelength": None if i == 1 else 0.5 * i} for i in range(count)],
    }
    return {name: None if (number + place) % 4 == 0 else value for place, (name, value) in enumerate(row.items())}


def depth_first(roots):
    for node in roots:
        yield node
        yield from depth_first(node.children or [])


def without_padding(roots):
    return [node for node in roots if not node.is_padding]


def levels(roots):
    """The visible rows of each level, in order."""
    rows, found = without_padding(roots), []
    while rows:
        found.append(rows)
        rows = [child for node in rows for child in without_padding(node.children or [])]
    return found


def paths(roots, below=""):
    """(path of ids, node) of every visible node."""
    for node in without_padding(roots):
        yield below + node.id, node
        yield from paths(node.children or [], f"{below}{node.id}/")


def as_directory(roots):
    """What a directory can hold of a tree: no metadata, and the order of the names."""
    ordered = sorted(roots, key=lambda node: node.id + "/")
    return [Node(n.id, n.data, None if n.children is None else as_directory(n.children)) for n in ordered]


def grouped(roots, column):
    """The order of the index when each value of the column has a part of its own."""
    first_seen = list(dict.fromkeys(node.values[column] for node in roots))
    return sorted(roots, key=lambda node: first_seen.index(node.values[column]))


def has_sorted_folders(roots):
    """Folders whose paths ascend: the published writer gives their children the right offsets."""
    folders = [path for path, node in paths(roots) if node.children is not None]
    return all(rows == sorted(rows) for rows in by_depth(folders).values())


def by_depth(names):
    depths = {}
    for name in names:
        depths.setdefault(name.count("/"), []).append(name)
    return depths
