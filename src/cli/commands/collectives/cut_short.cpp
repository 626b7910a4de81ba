#include "cli/commands.hpp"
#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using collectives::MpiCalls;

std::size_t ranks_with_calls(const MpiCalls& calls) {
  std::size_t ranks = 0;
  for (std::size_t rank = 0; rank < calls.ranks.size(); ++rank)
    ranks +=
        std::ranges::any_of(calls.functions, [&](const auto& function) { return function.calls[rank] > 0; });
  return ranks;
}

}  // namespace

std::string known_calls_text(const MpiCalls& calls) {
  double longest_s = 0;
  for (const MpiCalls::Rank& rank : calls.ranks) longest_s = std::max(longest_s, rank.wall_s);
  return fmt::format("MPI calls are known on {} of {}, for up to {}", ranks_with_calls(calls),
                     count(calls.ranks.size(), "rank"), support::format_seconds(longest_s));
}

std::string cut_short_text(const MpiCalls& calls) {
  if (calls.cut_short.empty()) return "";
  const std::string known = known_calls_text(calls);
  if (calls.is_running) return fmt::format("Snapshot of a running program: {}.\n", known);
  return fmt::format("Incomplete: the MPI calls of {} {} end before MPI_Finalize or are missing. {}.\n",
                     calls.cut_short.size() == 1 ? "rank" : "ranks", calls.cut_short.to_string(), known);
}

}  // namespace plimsoll::cli
