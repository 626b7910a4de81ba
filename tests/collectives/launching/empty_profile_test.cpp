#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include <plimsoll/collectives/profiling_options.hpp>

#include "collectives/launching/launch_steps.hpp"
#include "common/temporary_folder.hpp"

namespace plimsoll::testing {
namespace {

namespace fs = std::filesystem;
using collectives::Evidence;
using enum collectives::EmptyProfileCause;

/// A program that recorded nothing, with the environment of a process of `plimsoll profile`.
class NothingRecorded : public ::testing::Test {
 protected:
  NothingRecorded() { ::setenv(collectives::profiling_folder_variable, folder_.path().c_str(), 1); }
  ~NothingRecorded() override { ::unsetenv(collectives::profiling_folder_variable); }

  collectives::EmptyProfileCause cause(const std::vector<std::string>& command = {"mpirun", "no-program"}) {
    return collectives::explain_empty_profile(command, *evidence_).cause;
  }

  TemporaryFolder folder_;
  std::unique_ptr<collectives::CollectedEvidence> evidence_ =
      std::make_unique<collectives::CollectedEvidence>(folder_.path());
};

TEST_F(NothingRecorded, IsExplainedByWhatTheProfilerObserved) {
  EXPECT_EQ(cause(), not_loaded);
  collectives::leave_evidence(Evidence::loaded);
  EXPECT_EQ(cause(), no_mpi);
  collectives::leave_evidence(Evidence::sessions);
  EXPECT_EQ(cause(), sessions);
  collectives::leave_evidence(Evidence::unseen_mpi);
  EXPECT_EQ(cause(), dlopened_mpi);
  collectives::leave_evidence(Evidence::intercepted);
  EXPECT_EQ(cause(), not_recorded);
  collectives::leave_evidence(Evidence::not_finalised);
  EXPECT_EQ(cause(), not_finalised);
  collectives::leave_evidence(Evidence::unseen_init);
  EXPECT_EQ(cause(), unseen_init);
  collectives::leave_evidence(Evidence::no_calls);
  EXPECT_EQ(cause(), no_calls);
  collectives::leave_evidence(Evidence::other_mpi);
  EXPECT_EQ(cause(), other_mpi);
}

TEST_F(NothingRecorded, IsExplainedByRightsOfTheProgram) {
  const std::string program = folder_ / "program";
  fs::copy_file("/bin/true", program);
  EXPECT_EQ(cause({"mpirun", program}), not_loaded);
  fs::permissions(program, fs::perms::set_uid, fs::perm_options::add);
  EXPECT_EQ(cause({"mpirun", program}), privileged);
  EXPECT_EQ(collectives::explain_empty_profile({"mpirun", program}, *evidence_).program, program);
}

TEST_F(NothingRecorded, LeavesNoTraces) {
  collectives::leave_evidence(Evidence::loaded);
  evidence_.reset();
  EXPECT_TRUE(fs::is_empty(folder_.path()));
  collectives::leave_evidence(Evidence::loaded);
  EXPECT_TRUE(fs::is_empty(folder_.path())) << "a process of another program";
}

TEST_F(NothingRecorded, IsNotExplainedByAnotherCommandInTheSameDirectory) {
  const collectives::CollectedEvidence other(folder_.path(), "ab");
  ::setenv(collectives::profiling_options_variable, "counts, launch=ab,quiet", 1);
  collectives::leave_evidence(Evidence::other_mpi);
  collectives::leave_evidence_of_run("first");
  ::unsetenv(collectives::profiling_options_variable);
  EXPECT_EQ(cause(), not_loaded);
  EXPECT_TRUE(evidence_->runs().empty());
  EXPECT_TRUE(other.has(Evidence::other_mpi));
  EXPECT_EQ(other.runs(), std::set<std::string>{"first"});
}

TEST_F(NothingRecorded, GivesEachRunItsOwnDirectory) {
  EXPECT_EQ(collectives::folder_of_run("profile", "first"), "profile");
  EXPECT_EQ(collectives::folder_of_run("profile", "second"), "profile/run-second");
  EXPECT_EQ(collectives::folder_of_run("profile", "first"), "profile") << "asked by another library";
  EXPECT_EQ(evidence_->text(Evidence::profile_of_run), "first");
  ::unsetenv(collectives::profiling_folder_variable);
  EXPECT_EQ(collectives::folder_of_run("profile", "third"), "profile") << "without plimsoll profile";
}

}  // namespace
}  // namespace plimsoll::testing
