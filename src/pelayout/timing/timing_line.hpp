#pragma once

#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// A line of a timing profile: its words and error messages.
class TimingLine {
 public:
  TimingLine(std::string_view text, std::uint64_t number, const std::string& file);

  std::uint64_t number() const { return number_; }
  /// Returns the line without surrounding spaces.
  std::string_view text() const { return text_; }
  const std::vector<std::string_view>& words() const { return words_; }
  bool blank() const { return words_.empty(); }
  /// Returns whether the line is a ruler below headings: "---- ----".
  bool ruled() const;
  /// Returns the word at an index; empty beyond the last word.
  std::string_view word(std::size_t place) const {
    return place < words_.size() ? words_[place] : std::string_view{};
  }

  /// Returns the number at an index; `what` describes it. Throws Error (bad_input) if it is not a number, is
  /// negative, or is too large.
  double number_at(std::size_t place, std::string_view what) const;
  std::int64_t count_at(std::size_t place, std::string_view what, std::int64_t minimum) const;
  double number_of(std::string_view word, std::string_view what) const;
  std::int64_t count_of(std::string_view word, std::string_view what, std::int64_t minimum) const;

  Error error(std::string what, std::string suggestion = {}) const;

 private:
  std::string_view text_;
  std::uint64_t number_;
  const std::string& file_;
  std::vector<std::string_view> words_;
};

/// Reads the values in a timing profile that concern the whole run.
class TimingHeader {
 public:
  /// Reads lines above the table of components: "Case : x", "run_length : 10 days (9 for ocean)" and others.
  void read(const TimingLine& line, TimingFile& file);
  /// Reads lines below the table: "total pes active : 8", "Model Cost: 36.51 pe-hrs/simulated_year" and
  /// others.
  void read_metric(const TimingLine& line, TimingFile& file) const;
  /// Corrects a truncated run length. Throws Error (bad_input) if the run length is missing. Warns if it
  /// differs from the requested one.
  void finish(TimingFile& file, const TimingLine& end) const;
  /// Returns the run length in the file, from which CIME computed its times per model day.
  double stated_days() const { return stated_days_; }

 private:
  void read_run_length(const TimingLine& line, std::string_view value, const TimingFile& file);
  void correct_truncated_days(TimingFile& file) const;
  void compare_with_request(TimingFile& file) const;
  void report(TimingFile& file, Severity severity, std::string what, std::string suggestion) const;

  std::uint64_t run_length_line_ = 0;
  double stated_days_ = 0;
  double ocean_days_ = 0;  ///< 0 if missing
  std::string stop_option_;
  std::string stop_n_;
};

}  // namespace plimsoll::pelayout
