#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <mutex>
#include <utility>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/output_file.hpp>

#include "lbdata/json/json_position.hpp"
#include "lbdata/repair/locked_repair.hpp"
#include "lbdata/repair/phase_rescue.hpp"
#include "lbdata/repair/repair_command.hpp"
#include "lbdata/writing/data_set_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

namespace fs = std::filesystem;

bool is_stream(const std::string& path) {
  return path.ends_with(".partial");
}

/// Returns the final name of a partial output file; for other files, the unchanged name.
std::string final_path(const std::string& path) {
  const fs::path name(path);
  return name.extension() == ".partial" || name.extension() == ".pending"
             ? fs::path(name).replace_extension().string()
             : path;
}

/// Returns the name of the file with the phases that a partial output file does not contain yet.
std::string pending_path(const std::string& path) {
  return final_path(path) + ".pending";
}

/// Returns the directory of a file, as a name that can be opened.
std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Locks a partial output file against other repairs. Throws Error (usage) if a running program or repair
/// holds the lock. The reader later reports a file that cannot be opened.
support::Descriptor lock_stream(const std::string& path) {
  support::Descriptor stream = support::open_to_lock(path);
  if (!stream.is_open()) return stream;
  const bool is_locked = support::try_lock(stream) == support::LockOutcome::held;
  const auto now = support::version(path);
  const bool is_replaced = now && now->file != support::identity(stream);
  if (is_locked || is_replaced)
    throw Error(
        ErrorKind::usage,
        {.what = "is still being written",
         .file = path,
         .suggestion = "wait for the program that writes it, or save the data so far to another file (-o)"});
  return stream;
}

/// Throws Error (usage) if a program is writing another data set that the partial output file may belong to.
void expect_no_writer(const std::string& path) {
  const bool name_shows_rank = set_name(path).find("%p") == std::string::npos;
  if (name_shows_rank) return;
  static std::mutex one_at_a_time;  // two threads would mistake each other for such a program
  const std::lock_guard guard(one_at_a_time);
  const std::string folder = folder_of(path);
  for (const std::string& set : other_possible_sets(path, support::locks_in(folder)))
    support::FolderLock(folder, {.name = set});
}

/// Throws Error (usage) if files cannot be locked: only the user knows whether the program that wrote a
/// partial output file has ended.
void expect_certain(const support::FolderLock& lock, const std::string& stream) {
  if (lock.is_certain()) return;
  throw Error(ErrorKind::usage,
              {.what = "a program may still be writing it: the file system does not support locks",
               .file = stream,
               .suggestion = "specify another output file (-o), or use --force if no program writes it"});
}

bool exists(const std::string& path) {
  std::error_code unknown;
  return fs::exists(fs::symlink_status(path, unknown));
}

void require_absent(const std::string& path) {
  if (!exists(path)) return;
  throw Error(ErrorKind::usage,
              {.what = "already exists",
               .file = path,
               .suggestion = "specify another output file (-o), or use --force to replace it"});
}

Error not_a_data_file(const RepairResult& result) {
  Diagnostic diagnostic = result.damage ? *result.damage : result.findings.front();
  if (!result.findings.empty()) diagnostic = result.findings.front();
  diagnostic.what = "not recognised as an LB data file: " + diagnostic.what;
  diagnostic.file = result.file;
  diagnostic.suggestion = "specify LB data files: complete, truncated or partial (.partial)";
  return {ErrorKind::bad_input, std::move(diagnostic)};
}

/// Writes the recoverable data to a new file. It is removed unless `end` finishes or closes it.
RepairResult rescue_phases(const std::string& path, support::OutputFile file,
                           const support::SizeLimits& limits,
                           const std::function<void(PhaseRescue&, RepairResult&)>& end) {
  const std::string pending = pending_path(path);
  // Read the pending text first: a running program moves phases from it to the partial output file.
  std::string content;
  if ((is_stream(path) && exists(pending)) || path == pending)
    content = support::read_text_file(pending, limits.max_bytes);
  // Drop the text after the first NUL byte, which belongs to phases that the partial output file contains.
  std::string_view pending_text = std::string_view(content).substr(0, content.find('\0'));
  const std::optional<ElidedPhases> elided = take_line(pending_text);
  support::TextSource source = path == pending
                                   ? support::TextSource(pending_text, path, data_file_format, limits)
                                   : support::TextSource(path, data_file_format, limits);
  RepairResult result{.file = path};
  PhaseRescue rescue(std::move(file), rank_of_file(final_path(path)), result);
  if (elided) rescue.set_elided(*elided);
  rescue.read(source);
  if (!pending_text.empty() && path != pending) {
    support::TextSource more(pending_text, pending, data_file_format, limits);
    rescue.read_pending(more);
  }
  // Accept an empty file: a program that was killed early may not have written any data.
  const bool empty_stream = is_stream(path) && source.file_bytes() == 0;
  if (!empty_stream && !rescue.recognised()) throw not_a_data_file(result);
  end(rescue, result);
  return result;
}

