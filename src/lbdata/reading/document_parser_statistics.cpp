#include "lbdata/reading/document_parser_object.hpp"

// Dictionaries of an LBStatsfile, according to vt's schema (docs/reference/lb-data-files.md lists its
// members).
namespace plimsoll::inline v0_1::lbdata {

namespace {
using P = DocumentParser;
}

void DocumentParser::parse_statistics_file() {
  static constexpr Member<Top> members[] = {
      {"metadata", optional_member,
       [](P& p, Top& top, const JsonPath& at) { p.statistics_metadata(top, at); }},
      {"phases", required_member,
       [](P& p, Top&, const JsonPath& at) {
         p.array(at, [&](std::size_t, const JsonPath& phase) { p.statistics_phase(phase); });
       }},
      {"type", optional_member,
       [](P& p, Top& top, const JsonPath& at) {
         top.type_byte = p.cursor_.offset();
         top.type = p.document_type(at);
       }},
  };
  Top top;
  object<members>(top, JsonPath());
  cursor_.expect_end();
  require_type(top, "LBStatsfile");
}

void DocumentParser::statistics_metadata(Top& top, const JsonPath& path) {
  static constexpr Member<Top> members[] = {
      {"type", optional_member,
       [](P& p, Top& t, const JsonPath& at) { t.metadata.type = p.document_type(at); }},
  };
  object<members>(top, path);
}

void DocumentParser::statistics_phase(const JsonPath& path) {
  static constexpr Member<Nothing> members[] = {
      {"id", required_member, [](P& p, Nothing&, const JsonPath& at) { p.wide_integer(at); }},
      {"migration count", optional_member, [](P& p, Nothing&, const JsonPath& at) { p.wide_integer(at); }},
      {"post-LB", optional_member, [](P& p, Nothing&, const JsonPath& at) { p.statistics_block(at); }},
      {"pre-LB", required_member, [](P& p, Nothing&, const JsonPath& at) { p.statistics_block(at); }},
  };
  Nothing nothing;
  object<members>(nothing, path);
}

void DocumentParser::statistics_block(const JsonPath& path) {
  static constexpr auto quantities = [](P& p, Nothing&, const JsonPath& at) { p.statistics_quantities(at); };
  static constexpr Member<Nothing> members[] = {
      {"Object_comm", required_member, quantities},
      {"Object_load_modeled", required_member, quantities},
      {"Object_load_raw", required_member, quantities},
      {"Object_strategy_specific_load_modeled", optional_member, quantities},
      {"Rank_comm", required_member, quantities},
      {"Rank_load_modeled", required_member, quantities},
      {"Rank_load_raw", required_member, quantities},
      {"Rank_strategy_specific_load_modeled", optional_member, quantities},
  };
  Nothing nothing;
  object<members>(nothing, path);
}

void DocumentParser::statistics_quantities(const JsonPath& path) {
  static constexpr auto value = [](P& p, Nothing&, const JsonPath& at) { p.fraction(at); };
  static constexpr Member<Nothing> members[] = {
      {"avg", required_member, value}, {"car", required_member, value}, {"imb", required_member, value},
      {"kur", required_member, value}, {"max", required_member, value}, {"min", required_member, value},
      {"npr", required_member, value}, {"skw", required_member, value}, {"std", required_member, value},
      {"sum", required_member, value}, {"var", required_member, value},
  };
  Nothing nothing;
  object<members>(nothing, path);
}

}  // namespace plimsoll::lbdata
