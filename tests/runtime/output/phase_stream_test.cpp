#include "runtime/output/phase_stream.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <functional>
#include <future>
#include <random>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "runtime/output/stream_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using plimsoll::testing::decoded;
using plimsoll::testing::TemporaryFolder;

lbdata::RankMetadata metadata() {
  lbdata::RankMetadata result;
  result.present = true;
  result.type = "LBDatafile";
  result.rank = 0;
  return result;
}

// Creates one phase whose text has `size` bytes or more, compresses badly and ends with the phase number.
lbdata::PhaseRecord phase(int id, std::size_t size = 200) {
  std::mt19937 random(static_cast<unsigned>(id));
  std::string noise;
  while (noise.size() < size) noise += static_cast<char>('a' + random() % 26);
  lbdata::PhaseRecord record;
  record.id = id;
  record.user_defined = R"({"noise":")" + noise + R"(","last":)" + std::to_string(id) + "}";
  return record;
}

std::string phase_text(int id, std::size_t size = 200) {
  return R"({"id":)" + std::to_string(id) + R"(,"tasks":[],"user_defined":)" + *phase(id, size).user_defined +
         "}";
}

void write(PhaseStream& stream, int id, std::size_t size = 200) {
  const lbdata::Dataset no_entities;
  stream.write(phase(id, size), lbdata::RecordTables(no_entities));
}

PhaseStream::Options options(bool compress, bool with_thread, int quality = 4) {
  PhaseStream::Options result;
  result.file = {.compress = compress, .quality = quality};
  result.with_thread = with_thread;
  return result;
}

bool holds(const std::string& text, int id, std::size_t size = 200) {
  return text.find(phase_text(id, size)) != std::string::npos;
}

struct Kind {
  bool compress;
  bool with_thread;
};
class AnyPhaseStream : public ::testing::TestWithParam<Kind> {
 protected:
  /// Returns the pending text, which ends at the first NUL.
  std::string pending_text() {
    const std::string content = folder.has("data.pending") ? folder.read("data.pending") : "";
    return content.substr(0, content.find('\0'));
  }
  std::string partial() const {
    const std::string bytes = folder.read("data.partial");
    return GetParam().compress ? decoded(bytes) : bytes;
  }
  std::string path() const { return folder / "data"; }
  PhaseStream::Options its_options(int quality = 4) const {
    return options(GetParam().compress, GetParam().with_thread, quality);
  }

  TemporaryFolder folder;
};
INSTANTIATE_TEST_SUITE_P(All, AnyPhaseStream,
                         ::testing::Values(Kind{true, true}, Kind{true, false}, Kind{false, true},
                                           Kind{false, false}),
                         [](const auto& kind) {
                           return std::string(kind.param.compress ? "compressed" : "plain") +
                                  (kind.param.with_thread ? "_with_thread" : "");
                         });

TEST_P(AnyPhaseStream, WritesEachPhaseToFileImmediately) {
  constexpr std::size_t size = 80'000;
  std::promise<void> open;
  PhaseStream::Options its = its_options(9);
  its.before_compressing = [gate = open.get_future().share()] { gate.wait(); };
  PhaseStream stream(path(), metadata(), its);
  bool fell_behind = false;
  for (int id = 0; id < 15; ++id) {
    if (id == 2) open.set_value();  // writing a third phase would wait for the thread
    write(stream, id, size);
    const std::string pending = pending_text();
    const std::string streamed = partial();
    for (int earlier = 0; earlier <= id; ++earlier) {
      ASSERT_TRUE(holds(pending, earlier, size) || holds(streamed, earlier, size))
          << earlier << " after " << id;
    }
    fell_behind = fell_behind || !holds(streamed, id, size);
    // The pending text becomes an LB data file if its end is added.
    if (!pending.empty()) {
      const auto read = lbdata::read_text(pending + "]}", "pending");
      EXPECT_EQ(read.dataset.ranks[0].phases.back().id, id);
    }
  }
  EXPECT_EQ(fell_behind, GetParam().compress && GetParam().with_thread);
}

std::atomic<pid_t> thread_of_handler = 0;

TEST_P(AnyPhaseStream, LeavesSignalsToThreadsOfProgram) {
  thread_of_handler = 0;
  const auto before = std::signal(SIGUSR1, [](int) { thread_of_handler = ::gettid(); });
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGUSR1);
  PhaseStream stream(path(), metadata(), its_options());
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::kill(::getpid(), SIGUSR1);
  write(stream, 0);
  stream.close();
  EXPECT_EQ(thread_of_handler, 0);
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  EXPECT_EQ(thread_of_handler, ::gettid());
  std::signal(SIGUSR1, before);
}

