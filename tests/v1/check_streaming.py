#!/usr/bin/env python3
"""Proves streaming TACO both ways: a reader of its own reads what `taco create --streaming` writes, and `taco` reads what a
writer of its own makes of the same TIFFs, in another order and spelling. A chunk table that lies is seen by `validate`, by
`diff` against the honest one, and never gives other pixels.

    check_streaming.py TOOL

Reader and writer know the 200 bytes of the header, Parquet, and tags of TIFF. Needs pyarrow and numpy; GDAL is asked where
gdalinfo is there.
"""
import copy
import io
import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    print("skipped: pyarrow or numpy is not installed")
    sys.exit(77)

ABOUT = {"id": "chips", "dataset_version": "1.0.0", "description": "Chips", "licenses": ["MIT"],
         "providers": [{"name": "Our lab"}], "curators": [{"name": "Ada"}],
         "extent": {"spatial": [-10, 35, 5, 45], "temporal": ["2020-01-01T00:00:00Z", "2020-12-31T00:00:00Z"]}}
POINTER = re.compile(r"OFFSETLENGTH\((\d+), (\d+)\)")


def plain_tiff(pixels):
    """uint16 of shape (bands, height, width) as a classic TIFF of one strip, pixel by pixel."""
    bands, height, width = pixels.shape
    data = np.moveaxis(pixels, 0, -1).astype("<u2").tobytes()
    entries = [(256, 4, width), (257, 4, height), (259, 3, 1), (262, 3, 1), (277, 3, bands), (278, 4, height),
               (279, 4, len(data)), (284, 3, 1)]
    size = 2 + 12 * (len(entries) + 3) + 4
    bits = struct.pack("<%dH" % bands, *[16] * bands)
    kinds = struct.pack("<%dH" % bands, *[1] * bands)
    at = 8 + size
    entries += [(258, 3, at), (339, 3, at + len(bits)), (273, 4, at + len(bits) + len(kinds))]
    out = b"II*\0\x08\0\0\0" + struct.pack("<H", len(entries))
    for tag, kind, value in sorted(entries):
        out += struct.pack("<HHII", tag, kind, bands if tag in (258, 339) else 1, value)
    return out + bytes(4) + bits + kinds + data


def tiff_tags(data):
    """The tags of a little-endian BigTIFF."""
    assert data[:8] == b"II+\0\x08\0\0\0", data[:8]
    at, = struct.unpack_from("<Q", data, 8)
    out = {}
    for i in range(struct.unpack_from("<Q", data, at)[0]):
        tag, kind, count = struct.unpack_from("<HHQ", data, at + 8 + 20 * i)
        letter, size = {2: ("s", 1), 3: ("H", 2), 4: ("I", 4), 12: ("d", 8), 16: ("Q", 8)}[kind]
        place = at + 20 + 20 * i
        if count * size > 8:
            place, = struct.unpack_from("<Q", data, place)
        out[tag] = struct.unpack_from(f"<{count}{letter}", data, place)
    return out


