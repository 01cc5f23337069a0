/** An error of the package: its code, and where it happened. */
export class TacoError extends Error {
  constructor(code, message, where = {}) {
    super(message);
    this.name = "TacoError";
    this.code = code;
    this.path = where.path || undefined;
    this.offset = where.offset >= 0 ? where.offset : undefined;
    this.level = where.level >= 0 ? where.level : undefined;
  }
}

/** `fail("FORMAT", ...)` throws TACORE_E_FORMAT; the message begins with the path. */
export function fail(code, message, where = {}) {
  throw new TacoError(`TACORE_E_${code}`, where.path ? `${where.path}: ${message}` : message, where);
}

/** What crosses from a worker and back: errors lose their class on the way. */
export const toPlain = ({ name, code, message, path, offset, level }) => ({ name, code, message, path, offset, level });
export function fromPlain({ name, code, message, ...where }) {
  if (name === "TacoError") return new TacoError(code, message, where);
  if (name === "DecodeError") return new TacoError(`TACORE_E_${code}`, message, where);
  // What a damaged file does to the Parquet library, and to the memory of a worker.
  const isMemory = /memory|allocation|array (buffer )?length/i.test(message);
  return new TacoError(isMemory ? "TACORE_E_MEMORY" : "TACORE_E_FORMAT", message, where);
}
