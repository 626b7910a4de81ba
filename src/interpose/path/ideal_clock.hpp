#pragma once

#include <cstdint>

#include <plimsoll/collectives/internal/part_times.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::no_region;
using collectives::PartTimes;
using collectives::Region;

/// The clock of a rank on a network of zero cost. Outside MPI, it runs as the real one does. In a call, it
/// joins the clocks of the ranks on which this rank depends: it takes the latest of their times. A part of
/// the run would take as long as the clock advances in it.
///
/// Real times are those of a clock that the ranks share, in ns. Cost of a function: some ns.
class IdealClock {
 public:
  /// Starts the clock at 0. Windows of time begin at `run_begin_ns`.
  void start(std::int64_t now_ns, std::int64_t run_begin_ns);
  /// Lets the clock run until now, outside MPI, in a region.
  void run_until(std::int64_t now_ns, Region region);
  /// Begins or ends a pause, in which the clock stands still. Times that it joins meanwhile are in no part.
  void pause(bool paused, std::int64_t now_ns, Region region);

  void begin_call(std::int64_t now_ns, Region region);
  void join(std::int64_t time_ns);
  /// Distributes the joined time over the part of the call in which this rank waited: until `awaited_ns`. If
  /// that is shorter than the joined time, uses as much more of the call as necessary. If the whole call is
  /// shorter, the clock advances faster than the real one.
  void end_call(std::int64_t now_ns, std::int64_t awaited_ns, Region region);

  std::int64_t time_ns() const { return time_ns_; }
  /// Returns by how much the clock has advanced in the parts of the run.
  const PartTimes& parts() const { return parts_; }

 private:
  std::uint64_t since_run_began(std::int64_t now_ns) const;

  std::int64_t run_begin_ns_ = 0;
  bool is_paused_ = false;
  std::int64_t time_ns_ = 0;
  std::int64_t left_ns_ = 0;  ///< real time until which the clock has run

  // The current call.
  std::int64_t begin_ns_ = 0;
  std::int64_t begin_time_ns_ = 0;

  PartTimes parts_;
};

}  // namespace plimsoll::interpose
