#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include <plimsoll/balance/load_models.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

PhaseOffset last_if_not_past(PhaseOffset when) {
  return when.is_past() ? when : when.at(-1);
}

void check_phase_count(const char* model, const char* parameter, std::int64_t phases, std::int64_t most) {
  if (phases < 1 || phases > most)
    throw invalid_parameter(model, parameter, phases, fmt::format("use 1 to {}", most));
}

void check_weight(const char* model, const char* parameter, double weight) {
  if (!(weight >= 0) || weight > std::numeric_limits<double>::max())
    throw invalid_parameter(model, parameter, weight, "use a number >= 0");
}

}  // namespace

double RawData::load_s(ObjectIndex object, PhaseOffset when) const {
  if (!when.is_past())
    throw support::usage_error("RawData does not predict future phases", "use NaivePersistence on top of it");
  return when.is_whole() ? history_->load_s(object, -when.phases)
                         : history_->subphase_load_s(object, -when.phases, when.subphase);
}

double NaivePersistence::load_s(ObjectIndex object, PhaseOffset when) const {
  return base().load_s(object, last_if_not_past(when));
}

double NaivePersistence::communication(ObjectIndex object, PhaseOffset when) const {
  return base().communication(object, last_if_not_past(when));
}

PersistenceMedianLastN::PersistenceMedianLastN(LoadModelPtr base, std::int64_t n)
    : ComposedModel(std::move(base), fmt::format("PersistenceMedianLastN(n={})", n)),
      n_(static_cast<std::size_t>(n)) {
  check_phase_count("PersistenceMedianLastN", "n", n, 1'000'000);
}

double PersistenceMedianLastN::load_s(ObjectIndex object, PhaseOffset when) const {
  if (when.is_past()) return base().load_s(object, when);
  const std::size_t n = std::min(n_, n_past_phases(object));
  if (n == 0) return 0;
  std::vector<double> loads;
  loads.reserve(n);
  for (std::size_t back = 1; back <= n; ++back)
    loads.push_back(base().load_s(object, when.at(-static_cast<std::int64_t>(back))));
  std::ranges::sort(loads);
  return (loads[(n - 1) / 2] + loads[n / 2]) / 2;
}

LinearModel::LinearModel(LoadModelPtr base, std::int64_t length)
    : ComposedModel(std::move(base), fmt::format("LinearModel(length={})", length)),
      length_(static_cast<std::size_t>(length)) {
  check_phase_count("LinearModel", "length", length, 1'000'000);
}

double LinearModel::load_s(ObjectIndex object, PhaseOffset when) const {
  if (when.is_past()) return base().load_s(object, when);
  const auto count = static_cast<std::int64_t>(std::min(length_, n_past_phases(object)));
  if (count == 0) return 0;
  if (count == 1) return base().load_s(object, when.at(-1));  // a line needs two points

  // Number the phases from -count to -1.
  const double mean_x = -0.5 * static_cast<double>(count + 1);
  double sum_y = 0;
  double sum_xy = 0;
  double sum_xx = 0;
  for (std::int64_t x = -count; x < 0; ++x) {
    const double load_s = base().load_s(object, when.at(x));
    const double distance = static_cast<double>(x) - mean_x;
    sum_y += load_s;
    sum_xy += distance * load_s;
    sum_xx += distance * distance;
  }
  return sum_y / static_cast<double>(count) + sum_xy / sum_xx * (static_cast<double>(when.phases) - mean_x);
}

MultiplePhases::MultiplePhases(LoadModelPtr base, std::int64_t phases)
    : ComposedModel(std::move(base), fmt::format("MultiplePhases(phases={})", phases)), phases_(phases) {
  constexpr std::int64_t max_phases = 1000;
  check_phase_count("MultiplePhases", "phases", phases, max_phases);
  if (phases_in_one() > max_phases)
    throw support::usage_error(fmt::format("too many phases in stacked MultiplePhases: {}", phases_in_one()),
                               fmt::format("use at most {}", max_phases));
}

