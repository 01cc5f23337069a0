/**
 * Reads datasets of Earth observation images in the TACO format, in browsers, Node, Deno and Bun: rows, places, filters, bytes and
 * pixels, from a server without downloading the dataset, or from a file. Nothing needs a server of its own: the dataset is a file on
 * any server of files that answers ranges (and, for pages of other sites, allows them by CORS).
 *
 * Tables and pixels are decoded in workers, with bounds on time and memory: a damaged file ends in an error, not in a page that hangs.
 * Every function that returns a promise takes an AbortSignal as the option `signal`; an abort rejects the promise with the reason of
 * the signal. SQL, batches and writing are in the package `@tacore/node`.
 *
 * @example
 * import { open } from "tacore";
 * const dataset = await open("https://example.org/landsat.tacozip");
 * const rows = await dataset.filterBbox([-34.87, -8.01, -34.84, -7.98]).filter({ vegetation: { $gt: 0.2 } }).rows();
 * const image = await rows.at(0).pixels({ bands: [4, 3, 2] });    // image.shape: bands, height, width
 */

/** Options of calls that can be stopped. */
export interface Abortable {
  signal?: AbortSignal;
}

/** An error: its code says of what kind it is (docs/c.md), its message what was expected where. */
export class TacoError extends Error {
  constructor(code: TacoErrorCode, message: string, where?: { path?: string; offset?: number; level?: number });
  readonly code: TacoErrorCode;
  /** The file or dataset, the byte and the level where it happened, where they are known. */
  readonly path?: string;
  readonly offset?: number;
  readonly level?: number;
}

export type TacoErrorCode =
  | "TACORE_E_FORMAT" | "TACORE_E_SCHEMA" | "TACORE_E_IO" | "TACORE_E_NOT_FOUND" | "TACORE_E_QUERY" | "TACORE_E_NAVIGATION"
  | "TACORE_E_UNSUPPORTED" | "TACORE_E_ARGUMENT" | "TACORE_E_MEMORY" | "TACORE_E_INTERNAL";

/** Anything with a size whose bytes can be read: `slice(begin, end)` gives those from `begin` to before `end`. */
export interface Bytes {
  readonly size: number;
  readonly name?: string;
  slice(begin: number, end: number): Promise<Uint8Array> | Uint8Array;
}

/** A URL, a path (Node, Deno, Bun), a `File` or `Blob`, or other bytes. */
export type Source = string | URL | Blob | Bytes;

export interface OpenOptions extends Abortable {
  /** Columns of several datasets: those that all have (the default), all with nulls, or an error when they differ. */
  mode?: "intersection" | "fill_missing" | "strict";
  /** Requests are sent again when a server does not answer, or asks to wait: 5 times in all by default. */
  maxTries?: number;
  /** Headers of each request. Other than those that the Fetch standard calls simple, they make browsers ask the server first. */
  headers?: Record<string, string>;
}

/**
 * Opens a dataset of any format of TACO (ZIP, folder, `.tacocat`, `__TACOCAT__`, TACOLLECTION.json, `.tortilla`, `.taco`), reading
 * only its description and its table of samples; several are concatenated. A page of the Hugging Face Hub, `hf://` and `s3://` become
 * the URL of the file.
 * @throws TacoError NOT_FOUND, FORMAT, SCHEMA, IO
 */
export function open(source: Source | Source[], options?: OpenOptions): Promise<Dataset>;

/** Concatenates datasets, each with its filters. */
export function concat(datasets: Dataset[], options?: { mode?: OpenOptions["mode"] }): Dataset;

export type Format = "zip" | "folder" | "tacocat" | "tacollection" | "tortilla" | "taco";

export interface ColumnInfo {
  readonly name: string;
  readonly type: ColumnType;
  /** Of COLLECTION.json, where it describes the column. */
  readonly description?: string;
}

/** Of a condition on a value; several hold together. Values are compared as they are stored; times may be a Date or RFC 3339 text. */
export interface Condition {
  $eq?: Value; $ne?: Value; $lt?: Value; $lte?: Value; $gt?: Value; $gte?: Value; $in?: Value[]; $nin?: Value[];
}
/** Conditions by column, all of which hold; a value stands for `{ $eq: value }`. A null meets none but `{ $eq: null }`. */
export type Query = Record<string, Value | Condition>;

