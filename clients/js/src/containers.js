// Containers: where the tables and the bytes of the samples are, in each format of TACO.
import { packed } from "./columns.js";
import { Table } from "./tables.js";
import { fail, TacoError } from "./errors.js";
import { File, isFolder, isUrl, joinedLocation, located, nameOf, openFile, splitQuery } from "./files.js";
import { run } from "./pool.js";

const AT_ONCE = 1 << 20; // of the metadata of a ZIP that is read with one request
const HEAD = 1024;
const MOST_JSON = 64 << 20;
export const MAX_LEVEL = 5;
const decoder = new TextDecoder("utf-8", { fatal: true });
const encoder = new TextEncoder();

// ---- COLLECTION.json ----

function collectionOf(bytes, path) {
  let value;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch (error) {
    fail("FORMAT", `COLLECTION.json is no JSON in UTF-8: ${error.message}`, { path });
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) fail("FORMAT", "COLLECTION.json is not a JSON object", { path });
  return value;
}

/** Checks what reading needs. Returns the number of levels of the tree. */
function checkCollection(collection, path) {
  if (typeof collection.id !== "string" || collection.id === "") fail("FORMAT", "COLLECTION.json has no 'id'", { path });
  const tree = collection["taco:pit_schema"];
  if (tree === null || typeof tree !== "object" || !tree.root || typeof tree.root !== "object") fail("FORMAT", "COLLECTION.json has no 'taco:pit_schema' with a root", { path });
  const { hierarchy = {} } = tree;
  if (hierarchy === null || typeof hierarchy !== "object" || Array.isArray(hierarchy)) fail("FORMAT", "taco:pit_schema: 'hierarchy' is not an object", { path });
  const depths = Object.keys(hierarchy).map(Number).sort((a, b) => a - b);
  depths.forEach((depth, i) => {
    if (depth !== i + 1) fail("FORMAT", `taco:pit_schema: depth ${i + 1} is missing`, { path });
    if (depth > MAX_LEVEL) fail("FORMAT", `taco:pit_schema: depth ${depth}; at most ${MAX_LEVEL}`, { path });
    const patterns = hierarchy[depth];
    const isGood = Array.isArray(patterns) && patterns.length > 0 && patterns.every((each) => each && Array.isArray(each.type) && Array.isArray(each.id) && each.type.length > 0 && each.type.length === each.id.length && each.type.every((type) => type === "FILE" || type === "FOLDER"));
    if (!isGood) fail("FORMAT", `taco:pit_schema: depth ${depth} is not a list of patterns, each with as many 'type' as 'id', at least one`, { path });
  });
  return depths.length + 1;
}

/** Throws for an id that would lead out of its folder. */
export function checkId(id, path) {
  const why = id === "" ? "is empty" : id === "." || id === ".." ? "is reserved by file systems" : /[/\\]/.test(id) ? "contains a slash" : id.includes("\0") ? "contains a NUL byte" : null;
  if (why) fail("FORMAT", `the id ${JSON.stringify(id)} ${why}`, { path });
}

// ---- Containers ----

/** A node is a row, or what is below it: { id, type, path (of ids, from DATA/), offset, size, source }. */
class Container {
  constructor(format, name, collection) {
    this.format = format;
    this.name = name;
    this.collection = collection;
    this.id = collection.id;
    this.levels = []; // promises of tables
  }
  /** The table of a level; null below the deepest one. */
  async level(number, signal) {
    if (number > 0 && number >= (await this.numLevels(signal))) return null;
    this.levels[number] ??= this.openLevel(number, signal).catch((error) => {
      this.levels[number] = undefined;
      throw error;
    });
    return this.levels[number];
  }
  async numLevels() {
    return this.depth;
  }
  /** The place of the bytes of a FILE, for workers. */
  async place(node) {
    return this.placeOf(node, `DATA/${node.path}`);
  }
  /** `use(table)` with the table of the children of a FOLDER. */
  async children(node, signal, use) {
    const bytes = await run("bytes", { place: await this.placeOf(node, `DATA/${node.path}/__meta__`) }, { signal });
    const file = new File({ name: `${this.name}: ${node.path}/__meta__`, size: bytes.length, read: async (begin, end) => bytes.subarray(begin, end) });
    try {
      return await use(await Table.open(file, { size: bytes.length }, { signal }));
    } finally {
      file.close();
    }
  }
  close() {
    for (const file of this.files ?? []) file.close();
  }
}