double MultiplePhases::load_s(ObjectIndex object, PhaseOffset when) const {
  if (when.is_past()) return base().load_s(object, when);
  double sum = 0;
  for (std::int64_t phase = 0; phase < phases_; ++phase)
    sum += base().load_s(object, when.at(phases_ * when.phases + phase));
  return sum;
}

Norm::Norm(LoadModelPtr base, double power)
    : ComposedModel(std::move(base),
                    std::isinf(power) ? "Norm(power=infinity)" : fmt::format("Norm(power={})", power)),
      power_(power) {
  if (!(power > 0)) throw invalid_parameter("Norm", "power", power, "use a number > 0, or infinity");
}

double Norm::load_s(ObjectIndex object, PhaseOffset when) const {
  const std::uint32_t n = n_subphases(object);
  if (!when.is_whole() || n == 0) return base().load_s(object, when);
  std::vector<double> loads(n);
  double most_s = 0;
  for (std::uint32_t subphase = 0; subphase < n; ++subphase) {
    loads[subphase] = std::max(0.0, base().load_s(object, when.of(subphase)));
    most_s = std::max(most_s, loads[subphase]);
  }
  if (most_s == 0 || std::isinf(power_)) return most_s;
  // Scale by the longest subphase: high powers of small loads would underflow to 0.
  double sum = 0;
  for (const double load_s : loads) sum += std::pow(load_s / most_s, power_);
  return most_s * std::pow(sum, 1 / power_);
}

SelectSubphases::SelectSubphases(LoadModelPtr base, std::vector<std::uint32_t> subphases)
    : ComposedModel(std::move(base),
                    fmt::format("SelectSubphases(subphases=[{}])", fmt::join(subphases, ", "))),
      subphases_(std::move(subphases)) {
  constexpr std::uint32_t limit = 65535;
  for (const std::uint32_t subphase : subphases_)
    if (subphase >= limit)
      throw support::usage_error(fmt::format("invalid subphase {} of SelectSubphases", subphase),
                                 "use 0 to 65534");
}

double SelectSubphases::load_s(ObjectIndex object, PhaseOffset when) const {
  if (!when.is_whole())
    return when.subphase < subphases_.size() ? base().load_s(object, when.of(subphases_[when.subphase])) : 0;
  double sum = 0;
  for (const std::uint32_t subphase : subphases_) sum += base().load_s(object, when.of(subphase));
  return sum;
}

namespace {

/// Returns the share of a quantity of the whole phase, such as traffic, that counts for the requested
/// subphase. The share is proportional to the load. Returns 1 for the whole phase, and 0 if the phase has no
/// load.
double subphase_share(const LoadModel& model, ObjectIndex object, PhaseOffset when) {
  if (when.is_whole()) return 1;
  const double whole_s = model.load_s(object, when.of(PhaseOffset::whole_phase));
  return whole_s > 0 ? model.load_s(object, when) / whole_s : 0;
}

std::string text_of(const char* model, const MessageWeights& weights) {
  check_weight(model, "per_message", weights.per_message);
  check_weight(model, "per_byte", weights.per_byte);
  return fmt::format("{}(per_message={}, per_byte={})", model, weights.per_message, weights.per_byte);
}

}  // namespace

CommOverhead::CommOverhead(LoadModelPtr base, MessageWeights weights)
    : ComposedModel(std::move(base), text_of("CommOverhead", weights)), weights_(weights) {}

double CommOverhead::load_s(ObjectIndex object, PhaseOffset when) const {
  const double overhead_s = weights_.of(traffic(object, when).received);
  return base().load_s(object, when) + overhead_s * subphase_share(base(), object, when);
}

WeightedMessages::WeightedMessages(LoadModelPtr base, MessageWeights weights)
    : ComposedModel(std::move(base), text_of("WeightedMessages", weights)), weights_(weights) {}

double WeightedMessages::communication(ObjectIndex object, PhaseOffset when) const {
  const OffRankTraffic volume = traffic(object, when);
  const double cost = std::max(weights_.of(volume.received_send_recv), weights_.of(volume.sent_send_recv));
  return base().communication(object, when) + cost * subphase_share(base(), object, when);
}

