// A worker: does one task at a time, and asks the thread that started it for bytes of files.
import { Module } from "./module.js";
import { fail, toPlain } from "./errors.js";
import { Table, footerSize, groupsFor, rangesFor, readRows } from "./parquet.js";
import { testsOf, timesOf, withValues } from "./filters.js";
import { encodePng, rasterInfo, rasterMoments, rasterPixels, rasterPreview, sampleBytes, samplePlace } from "./rasters.js";

let core; // the WebAssembly module
let given; // settles what is asked for
const tables = new Map(); // by key, those with large footers

/** Of the thread that started this one: parts of a file, or its size where `ranges` is null. */
function ask(needs) {
  return new Promise((resolve, reject) => {
    given = { resolve, reject };
    post({ needs });
  });
}

/** Reads bytes of a file for each { offset, size }; those of one moment are asked for together. `size()` is that of the file. */
function reader(file) {
  let waiting = null;
  async function read(ranges) {
    if (ranges.length === 0) return [];
    waiting ??= { ranges: [], parts: Promise.resolve().then(() => send()) };
    const first = waiting.ranges.push(...ranges) - ranges.length;
    return (await waiting.parts).slice(first, first + ranges.length);
  }
  function send() {
    const { ranges } = waiting;
    waiting = null;
    return ask({ file, ranges });
  }
  read.size = () => ask({ file, ranges: null });
  return read;
}

/** The table of a task, and what reads it: { key, file, offset, size, footer } with its footer the first time. */
function tableOf(about) {
  const table = about.footer ? new Table(about) : tables.get(about.key);
  if (about.footer?.length > about.smallFooter) tables.set(about.key, table);
  const read = reader(about.file);
  const ask = (ranges) => {
    for (const { offset, size } of ranges) {
      if (!(offset >= 0 && size >= 0 && offset + size <= about.size)) fail("FORMAT", `${size} bytes at ${offset} of a table of ${about.size} bytes`, { path: about.path, level: about.level });
    }
    return read(ranges.map(({ offset, size }) => ({ offset: about.offset + offset, size })));
  };
  return { table, ask };
}

const TASKS = {
  // Headers of files.
  header: ({ name, bytes, sizes }) => core.call(name, [bytes, ...sizes], "numbers"),
  parse: ({ name, text }) => {
    const bytes = new TextEncoder().encode(text);
    return new BigInt64Array(core.call(name, name === "times" ? [bytes, Uint32Array.of(0, bytes.length), 1] : [bytes]).buffer);
  },

  // Tables.
  footer: ({ tail, path, level }) => footerSize(tail, { path, level }),
  table: ({ table: about }) => {
    const { table } = tableOf(about);
    return { columns: table.columns, numRows: table.numRows, groups: table.groups.map(({ begin, end }) => [begin, end]), keyValues: table.keyValues };
  },
  rows: ({ table: about, names, ranges }) => {
    const { table, ask } = tableOf(about);
    return readRows(table, names, ranges, ask, core);
  },
  groups: ({ table: about, steps }) => groupsFor(tableOf(about).table, testsOf(steps)),
  select: async ({ table: about, steps, group }) => {
    const { table, ask } = tableOf(about);
    const tests = testsOf(steps);
    const ranges = await rangesFor(table, group, tests, ask);
    const names = [...new Set(tests.map(({ column }) => column))];
    const columns = await readRows(table, names, ranges, ask, core);
    let marks = new Uint8Array(ranges.reduce((sum, [begin, end]) => sum + end - begin, 0)).fill(1);
    for (const test of tests) marks = test.mark(columns[names.indexOf(test.column)], marks, core);
    const out = [];
    let i = 0;
    for (const [begin, end] of ranges) {
      for (let row = begin; row < end; ++row) {
        if (marks[i++]) out.push(row);
      }
    }
    return Uint32Array.from(out);
  },
  places: async ({ table: about, name, ranges }) => {
    const { table, ask } = tableOf(about);
    const [data] = await readRows(table, [name], ranges, ask, core);
    return placesOf(data);
  },
  times: async ({ table: about, name, ranges }) => {
    const { table, ask } = tableOf(about);
    const [data] = await readRows(table, [name], ranges, ask, core);
    const times = timesOf(data, core);
    return Float64Array.from({ length: data.length }, (_, row) => (data.valid?.[row] === 0 ? NaN : Number(times(row) ?? NaN) / 1000));
  },

  // Samples and rasters.
  bytes: ({ place }) => sampleBytes(core, place, reader(place.file)),
  place: ({ place, isKept }) => samplePlace(core, place, reader(place.file), isKept),
  raster: ({ place }) => rasterInfo(core, place, reader(place.file)),
  pixels: ({ place, options }) => rasterPixels(core, place, reader(place.file), options),
  preview: ({ place, options }) => rasterPreview(core, place, reader(place.file), options),
  png: async ({ place, options }) => encodePng(core, await rasterPreview(core, place, reader(place.file), options)),
  moments: ({ place, options }) => rasterMoments(core, place, reader(place.file), options),
};

