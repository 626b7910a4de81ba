#include <fmt/format.h>

#include <numeric>

#include <plimsoll/balance/rank_traffic.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::balance {

RankTraffic rank_traffic(const LDStats& stats, std::span<const std::int32_t> placement,
                         const std::function<bool(std::size_t)>& counts) {
  if (placement.size() != stats.obj_data.size())
    throw support::usage_error(
        fmt::format("invalid placement: {} entries for {} objects", placement.size(), stats.obj_data.size()));
  const auto rank_of = [&](CommEnd end) {
    return end.is_object() ? static_cast<std::uint32_t>(placement[end.index()]) : end.index();
  };
  const std::size_t n_ranks = stats.procs.size();
  RankTraffic traffic{std::vector<double>(n_ranks), std::vector<double>(n_ranks),
                      std::vector<std::int64_t>(n_ranks), std::vector<std::int64_t>(n_ranks)};
  for (std::size_t edge = 0; edge < stats.comm_data.size(); ++edge) {
    const LDCommData& comm = stats.comm_data[edge];
    const std::uint32_t from = rank_of(comm.sender);
    const std::uint32_t to = rank_of(comm.receiver);
    if (from == to || (counts && !counts(edge))) continue;
    traffic.sent_bytes[from] += comm.bytes;
    traffic.received_bytes[to] += comm.bytes;
    traffic.sent_messages[from] += comm.messages;
    traffic.received_messages[to] += comm.messages;
  }
  return traffic;
}

double RankTraffic::off_rank_bytes() const {
  return std::accumulate(sent_bytes.begin(), sent_bytes.end(), 0.0);
}

std::int64_t RankTraffic::off_rank_messages() const {
  return std::accumulate(sent_messages.begin(), sent_messages.end(), std::int64_t{0});
}

}  // namespace plimsoll::balance
