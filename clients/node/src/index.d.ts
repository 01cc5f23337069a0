/**
 * Datasets of Earth observation images in the TACO format, for Node.
 *
 * Every function that returns a promise works in another thread, and takes an AbortSignal as the option `signal`: an abort stops the
 * work, and the promise is rejected with the reason of the signal. Options of the library have the names of the Python package in
 * camel case, such as `batchSize`; those that are not listed here are in docs/c.md. Handles are freed by the garbage collector, or at
 * once by `using` (`Symbol.dispose`).
 *
 * @example
 * import { open } from "@tacore/node";
 * const dataset = await open("landsat.tacozip");
 * const rows = await dataset.sql("SELECT * FROM data WHERE vegetation > 0.2").rows();
 * const image = await rows.at(0).child("optical").pixels({ bands: [4, 3, 2] });
 */

/** Options of calls that can be stopped. */
export interface Abortable {
  signal?: AbortSignal;
}

/** An error of the library. */
export class TacoError extends Error {
  constructor(code: TacoErrorCode, message: string, where?: { path?: string; offset?: number; level?: number });
  readonly code: TacoErrorCode;
  /** The file or dataset, the byte and the level where it happened, where they are known. */
  readonly path?: string;
  readonly offset?: number;
  readonly level?: number;
}

/** What kind of error it is: docs/c.md says when each happens. */
export type TacoErrorCode =
  | "TACORE_E_FORMAT" | "TACORE_E_SCHEMA" | "TACORE_E_IO" | "TACORE_E_NOT_FOUND" | "TACORE_E_QUERY" | "TACORE_E_VALIDATION"
  | "TACORE_E_NAVIGATION" | "TACORE_E_UNSUPPORTED" | "TACORE_E_CANCELLED" | "TACORE_E_ARGUMENT" | "TACORE_E_MEMORY" | "TACORE_E_INTERNAL";

/** Options of remote paths: docs/remote.md. */
export interface RemoteOptions {
  maxTries?: number;
  /** Seconds. */
  timeout?: number;
  token?: string;
  headers?: Record<string, string>;
  endpoint?: string;
  region?: string;
  anonymous?: boolean;
  cacheDir?: string;
  cacheSize?: number | string;
  maxConcurrentRequests?: number;
  [option: string]: unknown;
}

export interface OpenOptions extends RemoteOptions, Abortable {
  /** Columns of several datasets: those that all have (the default), all with nulls, or an error when they differ. */
  mode?: "intersection" | "fill_missing" | "strict";
  allowPartial?: boolean;
  verify?: boolean;
}

/**
 * Opens a dataset of any format of TACO, local or remote, reading only headers and footers; several paths are concatenated.
 * @throws TacoError NOT_FOUND, FORMAT, SCHEMA, IO
 */
export function open(path: string | URL | (string | URL)[], options?: OpenOptions): Promise<Dataset>;

/** Concatenates datasets, each with its filters. */
export function concat(datasets: Dataset[], options?: Abortable & { mode?: OpenOptions["mode"] }): Promise<Dataset>;

/** A dataset, or a query over one. It is immutable: filters return a new one, and run when rows are needed. */
export class Dataset {
  private constructor();
  readonly id: string;
  /** COLLECTION.json. */
  readonly collection: Record<string, any>;
  /** The rows of a SELECT statement over `data`, `level0`, `level1`, ... */
  sql(query: string): Dataset;
  /** Samples whose place meets [west, south, east, north] in degrees; west beyond east crosses the antimeridian. */
  filterBbox(box: [number, number, number, number], options?: { column?: string; level?: number }): Dataset;
  /** Samples within a range of time: "2023-06-01/2023-08-31" (both ends included), "2023-06", or two dates. */
  filterDatetime(range: string | Date | [Date, Date], options?: { column?: string; level?: number }): Dataset;
  /** Runs the query. `raw` keeps all columns `internal:*`. */
  rows(options?: Abortable & { raw?: boolean }): Promise<Rows>;
  /** The FILEs of a level (the deepest by default), each with the columns of its ancestors. */
  flatten(options?: Abortable & { level?: number }): Promise<Rows>;
  /** The samples of rows(), one after the other. */
  samples(options?: Abortable): AsyncGenerator<Sample>;
  about(options?: Abortable): Promise<{ path: string; format: string; num_rows: number; levels: any[]; extent: any; files: any[]; pit_schema: any }>;
  /** Statistics of bands (from 1), aggregated from those that samples store. */
  statistics(options?: StatisticsOptions): Promise<BandStatistics[]>;
  /** A description: "markdown", "html", "stac", "croissant", "datacite" or "datacard". */
  describe(form?: string, options?: Abortable & Record<string, unknown>): Promise<string>;
  /** Writes the rows as a new dataset. Returns the paths of its files. */
  export(output: string | URL, options?: WriteOptions): Promise<string[]>;
  [Symbol.dispose](): void;
}

