// tacore for Node: datasets of Earth observation images in the TACO format. index.d.ts documents every name.
import { Column, columnsOf } from "./columns.js";
import { TacoError } from "./errors.js";
import { native } from "./native.js";

const OPERATIONS = [
  "open", "concat", "about", "sql", "bbox", "datetime", "rows", "flatten", "statistics", "describe", "export",
  "frameAbout", "columns", "ipc", "take", "frameDataset", "children", "path", "read", "frameStatistics",
  "rasterOpen", "rasterAbout", "pixels", "preview", "loaderNew", "next", "samplesFromRows", "samplesFromPath", "create", "run",
  "setOptions",
];
const NUMBER_OF = Object.fromEntries(OPERATIONS.map((name, number) => [name, number]));
const CODES = ["OK", "FORMAT", "SCHEMA", "IO", "NOT_FOUND", "QUERY", "VALIDATION", "NAVIGATION", "UNSUPPORTED", "CANCELLED", "ARGUMENT",
  "MEMORY", "INTERNAL"];
const ARRAYS = [Uint8Array, Int8Array, Uint16Array, Int16Array, Uint32Array, Int32Array, BigUint64Array, BigInt64Array, Float32Array,
  Float64Array];
const DTYPES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"];
const AS_STORED = -1, RAW = 1, PLAIN = 2;

export { TacoError };

// Calls the library in another thread. An abort of `signal` stops it, and rejects with the reason of the signal.
async function call(operation, args, signal) {
  if (!signal) return settled(operation, args);
  signal.throwIfAborted();
  const token = native.token();
  const stop = () => native.cancel(token);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const found = await settled(operation, args, token);
    signal.throwIfAborted(); // also a call that was complete by then
    return found;
  } catch (error) {
    throw error.code === "TACORE_E_CANCELLED" ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", stop);
    native.free(token);
  }
}

async function settled(operation, args, token) {
  try {
    return await native.call(NUMBER_OF[operation], args, token);
  } catch (error) {
    if (error instanceof TypeError) throw new TacoError("TACORE_E_ARGUMENT", error.message);
    const code = `TACORE_E_${CODES[error.code] ?? "INTERNAL"}`;
    throw new TacoError(code, error.message, error);
  } finally {
    for (const line of native.takeLog().split("\n").filter(Boolean)) {
      const { level, message } = JSON.parse(line);
      if (level === "warning") process.emitWarning(message, "TacoWarning");
    }
  }
}

// Options in the names of JavaScript as JSON in those of the library: batchSize becomes batch_size.
function json(options = {}) {
  const given = Object.entries(options).filter(([name, value]) => name !== "signal" && value !== undefined);
  return JSON.stringify(Object.fromEntries(given.map(([name, value]) => [snake(name), value])));
}
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function whole(value, what) {
  if (!Number.isSafeInteger(value)) throw new TacoError("TACORE_E_NAVIGATION", `${what}: a whole number expected, not ${value}`);
  return value;
}

const Dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");
if (!Symbol.dispose) Object.defineProperty(Symbol, "dispose", { value: Dispose });

/** Opens a dataset, or several as one. */
export async function open(path, options = {}) {
  const paths = (Array.isArray(path) ? path : [path]).map(String);
  return new Dataset(await call("open", [paths, json(options)], options.signal));
}

/** Concatenates datasets, each with its filters. */
export async function concat(datasets, options = {}) {
  const handles = await Promise.all(datasets.map((each) => each._filtered(options.signal)));
  return new Dataset(await call("concat", [handles, options.mode ?? null], options.signal));
}

export class Dataset {
  #handle;
  #steps;
  #collection;

  constructor(handle, steps = []) {
    this.#handle = handle;
    this.#steps = steps;
  }

