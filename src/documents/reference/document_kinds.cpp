#include <plimsoll/documents/collectives.hpp>
#include <plimsoll/documents/data_sets.hpp>
#include <plimsoll/documents/layouts.hpp>
#include <plimsoll/documents/placements.hpp>

#include "documents/reference/reference.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

std::vector<DocumentKind> document_kinds() {
  return {
      {"info", structure<DataSetInfo>()},
      {"info --ranks", structure<RankInfo>()},
      {"info STATISTICS", structure<StatisticsFileInfo>()},
      {"balance", structure<BalanceInfo>()},
      {"compare", structure<ComparisonInfo>()},
      {"collectives summary", structure<RunSummary>()},
      {"collectives patterns", structure<PatternList>()},
      {"collectives calls", structure<CallList>()},
      {"collectives calls --call", structure<collectives::CallDetail>()},
      {"collectives sites", structure<SiteList>()},
      {"collectives compare", structure<RunComparison>()},
      {"collectives matrix", structure<collectives::TrafficView>()},
      {"layout solve", structure<StudyInfo>()},
      {"layout list", structure<LayoutList>()},
  };
}

}  // namespace plimsoll::documents
