#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace plimsoll::support {

/// Points of one kind in a plot, joined by lines or not.
struct PlotSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;
  bool line = false;               ///< join them
  bool marks = true;               ///< mark them
  char mark = 'x';                 ///< in a terminal without UTF-8, and as the kind of mark
  std::string colour = "#1f77b4";  ///< in SVG
};

/// A plot of y over x.
struct Plot {
  std::string title;
  std::string x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<PlotSeries>
      series;  ///< drawn in this order; points that a logarithmic axis has not are left out
};

/// Several plots in a terminal, one after another. Lines end with a newline, and have no blanks before it.
struct PlotTextOptions {
  std::size_t width = 72;
  std::size_t height = 14;
  bool ascii = false;
};
std::string plot_text(const Plot& plot, const PlotTextOptions& options = {});

/// Several plots in one SVG picture, two columns of them.
std::string plot_svg(const std::vector<Plot>& plots, const std::string& title);

}  // namespace plimsoll::support
