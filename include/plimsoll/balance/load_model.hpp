#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Index of an object: its position among the tasks of the last phase, sorted by rank and by position in the
/// rank's record (the order of LDStats::obj_data).
using ObjectIndex = std::uint32_t;

/// Number of messages and their bytes.
struct MessageVolume {
  double bytes = 0;
  std::int64_t messages = 0;
};

/// Messages that an object exchanged with other ranks in one phase.
struct OffRankTraffic {
  MessageVolume received;            ///< received messages of any category
  MessageVolume received_send_recv;  ///< received messages of category SendRecv
  MessageVolume sent_send_recv;      ///< sent messages of category SendRecv
};

/// Measurements of all objects of one phase, in this phase and in earlier phases: the input of load models.
///
/// The history is a view: the records must outlive it. It takes 8 bytes per object and phase, plus 48 bytes
/// with traffic. In earlier phases, an object is identified by its number, regardless of its rank. A
/// non-migratable object is identified by number and rank, because several ranks may use the same number.
class LoadHistory {
 public:
  /// Records of all ranks in one phase, or of one rank. The first record of one rank contains its work and
  /// messages. Further records contain the loads of its present objects that it did not measure itself.
  using Phase = std::vector<const lbdata::PhaseRecord*>;
  /// Whether to count messages as well, which takes time per edge.
  enum class Traffic { ignore, count };

  /// Requires one or more `phases`, oldest first. With `only_rank`, each phase has only records of
  /// this rank. Edges to an object without a task in the first record count as edges to another rank. Without
  /// `only_rank`, edges to an object without a task are ignored.
  ///
  /// Cost: expected O(tasks), plus O(edges) with traffic. Throws Error (bad_input) for an object with two
  /// tasks in one phase, and for a time that is negative or not finite. With traffic, it also throws for
  /// edges with negative bytes or messages.
  LoadHistory(const lbdata::EntityTable& entities, std::vector<Phase> phases,
              Traffic traffic = Traffic::ignore, std::optional<std::uint32_t> only_rank = {});

  std::size_t n_phases() const { return phases_.size(); }
  std::size_t n_objects() const { return ages_.size(); }
  /// Returns the number (>= 1) of consecutive phases, ending with the last phase, that have a task of the
  /// object.
  std::size_t n_phases(ObjectIndex object) const { return ages_[object]; }

  /// Returns the load in seconds in the phase `back` phases before the next phase (1: last phase). Returns 0
  /// if the object had no task in that phase.
  double load_s(ObjectIndex object, std::int64_t back) const {
    const Place* place = find(object, back);
    return place == nullptr ? 0 : record(*place, back).tasks.time_s[place->task];
  }
  /// Returns the load of one subphase, in the same way.
  double subphase_load_s(ObjectIndex object, std::int64_t back, std::uint32_t subphase) const;
  /// Returns the object's highest subphase id plus 1. Throws Error (bad_input) for ids outside 0 to 65534.
  std::uint32_t n_subphases(ObjectIndex object) const;
  /// Returns the object's off-rank messages; zeros unless traffic was requested.
  OffRankTraffic traffic(ObjectIndex object, std::int64_t back) const {
    return find(object, back) == nullptr || traffic_.empty() ? OffRankTraffic{}
                                                             : traffic_[phase(back)][object];
  }
  /// Returns the `collection_id` of the object, if it has one.
  std::optional<lbdata::WideInteger> collection(ObjectIndex object) const;
  /// Returns the records of all phases, oldest first.
  const std::vector<Phase>& phases() const { return phases_; }
  /// Returns whether the history contains only one rank.
  bool is_of_one_rank() const { return only_rank_.has_value(); }

 private:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  /// Location of a task: the record in a Phase, and the task in the record.
  struct Place {
    std::uint32_t record = nowhere;
    std::uint32_t task = 0;
  };
  void find_in_earlier_phases();
  void count_traffic(std::size_t phase);
  std::uint32_t rank_of(std::uint32_t record) const { return only_rank_.value_or(record); }
  std::size_t n_places() const { return places_.back().size(); }

