// Calls that must not compile. REJECTED_CALL selects one of them.
#include <functional>
#include <vector>

#include <plimsoll/objects.hpp>

namespace {

void report(plimsoll::ObjectSystem&, int) {}

struct Other : plimsoll::Element<Other> {
  void step(int) {}
};

struct Cell : plimsoll::Element<Cell> {
  void step(int) {}
  void count(unsigned) {}
  void receive(std::vector<double>) {}
  void work() { REJECTED_CALL; }

  template <class Archive>
  void serialize(Archive&) {}
};

[[maybe_unused]] void run(plimsoll::ObjectSystem& system) {
  plimsoll::Collection<Cell> cells(system, {.bounds = {{1}}});
  cells.broadcast<&Cell::work>();
  system.broadcast_to_ranks<&report>(1);
}

}  // namespace
