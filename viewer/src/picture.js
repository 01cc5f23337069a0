// Colours and pixels: colour tables, stretches, no data, histograms.

// Viridis at equal steps (Smith and van der Walt, public domain).
const VIRIDIS = ["440154", "482878", "3e4989", "31688e", "26828e", "1f9e89", "35b779", "6ece58", "b5de2b", "fde725"].map(rgb);
// Colours that most people can tell apart (Okabe and Ito), then others.
export const CLASS_COLOURS = [
  "0072b2",
  "e69f00",
  "009e73",
  "cc79a7",
  "d55e00",
  "56b4e9",
  "b3a500",
  "7b4fb5",
  "8c564b",
  "7f7f7f",
  "17a2b8",
  "9aab2b",
].map(rgb);
/** Of the class with a number from 0: others after those of the list. */
export const classColour = (i) => CLASS_COLOURS[i] ?? [0, 8, 4].map((shift) => channelOf((shift + (i * 137.5) / 30) % 12));
const channelOf = (hue) => 255 * (0.5 - 0.35 * Math.max(-1, Math.min(hue - 3, 9 - hue, 1)));
export const OTHER_COLOUR = [140, 140, 140];

function rgb(hex) {
  const value = Number.parseInt(hex, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
export const cssOf = (colour) => `rgb(${colour.map(Math.round).join(" ")})`;
/** A colour of the ramp at a share from 0 to 1. */
export function viridis(share) {
  const at = Math.max(0, Math.min(1, share || 0)) * (VIRIDIS.length - 1),
    low = Math.floor(at),
    high = Math.min(low + 1, VIRIDIS.length - 1);
  return VIRIDIS[low].map((value, i) => value + (VIRIDIS[high][i] - value) * (at - low));
}
export const ramp = (numColours) => Array.from({ length: numColours }, (_, i) => viridis(i / (numColours - 1)));
export const rampCss = `linear-gradient(to right, ${VIRIDIS.map(cssOf).join(", ")})`;

const SOME = 200_000; // values that are enough for percentiles
export const MOST_CLASSES = 48;
const isValid = (value, nodata) => Number.isFinite(value) && value !== nodata;

/** Least and greatest valid value, the 2nd and 98th percentile, the mean, and the values themselves where there are few. */
export function statisticsOf(values, nodata) {
  const step = Math.max(1, Math.floor(values.length / SOME)),
    some = [],
    distinct = new Set();
  let min = Infinity,
    max = -Infinity,
    count = 0,
    sum = 0;
  for (let i = 0; i < values.length; ++i) {
    const value = Number(values[i]);
    if (!isValid(value, nodata)) continue;
    ++count;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
    if (distinct.size <= MOST_CLASSES) distinct.add(value);
    if (i % step === 0) some.push(value);
  }
  const order = Float64Array.from(some).sort();
  const percentile = (share) => order[Math.round(share * (order.length - 1))] ?? NaN;
  const classes = distinct.size <= MOST_CLASSES ? [...distinct].sort((a, b) => a - b) : null;
  return { min, max, count, mean: sum / count, low: percentile(0.02), high: percentile(0.98), classes };
}

/** ImageData of one band in the colours of `table`, or of three bands as red, green and blue. `limits` of each: [low, high]. */
export function painted(bands, width, height, { limits, table, nodata, classes }) {
  const image = new ImageData(width, height),
    pixels = new Uint32Array(image.data.buffer);
  const packed = ([red, green, blue]) => (255 << 24) | (blue << 16) | (green << 8) | red;
  const shades = limits.map(
    ([low, high]) =>
      (value) =>
        Math.max(0, Math.min(255, Math.round(((value - low) / (high - low || 1)) * 255))),
  );
  if (bands.length === 3) {
    for (let i = 0; i < pixels.length; ++i) {
      const values = bands.map((band) => Number(band[i]));
      if (values.some((value) => isValid(value, nodata))) pixels[i] = packed(values.map((value, c) => shades[c](value)));
    }
    return image;
  }
  const colours = Uint32Array.from({ length: 256 }, (_, i) => packed(table === "viridis" ? viridis(i / 255) : [i, i, i]));
  const codes = table === "classes" ? new Map(classes.map((value, i) => [value, packed(classColour(i))])) : null;
  for (let i = 0; i < pixels.length; ++i) {
    const value = Number(bands[0][i]);
    if (isValid(value, nodata)) pixels[i] = codes ? codes.get(value) : colours[shades[0](value)];
  }
  return image;
}

/** Counts of valid values in bins between two limits. */
export function histogramOf(values, { min, max }, nodata, numBins = 64) {
  const counts = new Uint32Array(numBins),
    width = (max - min) / numBins || 1;
  for (const each of values) {
    const value = Number(each);
    if (isValid(value, nodata)) ++counts[Math.max(0, Math.min(Math.floor((value - min) / width), numBins - 1))];
  }
  return counts;
}

/** The outline of bars, as the path of SVG with the given size. */
export function barsPath(counts, most, width, height) {
  const step = width / counts.length;
  const parts = Array.from(counts, (count, i) => {
    if (count === 0) return "";
    const tall = Math.max(1.5, (count / most) * (height - 2));
    return `M${(i * step + 0.5).toFixed(2)} ${height}V${(height - tall).toFixed(2)}H${((i + 1) * step - 0.5).toFixed(2)}V${height}Z`;
  });
  return parts.join("");
}
