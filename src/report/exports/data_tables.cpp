#include <cmath>
#include <string>

#include <plimsoll/report/exports.hpp>
#include <plimsoll/support/json_text.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

using lbdata::EntityFamily;
using lbdata::EntityIndex;
using lbdata::EntityTable;
using lbdata::WideInteger;

/// Appends cells and rows to a CSV file.
class CsvRows {
 public:
  CsvRows(std::string_view header, const std::function<void(std::string_view)>& sink) : text_(sink) {
    text_.append(header);
    text_.append("\n");
  }

  void integer(std::int64_t value) {
    begin_cell();
    text_.append(value);
  }
  void wide(WideInteger value) {
    begin_cell();
    if (value.negative)
      text_.append(static_cast<std::int64_t>(value.bits));
    else
      text_.append(value.bits);
  }
  void real(double value) {
    begin_cell();
    append_real(value);
  }
  void word(std::string_view value) {
    begin_cell();
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
  void empty() { begin_cell(); }
  /// Begins a cell with several numbers, separated by spaces.
  void list() {
    begin_cell();
    is_list_empty_ = true;
  }
  void add(std::int64_t value) {
    separate();
    text_.append(value);
  }
  void add(std::int64_t key, double value) {
    add(key);
    text_.append(":");
    append_real(value);
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
  void separate() {
    if (!is_list_empty_) text_.append(" ");
    is_list_empty_ = false;
  }
  void append_real(double value) {
    if (!std::isfinite(value)) return;
    text_.make_room(support::TextBuffer::number_room);
    text_.put_double(value);
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
  rows.wide(entities.number(entity));
  rows.word(family.type);
  family.has_collection_id ? rows.wide(family.collection_id) : rows.empty();
  family.has_objgroup_id ? rows.wide(family.objgroup_id) : rows.empty();
  family.has_home ? rows.integer(entities.home(entity)) : rows.empty();
  family.has_migratable ? rows.integer(family.migratable ? 1 : 0) : rows.empty();
  rows.list();
  const lbdata::IndexTuple index = entities.index(entity);
  for (std::size_t axis = 0; family.has_index && axis < index.size(); ++axis) rows.add(index[axis]);
}

void write_tasks(CsvRows& rows, const lbdata::Dataset& dataset, std::int64_t phase, std::int64_t rank,
                 const lbdata::Tasks& tasks) {
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    rows.integer(phase);
    rows.integer(rank);
    write_entity(rows, dataset.entities, tasks.entity[task]);
    rows.word(dataset.resources[tasks.resource[task]]);
    rows.real(tasks.time_s[task]);
    rows.list();
    for (std::uint32_t k = tasks.subphase_begin(task); k < tasks.subphase_end[task]; ++k)
      rows.add(tasks.subphase_id[k], tasks.subphase_time_s[k]);
    rows.word(tasks.user_defined.at(static_cast<std::uint32_t>(task)));
    rows.word(tasks.attributes.at(static_cast<std::uint32_t>(task)));
    rows.end_row();
  }
}

void write_edges(CsvRows& rows, const lbdata::Dataset& dataset, std::int64_t phase, std::int64_t rank,
                 const lbdata::Communications& edges) {
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    rows.integer(phase);
    rows.integer(rank);
    rows.word(dataset.categories[edges.category[edge]]);
    for (const EntityIndex end : {edges.from[edge], edges.to[edge]}) {
      rows.wide(dataset.entities.number(end));
      rows.word(dataset.entities.family(end).type);
    }
    rows.real(edges.bytes[edge]);
    rows.integer(edges.messages[edge]);
    rows.end_row();
  }
}

}  // namespace

void write_task_table(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases,
                      const std::function<void(std::string_view)>& sink) {
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
                      const std::function<void(std::string_view)>& sink) {
  CsvRows rows("phase,rank,category,from,from_type,to,to_type,bytes,messages", sink);
  for_each_record(dataset, phases,
                  [&](std::int64_t phase, std::int64_t rank, const lbdata::PhaseRecord& record) {
                    if (record.communications)
                      write_edges(rows, dataset, phase, rank, *record.communications);
                  });
  rows.finish();
}

}  // namespace plimsoll::report
