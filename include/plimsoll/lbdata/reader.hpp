#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/progress.hpp>
#include <plimsoll/support/text_source.hpp>

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
  complete,  ///< all ranks of a data set: 0 to n-1, and as many as the metadata specify
  any,       ///< any ranks
};

/// Returns `any` if the (one or more) inputs are names of files, which may be a part of a data set, and
/// otherwise `complete`. For commands that examine single files, too.
RankCheck check_for(const std::vector<std::string>& inputs);

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
/// exist or a directory cannot be read, and Error (bad_input) if a directory has the name of one of the
/// files. Cost: O(n log n).
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

/// Options for reading and checking a data set.
struct ReadOptions {
  /// Phases to keep; default: all. A phase that is not selected is kept too if a selected one may be listed
  /// as identical to it.
  PhaseSelection phases = PhaseSelection::all();
  std::vector<std::string> checks;        ///< checks() to run in the same pass; default: none
  RankCheck ranks = RankCheck::complete;  ///< requirement for the files of read()
  /// Number of ranks of a complete data set; 0: as the metadata of its files specify.
  std::size_t expected_ranks = 0;
  /// Maximum number of findings of checks across files, which protects against malicious files.
  std::size_t max_findings = 100;
  unsigned threads = 0;                                      ///< number of threads; 0: one per processor
  support::SizeLimits limits;                                ///< limits for each file
  support::Progress* progress = &support::Progress::none();  ///< progress in bytes; never null
};

/// Data set, and remarks about its files.
struct ReadResult {
  Dataset dataset;
  /// Irregularities without loss of data, by rank: files without a type, and findings of the checks. Then
  /// phases for which some ranks of a complete data set have no data.
  std::vector<Diagnostic> findings;
};

/// Reads a data set, with files in parallel. The result does not depend on the number of threads. Memory: the
/// data set and, per thread, a window of 64 KiB and the columns of one file.
///
/// Throws Error (system) if a file cannot be read. Throws Error (bad_input), with file, byte, line and JSON
/// pointer, if a file is damaged or violates the schema. Throws Error (bad_input) if the data set must be
/// complete, but has fewer files than its metadata specify or not ReadOptions::expected_ranks. An integer is
/// accepted where the schema requires a fraction; validate() reports such integers.
ReadResult read(const std::vector<RankFile>& files, const ReadOptions& options = {});

/// Reads one LB data file from memory as rank 0. `name` is used in messages.
ReadResult read_text(std::string_view content, const std::string& name, const ReadOptions& options = {});

/// Reads a data set like read(), even if a program is still writing it: the phases that its partial output
/// files (`*.partial`) contain so far, and complete files of ranks that have finished. The program is not
/// disturbed, and its files stay unchanged.
///
/// `path` is as for find_rank_files(). If it is a directory with partial output files, the files of their
/// data sets are copied (complete ones as links, if possible) to a temporary directory, and repaired there as
/// repair_files() does. Throws like read(), find_rank_files() and repair_files(), and Error (bad_input) if a
/// partial output file is not an LB data file.
ReadResult read_growing(const std::string& path, const ReadOptions& options = {});

}  // namespace plimsoll::lbdata
