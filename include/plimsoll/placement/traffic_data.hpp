#pragma once

#include <vector>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/diagnostic.hpp>

namespace plimsoll::inline v0_1::placement {

/// The traffic of a profile as an LB data set.
struct TrafficData {
  lbdata::Dataset dataset;
  bool has_times = false;            ///< whether loads were measured; else each is 1
  std::vector<Diagnostic> findings;  ///< what is not in it, and why
};

/// One phase, with one migratable object a rank. What an object sends another is an edge of type SendRecv, on
/// the rank that receives it: bytes, and a message for each count above 0 in each call; what it sends itself
/// is left out. Its load is the time that its rank spent between collectives: from the end of one recorded
/// call to the begin of the next. Ranks know their nodes where the profile has their hosts. Throws Error as
/// collectives::traffic().
TrafficData traffic_data(const collectives::Profile& profile);

}  // namespace plimsoll::placement
