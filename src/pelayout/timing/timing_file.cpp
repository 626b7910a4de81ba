#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "pelayout/layout/names.hpp"
#include "pelayout/timing/esmf_run.hpp"
#include "pelayout/timing/profile_length.hpp"
#include "pelayout/timing/timing_formats.hpp"
#include "pelayout/timing/timing_line.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

// Limits far above real files, which have lines of a few hundred bytes and ten components.
constexpr std::size_t max_line_bytes = 65536;
constexpr std::size_t max_name_bytes = 64;

/// Rounding error of times in the files, which have three decimal digits: seconds, and seconds per day.
constexpr double rounding_s = 0.0005;

struct RunTime {
  double seconds = 0;
  double seconds_per_day = 0;
  std::uint64_t line = 0;
};

bool is_heading(std::string_view text) {
  constexpr std::string_view rule = "- ";
  text = support::trimmed(text);
  const std::size_t first = text.find_first_not_of(rule);
  if (!text.starts_with("--") || first == std::string_view::npos) return false;
  text = text.substr(first, text.find_last_not_of(rule) + 1 - first);
  return text == "TIMING PROFILE" || text == "CCSM TIMING PROFILE";
}

/// Returns whether a text is a name of word characters and some others.
bool is_name(std::string_view text, std::string_view others) {
  return !text.empty() && text.size() <= max_name_bytes && std::ranges::all_of(text, [&](char letter) {
    return is_word(letter) || others.find(letter) != std::string_view::npos;
  });
}

/// Splits "CPL_0002" into the model and its instance number, which is 0 if missing.
std::int64_t take_instance(std::string& model) {
  constexpr std::size_t digits = 4;
  if (model.size() <= digits + 1) return 0;
  const std::size_t bar = model.size() - digits - 1;
  if (model[bar] != '_' || model.find_first_not_of("0123456789", bar + 1) != std::string::npos) return 0;
  const std::int64_t instance = std::stoll(model.substr(bar + 1));
  model.resize(bar);
  return instance;
}

/// Normalises keys: "run_type" and "run type", "Case" and "case" are the same.
std::string plain_key(std::string_view key) {
  std::string result = support::upper_case(support::trimmed(key));
  std::replace(result.begin(), result.end(), '_', ' ');
  return result;
}

/// Reads a profile line by line: header, table of components, totals and run times. The flowchart of the
/// driver's timers at the end is ignored.
class ProfileReader {
 public:
  explicit ProfileReader(const std::string& path) { file_.path = path; }

  TimingFile read(std::string_view text) {
    support::LineReader lines(text);
    for (; !lines.at_end(); lines.advance()) {
      if (lines.line().size() > max_line_bytes)
        throw TimingLine({}, lines.number(), file_.path).error("line too long for a timing profile");
      if (part_ != Part::flowchart || is_heading(lines.line()))
        read_line(TimingLine(lines.line(), lines.number(), file_.path));
    }
    if (part_ == Part::before)
      throw support::bad_input(
          "not a timing profile: missing line \"TIMING PROFILE\"", file_.path,
          "specify files such as cesm_timing.<case>.<log id> in a case's timing directory");
    return finish(lines.number());
  }

 private:
  enum class Part { before, header, table, results, flowchart };

  void read_line(const TimingLine& line) {
    if (is_heading(line.text())) {
      if (part_ != Part::before)
        throw line.error("second timing profile in this file", "use a separate file for each");
      part_ = Part::header;
      return;
    }
    switch (part_) {
      case Part::before:
        if (!line.blank())
          throw line.error("not a timing profile: the first line must be \"TIMING PROFILE\"",
                           "specify files such as cesm_timing.<case>.<log id> in a case's timing directory");
        return;
      case Part::header:
        if (line.text().find("comp_pes") != std::string_view::npos && line.word(0) == "component")
          part_ = Part::table;
        else
          read_value(line);
        return;
      case Part::table:
        if (line.blank() && !file_.components.empty())
          part_ = Part::results;
        else if (!line.blank() && !line.ruled())
          read_component(line);
        return;
      case Part::results: read_result(line); return;
      case Part::flowchart: return;
    }
  }

  /// Reads a value that concerns the whole run. Lines above the table of components are "Case : x",
  /// "run_length : 10 days (9 for ocean)" and others; those below it "total pes active : 8", "Model Cost:
  /// 36.51 pe-hrs/simulated_year" and others.
  void read_value(const TimingLine& line) {
    const std::size_t colon = line.text().find(':');
    if (colon == std::string_view::npos) return;
    const std::string key = plain_key(line.text().substr(0, colon));
    const TimingLine value(line.text().substr(colon + 1), line.number(), file_.path);
    part_ == Part::header ? read_setting(key, value) : read_metric(key, value);
  }

