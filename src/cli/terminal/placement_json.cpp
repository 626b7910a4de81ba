#include "cli/terminal/placement_json.hpp"

#include <variant>

namespace plimsoll::PLIMSOLL_ABI::cli {

void write_quality(support::JsonWriter& json, const balance::Quality& quality) {
  json.member("max_load_s", quality.max_time_s)
      .member("mean_load_s", quality.mean_time_s)
      .member("imbalance", quality.imbalance)
      .member("work_sum_s", quality.work.sum)
      .member("work_max_s", quality.work.max)
      .member("max_memory_bytes", quality.max_memory_bytes)
      .member("max_node_memory_bytes", quality.max_node_memory_bytes)
      .member("off_rank_bytes", quality.off_rank_bytes)
      .member("off_rank_messages", quality.off_rank_messages);
}

void write_moves(support::JsonWriter& json, const balance::Quality& quality) {
  json.member("moved_objects", quality.n_moved)
      .member("moved_load_s", quality.moved_load_s)
      .member("moved_bytes", quality.moved_bytes);
}

void write_strategy(support::JsonWriter& json, const balance::StrategyResult& result) {
  json.member("strategy", result.strategy).key("parameters").begin_object();
  for (const auto& [name, value] : result.parameters.values()) {
    json.key(name);
    std::visit([&](const auto& alternative) { json.value(alternative); }, value);
  }
  json.end_object();
}

void write_remarks(support::JsonWriter& json, const balance::StrategyResult& result) {
  json.key("remarks").begin_object();
  for (const balance::Remark& remark : result.remarks) json.member(remark.key, remark.value);
  json.end_object();
}

}  // namespace plimsoll::cli
