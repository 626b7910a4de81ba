#include "collectives/merging/sums_reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include <plimsoll/collectives/internal/sums_file.hpp>
#include <plimsoll/collectives/merge.hpp>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* function_names[] = {"MPI_Send", "MPI_Recv"};

int called_code() {
  return 1;
}

FunctionSums sums_of(std::uint64_t bytes, std::uint64_t time_ns) {
  FunctionSums sums;
  sums.sizes.add(bytes, time_ns);
  sums.windows.add(0, time_ns);
  return sums;
}

/// The file of rank 1 of 3. Two threads call MPI_Recv at the same place.
class SumsOfRank : public ::testing::Test {
 protected:
  SumsOfRank() {
    file_.progress().before_ns = 500;
    file_.progress().begin_ns = 10'000;
    file_.add_place(place_);
    add_table<SiteRecord>(rank_sums::Kind::sites, 0,
                          {place_, 1, 1, {{3, 1, 0, 24, 600, 300, 80}, {{place_, 1}, 70, 60}}});
    add_table<SiteRecord>(rank_sums::Kind::sites, 1, {place_, 1, 1, {{1, 0, 0, 8, 50, 50}, {}}});
    add_table<FunctionSums>(rank_sums::Kind::calls, 0, {0, 1, 1, sums_of(8, 600)});
    add_table<FunctionSums>(rank_sums::Kind::calls, 1, {0, 1, 1, sums_of(32, 50)});
    add_table<MessageSums>(rank_sums::Kind::messages, 0, {2, 0, 1, {5, 40}});
    add_table<MeasuredWaits>(rank_sums::Kind::waits, 0, {place_, 1, 1, {4, 650, 200}});
    set_last_call(11'000, 0);
    set_last_call(10'700, 1);
  }

  template <class Sums>
  void add_table(rank_sums::Kind kind, std::uint32_t number, rank_sums::Entry<Sums> entry) {
    std::byte* const table = file_.allocate(16 * sizeof entry);
    ASSERT_NE(table, nullptr);
    if (entry.check == 1) entry.check = rank_sums::check_of_key(entry.place, entry.kind);
    std::memcpy(table + 3 * sizeof entry, &entry, sizeof entry);
    file_.publish(table, kind, number);
  }
  void set_last_call(std::uint64_t last_ns, std::uint32_t thread) {
    std::byte* const record = file_.allocate(sizeof last_ns);
    ASSERT_NE(record, nullptr);
    std::memcpy(record, &last_ns, sizeof last_ns);
    file_.publish(record, rank_sums::Kind::thread, thread);
  }

  std::string bytes() const { return testing::file_content(file_.path()); }
  static RankSums read(const std::string& bytes, std::vector<Diagnostic>& findings) {
    return read_rank_sums(bytes, "file", findings);
  }
  RankSums read() {
    RankSums sums = read(bytes(), findings_);
    EXPECT_THAT(findings_, IsEmpty());
    return sums;
  }

  testing::TemporaryFolder folder_;
  SumsFile file_{folder_.path(),
                 {.run_id = 0xab, .job = 7, .world_rank = 1, .world_size = 3, .pid = 99, .host = "node"},
                 function_names};
  const std::uint64_t place_ = reinterpret_cast<std::uintptr_t>(&called_code);
  std::vector<Diagnostic> findings_;
};

TEST_F(SumsOfRank, AreTheSumsOfItsThreads) {
  const RankSums sums = read();
  EXPECT_EQ(sums.header.run_id, 0xabU);
  EXPECT_EQ(sums.header.world_rank, 1U);
  EXPECT_FALSE(sums.finalized);
  const RankCalls& calls = sums.calls;
  EXPECT_EQ(calls.host, "node");
  EXPECT_THAT(calls.functions, ElementsAre("MPI_Send", "MPI_Recv"));
  EXPECT_EQ(calls.process.threads, 2U);
  ASSERT_THAT(calls.sites, SizeIs(1));
  EXPECT_EQ(calls.sites[0].function, 1U);
  EXPECT_EQ(calls.sites[0].sums, (SiteSums{4, 1, 0, 32, 650, 300, 80}));
  EXPECT_EQ(calls.sites[0].previous, 0U);
  EXPECT_EQ(calls.sites[0].after_previous_ns, 70U);
  EXPECT_EQ(calls.sites[0].waits, (MeasuredWaits{4, 650, 200}));
  ASSERT_THAT(calls.of_functions, SizeIs(1));
  EXPECT_EQ(calls.of_functions[0].function, 1U);
  FunctionSums receives = sums_of(8, 600);
  receives.add(sums_of(32, 50));
  EXPECT_EQ(calls.of_functions[0].sums, receives);
  EXPECT_EQ(calls.modules[calls.sites[0].module], std::filesystem::read_symlink("/proc/self/exe"));
  ASSERT_THAT(calls.messages, SizeIs(1));
  EXPECT_EQ(calls.messages[0].peer, 2U);
  EXPECT_TRUE(calls.messages[0].sent);
  EXPECT_EQ(calls.messages[0].sums, (MessageSums{5, 40}));
}

TEST_F(SumsOfRank, LastUntilTheLastCallUnlessRecordingEnded) {
  EXPECT_EQ(read().calls.process.wall_ns, 500U + 1000) << "the last call ended at 11000";
  file_.progress().begin_ns = 12'000;
  EXPECT_EQ(read().calls.process.wall_ns, 500U) << "no call since the last pause";
  file_.progress().begin_ns = 0;
  file_.progress().before_ns = 5000;
  file_.progress().finalized = 1;
  EXPECT_EQ(read().calls.process.wall_ns, 5000U);
  EXPECT_TRUE(read().finalized);
}

TEST_F(SumsOfRank, AreThoseOfTheTableThatReplacedAnother) {
  add_table<SiteRecord>(rank_sums::Kind::sites, 0, {place_, 0, 1, {{9, 0, 72, 0, 90, 10}, {}}});
  std::byte* const unpublished = file_.allocate(1024);
  std::memset(unpublished, 1, 1024);
  const RankSums sums = read();
  ASSERT_THAT(sums.calls.sites, SizeIs(2));
  EXPECT_EQ(sums.calls.sites[0].sums.calls, 9U);
  EXPECT_EQ(sums.calls.sites[1].sums.calls, 1U) << "of the other thread";
}

TEST_F(SumsOfRank, AreReadAcrossAllPartsOfALargeFile) {
  for (std::uint32_t thread = 2; thread < 500; ++thread)
    add_table<SiteRecord>(rank_sums::Kind::sites, thread, {place_, 1, 1, {{1, 0, 0, 8, 50, 50}, {}}});
  EXPECT_GT(bytes().size(), 500'000U);
  EXPECT_EQ(read().calls.sites.at(0).sums.calls, 4U + 498);
}

TEST_F(SumsOfRank, SkipImpossibleEntries) {
  const std::uint64_t huge = std::uint64_t{1} << 60;
  add_table<SiteRecord>(rank_sums::Kind::sites, 2, {place_, 1, 1, {{1, 0, 0, huge, 50, 50}, {}}});
  add_table<SiteRecord>(rank_sums::Kind::sites, 3, {place_, 77, 1, {{1, 0, 0, 8, 50, 50}, {}}});
  add_table<SiteRecord>(rank_sums::Kind::sites, 4, {place_, 1, 9, {{1, 0, 0, 8, 50, 50}, {}}});
  add_table<MessageSums>(rank_sums::Kind::messages, 1, {3, 0, 1, {5, 40}});
  add_table<MessageSums>(rank_sums::Kind::messages, 2, {0, 2, 1, {5, 40}});
  add_table<FunctionSums>(rank_sums::Kind::calls, 2, {0, 1, 1, sums_of(8, huge)});
  FunctionSums without_calls;
  without_calls.windows.add(0, 50);
  add_table<FunctionSums>(rank_sums::Kind::calls, 3, {0, 1, 1, without_calls});
  add_table<FunctionSums>(rank_sums::Kind::calls, 4, {0, 2, 1, sums_of(8, 50)});
  rank_sums::Entry<FunctionSums> with_windows_of_no_run{0, 1, 1, sums_of(8, 50)};
  std::memset(static_cast<void*>(&with_windows_of_no_run.sums.windows), 0xff, sizeof(std::uint32_t));
  add_table<FunctionSums>(rank_sums::Kind::calls, 5, with_windows_of_no_run);
  const RankSums sums = read(bytes(), findings_);
  EXPECT_THAT(sums.calls.sites, SizeIs(1));
  EXPECT_EQ(sums.calls.sites[0].sums.calls, 4U);
  EXPECT_THAT(sums.calls.of_functions, SizeIs(1));
  EXPECT_THAT(sums.calls.messages, SizeIs(1));
  ASSERT_THAT(findings_, SizeIs(1));
  EXPECT_EQ(findings_[0].what, "impossible sums of MPI calls are skipped: 9");
}

TEST_F(SumsOfRank, AreReadUpToTheEndOfACutFile) {
  const std::string all = bytes();
  std::size_t most_sites = 0;
  for (std::size_t size = 0; size < 8192; size += 8) {
    std::vector<Diagnostic> findings;
    try {
      const RankSums sums = read(all.substr(0, size), findings);
      EXPECT_GE(sums.calls.sites.size(), most_sites);
      most_sites = sums.calls.sites.size();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), StartsWith("file (byte "));
      EXPECT_THAT(error.what(), EndsWith("): the file of MPI calls is damaged; check the disk of the file"));
      EXPECT_EQ(most_sites, 0U);
    }
  }
  EXPECT_EQ(most_sites, 1U);
}

// Damage must not crash the reader, nor make it use more than the file contains.
TEST_F(SumsOfRank, SurviveRandomDamage) {
  const std::string all = bytes().substr(0, 16384);
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = all;
    for (std::size_t k = 0; k <= random() % 8; ++k)
      damaged[random() % 6000] ^= static_cast<char>(1 << random() % 8);
    std::vector<Diagnostic> findings;
    try {
      const RankSums sums = read(damaged, findings);
      EXPECT_LT(sums.calls.sites.size(), 100U);
      for (const RankCalls::Site& site : sums.calls.sites) {
        EXPECT_LT(site.function, sums.calls.functions.size());
        EXPECT_LT(site.module, sums.calls.modules.size());
        EXPECT_LE(site.sums.failed_calls, site.sums.calls);
      }
      for (const RankCalls::Messages& messages : sums.calls.messages) EXPECT_LT(messages.peer, 3U);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    }
  }
}