  void read_setting(const std::string& key, const TimingLine& value) {
    if (key == "CASE") file_.case_name = value.text();
    if (key == "LID") file_.log_id = value.text();
    if (key == "MACHINE") file_.machine = value.text();
    if (key == "DRIVER") file_.driver = value.text();
    if (key == "GRID") file_.grid = value.text();
    if (key == "COMPSET") file_.compset = value.text();
    if (key == "RUN LENGTH") length_.read_days(value);
    if (key == "STOP OPTION") length_.read_request(value);
  }

  void read_metric(const std::string& key, const TimingLine& value) {
    if (key == "TOTAL PES ACTIVE") file_.processors = value.count_at(0, "the number of processors", 1);
    if (key == "PES PER NODE" || key == "MPI TASKS PER NODE")
      file_.processors_per_node = value.count_at(0, "the number of processors per node", 1);
    if (key == "MODEL COST") file_.cost = value.number_at(0, "the model's cost");
    if (key == "MODEL THROUGHPUT") file_.throughput = value.number_at(0, "the model's throughput");
  }

  // Reads lines such as "atm = cam        3456        0        1152   x 3       1      (1     )".
  void read_component(const TimingLine& line) {
    if (!is_name(line.word(0), "") || line.word(1) != "=" || !is_name(line.word(2), "%-.+"))
      throw line.error("invalid row in the table of components: expected \"atm = cam ...\"");
    ComponentTiming component;
    component.component = support::upper_case(line.word(0));
    component.model = support::upper_case(line.word(2));
    if (component.component == "CPL") file_.driver_instance = take_instance(component.model);
    // Ignore comp_pes: it should be tasks x threads, but was twice that in 2017 (ESMCI/cime, 1545).
    line.count_at(3, "comp_pes", 0);
    component.root = line.count_at(4, "root_pe", 0);
    component.tasks = line.count_at(5, "tasks", 1);
    if (line.word(6) != "x") throw line.error("missing \"x\" between tasks and threads");
    component.threads = line.count_at(7, "threads", 1);
    // CESM 1.0 has no column for instances.
    const std::size_t last = line.word(8).starts_with("(") ? 8 : 9;
    if (last == 9) component.instances = line.count_at(8, "instances", 1);
    component.stride = stride(line, last);

    if (const ComponentTiming* const known = file_.find(component.component))
      throw line.error(fmt::format("{} appears twice in the table, first in line {}", component.component,
                                   rows_[static_cast<std::size_t>(known - file_.components.data())]));
    if (file_.components.size() == max_components)
      throw line.error(fmt::format("more than {} components", max_components));
    file_.components.push_back(std::move(component));
    rows_.push_back(line.number());
  }

  static std::int64_t stride(const TimingLine& line, std::size_t place) {
    const std::size_t open = line.text().find('(');
    if (open == std::string_view::npos || !line.word(place).starts_with("(") || !line.text().ends_with(")"))
      throw line.error("truncated line: missing stride in parentheses");
    const std::string_view inside = line.text().substr(open + 1, line.text().size() - open - 2);
    return line.count_of(support::trimmed(inside), "stride", 0);
  }

  void read_result(const TimingLine& line) {
    const std::string_view text = line.text();
    if (text.find("DRIVER TIMING FLOWCHART") != std::string_view::npos ||
        text.starts_with("NOTE: min:max driver timers") || text.starts_with("More info on coupler timing"))
      part_ = Part::flowchart;
    else if (line.word(1) == "Run" && line.word(2) == "Time:")
      read_run_time(line);
    else if (line.word(0) == "CPL" && line.word(1) == "COMM" && line.word(2) == "Time:")
      read_coupling(line);
    else
      read_value(line);
  }

  // Reads lines such as "ATM Run Time:      20.444 seconds        2.044 seconds/mday       115.79
  // myears/wday".
  static RunTime run_time(const TimingLine& line) {
    RunTime time;
    time.line = line.number();
    time.seconds = line.number_at(3, "the run time");
    time.seconds_per_day = line.number_at(5, "the run time per model day");
    line.number_at(7, "the throughput");
    if (line.word(4) != "seconds" || line.word(6) != "seconds/mday" || line.word(8) != "myears/wday")
      throw line.error("invalid or truncated line of run times: expected seconds, seconds/mday, myears/wday");
    return time;
  }