/** A dataset, or a selection of its samples. It is immutable: filters return a new one, and are applied when rows are needed. */
export class Dataset {
  private constructor();
  readonly id: string;
  readonly format: Format;
  /** The URL, path or name of the file. */
  readonly name: string;
  /** COLLECTION.json. */
  readonly collection: Record<string, any>;
  /** Of level 0, in the order of the table, with `id` and `type`; without `internal:*`. */
  readonly columns: readonly ColumnInfo[];
  /** The number of samples before filters. */
  readonly numRows: number;
  /** Samples whose place meets [west, south, east, north] in degrees; west beyond east crosses the antimeridian. */
  filterBbox(box: [number, number, number, number], options?: { column?: string; level?: number }): Dataset;
  /** Samples within a range of time: "2023-06-01/2023-08-31" (both ends included), "2023-06", or two dates. */
  filterDatetime(range: string | Date | [Date, Date], options?: { column?: string; level?: number }): Dataset;
  /** Samples whose values meet conditions. Parts of the table whose statistics exclude them are not read. */
  filter(query: Query, options?: { level?: number }): Dataset;
  /** Applies the filters and reads columns (by default all but `internal:*`) of the samples. */
  rows(options?: RowsOptions): Promise<Rows>;
  /** The rows of the samples, without reading other columns: positions in the table of level 0. */
  positions(options?: Abortable): Promise<Uint32Array>;
  /** One column of all rows of level 0, whatever the filters. `onPart` gets each part as it arrives. */
  column(name: string, options?: Abortable & { onPart?: (part: Column, start: number) => void }): Promise<Column>;
  /** The middle of the place of each row of level 0, whatever the filters; NaN for a row without one. Null without a column of places. */
  places(options?: Abortable & { column?: string; onPart?: (part: Places, start: number) => void }): Promise<Places | null>;
  /** The samples of rows(), one after the other. */
  samples(options?: RowsOptions): AsyncGenerator<Sample>;
  about(options?: Abortable): Promise<{ format: Format; name: string; num_rows: number; levels: { num_rows: number | null; columns: readonly ColumnInfo[] }[] }>;
  /** Statistics of bands (from 1), aggregated from those that samples store. */
  statistics(options?: StatisticsOptions): Promise<BandStatistics[]>;
  /** Gives back what was kept of the dataset. */
  close(): void;
  [Symbol.dispose](): void;
}

export interface RowsOptions extends Abortable {
  columns?: string[];
  /** Of the selected samples, the first to read, and how many. */
  offset?: number;
  limit?: number;
  /** These rows of the table of level 0, in this order, instead of the filters. */
  positions?: ArrayLike<number>;
}

export interface Places {
  /** Longitude and latitude of each row, in degrees. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** West, south, east and north of each row. Null for a column of points. */
  readonly boxes: Float64Array | null;
}

export interface StatisticsOptions extends Abortable {
  bands?: number[];
  /** The path of ids below each sample. */
  child?: string;
}

/** In the units of the pixels; null where it is unknown. */
export interface BandStatistics {
  band: number;
  mean: number | null;
  std: number | null;
  min: number | null;
  max: number | null;
  [name: string]: unknown;
}

/** A value of a column. Whole numbers beyond 2^53 are bigint, bytes Uint8Array, times Date. */
export type Value = null | boolean | number | bigint | string | Uint8Array | Date | Value[] | { [name: string]: Value };

export type ColumnType = "bool" | "int32" | "int64" | "double" | "string" | "binary" | "date" | "timestamp" | "list" | "struct";

/** A column of rows. Values are made when they are looked at. */
export class Column implements Iterable<Value> {
  private constructor();
  readonly name: string;
  readonly length: number;
  readonly type: ColumnType;
  /** Numbers of all rows; rows without a value have any. Times are microseconds since 1970, dates days, truth values 0 and 1. Of
   * other types undefined. */
  readonly values: Int32Array | Float64Array | BigInt64Array | Uint8Array | undefined;
  isNull(row: number): boolean;
  at(row: number): Value;
  toArray(): Value[];
  [Symbol.iterator](): Iterator<Value>;
}

