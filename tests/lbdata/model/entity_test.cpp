#include <plimsoll/lbdata/entity.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

struct Example {
  std::uint64_t id;
  Identifier identifier;
};

// IDs from vt's example files and documentation.
const Example examples[] = {
    {262147, {IdentifierKind::migratable_element, 0, 1}},
    {524291, {IdentifierKind::migratable_element, 0, 2}},
    {3407875, {IdentifierKind::migratable_element, 0, 13}},
    {3145731, {IdentifierKind::migratable_element, 0, 12}},
    {1, {IdentifierKind::bare_handler, 0}},
    {5, {IdentifierKind::bare_handler, 1}},
    {9, {IdentifierKind::bare_handler, 2}},
    {13, {IdentifierKind::bare_handler, 3}},
    {3145740, {IdentifierKind::object_group, 0, 3, true}},
    {4194316, {IdentifierKind::object_group, 0, 4, true}},
    {5242892, {IdentifierKind::object_group, 0, 5, true}},
    {8388620, {IdentifierKind::object_group, 0, 8, true}},
};

TEST(Identifier, EncodesAndDecodesPublishedIds) {
  for (const Example& example : examples) {
    EXPECT_EQ(encode(example.identifier), example.id);
    EXPECT_EQ(decode_identifier(example.id), example.identifier) << example.id;
  }
}

TEST(Identifier, UsesAllBits) {
  const Identifier element = {IdentifierKind::fixed_element, 65535, (std::uint64_t{1} << 46) - 1};
  EXPECT_EQ(encode(element), 0xFFFFFFFFFFFFFFFEULL);
  EXPECT_EQ(decode_identifier(0xFFFFFFFFFFFFFFFEULL), element);
  const Identifier group = {IdentifierKind::object_group, 65535, 0xFFFFFFFFULL, false};
  EXPECT_EQ(decode_identifier(encode(group)), group);
  EXPECT_EQ(encode({IdentifierKind::migratable_element, 5, 1}), 262147U + 4 * 5);
}

TEST(Identifier, RejectsNumbersThatDoNotFit) {
  EXPECT_ERROR(encode({IdentifierKind::bare_handler, 65536}), usage, "rank 65536 exceeds the 16 bits");
  EXPECT_ERROR(encode({IdentifierKind::fixed_element, 0, std::uint64_t{1} << 46}), usage, "the 46 bits");
  EXPECT_ERROR(encode({IdentifierKind::object_group, 0, std::uint64_t{1} << 32}), usage, "the 32 bits");
}

TEST(Identifier, RejectsNumbersThatAreNotIds) {
  EXPECT_EQ(decode_identifier(0), std::nullopt);
  EXPECT_EQ(decode_identifier(7), std::nullopt);              // an element without a sequence number
  EXPECT_EQ(decode_identifier(8), std::nullopt);              // an object group without its flag
  EXPECT_EQ(decode_identifier(1 + (1 << 18)), std::nullopt);  // a bare handler with a sequence number
  EXPECT_EQ(decode_identifier(std::uint64_t{1} << 63 | 4), std::nullopt);
}

TEST(Identifier, ComputesProxyOfObjectGroup) {
  EXPECT_EQ(object_group_proxy({IdentifierKind::object_group, 7, 3, true}), 786435U);
  EXPECT_EQ(object_group_proxy({IdentifierKind::object_group, 0, 5, true}), 1310723U);
  EXPECT_ERROR(object_group_proxy({IdentifierKind::bare_handler, 0}), usage, "only object groups");
}

}  // namespace
}  // namespace plimsoll::lbdata
