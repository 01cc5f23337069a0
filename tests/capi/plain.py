#!/usr/bin/env python3
"""TACORE_PLAIN streams against pyarrow: the same rows without the flag, cast by pyarrow.     plain.py LIBRARY

Every type of SQL that tacore's engine returns, with nulls, empty and nested. Plain rows have a dozen types, one batch, offset 0,
and a validity bitmap only where there are nulls. 77 without pyarrow.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Any

try:
    import pyarrow as pa
except ImportError:
    print("skipped: pyarrow is not installed")
    sys.exit(77)

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ctypes.CDLL(sys.argv[1])
LIBRARY.tacore_error_text.restype = ctypes.c_char_p
LIBRARY.tacore_buffer_data.restype = ctypes.c_void_p
LIBRARY.tacore_buffer_size.restype = ctypes.c_size_t
PLAIN = 2
# SQL of a value, and the type that plain rows have.
COLUMNS: dict[str, tuple[str, pa.DataType]] = {
    "a_bool": ("n % 2 = 0", pa.bool_()),
    "a_tinyint": ("n::TINYINT", pa.int32()),
    "a_utinyint": ("(200 + n)::UTINYINT", pa.int32()),
    "a_smallint": ("(-300 * n)::SMALLINT", pa.int32()),
    "a_usmallint": ("(60000 + n)::USMALLINT", pa.int32()),
    "an_int": ("(-100000 * n)::INTEGER", pa.int32()),
    "a_uint": ("(4000000000 + n)::UINTEGER", pa.int64()),
    "a_bigint": ("(n - 9007199254740995)::BIGINT", pa.int64()),
    "a_ubigint": ("(9223372036854775700 + n)::UBIGINT", pa.int64()),
    "a_float": ("(n / 3)::FLOAT", pa.float64()),
    "a_double": ("CASE n WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN '-inf'::DOUBLE ELSE n / 3.0 END", pa.float64()),
    "a_decimal": ("(n * 1.37)::DECIMAL(9, 2)", pa.float64()),
    "a_text": ("CASE n WHEN 0 THEN '' ELSE 'é' || repeat('€', n) END", pa.utf8()),
    "an_enum": ("CASE n % 2 WHEN 0 THEN 'a' ELSE 'b' END", pa.utf8()),
    "a_blob": ("encode(repeat('x', n))", pa.binary()),
    "a_date": ("DATE '1969-12-30' + n::INTEGER", pa.date32()),
    "a_timestamp": ("TIMESTAMP '1969-12-31 23:59:59.999999' + INTERVAL (n) HOUR", pa.timestamp("us", tz="UTC")),
    "a_timestamp_s": ("(TIMESTAMP '2020-01-01' + INTERVAL (n) DAY)::TIMESTAMP_S", pa.timestamp("us", tz="UTC")),
    "a_timestamp_ns": ("(TIMESTAMP '2020-01-01 00:00:00.000001' + INTERVAL (n) DAY)::TIMESTAMP_NS", pa.timestamp("us", tz="UTC")),
    "a_list": ("CASE n WHEN 1 THEN [] ELSE [n, NULL, n + 1] END", pa.list_(pa.int64())),
    "a_list_of_lists": ("[[n::TINYINT], NULL, []]", pa.list_(pa.list_(pa.int32()))),
    "a_struct": ("{'x': n::FLOAT, 'y': {'z': 'text ' || n, 'w': [DATE '2020-01-01']}}",
                 pa.struct([("x", pa.float64()), ("y", pa.struct([("z", pa.utf8()), ("w", pa.list_(pa.date32()))]))])),
}  # fmt: skip
REFUSED = {"a_time": "TIME '12:00:00'", "an_interval": "INTERVAL 1 DAY", "a_huge_ubigint": "18446744073709551615::UBIGINT",
           "a_nanosecond": "'2020-01-01 00:00:00.000000001'::TIMESTAMP_NS"}  # fmt: skip


def check(status: int, error: ctypes.c_void_p) -> None:
    assert status == 0, LIBRARY.tacore_error_text(error)


def rows_of(query: str) -> ctypes.c_void_p:
    paths = (ctypes.c_char_p * 1)(str(ROOT / "examples/data/landsat.tacozip").encode())
    dataset, out, rows, error = (ctypes.c_void_p() for _ in range(4))
    check(LIBRARY.tacore_open(paths, ctypes.c_size_t(1), None, ctypes.byref(dataset), ctypes.byref(error)), error)
    check(LIBRARY.tacore_dataset_sql(dataset, query.encode(), ctypes.byref(out), ctypes.byref(error)), error)
    check(LIBRARY.tacore_dataset_rows(out, 0, ctypes.byref(rows), ctypes.byref(error)), error)
    return rows


def read(rows: ctypes.c_void_p, flags: int) -> list[pa.RecordBatch]:
    stream, error = (ctypes.c_void_p * 5)(), ctypes.c_void_p()
    check(LIBRARY.tacore_frame_stream(rows, flags, stream, ctypes.byref(error)), error)
    return list(pa.RecordBatchReader._import_from_c(ctypes.addressof(stream)))


def ipc(rows: ctypes.c_void_p, flags: int) -> pa.Table:
    buffer, error = ctypes.c_void_p(), ctypes.c_void_p()
    check(LIBRARY.tacore_frame_ipc(rows, flags, ctypes.byref(buffer), ctypes.byref(error)), error)
    data = ctypes.string_at(LIBRARY.tacore_buffer_data(buffer), LIBRARY.tacore_buffer_size(buffer))
    return pa.ipc.open_stream(data).read_all()


def values(array: Any) -> list[Any]:
    """Values of Python, in which NaN equals itself and a decimal is its double."""
    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(each) for each in value]
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items()}
        return repr(float(value)) if isinstance(value, float) or hasattr(value, "as_tuple") else value
    return [plain(value) for value in array.to_pylist()]


def instants(array: Any) -> list[Any]:
    return array.cast(pa.timestamp("us")).cast(pa.int64()).to_pylist()


def check_buffers(array: pa.Array) -> None:
    assert array.offset == 0, array.type
    assert (array.buffers()[0] is None) == (array.null_count == 0), f"{array.type}: a validity bitmap without nulls"
    if pa.types.is_struct(array.type):
        for i in range(array.type.num_fields):
            check_buffers(array.field(i))
    elif pa.types.is_list(array.type):
        check_buffers(array.values)


def check_rows(condition: str, num_rows: int) -> None:
    source = "(SELECT *, (row_number() OVER (ORDER BY id) - 1)::BIGINT AS n FROM data)"
    columns = ", ".join(f"CASE WHEN {condition} THEN {sql} END AS {name}" for name, (sql, _) in COLUMNS.items())
    rows = rows_of(f"SELECT id, type, \"internal:gdal_vsi\", {columns} FROM {source}")
    batches, exact = read(rows, PLAIN), pa.Table.from_batches(read(rows, 0))
    assert len(batches) == 1 and batches[0].num_rows == exact.num_rows == num_rows
    plain = batches[0]
    assert plain.schema.names == exact.schema.names
    for name, (_, kind) in COLUMNS.items():
        found, expected = plain.column(name), exact.column(name)
        assert found.type.equals(kind), f"{name}: {found.type}, expected {kind}"
        check_buffers(found)
        if pa.types.is_timestamp(kind):
            assert found.cast(pa.int64()).to_pylist() == instants(expected), name
        else:
            assert values(found) == values(expected), f"{name}: {values(found)}, expected {values(expected)}"
    table = ipc(rows, PLAIN)
    assert table.schema.equals(plain.schema) and table.num_rows == plain.num_rows
    for name in plain.schema.names:
        assert values(table.column(name)) == values(plain.column(name)), f"{name}: the IPC stream has other values"
    assert ipc(rows, 0).num_rows == num_rows


def main() -> int:
    for condition in ("n % 3 = 0", "true", "n > 99"):
        check_rows(condition, 16)
    for name, sql in REFUSED.items():
        rows, stream, error = rows_of(f"SELECT *, {sql} AS {name} FROM data"), (ctypes.c_void_p * 5)(), ctypes.c_void_p()
        status = LIBRARY.tacore_frame_stream(rows, PLAIN, stream, ctypes.byref(error))
        assert status == 2 and name.encode() in LIBRARY.tacore_error_text(error), (name, status)
        assert not any(stream)
    print(f"{len(COLUMNS)} types, {len(REFUSED)} refused")
    return 0


sys.exit(main())