/** Rows that have been read. Positions count from 0. */
export class Rows implements Iterable<Sample> {
  private constructor();
  readonly length: number;
  readonly columns: string[];
  column(name: string): Column;
  /** The sample at a position; negative ones count from the end. */
  at(position: number): Sample;
  /** The sample with an id. */
  get(id: string): Sample;
  /** The rows for which a function is true, or those at these positions, in this order. */
  filter(choice: ((sample: Sample) => boolean) | Iterable<number>): Rows;
  toArray(): Record<string, Value>[];
  /** The bytes of FILEs at these positions (all by default). */
  bytes(positions?: number[], child?: string | null, options?: Abortable): Promise<Uint8Array[]>;
  /** As of a dataset; with `compute: true` of all pixels. */
  statistics(options: StatisticsOptions & { compute: true }): Promise<{ num_samples: number; bands: BandStatistics[] }>;
  statistics(options?: StatisticsOptions): Promise<BandStatistics[]>;
  /** A table of apache-arrow, which the caller hands in: `rows.toArrow(await import("apache-arrow"))`. */
  toArrow(arrow: any): any;
  [Symbol.iterator](): Iterator<Sample>;
}

export type DType = "uint8" | "int8" | "uint16" | "int16" | "uint32" | "int32" | "uint64" | "int64" | "float32" | "float64";
/** A factor; or for each band a factor or [factor, offset]. */
export type Scale = number | (number | [number, number])[];

export interface Tensor {
  data: Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | BigUint64Array | BigInt64Array | Float32Array | Float64Array;
  /** Bands, height, width; row-major. */
  shape: number[];
  dtype: DType;
}

export interface PixelOptions extends Abortable {
  /** From 1, in any order. */
  bands?: number[];
  /** [x, y, width, height] in pixels. */
  window?: [number, number, number, number];
  /** By default the type that is stored; float32 with a scale. */
  dtype?: DType;
  scale?: Scale;
  /** Replaces no data. */
  fill?: number;
}

export interface PreviewOptions extends Abortable {
  /** One for grey, three for red, green and blue; by default the first three, or the first. */
  bands?: number[];
  /** Pixels of the longer side at most, 512 by default. */
  size?: number;
}

/** A row, or what is below it at a path of ids. */
export class Sample {
  private constructor();
  readonly id: string;
  readonly type: "FILE" | "FOLDER";
  readonly position: number;
  /** The path below the row; null for the row itself. */
  readonly childPath: string | null;
  /** A value of the row. */
  get(column: string): Value;
  toObject(): Record<string, Value>;
  /** What is below at a path of ids, such as "optical" or "tile/red". */
  child(path: string): Sample;
  /** The children of a FOLDER. */
  children(options?: Abortable): Promise<Rows>;
  /** The path under which GDAL opens a FILE. */
  path(options?: Abortable): Promise<string>;
  /** What is stored of the FILE: its bytes in the file or at the URL `name`. */
  place(options?: Abortable): Promise<{ name: string; offset: number; size: number }>;
  bytes(options?: Abortable): Promise<Uint8Array>;
  /** Of shape [bands, height, width], row-major. UNSUPPORTED for rasters that are no TIFF. */
  pixels(options?: PixelOptions): Promise<Tensor>;
  /** A small picture for a page; UNSUPPORTED where there is no ImageData (Node: previewPng). */
  preview(options?: PreviewOptions): Promise<ImageData>;
  /** The same as PNG. */
  previewPng(options?: PreviewOptions): Promise<Uint8Array>;
  raster(options?: Abortable): Promise<Raster>;
}

export interface RasterInfo {
  width: number;
  height: number;
  bands: number;
  dtype: DType;
  blockWidth: number;
  blockHeight: number;
  compression: string;
  interleave: string;
  nodata: number | null;
  crs: string | null;
  /** x = g[0] + column * g[1] + row * g[2], y = g[3] + column * g[4] + row * g[5]. */
  geotransform: number[] | null;
}

/** A TIFF whose description has been read. */
export class Raster {
  private constructor();
  readonly info: RasterInfo;
  pixels(options?: PixelOptions): Promise<Tensor>;
  preview(options?: PreviewOptions): Promise<ImageData>;
  previewPng(options?: PreviewOptions): Promise<Uint8Array>;
}

/** Options of the process, or of the page. */
export interface Options {
  /** The WebAssembly module, where it is not beside this script; or its URL. */
  wasm?: BufferSource | string | URL | Promise<BufferSource>;
  /** The URL of the script of workers, where it is not beside this one. */
  worker?: string | URL;
  /** The number of workers: by default up to 4. */
  workers?: number;
  /** Seconds that a worker may take for one thing: 30 by default. */
  timeLimit?: number;
  /** Bytes that are kept of what was read: 64 MiB by default. */
  cacheSize?: number;
  maxTries?: number;
}
export function setOptions(options: Options): void;

/** Requests and bytes since the start, of all datasets. */
export function counts(): { requests: number; bytes: number };
