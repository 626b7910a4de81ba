#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include <plimsoll/support/internal/text.hpp>

#include "runtime/configuration/setting_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr std::array prefixes = {"lb", "input_config"};

std::string spell(std::string_view name, Spelling spelled) {
  return spelled == nullptr ? std::string(name) : spelled(name);
}

/// Returns the letters and digits of a word, in lower case.
std::string letters(std::string_view word) {
  std::string kept;
  for (const unsigned char letter : word)
    if (std::isalnum(letter) != 0) kept += static_cast<char>(std::tolower(letter));
  return kept;
}

/// Some text processors substitute an en dash or em dash for dashes.
bool begins_with_dash(std::string_view word) {
  constexpr std::array<std::string_view, 3> dashes = {"-", "\xE2\x80\x93", "\xE2\x80\x94"};
  return std::ranges::any_of(dashes, [&](std::string_view dash) { return word.starts_with(dash); });
}

/// Returns the argument that a word with a misspelt prefix means; empty if it means none.
std::string argument_meant_by(const std::string& word) {
  const std::string given = letters(word);
  const auto has_prefix = [&](const char* prefix) {
    return given.starts_with(letters(argument_name(prefix)));
  };
  if (!begins_with_dash(word) || std::ranges::none_of(prefixes, has_prefix)) return {};
  std::vector<std::string> names;
  for (const Setting& setting : setting_table()) names.push_back(argument_name(setting.name));
  const auto same = std::ranges::find(names, given, letters);
  return same != names.end() ? *same : support::nearest(word, names);
}

}  // namespace

const Setting* find_setting(const std::string& word, Spelling spelled) {
  for (const Setting& setting : setting_table())
    if (word == spell(setting.name, spelled)) return &setting;
  const auto has_prefix = [&](const char* prefix) { return word.starts_with(spell(prefix, spelled)); };
  if (std::ranges::any_of(prefixes, has_prefix)) throw unknown_setting(word, spelled);
  const std::string meant = spelled == argument_name ? argument_meant_by(word) : "";
  if (!meant.empty())
    throw support::usage_error(fmt::format("unknown setting {}", support::in_quotes(word)),
                               fmt::format("did you mean {}?", meant));
  return nullptr;
}

Error unknown_setting(const std::string& word, Spelling spelled) {
  std::vector<std::string> known;
  for (const Setting& setting : setting_table()) known.push_back(spell(setting.name, spelled));
  return support::usage_error(
      fmt::format("unknown setting {}", support::in_quotes(word)),
      support::did_you_mean(word, known,
                            fmt::format("use {} to list all settings", argument_name("lb_show_config")),
                            support::NameStyle::bare));
}

void expect_valid(const Setting& setting, const std::string& value, const std::string& from) {
  Settings scratch;
  if (!setting.assign(scratch, value))
    throw support::usage_error(fmt::format("invalid value {} for {}", support::in_quotes(value), from),
                               "use " + setting.expected);
}

void ProgramDefaults::set(const std::string& name, const std::string& value) {
  const Setting* setting = find_setting(name, nullptr);
  if (setting == nullptr) throw unknown_setting(name, nullptr);
  expect_valid(*setting, value, name);
  setting->assign(settings_, value);
  if (name == "lb_statistics") sets_statistics_ = true;
  if (name.starts_with("lb_statistics_") && !sets_statistics_) settings_.lb_statistics = true;
}

}  // namespace plimsoll::runtime
