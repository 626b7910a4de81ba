#include "pelayout/layout/default_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Components of CIME's layouts; all others extend them.
constexpr std::array<std::string_view, 5> basic = {"ICE", "LND", "WAV", "ATM", "OCN"};
/// Models that only E3SM contains.
constexpr std::array<std::string_view, 8> e3sm_models = {"EAM",    "EAMXX", "SCREAM",    "ELM",
                                                         "MPASSI", "MPASO", "MPAS-CICE", "MPASLI"};

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

std::vector<std::string> active_components(const Problem& problem) {
  std::vector<std::string> names;
  for (const Component& component : problem.components)
    if (std::ranges::any_of(component.samples, [](const Sample& sample) { return sample.cost > 0; }))
      names.push_back(component.name);
  return names;
}

bool is_e3sm(const Problem& problem) {
  return std::ranges::any_of(
      problem.components, [](const Component& component) { return contains(e3sm_models, component.model); });
}

/// Joins the parts with an operator, in parentheses if they are several.
std::string joined(const std::vector<std::string>& parts, const char* separator) {
  const std::string text = fmt::format("{}", fmt::join(parts, separator));
  return parts.size() > 1 ? "(" + text + ")" : text;
}

/// Returns those of the given names that are active.
std::vector<std::string> those_of(const std::vector<std::string>& active,
                                  std::initializer_list<const char*> names) {
  std::vector<std::string> found;
  for (const char* name : names)
    if (contains(active, name)) found.emplace_back(name);
  return found;
}

/// Returns whether the ocean always took less than 1 % of the atmosphere's time.
bool has_negligible_ocean(const Problem& problem) {
  const Component* const ocean = problem.find("OCN");
  const Component* const atmosphere = problem.find("ATM");
  return ocean != nullptr && atmosphere != nullptr &&
         std::ranges::max(ocean->samples, {}, &Sample::cost).cost <
             0.01 * std::ranges::min(atmosphere->samples, {}, &Sample::cost).cost;
}

}  // namespace

LayoutExpression usual_arrangement(const std::vector<std::string>& components, bool concurrent_ocean) {
  std::vector<std::string> before = those_of(components, {"ICE"});
  if (const auto land = those_of(components, {"LND", "ROF"}); !land.empty())
    before.push_back(joined(land, " ; "));
  std::ranges::copy(those_of(components, {"WAV"}), std::back_inserter(before));

  std::vector<std::string> chain;
  if (!before.empty()) chain.push_back(joined(before, " | "));
  std::ranges::copy(those_of(components, {"ATM"}), std::back_inserter(chain));
  for (const std::string& name : components)
    if ((!contains(basic, name) && name != "ROF" && name != "CPL") || (name == "OCN" && !concurrent_ocean))
      chain.push_back(name);
  std::ranges::copy(those_of(components, {"CPL"}), std::back_inserter(chain));

  std::vector<std::string> all;
  if (concurrent_ocean) all = those_of(components, {"OCN"});
  if (!chain.empty()) all.insert(all.begin(), joined(chain, " ; "));
  return parse_layout(joined(all, " | "));
}

Layout default_layout(const Problem& problem) {
  const std::vector<std::string> active = active_components(problem);
  const bool extended = std::ranges::any_of(active, [](const auto& name) { return !contains(basic, name); });
  const std::vector<std::string> names = problem.component_names();
  const bool complete = those_of(names, {"ICE", "LND", "ATM", "OCN"}).size() == 4;
  if (active.empty() || (complete && !extended))
    return find_layout(contains(active, "WAV") ? "IceLndWavAtmOcn" : "IceLndAtmOcn", names);
  const LayoutExpression expression = usual_arrangement(active, !has_negligible_ocean(problem));
  Layout e3sm = find_layout("E3SM", names);
  if (is_e3sm(problem) && expression == e3sm.expression) return e3sm;
  return find_layout("(" + to_string(expression) + ")", names);
}

}  // namespace plimsoll::pelayout
