#include "lbdata/generating/memory_text.hpp"

#include <algorithm>
#include <utility>

#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

/// JSON object that is empty text without members. Members must be added in alphabetical order.
class MemberText {
 public:
  MemberText() : json_(text_) { json_.begin_object(); }

  template <class Value>
  void add(const char* name, Value value) {
    json_.member(name, value);
    has_members_ = true;
  }
  void add_size(const char* name, double bytes) {
    if (bytes > 0) add(name, bytes);
  }
  std::string take() {
    json_.end_object();
    return has_members_ ? std::move(text_) : std::string();
  }

 private:
  std::string text_;
  support::JsonWriter json_;
  bool has_members_ = false;
};

}  // namespace

std::string object_memory_text(const GenerateOptions& options, std::int64_t rank, std::int64_t number) {
  MemberText text;
  if (options.blocks_per_rank > 0) text.add("home_rank", rank);
  text.add_size("rank_working_bytes", options.rank_bytes);
  if (options.blocks_per_rank > 0) {
    // Consecutive objects share a block; the last block also has the remainder.
    const std::int64_t size = options.objects_per_rank / options.blocks_per_rank;
    const std::int64_t block = std::min(number / size, options.blocks_per_rank - 1);
    text.add_size("shared_bytes", options.block_bytes);
    text.add("shared_id", rank * options.blocks_per_rank + block);
  }
  text.add_size("task_footprint_bytes", options.footprint_bytes);
  text.add_size("task_serialized_bytes", options.serialized_bytes);
  text.add_size("task_working_bytes", options.working_bytes);
  return text.take();
}

std::string rank_memory_text(const GenerateOptions& options) {
  MemberText text;
  text.add_size("rank_working_bytes", options.rank_bytes);
  return text.take();
}

}  // namespace plimsoll::lbdata
