#pragma once

#include <optional>
#include <vector>

#include <plimsoll/collectives/traffic.hpp>
#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::placement {

/// The traffic of a profile as an LB data set.
struct TrafficData {
  lbdata::Dataset dataset;
  bool has_times = false;            ///< whether loads were measured; else each is 1
  std::vector<Diagnostic> findings;  ///< data missing from the data set, and why
};

/// Creates a data set of one phase, with one migratable object per rank. Traffic from one object to another
/// becomes an edge of type SendRecv on the receiving rank. It contains the bytes, and one message per count
/// above 0 in each call. Traffic of an object to itself is not included.
///
/// The load of an object is the time that its rank spent outside MPI if the MPI calls were recorded, or else
/// between collectives: from the end of one recorded call to the start of the next. Ranks have node ids if
/// their hosts are known. `kind` defaults to collectives::default_traffic(). Throws the same Errors as
/// collectives::traffic().
TrafficData traffic_data(const collectives::RecordedRun& run,
                         std::optional<collectives::TrafficKind> kind = {});

}  // namespace plimsoll::placement
