#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/support/error.hpp>

#include "collectives/example_profiles.hpp"
#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

namespace fs = std::filesystem;
using plimsoll::testing::file_content;
using plimsoll::testing::shared_path;
using plimsoll::testing::TemporaryFolder;
using testing::described;
using testing::numbers;
using testing::signature_of;

/// Returns the count files in a directory, by name.
std::map<std::string, std::string> counts_files(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool of_counts = name.starts_with("send-") || name.starts_with("recv-") ||
                           name.starts_with("profile_") || name.starts_with("counts");
    if (of_counts) files[name] = file_content(entry.path().string());
  }
  return files;
}

std::map<std::string, std::string> rewritten(const std::string& folder, const WriteOptions& options) {
  const ReadResult read = collectives::read({folder});
  EXPECT_TRUE(read.findings.empty()) << to_string(read.findings.front());
  const TemporaryFolder output;
  write(read.profile, output.path(), options);
  return counts_files(output.path());
}

/// Returns a profile with one lead.
Profile profile_with(std::vector<Signature> signatures, std::uint64_t job = 0, std::uint32_t rank = 0) {
  Profile profile;
  lead_of(profile, job, rank).signatures = std::move(signatures);
  return profile;
}

// --- Files of Plimsoll's profiler ---

TEST(ProfileIo, ReproducesPlimsollCountFilesByteForByte) {
  const std::string folder = plimsoll::testing::own_path("alltoallv/forward");
  const auto wanted = counts_files(folder);
  EXPECT_EQ(wanted.size(), 6U);
  EXPECT_EQ(rewritten(folder, {}), wanted);
}

TEST(ProfileIo, ReadsSameProfileFromLegacyText) {
  const Profile original = collectives::read({plimsoll::testing::own_path("alltoallv/forward")}).profile;
  for (const bool compact : {true, false}) {
    const TemporaryFolder folder;
    write(original, folder.path(), {.compact = compact, .dotted_names = true, .legacy_text = true});
    const ReadResult read = collectives::read({folder.path()});
    EXPECT_TRUE(read.findings.empty());
    ASSERT_EQ(read.profile.leads.size(), original.leads.size());
    for (std::size_t k = 0; k < original.leads.size(); ++k)
      EXPECT_EQ(described(read.profile.leads[k].signatures), described(original.leads[k].signatures));
  }
}

// --- Files of the collective profiler ---

TEST(ProfileIo, WritesCollectiveProfilerFilesWithLegacyText) {
  PLIMSOLL_NEED_SHARED("data/alltoallv");
  std::size_t compared = 0;
  for (const auto& folder : fs::directory_iterator(shared_path("data/alltoallv"))) {
    const auto wanted = counts_files(folder.path().string());
    const bool compact = !folder.path().string().ends_with("notcompact");
    if (wanted.empty()) continue;  // the directory contains only time files
    EXPECT_EQ(
        rewritten(folder.path().string(), {.compact = compact, .dotted_names = true, .legacy_text = true}),
        wanted)
        << folder.path();
    compared += wanted.size();
  }
  EXPECT_EQ(compared, 28U);
}

TEST(ProfileIo, WritesActualCallRangeWithoutLegacyText) {
  PLIMSOLL_NEED_SHARED("data/alltoallv");
  auto reversed = rewritten(shared_path("data/alltoallv/edge_rev"), {});
  EXPECT_EQ(reversed["send-counters.job0.rank0.txt"],
            "# Raw counters\n\nNumber of ranks: 4\nDatatype size: 1\nAlltoallv calls 1-1\n"
            "Count: 1 calls - 1\n\n\nBEGINNING DATA\nRank(s) 0-3: 2 2 2 2 \nEND DATA\n");
  EXPECT_EQ(reversed["recv-counters.job0.rank3.txt"],
            "# Raw counters\n\nNumber of ranks: 4\nDatatype size: 1\nAlltoallv calls 0-0\n"
            "Count: 1 calls - 0\n\n\nBEGINNING DATA\nRank(s) 0-3: 1 1 1 1 \nEND DATA\n");
  auto several = rewritten(shared_path("data/alltoallv/a2av_multi_counts"), {});
  EXPECT_EQ(several["recv-counters.job0.rank2.txt"],
            "# Raw counters\n\nNumber of ranks: 2\nDatatype size: 4\nAlltoallv calls 0-2\n"
            "Count: 2 calls - 0, 2\n\n\nBEGINNING DATA\nRank(s) 0: 0 0 \nRank(s) 1: 1 1 \nEND DATA\n");
}

