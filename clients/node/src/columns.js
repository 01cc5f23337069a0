// Columns of plain Arrow arrays, whose values become values of JavaScript when they are looked at; and values to columns.

import { TacoError } from "./errors.js";

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const bit = (bits, at) => ((bits[at >> 3] >> (at & 7)) & 1) === 1;

/** Columns by name, of a table as addon.c gives it. */
export function columnsOf(table) {
  return new Map(table.children.map((each) => [each.name, new Column(each)]));
}

export class Column {
  #valid;
  #offsets;
  #values;
  #children;

  constructor({ format, name, length, valid, offsets, values, children }) {
    this.name = name;
    this.length = length;
    this.type = TYPES[format];
    this.#valid = valid && new Uint8Array(valid);
    this.#offsets = offsets && new Int32Array(offsets);
    this.#values = values && new (ARRAYS[this.type] ?? Uint8Array)(values);
    this.#children = children.map((each) => new Column(each));
  }

  /** The value of a row; null where there is none. */
  at(row) {
    if (this.#valid && !bit(this.#valid, row)) return null;
    const values = this.#values;
    switch (this.type) {
      case "bool": return bit(values, row);
      case "int64": return exact(values[row]);
      case "string": return decoder.decode(values.subarray(this.#offsets[row], this.#offsets[row + 1]));
      case "binary": return values.slice(this.#offsets[row], this.#offsets[row + 1]);
      case "date": return new Date(values[row] * 86_400_000);
      case "timestamp": return new Date(Number(values[row] / 1000n) + Number(values[row] % 1000n) / 1000);
      case "list": {
        const out = [];
        for (let i = this.#offsets[row]; i < this.#offsets[row + 1]; ++i) out.push(this.#children[0].at(i));
        return out;
      }
      case "struct": return Object.fromEntries(this.#children.map((each) => [each.name, each.at(row)]));
      default: return values[row];
    }
  }
  /** Numbers of all rows without a copy: Int32Array, Float64Array, BigInt64Array (also of timestamps, in microseconds); rows
   * without a value have any. */
  get values() {
    return this.#values;
  }
  *[Symbol.iterator]() {
    for (let i = 0; i < this.length; ++i) yield this.at(i);
  }
  toArray() {
    return [...this];
  }

  /** A table of rows (an array of objects), or of columns (an object of arrays, or of {type, values}), as addon.c takes it. */
  static tableOf(samples) {
    const columns = Object.entries(Array.isArray(samples) ? columnsOfRows(samples) : samples)
      .map(([name, column]) => ({ name, type: column.type, values: Array.from(column.values && column.type ? column.values : column) }));
    const length = columns[0]?.values.length ?? 0;
    for (const { name, values } of columns) {
      if (values.length !== length) throw new TacoError("TACORE_E_ARGUMENT", `column '${name}' has ${values.length} values, ${length} expected`);
    }
    return { format: "+s", name: "", length, children: columns.map(({ name, type, values }) => encoded(name, values, type)) };
  }
}

const TYPES = { b: "bool", i: "int32", l: "int64", g: "double", u: "string", z: "binary", tdD: "date", "tsu:UTC": "timestamp",
  "+l": "list", "+s": "struct" };
const ARRAYS = { int32: Int32Array, int64: BigInt64Array, double: Float64Array, date: Int32Array, timestamp: BigInt64Array };
const exact = (value) => (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value);

function columnsOfRows(rows) {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return Object.fromEntries([...names].map((name) => [name, rows.map((row) => row[name])]));
}

function kindOf(value) {
  if (value instanceof Date) return "timestamp";
  if (value instanceof Uint8Array) return "binary";
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return "list";
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < 2 ** 31 && !Object.is(value, -0) ? "int32" : "double";
  return { bigint: "int64", boolean: "bool", string: "string" }[typeof value];
}

// The narrowest type that holds all values; of a column without values text.
function commonKind(name, values) {
  const kinds = new Set(values.filter((value) => value != null).map(kindOf));
  if (kinds.has(undefined)) throw new TacoError("TACORE_E_ARGUMENT", `column '${name}' has a value of a type that no dataset holds`);
  if (kinds.has("double")) kinds.delete("int32");
  if (kinds.has("int64")) kinds.delete("int32");
  if (kinds.size > 1) throw new TacoError("TACORE_E_ARGUMENT", `column '${name}' has values of several types: ${[...kinds].join(", ")}`);
  return [...kinds][0] ?? "string";
}

function encoded(name, values, type) {
  const kind = type ?? commonKind(name, values);
  if (!Object.values(TYPES).includes(kind) || kind === "struct") throw new TacoError("TACORE_E_ARGUMENT", `column '${name}' has the type '${kind}', which is unknown`);
  const out = { name, length: values.length, children: [], format: Object.keys(TYPES).find((format) => TYPES[format] === kind) };
  if (values.some((value) => value == null)) {
    const valid = new Uint8Array((values.length + 7) >> 3);
    values.forEach((value, i) => { if (value != null) valid[i >> 3] |= 1 << (i & 7); });
    out.valid = valid.buffer;
  }
  if (kind === "bool") {
    const bits = new Uint8Array((values.length + 7) >> 3);
    values.forEach((value, i) => { if (value) bits[i >> 3] |= 1 << (i & 7); });
    out.values = bits.buffer;
  } else if (kind === "string" || kind === "binary") {
    const parts = values.map((value) => (value == null ? new Uint8Array() : kind === "string" ? encoder.encode(value) : value));
    Object.assign(out, joined(parts));
  } else if (kind === "list") {
    const parts = values.map((value) => Array.from(value ?? []));
    out.offsets = offsetsOf(parts);
    out.children = [encoded("item", parts.flat())];
  } else {
    const zero = kind === "int64" || kind === "timestamp" ? 0n : 0;
    const number = { int64: BigInt, timestamp: microseconds, date: days }[kind] ?? Number;
    out.values = ARRAYS[kind].from(values, (value) => (value == null ? zero : number(value))).buffer;
  }
  return out;
}

const microseconds = (value) => (value instanceof Date ? BigInt(value.getTime()) * 1000n : BigInt(value));
const days = (value) => (value instanceof Date ? Math.floor(value.getTime() / 86_400_000) : value);

function offsetsOf(parts) {
  const offsets = new Int32Array(parts.length + 1);
  let end = 0;
  parts.forEach((part, i) => { offsets[i + 1] = end += part.length; });
  if (end >= 2 ** 31) throw new TacoError("TACORE_E_ARGUMENT", "a column has more than 2 GB; make the dataset of files instead");
  return offsets.buffer;
}

function joined(parts) {
  const offsets = offsetsOf(parts);
  const bytes = new Uint8Array(new Int32Array(offsets)[parts.length]);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { offsets, values: bytes.buffer };
}
