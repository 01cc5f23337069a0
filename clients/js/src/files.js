// Files: bytes of a URL, a Blob, a path of Node or anything with `size` and `slice`. What was read is kept for a while.
//
// Requests stay simple by the Fetch standard, so that no browser asks the server first (OPTIONS): one range from a start, never several,
// never the last bytes, no If-Match. Headers such as ETag and Content-Range are used where the server lets pages of other sites see them.
import { fail, TacoError } from "./errors.js";
import { settings } from "./settings.js";

const GAP = 64 << 10; // ranges that are nearer are one request
const MOST_AT_ONCE = 16 << 20; // of one request
const WHOLE = 32 << 20; // a smaller file is read whole from a server that does not serve ranges
const LONGEST_PAUSE = 60; // seconds that a server may ask to wait
const LOST = "the connection was lost; a compression of what the server sends looks the same";
const isNode = typeof process !== "undefined" && Boolean(process.versions?.node) && typeof document === "undefined";

const counted = { requests: 0, bytes: 0 };
export const counts = () => ({ ...counted });

let numFiles = 0;
const files = new Map(); // by key, for workers
export const fileOf = (key) => files.get(key);

/** Bytes that were read, the latest ones of all files. */
const kept = { size: 0, parts: new Map() }; // key of the part -> { file, offset, bytes }
let numParts = 0;
function keep(file, offset, bytes) {
  if (bytes.length > settings.cacheSize / 4) return;
  kept.parts.set(++numParts, { file, offset, bytes });
  kept.size += bytes.length;
  for (const [key, part] of kept.parts) {
    if (kept.size <= settings.cacheSize) break;
    kept.parts.delete(key);
    kept.size -= part.bytes.length;
  }
}
function find(file, { offset, size }) {
  for (const [key, part] of kept.parts) {
    if (part.file !== file || offset < part.offset || offset + size > part.offset + part.bytes.length) continue;
    kept.parts.delete(key); // it becomes the latest
    kept.parts.set(key, part);
    return part.bytes.subarray(offset - part.offset, offset - part.offset + size);
  }
  return undefined;
}

/** Kept bytes from a place on, up to where those that are kept end. */
function findStart(file, offset) {
  for (const part of kept.parts.values()) {
    if (part.file === file && offset >= part.offset && offset < part.offset + part.bytes.length) return part.bytes.subarray(offset - part.offset);
  }
  return new Uint8Array();
}

function withStart(start, rest) {
  if (start.length === 0) return rest;
  const out = new Uint8Array(start.length + rest.length);
  out.set(start);
  out.set(rest, start.length);
  return out;
}

export class File {
  /** `reader` has name, size (undefined where it is not known) and read(offset, end, signal), which may return less at the end. */
  constructor(reader) {
    this.key = ++numFiles;
    this.name = reader.name;
    this.reader = reader;
    files.set(this.key, this);
  }
  get size() {
    return this.reader.size;
  }

  /** Bytes of each { offset, size }, all of which must be there. */
  async read(ranges, signal) {
    const out = ranges.map((range) => (range.size === 0 ? new Uint8Array() : find(this, range)));
    const missing = ranges.map((range, i) => ({ ...range, i })).filter(({ i }) => !out[i]).sort((a, b) => a.offset - b.offset);
    const requests = [];
    for (const range of missing) {
      const last = requests.at(-1), end = range.offset + range.size;
      if (last && range.offset - last.end <= GAP && end - last.offset <= MOST_AT_ONCE) {
        last.end = Math.max(last.end, end);
        last.ranges.push(range);
      } else {
        requests.push({ offset: range.offset, end, ranges: [range] });
      }
    }
    await Promise.all(requests.map(async ({ offset, end, ranges: parts }) => {
      if (this.size !== undefined && end > this.size) fail("FORMAT", `${end - offset} bytes at ${offset} go beyond its end at ${this.size}`, { path: this.name, offset });
      // Bytes that are there are not asked for again: the cache of a browser would make two requests of one.
      const start = findStart(this, offset);
      const bytes = withStart(start, await this.reader.read(offset + start.length, end, signal));
      if (bytes.length !== end - offset) fail("IO", `it ends ${end - offset - bytes.length} bytes too soon: ${bytes.length} of ${end - offset} bytes at ${offset} are there`, { path: this.name, offset });
      keep(this, offset, bytes);
      for (const range of parts) out[range.i] = bytes.subarray(range.offset - offset, range.offset - offset + range.size);
    }));
    return out;
  }
  /** Whether a range can be read without a request. */
  keeps(range) {
    return find(this, range) !== undefined;
  }
  /** The first bytes, fewer where the file has fewer: then its size is known. */
  async head(size, signal) {
    const known = find(this, { offset: 0, size: this.size === undefined ? size : Math.min(size, this.size) });
    if (known) return known;
    const bytes = await this.reader.read(0, this.size === undefined ? size : Math.min(size, this.size), signal);
    if (bytes.length < size) this.reader.size ??= bytes.length;
    keep(this, 0, bytes);
    return bytes;
  }
  /** All bytes. */
  async all(signal) {
    if (this.size !== undefined) return (await this.read([{ offset: 0, size: this.size }], signal))[0];
    const bytes = await this.reader.read(0, Infinity, signal);
    this.reader.size = bytes.length;
    keep(this, 0, bytes);
    return bytes;
  }
  /** The size, asked for where it is not known yet. */
  async findSize(signal) {
    this.reader.size ??= await this.reader.findSize(signal);
    return this.reader.size;
  }
  close() {
    files.delete(this.key);
    for (const [key, part] of kept.parts) {
      if (part.file !== this) continue;
      kept.parts.delete(key);
      kept.size -= part.bytes.length;
    }
    this.reader.close?.();
  }
}

