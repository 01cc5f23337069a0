// The WebAssembly module against the test vectors, whose pixels come from rasterio and whose filters from the naive reader; its
// size; and what it does with damaged files.
//   node test.mjs MODULE
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { Module } from "../clients/js/src/module.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const wasm = readFileSync(process.argv[2]);
const module = await Module.load(await WebAssembly.compile(wasm));
const vectorsOf = (name) => readFileSync(join(root, "tests/clients/vectors", name), "utf8").trim().split("\n").map((line) => JSON.parse(line));
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const reader = (bytes) => async (ranges) => ranges.map(({ offset, size }) => new Uint8Array(bytes.subarray(offset, offset + size)));
let numTests = 0;
const test = async (name, body) => {
  await body();
  console.log(`ok ${++numTests} ${name}`);
};

/** Entries of a ZIP without ZIP64: name to the range of the payload, and its CRC-32. Independent of the module. */
function entriesOf(zip) {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const entries = new Map();
  for (let at = zip.readUInt32LE(end + 16), i = 0; i < zip.readUInt16LE(end + 10); ++i) {
    const [nameSize, extra, comment, local] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32), zip.readUInt32LE(at + 42)];
    const name = zip.toString("utf8", at + 46, at + 46 + nameSize);
    const offset = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    entries.set(name, { offset, size: zip.readUInt32LE(at + 20), crc32: zip.readUInt32LE(at + 16) });
    at += 46 + nameSize + extra + comment;
  }
  return entries;
}

function open(path, bytes = readFileSync(join(root, path))) {
  const file = module.call("file_new", [path, bytes.length], "numbers")[0];
  return { file, bytes, call: (name, args, as) => module.callReading(name, args, file, reader(bytes), as) };
}
const sampleOf = async (zip, name, { offset, size }) => (await zip.call("sample_new", [zip.file, `DATA/${name}`, name, offset, size], "numbers"))[0];

await test("the size of the module", async () => {
  console.log(`# ${wasm.length} bytes, ${gzipSync(wasm, { level: 9 }).length} with gzip`);
  assert.ok(wasm.length <= 300_000);
  assert.ok(gzipSync(wasm, { level: 9 }).length <= 110_000);
});

const idsOf = new Map(vectorsOf("opening.jsonl").filter((each) => each.expect?.ids).map((each) => [each.open, each.expect.ids]));
const ARRAYS = [Uint8Array, Int8Array, Uint16Array, Int16Array, Uint32Array, Int32Array, BigUint64Array, BigInt64Array, Float32Array, Float64Array];
const TYPES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"];

await test("pixels are those of rasterio, also where the offset of the sample is wrong", async () => {
  let numCompared = 0;
  for (const vector of vectorsOf("pixels.jsonl")) {
    if (vector.dtype || vector.scale || "fill" in vector || !vector.expect) continue; // JavaScript converts
    const zip = open(vector.open);
    const name = [idsOf.get(vector.open)[vector.position], vector.child].filter(Boolean).join("/");
    const place = entriesOf(zip.bytes).get(`DATA/${name}`);
    for (const wrong of [0, 7]) {
      const sample = await sampleOf(zip, name, { offset: place.offset + wrong, size: place.size });
      const [raster] = await zip.call("raster_new", [sample], "numbers");
      const [width, height, , type] = await zip.call("raster_about", [raster], "numbers");
      const window = vector.window ?? [0, 0, width, height];
      const pixels = await zip.call("raster_read", [raster, new Int32Array(vector.bands ?? []), (vector.bands ?? []).length, new Float64Array(window)]);
      const values = new ARRAYS[type](pixels.buffer);
      assert.equal(TYPES[type], vector.expect.dtype, vector.name);
      assert.equal(pixels.length, vector.expect.shape.reduce((a, b) => a * b) * ARRAYS[type].BYTES_PER_ELEMENT, vector.name);
      if (vector.expect.sha256) assert.equal(sha256(pixels), vector.expect.sha256, vector.name);
      else assert.ok(Math.abs(values.reduce((a, b) => a + Number(b), 0) - vector.expect.sum) <= 1e-9 * Math.abs(vector.expect.sum), vector.name);
      module.close(raster);
      module.close(sample);
      ++numCompared;
    }
    module.close(zip.file);
    module.takeWarnings();
  }
  assert.ok(numCompared >= 10);
});

