#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

void append_phase_numbers(support::JsonWriter& json, const PhaseNumbers& numbers) {
  json.begin_object().key("list").values(numbers.list).key("range").begin_array();
  for (const std::vector<std::int64_t>& range : numbers.range) json.values(range);
  json.end_array().end_object();
}

}  // namespace

std::string to_json(const RankMetadata& metadata) {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object();
  if (metadata.attributes) json.key("attributes").raw(*metadata.attributes);
  if (const auto& phases = metadata.phases) {
    json.key("phases").begin_object();
    if (phases->count) json.member("count", *phases->count);
    json.key("identical_to_previous");
    append_phase_numbers(json, phases->identical_to_previous);
    json.key("skipped");
    append_phase_numbers(json, phases->skipped);
    json.end_object();
  }
  if (metadata.rank) json.member("rank", *metadata.rank);
  if (metadata.rank_alpha) json.member("rank_alpha", *metadata.rank_alpha);
  if (const auto& node = metadata.shared_node) {
    json.key("shared_node").begin_object();
    json.member("id", node->id).member("num_nodes", node->num_nodes);
    json.member("rank", node->rank).member("size", node->size);
    json.end_object();
  }
  if (metadata.type) json.member("type", *metadata.type);
  json.end_object();
  return text;
}

}  // namespace plimsoll::lbdata
