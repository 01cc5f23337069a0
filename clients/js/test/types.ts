// Compiles when the types fit what users write.
import { concat, counts, open, setOptions, TacoError, type BandStatistics, type Column, type Dataset, type Rows, type Tensor, type Value } from "tacore";

async function use(file: File): Promise<void> {
  setOptions({ timeLimit: 10, workers: 2 });
  const dataset: Dataset = await open(file, { signal: AbortSignal.timeout(1000) });
  const selected = dataset.filterBbox([0, 0, 1, 1]).filterDatetime(["2023-01-01", "2023-02-01"].join("/")).filter({ cloud: { $lt: 0.5 }, split: "train", label: { $in: ["a", null] } });
  const rows: Rows = await selected.rows({ columns: ["cloud"], limit: 10 });
  const column: Column = rows.column("cloud");
  const value: Value = rows.at(0).get("cloud");
  const tensor: Tensor = await rows.at(-1).child("optical").pixels({ bands: [3, 2, 1], window: [0, 0, 8, 8], dtype: "float32", scale: [[2, 1], 2, 3], fill: 0 });
  const picture: ImageData = await rows.at(0).preview({ size: 64 });
  const bands: BandStatistics[] = await dataset.statistics({ bands: [1] });
  for await (const sample of concat([dataset, selected]).samples()) console.log(sample.id, sample.childPath, column.isNull(0));
  await dataset.places({ onPart: ({ x, boxes }, start) => console.log(x[0], boxes?.[0], start) });
  // @ts-expect-error: a box has four numbers
  dataset.filterBbox([1, 2, 3]);
  // @ts-expect-error: there is no such option
  await rows.at(0).pixels({ band: 1 });
  // @ts-expect-error: SQL is not in this package
  dataset.sql("SELECT 1");
  try {
    await open({ size: 3, slice: async () => new Uint8Array(3) });
  } catch (error) {
    if (error instanceof TacoError && error.code === "TACORE_E_FORMAT") console.log(error.path, value, tensor.shape, picture.width, bands, counts().requests);
  }
}
export { use };