/** What a place of a ZIP needs of a node. */
function zipPlace(file, node, entry) {
  if (!(node.offset >= 0 && node.size >= 0)) fail("FORMAT", `sample '${node.id}': internal:offset ${node.offset} and internal:size ${node.size}`, { path: file.name });
  return { kind: "zip", file: file.key, name: file.name, fileSize: file.size, entry, id: node.path, offset: node.offset, size: node.size };
}

class Zip extends Container {
  static async open(file, { signal }) {
    const bytes = await file.head(HEAD, signal);
    let ranges;
    try {
      ranges = await run("header", { name: "taco_header", bytes, sizes: [file.size ?? Number.MAX_SAFE_INTEGER] }, { signal });
    } catch (error) {
      throw new TacoError(error.code, `${file.name}: ${error.message}`, { path: file.name, offset: error.offset });
    }
    const places = [];
    for (let i = 0; i < ranges.length; i += 2) places.push({ offset: ranges[i], size: ranges[i + 1] });
    const collection = places.pop();
    if (collection.size > MOST_JSON) fail("FORMAT", `COLLECTION.json has ${collection.size} bytes`, { path: file.name });
    // The tables and COLLECTION.json lie together: one request, where they are small.
    const begin = Math.min(...places.map(({ offset }) => offset), collection.offset);
    const end = Math.max(...places.map(({ offset, size }) => offset + size), collection.offset + collection.size);
    if (end - begin <= AT_ONCE) await file.read([{ offset: begin, size: end - begin }], signal);
    const [text] = await file.read([collection], signal);
    const self = new Zip("zip", file.name, collectionOf(text, file.name));
    self.depth = checkCollection(self.collection, file.name);
    if (self.depth !== places.length) fail("FORMAT", `TACO_HEADER has ${places.length} levels, taco:pit_schema ${self.depth}`, { path: file.name });
    self.file = file;
    self.files = [file];
    self.openLevel = (number, signal) => Table.open(file, { ...places[number], level: number }, { signal });
    return self;
  }
  async placeOf(node, entry) {
    return zipPlace(this.file, node, entry);
  }
}

