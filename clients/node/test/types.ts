// What the types promise, for `tsc --noEmit`: this file is compiled and not run.
import { create, open, TacoError, type Batch, type Rows, type Tensor, type Value } from "@tacore/node";

const dataset = await open(["a.tacozip", new URL("https://host/b.tacozip")], { mode: "strict", maxTries: 2, signal: AbortSignal.timeout(10) });
const rows: Rows = await dataset.filterBbox([0, 0, 1, 1], { level: 1 }).filterDatetime([new Date(), new Date()]).sql("SELECT * FROM data").rows();
const value: Value = rows.at(0).get("id");
const tensor: Tensor = await rows.at(0).child("optical").pixels({ bands: [1], window: [0, 0, 1, 1], dtype: "float32", scale: [[0.1, 1]] });
const numbers: number[] = tensor.shape;
for await (const batch of rows.batches({ inputs: ["mask", { path: "optical", bands: [1] }], batchSize: 2 })) {
  const each: Batch = batch;
  numbers.push(...each.positions);
}
await create([{ id: "a", data: new Uint8Array(), n: 1n, day: new Date(), list: [1, 2], none: null }], "b.tacozip", { id: "b" });
await create({ id: ["a"], moment: { type: "timestamp", values: [1n] } }, new URL("file:///b"), {}, { overwrite: true });
const computed = await rows.statistics({ compute: true, bands: [1] });
console.log(value, computed.bands[0].mean, new TacoError("TACORE_E_IO", "text").code);

using raster = await rows.at(0).raster();
console.log((await raster.about()).crs);

// @ts-expect-error A box has four numbers.
dataset.filterBbox([0, 0, 1]);
// @ts-expect-error There is no such type of pixels.
await rows.at(0).pixels({ dtype: "complex" });
// @ts-expect-error Datasets are made by open().
new (dataset.constructor as typeof import("@tacore/node").Dataset)();
