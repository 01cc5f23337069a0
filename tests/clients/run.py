#!/usr/bin/env python3
"""Runs the vectors through the Python package, or through the C interface.

    run.py python [PATTERN...]          PYTHONPATH has the package; patterns of names, such as 'filter*'
    run.py c LIBRARY [PATTERN...]       libtacore_c
    run.py --self-test LIBRARY          every kind of expectation, changed, is noticed

Prints a line for each vector that fails, then how many there were. 77 when numpy or pyarrow is missing.
"""

from __future__ import annotations

import copy
import ctypes
import fnmatch
import hashlib
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

try:
    import numpy
    import pyarrow as pa
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
Vector = dict[str, Any]


class Refused(Exception):
    """An error of the client: the name of its code, and its text."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code, self.text = code, text


class Wrong(Exception):
    """What a client answered is not what the vector expects."""


# ------------------------------------------------------------------------------------------------------------------ values


def kind_of(kind: pa.DataType) -> str:
    names = {pa.bool_(): "bool", pa.int32(): "int32", pa.int64(): "int64", pa.float64(): "double", pa.string(): "string",
             pa.binary(): "binary", pa.date32(): "date", pa.timestamp("us", "UTC"): "timestamp"}  # fmt: skip
    return names.get(kind) or ("list" if pa.types.is_list(kind) else "struct" if pa.types.is_struct(kind) else str(kind))


def values_of(array: Any) -> list[Any]:
    """Cells as README.md states them."""
    kind = array.type
    if pa.types.is_timestamp(kind):
        return [whole(value) for value in array.cast(pa.int64()).to_pylist()]
    if pa.types.is_date32(kind):
        return array.cast(pa.int32()).to_pylist()
    if pa.types.is_list(kind):
        bounds, inner = array.offsets.to_pylist(), values_of(array.values)
        return [inner[bounds[i] : bounds[i + 1]] if array[i].is_valid else None for i in range(len(array))]
    if pa.types.is_struct(kind):
        names = [field.name for field in kind]
        fields = [values_of(array.field(i)) for i in range(len(names))]
        return [dict(zip(names, each)) if array[i].is_valid else None for i, each in enumerate(zip(*fields))]
    if pa.types.is_floating(kind):
        return [real(value) for value in array.to_pylist()]
    if pa.types.is_binary(kind):
        return [None if value is None else value.hex() for value in array.to_pylist()]
    return [whole(value) if isinstance(value, int) else value for value in array.to_pylist()]


def whole(value: int | None) -> int | str | None:
    return value if value is None or isinstance(value, bool) or abs(value) <= 2**53 else str(value)


def real(value: float | None) -> float | str | None:
    if value is None or math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def arrow_of(columns: dict[str, Vector]) -> pa.Table:
    """The rows of a vector that creates."""
    kinds = {"bool": pa.bool_(), "int32": pa.int32(), "double": pa.float64(), "string": pa.string(), "binary": pa.binary(),
             "date": pa.date32(), "timestamp": pa.timestamp("us", "UTC")}  # fmt: skip
    out = {}
    for name, column in columns.items():
        kind, values = kinds[column["type"]], column["values"]
        if column["type"] == "binary":
            values = [None if value is None else bytes.fromhex(value) for value in values]
        number = {"date": pa.int32(), "timestamp": pa.int64()}.get(column["type"])
        out[name] = pa.array(values, number).cast(kind) if number else pa.array(values, kind)
    return pa.table(out)


# ------------------------------------------------------------------------------------------------------------------ clients


class C:
    """The C interface, by ctypes."""

    codes = ["OK", "FORMAT", "SCHEMA", "IO", "NOT_FOUND", "QUERY", "VALIDATION", "NAVIGATION", "UNSUPPORTED", "CANCELLED", "ARGUMENT", "MEMORY", "INTERNAL"]
    dtypes = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"]

    def __init__(self, library: str) -> None:
        self.library = ctypes.CDLL(library)
        for name in ("tacore_error_text", "tacore_batch_failures"):
            getattr(self.library, name).restype = ctypes.c_char_p
        self.library.tacore_buffer_data.restype = ctypes.c_void_p
        self.library.tacore_buffer_size.restype = self.library.tacore_batch_num_tensors.restype = ctypes.c_size_t
        self.call("tacore_set_options", b'{"max_tries": 1}', out=False)

    def call(self, name: str, *arguments: Any, out: bool = True) -> Any:
        """Calls a function whose last arguments are a result and an error."""
        result, error = ctypes.c_void_p(), ctypes.c_void_p()
        status = getattr(self.library, name)(*arguments, *([ctypes.byref(result)] if out else []), ctypes.byref(error))
        if status:
            text = self.library.tacore_error_text(error).decode()
            self.library.tacore_error_free(error)
            raise Refused(self.codes[status], text)
        return result

    def data(self, buffer: Any) -> bytes:
        size = self.library.tacore_buffer_size(buffer)
        out = ctypes.string_at(self.library.tacore_buffer_data(buffer), size)
        self.library.tacore_buffer_free(buffer)
        return out

    def json(self, name: str, *arguments: Any) -> Any:
        return json.loads(self.data(self.call(name, *arguments)))

    def open(self, paths: list[str]) -> Any:
        texts = (ctypes.c_char_p * len(paths))(*[path.encode() for path in paths])
        return self.call("tacore_open", texts, ctypes.c_size_t(len(paths)), None)

    def num_levels(self, dataset: Any) -> int:
        return len(self.json("tacore_dataset_about", dataset)["levels"])

    def sql(self, dataset: Any, query: str) -> Any:
        return self.call("tacore_dataset_sql", dataset, query.encode())

    def bbox(self, dataset: Any, box: list[float], column: str | None, level: int) -> Any:
        column_text = None if column is None else column.encode()
        return self.call("tacore_dataset_filter_bbox", dataset, (ctypes.c_double * 4)(*box), column_text, level)

    def datetime(self, dataset: Any, text: str, level: int) -> Any:
        return self.call("tacore_dataset_filter_datetime", dataset, text.encode(), None, level)

    def rows(self, dataset: Any) -> Any:
        return self.call("tacore_dataset_rows", dataset, 0)

    def table(self, rows: Any) -> pa.Table:
        stream = (ctypes.c_void_p * 5)()
        self.call("tacore_frame_stream", rows, 2, stream, out=False)
        return pa.RecordBatchReader._import_from_c(ctypes.addressof(stream)).read_all()

    def children(self, rows: Any, position: int) -> Any:
        return self.call("tacore_frame_children", rows, ctypes.c_int64(position), None)

    def bytes(self, rows: Any, position: int, child: str) -> bytes:
        return self.data(self.call("tacore_frame_read", rows, (ctypes.c_int64 * 1)(position), ctypes.c_size_t(1), child.encode()))

    def pixels(self, rows: Any, position: int, child: str, how: Vector) -> Any:
        raster = self.call("tacore_raster_open", rows, ctypes.c_int64(position), child.encode())
        shape, kind = (ctypes.c_int64 * 3)(), ctypes.c_int32()
        self.library.tacore_raster_shape(raster, shape, ctypes.byref(kind))
        bands, window = how.get("bands") or list(range(1, shape[0] + 1)), how.get("window")
        dtype = how.get("dtype") or ("float32" if "scale" in how else self.dtypes[kind.value])
        out = numpy.empty((len(bands), *(window[:1:-1] if window else shape[1:])), dtype)
        self.call("tacore_raster_read", raster, (ctypes.c_int32 * len(bands))(*bands), ctypes.c_size_t(len(bands)),
                  (ctypes.c_int64 * 4)(*window) if window else None, self.dtypes.index(dtype),
                  json.dumps({"scale": how.get("scale")}).encode(), ctypes.c_void_p(out.ctypes.data), ctypes.c_size_t(out.nbytes),
                  out=False)  # fmt: skip
        return out

    def statistics(self, dataset: Any, bands: list[int], compute: bool) -> Any:
        if not compute:
            return self.json("tacore_dataset_statistics", dataset, json.dumps({"bands": bands}).encode())
        return self.json("tacore_frame_statistics", self.rows(dataset), json.dumps({"bands": bands, "compute": True}).encode())["bands"]

    def batches(self, rows: Any, options: Vector) -> list[Vector]:
        loader, out = self.call("tacore_loader_new", rows, json.dumps(options).encode()), []
        while batch := self.call("tacore_loader_next", loader):
            positions, size, start = ctypes.POINTER(ctypes.c_int64)(), ctypes.c_size_t(), ctypes.c_int64()
            self.library.tacore_batch_positions(batch, ctypes.byref(positions), ctypes.byref(size), ctypes.byref(start))
            tensors = []
            for i in range(self.library.tacore_batch_num_tensors(batch)):
                data, shape, kind = ctypes.c_void_p(), (ctypes.c_int64 * 4)(), ctypes.c_int32()
                self.library.tacore_batch_tensor(batch, ctypes.c_size_t(i), ctypes.byref(data), shape, ctypes.byref(kind))
                dtype = numpy.dtype(self.dtypes[kind.value])
                count = int(numpy.prod(list(shape)))
                tensors.append(numpy.frombuffer(ctypes.string_at(data, count * dtype.itemsize), dtype).reshape(list(shape)))
            out.append({"positions": list(positions[: size.value]), "next_start": start.value, "tensors": tensors})
            self.library.tacore_batch_free(batch)
        return out

    def create(self, vector: Vector, output: str) -> None:
        if "rows" in vector:
            stream = (ctypes.c_void_p * 5)()
            arrow_of(vector["rows"]).to_reader()._export_to_c(ctypes.addressof(stream))
            samples = self.call("tacore_samples_from_rows", stream, None)
        else:
            samples = self.call("tacore_samples_from_path", str(ROOT / vector["from"]).encode(), None)
        options = json.dumps(vector.get("options", {})).encode()
        self.call("tacore_create", samples, output.encode(), json.dumps(vector["collection"]).encode(), options)

    def is_valid(self, path: str) -> bool:
        return self.json("tacore_run", b"validate", json.dumps({"path": path, "deep": True}).encode())["is_valid"]


class Python:
    """The Python package. It has no plain rows: types are cast to theirs; and a raster that it cannot decode is one of rasterio."""

    names = {"TacoFormatError": "FORMAT", "TacoSchemaError": "SCHEMA", "TacoIOError": "IO", "TacoFileNotFoundError": "NOT_FOUND",
             "TacoQueryError": "QUERY", "TacoValidationError": "VALIDATION", "TacoNavigationError": "NAVIGATION",
             "TypeError": "ARGUMENT", "ValueError": "ARGUMENT"}  # fmt: skip

    def __init__(self) -> None:
        import tacore
        from tacore import datamodel, loader, raster, validator

        self.tacore, self.raster, self.loader, self.datamodel, self.validator = tacore, raster, loader, datamodel, validator
        tacore.set_storage_options(max_tries=1)

    def __getattribute__(self, name: str) -> Any:
        """Functions whose exceptions are Refused."""
        found = object.__getattribute__(self, name)
        if name.startswith("_") or not callable(found) or isinstance(found, type):
            return found

        def called(*arguments: Any) -> Any:
            try:
                return found(*arguments)
            except Exception as error:
                code = next((self.names[each.__name__] for each in type(error).__mro__ if each.__name__ in self.names), "INTERNAL")
                raise Refused(code, str(error)) from error

        return called

    def open(self, paths: list[str]) -> Any:
        return self.tacore.load(paths if len(paths) > 1 else paths[0])

    def num_levels(self, dataset: Any) -> int:
        return int(dataset.pit_schema.max_depth()) + 1

    def sql(self, dataset: Any, query: str) -> Any:
        return dataset.sql(query)

    def bbox(self, dataset: Any, box: list[float], column: str | None, level: int) -> Any:
        return dataset.filter_bbox(*box, column or "auto", level)

    def datetime(self, dataset: Any, text: str, level: int) -> Any:
        return dataset.filter_datetime(text, level=level)

    def rows(self, dataset: Any) -> Any:
        return dataset.data

    def table(self, rows: Any) -> pa.Table:
        table = rows.to_arrow()
        return pa.table({name: column.cast(plain(column.type)) for name, column in zip(table.column_names, table.columns)})

    def children(self, rows: Any, position: int) -> Any:
        found = rows.read(position)
        if isinstance(found, str):
            raise self.tacore.TacoNavigationError("it is a FILE")
        return found

    def bytes(self, rows: Any, position: int, child: str) -> bytes:
        *folders, last = child.split("/") if child else [position]
        if child:
            rows = rows.read(position)
        for folder in folders:
            rows = rows.read(folder)
        return rows.read_bytes(last)

    def pixels(self, rows: Any, position: int, child: str, how: Vector) -> Any:
        *folders, last = child.split("/") if child else [position]
        rows = rows.read(position) if child else rows
        how = {**how, "scale": [tuple(each) for each in how["scale"]]} if isinstance(how.get("scale"), list) else how
        return numpy.asarray(self.raster.read_tensor(rows, last, **how))

    def statistics(self, dataset: Any, bands: list[int], compute: bool) -> Any:
        if compute:
            found = self.raster.compute_statistics(dataset.data, bands=bands, progress=False)
            each_band = found.bands if hasattr(found, "bands") else found
            return [{"band": band, "num_pixels": each.num_pixels, "min": each.min, "max": each.max, "mean": each.mean, "std": each.std}
                    for band, each in zip(bands, each_band)]  # fmt: skip
        values = {name: getattr(dataset, f"stats_{name}")([band - 1 for band in bands]) for name in ("min", "max", "mean", "std")}
        return [{"band": band, **{name: float(column[i]) for name, column in values.items()}} for i, band in enumerate(bands)]

    def batches(self, rows: Any, options: Vector) -> list[Vector]:
        options = dict(options)
        inputs = [self.loader.Input(**each) if isinstance(each, dict) else each for each in options.pop("inputs", [""])]
        out = []
        for batch in self.loader.Loader(rows, inputs, **options):
            tensors = [numpy.asarray(each) for each in batch]
            out.append({"positions": [int(each) for each in batch.positions], "next_start": batch.next_start, "tensors": tensors})
        return out

    def create(self, vector: Vector, output: str) -> None:
        tortilla = self.datamodel.Tortilla
        made = tortilla.from_table(arrow_of(vector["rows"])) if "rows" in vector else tortilla.from_folder(ROOT / vector["from"])
        self.tacore.create(self.datamodel.Taco(made, **vector["collection"]), output, progress=False)

    def is_valid(self, path: str) -> bool:
        return not [issue for issue in self.validator.validate(path, deep=True) if issue.severity == "error"]


def plain(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return plain(kind.value_type)
    if pa.types.is_integer(kind):
        return pa.int32() if kind.bit_width < 32 or kind == pa.int32() else pa.int64()
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return pa.float64()
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", "UTC")
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return pa.string()
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return pa.binary()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(plain(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, plain(field.type)) for field in kind])
    return kind


# ------------------------------------------------------------------------------------------------------------------ checks


def compare(what: str, found: Any, expected: Any, tolerance: float = 0) -> None:
    if tolerance and isinstance(expected, (int, float)) and isinstance(found, (int, float)):
        if abs(found - expected) <= tolerance * max(1, abs(expected)):
            return
    elif found == expected and isinstance(found, bool) == isinstance(expected, bool):
        return
    raise Wrong(f"{what} is {str(found)[:200]}, expected {str(expected)[:200]}")


def check_table(client: Any, rows: Any, expected: Vector) -> None:
    table = client.table(rows)
    compare("num_rows", table.num_rows, expected["num_rows"])
    for name, column in (("ids", "id"), ("types", "type")):
        if name in expected:
            compare(name, table[column].to_pylist(), expected[name])
    for name, column in expected.get("columns", {}).items():
        array = table[name].combine_chunks() if table[name].num_chunks != 1 else table[name].chunk(0)
        compare(f"type of {name}", kind_of(array.type), column["type"])
        for i, pair in enumerate(zip(values_of(array), column["values"])):
            compare(f"row {i} of {name}", *pair)
    if expected.get("columns"):
        left = set(table.column_names) - {"id", "type", *expected["columns"]}
        compare("columns beside", sorted(each for each in left if not each.startswith("internal:")), [])


def check_bytes(data: bytes, expected: Vector) -> None:
    compare("size", len(data), expected["size"])
    compare("sha256", hashlib.sha256(data).hexdigest(), expected["sha256"])


def check_tensor(what: str, array: Any, expected: Vector) -> None:
    tolerance = expected.get("tolerance", 0)
    compare(f"{what}shape", list(array.shape), expected["shape"])
    compare(f"{what}dtype", str(array.dtype), expected["dtype"])
    compare(f"{what}sum", float(array.astype("float64").sum()), expected["sum"], tolerance or 1e-9)
    for found, value in zip(array.reshape(array.shape[0], -1)[:, 0], expected.get("first", [])):
        compare(f"{what}first pixel", float(found), value, tolerance)
    if "sha256" in expected:
        compare(f"{what}sha256", hashlib.sha256(numpy.ascontiguousarray(array).tobytes()).hexdigest(), expected["sha256"])


def check_batches(found: list[Vector], expected: list[Vector]) -> None:
    compare("positions", [batch["positions"] for batch in found], [batch["positions"] for batch in expected])
    compare("next_start", [batch["next_start"] for batch in found], [batch["next_start"] for batch in expected])
    for i, (batch, wanted) in enumerate(zip(found, expected)):
        compare(f"tensors of batch {i}", len(batch["tensors"]), len(wanted["tensors"]))
        for k, tensor in enumerate(batch["tensors"]):
            check_tensor(f"batch {i}, tensor {k}: ", tensor, wanted["tensors"][k])


def run(client: Any, vector: Vector, base: str, folder: str) -> None:
    """Raises Wrong, or Refused."""
    expected, do = vector.get("expect"), vector["do"]
    if do == "create":
        output = f"{folder}/{vector['output']}"
        client.create(vector, output)
        compare("is_valid", client.is_valid(output), expected and expected["is_valid"])
        rows = client.rows(client.open([output]))
        check_table(client, rows, expected["table"])
        for i, each in enumerate(expected["bytes"]):
            check_bytes(client.bytes(rows, i, ""), each)
        return
    paths = vector["open"] if isinstance(vector["open"], list) else [vector["open"]]
    dataset = client.open([f"{base}/{path}" for path in paths])
    for step in vector.get("filters", []):
        if "sql" in step:
            dataset = client.sql(dataset, step["sql"])
        elif "bbox" in step:
            dataset = client.bbox(dataset, step["bbox"], step.get("column"), step.get("level", 0))
        else:
            dataset = client.datetime(dataset, step["datetime"], step.get("level", 0))
    if "statistics" in do:
        found = client.statistics(dataset, vector["bands"], do.startswith("computed"))
        compare("number of bands", len(found), len(expected))
        for band, wanted in zip(found, expected):
            for key, value in wanted.items():
                compare(f"{key} of band {wanted['band']}", band[key], value, vector["tolerance"])
        return
    rows = client.rows(dataset)
    if do == "children":
        rows = client.children(rows, vector["position"])
    if do in ("open", "rows", "children"):
        check_table(client, rows, expected or {"num_rows": -1})
        if do == "open":
            compare("num_levels", client.num_levels(dataset), expected["num_levels"])
    elif do == "bytes":
        data = client.bytes(rows, vector["position"], vector["child"])
        check_bytes(data, expected or {"size": -1})
    elif do == "pixels":
        how = {key: vector[key] for key in ("bands", "window", "dtype", "scale") if key in vector}
        check_tensor("", client.pixels(rows, vector["position"], vector["child"], how), expected or {"shape": None})
    else:
        assert do == "batches", do
        check_batches(client.batches(rows, vector["options"]), expected["batches"] if expected else [])


def fault_of(client: Any, vector: Vector, url: str) -> str | None:
    """Why a vector fails."""
    base = url if vector.get("remote") else str(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        try:
            run(client, vector, base, folder)
        except Wrong as wrong:
            return f"no error, expected {vector['error']['code']}" if "error" in vector else str(wrong)
        except Refused as refused:
            if "error" not in vector:
                return str(refused)
            code, text = vector["error"]["code"], vector["error"]["text"]
            if refused.code != code and not (isinstance(client, Python) and code == "UNSUPPORTED"):
                return f"{refused}: expected the code {code}"
            if "create" in vector["name"] and any(Path(folder).iterdir()):
                return "something is left in the folder of the output"
            return None if text in refused.text else f"{refused}: expected '{text}' in its text"
    return f"no error, expected {vector['error']['code']}" if "error" in vector else None


def all_vectors(client: Any, patterns: list[str]) -> list[Vector]:
    out = [json.loads(line) for file in sorted((HERE / "vectors").iterdir()) for line in file.read_text().splitlines()]
    return [each for each in out if (not patterns or any(fnmatch.fnmatch(each["name"], pattern) for pattern in patterns))
            and not (each.get("plain") and isinstance(client, Python))]  # fmt: skip


def check_order(vectors: list[Vector]) -> None:
    """What holds of the recorded batches whatever the core does."""
    of = {vector["name"]: [each["positions"] for each in vector["expect"]["batches"]]
          for vector in vectors if vector["do"] == "batches" and "expect" in vector}  # fmt: skip
    for vector in vectors:
        if vector["name"] not in of:
            continue
        options, positions = vector["options"], sum(of[vector["name"]], [])
        if len(positions) != len(set(positions)):
            raise Wrong(f"{vector['name']}: a sample occurs twice")
        if not {"start", "drop_last", "rank"} & options.keys() and sorted(positions) != list(range(len(positions))):
            raise Wrong(f"{vector['name']}: not each sample once")
        if options.get("start"):
            whole_name = vector["name"].replace(f', "start": {options["start"]}', "")
            if positions != sum(of[whole_name], [])[options["start"] :]:
                raise Wrong(f"{vector['name']}: a resumed epoch is not the rest of the whole one")


def changes(value: Any, path: tuple[Any, ...] = ()) -> Any:
    """A copy for each number, text and truth value of an expectation, in which that one is another."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        if isinstance(each, (dict, list)):
            yield from changes(each, (*path, key))
        elif key not in ("tolerance",):
            yield (*path, key), (not each if isinstance(each, bool) else each + 1 if isinstance(each, (int, float)) else f"{each}?")


