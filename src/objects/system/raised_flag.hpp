#pragma once

#include <utility>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Sets a flag as long as this object exists.
class RaisedFlag {
 public:
  explicit RaisedFlag(bool& flag) : flag_(flag), before_(std::exchange(flag, true)) {}
  RaisedFlag(const RaisedFlag&) = delete;
  RaisedFlag& operator=(const RaisedFlag&) = delete;
  ~RaisedFlag() { flag_ = before_; }

 private:
  bool& flag_;
  bool before_;
};

}  // namespace plimsoll::objects
