#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/scaling_model.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// The models of one component: one for each number of threads that was measured.
struct ComponentModel {
  std::string component;
  std::int64_t block_size = 1;  ///< task counts are multiples of this
  std::map<std::int64_t, std::shared_ptr<const ScalingModel>> by_threads;  ///< never empty, never null
};

/// The models of all components. `total_tasks`: see make_scaling_model().
std::vector<ComponentModel> make_component_models(const Problem& problem, ModelKind kind,
                                                  std::int64_t total_tasks);

/// Whether some component was measured with several numbers of threads. Then a layout shares out processors,
/// of which a component takes tasks x threads; else it shares out tasks, whatever their threads, as CIME's
/// tool has it.
bool threads_vary(const Problem& problem);

/// More entries have neither a table nor all those of a layout together: they take 16 bytes each, and a
/// solver some times that.
constexpr std::size_t max_table_entries = 50'000'000;

/// Everything a component may do within a number of processors, and what it costs: what solvers see.
struct CostTable {
  std::string component;
  std::int64_t block_size = 1;           ///< in tasks
  std::vector<std::int64_t> processors;  ///< ascending; multiples of the block size that the rules allow
  std::vector<double> cost;              ///< of each, overhead and wait of the layout included
  std::vector<std::int32_t> threads;     ///< of each; empty if not chosen but given (fixed_threads)
  std::int32_t fixed_threads = 1;        ///< of each task, if threads is empty
  std::int64_t processors_per_task = 1;  ///< at least: the fewest threads of a task if these are counted
  /// If the cost is the greatest of some lines at every entry: those, per processor.
  std::vector<Line> lines;

  std::size_t size() const { return processors.size(); }
};

/// The table of a component up to `total` processors. Empty if the rules leave nothing within it.
/// `count_threads`: whether a task takes as many processors as it has threads (threads_vary()); then each
/// count has the threads that serve it best. Throws Error (bad_input) if there are more than
/// max_table_entries.
CostTable make_cost_table(const ComponentModel& model, const ComponentRule& rule, std::int64_t total,
                          bool count_threads);

}  // namespace plimsoll::pelayout
