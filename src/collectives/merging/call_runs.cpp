#include "collectives/merging/call_runs.hpp"

#include "collectives/merging/log_reader.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

RunCursor::RunCursor(const RankLog& log, const CallRuns& calls) : log_(log), calls_(calls) {
  fill();
}

/// Takes runs until no other run can begin before the current one.
void RunCursor::fill() {
  while (true) {
    const std::uint64_t next = next_of_sources();
    if (next == UINT64_MAX || (!runs_.empty() && runs_.top().first_index < next)) return;
    take_from_sources(next);
  }
}

std::uint64_t RunCursor::next_of_sources() const {
  std::uint64_t next =
      next_stream_ < calls_.streams.size() ? calls_.streams[next_stream_].first_index : UINT64_MAX;
  for (const Source& source : sources_) next = std::min(next, source.run.first_index);
  return next;
}

void RunCursor::take_from_sources(std::uint64_t first_index) {
  for (; next_stream_ < calls_.streams.size() && calls_.streams[next_stream_].first_index <= first_index;
       ++next_stream_) {
    Source source;
    source.runs = std::make_unique<StreamRuns>(calls_.streams[next_stream_], log_.content.bytes);
    if (source.runs->next(source.run)) sources_.push_back(std::move(source));
  }
  bool has_ended = false;
  for (Source& source : sources_) {
    if (source.run.first_index > first_index) continue;
    add(source.run);
    if (source.runs->next(source.run)) continue;
    source.runs.reset();
    has_ended = true;
  }
  if (has_ended) std::erase_if(sources_, [](const Source& source) { return source.runs == nullptr; });
}

void RunCursor::add(const LogRun& run) {
  rest_.clear();
  if (calls_.failures.empty())
    rest_.push_back(run);
  else
    append_rest(run, calls_.failures, rest_);
  for (const LogRun& part : rest_) {
    if (calls_.are_counts && log_.rows[part.item].negative)
      negative_row_ = &log_.rows[part.item];
    else
      runs_.push(part);
  }
}

const LogRun* CallFinder::find(std::uint64_t index) {
  for (; cursor_.run() && cursor_.run()->first_index <= index; cursor_.next())
    begun_.push({cursor_.run()->first_index, *cursor_.run()});
  while (!begun_.empty() && begun_.top().next_call < index) {
    Begun begun = begun_.top();
    begun_.pop();
    begun.next_call = begun.run.next_call(index);
    if (begun.next_call != UINT64_MAX) begun_.push(begun);
  }
  return !begun_.empty() && begun_.top().next_call == index ? &begun_.top().run : nullptr;
}

}  // namespace plimsoll::collectives
