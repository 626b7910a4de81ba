#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <utility>

#include <plimsoll/balance/overview.hpp>
#include <plimsoll/drawing/internal/svg.hpp>
#include <plimsoll/report/exports.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/json_text.hpp>

#include "report/user_numbers.hpp"

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

/// Writes a VTK XML PolyData file of one piece, in ASCII. The caller calls the functions in the order in
/// which they are declared. Source: VTK User's Guide, "VTK XML file formats".
class PolyDataWriter {
 public:
  PolyDataWriter(std::size_t n_points, std::size_t n_lines, const Sink& sink)
      : n_points_(n_points), n_lines_(n_lines), text_(sink) {
    text_.append(fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\">\n<PolyData>\n"
        "<Piece NumberOfPoints=\"{0}\" NumberOfVerts=\"{0}\" NumberOfLines=\"{1}\" NumberOfStrips=\"0\" "
        "NumberOfPolys=\"0\">\n",
        n_points, n_lines));
  }

  void begin_point_data() { text_.append("<PointData Scalars=\"load\">\n"); }
  void end_point_data() { text_.append("</PointData>\n"); }
  void begin_line_data() { text_.append("<CellData>\n"); }
  void end_line_data() { text_.append("</CellData>\n"); }

  /// Writes an array of numbers.
  template <class Value>
  void array(std::string_view name, const std::vector<Value>& values, int n_components = 1) {
    array_of(
        name, values.size(), [&](std::size_t k) { return values[k]; }, n_components);
  }
  /// Writes an array of `count` numbers, which a function returns by index: doubles as Float64, integers as
  /// Int64 or UInt64.
  template <class ValueOf>
  void array_of(std::string_view name, std::size_t count, const ValueOf& value_of, int n_components = 1) {
    using Value = std::invoke_result_t<ValueOf, std::size_t>;
    constexpr const char* type = std::is_floating_point_v<Value> ? "Float64"
                                 : std::is_signed_v<Value>       ? "Int64"
                                                                 : "UInt64";
    text_.append(
        fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"ascii\">\n", type,
                    drawing::xml_escaped(name), n_components));
    for (std::size_t k = 0; k < count; ++k) {
      append(value_of(k));
      text_.append("\n");
    }
    text_.append("</DataArray>\n");
  }

  /// Writes the coordinates, three per point.
  void points(const std::vector<double>& coordinates) {
    text_.append("<Points>\n");
    array("points", coordinates, 3);
    text_.append("</Points>\n");
    text_.append("<Verts>\n");
    std::vector<std::int64_t> ends(n_points_);
    std::iota(ends.begin(), ends.end(), std::int64_t{0});
    cells(ends, n_points_, 1);
    text_.append("</Verts>\n");
  }

  /// Writes the lines as indices of points, two per line.
  template <class End>
  void lines(const std::vector<End>& ends) {
    text_.append("<Lines>\n");
    cells(ends, n_lines_, 2);
    text_.append("</Lines>\n");
  }

  void finish() {
    text_.append("</Piece>\n</PolyData>\n</VTKFile>\n");
    text_.drain();
  }

 private:
  template <class End>
  void cells(const std::vector<End>& ends, std::size_t count, std::int64_t points_per_cell) {
    array("connectivity", ends);
    array_of("offsets", count,
             [=](std::size_t k) { return (static_cast<std::int64_t>(k) + 1) * points_per_cell; });
  }

  void append(double value) {
    if (!std::isfinite(value)) return text_.append("nan");
    text_.make_room(support::TextBuffer::number_room);
    text_.put_double(value);
  }
  template <std::integral Integer>
  void append(Integer value) {
    text_.append(value);
  }

  std::size_t n_points_;
  std::size_t n_lines_;
  support::TextBuffer text_;
};

using balance::DatasetPhase;
using balance::LDStats;
using Point = std::array<double, 3>;

