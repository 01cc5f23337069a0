// Options of the process, or of the page.
export const settings = { wasm: undefined, worker: undefined, workers: undefined, timeLimit: 30, cacheSize: 64 << 20, maxTries: 5 };

/** Workers that run already keep theirs. */
export function setOptions(options) {
  for (const [name, value] of Object.entries(options)) {
    if (!(name in settings)) throw new TypeError(`unknown option '${name}'; there are ${Object.keys(settings).join(", ")}`);
    if (value !== undefined) settings[name] = value;
  }
}
