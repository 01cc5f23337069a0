// Workers: each does one task at a time. One that takes too long is ended, and its task fails.
import { fail, fromPlain, TacoError, toPlain } from "./errors.js";
import { fileOf, nodeModule } from "./files.js";
import { settings } from "./settings.js";

/** A larger footer is sent to each worker once; a smaller one with each task, so that workers need not keep it. */
export const SMALL_FOOTER = 64 << 10;

const IDLE = 10_000; // milliseconds after which a worker that has nothing to do is ended, and its memory is free

const workers = []; // { worker, tables, isBusy, timer }
const waiting = []; // settle when a worker is free
const patient = []; // the same, of tasks that let all others pass
let compiled; // the WebAssembly module, once

/** Runs a task of worker.js. `table` (tables.js) is known to a worker by its key once it has seen its footer. `isPatient`: it is one of
 * many, and those that someone waits for go first. */
export async function run(task, args, { signal, table, isPatient = false } = {}) {
  signal?.throwIfAborted();
  const one = await free(signal, isPatient ? patient : waiting);
  try {
    const isLarge = table?.footer.length > SMALL_FOOTER;
    const about = isLarge && one.tables.has(table.key) ? { ...table, footer: undefined } : table;
    if (isLarge) one.tables.add(table.key);
    return await finished(one, { task, args: table ? { ...args, table: about } : args }, signal);
  } finally {
    release(one);
  }
}

/** Starts a worker before its first task is there. */
export function prepare() {
  if (workers.length === 0) free(undefined, waiting).then(release, () => {}); // what the first task will tell
}

function release(one) {
  one.isBusy = false;
  if (workers.includes(one)) {
    one.timer = setTimeout(() => end(one), IDLE);
    one.timer.unref?.();
  }
  (waiting.shift() ?? patient.shift())?.();
}

async function free(signal, queue) {
  for (;;) {
    signal?.throwIfAborted();
    const idle = workers.find((one) => !one.isBusy);
    if (idle) {
      idle.isBusy = true;
      clearTimeout(idle.timer);
      return idle;
    }
    if (workers.length < numWorkers()) {
      const one = { isBusy: true, tables: new Set() };
      workers.push(one);
      try {
        one.worker = await start();
        return one;
      } catch (error) {
        workers.splice(workers.indexOf(one), 1);
        throw error instanceof TacoError ? error : new TacoError("TACORE_E_INTERNAL", `the decoder cannot be started: ${error.message}`);
      }
    }
    await new Promise((resolve) => queue.push(resolve));
  }
}

const numWorkers = () => settings.workers ?? Math.max(1, Math.min(4, globalThis.navigator?.hardwareConcurrency ?? 2));

function end(one) {
  const at = workers.indexOf(one);
  if (at >= 0) workers.splice(at, 1);
  clearTimeout(one.timer);
  one.worker.terminate();
}

/** The result of a task, with bytes of files given as it asks for them. The time that they take does not count. */
function finished(one, message, signal) {
  const { worker } = one;
  return new Promise((resolve, reject) => {
    let timer;
    const stop = (settle, value) => {
      clearTimeout(timer);
      worker.listen(null);
      signal?.removeEventListener("abort", aborted);
      settle(value);
    };
    const lost = (code, text) => {
      end(one);
      stop(reject, new TacoError(`TACORE_E_${code}`, text));
    };
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => lost("FORMAT", `decoding takes longer than ${settings.timeLimit} s: the file is damaged, or too large for this machine`), 1000 * settings.timeLimit);
      timer.unref?.();
    };
    const aborted = () => {
      end(one); // it may be in the middle of something
      stop(reject, signal.reason);
    };
    signal?.addEventListener("abort", aborted, { once: true });
    worker.listen(async (answer) => {
      if (answer.failure) return lost("MEMORY", `the decoder has stopped: ${answer.failure}`);
      if (answer.error) return stop(reject, fromPlain(answer.error));
      if (!answer.needs) return stop(resolve, answer.result);
      clearTimeout(timer);
      const { file, ranges } = answer.needs;
      try {
        const opened = fileOf(file) ?? fail("ARGUMENT", "the dataset has been closed");
        const found = await (ranges ? opened.read(ranges, signal) : opened.findSize(signal));
        if (signal?.aborted) return undefined;
        watch();
        // Copies of just these bytes move: a message with a part of a buffer would copy all of it.
        const given = ranges ? found.map((part) => part.slice()) : found;
        return worker.post({ given }, ranges ? given.map(({ buffer }) => buffer) : []);
      } catch (error) {
        if (signal?.aborted) return undefined;
        watch();
        return worker.post({ missing: toPlain(error) });
      }
    });
    watch();
    worker.post(message);
  });
}

async function start() {
  compiled ??= compile();
  compiled.catch(() => { compiled = undefined; });
  // The script of the worker is loaded while the module is compiled.
  const url = settings.worker ?? new URL("./worker.js", import.meta.url);
  const worker = typeof Worker === "undefined" ? await nodeWorker(url) : webWorker(url);
  try {
    worker.post({ wasm: await compiled });
    return worker;
  } catch (error) {
    worker.terminate();
    throw error;
  }
}

async function compile() {
  const given = (await settings.wasm) ?? new URL("./tacore.wasm", import.meta.url);
  if (given instanceof ArrayBuffer || ArrayBuffer.isView(given)) return WebAssembly.compile(given);
  const url = new URL(given, import.meta.url);
  if (url.protocol === "file:" && typeof document === "undefined") {
    const { readFile } = await import(/* @vite-ignore */ nodeModule("fs/promises"));
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href}: status ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

function webWorker(url) {
  const worker = new Worker(url, { type: "module" });
  let listener = null;
  worker.onmessage = ({ data }) => listener?.(data);
  worker.onerror = (event) => {
    event.preventDefault?.();
    listener?.({ failure: event.message ?? "it cannot be loaded" });
  };
  return { post: (message, memory = []) => worker.postMessage(message, memory), listen: (each) => { listener = each; }, terminate: () => worker.terminate() };
}

async function nodeWorker(url) {
  const { Worker: NodeWorker } = await import(/* @vite-ignore */ nodeModule("worker_threads"));
  const worker = new NodeWorker(new URL(url), { resourceLimits: { maxOldGenerationSizeMb: 2048 } });
  let listener = null;
  worker.on("message", (data) => listener?.(data));
  worker.on("error", (error) => listener?.({ failure: error.message }));
  // A worker that waits keeps no process alive; one that works does.
  const listen = (each) => {
    listener = each;
    if (each) worker.ref();
    else worker.unref();
  };
  worker.unref();
  return { post: (message, memory = []) => worker.postMessage(message, memory), listen, terminate: () => worker.terminate() };
}
