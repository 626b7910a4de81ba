#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <plimsoll/support/internal/format.hpp>

#include "collectives/files/call_lists.hpp"
#include "collectives/files/counts_files.hpp"
#include "collectives/files/profile_output.hpp"
#include "collectives/model/rows_by_rank.hpp"
#include "collectives/time_files/time_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Returns the range of the line "calls a-b" for each operation.
std::array<NumberList::Run, Operation::count> call_ranges(const std::vector<Signature>& signatures,
                                                          const WriteOptions& options) {
  std::array<NumberList::Run, Operation::count> ranges;
  ranges.fill({UINT64_MAX, 0});
  for (const Signature& signature : signatures) {
    NumberList::Run& range = ranges[signature.operation.index()];
    if (options.legacy_text) {
      if (range.first == UINT64_MAX) range = {options.first_call, options.first_call - 1};
      range.last += signature.calls.size();
    } else {
      range.first = std::min(range.first, signature.calls.min());
      range.last = std::max(range.last, signature.calls.max());
    }
  }
  return ranges;
}

/// Appends each number followed by a space, then a newline.
void append_row(support::TextBuffer& output, std::span<const std::int64_t> numbers) {
  for (const std::int64_t number : numbers) {
    if (number < 0 || number > 9) {
      output.append(number);
      output.append(" ");
    } else {
      const char digit_and_blank[] = {static_cast<char>('0' + number), ' '};
      output.append(std::string_view(digit_and_blank, 2));
    }
  }
  output.append("\n");
}

void append_row_of(const NumberList& ranks, std::span<const std::int64_t> numbers,
                   support::TextBuffer& output) {
  output.append("Rank(s) ");
  output.append(ranks.to_string());
  output.append(": ");
  append_row(output, numbers);
}

void write_rank_by_rank(const CountMatrix& matrix, support::TextBuffer& output) {
  std::uint64_t rank = 0;
  for (const std::uint32_t row : rows_by_rank(matrix)) {
    NumberList alone;
    alone.push_back(rank++);
    append_row_of(alone, matrix.row(row), output);
  }
}

constexpr std::string_view world_size_field = "COMM_WORLD size: ";
constexpr std::string_view total_field = "Total number of ";

std::string disabled_sections(std::uint64_t comm_size) {
  return fmt::format(
      "#### Amount of data per rank\nPer-rank data is disabled\n\n"
      "#### Number of zeros\nPer-rank data is disabled\nTotal: 0/{} (0.000000%)\n\n"
      "#### Data size min/max\nDISABLED\n\n"
      "#### Small vs. large messages\nDISABLED\n\n\n"
      "#### Grouping based on the total amount per ranks\n\nDISABLED\n\n",
      comm_size * comm_size);
}

void write_data_set(std::size_t number, const Signature& signature, bool legacy_text,
                    support::TextBuffer& output) {
  output.append(fmt::format("\n## Data set #{}\n\ncomm size = {}; {} calls = {}\n\n", number,
                            signature.comm_size, signature.operation.name(), signature.calls.size()));
  for (const Direction direction : {Direction::send, Direction::recv}) {
    output.append(fmt::format("### Data {} per rank - Type size: {}\n\n",
                              direction == Direction::send ? "sent" : "received",
                              side_of(signature, direction).type_size));
    if (legacy_text) output.append(disabled_sections(signature.comm_size));
  }
}

void write_call_counts(const Signature& signature, support::TextBuffer& output) {
  output.append(fmt::format("Send datatype size: {}\nRecv datatype size: {}\nComm size: {}\n",
                            signature.send.type_size, signature.recv.type_size, signature.comm_size));
  for (const Direction direction : {Direction::send, Direction::recv}) {
    output.append(direction == Direction::send ? "\nSend counts\n" : "\n\nRecv counts\n");
    const CountMatrix& matrix = side_of(signature, direction).matrix;
    for (const std::uint32_t row : rows_by_rank(matrix)) append_row(output, matrix.row(row));
  }
}

