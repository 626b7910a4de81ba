#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/support/new_file.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// The LB data file of a rank.
struct RankFile {
  std::int64_t rank = 0;  ///< from the name of the file; 0 for a single file whose name has none
  std::string path;
  std::optional<support::FileVersion> version = {};  ///< when it was found

  friend bool operator==(const RankFile& left, const RankFile& right) {
    return left.rank == right.rank && left.path == right.path;
  }
};

/// Which ranks must be there.
enum class RankCheck {
  complete,  ///< 0 to n-1, as a data set has them
  any,       ///< whichever the user names
  as_named,  ///< any where files are named one by one, else complete: as a validator takes them
};

/// The files of a data set, ascending by rank, each rank once.
///
/// What a user may name (vt's default name is `data.<rank>.json.br`):
///  - a folder: its files `BASE.<rank>.json` or `BASE.<rank>.json.br`; there must be one BASE, other files
///    are ignored
///  - `FOLDER/BASE`: those files of that BASE
///  - a pattern in whose file name `%p` stands for the rank, such as `x.json%p`; `.br` may follow
///  - a file: rank 0 if its name has no rank
///  - several files, each with a rank in its name (`BASE.<rank>.json`, `BASE.json<rank>`, and with `.br`)
///
/// Throws Error: usage if a folder has several bases or a file of several no rank; bad_input if there is no
/// file, a rank is missing or there twice, a rank of a complete set has a stream (`.partial`) instead, or the
/// files are of two sets because they are being replaced; system if a path is not there or a folder cannot be
/// read. O(n log n).
std::vector<RankFile> find_rank_files(const std::vector<std::string>& inputs,
                                      RankCheck check = RankCheck::complete);

/// Throws Error (bad_input) if files are not what they were when they were found: another program has
/// replaced some of them, or is about to. Readers ask at their end, so that no result is of two data sets.
void expect_unchanged(const std::vector<RankFile>& files);

/// What the names of all files of a data set have in common, without their ranks: for support::FolderLock.
/// Also of a stream. "data" for "dir/data.3.json.br.partial".
std::string set_name(const std::string& path);

/// The rank in a file's name (`BASE.<rank>.json`, `BASE.json<rank>`, and with `.br`), if it has one.
std::optional<std::int64_t> rank_of_file(const std::string& path);

/// Size of all of them together, for progress; files that cannot be examined count as empty.
std::uint64_t total_bytes(const std::vector<RankFile>& files);

/// The files `BASE.<rank>.json` and `BASE.<rank>.json.br` of a folder, in any order, a rank perhaps twice.
/// Throws Error (system) if the folder cannot be read.
std::vector<RankFile> files_of_base(const std::string& folder, const std::string& base);

/// `FOLDER/BASE.<rank>.json`, and `.br` if compressed.
std::string rank_file_path(const std::string& folder, const std::string& base, std::int64_t rank,
                           bool compressed);

}  // namespace plimsoll::lbdata