  std::size_t phase(std::int64_t back) const { return phases_.size() - static_cast<std::size_t>(back); }
  const Place* find(ObjectIndex object, std::int64_t back) const {
    if (back < 1 || static_cast<std::size_t>(back) > phases_.size()) return nullptr;
    const Place& place = places_[phase(back)][object];
    return place.record == nowhere ? nullptr : &place;
  }
  const lbdata::PhaseRecord& record(const Place& place, std::int64_t back) const {
    return *phases_[phase(back)][place.record];
  }

  const lbdata::EntityTable& entities_;
  std::vector<Phase> phases_;               // phases, oldest first
  std::vector<std::vector<Place>> places_;  // location of each object's task, by phase and object
  std::optional<std::uint32_t> only_rank_;
  std::vector<std::uint32_t> ages_;
  std::vector<std::vector<OffRankTraffic>> traffic_;  // traffic by phase and object; empty if ignored
};

/// Builds the history of a data set: `phase` and the phases before it with data on all ranks, at most
/// `n_phases`. Phases without data on some rank are skipped. Throws like LoadHistory, and like load_phase()
/// if the phase does not exist.
LoadHistory dataset_history(const lbdata::Dataset& dataset, std::int64_t phase, std::size_t n_phases,
                            LoadHistory::Traffic traffic = LoadHistory::Traffic::ignore);

/// Phase, and optionally subphase, that a load query refers to.
struct PhaseOffset {
  static constexpr std::uint32_t whole_phase = ~std::uint32_t{0};
  std::int64_t phases = 0;  ///< below 0: past phase, -1 is the last; 0: next phase; above 0: later phases
  std::uint32_t subphase = whole_phase;  ///< id of the subphase, or whole_phase

  bool is_past() const { return phases < 0; }
  bool is_whole() const { return subphase == whole_phase; }
  PhaseOffset at(std::int64_t other_phases) const { return {other_phases, subphase}; }
  PhaseOffset of(std::uint32_t other_subphase) const { return {phases, other_subphase}; }
};

/// Load model: reports the loads of objects in past phases and predicts them for future phases. Strategies
/// balance these loads. Models are stacked on each other; RawData, the measured loads, is at the bottom.
/// Source: vt's load models.
///
/// Queries are const, and several threads may call them. Loads are in seconds. A model's formula may give
/// negative loads; callers that need a load use 0 instead (apply_load_model()).
class LoadModel {
 public:
  virtual ~LoadModel() = default;

  /// Sets the history for all later queries. The history must outlive them. It must have past_phases_needed()
  /// phases (or all that exist), and traffic if needs_traffic().
  virtual void use(const LoadHistory& history) = 0;

  virtual double load_s(ObjectIndex object, PhaseOffset when) const = 0;
  /// Returns the communication cost of the object in the model's unit; 0 in models without communication.
  virtual double communication(ObjectIndex object, PhaseOffset when) const = 0;
  /// Returns the traffic of an object; for the next and later phases, the traffic of the last phase.
  virtual OffRankTraffic traffic(ObjectIndex object, PhaseOffset when) const = 0;

  virtual std::size_t n_objects() const = 0;
  /// Returns the number of consecutive phases, ending with the last phase, that contain the object. The loads
  /// of the object in earlier phases are 0.
  virtual std::size_t n_past_phases(ObjectIndex object) const = 0;
  /// Returns the number of subphases of the object. Ids of subphases are below this number.
  virtual std::uint32_t n_subphases(ObjectIndex object) const = 0;
  virtual std::optional<lbdata::WideInteger> collection(ObjectIndex object) const = 0;

  /// Returns the number of past phases that the model needs. With this many phases, the model can answer
  /// queries about past phases down to -look_back, and about all later phases.
  virtual std::size_t past_phases_needed(std::size_t look_back = 0) const = 0;
  virtual bool needs_traffic() const = 0;
  /// Returns the number of future phases that one query covers: more than 1 only with MultiplePhases, which
  /// limits it.
  virtual std::int64_t phases_in_one() const = 0;

  /// Returns the pipeline from which make_load_model() makes this model, without `bottom` and the models
  /// below it.
  virtual std::string text(const LoadModel* bottom = nullptr) const = 0;
};

