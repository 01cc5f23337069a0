// The package in Node, against what other programs say and properties that must hold whatever the code does.
//   TACORE_JS=index.js TACORE_LARGE=FILE node --test tacore.test.mjs
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { serve } from "./server.mjs";

const root = resolve(import.meta.dirname, "../../..");
const { concat, counts, open, setOptions, TacoError } = await import(pathToFileURL(resolve(process.env.TACORE_JS)));
const large = process.env.TACORE_LARGE;
const golden = (name) => join(root, "tests/golden", name);
const folder = mkdtempSync(join(tmpdir(), "tacore-"));
const server = await serve([root, folder]);
setOptions({ maxTries: 3 });
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Requests that something takes. */
async function requests(body) {
  const begin = server.log.length;
  const result = await body();
  return { result, log: server.log.slice(begin) };
}

// ---- Requests ----

test("opening takes 2 requests, a sample one more", async () => {
  for (const [path, opening, sample] of [
    ["examples/data/landsat.tacozip", 2, 1], ["tests/golden/nested", 2, 2], ["tests/golden/cascade_tacocat/.tacocat", 2, null], ["tests/golden/v1/flat.tortilla", 2, null],
  ]) {
    const { result: rows, log } = await requests(async () => (await open(`${server.url}/${path}`)).rows());
    assert.ok(log.filter(({ status }) => status < 400).length <= opening + (path.includes("v1") ? 1 : 0), `${path}: ${JSON.stringify(log.map(({ path: p, range }) => [p, range]))}`);
    if (sample === null) continue;
    const first = rows.at(0).type === "FOLDER" ? rows.at(0).child("item_0") : rows.at(0);
    const read = await requests(() => first.bytes());
    assert.equal(read.log.length, sample, path);
    assert.equal((await requests(() => first.bytes())).log.length, 0, "what was read is kept");
  }
});

test("no request makes a browser ask the server first", () => {
  for (const { method, range, headers } of server.log) {
    assert.ok(["GET", "HEAD"].includes(method));
    assert.ok(range === null || /^bytes=\d+-\d+$/.test(range), range);
    assert.deepEqual(headers.filter((name) => /^(if-|x-|authorization)/.test(name)), []);
  }
});

test("a window of a large sample reads the tiles that it needs", async () => {
  const path = join(folder, "large.tif");
  // 6 MB without compression, in strips of a row: what a plain TIFF writer makes.
  execFileSync("python3", ["-c", `
import sys, struct
w, h = 3000, 2000
tags = [(256,4,1,w),(257,4,1,h),(258,3,1,8),(259,3,1,1),(262,3,1,1),(273,4,h,0),(277,3,1,1),(278,4,1,1),(279,4,h,0)]
start = 8 + 2 + 12*len(tags) + 4
data = start + 8*h
out = bytearray(b"II*\\0" + struct.pack("<I", 8) + struct.pack("<H", len(tags)))
for tag, kind, count, value in tags:
    at = start if tag == 273 else start + 4*h if tag == 279 else value
    out += struct.pack("<HHII", tag, kind, count, at)
out += struct.pack("<I", 0) + b"".join(struct.pack("<I", data + w*y) for y in range(h)) + struct.pack("<I", w)*h
for y in range(h): out += bytes((x*7 + y*13) & 255 for x in range(w))
open(sys.argv[1], "wb").write(out)`, path]);
  const output = join(folder, "big.tacozip");
  writeZip(output, readFileSync(path));
  const sample = (await (await open(`${server.url}/big.tacozip`)).rows()).at(0);
  const { result, log } = await requests(() => sample.pixels({ window: [100, 1000, 4, 2] }));
  assert.deepEqual([...result.data], [0, 1].flatMap((y) => [0, 1, 2, 3].map((x) => ((100 + x) * 7 + (1000 + y) * 13) & 255)));
  assert.ok(log.reduce((sum, { bytes }) => sum + bytes, 0) < 200_000, JSON.stringify(log));
});

/** A dataset of one sample, by the tool. */
function writeZip(output, bytes) {
  const samples = mkdtempSync(join(folder, "samples-"));
  writeFileSync(join(samples, "sample.tif"), bytes);
  execFileSync(process.env.TACORE_TOOL, ["create", samples, output, "--id", "big", "--description", "A large sample", "--license", "CC0-1.0", "--provider", "Example", "--task", "other"], { stdio: "pipe" });
}

// ---- Sources ----

