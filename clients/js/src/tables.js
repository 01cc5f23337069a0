// Tables of Parquet: their footers are here, their rows are decoded in workers.
import { Column, gathered, joined } from "./columns.js";
import { fail } from "./errors.js";
import { run, SMALL_FOOTER } from "./pool.js";

const FOOTER_GUESS = 32 << 10;
const ROWS_AT_ONCE = 1 << 18; // of one task
const NEAR = 4096; // rows between wanted ones that are read along

let numTables = 0;

export class Table {
  /** Opens the table in `size` bytes at `offset` of a file. `derive(columns)` gives columns that are computed from stored ones:
   * { name, from, type, values(data) }, of which those of a stored name replace it. */
  static async open(file, { offset = 0, size, level }, { signal, derive } = {}) {
    const where = { path: file.name, level };
    if (size < 12) fail("FORMAT", `a table of ${size} bytes`, where);
    const begin = Math.max(0, size - FOOTER_GUESS);
    let [tail] = await file.read([{ offset: offset + begin, size: size - begin }], signal);
    const footer = await run("footer", { tail, ...where }, { signal });
    if (footer > size) fail("FORMAT", `the footer of the table has ${footer} bytes, the table ${size}`, where);
    if (footer > tail.length) [tail] = await file.read([{ offset: offset + size - footer, size: footer }], signal);
    const self = new Table();
    self.about = { key: ++numTables, file: file.key, offset, size, footer: tail.slice(tail.length - footer), smallFooter: SMALL_FOOTER, ...where };
    Object.assign(self, await run("table", {}, { signal, table: self.about }));
    self.where = where;
    for (const column of self.columns) column.type ??= null; // of a type that is not read
    self.derived = new Map((derive?.(self.columns) ?? []).map((each) => [each.name, each]));
    const stored = self.columns.filter(({ name }) => !self.derived.has(name));
    const [first, last] = [true, false].map((isFirst) => [...self.derived.values()].filter((each) => Boolean(each.isFirst) === isFirst));
    self.columns = [...first, ...stored, ...last].map(({ name, type }) => ({ name, type }));
    return self;
  }

  has(name) {
    return this.columns.some((column) => column.name === name);
  }
  typeOf(name) {
    const { type } = this.columns.find((column) => column.name === name) ?? fail("QUERY", `no column '${name}'; there are ${this.columns.map((each) => each.name).join(", ")}`, this.where);
    return type ?? fail("SCHEMA", `column '${name}' has a type that this reader does not have`, this.where);
  }

