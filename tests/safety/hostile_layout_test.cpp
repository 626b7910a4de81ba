// Tests PE files, problems, layouts and timing files that require much more work than their size suggests.
#include <fmt/format.h>

#include "pelayout/timing/gzip_bytes.hpp"
#include "pelayout/timing/statistics_text.hpp"
#include "pelayout/timing/tar_bytes.hpp"
#include "safety/bounded_work.hpp"

namespace plimsoll::testing {
namespace {

using Command = std::vector<std::string>;

std::string repeated(std::size_t count, const auto& text_of) {
  std::string all;
  for (std::size_t k = 0; k < count; ++k) all += text_of(k);
  return all;
}

std::string pes_file(const std::string& entries, const std::string& more = "") {
  return R"(<?xml version="1.0"?><config_pes version="2.0"><grid name="any"><mach name="any">)" + entries +
         "</mach></grid>" + more + "</config_pes>";
}

std::string size_of(std::size_t number,
                    const std::string& tasks = "<ntasks><ntasks_atm>8</ntasks_atm></ntasks>") {
  return fmt::format(R"(<pes compset="any" pesize="s{}">{}</pes>)", number, tasks);
}

const std::vector<Command> submissions = {{"layout", "submit", "--pesfile", "@/pes.xml", "--dry_run",
                                           "--command_template", "./run {case} {NTASKS_ATM}"},
                                          {"layout", "submit", "--pesfile", "@/pes.xml", "--dry_run",
                                           "--compset", "B1850", "--res", "f09_g17", "--cime_dir", "@"}};

TEST_F(ResourceLimits, SufficeForMaliciousPesFiles) {
  const auto sizes = [](std::size_t count) {
    return repeated(count, [](std::size_t k) { return size_of(k); });
  };
  const auto overrides = [](std::size_t count) {
    return repeated(count, [](std::size_t k) {
      return fmt::format(
          R"(<overrides><grid name="f.*g[0-9]+{}|.*"><mach name="any"><pes compset="any" pesize="any">)"
          "<ntasks><ntasks_iac>1</ntasks_iac></ntasks></pes></mach></grid></overrides>",
          k);
    });
  };
  const auto expressions = [](std::size_t count, const std::string& compset) {
    return repeated(count, [&](std::size_t k) {
      return fmt::format(
          R"(<grid name="any"><mach name="any"><pes compset="{}{}" pesize="s{}"></pes></mach></grid>)",
          compset, k, k);
    });
  };
  const std::map<std::string, std::string> files = {
      {"too many sizes", pes_file(sizes(5000))},
      {"many sizes", pes_file(sizes(2000))},
      {"sizes and overrides", pes_file(sizes(1000), overrides(1000))},
      {"more sizes and overrides", pes_file(sizes(2400), overrides(2400))},
      {"slow expressions", pes_file("", expressions(1500, "(a|aa)+(x+x+)+y(b*)*"))},
      {"counted expressions", pes_file("", expressions(500, times(5, "(a{1,50}){1,50}")))},
      {"nested groups", pes_file("", expressions(1, times(200, "(") + times(200, ")")))},
      {"many settings", pes_file(repeated(500,
                                          [](std::size_t k) {
                                            return size_of(
                                                k, repeated(50, [](std::size_t c) {
                                                  return fmt::format(
                                                      "<ntasks><ntasks_c{0}>1</ntasks_c{0}></ntasks>", c);
                                                }));
                                          }))},
      {"many components",
       pes_file(size_of(0, repeated(20'000,
                                    [](std::size_t c) {
                                      return fmt::format("<ntasks><ntasks_c{0}>1</ntasks_c{0}></ntasks>", c);
                                    })))},
      {"long number",
       pes_file(size_of(0, "<ntasks><ntasks_atm>" + std::string(500'000, '9') + "</ntasks_atm></ntasks>"))},
      {"long name", pes_file(R"(<pes compset="any" pesize=")" + std::string(500'000, 's') + R"("></pes>)")},
      {"nested elements", times(200'000, "<a>")},
      {"nested entries", pes_file(times(20'000, "<pes compset='any' pesize='a'>") + times(20'000, "</pes>"))},
      {"nested entities", "<!DOCTYPE a [<!ENTITY a0 'aaaaaaaaaa'>" +
                              repeated(30,
                                       [](std::size_t k) {
                                         return fmt::format("<!ENTITY a{} '{}'>", k + 1,
                                                            times(10, fmt::format("&a{};", k)));
                                       }) +
                              "]><config_pes>&a30;</config_pes>"},
  };
  for (const auto& [what, xml] : files) expect_answers(what, {{"pes.xml", xml}}, submissions);

  Command with_options = submissions[1];
  with_options.insert(with_options.end(), {"--extra_options_file", "@/options"});
  const std::string options = repeated(2000, [](std::size_t k) { return fmt::format("V{}=1\n", k); });
  expect_answers("settings of two files", {{"pes.xml", pes_file(sizes(2000))}, {"options", options}},
                 {with_options});
}

/// Returns a problem of four components with these task counts and costs.
std::string problem(const std::string& total, const std::string& counts = "[8,16,32]",
                    const std::string& costs = "[8,4,2]", const std::string& block_size = "8",
                    const std::string& layout = "IceLndAtmOcn") {
  std::string json = fmt::format(R"({{"totaltasks":{},"layout":"{}")", total, layout);
  for (const char* name : {"ATM", "OCN", "LND", "ICE"})
    json += fmt::format(R"(,"{}":{{"ntasks":{},"cost":{},"nthrds":[1],"blocksize":{}}})", name, counts, costs,
                        block_size);
  return json + "}";
}

Command solve(const Command& more = {}) {
  Command command = {"layout", "solve", "--json_input", "@/problem.json"};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

TEST_F(ResourceLimits, SufficeForMaliciousProblems) {
  const auto points = [](std::size_t count) {
    return problem("2000", "[" + listed(count, [](std::size_t k) { return std::to_string(k + 1); }) + "]",
                   "[" +
                       listed(count,
                              [](std::size_t k) {
                                return fmt::format(
                                    "{}", 1000.0 / static_cast<double>(k + 1) + static_cast<double>(k % 7));
                              }) +
                       "]",
                   "1");
  };
  const std::map<std::string, std::string> problems = {
      {"a million tasks", problem("1000000")},
      {"a million tasks in blocks of 1", problem("1000000", "[1,2,4]", "[8,4,2]", "1")},
      {"the most tasks", problem("100000000", "[1,2,4]", "[8,4,2]", "1")},
      {"ten million tasks", problem("10000000")},
      {"more tasks than MPI has", problem("9223372036854775807")},
      {"long number", problem(std::string(500'000, '9'))},
      {"huge costs", problem("64", "[8,16,32]", "[1e308,1e308,1e308]")},
      {"tiny costs", problem("64", "[8,16,32]", "[5e-324,5e-324,5e-324]")},
      {"huge exponent", problem("64", "[8,16,32]", "[1e" + std::string(500'000, '9') + ",1,1]")},
      {"too many points", points(20'000)},
      {"many points", points(1250)},
      {"long layout", problem("64", "[8,16,32]", "[8,4,2]", "8", times(100'000, "(") + "ATM")},
      {"many components",
       R"({"totaltasks":100000)" +
           repeated(5000,
                    [](std::size_t k) { return fmt::format(R"(,"C{}":{{"ntasks":[1],"cost":[1]}})", k); }) +
           "}"},
      {"large layout", R"({"totaltasks":100000,"layout":"C0)" +
                           repeated(900, [](std::size_t k) { return fmt::format(" | C{}", k + 1); }) + '"' +
                           repeated(901,
                                    [](std::size_t k) {
                                      return fmt::format(R"(,"C{}":{{"ntasks":[1,2],"cost":[2,1]}})", k);
                                    }) +
                           "}"},
      {"nested arrays", R"({"a":)" + times(300'000, "[")},
      {"nested objects", times(200'000, R"({"a":)")},
  };
  for (const auto& [what, json] : problems)
    expect_answers(what, {{"problem.json", json}},
                   {solve(), solve({"--model", "linear"}), solve({"--exact_sum"})});
}

TEST_F(ResourceLimits, SufficeForMaliciousLayoutFiles) {
  const std::string layout = "name: mine\nlayout: ((ICE | LND) ; ATM) | OCN\n";
  const std::string list = listed(20'000, [](std::size_t k) { return std::to_string(k + 1); });
  const std::map<std::string, std::string> files = {
      {"aliases of aliases",
       layout + "x: &b0 [1,1,1,1,1,1,1,1,1,1]\n" +
           repeated(30,
                    [](std::size_t k) {
                      return fmt::format("y{0}: &b{0} [{1}]\n", k + 1,
                                         listed(10, [&](std::size_t) { return fmt::format("*b{}", k); }));
                    })},
      {"aliases of a long list", layout + "x: &a [" + list + "]\ny: [" +
                                     listed(50'000, [](std::size_t) { return std::string("*a"); }) + "]\n"},
      {"long lists", layout + "components:\n  ATM: {allowed: &a [" + list +
                         "]}\n  OCN: {allowed: *a}\n  LND: {allowed: *a}\n  ICE: {allowed: *a}\n"},
      {"many anchors",
       layout + repeated(40'000, [](std::size_t k) { return fmt::format("k{0}: &a{0} 1\n", k); })},
      {"many components",
       layout + "components:\n" +
           repeated(30'000, [](std::size_t k) { return fmt::format("  C{}: {{least: 1}}\n", k); })},
      {"duplicate keys", layout + times(40'000, "name: 1\n")},
      {"nested lists", times(200'000, "[")},
      {"nested maps", times(200'000, "{")},
      {"nested sequences", times(200'000, "- ")},
      {"nested keys", times(200'000, "? ")},
      {"long key", std::string(900'000, 'a') + ": b"},
      {"long tag", std::string(900'000, '!')},
      {"flow pairs", "[" + times(40'000, "a: b, ") + "]"},
      {"many lines", times(300'000, "a\n")},
      {"long text", "\"" + times(300'000, "\\n")},
      {"nested expression", "name: a\nlayout: " + times(4000, "(") + "ATM" + times(4000, ")") + "\n"},
      {"powers of one", layout + "components:\n  ATM: {power_of: 1}\n"},
      {"huge counts", layout + "components:\n  ATM: {least: 1, most: 9223372036854775807, multiple_of: 1}\n"},
  };
  for (const auto& [what, yaml] : files)
    expect_answers(what, {{"problem.json", problem("64")}, {"layout.yaml", yaml}},
                   {solve({"--layout", "@/layout.yaml"})});
}

std::string timing_file(const std::string& tasks = "64", const std::string& time_s = "200.250",
                        const std::string& more = "") {
  return fmt::format(
      "---------------- TIMING PROFILE ---------------------\n  Case        : case_a\n"
      "  stop option : ndays, stop_n = 10\n  run length  : 10 days (10 for ocean)\n\n"
      "  component       comp_pes    root_pe   tasks  x threads instances (stride) \n"
      "  ---------        ------     -------   ------   ------  ---------  ------  \n"
      "  atm = cam        {0}          0        {0}     x 1       1      (1     ) \n"
      "  ocn = pop        32          0        32     x 1       1      (1     ) \n{2}\n"
      "    TOT Run Time:     450.174 seconds       45.017 seconds/mday         5.26 myears/wday \n"
      "    ATM Run Time:     {1} seconds       20.025 seconds/mday        11.82 myears/wday \n"
      "    OCN Run Time:      90.125 seconds        9.012 seconds/mday        26.26 myears/wday \n",
      tasks, time_s, more);
}

TEST_F(ResourceLimits, SufficeForMaliciousTimingFiles) {
  const std::string more =
      "    ATM Run Time:     200.250 seconds       20.025 seconds/mday        11.82 myears/wday \n";
  const std::map<std::string, std::string> files = {
      {"gzip bomb of zeros", gzip_bytes(std::string(100 << 20, '\0'))},
      {"gzip bomb of lines", gzip_bytes(timing_file() + std::string(60 << 20, '\n'))},
      {"gzip bomb of times", gzip_bytes(timing_file() + times(500'000, more))},
      {"many gzip members", times(20'000, gzip_bytes(""))},
      {"long line", timing_file() + std::string(1'000'000, 'x')},
      {"many times", timing_file() + times(10'000, more)},
      {"many components",
       timing_file(
           "64", "1.0",
           repeated(10'000,
                    [](std::size_t k) {
                      return fmt::format(
                          "  c{} = cam        64          0        64     x 1       1      (1     ) \n", k);
                    }))},
      {"many tasks", timing_file("9223372036854775807")},
      {"long numbers", timing_file("64", std::string(60'000, '9'))},
      {"large numbers", timing_file("64", "1e308")},
  };
  for (const auto& [what, text] : files)
    expect_answers(what, {{"timing", text}, {"problem.json", problem("64")}},
                   {{"layout", "solve", "@/timing", "--total_tasks", "128", "--layout", "ATM|OCN"},
                    solve({"--check", "@/timing"})});
}

TEST_F(ResourceLimits, SufficeForMaliciousStatistics) {
  const std::string run = statistics_of_example().str();
  const std::string timer = StatisticsText::line({"a:b", 1, 1, 1, 1});
  const std::string archive = tar_bytes({{"timing/model_timing_stats", run}});
  const std::string link = tar_header("timing/model_timing_stats", 0, '2', "/dev/zero");
  const std::map<std::string, std::string> files = {
      {"gzip bomb of timers", gzip_bytes(run + times(600'000, timer))},
      {"gzip bomb of other timers",
       gzip_bytes(run + times(600'000, StatisticsText::line({"main", 1, 1, 1, 1})))},
      {"gzip bomb of lines", gzip_bytes(run + std::string(60 << 20, '\n'))},
      {"long line", run + std::string(1'000'000, 'x')},
      {"long name", run + '"' + std::string(1'000'000, 'x') + "\"\n"},
      {"large numbers", "***** GLOBAL STATISTICS (  9223372036854775807 MPI TASKS) *****\n" + run},
      {"many ranks", "***** GLOBAL STATISTICS (  1000000000 MPI TASKS) *****\n" + run},
      {"gzip bomb in an archive", gzip_bytes(tar_bytes({{"zeros", std::string(90 << 20, '\0')}}))},
      {"gzip bomb of files", gzip_bytes(times(150'000, tar_header("a", 0)))},
      {"gzip bomb of empty blocks", gzip_bytes(archive.substr(0, 512) + std::string(90 << 20, '\0'))},
      {"file of many bytes", tar_header("timing/model_timing_stats", 8'589'934'591) + run},
      {"long names", times(800, tar_header("././@LongLink", 512, 'L') + std::string(511, 'n') + '\0')},
      {"name of many bytes", tar_header("././@LongLink", 8'000'000'000, 'L') + archive},
      {"link", link + std::string(1024, '\0')},
      {"archive of archives", tar_bytes({{"timing.tar", archive}, {"timing.gz", gzip_bytes(run)}})},
  };
  for (const auto& [what, text] : files)
    expect_answers(what, {{"timing.tar.gz", text}, {"problem.json", problem("64")}},
                   {{"layout", "solve", "@/timing.tar.gz", "--total_tasks", "128"},
                    solve({"--check", "@/timing.tar.gz"})});
}

}  // namespace
}  // namespace plimsoll::testing
