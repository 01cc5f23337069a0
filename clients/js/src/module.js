// Calls of the WebAssembly module: memory, results, and the bytes that a call asks for.

const decoder = new TextDecoder();
const encoder = new TextEncoder();

const OK = 0, NEEDS_BYTES = 2;

export class DecodeError extends Error {
  constructor(code, path, offset, message) {
    super(path && !message.includes(path) ? `${path}: ${message}` : message);
    this.name = "DecodeError";
    this.code = code;
    this.path = path;
    this.offset = offset;
  }
}

export class Module {
  #exports;

  /** From what WebAssembly.compile() returned. */
  static async load(compiled) {
    const self = new Module();
    const none = () => 0;
    const imports = {
      js: { parse_number: (at, size) => numberOf(self.#text(at, size)) },
      env: { emscripten_notify_memory_growth: none },
      wasi_snapshot_preview1: {
        environ_sizes_get: none,
        environ_get: none,
        proc_exit: (status) => { throw new Error(`the module has ended with status ${status}`); },
      },
    };
    const instance = await WebAssembly.instantiate(compiled, imports);
    self.#exports = instance.exports;
    self.#exports._initialize();
    return self;
  }

  /** Calls a function: Uint8Array and text are passed as an address and a size, typed arrays of numbers as an address. The result is
   * `as` one of bytes, text, numbers (doubles). */
  call(name, args, as = "bytes") {
    const { value, needs } = this.#attempt(name, args, as);
    if (needs) throw new DecodeError("INTERNAL", "", undefined, `${name} needs bytes of a file`);
    return value;
  }
  /** The same of a function that reads the object `file`: `read(ranges)` promises bytes for each { offset, size }. */
  async callReading(name, args, file, read, as = "bytes") {
    for (;;) {
      const { value, needs } = this.#attempt(name, args, as);
      if (!needs) return value;
      const parts = await read(needs);
      needs.forEach(({ offset }, i) => this.call("file_give", [file, offset, parts[i]]));
    }
  }
  /** Warnings since the last call. */
  takeWarnings() {
    this.#exports.take_warnings();
    return decoder.decode(this.#result()).split("\n").filter(Boolean);
  }
  crc32(bytes) {
    return this.#once("crc32", [bytes]) >>> 0;
  }
  close(number) {
    this.#exports.close(number);
  }
  /** The number of bytes that the module has; it never shrinks. */
  get memorySize() {
    return this.#exports.memory.buffer.byteLength;
  }

  #attempt(name, args, as) {
    const status = this.#once(name, args);
    const result = this.#result();
    if (status === OK) return { value: as === "text" ? decoder.decode(result) : as === "numbers" ? doubles(result) : result };
    if (status !== NEEDS_BYTES) {
      const [code, path, offset, ...message] = decoder.decode(result).split("\n");
      throw new DecodeError(code, path, offset === "" ? undefined : Number(offset), message.join("\n"));
    }
    const needs = [];
    const ranges = doubles(result);
    for (let i = 0; i < ranges.length; i += 2) needs.push({ offset: ranges[i], size: ranges[i + 1] });
    return { needs };
  }
  #once(name, args) {
    const held = [];
    const put = (bytes) => {
      const at = this.#exports.allocate(bytes.byteLength);
      if (at === 0) throw new DecodeError("MEMORY", "", undefined, `no memory for ${bytes.byteLength} bytes`);
      held.push(at);
      new Uint8Array(this.#exports.memory.buffer, at, bytes.byteLength).set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      return at;
    };
    try {
      const given = args.flatMap((each) => {
        if (typeof each === "string") each = encoder.encode(each);
        if (each instanceof Uint8Array) return [put(each), each.length];
        return ArrayBuffer.isView(each) ? [put(each)] : [each];
      });
      return this.#exports[name](...given);
    } finally {
      for (const at of held) this.#exports.release(at);
    }
  }
  #result() {
    const at = this.#exports.result_data();
    const out = new Uint8Array(this.#exports.memory.buffer, at, this.#exports.result_size()).slice();
    this.#exports.drop_result();
    return out;
  }
  #text(at, size) {
    return decoder.decode(new Uint8Array(this.#exports.memory.buffer, at, size));
  }
}

const doubles = (bytes) => new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);

function numberOf(text) {
  const word = text.toLowerCase();
  if (word.endsWith("nan")) return NaN;
  if (word.includes("inf")) return word.startsWith("-") ? -Infinity : Infinity;
  return Number(text);
}