class Streaming:
    """A streaming file: its tables by pointers alone."""

    def __init__(self, data):
        self.data = data
        assert data[:2] == b"WX"
        footer, size, _, self.collection, _ = struct.unpack_from("<5Q", data, 2)
        self.tables, self.ranges, self.metadata, self.schemas = [], [], [], []
        at = (footer, size)
        while at:
            text = data[at[0]:at[0] + at[1]]
            assert text[:4] == text[-4:] == b"PAR1", at
            table = pq.ParquetFile(pa.BufferReader(text))
            keys = {k.decode(): v.decode() for k, v in table.metadata.metadata.items()}
            self.tables.append(table.read().to_pylist())
            self.schemas.append(table.schema_arrow)
            self.ranges.append(at)
            self.metadata.append(keys)
            found = POINTER.fullmatch(json.loads(keys["pointer"]))
            assert found or json.loads(keys["pointer"]) == "NULL", keys["pointer"]
            at = found and tuple(map(int, found.groups()))
        self.chunks = self.tables[-1]

    def check_layout(self):
        assert [m["taco:level"] for m in self.metadata] == [str(i) for i in range(len(self.tables) - 1)] + ["chunk"]
        for (begin, size), (above, _) in zip(self.ranges[1:], self.ranges):
            assert begin + size == above, "the tables lie bottom first, next to each other"
        hint = json.loads(self.metadata[0]["taco:footer"])
        assert (hint["offset"], hint["offset"] + hint["length"]) == (self.ranges[-1][0], self.collection)
        for level, rows in enumerate(self.tables[1:-1], 1):
            for row in rows:
                parent = self.tables[level - 1][row["tortilla:parent"]]
                path = parent["tortilla:id"] if level == 1 else parent["tortilla:root"] + "/" + parent["tortilla:id"]
                assert row["tortilla:root"] == path
                assert parent["tortilla:offset"] + 200 <= row["tortilla:offset"]
                assert row["tortilla:offset"] + row["tortilla:length"] <= parent["tortilla:offset"] + parent["tortilla:length"]

    def chunk(self, row):
        """Its pixels, from the row of the chunk table alone."""
        bands, height, width = row["chunk:shape"]
        assert row["chunk:compression"] == 50000 and row["chunk:dtype"] == "uint16", row
        out = np.zeros((bands, height, width), "<u2")
        for band, (offset, length) in enumerate(zip(row["chunk:band_offsets"], row["chunk:band_lengths"])):
            at = row["tortilla:offset"] + offset
            raw = pa.Codec("zstd").decompress(self.data[at:at + length], height * width * 2)
            pixels = np.frombuffer(raw, "<u2").reshape(height, width)
            out[band] = np.cumsum(pixels, axis=1, dtype="<u2") if row["chunk:predictor"] == 2 else pixels
        valid = row["chunk:valid"]
        return out[:, :valid[0], :valid[1]]

    def histograms(self):
        """(minima, maxima, counts of shape (samples, bins, bands)) by component."""
        begin, size = map(int, POINTER.fullmatch(json.loads(self.metadata[0]["histogram"])).groups())
        blob = self.data[begin:begin + size]
        footer, length = struct.unpack_from("<2Q", blob, 2)
        assert blob[:2] == b"#y" and footer + length == size
        out = {}
        for row in pq.ParquetFile(pa.BufferReader(blob[footer:])).read(use_threads=False).to_pylist():
            tiff = blob[row["tortilla:offset"]:row["tortilla:offset"] + row["tortilla:length"]]
            tags = tiff_tags(tiff)
            bands, (width,), (height,), (per_strip,) = tags[277][0], tags[256], tags[257], tags[278]
            assert (width, tags[259], tags[284], tags[317], row["hist:bins"]) == (100, (50000,), (1,), (2,), 100)
            assert per_strip == max(1, min(65536 // (400 * bands), height)) and 322 not in tags
            rows = []
            for strip, (offset, count) in enumerate(zip(tags[273], tags[279])):
                num = min(per_strip, height - strip * per_strip)
                raw = pa.Codec("zstd").decompress(tiff[offset:offset + count], num * 400 * bands)
                rows.append(np.cumsum(np.frombuffer(raw, "<u4").reshape(num, 100, bands), axis=1, dtype="<u4"))
            out[row["tortilla:id"]] = row["hist:min"], row["hist:max"], np.concatenate(rows)
        return out


def parquet(rows, pointer):
    table = pa.Table.from_pylist(rows).replace_schema_metadata({"pointer": pointer})
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


def rewritten(ours):
    """The same samples with tables top first, in odd spelling, children in reverse, without parents, and no hint."""
    data = bytearray(ours.data[:ours.tables[0][-1]["tortilla:offset"] + ours.tables[0][-1]["tortilla:length"]])
    drop = ("tortilla:parent", "chunk:row", "chunk:col")
    tables = [[{k: v for k, v in row.items() if k not in drop} for row in rows] for rows in ours.tables]
    tables[1].reverse()
    pointers = ["offsetlength( %20d ,%20d )", '{"pointer": "OFFSETLENGTH(%20d,%20d)"}', "null"]
    sizes = [len(parquet(rows, p % (0, 0) if "%" in p else p)) for rows, p in zip(tables, pointers)]
    begins = [len(data) + sum(sizes[:i]) for i in range(3)]
    for i, rows in enumerate(tables):
        pointer = pointers[i] % (begins[i + 1], sizes[i + 1]) if i < 2 else pointers[i]
        data += parquet(rows, pointer)
    collection = b'{"id": "other"}'
    header = struct.pack("<2s5Q", b"WX", begins[0], sizes[0], 1, len(data), len(collection))
    return header.ljust(200, b"\0") + bytes(data[200:]) + collection


def with_chunks(ours, chunks):
    """The same file with other rows in its chunk table."""
    data, pointer = bytearray(ours.data[:ours.ranges[-1][0]]), "NULL"
    for rows, schema, keys in reversed([*zip(ours.tables[:-1], ours.schemas, ours.metadata),
                                        (chunks, ours.schemas[-1], ours.metadata[-1])]):
        keys = {key: value for key, value in keys.items() if key not in ("taco:footer", "ARROW:schema")}
        table = pa.Table.from_pylist(rows, schema=schema.with_metadata(keys | {"pointer": json.dumps(pointer)}))
        out = io.BytesIO()
        pq.write_table(table, out)
        pointer = f"OFFSETLENGTH({len(data)}, {len(out.getvalue())})"
        begin, size = len(data), len(out.getvalue())
        data += out.getvalue()
    collection = ours.data[ours.collection:]
    header = struct.pack("<2s5Q", b"WX", begin, size, 1, len(data), len(collection))
    return header.ljust(200, b"\0") + bytes(data[200:]) + collection


def swap(rows, *columns):
    for column in columns:
        rows[0][column], rows[1][column] = rows[1][column], rows[0][column]


def put(rows, **cells):
    rows[1].update({name.replace("_", ":", 1): value for name, value in cells.items()})


BANDS = ("chunk:band_offsets", "chunk:band_lengths")
# Changes of rows that are those of img0/hrf (0 to 2), img0/lrf (3), img1/hrf (4 to 6), ...
LIES = {
    "ids swapped": lambda rows: swap(rows, "tortilla:id"),
    "places swapped": lambda rows: swap(rows, "tortilla:offset", "tortilla:length", *BANDS),
    "bands swapped": lambda rows: [rows[1][column].reverse() for column in BANDS],
    "a band left out": lambda rows: rows[1]["chunk:band_lengths"].__setitem__(0, 0),
    "a band shorter": lambda rows: rows[1]["chunk:band_lengths"].__setitem__(0, rows[1]["chunk:band_lengths"][0] - 1),
    "a band less": lambda rows: [rows[1][column].pop() for column in BANDS],
    "offset": lambda rows: put(rows, tortilla_offset=rows[1]["tortilla:offset"] + 4),
    "offset outside": lambda rows: put(rows, tortilla_offset=1),
    "length": lambda rows: put(rows, tortilla_length=rows[1]["tortilla:length"] - 1),
    "the place of another raster": lambda rows: put(rows, tortilla_offset=rows[5]["tortilla:offset"]),
    "another raster": lambda rows: rows[1].update(rows[5] | {key: rows[1][key] for key in ("tortilla:root", "tortilla:parent")}),
    "smaller type": lambda rows: put(rows, chunk_dtype="uint8"),
    "signed type": lambda rows: put(rows, chunk_dtype="int16"),
    "predictor": lambda rows: put(rows, chunk_predictor=1),
    "compression": lambda rows: put(rows, chunk_compression=8),
    "interleave": lambda rows: put(rows, chunk_interleave="pixel"),
    "shape": lambda rows: put(rows, chunk_shape=[3, 256, 512]),
    "valid small": lambda rows: put(rows, chunk_valid=[300, 500]),
    "valid large": lambda rows: put(rows, chunk_valid=[512, 512]),
    "no data": lambda rows: put(rows, chunk_nodata=9000.0),
    "row": lambda rows: put(rows, chunk_row=1),
    "column": lambda rows: put(rows, chunk_col=0),
    "root": lambda rows: put(rows, tortilla_root="img1"),
    "level": lambda rows: put(rows, chunk_level=0),
    "number": lambda rows: put(rows, tortilla_id="hrf::3"),
    "missing": lambda rows: rows.pop(1),
    "none of a raster": lambda rows: rows.pop(3),
    "twice": lambda rows: rows.append(copy.deepcopy(rows[1])),
    "null": lambda rows: put(rows, chunk_dtype=None),
}


def check_lies(tool, folder, ours, images):
    honest, lying = folder / "honest.taco", folder / "lying.taco"
    run = lambda *words: subprocess.run([tool, *map(str, words)], capture_output=True)
    honest.write_bytes(with_chunks(ours, ours.chunks))
    for words in (("validate", honest), ("diff", folder / "ours.taco", honest)):
        result = run(*words)
        assert result.returncode == 0, (words, result)
    for name, change in LIES.items():
        rows = copy.deepcopy(ours.chunks)
        change(rows)
        lying.write_bytes(with_chunks(ours, rows))
        result = run("validate", lying)
        assert result.returncode == 1 and b"V1-18" in result.stdout, (name, result)
        result = run("diff", honest, lying)
        assert result.returncode == 1, (name, result)
        for path, columns in (("img0/hrf::0", slice(0, 512)), ("img0/hrf::1", slice(512, 1024)),
                              ("img0/lrf::0", slice(0, 500))):
            result = run("read", lying, path, "--npy")
            image = images[path.partition("::")[0]][:, :, columns]
            assert result.returncode or np.array_equal(np.load(io.BytesIO(result.stdout)), image), (name, path)


def main():
    tool = sys.argv[1]
    run = lambda *words: subprocess.run([tool, *map(str, words)], check=True, stdout=subprocess.PIPE).stdout
    random = np.random.default_rng(6)
    images = {f"img{i}/{part}": (random.normal(9000 + 500 * i, 900, (3, 300, width))).astype("<u2")
              for i in range(3) for part, width in (("hrf", 1100), ("lrf", 500))}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for path, pixels in images.items():
            (folder / "chips" / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / "chips" / path).write_bytes(plain_tiff(pixels))
        (folder / "about.json").write_text(json.dumps(ABOUT))
        run("create", folder / "chips", folder / "ours.taco", "--streaming", "--collection", folder / "about.json")
        ours = Streaming((folder / "ours.taco").read_bytes())
        ours.check_layout()
        assert len(ours.tables) == 3 and len(ours.chunks) == 3 * (3 + 1)
        for row in ours.chunks:
            name, number = row["tortilla:id"].split("::")
            x, y = row["chunk:col"] * 512, row["chunk:row"] * 512
            assert np.array_equal(ours.chunk(row), images[row["tortilla:root"] + "/" + name][:, y:y + 512, x:x + 512])

        (folder / "other.taco").write_bytes(rewritten(ours))
        for file in ("ours.taco", "other.taco"):
            for path, number, columns in (("img1/hrf", 2, slice(1024, 1100)), ("img2/lrf", 0, slice(0, 500))):
                chunk = np.load(io.BytesIO(run("read", folder / file, f"{path}::{number}", "--npy")))
                assert np.array_equal(chunk, images[path][:, :, columns]), (file, path)
                whole = np.load(io.BytesIO(run("read", folder / file, path, "--npy")))
                assert np.array_equal(whole, images[path]), (file, path)
            assert run("query", folder / file, "SELECT count(*) AS n FROM level1", "--format", "csv").split() == [b"n", b"6"]

        check_lies(tool, folder, ours, images)

        histograms = ours.histograms()
        assert sorted(histograms) == ["hrf", "lrf"]
        for name, (low, high, counts) in histograms.items():
            pixels = np.stack([images[f"img{i}/{name}"] for i in range(3)])
            assert low == pixels.min((0, 2, 3)).tolist() and high == pixels.max((0, 2, 3)).tolist()
            for sample in range(3):
                for band in range(3):
                    share = (pixels[sample, band].astype(float) - low[band]) / (high[band] - low[band])
                    bins = np.minimum(99, (255 * share * 100 / 255).astype(int)).ravel()
                    assert np.array_equal(counts[sample, :, band], np.bincount(bins, minlength=100)), name

        if shutil.which("gdalinfo"):
            row = ours.tables[1][-1]
            path = f"/vsisubfile/{row['tortilla:offset']}_{row['tortilla:length']},{folder / 'ours.taco'}"
            about = subprocess.run(["gdalinfo", path], check=True, capture_output=True, text=True).stdout
            assert "LAYOUT=COG" in about and "COMPRESSION=ZSTD" in about, about
    print("streaming TACO is read and written as others do")


main()