/** Files of a folder, opened once. */
class Folder {
  #files = new Map();
  constructor(location, options) {
    this.location = location;
    this.options = options;
  }
  async file(path) {
    if (!this.#files.has(path)) this.#files.set(path, await openFile({ location: joinedLocation(this.location, path) }, this.options));
    return this.#files.get(path);
  }
  get files() {
    return this.#files.values();
  }
  get name() {
    return nameOf(this.location);
  }
}

/** A table that is a file. */
async function tableFile(file, level, signal) {
  const head = await file.head(AT_ONCE, signal);
  const size = file.size ?? (head.length < AT_ONCE ? head.length : await file.findSize(signal));
  return Table.open(file, { size, level }, { signal });
}

class FolderContainer extends Container {
  static async open(folder, { signal }) {
    const [collection, level0] = await Promise.all([folder.file("COLLECTION.json"), folder.file("METADATA/level0.parquet")]);
    const [text] = await Promise.all([collection.all(signal), level0.head(AT_ONCE, signal).catch(() => {})]);
    const self = new FolderContainer("folder", folder.name, collectionOf(text, folder.name));
    self.depth = checkCollection(self.collection, folder.name);
    self.folder = folder;
    self.openLevel = async (number, signal) => tableFile(await folder.file(`METADATA/level${number}.parquet`), number, signal);
    return self;
  }
  get files() {
    return this.folder.files;
  }
  async placeOf(node, entry) {
    for (const id of node.path.split("/")) checkId(id, this.name);
    const file = await this.folder.file(entry);
    // A file without a stated size: its beginning tells it where it is small.
    if (file.size === undefined && (await file.head(4 << 20)).length === 4 << 20) await file.findSize();
    return { kind: "file", file: file.key, name: file.name, fileSize: file.size };
  }
}

/** An index: its tables are its own, its samples in ZIPs beside it. */
class Tacocat extends Container {
  constructor(name, collection, base, options) {
    super("tacocat", name, collection);
    this.depth = checkCollection(collection, name);
    this.parts = new Folder(base, options);
    this.own = [];
  }
  get files() {
    return [...this.own, ...this.parts.files];
  }
  async placeOf(node, entry) {
    if (typeof node.source !== "string") fail("SCHEMA", "no column 'internal:source_file': the ZIPs of its rows are unknown", { path: this.name });
    checkId(node.source, this.name);
    return zipPlace(await this.parts.file(node.source), node, entry);
  }
}

async function openTacocatFolder(location, base, options) {
  const folder = new Folder(location, options);
  const [collection, level0] = await Promise.all([folder.file("COLLECTION.json"), folder.file("level0.parquet")]);
  const [text] = await Promise.all([collection.all(options.signal), level0.head(AT_ONCE, options.signal).catch(() => {})]);
  const self = new Tacocat(folder.name, collectionOf(text, folder.name), base, options);
  self.own = folder.files;
  self.openLevel = async (number, signal) => tableFile(await folder.file(`level${number}.parquet`), number, signal);
  return self;
}

async function openTacocatFile(file, location, options) {
  const bytes = await file.head(HEAD, options.signal);
  const ranges = await run("header", { name: "tacocat_header", bytes, sizes: [file.size ?? Number.MAX_SAFE_INTEGER] }, options);
  const places = [];
  for (let i = 0; i < ranges.length; i += 2) places.push({ offset: ranges[i], size: ranges[i + 1] });
  const collection = places.pop();
  const [text] = await file.read([collection], options.signal);
  const self = new Tacocat(file.name, collectionOf(text, file.name), parentOf(location), options);
  self.own = [file];
  self.openLevel = (number, signal) => Table.open(file, { ...places[number], level: number }, { signal });
  return self;
}

// ---- TACO before 2.0 ----

const V1_HEADER = 200;
const V1_FORMAT = [18, 42]; // bytes of the header
const isNested = (format) => typeof format === "string" && format.toUpperCase() === "TORTILLA";

/** The name of a format that headers have before 0.5.0; null where there is none. */
const formatOf = (header) => new TextDecoder().decode(header.subarray(...V1_FORMAT)).replace(/[\0 ]+$/, "") || null;

/** Columns of the footer of a Tortilla, by the names of 2.0. Offsets count from the start of the file. `format` is that of all samples, where
 * the header stated it (before 0.5.0) and not the footer. */
function footerColumns(base, format, where) {
  return (stored) => {
    const has = (name) => stored.some((column) => column.name === name), isOfAll = format !== null && !has("tortilla:file_format");
    const missing = ["tortilla:id", "tortilla:offset", "tortilla:length", ...(isOfAll ? [] : ["tortilla:file_format"])].filter((name) => !has(name));
    if (missing.length > 0) fail("SCHEMA", `the footer lacks ${missing.join(", ")}`, where);
    const whole = (add) => (data) => ({ ...data, type: "int64", values: BigInt64Array.from(data.values, (value) => BigInt(value) + BigInt(add)) });
    const out = [
      { name: "id", from: "tortilla:id", type: "string", isFirst: true },
      { name: "type", from: isOfAll ? "tortilla:id" : "tortilla:file_format", type: "string", isFirst: true,
        values: isOfAll ? sameTexts(isNested(format) ? "FOLDER" : "FILE") : typesOf },
      { name: "internal:offset", from: "tortilla:offset", type: "int64", values: whole(base) },
      { name: "internal:size", from: "tortilla:length", type: "int64", values: whole(0) },
    ];
    if (isOfAll) out.push({ name: "tortilla:file_format", from: "tortilla:id", type: "string", values: sameTexts(format) });
    if (base > 0) out.push({ name: "tortilla:offset", from: "tortilla:offset", type: "int64", values: whole(base) });
    if (has("tortilla:parent")) out.push({ name: "internal:parent_id", from: "tortilla:parent", type: "int64", values: whole(0) });
    return out;
  };
}
function typesOf(data) {
  const text = new TextDecoder();
  const parts = Array.from({ length: data.length }, (_, i) => encoder.encode(isNested(text.decode(data.values.subarray(data.offsets[i], data.offsets[i + 1]))) ? "FOLDER" : "FILE"));
  return { ...data, ...packed(parts) };
}
const sameTexts = (text) => ({ length }) => ({ type: "string", length, valid: null, ...packed(new Array(length).fill(encoder.encode(text))) });

class Tortilla extends Container {
  static async open(file, { signal }) {
    const header = await Tortilla.header(file, 0, undefined, signal);
    let collection = {};
    if (header.collection) {
      if (header.collection.size > MOST_JSON) fail("FORMAT", `COLLECTION has ${header.collection.size} bytes`, { path: file.name });
      [collection] = await file.read([header.collection], signal);
      collection = collectionOf(collection, file.name);
    }
    const plainName = splitQuery(file.name)[0].split("/").at(-1).replace(/\.(tortilla|taco)$/i, "").replace(/\.part$/i, "").replace(/\.\d{4,}$/, "");
    const self = new Tortilla(header.isTaco ? "taco" : "tortilla", file.name, { id: plainName, ...collection });
    self.numFiles = header.numFiles;
    self.file = file;
    self.files = [file];
    self.header = header;
    const level0 = await Tortilla.table(file, 0, header, 0, signal);
    self.levels[0] = Promise.resolve(level0);
    self.chain = level0.keyValues.pointer !== undefined ? await self.#chain(level0, signal) : null;
    return self;
  }
  /** Of a Tortilla in `size` bytes, or of the file where that is undefined: servers may not tell pages how long it is. */
  static async header(file, offset, size, signal) {
    const [bytes] = size === undefined ? [await file.head(HEAD, signal)] : await file.read([{ offset, size: Math.min(V1_HEADER, size) }], signal);
    const most = size ?? file.size ?? Number.MAX_SAFE_INTEGER;
    const [isTaco, numFiles, footer, footerSize, ...rest] = await run("header", { name: "v1_header", bytes: bytes.subarray(0, V1_HEADER), sizes: [most, offset] }, { signal });
    return { isTaco: isTaco === 1, numFiles, format: formatOf(bytes), footer: { offset: footer, size: footerSize }, collection: rest.length > 0 ? { offset: rest[0], size: rest[1] } : null };
  }
  static table(file, base, { footer, format }, level, signal) {
    return Table.open(file, { offset: base + footer.offset, size: footer.size, level }, { signal, derive: footerColumns(base, format, { path: file.name, level }) });
  }

