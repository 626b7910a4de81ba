#include "collectives/files/profile_text.hpp"

#include <string>

#include <plimsoll/support/parse.hpp>

#include "collectives/files/counts_writer.hpp"
#include "collectives/files/findings.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr std::string_view world_size_field = "COMM_WORLD size: ";
constexpr std::string_view total_field = "Total number of ";

void write_disabled_sections(std::uint64_t comm_size, support::TextBuffer& output) {
  output.append("#### Amount of data per rank\nPer-rank data is disabled\n\n");
  output.append("#### Number of zeros\nPer-rank data is disabled\nTotal: 0/");
  output.append(comm_size * comm_size);
  output.append(" (0.000000%)\n\n");
  output.append("#### Data size min/max\nDISABLED\n\n");
  output.append("#### Small vs. large messages\nDISABLED\n\n\n");
  output.append("#### Grouping based on the total amount per ranks\n\nDISABLED\n\n");
}

void write_data_set(std::size_t number, const Signature& signature, const std::string& operation,
                    bool legacy_text, support::TextBuffer& output) {
  output.append("\n## Data set #");
  output.append(number);
  output.append("\n\ncomm size = ");
  output.append(signature.comm_size);
  output.append("; ");
  output.append(operation);
  output.append(" calls = ");
  output.append(signature.calls.size());
  output.append("\n\n");
  for (const Direction direction : {Direction::send, Direction::recv}) {
    output.append(direction == Direction::send ? "### Data sent" : "### Data received");
    output.append(" per rank - Type size: ");
    output.append(side_of(signature, direction).type_size);
    output.append("\n\n");
    if (legacy_text) write_disabled_sections(signature.comm_size, output);
  }
}

}  // namespace

void write_profile_summary(const ProfileSummary& summary, bool legacy_text, support::TextBuffer& output) {
  const std::string operation = summary.operation.name();
  output.append("# Summary\n");
  if (legacy_text || summary.world_size > 0) {
    output.append(world_size_field);
    output.append(summary.world_size);
    output.append("\n");
  }
  if (legacy_text || summary.total_calls > 0) {
    output.append(total_field);
    output.append(operation);
    output.append(" calls = ");
    output.append(summary.total_calls);
    output.append(legacy_text ? " (limit is 0; -1 means no limit)\n" : "\n");
  }
  output.append("# Send/recv ");
  output.append(summary.of_displacements ? "displacements" : "counts");
  output.append(" for ");
  output.append(operation);
  output.append(" operations:\n");
  for (std::size_t number = 0; number < summary.signatures.size(); ++number)
    write_data_set(number, *summary.signatures[number], operation, legacy_text, output);
}

ProfileSummary read_profile_summary(std::string_view text, Operation operation) {
  ProfileSummary summary{.operation = operation};
  for (TrimmedLines lines(text); !lines.at_end() && !lines.line().starts_with("## "); lines.advance()) {
    std::string_view line = lines.line();
    if (take_field(line, support::trimmed(world_size_field))) {
      summary.world_size = support::parse_number<std::uint64_t>(line).value_or(0);
    } else if (take_field(line, support::trimmed(total_field))) {
      const std::size_t equals = line.find("= ");
      if (equals == std::string_view::npos) continue;
      line = line.substr(equals + 2);
      summary.total_calls = support::parse_number<std::uint64_t>(line.substr(0, line.find(' '))).value_or(0);
    }
  }
  return summary;
}

}  // namespace plimsoll::collectives
