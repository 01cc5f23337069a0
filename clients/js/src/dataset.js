// Datasets and selections of their samples.
import { Column, joined, nulls } from "./columns.js";
import { openContainers } from "./containers.js";
import { fail } from "./errors.js";
import { boxStep, GEOMETRY_COLUMNS, querySteps, resolved, timeStep } from "./filters.js";
import { prepare, run } from "./pool.js";
import { Rows } from "./rows.js";
import { storedStatistics } from "./statistics.js";
import { commonColumns, joinedPlaces } from "./tables.js";

const PADDING = "__TACOPAD__";
const SAMPLES_AT_ONCE = 1000;
const isInternal = (name) => name.startsWith("internal:");
/** What is needed of a row to read its bytes. */
export const ADDRESS = ["id", "type", "internal:offset", "internal:size", "internal:relative_path", "internal:source_file"];

export async function open(source, options = {}) {
  if (Array.isArray(source)) {
    if (source.length === 0) fail("ARGUMENT", "no source");
    return concat(await Promise.all(source.map((each) => open(each, options))), options);
  }
  prepare();
  const opened = await openContainers(source, options);
  const parts = await Promise.all(opened.containers.map(async (container) => ({ container, table: await container.level(0, options.signal), steps: [] })));
  return new Dataset({ ...opened, parts, mode: options.mode });
}

export function concat(datasets, { mode } = {}) {
  if (datasets.length === 0) fail("ARGUMENT", "no dataset");
  const [first] = datasets;
  return new Dataset({ ...first.inner, parts: datasets.flatMap(({ inner }) => inner.parts), mode });
}

export class Dataset {
  /** { parts, collection, format, name, mode }; a part is a container with its table of level 0 and its filters. */
  constructor(inner) {
    this.inner = inner;
    this.id = inner.collection.id ?? inner.parts[0].container.id;
    this.collection = inner.collection;
    this.format = inner.format;
    this.name = inner.name;
    this.numRows = inner.parts.reduce((sum, { table }) => sum + table.numRows, 0);
    const described = new Map((inner.collection["taco:field_schema"]?.level0 ?? []).filter(Array.isArray).map(([name, , description]) => [name, description]));
    this.columns = commonColumns(inner.parts.map(({ table }) => table), inner.mode).filter(({ name }) => !isInternal(name))
      .map((column) => ({ ...column, ...(described.get(column.name) ? { description: String(described.get(column.name)) } : {}) }));
  }

