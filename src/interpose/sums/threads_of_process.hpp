#pragma once

#include <sys/types.h>

#include <charconv>
#include <filesystem>
#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Returns the numbers of the threads of this process. Those that begin or end meanwhile may be missing.
inline std::vector<pid_t> threads_of_process() {
  std::vector<pid_t> threads;
  std::error_code error;
  for (std::filesystem::directory_iterator thread("/proc/self/task", error), end; !error && thread != end;
       thread.increment(error)) {
    const std::string name = thread->path().filename().string();
    std::from_chars(name.data(), name.data() + name.size(), threads.emplace_back());
  }
  return threads;
}

}  // namespace plimsoll::interpose
