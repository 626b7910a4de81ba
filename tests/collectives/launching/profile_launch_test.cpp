#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include <plimsoll/collectives/internal/profiler_evidence.hpp>
#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/collectives/profile_launch.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/output_set.hpp>

#include "collectives/log_builder.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using plimsoll::testing::LogBuilder;
using plimsoll::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

namespace fs = std::filesystem;

/// Creates programs as shell scripts in a temporary directory.
class LaunchPlan : public ::testing::Test {
 protected:
  LaunchPlan() { ::unsetenv("LD_PRELOAD"); }

  std::string make_program(const std::string& name, const std::string& script) {
    const std::string path = folder_.write(name, "#!/bin/sh\n" + script + "\n");
    fs::permissions(path, fs::perms::all);
    return path;
  }

  ProfileRequest request(std::vector<std::string> command) {
    ProfileRequest request = {
        .command = std::move(command), .options = {}, .mpi = {}, .interposer = interposer_};
    request.options.folder = output_;
    return request;
  }

  TemporaryFolder folder_;
  // Nothing is preloaded here: the loader skips files that are not libraries.
  std::string interposer_ = folder_.write("interposer.so", "");
  std::string output_ = folder_ / "output";
};

TEST_F(LaunchPlan, PassesVariablesWithLauncherOptions) {
  const std::string mpirun = make_program("mpirun.openmpi", "");
  ProfileRequest wanted = request({mpirun, "-n", "2", "./app"});
  wanted.options.sample = 10;
  const ProfileLaunch launch = plan_profile(wanted);
  EXPECT_THAT(launch.command,
              ElementsAre(mpirun, "-x", "LD_PRELOAD=" + interposer_, "-x", "PLIMSOLL_PROFILER", "-x",
                          "PLIMSOLL_PROFILER_FOLDER", "-n", "2", "./app"));
  EXPECT_THAT(launch.environment, ElementsAre(Pair("PLIMSOLL_PROFILER", "counts,sample=10"),
                                              Pair("PLIMSOLL_PROFILER_FOLDER", launch.folder)));
  EXPECT_EQ(launch.folder, fs::weakly_canonical(output_).string());
  EXPECT_EQ(launch.warning, "");
  EXPECT_FALSE(fs::exists(output_));
}

TEST_F(LaunchPlan, SetsEnvironmentWithoutLauncher) {
  ProfileRequest wanted = request({"app", "it's"});
  wanted.mpi = MpiFlavour::mpich;
  EXPECT_EQ(to_shell_text(plan_profile(wanted)),
            "PLIMSOLL_PROFILER=counts PLIMSOLL_PROFILER_FOLDER=" + fs::weakly_canonical(output_).string() +
                " LD_PRELOAD=" + interposer_ + " app 'it'\\''s'\n");
}

/// Programs of one MPI run (MPMD), with libraries that the user preloads.
class SeveralPrograms : public LaunchPlan {
 protected:
  /// Returns the words that plan_profile() passes to the launcher, with @ for the interposer.
  std::vector<std::string> words_for(const std::string& launcher, std::vector<std::string> words,
                                     std::optional<MpiFlavour> mpi = std::nullopt) {
    words.insert(words.begin(), make_program(launcher, ""));
    ProfileRequest wanted = request(words);
    wanted.mpi = mpi;
    launch_ = plan_profile(wanted);
    std::vector<std::string> planned(launch_.command.begin() + 1, launch_.command.end());
    for (std::string& word : planned)
      if (const auto at = word.find(interposer_); at != std::string::npos)
        word.replace(at, interposer_.size(), "@");
    return planned;
  }

  std::string folder() const { return fs::weakly_canonical(output_).string(); }

  ProfileLaunch launch_;
};

const char* const options_name = "PLIMSOLL_PROFILER";
const char* const folder_name = "PLIMSOLL_PROFILER_FOLDER";

TEST_F(SeveralPrograms, GetTheInterposerFromEachPartOfMpirun) {
  EXPECT_THAT(words_for("mpirun.openmpi", {"-n", "2", "a", ":", "-n", "3", "b"}),
              ElementsAre("-x", "LD_PRELOAD=@", "-x", options_name, "-x", folder_name, "-n", "2", "a", ":",
                          "-x", "LD_PRELOAD=@", "-x", options_name, "-x", folder_name, "-n", "3", "b"));
}

