// Runs the vectors that every client must answer: tests/clients/README.md says what they mean.
//   node run_vectors.mjs ROOT [PATTERN]     ROOT: of the repository. Ends with status 1 when a vector fails
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { once } from "node:events";
import { checkBytes, checkRows, checkTensor, compare, Wrong } from "../../js/test/vectors.mjs";
import * as tacore from "../src/index.js";

const root = resolve(process.argv[2]);
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
    for (const [i, each] of expected.bytes.entries()) await checkBytes(await rows.at(i).bytes(), each);
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
        for (const [k, each] of wanted.tensors.entries()) await checkTensor(batch.tensors[k], each);
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