  void read_run_time(const TimingLine& line) {
    const std::string name = support::upper_case(line.word(0));
    const RunTime time = run_time(line);
    const auto [known, is_new] = run_times_.emplace(name, time);
    if (is_new) {
      if (run_times_.size() > max_components + 1)
        throw line.error(fmt::format("more than {} run times", max_components));
      return;
    }
    if (known->second.seconds != time.seconds || known->second.seconds_per_day != time.seconds_per_day)
      throw line.error(
          fmt::format("conflicting run time of {} in line {}", support::in_quotes(name), known->second.line));
  }

  // Reads the line of CPL COMM. CIME 5.6 repeats it after each component, always with the same numbers.
  void read_coupling(const TimingLine& line) {
    const RunTime time = run_time(line);
    if (coupling_ && coupling_->seconds != time.seconds)
      throw line.error(fmt::format("conflicting time of CPL COMM in line {}", coupling_->line));
    if (!coupling_) coupling_ = time;
  }

  TimingFile finish(std::uint64_t last_line) {
    const TimingLine end({}, last_line, file_.path);
    constexpr const char* advice = "use another file: the run was aborted, or the file is truncated";
    if (file_.components.empty()) throw end.error("missing table of components", advice);
    if (run_times_.empty()) throw end.error("missing run times", advice);
    if (!length_.is_known()) throw end.error("missing run length: required for seconds per model day");
    length_.set_days(file_);
    for (std::size_t k = 0; k < file_.components.size(); ++k) {
      ComponentTiming& component = file_.components[k];
      const auto time = run_times_.find(component.component);
      if (time == run_times_.end())
        throw TimingLine({}, rows_[k], file_.path)
            .error(fmt::format("missing run time of {}", component.component), advice);
      component.seconds = time->second.seconds;
      component.seconds_per_day = per_day(time->second, component.component);
      run_times_.erase(time);
    }
    if (const auto total = run_times_.extract("TOT")) {
      file_.total_seconds = total.mapped().seconds;
      file_.total_seconds_per_day = per_day(total.mapped(), "TOT");
    }
    if (coupling_) file_.coupling_seconds_per_day = per_day(*coupling_, "CPL COMM");
    if (!run_times_.empty()) {
      const auto& [name, time] = *run_times_.begin();
      throw TimingLine({}, time.line, file_.path)
          .error(fmt::format("{} has a run time, but no row in the table of components",
                             support::in_quotes(name)));
    }
    return std::move(file_);
  }

  double per_day(const RunTime& time, const std::string& name) {
    const double stated_days = length_.stated_days();
    const double stated = time.seconds / stated_days;
    const double tolerance = rounding_s * (1 + 1 / stated_days) + 1e-9 * stated;
    const bool contradiction = std::abs(stated - time.seconds_per_day) > tolerance;
    if (contradiction)
      file_.warnings.push_back(
          run_length_remark(file_, Severity::warning, time.line,
                            fmt::format("{}: {} seconds for {} model days contradict {} seconds per day",
                                        name, time.seconds, stated_days, time.seconds_per_day),
                            "the run length is used; check the file"));
    // Use the longer time, which has more significant digits: both have three decimal digits.
    return contradiction || stated_days >= 1 ? time.seconds / file_.run_days : time.seconds_per_day;
  }

  TimingFile file_;
  Part part_ = Part::before;
  ProfileLength length_;
  std::vector<std::uint64_t> rows_;  ///< line numbers of the components
  std::map<std::string, RunTime> run_times_;
  std::optional<RunTime> coupling_;
};

}  // namespace

const ComponentTiming* TimingFile::find(const std::string& component) const {
  const auto found = std::ranges::find(components, component, &ComponentTiming::component);
  return found == components.end() ? nullptr : &*found;
}

bool is_timing_profile(std::string_view text) {
  return is_heading(first_line(text));
}

TimingFile parse_timing_file(std::string_view text, const std::string& path) {
  return ProfileReader(path).read(text);
}

TimingFile read_timing_file(const std::string& path, const RunFacts& facts) {
  std::optional<TimingFile> profile;
  std::optional<RunText> fallback;  // parsed only without a profile
  std::string fallback_text;
  TimingFormat format = format_of(path);
  if (format.run_format == nullptr && !format.is_archive) format = format_of_whole(path);
  for_each_run_text(path, format, [&](const RunText& run) {
    const bool yields = run.format.yields_to_profile;
    if (yields ? fallback.has_value() : profile.has_value())
      throw support::bad_input("several runs in the archive", path, "use an archive of one run");
    if (yields) {
      fallback_text = run.text;  // the text of `run` ends with this call
      fallback.emplace(run).text = fallback_text;
    } else {
      profile = run.parse(facts);
    }
  });
  if (!profile) return fallback->parse(facts);
  if (!format.is_archive) add_work_from_directory(*profile);
  return *profile;
}

}  // namespace plimsoll::pelayout
