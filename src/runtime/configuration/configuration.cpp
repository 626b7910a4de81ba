#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <set>

#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/format.hpp>
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

constexpr const char* statistics_flag = "lb_statistics";

}  // namespace

std::vector<FileValue> read_configuration_file(std::string_view text, const std::string& name) {
  return FileReader(name).read(text);
}

Configuration::Configuration(Settings defaults) : defaults_(std::move(defaults)) {}

void Configuration::take_arguments(int& argc, char** argv) {
  std::vector<char*> kept;
  int next = 0;
  while (next < argc) {
    char* argument = argv[next++];
    const std::string word(argument);
    if (word == "--") {
      kept.push_back(argument);
      kept.insert(kept.end(), argv + next, argv + argc);
      break;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Setting* setting =
        kept.empty() ? nullptr : find_setting(name, argument_name);  // the first argument is the program
    if (setting == nullptr) {
      kept.push_back(argument);
      continue;
    }
    std::string value = "true";
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (!setting->is_flag) {
      if (next == argc || std::string_view(argv[next]).starts_with("--"))
        throw support::usage_error(fmt::format("missing value for {}", name),
                                   fmt::format("use {}=VALUE", name));
      value = argv[next++];
    }
    expect_valid(*setting, value, name);
    give(setting->name, {Precedence::argument, value, name});
  }
  if (kept.size() == static_cast<std::size_t>(argc)) return;
  std::ranges::copy(kept, argv);
  argc = static_cast<int>(kept.size());
  argv[argc] = nullptr;
}

void Configuration::take_environment(const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : environment) {
    const Setting* setting = find_setting(name, variable_name);
    if (setting == nullptr) continue;
    expect_valid(*setting, value, name);
    give(setting->name, {Precedence::environment, value, name});
  }
}

void Configuration::take_environment() {
  std::map<std::string, std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text(*entry);
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  take_environment(environment);
}

std::string Configuration::file() const {
  return merged().input_config_yaml;
}

void Configuration::take_file(std::string_view text, const std::string& name) {
  for (const FileValue& value : read_configuration_file(text, name))
    give(value.setting->name, {Precedence::file, value.text, fmt::format("{}:{}", name, value.line)});
}

Settings Configuration::settings() const {
  for (const Setting& setting : setting_table())
    expect_valid(setting, setting.text(defaults_), fmt::format("{} in the program", setting.name));
  Settings settings = merged();
  if (settings.lb_spec && settings.lb_spec_file.empty())
    throw support::usage_error(fmt::format("lb_spec ({}) requires a specification file", origin("lb_spec")),
                               fmt::format("set {}=FILE", argument_name("lb_spec_file")));
  choose_schedule(settings);
  check_value("lb_load_model", [&] { balance::make_load_model(settings.lb_load_model); });
  check_value("lb_args", [&] { balance::parse_lb_arguments(settings.lb_args); });
  check_value("lb_name", [&] { check_lb_name(settings); });
  return settings;
}

void Configuration::choose_schedule(Settings& settings) const {
  if (settings.lb_name == "NoLB" || settings.lb_file_name.empty()) return;
  // The user overrides the default of the program.
  const bool name_given = given_.contains("lb_name");
  if (name_given == given_.contains("lb_file_name"))
    throw support::usage_error(fmt::format("lb_name ({}) and lb_file_name ({}) exclude each other",
                                           origin("lb_name"), origin("lb_file_name")),
                               "set one of them");
  if (name_given)
    settings.lb_file_name.clear();
  else
    settings.lb_name = Settings().lb_name;
}

template <typename Check>
void Configuration::check_value(const std::string& name, const Check& check) const {
  try {
    check();
  } catch (const Error& error) {
    throw support::usage_error(fmt::format("{} ({}): {}", name, origin(name), error.diagnostic().what),
                               error.diagnostic().suggestion);
  }
}

std::vector<std::string> Configuration::warnings() const {
  const Settings settings = merged();
  std::vector<std::string> warnings;
  if (!settings.lb_spec_file.empty() && !settings.lb_spec && !given_.contains("lb_spec"))
    warnings.push_back(fmt::format(
        "lb_spec_file ({}) has no effect without lb_spec; set {} to write only the phases that it "
        "selects",
        origin("lb_spec_file"), argument_name("lb_spec")));
  if (given_.contains("lb_name") && settings.lb_name != "NoLB" && !settings.lb && !given_.contains("lb"))
    warnings.push_back(fmt::format("lb_name ({}) has no effect without lb; set {} to balance",
                                   origin("lb_name"), argument_name("lb")));
  return warnings;
}

std::string Configuration::table() const {
  support::TextTable table({{"setting"}, {"value"}, {"from"}, {"meaning"}});
  const Settings settings = merged();
  for (const Setting& setting : setting_table()) {
    const std::string text = setting.text(settings);
    table.add_row({setting.name, setting.is_text ? support::in_quotes(text) : text, origin(setting.name),
                   setting.help});
  }
  return table.to_string();
}

void Configuration::give(const std::string& name, Given given) {
  const auto before = given_.find(name);
  if (before == given_.end() || before->second.precedence <= given.precedence)
    given_.insert_or_assign(name, std::move(given));
}

Settings Configuration::merged() const {
  Settings settings = defaults_;
  for (const Setting& setting : setting_table()) {
    const auto given = given_.find(setting.name);
    if (given != given_.end()) setting.assign(settings, given->second.value);
  }
  if (implied_statistics() != nullptr) settings.lb_statistics = true;
  return settings;
}

std::string Configuration::origin(const std::string& name) const {
  const auto given = given_.find(name);
  if (given != given_.end()) return given->second.from;
  const Given* implied = name == statistics_flag ? implied_statistics() : nullptr;
  return implied == nullptr ? "default" : implied->from;
}

const Configuration::Given* Configuration::implied_statistics() const {
  if (given_.contains(statistics_flag)) return nullptr;
  const auto next = given_.upper_bound(statistics_flag);
  return next != given_.end() && next->first.starts_with(statistics_flag) ? &next->second : nullptr;
}

}  // namespace plimsoll::runtime
