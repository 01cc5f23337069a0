// The page in the repository is what its sources make: node same.mjs BUILT KEPT
//
// The WebAssembly module is compared as it is when it is unpacked, since versions of zlib pack differently.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const WASM = /(<script type="text\/plain" id="wasm">)([^<]*)/;
const [built, kept] = process.argv.slice(2, 4).map((path) => {
  const page = readFileSync(path, "utf8"),
    packed = WASM.exec(page)[2];
  return { page: page.replace(WASM, "$1"), wasm: gunzipSync(Buffer.from(packed, "base64")) };
});
const different = [built.page !== kept.page && "script, style or text", !built.wasm.equals(kept.wasm) && "the WebAssembly module"].filter(Boolean);
if (different.length > 0) {
  console.error(`viewer/page.html is not what its sources make: ${different.join(" and ")}. \`viewer/check update\` renews it.`);
  process.exit(1);
}
console.log(`the same: ${built.page.length} characters and a module of ${built.wasm.length} bytes`);