TEST(ProfileIo, StartsLegacyCallRangeAtFirstRecordedCall) {
  const TemporaryFolder folder;
  write(profile_with({signature_of(alltoallv, {{1}}, {{1}}, numbers({4, 6})),
                      signature_of(alltoallv, {{2}}, {{2}}, numbers({5}))}),
        folder.path(), {.legacy_text = true, .first_call = 4});
  const std::string text = folder.read("send-counters.job0.rank0.txt");
  EXPECT_NE(text.find("Alltoallv calls 4-6\nCount: 2 calls - 4, 6\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Alltoallv calls 4-6\nCount: 1 calls - 5\n"), std::string::npos) << text;
}

TEST(ProfileIo, MergesEqualAlltoallRowsWithoutLegacyText) {
  PLIMSOLL_NEED_SHARED("data/alltoallv");
  auto files = rewritten(shared_path("data/alltoallv/a2a_simple_counts_compact"), {});
  EXPECT_EQ(files["send-counters.job0.rank0.txt"],
            "# Raw counters\n\nNumber of ranks: 4\nDatatype size: 1\nAlltoall calls 0-0\n"
            "Count: 1 calls - 0\n\n\nBEGINNING DATA\nRank(s) 0-3: 8 \nEND DATA\n");
}

TEST(ProfileIo, OmitsUnsetFieldsWithoutLegacyText) {
  PLIMSOLL_NEED_SHARED("data/alltoallv");
  auto files = rewritten(shared_path("data/alltoallv/a2av_dt_counts"), {});
  EXPECT_EQ(files["profile_alltoallv_job0.rank0.md"],
            "# Summary\nCOMM_WORLD size: 4\nTotal number of Alltoallv calls = 2\n"
            "# Send/recv counts for Alltoallv operations:\n"
            "\n## Data set #0\n\ncomm size = 4; Alltoallv calls = 1\n\n"
            "### Data sent per rank - Type size: 4\n\n### Data received per rank - Type size: 4\n\n"
            "\n## Data set #1\n\ncomm size = 4; Alltoallv calls = 1\n\n"
            "### Data sent per rank - Type size: 8\n\n### Data received per rank - Type size: 8\n\n");
}

TEST(ProfileIo, MatchesUnaffectedLegacyFilesWithoutLegacyText) {
  PLIMSOLL_NEED_SHARED("data/alltoallv");
  for (const char* name : {"a2av_counts", "a2av_dt_counts", "ag_counts", "edge_sparse", "edge_rev",
                           "a2av_multi_counts", "a2a_simple_counts_compact", "a2av_counts_notcompact"}) {
    const std::string folder = shared_path("data/alltoallv/") + name;
    const bool compact = !folder.ends_with("notcompact");
    auto written = rewritten(folder, {.compact = compact, .dotted_names = true});
    auto wanted = counts_files(folder);
    std::erase_if(wanted, [&](const auto& file) {
      return file.first.starts_with("profile_") || folder.ends_with("simple_counts_compact") ||
             (folder.ends_with("edge_rev") && file.first.ends_with("rank0.txt")) ||
             (folder.ends_with("multi_counts") && file.first.ends_with("rank2.txt"));
    });
    for (const auto& [file, text] : wanted) EXPECT_EQ(written[file], text) << name << " " << file;
  }
}

// --- One file per call ---

TEST(ProfileIo, WritesOneFilePerCallNamedAsInSpecification) {
  const TemporaryFolder folder;
  const auto paths = write(
      profile_with({signature_of(alltoallv, {{1, 2}, {3, 4}}, {{1, 3}, {2, 4}}, numbers({0, 5}))}, 0, 3),
      folder.path(), {.compact = false});
  const std::string text =
      "Send datatype size: 4\nRecv datatype size: 8\nComm size: 2\n\nSend counts\n1 2 \n3 4 \n\n\n"
      "Recv counts\n1 3 \n2 4 \n";
  EXPECT_EQ(folder.read("counts-rank3_call0.md"), text);
  EXPECT_EQ(folder.read("counts-rank3_call5.md"), text);
  EXPECT_TRUE(std::ranges::count(paths, folder / "counts-rank3_call5.md") == 1);
}