/** The middle of each place, and its box where some are not points. */
function placesOf(data) {
  const x = new Float64Array(data.length).fill(NaN), y = new Float64Array(data.length).fill(NaN);
  if (data.type === "binary") {
    const { rows, offsets } = withValues(data);
    const found = new Float64Array(core.call("envelopes", [data.values, offsets, rows.length]).buffer);
    const boxes = new Float64Array(4 * data.length).fill(NaN);
    let arePoints = true;
    rows.forEach((row, i) => {
      const [west, south, east, north] = [found[4 * i], found[4 * i + 1], found[4 * i + 2], found[4 * i + 3]];
      x[row] = west + (east - west) / 2;
      y[row] = south + (north - south) / 2;
      boxes.set(found.subarray(4 * i, 4 * i + 4), 4 * row);
      arePoints &&= !(east > west || north > south);
    });
    return { x, y, boxes: arePoints ? null : boxes };
  }
  const decoder = new TextDecoder();
  for (let i = 0; i < data.length; ++i) {
    if (data.valid?.[i] === 0) continue;
    const point = data.type === "list" ? data.values[i] : /^\s*(?:SRID=\d+;\s*)?POINT\s*(?:Z|M|ZM)?\s*\(\s*(\S+)\s+([^\s)]+)/i.exec(decoder.decode(data.values.subarray(data.offsets[i], data.offsets[i + 1])))?.slice(1);
    if (point?.length >= 2) [x[i], y[i]] = point.map(Number);
  }
  return { x, y, boxes: null };
}

// ---- Messages ----

/** The memory of results, which moves instead of being copied. */
function buffersOf(value, out = new Set()) {
  if (ArrayBuffer.isView(value)) out.add(value.buffer);
  else if (Array.isArray(value)) value.slice(0, 1000).forEach((each) => buffersOf(each, out));
  else if (value !== null && typeof value === "object") Object.values(value).forEach((each) => buffersOf(each, out));
  return [...out];
}

async function receive(message) {
  if (message.wasm) {
    core = Module.load(message.wasm);
  } else if ("given" in message) {
    given.resolve(message.given);
  } else if (message.missing) {
    given.reject(Object.assign(new Error(), message.missing));
  } else {
    try {
      core = await core;
      const result = await TASKS[message.task](message.args);
      post({ result }, buffersOf(result));
    } catch (error) {
      post({ error: toPlain(error) });
    }
  }
}

let post;
if (typeof WorkerGlobalScope === "undefined") {
  const node = "node:worker_threads"; // a name that no bundler for browsers looks up
  const { parentPort } = await import(node);
  post = (message, memory = []) => parentPort.postMessage(message, memory);
  parentPort.on("message", receive);
} else {
  post = (message, memory = []) => globalThis.postMessage(message, memory);
  globalThis.onmessage = ({ data }) => receive(data);
}
