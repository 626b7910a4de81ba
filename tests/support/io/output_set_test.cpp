#include <sys/resource.h>

#include <filesystem>

#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

using plimsoll::testing::TemporaryFolder;

void add(OutputSet& files, const std::string& name, std::string_view text) {
  OutputFile file = files.create(name);
  file.write(text);
  file.finish();
}

TEST(OutputSet, RenamesAllFilesAtOnce) {
  const TemporaryFolder folder;
  OutputSet files(folder / "new/set", false);
  add(files, "a", "1");
  add(files, "b", "2");
  EXPECT_FALSE(folder.has("new/set/a"));
  files.publish();
  EXPECT_EQ(folder.read("new/set/a"), "1");
  EXPECT_EQ(folder.read("new/set/b"), "2");
  EXPECT_FALSE(folder.has("new/set/a.unfinished"));
  EXPECT_EQ(files.paths(), (std::vector<std::string>{folder / "new/set/a", folder / "new/set/b"}));
}

TEST(OutputSet, LeavesNoFilesIfNotPublished) {
  const TemporaryFolder folder;
  folder.write("a", "old");
  {
    OutputSet files(folder.path(), true);
    add(files, "a", "new");
    const OutputFile unfinished = files.create("b");
  }
  EXPECT_EQ(folder.read("a"), "old");
  EXPECT_FALSE(folder.has("a.unfinished"));
  EXPECT_FALSE(folder.has("b.unfinished"));
}

TEST(OutputSet, OverwritesFilesOnlyIfAllowed) {
  const TemporaryFolder folder;
  folder.write("a", "old");
  {
    OutputSet files(folder.path(), false);
    EXPECT_ERROR(files.create("a", {.overwrite = true}), usage, "already exists");
  }
  OutputSet files(folder.path(), true);
  add(files, "a", "new");
  files.publish();
  EXPECT_EQ(folder.read("a"), "new");
}

