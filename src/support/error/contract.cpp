#include <cstdio>
#include <cstdlib>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

void contract_broken(const char* kind, const char* condition, std::source_location place) {
  std::fprintf(stderr, "%s:%u: in %s: %s(%s) does not hold (a bug in Plimsoll)\n", place.file_name(),
               place.line(), place.function_name(), kind, condition);
  std::abort();
}

}  // namespace plimsoll::support
