// A program that defines its own functions for Scotch's messages, as in Scotch's manual. The test passes
// if the program links.
#include <cstdio>

#include <plimsoll/balance.hpp>
#include <plimsoll/lbdata.hpp>

// NOLINTBEGIN(readability-identifier-naming): names defined by Scotch
extern "C" {
void SCOTCH_errorProg(const char* /*program*/) {}
void SCOTCH_errorPrint(const char* /*format*/, ...) {}
void SCOTCH_errorPrintW(const char* /*format*/, ...) {}
}
// NOLINTEND(readability-identifier-naming)

int main() {
  using namespace plimsoll;
  const lbdata::Dataset dataset = lbdata::generate({.phases = 1});
  const auto decision = decide(dataset, balance::StrategySpec::parse("GraphPartLB(partitioner=scotch)"), {});
  std::printf("%s moves %llu objects\n", decision.result.strategy.c_str(),
              static_cast<unsigned long long>(decision.result.quality.n_moved));
}
