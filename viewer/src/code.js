// Code that opens the selection, or one sample, in other tools; and the selection as files.
import { download } from "./dom.js";
import { valueAt } from "./selection.js";

/** Text for each tool, [name, text], of { filters, columns, address, sample, ids }: `columns` has { type, unit, hasNaN } by name,
 * `address` is a list where datasets were joined, `ids` are those of a shape, where they are few, and `sample` is { id, path } or null. */
export function codeFor({ filters, columns, address, sample, ids }) {
  const conditions = sqlConditions(filters, columns, ids),
    box = boxOf(filters.area, ids),
    notes = notesFor(filters, ids);
  const where = sample ? [`id = ${quoted(sample.id)}`] : conditions;
  const given = {
    address,
    box: sample ? null : box,
    sql: where.length > 0 ? `SELECT * FROM data WHERE ${where.join(" AND ")}` : null,
    sample,
    notes: sample ? [] : notes,
    filters,
    columns,
    ids,
  };
  return [
    ["Python", python(given)],
    ["R", rLanguage(given)],
    ["Julia", julia(given)],
    ["JavaScript", javaScript(given)],
    ["taco", taco(given)],
  ];
}

// ---- SQL ----

const quoted = (text) => `'${String(text).replaceAll("'", "''")}'`;
// Words of DuckDB that name columns only in quotes.
const RESERVED = new Set(
  (
    "all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default deferrable desc " +
    "describe distinct do else end except false fetch for foreign from group having in initially intersect into lambda lateral leading " +
    "limit not null offset on only or order pivot pivot_longer pivot_wider placing primary qualify references returning select show some " +
    "summarize symmetric table then to trailing true union unique unpivot using variadic when where window with"
  ).split(" "),
);
const named = (name) => (/^[a-z_][a-z0-9_]*$/i.test(name) && !RESERVED.has(name.toLowerCase()) ? name : `"${name.replaceAll('"', '""')}"`);
const timeLiteral = (milliseconds, type) => {
  const text = new Date(milliseconds).toISOString();
  return type === "date" ? `DATE ${quoted(text.slice(0, 10))}` : `TIMESTAMP ${quoted(text.slice(0, 23).replace("T", " "))}`;
};

function sqlConditions(filters, columns, ids) {
  const out = Object.entries(filters)
    .filter(([name]) => name !== "area")
    .map(([name, test]) => sqlCondition(named(name), test, columns.get(name)));
  if (filters.area?.polygon && ids) out.push(ids.length > 0 ? `id IN (${ids.map(quoted).join(", ")})` : "false");
  return out;
}
function sqlCondition(column, { min, max, labels, text }, { type, unit, hasNaN }) {
  if (text !== undefined) return `contains(lower(${column}), ${quoted(text.toLowerCase())})`;
  if (labels) return labelCondition(column, labels, type);
  const literal = type === "timestamp" || type === "date" ? (value) => timeLiteral(value, type) : (value) => String(value / unit);
  return [
    min !== undefined && `${column} >= ${literal(min)}`,
    max !== undefined && `${column} <= ${literal(max)}`,
    max === undefined && hasNaN && `NOT isnan(${column})`, // SQL has it beyond all numbers
  ]
    .filter(Boolean)
    .join(" AND ");
}
function labelCondition(column, labels, type) {
  const known = labels.filter((label) => label !== null).map((label) => (type === "bool" ? label : quoted(label)));
  const parts = [
    known.length === 1 && `${column} = ${known[0]}`,
    known.length > 1 && `${column} IN (${known.join(", ")})`,
    labels.includes(null) && `${column} IS NULL`,
  ].filter(Boolean);
  return parts.length > 1 ? `(${parts.join(" OR ")})` : parts[0];
}
/** A shape with too many samples for a list of ids is approximated by its box. */
function boxOf(area, ids) {
  if (!area?.polygon) return area?.box ?? null;
  if (ids) return null;
  const [x, y] = [0, 1].map((i) => area.polygon.map((point) => point[i]));
  return [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)];
}
const notesFor = ({ area }, ids) =>
  area?.polygon && !ids ? ["The box around the shape. For exactly the shape, export the ids and keep those."] : [];

