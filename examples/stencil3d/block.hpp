// Blocks of the grid: the elements of the collection. A block sends its faces to its six neighbours, wherever
// they are, and does its next step as soon as it has theirs.
#pragma once

#include <cereal/types/vector.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <plimsoll/objects.hpp>

#include "grid.hpp"

class Block : public plimsoll::Element<Block, 3> {
 public:
  Block() = default;  // for a block that arrives from another rank: serialize() fills it
  explicit Block(const Grid& grid) : width_(grid.block), cells_(cell_count()) {
    for_each_cell([&](int x, int y, int z) {
      cell(x, y, z) = grid.exact(global(0, x), global(1, y), global(2, z), 0);
    });
  }

  // Does this number of steps, together with all other blocks.
  void advance(int steps) {
    last_step_ = step_ + steps;
    begin_step();
  }

  // Takes the cells next to one side of this block. Sides are numbered 2 * axis + (0: low, 1: high).
  void receive_face(plimsoll::Step, int side, const std::vector<double>& values) {
    const int ghost_layer = side % 2 == 0 ? -1 : width_;
    auto value = values.begin();
    for_each_on_plane(side / 2, ghost_layer, [&](double& ghost) { ghost = *value++; });
  }

  // Does the step of which this block has received all faces.
  void compute() {
    for (int sweep = 0; sweep < sweeps(); ++sweep) compute_next();
    cells_.swap(next_);
    ++step_;
    if (step_ < last_step_) begin_step();
  }

  void just_migrated() override { ++migrations_; }

  int step() const { return step_; }
  std::int64_t migrations() const { return migrations_; }

  // Calls work(x, y, z, value) for all cells, with their positions in the grid.
  template <class Work>
  void for_each_value(const Work& work) {
    for_each_cell(
        [&](int x, int y, int z) { work(global(0, x), global(1, y), global(2, z), cell(x, y, z)); });
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(width_, step_, migrations_, cells_);
  }

 private:
  void begin_step() {
    send_faces();
    // A neighbour may be one step ahead. Its face then waits for that step.
    when<&Block::receive_face, &Block::compute>(step_, 6);
  }

  void send_faces() {
    for (int side = 0; side < 6; ++side) {
      const int own_layer = side % 2 == 0 ? 0 : width_ - 1;
      std::vector<double> values;
      for_each_on_plane(side / 2, own_layer, [&](const double& value) { values.push_back(value); });
      const int its_side = side ^ 1;
      collection()[neighbour(side)].template send<&Block::receive_face>(step_, its_side, std::move(values));
    }
  }

  void compute_next() {
    next_.resize(cells_.size());
    for_each_cell([&](int x, int y, int z) {
      next_[place(x, y, z)] = (cell(x, y, z) + cell(x - 1, y, z) + cell(x + 1, y, z) + cell(x, y - 1, z) +
                               cell(x, y + 1, z) + cell(x, y, z - 1) + cell(x, y, z + 1)) /
                              7;
    });
  }

  // Number of times that each step is computed. As in the stencil3d of Charm++, work grows with the number of
  // the block, between 20 % and 80 % of all blocks, and with time.
  int sweeps() const {
    const auto& blocks = collection().bounds();
    const double place = static_cast<double>(blocks.number_of(index())) / static_cast<double>(blocks.count());
    if (place < 0.2 || place > 0.8) return 10;
    return static_cast<int>(100 * place + 5 * std::ceil(step_ / 30.0));
  }

  // Position of the neighbour on a side; the grid is periodic.
  plimsoll::Index<3> neighbour(int side) const {
    const std::int64_t blocks_per_side = collection().bounds().sizes[0];
    plimsoll::Index<3> position = index();
    std::int64_t& coordinate = position[side / 2];
    coordinate = (coordinate + (side % 2 == 0 ? blocks_per_side - 1 : 1)) % blocks_per_side;
    return position;
  }

  // Cells have positions 0 to width - 1 in the block. A layer of ghost cells surrounds them.
  std::size_t cell_count() const { return place(width_, width_, width_) + 1; }
  std::size_t place(int x, int y, int z) const {
    const int stride = width_ + 2;
    return static_cast<std::size_t>(((x + 1) * stride + y + 1) * stride + z + 1);
  }
  double& cell(int x, int y, int z) { return cells_[place(x, y, z)]; }
  int global(int axis, int coordinate) const { return static_cast<int>(index()[axis]) * width_ + coordinate; }

  template <class Work>
  void for_each_cell(const Work& work) {
    for (int x = 0; x < width_; ++x)
      for (int y = 0; y < width_; ++y)
        for (int z = 0; z < width_; ++z) work(x, y, z);
  }
  template <class Work>
  void for_each_on_plane(int axis, int layer, const Work& work) {
    for (int first = 0; first < width_; ++first) {
      for (int second = 0; second < width_; ++second) {
        std::array<int, 3> position{};
        position[axis] = layer;
        position[(axis + 1) % 3] = first;
        position[(axis + 2) % 3] = second;
        work(cell(position[0], position[1], position[2]));
      }
    }
  }

  int width_ = 0;      // cells per side
  int step_ = 0;       // steps done
  int last_step_ = 0;  // of the phase
  std::int64_t migrations_ = 0;
  std::vector<double> cells_;  // with ghost cells
  std::vector<double> next_;
};
