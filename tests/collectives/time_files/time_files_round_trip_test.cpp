#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "collectives/time_files_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using plimsoll::testing::NamedText;
using plimsoll::testing::names_of;
using plimsoll::testing::read_time_files;
using plimsoll::testing::text_of;
using plimsoll::testing::time_files_of;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

/// Random profiles with all kinds of data that time files contain.
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

TEST(TimeFilesRoundTrip, ReadsAndRewritesWrittenFiles) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Profile profile = RandomProfile(seed).make();
    const std::vector<NamedText> files = time_files_of(profile);
    const auto names = names_of(files);
    ASSERT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size()) << "seed " << seed;

    std::vector<NamedText> shuffled = files;
    std::ranges::shuffle(shuffled, std::mt19937(seed));
    Profile read;
    ASSERT_THAT(read_time_files(shuffled, read), IsEmpty()) << "seed " << seed;
    const std::vector<NamedText> again = time_files_of(read);
    EXPECT_THAT(names_of(again), ::testing::UnorderedElementsAreArray(names)) << "seed " << seed;
    for (const NamedText& file : files) EXPECT_EQ(text_of(again, file.name), file.text) << "seed " << seed;
  }
}

TEST(TimeFilesRoundTrip, KeepsEveryNanosecond) {
  Profile profile;
  RankValues values{{}, 0, 1, {}, {}};
  std::mt19937_64 random(1);
  for (std::uint64_t call = 0; call < 10000; ++call) {
    values.calls.push_back(call);
    values.values.push_back(static_cast<double>(random() >> (11 + call % 53)) / 1e9);
  }
  lead_of(profile, 0, 0).execution_s = {values};
  Profile read;
  read_time_files(time_files_of(profile), read);
  EXPECT_THAT(read.leads.at(0).execution_s.at(0).values, ElementsAreArray(values.values));
}

/// Expects a consistent profile that is not larger than the files it was read from.
void expect_sound(const Profile& profile, std::size_t text_size) {
  for (const Lead& lead : profile.leads) {
    for (const auto* all : {&lead.execution_s, &lead.late_arrival_s, &lead.begin_s})
      for (const RankValues& values : *all) {
        EXPECT_EQ(values.values.size(), values.calls.size() * values.comm_size);
        EXPECT_TRUE(std::ranges::is_sorted(values.calls));
      }
    for (const RankHashes& hashes : lead.hashes)
      EXPECT_EQ(hashes.values.size(), hashes.calls.size() * hashes.comm_size);
    for (const Communicator& communicator : lead.communicators) {
      EXPECT_LE(communicator.pids.size(), text_size);
      EXPECT_TRUE(communicator.hosts.empty() || communicator.hosts.size() == communicator.members.size());
      EXPECT_TRUE(communicator.pids.empty() || communicator.pids.size() == communicator.members.size());
    }
  }
}

TEST(TimeFilesRoundTrip, ReadsPartOfDataFromEveryPrefix) {
  for (const NamedText& file : time_files_of(RandomProfile(3).make())) {
    Profile whole;
    read_time_files({file}, whole);
    for (std::size_t size = 0; size < file.text.size(); ++size) {
      Profile part;
      read_time_files({{file.name, file.text.substr(0, size)}}, part);
      expect_sound(part, file.text.size());
      for (auto values : {&Lead::execution_s, &Lead::late_arrival_s, &Lead::begin_s}) {
        if (part.leads.empty() || (part.leads[0].*values).empty()) continue;
        const RankValues& some = (part.leads[0].*values)[0];
        const RankValues& all = (whole.leads.at(0).*values).at(0);
        ASSERT_EQ(some.comm_size, all.comm_size) << file.name << " truncated at " << size;
        ASSERT_LE(some.values.size(), all.values.size());
        EXPECT_TRUE(std::ranges::equal(some.values, std::span(all.values).first(some.values.size())));
      }
    }
  }
}

TEST(TimeFilesRoundTrip, ReadsValidProfileDespiteChangedBytes) {
  std::mt19937 random(4);
  constexpr std::string_view letters = "0123456789-,.: #\n\t\rRC\"{}[]\\\0\xff";
  for (const NamedText& file : time_files_of(RandomProfile(5).make())) {
    for (int k = 0; k < 2000; ++k) {
      NamedText changed = file;
      for (int change = 0; change < 3; ++change)
        changed.text[random() % changed.text.size()] = letters[random() % letters.size()];
      Profile profile;
      read_time_files({changed}, profile);
      expect_sound(profile, file.text.size());
      time_files_of(profile);
    }
  }
}

}  // namespace
}  // namespace plimsoll::collectives
