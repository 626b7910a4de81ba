#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/traffic_matrix.hpp>
#include <plimsoll/collectives/traffic_summary.hpp>

namespace plimsoll::inline v0_1::collectives {

/// Which traffic is shown, and how it is added up.
struct TrafficViewOptions {
  TrafficSelection selection;
  Direction counts_of = Direction::send;  ///< whose counts are added up
  bool by_host = false;                   ///< add up the ranks of each host
};

/// The traffic of some calls as it is shown: by ranks or by hosts.
struct TrafficView {
  std::string title;
  Traffic traffic;
  std::optional<HostTraffic> hosts;  ///< if all are known
  bool by_host = false;

  const TrafficMatrix& matrix() const { return by_host ? hosts->bytes : traffic.bytes; }
  /// Of the rows and columns of matrix().
  std::vector<std::string> names() const;
};

/// Throws Error as traffic() and, by host, as host_traffic().
TrafficView view_traffic(const Profile& profile, const TrafficViewOptions& options = {});

/// "Alltoallv calls on communicator 1 of rank 0", "calls".
std::string to_string(const TrafficSelection& selection);

/// Gives a view as CSV (RFC 4180) to a sink, line by line: a line of receivers, then one for each sender.
void write_csv(const TrafficView& view, const std::function<void(std::string_view)>& sink);

}  // namespace plimsoll::collectives
