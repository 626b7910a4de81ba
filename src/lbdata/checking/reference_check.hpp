#pragma once

#include <functional>
#include <string>
#include <vector>

#include <plimsoll/lbdata/validator.hpp>

#include "lbdata/checking/record_checker.hpp"
#include "lbdata/json/line_numbers.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// References in one phase or iteration of a file that no file resolves.
struct DanglingReferences {
  std::string pointer;  ///< JSON pointer of the phase or iteration
  std::string what;     ///< description for users: "phase 3"
  References numbers;   ///< ascending numbers
};

/// Performs the checks across the files of a data set. Files are identified by their position in the set.
/// Passes findings about migratable tasks on two ranks to `add(file, finding)`. Returns the unresolved
/// references of each file (usually none). Cost: O(tasks + open references), with the tasks of one phase in
/// memory at a time.
std::vector<std::vector<DanglingReferences>> check_across_files(
    const CheckSet& checks, const std::vector<FileReferences>& files,
    const std::function<void(std::size_t, Diagnostic&&)>& add);

/// Returns a finding with its position for every dangling end of a communication, up to `most` findings.
/// Rereads the document, which is only necessary if it contains dangling references.
std::vector<Diagnostic> find_dangling(const OpenSource& open, SchemaVersion version,
                                      const std::vector<DanglingReferences>& dangling, std::size_t rank_count,
                                      std::size_t most);

}  // namespace plimsoll::lbdata
