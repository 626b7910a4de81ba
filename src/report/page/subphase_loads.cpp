#include "report/page/subphase_loads.hpp"

#include <algorithm>
#include <map>

namespace plimsoll::PLIMSOLL_ABI::report {

namespace {

std::map<std::int32_t, double> loads_of_rank(const lbdata::Tasks& tasks) {
  std::map<std::int32_t, double> loads_s;
  for (std::size_t k = 0; k < tasks.subphase_id.size(); ++k)
    loads_s[tasks.subphase_id[k]] += tasks.subphase_time_s[k];
  return loads_s;
}

}  // namespace

void SubphaseLoads::add(const PhaseData& data) {
  std::map<std::int32_t, std::vector<double>> of_subphase;
  for (std::size_t rank = 0; rank < data.ranks.size(); ++rank) {
    for (const auto& [subphase, load_s] : loads_of_rank(data.tasks(rank))) {
      auto found = of_subphase.find(subphase);
      if (found == of_subphase.end()) {
        if (n_cells_ + rows_.count() > max_cells_) {
          left_out_ = true;
          return;
        }
        n_cells_ += rows_.count();
        found = of_subphase.emplace(subphase, std::vector<double>(rows_.count())).first;
      }
      double& row = found->second[rows_.of(rank)];
      row = std::max(row, load_s);
    }
  }
  if (of_subphase.size() < 2) return;
  Phase& phase = phases_.emplace_back();
  phase.position = data.position;
  for (auto& [subphase, loads_s] : of_subphase) {
    phase.ids.push_back(subphase);
    phase.loads_s.push_back(std::move(loads_s));
  }
}

void SubphaseLoads::write(support::JsonWriter& json) const {
  json.key("subphases").begin_array();
  for (const Phase& phase : phases_) {
    json.begin_object().member("phase", phase.position).key("ids").values(phase.ids);
    json.key("loads_s").begin_array();
    for (const std::vector<double>& loads_s : phase.loads_s) json.values(loads_s);
    json.end_array().end_object();
  }
  json.end_array();
}

std::string SubphaseLoads::note() const {
  return left_out_ ? "Subphases of some phases are omitted." : "";
}

}  // namespace plimsoll::report
