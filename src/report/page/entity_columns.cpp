#include "report/page/entity_columns.hpp"

#include <string>

#include <plimsoll/lbdata/entity_table.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

/// Writes an integer that JavaScript reads exactly: as a text if it has more than 53 bits.
void write_exact(support::JsonWriter& json, lbdata::WideInteger number) {
  constexpr std::int64_t max_exact = std::int64_t{1} << 53;
  const auto value = static_cast<std::int64_t>(number.bits);
  const bool fits_signed = number.negative == (value < 0);
  if (fits_signed && value <= max_exact && value >= -max_exact)
    json.value(value);
  else
    json.value(to_string(number));
}

}  // namespace

void EntityColumns::write(support::JsonWriter& json) const {
  const auto column = [&](const char* name, const auto& write_cell) {
    json.key(name).begin_array();
    for (const lbdata::EntityIndex entity : mentioned_) write_cell(entity, entities_.family(entity));
    json.end_array();
  };
  using lbdata::EntityFamily;
  using lbdata::EntityIndex;
  json.key("entities").begin_object();
  column("number",
         [&](EntityIndex entity, const EntityFamily&) { write_exact(json, entities_.number(entity)); });
  column("collection", [&](EntityIndex, const EntityFamily& family) {
    if (family.has_collection_id)
      write_exact(json, family.collection_id);
    else
      json.null();
  });
  column("home", [&](EntityIndex entity, const EntityFamily& family) {
    json.value(family.has_home ? entities_.home(entity) : -1);
  });
  column("migratable", [&](EntityIndex, const EntityFamily& family) {
    json.value(family.has_migratable && family.migratable ? 1 : 0);
  });
  column("index",
         [&](EntityIndex entity, const EntityFamily&) { json.value(name_of(entities_, entity).index); });
  json.end_object();
}

}  // namespace plimsoll::report
