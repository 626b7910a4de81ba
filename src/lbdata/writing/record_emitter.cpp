#include "lbdata/writing/record_emitter.hpp"

#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

std::string json_string(std::string_view text) {
  std::string output;
  support::append_json_string(output, text);
  return output;
}

// Builds the pieces in the alphabetical order of the members, as vt writes them.
FamilyTexts make_family(const EntityFamily& family) {
  FamilyTexts texts;
  std::string piece = "{";
  const auto add_key = [&piece](std::string_view key) {
    if (piece != "{") piece += ',';
    piece += '"';
    piece += key;
    piece += "\":";
  };
  const auto cut = [&](std::string& to) {
    texts.room += piece.size() + support::TextBuffer::number_room;
    to = std::exchange(piece, {});
  };

  if (family.has_collection_id) add_key("collection_id"), piece += to_string(family.collection_id);
  if (family.has_home) add_key("home"), cut(texts.before_home);
  if (family.has_id) add_key("id"), cut(texts.before_id);
  if (family.has_index) {
    add_key("index");
    piece += '[';
    cut(texts.before_index);
    piece = "]";
  }
  if (family.has_migratable) add_key("migratable"), piece += family.migratable ? "true" : "false";
  if (family.has_objgroup_id) add_key("objgroup_id"), piece += to_string(family.objgroup_id);
  if (family.has_seq_id) add_key("seq_id"), cut(texts.before_seq_id);
  add_key("type");
  texts.tail = piece + json_string(family.type) + '}';
  return texts;
}

void append_phase_numbers(support::JsonWriter& json, const PhaseNumbers& numbers) {
  json.begin_object().key("list").values(numbers.list).key("range").begin_array();
  for (const std::vector<std::int64_t>& range : numbers.range) json.values(range);
  json.end_array().end_object();
}

// Buffer space that is enough for the constant pieces and numbers between two entities, names or user-defined
// texts.
constexpr std::size_t record_room = 256;

// Cursor through a column of texts and the rows to which they belong.
class TextCursor {
 public:
  explicit TextCursor(const TextColumn& column) : column_(column) {}
  /// Returns the text of a row, empty if it has none; rows must ascend.
  std::string_view next(std::size_t row) {
    if (entry_ == column_.size() || column_.row(entry_) != row) return {};
    return column_.text(entry_++);
  }

 private:
  const TextColumn& column_;
  std::size_t entry_ = 0;
};

void put_number(support::TextBuffer& buffer, WideInteger number) {
  if (number.negative) {
    buffer.put_integer(static_cast<std::int64_t>(number.bits));
  } else {
    buffer.put_integer(number.bits);
  }
}

}  // namespace

void RecordTexts::update() {
  while (families_.size() < tables_.entities.family_count()) {
    families_.push_back(
        make_family(tables_.entities.family_at(static_cast<std::uint32_t>(families_.size()))));
  }
  while (resources_.size() < tables_.resources.size()) {
    resources_.push_back(",\"resource\":" +
                         json_string(tables_.resources[static_cast<std::uint8_t>(resources_.size())]));
  }
  while (categories_.size() < tables_.categories.size()) {
    categories_.push_back(
        ",\"type\":" + json_string(tables_.categories[static_cast<std::uint8_t>(categories_.size())]) + '}');
  }
}

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

void RecordEmitter::emit(const PhaseRecord& phase) {
  emit_work(phase, phase.lb_iterations ? &*phase.lb_iterations : nullptr);
}

void RecordEmitter::emit_work(const WorkRecord& record, const std::vector<WorkRecord>* iterations) {
  buffer_.append("{");
  if (record.communications) {
    emit_communications(*record.communications);
    buffer_.append(",");
  }
  buffer_.make_room(record_room);
  buffer_.put("\"id\":");
  buffer_.put_integer(record.id);
  if (iterations != nullptr) {
    buffer_.append(",\"lb_iterations\":[");
    for (std::size_t k = 0; k < iterations->size(); ++k) {
      if (k > 0) buffer_.append(",");
      emit_work((*iterations)[k], nullptr);
    }
    buffer_.append("]");
  }
  emit_tasks(record.tasks);
  if (record.user_defined) {
    buffer_.append(",\"user_defined\":");
    buffer_.append(*record.user_defined);
  }
  buffer_.append("}");
}

