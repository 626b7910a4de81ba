#include <unistd.h>

#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/text_source.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "support/io/small_format.hpp"

namespace plimsoll::support {
namespace {

using plimsoll::testing::TemporaryFolder;

std::string text_of_file(const std::string& path) {
  TextSource source(path, small_format);
  std::string text(1 << 20, '\0');
  std::size_t size = 0;
  while (const std::size_t got = source.read(text.data() + size, text.size() - size)) size += got;
  text.resize(size);
  return text;
}

TEST(OutputFile, gets_its_name_when_closed) {
  const TemporaryFolder folder;
  OutputFile file(folder / "data.json");
  file.write("{\"a\":");
  file.write("1}");
  EXPECT_FALSE(folder.has("data.json"));
  EXPECT_TRUE(folder.has("data.json.partial"));
  file.close();
  EXPECT_FALSE(folder.has("data.json.partial"));
  EXPECT_EQ(folder.read("data.json"), "{\"a\":1}");
  EXPECT_EQ(file.text_bytes(), 7U);
  EXPECT_EQ(file.file_bytes(), 7U);
}

TEST(OutputFile, without_close_keeps_the_partial_and_the_old_file) {
  const TemporaryFolder folder;
  folder.write("data", "old");
  {
    OutputFile file(folder / "data", {.overwrite = true});
    file.write("new");
  }
  EXPECT_EQ(folder.read("data"), "old");
  EXPECT_EQ(folder.read("data.partial"), "new");
}

TEST(OutputFile, flush_shows_what_was_written) {
  const TemporaryFolder folder;
  OutputFile file(folder / "data");
  file.write("abc");
  EXPECT_EQ(folder.read("data.partial"), "");
  file.flush();
  EXPECT_EQ(folder.read("data.partial"), "abc");
}

TEST(OutputFile, flushed_brotli_is_readable_up_to_there) {
  const TemporaryFolder folder;
  OutputFile file(folder / "data.br", {.brotli = BrotliOptions{}});
  file.write("{\"phase\":0");
  file.flush();
  TextSource source(folder / "data.br.partial", small_format);
  std::string text(100, '\0');
  text.resize(source.read(text.data(), text.size()));
  EXPECT_EQ(text, "{\"phase\":0");
  EXPECT_ERROR(source.read(text.data(), 1), bad_input, "ends in the middle");
  file.write("}");
  file.close();
  EXPECT_EQ(text_of_file(folder / "data.br"), "{\"phase\":0}");
  EXPECT_EQ(file.text_bytes(), 11U);
  EXPECT_EQ(file.file_bytes(), folder.read("data.br").size());
}

TEST(OutputFile, writes_what_exceeds_its_buffer) {
  const TemporaryFolder folder;
  OutputFile file(folder / "data", {.buffer_bytes = 4});
  std::string expected;
  for (const char* piece : {"a", "bc", "defghij", "", "k", "lmn"}) {
    file.write(piece);
    expected += piece;
  }
  file.close();
  EXPECT_EQ(folder.read("data"), expected);
}

TEST(OutputFile, refuses_what_exists) {
  const TemporaryFolder folder;
  folder.write("data", "old");
  EXPECT_ERROR(OutputFile(folder / "data"), usage, "data: exists already; choose another name");
  EXPECT_FALSE(folder.has("data.partial"));
  folder.write("other.partial", "a killed program's phases");
  EXPECT_ERROR(OutputFile(folder / "other"), usage, "wait for it, or allow overwriting");
  EXPECT_ERROR(OutputFile(folder / "other", {.rescue = "save its phases by 'plimsoll repair'"}), usage,
               "wait for it, save its phases by 'plimsoll repair', or allow overwriting");
  EXPECT_EQ(folder.read("other.partial"), "a killed program's phases");
}

TEST(OutputFile, refuses_what_came_into_being_meanwhile) {
  const TemporaryFolder folder;
  OutputFile file(folder / "data");
  file.write("mine");
  folder.write("data", "somebody else's");
  EXPECT_ERROR(file.close(), usage, "exists already");
  EXPECT_EQ(folder.read("data"), "somebody else's");
  EXPECT_EQ(folder.read("data.partial"), "mine");
}

TEST(OutputFile, overwrites_if_allowed) {
  const TemporaryFolder folder;
  folder.write("data", "old");
  folder.write("data.partial", "older");
  OutputFile file(folder / "data", {.overwrite = true});
  file.write("new");
  file.close();
  EXPECT_EQ(folder.read("data"), "new");
}

TEST(OutputFile, refuses_to_overwrite_what_is_being_written) {
  const TemporaryFolder folder;
  OutputFile first(folder / "data");
  first.write("mine");
  first.flush();
  EXPECT_ERROR(OutputFile(folder / "data", {.overwrite = true}), usage, "another program is writing it");
  EXPECT_EQ(folder.read("data.partial"), "mine");
  first.close();
  OutputFile(folder / "data", {.overwrite = true}).close();
  EXPECT_EQ(folder.read("data"), "");
}

TEST(OutputFile, reports_a_full_disk) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  const TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/full", folder / "data.partial");
  OutputFile file(folder / "data", {.overwrite = true});
  file.write("x");
  EXPECT_ERROR(file.flush(), system, "No space left on device");
  file.write("y");
  EXPECT_ERROR(file.close(), system, "writing failed");
  EXPECT_FALSE(folder.has("data"));
}

TEST(OutputFile, reports_a_missing_folder) {
  const TemporaryFolder folder;
  EXPECT_ERROR(OutputFile(folder / "no/data"), system, "cannot create: No such file or directory");
}

TEST(OutputFile, moves) {
  const TemporaryFolder folder;
  OutputFile first(folder / "data");
  first.write("a");
  OutputFile second = std::move(first);
  second.write("b");
  second.close();
  EXPECT_EQ(folder.read("data"), "ab");
}

}  // namespace
}  // namespace plimsoll::support