test("a File, any bytes, a path and a URL give the same", async () => {
  const path = join(root, "examples/data/landsat_nested.tacozip");
  const bytes = readFileSync(path);
  const sources = [path, pathToFileURL(path).href.replace("file://", ""), new File([bytes], "landsat.tacozip"), { size: bytes.length, slice: (begin, end) => new Uint8Array(bytes.subarray(begin, end)) }, `${server.url}/examples/data/landsat_nested.tacozip`];
  const found = [];
  for (const source of sources) {
    const rows = await (await open(source)).rows();
    found.push(JSON.stringify([rows.toArray(), [...(await rows.at(2).child("dem").pixels()).data]]));
  }
  assert.equal(new Set(found).size, 1);
});

test("URLs as users paste them", async () => {
  const asked = [];
  const real = globalThis.fetch;
  globalThis.fetch = async (url) => { asked.push(String(url)); return new Response("", { status: 404 }); };
  try {
    for (const url of ["hf://datasets/owner/name/a b.tacozip", "hf://datasets/owner/name@v1/a.tacozip", "https://huggingface.co/datasets/owner/name/blob/main/a.tacozip", "s3://bucket/key/a.tacozip",
      "s3://my.bucket/a.tacozip", "gs://bucket/a.tacozip", "https://source.coop/owner/name/a.tacozip", "https://user:secret@example.org/a.tacozip?token=secret"])
      await assert.rejects(open(url), (error) => error.code === "TACORE_E_NOT_FOUND" && !error.message.includes("secret"));
  } finally {
    globalThis.fetch = real;
  }
  assert.deepEqual(asked, ["https://huggingface.co/datasets/owner/name/resolve/main/a b.tacozip", "https://huggingface.co/datasets/owner/name/resolve/v1/a.tacozip",
    "https://huggingface.co/datasets/owner/name/resolve/main/a.tacozip", "https://bucket.s3.amazonaws.com/key/a.tacozip", "https://s3.amazonaws.com/my.bucket/a.tacozip",
    "https://storage.googleapis.com/bucket/a.tacozip", "https://data.source.coop/owner/name/a.tacozip", "https://user:secret@example.org/a.tacozip?token=secret"]);
});

// ---- Filters ----

const datasets = ["tests/golden/flat.tacozip", "tests/golden/snappy_v2pages.tacozip", "tests/golden/times.tacozip", "tests/clients/types.tacozip", "tests/golden/flat_padded.tacozip",
  "tests/golden/v1/flat.tortilla", "examples/data/landsat.tacozip"].map((name) => join(root, name));

test("a filter gives the rows that a loop gives", async () => {
  let numTests = 0;
  for (const path of [...datasets, large]) {
    const dataset = await open(path);
    const columns = dataset.columns.filter(({ name, type }) => ["bool", "int32", "int64", "double", "string", "timestamp", "date"].includes(type) && name !== "type");
    const rows = await dataset.rows({ columns: columns.map(({ name }) => name) });
    for (const { name, type } of columns) {
      const values = rows.column(name).toArray();
      const keyOf = (value) => (value instanceof Date ? value.getTime() : typeof value === "string" ? Buffer.from(value).toString("latin1") : value);
      const some = [...new Set((path === large ? [Math.floor(values.length / 2)] : [0, 1, Math.floor(values.length / 2), values.length - 1]).map((at) => values[at]))].filter((value) => value !== null && !Number.isNaN(value));
      for (const value of some) {
        // A Date is rounded to milliseconds.
        if (value instanceof Date && rows.column(name).type === "timestamp" && [...rows.column(name).values].some((time) => time % 1000n !== 0n)) continue;
        for (const [operator, meets] of [["$eq", (a, b) => a === b], ["$ne", (a, b) => a !== b], ["$lt", (a, b) => a < b], ["$gte", (a, b) => a >= b], ["$in", (a, b) => a === b]]) {
          if (type === "bool" && !["$eq", "$ne"].includes(operator)) continue;
          const found = await dataset.filter({ [name]: { [operator]: operator === "$in" ? [value] : value } }).rows({ columns: ["id"] });
          const expected = values.flatMap((each, i) => (each !== null && meets(keyOf(each), keyOf(value)) ? [rows.column("id").at(i)] : []));
          assert.deepEqual(found.column("id").toArray(), expected, `${path} ${name} ${operator} ${value}`);
          ++numTests;
        }
      }
      const nulls = await dataset.filter({ [name]: null }).rows({ columns: ["id"] });
      assert.equal(nulls.length, values.filter((value) => value === null).length, `${path} ${name} null`);
    }
  }
  assert.ok(numTests > 200, String(numTests));
});

