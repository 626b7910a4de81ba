#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <set>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/yaml.hpp>

#include "runtime/configuration/setting_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr const char* our_section = "Load Balancing";

const Setting* find_setting(const YamlKey& place) {
  const auto found = std::ranges::find_if(
      setting_table(), [&](const Setting& setting) { return std::ranges::count(setting.keys, place) > 0; });
  return found == setting_table().end() ? nullptr : &*found;
}

/// Returns the names of the keys and sub-sections in each section.
const std::map<std::string, std::set<std::string>>& known_keys() {
  static const auto keys = [] {
    std::map<std::string, std::set<std::string>> known;
    const auto add = [&](const YamlKey& place) {
      known[place.section].insert(place.key);
      if (!place.section.empty()) known[""].insert(place.section);
    };
    for (const Setting& setting : setting_table()) std::ranges::for_each(setting.keys, add);
    return known;
  }();
  return keys;
}

class FileReader {
 public:
  explicit FileReader(const std::string& name) : name_(name) {}

  std::vector<FileValue> read(std::string_view text) {
    const YAML::Node document = support::parse_yaml(text, name_);
    if (document.IsNull()) return {};  // empty file, or only comments
    if (!document.IsMap())
      fail(document, "invalid document: expected a map of sections",
           "use \"Load Balancing:\" as the top-level key");
    for (const auto& entry : document) {
      const std::string section = key_text(entry.first);
      if (section == our_section) {
        read_section(entry.first, entry.second, "");
      } else if (const std::string meant = support::did_you_mean(section, {our_section}); !meant.empty()) {
        fail(entry.first, fmt::format("unknown section {}", support::in_quotes(section)), meant);
      }
    }
    return std::move(values_);
  }

 private:
  [[noreturn]] void fail(const YAML::Node& node, std::string what, std::string suggestion = {}) const {
    throw support::yaml_error(node.Mark(), name_, std::move(what), std::move(suggestion));
  }

  std::string key_text(const YAML::Node& key) const {
    if (!key.IsScalar()) fail(key, "invalid key: expected a string");
    return key.Scalar();
  }

  void read_section(const YAML::Node& section_key, const YAML::Node& content, const std::string& section) {
    if (!content.IsMap())
      fail(section_key, fmt::format("invalid section \"{}\": expected a map of keys", section_key.Scalar()),
           "remove it, or indent its keys below it");
    for (const auto& entry : content) {
      const YamlKey place{section, key_text(entry.first)};
      if (section.empty() && known_keys().contains(place.key)) {
        read_section(entry.first, entry.second, place.key);
      } else if (const Setting* setting = find_setting(place)) {
        take(*setting, entry.first, entry.second);
      } else {
        fail_unknown(entry.first, place);
      }
    }
  }

  void take(const Setting& setting, const YAML::Node& key, const YAML::Node& value) {
    if (!value.IsScalar())
      fail(key, fmt::format("invalid value for \"{}\": expected a single value", key.Scalar()),
           "use " + setting.expected);
    Settings scratch;
    if (!setting.assign(scratch, value.Scalar()))
      fail(key, fmt::format("invalid value {} for \"{}\"", support::in_quotes(value.Scalar()), key.Scalar()),
           "use " + setting.expected);
    values_.push_back({&setting, value.Scalar(), key.Mark().line + 1});
  }

  [[noreturn]] void fail_unknown(const YAML::Node& key, const YamlKey& place) const {
    const std::set<std::string>& known = known_keys().at(place.section);
    fail(key,
         fmt::format("unknown key {} in section \"{}\"", support::in_quotes(place.key),
                     place.section.empty() ? our_section : place.section),
         support::did_you_mean(place.key, {known.begin(), known.end()},
                               fmt::format("available keys: {}", fmt::join(known, ", "))));
  }

  std::string name_;
  std::vector<FileValue> values_;
};

}  // namespace

std::vector<FileValue> read_configuration_file(std::string_view text, const std::string& name) {
  return FileReader(name).read(text);
}

}  // namespace plimsoll::runtime
