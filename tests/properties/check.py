#!/usr/bin/env python3
"""Properties that hold whatever the data are: two ways to ask the same give the same, rows, values, children and bytes.

    check.py [--seed N] [--rounds K] [--long]

An index and the list of its parts, a FOLDER and its ZIP, a server and a disk, filters in any order, a shuffled table and
the ordered one, a view and its export, a published dataset and one written by us, a frame and its pickle, and a Loader in
any number of processes. Datasets are those of tests/oracle/make.py. Exits with 77 without pyarrow, shapely or NumPy.
"""
import collections
import json
import math
import os
import pickle
import shutil
import struct
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "oracle"), str(TESTS / "remote")]
try:
    import numpy
    import pyarrow as pa
    import pyarrow.parquet as pq
    import shapely

    import tacore
    from tacore import datamodel, describe
    from tacore.loader import Loader
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import make
import questions
import reader
from ask import WARNINGS, cells, ids, quote, run, walk, without
from server import Server


def shown(dataset):
    """All that a dataset shows: values of the user's columns, children and bytes."""
    frame = dataset.data
    return {name: values for name, values in cells(frame).items() if not name.startswith("internal:")}, list(walk(frame))


def filters(rng, data, levels=None):
    """Some filters: (text, function from a dataset to a view)."""
    out = []
    for level in range(len(data.levels)) if levels is None else levels:
        if questions.first_of(data, level, questions.GEOMETRY):
            for name, box in questions.boxes(rng, data, level):
                out.append((f"filter_bbox({box}, geometry_col={name!r}, level={level})",
                            lambda d, box=box, name=name, level=level: d.filter_bbox(*box, geometry_col=name, level=level)))
        if questions.first_of(data, level, questions.TIME):
            for name, text in questions.intervals(rng, data, level):
                out.append((f"filter_datetime({text!r}, time_col={name!r}, level={level})",
                            lambda d, text=text, name=name, level=level: d.filter_datetime(text, time_col=name, level=level)))
    if "cloud" in data.types[0] and str(data.types[0]["cloud"]).startswith(("double", "float", "int")):
        column = quote(questions.shown_names(["id", "type", *data.types[0]])["cloud"])
        for condition in rng.sample(list(questions.COMPARISONS), k=3):
            sql = f"SELECT * FROM data WHERE {condition.format(c=column)}"
            out.append((sql, lambda d, sql=sql: d.sql(sql)))
    return rng.sample(out, k=min(len(out), 6))


def same(book, rng, name, path, one, other, data):
    """Two datasets with equal content: `other` must answer as `one`, which itself must answer."""
    questions = [("rows", "data, read, read_bytes", shown)]
    questions += [("filters", text, lambda dataset, view=view: ids(view(dataset).data)) for text, view in filters(rng, data)]
    for kind, text, ask in questions:
        WARNINGS.clear()
        expected, found = attempt(lambda: ask(one())), attempt(lambda: ask(other()))
        expected, found = without_cut(expected), without_cut(found)  # of both
        if book.compare(f"{name}: {kind}", path, text, found, expected) and isinstance(expected, str):
            book.fail(f"{name}: {kind}", path, text, found, "an answer")


def without_cut(answer):
    """What `shown` gives, without columns that a query said it cannot hold."""
    return (without(answer[0], WARNINGS.cut()), answer[1]) if isinstance(answer, tuple) else answer


def attempt(ask):
    try:
        return ask()
    except tacore.TacoError as error:
        return f"{type(error).__name__}: {error}"


def parts_as_index(book, rng, folder):
    world, how = make.dataset(rng, rng.choice([1, 2, 2, 3])), make.options(rng)
    parts = make.write_parts(rng, world, folder / "p", how)
    data = reader.load(parts)
    made = folder / "made"  # our own indexes of the same parts
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")  # where bounds are proved
    made.mkdir()
    for part in parts:
        os.link(part, made / part.name)
    paths = [folder / "p" / name for name in (".tacocat", "__TACOCAT__", "TACOLLECTION.json")]
    if attempt(lambda: tacore.create_tacocat([made / part.name for part in parts], made, progress=False)) is None:
        paths.append(made / ".tacocat")
    if attempt(lambda: tacore.create_tacollection([made / part.name for part in parts], made, bounds=rng.random() < 0.7,
                                                  progress=False)) is None:
        paths += [made / "TACOLLECTION.json"] * 2
    for path in rng.sample(paths, k=2):
        same(book, rng, "index = list of its parts", path, lambda: tacore.load(parts), lambda: tacore.load(path), data)


