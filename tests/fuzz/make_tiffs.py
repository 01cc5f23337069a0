"""Small TIFFs for the fuzz targets and for src/raster/tiff_damage_test.cpp. Only the Python standard library."""
import random
import struct
import zlib

NONE, LZW, DEFLATE, ZSTD = 1, 5, 8, 50000
UNSIGNED, SIGNED, FLOAT = 1, 2, 3
ASCII, SHORT, LONG, DOUBLE, LONG8 = 2, 3, 4, 12, 16
FORMATS = {ASCII: "B", SHORT: "H", LONG: "I", DOUBLE: "d", LONG8: "Q"}


def lzw(data):
    """TIFF 6.0, section 13: codes of 9 to 12 bits, the highest bit first, each width left one code early."""
    out, bits, held = bytearray(), 0, 0

    def put(code, width):
        nonlocal bits, held
        bits, held = bits << width | code, held + width
        while held >= 8:
            held -= 8
            out.append(bits >> held & 0xFF)

    put(256, 9)
    table, word, width = {bytes([k]): k for k in range(256)}, b"", 9
    for k in range(len(data)):
        longer = word + data[k:k + 1]
        if longer in table:
            word = longer
            continue
        put(table[word], width)
        table[longer] = len(table) + 2
        width = max(9, (len(table) + 2).bit_length())
        if len(table) + 2 == 4094:
            put(256, width)
            table, width = {bytes([k]): k for k in range(256)}, 9
        word = data[k:k + 1]
    if word:
        put(table[word], width)
        width = min(12, max(9, (len(table) + 3).bit_length()))
    put(257, width)
    put(0, -held % 8)
    return bytes(out)


def zstd(data):
    """RFC 8878: a frame of one segment; a run is an RLE block, anything else a raw one."""
    is_run = len(set(data)) == 1
    block = (len(data) << 3 | (1 if is_run else 0) << 1 | 1).to_bytes(3, "little")
    return struct.pack("<IBI", 0xFD2FB528, 0xA0, len(data)) + block + (data[:1] if is_run else data)


ENCODE = {NONE: bytes, LZW: lzw, DEFLATE: zlib.compress, ZSTD: zstd}


def differenced(rows, bands, size, order):
    """Predictor 2: each value less the one `bands` before it."""
    out = []
    for row in rows:
        values = [int.from_bytes(row[k:k + size], order) for k in range(0, len(row), size)]
        values = values[:bands] + [(b - a) % 256**size for a, b in zip(values, values[bands:])]
        out.append(b"".join(v.to_bytes(size, order) for v in values))
    return out


def split(rows, bands, size, order):
    """Predictor 3: the highest bytes of all values, the second ones, ...; then each byte less the one `bands` before it."""
    out = []
    for row in rows:
        planes = b"".join(row[k::size] for k in (range(size) if order == "big" else reversed(range(size))))
        out.append(planes[:bands] + bytes((b - a) % 256 for a, b in zip(planes, planes[bands:])))
    return out