  filterBbox(box, options) {
    return this.#with([boxStep(box, options)]);
  }
  filterDatetime(range, options) {
    return this.#with([timeStep(range, options)]);
  }
  filter(query, options) {
    return this.#with(querySteps(query, options));
  }
  #with(steps) {
    return new Dataset({ ...this.inner, parts: this.inner.parts.map((part) => ({ ...part, steps: [...part.steps, ...steps] })) });
  }

  async positions({ signal } = {}) {
    const selected = await this.#selected(signal);
    if (selected.length === 1) return selected[0].rows;
    const out = new Uint32Array(selected.reduce((sum, { rows }) => sum + rows.length, 0));
    let at = 0;
    for (const { begin, rows } of selected) for (const row of rows) out[at++] = begin + row;
    return out;
  }

  async rows({ columns, offset = 0, limit = Infinity, positions, signal } = {}) {
    for (const name of columns ?? []) {
      if (!this.columns.some((column) => column.name === name) && !isInternal(name)) fail("QUERY", `Column '${name}' not found: ${this.columns.map((each) => each.name).join(", ")}`);
    }
    const chosen = positions ? Array.from(positions, (position) => this.#locate(position)) : chosenRows(await this.#selected(signal), offset, offset + limit);
    const names = [...new Set(["id", "type", ...(columns ?? this.columns.map(({ name }) => name))])];
    return this.#read(chosen, names, signal);
  }
  #locate(position) {
    let begin = 0;
    for (const part of this.inner.parts) {
      if (position >= begin && position < begin + part.table.numRows) return { part, row: position - begin, kept: null };
      begin += part.table.numRows;
    }
    return fail("NAVIGATION", `there is no row ${position}: the dataset has ${this.numRows}`);
  }

  /** { part, begin, rows, kept } of each part: its selected rows, and the rows of each level that filters of deeper levels left. */
  async #selected(signal) {
    let end = 0;
    return Promise.all(this.inner.parts.map(async (part) => {
      const begin = end;
      end += part.table.numRows;
      const [kept, padding] = [part.steps.length > 0 ? await keptRows(part, signal) : null, await paddingOf(part, signal)];
      const rows = kept?.[0] ?? new Uint32Array(part.table.numRows).map((_, row) => row);
      return { part, begin, kept: kept?.length > 1 ? kept : null, rows: padding ? rows.filter((row) => !padding.has(row)) : rows };
    }));
  }

  async #read(chosen, names, signal) {
    const wanted = [...new Set([...names, ...ADDRESS])];
    // Of each part at once, then in the order that was asked for.
    const data = new Map(wanted.map((name) => [name, []]));
    const order = new Uint32Array(chosen.length);
    let before = 0;
    for (const part of new Set(chosen.map((each) => each.part))) {
      const places = chosen.flatMap((each, i) => (each.part === part ? [i] : []));
      const has = wanted.filter((name) => part.table.has(name));
      const read = await part.table.rows(has, places.map((i) => chosen[i].row), { signal });
      for (const name of wanted) data.get(name).push(has.includes(name) ? read[has.indexOf(name)] : places.length);
      places.forEach((at, i) => { order[at] = before + i; });
      before += places.length;
    }
    const columns = new Map();
    for (const [name, parts] of data) {
      const type = parts.find((part) => typeof part !== "number")?.type ?? this.columns.find((column) => column.name === name)?.type;
      if (!type && !ADDRESS.includes(name)) continue;
      if (parts.every((part) => typeof part === "number") && parts.length > 0) continue;
      const whole = parts.length > 0 ? joined(type, parts.map((part) => (typeof part === "number" ? nulls(type, part) : part))) : type ? nulls(type, 0) : null;
      if (whole) columns.set(name, new Column(name, whole).taken(order));
    }
    const origins = chosen.map(({ part, row, kept }) => ({ container: part.container, level: 0, row, kept, parentPath: "" }));
    return new Rows(new Map([...columns].filter(([name]) => names.includes(name) || isInternal(name))), columns, origins, names.filter((name) => !isInternal(name)));
  }

  async column(name, { signal, onPart } = {}) {
    const { type } = this.columns.find((column) => column.name === name) ?? fail("QUERY", `Column '${name}' not found: ${this.columns.map((each) => each.name).join(", ")}`);
    let begin = 0;
    const parts = await Promise.all(this.inner.parts.map(({ table }) => {
      const first = begin;
      begin += table.numRows;
      if (!table.has(name)) return nulls(type, table.numRows);
      return table.range([name], 0, table.numRows, { signal, onPart: onPart && (([data], at) => onPart(new Column(name, data), first + at)) }).then(([data]) => data);
    }));
    return new Column(name, joined(type, parts));
  }

  async places({ column, signal, onPart } = {}) {
    const name = column ?? GEOMETRY_COLUMNS.find((each) => this.columns.some((known) => known.name === each));
    if (!name) return null;
    if (!this.columns.some((known) => known.name === name)) fail("QUERY", `Column '${name}' not found: ${this.columns.map((each) => each.name).join(", ")}`);
    let begin = 0;
    return joinedPlaces(await Promise.all(this.inner.parts.map(({ table }) => {
      const first = begin;
      begin += table.numRows;
      return table.places(name, { signal, onPart: onPart && ((part, at) => onPart(part, first + at)) });
    })));
  }

  async *samples(options = {}) {
    const chosen = options.positions ?? (await this.positions(options)).slice(options.offset ?? 0, (options.offset ?? 0) + (options.limit ?? Infinity));
    const kept = options.positions || this.inner.parts.every(({ steps }) => steps.every(({ level }) => level === 0));
    for (let i = 0; i < chosen.length; i += SAMPLES_AT_ONCE) {
      const rows = await this.rows(kept ? { ...options, positions: chosen.slice(i, i + SAMPLES_AT_ONCE) } : { ...options, offset: (options.offset ?? 0) + i, limit: Math.min(SAMPLES_AT_ONCE, chosen.length - i) });
      yield* rows;
    }
  }

  async about({ signal } = {}) {
    const { container } = this.inner.parts[0];
    const levels = [];
    for (let level = 0; level < (await container.numLevels(signal)); ++level) {
      const table = level === 0 || container.depth === undefined || container.format !== "tortilla" ? await container.level(level, signal).catch(ignoreUnsupported) : null;
      levels.push({ num_rows: table?.numRows ?? null, columns: (table?.columns ?? []).filter(({ name }) => !isInternal(name)) });
    }
    return { format: this.format, name: this.name, num_rows: this.numRows, levels };
  }

  statistics(options) {
    return storedStatistics(this, options);
  }
  close() {
    for (const { container } of this.inner.parts) container.close();
  }
  [Symbol.dispose ?? Symbol.for("dispose")]() {
    this.close();
  }
}

/** { part, row, kept } of the selected rows from `begin` to `end`, counted over all parts. */
function chosenRows(selected, begin, end) {
  let before = 0;
  return selected.flatMap(({ part, kept, rows }) => {
    const chosen = rows.subarray(Math.max(0, begin - before), Math.max(0, end - before));
    before += rows.length;
    return Array.from(chosen, (row) => ({ part, row, kept }));
  });
}

const ignoreUnsupported = (error) => {
  if (error.code !== "TACORE_E_UNSUPPORTED") throw error;
  return null;
};

// ---- Selections ----

const parse = async (name, text) => run("parse", { name, text });