  /** COLLECTION.json. */
  get collection() {
    return (this.#collection ??= JSON.parse(native.collection(this.#handle)));
  }
  get id() {
    return this.collection.id;
  }

  sql(query) {
    return this.#with(["sql", query]);
  }
  filterBbox(box, { column = null, level = 0 } = {}) {
    if (!Array.isArray(box) || box.length !== 4) throw new TacoError("TACORE_E_QUERY", "bbox: [west, south, east, north] expected");
    return this.#with(["bbox", box, column, level]);
  }
  filterDatetime(range, { column = null, level = 0 } = {}) {
    const text = (Array.isArray(range) ? range : [range]).map((each) => (each instanceof Date ? each.toISOString() : each)).join("/");
    return this.#with(["datetime", text, column, level]);
  }
  #with(step) {
    return new Dataset(this.#handle, [...this.#steps, step]);
  }

  /** The handle after all filters; each is applied when rows are needed. */
  async _filtered(signal) {
    let handle = this.#handle;
    for (const [operation, ...rest] of this.#steps) handle = await call(operation, [handle, ...rest], signal);
    return handle;
  }

  async rows({ raw = false, signal } = {}) {
    return Rows.of(await call("rows", [await this._filtered(signal), raw ? RAW : 0], signal), signal);
  }
  async flatten({ level = -1, signal } = {}) {
    return Rows.of(await call("flatten", [await this._filtered(signal), level], signal), signal);
  }
  async *samples(options) {
    yield* await this.rows(options);
  }
  async about({ signal } = {}) {
    return JSON.parse(await call("about", [await this._filtered(signal)], signal));
  }
  async statistics(options = {}) {
    return JSON.parse(await call("statistics", [await this._filtered(options.signal), json(options)], options.signal));
  }
  async describe(form = "markdown", options = {}) {
    return call("describe", [await this._filtered(options.signal), form, json(options)], options.signal);
  }
  async export(output, options = {}) {
    return JSON.parse(await call("export", [await this._filtered(options.signal), String(output), json(options)], options.signal));
  }

  [Dispose]() {
    native.free(this.#handle);
  }
  toString() {
    return `Dataset ${this.id}`;
  }
}

export class Rows {
  #frame;
  #columns;

  /** Rows of a frame, with all their columns. */
  static async of(frame, signal) {
    return new Rows(frame, columnsOf(await call("columns", [frame], signal)));
  }
  constructor(frame, columns) {
    this.#frame = frame;
    this.#columns = columns;
  }

  get length() {
    return native.numRows(this.#frame);
  }
  get columns() {
    return [...this.#columns.keys()];
  }
  column(name) {
    const found = this.#columns.get(name);
    if (!found) throw new TacoError("TACORE_E_QUERY", `there is no column '${name}'; there are ${this.columns.join(", ")}`);
    return found;
  }
  at(position) {
    const length = this.length;
    whole(position, "position");
    if (position < -length || position >= length)
      throw new TacoError("TACORE_E_NAVIGATION", `row ${position} does not exist: there are ${length}`);
    return new Sample(this, this.#frame, position < 0 ? position + length : position);
  }
  /** The sample with this id. */
  get(id) {
    const ids = this.column("id");
    for (let i = 0; i < ids.length; ++i) if (ids.at(i) === id) return this.at(i);
    throw new TacoError("TACORE_E_NAVIGATION", `there is no sample '${id}'`);
  }
  *[Symbol.iterator]() {
    for (let i = 0; i < this.length; ++i) yield this.at(i);
  }
  /** The rows at these positions, or for which a function is true. */
  async filter(choice, { signal } = {}) {
    const positions = typeof choice === "function" ? [...this].filter(choice).map((each) => each.position) : choice;
    const frame = await call("take", [this.#frame, Array.from(positions, (each) => whole(each, "position"))], signal);
    return Rows.of(frame, signal);
  }
  toArray() {
    return [...this].map((each) => each.toObject());
  }
  /** Bytes of FILEs, neighbours read together. */
  async bytes(positions = this.#all(), child = null, { signal } = {}) {
    const found = await call("read", [this.#frame, positions.map((each) => whole(each, "position")), child], signal);
    return found.map((each) => new Uint8Array(each));
  }
  #all() {
    return Array.from({ length: this.length }, (_, i) => i);
  }
  async statistics(options = {}) {
    return JSON.parse(await call("frameStatistics", [this.#frame, json(options)], options.signal));
  }
  async toIPC({ plain = false, signal } = {}) {
    return new Uint8Array(await call("ipc", [this.#frame, plain ? PLAIN : 0], signal));
  }
  async dataset({ signal } = {}) {
    return new Dataset(await call("frameDataset", [this.#frame], signal));
  }
  /** Batches of tensors for training, in an order that is the same in every language. */
  async *batches({ signal, inputs, ...options } = {}) {
    const given = inputs === undefined ? {} : { inputs: [inputs].flat() };
    const loader = await call("loaderNew", [this.#frame, json({ ...options, ...given })], signal);
    try {
      for (let batch; (batch = await call("next", [loader], signal)) !== null; ) {
        yield {
          positions: batch.positions,
          nextStart: batch.nextStart,
          failures: JSON.parse(batch.failures),
          tensors: batch.tensors.map((each) => tensorOf(each)),
        };
      }
    } finally {
      native.free(loader);
    }
  }
  [Dispose]() {
    native.free(this.#frame);
  }
}

function tensorOf({ data, shape, type }) {
  return { data: new ARRAYS[type](data), shape, dtype: DTYPES[type] };
}

/** A row, or what is below it at a path of ids. */
export class Sample {
  #rows;
  #frame;

  constructor(rows, frame, position, path = null) {
    this.#rows = rows;
    this.#frame = frame;
    this.position = position;
    this.childPath = path;
  }
  get id() {
    return this.childPath === null ? this.get("id") : this.childPath.split("/").at(-1);
  }
  /** A value of the row. */
  get(column) {
    return this.#rows.column(column).at(this.position);
  }
  toObject() {
    return Object.fromEntries(this.#rows.columns.map((name) => [name, this.get(name)]));
  }
  child(path) {
    return new Sample(this.#rows, this.#frame, this.position, this.childPath === null ? path : `${this.childPath}/${path}`);
  }
  async children({ signal } = {}) {
    return Rows.of(await call("children", [this.#frame, [this.position], this.childPath], signal), signal);
  }
  /** The path under which GDAL opens it. */
  async path({ signal } = {}) {
    return call("path", [this.#frame, [this.position], this.childPath], signal);
  }
  async bytes({ signal } = {}) {
    return new Uint8Array((await call("read", [this.#frame, [this.position], this.childPath], signal))[0]);
  }
  async raster({ signal } = {}) {
    return new Raster(await call("rasterOpen", [this.#frame, [this.position], this.childPath], signal));
  }
  pixels(options) {
    return readPixels([this.#frame, [this.position], this.childPath], options);
  }
  preview(options) {
    return readPreview([this.#frame, [this.position], this.childPath], options);
  }
}

// Of a raster ([handle, null, null]), or of a sample ([frame, [position], child]), in one job.
async function readPixels(source, { bands, window, dtype, scale, fill, signal } = {}) {
  const type = dtype === undefined ? AS_STORED : DTYPES.indexOf(dtype);
  if (dtype !== undefined && type < 0) throw new TacoError("TACORE_E_QUERY", `dtype '${dtype}': one of ${DTYPES.join(", ")} expected`);
  const numbers = (list, what) => list?.map((each) => whole(each, what)) ?? null;
  const args = [...source, numbers(bands, "bands"), numbers(window, "window"), type, json({ scale, fill })];
  return tensorOf(await call("pixels", args, signal));
}
async function readPreview(source, { signal, ...options } = {}) {
  return new Uint8Array(await call("preview", [...source, json(options)], signal));
}

/** Opens a raster by its path, such as that of a sample. */
export async function openRaster(path, { signal } = {}) {
  return new Raster(await call("rasterOpen", [null, [0], String(path)], signal));
}

export class Raster {
  #handle;

  constructor(handle) {
    this.#handle = handle;
  }
  async about({ signal } = {}) {
    return JSON.parse(await call("rasterAbout", [this.#handle], signal));
  }
  pixels(options) {
    return readPixels([this.#handle, null, null], options);
  }
  preview(options) {
    return readPreview([this.#handle, null, null], options);
  }
  [Dispose]() {
    native.free(this.#handle);
  }
}

/** Writes a dataset of rows (objects with id, and path or data), of columns, or of the path of a folder or table. */
export async function create(samples, output, collection, options = {}) {
  const { idColumn, pathColumn, timeColumn, rename, separator, signal, ...rest } = options;
  const table = json({ idColumn, pathColumn, timeColumn, rename, separator });
  const handle = typeof samples === "string" || samples instanceof URL
    ? await call("samplesFromPath", [String(samples), table], signal)
    : await call("samplesFromRows", [Column.tableOf(samples), table], signal);
  try {
    const about = JSON.stringify({ dataset_version: "1.0.0", ...collection });
    return JSON.parse(await call("create", [handle, String(output), about, json(rest)], signal));
  } finally {
    native.free(handle);
  }
}

const run = async (operation, request, { signal, ...options } = {}) =>
  JSON.parse(await call("run", [operation, json({ ...request, ...options })], signal));

export const validate = (path, options) => run("validate", { path: String(path) }, options);
export const convert = async (input, output, options) => (await run("convert", { input: String(input), output: String(output) }, options)).paths;
export const edit = async (path, options) => void (await run("edit", { path: String(path) }, options));
export const diff = (a, b, options) => run("diff", { a: String(a), b: String(b) }, options);
export const index = async (inputs, options) => (await run("index", { inputs: inputs.map(String) }, options)).path;
export const collect = async (inputs, options) => (await run("collect", { inputs: inputs.map(String) }, options)).path;
export const sync = (from, to, options) => run("sync", { from: String(from), to: String(to) }, options);
export const describeFiles = async (path, output, options) => (await run("describe", { path: String(path), output: String(output) }, options)).path;
export const tog = async (input, output, options) => (await run("tog", { input: String(input), output: String(output) }, options)).path;
export const header = (path, options) => run("header", { path: String(path) }, options);

/** Options of the process: those of remote paths, and verbose. */
export const setOptions = (options) => call("setOptions", [json(options)]);

/** Versions of the library and of its interface. */
export const version = () => {
  const { library, major, minor } = native.version();
  return { library, interface: `${major}.${minor}` };
};
