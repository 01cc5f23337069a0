// Filters: what a caller asks for becomes plain steps, which workers test against columns.
import { fail } from "./errors.js";

const encoder = new TextEncoder();
export const GEOMETRY_COLUMNS = ["istac:geometry", "stac:centroid", "istac:centroid"];
export const TIME_COLUMNS = ["istac:time_start", "stac:time_start"];
const OPERATORS = ["$eq", "$ne", "$lt", "$lte", "$gt", "$gte", "$in", "$nin"];
const OPEN = { start: -(2n ** 63n), end: 2n ** 63n - 1n };

// ---- Steps, in the thread of the caller ----

export function boxStep(box, { column = "auto", level = 0 } = {}) {
  const numbers = Array.from(box ?? [], Number);
  if (numbers.length !== 4 || !numbers.every(Number.isFinite)) fail("QUERY", "a box is [west, south, east, north] in degrees");
  if (numbers[1] > numbers[3]) fail("QUERY", `a box whose south ${numbers[1]} is greater than its north ${numbers[3]}`);
  return { kind: "box", box: numbers, column, level };
}

export function timeStep(range, { column = "auto", level = 0 } = {}) {
  const textOf = (time) => (time instanceof Date ? time.toISOString() : String(time));
  return { kind: "time", range: Array.isArray(range) ? range.map(textOf).join("/") : textOf(range), column, level };
}

export function querySteps(query, { level = 0 } = {}) {
  return Object.entries(query).map(([column, given]) => {
    const isCondition = given !== null && typeof given === "object" && Object.getPrototypeOf(given) === Object.prototype && Object.keys(given).length > 0;
    const conditions = Object.entries(isCondition ? given : { $eq: given });
    for (const [operator, value] of conditions) {
      if (!OPERATORS.includes(operator)) fail("QUERY", `the condition '${operator}' of column '${column}' is none of ${OPERATORS.join(", ")}`);
      if ((operator === "$in" || operator === "$nin") && !Array.isArray(value)) fail("QUERY", `${operator} of column '${column}' needs an array`);
    }
    return { kind: "query", column, level, conditions };
  });
}

/** The step with its column found and its values in the units of the column. `parse(name, text)` promises numbers of a time. */
export async function resolved(step, columns, parse) {
  const names = columns.map(({ name }) => name);
  const where = ` in level ${step.level}: ${names.join(", ")}`;
  let name = step.column;
  if (name === "auto") {
    name = (step.kind === "box" ? GEOMETRY_COLUMNS : TIME_COLUMNS).find((each) => names.includes(each));
    if (!name) fail("QUERY", `No ${step.kind === "box" ? "geometry" : "time"} column found${where}`);
  }
  const found = columns.find((column) => column.name === name);
  if (!found) fail("QUERY", `Column '${name}' not found${where}`);
  const out = { ...step, column: name, type: found.type };
  if (step.kind === "box" && !["binary", "string", "list"].includes(found.type))
    fail("QUERY", `column '${name}' has type ${found.type}; a geometry is WKB (binary), a WKT point (string) or a [lon, lat] list`);
  if (step.kind === "time") {
    if (!["timestamp", "date", "string", "int32", "int64", "double"].includes(found.type))
      fail("QUERY", `column '${name}' has type ${found.type}; a time is a timestamp, a date, an epoch number or RFC 3339 text`);
    [out.start, out.end] = await parse("time_range", step.range);
  }
  if (step.kind === "query") {
    out.conditions = [];
    for (const [operator, value] of step.conditions) {
      const convert = (each) => stored(each, found, operator, parse);
      out.conditions.push([operator, Array.isArray(value) ? await Promise.all(value.map(convert)) : await convert(value)]);
    }
  }
  return out;
}

