#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <plimsoll/report/exports.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/json_text.hpp>

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

constexpr int phase_thread = 0;
constexpr int task_thread = 1;

constexpr double microseconds_per_second = 1e6;

std::string microseconds(double seconds) {
  return fmt::format("{:.3f}", seconds * microseconds_per_second);
}

class PhaseTrace {
 public:
  PhaseTrace(const lbdata::Dataset& dataset, const Sink& sink) : dataset_(dataset), text_(sink) {}

  std::uint64_t write(std::span<const std::int64_t> phases) {
    name_ranks();
    double begin_s = 0;
    for (const std::int64_t phase : phases) {
      double duration_s = 0;
      for (std::size_t rank = 0; rank < dataset_.ranks.size(); ++rank)
        if (const auto* const record = dataset_.ranks[rank].resolve(phase).record)
          duration_s = std::max(duration_s, write_tasks(rank, begin_s, *record));
      for (std::size_t rank = 0; rank < dataset_.ranks.size(); ++rank)
        write_event(rank, phase_thread, fmt::format("phase {}", phase), "phase", begin_s, duration_s, {});
      begin_s += duration_s;
    }
    text_.append("\n]\n");
    text_.drain();
    return n_tasks_;
  }

 private:
  void write(const std::string& event) {
    text_.append(std::exchange(separator_, ",\n"));
    text_.append(event);
  }

  void name_ranks() {
    for (std::size_t rank = 0; rank < dataset_.ranks.size(); ++rank) {
      write_name(rank, phase_thread, "process_name", fmt::format("rank {}", rank));
      write_name(rank, phase_thread, "thread_name", "phases");
      write_name(rank, task_thread, "thread_name", "tasks");
    }
  }

  void write_name(std::size_t rank, int thread, const char* kind, const std::string& name) {
    write(fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":"{}"}}}})", kind, rank,
                      thread, name));
  }

  double write_tasks(std::size_t rank, double begin_s, const lbdata::PhaseRecord& record) {
    double load_s = 0;
    for (std::size_t task = 0; task < record.tasks.size(); ++task) {
      const double time_s = record.tasks.time_s[task];
      if (!(time_s >= 0) || !std::isfinite(time_s))
        throw support::bad_input(
            fmt::format("invalid load {} s of a task of rank {} in phase {}: expected a "
                        "number >= 0",
                        time_s, rank, record.id));
      const std::string number = to_string(dataset_.entities.number(record.tasks.entity[task]));
      write_event(rank, task_thread, "object " + number, "task", begin_s + load_s, time_s, number);
      load_s += time_s;
      ++n_tasks_;
    }
    return load_s;
  }

  void write_event(std::size_t rank, int thread, const std::string& name, const char* category,
                   double begin_s, double duration_s, const std::string& object) {
    if (!std::isfinite((begin_s + duration_s) * microseconds_per_second))
      throw support::bad_input("the loads are too large for points in time of a trace");
    // The number of an object is text, because JavaScript rounds integers above 2^53.
    const std::string arguments = object.empty() ? "" : fmt::format(R"(,"args":{{"object":"{}"}})", object);
    write(fmt::format(R"({{"name":"{}","cat":"{}","ph":"X","ts":{},"dur":{},"pid":{},"tid":{}{}}})", name,
                      category, microseconds(begin_s), microseconds(duration_s), rank, thread, arguments));
  }

  const lbdata::Dataset& dataset_;
  support::TextBuffer text_;
  const char* separator_ = "[\n";
  std::uint64_t n_tasks_ = 0;
};

}  // namespace

std::uint64_t write_phase_trace(const lbdata::Dataset& dataset, std::span<const std::int64_t> phases,
                                const Sink& sink) {
  return PhaseTrace(dataset, sink).write(phases);
}

}  // namespace plimsoll::report
