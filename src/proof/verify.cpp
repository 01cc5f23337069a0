#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/checked_math.hpp"
#include "base/log.hpp"
#include "base/report.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "dataset/open_container.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "net/storage.hpp"
#include "proof/key_files.hpp"
#include "proof/leaves.hpp"
#include "proof/merkle.hpp"
#include "proof/statement.hpp"
#include "table/rows.hpp"
#include "tacore/error.hpp"
#include "tacore/ops/sign.hpp"

namespace tacore {
namespace {

constexpr const char* kDiffers = "its data or metadata are not those that were signed";
constexpr int64_t kRowsVerifiedAtOnce = 512;

class Verifier {
 public:
  Verifier(const std::string& path, const VerifyOptions& options)
      : path_(path), options_(options), storage_(any_storage()) {
    const Detected at = detect(*storage_, path);
    check_provable(at.format, path);
    dataset_ = at.path;
    container_ = open_container(storage_, at, at.path, "");
    rooted_ = find_root(container_->collection().json, path);
  }

  VerifyResult run() {
    if (!options_.key.empty()) verify_signature();
    if (!rooted_ && !can_do_without_root()) {
      throw ValidationError(
          "is not signed: COLLECTION.json has no '" + std::string(kRootMember) + "'; taco sign adds it",
          {.path = path_});
    }
    if (rooted_) result_.root = hex(rooted_->root);
    if (options_.samples.empty()) verify_all();
    else verify_samples();
    if (!row_faults_.empty()) faults_.push_back(list_faults(*container_, std::move(row_faults_)));
    if (!faults_.empty())
      throw ValidationError((rooted_ ? "differs from what was signed: " : "is damaged: ") + join(faults_, "; "),
                            {.path = path_});
    return result_;
  }

 private:
  /// The path of a file beside the dataset.
  std::string beside(std::string_view suffix) const {
    const std::string out = with_suffix(dataset_, suffix);
    if (!out.empty()) return out;
    throw ValidationError(
        "is a signed URL, which opens one file: the files beside the dataset, by which it is verified, have others",
        {.path = path_});
  }

  /// True where a column has the hashes of data, by which damage is found.
  bool can_do_without_root() const {
    for (int level = 0; options_.key.empty() && level < container_->num_levels(); ++level) {
      if (container_->stored_level(level)->find(kHashColumn) >= 0) return true;
    }
    return false;
  }

  /// The text of a file beside the dataset; nullopt, and a fault, where it is absent.
  std::optional<std::string> read_beside(std::string_view suffix) {
    const std::string file = beside(suffix);
    try {
      std::string out = read_small_file(*storage_, file);
      result_.num_proof_bytes += out.size();
      return out;
    } catch (const IoError& error) {
      if (!error.not_found()) throw;
      faults_.push_back(file + " is missing, by which the signature is verified");
      return std::nullopt;
    }
  }

  void verify_signature() {
    const auto key = read_public_key(options_.key);
    result_.key_id = minisign::to_text(key.id);
    const auto statement = read_beside(kStatementSuffix), signature = read_beside(kSignatureSuffix);
    if (!statement || !signature) return;
    const std::string name = beside(kSignatureSuffix);
    const auto why = minisign::why_wrong(minisign::parse_signature(*signature, name), key, bytes_of(*statement));
    if (!why.empty()) faults_.push_back("the signature " + name + " is wrong: " + why);
    if (!rooted_) return;
    const std::string expected = statement_of(container_->collection(), rooted_->root);
    if (*statement == expected) return;
    faults_.push_back("COLLECTION.json states " + trimmed_line(expected) + ", but signed was " +
                      trimmed_line(*statement));
  }
  static std::string trimmed_line(const std::string& text) { return in_quotes(trimmed(text)); }

  /// The file of trees; nullptr where there is none.
  std::unique_ptr<MerkleFile> open_trees() {
    try {
      // Its beginning is read with the request that opens it.
      auto out = std::make_unique<MerkleFile>(storage_->open(beside(kTreeSuffix), {.prefix = MerkleFile::kMostHeader}));
      result_.num_proof_bytes += MerkleFile::kMostHeader;
      return out;
    } catch (const IoError& error) {
      if (!error.not_found()) throw;
      return nullptr;
    }
  }

  Sha256 root_with(const std::vector<LevelRoot>& levels) const {
    return dataset_root(sha256(bytes_of(rooted_->text)), levels);
  }

