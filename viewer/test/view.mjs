// `taco view` in headless Chromium: datasets in all forms, local and remote, and what happens when the server ends.
//   node view.mjs [--modules FOLDER] --tool TACO     77 where Chromium or the tool is missing
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { serve } from "../../clients/js/test/server.mjs";
import { codeOf, launched, opener, root, runTests, skipAll, waitForCount } from "./browser.mjs";

const { values: options } = parseArgs({ options: { modules: { type: "string", default: process.env.NODE_PATH }, tool: { type: "string" } } });
if (!options.tool || !existsSync(options.tool)) skipAll("the command-line tool is not there (--tool)");
const golden = (name) => join(root, "tests/golden", name),
  example = (name) => join(root, "examples/data", name);
const browser = await launched(resolve(options.modules)),
  folder = mkdtempSync(join(tmpdir(), "tacore-view-")),
  problems = [];

/** Runs `taco view` and gives `body` the address of its page; then ends it as Ctrl-C does. */
async function viewed(args, body) {
  const child = spawn(resolve(options.tool), ["view", ...args, "--no-browser"], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  const ended = new Promise((settle) => child.on("exit", (code) => settle(code)));
  const address = await Promise.race([
    new Promise((settle) => child.stdout.once("data", (text) => settle(String(text).trim()))),
    ended.then((code) => assert.fail(`taco view has ended with ${code}: ${said}`)),
  ]);
  const end = async () => {
    child.kill("SIGINT");
    assert.equal(await ended, 0, said);
  };
  try {
    await body(address, end);
  } finally {
    if (child.exitCode === null) await end();
  }
}
/** A page of the address that `taco view` told; it may ask that server only. */
const opened = (address, rest) => opener(browser, { url: "" }, [new URL(address).origin], problems)(`${address}`, rest);
const countOf = (path) => Number(execFileSync(resolve(options.tool), ["count", path], { encoding: "utf8" }));
const countText = (count) => `${count} sample${count === 1 ? "" : "s"}`;

async function openSample(page) {
  await page.locator(".grid [role=gridcell]").first().click();
  await page.waitForSelector(".card figcaption");
}

// ---- What is tested ----

const tests = {
  async "opens every form of a dataset, and a sample of it"() {
    mkdirSync(join(folder, "odd é#%41"));
    cpSync(example("landsat.tacozip"), join(folder, "odd é#%41", "a&b ü?#.tacozip"));
    const paths = [
      example("landsat.tacozip"),
      example("landsat_nested.tacozip"),
      golden("nested"),
      golden("nested/COLLECTION.json"),
      golden("cascade_tacocat"),
      golden("cascade_tacocat/.tacocat"),
      golden("v1/flat.taco"),
      golden("v1/flat.tortilla"),
      golden("v1/nested.tortilla"),
      join(folder, "odd é#%41", "a&b ü?#.tacozip"),
    ];
    for (const path of paths) {
      await viewed([path], async (address) => {
        const page = await opened(address);
        await waitForCount(page, countText(countOf(path)));
        await openSample(page);
        assert.deepEqual(await page.locator(".problem:visible").allTextContents(), [], path);
        assert.ok((await codeOf(page, "Python")).includes(JSON.stringify(path)), path);
        await page.context().close();
      });
    }
  },

  async "opens what only the tool may read, and tells the page nothing of the secret"() {
    const bytes = readFileSync(example("landsat_nested.tacozip"));
    const server = createServer((request, response) => {
      if (request.headers["x-key"] !== "a-secret") return response.writeHead(403).end();
      const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
      if (first === undefined) return response.writeHead(200, { "Content-Length": bytes.length }).end(bytes);
      const begin = first === "" ? bytes.length - Number(last) : Number(first),
        end = first === "" || last === "" ? bytes.length : Math.min(bytes.length, Number(last) + 1);
      response.writeHead(206, { "Content-Range": `bytes ${begin}-${end - 1}/${bytes.length}`, "Content-Length": end - begin });
      return response.end(bytes.subarray(begin, end));
    });
    await new Promise((settle) => server.listen(0, "127.0.0.1", settle));
    try {
      await viewed([`http://127.0.0.1:${server.address().port}/chips.tacozip`, "--header", "X-Key:a-secret"], async (address) => {
        const page = await opened(address);
        await waitForCount(page, "6 samples");
        await openSample(page);
        await page.locator(".card canvas").nth(2).waitFor();
        assert.ok(!(await page.content()).includes("a-secret"));
        await page.context().close();
      });
    } finally {
      server.close();
    }
  },

  async "explains that its server has ended, and goes on with another dataset"() {
    await viewed([example("landsat.tacozip")], async (address, end) => {
      const page = await opened(address);
      await waitForCount(page, "16 samples");
      await end();
      await page.locator(".grid [role=gridcell]").first().click();
      await page.waitForSelector("#panel-sample .problem", { timeout: 20_000 });
      assert.match(await page.textContent("#panel-sample .problem"), /connection was lost|cannot be reached/);
      const dropped = await page.evaluateHandle(
        (base64) => {
          const data = new DataTransfer(),
            part = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
          data.items.add(new File([part], "nested.tacozip"));
          return data;
        },
        readFileSync(example("landsat_nested.tacozip")).toString("base64"),
      );
      await page.dispatchEvent("body", "drop", { dataTransfer: dropped });
      await waitForCount(page, "6 samples");
      await page.context().close();
    });
  },

  async "writes a page that opens its dataset beside it, on another server, and where it is linked to"() {
    const site = join(folder, "site");
    cpSync(example("landsat.tacozip"), join(site, "data/landsat.tacozip"), { recursive: true });
    cpSync(golden("nested"), join(site, "nested"), { recursive: true });
    cpSync(golden("cascade_tacocat"), join(site, "index"), { recursive: true });
    const own = await serve([site], { cors: false }),
      other = await serve([join(root, "examples/data")]);
    const write = (...args) => execFileSync(resolve(options.tool), ["view", ...args], { stdio: "pipe" });
    write(join(site, "data/landsat.tacozip"), "-o", join(site, "landsat.html"));
    write(join(site, "nested"), "-o", join(site, "nested.html"));
    write(join(site, "index"), "-o", join(site, "index.html"));
    write(join(site, "data/landsat.tacozip"), "-o", join(site, "other.html"), "--base-url", other.url);
    write("-o", join(site, "any.html"));
    execFileSync(resolve(options.tool), ["describe", join(site, "data/landsat.tacozip"), "--as", "all", "-o", join(site, "about")], { stdio: "pipe" });
    const open = opener(browser, own, [own.url, other.url], problems);
    for (const [path, count] of [
      ["/landsat.html", 16],
      ["/nested.html", countOf(golden("nested"))],
      ["/index.html", countOf(golden("cascade_tacocat"))],
      ["/other.html", 16],
      [`/any.html?url=${encodeURIComponent(`${other.url}/landsat.tacozip`)}`, 16],
      ["/about/viewer.html", 16],
    ]) {
      const page = await open(path);
      await waitForCount(page, countText(count));
      await openSample(page);
      assert.deepEqual(await page.locator(".problem:visible").allTextContents(), [], path);
      await page.context().close();
    }
    const about = await open("/about/index.html", { ready: "main" });
    await Promise.all([about.waitForURL("**/viewer.html*"), about.getByRole("link", { name: /Explore the samples/ }).click()]);
    await waitForCount(about, "16 samples");
    // Beside its dataset it may read its own server only.
    const beside = await open("/landsat.html", { expected: [/Content Security Policy/] });
    assert.match(await beside.evaluate((url) => fetch(url).then(() => "read", String), `${other.url}/landsat.tacozip`), /TypeError/);
    for (const page of [about, beside]) await page.context().close();
    await Promise.all([own.stop(), other.stop()]);
  },
};

try {
  await runTests(tests, problems);
  for (const each of problems) console.log(each);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
process.exit(problems.length === 0 ? 0 : 1);