test("boxes and times are those of the loop over places and times", async () => {
  const dataset = await open(large);
  const { x, y, boxes } = await dataset.places();
  assert.equal(boxes, null);
  for (const [west, south, east, north] of [[0, 0, 10, 10], [170, -60, -170, 60], [-180, -90, 180, 90]]) {
    const inside = (i) => y[i] >= south && y[i] <= north && (west <= east ? x[i] >= west && x[i] <= east : x[i] >= west || x[i] <= east);
    const expected = Array.from(x.keys()).filter(inside);
    assert.deepEqual([...(await dataset.filterBbox([west, south, east, north]).positions())], expected);
  }
  const times = (await dataset.column("stac:time_start")).values;
  const found = await dataset.filterDatetime("1990-02-01/1990-03-01").positions();
  const [start, end] = [Date.UTC(1990, 1, 1) * 1000, Date.UTC(1990, 2, 2) * 1000];
  assert.deepEqual([...found], Array.from(times.keys()).filter((i) => times[i] >= start && times[i] < end));
});

test("selective filters of a large table read little", async () => {
  const dataset = await open(large);
  const size = readFileSync(large).length;
  const before = counts().bytes;
  assert.equal((await dataset.filter({ id: "sample_0100000" }).positions()).join(), "100000");
  assert.ok(counts().bytes - before < size / 50, String(counts().bytes - before));
  const rows = await dataset.rows({ positions: [149_999, 3, 100_000], columns: ["scene"] });
  assert.deepEqual(rows.column("id").toArray(), ["sample_0149999", "sample_0000003", "sample_0100000"]);
  assert.deepEqual((await dataset.rows({ offset: 10, limit: 2, columns: [] })).column("id").toArray(), ["sample_0000010", "sample_0000011"]);
});

test("several datasets are one, each with its filters", async () => {
  const parts = await Promise.all([1, 3].map((i) => open(golden(`cascade_tacocat/cascade_part000${i}.tacozip`))));
  const both = await concat([parts[0], parts[1].filter({ id: "nothing" })]).rows();
  assert.deepEqual(both.column("id").toArray(), ["europe"]);
  const whole = await (await open(golden("cascade_tacocat/TACOLLECTION.json"))).filterBbox([-4, 40, -3, 41], { level: 2 }).rows();
  const below = await (await whole.at(0).children()).at(0).children();
  assert.deepEqual([whole.column("id").toArray(), below.column("id").toArray()], [["europe"], ["city_0"]]);
});

test("samples, selections of rows and Arrow", async () => {
  const dataset = (await open(join(root, "examples/data/landsat.tacozip"))).filter({ water: { $gt: 0.1 } });
  const ids = [];
  for await (const sample of dataset.samples()) ids.push(sample.id);
  const rows = await dataset.rows();
  assert.deepEqual(ids, rows.column("id").toArray());
  const wet = rows.filter((sample) => sample.get("water") > 0.5);
  assert.deepEqual(wet.column("water").toArray(), rows.column("water").toArray().filter((value) => value > 0.5));
  assert.equal(wet.get(wet.at(-1).id).position, wet.length - 1);
  assert.deepEqual(await wet.at(0).bytes(), (await rows.bytes([rows.column("id").toArray().indexOf(wet.at(0).id)]))[0]);
});

test("a table of apache-arrow", async () => {
  const arrow = createRequire(`${resolve(process.env.TACORE_PACKAGES)}/`)("apache-arrow");
  for (const name of ["tests/clients/types.tacozip", "examples/data/landsat.tacozip"]) {
    const rows = await (await open(join(root, name))).rows();
    const table = rows.toArrow(arrow);
    assert.deepEqual(table.schema.fields.map((field) => field.name), rows.columns);
    assert.equal(table.numRows, rows.length);
    for (const column of rows.columns.map((each) => rows.column(each))) {
      const vector = table.getChild(column.name);
      for (let row = 0; row < rows.length; ++row) {
        assert.equal(vector.get(row) === null, column.isNull(row), column.name);
        if (["string", "double", "int32", "bool"].includes(column.type)) assert.deepEqual(vector.get(row), column.at(row), column.name);
      }
    }
  }
});

