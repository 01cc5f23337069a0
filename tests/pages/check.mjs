#!/usr/bin/env node
// Proves that the web pages of the tool are valid HTML and accessible, at the width of a desktop and of a telephone, light and dark.
//
//     check.mjs TOOL [CASE...]
//
// TOOL is the program `taco`, CASE the name of a page in PAGES. html-validate reads each page; axe-core checks it in Chromium,
// which also must not ask for another file, write an error to the console, or scroll sideways; every copy button copies its code.
//
// Needs the packages of package.json, in the folder PACKAGES, and Chromium, at the path CHROMIUM; `run` sets both. Works in a
// temporary folder. With SCREENSHOTS=FOLDER it also writes there how each page looks.
import {execFileSync} from "node:child_process";
import fs from "node:fs";
import {createRequire} from "node:module";
import os from "node:os";
import path from "node:path";
import {fileURLToPath, pathToFileURL} from "node:url";

import {searches} from "./search.mjs";

const require = createRequire(path.resolve(process.env.PACKAGES, "package.json"));
const {HtmlValidate} = require("html-validate");
const puppeteer = require("puppeteer-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf-8");

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const SCRATCH = fs.mkdtempSync(path.join(os.tmpdir(), "tacore-pages-"));
const [TOOL, ...WANTED] = process.argv.slice(2);
const LOOKS = [1280, 420].flatMap(width => ["light", "dark"].map(scheme => ({width, scheme})));

const taco = (...given) => execFileSync(path.resolve(TOOL), given, {encoding: "utf-8", stdio: ["ignore", "pipe", "inherit"]});

// The page of a dataset, and of one that exists in this repository.
function describe(dataset, page, ...options) {
  taco("describe", dataset, "--as", "html", "-o", page, ...options);
}
const stored = (dataset, ...options) => page => describe(path.join(ROOT, dataset), page, ...options);

// Texts that a page has to escape.
function hostile(page) {
  const folder = path.dirname(page), text = "</script><script>alert('\"&é')</script> `a|b` *c* <img src=x onerror=alert(1)>";
  fs.writeFileSync(path.join(folder, "a.txt"), "sample");
  const row = {id: "<b>.txt", path: path.join(folder, "a.txt"), "istac:time_start": "2020-01-01T00:00:00Z", split: text, label: text};
  fs.writeFileSync(path.join(folder, "rows.jsonl"), JSON.stringify(row) + "\n");
  const collection = {
    id: "hostile", title: text, description: text + "\n\n" + text, licenses: [text], keywords: [text], tasks: ["other"],
    providers: [{name: text, organization: text}], "labels:classes": [{name: text, category: "0", description: text}],
    "optical:bands": [{name: text, description: text}], "rai:data_biases": text};
  fs.writeFileSync(path.join(folder, "collection.json"), JSON.stringify(collection));
  const dataset = path.join(folder, "hostile.tacozip");
  taco("create", path.join(folder, "rows.jsonl"), dataset, "--collection", path.join(folder, "collection.json"));
  describe(dataset, page);
}

// So many samples that the map shows their density, with columns that are counted.
function dense(page) {
  const folder = path.dirname(page), features = [];
  fs.writeFileSync(path.join(folder, "a.txt"), "sample");
  for (let i = 0; i < 500; ++i) {
    const place = {type: "Point", coordinates: [i % 25, 40 + Math.sqrt(i)]};
    const properties = {id: `s${i}`, path: path.join(folder, "a.txt"), split: i % 5 ? "train" : "test", land_cover: i % 3};
    features.push({type: "Feature", geometry: place, properties});
  }
  fs.writeFileSync(path.join(folder, "rows.geojson"), JSON.stringify({type: "FeatureCollection", features}));
  const about = ["--id", "dense", "--license", "MIT", "--provider", "x", "--task", "other", "--title", "Dense", "--description", "D"];
  taco("create", path.join(folder, "rows.geojson"), path.join(folder, "dense.tacozip"), ...about);
  describe(path.join(folder, "dense.tacozip"), page);
}

// A catalogue of datasets of all kinds, the hostile one among them.
function catalogue(page) {
  const folder = path.dirname(page), archive = path.join(folder, "archive");
  fs.mkdirSync(archive);
  hostile(path.join(archive, "page.html"));
  for (const name of ["examples/data", "tests/golden"]) fs.symlinkSync(path.join(ROOT, name), path.join(archive, path.basename(name)));
  taco("site", "-q", archive, "-o", path.join(folder, "site"), "--title", "Datasets </title> & more");
  fs.renameSync(path.join(folder, "site"), `${folder}-site`);
  fs.rmSync(folder, {recursive: true});
  fs.renameSync(`${folder}-site`, folder);
}

