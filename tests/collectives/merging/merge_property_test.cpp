#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "collectives/log_builder.hpp"

namespace plimsoll::testing {
namespace {

using namespace collectives;

/// A random run and its expected result, which is computed separately for each call on each rank.
class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed, std::uint64_t max_calls = 60) : random_(seed) {
    world_ = static_cast<std::uint32_t>(pick(1, 4));
    ids_.resize(world_);
    made_.resize(world_);
    for (std::uint32_t rank = 0; rank < world_; ++rank) logs_.emplace_back(rank, world_);
    const std::size_t communicators = pick(1, 3);
    for (std::size_t k = 0; k < communicators; ++k) add_communicator(k);
    const std::size_t calls = pick(max_calls / 2, max_calls);
    for (std::size_t k = 0; k < calls; ++k) add_call(pick(0, communicators_.size() - 1));
    for (std::uint32_t rank = 0; rank < world_; ++rank) write(rank);
  }

  std::vector<std::string> logs() const {
    std::vector<std::string> logs;
    for (const LogBuilder& log : logs_) logs.push_back(log.bytes());
    return logs;
  }

  /// The counts that each rank sends, by lead and call ID, if all ranks recorded the call.
  using Calls = std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::int64_t>>;
  Calls expected;
  std::uint64_t incomplete = 0;

 private:
  struct Comm {
    std::vector<std::uint32_t> members;
    std::uint64_t order;
    std::uint64_t calls = 0;
  };
  struct Made {
    std::uint64_t index;
    std::uint64_t id;
    std::int64_t count;
  };

  std::uint64_t pick(std::uint64_t first, std::uint64_t last) {
    return std::uniform_int_distribution<std::uint64_t>(first, last)(random_);
  }

  void add_communicator(std::size_t order) {
    Comm comm{.members = {}, .order = order};
    for (std::uint32_t rank = 0; rank < world_; ++rank)
      if (pick(0, 2) > 0) comm.members.push_back(rank);
    if (comm.members.empty()) comm.members.push_back(0);
    std::ranges::shuffle(comm.members, random_);
    communicators_.push_back(comm);
  }

  // Ranks choose from few counts, so that rows repeat. Some ranks lose some calls.
  void add_call(std::size_t position) {
    Comm& comm = communicators_[position];
    const std::uint32_t lead = comm.members[0];
    std::vector<std::int64_t> counts;
    std::size_t recorded = 0;
    const bool some_lost = pick(0, 4) == 0;
    const std::uint64_t lead_id = ids_[lead];
    for (const std::uint32_t rank : comm.members) {
      const auto count = static_cast<std::int64_t>(pick(1, 2));
      const std::uint64_t id = ids_[rank]++;
      if (some_lost && pick(0, 1) == 0) continue;
      made_[rank][position].push_back({comm.calls, id, count});
      counts.push_back(count);
      ++recorded;
    }
    ++comm.calls;
    if (recorded == comm.members.size()) {
      expected[{lead, lead_id}] = counts;
    } else if (recorded > 0) {
      ++incomplete;
    }
  }

  // Writes one rank's calls as runs of random lengths and steps, with the communicators in random order.
  void write(std::uint32_t rank) {
    LogBuilder& log = logs_[rank];
    std::map<std::pair<std::size_t, std::int64_t>, std::uint32_t> rows;
    for (auto& [position, made] : made_[rank]) {
      const Comm& comm = communicators_[position];
      const auto comm_rank =
          static_cast<std::uint32_t>(std::ranges::find(comm.members, rank) - comm.members.begin());
      const std::uint32_t number = log.communicator(comm_rank, comm.members, comm.order);
      std::vector<bool> written(made.size());
      for (std::size_t k = 0; k < made.size(); ++k) {
        if (written[k]) continue;
        const LogBuilder::Numbers numbers(comm.members.size(), made[k].count);
        const bool twice = pick(0, 9) == 0;  // adds the same row again under another number
        if (twice || !rows.contains({position, made[k].count}))
          rows[{position, made[k].count}] =
              log.row({.send = numbers, .recv = numbers, .wide = pick(0, 1) == 0});
        std::vector<std::size_t> run = {k};
        for (std::size_t next = k + 1; next < made.size(); ++next) {
          const Made& last = made[run.back()];
          if (written[next] || made[next].count != made[k].count) continue;
          if (run.size() > 1) {
            const Made& before = made[run[run.size() - 2]];
            if (made[next].index - last.index > last.index - before.index) break;
            if (made[next].index - last.index != last.index - before.index) continue;
            if (made[next].id - last.id != last.id - before.id) continue;
          }
          run.push_back(next);
        }
        for (const std::size_t member : run) written[member] = true;
        const bool several = run.size() > 1;
        log.calls({.communicator = number,
                   .operation = {Exchange::alltoallv},
                   .item = rows[{position, made[k].count}],
                   .index = made[k].index,
                   .count = run.size(),
                   .index_step = several ? made[run[1]].index - made[k].index : 0,
                   .id = made[k].id,
                   .id_step = several ? made[run[1]].id - made[k].id : 0});
      }
    }
  }