test("a preview is a picture", async () => {
  const sample = (await (await open(join(root, "examples/data/landsat.tacozip"))).rows()).at(0);
  const png = join(folder, "preview.png"), raw = join(folder, "preview.txt");
  writeFileSync(png, await sample.previewPng({ bands: [3, 2, 1], size: 32 }));
  execFileSync("python3", ["-c", `
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\\x89PNG\\r\\n\\x1a\\n"
at, parts = 8, {}
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    body = data[at + 8:at + 8 + size]
    assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
    parts[kind] = body
    at += 12 + size
assert struct.unpack(">II", parts[b"IHDR"][:8]) == (32, 32)
pixels = zlib.decompress(parts[b"IDAT"])
assert len(pixels) == 32 * (1 + 4 * 32) and len(set(pixels)) > 50`, png, raw]);
  await assert.rejects(sample.preview(), { code: "TACORE_E_UNSUPPORTED" });
});

// ---- What goes wrong ----

test("servers that misbehave", async () => {
  const path = "examples/data/landsat.tacozip";
  const rows = (fault) => open(`${server.url}/${fault}/${path}`).then((dataset) => dataset.rows()).then((each) => each.at(0).bytes());
  const good = await (await (await open(`${server.url}/${path}`)).rows()).at(0).bytes();
  for (const fault of ["no-ranges", "busy", "slow", "dropped-once"]) assert.deepEqual(await rows(fault), good, fault);
  for (const [fault, code, text] of [["short", "IO", /512 bytes|1024|of/], ["gzip", "IO", /cannot be reached or read|compression|sent/], ["changed", "IO", /changed/], ["always-busy", "IO", /fewer requests.*3 times/],
    ["broken", "IO", /503/], ["private", "IO", /refuses access/], ["dropped", "IO", /landsat/]])
    await assert.rejects(rows(fault), (error) => error instanceof TacoError && error.code === `TACORE_E_${code}` && text.test(error.message) && error.path.includes("landsat"), fault);
  await assert.rejects(open("http://127.0.0.1:9/a.tacozip", { maxTries: 1 }), { code: "TACORE_E_IO", message: /cannot be reached/ });
  await assert.rejects(open(`${server.url}/tests`), { code: "TACORE_E_NOT_FOUND" });
});

test("samples that need the end of their file, whose size no header tells", async () => {
  const lastFile = async (rows) => {
    const sample = rows.at(rows.length - 1);
    return sample.type === "FILE" ? sample : lastFile(await sample.children());
  };
  for (const name of ["polygons.tacozip", "flat.tacozip", "six_levels.tacozip"]) {
    const [bare, local] = await Promise.all([open(`${server.url}/bare/tests/golden/${name}`), open(golden(name))]);
    const [one, other] = await Promise.all([bare, local].map(async (dataset) => lastFile(await dataset.rows())));
    assert.deepEqual(await one.bytes(), await other.bytes(), name);
    assert.deepEqual({ ...(await one.place()), name }, { ...(await other.place()), name });
  }
});

test("the place of a sample that was read, and a sample of a Tortilla, take no request more", async () => {
  const path = join(folder, "landsat.tortilla");
  execFileSync(process.env.TACORE_TOOL, ["compile", join(root, "examples/data/landsat.tacozip"), path], { stdio: "pipe" });
  for (const name of ["examples/data/landsat.tacozip", "landsat.tortilla"]) {
    const { result: rows, log: opening } = await requests(async () => (await open(`${server.url}/bare/${name}`)).rows());
    assert.equal(opening.length, 2, name);
    for (const position of [0, 9]) {
      const { log } = await requests(async () => {
        const sample = rows.at(position);
        await sample.raster();
        await sample.pixels();
        return [await sample.place(), await sample.path()];
      });
      assert.equal(log.length, 1, `${name} ${position}: ${JSON.stringify(log)}`);
    }
  }
});

test("one format for all samples, in the header of December 2024", async () => {
  const rows = await (await open(golden("v1/first.tortilla"))).rows();
  assert.deepEqual([rows.column("type").toArray(), rows.column("tortilla:file_format").toArray()], [["FILE", "FILE", "FILE"], ["GTiff", "GTiff", "GTiff"]]);
  assert.ok((await rows.at(2).bytes()).length > 0);
});

test("places of points as text", async () => {
  const dataset = await open(golden("wkt_points.tacozip"));
  const [{ x, y }, ids] = [await dataset.places(), (await dataset.rows({ columns: [] })).column("id").toArray()];
  const placeOf = (id) => [x[ids.indexOf(id)], y[ids.indexOf(id)]];
  assert.deepEqual([placeOf("with_srid"), placeOf("with_z"), placeOf("nonsense")], [[-74.006, 40.713], [139.692, 35.69], [NaN, NaN]]);
});