def folder_as_zip(book, rng, folder):
    world, how = make.dataset(rng), make.options(rng)
    make.write_zip(world, folder / "a.tacozip", how, rng)
    make.write_folder(world, folder / "a", how)
    same(book, rng, "FOLDER = ZIP", folder / "a.tacozip", lambda: tacore.load(folder / "a"),
         lambda: tacore.load(folder / "a.tacozip"), reader.load(folder / "a"))


def shuffled_as_ordered(book, rng, folder):
    world, how = make.dataset(rng, rng.choice([2, 3])), make.options(rng)
    suffix, write = rng.choice([("", make.write_folder), (".tacozip", make.write_zip)])
    ordered, moved = folder / f"ordered{suffix}", folder / f"shuffled{suffix}"
    write(world, ordered, how)
    write(make.shuffled(rng, world), moved, how)
    same(book, rng, "shuffled table = ordered one", moved, lambda: tacore.load(ordered), lambda: tacore.load(moved),
         reader.load(ordered))


def remote_as_local(book, rng, folder):
    world, how = make.dataset(rng, rng.choice([1, 2, 2, 3])), make.options(rng)
    kind = rng.choice(["a.tacozip", "a", "p/.tacocat", "p/__TACOCAT__", "p/TACOLLECTION.json", "a.taco"])
    if kind == "a.tacozip":
        make.write_zip(world, folder / kind, how, rng)
    elif kind == "a":
        make.write_folder(world, folder / kind, how)
    elif kind == "a.taco":
        if not all(world.children(k, r) for k, level in enumerate(world.levels) for r, f in enumerate(level.folders) if f):
            return
        make.write_v1(rng, world, folder / kind)
    else:
        make.write_parts(rng, world, folder / "p", how)
    with Server(folder) as server:
        same(book, rng, "remote = local", folder / kind, lambda: tacore.load(folder / kind),
             lambda: tacore.load(server.url(kind)), reader.load(folder / kind))


def any_dataset(rng, folder):
    """A dataset in any container: its path."""
    world, how = make.dataset(rng, rng.choice([1, 2, 2, 3])), make.options(rng)
    kind = rng.choice(["zip", "folder", "index"])
    if kind == "zip":
        make.write_zip(world, folder / "a.tacozip", how, rng)
        return folder / "a.tacozip"
    if kind == "folder":
        make.write_folder(world, folder / "a", how)
        return folder / "a"
    make.write_parts(rng, world, folder / "p", how)
    return folder / "p" / rng.choice([".tacocat", "TACOLLECTION.json"])


def filters_in_any_order(book, rng, folder):
    path = any_dataset(rng, folder)
    data = reader.load(path)
    chain = [view for view in filters(rng, data) if not view[0].startswith("SELECT")][:3]
    if len(chain) < 2:
        return

    def through(order):
        dataset = tacore.load(path)
        for _, view in order:
            dataset = view(dataset)
        return shown(dataset)

    turned = rng.sample(chain, k=len(chain))[::-1]
    turned = chain[::-1] if turned == chain else turned
    book.attempt("filters in any order", path, " then ".join(text for text, _ in turned), lambda: through(turned),
                 attempt(lambda: through(chain)))
    # A step of SQL that changes nothing changes nothing, nor does a concatenation of one.
    text, view = next(((t, v) for t, v in chain if "level=0" in t), (None, None))
    if view:
        expected = attempt(lambda: ids(view(tacore.load(path)).data))
        book.attempt("filter behind SQL", path, f"SELECT *, 1 AS k FROM data, then {text}",
                     lambda: ids(view(tacore.load(path).sql("SELECT *, 1 AS k FROM data")).data), expected)
        book.attempt("filter of a concat", path, f"concat([d, d]), then {text}",
                     lambda: ids(view(tacore.concat([tacore.load(path)] * 2)).data),
                     expected * 2 if isinstance(expected, list) else expected)


