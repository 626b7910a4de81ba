// The cases of species_bench. Usage: cases timers|inferred. Blocks contain electrons and ions, which cost
// nine times as much; most of the electrons start on rank 0. Rank 0 prints one line per result: name, value.
// max/mean is that of the work of the ranks, which the program knows, but Plimsoll does not.
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/runtime/balancer.hpp>
#include <plimsoll/runtime/load_recorder.hpp>

namespace {

using namespace plimsoll;

constexpr std::uint64_t n_blocks = 64;  // per rank
constexpr int n_phases = 24;
constexpr int n_last = 8;
constexpr int per_electron = 200;  // iterations
constexpr int per_ion = 1800;

struct Block {
  double electrons;
  double ions;

  double iterations() const { return per_electron * electrons + per_ion * ions; }
};

void push(const Block& block) {
  volatile double sum = 0;
  for (int k = 0; k < static_cast<int>(block.iterations()); ++k) sum = sum * 0.5 + k;
}

class Program {
 public:
  Program(const Settings& settings, bool infers)
      : infers_(infers), recorder_(MPI_COMM_WORLD, settings), balancer_(recorder_) {
    if (infers_) recorder_.infer_loads({"electrons", "ions"});
    for (std::uint64_t k = 0; k < n_blocks; ++k) {
      const double place = static_cast<double>(k) + static_cast<double>(n_blocks) * recorder_.rank();
      const ObjectHandle object = recorder_.register_object({.index = {static_cast<std::int64_t>(k)}});
      blocks_[recorder_.id(object)] = {.electrons = std::floor(900 * std::exp(-place / 40)),
                                       .ions = std::floor(20 * (1 + std::sin(place)))};
    }
    balancer_.balance_at_phase_ends({.size_bytes = [](ObjectId) { return sizeof(Block); },
                                     .pack =
                                         [this](ObjectId id, std::span<std::byte> to) {
                                           std::memcpy(to.data(), &blocks_.at(id), sizeof(Block));
                                           return sizeof(Block);
                                         },
                                     .unpack =
                                         [this](ObjectId id, std::span<const std::byte> from) {
                                           std::memcpy(&blocks_[id], from.data(), sizeof(Block));
                                           return sizeof(Block);
                                         },
                                     .remove = [this](ObjectId id) { blocks_.erase(id); }});
  }

  /// Runs a phase, and returns max/mean of the work of the ranks in it.
  double step() {
    double mine = 0;
    for (const auto& [id, block] : blocks_) {
      mine += block.iterations();
      const ObjectHandle object = recorder_.find(id);
      if (infers_) {
        recorder_.set_features(object, std::vector{block.electrons, block.ions});
        push(block);
      } else {
        const auto work = recorder_.work_on(object);
        push(block);
      }
    }
    recorder_.next_phase();
    double sum = 0;
    double max = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &max, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return max * recorder_.rank_count() / sum;
  }

  bool prints() const { return recorder_.rank() == 0; }
  void close() { recorder_.close(); }

 private:
  bool infers_;
  LoadRecorder recorder_;
  Balancer balancer_;
  std::map<ObjectId, Block> blocks_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    Settings settings;
    settings.lb = true;
    settings.lb_name = "RefineLB";
    settings.lb_quiet = true;
    settings.lb_loads = LoadTime::cpu;
    settings.lb_when = "always";
    Program program(settings, argc > 1 && std::string(argv[1]) == "inferred");
    const double start = program.step();
    double last = 0;  // mean of the last phases
    for (int phase = 1; phase < n_phases; ++phase) {
      const double now = program.step();
      if (phase >= n_phases - n_last) last += now / n_last;
    }
    if (program.prints()) std::printf("start %.4f\nlast %.4f\ngain %.4f\n", start, last, start - last);
    program.close();
  }
  MPI_Finalize();
}
