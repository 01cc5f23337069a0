// What the package gives: index.d.ts documents every name.
export { open, concat, Dataset } from "./dataset.js";
export { Rows, Sample, Raster } from "./rows.js";
export { Column } from "./columns.js";
export { TacoError } from "./errors.js";
export { counts } from "./files.js";
export { setOptions } from "./settings.js";