  void verify_all() {
    const auto leaves = all_leaves(*container_, num_threads(options_.task.jobs), row_faults_,
                                   [&](uint64_t done, uint64_t total) { report(options_.task, done, total, path_); });
    for (const auto& level : leaves) result_.num_samples += static_cast<int64_t>(level.size());
    if (!rooted_) return;
    std::vector<LevelRoot> levels;
    for (const auto& level : leaves) levels.push_back({level.size(), root_of(level)});
    const Sha256 root = root_with(levels);
    if (root == rooted_->root) return verify_trees(leaves);
    faults_.push_back("its Merkle root is " + hex(root) + ", in COLLECTION.json it is " + hex(rooted_->root));
    find_differences(levels, leaves);
  }

  /// The trees are a file of their own, which nobody needs to believe: they follow from the samples.
  void verify_trees(const std::vector<std::vector<Sha256>>& leaves) {
    const std::string file = beside(kTreeSuffix);
    try {
      const auto source = storage_->open(file);
      const Bytes expected = encode_trees(leaves);
      if (source->size() != expected.size()) {
        faults_.push_back(file + " has " + std::to_string(source->size()) + " bytes, " +
                          std::to_string(expected.size()) + " expected");
        return;
      }
      const Bytes found = source->read_all();
      result_.num_proof_bytes += found.size();
      const auto [at, other] = std::ranges::mismatch(found, expected);
      if (at != found.end())
        faults_.push_back(file + " differs from the trees of the samples at byte " +
                          std::to_string(at - found.begin()));
    } catch (const IoError& error) {
      if (!error.not_found()) throw;
      log::warning(file + ": is missing, so that single samples cannot be verified; taco sign makes it");
    }
  }

  /// Tells which samples differ, by the trees, where these are the ones that were signed.
  void find_differences(const std::vector<LevelRoot>& levels, const std::vector<std::vector<Sha256>>& leaves) {
    std::unique_ptr<MerkleFile> trees;
    try {
      trees = open_trees();
    } catch (const FormatError& error) {
      faults_.push_back(std::string("which samples differ cannot be told: ") + error.what());
      return;
    }
    if (!trees) {
      faults_.push_back("which samples differ cannot be told without " + beside(kTreeSuffix));
      return;
    }
    if (trees->levels() == levels) {
      faults_.push_back("the samples are those of " + trees->name() + ", so that COLLECTION.json differs");
      return;
    }
    if (root_with(trees->levels()) != rooted_->root)
      faults_.push_back("COLLECTION.json differs, too, or " + trees->name() + " is of another state of the dataset");
    for (std::size_t level = 0; level < leaves.size(); ++level) {
      const std::string name = "level " + std::to_string(level);
      if (level >= trees->levels().size()) {
        faults_.push_back(name + " was not there");
        continue;
      }
      const auto signed_leaves = trees->leaves(static_cast<int>(level));
      result_.num_proof_bytes += signed_leaves.size() * sizeof(Sha256);
      if (root_of(signed_leaves) != trees->levels()[level].root) {
        faults_.push_back(trees->name() + " is damaged: the hashes of " + name + " have another root than it states");
        continue;
      }
      if (signed_leaves.size() != leaves[level].size()) {
        faults_.push_back(name + " has " + std::to_string(leaves[level].size()) + " rows, " +
                          std::to_string(signed_leaves.size()) + " expected");
      }
      for (std::size_t row = 0; row < std::min(signed_leaves.size(), leaves[level].size()); ++row) {
        if (signed_leaves[row] != leaves[level][row])
          row_faults_.push_back({static_cast<int>(level), static_cast<int64_t>(row), kDiffers});
      }
    }
    if (trees->levels().size() > leaves.size())
      faults_.push_back("has " + std::to_string(leaves.size()) + " levels, " + std::to_string(trees->levels().size()) +
                        " expected");
  }

  /// The rows on the path of ids of a sample, one for each level.
  std::vector<int64_t> rows_of(const Leaves& leaves, const std::string& sample) const {
    std::vector<int64_t> out;
    RowRange among{0, container_->stored_level(0)->num_rows()};
    for (const auto& id : split(sample, '/')) {
      const int level = static_cast<int>(out.size());
      int64_t found = -1;
      if (among.count > 0) {
        const auto& table = container_->stored_level(level);
        const auto rows = level_rows(table, RowKey{0, level, among.begin}, among.begin, among.count);
        found = rows->find_text(table->find(names::kId), id);
      }
      if (found < 0) throw NavigationError("no sample " + in_quotes(sample), {.path = path_, .level = level});
      out.push_back(among.begin + found);
      among = leaves.children(level, out.back());
    }
    return out;
  }

