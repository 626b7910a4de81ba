#pragma once

#include <unistd.h>

#include <string>
#include <utility>

namespace plimsoll::support {

/// A file descriptor, closed at its end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    number_ = std::exchange(other.number_, -1);
    return *this;
  }
  ~Descriptor() { close(); }

  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read_end, write_end;
};

/// A pipe whose reading end does not block. `program` is for messages. Throws Error (system).
Pipe make_pipe(const std::string& program);

/// A file in memory: whoever reads it, or does not, nobody waits for them. Throws Error (system).
Descriptor input_file(const std::string& input, const std::string& program);

}  // namespace plimsoll::support
