#pragma once

#include <plimsoll/pelayout/study.hpp>

#include "pelayout/models/example_data.hpp"

namespace plimsoll::testing {

/// Returns the documented example on 1,024 tasks, solved as in CIME's tool. Its optimum is known.
inline StudyRequest example_study() {
  StudyRequest request;
  request.problem.components = {example_atm(), example_ocn(), example_lnd(), example_ice()};
  request.problem.total_tasks = 1024;
  request.plan = {.model = ModelKind::cime, .exact_sum = true};
  return request;
}

}  // namespace plimsoll::testing