Point point_of_rank(std::size_t rank, const RankGrid& grid) {
  const auto x = static_cast<std::size_t>(grid.x);
  const auto y = static_cast<std::size_t>(grid.y);
  return {static_cast<double>(rank % x), static_cast<double>(rank / x % y),
          static_cast<double>(rank / (x * y))};
}

/// Places the objects of each rank around its point, in a square or cube of this size.
constexpr double width_of_rank = 0.8;

std::vector<double> coordinates_of_objects(const LDStats& stats, const RankGrid& grid) {
  std::vector<std::size_t> objects_on(stats.procs.size());
  for (const std::int32_t rank : stats.from_proc) ++objects_on[static_cast<std::size_t>(rank)];
  std::vector<std::size_t> next_on(stats.procs.size());
  const int n_axes = grid.z > 1 ? 3 : 2;
  std::vector<double> coordinates;
  coordinates.reserve(3 * stats.from_proc.size());
  for (const std::int32_t on : stats.from_proc) {
    const auto rank = static_cast<std::size_t>(on);
    const double side_objects = std::pow(static_cast<double>(objects_on[rank]), 1.0 / n_axes);
    const auto side = static_cast<std::size_t>(std::ceil(side_objects - 1e-9));  // the root of 27 is 3
    std::size_t place = next_on[rank]++;
    const Point centre = point_of_rank(rank, grid);
    for (int axis = 0; axis < 3; ++axis) {
      const double part = (static_cast<double>(place % side) + 0.5) / static_cast<double>(side) - 0.5;
      coordinates.push_back(centre[static_cast<std::size_t>(axis)] +
                            (axis < n_axes ? width_of_rank * part : 0));
      place /= side;
    }
  }
  return coordinates;
}

/// Pairs of objects that communicate, with their bytes in both directions.
struct Lines {
  std::vector<std::int64_t> ends;  ///< two objects per line
  std::vector<double> bytes;
};

Lines lines_of(const LDStats& stats) {
  struct Line {
    std::uint32_t from;
    std::uint32_t to;
    double bytes;
  };
  std::vector<Line> edges;
  for (const balance::LDCommData& edge : stats.comm_data) {
    if (!edge.sender.is_object() || !edge.receiver.is_object() || edge.sender == edge.receiver) continue;
    const std::uint32_t sender = edge.sender.index();
    const std::uint32_t receiver = edge.receiver.index();
    edges.push_back({std::min(sender, receiver), std::max(sender, receiver), edge.bytes});
  }
  std::ranges::stable_sort(edges, {}, [](const Line& line) { return std::pair(line.from, line.to); });
  Lines lines;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (k > 0 && edges[k].from == edges[k - 1].from && edges[k].to == edges[k - 1].to) {
      lines.bytes.back() += edges[k].bytes;
      continue;
    }
    lines.ends.push_back(edges[k].from);
    lines.ends.push_back(edges[k].to);
    lines.bytes.push_back(edges[k].bytes);
  }
  return lines;
}

/// Returns the name of the array of a user-defined number, which differs from those of the other arrays.
std::string array_name(const std::string& name) {
  constexpr std::string_view others[] = {"id", "rank_id", "load", "migratable"};
  return std::ranges::find(others, name) == std::end(others) ? name : "user_" + name;
}

}  // namespace

RankGrid RankGrid::for_ranks(std::size_t n_ranks) {
  auto x =
      static_cast<std::int32_t>(std::ceil(std::sqrt(static_cast<double>(std::max<std::size_t>(n_ranks, 1)))));
  return {.x = x, .y = static_cast<std::int32_t>((n_ranks + x - 1) / x)};
}

void check_grid(const RankGrid& grid, std::size_t n_ranks) {
  const bool has_axes = grid.x >= 1 && grid.y >= 1 && grid.z >= 1;
  if (has_axes && static_cast<double>(grid.x) * grid.y * grid.z >= static_cast<double>(n_ranks)) return;
  throw support::usage_error(
      fmt::format("invalid grid {},{},{}: expected room for {} ranks", grid.x, grid.y, grid.z, n_ranks),
      "use three numbers >= 1 whose product is at least the number of ranks");
}