// ---- Languages ----

const text = (value) => JSON.stringify(value);
/** One address, or a list of several. */
const addresses = (address, before = "[") =>
  Array.isArray(address) ? `${before}${address.map(text).join(", ")}${before === "[" ? "]" : ")"}` : text(address);
const comment = (mark, notes) => notes.map((note) => `${mark} ${note}\n`).join("");

function python({ address, box, sql, sample, notes }) {
  const steps = [box && `dataset = dataset.filter_bbox(${box.join(", ")})`, sql && `dataset = dataset.sql(${pythonText(sql)})`].filter(
    Boolean,
  );
  const last = sample
    ? `opened = raster.open_raster(dataset.data, ${text([sample.id, sample.path].filter(Boolean).join("/"))})\npixels = opened.read()`
    : "rows = dataset.data";
  const imports = `import tacore\n${sample ? "from tacore import raster\n" : ""}`;
  return `${comment("#", notes)}${imports}\n${[`dataset = tacore.load(${addresses(address)})`, ...steps, last].join("\n")}\n`;
}
const pythonText = (sql) => (sql.includes('"') && !/"""|\\/.test(sql) ? `"""${sql}"""` : text(sql));

function rLanguage({ address, box, sql, sample, notes }) {
  const steps = [
    `taco_open(${addresses(address, "c(")})`,
    box && `taco_filter_bbox(c(${box.join(", ")}))`,
    sql && `taco_sql(${text(sql)})`,
    "taco_rows()",
  ].filter(Boolean);
  const last = sample ? `pixels <- taco_pixels(x, 1${sample.path ? `, ${text(sample.path)}` : ""})\n` : "";
  return `${comment("#", notes)}library(tacore)\n\nx <- ${steps.join(" |>\n  ")}\n${last}`;
}

function julia({ address, box, sql, sample, notes }) {
  const steps = [box && `ds = filter_bbox(ds, ${box.join(", ")})`, sql && `ds = sql(ds, ${text(sql).replaceAll("$", "\\$")})`].filter(
    Boolean,
  );
  const last = sample ? `image = pixels(t, 1${sample.path ? `, ${text(sample.path)}` : ""})\n` : "";
  return `${comment("#", notes)}using Tacore\n\nds = Tacore.open(${addresses(address)})\n${[...steps, "t = rows(ds)"].join("\n")}\n${last}`;
}

function javaScript({ address, box, sample, notes, filters, columns, ids }) {
  const { query, tests } = sample ? { query: { id: sample.id }, tests: [] } : queryOf(filters, columns, ids);
  const steps = [box && `  .filterBbox([${box.join(", ")}])`, Object.keys(query).length > 0 && `  .filter(${objectText(query)})`].filter(
    Boolean,
  );
  const chain = steps.length > 0 ? `dataset\n${steps.join("\n")}\n  .rows()` : "dataset.rows()";
  const rows = tests.length > 0 ? `(await ${chain}).filter((sample) => ${tests.join(" && ")})` : `await ${chain}`;
  const last = sample ? `const { data, shape } = await rows.at(0)${sample.path ? `.child(${text(sample.path)})` : ""}.pixels();\n` : "";
  const first = `import { open } from "tacore";\n\nconst dataset = await open(${addresses(address)});\n`;
  return `${comment("//", notes)}${first}const rows = ${rows};\n${last}`;
}
/** A query of the package, and tests of what it does not have: parts of text, and values with nulls. */
function queryOf(filters, columns, ids) {
  const query = {},
    tests = [];
  for (const [name, test] of Object.entries(filters)) {
    if (name === "area" && test.polygon && ids) query.id = { $in: ids };
    if (name === "area") continue;
    const { type, unit } = columns.get(name),
      value = `sample.get(${text(name)})`;
    const stored = (each) => (["timestamp", "date"].includes(type) ? new Date(each).toISOString() : each / unit);
    const labels = test.labels?.map((label) => (type === "bool" && label !== null ? label === "true" : label));
    const ends = [
      ["$gte", test.min],
      ["$lte", test.max],
    ].filter(([, end]) => end !== undefined);
    if (test.text !== undefined) tests.push(`${value}?.toLowerCase().includes(${text(test.text.toLowerCase())})`);
    else if (labels?.includes(null)) tests.push(`${text(labels)}.includes(${value})`);
    else if (labels) query[name] = labels.length === 1 ? labels[0] : { $in: labels };
    else query[name] = Object.fromEntries(ends.map(([operator, end]) => [operator, stored(end)]));
  }
  return { query, tests };
}
/** An object as JavaScript writes it. */
function objectText(value) {
  if (Array.isArray(value)) return `[${value.map(objectText).join(", ")}]`;
  if (value === null || typeof value !== "object") return text(value);
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${/^[a-z_$][\w$]*$/i.test(name) ? name : text(name)}: ${objectText(each)}`)
    .join(", ")} }`;
}

function taco({ address, box, sql, sample, notes }) {
  const shell = (value) => `'${String(value).replaceAll("'", "'\\''")}'`;
  if (Array.isArray(address)) {
    const joining = `# taco opens one dataset at a time: join them first\ntaco concat ${address.map(shell).join(" ")} joined.tacozip\n`;
    return joining + taco({ address: "joined.tacozip", box, sql, sample, notes });
  }
  if (sample) {
    const path = [sample.id, sample.path].filter(Boolean).join("/"),
      file = `${(sample.path ?? sample.id).replaceAll("/", "_")}.tif`;
    return `taco read ${shell(address)} ${shell(path)} -o ${shell(file)}\n`;
  }
  const rest = [sql && shell(sql), box && `--bbox=${box.join(",")}`].filter(Boolean);
  return `${comment("#", notes)}taco query ${[shell(address), ...rest].join(" \\\n  ")}\n`;
}

// ---- Files ----

/** Ids of the selected samples, one a line. */
export async function exportIds(selection) {
  const ids = await selection.column("id");
  download(
    `${selection.dataset.id}-ids.txt`,
    joinedText(selection.rows, (row) => `${valueAt(ids, row)}\n`),
    "text/plain",
  );
}
/** Points of the selected samples, with the columns that have been read. */
export async function exportGeoJson(selection) {
  await selection.column("id");
  const columns = [...selection.columns.values()],
    { x, y, boxes } = selection;
  const features = joinedText(selection.rows, (row, i) => {
    const properties = Object.fromEntries(columns.map((column) => [column.name, propertyOf(column, row)]));
    return `${i === 0 ? "" : ",\n"}${JSON.stringify({ type: "Feature", geometry: geometryOf(row, x, y, boxes), properties })}`;
  });
  download(
    `${selection.dataset.id}.geojson`,
    ['{"type":"FeatureCollection","features":[\n', ...features, "\n]}\n"],
    "application/geo+json",
  );
}
/** Text of all rows, in parts that are not too long. */
function joinedText(rows, textOf, atOnce = 10_000) {
  return Array.from({ length: Math.ceil(rows.length / atOnce) }, (_, part) =>
    Array.from(rows.subarray(part * atOnce, (part + 1) * atOnce), (row, i) => textOf(row, part * atOnce + i)).join(""),
  );
}
function propertyOf(column, row) {
  const value = valueAt(column, row);
  if (value === null) return null;
  return column.kind === "time" ? new Date(value).toISOString() : column.type === "bool" ? value === "true" : value;
}
function geometryOf(row, x, y, boxes) {
  if (!Number.isFinite(x[row])) return null;
  if (!boxes) return { type: "Point", coordinates: [x[row], y[row]] };
  const [west, south, east, north] = boxes.subarray(4 * row, 4 * row + 4);
  return {
    type: "Polygon",
    coordinates: [
      [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ],
    ],
  };
}
