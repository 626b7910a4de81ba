#pragma once

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "runtime/recording/object_registry.hpp"
#include "runtime/recording/recording.hpp"

namespace plimsoll::testing {

/// Recording of one of four ranks, without MPI. It measures with the system clock.
struct MeasuredRank {
  static constexpr int rank = 2;

  explicit MeasuredRank(bool with_cpu_time = false, runtime::LoadTime load_time = runtime::LoadTime::wall)
      : meter(runtime::Clock::Source::system, with_cpu_time), recording(meter, load_time) {
    recording.rank_object = enter(runtime::rank_entity(rank), true);
    meter.start_phase();
  }

  /// Registers an object with this number and home.
  runtime::ObjectHandle enter(std::uint64_t number, int home = rank, bool measured = true) {
    return enter(runtime::element_entity(runtime::object_id(home, number), {}, 4), measured);
  }
  runtime::ObjectHandle enter(const lbdata::Entity& entity, bool measured) {
    return recording.enter(runtime::ObjectId{entity.id.value().bits}, data.entities().intern(entity),
                           measured);
  }
  /// Returns the seconds charged to an object, summed over all subphases.
  double measured_s(runtime::ObjectHandle object) const {
    const runtime::WorkTimer& timer = meter.timer();
    std::int64_t ticks = 0;
    for (std::uint32_t column = 0; column < timer.column_count(); ++column)
      ticks += timer.ticks(column, object.slot);
    return timer.clock().seconds(ticks);
  }

  runtime::NodeLBData data{runtime::Settings{}, {.rank = rank}};
  runtime::WorkMeter meter;
  runtime::Recording recording;
};

}  // namespace plimsoll::testing
