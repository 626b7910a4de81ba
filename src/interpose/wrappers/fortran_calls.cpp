// Wrappers for the Fortran names of the recorded functions. Those of Open MPI do not call the C names, so
// that their wrappers record the calls; its mpi_f08 calls other Fortran names. In MPICH, procedures of
// mpi_f08 without buffers do not call the C names; all others do, and the wrappers of the C names record
// them.
#include <mpi.h>

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "interpose/rules/collective_rules.hpp"
#include "interpose/rules/request_rules.hpp"
#include "interpose/wrappers/fortran_arguments.hpp"
#include "interpose/wrappers/record_call.hpp"
#include "interpose/wrappers/wrapped_calls.hpp"
#include "interpose/wrappers/wrappers.hpp"

using namespace plimsoll::interpose;

namespace {

/// Records a call with the addresses of the arguments of C and of the error code, and the lengths of texts.
template <Function function, class Rule, class CFunction, class Next, std::size_t count, class... Lengths>
void record(const void* return_address, Next next, std::array<void*, count> arguments, Lengths... lengths) {
  void*& status = arguments[count - 2];
  MPI_Status own_status = {};
  if (std::is_base_of_v<rules::ReadsStatus, Rule> && is_fortran_status_ignore(status)) status = &own_status;
  static thread_local std::vector<MPI_Status> own_statuses;
  if constexpr (std::is_base_of_v<rules::Completion, Rule>)
    if (needs_statuses() && (is_fortran_status_ignore(status) || is_fortran_statuses_ignore(status))) {
      FortranArguments<CFunction>{arguments.data()}(
          [&](const auto&... own) { own_statuses.resize(static_cast<std::size_t>(Rule::count(own...))); });
      status = own_statuses.data();
    }
  around_call<function, Rule>(
      calling_address(return_address),
      [&] {
        std::apply([&](auto*... addresses) { next(addresses..., lengths...); }, arguments);
        return code_in(static_cast<MPI_Fint*>(arguments.back()));
      },
      FortranArguments<CFunction>{arguments.data()});
}

template <class Rule, class CFunction, class Next, class... Addresses>
void remember(Next next, Addresses... addresses) {
  std::array<void*, sizeof...(Addresses)> arguments = {addresses...};
  around_persistent_init<Rule>(
      [&] {
        next(addresses...);
        return code_in(static_cast<MPI_Fint*>(arguments.back()));
      },
      FortranArguments<CFunction>{arguments.data()});
}

}  // namespace

#define PARAMETERS(ARITY, TEXTS) (PLIMSOLL_ADDRESSES(ARITY), void* ierror LENGTH_PARAMETERS_##TEXTS)
#define LENGTH_PARAMETERS_0
#define LENGTH_PARAMETERS_1 , std::size_t length0
#define LENGTH_PARAMETERS_2 LENGTH_PARAMETERS_1, std::size_t length1
#define ARGUMENTS(ARITY) PLIMSOLL_ARGUMENTS(ARITY), ierror
#define LENGTHS_0
#define LENGTHS_1 , length0
#define LENGTHS_2 LENGTHS_1, length1

#define RECORD(FORTRAN_NAME, Name, ARITY, Rule, TEXTS)                                    \
  PLIMSOLL_FORTRAN FORTRAN_NAME PARAMETERS(ARITY, TEXTS) {                                \
    PLIMSOLL_NEXT_FORTRAN(FORTRAN_NAME);                                                  \
    record<Function::Name, rules::Rule, decltype(PMPI_##Name)>(                           \
        __builtin_return_address(0), next, std::array{ARGUMENTS(ARITY)} LENGTHS_##TEXTS); \
  }
#define REMEMBER(FORTRAN_NAME, C_NAME, ARITY, Rule)                     \
  PLIMSOLL_FORTRAN FORTRAN_NAME PARAMETERS(ARITY, 0) {                  \
    PLIMSOLL_NEXT_FORTRAN(FORTRAN_NAME);                                \
    remember<rules::Rule, decltype(P##C_NAME)>(next, ARGUMENTS(ARITY)); \
  }
// Passes the address of the call to the wrapper of the name that the procedure calls.
#define PASS_ADDRESS(FORTRAN_NAME, ARITY, TEXTS)             \
  PLIMSOLL_FORTRAN FORTRAN_NAME PARAMETERS(ARITY, TEXTS) {   \
    PLIMSOLL_NEXT_FORTRAN(FORTRAN_NAME);                     \
    const FortranCaller caller(__builtin_return_address(0)); \
    next(ARGUMENTS(ARITY) LENGTHS_##TEXTS);                  \
  }

#if defined(OPEN_MPI)
#define WRAPPERS_WITH_TEXT(Name, name, NAME, ARITY, Rule, TEXTS)                 \
  PLIMSOLL_FORTRAN_NAMES(RECORD, mpi, MPI, name, NAME, Name, ARITY, Rule, TEXTS) \
  PASS_ADDRESS(mpi_##name##_f08_, ARITY, TEXTS)
#define PERSISTENT_WRAPPERS(Name, name, NAME, ARITY, Rule) \
  PLIMSOLL_FORTRAN_NAMES(REMEMBER, mpi, MPI, name, NAME, MPI_##Name, ARITY, Rule)
#define EXTENSION_WRAPPERS(Name, name, NAME, ARITY, Rule) \
  PLIMSOLL_FORTRAN_NAMES(REMEMBER, mpix, MPIX, name, NAME, MPIX_##Name, ARITY, Rule)
#elif defined(MPICH_VERSION)
#define WRAPPERS_WITH_TEXT(Name, name, NAME, ARITY, Rule, TEXTS) \
  PASS_ADDRESS(mpi_##name, ARITY, TEXTS)                         \
  PASS_ADDRESS(mpi_##name##_, ARITY, TEXTS)                      \
  PASS_ADDRESS(mpi_##name##__, ARITY, TEXTS)                     \
  PASS_ADDRESS(MPI_##NAME, ARITY, TEXTS)                         \
  PASS_ADDRESS(mpi_##name##_f08ts_, ARITY, TEXTS)                \
  RECORD(mpi_##name##_f08_, Name, ARITY, Rule, TEXTS)
#define PERSISTENT_WRAPPERS(...)
#else
#define WRAPPERS_WITH_TEXT(...)
#define PERSISTENT_WRAPPERS(...)
#endif
#define WRAPPERS(Name, name, NAME, ARITY, Rule) WRAPPERS_WITH_TEXT(Name, name, NAME, ARITY, Rule, 0)

PLIMSOLL_RECORDED_CALLS(WRAPPERS, WRAPPERS, WRAPPERS_WITH_TEXT)
#if defined(OPEN_MPI)
// Procedures that return a pointer of C.
PLIMSOLL_FORTRAN_NAMES(RECORD, mpi, MPI, win_allocate_cptr, WIN_ALLOCATE_CPTR, Win_allocate, 6, Nothing, 0)
PLIMSOLL_FORTRAN_NAMES(RECORD, mpi, MPI, win_allocate_shared_cptr, WIN_ALLOCATE_SHARED_CPTR,
                       Win_allocate_shared, 6, Nothing, 0)
#endif
PLIMSOLL_PERSISTENT_CALLS(PERSISTENT_WRAPPERS, PERSISTENT_WRAPPERS)
PLIMSOLL_EXTENSION_CALLS(EXTENSION_WRAPPERS)
