// Places replicas of experts (of a mixture-of-experts model) on devices, so that the most loaded device has
// as little load as possible.
//
// usage: experts LOADS DEVICES SLOTS [GROUPS NODES]
//
// LOADS is a file with one load per line, in the order of the experts. Each device has SLOTS slots, and each
// slot contains one replica; the load of an expert is divided by its number of replicas. With GROUPS and
// NODES, the experts form groups of equal size, and all replicas of a group are on one node. If the standard
// input contains a plan, as this program prints it, devices keep their experts where possible (on one node).
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "replica_plan.hpp"

namespace {

std::vector<double> read_loads(const char* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  std::vector<double> loads;
  for (std::string line; std::getline(file, line);) {
    char* end = nullptr;
    loads.push_back(std::strtod(line.c_str(), &end));
    if (end == line.c_str() || *end != '\0' || !(loads.back() >= 0 && loads.back() < 1e300))
      throw std::runtime_error(std::string(path) + ", line " + std::to_string(loads.size()) +
                               ": invalid load \"" + line + "\"; use a number >= 0");
  }
  return loads;
}

std::size_t read_count(const char* text, const char* name) {
  char* end = nullptr;
  const long count = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || count < 1 || count > 1'000'000)
    throw std::runtime_error(std::string("invalid ") + name + " \"" + text + "\"; use 1 to 1000000");
  return static_cast<std::size_t>(count);
}

/// Reads a plan: one line per device, with the numbers of its experts.
std::vector<Device> read_plan(std::istream& text) {
  std::vector<Device> devices;
  for (std::string line; std::getline(text, line);) {
    std::istringstream numbers(line);
    devices.emplace_back();
    for (std::size_t expert = 0; numbers >> expert;) devices.back().push_back(expert);
    if (!numbers.eof()) throw std::runtime_error("invalid plan: \"" + line + "\"");
  }
  return devices;
}

/// Plans each node separately: groups of experts are packed on nodes like replicas on devices.
std::vector<Device> plan_nodes(const std::vector<double>& loads, std::size_t n_devices, std::size_t slots,
                               std::size_t n_groups, std::size_t n_nodes) {
  const std::size_t group_size = loads.size() / n_groups;
  if (loads.size() % n_groups != 0 || n_groups % n_nodes != 0 || n_devices % n_nodes != 0)
    throw std::runtime_error(
        "experts must be a multiple of GROUPS, and GROUPS and DEVICES multiples of NODES");
  std::vector<double> group_loads(n_groups);
  for (std::size_t expert = 0; expert < loads.size(); ++expert)
    group_loads[expert / group_size] += loads[expert];
  const ReplicaPlan nodes = plan_replicas(group_loads, n_nodes, n_groups / n_nodes);
  std::vector<Device> devices;
  for (const Device& groups : nodes.devices) {
    std::vector<std::size_t> experts;
    for (const std::size_t group : groups)
      for (std::size_t k = 0; k < group_size; ++k) experts.push_back(group * group_size + k);
    std::vector<double> of_node;
    for (const std::size_t expert : experts) of_node.push_back(loads[expert]);
    for (Device device : plan_replicas(of_node, n_devices / n_nodes, slots).devices) {
      for (std::size_t& expert : device) expert = experts[expert];
      devices.push_back(std::move(device));
    }
  }
  return devices;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4 && argc != 6) {
    std::fprintf(stderr, "usage: experts LOADS DEVICES SLOTS [GROUPS NODES]\n");
    return 2;
  }
  const std::vector<double> loads = read_loads(argv[1]);
  const std::size_t n_devices = read_count(argv[2], "DEVICES");
  const std::size_t slots = read_count(argv[3], "SLOTS");
  const std::size_t n_groups = argc == 6 ? read_count(argv[4], "GROUPS") : 1;
  const std::size_t n_nodes = argc == 6 ? read_count(argv[5], "NODES") : 1;
  if (loads.empty() || n_devices * slots < loads.size())
    throw std::runtime_error("each expert needs a slot: use more devices or slots");

  ReplicaPlan plan{std::vector<std::size_t>(loads.size()),
                   plan_nodes(loads, n_devices, slots, n_groups, n_nodes)};
  for (const Device& device : plan.devices)
    for (const std::size_t expert : device) ++plan.replicas[expert];
  const std::vector<Device> before = isatty(STDIN_FILENO) ? std::vector<Device>() : read_plan(std::cin);
  if (!before.empty() && (before.size() != n_devices || n_nodes > 1))
    throw std::runtime_error("a plan before needs the same number of devices, and one node");
  if (!before.empty()) std::fprintf(stderr, "%zu replicas to load\n", keep_in_place(plan, before));

  double total = 0;
  for (const Device& device : plan.devices) {
    double load = 0;
    for (const std::size_t expert : device)
      load += loads[expert] / static_cast<double>(plan.replicas[expert]);
    plan.max_load = std::max(plan.max_load, load);
    total += load;
  }
  std::fprintf(stderr, "maximum load %.6g, mean %.6g\n", plan.max_load,
               total / static_cast<double>(n_devices));
  for (const Device& device : plan.devices) {
    for (std::size_t slot = 0; slot < device.size(); ++slot)
      std::printf("%s%zu", slot == 0 ? "" : " ", device[slot]);
    std::printf("\n");
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "experts: %s\n", error.what());
  return 1;
}
