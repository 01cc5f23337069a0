// The samples that filters leave: columns as numbers or classes in typed arrays, and for each row how many filters it does not meet.

const MOST_CLASSES = 40;
const MOST_LABELS = 50_000; // texts that are kept; of more, each is decoded when it is needed
const SLOTS = 2 ** 17; // of the table that finds them: more than twice as many
const NEIGHBOURS = 4096; // rows whose texts are searched at once
const TIMES = { timestamp: (value) => value / 1000, date: (value) => value * 86_400_000 }; // milliseconds

/** Of what kind the filter of a column can be before it is read; null: none. */
export const hasFilter = ({ type }) => ["bool", "int32", "int64", "double", "string", "date", "timestamp"].includes(type);
const fits = (column, test) => hasFilter(column) && ["bool", "string"].includes(column.type) === ("labels" in test || "text" in test);
/** Before 2.0, times are numbers since 1970. */
export const isEpoch = ({ name, type }) => /^(int|double)/.test(type) && /^i?stac:time_(start|middle|end)$/.test(name);
export const isTime = (column) => column.type in TIMES || isEpoch(column);
/** Milliseconds of one unit of such a number, as its size suggests. */
export function unitOf(value) {
  const size = Math.abs(Number(value));
  return size < 1e11 ? 1000 : size < 1e14 ? 1 : size < 1e17 ? 1e-3 : 1e-6;
}

/** A dataset with its filters. Fires "places" when those of rows from `begin` to `end` of its detail have arrived, "columns" when one was
 * read, "change" after filters and order. */
export class Selection extends EventTarget {
  #fails; // of each row, the number of filters that it does not meet
  #loading = new Map(); // promises of columns

  /** `positions`: rows of the dataset that are samples; others are padding. */
  constructor(dataset, positions) {
    super();
    this.dataset = dataset;
    this.numRows = dataset.numRows;
    this.total = positions.length;
    this.columns = new Map(); // by name: those that were read
    this.filters = new Map(); // by name of the column, or "area": { test, marks }
    this.sort = null; // { name, isDescending }
    this.all = positions;
    this.rows = positions;
    this.#fails = new Uint8Array(this.numRows);
    if (this.total < this.numRows) {
      this.#fails.fill(1);
      for (const row of positions) this.#fails[row] = 0;
    }
    this.x = new Float64Array(this.numRows).fill(NaN);
    this.y = new Float64Array(this.numRows).fill(NaN);
    this.boxes = null;
  }

  /** Of each row 0 where it meets all filters. */
  get fails() {
    return this.#fails;
  }
  /** Whether a row meets all filters. */
  has(row) {
    return this.#fails[row] === 0;
  }
  /** The same, but for the filter of one column. */
  meetsOthers(name) {
    const own = this.filters.get(name)?.marks;
    return own ? (row) => this.#fails[row] === 1 - own[row] : (row) => this.#fails[row] === 0;
  }

  /** A column as { name, type, kind, unit, numbers, hasNaN }, { ..., codes, labels, counts } or { ..., textAt, bytes }; kind is number,
   * time, class or text. */
  column(name) {
    if (!this.#loading.has(name)) {
      const promise = this.dataset.column(name).then((column) => {
        const out = prepared(column, this.all);
        this.columns.set(name, out);
        this.dispatchEvent(new Event("columns"));
        return out;
      });
      promise.catch(() => this.#loading.delete(name));
      this.#loading.set(name, promise);
    }
    return this.#loading.get(name);
  }

  /** Reads the places; false where the dataset has none. */
  async loadPlaces() {
    const onPart = ({ x, y }, start) => {
      this.x.set(x, start);
      this.y.set(y, start);
      this.dispatchEvent(new CustomEvent("places", { detail: { begin: start, end: start + x.length } }));
    };
    const places = await this.dataset.places({ onPart });
    if (places === null) return false;
    this.boxes = places.boxes;
    const area = this.filters.get("area");
    if (area) this.setArea(area.test);
    this.dispatchEvent(new CustomEvent("places", { detail: { begin: 0, end: 0 } })); // their boxes
    return true;
  }

  /** Sets the filter of a column, or takes it away with null: { min, max } of numbers, { labels } of classes, { text } to contain. */
  async setFilter(name, test) {
    const column = test ? await this.column(name) : null;
    this.#set(name, test, column && testOf(column, test));
    this.#select();
  }
  /** Places within { box: [west, south, east, north] } or { polygon: [[longitude, latitude], ...] }, or null. */
  setArea(area) {
    this.#set("area", area, area && areaTest(area, this));
    this.#select();
  }
  /** All filters at once. Those that do not fit the columns of the dataset are left out. */
  async setFilters(filters) {
    if (this.filters.size === 0 && Object.keys(filters).length === 0) return;
    const known = Object.entries(filters).filter(
      ([name, test]) => name === "area" || this.dataset.columns.some((column) => column.name === name && fits(column, test)),
    );
    const tests = await Promise.all(
      known.map(async ([name, test]) => [name, test, name === "area" ? areaTest(test, this) : testOf(await this.column(name), test)]),
    );
    for (const name of [...this.filters.keys()]) this.#set(name, null, null);
    for (const each of tests) this.#set(...each);
    this.#select();
  }
  async setSort(sort) {
    if (!sort && !this.sort) return;
    if (sort) await this.column(sort.name);
    this.sort = sort;
    this.#select();
  }

  #set(name, test, meets) {
    const fails = this.#fails,
      before = this.filters.get(name)?.marks;
    if (before) for (let row = 0; row < this.numRows; ++row) fails[row] -= 1 - before[row];
    this.filters.delete(name);
    if (!test) return;
    const marks = new Uint8Array(this.numRows);
    for (let row = 0; row < this.numRows; ++row) {
      if (meets(row)) marks[row] = 1;
      else ++fails[row];
    }
    this.filters.set(name, { test, marks });
  }
  #select() {
    this.rows = this.filters.size > 0 ? chosen(this.all, (row) => this.#fails[row] === 0) : this.all;
    if (this.sort) this.rows = sorted(this.rows, this.columns.get(this.sort.name), this.sort.isDescending);
    this.dispatchEvent(new Event("change"));
  }
}

