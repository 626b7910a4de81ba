#include "runtime/manager/migration_requests.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include <plimsoll/support/error.hpp>

#include "runtime/recording/object_name.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

void expect_valid(const std::vector<ObjectId>& ids, std::span<const Move> requested, int ranks) {
  const std::unordered_set<ObjectId> here(ids.begin(), ids.end());
  for (const Move& move : requested) {
    if (move.to < 0 || move.to >= ranks)
      throw support::usage_error(fmt::format("invalid rank {} in a request to migrate", move.to),
                                 fmt::format("use 0 to {}", ranks - 1));
    if (!here.contains(move.object))
      throw support::usage_error(
          fmt::format("{} is requested to migrate, but not registered on this rank", name_of(move.object)),
          "request migrations on the rank of the object");
  }
}

std::vector<LeavingObject> leaving_objects(const std::vector<ObjectId>& ids, std::span<const Move> decided,
                                           std::span<const Move> requested) {
  std::unordered_map<ObjectId, int> target;
  for (const Move& move : decided) target[move.object] = move.to;
  for (const Move& move : requested) {
    target[move.object] = move.to;
    if (move.to == move.from) target.erase(move.object);
  }
  std::vector<LeavingObject> leaving;
  for (std::uint32_t object = 0; object < ids.size(); ++object)
    if (const auto found = target.find(ids[object]); found != target.end())
      leaving.push_back({object, found->second});
  return leaving;
}

}  // namespace plimsoll::runtime
