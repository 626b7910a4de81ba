#pragma once

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Tells the profiler, if it was loaded into this process, that a region begins or ends. Otherwise costs a
/// few ns.
void begin_region(const char* name);
void end_region(const char* name);

/// A region for the lifetime of this object.
class MarkedRegion {
 public:
  explicit MarkedRegion(const char* name) : name_(name) { begin_region(name_); }
  MarkedRegion(const MarkedRegion&) = delete;
  MarkedRegion& operator=(const MarkedRegion&) = delete;
  ~MarkedRegion() { end_region(name_); }

 private:
  const char* name_;
};

}  // namespace plimsoll::runtime
