#!/usr/bin/env python3
"""Holds tacore against the naive reader beside this file, over random datasets, the golden ones, and files before 2.0.

    check.py [--seed N] [--rounds K] [--long]

Each row, value, child and byte, filters by box and time at every level, and SQL. Needs pyarrow and shapely; exits with 77 without.
"""
import os
import sys
import tempfile
from pathlib import Path

try:
    import pyarrow as pa
    import shapely  # noqa: F401

    import tacore
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import make
import questions
import reader
from ask import WARNINGS, answer, at_vsi, cells, expected_cells, expected_walk, ids, quote, run, walk, without
from questions import GEOMETRY, TIME, boxes, intervals, roots_of, shown_names

ROOT = Path(__file__).resolve().parents[2]
# Columns of these types are compared with numbers.
NUMBERS = ("double", "float", "int", "uint")


def check_rows(book, path, dataset, data):
    """Rows and values of every level, as they are and through SQL."""
    expected = expected_cells(data.levels[0], data.types[0])

    def without_place(found):
        return {name: values for name, values in found.items() if not name.startswith("internal:")}

    WARNINGS.clear()
    found = answer(lambda: without_place(cells(dataset.data)))
    book.compare("rows", path, "data", without(found, WARNINGS.cut()), without(expected, WARNINGS.cut()))
    for level, rows in enumerate(data.levels):
        WARNINGS.clear()
        book.attempt("rows of SQL", path, f"SELECT * FROM level{level}",
                     lambda: without(without_place(cells(dataset.sql(f"SELECT * FROM level{level}").data)), WARNINGS.cut()),
                     without(expected_cells(rows, data.types[level]), cut_columns(data.types[level])))


def cut_columns(types):
    """Columns of types that DuckDB 1.4 has not, as they show."""
    shown = shown_names(["id", "type", *types])
    return {shown[name] for name, kind in types.items()
            if pa.types.is_duration(kind) or str(kind).startswith("timestamp[ns, tz=")}


def check_bytes(book, path, dataset, data):
    """Children and bytes of every sample, and what VSI paths lead to."""
    expected = list(expected_walk(data.levels[0]))
    book.attempt("children and bytes", path, "read(i), read_bytes(i) of every sample", lambda: list(walk(dataset.data)), expected)
    for level, rows in enumerate(data.levels):
        contents = [row.bytes() for row in rows if not row.folder]
        book.attempt("VSI paths", path, f"SELECT \"internal:gdal_vsi\" FROM level{level} WHERE type = 'FILE'",
                     lambda: [at_vsi(p) for p in dataset.sql(
                         f"SELECT id, \"internal:gdal_vsi\" FROM level{level} WHERE type = 'FILE'"
                     ).data.to_arrow().column(1).to_pylist()], contents)


def check_filters(book, rng, path, dataset, data):
    for level in range(len(data.levels)):
        if questions.first_of(data, level, GEOMETRY):
            for name, box in boxes(rng, data, level):
                column = "auto" if name == questions.first_of(data, level, GEOMETRY) else name
                rows = questions.in_box(data, level, box, name)
                check_filter(book, path, f"filter_bbox{box}, geometry_col={column!r}, level={level}", "boxes", data, level, rows,
                             lambda: dataset.filter_bbox(*box, geometry_col=column, level=level))
        if questions.first_of(data, level, TIME):
            for name, text in intervals(rng, data, level):
                column = "auto" if name == questions.first_of(data, level, TIME) else name
                rows = questions.in_time(data, level, text, name)
                check_filter(book, path, f"filter_datetime({text!r}, time_col={column!r}, level={level})", "times", data, level,
                             rows, lambda: dataset.filter_datetime(text, time_col=column, level=level))


