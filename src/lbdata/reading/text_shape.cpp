#include "lbdata/reading/text_shape.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "lbdata/json/json_cursor.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

struct NamedField {
  std::string_view name;
  RecordField field;
};

constexpr NamedField entity_fields[] = {{"collection_id", RecordField::entity_collection_id},
                                        {"home", RecordField::entity_home},
                                        {"id", RecordField::entity_id},
                                        {"index", RecordField::entity_index},
                                        {"objgroup_id", RecordField::entity_objgroup_id},
                                        {"seq_id", RecordField::entity_seq_id}};
constexpr NamedField task_fields[] = {{"attributes", RecordField::attributes_begin},
                                      {"entity", RecordField::task_entity},
                                      {"node", RecordField::task_node},
                                      {"resource", RecordField::task_resource},
                                      {"subphases", RecordField::task_subphases},
                                      {"time", RecordField::task_time},
                                      {"user_defined", RecordField::user_defined_begin}};
constexpr NamedField subphase_fields[] = {{"id", RecordField::subphase_id},
                                          {"time", RecordField::subphase_time}};
constexpr NamedField edge_fields[] = {{"bytes", RecordField::edge_bytes},
                                      {"from", RecordField::edge_from},
                                      {"messages", RecordField::edge_messages},
                                      {"to", RecordField::edge_to},
                                      {"type", RecordField::edge_type}};

std::span<const NamedField> fields_of(RecordKind kind) {
  switch (kind) {
    case RecordKind::entity: return entity_fields;
    case RecordKind::task: return task_fields;
    case RecordKind::edge: return edge_fields;
  }
  return {};
}

}  // namespace

/// Divides a valid text into constant pieces and fields.
class TextShape::Scanner {
 public:
  Scanner(std::string_view text, TextShape& shape) : text_(text), shape_(shape) {}

  void scan(std::span<const NamedField> fields) {
    scan_object(fields);
    add(RecordField::end);
  }

 private:
  /// Ends the current constant piece.
  void add(RecordField field) {
    shape_.text_ += text_.substr(constant_, at_ - constant_);
    std::uint16_t& ordinal = counts_[static_cast<std::size_t>(field)];
    shape_.parts_.push_back({static_cast<std::uint16_t>(at_ - constant_), ordinal++, field});
    constant_ = at_;
  }

  void scan_object(std::span<const NamedField> fields) {
    ++at_;
    while (next() != '}') {
      if (next() == ',') ++at_;
      next();
      const std::size_t begin = at_ + 1;
      skip_string();
      const std::string_view name = text_.substr(begin, at_ - 1 - begin);
      next();
      ++at_;  // colon
      next();
      const auto found = std::ranges::find(fields, name, &NamedField::name);
      if (found == fields.end())
        skip_value();
      else
        scan_field(found->field);
    }
    ++at_;
  }

  void scan_field(RecordField field) {
    switch (field) {
      case RecordField::task_subphases: return scan_elements([this] { scan_object(subphase_fields); });
      case RecordField::entity_index: return scan_elements([&] { scan_variable(field); });
      case RecordField::user_defined_begin: return scan_user_data(field, RecordField::user_defined_end);
      case RecordField::attributes_begin: return scan_user_data(field, RecordField::attributes_end);
      default: return scan_variable(field);
    }
  }

  template <class Scan>
  void scan_elements(Scan&& scan) {
    ++at_;
    while (next() != ']') {
      if (next() == ',') ++at_;
      next();
      scan();
    }
    ++at_;
  }

  void scan_user_data(RecordField begin, RecordField end) {
    add(begin);
    scan_user_value();
    add(end);
  }

  void scan_user_value() {
    const char first = next();
    if (first == '[') return scan_elements([this] { scan_user_value(); });
    if (first == '"') return scan_variable(RecordField::user_string);
    if (JsonCursor::begins_number(first)) return scan_variable(RecordField::user_number);
    if (first != '{') return skip_value();
    ++at_;
    while (next() != '}') {
      if (next() == ',') ++at_;
      next();
      skip_string();
      next();
      ++at_;  // colon
      scan_user_value();
    }
    ++at_;
  }

  void scan_variable(RecordField field) {
    add(field);
    skip_value();
    constant_ = at_;
  }

  void skip_value() {
    std::size_t depth = 0;
    do {
      switch (text_[at_]) {
        case '"': skip_string(); break;
        case '{':
        case '[':
          ++depth;
          ++at_;
          break;
        case '}':
        case ']':
          --depth;
          ++at_;
          break;
        case ',':
        case ':':
        case ' ':
        case '\n':
        case '\r':
        case '\t': ++at_; break;
        default: at_ = std::min(text_.find_first_of(",:]} \n\r\t", at_), text_.size());
      }
    } while (depth > 0);
  }

  void skip_string() {
    while (text_[++at_] != '"')
      if (text_[at_] == '\\') ++at_;
    ++at_;
  }

  /// Returns the next byte that is not white space.
  char next() {
    at_ = text_.find_first_not_of(" \n\r\t", at_);
    return text_[at_];
  }

  std::string_view text_;
  TextShape& shape_;
  std::size_t at_ = 0;
  std::size_t constant_ = 0;  // start of the current constant piece
  std::array<std::uint16_t, static_cast<std::size_t>(RecordField::end) + 1> counts_{};
};

TextShape::TextShape(std::string_view record, RecordKind kind) {
  Scanner(record, *this).scan(fields_of(kind));
  text_.append(padding, '\0');
}

}  // namespace plimsoll::lbdata
