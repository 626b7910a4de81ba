#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/balance/load_model.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Number of phases that steady_loads() uses.
inline constexpr std::size_t steady_phases = 3;

/// Which of an object's loads in the last phases counts.
enum class Steady : std::uint8_t {
  median,   ///< the lower median, or the lower load of two
  minimum,  ///< while interruptions are frequent
};

/// Returns a load for each object of the history that is not disturbed by a single phase, from its loads in
/// the last three phases. An interrupted object looks much heavier than it is; in many objects, some are
/// interrupted in every phase.
std::vector<double> steady_loads(const LoadHistory& history, Steady which = Steady::median);

/// Returns the loads of each object of the history in so many phases, newest first: `n_phases` loads per
/// object, 0 in phases without the object. Requires a history of so many phases.
std::vector<double> loads_of_phases(const LoadHistory& history, std::size_t n_phases);

}  // namespace plimsoll::balance
