#include "pelayout/timing/profile_length.hpp"

#include <fmt/format.h>

#include <cmath>

#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr double min_days = 1e-6;

/// Returns the minimum and maximum number of days that STOP_OPTION and STOP_N may mean. Empty if unknown.
std::optional<std::pair<double, double>> days_asked_for(std::string_view stop_option,
                                                        std::string_view stop_n) {
  const auto n = support::parse_number<std::int64_t>(stop_n);
  if (!n || *n < 1) return std::nullopt;
  const std::string option = support::upper_case(stop_option);
  const auto times = static_cast<double>(*n);
  if (option.starts_with("NSECOND")) return std::pair(times / 86400, times / 86400);
  if (option.starts_with("NMINUTE")) return std::pair(times / 1440, times / 1440);
  if (option.starts_with("NHOUR")) return std::pair(times / 24, times / 24);
  if (option.starts_with("NDAY")) return std::pair(times, times);
  if (option.starts_with("NMONTH")) return std::pair(28 * times, 31 * times);
  if (option.starts_with("NYEAR")) return std::pair(365 * times, 366 * times);
  return std::nullopt;
}

}  // namespace

Diagnostic run_length_remark(const TimingFile& run, Severity severity, std::uint64_t line, std::string what,
                             std::string suggestion) {
  return {.severity = severity,
          .check = "run-length",
          .what = std::move(what),
          .file = run.path,
          .line = line,
          .suggestion = std::move(suggestion)};
}

void ProfileLength::read_days(const TimingLine& length) {
  const double days = length.number_at(0, "the run length");
  if (length.word(1) != "days") throw length.error("the run length must be in days");
  if (days < min_days) throw length.error("the run length is zero: the run was aborted", "use another file");
  if (line_ != 0 && days != stated_days_)
    throw length.error(fmt::format("conflicting run length in line {}", line_));
  stated_days_ = days;
  line_ = length.number();
  if (length.word(2).starts_with('(') && length.word(3) == "for")
    ocean_days_ = length.number_of(length.word(2).substr(1), "the run length of the ocean");
}

void ProfileLength::read_request(const TimingLine& request) {
  const std::string_view text = request.text();
  stop_option_ = support::trimmed(text.substr(0, text.find(',')));
  const std::size_t equals = text.find('=');
  if (equals != std::string_view::npos) stop_n_ = support::trimmed(text.substr(equals + 1));
}

void ProfileLength::set_days(TimingFile& run) const {
  run.run_days = stated_days_;
  correct_truncated_days(run);
  compare_with_request(run);
}

// get_timing.py cuts counts of 7 digits in GPTL's statistics, and rounds the quotient down to whole days,
// so up to one day is missing. The ocean takes fewer steps, so its count is complete.
void ProfileLength::correct_truncated_days(TimingFile& run) const {
  constexpr double rounding = 1e-3;
  const double ocean_days = ocean_days_ - rounding;
  const auto asked = days_asked_for(stop_option_, stop_n_);
  const bool is_asked_length = asked && asked->first == asked->second && asked->first > stated_days_ &&
                               asked->first <= stated_days_ + 1 && asked->first >= ocean_days;
  const bool is_truncated = is_asked_length || ocean_days > stated_days_;
  if (stated_days_ != std::floor(stated_days_) || !is_truncated) return;
  run.run_days = is_asked_length ? asked->first : std::ceil(ocean_days);
  const double factor = run.run_days / stated_days_;
  if (run.throughput) *run.throughput *= factor;
  if (run.cost) *run.cost /= factor;
  run.warnings.push_back(run_length_remark(
      run, Severity::note, line_,
      fmt::format("truncated run length: {} days, but {}; {} days are used", stated_days_,
                  ocean_days > stated_days_
                      ? fmt::format("the ocean ran {}", ocean_days_)
                      : fmt::format("the run was set to stop after {} ({})", support::in_quotes(stop_n_),
                                    support::in_quotes(stop_option_)),
                  run.run_days)));
}

void ProfileLength::compare_with_request(TimingFile& run) const {
  const auto asked = days_asked_for(stop_option_, stop_n_);
  if (!asked) return;
  // Allow a deviation, because runs may end up to a few coupling steps early.
  const bool short_run = run.run_days < 0.95 * asked->first;
  const bool long_run = run.run_days > 1.05 * asked->second;
  if (!short_run && !long_run) return;
  run.warnings.push_back(run_length_remark(
      run, Severity::warning, line_,
      fmt::format("the run length is {} days, but the run was set to stop after {} ({})", run.run_days,
                  support::in_quotes(stop_n_), support::in_quotes(stop_option_)),
      short_run ? "check whether the run ended early, or CIME truncated its number of days"
                : "check the line: CIME counts too many days if the ocean is coupled more often than the "
                  "atmosphere"));
}

}  // namespace plimsoll::pelayout
