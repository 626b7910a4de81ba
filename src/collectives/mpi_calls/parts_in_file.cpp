#include "collectives/mpi_calls/parts_in_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/support/internal/text.hpp>

#include "collectives/mpi_calls/json_values.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

using support::JsonView;
using support::JsonWriter;

namespace {

MpiCalls::Part read_part(const JsonView& from, std::size_t n_ranks) {
  MpiCalls::Part part = {.wall_s = of_ranks(from.at("wall_s"), n_ranks, seconds_of),
                         .mpi_s = of_ranks(from.at("mpi_s"), n_ranks, seconds_of),
                         .waited_s = {},
                         .ideal_s = {}};
  if (const auto ideal = from.find("ideal_s"); ideal && !ideal->is_null())
    part.ideal_s = of_ranks(*ideal, n_ranks, seconds_of);
  if (const auto waited = from.find("waited_s"); waited && !waited->is_null())
    part.waited_s = of_ranks(*waited, n_ranks, seconds_of);
  for (std::size_t rank = 0; rank < part.waited_s.size(); ++rank)
    if (exceeds(part.waited_s[rank], part.mpi_s[rank]))
      throw from.at("waited_s")
          .error(fmt::format("rank {} waited {} s: must be <= its time in MPI, {} s", rank,
                             part.waited_s[rank], part.mpi_s[rank]));
  return part;
}

/// Sums over the parts of a run, which must not exceed the whole.
class SumOfParts {
 public:
  explicit SumOfParts(const MpiCalls& calls) : calls_(calls), sum_{zeros(), zeros(), {}, zeros()} {}

  void add(const MpiCalls::Part& part) {
    for (std::size_t rank = 0; rank < calls_.ranks.size(); ++rank) {
      sum_.wall_s[rank] += part.wall_s[rank];
      sum_.mpi_s[rank] += part.mpi_s[rank];
      if (!part.ideal_s.empty()) sum_.ideal_s[rank] += part.ideal_s[rank];
    }
  }
  void check(const JsonView& parts) const {
    for (std::size_t rank = 0; rank < calls_.ranks.size(); ++rank) {
      check(parts, "wall_s", rank, sum_.wall_s[rank], calls_.ranks[rank].wall_s);
      check(parts, "mpi_s", rank, sum_.mpi_s[rank], calls_.ranks[rank].mpi_s);
      if (exceeds(sum_.ideal_s[rank], calls_.ideal_s.value_or(0)))
        throw parts.error(
            fmt::format("\"ideal_s\" of rank {} adds up to {} s: must be <= {} s, as of the run", rank,
                        sum_.ideal_s[rank], calls_.ideal_s.value_or(0)));
    }
  }

 private:
  std::vector<double> zeros() const { return std::vector<double>(calls_.ranks.size(), 0.0); }

  static void check(const JsonView& parts, const char* key, std::size_t rank, double sum_s, double whole_s) {
    if (exceeds(sum_s, whole_s))
      throw parts.error(fmt::format("\"{}\" of rank {} adds up to {} s: must be <= {} s, as in \"ranks\"",
                                    key, rank, sum_s, whole_s));
  }

  const MpiCalls& calls_;
  MpiCalls::Part sum_;
};

void read_regions(const JsonView& from, MpiCalls& calls) {
  SumOfParts sum(calls);
  from.for_each_element([&](const JsonView& region) {
    const JsonView name = region.at("name");
    if (name.text().empty()) throw name.error("must not be empty");
    if (!calls.regions.empty() && name.text() <= calls.regions.back().name)
      throw name.error(fmt::format("{} follows {}: expected ascending names", support::in_quotes(name.text()),
                                   support::in_quotes(calls.regions.back().name)));
    calls.regions.push_back({std::string(name.text()), read_part(region, calls.ranks.size())});
    sum.add(calls.regions.back().times);
  });
  sum.check(from);
}

void read_windows(const JsonView& from, MpiCalls& calls) {
  SumOfParts sum(calls);
  const JsonView length = from.at("length_s");
  calls.windows.length_s = seconds_of(length);
  if (calls.windows.length_s == 0) throw length.error("must be > 0");
  const JsonView parts = from.at("parts");
  parts.for_each_element([&](const JsonView& window) {
    const MpiCalls::Part& part = calls.windows.parts.emplace_back(read_part(window, calls.ranks.size()));
    for (std::size_t rank = 0; rank < part.wall_s.size(); ++rank)
      if (exceeds(part.wall_s[rank], calls.windows.length_s))
        throw window.at("wall_s").error(fmt::format("rank {} has {} s in a window: must be <= {} s", rank,
                                                    part.wall_s[rank], calls.windows.length_s));
    sum.add(part);
  });
  sum.check(parts);
}

void write_part(JsonWriter& json, const MpiCalls::Part& part) {
  json.key("wall_s").values(part.wall_s).key("mpi_s").values(part.mpi_s);
  if (!part.waited_s.empty()) json.key("waited_s").values(part.waited_s);
  if (!part.ideal_s.empty()) json.key("ideal_s").values(part.ideal_s);
}

}  // namespace

void read_parts(const JsonView& root, MpiCalls& calls) {
  if (const auto regions = root.find("regions")) read_regions(*regions, calls);
  if (const auto windows = root.find("windows")) read_windows(*windows, calls);
}

void write_parts(JsonWriter& json, const MpiCalls& calls) {
  if (!calls.regions.empty()) {
    json.key("regions").begin_array();
    for (const MpiCalls::Region& region : calls.regions) {
      json.begin_object().member("name", region.name);
      write_part(json, region.times);
      json.end_object();
    }
    json.end_array();
  }
  if (calls.windows.parts.empty()) return;
  json.key("windows").begin_object().member("length_s", calls.windows.length_s).key("parts").begin_array();
  for (const MpiCalls::Part& part : calls.windows.parts) {
    json.begin_object();
    write_part(json, part);
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace plimsoll::collectives
