#pragma once

#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

// Descriptions of the strategies that come with Plimsoll, each defined in the source of the strategy.
StrategyInfo block_lb_info();
StrategyInfo cluster_lb_info();
StrategyInfo comm_aware_refine_lb_info();
StrategyInfo graph_part_lb_info();
StrategyInfo greedy_lb_info();
StrategyInfo greedy_refine_lb_info();
StrategyInfo hierarchical_lb_info();
StrategyInfo no_lb_info();
StrategyInfo optimal_lb_info();
StrategyInfo orb_lb_info();
StrategyInfo prescribed_lb_info();
StrategyInfo random_lb_info();
StrategyInfo rec_bipart_lb_info();
StrategyInfo refine_lb_info();
StrategyInfo refine_swap_lb_info();
StrategyInfo rotate_lb_info();

}  // namespace plimsoll::balance