// A table may have a million rows: nothing here makes an object, a text or a list entry for each of them.

/** The rows that are kept. */
function chosen(rows, keeps) {
  const out = new Uint32Array(rows.length);
  let count = 0;
  for (const row of rows) if (keeps(row)) out[count++] = row;
  return out.slice(0, count);
}

/** Numbers or classes of a column of the package. */
function prepared(column, rows) {
  const { name, type, length } = column;
  if (!column.values || type === "bool") return { name, type, length, ...classified(column, rows) };
  const numbers = numbersOf(column.values);
  let hasNaN = false; // beside nulls, which are the same here
  for (let row = 0; row < length; ++row) {
    if (column.isNull(row)) numbers[row] = NaN;
    else if (Number.isNaN(numbers[row])) hasNaN = true;
  }
  const { min, max } = limitsOf(numbers, rows),
    unit = isEpoch(column) ? unitOf(Math.max(max, -min)) : 1;
  const convert = TIMES[type] ?? ((value) => value * unit);
  if (type !== "double" || unit !== 1) for (let row = 0; row < length; ++row) numbers[row] = convert(numbers[row]);
  return { name, type, kind: isTime(column) ? "time" : "number", unit, numbers, hasNaN };
}
function numbersOf(values) {
  if (values instanceof Float64Array) return values;
  if (!(values instanceof BigInt64Array)) return Float64Array.from(values);
  const halves = new Int32Array(values.buffer, values.byteOffset, 2 * values.length),
    out = new Float64Array(values.length);
  for (let row = 0; row < out.length; ++row) out[row] = halves[2 * row + 1] * 2 ** 32 + (halves[2 * row] >>> 0);
  return out;
}

/** `codes` of each row in `labels`, where null is a label, too; `textAt(row)` and the bytes of all texts where there are too many. */
function classified(column, rows) {
  const { data } = column,
    found = coded({ ...data, offsets: data.offsets ?? Uint32Array.from({ length: data.length + 1 }, (_, i) => i) });
  if (!found) return { kind: "text", textAt: (row) => column.at(row), bytes: data };
  const { codes, firsts } = found,
    labels = firsts.map((row) => (column.isNull(row) ? null : String(column.at(row)))),
    counts = new Uint32Array(labels.length);
  for (const row of rows) ++counts[codes[row]];
  // A column in which most samples have a different text, such as the id, gets no bars: each would stand for one sample.
  const areClasses = labels.length <= Math.min(MOST_CLASSES, Math.max(3, rows.length / 2));
  return { kind: areClasses ? "class" : "text", codes, labels, counts };
}
/** Numbers of the different values, and the first row of each; null where there are too many. */
function coded(data) {
  const { values, offsets, valid, length } = data,
    codes = new Uint32Array(length),
    firsts = [],
    slots = new Int32Array(SLOTS).fill(-1);
  let none = -1; // the code of null
  for (let row = 0; row < length; ++row) {
    const isNone = valid?.[row] === 0;
    if (isNone && none >= 0) {
      codes[row] = none;
      continue;
    }
    let hash = 0;
    for (let i = offsets[row]; i < offsets[row + 1]; ++i) hash = Math.imul(hash ^ values[i], 0x01000193);
    let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    while (!isNone && slots[slot] >= 0 && compareBytes(data, firsts[slots[slot]], row) !== 0) slot = (slot + 1) & (SLOTS - 1);
    if (isNone || slots[slot] < 0) {
      if (firsts.length === MOST_LABELS) return null;
      if (isNone) none = firsts.length;
      else slots[slot] = firsts.length;
      codes[row] = firsts.length;
      firsts.push(row);
    } else {
      codes[row] = slots[slot];
    }
  }
  return { codes, firsts };
}
/** The order of the texts of two rows, by their bytes. */
function compareBytes({ values, offsets }, a, b) {
  const from = offsets[a],
    other = offsets[b],
    size = offsets[a + 1] - from,
    otherSize = offsets[b + 1] - other,
    most = Math.min(size, otherSize);
  for (let i = 0; i < most; ++i) if (values[from + i] !== values[other + i]) return values[from + i] - values[other + i];
  return size - otherSize;
}

