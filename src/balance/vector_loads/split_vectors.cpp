#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "balance/search/loads.hpp"
#include "balance/search/random.hpp"
#include "balance/vector_loads/vector_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr int max_exchanges = 12;
constexpr int draws_per_exchange = 192;
// Squared excess of the halves, in units of the mean load per rank, below which no further swaps are tried.
constexpr double even_enough = 1e-10;

class Splitter {
 public:
  Splitter(const LDStats& stats, const VectorLoads& loads)
      : loads_(loads),
        n_dimensions_(loads.n_dimensions()),
        ranks_(available_ranks(stats)),
        placement_(stats.from_proc) {
    for (std::uint32_t object = 0; object < stats.obj_data.size(); ++object)
      if (stats.obj_data[object].migratable)
        objects_.push_back({std::ranges::max(loads.of_object(object)), object});
    sort_by_descending_load(objects_);
    for (const LoadedObject& entry : objects_) {
      const std::span<const double> load = loads.of_object(entry.object);
      item_loads_.insert(item_loads_.end(), load.begin(), load.end());
    }
  }

  std::vector<std::int32_t> run() {
    std::vector<std::uint32_t> items(objects_.size());
    std::iota(items.begin(), items.end(), 0u);
    split(std::move(items), 0, ranks_.size());
    return std::move(placement_);
  }

 private:
  std::span<const double> load(std::uint32_t item) const {
    return std::span(item_loads_).subspan(item * n_dimensions_, n_dimensions_);
  }

  void split(std::vector<std::uint32_t> items, std::size_t first, std::size_t last) {
    if (last - first <= 1) {
      for (const std::uint32_t item : items) placement_[objects_[item].object] = ranks_[first];
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    share_of_left_ = room_share(first, middle, last);
    excess_of_left_.assign(n_dimensions_, 0.0);
    std::vector<std::uint32_t> left;
    std::vector<std::uint32_t> right;
    left.reserve(items.size());
    right.reserve(items.size());
    for (const std::uint32_t item : items) (goes_left(item) ? left : right).push_back(item);
    items = {};
    exchange(left, right);
    split(std::move(left), first, middle);
    split(std::move(right), middle, last);
  }

  std::vector<double> room_share(std::size_t first, std::size_t middle, std::size_t last) const {
    std::vector<double> share(n_dimensions_, 0.5);
    for (std::size_t d = 0; d < n_dimensions_; ++d) {
      double left = 0;
      double all = 0;
      for (std::size_t rank = first; rank < last; ++rank) {
        const double room =
            loads_.processor(static_cast<std::uint32_t>(ranks_[rank]), d).room_below(loads_.level(d));
        all += room;
        if (rank < middle) left += room;
      }
      if (all > 0) share[d] = left / all;
    }
    return share;
  }

  bool goes_left(std::uint32_t item) {
    const std::span<const double> load = this->load(item);
    double difference = 0;  // difference of the sums of squares
    for (std::size_t d = 0; d < n_dimensions_; ++d)
      difference += load[d] * (2 * excess_of_left_[d] + (1 - 2 * share_of_left_[d]) * load[d]);
    const bool left = difference < 0;
    for (std::size_t d = 0; d < n_dimensions_; ++d)
      excess_of_left_[d] += ((left ? 1 : 0) - share_of_left_[d]) * load[d];
    return left;
  }

  /// Returns the sum of squares after the left half has given away and taken over these objects.
  double squares_after(std::optional<std::uint32_t> given, std::optional<std::uint32_t> taken) const {
    double squares = 0;
    for (std::size_t d = 0; d < n_dimensions_; ++d) {
      const double excess =
          excess_of_left_[d] - (given ? load(*given)[d] : 0) + (taken ? load(*taken)[d] : 0);
      squares += excess * excess;
    }
    return squares;
  }

  /// Draws a random position in a list. The position after the last item is also possible, and means no item.
  std::size_t draw(const std::vector<std::uint32_t>& list) {
    return static_cast<std::size_t>(random_.uniform() * static_cast<double>(list.size() + 1));
  }

  void exchange(std::vector<std::uint32_t>& left, std::vector<std::uint32_t>& right) {
    const auto item = [](const std::vector<std::uint32_t>& list, std::size_t position) {
      return position < list.size() ? std::optional(list[position]) : std::nullopt;
    };
    double squares = squares_after({}, {});
    for (int round = 0; round < max_exchanges && squares > even_enough; ++round) {
      double best = squares;
      std::size_t given = left.size();
      std::size_t taken = right.size();
      for (int i = 0; i < draws_per_exchange; ++i) {
        const std::size_t l = draw(left);
        const std::size_t r = draw(right);
        const double after = squares_after(item(left, l), item(right, r));
        if (after >= best) continue;
        best = after;
        given = l;
        taken = r;
      }
      if (best >= squares) return;
      squares = best;
      apply(left, given, right, taken);
    }
  }

  void apply(std::vector<std::uint32_t>& left, std::size_t given, std::vector<std::uint32_t>& right,
             std::size_t taken) {
    const bool gives = given < left.size();
    const bool takes = taken < right.size();
    for (std::size_t d = 0; d < n_dimensions_; ++d) {
      if (gives) excess_of_left_[d] -= load(left[given])[d];
      if (takes) excess_of_left_[d] += load(right[taken])[d];
    }
    if (gives && takes) {
      std::swap(left[given], right[taken]);
    } else if (gives) {
      right.push_back(left[given]);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(given));
    } else {
      left.push_back(right[taken]);
      right.erase(right.begin() + static_cast<std::ptrdiff_t>(taken));
    }
  }

  const VectorLoads& loads_;
  std::size_t n_dimensions_;
  std::vector<LoadedObject> objects_;  ///< object of each item, heaviest first
  std::vector<double> item_loads_;     ///< loads in the same order, which is the processing order
  std::vector<std::int32_t> ranks_;    ///< available ranks
  std::vector<std::int32_t> placement_;
  std::vector<double> share_of_left_;   ///< share of the left half per dimension, in the current split
  std::vector<double> excess_of_left_;  ///< load of the left half above its share
  Random random_{1};
};

}  // namespace

std::vector<std::int32_t> split_vectors(const LDStats& stats, const VectorLoads& loads) {
  return Splitter(stats, loads).run();
}

}  // namespace plimsoll::balance
