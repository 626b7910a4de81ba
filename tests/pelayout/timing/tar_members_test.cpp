#include "pelayout/timing/tar_members.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "common/throws_error.hpp"
#include "pelayout/timing/tar_bytes.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::tar_bytes;
using plimsoll::testing::tar_header;
using plimsoll::testing::tar_member;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

std::vector<std::pair<std::string, std::string>> members(const std::string& archive) {
  std::vector<std::pair<std::string, std::string>> found;
  for_each_tar_member(archive, "archive", [&](const std::string& name, std::string_view content) {
    found.emplace_back(name, content);
  });
  return found;
}

TEST(TarMembers, AreReadInOrder) {
  const std::string large(3000, 'x');
  EXPECT_THAT(members(tar_bytes({{"timing/a", "one"}, {"b", large}, {"c", ""}})),
              ElementsAre(Pair("timing/a", "one"), Pair("b", large), Pair("c", "")));
  EXPECT_THAT(members(tar_bytes({})), IsEmpty());
}

TEST(TarMembers, ExcludeDirectoriesAndLinks) {
  EXPECT_THAT(members(tar_header("timing/", 0, '5') + tar_header("passwords", 0, '2', "/etc/shadow") +
                      tar_header("pipe", 0, '6') + tar_bytes({{"timing/a", "one"}})),
              ElementsAre(Pair("timing/a", "one")));
}

// Paths are labels only: nothing is written.
TEST(TarMembers, KeepPathsAsPrintableLabels) {
  EXPECT_THAT(members(tar_bytes({{"../../etc/a", "1"}, {"/b", "2"}, {"\x1b[2Jc", "3"}})),
              ElementsAre(Pair("../../etc/a", "1"), Pair("/b", "2"), Pair("?[2Jc", "3")));
}

TEST(TarMembers, AreRejectedIfDamaged) {
  const std::string archive = tar_bytes({{"a", std::string(2000, 'x')}, {"b", "two"}});
  EXPECT_ERROR(members(archive.substr(0, 1500)), bad_input, "damaged archive");
  std::string changed = archive;
  changed[512 + 2048 + 3] = 'X';
  EXPECT_ERROR(members(changed), bad_input, "damaged archive");
}

TEST(TarMembers, AreLimitedInNumber) {
  std::string archive;
  for (std::size_t k = 0; k < max_members; ++k) archive += tar_header("a", 0);
  EXPECT_EQ(members(archive + std::string(1024, '\0')).size(), max_members);
  EXPECT_ERROR(members(archive + tar_header("a", 0) + std::string(1024, '\0')), bad_input,
               "more than 10000 files in the archive");
}

// A sparse file of GNU tar: one block of data at an offset of 1 GiB.
TEST(TarMembers, AreRejectedIfSparse) {
  std::string header = tar_header("large", 512, 'S');
  header.replace(257, 8, std::string("ustar  \0", 8));
  header.replace(386, 12, std::string("10000000000\0", 12));
  header.replace(398, 12, std::string("00000001000\0", 12));
  header.replace(483, 12, std::string("10000001000\0", 12));
  header.replace(148, 8, "        ");
  unsigned checksum = 0;
  for (const char byte : header) checksum += static_cast<unsigned char>(byte);
  header.replace(148, 8, fmt::format("{:06o}", checksum) + std::string("\0 ", 2));
  EXPECT_ERROR(members(header + std::string(512, 'x') + std::string(1024, '\0')), bad_input,
               "sparse file large");
}

TEST(TarMembers, AreRecognisedByMagic) {
  EXPECT_TRUE(is_tar(tar_member("a", "one")));
  EXPECT_FALSE(is_tar(tar_member("a", "one").substr(0, 200)));
  EXPECT_FALSE(is_tar(std::string(512, '\0')));
}

}  // namespace
}  // namespace plimsoll::pelayout