await test("bytes of samples are proved", async () => {
  const zip = open("tests/golden/flat.tacozip");
  const entries = [...entriesOf(zip.bytes)].filter(([name]) => name.startsWith("DATA/"));
  assert.equal(entries.length, 5);
  for (const [name, place] of entries) {
    const id = name.slice(5);
    const bytes = await zip.call("source_read", [await sampleOf(zip, id, place)]);
    assert.equal(module.crc32(bytes), place.crc32);
    const other = new Uint8Array(zip.bytes);
    other[place.offset] ^= 1;
    const changed = open("changed.tacozip", Buffer.from(other));
    await assert.rejects(async () => changed.call("source_read", [await sampleOf(changed, id, place)]), { code: "FORMAT", message: /CRC-32/ });
  }
  await assert.rejects(async () => zip.call("source_read", [await sampleOf(zip, "nothing", entries[0][1])]), { code: "FORMAT", message: /nothing/ });
});

await test("headers", async () => {
  const bytes = readFileSync(join(root, "tests/golden/nested.tacozip"));
  const ranges = module.call("taco_header", [bytes.subarray(0, 157), bytes.length], "numbers");
  assert.equal(ranges.length, 6); // two levels and COLLECTION.json
  const level = bytes.subarray(ranges[0], ranges[0] + ranges[1]);
  assert.equal(level.toString("latin1", 0, 4) + level.toString("latin1", level.length - 4), "PAR1PAR1");
  assert.ok(JSON.parse(bytes.toString("utf8", ranges[4], ranges[4] + ranges[5])).id);
  assert.throws(() => module.call("taco_header", [bytes.subarray(0, 100), bytes.length]), { code: "FORMAT", message: /truncated/ });
  const index = readFileSync(join(root, "tests/golden/cascade_tacocat/__TACOCAT__"));
  assert.equal(module.call("tacocat_header", [index.subarray(0, 128), index.length], "numbers").length, 8);
  const tortilla = readFileSync(join(root, "tests/golden/v1/nested.taco"));
  const [isTaco, numFiles, footer, size] = module.call("v1_header", [tortilla.subarray(0, 200), tortilla.length, 0], "numbers");
  assert.deepEqual([isTaco, numFiles, tortilla.toString("latin1", footer, footer + 4)], [1, 1, "PAR1"]);
  assert.ok(footer + size <= tortilla.length);
});

await test("geometries meet the boxes that the naive reader finds", async () => {
  const table = vectorsOf("rows.jsonl").find((each) => each.open === "tests/golden/polygons.tacozip").expect;
  const cells = table.columns["istac:geometry"].values;
  const filters = vectorsOf("filters.jsonl").filter((each) => each.open === "tests/golden/polygons.tacozip");
  assert.ok(filters.length >= 3);
  for (const { filters: [{ bbox }], expect } of filters) {
    const known = cells.flatMap((cell, row) => (cell === null ? [] : [[row, Buffer.from(cell, "hex")]]));
    const offsets = new Uint32Array(known.length + 1);
    known.forEach(([, bytes], i) => { offsets[i + 1] = offsets[i] + bytes.length; });
    const all = Buffer.concat(known.map(([, bytes]) => bytes));
    const meets = module.call("meets_wkb", [new Uint8Array(all), offsets, known.length, ...bbox]);
    assert.deepEqual(known.filter((_, i) => meets[i] === 1).map(([row]) => table.ids[row]), expect.ids, String(bbox));
  }
  assert.throws(() => module.call("meets_points", [new Float64Array([0, 0]), 1, 0, 10, 1, -10]), { code: "QUERY" });
  assert.deepEqual([...module.call("meets_points", [new Float64Array([175, 0, -175, 0, 0, 0]), 3, 170, -5, -170, 5])], [1, 1, 0]);
});

