// Kills `plimsoll repair` at each step. The next repair completes the work and leaves only the repaired
// files.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>

#include "cli/program.hpp"
#include "common/shared_data.hpp"
#include "safety/program_run.hpp"

namespace plimsoll::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class KilledRepair : public ::testing::Test {
 protected:
  /// Writes the partial files of a killed program with two ranks.
  void write_streams() const {
    fs::remove_all(data_);
    write_small_dataset(data_);
    for (const char* rank : {"0", "1"}) {
      const std::string file = data_ + "/data." + rank + ".json";
      const std::string content = file_content(file);
      fs::remove(file);
      write_file(file + ".partial", content.substr(0, content.size() - 2));
    }
  }

  /// Returns the names in the directory without the lock files that killed programs may leave.
  std::set<std::string> names() const {
    std::set<std::string> all = names_in(data_);
    std::erase_if(all, [](const std::string& name) { return name.starts_with(".plimsoll.data.lock"); });
    return all;
  }

  TemporaryFolder folder_;
  std::string data_ = folder_ / "data";
};

TEST_F(KilledRepair, IsCompletedByNextRepair) {
  for (int event = 1;; ++event) {
    SCOPED_TRACE(event);
    ASSERT_LT(event, 100);
    write_streams();
    const int status = status_of(start({PLIMSOLL_PROGRAM, "repair", data_}, folder_ / "said",
                                       {{"LD_PRELOAD", POWER_CUT},
                                        {"PLIMSOLL_TEST_CUT_AT", std::to_string(event)},
                                        {"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"}}));
    if (status != 0) {
      EXPECT_EQ(status, 128 + SIGKILL);
      EXPECT_EQ(run_plimsoll({"repair", data_}).status, 0);
    }
    EXPECT_THAT(names(), ElementsAre("data.0.json", "data.1.json"));
    EXPECT_EQ(run_plimsoll({"validate", data_}).status, 0);
    if (status == 0) {
      EXPECT_GT(event, 4);
      return;
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace plimsoll::testing
