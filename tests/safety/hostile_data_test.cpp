// Tests LB data files and phase specifications that require much more work than their size suggests.
#include <fmt/format.h>

#include <plimsoll/support/output_file.hpp>

#include "safety/bounded_work.hpp"

namespace plimsoll::testing {
namespace {

const std::string no_metadata = R"({"rank":0,"type":"LBDatafile"})";

std::string document(const std::string& phases, const std::string& metadata = no_metadata) {
  return R"({"metadata":)" + metadata + R"(,"phases":[)" + phases + "]}";
}

std::string phase(const std::string& tasks, const std::string& edges = "") {
  return R"({"id":0,"tasks":[)" + tasks + R"(],"communications":[)" + edges + "]}";
}

std::string task(std::size_t id, const std::string& time_s, const std::string& more = "",
                 std::size_t home = 0) {
  return fmt::format(
      R"({{"entity":{{"home":{1},"id":{0},"migratable":true,"type":"object"}},"node":0,"resource":"cpu","time":{2}{3}}})",
      id, home, time_s, more);
}

std::string tasks(std::size_t count, const std::string& more = "") {
  return listed(count, [&](std::size_t k) { return task(k, "1.0", more); });
}

/// Returns the metadata of a rank whose phases in `ranges` are identical to the previous phase.
std::string identical(const std::string& ranges, std::size_t rank = 0) {
  return fmt::format(R"({{"rank":{},"type":"LBDatafile","phases":{{"skipped":{{"list":[],"range":[]}},)"
                     R"("identical_to_previous":{{"list":[],"range":[{}]}}}}}})",
                     rank, ranges);
}

std::string compressed(const std::string& text, std::size_t repetitions, const std::string& piece) {
  support::BrotliEncoder encoder({.quality = 1});
  std::string stream;
  const std::string pieces = times(1000, piece);
  encoder.encode(text, stream);
  for (std::size_t k = 0; k < repetitions / 1000; ++k) encoder.encode(pieces, stream);
  encoder.finish(stream);
  return stream;
}

std::vector<std::vector<std::string>> commands_on(const std::string& data) {
  return {{"validate", data},
          {"info", data},
          {"balance", data, "--strategy", "GreedyLB"},
          {"compare", data, "--strategies", "GreedyLB,RefineLB"},
          {"repair", data, "-o", "@/repaired/"}};
}

TEST_F(ResourceLimits, StopLargeRun) {
  const TemporaryFolder folder;
  const Outcome outcome = run_limited({"generate", "--ranks", "1", "--objects-per-rank", "100000000",
                                       "--topology", "none", "-o", folder / "data"});
  EXPECT_GT(outcome.status, 2) << outcome.err;
}

TEST_F(ResourceLimits, SufficeForMaliciousLbData) {
  const std::string digits(100'000, '9');
  const std::map<std::string, std::string> documents = {
      {"nested arrays", R"({"a":)" + times(500'000, "[")},
      {"nested user data", document(phase(task(1, "1", R"(,"user_defined":)" + times(100'000, R"({"a":)"))))},
      {"huge exponent", document(phase(task(1, "1e" + digits)))},
      {"long number", document(phase(task(1, digits)))},
      {"sum beyond doubles", document(phase(listed(2000, [](std::size_t k) { return task(k, "1e308"); })))},
      {"huge home ranks",
       document(phase(listed(1000, [](std::size_t k) { return task(k, "1", "", 2'147'483'647 - k); })))},
      {"huge rank", document(phase(task(1, "1")), R"({"rank":4294967295,"type":"LBDatafile"})")},
      {"huge phase",
       R"({"metadata":)" + no_metadata + R"(,"phases":[{"id":9223372036854775807,"tasks":[]}]})"},
      {"huge subphase", document(phase(tasks(2000, R"(,"subphases":[{"id":65534,"time":1.0}])")))},
      {"long name", document(phase(task(1, "1", R"(,"user_defined":{")" + digits + R"(":1})")))},
      {"duplicate members",
       "{" + listed(50'000, [](std::size_t) { return std::string(R"("phases":[])"); }) + "}"},
      {"many phases",
       document(listed(20'000, [](std::size_t k) { return fmt::format(R"({{"id":{},"tasks":[]}})", k); }))},
      {"many errors", document(listed(50'000, [](std::size_t) { return std::string(R"({"id":"x"})"); }))},
      {"many messages",
       document(phase(
           task(1, "1"),
           listed(2000,
                  [](std::size_t k) {
                    return fmt::format(
                        R"({{"bytes":1e308,"from":{{"id":{},"type":"object"}},"to":{{"id":1,"type":"object"}},)"
                        R"("messages":9223372036854775807,"type":"SendRecv"}})",
                        k);
                  })))},
  };
  for (const auto& [what, text] : documents)
    expect_answers(what, {{"data.0.json", text}}, commands_on("@/data.0.json"));
}

TEST_F(ResourceLimits, SufficeForMaliciousPhaseRanges) {
  const auto files = [](std::size_t ranks, const auto& ranges_of) {
    Files all;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      all[fmt::format("data.{}.json", rank)] =
          document(phase(tasks(ranks == 1 ? 2000 : 1)), identical(ranges_of(rank), rank));
    return all;
  };
  expect_answers("a million phases", files(1, [](std::size_t) { return "[1,1000000]"; }), commands_on("@"));
  expect_answers("a hundred thousand phases", files(1, [](std::size_t) { return "[1,99999]"; }),
                 commands_on("@"));
  expect_answers("a million phases of all ranks", files(30, [](std::size_t) { return "[1,1000000]"; }),
                 commands_on("@"));
  expect_answers("different phases of all ranks",
                 files(30,
                       [](std::size_t rank) {
                         return fmt::format("[{},{}]", rank * 1'000'000 + 1, (rank + 1) * 1'000'000);
                       }),
                 commands_on("@"));
  expect_answers("all phases", files(1, [](std::size_t) { return "[1,9223372036854775807]"; }),
                 commands_on("@"));
  expect_answers("ten thousand ranges",
                 files(1,
                       [](std::size_t) {
                         return listed(9999, [](std::size_t k) {
                           return fmt::format("[{},{}]", 200 * k + 1, 200 * k + 99);
                         });
                       }),
                 commands_on("@"));
}

TEST_F(ResourceLimits, SufficeForBrotliBombs) {
  const std::string start = document(phase(""));
  for (const auto& [what, text, piece] :
       {std::tuple("blanks", std::string("{"), std::string(100, ' ')),
        std::tuple("a long name", start.substr(0, start.find("LBDatafile")), std::string(100, 'a')),
        std::tuple("equal tasks", start.substr(0, start.find("tasks") + 8), task(1, "1.0") + ",")})
    expect_answers(what,
                   {{"data.0.json.br", compressed(text, (std::size_t{80} << 20) / piece.size(), piece)}},
                   commands_on("@/data.0.json.br"));
}

TEST_F(ResourceLimits, SufficeForMaliciousFileNames) {
  expect_answers("huge rank", {{"data.0.json", document("")}, {"data.999999999.json", ""}}, commands_on("@"));
}

TEST_F(ResourceLimits, SufficeForMaliciousSpecifications) {
  const std::map<std::string, std::string> specifications = {
      {"many lines", times(200'000, "%1\n")},
      {"huge offsets",
       "0 -9223372036854775808 9223372036854775807\n%1 -9223372036854775808 9223372036854775807\n"},
      {"overlapping ranges",
       [] {
         std::string text;
         for (int k = 0; k < 20'000; ++k) text += fmt::format("{} -1000000 1000000\n", k);
         return text;
       }()},
      {"overlapping steps",
       [] {
         std::string text;
         for (int k = 1; k < 20'000; ++k) text += fmt::format("%{} 0 1\n", k);
         return text;
       }()},
      {"long number", std::string(1'000'000, '9')},
      {"zeros", std::string(1'000'000, '\0')},
  };
  for (const auto& [what, text] : specifications)
    expect_answers(what, {{"phases.txt", text}},
                   {{"spec", "@/phases.txt"}, {"spec", "@/phases.txt", "--phases", "0-999999", "--json"}});
}

}  // namespace
}  // namespace plimsoll::testing