await test("ranges of time", async () => {
  const range = new BigInt64Array(module.call("time_range", ["2023-02-01/2023-03-31"]).buffer);
  assert.deepEqual(range, new BigInt64Array([BigInt(Date.UTC(2023, 1, 1)) * 1000n, BigInt(Date.UTC(2023, 3, 1)) * 1000n - 1n]));
  assert.throws(() => module.call("time_range", ["yesterday"]), { code: "QUERY", message: /yesterday/ });
});

await test("times of texts, and pages of ZSTD", async () => {
  const texts = ["2023-01-31T12:00:00Z", "no time", "1969-12-31"].map((text) => new TextEncoder().encode(text));
  const offsets = Uint32Array.from([0, 20, 27, 37]);
  const times = new BigInt64Array(module.call("times", [new Uint8Array(Buffer.concat(texts)), offsets, 3]).buffer);
  assert.deepEqual(times, new BigInt64Array([1675166400000000n, -(2n ** 63n), -86400000000n]));
  const packed = new Uint8Array(Buffer.from("28b52ffd045821000061626364cc925dd2", "hex")); // "abcd" as the program zstd writes it
  assert.equal(Buffer.from(module.call("unpack_zstd", [packed, 4])).toString(), "abcd");
  assert.throws(() => module.call("unpack_zstd", [packed, 1e9]), { code: "FORMAT" });
  assert.throws(() => module.call("unpack_zstd", [packed.subarray(0, 8), 4]), { code: "FORMAT" });
});

await test("damaged files are errors or pixels, and the module goes on", async () => {
  const zip = open("examples/data/landsat_nested.tacozip");
  const tiffs = [...entriesOf(zip.bytes)].filter(([name]) => /\/(optical|dem|mask)$/.test(name)).slice(0, 6)
    .map(([, { offset, size }]) => zip.bytes.subarray(offset, offset + size));
  let state = 1, numErrors = 0, numRead = 0;
  const random = (below) => { // the same numbers on every machine
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const before = module.memorySize;
  for (let i = 0; i < 3000; ++i) {
    const bytes = Buffer.from(tiffs[i % tiffs.length]).subarray(0, i % 5 === 0 ? random(tiffs[i % tiffs.length].length) : undefined);
    for (let k = random(4); k >= 0 && bytes.length > 0; --k) bytes[i % 2 ? random(Math.min(bytes.length, 300)) : random(bytes.length)] = random(256);
    const file = open("damaged.tif", bytes);
    let raster = -1;
    try {
      [raster] = await file.call("raster_new", [file.file], "numbers");
      const [width, height] = await file.call("raster_about", [raster], "numbers");
      await file.call("raster_read", [raster, new Int32Array(), 0, new Float64Array([0, 0, width, height])]);
      ++numRead;
      await file.call("raster_preview", [raster, new Int32Array([1]), 1, 16]);
    } catch (error) {
      if (error.name !== "DecodeError") throw error;
      ++numErrors;
    }
    module.close(raster);
    module.close(file.file);
  }
  console.log(`# ${numRead} read, ${numErrors} refused, memory ${before >> 20} to ${module.memorySize >> 20} MiB`);
  assert.ok(numErrors > 1000 && numRead > 100);
});

await test("a large image that is not there is refused before its memory is", async () => {
  const zip = open("examples/data/landsat.tacozip");
  const [raster] = await zip.call("raster_new", [await sampleOf(zip, "tile_r0_c0", entriesOf(zip.bytes).get("DATA/tile_r0_c0"))], "numbers");
  for (const window of [[0, 0, 1e9, 1e9], [60, 60, 10, 10], [-1, 0, 2, 2], [0, 0, NaN, 1]])
    await assert.rejects(zip.call("raster_read", [raster, new Int32Array(), 0, new Float64Array(window)]), { code: "QUERY" });
  await assert.rejects(zip.call("raster_read", [raster, new Int32Array([7]), 1, new Float64Array([0, 0, 1, 1])]), { code: "QUERY", message: /7/ });
});

console.log(`${numTests} passed, 0 failed`);