test("aborts", async () => {
  await assert.rejects(open(`${server.url}/slow/examples/data/landsat.tacozip`, { signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
  const rows = await (await open(join(root, "examples/data/landsat.tacozip"))).rows();
  await assert.rejects(rows.at(0).pixels({ signal: AbortSignal.abort() }), { name: "AbortError" });
  assert.equal((await rows.at(0).pixels()).shape[0], 6);
});

test("a closed dataset, wrong arguments", async () => {
  const dataset = await open(golden("flat.tacozip"));
  const rows = await dataset.rows();
  dataset.close();
  await assert.rejects(rows.at(0).bytes(), { code: "TACORE_E_ARGUMENT", message: /closed/ });
  await assert.rejects(open(5), { code: "TACORE_E_ARGUMENT" });
  await assert.rejects(open([]), { code: "TACORE_E_ARGUMENT" });
  const other = await open(golden("flat.tacozip"));
  assert.throws(() => other.filter({ id: { $like: "a" } }), { code: "TACORE_E_QUERY" });
  await assert.rejects(other.filter({ id: 5 }).rows(), { code: "TACORE_E_QUERY", message: /cannot be compared/ });
  await assert.rejects(other.rows({ columns: ["nothing"] }), { code: "TACORE_E_QUERY" });
  assert.throws(() => setOptions({ thread: 1 }), TypeError);
});

/** Numbers that are the same on every machine. */
function generator(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Reads all that can be read. */
async function readAll(source) {
  const dataset = await open(source);
  const read = async (rows) => {
    for (const sample of [...rows].slice(0, 3)) {
      if (sample.type === "FOLDER") await read(await sample.children());
      else await sample.pixels().catch((error) => { if (error.code !== "TACORE_E_UNSUPPORTED") throw error; });
    }
  };
  try {
    await read(await dataset.rows());
    await dataset.places();
  } finally {
    dataset.close();
  }
}

test("damaged files end in errors or in the right data", async () => {
  const random = generator(1);
  const files = ["examples/data/landsat_nested.tacozip", "tests/golden/snappy_v2pages.tacozip", "tests/golden/v1/nested.taco", "tests/clients/types.tacozip", "tests/golden/cascade_tacocat/cascade_part0001.tacozip"].map((name) => readFileSync(join(root, name)));
  const codes = new Map();
  for (let i = 0; i < 1000; ++i) {
    const bytes = new Uint8Array(files[i % files.length]);
    // Most of the metadata is at the end.
    for (let k = 0; k <= random(3); ++k) {
      const at = i % 3 ? bytes.length - 1 - random(Math.min(bytes.length, 6000)) : random(bytes.length);
      bytes[at] = i % 2 ? random(256) : bytes[at] ^ (1 << random(8));
    }
    const size = i % 10 === 0 ? random(bytes.length) : bytes.length;
    try {
      await readAll(new Blob([bytes.subarray(0, size)]));
      codes.set("read", (codes.get("read") ?? 0) + 1);
    } catch (error) {
      assert.ok(error instanceof TacoError, error.stack);
      codes.set(error.code, (codes.get(error.code) ?? 0) + 1);
    }
  }
  console.log(`# ${[...codes].map(([code, count]) => `${count} ${code}`).join(", ")}; ${process.memoryUsage().rss >> 20} MiB`);
  assert.ok(codes.get("TACORE_E_FORMAT") > 100 && codes.get("read") > 100);
  assert.equal(codes.get("TACORE_E_INTERNAL"), undefined);
});

test("seeds of the fuzzers", async () => {
  let count = 0;
  for (const each of readdirSync(join(root, "tests/fuzz"), { recursive: true, withFileTypes: true })) {
    if (!each.isFile() || /\.(cpp|txt|py|md|dict)$/.test(each.name)) continue;
    await readAll(new Blob([readFileSync(join(each.parentPath, each.name))])).catch((error) => assert.ok(error instanceof TacoError, `${each.name}: ${error.stack}`));
    ++count;
  }
  console.log(`# ${count} seeds`);
});

test("a worker that takes too long is ended, and the next task runs", async () => {
  setOptions({ timeLimit: 0.001 });
  const rows = await open(join(root, "examples/data/landsat.tacozip")).catch((error) => error);
  setOptions({ timeLimit: 30 });
  if (rows instanceof Error) assert.match(rows.message, /takes longer/);
  assert.equal((await (await open(join(root, "examples/data/landsat.tacozip"))).rows()).length, 16);
});
