#pragma once

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Reports a violated contract on stderr and aborts. Only builds with PLIMSOLL_CONTRACTS call it.
[[noreturn]] void contract_broken(const char* kind, const char* condition, const char* file, int line);

}  // namespace plimsoll::support

/// Contracts between a function and its caller (EXPECT: on entry, ENSURE: on exit). They document the code
/// and are checked in builds with PLIMSOLL_CONTRACTS. User errors are never contract violations: throw Error.
#ifdef PLIMSOLL_CONTRACTS
#define PLIMSOLL_CONTRACT_(kind, condition) \
  ((condition) ? void(0) : ::plimsoll::support::contract_broken(kind, #condition, __FILE__, __LINE__))
#else
#define PLIMSOLL_CONTRACT_(kind, condition) ((void)sizeof((condition) ? 1 : 0))
#endif
#define PLIMSOLL_EXPECT(condition) PLIMSOLL_CONTRACT_("EXPECT", condition)
#define PLIMSOLL_ENSURE(condition) PLIMSOLL_CONTRACT_("ENSURE", condition)
