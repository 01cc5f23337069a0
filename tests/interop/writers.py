"""Writes a tree with tacotoolbox, or as a source of `taco create`."""
import contextlib
import csv
import io
import json
import os
import struct
import warnings

import pyarrow as pa
import pyarrow.parquet as pq
import tacotoolbox
from tacotoolbox.datamodel import Sample, Taco, Tortilla
from tacotoolbox.taco.datamodel import Provider

from trees import COLUMNS, paths

COLLECTION = {"id": "interop", "dataset_version": "1.2.3", "description": "Written by one, read by the other",
              "licenses": ["MIT"], "tasks": ["other"]}


# ------------------------------------------------------------------------------------------------------------ published


def write_published(roots, output, scratch, **options):
    """Padding cannot be asked for since tacotoolbox 0.26.6: the samples are renamed to what older versions write."""
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):  # it draws progress bars
        warnings.simplefilter("ignore")
        taco = Taco(tortilla=tortilla(roots, scratch, is_root=True), providers=[Provider(name="interop")], **COLLECTION)
        rename_padding(taco.tortilla, roots)
        tacotoolbox.create(taco, output, **options)


def tortilla(siblings, scratch, is_root=False):
    samples = []
    for number, node in enumerate(siblings):
        source = write_file(node.data, scratch) if node.children is None else tortilla(node.children, scratch)
        samples.append(sample(node, number, source))
        if is_root and node.is_padding:  # the table of the root is made at once
            samples[-1].id = node.id
    return Tortilla(samples=samples)


def sample(node, number, source):
    made = Sample(id=f"placeholder_{number}" if node.is_padding else node.id, path=source)
    made.extend_with(pa.table({name: [node.values[name]] for name in COLUMNS}, pa.schema(COLUMNS)))
    return made


def rename_padding(made, siblings):
    for one, node in zip(made.samples, siblings):
        one.id = node.id
        if node.children is not None:
            rename_padding(one.path, node.children)


def write_file(data, scratch):
    scratch.mkdir(parents=True, exist_ok=True)
    file = scratch / f"source_{len(os.listdir(scratch))}"
    file.write_bytes(data)
    return file


# ----------------------------------------------------------------------------------------------- sources of taco create


def write_directory(roots, folder):
    for path, node in paths(roots):
        target = folder / path
        if node.children is not None:
            target.mkdir(parents=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(node.data)
    return folder


def write_table(roots, folder, kind):
    """A table of the samples, with the columns that its format can hold. The path of a FOLDER is null."""
    rows = []
    for path, node in paths(roots):
        file = None if node.children is not None else f"files/{len(rows)}"
        if file:
            (folder / "files").mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(node.data)
        rows.append({"id": path, "path": file, **{name: node.values[name] for name in TABLE_COLUMNS[kind]}})
    table = folder / f"table.{kind}"
    TABLE_WRITERS[kind](rows, table)
    return table


# CSV, JSON lines and GeoJSON have no times and no bytes: a text column stays text.
TABLE_COLUMNS = {
    "parquet": list(COLUMNS),
    "csv": ["n_bands", "cloud", "is_clear", "region", "test:gain"],
    "jsonl": ["n_bands", "cloud", "is_clear", "region", "curve", "test:gain"],
    "geojson": ["n_bands", "cloud", "is_clear", "region", "curve", "test:gain"],
}


def write_parquet(rows, file):
    names = {"id": pa.string(), "path": pa.string(), **COLUMNS}
    pq.write_table(pa.Table.from_pylist(rows, pa.schema(names)), file)


def write_csv(rows, file):
    def text(value):
        return "" if value is None else str(value).lower() if isinstance(value, bool) else value

    with open(file, "w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows({name: text(value) for name, value in row.items()} for row in rows)


def write_jsonl(rows, file):
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def write_geojson(rows, file):
    features = [{"type": "Feature", "geometry": {"type": "Point", "coordinates": place(number)}, "properties": row}
                for number, row in enumerate(rows)]
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")


def place(number):
    return [-170.5 + 9 * number, 80.25 - 4 * number]


def place_as_wkb(number):
    return struct.pack("<BI2d", 1, 1, *place(number))


TABLE_WRITERS = {"parquet": write_parquet, "csv": write_csv, "jsonl": write_jsonl, "geojson": write_geojson}