  /** The tables of a streaming file, each of which tells where the next one is; without that of the chunks of rasters. */
  async #chain(level0, signal) {
    const seen = new Set([this.header.footer.offset]);
    const out = [level0];
    for (let table = level0, text = table.keyValues.pointer; text !== undefined && text !== "NULL";) {
      const found = /^"?OFFSETLENGTH\((\d+), ?(\d+)\)"?$/.exec(text);
      const offset = Number(found?.[1]), size = Number(found?.[2]);
      if (!found || !(offset >= V1_HEADER && offset + size <= (this.file.size ?? Infinity))) fail("FORMAT", `the chain of tables has the pointer ${text.slice(0, 80)}`, { path: this.file.name });
      if (seen.has(offset) || seen.size > 64) fail("FORMAT", `the chain of tables points back to byte ${offset}`, { path: this.file.name, offset });
      seen.add(offset);
      const where = { path: this.file.name, level: out.length };
      table = await Table.open(this.file, { offset, size, level: out.length }, { signal,
        derive: (stored) => (stored.some(({ name }) => name === "chunk:band_offsets") ? [] : footerColumns(0, null, where)(stored)) });
      text = table.keyValues.pointer;
      if (!table.has("chunk:band_offsets")) out.push(table);
    }
    return out;
  }