TEST_F(SeveralPrograms, KeepLibrariesThatMpirunPreloads) {
  EXPECT_THAT(words_for("mpirun.openmpi", {"-x", "LD_PRELOAD=own.so", "a", ":", "b"}),
              ElementsAre("-x", options_name, "-x", folder_name, "-x", "LD_PRELOAD=@:own.so", "a", ":", "-x",
                          "LD_PRELOAD=@", "-x", options_name, "-x", folder_name, "b"));
  ::setenv("LD_PRELOAD", "/exported.so", 1);
  const auto words = words_for("mpirun.openmpi", {"-x", "LD_PRELOAD", "a"});
  ::unsetenv("LD_PRELOAD");
  EXPECT_THAT(words,
              ElementsAre("-x", options_name, "-x", folder_name, "-x", "LD_PRELOAD=@:/exported.so", "a"));
}

TEST_F(SeveralPrograms, GetTheInterposerFromAGlobalOptionOfMpiexec) {
  EXPECT_THAT(words_for("mpiexec.hydra", {"-n", "2", "a", ":", "-n", "3", "b"}),
              ElementsAre("-genv", "LD_PRELOAD", "@", "-genv", options_name, "counts", "-genv", folder_name,
                          folder(), "-n", "2", "a", ":", "-n", "3", "b"));
}

// mpirun ignores the option -x next to an appfile.
TEST_F(SeveralPrograms, GetTheInterposerFromACopyOfTheAppfile) {
  const std::string appfile =
      folder_.write("apps", "# two programs\n-n 2 a  --app b\n\n-x LD_PRELOAD=own.so -n 3 c # last\n");
  const std::string copy = folder() + "/appfile";
  EXPECT_THAT(words_for("mpirun.openmpi", {"--mca", "btl", "self", "--app", appfile}),
              ElementsAre("--mca", "btl", "self", "--app", copy));
  ASSERT_TRUE(launch_.appfile);
  EXPECT_EQ(launch_.appfile->path, copy);
  const std::string variables = "-x PLIMSOLL_PROFILER -x PLIMSOLL_PROFILER_FOLDER ";
  const std::string first = "-x LD_PRELOAD=" + interposer_ + " " + variables + "-n 2 a --app b";
  const std::string second = variables + "-x LD_PRELOAD=" + interposer_ + ":own.so -n 3 c";
  EXPECT_EQ(launch_.appfile->text, first + "\n" + second + "\n");
  const std::string command = to_shell_text(launch_);
  EXPECT_THAT(command, ::testing::StartsWith("mkdir -p " + folder() + " && printf '%s\\n' '" + first + "' '" +
                                             second + "' > " + copy + " && "));
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(support::read_text_file(copy), launch_.appfile->text);
}

TEST_F(SeveralPrograms, KeepTheirOwnOptionNamedApp) {
  const std::string program = make_program("program", "");
  EXPECT_THAT(words_for("mpirun.openmpi", {"-n", "2", program, "--app", "missing"}),
              ElementsAre("-x", "LD_PRELOAD=@", "-x", options_name, "-x", folder_name, "-n", "2", program,
                          "--app", "missing"));
  EXPECT_FALSE(launch_.appfile);
  EXPECT_ERROR(words_for("mpirun.openmpi", {"--app", folder_ / "missing"}), system, "missing");
}

TEST_F(SeveralPrograms, KeepLibrariesThatMpiexecPreloads) {
  EXPECT_THAT(words_for("mpiexec.hydra", {"-genv", "LD_PRELOAD", "own.so", "a"}),
              ElementsAre("-genv", options_name, "counts", "-genv", folder_name, folder(), "-genv",
                          "LD_PRELOAD", "@:own.so", "a"));
  EXPECT_THAT(words_for("mpiexec.hydra", {"a", ":", "-env", "LD_PRELOAD=own.so", "b"}),
              ElementsAre("-genv", "LD_PRELOAD", "@", "-genv", options_name, "counts", "-genv", folder_name,
                          folder(), "a", ":", "-env", "LD_PRELOAD=@:own.so", "b"));
}

TEST_F(SeveralPrograms, GetTheInterposerFromEachPartOfSrun) {
  EXPECT_THAT(words_for("srun", {"-n", "2", "a", ":", "-n", "3", "b"}, MpiFlavour::mpich),
              ElementsAre("--export=ALL,LD_PRELOAD=@", "-n", "2", "a", ":", "--export=ALL,LD_PRELOAD=@", "-n",
                          "3", "b"));
}

