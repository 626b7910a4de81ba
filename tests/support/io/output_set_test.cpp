#include <plimsoll/support/output_set.hpp>
#include <plimsoll/support/parallel.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::support {
namespace {

using plimsoll::testing::TemporaryFolder;

void add(OutputSet& files, const std::string& name, std::string_view text) {
  OutputFile file = files.create(name);
  file.write(text);
  file.finish();
}

TEST(OutputSet, GivesAllFilesTheirNamesAtOnce) {
  const TemporaryFolder folder;
  OutputSet files(folder / "new/set", false);
  add(files, "a", "1");
  add(files, "b", "2");
  EXPECT_FALSE(folder.has("new/set/a"));
  files.publish();
  EXPECT_EQ(folder.read("new/set/a"), "1");
  EXPECT_EQ(folder.read("new/set/b"), "2");
  EXPECT_FALSE(folder.has("new/set/a.partial"));
  EXPECT_EQ(files.paths(), (std::vector<std::string>{folder / "new/set/a", folder / "new/set/b"}));
}

TEST(OutputSet, LeavesNothingWhenItIsNotPublished) {
  const TemporaryFolder folder;
  folder.write("a", "old");
  {
    OutputSet files(folder.path(), true);
    add(files, "a", "new");
    const OutputFile unfinished = files.create("b");
  }
  EXPECT_EQ(folder.read("a"), "old");
  EXPECT_FALSE(folder.has("a.partial"));
  EXPECT_FALSE(folder.has("b.partial"));
}

TEST(OutputSet, OverwritesOnlyWhereThatIsAllowed) {
  const TemporaryFolder folder;
  folder.write("a", "old");
  {
    OutputSet files(folder.path(), false);
    EXPECT_ERROR(files.create("a", {.overwrite = true}), usage, "exists already");
  }
  OutputSet files(folder.path(), true);
  add(files, "a", "new");
  files.publish();
  EXPECT_EQ(folder.read("a"), "new");
}

TEST(OutputSet, KeepsThePartialFileOfAnotherProgram) {
  const TemporaryFolder folder;
  folder.write("a.partial", "theirs");
  {
    OutputSet files(folder.path(), false);
    EXPECT_ERROR(files.create("a"), usage, "another program writes it now");
  }
  EXPECT_EQ(folder.read("a.partial"), "theirs");
}

TEST(OutputSet, LeavesNoPartialFileWhenANameIsTakenMeanwhile) {
  const TemporaryFolder folder;
  {
    OutputSet files(folder.path(), false);
    add(files, "a", "1");
    add(files, "b", "2");
    folder.write("b", "theirs");
    EXPECT_ERROR(files.publish(), usage, "exists already");
  }
  EXPECT_EQ(folder.read("a"), "1") << "had its name by then";
  EXPECT_EQ(folder.read("b"), "theirs");
  EXPECT_FALSE(folder.has("b.partial"));
}

TEST(OutputSet, RemovesWhatItReplaces) {
  const TemporaryFolder folder;
  folder.write("old", "0");
  folder.write("other", "1");
  OutputSet files(folder.path(), true);
  add(files, "new", "2");
  files.publish({folder / "old"});
  EXPECT_FALSE(folder.has("old"));
  EXPECT_TRUE(folder.has("other"));
}

TEST(OutputSet, TakesFilesOfSeveralThreads) {
  const TemporaryFolder folder;
  OutputSet files(folder.path(), false);
  parallel_for(64, 4, [&](std::size_t k) { add(files, std::to_string(k), std::to_string(k)); });
  files.publish();
  for (int k = 0; k < 64; ++k) EXPECT_EQ(folder.read(std::to_string(k)), std::to_string(k));
}

TEST(OutputSet, RefusesAFolderThatCannotBeMade) {
  const TemporaryFolder folder;
  folder.write("file", "");
  EXPECT_ERROR(OutputSet(folder / "file/set", false), system, "cannot create the folder");
}

}  // namespace
}  // namespace plimsoll::support
