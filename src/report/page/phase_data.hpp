#pragma once

#include <cstddef>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/overview.hpp>
#include <plimsoll/lbdata/dataset.hpp>

#include "report/user_numbers.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {

/// Data of one phase, from which the columns of a page are filled.
struct PhaseData {
  const lbdata::Dataset& dataset;
  std::size_t position = 0;  ///< position of the phase in the page
  balance::DatasetPhase phase;
  std::vector<balance::RankOverview> ranks;
  UserNumberColumns user_numbers;

  const lbdata::Tasks& tasks(std::size_t rank) const {
    return dataset.ranks[rank].resolve(phase.phase).record->tasks;
  }
  lbdata::EntityIndex entity(std::size_t object) const {
    const auto [rank, task] = phase.locations[object];
    return tasks(rank).entity[task];
  }
};

}  // namespace plimsoll::report
