#include <brotli/decode.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/text_source.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "support/io/small_format.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

// Decodes a prefix of a stream with the library's one-shot decoder.
std::string decoded(std::string_view stream, std::size_t capacity = 1 << 22) {
  std::string text(capacity, '\0');
  BrotliDecoderState* state = BrotliDecoderCreateInstance(nullptr, nullptr, nullptr);
  std::size_t in = stream.size();
  auto next_in = reinterpret_cast<const std::uint8_t*>(stream.data());
  std::size_t out = text.size();
  auto next_out = reinterpret_cast<std::uint8_t*>(text.data());
  BrotliDecoderDecompressStream(state, &in, &next_in, &out, &next_out, nullptr);
  BrotliDecoderDestroyInstance(state);
  text.resize(text.size() - out);
  return text;
}

TEST(BrotliEncoder, RoundTripsTextAtEveryQualityAndWindow) {
  std::string text;
  for (int k = 0; k < 20000; ++k) text += std::to_string(k * k % 977) + ',';
  for (const int quality : {0, 4, 9, 11}) {
    for (const int window : {10, 20, 24}) {
      std::string stream;
      BrotliEncoder encoder({.quality = quality, .window = window});
      for (std::size_t begin = 0; begin < text.size(); begin += 1000) {
        encoder.encode(std::string_view(text).substr(begin, 1000), stream);
      }
      encoder.finish(stream);
      EXPECT_LT(stream.size(), text.size());
      EXPECT_EQ(decoded(stream), text) << quality << ' ' << window;
    }
  }
}

TEST(BrotliEncoder, FlushesAllInput) {
  std::string stream;
  BrotliEncoder encoder;
  encoder.encode("first", stream);
  encoder.flush(stream);
  EXPECT_EQ(decoded(stream), "first");
  encoder.encode("second", stream);
  encoder.flush(stream);
  EXPECT_EQ(decoded(stream), "firstsecond");
}

TEST(BrotliEncoder, EncodesEmptyStream) {
  std::string stream;
  BrotliEncoder encoder;
  encoder.finish(stream);
  EXPECT_FALSE(stream.empty());
  EXPECT_EQ(decoded(stream), "");
}

TEST(BrotliEncoder, RejectsInvalidParameters) {
  EXPECT_ERROR(BrotliEncoder({.quality = 12}), usage, "invalid brotli quality: 12; use a value from 0 to 11");
  EXPECT_ERROR(BrotliEncoder({.quality = -1}), usage, "quality: -1");
  EXPECT_ERROR(BrotliEncoder({.window = 9}), usage, "from 10 to 24");
  EXPECT_ERROR(BrotliEncoder({.window = 25}), usage, "window: 25");
}

}  // namespace

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