/// Creates the file that becomes `target`.
support::OutputFile new_file(const std::string& target, bool compress, bool overwrite) {
  support::OutputOptions options = output_options({.compress = compress, .overwrite = overwrite});
  options.keep_unfinished = false;  // a new `.partial` file could overwrite the input
  return support::OutputFile(target, options);
}

std::string target_path(const std::string& path, const RepairOptions& options) {
  if (!options.output.empty()) return options.output;
  return is_stream(path) ? repaired_name(path, options.plain) : path;
}

/// Returns whether all readable data of a partial output file were kept, and only the end of one phase
/// remains.
bool used_up(const RepairResult& result) {
  return (!result.damage || result.cut) && result.unreadable_phases == 0 && result.repeated_phases == 0 &&
         result.findings.empty();
}

std::string phases_text(std::uint64_t count) {
  return fmt::format("{} phase{}", support::format_count(count), count == 1 ? "" : "s");
}

}  // namespace

std::string repaired_name(const std::string& path, bool plain) {
  std::string name = final_path(path);
  if (plain && name.ends_with(".br")) name.resize(name.size() - 3);
  return name;
}

RepairTarget repair_target(const std::string& path, const RepairOptions& options) {
  const std::string target = target_path(path, options);
  return {folder_of(target), set_name(target)};
}

support::FolderLock lock(const RepairTarget& target) {
  return support::FolderLock(target.folder, {.name = target.set});
}

RepairResult repair(const std::string& path, const RepairOptions& options) {
  support::FolderLock lock_of_target = lock(repair_target(path, options));
  if (!replaces_stream(path, options)) return repair_file(path, options);
  support::OutputSet set(std::move(lock_of_target), options.overwrite);
  RepairResult result = repair_stream(path, options, set);
  set.publish();
  return result;
}

bool replaces_stream(const std::string& path, const RepairOptions& options) {
  return options.output.empty() && is_stream(path);
}

void expect_absent(const std::string& path, const RepairOptions& options) {
  const std::string target = target_path(path, options);
  if (!options.overwrite && target != path) require_absent(target);
}

RepairResult repair_file(const std::string& path, const RepairOptions& options) {
  expect_absent(path, options);
  const std::string target = target_path(path, options);
  const bool in_place = target == path;
  const auto close = [&](PhaseRescue& rescue, RepairResult& result) {
    if (in_place && result.whole()) return;
    if (in_place && !options.overwrite) {
      throw Error(ErrorKind::usage,
                  {.what = fmt::format("truncated or damaged: {} of its phases can be kept", result.phases),
                   .file = path,
                   .suggestion = fmt::format("use {} to keep it, or --force to replace it",
                                             copy_files_command({path}))});
    }
    if (options.plain && target.ends_with(".br")) {
      throw Error(ErrorKind::usage, {.what = "the name of an uncompressed file cannot end in .br",
                                     .file = target,
                                     .suggestion = "omit --plain, or specify another output (-o)"});
    }
    rescue.close();
    result.output = target;
  };
  return rescue_phases(path, new_file(target, target.ends_with(".br"), options.overwrite || in_place),
                       options.limits, close);
}

RepairResult repair_stream(const std::string& path, const RepairOptions& options, support::OutputSet& set) {
  expect_absent(path, options);
  if (!options.overwrite) expect_certain(set.lock(), path);
  expect_no_writer(path);
  const support::Descriptor lock = lock_stream(path);
  const std::string pending = pending_path(path);
  const auto stream_file = support::identity(path);
  const auto pending_file = support::identity(pending);
  const std::string target = target_path(path, options);
  support::OutputFile file = new_file(target, target.ends_with(".br"), options.overwrite);
  const support::FileIdentity identity = file.identity();
  return rescue_phases(path, std::move(file), options.limits, [&](PhaseRescue& rescue, RepairResult& result) {
    rescue.finish();
    set.add(target, identity);
    result.output = target;
    result.stream_stays = !used_up(result);
    if (result.stream_stays) return;
    if (stream_file) set.supersede(path, *stream_file);
    if (pending_file) set.supersede(pending, *pending_file);
  });
}

std::vector<std::string> streams_of_folder(const std::string& folder) {
  std::vector<std::string> streams;
  support::for_each_entry(folder, [&](const fs::directory_entry& entry) {
    std::error_code unknown;
    if (is_stream(entry.path().string()) && !entry.is_directory(unknown) &&
        !is_readable_statistics_file(entry.path().string()))
      streams.push_back(entry.path().string());
  });
  std::ranges::sort(streams);
  return streams;
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
