// Statistics of bands: from what samples store, weighted by their pixels, or of all pixels.
import { fail } from "./errors.js";
import { mergeMoments } from "./rasters.js";

const MOMENTS = ["stats:min", "stats:max", "stats:mean", "stats:std"];
const SHAPES = ["stac:tensor_shape", "stac:raster_shape"];
const AT_ONCE = 8;
// A band of geotiff:stats: its last numbers are the share of valid pixels and four percentiles.
const SLOTS = ["min", "max", "mean", "std", "valid", "p25", "p50", "p75", "p95"];

export async function storedStatistics(dataset, { child, ...options } = {}) {
  const { signal } = options;
  if (!child) {
    const columns = columnsFor(dataset.columns.map(({ name }) => name));
    return statisticsOfRows(await dataset.rows({ columns, signal }), options);
  }
  const parts = [];
  for await (const sample of dataset.samples({ columns: [], signal })) {
    const path = child.split("/");
    const parent = path.length > 1 ? sample.child(path.slice(0, -1).join("/")) : sample;
    const rows = await parent.children({ signal });
    const position = rows.column("id").toArray().indexOf(path.at(-1));
    if (position >= 0) parts.push([rows, position]);
  }
  if (parts.length === 0) fail("QUERY", `no sample has a child '${child}'`);
  return pooled(await Promise.all(parts.map(([rows, position]) => storedOf(rows, columnsFor(rows.columns), position, signal))), options.bands);
}

export async function statisticsOfRows(rows, { bands, signal } = {}) {
  const columns = columnsFor(rows.columns);
  const stored = [];
  for (let i = 0; i < rows.length; ++i) stored.push(await storedOf(rows, columns, i, signal));
  return pooled(stored, bands);
}

function columnsFor(names) {
  const bands = ["geotiff:stats", "internal:stats"].find((name) => names.includes(name));
  const out = bands ? [bands] : MOMENTS.filter((name) => names.includes(name));
  if (out.length === 0) fail("QUERY", "the rows do not contain statistics: no column 'geotiff:stats' or 'internal:stats', nor 'stats:mean' and the like");
  return [...out, ...SHAPES.filter((name) => names.includes(name)).slice(0, 1)];
}

/** { pixels, bands } of a row: for each band its numbers by the slots, or none. `pixels` is NaN where nothing says it. */
async function storedOf(rows, columns, position, signal) {
  const sample = rows.at(position);
  const value = (name) => (columns.includes(name) ? sample.get(name) : null);
  const shape = SHAPES.map(value).find((each) => each);
  const [height, width] = shape?.length >= 2 ? shape.slice(-2).map(Number) : [NaN, NaN];
  const numbers = (list) => (list ?? []).map((each) => (each === null ? NaN : Number(each)));
  const out = { pixels: height >= 1 && width >= 1 ? height * width : NaN };
  if (MOMENTS.includes(columns[0])) {
    const cells = MOMENTS.map((name) => value(name)).map((cell) => numbers(cell === null || Array.isArray(cell) ? cell : [cell]));
    const count = Math.max(...cells.map((cell) => cell.length));
    if (cells.some((cell) => cell.length > 0 && cell.length !== count)) fail("QUERY", `stats:* of row ${position} have different numbers of bands`);
    out.bands = Array.from({ length: count }, (_, band) => cells.map((cell) => cell[band] ?? NaN));
  } else {
    out.bands = (value(columns[0]) ?? []).map(numbers);
  }
  if (out.bands.length > 0 && Number.isNaN(out.pixels)) {
    const info = await sample.raster({ signal }).then((raster) => raster.info, () => null);
    if (info) out.pixels = info.width * info.height;
  }
  return out;
}

