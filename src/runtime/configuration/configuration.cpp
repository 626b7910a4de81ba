#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "runtime/configuration/setting_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr const char* statistics_flag = "lb_statistics";

}  // namespace

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
