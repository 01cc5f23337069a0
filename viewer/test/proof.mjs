// Proof of the page in headless Chromium: what it shows of a dataset on another server is what the command-line tool and GDAL say of it.
//   node proof.mjs PAGE [--modules FOLDER] --tool TACO [--large FILE.tacozip]
// PAGE: what build.mjs wrote. --large: a million rows of clients/js/test/make_large.py, which makes them where it is not given. Pixels need
// rasterio. What is missing is skipped: then the exit code is 77, unless something failed. It is 77 without Chromium or the tool, too.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { serve } from "../../clients/js/test/server.mjs";
import { codeOf, countOf, exported, launched, opener, root, runTests, skipAll, Skipped, waitForCount, writePages } from "./browser.mjs";

const {
  values: options,
  positionals: [pageFile],
} = parseArgs({
  allowPositionals: true,
  options: { modules: { type: "string", default: process.env.NODE_PATH }, tool: { type: "string" }, large: { type: "string" } },
});
if (!options.tool || !existsSync(options.tool)) skipAll("the command-line tool is not there (--tool)");
const golden = join(root, "tests/golden"),
  data = join(root, "examples/data");
const isLong = process.env.TACORE_LONG_TESTS !== undefined; // a third of the filters in other runs
const browser = await launched(resolve(options.modules));
const folder = mkdtempSync(join(tmpdir(), "tacore-proof-")),
  made = join(folder, "made"); // datasets that the tests make
mkdirSync(made);
writePages(pageFile, folder, { flat: "landsat.tacozip" });

const own = await serve([folder, data], { cors: false }),
  other = await serve([golden, data, made, join(root, "tests/clients"), ...(options.large ? [dirname(resolve(options.large))] : [])]);
const problems = [],
  opened = opener(browser, own, [own.url, other.url], problems);

/** Opens datasets of the other server by their paths there. */
const openedAt = (paths, fragment = "", rest) =>
  opened(`/free.html?${[paths].flat().map((path) => `url=${encodeURIComponent(`${other.url}/${path}`)}`).join("&")}${fragment}`, rest);
const fragmentOf = (filters) => `#filters=${encodeURIComponent(JSON.stringify(filters))}`;
const close = (page) => page.context().close();
const problemsOf = (page) => page.locator(".problem:visible").allTextContents();
const pathOf = (name) => [golden, data, made, join(root, "tests/clients")].map((each) => join(each, name)).find(existsSync);

// ---- What other programs say ----

const tool = (...args) =>
  execFileSync(resolve(options.tool), args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 2 ** 28 });
/** Rows as objects; whole numbers beyond 2^53 lose digits. */
const queried = (path, ...args) => JSON.parse(tool("query", path, ...args, "-f", "json"));
const idsOf = (path, ...args) => queried(path, ...args, "--columns", "id").map(({ id }) => id);
const typesOf = (path) =>
  new Map(JSON.parse(tool("columns", path, "--json")).flatMap(({ level, name, type }) => (level === 0 ? [[name, type]] : [])));

/** Runs Python with the packages of the build; what it prints is JSON. */
function python(script, ...args) {
  const path = [join(root, "build/release/python"), join(root, "build/python"), process.env.PYTHONPATH].filter(Boolean).join(delimiter);
  return execFileSync("python3", ["-B", "-c", script, ...args], {
    encoding: "utf8",
    env: { ...process.env, PYTHONPATH: path },
    maxBuffer: 2 ** 28,
  });
}
function needPython(modules) {
  try {
    python(`import ${modules}`);
  } catch {
    throw new Skipped(`Python has no ${modules}`);
  }
}

// ---- Datasets ----

/** Files of `golden` that are no datasets, and those that the page must refuse: why, and what it says. */
const NO_DATASETS = ["PROVENANCE.md", "make_golden.py"];
const REFUSED = new Map([
  [
    "header_absent.tacozip",
    {
      why: "tables are found by TACO_HEADER; the directory is at an end whose place servers need not tell pages",
      says: /not a TACO ZIP: its first entry is not TACO_HEADER.*taco validate/,
    },
  ],
  [
    "header_stale.tacozip",
    { why: "the same: TACO_HEADER names bytes that are no tables", says: /COLLECTION.json is no JSON.*taco validate/ },
  ],
]);

function goldenNames() {
  const within = (name) => readdirSync(join(golden, name)).map((each) => (name ? `${name}/${each}` : each));
  const names = [...within(""), ...within("cascade_tacocat"), ...within("v1"), ...within("v1/parts")];
  return names.filter((name) => !NO_DATASETS.includes(name) && !["v1", "v1/parts"].includes(name));
}

