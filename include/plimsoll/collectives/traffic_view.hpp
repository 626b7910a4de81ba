#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/recorded_run.hpp>
#include <plimsoll/collectives/traffic_matrix.hpp>
#include <plimsoll/collectives/traffic_summary.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Selection of the traffic to show, and the way to sum it.
struct TrafficViewOptions {
  std::optional<TrafficKind> kind;  ///< if empty, default_traffic()
  TrafficSelection selection;
  Direction counts_of = Direction::send;  ///< side whose counts are summed
  bool by_host = false;                   ///< whether to sum the traffic of the ranks on each host
  bool with_self = true;                  ///< whether to include the bytes that ranks send to themselves
};

/// Traffic of the selected calls, by rank or by host, for display.
struct TrafficView {
  TrafficKind kind = TrafficKind::collectives;
  std::string title;
  Traffic traffic;
  std::optional<HostTraffic> hosts;  ///< set if all hosts are known
  bool by_host = false;
  bool with_self = true;

  const TrafficMatrix& matrix() const { return by_host ? hosts->bytes : traffic.bytes; }
  /// Returns the names of the rows and columns of matrix().
  std::vector<std::string> names() const;
};

/// Makes a view. Throws the same Errors as expect_traffic(), traffic() and, by host, host_traffic().
TrafficView view_traffic(const RecordedRun& run, const TrafficViewOptions& options = {});

/// Describes a selection, such as "Alltoallv calls on communicator 1 of rank 0" or "calls".
std::string to_string(const TrafficSelection& selection);

/// Passes a view as CSV (RFC 4180) to a sink, line by line: a header line of receivers, then one line per
/// sender.
void write_csv(const TrafficView& view, const std::function<void(std::string_view)>& sink);

}  // namespace plimsoll::collectives
