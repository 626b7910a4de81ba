#pragma once

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::testing {

using namespace collectives;

/// Random profiles with all kinds of data that time files contain, but without count sets.
class RandomProfile {
 public:
  explicit RandomProfile(unsigned seed) : random_(seed) {}

  Profile make() {
    Profile profile;
    profile.world_size = 64;
    if (below(2) == 0) profile.cut_short = numbers(64);
    profile.incomplete_calls = below(3);
    if (below(2) == 0) profile.clock_error_s = 1e-9 * static_cast<double>(below(100000));
    const std::uint64_t jobs = 1 + below(2);
    for (std::uint64_t job = 0; job < jobs; ++job)
      for (std::uint64_t k = 1 + below(3); k > 0; --k)
        lead_of(profile, 10 + job, static_cast<std::uint32_t>(below(64)));
    for (Lead& lead : profile.leads) fill(lead);
    return profile;
  }

 private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  Operation operation() { return Operation::at(below(Operation::count)); }

  /// Returns one or more random ascending numbers.
  NumberList numbers(std::uint64_t end) {
    std::set<std::uint64_t> chosen{below(end)};
    for (std::uint64_t k = below(8); k > 0; --k) chosen.insert(below(end));
    NumberList list;
    for (const std::uint64_t number : chosen) list.push_back(number);
    return list;
  }

  void fill(Lead& lead) {
    std::uint32_t id = 0;
    for (std::uint64_t k = 1 + below(3); k > 0; --k) {
      id += static_cast<std::uint32_t>(1 + below(3));
      add_communicator(lead, id);
    }
    for (std::uint64_t k = below(4); k > 0; --k) add_backtrace(lead);
    std::ranges::sort(lead.backtraces, {}, [](const Backtrace& trace) {
      return std::pair(trace.operation.index(), trace.contexts.at(0).calls.min());
    });
    lead.total_calls[operation().index()] = below(1000);
  }

  void add_communicator(Lead& lead, std::uint32_t id) {
    Communicator communicator;
    communicator.id = id;
    for (std::uint64_t rank = 1 + below(6); rank > 0; --rank) communicator.members.push_back(below(64));
    if (below(4) == 0) communicator.remote_members = numbers(64);
    if (below(2) == 0) {
      for (std::uint64_t rank = 0; rank < communicator.members.size(); ++rank) {
        communicator.hosts.push_back("host" + std::to_string(below(3)));
        communicator.pids.push_back(below(100000));
      }
    }
    const Operation used = operation();
    communicator.calls = {{used, numbers(1000)}};
    for (auto values : {&Lead::execution_s, &Lead::late_arrival_s, &Lead::begin_s})
      if (below(2) == 0) (lead.*values).push_back(values_of(used, communicator));
    if (below(2) == 0) lead.hashes.push_back(hashes_of(used, communicator));
    lead.communicators.push_back(std::move(communicator));
  }

  RankHashes hashes_of(Operation used, const Communicator& communicator) {
    RankHashes hashes{used, communicator.id, static_cast<std::uint32_t>(communicator.members.size()), {}, {}};
    numbers(1000).for_each([&](std::uint64_t call) {
      hashes.calls.push_back(call);
      for (std::uint32_t rank = 0; rank < hashes.comm_size; ++rank)
        hashes.values.push_back({random_() >> below(64), below(2) * random_()});
    });
    return hashes;
  }

  RankValues values_of(Operation used, const Communicator& communicator) {
    RankValues values{used, communicator.id, static_cast<std::uint32_t>(communicator.members.size()), {}, {}};
    numbers(1000).for_each([&](std::uint64_t call) {
      values.calls.push_back(call);
      for (std::uint32_t rank = 0; rank < values.comm_size; ++rank)
        values.values.push_back(static_cast<double>(random_() % 10'000'000'000'000) / 1e9);
    });
    return values;
  }

  void add_backtrace(Lead& lead) {
    const Communicator& communicator = lead.communicators[below(lead.communicators.size())];
    Backtrace trace{communicator.calls[0].operation,
                    "/bin/app " + std::to_string(below(9)),
                    below(100000),
                    {"f [0x1]", "g [0x2]"},
                    {}};
    // No two first calls are equal, so they determine the order of the files.
    const std::uint64_t first = 100 * lead.backtraces.size();
    NumberList calls;
    numbers(50).for_each([&](std::uint64_t call) { calls.push_back(first + call); });
    trace.contexts = {{communicator.id, 0, lead.rank, calls}};
    lead.backtraces.push_back(std::move(trace));
  }

  std::mt19937_64 random_;
};

}  // namespace plimsoll::testing