void write_profile_summary(const ProfileSummary& summary, bool legacy_text, support::TextBuffer& output) {
  const std::string operation = summary.operation.name();
  output.append("# Summary\n");
  if (legacy_text || summary.world_size > 0)
    output.append(fmt::format("{}{}\n", world_size_field, summary.world_size));
  if (legacy_text || summary.total_calls > 0)
    output.append(fmt::format("{}{} calls = {}{}\n", total_field, operation, summary.total_calls,
                              legacy_text ? " (limit is 0; -1 means no limit)" : ""));
  output.append(fmt::format("# Send/recv {} for {} operations:\n",
                            summary.of_displacements ? "displacements" : "counts", operation));
  for (std::size_t number = 0; number < summary.signatures.size(); ++number)
    write_data_set(number, *summary.signatures[number], legacy_text, output);
}

void write_blocks(const Lead& lead, Content content, const WriteOptions& options, ProfileOutput& files) {
  const std::vector<Signature>& signatures =
      content == Content::counts ? lead.signatures : lead.displacements;
  if (signatures.empty()) return;
  const FileKind kind = content == Content::counts ? FileKind::counts : FileKind::displacements;
  for (const Direction direction : {Direction::send, Direction::recv})
    files.add(
        FileName{.kind = kind, .job = lead.job, .lead = lead.rank, .direction = direction}.text(),
        [&](support::TextBuffer& output) { write_counts(signatures, content, direction, options, output); });
}

std::vector<const Signature*> signatures_of(Operation operation, const std::vector<Signature>& signatures) {
  std::vector<const Signature*> result;
  for (const Signature& signature : signatures)
    if (signature.operation == operation) result.push_back(&signature);
  return result;
}

void write_summaries(const Lead& lead, std::uint32_t world_size, bool legacy_text, ProfileOutput& files) {
  for (std::size_t index = 0; index < Operation::count; ++index) {
    ProfileSummary summary{.operation = Operation::at(index), .world_size = world_size};
    summary.total_calls = lead.total_calls[index];
    summary.signatures = signatures_of(summary.operation, lead.signatures);
    if (summary.signatures.empty()) {
      summary.of_displacements = true;
      summary.signatures = signatures_of(summary.operation, lead.displacements);
    }
    if (summary.signatures.empty()) continue;
    const FileName name{
        .kind = FileKind::summary, .operation = summary.operation, .job = lead.job, .lead = lead.rank};
    files.add(name.text(),
              [&](support::TextBuffer& output) { write_profile_summary(summary, legacy_text, output); });
  }
}

/// Returns the operation that file names of calls omit: Alltoallv, for which the names were designed, or the
/// lead's only operation.
std::optional<Operation> plain_operation(const Lead& lead) {
  if (lead.signatures.empty()) return std::nullopt;
  const Operation only = lead.signatures.front().operation;
  const bool is_only = std::ranges::all_of(
      lead.signatures, [only](const Signature& signature) { return signature.operation == only; });
  return is_only ? only : Operation{Exchange::alltoallv};
}

void write_calls(const Lead& lead, bool dotted_names, ProfileOutput& files) {
  const std::optional<Operation> plain = plain_operation(lead);
  for (const Signature& signature : lead.signatures) {
    const bool is_told = signature.operation == plain && told_by_rows(signature) == plain;
    FileName name{.kind = FileKind::call, .lead = lead.rank};
    if (!is_told) name.operation = signature.operation;
    signature.calls.for_each([&](std::uint64_t call) {
      name.call = call;
      files.add(name.text(dotted_names),
                [&](support::TextBuffer& output) { write_call_counts(signature, output); });
    });
  }
}

void check_files_of_one_job(const Profile& profile) {
  if (profile.leads.empty() || profile.leads.front().job == profile.leads.back().job) return;
  throw support::usage_error(
      "calls of several jobs cannot be written as one file per call: the file names do not contain the "
      "job ID",
      "use a separate directory per job, or compact files");
}

