// The code that the page shows for a selection and for a sample selects and reads the same in every language.
//   node code.mjs BUILD --tool TACO     BUILD: the build folder, whose tests of clients/ have installed the packages of languages
// A language that is missing is skipped: then the exit code is 77, unless something failed. It is 77 where the tool is missing, too.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { codeFor } from "../src/code.js";

const {
  values: options,
  positionals: [build],
} = parseArgs({ allowPositionals: true, options: { tool: { type: "string" } } });
if (!options.tool || !existsSync(options.tool)) {
  console.log("skipped: the command-line tool is not there (--tool)");
  process.exit(77);
}
const root = resolve(import.meta.dirname, "../.."),
  folder = mkdtempSync(join(tmpdir(), "tacore-code-"));
const capi = join(resolve(build), "capi/tacore-c"),
  julia = [join(root, "build/julia/julia"), "julia"].find((each) => !each.includes("/") || existsSync(each)),
  packageOfJs = join(resolve(build), "clients/js/user/node_modules/tacore/dist/index.js");

/** How each language runs, what its packages are found by, and what prints the ids of rows or the size of an image. */
const LANGUAGES = {
  Python: {
    file: "code.py",
    command: ["python3", "-B"],
    test: ["-c", "import tacore"],
    env: { PYTHONPATH: [join(resolve(build), "python"), process.env.PYTHONPATH ?? ""].join(":") },
    ids: 'print(*rows["id"], sep="\\n")',
    size: "print(*sorted(pixels.shape))",
  },
  R: {
    file: "code.R",
    command: ["Rscript"],
    test: ["-e", "library(tacore)"],
    env: { TACORE_HOME: capi, R_LIBS: join(resolve(build), "clients/r/library") },
    ids: 'cat(x$id, sep = "\\n")',
    size: "cat(sort(dim(pixels)))",
  },
  Julia: {
    file: "code.jl",
    command: [julia, "--color=no"],
    test: ["-e", "using Tacore"],
    env: { TACORE_HOME: capi, JULIA_LOAD_PATH: `${join(root, "clients/julia")}:@stdlib`, JULIA_DEPOT_PATH: join(resolve(build), "clients/julia/depot") },
    ids: "foreach(println, t.id)",
    size: "println(join(sort(collect(size(image))), ' '))",
  },
  JavaScript: {
    file: "code.mjs",
    command: ["node"],
    test: ["--input-type=module", "-e", `await import(${JSON.stringify(String(pathToFileURL(packageOfJs)))})`],
    env: {},
    ids: "for (const row of rows) console.log(row.id);",
    size: "console.log(shape.toSorted((a, b) => a - b).join(' '));",
  },
};
const run = (command, args, env) =>
  execFileSync(command, args, { encoding: "utf8", env: { ...process.env, LC_ALL: "C.UTF-8", ...env }, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
const dataset = (name) => join(root, "examples/data", name);

const COLUMNS = new Map([
  ["id", { type: "string", unit: 1 }],
  ["split", { type: "string", unit: 1 }],
  ["vegetation", { type: "double", unit: 1 }],
  ["stac:time_start", { type: "timestamp", unit: 1 }],
]);
const SELECTIONS = {
  "all samples": {},
  "a range": { vegetation: { min: 0.1, max: 0.6 } },
  "an open range, classes and times": {
    "vegetation": { min: 0.05 },
    "split": { labels: ["train", "validation"] },
    "stac:time_start": { min: 0, max: 946684800000 },
  },
  "a part of a text": { id: { text: "R1_" } },
  "a class or none": { split: { labels: ["test", null] } },
  "a box": { area: { box: [-34.87, -8.05, -34.84, -7.98] } },
  "a shape as ids, with a quote": { area: { polygon: [[0, 0], [1, 0], [1, 1]] } },
};

let numFailed = 0,
  numSkipped = 0;
function check(name, body) {
  try {
    body();
    console.log(`ok   ${name}`);
  } catch (error) {
    ++numFailed;
    console.log(`FAIL ${name}: ${String(error.stderr || error.stack).trim().split("\n").slice(-6).join("\n")}`);
  }
}
const linesOf = (text) => text.split("\n").filter(Boolean);
function printed(language, code, end) {
  const { file, command, env } = LANGUAGES[language];
  const text = language === "JavaScript" ? code.replace('from "tacore"', `from ${JSON.stringify(packageOfJs)}`) : code;
  writeFileSync(join(folder, file), `${text}\n${end}\n`);
  return run(command[0], [...command.slice(1), join(folder, file)], env);
}

try {
  const present = Object.keys(LANGUAGES).filter((language) => {
    const { command, test, env } = LANGUAGES[language];
    try {
      run(command[0], [...command.slice(1), ...test], env);
      return true;
    } catch {
      console.log(`skipped: ${language} or its package is not installed`);
      ++numSkipped;
      return false;
    }
  });
  const isLong = process.env.TACORE_LONG_TESTS !== undefined; // each second one in other runs
  for (const [name, filters] of Object.entries(SELECTIONS).filter((_, i) => isLong || i % 2 === 0)) {
    const ids = filters.area?.polygon ? ["tile_r0_c1", "it's not there", "tile_r3_c2"] : null;
    const codes = new Map(codeFor({ filters, columns: COLUMNS, address: dataset("landsat.tacozip"), sample: null, ids }));
    const command = codes.get("taco").trimEnd().replace(/^taco /, `'${resolve(options.tool)}' `);
    const [, ...expected] = linesOf(execFileSync("sh", ["-c", `${command} --columns id -f csv`], { encoding: "utf8" }));
    assert.ok(expected.length > 0 && expected.length <= 16, name);
    for (const language of present)
      check(`${language}: ${name}`, () => assert.deepEqual(linesOf(printed(language, codes.get(language), LANGUAGES[language].ids)), expected));
  }
  for (const [name, sample, size] of [
    ["landsat.tacozip", { id: "tile_r2_c1", path: null }, "6 64 64"],
    ["landsat_nested.tacozip", { id: "tile_r1_c2", path: "optical" }, "6 64 64"],
  ]) {
    const codes = new Map(codeFor({ filters: {}, columns: COLUMNS, address: dataset(name), sample, ids: null }));
    for (const language of present)
      check(`${language}: a sample of ${name}`, () => assert.equal(printed(language, codes.get(language), LANGUAGES[language].size).trim(), size));
    check(`taco: a sample of ${name}`, () => {
      execFileSync("sh", ["-c", codes.get("taco").replace(/^taco /, `'${resolve(options.tool)}' `)], { cwd: folder });
      assert.equal(readFileSync(join(folder, `${sample.path ?? sample.id}.tif`)).subarray(0, 2).toString(), "II");
    });
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(numFailed > 0 ? 1 : numSkipped > 0 ? 77 : 0); // ctest tells that a language was skipped
