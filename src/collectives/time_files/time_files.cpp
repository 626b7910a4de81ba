#include "collectives/time_files/time_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <plimsoll/support/contract.hpp>

#include "collectives/model/jobs.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Returns the job of a file without a job in its name. It is the job of the lead or, if this lead is
/// missing, the job of all leads; 0 if unknown.
std::uint64_t assumed_job(const Profile& profile, std::uint32_t rank, TimeFileText& text) {
  const auto of_rank = std::ranges::find(profile.leads, rank, &Lead::rank);
  if (of_rank == profile.leads.end()) return profile.leads.empty() ? 0 : profile.leads.front().job;
  const auto other = std::ranges::find(of_rank + 1, profile.leads.end(), rank, &Lead::rank);
  if (other != profile.leads.end()) {
    text.warning(
        1, fmt::format(
               "the file name does not contain the job ID: jobs {0} and {1} are possible; read as job {0}",
               of_rank->job, other->job));
  }
  return of_rank->job;
}

/// Reads the blocks of a time file with values per call: the line "# Call <id>", one line per rank of the
/// communicator, and an empty line. `Parse` returns the value of a line, or nothing if the line is malformed.
template <class Value, class Parse>
class CallBlocksReader {
 public:
  /// `what` names a value in messages, e.g. "number of seconds".
  CallBlocksReader(const FileName& name, TimeFileText& text, std::string_view what, Parse parse,
                   const ReadLimits& limits)
      : name_(name), text_(text), what_(what), parse_(std::move(parse)), limits_(limits) {}

  void read() {
    while (text_.next()) {
      if (const auto id = text_.value_of("# Call")) {
        end_block(true);
        begin_block(*id);
      } else if (text_.line().empty()) {
        end_block(true);
      } else if (values_.size() * numbers_per_value >= limits_.max_numbers) {
        text_.malformed(fmt::format("more than {} numbers; the rest is skipped", limits_.max_numbers));
        block_.reset();
        break;
      } else {
        add_value();
      }
    }
    end_block(false);
  }

  /// Returns the values of the calls that have one value per rank. `known_size` is 0 if unknown.
  PerRank<Value> result(std::size_t known_size) {
    PerRank<Value> values;
    values.operation = *name_.operation;
    values.communicator = name_.communicator;
    const std::size_t size = known_size > 0 ? known_size : most_frequent_size();
    values.comm_size = static_cast<std::uint32_t>(size);
    std::ranges::stable_sort(blocks_, {}, &Block::call);
    for (const Block& block : blocks_) {
      if (size == 0 || block.end - block.begin != size) {
        text_.malformed(block.line,
                        fmt::format("call {} has values of {} ranks: expected {}; skipped", block.call,
                                    block.end - block.begin, size == 0 ? "all" : std::to_string(size)));
      } else if (!values.calls.empty() && values.calls.back() == block.call) {
        text_.malformed(block.line, fmt::format("duplicate call {}; the second one is skipped", block.call));
      } else {
        values.calls.push_back(block.call);
        const auto first = values_.begin() + static_cast<std::ptrdiff_t>(block.begin);
        values.values.insert(values.values.end(), first, first + static_cast<std::ptrdiff_t>(size));
      }
    }
    return values;
  }

 private:
  struct Block {
    std::uint64_t call = 0;
    std::uint64_t line = 0;
    std::size_t begin = 0;  ///< position in values_
    std::size_t end = 0;
    bool ended = false;  ///< whether an empty line or another call ended the block, not the end of the file
  };

  void begin_block(std::string_view id) {
    const auto call = support::parse_number<std::uint64_t>(id);
    lost_ = !call;
    if (lost_) {
      text_.malformed("\"# Call\" without call number; skipped");
    } else {
      block_ = Block{*call, text_.line_number(), values_.size()};
    }
  }

  void end_block(bool by_a_line) {
    if (!block_) return;
    block_->end = values_.size();
    block_->ended = by_a_line;
    blocks_.push_back(*block_);
    block_.reset();
  }

  void add_value() {
    if (lost_) return;
    const auto value = block_ ? parse_(text_.line()) : std::nullopt;
    if (value) {
      values_.push_back(*value);
      return;
    }
    text_.malformed(block_ ? fmt::format("invalid {}; call {} skipped", what_, block_->call)
                           : "line outside any call; skipped");
    if (block_) values_.resize(block_->begin);
    block_.reset();
    lost_ = true;
  }

  // Ignores the last call of a truncated file, which may be incomplete.
  std::size_t most_frequent_size() const {
    std::map<std::size_t, std::size_t> frequencies;
    for (const Block& block : blocks_)
      if (block.ended) ++frequencies[block.end - block.begin];
    std::size_t size = 0;
    std::size_t most = 0;
    for (const auto& [candidate, frequency] : frequencies) {
      if (frequency < most) continue;
      size = candidate;
      most = frequency;
    }
    return size;
  }

