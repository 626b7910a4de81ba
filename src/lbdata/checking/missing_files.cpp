#include "lbdata/checking/missing_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "lbdata/checking/check_set.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

namespace fs = std::filesystem;

/// Returns the ranks that have a file in the directory and set of `file`.
std::set<std::int64_t> ranks_of_set(const fs::path& file) {
  std::set<std::int64_t> ranks;
  try {
    for (const RankFile& other : files_of_base(file.parent_path(), set_name(file))) ranks.insert(other.rank);
  } catch (const Error&) {
    // A file can be readable in a directory that is not.
  }
  return ranks;
}

/// Returns whether an edge refers to an object that its file does not contain, or to a rank without a file.
bool refers_to_other_files(const std::vector<FileReferences>& references) {
  return std::ranges::any_of(references, [&](const FileReferences& file) {
    return std::ranges::any_of(file.phases, [&](const PhaseReferences& phase) {
      const std::vector<std::uint64_t>& nodes = phase.open.nodes;
      return !phase.open.objects.empty() || (!nodes.empty() && nodes.back() >= references.size());
    });
  });
}

Diagnostic note(const std::vector<RankFile>& files, const std::string& reason, std::string suggestion) {
  Diagnostic note = finding(Check::dangling_reference, "references to other files not checked: " + reason,
                            std::move(suggestion));
  note.severity = Severity::note;
  note.file = files.front().path;
  return note;
}

}  // namespace

std::optional<Diagnostic> note_of_missing_files(const std::vector<RankFile>& files,
                                                const std::vector<FileReferences>& references) {
  if (files.empty() || !refers_to_other_files(references)) return {};
  const fs::path first = files.front().path;
  const std::size_t in_set = ranks_of_set(first).size();
  if (in_set > files.size()) {
    const std::string set = (first.parent_path() / set_name(first)).string();
    return note(files, fmt::format("the data set has {} files, {} specified", in_set, files.size()),
                fmt::format("use plimsoll validate {} to check all files", support::shell_quoted(set)));
  }
  const std::int64_t last = files.back().rank;
  const std::int64_t named = references.front().highest_rank;
  const bool has_gaps = last >= static_cast<std::int64_t>(files.size());
  const bool names_another_rank = files.size() == 1 && named > last;
  if (!has_gaps && !names_another_rank) return {};
  return note(files,
              fmt::format("the data set has files of other ranks, up to at least {}", std::max(last, named)),
              "specify all files of the data set to check them");
}

}  // namespace plimsoll::lbdata
