#include "interpose/lifecycle/report_of_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include <plimsoll/collectives/number_list.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "interpose/lifecycle/bytes_of_ranks.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

constexpr std::size_t max_text_bytes = 512;
constexpr std::size_t max_ranges = 5;

/// Texts that differ in numbers only, such as the rank in the name of a file, count as the same.
std::string without_digits(std::string text) {
  std::erase_if(text, [](char letter) { return letter >= '0' && letter <= '9'; });
  return text;
}

/// Formats ranks: "rank 7", or "ranks 0-3, 7".
std::string ranks_text(const collectives::NumberList& ranks) {
  std::vector<std::string> ranges;
  for (const collectives::NumberList::Run& run : ranks.runs())
    ranges.push_back(run.size() == 1 ? fmt::to_string(run.first) : fmt::format("{}-{}", run.first, run.last));
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", support::listed(ranges, max_ranges));
}

/// The different problems of ranks, in the order of the lowest rank that has each.
class Problems {
 public:
  /// Adds the problem of a rank. Call it in the order of the ranks.
  void add(int rank, std::string_view whole_text) {
    const std::string_view text = whole_text.substr(0, max_text_bytes);
    if (text.empty()) return;
    const auto [group, is_new] =
        group_of_text_.try_emplace(without_digits(std::string(text)), groups_.size());
    if (is_new) groups_.push_back({std::string(text), {}});
    groups_[group->second].ranks.push_back(static_cast<std::uint64_t>(rank));
  }

  void say(std::string_view what) const {
    for (const Group& group : groups_)
      support::say(fmt::format("{} {}: {}", ranks_text(group.ranks), what, group.text));
  }

 private:
  struct Group {
    std::string text;  ///< of the lowest rank
    collectives::NumberList ranks;
  };
  std::vector<Group> groups_;
  std::map<std::string, std::size_t> group_of_text_;
};

}  // namespace

void report_of_ranks(MPI_Comm comm, std::string_view what, const std::string& problem) noexcept {
  const int has_problem = !problem.empty();
  int some_rank_has = 0;
  PMPI_Allreduce(&has_problem, &some_rank_has, 1, MPI_INT, MPI_MAX, comm);
  if (!some_rank_has) return;
  try {
    Problems problems;
    for_bytes_of_ranks(comm, problem, [&](int rank, std::string_view text) { problems.add(rank, text); });
    problems.say(what);
  } catch (const std::exception&) {  // rank 0 lacks memory
  }
}

}  // namespace plimsoll::interpose
