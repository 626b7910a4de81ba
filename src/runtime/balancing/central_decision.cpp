#include "runtime/balancing/central_decision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>

#include "runtime/balancing/gathered_stats.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr int root = 0;

std::int64_t sum_over_ranks(const mpi::Communicator& communicator, std::int64_t mine) {
  return communicator.all_reduce<[](std::int64_t& left, const std::int64_t& right) { left += right; }>(mine);
}

double mean(const std::vector<double>& times) {
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

/// Runs the strategy on the gathered stats and fills the members of the decision that all ranks share.
CentralDecision decide(balance::Strategy& strategy, balance::LDStats& stats) {
  strategy.work(stats);
  const std::vector<double> before = balance::finish_times(stats, stats.from_proc);
  const std::vector<double> after = balance::finish_times(stats, stats.to_proc);
  CentralDecision decision;
  decision.max_time_before_s = std::ranges::max(before);
  decision.max_time_after_s = std::ranges::max(after);
  decision.mean_time_s = mean(after);
  const std::vector<balance::Remark> remarks = balance::remarks_on(strategy, stats);
  if (!remarks.empty()) decision.remark = remarks.front().text;
  for (std::size_t object = 0; object < stats.to_proc.size(); ++object)
    decision.moves += stats.to_proc[object] != stats.from_proc[object] ? 1 : 0;
  if (decision.moves == 0 && decision.remark.empty() && strategy.minimises_score())
    decision.remark = fmt::format("{} found no better placement.", strategy.name());
  return decision;
}

/// Packs what a rank needs to know: the shared members, and the objects that leave it.
std::vector<std::byte> message_to(const GatheredStats& gathered, int rank, const CentralDecision& shared) {
  const std::vector<LeavingObject> leaving = gathered.leaving(rank);
  mpi::Packer packer;
  packer.reserve(leaving.size() * sizeof(LeavingObject) + shared.remark.size() + 64);
  packer.value(shared.moves);
  packer.value(shared.max_time_before_s);
  packer.value(shared.max_time_after_s);
  packer.value(shared.mean_time_s);
  packer.text(shared.remark);
  packer.array(leaving);
  return packer.take();
}

CentralDecision unpack(std::span<const std::byte> message) {
  mpi::Unpacker unpacker(message);
  CentralDecision decision;
  decision.moves = unpacker.value<std::int64_t>();
  decision.max_time_before_s = unpacker.value<double>();
  decision.max_time_after_s = unpacker.value<double>();
  decision.mean_time_s = unpacker.value<double>();
  decision.remark = unpacker.text();
  decision.leaving = unpacker.array<LeavingObject>();
  return decision;
}

}  // namespace

CentralDecision decide_centrally(const mpi::Communicator& communicator, const RankStats& mine,
                                 balance::Strategy& strategy) {
  const std::int64_t objects = sum_over_ranks(communicator, static_cast<std::int64_t>(mine.loads_s.size()));
  GatheredStats gathered(strategy.needs());
  std::vector<std::byte> message;
  mpi::agreed(communicator, [&] {
    if (communicator.rank() == root) gathered.reserve(objects, communicator.size());
    message = pack(mine, strategy.needs());
  });
  mpi::agreed(communicator, [&] {
    mpi::gather(communicator, message, root,
                [&](int, std::span<const std::byte> bytes) { gathered.add_rank(bytes); });
  });
  message = {};
  CentralDecision shared;
  mpi::agreed(communicator, [&] {
    if (communicator.rank() == root) shared = decide(strategy, gathered.complete());
  });
  CentralDecision decision;
  mpi::agreed(communicator, [&] {
    decision = unpack(mpi::scatter(
        communicator, [&](int rank) { return message_to(gathered, rank, shared); }, root));
  });
  return decision;
}

}  // namespace plimsoll::runtime
