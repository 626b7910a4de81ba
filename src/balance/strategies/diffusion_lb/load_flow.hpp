#pragma once

#include <span>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>

#include "balance/strategies/diffusion_lb/rank_links.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Sets the flow of each link so that each rank gets rid of its excess: the flows with the least sum of
/// flow^2 / weight. `excesses` are those of the local ranks, at most 1 in size; all add up to 0. Collective.
///
/// Solves the Laplace equation of the graph of ranks with conjugate gradients, one round and two sums per
/// iteration. Sources: Y. Hu, R. Blake (1999) for the flow; P. Ghysels, W. Vanroose, "Hiding global
/// synchronization latency in the preconditioned conjugate gradient algorithm", Parallel Computing 40 (2014).
void set_flows(RankRounds& rounds, std::span<const double> excesses, std::span<std::vector<RankLink>> links);

}  // namespace plimsoll::balance