def tiff(*, width=20, height=18, bands=1, size=2, kind=UNSIGNED, compression=NONE, predictor=1, planar=False, tile=None, rows=5,
         order="little", big=False, nodata=None, metadata=None, geo=False, missing=(), pages=1):
    """A whole file: header, directory, blocks. `missing` are numbers of blocks that are left out."""
    noise = random.Random(1)
    pixels = [[[bytes([(3 * x + 5 * y + 7 * b) % 256] + [y // 4] * (size - 2) + ([noise.randrange(64)] if size > 1 else []))
                for b in range(bands)] for x in range(width)] for y in range(height)]
    across, down = tile or (width, rows)
    blocks = []
    for plane in [[b] for b in range(bands)] if planar else [list(range(bands))]:
        for top in range(0, height, down):
            for left in range(0, width, across):
                if len(blocks) in missing:
                    blocks.append(b"")
                    continue
                lines = range(top, top + down if tile else min(height, top + down))
                cells = [b"".join(pixels[y][x][b] if y < height and x < width else bytes(size)
                                  for x in range(left, left + across) for b in plane) for y in lines]
                if order == "big":
                    cells = [b"".join(row[k:k + size][::-1] for k in range(0, len(row), size)) for row in cells]
                if predictor > 1:
                    cells = (differenced if predictor == 2 else split)(cells, len(plane), size, order)
                blocks.append(ENCODE[compression](b"".join(cells)))
    mark, offset = "<" if order == "little" else ">", LONG8 if big else LONG
    layout = [(322, SHORT, [tile[0]]), (323, SHORT, [tile[1]])] if tile else [(278, SHORT, [rows])]
    tags = [(256, SHORT, [width]), (257, SHORT, [height]), (258, SHORT, [8 * size] * bands), (259, SHORT, [compression]),
            (262, SHORT, [1]), (277, SHORT, [bands]), (284, SHORT, [2 if planar else 1]), (317, SHORT, [predictor]), *layout,
            (339, SHORT, [kind] * bands), (324 if tile else 273, offset, [0] * len(blocks)),
            (325 if tile else 279, offset, [len(b) for b in blocks])]
    if bands > 1:
        tags.append((338, SHORT, [0] * (bands - 1)))
    if geo:
        tags += [(33550, DOUBLE, [10, 10, 0]), (33922, DOUBLE, [0, 0, 0, 5e5, 4e6, 0]),
                 (34735, SHORT, [1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32719])]
    tags += [(code, ASCII, text.encode() + b"\0") for code, text in [(42112, metadata), (42113, nodata)] if text]
    return assemble(sorted(tags, key=lambda tag: tag[0]), blocks, mark, big, pages)


def assemble(tags, blocks, mark, big, pages):
    entry, word, head = (20, 8, 16) if big else (12, 4, 8)
    offset_format = "Q" if big else "I"
    length = (8 if big else 2) + entry * len(tags) + word
    at = head + length * pages
    far = {}  # where values lie that do not fit their entry
    for code, kind, values in tags:
        bytes_of = struct.calcsize(FORMATS[kind]) * len(values)
        if bytes_of > word:
            far[code] = at
            at += bytes_of + bytes_of % 2
    starts = []
    for block in blocks:
        starts.append(at if block else 0)
        at += len(block)
    tags = [(code, kind, starts if code in (273, 324) else values) for code, kind, values in tags]
    out = bytearray((b"II" if mark == "<" else b"MM") + (struct.pack(mark + "HHHQ", 43, 8, 0, 16) if big else struct.pack(mark + "HI", 42, 8)))
    for page in range(pages):
        out += struct.pack(mark + ("Q" if big else "H"), len(tags))
        for code, kind, values in tags:
            raw = struct.pack(f"{mark}{len(values)}{FORMATS[kind]}", *values)
            out += struct.pack(mark + "HH" + offset_format, code, kind, len(values))
            out += struct.pack(mark + offset_format, far[code]) if code in far else raw.ljust(word, b"\0")
        out += struct.pack(mark + offset_format, head + length * (page + 1) if page + 1 < pages else 0)
    for code, kind, values in tags:
        if code in far:
            raw = struct.pack(f"{mark}{len(values)}{FORMATS[kind]}", *values)
            out += raw + bytes(len(raw) % 2)
    return bytes(out) + b"".join(blocks)


def good():
    """Name and bytes of files that are right, one for each thing that a decoder does differently."""
    xml = '<GDALMetadata><Item name="INTERLEAVE" sample="0">TILE</Item></GDALMetadata>'
    return {
        "u8-lzw-strips": tiff(size=1, compression=LZW, bands=3, predictor=2),
        "u16-none-strips": tiff(geo=True),
        "u16-none-big-endian": tiff(order="big", bands=3, planar=True),
        "u16-zstd-tiles-big": tiff(compression=ZSTD, predictor=2, bands=3, planar=True, tile=(16, 16), big=True, nodata="7", metadata=xml, missing=(1,)),
        "u16-deflate-tiles-big-endian": tiff(compression=DEFLATE, predictor=2, bands=2, tile=(16, 16), order="big", big=True),
        "i32-lzw-tiles": tiff(size=4, kind=SIGNED, compression=LZW, predictor=2, tile=(32, 16)),
        "u64-zstd-strips": tiff(size=8, compression=ZSTD, predictor=2, rows=18),
        "f32-deflate-tiles": tiff(size=4, kind=FLOAT, compression=DEFLATE, predictor=3, bands=2, tile=(16, 16), nodata="nan", missing=(3,)),
        "f64-lzw-big-endian": tiff(size=8, kind=FLOAT, compression=LZW, predictor=3, order="big"),
        "pages": tiff(pages=3, rows=18, compression=DEFLATE),
        "nothing-stored": tiff(compression=ZSTD, tile=(16, 16), missing=range(4), nodata="9"),
    }


def patched(data, code, *, kind=None, count=None, value=None):
    """A little-endian classic TIFF with one entry of its directory changed."""
    out = bytearray(data)
    at = 10
    while struct.unpack_from("<H", out, at)[0] != code:
        at += 12
    for form, place, number in [("<H", 2, kind), ("<I", 4, count), ("<I", 8, value)]:
        if number is not None:
            struct.pack_into(form, out, at + place, number)
    return bytes(out)


def odd():
    """Files that lie about what is not needed."""
    pages = tiff(pages=3)
    loop = bytearray(pages)
    second = struct.unpack_from("<I", loop, 10 + 12 * struct.unpack_from("<H", loop, 8)[0])[0]
    struct.pack_into("<I", loop, second + 2 + 12 * struct.unpack_from("<H", loop, second)[0], 8)
    return {"loop-of-directories": bytes(loop), "rows-per-strip-4294967295": patched(tiff(rows=18), 278, kind=LONG, value=2**32 - 1)}


def bad():
    """Files that lie."""
    plain = tiff()
    return {
        "directory-behind-the-end": plain[:4] + struct.pack("<I", len(plain)) + plain[8:],
        "width-0": patched(plain, 256, value=0),
        "width-4294967295": patched(plain, 256, kind=LONG, value=2**32 - 1),
        "rows-per-strip-0": patched(plain, 278, value=0),
        "bands-65535": patched(plain, 277, value=65535),
        "one-strip-missing": patched(plain, 273, count=3),
        "strips-4294967295": patched(plain, 273, count=2**32 - 1, value=len(plain) - 8),
        "offsets-behind-the-end": patched(plain, 273, value=len(plain)),
        "offset-of-a-strip-behind-the-end": patched(tiff(rows=18), 273, value=2**32 - 1),
        "byte-count-4294967295": patched(tiff(rows=18), 279, value=2**32 - 1),
        "byte-count-1": patched(tiff(rows=18, compression=DEFLATE), 279, value=1),
        "tile-0": patched(tiff(tile=(16, 16)), 322, value=0),
        "tile-65535": patched(tiff(tile=(16, 16), compression=ZSTD), 322, value=65535),
        "bits-16-8": patched(tiff(bands=2), 258, value=16 | 8 << 16),
        "compression-7": patched(plain, 259, value=7),
        "predictor-3-of-integers": patched(tiff(compression=DEFLATE), 317, value=3),
    }
