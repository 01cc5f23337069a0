/** An error of the library: its code, and where it happened. */
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
