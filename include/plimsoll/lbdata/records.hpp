#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/entity.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// JSON objects given by users (`user_defined`, `attributes`), kept as their original text, for the few
/// or many rows that have one. Rows are added in ascending order.
class TextColumn {
 public:
  void add(std::uint32_t row, std::string_view text) {
    rows_.push_back(row);
    text_ += text;
    ends_.push_back(text_.size());
  }
  /// The text of a row, empty if it has none (a JSON object is never an empty text). O(log n).
  std::string_view at(std::uint32_t row) const;
  std::size_t size() const { return rows_.size(); }
  /// Row and text of the k-th entry.
  std::uint32_t row(std::size_t k) const { return rows_[k]; }
  std::string_view text(std::size_t k) const {
    const std::uint64_t begin = k == 0 ? 0 : ends_[k - 1];
    return std::string_view(text_).substr(begin, ends_[k] - begin);
  }
  void clear();
  /// Gives back spare capacity.
  void shrink();
  friend bool operator==(const TextColumn&, const TextColumn&) = default;

 private:
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint64_t> ends_;
  std::string text_;
};

/// The tasks of one rank in one phase, columnar: 21 bytes a task, 12 a subphase.
struct Tasks {
  std::vector<EntityIndex>
      entity;                  ///< what was worked on, one per task; all columns but three have this length
  std::vector<double> time_s;  ///< load of the task, subphases included
  std::vector<std::int32_t> node;      ///< rank where the work ran (the JSON key `node` means rank)
  std::vector<std::uint8_t> resource;  ///< index into Dataset::resources
  std::vector<std::uint32_t>
      subphase_end;  ///< end of a task's subphases; its begin is the end of the one before
  std::vector<std::int32_t> subphase_id;       ///< one per subphase, those of task 0 first
  std::vector<double> subphase_time_s;         ///< one per subphase
  std::vector<std::uint32_t> empty_subphases;  ///< tasks whose `subphases` is there and empty, ascending
  TextColumn user_defined;                     ///< JSON objects of the tasks that have one
  TextColumn attributes;                       ///< likewise

  std::size_t size() const { return entity.size(); }
  std::uint32_t subphase_begin(std::size_t task) const { return task == 0 ? 0 : subphase_end[task - 1]; }
  /// Appends task `task` of `other` (whose entities are of the same table).
  void append(const Tasks& other, std::size_t task);
};

/// The edges of one rank in one phase, columnar: 25 bytes an edge.
struct Communications {
  std::vector<EntityIndex> from;       ///< sender, one per edge, as in all columns
  std::vector<EntityIndex> to;         ///< receiver
  std::vector<double> bytes;           ///< of all messages of the edge together
  std::vector<std::int64_t> messages;  ///< number of messages in the phase
  std::vector<std::uint8_t> category;  ///< index into Dataset::categories; the first ten are CommCategory - 1

  std::size_t size() const { return from.size(); }
  /// Appends edge `edge` of `other` (whose entities are of the same table).
  void append(const Communications& other, std::size_t edge);
};

/// What a rank did: in a phase as measured, or in one iteration of a balancer's search (`lb_iterations`).
struct WorkRecord {
  std::int64_t id = 0;  ///< number of the phase or of the iteration
  Tasks tasks;
  std::optional<Communications> communications;  ///< absent and empty differ in a file, and so here
  std::optional<std::string> user_defined;       ///< original JSON text
};

/// One phase of one rank as it stands in the file.
struct PhaseRecord : WorkRecord {
  std::optional<std::vector<WorkRecord>> lb_iterations;  ///< absent and empty differ, as in the file
};

}  // namespace plimsoll::lbdata
