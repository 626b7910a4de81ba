#pragma once

#include <plimsoll/balance/load_model.hpp>

namespace plimsoll::inline v0_1::balance {

/// The part of a quantity of the whole phase, such as traffic, that counts for the subphase asked of: in
/// proportion to its load. 1 for the whole phase, 0 if that has no load.
inline double subphase_share(const LoadModel& model, ObjectIndex object, PhaseOffset when) {
  if (when.is_whole()) return 1;
  const double whole_s = model.load_s(object, when.of(PhaseOffset::whole_phase));
  return whole_s > 0 ? model.load_s(object, when) / whole_s : 0;
}

}  // namespace plimsoll::balance