  async numLevels(signal) {
    if (this.chain) return Math.min(this.chain.length, MAX_LEVEL + 1);
    this.depth ??= this.#depth(signal);
    return this.depth;
  }
  /** By the first nested sample of each level. */
  async #depth(signal) {
    let table = await this.levels[0];
    for (let level = 0; ; ++level) {
      const types = await table.column("type", { signal });
      const row = [...types].indexOf("FOLDER");
      if (row < 0 || level === MAX_LEVEL) return level + 1;
      const [offset, size] = (await table.rows(["internal:offset", "internal:size"], [row], { signal })).map((data) => Number(data.values[0]));
      table = await this.#nested({ id: `row ${row}`, path: `row ${row}`, offset, size }, level + 1, signal);
    }
  }
  async openLevel(number, signal) {
    if (this.chain) return this.chain[number];
    return fail("UNSUPPORTED", `level ${number} of a nested Tortilla is in as many tables as it has samples; open the children of a sample`, { path: this.name });
  }
  async #nested(node, level, signal) {
    this.#checkPlace(node);
    const header = await Tortilla.header(this.file, node.offset, node.size, signal);
    return Tortilla.table(this.file, node.offset, header, level, signal);
  }
  #checkPlace({ id, offset, size }) {
    const end = this.chain ? (this.file.size ?? Infinity) : this.header.footer.offset;
    if (!(offset >= V1_HEADER && size >= 0 && offset + size <= end)) fail("FORMAT", `sample '${id}': ${size} bytes at ${offset} are outside of the data, bytes ${V1_HEADER} to ${end}`, { path: this.name });
  }
  async place(node) {
    this.#checkPlace(node);
    return { kind: "part", file: this.file.key, name: this.file.name, fileSize: this.file.size, offset: node.offset, size: node.size };
  }
  async children(node, signal, use) {
    return use(await this.#nested(node, undefined, signal));
  }
}

// ---- Opening ----

