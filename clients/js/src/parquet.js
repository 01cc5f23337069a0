// Tables of Parquet in a worker: the plan of what is read is made here, the pages are decoded by hyparquet. Its decoder believes the
// counts of a page, so they are checked here before: a page cannot ask for more memory than its rows need.
import { parquetMetadata, parquetSchema, readColumnIndex, readOffsetIndex, snappyUncompress } from "hyparquet";
import { parquetHeader, readColumn } from "hyparquet/src/column.js";
import { readRleBitPackedHybrid } from "hyparquet/src/encoding.js";
import { assembleAsync } from "hyparquet/src/rowgroup.js";
import { getMaxDefinitionLevel, getMaxRepetitionLevel, getTreePath, isFlatColumn, isListLike, isMapLike } from "hyparquet/src/schema.js";
import { ARRAYS, joined, packed } from "./columns.js";
import { fail } from "./errors.js";

const MOST_VALUES = 2 ** 27; // of a row group: more do not fit the memory of a worker
const MOST_BYTES = 2 ** 28; // of a page, uncompressed
const WHOLE = 2 ** 17; // a smaller column chunk is read whole: an index of its pages would cost a request more

// What the file says, as numbers and bytes: names of values are this file's own business.
const same = (value) => value;
const PARSERS = {
  timestampFromMilliseconds: same, timestampFromMicroseconds: same, timestampFromNanoseconds: same, dateFromDays: same,
  stringFromBytes: same, jsonFromBytes: same, geometryFromBytes: same, geographyFromBytes: same, uuidFromBytes: same,
};

/** The last bytes of a file, with at least its footer: { size } of the footer and what precedes and follows it. */
export function footerSize(tail, where) {
  const magic = String.fromCharCode(...tail.subarray(-4));
  if (tail.length < 12 || magic !== "PAR1") fail("FORMAT", `the table does not end with PAR1, but with ${JSON.stringify(magic)}`, where);
  return new DataView(tail.buffer, tail.byteOffset).getUint32(tail.length - 8, true) + 8;
}

