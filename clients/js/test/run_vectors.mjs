// Runs the vectors in Node.
//   node run_vectors.mjs PACKAGE ROOT [PATTERN]     PACKAGE: index.js of the package; ROOT: of the repository
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { faultOf, isOurs } from "./vectors.mjs";

const [, , script, given, pattern = ""] = process.argv;
const root = resolve(given);
const tacore = await import(pathToFileURL(resolve(script)));
const folder = join(root, "tests/clients/vectors");
const all = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n").map((line) => JSON.parse(line)));
const vectors = all.filter((vector) => isOurs(vector) && vector.name.includes(pattern));

const server = spawn("python3", ["-B", join(root, "tests/clients/serve.py")], { stdio: ["pipe", "pipe", "inherit"] });
const url = String((await once(server.stdout, "data"))[0]).trim();
let numFailed = 0;
for (const vector of vectors) {
  const fault = await faultOf(tacore, vector, root, url);
  if (!fault) continue;
  ++numFailed;
  console.log(`${vector.name}: ${fault}`);
}
server.stdin.end();
console.log(`${vectors.length} of ${all.length} vectors (the others need SQL, batches or writing), ${numFailed} failed`);
process.exitCode = numFailed > 0 || vectors.length === 0 ? 1 : 0;
