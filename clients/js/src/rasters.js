// Samples and rasters in a worker: bytes that are proved, pixels, previews and PNG.
import { fail } from "./errors.js";

const WHOLE = 4 << 20; // a smaller sample is read whole, which proves one of a ZIP by its CRC-32
export const ARRAYS = [Uint8Array, Int8Array, Uint16Array, Int16Array, Uint32Array, Int32Array, BigUint64Array, BigInt64Array, Float32Array, Float64Array];
export const TYPES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"];
const LARGEST = Number.MAX_SAFE_INTEGER; // the size of a file that nobody has told

/** Calls `body(number, call, file)` with the number of an object of the core that reads the bytes of a place, which is one of
 * { kind: "zip", entry, id, offset, size } of an archive, { kind: "part", offset, size } and { kind: "file" }. */
async function withSource(core, place, read, body) {
  if (place.fileSize !== undefined) return withSizedSource(core, place, read, body);
  // Most samples are read without the end of their file, whose size a server may not tell unless it is asked.
  const readBeforeEnd = (ranges) => {
    if (ranges.some(({ offset }) => offset > LARGEST / 2)) throw new SizeNeeded();
    return read(ranges);
  };
  try {
    return await withSizedSource(core, { ...place, fileSize: LARGEST }, readBeforeEnd, body);
  } catch (error) {
    if (!(error instanceof SizeNeeded)) throw error;
    return withSizedSource(core, { ...place, fileSize: await read.size() }, read, body);
  }
}
class SizeNeeded extends Error {}

async function withSizedSource(core, place, read, body) {
  const file = core.call("file_new", [place.name, place.fileSize], "numbers")[0];
  const call = (name, args, as) => core.callReading(name, args, file, read, as);
  let source = file;
  try {
    if (place.kind === "zip") [source] = await call("sample_new", [file, place.entry, place.id, place.offset, place.size], "numbers");
    if (place.kind === "part") [source] = await call("part_new", [file, place.offset, place.size], "numbers");
    return await body(source, call, file);
  } finally {
    if (source !== file) core.close(source);
    core.close(file);
    core.takeWarnings();
  }
}

export const sampleBytes = (core, place, read) => withSource(core, place, read, (source, call) => call("source_read", [source]));

/** The range of a sample of a ZIP. Reading it proves it: where its bytes are kept (`isKept`), that needs no directory of the ZIP. */
export const samplePlace = (core, place, read, isKept) => withSource(core, place, read, async (source, call, file) => {
  if (isKept) await call("source_read", [source]);
  return call("sample_place", [file, place.entry, place.id, place.offset, place.size], "numbers");
});

async function withRaster(core, place, read, body) {
  return withSource(core, place, read, async (source, call) => {
    if (place.size <= WHOLE) await call("source_read", [source]); // with one request
    const [raster] = await call("raster_new", [source], "numbers");
    try {
      return await body(raster, call);
    } finally {
      core.close(raster);
    }
  });
}

async function infoOf(raster, call) {
  const [width, height, bands, type, blockWidth, blockHeight, , hasNodata, nodata, hasTransform, ...transform] = await call("raster_about", [raster], "numbers");
  const [compression, interleave, crs] = (await call("raster_texts", [raster], "text")).split("\n");
  return { width, height, bands, dtype: TYPES[type], blockWidth, blockHeight, compression, interleave, nodata: hasNodata ? nodata : null,
    crs: crs || null, geotransform: hasTransform ? transform : null };
}

export const rasterInfo = (core, place, read) => withRaster(core, place, read, infoOf);

