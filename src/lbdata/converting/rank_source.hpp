#pragma once

#include <functional>

#include <plimsoll/lbdata/converter.hpp>
#include <plimsoll/lbdata/reader.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Data of one rank: a data set with this rank alone.
struct LoadedRank {
  std::string name;  ///< path of its file, or of one of its files
  Dataset dataset;
  std::vector<Diagnostic> findings;

  RankData& data() { return dataset.ranks.front(); }
};

/// Ranks of a data set, which are loaded one at a time.
struct RankSource {
  std::size_t ranks = 0;
  std::function<LoadedRank(std::size_t rank)> load;  ///< may be called by several threads
  std::vector<MergedRun> runs;                       ///< runs that are merged, if any
  std::vector<RankFile> files;  ///< files of the data set or of the first run; empty if a file is split
};

/// Opens the data set of the inputs. Throws Error like find_rank_files(), and as documented at convert().
RankSource open_ranks(const std::vector<std::string>& inputs, const ConvertOptions& options,
                      unsigned threads);

/// Splits the tasks of a file by their `node`. The file's own rank keeps its metadata; the other ranks have
/// its lists of phases. An edge belongs to the rank of its receiver, or of its sender if the phase has no
/// such task. Throws Error (bad_input) if a task has a `node` that is not in [0, ranks).
RankSource split_ranks(LoadedRank&& file, std::size_t ranks, std::size_t own_rank);

}  // namespace plimsoll::lbdata
