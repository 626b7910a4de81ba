#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include <plimsoll/pelayout/graphs.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using drawing::Plot;
using drawing::PlotSeries;

// Model with a cost of 1000 / tasks, measured at 10 and 100 tasks.
class Hyperbola : public ScalingModel {
 public:
  explicit Hyperbola(double cost_of_one = 1000)
      : ScalingModel({{1, cost_of_one, true}, {10, cost_of_one / 10}, {100, cost_of_one / 100}}),
        cost_of_one_(cost_of_one) {}
  double cost(std::int64_t tasks) const override { return cost_of_one_ / static_cast<double>(tasks); }
  void costs(std::span<const std::int64_t> tasks, std::span<double> costs) const override {
    for (std::size_t k = 0; k < tasks.size(); ++k) costs[k] = cost(tasks[k]);
  }

 private:
  double cost_of_one_;
};

Problem measured() {
  Problem problem;
  problem.components = {
      {.name = "ATM",
       .model = "CAM",
       .samples = {{.tasks = 10, .cost = 100, .repeats = 3, .minimum = 90, .maximum = 120},
                   {.tasks = 100, .cost = 10, .repeats = 1, .minimum = 10, .maximum = 10}}}};
  return problem;
}

ComponentModel model_of(const std::string& component) {
  return {.component = component, .by_threads = {{1, std::make_shared<Hyperbola>()}}};
}

const PlotSeries* find(const Plot& plot, const std::string& name) {
  const auto found = std::ranges::find(plot.series, name, &PlotSeries::name);
  return found == plot.series.end() ? nullptr : &*found;
}

TEST(ModelPlots, ShowMeasuredAndExtrapolatedPoints) {
  const std::vector<Plot> plots = model_plots(measured(), {model_of("ATM")}, 1000, "s/day");
  ASSERT_EQ(plots.size(), 1U);
  EXPECT_EQ(plots[0].title, "ATM (CAM)");
  EXPECT_EQ(plots[0].y_label, "cost (s/day)");
  EXPECT_TRUE(plots[0].log_x && plots[0].log_y);
  ASSERT_TRUE(find(plots[0], "measured") && find(plots[0], "extrapolated"));
  using Points = std::vector<std::pair<double, double>>;
  EXPECT_EQ(find(plots[0], "measured")->points, (Points{{10, 100}, {100, 10}}));
  EXPECT_EQ(find(plots[0], "extrapolated")->points, (Points{{1, 1000}}));
}

TEST(ModelPlots, DrawCurveFromOneTaskToTotal) {
  const Plot plot = model_plots(measured(), {model_of("ATM")}, 1000, "s").at(0);
  const PlotSeries* curve = find(plot, "model");
  ASSERT_TRUE(curve && curve->line && !curve->marks);
  EXPECT_EQ(curve->points.front(), std::pair(1.0, 1000.0));
  EXPECT_EQ(curve->points.back(), std::pair(1000.0, 1.0));
  double before = 1;
  for (const auto& [tasks, cost] : curve->points) {
    EXPECT_NEAR(cost, 1000 / tasks, 1e-9);
    EXPECT_TRUE(tasks <= before + 1 || tasks / before < 1.06) << before << " to " << tasks;  // dense
    before = tasks;
  }
}

TEST(ModelPlots, ShowSpreadOfRepeats) {
  const Plot plot = model_plots(measured(), {model_of("ATM")}, 1000, "s").at(0);
  const PlotSeries* spread = find(plot, "spread");
  ASSERT_TRUE(spread && spread->line);
  ASSERT_EQ(spread->points.size(), 3U);  // the second sample has no repeats
  EXPECT_EQ(spread->points[0], std::pair(10.0, 90.0));
  EXPECT_EQ(spread->points[1], std::pair(10.0, 120.0));
  EXPECT_TRUE(std::isnan(spread->points[2].first));
}

TEST(ModelPlots, DrawOneCurvePerThreadCount) {
  ComponentModel model = model_of("ATM");
  model.by_threads[4] = std::make_shared<Hyperbola>(300);
  const Plot plot = model_plots(measured(), {model}, 1000, "s").at(0);
  const PlotSeries *one = find(plot, "1 thread"), *four = find(plot, "4 threads");
  ASSERT_TRUE(one && four && find(plot, "measured, 4 threads"));
  EXPECT_EQ(one->colour, four->colour) << "the component's colour";
  EXPECT_NE(find(plot, "measured, 1 thread")->mark, find(plot, "measured, 4 threads")->mark);
  EXPECT_EQ(one->points.back().first, 1000);
  EXPECT_EQ(four->points.back(), std::pair(250.0, 1.2));  // 1000 processors
  EXPECT_EQ(find(plot, "extrapolated")->points.size(), 2U);
}

TEST(ModelPlots, OmitComponentsThatTakeNoTime) {
  ComponentModel stub = model_of("GLC");
  stub.by_threads[1] = std::make_shared<Hyperbola>(0);
  const std::vector<Plot> plots = model_plots(measured(), {stub, model_of("ATM")}, 1000, "s");
  ASSERT_EQ(plots.size(), 1U);
  EXPECT_EQ(plots[0].title, "ATM (CAM)");
}

TEST(ModelPlots, HaveColoursOfTimeline) {
  Solution solution;
  solution.time = 1;
  solution.processors = 2;
  for (const char* name : {"ATM", "OCN"})
    solution.places.push_back({.component = name, .tasks = 1, .processors = 1, .cost = 1, .end = 1});
  const drawing::Timeline timeline = layout_timeline(solution, "s");
  ASSERT_EQ(timeline.boxes.size(), 2U);
  EXPECT_NE(timeline.boxes[0].colour, timeline.boxes[1].colour);
  for (const drawing::TimelineBox& box : timeline.boxes)
    EXPECT_EQ(find(model_plots({}, {model_of(box.name)}, 10, "s").at(0), "model")->colour, box.colour);
}

TEST(ModelPlots, AcceptEmptyInput) {
  const std::vector<Plot> plots = model_plots({}, {model_of("OCN"), model_of("ICE")}, 0, "s");
  ASSERT_EQ(plots.size(), 2U);
  EXPECT_EQ(plots[1].title, "ICE");
  EXPECT_FALSE(find(plots[0], "spread"));
  EXPECT_EQ(find(plots[0], "model")->points.back().first, 100);  // the curve ends at the last measured count
  EXPECT_TRUE(model_plots({}, {}, 1000, "s").empty());
}

}  // namespace

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
