#!/usr/bin/env node
// How fast is the package for browsers beside what pages use today: pixels by geotiff.js, rows by parquet-wasm and DuckDB-wasm?
//   browser.mjs WORK --package DIST --large FILE.tacozip [--page PAGE.html] [--rounds N]
//              [--parts pixels,rows,page] [--megabits N] [--python PATHS]
// WORK: a folder for 400 MB of packages and data, kept. DIST: `dist` of the package as it is installed. FILE: of
// clients/js/test/make_large.py. PAGE: that of viewer/build.mjs. --megabits: of the line to the
// server, without a bound by default. PATHS: of tacore, rasterio and pyarrow for Python; those of
// build/release by default. Needs Chromium; run by itself, on a quiet machine.
//
// Sides run in turns on the same data, and the side that runs first alternates. Pixels: the bytes are in memory; a time is that of
// opening a TIFF and reading all its bands. Rows: a new browser context with an empty cache each time; one server for page, library
// and data, which waits 20 ms before each answer and sends HTML, scripts and WebAssembly with gzip. It is written here, since that of
// the tests has no gzip and no ranges from the end, without which the others would be at a disadvantage.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { cpus, loadavg } from "node:os";
import { extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";

const PACKAGES = {
  "geotiff": "3.0.5",
  "geotiff-next": "npm:geotiff@3.1.0-beta.0",
  "parquet-wasm": "0.8.0",
  "duckdb-wasm-newest": "npm:@duckdb/duckdb-wasm@1.32.0", // fetches its reader of Parquet from another server
  "duckdb-wasm": "npm:@duckdb/duckdb-wasm@1.28.0", // the last release, dev versions apart, that has it inside
  "apache-arrow": "17.0.0",
  "playwright-core": "1.65.1",
  "esbuild": "0.28.2",
};
const DELAY = 20; // milliseconds
const LIBRARY = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const root = resolve(import.meta.dirname, "..");

// ---- Data ----

const PYTHON = String.raw`
import sys, zipfile
import numpy as np, pyarrow as pa, rasterio, tacore
from pathlib import Path
from rasterio.io import MemoryFile
from tacore.datamodel import Taco, Tortilla
work, large = Path(sys.argv[1]), sys.argv[2]

def smooth(side, step):
    "Values between random ones at each step-th pixel."
    knots, at = random.normal(size=(side // step + 2,) * 2), np.arange(side) / step
    i, f = at.astype(int), at % 1
    lines = knots[i] * (1 - f)[:, None] + knots[i + 1] * f[:, None]
    return lines[:, i] * (1 - f) + lines[:, i + 1] * f

def tiff(bands, side, dtype, noise, **options):
    "Bands that are alike, as those of a scene are, with noise; a part of the chip is outside of the scene."
    global random
    random = np.random.default_rng(0)  # the same pixels for each layout
    ground, edge = 300 * smooth(side, 32) + 20 * smooth(side, 8), smooth(side, 128)
    is_inside = edge < np.quantile(edge, 0.7)
    image = [is_inside * (1500 + ground * (0.6 + 0.05 * b) + 10 * smooth(side, 16) + noise * random.normal(size=(side, side))) for b in range(bands)]
    image = np.stack(image) / (16 if dtype == "uint8" else 1)
    image = image.astype(dtype) if dtype == "float32" else np.clip(np.rint(image), 0, np.iinfo(dtype).max).astype(dtype)
    place = rasterio.transform.from_origin(5e5, 4e6, 10, 10)
    with MemoryFile() as memory:
        with memory.open(driver="GTiff", count=bands, width=side, height=side, dtype=dtype, crs="EPSG:32633", transform=place, **options) as f:
            f.write(image)
        return memory.read()

tiles = {"tiled": True, "blockxsize": 256, "blockysize": 256}
images = {
    "a1: 13 x 256 x 256 uint16, ZSTD, predictor 2, a tile of 256": tiff(13, 256, "uint16", 1, compress="zstd", predictor=2, **tiles),
    "a2: a1 with tiles of 128": tiff(13, 256, "uint16", 1, compress="zstd", predictor=2, **{**tiles, "blockxsize": 128, "blockysize": 128}),
    "a3: a1 with a tile for each band": tiff(13, 256, "uint16", 1, compress="zstd", predictor=2, interleave="band", **tiles),
    "b: 6 x 64 x 64 uint16, deflate": tiff(6, 64, "uint16", 1, compress="deflate"),
    "c: 3 x 512 x 512 uint8, deflate": tiff(3, 512, "uint8", 30, compress="deflate"),
    "d: 1 x 512 x 512 float32, LZW, predictor 3": tiff(1, 512, "float32", 1, compress="lzw", predictor=3),
}
table = pa.table({"id": [name[:2].rstrip(":") for name in images], "data": list(images.values()),
                  "title": [f"{name}, {len(data) / 1000:.0f} kB" for name, data in images.items()]})
about = ("images", "1.0.0", "Images", ["CC0-1.0"], [{"name": "Example"}], ["other"])
tacore.create(Taco(Tortilla.from_table(table), *about), work / "images.tacozip", overwrite=True, progress=False)
with zipfile.ZipFile(large) as file:
    (work / "level0.parquet").write_bytes(file.read("METADATA/level0.parquet"))
`;

// ---- Pixels: the same module runs in Node and in a page ----

const DECODE = String.raw`
import { fromArrayBuffer } from "geotiff";
import { fromArrayBuffer as fromArrayBufferNext } from "geotiff-next";
import { Module } from "ROOT/clients/js/src/module.js";
import { rasterPixels } from "ROOT/clients/js/src/rasters.js";

const AT_LEAST = 20; // milliseconds of a measurement

export async function measure({ tacore, wasm, archive, rounds }) {
  const { open, setOptions } = await import(tacore);
  setOptions({ workers: 1 });
  const dataset = await open({ name: "images.tacozip", size: archive.length, slice: (begin, end) => archive.subarray(begin, end) });
  const core = await Module.load(await WebAssembly.compile(wasm));
  const out = [];
  for (const sample of await dataset.rows()) {
    const { offset, size } = await sample.place();
    const tiff = archive.slice(offset, offset + size).buffer;
    const place = { kind: "zip", name: "images.tacozip", fileSize: archive.length, entry: "DATA/" + sample.id, id: sample.id, offset, size };
    const read = async (ranges) => ranges.map((each) => archive.subarray(each.offset, each.offset + each.size));
    const byGeotiff = (opened) => async () => (await (await (await opened(tiff)).getImage()).readRasters());
    const sides = {
      "tacore": async () => [(await sample.pixels()).data],
      "its decoder without the worker": async () => [(await rasterPixels(core, place, read, {})).data],
      "geotiff.js NEWEST": byGeotiff(fromArrayBuffer),
      "geotiff.js NEXT": byGeotiff(fromArrayBufferNext),
    };
    const times = {}, repeats = {}, expected = bytesOf(await sides.tacore());
    for (const [name, side] of Object.entries(sides)) {
      if (!isEqual(bytesOf(await side()), expected)) throw new Error(sample.id + ": the pixels of " + name + " differ");
      // Compilers of engines need some calls before they do their best.
      const warm = performance.now();
      let calls = 0;
      while (performance.now() - warm < 700 || calls < 5) { await side(); ++calls; }
      repeats[name] = Math.max(1, Math.ceil((AT_LEAST * calls) / (performance.now() - warm)));
      times[name] = [];
    }
    for (let round = 0; round < rounds; ++round) {
      const names = round % 2 ? Object.keys(sides).reverse() : Object.keys(sides);
      for (const name of names) {
        const start = performance.now();
        for (let i = 0; i < repeats[name]; ++i) await sides[name]();
        times[name].push((performance.now() - start) / repeats[name]);
      }
    }
    out.push({ title: sample.get("title"), times });
  }
  return out;
}
function bytesOf(arrays) {
  const parts = [...arrays].map((each) => new Uint8Array(each.buffer, each.byteOffset, each.byteLength));
  const out = new Uint8Array(parts.reduce((sum, each) => sum + each.length, 0));
  let at = 0;
  for (const each of parts) { out.set(each, at); at += each.length; }
  return out;
}
const isEqual = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);
`;

// ---- Rows: a page for each side. `start` loads its library; `tasks` get the URL, and give rows as objects ----

const TABLES = {
  tacore: {
    url: "/large.tacozip",
    script: String.raw`
import { open } from "/tacore/index.js";
import { run } from "page";
let opened;
const rows = async (url, filter, options) => (await filter(await (opened ??= open(url))).rows(options)).toArray();
run({
  start: async () => {},
  first: (url, { offset }) => rows(url, (data) => data, { offset, limit: 100 }),
  id: (url, { id }) => rows(url, (data) => data.filter({ id })),
  range: (url, { low, high }) => rows(url, (data) => data.filter({ cloud: { $gte: low, $lt: high } })),
});`,
  },
  "parquet-wasm VERSION": {
    package: "parquet-wasm",
    url: "/level0.parquet",
    script: String.raw`
import init, { ParquetFile } from "parquet-wasm/esm";
import { tableFromIPC } from "apache-arrow";
import { COLUMNS, run } from "page";
let opened;
async function table(url, options) {
  opened ??= ParquetFile.fromUrl(url);
  return tableFromIPC((await (await opened).read(options)).intoIPCStream());
}
const objects = (found) => found.toArray().map((row) => row.toJSON());
// It has no filters and tells no statistics: what a page does is to read the column, and then the rows.
async function matching(url, name, test) {
  const out = [];
  const values = (await table(url, { columns: [name], batchSize: 65536 })).getChild(name);
  let row = 0;
  for (const value of values) { if (test(value)) out.push(row); ++row; }
  return (await Promise.all(out.map((offset) => table(url, { offset, limit: 1, columns: COLUMNS })))).flatMap(objects);
}
run({
  start: () => init("/parquet-wasm/parquet_wasm_bg.wasm"),
  first: async (url, { offset }) => objects(await table(url, { offset, limit: 100, columns: COLUMNS })),
  id: (url, { id }) => matching(url, "id", (value) => value === id),
  range: (url, { low, high }) => matching(url, "cloud", (value) => value >= low && value < high),
});`,
  },
  ...Object.fromEntries(
    ["duckdb-wasm", "duckdb-wasm-newest"].map((name) => [
      `DuckDB-wasm VERSION`.replace("VERSION", PACKAGES[name].split("@").at(-1)),
      {
        package: name,
        url: "/level0.parquet",
        script: String.raw`
import * as duckdb from "PACKAGE";
import { COLUMNS, run } from "page";
const columns = COLUMNS.map((name) => '"' + name + '"').join(", ");
let connection;
const rows = async (url, rest) => (await connection.query("SELECT " + columns + " FROM '" + url + "' " + rest)).toArray().map((row) => row.toJSON());
run({
  start: async () => {
    const database = new duckdb.AsyncDuckDB(new duckdb.VoidLogger(), new Worker("/PACKAGE/duckdb-browser-eh.worker.js"));
    await database.instantiate(new URL("/PACKAGE/duckdb-eh.wasm", location.href).href);
    connection = await database.connect();
    await connection.query("SELECT 1");
  },
  first: (url, { offset }) => rows(url, "LIMIT 100" + (offset ? " OFFSET " + offset : "")),
  id: (url, { id }) => rows(url, "WHERE id = '" + id + "'"),
  range: (url, { low, high }) => rows(url, "WHERE cloud >= " + low + " AND cloud < " + high),
});`.replaceAll("PACKAGE", name),
      },
    ]),
  ),
};
/** Times are milliseconds since the navigation; the second query is of the same kind with other values. */
const RUNNER = String.raw`
export const COLUMNS = JSON.parse(new URLSearchParams(location.search).get("columns"));
export async function run({ start, ...tasks }) {
  const { task, url, queries } = Object.fromEntries([...new URLSearchParams(location.search)].map(([name, value]) => [name, name === "queries" ? JSON.parse(value) : value]));
  const out = {}, plain = (rows) => rows.map(({ id, cloud, split }) => [id, cloud, split]);
  try {
    await start();
    out.started = performance.now();
    if (task !== "start") {
      const address = new URL(url, location.href).href;
      out.rows = plain(await tasks[task](address, queries[0]));
      out.first = performance.now();
      out.requests = (await (await fetch("/log")).json());
      const again = performance.now();
      out.others = plain(await tasks[task](address, queries[1]));
      out.again = performance.now() - again;
    }
  } catch (error) {
    out.error = String(error?.message ?? error);
  }
  globalThis.result = out;
}`;
const TASKS = {
  start: { title: "the library alone; of tacore without its decoder, which comes with the first dataset", queries: [] },
  first: { title: "first 100 rows", queries: [{ offset: 0 }, { offset: 500_000 }] },
  id: { title: "a row by its id", queries: [{ id: "sample_0700123" }, { id: "sample_0300456" }] },
  range: { title: "rows with cloud in a range of 1e-5", queries: [{ low: 0.5, high: 0.50001 }, { low: 0.25, high: 0.25001 }] },
};

// ---- Server ----

/** { url, log, stop }: `places` are files by name. The log has { library, bytes } of each answer. */
async function serve(places, megabits) {
  const log = [], bodies = new Map();
  let free = 0; // when the line has sent all before
  const bodyOf = (path) => {
    if (!bodies.has(path)) {
      const raw = readFileSync(path);
      bodies.set(path, extname(path) in LIBRARY ? gzipSync(raw, { level: 9 }) : raw);
    }
    return bodies.get(path);
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://server");
    if (pathname === "/log") {
      response.setHeader("Content-Type", "application/json").end(JSON.stringify(log));
      return;
    }
    const path = places(pathname);
    if (!path || !existsSync(path)) {
      if (pathname !== "/favicon.ico") log.push({ library: true, bytes: 0 });
      response.writeHead(404).end();
      return;
    }
    const type = LIBRARY[extname(path)], all = bodyOf(path);
    const headers = { "Content-Type": type ?? "application/octet-stream", "ETag": '"one"', "Accept-Ranges": type ? "none" : "bytes", ...(type && { "Content-Encoding": "gzip" }),
      // With these, clocks of pages are exact to 5 microseconds instead of 100.
      "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
    const range = type ? null : /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "");
    let begin = 0, end = all.length;
    if (range?.[1]) [begin, end] = [Number(range[1]), range[2] ? Math.min(Number(range[2]) + 1, end) : end];
    else if (range?.[2]) begin = Math.max(0, end - Number(range[2]));
    if (range) headers["Content-Range"] = `bytes ${begin}-${end - 1}/${all.length}`;
    headers["Content-Length"] = end - begin;
    const isHead = request.method === "HEAD";
    log.push({ library: type !== undefined, bytes: isHead ? 0 : end - begin });
    const now = performance.now();
    free = Math.max(free, now) + (isHead ? 0 : (8 * (end - begin)) / 1000 / megabits);
    setTimeout(() => response.writeHead(range ? 206 : 200, headers).end(isHead ? undefined : all.subarray(begin, end)), free - now + DELAY);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const stop = () => new Promise((done) => {
    server.closeAllConnections();
    server.close(done);
  });
  return { url: `http://127.0.0.1:${server.address().port}`, log, stop };
}

// ---- Preparing ----

function install(work) {
  const wanted = JSON.stringify(PACKAGES), mark = join(work, "installed.json");
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return;
  const names = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", "--no-save", "--prefix", work, ...names], { stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync(mark, wanted);
}

async function bundle(work, name, contents, options = {}) {
  const { build } = createRequire(join(work, "/"))("esbuild");
  writeFileSync(join(work, "site", `${name}.entry.js`), contents);
  const outfile = join(work, "site", `${name}.js`);
  await build({ entryPoints: [join(work, "site", `${name}.entry.js`)], outfile, bundle: true, minify: true, format: "esm", target: "es2022", nodePaths: [join(work, "node_modules")],
    alias: { page: join(work, "site/page.mjs") }, external: ["/tacore/index.js"], logLevel: "error", ...options });
  return outfile;
}
const versionOf = (name) => PACKAGES[name].split("@").at(-1);

// ---- Measuring ----

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const milliseconds = (value) => (value >= 1000 ? `${(value / 1000).toFixed(2)} s` : value >= 100 ? `${value.toFixed(0)} ms` : `${value.toPrecision(3)} ms`);
const bestAndMedian = (values) => `${milliseconds(Math.min(...values))} | ${milliseconds(median(values))}`;
const kilobytes = (bytes) => (bytes / 1000).toLocaleString("en", { maximumFractionDigits: bytes < 10_000 ? 1 : 0 });

function printPixels(where, found) {
  for (const { title, times } of found) {
    for (const [side, values] of Object.entries(times))
      console.log(`| ${where} | ${title} | ${side} | ${bestAndMedian(values)} | ${(median(values) / median(times.tacore)).toFixed(2)} |`);
  }
}

async function opened(browser, url, script) {
  const context = await browser.newContext();
  if (script) await context.addInitScript(script);
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(url);
  return { page, errors };
}

/** What a page of one side tells, and what the server sent until it had its first answer. */
async function measureTable(browser, server, side, task, columns) {
  server.log.length = 0;
  const query = new URLSearchParams({ task, url: TABLES[side].url, queries: JSON.stringify(TASKS[task].queries), columns: JSON.stringify(columns) });
  const { page, errors } = await opened(browser, `${server.url}/${Object.keys(TABLES).indexOf(side)}.html?${query}`);
  try {
    await page.waitForFunction(() => globalThis.result, null, { timeout: 180_000 });
    const found = await page.evaluate(() => globalThis.result);
    return { ...found, requests: found.requests ?? [...server.log] };
  } catch (error) {
    return { error: errors[0] ?? error.message.split("\n")[0] };
  } finally {
    await page.context().close();
  }
}

async function compareTables(browser, server, columns, rounds) {
  console.log(`
| what | side | navigation to rows, best | median | query, best | median | another one, median | requests | library (kB) | data (kB) | ratio of medians |
|---|---|---|---|---|---|---|---|---|---|---|`);
  for (const side of Object.keys(TABLES)) await measureTable(browser, server, side, "start", columns); // the server compresses its files
  for (const [task, { title }] of Object.entries(TASKS)) {
    const runs = Object.fromEntries(Object.keys(TABLES).map((side) => [side, []])), failed = {};
    for (let round = 0; round < rounds; ++round) {
      for (const side of round % 2 ? Object.keys(TABLES).reverse() : Object.keys(TABLES)) {
        if (failed[side]) continue;
        const found = await measureTable(browser, server, side, task, columns);
        if (found.error) failed[side] = found.error;
        else runs[side].push(found);
      }
    }
    if (failed.tacore) throw new Error(failed.tacore);
    const end = (each) => each.first ?? each.started;
    const expected = JSON.stringify([runs.tacore[0].rows, runs.tacore[0].others]);
    for (const [side, found] of Object.entries(runs)) {
      const name = side.replace("VERSION", versionOf(TABLES[side].package ?? "geotiff"));
      if (failed[side]) {
        console.log(`| ${title} | ${name} | fails: ${failed[side].replaceAll(/[\n|]+/g, " ").slice(0, 300)} | | | | | | | | |`);
        continue;
      }
      if (found.some(({ rows, others }) => JSON.stringify([rows, others]) !== expected)) throw new Error(`${title}: the rows of ${name} differ: ${JSON.stringify(found[0].rows).slice(0, 300)}, not ${expected.slice(0, 300)}`);
      const sum = (isLibrary) => median(found.map(({ requests }) => requests.filter(({ library }) => library === isLibrary).reduce((all, { bytes }) => all + bytes, 0)));
      const query = task === "start" ? " | | " : `${bestAndMedian(found.map(({ first, started }) => first - started))} | ${milliseconds(median(found.map(({ again }) => again)))}`;
      console.log(`| ${title} | ${name} | ${bestAndMedian(found.map(end))} | ${query} | ${median(found.map(({ requests }) => requests.length))} | ${kilobytes(sum(true))} | ${kilobytes(sum(false))} | ${(median(found.map(end)) / median(runs.tacore.map(end))).toFixed(2)} |`);
    }
  }
}

/** Of the viewer's page: when a cell of the table has a text, and when a sample is drawn. */
async function measurePage(browser, server, rounds) {
  const watch = () => {
    globalThis.times = {};
    for (const name of ["putImageData", "drawImage"]) {
      const draw = CanvasRenderingContext2D.prototype[name];
      CanvasRenderingContext2D.prototype[name] = function (...given) {
        globalThis.times.points ??= performance.now();
        return draw.apply(this, given);
      };
    }
    const look = () => {
      const text = document.querySelector(".grid [role=gridcell]")?.textContent;
      if (text && text !== "…") globalThis.times.rows = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  };
  const runs = [];
  for (let round = 0; round < rounds; ++round) {
    server.log.length = 0;
    const { page } = await opened(browser, `${server.url}/viewer.html?url=large.tacozip`, watch);
    await page.waitForFunction(() => globalThis.times.rows && globalThis.times.points, null, { timeout: 120_000 });
    const times = await page.evaluate(() => globalThis.times);
    await page.waitForTimeout(3000); // until all points are there
    const sum = (isLibrary) => server.log.filter(({ library }) => library === isLibrary).reduce((all, { bytes }) => all + bytes, 0);
    runs.push({ ...times, requests: server.log.length, library: sum(true), data: sum(false) });
    await page.context().close();
  }
  const of = (name) => runs.map((each) => each[name]);
  console.log(`
| page of the viewer | navigation to rows, best | median | to points, best | median | requests, with all points | page (kB) | data (kB) |
|---|---|---|---|---|---|---|---|
| 1e6 rows | ${bestAndMedian(of("rows"))} | ${bestAndMedian(of("points"))} | ${median(of("requests"))} | ${kilobytes(median(of("library")))} | ${kilobytes(median(of("data")))} |`);
}

async function main() {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: { package: { type: "string" }, large: { type: "string" }, page: { type: "string" }, rounds: { type: "string", default: "7" }, python: { type: "string" },
      parts: { type: "string", default: "pixels,rows,page" }, megabits: { type: "string", default: "Infinity" } },
  });
  if (positionals.length !== 1 || !options.package || !options.large) {
    console.error("browser.mjs WORK --package DIST --large FILE.tacozip [--page PAGE.html] [--rounds N] [--parts pixels,rows,page] [--megabits N] [--python PATHS]");
    process.exit(2);
  }
  const work = resolve(positionals[0]), dist = resolve(options.package), large = resolve(options.large), rounds = Number(options.rounds), parts = options.parts.split(",");
  const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  mkdirSync(join(work, "site"), { recursive: true });
  install(work);
  const pythonPath = options.python ?? ["build/release/python", "build/python"].map((each) => join(root, each)).join(":");
  execFileSync("python3", ["-B", "-c", PYTHON, work, large], { env: { ...process.env, PYTHONPATH: pythonPath }, stdio: ["ignore", "inherit", "inherit"] });

  const decode = DECODE.replaceAll("ROOT", root).replace("NEWEST", versionOf("geotiff")).replace("NEXT", versionOf("geotiff-next"));
  const inNode = await bundle(work, "decode_node", decode, { platform: "node", banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' } });
  await bundle(work, "decode", decode);
  writeFileSync(join(work, "site/page.mjs"), RUNNER);
  for (const [i, { script }] of Object.values(TABLES).entries()) {
    await bundle(work, `table${i}`, script);
    writeFileSync(join(work, "site", `${i}.html`), `<!doctype html><link rel="icon" href="data:,"><script type="module" src="/site/table${i}.js"></script>`);
  }
  writeFileSync(join(work, "site/decode.html"), '<!doctype html><link rel="icon" href="data:,">');

  const folders = { tacore: dist, site: join(work, "site"), "parquet-wasm": join(work, "node_modules/parquet-wasm/esm"),
    ...Object.fromEntries(["duckdb-wasm", "duckdb-wasm-newest"].map((name) => [name, join(work, "node_modules", name, "dist")])) };
  const files = { "large.tacozip": large, "level0.parquet": join(work, "level0.parquet"), "images.tacozip": join(work, "images.tacozip"), "viewer.html": options.page && resolve(options.page) };
  const server = await serve((path) => {
    const [first, ...rest] = path.slice(1).split("/");
    if (rest.length === 0) return files[first] ?? join(work, "site", first);
    return folders[first] && !rest.includes("..") ? join(folders[first], ...rest) : null;
  }, Number(options.megabits));
  const { chromium } = createRequire(join(work, "/"))("playwright-core");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
  try {
    console.log(`${cpus().length} cores, load ${loadavg()[0].toFixed(2)}, N = ${rounds} (pixels ${3 * rounds}); Node ${process.versions.node}, Chromium ${browser.version()}; ${DELAY} ms before each answer, ${options.megabits} Mbit/s`);
    if (parts.includes("pixels")) {
      console.log(`
| where | image | side | best | median | ratio of medians to tacore |
|---|---|---|---|---|---|`);
      const { measure } = await import(pathToFileURL(inNode));
      const bytes = (path) => new Uint8Array(readFileSync(path));
      printPixels("Node", await measure({ tacore: pathToFileURL(join(dist, "index.js")).href, wasm: bytes(join(dist, "tacore.wasm")), archive: bytes(join(work, "images.tacozip")), rounds: 3 * rounds }));
      const { page } = await opened(browser, `${server.url}/decode.html`);
      printPixels("Chromium", await page.evaluate(async (count) => {
        const { measure: measured } = await import("/site/decode.js");
        const get = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());
        return measured({ tacore: "/tacore/index.js", wasm: await get("/tacore/tacore.wasm"), archive: await get("/images.tacozip"), rounds: count });
      }, 3 * rounds));
      await page.context().close();
    }
    const { open } = await import(pathToFileURL(join(dist, "index.js")));
    const columns = (await open(large)).columns.map(({ name }) => name);
    if (parts.includes("rows")) await compareTables(browser, server, columns, rounds);
    if (parts.includes("page") && options.page) await measurePage(browser, server, rounds);
  } finally {
    await browser.close();
    await server.stop();
  }
}

await main();
process.exit(0); // workers of the package wait for more
