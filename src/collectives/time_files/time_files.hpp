#pragma once

#include <fmt/format.h>

#include <functional>
#include <set>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/support/contract.hpp>

#include "collectives/files/file_names.hpp"
#include "collectives/files/findings.hpp"

/// Time files, which accompany the files of counts. They contain times, late arrivals, timestamps, hashes of
/// data, locations, communicator data and backtraces in the collective profiler's format version 9.
/// collectives.job<J>.json contains data that the other files cannot hold. docs/reference/collective-files.md
/// describes them.
namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Passes the names and texts of all time files of a profile to `add`. Kinds without data have no file,
/// except collectives.job<J>.json, which always exists.
void write_time_files(const Profile& profile,
                      const std::function<void(const FileName& name, const std::string& text)>& add);

/// Adds the content of a time file to a profile. Malformed parts are skipped; findings about them name
/// `path`. First read the files of counts, because type sizes are added to their signatures. Then read time
/// files with a job in their name, then the others: these belong to the job of the existing leads.
void read_time_file(const std::string& path, const FileName& name, std::string_view text, Profile& profile,
                    std::vector<Diagnostic>& findings, const ReadLimits& limits);

/// First line of every version 9 file.
inline constexpr std::string_view version_line = "FORMAT_VERSION: 9\n";

/// The lines of a time file, and the findings about it. An incomplete last line is discarded, because its
/// content may be wrong.
class TimeFileText {
 public:
  TimeFileText(const std::string& path, std::string_view text, std::vector<Diagnostic>& findings)
      : findings_(path, findings), lines_(text) {}

  /// Moves to the next line; returns false at the end.
  bool next() {
    if (lines_.at_end()) return false;
    number_ = lines_.number();
    line_ = support::trimmed(lines_.line());
    const bool is_whole = !lines_.is_cut();
    lines_.advance();
    if (!is_whole && !line_.empty()) malformed("file truncated in the middle of its last line");
    return is_whole;
  }

  /// Moves to the next non-empty line; returns false at the end.
  bool next_filled() {
    while (next())
      if (!line_.empty()) return true;
    return false;
  }

  /// Returns the current line without leading and trailing spaces.
  std::string_view line() const { return line_; }
  std::uint64_t line_number() const { return number_; }
  /// Returns the text after `key` in the current line, without surrounding spaces, if the line begins with
  /// `key`.
  std::optional<std::string_view> value_of(std::string_view key) const {
    std::string_view value = line_;
    if (!take_field(value, key)) return std::nullopt;
    return value;
  }

  /// Skips the line of the format version; must be called first. A version other than 9, or a missing one, is
  /// a warning.
  void skip_version() {
    PLIMSOLL_EXPECT(number_ == 0);
    const support::LineReader begin = lines_;
    if (!next_filled()) {
      warning(1, "the file is empty");
    } else if (const auto version = value_of("FORMAT_VERSION:"); !version) {
      warning(number_, "missing line \"FORMAT_VERSION: 9\"; read as version 9");
      lines_ = begin;
      number_ = 0;
    } else if (*version != "9") {
      warning(number_, fmt::format("unknown format version {}; read as version 9", shown(*version)));
    }
  }

  /// Reports a malformed line, which is skipped.
  void malformed(std::uint64_t line, std::string what) {
    findings_.add(support::Severity::error, line, std::move(what));
  }
  void malformed(std::string what) { malformed(number_, std::move(what)); }
  void warning(std::uint64_t line, std::string what) {
    findings_.add(support::Severity::warning, line, std::move(what));
  }

 private:
  Findings findings_;
  support::LineReader lines_;  // starts at the next line
  std::string_view line_;
  std::uint64_t number_ = 0;
};

// Each kind has a function that returns the text of a file, and one that reads such text and adds its content
// to `lead`.

/// <coll>_locations: the ranks of a communicator in MPI_COMM_WORLD, their processes and hosts, and its calls
/// of one operation. A malformed line does not affect other lines, except that hosts and processes are
/// ignored if the ranks are missing.
std::string locations_text(const Communicator& communicator, const NumberList& calls);
void read_locations(const FileName& name, TimeFileText& text, Lead& lead, const ReadLimits& limits);

/// <coll>_comm_data: a lead's communicators that have times, hashes, locations or backtraces of the
/// operation. Empty without such communicators.
std::string communicator_data_text(const Lead& lead, Operation operation);
void read_communicator_data(TimeFileText& text, Lead& lead);

/// <coll>_backtrace: the frames of one call stack, and the calls made from there. Frames of the collective
/// profiler itself, and malformed contexts, are skipped.
std::string backtrace_text(const Backtrace& trace);
void read_backtrace(const FileName& name, TimeFileText& text, Lead& lead, const ReadLimits& limits);

/// collectives.job<J>.json: the data of a job that no other file contains. Data of the profile as a whole are
/// included only if `with_profile` is true, so that they appear only once for several jobs.
std::string index_text(const Profile& profile, std::uint64_t job, bool with_profile);
/// Reads text in this format. A part of the wrong type is skipped; its finding contains the JSON pointer.
void read_index(const std::string& path, std::string_view text, std::uint64_t job, Profile& profile,
                std::vector<Diagnostic>& findings, const ReadLimits& limits);

/// Returns the IDs of the communicators with such data.
std::set<std::uint32_t> communicators_with_data(const Lead& lead, Operation operation);

/// Returns the communicator with this ID; adds it if missing. Communicators are sorted by ID.
Communicator& communicator_of(Lead& lead, std::uint32_t id);

/// Returns the IDs of the calls of one operation on a communicator; adds an empty list if missing. Lists are
/// sorted by operation.
NumberList& calls_of(Communicator& communicator, Operation operation);

}  // namespace plimsoll::collectives
