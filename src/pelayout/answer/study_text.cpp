#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include <plimsoll/pelayout/internal/study_text.hpp>
#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

std::string figure(double number) {
  if (!std::isfinite(number)) return "-";
  const double size = std::abs(number);
  if (size >= 99.95 && size < 9e15)
    return (number < 0 ? "-" : "") + support::format_count(static_cast<std::uint64_t>(std::llround(size)));
  if (size >= 9.995) return fmt::format("{:.1f}", number);
  if (size >= 0.9995 || size == 0) return fmt::format("{:.2f}", number);
  return fmt::format("{:.3g}", number);
}

std::string cost_figure(double cost, double maximum) {
  const int decimals = maximum >= 1000 ? 1 : maximum >= 10 ? 2 : maximum >= 1 ? 3 : 4;
  return fmt::format("{:.{}f}", cost, decimals);
}

std::string counted(std::int64_t number, const std::string& what) {
  return fmt::format("{} {}{}", support::format_count(static_cast<std::uint64_t>(number)), what,
                     number == 1 ? "" : "s");
}

std::string enumeration(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += (k == 0 ? "" : k + 1 == words.size() ? " and " : ", ") + words[k];
  return text;
}

std::int64_t total_of(const Study& study) {
  return study.keeps_own_layout() ? study.own->total : study.total;
}

const char* unit_of(const Study& study) {
  return unit_symbol(study.problem.unit);
}

std::string where_measured(const Study& study, const Place& place) {
  const ComponentModel* model = study.model(place.component);
  if (model == nullptr || !model->by_threads.contains(place.threads)) return "not";
  const auto range = model->by_threads.at(place.threads)->measured_range();
  if (!range) return "not";
  return place.tasks > range->max   ? "up to " + support::format_count(static_cast<std::uint64_t>(range->max))
         : place.tasks < range->min ? "from " + support::format_count(static_cast<std::uint64_t>(range->min))
                                    : "";
}

const char* processor_of(const Study& study) {
  return study.counts_threads ? "processor" : "task";
}

}  // namespace plimsoll::pelayout