TEST(ProfileIo, UsesUniqueFileNamesForSeveralOperations) {
  const std::vector<std::vector<std::int64_t>> dense = {{1, 2}, {3, 4}};
  const std::vector<std::vector<std::int64_t>> single = {{1}, {2}};
  const Profile profile = profile_with({signature_of(alltoall, single, single, numbers({0})),
                                        signature_of(alltoallv, dense, dense, numbers({0})),
                                        signature_of(alltoallw, dense, dense, numbers({0})),
                                        signature_of(allgatherv, single, dense, numbers({0}))});
  for (const bool dotted : {false, true}) {
    const TemporaryFolder folder;
    write(profile, folder.path(), {.compact = false, .dotted_names = dotted});
    const std::string mark = dotted ? "." : "-";
    for (const char* name : {"alltoall", "alltoallw", "allgatherv"})
      EXPECT_TRUE(folder.has("counts" + mark + name + mark + "rank0_call0.md")) << name;
    EXPECT_TRUE(folder.has("counts" + mark + "rank0_call0.md"));
    const ReadResult read = collectives::read({folder.path()});
    EXPECT_TRUE(read.findings.empty());
    ASSERT_EQ(read.profile.leads.size(), 1U);
    EXPECT_EQ(described(read.profile.leads[0].signatures), described(profile.leads[0].signatures));
  }
}

TEST(ProfileIo, UsesPlainFileNamesIfRowsIdentifyOperation) {
  const std::vector<std::vector<std::int64_t>> dense = {{1, 2}, {3, 4}};
  const std::vector<std::vector<std::int64_t>> single = {{1}, {2}};
  const std::pair<Signature, std::string> cases[] = {
      {signature_of(alltoall, single, single, numbers({7})), "counts-rank0_call7.md"},
      {signature_of(allgatherv, single, dense, numbers({7})), "counts-rank0_call7.md"},
      {signature_of({Exchange::alltoallv, Mode::nonblocking}, dense, dense, numbers({7})),
       "counts-ialltoallv-rank0_call7.md"},
      {signature_of(alltoall, {{1}}, {{1}}, numbers({7})), "counts-alltoall-rank0_call7.md"}};
  for (const auto& [signature, name] : cases) {
    const TemporaryFolder folder;
    write(profile_with({signature}), folder.path(), {.compact = false});
    EXPECT_TRUE(folder.has(name)) << name;
    EXPECT_EQ(described(collectives::read({folder.path()}).profile.leads.at(0).signatures),
              described({signature}));
  }
}

TEST(ProfileIo, RejectsFilesPerCallForSeveralJobs) {
  Profile profile = profile_with({signature_of(alltoallv, {{1}}, {{1}}, numbers({0}))}, 1);
  lead_of(profile, 2, 0);
  const TemporaryFolder folder;
  EXPECT_ERROR(write(profile, folder.path(), {.compact = false}), usage, "several jobs");
}

TEST(ProfileIo, ReadsJobFromNamesOfOtherFiles) {
  const TemporaryFolder folder;
  write(profile_with({signature_of(alltoallv, {{1}}, {{1}}, numbers({0}))}, 17), folder.path(),
        {.compact = false});
  const ReadResult read = collectives::read({folder.path()});
  ASSERT_EQ(read.profile.leads.size(), 1U);
  EXPECT_EQ(read.profile.leads[0].job, 17U);
  EXPECT_EQ(read.profile.leads[0].signatures.size(), 1U);
}

// --- Round trips ---

TEST(ProfileIo, ReadsWrittenProfile) {
  for (unsigned seed = 0; seed < 12; ++seed) {  // all combinations of the options below
    testing::RandomSignatures random(seed);
    Profile profile;
    profile.world_size = 16;
    const bool compact = seed % 2 == 0;
    for (std::uint64_t k = 0; k < 3; ++k) {
      Lead& lead =
          lead_of(profile, compact ? random.below(2) : 7, static_cast<std::uint32_t>(random.below(5)));
      lead.signatures = random.make();
      lead.total_calls.assign(Operation::count, 0);
      if (compact)
        for (const Signature& signature : lead.signatures)
          lead.total_calls[signature.operation.index()] = 1000 + signature.operation.index();
    }
    std::erase_if(profile.leads, [](const Lead& lead) { return lead.signatures.empty(); });
    if (profile.leads.empty()) continue;
    const TemporaryFolder folder;
    write(profile, folder.path(),
          {.compact = compact, .dotted_names = seed % 3 == 0, .legacy_text = seed % 4 == 0});
    const ReadResult read = collectives::read({folder.path()});
    ASSERT_TRUE(read.findings.empty()) << seed << " " << to_string(read.findings.front());
    ASSERT_EQ(read.profile.leads.size(), profile.leads.size()) << seed;
    for (std::size_t k = 0; k < profile.leads.size(); ++k) {
      EXPECT_EQ(read.profile.leads[k].rank, profile.leads[k].rank);
      EXPECT_EQ(described(read.profile.leads[k].signatures), described(profile.leads[k].signatures)) << seed;
      if (!compact) continue;
      EXPECT_EQ(read.profile.leads[k].job, profile.leads[k].job);
      EXPECT_EQ(read.profile.leads[k].total_calls, profile.leads[k].total_calls);
      EXPECT_EQ(read.profile.world_size, 16U);
    }
  }
}

