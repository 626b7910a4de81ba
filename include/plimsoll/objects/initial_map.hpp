#pragma once

#include <cstdint>
#include <functional>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Distribution of the elements of a new collection over the ranks: a function of the number of an element,
/// the number of positions in the collection, and the number of ranks. It must return the same rank whenever
/// and wherever it is called: the constructor of a collection compares the results of all ranks, for all
/// positions of a dense collection, and for 65,536 positions otherwise.
using InitialMap = std::function<int(std::uint64_t number, std::uint64_t count, int ranks)>;

/// Gives each rank consecutive elements, as many as the others or one more.
int block_map(std::uint64_t number, std::uint64_t count, int ranks);
/// Deals the elements out to the ranks in turn.
int round_robin_map(std::uint64_t number, std::uint64_t count, int ranks);
/// Scatters the elements over the ranks by a hash of their numbers.
int hash_map(std::uint64_t number, std::uint64_t count, int ranks);

}  // namespace plimsoll::objects

namespace plimsoll::PLIMSOLL_ABI {
using objects::block_map;
using objects::hash_map;
using objects::InitialMap;
using objects::round_robin_map;
}  // namespace plimsoll