// ---- What a caller gives ----

/** Where a source is: { location } of a URL or path, or { bytes }. */
export function located(source) {
  if (source instanceof URL) return { location: source.href };
  if (typeof source === "string") return { location: locationOf(source) };
  if (source && typeof source.size === "number" && typeof source.slice === "function") return { bytes: source };
  return fail("ARGUMENT", "a source is a URL, a path, a File or Blob, or an object with size and slice(begin, end)");
}

/** A URL as users paste it, as the URL of the file. */
function locationOf(text) {
  const given = text.trim();
  const hub = /^hf:\/\/(datasets\/|spaces\/)?([^/]+\/[^/@]+)(?:@([^/]+))?\/(.+)$/.exec(given);
  if (hub) return `https://huggingface.co/${hub[1] ?? ""}${hub[2]}/resolve/${hub[3] ?? "main"}/${hub[4]}`;
  const page = /^(https:\/\/huggingface\.co\/.+?)\/(?:blob|tree)\/(.+)$/.exec(given);
  if (page) return `${page[1]}/resolve/${page[2]}`;
  const bucket = /^s3:\/\/([^/]+)\/(.+)$/.exec(given);
  if (bucket) return bucket[1].includes(".") ? `https://s3.amazonaws.com/${bucket[1]}/${bucket[2]}` : `https://${bucket[1]}.s3.amazonaws.com/${bucket[2]}`;
  const google = /^gs:\/\/([^/]+\/.+)$/.exec(given);
  if (google) return `https://storage.googleapis.com/${google[1]}`;
  const cooperative = /^https:\/\/source\.coop\/(?:repositories\/)?([^/]+\/[^/]+)\/(?:download\/)?(.+)$/.exec(given);
  if (cooperative) return `https://data.source.coop/${cooperative[1]}/${cooperative[2]}`;
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(given) || typeof document === "undefined") return given;
  return new URL(given, document.baseURI).href;
}
export const isUrl = (location) => /^(https?|blob|data):/i.test(location);

/** The location of something beside or below another. */
export function joinedLocation(folder, path) {
  const [base, query = ""] = isUrl(folder) ? splitQuery(folder) : [folder];
  const names = isUrl(folder) ? path.split("/").map(encodeURIComponent).join("/") : path;
  return `${base.replace(/\/+$/, "")}/${names}${query}`;
}
export const splitQuery = (url) => {
  const at = url.search(/[?#]/);
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at)];
};
/** Without what may be secret: messages and pages show it. */
export const nameOf = (location) => {
  if (!isUrl(location)) return location;
  const bare = splitQuery(location)[0].replace(/^(\w+:\/\/)[^/@]*@/, "$1");
  try { return decodeURI(bare); } catch { return bare; }
};

/** Opens a file, without reading of it. */
export async function openFile({ location, bytes }, options) {
  if (bytes) return new File(bytesReader(bytes));
  if (isUrl(location)) return new File(new UrlReader(location, options));
  if (!isNode) fail("ARGUMENT", `'${location}' is no URL`);
  return new File(await pathReader(location));
}