def level_as_loop(book, rng, folder):
    path = any_dataset(rng, folder)
    dataset = tacore.load(path)
    below = attempt(lambda: [pair[0] for pair in walk(dataset.data)])
    if isinstance(below, str):
        book.fail("level k = loop", path, "walk", below, "all samples")
        return
    for level in range(max(map(len, below))):
        expected = collections.Counter(path[-1] for path in below if len(path) == level + 1)
        book.attempt("level k = loop", path, f"SELECT id FROM level{level}",
                     lambda: collections.Counter(ids(dataset.sql(f"SELECT id FROM level{level}").data)), expected)


def some_view(rng, path, data):
    """A view, now and then one that is drawn by chance."""
    dataset = tacore.load(path)
    kind = rng.randrange(4)
    if kind == 0:
        return "all", dataset
    if kind == 1:
        sql = f"SELECT * FROM data ORDER BY random() LIMIT {max(1, len(data.levels[0]) // 2)}"
        return sql, dataset.sql(sql)
    chosen = filters(rng, data)
    return (chosen[0][0], chosen[0][1](dataset)) if chosen else ("all", dataset)


def export_as_view(book, rng, folder):
    path = any_dataset(rng, folder)
    data = reader.load(path)
    if len({row.id for row in data.levels[0]}) < len(data.levels[0]):
        return  # the second of one id is renamed (deviations, 72)
    if any(not name for types in data.types for name in types):
        return  # a column without a name has one afterwards
    text, view = some_view(rng, path, data)
    WARNINGS.clear()
    expected = attempt(lambda: shown(view))  # drawn here, once and for all
    again = attempt(lambda: shown(view.sql("SELECT * FROM data")))
    expected, again = without_cut(expected), without_cut(again)
    book.compare("a view that is shown stays", path, f"{text}, then SELECT * FROM data", again, expected)
    if isinstance(expected, str):
        book.fail("export = view", path, text, expected, "rows")
    if isinstance(expected, str) or not expected[1]:
        return
    out = folder / rng.choice(["out.tacozip", "out/"])
    found = attempt(lambda: tacore.export(view, out, progress=False))
    if isinstance(found, str):
        if "PIT-" in found or "ontrol character" in found or "is not allowed" in found:
            return  # legal to read only
        book.fail("export = view", path, f"export of {text}", found, "a dataset")
        return
    book.attempt("export = view", path, f"export of {text} to {out}", lambda: without_cut(shown(tacore.load(out))), expected)


def pickle_as_frame(book, rng, folder):
    path = any_dataset(rng, folder)
    text, view = some_view(rng, path, reader.load(path))
    if isinstance(attempt(lambda: shown(view)), str):
        return  # others say so
    there, back = os.getcwd(), os.path.relpath(path, folder)
    os.chdir(folder)
    try:
        if text == "all":
            view = tacore.load(back)  # by a relative path, which leads elsewhere from elsewhere
        frame = view.data
        expected = attempt(lambda: (cells(frame), list(walk(frame))))
        data = pickle.dumps(frame)
        os.chdir(there)
        book.attempt("a frame = its pickle", path, f"pickle of {text}",
                     lambda: (lambda f: (cells(f), list(walk(f))))(pickle.loads(data)), expected)
    finally:
        os.chdir(there)


