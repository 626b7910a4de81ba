#include "cli/commands/report/communicator_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using collectives::Communicator;
using collectives::Lead;
using collectives::RankValues;

/// Sums over the calls of an operation on a communicator, by rank.
struct RankSums {
  std::size_t calls = 0;
  std::vector<std::optional<double>> time_s;
  std::vector<std::optional<double>> max_time_s;
  std::vector<std::optional<double>> waited_s;
};

/// Operation, empty if unknown, and number of the communicator.
using Group = std::pair<std::string, std::uint32_t>;

void add(std::optional<double>& sum, double part) {
  sum = sum.value_or(0) + part;
}

/// Calls `use` with the values of the ranks in each call.
template <class Use>
void for_each_call(const RankValues& values, Use&& use) {
  for (std::size_t k = 0; (k + 1) * values.comm_size <= values.values.size(); ++k) use(values.of_call(k));
}

void add_times(const RankValues& times, RankSums& sums) {
  sums.calls = std::max(sums.calls, times.calls.size());
  sums.time_s.resize(times.comm_size);
  sums.max_time_s.resize(times.comm_size);
  for_each_call(times, [&](std::span<const double> of_ranks) {
    for (std::uint32_t rank = 0; rank < times.comm_size; ++rank) {
      const double time_s = of_ranks[rank];
      if (!std::isfinite(time_s)) continue;
      add(sums.time_s[rank], std::max(0.0, time_s));
      sums.max_time_s[rank] = std::max(sums.max_time_s[rank].value_or(0), time_s);
    }
  });
}

/// Adds wait times as the summary of a profile does: the last rank of a call waits for nobody.
void add_waits(const RankValues& waits, RankSums& sums) {
  sums.calls = std::max(sums.calls, waits.calls.size());
  sums.waited_s.resize(waits.comm_size);
  for_each_call(waits, [&](std::span<const double> of_ranks) {
    if (std::ranges::any_of(of_ranks, [](double wait_s) { return !std::isfinite(wait_s); })) return;
    const auto last = std::ranges::min_element(of_ranks) - of_ranks.begin();
    for (std::uint32_t rank = 0; rank < waits.comm_size; ++rank) {
      const bool waits_for_nobody = rank == last && !waits.operation.neighborhood;
      add(sums.waited_s[rank], waits_for_nobody ? 0.0 : std::max(0.0, of_ranks[rank]));
    }
  });
}

std::map<Group, RankSums> sums_of(const Lead& lead) {
  std::map<Group, RankSums> sums;
  for (const RankValues& values : lead.execution_s)
    add_times(values, sums[{values.operation.name(), values.communicator}]);
  for (const RankValues& values : lead.late_arrival_s)
    add_waits(values, sums[{values.operation.name(), values.communicator}]);
  for (const Communicator& communicator : lead.communicators)
    if (std::ranges::none_of(sums, [&](const auto& each) { return each.first.second == communicator.id; }))
      sums.try_emplace({"", communicator.id});
  return sums;
}

template <class Value>
std::optional<Value> at(const std::vector<Value>& values, std::size_t k) {
  return k < values.size() ? std::optional(values[k]) : std::nullopt;
}

template <class Value>
std::optional<Value> at(const std::vector<std::optional<Value>>& values, std::size_t k) {
  return k < values.size() ? values[k] : std::nullopt;
}

void write_group(support::JsonWriter& json, const Lead& lead, const Group& group, const RankSums& sums) {
  const auto communicator = std::ranges::find(lead.communicators, group.second, &Communicator::id);
  const bool is_known = communicator != lead.communicators.end();
  std::vector<std::uint64_t> members;
  if (is_known) communicator->members.for_each([&](std::uint64_t rank) { members.push_back(rank); });
  const std::vector<std::string> hosts = is_known ? communicator->hosts : std::vector<std::string>();
  const std::size_t n_ranks =
      std::max({sums.time_s.size(), sums.waited_s.size(), members.size(), hosts.size()});
  for (std::size_t rank = 0; rank < n_ranks; ++rank)
    json.begin_object()
        .member("job", lead.job)
        .member("lead", lead.rank)
        .member("communicator", group.second)
        .member("operation", group.first.empty() ? std::nullopt : std::optional(group.first))
        .member("rank", rank)
        .member("world_rank", at(members, rank))
        .member("host", at(hosts, rank))
        .member("calls", sums.calls)
        .member("time_s", at(sums.time_s, rank))
        .member("max_time_s", at(sums.max_time_s, rank))
        .member("waited_s", at(sums.waited_s, rank))
        .end_object();
}

}  // namespace

void write_communicator_ranks(support::JsonWriter& json, const collectives::Profile& profile) {
  json.begin_array();
  for (const Lead& lead : profile.leads)
    for (const auto& [group, sums] : sums_of(lead)) write_group(json, lead, group, sums);
  json.end_array();
}

}  // namespace plimsoll::cli