def self_test(client: Any) -> int:
    """Of each kind of vector, the smallest: every change of what it expects must be a failure."""
    smallest: dict[str, Vector] = {}
    for vector in all_vectors(client, []):
        kind = vector["do"] + (" error" if "error" in vector else "")
        if not vector.get("remote") and len(str(vector)) < len(str(smallest.get(kind, "x" * 10**6))):
            smallest[kind] = vector
    num_changes, missed = 0, []
    for vector in smallest.values():
        part = "error" if "error" in vector else "expect"
        for path, value in changes(vector[part]):
            changed = copy.deepcopy(vector)
            place = changed[part]
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value
            num_changes += 1
            if fault_of(client, changed, "") is None:
                missed.append(f"{vector['name']}: {path} = {value!r}")
    print(f"{len(smallest)} kinds of vectors, {num_changes} changes")
    print("\n".join(missed), file=sys.stderr)
    return 1 if missed else 0


def main() -> int:
    if sys.argv[1] == "--self-test":
        return self_test(C(sys.argv[2]))
    client: Any = Python() if sys.argv[1] == "python" else C(sys.argv[2])
    vectors = all_vectors(client, sys.argv[2 if sys.argv[1] == "python" else 3 :])
    server = subprocess.Popen([sys.executable, "-B", str(HERE / "serve.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    num_failed = 0
    try:
        url = server.stdout.readline().strip()  # type: ignore[union-attr]
        check_order(vectors)
        for vector in vectors:
            if fault := fault_of(client, vector, url):
                num_failed += 1
                print(f"{vector['name']}: {fault}")
    finally:
        server.stdin.close()  # type: ignore[union-attr]
        server.wait()
    print(f"{len(vectors)} vectors, {num_failed} failed")
    return 1 if num_failed or not vectors else 0


sys.exit(main())
