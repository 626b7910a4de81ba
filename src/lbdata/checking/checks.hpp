#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/json_view.hpp>

#include "lbdata/checking/record_checker.hpp"
#include "lbdata/json/json_position.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Calls `add(member, what)` for each member of a task's `user_defined` that describes memory, if commands
/// that consider memory reject its value. `user_defined` is the text of a JSON object. If simdjson rejects
/// the text, e.g. because of NaN, `member` is empty.
void check_memory_members(std::string_view user_defined, support::JsonParser& parser,
                          const std::function<void(std::string_view member, std::string what)>& add);

/// Returns a note if the files have references that they do not resolve themselves, and are only a part of a
/// data set, whose other files may resolve them. The data set has more files if a rank is missing, if their
/// directory contains files of further ranks, or if a single file refers to another rank. `references`
/// contains the references of each file.
std::optional<Diagnostic> note_of_missing_files(const std::vector<RankFile>& files,
                                                const std::vector<FileReferences>& references);

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
