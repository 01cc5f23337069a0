// The page in headless Chromium: filters, map, table, sample, code, errors, accessibility, and pictures to look at.
//   node page.mjs PAGE [--modules FOLDER] [--tool TACO] [--pictures FOLDER]
// PAGE: what build.mjs wrote. --tool: the command-line tool, which must count what the page does. 77 where Chromium is missing
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { serve } from "../../clients/js/test/server.mjs";
import {
  codeOf,
  countOf,
  exported,
  filtersOf,
  launched,
  opener,
  openFilter,
  root,
  runTests,
  stateOf,
  waitForCount,
  writePages,
} from "./browser.mjs";

const {
  values: options,
  positionals: [pageFile],
} = parseArgs({
  allowPositionals: true,
  options: { modules: { type: "string", default: process.env.NODE_PATH }, tool: { type: "string" }, pictures: { type: "string" } },
});
const modules = resolve(options.modules),
  browser = await launched(modules);
const axe = readFileSync(join(modules, "axe-core/axe.min.js"), "utf8");
const data = join(root, "examples/data");

// vegetation, longitude and latitude of landsat.tacozip, row by row
const VEGETATION = [
  0.753662109375, 0.38330078125, 0.224609375, 0.007568359375, 0.672119140625, 0.528564453125, 0.135498046875, 0.01708984375, 0.08203125,
  0.2314453125, 0.109619140625, 0, 0.0419921875, 0.118408203125, 0.089111328125, 0,
];
const LONGITUDES = [-34.884, -34.8675, -34.851, -34.8344],
  LATITUDES = [-7.9707, -7.9871, -8.0037, -8.0202];

const folder = mkdtempSync(join(tmpdir(), "tacore-viewer-"));
writePages(pageFile, folder, { flat: "landsat.tacozip", nested: "landsat_nested.tacozip" });
writeDamaged(join(folder, "damaged.tacozip"));
writeFileSync(join(folder, "text.tacozip"), "no dataset at all");
writeStrange(join(folder, "strange"));

const own = await serve([folder, data]),
  other = await serve([data, join(root, "tests/golden")]);
const problems = [],
  opened = opener(browser, own, [own.url, other.url, `file://${folder}`], problems);
let status = 1;

