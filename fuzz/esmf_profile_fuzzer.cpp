// Feeds bytes to the reader of ESMF profiles. Accepted profiles must contain valid times, and times of
// components must be the sum of work and waiting.

#include <cmath>
#include <cstdlib>
#include <string_view>

#include <plimsoll/pelayout/esmf_profile.hpp>

namespace pelayout = plimsoll::pelayout;

namespace {

bool sound(double seconds) {
  return std::isfinite(seconds) && seconds >= 0;
}

void check(const pelayout::ComponentWork& work) {
  if (!sound(work.work_s) || !sound(work.waiting_s) || work.work_s + work.waiting_s != work.mean_s)
    std::abort();
  if (!(work.imbalance >= 1) || work.tasks < 1) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(pelayout::is_esmf_profile(text));
  try {
    const pelayout::EsmfProfile profile = pelayout::parse_esmf_profile(text, "input");
    std::vector<pelayout::ComponentRanks> ranks;
    for (const pelayout::ObservedRanks& observed : pelayout::ranks_in(profile)) {
      if (observed.ranks.root < 0 || observed.ranks.tasks < 1 || observed.ranks.stride < 1) std::abort();
      ranks.push_back(observed.ranks);
    }
    for (const pelayout::ComponentWork& work : pelayout::component_work(profile, ranks)) check(work);
  } catch (const plimsoll::Error& error) {
    if (error.kind() != plimsoll::ErrorKind::bad_input) std::abort();
  }
  return 0;
}
