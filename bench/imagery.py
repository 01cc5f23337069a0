"""TIFFs as `taco tog` writes them, for generate.py --kind imagery: 13 bands of 256 x 256 uint16, one ZSTD block a band."""
import struct

import numpy as np
import pyarrow as pa

BANDS, SIDE = 13, 256
ASCII, SHORT, DOUBLE, LONG8 = 2, 3, 12, 16
FORMATS = {ASCII: "B", SHORT: "H", DOUBLE: "d", LONG8: "Q"}
METADATA = b'<GDALMetadata>\n  <Item name="INTERLEAVE" domain="IMAGE_STRUCTURE">TILE</Item>\n</GDALMetadata>\n\0'


def scene(random):
    """Smooth reflectances with noise of sigma 30: 1.6 : 1 with ZSTD, where Sentinel-2 is nearer 2 : 1."""
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    bands = []
    for _ in range(BANDS):
        fx, fy, phase = random.uniform(0.5, 4, 3)
        bands.append(2000 + 800 * np.sin(6 * fx * x + phase) * np.cos(6 * fy * y) + random.normal(0, 30, (SIDE, SIDE)))
    return np.clip(bands, 0, 10000).astype(np.uint16)


def blocks_of(image, level):
    """Predictor 2 along the rows, then ZSTD."""
    codec = pa.Codec("zstd", compression_level=level)
    different = image.copy()
    different[:, :, 1:] = image[:, :, 1:] - image[:, :, :-1]
    return [codec.compress(band.tobytes(), asbytes=True) for band in different]


def tiff(image, level):
    """BigTIFF, the directory in front, each block between its size and a repetition of its last four bytes, as GDAL has it."""
    blocks = blocks_of(image, level)
    tags = {256: (SHORT, [SIDE]), 257: (SHORT, [SIDE]), 258: (SHORT, [16] * BANDS), 259: (SHORT, [50000]), 262: (SHORT, [1]),
            277: (SHORT, [BANDS]), 284: (SHORT, [2]), 317: (SHORT, [2]), 322: (SHORT, [SIDE]), 323: (SHORT, [SIDE]),
            324: (LONG8, [0] * BANDS), 325: (LONG8, [len(b) for b in blocks]), 338: (SHORT, [0] * (BANDS - 1)), 339: (SHORT, [1] * BANDS),
            33550: (DOUBLE, [10, 10, 0]), 33922: (DOUBLE, [0, 0, 0, 5e5, 4e6, 0]),
            34735: (SHORT, [1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32719]), 42112: (ASCII, METADATA)}
    end = 16 + 8 + 20 * len(tags) + 8
    places, at = {}, end
    for code, (kind, values) in sorted(tags.items()):
        size = struct.calcsize(FORMATS[kind]) * len(values)
        if size > 8:
            places[code], at = at, at + size + -size % 8
    starts = []
    for block in blocks:
        starts.append(at + 4)
        at += len(block) + 8
    tags[324] = (LONG8, starts)
    head, values_behind = struct.pack("<2sHHHQQ", b"II", 43, 8, 0, 16, len(tags)), b""
    for code, (kind, values) in sorted(tags.items()):
        raw = struct.pack(f"<{len(values)}{FORMATS[kind]}", *values)
        head += struct.pack("<HHQ", code, kind, len(values))
        head += struct.pack("<Q", places[code]) if code in places else raw.ljust(8, b"\0")
        values_behind += raw + bytes(-len(raw) % 8) if code in places else b""
    return head + bytes(8) + values_behind + b"".join(struct.pack("<I", len(b)) + b + b[-4:] for b in blocks)


def files(random, count, level):
    """`count` of them; each hundredth is the first again."""
    made = [tiff(scene(random), level) for _ in range(min(count, 100))]
    for number in range(count):
        yield made[number % len(made)]