  /** Data of columns at rows [begin, end). */
  async range(names, begin, end, options = {}) {
    const stored = [...new Set(names.map((name) => this.derived.get(name)?.from ?? name))];
    for (const name of names) this.typeOf(name);
    const starts = [];
    for (let at = begin; at < end || at === begin; at = this.#nextBegin(at, end)) starts.push(at);
    const parts = await Promise.all(starts.map(async (at, i) => {
      const data = await run("rows", { names: stored, ranges: at < end ? [[at, this.#nextBegin(at, end)]] : [] }, { ...options, table: this.about, isPatient: i > 0 });
      const out = this.#derive(names, stored, data);
      options.onPart?.(out, at);
      return out;
    }));
    return names.map((_, i) => joined(parts[0][i].type, parts.map((part) => part[i])));
  }
  /** The end of a task that begins at a row: of row groups, that a column chunk is read once. */
  #nextBegin(at, end) {
    const group = this.groups.find((each) => each[1] > at && each[1] - at >= ROWS_AT_ONCE / 4) ?? [at, end];
    return Math.min(group[1], end);
  }
  /** Data of columns at rows in any order. */
  async rows(names, rows, options = {}) {
    const sorted = Uint32Array.from(rows).sort();
    if (sorted.length > 0 && sorted.at(-1) >= this.numRows) fail("NAVIGATION", `row ${sorted.at(-1)} of ${this.numRows} rows`, this.where);
    const ranges = [];
    for (const row of sorted) {
      if (ranges.length > 0 && row < ranges.at(-1)[1] + NEAR) ranges.at(-1)[1] = Math.max(ranges.at(-1)[1], row + 1);
      else ranges.push([row, row + 1]);
    }
    if (ranges.length <= 1 && rows.length === (ranges[0]?.[1] ?? 0) - (ranges[0]?.[0] ?? 0) && isAscending(rows)) return this.range(names, rows[0] ?? 0, (rows[0] ?? 0) + rows.length, options);
    const stored = [...new Set(names.map((name) => this.derived.get(name)?.from ?? name))];
    for (const name of names) this.typeOf(name);
    const data = this.#derive(names, stored, await run("rows", { names: stored, ranges }, { ...options, table: this.about }));
    const begins = [];
    ranges.reduce((sum, [begin, end]) => { begins.push(sum - begin); return sum + end - begin; }, 0);
    const at = Uint32Array.from(rows, (row) => row + begins[lastNotAfter(ranges, row)]);
    return data.map((each) => gathered(each, at));
  }
  #derive(names, stored, data) {
    return names.map((name) => {
      const derived = this.derived.get(name);
      const given = data[stored.indexOf(derived?.from ?? name)];
      return derived?.values ? derived.values(given) : given;
    });
  }
  async column(name, options) {
    return new Column(name, (await this.range([name], 0, this.numRows, options))[0]);
  }

  /** Rows that meet all steps (filters.js), ascending. */
  async select(steps, options = {}) {
    const stored = steps.map((step) => {
      const derived = this.derived.get(step.column);
      if (derived?.values) fail("QUERY", `column '${step.column}' is computed from '${derived.from}'; filter that one`, this.where);
      return { ...step, column: derived?.from ?? step.column };
    });
    const groups = await run("groups", { steps: stored }, { ...options, table: this.about });
    return concatenated(await Promise.all(groups.map((group) => run("select", { steps: stored, group }, { ...options, table: this.about }))));
  }

  async places(name, options = {}) {
    const groups = this.groups.filter(([begin, end]) => end > begin), boxes = [];
    const x = new Float64Array(this.numRows), y = new Float64Array(this.numRows);
    await Promise.all(groups.map(async ([begin, end], i) => {
      const part = await run("places", { name, ranges: [[begin, end]] }, { ...options, table: this.about, isPatient: i > 0 });
      x.set(part.x, begin);
      y.set(part.y, begin);
      boxes[i] = part.boxes;
      options.onPart?.(part, begin);
    }));
    const boxOf = ([begin, end], i) => boxes[i] ?? pointBoxes(x.subarray(begin, end), y.subarray(begin, end));
    return { x, y, boxes: boxes.some(Boolean) ? concatenated(groups.map(boxOf), Float64Array) : null };
  }
}

const isAscending = (rows) => Array.prototype.every.call(rows, (row, i) => i === 0 || row === rows[i - 1] + 1);
function lastNotAfter(ranges, row) {
  let low = 0, high = ranges.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ranges[middle][0] <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}
export const joinedPlaces = (parts) => (parts.length === 1 ? parts[0] : {
  x: concatenated(parts.map(({ x }) => x), Float64Array),
  y: concatenated(parts.map(({ y }) => y), Float64Array),
  boxes: parts.some(({ boxes }) => boxes) ? concatenated(parts.map(({ x, y, boxes }) => boxes ?? pointBoxes(x, y)), Float64Array) : null,
});
export function concatenated(parts, Type = Uint32Array) {
  const out = new Type(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
function pointBoxes(x, y) {
  const out = new Float64Array(4 * x.length);
  for (let i = 0; i < x.length; ++i) out.set([x[i], y[i], x[i], y[i]], 4 * i);
  return out;
}

/** Columns of several tables, one after the other. `mode` says what becomes of those that some lack. */
export function commonColumns(tables, mode = "intersection") {
  const names = [...new Set(tables.flatMap((table) => table.columns.map(({ name }) => name)))];
  const out = [];
  for (const name of names) {
    const with_ = tables.filter((table) => table.has(name));
    const types = [...new Set(with_.map((table) => table.columns.find((column) => column.name === name).type))];
    if (with_.length < tables.length && mode === "strict") fail("SCHEMA", `column '${name}' is missing`, tables.find((table) => !table.has(name)).where);
    if (with_.length < tables.length && mode === "intersection") continue;
    if (types.length > 1) fail("SCHEMA", `column '${name}' has the types ${types.join(" and ")}`, tables[0].where);
    out.push({ name, type: types[0] });
  }
  return out;
}
