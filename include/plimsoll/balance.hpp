#pragma once

// Front door of plimsoll::balance: the load balancing database, load models, strategies, and how good a
// placement is.
#include <plimsoll/balance/apply_load_model.hpp>
#include <plimsoll/balance/apply_placement.hpp>
#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/comparison.hpp>
#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/finish_times.hpp>
#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/load_history.hpp>
#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/balance/load_model_registry.hpp>
#include <plimsoll/balance/load_models.hpp>
#include <plimsoll/balance/memory_use.hpp>
#include <plimsoll/balance/obj_graph.hpp>
#include <plimsoll/balance/overview.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/partition_graph.hpp>
#include <plimsoll/balance/phase_request.hpp>
#include <plimsoll/balance/place_by_partition.hpp>
#include <plimsoll/balance/plugin.hpp>
#include <plimsoll/balance/proc_array.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/rank_traffic.hpp>
#include <plimsoll/balance/real_type.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/balance/strategy_registry.hpp>
#include <plimsoll/balance/strategy_spec.hpp>
#include <plimsoll/balance/tolerance.hpp>
#include <plimsoll/balance/work_model.hpp>
