#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "collectives/time_files/time_file_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Reads the blocks of a time file with values per call: the line "# Call <id>", one line per rank of the
/// communicator, and an empty line. `Parse` returns the value of a line, or nothing if the line is malformed.
template <class Value, class Parse>
class CallBlocksReader {
 public:
  /// `what` names a value in messages, e.g. "number of seconds".
  CallBlocksReader(const TimeFileName& name, TimeFileText& text, std::string_view what, Parse parse,
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

  static constexpr std::size_t numbers_per_value = sizeof(Value) / sizeof(double);

  const TimeFileName& name_;
  TimeFileText& text_;
  std::string_view what_;
  Parse parse_;
  const ReadLimits& limits_;
  std::vector<Value> values_;
  std::vector<Block> blocks_;
  std::optional<Block> block_;
  bool lost_ = false;  // true after a malformed line, until the next call begins
};

/// Returns the number of ranks of a communicator; 0 if unknown.
inline std::size_t known_ranks(const Lead& lead, std::uint32_t communicator) {
  const auto found = std::ranges::find(lead.communicators, communicator, &Communicator::id);
  return found == lead.communicators.end() ? 0 : found->members.size();
}

/// Reads a file of such blocks and adds its values to `all`. Skips calls that are malformed or lack values of
/// some ranks. The number of ranks is taken from `lead` or, if unknown there, is the most frequent number.
template <class Value, class Parse>
void read_call_blocks(const TimeFileName& name, TimeFileText& text, const Lead& lead, std::string_view what,
                      Parse&& parse, std::vector<PerRank<Value>>& all, const ReadLimits& limits) {
  text.skip_version();
  CallBlocksReader<Value, std::decay_t<Parse>> reader(name, text, what, std::forward<Parse>(parse), limits);
  reader.read();
  PerRank<Value> values = reader.result(known_ranks(lead, name.communicator));
  if (values.calls.empty()) return;
  if (find_values(all, name.operation, name.communicator) != nullptr) {
    text.malformed(1, "another file also contains these values; this file is skipped");
  } else {
    all.push_back(std::move(values));
  }
}

}  // namespace plimsoll::collectives