export interface StatisticsOptions extends Abortable {
  bands?: number[];
  child?: string;
  level?: number;
  quantiles?: number[];
  [option: string]: unknown;
}

/** In the units of the pixels; null where it is unknown. */
export interface BandStatistics {
  band: number;
  mean: number | null;
  std: number | null;
  min: number | null;
  max: number | null;
  quantiles?: (number | null)[];
  [name: string]: unknown;
}

/** A value of a column. Whole numbers beyond 2^53 are bigint, bytes Uint8Array, times Date. */
export type Value = null | boolean | number | bigint | string | Uint8Array | Date | Value[] | { [name: string]: Value };

/** A column of rows. Values are made when they are looked at. */
export class Column implements Iterable<Value> {
  private constructor();
  readonly name: string;
  readonly length: number;
  readonly type: "bool" | "int32" | "int64" | "double" | "string" | "binary" | "date" | "timestamp" | "list" | "struct";
  /** Numbers of all rows without a copy; rows without a value have any. Times are microseconds since 1970, dates days. */
  readonly values: Int32Array | Float64Array | BigInt64Array | Uint8Array;
  at(row: number): Value;
  toArray(): Value[];
  [Symbol.iterator](): Iterator<Value>;
}

/** Rows that have been computed. Positions count from 0. */
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
  filter(choice: ((sample: Sample) => boolean) | Iterable<number>, options?: Abortable): Promise<Rows>;
  toArray(): Record<string, Value>[];
  /** The bytes of FILEs at these positions (all by default); neighbours are read together. */
  bytes(positions?: number[], child?: string | null, options?: Abortable): Promise<Uint8Array[]>;
  /** As of a dataset; with `compute: true` of all pixels: numbers of samples, bands and failures. */
  statistics(options: StatisticsOptions & { compute: true }): Promise<{ num_samples: number; bands: BandStatistics[]; failures: any[] }>;
  statistics(options?: StatisticsOptions): Promise<BandStatistics[]>;
  /** An Arrow IPC stream, for `tableFromIPC()` of apache-arrow. `plain`: types that every reader has. */
  toIPC(options?: Abortable & { plain?: boolean }): Promise<Uint8Array>;
  /** These rows as a dataset, to be exported. */
  dataset(options?: Abortable): Promise<Dataset>;
  /** One epoch of batches, read in other threads; the order depends on `seed` and `epoch` alone, the same in every language. */
  batches(options?: BatchOptions): AsyncGenerator<Batch>;
  [Symbol.iterator](): Iterator<Sample>;
  [Symbol.dispose](): void;
}

export interface BatchOptions extends Abortable {
  /** "optical/4,3": bands 4 and 3 of the child; "mask": all bands; or objects. */
  inputs?: string | Input | (string | Input)[];
  batchSize?: number;
  seed?: number;
  epoch?: number;
  /** Samples to leave out: `nextStart` of the last batch continues an epoch. */
  start?: number;
  dropLast?: boolean;
  pad?: boolean;
  rank?: number;
  worldSize?: number;
  jobs?: number;
  prefetch?: number;
  onError?: "raise" | "skip";
}

export interface Input {
  path?: string;
  bands?: number[];
  window?: [number, number, number, number];
  dtype?: DType;
  scale?: Scale;
  fill?: number;
}

export interface Batch {
  /** The row of each sample. */
  positions: number[];
  nextStart: number;
  /** For each input, of shape [samples, bands, height, width], row-major. */
  tensors: Tensor[];
  /** Samples that `onError: "skip"` left out. */
  failures: { position: number; message: string }[];
}

export type DType = "uint8" | "int8" | "uint16" | "int16" | "uint32" | "int32" | "uint64" | "int64" | "float32" | "float64";
/** A factor; or for each band a factor or [factor, offset]. */
export type Scale = number | (number | [number, number])[];

export interface Tensor {
  data: Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | BigUint64Array | BigInt64Array | Float32Array | Float64Array;
  shape: number[];
  dtype: DType;
}

export interface PixelOptions extends Abortable {
  /** From 1, in any order. */
  bands?: number[];
  /** [x, y, width, height] in pixels. */
  window?: [number, number, number, number];
  dtype?: DType;
  scale?: Scale;
  /** Replaces no data. */
  fill?: number;
}

