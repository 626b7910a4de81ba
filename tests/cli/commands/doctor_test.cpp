#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/json.hpp"
#include "cli/program.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

namespace fs = std::filesystem;

/// Creates launchers that print reports of ranks, in a directory at the start of PATH.
class Doctor : public ::testing::Test {
 protected:
  Doctor() {
    fs::create_directories(bin_);
    fs::create_directories(data_);
  }

  void make_launcher(const std::string& name, const std::string& script) const {
    write_file(bin_ + "/" + name, "#!/bin/sh\n" + script);
    fs::permissions(bin_ + "/" + name, fs::perms::all);
  }
  /// Returns shell commands that print what a rank reports.
  static std::string rank(const std::string& processors, bool is_reached = true,
                          const std::string& host = "01234567-89ab-cdef-0123-456789abcdef") {
    return fmt::format(
        "{}echo 'Cpus_allowed_list:\t{}'; echo {}\n",
        is_reached ? "echo '7f00-7f01 r--p 0 00:00 1  /lib/libplimsoll-profiler-openmpi.so'; " : "",
        processors, host);
  }

  Outcome doctor(std::vector<std::string> arguments,
                 std::map<std::string, std::string> environment = {}) const {
    arguments.insert(arguments.begin(), {"doctor", data_});
    environment.emplace("PATH", bin_ + ":" + std::getenv("PATH"));
    return run_plimsoll(arguments, {.environment = environment});
  }
  /// Returns the line on a subject, e.g. "ok      binding ...".
  static std::string line_on(const std::string& subject, const Outcome& outcome) {
    const std::size_t at = outcome.out.find(" " + subject + " ");
    if (at == std::string::npos) return "";
    const std::size_t begin = outcome.out.rfind('\n', at) + 1;
    return outcome.out.substr(begin, outcome.out.find('\n', at) - begin);
  }

  TemporaryFolder folder_;
  std::string bin_ = folder_ / "bin";
  std::string data_ = folder_ / "data";
};

TEST_F(Doctor, ExaminesDirectoryMachineAndLauncher) {
  make_launcher("mpirun.openmpi", rank("0") + rank("1"));
  const Outcome outcome = doctor({"--", "mpirun.openmpi", "-n", "2"});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  for (const char* const subject : {"writing", "directory lock", "MPI launcher", "profiler", "preloading"})
    EXPECT_THAT(line_on(subject, outcome), ::testing::StartsWith("ok      ")) << outcome.out;
  for (const char* const subject : {"file locks", "hard links", "renaming", "disk space", "clock",
                                    "cycle counter", "processors", "memory", "file size", "open files"})
    EXPECT_THAT(line_on(subject, outcome), MatchesRegex("(ok     |no     |unknown) .*")) << outcome.out;
  EXPECT_THAT(line_on("MPI launcher", outcome), HasSubstr(bin_ + "/mpirun.openmpi (launcher of Open MPI)"));
  EXPECT_THAT(line_on("profiler", outcome), HasSubstr("/libplimsoll-profiler-openmpi.so"));
  EXPECT_THAT(line_on("preloading", outcome), HasSubstr("into all 2 ranks"));
  EXPECT_THAT(line_on("binding", outcome), HasSubstr("2 ranks may use 2 processors; none is shared"));
  EXPECT_THAT(outcome.out, HasSubstr("\nAll that is needed is ok.\n"));
  EXPECT_TRUE(fs::is_empty(data_));
}