  std::mt19937_64 random_;
  std::uint32_t world_ = 1;
  std::vector<Comm> communicators_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::map<std::size_t, std::vector<Made>>> made_;
  std::vector<LogBuilder> logs_;
};

RandomRun::Calls calls_of(const Profile& profile) {
  RandomRun::Calls calls;
  for (const Lead& lead : profile.leads) {
    for (const Signature& signature : lead.signatures) {
      std::vector<std::int64_t> counts(signature.comm_size, -1);
      for (std::size_t row = 0; row < signature.send.matrix.rows(); ++row)
        signature.send.matrix.ranks[row].for_each(
            [&](std::uint64_t rank) { counts[rank] = signature.send.matrix.row(row)[0]; });
      signature.calls.for_each([&](std::uint64_t id) {
        EXPECT_TRUE(calls.emplace(std::pair(lead.rank, id), counts).second) << "call " << id << " twice";
      });
    }
  }
  return calls;
}

TEST(Merge, MatchesCallByCallMergeOfRandomRuns) {
  std::size_t merged = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const RandomRun run(seed);
    const MergeResult result = merge_logs(run.logs());
    EXPECT_EQ(calls_of(result.profile), run.expected) << "seed " << seed;
    EXPECT_EQ(result.profile.incomplete_calls, run.incomplete) << "seed " << seed;
    merged += run.expected.size();
  }
  EXPECT_GT(merged, 5000U);
}

// Each run has more calls than the merge processes in one step.
TEST(Merge, MergesLongRuns) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const RandomRun run(seed, 12000);
    const MergeResult result = merge_logs(run.logs());
    EXPECT_EQ(calls_of(result.profile), run.expected) << "seed " << seed;
    EXPECT_EQ(result.profile.incomplete_calls, run.incomplete) << "seed " << seed;
  }
}

// Interleaved calls with distances from one to one million. One rank lacks some of the call runs.
TEST(Merge, MergesCallRunsWithLargeIndexSteps) {
  constexpr std::uint64_t steps[] = {8, 56, 320, 5000, 72000, 90008, 1000008};
  std::vector<LogBuilder> logs = {LogBuilder(0, 2), LogBuilder(1, 2)};
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    logs[rank].communicator(rank, {0, 1});
    for (const std::int64_t count : {1, 2}) logs[rank].row({.send = {count, 1}, .recv = {1, 1}});
  }
  std::map<std::uint64_t, std::int64_t> expected;
  std::uint64_t incomplete = 0;
  const auto add = [&](std::uint64_t first, std::uint64_t step, std::uint64_t count, std::uint32_t ranks) {
    const auto item = static_cast<std::uint32_t>(step % 5 == 0);
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      logs[rank].calls({.operation = {Exchange::alltoallv},
                        .item = item,
                        .index = first,
                        .count = count,
                        .index_step = step,
                        .id_step = step});
    for (std::uint64_t k = 0; ranks == 2 && k < count; ++k) expected[first + k * step] = 1 + item;
    if (ranks == 1) incomplete += count;
  };
  // Different call numbers modulo 8 keep the runs disjoint.
  for (std::uint64_t k = 0; k < std::size(steps); ++k) add(8 * k + k, steps[k], 300, k == 3 ? 1 : 2);
  add(400'000'001, 1, 20'000, 2);
  add(400'030'000, 800'000, 10, 1);

  const MergeResult result = merge_logs({logs[0].bytes(), logs[1].bytes()});
  std::map<std::uint64_t, std::int64_t> found;
  for (const Signature& signature : result.profile.leads.at(0).signatures)
    signature.calls.for_each([&](std::uint64_t id) {
      found[id] = signature.send.matrix.row(0)[0] + (found.contains(id) ? 10 : 0);
    });
  EXPECT_EQ(found, expected);
  EXPECT_EQ(result.profile.incomplete_calls, incomplete);
}

// All calls of a count set are in one block. Blocks are sorted by first call.
TEST(Merge, KeepsCountSetsDistinctAndOrdered) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const MergeResult result = merge_logs(RandomRun(seed).logs());
    for (const Lead& lead : result.profile.leads) {
      for (std::size_t k = 0; k + 1 < lead.signatures.size(); ++k) {
        const Signature& one = lead.signatures[k];
        const Signature& next = lead.signatures[k + 1];
        EXPECT_LT(one.calls.front(), next.calls.front()) << "seed " << seed;
        EXPECT_FALSE(one.comm_size == next.comm_size && one.send == next.send && one.recv == next.recv);
      }
    }
  }
}

}  // namespace
}  // namespace plimsoll::testing