export const rasterPixels = (core, place, read, options) => withRaster(core, place, read, async (raster, call) => {
  const info = await infoOf(raster, call);
  const bands = options.bands ?? Array.from({ length: info.bands }, (_, i) => i + 1);
  const window = options.window ?? [0, 0, info.width, info.height];
  const type = options.dtype ?? (options.scale === undefined ? info.dtype : "float32");
  const scale = scalesOf(options.scale, bands.length);
  if (!TYPES.includes(type)) fail("QUERY", `dtype '${type}' is none of ${TYPES.join(", ")}`);
  if (options.fill !== undefined && !holds(type, options.fill)) fail("QUERY", `fill ${options.fill} is not a value of ${type}`);
  const bytes = await call("raster_read", [raster, Int32Array.from(bands), bands.length, Float64Array.from(window)]);
  const stored = new ARRAYS[TYPES.indexOf(info.dtype)](bytes.buffer);
  const shape = [bands.length, window[3], window[2]];
  const nodata = options.fill === undefined || info.nodata === null || !holds(info.dtype, info.nodata) ? undefined : info.nodata;
  const data = type === info.dtype && !scale && nodata === undefined ? stored : converted(stored, type, scale, nodata, options.fill, window[2] * window[3]);
  return { data, shape, dtype: type };
});

function scalesOf(scale, numBands) {
  if (scale === undefined) return null;
  const scales = (Array.isArray(scale) ? scale : [scale]).map((each) => (Array.isArray(each) ? each : [each, 0]));
  if (scales.length !== 1 && scales.length !== numBands) fail("QUERY", `${scales.length} scales for ${numBands} bands; one or one for each expected`);
  if (!scales.flat().every(Number.isFinite)) fail("QUERY", "a scale that is not a finite number");
  return scales;
}

const isFloat = (type) => type.startsWith("float");
/** Least and greatest number of an integer type. */
function limitsOf(type) {
  const bits = Number(/\d+/.exec(type)[0]);
  return type.startsWith("u") ? [0n, 2n ** BigInt(bits) - 1n] : [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n];
}
function holds(type, value) {
  if (isFloat(type)) return true;
  const [least, most] = limitsOf(type);
  return Number.isInteger(value) && BigInt(value) >= least && BigInt(value) <= most;
}

/** As GDAL converts: rounded half away from zero and clamped; what is not a number becomes 0. */
function converter(type) {
  if (type === "float32") return (value) => Math.fround(Number(value));
  if (type === "float64") return Number;
  const [least, most] = limitsOf(type);
  if (type.endsWith("64")) {
    const clamped = (value) => (value < least ? least : value > most ? most : value);
    return (value) => {
      if (typeof value === "bigint") return clamped(value);
      if (Number.isNaN(value)) return 0n;
      if (!Number.isFinite(value)) return value > 0 ? most : least;
      return clamped(BigInt(Math.sign(value) * Math.floor(Math.abs(value) + 0.5)));
    };
  }
  const low = Number(least), high = Number(most);
  return (given) => {
    const value = Number(given);
    if (Number.isNaN(value)) return 0;
    return Math.min(Math.max(Math.sign(value) * Math.floor(Math.abs(value) + 0.5), low), high);
  };
}

function converted(stored, type, scale, nodata, fill, size) {
  const out = new ARRAYS[TYPES.indexOf(type)](stored.length);
  const convert = converter(type);
  const none = nodata === undefined ? undefined : typeof stored[0] === "bigint" ? BigInt(nodata) : stored instanceof Float32Array ? Math.fround(nodata) : nodata;
  const filled = fill === undefined ? undefined : convert(fill);
  for (let i = 0; i < stored.length; ++i) {
    const value = stored[i];
    if (none !== undefined && (value === none || (Number.isNaN(none) && Number.isNaN(value)))) {
      out[i] = filled;
    } else if (scale) {
      const [factor, offset] = scale[scale.length === 1 ? 0 : Math.floor(i / size)];
      out[i] = convert(Number(value) * factor + offset);
    } else {
      out[i] = convert(value);
    }
  }
  return out;
}

