// Tests profiles of collectives, rank logs and hostfiles that require much more work than their size
// suggests.
#include <fmt/format.h>

#include <cstring>

#include "collectives/log_builder.hpp"
#include "safety/bounded_work.hpp"

namespace plimsoll::testing {
namespace {

using Commands = std::vector<std::vector<std::string>>;

const Commands profile_commands = {{"collectives", "summary", "@", "--json"},
                                   {"collectives", "patterns", "@", "--write", "@/patterns"},
                                   {"collectives", "matrix", "@"},
                                   {"collectives", "calls", "@", "--call", "0:0"},
                                   {"collectives", "compare", "@", "@"},
                                   {"collectives", "export", "@", "--lb-data", "@/data"},
                                   {"collectives", "reorder", "@", "--nodes", "2"}};

/// Returns a block of a counts file. `calls` is a list of calls; `rows` contains the lines "Rank(s) ...".
std::string block(std::uint64_t ranks, std::uint64_t n_calls, const std::string& calls,
                  const std::string& rows) {
  return fmt::format(
      "# Raw counters\n\nNumber of ranks: {}\nDatatype size: 8\nAlltoallv calls 0-1\nCount: {} calls - "
      "{}\n\n\n"
      "BEGINNING DATA\n{}END DATA\n",
      ranks, n_calls, calls, rows);
}

std::map<std::string, std::string> counts(const std::string& text) {
  return {{"send-counters.job0.rank0.txt", text}, {"recv-counters.job0.rank0.txt", text}};
}

const std::string two_ranks = "Rank(s) 0-1: 1 2\n";

TEST_F(ResourceLimits, SufficeForMaliciousCounts) {
  const std::string digits(500'000, '9');
  std::string many_sets;
  std::string overlapping;
  for (int k = 0; k < 2000; ++k) {
    const std::string rows = fmt::format("Rank(s) 0: 1 2\nRank(s) 1: {} 3\n", k);
    many_sets += block(2, 1, std::to_string(k), rows);
    overlapping += block(2, 1'000'000 + k, fmt::format("0-{}", 999'999 + k), rows);
  }
  const std::map<std::string, std::string> texts = {
      {"more ranks than MPI has", block(2'147'483'647, 1, "0", "Rank(s) 0-2147483646: 0\n")},
      {"many ranks", block(4'194'303, 1, "0", "Rank(s) 0-4194302: 0\n")},
      {"the most ranks listed", block(1'048'575, 1, "0", "Rank(s) 0-1048574: 0\n")},
      {"many calls", block(2, UINT64_MAX, "0-18446744073709551614", two_ranks)},
      {"a billion calls", block(2, 1'073'741'001, "0-1073741000", two_ranks)},
      {"scattered calls",
       block(2, 50'000, listed(50'000, [](std::size_t k) { return std::to_string(2 * k); }), two_ranks)},
      {"many sets", many_sets},
      {"overlapping calls", overlapping},
      {"a long row", block(100'000, 1, "0", "Rank(s) 0-99999: " + times(100'000, "1 ") + "\n")},
      {"ranks in reverse",
       block(
           20'000, 1, "0",
           "Rank(s) " + listed(20'000, [](std::size_t k) { return std::to_string(19'999 - k); }) + ": 1\n")},
      {"a long number", "# Raw counters\n\nNumber of ranks: " + digits},
      {"a long line", std::string(1'000'000, 'x')},
      {"many lines", times(300'000, "x\n")},
  };
  for (const auto& [what, text] : texts) expect_answers(what, counts(text), profile_commands);
}

/// Returns a profile of two ranks and 200 calls, with `count` communicators in the index.
std::map<std::string, std::string> with_index(std::size_t count, std::uint64_t world_size,
                                              const auto& communicator) {
  auto files = counts(block(2, 200, "0-199", two_ranks));
  files["collectives.job0.json"] = fmt::format(
      R"({{"format":"plimsoll collectives","version":1,"world_size":{},"leads":[{{"rank":0,"communicators":[{}],)"
      R"("total_calls":{{"alltoallv":200}}}}]}})",
      world_size, listed(count, [&](std::size_t k) {
        return fmt::format(R"({{"id":{},{},"calls":{{"alltoallv":"{}"}}}})", k, communicator(k), k);
      }));
  return files;
}

TEST_F(ResourceLimits, SufficeForMaliciousIndex) {
  const auto members = [](const char* list) {
    return [list](std::size_t) { return fmt::format(R"("members":"{}")", list); };
  };
  expect_answers("large communicators", with_index(200, 4'194'303, members("0-4194302")), profile_commands);
  expect_answers("the largest communicators listed", with_index(200, 1'048'575, members("0-1048574")),
                 profile_commands);
  expect_answers("large world", with_index(1, 2'147'483'647, members("0-1")), profile_commands);
  expect_answers("many communicators", with_index(5000, 2, members("0-1")), profile_commands);
  expect_answers("large remote groups", with_index(200, 2, members(R"(0-1","remote_members":"0-2147483646)")),
                 profile_commands);
  expect_answers(
      "high ranks",
      with_index(200, 2'147'483'647,
                 [](std::size_t k) { return fmt::format(R"("members":"0,{}")", 2'147'483'646 - k); }),
      profile_commands);
  const Commands summary = {{"collectives", "summary", "@"}};
  expect_answers("nested arrays", {{"collectives.job0.json", std::string(500'000, '[')}}, summary);
  expect_answers("nested objects", {{"collectives.job0.json", times(200'000, R"({"a":)")}}, summary);
}

TEST_F(ResourceLimits, SufficeForMaliciousTimesAndLocations) {
  const std::string version = "FORMAT_VERSION: 9\n\n";
  std::string many_calls = version;
  for (int k = 0; k < 20'000; ++k)
    many_calls += fmt::format("# Call {}\n1\n2\n\n", (std::uint64_t{1} << 62) - 20'000 + k);
  const std::string locations =
      version + "Communicator ID: 0\nCalls: 0-1\nCOMM_WORLD ranks: {}\nPIDs: {}\nHostnames:\n";
  std::string contexts;
  for (int k = 0; k < 3000; ++k)
    contexts += fmt::format(
        "# Context {}\n\nCommunicator: 0\nCommunicator rank: 0\nCOMM_WORLD rank: 0\nCalls: 0-1073741000\n\n",
        k);
  const std::string trace = version + "stack trace for /bin/app pid=7\n\n# Trace\n\n";
  const std::vector<std::tuple<std::string, std::string, std::string>> files = {
      {"large times", "alltoallv_execution_times.rank0_comm0_job0.md",
       version + "# Call 0\n" + times(100'000, "1e308\n")},
      {"calls with high numbers", "alltoallv_execution_times.rank0_comm0_job0.md", many_calls},
      {"huge exponent", "alltoallv_late_arrival_times.rank0_comm0_job0.md",
       version + "# Call 0\n1e-" + std::string(500'000, '9') + "\n"},
      {"huge communicator", "alltoallv_execution_times.rank0_comm4294967295_job0.md",
       version + "# Call 0\n1\n2\n"},
      {"many ranks", "alltoallv_locations_comm0_rank0.md",
       fmt::format(fmt::runtime(locations), "0-4294967295", "0-4294967295")},
      {"long host name", "alltoallv_locations_comm0_rank0.md",
       fmt::format(fmt::runtime(locations), "0-1", "7-8") + "\tRank 0: " + std::string(800'000, 'h') +
           "\n\tRank 1: b\n"},
      {"many frames", "alltoallv_backtrace_rank0_trace0.md", trace + times(200'000, "f\n") + contexts},
  };
  for (const auto& [what, name, text] : files) {
    auto profile = counts(block(2, 2, "0-1", two_ranks));
    profile[name] = text;
    expect_answers(what, profile, profile_commands);
  }
}

TEST_F(ResourceLimits, SufficeForMaliciousLogs) {
  using namespace collectives::rank_log;
  const auto log_with = [](const auto& add) {
    LogBuilder log(0, 1);
    const std::uint32_t communicator = log.communicator(0, {0});
    const std::uint32_t row = log.row({.send = {1}, .recv = {1}});
    add(log, LogBuilder::Calls{
                 .communicator = communicator, .operation = {collectives::Exchange::alltoallv}, .item = row});
    return log.bytes();
  };
  const std::map<std::string, std::string> logs = {
      {"many calls", log_with([](LogBuilder& log, LogBuilder::Calls calls) {
         calls.count = std::uint64_t{1} << 43;
         log.calls(calls).finished();
       })},
      {"scattered calls", log_with([](LogBuilder& log, LogBuilder::Calls calls) {
         calls.index_step = calls.id_step = 3;
         calls.count = std::uint64_t{1} << 43;
         log.calls(calls).finished();
       })},
      {"large communicator", log_with([](LogBuilder& log, const LogBuilder::Calls& calls) {
         log.communicator(0, {0, 1});
         log.change_last<CommunicatorRecord>([](CommunicatorRecord& record, char* ranks) {
           record.comm_size = UINT32_MAX;
           const std::uint32_t last = UINT32_MAX - 1;
           std::memcpy(ranks + sizeof last, &last, sizeof last);
         });
         log.calls(calls).finished();
       })},
      {"long row", log_with([](LogBuilder& log, const LogBuilder::Calls& calls) {
         log.row({.send = {1}, .recv = {1}});
         log.change_last<RowRecord>(
             [](RowRecord& record, char*) { record.send_count = std::uint64_t{1} << 62; });
         log.calls(calls).finished();
       })},
      {"many times", log_with([](LogBuilder& log, const LogBuilder::Calls& calls) {
         log.times({}, 0);
         log.change_last<TimesRecord>([](TimesRecord& record, char*) { record.capacity = UINT32_MAX; });
         log.calls(calls).finished();
       })},
      {"many frames", log_with([](LogBuilder& log, const LogBuilder::Calls& calls) {
         log.backtrace(0, {});
         log.change_last<BacktraceRecord>([](BacktraceRecord& record, char*) { record.frames = UINT32_MAX; });
         log.calls(calls).finished();
       })},
  };
  const Commands merge = {{"collectives", "merge", "@", "-o", "@/merged"},
                          {"collectives", "merge", "@", "-o", "@/single", "--not-compact"}};
  for (const auto& [what, bytes] : logs) expect_answers(what, {{"plimsoll-7.rank0.log", bytes}}, merge);
  expect_answers("large world", {{"plimsoll-7.rank0.log", LogBuilder(0, UINT32_MAX).finished().bytes()}},
                 merge);
  expect_answers("zeros", {{"plimsoll-7.rank0.log", std::string(1'000'000, '\0')}}, merge);
}

TEST_F(ResourceLimits, SufficeForMaliciousHostfiles) {
  const std::map<std::string, std::string> hostfiles = {
      {"many slots", "a slots=4294967295\n"},
      {"many slots of many hosts",
       [] {
         std::string text;
         for (int k = 0; k < 20'000; ++k) text += fmt::format("h{} slots=1048576\n", k);
         return text;
       }()},
      {"many hosts of Slurm", "n[0-4294967295]\n"},
      {"product of host lists", "n[0-99999]" + times(5, "[0-9999]") + "\n"},
      {"many host lists", listed(1000, [](std::size_t) { return std::string("n[0-99999]"); }) + "\n"},
      {"long name", std::string(1'000'000, 'h') + "\n"},
  };
  for (const auto& [what, text] : hostfiles) {
    auto files = counts(block(2, 1, "0", two_ranks));
    files["hosts"] = text;
    expect_answers(what, files, {{"collectives", "reorder", "@", "--nodes", "@/hosts"}});
  }
}

}  // namespace
}  // namespace plimsoll::testing
