#include <cmath>

#include "lbdata/reading/document_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

std::string description(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string shown = support::printable(support::utf8_prefix(text, most));
  const char* const dots = text.size() <= most ? "" : "...";
  switch (text.front()) {
    case '{': return "an object";
    case '[': return "an array";
    case '"': return fmt::format("the string {}{}", shown, dots);
    case 't':
    case 'f':
    case 'n': return shown;
    default:
      return fmt::format("the {} {}{}",
                         text.find_first_of(".eEIN") == std::string_view::npos ? "integer" : "number", shown,
                         dots);
  }
}

}  // namespace

std::optional<WideInteger> DocumentParser::unusual_wide_integer(const JsonPath& path) {
  if (!JsonCursor::begins_number(cursor_.peek())) {
    mismatch(path, "an integer");
    return std::nullopt;
  }
  const std::uint64_t byte = cursor_.offset();
  const JsonNumber number = cursor_.number();
  if (number.kind != JsonNumber::Kind::integer) {
    add(path, byte, "schema", fmt::format("expected an integer, found the number {}", number.value));
    return std::nullopt;
  }
  if (number.exceeds_64_bits) {
    add(path, byte, "range", "integer exceeds 64 bits");
    return std::nullopt;
  }
  return number.integer;
}

std::optional<std::int64_t> DocumentParser::unusual_integer(const JsonPath& path) {
  const std::uint64_t byte = cursor_.offset();
  const std::optional<WideInteger> number = wide_integer(path);
  if (!number) return std::nullopt;
  const auto value = static_cast<std::int64_t>(number->bits);
  if ((value < 0) != number->negative) {
    add(path, byte, "range", "integer above 9223372036854775807");
    return std::nullopt;
  }
  return value;
}

std::optional<std::int32_t> DocumentParser::unusual_small_integer(const JsonPath& path) {
  const std::uint64_t byte = cursor_.offset();
  const std::optional<std::int64_t> number = integer(path);
  if (!number) return std::nullopt;
  if (*number != static_cast<std::int32_t>(*number)) {
    add(path, byte, "range", fmt::format("integer {} exceeds 32 bits", *number));
    return std::nullopt;
  }
  return static_cast<std::int32_t>(*number);
}

std::optional<double> DocumentParser::fraction(const JsonPath& path) {
  if (!JsonCursor::begins_number(cursor_.peek())) {
    mismatch(path, "a number with a fraction or exponent");
    return std::nullopt;
  }
  const std::uint64_t byte = cursor_.offset();
  const JsonNumber number = cursor_.number();
  if (number.kind == JsonNumber::Kind::not_finite || std::isinf(number.value)) {
    add(path, byte, "finite", fmt::format("the number {} is not finite", number.value));
    return std::nullopt;
  }
  if (number.kind == JsonNumber::Kind::integer)
    add_readable(
        path, byte, Severity::error, "schema",
        fmt::format("expected a number with a fraction or exponent, found the integer {}", number.value),
        "use 1.0 instead of 1");
  return number.value;
}

std::optional<bool> DocumentParser::boolean(const JsonPath& path) {
  switch (cursor_.peek()) {
    case 't': cursor_.literal("true"); return true;
    case 'f': cursor_.literal("false"); return false;
    default: mismatch(path, "true or false"); return std::nullopt;
  }
}

std::optional<std::string_view> DocumentParser::text(const JsonPath& path) {
  if (cursor_.peek() == '"') return cursor_.string();
  mismatch(path, "a string");
  return std::nullopt;
}

void DocumentParser::repeated_text(std::string& text, bool& plain, const JsonPath& path) {
  if (plain && cursor_.take_string(text)) return;
  text = this->text(path).value_or("");
  plain = text.find_first_of("\"\\") == std::string::npos;
}

bool DocumentParser::take_dictionary(const JsonPath& path, std::string& text) {
  if (cursor_.peek() != '{') {
    mismatch(path, "an object");
    return false;
  }
  text = cursor_.raw_value();
  report_duplicate_name(path);
  return true;
}

std::optional<std::string> DocumentParser::dictionary(const JsonPath& path) {
  std::string text;
  return take_dictionary(path, text) ? std::optional(std::move(text)) : std::nullopt;
}

std::optional<std::string> DocumentParser::document_type(const JsonPath& path) {
  const std::uint64_t byte = cursor_.offset();
  const std::optional<std::string_view> found = text(path);
  if (!found) return std::nullopt;
  std::string type(*found);
  if (type != "LBDatafile" && type != "LBStatsfile") {
    add(path, byte, "schema",
        fmt::format("expected \"LBDatafile\" or \"LBStatsfile\", found {}", support::in_quotes(type)));
  }
  return type;
}

void DocumentParser::require_type(const Top& top, const char* type) {
  const bool other_known_type = top.type == "LBDatafile" || top.type == "LBStatsfile";
  if (other_known_type && *top.type != type) {
    add(JsonPath(JsonPath(), "type"), top.type_byte, "schema",
        fmt::format("expected \"{}\" as in the metadata, found {}", type, support::in_quotes(*top.type)));
  }
}

