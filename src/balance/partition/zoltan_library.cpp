#include <plimsoll/balance/internal/used_libraries.hpp>

#ifdef PLIMSOLL_ZOLTAN_LIBRARY
#include <plimsoll/support/internal/loaded_library.hpp>
#endif

namespace plimsoll::PLIMSOLL_ABI::balance {

support::UsedLibrary zoltan_library() {
#ifdef PLIMSOLL_ZOLTAN_LIBRARY
  // Zoltan reports its version only to programs that have initialised MPI.
  return support::try_library("Zoltan", [](support::UsedLibrary&) {
    support::LoadedLibrary library(PLIMSOLL_ZOLTAN_LIBRARY, support::SymbolChoice::of_program);
    static_cast<void>(library.function("Zoltan_Create"));
    library.expect_usable("Zoltan", "");
  });
#else
  return {.name = "Zoltan", .is_built_in = false};
#endif
}

}  // namespace plimsoll::balance
