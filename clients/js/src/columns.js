// Columns of rows, whose values become values of JavaScript when they are looked at.

const decoder = new TextDecoder();
const exact = (value) => (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value);

/** Data of a column: { type, length, valid, values, offsets }. `valid` has a byte for each row, or is null where all rows have a value.
 * `values`: numbers; bytes of string and binary, which `offsets` part; an array of values of list and struct. */
export class Column {
  #data;
  #rows; // of the data, for each row of the column; null: the same

  constructor(name, data, rows = null) {
    this.name = name;
    this.type = data.type;
    this.length = rows ? rows.length : data.length;
    this.#data = data;
    this.#rows = rows;
  }

  get values() {
    if (!(this.type in ARRAYS)) return undefined;
    const { values } = this.#data;
    return this.#rows ? values.constructor.from(this.#rows, (row) => values[row]) : values;
  }
  isNull(row) {
    const { valid } = this.#data;
    return valid !== null && valid[this.#rows ? this.#rows[row] : row] === 0;
  }
  at(row) {
    if (this.isNull(row)) return null;
    const { values, offsets } = this.#data;
    const at = this.#rows ? this.#rows[row] : row;
    switch (this.type) {
      case "bool": return values[at] !== 0;
      case "int64": return exact(values[at]);
      case "string": return decoder.decode(values.subarray(offsets[at], offsets[at + 1]));
      case "binary": return values.slice(offsets[at], offsets[at + 1]);
      case "date": return new Date(values[at] * 86_400_000);
      case "timestamp": return new Date(Number(values[at] / 1000n) + Number(values[at] % 1000n) / 1000);
      default: return values[at];
    }
  }
  /** The column at other rows, which count from the first of this one. */
  taken(rows) {
    return new Column(this.name, this.#data, this.#rows ? Uint32Array.from(rows, (row) => this.#rows[row]) : Uint32Array.from(rows));
  }
  toArray() {
    return [...this];
  }
  *[Symbol.iterator]() {
    for (let i = 0; i < this.length; ++i) yield this.at(i);
  }
  /** For joined(): its data at its rows. */
  get data() {
    return this.#rows ? gathered(this.#data, this.#rows) : this.#data;
  }
}

export const ARRAYS = { bool: Uint8Array, int32: Int32Array, int64: BigInt64Array, double: Float64Array, date: Int32Array, timestamp: BigInt64Array };

/** Data of `length` rows without values. */
export function nulls(type, length) {
  const out = { type, length, valid: new Uint8Array(length), values: type in ARRAYS ? new ARRAYS[type](length) : [] };
  if (type === "list" || type === "struct") out.values = new Array(length).fill(null);
  if (type === "string" || type === "binary") Object.assign(out, { values: new Uint8Array(), offsets: new Uint32Array(length + 1) });
  return out;
}

/** The data at some rows. */
export function gathered(data, rows) {
  const out = { type: data.type, length: rows.length, valid: data.valid && Uint8Array.from(rows, (row) => data.valid[row]) };
  if (data.type in ARRAYS) return { ...out, values: ARRAYS[data.type].from(rows, (row) => data.values[row]) };
  if (!data.offsets) return { ...out, values: Array.from(rows, (row) => data.values[row]) };
  const parts = Array.from(rows, (row) => data.values.subarray(data.offsets[row], data.offsets[row + 1]));
  return { ...out, ...packed(parts) };
}

/** The data of several parts, of one type, one after the other. */
export function joined(type, parts) {
  if (parts.length === 1) return parts[0];
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const out = { type, length, valid: null };
  if (parts.some((part) => part.valid)) {
    out.valid = new Uint8Array(length).fill(1);
    let at = 0;
    for (const part of parts) {
      if (part.valid) out.valid.set(part.valid, at);
      at += part.length;
    }
  }
  if (type === "list" || type === "struct") return { ...out, values: parts.flatMap((part) => part.values) };
  const size = parts.reduce((sum, part) => sum + part.values.length, 0);
  out.values = new (ARRAYS[type] ?? Uint8Array)(size);
  if (!(type in ARRAYS)) out.offsets = new Uint32Array(length + 1);
  let row = 0, end = 0;
  for (const part of parts) {
    out.values.set(part.values, end);
    for (let i = 0; out.offsets && i < part.length; ++i) out.offsets[row + i + 1] = end + part.offsets[i + 1];
    row += part.length;
    end += part.values.length;
  }
  return out;
}

/** Bytes, one after the other, and where each begins. */
export function packed(parts) {
  const offsets = new Uint32Array(parts.length + 1);
  let end = 0;
  parts.forEach((part, i) => { offsets[i + 1] = end += part.length; });
  const values = new Uint8Array(end);
  parts.forEach((part, i) => values.set(part, offsets[i]));
  return { values, offsets };
}
