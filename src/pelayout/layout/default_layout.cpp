#include "pelayout/layout/default_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

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
  PLIMSOLL_EXPECT(!components.empty());
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

namespace {

Layout built_in(const char* name, const char* expression, const char* description) {
  Layout layout;
  layout.name = name;
  layout.description = description;
  layout.expression = parse_layout(expression);
  return layout;
}

/// Restricts components to the processors of the atmosphere: sea ice, land and all others that run before it.
/// Section 3 of the documentation of CIME's tool describes this rule.
Layout spanned_by_atmosphere(Layout layout) {
  layout.rules["ATM"].spans = true;
  return layout;
}

constexpr const char* sequential = "Sequential";

Layout in_sequence(std::span<const std::string> available) {
  if (available.empty())
    throw support::bad_input("no components for the layout Sequential: expected at least one");
  return built_in(sequential, fmt::format("{}", fmt::join(available, " ; ")).c_str(),
                  "all components in sequence on all processors");
}

bool is_name(std::string_view text) {
  return text.find_first_of(" ;|()\t\n") == std::string_view::npos;
}

std::string what_is_meant(const std::string& name, const std::vector<std::string>& names,
                          const std::string& text) {
  const std::string otherwise =
      name != text ? "set PLIMSOLL_LAYOUT_PYTHON to the path of examples/layout_python/plimsoll_layout.py to "
                     "use a Python class"
                   : fmt::format("use one of {}, an expression such as '(ATM ; LND) | OCN', or a .yaml file",
                                 fmt::join(names, ", "));
  return support::did_you_mean(name, names, otherwise, support::NameStyle::bare);
}

}  // namespace

std::span<const Layout> built_in_layouts() {
  static const std::vector<Layout> layouts{
      spanned_by_atmosphere(
          built_in("IceLndAtmOcn", "((ICE | LND) ; ATM) | OCN",
                   "usual CESM layout: sea ice and land, then the atmosphere; the ocean runs concurrently")),
      spanned_by_atmosphere(built_in("IceLndWavAtmOcn", "((LND | ICE | WAV) ; ATM) | OCN",
                                     "IceLndAtmOcn with waves that run concurrently with sea ice and land")),
      built_in("AtmLnd", "(ATM ; ROF ; CPL) | (LND ; ICE ; OCN)",
               "atmosphere, rivers and coupler run concurrently with land, sea ice and ocean"),
      built_in("E3SM", "((ICE | (LND ; ROF)) ; ATM ; CPL) | OCN",
               "usual E3SM layout: rivers on the land's processors, the coupler on the atmosphere's"),
      built_in("AtmOcn", "(ICE ; LND ; ATM) | OCN",
               "sea ice, land and atmosphere in sequence; the ocean runs concurrently"),
  };
  return layouts;
}

bool is_layout_file(std::string_view text) {
  return text.ends_with(".yaml") || text.ends_with(".yml");
}

Layout find_layout(const std::string& text, std::span<const std::string> available) {
  if (is_layout_file(text)) return read_layout_file(text);
  if (!is_name(text)) {
    Layout layout;
    layout.expression = parse_layout(text);
    layout.name = to_string(layout.expression);
    return layout;
  }
  const std::string name = text.substr(text.rfind('.') + 1);
  if (name == sequential) return in_sequence(available);
  std::vector<std::string> names{sequential};
  for (const Layout& layout : built_in_layouts()) {
    if (layout.name == name) return layout;
    names.push_back(layout.name);
  }
  throw support::usage_error(fmt::format("unknown layout {}", support::in_quotes(text)),
                             what_is_meant(name, names, text));
}

}  // namespace plimsoll::pelayout
