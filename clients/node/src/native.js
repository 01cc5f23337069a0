// The native part, in this order: TACORE_NODE (a file), a build of this folder, the package for this platform.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);

function load() {
  const built = fileURLToPath(new URL("../build/tacore.node", import.meta.url));
  for (const file of [process.env.TACORE_NODE, built]) {
    if (file && existsSync(file)) return require(file);
  }
  const name = `@tacore/node-${process.platform}-${process.arch}`;
  try {
    return require(`${name}/tacore.node`);
  } catch (error) {
    throw new Error(`tacore: ${name} is not installed, which has the native library for this platform: ${error.message}`);
  }
}

export const native = load();
const { major, minor } = native.version();
if (major !== 1 || minor < 0) throw new Error(`tacore: libtacore_c ${major}.${minor} does not fit this package, which needs 1.0`);
