#include "balance/strategies/tempered_lb/node_memory.hpp"

#include <algorithm>
#include <cmath>

#include <plimsoll/support/hash.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

struct MemoryReport {
  std::int64_t node = 0;
  double bytes = 0;
};

}  // namespace

bool NodeMemory::is_limited() const {
  return std::isfinite(limit_bytes_);
}

void NodeMemory::report(std::int32_t local, std::int64_t node, double bytes, Outbox& outbox) const {
  const std::int32_t self = rounds_.first_local_rank() + local;
  // A rank without a node is a node of its own.
  const MemoryReport report{node >= 0 ? node : -1 - self, bytes};
  const std::int32_t accountant =
      node >= 0 ? static_cast<std::int32_t>(support::mix_bits(static_cast<std::uint64_t>(node)) %
                                            at(rounds_.ranks()))
                : self;
  outbox.send(accountant, std::span(&report, 1));
}

void NodeMemory::grant(std::int32_t local, Inbox reports, Outbox& outbox) {
  struct NodeUse {
    double bytes = 0;
    std::vector<std::int32_t> ranks;
  };
  std::map<std::int64_t, NodeUse> use;
  for (const RoundMessage& message : reports) {
    const MemoryReport report = message.items<MemoryReport>().front();
    use[report.node].bytes += report.bytes;
    use[report.node].ranks.push_back(message.sender);
  }
  for (const auto& [node, of_node] : use) {
    Account& account =
        of_rank_[at(local)].emplace(node, Account{std::max(limit_bytes_, of_node.bytes)}).first->second;
    const double room = std::max(0.0, account.allowed_bytes - of_node.bytes);
    outbox.send(of_node.ranks[support::mix_bits(++account.turn) % of_node.ranks.size()], std::span(&room, 1));
  }
}

double NodeMemory::granted(Inbox grants) {
  return grants.empty() ? 0 : grants.front().items<double>().front();
}

}  // namespace plimsoll::balance
