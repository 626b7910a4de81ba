#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/support/new_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// LB data file of one rank.
struct RankFile {
  std::int64_t rank = 0;  ///< rank from the file name; 0 for a single file without a rank in its name
  std::string path;
  std::optional<support::FileVersion> version = {};  ///< version of the file when it was found

  friend bool operator==(const RankFile& left, const RankFile& right) {
    return left.rank == right.rank && left.path == right.path;
  }
};

/// Requirement for the ranks of a set of files.
enum class RankCheck {
  complete,  ///< ranks 0 to n-1, as in a data set
  any,       ///< any ranks
  as_named,  ///< `any` if the inputs are names of files, otherwise `complete`; for validators
};

/// Finds the files of a data set, ascending by rank, one file per rank.
///
/// Accepted inputs (vt's default name is `data.<rank>.json.br`):
///  - a directory: its files `BASE.<rank>.json` or `BASE.<rank>.json.br`, all with the same BASE; other files
///    are ignored
///  - `DIR/BASE`: the files with this BASE
///  - a pattern in whose file name `%p` stands for the rank, such as `x.json%p`; `.br` may follow
///  - a file: rank 0 if its name has no rank
///  - several files whose names contain their ranks (`BASE.<rank>.json`, `BASE.json<rank>`, and with `.br`);
///    for a complete set, all with the same BASE
///
/// Throws Error (usage) if a directory, or a list for a complete set, has several bases, or if one of several
/// files has no rank. Throws Error (bad_input) if no file exists, or if ranks are missing or duplicate. Also
/// throws Error (bad_input) if one rank of a complete set has only a partial output file (`.partial`), or if
/// it finds files of two sets, which another program is replacing. Throws Error (system) if a path does not
/// exist or a directory cannot be read. Cost: O(n log n).
std::vector<RankFile> find_rank_files(const std::vector<std::string>& inputs,
                                      RankCheck check = RankCheck::complete);

/// Throws Error (bad_input) if files changed after they were found, because another program has replaced some
/// of them or is about to replace them. Readers call this function at the end, so that no result mixes two
/// data sets.
void expect_unchanged(const std::vector<RankFile>& files);

/// Returns the name of the data set whose file names match `pattern`, in which %p stands for the rank. The
/// name is for support::FolderLock: "data" for "dir/data.%p.json.br", and "x-%p.txt" for "dir/x-%p.txt.br".
std::string set_of_pattern(const std::string& pattern);

/// Returns the name of the data set that a file probably belongs to, as set_of_pattern() does. Accepts
/// partial output files as well: "data" for "dir/data.3.json.br.partial". In other names, such as "x2-3.txt",
/// the last number counts as the rank ("x2-%p.txt").
std::string set_name(const std::string& path);

/// Returns the elements of `sets` to which a file may belong, except set_name(). The name of a file does not
/// show which of its numbers is the rank: "x2-3.txt" may also belong to "x%p-3.txt".
std::vector<std::string> other_possible_sets(const std::string& path, const std::vector<std::string>& sets);

/// Returns the rank in a file's name (`BASE.<rank>.json`, `BASE.json<rank>`, and with `.br`), if it has one.
std::optional<std::int64_t> rank_of_file(const std::string& path);

/// Returns the total size of the files, for progress reports. The size of files that cannot be examined
/// counts as 0.
std::uint64_t total_bytes(const std::vector<RankFile>& files);

/// Returns the bases of the files `BASE.<rank>.json` and `BASE.<rank>.json.br` of a directory, sorted,
/// without those of an LBStatsfile. Throws Error (system) if the directory cannot be read.
std::vector<std::string> sets_of_folder(const std::string& folder);

/// Returns the files `BASE.<rank>.json` and `BASE.<rank>.json.br` of a directory, in any order. A rank may
/// appear twice. Throws Error (system) if the directory cannot be read.
std::vector<RankFile> files_of_base(const std::string& folder, const std::string& base);

/// Returns `DIR/BASE.<rank>.json`, with `.br` appended if compressed.
std::string rank_file_path(const std::string& folder, const std::string& base, std::int64_t rank,
                           bool compressed);

}  // namespace plimsoll::lbdata
