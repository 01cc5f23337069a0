// The vectors that every client must answer, as far as this package goes: tests/clients/README.md says what they mean. It runs in Node
// and in a page (browser.mjs).

export class Wrong extends Error {}

/** Those that need neither SQL, batches nor writing. */
export const isOurs = ({ do: what, filters = [] }) => what !== "create" && what !== "batches" && filters.every((step) => !step.sql);

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const sha256 = async (bytes) => hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));

// ---- Values in the form of the vectors ----

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

export function compare(what, found, expected, tolerance = 0) {
  if (!equal(found, expected, tolerance))
    throw new Wrong(`${what} is ${JSON.stringify(found)?.slice(0, 200)}, expected ${JSON.stringify(expected)?.slice(0, 200)}`);
}

// ---- What a vector does ----

export function checkRows(rows, expected) {
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

export async function checkBytes(bytes, expected) {
  compare("size", bytes.length, expected.size);
  compare("sha256", await sha256(bytes), expected.sha256);
}

export async function checkTensor({ data, shape, dtype }, expected) {
  const tolerance = expected.tolerance ?? 0;
  compare("shape", shape, expected.shape);
  compare("dtype", dtype, expected.dtype);
  let sum = 0;
  for (const value of data) sum += Number(value);
  compare("sum", sum, expected.sum, tolerance || 1e-9);
  const size = shape.slice(1).reduce((a, b) => a * b, 1);
  (expected.first ?? []).forEach((value, band) => compare("first", Number(data[band * size]), value, tolerance));
  if (expected.sha256) compare("sha256", await sha256(new Uint8Array(data.buffer)), expected.sha256);
}

async function run(tacore, vector, base) {
  const { do: what, expect: expected } = vector;
  let dataset = await tacore.open([vector.open].flat().map((path) => `${base}/${path}`), { maxTries: 1 });
  for (const step of vector.filters ?? []) dataset = step.bbox ? dataset.filterBbox(step.bbox, step) : dataset.filterDatetime(step.datetime, step);
  try {
    if (what.endsWith("statistics")) {
      const computed = what.startsWith("computed");
      const found = computed ? (await (await dataset.rows()).statistics({ bands: vector.bands, compute: true })).bands : await dataset.statistics({ bands: vector.bands });
      expected.forEach((band, i) => {
        for (const [name, value] of Object.entries(band)) compare(`${name} of band ${band.band}`, found[i][name], value, vector.tolerance);
      });
      return;
    }
    const rows = await dataset.rows();
    const sample = () => (vector.child ? rows.at(vector.position).child(vector.child) : rows.at(vector.position));
    switch (what) {
      case "open":
        checkRows(rows, expected);
        compare("num_levels", (await dataset.about()).levels.length, expected.num_levels);
        return;
      case "rows": return checkRows(rows, expected);
      case "children": return checkRows(await sample().children(), expected);
      case "bytes": return await checkBytes(await sample().bytes(), expected);
      case "pixels": return await checkTensor(await sample().pixels(vector), expected);
      default: throw new Wrong(`unknown: ${what}`);
    }
  } finally {
    dataset.close();
  }
}

/** What is wrong with the answer to a vector; null where nothing is. `root` and `url`: of the repository, and of serve.py. */
export async function faultOf(tacore, vector, root, url) {
  try {
    await run(tacore, vector, vector.remote ? url : root);
    return vector.error ? `no error, expected ${vector.error.code}` : null;
  } catch (error) {
    if (!vector.error) return error.stack;
    if (error instanceof Wrong) return `no error, expected ${vector.error.code}`;
    if (error.code !== `TACORE_E_${vector.error.code}`) return `${error.code}, expected ${vector.error.code}: ${error.stack}`;
    return error.message.includes(vector.error.text) ? null : `no '${vector.error.text}' in: ${error.message}`;
  }
}
