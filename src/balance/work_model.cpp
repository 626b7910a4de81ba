#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <map>
#include <numeric>

#include <plimsoll/balance/placement_summary.hpp>
#include <plimsoll/balance/rank_traffic.hpp>
#include <plimsoll/balance/work_model.hpp>
#include <plimsoll/lbdata/comm_category.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/object_numbers.hpp"

namespace plimsoll::balance {

namespace {

/// A number of a user's JSON object, 3 or 3.0; `otherwise` if there is no such member.
double number_member(const simdjson::dom::object& object, const char* name, double otherwise) {
  simdjson::dom::element element;
  if (object[name].get(element) != simdjson::SUCCESS || element.is_null()) return otherwise;
  double number = 0;
  if (element.get(number) != simdjson::SUCCESS)
    throw support::bad_input(fmt::format("member \"{}\" is not a number", name));
  return number;
}

}  // namespace

WorkModel::WorkModel(const lbdata::Dataset& dataset, const DatasetPhase& phase,
                     const WorkCoefficients& coefficients)
    : phase_(phase), coefficients_(coefficients) {
  for (const lbdata::RankData& rank : dataset.ranks)
    rank_alpha_.push_back(rank.metadata.rank_alpha.value_or(1));
  if (coefficients.delta != 0) read_blocks(dataset);
}

void WorkModel::read_blocks(const lbdata::Dataset& dataset) {
  const std::vector<const lbdata::PhaseRecord*> records = phase_records(dataset, phase_.phase);
  std::map<std::pair<std::uint32_t, double>, std::uint32_t> numbers;  // (home, shared_id) to block
  simdjson::dom::parser parser;
  for (const TaskLocation location : phase_.locations) {
    block_of_.push_back(no_block);
    const std::string_view text = records[location.rank]->tasks.user_defined.at(location.task);
    if (text.empty()) continue;
    try {
      simdjson::dom::object object;
      if (const auto error = parser.parse(text.data(), text.size()).get(object); error != simdjson::SUCCESS)
        throw support::bad_input(simdjson::error_message(error));
      const double shared_id = number_member(object, "shared_id", -1);
      if (shared_id < 0) continue;
      const auto [number, is_new] =
          numbers.insert({{location.rank, shared_id}, static_cast<std::uint32_t>(blocks_.size())});
      if (is_new) blocks_.push_back({location.rank, number_member(object, "shared_bytes", 0)});
      block_of_.back() = number->second;
    } catch (const support::Error& error) {
      throw support::bad_input(fmt::format("user data of task {} of rank {} in phase {}: {}", location.task,
                                           location.rank, phase_.phase, error.what()));
    }
  }
}

void WorkModel::add_homing(std::span<const std::int32_t> placement, std::vector<double>& work) const {
  std::vector<std::pair<std::int32_t, std::uint32_t>> uses;  // (rank, block) away from home
  for (std::size_t object = 0; object < block_of_.size(); ++object) {
    const std::uint32_t block = block_of_[object];
    if (block != no_block && blocks_[block].home != static_cast<std::uint32_t>(placement[object]))
      uses.emplace_back(placement[object], block);
  }
  std::ranges::sort(uses);
  const auto repeats = std::ranges::unique(uses);
  uses.erase(repeats.begin(), repeats.end());
  for (const auto& [rank, block] : uses)
    work[static_cast<std::size_t>(rank)] += coefficients_.delta * blocks_[block].bytes;
}

WorkSummary WorkModel::evaluate(std::span<const std::int32_t> placement) const {
  const LDStats& stats = phase_.stats;
  WorkSummary summary;
  summary.work = finish_times(stats, placement);
  const RankTraffic traffic = rank_traffic(stats, placement, [&](std::size_t edge) {
    constexpr auto send_recv = static_cast<std::uint8_t>(lbdata::CommCategory::SendRecv) - 1;
    return phase_.comm_categories[edge] == send_recv && stats.comm_data[edge].sender.is_object() &&
           stats.comm_data[edge].receiver.is_object();
  });
  for (std::size_t rank = 0; rank < summary.work.size(); ++rank)
    summary.work[rank] =
        coefficients_.alpha * rank_alpha_[rank] * summary.work[rank] +
        coefficients_.beta * std::max(traffic.sent_bytes[rank], traffic.received_bytes[rank]) +
        coefficients_.gamma;
  add_homing(placement, summary.work);
  summary.sum = std::accumulate(summary.work.begin(), summary.work.end(), 0.0);
  if (!summary.work.empty()) summary.max = *std::ranges::max_element(summary.work);
  summary.imbalance = imbalance(summary.work);
  return summary;
}

}  // namespace plimsoll::balance
