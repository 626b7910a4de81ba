#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <thread>

#include <plimsoll/collectives/internal/profiler_evidence.hpp>

#include "cli/program.hpp"
#include "collectives/log_builder.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

constexpr const char* program_of_open_mpi = "/usr/bin/hpcc";

/// Returns the log of a program of one rank that was killed after one call.
std::string log_of_one_call() {
  LogBuilder log(0, 1);
  log.communicator(0, {0});
  log.row({.send = {1}, .recv = {1}});
  log.calls({});
  return log.bytes();
}

/// Creates launchers that print their arguments and environment, in a directory at the start of PATH.
class Profile : public ::testing::Test {
 protected:
  Profile() {
    fs::create_directories(bin_);
    write_file(interposer_, "");
    for (const char* name : {"mpirun", "mpirun.openmpi", "mpiexec.hydra", "srun", "app"})
      make_program(name, show);
  }

  void make_program(const std::string& name, const std::string& script) {
    write_file(bin_ + "/" + name, "#!/bin/sh\n" + script);
    fs::permissions(bin_ + "/" + name, fs::perms::all);
  }

  Outcome profile(std::vector<std::string> options, const std::vector<std::string>& command,
                  std::map<std::string, std::string> environment = {}) {
    options.insert(options.begin(), {"profile", "-o", output_, "--interposer", interposer_});
    options.emplace_back("--");
    options.insert(options.end(), command.begin(), command.end());
    environment.emplace("PATH", bin_ + ":" + std::getenv("PATH"));
    Outcome outcome = run_plimsoll(options, {.environment = environment});
    outcome.out = std::regex_replace(outcome.out, std::regex(",launch=[0-9a-f]{16}"), "");  // always another
    return outcome;
  }

  static constexpr const char* show =
      "for word in \"$@\"; do echo \"<$word>\"; done; "
      "echo \"preload=$LD_PRELOAD settings=$PLIMSOLL_PROFILER folder=$PLIMSOLL_PROFILER_FOLDER\"\n";

  TemporaryFolder folder_;
  std::string bin_ = folder_ / "bin";
  std::string output_ = folder_ / "output";
  // Nothing is preloaded here: the loader skips files that are not libraries.
  std::string interposer_ = folder_ / "interposer.so";
  /// Commands that write the log of run 7, and note that this run belongs to the command.
  std::string write_log_ = "cd \"$PLIMSOLL_PROFILER_FOLDER\"; cp '" +
                           folder_.write("log", log_of_one_call()) +
                           "' plimsoll-7.rank0.log; cd .plimsoll-evidence-*; echo > run-0000000000000007";
};

