// A user's program that runs the strategy that requires MPI. Plimsoll initialises MPI.
#include <iostream>

#include <plimsoll/balance.hpp>
#include <plimsoll/zoltan.hpp>

int main() {
  using namespace plimsoll::balance;
  LDStats stats;
  stats.procs.resize(2);
  stats.obj_data = {{1, true}, {1, true}};
  stats.from_proc = {0, 0};
  StrategyRegistry registry = StrategyRegistry::builtin();
  registry.add(plimsoll::zoltan::zoltan_lb());
  registry.create("ZoltanLB")->work(stats);
  std::cout << stats.to_proc[0] << ' ' << stats.to_proc[1] << '\n';
  return stats.to_proc[0] == stats.to_proc[1] ? 1 : 0;
}
