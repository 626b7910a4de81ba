#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/esmf_profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

inline constexpr const char* mediator_name = "MED";

/// Name of a component or connector, and the indices of its regions.
using NamedRegions = std::pair<std::string, std::vector<std::size_t>>;

/// Regions in the run phase of a NUOPC driver, by what they belong to.
struct EsmfDriver {
  std::size_t region = 0;                ///< run phase of the driver: "[ESM0001] RunPhase1"
  std::vector<NamedRegions> components;  ///< run phases of "ATM", "OCN", ..., in the order of the file
  std::vector<std::size_t> mediator;     ///< phases of "MED"
  std::vector<NamedRegions> connectors;  ///< run phases of "MED-TO-OCN", ..., in the order of the file
};

/// Returns the name in brackets at the start of a region's name: "ATM" of "[ATM] RunPhase1"; empty if it has
/// none.
std::string_view bracketed_name(std::string_view region);

/// Returns whether a name is that of a component: three capital letters, as in CESM and the UFS.
bool is_component_name(std::string_view name);

/// Finds the driver whose run phase contains run phases of components; of several (an ensemble with several
/// drivers), number `instance`, or the first if that is 0. Throws Error (bad_input) if none is found.
/// O(regions).
EsmfDriver find_driver(const EsmfProfile& profile, std::int64_t instance);

}  // namespace plimsoll::pelayout
