#include "collectives/time_files/time_file_text.hpp"

#include <fmt/format.h>

#include <plimsoll/support/contract.hpp>

#include "collectives/files/findings.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using support::take;
using support::take_number;

struct KindWord {
  std::string_view word;
  TimeFileKind kind;
};

// Words for each kind; the first one is used for writing.
constexpr KindWord kind_words[] = {
    {"execution_times", TimeFileKind::execution_times},
    {"exec_timings", TimeFileKind::execution_times},
    {"execution_timings", TimeFileKind::execution_times},
    {"late_arrival_times", TimeFileKind::late_arrival_times},
    {"late_arrivals_timings", TimeFileKind::late_arrival_times},
    {"late_arrival_timings", TimeFileKind::late_arrival_times},
    {"late_arrivals_times", TimeFileKind::late_arrival_times},
    {"timestamps", TimeFileKind::timestamps},
    {"content_hashes", TimeFileKind::content_hashes},
    {"locations", TimeFileKind::locations},
    {"comm_data", TimeFileKind::communicator_data},
    {"backtrace", TimeFileKind::backtrace},
};

std::string_view word_of(TimeFileKind kind) {
  for (const KindWord& entry : kind_words)
    if (entry.kind == kind) return entry.word;
  return {};
}

/// Removes the number of a part from the text, unless the part already has one.
template <class Number>
bool take_new_number(std::string_view& text, std::optional<Number>& number) {
  Number value = 0;
  if (number || !take_number(text, value)) return false;
  number = value;
  return true;
}

/// The parts after the kind: ".rank0_comm1_job2".
struct Parts {
  std::optional<std::uint32_t> rank;
  std::optional<std::uint32_t> communicator;
  std::optional<std::uint32_t> trace;
  std::optional<std::uint64_t> job;

  bool take_from(std::string_view& text) {
    if (!take(text, "_") && !take(text, ".")) return false;
    const auto numbered = [&](std::string_view word, auto& number) {
      if (!take(text, word)) return false;
      take(text, "_");
      return take_new_number(text, number);
    };
    return numbered("rank", rank) || numbered("comm", communicator) || numbered("trace", trace) ||
           numbered("job", job);
  }
};

std::optional<TimeFileName> parse_index(std::string_view name) {
  TimeFileName parsed;
  if (!take(name, "collectives.job") || !take_new_number(name, parsed.job) || name != ".json")
    return std::nullopt;
  return parsed;
}

std::optional<TimeFileName> complete(TimeFileKind kind, Operation operation, const Parts& parts) {
  const bool by_trace = kind == TimeFileKind::backtrace;
  const bool by_communicator = !by_trace && kind != TimeFileKind::communicator_data;
  if (!parts.rank || parts.trace.has_value() != by_trace || parts.communicator.has_value() != by_communicator)
    return std::nullopt;
  return TimeFileName{
      kind, operation, *parts.rank, parts.communicator.value_or(0), parts.trace.value_or(0), parts.job};
}

}  // namespace

std::string TimeFileName::file_name() const {
  if (kind == TimeFileKind::index) return fmt::format("collectives.job{}.json", job.value_or(0));
  const std::string begin = fmt::format("{}_{}", operation.lower_case_name(), word_of(kind));
  const std::string end = (job ? fmt::format("_job{}", *job) : "") + ".md";
  switch (kind) {
    case TimeFileKind::locations: return fmt::format("{}_comm{}_rank{}{}", begin, communicator, lead, end);
    case TimeFileKind::communicator_data: return fmt::format("{}_rank{}{}", begin, lead, end);
    case TimeFileKind::backtrace: return fmt::format("{}_rank{}_trace{}{}", begin, lead, trace, end);
    default: return fmt::format("{}.rank{}_comm{}{}", begin, lead, communicator, end);
  }
}

std::optional<TimeFileName> TimeFileName::parse(std::string_view file_name) {
  if (auto index = parse_index(file_name)) return index;
  if (file_name.ends_with(".md")) file_name.remove_suffix(3);
  for (const auto& [word, kind] : kind_words) {
    const std::size_t at = file_name.find(fmt::format("_{}", word));
    if (at == std::string_view::npos) continue;
    const std::optional<Operation> operation = Operation::named(file_name.substr(0, at));
    std::string_view rest = file_name.substr(at + 1 + word.size());
    Parts parts;
    bool sound = operation.has_value();
    while (sound && !rest.empty()) sound = parts.take_from(rest);
    if (sound) return complete(kind, *operation, parts);
  }
  return std::nullopt;
}

bool TimeFileText::next() {
  if (lines_.at_end()) return false;
  number_ = lines_.number();
  line_ = support::trimmed(lines_.line());
  const bool is_whole = !lines_.is_cut();
  lines_.advance();
  if (!is_whole && !line_.empty()) malformed("file truncated in the middle of its last line");
  return is_whole;
}

bool TimeFileText::next_filled() {
  while (next())
    if (!line_.empty()) return true;
  return false;
}

std::optional<std::string_view> TimeFileText::value_of(std::string_view key) const {
  std::string_view value = line_;
  if (!take_field(value, key)) return std::nullopt;
  return value;
}

void TimeFileText::skip_version() {
  PLIMSOLL_EXPECT(number_ == 0);
  const support::LineReader begin = lines_;
  if (!next_filled()) {
    warning(1, "the file is empty");
  } else if (const auto version = value_of("FORMAT_VERSION:"); !version) {
    warning(number_, "missing line \"FORMAT_VERSION: 9\"; read as version 9");
    lines_ = begin;
    number_ = 0;
  } else if (*version != "9") {
    warning(number_, fmt::format("unknown format version {}; read as version 9", shown(*version)));
  }
}

std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t maximum) {
  const auto number = support::parse_number<std::uint64_t>(text);
  return number && *number <= maximum ? number : std::nullopt;
}

std::optional<std::uint32_t> small_number(std::string_view text) {
  return support::parse_number<std::uint32_t>(text);
}

}  // namespace plimsoll::collectives
