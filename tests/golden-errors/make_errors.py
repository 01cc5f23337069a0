#!/usr/bin/env python3
"""Makes bad datasets by patching named offsets of the golden ones. Only the Python standard library.

    make_errors.py GOLDEN_FOLDER OUTPUT_FOLDER

A payload is patched in place, at its length, and its CRC-32 is set right: each file has the one fault that its name says.
Prints `name: fault`. FOLDER datasets and TACOCAT files are made as well.
"""
import json
import shutil
import struct
import sys
import zipfile
import zlib
from pathlib import Path

# TACO_HEADER, from the start of the file.
NAME, COUNT, FIRST_PAIR, PAIR = 30, 41, 45, 16
# Local header, central record, end record, from their starts.
LOCAL_CRC, CENTRAL_CRC = 14, 16
CENTRAL_METHOD, CENTRAL_FLAGS, CENTRAL_SIZES, CENTRAL_LOCAL_OFFSET = 10, 8, 20, 42
END_DIRECTORY_SIZE, END_DIRECTORY_OFFSET = 12, 16
# __TACOCAT__.
TACOCAT_VERSION, TACOCAT_DEPTH, TACOCAT_FIRST_PAIR, TACOCAT_COLLECTION = 8, 12, 16, 112

LEVEL0, COLLECTION = "METADATA/level0.parquet", "COLLECTION.json"


class Archive:
    """The bytes of a golden ZIP and where its records are."""

    def __init__(self, path):
        self.bytes = bytearray(path.read_bytes())
        self.local, self.payload, self.size, self.central = {}, {}, {}, {}
        with zipfile.ZipFile(path) as archive:
            at = self.directory = archive.start_dir
            for info in archive.infolist():
                name, extra = struct.unpack_from("<HH", self.bytes, info.header_offset + 26)
                self.local[info.filename] = info.header_offset
                self.payload[info.filename] = info.header_offset + 30 + name + extra
                self.size[info.filename] = info.file_size
                self.central[info.filename] = at
                at += 46 + sum(struct.unpack_from("<HHH", self.bytes, at + 28))
        self.end = at

    def put(self, offset, form, *values):
        struct.pack_into(form, self.bytes, offset, *values)

    def fix_crc(self, name):
        start = self.payload[name]
        crc = zlib.crc32(self.bytes[start:start + self.size[name]])
        self.put(self.local[name] + LOCAL_CRC, "<I", crc)
        self.put(self.central[name] + CENTRAL_CRC, "<I", crc)

    def header(self, offset, form, *values):
        self.put(offset, form, *values)
        self.fix_crc("TACO_HEADER")

    def get(self, name):
        return bytes(self.bytes[self.payload[name]:self.payload[name] + self.size[name]])

    def set(self, name, data):
        assert len(data) == self.size[name], name
        self.bytes[self.payload[name]:self.payload[name] + len(data)] = data
        self.fix_crc(name)

    def replace(self, name, old, new):
        """Every occurrence; equal lengths."""
        assert len(old) == len(new) and old in self.get(name), (name, old)
        self.set(name, self.get(name).replace(old, new))

    def edit_json(self, edit):
        """The document is shorter without its indentation: blanks fill the rest."""
        document = json.loads(self.get(COLLECTION))
        edit(document)
        self.set(COLLECTION, json.dumps(document).encode().ljust(self.size[COLLECTION]))


ERRORS = []


def error(base, suffix=".tacozip"):
    def keep(function):
        ERRORS.append((base, suffix, function))
        return function
    return keep


# ------------------------------------------------------------------------------------------------------- TACO_HEADER


@error("flat_plain.tacozip")
def count_9(a):
    """TACO_HEADER counts 9 entries"""
    a.header(COUNT, "<B", 9)


@error("flat_plain.tacozip")
def count_1(a):
    """TACO_HEADER counts 1 entry: no level"""
    a.header(COUNT, "<B", 1)


@error("flat_plain.tacozip")
def range_outside(a):
    """the range of level 0 ends behind the file"""
    a.header(FIRST_PAIR + 8, "<Q", len(a.bytes))


@error("flat_plain.tacozip")
def range_overflow(a):
    """offset + size of level 0 is more than 2^64"""
    a.header(FIRST_PAIR, "<QQ", 2**64 - 16, 4096)


@error("flat_plain.tacozip")
def range_empty(a):
    """the range of level 0 is (0, 0)"""
    a.header(FIRST_PAIR, "<QQ", 0, 0)