  static constexpr std::size_t numbers_per_value = std::is_same_v<Value, DataHashes> ? 2 : 1;

  const FileName& name_;
  TimeFileText& text_;
  std::string_view what_;
  Parse parse_;
  const ReadLimits& limits_;
  std::vector<Value> values_;
  std::vector<Block> blocks_;
  std::optional<Block> block_;
  bool lost_ = false;  // true after a malformed line, until the next call begins
};

std::size_t known_ranks(const Lead& lead, std::uint32_t communicator) {
  const auto found = std::ranges::find(lead.communicators, communicator, &Communicator::id);
  return found == lead.communicators.end() ? 0 : found->members.size();
}

/// Reads a file of such blocks and adds its values to `all`. Skips calls that are malformed or lack values of
/// some ranks. The number of ranks is taken from `lead` or, if unknown there, is the most frequent number.
template <class Value, class Parse>
void read_call_blocks(const FileName& name, TimeFileText& text, const Lead& lead, std::string_view what,
                      Parse&& parse, std::vector<PerRank<Value>>& all, const ReadLimits& limits) {
  text.skip_version();
  CallBlocksReader<Value, std::decay_t<Parse>> reader(name, text, what, std::forward<Parse>(parse), limits);
  reader.read();
  PerRank<Value> values = reader.result(known_ranks(lead, name.communicator));
  if (values.calls.empty()) return;
  if (find_values(all, *name.operation, name.communicator) != nullptr) {
    text.malformed(1, "another file also contains these values; this file is skipped");
  } else {
    all.push_back(std::move(values));
  }
}

std::optional<double> take_seconds(std::string_view& text) {
  double seconds = 0;
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (!support::take_number(text, seconds) || !std::isfinite(seconds)) return std::nullopt;
  return seconds;
}

/// Returns the first number of the current line. The line must contain one number, or up to two if
/// `may_be_two`.
std::optional<double> first_seconds(std::string_view line, bool may_be_two) {
  const std::optional<double> first = take_seconds(line);
  if (first && may_be_two && !line.empty() && !take_seconds(line)) return std::nullopt;
  return line.empty() ? first : std::nullopt;
}

/// Returns the text of a file with values per call. `append(text, k)` appends the lines of the ranks in the
/// k-th call.
template <class Value, class Append>
std::string text_of(const PerRank<Value>& values, Append&& append) {
  std::string text(version_line);
  text += '\n';
  for (std::size_t k = 0; k < values.calls.size(); ++k) {
    fmt::format_to(std::back_inserter(text), "# Call {}\n", values.calls[k]);
    append(text, k);
    text += '\n';
  }
  return text;
}

constexpr std::string_view not_recorded = "-";
constexpr std::size_t digits = 16;

std::string hash_text(std::uint64_t hash) {
  return hash == 0 ? std::string(not_recorded) : fmt::format("{:016x}", hash);
}

std::optional<std::uint64_t> hash_of(std::string_view word) {
  if (word == not_recorded) return 0;
  std::uint64_t hash = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), hash, 16);
  const bool is_whole = error == std::errc() && end == word.data() + word.size();
  return is_whole && word.size() == digits && hash != 0 ? std::optional(hash) : std::nullopt;
}

std::optional<DataHashes> hashes_of(std::string_view line) {
  const auto sent = hash_of(support::take_word(line));
  const auto received = hash_of(support::take_word(line));
  if (!sent || !received || !line.empty()) return std::nullopt;
  return DataHashes{*sent, *received};
}

/// Returns the text of <coll>_execution_times and <coll>_late_arrival_times: one line with the seconds per
/// rank, with nine decimals, i.e. nanoseconds.
std::string values_text(const RankValues& values) {
  return text_of(values, [&](std::string& text, std::size_t k) {
    for (const double value : values.of_call(k)) fmt::format_to(std::back_inserter(text), "{:.9f}\n", value);
  });
}

/// Returns the text of <coll>_timestamps: "<begin> <end>" per line, in seconds since MPI_Init. If the
/// execution times are null, the end times are missing.
std::string timestamps_text(const RankValues& begin_s, const RankValues* execution_s) {
  return text_of(begin_s, [&](std::string& text, std::size_t k) {
    const auto begins = begin_s.of_call(k);
    const auto durations = execution_s ? execution_s->find(begin_s.calls[k]) : std::span<const double>();
    for (std::size_t rank = 0; rank < begins.size(); ++rank) {
      fmt::format_to(std::back_inserter(text), "{:.9f}", begins[rank]);
      if (rank < durations.size())
        fmt::format_to(std::back_inserter(text), " {:.9f}", begins[rank] + durations[rank]);
      text += '\n';
    }
  });
}

