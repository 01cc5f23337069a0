// Rows that have been read, and the samples that they are.
import { childrenOf } from "./dataset.js";
import { fail } from "./errors.js";
import { fileOf, isUrl } from "./files.js";
import { run } from "./pool.js";
import { computedStatistics, statisticsOfRows } from "./statistics.js";
import { toArrow } from "./arrow.js";

export class Rows {
  #columns;
  #addresses;
  #origins;

  /** Columns that a caller sees, those that say where the bytes are, and for each row where it comes from. */
  constructor(columns, addresses, origins, names) {
    this.#columns = columns;
    this.#addresses = addresses;
    this.#origins = origins;
    this.columns = names;
    this.length = origins.length;
  }

  column(name) {
    return this.#columns.get(name) ?? fail("QUERY", `Column '${name}' not found: ${this.columns.join(", ")}`);
  }
  at(position) {
    const at = position < 0 ? this.length + position : position;
    if (!(at >= 0 && at < this.length)) fail("NAVIGATION", `there is no row ${position}: there are ${this.length}`);
    return new Sample(this, at, null);
  }
  get(id) {
    const ids = this.column("id");
    for (let i = 0; i < this.length; ++i) {
      if (ids.at(i) === id) return this.at(i);
    }
    return fail("NAVIGATION", `there is no sample '${id}' among ${this.length}`);
  }
  filter(choice) {
    const positions = typeof choice === "function" ? [...this].filter(choice).map(({ position }) => position) : [...choice];
    for (const position of positions) this.at(position);
    const taken = (columns) => new Map([...columns].map(([name, column]) => [name, column.taken(positions)]));
    return new Rows(taken(this.#columns), taken(this.#addresses), positions.map((position) => this.#origins[position]), this.columns);
  }
  toArray() {
    return Array.from(this, (sample) => sample.toObject());
  }
  bytes(positions = Array.from({ length: this.length }, (_, i) => i), child = null, options) {
    return Promise.all(positions.map((position) => (child ? this.at(position).child(child) : this.at(position)).bytes(options)));
  }
  async statistics({ compute = false, ...options } = {}) {
    return compute ? computedStatistics(this, options) : statisticsOfRows(this, options);
  }
  toArrow(arrow) {
    return toArrow(arrow, this);
  }
  /** A node (containers.js). */
  node(position) {
    const { parentPath, source, ...origin } = this.#origins[position];
    const value = (name) => this.#addresses.get(name)?.at(position) ?? undefined;
    const id = value("id") ?? fail("FORMAT", `row ${position} has no id`, { path: origin.container.name });
    const type = value("type");
    if (type !== "FILE" && type !== "FOLDER") fail("FORMAT", `sample '${id}' has the type '${type}', FILE or FOLDER expected`, { path: origin.container.name });
    return { ...origin, id, type, path: parentPath + id, offset: Number(value("internal:offset") ?? NaN), size: Number(value("internal:size") ?? NaN), source: value("internal:source_file") ?? source };
  }
  *[Symbol.iterator]() {
    for (let i = 0; i < this.length; ++i) yield this.at(i);
  }
}

export class Sample {
  #rows;

  constructor(rows, position, childPath) {
    this.#rows = rows;
    this.position = position;
    this.childPath = childPath;
  }
  get id() {
    return this.childPath === null ? this.#rows.column("id").at(this.position) : this.childPath.split("/").at(-1);
  }
  get type() {
    return this.#rows.column("type").at(this.position);
  }
  get(column) {
    return this.#rows.column(column).at(this.position);
  }
  toObject() {
    return Object.fromEntries(this.#rows.columns.map((name) => [name, this.get(name)]));
  }
  child(path) {
    return new Sample(this.#rows, this.position, this.childPath === null ? path : `${this.childPath}/${path}`);
  }

  async #node(signal) {
    let node = this.#rows.node(this.position);
    for (const id of this.childPath?.split("/") ?? []) {
      const rows = await this.#children(node, signal);
      let found = null;
      for (let i = 0; i < rows.length && !found; ++i) {
        if (rows.column("id").at(i) === id) found = rows.node(i);
      }
      node = found ?? fail("NAVIGATION", `'${node.id}' has no child '${id}'; it has ${rows.column("id").toArray().slice(0, 10).join(", ")}`, { path: node.container.name });
    }
    return node;
  }
  #children(node, signal) {
    if (node.type !== "FOLDER") fail("NAVIGATION", `'${node.id}' is a FILE, which has no children`, { path: node.container.name });
    return childrenOf(node, signal);
  }
  async #place(signal) {
    const node = await this.#node(signal);
    if (node.type !== "FILE") fail("NAVIGATION", `'${node.id}' is a FOLDER; its bytes are those of its children`, { path: node.container.name });
    return node.container.place(node);
  }

  async children({ signal } = {}) {
    return this.#children(await this.#node(signal), signal);
  }
  async place({ signal } = {}) {
    const place = await this.#place(signal);
    if (place.kind === "file") return { name: place.name, offset: 0, size: place.fileSize ?? NaN };
    const isKept = Boolean(fileOf(place.file)?.keeps(place));
    const [offset, size] = place.kind === "zip" ? await run("place", { place, isKept }, { signal }) : [place.offset, place.size];
    return { name: place.name, offset, size };
  }
  async path(options) {
    const place = await this.#place(options?.signal);
    const { name, offset, size } = await this.place(options);
    const file = isUrl(name) ? `/vsicurl/${encodeURI(name)}` : name;
    return place.kind === "file" ? file : `/vsisubfile/${offset}_${size},${file}`;
  }
  async bytes({ signal } = {}) {
    return run("bytes", { place: await this.#place(signal) }, { signal });
  }
  async raster({ signal } = {}) {
    const place = await this.#place(signal);
    return new Raster(place, await run("raster", { place }, { signal }));
  }
  async pixels({ signal, ...options } = {}) {
    return pixels(await this.#place(signal), options, signal);
  }
  async preview({ signal, ...options } = {}) {
    return picture(await this.#place(signal), options, signal);
  }
  async previewPng({ signal, ...options } = {}) {
    return run("png", { place: await this.#place(signal), options }, { signal });
  }
  /** For statistics. */
  async moments(options, signal) {
    return run("moments", { place: await this.#place(signal), options }, { signal });
  }
}

/** Options that rasters.js knows. */
function pixels(place, { bands, window, dtype, scale, fill }, signal) {
  return run("pixels", { place, options: { bands, window, dtype, scale, fill } }, { signal });
}
async function picture(place, options, signal) {
  if (typeof ImageData === "undefined") fail("UNSUPPORTED", "there is no ImageData here; previewPng() gives a PNG");
  const { width, height, data } = await run("preview", { place, options }, { signal });
  return new ImageData(data, width, height);
}

export class Raster {
  #place;
  constructor(place, info) {
    this.#place = place;
    this.info = info;
  }
  pixels({ signal, ...options } = {}) {
    return pixels(this.#place, options, signal);
  }
  preview({ signal, ...options } = {}) {
    return picture(this.#place, options, signal);
  }
  previewPng({ signal, ...options } = {}) {
    return run("png", { place: this.#place, options }, { signal });
  }
}