TEST(OutputSet, ReportsTooManyOpenFiles) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer needs descriptors to examine objects";
#endif
  const TemporaryFolder folder;
  OutputSet files(folder.path(), false);
  add(files, "a", "1");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {.rlim_cur = 3, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_ERROR(files.publish(), system, "Too many open files");
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(OutputSet, KeepsPartialFileOfAnotherProgram) {
  const TemporaryFolder folder;
  folder.write("a.partial", "theirs");
  {
    OutputSet files(folder.path(), false);
    EXPECT_ERROR(files.create("a"), usage, "another program is writing it");
  }
  EXPECT_EQ(folder.read("a.partial"), "theirs");
}

TEST(OutputSet, PublishesNothingIfNameIsTakenMeanwhile) {
  const TemporaryFolder folder;
  {
    OutputSet files(folder.path(), false);
    add(files, "a", "1");
    add(files, "b", "2");
    folder.write("b", "theirs");
    EXPECT_ERROR(files.publish(), usage,
                 folder / "b: already exists; use another name, or allow overwriting; the finished files "
                          "are kept as " +
                     folder / "a.unfinished, " + folder / "b.unfinished");
  }
  EXPECT_FALSE(folder.has("a"));
  EXPECT_EQ(folder.read("a.unfinished"), "1");
  EXPECT_EQ(folder.read("b"), "theirs");
  EXPECT_EQ(folder.read("b.unfinished"), "2");
}

TEST(OutputSet, RestoresReplacedFilesIfPublishingFails) {
  const TemporaryFolder folder;
  folder.write("a", "old");
  {
    OutputSet files(folder.path(), true);
    for (const char* name : {"a", "b", "c", "d"}) add(files, name, std::string("new ") + name);
    std::filesystem::create_directory(folder / "c");
    EXPECT_ERROR(files.publish(), usage,
                 folder / "a.unfinished, " + folder / "b.unfinished, " + folder / "c.unfinished and 1 more");
  }
  EXPECT_EQ(folder.read("a"), "old");
  EXPECT_FALSE(folder.has("b"));
  for (const std::string name : {"a", "b", "c", "d"}) {
    EXPECT_EQ(folder.read(name + ".unfinished"), "new " + name);
    EXPECT_FALSE(folder.has(name + ".replaced"));
  }
}

TEST(OutputSet, RemovesReplacedFiles) {
  const TemporaryFolder folder;
  folder.write("a", "old");
  folder.write("a.replaced", "of a killed program");
  OutputSet files(folder.path(), true);
  add(files, "a", "new");
  files.publish();
  EXPECT_EQ(folder.read("a"), "new");
  EXPECT_FALSE(folder.has("a.replaced"));
}

TEST(OutputSet, KeepsFilesThatItHasNotLinked) {
  const TemporaryFolder folder;
  folder.write("a.replaced", "theirs");
  OutputSet files(folder.path(), true);
  add(files, "a", "new");
  files.publish();
  EXPECT_EQ(folder.read("a"), "new");
  EXPECT_EQ(folder.read("a.replaced"), "theirs");
}

TEST(OutputSet, PublishesFilesInNumericalOrder) {
  const TemporaryFolder folder;
  OutputSet files(folder.path(), false);
  for (const char* name : {"x.10", "x.9", "x.2"}) add(files, name, "");
  folder.write("x.9", "theirs");
  folder.write("x.10", "theirs");
  EXPECT_ERROR(files.publish(), usage, folder / "x.9: already exists");
}

TEST(OutputSet, ChecksFileNamesBeforeWriting) {
  const TemporaryFolder folder;
  folder.write("a", "");
  folder.write("b.partial", "phases");
  {
    const OutputSet files(folder.path(), false);
    files.check("c");
    EXPECT_ERROR(files.check("a"), usage, folder / "a: already exists");
    EXPECT_ERROR(files.check("b"), usage, folder / "b.partial: already exists");
  }
  const OutputSet files(folder.path(), true);
  files.check("a");
  files.check("b");
  const OutputFile other(folder / "b", {.overwrite = true});
  EXPECT_ERROR(files.check("b"), usage, "another program is writing it");
}

TEST(OutputSet, RemovesSupersededFiles) {
  const TemporaryFolder folder;
  folder.write("old", "0");
  folder.write("other", "1");
  OutputSet files(folder.path(), true);
  add(files, "new", "2");
  files.supersede(folder / "old", *identity(folder / "old"));
  files.publish();
  EXPECT_FALSE(folder.has("old"));
  EXPECT_TRUE(folder.has("other"));
}

TEST(OutputSet, KeepsFilesThatAnotherProgramReplacedOrIsWriting) {
  const TemporaryFolder folder;
  OutputSet files(folder.path(), true);
  for (const char* name : {"replaced", "written"}) {
    folder.write(name, "old");
    files.supersede(folder / name, *identity(folder / name));
  }
  const Descriptor replaced = create_file(folder / "replaced", true);
  const Descriptor written = open_to_lock(folder / "written");
  ASSERT_EQ(try_lock(written), LockOutcome::locked);
  files.publish();
  EXPECT_TRUE(folder.has("replaced"));
  EXPECT_TRUE(folder.has("written"));
}

TEST(OutputSet, LocksDirectoryUntilPublished) {
  const TemporaryFolder folder;
  folder.write("a", "old");
  OutputSet files(folder.path(), true);
  add(files, "a", "1");
  EXPECT_ERROR(OutputSet(folder.path(), true), usage, "is writing there");
  const OutputSet of_other_files(folder.path(), true, "other");
  files.publish();
  EXPECT_EQ(folder.read("a"), "1");
  OutputSet(folder.path(), true);
}

TEST(OutputSet, PublishesNothingIfAnotherProgramReplacedFile) {
  const TemporaryFolder folder;
  folder.write("a", "old");
  folder.write("b", "old");
  {
    OutputSet files(folder.path(), true);
    add(files, "a", "1");
    add(files, "b", "2");
    folder.write("b.theirs", "3");
    std::filesystem::rename(folder / "b.theirs", folder / "b.unfinished");
    EXPECT_ERROR(files.publish(), system, "b.unfinished: another program has removed or replaced it");
  }
  EXPECT_EQ(folder.read("a"), "old");
  EXPECT_EQ(folder.read("b"), "old");
  EXPECT_EQ(folder.read("b.unfinished"), "3");
}

/// Set of two files, left by a program that was killed while renaming them.
class InterruptedPublication : public ::testing::Test {
 protected:
  InterruptedPublication() {
    for (const char* name : {"a", "b", "c"}) folder.write(name, "old");
    folder.write("b.partial", "new");
    folder.write("a", "new");
    folder.write("a.replaced", "old");
    folder.write(".plimsoll.set.publishing", "overwrite\n" + steps());
  }
  std::string steps() const {
    return "rename " + inode("a") + " a\nrename " + inode("b.partial") + " b\nremove " + inode("c") + " c\n";
  }
  std::string inode(const std::string& name) const { return std::to_string(identity(folder / name)->inode); }

  TemporaryFolder folder;
};

TEST_F(InterruptedPublication, IsCompletedByNextLockHolder) {
  EXPECT_TRUE(is_being_published(folder.path(), "set"));
  EXPECT_EQ(sets_being_published(folder.path()), (std::vector<std::string>{"set"}));
  const FolderLock lock(folder.path(), {.name = "set"});
  EXPECT_FALSE(is_being_published(folder.path(), "set"));
  EXPECT_EQ(folder.read("a"), "new");
  EXPECT_EQ(folder.read("b"), "new");
  for (const char* gone : {"c", "a.replaced", "b.partial"}) EXPECT_FALSE(folder.has(gone)) << gone;
}

TEST_F(InterruptedPublication, RemovesNothingIfFileIsMissing) {
  folder.write("later", "of a later program");
  std::filesystem::rename(folder / "later", folder / "b.partial");
  EXPECT_ERROR(FolderLock(folder.path(), {.name = "set"}), system, "check the files in this directory");
  EXPECT_EQ(folder.read("c"), "old");
  EXPECT_EQ(folder.read("b.partial"), "of a later program");
}

TEST_F(InterruptedPublication, KeepsFileThatAnotherProgramHasReplaced) {
  folder.write("later", "of a later program");
  std::filesystem::rename(folder / "later", folder / "c");
  const FolderLock lock(folder.path(), {.name = "set"});
  EXPECT_EQ(folder.read("c"), "of a later program");
}

TEST_F(InterruptedPublication, ReplacesNothingIfOverwritingWasNotAllowed) {
  folder.write(".plimsoll.set.publishing", steps());
  EXPECT_ERROR(FolderLock(folder.path(), {.name = "set"}), usage, "rename it");
  EXPECT_EQ(folder.read("b"), "old");
  std::filesystem::remove(folder / "b");
  const FolderLock lock(folder.path(), {.name = "set"});
  EXPECT_EQ(folder.read("b"), "new");
}

TEST_F(InterruptedPublication, RenamesNoFilesInOtherDirectories) {
  folder.write(".plimsoll.set.publishing", "remove 1 ../a\n");
  EXPECT_ERROR(FolderLock(folder.path(), {.name = "set"}), bad_input, "is not a Plimsoll journal");
}

TEST(PublishFiles, RenamesFilesOfOtherProcesses) {
  const TemporaryFolder folder;
  folder.write("a", "old");
  folder.write("old", "old");
  const FolderLock lock(folder.path());
  OutputFile a(folder / "a", {.overwrite = true});
  OutputFile b(folder / "b");
  for (OutputFile* file : {&a, &b}) {
    file->write("new");
    file->end();
  }
  EXPECT_ERROR(publish_files(lock, {"a", "b"}, false, {}), usage, "already exists");
  EXPECT_FALSE(folder.has("b"));
  EXPECT_ERROR(publish_files(lock, {"a\nb"}, true, {}), usage, "invalid file name");
  publish_files(lock, {"a", "b"}, true, {"old"});
  EXPECT_EQ(folder.read("a"), "new");
  EXPECT_EQ(folder.read("b"), "new");
  EXPECT_FALSE(folder.has("old"));
}

TEST(OutputSet, AcceptsFilesFromSeveralThreads) {
  const TemporaryFolder folder;
  OutputSet files(folder.path(), false);
  parallel_for(64, 4, [&](std::size_t k) { add(files, std::to_string(k), std::to_string(k)); });
  files.publish();
  for (int k = 0; k < 64; ++k) EXPECT_EQ(folder.read(std::to_string(k)), std::to_string(k));
}

TEST(OutputSet, ReportsDirectoryThatCannotBeCreated) {
  const TemporaryFolder folder;
  folder.write("file", "");
  EXPECT_ERROR(OutputSet(folder / "file/set", false), system, "cannot create the directory");
}

}  // namespace
}  // namespace plimsoll::support
