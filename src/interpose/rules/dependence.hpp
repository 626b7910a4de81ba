#pragma once

#include <mpi.h>

#include <cstddef>
#include <string_view>
#include <tuple>

#include "interpose/sums/function.hpp"

/// Ranks on which a rank depends in a collective, by the direction in which data flow.
namespace plimsoll::PLIMSOLL_ABI::interpose::rules {

/// `none`: not a collective, or one that creates or frees something. `on_lower`: on ranks up to its own.
/// `on_neighbors`: on those of a topology.
enum class Dependence { none, among_all, on_root, of_root, on_lower, on_neighbors };

/// Base of the rules for collectives.
template <Dependence on>
struct DependsOn {
  static constexpr Dependence dependence = on;
};

template <class Rule>
inline constexpr Dependence dependence_of = Dependence::none;
template <class Rule>
requires requires {
  Rule::dependence;
}
inline constexpr Dependence dependence_of<Rule> = Rule::dependence;

/// Whether a function begins what another call completes, by its C name: MPI_Ibcast, MPI_Isend.
template <Function function>
inline constexpr bool is_begun =
    std::string_view(function_names[static_cast<std::size_t>(function)]).starts_with("MPI_I");

/// Whether the arrivals of all ranks tell how long each of them waits in a function.
template <Function function, class Rule>
inline constexpr bool has_arrivals = !is_begun<function> && (dependence_of<Rule> == Dependence::among_all ||
                                                             dependence_of<Rule> == Dependence::on_root ||
                                                             dependence_of<Rule> == Dependence::of_root);

/// A call of a collective.
struct Collective {
  MPI_Comm comm = MPI_COMM_NULL;
  int root = 0;  ///< unused in those without a root
};

/// Returns the communicator and the root from the arguments in C.
template <Function function, class Rule, class... Arguments>
Collective collective_of(const Arguments&... arguments) {
  constexpr std::size_t comm_at = sizeof...(Arguments) - (is_begun<function> ? 2 : 1);
  const auto all = std::tie(arguments...);
  if constexpr (dependence_of<Rule> == Dependence::on_root || dependence_of<Rule> == Dependence::of_root)
    return {.comm = std::get<comm_at>(all), .root = std::get<comm_at - 1>(all)};
  else
    return {.comm = std::get<comm_at>(all)};
}

}  // namespace plimsoll::interpose::rules
