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
#include "interpose/wrappers/fortran_caller.hpp"
#include "interpose/wrappers/record_call.hpp"
#include "interpose/wrappers/wrapped_calls.hpp"
#include "interpose/wrappers/wrappers.hpp"

using namespace plimsoll::interpose;

namespace {

/// Records a call with the addresses of the arguments of C, and of the error code.
template <Function function, class Rule, class CFunction, class Next, class... Addresses>
void record(const void* return_address, Next next, Addresses... addresses) {
  std::array<void*, sizeof...(Addresses)> arguments = {addresses...};
  MPI_Status own_status = {};
  if (std::is_base_of_v<rules::ReadsStatus, Rule> &&
      is_fortran_status_ignore(arguments[arguments.size() - 2]))
    arguments[arguments.size() - 2] = &own_status;
  static thread_local std::vector<MPI_Status> own_statuses;
  if constexpr (std::is_base_of_v<rules::Completion, Rule>) {
    void*& statuses = arguments[arguments.size() - 2];
    if (needs_statuses() && (is_fortran_status_ignore(statuses) || is_fortran_statuses_ignore(statuses))) {
      FortranArguments<CFunction>{arguments.data()}(
          [&](const auto&... own) { own_statuses.resize(static_cast<std::size_t>(Rule::count(own...))); });
      statuses = own_statuses.data();
    }
  }
  around_call<function, Rule>(
      calling_address(return_address),
      [&] {
        std::apply(next, arguments);
        return code_in(static_cast<MPI_Fint*>(arguments.back()));
      },
      FortranArguments<CFunction>{arguments.data()});
}

/// Records a call with the addresses of the arguments of C and of the error code, and the lengths of texts.
template <Function function, class Next, class... Arguments>
void record_with_text(const void* return_address, const void* error_code, Next next, Arguments... arguments) {
  around_call<function, rules::Nothing>(
      calling_address(return_address),
      [&] {
        next(arguments...);
        return code_in(static_cast<const MPI_Fint*>(error_code));
      },
      [](auto&& use) { use(); });
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

#define PARAMETERS(ARITY) (PLIMSOLL_ADDRESSES(ARITY), void* ierror)
#define ARGUMENTS(ARITY) PLIMSOLL_ARGUMENTS(ARITY), ierror
#define PARAMETERS_WITH_TEXT(ARITY, TEXTS) \
  (PLIMSOLL_ADDRESSES(ARITY), void* ierror, LENGTH_PARAMETERS_##TEXTS)
#define LENGTH_PARAMETERS_1 std::size_t length0
#define LENGTH_PARAMETERS_2 LENGTH_PARAMETERS_1, std::size_t length1
#define ARGUMENTS_WITH_TEXT(ARITY, TEXTS) ARGUMENTS(ARITY), LENGTHS_##TEXTS
#define LENGTHS_1 length0
#define LENGTHS_2 LENGTHS_1, length1

#define RECORD(FORTRAN_NAME, Name, ARITY, Rule)                                                   \
  PLIMSOLL_FORTRAN FORTRAN_NAME PARAMETERS(ARITY) {                                               \
    PLIMSOLL_NEXT_FORTRAN(FORTRAN_NAME);                                                          \
    record<Function::Name, rules::Rule, decltype(PMPI_##Name)>(__builtin_return_address(0), next, \
                                                               ARGUMENTS(ARITY));                 \
  }
#define REMEMBER(FORTRAN_NAME, C_NAME, ARITY, Rule)                     \
  PLIMSOLL_FORTRAN FORTRAN_NAME PARAMETERS(ARITY) {                     \
    PLIMSOLL_NEXT_FORTRAN(FORTRAN_NAME);                                \
    remember<rules::Rule, decltype(P##C_NAME)>(next, ARGUMENTS(ARITY)); \
  }
#define RECORD_WITH_TEXT(FORTRAN_NAME, Name, ARITY, TEXTS)                      \
  PLIMSOLL_FORTRAN FORTRAN_NAME PARAMETERS_WITH_TEXT(ARITY, TEXTS) {            \
    PLIMSOLL_NEXT_FORTRAN(FORTRAN_NAME);                                        \
    record_with_text<Function::Name>(__builtin_return_address(0), ierror, next, \
                                     ARGUMENTS_WITH_TEXT(ARITY, TEXTS));        \
  }
// Passes the address of the call to the wrapper of the name that the procedure calls.
#define PASS_ADDRESS(FORTRAN_NAME, Name, ARITY, Rule)        \
  PLIMSOLL_FORTRAN FORTRAN_NAME PARAMETERS(ARITY) {          \
    PLIMSOLL_NEXT_FORTRAN(FORTRAN_NAME);                     \
    const FortranCaller caller(__builtin_return_address(0)); \
    next(ARGUMENTS(ARITY));                                  \
  }
#define PASS_ADDRESS_WITH_TEXT(FORTRAN_NAME, Name, ARITY, TEXTS)     \
  PLIMSOLL_FORTRAN FORTRAN_NAME PARAMETERS_WITH_TEXT(ARITY, TEXTS) { \
    PLIMSOLL_NEXT_FORTRAN(FORTRAN_NAME);                             \
    const FortranCaller caller(__builtin_return_address(0));         \
    next(ARGUMENTS_WITH_TEXT(ARITY, TEXTS));                         \
  }

#if defined(OPEN_MPI)
#define WRAPPERS_WITH_TEXT(Name, name, NAME, ARITY, Rule, TEXTS)                     \
  PLIMSOLL_FORTRAN_NAMES(RECORD_WITH_TEXT, mpi, MPI, name, NAME, Name, ARITY, TEXTS) \
  PASS_ADDRESS_WITH_TEXT(mpi_##name##_f08_, Name, ARITY, TEXTS)
#define WRAPPERS(Name, name, NAME, ARITY, Rule)                           \
  PLIMSOLL_FORTRAN_NAMES(RECORD, mpi, MPI, name, NAME, Name, ARITY, Rule) \
  PASS_ADDRESS(mpi_##name##_f08_, Name, ARITY, Rule)
#define PERSISTENT_WRAPPERS(Name, name, NAME, ARITY, Rule) \
  PLIMSOLL_FORTRAN_NAMES(REMEMBER, mpi, MPI, name, NAME, MPI_##Name, ARITY, Rule)
#define EXTENSION_WRAPPERS(Name, name, NAME, ARITY, Rule) \
  PLIMSOLL_FORTRAN_NAMES(REMEMBER, mpix, MPIX, name, NAME, MPIX_##Name, ARITY, Rule)
#elif defined(MPICH_VERSION)
#define WRAPPERS_WITH_TEXT(Name, name, NAME, ARITY, Rule, TEXTS) \
  PASS_ADDRESS_WITH_TEXT(mpi_##name, Name, ARITY, TEXTS)         \
  PASS_ADDRESS_WITH_TEXT(mpi_##name##_, Name, ARITY, TEXTS)      \
  PASS_ADDRESS_WITH_TEXT(mpi_##name##__, Name, ARITY, TEXTS)     \
  PASS_ADDRESS_WITH_TEXT(MPI_##NAME, Name, ARITY, TEXTS)         \
  RECORD_WITH_TEXT(mpi_##name##_f08_, Name, ARITY, TEXTS)
#define WRAPPERS(Name, name, NAME, ARITY, Rule)        \
  PASS_ADDRESS(mpi_##name, Name, ARITY, Rule)          \
  PASS_ADDRESS(mpi_##name##_, Name, ARITY, Rule)       \
  PASS_ADDRESS(mpi_##name##__, Name, ARITY, Rule)      \
  PASS_ADDRESS(MPI_##NAME, Name, ARITY, Rule)          \
  PASS_ADDRESS(mpi_##name##_f08ts_, Name, ARITY, Rule) \
  RECORD(mpi_##name##_f08_, Name, ARITY, Rule)
#define PERSISTENT_WRAPPERS(...)
#else
#define WRAPPERS_WITH_TEXT(...)
#define WRAPPERS(...)
#define PERSISTENT_WRAPPERS(...)
#endif

PLIMSOLL_RECORDED_CALLS(WRAPPERS, WRAPPERS, WRAPPERS_WITH_TEXT)
#if defined(OPEN_MPI)
// Procedures that return a pointer of C.
PLIMSOLL_FORTRAN_NAMES(RECORD, mpi, MPI, win_allocate_cptr, WIN_ALLOCATE_CPTR, Win_allocate, 6, Nothing)
PLIMSOLL_FORTRAN_NAMES(RECORD, mpi, MPI, win_allocate_shared_cptr, WIN_ALLOCATE_SHARED_CPTR,
                       Win_allocate_shared, 6, Nothing)
#endif
PLIMSOLL_PERSISTENT_CALLS(PERSISTENT_WRAPPERS, PERSISTENT_WRAPPERS)
PLIMSOLL_EXTENSION_CALLS(EXTENSION_WRAPPERS)
