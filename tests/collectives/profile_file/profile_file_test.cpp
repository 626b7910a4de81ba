#include "collectives/profile_file/profile_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include <plimsoll/collectives/files.hpp>

#include "collectives/profile_file/fields.hpp"
#include "collectives/profile_text.hpp"
#include "collectives/random_profile.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using plimsoll::testing::numbers;
using plimsoll::testing::RandomProfile;
using plimsoll::testing::RandomSignatures;
using plimsoll::testing::signature_of;
using plimsoll::testing::TemporaryFolder;
using plimsoll::testing::text_of_all;

constexpr std::uint64_t enough_numbers = 1 << 20;

std::string profile_file_of(const Profile& profile, const ProfileFileHead& head = {}) {
  std::string bytes;
  write_profile_file(profile, head, true, [&](std::string_view part) { bytes += part; });
  return bytes;
}

Profile read_bytes(std::string_view bytes, std::uint64_t max_numbers = enough_numbers) {
  Budget budget(max_numbers);
  const auto source = [bytes](char* buffer, std::size_t size, std::uint64_t position) {
    return bytes.substr(position).copy(buffer, size);
  };
  ProfileFileReader reader("x.profile", bytes.size(), source, budget);
  Profile profile;
  reader.read(profile);
  return profile;
}

/// Returns the profile that is read from its text files alone.
Profile read_texts(const Profile& profile) {
  const TemporaryFolder folder;
  write(profile, folder.path());
  for (const auto& file : std::filesystem::directory_iterator(folder.path()))
    if (file.path().extension() == ".profile") std::filesystem::remove(file.path());
  ReadResult read = collectives::read({folder.path()});
  EXPECT_TRUE(read.findings.empty()) << to_string(read.findings.front());
  return std::move(read.profile);
}

/// Returns the profile that is read from profile files alone.
Profile read_profile_files(const Profile& profile) {
  const TemporaryFolder folder;
  write(profile, folder.path(), {.text = false});
  ReadResult read = collectives::read({folder.path()});
  EXPECT_TRUE(read.findings.empty()) << to_string(read.findings.front());
  return std::move(read.profile);
}

/// Returns a profile of one lead.
Profile profile_of_sets(std::vector<Signature> signatures) {
  Profile profile;
  lead_of(profile, 0, 0).signatures = std::move(signatures);
  return profile;
}

// --- Equality with text files ---

TEST(ProfileFile, EqualsTextFiles) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Profile profile = RandomProfile(seed).make();
    for (Lead& lead : profile.leads) {
      RandomSignatures random(seed + lead.rank);
      lead.signatures = random.make();
      lead.displacements = random.make();
      for (Signature& signature : lead.signatures)
        if (seed % 3 == 0) signature.recv.type_sizes.assign(signature.comm_size, seed);
    }
    profile.runs = {"00c4d6e1b2a39f58"};
    profile.failed_calls = {{alltoallv, seed, numbers({3, 4})}};
    profile.hosts = {{"node" + std::to_string(seed), NumberList::up_to(32)}, {"b\xff\n", numbers({40})}};
    EXPECT_EQ(text_of_all(read_profile_files(profile)), text_of_all(read_texts(profile))) << seed;
  }
}

TEST(ProfileFile, RoundsTimesLikeText) {
  Profile profile;
  const std::vector<double> times = {0,
                                     -0.0,
                                     1e-10,
                                     -1e-10,
                                     0.5e-9,
                                     1.5e-9,
                                     1.0 / 3,
                                     1e5 / 7,
                                     4194303.9999999995,
                                     123456789.123456789,
                                     1e300,
                                     -2.5,
                                     9007199254740993.0};
  for (std::uint32_t k = 0; k < times.size(); ++k)
    lead_of(profile, 0, 0).execution_s.push_back({alltoallv, k, 1, {4}, {times[k]}});
  lead_of(profile, 0, 0).late_arrival_s.push_back({alltoallv, 0, 1, numbers({}).numbers(), {}});
  EXPECT_EQ(text_of_all(read_profile_files(profile)), text_of_all(read_texts(profile)));
}