def check_filter(book, path, question, name, data, level, rows, view):
    """Rows of level 0, the same behind a step of SQL, and what is left of their children down to the level."""
    roots = roots_of(data, rows)
    if not book.attempt(name, path, question, lambda: ids(view().data), [row.id for row in roots]):
        return
    if level == 0:
        book.attempt(name + " behind SQL", path, f"SELECT *, 1 AS k FROM data; {question}",
                     lambda: ids(view().sql("SELECT *, 1 AS k FROM data").data), [row.id for row in roots])
    kept = {id(row) for row in rows}

    def keeps(row):
        return id(row) in kept if len(row.path) - 1 == level else any(map(keeps, row.children))

    def complete(row):
        return [pair for child in row.children
                for pair in [(child.path, None if child.folder else child.bytes()), *complete(child)]]

    def left(row):
        if len(row.path) - 1 >= level:
            return complete(row)
        return [pair for child in row.children if keeps(child)
                for pair in [(child.path, None if child.folder else child.bytes()), *left(child)]]

    if level and roots:
        book.attempt(name + ", children", path, f"read(0) after {question}",
                     lambda: list(walk(view().data.read(0), (roots[0].id,))), left(roots[0]))


def check_sql(book, rng, path, dataset, data):
    for level, rows in enumerate(data.levels):
        shown = shown_names(["id", "type", *data.types[level]])
        columns = [name for name, kind in data.types[level].items() if str(kind).startswith(NUMBERS) and name not in TIME
                   and not name.startswith(("tortilla:", "internal:", "stac:", "rai:"))]
        for name in columns[:3]:
            for sql, meaning in rng.sample(list(questions.COMPARISONS.items()), k=4):
                expected = [row.id for row in questions.where(data, level, name, meaning)]
                condition = sql.format(c=quote(shown[name]))
                source = "data" if level == 0 else f"level{level}"
                book.attempt("SQL", path, f"SELECT id FROM {source} WHERE {condition}",
                             lambda: ids(dataset.sql(f"SELECT id FROM {source} WHERE {condition}").data), expected)
                if level == 0:
                    book.attempt("SQL in a chain", path, f"SELECT *, 1 AS k FROM data; WHERE {condition}",
                                 lambda: ids(dataset.sql("SELECT *, 1 AS k FROM data").sql(
                                     f"SELECT * FROM data WHERE {condition}").data), expected)
    if rng.random() < 0.5:
        rows = data.levels[0]
        one = rng.choice(rows) if rows else None
        if one:
            book.attempt("SQL", path, f"id = {one.id!r}",
                         lambda: ids(dataset.sql("SELECT * FROM data WHERE id = '" + one.id.replace("'", "''") + "'").data),
                         [row.id for row in rows if row.id == one.id])


def with_ancestors(rows, level, types):
    """Cells of rows of a level and of those above them: `l1:id`, ..., `l0:id`, ..."""
    out, at = {}, rows
    for above in range(level, -1, -1):
        cells_of = without(expected_cells(at, types[above]), cut_columns(types[above]))
        out.update({f"l{above}:{name}": values for name, values in cells_of.items()})
        at = [row.parent for row in at] if above else at
    return out


def sorted_rows(rows, key, descending):
    """In the order of a key, nulls last; those that are equal stay in their order."""
    known = [row for row in rows if key(row) is not None]
    known.sort(key=lambda row: questions.order(key(row)), reverse=descending)
    return known + [row for row in rows if key(row) is None]