// ---- Filters ----

const EMPTY = "<none>";
const quoted = (text) => `'${text.replaceAll("'", "''")}'`;
const named = (name) => `"${name.replaceAll('"', '""')}"`;
const middle = (values, share) => values[Math.floor(share * (values.length - 1))];

/** Filters of a column, each with SQL that says the same in other words than the page does. */
function columnFilters(name, type, rows) {
  const column = named(name),
    values = rows.map((row) => row[name]).filter((value) => value !== null);
  if (values.length === 0) return [];
  if (/^(timestamp|date)/.test(type)) return rangeFilters(name, values.map(Date.parse), `epoch_us(${column}::TIMESTAMP)`, 1000);
  if (/^i?stac:time_(start|end|middle)$/.test(name) && /^(int64|double)/.test(type)) {
    const milliseconds = values.map((value) => 1000 * value); // before 2.0, times are seconds
    return rangeFilters(name, milliseconds, column, 1e-3);
  }
  if (name === "a_large_int64") return []; // the page has whole numbers beyond 2^53 as the nearest that a double holds
  // The page compares a float as the double that it is, SQL a number as the float that is nearest.
  if (type === "float") return rangeFilters(name, values.map(Math.fround), `${column}::DOUBLE`, 1);
  if (/^(u?int\d+|double|decimal)/.test(type)) return rangeFilters(name, values, `${column}::DOUBLE`, 1);
  if (!/^(string|bool|dictionary)/.test(type)) return [];
  const text = `coalesce(${column}::VARCHAR, ${quoted(EMPTY)})`,
    labels = [...new Set(rows.map((row) => (row[name] === null ? null : String(row[name]))))];
  const some = [labels.slice(0, 1), labels.slice(-2), ...(labels.includes(null) ? [[null], [null, labels.find(Boolean)]] : [])];
  const out = some.map((each) => ({
    filters: { [name]: { labels: each } },
    sql: `${text} IN (${each.map((label) => quoted(label ?? EMPTY)).join(", ")})`,
  }));
  if (type !== "bool") {
    const part = middle(values, 0.5).slice(-3).toUpperCase(),
      pattern = part.replace(/[%_\\]/g, "\\$&");
    out.push({ filters: { [name]: { text: part } }, sql: `${column} ILIKE ${quoted(`%${pattern}%`)} ESCAPE '\\'` });
  }
  return out;
}
/** `factor`: how many units of the SQL a unit of the page has. */
function rangeFilters(name, values, sql, factor) {
  const order = values.toSorted((a, b) => a - b),
    [low, high] = [middle(order, 0.25), middle(order, 0.75)];
  const scaled = (value) => (factor === 1000 ? String(BigInt(Math.round(value)) * 1000n) : String(value * factor));
  return [
    { filters: { [name]: { min: low, max: high } }, sql: `${sql} BETWEEN ${scaled(low)} AND ${scaled(high)}` },
    { filters: { [name]: { min: high } }, sql: `${sql} BETWEEN ${scaled(high)} AND 'infinity'::DOUBLE` },
  ];
}