def ours_as_published(book, rng, folder):
    """A dataset that the published package wrote, and the same samples written by tacore."""
    shared = TESTS.parents[0].parent / "shared/golden/v2"
    found = sorted([*shared.glob("zip/*.tacozip"), *shared.glob("folder/*")])
    if not found:
        return
    path = rng.choice(found)
    data = reader.load(path)

    def sample(row):
        values = {name: value if kind != pa.timestamp("us") else None if value is None else
                  pa.scalar(value // 1000, kind).as_py()
                  for (name, value), kind in zip(row.values.items(), data.types[len(row.path) - 1].values())}
        inside = datamodel.Tortilla(samples=list(map(sample, row.children))) if row.folder else row.bytes()
        made = datamodel.Sample(id=row.id, path=inside)
        made.extend_with({name: value for name, value in values.items() if value is not None})
        return made

    taco = datamodel.Taco(tortilla=datamodel.Tortilla(samples=list(map(sample, data.levels[0]))), id="ours",
                          dataset_version="1.0.0", description="d", licenses=["CC-BY-4.0"], providers=[{"name": "p"}],
                          tasks=["other"])
    out = folder / rng.choice(["ours.tacozip", "ours"])
    tacore.create(taco, out, progress=False)
    same(book, rng, "ours = published", path, lambda: tacore.load(path), lambda: tacore.load(out), data)


def grids(rng, count):
    """Grids of a CRS, an affine transformation and a shape each: rotated, sheared, south up, and over the antimeridian."""
    out = []
    for _ in range(count):
        crs, (x, y), pixel = rng.choice([
            ("EPSG:4326", (rng.uniform(-170, 170), rng.uniform(-60, 60)), 0.05), ("EPSG:4326", (rng.choice([179, -180.5]), 5), 0.1),
            ("EPSG:3857", (rng.uniform(-1.9e7, 1.9e7), rng.uniform(-5e6, 5e6)), 5000), ("EPSG:3857", (2.002e7, 1e6), 3000),
            ("EPSG:32601", (rng.uniform(2e5, 4e5), rng.uniform(1e6, 7e6)), 3000),
            ("EPSG:32733", (5e5, rng.uniform(4e6, 9e6)), 2000)])
        angle, shear, up = rng.choice([0, 0, rng.uniform(0, 6.28)]), rng.choice([0, 0, rng.uniform(-0.5, 0.5)]), rng.choice([-1, 1])
        cos, sin = pixel * math.cos(angle), pixel * math.sin(angle)
        out.append((crs, [x, cos, -up * sin + shear * cos, y, sin, up * cos + shear * sin],
                    [1, rng.choice([1, 16, 40]), rng.choice([1, 16, 40])]))
    return out


def corners(transform, shape):
    """Of a grid in degrees: its edges are straight there."""
    a, b, c, d, e, f = transform
    return shapely.Polygon([(a + b * x + c * y, d + e * x + f * y) for x, y in
                            ((0, 0), (shape[2], 0), (shape[2], shape[1]), (0, shape[1]))])


def footprint_as_export(book, rng, folder):
    """A box finds the footprints that our GeoParquet has, counted by pyarrow and shapely, and the naive corners."""
    made = grids(rng, rng.randint(1, 12))
    ids_of = [f"s{i}" for i in range(len(made))]
    world = make.World([make.Level(ids_of, [False] * len(made), [None] * len(made), [b"x"] * len(made), {
        "stac:crs": pa.array([crs for crs, _, _ in made]),
        "stac:geotransform": pa.array([t for _, t, _ in made], pa.list_(pa.float64())),
        "stac:tensor_shape": pa.array([s for _, _, s in made], pa.list_(pa.int64()))})], [],
        {"spatial": [-180, -90, 180, 90], "temporal": None})
    path = folder / "a.tacozip"
    make.write_zip(world, path, make.options(rng), rng)
    describe.footer2geoparquet(path, folder / "a.parquet")
    table = pq.read_table(folder / "a.parquet")
    exported = dict(zip(table.column("id").to_pylist(), shapely.from_wkb(table.column("geometry").to_pylist())))
    for _ in range(6):
        x, y = rng.choice(list(exported.values())).bounds[:2] if rng.random() < 0.8 else (rng.uniform(-180, 180), 0)
        west, south = x + rng.uniform(-2, 2), max(-89, min(85, y + rng.uniform(-2, 2)))
        box = [(v + 180) % 360 - 180 for v in (west, west + rng.choice([0.01, 0.5, 3]))]
        box = (box[0], south, box[1], south + rng.choice([0.01, 0.5, 3]))
        found = attempt(lambda: ids(tacore.load(path).filter_bbox(*box, geometry_col="footprint").data))
        book.compare("footprints = those of our GeoParquet", path, f"filter_bbox{box}, footprint", found,
                     [name for name in ids_of if questions.meets(exported[name], box)])
        if isinstance(found, list):
            degrees = [name for name, (crs, _, _) in zip(ids_of, made) if crs == "EPSG:4326"]
            book.compare("footprints = corners of the grid", path, f"filter_bbox{box}, footprint, of grids in degrees",
                         [name for name in found if name in degrees],
                         [name for name in degrees if questions.meets(corners(*made[ids_of.index(name)][1:]), box)])


LIES = [("extent", {"spatial": [1.0, 50.0, 2.0, 51.0], "temporal": ["1999-01-01T00:00:00Z", "1999-01-02T00:00:00Z"]}),
        ("extent", None), ("taco:field_schema", {"level0": [["cloud", "string", ""]]}), ("taco_version", "0.0.0"),
        ("dataset_version", "9"), ("taco:sources", "extents")]


def golden_with_lies(book, rng, folder):
    """A published dataset whose COLLECTION.json is changed: the same rows, an error or a warning."""
    shared = TESTS.parents[0].parent / "shared/golden/v2"
    found = [*shared.glob("folder/*"), *shared.glob("tacocat/*"), TESTS / "golden/nested", TESTS / "golden/cascade_tacocat"]
    path, (key, lie) = rng.choice(sorted(found)), rng.choice(LIES)
    copy = folder / path.name
    shutil.copytree(path, copy)
    for one in (copy, *copy.rglob("*")):
        one.chmod(one.stat().st_mode | 0o200)
    documents = [one for one in (copy / "COLLECTION.json", copy / ".tacocat/COLLECTION.json", copy / "TACOLLECTION.json")
                 if one.is_file()]
    at = copy / ".tacocat" if documents[-1].parent.name == ".tacocat" else copy
    for document in documents:
        text = json.loads(document.read_text())
        if lie == "extents":
            for one in text.get("taco:sources", {}).get("extents", []):
                one.update(LIES[0][1])
        else:
            text[key] = lie
        document.write_text(json.dumps(text))
    original = path / at.relative_to(copy)
    data = reader.load(sources_of(original))
    for text, ask in [("data, read, read_bytes", shown),
                      *((text, lambda d, view=view: ids(view(d).data)) for text, view in filters(rng, data))]:
        expected = attempt(lambda: ask(tacore.load(original)))
        WARNINGS.clear()
        answer = attempt(lambda: ask(tacore.load(at)))
        is_told = isinstance(answer, str) or any("COLLECTION" in warning or "extent" in warning for warning in WARNINGS.texts)
        book.compare("a golden dataset that lies", at, f"{key}: {lie}; {text}", is_told or answer == expected, True)


def sources_of(path):
    """What the oracle opens where tacore is given a folder with an index of another form."""
    return next((path / name for name in ("TACOLLECTION.json", "__TACOCAT__") if (path / name).is_file()), path)


def tiff(value):
    """One pixel of 16 bits."""
    tags = [(256, 3, 1, 1), (257, 3, 1, 1), (258, 3, 1, 16), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 122), (277, 3, 1, 1),
            (278, 3, 1, 1), (279, 4, 1, 2)]
    return (struct.pack("<2sHIH", b"II", 42, 8, len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags)
            + bytes(4) + struct.pack("<H", value))


