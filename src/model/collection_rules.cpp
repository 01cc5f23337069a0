#include "model/collection_rules.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/open_time.hpp"
#include "base/text.hpp"
#include "model/spdx.hpp"

namespace tacore {

namespace {

using Faults = std::vector<std::string>;

constexpr std::size_t kMaxTitle = 250;

constexpr auto kTasks = std::to_array<std::string_view>({
    "regression",
    "classification",
    "scene-classification",
    "detection",
    "object-detection",
    "segmentation",
    "semantic-segmentation",
    "instance-segmentation",
    "panoptic-segmentation",
    "similarity-search",
    "generative",
    "image-captioning",
    "super-resolution",
    "denoising",
    "inpainting",
    "colorization",
    "style-transfer",
    "deblurring",
    "dehazing",
    "foundation-model",
    "other",
});

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_collection_id(std::string_view id) {
  return !id.empty() && is_letter_or_digit(id.front()) &&
         std::all_of(id.begin(), id.end(), [](char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; });
}

void add_text_faults(Faults& faults, const Collection& collection) {
  if (!is_collection_id(collection.id)) {
    faults.push_back("id is " + quoted(collection.id) +
                     ", expected lowercase letters, digits, _ and -, with a letter or digit first");
  }
  if (const auto& version = collection.dataset_version; version.empty() || version == Collection().dataset_version) {
    faults.push_back("dataset_version is " + quoted(version) + ", expected one such as 1.0.0");
  }
  if (collection.description.empty()) faults.push_back("description is empty, expected what the dataset is");
  if (!collection.title) return;
  if (const auto why = why_bad_title(*collection.title); !why.empty()) faults.push_back("title " + why);
}

void add_task_faults(Faults& faults, const std::vector<std::string>& tasks) {
  const std::string expected =
      ", expected one of " + join(std::vector<std::string>(kTasks.begin(), kTasks.end()), ", ");
  if (tasks.empty()) faults.push_back("tasks is empty" + expected);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!is_task(tasks[i])) faults.push_back("tasks[" + std::to_string(i) + "] is " + quoted(tasks[i]) + expected);
  }
}

/// `list` is the name of the member that holds the contacts.
void add_contact_faults(Faults& faults, const std::vector<Contact>& contacts, const std::string& list) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = contacts[i];
    const std::string which = list + "[" + std::to_string(i) + "]";
    if (!is_named(contact)) faults.push_back(which + " has neither name nor organization, expected one of them");
    if (!contact.email.empty() && contact.email.find('@') == std::string::npos) {
      faults.push_back(which + ".email is " + quoted(contact.email) + ", expected an address with @");
    }
    const std::string url = lower(contact.url);
    if (!url.empty() && !url.starts_with("http://") && !url.starts_with("https://")) {
      faults.push_back(which + ".url is " + quoted(contact.url) + ", expected http:// or https:// first");
    }
  }
}

std::string shown(double number) {
  std::array<char, 32> out;
  return {out.data(), std::to_chars(out.data(), out.data() + out.size(), number).ptr};
}

/// A west beyond the east is legal: the box crosses the antimeridian.
void add_spatial_faults(Faults& faults, const BBox& box) {
  const auto check = [&](const char* side, double value, int most) {
    if (std::abs(value) <= most) return;  // never true of NaN
    faults.push_back(std::string("extent.spatial: ") + side + " is " + shown(value) + ", expected -" +
                     std::to_string(most) + " to " + std::to_string(most));
  };
  check("west", box.minx, 180);
  check("south", box.miny, 90);
  check("east", box.maxx, 180);
  check("north", box.maxy, 90);
  if (box.miny > box.maxy) {
    faults.push_back("extent.spatial: south is " + shown(box.miny) + ", expected at most north, which is " +
                     shown(box.maxy));
  }
}

void add_temporal_faults(Faults& faults, const TimeRange& range) {
  // What lies outside cannot be written in RFC 3339.
  static const Timestamp first = Timestamp::parse("0001-01-01");
  static const Timestamp last = Timestamp::parse("9999-12-31T23:59:59.999999Z");
  const auto check = [&](const char* end, Timestamp time) {
    if (is_open(time) || (first <= time && time <= last)) return;
    faults.push_back(std::string("extent.temporal: ") + end + " is " + time.to_string() +
                     ", expected a year from 0001 to 9999");
  };
  check("start", range.start);
  check("end", range.end);
  if (range.start > range.end) {
    faults.push_back("extent.temporal: start is " + range.start.to_string() + ", expected at most the end, which is " +
                     range.end.to_string());
  }
}

}  // namespace

std::vector<std::string> collection_faults(const Collection& collection) {
  Faults out;
  add_text_faults(out, collection);
  if (collection.licenses.empty()) out.push_back("licenses is empty, expected an SPDX identifier such as CC-BY-4.0");
  if (collection.providers.empty()) out.push_back("providers is empty, expected who made or hosts the dataset");
  add_contact_faults(out, collection.providers, "providers");
  if (collection.curators) add_contact_faults(out, *collection.curators, "curators");
  add_task_faults(out, collection.tasks);
  if (collection.extent.spatial) add_spatial_faults(out, *collection.extent.spatial);
  if (collection.extent.temporal) add_temporal_faults(out, *collection.extent.temporal);
  return out;
}

std::vector<std::string> unknown_licences(const Collection& collection) {
  std::vector<std::string> out;
  for (const auto& licence : collection.licenses) {
    const bool is_expression = licence.find(' ') != licence.npos || licence.starts_with("LicenseRef-");
    if (!is_expression && !is_spdx_licence(licence)) out.push_back(licence);
  }
  return out;
}

std::span<const std::string_view> published_tasks() noexcept { return kTasks; }

bool is_task(std::string_view task) noexcept { return std::find(kTasks.begin(), kTasks.end(), task) != kTasks.end(); }

bool is_named(const Contact& contact) noexcept { return !contact.name.empty() || !contact.organization.empty(); }

std::string why_bad_title(std::string_view title) {
  const auto is_first_byte = [](char c) { return (c & 0xC0) != 0x80; };
  const auto characters = static_cast<std::size_t>(std::count_if(title.begin(), title.end(), is_first_byte));
  if (characters <= kMaxTitle) return "";
  return "has " + std::to_string(characters) + " characters, expected at most " + std::to_string(kMaxTitle);
}

}  // namespace tacore
