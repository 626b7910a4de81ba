#include "pelayout/timing/timing_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr double max_number = 1e15;  // longer than any run; sums of such numbers remain finite

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::string_view word; !(word = support::take_word(text)).empty();) words.push_back(word);
  return words;
}

}  // namespace

TimingLine::TimingLine(std::string_view text, std::uint64_t number, const std::string& file)
    : text_(support::trimmed(text)), number_(number), file_(file), words_(split(text_)) {}

bool TimingLine::ruled() const {
  return !blank() && text_.find_first_not_of("- \t") == std::string_view::npos;
}

double TimingLine::number_at(std::size_t place, std::string_view what) const {
  return number_of(word(place), what);
}

std::int64_t TimingLine::count_at(std::size_t place, std::string_view what, std::int64_t minimum) const {
  return count_of(word(place), what, minimum);
}

double TimingLine::number_of(std::string_view word, std::string_view what) const {
  if (word.empty()) throw error(fmt::format("the line ends before {}", what));
  const auto value = support::parse_number<double>(word);
  if (!value || !std::isfinite(*value))
    throw error(fmt::format("invalid value {1} for {0}: expected a number", what, support::in_quotes(word)));
  if (*value < 0)
    throw error(fmt::format("invalid value {1} for {0}: must be >= 0", what, support::in_quotes(word)));
  if (*value > max_number) throw error(fmt::format("{} is too large: {}", what, support::in_quotes(word)));
  return *value;
}

std::int64_t TimingLine::count_of(std::string_view word, std::string_view what, std::int64_t minimum) const {
  if (word.empty()) throw error(fmt::format("the line ends before {}", what));
  const auto value = support::parse_number<std::int64_t>(word);
  if (!value)
    throw error(
        fmt::format("invalid value {1} for {0}: expected an integer", what, support::in_quotes(word)));
  if (*value < minimum || *value > max_count)
    throw error(fmt::format("invalid value {1} for {0}: must be between {2} and {3}", what, *value, minimum,
                            max_count));
  return *value;
}

Error TimingLine::error(std::string what, std::string suggestion) const {
  support::Diagnostic diagnostic;
  diagnostic.what = std::move(what);
  diagnostic.file = file_;
  diagnostic.line = number_;
  diagnostic.suggestion = std::move(suggestion);
  return {ErrorKind::bad_input, std::move(diagnostic)};
}

