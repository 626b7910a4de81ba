#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "lbdata/json/string_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Place in the text of a record whose value differs from record to record.
enum class RecordField : std::uint8_t {
  entity_collection_id,
  entity_home,
  entity_id,
  entity_seq_id,
  entity_index,  ///< one value of the index
  entity_objgroup_id,
  task_entity,
  task_node,
  task_resource,
  task_subphases,  ///< only in tables of members
  task_time,
  subphase_id,
  subphase_time,
  user_defined_begin,  ///< positions, without text
  user_defined_end,
  attributes_begin,
  attributes_end,
  edge_bytes,
  edge_from,
  edge_messages,
  edge_to,
  edge_type,
  user_number,  ///< number or string in user_defined or attributes
  user_string,
  end,  ///< end of the record
};

/// Kind of a record whose text can have a shape.
enum class RecordKind : std::uint8_t { entity, task, edge };

/// Text of a record as an alternation of constant pieces and fields. A program writes most records with the
/// same members, in the same order and with the same spaces. Once one of them has been parsed, the others are
/// recognised by comparing the constant pieces, whatever their order and spaces are.
///
/// A text that matches differs from the learned one only in its fields, so all that the parser has found out
/// about members, their types and their order applies to it too.
class TextShape {
 public:
  static constexpr std::size_t max_text = 4096;

  TextShape() = default;
  /// Learns the shape of `record`, which must be the valid text of such a record.
  TextShape(std::string_view record, RecordKind kind);

  /// Returns whether a text ends like this shape: a quick test before match().
  bool ends_like(std::string_view text) const {
    const std::size_t length = parts_.back().length;
    return text.ends_with(std::string_view(text_).substr(text_.size() - padding - length, length));
  }

  /// Returns the end of the record at `at`, or null if it does not have this shape. Calls
  /// `take(field, ordinal, at)` for each field, where `ordinal` counts the same fields before it. `take`
  /// advances `at` to the end of the field, and returns false for a value of unusual form. A zero byte and 16
  /// more readable bytes must follow the text.
  template <class Take>
  const char* match(const char* at, Take&& take) const {
    const char* text = text_.data();
    for (const Part& part : parts_) {
      if (!take_constant(at, text, part.length)) return nullptr;
      if (part.field == RecordField::end) return at;
      text += part.length;
      if (!take(part.field, part.ordinal, at)) return nullptr;
    }
    return nullptr;
  }

 private:
  class Scanner;

  /// Constant text and the field after it.
  struct Part {
    std::uint16_t length;
    std::uint16_t ordinal;
    RecordField field;
  };

  /// Compares whole words, of which the last may overlap the previous one. Stops at the first difference, and
  /// therefore at the end of the text. Eight readable bytes must follow both texts.
  static bool take_constant(const char*& at, const char* text, std::size_t length) {
    if (length >= 8) {
      const char* const last = text + length - 8;
      for (; text < last; at += 8, text += 8)
        if (read_word(at) != read_word(text)) return false;
      at -= text - last;
      if (read_word(at) != read_word(last)) return false;
      at += 8;
      return true;
    }
    if (length > 0 && (read_word(at) ^ read_word(text)) << (64 - 8 * length) != 0) return false;
    at += length;
    return true;
  }

  static constexpr std::size_t padding = 8;  // zero bytes, so that whole words can be read
  std::string text_;                         ///< constant pieces and padding
  std::vector<Part> parts_;
};

/// Shapes of the recent records of one kind, each with a record to fill in. Alternating records, for example
/// of several collections, keep their shapes.
template <class Record>
class RecordShapes {
 public:
  /// Returns the record at `at` and advances behind it, or returns null if it has none of the shapes. `take`
  /// as for TextShape::match(), with the record as its first argument. `may_be(shape)` is a quick test
  /// that decides between several shapes.
  template <class MayBe, class Take>
  Record* match(const char*& at, MayBe&& may_be, Take&& take) {
    if (hits_ + max_shapes * 8 < misses_) return nullptr;  // records without common shapes
    for (std::size_t tried = 0; tried < size_; ++tried) {
      Known& known = shapes_[last_];
      const char* const end =
          size_ > 1 && !may_be(known.shape)
              ? nullptr
              : known.shape.match(at, [&](RecordField field, std::size_t ordinal, const char*& value) {
                  return take(known.record, field, ordinal, value);
                });
      if (end != nullptr) {
        at = end;
        ++hits_;
        return &known.record;
      }
      last_ = last_ + 1 == size_ ? 0 : last_ + 1;
    }
    ++misses_;
    return nullptr;
  }

  /// Learns the shape of a record of which match() found none. New shapes must pay off: each one allows
  /// another after some matches.
  void learn(const Record& record, std::string_view text, RecordKind kind) {
    if (text.empty() || text.size() > TextShape::max_text || learned_ > max_shapes + hits_ / 16) return;
    const std::size_t place = learned_++ % max_shapes;
    size_ = std::max(size_, place + 1);
    shapes_[place].shape = TextShape(text, kind);
    shapes_[place].record.assign(record);
    last_ = place;
  }

 private:
  static constexpr std::size_t max_shapes = 8;

  struct Known {
    TextShape shape;
    Record record;
  };
  std::array<Known, max_shapes> shapes_;
  std::size_t size_ = 0;
  std::size_t last_ = 0;
  std::uint64_t learned_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace plimsoll::lbdata
