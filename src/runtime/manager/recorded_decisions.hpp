#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/runtime/migration.hpp>
#include <plimsoll/support/files.hpp>

#include "runtime/balancing/rank_stats.hpp"
#include "runtime/recording/session.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Migration that was decided at the end of a phase: a line of a file of decisions.
struct DecidedMove {
  std::int64_t phase = 0;
  std::uint64_t object = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
  friend bool operator==(const DecidedMove&, const DecidedMove&) = default;
};

/// First line of a file of decisions. Each further line has these four numbers, separated by commas.
inline constexpr std::string_view decision_columns = "phase,object,from,to\n";
/// Formats lines of a file of decisions.
std::string to_lines(std::span<const DecidedMove> moves);
/// Reads the content of a file of decisions. Throws Error (bad_input), with line, if it is invalid, if ranks
/// are not below `ranks`, or if the phases do not ascend.
std::vector<DecidedMove> parse_decisions(std::string_view text, const std::string& file, int ranks);

/// Writes what strategies decide to the file of the setting lb_decisions.
class DecisionFile {
 public:
  /// Creates the file. Collective. Throws Error on all ranks: usage if it exists and lb_data_overwrite is
  /// off, system if it cannot be created. The session must outlive this object.
  explicit DecisionFile(const Session& session);
  /// Adds the objects that leave the ranks at the end of a phase. Collective. Rank 0 writes the lines, sorted
  /// by rank. Throws Error on all ranks: system if writing fails, and usage for a second plan with migrations
  /// after one phase.
  void add(std::int64_t phase, std::span<const Move> exports);

 private:
  void write(std::string_view text);
  const Session& session_;
  support::Descriptor file_;  // on rank 0
  std::uint64_t size_ = 0;
  std::int64_t last_phase_ = -1;  // that has lines
};

/// Decisions of an earlier run, from the file of the setting lb_decisions_in.
class DecisionReplay {
 public:
  /// Reads the file on rank 0; each rank keeps the decisions about its objects. Collective. Throws Error on
  /// all ranks like parse_decisions(), and system if the file cannot be read. The session must outlive this
  /// object.
  explicit DecisionReplay(const Session& session);
  /// Returns the objects that left this rank at the end of a phase. Throws Error (bad_input) if one of them
  /// is not here or not migratable.
  std::vector<LeavingObject> leaving(std::int64_t phase, const RankStats& mine) const;

 private:
  const Session& session_;
  std::vector<DecidedMove> moves_;  // from this rank, by phase
};

}  // namespace plimsoll::runtime