TEST_F(Profile, PassesVariablesWithOpenMpi) {
  const Outcome outcome = profile({}, {"mpirun.openmpi", "-n", "2", "./app", "--", "[1,2]", "two words"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "<-x>\n<LD_PRELOAD=" + interposer_ +
                ">\n<-x>\n<PLIMSOLL_PROFILER>\n<-x>\n<PLIMSOLL_PROFILER_FOLDER>\n<-n>\n<2>\n<./app>\n"
                "<-->\n<[1,2]>\n<two words>\npreload= settings=counts,quiet folder=" +
                fs::canonical(output_).string() + "\n");
  EXPECT_THAT(outcome.err, HasSubstr("nothing was recorded"));
}

TEST_F(Profile, PassesVariablesWithHydra) {
  const Outcome outcome =
      profile({"--record", "counts,times", "--sample", "10", "--first", "5", "--limit", "7"},
              {"mpiexec.hydra", "-n", "2", "./app"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("<-genv>\n<LD_PRELOAD>\n<" + interposer_ +
                                           ">\n<-genv>\n<PLIMSOLL_PROFILER>\n"
                                           "<counts,times,sample=10,first=5,limit=7,quiet>\n"),
                                 HasSubstr("\npreload= ")));
}

TEST_F(Profile, PassesVariablesWithSlurm) {
  const Outcome outcome = profile({"--mpi", "mpich"}, {"srun", "-n", "2", "./app"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("<--export=ALL,LD_PRELOAD=" + interposer_ + ">\n<-n>\n"),
                                 HasSubstr("preload= settings=counts")));
  const Outcome own = profile({"--mpi", "mpich"}, {"srun", "-n", "2", "--export=HOME", "./app"});
  EXPECT_THAT(
      own.out,
      AllOf(HasSubstr("<-n>\n<2>\n<--export=HOME,PLIMSOLL_PROFILER,PLIMSOLL_PROFILER_FOLDER,LD_PRELOAD=" +
                      interposer_ + ">"),
            HasSubstr("preload= ")));
  EXPECT_THAT(own.err, Not(HasSubstr("warning")));
}

TEST_F(Profile, SetsEnvironmentWithoutLauncher) {
  const Outcome outcome = profile({"--mpi", "openmpi", "--not-compact", "--dotted-names", "--legacy-text"},
                                  {"app", "-n"}, {{"LD_PRELOAD", "/other.so"}});
  EXPECT_THAT(outcome.out,
              HasSubstr("<-n>\npreload=" + interposer_ +
                        ":/other.so settings=counts,not-compact,dotted-names,legacy-text,quiet folder="));
}

TEST_F(Profile, DetectsMpiFromApplicationOfUnknownLauncher) {
  if (!fs::exists(program_of_open_mpi)) GTEST_SKIP() << "needs a program that links Open MPI";
  EXPECT_THAT(profile({}, {"mpirun", "-n", "2", program_of_open_mpi}).out, HasSubstr("<-x>\n<LD_PRELOAD="));
  EXPECT_THAT(profile({"--mpi", "mpich"}, {"mpirun", "-n", "2", "app"}).out,
              HasSubstr("<-genv>\n<LD_PRELOAD>"));
}

TEST_F(Profile, SelectsInterposerByMpiOfApplication) {
  if (!fs::exists(program_of_open_mpi)) GTEST_SKIP() << "needs a program that links Open MPI";
  const auto interposer_of = [&](const std::vector<std::string>& command) {
    std::vector<std::string> words = {"profile", "--dry-run", "-o", output_, "--"};
    words.insert(words.end(), command.begin(), command.end());
    const Outcome outcome = run_plimsoll(words, {.environment = {{"PATH", bin_}}});
    return outcome.out + outcome.err;  // if this MPI's interposer is not built, the error names it
  };
  EXPECT_THAT(interposer_of({"srun", program_of_open_mpi}), HasSubstr("libplimsoll-profiler-openmpi.so"));
  EXPECT_THAT(interposer_of({"mpiexec.hydra", program_of_open_mpi}),
              HasSubstr("libplimsoll-profiler-openmpi.so"));
  EXPECT_THAT(interposer_of({"mpiexec.hydra", "app"}), HasSubstr("libplimsoll-profiler-mpich.so"));
  EXPECT_THAT(interposer_of({"app"}), HasSubstr("unknown MPI of"));
}

TEST_F(Profile, NeverCrashesOnDamagedProgram) {
  if (!fs::exists(program_of_open_mpi)) GTEST_SKIP() << "needs a program that links Open MPI";
  const std::string whole = file_content(program_of_open_mpi);
  const std::string path = bin_ + "/damaged";
  for (const std::size_t size : {0, 3, 16, 63, 64, 100, 700, 4096}) {
    write_file(path, whole.substr(0, size));
    fs::permissions(path, fs::perms::all);
    EXPECT_THAT(profile({"--dry-run"}, {path}).err, HasSubstr("unknown MPI of")) << size;
  }
  for (std::size_t byte = 16; byte < 64 + 56 * 12; byte += 13) {
    std::string changed = whole;
    changed[byte] = static_cast<char>(changed[byte] ^ 0xff);
    write_file(path, changed);
    EXPECT_LE(profile({"--dry-run"}, {path}).status, 2) << byte;
  }
}

TEST_F(Profile, ReturnsStatusOfApplication) {
  make_program("app", "exit 17");
  EXPECT_EQ(profile({"--mpi", "mpich"}, {"app"}).status, 17);
  make_program("app", "kill -KILL $$");
  EXPECT_EQ(profile({"--mpi", "mpich"}, {"app"}).status, 128 + SIGKILL);
  const Outcome missing = profile({"--mpi", "mpich"}, {"no-such-program"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.err, HasSubstr("cannot run the command"));
}

// Sends the signals with which batch systems warn and end jobs.
TEST_F(Profile, ForwardsSignals) {
  for (const auto& [signal, name] : std::map<int, std::string>{{SIGHUP, "HUP"},
                                                               {SIGINT, "INT"},
                                                               {SIGQUIT, "QUIT"},
                                                               {SIGTERM, "TERM"},
                                                               {SIGUSR1, "USR1"},
                                                               {SIGUSR2, "USR2"}}) {
    make_program("app", "trap 'exit 5' " + name + "; : > \"$1\"; while :; do sleep 0.05; done");
    const std::string started = folder_ / ("started" + name);
    const pid_t child = ::fork();
    if (child == 0) {
      ::signal(signal, SIG_DFL);
      ::execl(PLIMSOLL_PROGRAM, "plimsoll", "profile", "-o", output_.c_str(), "--interposer",
              interposer_.c_str(), "--mpi", "mpich", "--", (bin_ + "/app").c_str(), started.c_str(), nullptr);
      ::_exit(126);
    }
    for (int tries = 0; tries < 1000 && !fs::exists(started); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 5) << name;
  }
}

TEST_F(Profile, RejectsInterposerPathUnsuitableForLdPreload) {
  interposer_ = folder_ / "with blank.so";
  write_file(interposer_, "");
  const Outcome outcome = profile({"--mpi", "mpich"}, {"app"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("with blank.so"), HasSubstr("specify it with --interposer")));
}

TEST_F(Profile, ReportsNextStep) {
  make_program("app", write_log_);
  EXPECT_THAT(profile({"--mpi", "mpich"}, {"app"}).err, HasSubstr("plimsoll collectives merge " + output_));
  const Outcome refused = profile({"--mpi", "mpich"}, {"app"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("already contains a profile"), HasSubstr("--force")));
  make_program("app",
               fmt::format("cd $PLIMSOLL_PROFILER_FOLDER/.plimsoll-evidence-*; echo 8 > {}; echo 8 > {}; "
                           "echo $PLIMSOLL_PROFILER",
                           static_cast<int>(collectives::Evidence::profile_of_run),
                           static_cast<int>(collectives::Evidence::collectives_written)));
  const Outcome forced = profile({"--mpi", "mpich", "--force"}, {"app"});
  EXPECT_THAT(forced.err, HasSubstr("plimsoll collectives summary " + output_));
  EXPECT_THAT(forced.out, HasSubstr("overwrite"));
}

TEST_F(Profile, QuotesDirectoryOfNextStepForShell) {
  make_program("app", write_log_);
  output_ = folder_ / "my $(profile)";
  EXPECT_THAT(profile({"--mpi", "mpich"}, {"app"}).err,
              HasSubstr("plimsoll collectives merge '" + output_ + "'"));
}

TEST_F(Profile, RunsNothingInDryRun) {
  const Outcome outcome = profile({"--dry-run"}, {"mpirun.openmpi", "-n", "2", "my app"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "PLIMSOLL_PROFILER=counts,quiet PLIMSOLL_PROFILER_FOLDER=" + output_ +
                             " mpirun.openmpi -x LD_PRELOAD=" + interposer_ +
                             " -x PLIMSOLL_PROFILER -x PLIMSOLL_PROFILER_FOLDER -n 2 'my app'\n");
  EXPECT_FALSE(fs::exists(output_));
}

TEST_F(Profile, HasAnOptionForEachSetting) {
  const Outcome outcome = profile({"--mpi", "mpich", "--operations", "alltoallv,ialltoallw", "--memory",
                                   "1MiB", "--merge", "later", "--dry-run"},
                                  {"app"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("PLIMSOLL_PROFILER=counts,memory=1048576,operations=alltoallv+ialltoallw,merge=later,"
                        "quiet "));
}

TEST_F(Profile, RejectsSnapshotsEachFractionOfASecond) {
  for (const std::string interval : {"0.5s", "0.01m", "0", "-1s", "366"}) {
    const Outcome outcome =
        profile({"--mpi", "mpich", "--record", "mpi", "--snapshot", interval, "--dry-run"}, {"app"});
    const bool is_valid = interval == "366";
    EXPECT_EQ(outcome.status, is_valid ? 0 : 2) << interval << outcome.err;
    if (!is_valid) {
      EXPECT_THAT(outcome.err, HasSubstr("expected a time from 1s to 365 days"));
    }
  }
}

TEST_F(Profile, KeepsSettingsInEnvironment) {
  const std::map<std::string, std::string> environment = {{"PLIMSOLL_PROFILER", "times,limit=3,memory=1MiB"},
                                                          {"PLIMSOLL_PROFILER_FOLDER", folder_ / "own"}};
  const std::vector<std::string> words = {"profile", "--mpi", "mpich", "--interposer", interposer_};
  const auto dry_run = [&](std::vector<std::string> options) {
    options.insert(options.begin(), words.begin(), words.end());
    options.insert(options.end(), {"--dry-run", "--", "app"});
    const Outcome outcome = run_plimsoll(options, {.environment = environment});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  };
  EXPECT_THAT(dry_run({}), HasSubstr("PLIMSOLL_PROFILER=counts,times,limit=3,memory=1048576,quiet "
                                     "PLIMSOLL_PROFILER_FOLDER=" +
                                     folder_ / "own"));
  EXPECT_THAT(dry_run({"--record", "counts,locations", "--limit", "5", "-o", output_}),
              HasSubstr("PLIMSOLL_PROFILER=counts,locations,limit=5,memory=1048576,quiet "
                        "PLIMSOLL_PROFILER_FOLDER=" +
                        output_));
}

TEST_F(Profile, NamesTheVariableWithAnInvalidSetting) {
  const Outcome outcome = profile({"--mpi", "mpich"}, {"app"}, {{"PLIMSOLL_PROFILER", "tims"}});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("PLIMSOLL_PROFILER: "), HasSubstr("did you mean \"times\"?")));
}

TEST_F(Profile, RejectsDirectoryThatIsNotWritable) {
  if (::geteuid() == 0) GTEST_SKIP() << "root can write to every directory";
  fs::create_directory(output_);
  fs::permissions(output_, fs::perms::owner_read | fs::perms::owner_exec);
  const Outcome outcome = profile({"--mpi", "mpich"}, {"app"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("cannot create the directory"));
}

TEST_F(Profile, RejectsInvalidArguments) {
  const auto refused = [](const std::vector<std::string>& words, const std::string& text) {
    const Outcome outcome = run_plimsoll(words);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(text));
  };
  refused({"profile", "--record", "count", "--", "app"}, "did you mean \"counts\"?");
  refused({"profile", "--smaple", "3", "--", "app"}, "did you mean --sample?");
  refused({"profile", "--sample", "0", "--", "app"}, "use an integer >= 1");
  refused({"profile", "--operations", "alltoalv", "--", "app"}, "unknown operation \"alltoalv\"");
  refused({"profile", "--memory", "much", "--", "app"}, "use a size such as 64MiB");
  refused({"profile", "--merge", "never", "--", "app"}, "use now or later");
  refused({"profile", "--mpi", "lam", "--", "app"}, "lam");
  refused({"profile", "app", "-n", "2"}, "specify options of the command after --");
  refused({"profile", "app"}, "use plimsoll profile [options] -- app");
  refused({"profile"}, "COMMAND");
  EXPECT_EQ(run_plimsoll({"profile", "--interposer", "/no/such.so", "--mpi", "mpich", "--", "app"}).status,
            3);
}

}  // namespace
}  // namespace plimsoll::testing
