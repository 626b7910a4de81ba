#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

#include <plimsoll/support/format.hpp>

namespace plimsoll::support {
namespace {

TEST(Format, bytes) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(format_bytes(std::uint64_t{4} << 30), "4.0 GiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::uint64_t>::max()), "16.0 EiB");
}

TEST(Format, seconds) {
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(1.2345e-8), "12.3 ns");
  EXPECT_EQ(format_seconds(1.2345e-5), "12.3 µs");
  EXPECT_EQ(format_seconds(0.0123456), "12.3 ms");
  EXPECT_EQ(format_seconds(0.9996), "1.00 s");
  EXPECT_EQ(format_seconds(1.5), "1.50 s");
  EXPECT_EQ(format_seconds(59.97), "1 min 0 s");
  EXPECT_EQ(format_seconds(125), "2 min 5 s");
  EXPECT_EQ(format_seconds(12000), "3 h 20 min");
  EXPECT_EQ(format_seconds(7199.9), "2 h 0 min");
  EXPECT_EQ(format_seconds(-1), "-1.00 s");
  EXPECT_EQ(format_seconds(std::numeric_limits<double>::infinity()), "inf s");
  EXPECT_EQ(format_seconds(1e300), "1.00e+300 s");
}

TEST(Format, counts_and_percentages) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_percentage(0.1234), "12.3 %");
  EXPECT_EQ(format_percentage(3), "300.0 %");
}

}  // namespace
}  // namespace plimsoll::support