TEST_F(SeveralPrograms, KeepLibrariesThatSrunPreloads) {
  EXPECT_THAT(words_for("srun", {"--export=ALL,LD_PRELOAD=own.so", "a"}, MpiFlavour::mpich),
              ElementsAre("--export=ALL,LD_PRELOAD=@:own.so", "a"));
  EXPECT_EQ(launch_.warning, "");
  EXPECT_THAT(words_for("srun", {"--export=LD_PRELOAD=own.so", "a"}, MpiFlavour::mpich),
              ElementsAre(fmt::format("--export=LD_PRELOAD=@:own.so,{},{}", options_name, folder_name), "a"));
  EXPECT_EQ(launch_.warning, "");
}

TEST_F(SeveralPrograms, GetTheVariablesWithAListOfSrun) {
  EXPECT_THAT(
      words_for("srun", {"-n", "2", "--export=A=1,HOME", "a"}, MpiFlavour::mpich),
      ElementsAre("-n", "2", fmt::format("--export=A=1,HOME,{},{},LD_PRELOAD=@", options_name, folder_name),
                  "a"));
  EXPECT_THAT(launch_.environment, ::testing::Not(::testing::Contains(Pair("LD_PRELOAD", interposer_))))
      << "srun itself would load the interposer";
  EXPECT_EQ(launch_.warning, "");
  EXPECT_THAT(words_for("srun", {"--export=NONE", "a"}, MpiFlavour::mpich),
              ElementsAre(fmt::format("--export={},{},LD_PRELOAD=@", options_name, folder_name), "a"));
}

TEST_F(SeveralPrograms, KeepValuesOfSrunThatAreSeparateWords) {
  EXPECT_THAT(
      words_for("srun", {"--ntasks", "2", "--export", "ALL,NAME", "a", "--export=other"}, MpiFlavour::mpich),
      ElementsAre("--ntasks", "2", "--export=ALL,NAME,LD_PRELOAD=@", "a", "--export=other"));
  EXPECT_EQ(launch_.warning, "");
  EXPECT_THAT(
      words_for("srun", {"-n", "2", "--export", "ALL,LD_PRELOAD=own.so", "a", ":", "b"}, MpiFlavour::mpich),
      ElementsAre("-n", "2", "--export=ALL,LD_PRELOAD=@:own.so", "a", ":", "--export=ALL,LD_PRELOAD=@", "b"));
}

// Only the ranks load the interposer. Without a program of MPI, as in a script, the launcher does.
TEST_F(SeveralPrograms, GetTheVariablesFromEnvWithOtherLaunchers) {
  const std::string options = std::string(options_name) + "=counts";
  const std::string folder_variable = folder_name + ("=" + folder());
  for (const char* launcher : {"jsrun", "aprun", "palsrun", "ibrun", "flux"}) {
    EXPECT_THAT(
        words_for(launcher, {"-n", "2", MPI_PROGRAM, "a", ":", "-n", "1", MPI_PROGRAM}, MpiFlavour::mpich),
        ElementsAre("-n", "2", "/usr/bin/env", "LD_PRELOAD=@", options, folder_variable, MPI_PROGRAM, "a",
                    ":", "-n", "1", "/usr/bin/env", "LD_PRELOAD=@", options, folder_variable, MPI_PROGRAM))
        << launcher;
    EXPECT_THAT(launch_.environment, ::testing::Not(::testing::Contains(Pair("LD_PRELOAD", interposer_))));
    EXPECT_THAT(words_for(launcher, {"script"}, MpiFlavour::mpich), ElementsAre("script"));
    EXPECT_THAT(launch_.environment, ::testing::Contains(Pair("LD_PRELOAD", interposer_)));
  }
}

TEST_F(LaunchPlan, RequiresMpiAndLibrary) {
  EXPECT_ERROR(plan_profile(request({make_program("app", "")})), usage, "unknown MPI of");
  ProfileRequest wanted = request({"mpiexec.hydra"});
  wanted.interposer = folder_ / "missing.so";
  EXPECT_ERROR(plan_profile(wanted), system, "cannot find the interposer");
}

