#include "interpose/lifecycle/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

/// Files in which control groups of one version report the memory of a group.
struct Files {
  const char* limit;
  const char* used;
  const char* cache;  ///< entry of memory.stat with memory that the system can reclaim
};
constexpr Files version_1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr Files version_2 = {"memory.max", "memory.current", "inactive_file"};

/// Returns the number after the word `key` in the line that begins with it, such as "MemAvailable: 123 kB".
std::optional<std::uint64_t> entry(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::string_view rest = line;
    if (support::take_word(rest) == key)
      return support::parse_number<std::uint64_t>(support::take_word(rest));
  }
  return std::nullopt;
}

/// Returns the number in a file; nothing if it contains another text, such as "max".
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return support::parse_number<std::uint64_t>(word);
}

std::uint64_t left_of(std::uint64_t limit, std::uint64_t used) {
  return limit > used ? limit - used : 0;
}

/// Returns the memory left within the limits of a group and of its ancestors.
std::uint64_t left_in_group(const std::string& root, std::string_view group, const Files& files) {
  std::uint64_t left = UINT64_MAX;
  while (true) {
    const std::string folder = root + std::string(group) + "/";
    if (const auto limit = number_in(folder + files.limit)) {
      const std::uint64_t used = number_in(folder + files.used).value_or(0);
      const std::uint64_t cache = entry(folder + "memory.stat", files.cache).value_or(0);
      left = std::min(left, left_of(*limit, left_of(used, cache)));
    }
    if (group.empty()) return left;
    group = group.substr(0, group.rfind('/'));
  }
}

}  // namespace

std::uint64_t available_memory(const std::string& proc, const std::string& cgroups) {
  std::uint64_t available = entry(proc + "/meminfo", "MemAvailable:").value_or(0) * 1024;
  std::ifstream groups(proc +
                       "/self/cgroup");  // lines such as "4:cpu,memory:/job/step"; version 2: "0::/job/step"
  for (std::string line; std::getline(groups, line);) {
    const std::vector<std::string_view> parts = support::split(line, ':');
    if (parts.size() < 3 || !parts[2].starts_with('/')) continue;
    const std::string_view group = std::string_view(line).substr(parts[0].size() + parts[1].size() + 2);
    const auto kinds = support::split(parts[1], ',');
    if (parts[1].empty())
      available = std::min(available, left_in_group(cgroups, group, version_2));
    else if (std::ranges::find(kinds, "memory") != kinds.end())
      available = std::min(available, left_in_group(cgroups + "/memory", group, version_1));
  }
  return available;
}

}  // namespace plimsoll::interpose
