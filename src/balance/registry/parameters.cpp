#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

template <typename Number>
std::optional<ParameterValue> finite_number(const std::string& text) {
  const auto number = support::parse_number<Number>(text);
  if (!number || !std::isfinite(static_cast<double>(*number))) return {};
  return *number;
}

std::optional<ParameterValue> parse(const std::string& text, const ParameterValue& like) {
  if (std::holds_alternative<std::int64_t>(like)) return finite_number<std::int64_t>(text);
  if (std::holds_alternative<double>(like)) return finite_number<double>(text);
  if (std::holds_alternative<std::string>(like)) return text;
  // vt also accepts the short forms.
  if (text == "true" || text == "1" || text == "t") return true;
  if (text == "false" || text == "0" || text == "f") return false;
  return {};
}

}  // namespace

std::string parameter_table(const std::vector<ParameterSpec>& parameters, std::size_t width) {
  support::TextTable table({{"parameter"}, {"type"}, {"default"}, {"meaning"}});
  for (const ParameterSpec& parameter : parameters) {
    std::string names = parameter.name;
    for (const std::string& alias : parameter.aliases) names += ", " + alias;
    table.add_row(
        {names, type_name(parameter.default_value), to_string(parameter.default_value), parameter.help});
  }
  return table.to_string(width);
}

Error invalid_parameter(const std::string& owner, const std::string& name, const ParameterValue& value,
                        const std::string& advice) {
  const auto* text = std::get_if<std::string>(&value);
  return support::usage_error(fmt::format("invalid value {} for parameter {} of {}",
                                          text != nullptr ? support::in_quotes(*text) : to_string(value),
                                          support::in_quotes(name), owner),
                              advice);
}

const char* type_name(const ParameterValue& value) {
  constexpr const char* names[] = {"boolean", "integer", "real", "text"};
  return names[value.index()];
}

std::string to_string(const ParameterValue& value) {
  return std::visit([](const auto& alternative) { return fmt::format("{}", alternative); }, value);
}

Parameters::Parameters(const std::string& owner, const std::vector<ParameterSpec>& specs,
                       const ParameterMap& given) {
  std::vector<std::string> names;
  for (const ParameterSpec& spec : specs) {
    values_[spec.name] = spec.default_value;
    names.push_back(spec.name);
  }
  std::map<std::string, std::string> name_given;  // name under which the user set each parameter
  for (const auto& [name, text] : given) {
    const auto spec = std::ranges::find_if(specs, [&name = name](const ParameterSpec& candidate) {
      return candidate.name == name || std::ranges::count(candidate.aliases, name) > 0;
    });
    if (spec == specs.end()) {
      const std::string guess = support::did_you_mean(name, names);
      throw support::usage_error(
          fmt::format("unknown parameter {} of {}", support::in_quotes(name), owner),
          names.empty() ? fmt::format("remove it: {} has no parameters", owner)
                        : fmt::format("{}{}: {}", guess, guess.empty() ? "available" : " Available",
                                      fmt::join(names, ", ")));
    }
    const auto [twice, is_new] = name_given.emplace(spec->name, name);
    if (!is_new)
      throw support::usage_error(
          fmt::format("{} and {} are names of the same parameter of {}", support::in_quotes(twice->second),
                      support::in_quotes(name), owner),
          "set it once");
    const std::optional<ParameterValue> value = parse(text, spec->default_value);
    if (!value)
      throw invalid_parameter(owner, name, text,
                              fmt::format("set a value of type {}, e.g. {}", type_name(spec->default_value),
                                          to_string(spec->default_value)));
    values_[spec->name] = *value;
  }
}

double tolerance_of(const std::string& owner, const Parameters& parameters, const std::string& name) {
  const auto tolerance = parameters.get<double>(name);
  if (!(tolerance >= 1))
    throw invalid_parameter(owner, name, tolerance,
                            "use 1 or more: the maximum load cannot be below the average");
  return tolerance;
}

}  // namespace plimsoll::balance