std::string text_of(const RankSums& sums) {
  std::string text = fmt::format("{} {} {} {}\n", sums.header.world_rank, sums.header.host, sums.finalized,
                                 sums.calls.process.wall_ns);
  for (const RankCalls::Site& site : sums.calls.sites)
    text += fmt::format("{} {} {:x} {} {} {} {} {}\n", sums.calls.functions[site.function],
                        sums.calls.modules[site.module], site.offset, site.sums.calls,
                        site.sums.received_bytes, site.sums.time_ns, site.waits.waited_ns, site.previous);
  for (const RankCalls::OfFunction& function : sums.calls.of_functions)
    for (std::size_t number = 0; number < SizeClasses::classes; ++number)
      text += fmt::format("{} ", function.sums.sizes[number].time_ns);
  for (const RankCalls::Messages& messages : sums.calls.messages)
    text += fmt::format("{} {} {}\n", messages.peer, messages.sent, messages.sums.bytes);
  return text;
}

// Many bits of the first blocks, and some of the tables.
TEST_F(SumsOfRank, AreRejectedOrUnchangedForAChangedBitOfASealedFile) {
  add_table<SiteRecord>(rank_sums::Kind::sites, 0, {place_, 1, 1, {{7, 0, 0, 56, 700, 300, 80}, {}}});
  file_.progress().begin_ns = 0;
  file_.progress().finalized = 1;
  file_.seal();
  const std::string sealed = bytes();
  const std::string expected = text_of(read());
  const std::size_t used = file_.progress().used_bytes;
  ASSERT_LT(used, sealed.size());
  std::mt19937_64 random(1);
  std::size_t rejected = 0;
  std::size_t changes = 0;
  for (std::size_t bit = 0; bit < 8 * (used + 64); bit += 1 + random() % (bit < 8 * 512 ? 5 : 4000)) {
    std::string changed = sealed;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    ++changes;
    std::vector<Diagnostic> findings;
    const auto error =
        testing::error_of([&] { EXPECT_EQ(text_of(read(changed, findings)), expected) << bit; });
    if (!error) continue;
    ++rejected;
    EXPECT_THAT(error->what(), StartsWith("file (byte ")) << bit;
    EXPECT_LE(error->diagnostic().byte.value_or(used), bit / 8) << bit;
  }
  EXPECT_GT(rejected, changes / 2) << "most bytes are in tables";
  std::vector<Diagnostic> findings;
  for (const std::size_t size : {std::size_t{0}, std::size_t{4096}, used - 64})
    EXPECT_TRUE(testing::error_of([&] { read(sealed.substr(0, size), findings); })) << size;
}

