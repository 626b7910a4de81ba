#pragma once

// Parts of wrappers, for libraries that intercept MPI calls of a program.

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <tuple>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Returns the definition of a function that the program would call without this library: in another
/// preloaded tool, or in MPI. If the search fails, returns MPI's definition of `profiling_name` (PMPI_X).
template <class Function>
Function next_definition(const char* name, Function profiling_name) {
  void* const next = dlsym(RTLD_NEXT, name);
  return next ? reinterpret_cast<Function>(next) : profiling_name;
}

}  // namespace plimsoll::interpose

/// Declares `next`, the next definition of NAME.
#define PLIMSOLL_NEXT(NAME) static const auto next = plimsoll::interpose::next_definition(#NAME, &P##NAME)

/// Begins the definition of an MPI name. The library exports only such names.
#define PLIMSOLL_EXPORT extern "C" __attribute__((visibility("default")))

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Depth of wrapped MPI calls in this thread. If MPI implements one of the wrapped names with another, only
/// the outermost call is a call of the program.
class Nesting {
 public:
  Nesting() { ++depth; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  ~Nesting() { --depth; }
  bool outermost() const { return depth == 1; }
  /// Whether this thread is in a wrapper.
  static bool inside() { return depth > 0; }

 private:
  static inline constinit thread_local int depth = 0;
};

// Fortran. All arguments are addresses; handles are numbers. Open MPI's Fortran interface calls PMPI, so all
// names need wrappers. MPICH's calls the C names, except for procedures without buffers in mpi_f08.

/// Returns the definition of a Fortran name that the program would call without this library. It belongs to
/// another preloaded tool or to MPI's Fortran library, even if that library was loaded without making its
/// names visible to the program.
inline void* next_fortran_definition(const char* name) {
#ifdef OPEN_MPI
  constexpr const char* fortran_library = "libmpi_mpifh.so.40";
#else
  constexpr const char* fortran_library = "libmpichfort.so.12";
#endif
  if (void* const next = dlsym(RTLD_NEXT, name)) return next;
  void* const library = dlopen(fortran_library, RTLD_LAZY | RTLD_NOLOAD);
  return library != nullptr ? dlsym(library, name) : nullptr;
}

/// Addresses of a constant that Fortran programs pass in place of a variable: a common block of Open MPI,
/// which the program defines and MPI's library refers to. Its name depends on the compiler.
class FortranConstant {
 public:
  explicit FortranConstant(const std::string& name) {
    std::string upper = name;
    std::ranges::transform(upper, upper.begin(), [](unsigned char letter) { return std::toupper(letter); });
    std::ranges::transform(std::array{name + "_", name, name + "__", upper}, addresses_.begin(),
                           [](const std::string& any) { return dlsym(RTLD_DEFAULT, any.c_str()); });
  }
  bool is_at(const void* address) const {
    return address != nullptr && std::ranges::find(addresses_, address) != addresses_.end();
  }

 private:
  std::array<void*, 4> addresses_;
};

/// Returns whether this is the address that Fortran programs pass for MPI_STATUS_IGNORE.
inline bool is_fortran_status_ignore(const void* status) {
  static const FortranConstant ignore("mpi_fortran_status_ignore");
#if defined(MPICH_VERSION)
  if (status == MPI_F08_STATUS_IGNORE) return true;
#endif
  return ignore.is_at(status);
}

/// Returns whether this is the address that Fortran programs pass for MPI_STATUSES_IGNORE.
inline bool is_fortran_statuses_ignore(const void* statuses) {
#if defined(OPEN_MPI)
  static const FortranConstant ignore("mpi_fortran_statuses_ignore");
  return ignore.is_at(statuses);
#elif defined(MPICH_VERSION)
  return statuses == MPI_F08_STATUSES_IGNORE;  // only mpi_f08 needs wrappers
#else
  return statuses == MPI_F_STATUSES_IGNORE;
#endif
}

/// Returns the address in C of a buffer of a Fortran program, which may be MPI_BOTTOM or MPI_IN_PLACE.
inline void* fortran_buffer(void* buffer) {
  static const FortranConstant in_place("mpi_fortran_in_place");
  static const FortranConstant bottom("mpi_fortran_bottom");
  if (in_place.is_at(buffer)) return MPI_IN_PLACE;
  return bottom.is_at(buffer) ? MPI_BOTTOM : buffer;
}

/// Returns the error code that a call stored in its last argument, or MPI_SUCCESS if this argument is absent.
inline int code_in(const MPI_Fint* ierror) {
  return ierror != nullptr ? *ierror : MPI_SUCCESS;
}

}  // namespace plimsoll::interpose

/// Begins the definition of a Fortran name. Makes it visible, because no header declares it.
#define PLIMSOLL_FORTRAN extern "C" [[gnu::visibility("default")]] void

