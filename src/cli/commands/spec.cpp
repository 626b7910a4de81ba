#include "cli/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using lbdata::PhaseRange;
using lbdata::PhaseSpecificationEntry;

struct SpecOptions {
  std::string file;
  std::string phases = "0-1000";
  bool json = false;
};

// Content of a specification file for an interval of phases.
struct Answer {
  lbdata::PhaseSpecification specification;
  PhaseRange asked;
  std::vector<PhaseRange> written;
};

constexpr const char* spec_examples =
    R"(  plimsoll spec phases.txt                    show which of the phases 0-1000 are written
  plimsoll spec phases.txt --phases 5000-6000
  plimsoll spec phases.txt --json | jq .written)";

constexpr std::int64_t maximum_phases =
    1'000'000;  // maximum number of phases listed at a time; limits time and memory for every file
constexpr std::size_t maximum_ranges = 16;  // maximum number of ranges shown, which fit on a few lines of a
                                            // terminal

PhaseRange interval(const std::string& text) {
  const PhaseRange range = lbdata::parse_phase_range(text, "--phases");
  if (range.last - range.first >= maximum_phases) {
    throw support::usage_error(
        fmt::format("invalid --phases {}: more than {} phases", text, count(maximum_phases)),
        "specify a smaller range");
  }
  return range;
}

std::int64_t written_phases(const Answer& answer) {
  std::int64_t sum = 0;
  for (const PhaseRange& range : answer.written) sum += range.size();
  return sum;
}

std::string json_text(const std::string& file, const Answer& answer) {
  return json_line([&](support::JsonWriter& json) {
    const auto append_range = [&json](const PhaseRange& range) {
      json.begin_array().value(range.first).value(range.last).end_array();
    };
    json.member("file", file).key("interval");
    append_range(answer.asked);
    json.member("phases", answer.asked.size()).member("written_phases", written_phases(answer));
    json.key("written").begin_array();
    for (const PhaseRange& range : answer.written) append_range(range);
    json.end_array().key("entries").begin_array();
    for (const PhaseSpecificationEntry& entry : answer.specification.entries()) {
      json.begin_object()
          .member("line", entry.line)
          .member("modulus", entry.modulus)
          .member("phase", entry.phase)
          .member("negative_offset", entry.negative_offset)
          .member("positive_offset", entry.positive_offset)
          .member("meaning", entry.meaning())
          .end_object();
    }
    json.end_array();
  });
}

std::string ranges_text(const std::vector<PhaseRange>& ranges) {
  std::string text =
      joined(first(ranges, maximum_ranges), ", ", [](const PhaseRange& range) { return to_string(range); });
  if (ranges.size() <= maximum_ranges) return text;
  return fmt::format("{}, ... and {} (--json lists all)", text,
                     count(ranges.size() - maximum_ranges, "more range"));
}

std::string summary(const Answer& answer, const Terminal& terminal) {
  const std::int64_t written = written_phases(answer);
  const std::string number = written == 0                                    ? "None"
                             : written > 1 && written == answer.asked.size() ? "All"
                                                                             : count(written);
  return fmt::format("{} of {} ({}) {} written{}{}\n", terminal.paint(Colour::bold, number),
                     count(answer.asked.size(), "phase"), to_string(answer.asked), written > 1 ? "are" : "is",
                     written == 0 ? "" : ": ", ranges_text(answer.written));
}

std::string entry_table(const std::vector<PhaseSpecificationEntry>& entries) {
  if (entries.empty()) return "The file contains no entries, so it selects no phases.\n";
  support::TextTable table({{"line", support::TextTable::Align::right}, {"entry"}, {"meaning"}});
  for (const PhaseSpecificationEntry& entry : entries) {
    table.add_row({std::to_string(entry.line), to_string(entry), entry.meaning()});
  }
  return table.to_string(Terminal::width());
}

}  // namespace

Command define_spec(OptionParser& parser) {
  auto options = begin_command<SpecOptions>(parser, spec_examples);
  parser.add_option("FILE", options->file, "Phase specification file, as used by --vt_lb_spec_file")
      .required();
  parser.add_option("--phases N-M", options->phases, "Range of phases to check [default: 0-1000]");
  add_json_option(parser, options->json);

  return [options](Terminal& terminal) {
    Answer answer{.asked = interval(options->phases)};
    answer.specification = lbdata::PhaseSpecification::read(options->file);
    answer.written = answer.specification.ranges(answer.asked);
    terminal.print(options->json ? json_text(options->file, answer)
                                 : fitted(summary(answer, terminal)) + "\n" +
                                       entry_table(answer.specification.entries()));
    return 0;
  };
}

}  // namespace plimsoll::cli