TEST(ProfileIo, AcceptsNegativeDisplacementsWithoutSendSide) {
  Profile profile;
  Signature signature = signature_of(allgatherv, {{0}}, {{-8, 0, 16}}, numbers({3}));
  signature.comm_size = 3;
  signature.send.matrix = {};
  signature.recv.matrix.ranks = {numbers({0, 1, 2})};
  lead_of(profile, 4, 2).displacements = {signature};
  const TemporaryFolder folder;
  write(profile, folder.path());
  EXPECT_EQ(folder.read("send-displs.job4.rank2.txt"),
            "# Raw displacements\n\nNumber of ranks: 3\nDatatype size: 4\nAllgatherv calls 3-3\n"
            "Count: 1 calls - 3\n\n\nBEGINNING DATA\nEND DATA\n");
  EXPECT_EQ(folder.read("recv-displs.job4.rank2.txt"),
            "# Raw displacements\n\nNumber of ranks: 3\nDatatype size: 8\nAllgatherv calls 3-3\n"
            "Count: 1 calls - 3\n\n\nBEGINNING DATA\nRank(s) 0-2: -8 0 16 \nEND DATA\n");
  EXPECT_EQ(folder.read("profile_allgatherv_job4.rank2.md").find("displacements for Allgatherv"), 22U);
  const ReadResult read = collectives::read({folder.path()});
  EXPECT_TRUE(read.findings.empty());
  EXPECT_EQ(described(read.profile.leads.at(0).displacements), described({signature}));
}

// --- All or nothing ---

TEST(ProfileIo, OverwritesFilesOnlyOnRequest) {
  const TemporaryFolder folder;
  const Profile profile = profile_with({signature_of(alltoallv, {{1}}, {{1}}, numbers({0}))});
  folder.write("recv-counters.job0.rank0.txt", "mine");
  EXPECT_ERROR(write(profile, folder.path()), usage, "recv-counters.job0.rank0.txt");
  EXPECT_EQ(folder.read("recv-counters.job0.rank0.txt"), "mine");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  write(profile, folder.path(), {.overwrite = true});
  EXPECT_TRUE(folder.read("recv-counters.job0.rank0.txt").starts_with("# Raw counters"));
  EXPECT_FALSE(folder.has("recv-counters.job0.rank0.txt.partial"));
}

TEST(ProfileIo, RemovesFilesOfOverwrittenProfile) {
  const TemporaryFolder folder;
  const Signature signature = signature_of(alltoallv, {{1}}, {{1}}, numbers({0}));
  for (const std::uint64_t job : {0, 7}) {
    Profile former = profile_with({signature}, job);
    lead_of(former, job, 2).signatures = {signature};
    write(former, folder.path());
  }
  write(profile_with({signature}, 0, 3), folder.path(), {.compact = false, .overwrite = true});
  folder.write("alltoallv_execution_times.rank2_comm0_job0.md", "");
  folder.write("send-counters.txt", "");
  write(profile_with({signature}), folder.path(), {.overwrite = true});

  EXPECT_FALSE(folder.has("send-counters.job0.rank2.txt"));
  EXPECT_FALSE(folder.has("recv-counters.job0.rank2.txt"));
  EXPECT_FALSE(folder.has("profile_alltoallv_job0.rank2.md"));
  EXPECT_FALSE(folder.has("counts-rank3_call0.md"));
  EXPECT_TRUE(folder.has("send-counters.job0.rank0.txt"));
  EXPECT_TRUE(folder.has("send-counters.job7.rank2.txt")) << "of another job";
  EXPECT_TRUE(folder.has("alltoallv_execution_times.rank2_comm0_job0.md")) << "of another kind";
  EXPECT_TRUE(folder.has("send-counters.txt")) << "unrelated to these files";
}