TEST_F(Doctor, HasRemedyForEachNoAndNoOther) {
  make_launcher("mpirun.openmpi", rank("0") + rank("0", false));
  const Outcome outcome = doctor({"--json", "--", "mpirun.openmpi", "-n", "2"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  const Json json(outcome.out);
  EXPECT_FALSE(json.truth("/fit"));
  for (std::size_t k = 0; k < json.size("/examinations"); ++k) {
    const std::string examination = fmt::format("/examinations/{}", k);
    EXPECT_EQ(json.is_text(examination + "/remedy"), json.text(examination + "/verdict") == "no")
        << json.text(examination + "/subject");
  }
}

TEST_F(Doctor, CountsRanksThatThePreloadDoesNotReach) {
  make_launcher("mpirun.openmpi",
                rank("0-3") + rank("0-3", false) +
                    "echo \"ERROR: ld.so: object '/x/libplimsoll-profiler-openmpi.so' from LD_PRELOAD "
                    "cannot be preloaded: ignored.\"\n");
  const Outcome outcome = doctor({"--", "mpirun.openmpi", "-n", "2"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(line_on("preloading", outcome), HasSubstr("into 1 of 2 ranks; check that all nodes"));
  EXPECT_THAT(line_on("binding", outcome), HasSubstr("2 ranks may use 4 processors; some are shared"));
  EXPECT_THAT(outcome.out, HasSubstr("\nNeeded, but not ok: preloading.\n"));
}

TEST_F(Doctor, DoesNotTakeOneRankOrUnknownLauncherForOk) {
  make_launcher("jsrun", rank("0") + rank("1"));
  // Doctor preloads the profiler of this build into this launcher: a shell, which lacks sanitisers.
  const Outcome unknown = doctor({"--mpi", "openmpi", "--", "jsrun"},
                                 {{"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"}});
  EXPECT_EQ(unknown.status, 0) << unknown.out;
  EXPECT_THAT(line_on("MPI launcher", unknown), ::testing::StartsWith("unknown "));
  make_launcher("mpirun.openmpi", rank("0"));
  const Outcome one = doctor({"--", "mpirun.openmpi", "-n", "1"});
  EXPECT_EQ(one.status, 1);
  EXPECT_THAT(line_on("preloading", one), ::testing::StartsWith("unknown "));
}

TEST_F(Doctor, FindsRanksThatShareProcessors) {
  make_launcher("mpirun.openmpi", rank("5") + rank("5"));
  const Outcome outcome = doctor({"--", "mpirun.openmpi", "-n", "2"});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(line_on("binding", outcome), ::testing::StartsWith("no      "));
  make_launcher("mpirun.openmpi", rank("5") + rank("5", true, "11234567-89ab-cdef-0123-456789abcdef"));
  EXPECT_THAT(line_on("binding", doctor({"--", "mpirun.openmpi"})), ::testing::StartsWith("unknown "));
}

TEST_F(Doctor, ReportsMessagesOfLauncherThatFails) {
  make_launcher("mpirun", "echo -----; echo Not enough slots; echo available; echo; echo More; exit 3");
  make_launcher("orterun", "");
  const Outcome outcome = doctor({"--mpi", "openmpi"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(
      line_on("preloading", outcome),
      HasSubstr("0 of 2 ranks ran, and the launcher ended with status 3: Not enough slots available; "));
}

TEST_F(Doctor, NeedsLauncherAndDirectory) {
  const Outcome none = doctor({}, {{"PATH", bin_}});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(line_on("MPI launcher", none),
              HasSubstr("PATH contains none of mpirun, mpiexec and srun; load"));
  EXPECT_THAT(line_on("MPI launcher", doctor({"--", "xyzzy", "-n", "2"})),
              HasSubstr("cannot find \"xyzzy\""));
  const Outcome absent = run_plimsoll({"doctor", folder_ / "absent"});
  EXPECT_EQ(absent.status, 2);
  EXPECT_THAT(absent.err, HasSubstr("is not a directory"));
  EXPECT_EQ(run_plimsoll({"doctor", data_, "more"}).status, 2);
}

TEST_F(Doctor, DoesNotLetSlurmWaitForAllocation) {
  make_launcher("srun", ": > " + folder_ / "started");
  const Outcome outcome = doctor({}, {{"PATH", bin_}, {"SLURM_JOB_ID", "1"}});
  EXPECT_TRUE(folder_.has("started")) << outcome.out;
  fs::remove(folder_ / "started");
  ::unsetenv("SLURM_JOB_ID");
  const Outcome outside = doctor({}, {{"PATH", bin_}});
  EXPECT_EQ(outside.status, 1);
  EXPECT_FALSE(folder_.has("started"));
  EXPECT_THAT(line_on("preloading", outside), ::testing::StartsWith("unknown "));
}

TEST_F(Doctor, FindsLimitsOfTheShell) {
  const Outcome outcome =
      run_plimsoll({"doctor", data_, "--", "xyzzy"}, {.max_file_bytes = 1 << 20, .max_open_files = 64});
  EXPECT_THAT(line_on("file size", outcome), HasSubstr("at most 1.0 MiB per file; use ulimit -f unlimited"));
  EXPECT_THAT(line_on("open files", outcome), HasSubstr("at most 64 per process; use ulimit -n 256"));
}

TEST_F(Doctor, FindsDirectoryThatCannotBeWritten) {
  const Outcome outcome = run_plimsoll({"doctor", "/proc", "--", "xyzzy"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(line_on("writing", outcome), ::testing::StartsWith("no      "));
}

#ifdef PLIMSOLL_DOCTOR_LAUNCHER
TEST_F(Doctor, ReachesTwoRanksOfRealLauncher) {
  const Outcome outcome = doctor({"--", PLIMSOLL_DOCTOR_LAUNCHER, "-n", "2"},
                                 {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                  {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                  {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                                  {"OMPI_MCA_orte_tmpdir_base", folder_ / "sessions"}});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(line_on("preloading", outcome), HasSubstr("the profiler was loaded into all 2 ranks"));
}
#endif

TEST(VerboseVersion, HasOneShortLinePerLibrary) {
  const Outcome outcome = run_plimsoll({"--version", "--verbose"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, MatchesRegex("plimsoll [0-9.]+\n(.*\n)*"));
  for (const char* const library : {"METIS", "Scotch", "Zoltan", "CBC", "OTF2", "libarchive", "web server"})
    EXPECT_THAT(outcome.out, ContainsRegex(fmt::format("\n{:<12} (not built in|built in, )", library)));
  for (const char* const library : {"fmt", "simdjson", "brotli", "CLI11", "zlib", "pugixml"})
    EXPECT_THAT(outcome.out, ContainsRegex(fmt::format("\n{:<12} [0-9]+\\.[0-9]+", library)));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\nyaml-cpp "), ContainsRegex("\ncompiler     [GC]"),
                                 HasSubstr("\nbuild type "), HasSubstr("\nplug-ins     supported\n"),
                                 ContainsRegex("\nMPI          [a-z]+ [0-9(]")));
  for (std::size_t begin = 0, end = 0; (end = outcome.out.find('\n', begin)) != std::string::npos;
       begin = end + 1)
    EXPECT_LE(end - begin, 80U) << outcome.out.substr(begin, end - begin);
  EXPECT_EQ(run_plimsoll({"--verbose"}).status, 2);
}

}  // namespace
}  // namespace plimsoll::testing
