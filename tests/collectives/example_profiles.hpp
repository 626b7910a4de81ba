#pragma once

#include <algorithm>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/profiles.hpp"

namespace plimsoll::testing {

using namespace collectives;

inline NumberList numbers(std::initializer_list<std::uint64_t> values) {
  NumberList list;
  for (const std::uint64_t value : values) list.push_back(value);
  return list;
}

inline Signature signature_of(Operation operation, const std::vector<std::vector<std::int64_t>>& send,
                              const std::vector<std::vector<std::int64_t>>& recv, NumberList calls) {
  Signature signature{.operation = operation, .comm_size = static_cast<std::uint32_t>(send.size())};
  signature.send = {.type_size = 4, .matrix = matrix_of(send)};
  signature.recv = {.type_size = 8, .matrix = matrix_of(recv)};
  signature.calls = std::move(calls);
  return signature;
}

/// Returns the fields of count sets that tests compare, as text that a failing test can print.
inline std::string described(const std::vector<Signature>& signatures) {
  std::string text;
  for (const Signature& signature : signatures) {
    text += signature.operation.name() + " of " + std::to_string(signature.comm_size) + ", calls " +
            signature.calls.to_string() + "\n";
    for (const Side* side : {&signature.send, &signature.recv}) {
      text += "  type size " + std::to_string(side->type_size) + "\n";
      for (std::size_t row = 0; row < side->matrix.rows(); ++row) {
        text += "  " + side->matrix.ranks[row].to_string() + ":";
        for (const std::int64_t count : side->matrix.row(row)) text += " " + std::to_string(count);
        text += "\n";
      }
    }
  }
  return text;
}

/// Random count sets of many operations and shapes, sorted by operation and first call. Each call is in one
/// count set.
class RandomSignatures {
 public:
  explicit RandomSignatures(unsigned seed) : random_(seed) {}

  std::vector<Signature> make() {
    std::vector<Signature> signatures;
    for (std::size_t index = 0; index < Operation::count; ++index) {
      if (below(3) != 0) continue;
      std::uint64_t call = below(3);
      for (std::uint64_t k = below(4); k > 0; --k) {
        NumberList calls;
        for (std::uint64_t n = 1 + below(5); n > 0; --n) {
          calls.push_back(call);
          call += 1 + below(2);
        }
        Signature made = make_one(Operation::at(index));
        made.send.type_size += 1000 * k;  // makes all count sets different
        made.calls = std::move(calls);
        signatures.push_back(std::move(made));
      }
    }
    return signatures;
  }

  std::uint64_t below(std::uint64_t bound) {
    return std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(random_);
  }

 private:
  std::vector<std::vector<std::int64_t>> rows(std::size_t ranks, std::size_t columns) {
    const std::int64_t largest[] = {1, 3, 1'000'000, INT64_MAX};
    const std::int64_t most = largest[below(4)];
    std::vector<std::vector<std::int64_t>> result(ranks, std::vector<std::int64_t>(columns));
    for (auto& row : result)
      for (std::int64_t& count : row) count = std::uniform_int_distribution<std::int64_t>(0, most)(random_);
    return result;
  }

  Signature make_one(Operation operation) {
    const std::size_t ranks = 1 + below(7);
    const bool inter = !operation.neighborhood && below(4) == 0;
    const std::size_t peers = inter ? 1 + below(9) : ranks;
    const bool one_sent =
        operation.exchange == Exchange::alltoall || operation.exchange == Exchange::allgatherv;
    const bool one_received = operation.exchange == Exchange::alltoall;
    return signature_of(operation, rows(ranks, one_sent ? 1 : peers), rows(ranks, one_received ? 1 : peers),
                        {});
  }

  std::mt19937 random_;
};

}  // namespace plimsoll::testing
