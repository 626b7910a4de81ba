#pragma once

// Umbrella header of plimsoll::balance: load balancing database, load models, strategies, and quality of
// placements.
#include <plimsoll/balance/apply_placement.hpp>
#include <plimsoll/balance/benefit_rule.hpp>
#include <plimsoll/balance/budget.hpp>
#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/distributed_strategy.hpp>
#include <plimsoll/balance/inferred_costs.hpp>
#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/load_inference.hpp>
#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/balance/load_models.hpp>
#include <plimsoll/balance/offline_lb.hpp>
#include <plimsoll/balance/overview.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/place_by_partition.hpp>
#include <plimsoll/balance/plugin.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/replicated_stats.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>
