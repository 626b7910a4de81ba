#include <gtest/gtest.h>
#include <unistd.h>

#include <plimsoll/report/page_server.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {
namespace {

TEST(ServerAddress, AdmitsOtherMachinesUnlessItIsLoopback) {
  for (const char* host : {"127.0.0.1", "127.5.0.1", "::1", "localhost"})
    EXPECT_FALSE(admits_other_machines({.host = host})) << host;
  for (const char* host : {"0.0.0.0", "::", "192.0.2.1", "2001:db8::1", "node1"})
    EXPECT_TRUE(admits_other_machines({.host = host})) << host;
}

TEST(ServerAddress, IsShownAsBrowsersAcceptIt) {
  EXPECT_EQ(host_in_url({.host = "192.0.2.1"}), "192.0.2.1");
  EXPECT_EQ(host_in_url({.host = "2001:db8::1"}), "[2001:db8::1]");
  char name[256] = {};
  ASSERT_EQ(::gethostname(name, sizeof name - 1), 0);
  for (const char* host : {"0.0.0.0", "::", "0:0:0:0:0:0:0:0"})
    EXPECT_EQ(host_in_url({.host = host}), name) << host;
}

}  // namespace
}  // namespace plimsoll::report