/** A picture: { width, height, data } of four channels. */
export const rasterPreview = (core, place, read, { bands = [], size = 512 }) => withRaster(core, place, read, async (raster, call) => {
  const bytes = await call("raster_preview", [raster, Int32Array.from(bands), bands.length, size]);
  const [width, height, channels] = new Float64Array(bytes.buffer, 0, 3);
  const samples = bytes.subarray(24);
  const data = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < width * height; ++i) {
    const at = i * channels;
    for (let c = 0; c < 3; ++c) data[4 * i + c] = samples[at + (channels > 2 ? c : 0)];
    data[4 * i + 3] = channels % 2 === 0 ? samples[at + channels - 1] : 255;
  }
  return { width, height, data };
});

export async function encodePng(core, { width, height, data }) {
  const rows = new Uint8Array(height * (1 + 4 * width));
  for (let y = 0; y < height; ++y) rows.set(data.subarray(4 * width * y, 4 * width * (y + 1)), y * (1 + 4 * width) + 1);
  const packed = new Uint8Array(await new Response(new Blob([rows]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer());
  const head = new Uint8Array(13);
  new DataView(head.buffer).setUint32(0, width);
  new DataView(head.buffer).setUint32(4, height);
  head.set([8, 6], 8); // 8 bits, red, green, blue and alpha
  const chunk = (type, body) => {
    const out = new Uint8Array(12 + body.length);
    const view = new DataView(out.buffer);
    view.setUint32(0, body.length);
    out.set(new TextEncoder().encode(type), 4);
    out.set(body, 8);
    view.setUint32(8 + body.length, core.crc32(out.subarray(4, 8 + body.length)));
    return out;
  };
  return new Uint8Array(await new Blob([new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]), chunk("IHDR", head), chunk("IDAT", packed), chunk("IEND", new Uint8Array())]).arrayBuffer());
}

/** Of all pixels of bands: { count, min, max, mean, squares } of each, where squares is the sum of squared distances from the mean. */
export const rasterMoments = (core, place, read, options) => withRaster(core, place, read, async (raster, call) => {
  const info = await infoOf(raster, call);
  const bands = options.bands ?? Array.from({ length: info.bands }, (_, i) => i + 1);
  const out = bands.map(() => ({ count: 0, min: Infinity, max: -Infinity, mean: 0, squares: 0 }));
  const rows = Math.max(info.blockHeight, Math.floor((16 << 20) / (info.width * bands.length * 8)));
  for (let y = 0; y < info.height; y += rows) {
    const height = Math.min(rows, info.height - y);
    const bytes = await call("raster_read", [raster, Int32Array.from(bands), bands.length, Float64Array.of(0, y, info.width, height)]);
    const values = new ARRAYS[TYPES.indexOf(info.dtype)](bytes.buffer);
    const size = info.width * height;
    bands.forEach((_, b) => addMoments(out[b], values.subarray(b * size, (b + 1) * size), info.nodata));
  }
  return { numPixels: info.width * info.height, bands: out };
});

function addMoments(all, values, nodata) {
  let count = 0, sum = 0, min = Infinity, max = -Infinity;
  const isValid = (value) => Number.isFinite(value) && value !== nodata;
  for (const each of values) {
    const value = Number(each);
    if (!isValid(value)) continue;
    ++count;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (count === 0) return;
  const mean = sum / count;
  let squares = 0;
  for (const each of values) {
    const value = Number(each);
    if (isValid(value)) squares += (value - mean) ** 2;
  }
  mergeMoments(all, { count, min, max, mean, squares });
}

/** Adds the moments of other pixels. */
export function mergeMoments(all, part) {
  if (part.count === 0) return;
  const count = all.count + part.count, distance = part.mean - all.mean;
  all.squares += part.squares + (distance * distance * all.count * part.count) / count;
  all.mean += (distance * part.count) / count;
  all.count = count;
  all.min = Math.min(all.min, part.min);
  all.max = Math.max(all.max, part.max);
}