function bytesReader(source) {
  return {
    name: source.name ?? "bytes",
    size: source.size,
    async read(offset, end) {
      const part = await source.slice(offset, Math.min(end, source.size));
      try {
        const out = part instanceof Uint8Array ? part : new Uint8Array(part instanceof ArrayBuffer ? part : await part.arrayBuffer());
        counted.bytes += out.length;
        return out;
      } catch (error) {
        return fail("IO", `cannot be read any more (${error.message}); a file that was changed must be opened again`, { path: source.name ?? "bytes" });
      }
    },
  };
}

async function pathReader(path) {
  const fs = await import(/* @vite-ignore */ nodeModule("fs/promises"));
  let handle;
  try {
    handle = await fs.open(path, "r");
    const status = await handle.stat();
    if (status.isDirectory()) fail("FORMAT", "a folder, not a file", { path });
    return {
      name: path,
      size: status.size,
      async read(offset, end) {
        const out = new Uint8Array(Math.max(0, Math.min(end, status.size) - offset));
        let at = 0;
        while (at < out.length) {
          const { bytesRead } = await handle.read(out, at, out.length - at, offset + at);
          if (bytesRead === 0) break;
          at += bytesRead;
        }
        counted.bytes += at;
        return at === out.length ? out : out.subarray(0, at);
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle?.close();
    if (error instanceof TacoError) throw error;
    return fail(["ENOENT", "ENOTDIR"].includes(error.code) ? "NOT_FOUND" : "IO", error.message, { path });
  }
}
/** True of a folder of Node. */
export async function isFolder({ location }) {
  if (!location || isUrl(location) || !isNode) return false;
  const fs = await import(/* @vite-ignore */ nodeModule("fs/promises"));
  return fs.stat(location).then((status) => status.isDirectory(), () => false);
}
// A name that no bundler for browsers looks up.
export const nodeModule = (name) => `node:${name}`;

// ---- HTTP ----

class UrlReader {
  size;
  #version; // what the server says of the version of the file

  constructor(url, { headers = {}, maxTries } = {}) {
    this.url = url;
    this.name = nameOf(url);
    this.headers = isNode ? { "Accept-Encoding": "identity", ...headers } : headers;
    this.maxTries = maxTries ?? settings.maxTries;
  }

  async read(offset, end, signal) {
    const whole = offset === 0 && end === Infinity;
    const range = whole ? {} : { Range: `bytes=${offset}-${end - 1}` };
    return this.#trying(signal, async (attempt) => {
      // The cache of Chromium lets requests for one file wait for each other, and parts those that overlap into several.
      const response = await this.#fetch({ headers: { ...this.headers, ...range }, cache: attempt > 1 || (!whole && !isNode) ? "no-store" : "default" }, signal);
      if (response.status === 416) return this.#end(response, offset);
      if (response.status === 200 && !whole) return this.#fromWhole(response, offset, end);
      this.#checkRange(response, offset);
      const bytes = await bodyOf(response).catch((error) => {
        signal?.throwIfAborted();
        throw error instanceof TypeError ? new Again(LOST) : error;
      });
      const most = whole ? bytes.length : end - offset;
      if (bytes.length > most) again("it sent more bytes than asked for; a cache or a compression of the server may do that");
      // A body that is shorter than its header says was cut off.
      const stated = Number(response.headers.get("content-length") ?? NaN);
      if (!response.headers.get("content-encoding") && stated > bytes.length && bytes.length < end - offset) again(`the connection was lost: ${bytes.length} of ${stated} bytes arrived`);
      if (this.size !== undefined && bytes.length < Math.min(most, this.size - offset)) again(`it sent ${bytes.length} of ${most} bytes at ${offset}`);
      return bytes;
    });
  }

  async findSize(signal) {
    return this.#trying(signal, async () => {
      const response = await this.#fetch({ method: "HEAD", headers: this.headers }, signal);
      const size = Number(response.headers.get("content-length") ?? NaN);
      if (!(size >= 0)) fail("IO", "the server does not say how long the file is (Content-Length)", { path: this.name });
      return size;
    });
  }

  async #fetch(init, signal) {
    ++counted.requests;
    const response = await fetch(this.url, { ...init, signal });
    if (response.status === 404 || response.status === 410) fail("NOT_FOUND", `not found (${response.status})`, { path: this.name });
    if (response.status === 401 || response.status === 403) fail("IO", `the server refuses access (${response.status}); the dataset may be private, or a signed URL has expired`, { path: this.name });
    if (response.status === 429 || response.status >= 500) {
      await response.body?.cancel();
      again(response.status === 429 ? "the server asks for fewer requests (429)" : `the server has a problem (${response.status})`, response.headers.get("retry-after"));
    }
    if (response.status >= 400 && response.status !== 416) fail("IO", `the server answers with status ${response.status}`, { path: this.name });
    this.#checkVersion(response);
    return response;
  }
  #checkVersion(response) {
    if (response.status === 416) return;
    const total = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1];
    const version = { etag: response.headers.get("etag"), modified: response.headers.get("last-modified"), size: total };
    const before = this.#version ?? {};
    for (const [name, value] of Object.entries(version)) {
      if (value && before[name] && before[name] !== value) {
        response.body?.cancel().catch(() => {});
        fail("IO", "changed since it was opened; open it again", { path: this.name });
      }
    }
    this.#version = { ...before, ...Object.fromEntries(Object.entries(version).filter(([, value]) => value)) };
    if (total !== undefined) this.size ??= Number(total);
  }
  #checkRange(response, offset) {
    const start = /^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "")?.[1];
    if (start !== undefined && Number(start) !== offset) again(`it sent bytes from ${start} instead of ${offset}`);
  }
  /** What begins after the end of the file has no bytes. */
  #end(response, offset) {
    const total = /\*\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1];
    if (this.size !== undefined && offset < this.size) fail("IO", "changed since it was opened: it is shorter now; open it again", { path: this.name });
    if (total !== undefined) this.size ??= Number(total);
    return new Uint8Array();
  }
  /** The server sends the whole file: its beginning is taken, or all of a small one. */
  async #fromWhole(response, offset, end) {
    const size = Number(response.headers.get("content-length") ?? NaN);
    const most = size <= WHOLE ? size : offset === 0 ? end : 0;
    if (most === 0) {
      await response.body?.cancel();
      fail("IO", "the server does not serve ranges, and the file is too large to be read whole; store it on a server that answers Range requests", { path: this.name });
    }
    const bytes = await bodyOf(response, most);
    if (size <= WHOLE) {
      if (bytes.length < size) again(`the connection was lost: ${bytes.length} of ${size} bytes arrived`);
      this.size = bytes.length;
      const all = bytes;
      this.read = async (from, to) => all.subarray(from, Math.min(to, all.length));
    }
    return bytes.subarray(offset, Math.min(end, bytes.length));
  }

  /** Tries until it works, with pauses that grow or that the server asks for. */
  async #trying(signal, body) {
    for (let attempt = 1; ; ++attempt) {
      try {
        return await body(attempt);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof TacoError) throw error;
        const reason = error instanceof Again ? error.message : this.#version ? LOST : unreachable(error);
        if (attempt >= this.maxTries) {
          throw new TacoError("TACORE_E_IO", `${this.name}: ${reason}${attempt > 1 ? `; tried ${attempt} times` : ""}`, { path: this.name });
        }
        await pause(error.seconds ?? Math.min(0.25 * 2 ** attempt, 8), signal);
      }
    }
  }
}

class Again extends Error {}
function again(message, after) {
  const seconds = after === null || after === undefined ? undefined : /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - Date.now()) / 1000;
  throw Object.assign(new Again(message), seconds >= 0 ? { seconds: Math.min(seconds, LONGEST_PAUSE) } : {});
}

/** Browsers do not say whether it is the network or the rules of the server for pages of other sites. */
function unreachable(error) {
  if (isNode || typeof location === "undefined") return `cannot be reached or read: ${error.cause?.message ?? error.message}`;
  return "cannot be reached: no connection, no such server, or the server does not allow pages of other sites to read it (CORS)";
}

/** The body, or its first `most` bytes. */
async function bodyOf(response, most = Infinity) {
  const parts = [];
  let size = 0;
  const reader = response.body?.getReader();
  while (reader && size < most) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
  }
  if (size >= most) await reader?.cancel().catch(() => {});
  counted.bytes += size;
  const out = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return size > most ? out.subarray(0, most) : out;
}

function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 1000 * seconds);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}
