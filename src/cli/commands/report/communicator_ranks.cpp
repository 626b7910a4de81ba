#include "cli/commands/report/communicator_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::inline v0_1::cli {

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

void add_values(const RankValues& values, RankSums& sums, std::vector<std::optional<double>> RankSums::*sum,
                std::vector<std::optional<double>> RankSums::*maximum) {
  sums.calls = std::max(sums.calls, values.calls.size());
  (sums.*sum).resize(values.comm_size);
  if (maximum != nullptr) (sums.*maximum).resize(values.comm_size);
  for (std::size_t k = 0; (k + 1) * values.comm_size <= values.values.size(); ++k)
    for (std::uint32_t rank = 0; rank < values.comm_size; ++rank) {
      const double value = values.of_call(k)[rank];
      if (!std::isfinite(value)) continue;
      add((sums.*sum)[rank], std::max(0.0, value));
      if (maximum == nullptr) continue;
      std::optional<double>& most = (sums.*maximum)[rank];
      most = std::max(most.value_or(0), value);
    }
}

std::map<Group, RankSums> sums_of(const Lead& lead) {
  std::map<Group, RankSums> sums;
  for (const RankValues& values : lead.execution_s)
    add_values(values, sums[{values.operation.name(), values.communicator}], &RankSums::time_s,
               &RankSums::max_time_s);
  for (const RankValues& values : lead.late_arrival_s)
    add_values(values, sums[{values.operation.name(), values.communicator}], &RankSums::waited_s, nullptr);
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
