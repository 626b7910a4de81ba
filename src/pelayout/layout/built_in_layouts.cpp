#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

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