  using RowHashes = std::map<int64_t, Sha256>;

  void verify_samples() {
    const Leaves leaves(*container_, false);
    std::vector<RowHashes> found(as_size(container_->num_levels()));
    uint64_t num_done = 0;
    for (const auto& sample : options_.samples) {
      const auto rows = rows_of(leaves, sample);
      for (std::size_t level = 0; level + 1 < rows.size(); ++level)
        hash({static_cast<int>(level), {rows[level], 1}}, leaves, found);
      for (std::size_t level = 1; level < rows.size(); ++level)
        leaves.check_in_parent(static_cast<int>(level), rows[level], row_faults_);
      hash_below({static_cast<int>(rows.size()) - 1, {rows.back(), 1}}, leaves, found);
      report(options_.task, ++num_done, options_.samples.size(), path_);
    }
    for (const auto& level : found) result_.num_samples += static_cast<int64_t>(level.size());
    if (rooted_) compare_with_trees(found);
  }

  struct Part {
    int level;
    RowRange rows;
  };
  void hash(const Part& part, const Leaves& leaves, std::vector<RowHashes>& found) {
    const auto hashes = leaves.of(part.level, part.rows, row_faults_);
    for (std::size_t i = 0; i < hashes.size(); ++i)
      found[as_size(part.level)][part.rows.begin + static_cast<int64_t>(i)] = hashes[i];
  }
  void hash_below(const Part& part, const Leaves& leaves, std::vector<RowHashes>& found) {
    for (int64_t done = 0; done < part.rows.count; done += kRowsVerifiedAtOnce) {
      hash({part.level, {part.rows.begin + done, std::min(kRowsVerifiedAtOnce, part.rows.count - done)}}, leaves,
           found);
    }
    // The children of FOLDERs that follow each other do so, too.
    RowRange below;
    for (int64_t i = 0; i < part.rows.count; ++i) {
      const RowRange more = leaves.children(part.level, part.rows.begin + i);
      if (more.count == 0) continue;
      if (below.count == 0) below.begin = more.begin;
      below.count = more.begin + more.count - below.begin;
    }
    if (below.count > 0) hash_below({part.level + 1, below}, leaves, found);
  }

  void compare_with_trees(const std::vector<RowHashes>& found) {
    const auto trees = open_trees();
    if (!trees) {
      throw ValidationError("single samples are verified by " + beside(kTreeSuffix) +
                                ", which is missing; without them everything is verified",
                            {.path = path_});
    }
    if (root_with(trees->levels()) != rooted_->root) {
      faults_.push_back("COLLECTION.json or " + trees->name() +
                        " is not the one that was signed: their Merkle root is " + hex(root_with(trees->levels())) +
                        ", in COLLECTION.json it is " + hex(rooted_->root));
    }
    for (std::size_t level = 0; level < found.size(); ++level) {
      const auto num_rows = static_cast<uint64_t>(container_->stored_level(static_cast<int>(level))->num_rows());
      const uint64_t expected = level < trees->levels().size() ? trees->levels()[level].num_rows : 0;
      if (num_rows != expected) {
        faults_.push_back("level " + std::to_string(level) + " has " + std::to_string(num_rows) + " rows, " +
                          std::to_string(expected) + " expected");
      } else if (!found[level].empty()) {
        for (const int64_t row : trees->wrong_rows(static_cast<int>(level), found[level], result_.num_proof_bytes))
          row_faults_.push_back({static_cast<int>(level), row, kDiffers});
      }
    }
  }

  const std::string& path_;
  const VerifyOptions& options_;
  std::shared_ptr<const Storage> storage_;
  std::string dataset_ = {};
  std::shared_ptr<const Container> container_ = {};
  std::optional<RootedCollection> rooted_ = {};
  VerifyResult result_ = {};
  std::vector<std::string> faults_ = {};
  std::vector<RowFault> row_faults_ = {};
};

}  // namespace

VerifyResult verify_dataset(const std::string& path, const VerifyOptions& options) {
  return Verifier(path, options).run();
}

}  // namespace tacore
