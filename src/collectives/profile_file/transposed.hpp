#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/model/rows_by_rank.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The counts that ranks receive if each receives what the others send to it. Most programs pass MPI exactly
/// these, so that one of the two matrices suffices in files.
class Transposed {
 public:
  /// Returns whether the ranks of a count set send one count to each rank, and receive one from each.
  static bool fits(const Signature& signature) {
    const auto is_square = [&](const CountMatrix& matrix) {
      return matrix.columns == signature.comm_size && matrix.rows() > 0;
    };
    return is_square(signature.send.matrix) && is_square(signature.recv.matrix);
  }

  /// `send` must outlive this object. O(ranks).
  explicit Transposed(const CountMatrix& send) : send_(send), rows_(rows_by_rank(send)) {}

  /// Returns whether the ranks of each row of a matrix receive these counts. O(numbers), or less if not.
  bool is_equal(const CountMatrix& recv) const {
    for (std::size_t row = 0; row < recv.rows(); ++row) {
      const std::uint64_t receiver = recv.ranks[row].min();
      for (std::size_t sender = 0; sender < rows_.size(); ++sender)
        if (recv.counts[row * recv.columns + sender] != count(sender, receiver)) return false;
    }
    return true;
  }

  /// Sets the counts of a matrix whose rows have their ranks. O(numbers).
  void fill(CountMatrix& recv) const {
    recv.counts.resize(recv.rows() * recv.columns);
    std::vector<std::uint64_t> receivers;
    for (const NumberList& ranks : recv.ranks) receivers.push_back(ranks.min());
    for (std::size_t sender = 0; sender < rows_.size(); ++sender)
      for (std::size_t row = 0; row < receivers.size(); ++row)
        recv.counts[row * recv.columns + sender] = count(sender, receivers[row]);
  }

 private:
  std::int64_t count(std::size_t sender, std::uint64_t receiver) const {
    return send_.counts[std::size_t{rows_[sender]} * send_.columns + receiver];
  }

  const CountMatrix& send_;
  std::vector<std::uint32_t> rows_;  // by rank
};

}  // namespace plimsoll::collectives
