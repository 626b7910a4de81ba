#include "lbdata/writing/data_set_folder.hpp"

#include <unistd.h>

#include <plimsoll/support/internal/output_set.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

using plimsoll::testing::TemporaryFolder;

TEST(DataSetFolder, ChecksAllPartialFilesBeforeWriting) {
  const TemporaryFolder folder;
  folder.write("data.7.json.partial", "theirs");
  std::size_t written = 0;
  EXPECT_ERROR(write_data_set(folder.path(), "data", 8, {.compress = false}, 1, support::Progress::none(),
                              [&](std::size_t, support::OutputFile file) {
                                file.finish();
                                ++written;
                              }),
               usage, "data.7.json.partial: already exists");
  EXPECT_EQ(written, 0U);
  EXPECT_EQ(folder.read("data.7.json.partial"), "theirs");
}

TEST(DataSetFolder, KeepsPartialFilesOfRunningProgram) {
  const TemporaryFolder folder;
  folder.write("data.0.json.partial", "of a killed program");
  support::OutputFile live(folder / "data.1.json");
  live.write("a phase");
  live.flush();
  EXPECT_ERROR(
      write_data_set(folder.path(), "data", 2, {.compress = false, .overwrite = true}, 1,
                     support::Progress::none(), [](std::size_t, support::OutputFile file) { file.finish(); }),
      usage, "data.1.json.partial: another program is writing it");
  EXPECT_EQ(folder.read("data.0.json.partial"), "of a killed program");
  EXPECT_EQ(folder.read("data.1.json.partial"), "a phase");
  live.close();
}

TEST(DataSetFolder, RejectsDirectoryInUseByAnotherProgram) {
  const TemporaryFolder folder;
  const support::FolderLock lock(folder.path(), {.name = "data"});
  const auto write = [&](const std::string& base) {
    write_data_set(folder.path(), base, 1, {.compress = false, .overwrite = true}, 1,
                   support::Progress::none(), [](std::size_t, support::OutputFile file) { file.finish(); });
  };
  EXPECT_ERROR(write("data"), usage, std::to_string(::getpid()));
  EXPECT_FALSE(folder.has("data.0.json"));
  write("other");
  EXPECT_TRUE(folder.has("other.0.json"));
}

}  // namespace
}  // namespace plimsoll::lbdata