void write_rank_mesh(const lbdata::Dataset& dataset, std::int64_t phase, const RankGrid& grid,
                     const Sink& sink) {
  using balance::RankOverview;
  check_grid(grid, dataset.ranks.size());
  const DatasetPhase loaded = balance::load_phase(dataset, phase, {.loads_only = true});
  const std::vector<RankOverview> ranks = balance::rank_overviews(dataset, phase);
  std::vector<double> migratable_s(ranks.size());
  for (std::size_t object = 0; object < loaded.stats.obj_data.size(); ++object)
    if (loaded.stats.obj_data[object].migratable)
      migratable_s[static_cast<std::size_t>(loaded.stats.from_proc[object])] +=
          loaded.stats.obj_data[object].walltime;

  PolyDataWriter file(ranks.size(), 0, sink);
  const auto array = [&](std::string_view name, const auto& value_of_rank) {
    file.array_of(name, ranks.size(), value_of_rank);
  };
  file.begin_point_data();
  array("id", [](std::size_t rank) { return static_cast<std::int64_t>(rank); });
  array("load", [&](std::size_t rank) { return ranks[rank].load_s; });
  array("number_of_objects", [&](std::size_t rank) { return ranks[rank].n_objects; });
  array("number_of_migratable_objects", [&](std::size_t rank) { return ranks[rank].n_migratable; });
  file.array("migratable_load", migratable_s);
  array("sentinel_load",
        [&](std::size_t rank) { return std::max(0.0, ranks[rank].load_s - migratable_s[rank]); });
  array("sent_volume", [&](std::size_t rank) { return ranks[rank].sent_bytes; });
  array("received_volume", [&](std::size_t rank) { return ranks[rank].received_bytes; });
  file.end_point_data();
  std::vector<double> coordinates;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    for (const double coordinate : point_of_rank(rank, grid)) coordinates.push_back(coordinate);
  file.points(coordinates);
  file.finish();
}

void write_object_mesh(const lbdata::Dataset& dataset, std::int64_t phase, const RankGrid& grid,
                       const Sink& sink) {
  check_grid(grid, dataset.ranks.size());
  const DatasetPhase loaded = balance::load_phase(dataset, phase, {.edge_objects = false});
  const LDStats& stats = loaded.stats;
  const Lines lines = lines_of(stats);
  PolyDataWriter file(stats.obj_data.size(), lines.bytes.size(), sink);
  file.begin_point_data();
  file.array("id", stats.numbers);
  file.array("rank_id", stats.from_proc);
  const std::vector<balance::LDObjData>& objects = stats.obj_data;
  file.array_of("load", objects.size(),
                [&](std::size_t object) { return static_cast<double>(objects[object].walltime); });
  file.array_of("migratable", objects.size(),
                [&](std::size_t object) { return std::int64_t{objects[object].migratable ? 1 : 0}; });
  constexpr std::size_t max_user_numbers = 1000;
  const UserNumberColumns numbers = user_numbers(dataset, loaded, max_user_numbers);
  if (!numbers.complete)
    throw support::bad_input("user_defined has numbers with more than 1,000 names", {},
                             "use --format csv, which has no limit");
  for (const auto& [name, of_object] : numbers.columns) file.array(array_name(name), of_object);
  file.end_point_data();
  // Cells are the vertices, then the lines.
  std::vector<double> bytes_of_cells(stats.obj_data.size());
  bytes_of_cells.insert(bytes_of_cells.end(), lines.bytes.begin(), lines.bytes.end());
  file.begin_line_data();
  file.array("bytes", bytes_of_cells);
  file.end_line_data();
  file.points(coordinates_of_objects(stats, grid));
  file.lines(lines.ends);
  file.finish();
}

}  // namespace plimsoll::report