async function stored(value, { name, type }, operator, parse) {
  if (value === null || value === undefined) {
    if (!["$eq", "$ne", "$in", "$nin"].includes(operator)) fail("QUERY", `${operator} of column '${name}' compares with null`);
    return null;
  }
  const is = typeof value;
  if (type === "bool" && is === "boolean") return value ? 1 : 0;
  if (["int32", "int64", "double"].includes(type) && (is === "number" || is === "bigint")) return value;
  if (type === "string" && is === "string") return encoder.encode(value);
  if (type === "timestamp" || type === "date") {
    const time = value instanceof Date ? BigInt(value.getTime()) * 1000n : is === "string" ? (await parse("times", value))[0] : undefined;
    if (time === OPEN.start) fail("QUERY", `'${value}' is no time; RFC 3339 is expected, such as 2023-06-01`);
    if (time !== undefined) return type === "date" ? Number(time) / 86_400e6 : time;
  }
  return fail("QUERY", `column '${name}' has type ${type}, which cannot be compared with ${value instanceof Date ? "a time" : JSON.stringify(value)}`);
}

// ---- Tests, in a worker ----

/** For each step: the column that it reads, whether statistics can exclude rows, and what marks those that it keeps. */
export function testsOf(steps) {
  return steps.map((step) => ({ box: boxTest, time: timeTest, query: queryTest })[step.kind](step));
}

function boxTest({ column, box }) {
  return {
    column,
    isSelective: false,
    mayHold: (min, max, nulls, count) => nulls !== count,
    mark(data, marks, core) {
      if (data.type === "binary") {
        const { rows, offsets } = withValues(data);
        const found = core.call("meets_wkb", [data.values, offsets, rows.length, ...box]);
        const meets = new Uint8Array(data.length);
        rows.forEach((row, i) => { meets[row] = found[i]; });
        return and(marks, meets, data);
      }
      if (data.type === "list") {
        const xy = new Float64Array(2 * data.length);
        data.values.forEach((place, i) => xy.set([Number(place?.[0] ?? NaN), Number(place?.[1] ?? NaN)], 2 * i));
        return and(marks, core.call("meets_points", [xy, data.length, ...box]), data);
      }
      for (let i = 0; i < data.length; ++i) {
        if (marks[i]) marks[i] = isNull(data, i) ? 0 : core.call("meets_wkt", [textAt(data, i), ...box], "numbers")[0] === 1;
      }
      return marks;
    },
  };
}

function timeTest({ column, type, start, end }) {
  const hasTime = (time) => time !== undefined && time >= start && time <= end;
  return {
    column,
    isSelective: type === "timestamp",
    mayHold: (min, max, nulls, count) => nulls !== count && (type !== "timestamp" || ((min === undefined || min <= end) && (max === undefined || max >= start))),
    mark(data, marks, core) {
      const times = timesOf(data, core);
      for (let i = 0; i < data.length; ++i) marks[i] &= !isNull(data, i) && hasTime(times(i));
      return marks;
    },
  };
}