WeightedCommunicationVolume::WeightedCommunicationVolume(LoadModelPtr base, Weights weights)
    : ComposedModel(std::move(base), fmt::format("WeightedCommunicationVolume(alpha={}, beta={}, gamma={})",
                                                 weights.alpha, weights.beta, weights.gamma)),
      weights_(weights) {
  check_weight("WeightedCommunicationVolume", "alpha", weights.alpha);
  check_weight("WeightedCommunicationVolume", "beta", weights.beta);
  check_weight("WeightedCommunicationVolume", "gamma", weights.gamma);
}

double WeightedCommunicationVolume::load_s(ObjectIndex object, PhaseOffset when) const {
  return weights_.alpha * base().load_s(object, when) + weights_.beta * communication(object, when) +
         weights_.gamma;
}

namespace {

std::string text_of(const PerCollection::Models& models, const LoadModel* base) {
  std::string text;
  for (const auto& [collection, model] : models)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", collection, model->text(base));
  return fmt::format("PerCollection({})", text);
}

}  // namespace

PerCollection::PerCollection(const LoadModelPtr& base, Models models)
    : ComposedModel(base, text_of(models, base.get())), models_(std::move(models)) {}

const LoadModel& PerCollection::model_of(ObjectIndex object) const {
  const std::optional<lbdata::WideInteger> number = collection(object);
  if (!number || number->negative) return base();
  const auto found = models_.find(number->bits);
  return found == models_.end() ? base() : *found->second;
}

void PerCollection::use(const LoadHistory& history) {
  ComposedModel::use(history);
  for (const auto& [collection, model] : models_) model->use(history);
}

std::size_t PerCollection::past_phases_needed(std::size_t look_back) const {
  std::size_t most = base().past_phases_needed(look_back);
  for (const auto& [collection, model] : models_) most = std::max(most, model->past_phases_needed(look_back));
  return most;
}

bool PerCollection::needs_traffic() const {
  return base().needs_traffic() ||
         std::ranges::any_of(models_, [](const auto& entry) { return entry.second->needs_traffic(); });
}

std::int64_t PerCollection::phases_in_one() const {
  std::int64_t most = base().phases_in_one();
  for (const auto& [collection, model] : models_) most = std::max(most, model->phases_in_one());
  return most;
}

ShippedLoads ProposedReassignment::ship(const LoadModel& model, ObjectIndex object) {
  ShippedLoads shipped{.whole_s = model.load_s(object, {})};
  for (std::uint32_t subphase = 0; subphase < model.n_subphases(object); ++subphase)
    shipped.of_subphase_s.push_back(model.load_s(object, {.subphase = subphase}));
  return shipped;
}

ProposedReassignment::ProposedReassignment(LoadModelPtr base, const std::vector<ObjectIndex>& departing,
                                           std::vector<ShippedLoads> arriving)
    : ComposedModel(std::move(base), "ProposedReassignment"), arriving_(std::move(arriving)) {
  std::vector<bool> departs(this->base().n_objects());
  for (const ObjectIndex object : departing) {
    if (object >= departs.size())
      throw support::usage_error(
          fmt::format("object {} cannot depart: the model has only {} objects", object, departs.size()));
    departs[object] = true;
  }
  for (ObjectIndex object = 0; object < departs.size(); ++object)
    if (!departs[object]) staying_.push_back(object);
}

double ProposedReassignment::load_s(ObjectIndex object, PhaseOffset when) const {
  if (stays(object)) return base().load_s(staying_[object], when);
  if (when.is_past())
    throw support::usage_error("only the next phase is known for an arriving object",
                               "use the underlying model for past phases");
  const ShippedLoads& loads = arrived(object);
  if (when.is_whole()) return loads.whole_s;
  return when.subphase < loads.of_subphase_s.size() ? loads.of_subphase_s[when.subphase] : 0;
}

}  // namespace plimsoll::balance