function pooled(all, bands) {
  const rows = all.filter((row) => row.bands.length > 0);
  if (rows.length === 0) fail("QUERY", "no row has statistics");
  const count = rows[0].bands.length;
  const different = rows.find((row) => row.bands.length !== count);
  if (different) fail("QUERY", `statistics of samples differ: ${count} bands and ${different.bands.length}`);
  const known = rows.map(({ pixels }) => pixels).filter((pixels) => !Number.isNaN(pixels));
  const usual = known.length > 0 ? known.reduce((a, b) => a + b) / known.length : 1;
  for (const row of rows) row.pixels = Number.isNaN(row.pixels) ? usual : row.pixels;
  return (bands ?? Array.from({ length: count }, (_, i) => i + 1)).map((band) => {
    if (!(band >= 1 && band <= count)) fail("QUERY", `band ${band} does not exist: bands count from 1, and there are ${count}`);
    return { band, ...ofBand(rows.map((row) => ({ values: row.bands[band - 1], pixels: row.pixels }))) };
  });
}

function ofBand(rows) {
  const some = rows.filter(({ values }) => values.length > 0);
  const lengths = new Set(some.map(({ values }) => values.length));
  if (lengths.size > 1) fail("QUERY", `statistics of samples differ: ${[...lengths].join(" and ")} values of a band`);
  const length = [...lengths][0] ?? 0;
  const isContinuous = length === SLOTS.length || length === 4;
  const weighted = some.map(({ values, pixels }) => ({ values, weight: weightOf(values, pixels) })).filter(({ weight }) => weight > 0);
  const mean = (slot, of = weighted) => {
    const valid = of.filter(({ values }) => !Number.isNaN(values[slot]));
    const sum = valid.reduce((all, { weight }) => all + weight, 0);
    return sum > 0 ? valid.reduce((all, { values, weight }) => all + weight * values[slot], 0) / sum : null;
  };
  if (!isContinuous) return { mean: null, std: null, min: null, max: null, classes: Array.from({ length }, (_, slot) => mean(slot)) };
  const extreme = (slot, better) => weighted.map(({ values }) => values[slot]).filter((value) => !Number.isNaN(value)).reduce((a, b) => (a === null || better(b, a) ? b : a), null);
  const spread = weighted.filter(({ values }) => !Number.isNaN(values[2]) && !Number.isNaN(values[3]));
  const middle = mean(2, spread), weights = spread.reduce((all, { weight }) => all + weight, 0);
  const squares = spread.reduce((all, { values, weight }) => all + weight * (values[3] ** 2 + (values[2] - middle) ** 2), 0);
  return { mean: mean(2), std: weights > 0 ? Math.sqrt(squares / weights) : null, min: extreme(0, (a, b) => a < b), max: extreme(1, (a, b) => a > b) };
}

/** Valid pixels. */
function weightOf(values, pixels) {
  const percent = values.length === SLOTS.length ? values[4] : 100;
  if (Number.isNaN(percent) || percent >= 100) return pixels;
  return percent > 0 ? Math.max(1, Math.round((pixels * percent) / 100)) : 0;
}

/** Of all pixels of the samples. */
export async function computedStatistics(rows, { bands, child, signal } = {}) {
  const all = [];
  let numPixels = 0;
  for (let begin = 0; begin < rows.length; begin += AT_ONCE) {
    const positions = Array.from({ length: Math.min(AT_ONCE, rows.length - begin) }, (_, i) => begin + i);
    const parts = await Promise.all(positions.map((position) => (child ? rows.at(position).child(child) : rows.at(position)).moments({ bands }, signal)));
    for (const part of parts) {
      numPixels += part.numPixels;
      if (all.length > 0 && all.length !== part.bands.length) fail("QUERY", `samples have ${all.length} and ${part.bands.length} bands`);
      part.bands.forEach((band, i) => {
        all[i] ??= { count: 0, min: Infinity, max: -Infinity, mean: 0, squares: 0 };
        mergeMoments(all[i], band);
      });
    }
  }
  const known = (band, value) => (band.count > 0 ? value : null);
  return {
    num_samples: rows.length,
    bands: all.map((band, i) => ({ band: bands?.[i] ?? i + 1, num_pixels: numPixels, num_valid: band.count, mean: known(band, band.mean),
      std: known(band, Math.sqrt(band.squares / Math.max(band.count, 1))), min: known(band, band.min), max: known(band, band.max) })),
  };
}
