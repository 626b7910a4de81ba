#include "balance/search/chain_partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <plimsoll/support/contract.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

std::vector<double> sums_before(std::span<const double> values) {
  std::vector<double> sums = {0};
  sums.reserve(values.size() + 1);
  for (const double value : values) sums.push_back(sums.back() + value);
  return sums;
}

/// Memory of parts of a chain in which objects share blocks. A part grows by the bytes of an object, and by
/// those of its block unless another object of the part has it too.
class SharedMemory {
 public:
  explicit SharedMemory(const ObjectChain& objects)
      : objects_(objects), previous_(objects.blocks.size(), none), next_(objects.blocks.size(), none) {
    std::vector<std::size_t> last(objects.block_bytes.size(), none);
    for (std::size_t object = 0; object < objects.blocks.size(); ++object) {
      if (objects.blocks[object] == ObjMemory::no_block) continue;
      std::size_t& before = last[objects.blocks[object]];
      previous_[object] = before;
      if (before != none) next_[before] = object;
      before = object;
    }
  }

  bool empty() const { return objects_.blocks.empty(); }
  /// Returns the end of the longest part from `begin` to `last` at most within `room` bytes.
  std::size_t fits(std::size_t begin, std::size_t last, double room) const {
    double used = 0;
    for (std::size_t end = begin; end < last; ++end) {
      const bool is_new = previous_[end] == none || previous_[end] < begin;
      used += objects_.bytes[end] + (is_new ? block_of(end) : 0);
      if (used > room) return end;
    }
    return last;
  }
  /// Returns the start of the longest part from `first` at least to `end` within `room` bytes.
  std::size_t fits_back(std::size_t end, std::size_t first, double room) const {
    double used = 0;
    for (std::size_t begin = end; begin > first; --begin) {
      const bool is_new = next_[begin - 1] >= end;
      used += objects_.bytes[begin - 1] + (is_new ? block_of(begin - 1) : 0);
      if (used > room) return begin;
    }
    return first;
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  double block_of(std::size_t object) const {
    const std::uint32_t block = objects_.blocks[object];
    return block == ObjMemory::no_block ? 0 : objects_.block_bytes[block];
  }

  const ObjectChain& objects_;
  std::vector<std::size_t> previous_;  // object with the same block before each object
  std::vector<std::size_t> next_;      // and after it
};

/// Chain of objects, with queries for the part that each rank finishes in a given time.
class Chain {
 public:
  Chain(const ObjectChain& objects, const ProcArray& procs, std::span<const std::int32_t> ranks)
      : procs_(procs),
        ranks_(ranks),
        sum_before_(sums_before(objects.loads)),
        bytes_before_(objects.bytes.empty() ? std::vector<double>() : sums_before(objects.bytes)),
        max_bytes_(objects.max_bytes),
        shared_memory_(objects) {}

  std::size_t n_ranks() const { return ranks_.size(); }
  std::size_t size() const { return sum_before_.size() - 1; }
  double load() const { return sum_before_.back(); }

  /// Returns the end of the longest part from `begin` that the k-th rank finishes by `time_s`.
  std::size_t reach(std::size_t k, std::size_t begin, double time_s) const {
    const double up_to = sum_before_[begin] + capacity(k, time_s);
    const auto beyond =
        std::upper_bound(sum_before_.begin() + static_cast<std::ptrdiff_t>(begin), sum_before_.end(), up_to);
    const auto in_time = std::max(begin, static_cast<std::size_t>(beyond - sum_before_.begin() - 1));
    return std::max(begin, fits(k, begin, in_time));
  }
  /// Returns the start of the longest part up to `end` that the k-th rank finishes by `time_s`.
  std::size_t reach_back(std::size_t k, std::size_t end, double time_s) const {
    const double from = sum_before_[end] - capacity(k, time_s);
    const auto first =
        std::lower_bound(sum_before_.begin(), sum_before_.begin() + static_cast<std::ptrdiff_t>(end), from);
    return fits_back(k, end, static_cast<std::size_t>(first - sum_before_.begin()));
  }
  bool feasible(double time_s) const {
    std::size_t end = 0;
    for (std::size_t k = 0; k < n_ranks() && end < size(); ++k) end = reach(k, end, time_s);
    return end == size();
  }
  /// Returns the cut whose preceding loads have the sum nearest to `load`.
  std::size_t nearest_cut(double load) const {
    const auto at = std::ranges::lower_bound(sum_before_, load);
    if (at == sum_before_.end()) return size();
    if (at != sum_before_.begin() && load - *(at - 1) <= *at - load)
      return static_cast<std::size_t>(at - sum_before_.begin() - 1);
    return static_cast<std::size_t>(at - sum_before_.begin());
  }
  const ProcInfo& proc(std::size_t k) const { return procs_.procs[static_cast<std::size_t>(ranks_[k])]; }