async function drag(page, box, [x0, y0], [x1, y1]) {
  await page.mouse.move(box.x + x0 * box.width, box.y + y0 * box.height);
  await page.mouse.down();
  for (const share of [0.3, 0.6, 1])
    await page.mouse.move(box.x + (x0 + share * (x1 - x0)) * box.width, box.y + (y0 + share * (y1 - y0)) * box.height);
  await page.mouse.up();
}
async function checkAccess(page, where) {
  const found = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ["violations"] })`);
  const texts = found.violations.map(
    ({ id, nodes }) =>
      `${where}: ${id}: ${nodes
        .slice(0, 3)
        .map(({ target, failureSummary }) => `${target} ${failureSummary}`)
        .join(" | ")}`,
  );
  problems.push(...texts);
}
async function picture(page, name) {
  if (!options.pictures) return;
  mkdirSync(options.pictures, { recursive: true });
  await page.screenshot({ path: join(options.pictures, `${name}.png`), caret: "initial" });
}
/** A folder whose COLLECTION.json has other types than it should. */
function writeStrange(path) {
  cpSync(join(root, "tests/golden/nested"), path, { recursive: true });
  const file = join(path, "COLLECTION.json"),
    html = "<img src=x onerror=alert(1)>";
  writeFileSync(
    file,
    JSON.stringify({
      ...JSON.parse(readFileSync(file, "utf8")),
      "title": { a: html },
      "description": html,
      "licenses": 7,
      "tasks": [null, html],
      "providers": [null, 5, { name: html, url: "javascript:alert(1)" }],
      "curators": "me",
      "extent": "everywhere",
      "keywords": {},
      "publications": [null, { doi: html }, "x"],
      "citation": [html],
      "optical:bands": 5,
      "labels:classes": [null, { category: "x" }],
    }),
  );
}
function writeDamaged(path) {
  const bytes = readFileSync(join(data, "landsat.tacozip"));
  bytes.fill(7, 300, 200_000); // samples, not the tables
  writeFileSync(path, bytes);
}

// ---- What is tested ----

const tests = {
  async "opens with two requests, from its own server only"() {
    own.log.length = 0;
    const page = await opened("/flat.html");
    await waitForCount(page, "16 samples");
    assert.equal(await page.textContent("h1"), "Landsat 7 over Olinda, Brazil");
    await page.waitForTimeout(300);
    assert.equal(own.log.filter(({ path }) => path.endsWith(".tacozip")).length, 2);
    assert.equal(await page.textContent("#traffic"), "2 requests, 17.0 kB read");
    return page;
  },

  async "filters by a histogram, bars and text, and counts"(page) {
    const vegetation = await openFilter(page, "vegetation");
    await drag(page, await vegetation.locator(".histogram").boundingBox(), [0.25, 0.5], [0.999, 0.5]);
    const {
      vegetation: { min, max },
    } = await filtersOf(page);
    assert.ok(min > 0.17 && min < 0.2 && max > 0.74, `${min} to ${max}`);
    const expected = VEGETATION.filter((value) => value >= min && value <= max).length;
    await waitForCount(page, `${expected} of 16 samples`);
    // The inside of the range moves it.
    await drag(page, await vegetation.locator(".histogram").boundingBox(), [0.5, 0.5], [0.35, 0.5]);
    const moved = (await filtersOf(page)).vegetation;
    await waitForCount(page, `${VEGETATION.filter((value) => value >= moved.min && value <= moved.max).length} of 16 samples`);
    await vegetation.locator("input").first().fill("0.1");
    await vegetation.locator("input").first().press("Enter");
    await vegetation.locator("input").last().fill("");
    await vegetation.locator("input").last().press("Enter");
    await waitForCount(page, "9 of 16 samples");
    const split = await openFilter(page, "split");
    await split.getByText("train", { exact: true }).click();
    await waitForCount(page, "6 of 16 samples");
    await (await openFilter(page, "id")).locator("input").fill("R0_");
    await waitForCount(page, "2 of 16 samples");
    await page.getByRole("button", { name: "Remove all filters" }).click();
    await waitForCount(page, "16 samples");
    await page.goBack();
    await waitForCount(page, "2 of 16 samples");
    await page.goForward();
    await waitForCount(page, "16 samples");
  },

  async "selects a box and a shape on the map"(page) {
    const map = await page.locator(".map").boundingBox();
    await page.getByRole("button", { name: "Box", exact: true }).click();
    await drag(page, map, [0.35, 0.1], [0.58, 0.6]);
    const {
      area: {
        box: [west, south, east, north],
      },
    } = await filtersOf(page);
    const inBox = LATITUDES.flatMap((lat) => LONGITUDES.map((lng) => lng > west && lng < east && lat > south && lat < north)).filter(
      Boolean,
    ).length;
    assert.ok(inBox > 1 && inBox < 16, `${inBox} in the box`);
    await waitForCount(page, `${inBox} of 16 samples`);
    await picture(page, "box");
    await page.getByRole("button", { name: "Remove area" }).click();
    await waitForCount(page, "16 samples");
    await page.getByRole("button", { name: "Shape" }).click();
    for (const [x, y] of [
      [0.3, 0.2],
      [0.75, 0.2],
      [0.3, 0.95],
    ])
      await page.mouse.click(map.x + x * map.width, map.y + y * map.height);
    await page.getByRole("button", { name: "Done" }).click();
    const polygon = (await filtersOf(page)).area.polygon;
    assert.equal(polygon.length, 3);
    const count = Number.parseInt(await countOf(page), 10);
    assert.ok(count >= 3 && count <= 12, `${count} in the shape`);
    // By hand, in numbers.
    const area = await openFilter(page, "Area");
    for (const [i, value] of [-34.86, -8.01, -34.84, -7.98].entries()) await area.locator("input").nth(i).fill(String(value));
    await area.locator("input").last().press("Enter");
    await waitForCount(page, "2 of 16 samples");
  },

  async "gives code that selects the same"(page) {
    await page.getByRole("button", { name: "Code" }).click();
    const choice = page.locator("dialog select"),
      code = page.locator("dialog pre");
    for (const language of ["Python", "R", "Julia", "JavaScript", "taco"]) {
      await choice.selectOption(language);
      assert.match(await code.textContent(), /-34.86, ?-8.01, ?-34.84, ?-7.98|-34.86,-8.01,-34.84,-7.98/);
    }
    await checkAccess(page, "code");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
    // Filters of all kinds, counted by the tool.
    const filters = {
      "vegetation": { min: 0.05 },
      "split": { labels: ["train", "validation"] },
      "id": { text: "R" },
      "stac:time_start": { min: 0, max: 946684800000 },
      "area": { box: [-34.87, -8.05, -34.84, -7.98] },
    };
    await page.goto(`${own.url}/flat.html#filters=${encodeURIComponent(JSON.stringify(filters))}`);
    await page.reload();
    await page.waitForSelector("#panels:not([hidden])");
    await page.waitForFunction(() => / of 16/.test(document.getElementById("count").textContent));
    const count = Number.parseInt(await countOf(page), 10);
    const text = await codeOf(page, "taco");
    assert.equal(count, 6);
    if (!options.tool) return;
    const command = text.replace(/^taco query '[^']*'/, `'${options.tool}' count '${join(data, "landsat.tacozip")}'`);
    assert.equal(Number(execFileSync("sh", ["-c", command], { encoding: "utf8" })), count, command);
  },

  async "exports ids and GeoJSON"(page) {
    assert.equal((await exported(page, /Ids/)).trim().split("\n").length, 6);
    const { features } = JSON.parse(await exported(page, /GeoJSON/));
    assert.equal(features.length, 6);
    assert.deepEqual(
      features.map(({ properties, geometry }) => [properties.id.length, properties.vegetation > 0.05, geometry.type]),
      features.map(() => [10, true, "Point"]),
    );
    await page.context().close();
  },

  async "works with the keyboard alone"() {
    const page = await opened("/nested.html");
    await waitForCount(page, "6 samples");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter"); // skips to the samples
    for (const key of ["ArrowDown", "ArrowDown", "End", "Home", "ArrowUp", "Enter"]) await page.keyboard.press(key);
    await page.waitForFunction(() => document.querySelector("#panel-sample h2")?.textContent === "tile_r1_c2");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "tile_r1_c2");
    await page.locator(".card canvas").nth(2).waitFor();
    // Values of the pixel, of all bands, and of the other pictures at the same place.
    await page.locator(".card canvas").first().focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelectorAll(".card .values dd").length === 8);
    const values = await page.locator(".card").first().locator(".values dd").allTextContents();
    assert.equal(values.length, 6);
    assert.ok(
      values.every((text) => /^\d+$/.test(text)),
      values,
    );
    await page.getByRole("button", { name: "Next sample" }).click();
    await page.waitForFunction(() => document.querySelector("#panel-sample h2")?.textContent === "tile_r1_c3");
    await page.getByRole("button", { name: "Close", exact: true }).click();
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "grid");
    for (const key of ["ArrowUp", "ArrowUp", "ArrowUp", "Enter"]) await page.keyboard.press(key); // sorts by the id
    await page.waitForFunction(() => document.querySelector("[role=columnheader][aria-sort=ascending]")?.textContent.startsWith("id"));
    await page.context().close();
  },

  async "keeps its state in the URL"() {
    const page = await opened(
      "/nested.html#sample=3&columns=id|vegetation&colour=vegetation&sort=-vegetation&shown=optical|mask&swipe=&view=-7.99,-34.85,13" +
        `&filters=${encodeURIComponent('{"vegetation":{"min":0.1}}')}`,
    );
    await waitForCount(page, "4 of 6 samples");
    await page.waitForFunction(
      () => document.querySelectorAll(".card").length === 2 && document.querySelector(".stage")?.offsetHeight > 50,
    );
    assert.deepEqual(await page.locator(".grid [role=columnheader]").allTextContents(), ["id", "vegetation▼"]);
    assert.deepEqual((await page.locator(".grid [role=gridcell]:first-child").allTextContents()).slice(0, 4), [
      "tile_r1_c1",
      "tile_r2_c1",
      "tile_r1_c2",
      "tile_r2_c2",
    ]);
    assert.equal((await stateOf(page)).view, "-7.99,-34.85,13");
    // Back brings back what was before, and the panel of the sample goes on with that.
    await page.locator(".tree").getByText("dem").click();
    await page.getByRole("button", { name: "Remove all filters" }).click();
    await waitForCount(page, "6 samples");
    await page.goBack();
    await waitForCount(page, "4 of 6 samples");
    await page.locator(".tree").getByText("dem").click();
    assert.deepEqual([(await stateOf(page)).shown, await filtersOf(page)], ["optical|mask", { vegetation: { min: 0.1 } }]);
    await page.evaluate(() => {
      location.hash = "#filters=broken&view=a,b&sample=99&columns=nothing&colour=none";
    });
    await waitForCount(page, "6 samples");
    await page.context().close();
  },

  async "opens files and says what a file is"() {
    const page = await opened("/free.html", { ready: "#start:not([hidden])" });
    await page.setInputFiles("input[type=file]", [join(data, "landsat.tacozip"), join(data, "landsat_nested.tacozip")]);
    await waitForCount(page, "22 samples");
    await page.getByRole("button", { name: "About", exact: true }).click();
    assert.match(await page.textContent("dialog"), /CC-PDM-1.0[\s\S]*U.S. Geological Survey/);
    await checkAccess(page, "about");
    await picture(page, "about");
    await page.context().close();
  },

  async "works from disk"() {
    const page = await opened(`file://${join(folder, "free.html")}`, { ready: "#start:not([hidden])" });
    await page.setInputFiles("input[type=file]", join(data, "landsat_nested.tacozip"));
    await waitForCount(page, "6 samples");
    await page.locator(".grid [role=gridcell]").first().click();
    await page.locator(".card canvas").nth(2).waitFor();
    // Another file takes its place, without the state of the first.
    await page.setInputFiles("input[type=file]", join(data, "landsat.tacozip"));
    await waitForCount(page, "16 samples");
    assert.equal((await stateOf(page)).sample, undefined);
    await page.context().close();
  },

  async "treats what a dataset says as text"() {
    const page = await opened("/free.html?url=strange");
    await waitForCount(page, "3 samples");
    await page.getByRole("button", { name: "About", exact: true }).click();
    const text = await page.textContent("dialog");
    assert.match(text, /<img src=x onerror=alert\(1\)>/);
    assert.equal(await page.locator("img, a[href^=javascript], dialog script").count(), 0);
    await page.keyboard.press("Escape");
    await page.locator(".grid [role=gridcell]").first().click();
    await page.waitForSelector(".card");
    await page.context().close();
  },

  async "asks for tiles only where the user says"() {
    const page = await opened("/nested.html");
    await page.getByRole("button", { name: "Tiles" }).click();
    await page.locator("dialog input").fill(`${other.url}/tiles/{z}/{x}/{y}.png`);
    await page.getByRole("button", { name: "Use these tiles" }).click();
    await page.waitForTimeout(500);
    // The policy of the page allows them, its script asks nobody else.
    assert.ok(other.log.some(({ path }) => /^\/tiles\/\d+\/\d+\/\d+\.png$/.test(path)));
    await page.context().close();
  },

  async "explains errors, and stays usable"() {
    const cases = {
      [`${other.url}/no-cors/landsat.tacozip`]: /does not allow pages of other sites.*taco view/s,
      [`${own.url}/missing.tacozip`]: /not found.*Check the address/s,
      [`${own.url}/private/landsat.tacozip`]: /refuses access.*credentials/s,
      [`${own.url}/text.tacozip`]: /text.tacozip: .*\./s,
      [`${own.url}/always-busy/landsat.tacozip`]: /fewer requests.*Wait a minute/s,
    };
    for (const [url, pattern] of Object.entries(cases)) {
      const page = await opened(`/free.html?url=${encodeURIComponent(url)}`, { ready: "#start .problem" });
      assert.match(await page.textContent("#start .problem"), pattern);
      if (url.includes("no-cors")) await Promise.all([checkAccess(page, "error"), picture(page, "error")]);
      await page.locator("textarea").fill(`${own.url}/landsat.tacozip`);
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await waitForCount(page, "16 samples");
      await page.context().close();
    }
    const page = await opened("/free.html?url=damaged.tacozip#sample=2");
    await page.waitForSelector(".card .problem");
    assert.match(await page.textContent(".card .problem"), /damaged or incomplete/);
    await page.getByRole("button", { name: "Next sample" }).click();
    await page.waitForFunction(() => document.querySelector("#panel-sample h2").textContent === "tile_r0_c3");
    await page.context().close();
  },

  async "shows places that are areas, deep trees and padded datasets"() {
    const names = ["polygons", "six_levels", "wkt_points", "uneven_children", "odd_names_nested", "flat_padded"].map(
      (name) => `${name}.tacozip`,
    );
    for (const name of names) {
      const page = await opened(`/free.html?url=${encodeURIComponent(`${other.url}/${name}`)}#sample=0`);
      await page.waitForFunction(() => /^\d+ samples?$/.test(document.getElementById("count").textContent));
      await page.waitForSelector("#panel-sample h2");
      await page.waitForTimeout(400);
      assert.equal(await page.locator("#messages .problem").count(), 0, name);
      await picture(page, name);
      await page.context().close();
    }
  },

  async "plays the range of time"() {
    const page = await opened(`/free.html?url=${encodeURIComponent(`${other.url}/flat.tacozip`)}`);
    await waitForCount(page, "5 samples");
    const filter = await openFilter(page, "istac:time_start"),
      range = async () => (await filtersOf(page))["istac:time_start"],
      [first, last] = [Date.UTC(2023, 0, 1), Date.UTC(2023, 4, 1)];
    await filter.getByRole("button", { name: "Play the range" }).click();
    await page.waitForFunction(() => location.hash.includes("istac"));
    const begin = await range();
    await page.waitForFunction((fragment) => location.hash !== fragment, new URL(page.url()).hash);
    const next = await range();
    assert.ok(begin.min >= first && next.min > begin.min && next.max > begin.max, JSON.stringify([begin, next]));
    assert.match(await countOf(page), /^[0-2] of 5 samples$/);
    await filter.getByText("Stop", { exact: true }).click();
    const stopped = await range();
    await page.waitForTimeout(500);
    assert.deepEqual(await range(), stopped);
    // It ends by itself.
    const slider = filter.getByLabel("Move the range of istac:time_start");
    await slider.fill("0.97");
    await filter.getByText("Play", { exact: true }).click();
    await filter.getByText("Play", { exact: true }).waitFor();
    await waitForCount(page, "1 of 5 samples");
    const end = await range();
    assert.ok(end.max >= last && end.max - end.min === begin.max - begin.min, JSON.stringify([begin, end]));
    // And then begins anew.
    await filter.getByText("Play", { exact: true }).click();
    await waitForCount(page, "1 of 5 samples");
    await page.waitForFunction(
      (most) => JSON.parse(new URLSearchParams(location.hash.slice(1)).get("filters"))["istac:time_start"].max < most,
      last,
    );
    assert.ok((await range()).min < Date.UTC(2023, 1, 1));
    await page.context().close();
  },

  async "leaves rows of padding out"() {
    const page = await opened(`/free.html?url=${encodeURIComponent(`${other.url}/flat_padded.tacozip`)}`);
    await waitForCount(page, "3 samples");
    await page.locator(".grid [role=gridcell]").nth(2).waitFor();
    const ids = (await exported(page, /Ids/)).trim().split("\n");
    assert.equal(ids.length, 3);
    assert.deepEqual(await page.locator(".grid .grid-row:not(.grid-head) [role=gridcell]:first-child").allTextContents(), ids);
    const { features } = JSON.parse(await exported(page, /GeoJSON/));
    assert.deepEqual(
      features.map(({ properties }) => properties.id),
      ids,
    );
    await page.getByRole("button", { name: "About", exact: true }).click();
    assert.match(await page.textContent("dialog"), /3, and 2 rows of padding/);
    await page.keyboard.press("Escape");
    // Neither a sort nor a filter of what all rows have brings them back; after the last sample comes the first.
    await page.evaluate(() => {
      location.hash = `#sort=-id&sample=2&filters=${encodeURIComponent('{"area":{"box":[-180,-90,180,90]}}')}`;
    });
    await waitForCount(page, "3 of 3 samples");
    await page.waitForSelector("#panel-sample h2");
    const seen = [];
    for (let i = 0; i < 4; ++i) {
      const before = await page.textContent("#panel-sample h2");
      await page.getByRole("button", { name: "Next sample" }).click();
      await page.waitForFunction((id) => ![id, "…"].includes(document.querySelector("#panel-sample h2").textContent), before);
      seen.push(await page.textContent("#panel-sample h2"));
    }
    assert.deepEqual([new Set(seen).size, seen[0]], [3, seen[3]]);
    await page.context().close();
    // Nor the children of a folder.
    const nested = await opened(`/free.html?url=${encodeURIComponent(`${other.url}/nested_padded.tacozip`)}#sample=1`);
    await nested.locator(".tree li").first().waitFor();
    assert.deepEqual(await nested.locator(".tree li").allTextContents(), ["a", "c"]);
    await nested.context().close();
  },

  async "can be used by everyone, in light and dark, wide and narrow"() {
    for (const theme of ["light", "dark"]) {
      for (const [width, height] of [
        [1280, 860],
        [400, 800],
      ]) {
        const page = await opened("/nested.html#sample=2&colour=split", { width, height, theme });
        await page.locator(".card canvas").nth(2).waitFor({ state: "attached" });
        await page.waitForTimeout(400);
        for (const tab of width < 800 ? ["Filters", "Map", "Table", "Sample"] : ["all"]) {
          if (width < 800) await page.locator("#tabs").getByRole("button", { name: tab }).click();
          await page.waitForTimeout(200);
          await checkAccess(page, `${theme} ${width} ${tab}`);
          await picture(page, `${theme}-${width}-${tab}`);
        }
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        assert.ok(!isWide, `${width}: the page is wider than the window`);
        await page.context().close();
      }
      const start = await opened("/free.html", { theme, ready: "#start:not([hidden])" });
      await checkAccess(start, `${theme} start`);
      await picture(start, `${theme}-start`);
      await start.context().close();
    }
  },
};

try {
  await runTests(tests, problems);
  assert.equal([...own.log, ...other.log].filter(({ method }) => method === "OPTIONS").length, 0);
  for (const each of problems) console.log(each);
  status = problems.length === 0 ? 0 : 1;
} finally {
  await browser.close();
  await Promise.all([own.stop(), other.stop()]);
  rmSync(folder, { recursive: true });
}
process.exit(status);
