#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Kind of communication of an edge: the `type` of an entry of `communications`. Values and names match vt's
/// `CommCategory` (Node LB Data, table of communication types).
enum class CommCategory : std::uint8_t {
  SendRecv = 1,
  CollectionToNode = 2,
  NodeToCollection = 3,
  Broadcast = 4,
  CollectionToNodeBcast = 5,
  NodeToCollectionBcast = 6,
  CollectiveToCollectionBcast = 7,
  LocalInvoke = 8,
  WriteShared = 9,
  ReadOnlyShared = 10,
};

/// List of all categories in the order of their values.
inline constexpr std::array<CommCategory, 10> all_comm_categories = {
    CommCategory::SendRecv,
    CommCategory::CollectionToNode,
    CommCategory::NodeToCollection,
    CommCategory::Broadcast,
    CommCategory::CollectionToNodeBcast,
    CommCategory::NodeToCollectionBcast,
    CommCategory::CollectiveToCollectionBcast,
    CommCategory::LocalInvoke,
    CommCategory::WriteShared,
    CommCategory::ReadOnlyShared,
};

/// Kinds of the two ends of an edge.
struct CategoryEnds {
  EntityKind from = EntityKind::object;
  EntityKind to = EntityKind::object;
};

/// Returns the ends of a category according to the table of communication types.
CategoryEnds ends_of(CommCategory category);

/// Returns the name as in the files, e.g. "SendRecv".
std::string_view to_string(CommCategory category);

/// Returns the category with this name; empty for an unknown name.
std::optional<CommCategory> comm_category(std::string_view name);

/// Column of users' JSON objects (`user_defined`, `attributes`), kept as original text. Rows may lack an
/// object. Rows are added in ascending order.
class TextColumn {
 public:
  void add(std::uint32_t row, std::string_view text) {
    PLIMSOLL_EXPECT(rows_.empty() || rows_.back() < row);
    rows_.push_back(row);
    text_ += text;
    ends_.push_back(text_.size());
  }
  /// Returns the text of a row; empty if the row has none (the text of a JSON object is never empty). Cost:
  /// O(log n).
  std::string_view at(std::uint32_t row) const;
  std::size_t size() const { return rows_.size(); }
  /// Returns the row and the text of entry k.
  std::uint32_t row(std::size_t k) const {
    PLIMSOLL_EXPECT(k < size());
    return rows_[k];
  }
  std::string_view text(std::size_t k) const {
    PLIMSOLL_EXPECT(k < size());
    const std::uint64_t begin = k == 0 ? 0 : ends_[k - 1];
    return std::string_view(text_).substr(begin, ends_[k] - begin);
  }
  /// Frees spare capacity.
  void shrink();
  friend bool operator==(const TextColumn&, const TextColumn&) = default;

 private:
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint64_t> ends_;
  std::string text_;
};

/// Tasks of one rank in one phase, columnar: 21 bytes per task, 12 per subphase.
struct Tasks {
  /// Entity of each task; the columns `time_s` to `subphase_end` have the same length.
  std::vector<EntityIndex> entity;
  std::vector<double> time_s;          ///< load of the task, including subphases
  std::vector<std::int32_t> node;      ///< rank where the work ran (the JSON key `node` means rank)
  std::vector<std::uint8_t> resource;  ///< index into Dataset::resources
  /// End of each task's subphases, where the subphases of the next task begin.
  std::vector<std::uint32_t> subphase_end;
  std::vector<std::int32_t> subphase_id;       ///< ids of the subphases, task by task
  std::vector<double> subphase_time_s;         ///< times of the subphases, task by task
  std::vector<std::uint32_t> empty_subphases;  ///< tasks with an empty `subphases` member, ascending
  TextColumn user_defined;                     ///< JSON objects of the tasks that have one
  TextColumn attributes;                       ///< JSON objects of the tasks that have one

  std::size_t size() const { return entity.size(); }
  std::uint32_t subphase_begin(std::size_t task) const {
    PLIMSOLL_EXPECT(task <= size());
    return task == 0 ? 0 : subphase_end[task - 1];
  }
  /// Appends task `task` of `other` (whose entities are in the same table).
  void append(const Tasks& other, std::size_t task);
};

/// Edges of one rank in one phase, columnar: 25 bytes per edge.
struct Communications {
  std::vector<EntityIndex> from;       ///< sender of each edge
  std::vector<EntityIndex> to;         ///< receiver of each edge
  std::vector<double> bytes;           ///< total bytes of all messages of the edge
  std::vector<std::int64_t> messages;  ///< number of messages in the phase
  std::vector<std::uint8_t> category;  ///< index into Dataset::categories; the first ten are CommCategory - 1

  std::size_t size() const { return from.size(); }
  /// Appends edge `edge` of `other` (whose entities are in the same table).
  void append(const Communications& other, std::size_t edge);
};

/// Work of one rank, measured in one phase or in one iteration of a load balancer's search (`lb_iterations`).
struct WorkRecord {
  std::int64_t id = 0;  ///< number of the phase or the iteration
  Tasks tasks;
  std::optional<Communications> communications;  ///< an absent list differs from an empty one, as in the file
  std::optional<std::string> user_defined;       ///< original JSON text
};

/// Record of one phase of one rank, as in the file.
struct PhaseRecord : WorkRecord {
  /// An absent list differs from an empty one, as in the file.
  std::optional<std::vector<WorkRecord>> lb_iterations;
};

}  // namespace plimsoll::lbdata