TEST_F(LaunchPlan, FindsInterposerInLoaderPath) {
  fs::create_directories(folder_ / "moved");
  const std::string moved = folder_.write("moved/libplimsoll-profiler-mpich.so", "");
  ::setenv("LD_LIBRARY_PATH", ("/nowhere::" + (folder_ / "moved")).c_str(), 1);
  ProfileRequest wanted = request({"mpiexec.hydra"});
  wanted.interposer.clear();
  const ProfileLaunch launch = plan_profile(wanted);
  ::unsetenv("LD_LIBRARY_PATH");
  EXPECT_THAT(launch.command, ::testing::Contains(fs::canonical(moved).string()));
}

// LD_PRELOAD is split at spaces and colons, so the program would run unprofiled or with another library.
TEST_F(LaunchPlan, RejectsPathThatLdPreloadWouldSplit) {
  ProfileRequest wanted = request({"mpiexec.hydra"});
  for (const char* name : {"with blank.so", "with:colon.so"}) {
    wanted.interposer = folder_.write(name, "");
    EXPECT_ERROR(plan_profile(wanted), usage, "contains a space or a colon");
  }
  fs::create_symlink(wanted.interposer, folder_ / "link.so");
  wanted.interposer = folder_ / "link.so";
  EXPECT_THAT(plan_profile(wanted).command, ::testing::Contains(folder_ / "link.so"));
}

TEST_F(LaunchPlan, PassesPathWithCommaToSrunThroughEnvironment) {
  ProfileRequest wanted = request({make_program("srun", ""), "./app"});
  wanted.mpi = MpiFlavour::mpich;
  EXPECT_EQ(plan_profile(wanted).command[1], "--export=ALL,LD_PRELOAD=" + interposer_);
  wanted.interposer = folder_.write("with,comma.so", "");
  const ProfileLaunch launch = plan_profile(wanted);
  EXPECT_EQ(launch.command[1], "--export=ALL");
  EXPECT_THAT(launch.environment, ::testing::Contains(Pair("LD_PRELOAD", wanted.interposer)));
}

TEST_F(LaunchPlan, ReportsCauseOfFailure) {
  const auto cause_of = [](const ProfileRequest& request) -> std::optional<ProfileLaunchError::Cause> {
    try {
      plan_profile(request);
    } catch (const ProfileLaunchError& error) {
      return error.cause();
    }
    return std::nullopt;
  };
  ProfileRequest wanted = request({make_program("app", "")});
  EXPECT_EQ(cause_of(wanted), ProfileLaunchError::Cause::unknown_mpi);
  wanted.mpi = MpiFlavour::openmpi;
  EXPECT_EQ(cause_of(wanted), std::nullopt);
  wanted.interposer = folder_ / "missing.so";
  EXPECT_EQ(cause_of(wanted), ProfileLaunchError::Cause::no_interposer);
}

/// Returns commands that leave evidence with the name of a run, and write other files.
std::string leave(Evidence evidence, std::uint64_t run) {
  return fmt::format("echo {} > .plimsoll-evidence/{}; ", run_name(run), static_cast<int>(evidence));
}

/// Programs that write files to the directory of the profile.
class ProfileRun : public LaunchPlan {
 protected:
  ProfileOutcome run(const std::string& script) {
    ProfileRequest wanted = request({make_program("app", "cd $PLIMSOLL_PROFILER_FOLDER; " + script)});
    wanted.mpi = MpiFlavour::openmpi;
    wanted.options.write.overwrite = true;
    return run_profile(plan_profile(wanted));
  }

  /// Returns commands that write the log of a run, with its evidence if it is a run of this command.
  std::string write_log(std::uint64_t run, bool is_own = true) {
    const std::string log = folder_.write("log" + std::to_string(run), LogBuilder(0, 1, run).bytes());
    return fmt::format("cp {} plimsoll-{}.rank0.log; ", log, run) +
           (is_own ? "echo > .plimsoll-evidence/run-" + run_name(run) + "; " : "");
  }
};

