"""Small Parquet tables that lie, for the fuzz targets and tests/mutate/lying_tables.cpp. Only the Python standard library.

Each is the level 0 of a FOLDER with the samples a, b and c, whose column `v` is 1, 2, 3 or has a text for each. What a
file lies about is what its name says; the idea is that of the bad_data of apache/parquet-testing, the bytes are our own.
"""
import struct
import zlib

BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED = range(8)
PLAIN, PLAIN_DICTIONARY, RLE, DELTA, DELTA_LENGTH, DELTA_TEXT, RLE_DICTIONARY, SPLIT = 0, 2, 3, 5, 6, 7, 8, 9
REQUIRED, OPTIONAL, REPEATED = range(3)
RAW, SNAPPY, GZIP, ZSTD = 0, 1, 2, 6
DATA, DICTIONARY, DATA_V2 = 0, 2, 3
ROWS = 3


# ------------------------------------------------------------------------------------- Thrift's compact protocol


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def gzip(data):
    packer = zlib.compressobj(wbits=31)
    return packer.compress(data) + packer.flush()


def zigzag(value):
    return varint((value << 1 ^ value >> 63) & (1 << 64) - 1)


class Text(bytes):
    """Bytes of a text; other bytes are a structure that is written already."""


class Raw:
    """A field as it is, with its type."""

    def __init__(self, kind, data):
        self.kind, self.data = kind, data


def encoded(value):
    if isinstance(value, Raw):
        return value.kind, value.data
    if isinstance(value, int):
        return 6, zigzag(value)
    if isinstance(value, Text):
        return 8, varint(len(value)) + value
    if isinstance(value, list):
        items = [encoded(item) for item in value]
        kind = items[0][0] if items else 12
        head = bytes([len(items) << 4 | kind]) if len(items) < 15 else bytes([0xF0 | kind]) + varint(len(items))
        return 9, head + b"".join(data for _, data in items)
    return 12, value


def i32(value):
    return Raw(5, zigzag(value))


def thrift(fields):
    """A structure of {number: value}; None is left out."""
    out, last = b"", 0
    for number in sorted(fields):
        if fields[number] is None:
            continue
        kind, data = encoded(fields[number])
        step = number - last
        out += (bytes([step << 4 | kind]) if step < 16 else bytes([kind]) + zigzag(number)) + data
        last = number
    return out + b"\0"


# ------------------------------------------------------------------------------------------------------ tables


def text_values(*texts):
    return b"".join(struct.pack("<I", len(t)) + t for t in texts)


def page(data, kind=DATA, encoding=PLAIN, values=ROWS, codec=RAW, stated=None, **lies):
    """A page with its header; `data` as it is in the file. Lies: uncompressed, compressed, header."""
    stated = len(data) if stated is None else stated
    fields = {1: i32(kind), 2: i32(lies.get("uncompressed", stated)), 3: i32(lies.get("compressed", len(data)))}
    if kind == DATA:
        fields[5] = thrift({1: i32(values), 2: i32(encoding), 3: i32(RLE), 4: i32(RLE)})
    elif kind == DICTIONARY:
        fields[7] = thrift({1: i32(values), 2: i32(encoding)})
    else:
        fields[8] = thrift({1: i32(values), 2: i32(lies.get("nulls", 0)), 3: i32(lies.get("rows", values)), 4: i32(encoding),
                            5: i32(lies.get("definition", 0)), 6: i32(lies.get("repetition", 0)), 7: Raw(2, b"")})
    return lies.get("header", thrift(fields)) + data


class Column:
    """A column; `pages` as they are in the file. Lies: what its footer says of it."""

    def __init__(self, name, kind, pages, repetition=REQUIRED, codec=RAW, text=False, dictionary=False, length=None, **lies):
        self.name, self.kind, self.pages, self.repetition = name, kind, pages, repetition
        self.codec, self.text, self.dictionary, self.length, self.lies = codec, text, dictionary, length, lies

    def schema(self):
        return thrift({1: i32(self.kind), 2: None if self.length is None else i32(self.length), 3: i32(self.repetition),
                       4: Text(self.name.encode()), 5: self.lies.get("children"), 6: i32(0) if self.text else None})

    def chunk(self, offset):
        lies, size = self.lies, sum(map(len, self.pages))
        first_data = offset + (len(self.pages[0]) if self.dictionary else 0)
        metadata = thrift({
            1: i32(lies.get("stated_kind", self.kind)), 2: [i32(PLAIN), i32(RLE)], 3: [Text(self.name.encode())],
            4: i32(lies.get("codec", self.codec)), 5: lies.get("values", ROWS), 6: lies.get("uncompressed", size),
            7: lies.get("compressed", size), 9: lies.get("offset", first_data),
            11: lies.get("dictionary_offset", offset if self.dictionary else None), 12: lies.get("statistics")})
        return thrift({2: offset, 3: metadata, 8: lies.get("crypto"), 9: lies.get("encrypted")})