const parentOf = (location) => (isUrl(location) ? splitQuery(location)[0].replace(/\/[^/]*$/, "") + splitQuery(location)[1] : location.includes("/") ? location.replace(/\/[^/]*$/, "") || "/" : ".");
const fileNameOf = (location) => splitQuery(isUrl(location) ? location : location.replace(/[?#]/g, "_"))[0].replace(/\/+$/, "").split("/").at(-1);

/** Opens what is at a source: { containers, collection, format } of a dataset; several containers for a TACOLLECTION and a dataset in parts. */
export async function openContainers(source, options) {
  const at = located(source);
  if (at.bytes) return openAsFile(await openFile(at, options), null, options);
  const location = at.location.replace(/\/+$/, "");
  const name = fileNameOf(location);
  if (/\.(tacozip|zip|tortilla|taco|json)$/i.test(name) && name !== "COLLECTION.json") return openAsFile(await openFile({ location }, options), location, options);
  if (name === "__TACOCAT__") return openAsFile(await openFile({ location }, options), location, options);
  const folder = name === "COLLECTION.json" ? parentOf(location) : location;
  if (/\.tacocat$/i.test(fileNameOf(folder))) return alone(await openTacocatFolder(folder, parentOf(folder), options));
  if (!isUrl(folder) && !(await isFolder({ location: folder }))) return openAsFile(await openFile({ location }, options), location, options);
  const tries = [
    () => FolderContainer.open(new Folder(folder, options), options).then(alone),
    () => openTacocatFolder(joinedLocation(folder, ".tacocat"), folder, options).then(alone),
    async () => openAsFile(await openFile({ location: joinedLocation(folder, "__TACOCAT__") }, options), joinedLocation(folder, "__TACOCAT__"), options),
    async () => openAsFile(await openFile({ location: joinedLocation(folder, "TACOLLECTION.json") }, options), joinedLocation(folder, "TACOLLECTION.json"), options),
  ];
  if (isUrl(location)) tries.push(async () => openAsFile(await openFile({ location }, options), location, options));
  for (const each of tries) {
    try {
      return await each();
    } catch (error) {
      if (error.code !== "TACORE_E_NOT_FOUND") throw error;
    }
  }
  return isUrl(location)
    ? fail("NOT_FOUND", "neither a file nor a folder with COLLECTION.json, .tacocat/, __TACOCAT__ or TACOLLECTION.json", { path: nameOf(location) })
    : fail("FORMAT", "COLLECTION.json not found: a .tacozip or .zip file, or a folder with COLLECTION.json, .tacocat/, __TACOCAT__ or TACOLLECTION.json expected", { path: location });
}

const alone = (container) => ({ containers: [container], collection: container.collection, format: container.format, name: container.name });

async function openAsFile(file, location, options) {
  const head = await file.head(HEAD, options.signal);
  const start = String.fromCharCode(...head.subarray(0, 8));
  if (start === "TACOCAT\0") return alone(await openTacocatFile(file, location ?? ".", options));
  if (start.startsWith("PK")) return alone(await Zip.open(file, options));
  if (start.startsWith("#y") || start.startsWith("WX")) return openTortillas(file, location, options);
  if (/^\s*\{/.test(start.replace(/^\xEF\xBB\xBF/, ""))) return openTacollection(file, location, options);
  if (start.startsWith("PAR1")) return fail("FORMAT", "a Parquet table, not a dataset; name the .tacozip or folder it belongs to", { path: file.name });
  return fail("FORMAT", `not a TACO dataset: starts with ${JSON.stringify(start.slice(0, 4))}; a ZIP, TACOCAT, JSON, Tortilla or TACO expected`, { path: file.name, offset: 0 });
}

async function openTortillas(file, location, options) {
  const first = await Tortilla.open(file, options);
  const part = /^(.*\.)(\d{4,10})(\.part\.[^./]+)$/.exec(location ? splitQuery(location)[0] : "");
  if (first.numFiles <= 1 || !part) return alone(first);
  const query = splitQuery(location)[1], digits = part[2].length;
  const others = await Promise.all(Array.from({ length: first.numFiles }, async (_, i) => {
    const other = `${part[1]}${String(i).padStart(digits, "0")}${part[3]}${query}`;
    return other === location ? first : Tortilla.open(await openFile({ location: other }, options), options);
  }));
  return { containers: others, collection: first.collection, format: first.format, name: first.name };
}

async function openTacollection(file, location, options) {
  const collection = collectionOf(await file.all(options.signal), file.name);
  const names = collection["taco:sources"]?.files ?? collection._tacocat?.dataset_sources;
  if (!Array.isArray(names) || names.length === 0) fail("FORMAT", "an index of datasets without 'taco:sources' that names files", { path: file.name });
  if (location === null) fail("ARGUMENT", "an index of datasets names files beside it; open it by its URL or path", { path: file.name });
  for (const name of names) checkId(String(name), file.name);
  const opened = await Promise.all(names.map((name) => openContainers(joinedLocation(parentOf(location), name), options)));
  return { containers: opened.flatMap(({ containers }) => containers), collection, format: "tacollection", name: file.name };
}
