#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <plimsoll/collectives/recorded_run.hpp>
#include <plimsoll/collectives/traffic_summary.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/quoted.hpp>

#include "collectives/analysis/saturate.hpp"

namespace plimsoll::inline v0_1::collectives {

namespace {

/// Adds the traffic of the MPI calls.
void add_point_to_point(const MpiCalls& calls, Traffic& sum) {
  for (const MpiCalls::Traffic& pair : calls.traffic) {
    sum.bytes(pair.from, pair.to) += static_cast<double>(pair.bytes);
    if (sum.messages.size() > 0) sum.messages(pair.from, pair.to) += static_cast<double>(pair.messages);
    sum.point_to_point_messages = add(sum.point_to_point_messages, pair.messages);
  }
}

void check_same_run(const Profile& profile, const MpiCalls& mpi_calls) {
  if (mpi_calls.run.empty() || profile.runs.empty()) return;
  for (const std::string& run : profile.runs)
    if (run != mpi_calls.run)
      throw support::bad_input(fmt::format("the files contain collectives of run {} and MPI calls of run {}",
                                           support::in_quotes(run), support::in_quotes(mpi_calls.run)),
                               {}, "use the files of one run, such as only mpi-calls.json");
}

Traffic no_traffic(std::size_t ranks, bool with_messages) {
  if (ranks > Traffic::max_ranks)
    throw support::usage_error(fmt::format("too many ranks for a matrix: {}, but at most {} are supported",
                                           ranks, Traffic::max_ranks));
  Traffic traffic;
  traffic.bytes = TrafficMatrix(static_cast<std::uint32_t>(ranks));
  if (with_messages) traffic.messages = traffic.bytes;
  return traffic;
}

}  // namespace

RecordedRun::RecordedRun(Profile profile, std::optional<MpiCalls> mpi_calls)
    : profile_(std::move(profile)), mpi_calls_(std::move(mpi_calls)) {
  if (!mpi_calls_) return;
  check_same_run(profile_, *mpi_calls_);
  const auto ranks = static_cast<std::uint32_t>(mpi_calls_->ranks.size());
  if (profile_.world_size == 0 && known_world_size(profile_) <= ranks) profile_.world_size = ranks;
  if (profile_.world_size != ranks)
    throw support::bad_input(
        fmt::format("the profile contains collectives of {} ranks and MPI calls of {} ranks",
                    known_world_size(profile_), ranks),
        {}, "use the files of one run");
}

bool RecordedRun::has_counts() const {
  return std::ranges::any_of(profile_.leads, [](const Lead& lead) { return !lead.signatures.empty(); });
}

TrafficKind default_traffic(const RecordedRun& run) {
  return run.has_counts() || !run.mpi_calls() ? TrafficKind::collectives : TrafficKind::point_to_point;
}

Traffic traffic(const RecordedRun& run, TrafficKind kind, const TrafficSelection& selection,
                Direction counts_of, bool with_messages) {
  if (kind == TrafficKind::collectives) return traffic(run.profile(), selection, counts_of, with_messages);
  if (!run.mpi_calls())
    throw support::bad_input("the profile does not contain point-to-point traffic", {},
                             "use plimsoll profile --record mpi to record it");
  if (selection != TrafficSelection{})
    throw support::usage_error(
        "only collectives can be selected by operation, call, count set or communicator",
        "use only the traffic of collectives");
  Traffic sum = kind == TrafficKind::all ? traffic(run.profile(), selection, counts_of, with_messages)
                                         : no_traffic(run.mpi_calls()->ranks.size(), with_messages);
  add_point_to_point(*run.mpi_calls(), sum);
  return sum;
}

std::vector<std::string> rank_hosts(const RecordedRun& run) {
  if (!run.mpi_calls()) return rank_hosts(run.profile());
  std::vector<std::string> hosts;
  for (const MpiCalls::Rank& rank : run.mpi_calls()->ranks) hosts.push_back(rank.host);
  return hosts;
}

}  // namespace plimsoll::collectives
