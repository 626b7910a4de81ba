// Prints the address and the frame name of a return address in this program.

#include <cstdio>

#include <plimsoll/collectives/internal/frame_names.hpp>

namespace {

[[gnu::noinline]] void print_caller() {
  void* const address = __builtin_return_address(0);
  const auto code = plimsoll::collectives::module_of(address).value();
  plimsoll::collectives::FrameNames names;
  std::printf("%p\n%s\n", address, names.describe(code.module_path, code.offset).c_str());
}

}  // namespace

int main() {
  print_caller();
  return 0;
}
