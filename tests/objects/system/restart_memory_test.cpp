// Memory that a rank needs to restore its part of a checkpoint.
#include <cereal/types/vector.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "objects/system/restart_program.hpp"

namespace plimsoll::testing {
namespace {

constexpr std::int64_t n_elements = 48;
constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t element_bytes = 2 * mib;

struct Large : Element<Large> {
  std::vector<double> values;

  Large() = default;
  explicit Large(int) : values(element_bytes / sizeof(double), 1) {}
  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }
};

/// Returns a line of /proc/self/status, in bytes.
std::size_t memory(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kib = 0;
    if (word == name + ":" && status >> kib) return 1024 * kib;
  }
  return 0;
}
/// Makes the current memory the new maximum.
void reset_maximum() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

TEST_F(RestartTest, NeedsMemoryForOwnElementsOnly) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitisers need memory of their own";
#endif
  on_first_ranks(1, [&](const mpi::Communicator& ranks) {
    LoadRecorder recorder(ranks.handle(), RestartProgram::quiet());
    ObjectSystem system(recorder);
    Collection<Large> elements(system, {.bounds = {{n_elements}}}, 1);
    system.checkpoint(folder);
  });
  reset_maximum();
  const std::size_t before = memory("VmRSS");
  LoadRecorder recorder(MPI_COMM_WORLD, RestartProgram::quiet());
  ObjectSystem system(recorder, {.restore = folder});
  Collection<Large> elements(system, {.bounds = {{n_elements}}});
  const std::size_t share = elements.local_count() * element_bytes;
  EXPECT_EQ(world.sum(elements.local_count()), n_elements);
  EXPECT_LE(memory("VmHWM"), before + share + 32 * mib) << "the checkpoint has 96 MiB";
}

}  // namespace
}  // namespace plimsoll::testing