// Name: a function that writes the page at a path.
const PAGES = {
  landsat: stored("examples/data/landsat.tacozip", "--base-url", "https://example.org/data"),
  landsat_nested: stored("examples/data/landsat_nested.tacozip"),
  nested: stored("tests/golden/nested"),
  tacocat: stored("tests/golden/cascade_tacocat"),
  no_extent: stored("tests/golden/no_extent.tacozip"),
  v1: stored("tests/golden/v1/flat.taco"),
  hostile,
  dense,
  catalogue,
};

// Rules of html-validate that are a matter of taste.
const VALIDATOR = new HtmlValidate({
  extends: ["html-validate:recommended"],
  rules: {"long-title": "off", "no-trailing-whitespace": "off", "no-inline-style": "off"},
});

async function looks(browser, name, file, {width, scheme}) {
  const tab = await browser.newPage(), faults = [], address = pathToFileURL(file).href;
  tab.on("console", message => ["error", "warn"].includes(message.type()) && faults.push(`console: ${message.text()}`));
  tab.on("pageerror", error => faults.push(`error: ${error}`));
  tab.on("request", request => {
    const asked = request.url();
    if (asked !== address && !asked.startsWith("data:")) faults.push(`asks for ${asked}`);
  });
  await tab.setViewport({width, height: 900});
  await tab.emulateMediaFeatures([{name: "prefers-color-scheme", value: scheme}]);
  await tab.goto(address);
  const wide = await tab.evaluate("document.documentElement.scrollWidth");
  if (wide > width) faults.push(`scrolls sideways: ${wide} pixels wide`);
  await tab.evaluate(axe);
  const {violations} = await tab.evaluate("axe.run()");
  for (const {id, help, nodes} of violations) faults.push(`${id}: ${help}: ${nodes.slice(0, 3).map(node => node.html).join(" ")}`);
  if (process.env.SCREENSHOTS) {
    await tab.screenshot({path: path.join(process.env.SCREENSHOTS, `${name}-${width}-${scheme}.png`), fullPage: true});
  }
  await tab.close();
  return faults.map(fault => `${width} pixels, ${scheme}: ${fault}`);
}

async function copies(browser, file) {
  const tab = await browser.newPage();
  await tab.goto(pathToFileURL(file).href);
  // A page of a file may not read the clipboard, so that what is written to it is kept instead.
  await tab.evaluate("navigator.clipboard.writeText = async text => { window.copied = text; }");
  const faults = [];
  for (const button of await tab.$$("button.copy")) {
    await button.click();
    const [found, wanted] = await button.evaluate(
      one => [window.copied, one.parentElement.querySelector("pre").textContent]);
    if (found !== wanted) faults.push(`a copy button copies ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  }
  await tab.close();
  return faults;
}

async function check(browser, name) {
  const folder = path.join(SCRATCH, name), file = path.join(folder, "index.html");
  fs.mkdirSync(folder);
  PAGES[name](file);
  const report = await VALIDATOR.validateFile(file);
  const faults = report.results.flatMap(result => result.messages).map(
    ({line, column, ruleId, message}) => `${line}:${column}: ${message} (${ruleId})`);
  for (const look of LOOKS) faults.push(...await looks(browser, name, file, look));
  if (name === "catalogue") faults.push(...await searches(browser, file, JSON.parse(taco("info", folder, "--json"))));
  return [...faults, ...await copies(browser, file)];
}

const unknown = WANTED.filter(name => !(name in PAGES));
if (unknown.length > 0 || !TOOL) {
  console.error(TOOL ? `no page is called ${unknown.join(", ")}; there are ${Object.keys(PAGES).join(", ")}` : "check.mjs TOOL [CASE...]");
  process.exit(2);
}
const browser = await puppeteer.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"]});
let failed = 0, passed = 0;
try {
  for (const name of WANTED.length > 0 ? WANTED : Object.keys(PAGES)) {
    const faults = await check(browser, name);
    faults.length > 0 ? ++failed : ++passed;
    for (const fault of faults) console.log(`FAILED ${name}: ${fault}`);
  }
} finally {
  await browser.close();
  fs.rmSync(SCRATCH, {recursive: true});
}
console.log(`${passed} pages passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