TEST_F(ProfileRun, ReturnsExitStatusAndProfileContent) {
  const ProfileOutcome none = run("exit 17");
  EXPECT_EQ(none.status, 17);
  EXPECT_EQ(none.content, ProfileContent::nothing);
  // Killed before the first record was written: the file contains nothing to merge.
  EXPECT_EQ(run("truncate -s 4096 plimsoll-7.rank0.log; kill -KILL $$").content, ProfileContent::nothing);
  const ProfileOutcome logs = run(write_log(7) + "kill -KILL $$");
  EXPECT_EQ(logs.status, 128 + 9);
  EXPECT_EQ(logs.content, ProfileContent::logs);
  const ProfileOutcome files =
      run(leave(Evidence::profile_of_run, 8) + leave(Evidence::collectives_written, 8));
  EXPECT_EQ(files.content, ProfileContent::files);
  EXPECT_EQ(files.folder, fs::weakly_canonical(output_).string());
  EXPECT_TRUE(fs::exists(output_ + "/plimsoll-7.rank0.log")) << "logs of another run";
}

// The program was killed after it had announced that it writes the profile. Its logs may be removed only if
// it has published the collectives.
TEST_F(ProfileRun, RemovesLogsOnlyOfPublishedProfile) {
  const std::string begin = write_log(7) + leave(Evidence::profile_of_run, 7);
  for (const std::string& commands : {std::string(), leave(Evidence::mpi_calls_written, 7)}) {
    const ProfileOutcome outcome = run(begin + commands);
    EXPECT_THAT(outcome.unmerged_runs, ElementsAre(::testing::Field(&UnmergedRun::name, run_name(7))));
    EXPECT_FALSE(outcome.unmerged_runs.at(0).has_calls);
    EXPECT_EQ(find_logs(output_).size(), 1u);
  }
  const ProfileOutcome published = run(begin + leave(Evidence::collectives_written, 7));
  EXPECT_EQ(published.content, ProfileContent::files);
  EXPECT_THAT(published.unmerged_runs, IsEmpty());
  EXPECT_THAT(find_logs(output_), IsEmpty());
}

TEST_F(ProfileRun, IgnoresLogsAndFilesOfOtherCommands) {
  const ProfileOutcome outcome = run(write_log(9, false) + "echo > send-counters.job0.rank0.txt");
  EXPECT_EQ(outcome.content, ProfileContent::nothing);
  EXPECT_THAT(outcome.unmerged_runs, IsEmpty());
  EXPECT_EQ(find_logs(output_).size(), 1u);
}

TEST_F(ProfileRun, WritesToSubdirectoryIfAnotherWritesToTheDirectory) {
  fs::create_directories(output_);
  const support::FolderLock other(output_, {.name = "profile"});
  const ProfileOutcome outcome =
      run("test -e .plimsoll-evidence/" + std::to_string(static_cast<int>(Evidence::profile_of_run)) +
          " && " + leave(Evidence::collectives_written, 7));
  EXPECT_EQ(outcome.content, ProfileContent::files);
  EXPECT_EQ(outcome.folder, fs::weakly_canonical(output_).string() + "/run-" + run_name(7));
}

// Names of all kinds of files that a profile may have, and of files that it has not.
TEST_F(ProfileRun, RemovesFilesOfEarlierProfileIfItWritesAnother) {
  fs::create_directories(output_);
  const std::vector<std::string> earlier = {"send-counters.job0.rank0.txt", "recv-counters.job1.rank2.txt",
                                            "mpi-calls.json", "collectives.job0.json"};
  const std::vector<std::string> own = {"notes.txt", "mpi-calls.json.old", "counters.txt"};
  for (const auto* names : {&earlier, &own})
    for (const std::string& name : *names) std::ofstream(output_ + "/" + name).close();
  run("exit 1");
  for (const std::string& name : earlier) EXPECT_TRUE(fs::exists(output_ + "/" + name)) << name;
  run("echo > new; mv new collectives.job0.json; " + leave(Evidence::profile_of_run, 8) +
      leave(Evidence::collectives_written, 8));
  for (const std::string& name : earlier)
    EXPECT_EQ(fs::exists(output_ + "/" + name), name == "collectives.job0.json") << name;
  for (const std::string& name : own) EXPECT_TRUE(fs::exists(output_ + "/" + name)) << name;
}

TEST_F(LaunchPlan, RejectsExistingProfileWithoutOverwrite) {
  fs::create_directories(output_);
  std::ofstream(output_ + "/collectives.job0.json").close();
  EXPECT_ERROR(plan_profile(request({"mpiexec.hydra"})), usage, "already contains a profile");
}

}  // namespace
}  // namespace plimsoll::collectives