def table(*columns, **lies):
    return rows_of(ROWS, Column("id", BYTE_ARRAY, [page(text_values(b"a", b"b", b"c"))], text=True),
                   Column("type", BYTE_ARRAY, [page(text_values(*[b"FILE"] * ROWS))], text=True), *columns, **lies)


def rows_of(rows, *columns, magic=b"PAR1", **lies):
    """Lies: num_rows, group_rows, num_groups, num_chunks, children, schema, groups, more (fields of the footer), length."""
    out, chunks = b"PAR1", []
    for column in columns:
        chunks.append(column.chunk(len(out)))
        out += b"".join(column.pages)
    root = thrift({4: Text(b"schema"), 5: i32(lies.get("children", len(columns)))})
    group = thrift({1: chunks[:lies.get("num_chunks")], 2: len(out), 3: lies.get("group_rows", rows)})
    fields = {1: i32(2), 2: [root, *lies.get("schema", [c.schema() for c in columns])], 3: lies.get("num_rows", rows),
              4: lies.get("groups", [group] * lies.get("num_groups", 1)), 6: Text(b"tacore tests")}
    footer = thrift({**fields, **lies.get("more", {})})
    return out + footer + struct.pack("<I", lies.get("length", len(footer))) + magic


def numbers(pages=None, **lies):
    return table(Column("v", INT64, pages or [page(struct.pack("<3q", 1, 2, 3))], **lies))


def texts(pages, **lies):
    return table(Column("v", BYTE_ARRAY, pages, text=True, **lies))


def dictionary(indices, values=3, words=(b"x", b"yy", b"zzz"), **lies):
    """A dictionary page and a page of indices."""
    return [page(text_values(*words), DICTIONARY, PLAIN, values, **lies.get("dictionary", {})),
            page(indices, DATA, RLE_DICTIONARY, **lies.get("data", {}))]


def levels(data):
    return struct.pack("<I", len(data)) + data


def delta(block=128, miniblocks=4, count=ROWS, first=1, rest=None):
    """DELTA_BINARY_PACKED: 1, 2, 3 where nothing else is said."""
    rest = zigzag(1) + bytes(4) if rest is None else rest
    return varint(block) + varint(miniblocks) + varint(count) + zigzag(first) + rest


def good():
    plain = struct.pack("<3q", 1, 2, 3)
    yield "plain", numbers()
    yield "gzip", numbers([page(gzip(plain), stated=24)], codec=GZIP)
    yield "delta", numbers([page(delta(), encoding=DELTA)])
    yield "dictionary", texts(dictionary(b"\2\3\x24\0"), dictionary=True)
    yield "delta-text", texts([page(delta(first=0, rest=zigzag(0) + bytes(4)) + delta(first=1, rest=zigzag(0) + bytes(4)) + b"xyz",
                                    encoding=DELTA_TEXT)])
    yield "levels", numbers([page(levels(b"\6\1") + plain)], repetition=OPTIONAL)
    yield "v2", numbers([page(b"\6\1" + plain, DATA_V2, definition=2)], repetition=OPTIONAL)


