#pragma once

#include <mpi.h>

#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

#include "interpose/sums/function.hpp"

/// Ranks on which a rank depends in a collective, by the direction in which data flow.
namespace plimsoll::PLIMSOLL_ABI::interpose::rules {

/// `none`: not a collective, or one that creates or frees something. `on_lower`: on ranks up to its own.
/// `on_neighbors`: on those of a topology.
enum class Dependence { none, among_all, on_root, of_root, on_lower, on_neighbors };

/// A collective function, without its forms.
struct CollectiveName {
  std::string_view name;
  Dependence dependence;
};
inline constexpr CollectiveName collective_names[] = {{"barrier", Dependence::among_all},
                                                      {"allreduce", Dependence::among_all},
                                                      {"allgather", Dependence::among_all},
                                                      {"allgatherv", Dependence::among_all},
                                                      {"alltoall", Dependence::among_all},
                                                      {"alltoallv", Dependence::among_all},
                                                      {"alltoallw", Dependence::among_all},
                                                      {"reduce_scatter_block", Dependence::among_all},
                                                      {"reduce_scatter", Dependence::among_all},
                                                      {"bcast", Dependence::on_root},
                                                      {"scatter", Dependence::on_root},
                                                      {"scatterv", Dependence::on_root},
                                                      {"reduce", Dependence::of_root},
                                                      {"gather", Dependence::of_root},
                                                      {"gatherv", Dependence::of_root},
                                                      {"scan", Dependence::on_lower},
                                                      {"exscan", Dependence::on_lower},
                                                      {"neighbor_allgather", Dependence::on_neighbors},
                                                      {"neighbor_allgatherv", Dependence::on_neighbors},
                                                      {"neighbor_alltoall", Dependence::on_neighbors},
                                                      {"neighbor_alltoallv", Dependence::on_neighbors},
                                                      {"neighbor_alltoallw", Dependence::on_neighbors}};

/// Form of a collective by its C name: MPI_Bcast, MPI_Bcast_c, MPI_Ibcast ...
struct CollectiveForm {
  Dependence dependence = Dependence::none;
  bool blocking = false;
};

constexpr CollectiveForm collective_form(std::string_view function) {
  function.remove_prefix(4);  // MPI_
  if (function.ends_with("_c")) function.remove_suffix(2);
  for (const auto& [name, dependence] : collective_names) {
    const bool is_upper = function.front() == name.front() - 'a' + 'A';
    if (is_upper && function.substr(1) == name.substr(1)) return {dependence, true};
    if (function.front() == 'I' && function.substr(1) == name) return {dependence, false};
  }
  return {};
}

/// Returns whether the arrivals of all ranks tell how long each of them waits.
constexpr bool has_arrivals(const CollectiveForm& form) {
  using enum Dependence;
  return form.blocking &&
         (form.dependence == among_all || form.dependence == on_root || form.dependence == of_root);
}

template <Function function>
inline constexpr CollectiveForm form_of = collective_form(function_names[static_cast<std::size_t>(function)]);

/// A call of a collective.
struct Collective {
  MPI_Comm comm = MPI_COMM_NULL;
  int root = 0;  ///< unused in those without a root
};

/// Returns the communicator and the root from the arguments in C.
template <Function function, class... Arguments>
Collective collective_of(const Arguments&... arguments) {
  constexpr CollectiveForm form = form_of<function>;
  constexpr std::size_t comm_at = sizeof...(Arguments) - (form.blocking ? 1 : 2);
  const auto all = std::tie(arguments...);
  if constexpr (form.dependence == Dependence::on_root || form.dependence == Dependence::of_root)
    return {.comm = std::get<comm_at>(all), .root = std::get<comm_at - 1>(all)};
  else
    return {.comm = std::get<comm_at>(all)};
}

}  // namespace plimsoll::interpose::rules