@error("nested.tacozip")
def missing_level(a):
    """level 1 is in the pit schema but neither in TACO_HEADER nor in the central directory"""
    collection = struct.unpack_from("<QQ", a.bytes, FIRST_PAIR + 2 * PAIR)
    a.header(COUNT, "<B", 2)
    a.header(FIRST_PAIR + PAIR, "<4Q", *collection, 0, 0)
    for record, skip in ((a.local, 30), (a.central, 46)):
        at = record["METADATA/level1.parquet"] + skip
        a.bytes[at:at + 23] = b"METADATA/levelX.parquet"


@error("flat_plain.tacozip")
def wrong_magic(a):
    """the file does not start with a local header, and its end record is gone"""
    a.bytes[0:4] = b"PK\3\5"
    a.bytes[a.end:a.end + 4] = b"PK\5\7"


# --------------------------------------------------------------------------------------------------------------- ZIP


@error("flat_plain.tacozip")
def truncated_end(a):
    """the last 30 bytes are missing: no end record"""
    del a.bytes[-30:]


@error("flat_plain.tacozip")
def truncated_half(a):
    """the second half is missing: the levels and COLLECTION.json too"""
    del a.bytes[len(a.bytes) // 2:]


@error("flat_plain.tacozip")
def truncated_header(a):
    """only the first 100 bytes"""
    del a.bytes[100:]


@error("flat_plain.tacozip")
def empty_file(a):
    """0 bytes"""
    a.bytes.clear()


@error("flat_plain.tacozip")
def overlapping_entries(a):
    """DATA/valencia runs over DATA/madrid; both are listed and have right checksums"""
    first, second = "DATA/valencia", "DATA/madrid"
    a.size[first] = a.payload[second] + a.size[second] - a.payload[first]
    a.put(a.local[first] + 18, "<II", a.size[first], a.size[first])
    a.put(a.central[first] + CENTRAL_SIZES, "<II", a.size[first], a.size[first])
    a.fix_crc(first)


@error("flat_plain.tacozip")
def same_local_header(a):
    """two central records point to one local header"""
    a.put(a.central["DATA/madrid"] + CENTRAL_LOCAL_OFFSET, "<I", a.local["DATA/valencia"])


@error("header_absent.tacozip")
def directory_outside(a):
    """no TACO_HEADER, and the central directory lies behind the file"""
    a.put(a.end + END_DIRECTORY_OFFSET, "<I", len(a.bytes) + 1)


@error("header_absent.tacozip")
def directory_cut(a):
    """no TACO_HEADER, and the central directory is said to end inside its last record"""
    size, = struct.unpack_from("<I", a.bytes, a.end + END_DIRECTORY_SIZE)
    a.put(a.end + END_DIRECTORY_SIZE, "<I", size - 10)


@error("header_absent.tacozip")
def deflated_level(a):
    """no TACO_HEADER, and level 0 is said to be deflated"""
    a.put(a.local[LEVEL0] + 8, "<H", 8)
    a.put(a.central[LEVEL0] + CENTRAL_METHOD, "<H", 8)


@error("flat_plain.tacozip")
def encrypted_entry(a):
    """DATA/valencia has the encryption flag"""
    a.put(a.local["DATA/valencia"] + 6, "<H", 1)
    a.put(a.central["DATA/valencia"] + CENTRAL_FLAGS, "<H", 1)


@error("flat_plain.tacozip")
def data_bad_crc(a):
    """one bit of DATA/madrid is flipped; opening works, a deep check names the entry"""
    a.bytes[a.payload["DATA/madrid"]] ^= 1


# ------------------------------------------------------------------------------------------------------------ level 0


@error("flat_plain.tacozip")
def id_parent(a):
    """an id is ../rid"""
    a.replace(LEVEL0, b"\6\0\0\0madrid", b"\6\0\0\0../rid")


@error("flat_plain.tacozip")
def id_climbs(a):
    """an id is ./.."""
    a.replace(LEVEL0, b"\4\0\0\0suva", b"\4\0\0\0./..")


@error("flat_plain.tacozip")
def id_absolute(a):
    """an id is /tmp/x"""
    a.replace(LEVEL0, b"\6\0\0\0madrid", b"\6\0\0\0/tmp/x")


@error("flat_plain.tacozip")
def id_backslash(a):
    r"""an id is ..\rid"""
    a.replace(LEVEL0, b"\6\0\0\0madrid", b"\6\0\0\0..\\rid")


@error("flat_plain.tacozip")
def id_nul(a):
    """an id holds a NUL byte"""
    a.replace(LEVEL0, b"\6\0\0\0madrid", b"\6\0\0\0mad\0id")


@error("flat_plain.tacozip")
def id_not_utf8(a):
    """an id holds the byte FF"""
    a.replace(LEVEL0, b"\6\0\0\0madrid", b"\6\0\0\0mad\xffid")


@error("flat_plain.tacozip")
def id_null(a):
    """all ids are null: the run of 5 definition levels 1 is a run of 0"""
    a.replace(LEVEL0, b"\2\0\0\0\x0a\1\x08\0\0\0valencia", b"\2\0\0\0\x0a\0\x08\0\0\0valencia")


@error("flat_plain.tacozip")
def no_id_column(a):
    """the column `id` of level 0 is called `ix` (schema and column chunk)"""
    a.replace(LEVEL0, b"\x02id", b"\x02ix")


@error("flat_plain.tacozip")
def type_other(a):
    """the type of every row is LINK"""
    a.replace(LEVEL0, b"\4\0\0\0FILE", b"\4\0\0\0LINK")


@error("flat_plain.tacozip")
def row_outside(a):
    """the first row's internal:offset is behind the file"""
    offset = struct.pack("<Q", a.payload["DATA/valencia"])
    a.replace(LEVEL0, offset, struct.pack("<Q", 10**9))


@error("flat_plain.tacozip")
def row_negative(a):
    """the first row's internal:offset is -1"""
    offset = struct.pack("<Q", a.payload["DATA/valencia"])
    a.replace(LEVEL0, offset, struct.pack("<q", -1))


@error("flat_plain.tacozip")
def encrypted_parquet(a):
    """level 0 starts and ends with PARE: encrypted"""
    a.set(LEVEL0, b"PARE" + a.get(LEVEL0)[4:-4] + b"PARE")


@error("flat_plain.tacozip")
def not_parquet(a):
    """level 0 is zeros"""
    a.set(LEVEL0, bytes(a.size[LEVEL0]))


@error("flat_plain.tacozip")
def footer_length(a):
    """the footer of level 0 is said to be longer than the file"""
    a.set(LEVEL0, a.get(LEVEL0)[:-8] + struct.pack("<I", 2**31 - 1) + b"PAR1")


@error("nested.tacozip")
def meta_not_parquet(a):
    """DATA/asia/__meta__ is zeros: the dataset opens, reading `asia` fails"""
    a.set("DATA/asia/__meta__", bytes(a.size["DATA/asia/__meta__"]))


# --------------------------------------------------------------------------------------------------- COLLECTION.json


@error("flat_plain.tacozip")
def not_json(a):
    """COLLECTION.json is text"""
    a.set(COLLECTION, b"This is not JSON.".ljust(a.size[COLLECTION]))


@error("flat_plain.tacozip")
def json_array(a):
    """COLLECTION.json is an array"""
    a.set(COLLECTION, b"[1, 2]".ljust(a.size[COLLECTION]))


@error("flat_plain.tacozip")
def json_deep(a):
    """COLLECTION.json is nested 300 deep"""
    a.set(COLLECTION, (b"[" * 300 + b"]" * 300).ljust(a.size[COLLECTION]))


@error("flat_plain.tacozip")
def json_not_utf8(a):
    """COLLECTION.json is not UTF-8"""
    a.replace(COLLECTION, b"Golden dataset", b"Golden\xff\xfeataset")


@error("flat_plain.tacozip")
def no_id(a):
    """COLLECTION.json has no id"""
    a.edit_json(lambda document: document.pop("id"))


@error("flat_plain.tacozip")
def id_number(a):
    """the id of the collection is a number"""
    a.edit_json(lambda document: document.update(id=7))


@error("flat_plain.tacozip")
def pit_absent(a):
    """COLLECTION.json has no taco:pit_schema"""
    a.edit_json(lambda document: document.pop("taco:pit_schema"))


PIT = {
    "pit_no_root": {"hierarchy": {}},
    "pit_root_type": {"root": {"n": 3, "type": "OTHER"}, "hierarchy": {}},
    "pit_negative_n": {"root": {"n": -3, "type": "FOLDER"}, "hierarchy": {}},
    "pit_text_n": {"root": {"n": "3", "type": "FOLDER"}, "hierarchy": {}},
    "pit_no_hierarchy": {"root": {"n": 3, "type": "FOLDER"}},
    "pit_depth_word": {"root": {"n": 3, "type": "FOLDER"}, "hierarchy": {"one": [{"n": 9, "type": ["FILE"], "id": ["a"]}]}},
    "pit_depth_gap": {"root": {"n": 3, "type": "FOLDER"}, "hierarchy": {"2": [{"n": 9, "type": ["FILE"], "id": ["a"]}]}},
    "pit_depth_6": {"root": {"n": 3, "type": "FOLDER"},
                    "hierarchy": {str(k): [{"n": 3, "type": ["FOLDER"], "id": ["a"]}] for k in range(1, 7)}},
    "pit_empty_pattern": {"root": {"n": 3, "type": "FOLDER"}, "hierarchy": {"1": [{"n": 9, "type": [], "id": []}]}},
    "pit_lengths_differ": {"root": {"n": 3, "type": "FOLDER"},
                           "hierarchy": {"1": [{"n": 9, "type": ["FILE", "FILE"], "id": ["a"]}]}},
    "pit_child_type": {"root": {"n": 3, "type": "FOLDER"}, "hierarchy": {"1": [{"n": 9, "type": ["DIR"], "id": ["a"]}]}},
    "pit_not_a_list": {"root": {"n": 3, "type": "FOLDER"}, "hierarchy": {"1": {"n": 9, "type": ["FILE"], "id": ["a"]}}},
}


def pit_error(name, schema):
    def patch(a):
        a.edit_json(lambda document: document.update({"taco:pit_schema": schema}))
    patch.__name__ = name
    patch.__doc__ = f"taco:pit_schema is {json.dumps(schema)}"
    error("nested.tacozip")(patch)


for pit_name, pit in PIT.items():
    pit_error(pit_name, pit)

# ------------------------------------------------------------------------------------------------- __TACOCAT__, FOLDER


def tacocats(golden, out):
    good = (golden / "cascade_tacocat/__TACOCAT__").read_bytes()
    faults = {
        "tacocat_magic": (0, b"TACODOG\0"), "tacocat_version_2": (TACOCAT_VERSION, struct.pack("<I", 2)),
        "tacocat_depth_6": (TACOCAT_DEPTH, struct.pack("<I", 6)),
        "tacocat_level_absent": (TACOCAT_FIRST_PAIR + PAIR, struct.pack("<QQ", 0, 0)),
        "tacocat_level_outside": (TACOCAT_FIRST_PAIR, struct.pack("<QQ", 128, len(good))),
        "tacocat_level_in_header": (TACOCAT_FIRST_PAIR, struct.pack("<QQ", 64, 100)),
        "tacocat_no_collection": (TACOCAT_COLLECTION, struct.pack("<QQ", 0, 0)),
    }
    for name, (offset, data) in faults.items():
        (out / name).mkdir()
        (out / name / "__TACOCAT__").write_bytes(good[:offset] + data + good[offset + len(data):])
        yield name, f"__TACOCAT__ with {data!r} at {offset}"
    (out / "tacocat_truncated").mkdir()
    (out / "tacocat_truncated/__TACOCAT__").write_bytes(good[:100])
    yield "tacocat_truncated", "__TACOCAT__ of 100 bytes"


def folders(golden, out):
    for name, lost in (("folder_missing_level", "METADATA/level1.parquet"), ("folder_missing_meta", "DATA/asia/__meta__"),
                       ("folder_missing_file", "DATA/asia/item_1"), ("folder_no_collection", "COLLECTION.json")):
        shutil.copytree(golden / "nested", out / name, copy_function=shutil.copyfile)
        (out / name / lost).unlink()
        yield name, f"a FOLDER dataset without {lost}"
    shutil.copytree(golden / "cascade_tacocat", out / "tacocat_missing_part", copy_function=shutil.copyfile)
    (out / "tacocat_missing_part/cascade_part0003.tacozip").unlink()
    yield "tacocat_missing_part", "a TACOCAT whose third ZIP is gone: opens, reading `americas` fails"


def main(golden, out):
    out.mkdir(parents=True, exist_ok=True)
    for base, suffix, patch in ERRORS:
        archive = Archive(golden / base)
        patch(archive)
        (out / (patch.__name__ + suffix)).write_bytes(archive.bytes)
        print(f"{patch.__name__}{suffix}: {patch.__doc__}")
    for maker in (tacocats, folders):
        for name, fault in maker(golden, out):
            print(f"{name}: {fault}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
