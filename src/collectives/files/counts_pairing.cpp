#include "collectives/files/counts_pairing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

bool same_calls(const CountsBlock& send, const CountsBlock& recv) {
  return send.operation == recv.operation && send.comm_size == recv.comm_size && send.calls == recv.calls;
}

std::uint64_t hash_of_calls(const CountsBlock& block) {
  return support::hash_bytes(block.calls.runs(),
                             block.comm_size * Operation::count + block.operation.index());
}

/// Finds the partner of a block among the blocks of the other file. Each block is used once.
class Partners {
 public:
  explicit Partners(const std::vector<CountsBlock>& blocks) : blocks_(blocks), taken_(blocks.size()) {
    for (std::size_t k = 0; k < blocks.size(); ++k) by_hash_.emplace(hash_of_calls(blocks[k]), k);
  }

  std::optional<std::size_t> take(const CountsBlock& block, std::size_t number) {
    if (number < blocks_.size() && fits(block, number)) return take(number);
    const auto [first, last] = by_hash_.equal_range(hash_of_calls(block));
    const auto found =
        std::find_if(first, last, [&](const auto& entry) { return fits(block, entry.second); });
    if (found == last) return std::nullopt;
    return take(found->second);
  }
  bool taken(std::size_t number) const { return taken_[number]; }

 private:
  bool fits(const CountsBlock& block, std::size_t number) const {
    return !taken_[number] && same_calls(block, blocks_[number]);
  }
  std::size_t take(std::size_t number) {
    taken_[number] = true;
    return number;
  }

  const std::vector<CountsBlock>& blocks_;
  std::vector<bool> taken_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_hash_;
};

void report_alone(const CountsBlock& block, const std::string& other, Findings& findings) {
  findings.add(
      Severity::error, block.line,
      fmt::format("{} does not contain a block for the same {} calls", other, block.operation.name()),
      "block skipped");
}

}  // namespace

std::string size_problem(const Signature& signature) {
  const std::uint32_t send = signature.send.matrix.columns;
  const std::uint32_t recv = signature.recv.matrix.columns;
  const bool gathers = signature.operation.exchange == Exchange::allgatherv && send == 1;
  if (send != recv && !gathers)
    return fmt::format("rows contain {} send counts, but {} receive counts", send, recv);
  // Neighbourhood operations exist only on intra-communicators, whose peers are their own ranks.
  if (signature.operation.neighborhood && peers(signature) != signature.comm_size)
    return fmt::format("rows contain {} numbers: expected {}, one per rank", recv, signature.comm_size);
  return {};
}

void pair_blocks(std::vector<CountsBlock> send, std::vector<CountsBlock> recv, Content content,
                 Findings& send_findings, Findings& recv_findings, SignatureCollector& signatures) {
  Partners partners(recv);
  for (std::size_t number = 0; number < send.size(); ++number) {
    CountsBlock& block = send[number];
    const std::optional<std::size_t> partner = partners.take(block, number);
    if (!partner) {
      report_alone(block, recv_findings.file(), send_findings);
      continue;
    }
    Signature signature{.operation = block.operation, .comm_size = block.comm_size};
    signature.send = std::move(block.side);
    signature.recv = std::move(recv[*partner].side);
    signature.calls = std::move(block.calls);
    const std::string problem = content == Content::counts ? size_problem(signature) : std::string();
    if (problem.empty()) {
      signatures.add(std::move(signature), block.line, send_findings);
    } else {
      send_findings.add(Severity::error, block.line, problem, "block skipped");
    }
  }
  for (std::size_t number = 0; number < recv.size(); ++number)
    if (!partners.taken(number)) report_alone(recv[number], send_findings.file(), recv_findings);
}

}  // namespace plimsoll::collectives
