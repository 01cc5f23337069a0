// A server of files for tests: ranges, rules for pages of other sites, a log, and faults by the first name of the path.
import { createServer } from "node:http";
import { readFileSync, statSync } from "node:fs";
import { join, normalize } from "node:path";
import { gzipSync } from "node:zlib";

const TYPES = { html: "text/html", js: "text/javascript", mjs: "text/javascript", json: "application/json", wasm: "application/wasm" };

/** Faults: what the server does below /NAME/. Each is given the file and the number of the request of its path. */
const FAULTS = {
  "no-ranges": () => ({ range: null }),
  short: () => ({ cut: 0.5 }),
  // Bodies that are compressed although a range was asked for.
  gzip: () => ({ gzip: true }),
  changed: (count) => ({ etag: count > 1 ? '"second"' : '"first"' }),
  busy: (count) => (count === 1 ? { status: 429, headers: { "Retry-After": "0" } } : {}),
  "always-busy": () => ({ status: 429, headers: { "Retry-After": "0" } }),
  broken: () => ({ status: 503 }),
  private: () => ({ status: 403 }),
  "no-cors": () => ({ cors: false }),
  slow: () => ({ delay: 300 }),
  "20ms": () => ({ delay: 20 }),
  dropped: () => ({ drop: true }),
  "dropped-once": (count) => ({ drop: count === 1 }),
  gone: () => ({ status: 404 }),
  // What pages of other sites get from most buckets, also where all headers can be seen.
  bare: () => ({ bare: true }),
};

/** { url, log, setFault, stop }: `folders` are served by their names, in order; the log has { method, path, range, status, bytes }.
 * `setFault(name)` of all paths from now on, null for none. */
export async function serve(folders, { cors = true } = {}) {
  const log = [], numRequests = new Map();
  let everywhere = null;
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://server").pathname);
    const entry = { method: request.method, path, range: request.headers.range ?? null, headers: Object.keys(request.headers), status: 0, bytes: 0 };
    log.push(entry);
    const [, first, ...rest] = path.split("/");
    numRequests.set(path, (numRequests.get(path) ?? 0) + 1);
    const fault = FAULTS[everywhere ?? first]?.(numRequests.get(path)) ?? {};
    const file = (FAULTS[first] ? rest : [first, ...rest]).join("/");
    const answer = (status, headers = {}, body = null) => {
      entry.status = status;
      entry.bytes = body?.length ?? 0;
      setTimeout(() => {
        if (fault.drop && body) {
          response.writeHead(status, headers);
          response.write(body.subarray(0, body.length / 2));
          setTimeout(() => response.destroy(), 10);
          return;
        }
        response.writeHead(status, headers).end(request.method === "HEAD" ? undefined : body);
      }, fault.delay ?? 0);
    };
    // As most buckets have it: pages of other sites may read, but see no header but the simple ones.
    const headers = cors && fault.cors !== false ? { "Access-Control-Allow-Origin": "*" } : {};
    if (request.method === "OPTIONS") return answer(403);
    if (fault.status) return answer(fault.status, { ...headers, ...fault.headers });
    const found = folders.map((folder) => join(folder, normalize(`/${file}`))).find(isFile);
    if (!found) return answer(404, headers);
    const all = readPart(found);
    Object.assign(headers, { "Content-Type": TYPES[found.split(".").at(-1)] ?? "application/octet-stream", "Accept-Ranges": "bytes", ETag: fault.etag ?? '"one"' });
    const range = fault.range === null ? null : /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
    if (!range) return answer(200, { ...headers, "Content-Length": all.size }, request.method === "HEAD" ? Buffer.alloc(0) : all.read(0, all.size));
    const begin = Number(range[1]), end = Math.min(range[2] ? Number(range[2]) + 1 : all.size, all.size);
    if (begin >= all.size) return answer(416, { ...headers, "Content-Range": `bytes */${all.size}` });
    let body = all.read(begin, end);
    if (fault.cut) body = body.subarray(0, Math.floor(body.length * fault.cut));
    if (fault.gzip) {
      body = gzipSync(all.read(0, all.size)).subarray(0, body.length);
      headers["Content-Encoding"] = "gzip";
    }
    if (fault.bare) delete headers.ETag;
    else headers["Content-Range"] = `bytes ${begin}-${end - 1}/${all.size}`;
    return answer(206, { ...headers, "Content-Length": body.length }, body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const setFault = (name) => {
    everywhere = name;
    numRequests.clear();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, log, setFault, stop: () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }) };
}

function isFile(path) {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const files = new Map();
function readPart(path) {
  const { size, mtimeMs } = statSync(path);
  if (files.get(path)?.mtimeMs !== mtimeMs) files.set(path, { mtimeMs, bytes: readFileSync(path) });
  const { bytes } = files.get(path);
  return { size, read: (begin, end) => bytes.subarray(begin, end) };
}
