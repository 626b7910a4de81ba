#include <string>
#include <utility>

#include "lbdata/reading/document_parser_object.hpp"

// Dictionaries of an LBStatsfile, according to vt's schema (docs/reference/lb-data-files.md lists its
// members).
namespace plimsoll::PLIMSOLL_ABI::lbdata {

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
  using Phase = StatisticsRecord;
  static constexpr auto number = [](P& p, const JsonPath& at) {
    return static_cast<std::int64_t>(p.wide_integer(at).value_or(WideInteger{}).bits);
  };
  static constexpr Member<Phase> members[] = {
      {"id", required_member, [](P& p, Phase& phase, const JsonPath& at) { phase.phase = number(p, at); }},
      {"migration count", optional_member,
       [](P& p, Phase& phase, const JsonPath& at) { phase.migration_count = number(p, at); }},
      {"post-LB", optional_member,
       [](P& p, Phase& phase, const JsonPath& at) { p.statistics_block(phase.post_lb.emplace(), at); }},
      {"pre-LB", required_member,
       [](P& p, Phase& phase, const JsonPath& at) { p.statistics_block(phase.pre_lb, at); }},
  };
  Phase phase;
  object<members>(phase, path);
  records_.statistics(std::move(phase));
}

void DocumentParser::statistics_block(RecordedStatisticsByName& block, const JsonPath& path) {
  using Block = RecordedStatisticsByName;
  static constexpr auto quantities = [](P& p, Block& b, const JsonPath& at) {
    p.statistics_quantities(b[std::string(at.member())], at);
  };
  static constexpr Member<Block> members[] = {
      {"Object_comm", required_member, quantities},
      {"Object_load_modeled", required_member, quantities},
      {"Object_load_raw", required_member, quantities},
      {"Object_strategy_specific_load_modeled", optional_member, quantities},
      {"Rank_comm", required_member, quantities},
      {"Rank_load_modeled", required_member, quantities},
      {"Rank_load_raw", required_member, quantities},
      {"Rank_strategy_specific_load_modeled", optional_member, quantities},
  };
  object<members>(block, path);
}

void DocumentParser::statistics_quantities(RecordedStatistics& statistics, const JsonPath& path) {
  using S = RecordedStatistics;
  static constexpr auto read = [](P& p, double& value, const JsonPath& at) {
    value = p.fraction(at).value_or(0);
  };
  static constexpr Member<S> members[] = {
      {"avg", required_member, [](P& p, S& s, const JsonPath& at) { read(p, s.average, at); }},
      {"car", required_member, [](P& p, S& s, const JsonPath& at) { read(p, s.count, at); }},
      {"imb", required_member, [](P& p, S& s, const JsonPath& at) { read(p, s.imbalance, at); }},
      {"kur", required_member, [](P& p, S& s, const JsonPath& at) { read(p, s.kurtosis, at); }},
      {"max", required_member, [](P& p, S& s, const JsonPath& at) { read(p, s.maximum, at); }},
      {"min", required_member, [](P& p, S& s, const JsonPath& at) { read(p, s.minimum, at); }},
      {"npr", required_member, [](P& p, S& s, const JsonPath& at) { read(p, s.nonzero_count, at); }},
      {"skw", required_member, [](P& p, S& s, const JsonPath& at) { read(p, s.skewness, at); }},
      {"std", required_member, [](P& p, S& s, const JsonPath& at) { read(p, s.standard_deviation, at); }},
      {"sum", required_member, [](P& p, S& s, const JsonPath& at) { read(p, s.sum, at); }},
      {"var", required_member, [](P& p, S& s, const JsonPath& at) { read(p, s.variance, at); }},
  };
  object<members>(statistics, path);
}

}  // namespace plimsoll::lbdata
