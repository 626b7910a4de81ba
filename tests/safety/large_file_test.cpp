// Reads a plain file of 3 GB, in less memory than its data and 64 MiB per thread take.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "cli/json.hpp"
#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"

namespace plimsoll::testing {
namespace {

constexpr std::uint64_t file_bytes = 3'000'000'000;
constexpr std::uint64_t needed_disk_bytes = 8'000'000'000;
constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

std::uint64_t free_disk_bytes(const std::string& folder) {
  struct statvfs space {};
  return ::statvfs(folder.c_str(), &space) == 0 ? std::uint64_t{space.f_bavail} * space.f_frsize : 0;
}

/// Writes the file of one rank, indented as by json.dump(indent=4). Returns the number of its tasks.
std::uint64_t write_indented_file(const std::string& path) {
  constexpr int tasks_per_phase = 100'000;
  std::ofstream file(path, std::ios::binary);
  file << "{\n    \"metadata\": {\n        \"rank\": 0,\n        \"type\": \"LBDatafile\"\n    },\n    "
          "\"phases\": [";
  std::uint64_t phases = 0;
  for (; static_cast<std::uint64_t>(file.tellp()) < file_bytes; ++phases) {
    std::string phase = fmt::format("{}\n        {{\n            \"id\": {},\n            \"tasks\": [",
                                    phases > 0 ? "," : "", phases);
    for (int task = 0; task < tasks_per_phase; ++task) {
      phase += task > 0 ? ",\n" : "\n";
      phase += fmt::format(R"(                {{
                    "entity": {{
                        "collection_id": 7,
                        "home": 0,
                        "id": {0},
                        "index": [
                            {0}
                        ],
                        "migratable": true,
                        "type": "object"
                    }},
                    "node": 0,
                    "resource": "cpu",
                    "time": 0.{0}
                }})",
                           task + 1);
    }
    file << phase << "\n            ]\n        }";
  }
  file << "\n    ]\n}\n";
  return file.good() ? phases * tasks_per_phase : 0;
}

struct MeasuredRun {
  int status = -1;
  std::string out;
  std::uint64_t peak_bytes = 0;
};

/// Runs the program, and measures its peak memory.
MeasuredRun run_measured(std::vector<std::string> arguments, const std::string& output) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    arguments.insert(arguments.begin(), PLIMSOLL_PROGRAM);
    std::vector<char*> words;
    for (std::string& word : arguments) words.push_back(word.data());
    words.push_back(nullptr);
    ::execv(PLIMSOLL_PROGRAM, words.data());
    ::_exit(126);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .out = file_content(output),
          .peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

TEST(LargeFile, IsReadInLittleMoreMemoryThanItsData) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitisers need a multiple of the memory";
#endif
  const TemporaryFolder folder;
  if (free_disk_bytes(folder.path()) < needed_disk_bytes) GTEST_SKIP() << "needs 8 GB of free disk space";
  const std::string path = folder / "data.0.json";
  const std::uint64_t tasks = write_indented_file(path);
  ASSERT_GT(tasks, 0U);
  // A task takes up to 64 bytes, with its share of the table of entities (docs/explanation/performance.md).
  const MeasuredRun info = run_measured({"info", "--json", "--threads", "1", path}, folder / "out");
  EXPECT_EQ(info.status, 0);
  EXPECT_EQ(static_cast<std::uint64_t>(Json(info.out).integer("/phases/0/objects")) *
                Json(info.out).size("/phases"),
            tasks);
  EXPECT_LE(info.peak_bytes, 64 * tasks + 64 * mebibyte);
  // Checking keeps up to 20 bytes per task (validator.hpp).
  const MeasuredRun valid = run_measured({"validate", "--json", "--threads", "1", path}, folder / "out");
  EXPECT_EQ(valid.status, 0) << valid.out.substr(0, 1000);
  EXPECT_EQ(static_cast<std::uint64_t>(Json(valid.out).integer("/tasks")), tasks);
  EXPECT_LE(valid.peak_bytes, 20 * tasks + 64 * mebibyte);
  fmt::print("{} tasks; peak of info {} MiB, of validate {} MiB\n", tasks, info.peak_bytes / mebibyte,
             valid.peak_bytes / mebibyte);
}

}  // namespace
}  // namespace plimsoll::testing
