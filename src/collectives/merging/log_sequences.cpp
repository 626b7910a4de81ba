#include "collectives/merging/log_sequences.hpp"

#include <numeric>

#include "collectives/merging/log_records.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

class SequenceChecker : LogRecords {
 public:
  SequenceChecker(RankLog& log, std::uint64_t& steps_to_follow)
      : LogRecords(log.content), log_(log), steps_to_follow_(steps_to_follow) {}

  void check_all() {
    std::optional<Diagnostic> damage;
    for (auto& [key, calls] : log_.calls) {
      if (const auto failures = log_.failures.find({key.communicator, key.operation});
          failures != log_.failures.end())
        calls.failures = failures->second;
      std::ranges::sort(calls.failures, {}, last_id);
      for (LogStream& stream : calls.streams) {
        try {
          check(stream);
        } catch (const Error& error) {
          if (!damage) damage = error.diagnostic();
        }
      }
      std::ranges::sort(calls.streams, {}, &LogStream::first_index);
    }
    for (auto& [key, calls] : log_.calls) {
      try {
        summarize(calls);
      } catch (const Error& error) {
        if (!damage) damage = error.diagnostic();
      }
    }
    if (damage) throw Error(ErrorKind::bad_input, *damage);
  }

 private:
  /// Checks that the words after those of a part are unused, or were used before the writer compressed them.
  void check_unused(const LogStream::Part& part, const std::vector<LogStream::Part>& parts) {
    for (std::uint64_t k = part.words; k < part.words + part.unused; ++k) {
      position_ = part.offset + k * sizeof(std::uint64_t);
      const auto word = load_record<std::uint64_t>(bytes_, position_);
      if (word == 0) continue;
      require(was_used_before(word, part, parts), "checksum mismatch in the calls");
    }
  }

  /// Returns whether a word is from one of the latest two uses before `part`. If two words did not fit, the
  /// last one is from an earlier use than the others.
  static bool was_used_before(std::uint64_t word, const LogStream::Part& part,
                              const std::vector<LogStream::Part>& parts) {
    auto use = std::ranges::lower_bound(parts, part.begin, {}, &LogStream::Part::begin);
    for (int k = 0; k < 2 && use != parts.begin(); ++k)
      if (rank_log::unchecked(word, (--use)->begin + 1)) return true;
    return false;
  }

  /// Keeps the words of a stream up to the first gap, and the steps up to the first damaged one.
  void check(LogStream& stream) {
    std::ranges::sort(stream.parts, {}, &LogStream::Part::begin);
    const std::vector<LogStream::Part> all = std::exchange(stream.parts, {});
    std::uint64_t end = 0;
    for (const LogStream::Part& part : all) {
      if (part.begin != end) continue;  // the writer died before it could reuse the words that it compressed
      stream.parts.push_back(part);
      end += part.words;
    }
    position_ = all.empty() ? 0 : all.front().offset;
    StreamRuns runs(stream, bytes_);
    LogRun run;
    std::uint64_t count = 0;
    std::uint64_t cost = 0;
    while (runs.next(run)) {
      if (count++ == 0) stream.first_index = run.first_index;
      if (runs.cost() == cost) continue;
      if (!may_follow(runs.cost() - cost, steps_to_follow_)) {
        stream = {};
        fail(too_many_steps);
      }
      cost = runs.cost();
    }
    stream.max_distance = runs.max_distance();
    if (runs.damage()) fail(runs.damage());
    for (const LogStream::Part& part : stream.parts) check_unused(part, stream.parts);
    require(all.empty() || all.back().begin + all.back().words <= end, "calls are missing");
  }

  void summarize(CallRuns& calls) {
    for (const LogFailure& failure : calls.failures)
      if (failure.refused != 1) calls.calls = std::max(calls.calls, last_index(failure) + 1);
    RunCursor cursor(log_, calls);
    for (; cursor.run(); cursor.next()) {
      const LogRun& run = *cursor.run();
      calls.first_index = std::min(calls.first_index, run.first_index);
      if (calls.unit != 1) calls.unit = std::gcd(calls.unit, run.first_index - calls.first_index);
      if (calls.unit != 1 && run.count > 1) calls.unit = std::gcd(calls.unit, run.index_step);
      calls.calls = std::max(calls.calls, run.last_index() + 1);
      calls.ids = std::max(calls.ids, run.last_id() + 1);
    }
    if (!cursor.has_skipped_negative_counts() || !log_.total_calls) return;
    position_ = cursor.negative_row().send.offset;
    fail("negative count");
  }

  RankLog& log_;
  std::uint64_t& steps_to_follow_;
};

}  // namespace

void check_sequences(RankLog& log, std::uint64_t& steps_to_follow) {
  SequenceChecker(log, steps_to_follow).check_all();
}

}  // namespace plimsoll::collectives
