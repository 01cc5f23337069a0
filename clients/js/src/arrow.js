// A table of apache-arrow, which the caller hands in.

export function toArrow(arrow, rows) {
  return new arrow.Table(Object.fromEntries(rows.columns.map((name) => [name, vectorOf(arrow, rows.column(name))])));
}

function vectorOf(arrow, column) {
  const type = { int32: () => new arrow.Int32(), int64: () => new arrow.Int64(), double: () => new arrow.Float64(), date: () => new arrow.DateDay(),
    timestamp: () => new arrow.TimestampMicrosecond("UTC") }[column.type]?.();
  // Values of other types are made one by one.
  if (!type) {
    const values = column.toArray();
    const simple = { bool: () => new arrow.Bool(), string: () => new arrow.Utf8(), binary: () => new arrow.Binary() }[column.type];
    return arrow.vectorFromArray(values, simple ? simple() : typeOf(arrow, values));
  }
  const nullBitmap = new Uint8Array((column.length + 7) >> 3);
  let nullCount = 0;
  for (let row = 0; row < column.length; ++row) {
    if (column.isNull(row)) ++nullCount;
    else nullBitmap[row >> 3] |= 1 << (row & 7);
  }
  return arrow.makeVector(arrow.makeData({ type, length: column.length, nullCount, nullBitmap: nullCount > 0 ? nullBitmap : undefined, data: column.values }));
}

/** The type of values of a nested column: numbers are doubles, since all of them fit. */
function typeOf(arrow, values) {
  const some = values.filter((value) => value !== null && value !== undefined);
  const [first] = some;
  const field = (name, items) => new arrow.Field(name, typeOf(arrow, items), true);
  if (first instanceof Uint8Array) return new arrow.Binary();
  if (first instanceof Date) return new arrow.TimestampMillisecond("UTC");
  if (Array.isArray(first)) return new arrow.List(field("item", some.flat()));
  if (typeof first === "object") return new arrow.Struct(Object.keys(first).map((name) => field(name, some.map((value) => value[name]))));
  if (typeof first === "boolean") return new arrow.Bool();
  if (typeof first === "number" || typeof first === "bigint") return some.some((value) => typeof value === "bigint") ? new arrow.Int64() : new arrow.Float64();
  return new arrow.Utf8();
}