def lacks(count, batch, ranks):
    """Whether some rank has no sample in the last step, nor can take one of the step before: the others would wait for
    it."""
    return 0 < count < ranks or batch == 1 and count % ranks > 0


def loader_as_pass(book, rng, folder):
    count = rng.randint(1, 40)
    world = make.World([make.Level([f"s{i}" for i in range(count)], [False] * count, [None] * count,
                                   [tiff(i) for i in range(count)])], [], {"spatial": [-180, -90, 180, 90], "temporal": None})
    make.write_zip(world, folder / "a.tacozip")
    frame = tacore.load(folder / "a.tacozip").data
    batch, ranks, shards = rng.randint(1, 7), rng.randint(1, 4), rng.randint(1, 3)
    seed = rng.choice([None, 0, rng.randint(1, 99)])
    how = f"{count} samples, batch_size={batch}, world_size={ranks}, seed={seed}"
    everything = list(range(count))

    def samples(batches):
        return [int(value) for one in batches for value in numpy.asarray(one[0]).ravel()]

    def loader(rank=0, **more):
        return Loader(frame, batch_size=batch, seed=seed, rank=rank, world_size=ranks, **more)

    if lacks(count, batch, ranks):
        try:
            list(loader())
            book.fail("Loader: too few samples for all ranks are an error", folder / "a.tacozip", how, "a pass", "an error")
        except tacore.TacoQueryError:
            padded = [list(loader(rank, pad=True)) for rank in range(ranks)]
            book.compare("Loader: padded ranks have as many batches", folder / "a.tacozip", how, len(set(map(len, padded))), 1)
            book.compare("Loader: padded ranks have each sample", folder / "a.tacozip", how,
                         sorted(set(v for one in padded for v in samples(one))), everything)
        return
    workers = rng.randint(0, 4)
    book.attempt("Loader: each sample once", folder / "a.tacozip", f"{how}, jobs={workers}",
                 lambda: sorted(v for rank in range(ranks) for v in samples(loader(rank, jobs=workers))), everything)
    book.attempt("Loader: each sample once in shards", folder / "a.tacozip", f"{how}, {shards} shards", lambda: sorted(
        v for rank in range(ranks) for shard in range(shards) for v in samples(loader(rank, shard=(shard, shards)))),
        everything)
    lengths = {len(list(loader(rank))) for rank in range(ranks)}
    book.compare("Loader: ranks have as many batches", folder / "a.tacozip", how, len(lengths), 1)
    check_resume(book, rng, folder, frame, how, batch, ranks, seed, everything, samples)