def lying():
    plain, huge = struct.pack("<3q", 1, 2, 3), 2**31 - 1
    zipped = gzip(plain)
    # Page headers.
    for name, size in [("huge", huge), ("negative", -1), ("less", 8), ("zero", 0)]:
        yield f"page-uncompressed-{name}", numbers([page(plain, uncompressed=size)])
        yield f"page-compressed-{name}", numbers([page(plain, compressed=size)])
        yield f"gzip-uncompressed-{name}", numbers([page(zipped, uncompressed=size)], codec=GZIP)
    for name, values in [("huge", huge), ("negative", -1), ("more", 4), ("less", 2), ("none", 0)]:
        yield f"page-values-{name}", numbers([page(plain, values=values)])
        yield f"dictionary-values-{name}", texts(dictionary(b"\2\3\x24\0", values), dictionary=True)
    yield "page-header-empty", numbers([page(plain, header=b"\0")])
    yield "page-header-deep", numbers([page(plain, header=b"\x19" * 4000)])
    yield "page-header-structures", numbers([page(plain, header=b"\x1c" * 4000)])
    yield "page-header-list", numbers([page(plain, header=b"\x19\xf5" + varint(2**62))])
    yield "page-header-text", numbers([page(plain, header=b"\x18" + varint(2**62))])
    yield "page-kind", numbers([page(plain, 9)])
    yield "page-encoding", numbers([page(plain, encoding=77)])
    yield "page-dictionary-only", texts(dictionary(b"")[:1], dictionary=True)
    yield "page-two-dictionaries", texts(dictionary(b"")[:1] + dictionary(b"\2\3\x24\0"), dictionary=True)
    yield "page-dictionary-missing", texts(dictionary(b"\2\3\x24\0")[1:])
    # What is packed.
    yield "gzip-noise", numbers([page(b"\x1f\x8b" + bytes(range(30)), stated=24)], codec=GZIP)
    yield "gzip-more", numbers([page(gzip(plain + bytes(1 << 20)), stated=24)], codec=GZIP)
    yield "snappy-huge", numbers([page(varint(2**32 - 1) + b"\0x", stated=24)], codec=SNAPPY)
    yield "snappy-far", numbers([page(b"\x18\x02\xff\xff", stated=24)], codec=SNAPPY)
    zstd = struct.pack("<IBQ", 0xFD2FB528, 0xE0, 2**60) + b"\x01\0\0"
    yield "zstd-huge", numbers([page(zstd, stated=24)], codec=ZSTD)
    yield "zstd-window", numbers([page(struct.pack("<IBB", 0xFD2FB528, 0, 0xFF) + b"\x03\0\0x", stated=24)], codec=ZSTD)
    # Values.
    for name, length in [("huge", huge), ("negative", 2**32 - 1), ("more", 4)]:
        yield f"text-length-{name}", texts([page(text_values(b"x", b"y") + struct.pack("<I", length) + b"zzz")])
    yield "text-cut", texts([page(text_values(b"x", b"y") + b"\3\0")])
    yield "numbers-cut", numbers([page(plain[:20])])
    yield "index-outside", texts(dictionary(b"\2\6\3"), dictionary=True)
    yield "index-width-33", texts(dictionary(b"\x21\3\x24\0"), dictionary=True)
    yield "index-width-255", texts(dictionary(b"\xff\3\x24\0"), dictionary=True)
    yield "index-run-huge", texts(dictionary(b"\2" + varint(2 * huge) + b"\0"), dictionary=True)
    yield "index-run-zero", texts(dictionary(b"\2" + varint(0) * 9 + b"\0"), dictionary=True)
    yield "index-packed-huge", texts(dictionary(b"\2" + varint(2 * huge + 1) + b"\x24\0"), dictionary=True)
    yield "index-empty", texts(dictionary(b""), dictionary=True)
    yield "split-cut", numbers([page(plain[:23], encoding=SPLIT)])
    # Deltas.
    for name, numbers_of in [("block-zero", dict(block=0)), ("block-huge", dict(block=2**31)), ("block-odd", dict(block=100)),
                             ("miniblocks-zero", dict(miniblocks=0)), ("miniblocks-huge", dict(miniblocks=2**31)),
                             ("count-huge", dict(count=2**32)), ("count-more", dict(count=1000)), ("count-less", dict(count=1)),
                             ("width-65", dict(rest=zigzag(1) + b"\x41" * 4)), ("width-255", dict(rest=zigzag(1) + b"\xff" * 4)),
                             ("cut", dict(rest=b""))]:
        yield f"delta-{name}", numbers([page(delta(**numbers_of), encoding=DELTA)])
    nothing = zigzag(0) + bytes(4)
    for name, length in [("huge", 2**31 - 1), ("negative", -5), ("more", 2)]:
        yield f"delta-length-{name}", texts([page(delta(first=length, rest=nothing) + b"xyz", encoding=DELTA_LENGTH)])
        yield f"delta-prefix-{name}", texts([page(delta(first=length, rest=nothing) + delta(first=1, rest=nothing) + b"xyz",
                                                  encoding=DELTA_TEXT)])
    # Levels.
    for name, data in [("length-huge", struct.pack("<I", huge) + b"\6\1"), ("length-negative", struct.pack("<i", -1) + b"\6\1"),
                       ("run-huge", levels(varint(2 * huge) + b"\1")), ("run-short", levels(b"\2\1")),
                       ("above", levels(b"\6\7")), ("empty", levels(b""))]:
        yield f"levels-{name}", numbers([page(data + plain)], repetition=OPTIONAL)
    yield "levels-cut", numbers([page(b"\2")], repetition=OPTIONAL)
    for name, lies in [("definition-huge", dict(definition=huge)), ("definition-negative", dict(definition=-1)),
                       ("repetition-huge", dict(repetition=huge, definition=2)), ("nulls-huge", dict(definition=2, nulls=huge)),
                       ("nulls-negative", dict(definition=2, nulls=-1)), ("rows-huge", dict(definition=2, rows=huge))]:
        yield f"v2-{name}", numbers([page(b"\6\1" + plain, DATA_V2, **lies)], repetition=OPTIONAL)
    yield "list-starts-inside", numbers([page(levels(b"\6\1") + levels(b"\6\1") + plain)], repetition=REPEATED)
    yield "list-of-more", numbers([page(levels(b"\2\0\4\1") + levels(b"\6\1") + plain)], repetition=REPEATED)
    # The footer, of a column.
    for name, value in [("huge", 2**62), ("negative", -1), ("most", 2**63 - 1), ("zero", 0)]:
        for what in ["values", "uncompressed", "compressed", "offset", "dictionary_offset"]:
            yield f"column-{what.replace('_', '-')}-{name}", numbers(**{what: value})
    yield "column-offset-footer", numbers(offset=400)
    yield "column-kind", numbers(stated_kind=FLOAT)
    yield "column-codec", numbers(codec=99)
    yield "column-codec-other", numbers(codec=ZSTD)
    yield "column-statistics", numbers(statistics=thrift({1: Text(b"x"), 3: -5, 4: 2**60, 5: Text(b"xy"), 6: Text(b"")}))
    yield "fixed-length-huge", table(Column("v", FIXED, [page(plain)], length=huge))
    yield "fixed-length-negative", table(Column("v", FIXED, [page(plain)], length=-1))
    yield "fixed-length-zero", table(Column("v", FIXED, [page(plain)], length=0))
    yield "fixed-length-missing", table(Column("v", FIXED, [page(plain)]))
    # The footer, of all.
    column = Column("v", INT64, [page(plain)])
    for name, rows in [("huge", 2**62), ("negative", -1), ("more", 4), ("none", 0)]:
        yield f"rows-{name}", table(column, num_rows=rows)
        yield f"group-rows-{name}", table(column, num_rows=rows, group_rows=rows)
    yield "groups-overlap", table(column, num_groups=2, num_rows=2 * ROWS)
    yield "groups-missing-column", table(column, num_chunks=2)
    groups = lambda count: {4: Raw(9, b"\xfc" + varint(count))}
    yield "groups-huge", table(column, more=groups(2**31 - 1))
    yield "groups-2-63", table(column, more=groups(2**63))
    for name, children in [("huge", huge), ("negative", -1), ("more", 5), ("none", 0)]:
        yield f"schema-children-{name}", table(column, children=children)
    yield "schema-deep", table(column, children=1, schema=[thrift({4: Text(b"x"), 3: i32(0), 5: i32(1)})] * 2000)
    yield "schema-empty", table(column, more={2: Raw(9, b"\x0c")})
    yield "schema-name-huge", table(column, more={6: Raw(8, varint(2**31 - 1))})
    yield "footer-length-huge", table(column, length=2**32 - 1)
    yield "footer-length-zero", table(column, length=0)
    yield "footer-length-short", table(column, length=20)
    yield "footer-deep", table(column, more={6: None, 20: Raw(9, b"\x19" * 20000)})
    # Encryption: of the footer, and of columns under a footer in plain text.
    yield "encrypted-footer", table(column, magic=b"PARE")
    aes = thrift({1: thrift({2: Text(b"file"), 3: Raw(2, b"")})})
    yield "encrypted-columns", table(Column("v", INT64, [page(plain)], crypto=thrift({1: thrift({})})), more={8: aes})
    yield "encrypted-column-key", table(Column("v", INT64, [page(plain)], encrypted=Text(b"?" * 40),
                                               crypto=thrift({2: thrift({1: [Text(b"v")], 2: Text(b"key")})})), more={8: aes})
    yield "encrypted-column-alone", table(Column("v", INT64, [page(plain)], crypto=thrift({1: thrift({})})))
