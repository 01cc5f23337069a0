#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacore/task.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// Options of create_key().
struct KeyOptions {
  /// Encrypts the secret key. Not set: whoever reads the file can sign. An empty one counts as a password.
  std::optional<std::string> password = {};
  std::string public_key = {};  ///< file of the public key; "": that of the secret one, with the suffix `.pub`
  bool overwrite = false;       ///< replace existing files
};

/// Makes a pair of keys, in the files of the program minisign, and returns the public key: 56 characters, which users
/// give to verify_dataset(). Only its owner can read the file of the secret key.
///
///     create_key("release.key", {.password = ask_for_it()});  // writes release.key and release.key.pub
///
/// A key with a password is encrypted as minisign does it, which takes 1 GiB of memory and seconds of time, each time
/// it is used. Throws IoError when a file exists or cannot be written.
TACORE_EXPORT std::string create_key(const std::string& path, const KeyOptions& options = {});

/// Whether signing with the secret key at `path` takes a password. Throws IoError; FormatError for another file.
TACORE_EXPORT bool is_encrypted_key(const std::string& path);

/// Options of sign_dataset().
struct SignOptions {
  Task task = {};                            ///< progress counts samples
  std::string key = {};                      ///< file of the secret key, as create_key() and minisign write it
  std::optional<std::string> password = {};  ///< of the key, if it is encrypted
  std::string temp_dir = {};                 ///< as in EditOptions
  bool overwrite = false;                    ///< replace an earlier signature
};

/// The result of sign_dataset().
struct SignResult {
  std::string root = {};                ///< the Merkle root: 64 hexadecimal digits
  std::vector<std::string> files = {};  ///< the trees, the statement and its signature
  int64_t num_samples = 0;              ///< of all levels
};

/// Signs a dataset: a ZIP, or a folder. The Merkle root over the metadata and data of all samples of all levels, and
/// over COLLECTION.json, becomes a member of COLLECTION.json (`taco:merkle_root`), by an edit(); data and tables do not
/// change. Three files appear beside the dataset: `PATH.merkle` with the trees, of 34 bytes for each sample,
/// `PATH.proof` with the root in a line of JSON, and `PATH.proof.minisig`, the signature of that line, which `minisign
/// -V` verifies as well. docs/format.md says what is hashed. All data are read, and 64 bytes of memory are taken for
/// each sample.
///
///     sign_dataset("chips.tacozip", {.key = "release.key"});
///
/// The result depends on the dataset and the key alone. Each file appears complete or not at all; after a crash between
/// them, verify_dataset() says which one is missing or outdated, and signing again makes them.
///
/// Throws ValidationError, before anything is written, for a dataset that contradicts itself (`taco validate` explains
/// such faults), for an index of datasets or a dataset before 2.0, for a wrong or missing password, and for what edit()
/// refuses; FormatError for a file that is no key, and a dataset that cannot be read; SchemaError for a column of a
/// type that has no form in a proof; IoError, also for an earlier signature without `overwrite`, when the dataset
/// changed meanwhile, and when `progress` returned false.
TACORE_EXPORT SignResult sign_dataset(const std::string& path, const SignOptions& options);

/// Options of verify_dataset().
struct VerifyOptions {
  Task task = {};  ///< progress counts samples
  /// The public key of who must have signed: a file, or its 56 characters. "": the root in COLLECTION.json is believed,
  /// so that only damage is found, and not forgery.
  std::string key = {};
  /// Paths of ids of the samples to verify, such as `scene` or `scene/red`, with all below them; empty: all samples.
  std::vector<std::string> samples = {};
};

/// The result of verify_dataset().
struct VerifyResult {
  std::string root = {};         ///< the Merkle root: 64 hexadecimal digits
  std::string key_id = {};       ///< of the key that signed, 16 hexadecimal digits; "" when no key was given
  int64_t num_samples = 0;       ///< samples of all levels that were verified
  uint64_t num_proof_bytes = 0;  ///< bytes that were read of the files beside the dataset
};

/// Verifies a dataset that sign_dataset() signed, or samples of it; it may be remote. Returns if everything is what was
/// signed.
///
///     verify_dataset("https://example.org/chips.tacozip", {.key = "release.key.pub", .samples = {"scene/red"}});
///
/// Without `samples` all data are read, and the trees are needed only to tell which samples differ. With them, the data
/// and metadata of these samples are read, and of the trees at most 512 bytes for each factor of 16 in the number of
/// rows, of each level. That other samples exist or not is not verified then.
///
/// A dataset without a root is verified by its columns `taco:sha256`, where it has them and no key is given; then
/// `root` of the result is empty. What other readers of a ZIP see, who use its central directory, is compared by
/// validate(): a signature covers what the level tables lead to.
///
/// Throws ValidationError for a dataset that differs from what was signed, is not signed, or is signed by another key;
/// the message says what differs, where, and what was found and expected, with the first ten samples. Throws
/// NavigationError for a sample that the dataset does not have; FormatError for a file that is no key, signature or
/// file of trees; IoError, also when `progress` returned false.
TACORE_EXPORT VerifyResult verify_dataset(const std::string& path, const VerifyOptions& options = {});

}  // namespace tacore