function queryTest({ column, type, conditions }) {
  const compare = type === "string" ? compareBytes : (a, b) => (a < b ? -1 : a > b ? 1 : a == b ? 0 : NaN); // == of 1 and 1n
  const meets = {
    $eq: (value, other) => (other === null ? value === null : value !== null && compare(value, other) === 0),
    $ne: (value, other) => (other === null ? value !== null : value !== null && compare(value, other) !== 0),
    $lt: (value, other) => value !== null && compare(value, other) < 0,
    $lte: (value, other) => value !== null && compare(value, other) <= 0,
    $gt: (value, other) => value !== null && compare(value, other) > 0,
    $gte: (value, other) => value !== null && compare(value, other) >= 0,
    $in: (value, others) => others.some((other) => meets.$eq(value, other)),
    $nin: (value, others) => others.every((other) => meets.$ne(value, other)),
  };
  // Whether rows between two bounds may meet a condition. An unknown bound excludes nothing.
  const low = (min, value, most) => min === undefined || compare(min, value) <= most;
  const high = (max, value, least) => max === undefined || compare(max, value) >= least;
  const may = {
    $eq: (min, max, nulls, count, value) => (value === null ? nulls !== 0 : nulls !== count && low(min, value, 0) && high(max, value, 0)),
    $lt: (min, max, nulls, count, value) => nulls !== count && low(min, value, -1),
    $lte: (min, max, nulls, count, value) => nulls !== count && low(min, value, 0),
    $gt: (min, max, nulls, count, value) => nulls !== count && high(max, value, 1),
    $gte: (min, max, nulls, count, value) => nulls !== count && high(max, value, 0),
    $in: (min, max, nulls, count, values) => values.some((value) => may.$eq(min, max, nulls, count, value)),
  };
  return {
    column,
    isSelective: conditions.some(([operator]) => operator in may),
    mayHold: (min, max, nulls, count) => conditions.every(([operator, value]) => !(operator in may) || may[operator](min, max, nulls, count, value)),
    mark(data, marks) {
      for (let i = 0; i < data.length; ++i) {
        if (!marks[i]) continue;
        const value = isNull(data, i) ? null : data.offsets ? data.values.subarray(data.offsets[i], data.offsets[i + 1]) : data.values[i];
        marks[i] = conditions.every(([operator, other]) => meets[operator](value, other));
      }
      return marks;
    },
  };
}

/** Rows with bytes, and where those lie. */
export function withValues({ length, valid, offsets }) {
  if (valid === null) return { rows: Uint32Array.from({ length }, (_, row) => row), offsets };
  const rows = Uint32Array.from(valid.keys()).filter((row) => valid[row] !== 0);
  // A row without a value has no bytes, so those of the others follow each other.
  const out = new Uint32Array(rows.length + 1);
  rows.forEach((row, i) => { out[i] = offsets[row]; });
  out[rows.length] = offsets[length];
  return { rows, offsets: out };
}

const isNull = ({ valid }, row) => valid !== null && valid[row] === 0;
const decoder = new TextDecoder();
const textAt = ({ values, offsets }, row) => decoder.decode(values.subarray(offsets[row], offsets[row + 1]));

function and(marks, found, data) {
  for (let i = 0; i < marks.length; ++i) marks[i] &= found[i] === 1 && !isNull(data, i);
  return marks;
}

function compareBytes(a, b) {
  const most = Math.min(a.length, b.length);
  for (let i = 0; i < most; ++i) {
    if (a[i] !== b[i]) return a[i] - b[i];
  }
  return a.length - b.length;
}

/** What gives the microseconds since 1970 of a row; undefined for a value that is no time. */
export function timesOf(data, core) {
  const { type, values } = data;
  if (type === "timestamp") return (row) => values[row];
  if (type === "date") return (row) => BigInt(values[row]) * 86_400_000_000n;
  if (type === "string") {
    const times = new BigInt64Array(core.call("times", [values, data.offsets, data.length]).buffer);
    return (row) => (times[row] === OPEN.start ? undefined : times[row]);
  }
  return (row) => epoch(values[row]);
}

/** A number since 1970 in the unit that its size suggests: below 1e11 seconds, 1e14 milliseconds, 1e17 microseconds, else nanoseconds. */
function epoch(value) {
  if (typeof value === "number" && !(Math.abs(value) < 2 ** 63)) return undefined;
  const whole = BigInt(Math.trunc(Number(value))), exact = typeof value === "bigint" ? value : whole;
  if (exact === OPEN.start || exact === OPEN.end) return undefined;
  const size = exact < 0n ? -exact : exact;
  const unit = size < 10n ** 11n ? 0 : size < 10n ** 14n ? 1 : size < 10n ** 17n ? 2 : 3;
  if (typeof value === "number" && !Number.isInteger(value)) {
    const time = value * [1e6, 1e3, 1, 1e-3][unit];
    return BigInt(Math.sign(time) * Math.round(Math.abs(time)));
  }
  return unit < 3 ? exact * [1_000_000n, 1000n, 1n][unit] : (exact - (((exact % 1000n) + 1000n) % 1000n)) / 1000n;
}
