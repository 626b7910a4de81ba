#pragma once

#include <map>
#include <optional>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Compares the files of a data set with the number of ranks that it should have. The names of the files show
/// missing ranks below the highest one (find_rank_files()). Each file also specifies the number of nodes and
/// the number of ranks on its node.
class RankCount {
 public:
  /// Adds a file with these metadata.
  void add(const RankMetadata& metadata);

  /// Returns an error (check "complete-set") if the data set in the directory of `files` does not have
  /// `expected_ranks` files or, if that is 0, has fewer files than the metadata specify.
  std::optional<Diagnostic> finding(const std::vector<RankFile>& files, std::size_t expected_ranks) const;

 private:
  std::size_t n_files_ = 0;
  std::size_t n_nodes_ = 0;
  std::map<std::int64_t, std::size_t> n_ranks_;  ///< ranks on each node that a file belongs to
};

/// Returns a warning (check "complete-set") about phases that only some ranks have data for, or an error if
/// no phase has data on all ranks.
std::optional<Diagnostic> finding_of_phases(const PhaseCoverage& coverage);

}  // namespace plimsoll::lbdata
