// The package in headless Chromium: all vectors from a server of another origin, without a request that asks first, and damaged files.
//   node browser.mjs DIST ROOT WORK     DIST: the built package; WORK: with node_modules. 77 where Chromium is missing
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { serve } from "./server.mjs";
import { isOurs } from "./vectors.mjs";

const [, , dist, root, work] = process.argv.map((each) => resolve(each));
const executablePath = process.env.CHROMIUM ?? ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"].map((name) => `/usr/bin/${name}`).find(existsSync);
if (!executablePath) {
  console.log("skipped: Chromium is not installed");
  process.exit(77);
}
const { chromium } = createRequire(join(work, "/"))("playwright-core");
const folderOfPage = mkdtempSync(join(tmpdir(), "tacore-page-"));
writeFileSync(join(folderOfPage, "index.html"), `<!doctype html><meta charset="utf-8"><title>tacore</title><link rel="icon" href="data:,">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src *">`);
const [own, data] = [await serve([folderOfPage, dist, import.meta.dirname], { cors: false }), await serve([root])];
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
let status = 1;
try {
  const page = await browser.newPage();
  const problems = [];
  page.on("console", (message) => { if (message.type() === "error" && !/Failed to load resource|CORS policy/.test(message.text())) problems.push(message.text()); });
  page.on("pageerror", (error) => problems.push(error.stack));
  await page.goto(`${own.url}/index.html`);

  const folder = join(root, "tests/clients/vectors");
  const all = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n").map((line) => JSON.parse(line)));
  // What servers do to connections is tested in Node.
  const vectors = all.filter((vector) => isOurs(vector) && !/changed|dropped/.test(vector.open));
  const failed = await page.evaluate(async ({ vectors: given, url }) => {
    const [tacore, { faultOf }] = [await import("/index.js"), await import("/vectors.mjs")];
    const out = [];
    for (const vector of given) {
      const fault = await faultOf(tacore, vector, url, url);
      if (fault) out.push(`${vector.name}: ${fault}`);
    }
    return out;
  }, { vectors, url: data.url });
  failed.forEach((each) => console.log(each));
  console.log(`${vectors.length} vectors in Chromium, ${failed.length} failed`);
  assert.equal(failed.length, 0);
  assert.ok(vectors.length > 150);
  assert.deepEqual(data.log.filter(({ method }) => method === "OPTIONS"), []);

  // A picture for a canvas, requests as a page of another site sees them.
  const begin = data.log.length;
  const picture = await page.evaluate(async (url) => {
    const { open } = await import("/index.js");
    const image = await (await (await open(`${url}/examples/data/landsat.tacozip`)).rows()).at(3).preview({ size: 16 });
    return { isImage: image instanceof ImageData, width: image.width, numColours: new Set(new Uint32Array(image.data.buffer)).size };
  }, data.url);
  assert.ok(picture.isImage && picture.width === 16 && picture.numColours > 50, JSON.stringify(picture));
  assert.equal(data.log.length - begin, 3);

  // A server without CORS.
  const message = await page.evaluate(async (url) => {
    const { open } = await import("/index.js");
    return open(`${url}/no-cors/examples/data/landsat.tacozip`, { maxTries: 1 }).then(() => "opened", (error) => `${error.code} ${error.message}`);
  }, data.url);
  assert.match(message, /^TACORE_E_IO .*does not allow pages of other sites/);

  // Damaged files: the page goes on.
  const counts = await page.evaluate(async (url) => {
    const { open, TacoError } = await import("/index.js");
    const good = new Uint8Array(await (await fetch(`${url}/examples/data/landsat_nested.tacozip`)).arrayBuffer());
    let state = 7;
    const random = (below) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return Math.floor((state / 2 ** 32) * below); };
    const out = { read: 0, refused: 0, other: [] };
    for (let i = 0; i < 200; ++i) {
      const bytes = good.slice();
      for (let k = 0; k < 3; ++k) bytes[bytes.length - 1 - random(i % 2 ? 9000 : bytes.length)] = random(256);
      try {
        const dataset = await open(new File([bytes], "damaged.tacozip"));
        const rows = await dataset.rows();
        await rows.at(0).child("optical").pixels();
        ++out.read;
      } catch (error) {
        if (error instanceof TacoError) ++out.refused;
        else out.other.push(error.stack);
      }
    }
    return out;
  }, data.url);
  console.log(`${counts.read} damaged files read, ${counts.refused} refused`);
  assert.deepEqual(counts.other, []);
  assert.ok(counts.refused > 20);
  assert.deepEqual(problems, []);
  status = 0;
} finally {
  await browser.close();
  await Promise.all([own.stop(), data.stop()]);
  rmSync(folderOfPage, { recursive: true });
}
process.exit(status);
