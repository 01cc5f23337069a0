#!/usr/bin/env node
// Does the package for JavaScript read what the published readers of Python read: all ids, and the bytes of the first sample?
//   browser_readers.mjs WORK --package DIST
// WORK: a folder for 800 MB of published packages, kept. DIST: `dist` of the package as it is installed. Prints a line for each
// golden file and example; ends with 1 where both read a file and differ.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { devNull } from "node:os";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const READERS = {
  2: { name: "tacoreader 2.4.21", packages: ["tacoreader==2.4.21", "duckdb<2", "pandas", "nanobind-backend"] },
  1: { name: "tacoreader 0.5.6", packages: ["tacoreader==0.5.6", "pandas", "pyarrow"] },
};
const root = resolve(import.meta.dirname, "..");

// A line of JSON for each file: ids and SHA-256, or the error. What a FOLDER is, it is read by its first child.
const PYTHON = String.raw`
import contextlib, hashlib, json, logging, os, sys, warnings
warnings.simplefilter("ignore")
logging.disable(logging.WARNING)
import tacoreader

def first_bytes(rows):
    found = rows.read(0)
    if isinstance(found, bytes):
        return found
    if not isinstance(found, str):
        return first_bytes(found)
    if not found.startswith("/vsisubfile/"):
        return open(found, "rb").read()
    place, _, path = found.removeprefix("/vsisubfile/").partition(",")
    offset, size = map(int, place.split("_"))
    with open(path, "rb") as file:
        file.seek(offset)
        return file.read(size)

def answer(path):
    with contextlib.redirect_stdout(sys.stderr):
        opened = tacoreader.load(path)
        if hasattr(opened, "data"):
            table = opened.data
            ids = table.to_arrow()["id"].to_pylist()
        else:
            table = opened
            ids = list(table["tortilla:id"])
        return {"ids": ids, "sha256": hashlib.sha256(first_bytes(table)).hexdigest()}

@contextlib.contextmanager
def without_metadata_of_pandas():
    from pyarrow import pandas_compat
    made = pandas_compat.table_to_dataframe
    pandas_compat.table_to_dataframe = lambda options, table, *more, **named: made(options, table.replace_schema_metadata(None), *more, **named)
    try:
        yield
    finally:
        pandas_compat.table_to_dataframe = made

for path in sys.argv[1:]:
    try:
        out = answer(path)
    except BaseException as error:
        out = {"error": f"{type(error).__name__}: {' '.join(str(error).split())[:100]}"}
        if "index_columns" in str(error):  # pandas' own metadata are not whole in this file: that the reader fails is known
            try:
                with without_metadata_of_pandas():
                    out = {**answer(path), "note": "without the metadata of pandas, of which the reader needs more"}
            except BaseException as again:
                out["error"] += f", then {type(again).__name__}: {' '.join(str(again).split())[:100]}"
    print(json.dumps(out), flush=True)
os._exit(0)  # threads of its own may end it otherwise
`;

function filesOf() {
  const golden = join(root, "tests/golden"), examples = join(root, "examples/data");
  const in_ = (folder, pattern) => readdirSync(folder).filter((name) => pattern.test(name)).sort().map((name) => join(folder, name));
  return {
    2: [...in_(golden, /\.(tacozip|zip)$/), join(golden, "nested"), join(golden, "nested_padded"), join(golden, "cascade_tacocat/.tacocat"), ...in_(examples, /\.tacozip$/)],
    1: in_(join(golden, "v1"), /\.(taco|tortilla)$/),
  };
}

function byPython(work, version, files) {
  const folder = join(work, `readers${version}`);
  if (!existsSync(folder)) {
    execFileSync("python3", ["-m", "pip", "install", "-q", "--no-warn-conflicts", "--root-user-action", "ignore", "--target", folder, ...READERS[version].packages], { stdio: ["ignore", "ignore", "inherit"] });
  }
  const env = { ...process.env, PYTHONPATH: folder, HOME: devNull }; // so that it downloads no extension of DuckDB
  const text = execFileSync("python3", ["-B", "-c", PYTHON, ...files], { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 28 });
  return text.trim().split("\n").map((line) => JSON.parse(line));
}

async function byPackage(open, file) {
  try {
    const rows = await (await open(file)).rows();
    let sample = rows.at(0);
    while (sample.type === "FOLDER") sample = (await sample.children()).at(0);
    return { ids: Array.from(rows, ({ id }) => id), sha256: createHash("sha256").update(await sample.bytes()).digest("hex") };
  } catch (error) {
    return { error: `${error.code ?? error.name}: ${error.message.slice(0, 100)}` };
  }
}

const { values: options, positionals } = parseArgs({ allowPositionals: true, options: { package: { type: "string" } } });
if (positionals.length !== 1 || !options.package) {
  console.error("browser_readers.mjs WORK --package DIST");
  process.exit(2);
}
const work = resolve(positionals[0]);
mkdirSync(work, { recursive: true });
const { open } = await import(pathToFileURL(join(resolve(options.package), "index.js")));
const counts = { equal: 0, differs: 0, "one or both refuse": 0 };
console.log("| file | reader | ids | result |\n|---|---|---|---|");
for (const [version, files] of Object.entries(filesOf())) {
  const theirs = byPython(work, version, files);
  for (const [i, file] of files.entries()) {
    const ours = await byPackage(open, file), their = theirs[i] ?? { error: "the process has ended" };
    const isEqual = !ours.error && JSON.stringify([ours.ids, ours.sha256]) === JSON.stringify([their.ids, their.sha256]);
    const clean = (text) => text.replaceAll(`${root}/`, "").replaceAll("|", "\\|");
    const refusals = [their.error && `the reader fails: ${clean(their.error)}`, ours.error && `the package refuses: ${clean(ours.error)}`].filter(Boolean);
    const result = refusals.length > 0 ? refusals.join("; ") : isEqual ? "equal" : "DIFFERS";
    ++counts[refusals.length > 0 ? "one or both refuse" : isEqual ? "equal" : "differs"];
    console.log(`| ${relative(root, file)} | ${READERS[version].name} | ${ours.ids?.length ?? ""} | ${result}${their.note ? `, ${their.note}` : ""} |`);
  }
}
console.log(`\n${Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(", ")}`);
process.exit(counts.differs > 0 ? 1 : 0);