/// Returns the text of <coll>_content_hashes: "<sent> <received>" per line. A hash has 16 hexadecimal digits;
/// "-" is a hash that was not recorded.
std::string content_hashes_text(const RankHashes& hashes) {
  return text_of(hashes, [&](std::string& text, std::size_t k) {
    for (const DataHashes& of_rank : hashes.of_call(k))
      fmt::format_to(std::back_inserter(text), "{} {}\n", hash_text(of_rank.sent),
                     hash_text(of_rank.received));
  });
}

/// Reads a text in one of these formats and adds its values to `all`; from timestamps, only the begin times.
void read_rank_values(const FileName& name, TimeFileText& text, const Lead& lead,
                      std::vector<RankValues>& all, const ReadLimits& limits) {
  const bool may_be_two = name.kind == FileKind::timestamps;
  const auto parse = [may_be_two](std::string_view line) { return first_seconds(line, may_be_two); };
  read_call_blocks<double>(name, text, lead, "number of seconds", parse, all, limits);
}

void read_content_hashes(const FileName& name, TimeFileText& text, Lead& lead, const ReadLimits& limits) {
  read_call_blocks<DataHashes>(name, text, lead, "pair of hashes", hashes_of, lead.hashes, limits);
}

using AddFile = std::function<void(const FileName& name, const std::string& text)>;

void write_values(const Lead& lead, const AddFile& add) {
  const auto add_values = [&](FileKind kind, const auto& values, const std::string& text) {
    add({.kind = kind,
         .operation = values.operation,
         .job = lead.job,
         .lead = lead.rank,
         .communicator = values.communicator},
        text);
  };
  for (const RankValues& values : lead.execution_s)
    add_values(FileKind::execution_times, values, values_text(values));
  for (const RankValues& values : lead.late_arrival_s)
    add_values(FileKind::late_arrival_times, values, values_text(values));
  for (const RankValues& begin_s : lead.begin_s)
    add_values(
        FileKind::timestamps, begin_s,
        timestamps_text(begin_s, find_values(lead.execution_s, begin_s.operation, begin_s.communicator)));
  for (const RankHashes& hashes : lead.hashes)
    add_values(FileKind::content_hashes, hashes, content_hashes_text(hashes));
}

/// Writes the files to whose names the collective profiler adds no job; they get `job`, if any.
void write_places(const Lead& lead, std::optional<std::uint64_t> job, const AddFile& add) {
  FileName name{.job = job, .lead = lead.rank};
  name.kind = FileKind::locations;
  for (const Communicator& communicator : lead.communicators) {
    if (communicator.hosts.empty()) continue;
    name.communicator = communicator.id;
    for (const Communicator::Calls& calls : communicator.calls) {
      name.operation = calls.operation;
      add(name, locations_text(communicator, calls.ids));
    }
  }
  name.kind = FileKind::backtrace;
  std::vector<std::uint32_t> next(Operation::count);
  for (const Backtrace& trace : lead.backtraces) {
    name.operation = trace.operation;
    name.trace = next[trace.operation.index()]++;
    add(name, backtrace_text(trace));
  }
  name.kind = FileKind::communicator_data;
  for (std::size_t index = 0; index < Operation::count; ++index) {
    name.operation = Operation::at(index);
    if (const std::string text = communicator_data_text(lead, *name.operation); !text.empty())
      add(name, text);
  }
}

}  // namespace

void read_time_file(const std::string& path, const FileName& name, std::string_view text, Profile& profile,
                    std::vector<Diagnostic>& findings, const ReadLimits& limits) {
  if (name.kind == FileKind::index)
    return read_index(path, text, name.job.value_or(0), profile, findings, limits);

  TimeFileText lines(path, text, findings);
  const std::uint64_t job = name.job ? *name.job : assumed_job(profile, name.lead, lines);
  Lead& lead = lead_of(profile, job, name.lead);
  switch (name.kind) {
    case FileKind::execution_times: return read_rank_values(name, lines, lead, lead.execution_s, limits);
    case FileKind::late_arrival_times:
      return read_rank_values(name, lines, lead, lead.late_arrival_s, limits);
    case FileKind::timestamps: return read_rank_values(name, lines, lead, lead.begin_s, limits);
    case FileKind::content_hashes: return read_content_hashes(name, lines, lead, limits);
    case FileKind::locations: return read_locations(name, lines, lead, limits);
    case FileKind::communicator_data: return read_communicator_data(lines, lead);
    case FileKind::backtrace: return read_backtrace(name, lines, lead, limits);
    default: PLIMSOLL_EXPECT(false);
  }
}

void write_time_files(const Profile& profile, const AddFile& add) {
  const std::set<std::uint64_t> jobs = jobs_of(profile);
  for (const Lead& lead : profile.leads) {
    write_values(lead, add);
    write_places(lead, jobs.size() > 1 ? std::optional(lead.job) : std::nullopt, add);
  }
  for (const std::uint64_t job : jobs)
    add({.kind = FileKind::index, .job = job}, index_text(profile, job, job == *jobs.begin()));
}

}  // namespace plimsoll::collectives