 private:
  double capacity(std::size_t k, double time_s) const {
    return std::max(0.0, time_s - proc(k).overhead) * proc(k).pe_speed;
  }

  /// Returns the end of the longest part from `begin` to `last` at most whose bytes fit on the k-th rank.
  std::size_t fits(std::size_t k, std::size_t begin, std::size_t last) const {
    if (bytes_before_.empty()) return last;
    if (!shared_memory_.empty()) return shared_memory_.fits(begin, last, room(k));
    const auto beyond = std::upper_bound(bytes_before_.begin() + static_cast<std::ptrdiff_t>(begin),
                                         bytes_before_.end(), bytes_before_[begin] + room(k));
    return std::min(last, static_cast<std::size_t>(beyond - bytes_before_.begin()) - 1);
  }
  /// Returns the start of the longest part from `first` at least to `end` whose bytes fit on the k-th rank.
  std::size_t fits_back(std::size_t k, std::size_t end, std::size_t first) const {
    if (bytes_before_.empty()) return first;
    if (!shared_memory_.empty()) return shared_memory_.fits_back(end, first, room(k));
    const auto in_room =
        std::lower_bound(bytes_before_.begin(), bytes_before_.begin() + static_cast<std::ptrdiff_t>(end),
                         bytes_before_[end] - room(k));
    return std::max(first, static_cast<std::size_t>(in_room - bytes_before_.begin()));
  }
  double room(std::size_t k) const { return max_bytes_[k] * (1 + rounding_error); }

  const ProcArray& procs_;
  std::span<const std::int32_t> ranks_;
  std::vector<double> sum_before_;
  std::vector<double> bytes_before_;  // empty without limits on bytes
  std::span<const double> max_bytes_;
  SharedMemory shared_memory_;
};

/// Returns the minimum time in which the ranks finish all objects; infinity if their bytes do not fit.
double minimum_time(const Chain& chain) {
  double too_short = 0;
  double enough = 0;
  for (std::size_t k = 0; k < chain.n_ranks(); ++k) {
    const double alone_s = chain.proc(k).overhead + chain.load() / chain.proc(k).pe_speed;
    enough = k == 0 ? alone_s : std::min(enough, alone_s);
  }
  if (!chain.feasible(std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
  // Increase the time until the objects certainly fit, despite rounding and limits on bytes.
  enough = std::max(enough, std::numeric_limits<double>::min());
  while (!chain.feasible(enough)) enough = std::min(2 * enough, std::numeric_limits<double>::max());
  if (chain.feasible(too_short)) return too_short;
  for (;;) {
    const double middle = too_short + (enough - too_short) / 2;
    if (middle <= too_short || middle >= enough) return enough;
    (chain.feasible(middle) ? enough : too_short) = middle;
  }
}

}  // namespace

std::vector<std::size_t> partition_chain(const ObjectChain& objects, const ProcArray& procs,
                                         std::span<const std::int32_t> ranks) {
  PLIMSOLL_EXPECT(objects.loads.empty() || !ranks.empty());
  PLIMSOLL_EXPECT(objects.bytes.empty() ||
                  (objects.bytes.size() == objects.loads.size() && objects.max_bytes.size() == ranks.size()));
  PLIMSOLL_EXPECT(objects.blocks.empty() || objects.blocks.size() == objects.bytes.size());
  if (objects.loads.empty()) return std::vector<std::size_t>(ranks.size(), 0);
  const Chain chain(objects, procs, ranks);
  const double time_s = minimum_time(chain);
  if (time_s == std::numeric_limits<double>::infinity()) return {};
  // Compute the earliest cuts: the ranks after a cut must be able to finish the rest.
  std::vector<std::size_t> earliest(ranks.size(), chain.size());
  for (std::size_t k = ranks.size() - 1; k > 0; --k)
    earliest[k - 1] = chain.reach_back(k, earliest[k], time_s);

  const std::vector<double> shares = fair_shares(procs, ranks, chain.load());
  std::vector<std::size_t> ends;
  std::size_t begin = 0;
  double share_so_far = 0;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    share_so_far += shares[k];
    const std::size_t latest = chain.reach(k, begin, time_s);
    begin = std::min(latest, std::max({begin, earliest[k], chain.nearest_cut(share_so_far)}));
    ends.push_back(begin);
  }
  ends.back() = chain.size();
  PLIMSOLL_ENSURE(ends.size() == ranks.size() && std::ranges::is_sorted(ends));
  return ends;
}

}  // namespace plimsoll::balance