TEST_F(SumsOfRank, HaveKeysWithChecksumsBeforeTheFileIsSealed) {
  std::string changed = bytes();
  const std::uint64_t key[] = {place_, rank_sums::check_of_key(place_, 1) * (std::uint64_t{1} << 32) | 1};
  const std::string_view key_bytes(reinterpret_cast<const char*>(key), sizeof key);
  for (std::size_t at = 0; (at = changed.find(key_bytes, at)) != changed.npos; ++at) changed[at] ^= 4;
  const RankSums sums = read(changed, findings_);
  EXPECT_THAT(sums.calls.sites, IsEmpty());
  ASSERT_THAT(findings_, SizeIs(1));
  EXPECT_EQ(findings_[0].what, "impossible sums of MPI calls are skipped: 3");
}

TEST_F(SumsOfRank, AreMarkedIncompleteIfTheFileCannotGrow) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small = {.rlim_cur = bytes().size(), .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::byte* const refused = file_.allocate(1 << 20);
  std::byte* const later = file_.allocate(64);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_EQ(refused, nullptr);
  EXPECT_EQ(later, nullptr) << "the file does not grow any more";
  EXPECT_THAT(file_.error(), ::testing::HasSubstr("cannot extend the file of MPI calls"));
  const RankSums sums = read(bytes(), findings_);
  EXPECT_EQ(sums.calls.sites.at(0).sums.calls, 4U);
  EXPECT_EQ(sums.calls.process.wall_ns, 0U) << "unknown";
  ASSERT_THAT(findings_, SizeIs(1));
  EXPECT_THAT(findings_[0].what, ::testing::HasSubstr("it lacks calls"));
}