/** Rows of each level, down to the deepest one that is filtered, which meet the filters, as do those above and below them. */
async function keptRows({ container, table, steps }, signal) {
  const deepest = Math.max(...steps.map(({ level }) => level));
  const numLevels = await container.numLevels(signal);
  for (const { level } of steps) {
    if (!Number.isInteger(level) || level < 0 || level >= numLevels) fail("QUERY", `level ${level} does not exist: the dataset has levels 0 to ${numLevels - 1}`, { path: container.name });
  }
  const tables = [table];
  for (let level = 1; level <= deepest; ++level) tables.push(await container.level(level, signal));
  const alive = [], parents = [null];
  for (let level = 0; level <= deepest; ++level) {
    const own = await Promise.all(steps.filter((step) => step.level === level).map((step) => resolved(step, tables[level].columns, parse)));
    alive[level] = own.length > 0 ? new Set(await tables[level].select(own, { signal })) : null;
    if (level === 0) continue;
    parents[level] = await parentsOf(tables[level - 1], tables[level], signal);
    const above = alive[level - 1];
    const rows = alive[level] ?? Array.from({ length: tables[level].numRows }, (_, row) => row);
    alive[level] = new Set([...rows].filter((row) => !above || above.has(parents[level][row])));
  }
  for (let level = deepest; level > 0; --level) {
    const withSome = new Set([...alive[level]].map((row) => parents[level][row]));
    alive[level - 1] = new Set([...(alive[level - 1] ?? withSome)].filter((row) => withSome.has(row)));
  }
  return alive.map((rows) => Uint32Array.from(rows).sort());
}

/** The row of the parent of each row of a level. */
export async function parentsOf(above, below, signal) {
  const names = ["internal:source_file"].filter((name) => below.has(name) && above.has(name));
  const [parent, ...source] = (await below.range(["internal:parent_id", ...names], 0, below.numRows, { signal })).map((data) => new Column("", data));
  const isById = parent.type === "string";
  const key = isById ? "id" : "internal:current_id";
  const columns = await above.range([key, ...names].filter((name) => above.has(name)), 0, above.numRows, { signal });
  const [current, ...aboveSource] = [above.has(key) ? new Column("", columns.shift()) : { at: (row) => row }, ...columns.map((data) => new Column("", data))];
  const keyOf = (value, sources, row) => (sources.length > 0 ? `${sources[0].at(row)}\0${value}` : value);
  const rows = new Map();
  for (let row = 0; row < above.numRows; ++row) rows.set(keyOf(current.at(row), aboveSource, row), row);
  return Int32Array.from({ length: below.numRows }, (_, row) => rows.get(keyOf(parent.at(row), source, row)) ?? -1);
}

/** Rows that stand for missing samples; null where there are none. Statistics of ids usually exclude them without reading. */
async function paddingOf(part, signal) {
  part.container.padding ??= (async () => {
    const { table } = part;
    const range = { kind: "query", column: "id", level: 0, conditions: [["$gte", PADDING], ["$lt", `${PADDING.slice(0, -1)}\``]] };
    const rows = await table.select([await resolved(range, table.columns, parse)], { signal });
    if (rows.length === 0) return null;
    const [ids] = (await table.rows(["id"], rows, { signal })).map((data) => new Column("id", data));
    return new Set([...rows].filter((_, i) => ids.at(i).startsWith(PADDING)));
  })().catch((error) => {
    part.container.padding = undefined;
    throw error;
  });
  return part.container.padding;
}

/** The rows below a node. */
export async function childrenOf(node, signal) {
  const { container, level, row, kept } = node;
  if (kept && level + 1 < kept.length) {
    const [above, below] = [await container.level(level, signal), await container.level(level + 1, signal)];
    const parents = await parentsOf(above, below, signal);
    const rows = [...kept[level + 1]].filter((each) => parents[each] === row);
    return rowsOf(below, node, rows, signal);
  }
  return container.children(node, signal, (table) => rowsOf(table, node, null, signal));
}

async function rowsOf(table, node, rows, signal) {
  const names = table.columns.filter(({ type }) => type).map(({ name }) => name);
  const data = rows ? await table.rows(names, rows, { signal }) : await table.range(names, 0, table.numRows, { signal });
  let columns = new Map(names.map((name, i) => [name, new Column(name, data[i])]));
  const ids = columns.get("id") ?? fail("SCHEMA", "no column 'id'", table.where);
  const shown = Array.from({ length: ids.length }, (_, i) => i).filter((i) => !String(ids.at(i)).startsWith(PADDING));
  columns = new Map([...columns].map(([name, column]) => [name, column.taken(shown)]));
  const origins = shown.map((i) => ({ container: node.container, level: node.level + 1, row: rows ? rows[i] : null, kept: rows ? node.kept : null, parentPath: `${node.path}/`, source: node.source }));
  return new Rows(columns, columns, origins, names.filter((name) => !isInternal(name)));
}
