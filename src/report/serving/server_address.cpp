#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

#include <array>

#include <plimsoll/report/page_server.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

bool is_loopback(const std::string& host) {
  in6_addr ipv6{};
  if (inet_pton(AF_INET6, host.c_str(), &ipv6) == 1) return IN6_IS_ADDR_LOOPBACK(&ipv6);
  in_addr ipv4{};
  if (inet_pton(AF_INET, host.c_str(), &ipv4) == 1) return ntohl(ipv4.s_addr) >> 24 == 127;
  return host == "localhost";
}

/// Returns whether the host stands for all addresses of this machine.
bool is_wildcard(const std::string& host) {
  in6_addr ipv6{};
  if (inet_pton(AF_INET6, host.c_str(), &ipv6) == 1) return IN6_IS_ADDR_UNSPECIFIED(&ipv6);
  in_addr ipv4{};
  return inet_pton(AF_INET, host.c_str(), &ipv4) == 1 && ipv4.s_addr == INADDR_ANY;
}

std::string name_of_this_machine() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

}  // namespace

bool admits_other_machines(const ServerAddress& address) {
  return !is_loopback(address.host);
}

std::string host_in_url(const ServerAddress& address) {
  if (is_wildcard(address.host)) return name_of_this_machine();
  const bool is_ipv6 = address.host.find(':') != std::string::npos;
  return is_ipv6 ? "[" + address.host + "]" : address.host;
}

}  // namespace plimsoll::report
