#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/support/json_view.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns a numeric member of a task's user data, such as 3 or 3.0; empty if the member does not exist.
/// Throws Error (bad_input) if it is not a number.
std::optional<double> number_member(const support::JsonView& object, std::string_view name);

/// Returns a size or load. Throws Error (bad_input) if it is not a finite number >= 0.
std::optional<double> size_member(const support::JsonView& object, std::string_view name);

/// Returns a size or load in a task's `user_defined` or, if that does not contain it, in its `attributes`.
/// Throws Error (bad_input) as the other functions do.
std::optional<double> size_in_user_data(const lbdata::Tasks& tasks, std::uint32_t task, std::string_view name,
                                        support::JsonParser& parser);

/// Parses the user data of a task. Throws Error (bad_input) unless they are a JSON object.
support::JsonView user_data_object(support::JsonParser& parser, std::string_view text);

/// Returns whether the user data of any task mention a memory size; if not, the memory column need not be
/// read. Searches the text without parsing it.
bool mention_memory(const std::vector<const lbdata::PhaseRecord*>& records);

/// Adds the requested columns to `phase`, which already contains its objects. `records` are the ranks'
/// records of the phase. Throws the same Errors as load_phase().
void add_columns(const lbdata::Dataset& dataset, const std::vector<const lbdata::PhaseRecord*>& records,
                 const PhaseColumns& columns, DatasetPhase& phase);

/// Returns the node of a rank (ProcStats::node), computed from `ranks_per_node`, or as in its file if that is
/// 0; -1 if unknown.
std::int32_t node_of_rank(const lbdata::Dataset& dataset, std::size_t rank, std::int32_t ranks_per_node = 0);

}  // namespace plimsoll::balance