def check_resume(book, rng, folder, frame, how, batch, ranks, seed, everything, samples):
    """After some steps, loaders with another batch size and number of ranks resume; then whole epochs follow."""
    loaders = [Loader(frame, batch_size=batch, seed=seed, rank=rank, world_size=ranks) for rank in range(ranks)]
    steps = rng.randint(0, min(map(len, loaders)))
    seen, start = [], 0
    for loader in loaders:
        for _, one in zip(range(steps), loader):
            seen += samples([one])
            start = one.next_start
    ranks, batch = rng.randint(1, 4), rng.randint(1, 7)
    if lacks(len(everything) - start, batch, ranks) or lacks(len(everything), batch, ranks):
        return
    others = [Loader(frame, batch_size=batch, seed=seed, rank=rank, world_size=ranks, start=start) for rank in range(ranks)]
    book.attempt("Loader: resumed anywhere", folder / "a.tacozip", f"{how}, {steps} steps, then {batch} by {ranks} ranks",
                 lambda: sorted(seen + [v for loader in others for v in samples(loader)]), everything)
    book.attempt("Loader: whole epochs after a resumed one", folder / "a.tacozip", f"{how}, second pass",
                 lambda: sorted(v for loader in others for v in samples(loader)), everything)


PROPERTIES = [parts_as_index, parts_as_index, folder_as_zip, shuffled_as_ordered, remote_as_local, remote_as_local,
              filters_in_any_order, level_as_loop, export_as_view, export_as_view, pickle_as_frame, ours_as_published,
              loader_as_pass, loader_as_pass, golden_with_lies, footprint_as_export]


def one_round(book, rng, folder):
    PROPERTIES[book.seed % len(PROPERTIES)](book, rng, folder)


if __name__ == "__main__":
    run("properties", 12 * len(PROPERTIES), one_round, sys.argv[1:])
