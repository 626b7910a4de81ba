#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <span>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/migration.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

inline ObjectId numbered(std::uint64_t number) {
  return static_cast<ObjectId>(number);
}

/// Returns the content of an object: its size and bytes depend on its number only.
inline std::vector<std::byte> content_of(ObjectId id, std::size_t size) {
  std::mt19937_64 random(static_cast<std::uint64_t>(id));
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

/// The objects on this rank and functions that move them.
struct ObjectStore {
  std::map<ObjectId, std::vector<std::byte>> objects;

  ObjectTransport transport() {
    return {.size_bytes = [this](ObjectId id) { return objects.at(id).size(); },
            .pack =
                [this](ObjectId id, std::span<std::byte> to) {
                  std::ranges::copy(objects.at(id), to.begin());
                  return objects.at(id).size();
                },
            .unpack =
                [this](ObjectId id, std::span<const std::byte> from) {
                  const bool is_new = objects.emplace(id, std::vector(from.begin(), from.end())).second;
                  EXPECT_TRUE(is_new) << "object " << static_cast<std::uint64_t>(id) << " arrives twice";
                  return from.size();
                },
            .remove = [this](ObjectId id) { EXPECT_EQ(objects.erase(id), 1u); }};
  }
};

/// The moves of all ranks, and those of this rank.
struct MovesOfRank {
  std::vector<Move> exports;
  std::vector<Move> imports;

  MovesOfRank(const std::vector<Move>& all, int rank) {
    for (const Move& move : all) {
      if (move.from == rank) exports.push_back(move);
      if (move.to == rank) imports.push_back(move);
    }
  }
};

}  // namespace plimsoll::runtime