/** A table whose footer has been read. */
export class Table {
  constructor({ footer, offset, size, ...where }) {
    this.where = where;
    this.offset = offset;
    this.size = size;
    this.metadata = parquetMetadata(new Uint8Array(footer).buffer, { parsers: PARSERS, geoparquet: false });
    this.tree = parquetSchema(this.metadata);
    this.groups = [];
    let begin = 0;
    for (const group of this.metadata.row_groups) {
      const length = Number(group.num_rows);
      if (!(length >= 0 && length <= MOST_VALUES)) fail("FORMAT", `a row group of ${length} rows`, where);
      this.groups.push({ begin, end: begin + length, chunks: group.columns.map((chunk) => this.#chunk(chunk, length)) });
      begin += length;
    }
    if (begin !== Number(this.metadata.num_rows)) fail("FORMAT", `row groups have ${begin} rows, the table ${this.metadata.num_rows}`, where);
    this.numRows = begin;
  }

  get columns() {
    return this.tree.children.map((tree) => ({ name: tree.element.name, type: typeOf(tree) }));
  }
  get keyValues() {
    return Object.fromEntries((this.metadata.key_value_metadata ?? []).filter(({ value }) => value !== undefined).map(({ key, value }) => [key, value]));
  }
  find(name) {
    const tree = this.tree.children.find(({ element }) => element.name === name);
    if (!tree) fail("QUERY", `no column '${name}'; there are ${this.columns.map((each) => each.name).join(", ")}`, this.where);
    const type = typeOf(tree);
    if (!type) fail("SCHEMA", `column '${name}' has a type that this reader does not have: ${kindOf(tree)}`, this.where);
    return { name, tree, type };
  }

  #chunk(chunk, numRows) {
    const meta = chunk.meta_data;
    if (!meta || chunk.file_path) fail("FORMAT", "a column is in another file", this.where);
    const path = getTreePath(this.tree, meta.path_in_schema);
    const begin = Number(meta.dictionary_page_offset > 0n && meta.dictionary_page_offset < meta.data_page_offset
      ? meta.dictionary_page_offset : meta.data_page_offset);
    const end = begin + Number(meta.total_compressed_size);
    const name = meta.path_in_schema[0];
    if (!(begin >= 4 && end >= begin && end <= this.size)) fail("FORMAT", `column '${name}': bytes ${begin} to ${end} of a table of ${this.size}`, this.where);
    const isFlat = isFlatColumn(path);
    const numValues = Number(meta.num_values);
    if (isFlat ? numValues !== numRows : !(numValues >= 0 && numValues <= MOST_VALUES))
      fail("FORMAT", `column '${name}': ${numValues} values in ${numRows} rows`, this.where);
    return { name, meta, path, begin, end, isFlat, numValues, indexes: chunk };
  }
}

// ---- Types ----

/** Plain types: docs/c.md. undefined for others. */
function typeOf(tree) {
  const { type, converted_type: converted, logical_type: logical } = tree.element;
  if (isMapLike(tree)) return undefined;
  if (isListLike(tree) || tree.element.repetition_type === "REPEATED") return insidesOf(tree) ? "list" : undefined;
  if (tree.children.length > 0) return insidesOf(tree) ? "struct" : undefined;
  if (converted === "DECIMAL" || logical?.type === "DECIMAL") return "double";
  if (/^TIME_|INTERVAL|BSON/.test(converted ?? "") || ["TIME", "INTERVAL", "VARIANT"].includes(logical?.type)) return undefined;
  const isUnsigned = /^UINT/.test(converted ?? "") || (logical?.type === "INTEGER" && !logical.isSigned);
  switch (type) {
    case "BOOLEAN": return "bool";
    case "INT32": return converted === "DATE" || logical?.type === "DATE" ? "date" : isUnsigned && bitsOf(tree.element) === 32 ? "int64" : "int32";
    case "INT64": return unitOf(tree) ? "timestamp" : "int64";
    case "INT96": return "timestamp";
    case "FLOAT": case "DOUBLE": return "double";
    case "BYTE_ARRAY": return ["UTF8", "ENUM", "JSON"].includes(converted) || ["STRING", "ENUM", "JSON"].includes(logical?.type) ? "string" : "binary";
    case "FIXED_LEN_BYTE_ARRAY": return logical?.type === "FLOAT16" ? "double" : "binary";
    default: return undefined;
  }
}
const insidesOf = (tree) => tree.children.every((child) => (child.element.name === "list" || child.children.length > 0 ? insidesOf(child) : typeOf(child)));
const bitsOf = ({ converted_type: converted, logical_type: logical }) => logical?.bitWidth ?? Number(/\d+$/.exec(converted ?? "")?.[0] ?? 32);
const kindOf = ({ element, children }) => element.converted_type ?? element.logical_type?.type ?? element.type ?? (children.length > 0 ? "a nested one" : "none");

/** How many of its units a microsecond has, or the other way round. */
function unitOf({ element: { type, converted_type: converted, logical_type: logical } }) {
  if (type === "INT96") return "NANOS";
  if (logical?.type === "TIMESTAMP") return logical.unit;
  return { TIMESTAMP_MILLIS: "MILLIS", TIMESTAMP_MICROS: "MICROS" }[converted];
}
const floorDivided = (value, by) => (value - (((value % by) + by) % by)) / by;
const MICROSECONDS = { MILLIS: (time) => time * 1000n, MICROS: same, NANOS: (time) => floorDivided(time, 1000n) };

// ---- Pages ----

const varint = (bytes, at) => {
  let value = 0, shift = 1;
  for (;;) {
    if (at.offset >= bytes.length || shift > 2 ** 35) throw new Error("runs of a page end too soon");
    const byte = bytes[at.offset++];
    value += (byte & 127) * shift;
    if (byte < 128) return value;
    shift *= 128;
  }
};

/** Checks runs of numbers of `width` bits: exactly `count` of them, but for the last group of eight. Returns where they end. */
function checkRuns(bytes, offset, width, count, end = bytes.length) {
  const at = { offset };
  for (let seen = 0; seen < count;) {
    const header = varint(bytes, at);
    const isPacked = header % 2 === 1;
    const run = isPacked ? Math.floor(header / 2) * 8 : Math.floor(header / 2);
    if (run > count - seen + (isPacked ? 7 : 0)) throw new Error(`a run of ${run} where ${count - seen} values are left`);
    // The last group may lack bytes that hold no values.
    at.offset += isPacked ? Math.ceil((Math.min(run, count - seen) * width) / 8) : Math.ceil(width / 8);
    if (at.offset > end) throw new Error("runs of a page end too soon");
    seen += run;
  }
}
const bitsFor = (most) => (most === 0 ? 0 : 32 - Math.clz32(most));

/** Checks the pages in `bytes` of a column chunk. Returns them as { type, about, v2, page, before, body }: `body` is what follows the first
 * `before` bytes of the page, uncompressed. */
function checkPages(bytes, { meta, path, isFlat, numValues }, unpack) {
  const pages = [];
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
  const most = { definition: getMaxDefinitionLevel(path), repetition: getMaxRepetitionLevel(path) };
  let seen = 0, dictionary = null, total = 0;
  while (reader.offset < bytes.length - 1) {
    const { type, compressed_page_size: packedSize, uncompressed_page_size: size, ...header } = parquetHeader(reader);
    const about = header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header;
    if (!(packedSize >= 0 && size >= 0 && size <= MOST_BYTES && packedSize <= bytes.length - reader.offset) || !about || !(about.num_values >= 0))
      throw new Error(`a page of ${packedSize} bytes, ${size} uncompressed, of which ${bytes.length - reader.offset} are there`);
    total += size;
    if (total > 2 ** 30) throw new Error("more than 1 GiB in one column of a row group");
    const page = bytes.subarray(reader.offset, reader.offset + packedSize);
    reader.offset += packedSize;
    const v2 = header.data_page_header_v2;
    const before = v2 ? v2.definition_levels_byte_length + v2.repetition_levels_byte_length : 0;
    if (!(before >= 0 && before <= packedSize && before <= size)) throw new Error("the levels of a page are longer than the page");
    const body = meta.codec === "UNCOMPRESSED" || v2?.is_compressed === false ? page.subarray(before) : unpack(meta.codec, page.subarray(before), size - before);
    pages.push({ type, about, v2, page, before, body });
    if (body.length !== size - before) throw new Error(`a page of ${size - before} bytes holds ${body.length}`);
    if (type === "DICTIONARY_PAGE") {
      if (about.num_values > size + 1) throw new Error(`a dictionary of ${about.num_values} values in ${size} bytes`);
      dictionary = about.num_values;
      continue;
    }
    seen += about.num_values;
    if (seen > numValues) throw new Error(`pages have more than the ${numValues} values of the column`);
    let offset = 0;
    if (v2) {
      if (isFlat && v2.num_rows !== v2.num_values) throw new Error(`a page of ${v2.num_rows} rows and ${v2.num_values} values`);
      if (most.repetition) checkRuns(page, 0, bitsFor(most.repetition), v2.num_values, v2.repetition_levels_byte_length);
      if (most.definition) checkRuns(page, v2.repetition_levels_byte_length, bitsFor(most.definition), v2.num_values, before);
    } else {
      for (const level of [most.repetition, most.definition]) {
        if (level === 0) continue;
        const length = offset + 4 <= body.length ? new DataView(body.buffer, body.byteOffset + offset).getUint32(0, true) : Infinity;
        if (length > body.length - offset - 4) throw new Error("the levels of a page are longer than the page");
        checkRuns(body, offset + 4, bitsFor(level), about.num_values, offset + 4 + length);
        offset += 4 + length;
      }
    }
    checkValues(body, offset, about, meta, path.at(-1).element, dictionary);
  }
  return pages;
}

/** Checks that the values of a page need no more than its bytes can hold. */
function checkValues(body, offset, { num_values: count, encoding }, { type }, element, dictionary) {
  const left = body.length - offset;
  if (encoding === "RLE_DICTIONARY" || encoding === "PLAIN_DICTIONARY") {
    if (left === 0) return; // no value but nulls
    const width = body[offset];
    if (width > 32) throw new Error(`numbers of ${width} bits`);
    if (dictionary === null) throw new Error("values of a dictionary that is not there");
    // Nulls have no number, so runs may end before: what is there must not be more than the values.
    const at = { offset: offset + 1 };
    for (let seen = 0; width > 0 && at.offset < body.length;) {
      const header = varint(body, at);
      const run = header % 2 === 1 ? Math.floor(header / 2) * 8 : Math.floor(header / 2);
      if (seen + run > count + 7) throw new Error(`a run of ${run} where ${count - seen} values are left`);
      seen += run;
      at.offset += header % 2 === 1 ? (run / 8) * width : Math.ceil(width / 8);
    }
  } else if (encoding === "RLE" && type !== "BOOLEAN") {
    throw new Error("values with an encoding of levels");
  } else if (encoding === "PLAIN" && element.type_length !== undefined && type === "FIXED_LEN_BYTE_ARRAY" && !(element.type_length > 0)) {
    throw new Error(`values of ${element.type_length} bytes`);
  }
}

// ---- Texts and bytes ----

const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** Data of a flat column of texts or bytes at rows [begin, end) of its pages. hyparquet makes an object for each of them; null where it has
 * to, because of an encoding or because rows are missing. */
function bytesData(pages, type, path, begin, end) {
  if (pages.some(({ about }) => !["PLAIN", "PLAIN_DICTIONARY", "RLE_DICTIONARY"].includes(about.encoding))) return null;
  const { element } = path.at(-1), isOptional = getMaxDefinitionLevel(path) > 0, length = end - begin;
  const needed = [];
  let dictionary = null, row = -begin, size = 0;
  for (const page of pages) {
    const count = page.about.num_values;
    if (page.type === "DICTIONARY_PAGE") {
      dictionary = plainPlaces(page.body, 0, count, element);
      continue;
    }
    if (row < length && row + count > 0) {
      const places = placesIn(page, isOptional, element, dictionary);
      for (let i = 0; i < places.starts.length; ++i) size += places.ends[i] - places.starts[i];
      needed.push({ row, count, ...places });
    }
    row += count;
  }
  if (row < length) return null;
  if (size > 2 ** 30) throw new Error("more than 1 GiB in one column of a row group");
  const out = { type, length, valid: null, values: new Uint8Array(size), offsets: new Uint32Array(length + 1) };
  let filled = 0;
  for (const { row: first, count, valid, source, starts, ends } of needed) {
    for (let i = 0, value = 0; i < count; ++i) {
      const isThere = valid === null || valid[i] === 1, at = isThere ? value++ : 0, to = first + i;
      if (to < 0 || to >= length) continue;
      if (!isThere) (out.valid ??= new Uint8Array(length).fill(1))[to] = 0;
      for (let from = starts[at]; isThere && from < ends[at];) out.values[filled++] = source[from++];
      out.offsets[to + 1] = filled;
    }
  }
  return filled < size ? { ...out, values: out.values.slice(0, filled) } : out;
}

/** Where the values of a page are: { valid, source, starts, ends }. `valid` has a byte for each row, the others a place for each value. */
function placesIn({ about, v2, page, body }, isOptional, element, dictionary) {
  let valid = null, offset = 0, count = about.num_values;
  if (isOptional) {
    valid = new Uint8Array(count);
    const levels = v2 ? { view: viewOf(page), offset: v2.repetition_levels_byte_length } : { view: viewOf(body), offset: 0 };
    readRleBitPackedHybrid(levels, 1, valid, v2?.definition_levels_byte_length);
    if (!v2) ({ offset } = levels);
    count = valid.reduce((sum, level) => sum + level, 0);
  }
  if (about.encoding === "PLAIN") return { valid, ...plainPlaces(body, offset, count, element) };
  const numbers = new Uint32Array(count), width = body[offset];
  if (count > 0 && width > 0) readRleBitPackedHybrid({ view: viewOf(body), offset: offset + 1 }, width, numbers, body.length - offset - 1);
  const { source = body, starts = [], ends = [] } = dictionary ?? {};
  if (numbers.some((number) => number >= starts.length)) throw new Error("a number that its dictionary does not have");
  return { valid, source, starts: numbers.map((number) => starts[number]), ends: numbers.map((number) => ends[number]) };
}

function plainPlaces(source, offset, count, { type, type_length: width }) {
  const isFixed = type === "FIXED_LEN_BYTE_ARRAY";
  if (isFixed && !(width > 0)) throw new Error(`values of ${width} bytes`);
  if (count * (isFixed ? width : 4) > source.length - offset) throw new Error("the values of a page end too soon");
  const starts = new Uint32Array(count), ends = new Uint32Array(count), view = viewOf(source);
  for (let i = 0, at = offset; i < count; ++i) {
    if (!isFixed && at + 4 > source.length) throw new Error("the values of a page end too soon");
    starts[i] = isFixed ? at : at + 4;
    at = starts[i] + (isFixed ? width : view.getUint32(at, true));
    if (at > source.length) throw new Error("the values of a page end too soon");
    ends[i] = at;
  }
  return { source, starts, ends };
}

// ---- Reading ----

/** What decompresses pages, by the core. */
function unpacker(core, where) {
  return (codec, bytes, size) => {
    if (codec === "ZSTD") return size === 0 ? new Uint8Array() : core.call("unpack_zstd", [bytes, size]);
    if (codec === "SNAPPY") {
      const out = new Uint8Array(size);
      snappyUncompress(bytes, out);
      return out;
    }
    return fail("UNSUPPORTED", `a table compressed with ${codec}; ZSTD, Snappy and none are read here`, where);
  };
}

/** Reads columns at rows of ascending ranges [begin, end). `ask(ranges)` promises bytes for each { offset, size } of the table. */
export async function readRows(table, names, ranges, ask, core) {
  const columns = names.map((name) => ({ ...table.find(name), parts: [] }));
  // Each piece is the rows of a range in a row group.
  const pieces = ranges.flatMap(([begin, end]) => table.groups.filter((group) => group.end > begin && group.begin < end)
    .map((group) => ({ group, begin: Math.max(begin, group.begin) - group.begin, end: Math.min(end, group.end) - group.begin })));
  const reads = columns.flatMap((column) => pieces.map((piece) => ({ column, piece,
    leaves: piece.group.chunks.filter(({ name }) => name === column.name).map((chunk) => ({ chunk, pages: null, parts: [{ offset: chunk.begin, size: chunk.end - chunk.begin }] })) })));
  // The pages of large chunks of which a part is needed.
  const narrow = reads.flatMap(({ piece, leaves }) => leaves.filter(({ chunk: { begin, end, indexes } }) => indexes.offset_index_length > 0 &&
    end - begin > WHOLE && piece.end - piece.begin < (piece.group.end - piece.group.begin) / 2).map((leaf) => ({ leaf, piece })));
  const indexes = await ask(narrow.map(({ leaf: { chunk: { indexes: at } } }) => ({ offset: Number(at.offset_index_offset), size: at.offset_index_length })));
  narrow.forEach(({ leaf, piece }, i) => choosePages(leaf, piece, pagesIn(indexes[i], leaf.chunk, piece.group, table)));
  const wanted = reads.flatMap(({ leaves }) => leaves.flatMap(({ parts }) => parts));
  const bytes = await ask(wanted);
  let next = 0;
  for (const { column, piece, leaves } of reads) {
    const parts = leaves.map((leaf) => ({ ...leaf, bytes: concatenated(leaf.parts.map(() => bytes[next++])) }));
    column.parts.push(await decode(table, column, piece, parts, core));
  }
  return columns.map(({ type, tree, parts }) => (parts.length > 0 ? joined(type, parts) : flatData(tree, type, [])));
}

const concatenated = (parts) => (parts.length === 1 ? parts[0] : packed(parts).values);

/** The pages of a chunk: { offset, size, row } in ascending order. */
function pagesIn(bytes, chunk, group, table) {
  const { page_locations: pages } = readOffsetIndex({ view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 });
  const out = pages.map(({ offset, compressed_page_size: size, first_row_index: row }) => ({ offset: Number(offset), size, row: Number(row) }));
  out.forEach((page, i) => {
    const before = out[i - 1] ?? { offset: chunk.begin, size: 0, row: i === 0 && page.row === 0 ? -1 : Infinity };
    if (page.row <= before.row || page.offset < before.offset + before.size || page.size < 0 || page.offset + page.size > chunk.end || page.row >= group.end - group.begin)
      fail("FORMAT", `column '${chunk.name}': the index of its pages contradicts the table`, table.where);
  });
  return out;
}

function choosePages(leaf, piece, pages) {
  if (pages.length === 0) return;
  const chosen = pages.filter(({ row }, i) => row < piece.end && (pages[i + 1]?.row ?? Infinity) > piece.begin);
  const first = chosen[0], last = chosen.at(-1);
  leaf.firstRow = first.row;
  leaf.parts = [{ offset: first.offset, size: last.offset + last.size - first.offset }];
  // A dictionary is before the first page.
  if (pages[0].offset > leaf.chunk.begin) leaf.parts.unshift({ offset: leaf.chunk.begin, size: pages[0].offset - leaf.chunk.begin });
}

async function decode(table, { name, tree, type }, { group, begin, end }, leaves, core) {
  const where = `column '${name}', rows ${group.begin + begin} to ${group.begin + end}`;
  const isBytes = tree.children.length === 0 && (type === "string" || type === "binary");
  const asyncColumns = [];
  let skipped = 0;
  for (const { chunk, bytes, firstRow = 0 } of leaves) {
    try {
      const unpack = unpacker(core, table.where);
      const pages = checkPages(bytes, chunk, unpack);
      const data = isBytes && chunk.isFlat ? bytesData(pages, type, chunk.path, begin - firstRow, end - firstRow) : null;
      if (data) return data;
      const unpacked = new Map(pages.map(({ page, before, body }) => [page.byteOffset + before, body]));
      const known = (codec) => (page, size) => unpacked.get(page.byteOffset) ?? unpack(codec, page, size);
      const decoder = { pathInSchema: chunk.meta.path_in_schema, element: chunk.path.at(-1).element, schemaPath: chunk.path, ...chunk.meta,
        utf8: false, parsers: PARSERS, compressors: { ZSTD: known("ZSTD"), SNAPPY: known("SNAPPY") } };
      const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
      const { data: found } = readColumn(reader, { groupStart: 0, selectStart: 0, selectEnd: end - firstRow }, decoder);
      asyncColumns.push({ pathInSchema: chunk.meta.path_in_schema, data: Promise.resolve({ data: found, skipped: firstRow }) });
      skipped = firstRow;
    } catch (error) {
      if (error.name === "TacoError" || error.code === "MEMORY") throw error;
      fail("FORMAT", `${where}: ${error.message}`, table.where);
    }
  }
  let pieces;
  if (tree.children.length === 0) {
    pieces = (await asyncColumns[0].data).data;
  } else {
    const assembled = assembleAsync({ asyncColumns, groupStart: 0, groupRows: group.end - group.begin, selectStart: begin, selectEnd: end }, table.tree, PARSERS);
    ({ data: pieces, skipped } = await assembled.asyncColumns.find(({ pathInSchema }) => pathInSchema[0] === name).data);
  }
  const rows = sliced(pieces, begin - skipped, end - skipped);
  const length = rows.reduce((sum, each) => sum + each.length, 0);
  if (length !== end - begin) fail("FORMAT", `${where}: ${length} values instead of ${end - begin}`, table.where);
  try {
    return flatData(tree, type, rows);
  } catch (error) {
    return fail(error.code?.replace("TACORE_E_", "") ?? "FORMAT", `${where}: ${error.message}`, table.where);
  }
}

function sliced(pieces, begin, end) {
  const out = [];
  let at = 0;
  for (const piece of pieces) {
    const from = Math.max(begin - at, 0), to = Math.min(end - at, piece.length);
    if (from < to) out.push(from === 0 && to === piece.length ? piece : piece.slice(from, to));
    at += piece.length;
  }
  return out;
}

/** Data of a column (columns.js) of what hyparquet returned: typed arrays, or arrays of values and nulls. */
function flatData(tree, type, pieces) {
  const length = pieces.reduce((sum, each) => sum + each.length, 0);
  const out = { type, length, valid: null };
  const missing = (row) => { (out.valid ??= new Uint8Array(length).fill(1))[row] = 0; };
  if (type === "list" || type === "struct") {
    const convert = converter(tree);
    out.values = pieces.flatMap((piece) => Array.from(piece, convert));
    out.values.forEach((value, row) => { if (value === null) missing(row); });
    return out;
  }
  const convert = type === "timestamp" ? MICROSECONDS[unitOf(tree)] : type === "int64" ? wholeOf : type === "bool" ? Number : same;
  const isText = type === "string" || type === "binary";
  const values = isText ? [] : new ARRAYS[type](length);
  const none = new Uint8Array();
  let row = 0;
  for (const piece of pieces) {
    if (!isText && piece.constructor === values.constructor && (convert === same || convert === wholeOf)) {
      values.set(piece, row);
      row += piece.length;
      continue;
    }
    for (const value of piece) {
      if (value === undefined) throw new Error("a number that its dictionary does not have");
      if (value === null) missing(row);
      if (isText) values.push(value ?? none);
      else if (value !== null) values[row] = convert(value);
      ++row;
    }
  }
  return { ...out, ...(isText ? packed(values) : { values }) };
}

function wholeOf(value) {
  const out = BigInt(value);
  if (BigInt.asIntN(64, out) !== out) fail("SCHEMA", `${out} is beyond int64`);
  return out;
}

const decoder = new TextDecoder();
const exact = (value) => (value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value);

/** What makes a value of a nested column one of JavaScript. */
function converter(tree) {
  const type = typeOf(tree);
  const some = (convert) => (value) => (value === null || value === undefined ? null : convert(value));
  if (type === "list") {
    let item = tree.children.length > 0 ? tree.children[0] : { ...tree, element: { ...tree.element, repetition_type: "OPTIONAL" } };
    if (tree.children.length > 0 && item.children.length === 1) [item] = item.children;
    if (item === tree.children[0] && item.children.length === 0) item = { ...item, element: { ...item.element, repetition_type: "OPTIONAL" } };
    const convert = converter(item);
    return some((values) => Array.from(values, convert));
  }
  if (type === "struct") {
    const members = tree.children.map((child) => [child.element.name, converter(child)]);
    return some((value) => Object.fromEntries(members.map(([name, convert]) => [name, convert(value[name])])));
  }
  return some({
    string: (bytes) => decoder.decode(bytes), binary: (bytes) => bytes.slice(), int64: (value) => exact(wholeOf(value)), date: (days) => new Date(days * 86_400_000),
    timestamp: (time) => new Date(Number(MICROSECONDS[unitOf(tree)](time)) / 1000),
  }[type] ?? same);
}

// ---- Pruning ----

/** Row groups in which some row may meet all tests (tests.js), by the statistics of the footer. */
export function groupsFor(table, tests) {
  return table.groups.flatMap((group, i) => (tests.every((test) => {
    const chunk = group.chunks.find(({ name, isFlat }) => name === test.column && isFlat);
    const { min_value: min, max_value: max, null_count: nulls } = chunk?.meta.statistics ?? {};
    return !chunk || test.mayHold(boundOf(table, test.column, min), boundOf(table, test.column, max), nulls === undefined ? null : Number(nulls), chunk.numValues);
  }) ? [i] : []));
}

/** Ranges of rows of a row group in which some row may meet all tests, by the indexes of pages. */
export async function rangesFor(table, number, tests, ask) {
  const group = table.groups[number];
  let out = [[group.begin, group.end]];
  const indexed = tests.flatMap((test) => {
    const chunk = group.chunks.find(({ name, isFlat }) => name === test.column && isFlat);
    return chunk && test.isSelective && chunk.end - chunk.begin > WHOLE && chunk.indexes.column_index_length > 0 && chunk.indexes.offset_index_length > 0 ? [{ test, chunk }] : [];
  });
  const bytes = await ask(indexed.flatMap(({ chunk: { indexes: at } }) => [
    { offset: Number(at.column_index_offset), size: at.column_index_length }, { offset: Number(at.offset_index_offset), size: at.offset_index_length }]));
  indexed.forEach(({ test, chunk }, i) => {
    const { view, offset } = { view: new DataView(bytes[2 * i].buffer, bytes[2 * i].byteOffset, bytes[2 * i].length), offset: 0 };
    const index = readColumnIndex({ view, offset }, chunk.path.at(-1).element, PARSERS);
    const pages = pagesIn(bytes[2 * i + 1], chunk, group, table);
    if (index.null_pages.length !== pages.length || index.min_values.length !== pages.length || index.max_values.length !== pages.length)
      fail("FORMAT", `column '${chunk.name}': the indexes of its pages differ in length`, table.where);
    const kept = pages.flatMap(({ row }, k) => {
      const length = (pages[k + 1]?.row ?? group.end - group.begin) - row;
      const nulls = index.null_pages[k] ? length : index.null_counts ? Number(index.null_counts[k]) : null;
      const bound = (value) => (index.null_pages[k] ? undefined : boundOf(table, test.column, value));
      return test.mayHold(bound(index.min_values[k]), bound(index.max_values[k]), nulls, length) ? [[group.begin + row, group.begin + row + length]] : [];
    });
    out = out.flatMap(([begin, end]) => kept.filter((each) => each[1] > begin && each[0] < end).map((each) => [Math.max(begin, each[0]), Math.min(end, each[1])]));
  });
  // Neighbours are one range.
  return out.reduce((all, [begin, end]) => {
    if (all.length > 0 && all.at(-1)[1] === begin) all.at(-1)[1] = end;
    else all.push([begin, end]);
    return all;
  }, []);
}

/** A bound of statistics in the units of the column; undefined where it says nothing. */
function boundOf(table, name, value) {
  const { tree, type } = table.find(name);
  if (value === undefined || value === null || Number.isNaN(value)) return undefined;
  if (type === "timestamp") return typeof value === "bigint" ? MICROSECONDS[unitOf(tree)](value) : undefined;
  if (type === "string") return value instanceof Uint8Array ? value : undefined;
  return ["int32", "int64", "double", "date", "bool"].includes(type) ? value : undefined;
}
