#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "collectives/time_files/time_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Returns whether a frame is in a library of the collective profiler, such as liballtoallv_backtrace.so.
bool is_of_the_profiler(std::string_view frame) {
  const std::string_view module = frame.substr(0, frame.find_first_of("( "));
  const std::size_t slash = module.rfind('/');
  const std::string_view file = slash == std::string_view::npos ? module : module.substr(slash + 1);
  return file.starts_with("liballtoall") || file.starts_with("liballgatherv");
}

class BacktraceReader {
 public:
  BacktraceReader(Operation operation, TimeFileText& text, const ReadLimits& limits)
      : text_(text), limits_(limits) {
    trace_.operation = operation;
  }

  Backtrace read() {
    text_.skip_version();
    while (text_.next_filled()) {
      if (const auto program = text_.value_of("stack trace for")) {
        read_program(*program);
      } else if (text_.value_of("# Trace")) {
        in_frames_ = true;
      } else if (text_.value_of("# Context")) {
        end_context();
        in_frames_ = false;
        context_ = Context{text_.line_number(), {}, {}, {}, {}};
      } else if (in_frames_) {
        if (!trace_.frames.empty() || !is_of_the_profiler(text_.line()))
          trace_.frames.emplace_back(text_.line());
      } else if (context_) {
        read_context_line();
      } else {
        text_.malformed("unknown line; skipped");
      }
    }
    end_context();
    return std::move(trace_);
  }

 private:
  struct Context {
    std::uint64_t line = 0;
    std::optional<std::uint32_t> communicator;
    std::optional<std::uint32_t> comm_rank;
    std::optional<std::uint32_t> world_rank;
    std::optional<NumberList> calls;
  };

  void read_program(std::string_view program) {
    constexpr std::string_view key = "pid=";
    const std::size_t end = std::min(program.rfind(key), program.size());
    const auto pid =
        support::parse_number<std::uint64_t>(program.substr(std::min(end + key.size(), program.size())));
    if (!pid) text_.malformed("missing process (\"pid=<number>\") at the end of the line");
    trace_.program = support::without_trailing_spaces(program.substr(0, end));
    trace_.pid = pid.value_or(0);
  }

  void read_context_line() {
    if (const auto communicator = text_.value_of("Communicator:")) {
      context_->communicator = support::parse_number<std::uint32_t>(*communicator);
    } else if (const auto comm_rank = text_.value_of("Communicator rank:")) {
      context_->comm_rank = support::parse_number<std::uint32_t>(*comm_rank);
    } else if (const auto world_rank = text_.value_of("COMM_WORLD rank:")) {
      context_->world_rank = support::parse_number<std::uint32_t>(*world_rank);
    } else if (const auto calls = text_.value_of("Calls:")) {
      context_->calls = NumberList::parse(*calls, limits_.max_numbers);
    } else {
      text_.malformed("unknown line; skipped");
    }
  }

  void end_context() {
    if (!context_) return;
    const Context& read = *context_;
    if (read.communicator && read.comm_rank && read.world_rank && read.calls) {
      trace_.contexts.push_back({*read.communicator, *read.comm_rank, *read.world_rank, *read.calls});
    } else {
      text_.malformed(
          read.line,
          "incomplete context: expected communicator, its rank, rank in COMM_WORLD and calls; skipped");
    }
    context_.reset();
  }

  TimeFileText& text_;
  const ReadLimits& limits_;
  Backtrace trace_;
  std::optional<Context> context_;
  bool in_frames_ = false;
};

/// Returns the sort key of a backtrace: backtraces are numbered by operation and first call.
std::pair<std::size_t, std::uint64_t> order_of(const Backtrace& trace) {
  std::uint64_t first = UINT64_MAX;
  for (const Backtrace::Context& context : trace.contexts) first = std::min(first, context.calls.min());
  return {trace.operation.index(), first};
}

}  // namespace

std::string backtrace_text(const Backtrace& trace) {
  std::string text = fmt::format("{}\nstack trace for {} pid={}\n\n# Trace\n\n", version_line,
                                 support::printable(trace.program), trace.pid);
  for (const std::string& frame : trace.frames) text += support::printable(frame) + '\n';
  text += '\n';
  for (std::size_t k = 0; k < trace.contexts.size(); ++k) {
    const Backtrace::Context& context = trace.contexts[k];
    text += fmt::format(
        "# Context {}\n\nCommunicator: {}\nCommunicator rank: {}\nCOMM_WORLD rank: {}\nCalls: {}\n\n", k,
        context.communicator, context.comm_rank, context.world_rank, context.calls.to_string());
  }
  return text;
}

void read_backtrace(const FileName& name, TimeFileText& text, Lead& lead, const ReadLimits& limits) {
  Backtrace trace = BacktraceReader(*name.operation, text, limits).read();
  if (trace.frames.empty()) {
    text.malformed(1, "call stack without frames; file skipped");
    return;
  }
  const auto place = std::ranges::upper_bound(lead.backtraces, order_of(trace), {}, order_of);
  lead.backtraces.insert(place, std::move(trace));
}

}  // namespace plimsoll::collectives
