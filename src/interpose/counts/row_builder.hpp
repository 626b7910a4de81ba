#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/collectives/internal/recorder.hpp>

#include "interpose/handles/communicators.hpp"
#include "interpose/rules/arguments.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Converts the arguments of calls to rows of the recorder. A row refers to the program's arrays or to the
/// builder's memory: it is valid until the next row.
class RowBuilder {
 public:
  /// Returns false if the call lacks counts or types that MPI would read. MPI reports such erroneous calls.
  static bool complete(const Arguments& arguments, const Communicator& communicator);

  /// Returns whether this rank receives from itself other bytes than it sends to itself. Requires
  /// complete() and a single group.
  static bool contradicts_itself(const Arguments& arguments, const Communicator& communicator);

  collectives::Row counts(const Arguments& arguments, const Communicator& communicator);
  /// Returns whether all displacements that MPI reads are present.
  static bool has_displacements(const Arguments& arguments, const Communicator& communicator);
  /// Returns a row of displacements. Requires has_displacements().
  collectives::Row displacements(const Arguments& arguments, const Communicator& communicator);

 private:
  collectives::Row all_counts(const Arguments& arguments, const Communicator& communicator);
  collectives::Row of_real_neighbors(const Arguments& arguments, const Communicator& communicator,
                                     collectives::Row row);

  std::vector<std::int64_t> sent_bytes_;
  std::vector<std::int64_t> received_bytes_;
  std::vector<std::int64_t> sent_to_real_;
  std::vector<std::int64_t> received_from_real_;
};

/// A row that owns its numbers.
class OwnedRow {
 public:
  explicit OwnedRow(const collectives::Row& row);
  OwnedRow(OwnedRow&&) = default;
  OwnedRow& operator=(OwnedRow&&) = default;
  const collectives::Row& row() const { return row_; }

 private:
  std::vector<std::int64_t> send_;  // 64-bit words that contain numbers of either width
  std::vector<std::int64_t> recv_;
  collectives::Row row_;
};

}  // namespace plimsoll::interpose
