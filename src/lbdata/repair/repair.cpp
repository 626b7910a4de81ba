#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/repair.hpp>

#include "lbdata/repair/locked_repair.hpp"
#include "lbdata/repair/phase_rescue.hpp"
#include "lbdata/repair/repair_command.hpp"
#include "lbdata/writing/data_set_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

namespace fs = std::filesystem;

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
  const std::string folder = support::folder_of(path);
  for (const std::string& set : other_possible_sets(path, support::locks_in(folder)))
    support::FolderLock(folder, {.name = set});
}

/// Throws Error (usage) if files cannot be locked: only the user knows whether the program that wrote a
/// partial output file has ended.
void expect_certain(const support::FolderLock& lock, const std::string& stream) {
  if (lock.is_certain()) return;
  throw support::usage_error("a program may still be writing it: the file system does not support locks",
                             stream,
                             "specify another output file (-o), or use --force if no program writes it");
}

support::OutputFile new_file(const std::string& target, bool compress, bool overwrite) {
  support::OutputOptions options = output_options({.compress = compress, .overwrite = overwrite});
  options.keep_unfinished = false;  // a new `.partial` file could overwrite the input
  return support::OutputFile(target, options);
}

std::string target_path(const std::string& path, const RepairOptions& options) {
  if (!options.output.empty()) return options.output;
  return is_stream(path) ? repaired_name(path, options.plain) : path;
}

RepairResult repair_file(const std::string& path, const RepairOptions& options) {
  const std::string target = target_path(path, options);
  const bool in_place = target == path;
  auto [result, writer] = rescue_phases(
      path, new_file(target, target.ends_with(".br"), options.overwrite || in_place), options.limits);
  if (in_place && result.whole()) return std::move(result);
  if (in_place && !options.overwrite) {
    throw support::usage_error(
        fmt::format("truncated or damaged: {} of its phases can be kept", result.phases), path,
        fmt::format("use {} to keep it, or --force to replace it", copy_files_command({path})));
  }
  if (options.plain && target.ends_with(".br")) {
    throw support::usage_error("the name of an uncompressed file cannot end in .br", target,
                               "omit --plain, or specify another output (-o)");
  }
  writer.close();
  result.output = target;
  return std::move(result);
}

RepairResult repair_stream(const std::string& path, const RepairOptions& options, support::OutputSet& set) {
  if (!options.overwrite) expect_certain(set.lock(), path);
  expect_no_writer(path);
  const support::Descriptor lock = lock_stream(path);
  const std::string pending = pending_path(path);
  const auto stream_file = support::identity(path);
  const auto pending_file = support::identity(pending);
  const std::string target = target_path(path, options);
  support::OutputFile file = new_file(target, target.ends_with(".br"), options.overwrite);
  const support::FileIdentity identity = file.identity();
  auto [result, writer] = rescue_phases(path, std::move(file), options.limits);
  writer.finish();
  set.add(target, identity);
  result.output = target;
  result.stream_stays = result.leaves_data();
  if (result.stream_stays) return std::move(result);
  if (stream_file) set.supersede(path, *stream_file);
  if (pending_file) set.supersede(pending, *pending_file);
  return std::move(result);
}

}  // namespace

std::string repaired_name(const std::string& path, bool plain) {
  const fs::path given(path);
  const bool is_partial = given.extension() == ".partial" || given.extension() == ".pending";
  std::string name = is_partial ? fs::path(given).replace_extension().string() : path;
  if (plain && name.ends_with(".br")) name.resize(name.size() - 3);
  return name;
}

RepairTarget repair_target(const std::string& path, const RepairOptions& options) {
  const std::string target = target_path(path, options);
  return {support::folder_of(target), set_name(target)};
}

bool replaces_stream(const std::string& path, const RepairOptions& options) {
  return options.output.empty() && is_stream(path);
}

void expect_absent(const std::string& path, const RepairOptions& options) {
  const std::string target = target_path(path, options);
  if (options.overwrite || target == path || !support::identity(target)) return;
  throw support::usage_error("already exists", target,
                             "specify another output file (-o), or use --force to replace it");
}

RepairResult repair(const std::string& path, const RepairOptions& options, support::OutputSet& set) {
  expect_absent(path, options);
  return replaces_stream(path, options) ? repair_stream(path, options, set) : repair_file(path, options);
}

RepairResult repair(const std::string& path, const RepairOptions& options) {
  const RepairTarget target = repair_target(path, options);
  support::OutputSet set(support::FolderLock(target.folder, {.name = target.set}), options.overwrite);
  RepairResult result = repair(path, options, set);
  if (replaces_stream(path, options)) set.publish();
  return result;
}

}  // namespace plimsoll::lbdata
