#include "lbdata/writing/data_set_folder.hpp"

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::lbdata {
namespace {

using plimsoll::testing::TemporaryFolder;

TEST(DataSetFolder, ChecksAllStreamsBeforeItWrites) {
  const TemporaryFolder folder;
  folder.write("data.7.json.partial", "theirs");
  std::size_t written = 0;
  EXPECT_ERROR(write_data_set(folder.path(), "data", 8, {.compress = false}, 1, support::Progress::none(),
                              [&](std::size_t, support::OutputFile file) {
                                file.finish();
                                ++written;
                              }),
               usage, "data.7.json.partial: exists already");
  EXPECT_EQ(written, 0U);
  EXPECT_EQ(folder.read("data.7.json.partial"), "theirs");
}

}  // namespace
}  // namespace plimsoll::lbdata
