#pragma once

#include <cstdint>

#include <plimsoll/support/version.hpp>

#include "interpose/wrappers/wrapped_calls.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

#define PLIMSOLL_ENUMERATOR(Name, ...) Name,
#if MPI_VERSION >= 4
#define PLIMSOLL_ENUMERATORS(Name, ...) Name, Name##_c,
#else
#define PLIMSOLL_ENUMERATORS PLIMSOLL_ENUMERATOR
#endif

/// Recorded functions, named as in C without "MPI_". The end of recording is itself a call, which waits for
/// the last rank (finish_sums()).
enum class Function : std::uint32_t {
  PLIMSOLL_RECORDED_CALLS(PLIMSOLL_ENUMERATOR, PLIMSOLL_ENUMERATORS, PLIMSOLL_ENUMERATOR) Finalize
};

#undef PLIMSOLL_ENUMERATOR
#undef PLIMSOLL_ENUMERATORS

#define PLIMSOLL_NAME(Name, ...) "MPI_" #Name,
#if MPI_VERSION >= 4
#define PLIMSOLL_NAMES(Name, ...) "MPI_" #Name, "MPI_" #Name "_c",
#else
#define PLIMSOLL_NAMES PLIMSOLL_NAME
#endif

/// C names of the recorded functions, by Function.
inline constexpr const char* function_names[] = {
    PLIMSOLL_RECORDED_CALLS(PLIMSOLL_NAME, PLIMSOLL_NAMES, PLIMSOLL_NAME) "MPI_Finalize"};

#undef PLIMSOLL_NAME
#undef PLIMSOLL_NAMES

}  // namespace plimsoll::interpose
