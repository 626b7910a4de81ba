#include <dlfcn.h>
#include <mpi.h>

#include <utility>

#include <plimsoll/support/error.hpp>

#include "runtime/recorder/recorder_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

Error not_linked() {
  return support::usage_error(
      "lb_auto_idle is set, but MPI calls of this program do not pass through plimsoll::auto_idle",
      "link plimsoll::auto_idle before MPI (pkg-config plimsoll-auto_idle), or clear the setting");
}

}  // namespace

AutoIdle::AutoIdle(Recording& recording)
    : recording_(recording),
      hooks_{.context = this,
             .begin = [](void* self) { static_cast<AutoIdle*>(self)->begin(); },
             .end = [](void* self) { static_cast<AutoIdle*>(self)->end(); }} {
  const auto connect =
      reinterpret_cast<mpi::ConnectIdleHooks>(dlsym(RTLD_DEFAULT, mpi::connect_idle_hooks_name));
  if (connect == nullptr) throw not_linked();
  if (!connect(&hooks_)) return;
  connect_ = connect;
  MPI_Barrier(MPI_COMM_SELF);
  if (was_called_) return;
  std::exchange(connect_, nullptr)(nullptr);
  throw not_linked();
}

AutoIdle::~AutoIdle() {
  if (connect_ != nullptr) connect_(nullptr);
}

void AutoIdle::begin() {
  was_called_ = true;
  if (!recording_.in_own_work) recording_.meter.begin(WorkMeter::idle);
}

void AutoIdle::end() {
  if (!recording_.in_own_work) recording_.meter.end(WorkMeter::idle);
}

}  // namespace plimsoll::runtime
