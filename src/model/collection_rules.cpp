#include "model/collection_rules.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/epoch.hpp"
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "model/json_node.hpp"
#include "model/spdx.hpp"

namespace tacore {

namespace {

using nlohmann::json;
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
    faults.push_back("id is " + tacore::in_quotes(collection.id) +
                     ", expected lowercase letters, digits, _ and -, with a letter or digit first");
  }
  if (const auto& version = collection.dataset_version; version.empty() || version == Collection().dataset_version) {
    faults.push_back("dataset_version is " + tacore::in_quotes(version) + ", expected one such as 1.0.0");
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
    if (is_task(tasks[i])) continue;
    faults.push_back("tasks[" + std::to_string(i) + "] is " + tacore::in_quotes(tasks[i]) + expected);
  }
}

/// `list` is the name of the member that holds the contacts.
void add_contact_faults(Faults& faults, const std::vector<Contact>& contacts, const std::string& list) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = contacts[i];
    const std::string which = list + "[" + std::to_string(i) + "]";
    if (!is_named(contact)) faults.push_back(which + " has neither name nor organization, expected one of them");
    if (!contact.email.empty() && contact.email.find('@') == std::string::npos) {
      faults.push_back(which + ".email is " + tacore::in_quotes(contact.email) + ", expected an address with @");
    }
    const std::string url = lower(contact.url);
    if (!url.empty() && !url.starts_with("http://") && !url.starts_with("https://")) {
      faults.push_back(which + ".url is " + tacore::in_quotes(contact.url) + ", expected http:// or https:// first");
    }
  }
}

/// A west beyond the east is legal: the box crosses the antimeridian.
void add_spatial_faults(Faults& faults, const BBox& box) {
  const auto check = [&](const char* side, double value, int most) {
    if (std::abs(value) <= most) return;  // never true of NaN
    faults.push_back(std::string("extent.spatial: ") + side + " is " + number_text(value) + ", expected -" +
                     std::to_string(most) + " to " + std::to_string(most));
  };
  check("west", box.minx, 180);
  check("south", box.miny, 90);
  check("east", box.maxx, 180);
  check("north", box.maxy, 90);
  if (box.miny > box.maxy) {
    faults.push_back("extent.spatial: south is " + number_text(box.miny) + ", expected at most north, which is " +
                     number_text(box.maxy));
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

/// Finds members of COLLECTION.json that have another form than the specification, or their extension, gives them.
class FormCheck {
 public:
  explicit FormCheck(const json& document) : document_(document) {}

  std::vector<std::string> run() {
    for (const char* key : {"licenses", "tasks", "keywords"}) check_texts(member(document_, key), key);
    for (const char* key : {"providers", "curators"}) {
      for (const auto& [contact, name] : objects(key)) check_contact(*contact, name);
    }
    for (const auto& [band, name] : objects("optical:bands")) {
      require_text(*band, "name", name);
      for (const char* key : {"center_wavelength", "full_width_half_max"}) {
        const json* number = member(*band, key);
        if (number && !number->is_number()) tell(name + "." + key + " is " + shown(*number) + ", expected a number");
      }
    }
    std::set<json> categories;
    for (const auto& [each, name] : objects("labels:classes")) {
      require_text(*each, "name", name);
      const json* category = member(*each, "category");
      if (!category || !(category->is_string() || category->is_number_integer()))
        tell(name + ".category is neither a string nor an integer");
      else if (!categories.insert(*category).second) tell(name + ".category " + shown(*category) + " occurs twice");
    }
    for (const auto& [each, name] : objects("publications")) {
      for (const char* key : {"doi", "citation", "summary"}) {
        const json* text = member(*each, key);
        if (text && !text->is_string()) tell(name + "." + key + " is " + shown(*text) + ", expected a string");
      }
    }
    check_extent();
    return std::move(out_);
  }

 private:
  void tell(std::string what) { out_.push_back(std::move(what)); }
  static std::string shown(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

  /// nullptr when it is absent or null.
  static const json* member(const json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }

  void check_texts(const json* list, const std::string& name) {
    if (!list) return;
    if (!list->is_array()) return tell(name + " is " + shown(*list) + ", expected a list of strings");
    for (const json& text : *list) {
      if (!text.is_string() || text == "") tell(name + " has " + shown(text) + ", expected a string");
    }
  }
  void require_text(const json& object, const char* key, const std::string& name) {
    const json* text = member(object, key);
    if (!text || !text->is_string() || *text == "") tell(name + "." + key + " is missing or not a string");
  }

  std::vector<std::pair<const json*, std::string>> objects(const char* key) {
    std::vector<std::pair<const json*, std::string>> out;
    const json* list = member(document_, key);
    if (list && !list->is_array()) tell(std::string(key) + " is " + shown(*list) + ", expected a list of objects");
    if (!list || !list->is_array()) return out;
    for (const json& element : *list) {
      const std::string name = std::string(key) + "[" + std::to_string(&element - &list->front()) + "]";
      if (element.is_object()) out.emplace_back(&element, name);
      else tell(name + " is " + shown(element) + ", expected an object");
    }
    return out;
  }

  void check_contact(const json& contact, const std::string& name) {
    for (const char* key : {"name", "organization", "role", "url"}) {
      const json* text = member(contact, key);
      if (text && !text->is_string()) tell(name + "." + key + " is " + shown(*text) + ", expected a string");
    }
    check_texts(member(contact, "roles"), name + ".roles");
    if (const json* roles = member(contact, "roles"); roles && roles->is_array()) {
      for (const json& role : *roles) {
        if (role.is_string() && role != "licensor" && role != "producer" && role != "processor" && role != "host")
          tell(name + ".roles has " + shown(role) + ", expected licensor, producer, processor or host");
      }
    }
    const json* email = member(contact, "email");
    if (!email) return;
    const std::string text = email->is_string() ? email->get<std::string>() : "";
    const auto at = text.find('@');
    if (at == text.npos || at == 0 || at + 1 == text.size() || text.find_first_of(" @", at + 1) != text.npos)
      tell(name + ".email is " + shown(*email) + ", expected name@host");
  }

  void check_extent() {
    const json* extent = member(document_, "extent");
    if (!extent) return tell("extent is missing: the location of the data is unknown");
    if (extent->is_object() && !member(*extent, "spatial"))
      tell("extent.spatial is missing: the location of the data is unknown");
  }

  const json& document_;
  std::vector<std::string> out_;
};

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

std::vector<std::string> form_faults(std::string_view text) {
  const json document = parse_json(text, "");
  return FormCheck(document).run();
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
