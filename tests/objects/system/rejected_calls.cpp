// Calls that must not compile. The comment of each is a part of the message that explains why. No two of them
// have the same types, because the compiler prints each message once per list of types. clang-tidy skips
// them.
#include <functional>
#include <vector>

#include <plimsoll/objects.hpp>

namespace {

void report(plimsoll::ObjectSystem&, long) {}

struct Other : plimsoll::Element<Other> {
  void step(int) {}
  void end(int) {}
};

struct Cell : plimsoll::Element<Cell> {
  void step(int) {}
  void count(unsigned) {}
  void receive(std::vector<double>) {}
  void halo(plimsoll::Step) {}

  void work() {
#ifndef __clang_analyzer__
    proxy().send<&Cell::step>(0.5);                             // is narrowed
    proxy().send<&Cell::count>(-1);                             // is narrowed
    proxy().invoke<&Cell::step>(0.5F);                          // is narrowed
    collection().broadcast<&Cell::step>(0.5L);                  // is narrowed
    contribute<&Cell::count, std::plus<>>(short{-1}, proxy());  // is narrowed
    system().send_to_rank<&report>(0, 0.5);                     // is narrowed
    proxy().send<&Cell::receive>(3);                            // cannot be converted implicitly
    proxy().send<&Other::step>(1);                              // of a class other than that of its receiver
    contribute<&Other::end, std::plus<>>(1, proxy());           // of a class other than that of its receiver
    proxy().send<&Cell::step>(1, 2);                            // another number of arguments
    proxy().invoke<&Cell::halo>(3);                             // cannot wait for its step
    proxy().request<&Cell::receive>(std::vector{1.0});          // a member function without a result
    when<&Cell::receive>(3);                                    // whose first parameter is a plimsoll::Step
    when<&Cell::halo, &Cell::count>(3, 2);                      // a member function without parameters
#endif
  }

  template <class Archive>
  void serialize(Archive&) {}
};

[[maybe_unused]] void run(plimsoll::ObjectSystem& system) {
  plimsoll::Collection<Cell> cells(system, {.bounds = {{1}}});
  cells.broadcast<&Cell::work>();
  system.broadcast_to_ranks<&report>(1);
}

}  // namespace