/// Declares `next`, the next definition of NAME.
#define PLIMSOLL_NEXT_FORTRAN(NAME) \
  static const auto next =          \
      reinterpret_cast<decltype(&(NAME))>(plimsoll::interpose::next_fortran_definition(#NAME))

/// Applies DEFINE(NAME, ...) to all names of a procedure that need wrappers: the names mangled by compilers,
/// and the names that mpi_f08 calls. PREFIX and UPPER_PREFIX: mpi and MPI, or mpix and MPIX for an extension.
#if defined(OPEN_MPI)
#define PLIMSOLL_FORTRAN_NAMES(DEFINE, PREFIX, UPPER_PREFIX, name, NAME, ...) \
  DEFINE(PREFIX##_##name, __VA_ARGS__)                                        \
  DEFINE(PREFIX##_##name##_, __VA_ARGS__)                                     \
  DEFINE(PREFIX##_##name##__, __VA_ARGS__)                                    \
  DEFINE(UPPER_PREFIX##_##NAME, __VA_ARGS__)                                  \
  DEFINE(o##PREFIX##_##name##_f, __VA_ARGS__)
#elif defined(MPICH_VERSION)
#define PLIMSOLL_FORTRAN_NAMES(DEFINE, PREFIX, UPPER_PREFIX, name, NAME, ...) \
  DEFINE(PREFIX##_##name##_f08_, __VA_ARGS__)
#else
#define PLIMSOLL_FORTRAN_NAMES(...)
#endif

// Parameter lists of wrappers that are generated from a table (wrapped_calls.hpp).

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Types of the parameters of a C function of MPI.
template <class Function>
struct Parameters;
/// Types of the parameters of a function that returns MPI's error code.
template <class... Types>
struct Parameters<int(Types...)> {
  /// The types in their order.
  using Tuple = std::tuple<Types...>;
};

/// Type of parameter k of a C function of MPI, counted from 0.
template <std::size_t k, class Function>
using Parameter = std::tuple_element_t<k, typename Parameters<Function>::Tuple>;

}  // namespace plimsoll::interpose

/// Lists ITEM(NAME, 0), ITEM(NAME, 1), ..., COUNT items: parameters a0, a1, ... of a wrapper, or these as
/// arguments (PLIMSOLL_ARGUMENT).
#define PLIMSOLL_LIST(COUNT, ITEM, NAME) PLIMSOLL_LIST_##COUNT(ITEM, NAME)
#define PLIMSOLL_LIST_1(ITEM, NAME) ITEM(NAME, 0)
#define PLIMSOLL_LIST_2(ITEM, NAME) PLIMSOLL_LIST_1(ITEM, NAME), ITEM(NAME, 1)
#define PLIMSOLL_LIST_3(ITEM, NAME) PLIMSOLL_LIST_2(ITEM, NAME), ITEM(NAME, 2)
#define PLIMSOLL_LIST_4(ITEM, NAME) PLIMSOLL_LIST_3(ITEM, NAME), ITEM(NAME, 3)
#define PLIMSOLL_LIST_5(ITEM, NAME) PLIMSOLL_LIST_4(ITEM, NAME), ITEM(NAME, 4)
#define PLIMSOLL_LIST_6(ITEM, NAME) PLIMSOLL_LIST_5(ITEM, NAME), ITEM(NAME, 5)
#define PLIMSOLL_LIST_7(ITEM, NAME) PLIMSOLL_LIST_6(ITEM, NAME), ITEM(NAME, 6)
#define PLIMSOLL_LIST_8(ITEM, NAME) PLIMSOLL_LIST_7(ITEM, NAME), ITEM(NAME, 7)
#define PLIMSOLL_LIST_9(ITEM, NAME) PLIMSOLL_LIST_8(ITEM, NAME), ITEM(NAME, 8)
#define PLIMSOLL_LIST_10(ITEM, NAME) PLIMSOLL_LIST_9(ITEM, NAME), ITEM(NAME, 9)
#define PLIMSOLL_LIST_11(ITEM, NAME) PLIMSOLL_LIST_10(ITEM, NAME), ITEM(NAME, 10)
#define PLIMSOLL_LIST_12(ITEM, NAME) PLIMSOLL_LIST_11(ITEM, NAME), ITEM(NAME, 11)
#define PLIMSOLL_LIST_13(ITEM, NAME) PLIMSOLL_LIST_12(ITEM, NAME), ITEM(NAME, 12)
#define PLIMSOLL_ARGUMENT(NAME, k) a##k
#define PLIMSOLL_ARGUMENTS(COUNT) PLIMSOLL_LIST(COUNT, PLIMSOLL_ARGUMENT, )
/// Parameter of the C function NAME.
#define PLIMSOLL_PARAMETER(NAME, k) plimsoll::interpose::Parameter<k, decltype(P##NAME)> a##k
#define PLIMSOLL_PARAMETERS(COUNT, NAME) PLIMSOLL_LIST(COUNT, PLIMSOLL_PARAMETER, NAME)
/// Parameter of a Fortran procedure: an address.
#define PLIMSOLL_ADDRESS(NAME, k) void* a##k
#define PLIMSOLL_ADDRESSES(COUNT) PLIMSOLL_LIST(COUNT, PLIMSOLL_ADDRESS, )
