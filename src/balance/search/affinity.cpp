#include "balance/search/affinity.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

void check_edge(const LDStats& stats, std::size_t edge) {
  const LDCommData& comm = stats.comm_data[edge];
  for (const CommEnd end : {comm.sender, comm.receiver}) {
    const std::size_t n_ends = end.is_object() ? stats.obj_data.size() : stats.procs.size();
    if (end.index() >= n_ends)
      throw support::bad_input(fmt::format("edge {0} refers to {1} {2}, but LDStats has only {3} {1}s", edge,
                                           end.is_object() ? "object" : "processor", end.index(), n_ends));
  }
  if (!(std::isfinite(comm.bytes) && comm.bytes >= 0) || comm.messages < 0)
    throw support::bad_input(
        fmt::format("invalid edge {}: {} bytes, {} messages; both must be finite and >= 0", edge, comm.bytes,
                    comm.messages));
}

Affinity::Affinity(const LDStats& stats, double per_message) : begin_(stats.obj_data.size() + 2, 0) {
  // Use counting sort: begin_[v + 2] counts v's partners; after summation, begin_[v + 1] is the position of
  // v's next partner.
  for (std::size_t edge = 0; edge < stats.comm_data.size(); ++edge) {
    check_edge(stats, edge);
    const LDCommData& comm = stats.comm_data[edge];
    if (comm.sender == comm.receiver) continue;
    for (const CommEnd end : {comm.sender, comm.receiver})
      if (end.is_object()) ++begin_[end.index() + 2];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  partners_.resize(begin_.back(), Partner{CommEnd::object(0), 0});
  for (const LDCommData& comm : stats.comm_data) {
    if (comm.sender == comm.receiver) continue;
    const double cost = comm.bytes + per_message * static_cast<double>(comm.messages);
    total_cost_ += cost;
    if (comm.sender.is_object()) partners_[begin_[comm.sender.index() + 1]++] = {comm.receiver, cost};
    if (comm.receiver.is_object()) partners_[begin_[comm.receiver.index() + 1]++] = {comm.sender, cost};
  }
  begin_.pop_back();
  merge_duplicates(stats.procs.size());
  // Reject infinite costs: their differences are NaN, which no queue can order.
  if (!std::isfinite(total_cost_))
    throw support::usage_error("the sum of the communication costs is not finite",
                               "use a smaller per_message");
}

void Affinity::merge_duplicates(std::size_t n_ranks) {
  const std::size_t n_objects = begin_.size() - 1;
  constexpr std::uint64_t never = ~std::uint64_t{0};
  std::vector<std::uint64_t> position_of(n_objects + n_ranks, never);
  std::uint64_t end = 0;
  std::uint64_t next = 0;
  for (std::size_t object = 0; object < n_objects; ++object) {
    const std::uint64_t first = end;
    for (; next < begin_[object + 1]; ++next) {
      const Partner partner = partners_[next];
      std::uint64_t& position =
          position_of[partner.end.is_object() ? partner.end.index() : n_objects + partner.end.index()];
      if (position != never && position >= first) {
        partners_[position].cost += partner.cost;
      } else {
        position = end;
        partners_[end++] = partner;
      }
    }
    begin_[object] = first;
  }
  begin_.back() = end;
  partners_.resize(end, Partner{CommEnd::object(0), 0});
}

}  // namespace plimsoll::balance
