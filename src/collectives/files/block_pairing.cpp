#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "collectives/files/counts_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Orders blocks by operation, size of the communicator, and calls.
struct OrderOfBlocks {
  static auto key(const CountsBlock& block) {
    return std::tuple(block.operation.index(), block.comm_size, block.calls.size(), block.calls.run_count());
  }
  bool operator()(const CountsBlock* left, const CountsBlock* right) const {
    if (key(*left) != key(*right)) return key(*left) < key(*right);
    const auto calls = left->calls.runs();
    const auto others = right->calls.runs();
    return std::lexicographical_compare(calls.begin(), calls.end(), others.begin(), others.end());
  }
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
  std::vector<std::pair<Signature, std::uint64_t>> paired;  // with the line of the block
  std::map<const CountsBlock*, std::set<std::size_t>, OrderOfBlocks> unpaired;
  for (std::size_t number = 0; number < recv.size(); ++number) unpaired[&recv[number]].insert(number);
  for (std::size_t number = 0; number < send.size(); ++number) {
    CountsBlock& block = send[number];
    const auto found = unpaired.find(&block);
    if (found == unpaired.end() || found->second.empty()) {
      report_alone(block, recv_findings.file(), send_findings);
      continue;
    }
    std::set<std::size_t>& partners = found->second;
    const std::size_t partner = partners.contains(number) ? number : *partners.begin();
    partners.erase(partner);
    Signature signature{.operation = block.operation, .comm_size = block.comm_size};
    signature.send = std::move(block.side);
    signature.recv = std::move(recv[partner].side);
    signature.calls = std::move(block.calls);
    const std::string problem = content == Content::counts ? size_problem(signature) : std::string();
    if (problem.empty()) {
      paired.emplace_back(std::move(signature), block.line);
    } else {
      send_findings.add(Severity::error, block.line, problem, "block skipped");
    }
  }
  signatures.add_all(std::move(paired), send_findings);
  std::set<std::size_t> alone;
  for (auto& [calls, numbers] : unpaired) alone.merge(numbers);
  for (const std::size_t number : alone) report_alone(recv[number], send_findings.file(), recv_findings);
}

}  // namespace plimsoll::collectives