def check_flat(book, rng, path, dataset, data):
    """flatten(), the tables l0, l1, ... of SQL, sort() and limit(): all rows and those that a filter leaves."""
    tested = rng.choice([None, *(level for level in range(len(data.levels)) if questions.first_of(data, level, TIME))])
    view, question, kept = dataset, "all", data.levels[0]
    if tested is not None:
        name, text = next(iter(intervals(rng, data, tested)))
        kept, question = questions.in_time(data, tested, text, name), f"filter_datetime({text!r}, {name!r}, {tested})"
        view = dataset.filter_datetime(text, time_col=name, level=tested)
    marked = {id(row) for row in kept}

    def is_left(row, level):
        if level < (tested or 0):
            return any(is_left(child, level + 1) for child in row.children)
        for _ in range(level - (tested or 0)):
            row = row.parent
        return id(row) in marked

    roots = [row for row in data.levels[0] if is_left(row, 0)]
    numbers = [(level, name) for level, types in enumerate(data.types) for name, kind in types.items()
               if str(kind).startswith(NUMBERS) and name not in TIME and ":" not in name and shown_names(["id", "type", *types])[name] == name]
    for level, rows in enumerate(data.levels):
        left = [row for row in rows if is_left(row, level)]
        files = [row for row in left if not row.folder]
        cut = {f"l{at}:{name}" for at in range(level + 1) for name in cut_columns(data.types[at])}

        def shown(table):
            return without({name: values for name, values in cells(table).items() if "internal:" not in name}, cut)

        book.attempt("tables with ancestors", path, f"{question}; SELECT * FROM l{level}",
                     lambda: shown(view.sql(f"SELECT * FROM l{level}").data), with_ancestors(left, level, data.types))
        flat = answer(lambda: view.flatten(level))
        book.attempt("flatten", path, f"{question}; flatten({level})",
                     lambda: without(shown(flat), {"gdal_vsi"}), with_ancestors(files, level, data.types))
        book.attempt("paths of flatten", path, f"{question}; flatten({level})",
                     lambda: [at_vsi(one) for one in flat.column("gdal_vsi").to_pylist()], [row.bytes() for row in files])
        if not numbers:
            continue
        at, name = rng.choice(numbers)
        descending, count = rng.random() < 0.5, rng.randrange(len(roots) + 2)
        extreme = max if descending else min

        def value(row):
            if len(row.path) - 1 > at:
                return value(row.parent)
            if len(row.path) - 1 == at:
                return row.values[name]
            below = [found for child in row.children if is_left(child, len(child.path) - 1)
                     for found in [value(child)] if found is not None]
            return extreme(below, key=questions.order, default=None)

        ordered = sorted_rows(roots, value, descending)[:count]
        asked = f"{question}; sort('l{at}:{name}', {descending}).limit({count})"
        book.attempt("sort and limit", path, asked,
                     lambda: ids(view.sort(f"l{at}:{name}", descending).limit(count).data), [row.id for row in ordered])
        place = {id(root): number for number, root in enumerate(ordered)}
        among = sorted((row for row in files if id(row.root()) in place), key=lambda row: place[id(row.root())])
        expected = sorted_rows(among, value, descending) if at <= level else among
        book.attempt("flatten, sorted and limited", path, f"{asked}; flatten({level})",
                     lambda: shown(view.sort(f"l{at}:{name}", descending).limit(count).flatten(level).drop_columns("gdal_vsi")),
                     with_ancestors(expected[:count], level, data.types))


def check(book, rng, path, load=None):
    """All questions of one container."""
    data = reader.load(load or path)
    try:
        dataset = tacore.load(load or path)
    except tacore.TacoError as error:
        book.fail("opens", path, "load", f"{type(error).__name__}: {error}", "a dataset")
        return
    check_rows(book, path, dataset, data)
    check_bytes(book, path, dataset, data)
    check_filters(book, rng, path, dataset, data)
    check_sql(book, rng, path, dataset, data)
    check_flat(book, rng, path, dataset, data)


def check_oracle(book, path, world):
    """The reader that all is held against reads what was written."""
    written = [[(world.path(number, row), level.data[row]) for row in range(len(level))
                if not level.ids[row].startswith(make.PADDING)] for number, level in enumerate(world.levels)]
    book.attempt("the oracle reads what was written", path, "all samples", lambda: [
        [(row.path, None if row.folder else row.bytes()) for row in rows] for rows in reader.load(path).levels], written)


