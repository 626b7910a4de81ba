#include <plimsoll/support/plot.hpp>

#include <plimsoll/support/error.hpp>

namespace plimsoll::support {

std::string plot_text(const Plot&, const PlotTextOptions&) { throw usage_error("unfinished"); }
std::string plot_svg(const std::vector<Plot>&, const std::string&) { throw usage_error("unfinished"); }

}  // namespace plimsoll::support