/** A row, or what is below it at a path of ids. */
export class Sample {
  private constructor();
  readonly id: string;
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
  bytes(options?: Abortable): Promise<Uint8Array>;
  /** Of shape [bands, height, width], row-major. UNSUPPORTED for rasters that are no TIFF: GDAL opens their path. */
  pixels(options?: PixelOptions): Promise<Tensor>;
  /** A small picture as PNG. */
  preview(options?: Abortable & { bands?: number[]; size?: number }): Promise<Uint8Array>;
  raster(options?: Abortable): Promise<Raster>;
}

/** Opens a raster by its path. */
export function openRaster(path: string | URL, options?: Abortable): Promise<Raster>;

/** A raster that is open for reading. */
export class Raster {
  private constructor();
  about(options?: Abortable): Promise<{ width: number; height: number; bands: number; dtype: DType; nodata: number | string | null; crs: string | null; geotransform: number[] | null; [name: string]: unknown }>;
  pixels(options?: PixelOptions): Promise<Tensor>;
  preview(options?: Abortable & { bands?: number[]; size?: number }): Promise<Uint8Array>;
  [Symbol.dispose](): void;
}

/** Values of a column to be written; with a type, numbers of times are microseconds and of dates days since 1970. */
export type ColumnInput = ArrayLike<Value | undefined> | { type: Column["type"]; values: ArrayLike<Value | undefined> };

export interface WriteOptions extends Abortable {
  overwrite?: boolean;
  splitSize?: number | string;
  jobs?: number;
  /** "stac=2023-06-01", ...: `taco extensions` lists them. */
  extensions?: string[];
  places?: boolean;
  tog?: boolean;
  idColumn?: string;
  pathColumn?: string;
  timeColumn?: string;
  rename?: Record<string, string>;
  separator?: string;
  [option: string]: unknown;
}

/**
 * Writes a dataset, whole or not at all: a ZIP when the output ends in .tacozip, else a folder.
 * @param samples Rows (objects with `id`, `path` or `data`, and metadata), columns by name, or the path of a folder or a table.
 * @param collection Members of COLLECTION.json: id, description, licenses, providers, tasks, ...
 * @returns The paths of its files.
 * @throws TacoError VALIDATION, SCHEMA, IO
 */
export function create(
  samples: Record<string, Value | undefined>[] | Record<string, ColumnInput> | string | URL,
  output: string | URL,
  collection: Record<string, unknown>,
  options?: WriteOptions,
): Promise<string[]>;

type Path = string | URL;
type RunOptions = Abortable & Record<string, unknown>;
/** Checks a dataset by the rules of the specification; `deep` reads all data. */
export function validate(path: Path, options?: RunOptions & { deep?: boolean }): Promise<{ is_valid: boolean; issues: { rule: string; severity: "error" | "warning"; message: string; path: string; level: number | null }[] }>;
/** Changes the format of a dataset: ZIP, folder, versions 0.x. */
export function convert(input: Path, output: Path, options?: RunOptions): Promise<string[]>;
/** Changes COLLECTION.json and columns in place: set, unset, columns, drop. */
export function edit(path: Path, options: RunOptions): Promise<void>;
/** Compares two datasets. */
export function diff(a: Path, b: Path, options?: RunOptions): Promise<{ equal: boolean; samples: any[]; [name: string]: unknown }>;
/** Makes a .tacocat over several datasets. */
export function index(inputs: Path[], options?: RunOptions): Promise<string>;
/** Makes a TACOLLECTION.json of several datasets. */
export function collect(inputs: Path[], options?: RunOptions): Promise<string>;
/** Copies to a chunk store, or from one. */
export function sync(from: Path, to: Path, options?: RunOptions): Promise<Record<string, unknown>>;
/** Writes descriptions as files. */
export function describeFiles(path: Path, output: Path, options?: RunOptions): Promise<string>;
/** Stores a GeoTIFF tiled and compressed with ZSTD. */
export function tog(input: Path, output: Path, options?: RunOptions): Promise<string>;
/** Writes an index of the TIFFs of a dataset. */
export function header(path: Path, options?: RunOptions): Promise<Record<string, unknown>>;
/** Options of the process: those of remote paths, and `verbose`. */
export function setOptions(options: RemoteOptions & { verbose?: boolean | "info" | "debug" }): Promise<void>;
/** Versions of the library and of its interface. */
export function version(): { library: string; interface: string };
