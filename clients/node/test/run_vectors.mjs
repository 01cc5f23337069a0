// Runs the vectors that every client must answer: tests/clients/README.md says what they mean.
//   node run_vectors.mjs ROOT [PATTERN]     ROOT: of the repository. Ends with status 1 when a vector fails
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { once } from "node:events";
import * as tacore from "../src/index.js";

const root = resolve(process.argv[2]);
class Wrong extends Error {}

// ---- Values in the form of the vectors ----

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

function cell(column, row) {
  const value = column.at(row);
  if (value === null) return null;
  if (column.type === "timestamp") return whole(column.values[row]);
  if (column.type === "date") return column.values[row];
  return plain(value);
}
const whole = (value) => (value >= Number.MIN_SAFE_INTEGER - 1 && value <= Number.MAX_SAFE_INTEGER + 1 ? Number(value) : String(value));

function plain(value) {
  if (typeof value === "number" && !Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (typeof value === "bigint") return whole(value);
  if (value instanceof Uint8Array) return hex(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value !== null && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
  return value;
}

function equal(found, expected, tolerance) {
  if (typeof expected === "number" && typeof found === "number")
    return tolerance ? Math.abs(found - expected) <= tolerance * Math.max(1, Math.abs(expected)) : found === expected;
  if (Array.isArray(expected)) return Array.isArray(found) && found.length === expected.length && expected.every((each, i) => equal(found[i], each, tolerance));
  if (expected !== null && typeof expected === "object") {
    return found !== null && typeof found === "object" && Object.keys(found).join() === Object.keys(expected).join() &&
      Object.entries(expected).every(([key, each]) => equal(found[key], each, tolerance));
  }
  return found === expected;
}

function compare(what, found, expected, tolerance = 0) {
  if (!equal(found, expected, tolerance))
    throw new Wrong(`${what} is ${JSON.stringify(found)?.slice(0, 200)}, expected ${JSON.stringify(expected)?.slice(0, 200)}`);
}

// ---- What a vector does ----

function checkRows(rows, expected) {
  compare("num_rows", rows.length, expected.num_rows);
  for (const [name, column] of [["ids", "id"], ["types", "type"]])
    if (expected[name]) compare(name, rows.column(column).toArray(), expected[name]);
  for (const [name, column] of Object.entries(expected.columns ?? {})) {
    compare(`type of ${name}`, rows.column(name).type, column.type);
    column.values.forEach((value, row) => compare(`row ${row} of ${name}`, cell(rows.column(name), row), value));
  }
  if (Object.keys(expected.columns ?? {}).length > 0) {
    const known = new Set(["id", "type", ...Object.keys(expected.columns)]);
    compare("columns beside", rows.columns.filter((name) => !known.has(name) && !name.startsWith("internal:")), []);
  }
}

function checkBytes(bytes, expected) {
  compare("size", bytes.length, expected.size);
  compare("sha256", sha256(bytes), expected.sha256);
}

function checkTensor({ data, shape, dtype }, expected) {
  const tolerance = expected.tolerance ?? 0;
  compare("shape", shape, expected.shape);
  compare("dtype", dtype, expected.dtype);
  let sum = 0;
  for (const value of data) sum += Number(value);
  compare("sum", sum, expected.sum, tolerance || 1e-9);
  const size = shape.slice(1).reduce((a, b) => a * b, 1);
  (expected.first ?? []).forEach((value, band) => compare("first", Number(data[band * size]), value, tolerance));
  if (expected.sha256) compare("sha256", sha256(new Uint8Array(data.buffer)), expected.sha256);
}

const bytesOf = (text) => (text === null ? null : new Uint8Array(Buffer.from(text, "hex")));
const columnOf = ({ type, values }) => ({ type, values: type === "binary" ? values.map(bytesOf) : values });

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const options = (given = {}) => Object.fromEntries(Object.entries(given).map(([name, value]) => [camel(name), value]));

async function run(vector, base, folder) {
  const { do: what, expect: expected } = vector;
  if (what === "create") {
    const output = join(folder, vector.output);
    const columns = Object.fromEntries(Object.entries(vector.rows ?? {}).map(([name, column]) => [name, columnOf(column)]));
    await tacore.create(vector.rows ? columns : join(root, vector.from), output, vector.collection, options(vector.options));
    compare("is_valid", (await tacore.validate(output, { deep: true })).is_valid, expected.is_valid);
    const rows = await (await tacore.open(output)).rows();
    checkRows(rows, expected.table);
    for (const [i, each] of expected.bytes.entries()) checkBytes(await rows.at(i).bytes(), each);
    return;
  }
  let dataset = await tacore.open([vector.open].flat().map((path) => `${base}/${path}`));
  for (const step of vector.filters ?? []) {
    if (step.sql) dataset = dataset.sql(step.sql);
    else if (step.bbox) dataset = dataset.filterBbox(step.bbox, step);
    else dataset = dataset.filterDatetime(step.datetime, step);
  }
  if (what.endsWith("statistics")) {
    const computed = what.startsWith("computed");
    const found = computed ? (await (await dataset.rows()).statistics({ bands: vector.bands, compute: true })).bands
      : await dataset.statistics({ bands: vector.bands });
    expected.forEach((band, i) => {
      for (const [name, value] of Object.entries(band)) compare(`${name} of band ${band.band}`, found[i][name], value, vector.tolerance);
    });
    return;
  }
  const rows = await dataset.rows();
  const sample = () => (vector.child ? rows.at(vector.position).child(vector.child) : rows.at(vector.position));
  const done = {
    open: async () => {
      checkRows(rows, expected);
      compare("num_levels", (await dataset.about()).levels.length, expected.num_levels);
    },
    rows: async () => checkRows(rows, expected),
    children: async () => checkRows(await sample().children(), expected),
    bytes: async () => checkBytes(await sample().bytes(), expected),
    pixels: async () => checkTensor(await sample().pixels(vector), expected),
    batches: async () => {
      let i = 0;
      for await (const batch of rows.batches(options(vector.options))) {
        const wanted = expected?.batches[i++];
        if (!wanted) throw new Wrong("more batches than expected");
        compare("positions", batch.positions, wanted.positions);
        compare("next_start", batch.nextStart, wanted.next_start);
        wanted.tensors.forEach((each, k) => checkTensor(batch.tensors[k], each));
      }
      compare("number of batches", i, expected.batches.length);
    },
  }[what];
  await done();
}

async function faultOf(vector, url) {
  const folder = mkdtempSync(join(tmpdir(), "tacore-"));
  try {
    await run(vector, vector.remote ? url : root, folder);
    return vector.error && `no error, expected ${vector.error.code}`;
  } catch (error) {
    if (!vector.error) return error.stack;
    if (error instanceof Wrong) return `no error, expected ${vector.error.code}`;
    if (error.code !== `TACORE_E_${vector.error.code}`) return `${error.code}, expected ${vector.error.code}: ${error.stack}`;
    if (!error.message.includes(vector.error.text)) return `no '${vector.error.text}' in: ${error.message}`;
    return vector.do === "create" && readdirSync(folder).length > 0 && "something is left in the folder of the output";
  } finally {
    rmSync(folder, { recursive: true });
  }
}

process.on("warning", () => {});
process.removeAllListeners("warning");
const folder = join(root, "tests/clients/vectors");
let vectors = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n").map((line) => JSON.parse(line)));
if (process.argv[3]) vectors = vectors.filter((vector) => vector.name.includes(process.argv[3]));

const server = spawn("python3", ["-B", join(root, "tests/clients/serve.py")], { stdio: ["pipe", "pipe", "inherit"] });
const url = String((await once(server.stdout, "data"))[0]).trim();
await tacore.setOptions({ maxTries: 1 });
let numFailed = 0;
for (const vector of vectors) {
  const fault = await faultOf(vector, url);
  if (fault) {
    ++numFailed;
    console.log(`${vector.name}: ${fault}`);
  }
}
server.stdin.end();
console.log(`${vectors.length} vectors, ${numFailed} failed`);
process.exitCode = numFailed > 0 || vectors.length === 0 ? 1 : 0;