/// Shared pointer to a load model: models share their underlying models.
using LoadModelPtr = std::shared_ptr<LoadModel>;

/// Base class of models that change only some results: forwards every query to the underlying model.
class ComposedModel : public LoadModel {
 public:
  /// `own_text` is the text of this model alone: "LinearModel(length=5)".
  ComposedModel(LoadModelPtr base, std::string own_text)
      : base_(std::move(base)), own_text_(std::move(own_text)) {}

  void use(const LoadHistory& history) override { base_->use(history); }
  double load_s(ObjectIndex object, PhaseOffset when) const override { return base_->load_s(object, when); }
  double communication(ObjectIndex object, PhaseOffset when) const override {
    return base_->communication(object, when);
  }
  OffRankTraffic traffic(ObjectIndex object, PhaseOffset when) const override {
    return base_->traffic(object, when);
  }
  std::size_t n_objects() const override { return base_->n_objects(); }
  std::size_t n_past_phases(ObjectIndex object) const override { return base_->n_past_phases(object); }
  std::uint32_t n_subphases(ObjectIndex object) const override { return base_->n_subphases(object); }
  std::optional<lbdata::WideInteger> collection(ObjectIndex object) const override {
    return base_->collection(object);
  }
  std::size_t past_phases_needed(std::size_t look_back) const override {
    return base_->past_phases_needed(look_back);
  }
  bool needs_traffic() const override { return base_->needs_traffic(); }
  std::int64_t phases_in_one() const override { return base_->phases_in_one(); }
  std::string text(const LoadModel* bottom = nullptr) const override;

 protected:
  const LoadModel& base() const { return *base_; }

 private:
  LoadModelPtr base_;
  std::string own_text_;
};

/// Description of a load model for user interfaces.
struct LoadModelInfo {
  std::string name;  ///< name, such as "LinearModel"
  std::string help;  ///< help text, one line
  std::vector<ParameterSpec> parameters;
  std::string example;  ///< example of a pipeline with the model
  /// Stacks a new model on `base`. Throws Error (usage) for a value out of range. Not set for RawData, which
  /// has no underlying model, and for PerCollection, whose arguments are pipelines.
  std::function<LoadModelPtr(LoadModelPtr base, const Parameters&)> make = {};
};

/// Name of the model that changes nothing: strategies see the measured loads.
inline constexpr const char* measured_loads = "NaivePersistence";

/// Returns all models that text can specify, sorted by name.
const std::vector<LoadModelInfo>& load_models();

/// Returns the description of a model by its name. Throws Error (usage) for an unknown name, with the
/// available names.
const LoadModelInfo& load_model_info(const std::string& name);

/// Makes a model from a pipeline, such as `Norm(power=3) | PersistenceMedianLastN(n=4)`. Each model is
/// stacked on the model before it. The first is stacked on RawData | NaivePersistence, which the pipeline
/// may also contain explicitly. The grammar:
///
///     pipeline := model { "|" model }
///     model    := NAME [ "(" [ name "=" value { "," name "=" value } ] ")" ]
///
/// A value is a number, a string, a list in brackets or, in PerCollection, a pipeline. Spaces around names
/// and values are ignored. The model's text() is the full pipeline without RawData | NaivePersistence, and
/// makes the same model again. Throws Error (usage) for an invalid pipeline, for unknown names (with the
/// nearest match), and for values out of range.
LoadModelPtr make_load_model(std::string_view pipeline);

/// Returns the load, in seconds, that a model predicts for each object of its history in the next phase.
/// Negative predictions become 0. Throws Error (usage) if any load or their sum is not finite.
std::vector<double> next_phase_loads(const LoadModel& model);

/// Replaces the loads in `phase` (LDObjData::walltime, ProcStats::total_walltime, and LDStats::subphases if
/// they are not empty) with the loads that the model predicts for the next phase. The prediction uses this
/// phase and the phases before it. `phase` must come from load_phase() of the same data set. Throws like
/// dataset_history() and next_phase_loads().
void apply_load_model(const lbdata::Dataset& dataset, DatasetPhase& phase, LoadModel& model);

}  // namespace plimsoll::balance
