#!/usr/bin/env python3
"""Measures `taco sync` beside cp, and what inserted rows leave of a level table.

    sync.py TACO FOLDER [CASE...]     Markdown on stdout; sources and results lie in FOLDER, about 10 GB

A case is big (2,000 samples of 1 MB: into a new store, again, and out of it) or rows (100 rows inserted in the middle of a
table of 1e6: the part of the bytes of METADATA/level0.parquet that lies in chunks known from before). Sides and times are as
in create.py. rows needs pyarrow and numpy.
"""
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import create


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stderr=subprocess.DEVNULL)


def shell(command):
    return ["sh", "-c", "exec " + command]


def big(taco, folder, out):
    source, made = folder / "different", folder / "different.tacozip"
    source.mkdir(exist_ok=True)
    for k in range(2000):  # no two share a chunk
        if not (source / f"s{k:07}").exists():
            (source / f"s{k:07}").write_bytes(os.urandom(1_000_000))
    if not made.exists():
        run(taco, "create", source, made, *create.ABOUT, "--quiet")
    known = folder / "known_store"
    shutil.rmtree(known, ignore_errors=True)
    run(taco, "sync", made, known)
    create.compare("2,000 samples of 1 MB, sync", {
        "taco sync, into a new store": ([taco, "sync", made, out / "store"], out / "store"),
        "taco sync, nothing changed": (shell(f"{taco} sync {made} {known} 2> {out}/said"), out / "said"),
        "taco sync, out of the store": ([taco, "sync", known, out / "back.tacozip"], out / "back.tacozip"),
        "cp": (["cp", made, out / "copy.tacozip"], out / "copy.tacozip"),
        "sha256sum": (shell(f"sha256sum {made} > {out}/hash"), out / "hash")}, 3, 2000)


def write_inserted(table, output):
    """The table with 100 rows more in its middle."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    if not output.exists():
        rows = pq.read_table(table)
        middle = rows.num_rows // 2
        new = rows.slice(middle, 100).set_column(0, "id", pa.array([f"inserted_{k:03}" for k in range(100)]))
        pq.write_table(pa.concat_tables([rows.slice(0, middle), new, rows.slice(middle)]), output)
    return output


def chunks_of_table(store, dataset):
    """(hash, size) of the chunks of METADATA/level0.parquet."""
    with zipfile.ZipFile(dataset) as archive, open(dataset, "rb") as file:
        entry = archive.getinfo("METADATA/level0.parquet")
        file.seek(entry.header_offset + 26)
        sizes = file.read(4)
    begin = entry.header_offset + 30 + int.from_bytes(sizes[:2], "little") + int.from_bytes(sizes[2:], "little")
    chunks, at = [], 0
    for digest, size in json.loads((store / f"datasets/{dataset.name}.json").read_text())["files"][0]["chunks"]:
        if begin <= at < begin + entry.file_size:
            chunks.append((digest, size))
        at += size
    assert sum(size for _, size in chunks) == entry.file_size
    return chunks


def columns_text(dataset):
    """Its largest columns."""
    import pyarrow.parquet as pq
    with zipfile.ZipFile(dataset) as archive, archive.open("METADATA/level0.parquet") as file:
        footer = pq.ParquetFile(file).metadata
    sizes = {}
    for group in range(footer.num_row_groups):
        for k in range(footer.num_columns):
            column = footer.row_group(group).column(k)
            sizes[column.path_in_schema] = sizes.get(column.path_in_schema, 0) + column.total_compressed_size
    return footer.num_row_groups, sizes


def rows(taco, folder, out):
    before = create.write_table(folder / "flat6.parquet", 10**6, 0)
    after = write_inserted(before, folder / "flat6_inserted.parquet")
    print("\n### sync: 100 rows inserted in the middle of 1e6, METADATA/level0.parquet\n")
    print("| --parquet | row groups | bytes | chunks | in known chunks |\n| --- | --- | --- | --- | --- |")
    for options in ([], ["use_content_defined_chunking=off"], ["row_group_size=1048576"],
                    ["row_group_size=1048576", "use_content_defined_chunking=off"]):
        flags = [word for option in options for word in ("--parquet", option)]
        store = out / "store"
        for name, table in (("before", before), ("after", after)):
            run(taco, "create", table, out / f"{name}.tacozip", *create.ABOUT, "--overwrite", *flags)
            run(taco, "sync", out / f"{name}.tacozip", store)
        known = {digest for digest, _ in chunks_of_table(store, out / "before.tacozip")}
        chunks = chunks_of_table(store, out / "after.tacozip")
        total = sum(size for _, size in chunks)
        share = sum(size for digest, size in chunks if digest in known) / total
        groups, sizes = columns_text(out / "after.tacozip")
        print(f"| {', '.join(options) or 'default'} | {groups} | {total:,} | {len(chunks)} | {100 * share:.1f} % |", flush=True)
        shutil.rmtree(store)
    print("\nBytes by column: " + ", ".join(f"{name} {size:,}" for name, size in sorted(sizes.items(), key=lambda s: -s[1])))


def main():
    taco, folder, *chosen = sys.argv[1:]
    taco, folder = Path(taco).resolve(), Path(folder).resolve()
    out = folder / "out"
    out.mkdir(parents=True, exist_ok=True)
    for case in chosen or ["big", "rows"]:
        globals()[case](taco, folder, out)
        shutil.rmtree(out)
        out.mkdir()


if __name__ == "__main__":
    main()