TEST(OutputFile, ReceivesItsFinalNameOnClose) {
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

TEST(OutputFile, KeepsPartialAndOldFileWithoutClose) {
  const TemporaryFolder folder;
  folder.write("data", "old");
  {
    OutputFile file(folder / "data", {.overwrite = true});
    file.write("new");
  }
  EXPECT_EQ(folder.read("data"), "old");
  EXPECT_EQ(folder.read("data.partial"), "new");
}

TEST(OutputFile, FlushesWrittenText) {
  const TemporaryFolder folder;
  OutputFile file(folder / "data");
  file.write("abc");
  EXPECT_EQ(folder.read("data.partial"), "");
  file.flush();
  EXPECT_EQ(folder.read("data.partial"), "abc");
}

TEST(OutputFile, WritesReadableBrotliUpToLastFlush) {
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

TEST(OutputFile, WritesTextLongerThanBuffer) {
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

TEST(OutputFile, RejectsExistingFile) {
  const TemporaryFolder folder;
  folder.write("data", "old");
  EXPECT_ERROR(OutputFile(folder / "data"), usage, "data: already exists; use another name");
  EXPECT_FALSE(folder.has("data.partial"));
  folder.write("other.partial", "a killed program's phases");
  EXPECT_ERROR(OutputFile(folder / "other"), usage, "wait for it, or allow overwriting");
  EXPECT_ERROR(OutputFile(folder / "other", {.rescue = "use 'plimsoll repair' to save its phases"}), usage,
               "wait for it, use 'plimsoll repair' to save its phases, or allow overwriting");
  EXPECT_EQ(folder.read("other.partial"), "a killed program's phases");
}

TEST(OutputFile, RejectsFileCreatedMeanwhile) {
  const TemporaryFolder folder;
  OutputFile file(folder / "data");
  file.write("mine");
  folder.write("data", "somebody else's");
  EXPECT_ERROR(file.close(), usage, "already exists");
  EXPECT_EQ(folder.read("data"), "somebody else's");
  EXPECT_EQ(folder.read("data.partial"), "mine");
}

TEST(OutputFile, OverwritesExistingFileIfAllowed) {
  const TemporaryFolder folder;
  folder.write("data", "old");
  folder.write("data.partial", "older");
  OutputFile file(folder / "data", {.overwrite = true});
  file.write("new");
  file.close();
  EXPECT_EQ(folder.read("data"), "new");
}

TEST(OutputFile, DoesNotOverwriteFileBeingWritten) {
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

// If not handled, the signal SIGXFSZ would end this program.
TEST(OutputFile, ReportsExceededFileSizeLimit) {
  const TemporaryFolder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  OutputFile file(folder / "data");
  const rlimit small = {4, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  file.write("12345");
  EXPECT_ERROR(file.flush(), system, "File too large");
  file.write("6789 and more");
  EXPECT_ERROR(file.close(), system, "ulimit -f");
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_FALSE(folder.has("data"));
}

void expect_refused(const TemporaryFolder& folder, const char* why) {
  EXPECT_ERROR(OutputFile(folder / "data", {.overwrite = true}), usage, why);
}

TEST(OutputFile, DoesNotFollowLinkInPlaceOfPartialFile) {
  const TemporaryFolder folder;
  folder.write("precious", "old");
  std::filesystem::create_symlink(folder / "precious", folder / "data.partial");
  expect_refused(folder, "data.partial: is a symbolic link");
  std::filesystem::remove(folder / "data.partial");
  std::filesystem::create_symlink(folder / "nothing", folder / "data.partial");
  expect_refused(folder, "data.partial: is a symbolic link");
  EXPECT_FALSE(folder.has("nothing"));
  std::filesystem::remove(folder / "data.partial");
  std::filesystem::create_hard_link(folder / "precious", folder / "data.partial");
  expect_refused(folder, "more than one hard link");
  EXPECT_EQ(folder.read("precious"), "old");
}

TEST(OutputFile, NeitherWaitsForFifoNorReplacesDevice) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "data.partial").c_str(), 0600), 0);
  expect_refused(folder, "is a FIFO");
  std::filesystem::remove(folder / "data.partial");
  ASSERT_EQ(::mkfifo((folder / "data").c_str(), 0600), 0);
  expect_refused(folder, "data: is a FIFO, which cannot be replaced");
  EXPECT_ERROR(OutputFile("/dev/null", {.overwrite = true}), usage, "is a device");
  std::filesystem::remove(folder / "data");
  std::filesystem::create_symlink(folder / "other", folder / "data");
  expect_refused(folder, "is a symbolic link");
  EXPECT_FALSE(folder.has("data.partial"));
}

TEST(OutputFile, StaysLockedUntilRenamed) {
  const TemporaryFolder folder;
  OutputFile first(folder / "data");
  first.write("mine");
  first.end();
  expect_refused(folder, "another program is writing it");
  first.close();
  EXPECT_EQ(folder.read("data"), "mine");
}

TEST(OutputFile, NeverRenamesFileOfAnotherProgram) {
  const TemporaryFolder folder;
  folder.write("data", "old");
  OutputFile file(folder / "data", {.overwrite = true});
  file.write("mine");
  std::filesystem::remove(folder / "data.partial");
  folder.write("data.partial", "theirs");
  EXPECT_ERROR(file.close(), system, "another program has removed or replaced it");
  EXPECT_EQ(folder.read("data"), "old");
  EXPECT_EQ(folder.read("data.partial"), "theirs");
}

TEST(OutputFile, ReplacesAbandonedEmptyPartialFile) {
  const TemporaryFolder folder;
  folder.write("data.partial", "");
  OutputFile file(folder / "data");
  file.write("new");
  EXPECT_ERROR(OutputFile(folder / "data"), usage, "another program is writing it");
  file.close();
  EXPECT_EQ(folder.read("data"), "new");
}

TEST(OutputFile, LeavesNoFileIfNothingWasWritten) {
  const TemporaryFolder folder;
  { const OutputFile file(folder / "data"); }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(OutputFile, RemovesUnfinishedFileOnRequest) {
  const TemporaryFolder folder;
  folder.write("data.unfinished", "of a killed program");
  {
    OutputFile file(folder / "data", {.keep_unfinished = false});
    file.write("new");
    file.flush();
    EXPECT_EQ(folder.read("data.unfinished"), "new");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(OutputFile, BelongsToProcessThatCreatedIt) {
  const TemporaryFolder folder;
  auto file = std::make_unique<OutputFile>(folder / "data");
  file->write("once");
  const pid_t child = ::fork();
  if (child == 0) {
    file.reset();
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(folder.read("data.partial"), "");
  file->close();
  EXPECT_EQ(folder.read("data"), "once");
}

TEST(OutputFile, IsAnOrdinaryFileForChildrenOnceItIsClosed) {
  const TemporaryFolder folder;
  OutputFile file(folder / "data");
  file.write("old, ");
  file.close();
  const Descriptor reopened(::open((folder / "data").c_str(), O_WRONLY | O_APPEND));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::write(reopened.number(), "new", 3) == 3 ? 0 : 1);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(folder.read("data"), "old, new");
}

TEST(OutputFile, ReportsMissingDirectory) {
  const TemporaryFolder folder;
  EXPECT_ERROR(OutputFile(folder / "no/data"), system, "cannot create: No such file or directory");
}

TEST(OutputFile, SupportsMove) {
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