TEST(ProfileFile, OmitsDataThatTextFilesOmit) {
  Profile profile;
  Lead& lead = lead_of(profile, 0, 0);
  lead.communicators = {communicator(0, "0-1", "3"), communicator(1, "0-1"), communicator(2, "0-1", "4")};
  for (Communicator& one : lead.communicators) {
    one.hosts = {"a\tb ", "c"};
    one.pids = {5, 6};
  }
  lead.communicators[2].hosts[0] = "";
  lead.backtraces = {{.operation = alltoallv,
                      .program = " /bin/app\n",
                      .frames = {" main \x01 "},
                      .contexts = {{.calls = numbers({7})}}}};
  Signature gathered = signature_of(allgatherv, {{0}}, {{-8, 0, 16}}, numbers({3}));
  gathered.comm_size = 3;
  gathered.send.matrix = {};
  gathered.send.type_sizes = {1, 2, 3};
  gathered.recv.matrix.ranks = {NumberList::up_to(3)};
  lead.displacements = {gathered};
  const TemporaryFolder texts;
  write(profile, texts.path());
  std::filesystem::remove(texts / "collectives.job0.profile");
  EXPECT_EQ(text_of_all(read_profile_files(profile)), text_of_all(collectives::read({texts.path()}).profile));
}

TEST(ProfileFile, ReadsCountsThatEqualTheSendersCounts) {
  const Counts send = {{1, 2, 3}, {4, 5, 6}, {1, 2, 3}};
  const Profile symmetric = profile_of_sets({sending(send, "0-3")});
  Profile other = symmetric;
  other.leads[0].signatures[0].recv.matrix.counts[1] += 1;
  for (const Profile& profile : {symmetric, other})
    EXPECT_EQ(text_of_all(read_bytes(profile_file_of(profile))), text_of_all(profile));
  // Three columns of three distinct rows take a group of numbers: two bytes, and three bits per number.
  EXPECT_EQ(profile_file_of(other).size(), profile_file_of(symmetric).size() + 2 + (9 * 3 + 7) / 8);
}

TEST(ProfileFile, TakesFewBytesForRegularCalls) {
  NumberList every_third;
  every_third.append(numbers({0}), 1'000'000, 3);
  Signature signature = sending(uniform(4, 7), "0");
  signature.calls = every_third;
  const std::string bytes = profile_file_of(profile_of_sets({signature}));
  EXPECT_LT(bytes.size(), 200u);
  EXPECT_EQ(read_bytes(bytes, 2'000'000).leads[0].signatures[0].calls, every_third);
}

// --- Damaged files ---

std::string example_file() {
  Profile profile = RandomProfile(3).make();
  profile.leads.resize(1);
  profile.leads[0].signatures = {sending({{1, 2}, {3, 4}}, "0, 2-5")};
  return profile_file_of(profile, {.job = profile.leads[0].job, .text_files = {{"a.txt", 5, 7, 9}}});
}

TEST(ProfileFile, RejectsEveryChangedBit) {
  const std::string bytes = example_file();
  ASSERT_NO_THROW(read_bytes(bytes));
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    EXPECT_ERROR(read_bytes(changed), bad_input, "x.profile (byte ");
  }
}

TEST(ProfileFile, RejectsEveryTruncation) {
  const std::string bytes = example_file();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_ERROR(read_bytes(std::string_view(bytes).substr(0, size)), bad_input,
                 "x.profile (byte " + std::to_string(size) + "): the file ends within");
  EXPECT_ERROR(read_bytes(bytes + '\0'), bad_input, "unexpected bytes after the last block");
}

TEST(ProfileFile, RejectsOtherVersions) {
  std::string bytes = example_file();
  bytes[7] = '2';
  EXPECT_ERROR(read_bytes(bytes), bad_input, "unknown format version: expected 1");
}

