#pragma once

#include <optional>

#include <plimsoll/lbdata/records.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Returns whether a quarter of a rank's objects became slower, or faster, by 15 % or more from one phase to
/// the next. If it happens to all ranks, the program changes. Otherwise a processor has probably changed its
/// speed. Returns nothing if the rank had other objects before, or has fewer than 8. Cost: one comparison of
/// the objects, and a sample of their loads.
std::optional<bool> many_loads_changed(const lbdata::Tasks& now, const lbdata::Tasks& before);

}  // namespace plimsoll::runtime