void DocumentParser::mismatch(const JsonPath& path, const char* expected) {
  cursor_.peek();
  const std::uint64_t byte = cursor_.offset();
  add(path, byte, "schema", fmt::format("expected {}, found {}", expected, description(cursor_.raw_value())));
}

void DocumentParser::skip(const JsonPath& path) {
  cursor_.raw_value();
  report_duplicate_name(path);
}

void DocumentParser::report_duplicate_name(const JsonPath& path) {
  if (const auto& duplicate = cursor_.duplicate_name()) {
    add(path, duplicate->byte, "duplicate-member",
        fmt::format("member {} appears twice in one object", support::in_quotes(duplicate->name)),
        "remove one of them");
  }
}

void DocumentParser::add(const JsonPath& path, std::uint64_t byte, const char* check, std::string what,
                         std::string suggestion) {
  ++reported_;
  ++unreadable_;
  findings_({.check = check,
             .what = std::move(what),
             .file = file_,
             .byte = byte,
             .pointer = path.pointer(),
             .suggestion = std::move(suggestion)},
            false);
}

void DocumentParser::add_readable(const JsonPath& path, std::uint64_t byte, Severity severity,
                                  const char* check, std::string what, std::string suggestion) {
  ++reported_;
  findings_({.severity = severity,
             .check = check,
             .what = std::move(what),
             .file = file_,
             .byte = byte,
             .pointer = path.pointer(),
             .suggestion = std::move(suggestion)},
            true);
}

// Dictionaries of an LBStatsfile, according to vt's schema (docs/reference/lb-data-files.md lists its
// members).
namespace {
using P = DocumentParser;
}

void DocumentParser::parse_statistics_file() {
  static constexpr Member<Top> members[] = {
      {"metadata", optional_member,
       [](P& p, Top& top, const JsonPath& at) { p.statistics_metadata(top.metadata, at); }},
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

void DocumentParser::statistics_metadata(RankMetadata& metadata, const JsonPath& path) {
  static constexpr Member<RankMetadata> members[] = {
      {"type", optional_member, set<&RankMetadata::type, &P::document_type>},
  };
  object<members>(metadata, path);
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
      {"not balanced", optional_member,
       [](P& p, Phase& phase, const JsonPath& at) { p.not_balanced(phase.not_balanced.emplace(), at); }},
      {"post-LB", optional_member,
       [](P& p, Phase& phase, const JsonPath& at) { p.statistics_block(phase.post_lb.emplace(), at); }},
      {"pre-LB", required_member,
       [](P& p, Phase& phase, const JsonPath& at) { p.statistics_block(phase.pre_lb, at); }},
  };
  Phase phase;
  object<members>(phase, path);
  records_.statistics(std::move(phase));
}

void DocumentParser::not_balanced(NotBalanced& reason, const JsonPath& path) {
  static constexpr auto number = [](P& p, NotBalanced& of, const JsonPath& at) {
    of.numbers[std::string(at.member())] = p.fraction(at).value_or(0);
  };
  static constexpr auto name = [](P& p, NotBalanced& of, const JsonPath& at) {
    of.reason = p.text(at).value_or("");
  };
  static constexpr auto text = [](P& p, NotBalanced& of, const JsonPath& at) {
    of.text = p.text(at).value_or("");
  };
  static constexpr Member<NotBalanced> members[] = {
      {"assured_load", optional_member, number},   {"awaited_gain", optional_member, number},
      {"bound", optional_member, number},          {"budget", optional_member, number},
      {"bytes", optional_member, number},          {"elapsed", optional_member, number},
      {"gain", optional_member, number},           {"imbalance", optional_member, number},
      {"max_load", optional_member, number},       {"min_imbalance", optional_member, number},
      {"objects", optional_member, number},        {"phases", optional_member, number},
      {"phases_to_wait", optional_member, number}, {"price", optional_member, number},
      {"reason", required_member, name},           {"text", required_member, text},
  };
  object<members>(reason, path);
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
  static constexpr Member<S> members[] = {
      {"avg", required_member, set<&S::average, &P::fraction>},
      {"car", required_member, set<&S::count, &P::fraction>},
      {"imb", required_member, set<&S::imbalance, &P::fraction>},
      {"kur", required_member, set<&S::kurtosis, &P::fraction>},
      {"max", required_member, set<&S::maximum, &P::fraction>},
      {"min", required_member, set<&S::minimum, &P::fraction>},
      {"npr", required_member, set<&S::nonzero_count, &P::fraction>},
      {"skw", required_member, set<&S::skewness, &P::fraction>},
      {"std", required_member, set<&S::standard_deviation, &P::fraction>},
      {"sum", required_member, set<&S::sum, &P::fraction>},
      {"var", required_member, set<&S::variance, &P::fraction>},
  };
  object<members>(statistics, path);
}

}  // namespace plimsoll::lbdata
