#include "report/page/subphase_loads.hpp"

#include <map>

namespace plimsoll::inline v0_1::report {

void SubphaseLoads::add(const PhaseData& data) {
  const std::size_t n_ranks = data.ranks.size();
  std::map<std::int32_t, std::vector<double>> of_subphase;
  for (std::size_t rank = 0; rank < n_ranks; ++rank) {
    const lbdata::Tasks& tasks = data.tasks(rank);
    for (std::size_t k = 0; k < tasks.subphase_id.size(); ++k) {
      auto found = of_subphase.find(tasks.subphase_id[k]);
      if (found == of_subphase.end()) {
        if (n_cells_ + n_ranks > max_cells_) {
          left_out_ = true;
          return;
        }
        n_cells_ += n_ranks;
        found = of_subphase.emplace(tasks.subphase_id[k], std::vector<double>(n_ranks)).first;
      }
      found->second[rank] += tasks.subphase_time_s[k];
    }
  }
  if (of_subphase.size() < 2) return;
  Phase& phase = phases_.emplace_back();
  phase.position = data.position;
  for (auto& [subphase, loads_s] : of_subphase) phase.loads_s.push_back(std::move(loads_s));
}

void SubphaseLoads::write(support::JsonWriter& json) const {
  json.key("subphases").begin_array();
  for (const Phase& phase : phases_) {
    json.begin_object().member("phase", phase.position).key("loads_s").begin_array();
    for (const std::vector<double>& loads_s : phase.loads_s) json.values(loads_s);
    json.end_array().end_object();
  }
  json.end_array();
}

std::string SubphaseLoads::note() const {
  return left_out_ ? "Subphases of later phases are left out." : "";
}

}  // namespace plimsoll::report
