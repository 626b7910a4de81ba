#include "lbdata/repair/repair_command.hpp"

#include <fmt/format.h>

#include <set>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "lbdata/reading/document_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

namespace fs = std::filesystem;

/// Reader that notices the same damage as PhaseRescue, and the same evidence of an LB data file.
class DamageFinder : public RecordSink {
 public:
  void metadata_so_far(const RankMetadata& metadata) override {
    recognised_ = recognised_ || metadata.type == "LBDatafile" || metadata.top_level_type == "LBDatafile";
  }
  void end_phase(PhaseHeader&& header, bool complete) override {
    has_phase_ = has_phase_ || complete;
    damaged_ = damaged_ || !complete || !ids_.insert(header.id).second;
  }
  void add_finding(bool readable) { damaged_ = damaged_ || !readable; }

  FileState state_of_complete_text() const {
    if (!damaged_) return FileState::whole;
    return has_phase_ ? FileState::repairable : FileState::unusable;
  }
  FileState state_of_damaged_text() const {
    return recognised_ || has_phase_ ? FileState::repairable : FileState::unusable;
  }

 private:
  std::set<std::int64_t> ids_;
  bool damaged_ = false;
  bool recognised_ = false;
  bool has_phase_ = false;
};

bool has_siblings(const std::string& path) {
  try {
    return files_of_base(support::folder_of(path), set_name(path)).size() > 1;
  } catch (const Error&) {
    return false;  // a file can be readable in a directory that is not
  }
}

/// Returns the name of a directory that does not exist yet, such as "data-repaired" for "data".
std::string new_folder_next_to(const std::string& folder) {
  fs::path path = fs::path(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const bool is_named = path.has_filename() && path.filename() != "." && path.filename() != "..";
  const std::string name =
      is_named ? path.string() + "-repaired" : (path / "repaired").lexically_normal().string();
  std::string free_name = name;
  for (int k = 2; support::identity(free_name); ++k) free_name = fmt::format("{}-{}", name, k);
  return free_name;
}

std::string phases_text(std::uint64_t count) {
  return fmt::format("{} phase{}", support::format_count(count), count == 1 ? "" : "s");
}

}  // namespace

FileState file_state(const std::string& path, const support::SizeLimits& limits) {
  DamageFinder finder;
  try {
    support::TextSource source(path, data_file_format, limits);
    const auto note = [&](Diagnostic&&, bool readable) { finder.add_finding(readable); };
    DocumentParser(source, SchemaVersion::current, note, finder).parse_data_file();
    return finder.state_of_complete_text();
  } catch (const IsStatisticsFile&) {
    return FileState::unusable;
  } catch (const support::SizeLimitError&) {
    return FileState::unusable;
  } catch (const Error& error) {
    return error.kind() == ErrorKind::bad_input ? finder.state_of_damaged_text() : FileState::unusable;
  }
}

std::string repair_in_place_command(const std::string& folder) {
  return "plimsoll repair " + support::shell_quoted(folder.empty() ? "." : folder);
}

std::string copy_folder_command(const std::string& folder) {
  return fmt::format("{} -o {}", repair_in_place_command(folder),
                     support::shell_quoted(new_folder_next_to(folder)));
}

std::string copy_files_command(const std::vector<std::string>& files) {
  const std::string folder = support::folder_of(files.front());
  if (has_siblings(files.front())) return copy_folder_command(folder);
  std::string command = "plimsoll repair";
  for (const std::string& file : files) command += " " + support::shell_quoted(file);
  return fmt::format("{} -o {}", command, support::shell_quoted(new_folder_next_to(folder) + "/"));
}

std::string repair_command(const std::vector<std::string>& files, const support::SizeLimits& limits) {
  std::vector<std::string> repairable;
  for (const std::string& file : files)
    if (file_state(file, limits) == FileState::repairable) repairable.push_back(file);
  return repairable.empty() ? "" : copy_files_command(repairable);
}

std::vector<std::string> losses(const RepairResult& result) {
  std::vector<std::string> lines;
  if (result.torn)
    lines.push_back(
        (result.torn_phase ? fmt::format("incomplete phase {}", *result.torn_phase) : "an incomplete phase") +
        (result.cut ? " and any later phases" : ""));
  if (result.damage && !result.cut)
    lines.push_back(fmt::format("all data from byte {} on: {}", *result.damage->byte, result.damage->what));
  else if (result.damage && !result.torn)
    lines.push_back(fmt::format("any data after byte {}, where the text ends", *result.damage->byte));
  if (result.unreadable_phases > 0)
    lines.push_back(phases_text(result.unreadable_phases) + " violating the schema");
  if (result.repeated_phases > 0)
    lines.push_back(phases_text(result.repeated_phases) + " with a duplicate ID");
  if (result.metadata_lost) lines.emplace_back("metadata (skipped and identical phases, attributes)");
  if (result.identical_lost) lines.emplace_back("the list of phases identical to possibly lost phases");
  for (const Diagnostic& finding : result.findings) lines.push_back(to_string(finding));
  return lines;
}

}  // namespace plimsoll::lbdata
