// Numbers, times, values and errors as text.

const DAY = 86_400_000;
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
export const countText = (count) => whole.format(count);
export const plural = (count, one, many = `${one}s`) => `${countText(count)} ${count === 1 ? one : many}`;

export function numberText(value) {
  if (value === null || value === undefined) return "none";
  if (typeof value === "bigint") return String(value).replace("-", "−");
  const number = Number(value);
  if (!Number.isFinite(number)) return String(value);
  const size = Math.abs(number);
  if (Number.isInteger(number) && size < 1e16) return String(value).replace("-", "−");
  return (size >= 1e7 || size < 1e-4 ? number.toExponential(3) : String(Number(number.toPrecision(6)))).replace("-", "−");
}

/** Milliseconds since 1970. The last millisecond of a day stands for the day. */
export function timeText(milliseconds) {
  if (!Number.isFinite(milliseconds) || Math.abs(milliseconds) > 8.64e15) return "none";
  const text = new Date(milliseconds).toISOString(),
    part = ((milliseconds % DAY) + DAY) % DAY;
  return part === 0 || part === DAY - 1 ? text.slice(0, 10) : text.slice(0, 19).replace("T", " ");
}
/** Of text such as 2023-01-31 or 2023-01-31 12:00, in UTC; `isEnd`: a day is its last millisecond. NaN for other text. */
export function timeOf(text, isEnd) {
  const given = text.trim().replace(" ", "T");
  if (/^\d{4}-\d\d-\d\d$/.test(given)) return Date.parse(given) + (isEnd ? DAY - 1 : 0);
  return Date.parse(/T.*(Z|[+-]\d\d:?\d\d)$/.test(given) || !given.includes("T") ? given : `${given}Z`);
}
/** What times of a filter are multiples of: days where the range is long, else seconds. */
export const timeUnit = (range) => (range > 30 * DAY ? DAY : 1000);
export function roundedTimes([min, max], range) {
  const unit = timeUnit(range);
  return [Math.floor(min / unit) * unit, Math.floor(max / unit) * unit + unit - 1];
}

export function sizeText(bytes) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let at = 0,
    size = bytes;
  for (; size >= 1000 && at < units.length - 1; ++at) size /= 1000;
  return at === 0 ? plural(size, "byte") : `${size.toPrecision(3)} ${units[at]}`;
}

/** A value of a row, in one line. */
export function valueText(value) {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return timeText(value.getTime());
  if (value instanceof Uint8Array) return pointText(value) ?? sizeText(value.length);
  if (typeof value === "number" || typeof value === "bigint") return numberText(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (typeof value === "object")
    return Object.entries(value)
      .map(([key, each]) => `${key}: ${valueText(each)}`)
      .join(", ");
  return String(value);
}
/** A point as WKB stores it. */
function pointText(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    isLittle = bytes[0] === 1;
  if (bytes.length !== 21 || view.getUint32(1, isLittle) !== 1) return null;
  return `${view.getFloat64(5, isLittle).toFixed(5)}, ${view.getFloat64(13, isLittle).toFixed(5)}`;
}

const FROM_DISK = "A page that was opened from disk cannot read files beside it: drop the file on this page, or run `taco view FILE`.";
const ADVICE = [
  [
    /\(CORS\)/,
    "The server may not let other pages read its files. Run `taco view URL` on your computer, put this page beside the dataset, " +
      "or ask the owner of the server to send the header Access-Control-Allow-Origin.",
  ],
  [/NOT_FOUND|\(404\)/, "Check the address: it is that of a .tacozip, .taco or .tortilla file, or of a folder with COLLECTION.json."],
  [/refuses access/, "Run `taco view URL`, which uses your credentials, or get a new signed address."],
  [/fewer requests|\(429\)/, "Wait a minute, then try again."],
  [/has a problem \(5/, "The server has to be repaired, or is busy: try again later."],
  [/changed since/, "Open it again."],
  [/does not serve ranges/, "Or download it and drop it on this page."],
  [/sent more bytes|connection was lost/, "Try again. Where it stays so, download the file and drop it on this page."],
  [
    /CRC-32/,
    "The file has changed since it was opened, or is damaged or incomplete. Open it again; `taco validate FILE` tells what is damaged.",
  ],
  [
    /too soon|beyond its end|truncated|damaged|takes longer|E_MEMORY|E_FORMAT/,
    "The file is damaged or incomplete; `taco validate FILE` tells where.",
  ],
  [/UNSUPPORTED/, "GDAL may read it: copy its path, or download it."],
  [/the decoder|DecompressionStream|WebAssembly/, "Load the page again; it needs a browser of 2024 or newer."],
];

/** What went wrong in a sentence, and what to do about it. */
export function explained(error) {
  const { path, message = String(error) } = error ?? {},
    name = path?.split("/").findLast(Boolean);
  const text = (path && message.startsWith(path) ? name + message.slice(path.length) : message).replace(/\.$/, "");
  if (location.protocol === "file:" && /file:|no URL/.test(text)) return `${text}. ${FROM_DISK}`;
  const advice = ADVICE.find(([pattern]) => pattern.test(`${text} ${error?.code ?? ""}`))?.[1];
  return advice ? `${text}. ${advice}` : `${text}.`;
}
