#include <algorithm>
#include <limits>

#include <plimsoll/lbdata/data_comparison.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "lbdata/comparing/json_comparison.hpp"
#include "lbdata/comparing/record_comparison.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

/// Files of one rank in both data sets; null if a data set does not have it.
struct RankPair {
  const RankFile* first = nullptr;
  const RankFile* second = nullptr;
};

/// Pairs the files of equal ranks. Both lists are sorted by rank.
std::vector<RankPair> pairs_of(const std::vector<RankFile>& first, const std::vector<RankFile>& second) {
  if (first.size() == 1 && second.size() == 1) return {{&first[0], &second[0]}};
  std::vector<RankPair> pairs;
  auto a = first.begin();
  auto b = second.begin();
  while (a != first.end() || b != second.end()) {
    const bool takes_first = b == second.end() || (a != first.end() && a->rank <= b->rank);
    const bool takes_second = a == first.end() || (b != second.end() && b->rank <= a->rank);
    pairs.push_back({takes_first ? &*a++ : nullptr, takes_second ? &*b++ : nullptr});
  }
  return pairs;
}

/// Returns the first phase of each range of phases in which the state of both ranks is constant.
std::vector<std::int64_t> changes_of(const RankData& first, const RankData& second) {
  std::vector<std::int64_t> phases;
  const auto add = [&](const PhaseRange& range) {
    phases.push_back(range.first);
    if (range.last != PhaseRange::no_end) phases.push_back(range.last + 1);
  };
  for (const RankData* rank : {&first, &second}) {
    for (const PhaseRecord& record : rank->phases) add({record.id, record.id});
    if (!rank->metadata.phases) continue;
    std::ranges::for_each(rank->metadata.phases->skipped.ranges(), add);
    std::ranges::for_each(rank->metadata.phases->identical_to_previous.ranges(), add);
  }
  std::ranges::sort(phases);
  phases.erase(std::unique(phases.begin(), phases.end()), phases.end());
  return phases;
}

class DatasetComparison {
 public:
  DatasetComparison(const DataComparisonOptions& options, DataComparison& result)
      : options_(options), result_(result), differences_(result, options) {}

  void compare(const RankPair& pair) {
    const RankFile& file = pair.first != nullptr ? *pair.first : *pair.second;
    differences_.place = {.file = file.path, .rank = file.rank};
    if (pair.first == nullptr || pair.second == nullptr) {
      return differences_.compare_presence("file", pair.first != nullptr, pair.second != nullptr);
    }
    const std::vector<RankFile> files = {*pair.first, *pair.second};
    Dataset datasets[2];
    support::parallel_for(2, options_.threads, [&](std::size_t k) {
      datasets[k] =
          read({files[k]}, {.ranks = RankCheck::any, .threads = 1, .limits = options_.limits}).dataset;
      options_.progress->advance(total_bytes({files[k]}));
    });
    count(datasets[0].ranks.front());
    compare_metadata(datasets[0].ranks.front().metadata, datasets[1].ranks.front().metadata);
    compare_phases(datasets[0], datasets[1]);
  }

 private:
  void count(const RankData& rank) {
    ++result_.files;
    result_.phases += rank.phases.size();
    for (const PhaseRecord& record : rank.phases) {
      result_.tasks += record.tasks.size();
      if (record.communications) result_.communications += record.communications->size();
    }
  }

  void compare_metadata(const RankMetadata& first, const RankMetadata& second) {
    differences_.place.field = "metadata/";
    if (first.rank && second.rank) differences_.compare("rank", *first.rank, *second.rank);
    differences_.compare_measured("rank_alpha", first.rank_alpha.value_or(1), second.rank_alpha.value_or(1));
    compare_nodes(first.shared_node, second.shared_node);
    const auto count_of = [](const RankMetadata& metadata) {
      return metadata.phases ? metadata.phases->count : std::nullopt;
    };
    differences_.compare("phases/count", count_of(first), count_of(second));
    compare_json("attributes", first.attributes.value_or(""), second.attributes.value_or(""), differences_);
    differences_.place.field.clear();
  }

  void compare_nodes(const std::optional<SharedNode>& first, const std::optional<SharedNode>& second) {
    if (!first || !second)
      return differences_.compare_presence("shared_node", first.has_value(), second.has_value());
    differences_.compare("shared_node/id", first->id, second->id);
    differences_.compare("shared_node/num_nodes", first->num_nodes, second->num_nodes);
    differences_.compare("shared_node/rank", first->rank, second->rank);
    differences_.compare("shared_node/size", first->size, second->size);
  }

  void compare_phases(const Dataset& first, const Dataset& second) {
    const RankData& old_rank = first.ranks.front();
    const RankData& new_rank = second.ranks.front();
    RecordComparison records(first, second, differences_);
    std::pair<const PhaseRecord*, const PhaseRecord*> last;
    for (const std::int64_t phase : changes_of(old_rank, new_rank)) {
      const std::pair now(old_rank.resolve(phase).record, new_rank.resolve(phase).record);
      if (now == last) continue;  // the same records, or no data in both
      last = now;
      differences_.place.phase = phase;
      if (now.first != nullptr && now.second != nullptr)
        records.compare(*now.first, *now.second);
      else
        differences_.compare_presence("phase", now.first != nullptr, now.second != nullptr);
    }
  }

  const DataComparisonOptions& options_;
  DataComparison& result_;
  DifferenceList differences_;
};

}  // namespace

DataComparison compare_data(const std::vector<RankFile>& first, const std::vector<RankFile>& second,
                            const DataComparisonOptions& options) {
  if (!(options.tolerance >= 0 && options.tolerance <= std::numeric_limits<double>::max()))
    throw support::usage_error(fmt::format("invalid tolerance {}: must be >= 0", options.tolerance),
                               "use a relative tolerance such as 1e-9");
  DataComparison result;
  options.progress->begin("comparing", total_bytes(first) + total_bytes(second), "bytes");
  DatasetComparison comparison(options, result);
  try {
    for (const RankPair& pair : pairs_of(first, second)) comparison.compare(pair);
  } catch (const EnoughDifferences&) {
    // The caller asked for the first differences only.
  }
  options.progress->end();
  return result;
}

}  // namespace plimsoll::lbdata
