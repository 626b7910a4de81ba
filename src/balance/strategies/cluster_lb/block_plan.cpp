#include "balance/strategies/cluster_lb/block_plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Shared block with the objects that have no rank yet, heaviest first.
struct BlockRest {
  std::span<std::uint32_t> objects;
  double load_s = 0;
  double copy_bytes = 0;                ///< memory of a copy of the block
  double footprint_bytes = 0;           ///< memory of the objects
  std::pair<double, std::int32_t> key;  ///< position in the order of blocks

  double bytes() const { return copy_bytes + footprint_bytes; }
};

/// Part of a BlockRest that fits on a rank.
struct BlockCut {
  std::size_t block = 0;  ///< position in the remaining blocks
  double load_s = 0;
};

// Number of blocks of which the best one is divided.
constexpr std::size_t n_divided_blocks = 8;

class Division {
 public:
  Division(const LDStats& stats, ObjectsOfBlocks objects, std::span<const BlockHost> hosts, double level,
           double granularity)
      : stats_(stats), objects_(std::move(objects)), hosts_(hosts), level_(level), granularity_(granularity) {
    for (std::size_t block = 0; block < objects_.size(); ++block) {
      if (objects_[block].empty()) continue;
      left_.push_back({.objects = objects_[block], .copy_bytes = stats.blocks[block].bytes});
      for (const std::uint32_t object : objects_[block]) {
        left_.back().load_s += stats.load_s(object);
        left_.back().footprint_bytes += stats.memory[object].footprint_bytes;
      }
      load_left_s_ += left_.back().load_s;
      left_.back().key = key_of(left_.back());
    }
    std::ranges::stable_sort(left_, {}, &BlockRest::key);
    for (const BlockHost& host : hosts) room_left_s_ += host.room(level);
  }

  std::optional<BlockDivision> run() {
    for (const BlockHost& host : hosts_) fill(host);
    if (!left_.empty()) return {};
    return BlockDivision{std::move(objects_), std::move(pieces_)};
  }

 private:
  void fill(const BlockHost& host) {
    const double host_room = host.room(level_);
    const double share = room_left_s_ > 0 ? load_left_s_ * (host_room / room_left_s_) : 0;
    room_left_s_ -= host_room;
    const auto [begin, end] = lightest_sufficient(host, host_room);
    double room = host_room;
    double bytes = host.bytes;
    std::size_t next = begin;
    for (; next < end && left_[next].load_s <= room + rounding_error * host_room; ++next) {
      room -= left_[next].load_s;
      bytes -= left_[next].bytes();
    }
    std::optional<std::size_t> whole;
    BlockCut cut;
    if (next < end) {
      whole = heaviest_before(begin, room, bytes);
      if (whole && host_room - room + left_[*whole].load_s < share) whole.reset();
      if (!whole) cut = best_cut(next, share - (host_room - room), room, bytes);
    }
    std::optional<BlockRest> rest;
    if (cut.load_s > 0) {
      rest = divide(left_[cut.block], host, room);
      erase(cut.block, cut.block + 1);
    }
    give(host, begin, next);
    if (whole) give(host, *whole, *whole + 1);
    if (!rest || rest->objects.empty()) return;
    rest->key = key_of(*rest);
    left_.insert(std::ranges::upper_bound(left_, rest->key, {}, &BlockRest::key), *rest);
  }

  /// Blocks of similar load are in the order of the ranks on which they are.
  std::pair<double, std::int32_t> key_of(const BlockRest& block) const {
    const double size_class =
        granularity_ > 0 ? std::floor(std::log(block.load_s) / std::log1p(granularity_)) : block.load_s;
    return {size_class, stats_.from_proc[block.objects.front()]};
  }

  /// Returns the positions of the lightest window that is sufficient for `room`, or of the heaviest window.
  std::pair<std::size_t, std::size_t> lightest_sufficient(const BlockHost& host, double room) const {
    std::pair<std::size_t, std::size_t> heaviest{0, 0};
    double most = -1;
    double load = 0;
    double bytes = 0;
    std::size_t end = 0;
    for (std::size_t begin = 0; begin < left_.size(); ++begin) {
      for (end = std::max(begin, end);
           end < left_.size() && end - begin < host.max_blocks && bytes + left_[end].bytes() <= host.bytes;
           ++end) {
        load += left_[end].load_s;
        bytes += left_[end].bytes();
      }
      if (end == begin) continue;
      if (load > most) {
        most = load;
        heaviest = {begin, end};
      }
      if (load >= room || end == left_.size()) break;
      load -= left_[begin].load_s;
      bytes -= left_[begin].bytes();
    }
    return heaviest;
  }

  /// Returns the heaviest block before `end` that fits.
  std::optional<std::size_t> heaviest_before(std::size_t end, double room, double bytes) const {
    std::optional<std::size_t> heaviest;
    for (std::size_t k = 0; k < end; ++k)
      if (left_[k].load_s <= room && left_[k].bytes() <= bytes &&
          (!heaviest || left_[k].load_s > left_[*heaviest].load_s))
        heaviest = k;
    return heaviest;
  }

  /// Returns the first block from `begin` on whose objects can fill `wanted` of the room, or the best of a
  /// few.
  BlockCut best_cut(std::size_t begin, double wanted, double room, double bytes) const {
    BlockCut best;
    for (std::size_t k = begin; k < std::min(left_.size(), begin + n_divided_blocks); ++k) {
      if (left_[k].bytes() > bytes) continue;
      double load = 0;
      for (const std::uint32_t object : left_[k].objects)
        if (stats_.load_s(object) <= room - load) load += stats_.load_s(object);
      if (load > best.load_s) best = {k, load};
      if (best.load_s >= wanted) break;
    }
    return best;
  }

  /// Gives the heaviest objects that fit to a rank. Returns the block with the other objects.
  BlockRest divide(BlockRest block, const BlockHost& host, double room) {
    const auto others = std::ranges::stable_partition(block.objects, [&](std::uint32_t object) {
      if (stats_.load_s(object) > room) return false;
      room -= stats_.load_s(object);
      return true;
    });
    const auto given = block.objects.first(block.objects.size() - others.size());
    for (const std::uint32_t object : given) {
      block.load_s -= stats_.load_s(object);
      block.footprint_bytes -= stats_.memory[object].footprint_bytes;
      load_left_s_ -= stats_.load_s(object);
    }
    pieces_.push_back({host.rank, given});
    block.objects = others;
    return block;
  }

  /// Gives whole blocks to a rank.
  void give(const BlockHost& host, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      pieces_.push_back({host.rank, left_[k].objects});
      load_left_s_ -= left_[k].load_s;
    }
    erase(begin, end);
  }

  void erase(std::size_t begin, std::size_t end) {
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(begin),
                left_.begin() + static_cast<std::ptrdiff_t>(end));
  }

  const LDStats& stats_;
  ObjectsOfBlocks objects_;
  std::span<const BlockHost> hosts_;
  double level_;
  double granularity_;
  std::vector<BlockRest> left_;  ///< blocks with objects that have no rank, lightest first
  double load_left_s_ = 0;
  double room_left_s_ = 0;
  std::vector<BlockPiece> pieces_;
};

}  // namespace

std::optional<BlockDivision> divide_blocks(const LDStats& stats, ObjectsOfBlocks objects,
                                           std::span<const BlockHost> hosts, double level,
                                           double granularity) {
  return Division(stats, std::move(objects), hosts, level, granularity).run();
}

}  // namespace plimsoll::balance
