// A plug-in whose parameter selects a defect. It expects objects 0 and 1 to be migratable, and object 2 to be
// non-migratable.
#include <stdexcept>

#include <plimsoll/balance/plugin.hpp>

using namespace plimsoll::balance;

namespace {

struct NonStandardException {};

void throw_as(const std::string& defect, const std::string& where) {
  if (defect == where + " throws exception") throw std::runtime_error("cannot continue");
  if (defect == where + " throws anything") throw NonStandardException();
  if (defect == where + " throws usage error")
    throw plimsoll::support::usage_error("invalid setting", "use another setting");
  if (defect == where + " throws bad input") throw plimsoll::support::bad_input("invalid data", "data.txt");
}

}  // namespace

class BadLB : public Strategy {
 public:
  static StrategyInfo info() {
    return {"BadLB",
            "fails in the way that its parameter selects",
            {{"defect", std::string("none"), "defect to produce"}},
            make};
  }

  explicit BadLB(const Parameters& parameters)
      : Strategy("BadLB", parameters), defect_(parameters.get<std::string>("defect")) {
    throw_as(defect_, "make");
  }

  void work(LDStats& stats) override {
    stats.to_proc = stats.from_proc;
    if (defect_ == "short") stats.to_proc.pop_back();
    if (defect_ == "beyond") stats.to_proc[1] = stats.count();
    if (defect_ == "negative") stats.to_proc[1] = -1;
    if (defect_ == "sentinel") stats.to_proc[2] = 1;
    if (defect_ == "unavailable") stats.to_proc[1] = 1;
    if (defect_ == "changes loads") stats.obj_data.clear();
    throw_as(defect_, "work");
  }

  Score score(const LDStats& /*stats*/, std::span<const std::int32_t> /*placement*/) const override {
    throw_as(defect_, "score");
    return {};
  }

  std::vector<Remark> remarks() const override {
    throw_as(defect_, "remarks");
    return {{"steps", 3, "Three steps were necessary."}};
  }

 private:
  static std::unique_ptr<Strategy> make(const Parameters& parameters) {
    if (parameters.get<std::string>("defect") == "make nothing") return nullptr;
    return make_strategy<BadLB>(parameters);
  }

  std::string defect_;
};

PLIMSOLL_STRATEGY_PLUGIN(BadLB)