/** What a row has: text, number, milliseconds, or null. */
export function valueAt({ numbers, codes, labels, textAt }, row) {
  if (textAt) return textAt(row);
  if (numbers) return Number.isFinite(numbers[row]) ? numbers[row] : null;
  return labels[codes[row]];
}

function testOf(column, test) {
  const { numbers, codes, labels, textAt } = column;
  if (numbers) {
    const min = test.min ?? -Infinity,
      max = test.max ?? Infinity;
    return (row) => numbers[row] >= min && numbers[row] <= max;
  }
  const wanted = test.text?.toLowerCase() ?? "",
    wantedLabels = new Set(test.labels);
  const keeps = (label) => (test.labels ? wantedLabels.has(label) : label !== null && label.toLowerCase().includes(wanted));
  if (textAt) return test.labels ? (row) => keeps(textAt(row)) : containsTest(column, wanted, keeps);
  const isKept = labels.map(keeps);
  return (row) => isKept[codes[row]];
}
/** For rows in order: where a text does not occur among neighbours, they are not looked at one by one. */
function containsTest({ bytes: { values, offsets, length }, textAt }, wanted, keeps) {
  const decoder = new TextDecoder();
  let begin = 0,
    end = 0,
    mayOccur = false;
  return (row) => {
    if (row < begin || row >= end) {
      begin = row;
      end = Math.min(row + NEIGHBOURS, length);
      const part = values.subarray(offsets[begin], offsets[end]),
        text = decoder.decode(part);
      mayOccur = text.length !== part.length || text.toLowerCase().includes(wanted); // lower case is simple in ASCII alone
    }
    return mayOccur && keeps(textAt(row));
  };
}

function areaTest({ box, polygon }, { x, y, boxes }) {
  if (polygon) return (row) => isInside(polygon, x[row], y[row]);
  const [west, south, east, north] = box,
    crosses = west > east;
  const meets = (left, right) => (crosses ? right >= west || left <= east : right >= west && left <= east);
  // Areas match where they meet the box, as filter_bbox has it.
  if (boxes) return (row) => boxes[4 * row + 3] >= south && boxes[4 * row + 1] <= north && meets(boxes[4 * row], boxes[4 * row + 2]);
  return (row) => y[row] >= south && y[row] <= north && meets(x[row], x[row]);
}
function isInside(polygon, x, y) {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i],
      [xj, yj] = polygon[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}

/** Rows by a column; those without a value come last. */
function sorted(rows, column, isDescending) {
  const { compare, isNone } = orderOf(column),
    sign = isDescending ? -1 : 1;
  const out = chosen(rows, (row) => !isNone(row)).sort((a, b) => sign * compare(a, b) || a - b);
  if (out.length === rows.length) return out;
  const all = new Uint32Array(rows.length);
  all.set(out);
  all.set(chosen(rows, isNone), out.length);
  return all;
}
function orderOf({ numbers, codes, labels, bytes }) {
  if (numbers) return { compare: (a, b) => numbers[a] - numbers[b], isNone: (row) => Number.isNaN(numbers[row]) };
  if (bytes) return { compare: (a, b) => compareBytes(bytes, a, b), isNone: (row) => bytes.valid?.[row] === 0 };
  const { compare } = new Intl.Collator("en", { numeric: true }),
    ranks = new Uint32Array(labels.length);
  [...labels.keys()].sort((a, b) => compare(labels[a] ?? "", labels[b] ?? "")).forEach((code, rank) => (ranks[code] = rank));
  return { compare: (a, b) => ranks[codes[a]] - ranks[codes[b]], isNone: (row) => labels[codes[row]] === null };
}

/** Counts of numbers in bins of equal width: of all rows, and of those that `keeps`. */
export function binned(numbers, rows, numBins, keeps) {
  const { min, max } = limitsOf(numbers, rows);
  const all = new Uint32Array(numBins),
    kept = new Uint32Array(numBins),
    width = (max - min) / numBins || 1;
  for (const row of rows) {
    const value = numbers[row];
    if (!Number.isFinite(value)) continue;
    const bin = Math.min(Math.floor((value - min) / width), numBins - 1);
    ++all[bin];
    if (keeps(row)) ++kept[bin];
  }
  return { min, max, all, kept };
}
export function limitsOf(numbers, rows) {
  let min = Infinity,
    max = -Infinity;
  for (const row of rows) {
    const value = numbers[row];
    if (!Number.isFinite(value)) continue;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}
