#include "collectives/mpi_calls/functions_in_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include <plimsoll/support/internal/text.hpp>

#include "collectives/analysis/typed_rows.hpp"
#include "collectives/mpi_calls/json_values.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

using support::JsonView;
using support::JsonWriter;

namespace {

MpiCalls::SizeClass size_class_of(const JsonView& from) {
  const MpiCalls::SizeClass sizes = {.min_bytes = count_of(from.at("min_bytes")),
                                     .max_bytes = if_known(from, "max_bytes", count_of),
                                     .calls = count_of(from.at("calls")),
                                     .time_s = seconds_of(from.at("time_s"))};
  if (sizes.max_bytes && *sizes.max_bytes < sizes.min_bytes)
    throw from.at("max_bytes")
        .error(
            fmt::format("invalid size {}: must be >= \"min_bytes\", {}", *sizes.max_bytes, sizes.min_bytes));
  return sizes;
}

std::vector<MpiCalls::SizeClass> sizes_of(const JsonView& list) {
  std::vector<MpiCalls::SizeClass> sizes;
  list.for_each_element([&](const JsonView& from) {
    const MpiCalls::SizeClass next = size_class_of(from);
    if (!sizes.empty() && (!sizes.back().max_bytes || next.min_bytes <= *sizes.back().max_bytes))
      throw from.at("min_bytes").error("expected ascending sizes that do not overlap");
    sizes.push_back(next);
  });
  return sizes;
}

/// Throws if the sums over all sizes are not those of the function. In files of interrupted runs, they may
/// differ: a run can end between two sums.
void check_sums_of_sizes(const JsonView& sizes, const MpiCalls::Function& function, const MpiCalls& calls) {
  if (calls.is_running || !calls.cut_short.empty()) return;
  constexpr double rounding = 1e-6;
  const double all_s = std::accumulate(function.time_s.begin(), function.time_s.end(), 0.0);
  std::uint64_t all_calls = 0;
  for (const std::uint64_t of_rank : function.calls) all_calls = add(all_calls, of_rank);
  double of_sizes_s = 0;
  std::uint64_t calls_of_sizes = 0;
  for (const MpiCalls::SizeClass& size : function.sizes) {
    of_sizes_s += size.time_s;
    calls_of_sizes = add(calls_of_sizes, size.calls);
  }
  if (calls_of_sizes != all_calls)
    throw sizes.error(fmt::format("\"calls\" of all sizes is {}: must be {}, that of the function",
                                  calls_of_sizes, all_calls));
  if (std::abs(of_sizes_s - all_s) > rounding * (1 + all_s))
    throw sizes.error(
        fmt::format("\"time_s\" of all sizes is {}: must be {}, that of the function", of_sizes_s, all_s));
}

std::vector<double> window_times_of(const JsonView& list, std::size_t n_windows) {
  std::vector<double> times_s;
  list.for_each_element([&](const JsonView& time) { times_s.push_back(seconds_of(time)); });
  if (times_s.size() != n_windows)
    throw list.error(fmt::format("{} values: expected {}, one per window", times_s.size(), n_windows));
  return times_s;
}

void read_function(const JsonView& from, MpiCalls& calls) {
  const JsonView name = from.at("name");
  if (!name.text().starts_with("MPI_"))
    throw name.error("expected the name of an MPI function such as \"MPI_Send\"");
  if (!calls.functions.empty() && name.text() <= calls.functions.back().name)
    throw name.error(fmt::format("{} follows {}: expected ascending names", support::in_quotes(name.text()),
                                 support::in_quotes(calls.functions.back().name)));
  MpiCalls::Function& function = calls.functions.emplace_back();
  function.name = name.text();
  function.calls = of_ranks(from.at("calls"), calls.ranks.size(), count_of);
  function.time_s = of_ranks(from.at("time_s"), calls.ranks.size(), seconds_of);
  if (const auto sizes = from.find("sizes")) {
    function.sizes = sizes_of(*sizes);
    check_sums_of_sizes(*sizes, function, calls);
  }
  if (const auto times = from.find("window_times_s"))
    function.window_times_s = window_times_of(*times, calls.windows.parts.size());
}

void write_function(JsonWriter& json, const MpiCalls::Function& function) {
  json.begin_object().member("name", function.name);
  json.key("calls").values(function.calls).key("time_s").values(function.time_s);
  if (!function.sizes.empty()) {
    json.key("sizes").begin_array();
    for (const MpiCalls::SizeClass& sizes : function.sizes)
      json.begin_object()
          .member("min_bytes", sizes.min_bytes)
          .member("max_bytes", sizes.max_bytes)
          .member("calls", sizes.calls)
          .member("time_s", sizes.time_s)
          .end_object();
    json.end_array();
  }
  if (!function.window_times_s.empty()) json.key("window_times_s").values(function.window_times_s);
  json.end_object();
}

}  // namespace

void read_functions(const JsonView& list, MpiCalls& calls) {
  list.for_each_element([&](const JsonView& function) { read_function(function, calls); });
}

void write_functions(JsonWriter& json, const MpiCalls& calls) {
  json.key("functions").begin_array();
  for (const MpiCalls::Function& function : calls.functions) write_function(json, function);
  json.end_array();
}

}  // namespace plimsoll::collectives
