#include "drawing/plot_axis.hpp"

#include <algorithm>
#include <limits>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {

namespace {

constexpr double largest_drawn = 1e300;  // limit of drawn values, so that all differences are finite

// Returns the smallest step of 1, 2 or 5 times a power of ten that divides a length into `most` parts or
// fewer.
double round_step(double length, std::size_t most) {
  const double minimum = length / static_cast<double>(std::max<std::size_t>(most, 1));
  const double power = std::pow(10, std::floor(std::log10(minimum)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= minimum * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

std::vector<double> round_values(double begin, double end, std::size_t most) {
  const double step = round_step(end - begin, most);
  std::vector<double> values;
  const double slack = 1e-9 * (end - begin);
  for (double k = std::ceil((begin - slack) / step); k * step <= end + slack && values.size() <= most; ++k)
    values.push_back(k * step);
  return values;
}

bool has_place(double value, bool logarithmic) {
  return std::abs(value) <= largest_drawn && (!logarithmic || value >= 1 / largest_drawn);
}

}  // namespace

PlotAxis::PlotAxis(double minimum, double maximum, bool logarithmic)
    : logarithmic_(logarithmic),
      begin_(logarithmic ? std::log10(minimum) : minimum),
      end_(logarithmic ? std::log10(maximum) : maximum) {
  PLIMSOLL_EXPECT(minimum <= maximum && has_place(minimum, logarithmic) && has_place(maximum, logarithmic));
  // Begin at 0 unless that would compress the data to less than half of the axis.
  if (!logarithmic && minimum >= 0 && minimum <= maximum / 2) begin_ = 0;
  const double shortest = logarithmic ? 0.3 : std::max(1e-6 * std::abs(end_), 1e-300);
  if (end_ - begin_ < shortest) {
    const double half = logarithmic ? 0.3 : end_ == 0 ? 1 : std::abs(end_) / 2;
    begin_ -= half;
    end_ += half;
  } else {
    const double margin = 0.03 * (end_ - begin_);
    if (begin_ != 0) begin_ -= margin;
    end_ += margin;
  }
}

double PlotAxis::position(double value) const {
  return ((logarithmic_ ? std::log10(value) : value) - begin_) / (end_ - begin_);
}

std::vector<double> PlotAxis::ticks(std::size_t most) const {
  if (!logarithmic_) return round_values(begin_, end_, most);
  std::vector<double> ticks = decade_ticks(most);
  const bool is_short = end_ - begin_ < 1;  // less than a decade: equal steps give enough labels
  return is_short && ticks.size() < 3 ? round_values(std::pow(10, begin_), std::pow(10, end_), most) : ticks;
}

std::vector<double> PlotAxis::decade_ticks(std::size_t most) const {
  const int first = static_cast<int>(std::floor(begin_));
  const int last = static_cast<int>(std::ceil(end_));
  const auto values = [&](int decades, const std::vector<double>& factors) {
    std::vector<double> result;
    for (int exponent = first; exponent <= last; ++exponent) {
      if (exponent % decades != 0) continue;
      for (const double factor : factors) {
        const double place = exponent + std::log10(factor);
        if (place >= begin_ - 1e-9 && place <= end_ + 1e-9) result.push_back(factor * std::pow(10, exponent));
      }
    }
    return result;
  };
  for (const std::vector<double>& factors : {std::vector<double>{1, 2, 5}, {1, 3}})
    if (std::vector<double> fine = values(1, factors); fine.size() <= most) return fine;
  int decades = 1;
  while ((last - first) / decades > static_cast<int>(std::max<std::size_t>(most, 2))) ++decades;
  return values(decades, {1});
}

bool has_place(const Plot& plot, const std::pair<double, double>& point) {
  return has_place(point.first, plot.log_x) && has_place(point.second, plot.log_y);
}

std::optional<PlotFrame> frame_of(const Plot& plot) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double x_minimum = infinity, x_maximum = -infinity, y_minimum = infinity, y_maximum = -infinity;
  for (const PlotSeries& series : plot.series)
    for (const auto& point : series.points) {
      if (!has_place(plot, point)) continue;
      x_minimum = std::min(x_minimum, point.first);
      x_maximum = std::max(x_maximum, point.first);
      y_minimum = std::min(y_minimum, point.second);
      y_maximum = std::max(y_maximum, point.second);
    }
  if (x_minimum > x_maximum) return std::nullopt;
  return PlotFrame{PlotAxis(x_minimum, x_maximum, plot.log_x), PlotAxis(y_minimum, y_maximum, plot.log_y)};
}

std::vector<std::vector<std::pair<double, double>>> runs_of(const Plot& plot, const PlotSeries& series) {
  std::vector<std::vector<std::pair<double, double>>> runs;
  bool interrupted = true;
  for (const auto& point : series.points) {
    const bool placed = has_place(plot, point);
    if (placed && interrupted) runs.emplace_back();
    if (placed) runs.back().push_back(point);
    interrupted = !placed;
  }
  return runs;
}

std::vector<const PlotSeries*> legend_of(const Plot& plot) {
  if (plot.series.size() < 2) return {};
  std::vector<const PlotSeries*> listed;
  for (const PlotSeries& series : plot.series)
    if (std::ranges::any_of(series.points, [&](const auto& point) { return has_place(plot, point); }))
      listed.push_back(&series);
  return listed;
}

}  // namespace plimsoll::drawing
