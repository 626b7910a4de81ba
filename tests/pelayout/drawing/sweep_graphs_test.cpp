#include <gtest/gtest.h>

#include <plimsoll/pelayout/graphs.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using drawing::Plot;
using Points = std::vector<std::pair<double, double>>;

Sweep three_totals() {
  Sweep sweep;
  sweep.points = {{.total = 100, .throughput = 2, .core_hours = 1200, .pareto = true},
                  {.total = 200, .throughput = 3.5, .core_hours = 1371, .pareto = true},
                  {.total = 300, .throughput = 3.2, .core_hours = 2250}};
  sweep.knee = 1;
  return sweep;
}

TEST(SweepPlots, PlotThroughputOverTotals) {
  const std::vector<Plot> plots = sweep_plots(three_totals());
  ASSERT_EQ(plots.size(), 2U);
  ASSERT_EQ(plots[0].series.size(), 2U);
  EXPECT_EQ(plots[0].series[0].points, (Points{{100, 2}, {200, 3.5}, {300, 3.2}}));
  EXPECT_EQ(plots[0].series[1].name, "knee");
  EXPECT_EQ(plots[0].series[1].points, (Points{{200, 3.5}}));
}

TEST(SweepPlots, PlotParetoFrontOverCoreHours) {
  const Plot plot = sweep_plots(three_totals()).at(1);
  ASSERT_EQ(plot.series.size(), 3U);
  EXPECT_EQ(plot.series[0].points, (Points{{2250, 3.2}}));
  EXPECT_FALSE(plot.series[0].line);
  EXPECT_EQ(plot.series[1].name, "Pareto front");
  EXPECT_TRUE(plot.series[1].line);
  EXPECT_EQ(plot.series[1].points, (Points{{1200, 2}, {1371, 3.5}}));
  EXPECT_EQ(plot.series[2].points, (Points{{1371, 3.5}}));
}

TEST(SweepPlots, UseLogarithmicAxesForWideSweeps) {
  Sweep sweep = three_totals();
  EXPECT_FALSE(sweep_plots(sweep).at(0).log_x);
  sweep.points[2].total = 4000;
  EXPECT_TRUE(sweep_plots(sweep).at(0).log_x && sweep_plots(sweep).at(1).log_y);
}

TEST(SweepPlots, DrawLongSweepsWithoutMarks) {
  Sweep sweep = three_totals();
  EXPECT_TRUE(sweep_plots(sweep).at(0).series[0].marks);
  sweep.points.resize(1000, sweep.points[2]);
  EXPECT_FALSE(sweep_plots(sweep).at(0).series[0].marks);
}

TEST(SweepPlots, AreEmptyWithoutPoints) {
  EXPECT_TRUE(sweep_plots({}).empty());
}

}  // namespace
}  // namespace plimsoll::pelayout