TEST(ProfileFile, DetectsTruncationBetweenBlocks) {
  Profile profile;
  std::vector<double>& values =
      lead_of(profile, 0, 0).execution_s.emplace_back(RankValues{alltoallv, 0, 40'000, {1}, {}}).values;
  for (int k = 0; k < 40'000; ++k) values.push_back(k % 2 * 1e6);
  profile.leads[0].communicators = {Communicator{.id = 0}};
  const std::string bytes = profile_file_of(profile);
  constexpr std::size_t first_blocks = 8 + 4 + max_block_bytes + 8;
  ASSERT_GT(bytes.size(), first_blocks);
  EXPECT_TRUE(text_of_all(read_bytes(bytes)) == text_of_all(profile));
  EXPECT_ERROR(read_bytes(std::string_view(bytes).substr(0, first_blocks)), bad_input,
               "(byte 65556): the file ends within the head of a block");
}

// --- Malicious files, whose checksums are valid ---

/// Returns a file with the head of a profile and one lead, up to its count sets, which `write` adds.
std::string file_with(const std::function<void(FieldWriter&)>& write) {
  std::string bytes;
  CheckedWriter output([&](std::string_view part) { bytes += part; });
  FieldWriter fields(output);
  // Job, text files, world size, runs, cut short, incomplete, clock, failed, hosts, leads, rank of the lead.
  for (const std::uint64_t number : {0, 0, 4, 0, 0, 0, 0, 0, 0, 1, 0}) fields.number(number);
  write(fields);
  output.finish();
  return bytes;
}

/// Writes a count set of Alltoallv with one call, up to the shapes of its matrices.
void begin_signature(FieldWriter& fields, std::uint32_t ranks) {
  fields.number(1);
  fields.number(alltoallv.index());
  fields.number(ranks);
  fields.list(numbers({0}));
  for (int side = 0; side < 2; ++side) {
    fields.number(8);
    fields.number(0);
  }
}

TEST(ProfileFile, LimitsMemoryOfMaliciousFiles) {
  constexpr std::uint32_t many = 1 << 30;
  const auto each_rank = [](FieldWriter& fields) {
    begin_signature(fields, many);
    fields.number(many);
    fields.number(0);
  };
  EXPECT_ERROR(read_bytes(file_with(each_rank)), bad_input, "rows of 1073741824 ranks do not fit");
  const auto one_row = [](FieldWriter& fields) {
    begin_signature(fields, many);
    fields.number(many);
    fields.number(1);
    fields.list(NumberList::up_to(many));
  };
  EXPECT_ERROR(read_bytes(file_with(one_row), UINT64_MAX), bad_input, "1073741824 numbers do not fit");
  EXPECT_ERROR(read_bytes(file_with(one_row)), bad_input, "invalid length of a list 1073741824");
  const auto many_calls = [](FieldWriter& fields) {
    fields.number(1);
    fields.number(alltoallv.index());
    fields.number(2);
    fields.list(NumberList::up_to(enough_numbers));
    fields.number(0);
  };
  EXPECT_NO_THROW(read_bytes(file_with([](FieldWriter& fields) {
    for (int k = 0; k < 7; ++k) fields.number(0);
    fields.number(0);
    fields.numbers(std::vector<std::uint64_t>(Operation::count));
  })));
  EXPECT_ERROR(read_bytes(file_with(many_calls), enough_numbers - 1), bad_input, "invalid length of a list");
  const auto long_text = [](FieldWriter& fields) {
    fields.number(0);
    fields.number(0);
    fields.number(1);
    for (int k = 0; k < 3; ++k) fields.number(0);
    fields.number(1);
    fields.number(1);
    fields.number(UINT64_MAX);
  };
  EXPECT_ERROR(read_bytes(file_with(long_text)), bad_input, "invalid size of a text");
}

TEST(ProfileFile, RejectsContradictoryContent) {
  const auto with_rows = [](const std::vector<NumberList>& rows) {
    return file_with([&](FieldWriter& fields) {
      begin_signature(fields, 4);
      fields.number(4);
      fields.number(rows.size());
      for (const NumberList& row : rows) fields.list(row);
    });
  };
  EXPECT_ERROR(read_bytes(with_rows({numbers({0, 1}), numbers({2})})), bad_input, "each of 4 ranks once");
  EXPECT_ERROR(read_bytes(with_rows({numbers({0, 1}), numbers({1, 2})})), bad_input, "each of 4 ranks once");
  EXPECT_ERROR(read_bytes(with_rows({numbers({1, 2, 3}), numbers({0})})), bad_input, "not sorted");
  EXPECT_ERROR(read_bytes(with_rows({numbers({0, 4}), numbers({1, 2})})), bad_input, "up to 3");
  const auto negative = [](FieldWriter& fields) {
    begin_signature(fields, 1);
    fields.number(1);
    fields.number(0);
    fields.numbers(std::vector<std::int64_t>{-1});
  };
  EXPECT_ERROR(read_bytes(file_with(negative)), bad_input, "negative count");
}

}  // namespace
}  // namespace plimsoll::collectives
