#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "collectives/random_profile.hpp"
#include "collectives/time_files_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using plimsoll::testing::NamedText;
using plimsoll::testing::names_of;
using plimsoll::testing::RandomProfile;
using plimsoll::testing::read_time_files;
using plimsoll::testing::text_of;
using plimsoll::testing::time_files_of;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

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
