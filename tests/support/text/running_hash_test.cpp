#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>

#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

TEST(RunningHash, EqualsHashOfAllBytesForAnyParts) {
  const std::string text(1000, 'x');
  const auto bytes = std::as_bytes(std::span(text));
  for (const std::size_t part : {1U, 7U, 256U, 999U}) {
    RunningHash hash;
    for (std::size_t begin = 0; begin < bytes.size(); begin += part)
      hash.add(bytes.subspan(begin, std::min(part, bytes.size() - begin)));
    EXPECT_EQ(hash.value(), hash_bytes(text)) << part;
  }
  EXPECT_EQ(RunningHash().value(), hash_bytes(std::string()));
}

}  // namespace
}  // namespace plimsoll::support
