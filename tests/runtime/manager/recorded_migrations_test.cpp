#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "runtime/manager/balanced_program.hpp"

namespace plimsoll::testing {
namespace {

using RecordedMigrations = BalancedRun;

TEST_F(RecordedMigrations, PacksAndUnpacksInPlace) {
  Settings in_place = always("TestSerializationLB");
  in_place.lb_self_migration = true;
  BalancedProgram program(in_place);
  std::size_t unpacked = 0;
  runtime::ObjectTransport transport = program.store.transport();
  transport.unpack = [&, unpack = transport.unpack](ObjectId id, std::span<const std::byte> bytes) {
    ++unpacked;
    return unpack(id, bytes);
  };
  program.balancer.balance_at_phase_ends(transport);
  const PhaseSummary summary = program.step();
  EXPECT_EQ(unpacked, rank == 0 ? BalancedProgram::n_objects : 0);
  EXPECT_EQ(summary.balancing.migrations, std::int64_t{BalancedProgram::n_objects});
  EXPECT_GT(summary.balancing.decision_s, 0);
  program.step();
  program.recorder.close();
}

// Runs RotateLB, then follows its data with OfflineLB.
TEST_F(RecordedMigrations, RepeatsRecordedMigrations) {
  constexpr int phases = 6;
  const auto run = [&](const Settings& its) {
    BalancedProgram program(its);
    program.balancer.balance_at_phase_ends(program.store.transport());
    std::vector<std::set<ObjectId>> here;
    for (int phase = 0; phase < phases; ++phase) {
      here.push_back(program.here());
      const PhaseSummary summary = program.step();
      EXPECT_TRUE(summary.balancing.strategy.empty() || summary.balancing.decision_s > 0);
    }
    program.recorder.close();
    return here;
  };
  const auto rotated = run(always("RotateLB", "rotated"));
  Settings offline = always("OfflineLB", "followed");
  offline.lb_data_in = true;
  offline.lb_data_dir_in = folder + "/rotated";
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(offline), rotated) << "the data are compressed";
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), ::testing::Not(::testing::HasSubstr("does not fit")));

  offline.lb_data_dir = folder + "/lost";
  if (rank == count - 1) std::filesystem::remove(fmt::format("{}/rotated/data.{}.json.br", folder, rank));
  EXPECT_ERROR(run(offline), bad_input, fmt::format("{}/rotated/data.{}.json: ", folder, count - 1));
  EXPECT_ERROR(run(offline), bad_input,
               "missing recording; use a recording with at least as many ranks as this run");
}

TEST_F(RecordedMigrations, TellOnceThatTheRecordingHasOtherObjects) {
  const auto run = [&](const Settings& its, std::uint64_t without) {
    BalancedProgram program(its);
    program.balancer.balance_at_phase_ends(program.store.transport());
    const ObjectId other = BalancedProgram::id(without);
    if (program.store.objects.erase(other) > 0) program.recorder.remove_object(program.recorder.find(other));
    for (int phase = 0; phase < 4; ++phase) program.step();
    program.recorder.close();
  };
  run(always("RotateLB", "other"), 3);
  Settings offline = always("OfflineLB", "followed");
  offline.lb_data_in = true;
  offline.lb_data_dir_in = folder + "/other";
  ::testing::internal::CaptureStderr();
  run(offline, 5);
  const std::string printed = ::testing::internal::GetCapturedStderr();
  const std::string warning =
      "OfflineLB: the recording of phase 1 does not fit this run: 1 of its objects do not exist here, and 1 "
      "objects of this run are not in it";
  if (rank != 0 || count == 1) return;  // one rank never migrates
  EXPECT_THAT(printed, ::testing::HasSubstr(warning));
  EXPECT_EQ(printed.find("does not fit"), printed.rfind("does not fit"));
}

TEST_F(RecordedMigrations, FollowsRecordedPhasesOfSpecification) {
  constexpr int phases = 7;
  if (rank == 0) std::ofstream(folder + "/specification") << "0 0 1\n4 0 2\n";  // phases 0, 1, 4, 5 and 6
  Settings sparse = always("RotateLB", "sparse");
  sparse.lb_data_compress = false;
  sparse.lb_spec = true;
  sparse.lb_spec_file = folder + "/specification";
  {
    BalancedProgram program(sparse);
    program.balancer.balance_at_phase_ends(program.store.transport());
    for (int phase = 0; phase < phases; ++phase) program.step();
    program.recorder.close();
  }
  Settings offline = always("OfflineLB", "followed");
  offline.lb_data_in = true;
  offline.lb_data_dir_in = folder + "/sparse";
  BalancedProgram program(offline);
  program.balancer.balance_at_phase_ends(program.store.transport());
  const std::vector<int> place = {0, 1, 1, 1, 4, 5, 6};  // rotations that the recording shows at each phase
  for (int phase = 0; phase < phases; ++phase) {
    EXPECT_EQ(program.store.objects.empty(), rank != place[static_cast<std::size_t>(phase)] % count) << phase;
    program.step();
  }
  program.recorder.close();
}

}  // namespace
}  // namespace plimsoll::testing
