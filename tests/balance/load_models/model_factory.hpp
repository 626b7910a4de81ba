#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <plimsoll/balance/load_models.hpp>

#include "balance/database/dataset_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {

constexpr PhaseOffset next_phase{};

/// A data set with the phases that a test specifies, and its history.
class HistoryFactory : public DatasetFactory {
 public:
  using DatasetFactory::DatasetFactory;

  /// Adds a task with subphases 0, 1, ...
  void task_with_subphases(std::uint64_t number, double time_s, const std::vector<double>& subphases_s,
                           std::int64_t phase = 0) {
    task(0, number, time_s, true, phase);
    lbdata::Tasks& tasks = record(0, phase).tasks;
    tasks.subphase_id.pop_back();
    tasks.subphase_time_s.pop_back();
    for (std::size_t id = 0; id < subphases_s.size(); ++id) {
      tasks.subphase_id.push_back(static_cast<std::int32_t>(id));
      tasks.subphase_time_s.push_back(subphases_s[id]);
    }
    tasks.subphase_end.back() = static_cast<std::uint32_t>(tasks.subphase_id.size());
  }
  /// Adds messages to the record of `rank`, on which the sender or the receiver may be.
  void messages(std::size_t rank, std::uint64_t from, std::uint64_t to, double bytes, std::int64_t count,
                std::int64_t phase = 0, lbdata::CommCategory category = lbdata::CommCategory::SendRecv) {
    edge(rank, object(from), object(to), bytes, category, phase);
    record(rank, phase).communications->messages.back() = count;
  }
  /// Returns the model with the history up to `phase`.
  LoadModel& use(LoadModelPtr model, std::int64_t phase = 0) {
    model_ = std::move(model);
    history_.emplace(
        dataset_history(dataset, phase, model_->past_phases_needed(), LoadHistory::Traffic::count));
    model_->use(*history_);
    return *model_;
  }

 private:
  std::optional<LoadHistory> history_;
  LoadModelPtr model_;
};

/// Returns the loads that a model predicts for an object after each phase of a series.
inline std::vector<double> expectations(const std::string& model, const std::vector<double>& series_s,
                                        PhaseOffset when = next_phase) {
  HistoryFactory factory(1);
  std::vector<double> result;
  for (std::size_t phase = 0; phase < series_s.size(); ++phase) {
    factory.task(0, 1, series_s[phase], true, static_cast<std::int64_t>(phase));
    result.push_back(factory.use(make_load_model(model), static_cast<std::int64_t>(phase)).load_s(0, when));
  }
  return result;
}

}  // namespace plimsoll::balance::testing
