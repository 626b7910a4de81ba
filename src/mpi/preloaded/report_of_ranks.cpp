#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <plimsoll/mpi/internal/preloaded.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

namespace {

constexpr int max_text_bytes = 512;
constexpr std::size_t max_ranges = 5;

/// Ranks with the same problem, ascending.
struct Group {
  std::string text;  ///< of the lowest rank
  std::vector<int> ranks;
};

/// Texts that differ in numbers only, such as the rank in the name of a file, count as the same.
std::string without_digits(std::string text) {
  std::erase_if(text, [](char letter) { return letter >= '0' && letter <= '9'; });
  return text;
}

/// Formats ranks: "rank 7", or "ranks 0-3, 7".
std::string ranks_text(const std::vector<int>& ranks) {
  std::vector<std::string> ranges;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    ranges.push_back(first == last ? std::to_string(ranks[first])
                                   : fmt::format("{}-{}", ranks[first], ranks[last]));
    first = last + 1;
  }
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", support::listed(ranges, max_ranges));
}

}  // namespace

void report_of_ranks(MPI_Comm comm, std::string_view what, const std::string& problem) {
  const int own_bytes = static_cast<int>(std::min<std::size_t>(problem.size(), max_text_bytes));
  int bytes = 0;
  PMPI_Allreduce(&own_bytes, &bytes, 1, MPI_INT, MPI_MAX, comm);
  if (bytes == 0) return;
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  std::string own = problem;
  own.resize(static_cast<std::size_t>(bytes), '\0');
  std::string all(rank == 0 ? static_cast<std::size_t>(ranks) * own.size() : 0, '\0');
  PMPI_Gather(own.data(), bytes, MPI_CHAR, all.data(), bytes, MPI_CHAR, 0, comm);

  std::vector<Group> groups;
  std::map<std::string, std::size_t> group_of_text;
  for (std::size_t begin = 0; begin < all.size(); begin += own.size()) {
    const std::string text(all.c_str() + begin, ::strnlen(all.c_str() + begin, own.size()));
    if (text.empty()) continue;
    const auto [group, is_new] = group_of_text.try_emplace(without_digits(text), groups.size());
    if (is_new) groups.push_back({text, {}});
    groups[group->second].ranks.push_back(static_cast<int>(begin / own.size()));
  }
  for (const Group& group : groups)
    support::say(fmt::format("{} {}: {}", ranks_text(group.ranks), what, group.text));
}

}  // namespace plimsoll::mpi
