#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/dataset.hpp"
#include "tacore/ops/validate.hpp"
#include "tacore/task.hpp"
#include "tacore/visibility.hpp"

/// A report card of a dataset for its publisher: what is wrong with it, what others need to find, understand and reuse
/// it (FAIR), how fast it is read, and what to do about it, the most useful first.
///
///     const ReportCard card = examine("chips.tacozip");
///     for (const CardItem& item : advice(card)) std::printf("%s: %s\n", item.what.c_str(), item.advice.c_str());
namespace tacore {

class RasterOpener;

/// The parts of a report card. Findable to Reusable are the FAIR principles (Wilkinson et al. 2016).
enum class CardPart { Specification, Truth, Findable, Accessible, Interoperable, Reusable, Documentation, Reading };
/// "specification", "truth", "findable", ...
TACORE_EXPORT std::string_view to_string(CardPart part) noexcept;

/// Something that a good dataset has.
struct CardItem {
  CardPart part = CardPart::Specification;
  std::string principle = {};  ///< of FAIR, such as "R1.1"; else ""
  std::string what = {};       ///< "A licence of the SPDX list"
  bool is_met = false;
  std::string found = {};   ///< "CC-BY-4.0"
  std::string advice = {};  ///< what to do, where it is not met
  /// Where it is not met, how much this helps its users: 0 to 100. Above 60: the dataset is wrong, or cannot be read as
  /// it is. Of `reading`, 60 times the share of requests, bytes or time that is saved.
  int benefit = 0;
};

/// The speed at which samples are read as tensors, and the requests that a server gets for them.
struct ReadingSpeed {
  std::vector<std::string> inputs = {};  ///< paths of ids below a sample that were read; "": the sample itself
  int64_t num_samples = 0;               ///< that were read
  double samples_per_second = 0;         ///< by Loader, with all threads, from where the dataset is
  double seconds_to_first = 0;           ///< from load() to the first tensor
  uint64_t num_bytes = 0;                ///< of their pixels
  double requests_in_order = 0;          ///< for each sample from a server, neighbours after each other
  double requests_shuffled = 0;          ///< the same in random order
};

struct ReportCard {
  std::string path = {}, id = {}, version = {};
  int64_t num_samples = 0;
  int64_t num_checked = 0;           ///< samples whose files were compared with their metadata
  std::vector<Issue> issues = {};    ///< of validate()
  std::vector<CardItem> items = {};  ///< by part
  /// Absent where no sample is a raster that can be read, or the dataset cannot be opened.
  std::optional<ReadingSpeed> reading = {};
};

/// Options of examine().
struct DoctorOptions {
  bool deep = false;           ///< as in ValidateOptions
  bool pixels = false;         ///< as in ValidateOptions
  int64_t sample_size = 1000;  ///< samples whose files are compared with their metadata, drawn at random; 0: all
  int64_t read_size = 256;     ///< samples that are read to measure the speed, drawn at random; 0: none
  uint64_t seed = 0;           ///< of these choices
  std::string base_path = {};  ///< as in LoadOptions
  Task task = {};              ///< progress counts files
  const CrsTransformer* transformer = nullptr;  ///< as in ValidateOptions
  const RasterOpener* fallback = nullptr;       ///< decodes rasters that tacore does not. Not owned
};

/// Examines the dataset at `path`, which may be remote: validate() with `assets`, the FAIR principles as far as the
/// dataset itself shows them, its documentation, and the speed of reading. The requests that a local dataset would take
/// are counted at a ViewServer (view.hpp) that gives out its files for this time. The dataset is not
/// changed. Throws as validate(), and IoError when `progress` returned false.
TACORE_EXPORT ReportCard examine(std::string_view path, const DoctorOptions& options = {});

/// The items that are not met, the most useful first.
TACORE_EXPORT std::vector<CardItem> advice(const ReportCard& card);

/// Returns a report card as JSON: path, id, version, num_samples, num_checked, parts (items that are met, and all),
/// items, advice (numbers of items, the most useful first), reading, issues.
TACORE_EXPORT std::string card2json(const ReportCard& card);

/// Returns a report card as an HTML page, with the content of issues2html(). The page needs no other file and no
/// network. The dataset is read again for map and pictures.
TACORE_EXPORT std::string card2html(const ReportCard& card, const DoctorOptions& options = {});

}  // namespace tacore
