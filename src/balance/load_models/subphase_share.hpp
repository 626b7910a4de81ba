#pragma once

#include <plimsoll/balance/load_model.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns the share of a quantity of the whole phase, such as traffic, that counts for the requested
/// subphase. The share is proportional to the load. Returns 1 for the whole phase, and 0 if the phase has no
/// load.
inline double subphase_share(const LoadModel& model, ObjectIndex object, PhaseOffset when) {
  if (when.is_whole()) return 1;
  const double whole_s = model.load_s(object, when.of(PhaseOffset::whole_phase));
  return whole_s > 0 ? model.load_s(object, when) / whole_s : 0;
}

}  // namespace plimsoll::balance
