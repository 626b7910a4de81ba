#pragma once

#include <functional>
#include <string>
#include <vector>

#include <plimsoll/lbdata/schema_version.hpp>

#include "lbdata/checking/record_checker.hpp"
#include "lbdata/json/line_numbers.hpp"

namespace plimsoll::inline v0_1::lbdata {

/// What communications of one phase or iteration of a file refer to and no file has.
struct DanglingReferences {
  std::string pointer;  ///< of the phase or iteration
  std::string what;     ///< it, for people: "phase 3"
  References numbers;   ///< ascending
};

/// The checks across the files of a data set, by position in the set: migratable tasks that are on two ranks,
/// which `add(file, finding)` receives, and references to what is nowhere, which are returned for each file
/// (mostly none). O(tasks + open references), the tasks of one phase in memory at a time.
std::vector<std::vector<DanglingReferences>> check_across_files(
    const CheckSet& checks, const std::vector<FileReferences>& files,
    const std::function<void(std::size_t, Diagnostic&&)>& add);

/// A finding for every end of a communication that dangles, with its place: reads the document again, which
/// only documents with such references pay for. At most `most` findings.
std::vector<Diagnostic> find_dangling(const OpenSource& open, SchemaVersion version,
                                      const std::vector<DanglingReferences>& dangling, std::size_t rank_count,
                                      std::size_t most);

}  // namespace plimsoll::lbdata