/** [west, south, east, north] of what a row covers, from its geometry as WKT; null where it has none. A centroid is a point. */
function boxOf(text, column) {
  const coded = /^[A-Za-z0-9+/]{20,}=*$/.test(text ?? "") && Buffer.from(text, "base64"); // a point that the tool does not write as WKT
  if (coded) {
    const at = coded.readUInt32LE(1) & 0x20000000 ? 9 : 5,
      [x, y] = [coded.readDoubleLE(at), coded.readDoubleLE(at + 8)];
    return [x, y, x, y];
  }
  const isGood = column === "istac:geometry" ? /\(/ : /^\s*(SRID=\d+;)?\s*POINT\s*Z?\s*\(/i;
  if (!isGood.test(text ?? "")) return null;
  const points = text
    .slice(text.indexOf("("))
    .split(",")
    .map((each) => each.match(/-?[\d.]+(e[+-]?\d+)?/gi).map(Number));
  const [x, y] = [0, 1].map((i) => points.map((point) => point[i]));
  return [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)];
}
const BOXES = [
  [-80, 30, 10, 60],
  [-34.87, -8.01, -34.84, -7.98],
  [0, -90, 180, 90],
  [100, -60, -70, 60], // over the antimeridian
  [179, -80, -179, 80],
];
/** Rows that lie in a box, or meet it. */
function idsInBox(rows, name, [west, south, east, north]) {
  const meets = ([left, bottom, right, top]) =>
    top >= south && bottom <= north && (west <= east ? right >= west && left <= east : right >= west || left <= east);
  return rows.filter((row) => boxOf(row[name], name) && meets(boxOf(row[name], name))).map(({ id }) => id);
}

/** Ids that the page selects, and those of the tool with the code that the page shows. */
async function selectedIds(page, path) {
  const ids = (await exported(page, /Ids/)).split("\n").slice(0, -1);
  const code = await codeOf(page, "taco"),
    words = code
      .replace(/^taco query/, "")
      .replaceAll("\\\n", " ")
      .trim();
  const [, ...args] = execFileSync("sh", ["-c", `printf '%s\\0' ${words}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);
  return { ids, byCode: idsByCode(path, args), code };
}
/** null where the tool refuses what the page leaves out: texts of the golden dataset wkt_points that are no points. */
function idsByCode(path, args) {
  try {
    return idsOf(path, ...args);
  } catch (error) {
    if (path.endsWith("wkt_points.tacozip") && /is not a WKT point/.test(error.stderr)) return null;
    throw error;
  }
}
async function setFilters(page, filters) {
  const go = (fragment) => page.evaluate((text) => (location.hash = text), fragment),
    isFiltered = (wanted) => page.waitForFunction((is) => document.getElementById("count").textContent.includes(" of ") === is, wanted);
  await go("#");
  await isFiltered(false);
  await go(fragmentOf(filters));
  await isFiltered(true);
}

// ---- Pixels ----

const WRITE_RASTERS = `
import sys, numpy, rasterio
folder, random = sys.argv[1], numpy.random.default_rng(1)
for name in ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64"]:
    if name.startswith("float"):
        values, nodata = random.normal(0, 1e3, (3, 20, 31)).astype(name), -9999.0
        values[:, 3, 4] = nodata
        values[0, 5, 6] = numpy.nan
    else:
        limits = numpy.iinfo(name)
        values, nodata = random.integers(limits.min, limits.max, (3, 20, 31), name, endpoint=True), None
        values[:, 0, :2] = limits.min, limits.max
    with rasterio.open(f"{folder}/{name}.tif", "w", driver="GTiff", count=3, height=20, width=31, dtype=name, nodata=nodata,
                       crs="EPSG:32630", transform=rasterio.Affine(10, 0, 5e5, 0, -10, 4.5e6), tiled=True, blockxsize=16, blockysize=16,
                       compress="deflate") as file:
        file.write(values)
`;
const READ_RASTERS = `
import json, sys, rasterio
out = []
for name in sys.argv[1:]:
    with rasterio.open(name) as file:
        values = file.read()
        texts = [[[str(value) if value.dtype.kind in "iu" else repr(float(value)) for value in row] for row in band] for band in values]
        out.append({"dtype": str(values.dtype), "nodata": file.nodata, "bands": texts})
print(json.dumps(out))
`;
/** As the page writes a number: whole ones with all their digits, others with six. */
function shownText(text, { dtype, nodata }) {
  if (nodata !== null && Number(text) === nodata) return "no data";
  if (/int/.test(dtype)) return text.replace("-", "−");
  const number = Number(text);
  return Number.isFinite(number) ? Number(number.toPrecision(6)) : NaN;
}
/** Without the name of its class. */
function readText(text, dtype) {
  if (text === "no data") return text;
  return /int/.test(dtype) ? text.split(" ")[0] : Number(text.replaceAll("−", "-"));
}

/** Rasters that `taco read` copies out of a dataset, as GDAL reads them. */
function storedRasters(path, ids) {
  const files = ids.map((id, i) => join(folder, `stored-${i}.tif`));
  ids.forEach((id, i) => tool("read", path, id, "-o", files[i], "--overwrite"));
  return JSON.parse(python(READ_RASTERS, ...files));
}
/** The card of a file of the sample that is shown. */
async function cardOf(page, path) {
  const card = page.locator(`.card[aria-label="${path}"]`);
  await card.locator("canvas.picture").waitFor();
  return card;
}
/** Values of the bands at the pixel that arrow keys reach from the one where the page begins. */
async function checkPoints(page, card, { dtype, nodata, bands }, path) {
  const canvas = card.locator("canvas.picture"),
    size = [bands[0][0].length, bands[0].length],
    at = size.map((each) => Math.floor(each / 2));
  await canvas.focus();
  const moves = [
    ["ArrowRight", 1, 0],
    ["ArrowUp", 0, -1],
    ["ArrowUp", 0, -1],
    ["ArrowLeft", -1, 0],
    ["ArrowDown", 0, 1],
    ...Array.from({ length: 12 }, () => ["ArrowLeft", -1, 0]),
    ...Array.from({ length: 7 }, () => ["ArrowUp", 0, -1]),
  ];
  for (const [key, x, y] of moves) {
    await page.keyboard.press(key);
    [x, y].forEach((by, i) => (at[i] = Math.max(0, Math.min(size[i] - 1, at[i] + by))));
    const place = card.locator(".under p");
    await place.getByText(new RegExp(`^Pixel ${at[0]}, ${at[1]}( |$)`)).waitFor();
    const shown = (await card.locator(".values dd").allTextContents()).map((text) => readText(text, dtype));
    assert.deepEqual(
      shown,
      bands.map((band) => shownText(band[at[1]][at[0]], { dtype, nodata })),
      `${path} ${at}`,
    );
  }
  return moves.length;
}
/** One band and three, between black and white that are chosen by hand. */
async function checkGrey(card, { dtype, nodata, bands }, path) {
  const limits = { uint8: [0, 255], int8: [-128, 127], uint16: [1000, 60000], float32: [-1500, 1500], float64: [-1500, 1500] }[dtype] ?? [
    -1e9, 1e9,
  ];
  const isSeen = (text) => Number.isFinite(Number(text)) && Number(text) !== nodata;
  const check = async (shown) => {
    const flat = shown.map((band) => band.flat()),
      expected = flat[0].flatMap((_, i) => {
        const texts = flat.map((band) => band[i]);
        return texts.some(isSeen)
          ? [...(texts.length === 1 ? [texts[0], texts[0], texts[0]] : texts).map((text) => greyOf(text, ...limits)), 255]
          : [0, 0, 0, 0];
      });
    const found = await pictureOf(card),
      at = found.findIndex((value, i) => value !== expected[i]);
    assert.ok(
      at < 0 && found.length === expected.length,
      `${path}, ${dtype}: channel ${at % 4} of pixel ${at >> 2} is ${found[at]} instead of ${expected[at]}`,
    );
  };
  const byHand = [
    ["Stretch", "By hand"],
    ["Black at", String(limits[0])],
    ["White at", String(limits[1])],
  ];
  if (bands.length >= 3) {
    await choose(card, byHand);
    const chosen = await card
      .locator(".controls select.red, .controls select.green, .controls select.blue")
      .evaluateAll((all) => all.map((each) => each.value));
    await check(chosen.map((number) => bands[number - 1]));
    await choose(card, [["One band or three as colours", "One band"]]);
  }
  await choose(card, [["Colours", "Grey"], ...byHand]);
  const band = bands.length > 1 ? Number(await card.getByLabel("Band", { exact: true }).inputValue()) : 1;
  await check([bands[band - 1]]);
}
/** Chooses in the display of a card, by the names of its controls. */
async function choose(card, choices) {
  const display = card.locator("details:has(.controls)");
  if (!(await display.evaluate((element) => element.open))) await display.locator("summary").first().click();
  for (const [name, value] of choices) {
    const control = card.getByLabel(name, { exact: true });
    if (await control.evaluate((element) => element.tagName === "SELECT")) {
      await control.selectOption({ label: value });
    } else {
      await control.fill(value);
      await control.press("Tab");
    }
  }
}
const pictureOf = (card) =>
  card.locator("canvas.picture").evaluate((canvas) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    return [...copy.getImageData(0, 0, canvas.width, canvas.height).data];
  });
/** The grey of values between black and white; black of what is no number. */
const greyOf = (text, low, high) => Math.max(0, Math.min(255, Math.round(((Number(text) - low) / (high - low)) * 255))) || 0;

// ---- Servers that lie or fail ----

const SERVER_ERRORS = [/net::ERR_/];
/** What the page says when such a server is asked, by the name of the fault (clients/js/test/server.mjs). */
const READING = {
  "short": /bytes too soon|of \d+ bytes/,
  "gzip": /connection was lost.*compression.*download the file/,
  "always-busy": /fewer requests \(429\).*Wait a minute/,
  "broken": /has a problem \(503\).*try again later/,
  "private": /refuses access \(403\).*credentials/,
  "gone": /not found \(404\).*Check the address/,
  "no-cors": /connection was lost/, // a browser tells no more, and it worked before
  "dropped": /connection was lost.*Try again/,
};
const OPENING = {
  ...READING,
  "short": /beyond the end of the file of 512 bytes.*damaged or incomplete/,
  "gzip": /cannot be reached/, // the same
  "no-cors": /does not allow pages of other sites.*taco view/,
};
/** A sentence for people, of what is expected. */
function checkSentence(text, says, fault) {
  const isSentence = text.length < 400 && /\.$/.test(text) && !/undefined|NaN|\[object|TypeError|http:/.test(text);
  assert.ok(says.test(text) && isSentence, `${fault}: ${text}`);
  console.log(`     ${fault}: ${text}`);
}

const exportedIds = async (page) => (await exported(page, /Ids/)).split("\n").slice(0, -1);
/** The first sample of landsat.tacozip; null without rasterio. */
async function firstRaster() {
  try {
    return storedRasters(join(data, "landsat.tacozip"), ["tile_r0_c0"])[0];
  } catch {
    return null;
  }
}

// ---- A million rows ----

function largeFile() {
  needPython("tacore, numpy, pyarrow");
  const file = join(made, "large.tacozip"),
    path = [join(root, "build/release/python"), join(root, "build/python")].join(delimiter);
  const script = join(root, "clients/js/test/make_large.py");
  execFileSync("python3", ["-B", script, "1000000", file], { env: { ...process.env, PYTHONPATH: path }, stdio: "pipe" });
  return file;
}
/** In the page: remembers when points are drawn on the map for the first time. */
function watchPoints() {
  const draw = CanvasRenderingContext2D.prototype.drawImage;
  globalThis.firstPoints = 0;
  CanvasRenderingContext2D.prototype.drawImage = function (image, ...rest) {
    draw.call(this, image, ...rest);
    if (globalThis.firstPoints > 0 || !this.canvas.classList.contains("samples")) return;
    const { data: pixels } = image.getContext("2d").getImageData(0, 0, image.width, image.height);
    if (pixels.some((value) => value > 0)) globalThis.firstPoints = performance.now();
  };
}
/** Megabytes of the process that shows the page, and of all that may: Chromium keeps a spare one. */
async function renderers() {
  const session = await browser.newBrowserCDPSession(),
    { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const sizes = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => id)
    .filter((id) => !readFileSync(`/proc/${id}/cmdline`, "utf8").includes("--top-chrome-webui")) // the frame of the window
    .map((id) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))[1]) / 1000);
  return { tab: Math.max(...sizes), all: sizes.reduce((sum, size) => sum + size, 0) };
}

/** body(item) of all items, three at a time: a page waits more than it computes. */
async function forAll(items, body) {
  const left = [...items];
  const one = async () => {
    while (left.length > 0) await body(left.shift());
  };
  await Promise.all([one(), one(), one()]);
}

// ---- What is tested ----

const tests = {
  async "opens every golden dataset on another server, with the number of samples that the tool tells"() {
    let numOpened = 0;
    await forAll([...goldenNames(), "landsat.tacozip", "landsat_nested.tacozip", "types.tacozip"], async (name) => {
      const refused = REFUSED.get(name);
      const page = await openedAt(name, "#sample=0", { ready: refused ? "#start .problem" : "#panels:not([hidden]), #start .problem" });
      try {
        if (refused) {
          assert.match(await page.textContent("#start .problem"), refused.says, name);
          return;
        }
        const [expected] = /\d+/.exec(tool("count", pathOf(name), "-q"));
        await waitForCount(page, expected === "1" ? "1 sample" : `${expected} samples`);
        await page.locator("#panel-sample .sample-body h3").first().waitFor();
        await page.waitForFunction(() => !/Reading/.test(document.getElementById("panel-sample").textContent));
        assert.deepEqual(await problemsOf(page), []);
        ++numOpened;
      } catch (error) {
        problems.push(`${name}: ${error.message}; ${await problemsOf(page)}`);
      } finally {
        await close(page);
      }
    });
    console.log(`     ${numOpened} datasets`);
    assert.ok(numOpened > 50);
  },

  async "selects the rows that the tool selects"() {
    let numFilters = 0;
    const names = [
      "flat.tacozip",
      "flat_padded.tacozip",
      "nested.tacozip",
      "times.tacozip",
      "polygons.tacozip",
      "wkt_points.tacozip",
      "lonlat_lists.tacozip",
      "stats.tacozip",
      "odd_names.tacozip",
      "landsat.tacozip",
      "landsat_nested.tacozip",
      "types.tacozip",
      "v1/flat.tortilla",
      "v1/nested.taco",
      "cascade_tacocat/.tacocat",
    ];
    await forAll(names, async (name) => {
      const path = pathOf(name),
        rows = queried(path),
        types = typesOf(path),
        page = await openedAt(name);
      const shown = await page.locator(".filter").evaluateAll((all) => all.map((each) => each.dataset.name));
      const cases = shown.flatMap((column) => (types.has(column) ? columnFilters(column, types.get(column), rows) : []));
      // Some two at once, of different columns.
      const pairs = cases.flatMap((one, i) => {
        const two = cases.slice(i + 1).find(({ filters }) => Object.keys(filters)[0] !== Object.keys(one.filters)[0]);
        return i % 3 === 0 && two ? [{ filters: { ...one.filters, ...two.filters }, both: [one, two] }] : [];
      });
      cases.push(...pairs.slice(0, 5));
      if (!isLong) cases.splice(0, cases.length, ...cases.filter((_, i) => i % 3 === 0));
      for (const each of cases) {
        const conditions = (each.both ?? [each]).map(({ sql }) => `(${sql})`);
        each.ids = idsOf(path, `SELECT id FROM data WHERE ${conditions.join(" AND ")}`);
      }
      const place = ["istac:geometry", "istac:centroid", "stac:centroid"].find((column) => types.has(column));
      for (const box of place && !/list/.test(types.get(place)) ? BOXES : [])
        cases.push({ filters: { area: { box } }, ids: idsInBox(rows, place, box) });
      for (const { filters, ids: expected } of cases) {
        await setFilters(page, filters);
        const { ids, byCode, code } = await selectedIds(page, path);
        const where = `${name} ${JSON.stringify(filters)}`;
        if (JSON.stringify(ids) !== JSON.stringify(expected)) problems.push(`${where}: ${ids} instead of ${expected}`);
        if (byCode && JSON.stringify(ids) !== JSON.stringify(byCode)) problems.push(`${where}: ${ids}, but ${code} gives ${byCode}`);
        const count = await countOf(page);
        if (count !== `${expected.length} of ${rows.length} sample${rows.length === 1 ? "" : "s"}`) problems.push(`${where}: ${count}`);
        ++numFilters;
      }
      await close(page);
    });
    console.log(`     ${numFilters} filters`);
    assert.ok(numFilters > (isLong ? 150 : 50));
  },

  async "shows the values of the pixels, and their grey"() {
    needPython("numpy, rasterio");
    const source = join(folder, "rasters"),
      output = join(made, "rasters.tacozip");
    mkdirSync(source);
    python(WRITE_RASTERS, source);
    const about = ["--id", "rasters", "--description", "A type each", "--license", "CC0-1.0", "--provider", "Example", "--task", "other"];
    tool("create", source, output, ...about);
    let numPixels = 0;
    for (const [name, samples] of [
      ["landsat.tacozip", ["tile_r0_c0", "tile_r2_c3"]],
      ["landsat_nested.tacozip", ["tile_r1_c2/optical", "tile_r1_c2/mask", "tile_r2_c1/dem"]],
      ["rasters.tacozip", idsOf(output)],
    ]) {
      const path = pathOf(name),
        rasters = storedRasters(path, samples),
        rows = idsOf(path);
      for (const [i, sample] of samples.entries()) {
        const [id, ...children] = sample.split("/"),
          raster = rasters[i],
          page = await openedAt(name, `#sample=${rows.indexOf(id)}`);
        const card = await cardOf(page, children.join("/") || id);
        numPixels += await checkPoints(page, card, raster, sample);
        await checkGrey(card, raster, sample);
        assert.deepEqual(await problemsOf(page), [], sample);
        await close(page);
      }
    }
    console.log(`     ${numPixels} pixels`);
  },

  async "asks for as little as the formats allow"() {
    tool("compile", join(data, "landsat.tacozip"), join(made, "landsat.tortilla"));
    const parts = join(made, "parts");
    mkdirSync(parts);
    for (const name of ["part1", "part2"]) copyFileSync(join(data, "landsat.tacozip"), join(parts, `${name}.tacozip`));
    tool("index", ...readdirSync(parts).map((name) => join(parts, name)));
    const cases = {
      "landsat.tacozip": { open: 2, samples: [1, 1] },
      "landsat_nested.tacozip": { open: 2, samples: [4, 4] }, // the table of the children, and three of them
      "landsat.tortilla": { open: 2, samples: [1, 1] },
      "v1/flat.tortilla": { open: 2, samples: [1, 1] },
      "nested": { open: 3 },
      "cascade_tacocat/.tacocat": { open: 4 },
      "parts/.tacocat": { open: 2, samples: [2, 1] },
    };
    for (const [name, { open, samples = [] }] of Object.entries(cases)) {
      other.log.length = 0;
      const page = await openedAt(name);
      const settled = async () => {
        let before;
        do {
          before = other.log.length;
          await page.waitForTimeout(300);
        } while (other.log.length !== before);
        return other.log.splice(0);
      };
      const opening = await settled();
      const textOf = (log) => log.map(({ method, path, range, bytes }) => `${method} ${path} ${range}: ${bytes}`).join(", ");
      assert.ok(opening.length <= open, `${name} is opened with ${textOf(opening)}`);
      console.log(`     ${name}: ${opening.length} requests, ${opening.reduce((sum, { bytes }) => sum + bytes, 0)} bytes`);
      for (const [row, most] of samples.entries()) {
        await page.locator(".grid [role=gridcell]:first-child").nth(row).click();
        await page.waitForFunction(() => document.querySelector(".card figcaption") && !document.querySelector(".card > p"));
        const asked = await settled();
        assert.ok(asked.length <= most, `sample ${row} of ${name} is read with ${textOf(asked)}`);
      }
      await close(page);
    }
  },

  async "explains servers that lie or fail while a dataset is opened"() {
    // A file that is too large to be read whole from a server without ranges.
    writeFileSync(join(made, "long.tacozip"), Buffer.concat([readFileSync(join(data, "landsat.tacozip")), Buffer.alloc(40 << 20)]));
    const servers = {
      "no-ranges/landsat.tacozip": null,
      "busy/landsat.tacozip": null,
      "dropped-once/landsat.tacozip": null,
      "bare/landsat.tacozip": null,
      "no-ranges/long.tacozip": /does not serve ranges.*download it and drop it/,
      ...Object.fromEntries(Object.entries(OPENING).map(([fault, says]) => [`${fault}/landsat.tacozip`, says])),
    };
    await forAll(Object.entries(servers), async ([path, says]) => {
      const page = await openedAt(path, "", { ready: says ? "#start .problem" : "#panels:not([hidden])", expected: SERVER_ERRORS });
      if (says) {
        const text = await page.textContent("#start .problem");
        checkSentence(text, says, path);
        await page.locator("textarea").fill(`${other.url}/landsat.tacozip`);
        await page.getByRole("button", { name: "Open", exact: true }).click();
      }
      await waitForCount(page, "16 samples");
      assert.deepEqual(await exportedIds(page), idsOf(join(data, "landsat.tacozip")), path);
      await close(page);
    });
  },

  async "explains servers that lie or fail while a sample is read"() {
    const raster = await firstRaster();
    for (const [fault, says] of Object.entries({ "no-ranges": null, "busy": null, "dropped-once": null, "bare": null, ...READING })) {
      const page = await openedAt("landsat.tacozip", "", { expected: SERVER_ERRORS });
      try {
        await waitForCount(page, "16 samples");
        other.setFault(fault);
        await page.locator(".grid [role=gridcell]").first().click();
        if (says) {
          const text = await page.textContent("#panel-sample .problem");
          checkSentence(text, says, fault);
          other.setFault(null);
          await page.getByRole("button", { name: "Next sample" }).click();
          await page.waitForFunction(() => document.querySelector("#panel-sample h2").textContent === "tile_r0_c1");
          await page.getByRole("button", { name: "Previous sample" }).click();
        }
        const card = await cardOf(page, "tile_r0_c0");
        if (raster) await checkPoints(page, card, raster, fault);
      } finally {
        other.setFault(null);
        await close(page);
      }
    }
  },

  async "notices that a file has changed since it was opened"() {
    const file = join(made, "changing.tacozip");
    copyFileSync(join(data, "landsat.tacozip"), file);
    const page = await openedAt("changing.tacozip");
    await waitForCount(page, "16 samples");
    copyFileSync(join(data, "landsat_nested.tacozip"), file);
    await page.locator(".grid [role=gridcell]").first().click();
    const text = await page.textContent("#panel-sample .problem");
    checkSentence(text, /changed since it was opened.*Open it again/, "changed");
    await page.goto(`${own.url}/free.html?url=${encodeURIComponent(`${other.url}/changing.tacozip`)}&again`);
    await waitForCount(page, "6 samples");
    await close(page);
  },

  async "shows a million rows soon, in little memory"() {
    const file = options.large ? resolve(options.large) : largeFile();
    const address = `${other.url}/20ms/${file.split("/").at(-1)}`;
    const page = await opened("/free.html", { ready: "#start:not([hidden])" });
    await page.addInitScript(watchPoints);
    const client = await page.context().newCDPSession(page);
    await client.send("Performance.enable");
    await page.goto(`${own.url}/free.html?url=${encodeURIComponent(address)}`);
    await page.waitForFunction(() => globalThis.firstPoints > 0);
    const firstPoints = await page.evaluate(() => globalThis.firstPoints);
    console.log(`     first points after ${Math.round(firstPoints)} ms`);
    assert.ok(firstPoints < 6000, `${firstPoints} ms`);
    await page.waitForFunction(
      () => location.hash.includes("view=") || document.getElementById("count").textContent === "1,000,000 samples",
    );
    const memory = [];
    const measure = async (what) => {
      const { metrics } = await client.send("Performance.getMetrics");
      const heap = metrics.find(({ name }) => name === "JSHeapUsedSize").value / 1e6,
        { tab, all } = await renderers();
      memory.push(tab);
      console.log(
        `     ${what}: ${Math.round(tab)} MB of the tab, ${Math.round(all)} MB with a spare process, heap ${Math.round(heap)} MB`,
      );
    };
    const go = async (what, fragment, isDone) => {
      const begin = Date.now();
      await page.evaluate((text) => (location.hash = text), fragment);
      await page.waitForFunction(isDone, null, { polling: 50 });
      await measure(`${what}, ${Date.now() - begin} ms`);
    };
    let asked;
    do {
      asked = other.log.length;
      await page.waitForTimeout(700);
    } while (other.log.length !== asked);
    await measure("opened");
    const isSelected = () => / of 1,000,000/.test(document.getElementById("count").textContent);
    await go("number", fragmentOf({ cloud: { min: 0.5 } }), isSelected);
    await go("time and class", fragmentOf({ "split": { labels: ["train"] }, "stac:time_start": { min: 0, max: 946684800000 } }), () =>
      /^[12]\d\d,\d{3} of/.test(document.getElementById("count").textContent),
    );
    await go("area", fragmentOf({ area: { box: [170, -60, -170, 60] } }), () =>
      /^4\d,\d{3} of/.test(document.getElementById("count").textContent),
    );
    await go("sorted by a number", "#sort=cloud", () => document.querySelector("[aria-sort=ascending]")?.textContent.startsWith("cloud"));
    await go("sorted by id", "#sort=-id", () => document.querySelector("[role=gridcell]")?.textContent === "sample_0999999");
    await go("coloured", "#sort=-id&colour=year", () => document.querySelector(".ramp"));
    await go("coloured by a text", "#sort=-id&colour=scene", () => /others/.test(document.querySelector(".keys")?.textContent));
    await go("text", "#filters=%7B%22id%22:%7B%22text%22:%22E_0001%22%7D%7D", () =>
      /^1,000 of/.test(document.getElementById("count").textContent),
    );
    await page.evaluate(() => (location.hash = "#"));
    await waitForCount(page, "1,000,000 samples");
    for (let i = 0; i < 40; ++i) {
      await page.evaluate((top) => (document.querySelector(".grid").scrollTop = top), 200_000 * i);
      await page.waitForTimeout(60);
    }
    await page.waitForFunction(() => !/…/.test(document.querySelector(".grid [role=gridcell]").textContent));
    await measure("scrolled");
    assert.ok(Math.max(...memory) < 600, `${Math.round(Math.max(...memory))} MB`);
    await close(page);
  },

  async "connects to no other server, and runs no other script"() {
    const page = await opened("/flat.html", { expected: [/Content Security Policy/] });
    await waitForCount(page, "16 samples");
    const found = await page.evaluate(async (url) => {
      const refused = [];
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => refused.push(effectiveDirective));
      const answer = await fetch(`${url}/landsat.tacozip`).then(
        () => "answered",
        (error) => error.name,
      );
      const script = document.createElement("script");
      script.textContent = "globalThis.injected = true";
      document.body.append(script);
      document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='globalThis.injected = true'>");
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { answer, refused, isInjected: "injected" in globalThis, own: (await fetch("landsat.tacozip", { method: "HEAD" })).status };
    }, other.url);
    assert.equal(found.answer, "TypeError");
    assert.equal(found.isInjected, false);
    assert.equal(found.own, 200);
    assert.ok(
      ["connect-src", "script-src-elem"].every((each) => found.refused.includes(each)),
      found.refused.join(),
    );
    await close(page);
  },
};

try {
  const numSkipped = await runTests(tests, problems);
  assert.deepEqual(
    [...own.log, ...other.log].filter(({ method }) => method === "OPTIONS"),
    [],
  );
  for (const each of problems) console.log(each);
  process.exitCode = problems.length > 0 ? 1 : numSkipped > 0 ? 77 : 0; // ctest tells that a part was skipped
} finally {
  await browser.close();
  await Promise.all([own.stop(), other.stop()]);
  rmSync(folder, { recursive: true });
}
