#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <plimsoll/support/files.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

using plimsoll::testing::TemporaryFolder;

TEST(OpenInputFile, OpensFilesForReading) {
  const TemporaryFolder folder;
  const Descriptor file = open_input_file(folder.write("a", "text"));
  std::array<char, 8> bytes{};
  EXPECT_EQ(::read(file.number(), bytes.data(), bytes.size()), 4);
  EXPECT_STREQ(bytes.data(), "text");
}

TEST(OpenInputFile, RejectsPathsThatAreNotFiles) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(open_input_file(folder.path()), bad_input, "is a directory: expected a file");
  EXPECT_ERROR(open_input_file(folder / "pipe"), bad_input, "is a pipe, a device or a socket");
  EXPECT_ERROR(open_input_file("/dev/null"), bad_input, "is a pipe, a device or a socket");
  EXPECT_ERROR(open_input_file(folder / "absent"), system, "cannot open for reading");
}

}  // namespace

namespace {

using plimsoll::testing::TemporaryFolder;

TEST(TextFile, ReadsWholeFile) {
  const TemporaryFolder folder;
  for (const std::size_t size : {0, 1, 65535, 65536, 65537, 200000}) {
    std::string content(size, 'x');
    for (std::size_t k = 0; k < size; k += 7) content[k] = static_cast<char>(k);
    EXPECT_TRUE(read_text_file(folder.write("text", content)) == content) << size;
  }
}

TEST(TextFile, LimitsFileSize) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text", std::string(1000, 'x'));
  EXPECT_EQ(read_text_file(path, 1000).size(), 1000U);
  EXPECT_ERROR(read_text_file(path, 999), bad_input, "is larger than 999 B");
}

TEST(TextFile, ReportsMissingAndSpecialFiles) {
  const TemporaryFolder folder;
  EXPECT_ERROR(read_text_file(folder / "none"), system, "No such file or directory");
  EXPECT_ERROR(read_text_file(folder.path()), bad_input, "is a directory");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(read_text_file(folder / "pipe"), bad_input, "is a pipe");
  EXPECT_ERROR(read_text_file("/dev/zero"), bad_input, "a device");
}

}  // namespace

namespace {

using plimsoll::testing::TemporaryFolder;

TEST(Folder, CreatesDirectoryWithParents) {
  const TemporaryFolder folder;
  make_folder(folder / "a/b/c");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
  make_folder(folder / "a/b/d/");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/d"));
}

TEST(Folder, KeepsExistingDirectory) {
  const TemporaryFolder folder;
  folder.write("file", "content");
  make_folder(folder.path());
  EXPECT_EQ(folder.read("file"), "content");
  make_folder("");
}

TEST(Folder, RejectsPathOfExistingFile) {
  const TemporaryFolder folder;
  folder.write("file", "");
  EXPECT_ERROR(make_folder(folder / "file"), system,
               folder / "file: cannot create the directory: Not a directory");
  EXPECT_ERROR(make_folder(folder / "file/below"), system, "cannot create the directory: Not a directory");
}

TEST(Folder, ReportsMissingDirectoryWhenSyncing) {
  const TemporaryFolder folder;
  sync_folder(folder.path());
  EXPECT_ERROR(sync_folder(folder / "missing"), system,
               folder / "missing: cannot write the directory's entries to the disk");
}

}  // namespace

namespace {

using plimsoll::testing::TemporaryFolder;

TEST(Folder, IsNotVisitedIfItIsMissing) {
  const TemporaryFolder folder;
  int visited = 0;
  const auto count = [&](const FolderEntry&) { ++visited; };
  for_each_readable_entry(folder / "missing", count);
  EXPECT_EQ(visited, 0);
  folder.write("file", "");
  for_each_readable_entry(folder.path(), count);
  EXPECT_EQ(visited, 1);
}

TEST(RemoveTree, RemovesLinksButNotTheirTargets) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "tree/below/it");
  std::filesystem::create_directory(folder / "target");
  folder.write("tree/below/file", "");
  folder.write("target/file", "");
  std::filesystem::create_symlink("../../target", folder / "tree/below/link");
  EXPECT_EQ(remove_tree(folder / "tree"), 0);
  EXPECT_FALSE(folder.has("tree"));
  EXPECT_TRUE(folder.has("target/file"));
  EXPECT_EQ(remove_tree(folder / "tree"), 0) << "missing";
  EXPECT_EQ(remove_tree(folder / "target/file/below"), ENOTDIR);
}

TEST(ScratchFolder, ExistsAsLongAsTheObject) {
  const TemporaryFolder folder;
  {
    const ScratchFolder scratch(folder / "scratch");
    folder.write("scratch/file", "");
    EXPECT_TRUE(std::filesystem::is_directory(scratch.path()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ScratchFolder, BeginsEmpty) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "scratch");
  folder.write("scratch/file", "left by a killed program");
  const ScratchFolder scratch(folder / "scratch");
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(ScratchFolder, HasNewPrivateNameIfTemporary) {
  const ScratchFolder one = ScratchFolder::temporary();
  const ScratchFolder other = ScratchFolder::temporary();
  EXPECT_NE(one.path(), other.path());
  EXPECT_EQ(std::filesystem::status(one.path()).permissions(), std::filesystem::perms::owner_all);
}

TEST(ScratchFolder, RejectsMissingDirectoryForTemporaryFiles) {
  const char* const before = std::getenv("TMPDIR");
  const std::string restored = before == nullptr ? "/tmp" : before;
  ::setenv("TMPDIR", "/nonexistent", 1);
  EXPECT_ERROR(ScratchFolder::temporary(), system, "cannot create a directory for temporary files");
  ::setenv("TMPDIR", restored.c_str(), 1);
}

TEST(ScratchFolder, RejectsMissingParent) {
  const TemporaryFolder folder;
  EXPECT_ERROR(ScratchFolder(folder / "missing/scratch"), system,
               "cannot create the directory: No such file");
}

}  // namespace
}  // namespace plimsoll::support
