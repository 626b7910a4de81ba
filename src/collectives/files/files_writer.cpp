#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "collectives/files/counts_files.hpp"
#include "collectives/files/profile_output.hpp"
#include "collectives/time_files/time_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

void write_blocks(const Lead& lead, Content content, const WriteOptions& options, ProfileOutput& files) {
  const std::vector<Signature>& signatures =
      content == Content::counts ? lead.signatures : lead.displacements;
  if (signatures.empty()) return;
  const FileKind kind = content == Content::counts ? FileKind::counts : FileKind::displacements;
  for (const Direction direction : {Direction::send, Direction::recv})
    files.add(
        FileName{.kind = kind, .job = lead.job, .lead = lead.rank, .direction = direction}.text(),
        [&](support::TextBuffer& output) { write_counts(signatures, content, direction, options, output); });
}

std::vector<const Signature*> signatures_of(Operation operation, const std::vector<Signature>& signatures) {
  std::vector<const Signature*> result;
  for (const Signature& signature : signatures)
    if (signature.operation == operation) result.push_back(&signature);
  return result;
}

void write_summaries(const Lead& lead, std::uint32_t world_size, bool legacy_text, ProfileOutput& files) {
  for (std::size_t index = 0; index < Operation::count; ++index) {
    ProfileSummary summary{.operation = Operation::at(index), .world_size = world_size};
    summary.total_calls = lead.total_calls[index];
    summary.signatures = signatures_of(summary.operation, lead.signatures);
    if (summary.signatures.empty()) {
      summary.of_displacements = true;
      summary.signatures = signatures_of(summary.operation, lead.displacements);
    }
    if (summary.signatures.empty()) continue;
    const FileName name{
        .kind = FileKind::summary, .operation = summary.operation, .job = lead.job, .lead = lead.rank};
    files.add(name.text(),
              [&](support::TextBuffer& output) { write_profile_summary(summary, legacy_text, output); });
  }
}

/// Returns the operation that file names of calls omit: Alltoallv, for which the names were designed, or the
/// lead's only operation.
std::optional<Operation> plain_operation(const Lead& lead) {
  if (lead.signatures.empty()) return std::nullopt;
  const Operation only = lead.signatures.front().operation;
  const bool is_only = std::ranges::all_of(
      lead.signatures, [only](const Signature& signature) { return signature.operation == only; });
  return is_only ? only : Operation{Exchange::alltoallv};
}

void write_calls(const Lead& lead, bool dotted_names, ProfileOutput& files) {
  const std::optional<Operation> plain = plain_operation(lead);
  for (const Signature& signature : lead.signatures) {
    const bool is_told = signature.operation == plain && told_by_rows(signature) == plain;
    FileName name{.kind = FileKind::call, .lead = lead.rank};
    if (!is_told) name.operation = signature.operation;
    signature.calls.for_each([&](std::uint64_t call) {
      name.call = call;
      files.add(name.text(dotted_names),
                [&](support::TextBuffer& output) { write_call_counts(signature, output); });
    });
  }
}

void check_one_job(const Profile& profile) {
  if (profile.leads.empty() || profile.leads.front().job == profile.leads.back().job) return;
  throw support::usage_error(
      "calls of several jobs cannot be written as one file per call: the file names do not contain the "
      "job ID",
      "use a separate directory per job, or compact files");
}

/// Throws if one file per call would be too many files for one directory.
void check_number_of_calls(const Profile& profile) {
  constexpr std::uint64_t max_calls = 100'000;
  std::uint64_t calls = 0;
  for (const Lead& lead : profile.leads)
    for (const Signature& signature : lead.signatures) {
      if (signature.calls.size() > max_calls - calls)
        throw support::usage_error(fmt::format("more than {} calls cannot be written as one file per call",
                                               support::format_count(max_calls)),
                                   "use compact files");
      calls += signature.calls.size();
    }
}

/// Locks the directory, so that jobs that end at the same time wait for each other.
support::FolderLock lock(const std::string& folder) {
  constexpr double patience_s = 60;
  support::make_folder(folder);
  return support::FolderLock(folder, {.patience_s = patience_s});
}

/// Returns the kind of the files that a file replaces: files of calls replace compact ones.
FileKind replaced_kind(const FileName& name) {
  return name.kind == FileKind::call ? FileKind::counts : name.kind;
}

/// Returns the files in a directory that do not belong to the written ones.
std::vector<std::string> stale_files(const std::string& folder, const std::set<std::string>& written) {
  std::set<FileKind> kinds;
  std::set<std::uint64_t> jobs;
  for (const std::string& text : written) {
    const auto name = FileName::parse(text);
    if (!name) continue;
    kinds.insert(replaced_kind(*name));
    if (name->job) jobs.insert(*name->job);
  }
  if (kinds.contains(FileKind::counts)) kinds.insert(FileKind::summary);

  std::vector<std::string> stale;
  support::for_each_entry(folder, [&](const std::filesystem::directory_entry& entry) {
    const std::string text = entry.path().filename().string();
    const auto name = FileName::parse(text);
    if (name && !written.contains(text) && kinds.contains(replaced_kind(*name)) &&
        (!name->job || jobs.contains(*name->job)))
      stale.push_back(entry.path().string());
  });
  return stale;
}

}  // namespace

std::vector<std::string> write(const Profile& profile, const std::string& folder, const WriteOptions& options,
                               support::Progress& progress) {
  if (!options.compact) {
    check_one_job(profile);
    check_number_of_calls(profile);
  }
  ProfileOutput files(folder, options.overwrite);
  progress.begin("writing", profile.leads.size(), "leads");
  for (const Lead& lead : profile.leads) {
    if (options.compact) {
      write_blocks(lead, Content::counts, options, files);
      write_summaries(lead, profile.world_size, options.legacy_text, files);
    } else {
      write_calls(lead, options.dotted_names, files);
    }
    write_blocks(lead, Content::displacements, options, files);
    progress.advance(1);
  }
  write_time_files(profile,
                   [&](const FileName& name, std::string_view text) { files.add(name.text(), text); });
  std::vector<std::string> paths = files.publish();
  progress.end();
  return paths;
}

ProfileOutput::ProfileOutput(std::string folder, bool overwrite)
    : folder_(std::move(folder)), overwrite_(overwrite), files_(lock(folder_), overwrite) {}

void ProfileOutput::add(const std::string& name, const std::function<void(support::TextBuffer&)>& write) {
  support::OutputFile file = files_.create(name);
  support::TextBuffer output([&file](std::string_view text) { file.write(text); });
  write(output);
  output.drain();
  file.finish();
}

void ProfileOutput::add(const std::string& name, std::string_view text) {
  add(name, [text](support::TextBuffer& output) { output.append(text); });
}

std::vector<std::string> ProfileOutput::publish() {
  if (overwrite_) {
    std::set<std::string> names;
    for (const std::string& path : files_.paths())
      names.insert(std::filesystem::path(path).filename().string());
    for (const std::string& path : stale_files(folder_, names))
      if (const auto file = support::identity(path)) files_.supersede(path, *file);
  }
  files_.publish();
  return files_.paths();
}

}  // namespace plimsoll::collectives
