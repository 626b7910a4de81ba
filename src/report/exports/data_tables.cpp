#include <cmath>
#include <concepts>
#include <optional>
#include <string>

#include <plimsoll/report/exports.hpp>
#include <plimsoll/support/json_text.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

using lbdata::EntityFamily;
using lbdata::EntityIndex;
using lbdata::EntityTable;
using lbdata::WideInteger;

class CsvRows {
 public:
  CsvRows(std::string_view header, const Sink& sink) : text_(sink) {
    text_.append(header);
    text_.append("\n");
  }

  /// Appends cells: integers, doubles, words, or optional values, whose cells are empty without them.
  void cells(const auto&... values) { ((begin_cell(), append(values)), ...); }
  /// Begins a cell with several numbers, separated by spaces.
  void list() {
    begin_cell();
    is_list_empty_ = true;
  }
  void add(std::int64_t value) {
    if (!is_list_empty_) text_.append(" ");
    is_list_empty_ = false;
    text_.append(value);
  }
  void add(std::int64_t key, double value) {
    add(key);
    text_.append(":");
    append(value);
  }
  void end_row() {
    text_.append("\n");
    is_first_ = true;
  }
  void finish() { text_.drain(); }

 private:
  void begin_cell() {
    if (!is_first_) text_.append(",");
    is_first_ = false;
  }
  void append(std::integral auto value) { text_.append(static_cast<std::int64_t>(value)); }
  void append(WideInteger value) {
    if (value.negative)
      text_.append(static_cast<std::int64_t>(value.bits));
    else
      text_.append(value.bits);
  }
  void append(double value) {
    if (!std::isfinite(value)) return;
    text_.make_room(support::TextBuffer::number_room);
    text_.put_double(value);
  }
  void append(std::string_view value) {
    if (value.find_first_of("\",\r\n") == std::string_view::npos) return text_.append(value);
    text_.append("\"");
    for (std::size_t quote = value.find('"'); quote != std::string_view::npos; quote = value.find('"')) {
      text_.append(value.substr(0, quote));
      text_.append("\"\"");
      value.remove_prefix(quote + 1);
    }
    text_.append(value);
    text_.append("\"");
  }
  template <class Value>
  void append(const std::optional<Value>& value) {
    if (value) append(*value);
  }

  support::TextBuffer text_;
  bool is_first_ = true;
  bool is_list_empty_ = true;
};

/// Calls `row(phase, rank, record)` for each rank with data, phase by phase.
template <class Row>
void for_each_record(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases, Row&& row) {
  for (const std::int64_t phase : phases)
    for (std::size_t rank = 0; rank < dataset.ranks.size(); ++rank)
      if (const lbdata::PhaseRecord* const record = dataset.ranks[rank].resolve(phase).record)
        row(phase, static_cast<std::int64_t>(rank), *record);
}

void write_entity(CsvRows& rows, const EntityTable& entities, EntityIndex entity) {
  const EntityFamily& family = entities.family(entity);
  const auto if_known = [](bool known, auto value) { return known ? std::optional(value) : std::nullopt; };
  rows.cells(entities.number(entity), family.type, if_known(family.has_collection_id, family.collection_id),
             if_known(family.has_objgroup_id, family.objgroup_id),
             if_known(family.has_home, entities.home(entity)),
             if_known(family.has_migratable, family.migratable ? 1 : 0));
  rows.list();
  const lbdata::IndexTuple index = entities.index(entity);
  for (std::size_t axis = 0; family.has_index && axis < index.size(); ++axis) rows.add(index[axis]);
}

void write_tasks(CsvRows& rows, const lbdata::Dataset& dataset, std::int64_t phase, std::int64_t rank,
                 const lbdata::Tasks& tasks) {
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    rows.cells(phase, rank);
    write_entity(rows, dataset.entities, tasks.entity[task]);
    rows.cells(dataset.resources[tasks.resource[task]], tasks.time_s[task]);
    rows.list();
    for (std::uint32_t k = tasks.subphase_begin(task); k < tasks.subphase_end[task]; ++k)
      rows.add(tasks.subphase_id[k], tasks.subphase_time_s[k]);
    const auto number = static_cast<std::uint32_t>(task);
    rows.cells(tasks.user_defined.at(number), tasks.attributes.at(number));
    rows.end_row();
  }
}

void write_edges(CsvRows& rows, const lbdata::Dataset& dataset, std::int64_t phase, std::int64_t rank,
                 const lbdata::Communications& edges) {
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    rows.cells(phase, rank, dataset.categories[edges.category[edge]]);
    for (const EntityIndex end : {edges.from[edge], edges.to[edge]})
      rows.cells(dataset.entities.number(end), dataset.entities.family(end).type);
    rows.cells(edges.bytes[edge], edges.messages[edge]);
    rows.end_row();
  }
}

}  // namespace

void write_task_table(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases,
                      const Sink& sink) {
  CsvRows rows(
      "phase,rank,object,type,collection,object_group,home,migratable,index,resource,load_s,"
      "subphase_loads_s,user_defined,attributes",
      sink);
  for_each_record(dataset, phases,
                  [&](std::int64_t phase, std::int64_t rank, const lbdata::PhaseRecord& record) {
                    write_tasks(rows, dataset, phase, rank, record.tasks);
                  });
  rows.finish();
}

void write_edge_table(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases,
                      const Sink& sink) {
  CsvRows rows("phase,rank,category,from,from_type,to,to_type,bytes,messages", sink);
  for_each_record(dataset, phases,
                  [&](std::int64_t phase, std::int64_t rank, const lbdata::PhaseRecord& record) {
                    if (record.communications)
                      write_edges(rows, dataset, phase, rank, *record.communications);
                  });
  rows.finish();
}

}  // namespace plimsoll::report
