#include "lbdata/writing/record_texts.hpp"

#include <utility>

#include <plimsoll/support/json_text.hpp>

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

}  // namespace plimsoll::lbdata
