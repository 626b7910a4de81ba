#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/mpi_summary.hpp>
#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/placement/traffic_data.hpp>

#include "placement/application_time.hpp"

namespace plimsoll::PLIMSOLL_ABI::placement {

namespace {

struct Interval {
  double begin_s = 0;
  double end_s = 0;
};

double time_between(std::vector<Interval>& intervals) {
  std::ranges::sort(intervals, {}, &Interval::begin_s);
  double between_s = 0;
  double end_s = intervals.empty() ? 0 : intervals.front().end_s;
  for (const Interval& interval : intervals) {
    between_s += std::max(0.0, interval.begin_s - end_s);
    end_s = std::max(end_s, interval.end_s);
  }
  return between_s;
}

}  // namespace

std::vector<double> application_times(const collectives::Profile& profile) {
  std::vector<std::vector<Interval>> of_rank(collectives::known_world_size(profile));
  collectives::for_each_timed_call(profile, [&](const collectives::TimedCall& call) {
    of_rank[call.rank].push_back({call.begin_s, call.begin_s + call.duration_s});
  });
  if (std::ranges::none_of(of_rank, [](const auto& intervals) { return intervals.size() > 1; })) return {};
  std::vector<double> times_s;
  times_s.reserve(of_rank.size());
  for (std::vector<Interval>& intervals : of_rank) times_s.push_back(time_between(intervals));
  return times_s;
}

namespace {

using collectives::TrafficMatrix;

lbdata::EntityIndex add_object(std::uint32_t rank, lbdata::EntityTable& entities) {
  const std::uint64_t id =
      lbdata::encode({.kind = lbdata::IdentifierKind::migratable_element, .home = rank, .sequence = 1});
  const std::int64_t index = rank;
  return entities.intern({.id = lbdata::WideInteger{id},
                          .collection_id = lbdata::WideInteger{lbdata::first_collection_id},
                          .home = static_cast<std::int32_t>(rank),
                          .migratable = true,
                          .index = std::span(&index, 1)});
}

/// Returns the place of each rank in its node, or an empty list unless all hosts are known.
std::vector<lbdata::SharedNode> shared_nodes(std::span<const std::string> hosts) {
  if (std::ranges::any_of(hosts, &std::string::empty)) return {};
  std::map<std::string, std::int64_t> node_of_host;
  std::vector<std::int64_t> ranks_on;
  std::vector<lbdata::SharedNode> places;
  for (const std::string& host : hosts) {
    const auto [entry, is_new] = node_of_host.emplace(host, ranks_on.size());
    if (is_new) ranks_on.push_back(0);
    places.push_back({.id = entry->second, .rank = ranks_on[static_cast<std::size_t>(entry->second)]++});
  }
  for (lbdata::SharedNode& place : places) {
    place.size = ranks_on[static_cast<std::size_t>(place.id)];
    place.num_nodes = static_cast<std::int64_t>(ranks_on.size());
  }
  return places;
}

lbdata::Communications received_by(std::uint32_t rank, const collectives::Traffic& traffic,
                                   std::span<const lbdata::EntityIndex> objects) {
  lbdata::Communications edges;
  for (std::uint32_t from = 0; from < traffic.bytes.size(); ++from) {
    if (from == rank || traffic.messages(from, rank) == 0) continue;
    edges.from.push_back(objects[from]);
    edges.to.push_back(objects[rank]);
    edges.bytes.push_back(traffic.bytes(from, rank));
    edges.messages.push_back(static_cast<std::int64_t>(std::min(traffic.messages(from, rank), 9e18)));
    edges.category.push_back(static_cast<std::uint8_t>(lbdata::CommCategory::SendRecv) - 1);
  }
  return edges;
}

/// Returns the time that each rank spent on its own work, or an empty list if it is unknown.
std::vector<double> work_times(const collectives::RecordedRun& run) {
  if (!run.mpi_calls()) return application_times(run.profile());
  std::vector<double> times_s;
  for (const auto& rank : collectives::summarize(*run.mpi_calls()).ranks)
    times_s.push_back(rank.outside_s.value_or(0));
  return times_s;
}

}  // namespace

TrafficData traffic_data(const collectives::RecordedRun& run, std::optional<collectives::TrafficKind> kind) {
  collectives::Traffic traffic = collectives::traffic(run, kind.value_or(collectives::default_traffic(run)),
                                                      {}, collectives::Direction::send, true);
  const std::vector<double> times_s = work_times(run);
  const std::vector<lbdata::SharedNode> places = shared_nodes(collectives::rank_hosts(run));

  TrafficData result;
  result.has_times = !times_s.empty();
  result.findings = std::move(traffic.findings);
  lbdata::Dataset& dataset = result.dataset;
  dataset.resources = lbdata::NameTable({"cpu"});
  std::vector<lbdata::EntityIndex> objects;
  for (std::uint32_t rank = 0; rank < traffic.bytes.size(); ++rank)
    objects.push_back(add_object(rank, dataset.entities));

  for (std::uint32_t rank = 0; rank < traffic.bytes.size(); ++rank) {
    lbdata::RankData& data = dataset.ranks.emplace_back();
    data.metadata.present = true;
    data.metadata.type = "LBDatafile";
    data.metadata.rank = rank;
    if (!places.empty()) data.metadata.shared_node = places[rank];
    data.metadata.phases.emplace().count = 1;
    lbdata::PhaseRecord& phase = data.phases.emplace_back();
    phase.tasks.entity = {objects[rank]};
    phase.tasks.time_s = {result.has_times ? times_s[rank] : 1.0};
    phase.tasks.node = {static_cast<std::int32_t>(rank)};
    phase.tasks.resource = {0};
    phase.tasks.subphase_end = {0};
    lbdata::Communications edges = received_by(rank, traffic, objects);
    if (edges.size() > 0) phase.communications = std::move(edges);
  }
  return result;
}

}  // namespace plimsoll::placement
