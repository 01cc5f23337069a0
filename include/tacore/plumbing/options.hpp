#pragma once

#include "tacore/dataset.hpp"
#include "tacore/ops/consolidate.hpp"
#include "tacore/ops/describe.hpp"
#include "tacore/ops/diff.hpp"
#include "tacore/ops/doctor.hpp"
#include "tacore/ops/edit.hpp"
#include "tacore/ops/export.hpp"
#include "tacore/ops/publish.hpp"
#include "tacore/ops/replay.hpp"
#include "tacore/ops/sidecar.hpp"
#include "tacore/ops/sign.hpp"
#include "tacore/ops/site.hpp"
#include "tacore/ops/sync.hpp"
#include "tacore/ops/validate.hpp"
#include "tacore/raster/loader.hpp"
#include "tacore/raster/picture.hpp"
#include "tacore/raster/pixel_statistics.hpp"
#include "tacore/raster/tiff_index.hpp"
#include "tacore/raster/tog.hpp"
#include "tacore/remote.hpp"
#include "tacore/statistics.hpp"
#include "tacore/v1/convert.hpp"
#include "tacore/v1/create.hpp"
#include "tacore/write/create.hpp"
#include "tacore/write/table_options.hpp"

/// The list of options. Each option of the library is named and described here once; its type and its default are those
/// of the member. The tool makes its flags of the list (`--max-concurrent-requests`), Python its keyword arguments.
///
/// `visit(name, member, description)` is called for each option of a struct. What no text or number can express, such
/// as a callback or a transformer, is no part of the list.
///
///     visit_options(options, [](const char* name, auto& member, const char* description) { ... });
namespace tacore {

template <class Visit>
void visit_options(Task& o, Visit&& visit) {
  visit("jobs", o.jobs, "Number of threads; 0 means one for each processor.");
}

template <class Visit>
void visit_options(ParquetOptions& o, Visit&& visit) {
  visit("compression", o.compression, "Compression: zstd, snappy, gzip, brotli, lz4 or none.");
  visit("compression_level", o.compression_level, "Compression level; by default 3 for zstd, otherwise that of Arrow.");
  visit("row_group_size", o.row_group_size, "Maximal number of rows of a row group.");
  visit("data_page_size", o.data_page_size, "Size of a data page in encoded bytes.");
  visit("write_statistics", o.write_statistics, "Store minimum, maximum and number of nulls of each row group.");
  visit("use_dictionary", o.use_dictionary, "Dictionary-encode all columns, or none; by default text that repeats.");
  visit("use_content_defined_chunking", o.use_content_defined_chunking,
        "End data pages at content-defined boundaries, so that equal data deduplicates.");
  visit("min_chunk_size", o.min_chunk_size, "Minimal size of a content-defined page in bytes.");
  visit("max_chunk_size", o.max_chunk_size, "Maximal size of a content-defined page in bytes.");
  visit("covering", o.covering,
        "Add bounding boxes of the geometries and a page index, by which readers find the samples of a place.");
  visit("id_index", o.id_index, "Add an id index and a page index, by which readers find the sample of an id.");
}

// Options that several structs have.

template <class Visit>
void visit_overwrite(bool& overwrite, Visit&& visit) {
  visit("overwrite", overwrite, "Replace existing output atomically.");
}

template <class Visit>
void visit_temp_dir(std::string& temp_dir, Visit&& visit) {
  visit("temp_dir", temp_dir,
        "Folder for the unfinished output, on the same file system; by default that of the output.");
}

template <class Visit>
void visit_parquet(ParquetOptions& parquet, Visit&& visit) {
  visit("parquet", parquet, "Options of the Parquet files.");
}

template <class Visit>
void visit_base_path(std::string& base_path, Visit&& visit) {
  visit("base_path", base_path,
        "Folder of the ZIP files of a TACOCAT or TACOLLECTION.json, if it is not the folder of the index.");
}

template <class Visit>
void visit_bands(std::vector<int>& bands, Visit&& visit) {
  visit("bands", bands, "Numbers of the bands, from 1, in the order of the result; by default all.");
}

template <class Visit>
void visit_child(std::string& child, Visit&& visit) {
  visit("child", child,
        "Ids below each sample, joined by /, such as optical or a/b; by default the samples themselves.");
}

template <class Visit>
void visit_on_error(OnError& on_error, Visit&& visit) {
  visit("on_error", on_error,
        "raise: a sample that cannot be read is an error; skip: it is left out, and listed as a failure.");
}

template <class Visit>
void visit_options(OutputOptions& o, Visit&& visit) {
  visit_overwrite(o.overwrite, visit);
  visit_temp_dir(o.temp_dir, visit);
  visit_parquet(o.parquet, visit);
}

template <class Visit>
void visit_options(TableOptions& o, Visit&& visit) {
  visit("separator", o.separator,
        "Character between the values of a .csv or .tsv table, \\t for a tab; by default the one of , ; tab | in its"
        " header line.");
  visit("id_column", o.id_column, "Column of the table with the ids; by default id.");
  visit("path_column", o.path_column, "Column of the table with the paths; by default path.");
  visit("time_column", o.time_column, "Column of the table with the acquisition times, which becomes stac:time_start.");
  visit("rename", o.rename, "Column of the table and its new name.");
}

template <class Visit>
void visit_max_concurrent_requests(int& number, Visit&& visit) {
  visit("max_concurrent_requests", number, "Maximal number of HTTP requests in flight.");
}

template <class Visit>
void visit_options(CreateOptions& o, Visit&& visit) {
  visit_options(o.task, visit);
  visit_options(o.output, visit);
  visit("split_size", o.split_size,
        "Maximal size of the samples in each file, such as 4GB; none writes one file of any size."
        " Only create splits by default: at 4GB, .taco and .tortilla at 20GB.");
  visit("group_by", o.group_by, "Columns of level 0: one ZIP for each combination of their values.");
  visit("order", o.order,
        "Order of the samples: hilbert (neighbours on the globe together, with bounding boxes) or time; by default as"
        " given.");
  visit("consolidate", o.consolidate, "Write the index .tacocat when there are several ZIPs.");
  visit_max_concurrent_requests(o.max_concurrent_requests, visit);
}

template <class Visit>
void visit_options(ExportOptions& o, Visit&& visit) {
  visit_options(o.create, visit);
  visit("strict", o.strict, "Refuse samples that are left with different children, instead of padding them.");
  visit("id", o.id, "Id of the new dataset; by default that of the old one.");
  visit("provenance", o.provenance,
        "Record the sources, filters, queries and options in COLLECTION.json, so that a replay makes the same bytes.");
}

template <class Visit>
void visit_options(ReplayOptions& o, Visit&& visit) {
  visit_options(o.task, visit);
  visit("output", o.output,
        "Where the new export stays; by default it is made in a temporary folder, compared and removed.");
  visit("sources", o.sources, "Paths of the sources; by default the files of their names beside the export.");
  visit_base_path(o.base_path, visit);
  visit_overwrite(o.overwrite, visit);
  visit("temp_dir", o.temp_dir,
        "Folder for the unfinished output, on the same file system; without output that of the temporary export.");
  visit_max_concurrent_requests(o.max_concurrent_requests, visit);
}

template <class Visit>
void visit_options(v1::CreateTacoOptions& o, Visit&& visit) {
  visit_options(o.task, visit);
  visit_options(o.output, visit);
  visit("split_size", o.split_size,
        "Maximal size of the samples in each file, such as 20GB; none writes one file of any size."
        " Only create splits by default: at 20GB.");
  visit("first_part", o.first_part, "Number of the first of several files: 0, or 1 as Tortilla 0.5.0 says.");
  visit("stats", o.stats,
        "Store the statistics of the bands of GeoTIFFs: stats:mean, stats:min, stats:max, stats:std.");
  visit("streaming", o.streaming,
        "Write a streaming file: its footer has all levels and the chunks of the GeoTIFFs, which become TOGs.");
  visit("allow_non_tog", o.allow_non_tog, "With streaming: accept samples that are not GeoTIFFs; they get no chunks.");
  visit("histograms", o.histograms, "Store the histograms of all rasters, with streaming.");
  visit("block_size", o.block_size,
        "With streaming: side of the tiles in pixels; 0 takes that of the source, or 512 if it has none.");
  visit("zstd_level", o.zstd_level, "With streaming: ZSTD level, 1 to 22.");
}

template <class Visit>
void visit_options(v1::ConvertOptions& o, Visit&& visit) {
  visit_options(o.output, visit);
}

template <class Visit>
void visit_options(TacocatOptions& o, Visit&& visit) {
  visit_options(o.task, visit);
  visit("output", o.output, "Folder of the index; by default the folder of the inputs.");
  visit("validate_schema", o.validate_schema, "Require the same columns in all inputs.");
  visit("single_file", o.single_file,
        "Write one file, __TACOCAT__, instead of the folder .tacocat/; only tacore opens it.");
  visit("order", o.order,
        "Order of the samples: hilbert (neighbours on the globe together, with bounding boxes) or time; by default ZIP"
        " by ZIP.");
  visit_overwrite(o.overwrite, visit);
  visit_parquet(o.parquet, visit);
}

template <class Visit>
void visit_options(TacollectionOptions& o, Visit&& visit) {
  visit_options(o.task, visit);
  visit("output", o.output, "Folder of TACOLLECTION.json; by default the folder of the inputs.");
  visit("validate_schema", o.validate_schema, "Require the same columns in all inputs.");
  visit("bounds", o.bounds,
        "Also state the bounds of the rows of each input: filters then open only the inputs they need.");
  visit_overwrite(o.overwrite, visit);
}

template <class Visit>
void visit_options(SidecarOptions& o, Visit&& visit) {
  visit_options(o.task, visit);
  visit("beside", o.beside, "Write the side-cars beside the dataset, in the folder PATH.sidecar, for other users.");
}

template <class Visit>
void visit_options(KeyOptions& o, Visit&& visit) {
  visit("public_key", o.public_key, "File of the public key; by default that of the secret key, with the suffix .pub.");
  visit_overwrite(o.overwrite, visit);
}

template <class Visit>
void visit_options(SignOptions& o, Visit&& visit) {
  visit_options(o.task, visit);
  visit_temp_dir(o.temp_dir, visit);
  visit_overwrite(o.overwrite, visit);
}

template <class Visit>
void visit_options(VerifyOptions& o, Visit&& visit) {
  visit_options(o.task, visit);
  visit("key", o.key,
        "Public key of who must have signed: its file, or its 56 characters. Without it, damage is found, and not"
        " forgery.");
  visit("samples", o.samples,
        "Paths of ids of the samples to verify, with all below them, such as a or a/b; by default all samples.");
}

template <class Visit>
void visit_options(EditOptions& o, Visit&& visit) {
  visit_options(o.task, visit);
  visit_temp_dir(o.temp_dir, visit);
  visit_parquet(o.parquet, visit);
}

template <class Visit>
void visit_options(DiffOptions& o, Visit&& visit) {
  visit_options(o.task, visit);
  visit("quick", o.quick, "Compare sizes and CRC-32 checksums only, without reading the data.");
}

template <class Visit>
void visit_options(SyncOptions& o, Visit&& visit) {
  visit_options(o.task, visit);
  visit_overwrite(o.overwrite, visit);
}

template <class Visit>
void visit_options(TiffIndexFileOptions& o, Visit&& visit) {
  visit_options(o.task, visit);
  visit("output", o.output, "Index file; by default PATH.headers, the only name that readers look for.");
  visit_base_path(o.base_path, visit);
  visit_overwrite(o.overwrite, visit);
}

template <class Visit>
void visit_options(TogOptions& o, Visit&& visit) {
  visit_options(o.task, visit);
  visit("block_size", o.block_size, "Side of the tiles in pixels, a multiple of 16.");
  visit("zstd_level", o.zstd_level, "ZSTD level, 1 to 22.");
  visit("predictor", o.predictor,
        "TIFF predictor: 1 none, 2 any type, 3 floating point; by default 3 for floating point, else 2.");
  visit_overwrite(o.overwrite, visit);
}

template <class Visit>
void visit_options(TogSamplesOptions& o, Visit&& visit) {
  visit_options(o.task, visit);
  visit("block_size", o.block_size,
        "Side of the tiles of TOGs in pixels; 0 takes that of the source, or 512 if it has none.");
  visit("zstd_level", o.zstd_level, "ZSTD level of TOGs, 1 to 22.");
  visit("temp_dir", o.temp_dir, "Folder for the TOGs until they are written; by default TMPDIR.");
}

template <class Visit>
void visit_options(DescribeOptions& o, Visit&& visit) {
  visit("base_url", o.base_url, "URL of the folder with the files of the dataset.");
  visit("accent_colour", o.accent_colour, "Colour of the page, #RRGGBB.");
  visit("published", o.published, "Date of publication, YYYY or YYYY-MM-DD; by default what COLLECTION.json says.");
  visit("example_path", o.example_path, "Path that the examples load; by default that of the dataset.");
  visit("catalogue_url", o.catalogue_url, "URL of the catalogue that the page links to.");
  visit("viewer_url", o.viewer_url, "URL of the viewer that the page links to.");
  visit("checksums", o.checksums, "Let Croissant state the SHA-256 of each local file, which is read whole.");
  visit("viewer_tables", o.viewer_tables, "Tables that a dataset card names for the viewer of the Hugging Face Hub.");
  visit("thumbnails", o.thumbnails, "Maximal number of samples that the page shows as pictures.");
  visit_overwrite(o.overwrite, visit);
  visit_parquet(o.parquet, visit);
}

template <class Visit>
void visit_options(PublishOptions& o, Visit&& visit) {
  visit_options(o.task, visit);
  visit("to", o.to,
        "URL to upload to: hf://datasets/OWNER/NAME or s3://BUCKET/PREFIX; by default nothing is uploaded.");
  visit("base_url", o.base_url, "URL of the folder on the platform, for links; by default that of the upload.");
  visit("published", o.published, "Date of publication, YYYY or YYYY-MM-DD; by default what COLLECTION.json says.");
  visit("token_file", o.token_file, "File with the token of the Hugging Face Hub; by default HF_TOKEN.");
  visit("create", o.create, "Make the repository of the Hub when it does not exist.");
  visit("discard_unfinished", o.discard_unfinished, "End unfinished uploads of S3, instead of continuing them.");
  visit("dry_run", o.dry_run, "Check all, list what would be uploaded, and leave nothing behind.");
  visit_overwrite(o.overwrite, visit);
}

template <class Visit>
void visit_options(ListOptions& o, Visit&& visit) {
  visit_options(o.task, visit);
  visit("strict", o.strict, "Fail at a dataset that cannot be read, instead of leaving it out with a warning.");
}

template <class Visit>
void visit_options(SiteOptions& o, Visit&& visit) {
  visit_options(o.list, visit);
  visit("title", o.title, "Title of the catalogue; by default Datasets.");
  visit("base_url", o.base_url, "URL at which the catalogue will be published, for absolute links and sitemap.xml.");
  visit("data_url", o.data_url,
        "URL at which the folder of the datasets is published; by default links to datasets are relative.");
  visit("accent_colour", o.accent_colour, "Colour of the pages, #RRGGBB.");
  visit("thumbnails", o.thumbnails,
        "Maximal number of samples that each page shows as pictures, which add at most 1.2 MB; 0: none.");
  visit("checksums", o.checksums, "Let Croissant state the SHA-256 of each local file, which is read whole.");
  visit_overwrite(o.overwrite, visit);
}

template <class Visit>
void visit_options(LoadOptions& o, Visit&& visit) {
  visit_base_path(o.base_path, visit);
  visit("allow_partial", o.allow_partial, "Open a .tortilla or .taco in several parts although some are missing.");
  visit("verify", o.verify, "Verify samples of a ZIP against their local headers and CRC-32 checksums.");
  visit("trust_bounds", o.trust_bounds,
        "Use the bounds in a TACOLLECTION.json although nothing proves them here; wrong ones hide rows.");
  visit("trust_sidecar", o.trust_sidecar,
        "Use the side-cars beside a dataset although nothing proves them here; wrong ones give wrong rows.");
}

template <class Visit>
void visit_options(ValidateOptions& o, Visit&& visit) {
  visit("deep", o.deep, "Read every byte, compare checksums and statistics, and decode TIFFs.");
  visit("assets", o.assets,
        "Also compare the metadata with the headers of the files: CRS, geotransform, shape, place, time.");
  visit("pixels", o.pixels, "As assets, and decode all pixels of rasters and compare them with their statistics.");
  visit("key", o.key, "Public key of who must have signed: its file, or its 56 characters. All data are read.");
  visit("sample_size", o.sample_size, "With assets: number of samples to look at, drawn at random; 0 means all.");
  visit("seed", o.seed, "With sample_size: seed of the choice.");
  visit_options(o.task, visit);
  visit_base_path(o.base_path, visit);
}

template <class Visit>
void visit_options(DoctorOptions& o, Visit&& visit) {
  visit("deep", o.deep, "Read every byte, compare checksums and statistics, and decode TIFFs.");
  visit("pixels", o.pixels, "Decode all pixels of rasters and compare them with their statistics.");
  visit("sample_size", o.sample_size,
        "Number of samples whose files are compared with their metadata, drawn at random; 0 means all.");
  visit("read_size", o.read_size, "Number of samples that are read to measure the speed, drawn at random.");
  visit("seed", o.seed, "Seed of the choices.");
  visit_options(o.task, visit);
  visit_base_path(o.base_path, visit);
}

template <class Visit>
void visit_options(StatsOptions& o, Visit&& visit) {
  visit_bands(o.bands, visit);
  visit_child(o.child, visit);
  visit("level", o.level, "With id: level of the children.");
  visit("id", o.id, "With level: id of the sample whose children are aggregated.");
}

template <class Visit>
void visit_options(ComputeOptions& o, Visit&& visit) {
  visit_bands(o.bands, visit);
  visit_child(o.child, visit);
  visit_options(o.task, visit);
  visit_on_error(o.on_error, visit);
}

template <class Visit>
void visit_options(PreviewOptions& o, Visit&& visit) {
  visit("bands", o.bands,
        "Numbers of the bands, from 1: one for grey, three for red, green and blue; by default the first three, or"
        " the first of fewer.");
  visit("size", o.size, "Maximal width and height in pixels, 1 to 16384.");
}

template <class Visit>
void visit_options(LoaderOptions& o, Visit&& visit) {
  visit("batch_size", o.batch_size, "Number of samples in a batch.");
  visit("seed", o.seed, "Seed of the order, combined with the number of the epoch.");
  visit("epoch", o.epoch, "Number of the first epoch.");
  visit("shuffle_block", o.shuffle_block,
        "Number of neighbours that are shuffled as one block, and read from a server with one request; 0: each sample"
        " by itself.");
  visit("shuffle_window", o.shuffle_window, "Number of shuffled blocks whose samples are mixed.");
  visit("start", o.start,
        "Number of samples in the order of the first epoch that all ranks together have loaded already:"
        " `Batch.next_start`.");
  visit("drop_last", o.drop_last, "Leave out the last step unless all ranks have a whole batch in it.");
  visit("pad", o.pad, "Repeat samples of the last step if it has fewer samples than ranks.");
  visit("rank", o.rank, "Rank of this process in distributed training, 0 to `world_size` - 1.");
  visit("world_size", o.world_size, "Number of processes in distributed training.");
  visit("jobs", o.jobs,
        "Number of threads that read and decode; 0 means one for each processor, more for a remote dataset. It does"
        " not affect the order of samples.");
  visit("prefetch", o.prefetch,
        "Number of batches that are made ahead; 0: the calling thread reads. Memory is needed for these batches and"
        " for those that the caller holds.");
  visit_on_error(o.on_error, visit);
}

template <class Visit>
void visit_options(RemoteOptions& o, Visit&& visit) {
  visit("headers", o.headers, "HTTP header for the server of an http(s) path.");
  visit("endpoint", o.endpoint, "URL of an S3 store other than AWS.");
  visit("region", o.region, "Region of an S3 store.");
  visit("access_key_id", o.access_key_id, "Access key id of an S3 store.");
  visit("secret_access_key", o.secret_access_key, "Secret access key of an S3 store.");
  visit("session_token", o.session_token, "Session token of an S3 store.");
  visit("profile", o.profile, "Profile of the shared credentials files of AWS.");
  visit("anonymous", o.is_anonymous, "Use no credentials.");
  visit("token", o.token, "Token of the Hugging Face Hub.");
  visit_max_concurrent_requests(o.max_concurrent_requests, visit);
  visit("max_tries", o.max_tries, "Maximal number of tries of a request that fails for a temporary reason.");
  visit("max_requests_per", o.max_requests_per, "The most requests to one server in a time, such as 3000/5min.");
  visit("timeout", o.timeout, "Seconds to wait for a connection, and for data.");
  visit("cache_dir", o.cache_dir, "Folder of the disk cache of remote files.");
  visit("cache_size", o.cache_size, "Maximal size of the disk cache, such as 500MB.");
}

}  // namespace tacore
