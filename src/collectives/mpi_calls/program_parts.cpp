#include <algorithm>

#include <plimsoll/collectives/internal/program_parts.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr const char* name_of_others = "other";
constexpr std::size_t max_times = std::size_t{1} << 20;  ///< over all windows and ranks

MpiCalls::Part no_times(std::size_t ranks) {
  const std::vector<double> zeros(ranks, 0.0);
  return {.wall_s = zeros, .mpi_s = zeros, .waited_s = zeros, .ideal_s = zeros};
}

}  // namespace

void ProgramParts::add_rank(const RankCalls& calls) {
  const std::size_t rank = next_rank_++;
  const auto& [recorded, mpi, waited, ideal_windows, ideal_regions_ns] = calls.parts;
  if (recorded.total_ns() > 0) {
    knows_ideal_windows_ &= ideal_windows.has_value();
    knows_ideal_regions_ &= ideal_regions_ns.has_value();
    windows_.push_back({rank, recorded.windows, mpi.windows, waited.windows, ideal_windows});
    for (const auto& [function, sums] : calls.of_functions)
      functions_[calls.functions[function]].add(sums.windows);
  }
  for (Region number = no_region + 1; number <= other_regions; ++number) {
    const bool is_named = number <= calls.region_names.size();
    if (!is_named && recorded.regions_ns[number] == 0) continue;
    MpiCalls::Part& part =
        region(is_named ? support::printable(calls.region_names[number - 1]) : name_of_others);
    part.wall_s[rank] += seconds(recorded.regions_ns[number]);
    part.mpi_s[rank] += seconds(mpi.regions_ns[number]);
    part.waited_s[rank] += seconds(waited.regions_ns[number]);
    if (ideal_regions_ns) part.ideal_s[rank] += seconds((*ideal_regions_ns)[number]);
  }
}

/// Returns the times in a region. Ranks may have different regions; those above the maximum number are in the
/// region for others.
MpiCalls::Part& ProgramParts::region(std::string_view name) {
  const auto found = std::ranges::lower_bound(regions_, name, {}, &MpiCalls::Region::name);
  if (found != regions_.end() && found->name == name) return found->times;
  if (regions_.size() >= max_named_regions && name != name_of_others) {
    has_too_many_names_ = true;
    return region(name_of_others);
  }
  return regions_.insert(found, {std::string(name), no_times(ranks_)})->times;
}

std::vector<MpiCalls::Region> ProgramParts::regions() const {
  std::vector<MpiCalls::Region> regions = regions_;
  if (!knows_ideal_regions_)
    for (MpiCalls::Region& region : regions) region.times.ideal_s.clear();
  return regions;
}

MpiCalls::Windows ProgramParts::windows() const {
  TimeWindows longest;
  for (const RankWindows& rank : windows_) {
    for (const TimeWindows* windows : {&rank.recorded, &rank.mpi, &rank.waited})
      longest.lengthen_to(*windows);
    if (rank.ideal) longest.lengthen_to(*rank.ideal);
  }
  std::size_t max_windows = TimeWindows::max_windows;
  for (; max_windows > 1 && max_windows * ranks_ > max_times; max_windows /= 2) longest.double_length();
  std::vector<MpiCalls::Part> parts(max_windows, no_times(ranks_));
  std::size_t used = 0;
  for (const auto& [rank, recorded, mpi, waited, ideal] : windows_) {
    const auto add = [&, rank = rank](TimeWindows windows, std::vector<double> MpiCalls::Part::*times_s) {
      windows.lengthen_to(longest);
      for (std::size_t window = 0; window < parts.size(); ++window) {
        if (windows.times_ns()[window] == 0) continue;
        (parts[window].*times_s)[rank] = seconds(windows.times_ns()[window]);
        used = std::max(used, window + 1);
      }
    };
    add(recorded, &MpiCalls::Part::wall_s);
    add(mpi, &MpiCalls::Part::mpi_s);
    add(waited, &MpiCalls::Part::waited_s);
    if (ideal && knows_ideal_windows_) add(*ideal, &MpiCalls::Part::ideal_s);
  }
  if (used == 0) return {};  // unknown, as of a program that was killed
  parts.resize(used);
  if (!knows_ideal_windows_)
    for (MpiCalls::Part& part : parts) part.ideal_s.clear();
  return {.length_s = seconds(longest.length_ns()), .parts = std::move(parts)};
}

std::vector<double> ProgramParts::window_times_s(std::string_view function,
                                                 const MpiCalls::Windows& windows) const {
  const auto found = functions_.find(function);
  if (found == functions_.end() || windows.parts.empty()) return {};
  TimeWindows times = found->second;
  while (seconds(times.length_ns()) < windows.length_s) times.double_length();
  std::vector<double> times_s;
  for (const std::uint64_t time_ns : times.times_ns()) times_s.push_back(seconds(time_ns));
  times_s.resize(windows.parts.size());
  return times_s;
}

}  // namespace plimsoll::collectives
