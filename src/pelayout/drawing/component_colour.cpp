#include "pelayout/drawing/component_colour.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

struct NamedColour {
  std::string_view component;
  const char* colour;
};

constexpr std::array<NamedColour, 10> colours = {{{"ATM", "#6baed6"},
                                                  {"OCN", "#41b6a6"},
                                                  {"ICE", "#9e9ac8"},
                                                  {"LND", "#74c476"},
                                                  {"ROF", "#e6b82e"},
                                                  {"CPL", "#fd8d3c"},
                                                  {"GLC", "#d68fc0"},
                                                  {"WAV", "#5dcdd6"},
                                                  {"IAC", "#c9b28b"},
                                                  {"ESP", "#b0b0b0"}}};

}  // namespace

const char* component_colour(std::string_view component) {
  const auto known = std::ranges::find(colours, component, &NamedColour::component);
  if (known != colours.end()) return known->colour;
  const unsigned letters = std::accumulate(
      component.begin(), component.end(), 0U,
      [](unsigned sum, char letter) { return 31 * sum + static_cast<unsigned char>(letter); });
  return colours[letters % colours.size()].colour;
}

}  // namespace plimsoll::pelayout
