#pragma once

#include <functional>
#include <optional>
#include <string>

#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/output/statistics_output.hpp"
#include "runtime/recording/phase_observer.hpp"
#include "runtime/recording/session.hpp"

namespace plimsoll::runtime {

/// Writes the files of a run: the LB data of each rank, and the statistics on rank 0. After a failure nothing
/// more is written: files of which some end earlier would not be a set. Whether the program goes on then is a
/// setting.
class OutputFiles final : public PhaseObserver {
 public:
  OutputFiles(const Session& session, NodeLBData& data);

  /// Throws Error (system) if writing fails and the program is to stop then; else failed() tells.
  void phase_ended(const EndedPhase& phase) override;
  void close() override;

  /// Whether writing has failed on this rank and the others do not know it yet.
  bool failed() const { return failure_.has_value(); }
  /// Collective: stops writing on all ranks because it has failed on `failed_rank`, the lowest such rank.
  /// Returns what to tell the user.
  std::string stop_on_all_ranks(int failed_rank);

 private:
  void write(const std::function<void()>& work);
  void stop();

  const Session& session_;
  NodeLBData& data_;
  std::optional<StatisticsOutput> statistics_;  // on rank 0, if they are written
  std::optional<Error> failure_;
};

}  // namespace plimsoll::runtime
