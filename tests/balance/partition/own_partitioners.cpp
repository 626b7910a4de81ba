// A program that contains its own METIS and Scotch: other versions than Plimsoll's, for example with 64-bit
// indices. Plimsoll must not call them.
#include <cstdio>
#include <cstdlib>

#include <plimsoll/balance.hpp>
#include <plimsoll/lbdata.hpp>

// NOLINTBEGIN(readability-identifier-naming): names defined by METIS and Scotch
extern "C" {
#define OWN_FUNCTION(name)                                           \
  int name() {                                                       \
    std::fputs("Plimsoll called the program's " #name "\n", stderr); \
    std::_Exit(1);                                                   \
  }
OWN_FUNCTION(METIS_SetDefaultOptions)
OWN_FUNCTION(METIS_PartGraphKway)
OWN_FUNCTION(METIS_PartGraphRecursive)
OWN_FUNCTION(METIS_Free)
OWN_FUNCTION(SCOTCH_numSizeof)
OWN_FUNCTION(SCOTCH_graphInit)
OWN_FUNCTION(SCOTCH_graphBuild)
OWN_FUNCTION(SCOTCH_graphMap)
OWN_FUNCTION(SCOTCH_stratGraphMapBuild)
OWN_FUNCTION(SCOTCH_errorPrint)
}
// NOLINTEND(readability-identifier-naming)

int main(int argc, char** argv) {
  using namespace plimsoll;
  const lbdata::Dataset dataset = lbdata::generate({.law = lbdata::LoadLaw::lognormal});
  for (int k = 1; k < argc; ++k) {
    const auto decision = decide(dataset, balance::StrategySpec::parse(argv[k]), {});
    if (decision.result.quality.n_moved == 0) return 1;
    std::printf("%s moves %llu objects\n", argv[k],
                static_cast<unsigned long long>(decision.result.quality.n_moved));
  }
}