TEST(ProfileIo, CreatesDirectory) {
  const TemporaryFolder folder;
  write(profile_with({signature_of(alltoallv, {{1}}, {{1}}, numbers({0}))}), folder / "a/b");
  EXPECT_TRUE(folder.has("a/b/send-counters.job0.rank0.txt"));
}

// --- Reading a directory ---

TEST(ProfileIo, ReportsDirectoryWithoutProfile) {
  const TemporaryFolder folder;
  EXPECT_ERROR(collectives::read({folder.path()}), bad_input, "no files of collective operations");
  EXPECT_ERROR(collectives::read({folder / "none"}), system, "none");
  folder.write("patterns-job0-rank0.md", "# Patterns");
  EXPECT_ERROR(collectives::read({folder.path()}), bad_input, "no files of collective operations");
}

TEST(ProfileIo, ReportsSpecifiedFileOfUnsupportedKind) {
  const TemporaryFolder folder;
  write(profile_with({signature_of(alltoallv, {{1}}, {{1}}, numbers({0}))}), folder.path());
  folder.write("stats-job0.md", "x");
  EXPECT_TRUE(collectives::read({folder.path()}).findings.empty());
  const ReadResult read = collectives::read({folder / "stats-job0.md", folder.path()});
  ASSERT_EQ(read.findings.size(), 1U);
  EXPECT_EQ(read.findings[0].file, folder / "stats-job0.md");
}

TEST(ProfileIo, ReportsMissingSendOrReceiveFile) {
  const TemporaryFolder folder;
  Profile profile = profile_with({signature_of(alltoallv, {{1}}, {{1}}, numbers({0}))});
  lead_of(profile, 0, 1).signatures = {signature_of(alltoallv, {{1}}, {{1}}, numbers({0}))};
  write(profile, folder.path());
  fs::remove(folder / "collectives.job0.profile");
  fs::remove(folder / "send-counters.job0.rank0.txt");
  fs::remove(folder / "profile_alltoallv_job0.rank0.md");
  fs::remove(folder / "collectives.job0.json");
  const ReadResult read = collectives::read({folder.path()});
  ASSERT_EQ(read.findings.size(), 1U);
  EXPECT_NE(read.findings[0].what.find("missing counterpart send-counters.job0.rank0.txt"),
            std::string::npos);
  ASSERT_EQ(read.profile.leads.size(), 1U);
  EXPECT_EQ(read.profile.leads[0].rank, 1U);
}

TEST(ProfileIo, ReadsEachOfSeveralDirectoriesOnce) {
  const TemporaryFolder folder;
  const Signature signature = signature_of(alltoallv, {{1}}, {{1}}, numbers({0}));
  write(profile_with({signature}, 1), folder / "one");
  write(profile_with({signature}, 2), folder / "two");
  const ReadResult read = collectives::read({folder / "one", folder / "two", folder / "one/"});
  EXPECT_TRUE(read.findings.empty());
  EXPECT_EQ(read.profile.leads.size(), 2U);
}

TEST(ProfileIo, WritesRepeatedPartsOfLongListsOnce) {
  const TemporaryFolder folder;
  constexpr std::uint64_t rounds = 600'000;
  NumberList even;
  even.append(numbers({0}), rounds, 2);
  NumberList odd;
  odd.append(numbers({1}), rounds, 2);
  const Profile profile =
      profile_with({signature_of(alltoallv, {{1}}, {{1}}, even), signature_of(alltoallv, {{2}}, {{2}}, odd)});
  EXPECT_NE(remark_on_lists(profile), "");
  write(profile, folder.path());
  const std::string name = "send-counters.job0.rank0.txt";
  EXPECT_NE(folder.read(name).find("600000 calls - 0, [2]*599998+2, 1199998\n"), std::string::npos);
  EXPECT_LT(fs::file_size(folder / name), 1000U);
  const ReadResult read = collectives::read({folder.path()});
  EXPECT_TRUE(read.findings.empty());
  ASSERT_EQ(read.profile.leads.at(0).signatures.size(), 2U);
  EXPECT_EQ(read.profile.leads[0].signatures[0].calls, even);
  EXPECT_EQ(read.profile.leads[0].signatures[1].calls, odd);
}

}  // namespace
}  // namespace plimsoll::collectives