namespace {

constexpr double min_days = 1e-6;

/// Normalises keys: "run_type" and "run type", "Case" and "case" are the same.
std::string plain_key(std::string_view key) {
  std::string result = support::upper_case(support::trimmed(key));
  std::replace(result.begin(), result.end(), '_', ' ');
  return result;
}

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

void TimingHeader::read(const TimingLine& line, TimingFile& file) {
  const std::size_t colon = line.text().find(':');
  if (colon == std::string_view::npos) return;
  const std::string key = plain_key(line.text().substr(0, colon));
  const std::string_view value = support::trimmed(line.text().substr(colon + 1));
  if (key == "CASE") file.case_name = value;
  if (key == "LID") file.log_id = value;
  if (key == "MACHINE") file.machine = value;
  if (key == "GRID") file.grid = value;
  if (key == "COMPSET") file.compset = value;
  if (key == "RUN LENGTH") read_run_length(line, value, file);
  if (key == "STOP OPTION") {
    // Split a value such as "ndays, stop_n = 10" into the option and its number.
    stop_option_ = support::trimmed(value.substr(0, value.find(',')));
    const std::size_t equals = value.find('=');
    if (equals != std::string_view::npos) stop_n_ = support::trimmed(value.substr(equals + 1));
  }
}

// Reads a run length such as "10 days (9 for ocean)".
void TimingHeader::read_run_length(const TimingLine& line, std::string_view value, const TimingFile& file) {
  const TimingLine length(value, line.number(), file.path);
  const double days = length.number_at(0, "the run length");
  if (length.word(1) != "days") throw line.error("the run length must be in days");
  if (days < min_days) throw line.error("the run length is zero: the run was aborted", "use another file");
  if (run_length_line_ != 0 && days != stated_days_)
    throw line.error(fmt::format("conflicting run length in line {}", run_length_line_));
  stated_days_ = days;
  run_length_line_ = line.number();
  if (length.word(2).starts_with('(') && length.word(3) == "for")
    ocean_days_ = length.number_of(length.word(2).substr(1), "the run length of the ocean");
}

void TimingHeader::read_metric(const TimingLine& line, TimingFile& file) const {
  const std::size_t colon = line.text().find(':');
  if (colon == std::string_view::npos) return;
  const std::string key = plain_key(line.text().substr(0, colon));
  const TimingLine value(line.text().substr(colon + 1), line.number(), file.path);
  if (key == "TOTAL PES ACTIVE") file.processors = value.count_at(0, "the number of processors", 1);
  if (key == "PES PER NODE" || key == "MPI TASKS PER NODE")
    file.processors_per_node = value.count_at(0, "the number of processors per node", 1);
  if (key == "MODEL COST") file.cost = value.number_at(0, "the model's cost");
  if (key == "MODEL THROUGHPUT") file.throughput = value.number_at(0, "the model's throughput");
}

void TimingHeader::finish(TimingFile& file, const TimingLine& end) const {
  if (run_length_line_ == 0) throw end.error("missing run length: required for seconds per model day");
  file.run_days = stated_days_;
  correct_truncated_days(file);
  compare_with_request(file);
}

// get_timing.py cuts counts of 7 digits in GPTL's statistics, and rounds the quotient down to whole days, so
// up to one day is missing. The ocean takes fewer steps, so its count is complete.
void TimingHeader::correct_truncated_days(TimingFile& file) const {
  constexpr double rounding = 1e-3;
  const double ocean_days = ocean_days_ - rounding;
  const auto asked = days_asked_for(stop_option_, stop_n_);
  const bool is_asked_length = asked && asked->first == asked->second && asked->first > stated_days_ &&
                               asked->first <= stated_days_ + 1 && asked->first >= ocean_days;
  const bool is_truncated = is_asked_length || ocean_days > stated_days_;
  if (stated_days_ != std::floor(stated_days_) || !is_truncated) return;
  file.run_days = is_asked_length ? asked->first : std::ceil(ocean_days);
  const double factor = file.run_days / stated_days_;
  if (file.throughput) *file.throughput *= factor;
  if (file.cost) *file.cost /= factor;
  report(file, Severity::note,
         fmt::format("truncated run length: {} days, but {}; {} days are used", stated_days_,
                     ocean_days > stated_days_
                         ? fmt::format("the ocean ran {}", ocean_days_)
                         : fmt::format("the run was set to stop after {} ({})", support::in_quotes(stop_n_),
                                       support::in_quotes(stop_option_)),
                     file.run_days),
         {});
}

void TimingHeader::compare_with_request(TimingFile& file) const {
  const auto asked = days_asked_for(stop_option_, stop_n_);
  if (!asked) return;
  // Allow a deviation, because runs may end up to a few coupling steps early.
  const bool short_run = file.run_days < 0.95 * asked->first;
  const bool long_run = file.run_days > 1.05 * asked->second;
  if (!short_run && !long_run) return;
  report(file, Severity::warning,
         fmt::format("the run length is {} days, but the run was set to stop after {} ({})", file.run_days,
                     support::in_quotes(stop_n_), support::in_quotes(stop_option_)),
         short_run ? "check whether the run ended early, or CIME truncated its number of days"
                   : "check the line: CIME counts too many days if the ocean is coupled more often than the "
                     "atmosphere");
}

void TimingHeader::report(TimingFile& file, Severity severity, std::string what,
                          std::string suggestion) const {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.check = "run-length";
  diagnostic.what = std::move(what);
  diagnostic.file = file.path;
  diagnostic.line = run_length_line_;
  diagnostic.suggestion = std::move(suggestion);
  file.warnings.push_back(std::move(diagnostic));
}

}  // namespace plimsoll::pelayout
