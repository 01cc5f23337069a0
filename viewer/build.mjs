// Builds the page: one HTML file with script, style, outline of the land, worker and WebAssembly module inside.
//   node build.mjs OUTPUT --wasm FILE [--modules FOLDER]
// --wasm: what wasm/build makes, beside its sources/ with their licences. --modules: a node_modules folder with what package.json
// names, by default NODE_PATH. The program zopfli has to be there, which packs as gzip does.
//
// src/describe/viewer_page.cpp writes a dataset into the page: the servers of `connect-src *;`, and the `{}` of the element with the
// id "config". The script is allowed by its hash, so it must not change.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";

const MOST_RAW = 500_000,
  MOST_GZIP = 220_000; // bytes of the page

const {
  values: options,
  positionals: [output],
} = parseArgs({
  allowPositionals: true,
  options: {
    wasm: { type: "string" },
    modules: { type: "string", default: process.env.NODE_PATH },
  },
});
if (!output || !options.wasm || !options.modules) {
  console.error("usage: node build.mjs OUTPUT --wasm FILE [--modules FOLDER]");
  process.exit(2);
}
const here = import.meta.dirname,
  root = resolve(here, ".."),
  modules = resolve(options.modules),
  wasm = resolve(options.wasm);
const esbuild = createRequire(join(modules, "/"))(join(modules, "esbuild"));

async function bundled(file, loader = {}) {
  const {
    outputFiles: [{ text }],
  } = await esbuild.build({
    entryPoints: [file],
    bundle: true,
    format: "esm",
    minify: true,
    target: "es2022",
    write: false,
    legalComments: "none",
    alias: { tacore: join(root, "clients/js/src/index.js") },
    nodePaths: [modules],
    loader,
    logLevel: "warning",
  });
  return text.trim();
}

/** The outline of the land: rings of differences in tenths of a degree. */
function landOutline() {
  const rings = new Map(); // by number: { before, steps }
  for (const line of readFileSync(join(root, "src/describe/world_outline.csv"), "utf8").trim().split("\n").slice(1)) {
    const [number, ...hundredths] = line.split(",").map(Number),
      point = hundredths.map((value) => Math.round(value / 10));
    const ring = rings.get(number) ?? { before: [0, 0], steps: [] };
    ring.steps.push(...point.map((value, i) => value - ring.before[i]));
    rings.set(number, { ...ring, before: point });
  }
  return Array.from(rings.values(), ({ steps }) => steps.join(",")).join(";");
}

function licences() {
  const sources = join(dirname(wasm), "sources");
  const parts = {
    "tacore": join(root, "LICENSE"),
    "Leaflet": join(modules, "leaflet/LICENSE"),
    "hyparquet": join(modules, "hyparquet/LICENSE"),
    "Zstandard": join(sources, "zstd/LICENSE"),
    "libdeflate": join(sources, "libdeflate/COPYING"),
  };
  const texts = Object.entries(parts).map(([name, file]) => `${name}\n\n${readFileSync(file, "utf8").trim()}`);
  return [...texts, "Outline of the land: Natural Earth, public domain"].join("\n\n----\n\n").replaceAll("<", "(").replaceAll(">", ")");
}

const hashOf = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const [script, worker, style] = await Promise.all([
  bundled(join(here, "src/page.js")),
  bundled(join(root, "clients/js/src/worker.js")),
  bundled(join(here, "style.css")),
]);
// 5 % smaller than by zlib.
const packedWasm = execFileSync("zopfli", ["-c", wasm], { maxBuffer: 2 ** 24 }).toString("base64");
const parts = {
  policy: [
    "default-src 'none'",
    `script-src ${hashOf(script)} 'wasm-unsafe-eval'`,
    "worker-src blob: data:",
    `style-src ${hashOf(style)}`,
    // Tiles of a map, from where the user says.
    "img-src data: blob: https: http://localhost:* http://127.0.0.1:*",
    "connect-src *",
    "form-action 'none'",
    "base-uri 'none'",
  ]
    .join("; ")
    .concat(";"),
  style,
  script,
  worker,
  wasm: packedWasm,
  land: landOutline(),
  licences: licences(),
};
for (const [name, text] of Object.entries(parts)) {
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${name} contains what ends its element`);
}
const page = readFileSync(join(here, "index.html"), "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
if (/[^\0-\x7f]/.test(page)) throw new Error("the page has characters that are not ASCII, which C++ literals need");
const size = Buffer.byteLength(page),
  packed = gzipSync(page, { level: 9 }).length;
for (const [name, text] of Object.entries(parts))
  console.log(name.padEnd(10), String(Buffer.byteLength(text)).padStart(7), String(gzipSync(text, { level: 9 }).length).padStart(7));
console.log("page      ", String(size).padStart(7), String(packed).padStart(7), " bytes, and as gzip");
writeFileSync(output, page);
if (size > MOST_RAW || packed > MOST_GZIP) {
  console.error(`the page has more than ${MOST_RAW} bytes, or ${MOST_GZIP} as gzip`);
  process.exit(1);
}
