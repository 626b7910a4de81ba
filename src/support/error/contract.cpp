#include <cstdio>
#include <cstdlib>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

void contract_broken(const char* kind, const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: %s(%s) does not hold (a bug in Plimsoll)\n", file, line, kind, condition);
  std::abort();
}

}  // namespace plimsoll::support