/// Throws if one file per call would be too many files for one directory.
void check_number_of_calls(const Profile& profile) {
  constexpr std::uint64_t max_calls = 100'000;
  std::uint64_t calls = 0;
  for (const Lead& lead : profile.leads)
    for (const Signature& signature : lead.signatures) {
      if (signature.calls.size() > max_calls - calls)
        throw support::usage_error(fmt::format("more than {} calls cannot be written as one file per call",
                                               support::format_count(max_calls)),
                                   "use compact files");
      calls += signature.calls.size();
    }
}

void write_text_files(const Profile& profile, const WriteOptions& options, ProfileOutput& files,
                      support::Progress& progress) {
  progress.begin("writing", profile.leads.size(), "leads");
  for (const Lead& lead : profile.leads) {
    if (options.compact) {
      write_blocks(lead, Content::counts, options, files);
      write_summaries(lead, profile.world_size, options.legacy_text, files);
    } else {
      write_calls(lead, options.dotted_names, files);
    }
    write_blocks(lead, Content::displacements, options, files);
    progress.advance(1);
  }
  write_time_files(profile,
                   [&](const FileName& name, std::string_view text) { files.add(name.text(), text); });
  progress.end();
}

}  // namespace

void check(const WriteOptions& options) {
  if (options.text || (options.compact && !options.legacy_text && !options.dotted_names)) return;
  throw support::usage_error("options for text files, but no text files are to be written",
                             "remove either no-text, or not-compact, dotted-names and legacy-text");
}

std::vector<std::string> write(const Profile& profile, const std::string& folder, const WriteOptions& options,
                               support::Progress& progress) {
  check(options);
  if (!options.compact) {
    check_files_of_one_job(profile);
    check_number_of_calls(profile);
  }
  ProfileOutput files(folder, options.overwrite);
  if (options.text) write_text_files(profile, options, files, progress);
  files.add_profile_files(profile);
  return files.publish();
}

std::string remark_on_lists(const Profile& profile) {
  const auto is_long_list = [](const auto& calls) { return calls.run_count() > max_listed_runs; };
  const auto is_long = [&](const Lead& lead) {
    const auto has_long_ids = [&](const Communicator& communicator) {
      return std::ranges::any_of(communicator.calls, is_long_list, &Communicator::Calls::ids);
    };
    return has_long_lists(lead.signatures) || has_long_lists(lead.displacements) ||
           std::ranges::any_of(lead.communicators, has_long_ids);
  };
  if (std::ranges::none_of(profile.leads, is_long)) return {};
  return "long lists of calls contain repeated parts once, as in [0, 4-5]*1000+7; the tools of the "
         "collective "
         "profiler cannot read these lists";
}

void write_counts(const std::vector<Signature>& signatures, Content content, Direction direction,
                  const WriteOptions& options, support::TextBuffer& output) {
  const auto ranges = call_ranges(signatures, options);
  const bool is_short = has_long_lists(signatures);
  for (const Signature& signature : signatures) {
    const Side& side = side_of(signature, direction);
    const NumberList::Run& range = ranges[signature.operation.index()];
    output.append(fmt::format(
        "# Raw {}\n\nNumber of ranks: {}\nDatatype size: {}\n{} calls {}-{}\n"
        "Count: {} calls - ",
        content == Content::counts ? "counters" : "displacements", signature.comm_size, side.type_size,
        signature.operation.name(), range.first, range.last, signature.calls.size()));
    signature.calls.format(is_short, [&](std::string_view part) { output.append(part); });
    output.append("\n\n\nBEGINNING DATA\n");
    if (options.legacy_text && signature.operation.exchange == Exchange::alltoall) {
      write_rank_by_rank(side.matrix, output);
    } else if (side.matrix.columns > 0) {
      for (std::size_t row = 0; row < side.matrix.rows(); ++row)
        append_row_of(side.matrix.ranks[row], side.matrix.row(row), output);
    }
    output.append("END DATA\n");
  }
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
