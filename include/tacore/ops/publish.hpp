#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/task.hpp"
#include "tacore/visibility.hpp"

/// Publishing of a dataset: a complete folder for a platform, and its upload.
///
///     const PublishOptions options{.to = "hf://datasets/lab/landsat", .published = "2026-11-25"};
///     const Published done = publish_dataset("landsat.tacozip", "site", Platform::HuggingFace, options);
namespace tacore {

/// A platform that datasets are published on.
enum class Platform { HuggingFace, Zenodo, SourceCooperative };

/// Options of publish_dataset().
struct PublishOptions {
  Task task = {};  ///< progress in bytes
  /// URL that the folder is uploaded to, `hf://datasets/OWNER/NAME[@REVISION][/FOLDER]` or `s3://BUCKET/PREFIX`; "": it
  /// is only prepared. Keys and tokens are those of set_remote_options(), completed by the environment
  /// (docs/remote.md).
  std::string to = {};
  /// URL of the folder on the platform, for links in the descriptions. "": that of `to`, where it has one, else links
  /// are relative.
  std::string base_url = {};
  /// Date of publication, YYYY or YYYY-MM-DD; "": as for DescribeOptions.
  std::string published = {};
  std::string token_file = {};                  ///< file with the token of the Hub; "": as for RemoteOptions::token
  bool create = false;                          ///< make the repository of the Hub when it does not exist
  bool discard_unfinished = false;              ///< end unfinished uploads of S3 below `to`, instead of continuing them
  bool dry_run = false;                         ///< prepare and check, compare with the store, and leave nothing behind
  bool overwrite = false;                       ///< replace a folder that was prepared before
  const CrsTransformer* transformer = nullptr;  ///< as in DescribeOptions
};

/// The state of a file after publish_dataset().
enum class Publication {
  Prepared,  ///< it is in the folder
  Stored,    ///< the store had it already
  Sent,      ///< it was uploaded
  Missing    ///< it would be uploaded, in a dry run
};

/// A file of the prepared folder.
struct PublishedFile {
  std::string name = {};  ///< relative to the folder, with slashes
  uint64_t size = 0;      ///< bytes
  std::string sha256 = {};
  Publication state = Publication::Prepared;
};

struct Published {
  std::vector<PublishedFile> files = {};  ///< in the order of the upload
  uint64_t num_bytes_sent = 0;            ///< bytes of the files that were uploaded, without parts that the store had
};

/// Prepares `folder` for a platform: the files of the dataset at `dataset` (hard links where the file system allows
/// them, else copies), a card (README.md), a web page (index.html), Croissant, STAC and DataCite metadata, a note on
/// the licence, for the Hub the tables of its viewer, for Zenodo the metadata of a deposit (.zenodo.json), and
/// CHECKSUMS for `sha256sum -c`. With `to`, uploads it: data first, then the files that make the dataset visible, and
/// the card last. Zenodo is prepared, not uploaded.
///
/// The folder is written under a temporary name and renamed when it is complete. When it exists and `to` is given, it
/// is uploaded as it is, if it was prepared of the same files and has the checksums in CHECKSUMS. Files that the store
/// has with the same size and SHA-256 are not sent again. An interrupted upload is continued: on S3 with the parts of a
/// file that are missing, on the Hub with the files that are missing. One commit at the end makes all new files of the
/// Hub visible together.
///
/// Throws ValidationError, which lists all faults, before anything is written: rules that the dataset breaks, and what
/// the platform requires and the dataset lacks. Throws IoError for a file that cannot be read or written, that changes
/// while it is published, or that the store refuses; what the store says is in the message. Throws also what load()
/// throws.
TACORE_EXPORT Published publish_dataset(const std::string& dataset, const std::string& folder, Platform platform,
                                        const PublishOptions& options = {});

}  // namespace tacore
