#include <limits>

#include "lbdata/reading/document_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

/// Reads an integer that is not negative and fits in 32 bits.
bool take_small_integer(const char*& at, std::int32_t& value) {
  std::uint64_t wide = 0;
  if (!take_usual_integer(at, wide) || wide > std::numeric_limits<std::int32_t>::max()) return false;
  value = static_cast<std::int32_t>(wide);
  return true;
}

bool take_number(const char*& at, std::optional<WideInteger>& number) {
  number->negative = false;
  return take_usual_integer(at, number->bits);
}

/// Reads a number that belongs to the family of an entity.
bool take_family_number(const char*& at, std::optional<WideInteger>& number, const EntityRecord& entity) {
  const WideInteger before = *number;
  if (!take_number(at, number)) {
    entity.family = EntityRecord::unknown_family;
    return false;
  }
  if (*number != before) entity.family = EntityRecord::unknown_family;
  return true;
}

bool any_shape(const TextShape&) {
  return true;
}

/// Reads a string that usually equals `text`, that of the previous record.
bool take_text(const char*& at, std::string& text) {
  const char* const begin = at;
  if (!skip_usual_string(at)) return false;
  const std::string_view found(begin + 1, static_cast<std::size_t>(at - begin) - 2);
  if (found != text) text = found;
  return true;
}

}  // namespace

const EntityRecord* DocumentParser::recognise_entity(EntityTexts& texts, const char*& at) {
  const std::uint64_t byte = cursor_.offset_of(at);
  if (texts.last != nullptr && cursor_.repeats(at, texts.last->byte, texts.last_length)) {
    texts.last->byte = byte;
    at += texts.last_length;
    return texts.last;
  }
  texts.last = nullptr;
  const char* const begin = at;
  const char* end = nullptr;  // determined if necessary
  const auto text = [&] {
    if (end == nullptr) end = cursor_.object_end(begin);
    return std::string_view(begin, static_cast<std::size_t>(end - begin));
  };
  const auto recognised = [&](EntityRecord* entity) {
    entity->byte = byte;
    texts.last = entity;
    texts.last_length = static_cast<std::size_t>(at - begin);
    return entity;
  };
  if (repeats_entities_) {
    if (EntityRecord* const kept = texts.kept.find(text())) {
      at = end;
      return recognised(kept);
    }
  }
  const auto may_be = [&](const TextShape& shape) { return shape.ends_like(text()); };
  EntityRecord* const known = texts.shapes.match(
      at, may_be, [&](EntityRecord& entity, RecordField field, std::size_t ordinal, const char*& value) {
        switch (field) {
          case RecordField::entity_home: return take_small_integer(value, *entity.value.home);
          case RecordField::entity_collection_id:
            return take_family_number(value, entity.value.collection_id, entity);
          case RecordField::entity_objgroup_id:
            return take_family_number(value, entity.value.objgroup_id, entity);
          case RecordField::entity_id: return take_number(value, entity.value.id);
          case RecordField::entity_seq_id: return take_number(value, entity.value.seq_id);
          case RecordField::entity_index: {
            std::int32_t index = 0;
            if (!take_small_integer(value, index)) return false;
            entity.index[ordinal] = index;
            return true;
          }
          default: return false;
        }
      });
  if (known == nullptr) return nullptr;
  known->place = 0;
  EntityRecord* const kept = repeats_entities_ && at == end ? texts.kept.keep(text(), *known) : nullptr;
  return recognised(kept != nullptr ? kept : known);
}

const TaskRecord* DocumentParser::recognise_task() {
  const char* at = cursor_.position();
  const char* user_text = nullptr;
  const TaskRecord* const known = task_shapes_.match(
      at, any_shape, [&](TaskRecord& task, RecordField field, std::size_t ordinal, const char*& value) {
        switch (field) {
          case RecordField::task_entity:
            task.entity = recognise_entity(task_entity_texts_, value);
            if (task.entity != nullptr) records_.coming(*task.entity);
            return task.entity != nullptr;
          case RecordField::task_node:
            task.node_byte = cursor_.offset_of(value);
            return take_small_integer(value, task.node);
          case RecordField::task_resource: return take_text(value, task.resource);
          case RecordField::task_time:
            task.time_byte = cursor_.offset_of(value);
            return take_usual_fraction(value, task.time_s);
          case RecordField::subphase_id: return take_small_integer(value, task.subphase_id[ordinal]);
          case RecordField::subphase_time: return take_usual_fraction(value, task.subphase_time_s[ordinal]);
          case RecordField::user_defined_begin:
          case RecordField::attributes_begin: user_text = value; return true;
          case RecordField::user_defined_end: task.user_defined.assign(user_text, value); return true;
          case RecordField::attributes_end: task.attributes.assign(user_text, value); return true;
          case RecordField::user_number: return skip_usual_number(value);
          case RecordField::user_string: return skip_usual_string(value);
          default: return false;
        }
      });
  if (known != nullptr) cursor_.continue_at(at);
  return known;
}

const CommunicationRecord* DocumentParser::recognise_edge() {
  const char* at = cursor_.position();
  const CommunicationRecord* const known = edge_shapes_.match(
      at, any_shape, [&](CommunicationRecord& edge, RecordField field, std::size_t, const char*& value) {
        switch (field) {
          case RecordField::edge_bytes:
            edge.bytes_byte = cursor_.offset_of(value);
            return take_usual_fraction(value, edge.bytes);
          case RecordField::edge_from:
            edge.from = recognise_entity(from_texts_, value);
            return edge.from != nullptr;
          case RecordField::edge_messages: {
            edge.messages_byte = cursor_.offset_of(value);
            std::uint64_t messages = 0;
            if (!take_usual_integer(value, messages)) return false;
            edge.messages = static_cast<std::int64_t>(messages);
            return true;
          }
          case RecordField::edge_to: edge.to = recognise_entity(to_texts_, value); return edge.to != nullptr;
          case RecordField::edge_type:
            edge.type_byte = cursor_.offset_of(value);
            return take_text(value, edge.type);
          default: return false;
        }
      });
  if (known != nullptr) cursor_.continue_at(at);
  return known;
}

}  // namespace plimsoll::lbdata