TEST_P(AnyPhaseStream, LeavesOneValidFileWithAllPhasesAfterClose) {
  {
    PhaseStream stream(path(), metadata(), its_options());
    for (int id = 0; id < 300; ++id) write(stream, id);
    stream.close();
  }
  EXPECT_TRUE(folder.has("data"));
  EXPECT_FALSE(folder.has("data.partial"));
  EXPECT_FALSE(folder.has("data.pending"));
  const auto read = lbdata::read_text(folder.read("data"), "data");
  ASSERT_EQ(read.dataset.ranks[0].phases.size(), 300U);
  for (int id = 0; id < 300; ++id)
    EXPECT_EQ(read.dataset.ranks[0].phases[static_cast<std::size_t>(id)].id, id);
}

TEST_P(AnyPhaseStream, KeepsAllPhasesInPartialFileWithoutClose) {
  {
    PhaseStream stream(path(), metadata(), its_options());
    for (int id = 0; id < 30; ++id) write(stream, id);
  }
  EXPECT_FALSE(folder.has("data"));
  EXPECT_EQ(folder.has("data.pending"), GetParam().compress && GetParam().with_thread);
  const std::string streamed = partial();
  for (int id = 0; id < 30; ++id) EXPECT_TRUE(holds(streamed, id));
}

TEST_P(AnyPhaseStream, WritesMetadataLastOnRequest) {
  PhaseStream::Options its = its_options();
  its.file.metadata_last = true;
  lbdata::RankMetadata said = metadata();
  said.top_level_type = "LBDatafile";
  PhaseStream stream(path(), said, its);
  for (int id = 0; id < 5; ++id) write(stream, id, 50'000);
  said.attributes = R"({"late":1})";
  stream.set_metadata(said);
  stream.close();
  const auto read = lbdata::read_text(folder.read("data"), "data");
  EXPECT_EQ(read.dataset.ranks[0].metadata.attributes, R"({"late":1})");
  EXPECT_EQ(read.dataset.ranks[0].phases.size(), 5U);
}

// Runs the work in a separate process whose files are limited to `max_file_bytes`, as on a full disk.
template <class Work>
bool succeeds_on_full_disk(std::size_t max_file_bytes, const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{max_file_bytes, max_file_bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::_exit(work() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_P(AnyPhaseStream, ReportsFullDiskAndKeepsEarlierPhases) {
  constexpr std::size_t limit = 100'000;
  constexpr std::size_t size = 9'000;
  EXPECT_TRUE(succeeds_on_full_disk(limit, [&] {
    int written = 0;
    const auto error = testing::error_of([&] {
      PhaseStream stream(path(), metadata(), its_options());
      for (; written < 200; ++written) write(stream, written, size);
      stream.close();
    });
    folder.write("count", std::to_string(written));
    return error && error->kind() == ErrorKind::system &&
           std::string(error->what()).find("writing failed") != std::string::npos;
  }));
  const int written = std::stoi(folder.read("count"));
  EXPECT_GE(written, 8);
  EXPECT_LT(written, 25);
  const std::string streamed = partial();
  const std::string pending = pending_text();
  for (int id = 0; id < written; ++id)
    EXPECT_TRUE(holds(streamed, id, size) || holds(pending, id, size)) << id;
}

TEST_P(AnyPhaseStream, ThrowsOnEveryCallAfterFullDisk) {
  EXPECT_TRUE(succeeds_on_full_disk(5'000, [&] {
    PhaseStream stream(path(), metadata(), its_options());
    int thrown = 0;
    for (int id = 0; id < 20; ++id) {
      if (testing::error_of([&] { write(stream, id, 3'000); })) ++thrown;
    }
    return testing::error_of([&] { stream.close(); }) && thrown >= 15;
  }));
  EXPECT_FALSE(folder.has("data"));
}

TEST_P(AnyPhaseStream, IgnoresPendingFileOfOverwrittenRun) {
  folder.write("data.pending", R"({"type":"LBDatafile","phases":[{"id":77,"tasks":[]})");
  PhaseStream::Options its = its_options();
  its.file.overwrite = true;
  PhaseStream stream(path(), metadata(), its);
  write(stream, 0);
  EXPECT_FALSE(folder.has("data.pending") && folder.read("data.pending").find("77") != std::string::npos);
  stream.close();
  EXPECT_FALSE(folder.has("data.pending"));
}

TEST(PhaseStream, DoesNotFollowLinkInPlaceOfPendingFile) {
  const TemporaryFolder folder;
  folder.write("precious", "text");
  for (const char* target : {"precious", "nothing"}) {
    std::filesystem::create_symlink(folder / target, folder / "data.pending");
    EXPECT_ERROR(PhaseStream(folder / "data", metadata(), options(true, true)), usage, "symbolic link");
    std::filesystem::remove(folder / "data.pending");
  }
  EXPECT_EQ(folder.read("precious"), "text");
  EXPECT_FALSE(folder.has("nothing"));
}

TEST(PhaseStream, ReportsPathThatItCannotWrite) {
  const TemporaryFolder folder;
  EXPECT_ERROR(PhaseStream(folder / "none/data", metadata(), options(true, true)), system,
               "none/data.partial");
}

}  // namespace
}  // namespace plimsoll::runtime
