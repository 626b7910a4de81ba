#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/program.hpp"

namespace plimsoll::testing {

/// Writes the files of a profile of Alltoallv calls. `bytes[i][j]` is the number of bytes from rank i to rank
/// j; `hosts` is optional. The directory must exist.
inline void write_profile(const std::string& folder, const std::vector<std::vector<int>>& bytes, int calls,
                          const std::vector<std::string>& hosts = {}) {
  const std::size_t size = bytes.size();
  const std::string ids = calls > 1 ? fmt::format("0-{}", calls - 1) : "0";
  const auto counters = [&](bool sent) {
    std::string text = fmt::format(
        "# Raw counters\n\nNumber of ranks: {}\nDatatype size: 1\nAlltoallv calls 0-{}\n"
        "Count: {} calls - {}\n\n\nBEGINNING DATA\n",
        size, calls - 1, calls, ids);
    for (std::size_t rank = 0; rank < size; ++rank) {
      text += fmt::format("Rank(s) {}: ", rank);
      for (std::size_t peer = 0; peer < size; ++peer)
        text += fmt::format("{} ", sent ? bytes[rank][peer] : bytes[peer][rank]);
      text += '\n';
    }
    return text + "END DATA\n";
  };
  write_file(folder + "/send-counters.job0.rank0.txt", counters(true));
  write_file(folder + "/recv-counters.job0.rank0.txt", counters(false));
  if (hosts.empty()) return;
  std::string text = fmt::format(
      "FORMAT_VERSION: 9\n\nCommunicator ID: 0\nCalls: {}\nCOMM_WORLD ranks: 0-{}\nPIDs: 1-{}\nHostnames:\n",
      ids, size - 1, size);
  for (std::size_t rank = 0; rank < size; ++rank) text += fmt::format("\tRank {}: {}\n", rank, hosts[rank]);
  write_file(folder + "/alltoallv_locations_comm0_rank0.md", text);
}

}  // namespace plimsoll::testing
