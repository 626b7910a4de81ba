#include "collectives/time_files/rank_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <plimsoll/support/take.hpp>

namespace plimsoll::inline v0_1::collectives {

namespace {

std::span<const double> values_of_call(const RankValues& values, std::size_t k) {
  return std::span(values.values).subspan(k * values.comm_size, values.comm_size);
}

/// Returns the values of the call with this ID; empty if missing.
std::span<const double> find_call(const RankValues* values, std::uint64_t id) {
  if (values == nullptr) return {};
  const auto call = std::ranges::lower_bound(values->calls, id);
  if (call == values->calls.end() || *call != id) return {};
  return values_of_call(*values, static_cast<std::size_t>(call - values->calls.begin()));
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

class RankValuesReader {
 public:
  RankValuesReader(const TimeFileName& name, TimeFileText& text, const ReadLimits& limits)
      : name_(name), text_(text), limits_(limits) {}

  void read() {
    while (text_.next()) {
      if (const auto id = text_.value_of("# Call")) {
        end_block(true);
        begin_block(*id);
      } else if (text_.line().empty()) {
        end_block(true);
      } else if (values_.size() >= limits_.max_numbers) {
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
  RankValues result(std::size_t known_size) {
    RankValues values;
    values.operation = name_.operation;
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
    const auto call = whole_number(id);
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
    const auto value =
        block_ ? first_seconds(text_.line(), name_.kind == TimeFileKind::timestamps) : std::nullopt;
    if (value) {
      values_.push_back(*value);
      return;
    }
    text_.malformed(block_ ? fmt::format("invalid number of seconds; call {} skipped", block_->call)
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

  const TimeFileName& name_;
  TimeFileText& text_;
  const ReadLimits& limits_;
  std::vector<double> values_;
  std::vector<Block> blocks_;
  std::optional<Block> block_;
  bool lost_ = false;  // true after a malformed line, until the next call begins
};

std::size_t known_ranks(const Lead& lead, std::uint32_t communicator) {
  const auto found = std::ranges::find(lead.communicators, communicator, &Communicator::id);
  return found == lead.communicators.end() ? 0 : found->members.size();
}

}  // namespace

std::string values_text(const RankValues& values) {
  std::string text(version_line);
  text += '\n';
  for (std::size_t k = 0; k < values.calls.size(); ++k) {
    fmt::format_to(std::back_inserter(text), "# Call {}\n", values.calls[k]);
    for (const double value : values_of_call(values, k))
      fmt::format_to(std::back_inserter(text), "{:.9f}\n", value);
    text += '\n';
  }
  return text;
}

std::string timestamps_text(const RankValues& begin_s, const RankValues* execution_s) {
  std::string text(version_line);
  text += '\n';
  for (std::size_t k = 0; k < begin_s.calls.size(); ++k) {
    fmt::format_to(std::back_inserter(text), "# Call {}\n", begin_s.calls[k]);
    const auto begins = values_of_call(begin_s, k);
    const auto durations = find_call(execution_s, begin_s.calls[k]);
    for (std::size_t rank = 0; rank < begins.size(); ++rank) {
      fmt::format_to(std::back_inserter(text), "{:.9f}", begins[rank]);
      if (rank < durations.size())
        fmt::format_to(std::back_inserter(text), " {:.9f}", begins[rank] + durations[rank]);
      text += '\n';
    }
    text += '\n';
  }
  return text;
}

const RankValues* find_values(const std::vector<RankValues>& all, Operation operation,
                              std::uint32_t communicator) {
  const auto found = std::ranges::find_if(all, [&](const RankValues& values) {
    return values.operation == operation && values.communicator == communicator;
  });
  return found == all.end() ? nullptr : &*found;
}

void read_rank_values(const TimeFileName& name, TimeFileText& text, const Lead& lead,
                      std::vector<RankValues>& all, const ReadLimits& limits) {
  text.skip_version();
  RankValuesReader reader(name, text, limits);
  reader.read();
  RankValues values = reader.result(known_ranks(lead, name.communicator));
  if (values.calls.empty()) return;
  if (find_values(all, name.operation, name.communicator) != nullptr) {
    text.malformed(1, "another file also contains these values; this file is skipped");
  } else {
    all.push_back(std::move(values));
  }
}

}  // namespace plimsoll::collectives
