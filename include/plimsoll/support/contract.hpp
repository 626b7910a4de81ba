#pragma once

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Place in a source file. std::source_location is missing in some compilers of C++20, such as clang 14.
struct SourceLocation {
  const char* file = "";
  unsigned line = 0;
  const char* function = "";

  /// Returns the place of the call; in a default argument, the place of the call of that function.
  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          unsigned line = __builtin_LINE(),
                                          const char* function = __builtin_FUNCTION()) {
    return {file, line, function};
  }
};

/// Reports a violated contract on stderr and aborts. Only builds with PLIMSOLL_CONTRACTS call it.
[[noreturn]] void contract_broken(const char* kind, const char* condition, const SourceLocation& place);

}  // namespace plimsoll::support

/// Contracts between a function and its caller (EXPECT: on entry, ENSURE: on exit). They document the code
/// and are checked in builds with PLIMSOLL_CONTRACTS. User errors are never contract violations: throw Error.
#ifdef PLIMSOLL_CONTRACTS
#define PLIMSOLL_CONTRACT_(kind, condition)                             \
  ((condition) ? void(0)                                                \
               : ::plimsoll::support::contract_broken(kind, #condition, \
                                                      ::plimsoll::support::SourceLocation::current()))
#else
#define PLIMSOLL_CONTRACT_(kind, condition) ((void)sizeof((condition) ? 1 : 0))
#endif
#define PLIMSOLL_EXPECT(condition) PLIMSOLL_CONTRACT_("EXPECT", condition)
#define PLIMSOLL_ENSURE(condition) PLIMSOLL_CONTRACT_("ENSURE", condition)

/// Default argument for the source location of the caller; empty (line 0) in builds without contracts, so
/// that released programs neither compute nor contain it. Both kinds of builds have the same binary
/// interface.
#ifdef PLIMSOLL_CONTRACTS
#define PLIMSOLL_CALLER ::plimsoll::support::SourceLocation::current()
#else
#define PLIMSOLL_CALLER ::plimsoll::support::SourceLocation()
#endif
