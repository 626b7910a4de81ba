#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collectives/files/file_names.hpp"
#include "collectives/profile_file/profile_file.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the state of a text file, before it gets its final name: `path` is its current name, and `hash`
/// that of its content. Throws Error (system).
TextFile text_file(std::string name, const std::string& path, std::uint64_t hash);

/// Relation between a profile file and the text files next to it.
struct TextFilesState {
  std::set<std::string> same;  ///< paths of the text files that the profile file replaces
  /// Reason why the text files must be read instead, such as "x.txt has changed since then"; empty if the
  /// profile file can be read.
  std::string difference;
};

/// Compares the text files to read with those that were written together with a profile file. The profile
/// file can be read if they are unchanged, or all of them are missing. A file whose size and time are
/// unchanged is unchanged; if the time has changed, e.g. because it was copied, its content decides.
TextFilesState compare_text_files(const std::string& profile_path, const ProfileFileHead& head,
                                  const std::vector<InputFile>& texts);

}  // namespace plimsoll::collectives