void RecordEmitter::emit_tasks(const Tasks& tasks) {
  TextCursor attributes(tasks.attributes);
  TextCursor user_defined(tasks.user_defined);
  auto empty_subphases = tasks.empty_subphases.begin();
  buffer_.append(",\"tasks\":[");
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    buffer_.append(task == 0 ? "{" : ",{");
    if (const std::string_view text = attributes.next(task); !text.empty()) {
      buffer_.append("\"attributes\":");
      buffer_.append(text);
      buffer_.append(",");
    }
    buffer_.append("\"entity\":");
    emit_entity(tasks.entity[task]);
    buffer_.make_room(record_room);
    buffer_.put(",\"node\":");
    buffer_.put_integer(tasks.node[task]);
    buffer_.append(texts_.resource(tasks.resource[task]));
    buffer_.make_room(record_room);
    if (tasks.subphase_end[task] > tasks.subphase_begin(task)) {
      emit_subphases(tasks, task);
    } else if (empty_subphases != tasks.empty_subphases.end() && *empty_subphases == task) {
      buffer_.put(",\"subphases\":[]");
      ++empty_subphases;
    }
    buffer_.make_room(record_room);
    buffer_.put(",\"time\":");
    buffer_.put_double(tasks.time_s[task]);
    if (const std::string_view text = user_defined.next(task); !text.empty()) {
      buffer_.append(",\"user_defined\":");
      buffer_.append(text);
    }
    buffer_.append("}");
  }
  buffer_.append("]");
}

void RecordEmitter::emit_subphases(const Tasks& tasks, std::size_t task) {
  buffer_.put(",\"subphases\":[");
  const std::uint32_t begin = tasks.subphase_begin(task);
  for (std::uint32_t subphase = begin; subphase < tasks.subphase_end[task]; ++subphase) {
    buffer_.make_room(record_room);
    buffer_.put(subphase == begin ? "{\"id\":" : ",{\"id\":");
    buffer_.put_integer(tasks.subphase_id[subphase]);
    buffer_.put(",\"time\":");
    buffer_.put_double(tasks.subphase_time_s[subphase]);
    buffer_.put("}");
  }
  buffer_.append("]");
}

void RecordEmitter::emit_communications(const Communications& communications) {
  buffer_.append("\"communications\":[");
  for (std::size_t edge = 0; edge < communications.size(); ++edge) {
    buffer_.make_room(record_room);
    buffer_.put(edge == 0 ? "{\"bytes\":" : ",{\"bytes\":");
    buffer_.put_double(communications.bytes[edge]);
    buffer_.put(",\"from\":");
    emit_entity(communications.from[edge]);
    buffer_.make_room(record_room);
    buffer_.put(",\"messages\":");
    buffer_.put_integer(communications.messages[edge]);
    buffer_.put(",\"to\":");
    emit_entity(communications.to[edge]);
    buffer_.append(texts_.category(communications.category[edge]));
  }
  buffer_.append("]");
}

void RecordEmitter::emit_entity(EntityIndex entity) {
  const EntityTable& entities = texts_.entities();
  const FamilyTexts& family = texts_.family(entity);
  buffer_.make_room(family.room);
  if (!family.before_home.empty()) {
    buffer_.put(family.before_home);
    buffer_.put_integer(entities.home(entity));
  }
  if (!family.before_id.empty()) {
    buffer_.put(family.before_id);
    put_number(buffer_, entities.number(entity));
  }
  if (!family.before_index.empty()) {
    buffer_.put(family.before_index);
    emit_index(entities.index(entity));
    buffer_.make_room(family.room);
  }
  if (!family.before_seq_id.empty()) {
    buffer_.put(family.before_seq_id);
    put_number(buffer_, entities.seq_id(entity));
  }
  buffer_.append(family.tail);
}

void RecordEmitter::emit_index(const IndexTuple& index) {
  for (std::size_t k = 0; k < index.size(); ++k) {
    buffer_.make_room(support::TextBuffer::number_room + 1);
    if (k > 0) buffer_.put(",");
    buffer_.put_integer(index[k]);
  }
}

}  // namespace plimsoll::lbdata