TEST_F(SumsOfRank, BelongToARunWithItsOtherRanks) {
  const SumsFile other(folder_.path(), {.run_id = 0xab, .world_rank = 2, .world_size = 3, .host = "node"},
                       function_names);
  const LoggedRun run = choose_run(folder_.path());
  EXPECT_THAT(run.paths, IsEmpty());
  EXPECT_THAT(run.mpi_paths, ElementsAre(file_.path(), other.path()));
  const MergedMpiCalls merged = merge_mpi_calls(run);
  EXPECT_EQ(merged.calls.run, "00000000000000ab");
  EXPECT_EQ(merged.calls.cut_short.to_string(), "0-2");
  EXPECT_TRUE(merged.calls.is_running) << "this process has locked the files";
  ASSERT_THAT(merged.calls.functions, SizeIs(1));
  EXPECT_THAT(merged.calls.functions[0].calls, ElementsAre(0, 4, 0));
  EXPECT_EQ(parse_mpi_calls(to_json(merged.calls), "file"), merged.calls);
}

// A file of this rank, with another one of its run.
class SumsDamagedAtTheirStart : public SumsOfRank {
 protected:
  /// Replaces the file, as another process would.
  void replace(const std::string& content) const {
    std::filesystem::remove(file_.path());
    std::ofstream(file_.path(), std::ios::binary) << content;
  }
  std::string of_other_version() const {
    std::string changed = bytes();
    rank_sums::BlockHeader header;
    std::memcpy(&header, changed.data(), sizeof header);
    changed.at(sizeof header + 7) = '1';
    header.check = rank_sums::check_of(
        header.head, std::as_bytes(std::span(changed)).subspan(sizeof header, header.content_bytes));
    std::memcpy(changed.data(), &header, sizeof header);
    return changed;
  }
  std::string changed_first_byte() const { return '\7' + bytes().substr(1); }

  const std::string damaged_ =
      file_.path() + " (byte 0): the file of MPI calls is damaged; check the disk of the file";
};

TEST_F(SumsDamagedAtTheirStart, AreReportedAndTheirRankIsMissing) {
  const SumsFile other(folder_.path(), {.run_id = 0xab, .world_rank = 2, .world_size = 3, .host = "node"},
                       function_names);
  for (const std::string& content :
       {std::string(), std::string("job 17\n"), changed_first_byte(), of_other_version()}) {
    const std::string expected = content.size() > 100 && content[0] != '\7'
                                     ? file_.path() +
                                           ": the file of MPI calls has format version 1: expected version "
                                           "2; use the version of Plimsoll that recorded the file"
                                     : damaged_;
    replace(content);
    const LoggedRun run = choose_run(folder_.path());
    EXPECT_THAT(run.mpi_paths, ElementsAre(file_.path(), other.path()));
    const MergedMpiCalls merged = merge_mpi_calls(run);
    EXPECT_TRUE(merged.calls.cut_short.contains(1));
    ASSERT_THAT(merged.findings, SizeIs(2)) << "the other file is being written; " << content.size();
    EXPECT_EQ(to_string(merged.findings[1]), expected);
  }
}

TEST_F(SumsDamagedAtTheirStart, AreAnErrorIfTheRunHasNoOtherFile) {
  replace("");
  const LoggedRun run = choose_run(folder_.path());
  EXPECT_EQ(run.world_size, 0U);
  EXPECT_ERROR(merge_mpi_calls(run), bad_input, damaged_);
}

TEST_F(SumsDamagedAtTheirStart, AreDistinguishedFromOtherFilesByTheirNames) {
  for (const char* name :
       {"plimsoll-app.rank0.log", "plimsoll-ab.rank0.log.gz", "plimsoll-ab.rankX.calls", "notes.log"})
    std::ofstream(folder_ / name) << "other";
  const std::vector<LoggedRun> runs = find_logs(folder_.path());
  ASSERT_THAT(runs, SizeIs(1));
  EXPECT_THAT(runs[0].paths, IsEmpty());
}

}  // namespace
}  // namespace plimsoll::collectives