def with_boxes(book, rng, folder):
    """What tacore writes with bounding boxes of the geometries: in Hilbert order, and as an index of parts that have none."""
    parquet = {"covering": True, "row_group_size": rng.choice([1, 2, 3, 65536])}
    parts = make.write_parts(rng, make.dataset(rng, odd=False), folder / "parts", make.PLAIN)
    for number, part in enumerate(parts):
        path = folder / rng.choice([f"{number}.tacozip", f"{number}/"])
        try:
            tacore.export(tacore.load(part), path, order=rng.choice(["hilbert", "hilbert", "time", ""]), progress=False, **parquet)
        except tacore.TacoError as error:
            if "PIT-" not in str(error) and "ontrol character" not in str(error):  # legal to read only
                book.fail("is written with bounding boxes", part, "export", str(error), "a dataset")
            continue
        check(book, rng, path)
    made = folder / "made"
    made.mkdir()
    for part in parts:
        os.link(part, made / part.name)
    try:
        tacore.create_tacocat([made / part.name for part in parts], made, progress=False, **parquet)
    except tacore.TacoSchemaError:
        return  # parts of different columns
    check(book, rng, made / ".tacocat")


def one_round(book, rng, folder):
    kind = rng.randrange(6)
    if kind == 5:
        return with_boxes(book, rng, folder)
    world, how = make.dataset(rng), make.options(rng)
    if rng.random() < 0.2:
        world = make.shuffled(rng, world)
    if kind == 0:
        make.write_zip(world, folder / "a.tacozip", how, rng)
        check_oracle(book, folder / "a.tacozip", world)
        check(book, rng, folder / "a.tacozip")
    elif kind == 1:
        make.write_folder(world, folder / "a", how)
        check_oracle(book, folder / "a", world)
        check(book, rng, folder / "a")
    elif kind == 2:
        if not all(world.children(k, row) for k, level in enumerate(world.levels) for row, f in enumerate(level.folders) if f):
            return  # a FOLDER without samples, which a Tortilla cannot be
        if rng.random() < 0.3:  # the deepest sample need not be the first
            world = make.part(rng, world, rng.sample(range(len(world.levels[0])), k=len(world.levels[0])))
        check(book, rng, make.write_v1(rng, world, folder / rng.choice(["a.tortilla", "a.taco", "a.part.taco"])))
    else:
        parts = make.write_parts(rng, world, folder / "parts", how)
        for name in rng.sample([".tacocat", "__TACOCAT__", "TACOLLECTION.json"], k=2):
            check(book, rng, folder / "parts" / name)
        if rng.random() < 0.3:
            check(book, rng, f"{folder / 'parts'}: a list of {len(parts)}", parts)


def golden(book, rng):
    """The datasets that others wrote, and those of tests/golden."""
    published = ROOT.parent / "shared/golden/v2"
    found = [*(ROOT / "examples/data").glob("*.tacozip"), *(ROOT / "tests/golden").glob("*.tacozip"),
             *(ROOT / "tests/golden").glob("nested*/"), *published.glob("zip/*.tacozip"), *published.glob("folder/*"),
             *published.glob("tacocat/*/.tacocat"), *(ROOT / "tests/golden").glob("cascade_tacocat/**/.tacocat"),
             *(ROOT / "tests/golden/v1").glob("*.ta*"), *(ROOT / "tests/golden/v1").glob("*.tortilla")]
    for path in sorted(set(found)):
        if path.name == "wkt_points.tacozip":  # one of its places is no text of a point, which is an error
            continue
        try:
            check(book, rng, path)
        except Exception as error:
            book.fail("is read by the oracle", path, "all", f"{type(error).__name__}: {error}", "answers")


def streaming(book, rng):
    """Streaming TACOs, which only tacore writes: tables of all levels at the end, beside those of the nested Tortillas."""
    with tempfile.TemporaryDirectory() as scratch:
        for source in (ROOT / "examples/data").glob("*.tacozip"):
            path = Path(scratch) / source.with_suffix(".taco").name
            tacore.v1.compile(tacore.load(source), path, streaming=True)
            data, dataset = reader.load(path), tacore.load(path)
            check_rows(book, path, dataset, reader.Data(data.levels[:1], data.types[:1]))  # below, links are columns, too
            check_bytes(book, path, dataset, data)
            check_filters(book, rng, path, dataset, data)


def before(book, rng):
    golden(book, rng)
    streaming(book, rng)


if __name__ == "__main__":
    run("oracle", 36, one_round, sys.argv[1:], before)
